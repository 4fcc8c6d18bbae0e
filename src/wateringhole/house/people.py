"""People: players with a name and a secret key, who find their games again and have a rating.

There is no password and no e-mail address.  A person proves who they are with the key alone.  A link with the key in
its fragment opens the same person on another device.  The store keeps only the digest of the key.
"""

from __future__ import annotations

import asyncio
import secrets
import time
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

import msgspec

from wateringhole import registry
from wateringhole.errors import NotFound, OperationError, UsageError
from wateringhole.house.limits import HouseLimits, RateLimiters
from wateringhole.house.names import clean_name
from wateringhole.house.person_ratings import PersonRating
from wateringhole.house.plans import TokenDigest
from wateringhole.levels import levels

if TYPE_CHECKING:
    from wateringhole.house.people_store import PeopleStore

__all__ = ["SOMEONE", "People", "Person", "PersonGame", "PlayedSeat", "SeatResult", "beaten_bots", "bot_ratings"]

SOMEONE = "Someone"
"""The name of a deleted person in the games that others still have."""
SEEN_SECONDS = 86_400.0
"""A visit is noted once in this time."""


class Person(msgspec.Struct, frozen=True):
    """A player with a name and a secret key."""

    id: str
    """It is never sent to a page."""
    name: str
    created: float
    """Seconds since 1970."""
    seen: float
    """The last visit, up to a day."""


class PlayedSeat(msgspec.Struct, frozen=True):
    """The player of a seat, as a result keeps it."""

    person: str | None
    """The id of the person, or None for every other player."""
    player: str | None
    """The installed player of a bot."""


class SeatResult(msgspec.Struct, frozen=True):
    """One seat of a finished game."""

    name: str
    place: int
    score: int | None
    player: str | None
    """The installed player of a bot, or None."""
    me: bool
    """True for the person whose games are listed."""


class PersonGame(msgspec.Struct, frozen=True):
    """A finished game of a person."""

    game_id: str
    game: str
    finished: float
    """Seconds since 1970."""
    rated: bool
    replay: bool
    """False if the house no longer has the record."""
    seats: tuple[SeatResult, ...]


class People:
    """The people of a house.  Call its methods from the event loop only."""

    def __init__(self, store: PeopleStore, limits: HouseLimits) -> None:
        self._store = store
        self._limits = limits
        self._new = RateLimiters(limits.new_people, limits.new_people_per_hour / 3600)

    async def find(self, key: str | None) -> Person | None:
        """Return the person with a key, or None."""
        if not key:
            return None
        digest = TokenDigest.of(key)
        person = await asyncio.to_thread(self._store.person, digest)
        if person is not None and time.time() - person.seen > SEEN_SECONDS:
            await asyncio.to_thread(self._store.note_visit, person.id, time.time())
        return person

    async def get(self, key: str | None) -> Person:
        """Return the person with a key.  Raises NotFound if there is none."""
        person = await self.find(key)
        if person is None:
            raise NotFound("No player here has this link. It may be incomplete, or the data was deleted.")
        return person

    async def create(self, name: str, address: str) -> tuple[str, Person]:
        """Add a person, and return the new key.  Raises UsageError and OperationError."""
        name = _checked_name(name)
        if not self._new.allow(address, asyncio.get_running_loop().time()):
            raise OperationError("Too many new names from your address. Please try again later.")
        key, digest = TokenDigest.new()
        now = time.time()
        person = Person(secrets.token_hex(8), name, now, now)
        if not await asyncio.to_thread(self._store.add_person, person, digest, self._limits.people):
            raise OperationError("The server has reached its limit of names. You can play without one.")
        return key, person

    async def rename(self, person: Person, name: str) -> Person:
        """Change the name at future tables.  Raises UsageError."""
        renamed = msgspec.structs.replace(person, name=_checked_name(name))
        await asyncio.to_thread(self._store.rename_person, renamed)
        return renamed

    async def delete(self, person: Person, entries: Sequence[tuple[int, int]] = ()) -> None:
        """Delete a person with all that leads to them: name, key, rating, and the link to their games.

        `entries` are the tournaments that they entered, with their number among the players.
        """
        await asyncio.to_thread(self._store.delete_person, person.id, entries)

    async def games(self, person: Person) -> list[PersonGame]:
        """Return the finished games of a person, the newest first."""
        return await asyncio.to_thread(self._store.games_of, person.id)

    async def ratings(self, person: Person) -> dict[str, PersonRating]:
        """Return the ratings of a person, by game."""
        return await asyncio.to_thread(self._store.ratings_of, person.id)


def _checked_name(name: str) -> str:
    if cleaned := clean_name(name, ""):
        return cleaned
    raise UsageError("The name is empty. Choose one that other players can read.")


def bot_ratings(game: str) -> dict[str, float]:
    """Return the fixed ratings of a game's bots; those of a game that is no longer installed are empty."""
    if game not in registry.game_names():
        return {}
    return {name: rated.rating for name, rated in levels(registry.game_kind(game)).players.items()}


def beaten_bots(games: Iterable[PersonGame]) -> dict[str, list[str]]:
    """Return the bots that a person has beaten, by game: they finished ahead of every seat of the bot."""
    beaten: dict[str, list[str]] = {}
    for played in games:
        known = beaten.setdefault(played.game, [])
        known += [bot for bot in _beaten_in(played.seats) if bot not in known]
    return beaten


def _beaten_in(seats: Sequence[SeatResult]) -> list[str]:
    mine = min(seat.place for seat in seats if seat.me)
    bots = dict.fromkeys(seat.player for seat in seats if seat.player is not None)
    return [bot for bot in bots if all(seat.place > mine for seat in seats if seat.player == bot)]
