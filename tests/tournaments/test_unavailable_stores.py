"""A tournament waits for a store that is unavailable for a while, and loses and duplicates no game."""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import IO

import pytest

from tests.cli.running import called, wateringhole
from tests.tournaments.conftest import PostgresqlServer
from tests.tournaments.long_tournaments import games_in, started
from tests.tournaments.tournaments import outcomes, settings
from tests.waiting import eventually
from wateringhole.errors import OperationError
from wateringhole.tournaments.retries import LONGEST_DELAY, Retries
from wateringhole.tournaments.store import Store, StoreUnavailable
from wateringhole.tournaments.tournament import Tournament

# Without a store


class FakeTime:
    """A clock that a sleep advances."""

    def __init__(self) -> None:
        self.now = 0.0
        self.slept: list[float] = []

    def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.now += seconds


def failing_calls(failures: int) -> Callable[[], str]:
    """Return a function that fails a number of times and then succeeds."""
    left = iter(range(failures))

    def call() -> str:
        for number in left:
            raise StoreUnavailable(f"failure {number}.")
        return "done"

    return call


def test_delays_increase_and_the_user_is_informed_once() -> None:
    fake, messages = FakeTime(), list[str]()
    retries = Retries(600, messages.append, sleep=fake.sleep, clock=lambda: fake.now)
    assert retries.call(failing_calls(8)) == "done"
    assert fake.slept == [0.5, 1, 2, 4, 8, 16, LONGEST_DELAY, LONGEST_DELAY]
    assert messages == ["failure 0. Trying again for up to 600 s.", "The store can be used again."]


def test_the_last_failure_is_raised_when_the_time_is_over() -> None:
    fake = FakeTime()
    retries = Retries(10, sleep=fake.sleep, clock=lambda: fake.now)
    with pytest.raises(OperationError, match=r"^failure 5\. It was unavailable for 10 s\.$"):
        retries.call(failing_calls(99))
    assert sum(fake.slept) == 10


def test_other_errors_are_raised_at_once() -> None:
    def call() -> None:
        raise OperationError("this stays wrong.")

    with pytest.raises(OperationError, match="this stays wrong"):
        Retries(10, sleep=lambda seconds: pytest.fail("it slept")).call(call)


# A server that restarts


class Gate:
    """A trusted Porrinha player that waits in the middle of a tournament until it is let through."""

    def __init__(self, folder: Path) -> None:
        self._gate = folder / "gate"
        self._gate.touch()
        self._calls = folder / "calls"
        path = folder / "waiting.py"
        path.write_text(
            "import time\n"
            "from pathlib import Path\n"
            "from wateringhole.games.porrinha.bots.zero import Zero\n"
            f"gate, calls = Path({str(self._gate)!r}), Path({str(self._calls)!r})\n"
            "class Waiting(Zero):\n"
            "    def hand(self):\n"
            "        calls.open('a').write('x')\n"
            "        while gate.exists() and calls.stat().st_size > 200:\n"
            "            time.sleep(0.01)\n"
            "        return super().hand()\n"
        )
        self.bot = f"{path}:Waiting"

    def wait(self, process: subprocess.Popen[str]) -> None:
        """Wait until the player does."""
        eventually(lambda: self._calls.exists() and self._calls.stat().st_size > 200, process=process)
        assert process.poll() is None, "the tournament ended before the player waited"

    def open(self) -> None:
        self._gate.unlink()


@pytest.fixture
def gate(tmp_path: Path) -> Gate:
    return Gate(tmp_path)


def tournament(bot: str) -> tuple[str, ...]:
    return ("tournament", "porrinha", "random", "counter", bot, "--trust", "--games", "126", "--seed", "5", "--json")


def until(stderr: IO[str], words: str) -> str:
    """Read lines until one has these words, and return it."""
    for line in stderr:
        if words in line:
            return line
    raise AssertionError(f"it ended without: {words}")


def results_of(location: str | Path) -> list[object]:
    with closing(Store(location)) as store:
        return list(outcomes(store, 1))


def test_a_tournament_continues_after_a_restart_of_the_server(
    own_server: PostgresqlServer, gate: Gate, tmp_path: Path
) -> None:
    command = tournament(gate.bot)
    with started(*command, "--store", own_server.url) as process:
        assert process.stderr is not None
        gate.wait(process)
        own_server.stop()
        gate.open()
        line = until(process.stderr, "Trying again")
        assert line.startswith("wateringhole: the store postgresql://")
        assert line.endswith(" Trying again for up to 600 s.\n")
        own_server.start()
        _, err = process.communicate(timeout=300)
    assert err == "wateringhole: The store can be used again.\n"
    assert process.returncode == 0
    assert called(*command, "--store", tmp_path / "uninterrupted.sqlite").returncode == 0
    assert results_of(own_server.url) == results_of(tmp_path / "uninterrupted.sqlite")


def test_a_server_that_stays_away_ends_the_command_with_the_resume_command(
    own_server: PostgresqlServer, gate: Gate
) -> None:
    words = (*tournament(gate.bot), "--store", own_server.url, "--store-timeout", "1")
    with started(*words) as process:
        gate.wait(process)
        own_server.stop()
        gate.open()
        _, err = process.communicate(timeout=300)
    own_server.start()
    assert process.returncode == 1
    waits, resume, reason = err.splitlines()
    assert waits.endswith("Trying again for up to 1 s.")
    assert reason.endswith("It was unavailable for 1 s.")
    assert resume.startswith("stopped; continue with: wateringhole tournament --resume 1 ")
    assert "--store-timeout 1" in resume
    ran = wateringhole(*shlex.split(resume.partition("continue with: ")[2])[1:])
    assert ran.returncode == 0, ran.stderr
    assert games_in(own_server.url) == 126


