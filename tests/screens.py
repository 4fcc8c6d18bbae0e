"""A real terminal for tests: a command on one side of a pseudo-terminal, a person's eyes and fingers on the other."""

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

_WHOLE = re.compile(
    rb"(?:[^\x1b\x80-\xff]|\x1b\[[?0-9;]*[A-Za-z]|[\xc0-\xdf].|[\xe0-\xef]..|[\xf0-\xf7]...)*", re.DOTALL
)
"""Letters and escape sequences that have come to their end."""

PATIENCE = 30.0
"""Seconds until something that never appears fails a test."""


class Screen:
    """All that a command has shown so far, as the terminal gets it."""

    def __init__(self, command: Sequence[str]) -> None:
        self._near, far = pty.openpty()
        self.process = subprocess.Popen(
            command,
            stdin=far,
            stdout=far,
            stderr=far,
            start_new_session=True,
            # So that Ctrl-C reaches it.
            preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
            env=os.environ | {"TERM": "xterm", "COLUMNS": "100", "NO_COLOR": "1"},
        )
        os.close(far)
        self.shown = ""
        self._raw = b""

    def type(self, keys: str) -> None:
        os.write(self._near, keys.encode())

    def until(self, words: str) -> str:
        """Wait until some words appear; all that was shown since the last time, those included."""
        deadline = time.monotonic() + PATIENCE
        while words not in self.shown:
            ready = select.select([self._near], [], [], max(0.0, deadline - time.monotonic()))[0]
            try:
                chunk = os.read(self._near, 4096) if ready else b""
            except OSError:  # that is how it ends
                chunk = b""
            assert chunk, f"{words!r} never appeared after {self.shown!r}"
            self._show(chunk)
        seen, _, self.shown = self.shown.partition(words)
        return seen + words

    def end(self) -> int:
        """Wait for the end of the command; its status."""
        with contextlib.suppress(OSError):
            while chunk := os.read(self._near, 4096):
                self._show(chunk)
        return self.process.wait(timeout=PATIENCE)

    def _show(self, chunk: bytes) -> None:
        """Colours and bold letters are left out; what is not whole yet waits for the rest."""
        self._raw += chunk
        whole = _WHOLE.match(self._raw)
        assert whole is not None
        self._raw = self._raw[whole.end() :]
        self.shown += re.sub(r"\x1b\[[0-9;]*m", "", whole[0].decode())

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGKILL)
        self.process.wait()
        os.close(self._near)


@contextlib.contextmanager
def on_screen(*words: str) -> Iterator[Screen]:
    """`wateringhole WORD…`, at a terminal."""
    screen = Screen([sys.executable, "-m", "wateringhole", *words])
    try:
        yield screen
    finally:
        screen.close()
