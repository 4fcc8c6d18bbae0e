"""Trials of the isolation of players: small programs try what a player must not be able to do."""

from __future__ import annotations

import os
import socket
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, NamedTuple

import msgspec

from wateringhole.process.cgroups import find_cgroups
from wateringhole.process.child import ChildError, ChildProcess, Deadline
from wateringhole.process.limits import Isolation, ProcessLimits
from wateringhole.process.machine import MachineIsolation, machine_isolation

__all__ = ["Finding", "examine"]

_SECONDS = 20.0
"""The time limit of a trial."""
_LIMITS = ProcessLimits(memory_bytes=64 << 20, processes=24, file_bytes=1 << 30, scratch_bytes=4 << 20)


class Finding(msgspec.Struct, frozen=True):
    """The result of one trial."""

    name: str
    status: Literal["works", "missing", "broken"]
    """``missing`` if the machine does not offer it, ``broken`` if it does and the trial failed."""
    text: str
    """What holds for a player, or what is missing or broken."""
    remedy: str = ""
    """What to install or to allow, if it is missing."""


def examine() -> Iterator[Finding]:
    """Try each part of the isolation, and yield the results."""
    machine = machine_isolation()
    isolation = Isolation(sandbox=machine.sandbox is not None, limits=_LIMITS)
    for trial in _TRIALS:
        problem = _missing(machine, trial.needs)
        if problem:
            yield Finding(trial.name, "missing", *problem)
        elif failure := trial.run(isolation):
            yield Finding(trial.name, "broken", failure)
        else:
            yield Finding(trial.name, "works", trial.text)


def _missing(machine: MachineIsolation, needs: str) -> tuple[str, str] | None:
    """Return the problem and the remedy if the machine lacks what a trial needs."""
    has_it = {"": True, "sandbox": machine.sandbox is not None}.get(needs, needs in machine.limited)
    if has_it:
        return None
    return next((each.problem, each.remedy) for each in machine.missing if needs == "sandbox" or needs in each.problem)


@contextmanager
def _started(code: str, isolation: Isolation, *words: str) -> Iterator[ChildProcess]:
    child = ChildProcess([sys.executable, "-I", "-c", f"import os, sys\n{code}", *words], isolation)
    try:
        yield child
    finally:
        child.stop(is_interrupted=True)


def _line(child: ChildProcess) -> str:
    """Return the first line of a program, or the reason why there is none."""
    try:
        return child.receive(Deadline(_SECONDS, time.monotonic() + _SECONDS)).decode().strip()
    except ChildError as error:
        return f"{error}; {child.last_stderr_line()}"


def _answer(code: str, isolation: Isolation, *words: str) -> str:
    with _started(code, isolation, *words) as child:
        return _line(child)


# What a player in the sandbox sees


def _files(isolation: Isolation) -> str | None:
    with tempfile.TemporaryDirectory() as folder:
        secret = Path(folder, "secret")
        secret.touch()
        code = "print([path for path in sys.argv[1:] if os.path.exists(path)] or 'nothing', os.listdir())"
        seen = _answer(code, isolation, str(secret), "/etc/hostname", "/etc/shadow", "/var", "/run")
    return None if seen == "nothing []" else f"it sees files of others: {seen}"


def _writable(isolation: Isolation) -> str | None:
    code = """
def is_writable(path):
    try:
        open(path, "w").close()
    except OSError:
        return False
    return True
print([path for path in sys.argv[1:] if is_writable(path)] or "nothing")
"""
    written = _answer(code, isolation, "/x", "/dev/x", "/usr/x", f"{sys.prefix}/x", "/proc/sys/kernel/printk")
    return None if written == "nothing" else f"it can write to {written}"


def _network(isolation: Isolation) -> str | None:
    code = """
import socket
def connects(family, address):
    try:
        socket.socket(family).connect(address)
    except OSError:
        return False
    return True
print(connects(socket.AF_INET, ("127.0.0.1", int(sys.argv[1]))) or connects(socket.AF_UNIX, chr(0) + sys.argv[2]))
"""
    name = f"wateringhole-doctor-{os.getpid()}"
    with socket.create_server(("127.0.0.1", 0)) as server, socket.socket(socket.AF_UNIX) as abstract:
        abstract.bind(f"\0{name}")
        abstract.listen()
        connected = _answer(code, isolation, str(server.getsockname()[1]), name)
    return None if connected == "False" else f"it can connect to this machine: {connected}"


def _processes_seen(isolation: Isolation) -> str | None:
    count = _answer("print(sum(name.isdecimal() for name in os.listdir('/proc')))", isolation)
    return None if count in ("1", "2", "3") else f"it sees {count} processes"


def _environment(isolation: Isolation) -> str | None:
    code = """
known = {"HOME", "LANG", "LC_CTYPE", "PATH", "PWD", "TMPDIR", "WATERINGHOLE_PLAYER"}
print(sorted(set(os.environ) - known) or "nothing")
"""
    seen = _answer(code, isolation)
    return None if seen == "nothing" else f"it sees the variables {seen}"


# Limits


