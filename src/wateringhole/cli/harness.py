"""`wateringhole harness`: the JSON harnesses, for comparing implementations."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Annotated

import typer

from wateringhole.cli.common import RuleWords, rules_of
from wateringhole.cli.completion import complete_harnesses
from wateringhole.errors import OperationError, UsageError, WateringHoleError
from wateringhole.formatting import choose_from

__all__ = ["harness"]


def harness(
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Harness: {harnesses}.", autocompletion=complete_harnesses)
    ],
    lines: Annotated[
        bool, typer.Option("--lines", help="Read and write JSON Lines; null for a malformed line.")
    ] = False,
    rules: RuleWords = None,
) -> None:
    """Read a JSON value from standard input and write the answer to standard output.

    Example: wateringhole harness {harness} < value.json
    """
    answer = _harness(name, rules)
    if not lines:
        print(answer(sys.stdin.buffer.read()))
        return
    for number, line in enumerate(sys.stdin.buffer, 1):
        if not line.strip():
            continue
        try:
            print(answer(line), flush=True)
        except WateringHoleError as error:
            print("null", flush=True)
            print(f"line {number}: {error}", file=sys.stderr)


def _harness(name: str, words: list[str] | None) -> Callable[[bytes], str]:
    """Return a function from a text to the answer's text.  It raises OperationError for ill-shaped input."""
    import msgspec

    from wateringhole import registry
    from wateringhole.protocol.json import parse

    found = {
        harness: (kind, run)
        for kind in registry.kinds()
        for harness, run in (kind.harnesses() if kind.harnesses else {}).items()
    }
    if name not in found:
        raise UsageError(f"harness {name!r} does not exist. {choose_from(name, found)}")
    kind, run = found[name]
    rules = rules_of(kind, words)

    def answer(text: bytes) -> str:
        try:
            return msgspec.json.encode(run(parse(text), rules)).decode()
        except ValueError as error:
            raise OperationError(f"ill-shaped input: {error}") from None

    return answer
