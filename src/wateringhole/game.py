"""The promise every game keeps, and the few words that games and drivers share.

A game does no input or output.  It says whom it asks what (`requests`), takes the answers
(`advance`), says what happened (events) and, at the end, how it went (`outcome`)::

     Game ──requests──► Match ──request──► Player
      ▲                  │  ▲                 │
      └── advance ◄──────┘  └──── answer ◄────┘
      └── events ──► observers, each through `seen_by(seat)`

This module knows no game, and no game knows another.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, Literal, NamedTuple, NewType, Protocol, Self, TypeVar

import msgspec

from wateringhole.options import Rules

__all__ = [
    "Answer",
    "Event",
    "Forfeit",
    "Game",
    "Highlight",
    "Kind",
    "Narrator",
    "Notice",
    "Outcome",
    "Request",
    "Seat",
    "Setup",
    "Slip",
    "Standing",
    "Summary",
    "ThrownOut",
    "Violation",
    "Wire",
]

Seat = NewType("Seat", int)
"""A place at the table, counted from 0.  It stays with its player for the whole game."""

Answer = Any
"""Whatever a request accepts.  Each game defines its own frozen records for it."""


class Violation(msgspec.Struct, frozen=True):
    """Why an answer is not legal."""

    rule: str
    """Short name of the broken rule, e.g. ``card-used-twice``; stable, for programs."""
    message: str
    """One sentence that names the offending part, for people."""


class Forfeit(msgspec.Struct, frozen=True):
    """Stands in for an answer that a player failed to give.

    It is recorded like any other answer, so a game with failing players replays exactly.
    What it costs is for the game to say.
    """

    reason: Literal["exception", "late", "illegal", "unreadable", "disconnected", "left"]
    message: str


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
    """How a game ended."""

    reason: str
    """Why it is over, in a few words."""
    ranking: tuple[Standing, ...]
    """Best first."""
    thrown_out: tuple[ThrownOut, ...]
    """In the order in which they went."""
    unranked: tuple[Seat, ...] = ()
    """Those still in when the game was stopped before it could rank them."""

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


class Slip(NamedTuple):
    """What a player did wrong and was not thrown out for."""

    seat: Seat
    request: str | None = None
    """The kind of the question that was answered badly; None: it failed in another way."""
    rule: str | None = None
    """The name of the rule that the answer broke."""


class Event(msgspec.Struct, frozen=True, tag_field="event", tag=str):
    """Something that happened.  Every game has its own kinds."""

    @property
    def slip(self) -> Slip | None:
        """The slip that this event tells of, for those who judge players; people read `Narrator.faults`."""
        return None

    def seen_by(self, seat: Seat | None) -> Event | None:
        """This event as a seat may see it (None: the public gallery), or None if not at all."""
        return self


class Notice(Event, frozen=True, tag=str):
    """A call upon one player that needs no answer, e.g. the start of a turn.

    The driver passes it to the player of that seat, in order, before anybody is asked
    anything.  A player that fails there forfeits as it would when asked.
    """

    seat: Seat

    @property
    def method(self) -> str:
        """The method it calls, which is also its name on wires."""
        raise NotImplementedError

    def seen_by(self, seat: Seat | None) -> Event | None:
        return self if seat == self.seat else None

    def tell(self, player: Any) -> None:
        """Call the method of a player that this notice is for."""
        raise NotImplementedError


class Request(Protocol):
    """A question to one player.  It holds everything that is needed to answer it."""

    kind: ClassVar[str]
    """Short name on records and wires, e.g. ``declare``."""

    @property
    def seat(self) -> Seat:
        """Who is asked."""
        ...

    def check(self, answer: Answer) -> Violation | None:
        """What is wrong with an answer.  Depends on the request alone and changes nothing."""
        ...

    def ask(self, player: Any) -> Answer:
        """Call the method of a player that answers this request."""
        ...

    def plainest(self) -> Answer | None:
        """The plainest legal answer, for a player that passes; None: there is none."""
        ...


class Game(Protocol):
    """A game in progress.

    Everything that crosses its border is frozen; the table inside changes in `advance` only.
    """

    @property
    def opening(self) -> Sequence[Event]:
        """What happened before the first question."""
        ...

    @property
    def requests(self) -> Mapping[Seat, Request]:
        """Everybody asked now; empty exactly when `outcome` is set."""
        ...

    @property
    def foreseen(self) -> Sequence[Request]:
        """Questions that follow the open ones, word for word, whatever those are answered; in their order.

        Only a forfeit can change them.  So their players may be asked already, and the answers kept
        until an equal request is there.  A game may foresee none.
        """
        ...

    @property
    def outcome(self) -> Outcome | None: ...

    def advance(self, answers: Mapping[Seat, Answer | Forfeit]) -> Sequence[Event]:
        """Take answers and go on to the next question or to the end.

        `answers` either answers every request, or holds forfeits alone, of any seats: then
        those leave and the others are asked anew; no answers at all change nothing.  Answers
        must have passed `check`; one that would not is a bug of the caller and raises ValueError.
        """
        ...

    def view(self, seat: Seat | None) -> Any:
        """All that a seat may know now; None is the public gallery."""
        ...

    def copy(self, *, quiet: bool = False) -> Self:
        """An independent game in the same state; a quiet one tells no events."""
        ...


class Setup(Protocol):
    """All that is decided before a game starts, chance included."""

    @property
    def players(self) -> int: ...

    @property
    def rules(self) -> Any: ...


class Narrator(Protocol):
    """Tells the events of one game in English, as one seat (None: all-seeing) knows them."""

    def tell(self, event: Event) -> Sequence[str]:
        """The lines to print for an event, with Rich markup; often none."""
        ...

    def faults(self, event: Event) -> Sequence[str]:
        """Lines for the error stream: what a player did wrong and was not thrown out for."""
        ...


class Summary(Protocol):
    """An observer that keeps what a program may want to know of a game besides its ranking."""

    def see(self, event: Event) -> None: ...

    def to_json(self, number: Callable[[Seat], int]) -> dict[str, Any]:
        """The fields to tell; `number` says what each seat is called outside of the game."""
        ...


class Wire(Protocol):
    """A game's values as plain JSON values and back; a module keeps this promise.

    What reads (`…_from_json`) raises ValueError with a sentence when the shape is wrong.
    """

    @property
    def setup_to_json(self) -> Callable[[Any], dict[str, Any]]: ...

    @property
    def setup_from_json(self) -> Callable[[Any], Any]: ...

    @property
    def answer_to_json(self) -> Callable[[Any, Any], Any]:
        """`answer_to_json(request, answer)`; one format for records and all wires."""
        ...

    @property
    def answer_from_json(self) -> Callable[[Any, Any], Answer]:
        """`answer_from_json(request, value)`."""
        ...

    @property
    def event_to_json(self) -> Callable[[Event], dict[str, Any]]: ...

    @property
    def event_from_json(self) -> Callable[[Any], Event]: ...

    @property
    def request_to_json(self) -> Callable[[Any], dict[str, Any]]:
        """Kind and view, and what else belongs to a request."""
        ...

    @property
    def request_from_json(self) -> Callable[[Any], Any]: ...

    @property
    def view_to_json(self) -> Callable[[Any], dict[str, Any]]: ...


class Highlight(NamedTuple):
    """What makes a game worth watching: the more of it, the better."""

    name: str
    """In the singular, e.g. ``attack``."""
    is_one: Callable[[Event], bool]
    """Told by the type of an event alone."""


R = TypeVar("R", bound=Rules)
S = TypeVar("S", bound=Setup)


@dataclass(frozen=True, kw_only=True)
class Kind(Generic[R, S]):
    """A kind of game: all that drivers need in order to run it without knowing it."""

    name: str
    title: str
    """One line on what the game is."""
    seats: range
    """How many can play."""
    rules: type[R]
    profiles: Mapping[str, R]
    """Named sets of rules; the first is the default."""
    rules_version: int
    """Grows when the same answers could lead to another result."""
    deal: Callable[..., S]
    """`deal(players, rules, seed, **choices)` makes a setup, all chance decided."""
    new_game: Callable[..., Any]
    """`new_game(setup)` opens a game; with `quiet=True` one that tells no events."""
    wire: Wire
    """The module that turns the game's values into JSON and back."""
    narrator: Callable[..., Narrator]
    """`narrator(names, seat)`."""
    summary: Callable[[], Summary]
    rulebook: Callable[[], str]
    """The rules in Markdown, without the options."""
    turn_of: Callable[[Event], int | None]
    """The number of the turn (or round) that an event opens; None: it opens none, nor does any other of its type."""
    turn_name: str = "turn"
    """What `turn_of` numbers, as players call it."""
    highlight: Highlight | None = None
    """None: only the length of a game tells how exciting it was."""
    settle_in: Callable[[S, Sequence[tuple[int, str]], Any], S] = lambda setup, guests, previous: setup
    """`settle_in(setup, guests, previous)`: a setup as the next game of a series, whose guests (a
    number and a name for each seat) may know each other; `previous` is the game before, or None."""
