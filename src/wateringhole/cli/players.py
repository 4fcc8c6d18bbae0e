"""`wateringhole players` and `new-bot`: the installed players, and a starting point for a new one."""

from __future__ import annotations

import shlex
from pathlib import Path
from typing import Annotated

import typer

from wateringhole.cli.common import GameName, Json
from wateringhole.cli.completion import complete_games
from wateringhole.cli.tables import fitted
from wateringhole.errors import OperationError, UsageError

__all__ = ["new_bot", "players"]


def players(
    game: Annotated[
        str | None,
        typer.Argument(metavar="GAME", help="Game: {games}; all if omitted.", autocompletion=complete_games),
    ] = None,
    json: Json = False,
) -> None:
    """List built-in players and those from other packages.

    Example: wateringhole players {game}
    """
    from wateringhole import registry
    from wateringhole.levels import HIGHEST, levels
    from wateringhole.match.loading import describe_installed

    names = [kind.name for kind in registry.kinds()] if game is None else [registry.game_kind(game).name]
    found = {name: describe_installed(name) for name in names}
    if json:
        import msgspec

        rated_by_game = {name: levels(registry.game_kind(name)).players for name in names}
        print(msgspec.json.encode({**found, "levels": rated_by_game}).decode())
        return
    from rich.console import Console
    from rich.markup import escape
    from rich.table import Table

    console = Console()
    for name, listed in found.items():
        table = Table(title=name, title_justify="left", show_header=False, box=None)
        rated = levels(registry.game_kind(name)).players
        for player, text in listed.items():
            level = f"level {rated[player].level} of {HIGHEST}" if player in rated else ""
            table.add_row(f"[bold]{escape(player)}[/bold]", level, escape(text))
        console.print(fitted(console, table))
    console.print("[dim]Also: bots/mine.py:Mine, package.module:Mine, with ?option=value, and LABEL= in front.[/dim]")


def new_bot(
    game: GameName,
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Python file to write, e.g. mine.py.")],
    stepwise: Annotated[
        bool, typer.Option("--stepwise", help="Write a stepwise player, if the game supports it.")
    ] = False,
) -> None:
    """Write a short, commented bot that can play at once.

    Example: wateringhole new-bot {game} mine.py
    """
    from wateringhole import fallbacks, registry

    kind = registry.game_kind(game)
    if file.suffix != ".py":
        raise UsageError(f"{file}: expected the name of a Python file, ending in .py.")
    if file.exists():
        raise UsageError(f"{file} exists already. Choose another name.")
    templates = fallbacks.templates(kind)
    if not templates:
        base = fallbacks.public_name(fallbacks.player_base(kind))
        raise UsageError(f"{game} has no template for a bot. Derive a class from {base}.")
    if stepwise and "stepwise" not in templates:
        raise UsageError(f"--stepwise: {game} does not support stepwise players. Omit the option.")
    template = templates["stepwise"] if stepwise else next(iter(templates.values()))
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(template.read_text(encoding="utf-8").replace("mine.py", str(file)), encoding="utf-8")
    except OSError as error:
        raise OperationError(f"{file} cannot be written: {error.strerror}.") from None
    others = fallbacks.usual_bots(kind, max(2, kind.seats[0] - 1))
    print(f"wrote {file}; try it with:\n  {shlex.join(['wateringhole', 'play', game, f'{file}:Mine', *others])}")
