"""A server under load, in its own process: `wateringhole host` or `wateringhole serve` of any version."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

__all__ = ["Server"]

START_SECONDS = 60.0
STOP_SECONDS = 60.0


class Server:
    """A running command of a checkout.  The system reports its processor time and memory."""

    def __init__(self, checkout: Path, command: str, options: Sequence[str]) -> None:
        """Start the command with any free port, and wait until it listens."""
        self._folder = tempfile.TemporaryDirectory()
        folder = Path(self._folder.name)
        self._output, self._log = folder / "output", folder / "log"
        more = ["--store", str(folder / "store")] if command == "serve" else []
        with self._output.open("wb") as output, self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "wateringhole", command, "--port", "0", *more, *options],
                cwd=folder,
                env={**os.environ, "PYTHONPATH": str(checkout / "src"), "PYTHONUNBUFFERED": "1"},
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=log,
            )
        self.port = self._wait_for_port()
        self.most_memory = 0.0
        """The most memory so far, in MiB, as of the last call of `memory`."""

    def _wait_for_port(self) -> int:
        until = time.monotonic() + START_SECONDS
        while time.monotonic() < until and self._process.poll() is None:
            found = re.search(rb"127\.0\.0\.1(?::| port )(\d+)", self._output.read_bytes() + self._log.read_bytes())
            if found:
                return int(found[1])
            time.sleep(0.05)
        raise SystemExit(f"the server did not start:\n{self.log}")

    @property
    def output(self) -> str:
        """The standard output so far."""
        return self._output.read_text()

    @property
    def log(self) -> str:
        """The lines on standard error so far."""
        return self._log.read_text()

    def processor_seconds(self) -> float:
        """Return the processor time of all its threads so far."""
        fields = Path(f"/proc/{self._process.pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def memory(self) -> float:
        """Return the memory that it uses now, in MiB."""
        status = dict(re.findall(r"^(VmHWM|VmRSS):\s*(\d+) kB", self._status(), re.MULTILINE))
        self.most_memory = max(self.most_memory, int(status.get("VmHWM", 0)) / 1024)
        return int(status.get("VmRSS", 0)) / 1024

    def _status(self) -> str:
        return Path(f"/proc/{self._process.pid}/status").read_text()

    @property
    def is_running(self) -> bool:
        return self._process.poll() is None

    def wait(self) -> None:
        """Wait until the server exits by itself."""
        self._process.wait(STOP_SECONDS)

    def close(self) -> None:
        """Stop the server, if it still runs, and delete its files."""
        if self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(STOP_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
                self._process.wait()
        self._folder.cleanup()
