"""Help fits narrow terminals, and results keep names and reasons in 40."""

from __future__ import annotations

import io
import re
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console
from rich.table import Table

from tests.cli.running import called
from wateringhole.cli import commands
from wateringhole.cli.tables import fitted

GROUP: Any = commands()
NAME = "A player with a long name"
REASON = "ValueError in late.py line 3: the reason is rather long but must stay readable"
LATE = f"""from wateringhole.games.porrinha.bots.zero import Zero
class AnotherPlayerWithALongName(Zero):
    def hand(self): raise ValueError({REASON.partition(": ")[2]!r})
"""


@pytest.mark.parametrize("columns", [80, 60])
@pytest.mark.parametrize("command", GROUP.commands)
def test_help_fits_the_terminal_with_complete_options(
    command: str, columns: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", str(columns))
    shown = called(command, "--help").stdout
    assert max(map(len, shown.splitlines())) <= columns
    for param in GROUP.commands[command].params:
        for option in (*param.opts, *param.secondary_opts):
            if option.startswith("--"):
                assert re.search(rf"{option}[ ,\n]", shown), option


@pytest.mark.parametrize("command", [(), ("serve",)], ids=["all", "serve"])
def test_help_shows_no_value_for_options_without_one(command: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    assert not re.search("bool", called(*command, "--help").stdout, re.IGNORECASE)


@pytest.mark.parametrize("games", ["1", "2"])
def test_the_result_of_play_keeps_names_and_reasons(
    games: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    (tmp_path / "late.py").write_text(LATE)
    players = (f"{NAME}=zero", "late.py:AnotherPlayerWithALongName")
    ran = called("play", "porrinha", *players, "--games", games, "--quiet", folder=tmp_path)
    text = " ".join(ran.stdout.split())
    for part in (NAME, "AnotherPlayerWithALongName", REASON):
        assert part in text
    assert "…" not in text


def test_standings_keep_names_and_reasons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("sqlalchemy", reason="the extra tournament is not installed")
    monkeypatch.setenv("COLUMNS", "40")
    (tmp_path / "late.py").write_text(LATE)
    players = (f"{NAME}=zero", "late.py:AnotherPlayerWithALongName")
    words = ("tournament", "porrinha", *players, "--games", "2", "--trust", "--store", "store.sqlite")
    ended = called(*words, folder=tmp_path).stdout
    listed = called("standings", "--store", "store.sqlite", folder=tmp_path).stdout
    assert "exception" in ended
    for text in (ended, listed):
        for name in (NAME, "AnotherPlayerWithALongName"):
            assert name in " ".join(text.split())
        assert "…" not in text


def test_the_check_of_a_folder_keeps_names_and_reasons(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from wateringhole.cli import submissions

    monkeypatch.setattr(submissions, "FILE_COLUMNS", 40)
    (tmp_path / "submissions").mkdir()
    (tmp_path / "submissions" / "late_and_with_a_long_name.py").write_text(LATE)
    ran = called("check", "porrinha", "submissions", "--trust", folder=tmp_path)
    text = " ".join(ran.stdout.split())
    for part in ("late_and_with_a_long_name", REASON.replace("late.py", "late_and_with_a_long_name.py")):
        assert part in text


def test_players_keep_their_names(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    shown = called("players").stdout
    assert {"champion", "equilibrium"} <= set(shown.split())
    assert "…" not in shown


@pytest.mark.parametrize("width", [18, 22, 26, 30, 40])
def test_a_column_that_does_not_wrap_leaves_room_for_the_others(width: int) -> None:
    table = Table("player")
    table.add_column("rating", no_wrap=True)
    table.add_row("Ada Lovelace", "1894 ±141 so far")
    console = Console(file=io.StringIO(), width=width)
    with console.capture() as shown:
        console.print(fitted(console, table))
    assert {"Ada", "Lovelace", "1894", "±141"} <= set(shown.get().split())
