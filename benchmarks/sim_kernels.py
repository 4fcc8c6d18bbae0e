"""Measure the simulator's kernels as machine code, without a device: instructions, registers and spilled bytes.

    python benchmarks/sim_kernels.py [porrinha] [evolution] [--arch 90]

Needs the extra `cuda`, and `ptxas` and `nvdisasm` of a CUDA toolkit on the path.  Kernels of whole games are also
measured for each player alone, because a kernel contains only the players of its games.
"""

from __future__ import annotations

import argparse
import importlib.util
import re
import shutil
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
from numba import types
from numba.np.numpy_support import from_dtype

from wateringhole.sim.game import CompiledGame, compiled_game
from wateringhole.sim.kernel import REGISTERS, numba_cuda

cuda = numba_cuda()


def kernels_of(game: CompiledGame) -> dict[str, Any]:
    """Return the functions that become kernels, by name."""
    found: dict[str, Any] = {}

    def note(function: Any, *, name: str, variant: str = "", players: Any = ()) -> None:
        found[function.__name__] = function

    module: Any = importlib.import_module("wateringhole.sim.cuda")
    module.kernel = note
    module._simulation_kernel.__wrapped__(game)
    module._batch_kernels.__wrapped__(game, game)
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
        "advance": (
            *(rows, row(types.uint8), int32s, int64s, int32s, row(word, 2), table, uint32s, seed, int32s, int32s),
            *(number, row(types.boolean, 2), row(from_dtype(np.dtype(game.observation_dtype)), 2), table, table),
            *(row(types.float32, 2), row(types.boolean)),
        ),
        "action_masks": (rows, row(types.boolean, 2)),
        "choose": (rows, int64s, types.int32, uint32s, seed, int32s),
        "observe": (rows, number, table),
        "results": (rows, int32s, table, table, table, table),
        "first_illegal": (rows, int32s, int64s),
        "first_invalid": (rows, int32s, row(word, 2), int64s),
    }
    return types.void(*arguments[kernel])


def measure(label: str, function: Any, signature: Any, arch: int) -> None:
    ptx, _ = cuda.compile(function, signature, cc=divmod(arch, 10), device=False, abi="numba", output="ptx")
    with tempfile.TemporaryDirectory() as folder:
        source, machine_code = Path(folder, "kernel.ptx"), Path(folder, "kernel.cubin")
        source.write_text(ptx)
        limit = f"-maxrregcount={REGISTERS}"
        command = ["ptxas", "-v", f"-arch=sm_{arch}", limit, "-o", str(machine_code), str(source)]
        report = subprocess.run(command, check=True, capture_output=True, text=True).stderr
        listing = subprocess.run(
            ["nvdisasm", "-c", str(machine_code)], check=True, capture_output=True, text=True
        ).stdout
    count = sum(name != "NOP" for name in re.findall(r"\*/ +(?:@!?\w+ +)?([A-Z][A-Z0-9_.]+)", listing))
    (used,) = re.findall(r"Used (\d+) registers", report)
    # Called functions are counted separately.
    spilled = sum(map(int, re.findall(r"(\d+) bytes spill stores", report)))
    print(f"{label:40} {count:6} instructions, {used:>3} registers, {spilled:5} bytes spilled", flush=True)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("games", nargs="*", default=["porrinha", "evolution"])
    parser.add_argument("--arch", type=int, default=90, help="architecture of the device, e.g. 90 for an H200")
    options = parser.parse_args()
    missing = [] if importlib.util.find_spec("numba_cuda") else ["the extra: pip install 'wateringhole[cuda]'"]
    missing += [f"{tool} of a CUDA toolkit" for tool in ("ptxas", "nvdisasm") if shutil.which(tool) is None]
    if missing:
        sys.exit(f"this needs {', and '.join(missing)}")
    warnings.simplefilter("ignore")
    # Functions that kernels call are compiled for the installed device.
    dispatcher: Any = importlib.import_module("numba.cuda.dispatcher")
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=divmod(options.arch, 10))
    for name in options.games:
        game = compiled_game(name)
        for kernel, function in kernels_of(game).items():
            measure(f"{name}, {kernel}", function, signature(kernel, game), options.arch)
        for players in ((), *((player,) for player in game.policies)):
            known = game.with_policies(frozenset(players))
            if known is game:
                continue
            kernel = "simulate" if players else "advance"
            label = f"{name}, {kernel}, {' '.join(players) or 'no player'} inside"
            measure(label, kernels_of(known)[kernel], signature(kernel, game), options.arch)


if __name__ == "__main__":
    main()
