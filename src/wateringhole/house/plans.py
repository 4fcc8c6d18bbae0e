"""Plans of tables: the choices for a new table, and the saved plan made from them.

The plan holds only digests of tokens and invitations, so the store contains no usable secret.  An
invitation is the secret of one seat: a link for a human on the page, or the code with which a remote
player signs up.
"""

from __future__ import annotations

import functools
import hashlib
import hmac
import secrets
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from wateringhole import fallbacks, options, registry
from wateringhole.errors import UsageError
from wateringhole.formatting import choose_from, short_repr
from wateringhole.game import AnyKind
from wateringhole.house.names import clean_name, distinct
from wateringhole.house.settings import TableSettings
from wateringhole.match.loading import describe_installed
from wateringhole.match.specs import is_untrusted
from wateringhole.protocol.messages import Hello
from wateringhole.seeds import Seed, check_seed, derived_seed, new_seed

__all__ = [
    "MOST_SEATS",
    "NewTable",
    "SeatOccupant",
    "TableBan",
    "TablePlan",
    "TableSeat",
    "TokenDigest",
    "TournamentGame",
    "bots",
    "check_bot",
    "check_count",
    "check_seats",
    "first_game_of",
    "has_untrusted_bots",
    "plan_of",
]

MOST_SEATS = 8
"""Most seats of a table on the page, even if a game allows more."""


class TokenDigest(msgspec.Struct, frozen=True):
    """The digest of a token or an invitation, which can check the secret but not reveal it."""

    digest: str

    @classmethod
    def new(cls) -> tuple[str, TokenDigest]:
        """Return a new secret and its digest."""
        secret = secrets.token_urlsafe(24)
        return secret, cls.of(secret)

    @classmethod
    def of(cls, secret: str) -> TokenDigest:
        return cls(hashlib.sha256(secret.encode(errors="replace")).hexdigest())

    def matches(self, secret: str | None) -> bool:
        return secret is not None and hmac.compare_digest(self.digest, TokenDigest.of(secret).digest)


class TableSeat(msgspec.Struct):
    """A seat at a table, as it is saved."""

    kind: Literal["person", "program", "bot"]
    """For whom the seat is: any player, a remote player with the seat's code, or a bot of the house."""
    name: str
    """Empty while the seat is free."""
    player: str | None = None
    """The installed player that makes a bot."""
    token: TokenDigest | None = None
    """The token of the player at this seat.  Players of foreign protocols have none."""
    invitation: TokenDigest | None = None
    person: str | None = None
    """The id of the person at this seat (`people`), or None for a player without one."""
    key: int = 0
    """The number by which the host names the seat, whatever its place in the order."""
    hello: Hello | None = None
    """The hello of a remote player, without secrets, or None for a human on the page."""
    protocol: str | None = None
    """The title of the foreign protocol of the player at this seat."""
    number: int = 0
    """The number of a player of a host, by the order of sign-up."""
    sent: int = 0
    """The number of messages that a remote player got before this game."""
    asked: int = 0
    """The number of requests among them."""
    wants_coach: bool = False
    """True if the human at this seat agreed to a game with a coach for all."""

    @property
    def is_taken(self) -> bool:
        return self.kind == "bot" or self.token is not None or self.protocol is not None

    @property
    def is_on_page(self) -> bool:
        """True if the seat is taken by a human on the page."""
        return self.token is not None and self.hello is None

    def free(self) -> None:
        """Free the seat of a player who has left."""
        self.token = self.person = self.hello = self.protocol = None
        self.number = self.sent = self.asked = 0
        self.wants_coach = False
        self.name = ""


class TableBan(msgspec.Struct, frozen=True):
    """A player whom the owner of a table has banned from it."""

    name: str
    """The name as `names.skeleton` returns it."""
    address: str | None
    """The address, or None if another player at the table has the same."""


class TournamentGame(msgspec.Struct, frozen=True, kw_only=True):
    """The game of a tournament that is played at a table."""

    tournament: str
    """The ID of the tournament in the house."""
    title: str
    series: int
    """The number of the game's series, which has no other game."""
    nonce: str
    """The nonce of the commitment to the deal.  Other games have the same deal."""
    players_seed: Seed
    """The seed of the bots, which reveals nothing about the deal."""
    pace: float = 0.0
    """Seconds before each answer of a bot, so that people can follow."""
    withdrawn: dict[int, str] = {}
    """By seat of a player who was withdrawn from the tournament: the reason."""
    deleted: tuple[int, ...] = ()
    """The seats of people who deleted their data after the start of the tournament."""


class TablePlan(TableSettings, kw_only=True):
    """Everything that determines a table: the game, its rules, its seats and its settings."""

    game: str
    profile: str
    rules: dict[str, Any]
    seed: Seed
    seats: list[TableSeat] = msgspec.field(name="chairs")
    owner: TokenDigest | None = None
    """The token of the player who opened the table, which is also that of their seat if they have one."""
    bans: list[TableBan] = msgspec.field(default_factory=list)
    run: str | None = None
    """The run of a host to which the table belongs (`runs`), or None for a table in a lobby."""
    number: int = 0
    """The number of its game in the run."""
    first_game: bool = False
    """True for a guided first game, whose deal is fixed."""
    tournament: TournamentGame | None = None
    """The game of a tournament that is played here, or None for a table that players opened."""

    @property
    def nonce(self) -> str:
        """The nonce of the commitment to the deal."""
        return self.tournament.nonce if self.tournament else derived_seed(self.seed, "nonce")

    @property
    def players_seed(self) -> Seed:
        """The seed from which the seeds of the bots follow."""
        return self.tournament.players_seed if self.tournament else self.seed


