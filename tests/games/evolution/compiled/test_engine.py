"""Observations, complete games and bounds of the compiled engine."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from tests.games.evolution.compiled import calls
from tests.games.evolution.compiled.agreement import SideBySide, chance, random_setup, word_of
from wateringhole.games.evolution import CARDS, DeclareCards, FeedNext, Rules, SpeciesBoard, Trait
from wateringhole.games.evolution.compiled import layout
from wateringhole.games.evolution.compiled.bots.silly import silly_declares
from wateringhole.games.evolution.compiled.game import GAME
from wateringhole.games.evolution.compiled.translate import put_hand, seat_place
from wateringhole.sim import Batch
from wateringhole.sim.cpu import simulation_loop
from wateringhole.sim.kernel import entry
from wateringhole.sim.sums import SUMS


@pytest.fixture(scope="module", autouse=True)
def compiled_loops() -> None:
    """Compile the loops before the tests."""
    step_and_play(["silly", "silly", "silly"], games=1)


def seen(game: SideBySide, seat: int) -> list[int]:
    out = np.zeros(layout.OBSERVATION, np.int32)
    calls.observe(game.state, seat, out)
    return [int(number) for number in out]


def numbers(board: SpeciesBoard) -> list[int]:
    traits = word_of(board) & (layout.TRAIT_BITS | layout.TWIN_BITS)
    return [board.population, board.food, board.body, board.fat, traits]


def test_observation_matches_the_view() -> None:
    rng = random.Random(3)
    for _ in range(6):
        game = SideBySide(random_setup(rng))
        choose = chance(rng)
        while not game.is_over:
            request = game.request
            seat = rng.randrange(game.setup.players)
            view, out = game.dealer.view(request.seat if rng.random() < 0.5 else seat), None  # type: ignore[arg-type]
            assert view.seat is not None
            out = seen(game, view.seat)
            players = len(view.players)
            mine = view.seat == request.seat
            assert out[0] == (int(decision_type(game)) if mine else layout.STEP if game.draft else layout.FEED)
            assert out[1] == (request.seat - view.seat) % players
            assert out[2] == (game.halfway or 0 if mine else 0)
            assert out[3:7] == [players, view.turn, view.hole, view.deck_size]
            assert out[7] == (view.players[0].seat - view.seat) % players
            assert out[8] == view.bag
            draft = game.dealer._declared.get(view.seat) or (game.draft if mine else None)
            hand = draft.hand_left() if draft else view.hand
            held = out[layout.SEEN_HAND : layout.SEEN_HAND + layout.CARDS]
            assert held == [int(card in hand) for card in CARDS]
            given = draft.food_card().rank if draft and draft.food is not None else layout.NO_CARD
            assert out[9] == given
            plan = [number for board in (draft.boards if draft else ()) for number in numbers(board)]
            assert out[layout.SEEN_PLAN : layout.SEEN_PLAN + len(plan)] == plan
            feeding = game.dealer._feeding
            still = {player.seat for player in feeding._queue} if feeding else set()
            me = [player.seat for player in view.players].index(view.seat)
            for place, player in enumerate((view.players[me], *view.opponents)):
                base = layout.SEEN_SEATS + layout.SEEN_SEAT * place
                feeds = int(player.seat in still)
                assert out[base : base + 3] == [len(player.boards), player.hand_size, feeds]
                row = [number for board in player.boards for number in numbers(board)]
                assert out[base + 3 : base + 3 + len(row)] == row
            game.take(choose(game, game.legal))


def decision_type(game: SideBySide) -> int:
    if game.draft:
        return layout.STEP if game.halfway is None else layout.CARD
    return layout.FEED if game.halfway is None else layout.TARGET


@pytest.mark.parametrize(
    "names",
    [
        ["silly", "silly", "silly", "silly"],
        ["random", "random", "random"],
        ["greedy", "silly", "random", "silly", "greedy"],
        ["silly", "random", "silly", "silly", "random", "silly", "silly", "greedy"],
    ],
    ids=" ".join,
)
def test_complete_games_are_the_same_as_step_by_step(names: list[str]) -> None:
    for stepped, whole in step_and_play(names, games=60):
        assert stepped == whole


def step_and_play(names: list[str], games: int) -> list[tuple[list[Any], list[Any]]]:
    """Return the ends of games played step by step, and of the same games played at once."""
    seed, players = np.uint64(7), len(names)
    batch = Batch("evolution", players, games=games, seed=7, policies=dict(enumerate(names)))
    assert batch.done.all()
    found = []
    whole = np.zeros(layout.STATE, layout.DTYPE)
    setup, policies, strategy = (
        GAME.setup(Rules(), players),
        GAME.numbers(names),
        GAME.strategy(Rules(), players, names),
    )
    play = simulation_loop("evolution")
    for game, stepped in enumerate(np.asarray(batch.states)):
        play(game, game + 1, players, whole, setup, policies, strategy, seed, np.zeros(SUMS, np.int64))
        found.append((ending(stepped), ending(whole)))
    return found


def ending(state: Any) -> list[Any]:
    """Return the final boards, hands and counts of a game."""
    players = []
    for seat in range(int(state[layout.PLAYERS])):
        base = seat_place(seat)
        row = state[base : base + state[base + layout.COUNT]].tolist()
        rest = state[[base + layout.BAG, base + layout.SCORE, *range(base + layout.HAND, base + layout.SEAT)]]
        players.append((row, rest.tolist()))
    header = [layout.HOLE, layout.FRONT, layout.FIRST, layout.TURN, layout.PHASE]
    return [state[header].tolist(), state[layout.DECISIONS : layout.OVERFLOWED + 1].tolist(), players]


def draws(game: SideBySide, count: int) -> Counter[tuple[int, ...]]:
    """Count the answers of the random player at this decision in `count` games."""
    found: Counter[tuple[int, ...]] = Counter()
    for number in range(count):
        state = game.state.copy()
        first = calls.choose(state, layout.RANDOM, 11, number)
        if (first,) in game._options:
            found[first,] += 1
        else:
            state[layout.PENDING] = first
            found[first, calls.choose(state, layout.RANDOM, 11, number)] += 1
    return found


@pytest.mark.parametrize("request_type", [DeclareCards, FeedNext])
def test_random_player_takes_every_step_with_the_same_chance(request_type: type) -> None:
    rng = random.Random(8)
    game = SideBySide(random_setup(rng))
    choose = chance(rng)
    while not isinstance(game.request, request_type) or game.halfway is not None or len(game._options) < 4:
        game.take(choose(game, game.legal))
        if game.is_over:
            game = SideBySide(random_setup(rng))
    options = game._options
    if request_type is FeedNext:
        # Tokens to store are drawn after the board that stores them.
        assert not any(actions[0] >= layout.STORE for actions in options)
    found = draws(game, 200 * len(options))
    assert set(found) == set(options)
    # Six standard deviations are far beyond chance.
    assert all(abs(times - 200) < 6 * 200**0.5 for times in found.values())


def test_buying_too_many_boards_overflows() -> None:
    game = SideBySide(random_setup(random.Random(1)))
    seat = game.request.seat
    put_hand(game.state, seat_place(seat) + layout.HAND, CARDS[:60])
    mask = np.zeros(layout.ACTIONS, np.uint8)
    for card in range(layout.MOST_BOARDS):
        assert not game.state[layout.OVERFLOWED]
        calls.take(game.state, layout.BUY_BOARD, mask)
        acting, _ = calls.take(game.state, card, mask)
    assert game.state[layout.OVERFLOWED] == 1
    assert acting == -1
    assert not mask.any()


def test_silly_player_with_a_full_row_overflows() -> None:
    """It declares at once, without a draft."""
    game = SideBySide(random_setup(random.Random(1)))
    base = seat_place(game.request.seat)
    game.state[base : base + layout.MOST_BOARDS] = layout.NEW_BOARD
    game.state[base + layout.COUNT] = layout.MOST_BOARDS
    declare_silly(game.state, base)
    assert game.state[layout.OVERFLOWED] == 1
    assert game.state[layout.PHASE] == layout.OVER
    assert game.state[base + layout.COUNT] == layout.MOST_BOARDS, "nothing is written past the plan"


@entry
def declare_silly(state: Any, base: int) -> None:
    silly_declares(state, base)


def test_actions_and_boards_fit_the_layout() -> None:
    assert layout.ACTIONS <= 512
    assert layout.ON_BOARD + layout.PER_BOARD * layout.MOST_BOARDS <= layout.ACTIONS
    assert layout.MOST_PLAYERS * layout.MOST_BOARDS <= layout.ACTIONS
    assert word_of(SpeciesBoard(7, 7, 7, tuple(Trait)[:3], 7)) < 1 << 32
