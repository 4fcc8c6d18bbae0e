"""Simulations: the same games on any number of threads, and correct sums."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import pytest

from wateringhole import registry
from wateringhole.errors import UsageError
from wateringhole.games import evolution
from wateringhole.games.porrinha import Rules
from wateringhole.games.porrinha.compiled import layout
from wateringhole.games.porrinha.solver import solution
from wateringhole.sim import Batch, SimulationInterrupted, SimulationResult, game_ranges, simulate, simulation
from wateringhole.sim.kernel import numba_cuda

TABLES = pytest.mark.parametrize(
    ("game", "players"),
    [
        ("porrinha", ["random"] * 5),
        ("porrinha", ["zero", "random", "equilibrium"]),
        ("evolution", ["silly"] * 4),
        ("evolution", ["random", "silly", "greedy"]),
    ],
    ids=["random players", "all players of Porrinha", "silly players", "all players of Evolution"],
)


def _results(result: SimulationResult) -> dict[str, Any]:
    """Return everything but the times and the device."""
    how = ("seconds", "compile_seconds", "games_per_second", "decisions_per_second", "threads", "device")
    return {name: getattr(result, name) for name in result.__struct_fields__ if name not in how}


@TABLES
def test_games_do_not_depend_on_the_number_of_threads(game: str, players: list[str]) -> None:
    one, two = (simulate(game, players, 3000, seed=4, threads=threads) for threads in (1, 2))
    assert _results(one) == _results(two)
    assert one.games == 3000
    assert one.overflowed == 0


@TABLES
def test_games_do_not_depend_on_the_ranges(game: str, players: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    whole = simulate(game, players, 500, seed=4)
    monkeypatch.setitem(simulation.FIRST_RANGE, "cpu", 7)
    monkeypatch.setattr(game_ranges, "CALL_SECONDS", 1e-9)
    assert _results(simulate(game, players, 500, seed=4)) == _results(whole)


def test_shares_of_features_are_in_the_field_that_the_game_names() -> None:
    result = simulate("evolution", ["silly"] * 3, 200, seed=1)
    assert set(result.traits) == set(evolution.Trait)
    assert any(0 < share < 1 for share in result.traits.values())
    assert msgspec.to_builtins(result)["traits"] == result.traits
    assert "traits" not in msgspec.to_builtins(simulate("porrinha", ["random"] * 2, 200, seed=1))


@TABLES
def test_sums_match_the_single_games(game: str, players: list[str]) -> None:
    result = simulate(game, players, 400, seed=8)
    batch = Batch(game, len(players), games=400, seed=8, policies=dict(enumerate(players)))
    assert batch.done.all()
    counts = batch.overflowed == 0
    places, scores, seats = batch.places[counts], batch.scores[counts], range(len(players))
    assert (result.games, result.overflowed, result.stopped) == (400, (~counts).sum(), 0)
    assert result.wins == tuple((places == 1).sum(axis=0))
    assert result.places == tuple(tuple(int((places[:, seat] == 1 + place).sum()) for place in seats) for seat in seats)
    assert result.mean_scores == pytest.approx(scores.mean(axis=0))
    assert result.errors.mean_scores == pytest.approx(scores.std(axis=0, ddof=1) / np.sqrt(len(scores)))
    assert result.errors.wins == pytest.approx((places == 1).std(axis=0, ddof=1) / np.sqrt(len(scores)))
    assert result.length.mean == pytest.approx(batch.lengths[counts].mean())
    assert result.decisions == batch.decisions[counts].sum()


def test_another_seed_gives_other_games() -> None:
    one, other = (simulate("porrinha", ["random"] * 2, 1000, seed=seed) for seed in (1, 2))
    assert one.checksum != other.checksum


def test_games_stopped_by_a_limit_are_counted() -> None:
    rules = Rules(max_rounds=30)
    for players in (["zero"] * 4, ["random"] * 4):
        result = simulate("porrinha", players, 300, seed=2, rules=rules)
        batch = Batch("porrinha", 4, games=300, seed=2, rules=rules, policies=dict(enumerate(players)))
        still_in = (batch.states[:, layout.STICKS : layout.STICKS + 4] > 0).sum(axis=1)
        assert result.stopped == batch.stopped.sum() == (still_in > 1).sum()
        assert 0 < result.stopped < 300
        # As with the referee, the players still in share the first free place.
        assert (batch.places.max(axis=1) == 5 - still_in).all()


def test_one_game_has_no_standard_error() -> None:
    result = simulate("porrinha", ["random"] * 2, 1)
    assert all(map(math.isnan, (*result.errors.wins, *result.errors.mean_scores, result.length.error)))
    assert result.length.mean > 0


def test_mean_score_of_two_equilibrium_players_is_the_value_of_the_game() -> None:
    result = simulate("porrinha", ["equilibrium"] * 2, 200_000, seed=1)
    value = solution.load_or_solve(3).values[3, 3]
    assert result.mean_scores[0] == pytest.approx(value, abs=5 * result.errors.mean_scores[0])


def test_no_player_beats_the_equilibrium() -> None:
    for other in ("random", "zero"):
        result = simulate("porrinha", ["equilibrium", other], 50_000, seed=1)
        value = solution.load_or_solve(3).values[3, 3]
        assert result.mean_scores[0] > value - 5 * result.errors.mean_scores[0]


def test_overflowed_games_are_counted_separately(monkeypatch: pytest.MonkeyPatch) -> None:
    import wateringhole.sim.sums as at

    real = simulation._runner

    def flagged(*arguments: Any) -> Any:
        run, workers = real(*arguments)

        def flag(start: int, stop: int) -> Any:
            sums = run(start, stop)
            sums[at.GAMES] -= 1 if stop > start else 0
            sums[at.OVERFLOWED] += 1 if stop > start else 0
            return sums

        return flag, workers

    monkeypatch.setattr(simulation, "_runner", flagged)
    result = simulate("porrinha", ["random"] * 2, 64, threads=1)
    assert (result.games, result.overflowed) == (64, 1)


def test_progress_ends_with_all_games() -> None:
    reported: list[int] = []
    simulate("porrinha", ["random"] * 2, 5000, progress=reported.append)
    assert reported[-1] == 5000
    assert reported == sorted(reported)


def test_slow_computation_of_a_strategy_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(simulation, "LEARNING_DELAY", 0.0)
    rules, calls = Rules(sticks=2), []
    simulate("porrinha", ["equilibrium"] * 3, 10, rules=rules, learning=lambda: calls.append(True))
    assert calls
    monkeypatch.setattr(simulation, "LEARNING_DELAY", 60.0)
    calls.clear()
    simulate("porrinha", ["equilibrium"] * 3, 10, rules=rules, learning=lambda: calls.append(True))
    assert not calls


def test_ctrl_c_keeps_finished_games() -> None:
    def interrupt(done: int) -> None:
        if done:
            raise KeyboardInterrupt

    with pytest.raises(SimulationInterrupted) as interrupted:
        simulate("porrinha", ["random"] * 2, 10**9, threads=2, progress=interrupt)
    result = interrupted.value.result
    assert 0 < result.games < 10**9
    # Ranges are played in order, so these are the first games of the seed.
    assert _results(simulate("porrinha", ["random"] * 2, result.games)) == _results(result)


@pytest.mark.parametrize(
    ("game", "players", "arguments", "message"),
    [
        ("chess", ["random"], {}, "'chess' is not an installed game"),
        ("porrinha", ["random"], {}, "the number of players of porrinha must be a whole number from 2 to 8, not 1"),
        (
            "evolution",
            ["silly"] * 9,
            {},
            "the number of players of evolution must be .* from 3 to 8, not 9",
        ),
        ("evolution", ["silly", "human", "silly"], {}, "'human' is not compiled.*random, silly, greedy"),
        ("porrinha", ["random", ["random"]], {}, "the player .'random'. is not compiled"),
        ("porrinha", ["random"] * 2, {"games": 0}, "games must be a whole number from 1 to 1099511627776, not 0"),
        ("porrinha", ["random"] * 2, {"games": 2.5}, "games must be a whole number from 1 to 1099511627776, not 2.5"),
        ("porrinha", ["random"] * 2, {"games": True}, "games must be a whole number from 1 .* not True"),
        ("porrinha", ["random"] * 2, {"seed": 2**64}, "seed must be a whole number .* not 18446744073709551616"),
        ("porrinha", ["random"] * 2, {"seed": "1"}, "seed must be a whole number .* not '1'"),
        ("porrinha", ["random"] * 2, {"device": "tpu"}, "there is no device 'tpu'. Choose from: cpu, cuda"),
        ("porrinha", ["random"] * 2, {"threads": 0}, "threads must be a whole number from 1 to 1024, not 0"),
        ("porrinha", ["random"] * 2, {"threads": 100_000}, "threads must be a whole number from 1 to 1024, not 100000"),
        ("evolution", ["random"] * 3, {"rules": Rules()}, "these are not rules of evolution"),
        ("porrinha", ["random"] * 2, {"rules": Rules(sticks=99)}, "rules option sticks=99"),
        ("porrinha", None, {}, "players must be a list of compiled players by seat, .* not None"),
        ("porrinha", 2, {}, "players must be a list of compiled players by seat, .* not 2"),
        ("porrinha", "random", {}, "players must be a list of compiled players by seat, .* not 'random'"),
    ],
)
def test_invalid_arguments_are_refused(game: str, players: Any, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        simulate(game, players, **{"games": 10, **arguments})


@pytest.mark.parametrize(
    ("option", "value", "values"),
    [
        ("new_board_body_limit", 9, "0 to 7"),
        ("new_board_body_limit", -1, "0 to 7"),
        ("hard_shell_gap", -1, "a number from 0"),
        ("most_turns", 0, "a number from 1"),
        ("scoring", "x", "population, boards"),
        ("symbiosis", 1, "true, false"),
        ("sticks", 2.5, "a whole number from 1 to 1000000"),
        ("sticks", [3, 2], "a whole number from 1 to 1000000"),
        ("max_rounds", -1, "none, or a whole number from 1"),
        ("finish", "nonsense", "last_loses, first_out_wins"),
    ],
)
def test_rules_made_in_python_are_checked(option: str, value: Any, values: str) -> None:
    game = "evolution" if hasattr(evolution.Rules(), option) else "porrinha"
    rules = registry.game_kind(game).rules(**{option: value})
    refused = re.escape(f"rules option {option}={value!r}: the values of {option} are {values}")
    with pytest.raises(UsageError, match=refused):
        simulate(game, ["random"] * 3, 10, rules=rules)
    with pytest.raises(UsageError, match=refused):
        Batch(game, 3, games=1, rules=rules)


def test_players_may_come_from_a_generator() -> None:
    result = simulate("porrinha", (name for name in ("random", "zero")), 10)
    assert result.players == ("random", "zero")


def test_unknown_device_is_refused_before_a_strategy_is_computed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    compute = "wateringhole.games.porrinha.compiled.game.equilibrium_strategy"
    monkeypatch.setattr(compute, lambda *_: pytest.fail("computed"))
    with pytest.raises(UsageError, match="there is no device 'tpu'"):
        simulate("porrinha", ["equilibrium"] * 2, 10, device="tpu")
    with pytest.raises(UsageError, match="there is no device 'tpu'"):
        Batch("porrinha", 2, games=1, policies={0: "equilibrium"}, device="tpu")


def test_numpy_integers_are_accepted() -> None:
    given: dict[str, Any] = {"games": np.int64(100), "seed": np.uint64(3), "threads": np.int8(1)}
    assert _results(simulate("porrinha", ["random"] * 2, **given)) == _results(
        simulate("porrinha", ["random"] * 2, 100, seed=3)
    )


def test_default_rules_are_the_first_profile() -> None:
    for game, player in (("porrinha", "random"), ("evolution", "silly")):
        first = registry.game_kind(game).default_rules
        plain, chosen = (simulate(game, [player] * 3, 300, **rules) for rules in ({}, {"rules": first}))
        assert _results(plain) == _results(chosen)


def test_missing_cuda_device_is_reported_with_an_alternative(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numba_cuda(), "is_available", lambda: False)
    with pytest.raises(UsageError, match="no usable CUDA device here; the device cpu plays the same games"):
        simulate("porrinha", ["random"] * 2, 10, device="cuda")
    with pytest.raises(UsageError, match="no usable CUDA device"):
        Batch("porrinha", 2, games=10, device="cuda")
