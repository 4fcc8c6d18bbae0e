"""The compiled engine and the referee agree on every state, every legal action and every result."""

from __future__ import annotations

import multiprocessing
import os
import random
import re
from concurrent.futures import ProcessPoolExecutor
from typing import Any

import numpy as np
import pytest

from tests.games.evolution.builders import board
from tests.games.evolution.compiled import calls
from tests.games.evolution.compiled.agreement import (
    Disagreement,
    SideBySide,
    chance,
    play,
    random_rows,
    random_setup,
    replay,
)
from tests.games.evolution.scenarios import species
from tests.games.tables import feed
from wateringhole.errors import UsageError
from wateringhole.game import Seat, violation_of
from wateringhole.games.evolution import CARDS, PROFILES, Rules, Setup
from wateringhole.games.evolution.bots.greedy import Greedy
from wateringhole.games.evolution.bots.player import Player
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.games.evolution.compiled import layout
from wateringhole.games.evolution.compiled.options import OPTIONS
from wateringhole.games.evolution.compiled.options import setup as compiled_setup
from wateringhole.games.evolution.compiled.translate import put_deck
from wateringhole.games.evolution.rules.custom_traits import CustomTraits
from wateringhole.sim.options import Encoded, Refused

PLAYERS: dict[str, type[Player]] = {"silly": Silly, "greedy": Greedy}


def play_random_game(seed: int, rules: Rules | None = None) -> SideBySide:
    rng = random.Random(seed)
    return play(SideBySide(random_setup(rng, rules)), chance(rng))


def play_mixed_game(seed: int, name: str, rules: Rules | None = None) -> SideBySide:
    """Play a game with a compiled player in some seats and random actions in the others."""
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


def play_late_game(seed: int, rules: Rules) -> SideBySide:
    """Play a game that starts with many boards: silly players in even seats, random actions in odd ones."""
    rng = random.Random(seed)
    setup = random_setup(rng, rules)
    game = SideBySide(setup, random_rows(rng, setup.players))
    choose = chance(rng)
    while not game.is_over:
        if game.request.seat % 2 == 0 and game.halfway is None:
            game.take_as("silly", Silly())
        else:
            game.take(choose(game, game.legal))
    return game


def play_quiet_game(seed: int, rules: Rules, first: list[str], others: list[str]) -> SideBySide:
    """Play a game that starts with these rows; players give their best food card and declare nothing else."""
    rng = random.Random(seed)
    setup = random_setup(rng, rules)
    rows = {seat: list(map(species, others if seat % 3 else first)) for seat in setup.order}
    game = SideBySide(setup, rows)
    while not game.is_over:
        if game.draft is None and game.request.seat % 2 == 0:
            game.take_as("silly", Silly())
        elif game.draft is None:
            game.take(rng.choice([action for action in game.legal if action] or game.legal))
        elif game.halfway is None:
            game.take(layout.DONE if layout.DONE in game.legal else layout.GIVE_FOOD)
        else:
            game.take(max(game.legal, key=lambda card: CARDS[card].points))
    return game


# For options that matter in few games: the rows of every third seat, and of the others.
RARE = {
    "silly_target_tie": (["0/7 carnivore"] * 2, ["0/3"] * 4),
    "idle_players": (["0/4 carnivore"], ["0/7 carnivore herding", "0/4 herding"]),
    "horns_full_attacker_scavengers": (["0/2 carnivore climbing"] * 3, ["0/7 horns", "0/7", "0/7 scavenger"]),
}


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
    "shells and packs": Rules(hard_shell_arms_attacker=True, herding_counts_pack=True),
    "equal traits": Rules(final_traits_distinct=False, fat_on_replace="discard"),
    "declining is cheating": Rules(false_reply="cheat", auto_feed=False, idle_players="leave"),
    "declining skips": Rules(false_reply="skip", food_clamp="total", idle_players="leave"),
    "few traits": Rules(most_traits_laid=2, horns_full_attacker_scavengers=False),
    "the reference": PROFILES["reference"],
    "options without effect": Rules(
        announce_result=True,
        choose_lists_self=True,
        fat_over_request="illegal",
        hand_order="back",
        minimum_to_continue=3,
    ),
    "uncapped fat requests": Rules(silly_caps_fat_request=False),
}


def some_rules(seed: int) -> Rules:
    """Return the default rules and all others that are simulated, in turn."""
    simulated = [Rules(), *RULES.values()]
    return simulated[seed % len(simulated)]


@pytest.mark.parametrize("rules", RULES.values(), ids=RULES)
def test_both_engines_agree_under_every_simulated_option(rules: Rules) -> None:
    for seed in range(8):
        play_random_game(seed, rules)
        play_late_game(seed, rules)


@pytest.mark.parametrize("name", PLAYERS)
def test_compiled_players_play_like_the_bots(name: str) -> None:
    for seed in range(25):
        play_mixed_game(seed, name, some_rules(seed))


# For each encoded option, a value other than the default.
OTHER_VALUES: dict[str, object] = {
    "symbiosis": False,
    "hard_shell_gap": 1,
    "hard_shell_arms_attacker": True,
    "herding_counts_pack": True,
    "new_board_body_limit": 1,
    "final_traits_distinct": False,
    "scoring": "boards",
    "game_end_counts_free_board": False,
    "false_reply": "skip",
    "silly_target_tie": "last",
    "tie_listing": "late-first",
    "food_clamp": "total",
    "idle_players": "leave",
    "horns_full_attacker_scavengers": False,
    "auto_feed": False,
    "fat_on_replace": "discard",
    "most_traits_laid": 2,
    "most_turns": 1,
}

