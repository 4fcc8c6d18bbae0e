"""`wateringhole simulate`: plays millions of games on the compiled engine."""

from __future__ import annotations

import math
import sys
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wateringhole.cli.common import GameName, Json, Quiet, RuleWords, rules_of
from wateringhole.cli.completion import complete_compiled_players
from wateringhole.cli.tables import fitted
from wateringhole.errors import UsageError

if TYPE_CHECKING:
    from wateringhole.sim import SimulationResult

__all__ = ["simulate"]


def simulate(
    game: GameName,
    player: Annotated[
        list[str],
        typer.Argument(metavar="PLAYER…", help="Compiled players by seat.", autocompletion=complete_compiled_players),
    ],
    games: Annotated[int, typer.Option(min=1, help="Number of games.")] = 1_000_000,
    seed: Annotated[int, typer.Option(min=0, help="Random seed; the same seed gives the same games.")] = 0,
    rules: RuleWords = None,
    device: Annotated[str, typer.Option(metavar="cpu|cuda", help="Device to play on; the games are the same.")] = "cpu",
    threads: Annotated[
        int | None, typer.Option(min=1, help="Number of CPU threads; the games are the same.", show_default="all cores")
    ] = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Play millions of games between compiled players, and show the results.

    Example: wateringhole simulate {compiled_table} --games 1000000 --seed 1
    """
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    from wateringhole import fallbacks, registry
    from wateringhole.match.loading import installed_player

    kind = registry.game_kind(game)
    fallbacks.check_compiled(kind)
    for word in player:
        if "?" in word or "=" in word:
            raise UsageError(
                f"player {word!r}: compiled players have neither options nor labels. Use --seed for the seed."
            )
        if ":" not in word:
            installed_player(kind.name, word)
    from wateringhole.sim import SimulationInterrupted, on_compile
    from wateringhole.sim import simulate as play

    chosen = rules_of(kind, rules)
    errors = Console(stderr=True)
    bar = Progress(
        "games",
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=errors,
        transient=True,
        disable=quiet or not errors.is_terminal,
    )

    def inform(message: str) -> None:
        if not quiet:
            print(message, file=sys.stderr)

    with bar, on_compile(lambda: inform("compiling, which makes the first run slower …")):
        task = bar.add_task("games", total=games)
        try:
            result = play(
                game,
                player,
                games,
                seed=seed,
                rules=chosen,
                device=device,
                threads=threads,
                progress=lambda done: bar.update(task, completed=done),
                learning=lambda: inform("computing a strategy, which is cached for the next run …"),
            )
        except SimulationInterrupted as stopped:
            # Finished games are shown.
            bar.stop()
            if stopped.result.games:
                _print_result(stopped.result, json, quiet)
            raise
    _print_result(result, json, quiet)


def _print_result(result: SimulationResult, as_json: bool, is_quiet: bool) -> None:
    if as_json:
        import msgspec

        print(msgspec.json.encode(result).decode())
        return
    from rich.console import Console

    from wateringhole.sim.game import compiled_game

    console = Console()
    console.print(fitted(console, _table(result)))
    if len(result.players) > 2:
        console.print(fitted(console, _places(result)))
    if features := compiled_game(result.game).features:
        shares = sorted(getattr(result, features.name).items(), key=lambda entry: -entry[1])
        listed = ", ".join(f"{label} {share:.1%}" for label, share in shares)
        console.print(f"{features.text}: {listed}", highlight=False)
    lasted = _with_error(f"{result.length.mean:.2f}", result.length.error, ".2g")
    facts = [f"{_counted(result.games, 'game')} of {lasted} {_unit(result)}", *_unusual(result)]
    if not is_quiet:
        where = "cuda" if result.device == "cuda" else _counted(result.threads, "thread")
        facts += [
            f"seed {result.seed}",
            f"{where}, {result.seconds:.2f} s: {result.games_per_second:,.0f} games and "
            f"{result.decisions_per_second:,.0f} decisions a second",
        ]
    console.print(f"[dim]{'; '.join(facts)}[/dim]", highlight=False)


def _unusual(result: SimulationResult) -> list[str]:
    """Return notes on unusual endings."""
    notes = []
    if result.stopped:
        share = result.stopped / (result.games - result.overflowed)
        notes.append(
            f"{result.stopped:,} of them ({share:.1%}) stopped by the rules: the remaining players share a place"
        )
    if result.overflowed:
        notes.append(f"{result.overflowed:,} of them not counted: they exceeded a limit of the engine")
    return notes


def _with_error(value: str, error: float, form: str) -> str:
    """Return a value with its error, which is unknown for a single game."""
    return f"{value} ± {'–' if math.isnan(error) else format(error, form)}"


def _counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def _unit(result: SimulationResult) -> str:
    from wateringhole import registry

    return f"{registry.game_kind(result.game).turn_name}s"


def _table(result: SimulationResult) -> Any:
    from rich.table import Table

    table = Table(title=f"{result.game}, {_counted(result.games, 'game')}", title_justify="left")
    table.add_column("seat", justify="right")
    table.add_column("player")
    for column in ("first", "mean score"):
        table.add_column(column, justify="right")
    counted = max(1, result.games - result.overflowed)
    for seat, name in enumerate(result.players):
        table.add_row(
            str(seat + 1),
            name,
            _with_error(f"{result.wins[seat] / counted:.2%}", result.errors.wins[seat], ".2%"),
            _with_error(f"{result.mean_scores[seat]:.3f}", result.errors.mean_scores[seat], ".3f"),
        )
    return table


def _places(result: SimulationResult) -> Any:
    """Return a table of places, separate so that eight players fit a narrow terminal."""
    from rich.table import Table

    table = Table(title="share of games by place", title_justify="left")
    table.add_column("seat", justify="right")
    for place in range(1, len(result.players) + 1):
        table.add_column(str(place), justify="right")
    counted = max(1, result.games - result.overflowed)
    for seat in range(len(result.players)):
        table.add_row(str(seat + 1), *(f"{times / counted:.1%}" for times in result.places[seat]))
    return table
