"""Steps for training: unchecked, with the next game, masks, observations and rewards in one launch."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from wateringhole.errors import UsageError
from wateringhole.games.evolution.compiled import layout
from wateringhole.sim import Batch
from wateringhole.sim.game import compiled_game

GAMES = pytest.mark.parametrize(("game", "players"), [("porrinha", 3), ("evolution", 4)])


def _some_legal(batch: Batch, rng: np.random.Generator) -> npt.NDArray[np.int32]:
    return np.asarray((batch.action_masks * rng.random(batch.action_masks.shape)).argmax(axis=1), np.int32)


@GAMES
@pytest.mark.parametrize("policies", [{}, {0: "random"}], ids=["alone", "with a compiled player"])
def test_unchecked_steps_play_the_games_of_checked_steps(game: str, players: int, policies: dict[int, str]) -> None:
    plain, fused = (Batch(game, players, games=60, seed=4, policies=policies) for _ in range(2))
    rng, finished = np.random.default_rng(1), 0
    for _ in range(400):
        actions = _some_legal(plain, rng)
        plain.step(actions)
        over, scores, places = plain.done.copy(), plain.scores.copy(), plain.places.copy()
        plain.reset(over)
        fused.step_unchecked(actions)
        assert (fused.ended == over).all()
        assert (fused.final_scores[over] == scores[over]).all()
        assert (fused.final_places[over] == places[over]).all()
        for name in ("states", "numbers", "acting_seats", "decision_types", "action_masks", "observations"):
            assert (getattr(fused, name) == getattr(plain, name)).all(), name
        finished += int(over.sum())
    assert finished > 40


@GAMES
def test_rewards_are_those_of_the_games_that_end(game: str, players: int) -> None:
    batches = {reward: Batch(game, players, games=80, seed=2, reward=reward) for reward in ("first", "place", "score")}
    while not (batches["first"].numbers >= 80).all():
        for batch in batches.values():
            batch.step_unchecked(batch.choose("random"))
        for row in range(80):
            places = batches["place"].final_places[row]
            if not batches["place"].ended[row]:
                assert not any(batch.rewards[row].any() for batch in batches.values())
                continue
            first = (places == 1) / (places == 1).sum()
            ahead = [((places > place).sum() - (places < place).sum()) / (players - 1) for place in places]
            assert batches["first"].rewards[row] == pytest.approx(first)
            assert batches["place"].rewards[row] == pytest.approx(ahead)
            assert (batches["score"].rewards[row] == batches["score"].final_scores[row]).all()


@GAMES
def test_game_that_was_over_is_replaced_with_its_results(game: str, players: int) -> None:
    batch = Batch(game, players, games=20, seed=6)
    while not batch.done.all():
        batch.step(batch.choose("random"))
    scores = batch.scores.copy()
    batch.step_unchecked(np.full(20, -5))
    assert batch.ended.all()
    assert (batch.final_scores == scores).all()
    assert not batch.done.any()
    assert batch.numbers.tolist() == list(range(20, 40))


@GAMES
def test_reset_after_an_unchecked_step_refreshes_masks_and_observations(game: str, players: int) -> None:
    batch, fresh = (Batch(game, players, games=5, seed=6) for _ in range(2))
    for _ in range(9):
        batch.step_unchecked(batch.choose("random"))
    batch.reset()
    fresh.reset()
    assert (batch.action_masks == fresh.action_masks).all()
    assert (batch.observations == fresh.observations).all()


@pytest.mark.parametrize("game", ["porrinha", "evolution"])
def test_batch_mixes_numbers_of_players_and_policies(game: str) -> None:
    players = [3, 4, 5] * 8
    policies: list[dict[int, str]] = [{}, {1: "random"}, {0: "random", 4: "random"}] * 8
    mixed = Batch(game, players, games=24, seed=3, policies=policies)
    assert mixed.scores.shape == (24, 5)
    for _ in range(150):
        mixed.step_unchecked(mixed.choose("random"))
    for kind in range(3):
        alone = Batch(game, players[kind], games=24, seed=3, policies=policies[kind])
        for _ in range(150):
            alone.step_unchecked(alone.choose("random"))
        rows = slice(kind, None, 3)
        assert (mixed.states[rows] == alone.states[rows]).all()
        assert (mixed.final_places[rows, : players[kind]] == alone.final_places[rows]).all()
        assert not mixed.final_places[rows, players[kind] :].any()
        assert not mixed.rewards[rows, players[kind] :].any()
    kept = mixed.states.copy()
    mixed.reset()
    mixed.load(kept)
    assert (mixed.states == kept).all()
    with pytest.raises(UsageError, match="state 0 cannot be loaded"):
        mixed.load(np.roll(kept, 1, axis=0))


def test_compact_observations_of_evolution_show_what_the_full_ones_show() -> None:
    full, compact = (Batch("evolution", 5, games=60, seed=8, compact=compact) for compact in (False, True))
    assert compact.observations.dtype == np.uint8
    assert compact.observations.nbytes * 7 < full.observations.nbytes
    rng = np.random.default_rng(2)
    for _ in range(250):
        actions = _some_legal(full, rng)
        for batch in (full, compact):
            batch.step_unchecked(actions)
        assert (_unpacked(compact.observations) == _shown(full.observations)).all()
    assert (full.observe(2)[:, 1] == compact.observe(2)[:, 1]).all()


def _shown(full: Any) -> npt.NDArray[np.int64]:
    """Return the numbers of full observations that compact ones have, too."""
    kept = layout.PER_SEEN_BOARD * layout.COMPACT_BOARDS
    parts = [full[:, : layout.SEEN_PLAN], full[:, layout.SEEN_PLAN : layout.SEEN_PLAN + kept]]
    for seat in range(layout.MOST_PLAYERS):
        start = layout.SEEN_SEATS + layout.SEEN_SEAT * seat
        parts += [full[:, start : start + 2], full[:, start + 3 : start + 3 + kept]]
    return np.concatenate(parts, axis=1)


def _unpacked(compact: Any) -> npt.NDArray[np.int64]:
    compact = compact.astype(np.int64)
    hand = compact[:, layout.COMPACT_HAND : layout.COMPACT_PLAN].astype(np.uint8)
    cards = np.unpackbits(hand, axis=1, bitorder="little")[:, : layout.CARDS]
    parts = [compact[:, : layout.COMPACT_HAND], cards, _boards(compact, layout.COMPACT_PLAN + 1)]
    for seat in range(layout.MOST_PLAYERS):
        start = layout.COMPACT_SEATS + layout.COMPACT_SEAT * seat
        parts += [compact[:, start : start + 2], _boards(compact, start + 2)]
    return np.concatenate(parts, axis=1)


def _boards(compact: Any, start: int) -> npt.NDArray[np.int64]:
    size = layout.PER_COMPACT_BOARD * layout.COMPACT_BOARDS
    boards = compact[:, start : start + size].reshape(len(compact), layout.COMPACT_BOARDS, layout.PER_COMPACT_BOARD)
    traits = boards[..., 4:5] | boards[..., 5:6] << 8 | boards[..., 6:7] << 16
    return np.concatenate([boards[..., :4], traits], axis=2).reshape(len(compact), -1)


def test_compact_observations_of_porrinha_have_the_same_numbers() -> None:
    full, compact = (Batch("porrinha", 4, games=40, seed=8, compact=compact) for compact in (False, True))
    assert compact.observations.dtype == np.int8
    for _ in range(100):
        actions = full.choose("random").copy()
        for batch in (full, compact):
            batch.step_unchecked(actions)
        cut = full.observations.copy()
        cut[:, 4] = np.minimum(cut[:, 4], 127)
        assert (compact.observations == cut).all()


def test_actions_of_the_wrong_shape_or_type_are_refused() -> None:
    batch = Batch("porrinha", 2, games=3)
    for wrong in ([0, 0], [0.0, 0.0, 0.0], [[0, 0, 0]]):
        with pytest.raises(UsageError, match="actions must be 3 whole numbers"):
            batch.step_unchecked(wrong)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"reward": "win"}, "there is no reward 'win'. Choose from: first, place, score"),
        ({"players": [2, 3]}, "players must have one entry for each of the 3 games, not 2"),
        ({"players": [2, 3, 9]}, "the number of players of porrinha must be a whole number from 2 to 8, not 9"),
        ({"policies": [{}, {}]}, "policies must have one entry for each of the 3 games, not 2"),
        ({"policies": [{}, {2: "random"}, {}]}, "a seat of policies must be a whole number from 0 to 1, not 2"),
        ({"policies": ["random"] * 3}, "policies must map seats to compiled players"),
        (
            {"players": [2, 3, 2], "policies": {0: "equilibrium"}},
            "compiled players of porrinha look up tables for one number of players",
        ),
    ],
)
def test_arguments_that_no_batch_can_have_are_refused(arguments: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"players": 2, **arguments}
    with pytest.raises(UsageError, match=message):
        Batch("porrinha", given.pop("players"), games=3, **given)


def test_game_without_compact_observations_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    game = compiled_game("porrinha")
    monkeypatch.setitem(game.__dict__, "compact", None)
    from wateringhole.sim.game import compacted

    compacted.cache_clear()
    with pytest.raises(UsageError, match="porrinha has no compact observations; leave `compact` out"):
        Batch("porrinha", 2, games=3, compact=True)
    compacted.cache_clear()
