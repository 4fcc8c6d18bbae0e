"""A `wateringhole serve` process for tests with a browser."""

from __future__ import annotations

import re
import shutil
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

__all__ = ["CHROMIUM", "FLAGS", "House"]

BROWSERS = ("chromium-headless-shell", "chromium", "chromium-browser", "google-chrome")
"""Chromium without windows first, because the other ones draw an unseen window for each page."""

CHROMIUM = next(filter(None, map(shutil.which, BROWSERS)), None)
"""The installed browser, or None; tests never download one."""

FLAGS = [
    # Chromium's sandbox does not start as root.
    "--no-sandbox",
    "--disable-gpu",
    "--no-first-run",
    "--disable-sync",
    "--disable-background-networking",
    "--disable-component-update",
    # The site behind a proxy, as in the documentation.
    "--host-resolver-rules=MAP club.example 127.0.0.1",
]


class House:
    """A running `wateringhole serve`.

    `program` holds the arguments of Python that run `wateringhole`, and `options` those of `serve`.
    """

    def __init__(
        self, folder: Path, program: Sequence[str] = ("-m", "wateringhole"), options: Sequence[str] = ()
    ) -> None:
        self._program = program
        self._options = options
        self.store = f"sqlite:///{folder / 'store.db'}"
        self._log_path = folder / "serve.log"
        self._port = "0"
        self.open()
        self._port = self.address.rpartition(":")[2]

    def open(self) -> None:
        """Start the server; after `close`, at the same address and with the same store."""
        command = [sys.executable, *self._program, "serve", "--port", self._port, "--store", self.store]
        command += self._options
        self._log = self._log_path.open("a")
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=self._log, text=True)
        assert self._process.stdout is not None
        found = re.search(r"http://\S+", self._process.stdout.readline())
        assert found, self._log_path.read_text()
        self.address = found.group(0).rstrip("/")

    def close(self) -> None:
        assert self._process.stdout is not None
        self._process.send_signal(signal.SIGINT)
        try:
            assert self._process.wait(120) == 0
        finally:
            self._process.kill()
            self._process.stdout.close()
            self._log.close()
