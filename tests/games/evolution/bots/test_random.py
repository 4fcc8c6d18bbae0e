"""The random player is always legal, finds every kind of answer, and is repeatable with a seed."""

from __future__ import annotations

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.games.evolution import random_games
from tests.games.evolution.builders import board, cards, rules
from tests.games.tables import declare, feed, play_out
from wateringhole.game import Seat, violation_of
from wateringhole.games.evolution import (
    PROFILES,
    ArrangeBoards,
    AttackSpecies,
    Declaration,
    Feeding,
    FeedPlants,
    Pass,
    Rules,
    StoreFat,
    deal,
)
from wateringhole.games.evolution.bots.random import Random

HAND = cards((3, "foraging"), (-1, "horns"), (0, "climbing"), (1, "fertile"), (2, "carnivore"))


@given(rules=random_games.rules(), players=st.integers(3, 8), seed=st.integers(0, 2**32))
def test_it_is_never_thrown_out(rules: Rules, players: int, seed: int) -> None:
    seated = [Random(seed + number) for number in range(players)]
    _, failures = play_out(seated, deal(players, rules, seed), most_questions=60)
    assert failures == {}


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("seed", range(10))
def test_it_plays_complete_games_under_every_profile(profile: str, seed: int) -> None:
    dealer, failures = play_out([Random(seed), Random(), Random(0)], deal(3, PROFILES[profile], seed))
    assert failures == {}
    assert dealer.outcome is not None


def test_a_seed_repeats_a_game() -> None:
    setup = deal(3, PROFILES["course"], 4)
    outcomes = [play_out([Random(number) for number in (1, 2, 3)], setup)[0].outcome for _ in range(2)]
    assert outcomes[0] == outcomes[1]


def test_it_finds_every_kind_of_answer() -> None:
    player = Random(1)
    request = declare(HAND, [board("herding", "ambush")])
    found: Counter[str] = Counter()
    for _ in range(200):
        declaration = player.choose(request)
        found.update(part for part in Declaration.__struct_fields__[1:] if getattr(declaration, part))
        found[f"food card {declaration.food_card}"] += 1
    assert set(found) == {
        "population",
        "body",
        "new_boards",
        "replacements",
        *(f"food card {card}" for card in range(len(HAND))),
    }


def test_a_single_card_is_given_as_food() -> None:
    assert Random(1).choose(declare(HAND[:1])) == Declaration(0)


def test_it_cannot_choose_from_an_empty_hand() -> None:
    with pytest.raises(ValueError, match="empty hand"):
        Random(1).choose(declare([]))


def test_drafts_with_equal_traits_are_not_declared() -> None:
    hand = cards((3, "foraging"), (-1, "horns"), (0, "horns"))
    request = declare(hand, [board("herding", "ambush")])
    player = Random(1)
    assert all(violation_of(request, player.choose(request)) is None for _ in range(300))


def test_feedings_and_amounts_are_equally_likely() -> None:
    request = feed([board(), board("carnivore"), board("fat-tissue", body=3, food=1)], [board()], hole=2)
    player = Random(1)
    found: Counter[Feeding] = Counter(player.feed_next(request) for _ in range(1200))
    expected: dict[Feeding, int] = {
        FeedPlants(0): 300,
        AttackSpecies(1, Seat(1), 0): 300,
        Pass(): 300,
        StoreFat(2, 1): 150,
        StoreFat(2, 2): 150,
    }
    assert found.keys() == expected.keys()
    assert all(abs(found[feeding] - times) < times / 3 for feeding, times in expected.items())


def test_it_does_not_decline_if_that_is_cheating() -> None:
    request = feed([board(), board()], rules=rules(false_reply="cheat"))
    player = Random(1)
    assert {player.feed_next(request) for _ in range(100)} == {FeedPlants(0), FeedPlants(1)}


def test_it_finds_every_order_of_boards() -> None:
    request = ArrangeBoards(declare(HAND, [board()] * 3).view)
    player = Random(1)
    assert len({player.arrange(request) for _ in range(200)}) == 6
