"""Commands answer programs with the same fields and, where nothing changes by itself, the same values."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.pinned import commands, golden

NAMES = [pytest.param(name, marks=pytest.mark.slow) if name in commands.SLOW else name for name in commands.COMMANDS]


@pytest.mark.parametrize("name", NAMES)
def test_pinned_command_answers_the_same(name: str, tmp_path: Path) -> None:
    pinned = golden.read_json(f"commands/{name}.json")
    found = commands.run(pinned.pop("commands"), tmp_path)
    if name.startswith("simulate-"):
        pinned["ran"][0]["lines"] = [golden.with_features_last(line) for line in pinned["ran"][0]["lines"]]
    golden.assert_same(found, pinned, name)


def test_every_pinned_command_is_run() -> None:
    pinned = {name.removeprefix("commands/").removesuffix(".json") for name in golden.names_under("commands")}
    assert pinned == set(commands.COMMANDS)


def test_another_seed_answers_otherwise(tmp_path: Path) -> None:
    pinned = golden.read_json("commands/play-evolution.json")
    (line,) = pinned.pop("commands")
    found = commands.run([line.replace("--seed 7", "--seed 8")], tmp_path)
    with pytest.raises(AssertionError, match="play-evolution"):
        golden.assert_same(found, pinned, "play-evolution")