# For each refused option, a value that is refused.
REFUSED_VALUES: dict[str, object] = {
    "new_board_population": 0,
    "seating": "shuffled",
    "own_attacks": True,
    "reorder_boards": True,
    "traits_on_existing_boards": "fill",
    "new_board_side": "choice",
    "compensation": "end_of_turn",
    "spent_cards": "pile",
    "custom_traits": CustomTraits("sha256:none", ()),
}


def test_tests_cover_every_encoded_and_refused_option() -> None:
    assert {name for name, entry in OPTIONS.items() if isinstance(entry, Encoded)} == set(OTHER_VALUES)
    assert {name for name, entry in OPTIONS.items() if isinstance(entry, Refused)} == set(REFUSED_VALUES)
    places = [entry.place for entry in OPTIONS.values() if isinstance(entry, Encoded)]
    assert sorted(places) == list(range(layout.RULES, layout.LATE_FIRST + 1))


# For options that change few games: a seed of a game that they change.  Without it, the search below takes seconds.
CHANGING_SEEDS = {
    "symbiosis": 64,
    "hard_shell_gap": 19,
    "hard_shell_arms_attacker": 241,
    "herding_counts_pack": 282,
    "final_traits_distinct": 51,
    "game_end_counts_free_board": 47,
    "horns_full_attacker_scavengers": 39,
    "fat_on_replace": 354,
}


@pytest.mark.parametrize("option", OTHER_VALUES)
def test_encoded_option_changes_games_like_the_referee(option: str) -> None:
    """Both engines agree under the option, and some games differ from those under the default."""
    rules = Rules(**{option: OTHER_VALUES[option]})  # type: ignore[arg-type]
    changed = False
    for seed in (CHANGING_SEEDS.get(option, 0), *range(400)):
        usual, other = (
            play_quiet_game(seed, each, *RARE[option]) if option in RARE else play_late_game(seed, each)
            for each in (Rules(), rules)
        )
        changed |= (usual.actions, usual.dealer.outcome) != (other.actions, other.dealer.outcome)
        if changed and seed > 10:
            return
    pytest.fail(f"{option} changes nothing")


@pytest.mark.parametrize("option", REFUSED_VALUES)
def test_refused_option_is_refused_with_its_reason(option: str) -> None:
    entry = OPTIONS[option]
    assert isinstance(entry, Refused)
    with pytest.raises(UsageError, match=re.escape(f"cannot be simulated: {entry.reason}")) as found:
        compiled_setup(Rules(**{option: REFUSED_VALUES[option]}), 4)  # type: ignore[arg-type]
    assert option in str(found.value)


@pytest.mark.parametrize(
    ("option", "value"),
    [(option, value) for option, entry in OPTIONS.items() if isinstance(entry, Encoded) for value in entry.refusals],
)
def test_values_that_would_throw_a_compiled_player_out_are_refused(option: str, value: Any) -> None:
    with pytest.raises(UsageError, match=f"{option}={value} cannot be simulated"):
        compiled_setup(Rules(**{option: value}), 4)


def test_rules_that_throw_the_silly_player_out_for_asking_too_much_fat_are_refused() -> None:
    rules = Rules(fat_over_request="illegal", silly_caps_fat_request=False)
    request = feed([board("fat-tissue", body=5, food=1)], [board(food=1)], hole=3, rules=rules)
    violation = violation_of(request, Silly().feed_next(request))
    assert violation
    assert violation.rule == "fat-over-hole"
    message = "fat_over_request=illegal cannot be simulated: with silly_caps_fat_request=false"
    with pytest.raises(UsageError, match=message):
        compiled_setup(rules, 4)


def test_profile_framework_is_refused_for_an_option() -> None:
    with pytest.raises(UsageError, match="rules option new_board_population=0 cannot be simulated"):
        compiled_setup(PROFILES["framework"], 4)


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
def test_silly_games_end_as_in_the_rulebook(players: int) -> None:
    state = np.zeros(layout.STATE, layout.DTYPE)
    mask = np.zeros(layout.ACTIONS, np.uint8)
    put_deck(state, CARDS)
    calls.open_game(state, compiled_setup(Rules(), players), 0)
    seat, _ = calls.take(state, -1, mask)
    while seat >= 0:
        seat, _ = calls.take(state, calls.choose(state, layout.SILLY, 0, 0), mask)
    assert [calls.result(state, seat)[0] for seat in range(players)] == GOLDEN[players]


def test_disagreement_contains_a_record_that_replays() -> None:
    game = SideBySide(random_setup(random.Random(4)))
    choose = chance(random.Random(4))
    for _ in range(40):
        game.take(choose(game, game.legal))
    game.state[layout.HOLE] += 1
    with pytest.raises(Disagreement, match="outside of the draft") as found:
        play(game, choose)
    again = replay(str(found.value).splitlines()[-1])
    assert again.actions == game.actions
    again.compare()


def test_draft_at_a_dead_end_restarts() -> None:
    """The player has used every card, and given none to the watering hole."""
    deck = tuple(CARDS[:12])
    game = SideBySide(Setup(3, Rules(), (Seat(0), Seat(1), Seat(2)), deck, 0))
    for card in range(4):
        game.take(layout.BUY_BOARD)
        game.take(card)
    assert game.legal == [layout.RESTART]
    game.take(layout.RESTART)
    play(game, chance(random.Random(1)))


def _agree_on(seeds: range) -> str:
    """Play many kinds of games in a separate process.  Return the first disagreement."""
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
def test_both_engines_agree_on_thousands_of_games() -> None:
    games, share = 5_000, 100
    spawn = multiprocessing.get_context("spawn")
    with ProcessPoolExecutor(os.cpu_count(), mp_context=spawn) as processes:
        shares = [range(first, first + share) for first in range(1000, 1000 + games, share)]
        assert set(processes.map(_agree_on, shares)) == {""}
