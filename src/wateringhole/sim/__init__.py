"""The compiled engine: millions of games, on the CPU and on CUDA devices, from one source.

The readable engine referees; this one simulates, and is tested against it decision by decision.

- `simulate` plays whole games between compiled players and tells what came of them;
- `Batch` steps many games at once from arrays;
- `sample_state` and `rollout` of a compiled game's own package search by playing on;
- `on_compile` tells whoever waits that something is being compiled.

Needs numba and numpy (the extra ``sim``); importing it where they are missing raises OperationError.
"""

from importlib.util import find_spec

from wateringhole.errors import OperationError

_missing = [name for name in ("numba", "numpy") if find_spec(name) is None]
if _missing:
    raise OperationError(
        f"the simulator needs {' and '.join(_missing)}, not installed here; "
        "install the extra with: pip install 'wateringhole[sim]'"
    )

import numba  # noqa: E402

if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]  # made from the environment
    raise OperationError("the simulator is compiled, which NUMBA_DISABLE_JIT forbids here; unset that variable.")

from wateringhole.sim.batch import Batch  # noqa: E402
from wateringhole.sim.kernel import on_compile  # noqa: E402
from wateringhole.sim.simulation import SimulationInterrupted, SimulationResult, devices, simulate  # noqa: E402

__all__ = ["Batch", "SimulationInterrupted", "SimulationResult", "devices", "on_compile", "simulate"]
