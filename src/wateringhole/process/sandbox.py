"""The sandbox of a player: bubblewrap with a file system that is built from nothing.

A player sees the system's programs and libraries, the Python installation, its own files, an empty scratch
folder and an empty `/tmp`.  Only the last two and `/dev/shm` are writable, they are limited in size, and they
end with the player.  It has its own processes, network, users and environment.  The system calls that reach
beyond all of them are refused.
"""

from __future__ import annotations

import errno
import functools
import os
import shutil
import site
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from wateringhole.errors import UsageError
from wateringhole.process.cgroups import SYSTEMD_VARIABLES, find_cgroups
from wateringhole.process.limits import Isolation
from wateringhole.process.namespaces import SCRATCH, USER, WRITABLE
from wateringhole.process.system_calls import system_call_filter

__all__ = [
    "NO_FILES",
    "SCRATCH",
    "SQLITE_START",
    "PlayerFiles",
    "bubblewrap",
    "check_sandbox",
    "check_visible",
    "environment",
    "sandboxed",
    "shared_folders",
    "supports",
]

SQLITE_START = b"SQLite format 3\0"
"""The first bytes of a database, as a store is one."""
MOST_ENTRIES = 400
"""The most entries of a player's folder of which only a part is visible."""
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SETTINGS = ("alternatives", "java-*", "ld.so.cache", "ld.so.conf", "ld.so.conf.d", "localtime")
"""The files of /etc that programs and libraries of the system need."""
_USERS = {"passwd": f"player:x:{USER}:{USER}::{SCRATCH}:/bin/sh\n", "group": f"player:x:{USER}:\n"}
"""The files of /etc that would list the users of this machine."""
_NAMESPACES = ("--die-with-parent", "--new-session", "--unshare-user", "--cap-drop", "ALL", "--hostname", "player")
_OF_A_PLAYER = ("--unshare-all", "--uid", str(USER), "--gid", str(USER))
_OF_A_PARENT = (
    # Its lives join control groups that it would not see in a namespace of its own.
    *("--unshare-ipc", "--unshare-pid", "--unshare-net", "--unshare-uts", "--uid", "0", "--gid", "0"),
    # It mounts /proc for its lives, and names their user.
    *("--cap-add", "CAP_SYS_ADMIN", "--cap-add", "CAP_SETFCAP"),
)


class PlayerFiles(NamedTuple):
    """The files of one player that it may read."""

    paths: tuple[Path, ...] = ()
    """Files and folders that are visible in any case, such as the file that names the player."""
    folders: tuple[Path, ...] = ()
    """Folders of the player.  The files of other players in them, and those of this command, are not visible."""


NO_FILES = PlayerFiles()


def sandboxed(
    command: Sequence[str], files: PlayerFiles, isolation: Isolation, folder: Path, *, is_parent: bool = False
) -> list[str]:
    """Return a command that runs in the sandbox.  `folder` holds the files that are made for it.

    A preloaded parent sees the same files.  Nothing is writable to it, and its lives make their own namespaces in its.
    Raises FileNotFoundError if the program does not exist, and UsageError if the sandbox does not show it.
    """
    _check_program(command[0], isolation)
    for name, text in _USERS.items():
        (folder / name).write_text(text)
    size = str(isolation.limits.scratch_bytes)
    if is_parent:
        namespaces: Sequence[str] = _OF_A_PARENT
        writable = [word for place in WRITABLE for word in ("--dir", place)]
    else:
        namespaces = (*_OF_A_PLAYER, *_optional("--disable-userns"))
        writable = ["--ro-bind", "/proc/sys", "/proc/sys"]
        writable += [word for place in WRITABLE for word in (*_optional("--size", size), "--tmpfs", place)]
    return [
        *_filtered(bubblewrap() or "bwrap", folder),
        *(*_NAMESPACES, *namespaces),
        *(word for name in SYSTEMD_VARIABLES for word in ("--unsetenv", name)),
        *_system(),
        *(word for name in _USERS for word in ("--ro-bind", str(folder / name), f"/etc/{name}")),
        *("--proc", "/proc", "--dev", "/dev", *writable),
        *_visible(files, isolation),
        *("--remount-ro", "/dev", "--remount-ro", "/", "--chdir", SCRATCH, "--", *command),
    ]