def _folder_sizes(isolation: Isolation) -> str | None:
    code = """
def is_limited(folder):
    try:
        with open(folder + "/x", "wb") as file:
            for _ in range(8):
                file.write(bytes(1 << 20))
    except OSError:
        return True
    return False
print([folder for folder in sys.argv[1:] if not is_limited(folder)] or "nothing")
"""
    unlimited = _answer(code, isolation, "/scratch", "/tmp", "/dev/shm")
    return None if unlimited == "nothing" else f"the size is not limited: {unlimited}"


def _memory(isolation: Isolation) -> str | None:
    code = """
x = [bytes([1]) * (1 << 20) for _ in range(200)]
print("200 MB")
"""
    return _unless_limited(_answer(code, isolation))


def _shared_memory(isolation: Isolation) -> str | None:
    code = """
import mmap, time
shared = mmap.mmap(-1, 200 << 20)
for _ in range(200):
    shared.write(bytes([1]) * (1 << 20))
time.sleep(2)
print("200 MB")
"""
    return _unless_limited(_answer(code, isolation))


def _memory_files(isolation: Isolation) -> str | None:
    code = """
with open("/dev/shm/x", "wb") as file:
    for _ in range(200):
        file.write(bytes(1 << 20))
print("200 MB")
"""
    wide = msgspec.structs.replace(isolation.limits, scratch_bytes=1 << 30)
    return _unless_limited(_answer(code, msgspec.structs.replace(isolation, limits=wide)))


def _unless_limited(answer: str) -> str | None:
    is_limited = "memory limit" in answer or "MemoryError" in answer
    return None if is_limited else f"a program with a limit of 64 MB used more: {answer}"


def _process_count(isolation: Isolation) -> str | None:
    code = """
import time
try:
    for _ in range(40):
        if os.fork() == 0:
            time.sleep(60)
            os._exit(0)
    print("40")
except OSError:
    print("limited")
"""
    started = _answer(code, isolation)
    return None if started == "limited" else f"a program with a limit of 24 processes started more: {started}"


_SHARE_SECONDS = (0.5, 3.0)
_LEAST_SHARE = 1 / 6


def _processors(isolation: Isolation) -> str | None:
    code = """
for _ in range(int(sys.argv[1])):
    if os.fork() == 0:
        os.setsid()
        while True: pass
print("busy", flush=True)
import time
time.sleep(60)
"""
    wide = msgspec.structs.replace(isolation.limits, processes=64, memory_bytes=1 << 30)
    isolation = msgspec.structs.replace(isolation, limits=wide)
    share = 0.0
    with _started(code, isolation, "20") as crowd, _started(code, isolation, "1") as single:
        _line(crowd)
        _line(single)
        # A longer trial is needed if the machine is busy with something else.
        for seconds in _SHARE_SECONDS:
            before = [_used_seconds(child) for child in (crowd, single)]
            time.sleep(seconds)
            after = [_used_seconds(child) for child in (crowd, single)]
            of_crowd, of_single = (end - start for start, end in zip(before, after, strict=True))
            share = of_single / max(of_crowd, 0.01)
            if share > _LEAST_SHARE:
                return None
    return f"a player with one process got {share:.0%} of the time of a player with twenty"


def _used_seconds(child: ChildProcess) -> float:
    total = 0
    for pid in child.processes():
        fields = Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()
        total += int(fields[11]) + int(fields[12])
    return total / os.sysconf("SC_CLK_TCK")


def _orphans(isolation: Isolation) -> str | None:
    code = """
import time
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        print("hiding", flush=True)
        time.sleep(300)
    os._exit(0)
time.sleep(300)
"""
    with _started(code, isolation) as child:
        if _line(child) != "hiding":
            return "a program could not start"
        running = child.processes()
    left = [pid for pid in running if os.path.exists(f"/proc/{pid}")]
    folders = set(find_cgroups().folders.values())
    groups = [str(group) for folder in folders for group in folder.glob(f"wateringhole-*-{child.tag}")]
    return f"processes {left} and groups {groups} were left" if left or groups else None


class _Trial(NamedTuple):
    name: str
    text: str
    """What holds if the trial works."""
    needs: str
    """``sandbox``, what a control group must limit, or nothing."""
    run: Callable[[Isolation], str | None]
    """Returns the problem, or None."""


_TRIALS = (
    _Trial("files", "a player sees only its own files", "sandbox", _files),
    _Trial("writing", "a player writes only to its scratch folder, /tmp and /dev/shm", "sandbox", _writable),
    _Trial("network", "a player has no network and no sockets of others", "sandbox", _network),
    _Trial("processes", "a player sees only its own processes", "sandbox", _processes_seen),
    _Trial("environment", "a player gets none of your variables", "sandbox", _environment),
    _Trial("folder size", "the writable folders are limited in size", "sandbox", _folder_sizes),
    _Trial("memory", "memory is limited", "", _memory),
    _Trial("shared memory", "memory that processes share is limited", "", _shared_memory),
    _Trial("files in memory", "files in /dev/shm count as memory", "memory", _memory_files),
    # The system limits the processes of a user, but not those of root.
    _Trial("process count", "the number of processes is limited", "" if os.getuid() else "processes", _process_count),
    _Trial("processors", "twenty busy processes get no more time than one", "processors", _processors),
    _Trial("orphans", "no process outlives its player", "", _orphans),
)
