"""`wateringhole check`: finds what would get a player thrown out or ranked badly."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wateringhole import registry
from wateringhole.cli.common import GameName, Json, LogFolder, check_seconds
from wateringhole.cli.completion import complete_players
from wateringhole.cli.game_output import print_json
from wateringhole.cli.isolation import ReadOnly, Sandbox, Trust, choose_sandbox
from wateringhole.cli.submissions import FolderCheck
from wateringhole.errors import UsageError

if TYPE_CHECKING:
    from wateringhole.match.failures import Failure
    from wateringhole.tournaments.check import CheckReport
    from wateringhole.tournaments.submissions import Check

__all__ = ["check", "report_json"]


def check(
    game: GameName,
    player: Annotated[
        str,
        typer.Argument(
            metavar="PLAYER",
            help="Player: {bot}, bots/mine.py:Mine, cmd:./mine --fast, …; or a folder.",
            autocompletion=complete_players,
        ),
    ],
    time_limit: Annotated[float, typer.Option(help="Seconds for one answer.")] = 5.0,
    startup_timeout: Annotated[float, typer.Option(help="Seconds for the player to introduce itself.")] = 10.0,
    memory_limit: Annotated[
        int, typer.Option(min=1, metavar="MB", help="Megabytes of memory for all its processes.")
    ] = 1024,
    sandbox: Sandbox = None,
    read_only: ReadOnly = None,
    trust: Trust = False,
    log: LogFolder = None,
    workers: Annotated[
        int | None,
        typer.Option(min=1, help="Folder: number of simultaneous checks.", show_default="one per processor"),
    ] = None,
    check_timeout: Annotated[
        float | None, typer.Option(help="Folder: seconds for the whole check of one player.", show_default="600")
    ] = None,
    report: Annotated[
        Path | None, typer.Option(metavar="FILE.html", help="Folder: page to write with all results.")
    ] = None,
    passed: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Folder: file to list the players that passed in, for @FILE.")
    ] = None,
    json: Json = False,
) -> None:
    """Find what would get a player thrown out or ranked badly; exit with status 1 if there is a problem.

    The player plays a fixed set of games against built-in players, twice, in its own process, and in a sandbox if one
    works here.  All players in a folder are checked at once: Python files, executable files, and folders with one of
    them.

    Example: wateringhole check {game} bots/mine.py:Mine --time-limit 2
    """
    from functools import partial

    from wateringhole.cli.failures import report_failure
    from wateringhole.match.series import make_folder
    from wateringhole.match.specs import is_untrusted
    from wateringhole.process.limits import ProcessLimits
    from wateringhole.process.machine import machine_isolation
    from wateringhole.process.sandbox import check_sandbox
    from wateringhole.tournaments import check

    check_seconds(time_limit=time_limit, startup_timeout=startup_timeout, check_timeout=check_timeout)
    is_folder = Path(player).is_dir()
    is_needed = is_folder or is_untrusted(game, player)
    sandboxed = choose_sandbox(sandbox, read_only, trust=trust, is_needed=is_needed)
    if log:
        make_folder(log)
    limits = ProcessLimits(memory_bytes=memory_limit << 20, startup_seconds=startup_timeout)
    one = partial(
        check.check,
        game,
        time_limit=time_limit,
        limits=limits,
        trust=trust,
        sandbox=sandboxed,
        read_only=read_only or (),
        log=log,
    )
    if is_folder:
        if sandboxed:
            check_sandbox()
        found = FolderCheck(
            game=registry.game_kind(game).name,
            folder=Path(player),
            check=one,
            conditions={
                "Time limit": f"{time_limit:g} s for an answer, {startup_timeout:g} s to start",
                "Memory limit": f"{memory_limit} MB",
                "Isolation": machine_isolation().describe(sandboxed=sandboxed),
            },
            workers=workers,
            timeout=check_timeout or 600.0,
            report=report,
            passed=passed,
            log=log,
            as_json=json,
        )
        raise typer.Exit(0 if found.run() else 1)
    options = {"--workers": workers, "--check-timeout": check_timeout, "--report": report, "--passed": passed}
    for option, value in options.items():
        if value is not None:
            raise UsageError(f"{option} {value}: only for a folder of players, and {player!r} is none. Omit it.")
    failures: list[Failure] = []
    is_fine = _check_one(partial(one, on_failure=failures.append), player, as_json=json)
    for failure in failures[:1]:
        report_failure(failure)
    raise typer.Exit(0 if is_fine else 1)


def _check_one(check: Check, player: str, *, as_json: bool) -> bool:
    """Check a player, show the report, and return whether it is fine."""
    from rich.console import Console
    from rich.markup import escape

    with Console(stderr=True).status(f"checking {escape(player)} …"):
        report = check(player)
    if as_json:
        print_json(report_json(report))
    else:
        _show(report)
    tracebacks = [finding.traceback for finding in report.findings if finding.traceback]
    print("".join(tracebacks[:1]), end="", file=sys.stderr)
    return report.is_fine


def report_json(report: CheckReport) -> dict[str, Any]:
    """Return a report for `--json`."""
    import msgspec

    return {**msgspec.to_builtins(report), "is_fine": report.is_fine}


def _show(report: CheckReport) -> None:
    from rich.console import Console
    from rich.markup import escape

    console = Console(soft_wrap=True, highlight=False, emoji=False)
    console.print(f"{report.game}: {escape(report.player)}")
    if report.answers:
        memory = f"{report.peak_memory_bytes >> 20} MB" if report.peak_memory_bytes else "unknown"
        console.print(
            f"[dim]started in {report.startup_seconds:.2f} s; {report.answers} answers, "
            f"median {report.median_seconds * 1000:.1f} ms, slowest {report.worst_seconds * 1000:.1f} ms; "
            f"memory {memory}; places {', '.join(map(str, report.places))}[/dim]"
        )
    for finding in report.findings:
        colour = "red" if finding.is_problem else "yellow"
        console.print(
            f"[{colour}]{'problem' if finding.is_problem else 'warning'}[/{colour}]  {escape(finding.message)}"
        )
    if report.is_fine:
        console.print("Nothing here would get it thrown out.")
