"""Random games for the conformance kit, with their answers and the messages for broken rules."""

from __future__ import annotations

import contextlib
import inspect
import json
import random
from collections.abc import Iterator, Sequence
from typing import Any, NoReturn

import msgspec

from wateringhole import fallbacks
from wateringhole.formatting import pluralize, short_repr, single_line
from wateringhole.game import Answer, AnyKind, Forfeit, Game, Request, Seat, Violation
from wateringhole.player import Player, SeatAssignment

__all__ = ["FORFEIT", "MOST_PLAYERS", "Case", "NonConforming", "Pilots", "make_bot", "plain", "sizes", "snapshot"]


class NonConforming(AssertionError):
    """A rule of the interface that a game breaks.  The text names it."""


MOST_PLAYERS = 10
"""The most players of a test: larger tables take long and find nothing more."""


def sizes(kind: AnyKind, most: int = MOST_PLAYERS) -> Sequence[int]:
    """Return the fewest, the usual and the most players of a game, with at most `most` unless more are usual."""
    usual = fallbacks.usual_seats(kind)
    return tuple(dict.fromkeys((kind.seats[0], usual, max(usual, min(kind.seats[-1], most)))))


class Case:
    """A game under test: a kind, a profile, a number of players and a seed."""

    def __init__(self, kind: AnyKind, profile: str, players: int, seed: int) -> None:
        self.kind = kind
        self.profile = profile
        self.rules = kind.profiles[profile].rules
        self.players = players
        self.seed = seed
        self.seats = [Seat(seat) for seat in range(players)]
        self.steps = 0
        """The number of steps that the game has advanced."""

    def __str__(self) -> str:
        when = f"after {pluralize(self.steps, 'step')}" if self.steps else "at the start"
        return f"{self.kind.name} under {self.profile} with {self.players} players and seed {self.seed}, {when}"

    def fail(self, message: str) -> NoReturn:
        raise NonConforming(f"{self}: {message}")

    def expect(self, holds: bool, message: str) -> None:
        if not holds:
            self.fail(message)

    @contextlib.contextmanager
    def calling(self, what: str) -> Iterator[None]:
        """Report an exception of a part of the game as a broken rule."""
        try:
            yield
        except NonConforming:
            raise
        except Exception as error:
            self.fail(f"{what} raised {type(error).__name__}: {single_line(str(error))}")


def plain(case: Case, what: str, value: Any) -> Any:
    """Return a value after a round trip through JSON.  Fails if it does not consist of plain JSON values."""
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        case.fail(f"the JSON of {what} is not made of plain values: {single_line(str(error))}")


def snapshot(case: Case, game: Game[Any, Any, Any]) -> dict[str, Any]:
    """Return the visible state of a game."""
    codec = case.kind.codec
    with case.calling("reading the game"):
        return {
            **{f"view({seat})": codec.view_to_json(game.view(seat)) for seat in (None, *case.seats)},
            "requests": {seat: codec.request_to_json(request) for seat, request in game.requests.items()},
            "upcoming": [codec.request_to_json(request) for request in game.upcoming],
            "outcome": None if game.outcome is None else msgspec.to_builtins(game.outcome),
        }


def make_bot(factory: Any, seed: int) -> Player:
    """Return a new player.  A factory with a parameter `seed` gets one."""
    try:
        takes_seed = "seed" in inspect.signature(factory).parameters
    except (TypeError, ValueError):
        takes_seed = False
    player: Player = factory(seed=seed) if takes_seed else factory()
    return player


class Pilots:
    """A source of random answers: a listed option, or the default answer, or the answer of one of the usual bots.

    Each request gets a new bot, because a request holds everything that is needed to answer it.
    """

    def __init__(self, case: Case, chance: random.Random) -> None:
        self._case = case
        self._chance = chance
        bots = case.kind.bots() if case.kind.bots else None
        self._bots = {name: bots.players[name].load() for name in bots.usual} if bots else {}
        self._names = tuple(f"player {seat + 1}" for seat in case.seats)

    def answer(self, request: Request[Any]) -> Answer:
        """Return an answer that the request has accepted."""
        case, chance = self._case, self._chance
        options = getattr(request, "options", None)
        with case.calling(f"default_answer of {request.name}"):
            default = request.default_answer()
        if options:
            given, source = chance.choice(options), "one of its own options,"
        elif default is not None:
            given, source = default, "its default answer"
        elif self._bots:
            name = chance.choice(sorted(self._bots))
            with case.calling(f"the bot {name}, asked to {request.name},"):
                bot = make_bot(self._bots[name], chance.randrange(2**32))
                bot.on_seated(SeatAssignment(request.seat, self._names, case.rules))
                given = bot.answer(request)
            source = f"the answer of the bot {name},"
        else:
            case.fail(
                f"the request {request.name} has neither options nor a default answer, and the game has no usual bots; "
                "expected at least one"
            )
        with case.calling(f"accept of {request.name}"):
            accepted = request.accept(given)
        if isinstance(accepted, Violation):
            case.fail(f"the request {request.name} rejects {source} {short_repr(given)}, as {accepted.rule}")
        return accepted

    def other_answer(self, request: Request[Any], first: Answer) -> Answer | None:
        """Return an accepted answer that differs from the first, or None if none was found."""
        for _ in range(8):
            if (answer := self.answer(request)) != first:
                return answer
        return None


FORFEIT = Forfeit("left", "left to test the game")
