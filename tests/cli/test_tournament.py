"""`wateringhole tournament` and `wateringhole standings`: their output and their errors."""

from __future__ import annotations

import contextlib
import csv
import json
import os
import pty
import shlex
import signal
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
import typer

from tests.cli.running import called, wateringhole
from tests.preloaded_command import preloaded_command
from tests.tournaments.long_tournaments import MANY, PLAYERS, standings, started, wait_for_games
from tests.tournaments.tournaments import settings
from tests.waiting import eventually
from wateringhole.cli import tournament as tournament_command
from wateringhole.cli.exports import Exports
from wateringhole.errors import OperationError
from wateringhole.tournaments.interrupts import REPEAT_SECONDS
from wateringhole.tournaments.store import Store, without_password
from wateringhole.tournaments.tournament import Tournament

FEW = ("tournament", "porrinha", *PLAYERS, "--games", "24", "--life", "2", "--seed", "5")


def children_of(pid: int) -> list[int]:
    children = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(fields[1]) == pid:
            children.append(int(stat.parent.name))
    return children


def test_workers_do_not_outlive_a_killed_command(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    words = [sys.executable, "-m", "wateringhole", *MANY, "--store", str(path), "--workers", "2"]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, text=True) as process:
        wait_for_games(path, 0, process)
        workers = children_of(process.pid)
        assert len(workers) >= 2
        process.send_signal(signal.SIGKILL)
    eventually(lambda: not any(Path(f"/proc/{pid}").exists() for pid in workers))


def test_the_same_seed_gives_the_same_standings(tmp_path: Path) -> None:
    one = standings(wateringhole(*FEW, "--json", "--store", tmp_path / "one.sqlite"))
    other = standings(called(*FEW, "--json", "--store", tmp_path / "other.sqlite"))
    assert one == other
    assert one["games"] == 24


def test_a_tournament_is_announced_listed_and_shown(tmp_path: Path) -> None:
    path, table = tmp_path / "store.sqlite", tmp_path / "standings.csv"
    ran = called(*FEW, "--games", "25", "--store", path, "--csv", table)
    assert ran.returncode == 0, ran.stderr
    assert ran.stderr == ""
    assert f"30 games (25 rounded up to whole blocks), seed 5; stored in {path}" in ran.stdout
    shown = called("standings", "1", "--store", path)
    # The announcement is not part of the standings.
    assert ran.stdout.partition("\n")[2] == shown.stdout
    assert "Ahead of the other" in shown.stdout
    assert "thrown out" in shown.stdout
    listed = called("standings", "--store", path)
    assert "porrinha" in listed.stdout
    assert "30/30" in listed.stdout
    (printed,) = json.loads(called("standings", "--store", path, "--json").stdout)
    assert printed["games"] == {"planned": 30, "played": 30}
    assert printed["settings"]["names"] == ["random", "zero", "counter", "again"]
    with table.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert {row["player"] for row in rows} == {"random", "zero", "counter", "again"}
    assert [float(row["rating"]) for row in rows] == sorted((float(row["rating"]) for row in rows), reverse=True)


def test_the_default_store_is_in_the_users_data_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    assert called(*FEW).returncode == 0
    assert (tmp_path / "wateringhole" / "tournaments.sqlite").exists()
    assert "24/24" in called("standings").stdout


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (["porrinha"], 2, "expected a game and its players"),
        ([], 2, "expected a game and its players"),
        (["porrinha", "random"], 2, "porrinha is for 2 to"),
        (["porrinha", *PLAYERS, "--table-size", "5"], 2, "4 players cannot fill a table of 5"),
        (["porrinha", *PLAYERS, "--format", "knockout"], 2, "Choose from: round-robin, gauntlet, swiss, ladder."),
        (["porrinha", *PLAYERS, "--time-limit", "0"], 2, "expected a positive number of seconds"),
        (["porrinha", "cmd*2:./mine", "random"], 2, "a program that plays several seats"),
        (["porrinha", *PLAYERS, "--resume", "1"], 2, "--resume ID: omit the game and its players"),
        (["--resume", "1"], 1, "there is no store"),
        (["--resume", "1", "--games", "9", "--seed", "0"], 2, "omit --games and --seed"),
        (["porrinha", *PLAYERS, "--games", "99999999999"], 2, "too many to plan at once"),
        (["porrinha", *PLAYERS, "--cluster", "there"], 2, "--cluster there: expected the address of a scheduler"),
        (["porrinha", *PLAYERS, "--cluster", "tcp://there:1", "--workers", "2"], 2, "a cluster has its own workers"),
        (["porrinha", *PLAYERS, "--rules", "nonsense"], 2, "there is no such profile"),
    ],
)
def test_mistakes_print_an_error_that_names_them(words: list[str], status: int, message: str, tmp_path: Path) -> None:
    ran = called("tournament", *words, "--store", tmp_path / "store.sqlite")
    assert (ran.returncode, ran.stdout) == (status, "")
    assert message in ran.stderr
    assert ran.stderr.count("\n") == 1


