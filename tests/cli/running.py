"""Runs the real command in its own process or in this one."""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
from collections.abc import Collection
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from tests.preloaded_command import preloaded_command
from wateringhole import cli
from wateringhole.match.loading import PREFIX

__all__ = ["Ran", "called", "wateringhole"]

Ran = subprocess.CompletedProcess[str]


def wateringhole(*words: str | Path, stdin: str = "", folder: Path | None = None) -> Ran:
    """Run `wateringhole WORD…` in its own process, with a time limit."""
    return subprocess.run(
        [preloaded_command(), *words],
        input=stdin,
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def called(*words: str | Path, stdin: str = "", folder: Path | None = None) -> Ran:
    """Run a command in this process, which is faster because everything is loaded.

    For tests of what a command prints and does, not of what happens to its process.
    """
    argv = ["wateringhole", *map(str, words)]
    out, err = io.StringIO(), io.StringIO()
    handlers = {number: signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)}
    with pytest.MonkeyPatch.context() as patch, chdir(folder or "."), redirect_stdout(out), redirect_stderr(err):
        patch.setattr(sys, "argv", argv)
        patch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(stdin.encode())))
        # The command replaces `os._exit`, and players in files add their folders to `sys.path`.
        patch.setattr(os, "_exit", os._exit)
        patch.setattr(sys, "path", [*sys.path])
        modules, path = set(sys.modules), set(sys.path)
        try:
            with pytest.raises(SystemExit) as ended:
                cli.main()
        finally:
            for number, handler in handlers.items():
                signal.signal(number, handler)
            _forget_players(set(sys.modules) - modules, set(sys.path) - path)
    return Ran(argv, int(ended.value.code or 0), out.getvalue(), err.getvalue())


def _forget_players(modules: Collection[str], folders: Collection[str]) -> None:
    """Remove the modules of players and their imports, so that the next command loads its own."""
    for name in modules:
        file = getattr(sys.modules[name], "__file__", None) or ""
        if name.startswith(PREFIX) or any(Path(file).is_relative_to(folder) for folder in folders):
            del sys.modules[name]
