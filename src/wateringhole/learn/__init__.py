"""Learning environments: the games for PettingZoo, Gymnasium and OpenSpiel.

All of them share the actions and observations of the compiled games, so an agent that was trained in one environment
plays in the others, and against any player under the referee.

- `aec_env` returns a PettingZoo environment;
- importing this package registers an environment for each game with Gymnasium, if that is installed;
- `policy_player` turns a trained policy into a player;
- importing `wateringhole.learn.open_spiel` registers the games with OpenSpiel.

Needs the extra ``learn``; OpenSpiel needs the extra ``openspiel``.
"""

from importlib.util import find_spec
from typing import TYPE_CHECKING

from wateringhole.errors import OperationError
from wateringhole.lazy import is_installed, lazy_names

__all__ = ["aec_env", "policy_player"]

if find_spec("numpy") is None:
    raise OperationError(
        "learning environments need numpy, which is not installed; "
        "install the extra with: pip install 'wateringhole[learn]'"
    )

if TYPE_CHECKING:
    from wateringhole.learn.aec import aec_env
    from wateringhole.learn.policy import policy_player
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {"wateringhole.learn.aec": ["aec_env"], "wateringhole.learn.policy": ["policy_player"]},
    )

if is_installed("gymnasium"):
    from wateringhole.learn.registration import register_environments

    register_environments()
