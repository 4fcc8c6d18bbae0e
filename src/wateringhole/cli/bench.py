"""`wateringhole bench`: our own speed on this machine, figure by figure."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from wateringhole.cli.common import Json
from wateringhole.cli.game_output import print_json
from wateringhole.errors import OperationError, UsageError
from wateringhole.formatting import pluralize

if TYPE_CHECKING:
    from wateringhole.cli.figures import Figure, Measurement

__all__ = ["bench"]

PARTS = {
    "referee": "games with the referee and without, on one core, best of five stretches",
    "tournaments": "what they cost over the same games, and what a second worker gains",
    "simulator": "games on the compiled engine, best of five stretches",
}


def bench(
    seconds: Annotated[
        float,
        typer.Option(
            min=0.05,
            max=3600,
            help="About how long to measure a figure, not counting what is started or compiled; a few games at least.",
        ),
    ] = 1.0,
    only: Annotated[
        list[str] | None, typer.Option(metavar="PART", help=f"{', '.join(PARTS)}; may be given several times.")
    ] = None,
    json: Json = False,
) -> None:
    """Measure games, decisions and copies a second on this machine, what tournaments cost, and the simulator.

    Each figure is told as soon as it is known; Ctrl-C whenever you have seen enough.

    Example: wateringhole bench --seconds 3 --only referee
    """
    from wateringhole.tournaments.interrupts import coalesce_ctrl_c

    for part in only or ():
        if part not in PARTS:
            raise UsageError(f"--only {part}: the parts are {', '.join(PARTS)}.")
    figures: list[Figure] = []
    is_interrupted = False
    with coalesce_ctrl_c():
        try:
            for part, measurements in _parts(only, seconds):
                if not json:
                    print(f"{part}: {PARTS[part]}", flush=True)
                for figure in _measured(measurements):
                    figures.append(figure)
                    if not json:
                        print(figure, flush=True)
        except KeyboardInterrupt:
            is_interrupted = True
        if json:
            print_json(figures)
        if is_interrupted:
            print(f"\nwateringhole: interrupted after {pluralize(len(figures), 'figure')}", file=sys.stderr)
            raise typer.Exit(130)


def _parts(only: list[str] | None, seconds: float) -> Iterator[tuple[str, list[Measurement]]]:
    """What is to be measured.  Where packages are missing a part is left out, unless somebody asked for it."""
    for part in PARTS:
        if only and part not in only:
            continue
        try:
            yield part, _measurements(part, seconds)
        except OperationError as missing:
            if only:
                raise
            print(f"wateringhole: {part} left out: {missing}", file=sys.stderr)


def _measurements(part: str, seconds: float) -> list[Measurement]:
    """Raises OperationError where a package that the part takes is not installed."""
    if part == "referee":
        from wateringhole.cli.bench_referee import measurements
    elif part == "tournaments":
        from wateringhole.tournaments.results import require_tournaments

        require_tournaments()
        from wateringhole.cli.bench_tournaments import measurements
    else:
        from wateringhole.cli.bench_simulator import measurements
    from wateringhole import registry

    return measurements(registry.kinds(), seconds)


def _measured(measurements: list[Measurement]) -> Iterator[Figure]:
    """All figures, one by one, while a terminal shows which is being measured."""
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    err = Console(stderr=True)
    for number, (what, measure) in enumerate(measurements, 1):
        text = Text(f"measuring {number} of {len(measurements)}: {what} …", overflow="ellipsis", no_wrap=True)
        # Drawn once: to draw it again and again would be measured, too.
        waiting = Live(
            text, console=err, auto_refresh=False, transient=True, redirect_stdout=False, redirect_stderr=False
        )
        with waiting:
            figures = measure()
        yield from figures
