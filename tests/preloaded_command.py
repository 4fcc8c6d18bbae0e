"""The `wateringhole` command, forked from a process that has loaded it.

An interpreter needs up to a second to import what a command uses, and a fork of one that has imported it needs a few
milliseconds.  For tests of what commands do, not of how they start.

As a program, this file is one of two things: `preloaded_command.py fork SOCKET` is the process that forks commands, and
`preloaded_command.py call SOCKET WORD…` has it fork `wateringhole WORD…`, forwards signals to that command and ends as
it does.  When the caller is killed, so is the command, whose pipes close when it has ended.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import importlib
import json
import os
import runpy
import select
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path

__all__ = ["preloaded_command"]

MODULES = (
    "wateringhole.cli",
    "wateringhole.games.evolution.bots",
    "wateringhole.games.evolution.kind",
    "wateringhole.games.porrinha.bots",
    "wateringhole.games.porrinha.kind",
    "wateringhole.join.json_session",
    "wateringhole.match.loops",
    "wateringhole.tournaments.ratings",
    "wateringhole.tournaments.tournament",
    "wateringhole.web.serving",
)
"""Modules that most commands import."""

FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@functools.cache
def preloaded_command() -> Path:
    """Return the path of a script `wateringhole` whose calls are forked until this process ends."""
    folder = Path(tempfile.mkdtemp(prefix="wateringhole-command-"))
    address, script = folder / "socket", folder / "wateringhole"
    # It ends when its standard input is closed.
    parent = subprocess.Popen(
        [sys.executable, __file__, "fork", address],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    atexit.register(parent.communicate)
    assert parent.stdout is not None
    assert parent.stdout.readline() == b"ready\n"
    caller = shlex.join([sys.executable, "-ISE", __file__, "call", str(address)])
    script.write_text(f'#!/bin/sh\nexec {caller} "$@"\n')
    script.chmod(0o755)
    return script


def _call(address: str, words: list[str]) -> int:
    """Have a command forked with the files, folder and environment of this process, and return its exit code."""
    command = 0

    def forward(number: int, _: object) -> None:
        with contextlib.suppress(ProcessLookupError):  # it has ended
            os.kill(command, number)

    signal.pthread_sigmask(signal.SIG_BLOCK, FORWARDED)
    with socket.socket(socket.AF_UNIX) as parent:
        parent.connect(address)
        request = {"words": words, "folder": str(Path.cwd()), "environment": dict(os.environ)}
        socket.send_fds(parent, [b"\n"], [0, 1, 2])
        parent.sendall(json.dumps(request).encode() + b"\n")
        with parent.makefile() as replies:
            command = int(replies.readline())
            for number in FORWARDED:
                signal.signal(number, forward)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, FORWARDED)
            code = int(replies.readline())
            signal.pthread_sigmask(signal.SIG_BLOCK, FORWARDED)
            return code


def _fork_commands(address: str) -> None:
    """Fork a command for each caller.  Return in the process of a command."""
    for name in MODULES:
        importlib.import_module(name)
    sys.modules["wateringhole.cli"].commands()
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(address)
        listener.listen()
        os.write(1, b"ready\n")
        signal.signal(signal.SIGCHLD, signal.SIG_IGN)
        while True:
            ready, _, _ = select.select([listener.fileno(), 0], [], [])
            if 0 in ready:
                shutil.rmtree(Path(address).parent)
                os.killpg(0, signal.SIGKILL)
            caller, _ = listener.accept()
            if os.fork() == 0:
                break
            caller.close()
    signal.signal(signal.SIGCHLD, signal.SIG_DFL)
    _, files, _, _ = socket.recv_fds(caller, 1, 3)
    with caller.makefile() as lines:
        request = json.loads(lines.readline())
    if command := os.fork():
        for file in files:
            os.close(file)
        _wait(command, caller)
        os._exit(0)
    caller.close()
    for number, file in enumerate(files):
        os.dup2(file, number)
        os.close(file)
    os.chdir(request["folder"])
    os.environ.clear()
    os.environ.update(request["environment"])
    sys.argv = ["wateringhole", *request["words"]]
    # As with `python -m wateringhole`; the first folder was that of this file.
    sys.path[:1] = [request["folder"], *filter(None, os.environ.get("PYTHONPATH", "").split(os.pathsep))]


def _wait(command: int, caller: socket.socket) -> None:
    """Send the ID and the exit code of a command to its caller.  Kill the command if its caller has ended."""
    ended = os.pidfd_open(command)
    with contextlib.suppress(BrokenPipeError):
        caller.sendall(f"{command}\n".encode())
    ready, _, _ = select.select([caller.fileno(), ended], [], [])
    if ended not in ready:
        os.kill(command, signal.SIGKILL)
    _, status = os.waitpid(command, 0)
    with contextlib.suppress(BrokenPipeError):
        caller.sendall(f"{os.waitstatus_to_exitcode(status)}\n".encode())


if __name__ == "__main__":
    _, mode, address, *words = sys.argv
    if mode == "call":
        code = _call(address, words)
        if code < 0:
            with contextlib.suppress(OSError):  # SIGKILL has no handler
                signal.signal(-code, signal.SIG_DFL)
            signal.pthread_sigmask(signal.SIG_UNBLOCK, {-code})
            os.kill(os.getpid(), -code)
        os._exit(code)
    _fork_commands(address)
    runpy.run_module("wateringhole", run_name="__main__", alter_sys=True)
