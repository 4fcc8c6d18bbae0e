"""The conditions under which players run, as data: limits, settings and the environment."""

from __future__ import annotations

import os
import resource
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from wateringhole.process.limits import Isolation, ProcessLimits, environment, isolation_for

# Resource limits

LIMITS = ProcessLimits(memory_bytes=1000, cpu_seconds=10, file_bytes=2000, open_files=30)


def test_each_resource_limit_has_its_field() -> None:
    limits = {kind: (soft, hard) for kind, soft, hard in LIMITS.rlimits(limits_processes=False)}
    assert limits == {
        resource.RLIMIT_DATA: (1000, 1000),
        # The signal that names the reason comes a second before the end.
        resource.RLIMIT_CPU: (10, 11),
        resource.RLIMIT_FSIZE: (2000, 2000),
        resource.RLIMIT_NOFILE: (30, 30),
        resource.RLIMIT_CORE: (0, 0),
    }


@pytest.fixture
def threads() -> Iterator[int]:
    """Start threads, and return their number."""
    done = threading.Event()
    started = [threading.Thread(target=done.wait) for _ in range(40)]
    for thread in started:
        thread.start()
    yield len(started)
    done.set()
    for thread in started:
        thread.join()


def test_the_limit_on_processes_lies_above_the_threads_that_run_already(threads: int) -> None:
    few, many = (
        {kind: (soft, hard) for kind, soft, hard in ProcessLimits(processes=processes).rlimits()}[resource.RLIMIT_NPROC]
        for processes in (50, 100_050)
    )
    # Other processes start and end meanwhile.
    assert few[0] == few[1] > 50 + threads
    assert 90_000 < many[0] - few[0] < 110_000


def test_without_a_count_of_threads_processes_have_no_resource_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(os, "getuid", lambda: -1)
    assert resource.RLIMIT_NPROC not in {kind for kind, _, _ in LIMITS.rlimits()}


# Settings


@pytest.mark.parametrize(
    ("settings", "expected"),
    [
        ({}, False),
        ({"answer_seconds": 0.0}, True),
        ({"memory_bytes": 1}, True),
        ({"sandbox": True}, True),
        ({"log": Path("logs")}, True),
        ({"startup_seconds": 1.0}, False),
        ({"restarts": 1}, False),
        ({"isolates": True}, True),
        ({"isolates": False, "sandbox": True}, False),
    ],
    ids=str,
)
def test_settings_isolate_players_if_they_need_a_process(settings: dict[str, Any], expected: bool) -> None:
    assert isolation_for(**settings).isolates is expected


def test_settings_that_are_not_given_have_their_defaults() -> None:
    assert isolation_for() == Isolation(restarts=3)
    given = isolation_for(answer_seconds=2.0, startup_seconds=3.0, memory_bytes=4)
    assert given.limits == ProcessLimits(answer_seconds=2.0, startup_seconds=3.0, memory_bytes=4)


def test_settings_are_kept(tmp_path: Path) -> None:
    given = isolation_for(sandbox=True, restarts=None, log=tmp_path)
    assert (given.sandbox, given.restarts, given.log) == (True, None, tmp_path)


def test_visible_paths_may_be_links_and_hidden_ones_are_resolved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("real").mkdir()
    Path("link").symlink_to("real")
    given = isolation_for(read_only=["link", Path("real")], hidden=["link", Path("real/games.sqlite")])
    assert given.read_only == (tmp_path / "link", tmp_path / "real")
    real = (tmp_path / "real").resolve()
    assert given.hidden == (real, real / "games.sqlite")


# The environment


@pytest.mark.parametrize("theirs", [None, "/their/modules"])
def test_a_program_finds_the_modules_of_our_folder_first(
    theirs: str | None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLOUR", "green")
    if theirs is None:
        monkeypatch.delenv("PYTHONPATH", raising=False)
    else:
        monkeypatch.setenv("PYTHONPATH", theirs)
    found = environment(Path("/scratch"))
    assert found["PYTHONPATH"].split(os.pathsep) == [os.getcwd(), *([] if theirs is None else [theirs])]
    assert (found["TMPDIR"], found["COLOUR"]) == ("/scratch", "green")
