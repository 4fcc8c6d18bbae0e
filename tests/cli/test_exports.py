"""The exports of `tournament` and `standings`: a table, a report, records."""

from __future__ import annotations

import csv
import json
import re
import shlex
import signal
from pathlib import Path

import pytest

from tests.cli.running import called, wateringhole
from tests.tournaments.long_tournaments import games_in, started, wait_for_games
from tests.tournaments.report.tournaments import Page
from wateringhole.cli import standings
from wateringhole.match.record import read_record

PORRINHA = ("tournament", "porrinha", "random", "zero", "counter", "--games", "12", "--life", "1", "--seed", "5")


def test_a_tournament_writes_a_report_a_table_and_records(tmp_path: Path) -> None:
    store, report, table, replays = (tmp_path / name for name in ("s.sqlite", "out.html", "out.csv", "replays"))
    evolution = ("tournament", "evolution", "silly", "random", "greedy", "--games", "18", "--seed", "5")
    ran = wateringhole(*evolution, "--store", store, "--report", report, "--csv", table, "--replays", replays)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert f"The report is in {report}" in ran.stdout
    page = Page(report.read_text(encoding="utf-8"))
    with table.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert [row[1] for row in page.tables[0][1:]] == [row["player"] for row in rows]
    assert [row[3].partition(" ")[0] for row in page.tables[0][1:]] == [f"{float(row['rating']):.0f}" for row in rows]
    files = {attributes["download"] for attributes in page.all("a") if "download" in attributes}
    assert files == {path.name for path in replays.iterdir()}
    for path in replays.iterdir():
        assert list(read_record(path.read_bytes()).replay().events())
    assert called("replay", path, "--verify").returncode == 0
    # The same files, written later from the store.
    again = tmp_path / "again.html"
    ran = called("standings", "1", "--store", store, "--report", again, "--json")
    assert json.loads(ran.stdout)["standings"]["games"] == 18
    assert again.read_bytes() == report.read_bytes()


def test_a_spreadsheet_takes_no_name_for_a_formula(tmp_path: Path) -> None:
    store, table = tmp_path / "s.sqlite", tmp_path / "out.csv"
    ran = called(*PORRINHA, "+SUM(1)=zero", "--store", store, "--csv", table)
    assert ran.returncode == 0, ran.stderr
    with table.open(newline="", encoding="utf-8") as file:
        names = [row["player"] for row in csv.DictReader(file)]
    assert "'+SUM(1)" in names
    assert not [name for name in names if name.startswith(("=", "+", "-", "@"))]


def test_the_table_contains_all_standings(tmp_path: Path) -> None:
    bot = tmp_path / "failing.py"
    bot.write_text(
        "from wateringhole.games.porrinha.bots.random import Random\n"
        "class Failing(Random):\n"
        "    def guess(self):\n"
        "        raise RuntimeError\n"
    )
    store, table = tmp_path / "s.sqlite", tmp_path / "out.csv"
    words: list[str | Path] = [*PORRINHA, "--rules", "on_failure=remove", f"{bot}:Failing", "--store", store]
    ran = called(*words, "--json", "--csv", table)
    assert ran.returncode == 0, ran.stderr
    standings = json.loads(ran.stdout)["standings"]["players"]
    with table.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == len(standings) == 4
    for row, line in zip(rows, standings, strict=True):
        assert (row["player"], int(row["rank"]), int(row["games"])) == (line["name"], line["rank"], line["games"])
        for name in ("rating", "win_rate", "mean_place"):
            values = [float(row[f"{name}{end}"]) for end in ("", "_low", "_high")]
            assert values == [line[name][end] for end in ("value", "low", "high")]
        assert row["mean_score"] == ""
        reasons = {name.removeprefix("thrown_out_"): int(row[name]) for name in row if name.startswith("thrown_out_")}
        assert set(reasons) == {"exception", "late", "illegal", "unreadable", "disconnected", "left", "withdrawn"}
        assert {reason: times for reason, times in reasons.items() if times} == line["thrown_out"]
        assert int(row["thrown_out"]) == sum(line["thrown_out"].values())
        assert float(row["seconds"]) == pytest.approx(line["seconds"], abs=1e-3)
    assert next(int(row["thrown_out_exception"]) for row in rows if row["player"] == "Failing") > 0


