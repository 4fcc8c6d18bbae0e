"""`wateringhole bench`: the speed of this package on this machine."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated

import typer

from wateringhole.cli.common import Json
from wateringhole.cli.game_output import print_json
from wateringhole.errors import OperationError, UsageError
from wateringhole.formatting import choose_from, pluralize

if TYPE_CHECKING:
    from wateringhole.cli.figures import Figure, Measurement

__all__ = ["bench"]

PARTS = {
    "referee": "games with and without the referee, on one core, best of five runs",
    "tournaments": "their cost compared with the same games, and the gain of a second worker",
    "simulator": "games on the compiled engine, best of five runs",
}


def bench(
    seconds: Annotated[
        float,
        typer.Option(
            min=0.05,
            max=3600,
            help="Seconds to measure each figure, without startup and compilation.",
        ),
    ] = 1.0,
    only: Annotated[
        list[str] | None, typer.Option(metavar="PART", help=f"Part to measure: {', '.join(PARTS)}; repeatable.")
    ] = None,
    json: Json = False,
) -> None:
    """Measure games, decisions and copies per second on this machine, the cost of tournaments, and the simulator.

    Prints each figure as soon as it is measured. Press Ctrl-C to stop.

    Example: wateringhole bench --seconds 3 --only referee
    """
    from wateringhole.tournaments.interrupts import coalesce_ctrl_c

    for part in only or ():
        if part not in PARTS:
            raise UsageError(f"--only {part}: unknown part. {choose_from(part, PARTS)}")
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
    """Yield the measurements of each part.  Skip a part whose packages are missing, unless `only` names it."""
    for part in PARTS:
        if only and part not in only:
            continue
        try:
            yield part, _measurements(part, seconds)
        except OperationError as missing:
            if only:
                raise
            print(f"wateringhole: {part} skipped: {missing}", file=sys.stderr)


def _measurements(part: str, seconds: float) -> list[Measurement]:
    """Return the measurements of a part.  Raises OperationError if a package for it is not installed."""
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
    """Yield all figures while a terminal shows which one is being measured."""
    from rich.console import Console
    from rich.live import Live
    from rich.text import Text

    err = Console(stderr=True)
    for number, (what, measure) in enumerate(measurements, 1):
        text = Text(f"measuring {number} of {len(measurements)}: {what} …", overflow="ellipsis", no_wrap=True)
        # Drawn once, because redrawing would be measured, too.
        waiting = Live(
            text, console=err, auto_refresh=False, transient=True, redirect_stdout=False, redirect_stderr=False
        )
        with waiting:
            figures = measure()
        yield from figures
