"""Check the simulator on a CUDA device: the same games as on the CPU, arrays without copying, and speed.

    python benchmarks/sim_cuda.py [porrinha] [evolution] [--seconds 2]

Needs the extra `cuda` and a device; PyTorch, JAX and CuPy are used if they are installed.
Prints one line for each check and each figure, and exits with status 1 if a check fails.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
import traceback
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from wateringhole import sim
from wateringhole.errors import UsageError
from wateringhole.sim.kernel import require_cuda

FAILED: list[str] = []

COMPARED = (
    "games",
    "decisions",
    "wins",
    "mean_scores",
    "places",
    "length",
    "stopped",
    "overflowed",
    "checksum",
)

TABLES: dict[str, list[list[str]]] = {
    "porrinha": [
        *(["random"] * seats for seats in range(2, 9)),
        ["equilibrium", "random"],
        ["zero", "equilibrium", "random"],
        ["zero", "random", "equilibrium", "random", "zero"],
    ],
    "evolution": [
        *(["silly"] * seats for seats in range(3, 9)),
        *(["random"] * seats for seats in range(3, 9)),
        ["silly", "greedy", "random"],
        ["greedy", "silly", "greedy", "random", "silly", "random", "greedy", "silly"],
    ],
}

SPEEDS: dict[str, list[list[str]]] = {
    "porrinha": [["random"] * 2, ["random"] * 3, ["random"] * 5, ["equilibrium"] * 2],
    "evolution": [
        *(["silly"] * seats for seats in (3, 4, 8)),
        ["random"] * 4,
        ["silly", "random"] * 2,
        ["silly", "silly", "greedy", "random"],
        ["greedy"] * 4,
    ],
}


def check(name: str, work: Callable[[], Any]) -> None:
    started = time.perf_counter()
    try:
        result = work()
    except Exception:
        traceback.print_exc()
        result = False
    if result is False:
        FAILED.append(name)
    outcome = "FAILED" if result is False else f"ok {result}"
    print(f"{name}: {outcome} ({time.perf_counter() - started:.1f} s)", flush=True)


def same_games(game: str, players: list[str], games: int) -> Any:
    """Compare sums and the digest of all final states."""
    cpu, gpu = (sim.simulate(game, players, games, seed=7, device=device) for device in ("cpu", "cuda"))
    same = all(getattr(cpu, field, None) == getattr(gpu, field, None) for field in (*COMPARED, "traits"))
    return same and f"{games} games, checksum {gpu.checksum & 0xFFFFFFFF:08x}"


def same_steps(game: str, players: int, games: int, steps: int) -> Any:
    """Compare full states, masks and observations of a batch after each step."""
    cpu, gpu = (sim.Batch(game, players, games=games, seed=11, device=device) for device in ("cpu", "cuda"))
    for step in range(steps):
        for name in ("states", "acting_seats", "decision_types", "action_masks", "observations", "scores", "places"):
            if not np.array_equal(getattr(cpu, name), getattr(gpu, name).copy_to_host()):
                print(f"step {step}: {name} differ")
                return False
        if not np.array_equal(cpu.choose("random"), gpu.choose("random").copy_to_host()):
            return False
        cpu.step(cpu.choose("random"))
        gpu.step(gpu.choose("random"))
    return f"{games} games, {steps} steps"


def torch_steps(game: str, players: int, games: int) -> Any:
    """Play at random with PyTorch, which chooses the actions; masks and states are not copied."""
    import torch  # type: ignore[import-not-found]

    batch = sim.Batch(game, players, games=games, seed=5, device="cuda")
    acting = torch.as_tensor(batch.acting_seats, device="cuda")
    if torch.as_tensor(batch.action_masks, device="cuda").data_ptr() != _address(batch.action_masks):
        return False
    steps = 0
    torch.cuda.synchronize()
    started = time.perf_counter()
    while bool((acting >= 0).any()) and steps < 5000:
        masks = torch.as_tensor(batch.action_masks, device="cuda")
        actions = torch.multinomial(masks.float() + (acting < 0)[:, None], 1)[:, 0]
        batch.step(actions)
        steps += 1
    torch.cuda.synchronize()
    taken = int(batch.decisions.copy_to_host().sum())
    seconds = time.perf_counter() - started
    return f"{games} games, {steps} steps, {taken / seconds:,.0f} decisions/s"


def cupy_view(game: str, players: int) -> Any:
    import cupy  # type: ignore[import-not-found]

    batch = sim.Batch(game, players, games=1000, device="cuda")
    masks = cupy.asarray(batch.action_masks)
    return masks.data.ptr == _address(batch.action_masks) and f"{int(masks.sum())} legal actions"


def jax_view(game: str, players: int) -> Any:
    import jax  # type: ignore[import-not-found]

    jax.devices("cuda")  # JAX accepts arrays after it has looked for devices
    batch = sim.Batch(game, players, games=1000, device="cuda")
    masks = jax.numpy.asarray(batch.action_masks)
    return masks.unsafe_buffer_pointer() == _address(batch.action_masks) and f"{int(masks.sum())} legal actions"


def _address(array: Any) -> int:
    address: int = array.__cuda_array_interface__["data"][0]
    return address


def batch_speed(game: str, players: int, games: int, seconds: float) -> Any:
    """Measure actions per second of `choose` and `step` in turn, at the start of games, before any is over."""
    cuda = require_cuda()
    batch = sim.Batch(game, players, games=games, seed=5, device="cuda")
    batch.step(batch.choose("random"))  # compiles
    steps, elapsed = 0, 0.0
    while elapsed < seconds:
        batch.reset()
        cuda.synchronize()
        started = time.perf_counter()
        for _ in range(32):
            batch.step(batch.choose("random"))
        cuda.synchronize()
        elapsed += time.perf_counter() - started
        steps += 32
    speed = f"{elapsed / steps * 1e3:.3f} ms a step, {games * steps / elapsed:,.0f} actions/s"
    return not bool(batch.done.any()) and speed


def speed(game: str, players: list[str], seconds: float) -> Any:
    first = sim.simulate(game, players, 200_000, seed=1, device="cuda")
    games = max(200_000, int(first.games_per_second * seconds))
    if games > 200_000:  # too few games of a fast player: repeat with more
        games = max(games, int(sim.simulate(game, players, games, seed=1, device="cuda").games_per_second * seconds))
    tries = [sim.simulate(game, players, games, seed=1, device="cuda") for _ in range(2)]
    best = max(tries, key=lambda result: result.games_per_second)
    return (
        f"{best.games_per_second:,.0f} games/s, {best.decisions_per_second:,.0f} decisions/s "
        f"({best.games} games; compiled in {first.compile_seconds:.1f} s; overflowed {best.overflowed})"
    )


def _measure(game: str, checked: int, seconds: float) -> None:
    for players in TABLES[game]:
        games = checked // (20 if "greedy" in players else 1)
        check(f"{game} {' '.join(players)}, same games", partial(same_games, game, players, games))
    for seats in (2, 5) if game == "porrinha" else (3, 8):
        check(f"{game}, {seats} seats, same steps", partial(same_steps, game, seats, 500, 200))
    if importlib.util.find_spec("torch"):
        check(f"{game}, 4 seats, PyTorch", partial(torch_steps, game, 4, 100_000))
    if importlib.util.find_spec("cupy"):
        check(f"{game}, 4 seats, CuPy", partial(cupy_view, game, 4))
    if importlib.util.find_spec("jax"):
        check(f"{game}, 4 seats, JAX", partial(jax_view, game, 4))
    for games in (1_000, 200_000, 1_000_000):
        check(f"{game}, 4 seats, a batch of {games}", partial(batch_speed, game, 4, games, 1))
    for players in SPEEDS[game]:
        check(f"{game} {' '.join(players)}, speed", partial(speed, game, players, seconds))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("games", nargs="*", default=["porrinha", "evolution"])
    parser.add_argument("--seconds", type=float, default=2.0)
    parser.add_argument("--checked", type=int, default=200_000, help="games to compare for each table")
    options = parser.parse_args()
    try:
        device = require_cuda().get_current_device()
    except UsageError as error:
        sys.exit(str(error))
    print(device.name, flush=True)
    for game in options.games:
        _measure(game, options.checked, options.seconds)
    print(f"failed: {', '.join(FAILED)}" if FAILED else "all checks passed")
    sys.exit(bool(FAILED))


if __name__ == "__main__":
    main()
