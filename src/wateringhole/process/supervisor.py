"""The supervisor of one program: a process that runs between us and the program.

It starts the program under its limits and in its control groups, and it stays until every process of the
program has exited.  Then it removes the groups.
It is this file run as a script, or a process that a preloaded parent forked (`process.forking`).  It imports nothing
of this package, because every program waits for it.  Orphans of the program become
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

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

__all__ = [
    "BIND",
    "NEW_MOUNTS",
    "NO_PROGRAMS",
    "NO_SUID",
    "READ_ONLY",
    "RECURSIVE",
    "REMOUNT",
    "Group",
    "Task",
    "check_call",
    "descendants",
    "enter_user_namespace",
    "mount",
    "report",
    "set_readable",
    "supervise",
]

# The numbers of Linux for `unshare` and `mount`.
NEW_MOUNTS = 0x00020000
_NEW_USERS = 0x10000000
READ_ONLY, NO_SUID, NO_PROGRAMS, REMOUNT, BIND, RECURSIVE = 1, 2, 8, 32, 4096, 16384
_SLAVE = 1 << 19

_MOST_FILES = 1 << 16
"""More open files than a supervisor has."""
_LOOK_SECONDS = 0.5
"""The interval at which the supervisor looks whether the memory limit is reached."""
_REMOVE_SECONDS = 1.0
"""The time that the system gets to forget the last process of a control group."""

_PR_SET_PDEATHSIG = 1
_PR_SET_DUMPABLE = 4
_PR_SET_CHILD_SUBREAPER = 36
_KEYCTL = {"x86_64": 250, "aarch64": 219, "riscv64": 219, "ppc64le": 271, "s390x": 280}
"""The number of the system call `keyctl`, which the C library does not offer."""
_KEYCTL_JOIN_SESSION_KEYRING = 1
_IGNORED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGPIPE)
"""Signals that the supervisor ignores and the program gets."""
_DEVICES = ("full", "null", "random", "tty", "urandom", "zero")
"""The devices of the machine that bubblewrap shows."""

_libc = ctypes.CDLL(None, use_errno=True)


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


class Group:
    """A control group of the program, which our process has made."""

    def __init__(self, folder: str, processes: int = -1, events: int = -1) -> None:
        self.folder = folder
        """All groups whose folders begin like this are removed in the end."""
        self.processes = processes
        """The open file that a process writes to in order to join, or -1 if the program stays where it is."""
        self.events = events
        """The open file that counts processes killed for lack of memory, or -1."""


class Task:
    """The work of a supervisor."""

    def __init__(
        self, control: int, folder: str, limits: str, tag: str, memory: int, niceness: int, groups: Sequence[Group]
    ) -> None:
        self.control = control
        """The socket for its reports."""
        self.folder = folder
        """The folder of the program, removed only if our process has ended and cannot remove it."""
        self.limits = limits
        """The resource limits: `kind,soft,hard` each."""
        self.tag = tag
        """A variable for the environment of the program: `NAME=value`."""
        self.memory = memory
        """If it is not 0, no group limits the memory of all processes together, and the supervisor does."""
        self.niceness = niceness
        self.groups = groups


def supervise(task: Task, become: Callable[[], None]) -> None:
    """Start a program, which is a fork that calls `become` under its limits.  Exit when no process of it is left.

    If `become` returns, this function returns as well, in the process of the program and nowhere else.
    """
    os.set_inheritable(task.control, False)
    for number in _IGNORED:
        signal.signal(number, signal.SIG_IGN)
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)
    bell, ringer = os.pipe()
    os.set_blocking(ringer, False)
    signal.signal(signal.SIGCHLD, lambda number, frame: None)
    signal.set_wakeup_fd(ringer, warn_on_full_buffer=False)
    program = None
    try:
        program = _start(task, become)
        if program:
            _watch(task, program, bell)
    except Exception:
        sys.excepthook(*sys.exc_info())
    finally:
        if program != 0:
            _remove_groups(task.groups)
            os._exit(0)


def _watch(task: Task, program: int, bell: int) -> None:
    """Wait until all processes have exited or our end of the socket closes.  Then kill those that are left."""
    control, groups = task.control, task.groups
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
        if any(map(_has_run_out_of_memory, groups)) or (task.memory and not ready and _exceeds(task.memory)):
            report(control, "memory 1")
            break
    left = _kill_all(program, control)
    _remove_groups(groups)
    if not report(control, f"left {left}"):
        _remove(task.folder)


def _start(task: Task, become: Callable[[], None]) -> int | None:
    """Start the program, and return its process, or 0 in that process, or None if it cannot be started."""
    broken, failing = os.pipe()
    supervisor = os.getpid()
    program = os.fork()
    if program == 0:
        try:
            signal.set_wakeup_fd(-1)
            for number in (*_IGNORED, signal.SIGCHLD):
                signal.signal(number, signal.SIG_DFL)
            os.setsid()
            _exit_with_parent(supervisor)
            _leave_keyring()
            for group in task.groups:
                if group.processes >= 0:
                    os.write(group.processes, b"0")
            _set_limits(task.limits)
            # Where no group gives each player its share, at least the referee goes first.
            os.nice(task.niceness)
            name, _, value = task.tag.partition("=")
            os.environ[name] = value
            become()
        except BaseException as error:
            if isinstance(error, OSError):
                os.write(failing, str(error.errno).encode())
            os._exit(127)
        # Nothing of ours stays open, neither this pipe nor the socket for reports.
        os.closerange(3, _MOST_FILES)
        return 0
    os.close(failing)
    errno = os.read(broken, 16).decode()
    os.close(broken)
    report(task.control, f"failed {errno}" if errno else f"started {program}")
    return None if errno else program


def set_readable(is_readable: bool) -> None:
    """Let other processes of our user look into the memory and the open files of this one, or forbid it."""
    _prctl(_PR_SET_DUMPABLE, int(is_readable))


def _protect_devices() -> None:
    """Make the devices of our user read-only for this process and those it starts.  They work as before.

    A player whose user owns them, as root does, could change their modes and times, which survive it.
    """
    paths = [f"/dev/{name}" for name in _DEVICES]
    owned = [path for path in paths if os.path.exists(path) and os.stat(path).st_uid == os.getuid()]
    if not owned:
        return
    if _libc.unshare(NEW_MOUNTS) != 0:
        # In a container, root may have this privilege only in a namespace of its own.
        enter_user_namespace(NEW_MOUNTS, os.getuid(), os.getgid())
    # The machine does not get these mounts.
    mount(None, "/", None, _SLAVE | RECURSIVE)
    for path in owned:
        mount(path, path, None, BIND)
        mount(None, path, None, REMOUNT | BIND | READ_ONLY | NO_SUID | NO_PROGRAMS)


def enter_user_namespace(flags: int, user: int, group: int) -> None:
    """Enter new namespaces, one of users among them, in which our user and our group have the given numbers."""
    outside = os.getuid(), os.getgid()
    check_call(_libc.unshare(_NEW_USERS | flags), "unshare")
    for name, text in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {outside[0]} 1"),
        ("gid_map", f"{group} {outside[1]} 1"),
    ):
        with open(f"/proc/self/{name}", "w") as file:
            file.write(text)


def mount(source: str | None, target: str, type_: str | None, flags: int, options: str | None = None) -> None:
    """Call `mount` of the system.  Raises OSError."""
    words = [word if word is None else word.encode() for word in (source, target, type_)]
    check_call(_libc.mount(*words, ctypes.c_ulong(flags), None if options is None else options.encode()), target)


def check_call(result: int, what: str) -> None:
    """Raise the OSError of a call of the C library that did not return 0."""
    if result != 0:
        number = ctypes.get_errno()
        raise OSError(number, os.strerror(number), what)


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


def _reap_children(program: int, control: int, groups: Sequence[Group]) -> bool:
    """Reap exited children.  Return whether any are still running."""
    try:
        while True:
            pid, status = os.waitpid(-1, os.WNOHANG)
            if pid == 0:
                return True
            if pid == program:
                if any(map(_has_run_out_of_memory, groups)):
                    report(control, "memory 1")
                report(control, f"ended {os.waitstatus_to_exitcode(status)}")
    except ChildProcessError:
        return False


def _has_run_out_of_memory(group: Group) -> bool:
    """Return whether the system has killed a process because the group reached its memory limit."""
    if group.events < 0:
        return False
    try:
        counts = dict(line.split() for line in os.pread(group.events, 4096, 0).splitlines())
    except (OSError, ValueError):
        return False
    return counts.get(b"oom_kill", b"0") != b"0"


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
    found = set(descendants(os.getpid())) if _children() else set()
    killed: set[int] = set()
    while _reap_children(program, control, ()):
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


def _remove_groups(groups: Sequence[Group]) -> None:
    until = time.monotonic() + _REMOVE_SECONDS
    for group in groups:
        parent, first = os.path.split(group.folder)
        try:
            names = [name for name in os.listdir(parent) if name.startswith(first)]
        except OSError:
            continue  # in the sandbox, where only our process can remove them
        for name in names:
            while True:
                try:
                    os.rmdir(f"{parent}/{name}")
                except FileNotFoundError:
                    pass
                except OSError:
                    # A killed process belongs to its group until the system has cleaned up.
                    if time.monotonic() < until:
                        time.sleep(0.001)
                        continue
                break


def report(control: int, line: str) -> bool:
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


def _run_script(
    control: str, folder: str, limits: str, tag: str, memory: str, niceness: str, is_sandboxed: str, *rest: str
) -> None:
    """Supervise a command.  The rest are the number of groups, three words for each, and the command."""
    words = iter(rest)
    groups = [Group(next(words), int(next(words)), int(next(words))) for _ in range(int(next(words)))]
    for group in groups:
        for file in (group.processes, group.events):
            if file >= 0:
                os.set_inheritable(file, False)
    command = list(words)
    task = Task(int(control), folder, limits, tag, int(memory), int(niceness), groups)

    def become_program() -> None:
        if int(is_sandboxed):
            _protect_devices()
        os.execvp(command[0], command)

    supervise(task, become_program)


if __name__ == "__main__":
    _run_script(*sys.argv[1:])
