"""Tables as people occupant for them: what can be chosen, and what becomes of a choice."""

from __future__ import annotations

import functools
import hashlib
import hmac
import itertools
import secrets
from collections.abc import Collection, Sequence
from typing import Any, Literal

import msgspec

from wateringhole import fallbacks, options, registry
from wateringhole.errors import UsageError
from wateringhole.formatting import sentence, single_line
from wateringhole.match.loading import describe_installed
from wateringhole.web.files import manifest_to_json

__all__ = [
    "NewTable",
    "SeatOccupant",
    "TablePlan",
    "TableSeat",
    "TokenDigest",
    "clean_name",
    "describe",
    "distinct",
    "plan_of",
    "random_seed",
]

USUAL_SEATS = 4
"""At a table that a newcomer opens with one click."""
MOST_SEATS = 8
"""At one table of the page, whatever a game would allow."""
LONGEST_NAME = 30


class TokenDigest(msgspec.Struct, frozen=True):
    """What is kept of a token or an invitation: enough to know it again, too little to use it."""

    digest: str

    @classmethod
    def new(cls) -> tuple[str, TokenDigest]:
        """A secret as it is given away, and as it is kept."""
        word = secrets.token_urlsafe(24)
        return word, cls(_digest(word))

    def fits(self, word: str | None) -> bool:
        return word is not None and hmac.compare_digest(self.digest, _digest(word))


def _digest(word: str) -> str:
    return hashlib.sha256(word.encode(errors="replace")).hexdigest()


class TableSeat(msgspec.Struct):
    """A place at a table."""

    kind: Literal["person", "bot"]
    name: str
    """Of a seat that nobody has taken: empty."""
    player: str | None = None
    """The installed player that a bot is."""
    token: TokenDigest | None = None
    """Held by the person who sits here; None: nobody does yet."""
    invitation: TokenDigest | None = None

    @property
    def is_taken(self) -> bool:
        return self.kind == "bot" or self.token is not None


class TablePlan(msgspec.Struct, kw_only=True):
    """All that a table is decided by."""

    game: str
    profile: str
    rules: dict[str, Any]
    seed: int
    public: bool
    seats: list[TableSeat] = msgspec.field(name="chairs")


class SeatOccupant(msgspec.Struct, frozen=True):
    """Who shall sit on a seat."""

    kind: Literal["me", "friend", "bot"]
    player: str | None = None


class NewTable(msgspec.Struct, frozen=True, kw_only=True):
    """A table as somebody wants it."""

    game: str
    seats: tuple[SeatOccupant, ...]
    profile: str | None = None
    options: dict[str, Any] = {}
    name: str = ""
    public: bool = True
    seed: int | None = None


def plan_of(wanted: NewTable) -> tuple[TablePlan, str | None, list[str]]:
    """What a table is decided by, the token of whoever wants it, and the invitations."""
    kind = registry.game_kind(wanted.game)
    count = len(wanted.seats)
    least, most = kind.seats[0], min(kind.seats[-1], MOST_SEATS)
    if not least <= count <= most:
        raise UsageError(f"{kind.name} is played here by {least} to {most}, not by {count}.")
    words = [wanted.profile] if wanted.profile else []
    words += [f"{name}={options.value_to_text(value)}" for name, value in wanted.options.items()]
    rules = options.parse_rules(words, kind.profiles)
    kind.deal(count, rules, 0)  # raises UsageError where they do not fit
    if flaw := fallbacks.page(kind).unsupported_rules(rules, count):
        raise UsageError(f"This table cannot be set up: {flaw}.")
    if wanted.seed is not None and any(occupant.kind == "friend" for occupant in wanted.seats):
        raise UsageError("Whoever knows the seed knows every hand: leave the seed out, or play with bots alone.")
    seats, token, invitations = _seats(wanted)
    plan = TablePlan(
        game=kind.name,
        profile=wanted.profile or next(iter(kind.profiles)),
        rules=msgspec.to_builtins(rules),
        seed=random_seed() if wanted.seed is None else wanted.seed,
        public=wanted.public,
        seats=seats,
    )
    return plan, token, invitations


