"""The preloaded parent of Python players: a process that has imported what they need, and forks each of their lives.

It has run no code of a player and knows nothing of any game.  It reads requests from a socket on its standard input,
which only our process can write to.  For each, it forks a supervisor, and the supervisor forks the player
(`process.supervisor`).  In the sandbox, the supervisor is the first process of new namespaces (`process.namespaces`),
so that its player can neither name the parent nor leave anything to the next life.
"""

from __future__ import annotations

import gc
import os
import signal
import socket

import msgspec

from wateringhole.process.namespaces import drop_privileges, enter_new_namespaces, uncover_proc
from wateringhole.process.supervisor import Group, Task, report, set_readable, supervise

__all__ = ["MOST_BYTES", "ForkRequest", "fork_lives"]

MOST_BYTES = 1 << 16
"""The longest request."""
_MOST_FILES = 32


class ForkRequest(msgspec.Struct, frozen=True):
    """A request for a life.

    Open files come with it: standard input, output and error, the socket for reports, and for each group the file to
    join it, followed by that of its events if there is one.
    """

    words: tuple[str, ...]
    """The arguments of the player."""
    folder: str
    scratch: str
    """Its working folder."""
    limits: str
    tag: str
    memory: int
    niceness: int
    groups: tuple[tuple[str, bool], ...]
    """The folder of each group, and whether a file of its events comes with it."""
    size: int
    """The size of each writable folder in the sandbox, in bytes."""


def fork_lives(*, is_sandboxed: bool) -> tuple[str, ...]:
    """Fork a process for each request.  Return in such a process only, with the arguments of its player."""
    if is_sandboxed:
        uncover_proc()
    set_readable(False)
    # No process waits for supervisors.
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # What the collector does not touch stays shared between the processes.
    gc.collect()
    gc.freeze()
    requests = socket.socket(fileno=0)
    while True:
        line, files, _, _ = socket.recv_fds(requests, MOST_BYTES, _MOST_FILES)
        if not line:
            os._exit(0)
        if os.fork() == 0:
            break
        for file in files:
            os.close(file)
    # The standard input of the player replaces the socket.
    requests.detach()
    request = msgspec.json.decode(line, type=ForkRequest)
    _begin_life(request, files, is_sandboxed)
    return request.words


def _begin_life(request: ForkRequest, files: list[int], is_sandboxed: bool) -> None:
    """Become a supervisor, and return as the process of its player, with all limits and behind all walls."""
    control, rest = files[3], iter(files[4:])
    groups = [Group(folder, next(rest), next(rest) if has_events else -1) for folder, has_events in request.groups]
    try:
        for number, file in enumerate(files[:3]):
            os.dup2(file, number)
            os.close(file)
        signal.signal(signal.SIGCHLD, signal.SIG_DFL)
        if is_sandboxed:
            set_readable(True)  # or it cannot name its users
            enter_new_namespaces(request.size)
            set_readable(False)
        os.chdir(request.scratch)
    except OSError as error:
        report(control, f"failed {error.errno}")
        os._exit(1)

    def become_player() -> None:
        # As in every interpreter.
        signal.signal(signal.SIGPIPE, signal.SIG_IGN)
        if is_sandboxed:
            drop_privileges()
        else:
            os.environ["TMPDIR"] = request.scratch
        # Only without privileges: its own processes may look into it.
        set_readable(True)

    task = Task(control, request.folder, request.limits, request.tag, request.memory, request.niceness, groups)
    supervise(task, become_player)
