"""What a player in the sandbox can see: its own files, and nothing of other players, the operator or the machine."""

from __future__ import annotations

import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import called, wateringhole
from tests.process.programs import PORRINHA, started, write_program
from tests.process.spying import LOOK, bot, report_in, sandbox_or_skip
from tests.sample_game.installing import BOT, install_nim
from wateringhole.errors import UsageError
from wateringhole.process.limits import Isolation, ProcessLimits, isolation_for
from wateringhole.process.player import start_program
from wateringhole.process.sandbox import MOST_ENTRIES, PlayerFiles, check_visible, sandboxed

__all__ = ["sandbox_or_skip"]

pytestmark = pytest.mark.usefixtures("sandbox_or_skip")


def spied(folder: Path, *players: str | Path, options: tuple[str, ...] = (), name: str = "Spy") -> dict[str, Any]:
    """Play a game in a folder, and return the report of the player of a name."""
    words = ("play", "porrinha", *players, "--sandbox", "bwrap", "--log", "logs", "-q", *options)
    ran = called(*words, folder=folder)
    assert ran.returncode == 0, ran.stderr
    return report_in(folder / "logs" / f"{name}.log")


# The machine


def test_a_player_sees_an_empty_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SECRET", "1")
    bot(tmp_path / "ada", list=["/etc", "/home", "/var", str(Path.home())], read=["/etc/passwd", "/etc/shadow"])
    seen = spied(tmp_path, "random", "ada/spy.py:Spy")
    assert set(seen["environment"]) <= {"HOME", "LANG", "PATH", "PWD", "TMPDIR", "WATERINGHOLE_PLAYER", "LC_CTYPE"}
    assert (seen["folder"], seen["here"]) == ("/scratch", [])
    assert set(seen["listed"]["/etc"]) <= {
        *("alternatives", "group", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime", "passwd"),
        *(path.name for path in Path("/etc").glob("java-*")),
    }
    assert seen["listed"]["/var"] == "FileNotFoundError"
    assert seen["read"]["/etc/passwd"].count("\n") == 1
    assert seen["read"]["/etc/shadow"] == "FileNotFoundError"
    assert seen["processes"] <= 3
    assert seen["user"] == 1000


def test_only_scratch_tmp_and_shared_memory_are_writable(tmp_path: Path) -> None:
    places = ["/scratch/x", "/tmp/x", "/dev/shm/x", "/x", "/dev/x", "/etc/x", "/usr/x", f"{tmp_path}/ada/x"]
    bot(tmp_path / "ada", write=[*places, f"{sys.prefix}/x", "/proc/sys/kernel/core_pattern"])
    seen = spied(tmp_path, "random", "ada/spy.py:Spy")
    assert [path for path, result in seen["written"].items() if result == "written"] == places[:3]


def test_devices_of_the_machine_work_and_cannot_be_changed(tmp_path: Path) -> None:
    devices = [f"/dev/{name}" for name in ("full", "null", "random", "tty", "urandom", "zero")]
    bot(tmp_path / "ada", touch=devices, use=["/dev/null", "/dev/urandom", "/dev/zero"])
    seen = spied(tmp_path, "random", "ada/spy.py:Spy")
    assert "touched" not in seen["touched"].values()
    assert seen["used"] == {"/dev/null": 0, "/dev/urandom": 4, "/dev/zero": 4}
    # Nothing of this is visible outside.
    mounts = Path("/proc/self/mountinfo").read_text()
    assert not any(f" {device} ro" in mounts for device in devices)


def test_no_socket_of_the_machine_can_be_reached(tmp_path: Path) -> None:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.socket(socket.AF_UNIX) as abstract,
        socket.socket(socket.AF_UNIX) as named,
    ):
        abstract.bind(f"\0{tmp_path.name}")
        named.bind(str(tmp_path / "socket"))
        for line in (abstract, named):
            line.listen()
        sockets = [f"@{tmp_path.name}", str(tmp_path / "socket")]
        bot(tmp_path / "ada", ports=[str(server.getsockname()[1])], sockets=sockets)
        connected = spied(tmp_path, "random", "ada/spy.py:Spy")["connected"]
    assert connected == ["ConnectionRefusedError", "ConnectionRefusedError", "FileNotFoundError"]


