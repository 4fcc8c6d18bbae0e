"""The interface of a game, and the values that games and drivers share.

A game does no input or output.  It states whom it asks for what (`requests`), takes the answers
(`advance`), emits events, and holds the `outcome` at the end::

     Game ──requests──► Match ──request──► Player
      ▲                  │  ▲                 │
      └── advance ◄──────┘  └──── answer ◄────┘
      └── events ──► observers, each through `seen_by(seat)`

A `GameKind` describes a game to drivers.  Its optional parts, the facets, have their interfaces
in `facets`.  This module knows no game, and no game knows another.
"""

from __future__ import annotations

import functools
import itertools
import re
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import (
    TYPE_CHECKING,
    Any,
    ClassVar,
    Generic,
    Literal,
    NamedTuple,
    NewType,
    Protocol,
    Self,
    TypeVar,
    final,
)

import msgspec

from wateringhole.errors import UsageError, WateringHoleError
from wateringhole.formatting import choose_from, single_line
from wateringhole.options import Profile, Rules

if TYPE_CHECKING:
    from wateringhole import facets

__all__ = [
    "Answer",
    "AnyKind",
    "DealOption",
    "Emit",
    "Event",
    "Forfeit",
    "Game",
    "GameCodec",
    "GameKind",
    "Highlight",
    "Incident",
    "JsonObject",
    "Loader",
    "Notice",
    "Outcome",
    "ReportedViolation",
    "Request",
    "Seat",
    "Selection",
    "Setup",
    "Standing",
    "ThrownOut",
    "Violation",
    "emitted_types",
    "seats_of",
    "violation_of",
]

Seat = NewType("Seat", int)
"""A position at the table, counted from 0.  It stays with its player for the whole game."""


@functools.cache
def seats_of(players: int) -> tuple[Seat, ...]:
    """Return the seats of a game with this many players, in order."""
    return tuple([Seat(seat) for seat in range(players)])


Answer = Any
"""Whatever a request accepts.  Each game defines its own frozen records for it."""


def _rule_name(name: str) -> str:
    """Return the rule that a class of violations stands for: ``CardUsedTwice`` is ``card-used-twice``."""
    return re.sub(r"(?<!^)(?=[A-Z])", "-", name).lower()


class Violation(msgspec.Struct, frozen=True, tag_field="rule", tag=_rule_name):
    """A broken rule, with the parts of the answer that it concerns as fields.

    Each game derives its own.  A game's `text` turns them into sentences.
    """

    @property
    def rule(self) -> str:
        """The short name of the broken rule, e.g. ``card-used-twice``; stable, for programs."""
        return str(self.__struct_config__.tag)


class ReportedViolation(Violation, frozen=True):
    """A violation that comes with its message: from a player outside of this process, or from the referee."""

    name: str
    """The rule."""
    message: str

    @property
    def rule(self) -> str:
        return self.name


@final
class Forfeit(msgspec.Struct, frozen=True):
    """Stands in for an answer that a player failed to give.

    It is recorded like any other answer, so a game with failing players replays exactly.
    The game decides what it costs.
    """

    reason: Literal["exception", "late", "illegal", "unreadable", "disconnected", "left", "withdrawn"]
    message: str

    def __init_subclass__(cls) -> None:
        # `isinstance` takes ten times as long for these classes.
        raise TypeError("Forfeit cannot be subclassed: `type(answer) is Forfeit` recognizes every forfeit.")


class Standing(msgspec.Struct, frozen=True):
    """One line of a final ranking."""

    seat: Seat
    place: int
    """From 1.  Players who tie share a place, and the places they fill up stay empty."""
    score: int | None = None
    parts: tuple[tuple[str, int], ...] = ()
    """What the score is made of, name by name, in the order in which it should be shown."""


class ThrownOut(msgspec.Struct, frozen=True):
    """A player who left the game before its end, and why."""

    seat: Seat
    forfeit: Forfeit


