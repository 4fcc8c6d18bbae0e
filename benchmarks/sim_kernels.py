"""The kernels of the simulator as machine code, without a device: instructions, registers and spilled bytes.

    python benchmarks/sim_kernels.py [porrinha] [evolution] [--arch 90]

Needs numba-cuda, `ptxas` of a CUDA toolkit and `nvdisasm` on the path.  The last line of Evolution is
its kernel with all that only other players need left out: what a game of silly players runs through.
"""

from __future__ import annotations

import argparse
import dataclasses
import importlib
import re
import subprocess
import tempfile
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from numba import types
from numba.np.numpy_support import from_dtype

from wateringhole.sim import compiled
from wateringhole.sim.game import CompiledGame, compiled_game

cuda: Any = importlib.import_module("numba.cuda")
EVERY_SEAT = 255


def kernels_of(game: CompiledGame) -> dict[str, tuple[Any, int | None]]:
    """The functions that become kernels, each with the most registers that it may have."""
    found: dict[str, tuple[Any, int | None]] = {}

    def note(function: Any, *, name: str, registers: int | None = None) -> None:
        found[function.__name__] = function, registers

    ours: Any = importlib.import_module("wateringhole.sim.cuda")
    ours.kernel, ours.compiled_game = note, lambda name: game
    ours._simulation_kernel.__wrapped__(game.name)
    ours._batch_loops.__wrapped__(game.name)
    return found


def signature(kernel: str, game: CompiledGame) -> Any:
    def row(kind: Any, dimensions: int = 1) -> Any:
        return types.Array(kind, dimensions, "C")

    word, number, seed = from_dtype(np.dtype(game.dtype)), types.int64, types.uint64
    rows = types.Array(word, 2, "F")
    words, int32s, int64s, uint32s = row(word), row(types.int32), row(types.int64), row(types.uint32)
    table = row(types.int32, 2)
    arguments: dict[str, tuple[Any, ...]] = {
        "simulate": (number, number, number, words, int32s, uint32s, seed, row(types.uint64)),
        "go_on": (rows, row(types.uint8), int32s, int64s, words, int32s, uint32s, seed, int32s, int32s),
        "masks": (rows, row(types.boolean, 2)),
        "choose": (rows, int64s, types.int32, uint32s, seed, int32s),
        "observe": (rows, number, table),
        "results": (rows, table, table, table),
        "find_illegal": (rows, int32s, int64s),
    }
    return types.void(*arguments[kernel])


def measure(label: str, function: Any, registers: int | None, signature: Any, arch: int) -> None:
    ptx, _ = cuda.compile(function, signature, cc=divmod(arch, 10), device=False, abi="numba", output="ptx")
    with tempfile.TemporaryDirectory() as folder:
        source, machine_code = Path(folder, "kernel.ptx"), Path(folder, "kernel.cubin")
        source.write_text(ptx)
        limit = [f"-maxrregcount={registers}"] if registers else []
        command = ["ptxas", "-v", f"-arch=sm_{arch}", *limit, "-o", str(machine_code), str(source)]
        told = subprocess.run(command, check=True, capture_output=True, text=True).stderr
        listing = subprocess.run(
            ["nvdisasm", "-c", str(machine_code)], check=True, capture_output=True, text=True
        ).stdout
    count = sum(name != "NOP" for name in re.findall(r"\*/ +(?:@!?\w+ +)?([A-Z][A-Z0-9_.]+)", listing))
    (used,) = re.findall(r"Used (\d+) registers", told)
    (spilled,) = re.findall(r"(\d+) bytes spill stores", told)
    print(f"{label:40} {count:6} instructions, {used:>3} registers, {spilled:>5} bytes spilled", flush=True)


def silly_alone() -> CompiledGame:
    """Evolution whose whole games know no other player."""
    from wateringhole.sim.evolution.dealing import shuffle
    from wateringhole.sim.evolution.engine import go_on, open_game

    @compiled.thin
    def play(state: Any, setup: Any, policies: Any, advice: Any, seed: Any, game: Any) -> None:
        shuffle(state, seed, game)
        open_game(state, setup, 0)
        go_on(state, EVERY_SEAT)

    return dataclasses.replace(compiled_game("evolution"), play=play)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("games", nargs="*", default=["porrinha", "evolution"])
    parser.add_argument("--arch", type=int, default=90, help="of the device, e.g. 90 for an H200")
    options = parser.parse_args()
    warnings.simplefilter("ignore")
    # Functions that kernels call are compiled for the device that is there.
    dispatcher: Any = importlib.import_module("numba.cuda.dispatcher")
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=divmod(options.arch, 10))
    for name in options.games:
        game = compiled_game(name)
        for kernel, (function, registers) in kernels_of(game).items():
            measure(f"{name}, {kernel}", function, registers, signature(kernel, game), options.arch)
    if "evolution" in options.games:
        game = silly_alone()
        function, registers = kernels_of(game)["simulate"]
        measure(
            "evolution, simulate, silly players alone", function, registers, signature("simulate", game), options.arch
        )


if __name__ == "__main__":
    main()
