"""Standard output whose reader may close it, e.g. `head`."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterator

from rich.console import Console

__all__ = ["PipeSafeConsole", "closing_output"]


class PipeSafeConsole(Console):
    """Ignores output after its reader has closed the pipe, so that a game is completed and recorded."""

    def on_broken_pipe(self) -> None:
        self.quiet = True
        _discard_output()


@contextlib.contextmanager
def closing_output() -> Iterator[None]:
    """Exit with status 0 if the reader of the output closes it before the end of the block.

    That is no error: the reader has got what it wanted.  Typer and Rich exit with status 1 instead.
    """
    try:
        yield
    except SystemExit as ended:
        if not isinstance(ended.__context__, BrokenPipeError):
            raise
        _discard_output()
        sys.exit(0)
    except BrokenPipeError:
        _discard_output()
        sys.exit(0)
    finally:
        # Python itself flushes later, and reports a failure.
        try:
            if sys.stdout:
                sys.stdout.flush()
        except BrokenPipeError:
            _discard_output()


def _discard_output() -> None:
    """Send all further output nowhere, including what is buffered."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)
