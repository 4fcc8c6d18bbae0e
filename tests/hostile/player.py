"""A hostile player of Evolution.  The tests copy this file into the folder of a submission.

The file `plan.json` next to it names the attacks and everything that an attacker may know: paths, ports and names.  In
its first turn the player attempts each attack, and writes its result to standard error: the evidence of its
success, or the reason why it failed.  Every attack is bounded, so that it is safe to run.
"""

from __future__ import annotations

import contextlib
import ctypes
import fcntl
import gc
import json
import mmap
import os
import shutil
import signal
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from wateringhole.games.evolution import Declaration, DeclareCards
from wateringhole.games.evolution.bots.greedy import Greedy
from wateringhole.games.evolution.bots.silly import Silly

__all__ = ["ATTACKS", "MARK", "UNSAFE", "Hostile", "processes"]

MARK = "hostile: "
"""The start of a line with a report."""
UNSAFE = "not attempted outside of a sandbox"
FLOOD_BYTES = 640 << 20
FLOOD_IN_PROCESS = 4 << 20
SECRET = b"a trump"
_PLAN = Path(__file__).with_name("plan.json")
PLAN: dict[str, Any] = json.loads(_PLAN.read_text()) if _PLAN.exists() else {}
"""Where the targets are.  There is none if a test imports this module."""


class Hostile(Silly):
    """Plays like `Silly`, and commits its attacks in its first turn."""

    def __init__(self) -> None:
        self._has_attacked = False
        self._kept: list[object] = []
        if PLAN["is_accomplice"]:
            for open_channel in CHANNELS:
                with contextlib.suppress(OSError):
                    self._kept.append(open_channel())

    def choose(self, request: DeclareCards) -> Declaration:
        if not self._has_attacked:
            self._has_attacked = True
            for name in PLAN["attacks"]:
                report(name)
        return super().choose(request)


def report(name: str) -> None:
    """Attempt an attack, and write its result."""
    try:
        result = {"evidence": ATTACKS[name]()}
    except (OSError, MemoryError, LookupError) as error:
        result = {"error": f"{type(error).__name__}: {error}"}
    line = f"\n{MARK}{json.dumps({'attack': name, **result})}\n"
    os.write(2, line.encode())


# Reading


def read(target: str) -> Callable[[], str]:
    return lambda: repr(Path(PLAN[target]).read_bytes()[:20])


def read_users() -> str:
    users = Path("/etc/passwd").read_text().splitlines()
    return next(line for line in users if line.startswith("root:")) if len(users) > 1 else fail("one user")


def see_processes() -> str:
    return f"process {referee()}"


def fail(reason: str) -> Any:
    raise LookupError(reason)


def processes(*words: str) -> Iterator[int]:
    """Yield the processes whose command contains all words."""
    for entry in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            command = (entry / "cmdline").read_bytes().decode(errors="replace")
            if all(word in command for word in words):
                yield int(entry.name)


def referee() -> int:
    """Return the process of the command, found by its arguments."""
    found = next(processes("\0play\0", PLAN["token"]), None)
    return found or fail("no process of the referee is visible")


# The dealer


def objects(name: str) -> Iterator[Any]:
    """Yield all objects in this process whose class has a name."""
    return (each for each in gc.get_objects() if type(each).__name__ == name)


def game_state() -> Any:
    # The class keeps no list of its states, but every frame and every match does.
    found = [state for state in objects("GameState") if any(player.hand for player in state.players)]
    return found[-1] if found else fail("no game is in this process")


def find_hands() -> str:
    return f"{sum(bool(player.hand) for player in game_state().players)} hands"


def add_points() -> str:
    state = game_state()
    for player in state.players:
        if player.seat == PLAN["seat"]:
            player.bag += 1000
    return "1,000 points"


def throw_out() -> None:
    """Replace a method of the opponents, if they are in this process."""
    if next(objects("Match"), None):
        Greedy.choose = lambda self, request: None  # type: ignore[assignment,return-value,method-assign]


def destroy_record() -> None:
    for recorder in objects("Recorder"):
        recorder._text.clear()
        recorder._unwritten.clear()


# Collusion: the accomplice opens channels when it is created, and the other player looks for them


def note(target: str) -> Callable[[], object]:
    return lambda: Path(PLAN[target]).write_bytes(SECRET)


def listen(family: int, address: Any) -> socket.socket:
    server = socket.socket(family)
    server.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    server.bind(address)
    server.listen()
    return server


def connect(family: int, address: Any) -> str:
    with socket.socket(family) as line:
        line.settimeout(2)
        line.connect(address)
    return f"connected to {address!r}"


def abstract() -> str:
    return f"\0{PLAN['token']}"


def shared_memory(flags: int) -> int:
    """Return the address of a System V segment."""
    libc = ctypes.CDLL(None, use_errno=True)
    libc.shmat.restype = ctypes.c_void_p
    segment = libc.shmget(PLAN["shm_key"], len(SECRET), flags)
    if segment < 0:
        raise OSError(ctypes.get_errno(), "shmget")
    return int(libc.shmat(segment, None, 0))


def write_shared_memory() -> None:
    ctypes.memmove(shared_memory(0o1666), SECRET, len(SECRET))


def read_shared_memory() -> str:
    return repr(ctypes.string_at(shared_memory(0o666), len(SECRET)))


def lock() -> int:
    file = os.open(PLAN["locked"], os.O_RDONLY)
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return file


