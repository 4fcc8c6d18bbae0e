"""Scores and the ranking (3.7)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.games.evolution.builders import rules
from tests.games.evolution.scenarios import feeding_game, lay
from wateringhole.game import Forfeit, Outcome, Seat


def _outcome(
    *rows: str, bags: dict[str, int] | None = None, hands: dict[str, str] | None = None, **options: Any
) -> Outcome:
    """Return the outcome of a game that ends with this turn because the deck is empty."""
    outcome = feeding_game(lay(*rows, bags=bags, hands=hands, rules=rules(**options))).outcome
    assert outcome is not None
    return outcome


def _ranking(outcome: Outcome) -> str:
    return " ".join(f"{'ABCDEFGH'[standing.seat]}{standing.score}" for standing in outcome.ranking)


# name: the row of A, its bag, the parts of its score at the end of the turn.
SCORES: dict[str, tuple[str, int, dict[str, int]]] = {
    "nothing": ("", 0, {"bag": 0, "population": 0, "traits": 0}),
    "a bag": ("", 4, {"bag": 4, "population": 0, "traits": 0}),
    "animals, and the tokens they ate": ("2/2, 1/3", 0, {"bag": 3, "population": 3, "traits": 0}),
    "traits of living boards": ("1/1 horns ambush, 1/1 horns", 0, {"bag": 2, "population": 2, "traits": 3}),
    "nothing for a dead board": ("0/7 b7 horns ambush carnivore", 1, {"bag": 1, "population": 0, "traits": 0}),
    "nothing for body and fat": ("1/1 b7 fat5 fat-tissue", 0, {"bag": 1, "population": 1, "traits": 1}),
}


@pytest.mark.parametrize("name", SCORES)
def test_a_score_is_made_of_bag_population_and_traits(name: str) -> None:
    row, bag, parts = SCORES[name]
    outcome = _outcome(row, "", "", bags={"A": bag}, hands={"A": "horns+3 horns+2"})
    (standing,) = (standing for standing in outcome.ranking if standing.seat == 0)
    assert dict(standing.parts) == parts
    assert standing.score == sum(parts.values())


def test_scoring_by_boards_counts_one_per_living_board() -> None:
    outcome = _outcome("5/5 horns, 2/2", "", "", scoring="boards")
    assert dict(outcome.ranking[0].parts) == {"bag": 7, "boards": 2, "traits": 1}
    assert outcome.ranking[0].score == 10


def test_food_on_boards_does_not_count_if_a_game_stops_during_a_turn() -> None:
    dealer = feeding_game(lay("2/3, 0/3", "0/2", "", hole=3, rules=rules(minimum_to_continue=3)))
    dealer.advance({Seat(2): Forfeit("left", "")})
    assert dealer.outcome is not None
    assert dealer.outcome.reason == "too few players are left"
    assert _ranking(dealer.outcome) == "A6 B2"


def test_the_ranking_is_by_descending_score() -> None:
    outcome = _outcome("1/1", "3/3", "2/2", "")
    assert _ranking(outcome) == "B6 C4 A2 D0"
    assert [standing.place for standing in outcome.ranking] == [1, 2, 3, 4]
    assert outcome.reason == "the deck is too small for another turn"
    assert outcome.thrown_out == ()


@pytest.mark.parametrize(
    ("tie_listing", "expected"),
    # The final turn order, after the last rotation, is B C D E A.
    [("early-first", "D4 B2 C2 A2 E0"), ("late-first", "D4 A2 C2 B2 E0")],
)
def test_equal_scores_are_listed_in_or_against_the_final_turn_order(tie_listing: Any, expected: str) -> None:
    outcome = _outcome("1/1", "1/1", "1/1", "2/2", "", tie_listing=tie_listing)
    assert _ranking(outcome) == expected
    assert [standing.place for standing in outcome.ranking] == [1, 2, 2, 2, 5]
