"""The limits of a player: memory, processes, files and processors, for all its processes together."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from tests.process.programs import AMPLE_TIME, PORRINHA, play_series, started, write_program
from tests.process.spying import sandbox_or_skip
from tests.process.test_player import LIMITS, forfeits
from tests.waiting import eventually
from wateringhole.process import cgroups
from wateringhole.process.cgroups import CONTROLLERS, Cgroups, find_cgroups
from wateringhole.process.limits import Isolation, ProcessLimits
from wateringhole.process.player import start_program
from wateringhole.process.supervisor import descendants

__all__ = ["sandbox_or_skip"]

SMALL = ProcessLimits(memory_bytes=100 << 20, answer_seconds=AMPLE_TIME, processes=30)
REACHED = "(its memory limit of 100 MB was reached)"
SHARED = """
import mmap
shared = mmap.mmap(-1, 300 << 20)
for _ in range(300):
    shared.write(b"x" * (1 << 20))
"""
TOGETHER = """
import mmap
for _ in range(8):
    if os.fork() == 0:
        mine = bytearray(os.urandom(1 << 20) * 40); time.sleep(60); os._exit(0)
time.sleep(60)
"""
IN_SHM = """
with open("/dev/shm/mine", "wb") as file:
    for _ in range(300):
        file.write(b"x" * (1 << 20))
