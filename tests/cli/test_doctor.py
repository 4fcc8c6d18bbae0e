"""`wateringhole doctor`, and what commands print and store about the isolation of players."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.running import called
from wateringhole.process import doctor, machine
from wateringhole.process.cgroups import Cgroups
from wateringhole.process.machine import machine_isolation
from wateringhole.process.sandbox import check_sandbox

MINE = "from wateringhole.games.porrinha.bots.random import Random\nclass Mine(Random): pass\n"


@pytest.fixture
def fresh_machine() -> Iterator[None]:
    """Forget what the machine offers, before and after a test that changes it."""
    for function in (machine_isolation, check_sandbox):
        function.cache_clear()
    yield
    for function in (machine_isolation, check_sandbox):
        function.cache_clear()


@pytest.fixture
def no_bubblewrap(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, fresh_machine: None) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))


def only(monkeypatch: pytest.MonkeyPatch, *names: str) -> None:
    """Leave out the other trials."""
    monkeypatch.setattr(doctor, "_TRIALS", tuple(trial for trial in doctor._TRIALS if trial.name in names))


def test_every_part_works_or_is_missing_with_a_remedy() -> None:
    ran = called("doctor", "--json")
    report = json.loads(ran.stdout)
    assert (ran.returncode, report["is_broken"]) == (0, False), ran.stdout
    assert [finding["name"] for finding in report["findings"]] == [trial.name for trial in doctor._TRIALS]
    for finding in report["findings"]:
        assert finding["status"] == "works" or finding["remedy"]
    assert report["isolation"]["sandbox"] or report["isolation"]["missing"]


def test_a_sandbox_that_hides_nothing_is_broken(monkeypatch: pytest.MonkeyPatch) -> None:
    if machine_isolation().sandbox is None:
        pytest.skip(f"there is no sandbox here: {machine_isolation().missing[0].problem}")
    only(monkeypatch, "files", "network", "processes")
    monkeypatch.setattr("wateringhole.process.child.sandboxed", lambda command, *_: command)
    ran = called("doctor")
    assert ran.returncode == 1
    assert "files           broken   it sees files of others: " in ran.stdout
    assert "network         broken   it can connect to this machine: True" in ran.stdout
    assert "Do not run untrusted players here." in ran.stdout


@pytest.mark.usefixtures("no_bubblewrap")
def test_a_missing_sandbox_is_named_with_its_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, "files", "orphans")
    ran = called("doctor")
    assert ran.returncode == 0
    assert "files           missing  bubblewrap is not installed here" in ran.stdout
    assert "orphans         works" in ran.stdout
    assert "bubblewrap is not installed here. Install it: apt install bubblewrap" in ran.stdout


@pytest.mark.usefixtures("fresh_machine")
def test_missing_control_groups_are_named_with_their_remedy(monkeypatch: pytest.MonkeyPatch) -> None:
    only(monkeypatch, "process count", "processors")
    monkeypatch.setattr(machine, "find_cgroups", lambda: Cgroups("systemd", ("memory", "pids"), systemd_run=("x",)))
    assert [(each.problem, each.remedy) for each in machine_isolation().missing if "control" in each.problem] == [
        (
            "no control group limits processors",
            "Delegate all controllers to users: Delegate=cpu memory pids in user@.service.d.",
        )
    ]
    machine_isolation.cache_clear()
    monkeypatch.setattr(machine, "find_cgroups", lambda: Cgroups("none"))
    ran = called("doctor")
    assert ran.stdout.count("missing  no control group limits memory, processes, processors") == 3
    assert "systemd-run --user --scope -p Delegate=yes wateringhole" in ran.stdout


@pytest.mark.usefixtures("fresh_machine")
@pytest.mark.parametrize(
    ("setting", "value", "command"),
    [
        ("kernel/unprivileged_userns_clone", "0", "kernel.unprivileged_userns_clone=1"),
        ("kernel/apparmor_restrict_unprivileged_userns", "1", "kernel.apparmor_restrict_unprivileged_userns=0"),
        ("other", "1", "docker run --privileged"),
    ],
)
def test_the_kernel_setting_that_forbids_namespaces_is_named(
    setting: str, value: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bwrap").write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    (tmp_path / "bwrap").chmod(0o755)
    (tmp_path / setting).parent.mkdir(exist_ok=True)
    (tmp_path / setting).write_text(f"{value}\n")
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    monkeypatch.setattr(machine, "_SETTINGS", tmp_path)
    missing = machine_isolation().missing[0]
    assert "No permissions to create new namespace" in missing.problem
    assert command in missing.remedy


@pytest.mark.usefixtures("no_bubblewrap")
def test_commands_print_before_the_first_game_that_there_is_no_sandbox(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    words = ("tournament", "porrinha", "random", "--games", "2", "--store", "s.sqlite")
    warning = "wateringhole: untrusted players run without a sandbox: bubblewrap is not installed here. Install it"
    assert warning in called(*words, "mine.py:Mine", "--time-limit", "5", folder=tmp_path).stderr
    assert warning not in called(*words, "zero", folder=tmp_path).stderr


def test_a_tournament_stores_how_its_players_are_isolated(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    words = ("tournament", "porrinha", "random", "--games", "2", "--store", "s.sqlite", "--json")
    isolated = json.loads(called(*words, "mine.py:Mine", "--sandbox", "none", folder=tmp_path).stdout)
    inside = json.loads(called(*words, "mine.py:Mine", "--trust", folder=tmp_path).stdout)
    trusted = json.loads(called(*words, "zero", folder=tmp_path).stdout)
    expected = machine_isolation().describe(sandboxed=False)
    assert expected.startswith("own processes without a sandbox; ")
    assert isolated["settings"]["isolation"] == expected
    assert inside["settings"]["isolation"] == "none: Python players run in the process of the referee"
    assert "isolation" not in trusted["settings"]
    shown = called("standings", "1", "--store", "s.sqlite", "--report", "r.html", folder=tmp_path)
    assert f"isolation: {expected}" in " ".join(shown.stdout.split())
    assert f"<dt>Isolation</dt><dd>{expected}</dd>" in (tmp_path / "r.html").read_text()
