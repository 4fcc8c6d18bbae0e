"""Kernels treat every trait like the referee.

Each operation is tested on many rows in which the trait is common, with random other traits.
"""

from __future__ import annotations

import itertools
import random
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from tests.games.evolution.builders import board
from tests.games.evolution.compiled.agreement import word_of
from wateringhole.game import Seat
from wateringhole.games.evolution import CARDS, Rules, SpeciesBoard, Trait
from wateringhole.games.evolution.compiled import layout
from wateringhole.games.evolution.compiled.options import setup
from wateringhole.games.evolution.compiled.rules import boards, cards, feeding, traits
from wateringhole.games.evolution.compiled.rules import state as moves
from wateringhole.games.evolution.compiled.translate import State, put_deck, seat_place
from wateringhole.games.evolution.rules.attacks import Attack, shield_against
from wateringhole.games.evolution.rules.feeding import FeedingRounds
from wateringhole.games.evolution.rules.state import GameState, PlayerState
from wateringhole.sim.kernel import jit


@jit
def shields(state: Any, board: int, left: int, right: int, attacker: int) -> Any:
    return boards.shields(state, board, left, right, attacker)


@jit
def feed(state: Any, seat: int, index: int) -> None:
    moves.feed(state, boards.seat_base(seat), index)


@jit
def attack(state: Any, seat: int, index: int, prey: int, target: int) -> None:
    moves.attack(state, seat, index, prey, target)


@jit
def feed_unasked(state: Any, seat: int) -> Any:
    return feeding.feed_unasked(state, seat)


@jit
def react_to_food(state: Any) -> None:
    moves.react_to_food(state)


def some_board(rng: random.Random, trait: Trait) -> SpeciesBoard:
    others = rng.sample([other for other in Trait if other is not trait], rng.randint(0, 2))
    traits = tuple(others + [trait] * rng.randint(0, 1))
    population, body = rng.randint(1, 7), rng.randint(0, 7)
    return SpeciesBoard(population, body, rng.randint(0, population), traits, rng.randint(0, body))


def some_rows(rng: random.Random, trait: Trait) -> list[list[SpeciesBoard]]:
    return [[some_board(rng, trait) for _ in range(rng.randint(1, 5))] for _ in range(3)]


def both(rows: Sequence[Sequence[SpeciesBoard]], hole: int, deck: int) -> tuple[GameState, State]:
    """Return the same state for the referee and compiled."""
    known = GameState(
        Rules(),
        [PlayerState(Seat(seat), row) for seat, row in enumerate(rows)],
        hole,
        CARDS[:deck],
        emit=False,
    )
    state = np.zeros(layout.STATE, layout.DTYPE)
    rules = setup(Rules(), len(rows))
    state[layout.PLAYERS] = len(rows)
    state[layout.RULES : layout.RULES + len(rules) - 1] = rules[1:]
    state[layout.HOLE] = hole
    put_deck(state, CARDS[:deck])
    for seat, row in enumerate(rows):
        base = seat_place(seat)
        state[base : base + len(row)] = [word_of(board) for board in row]
        state[base + layout.COUNT] = len(row)
    return known, state


def same(known: GameState, state: State) -> bool:
    for player in known.players:
        base = seat_place(player.seat)
        row = state[base : base + state[base + layout.COUNT]].tolist()
        hand = sum(int(state[base + layout.HAND + word]) << 32 * word for word in range(layout.HAND_WORDS))
        if row != [word_of(board) for board in player.boards] or hand != sum(1 << card.rank for card in player.hand):
            return False
    return bool(state[layout.HOLE] == known.hole and state[layout.FRONT] == known._next)


@pytest.mark.parametrize("trait", Trait)
def test_trait_shields_like_with_the_referee(trait: Trait) -> None:
    rng = random.Random(trait)
    _, state = both([[], [], []], 0, 0)
    found = set()
    for _ in range(4000):
        attacker, defender = some_board(rng, trait), some_board(rng, trait)
        left, right = (some_board(rng, trait) if rng.random() < 0.5 else None for _ in range(2))
        words = [0 if board is None else word_of(board) for board in (defender, left, right, attacker)]
        safe = shield_against(Attack(attacker, defender, left, right), Rules()) is not None
        found.add(safe)
        assert bool(shields(state, *words)) == safe, (attacker, defender, left, right)
        calls = (words[1] | words[2]) & traits.CALLS
        assert words[0] & traits.SHIELDS or calls or not safe
    assert found == {True, False}


