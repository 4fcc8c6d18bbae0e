"""Options that several commands share."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from wateringhole.errors import Failure
from wateringhole.game import Kind
from wateringhole.options import choose_rules

__all__ = ["GameName", "Json", "RuleWords", "read_file", "rules_of"]

GameName = Annotated[str, typer.Argument(metavar="GAME", help="evolution or porrinha.")]
RuleWords = Annotated[
    list[str] | None,
    typer.Option("--rules", metavar="RULES", help="A profile or option=value; may be given several times, in order."),
]
Json = Annotated[bool, typer.Option("--json", help="Answer in JSON, for programs.")]


def rules_of(kind: Kind[Any, Any], words: list[str] | None) -> Any:
    """The rules that the words of `--rules` name."""
    return choose_rules(words or (), kind.rules, kind.profiles)


def read_file(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise Failure(f"{path} cannot be read: {error.strerror}.") from None
