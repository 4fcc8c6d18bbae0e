"""Lives that a preloaded parent forks: nothing survives one, and none reaches another, its parent or the machine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.conftest import ROOT
from tests.process.spying import sandbox_or_skip
from tests.waiting import eventually
from wateringhole.errors import UsageError
from wateringhole.match.specs import parse_specs
from wateringhole.process import preloaded
from wateringhole.process.cgroups import Cgroups, find_cgroups
from wateringhole.process.limits import Isolation
from wateringhole.process.player import ProgramPlayer
from wateringhole.process.preloaded import MOST_PARENTS, close_parents
from wateringhole.process.supervision import ForkedProcess

__all__ = ["sandbox_or_skip"]

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux forks players from a preloaded parent")

BOT = """
import json, sys
from wateringhole.games.porrinha.bots.random import Random

def report(**found):
    print(json.dumps(found), file=sys.stderr, flush=True)

class Mine(Random):
    def __init__(self):
        super().__init__()
        look()
"""


@pytest.fixture(params=["isolated", "sandboxed"])
def isolation(request: pytest.FixtureRequest) -> Isolation:
    if request.param == "sandboxed":
        request.getfixturevalue("sandbox_or_skip")
    return Isolation(isolates=True, preloads=True, sandbox=request.param == "sandboxed")


@pytest.fixture
def sandbox(sandbox_or_skip: None) -> Isolation:
    return Isolation(isolates=True, preloads=True, sandbox=True)


@pytest.fixture(autouse=True)
def no_parents(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(preloaded, "_broken", set())
    close_parents()
    yield
    close_parents()


def write_bot(folder: Path, look: str) -> str:
    """Write a bot that runs Python code when it is made, and return its spec."""
    path = folder / "ada" / "mine.py"
    path.parent.mkdir(exist_ok=True)
    path.write_text(f"{BOT}\n{look}")
    return f"{path}:Mine"


def start(spec: str, isolation: Isolation) -> ProgramPlayer:
    (named,) = parse_specs("porrinha", [spec], isolation)
    player = named.make(1)
    assert isinstance(player, ProgramPlayer)
    return player


def live(spec: str, isolation: Isolation) -> dict[str, Any]:
    """Return the report of one life."""
    with closing(start(spec, isolation)) as player:
        assert isinstance(player.program._supervisor.process, ForkedProcess)
        return reported(player)


def reported(player: ProgramPlayer) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(player.program._log.path.read_text().splitlines()[0])
    return found


# What a life leaves behind

LEAVES_EVERYTHING = """
import builtins, ctypes, glob, os, random, signal, socket, subprocess, time
from pathlib import Path

libc = ctypes.CDLL(None, use_errno=True)
NOTES = [Path(folder, "note") for folder in ("/tmp", "/dev/shm", "/scratch", Path(__file__).parent, "/", "/dev")]
KEYRING = -4  # that of the user
ADD_KEY, KEYCTL, SEARCH = 248, 250, 10

def look():
    import wateringhole.games.porrinha as game
    report(
        module=hasattr(game, "note"),
        builtins=hasattr(builtins, "note"),
        files=[str(note) for note in NOTES if note.exists()],
        processes=sorted(int(Path(path).name) for path in glob.glob("/proc/[0-9]*")),
        connections=Path("/proc/net/tcp").read_text().count("\\n"),
        sockets=Path("/proc/net/unix").read_text().count("note"),
        shared_memory=libc.shmget(77, 0, 0) >= 0,
        queues=libc.msgget(77, 0) >= 0,
        keys=libc.syscall(KEYCTL, SEARCH, KEYRING, b"user", b"note", 0) >= 0,
        times={path: os.stat(path).st_mtime_ns == 77 for path in ("/dev", "/dev/pts", "/tmp", "/", "/proc", __file__)},
        devices=changed_devices(),
        mode=oct(os.stat("/dev/pts").st_mode),
        name=os.uname().nodename,
    )
    game.note = builtins.note = "remembered"
    for note in NOTES:
        attempt(lambda: note.write_text("remembered"))
    left = subprocess.Popen(["sleep", "600"], start_new_session=True)
    with socket.create_server(("127.0.0.1", 0)) as server:
        with socket.create_connection(server.getsockname()) as one, server.accept()[0] as other:
            one.close()
            other.recv(1)
    global kept
    kept = socket.socket(socket.AF_UNIX)
    kept.bind("\\0note")
    libc.shmget(77, 100, 0o1666)
    libc.msgget(77, 0o1666)
    libc.syscall(ADD_KEY, b"user", b"note", b"remembered", 10, KEYRING)
    for path in ("/dev", "/dev/pts", "/tmp", "/", "/proc", __file__):
        attempt(lambda: os.utime(path, ns=(77, 77)))
    attempt(lambda: os.chmod("/dev/pts", 0o700))
    libc.sethostname(b"remembered", 10)

