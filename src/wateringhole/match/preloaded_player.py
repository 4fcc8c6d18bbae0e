"""The preloaded parent of the isolated Python players of one game, which `match.specs` starts."""

from __future__ import annotations

import atexit
import contextlib
import os
import sys

from wateringhole import fallbacks, registry
from wateringhole.match.isolated_player import run
from wateringhole.match.loading import takes_seed
from wateringhole.process.forking import fork_lives

__all__ = ["main"]


def main(game: str, sandbox: str) -> None:
    """Import a game, and fork its players.  The second argument is empty outside of the sandbox."""
    # Nearly every player derives from this class.
    base = fallbacks.player_base(registry.game_kind(game))
    # The first call compiles patterns.
    takes_seed(base)
    takes_seed(object)
    words = fork_lives(is_sandboxed=bool(sandbox))
    sys.argv[1:] = words
    # After all that the player registers.
    atexit.register(_exit_quickly)
    run(*words)
    _has_played.append(True)


_has_played: list[bool] = []


def _exit_quickly() -> None:
    """Exit without clearing memory, all of which the process would have to copy from its parent first."""
    if _has_played:
        with contextlib.suppress(Exception):  # the player may have closed them
            sys.stdout.flush()
            sys.stderr.flush()
        os._exit(0)
