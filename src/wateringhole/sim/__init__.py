"""The compiled engine: millions of games, on the CPU and on CUDA devices, from one source.

The referee plays the readable rules.  This engine simulates them, and tests compare both decision by decision.

- `simulate` plays complete games between compiled players and returns their results;
- `Batch` steps many games at once from arrays;
- `sample_state` and `rollout`, in the package of each compiled game, search by simulation;
- `on_compile` calls a function before code is compiled, which takes long.

Needs numba and numpy (the extra ``sim``).  Importing it without them raises OperationError.
"""

from importlib.util import find_spec

from wateringhole.errors import OperationError

_missing = [name for name in ("numba", "numpy") if find_spec(name) is None]
if _missing:
    raise OperationError(
        f"the simulator needs {' and '.join(_missing)}, not installed here. "
        "Install the extra with: pip install 'wateringhole[sim]'"
    )

import numba  # noqa: E402

if numba.config.DISABLE_JIT:  # type: ignore[attr-defined]  # set from the environment
    raise OperationError("the simulator must be compiled, but NUMBA_DISABLE_JIT forbids it; unset that variable.")

from wateringhole.sim.batch import Batch  # noqa: E402
from wateringhole.sim.kernel import on_compile  # noqa: E402
from wateringhole.sim.simulation import SimulationInterrupted, SimulationResult, devices, simulate  # noqa: E402

__all__ = ["Batch", "SimulationInterrupted", "SimulationResult", "devices", "on_compile", "simulate"]
