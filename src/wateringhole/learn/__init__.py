"""Learning environments: the games for PettingZoo, Gymnasium and OpenSpiel.

All of them share the actions and observations of the compiled games, so an agent that was trained in one environment
plays in the others, and against any player under the referee.

- `aec_env` returns a PettingZoo environment.

Needs the extra ``learn``.
"""

from importlib.util import find_spec
from typing import TYPE_CHECKING

from wateringhole.errors import OperationError
from wateringhole.lazy import lazy_names

__all__ = ["aec_env"]

if find_spec("numpy") is None:
    raise OperationError(
        "learning environments need numpy, which is not installed; "
        "install the extra with: pip install 'wateringhole[learn]'"
    )

if TYPE_CHECKING:
    from wateringhole.learn.aec import aec_env
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {"wateringhole.learn.aec": ["aec_env"]},
    )
