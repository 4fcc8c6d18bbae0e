"""Isolated players that try to stop or to delay a command."""

from __future__ import annotations

import functools
import json
import os
import time
from pathlib import Path

import pytest

from tests.cli.running import called
from wateringhole.process.limits import isolation_for
from wateringhole.process.machine import machine_isolation
from wateringhole.process.supervisor import descendants
from wateringhole.tournaments import check, jobs

HEAD = """
import os, signal, sys, time
from wateringhole.games.porrinha.bots.random import Random

class Mine(Random):
"""
FLOOD = "[os.write({}, b'x' * (1 << 20)) for _ in range(640)]"
ATTACKS = {
    "kills its parent": ("os.kill(os.getppid(), signal.SIGKILL)", {"disconnected", "exception"}),
    "stops its parent": ("os.kill(os.getppid(), signal.SIGSTOP); time.sleep(60)", {"late", "exception"}),
    "stops itself": ("os.kill(os.getpid(), signal.SIGSTOP)", {"late"}),
    "stops everything it sees": ("os.kill(-1, signal.SIGSTOP)", {"late", "exception"}),
    "prints 640 MB": (FLOOD.format(1), {"exception"}),
    "prints 640 MB to standard error": (FLOOD.format(2), {"exception"}),
}
MODES = {"isolated": ("--sandbox", "none"), "sandboxed": ("--sandbox", "bwrap")}
RUNS = [
    pytest.param(*attack, options, id=f"{name}, {mode}", marks=[pytest.mark.slow] * (mode == "isolated"))
    for name, attack in ATTACKS.items()
    for mode, options in MODES.items()
    # Outside of the sandbox, nothing prevents this one.
    if (name, mode) != ("stops everything it sees", "isolated")
]


def skip_without_sandbox(options: tuple[str, ...]) -> None:
    if "bwrap" in options and (problem := machine_isolation().sandbox_problem):
        pytest.skip(problem)


def thrown_out(printed: str) -> dict[str, dict[str, int]]:
    return {line["name"]: line["thrown_out"] for line in json.loads(printed)["standings"]["players"]}


@pytest.fixture
def short_exit(monkeypatch: pytest.MonkeyPatch) -> None:
    """Give a player that never exits little time to do so."""
    monkeypatch.setattr(check, "EXIT_SECONDS", 0.2)


@pytest.mark.parametrize(("act", "reasons", "options"), RUNS)
def test_a_player_loses_only_its_own_games(
    act: str, reasons: set[str], options: tuple[str, ...], tmp_path: Path
) -> None:
    skip_without_sandbox(options)
    (tmp_path / "mine.py").write_text(f"{HEAD}    def guess(self):\n        {act}\n        return super().guess()\n")
    # Only a player that is to be late has little time.
    time_limit = "0.5" if "late" in reasons else "60"
    words = ("tournament", "porrinha", "zero", "mine.py:Mine", "--games", "4", "--life", "2")
    before = set(descendants(os.getpid()))
    began = time.monotonic()
    ran = called(*words, "--time-limit", time_limit, *options, "--store", "s.sqlite", "--json", folder=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert time.monotonic() - began < 240
    results = thrown_out(ran.stdout)
    assert results["zero"] == {}
    assert set(results["Mine"]) <= reasons
    # In the sandbox, no signal reaches the parent of a player.  Elsewhere, it may answer before it dies.
    assert sum(results["Mine"].values()) == 4 or "getppid" in act
    assert set(descendants(os.getpid())) <= before


@pytest.mark.parametrize(
    "options",
    [
        pytest.param(options, id=mode, marks=[pytest.mark.slow] * (mode == "isolated"))
        for mode, options in MODES.items()
    ],
)
@pytest.mark.usefixtures("short_exit")
def test_check_survives_a_player_that_kills_or_stops_its_parent(options: tuple[str, ...], tmp_path: Path) -> None:
    skip_without_sandbox(options)
    before = set(descendants(os.getpid()))
    for number, kind in (("SIGKILL", "disconnected"), ("SIGSTOP", "late")):
        act = f"os.kill(os.getppid(), signal.{number}); time.sleep(60)"
        (tmp_path / "mine.py").write_text(f"{HEAD}    def guess(self):\n        {act}\n")
        ran = called("check", "porrinha", "mine.py:Mine", "--time-limit", "0.5", *options, "--json", folder=tmp_path)
        assert ran.returncode == 1
        kinds = {finding["kind"] for finding in json.loads(ran.stdout)["findings"] if finding["is_problem"]}
        assert kinds & {kind, "late"}
        assert set(descendants(os.getpid())) <= before


@pytest.mark.parametrize(
    "source",
    [
        f"{HEAD}    def __init__(self):\n        while True: time.sleep(1)\n",
        "import time\nwhile True: time.sleep(1)\nclass Mine: pass\n",
    ],
    ids=["in its constructor", "while it is imported"],
)
def test_a_player_that_loops_at_its_start_forfeits(
    source: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "isolation_for", functools.partial(isolation_for, startup_seconds=1.0))
    monkeypatch.setattr(jobs, "SHORT_START_SECONDS", 0.2)
    (tmp_path / "mine.py").write_text(source)
    words = ("tournament", "porrinha", "zero", "random", "mine.py:Mine", "--games", "1", "--table-size", "3")
    ran = called(*words, "--withdraw-after", "1", "--store", "s.sqlite", "--json", folder=tmp_path)
    assert ran.returncode == 0, ran.stderr
    message = "player 'mine.py:Mine' did not introduce itself: no answer came within 1 s. It forfeits its games."
    assert ran.stderr.count(message) == 1
    results = thrown_out(ran.stdout)
    assert results["zero"] == results["random"] == {}
    assert results["Mine"].keys() in ({"disconnected"}, {"disconnected", "withdrawn"})


@pytest.mark.usefixtures("short_exit")
def test_check_reports_a_player_that_loops_in_its_constructor(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(f"{HEAD}    def __init__(self):\n        while True: time.sleep(1)\n")
    ran = called("check", "porrinha", "mine.py:Mine", "--startup-timeout", "1", "--json", folder=tmp_path)
    assert ran.returncode == 1
    assert [finding["kind"] for finding in json.loads(ran.stdout)["findings"]] == ["startup"]


@pytest.mark.parametrize("name", ["wants_events", "is_human", "name"])
def test_a_property_that_raises_an_exception_costs_only_its_player(name: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        f"{HEAD}    @property\n    def {name}(self):\n        raise RuntimeError('boo')\n"
    )
    words = ("tournament", "porrinha", "zero", "mine.py:Mine", "--games", "2", "--store", "s.sqlite", "--json")
    ran = called(*words, folder=tmp_path)
    assert ran.returncode == 0, ran.stderr
    results = thrown_out(ran.stdout)
    assert results["zero"] == {}
    assert set(results["Mine"]) <= {"exception"}