class Outcome(msgspec.Struct, frozen=True):
    """The end of a game."""

    reason: str
    """Why it is over, in a few words."""
    ranking: tuple[Standing, ...]
    """Best first."""
    thrown_out: tuple[ThrownOut, ...]
    """In the order in which they went."""
    unranked: tuple[Seat, ...] = ()
    """The players still in when the game was stopped before it could rank them."""

    def places(self) -> dict[Seat, int]:
        """The place of every seat.

        Those who were not ranked share the first place that is free; those thrown out come
        last, the first of them lowest.
        """
        places = {standing.seat: standing.place for standing in self.ranking}
        taken = set(places.values())
        free = next(place for place in itertools.count(1) if place not in taken)
        places.update(dict.fromkeys(self.unranked, free))
        for thrown in reversed(self.thrown_out):
            if thrown.seat not in places:
                places[thrown.seat] = len(places) + 1
        return places


class Incident(NamedTuple):
    """A mistake of a player that it was not thrown out for."""

    seat: Seat
    request: str | None = None
    """The name of the request that was answered badly, or None if the player failed in another way."""
    rule: str | None = None
    """The name of the rule that the answer broke."""

    @property
    def is_repaired_answer(self) -> bool:
        """True if the game replaced a bad answer."""
        return self.request is not None


class Event(msgspec.Struct, frozen=True, tag_field="event", tag=str):
    """Something that happened.  Every game has its own kinds."""

    is_notice: ClassVar[bool] = False

    @property
    def incident(self) -> Incident | None:
        """The incident that this event reports, for code that judges players; humans read `Narrator.incidents`."""
        return None

    @property
    def thrown_out(self) -> ThrownOut | None:
        """The player that this event removes from the game."""
        return None

    def seen_by(self, seat: Seat | None) -> Event | None:
        """Return this event as a seat, or a spectator (None), may see it; None if it may not."""
        return self


class Notice(Event, frozen=True, tag=str):
    """A call to one player that needs no answer, e.g. the start of a turn.

    The driver passes it to the player of that seat, in order, before the next request.  A player
    that fails there forfeits as it would when asked.
    """

    is_notice: ClassVar[bool] = True

    seat: Seat

    @property
    def method(self) -> str:
        """The method it calls, which is also its name in the protocol."""
        raise NotImplementedError

    def seen_by(self, seat: Seat | None) -> Event | None:
        return self if seat == self.seat else None

    def deliver(self, player: Any) -> None:
        """Call the player's method that this notice is for."""
        raise NotImplementedError


class Selection(NamedTuple):
    """The events that something reads: some types of events, and all notices except those that no player reads."""

    events: frozenset[type[Event]] = frozenset()
    ignored_notices: frozenset[type[Event]] = frozenset()


Emit = bool | Selection
"""The events that a game emits: all, none, or a selection."""


@functools.lru_cache(maxsize=64)
def emitted_types(emit: Emit, known: frozenset[type[Event]]) -> frozenset[type[Event]]:
    """Return the types of events to emit, out of those that a game knows."""
    if isinstance(emit, bool):
        return known if emit else frozenset()
    notices = {each for each in known if each.is_notice}
    return emit.events | (notices - emit.ignored_notices)


A_co = TypeVar("A_co", covariant=True)


class Request(Protocol[A_co]):
    """Asks one seat for one answer.  It holds everything that is needed to answer it."""

    name: ClassVar[str]
    """Short name in records and in the protocol, e.g. ``declare``."""

    @property
    def seat(self) -> Seat: ...

    def accept(self, given: object) -> A_co | Violation:
        """Return the answer that an untrusted object stands for, or the rule that it breaks.

        The result depends on the request alone, and nothing changes.
        """
        ...

    def ask(self, player: Any) -> object:
        """Call the player's method that answers this request."""
        ...

    def default_answer(self) -> A_co | None:
        """Return the answer for a player that passes, or None if this request cannot be passed."""
        ...


def violation_of(request: Request[Any], given: object) -> Violation | None:
    """Return the rule that an object breaks as an answer to a request, or None if it is legal."""
    accepted = request.accept(given)
    return accepted if isinstance(accepted, Violation) else None


