"""A badly behaved player of any game as a program: `python bad_program.py KIND`.  It needs only the standard library.

It follows the protocol of `docs/reference/protocol.md` until its third request that allows the misdeed `KIND`, and then
commits it.  `deeds` returns what a misdeed does to a connection.  It does no input or output, so that other
transports can use it::

    for deed in deeds(kind, message, good):     # message: a decoded request; good: a legal answer as bytes
        …                                       # bytes: send them unchanged; a float: wait this many
                                                # seconds; CLOSE: close the connection

To add misdeeds of one game, call `main` with functions for them.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

Message = dict[str, Any]
Deed = bytes | float | None
Write = Callable[[Message, str], bytes]
"""A function from a request and the JSON text of an answer to the bytes on a connection."""

Misdeed = Callable[[Message, bytes, Write], Iterator[Deed]]

CLOSE: Final = None
AFTER = 2
"""The number of requests that are answered legally first."""
LONG = 30.0
"""Seconds: longer than any time limit of a test."""
TOO_LATE = 2.5
"""Seconds: just longer than the time limits of tests."""
NOTHING = "nothing"
"""The kind without a misdeed."""


def in_protocol(message: Message, text: str) -> bytes:
    """Write an answer in the protocol of `docs/reference/protocol.md`."""
    return f'{{"type":"answer","id":{message["id"]},"answer":{text}}}\n'.encode("latin-1")


def line(**fields: Any) -> bytes:
    return json.dumps(fields).encode() + b"\n"


def answer(message: Message, value: Any, write: Write = in_protocol) -> bytes:
    return write(message, json.dumps(value))


def decent(message: Message, write: Write = in_protocol) -> bytes:
    """Answer legally: with the first listed option, or by passing."""
    if options := message.get("options"):
        return answer(message, options[0], write)
    return line(type="pass", id=message["id"])


# Misdeeds on a connection.  `good` is a legal answer to the request, as bytes.


def _silent(message: Message, good: bytes, write: Write) -> Iterator[Deed]:
    yield LONG


def _late(message: Message, good: bytes, write: Write) -> Iterator[Deed]:
    yield TOO_LATE
    yield good


def _dribble(message: Message, good: bytes, write: Write) -> Iterator[Deed]:
    for byte in good:
        yield bytes([byte])
        yield 1.0


def _repeat(message: Message, good: bytes, write: Write) -> Iterator[Deed]:
    """Answer the first request again."""
    yield in_protocol({"id": 1}, "0")
    yield LONG


def _twice(message: Message, good: bytes, write: Write) -> Iterator[Deed]:
    yield good * 2


def _another_seat(message: Message, good: bytes, write: Write) -> Iterator[Deed]:
    """Answer the request to another seat, and ask for its view."""
    yield line(type="answer", id=message["id"] + 1, player=1, answer=0)
    yield line(type="request", id=message["id"], request="view", seat=1)
    yield LONG


def _gigabyte(message: Message, good: bytes, write: Write) -> Iterator[Deed]:
    for _ in range(1 << 10):
        yield b"x" * (1 << 20)


def _flood(message: Message, good: bytes, write: Write) -> Iterator[Deed]:
    """Send messages without end, each of which may be ignored."""
    for _ in range(1 << 20):
        yield line(type="chatter")


def _half_and_close(message: Message, good: bytes, write: Write) -> Iterator[Deed]:
    yield from _half(message, good, write)
    yield CLOSE


def _half_and_wait(message: Message, good: bytes, write: Write) -> Iterator[Deed]:
    yield from _half(message, good, write)
    yield LONG


def _half(message: Message, good: bytes, write: Write) -> Iterator[Deed]:
    text = write(message, '"so I say"')
    yield text[: len(text) // 2]


def _close(message: Message, good: bytes, write: Write) -> Iterator[Deed]:
    yield CLOSE


def _raw(text: str) -> Misdeed:
    """Return the misdeed of sending a line, with the id of the request in place of ID."""

    def deed(message: Message, good: bytes, write: Write) -> Iterator[Deed]:
        yield text.replace("ID", str(message["id"])).encode() + b"\n"

    return deed


def _answering(text: str) -> Misdeed:
    """Return the misdeed of answering with a text; each character is a byte."""

    def deed(message: Message, good: bytes, write: Write) -> Iterator[Deed]:
        yield write(message, text)

    return deed


WIRE: dict[str, Misdeed] = {
    "silent": _silent,
    "late": _late,
    "one byte a second": _dribble,
    "a gigabyte": _gigabyte,
    "closing": _close,
    "closing mid-answer": _half_and_close,
    "half an answer": _half_and_wait,
    "junk": _raw("hello? is this on?"),
    "no message": _raw("[1,2,3]"),
    "half a JSON value": _answering("[0,[]"),
    "invalid UTF-8": _answering('"\xff\xfe"'),
    "deep nesting": _answering("[" * 100_000 + "]" * 100_000),
    "NaN": _answering("NaN"),
    "a huge number": _answering("9" * 100_000),
    "a huge exponent": _answering("1e999999"),
    "a large number": _answering("99999999999999999999"),
    "a string": _answering('"banana"'),
    "an object": _answering('{"banana":1}'),
    "null": _answering("null"),
}
"""Misdeeds on any connection."""

WITH_MESSAGES: dict[str, Misdeed] = {
    "repeating": _repeat,
    "answering twice": _twice,
    "another seat": _another_seat,
    "a flood": _flood,
    "no id": _raw('{"type":"answer","answer":0}'),
    "an id as text": _raw('{"type":"answer","id":"ID","answer":0}'),
    "no answer in it": _raw('{"type":"answer","id":ID}'),
    "giving up": _raw('{"type":"failed","id":ID,"message":"had to go","reason":"left"}'),
}
"""Misdeeds that need the messages of the JSON protocol."""
WIRE |= WITH_MESSAGES

PROCESS = ("aborting", "exiting", "printing", "forking", "allocating", "deaf")
"""Misdeeds of a process."""

KINDS = (*WIRE, *PROCESS)


def deeds(kind: str, message: Message, good: bytes, write: Write = in_protocol) -> Iterator[Deed]:
    """Return the deeds of a player of this kind at a request."""
    return WIRE[kind](message, good, write)


# The program


def main(
    kind: str,
    good: Callable[[Message], bytes] = decent,
    bad: Callable[[str, Message], bytes | None] = lambda kind, message: None,
) -> None:
    """Play over standard input and output.

    `good` returns a legal answer to a request.  `bad` returns an answer of a kind that this module does not
    know, or None if this request does not allow it.
    """
    requests = 0
    print("ready", file=sys.stderr)
    for text in sys.stdin:
        message = json.loads(text)
        if message["type"] == "hello":
            send(line(type="hello", protocol=1))
            if kind == "deaf":
                time.sleep(1000)
        if message["type"] != "request":
            continue
        requests += 1
        if requests > AFTER and kind in WIRE:
            commit(deeds(kind, message, good(message)))
        else:
            if requests > AFTER and kind in PROCESS:
                misbehave(kind)
            given = bad(kind, message) if requests > AFTER else None
            send(good(message) if given is None else given)


def commit(done: Iterator[Deed]) -> None:
    for deed in done:
        if deed is CLOSE:
            os.close(1)
            time.sleep(LONG)
        elif isinstance(deed, bytes):
            send(deed)
        else:
            time.sleep(deed)


def send(text: bytes) -> None:
    rest = memoryview(text)
    try:
        while rest:
            rest = rest[os.write(1, rest) :]
    except BrokenPipeError:
        sys.exit(1)


def misbehave(kind: str) -> None:
    match kind:
        case "aborting":
            os.abort()
        case "exiting":
            print("I have had enough", file=sys.stderr)
            sys.exit(3)
        case "printing":
            print("hm, let me see ...", flush=True)
        case "forking":
            fork()
        case "allocating":
            hoard = []
            while True:
                hoard.append(bytearray(16 << 20))


def fork() -> None:
    """Start children that a careless host would not stop: a plain one, one in its own session, one without a parent."""
    sleep = [sys.executable, "-c", "import time; time.sleep(1000)"]
    subprocess.Popen(sleep)
    subprocess.Popen(sleep, start_new_session=True)
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execv(sys.executable, sleep)
        os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1])