def changed_devices():
    found = []
    for path in Path("/dev").iterdir():
        if path.is_char_device() and not path.is_symlink():
            status = path.stat()
            same = status.st_atime_ns, status.st_mtime_ns
            for act in (lambda: os.utime(path, ns=same), lambda: path.chmod(status.st_mode & 0o7777)):
                if attempt(act):
                    found.append(str(path))
    Path("/dev/null").write_text("ignored")
    return found

def attempt(act):
    try:
        act()
    except OSError:
        return False
    return True
"""


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers of system calls are those of x86_64")
def test_a_life_finds_nothing_of_the_life_before(tmp_path: Path, sandbox: Isolation) -> None:
    spec = write_bot(tmp_path, LEAVES_EVERYTHING)
    first, *others = [live(spec, sandbox) for _ in range(3)]
    assert others == [first, first]
    assert first["processes"] == [1, 2]
    assert first["files"] == []
    assert first["devices"] == []
    assert not first["keys"]
    assert len(preloaded._parents) == 1


def test_memory_ends_with_a_life(tmp_path: Path, isolation: Isolation) -> None:
    code = """
def look():
    import wateringhole.games.porrinha as game
    report(found=hasattr(game, "note"), path=sys.path.count("note"))
    game.note = "remembered"
    sys.path.append("note")
"""
    spec = write_bot(tmp_path, code)
    assert [live(spec, isolation) for _ in range(2)] == [{"found": False, "path": 0}] * 2
    assert len(preloaded._parents) == 1


def test_lives_do_not_share_random_numbers(tmp_path: Path, isolation: Isolation) -> None:
    spec = write_bot(tmp_path, "import os, random\ndef look(): report(found=[random.random(), os.urandom(4).hex()])")
    assert live(spec, isolation) != live(spec, isolation)


def test_processes_end_with_a_life(tmp_path: Path, isolation: Isolation) -> None:
    code = """
import subprocess
def look():
    report(found=subprocess.Popen(["sleep", "600.125"], start_new_session=True, env={}).pid)
"""
    live(write_bot(tmp_path, code), isolation)
    commands = [path.read_bytes() for path in Path("/proc").glob("[0-9]*/cmdline") if _is_readable(path)]
    assert not any(b"600.125" in command for command in commands)


def _is_readable(path: Path) -> bool:
    try:
        path.read_bytes()
    except OSError:
        return False
    return True


# What a life can reach

ATTACKS_ITS_PARENT = """
import ctypes, os, signal
libc = ctypes.CDLL(None, use_errno=True)

def attempt(act):
    try:
        return act() is not False
    except OSError:
        return False

def called(result):
    if result < 0:
        raise OSError(ctypes.get_errno(), "")

def look():
    status = open("/proc/self/status").read().splitlines()
    found = dict(
        parent=os.getppid(),
        capabilities=sorted({line.split()[1] for line in status if line.startswith("Cap")}),
        files=sorted(int(name) for name in os.listdir("/proc/self/fd")),
        traced=attempt(lambda: called(libc.ptrace(16, 1, None, None))),
        memory=attempt(lambda: open("/proc/1/mem", "rb")),
        environment=attempt(lambda: open("/proc/1/environ", "rb").read()),
        open_files=any(attempt(lambda: os.open(f"/proc/1/fd/{number}", os.O_RDONLY)) for number in range(20)),
        links=any(attempt(lambda: os.readlink(f"/proc/1/fd/{number}")) for number in range(20)),
        root=attempt(lambda: os.listdir("/proc/1/root")),
        file_taken=attempt(lambda: called(libc.syscall(438, os.pidfd_open(1), 3, 0))),
        users=attempt(lambda: called(libc.unshare(0x10000000))),
        mounts=attempt(lambda: called(libc.unshare(0x00020000))),
        entered=attempt(lambda: called(libc.setns(os.open("/proc/1/ns/mnt", os.O_RDONLY), 0))),
        unmounted=attempt(lambda: called(libc.umount2(b"/tmp", 2))),
        remounted=attempt(lambda: called(libc.mount(None, b"/", None, 32 | 4096, None))),
        settings=attempt(lambda: open("/proc/sys/user/max_user_namespaces", "w")),
        terminals=attempt(os.openpty),
        interpreter=attempt(lambda: open("/proc/self/exe", "r+b")),
    )
    for number in (signal.SIGKILL, signal.SIGSTOP, signal.SIGTERM, signal.SIGCHLD, signal.SIGINT):
        attempt(lambda: os.kill(1, number))
        attempt(lambda: os.kill(-1, number) if number != signal.SIGSTOP else None)
    report(**found)