def _filtered(program: str, folder: Path) -> list[str]:
    """Return the start of a command that gives bubblewrap the filter of system calls as an open file."""
    rules = system_call_filter()
    if rules is None:
        return [program]
    (folder / "filter").write_bytes(rules)
    return ["/bin/sh", "-c", 'unset PWD; exec "$@" 9< "$0"', str(folder / "filter"), program, "--seccomp", "9"]


def _check_program(program: str, isolation: Isolation) -> None:
    if shutil.which(program, path=environment(isolation)["PATH"]):
        return
    found = shutil.which(program)
    if found is None:
        raise FileNotFoundError(errno.ENOENT, os.strerror(errno.ENOENT), program)
    folder = Path(found).resolve().parent
    raise UsageError(
        f"{program} is installed in {folder}, which the sandbox does not show. "
        f"Add --read-only {folder.parent if folder.name == 'bin' else folder}."
    )


def environment(isolation: Isolation) -> dict[str, str]:
    """Return the environment of a player in the sandbox.  It contains no variable of ours."""
    programs = [Path(sys.executable).parent]
    programs += [place for path in isolation.read_only for place in (path / "bin", path) if place.is_dir()]
    # Bubblewrap removes these again.
    needed = SYSTEMD_VARIABLES if find_cgroups().systemd_run else ()
    return {
        **{name: os.environ[name] for name in needed if name in os.environ},
        "HOME": SCRATCH,
        "LANG": "C.UTF-8",
        "PATH": os.pathsep.join([*map(str, programs), "/usr/local/bin", "/usr/bin", "/bin"]),
        "TMPDIR": "/tmp",
    }


def bubblewrap() -> str | None:
    """Return the program, or None if it is not installed.  A player gets another search path."""
    return shutil.which("bwrap")


def supports(option: str) -> bool:
    """Return whether this version of bubblewrap knows an option."""
    program = bubblewrap()
    return program is not None and option in _options(program)


@functools.cache
def check_sandbox() -> None:
    """Raise UsageError with the reason if the sandbox cannot run here."""
    if not sys.platform.startswith("linux"):
        raise UsageError("--sandbox bwrap: bubblewrap runs on Linux only.")
    if bubblewrap() is None:
        raise UsageError(
            "--sandbox bwrap: bubblewrap is not installed here; on Debian and Ubuntu: apt install bubblewrap."
        )
    with tempfile.TemporaryDirectory(prefix="wateringhole-") as folder:
        command = sandboxed(["true"], NO_FILES, Isolation(), Path(folder))
        tried = subprocess.run(command, env=environment(Isolation()), capture_output=True, text=True, check=False)
    if tried.returncode:
        why = tried.stderr.strip().splitlines() or [f"status {tried.returncode}"]
        raise UsageError(
            f"--sandbox bwrap: bubblewrap is installed and cannot run here ({why[-1]}); "
            "it needs user namespaces, which the system has to allow."
        )


def check_visible(isolation: Isolation) -> None:
    """Raise UsageError if `--read-only` names a path that does not exist, or one that must stay hidden."""
    for path in isolation.read_only:
        if not path.exists():
            raise UsageError(f"--read-only {path}: there is no such file or folder.")
    for path in isolation.hidden:
        for root in (*map(Path, _SYSTEM), *_python(), *isolation.read_only):
            if path.is_relative_to(root):
                raise UsageError(f"{path} lies in {root}, which every player in the sandbox can read. Move it.")


# The file system


@functools.cache
def _options(bubblewrap: str) -> str:
    return subprocess.run([bubblewrap, "--help"], capture_output=True, text=True, check=False).stdout


def _optional(option: str, *values: str) -> list[str]:
    """Return an option with its values, or nothing if this bubblewrap is too old for it."""
    return [option, *values] if supports(option) else []