def test_links_and_hidden_files_show_nothing(tmp_path: Path) -> None:
    secret = tmp_path / "secret"
    secret.write_text("secret")
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / ".hidden").write_text("hidden")
    (tmp_path / "ada" / "link").symlink_to(secret)
    bot(tmp_path / "ada", read=[tmp_path / "ada" / "link", tmp_path / "ada" / ".hidden", secret])
    seen = spied(tmp_path, "random", "ada/spy.py:Spy")
    assert set(seen["read"].values()) == {"FileNotFoundError"}


KEYS = """
import ctypes, sys
call = ctypes.CDLL(None).syscall
ADD_KEY, KEYCTL, SEARCH, SESSION = 248, 250, 10, -3
print(call(KEYCTL, SEARCH, SESSION, b"user", b"message", 0) > 0, file=sys.stderr, flush=True)
call(ADD_KEY, b"user", b"message", b"x", 1, SESSION)
"""
LOGIN = """
import ctypes, subprocess, sys
assert ctypes.CDLL(None).syscall(250, 1, None) > 0
sys.exit(subprocess.run([sys.executable, "-m", "wateringhole", *sys.argv[1:]]).returncode)
"""


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers of system calls are those of x86_64")
def test_players_leave_no_messages_in_the_keyring_of_the_login(tmp_path: Path) -> None:
    (tmp_path / "spy.py").write_text(
        f"{KEYS}from wateringhole.games.porrinha.bots.random import Random\nclass Spy(Random): pass\n"
    )
    words = ["play", "porrinha", "spy.py:Spy", "spy.py:Spy", "--sandbox", "bwrap", "--log", "logs", "-q"]
    subprocess.run([sys.executable, "-c", LOGIN, *words], cwd=tmp_path, check=True, timeout=300)
    found = [path.read_text().strip() for path in sorted((tmp_path / "logs").glob("*.log"))]
    assert found == ["False", "False"]


SHARED = """
import ctypes, errno, socket, sys
libc = ctypes.CDLL(None, use_errno=True)
ADD_KEY, KEYCTL, IO_URING_SETUP, AF_VSOCK = 248, 250, 425, 40

def failure(*call):
    return "none" if libc.syscall(*call) >= 0 else errno.errorcode[ctypes.get_errno()]

def no_socket(family):
    try:
        socket.socket(family).close()
    except OSError as error:
        return errno.errorcode[error.errno]

def report(*failures):
    print(*failures, file=sys.stderr, flush=True)

# The keyring of the user is not in the namespace of the player, but /proc shows its number.
rings = [int(line.split()[0], 16) for line in open("/proc/keys") if " _uid" in line]
report("keyring", *{failure(ADD_KEY, b"user", b"wateringhole-test", b"x", 1, ring) for ring in rings or [-4]})
report("ring of requests", failure(IO_URING_SETUP, 8, bytes(256)))
report("machine", no_socket(AF_VSOCK))
report("own", no_socket(socket.AF_UNIX), no_socket(socket.AF_INET), no_socket(socket.AF_INET6))
"""