# A full disk


def limit_pages(store: Store, pages: int) -> None:
    """Let the file of the store have this many pages, as if the disk were full afterwards."""
    with store._engine.connect() as connection:
        connection.exec_driver_sql(f"PRAGMA max_page_count = {pages}")


def test_a_tournament_continues_when_the_disk_has_space_again(tmp_path: Path) -> None:
    chosen = settings("random", "zero", "counter", games=300)
    with closing(Store(tmp_path / "free.sqlite")) as free, closing(Store(tmp_path / "full.sqlite")) as full:
        Tournament.start(free, chosen).play()
        tournament = Tournament.start(full, chosen)
        messages: list[str] = []
        failures = iter(range(3))

        def sleep(seconds: float) -> None:
            if next(failures, None) is None:
                limit_pages(full, 2**30)

        with full._engine.connect() as connection:
            used = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
        limit_pages(full, used + 3)
        tournament.play(retries=Retries(600, messages.append, sleep=sleep))
        assert messages == [
            f"the store {full.name} cannot be used: database or disk is full. Trying again for up to 600 s.",
            "The store can be used again.",
        ]
        assert outcomes(full, 1) == outcomes(free, 1)
        assert full.tournament(1).finished is not None


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A file system of 400 kB."""
    folder = tmp_path / "disk"
    folder.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=400k", "tmpfs", str(folder)]
    tried = subprocess.run(mount, capture_output=True, text=True, check=False) if os.geteuid() == 0 else None
    if tried is None or tried.returncode:
        pytest.skip("needs to mount a small file system, which only root may do")
    yield folder
    subprocess.run(["umount", "-l", str(folder)], check=True)


def test_a_full_disk_ends_the_command_with_the_resume_command(small_disk: Path, tmp_path: Path) -> None:
    words = ("tournament", "porrinha", "random", "zero", "counter", "--games", "1200", "--seed", "5", "--json")
    store = small_disk / "store.sqlite"
    ran = wateringhole(*words, "--store", store, "--store-timeout", "1")
    assert ran.returncode == 1
    waits, resume, reason = ran.stderr.splitlines()
    why = f"the store {store} cannot be used: database or disk is full."
    assert waits == f"wateringhole: {why} Trying again for up to 1 s."
    assert reason == f"wateringhole: {why} It was unavailable for 1 s."
    subprocess.run(["mount", "-o", "remount,size=50m", str(small_disk)], check=True)
    ran = wateringhole(*shlex.split(resume.partition("continue with: ")[2])[1:])
    assert ran.returncode == 0, ran.stderr
    assert called(*words, "--store", tmp_path / "uninterrupted.sqlite").returncode == 0
    assert results_of(store) == results_of(tmp_path / "uninterrupted.sqlite")


def test_a_report_that_does_not_fit_leaves_no_part_behind(small_disk: Path, tmp_path: Path) -> None:
    words = ("tournament", "porrinha", "random", "zero", "counter", "--games", "12", "--store", tmp_path / "s.sqlite")
    assert called(*words).returncode == 0
    (small_disk / "other").write_bytes(b"x" * 395_000)
    report = small_disk / "report.html"
    ran = called("standings", "1", "--store", tmp_path / "s.sqlite", "--report", report)
    assert ran.returncode == 1
    assert f"{report} cannot be written: No space left on device." in ran.stderr
    assert os.listdir(small_disk) == ["other"]


# A store that is deleted


@pytest.mark.parametrize("is_replaced", [False, True])
def test_a_deleted_store_ends_the_command(is_replaced: bool, gate: Gate, tmp_path: Path) -> None:
    store = tmp_path / "store.sqlite"
    with started(*tournament(gate.bot), "--store", store) as process:
        gate.wait(process)
        store.unlink()
        if is_replaced:
            store.write_bytes(b"")
        gate.open()
        out, err = process.communicate(timeout=300)
    assert process.returncode == 1
    assert out == ""
    assert err == (
        f"wateringhole: the store {store} was deleted or replaced while it was in use, so its games are lost. "
        "Restore it from a copy, or start the tournament again.\n"
    )
    assert store.exists() == is_replaced


def test_a_store_deleted_by_a_player_during_the_last_game_ends_the_command(tmp_path: Path) -> None:
    store, bot = tmp_path / "store.sqlite", tmp_path / "deleting.py"
    bot.write_text(
        "import os\n"
        "from wateringhole.games.porrinha.bots.zero import Zero\n"
        "class Deleting(Zero):\n"
        "    def end_game(self):\n"
        f"        for end in ('', '-wal', '-shm'):\n"
        f"            if os.path.exists({str(store)!r} + end):\n"
        f"                os.unlink({str(store)!r} + end)\n"
    )
    words = ("tournament", "porrinha", "random", "zero", f"{bot}:Deleting", "--trust", "--games", "3")
    ran = wateringhole(*words, "--store", store)
    assert ran.returncode == 1
    assert "was deleted or replaced while it was in use" in ran.stderr
    assert "Traceback" not in ran.stderr
