"""The search player decides from what its seat knows, within its budget."""

from __future__ import annotations

import importlib
import itertools
import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

import wateringhole as wh
from tests.games.evolution.trait_files import EXAMPLE
from wateringhole.errors import OperationError, UsageError
from wateringhole.game import Event, violation_of
from wateringhole.games.evolution import DeclareCards, FeedNext
from wateringhole.games.evolution.bots.champion.player import Champion
from wateringhole.games.evolution.bots.greedy import Greedy
from wateringhole.games.evolution.bots.search.memory import Memory
from wateringhole.games.evolution.rules.cards import CARDS, TraitCard
from wateringhole.games.evolution.rules.game import Dealer
from wateringhole.games.evolution.rules.options import PROFILES
from wateringhole.games.evolution.rules.setup import deal
from wateringhole.player import SeatAssignment

pytest.importorskip("numba", reason="the search player needs numba, which is not installed")
player = importlib.import_module("wateringhole.games.evolution.bots.search.player")
race = importlib.import_module("wateringhole.games.evolution.bots.search.race")
Search: type[Any] = player.Search
Race: type[Any] = race.Race

DEALT = 4
"""The cards of each player in the first turn."""


# Games


@pytest.mark.parametrize(("players", "profile"), [(3, "reference"), (5, "course")])
def test_the_same_seed_gives_the_same_game(players: int, profile: str) -> None:
    seated = ["search?simulations=48&candidates=4&seed=7", *["silly"] * (players - 1)]
    games = [wh.play("evolution", seated, seed=3, rules=profile) for _ in range(2)]
    assert games[0].outcome.thrown_out == ()
    assert games[0].outcome == games[1].outcome


@pytest.mark.parametrize("choice", [{"rules": "own_attacks=true"}, {"traits": EXAMPLE}], ids=["rules", "custom traits"])
def test_it_answers_like_the_champion_where_the_engine_does_not_support_the_rules(choice: dict[str, Any]) -> None:
    games = [wh.play("evolution", [bot, "silly", "random"], seed=3, **choice) for bot in ("search", "champion")]
    assert games[0].outcome == games[1].outcome


def test_one_simulation_cannot_replace_the_champions_answer() -> None:
    games = [wh.play("evolution", [bot, "silly", "silly"], seed=5) for bot in ("search?simulations=1", "champion")]
    assert games[0].outcome == games[1].outcome


# Knowledge


def test_a_declaration_does_not_depend_on_the_hands_of_others_and_the_deck() -> None:
    deck = _shuffled(1)
    true, other = (_declaration(cards) for cards in (deck, deck[:DEALT] + deck[:DEALT:-1] + deck[DEALT : DEALT + 1]))
    assert true == other
    assert _answer(true) == _answer(other)


def test_a_feeding_does_not_depend_on_the_deck() -> None:
    deck = _shuffled(0)
    true, other = (_feeding(cards) for cards in (deck, deck[: 3 * DEALT] + deck[: 3 * DEALT - 1 : -1]))
    assert true == other
    assert len(true.options) > 1
    assert _answer(true) == _answer(other)


def test_bags_follow_from_the_food_on_boards() -> None:
    memories: list[Memory] = []

    class Remembering(Greedy):
        wants_events = True

        def on_seated(self, assignment: SeatAssignment) -> None:
            self._memory = Memory(assignment.seat)
            memories.append(self._memory)

        def on_event(self, event: Event) -> None:
            self._memory.see(event)

        def choose(self, request: DeclareCards) -> Any:
            assert self._memory.bags.get(request.seat, 0) == request.view.bag
            assert self._memory.declined == set()
            return super().choose(request)

    outcome = wh.play("evolution", [Remembering, "greedy", "silly"], seed=4).outcome
    (memory,) = memories
    assert dict(memory.bags) == {line.seat: dict(line.parts)["bag"] for line in outcome.ranking}


# Budgets


