"""Random games for the conformance kit: who answers what, and how a broken rule is worded."""

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
    """A game breaks a rule of the interface.  The text is one sentence."""


MOST_PLAYERS = 10
"""Larger tables take long and show nothing new."""


def sizes(kind: AnyKind, most: int = MOST_PLAYERS) -> Sequence[int]:
    """Return the fewest, the usual and the most players of a game, the latter at most `most` or as usual."""
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
        """How often the game has advanced."""

    def __str__(self) -> str:
        when = f"after {pluralize(self.steps, 'step')}" if self.steps else "at the start"
        return f"{self.kind.name} under {self.profile} with {self.players} players and seed {self.seed}, {when}"

    def fail(self, sentence: str) -> NoReturn:
        raise NonConforming(f"{self}: {sentence}")

    def expect(self, holds: bool, sentence: str) -> None:
        if not holds:
            self.fail(sentence)

    @contextlib.contextmanager
    def calling(self, what: str) -> Iterator[None]:
        """Turn what a part of the game raises into a sentence."""
        try:
            yield
        except NonConforming:
            raise
        except Exception as error:
            self.fail(f"{what} raised {type(error).__name__}: {single_line(str(error))}")


def plain(case: Case, what: str, value: Any) -> Any:
    """Return a value as it comes back from JSON.  Fails if it does not consist of plain JSON values."""
    try:
        return json.loads(json.dumps(value, allow_nan=False))
    except (TypeError, ValueError, RecursionError) as error:
        case.fail(f"the JSON of {what} is not made of plain values: {single_line(str(error))}")


def snapshot(case: Case, game: Game[Any, Any, Any]) -> dict[str, Any]:
    """Return all that can be seen of a game from outside."""
    codec = case.kind.codec
    with case.calling("looking at the game"):
        return {
            **{f"view({seat})": codec.view_to_json(game.view(seat)) for seat in (None, *case.seats)},
            "requests": {seat: codec.request_to_json(request) for seat, request in game.requests.items()},
            "upcoming": [codec.request_to_json(request) for request in game.upcoming],
            "outcome": None if game.outcome is None else msgspec.to_builtins(game.outcome),
        }


def make_bot(factory: Any, seed: int) -> Player:
    """Return a player; a factory that takes a seed gets one."""
    try:
        takes_seed = "seed" in inspect.signature(factory).parameters
    except (TypeError, ValueError):
        takes_seed = False
    player: Player = factory(seed=seed) if takes_seed else factory()
    return player


class Pilots:
    """Answer at random: with a listed option or the default answer, else as one of the game's usual bots.

    A bot is made for the one request, which by the interface holds all that is needed to answer it.
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
                "expected one of these"
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
