"""The compiled game of Porrinha agrees with the core, decision by decision."""

from __future__ import annotations

import random

import pytest

from tests.games.porrinha.compiled.agreement import Pair, play_both, random_answer, random_setup, replay
from wateringhole.games.porrinha import PROFILES, Rules, deal
from wateringhole.games.porrinha.compiled import layout
from wateringhole.games.porrinha.rules.options import MOST_REFUSALS


@pytest.mark.parametrize("seed", range(8))
def test_compiled_game_agrees_with_the_core_after_every_decision(seed: int) -> None:
    assert _play_many(seed, games=40) > 1000


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(1000, 1004))
def test_compiled_game_agrees_with_the_core_in_thousands_of_games(seed: int) -> None:
    assert _play_many(seed, games=2500) > 100_000


def _play_many(seed: int, games: int) -> int:
    rng = random.Random(seed)
    return sum(
        play_both(random_setup(rng), random_answer(rng, bad=rng.choice([0, 0, 0.02, 0.3]))) for _ in range(games)
    )


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("players", range(2, 9))
def test_every_profile_and_number_of_players_agrees(profile: str, players: int) -> None:
    rng = random.Random(f"{profile} {players}")
    assert play_both(deal(players, PROFILES[profile]), random_answer(rng, bad=0)) > 10


def test_taken_guess_is_void_after_the_last_refusal() -> None:
    pair = Pair(deal(2, Rules(taken_guess="again")))
    for answer in (1, 1, 4):
        pair.answer(answer)
    for _ in range(MOST_REFUSALS):
        pair.answer(4)
        assert pair.row[layout.DECISION_TYPE] == layout.GUESS
        assert pair.disagreement() is None
    pair.answer(4)
    assert pair.row[layout.DECISION_TYPE] == layout.HIDE
    assert pair.disagreement() is None


def test_disagreement_contains_a_record_that_replays() -> None:
    setup = deal(3, Rules(absent_hand="stale"))

    def tamper(pair: Pair) -> int:
        if pair.row[layout.ROUND] == 2:
            pair.row[layout.TABLE] += 1
        return pair.options()[0]

    with pytest.raises(AssertionError) as failure:
        play_both(setup, tamper)
    record = str(failure.value).splitlines()[1].removeprefix("after ")
    pair = replay(record)
    assert pair.setup == setup
    assert pair.row[layout.ROUND] == 2
    assert pair.disagreement() is None
