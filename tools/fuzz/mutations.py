"""Mutations of inputs by token, for JSON and for HTTP alike; a fuzzer alone changes single bytes."""

from __future__ import annotations

import random
import re

__all__ = ["STRANGE", "mutate"]

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*"|-?\d+(?:\.\d+)?|\w+|\s+|.', re.DOTALL)

STRANGE = (
    *(
        b"null",
        b"true",
        b"false",
        b"-1",
        b"0",
        b"1",
        b"1000",
        b"1.5",
        b"-0.0",
        b"1e400",
        b"1e-400",
        b"NaN",
        b"Infinity",
    ),
    *(b"4294967296", b"-9223372036854775808", b"18446744073709551616", b"9" * 400),
    *(
        b'""',
        b"[]",
        b"{}",
        b"[[]]",
        b'"type"',
        b'"\\ud800"',
        b'"\\u0000"',
        b'"\\u202e"',
        b'"\xc3\xa9"',
        b'"' + b"x" * 70,
    ),
    *(
        b"[" * 40,
        b"[" * 2000,
        b'{"a":' * 40,
        b"\x00",
        b"\xff",
        b"\xf0\x9f\xa6\x95",
        b"\n",
        b"\r\n",
        b"\t",
        b"%00",
        b"../",
    ),
)
"""Tokens at which readers often fail."""


def mutate(data: bytes, chance: random.Random) -> bytes:
    """Return data with a few tokens changed."""
    tokens = _TOKEN.findall(data)
    for _ in range(chance.choice((1, 1, 1, 2, 4))):
        tokens = _changed(tokens, chance)
    return b"".join(tokens)


def _changed(tokens: list[bytes], chance: random.Random) -> list[bytes]:
    at = chance.randrange(len(tokens) + 1)
    end = at + chance.choice((1, 1, 2, 8, 40))
    before, run, after = tokens[:at], tokens[at:end], tokens[end:]
    match chance.randrange(6):
        case 0:
            return [*before, chance.choice(STRANGE), *tokens[at + 1 :]]
        case 1:
            return [*before, *tokens[at + 1 : at + 2], chance.choice(STRANGE), *tokens[at + 2 :]]
        case 2:
            return [*before, *chance.sample(tokens, min(1, len(tokens))), *tokens[at + 1 :]]
        case 3:
            return before + after
        case 4:
            return before + run + run + after
        case _:
            return [*before, *(_with_another_byte(token, chance) for token in tokens[at : at + 1]), *tokens[at + 1 :]]


def _with_another_byte(token: bytes, chance: random.Random) -> bytes:
    at = chance.randrange(len(token))
    return token[:at] + bytes([token[at] ^ (1 << chance.randrange(8))]) + token[at + 1 :]
