"""Batches: many games stepped at once from arrays."""

from __future__ import annotations

import random
import tracemalloc
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from wateringhole.errors import OperationError, UsageError
from wateringhole.game import Seat
from wateringhole.games import evolution, porrinha
from wateringhole.games.evolution import DeclareCards, FeedNext
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.games.evolution.compiled import layout
from wateringhole.games.evolution.compiled import sample_state as sample_evolution
from wateringhole.games.evolution.compiled.translate import seat_place
from wateringhole.games.porrinha import Rules
from wateringhole.games.porrinha.compiled import layout as porrinha_layout
from wateringhole.games.porrinha.compiled import sample_state as sample_porrinha
from wateringhole.sim import Batch, simulate
from wateringhole.sim.cpu import batch_loops
from wateringhole.sim.game import compiled_game

GAMES = pytest.mark.parametrize(("game", "players"), [("porrinha", 3), ("evolution", 4)])


def _play_out(batch: Batch, player: str = "random") -> None:
    while not batch.done.all():
        batch.step(batch.choose(player))


def _some_legal(batch: Batch, rng: np.random.Generator) -> npt.NDArray[np.intp]:
    """Return a random legal action for each game, drawn by NumPy."""
    return np.asarray((batch.action_masks * rng.random(batch.action_masks.shape)).argmax(axis=1))


@GAMES
def test_stepping_with_a_compiled_player_gives_the_simulated_games(game: str, players: int) -> None:
    batch = Batch(game, players, games=300, seed=5)
    _play_out(batch)
    simulated = simulate(game, ["random"] * players, 300, seed=5)
    assert (batch.places == 1).sum(axis=0).tolist() == list(simulated.wins)
    assert batch.scores.mean(axis=0).tolist() == pytest.approx(simulated.mean_scores)
    assert batch.lengths.mean() == pytest.approx(simulated.length.mean)
    assert not batch.overflowed.any()


@GAMES
def test_batch_with_policies_stops_only_at_the_other_seats(game: str, players: int) -> None:
    batch = Batch(game, players, games=200, seed=2, policies={0: "random", 2: "random"})
    seen: set[int] = set()
    while not batch.done.all():
        seen |= set(batch.acting_seats[~batch.done].tolist())
        batch.step(batch.choose("random"))
    assert seen == set(range(players)) - {0, 2}
    # The games are the same, whether compiled players act within the batch or through `choose`.
    outside = Batch(game, players, games=200, seed=2)
    _play_out(outside)
    assert batch.scores.tolist() == outside.scores.tolist()


@GAMES
def test_game_does_not_depend_on_its_batch(game: str, players: int) -> None:
    large, small = Batch(game, players, games=60, seed=9), Batch(game, players, games=20, seed=9)
    _play_out(large)
    scores = []
    for _ in range(3):
        _play_out(small)
        scores += small.scores.tolist()
        small.reset()
    assert scores == large.scores.tolist()


@GAMES
def test_exactly_the_actions_of_the_mask_are_accepted(game: str, players: int) -> None:
    rng = np.random.default_rng(4)
    batch = Batch(game, players, games=50, seed=3)
    for _ in range(40):
        masks = batch.action_masks.copy()
        assert masks[~batch.done].any(axis=1).all()
        assert not masks[batch.done].any()
        row = int(rng.integers(50))
        if batch.done[row]:
            continue
        before = batch.states.copy()
        illegal = _some_legal(batch, rng)
        illegal[row] = int(np.flatnonzero(masks[row] == 0)[0])
        with pytest.raises(UsageError, match=f"action {illegal[row]} for game {row} of the batch is not legal"):
            batch.step(illegal)
        assert (batch.states == before).all()
        batch.step(_some_legal(batch, rng))


def test_single_rows_are_reset() -> None:
    batch = Batch("porrinha", 2, games=40, seed=1)
    for _ in range(30):
        batch.step(batch.choose("random"))
    over = batch.done.copy()
    assert over.any()
    assert not over.all()
    unfinished = batch.states[~over].copy()
    batch.reset(over)
    assert not batch.done.any()
    assert (batch.states[~over] == unfinished).all()
    assert batch.numbers.tolist() == [row + 40 * int(reset) for row, reset in enumerate(over)]


