"""Reading, writing and comparing the data files under `tests/golden/v1`.  Nothing here knows the project's code.

A large record, or a large file of scenes, is compressed and has ``.gz`` after its name.
"""

from __future__ import annotations

import gzip
import json
import math
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

__all__ = [
    "FOLDER",
    "assert_same",
    "compare_lines",
    "is_there",
    "json_lines",
    "lines_of",
    "names_under",
    "read",
    "read_json",
    "with_features_last",
    "without_fields",
    "without_numbers",
    "without_wording",
    "write",
    "write_json",
]

FOLDER = Path(__file__).resolve().parents[1] / "golden" / "v1"

LARGE = 35_000
"""The size in bytes from which records and files of scenes are compressed; all other files stay readable."""

WORDING = "(a text)"
"""The mark in place of a text whose wording is not pinned."""


def _packed(name: str) -> Path:
    return FOLDER / f"{name}.gz"


def is_there(name: str) -> bool:
    return (FOLDER / name).exists() or _packed(name).exists()


def names_under(folder: str) -> list[str]:
    """Return the names of the files in a folder, without ``.gz``."""
    found = (path.relative_to(FOLDER).as_posix() for path in (FOLDER / folder).iterdir())
    return sorted(name.removesuffix(".gz") for name in found)


def read(name: str) -> bytes:
    packed = _packed(name)
    return gzip.decompress(packed.read_bytes()) if packed.exists() else (FOLDER / name).read_bytes()


def lines_of(name: str) -> list[Any]:
    """Return the values of a JSON Lines file."""
    return [json.loads(line) for line in read(name).splitlines()]


def write(name: str, text: bytes) -> None:
    """Write a file that does not exist yet."""
    assert not is_there(name), f"{name} is pinned already"
    path = FOLDER / name
    path.parent.mkdir(parents=True, exist_ok=True)
    if len(text) >= LARGE and name.startswith(("records/", "scenes/")):
        # Without a time stamp, the same text gives the same file.
        _packed(name).write_bytes(gzip.compress(text, mtime=0))
    else:
        path.write_bytes(text)


def read_json(name: str) -> Any:
    return json.loads(read(name))


def write_json(name: str, value: Any) -> None:
    write(name, (json.dumps(value, indent=1, ensure_ascii=False) + "\n").encode())


def json_lines(values: list[Any]) -> bytes:
    """Return values as JSON Lines."""
    return b"".join(json.dumps(value, ensure_ascii=False).encode() + b"\n" for value in values)


def without_wording(value: Any, paths: Sequence[str]) -> Any:
    """Return a JSON value with a mark in place of each non-empty text at one of the paths.

    A path names fields with dots between them; ``*`` stands for every field or list item.  Prose is not data: programs
    read the fields of an answer, and people read its sentences.  So the wording of explanations may improve, while the
    fields, names and values around them stay pinned.  An empty text, or a value of another type, gets no mark and
    therefore still differs from a pinned text.  Texts that records store or compare are never exempt: narrations,
    violations, forfeits and reasons of outcomes.
    """
    for path in paths:
        value = _marked(value, path.split("."))
    return value


def _marked(value: Any, path: Sequence[str]) -> Any:
    if not path:
        return WORDING if isinstance(value, str) and value.strip() else value
    first, *rest = path
    if isinstance(value, dict):
        return {name: _marked(each, rest) if first in ("*", name) else each for name, each in value.items()}
    if isinstance(value, list) and first == "*":
        return [_marked(each, rest) for each in value]
    return value


def without_fields(value: Any, names: Collection[str]) -> Any:
    """Return a JSON value without fields that have such a name, at any depth."""
    if isinstance(value, dict):
        return {name: without_fields(each, names) for name, each in value.items() if name not in names}
    return [without_fields(each, names) for each in value] if isinstance(value, list) else value


def without_numbers(value: Any) -> Any:
    """Return a JSON value with the type in place of each number."""
    if isinstance(value, dict):
        return {name: without_numbers(each) for name, each in value.items()}
    if isinstance(value, list):
        return [without_numbers(each) for each in value]
    return type(value).__name__ if isinstance(value, int | float) else value


def compare_lines(name: str, produced: bytes, prose: Sequence[str] = ()) -> None:
    """Fail at the first line in which a text differs from the file, apart from the wording at the paths of `prose`."""
    pinned = read(name)
    if prose:
        pinned, produced = (
            json_lines([without_wording(json.loads(line), prose) for line in text.splitlines()])
            for text in (pinned, produced)
        )
    if produced == pinned:
        return
    old, new = pinned.splitlines(), produced.splitlines()
    for number, (before, after) in enumerate(zip(old, new, strict=False), 1):
        assert after == before, f"{name} line {number} differs"
    assert len(new) == len(old), f"{name} has {len(old)} lines, and now there are {len(new)}"
    raise AssertionError(f"{name} differs in its line ends")


def with_features_last(result: dict[str, Any]) -> dict[str, Any]:
    """Return a pinned result of the simulator with its fields in the current order.

    The counted features of winners come last; a game without such features has no field for them.
    """
    features = result.pop("traits")
    return {**result, "traits": features} if features else result


def assert_same(found: Any, pinned: Any, place: str = "the value") -> None:
    """Fail if JSON values differ.  The last digits of floats may differ."""
    if isinstance(pinned, dict) and isinstance(found, dict):
        assert list(found) == list(pinned), f"{place} has other fields"
        for name, value in pinned.items():
            assert_same(found[name], value, f"{place}.{name}")
    elif isinstance(pinned, list) and isinstance(found, list):
        assert len(found) == len(pinned), f"{place} has another length"
        for number, value in enumerate(pinned):
            assert_same(found[number], value, f"{place}[{number}]")
    elif isinstance(pinned, float) and isinstance(found, float):
        assert math.isclose(found, pinned, rel_tol=1e-6, abs_tol=1e-9), f"{place} is {found}, and was {pinned}"
    else:
        assert type(found) is type(pinned), f"{place} is {found!r}, and was {pinned!r}"
        assert found == pinned, f"{place} is {found!r}, and was {pinned!r}"