"""


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers of system calls are those of x86_64")
def test_a_life_cannot_reach_its_parent(tmp_path: Path, sandbox: Isolation) -> None:
    spec = write_bot(tmp_path, ATTACKS_ITS_PARENT)
    first, second = live(spec, sandbox), live(spec, sandbox)
    assert first == second
    assert first.pop("parent") == 1
    assert first.pop("capabilities") == ["0000000000000000"]
    # Two pipes to the referee, what replaced them, standard error, the file that it runs, and the folder that it lists.
    assert len(first.pop("files")) <= 7
    assert {name for name, succeeded in first.items() if succeeded} == set()
    assert len(preloaded._parents) == 1


def test_a_life_that_kills_its_supervisor_in_the_sandbox_harms_no_other(tmp_path: Path, sandbox: Isolation) -> None:
    spec = write_bot(tmp_path, "import os\ndef look():\n    os.kill(1, 9)\n    report(alive=True)")
    assert live(spec, sandbox) == {"alive": True}


def test_a_killed_parent_is_replaced(tmp_path: Path, isolation: Isolation) -> None:
    spec = write_bot(tmp_path, "def look(): report(alive=True)")
    live(spec, isolation)
    (parent,) = preloaded._parents.values()
    for pid in parent.processes():
        with suppress(ProcessLookupError):  # some end with others
            os.kill(pid, signal.SIGKILL)
    # The game goes on, at the latest with the second try.
    for _ in range(2):
        with closing(start(spec, isolation)) as player:
            assert reported(player) == {"alive": True}
    assert live(spec, isolation) == {"alive": True}


def test_two_lives_at_the_same_time_do_not_meet(tmp_path: Path, sandbox: Isolation) -> None:
    code = """
import os
def look():
    report(processes=len([name for name in os.listdir("/proc") if name.isdecimal()]), here=sorted(os.listdir("/tmp")))
    open("/tmp/note", "w").close()
