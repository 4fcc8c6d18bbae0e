"""The command line, `wateringhole` or `wh`.

Exit status: 0 success, 1 an operation error, 2 a usage error.  Each command imports heavy modules
itself, so that the program starts quickly.
"""

from __future__ import annotations

import functools
import os
import signal
import sys
from typing import Annotated, Any, NoReturn

import typer

from wateringhole.cli import (
    analyse,
    ask,
    backup,
    bench,
    check,
    compare,
    completion,
    doctor,
    harness,
    host,
    join,
    new_game,
    play,
    players,
    replay,
    rules,
    serve,
    simulate,
    solve,
    standings,
    tournament,
    watch,
)
from wateringhole.cli.console import closing_output, escape_unencodable
from wateringhole.cli.examples import Commands, GameCommand
from wateringhole.errors import PlayerNotMade, Terminated, UsageError, WateringHoleError

__all__ = ["app", "commands", "main"]

app = typer.Typer(
    name="wateringhole",
    cls=Commands,
    help="Play games with hidden information with humans, bots and programs.",
    epilog="Start with: wateringhole play --help",
    rich_markup_mode="rich",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        from wateringhole.cli.environment import describe_environment

        for name, text in describe_environment().items():
            print(f"{name}: {text}" if name != "wateringhole" else f"{name} {text}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool,
        typer.Option(
            "--version", callback=_show_version, is_eager=True, help="Show all versions, for a bug report, and exit."
        ),
    ] = False,
) -> None: ...


for command in (
    play.play,
    watch.watch,
    tournament.tournament,
    standings.standings,
    backup.backup,
    check.check,
    ask.ask,
    compare.compare,
    serve.serve,
    host.host,
    join.join,
    replay.replay,
    analyse.analyse,
    rules.rules,
    players.players,
    players.new_bot,
    new_game.new_game,
    harness.harness,
    simulate.simulate,
    solve.solve,
    bench.bench,
    doctor.doctor,
    completion.completion,
):
    cls = solve.SolveCommand if command is solve.solve else GameCommand
    app.command(name=command.__name__.replace("_", "-"), cls=cls)(command)


@functools.cache
def commands() -> Any:
    """Return the group of all commands, made once per process.  Reading all their signatures takes 30 ms."""
    return typer.main.get_command(app)


def main() -> None:
    """Run a command.  A mistake of the user prints a message to standard error, never a traceback."""
    # SIGTERM and SIGHUP act like Ctrl-C: finished games are printed, and no program is left running.
    for ending in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(ending) != signal.SIG_IGN:
            signal.signal(ending, _interrupt)
    _keep_players_from_exiting()
    completion.register_shells()
    escape_unencodable()
    with closing_output():
        try:
            commands()()
        except WateringHoleError as error:
            if isinstance(error, PlayerNotMade):
                print(error.traceback, end="", file=sys.stderr)
            print(f"wateringhole: {error}", file=sys.stderr)
            sys.exit(2 if isinstance(error, UsageError) else 1)


def _interrupt(*_: object) -> NoReturn:
    # Not a plain KeyboardInterrupt: where Ctrl-C is ignored, as in the background of a shell, a player has raised that.
    raise Terminated


def _keep_players_from_exiting() -> None:
    """Make os._exit act like sys.exit, because players of `play` run in this process and could exit it silently."""
    exit_at_once, own_pid = os._exit, os.getpid()

    def exit(status: int) -> NoReturn:
        if os.getpid() != own_pid:
            exit_at_once(status)
        raise SystemExit(status)

    os._exit = exit
