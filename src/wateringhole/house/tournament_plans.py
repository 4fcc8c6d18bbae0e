"""Plans of tournaments on the page: the operator's choices, and the saved plan made from them."""

from __future__ import annotations

import math
from typing import Any, Literal

import msgspec

from wateringhole import options, registry
from wateringhole.errors import OperationError, UsageError
from wateringhole.house.names import clean_name
from wateringhole.house.plans import MOST_SEATS, TableSeat, check_bot, check_seats
from wateringhole.match.specs import is_untrusted
from wateringhole.process.limits import Isolation
from wateringhole.seeds import new_seed
from wateringhole.tournaments.schedule import FORMATS
from wateringhole.tournaments.settings import PERSON, PROGRAM, WITHDRAW_AFTER, Settings, table_size_for
from wateringhole.tournaments.tournament import games_in_all

__all__ = [
    "MOST_ENTRANTS",
    "MOST_GAMES",
    "MOST_GAMES_OF_PEOPLE",
    "NewTournament",
    "TournamentPlan",
    "check_open",
    "is_tournament",
    "plan_tournament",
    "settings_of",
]

MOST_ENTRANTS = 40
MOST_GAMES = 2000
"""The most games of one tournament on the page."""
MOST_GAMES_OF_PEOPLE = 20
"""The most games for each player of a tournament that people can enter."""
MOST_PACE = 10.0
"""The longest pause of a bot before an answer, in seconds."""
GUEST_FORFEITS = 2
"""The forfeits in a row after which a player is withdrawn, if people or programs play."""
BOT_SECONDS = 30.0
"""Time limit for one answer of a bot or a program."""

State = Literal["open", "running", "interrupted", "cancelled", "over"]


class NewTournament(msgspec.Struct, frozen=True, kw_only=True):
    """The operator's choices for a new tournament."""

    game: str
    title: str = ""
    bots: tuple[str, ...] = ()
    people: bool = False
    """True if people can enter."""
    programs: bool = False
    """True if programs can join."""
    format: str = "round-robin"
    games: int = 12
    """The games wanted for each player."""
    table_size: int | None = None
    """The players at a table, or None for the usual number."""
    profile: str | None = None
    options: dict[str, Any] = {}
    pace: float = 0.0
    """Seconds before each answer of a bot, so that people can follow."""


class TournamentPlan(msgspec.Struct, kw_only=True):
    """A tournament on the page as it is saved."""

    title: str
    game: str
    profile: str
    rules: dict[str, Any]
    format: str
    games: int
    """The games wanted for each player."""
    table_size: int | None
    people: bool
    programs: bool
    pace: float
    entrants: list[TableSeat]
    """The players, as they sit down at each table."""
    state: State = "open"
    reason: str | None = None
    """The reason of an interruption."""
    number: int | None = None
    """Its number in the store of tournaments, once it has started."""


def is_tournament(plan: dict[str, Any]) -> bool:
    """Return whether a saved plan is that of a tournament, and not that of a table."""
    return "entrants" in plan


def plan_tournament(wanted: NewTournament) -> TournamentPlan:
    """Return the plan of a new tournament.  Raises UsageError for choices that cannot be played."""
    kind = registry.game_kind(wanted.game)
    words = [wanted.profile] if wanted.profile else []
    words += [f"{name}={options.value_to_text(value)}" for name, value in wanted.options.items()]
    rules = options.parse_rules(words, kind.profiles)
    names = list(dict.fromkeys(check_bot(kind.name, bot) for bot in wanted.bots))
    if wanted.format not in FORMATS:
        raise UsageError(f"The format {wanted.format!r} does not exist. Choose from: {', '.join(FORMATS)}.")
    most = MOST_GAMES_OF_PEOPLE if wanted.people else MOST_GAMES
    if not 1 <= wanted.games <= most:
        raise UsageError(f"A player of this tournament can have 1 to {most} games, not {wanted.games}.")
    if not 0 <= wanted.pace <= MOST_PACE:
        raise UsageError(f"A bot can pause for 0 to {MOST_PACE:g} seconds, not {wanted.pace:g}.")
    if len(names) > MOST_ENTRANTS:
        raise UsageError(f"{len(names)} bots: a tournament on the page has at most {MOST_ENTRANTS} players.")
    size = wanted.table_size
    if size is not None:
        if not kind.seats[0] <= size <= min(kind.seats[-1], MOST_SEATS):
            least, largest = kind.seats[0], min(kind.seats[-1], MOST_SEATS)
            raise UsageError(f"{size} seats: {kind.name} on this page needs {least} to {largest}.")
        check_seats(kind, rules, size)
    plan = TournamentPlan(
        title=clean_name(wanted.title, kind.display_name),
        game=kind.name,
        profile=wanted.profile or next(iter(kind.profiles)),
        rules=msgspec.to_builtins(rules),
        format=wanted.format,
        games=wanted.games,
        table_size=size,
        people=wanted.people,
        programs=wanted.programs,
        pace=wanted.pace,
        entrants=[TableSeat("bot", name, name) for name in names],
    )
    if not wanted.people and not wanted.programs:
        settings_of(plan, Isolation())  # raises UsageError if there are too few players
    return plan


def settings_of(plan: TournamentPlan, isolation: Isolation) -> Settings:
    """Return the settings of a tournament that starts with the players who have entered.  Raises UsageError."""
    kind = registry.game_kind(plan.game)
    players = len(plan.entrants)
    least = max(2, kind.seats[0])
    if players < least:
        raise UsageError(f"{kind.display_name} needs at least {least} players, and this tournament has {players}.")
    size = table_size_for(kind, players, plan.table_size)
    check_seats(kind, msgspec.convert(plan.rules, kind.rules), size)
    has_guests = any(entrant.kind != "bot" for entrant in plan.entrants)
    has_untrusted = any(entrant.player and is_untrusted(kind.name, entrant.player) for entrant in plan.entrants)
    settings = Settings(
        game=kind.name,
        rules=plan.rules,
        rules_version=kind.rules_version,
        players=tuple(_spec(entrant) for entrant in plan.entrants),
        names=tuple(entrant.name for entrant in plan.entrants),
        format=plan.format,
        table_size=size,
        games=math.ceil(plan.games * players / size),
        seed=new_seed(),
        time_limit=BOT_SECONDS,
        isolated=isolation.isolates if has_untrusted else msgspec.UNSET,
        sandbox=isolation.sandbox and has_untrusted,
        withdraw_after=GUEST_FORFEITS if has_guests else WITHDRAW_AFTER,
        life=1,
        title=plan.title,
    )
    if (games_in_all(settings) or 0) > MOST_GAMES:
        raise UsageError(
            f"{games_in_all(settings)} games: a tournament on the page has at most {MOST_GAMES}. "
            "Choose fewer games for each player, or use the command wateringhole tournament."
        )
    return settings


def _spec(entrant: TableSeat) -> str:
    if entrant.kind == "bot":
        assert entrant.player is not None, "a bot has a player"
        return entrant.player
    return PERSON if entrant.kind == "person" else PROGRAM


def check_open(plan: TournamentPlan) -> None:
    """Raise OperationError if the players of a tournament can no longer change."""
    if plan.state in ("over", "cancelled"):
        raise OperationError("This tournament has ended.")
    if plan.state != "open":
        raise OperationError("This tournament has already started, so its players cannot change.")
