"""`wateringhole rules`: the rulebook, the profiles and the options, from the data the code uses."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from wateringhole.cli.common import Json

__all__ = ["rules"]


def rules(
    game: Annotated[
        str | None, typer.Argument(metavar="[GAME]", help="evolution or porrinha; none: both in short.")
    ] = None,
    json: Json = False,
) -> None:
    """Show the rules of a game, its profiles and its options.

    Example: wateringhole rules evolution
    """
    from wateringhole import catalogue
    from wateringhole.options import describe

    names = catalogue.GAMES if game is None else (game,)
    kinds = [catalogue.game(name) for name in names]
    if json:
        import msgspec

        book = {kind.name: {"title": kind.title, "options": describe(kind.rules, kind.profiles)} for kind in kinds}
        print(msgspec.json.encode(book).decode())
        return
    for kind in kinds:
        _show(kind, whole=game is not None)


def _show(kind: Any, *, whole: bool) -> None:
    from rich.console import Console
    from rich.markdown import Markdown
    from rich.table import Table

    from wateringhole.options import describe

    console = Console()
    if not whole:
        console.print(f"[bold]{kind.name}[/bold]  {kind.title}", highlight=False)
        console.print(f"[dim]profiles: {', '.join(kind.profiles)}; more with: wateringhole rules {kind.name}[/dim]\n")
        return
    console.print(Markdown(kind.rulebook()))
    table = Table(title="Options (--rules name=value) and profiles (--rules profile)", title_justify="left")
    table.add_column("option", no_wrap=True)
    table.add_column("values")
    for profile in kind.profiles:
        table.add_column(profile)
    table.add_column("meaning")
    default = next(iter(kind.profiles))
    for option in describe(kind.rules, kind.profiles):
        values = [
            value if profile == default or value != option.profiles[default] else "[dim]·[/dim]"
            for profile, value in option.profiles.items()
        ]
        table.add_row(option.name, option.values, *values, option.text)
    console.print(table)
    console.print(f"[dim]A dot: as in {default}.[/dim]")
