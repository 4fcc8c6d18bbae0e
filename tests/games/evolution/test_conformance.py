"""The course's graded cases, which are not part of this repository; they are read from the given folder."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.games.evolution.builders import COURSE
from wateringhole.games.evolution.harness import HARNESSES
from wateringhole.protocol.json import parse


@pytest.mark.parametrize("name", HARNESSES)
def test_graded_cases(name: str, conformance: Path) -> None:
    cases = [parse(line) for line in (conformance / f"{name}.jsonl").read_bytes().splitlines()]
    assert cases
    assert {case["name"]: _answer(name, case["in"]) for case in cases} == {case["name"]: case["out"] for case in cases}


def _answer(name: str, value: Any) -> Any:
    """Return the answer of a harness after a conversion to JSON text, as on the command line."""
    return parse(msgspec.json.encode(HARNESSES[name](value, COURSE)))