@functools.cache
def _system() -> list[str]:
    """Return the arguments for the system's programs, libraries and settings."""
    etc = sorted(path for pattern in _SETTINGS for path in Path("/etc").glob(pattern))
    return [word for path in (*map(Path, _SYSTEM), *etc) if path.exists() for word in _mount(path)]


@functools.cache
def _python() -> list[Path]:
    """Return the folders of the Python installation, its environment, its libraries and this package."""
    user = [site.getusersitepackages()] if site.ENABLE_USER_SITE else []
    # A `.pth` file can add the libraries of another environment.
    libraries = [path for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
    package = Path(__file__).parents[1]
    prefixes = (sys.prefix, sys.exec_prefix, sys.base_prefix, sys.base_exec_prefix)
    found = {Path(path) for path in (*prefixes, *user, *libraries)}
    return sorted(path for path in (*found, package) if path.is_dir())


def _links(program: Path) -> Iterator[Path]:
    """Yield the symbolic links from a program to its file.  An interpreter of an environment is one."""
    while program.is_symlink():
        yield program
        program = program.parent / program.readlink()


def _visible(files: PlayerFiles, isolation: Isolation) -> list[str]:
    """Return the arguments for everything that differs between players and machines."""
    trusted = {*_python(), *isolation.read_only}
    own = {*files.paths, *_links(Path(sys.executable))}
    partly: set[Path] = set()
    for folder in files.folders:
        entries = _entries(folder, files, isolation)
        own.update(entries)
        if entries and folder not in entries:
            partly.add(folder)
    shown: set[Path] = {Path("/usr")}
    arguments = []
    for path in sorted({*trusted, *own, *partly}):
        if path in partly:
            arguments += ["--tmpfs", str(path)]
        elif shown.isdisjoint((path, *path.parents)):
            shown.add(path)
            arguments += _bind(path) if path in trusted else _mount(path)
    return arguments + [word for folder in sorted(partly) for word in ("--remount-ro", str(folder))]


def _entries(folder: Path, files: PlayerFiles, isolation: Isolation) -> list[Path]:
    """Return the folder itself if all of it is visible to the player, or its visible entries."""
    real = folder.resolve()
    if real in shared_folders() or any(folder.is_relative_to(root) for root in (*map(Path, _SYSTEM), *_python())):
        return []
    own = {path.resolve() for path in files.paths}
    secret = (*isolation.hidden, *([isolation.log.resolve()] if isolation.log else []))
    hidden = [path for path in secret if path not in own and path.is_relative_to(real)]
    try:
        entries = sorted(folder.iterdir())
        databases = [entry.name for entry in entries if entry not in files.paths and _is_database(entry)]
    except OSError:
        return []  # starting the player will fail with an error
    visible = [
        entry
        for entry in entries
        if entry.name not in databases
        and not entry.name.startswith((".", *(f"{name}-" for name in databases)))
        and not any(path.is_relative_to(real / entry.name) for path in hidden)
    ]
    if visible == entries:
        return [folder]
    if len(visible) > MOST_ENTRIES:
        # Each entry is mounted by itself, and the time for that grows with the square of their number.
        raise UsageError(
            f"{folder} contains {len(visible)} files and folders beside some that a player must not see, and the "
            f"sandbox can show {MOST_ENTRIES}. Give the player its own folder."
        )
    # Compiled modules contain the code of other players.
    return [entry for entry in visible if entry.name != "__pycache__"]


def _is_database(path: Path) -> bool:
    """Return whether a file is an SQLite database, as a store is."""
    if path.is_symlink() or not path.is_file():
        return False
    with path.open("rb") as file:
        return file.read(len(SQLITE_START)) == SQLITE_START


def shared_folders() -> set[Path]:
    """Return folders that are not one player's, although a player's file may be in them."""
    return {Path("/"), Path.home(), Path(tempfile.gettempdir()), Path("/tmp"), Path("/home"), Path("/root")}


def _mount(path: Path) -> list[str]:
    """Return the arguments that show a path.  A link stays a link, so that it cannot show anything else."""
    return ["--symlink", os.readlink(path), str(path)] if path.is_symlink() else _bind(path)


def _bind(path: Path) -> list[str]:
    return ["--ro-bind", str(path), str(path)]
