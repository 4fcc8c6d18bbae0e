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

from wateringhole.process.supervisor import (
    BIND,
    NEW_MOUNTS,
    NO_PROGRAMS,
    NO_SUID,
    READ_ONLY,
    RECURSIVE,
    REMOUNT,
    check_call,
    enter_user_namespace,
    mount,
)

__all__ = ["SCRATCH", "USER", "WRITABLE", "drop_privileges", "enter_new_namespaces", "uncover_proc"]

USER = 1000
"""The number of the user in the sandbox."""
SCRATCH = "/scratch"
"""The working folder and the home of a player in the sandbox."""
WRITABLE = ("/dev/shm", "/tmp", SCRATCH)
"""The folders in the sandbox that a player can write to."""

_NEW_CGROUPS, _NEW_HOST_NAME, _NEW_IPC = 0x02000000, 0x04000000, 0x08000000
_NEW_PROCESSES, _NEW_NETWORK = 0x20000000, 0x40000000
_NO_DEVICES = 4
_PROC = NO_SUID | _NO_DEVICES | NO_PROGRAMS
_COVERED = ("sys", "sysrq-trigger", "irq", "bus")
"""Parts of /proc that are settings of the machine.  If our user is root, they would be writable."""
_PR_CAPBSET_DROP = 24
_MOST_CAPABILITIES = 64
_CAPABILITY_VERSION = 0x20080522
_SIOCGIFFLAGS, _SIOCSIFFLAGS, _UP = 0x8913, 0x8914, 1

_libc = ctypes.CDLL(None, use_errno=True)


def uncover_proc() -> None:
    """Mount /proc again without the covers of bubblewrap.  A namespace below gets its own only if this one is whole."""
    mount("proc", "/proc", "proc", _PROC)


def enter_new_namespaces(size: int) -> None:
    """Continue as the first process of new namespaces, with empty writable folders of a size in bytes.

    Signals of the processes that it starts cannot reach it.
    """
    flags = NEW_MOUNTS | _NEW_PROCESSES | _NEW_NETWORK | _NEW_IPC | _NEW_HOST_NAME
    enter_user_namespace(flags, USER, USER)
    if os.fork():
        os._exit(0)
    mount("proc", "/proc", "proc", _PROC)
    # A player that could make namespaces would have all privileges in them.
    _write("/proc/sys/user/max_user_namespaces", "0")
    for name in _COVERED:
        if os.path.exists(f"/proc/{name}"):
            mount(f"/proc/{name}", f"/proc/{name}", None, BIND)
            mount(None, f"/proc/{name}", None, REMOUNT | BIND | READ_ONLY | _PROC)
    for folder in WRITABLE:
        _empty(folder, size)
    # The times of its files would survive, too.
    mount("tmpfs", "/dev/pts", "tmpfs", READ_ONLY | NO_SUID | _NO_DEVICES | NO_PROGRAMS)
    _start_loopback()


def drop_privileges() -> None:
    """Give up all that the first process of the namespaces may do, and enter a new namespace of control groups."""
    check_call(_libc.unshare(_NEW_CGROUPS), "unshare")
    for capability in range(_MOST_CAPABILITIES):
        # It fails for numbers that this kernel does not know.
        _libc.prctl(_PR_CAPBSET_DROP, capability, 0, 0, 0)
    header = struct.pack("=Ii", _CAPABILITY_VERSION, 0)
    check_call(_libc.capset(header, bytes(24)), "capset")


def _empty(folder: str, size: int) -> None:
    """Make a folder empty and writable.  The files of a player that are in it stay there, and stay read-only."""
    shown = {name: os.open(f"{folder}/{name}", os.O_PATH | os.O_NOFOLLOW) for name in os.listdir(folder)}
    mount("tmpfs", folder, "tmpfs", NO_SUID | _NO_DEVICES, f"mode=0755,size={size}")
    for name, file in shown.items():
        mode, path = os.fstat(file).st_mode, f"{folder}/{name}"
        if stat.S_ISLNK(mode):
            os.symlink(os.readlink("", dir_fd=file), path)
        elif stat.S_ISDIR(mode):
            os.mkdir(path)
        else:
            os.close(os.open(path, os.O_CREAT | os.O_WRONLY))
        if not stat.S_ISLNK(mode):
            mount(f"/proc/self/fd/{file}", path, None, BIND | RECURSIVE)
        os.close(file)


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
