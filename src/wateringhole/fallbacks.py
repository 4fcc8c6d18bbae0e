"""What stands in for a facet that a game does not provide, so that drivers never test for one."""

from __future__ import annotations

import importlib
import itertools
from collections.abc import Callable, Mapping, Sequence
from importlib.resources.abc import Traversable
from typing import Any, TypeVar

import msgspec

from wateringhole.errors import UsageError
from wateringhole.facets import (
    PROGRAM,
    Benchmarks,
    Bot,
    ForeignProtocol,
    Narrator,
    Page,
    Reader,
    Summary,
    Text,
    TranslatedPage,
    Trial,
    Trials,
)
from wateringhole.formatting import escape
from wateringhole.game import AnyKind, Event, Loader, Notice, ReportedViolation, Request, Seat, Violation
from wateringhole.player import InProcess, PlayerLeft

__all__ = [
    "benchmarks",
    "bots",
    "filler",
    "page",
    "player_base",
    "protocols",
    "public_name",
    "require",
    "rulebook",
    "sentence_for",
    "summary",
    "templates",
    "text",
    "text_language",
    "trials",
    "usual_bots",
    "usual_seats",
]

T = TypeVar("T")


class DefaultPlayer(InProcess):
    """Gives the default answer to every request, and fails where there is none."""

    def answer(self, request: Request[Any], seconds: float | None = None) -> object:
        answer = request.default_answer()
        if answer is None:
            raise PlayerLeft(f"a request to {request.name} has no default answer")
        return answer

    def on_notice(self, notice: Notice) -> None:
        pass


_DEFAULT_BOTS = {"default": Bot(lambda: DefaultPlayer, fast=True)}

USUAL_SEATS = 4


def require(facet: Loader[T] | None, refusal: str) -> T:
    """Load a facet.  Raises UsageError with `refusal` if the game does not provide it."""
    if facet is None:
        raise UsageError(refusal)
    return facet()


def check_compiled(kind: AnyKind) -> None:
    """Raises UsageError for a game that is not compiled.  Loads nothing, so it needs no extra."""
    if kind.compiled is None:
        instead = f"play it with: wateringhole tournament {kind.name} …"
        raise UsageError(f"{kind.name} is not compiled, so it cannot be simulated; {instead}")


def text(kind: AnyKind) -> Text[Any, Any]:
    """Return the game's text, or one that prints names and fields."""
    return kind.text() if kind.text else _PlainText(kind)


def text_language(text: Text[Any, Any], language: str) -> str:
    """Return a language if a game has texts in it, otherwise English."""
    return language if language in getattr(text, "languages", ()) else "en"


def sentence_for(kind: AnyKind, violation: Violation, reader: Reader = PROGRAM, language: str = "en") -> str:
    """Return a violation as a clause; one that comes with its message keeps that."""
    if isinstance(violation, ReportedViolation):
        return violation.message
    own = text(kind)
    return own.violation(violation, reader, text_language(own, language))


def summary(kind: AnyKind) -> Summary:
    """Return the game's observer of details, or one that collects none."""
    return kind.summary() if kind.summary else _NoSummary()


def page(kind: AnyKind, language: str = "en") -> Page[Any, Any, Any]:
    """Return how the page draws the game: the game's own view, or the plain one.

    Its texts are in the language, if the game has any in it.
    """
    if kind.page:
        own = kind.page()
        return own.in_language(language) if isinstance(own, TranslatedPage) else own
    from wateringhole.plain_page import PlainPage

    words = text(kind)
    return PlainPage(kind, words, text_language(words, language))


def bots(kind: AnyKind) -> Mapping[str, Bot]:
    """Return the game's own players by name; a game without bots has the one that gives default answers."""
    players = kind.bots().players if kind.bots else {}
    return players if any(not bot.human for bot in players.values()) else {**players, **_DEFAULT_BOTS}


def usual_bots(kind: AnyKind, seats: int | None = None) -> tuple[str, ...]:
    """Return the bots for examples and empty seats, the simplest first; with `seats`, exactly that many, repeated
    in turn."""
    usual = kind.bots().usual if kind.bots else ()
    usual = usual or tuple(name for name, bot in bots(kind).items() if not bot.human)
    return usual if seats is None else tuple(itertools.islice(itertools.cycle(usual), seats))


def filler(kind: AnyKind) -> str:
    """Return the bot for the seats that a comparison leaves empty."""
    return (kind.bots().filler if kind.bots else None) or usual_bots(kind)[0]