"""
    spec = write_bot(tmp_path, code)
    with closing(start(spec, sandbox)) as first, closing(start(spec, sandbox)) as second:
        found = [reported(player) for player in (first, second)]
        # The folder of the player, and the checkout if it is there.
        shown = {path.parts[2] for path in (tmp_path, ROOT) if path.parts[1] == "tmp"}
        assert found == [{"processes": 2, "here": sorted(shown)}] * 2
    assert len(preloaded._parents) == 1


def test_the_parent_of_a_player_sees_no_other_player(tmp_path: Path, sandbox: Isolation) -> None:
    others = [write_bot(tmp_path / name, "def look(): report()") for name in _folders(tmp_path, "bea", "cai")]
    for spec in others:
        live(spec, sandbox)
    bea, cai = preloaded._parents.values()
    assert bea is not cai
    roots = [Path(f"/proc/{parent.processes()[-1]}/root") for parent in (bea, cai)]
    shown = [[(root / f"{tmp_path}/{name}".lstrip("/")).exists() for name in ("bea", "cai")] for root in roots]
    assert shown == [[True, False], [False, True]]


def _folders(folder: Path, *names: str) -> tuple[str, ...]:
    for name in names:
        (folder / name).mkdir()
    return names


# Limits


@pytest.mark.parametrize(
    ("code", "problem"),
    [
        ("hoard = b'x' * (200 << 20)", "MemoryError"),
        ("open('/dev/shm/x', 'wb').write(b'x' * (8 << 20))", "No space left"),
        ("open('/scratch/x', 'wb').write(b'x' * (8 << 20))", "No space left"),
        ("import mmap; mmap.mmap(-1, 300 << 20).write(b'x' * (50 << 20) * 5)", "MemoryError|memory limit"),
    ],
)
def test_a_life_has_limits(code: str, problem: str, tmp_path: Path, sandbox: Isolation) -> None:
    limits = msgspec.structs.replace(sandbox.limits, memory_bytes=100 << 20, scratch_bytes=4 << 20)
    spec = write_bot(tmp_path, f"def look():\n    {code}")
    with pytest.raises(UsageError, match=problem):
        start(spec, msgspec.structs.replace(sandbox, limits=limits))


def test_each_life_has_its_own_groups(tmp_path: Path, isolation: Isolation) -> None:
    if not find_cgroups().folders:
        pytest.skip(f"no control group can limit anything here: {find_cgroups().kind}")
    spec = write_bot(tmp_path, "def look(): report()")
    with closing(start(spec, isolation)) as first, closing(start(spec, isolation)) as second:
        members = []
        for player in (first, second):
            (folder,) = (path for path in _groups("pids") if player.program.tag in path.name)
            members.append(set((folder / "cgroup.procs").read_text().split()))
            assert members[-1] <= set(map(str, player.program.processes()))
        assert all(members)
        assert members[0].isdisjoint(members[1])
    assert _groups("pids") == []


def _groups(controller: str, pid: int | None = None) -> list[Path]:
    folder = find_cgroups().folders[controller]
    return list(folder.glob(f"wateringhole-{pid or os.getpid()}-*"))


STARTS_A_LIFE = """
import sys, time
from wateringhole.match.specs import parse_specs
from wateringhole.process.limits import Isolation
isolation = Isolation(isolates=True, preloads=True, sandbox=sys.argv[2] == "True")
player = parse_specs("porrinha", [sys.argv[1]], isolation)[0].make(1)
print(player.program.folder, flush=True)
time.sleep(600)
"""


def test_everything_ends_with_our_process(tmp_path: Path, isolation: Isolation) -> None:
    if not find_cgroups().folders:
        pytest.skip(f"no control group can limit anything here: {find_cgroups().kind}")
    spec = write_bot(tmp_path, "def look(): report()")
    words = [sys.executable, "-c", STARTS_A_LIFE, spec, str(isolation.sandbox)]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().strip())
        assert folder.exists()
        assert _groups("pids", process.pid)
        process.kill()
    eventually(lambda: not folder.parent.exists())
    eventually(lambda: not _groups("pids", process.pid))


# Parents


def test_a_machine_that_cannot_fork_players_starts_them_one_by_one(
    tmp_path: Path, isolation: Isolation, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wateringhole.match.specs._START_PRELOADED", "raise SystemExit")
    spec = write_bot(tmp_path, "def look(): report(alive=True)")
    for _ in range(2):
        with closing(start(spec, isolation)) as player:
            assert reported(player) == {"alive": True}
    assert not preloaded._parents


def test_systemd_starts_players_one_by_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        "wateringhole.process.preloaded.find_cgroups", lambda: Cgroups("systemd", systemd_run=("systemd-run",))
    )
    spec = write_bot(tmp_path, "def look(): report(alive=True)")
    start(spec, Isolation(isolates=True, preloads=True)).close()
    assert not preloaded._parents


def test_a_replaced_file_is_played_in_the_next_life(tmp_path: Path, isolation: Isolation) -> None:
    spec = write_bot(tmp_path, "def look(): report(version=1)")
    assert live(spec, isolation) == {"version": 1}
    (tmp_path / "new").mkdir()
    write_bot(tmp_path / "new", "def look(): report(version=2)")
    (tmp_path / "new" / "ada" / "mine.py").rename(tmp_path / "ada" / "mine.py")
    assert live(spec, isolation) == {"version": 2}


def test_idle_parents_are_few(tmp_path: Path, sandbox: Isolation, monkeypatch: pytest.MonkeyPatch) -> None:
    assert MOST_PARENTS > 1
    monkeypatch.setattr(preloaded, "MOST_PARENTS", 2)
    specs = [write_bot(tmp_path / name, "def look(): report()") for name in _folders(tmp_path, "bea", "cai", "dan")]
    for spec in specs:
        live(spec, sandbox)
    assert len(preloaded._parents) == 2
    assert all(parent.processes() for parent in preloaded._parents.values())


def test_no_parent_of_a_running_life_ends(tmp_path: Path, sandbox: Isolation, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preloaded, "MOST_PARENTS", 1)
    specs = [write_bot(tmp_path / name, "def look(): report()") for name in _folders(tmp_path, "bea", "cai", "dan")]
    players = [start(spec, sandbox) for spec in specs]
    assert not any(player.program.has_exited for player in players)
    assert len(preloaded._parents) == 3
    for player in players:
        player.close()
    live(specs[0], sandbox)
    assert len(preloaded._parents) == 3
    live(write_bot(tmp_path, "def look(): report()"), sandbox)
    assert len(preloaded._parents) == 1


def test_a_player_that_cannot_be_loaded_is_named_as_without_a_parent(tmp_path: Path, isolation: Isolation) -> None:
    spec = write_bot(tmp_path, "def look(): raise RuntimeError('no luck')")
    problems = []
    for each in (isolation, msgspec.structs.replace(isolation, preloads=False)):
        with pytest.raises(UsageError) as caught:
            start(spec, each)
        problems.append(str(caught.value))
    assert problems[0] == problems[1]
    assert "no luck" in problems[0]