def test_it_answers_in_time_however_many_simulations_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    request = _declaration(_shuffled(2))
    seconds = itertools.count(step=0.01)
    monkeypatch.setattr(player.time, "monotonic", lambda: next(seconds))
    bot = _seated(Search(simulations=1_000_000, seed=1), request)
    assert violation_of(request, bot.answer(request, 2.0)) is None
    assert next(seconds) < 2.0 * player.SHARE_OF_LIMIT + 0.1


def test_seconds_limit_a_decision_without_a_time_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    request = _feeding(_shuffled(0))
    seconds = itertools.count(step=0.01)
    monkeypatch.setattr(player.time, "monotonic", lambda: next(seconds))
    bot = _seated(Search(seconds=1.5, seed=1), request)
    assert violation_of(request, bot.answer(request)) is None
    assert next(seconds) < 1.6


def test_it_gives_the_champions_answer_if_there_is_no_time_to_search(monkeypatch: pytest.MonkeyPatch) -> None:
    request = _declaration(_shuffled(3))
    seconds = itertools.count()
    monkeypatch.setattr(player.time, "monotonic", lambda: next(seconds))
    bot = _seated(Search(seed=1), request)
    assert bot.answer(request, 1.0) == _seated(Champion(), request).answer(request)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"simulations": 0}, r"simulations must be a whole number from 1 to \d+, not 0\."),
        ({"candidates": 1}, r"candidates must be a whole number from 2 to 1000, not 1\."),
        ({"seconds": 0.0}, r"seconds must be a positive, finite number, not 0\.0\."),
    ],
)
def test_numbers_that_are_no_budget_are_refused(options: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Search(**options)


def test_missing_numba_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(player, "find_spec", lambda name: None)
    with pytest.raises(OperationError, match=r"the search player needs numba, .* pip install 'wateringhole\[sim\]'"):
        Search()


# Races


def test_a_candidate_that_is_better_in_every_state_wins() -> None:
    assert _winner([0.0, 0.1, 0.3, 0.2], noise=0.1) == 2


def test_the_first_candidate_wins_unless_another_one_is_better_beyond_noise() -> None:
    assert _winner([0.2, 0.2, 0.1, 0.2], noise=0.0) == 0


def test_the_worse_half_leaves_after_each_round() -> None:
    contest = Race(8, 64)
    rounds = []
    for left in contest.rounds():
        rounds.append(list(left))
        contest.add(np.array([[float(candidate)] * contest.states_per_round for candidate in left]))
    assert rounds[:4] == [[0, 1, 2, 3, 4, 5, 6, 7], [0, 7, 6, 5], [0, 7], [0, 7]]
    assert sum(len(left) * contest.states_per_round for left in rounds) <= 64 + 2 * contest.states_per_round


def _winner(means: Sequence[float], noise: float) -> int:
    chance = np.random.default_rng(1)
    contest = Race(len(means), 400)
    for left in contest.rounds():
        shared = chance.normal(size=contest.states_per_round)
        own = noise * chance.normal(size=(len(left), contest.states_per_round))
        contest.add(np.array(means)[list(left), None] + shared + own)
    return int(contest.winner())


# Requests


def _shuffled(seed: int) -> tuple[TraitCard, ...]:
    deck = list(CARDS)
    random.Random(seed).shuffle(deck)
    return tuple(deck)


def _declaration(deck: Sequence[TraitCard]) -> DeclareCards:
    """Return the first request of a game."""
    (request,) = Dealer(deal(3, PROFILES["course"], 0, deck=deck)).requests.values()
    assert isinstance(request, DeclareCards)
    return request


def _feeding(deck: Sequence[TraitCard]) -> FeedNext:
    """Return the first request for a feeding of greedy players."""
    game = Dealer(deal(3, PROFILES["course"], 0, deck=deck))
    while True:
        for request in game.requests.values():
            if isinstance(request, FeedNext):
                return request
        game.advance({seat: request.ask(Greedy()) for seat, request in game.requests.items()})


def _seated(bot: Any, request: DeclareCards | FeedNext) -> Any:
    bot.on_seated(SeatAssignment(request.seat, ("a", "b", "c"), request.rules))
    return bot


def _answer(request: DeclareCards | FeedNext) -> Any:
    return _seated(Search(simulations=64, candidates=6, seed=1), request).answer(request)