@GAMES
def test_batch_continues_from_copied_states(game: str, players: int) -> None:
    batch, again = (Batch(game, players, games=50, seed=7) for _ in range(2))
    for step in range(60):
        if step % 4 == 0:
            again.load(batch.states.copy())
            for name in ("states", "acting_seats", "decision_types", "action_masks", "observations", "done"):
                assert (getattr(again, name) == getattr(batch, name)).all(), name
        for each in (batch, again):
            each.step(each.choose("random"))
    assert (again.states == batch.states).all()
    _play_out(batch)
    again.load(batch.states)
    assert (again.scores == batch.scores).all()


def test_batch_continues_from_sampled_states_of_porrinha() -> None:
    core = porrinha.Core(porrinha.deal(3, Rules()))
    core.advance({Seat(0): 2, Seat(1): 0, Seat(2): 1})
    (guess,) = core.requests.values()
    samples = [sample_porrinha(guess.view, random.Random(seed), rules=Rules()) for seed in range(20)]
    batch = Batch("porrinha", 3, games=20, rules=Rules(), policies={1: "random", 2: "zero"})
    batch.load([sample.state for sample in samples])
    assert (batch.acting_seats == samples[0].seat).all()
    assert [np.flatnonzero(mask).tolist() for mask in batch.action_masks] == [list(guess.options)] * 20
    _play_out(batch)
    assert (np.sort(batch.places, axis=1) == [1, 2, 3]).all()


@pytest.mark.parametrize("wanted", [DeclareCards, FeedNext])
def test_batch_continues_from_sampled_states_of_evolution(wanted: Any) -> None:
    dealer = evolution.Dealer(evolution.deal(4, evolution.Rules(), 5))
    while dealer.turn < 2 or not all(isinstance(request, wanted) for request in dealer.requests.values()):
        dealer.advance({seat: request.ask(Silly()) for seat, request in dealer.requests.items()})
    (request,) = dealer.requests.values()
    samples = [sample_evolution(request.view, random.Random(seed), feeding=wanted is FeedNext) for seed in range(20)]
    me = samples[0].seat
    batch = Batch("evolution", 4, games=20, policies={seat: "silly" for seat in range(4) if seat != me})
    batch.load([sample.state for sample in samples])
    assert (batch.acting_seats == me).all()
    expected = "step" if wanted is DeclareCards else "feed"
    assert {batch.decision_type_names[decision] for decision in batch.decision_types} == {expected}
    rng = np.random.default_rng(1)
    while not batch.done.all():
        assert set(batch.acting_seats[~batch.done]) == {me}
        batch.step(_some_legal(batch, rng))
    assert not batch.overflowed.any()


def test_policies_act_at_once_after_loading() -> None:
    kept = Batch("porrinha", 3, games=30, seed=3)
    batch = Batch("porrinha", 3, games=30, seed=3, policies={0: "random", 1: "random"})
    batch.load(kept.states)
    assert (batch.acting_seats == 2).all()
    _play_out(kept)
    _play_out(batch)
    assert (batch.scores == kept.scores).all()


def test_policies_complete_answers_that_are_loaded_half_finished() -> None:
    """A compiled player within a batch takes the actions that it chooses from outside."""
    kept = Batch("evolution", 3, games=200, seed=3)
    batch = Batch("evolution", 3, games=200, seed=3, policies=dict.fromkeys(range(3), "random"))
    rng = np.random.default_rng(3)
    for _ in range(41):
        kept.step(_some_legal(kept, rng))
    halves = {kept.decision_type_names[number] for number in kept.decision_types}
    assert {"card", "target"} & halves, halves
    batch.load(kept.states)
    assert batch.done.all()
    _play_out(kept)
    assert (batch.scores == kept.scores).all()


