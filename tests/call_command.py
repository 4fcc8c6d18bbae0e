"""Calls a command of `tests.preloaded_command`: `call_command.py SOCKET WORD…`.

It has a process fork `wateringhole WORD…`, forwards signals to that command and ends as it does.  When it is killed, so
is the command, whose pipes close when it has ended.  Tests start it hundreds of times, so it imports little.
"""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import sys

FORWARDED = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


def call(address: str, words: list[str]) -> int:
    """Have a command forked with the files, folder and environment of this process, and return its exit code."""
    command = 0

    def forward(number: int, _: object) -> None:
        with contextlib.suppress(ProcessLookupError):  # it has ended
            os.kill(command, number)

    signal.pthread_sigmask(signal.SIG_BLOCK, FORWARDED)
    with socket.socket(socket.AF_UNIX) as parent:
        parent.connect(address)
        request = {"words": words, "folder": os.getcwd(), "environment": dict(os.environ)}
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


if __name__ == "__main__":
    code = call(sys.argv[1], sys.argv[2:])
    if code < 0:
        if code != -signal.SIGKILL:  # which has no handler
            signal.signal(-code, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {-code})
        os.kill(os.getpid(), -code)
    os._exit(code)
