"""The walls around one life in the sandbox, built by the process that a preloaded parent forked for it.

The parent runs in bubblewrap, which has built the file system of the player, all of it read-only.  Each life gets what
it must not share with another: its own users, processes, network, shared memory, control group and mounts, and its own
empty writable folders.  The calls are those of Linux; Python offers none of them before 3.12.
"""

from __future__ import annotations

import ctypes
import fcntl
import os
import socket
import stat
import struct

__all__ = ["SCRATCH", "USER", "WRITABLE", "drop_privileges", "enter_new_namespaces", "uncover_proc"]

USER = 1000
"""The number of the user in the sandbox."""
SCRATCH = "/scratch"
"""The working folder and the home of a player in the sandbox."""
WRITABLE = ("/dev/shm", "/tmp", SCRATCH)
"""The folders in the sandbox that a player can write to."""

_NEW_MOUNTS, _NEW_HOST_NAME, _NEW_IPC = 0x00020000, 0x04000000, 0x08000000
_NEW_USERS, _NEW_PROCESSES, _NEW_NETWORK = 0x10000000, 0x20000000, 0x40000000
_NEW_CGROUPS = 0x02000000
_READ_ONLY, _NO_SUID, _NO_DEVICES, _NO_PROGRAMS = 1, 2, 4, 8
_REMOUNT, _BIND, _RECURSIVE = 32, 4096, 16384
_PROC = _NO_SUID | _NO_DEVICES | _NO_PROGRAMS
_COVERED = ("sys", "sysrq-trigger", "irq", "bus")
"""Parts of /proc that are settings of the machine.  If our user is root, they would be writable."""
_PR_CAPBSET_DROP = 24
_MOST_CAPABILITIES = 64
_CAPABILITY_VERSION = 0x20080522
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _UP = 0x8913, 0x8914, 1

_libc = ctypes.CDLL(None, use_errno=True)


def uncover_proc() -> None:
    """Mount /proc again without the covers of bubblewrap.  A namespace below gets its own only if this one is whole."""
    _mount("proc", "/proc", "proc", _PROC)


def enter_new_namespaces(size: int) -> None:
    """Continue as the first process of new namespaces, with empty writable folders of a size in bytes.

    Signals of the processes that it starts cannot reach it.
    """
    outside = os.getuid(), os.getgid()
    flags = _NEW_USERS | _NEW_MOUNTS | _NEW_PROCESSES | _NEW_NETWORK | _NEW_IPC | _NEW_HOST_NAME
    _check(_libc.unshare(flags), "unshare")
    _write("/proc/self/setgroups", "deny")
    _write("/proc/self/uid_map", f"{USER} {outside[0]} 1")
    _write("/proc/self/gid_map", f"{USER} {outside[1]} 1")
    if os.fork():
        os._exit(0)
    _mount("proc", "/proc", "proc", _PROC)
    # A player that could make namespaces would have all privileges in them.
    _write("/proc/sys/user/max_user_namespaces", "0")
    for name in _COVERED:
        if os.path.exists(f"/proc/{name}"):
            _mount(f"/proc/{name}", f"/proc/{name}", None, _BIND)
            _mount(None, f"/proc/{name}", None, _REMOUNT | _BIND | _READ_ONLY | _PROC)
    for folder in WRITABLE:
        _empty(folder, size)
    for name in os.listdir("/dev"):
        if os.path.ismount(f"/dev/{name}") and stat.S_ISCHR(os.stat(f"/dev/{name}").st_mode):
            # A device works as before.  If our user is root, its mode and its times would be writable and survive.
            _mount(None, f"/dev/{name}", None, _REMOUNT | _BIND | _READ_ONLY | _NO_SUID | _NO_PROGRAMS)
    # The times of its files would survive, too.
    _mount("tmpfs", "/dev/pts", "tmpfs", _READ_ONLY | _NO_SUID | _NO_DEVICES | _NO_PROGRAMS)
    _start_loopback()


def drop_privileges() -> None:
    """Give up all that the first process of the namespaces may do, and enter a new namespace of control groups."""
    _check(_libc.unshare(_NEW_CGROUPS), "unshare")
    for capability in range(_MOST_CAPABILITIES):
        # It fails for numbers that this kernel does not know.
        _libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)
    header = struct.pack("=Ii", _CAPABILITY_VERSION, 0)
    _check(_libc.capset(header, bytes(24)), "capset")


def _empty(folder: str, size: int) -> None:
    """Make a folder empty and writable.  The files of a player that are in it stay there, and stay read-only."""
    shown = {name: os.open(f"{folder}/{name}", os.O_PATH | os.O_NOFOLLOW) for name in os.listdir(folder)}
    _mount("tmpfs", folder, "tmpfs", _NO_SUID | _NO_DEVICES, f"mode=0755,size={size}")
    for name, file in shown.items():
        mode, path = os.fstat(file).st_mode, f"{folder}/{name}"
        if stat.S_ISLNK(mode):
            os.symlink(os.readlink("", dir_fd=file), path)
        elif stat.S_ISDIR(mode):
            os.mkdir(path)
        else:
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
        if not stat.S_ISLNK(mode):
            _mount(f"/proc/self/fd/{file}", path, None, _BIND | _RECURSIVE)
        os.close(file)


def _mount(source: str | None, target: str, type_: str | None, flags: int, options: str | None = None) -> None:
    words = [word if word is None else word.encode() for word in (source, target, type_)]
    _check(_libc.mount(*words, ctypes.c_ulong(flags), None if options is None else options.encode()), target)


def _start_loopback() -> None:
    """Start the only network device, by which a player reaches its own processes."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as device:
        request = struct.pack("16sh14x", b"lo", 0)
        flags = struct.unpack("16sh14x", fcntl.ioctl(device, _SIOCGIFFLAGS, request))[1]
        fcntl.ioctl(device, _SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", flags | _UP))


def _write(path: str, text: str) -> None:
    file = os.open(path, os.O_WRONLY)
    try:
        os.write(file, text.encode())
    finally:
        os.close(file)


def _check(result: int, what: str) -> None:
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)