def random_seed() -> int:
    """One that nobody finds by dealing with every seed there is, until it fits the own hand."""
    return secrets.randbits(64)


def _seats(wanted: NewTable) -> tuple[list[TableSeat], str | None, list[str]]:
    players = [occupant.player for occupant in wanted.seats if occupant.kind == "bot"]
    known = bots(wanted.game)
    for player in players:
        # Only what is installed: a name that could be a file or a program is never looked for.
        if player not in known:
            raise UsageError(f"There is no bot {player!r} for {wanted.game} here; there are {', '.join(known)}.")
    if sum(occupant.kind == "me" for occupant in wanted.seats) > 1:
        raise UsageError("You can take only one seat.")
    seats: list[TableSeat] = []
    token: str | None = None
    invitations: list[str] = []
    for number, occupant in enumerate(wanted.seats):
        if occupant.kind == "bot":
            seats.append(TableSeat("bot", _bot_name(occupant.player or "", players, seats), occupant.player))
        elif occupant.kind == "me":
            token, kept = TokenDigest.new()
            seats.append(TableSeat("person", clean_name(wanted.name, number), token=kept))
        else:
            word, kept = TokenDigest.new()
            invitations.append(word)
            seats.append(TableSeat("person", "", invitation=kept))
    for seat in seats:
        if seat.token is not None:
            seat.name = distinct(seat.name, [other.name for other in seats if other is not seat])
    return seats, token, invitations


def _bot_name(player: str, players: Sequence[str | None], seats: Sequence[TableSeat]) -> str:
    """What it is called; several of one kind are numbered."""
    if players.count(player) == 1:
        return player
    return f"{player} {1 + sum(seat.player == player for seat in seats)}"


def clean_name(name: str, seat: int) -> str:
    """What somebody wants to be called, on one short line."""
    return " ".join(single_line(name, LONGEST_NAME).split()) or f"Player {seat + 1}"


def distinct(name: str, taken: Collection[str]) -> str:
    """A name that nobody at the table has yet.

    >>> distinct("Ada", ["Bea", "Ada"])
    'Ada 2'
    """
    numbers = itertools.count(2)
    free = name
    while free in taken:
        free = f"{name} {next(numbers)}"
    return free


# What can be chosen


def describe(game: str) -> dict[str, Any]:
    """A game with its profiles, options and players, for whoever sets up a table."""
    kind = registry.game_kind(game)
    default = next(iter(kind.profiles))
    _, _, text = kind.title.partition(": ")
    most = min(kind.seats[-1], MOST_SEATS)
    return {
        "name": game,
        "title": kind.display_name,
        "text": sentence(text),
        "least": kind.seats[0],
        "most": most,
        "seats_default": max(kind.seats[0], min(most, USUAL_SEATS)),
        "profiles": [{"name": name, "text": profile.text} for name, profile in kind.profiles.items()],
        "options": [_option_to_json(option, default) for option in options.describe(kind.profiles)],
        "turn_name": kind.turn_name,
        "page": manifest_to_json(kind),
        "players": [{"name": name, "text": text} for name, text in bots(game).items()],
    }


@functools.cache
def bots(game: str) -> dict[str, str]:
    """The installed players of a game that may sit at a table here, with what they say about themselves."""
    own = fallbacks.bots(registry.game_kind(game))
    return {name: text for name, text in describe_installed(game).items() if not (name in own and own[name].human)}


def _option_to_json(option: options.Option, default: str) -> dict[str, Any]:
    flag = option.choices == ("true", "false")
    return {
        "name": option.name,
        "text": sentence(option.text),
        "values": option.values,
        "default": option.profiles[default],
        "profiles": option.profiles,
        "choices": None if option.choices is None else list(option.choices),
        "kind": "flag" if flag else "number" if option.choices is None else "choice",
    }
