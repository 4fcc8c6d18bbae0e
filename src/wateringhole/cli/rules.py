"""`wateringhole rules`: the rulebook, the profiles and the options, from the same data as the code."""

from __future__ import annotations

from typing import Annotated, Any

import typer

from wateringhole import fallbacks
from wateringhole.cli.common import Json
from wateringhole.cli.completion import complete_games

__all__ = ["rules"]


def rules(
    game: Annotated[
        str | None,
        typer.Argument(
            metavar="GAME", help="Game: {games}; a summary of all if omitted.", autocompletion=complete_games
        ),
    ] = None,
    json: Json = False,
) -> None:
    """Show the rules of a game, its profiles and its options.

    Example: wateringhole rules {game}
    """
    from wateringhole import registry
    from wateringhole.options import describe

    names = [kind.name for kind in registry.kinds()] if game is None else [game]
    kinds = [registry.game_kind(name) for name in names]
    if json:
        import msgspec

        book = {
            kind.name: {
                "title": kind.title,
                "rulebook": fallbacks.rulebook(kind),
                "profiles": list(kind.profiles),
                "options": describe(kind.profiles),
            }
            for kind in kinds
        }
        print(msgspec.json.encode(book).decode())
        return
    for kind in kinds:
        _show(kind, whole=game is not None)


def _show(kind: Any, *, whole: bool) -> None:
    from rich.console import Console
    from rich.markdown import Markdown

    from wateringhole.options import describe

    console = Console()
    if not whole:
        console.print(f"[bold]{kind.name}[/bold]  {kind.title}", highlight=False)
        console.print(f"[dim]profiles: {', '.join(kind.profiles)}; more with: wateringhole rules {kind.name}[/dim]\n")
        return
    console.print(Markdown(fallbacks.rulebook(kind)))
    console.print("[bold]Options[/bold], given as --rules name=value; profiles as --rules name\n")
    default = next(iter(kind.profiles))
    for option in describe(kind.profiles):
        others = [
            f"{profile} {value}" for profile, value in option.profiles.items() if value != option.profiles[default]
        ]
        console.print(f"[bold]{option.name}[/bold]  [dim]{option.values}[/dim]", highlight=False)
        console.print(f"  {option.text}", highlight=False)
        console.print(
            f"  {default} {option.profiles[default]}{''.join(f'; {other}' for other in others)}\n", highlight=False
        )
