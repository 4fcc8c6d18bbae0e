"""The greedy player is always legal, finds obvious answers, and beats simpler players."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.games.evolution import random_games
from tests.games.evolution.builders import board, cards, rules
from tests.games.tables import declare, feed, play_out
from wateringhole.game import Seat
from wateringhole.games.evolution import CARDS, PROFILES, AttackSpecies, FeedPlants, Pass, Rules, StoreFat, deal
from wateringhole.games.evolution.bots.greedy import Greedy
from wateringhole.games.evolution.bots.random import Random
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.player import InProcess


@given(rules=random_games.rules(), players=st.integers(3, 8), seed=st.integers(0, 2**32))
def test_it_is_never_thrown_out(rules: Rules, players: int, seed: int) -> None:
    seated = [Greedy() if number % 2 else Random(seed + number) for number in range(players)]
    _, failures = play_out(seated, deal(players, rules, seed), most_questions=60)
    assert failures == {}


@pytest.mark.parametrize("profile", PROFILES)
def test_it_plays_the_same_game_again(profile: str) -> None:
    setup = deal(3, PROFILES[profile], 3)
    outcomes = [play_out([Greedy(), Greedy(), Greedy()], setup) for _ in range(2)]
    assert outcomes[0][1] == outcomes[1][1] == {}
    assert outcomes[0][0].outcome == outcomes[1][0].outcome


@pytest.mark.parametrize("profile", PROFILES)
def test_it_beats_silly_and_random_clearly(profile: str) -> None:
    """In 400 games under each profile, it won 97 percent."""
    games = 45
    wins = 0
    for game in range(games):
        others: list[InProcess] = [Silly(), Random(game)]
        players: list[InProcess] = others.copy()
        players.insert(game % 3, Greedy())
        dealer, _ = play_out(players, deal(3, PROFILES[profile], game))
        assert dealer.outcome is not None
        wins += dealer.outcome.places()[Seat(game % 3)] == 1
    assert wins >= games * 3 // 4


def test_it_gives_the_card_with_the_most_food() -> None:
    hand = cards((3, "fertile"), (8, "carnivore"), (-1, "horns"), (3, "ambush"))
    assert Greedy().choose(declare(hand)).food_card == 1


def test_it_gives_the_less_useful_of_equal_food_cards() -> None:
    hand = cards((3, "long-neck"), (3, "ambush"), (-1, "horns"))
    assert Greedy().choose(declare(hand)).food_card == 1


def test_it_grows_boards_without_animals() -> None:
    request = declare(cards((3, "fertile"), (3, "ambush")), [board(population=0)], rules(new_board_population=0))
    assert [growth.board for growth in Greedy().choose(request).population] == [0]


def test_it_feeds_a_starving_species_first() -> None:
    row = [board("horns", population=3, food=2), board("horns", "climbing", "fertile")]
    assert Greedy().feed_next(feed(row, [board()], hole=1)) == FeedPlants(1)


def test_it_feeds_where_cooperation_feeds_more() -> None:
    row = [board(population=2), board("cooperation", population=2), board(population=2)]
    assert Greedy().feed_next(feed(row, [board()], hole=2)) == FeedPlants(1)


def test_it_hunts_prey_without_horns() -> None:
    prey = [board("horns", population=3), board(population=3)]
    assert Greedy().feed_next(feed([board("carnivore", population=2)], prey)) == AttackSpecies(0, Seat(1), 1)


def test_it_prefers_killing_a_species_to_an_animal() -> None:
    prey = [board(population=3), board("herding", "horns"), board("climbing", "fertile"), board("fertile", "foraging")]
    assert Greedy().feed_next(feed([board("carnivore")], prey)) == AttackSpecies(0, Seat(1), 3)


FAT = [board("fat-tissue", body=5, food=1), board("fat-tissue", body=2, food=1)]


def test_it_stores_no_more_than_the_hole_holds() -> None:
    request = feed(FAT, [board(food=1)], hole=3, deck=CARDS, rules=rules(fat_over_request="illegal"))
    assert Greedy().feed_next(request) == StoreFat(0, 3)


def test_it_stores_nothing_in_the_last_turn() -> None:
    assert Greedy().feed_next(feed(FAT, [board(food=1)], hole=3)) == Pass()