Q_co = TypeVar("Q_co", bound=Request[Any], covariant=True)
A_in = TypeVar("A_in", contravariant=True)
V_co = TypeVar("V_co", covariant=True)


class Game(Protocol[Q_co, A_in, V_co]):
    """A game in progress.

    Everything that enters or leaves it is frozen; its state changes in `advance` only.
    """

    @property
    def opening(self) -> Sequence[Event]:
        """What happened before the first request."""
        ...

    @property
    def requests(self) -> Mapping[Seat, Q_co]:
        """The open requests, by seat; empty exactly when `outcome` is set."""
        ...

    @property
    def upcoming(self) -> Sequence[Q_co]:
        """Requests that will follow the open ones unchanged, whatever those are answered, in their order.

        Only a forfeit can change them.  So a driver may ask these players already, and keep the
        answers until an equal request is open.  A game may list none.
        """
        ...

    @property
    def outcome(self) -> Outcome | None: ...

    def advance(self, answers: Mapping[Seat, A_in | Forfeit]) -> Sequence[Event]:
        """Take answers and continue to the next request or to the end.

        `answers` either answers every request, or holds only forfeits, of any seats: those
        players leave, and the others are asked again.  Answers must come from `accept`; any other
        is a bug of the caller and raises ValueError.
        """
        ...

    def view(self, seat: Seat | None) -> V_co:
        """Return all that a seat, or a spectator (None), may know now."""
        ...

    def copy(self, *, emit: bool = True) -> Self:
        """Return an independent game in the same state; with `emit=False` it emits no events."""
        ...


class Setup(Protocol):
    """Everything fixed before the first request, chance included."""

    @property
    def players(self) -> int: ...

    @property
    def rules(self) -> Any: ...


R = TypeVar("R", bound=Rules)
S = TypeVar("S", bound=Setup)
Q = TypeVar("Q", bound=Request[Any])
A = TypeVar("A")
V = TypeVar("V")
T_co = TypeVar("T_co", covariant=True)

JsonObject = dict[str, Any]


class GameCodec(Protocol[S, Q, A, V]):
    """A game's values as plain JSON values and back; a module can implement it.

    Each function that reads (`…_from_json`) raises ValueError with the reason when the shape is wrong.
    """

    @property
    def setup_to_json(self) -> Callable[[S], JsonObject]: ...

    @property
    def setup_from_json(self) -> Callable[[Any], S]: ...

    @property
    def answer_to_json(self) -> Callable[[Q, A], Any]:
        """`answer_to_json(request, answer)`: one format for records and every protocol."""
        ...

    @property
    def answer_from_json(self) -> Callable[[Q, Any], A]:
        """`answer_from_json(request, value)`."""
        ...

    @property
    def event_to_json(self) -> Callable[[Any], JsonObject]: ...

    @property
    def event_from_json(self) -> Callable[[Any], Event]: ...

    @property
    def request_to_json(self) -> Callable[[Q], JsonObject]:
        """The request's name as ``kind``, its view, and its other fields."""
        ...

    @property
    def request_from_json(self) -> Callable[[Any], Q]: ...

    @property
    def view_to_json(self) -> Callable[[V], JsonObject]: ...

    @property
    def view_from_json(self) -> Callable[[Any], V]: ...

    @property
    def violation_to_json(self) -> Callable[[Violation], JsonObject]:
        """The rule as ``rule``, and its other fields."""
        ...

    @property
    def violation_from_json(self) -> Callable[[Any], Violation]: ...


class Highlight(NamedTuple):
    """What makes a game worth watching: the more of it, the better."""

    name: str
    """In the singular, e.g. ``attack``."""
    is_one: Callable[[Event], bool]
    """Decided by the type of an event alone."""


class DealOption(NamedTuple):
    """A choice for `deal` beside players, rules and seed: ``--deal NAME=VALUE``."""

    name: str
    text: str
    """What it decides, for the help of commands."""
    values: str
    """The values it takes, e.g. ``ascending, shuffled or a file``."""
    parse: Callable[[str], Any]
    """Turn the typed value into the argument of `deal`.  Raises UsageError with what is wrong."""
    attach: Callable[[Any, Any], Any] | None = None
    """`attach(setup, value)` adds to a setup that was read what a record does not contain, e.g. code.  Raises
    OperationError if the value is not that of the recorded game.  None if records contain everything."""


