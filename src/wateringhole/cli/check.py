"""`wateringhole check`: finds what would get a player thrown out or ranked badly."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from wateringhole.cli.common import GameName, Json, LogFolder, ReadOnly, Sandbox, check_seconds, parse_sandbox

if TYPE_CHECKING:
    from wateringhole.tournaments.check import CheckReport

__all__ = ["check"]


def check(
    game: GameName,
    player: Annotated[
        str, typer.Argument(metavar="PLAYER", help="Player: {bot}, bots/mine.py:Mine, cmd:./mine --fast, …")
    ],
    time_limit: Annotated[float, typer.Option(help="Seconds for one answer.")] = 5.0,
    startup_timeout: Annotated[float, typer.Option(help="Seconds for the player to introduce itself.")] = 10.0,
    memory_limit: Annotated[
        int, typer.Option(min=1, metavar="MB", help="Megabytes of memory for each of its processes.")
    ] = 1024,
    sandbox: Sandbox = None,
    read_only: ReadOnly = None,
    log: LogFolder = None,
    json: Json = False,
) -> None:
    """Find what would get a player thrown out or ranked badly; exit with status 1 if there is a problem.

    The player plays a fixed set of games against built-in players, twice, in its own process.

    Example: wateringhole check {game} bots/mine.py:Mine --time-limit 2
    """
    from rich.console import Console
    from rich.markup import escape

    from wateringhole.match.series import make_folder
    from wateringhole.process.limits import ProcessLimits
    from wateringhole.tournaments import check

    check_seconds(time_limit=time_limit, startup_timeout=startup_timeout)
    sandboxed = parse_sandbox(sandbox)
    if log:
        make_folder(log)
    limits = ProcessLimits(memory_bytes=memory_limit << 20, startup_seconds=startup_timeout)
    with Console(stderr=True).status(f"checking {escape(player)} …"):
        report = check.check(game, player, time_limit, limits, sandbox=sandboxed, read_only=read_only or (), log=log)
    if json:
        import msgspec

        print(msgspec.json.encode({**msgspec.to_builtins(report), "is_fine": report.is_fine}).decode())
    else:
        _show(report)
    raise typer.Exit(0 if report.is_fine else 1)


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
