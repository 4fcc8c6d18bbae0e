"""A file with every message that `join` sent and received, one JSON object per line (`docs/reference/hosts.md`)."""

from __future__ import annotations

import time
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import msgspec

from wateringhole.errors import OperationError
from wateringhole.join.address import Address
from wateringhole.protocol.frames import FrameError, FrameReader, Incomplete

__all__ = ["Transcript"]

SECRETS = ("token", "code")
"""Fields whose values would let a reader of the file play for the player."""


class Transcript:
    """The messages of both sides with their times; without a path, they are not kept."""

    def __init__(self, path: Path | None = None) -> None:
        try:
            self._file = path.open("wb") if path else None
        except OSError as error:
            raise OperationError(f"{path} cannot be written: {error.strerror}.") from None
        self._start = time.monotonic()
        self._values = FrameReader(may_greet=True)

    def connected(self, address: Address) -> None:
        """Note a new connection."""
        self._values = FrameReader(may_greet=True)
        self._write(event="connected", address=f"{address.scheme}://{address.host}:{address.port}", time=_now())

    def closed(self, why: str) -> None:
        """Note the end of a connection."""
        self._write(event="closed", reason=why)

    def sent(self, message: bytes) -> None:
        self._message("player", message)

    def received(self, message: bytes) -> None:
        self._message("host", message)

    def received_part(self, chunk: bytes) -> None:
        """Note the values that are complete in a stream without line ends."""
        self._values.feed(chunk)
        try:
            while not isinstance(self._values.take(), Incomplete):
                self.received(self._values.text)
        except FrameError:
            self.received(chunk)

    def close(self) -> None:
        if self._file:
            self._file.close()

    def _message(self, sender: Literal["host", "player"], message: bytes) -> None:
        if not self._file:
            return
        try:
            value = msgspec.json.decode(message)
        except (msgspec.DecodeError, UnicodeError, RecursionError):
            self._write(sender=sender, text=message.decode(errors="replace"))
            return
        if isinstance(value, dict):
            value |= {name: "(secret)" for name in SECRETS if name in value}
        self._write(sender=sender, message=value)

    def _write(self, **line: Any) -> None:
        if self._file:
            seconds = round(time.monotonic() - self._start, 6)
            # At once, so that the file is complete if the command is stopped.
            self._file.write(msgspec.json.encode({"seconds": seconds, **line}) + b"\n")
            self._file.flush()


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
