"""The supervisor of one program: a script that runs between us and the program.

It starts the program under its limits and in its control groups, and it stays until every process of the
program has exited.  Then it removes the groups.
It imports nothing of this package, because every program waits for it.  Orphans of the program become
its children (`PR_SET_CHILD_SUBREAPER`), even in another session or environment, so that none escapes.
When our process ends for any reason, it kills everything and removes the folder.

It reports over a socket, one line each:

==================  =====================================================================
``started PID``     the program runs in its own session
``failed ERRNO``    the program cannot be started
``memory 1``        the processes of the program have reached its memory limit, and are killed
``ended STATUS``    the program has exited: its exit status, or minus a signal
``left COUNT``      no process is left; COUNT had to be killed because they did not exit
==================  =====================================================================

It gets one command: when our end of the socket closes, it kills everything.
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

_LOOK_SECONDS = 0.5
"""The interval at which the supervisor looks whether the memory limit is reached."""
_REMOVE_SECONDS = 1.0
"""The time that the system gets to forget the last process of a control group."""

_PR_SET_PDEATHSIG = 1
_PR_SET_CHILD_SUBREAPER = 36
_KEYCTL = {"x86_64": 250, "aarch64": 219, "riscv64": 219, "ppc64le": 271, "s390x": 280}
"""The number of the system call `keyctl`, which the C library does not offer."""
_KEYCTL_JOIN_SESSION_KEYRING = 1
_IGNORED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE)
"""Signals that the supervisor ignores and the program gets."""


def descendants(root: int) -> list[int]:
    """Return the running descendants of a process; none if the system has no /proc."""
    children: dict[int, list[int]] = {}
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        if name.isdecimal():
            try:
                with open(f"/proc/{name}/stat", "rb") as file:
                    # The name of a process may contain brackets and blanks.
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


def main(control: int, folder: str, limits: str, tag: str, groups: str, memory: int, command: list[str]) -> None:
    """Start a command under limits (`kind,soft,hard` each) and with a tag (`NAME=value`) in its environment.

    Each of the control groups is a line: its folder and its settings (`file=value`), separated by tabs.
    If `memory` is not 0, no group limits the memory of all processes together, and the supervisor does.
    The folder is removed only if our process has ended and cannot remove it.
    """
    os.set_inheritable(control, False)
    for number in _IGNORED:
        signal.signal(number, signal.SIG_IGN)
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    bell, ringer = os.pipe()
    os.set_blocking(ringer, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(ringer, warn_on_full_buffer=False)
    folders: list[str] = []
    try:
        program = _start(control, limits, tag, groups, folders, command)
        if program is not None:
            _watch(program, control, bell, folder, folders, memory)
    finally:
        _remove_groups(folders)


def _watch(program: int, control: int, bell: int, folder: str, groups: list[str], memory: int) -> None:
    """Wait until all processes have exited or our end of the socket closes.  Then kill those that are left."""
    # Only the program may hold its pipes open.
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    os.dup2(nothing, 1)
    while _reap_children(program, control, groups):
        ready = select.select([bell, control], [], [], _LOOK_SECONDS)[0]
        if control in ready:
            break
        if bell in ready:
            os.read(bell, 4096)
        # The system may have killed only one of many processes.
        if any(map(_has_run_out_of_memory, groups)) or (memory and not ready and _exceeds(memory)):
            _report(control, "memory 1")
            break
    left = _kill_all(program, control)
    _remove_groups(groups)
    if not _report(control, f"left {left}"):
        _remove(folder)


def _start(control: int, limits: str, tag: str, groups: str, folders: list[str], command: list[str]) -> int | None:
    """Start the command, and return its process or None.  The folders of groups are added to a list."""
    try:
        for line in groups.splitlines():
            folder, *settings = line.split("\t")
            os.mkdir(folder)
            folders.append(folder)
            for setting in settings:
                name, _, value = setting.partition("=")
                _write(f"{folder}/{name}", value)
    except OSError as error:
        _report(control, f"failed {error.errno}")
        return None
    broken, failing = os.pipe()
    supervisor = os.getpid()
    program = os.fork()
    if program == 0:
        try:
            for number in (*_IGNORED, signal.SIGCHLD):
                signal.signal(number, signal.SIG_DFL)
            os.setsid()
            _exit_with_parent(supervisor)
            _leave_keyring()
            for folder in folders:
                _write(f"{folder}/cgroup.procs", "0")
            _set_limits(limits)
            if "cpu." not in groups:
                # At least the referee goes first.
                os.nice(5)
            name, _, value = tag.partition("=")
            os.execvpe(command[0], command, {**os.environ, name: value})
        except OSError as error:
            os.write(failing, str(error.errno).encode())
        finally:
            os._exit(127)
    os.close(failing)
    errno = os.read(broken, 16).decode()
    os.close(broken)
    _report(control, f"failed {errno}" if errno else f"started {program}")
    return None if errno else program


def _exit_with_parent(parent: int) -> None:
    """Kill this process when its parent ends, which happens only by force."""
    _prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent:
        os._exit(127)


def _leave_keyring() -> None:
    """Get a new session keyring.  Players would share that of our login, and could leave messages in it."""
    number = _KEYCTL.get(os.uname().machine)
    if sys.platform == "linux" and number is not None:
        ctypes.CDLL(None).syscall(number, _KEYCTL_JOIN_SESSION_KEYRING, None)


def _prctl(option: int, value: int) -> None:
    """Set an option of this process.  Systems other than Linux have none, and orphans can escape there."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(option, value, 0, 0, 0)


