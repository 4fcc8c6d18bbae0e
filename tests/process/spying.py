"""A program and a bot that look at everything around them, and report it as JSON on standard error."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from wateringhole.errors import UsageError
from wateringhole.process.sandbox import check_sandbox

__all__ = ["BOT", "LOOK", "report_in", "sandbox_or_skip"]

LOOK = """
import glob, json, os, socket, sys

def attempt(act):
    try:
        return act()
    except OSError as error:
        return type(error).__name__

def write(path):
    open(path, "w").close()
    os.remove(path)
    return "written"

def touch(path):
    # A test must not change anything of the machine, not even if it fails.
    status = os.stat(path)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
    return "touched"

def use(path):
    with open(path, "r+b", buffering=0) as device:
        device.write(b"x")
        return len(device.read(4))

def connect(family, address):
    with socket.socket(family) as line:
        line.settimeout(2)
        line.connect(address)
    return "connected"

def look(wanted):
    wanted = {name: [str(path) for path in paths] for name, paths in wanted.items()}
    found = {
        "environment": sorted(os.environ),
        "folder": os.getcwd(),
        "here": os.listdir(),
        "root": sorted(os.listdir("/")),
        "temporary": os.listdir("/tmp"),
        "processes": len(glob.glob("/proc/[0-9]*")),
        "user": os.getuid(),
        "read": {path: attempt(lambda: open(path, "rb").read().decode(errors="replace")[:99])
                 for path in wanted.get("read", [])},
        "listed": {path: attempt(lambda: sorted(os.listdir(path))) for path in wanted.get("list", [])},
        "written": {path: attempt(lambda: write(path)) for path in wanted.get("write", [])},
        "touched": {path: attempt(lambda: touch(path)) for path in wanted.get("touch", [])},
        "used": {path: attempt(lambda: use(path)) for path in wanted.get("use", [])},
        "connected": [attempt(lambda: connect(socket.AF_INET, ("127.0.0.1", int(port))))
                      for port in wanted.get("ports", [])]
                   + [attempt(lambda: connect(socket.AF_UNIX, path.replace("@", chr(0))))
                      for path in wanted.get("sockets", [])],
    }
    print(json.dumps(found), file=sys.stderr, flush=True)
"""
"""Python code that defines `look`."""

BOT = (
    LOOK
    + """
from wateringhole.games.porrinha.bots.random import Random

class Spy(Random):
    def __init__(self):
        super().__init__()
        look(WANTED)
"""
)
"""A bot for Porrinha that looks at what `WANTED` names."""


def report_in(log: Path) -> dict[str, Any]:
    """Return the first report in a log."""
    found: dict[str, Any] = json.loads(log.read_text().splitlines()[0])
    return found


def bot(folder: Path, name: str = "spy.py", **wanted: Sequence[str | Path]) -> Path:
    """Write the bot to a folder, and return its file."""
    folder.mkdir(parents=True, exist_ok=True)
    named = {key: [os.fspath(path) for path in paths] for key, paths in wanted.items()}
    (folder / name).write_text(f"WANTED = {named!r}\n{BOT}")
    return folder / name


@pytest.fixture
def sandbox_or_skip() -> None:
    """Skip a test, with the reason, where the sandbox cannot run."""
    try:
        check_sandbox()
    except UsageError as why:
        pytest.skip(str(why))