@pytest.mark.skipif(os.uname().machine != "x86_64", reason="the numbers of system calls are those of x86_64")
def test_players_share_nothing_that_no_namespace_separates(tmp_path: Path) -> None:
    source = f"{SHARED}from wateringhole.games.porrinha.bots.random import Random\nclass Spy(Random): pass\n"
    (tmp_path / "spy.py").write_text(source)
    words = ("play", "porrinha", "random", "spy.py:Spy", "--sandbox", "bwrap", "--log", "logs", "-q")
    ran = called(*words, folder=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert (tmp_path / "logs" / "Spy.log").read_text().splitlines() == [
        "keyring ENOSYS",
        "ring of requests ENOSYS",
        "machine EAFNOSUPPORT",
        "own None None None",
    ]


# Its own folder


def test_a_player_reads_the_files_in_its_own_folder_and_below(tmp_path: Path) -> None:
    (tmp_path / "ada" / "data").mkdir(parents=True)
    (tmp_path / "ada" / "data" / "weights").write_text("0.5")
    (tmp_path / "ada" / "helper.py").write_text("from wateringhole.games.porrinha.bots.random import Random\n")
    bot(tmp_path / "ada", read=[tmp_path / "ada" / "data" / "weights"], list=[tmp_path])
    with (tmp_path / "ada" / "spy.py").open("a") as file:
        file.write("import helper\n")
    seen = spied(tmp_path, "random", "ada/spy.py:Spy")
    assert list(seen["read"].values()) == ["0.5"]
    assert list(seen["listed"].values()) == [["ada"]]


def test_players_in_one_folder_do_not_see_each_other(tmp_path: Path) -> None:
    subs = tmp_path / "subs"
    bot(subs, "ada.py", list=[subs], read=[subs / "bea.py", subs / "cyd" / "run.py"])
    bot(subs, "bea.py", list=[subs])
    bot(subs / "cyd", "run.py", list=[subs, subs / "cyd"])
    (subs / "weights").write_text("0.5")
    seen = spied(tmp_path, "Ada=subs/ada.py:Spy", "Bea=subs/bea.py:Spy", "Cyd=subs/cyd/run.py:Spy", name="Ada")
    assert seen["listed"] == {str(subs): ["ada.py", "weights"]}
    assert set(seen["read"].values()) == {"FileNotFoundError"}
    assert report_in(tmp_path / "logs" / "Bea.log")["listed"] == {str(subs): ["bea.py", "weights"]}
    assert report_in(tmp_path / "logs" / "Cyd.log")["listed"] == {str(subs): ["cyd"], str(subs / "cyd"): ["run.py"]}


def test_records_and_logs_in_the_folder_of_a_player_are_hidden(tmp_path: Path) -> None:
    bot(tmp_path, list=[tmp_path])
    seen = spied(tmp_path, "random", "spy.py:Spy", options=("--record", "games"))
    assert list(seen["listed"].values()) == [["spy.py"]]
    assert {"games", "logs"} <= set(os.listdir(tmp_path))


def test_a_player_cannot_read_the_store_of_its_tournament(tmp_path: Path) -> None:
    (tmp_path / "thief.py").write_text(
        "import glob\n"
        "from wateringhole.games.porrinha.bots.random import Random\n"
        "class Thief(Random):\n"
        "    def guess(self):\n"
        f"        if glob.glob('{tmp_path}/**/*sqlite*', recursive=True): raise RuntimeError('found the store')\n"
        "        return super().guess()\n"
    )
    (tmp_path / "results").mkdir()
    for store in ("s.sqlite", "results/s.sqlite"):
        words = ("tournament", "porrinha", "random", "thief.py:Thief", "--games", "2", "--store", store, "--json")
        ran = called(*words, "--sandbox", "bwrap", "--workers", "2", folder=tmp_path)
        assert ran.returncode == 0, ran.stderr
        players = json.loads(ran.stdout)["standings"]["players"]
        assert [player["thrown_out"] for player in players] == [{}, {}]
    ran = called(*words[:-3], "--store", "open.sqlite", "--json", "--trust", folder=tmp_path)
    players = json.loads(ran.stdout)["standings"]["players"]
    assert any(player["thrown_out"] for player in players)


def test_a_large_folder_of_which_a_part_is_hidden_is_a_usage_error(tmp_path: Path) -> None:
    bot(tmp_path)
    for number in range(MOST_ENTRIES):
        (tmp_path / str(number)).touch()
    words = ("play", "porrinha", "random", "spy.py:Spy", "--sandbox", "bwrap", "-q")
    assert called(*words, folder=tmp_path).returncode == 0
    (tmp_path / ".hidden").touch()
    ran = called(*words, folder=tmp_path)
    assert ran.returncode == 2
    assert f"{tmp_path} contains {MOST_ENTRIES + 1} files and folders beside some that a player must not" in ran.stderr


def test_a_file_in_a_home_or_temporary_folder_is_all_that_is_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    (tmp_path / "diary").write_text("secret")
    bot(tmp_path, list=[tmp_path])
    assert "diary" not in spied(tmp_path, "random", "spy.py:Spy")["listed"][str(tmp_path)]


def test_a_player_in_a_package_sees_the_package_alone(tmp_path: Path) -> None:
    bot(tmp_path / "bots", "ada.py", list=[tmp_path, tmp_path / "bots"])
    (tmp_path / "bots" / "bea.py").write_text("from bots.ada import Spy\n")
    (tmp_path / "bots" / "__init__.py").touch()
    (tmp_path / "other").write_text("secret")
    seen = spied(tmp_path, "random", "bots.ada:Spy", "zero")
    assert list(seen["listed"].values()) == [["bots"], ["__init__.py", "ada.py", "bea.py"]]
    shutil.rmtree(tmp_path / "logs")
    with pytest.raises(AssertionError, match=r"No module named 'bots\.ada'"):
        spied(tmp_path, "bots.ada:Spy", "Bea=bots.bea:Spy", name="Bea")


def test_a_program_sees_its_own_folder_and_that_of_its_script(tmp_path: Path) -> None:
    for name in ("ada", "bea"):
        (tmp_path / name).mkdir()
    folders = [str(tmp_path), str(tmp_path / "ada")]
    command = write_program(tmp_path / "ada", at_start=LOOK + f"look({{'list': {folders}}})")
    isolation = isolation_for(sandbox=True, log=tmp_path)
    with started(command, isolation):
        pass
    assert report_in(tmp_path / "mine.log")["listed"] == {folders[0]: ["ada"], folders[1]: ["program.py"]}
    (tmp_path / "mine.log").unlink()
    run = tmp_path / "ada" / "run"
    run.write_text(f"#!{sys.executable}\n{Path(command[1]).read_text()}")
    run.chmod(0o755)
    with started([str(run)], isolation):
        pass
    assert report_in(tmp_path / "mine.log")["listed"] == {folders[0]: ["ada"], folders[1]: ["program.py", "run"]}


def test_a_player_of_a_game_from_another_package_finds_the_game(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = install_nim(tmp_path / "package")
    monkeypatch.setenv("PYTHONPATH", str(package))
    (tmp_path / "ada").mkdir()
    (tmp_path / "ada" / "mine.py").write_text(BOT)
    ran = wateringhole("play", "nim", "ada/mine.py:Mine", "default", "--sandbox", "bwrap", "-q", folder=tmp_path)
    assert ran.returncode == 0, ran.stderr


# --read-only


def test_read_only_shows_another_folder_and_finds_its_programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    tool = tmp_path / "tools" / "bin" / "interpret"
    tool.parent.mkdir(parents=True)
    tool.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
    tool.chmod(0o755)
    (tmp_path / "ada").mkdir()
    command = ["interpret", write_program(tmp_path / "ada")[1]]
    with started(command, isolation_for(sandbox=True, read_only=[tmp_path / "tools"])):
        pass
    monkeypatch.setenv("PATH", f"{tool.parent}:{os.environ['PATH']}")
    with pytest.raises(UsageError, match=f"interpret is installed in {tool.parent}, .* Add --read-only {tmp_path}/too"):
        start_program(PORRINHA, command, 1, isolation_for(sandbox=True))


def test_read_only_shows_a_file_of_another_player(tmp_path: Path) -> None:
    bot(tmp_path, "ada.py", list=[tmp_path])
    (tmp_path / "bea.py").write_text("from ada import Spy\n")
    words = ("Ada=ada.py:Spy", "Bea=bea.py:Spy")
    seen = spied(tmp_path, *words, options=("--read-only", str(tmp_path / "ada.py")), name="Bea")
    assert list(seen["listed"].values()) == [["ada.py", "bea.py"]]


def test_a_path_that_cannot_be_shown_or_hidden_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"--read-only /no/where: there is no such file or folder\."):
        check_visible(isolation_for(sandbox=True, read_only=["/no/where"]))
    with pytest.raises(UsageError, match=f"{tmp_path}/s.sqlite lies in {tmp_path}, which every player"):
        check_visible(isolation_for(sandbox=True, read_only=[tmp_path], hidden=[tmp_path / "s.sqlite"]))


# Users


def test_it_works_for_an_ordinary_user() -> None:
    if os.getuid():
        pytest.skip("this test starts the sandbox as another user, which only root can do")
    isolation = Isolation(sandbox=True, limits=ProcessLimits(scratch_bytes=1 << 20))
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        groups = _groups(sandboxed(["/bin/sh", "-c", "ls /; id -u"], PlayerFiles(), isolation, Path(folder)))
        # Another user cannot read the Python installation of root, so show none.
        home = f"{Path.home()}/"
        words = [word for group in groups if not any(home in word for word in group) for word in group]
        ran = subprocess.run(
            words, user=65534, group=65534, extra_groups=[], capture_output=True, text=True, check=False
        )
    assert ran.returncode == 0, ran.stderr
    assert ran.stdout.splitlines()[-1] == "1000"
    assert not {"home", "root", "var"} & set(ran.stdout.splitlines())


def _groups(command: list[str]) -> list[list[str]]:
    """Return the words of a command, each option with its values."""
    groups: list[list[str]] = []
    for word in command:
        if word.startswith("--") or not groups:
            groups.append([])
        groups[-1].append(word)
    return groups