"""


def groups(pid: int | None = None) -> set[Path]:
    """Return the groups of the players of a process, by default of this one."""
    folders = set(find_cgroups().folders.values())
    return {path for folder in folders for path in folder.glob(f"wateringhole-{pid or os.getpid()}-*")}


@pytest.fixture
def all_controllers() -> None:
    """Skip a test, with the reason, where groups cannot limit everything."""
    missing = set(CONTROLLERS) - set(find_cgroups().folders)
    if missing:
        pytest.skip(f"no control group can limit {', '.join(sorted(missing))} here: {find_cgroups().kind}")


@pytest.fixture(params=["isolated", "sandboxed"])
def isolation(request: pytest.FixtureRequest) -> Isolation:
    if request.param == "sandboxed":
        request.getfixturevalue("sandbox_or_skip")
    return Isolation(limits=SMALL, sandbox=request.param == "sandboxed")


# Memory


@pytest.mark.usefixtures("all_controllers")
@pytest.mark.parametrize("code", [SHARED, TOGETHER], ids=["shared memory", "several processes"])
def test_memory_beyond_the_limit_of_the_group_forfeits(code: str, isolation: Isolation, tmp_path: Path) -> None:
    with started(write_program(tmp_path, at_request=code), isolation) as player:
        (forfeit,) = forfeits(play_series(player))
    assert forfeit is not None
    assert (forfeit.reason, REACHED in forfeit.message) == ("disconnected", True), forfeit


@pytest.mark.usefixtures("all_controllers", "sandbox_or_skip")
def test_files_in_memory_count(tmp_path: Path) -> None:
    limits = msgspec.structs.replace(SMALL, scratch_bytes=1 << 30, file_bytes=1 << 30)
    with started(write_program(tmp_path, at_request=IN_SHM), Isolation(limits=limits, sandbox=True)) as player:
        (forfeit,) = forfeits(play_series(player))
    assert forfeit is not None
    assert REACHED in forfeit.message


@pytest.mark.usefixtures("sandbox_or_skip")
@pytest.mark.parametrize("place", ["/dev/shm", "/tmp", "/scratch"])
def test_writable_folders_are_limited_in_size(place: str, tmp_path: Path) -> None:
    code = f"for number in range(9): open(f'{place}/{{number}}', 'wb').write(b'x' * (1 << 20))"
    isolation = Isolation(limits=msgspec.structs.replace(LIMITS, scratch_bytes=4 << 20), sandbox=True)
    with started(write_program(tmp_path, at_request=code), isolation) as player:
        (forfeit,) = forfeits(play_series(player))
    assert forfeit is not None
    assert "No space left on device" in forfeit.message


@pytest.mark.parametrize("code", [SHARED, TOGETHER], ids=["shared memory", "several processes"])
def test_the_supervisor_limits_memory_where_no_group_does(
    code: str, isolation: Isolation, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wateringhole.process.child.find_cgroups", lambda: Cgroups("none"))
    with started(write_program(tmp_path, at_request=code + "\ntime.sleep(60)"), isolation) as player:
        (forfeit,) = forfeits(play_series(player))
    assert forfeit is not None
    assert REACHED in forfeit.message, forfeit


# Processes and processors


@pytest.mark.usefixtures("all_controllers")
def test_processes_are_limited_for_root_too(isolation: Isolation, tmp_path: Path) -> None:
    code = """
    for _ in range(40):
        subprocess.Popen(["sleep", "60"])
    """
    with started(write_program(tmp_path, at_request=code), isolation) as player:
        (forfeit,) = forfeits(play_series(player))
    assert forfeit is not None
    assert "Resource temporarily unavailable" in forfeit.message


@pytest.mark.slow
@pytest.mark.usefixtures("all_controllers")
def test_fifty_busy_processes_do_not_slow_another_player(tmp_path: Path) -> None:
    """Each player gets a fair share: without groups, one process gets about a fiftieth of what fifty get."""
    busy, alone = tmp_path / "busy", tmp_path / "alone"
    for folder in (busy, alone):
        folder.mkdir()
    limits = msgspec.structs.replace(SMALL, memory_bytes=1 << 30, processes=100)
    crowd = "for _ in range(50):\n    if os.fork() == 0:\n        os.setsid()\n        while True: pass"
    single = "if os.fork() == 0:\n    while True: pass"
    with (
        started(write_program(busy, at_start=crowd), Isolation(limits=limits)) as first,
        started(write_program(alone, at_start=single), Isolation(limits=limits)) as second,
    ):
        supervisors = [player.program._supervisor.process.pid for player in (first, second)]
        before = [_processor_seconds(pid) for pid in supervisors]
        # Other work on the machine takes its share from both.
        eventually(lambda: sum(map(_processor_seconds, supervisors)) > sum(before) + 2)
        after = [_processor_seconds(pid) for pid in supervisors]
    of_crowd, of_single = (end - start for start, end in zip(before, after, strict=True))
    assert of_single > of_crowd / 6


def _processor_seconds(supervisor: int) -> float:
    total = 0
    for pid in descendants(supervisor):
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


# Groups are removed


@pytest.fixture
def no_groups_left() -> Iterator[None]:
    before = groups()
    yield
    eventually(lambda: groups() <= before)


@pytest.mark.usefixtures("all_controllers", "no_groups_left")
def test_groups_end_with_the_player(isolation: Isolation, tmp_path: Path) -> None:
    before = groups()
    with started(write_program(tmp_path), isolation):
        assert len(groups() - before) == len(CONTROLLERS)
    assert groups() <= before


@pytest.mark.usefixtures("all_controllers", "no_groups_left")
def test_groups_end_with_a_player_that_kills_its_supervisor(tmp_path: Path) -> None:
    code = "subprocess.Popen(['sleep', '60'], env={}, start_new_session=True); os.kill(os.getppid(), 9); time.sleep(60)"
    with started(write_program(tmp_path, at_request=code), Isolation(limits=LIMITS)) as player:
        assert forfeits(play_series(player)) != [None]


@pytest.mark.usefixtures("all_controllers")
def test_groups_are_removed_after_our_process_was_killed(tmp_path: Path) -> None:
    command = write_program(tmp_path, at_request="time.sleep(60)")
    words = [sys.executable, "-m", "wateringhole", "play", "porrinha", f"cmd:{' '.join(command)}", "random", "-q"]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL) as process:
        eventually(lambda: len(groups(process.pid)) == len(CONTROLLERS), process=process)
        process.send_signal(signal.SIGKILL)
    eventually(lambda: not groups(process.pid))


@pytest.mark.usefixtures("all_controllers")
def test_groups_of_killed_supervisors_are_removed_by_the_next_command() -> None:
    gone = subprocess.Popen(["true"])
    gone.wait()
    folder = find_cgroups().folders["pids"]
    stale = folder / f"wateringhole-{gone.pid}-0"
    stale.mkdir()
    find_cgroups.cache_clear()
    find_cgroups()
    assert not stale.exists()


# Other kinds of groups


def test_a_group_of_version_2_has_the_settings_that_the_system_offers(tmp_path: Path) -> None:
    offered = frozenset({"memory.max", "memory.oom.group", "pids.max", "cpu.weight"})
    kind = Cgroups("cgroup v2", CONTROLLERS, dict.fromkeys(CONTROLLERS, tmp_path), offered)
    (group,) = kind.groups(SMALL, "0")
    assert group.settings == {"memory.max": 132 << 20, "memory.oom.group": 1, "pids.max": 30, "cpu.weight": 100}


def test_a_scope_of_systemd_is_a_prefix_of_the_command(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    fake = tmp_path / "systemd-run"
    fake.write_text("#!/bin/sh\necho memory pids\n")
    fake.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:{os.environ['PATH']}")
    monkeypatch.setattr(cgroups, "_SYSTEMD", tmp_path)
    kind = cgroups._systemd()
    assert kind is not None
    assert kind.controllers == ("memory", "pids")
    prefix = kind.prefix(SMALL)
    assert (prefix[0], prefix[-1]) == (str(fake), "--")
    assert {f"MemoryMax={132 << 20}", "TasksMax=30", "CPUWeight=100", "MemorySwapMax=0"} <= set(prefix)


def test_a_group_that_cannot_be_made_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "wateringhole.process.child.find_cgroups",
        lambda: Cgroups("cgroup v1", ("pids",), {"pids": tmp_path / "missing"}),
    )
    with pytest.raises(Exception, match="cannot be started: No such file or directory"):
        start_program(PORRINHA, write_program(tmp_path))