@pytest.mark.parametrize("trait", Trait)
def test_feeding_matches_the_referee(trait: Trait) -> None:
    rng = random.Random(trait)
    for _ in range(400):
        rows = some_rows(rng, trait)
        known, state = both(rows, rng.randint(0, 12), 0)
        known.feed(known.players[0], 0, "plants")
        feed(state, 0, 0)
        assert same(known, state), rows


@pytest.mark.parametrize("trait", Trait)
def test_attack_matches_the_referee(trait: Trait) -> None:
    rng = random.Random(trait)
    for _ in range(400):
        rows = some_rows(rng, trait)
        known, state = both(rows, rng.randint(0, 12), rng.randint(0, 5))
        hunter, prey = rng.sample(range(3), 2)
        index, target = rng.randrange(len(rows[hunter])), rng.randrange(len(rows[prey]))
        # Scavengers are fed from the attacker's owner on, regardless of the starting player.
        known.attack(known.players[hunter], index, known.players[prey], target)
        attack(state, hunter, index, prey, target)
        assert same(known, state), (rows, hunter, index, prey, target)


@pytest.mark.parametrize("trait", Trait)
def test_feeding_unasked_matches_the_referee(trait: Trait) -> None:
    rng = random.Random(trait)
    asked = set()
    for _ in range(400):
        rows = some_rows(rng, trait)
        known, state = both(rows, rng.randint(1, 12), rng.randint(0, 5))
        request = FeedingRounds(known, 1).step()
        asked.add(request is not None)
        assert bool(feed_unasked(state, 0)) == (request is not None), rows
        assert same(known, state), rows
    assert asked == {True, False}


@pytest.mark.parametrize(
    "only_option",
    [board(), board("fat-tissue", body=2, food=1)],
    ids=["a hungry vegetarian", "room for fat"],
)
def test_carnivore_without_prey_does_not_replace_the_only_option(only_option: SpeciesBoard) -> None:
    """The carnivore is left of that board, so it comes first in every set that contains both."""
    safe = [board("climbing")]
    known, state = both([[board("carnivore"), only_option], safe, safe], 3, 0)
    assert FeedingRounds(known, 1).step() is None
    assert not feed_unasked(state, 0)
    assert same(known, state)


@pytest.mark.parametrize("trait", Trait)
def test_reveal_matches_the_referee(trait: Trait) -> None:
    rng = random.Random(trait)
    for _ in range(400):
        rows = some_rows(rng, trait)
        known, state = both(rows, rng.randint(0, 12), 0)
        known._react_to_food()
        react_to_food(state)
        assert same(known, state), rows


def test_board_words_are_unique_and_compare_in_the_size_order() -> None:
    rng = random.Random(0)
    some = [some_board(rng, Trait.HORNS) for _ in range(60)]
    for one, other in itertools.product(some, some):
        larger = word_of(one) >> layout.BODY > word_of(other) >> layout.BODY
        assert larger == (one.size > other.size)
    for one, other in itertools.product(some, some):
        fields = (sorted(one.traits), one.population, one.body, one.food, one.fat)
        same = fields == (sorted(other.traits), other.population, other.body, other.food, other.fat)
        assert (word_of(one) == word_of(other)) == same


def test_looked_up_and_computed_cards_are_equal() -> None:
    """A GPU computes the cards that the CPU looks up."""
    facts, added = cards._card_facts_on_cuda(0), cards._with_card_on_cuda(0, 0, 0, 0)
    of_trait = cards._cards_of_on_cuda(0)
    for card in CARDS:
        bit = 1 << list(Trait).index(card.trait)
        assert facts(card.rank) == (card.points + 8) << layout.TRAITS | bit == int(cards._FACTS[card.rank])
        assert added(0, 0, card.rank, 0) == (0, 0)
        low, high = added(0, 0, card.rank, 1)
        assert low | high << 64 == 1 << card.rank
        single = [int(word) & (1 << 64) - 1 for word in cards._SINGLES[2 * card.rank : 2 * card.rank + 2]]
        assert single == [low, high]
    for number, trait in enumerate(Trait):
        low, high = of_trait(number)
        low &= (1 << 64) - 1
        assert low | high << 64 == sum(1 << card.rank for card in CARDS if card.trait is trait)
        ranges = [int(word) & (1 << 64) - 1 for word in cards._RANGES[2 * number : 2 * number + 2]]
        assert ranges == [low, high]
    assert facts(layout.NO_CARD) & layout.TRAIT_BITS == 0
