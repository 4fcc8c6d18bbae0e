"""The sign-up of remote players, which is the same at every house."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from typing import Any, Generic, TypeVar

from wateringhole import fallbacks
from wateringhole.errors import OperationError
from wateringhole.facets import ServerEnd
from wateringhole.game import AnyKind
from wateringhole.house.limits import HouseLimits
from wateringhole.house.transports.connection import Connection, feed
from wateringhole.house.transports.lines import Lines
from wateringhole.house.transports.port import Refused
from wateringhole.protocol.frames import SETTLE_SECONDS, FrameReader, Incomplete
from wateringhole.protocol.host import read_hello
from wateringhole.protocol.messages import Hello, Unreadable, read_knock, to_line

__all__ = ["NO_SEAT_KEPT", "SignUp"]

NO_SEAT_KEPT = "no seat is kept for this token; sign up again without it"
Place = TypeVar("Place")
"""What a player signs up for: a table, or the games of a host."""


class SignUp(ABC, Generic[Place]):
    """The door of a house (`transports.port.Door`).

    A subclass raises OperationError, or Unreadable, to refuse a player.
    """

    def __init__(self, limits: HouseLimits) -> None:
        self._limits = limits

    async def sign_up(self, lines: Lines) -> str:
        try:
            line = await lines.receive()
            if knock := read_knock(line):
                return await self._admit(lines, knock.code, None)
            hello = read_hello(line)
            if hello.token is not None:
                return await self._reconnect(lines, hello.token, hello.heard)
            return await self._admit(lines, hello.code, hello)
        except (Unreadable, OperationError) as error:
            raise Refused(str(error), to_line({"type": "bye", "reason": str(error)})) from None

    async def sign_up_foreign(self, connection: Connection) -> str:
        reader = FrameReader(most_bytes=self._limits.value_bytes, may_greet=True)
        while isinstance(value := reader.take(), Incomplete):
            await feed(connection, reader, SETTLE_SECONDS)
        reasons: list[str] = []
        for kind, rules, place in self._places():
            for protocol in fallbacks.protocols(kind).values():
                try:
                    end = protocol.server_end(reader, value)
                except ValueError as error:
                    reasons.append(str(error))
                    continue
                if reason := protocol.refuses(rules):
                    reasons.append(f"{protocol.title} does not support these rules: {reason}")
                    continue
                try:
                    return await self._admit_foreign(connection, end, protocol.title, place)
                except OperationError as error:
                    reasons.append(str(error))
        raise Refused("; ".join(dict.fromkeys(reasons)) or self._no_place)

    @abstractmethod
    async def _admit(self, lines: Lines, code: str | None, hello: Hello | None) -> str:
        """Admit a player of the JSON protocol, who sends its hello later if there is none, and return its name."""

    @abstractmethod
    async def _reconnect(self, lines: Lines, token: str, heard: int | None) -> str:
        """Let a player with a token continue over another connection, and return its name."""

    @abstractmethod
    def _places(self) -> Iterable[tuple[AnyKind, Any, Place]]:
        """Yield the games and rules for which a player of a foreign protocol may sign up."""

    @property
    @abstractmethod
    def _no_place(self) -> str:
        """The reason for refusing a player of a foreign protocol if there is no other."""

    @abstractmethod
    async def _admit_foreign(
        self, connection: Connection, end: ServerEnd[Any, Any, Any], protocol: str, place: Place
    ) -> str:
        """Admit a player of a foreign protocol, whose name is `protocol`, and return its name."""
