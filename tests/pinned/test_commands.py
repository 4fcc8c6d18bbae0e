"""Commands answer programs with the same fields and, where nothing changes by itself, the same values."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.pinned import commands, golden

NAMES = [pytest.param(name, marks=pytest.mark.slow) if name in commands.SLOW else name for name in commands.COMMANDS]


@pytest.mark.parametrize("name", NAMES)
def test_pinned_command_answers_the_same(name: str, tmp_path: Path) -> None:
    pinned = golden.read_json(f"commands/{name}.json")
    found = commands.run(pinned.pop("commands"), tmp_path)
    if name.startswith("simulate-"):
        pinned["ran"][0]["lines"] = [golden.with_features_last(line) for line in pinned["ran"][0]["lines"]]
    if name in commands.OTHER_GAMES:
        found, pinned = golden.without_numbers(found), golden.without_numbers(pinned)
    if name == "players":
        found = golden.without_fields(found, commands.ADDED)
    prose = [f"ran.*.lines.*.{path}" for path in commands.PROSE.get(name, ())]
    golden.assert_same(golden.without_wording(found, prose), golden.without_wording(pinned, prose), name)


def test_every_pinned_command_is_run() -> None:
    pinned = {name.removeprefix("commands/").removesuffix(".json") for name in golden.names_under("commands")}
    assert pinned == set(commands.COMMANDS)


def test_another_seed_answers_otherwise(tmp_path: Path) -> None:
    pinned = golden.read_json("commands/play-evolution.json")
    (line,) = pinned.pop("commands")
    found = commands.run([line.replace("--seed 7", "--seed 8")], tmp_path)
    with pytest.raises(AssertionError, match="play-evolution"):
        golden.assert_same(found, pinned, "play-evolution")


@pytest.mark.parametrize("text", ["", " ", None, 3])
def test_prose_must_still_be_a_text(text: Any) -> None:
    pinned = {"options": [{"name": "sticks", "text": "the sticks"}]}
    found = {"options": [{"name": "sticks", "text": text}]}
    with pytest.raises(AssertionError, match="text"):
        _compare_wordless(found, pinned)


def test_only_the_wording_of_prose_may_change() -> None:
    pinned = {"options": [{"name": "sticks", "text": "the sticks"}], "text": "other"}
    _compare_wordless({"options": [{"name": "sticks", "text": "all sticks"}], "text": "other"}, pinned)
    with pytest.raises(AssertionError, match="name"):
        _compare_wordless({"options": [{"name": "stick", "text": "the sticks"}], "text": "other"}, pinned)
    with pytest.raises(AssertionError, match="text"):
        _compare_wordless({"options": [{"name": "sticks", "text": "the sticks"}], "text": "new"}, pinned)


def _compare_wordless(found: Any, pinned: Any) -> None:
    prose = ["options.*.text"]
    golden.assert_same(golden.without_wording(found, prose), golden.without_wording(pinned, prose))
