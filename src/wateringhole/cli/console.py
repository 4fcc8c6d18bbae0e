"""A console for what is told while something more important goes on."""

from __future__ import annotations

import os
import sys

from rich.console import Console

__all__ = ["PipeSafeConsole"]


class PipeSafeConsole(Console):
    """Goes quiet when nobody reads any more, so that a game is played to its end and recorded."""

    def on_broken_pipe(self) -> None:
        self.quiet = True
        # What is still buffered must not fail when the program ends.
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)