@pytest.mark.parametrize(
    ("game", "players", "word", "value"),
    [
        ("porrinha", 3, porrinha_layout.PLAYERS, 2),
        ("porrinha", 3, porrinha_layout.MAX_ROUNDS, 5),
        ("porrinha", 3, porrinha_layout.DECISION_TYPE, 3),
        ("porrinha", 3, porrinha_layout.ACTING, 3),
        ("porrinha", 3, porrinha_layout.ACTING, -1),
        ("porrinha", 3, porrinha_layout.STICKS, 4),
        ("porrinha", 3, porrinha_layout.SAID, 64),
        ("porrinha", 3, porrinha_layout.HAND, 3),
        ("evolution", 4, layout.PLAYERS, 5),
        ("evolution", 4, layout.HARD_SHELL_GAP, 3),
        ("evolution", 4, layout.ACTING, 4),
        ("evolution", 4, layout.PHASE, 3),
        ("evolution", 4, layout.DECLARED, 4),
        ("evolution", 4, layout.END, 123),
        ("evolution", 4, layout.PENDING, layout.GIVE_FOOD - 1),
        ("evolution", 4, layout.DECK + 20, 0xFFFFFFFF),
        ("evolution", 4, layout.SEATS + layout.COUNT, 33),
        ("evolution", 4, layout.SEATS + layout.FOOD_CARD, 129),
        ("evolution", 4, layout.SEATS + layout.HAND + 3, 1 << 31),
        ("evolution", 4, layout.SEATS + layout.ROW, 0xFFFFFFFF),
    ],
)
def test_rows_of_other_games_are_not_loaded(game: str, players: int, word: int, value: int) -> None:
    batch = Batch(game, players, games=3, seed=1)
    before = batch.states.copy()
    invalid = batch.states.copy()
    invalid[1, word] = value
    with pytest.raises(UsageError, match=f"state 1 cannot be loaded: its row is not a game of {players} players"):
        batch.load(invalid)
    assert (batch.states == before).all()


def batch_at(decision: str, game: str, players: int) -> Batch:
    """Return a batch with one game at such a decision."""
    batch = Batch(game, players, games=1, seed=1)
    while batch.decision_type_names[batch.decision_types[0]] != decision:
        batch.step(batch.choose("random"))
    return batch


SEAT_0, SEAT_1 = seat_place(0), seat_place(1)


@pytest.mark.parametrize(
    ("decision", "values"),
    [
        ("feed", {layout.HOLE: 0}),
        ("feed", {layout.ACTING: 0, SEAT_0 + layout.COUNT: 0, layout.PENDING: layout.ATTACK}),
        ("step", {SEAT_1 + layout.HAND + word: 0 for word in range(4)}),
        ("step", {layout.ASKED + word: 0 for word in range(4)}),
    ],
)
def test_rows_that_cannot_be_finished_are_not_loaded(decision: str, values: dict[int, int]) -> None:
    batch = batch_at(decision, "evolution", 3)
    invalid = batch.states.copy()
    for word, value in values.items():
        invalid[0, word] = value
    with pytest.raises(UsageError, match="state 0 cannot be loaded"):
        batch.load(invalid)


def test_porrinha_rows_with_a_guess_of_a_player_who_is_out_are_not_loaded() -> None:
    batch = Batch("porrinha", 3, games=1, seed=1)
    while (batch.states[0, porrinha_layout.STICKS : porrinha_layout.STICKS + 3] > 0).all():
        batch.step(batch.choose("random"))
    out = int(np.flatnonzero(batch.states[0, porrinha_layout.STICKS : porrinha_layout.STICKS + 3] == 0)[0])
    invalid = batch.states.copy()
    batch.load(invalid)
    invalid[0, porrinha_layout.SAID + out] = 0
    with pytest.raises(UsageError, match="state 0 cannot be loaded"):
        batch.load(invalid)


@pytest.mark.parametrize(
    "states", [None, [0, 1], np.zeros((3, 72), np.int32), np.zeros((4, 72), np.int64), np.zeros((4, 71), np.int32)]
)
def test_states_of_a_wrong_shape_are_refused(states: Any) -> None:
    with pytest.raises(UsageError, match=r"states to load must be int32 of \(4, 72\), a row for each game, not "):
        Batch("porrinha", 2, games=4).load(states)


