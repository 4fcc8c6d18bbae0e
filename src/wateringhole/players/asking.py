"""How a request is put to a player on a wire: in one question, or in the many small ones of a stepwise player.

What to send comes out of a generator and the replies go into it, so that whoever waits for a
reply may block or not::

    questions = ask(talk, kind, "whole", request)
    line = next(questions)
    …  line = questions.send(reply)  …                  # StopIteration.value is the answer
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Generator
from typing import Any, Literal

from wateringhole.game import Answer, Kind, Request
from wateringhole.protocol import Reply, Talk, Unreadable

__all__ = ["ask", "check_style"]

Style = Literal["whole", "stepwise"]


def check_style(kind: Kind[Any, Any], style: Style) -> None:
    """Raises Unreadable where a game has no such style."""
    if style == "stepwise" and importlib.util.find_spec(_stepwise_module(kind)) is None:
        raise Unreadable(f"it asks for the style stepwise, which {kind.name} has not")


def ask(
    talk: Talk, kind: Kind[Any, Any], style: Style, request: Request, player: int = 0, seconds: float | None = None
) -> Generator[bytes, Reply, Answer]:
    """The lines to send, one after each reply; returns the answer.

    Raises Unreadable for a reply that is no answer, and IllegalAnswer for one that breaks a rule
    before the whole answer is there.
    """
    if style == "whole":
        reply = yield talk.request(request, player, seconds)
        return talk.understand(request, reply)
    stepwise: Any = importlib.import_module(_stepwise_module(kind))
    replies: list[Reply] = []
    while isinstance(step := stepwise.proceed(request, replies), stepwise.Question):
        reply = yield talk.question(step.name, {"arguments": step.arguments}, player, seconds)
        replies.append(reply)
    return step


def _stepwise_module(kind: Kind[Any, Any]) -> str:
    return f"wateringhole.players.{kind.name}.stepwise_wire"
