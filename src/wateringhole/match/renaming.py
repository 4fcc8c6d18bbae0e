"""A record with another name for a seat.  The game stays the same, and the digest is that of the new lines."""

from __future__ import annotations

import msgspec

from wateringhole.digests import digest
from wateringhole.match.record import Result, read_record

__all__ = ["with_name"]


def with_name(text: bytes, seat: int, name: str) -> bytes:
    """Return the text of a record in which the player of a seat has another name.

    Raises OperationError if the record cannot be read.
    """
    record = read_record(text, "The record")
    names = tuple(name if number == seat else other for number, other in enumerate(record.header.names))
    # Some setups contain the names, which `next_setup` replaces.
    setup = record.kind.next_setup(record.setup, list(enumerate(names)), None)
    header = msgspec.structs.replace(
        record.header, names=names, setup=msgspec.to_builtins(record.kind.codec.setup_to_json(setup))
    )
    lines = text.splitlines(keepends=True)
    played = b"".join([msgspec.json.encode(header), b"\n", *lines[1:-1]])
    result = msgspec.json.decode(lines[-1], type=Result)
    return played + msgspec.json.encode(msgspec.structs.replace(result, digest=digest(played))) + b"\n"