def test_every_form_of_the_standings_counts_repaired_answers(tmp_path: Path) -> None:
    (tmp_path / "shouts.py").write_text(
        "from wateringhole.games.porrinha.bots.random import Random\n"
        "class Shouts(Random):\n"
        "    def guess(self):\n"
        "        return -1\n"
    )
    words = (
        "tournament",
        "porrinha",
        "random",
        "zero",
        "shouts.py:Shouts",
        "--games",
        "6",
        "--life",
        "2",
        "--seed",
        "1",
    )
    files = ("--store", "s.sqlite", "--csv", "out.csv", "--report", "out.html")
    ran = called(*words, *files, "--json", folder=tmp_path)
    assert ran.returncode == 0, ran.stderr
    lines = {line["name"]: line for line in json.loads(ran.stdout)["standings"]["players"]}
    repaired = lines["Shouts"]["repaired_answers"]
    assert repaired > 6
    assert "repaired_answers" not in lines["random"], "the field is there only if there are some"
    with (tmp_path / "out.csv").open(newline="", encoding="utf-8") as file:
        by_name = {row["player"]: row["repaired_answers"] for row in csv.DictReader(file)}
    assert by_name == {"Shouts": str(repaired), "random": "0", "zero": "0"}
    effort = (tmp_path / "out.html").read_text(encoding="utf-8").partition('id="effort"')[2]
    assert "repaired answers</th>" in effort
    assert f'<td class="r">{repaired}</td>' in effort
    shown = called("standings", "1", "--store", "s.sqlite", folder=tmp_path).stdout
    assert re.search(rf"Shouts +6 .* {repaired} +[0-9a-f]{{8}} *$", shown, re.MULTILINE), shown


def test_standings_without_repaired_answers_do_not_mention_them(tmp_path: Path) -> None:
    report = tmp_path / "out.html"
    ran = called(*PORRINHA, "--store", tmp_path / "s.sqlite", "--report", report)
    assert ran.returncode == 0, ran.stderr
    assert "repaired" not in ran.stdout
    assert "repaired" not in report.read_text(encoding="utf-8")


@pytest.mark.parametrize("option", ["--report", "--csv", "--replays"])
def test_an_unwritable_path_is_reported_before_the_first_game(option: str, tmp_path: Path) -> None:
    store, folder = tmp_path / "s.sqlite", tmp_path / "file"
    folder.write_text("no folder")
    ran = called(*PORRINHA, "--store", store, option, folder / "out")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert str(folder) in ran.stderr
    assert ran.stderr.count("\n") == 1
    assert not store.exists()


@pytest.mark.parametrize("option", ["--report", "--csv", "--replays"])
def test_exports_need_a_tournament(option: str, tmp_path: Path) -> None:
    ran = called("standings", "--store", tmp_path / "s.sqlite", option, tmp_path / "out")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "name a tournament" in ran.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_missing_package_is_reported_with_the_install_command(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from wateringhole.errors import OperationError
    from wateringhole.tournaments import report

    monkeypatch.setattr(report, "find_spec", lambda name: None)
    with pytest.raises(OperationError, match=r"jinja2 and matplotlib.*pip install 'wateringhole\[tournament\]'"):
        standings.standings(1, str(tmp_path / "s.sqlite"), report=tmp_path / "out.html")


def test_an_interrupted_tournament_writes_its_report_and_updates_it_on_resume(tmp_path: Path) -> None:
    store, report = tmp_path / "s.sqlite", tmp_path / "out.html"
    words = [*PORRINHA, "--games", "1500", "--store", str(store), "--report", str(report)]
    with started(*words) as process:
        wait_for_games(store, 0, process)
        process.send_signal(signal.SIGINT)
        _, err = process.communicate(timeout=300)
    assert process.returncode == 130
    assert "not finished yet" in report.read_text(encoding="utf-8")
    again = shlex.split(err.strip().rpartition("continue with: ")[2])
    assert again[-2:] == ["--report", str(report)]
    ran = called(*again[1:])
    assert ran.returncode == 0, ran.stderr
    assert games_in(store) == 1500
    assert "not finished yet" not in report.read_text(encoding="utf-8")
