"""The compiled game of Porrinha and the core side by side, compared after every decision."""

from __future__ import annotations

import json
import random
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt

from wateringhole.game import Seat
from wateringhole.games.porrinha import NO_SEAT, Core, Rules, Setup, View, deal
from wateringhole.games.porrinha.compiled import layout
from wateringhole.games.porrinha.compiled.options import setup as row_before
from wateringhole.games.porrinha.compiled.rules import engine
from wateringhole.games.porrinha.rules.codec import setup_from_json, setup_to_json
from wateringhole.sim.kernel import entry

__all__ = ["Pair", "play_both", "random_answer", "random_setup", "replay"]

Row = npt.NDArray[np.int32]


@entry
def _deal(row: Any, before: Any) -> None:
    engine.deal(row, before, 0, 0)


@entry
def _apply(row: Any, action: int) -> None:
    engine.apply(row, action)


@entry
def _look(row: Any, mask: Any) -> Any:
    engine.legal(row, mask)
    return engine.acting_seat(row), engine.decision_type(row)


@entry
def _observe(row: Any, seat: int, out: Any) -> None:
    engine.observe(row, seat, out)


class Pair:
    """One game in both engines, answer by answer."""

    def __init__(self, setup: Setup) -> None:
        self.setup = setup
        self.core = Core(setup, emit=False)
        self.row: Row = np.zeros(layout.STATE, layout.DTYPE)
        _deal(self.row, row_before(setup.rules, setup.players))
        self._hands: dict[Seat, int] = {}
        """Hands that the row has and the core does not, because it takes all at once."""

    @property
    def is_over(self) -> bool:
        return self.core.outcome is not None

    def asked(self) -> Seat:
        """Return the seat to answer next, in the core's order."""
        return next(seat for seat in self.core.requests if seat not in self._hands)

    def options(self) -> list[int]:
        return list(self.core.requests[self.asked()].options)

    def answer(self, answer: int) -> None:
        seat = self.asked()
        _apply(self.row, answer)
        if self.core.requests[seat].name == "guess":
            self.core.advance({seat: answer})
            return
        self._hands[seat] = answer
        if len(self._hands) == len(self.core.requests):
            self.core.advance(self._hands)
            self._hands = {}

    def disagreement(self) -> str | None:
        """Return the first difference, or None."""
        mask = np.zeros(layout.ACTIONS, np.uint8)
        acting, decision_type = _look(self.row, mask)
        legal = np.flatnonzero(mask).tolist()
        if self.core.outcome is not None:
            expected: tuple[Any, ...] = (NO_SEAT, "over", [])
        else:
            seat = self.asked()
            request = self.core.requests[seat]
            expected = (seat, {"hand": "hide"}.get(request.name, request.name), list(request.options))
        found = (acting, layout.DECISION_TYPES[decision_type], legal)
        if found != expected:
            return f"acting seat, decision type and legal actions: {found}, but {expected} in the core"
        for seat in map(Seat, range(self.setup.players)):
            if (seen := self._view(seat)) != (view := self.core.view(seat)):
                return f"view of seat {seat}: {seen}, but {view} in the core"
        return self._difference_of_results()

    def _difference_of_results(self) -> str | None:
        outcome = self.core.outcome
        if outcome is None:
            return None
        row, players = self.row, self.setup.players
        places = {Seat(seat): int(row[layout.PLACE + seat]) for seat in range(players)}
        found = places, int(row[layout.ROUND]), "max_rounds" if row[layout.STOPPED] else "finished"
        expected = outcome.places(), outcome.rounds, outcome.reason
        return None if found == expected else f"result: {found}, but {expected} in the core"

    def _view(self, seat: Seat) -> View:
        """Return the observation of a seat as a view of the core."""
        out = np.zeros(layout.OBSERVATION, np.int32)
        _observe(self.row, seat, out)
        numbers = out.tolist()
        players = self.setup.players

        def by_seat(start: int) -> tuple[int, ...]:
            end = start + players
            return (*numbers[end - seat : end], *numbers[start : end - seat])

        def absolute(step: int) -> int:
            return NO_SEAT if step == NO_SEAT else (step + seat) % players

        return View(
            player_count=numbers[1],
            active_player_count=numbers[2],
            chopstick_count=numbers[3],
            chopsticks=by_seat(9),
            guess=by_seat(17),
            hand=by_seat(25),
            last_winner=absolute(numbers[8]),
            lead=Seat(absolute(numbers[7])),
            round=numbers[4],
            lowest_hand=numbers[5],
            own_hand=numbers[6],
        )


def play_both(setup: Setup, answer: Callable[[Pair], int]) -> int:
    """Play a game in both engines.  Return the number of decisions, or fail with a record for `replay`."""
    pair = Pair(setup)
    answers: list[int] = []
    while True:
        wrong = pair.disagreement()
        assert wrong is None, f"{wrong}\nafter {_record(setup, answers)}"
        if pair.is_over:
            return len(answers)
        answers.append(answer(pair))
        pair.answer(answers[-1])


def _record(setup: Setup, answers: list[int]) -> str:
    return json.dumps({"setup": setup_to_json(setup), "answers": answers})


def replay(record: str) -> Pair:
    """Return both engines after the answers of a record."""
    content = json.loads(record)
    pair = Pair(setup_from_json(content["setup"]))
    for answer in content["answers"]:
        pair.answer(answer)
    return pair


def random_setup(rng: random.Random) -> Setup:
    """Return a setup with random players and options, mostly few players, whose games are short."""
    players = rng.choice([2, 2, 3, rng.randint(2, layout.MOST_PLAYERS)])
    most = min(layout.MOST_STICKS, layout.MOST_TABLE // players)
    own = tuple(rng.randint(1, min(most, 5)) for _ in range(players))
    sticks: list[int | tuple[int, ...]] = [rng.randint(1, 3), 3, own, rng.randint(1, most)]
    rules = Rules(
        sticks=rng.choice(sticks),
        opening_zero=rng.choice(["allowed", "forbidden"]),
        lead_after_win=rng.choice(["winner", "rotate"]),
        finish=rng.choice(["last_loses", "last_loses", "first_out_wins"]),
        taken_guess=rng.choice(["void", "again"]),
        max_rounds=rng.choice([None, None, rng.randint(1, 40)]),
        on_failure=rng.choice(["remove", "repair"]),
        closing_call=rng.choice(["end_game", "begin_game"]),
        end_round_to=rng.choice(["all", "played"]),
        end_round_from=rng.choice(["this", "next"]),
        absent_hand=rng.choice(["none", "stale"]),
        last_winner=rng.choice(["settled", "live"]),
        opening_guesses=rng.choice(["pending", "stale"]),
    )
    return deal(players, rules)


def random_answer(rng: random.Random, bad: float) -> Callable[[Pair], int]:
    """Return a function that gives legal answers, and sometimes any number."""

    def answer(pair: Pair) -> int:
        if rng.random() < bad:
            taken = [guess for guess in pair.core.view(None).guess if guess >= 0]
            return rng.choice([-1, -4, 200, rng.randint(0, layout.MOST_TABLE), *taken, *taken, *taken])
        return rng.choice(pair.options())

    return answer