S_contra = TypeVar("S_contra", bound=Setup, contravariant=True)


class NewGame(Protocol[S_contra, Q_co, A_in, V_co]):
    """Opens a game; with `emit=False` it emits no events.  Raises ValueError for a setup that cannot be played."""

    def __call__(self, setup: S_contra, /, *, emit: bool = True) -> Game[Q_co, A_in, V_co]: ...


class Loader(Protocol[T_co]):
    """A function with one local import: it loads a facet when a driver needs it, and mypy follows it."""

    def __call__(self) -> T_co: ...


class _Facet:
    """A loader whose errors name the game and the facet."""

    def __init__(self, game: str, name: str, load: Loader[Any]) -> None:
        self._game = game
        self._name = name
        self._load = load

    def __call__(self) -> Any:
        try:
            loaded = self._load()
        except WateringHoleError:
            raise
        except (Exception, SystemExit) as error:
            why = f"{type(error).__name__}: {single_line(str(error))}"
        else:
            if loaded is not None:
                return loaded
            why = "the loader returned None"
        raise UsageError(f"the facet {self._name} of the game {self._game!r} cannot be loaded: {why}")


_FACETS = (
    "rulebook",
    "text",
    "summary",
    "bots",
    "stepwise",
    "page",
    "compiled",
    "encoding",
    "analysis",
    "coach",
    "harnesses",
    "trials",
    "benchmarks",
    "solver",
    "protocols",
)


def _no_turn(event: Event) -> None:
    """No event opens a turn."""


def _unchanged(setup: S, players: Sequence[tuple[int, str]], previous: Any) -> S:
    """The next game of a series starts like any other."""
    return setup


