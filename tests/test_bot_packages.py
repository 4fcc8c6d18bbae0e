"""The page `docs/how-to/packages.md`: the bot of its package is found by the name that its entry point has."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.running import called
from tests.conftest import ROOT
from tests.house.serving import run, served
from wateringhole.house.page import bot_infos
from wateringhole.house.plans import bots

PAGE = (ROOT / "docs" / "how-to" / "packages.md").read_text(encoding="utf-8")
FILES = dict(re.findall(r"^```[a-z]+ ([\w.]+)\n(.*?)^```$", PAGE, re.MULTILINE | re.DOTALL))


def forget_bots() -> None:
    """Let the page look for bots again, as a new server does."""
    for function in (bots, bot_infos):
        function.cache_clear()


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install the package of the page as an installer does: its modules and its metadata, on Python's path."""
    project = tomllib.loads(FILES["pyproject.toml"])
    metadata = tmp_path / f"club_bots-{project['project']['version']}.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: club-bots\nVersion: 1.0\n")
    points = project["project"]["entry-points"]["wateringhole.players"]
    lines = ["[wateringhole.players]", *(f"{name} = {value}" for name, value in points.items())]
    (metadata / "entry_points.txt").write_text("\n".join(lines))
    for module in project["tool"]["hatch"]["build"]["targets"]["wheel"]["include"]:
        (tmp_path / module).write_text(FILES[module])
    monkeypatch.syspath_prepend(tmp_path)
    forget_bots()
    yield
    forget_bots()


@pytest.mark.usefixtures("installed")
def test_an_installed_bot_is_listed_with_its_docstring() -> None:
    listed = json.loads(called("players", "evolution", "--json").stdout)
    assert "Gives its first card and takes the first feeding." in json.dumps(listed["evolution"]["patient"])


@pytest.mark.usefixtures("installed")
def test_an_installed_bot_plays_under_its_short_name() -> None:
    ran = called("play", "evolution", "patient", "silly", "greedy", "--seed", "7", "--json")
    assert (ran.returncode, json.loads(ran.stdout)["thrown_out"]) == (0, [])


@pytest.mark.usefixtures("installed")
def test_an_installed_bot_can_be_selected_on_the_page(tmp_path: Path) -> None:
    async def look() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            listed = next(each for each in (await server.get("/api/lobby"))["games"] if each["name"] == "evolution")
            assert "patient" in [player["name"] for player in listed["players"]]
            table = await server.table("evolution", "me", "patient", "silly")
            assert "patient" in [seat["player"] for seat in (await server.get(f"/api/tables/{table.id}"))["seats"]]

    run(look())
