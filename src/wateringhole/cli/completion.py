"""`wateringhole completion`: scripts for the completion of commands in a shell, and what they complete."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Annotated, Any

import typer

from wateringhole.cli.examples import given_words
from wateringhole.errors import OperationError, UsageError
from wateringhole.formatting import choose_from

__all__ = [
    "complete_any_players",
    "complete_compiled_players",
    "complete_games",
    "complete_harnesses",
    "complete_players",
    "complete_rules",
    "complete_sandboxes",
    "completion",
    "register_shells",
]

SHELLS = ("bash", "zsh", "fish")
PROGRAMS = ("wateringhole", "wh")

BASH = """
%(function)s() {
    # Bash splits words at = and :, so join them again.
    local IFS=$'\\n' line="$COMP_LINE" words=() n=-1 piece start
    for piece in "${COMP_WORDS[@]:0:COMP_CWORD+1}"; do
        if [[ n -lt 0 || $line == [[:space:]]* ]]; then
            line="${line#"${line%%%%[![:space:]]*}"}"
            words[++n]="$piece"
        else
            words[n]+="$piece"
        fi
        line="${line#"$piece"}"
    done
    COMPREPLY=( $( env COMP_WORDS="${words[*]}" COMP_CWORD=$n %(variable)s=complete_bash "$1" ) )
    # Bash replaces only what follows the last = or :, and --option= is no part of a value.
    start="${words[n]%%"${words[n]##*[$COMP_WORDBREAKS]}"}"
    [[ $start == --*=* ]] && start="${start#*=}"
    COMPREPLY=( "${COMPREPLY[@]#"$start"}" )
    [[ "${COMPREPLY[*]}" == *= ]] && compopt -o nospace 2>/dev/null
    return 0
}

complete -o default -F %(function)s %(program)s"""
"""Typer's script, for values with = and : in them."""


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
    if shell not in SHELLS:
        raise UsageError(f"there is no completion for {shell!r}. {choose_from(shell, SHELLS)}")
    for program in PROGRAMS:
        print(_script(shell, program, f"_{program.upper()}_COMPLETE"))


def _script(shell: str, program: str, variable: str) -> str:
    if shell == "bash":
        return BASH % {"function": f"_{program}_completion", "program": program, "variable": variable}
    from typer.completion import get_completion_script  # type: ignore[attr-defined]

    return str(get_completion_script(prog_name=program, complete_var=variable, shell=shell))


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


def complete_compiled_players(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the players of the named game that can be simulated, or nothing without the extra."""
    kind = _kind(ctx)
    if kind is None or kind.compiled is None:
        return []
    try:
        return _starting(incomplete, kind.compiled().policies)
    except OperationError:
        return []


def complete_any_players(incomplete: str) -> list[str]:
    """Return the installed players of all games."""
    from wateringhole import registry
    from wateringhole.match.loading import installed

    return _starting(incomplete, dict.fromkeys(player for game in registry.game_names() for player in installed(game)))


def complete_sandboxes(incomplete: str) -> list[str]:
    """Return the values of `--sandbox`."""
    return _starting(incomplete, ["bwrap", "none"])


def complete_rules(ctx: typer.Context, incomplete: str) -> list[str]:
    """Return the profiles and the options of the named game; of a single option, the values."""
    kind = _kind(ctx)
    if kind is None:
        return []
    from wateringhole.options import describe

    values = {
        f"{option.name}=": [f"{option.name}={value}" for value in option.choices or ()]
        for option in describe(kind.profiles)
    }
    name, equals, _ = incomplete.partition("=")
    if equals:
        return _starting(incomplete, values.get(f"{name}=", []))
    named = _starting(incomplete, [*kind.profiles, *values])
    # The common start of the values is the name, which no shell follows by a space.
    return (values.get(named[0]) if len(named) == 1 else None) or named


def _kind(ctx: typer.Context) -> Any:
    from wateringhole import registry

    # Typer has read no argument yet if the value of an option is completed.
    name = next((word for word in given_words(ctx) if word in registry.game_names()), None)
    return name and registry.game_kind(name)


def _starting(incomplete: str, names: Iterable[str]) -> list[str]:
    return [name for name in names if name.startswith(incomplete)]
