"""The compiled engine and the referee agree: on every table, every legal choice, every result."""

from __future__ import annotations

import multiprocessing
import os
import random
from concurrent.futures import ProcessPoolExecutor

import numpy as np
import pytest

from tests.games.evolution.compiled import calls
from tests.games.evolution.compiled.agreement import Disagreement, SideBySide, chance, play, random_setup, replay
from wateringhole.errors import UsageError
from wateringhole.game import Seat
from wateringhole.games.evolution import CARDS, PROFILES, Rules, Setup
from wateringhole.games.evolution.bots.greedy import Greedy
from wateringhole.games.evolution.bots.player import Player
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.games.evolution.compiled import layout
from wateringhole.games.evolution.compiled.game import setup as compiled_setup
from wateringhole.games.evolution.compiled.translate import put_deck

PLAYERS: dict[str, type[Player]] = {"silly": Silly, "greedy": Greedy}


def play_random_game(seed: int, rules: Rules | None = None) -> SideBySide:
    rng = random.Random(seed)
    return play(SideBySide(random_setup(rng, rules)), chance(rng))


def play_mixed_game(seed: int, name: str, rules: Rules | None = None) -> SideBySide:
    """A compiled player in some seats, random choices in the others."""
    rng = random.Random(seed)
    game = SideBySide(random_setup(rng, rules))
    seated = [rng.random() < 0.6 for _ in range(game.setup.players)]
    choose = chance(rng)
    while not game.is_over:
        if seated[game.request.seat] and game.halfway is None:
            game.take_as(name, PLAYERS[name]())
        else:
            game.take(choose(game, game.legal))
    return game


@pytest.mark.parametrize("first", range(0, 240, 30))
def test_both_engines_agree_after_every_decision(first: int) -> None:
    for seed in range(first, first + 30):
        play_random_game(seed)


RULES = {
    "a soft shell": Rules(hard_shell_gap=1),
    "an iron shell": Rules(hard_shell_gap=500),
    "small new bodies": Rules(new_board_body_limit=1),
    "no symbiosis": Rules(symbiosis=False),
    "two turns": Rules(most_turns=2),
    "living boards count": Rules(scoring="boards", tie_listing="late-first"),
    "options without effect": Rules(
        announce_result=True,
        choose_lists_self=True,
        fat_over_request="illegal",
        hand_order="back",
        minimum_to_continue=3,
        silly_caps_fat_request=False,
    ),
}


def some_rules(seed: int) -> Rules:
    """The usual rules and all others that are simulated, in turn."""
    simulated = [Rules(), *RULES.values()]
    return simulated[seed % len(simulated)]


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_they_agree_under_every_option_that_is_simulated(rules: Rules) -> None:
    for seed in range(8):
        play_random_game(seed, rules)


@pytest.mark.parametrize("name", PLAYERS)
def test_compiled_players_choose_what_the_players_choose(name: str) -> None:
    for seed in range(25):
        play_mixed_game(seed, name, some_rules(seed))


def test_options_that_are_not_simulated_are_refused_by_name() -> None:
    with pytest.raises(UsageError, match="rules option own_attacks=true cannot be simulated"):
        compiled_setup(Rules(own_attacks=True), 4)
    with pytest.raises(UsageError, match="new_board_body_limit=0"):
        compiled_setup(Rules(new_board_body_limit=0), 4)
    for profile in ("reference", "framework"):
        with pytest.raises(UsageError, match="cannot be simulated"):
            compiled_setup(PROFILES[profile], 4)


GOLDEN = {
    3: [5, 7, 7],
    4: [2, 2, 0, 1],
    5: [4, 5, 5, 3, 1],
    6: [1, 4, 5, 4, 5, 2],
    7: [3, 3, 2, 3, 3, 2, 2],
    8: [1, 1, 1, 1, 1, 1, 1, 1],
}
"""The rulebook's scores of silly players with the deck in card order."""


@pytest.mark.parametrize("players", GOLDEN)
def test_silly_games_come_out_as_in_the_rulebook(players: int) -> None:
    state = np.zeros(layout.STATE, layout.DTYPE)
    mask = np.zeros(layout.CHOICES, np.uint8)
    put_deck(state, CARDS)
    calls.open_game(state, compiled_setup(Rules(), players), 0)
    seat, _ = calls.take(state, -1, mask)
    while seat >= 0:
        seat, _ = calls.take(state, calls.choose(state, layout.SILLY, 0, 0), mask)
    assert [calls.result(state, seat)[0] for seat in range(players)] == GOLDEN[players]


def test_a_disagreement_tells_a_record_that_replays_in_both() -> None:
    game = SideBySide(random_setup(random.Random(4)))
    choose = chance(random.Random(4))
    for _ in range(40):
        game.take(choose(game, game.legal))
    game.state[layout.HOLE] += 1
    with pytest.raises(Disagreement, match="outside of the draft") as found:
        play(game, choose)
    again = replay(str(found.value).splitlines()[-1])
    assert again.choices == game.choices
    again.compare()


def test_a_draft_without_a_way_out_starts_over() -> None:
    """All cards are used up, and none was given to the watering hole."""
    deck = tuple(CARDS[:12])
    game = SideBySide(Setup(3, Rules(), (Seat(0), Seat(1), Seat(2)), deck, 0))
    for card in range(4):
        game.take(layout.BUY_BOARD)
        game.take(card)
    assert game.legal == [layout.RESTART]
    game.take(layout.RESTART)
    play(game, chance(random.Random(1)))


def _agree_on(seeds: range) -> str:
    """Games of all kinds, in a process of their own; what they disagree on."""
    for seed in seeds:
        try:
            match seed % 10:
                case 0:
                    play_mixed_game(seed, "silly", some_rules(seed // 10))
                case 1:
                    play_mixed_game(seed, "greedy", some_rules(seed // 10))
                case 2:
                    play_random_game(seed, random.Random(seed).choice(list(RULES.values())))
                case _:
                    play_random_game(seed)
        except Disagreement as different:
            return f"seed {seed}: {different}"
    return ""


@pytest.mark.slow
def test_they_agree_on_many_thousands_of_games() -> None:
    games, share = 20_000, 100
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), mp_context=spawn) as processes:
        shares = [range(first, first + share) for first in range(1000, 1000 + games, share)]
        assert set(processes.map(_agree_on, shares)) == {""}
