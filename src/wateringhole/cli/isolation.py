"""Options for the isolation of untrusted players, and what commands do without them."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Annotated

import typer

from wateringhole.cli.completion import complete_sandboxes
from wateringhole.errors import UsageError

__all__ = [
    "OptionalSandbox",
    "ReadOnly",
    "Sandbox",
    "Trust",
    "choose_sandbox",
    "parse_sandbox",
    "report_in_process",
    "report_no_sandbox",
]

Sandbox = Annotated[
    str | None,
    typer.Option(
        metavar="bwrap|none",
        help="Sandbox that shows untrusted players only their own files; bwrap fails without it.",
        show_default="bwrap if it works here",
        autocompletion=complete_sandboxes,
    ),
]
OptionalSandbox = Annotated[
    str | None,
    typer.Option(
        metavar="bwrap|none",
        help="Sandbox that shows untrusted players only their own files.",
        show_default="none",
        autocompletion=complete_sandboxes,
    ),
]
ReadOnly = Annotated[
    list[Path] | None,
    typer.Option(metavar="PATH", help="File or folder that players in the sandbox can read; repeatable."),
]
Trust = Annotated[
    bool,
    typer.Option(
        "--trust",
        help="Run Python players in the process of the referee, where they can cheat and read everything that you "
        "can, and programs without a sandbox.",
    ),
]


def parse_sandbox(sandbox: str | None) -> bool | None:
    """Return whether the sandbox is wanted, or None if the user did not say.  Raises UsageError for an unknown one."""
    choices = {None: None, "bwrap": True, "none": False}
    if sandbox not in choices:
        raise UsageError(f"--sandbox {sandbox}: unknown sandbox. Choose from: bwrap, none.")
    return choices[sandbox]


def choose_sandbox(
    sandbox: str | None,
    read_only: Sequence[Path] | None,
    *,
    trust: bool,
    is_needed: bool,
    problem: Callable[[], str | None] | None = None,
) -> bool:
    """Return whether players run in the sandbox, as `process.machine.choose_sandbox` decides for these options."""
    from wateringhole.process import machine

    return machine.choose_sandbox(
        parse_sandbox(sandbox),
        read_only,
        trust=trust,
        is_needed=is_needed,
        options=machine.SandboxOptions("--trust", "--sandbox bwrap", "--read-only"),
        report=report_no_sandbox,
        find_problem=problem,
    )


def report_no_sandbox(problem: str) -> None:
    """Report on standard error that untrusted players must do without the sandbox."""
    print(f"wateringhole: untrusted players run without a sandbox: {problem}", file=sys.stderr, flush=True)


def report_in_process(specs: Sequence[str]) -> None:
    """Report on standard error which untrusted players run in this process."""
    if specs:
        names = ", ".join(dict.fromkeys(specs))
        verb = "runs" if len(set(specs)) == 1 else "run"
        print(
            f"wateringhole: {names} {verb} in this process, unlimited; with --time-limit, in a process of its own.",
            file=sys.stderr,
            flush=True,
        )
