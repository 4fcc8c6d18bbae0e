"""A console for output that must not stop a game."""

from __future__ import annotations

import os
import sys

from rich.console import Console

__all__ = ["PipeSafeConsole"]


class PipeSafeConsole(Console):
    """Ignores output after its reader has closed the pipe, so that a game is completed and recorded."""

    def on_broken_pipe(self) -> None:
        self.quiet = True
        # Flushing the buffer must not fail when the program exits.
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, sys.stdout.fileno())
        os.close(null)
