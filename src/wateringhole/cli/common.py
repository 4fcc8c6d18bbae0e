"""Options and helpers that several commands share."""

from __future__ import annotations

import contextlib
import math
import os
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import typer

from wateringhole.cli.completion import complete_games, complete_rules
from wateringhole.errors import OperationError, UsageError
from wateringhole.formatting import choose_from
from wateringhole.game import AnyKind
from wateringhole.options import parse_rules
from wateringhole.seeds import Seed, new_seed, parse_seed
from wateringhole.texts import LANGUAGES

__all__ = [
    "DealWords",
    "Deck",
    "GameName",
    "Json",
    "LogFolder",
    "PageLanguage",
    "Quiet",
    "RecordFolder",
    "RuleWords",
    "SeedText",
    "Traits",
    "check_seconds",
    "chosen_seed",
    "deal_choices",
    "page_language",
    "protect_stdout",
    "read_file",
    "rules_of",
    "split_players",
]

GameName = Annotated[str, typer.Argument(metavar="GAME", help="Game: {games}.", autocompletion=complete_games)]
RuleWords = Annotated[
    list[str] | None,
    typer.Option(
        "--rules",
        metavar="RULES",
        help="Profile or option=value; repeatable, applied in order.",
        autocompletion=complete_rules,
    ),
]
DealWords = Annotated[
    list[str] | None,
    typer.Option("--deal", metavar="NAME=VALUE", help="Option of the deal; repeatable. {deal_options}."),
]
Traits = Annotated[str | None, typer.Option(metavar="FILE", help="Short for --deal traits=FILE.")]
Deck = Annotated[str | None, typer.Option(metavar="VALUE", help="Short for --deal deck=VALUE.")]
RecordFolder = Annotated[
    Path | None, typer.Option("--record", metavar="DIR", help="Folder to write a record of each game to.")
]
SeedText = Annotated[
    str | None, typer.Option("--seed", metavar="SEED", help="Random seed; if omitted, a secret one is drawn.")
]
LogFolder = Annotated[
    Path | None, typer.Option("--log", metavar="DIR", help="Folder for players' standard error, one file each.")
]


def _check_language(language: str | None) -> str | None:
    if language is not None and language not in LANGUAGES:
        raise UsageError(f"--language {language}: there is no such language. {choose_from(language, LANGUAGES)}")
    return language


PageLanguage = Annotated[
    str | None,
    typer.Option(
        "--language", metavar="CODE", callback=_check_language, help="Language of the page: en (default) or pt."
    ),
]
Quiet = Annotated[bool, typer.Option("--quiet", "-q", help="Print only the result.")]
Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]


def page_language(language: str | None, html: Path | None) -> str:
    """Return the language of an exported page.  Raises UsageError for a language without a page."""
    if language is not None and html is None:
        raise UsageError(f"--language {language}: only a page has a language. Write one with --html OUT.")
    return language or "en"


@contextlib.contextmanager
def protect_stdout(*, as_json: bool, has_time_limit: bool = True) -> Iterator[None]:
    """Protect standard output while players' code may run in this process.

    With `as_json`, output of players goes to standard error.  If the user interrupts a player, print
    the line of code that it was executing, and the option that limits its time if the command has it.
    """
    try:
        # A process may have been started without standard output.
        with _stdout_to_stderr() if as_json and sys.stdout else contextlib.nullcontext():
            yield
    except KeyboardInterrupt as error:
        from wateringhole.player import author_line

        if line := author_line(error):
            advice = " With --time-limit 10, a player that takes longer than 10 seconds forfeits instead."
            print(f"\nwateringhole: interrupted in {line}.{advice if has_time_limit else ''}", file=sys.stderr)
        raise


@contextlib.contextmanager
def _stdout_to_stderr() -> Iterator[None]:
    """Redirect standard output to standard error, including that of C libraries and child processes."""
    sys.stdout.flush()
    kept = os.dup(1)
    os.dup2(2, 1)
    try:
        with contextlib.redirect_stdout(sys.stderr):
            yield
    finally:
        # Code that kept a reference to the old stream may have written to it.
        sys.stdout.flush()
        os.dup2(kept, 1)
        os.close(kept)


def rules_of(kind: AnyKind, words: list[str] | None) -> Any:
    """Return the rules that the words of `--rules` describe."""
    return parse_rules(words or (), kind.profiles)


def split_players(lists: list[str]) -> list[str]:
    """Split lists of players at commas; a program comes last in its list and keeps all that follows."""
    specs = []
    for each in lists:
        program = re.search(r"(?:^|,)(?:[^=?:/\\,]+=)?cmd(?:\*\d+)?:", each)
        specs += each.split(",", each.count(",", 0, program.end()) if program else -1)
    return specs


def chosen_seed(text: str | None) -> Seed:
    """Return the seed that a user gave, or draw one.  Raises UsageError for a text that is no seed."""
    return new_seed() if text is None else parse_seed(text)


def check_seconds(*, finite: bool = False, **options: float | None) -> None:
    """Raise UsageError for an option, named as its parameter, that is no positive (and finite) number of seconds."""
    for name, seconds in options.items():
        if seconds is not None and not (0 < seconds < math.inf if finite else seconds > 0):
            expected = "a positive, finite number of seconds" if finite else "a positive number of seconds"
            raise UsageError(f"--{name.replace('_', '-')} {seconds:g}: expected {expected}.")


def read_file(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise OperationError(f"{path} cannot be read: {error.strerror}.") from None


def deal_choices(kind: AnyKind, deal: list[str] | None, **short: str | None) -> dict[str, Any]:
    """Return the further arguments of the game's `deal` that `--deal` and its `short` forms, e.g. `--deck`, give.

    Raises UsageError for an option that the game does not have, and for a value that it does not take.
    """
    for each in deal or ():
        if "=" not in each:
            raise UsageError(f"--deal {each}: expected NAME=VALUE.")
    given = [(f"--deal {each}", *each.partition("=")[::2]) for each in deal or ()]
    given += [(f"--{name} {value}", name, value) for name, value in short.items() if value is not None]
    choices = {}
    for typed, name, value in given:
        try:
            choices[name] = kind.deal_option(name).parse(value)
        except UsageError as error:
            raise UsageError(f"{typed}: {error}") from None
    return choices
