"""A real server of the page in its own process, which gets raw bytes."""

from __future__ import annotations

import contextlib
import itertools
import select
import socket
import subprocess
import sys
import tempfile
import threading
from pathlib import Path
from typing import Self
from urllib.parse import urlsplit

__all__ = ["OPERATOR", "Server"]

OPERATOR = "the-token-of-the-operator"
_ANSWER_SECONDS = 0.05
"""How long to wait for an answer to a request, which may be incomplete."""
_LOBBY_SECONDS = 30.0
_LOBBY = b"GET /api/lobby HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n"


class Server:
    """`wateringhole serve` on the loopback, until `close`."""

    def __init__(self) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._log = Path(self._folder.name, "log")
        store = Path(self._folder.name, "store.sqlite")
        options = ["--port", "0", "--store", str(store), "--operator-token", OPERATOR, "--keep-games", "100"]
        with self._log.open("wb") as log:
            self._process = subprocess.Popen(
                [sys.executable, "-m", "wateringhole", "serve", *options], stdout=subprocess.PIPE, stderr=log
            )
        assert self._process.stdout is not None
        line = self._process.stdout.readline().decode()
        url = urlsplit(next(word for word in line.split() if word.startswith("http://")))
        self._address = url.hostname, url.port
        # The server limits what one address may do, and every address on 127.0.0.0/8 is this machine.
        self._hosts = (f"127.1.{one}.{two}" for one, two in itertools.cycle(itertools.product(range(250), repeat=2)))
        self._read = 0
        self._drain = threading.Thread(target=self._process.stdout.read, daemon=True)
        self._drain.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        self.close()

    def send(self, data: bytes) -> bytes:
        """Send bytes on a new connection.  Return what arrives at once, or nothing if the server waits for more."""
        with self._connect() as connection, contextlib.suppress(ConnectionError):
            connection.sendall(data)
            if select.select([connection], [], [], _ANSWER_SECONDS)[0]:
                return connection.recv(1 << 16)
        return b""

    def problem(self) -> str | None:
        """Return what is wrong with the server, or None if it serves the lobby and reports no unexpected error."""
        if (status := self._process.poll()) is not None:
            return f"the server has ended with status {status}:\n{self._log.read_text(errors='replace')}"
        with self._connect() as connection:
            connection.settimeout(_LOBBY_SECONDS)
            try:
                connection.sendall(_LOBBY)
                answer = connection.recv(1 << 16)
            except OSError as error:
                return f"the server does not serve its lobby: {error}"
        if not answer.startswith(b"HTTP/1.1 200 "):
            return f"the server does not serve its lobby: {answer[:200]!r}"
        with self._log.open("rb") as log:
            log.seek(self._read)
            lines = log.read()
            self._read = log.tell()
        return lines.decode(errors="replace") if b"Traceback" in lines or b"unexpected error" in lines else None

    def close(self) -> None:
        self._process.terminate()
        self._process.wait()
        self._drain.join()
        assert self._process.stdout is not None
        self._process.stdout.close()
        self._folder.cleanup()

    def _connect(self) -> socket.socket:
        host = next(self._hosts) if sys.platform == "linux" else "127.0.0.1"
        return socket.create_connection(self._address, timeout=_LOBBY_SECONDS, source_address=(host, 0))
