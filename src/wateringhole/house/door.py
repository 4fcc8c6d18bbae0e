"""The sign-up of remote players at the tables of a lobby.

The code of a seat selects that seat.  A player without a code gets the first open seat at a public
table.  A player with a token continues its game.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from wateringhole.errors import NotFound
from wateringhole.facets import ServerEnd
from wateringhole.game import AnyKind
from wateringhole.house.limits import HouseLimits
from wateringhole.house.lobby import Lobby
from wateringhole.house.page_tables import PageTable
from wateringhole.house.page_tournaments import PageTournament
from wateringhole.house.remote import ForeignPlayer, JsonPlayer, RemotePlayer
from wateringhole.house.sign_up import NO_SEAT_KEPT, SignUp
from wateringhole.house.transports.connection import Connection
from wateringhole.house.transports.lines import Lines
from wateringhole.house.transports.port import Refused
from wateringhole.protocol.messages import Hello, Unreadable

__all__ = ["LobbyDoor"]


class LobbyDoor(SignUp[PageTable]):
    """The door of a house with a lobby."""

    def __init__(self, lobby: Lobby, limits: HouseLimits, log: Callable[[str], None]) -> None:
        super().__init__(limits)
        self._lobby = lobby
        self._log = log

    async def _admit(self, lines: Lines, code: str | None, hello: Hello | None) -> str:
        if tournament := self._lobby.tournaments.find(code):
            return await self._admit_to_tournament(lines, tournament, hello)
        name = "" if hello is None else hello.name or ""
        table, seat = self._lobby.open_seat(code, name, lines.address)
        player = JsonPlayer(table.kind, table.reconnect_seconds, number=seat)
        await player.greet(lines, hello)
        # The seat may have been taken while the hello was sent; a player who knocked may send its code only now.
        game = table.kind.name
        table, seat = self._lobby.open_seat(code or player.hello.code, player.name, lines.address, game)
        if table.kind.name != game:
            raise Unreadable(f"this code is for a table of {table.kind.name}; send it with the knock")
        self._lobby.check_admission(player.name, lines.address, table, table.names)
        return self._seat(table, seat, player, lines.address, lines.transport)

    async def _admit_to_tournament(self, lines: Lines, tournament: PageTournament, hello: Hello | None) -> str:
        tournament.check_program()
        player = JsonPlayer(tournament.kind, tournament.guest_seconds)
        await player.greet(lines, hello)
        self._lobby.check_house_admission(player.name, lines.address, tournament.names)
        name = tournament.enter_program(player)
        self._log(f"{name!r} has entered tournament {tournament.id} from {player.peer} ({lines.transport})")
        return name

    async def _reconnect(self, lines: Lines, token: str, heard: int | None) -> str:
        table, player = self._lobby.remote(token)
        if self._lobby.admission.is_banned(player.name, lines.address):
            raise NotFound(NO_SEAT_KEPT)
        await table.reconnect(player, lines, token, heard)
        self._log(f"{player.name!r} has reconnected from {lines.peer}")
        return player.name

    def _places(self) -> Iterable[tuple[AnyKind, Any, PageTable]]:
        tables = [table for table in self._lobby.tables.values() if table.free_seat(None) is not None]
        return [(table.kind, table.rules, table) for table in tables]

    @property
    def _no_place(self) -> str:
        return "no public table with an open seat can be played over this protocol"

    async def _admit_foreign(
        self, connection: Connection, end: ServerEnd[Any, Any, Any], protocol: str, place: PageTable
    ) -> str:
        self._lobby.check_admission(end.name, connection.address, place, place.names)
        player = ForeignPlayer(connection, end, protocol)
        await player.welcome()
        seat = place.free_seat(None)
        if seat is None:
            raise Refused("the last open seat was taken by another player")
        return self._seat(place, seat, player, connection.address, protocol)

    def _seat(self, table: PageTable, seat: int, player: RemotePlayer, address: str, how: str) -> str:
        table.seat_remote(seat, player, address)
        name = table.names[seat]
        self._log(f"{name!r} has taken a seat at table {table.id} from {player.peer} ({how})")
        table.start_if_full()
        return name