def test_an_unknown_tournament_is_a_usage_error(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    Store(path).close()
    ran = called("standings", "3", "--store", path)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert "there is no tournament 3" in ran.stderr


def test_a_terminal_shows_a_status_while_players_are_created(tmp_path: Path) -> None:
    terminal, child_end = pty.openpty()
    words = [*FEW, "--store", str(tmp_path / "store.sqlite")]
    with subprocess.Popen(
        [preloaded_command(), *words], stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=child_end
    ) as process:
        os.close(child_end)
        printed = b""
        # Reading from a terminal fails after the last writer has closed it.
        with contextlib.suppress(OSError):
            while read := os.read(terminal, 4096):
                printed += read
        assert process.wait(timeout=300) == 0
    os.close(terminal)
    assert "planning the games …".encode() in printed
    assert b"24/24" in printed


def test_repeated_ctrl_c_loses_neither_games_nor_the_resume_command(tmp_path: Path) -> None:
    path = tmp_path / "store.sqlite"
    with started("tournament", "porrinha", *PLAYERS, "--games", "20000", "--store", path) as process:
        wait_for_games(path, 0, process)
        # As if the keys were held down for a second.
        until = time.monotonic() + REPEAT_SECONDS / 2
        while process.poll() is None and time.monotonic() < until:
            process.send_signal(signal.SIGINT)
            time.sleep(0.01)
        _, err = process.communicate(timeout=300)
    assert "Traceback" not in err
    assert process.returncode == 130
    output, found, again = err.strip().rpartition("continue with: ")
    assert found
    assert output.splitlines()[-1].startswith("interrupted")
    assert shlex.split(again)[1:4] == ["tournament", "--resume", "1"]


@pytest.mark.parametrize("plays_to_the_end", [True, False])
@pytest.mark.parametrize(
    "trouble", [KeyboardInterrupt(), OperationError("out.html cannot be written"), OSError("disk full")]
)
def test_the_resume_command_is_printed_even_if_the_conclusion_fails(
    trouble: BaseException,
    plays_to_the_end: bool,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    def fail(*words: object) -> None:
        raise trouble

    def interrupt(*words: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(tournament_command, "conclude", fail)
    if not plays_to_the_end:
        monkeypatch.setattr(Tournament, "play", interrupt)
    before = signal.getsignal(signal.SIGINT)
    try:
        with closing(Store(tmp_path / "store.sqlite")) as store, pytest.raises((typer.Exit, type(trouble))) as ended:
            tournament_command._play(
                Tournament.start(store, settings(games=3)), "the command", False, Exports(None, None, None)
            )
    finally:
        signal.signal(signal.SIGINT, before)
    assert isinstance(ended.value, typer.Exit) == isinstance(trouble, KeyboardInterrupt)
    *_, last = capsys.readouterr().err.splitlines()
    assert last.endswith("continue with: the command")


@pytest.mark.parametrize(
    ("location", "shown"),
    [
        ("postgresql://ada:secret@127.0.0.1:9/club", "postgresql://ada:***@127.0.0.1:9/club"),
        ("postgresql://127.0.0.1:9/club?password=secret", "postgresql://127.0.0.1:9/club?password=***"),
        ("postgresql://ada@127.0.0.1:9/club", "postgresql://ada@127.0.0.1:9/club"),
        ("a file.sqlite", "a file.sqlite"),
    ],
)
def test_a_password_is_never_printed(location: str, shown: str) -> None:
    assert without_password(location) == shown
    if "://" in location:
        ran = called("standings", "--store", location)
        assert ran.returncode == 1
        assert f"the store {shown} cannot be used" in ran.stderr
        assert "secret" not in ran.stderr + ran.stdout