def _set_limits(limits: str) -> None:
    """Limit this process and those it starts."""
    # A log at its size limit must not kill the program.
    signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    for limit in limits.split():
        kind, soft, hard = map(int, limit.split(","))
        allowed = resource.getrlimit(kind)[1]
        if allowed != resource.RLIM_INFINITY:
            soft, hard = min(soft, allowed), min(hard, allowed)
        resource.setrlimit(kind, (soft, hard))


def _write(path: str, text: str) -> None:
    file = os.open(path, os.O_WRONLY)
    try:
        os.write(file, text.encode())
    finally:
        os.close(file)


def _reap_children(program: int, control: int, groups: list[str]) -> bool:
    """Reap exited children.  Return whether any are still running."""
    try:
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return True
            if pid == program:
                if any(map(_has_run_out_of_memory, groups)):
                    _report(control, "memory 1")
                _report(control, f"ended {os.waitstatus_to_exitcode(status)}")
    except ChildProcessError:
        return False


def _has_run_out_of_memory(group: str) -> bool:
    """Return whether the system has killed a process because the group reached its memory limit."""
    for name in ("memory.events", "memory.oom_control"):
        try:
            with open(f"{group}/{name}", "rb") as file:
                counts = dict(line.split() for line in file.read().splitlines())
        except (OSError, ValueError):
            continue
        return counts.get(b"oom_kill", b"0") != b"0"
    return False


def _exceeds(memory: int) -> bool:
    """Return whether all descendants together use more memory than allowed.  Files on a disk do not count."""
    pids = _tree()
    # The first sum is quick, and counts memory that processes share several times.
    return all(
        sum(_memory(pid, name, fields) for pid in pids) > memory
        for name, fields in (("status", (b"RssAnon:", b"RssShmem:")), ("smaps_rollup", (b"Pss_Anon:", b"Pss_Shmem:")))
    )


def _memory(pid: int, name: str, fields: tuple[bytes, ...]) -> int:
    try:
        with open(f"/proc/{pid}/{name}", "rb") as file:
            return sum(int(line.split()[1]) << 10 for line in file.read().splitlines() if line.startswith(fields))
    except (OSError, ValueError):
        return 0


def _tree() -> list[int]:
    """Return our descendants without looking at all processes of the system, which takes long."""
    found = _children()
    for pid in found:
        try:
            for task in os.listdir(f"/proc/{pid}/task"):
                with open(f"/proc/{pid}/task/{task}/children", "rb") as file:
                    found += map(int, file.read().split())
        except OSError:
            continue
    return found


def _kill_all(program: int, control: int) -> int:
    """Kill all descendants, including those that start meanwhile.  Return how many there were."""
    found = set(descendants(os.getpid()))
    killed: set[int] = set()
    while _reap_children(program, control, []):
        # A process whose parent is killed becomes our child, and the next round kills it.
        children = _children()
        for pid in children:
            try:
                os.kill(pid, signal.SIGKILL)
            except OSError:
                continue
        if killed.issuperset(children):
            # No new process: the killed ones take a moment to exit.
            time.sleep(0.001)
        killed.update(children)
    return len(found | killed)


def _children() -> list[int]:
    """Return our children.  This must be quick: some exist for a moment only, in which they start another."""
    supervisor = os.getpid()
    try:
        with open(f"/proc/{supervisor}/task/{supervisor}/children", "rb") as file:
            return [int(pid) for pid in file.read().split()]
    except OSError:
        return descendants(supervisor)


def _remove_groups(folders: list[str]) -> None:
    until = time.monotonic() + _REMOVE_SECONDS
    while folders:
        try:
            os.rmdir(folders[-1])
        except FileNotFoundError:
            pass
        except OSError:
            # A killed process belongs to its group until the system has cleaned up.
            if time.monotonic() < until:
                time.sleep(0.001)
                continue
        folders.pop()


def _report(control: int, line: str) -> bool:
    """Report a line.  Return whether our end of the socket is open."""
    try:
        os.write(control, line.encode() + b"\n")
    except OSError:
        return False
    return True


def _remove(folder: str) -> None:
    # Imported here because it is slow to import and seldom needed.
    import shutil

    shutil.rmtree(folder, ignore_errors=True)


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2], sys.argv[3], sys.argv[4], sys.argv[5], int(sys.argv[6]), sys.argv[7:])
