"""`--quiet` prints only the result.  Output that is closed early is no error, and output that fails is reported."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import called
from tests.preloaded_command import preloaded_command

TITLES = ("Result", "2 games")


@pytest.mark.parametrize("games", ["1", "2"])
def test_quiet_play_prints_only_the_result(games: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from wateringhole.games.porrinha.bots.zero import Zero\n"
        "class Mine(Zero):\n"
        "    name = 'Ada'\n"
        "    def geuss(self): return 0\n"
    )
    words = ("play", "porrinha", "mine.py:Mine", "zero", "--seed", "7", "--games", games, "--record", "games")
    loud, quiet = called(*words, folder=tmp_path), called(*words, "--quiet", folder=tmp_path)
    assert (quiet.returncode, quiet.stderr) == (0, "")
    assert quiet.stdout.splitlines()[0].startswith(TITLES)
    for note in ("seed 7", "calls itself Ada", "recorded; watch it again"):
        assert note in loud.stdout
        assert note not in quiet.stdout
    assert "never called" in loud.stderr


def test_quiet_compare_prints_only_the_verdict_and_its_figures() -> None:
    words = ("compare", "porrinha", "counter", "zero", "--seed", "7", "--max-games", "20")
    loud, quiet = called(*words), called(*words, "--quiet")
    assert (quiet.returncode, quiet.stderr) == (0, "")
    assert quiet.stdout == "".join(loud.stdout.splitlines(keepends=True)[:3])


def test_quiet_tournament_prints_only_the_standings(tmp_path: Path) -> None:
    pytest.importorskip("sqlalchemy", reason="the extra tournament is not installed")
    words = ("tournament", "porrinha", "zero", "random", "--games", "4", "--store", "store.sqlite", "--quiet")
    quiet = called(*words, folder=tmp_path)
    assert (quiet.returncode, quiet.stderr) == (0, "")
    assert quiet.stdout == called("standings", "1", "--store", "store.sqlite", folder=tmp_path).stdout


def test_quiet_simulate_prints_only_the_result(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("numba", reason="the extra sim is not installed")
    monkeypatch.setenv("COLUMNS", "200")
    words = ("simulate", "porrinha", "zero", "random", "--seed", "7", "--games", "100")
    loud, quiet = called(*words), called(*words, "--quiet")
    assert (quiet.returncode, quiet.stderr) == (0, "")
    *table, facts = loud.stdout.splitlines()
    *quiet_table, quiet_facts = quiet.stdout.splitlines()
    assert quiet_table == table
    assert facts.startswith(f"{quiet_facts}; seed 7; ")


@pytest.fixture(scope="module")
def record(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("games")
    called("play", "evolution", "greedy", "silly", "random", "--seed", "7", "--record", folder)
    return folder / "evolution-7.jsonl"


@pytest.mark.parametrize(
    ("words", "reader"),
    [
        (("replay", "RECORD"), "head -c 10"),
        (("replay", "RECORD", "--json"), "head -c 10"),
        (("replay", "RECORD", "--json"), "true"),
        (("play", "porrinha", "zero", "random", "--json"), "true"),
        (("rules", "evolution"), "true"),
        (("play", "--help"), "true"),
    ],
)
def test_a_reader_that_closes_the_output_is_no_error(words: tuple[str, ...], reader: str, record: Path) -> None:
    given = ["replay", str(record), *words[2:]] if words[0] == "replay" else words
    with subprocess.Popen(reader.split(), stdin=subprocess.PIPE, stdout=subprocess.DEVNULL) as reading:
        if reader == "true":
            reading.wait(60)
        ran = subprocess.run(
            [preloaded_command(), *given],
            stdout=reading.stdin,
            stderr=subprocess.PIPE,
            timeout=120,
            check=False,
        )
    assert (ran.returncode, ran.stderr) == (0, b"")


@pytest.mark.parametrize(
    "words",
    [
        ("replay", "RECORD"),
        ("replay", "RECORD", "--json"),
        ("play", "porrinha", "zero", "random"),
        ("play", "porrinha", "zero", "random", "--json"),
        ("check", "porrinha", "zero"),
        ("players",),
        ("rules", "evolution"),
        ("completion", "bash"),
        ("--help",),
        ("--version",),
    ],
    ids=" ".join,
)
def test_output_that_cannot_be_written_is_an_operation_error(words: tuple[str, ...], record: Path) -> None:
    given = ["replay", str(record), *words[2:]] if words[0] == "replay" else words
    with open("/dev/full", "w") as full:
        ran = subprocess.run(
            [preloaded_command(), *given], stdout=full, stderr=subprocess.PIPE, text=True, timeout=300, check=False
        )
    assert (ran.returncode, ran.stderr) == (
        1,
        "wateringhole: standard output cannot be written: No space left on device.\n",
    )


def test_characters_that_the_terminal_lacks_are_escaped(record: Path) -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "wateringhole", "replay", record],
        env=os.environ | {"PYTHONIOENCODING": "latin-1"},
        capture_output=True,
        timeout=300,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, b"")
    assert "−" in called("replay", record).stdout
    assert rb"\u2212" in ran.stdout


def test_a_failed_command_keeps_its_status_if_its_output_is_closed() -> None:
    ran = subprocess.run(
        ["bash", "-c", f"set -o pipefail; '{preloaded_command()}' play chess zero | true"],
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 2
