"""The command line, `wateringhole` or `wh`.

Exit status: 0 fine, 1 the thing asked for failed, 2 a usage error.  Everything heavy is imported by
the command that needs it, so that the program starts at once.
"""

from __future__ import annotations

import os
import signal
import sys
from typing import Annotated, NoReturn

import typer

from wateringhole import __version__
from wateringhole.cli import (
    bench,
    check,
    compare,
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
)
from wateringhole.cli.examples import GameCommand
from wateringhole.errors import Terminated, UsageError, WateringHoleError

__all__ = ["app", "main"]

app = typer.Typer(
    name="wateringhole",
    help="A table where people and programs play games with hidden information.",
    epilog="Start with: wateringhole play --help",
    rich_markup_mode="rich",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)


def _show_version(wanted: bool) -> None:
    if wanted:
        print(f"wateringhole {__version__}")
        raise typer.Exit


@app.callback()
def _options(
    version: Annotated[
        bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version and leave.")
    ] = False,
) -> None: ...


for command in (
    play.play,
    tournament.tournament,
    standings.standings,
    check.check,
    compare.compare,
    serve.serve,
    host.host,
    join.join,
    replay.replay,
    rules.rules,
    players.players,
    players.new_bot,
    new_game.new_game,
    harness.harness,
    simulate.simulate,
    solve.solve,
    bench.bench,
):
    cls = solve.SolveCommand if command is solve.solve else GameCommand
    app.command(name=command.__name__.replace("_", "-"), cls=cls)(command)


def main() -> None:
    """Run a command.  Mistakes of the user end in a sentence on standard error, never in a traceback."""
    # Whoever ends us politely, or hangs up, gets what Ctrl-C gets: finished games are told, and no
    # program is left behind.
    for ending in (signal.SIGTERM, signal.SIGHUP):
        if signal.getsignal(ending) != signal.SIG_IGN:
            signal.signal(ending, _interrupt)
    _keep_players_from_ending_us()
    try:
        app()
    except WateringHoleError as error:
        print(f"wateringhole: {error}", file=sys.stderr)
        sys.exit(2 if isinstance(error, UsageError) else 1)
    except KeyboardInterrupt:
        print("\nwateringhole: interrupted", file=sys.stderr)
        sys.exit(130)
    except BrokenPipeError:
        # Whoever read our output has enough; the shell's habit is to end quietly.
        sys.stderr.close()
        sys.exit(1)


def _interrupt(*_: object) -> NoReturn:
    # Not a plain KeyboardInterrupt: where Ctrl-C is ignored, as in the background of a shell, that is a player's own.
    raise Terminated


def _keep_players_from_ending_us() -> None:
    """Let os._exit be as sys.exit here: players of `play` live in our process, and would end it without a word."""
    end_at_once, us = os._exit, os.getpid()

    def leave(status: int) -> NoReturn:
        if os.getpid() != us:
            end_at_once(status)
        raise SystemExit(status)

    os._exit = leave
