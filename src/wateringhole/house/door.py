"""The sign-up of remote players at the tables of a lobby.

The code of a seat selects that seat.  A player without a code gets the first open seat at a public
table.  A player with a token continues its game.
"""

from __future__ import annotations

from collections.abc import Callable

from wateringhole import fallbacks
from wateringhole.errors import NotFound, OperationError
from wateringhole.house.limits import HouseLimits
from wateringhole.house.lobby import Lobby
from wateringhole.house.plans import TokenDigest
from wateringhole.house.remote import ForeignPlayer, JsonPlayer
from wateringhole.house.tables import Table
from wateringhole.house.transports.connection import Connection, feed
from wateringhole.house.transports.lines import Lines
from wateringhole.house.transports.port import Refused
from wateringhole.protocol.frames import SETTLE_SECONDS, FrameReader, Incomplete
from wateringhole.protocol.host import read_hello
from wateringhole.protocol.messages import Hello, Unreadable, read_knock, to_line

__all__ = ["LobbyDoor"]


class LobbyDoor:
    """The door of a house with a lobby (`transports.port.Door`)."""

    def __init__(self, lobby: Lobby, limits: HouseLimits, log: Callable[[str], None]) -> None:
        self._lobby = lobby
        self._limits = limits
        self._log = log

    async def sign_up(self, lines: Lines) -> str:
        try:
            line = await lines.receive()
            knock = read_knock(line)
            if knock is not None:
                return await self._admit(lines, knock.code, None)
            hello = read_hello(line)
            if hello.token is not None:
                return await self._reconnect(lines, hello.token, hello.heard)
            return await self._admit(lines, hello.code, hello)
        except (Unreadable, OperationError) as error:
            raise Refused(str(error), to_line({"type": "bye", "reason": str(error)})) from None

    async def _admit(self, lines: Lines, code: str | None, hello: Hello | None) -> str:
        name = "" if hello is None else hello.name or ""
        table, _ = self._lobby.open_seat(code, name, lines.address)
        player = JsonPlayer(table.kind, table.reconnect_seconds)
        token, _ = TokenDigest.new()
        await player.greet(lines, token, hello)
        # The seat may have been taken while the hello was sent; a player who knocked may send its code only now.
        game = table.kind.name
        table, seat = self._lobby.open_seat(code or player.hello.code, player.name, lines.address, game)
        if table.kind.name != game:
            raise Unreadable(f"this code is for a table of {table.kind.name}; send it with the knock")
        self._lobby.check_admission(player.name, lines.address, table, table.names)
        table.seat_remote(seat, player, lines.address)
        return self._seated(table, seat, lines.peer, lines.transport)

    async def _reconnect(self, lines: Lines, token: str, heard: int | None) -> str:
        table, player = self._lobby.remote(token)
        if self._lobby.admission.is_banned(player.name, lines.address):
            raise NotFound("no seat is kept for this token; sign up again without it")
        await table.reconnect(player, lines, token, heard)
        self._log(f"{player.name!r} has reconnected from {lines.peer}")
        return player.name

    async def sign_up_foreign(self, connection: Connection) -> str:
        reader = FrameReader(most_bytes=self._limits.value_bytes, may_greet=True)
        while isinstance(value := reader.take(), Incomplete):
            await feed(connection, reader, SETTLE_SECONDS)
        reasons = []
        for table in list(self._lobby.tables.values()):
            if table.free_seat(None) is None:
                continue
            for protocol in fallbacks.protocols(table.kind).values():
                try:
                    end = protocol.server_end(reader, value)
                except ValueError as error:
                    raise Refused(str(error)) from None
                if table.bans(end.name, connection.address):
                    continue
                if reason := protocol.refuses(table.rules):
                    reasons.append(f"{protocol.title} does not support the rules of an open table: {reason}")
                    continue
                try:
                    self._lobby.check_admission(end.name, connection.address, table, table.names)
                except OperationError as error:
                    raise Refused(str(error)) from None
                player = ForeignPlayer(connection, end, protocol.title)
                await player.welcome()
                seat = table.free_seat(None)
                if seat is None:
                    raise Refused("the last open seat was taken by another player")
                table.seat_remote(seat, player, connection.address)
                return self._seated(table, seat, connection.peer, protocol.title)
        raise Refused("; ".join(reasons) or "no public table with an open seat can be played over this protocol")

    def _seated(self, table: Table, seat: int, peer: str, how: str) -> str:
        name = table.names[seat]
        self._log(f"{name!r} has taken a seat at table {table.id} from {peer} ({how})")
        table.start_if_full()
        return name