class SeatOccupant(msgspec.Struct, frozen=True):
    """The player that is wanted for a seat."""

    kind: Literal["me", "friend", "program", "bot"]
    player: str | None = None


class NewTable(TableSettings, kw_only=True):
    """The choices for a new table, with its settings."""

    game: str
    seats: tuple[SeatOccupant, ...] = ()
    profile: str | None = None
    options: dict[str, Any] = msgspec.field(default_factory=dict)
    name: str = ""
    seed: Seed | None = None
    first_game: bool = False
    """True for the guided first game of the game; then seats, rules and seed are fixed."""


def first_game_of(wanted: NewTable) -> NewTable:
    """Return the table of a game's guided first game.  Raises UsageError if the game has none."""
    kind = registry.game_kind(wanted.game)
    first = fallbacks.require(kind.coach, f"{kind.name} has no first game.").first_game
    bots = [SeatOccupant("bot", bot) for bot in first.bots]
    return msgspec.structs.replace(
        wanted,
        seats=(SeatOccupant("me"), *bots),
        profile=None,
        options=dict(first.options),
        public=False,
        seed=first.seed,
    )


def plan_of(wanted: NewTable) -> tuple[TablePlan, str | None, dict[int, str]]:
    """Return the plan for a new table, the token of the player who sets it up, and the invitations by seat."""
    kind = registry.game_kind(wanted.game)
    count = len(wanted.seats)
    check_count(kind, count)
    words = [wanted.profile] if wanted.profile else []
    words += [f"{name}={options.value_to_text(value)}" for name, value in wanted.options.items()]
    rules = options.parse_rules(words, kind.profiles)
    check_seats(kind, rules, count)
    if wanted.rated:
        _check_rated(wanted, rules == next(iter(kind.profiles.values())).rules)
    if wanted.seed is not None and any(occupant.kind in ("friend", "program") for occupant in wanted.seats):
        raise UsageError("A seed reveals every hand. Omit it, or play against bots only.")
    seats, token, invitations = _seats(wanted)
    plan = TablePlan(
        game=kind.name,
        profile=wanted.profile or next(iter(kind.profiles)),
        rules=msgspec.to_builtins(rules),
        seed=new_seed() if wanted.seed is None else check_seed(wanted.seed, f"Seed {short_repr(wanted.seed)}"),
        seats=seats,
        first_game=wanted.first_game,
    )
    TableSettings.of(wanted).apply_to(plan)
    return plan, token, invitations


def _check_rated(wanted: NewTable, has_usual_rules: bool) -> None:
    """Raise UsageError if the game of a table cannot be compared with those in which the bots were rated."""
    if not has_usual_rules:
        raise UsageError("A rated table has the usual rules. Choose them, or open a table that is not rated.")
    if wanted.seed is not None:
        raise UsageError("A rated table has no chosen seed. Omit it, or open a table that is not rated.")


def check_count(kind: AnyKind, count: int) -> None:
    """Raise UsageError if a table of the page cannot have this many seats."""
    least, most = kind.seats[0], min(kind.seats[-1], MOST_SEATS)
    if not least <= count <= most:
        raise UsageError(f"{count} seats: {kind.name} on this page needs {least} to {most}.")


def check_seats(kind: AnyKind, rules: Any, count: int) -> None:
    """Raise UsageError if the rules, or the page, do not fit a table with this many seats."""
    kind.deal(count, rules, 0)  # raises UsageError if the rules do not fit
    if problem := fallbacks.page(kind).unsupported_rules(rules, count):
        raise UsageError(f"This table cannot be set up: {problem}.")


def check_bot(game: str, player: str | None) -> str:
    """Return the name of an installed player.  Any other is refused: a name is never used as a file or a program."""
    known = bots(game)
    if player not in known:
        raise UsageError(f"There is no bot {player!r} for {game}. {choose_from(player, known)}")
    return player


def _seats(wanted: NewTable) -> tuple[list[TableSeat], str | None, dict[int, str]]:
    players = [occupant.player for occupant in wanted.seats if occupant.kind == "bot"]
    for player in players:
        check_bot(wanted.game, player)
    if sum(occupant.kind == "me" for occupant in wanted.seats) > 1:
        raise UsageError("You can take only one seat.")
    seats: list[TableSeat] = []
    token: str | None = None
    invitations: dict[int, str] = {}
    for number, occupant in enumerate(wanted.seats):
        if occupant.kind == "bot":
            seats.append(TableSeat("bot", _bot_name(occupant.player or "", players, seats), occupant.player))
        elif occupant.kind == "me":
            token, digest = TokenDigest.new()
            seats.append(TableSeat("person", clean_name(wanted.name, f"Player {number + 1}"), token=digest))
        else:
            invitations[number], digest = TokenDigest.new()
            seats.append(TableSeat("program" if occupant.kind == "program" else "person", "", invitation=digest))
    for key, seat in enumerate(seats):
        seat.key = key
        if seat.token is not None:
            seat.name = distinct(seat.name, [other.name for other in seats if other is not seat])
    return seats, token, invitations


def _bot_name(player: str, players: Sequence[str | None], seats: Sequence[TableSeat]) -> str:
    """Return the name of a bot, with a number if there are several of the same player."""
    if players.count(player) == 1:
        return player
    return f"{player} {1 + sum(seat.player == player for seat in seats)}"


# The choices for a new table


def has_untrusted_bots() -> bool:
    """Return whether a bot of another package may sit at a table here."""
    return any(is_untrusted(kind.name, name) for kind in registry.kinds() for name in bots(kind.name))


@functools.cache
def bots(game: str) -> dict[str, str]:
    """Return the installed players of a game that may sit at a table here, with their descriptions."""
    own = fallbacks.bots(registry.game_kind(game))
    return {name: text for name, text in describe_installed(game).items() if not (name in own and own[name].human)}
