"""No source outside a game's folder names the game or anything that belongs to it."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import wateringhole
from wateringhole.games.evolution.bots import BOTS as EVOLUTION_BOTS
from wateringhole.games.evolution.rules.traits import Trait
from wateringhole.games.porrinha.bots import BOTS as PORRINHA_BOTS

PACKAGE = Path(wateringhole.__file__).parent
GAMES = PACKAGE / "games"

KINDS = {".py", ".js", ".html", ".css"}

PLAIN_ENGLISH = {
    "counter": "a number that counts, and a class of `collections`",
    "equilibrium": "a term of game theory",
    "human": "a player who is not a bot",
    "random": "chance, and a module of Python",
    "zero": "a number",
    "search": "a search in a path, a text or a game",
}
"""Names of bots that have another meaning outside of games, and that meaning."""

NAMES = {
    *(folder.name for folder in GAMES.iterdir() if (folder / "kind.py").exists()),
    *(trait.value for trait in Trait),
    *({*EVOLUTION_BOTS.players, *PORRINHA_BOTS.players} - set(PLAIN_ENGLISH)),
    *("chopstick", "chopsticks", "stick", "sticks"),
}


def found(line: str) -> list[str]:
    """Return the names in a line, however they are joined to other words."""
    words = re.sub(r"(?<=[a-z0-9])(?=[A-Z])|[-_]", " ", line).lower()
    return [name for name in NAMES if re.search(rf"\b{name.replace('-', ' ')}\b", words)]


def _without_examples(text: str) -> list[str]:
    """Return the lines of a source; those of examples in docstrings, which tests run with real games, are empty."""
    lines = text.splitlines()
    for example in doctest.DocTestParser().get_examples(text):
        length = example.source.count("\n") + example.want.count("\n")
        lines[example.lineno : example.lineno + length] = [""] * length
    return lines


def test_names_are_found_in_every_spelling() -> None:
    spellings = "evolution", "Evolution's", "evolutionPage", "EVOLUTION_KIND", "js/evolution/board.js"
    assert all(found(spelling) == ["evolution"] for spelling in spellings)
    assert found("hard_shell_gap") == found("hardShell") == found("hard-shell") == found("HARD_SHELL") == ["hard-shell"]
    assert found("an evolutionary step, position: sticky") == []
    assert set(PLAIN_ENGLISH) <= {*EVOLUTION_BOTS.players, *PORRINHA_BOTS.players}


def test_no_source_outside_of_the_games_names_one() -> None:
    sources = [source for source in PACKAGE.rglob("*") if source.suffix in KINDS and GAMES not in source.parents]
    assert len(sources) > 100
    named = [
        f"{source.relative_to(PACKAGE)}:{number}:{name}"
        for source in sorted(sources)
        for number, line in enumerate(_without_examples(source.read_text(encoding="utf-8")), 1)
        for name in found(line)
    ]
    assert not named, "\n" + "\n".join(named)


def test_no_source_file_outside_of_the_games_is_named_after_one() -> None:
    tracked = (path for path in PACKAGE.rglob("*") if "__pycache__" not in path.parts)
    paths = [path.relative_to(PACKAGE) for path in tracked if path != GAMES and GAMES not in path.parents]
    assert [str(path) for path in paths if found(str(path))] == []
