"""`wateringhole players` and `new-bot`: who there is, and a starting point for one's own."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from wateringhole.cli.common import GameName, Json
from wateringhole.errors import OperationError, UsageError

__all__ = ["new_bot", "players"]


def players(
    game: Annotated[str | None, typer.Argument(metavar="[GAME]", help="{games}; all if omitted.")] = None,
    json: Json = False,
) -> None:
    """List the installed players, ours and those of other packages.

    Example: wateringhole players {game}
    """
    from wateringhole import registry
    from wateringhole.match.loading import describe_installed

    names = [kind.name for kind in registry.kinds()] if game is None else [registry.game_kind(game).name]
    found = {name: describe_installed(name) for name in names}
    if json:
        import msgspec

        print(msgspec.json.encode(found).decode())
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console()
    for name, listed in found.items():
        table = Table(title=name, title_justify="left", show_header=False, box=None)
        for player, text in listed.items():
            table.add_row(f"[bold]{escape(player)}[/bold]", escape(text))
        console.print(table)
    console.print("[dim]Also: bots/mine.py:Mine, package.module:Mine, with ?option=value, and LABEL= in front.[/dim]")


def new_bot(
    game: GameName,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="The Python file to write, e.g. mine.py.")],
    stepwise: Annotated[
        bool, typer.Option("--stepwise", help="Write it in the stepwise style, where a game has one.")
    ] = False,
) -> None:
    """Write a short commented player that runs as it is.

    Example: wateringhole new-bot {game} mine.py
    """
    from wateringhole import fallbacks, registry

    kind = registry.game_kind(game)
    if file.suffix != ".py":
        raise UsageError(f"{file}: a player is written to a Python file; give a name that ends in .py.")
    if file.exists():
        raise UsageError(f"{file} exists already and is left alone; give another name.")
    templates = fallbacks.templates(kind)
    if not templates:
        base = fallbacks.public_name(fallbacks.player_base(kind))
        raise UsageError(f"{game} has no template for a bot; derive a class from {base}.")
    if stepwise and "stepwise" not in templates:
        raise UsageError(f"--stepwise: {game} has no stepwise style; leave the option out.")
    template = templates["stepwise"] if stepwise else next(iter(templates.values()))
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(template.read_text(encoding="utf-8").replace("mine.py", str(file)), encoding="utf-8")
    except OSError as error:
        raise OperationError(f"{file} cannot be written: {error.strerror}.") from None
    others = " ".join(fallbacks.usual_bots(kind, max(2, kind.seats[0] - 1)))
    print(f"wrote {file}; see it play with:\n  wateringhole play {game} {file}:Mine {others}")