def notice_lock() -> str:
    try:
        os.close(lock())
    except BlockingIOError:
        return "the file is locked"
    return str(fail("the file is not locked"))


CHANNELS: tuple[Callable[[], object], ...] = (
    note("note_in_tmp"),
    note("note_in_folder"),
    note("note_in_shm"),
    lambda: listen(socket.AF_UNIX, PLAN["socket"]),
    lambda: listen(socket.AF_UNIX, abstract()),
    lambda: listen(socket.AF_INET, ("127.0.0.1", PLAN["meeting_port"])),
    write_shared_memory,
    lock,
)


# Exhausting.  Each gets a little more than its limit allows, and then gives it back.


def beyond() -> int:
    """Return the number of megabytes that are more than the limit."""
    return int(PLAN["memory_mb"]) * 2


def allocate() -> str:
    hoard = [os.urandom(1 << 20) for _ in range(beyond())]
    return f"{len(hoard)} MB"


def share() -> str:
    with mmap.mmap(-1, beyond() << 20) as shared:
        for _ in range(beyond()):
            shared.write(os.urandom(1 << 20))
    return f"{beyond()} MB"


def fill(folder: str) -> str:
    """Write many files, each below the limit for one file."""
    files = [Path(folder) / f"{PLAN['token']}-{number}" for number in range(beyond() // 16)]
    try:
        for file in files:
            file.write_bytes(os.urandom(16 << 20))
    finally:
        for file in files:
            file.unlink(missing_ok=True)
    return f"{beyond()} MB"


def multiply() -> str:
    wanted = int(PLAN["processes"]) * 2
    children: list[int] = []
    try:
        for _ in range(wanted):
            child = os.fork()
            if child == 0:
                signal.pause()
            children.append(child)
    finally:
        for child in children:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
    return f"{wanted} processes"


def occupy_processors() -> None:
    for _ in range(50):
        if os.fork() == 0:
            until = time.monotonic() + 8
            while time.monotonic() < until:
                pass
            os._exit(0)


def flood(file: int) -> None:
    is_at_home = next(objects("Match"), None) is not None
    for _ in range((FLOOD_IN_PROCESS if is_at_home else FLOOD_BYTES) >> 20):
        os.write(file, b"x" * ((1 << 20) - 1) + b"\n")


# Signals


def supervisor() -> int:
    """Return our parent if it is a supervisor or the first process of a sandbox, never another one."""
    parent = os.getppid()
    known = {*processes("supervisor.py"), *processes("bwrap"), *processes("preloaded_player")}
    return parent if parent in known else fail("no supervisor")


def send(number: int, target: Callable[[], int]) -> Callable[[], None]:
    return lambda: os.kill(target(), number)


def kill_everything() -> None:
    # Outside of the sandbox, this would end the machine's processes.
    if len(list(Path("/proc").glob("[0-9]*"))) > 5 or os.getuid() != 1000:
        fail(UNSAFE)
    os.kill(-1, signal.SIGKILL)


# Deleting


def delete(target: str) -> Callable[[], None]:
    def attempt() -> None:
        path = Path(PLAN[target])
        if path.is_dir():
            shutil.rmtree(path)
        else:
            path.unlink()

    return attempt


ATTACKS: dict[str, Callable[[], str | None]] = {
    "read the store": read("store"),
    "read another submission": read("other"),
    "read the users of the machine": read_users,
    "read a variable of the operator's environment": lambda: os.environ[PLAN["variable"]],
    "read a file in the operator's home": read("diary"),
    "read a file in the machine's /tmp": read("temporary"),
    "see the processes of the machine": see_processes,
    "find the hands of all players in memory": find_hands,
    "add 1,000 points to its score": add_points,
    "get an opponent thrown out": throw_out,
    "destroy the record of the game": destroy_record,
    "connect to a server on this machine": lambda: connect(socket.AF_INET, ("127.0.0.1", PLAN["server_port"])),
    "pass a note in /tmp": read("note_in_tmp"),
    "pass a note in its own folder": read("note_in_folder"),
    "pass a note in /dev/shm": read("note_in_shm"),
    "meet at a Unix socket": lambda: connect(socket.AF_UNIX, PLAN["socket"]),
    "meet at an abstract Unix socket": lambda: connect(socket.AF_UNIX, abstract()),
    "meet at a TCP port": lambda: connect(socket.AF_INET, ("127.0.0.1", PLAN["meeting_port"])),
    "meet in System V shared memory": read_shared_memory,
    "signal by locking a file of the system": notice_lock,
    "allocate more memory than its limit": allocate,
    "share more memory than its limit": share,
    "fill /dev/shm beyond its limit": lambda: fill("/dev/shm"),
    "fill /tmp beyond its limit": lambda: fill("/tmp"),
    "start more processes than its limit": multiply,
    "slow down another player with fifty busy processes": occupy_processors,
    "flood standard output": lambda: flood(1),
    "flood standard error": lambda: flood(2),
    "kill its supervisor": send(signal.SIGKILL, supervisor),
    "stop its supervisor": send(signal.SIGSTOP, supervisor),
    "kill the referee": send(signal.SIGKILL, referee),
    "stop the referee": send(signal.SIGSTOP, referee),
    "kill every process it sees": kill_everything,
    "delete the store": delete("store"),
    "delete another submission": delete("other"),
    "delete its own folder": delete("own"),
    "delete the records of earlier games": delete("records"),
}
