"""`wateringhole solve`: exact solutions."""

from __future__ import annotations

import inspect
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wateringhole.cli.common import GameName
from wateringhole.cli.examples import GameCommand
from wateringhole.cli.tables import fitted
from wateringhole.errors import OperationError, UsageError
from wateringhole.formatting import choose_from

if TYPE_CHECKING:
    from wateringhole.facets import Solution, Solver
    from wateringhole.game import AnyKind

__all__ = ["SolveCommand", "solve"]


_OPTIONS = "wateringhole.solver"


class SolveCommand(GameCommand):
    """A command that also has the options of a game's solver, and passes their values as the context's `obj`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        from wateringhole import registry

        name = next((word for word in args if word in registry.game_names()), None)
        if name is None and not ctx.resilient_parsing and args and not args[0].startswith("-"):
            name = args[0]
        kind = name and registry.game_kind(name)
        if kind and (kind.solver or "--help" not in args):
            ctx.meta[_OPTIONS] = _options(_solver(kind))
            _check_names(self.get_params(ctx), args, f"solve {name}")
        return super().parse_args(ctx, args)

    def get_params(self, ctx: Any) -> list[Any]:
        return [*super().get_params(ctx), *ctx.meta.get(_OPTIONS, ())]

    def invoke(self, ctx: Any) -> Any:
        ctx.obj = {param.name: ctx.params.pop(param.name) for param in ctx.meta.get(_OPTIONS, ())}
        return super().invoke(ctx)


def solve(
    context: typer.Context,
    game: GameName,
    json: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="File to write the full solution to as JSON; - for standard output."),
    ] = None,
) -> None:
    """Solve a game exactly, and prove the solution.

    Each game has its own options: wateringhole solve {solvable} --help

    Example: wateringhole solve {solvable}
    """
    import msgspec

    from wateringhole import registry

    solver = _solver(registry.game_kind(game))
    solution = _with_progress(solver, solver.options(**context.obj))
    if json:
        text = msgspec.json.encode(solution.to_json()) + b"\n"
        if str(json) == "-":
            print(text.decode(), end="")
            return
        try:
            json.write_bytes(text)
        except OSError as error:
            raise OperationError(f"{json} cannot be written: {error.strerror}.") from None
    _show(solution)


def _solver(kind: AnyKind) -> Solver:
    from wateringhole import fallbacks, registry

    solvable = ", ".join(other.name for other in registry.kinds() if other.solver)
    choice = f" Choose from: {solvable}." if solvable else ""
    return fallbacks.require(kind.solver, f"{kind.name} has no solver.{choice}")


def _options(solver: Solver) -> list[Any]:
    """Return the solver's options as parameters of a command."""
    from wateringhole.options import Profile, describe, read_value

    def parser(name: str) -> Callable[[str], Any]:
        def parse(word: str) -> Any:
            try:
                return read_value(solver.options, name, word)
            except ValueError as error:
                raise UsageError(f"--{name.replace('_', '-')} {word}: {error}") from None

        return parse

    # Typer creates options from the parameters of a function.
    def signed(**values: Any) -> None: ...

    parameters = []
    for row in describe({"": Profile(solver.options(), "")}):
        option = typer.Option(
            f"--{row.name.replace('_', '-')}",
            help=row.text,
            metavar="|".join(row.choices) if row.choices else "VALUE",
            parser=parser(row.name),
        )
        parameters.append(
            inspect.Parameter(
                row.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=row.profiles[""],
                annotation=Annotated[Any, option],
            )
        )
    signed.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    signed.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    command = typer.Typer(add_completion=False)
    command.command()(signed)
    return typer.main.get_command(command).params


def _check_names(params: list[Any], args: list[str], command: str) -> None:
    """Raise UsageError, listing all options, for one that does not exist."""
    known = [name for param in params for name in param.opts if name.startswith("-")]
    for word in args:
        option = word.partition("=")[0]
        if option.startswith("--") and len(option) > 2 and option not in known:
            raise UsageError(f"{option} is not an option of {command}. {choose_from(option, known)}")


def _with_progress(solver: Solver, options: Any) -> Solution:
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

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
        return solver.solve(options, lambda done, total: bar.update(task, completed=done, total=total))


def _show(solution: Solution) -> None:
    from rich.console import Console
    from rich.table import Table

    console = Console()
    for shown in solution.tables():
        # Not the table's own title, which would be wrapped to the width of the table.
        console.print(f"[bold]{shown.title}[/bold]")
        table = Table(*shown.columns)
        for row in shown.rows:
            table.add_row(*row)
        console.print(fitted(console, table))
    for line in solution.lines():
        console.print(line)
