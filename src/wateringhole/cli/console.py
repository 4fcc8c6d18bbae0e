"""Standard output whose reader may close it, e.g. `head`, or which may be full."""

from __future__ import annotations

import contextlib
import io
import os
import sys
from collections.abc import Iterator

from rich.console import Console

__all__ = ["PipeSafeConsole", "closing_output", "escape_unencodable"]


class PipeSafeConsole(Console):
    """Ignores output after its reader has closed the pipe, so that a game is completed and recorded."""

    def on_broken_pipe(self) -> None:
        self.quiet = True
        _discard_output()


@contextlib.contextmanager
def closing_output() -> Iterator[None]:
    """Exit with status 0 if the reader of the output closes it before the end of the block, otherwise 1 if it fails.

    A reader that closes it is no error: it has got what it wanted.  Typer and Rich exit with status 1 instead.
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
    except OSError:
        # If the output has failed, it fails again.  Otherwise, this is a bug, and a traceback follows the empty line.
        _flush_output("\n")
        raise
    finally:
        # Python itself flushes later, and reports a failure.
        _flush_output()


def _flush_output(more: str = "") -> None:
    """Write what is buffered, and more.  Exit with status 1 and a message if it cannot be written."""
    try:
        if sys.stdout:
            print(end=more, flush=True)
    except BrokenPipeError:
        _discard_output()
    except OSError as error:
        _discard_output()
        print(f"wateringhole: standard output cannot be written: {error.strerror}.", file=sys.stderr)
        sys.exit(1)


def escape_unencodable() -> None:
    """Let characters that the encoding of the terminal lacks be printed as escapes instead of raising an error."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper) and stream.errors == "strict":
            stream.reconfigure(errors="backslashreplace")


def _discard_output() -> None:
    """Send all further output nowhere, including what is buffered."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, sys.stdout.fileno())
    os.close(null)
