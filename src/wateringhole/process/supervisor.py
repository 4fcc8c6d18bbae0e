"""Looks after one program, from its start to the end of everything it has started.

A process of its own between us and the program, started as a plain script: it imports nothing of
ours, because every program waits for it.  All that the program leaves behind becomes its child
(`PR_SET_CHILD_SUBREAPER`), whatever session or environment that has, so that
nothing gets away; and when we are gone, however we went, it notices, ends everything and clears up.

It has the other end of a socket.  What it says there, a line each:

==================  =======================================================================
``started PID``     the program runs, in a session of its own
``failed ERRNO``    it cannot be started
``ended STATUS``    it has ended: its exit status, or minus the signal that ended it
``left COUNT``      nothing is left; so many processes had to be killed, since they did not end
==================  =======================================================================

It is told one thing: the socket is closed on our side, and everything is to end now.
"""

from __future__ import annotations

import ctypes
import os
import resource
import select
import signal
import sys
import time

__all__ = ["descendants"]

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_OURS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE)
"""Signals that do not concern us; those are for the program."""


def descendants(root: int) -> list[int]:
    """The living processes that come from a process, itself left out; none where the system has no /proc."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        if name.isdecimal():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    # A program may call itself anything, brackets and blanks included.
                    state, parent, *_ = file.read().rpartition(b")")[2].split()
            except (OSError, ValueError):
                continue
            if state not in b"ZX":
                children.setdefault(int(parent), []).append(int(name))
    found = []
    waiting = [root]
    while waiting:
        young = children.get(waiting.pop(), [])
        found += young
        waiting += young
    return found


def main(control: int, folder: str, limits: str, mark: str, command: list[str]) -> None:
    """Start a command under limits (`kind,soft,hard` each) and with a mark (`NAME=value`) in its environment.

    The folder in which it lives is removed only where we are gone and cannot do it ourselves.
    """
    os.set_inheritable(control, False)
    for number in _OURS:
        signal.signal(number, signal.SIG_IGN)
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    bell, ringer = os.pipe()
    os.set_blocking(ringer, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(ringer, warn_on_full_buffer=False)
    program = _start(control, limits, mark, command)
    if program is None:
        return
    # Its pipes are its own: only it may hold them open.
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    while _bury(program, control):
        if control in select.select([bell, control], [], [])[0]:
            break
        os.read(bell, 4096)
    if not _say(control, f"left {_end_all(program, control)}"):
        _remove(folder)


def _start(control: int, limits: str, mark: str, command: list[str]) -> int | None:
    broken, failing = os.pipe()
    us = os.getpid()
    program = os.fork()
    if program == 0:
        try:
            for number in (*_OURS, signal.SIGCHLD):
                signal.signal(number, signal.SIG_DFL)
            os.setsid()
            _die_with(us)
            _impose(limits)
            name, _, value = mark.partition("=")
            os.execvpe(command[0], command, {**os.environ, name: value})
        except OSError as error:
            os.write(failing, str(error.errno).encode())
        finally:
            os._exit(127)
    os.close(failing)
    errno = os.read(broken, 16).decode()
    os.close(broken)
    _say(control, f"failed {errno}" if errno else f"started {program}")
    return None if errno else program


def _die_with(parent: int) -> None:
    """End this process when its parent ends, which nothing but force can bring about."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(127)


def _prctl(option: int, value: int) -> None:
    """Other systems have no such thing: there a program that means to get away can."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _impose(limits: str) -> None:
    """Limit this process, and all it starts."""
    # A log that has grown to the limit takes no more; that is no reason to end a program.
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    for limit in limits.split():
        kind, soft, hard = map(int, limit.split(","))
        allowed = resource.getrlimit(kind)[1]
        if allowed != resource.RLIM_INFINITY:
            soft, hard = min(soft, allowed), min(hard, allowed)
        resource.setrlimit(kind, (soft, hard))


def _bury(program: int, control: int) -> bool:
    """Take leave of all that have ended; whether anybody lives."""
    try:
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return True
            if pid == program:
                _say(control, f"ended {os.waitstatus_to_exitcode(status)}")
    except ChildProcessError:
        return False


def _end_all(program: int, control: int) -> int:
    """Kill everybody, those that are started meanwhile included; how many there were."""
    found = set(descendants(os.getpid()))
    killed: set[int] = set()
    while _bury(program, control):
        # Whoever loses its parent by this becomes our child, and is next.
        children = _children()
        for pid in children:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                continue
        if killed.issuperset(children):
            # Nobody new: what is left takes its time to die.
            time.sleep(0.001)
        killed.update(children)
    return len(found | killed)


def _children() -> list[int]:
    """Our own.  Quickly, since some are there for a moment only: they start another one and end."""
    us = os.getpid()
    try:
        with open(f"/proc/{us}/task/{us}/children", "rb") as file:
            return [int(pid) for pid in file.read().split()]
    except OSError:
        return descendants(us)


def _say(control: int, line: str) -> bool:
    """Whether anybody listens."""
    try:
        os.write(control, line.encode() + b"\n")
    except OSError:
        return False
    return True


def _remove(folder: str) -> None:
    # Seldom needed, and slow to import.
    import shutil

    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[5:])
