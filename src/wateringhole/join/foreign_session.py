"""One game at a server that speaks a foreign protocol, such as the course's."""

from __future__ import annotations

from typing import Any

from wateringhole.errors import OperationError, PromptCancelled
from wateringhole.facets import AnnouncedRanking, ClientEnd
from wateringhole.game import Notice, Request
from wateringhole.join.connection import Connection
from wateringhole.join.plan import JoinPlan
from wateringhole.join.players import JoiningPlayer, blame_player
from wateringhole.player import SeatAssignment
from wateringhole.protocol.foreign import GameProtocol
from wateringhole.protocol.frames import SETTLE_SECONDS, StreamEnded
from wateringhole.terminal.keyboard import keyboard

__all__ = ["ForeignSession"]

_INPUT_SECONDS = 0.1
"""Longest wait for a message after its first bytes have arrived."""


class ForeignSession:
    """The connection of a signed-up player, until the server closes it."""

    def __init__(
        self,
        plan: JoinPlan,
        connection: Connection,
        found: GameProtocol,
        end: ClientEnd[Any, Any],
        joining: JoiningPlayer,
    ) -> None:
        self._plan = plan
        self._connection = connection
        self._found = found
        self._end = end
        self._joining = joining
        self._is_welcome = self._has_begun = self._has_result = False

    def play(self, start: bytes = b"") -> None:
        """Play one game.  `start` is what the server has sent.  Raises OperationError unless the game was played."""
        self._feed(start)
        try:
            while True:
                received = self._end.take()
                if self._end.is_welcome and not self._is_welcome:
                    self._is_welcome = True
                    self._plan.report(
                        f"signed up for {self._found.kind.name} at {self._plan.address}; waiting for a game"
                    )
                if received is None:
                    self._read(self._plan.limits.idle)
                else:
                    self._handle(received)
        except StreamEnded:
            self._plan.transcript.closed("the server closed the connection")
            self._report_end()

    def _handle(self, received: Notice | Request[Any] | AnnouncedRanking) -> None:
        if not self._has_begun:
            self._has_begun = True
            self._plan.report(f"a game begins, in the dialect {self._end.server}")
            with blame_player():
                self._joining.player.on_seated(SeatAssignment(self._end.seat, self._end.names, self._end.rules))
        if isinstance(received, AnnouncedRanking):
            self._has_result = True
            for rank, identity, score in received.rows:
                self._plan.report(f"{rank} player id: {identity} score: {score}")
        elif isinstance(received, Notice):
            with blame_player():
                self._joining.player.on_notice(received)
        else:
            try:
                answer = self._answer(received)
            except PromptCancelled:
                return
            self._plan.transcript.sent(answer)
            self._connection.send(answer)

    def _answer(self, request: Request[Any]) -> bytes:
        with blame_player(), keyboard().watching(self._connection.fileno(), self._on_input):
            return self._end.reply(request, self._joining.player.answer(request))

    def _on_input(self) -> None:
        """Handle a message that arrives while a human thinks: the game continues without the answer, or is over."""
        self._read(_INPUT_SECONDS)
        raise PromptCancelled

    def _read(self, seconds: float) -> None:
        reader = self._end.reader
        try:
            chunk = self._connection.receive(SETTLE_SECONDS if reader.is_unsettled else seconds)
        except TimeoutError:
            if not reader.is_unsettled:
                raise OperationError(
                    f"{self._plan.address} sent nothing for {seconds:g} s. Use --idle-timeout to wait longer."
                ) from None
            reader.mark_idle()
            return
        if chunk:
            self._feed(chunk)
        else:
            reader.close()

    def _feed(self, chunk: bytes) -> None:
        self._plan.transcript.received_part(chunk)
        self._end.reader.feed(chunk)

    def _report_end(self) -> None:
        """Report what the end of the connection means.  Servers end games and throw players out in this way."""
        if not self._is_welcome:
            raise OperationError(f"{self._plan.address} closed the connection without a reply to the sign-up.")
        if not self._has_begun:
            raise OperationError(
                f"{self._plan.address} closed the connection before the game began. Did enough players sign up?"
            )
        if self._has_result:
            self._plan.report("the server closed the connection: the game is over")
            return
        ending = self._end.ending()
        if ending.early:
            raise OperationError(
                f"{self._plan.address} closed the connection {ending.early}. "
                f"It has thrown the player out, or it has stopped. {self._advice()}"
            )
        self._plan.report(
            f"the server closed the connection: the game is over; {self._found.protocol.title} sends no result"
        )
        if ending.estimate:
            self._plan.report(f"estimate: {ending.estimate}")

    def _advice(self) -> str:
        others = self._end.similar or [each for each in self._found.protocol.dialects if each != self._end.server]
        check = f"wateringhole check {self._found.kind.name} PLAYER"
        return f"Try another dialect (--dialect {' or '.join(others)}), or check the player with: {check}"
