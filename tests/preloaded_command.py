"""The `wateringhole` command, forked from a process that has loaded it.

An interpreter needs up to a second to import what a command uses, and a fork of one that has imported it needs a few
milliseconds.  For tests of what commands do, not of how they start.

As a program, this file is the process that forks commands: `preloaded_command.py SOCKET`.  The script that tests run is
`call_command.py`.
"""

from __future__ import annotations

import atexit
import contextlib
import functools
import gc
import importlib
import io
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

COMMAND = ("play", "porrinha", "zero", "random")
"""A command that makes the libraries import what they import late."""

CALLER = Path(__file__).with_name("call_command.py")


@functools.cache
def preloaded_command() -> Path:
    """Return the path of a script `wateringhole` whose calls are forked until this process ends."""
    folder = Path(tempfile.mkdtemp(prefix="wateringhole-command-"))
    address, script = folder / "socket", folder / "wateringhole"
    # It ends when its standard input is closed.
    parent = subprocess.Popen(
        [sys.executable, __file__, address],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        start_new_session=True,
    )
    atexit.register(parent.communicate)
    assert parent.stdout is not None
    assert parent.stdout.readline() == b"ready\n"
    caller = shlex.join([sys.executable, "-ISE", str(CALLER), str(address)])
    script.write_text(f'#!/bin/sh\nexec {caller} "$@"\n')
    script.chmod(0o755)
    return script


def _fork_commands(address: str) -> None:
    """Fork a command for each caller.  Return in the process of a command."""
    for name in MODULES:
        importlib.import_module(name)
    with contextlib.redirect_stdout(io.StringIO()):
        sys.modules["wateringhole.cli"].commands()(COMMAND, standalone_mode=False)
    # Otherwise, each command would visit all these objects when it ends.
    gc.collect()
    gc.freeze()
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
    _fork_commands(sys.argv[1])
    runpy.run_module("wateringhole", run_name="__main__", alter_sys=True)
