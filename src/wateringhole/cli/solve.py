"""`wateringhole solve`: exact solutions."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wateringhole.errors import Failure, Misuse

if TYPE_CHECKING:
    from wateringhole.games.porrinha.solver import solution as porrinha

__all__ = ["solve"]


def solve(
    game: Annotated[str, typer.Argument(metavar="porrinha", help="The game to solve.")],
    sticks: Annotated[int, typer.Option(min=1, max=20, help="Sticks of each player at the start.")] = 3,
    lead_after_win: Annotated[
        str, typer.Option(metavar="winner|rotate", help="Who leads after a right guess.")
    ] = "winner",
    opening_zero: Annotated[
        str, typer.Option(metavar="allowed|forbidden", help="Whether the first hand of a game may be empty.")
    ] = "allowed",
    json: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the whole solution as JSON; - is standard output.")
    ] = None,
) -> None:
    """Solve Porrinha for two players exactly, and prove it.

    Example: wateringhole solve porrinha --sticks 3
    """
    import msgspec

    from wateringhole.games.porrinha.solver import solution as porrinha

    if game != "porrinha":
        raise Misuse(f"{game!r} cannot be solved; porrinha can, for two players.")
    solution = _with_progress(sticks, lead_after_win, opening_zero)
    if json:
        text = msgspec.json.encode(porrinha.to_json(solution)) + b"\n"
        if str(json) == "-":
            print(text.decode(), end="")
            return
        try:
            json.write_bytes(text)
        except OSError as error:
            raise Failure(f"{json} cannot be written: {error.strerror}.") from None
    _show(solution)


def _with_progress(sticks: int, lead_after_win: str, opening_zero: str) -> porrinha.Solution:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

    from wateringhole.games.porrinha.solver import solution as porrinha

    with Progress(
        "solving",
        BarColumn(),
        MofNCompleteColumn(),
        TimeRemainingColumn(),
        console=Console(stderr=True),
        transient=True,
        disable=not sys.stderr.isatty(),
    ) as bar:
        task = bar.add_task("solving", total=None)
        return porrinha.solve(
            sticks,
            lead_after_win,  # type: ignore[arg-type]  # the solver names the values there are
            opening_zero,  # type: ignore[arg-type]
            progress=lambda done, total: bar.update(task, completed=done, total=total),
        )


def _show(solution: porrinha.Solution) -> None:
    from rich.console import Console
    from rich.table import Table

    from wateringhole.games.porrinha.solver import solution as porrinha

    console = Console()
    for shown in porrinha.tables(solution):
        # Not the table's own title, which would be folded to the width of the table.
        console.print(f"[bold]{shown.title}[/bold]")
        table = Table(*shown.heads)
        for row in shown.rows:
            table.add_row(*row)
        console.print(table)
    console.print(f"exploitability {solution.exploitability:.1e}, certified; solved in {solution.seconds:.2f} s")
