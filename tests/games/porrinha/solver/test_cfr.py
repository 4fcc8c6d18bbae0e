"""The approximation for larger tables."""

from __future__ import annotations

import json
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wateringhole.games.porrinha.solver import cfr


@pytest.fixture(scope="module")
def three_by_two() -> cfr.Approximation:
    return cfr.train(3, 2)


@pytest.mark.parametrize(
    ("own", "others", "stays_safe", "is_first"),
    [
        (0, (1,), 1, 1),
        (1, (), 0, 0),
        (1, (0,), 0, 0),
        (1, (1,), 1 / 2, 1 / 2),
        (2, (1,), 1 / 4, 1 / 4),
        (1, (1, 1), 2 / 3, 1 / 3),
        (2, (1, 1), 7 / 18, 1 / 9),
    ],
)
def test_race_chances_match_hand_calculations(
    own: int, others: tuple[int, ...], stays_safe: float, is_first: float
) -> None:
    assert cfr.chance_not_to_lose(own, others) == pytest.approx(stays_safe)
    if others:
        assert cfr.chance_to_be_first(own, others) == pytest.approx(is_first)


@given(data=st.data(), seed=st.integers(0, 1000))
def test_every_answer_is_legal(three_by_two: cfr.Approximation, data: st.DataObject, seed: int) -> None:
    # Tables inside and outside of the training.
    sticks = data.draw(st.lists(st.integers(1, 5), min_size=2, max_size=5))
    position = data.draw(st.integers(0, len(sticks) - 1))
    least = data.draw(st.integers(0, 1))
    taken = data.draw(st.lists(st.integers(0, sum(sticks)), max_size=position, unique=True))
    random = Random(seed)
    hand = three_by_two.hand(random, sticks, position, least)
    assert least <= hand <= sticks[position]
    guess = three_by_two.guess(random, sticks, position, hand, taken)
    assert 0 <= guess <= sum(sticks)
    assert guess not in taken


def test_the_same_seed_finds_the_same_strategy(three_by_two: cfr.Approximation) -> None:
    assert cfr.train(3, 2) == three_by_two
    assert cfr.train(3, 2, seed=2) != three_by_two


def test_every_position_and_number_of_sticks_is_covered(three_by_two: cfr.Approximation) -> None:
    expected = {(position, own, others) for position in range(3) for own in (1, 2) for others in (2, 3, 4)}
    assert three_by_two.hands.keys() == expected


def test_json_round_trip(three_by_two: cfr.Approximation) -> None:
    assert cfr.from_json(json.loads(json.dumps(cfr.to_json(three_by_two)))) == three_by_two


def test_an_untrained_large_table_gets_legal_answers() -> None:
    huge = cfr.train(3, 1_000_000)
    assert huge.iterations == 0
    sticks = [1_000_000] * 3
    assert 0 <= huge.guess(Random(1), sticks, 2, 7, [5, 6]) <= 3_000_000


def test_a_plain_guess_is_a_free_value() -> None:
    # With one stick each and an empty hand, only 0 and 2 remain after a guess of 1.
    plain = cfr.Approximation(2, 1, "last_loses", 0, {}, {})
    assert {plain.guess(Random(seed), [1, 1], 1, 0, [1]) for seed in range(20)} <= {0, 2}