def protocols(kind: AnyKind) -> Mapping[str, ForeignProtocol[Any, Any, Any, Any]]:
    """Return the foreign protocols by name that the game can be played over; often none."""
    return kind.protocols() if kind.protocols else {}


def templates(kind: AnyKind) -> Mapping[str, Traversable]:
    """Return the game's templates for a bot, by style; there may be none."""
    return kind.bots().templates if kind.bots else {}


def player_base(kind: AnyKind) -> type[Any]:
    """Return the class that players of the game derive from."""
    return kind.bots().base if kind.bots else InProcess


def public_name(base: type[Any]) -> str:
    """Return where authors import a class from: the outermost package that offers it."""
    packages = itertools.accumulate(base.__module__.split("."), "{}.{}".format)
    offered = (each for each in packages if getattr(importlib.import_module(each), base.__name__, None) is base)
    return f"{next(offered)}.{base.__name__}"


def rulebook(kind: AnyKind) -> str:
    """Return the game's rules in Markdown, or its title."""
    return kind.rulebook() if kind.rulebook else f"# {kind.title}\n"


def usual_seats(kind: AnyKind) -> int:
    """Return how many usually play."""
    return kind.usual_seats or max(kind.seats[0], min(kind.seats[-1], USUAL_SEATS))


def trials(kind: AnyKind) -> Trials:
    """Return the game's trials for `check`, or games with the fewest, the usual and the most players."""
    if kind.trials:
        return kind.trials()
    other = usual_bots(kind)[0]
    tables = itertools.product(kind.profiles, _sizes(kind))
    games = [
        Trial(f"{size} players under {profile}", (profile,), (other,) * (size - 1), 0, seed)
        for seed, (profile, size) in enumerate(tables, 1)
    ]
    return Trials(tuple(games))


def benchmarks(kind: AnyKind) -> Benchmarks:
    """Return what `bench` measures of the game, or tables of its usual bots; then nothing is simulated."""
    if kind.benchmarks:
        return kind.benchmarks()
    usual = usual_bots(kind)
    entered = min(max(len(usual), kind.seats[0]), kind.seats[-1])
    repeated = enumerate(usual_bots(kind, entered)[len(usual) :], 2)
    entrants = (*usual[:entered], *(f"{bot} {number}={bot}" for number, bot in repeated))
    return Benchmarks(usual[0], _sizes(kind), entrants)


def _sizes(kind: AnyKind) -> tuple[int, ...]:
    """Return the fewest, the usual and the most players."""
    return tuple(dict.fromkeys((kind.seats[0], usual_seats(kind), kind.seats[-1])))


class _PlainText:
    """Names and fields instead of sentences."""

    def __init__(self, kind: AnyKind) -> None:
        self._kind = kind

    def violation(self, violation: Violation, reader: Reader, language: str = "en") -> str:
        if isinstance(violation, ReportedViolation):
            return violation.message
        parts = {name: value for name, value in msgspec.to_builtins(violation).items() if name != "rule"}
        return f"{violation.rule}{_fields(parts)}"

    def answer(self, request: Any, answer: Any, reader: Reader, language: str = "en") -> str:
        value = self._kind.codec.answer_to_json(request, answer)
        return f"{request.name} {msgspec.json.encode(value).decode()}"

    def narrator(self, names: Sequence[str], seat: Seat | None = None, language: str = "en") -> Narrator:
        return _PlainNarrator(self._kind, names, seat)


class _PlainNarrator:
    def __init__(self, kind: AnyKind, names: Sequence[str], seat: Seat | None) -> None:
        self._kind = kind
        self._names = names
        self._seat = seat

    def narrate(self, event: Event) -> Sequence[str]:
        seen = event if self._seat is None else event.seen_by(self._seat)
        if seen is None or isinstance(seen, Notice):
            return ()
        fields = self._kind.codec.event_to_json(seen)
        name = fields.pop("event")
        seat = fields.pop("seat", None)
        player = "" if seat is None else f"{self._names[seat]}: "
        return (escape(f"{player}{name}{_fields(fields)}"),)

    def incidents(self, event: Event) -> Sequence[str]:
        return self.narrate(event) if event.incident else ()


def _fields(fields: dict[str, Any]) -> str:
    listed = ", ".join(f"{name} {msgspec.json.encode(value).decode()}" for name, value in fields.items())
    return f" ({listed})" if listed else ""


class _NoSummary:
    def see(self, event: Event) -> None:
        pass

    def to_json(self, number: Callable[[Seat], int]) -> dict[str, Any]:
        return {}