def test_rules_apply_to_the_games() -> None:
    batch = Batch("porrinha", 2, games=5, rules=Rules(sticks=2, opening_zero="forbidden"))
    assert [np.flatnonzero(mask).tolist() for mask in batch.action_masks] == [[1, 2]] * 5
    assert batch.decision_type_names[batch.decision_types[0]] == "hide"


def test_equilibrium_acts_the_same_through_choose_and_as_a_policy() -> None:
    outside = Batch("porrinha", 2, games=100, seed=6)
    inside = Batch("porrinha", 2, games=100, seed=6, policies={0: "equilibrium"})
    while not outside.done.all():
        actions = np.where(outside.acting_seats == 0, outside.choose("equilibrium").copy(), outside.choose("random"))
        outside.step(actions)
    _play_out(inside)
    assert outside.scores.tolist() == inside.scores.tolist()


def test_observations_are_those_of_the_acting_seats() -> None:
    batch = Batch("porrinha", 3, games=10, seed=6)
    for _ in range(4):
        batch.step(batch.choose("random"))
    expected = [batch.observe(int(seat))[row].tolist() for row, seat in enumerate(batch.acting_seats)]
    assert batch.observations.tolist() == expected


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"players": 9}, "the number of players of porrinha must be a whole number from 2 to 8, not 9"),
        ({"players": 2.0}, "the number of players of porrinha must be a whole number from 2 to 8, not 2.0"),
        ({"games": 0}, "games must be a whole number from 1 to 2147483647, not 0"),
        ({"games": 2.5}, "games must be a whole number from 1 to 2147483647, not 2.5"),
        ({"games": None}, "games must be a whole number .* not None"),
        ({"seed": -1}, "seed must be a whole number from 0 to 18446744073709551615, not -1"),
        ({"seed": 1.0}, "seed must be a whole number .* not 1.0"),
        ({"device": "tpu"}, "there is no device 'tpu'"),
        ({"policies": {0: "counter"}}, "'counter' is not compiled.*random, zero, equilibrium"),
        ({"policies": {0: ["random"]}}, "the player .'random'. is not compiled"),
        ({"policies": {2: "random"}}, "a seat of policies must be a whole number from 0 to 1, not 2"),
        ({"policies": {"0": "random"}}, "a seat of policies must be a whole number from 0 to 1, not '0'"),
        ({"policies": ["random", None]}, "policies must map seats to compiled players"),
        ({"rules": evolution.Rules()}, "these are not rules of porrinha"),
        ({"rules": Rules(sticks=60)}, "rules option sticks=60 cannot be simulated"),
        ({"rules": Rules(sticks=(3, 3, 3))}, "is for 3 seats"),
    ],
    ids=lambda value: next(iter(value)) if isinstance(value, dict) else "",
)
def test_invalid_arguments_of_a_batch_are_refused(arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        Batch("porrinha", **{"players": 2, "games": 4, **arguments})


@pytest.mark.parametrize(
    "actions",
    [[0, 0], [0.0] * 4, [[0]] * 4, [True] * 4, 0, None, "0000", np.zeros(4, "m8[s]")],
    ids=["too few", "floats", "two dimensions", "truth values", "one number", "None", "a text", "durations"],
)
def test_actions_of_a_wrong_shape_or_type_are_refused(actions: Any) -> None:
    with pytest.raises(UsageError, match="actions must be 4 whole numbers"):
        Batch("porrinha", 2, games=4).step(actions)


def test_objects_that_are_not_arrays_are_refused() -> None:
    batch = Batch("porrinha", 2, games=2)
    for take in (batch.step, batch.reset):
        with pytest.raises(UsageError, match="is not an array: setting an array element with a sequence"):
            take([[0], [0, 1]])


class _OnAnotherDevice:
    """An object that, like a tensor of PyTorch on a GPU, cannot be converted to NumPy."""

    def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
        raise TypeError("can't convert cuda:0 device type tensor to numpy.")


def test_array_on_another_device_is_refused_with_the_reason() -> None:
    with pytest.raises(UsageError, match="is not an array: can't convert cuda:0"):
        Batch("porrinha", 2, games=2).step(_OnAnotherDevice())


def test_batch_too_large_for_the_machine_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    real, many = np.zeros, 2 * 10**9

    def zeros(shape: Any, dtype: Any) -> Any:
        if shape == (many, layout.STATE):
            raise MemoryError("Unable to allocate 5.49 TiB")
        return real(shape, dtype)

    monkeypatch.setattr(np, "zeros", zeros)
    with pytest.raises(OperationError, match="there is not enough memory for 2000000000 games: Unable to allocate"):
        Batch("evolution", 8, games=many)


def test_all_integer_types_and_layouts_are_accepted_without_compiling_again() -> None:
    batch, plain = (Batch("porrinha", 2, games=6, seed=1) for _ in range(2))
    advance: Any = batch_loops("porrinha").advance
    compiled = len(advance.signatures)
    for step in range(8):
        actions = plain.choose("random").copy()
        read_only = actions.copy()
        read_only.flags.writeable = False
        given = [
            actions.tolist(),
            actions.astype(np.uint64),
            np.repeat(actions, 2)[::2],
            read_only,
            actions.astype(">i4"),
        ]
        batch.step(given[step % len(given)])
        plain.step(actions)
        assert (batch.states == plain.states).all()
    assert len(advance.signatures) == compiled


@GAMES
def test_every_decision_type_has_a_name(game: str, players: int) -> None:
    batch = Batch(game, players, games=50, seed=3)
    while not batch.done.all():
        assert batch.decision_types.max() < len(compiled_game(game).decision_types)
        batch.step(batch.choose("random"))


def test_all_compiled_players_play_with_a_handicap() -> None:
    batch = Batch("porrinha", 2, games=20, seed=1, rules=Rules(sticks=(3, 2)))
    for player in ("zero", "random", "equilibrium"):
        batch.step(batch.choose(player))
    _play_out(batch, "equilibrium")
    assert batch.scores.sum(axis=1).tolist() == [1] * 20


@GAMES
def test_actions_of_a_compiled_player_are_checked(game: str, players: int) -> None:
    batch = Batch(game, players, games=50, seed=1)
    stale = batch.choose("random")
    while batch.action_masks[np.arange(50), stale].all():
        batch.step(stale)
    before = batch.states.copy()
    with pytest.raises(UsageError, match="is not legal"):
        batch.step(stale)
    edited = batch.choose("random")
    edited[7] = 600_000_000
    with pytest.raises(UsageError, match="action 600000000 for game 7 of the batch is not legal"):
        batch.step(edited)
    assert (batch.states == before).all()


@pytest.mark.parametrize("action", [-7, 2**31, 2**40, 2**63, 2**64 - 1, -(2**63)])
def test_illegal_action_is_reported_as_given(action: int) -> None:
    batch = Batch("porrinha", 2, games=3)
    actions = np.array([0, action, 0], np.uint64 if action >= 2**63 else np.int64)
    with pytest.raises(UsageError, match=f"action {action} for game 1 of the batch is not legal"):
        batch.step(actions)


@GAMES
def test_legality_does_not_depend_on_arrays_that_callers_can_change(game: str, players: int) -> None:
    batch = Batch(game, players, games=4, seed=1)
    before = batch.states.copy()
    illegal = batch.action_masks.shape[1] - 1
    batch.action_masks[:] = True
    with pytest.raises(UsageError, match=f"action {illegal} for game 0 of the batch is not legal"):
        batch.step([illegal] * 4)
    batch.acting_seats[:] = -1
    with pytest.raises(UsageError, match="is not legal"):
        batch.step([illegal] * 4)
    assert (batch.states == before).all()
    batch = Batch(game, players, games=4, seed=1)
    _play_out(batch)
    over = batch.states.copy()
    batch.acting_seats[:] = 0
    batch.step([illegal] * 4)
    assert (batch.states == over).all(), "a finished game does not change"


@pytest.mark.parametrize("seat", [-2, 3, 10**7, 1.0, True, None])
def test_observing_an_unknown_seat_is_refused(seat: Any) -> None:
    with pytest.raises(UsageError, match=f"there is no seat {seat} in a game of 3 players"):
        Batch("evolution", 3, games=2).observe(seat)


@pytest.mark.parametrize(
    "which",
    [True, [True], [0, 1, 2, 3], [1, 2], [[True] * 4], [1.0] * 4, []],
    ids=["one value", "too few", "integers", "row numbers", "two dimensions", "floats", "empty"],
)
def test_reset_needs_a_truth_value_for_each_game(which: Any) -> None:
    batch = Batch("porrinha", 2, games=4, seed=1)
    batch.step(batch.choose("random"))
    before, numbers = batch.states.copy(), batch.numbers.copy()
    with pytest.raises(UsageError, match="which games to reset must be 4 truth values"):
        batch.reset(which)
    assert (batch.states == before).all()
    assert (batch.numbers == numbers).all()


def test_overflowed_game_has_neither_scores_nor_places() -> None:
    batch = Batch("evolution", 3, games=2, seed=1)
    _play_out(batch)
    assert batch.scores.any()
    batch.reset()
    # A hand of 64 cards, all of which buy boards.
    hand = layout.SEATS + layout.HAND
    batch.states[:, hand : hand + layout.HAND_WORDS] = [0xFFFFFFFF, 0xFFFFFFFF, 0, 0]
    while not batch.done.all():
        legal = batch.action_masks
        buys = legal[:, layout.BUY_BOARD] & (batch.decision_types == layout.STEP)
        batch.step(np.where(buys, layout.BUY_BOARD, legal.argmax(1)))
    assert batch.overflowed.tolist() == [1, 1]
    assert not batch.scores.any()
    assert not batch.places.any()
    assert not batch.states[:, layout.SEATS + layout.SCORE].any()


def test_observations_take_memory_only_when_they_are_read() -> None:
    size = Batch("evolution", 4, games=1).observations.nbytes * 2000  # also compiles, before measuring
    tracemalloc.start()
    try:
        batch = Batch("evolution", 4, games=2000, seed=1)
        taken, _ = tracemalloc.get_traced_memory()
        assert taken < size
        assert batch.observations.nbytes == size
        taken, _ = tracemalloc.get_traced_memory()
        assert taken > size
    finally:
        tracemalloc.stop()


OTHER_PLAYERS = pytest.mark.parametrize("player", ["random", "silly", "greedy"])


@OTHER_PLAYERS
@pytest.mark.parametrize("prefix", [1, 2, 3, 4, 5, 8, 12])
@pytest.mark.parametrize("players", [3, 5])
def test_compiled_players_legally_continue_what_others_began(player: str, prefix: int, players: int) -> None:
    rng = np.random.default_rng(prefix)
    batch = Batch("evolution", players, games=500, seed=prefix)
    # Start after some turns, with each game in a different state.
    for _ in range(60 * (prefix % 3)):
        batch.step(np.where(rng.random(500) < 0.5, batch.choose("silly").copy(), batch.choose("greedy")))
    while not batch.done.all():
        for _ in range(prefix):
            batch.step(_some_legal(batch, rng))
        for _ in range(int(rng.integers(1, 25))):
            # An illegal action would be refused.
            batch.step(batch.choose(player))


@OTHER_PLAYERS
def test_compiled_players_restart_a_draft_after_a_dead_end(player: str) -> None:
    batch = Batch("evolution", 3, games=1, seed=1)
    while not batch.action_masks[0, layout.RESTART] or batch.decision_types[0] != layout.STEP:
        batch.step([layout.BUY_BOARD] if batch.decision_types[0] == layout.STEP else batch.action_masks.argmax(axis=1))
    assert batch.choose(player).tolist() == [layout.RESTART]
    _play_out(batch, player)
    assert not batch.overflowed.any()


def test_silly_gives_food_after_any_first_step() -> None:
    rng = np.random.default_rng(1)
    batch = Batch("evolution", 4, games=400, seed=1)
    for _ in range(2):
        batch.step(_some_legal(batch, rng))
    while (batch.acting_seats == 0).any():
        batch.step(batch.choose("silly"))
    assert (batch.states[:, layout.SEATS + layout.FOOD_CARD] != layout.NO_CARD).all()
