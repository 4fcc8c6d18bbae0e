"""What people at a terminal have in common, whatever they play: their patience, and how they leave."""

from __future__ import annotations

from typing import Any, ClassVar

from wateringhole.game import Answer, Forfeit, Request
from wateringhole.player import InProcess, PlayerFailed, PlayerLeft
from wateringhole.terminal.keyboard import InputTimeout
from wateringhole.terminal.menu import Terminal

__all__ = ["TerminalHuman"]


class TerminalHuman(InProcess):
    """A human at a terminal.  Ctrl-C or the end of the input leaves the game."""

    wants_events: ClassVar[bool] = True
    is_human: ClassVar[bool] = True

    _terminal: Terminal
    _has_left = False

    def answer(self, request: Request[Any], seconds: float | None = None) -> Answer:
        if self._has_left:
            # Some rules repair failures and keep asking the seat, but the human has left.
            raise PlayerLeft("left the table")
        if seconds is not None:
            self._terminal.show(f"The referee waits {seconds:g} seconds for your answer.")
        try:
            with self._terminal.time_limit(seconds):
                return super().answer(request, seconds)
        except InputTimeout:
            self._terminal.show("Your time is over: the referee waits no longer.")
            raise PlayerFailed(Forfeit("late", f"no answer within the {seconds:g} s there are for people")) from None
        except (EOFError, KeyboardInterrupt):
            self._has_left = True
            self._terminal.show("", "You leave the table. Goodbye.")
            raise PlayerLeft("left the table") from None
