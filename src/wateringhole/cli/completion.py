"""`wateringhole completion`: scripts for the completion of commands in a shell, and what they complete."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

import typer

from wateringhole.cli.examples import given_words
from wateringhole.errors import UsageError
from wateringhole.formatting import choose_from

__all__ = [
    "complete_games",
    "complete_harnesses",
    "complete_players",
    "complete_rules",
    "completion",
    "register_shells",
]

SHELLS = ("bash", "zsh", "fish")
PROGRAMS = ("wateringhole", "wh")


def _complete_shells(incomplete: str) -> list[str]:
    return _starting(incomplete, SHELLS)


def completion(
    shell: Annotated[
        str, typer.Argument(metavar="SHELL", help="Shell: bash, zsh or fish.", autocompletion=_complete_shells)
    ],
) -> None:
    """Print a script that completes commands, options, games, players and rules with the tab key.

    For bash, put this line into ~/.bashrc: eval "$(wateringhole completion bash)".  For zsh, put it into ~/.zshrc,
    after compinit.  For fish: wateringhole completion fish > ~/.config/fish/conf.d/wateringhole.fish

    Example: wateringhole completion bash
    """
    from typer.completion import get_completion_script  # type: ignore[attr-defined]

    if shell not in SHELLS:
        raise UsageError(f"there is no completion for {shell!r}. {choose_from(shell, SHELLS)}")
    for program in PROGRAMS:
        print(get_completion_script(prog_name=program, complete_var=f"_{program.upper()}_COMPLETE", shell=shell))


def register_shells() -> None:
    """Let the scripts ask this program for completions."""
    from typer.completion import completion_init  # type: ignore[attr-defined]

    completion_init()


def complete_games(incomplete: str) -> list[str]:
    """Return the games whose names start with a text."""
    from wateringhole import registry

    return _starting(incomplete, registry.game_names())


def complete_harnesses(incomplete: str) -> list[str]:
    """Return the harnesses of all games whose names start with a text."""
    from wateringhole import registry

    return _starting(incomplete, [name for kind in registry.kinds() if kind.harnesses for name in kind.harnesses()])


def complete_players(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the installed players of the named game; without any, the shell completes files."""
    kind = _kind(ctx)
    if kind is None:
        return []
    from wateringhole.match.loading import installed

    return _starting(incomplete, installed(kind.name))


def complete_rules(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the profiles and the options of the named game."""
    kind = _kind(ctx)
    if kind is None:
        return []
    from wateringhole.options import describe

    return _starting(incomplete, [*kind.profiles, *(f"{option.name}=" for option in describe(kind.profiles))])


def _kind(ctx: typer.Context) -> Any:
    from wateringhole import registry

    # Typer has read no argument yet if the value of an option is completed.
    name = next((word for word in given_words(ctx) if word in registry.game_names()), None)
    return name and registry.game_kind(name)


def _starting(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
