"""All tournaments of the house.  The operator, who has a token, starts them."""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from wateringhole.errors import NotFound, OperationError, WateringHoleError
from wateringhole.house.admission import BanList
from wateringhole.house.page_tournaments import PageTournament
from wateringhole.house.people import Person
from wateringhole.house.plans import TokenDigest
from wateringhole.house.remote import JsonPlayer
from wateringhole.house.tournament_plans import NewTournament, TournamentPlan, plan_tournament
from wateringhole.house.tournament_tables import TournamentTable
from wateringhole.house.writer import SavedTable
from wateringhole.tournaments.results import require_ratings

if TYPE_CHECKING:
    from wateringhole.house.lobby import Lobby

__all__ = ["TournamentHall"]

MOST_UNFINISHED = 8
"""Tournaments that are open, running or interrupted at the same time."""
MOST_KEPT = 100
"""Tournaments that the page lists.  The oldest ones leave the list; their standings stay in the store."""
LISTED_IN_LOBBY = 5


class TournamentHall:
    """The tournaments of the house.  Call its methods from the event loop only."""

    def __init__(self, lobby: Lobby, operator: TokenDigest | None) -> None:
        """`operator` is the digest of the operator's token; without one, no tournament can be started."""
        self._lobby = lobby
        self._operator = operator
        self._tournaments: dict[str, PageTournament] = {}

    def check_operator(self, token: str) -> None:
        """Raise OperationError unless this is the operator's token."""
        if self._operator is None or not self._operator.matches(token):
            raise OperationError("This is not the operator's token. The command wateringhole serve prints it.")

    def create(self, wanted: NewTournament) -> PageTournament:
        """Create a tournament that players can enter.  Raises UsageError and OperationError."""
        require_ratings()
        unfinished = [each for each in self._tournaments.values() if each.plan.state not in ("over", "cancelled")]
        if len(unfinished) >= MOST_UNFINISHED:
            raise OperationError(f"There are {MOST_UNFINISHED} unfinished tournaments. Finish or cancel one first.")
        tournament = PageTournament(self._lobby, secrets.token_hex(4), time.time(), plan_tournament(wanted))
        self._tournaments[tournament.id] = tournament
        tournament.save()
        self._forget_old()
        return tournament

    def _forget_old(self) -> None:
        ended = [each for each in self._tournaments.values() if each.plan.state in ("over", "cancelled")]
        for tournament in sorted(ended, key=lambda each: each.created)[:-MOST_KEPT]:
            self._lobby.writer.forget(tournament.id)
            del self._tournaments[tournament.id]

    def get(self, id: str) -> PageTournament:
        """Return a tournament.  Raises NotFound if there is none with this ID."""
        if id not in self._tournaments:
            raise NotFound("There is no such tournament.")
        return self._tournaments[id]

    def find(self, id: str | None) -> PageTournament | None:
        """Return the tournament with an ID, or None."""
        return self._tournaments.get(id or "")

    def remote(self, digest: TokenDigest) -> tuple[PageTournament, JsonPlayer] | None:
        """Return the program with a token that waits for a game, and its tournament, or None."""
        for tournament in self._tournaments.values():
            if player := tournament.remote_of(digest):
                return tournament, player
        return None

    def entries_of(self, person: Person) -> list[tuple[int, int]]:
        """Return the numbers of the started tournaments of a person, and of the person among their players."""
        entered = ((each.plan.number, each.entrant_of(person)) for each in self._tournaments.values())
        return [(number, entrant) for number, entrant in entered if number is not None and entrant is not None]

    def forget_person(self, person: Person) -> None:
        """Let a deleted person leave all tournaments."""
        for tournament in self._tournaments.values():
            tournament.forget_person(person)

    async def load_names(self) -> None:
        """Read the names of players again, because a person was deleted."""
        for tournament in self._tournaments.values():
            await tournament.load_names()

    # Saved tournaments

    def restore(self, saved: Sequence[SavedTable]) -> None:
        """Restore saved tournaments, before their tables."""
        for each in saved:
            try:
                plan = msgspec.convert(each.plan, TournamentPlan)
                self._tournaments[each.id] = PageTournament(self._lobby, each.id, each.created, plan)
            except (msgspec.ValidationError, WateringHoleError) as error:
                self._lobby.log(f"tournament {each.id} cannot be restored: {error}")

    async def open(self, tables: Sequence[TournamentTable]) -> None:
        """Continue the restored tournaments, some of whose tables were restored, too."""
        for table in tables:
            if tournament := self.find(table.game.tournament):
                tournament.adopt(table)
        for tournament in self._tournaments.values():
            try:
                await tournament.load()
                if tournament.plan.state == "running":
                    await tournament.resume()
            except WateringHoleError as error:
                self._lobby.log(f"tournament {tournament.id} cannot continue: {error}")
                tournament.interrupt(str(error))

    async def stop(self) -> None:
        """Stop playing."""
        await asyncio.gather(*(tournament.stop() for tournament in self._tournaments.values()))

    def remove_banned(self, bans: BanList) -> None:
        """Remove banned players from the tournaments that have not started."""
        for tournament in self._tournaments.values():
            tournament.remove_banned(bans)

    def check_programs(self) -> None:
        """Remove programs that have gone before the start of their tournament."""
        for tournament in self._tournaments.values():
            tournament.check_programs()

    @property
    def leased(self) -> list[str]:
        """The IDs of the saved tournaments, whose leases are renewed like those of tables."""
        return list(self._tournaments)

    # JSON for the page

    def to_json(self) -> list[dict[str, Any]]:
        """Return all tournaments, the newest first."""
        newest = sorted(self._tournaments.values(), key=lambda each: -each.created)
        return [tournament.summary() for tournament in newest]

    def listed_in_lobby(self) -> list[dict[str, Any]]:
        """Return the tournaments that are not over, and the newest others."""
        every = self.to_json()
        active = [each for each in every if each["state"] in ("open", "running")]
        return [*active, *(each for each in every if each["state"] == "over")][:LISTED_IN_LOBBY]
