"""A pseudo-terminal for tests: runs a command, reads its output and types input."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time
from collections.abc import Iterator, Sequence

__all__ = ["Screen", "on_screen"]

_COMPLETE = re.compile(
    rb"(?:[^\x1b\x80-\xff]|\x1b\[[?0-9;]*[A-Za-z]|[\xc0-\xdf].|[\xe0-\xef]..|[\xf0-\xf7]...)*", re.DOTALL
)
"""Complete characters and escape sequences."""

TIMEOUT = 30.0
"""Seconds until a missing text fails a test."""


class Screen:
    """A command in a pseudo-terminal, and its output so far."""

    def __init__(self, command: Sequence[str]) -> None:
        self._near, far = pty.openpty()
        self.process = subprocess.Popen(
            command,
            stdin=far,
            stdout=far,
            stderr=far,
            start_new_session=True,
            # Ctrl-C reaches only a process with a controlling terminal.
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
            env=os.environ | {"TERM": "xterm", "COLUMNS": "100", "NO_COLOR": "1"},
        )
        os.close(far)
        self.shown = ""
        self._raw = b""

    def type(self, keys: str) -> None:
        os.write(self._near, keys.encode())

    def until(self, text: str) -> str:
        """Wait for a text.  Return the output since the last call, up to and including the text."""
        deadline = time.monotonic() + TIMEOUT
        while text not in self.shown:
            ready = select.select([self._near], [], [], max(0.0, deadline - time.monotonic()))[0]
            try:
                chunk = os.read(self._near, 4096) if ready else b""
            except OSError:  # the command has exited
                chunk = b""
            assert chunk, f"{text!r} never appeared after {self.shown!r}"
            self._show(chunk)
        seen, _, self.shown = self.shown.partition(text)
        return seen + text

    def end(self) -> int:
        """Wait until the command exits.  Return its status."""
        with contextlib.suppress(OSError):
            while chunk := os.read(self._near, 4096):
                self._show(chunk)
        return self.process.wait(timeout=TIMEOUT)

    def _show(self, chunk: bytes) -> None:
        """Add output without colours and styles; incomplete sequences wait for the rest."""
        self._raw += chunk
        complete = _COMPLETE.match(self._raw)
        assert complete is not None
        self._raw = self._raw[complete.end() :]
        self.shown += re.sub(r"\x1b\[[0-9;]*m", "", complete[0].decode())

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        os.close(self._near)


@contextlib.contextmanager
def on_screen(*words: str) -> Iterator[Screen]:
    """Run `wateringhole WORD…` in a pseudo-terminal."""
    screen = Screen([sys.executable, "-m", "wateringhole", *words])
    try:
        yield screen
    finally:
        screen.close()