@dataclass(frozen=True, kw_only=True, eq=False)
class GameKind(Generic[R, S, Q, A, V]):
    """A kind of game: everything that drivers need in order to run it without knowing it."""

    # Required

    name: str
    """The name on command lines and in records."""
    title: str
    """One line on what the game is, starting with its name and a colon."""
    seats: range
    """The numbers of players it is for."""
    rules_version: int
    """Grows when the same answers could lead to another result."""
    profiles: Mapping[str, Profile[R]]
    """Named sets of rules; the first is the default."""
    deal: Callable[..., S]
    """`deal(players, rules, seed, **choices)` makes a setup; all chance comes from the seed, an integer or a text.
    Raises UsageError if the rules do not fit the number of players."""
    new_game: NewGame[S, Q, A, V]
    codec: GameCodec[S, Q, A, V]

    # Values with defaults

    usual_seats: int | None = None
    """How many usually play; None leaves it to `fallbacks.usual_seats`."""
    turn_name: str = "turn"
    """What `turn_of` numbers, as players call it."""
    turn_of: Callable[[Event], int | None] = _no_turn
    """The number of the turn that an event opens, or None if no event of its type opens one."""
    highlight: Highlight | None = None
    """Without one, only the length of a game shows how exciting it was."""
    counted_events: frozenset[type[Event]] | None = None
    """The types of the events that open a turn, are a highlight or report a repaired answer, or None if a driver
    must look at every event."""
    new_game_emitting: Callable[[S, Selection], Game[Q, A, V]] | None = None
    """`new_game_emitting(setup, selection)` opens a game that emits only the selected events.  Without it, a match
    emits all events, even if nothing reads them."""
    deal_options: tuple[DealOption, ...] = ()
    dealt: Collection[str] | None = None
    """The fields of the setup's JSON that chance decides, which commitments cover.  None stands for all fields, if
    `next_setup` changes none."""
    next_setup: Callable[[S, Sequence[tuple[int, str]], Any], S] = _unchanged
    """`next_setup(setup, players, previous)`: a setup as the next game of a series, whose players (a
    number and a name for each seat) may know each other; `previous` is the game before, or None."""

    fold: Callable[[Seat | None], facets.ViewFold[V]] | None = None
    """`fold(seat)` rebuilds the view of a seat, or of a spectator (None), from the events that it received and
    the answers that it gave."""

    # Facets, loaded when a driver needs them; `fallbacks` has what stands in for a missing one

    rulebook: Loader[str] | None = None
    """The rules in Markdown, without the options."""
    text: Loader[facets.Text[Q, A]] | None = None
    summary: Loader[facets.Summary] | None = None
    """Makes a new observer for each game."""
    bots: Loader[facets.Bots] | None = None
    stepwise: Loader[facets.Stepwise[Q, A]] | None = None
    page: Loader[facets.Page[R, Q, A]] | None = None
    compiled: Loader[facets.Compiled] | None = None
    encoding: Loader[facets.Encoding] | None = None
    analysis: Loader[facets.Analysis] | None = None
    coach: Loader[facets.Coach[Q, A, R]] | None = None
    harnesses: Loader[Mapping[str, facets.Harness[R]]] | None = None
    trials: Loader[facets.Trials] | None = None
    solver: Loader[facets.Solver] | None = None
    benchmarks: Loader[facets.Benchmarks] | None = None
    protocols: Loader[Mapping[str, facets.ForeignProtocol[R, S, Q, A]]] | None = None
    """Foreign protocols that programs written for other hosts speak, e.g. ``course``."""

    def __post_init__(self) -> None:
        """Raises ValueError for a description that no driver could use."""
        if not re.fullmatch("[a-z][a-z0-9_-]*", self.name):
            raise ValueError(f"the name {self.name!r} must have lower-case letters, digits, _ and - only")
        if not self.seats or self.seats.step != 1 or self.seats[0] < 1:
            raise ValueError(f"seats {self.seats!r} must be a range of numbers of players, e.g. range(2, 5)")
        if not self.profiles or not all(isinstance(profile, Profile) for profile in self.profiles.values()):
            raise ValueError("profiles must name at least one Profile")
        if self.usual_seats is not None and self.usual_seats not in self.seats:
            raise ValueError(f"usual_seats {self.usual_seats} is not within {self.seats!r}")
        for part in ("deal", "new_game"):
            if not callable(getattr(self, part)):
                raise ValueError(f"{part} must be a function")
        if self.codec is None:
            raise ValueError("codec must turn values into JSON and back")
        for name in _FACETS:
            if (load := getattr(self, name)) is not None:
                object.__setattr__(self, name, _Facet(self.name, name, load))

    @property
    def rules(self) -> type[R]:
        """The record of all options."""
        return type(self.default_rules)

    def dealt_part(self, setup: S) -> JsonObject:
        """Return what chance has decided in a setup, as JSON."""
        if self.dealt is None:
            return self.codec.setup_to_json(setup) if self.next_setup is _unchanged else {}
        fields = self.codec.setup_to_json(setup) if self.dealt else {}
        return {name: fields[name] for name in self.dealt}

    def deal_option(self, name: str) -> DealOption:
        """Return an option of `deal`.  Raises UsageError if there is none of this name."""
        for option in self.deal_options:
            if option.name == name:
                return option
        choose = choose_from(name, [option.name for option in self.deal_options]) if self.deal_options else ""
        raise UsageError(f"{self.name} has no deal option {name!r}. {choose}".rstrip())

    def attach(self, setup: S, choices: Mapping[str, Any]) -> S:
        """Return a setup that was read, with what the choices of its deal add that no record contains."""
        for name, value in choices.items():
            if attach := self.deal_option(name).attach:
                setup = attach(setup, value)
        return setup

    @property
    def display_name(self) -> str:
        """The game's name as humans write it."""
        return self.title.partition(":")[0]

    @property
    def default_rules(self) -> R:
        return next(iter(self.profiles.values())).rules


AnyKind = GameKind[Any, Any, Any, Any, Any]
"""A kind whose types are unknown: what the registry returns."""
