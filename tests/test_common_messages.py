"""The page `docs/how-to/messages.md`: every example prints the message that follows it."""

from __future__ import annotations

import re
import shlex
from importlib.util import find_spec
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.cli.running import called
from tests.conftest import ROOT
from wateringhole.tournaments import results

PAGE = (ROOT / "docs" / "how-to" / "messages.md").read_text(encoding="utf-8")


class Example(NamedTuple):
    title: str
    command: str
    message: str


EXAMPLES = [
    Example(*found)
    for found in re.findall(r"^### ([^\n]*)\n(?:(?!^###).)*?^```sh fails\n(.*?)\n```\n\n> (.*?)\n", PAGE, re.M | re.S)
]
FILES = re.findall(r"^```[a-z]+ ([\w.]+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL)


def test_every_section_has_an_example() -> None:
    assert [example.title for example in EXAMPLES] == re.findall(r"^### (.*)$", PAGE, re.MULTILINE)
    assert len(EXAMPLES) >= 20


def hide(package: str, patch: pytest.MonkeyPatch) -> None:
    """Let tournaments not find a package."""
    patch.setattr(results, "find_spec", lambda name: None if name == package else find_spec(name))


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda example: example.title)
def test_the_example_prints_its_message(example: Example, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    if example.title == "A package is not installed":
        hide("sqlalchemy", monkeypatch)
    for name, text in FILES:
        (tmp_path / name).write_text(text, encoding="utf-8")
    ran = called(*shlex.split(example.command)[1:], folder=tmp_path)
    # Results are in a table, whose cells wrap.
    printed = " ".join(re.sub("[│┃]", " ", ran.stdout + ran.stderr).split())
    assert re.search(".*".join(map(re.escape, example.message.split("…"))), printed), printed
