"""Tournaments for reports, and a parser for their pages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

from tests.tournaments.tournaments import settings
from wateringhole.tournaments.report.data import ReportData, gather
from wateringhole.tournaments.store import Store
from wateringhole.tournaments.tournament import Tournament

__all__ = ["NASTY_NAMES", "Page", "played_out"]

NASTY_NAMES = (
    "<script>alert(1)</script>",
    "\"'/><img src=x onerror=alert(1)> & $x^2$",
    "王小明的水塘机器人 \x00\x1b[31m\u202e",
    "]]><!-- " + "long " * 30,
)

FAILING = """
from wateringhole.games.evolution.bots.silly import Silly

class Failing(Silly):
    def choose(self, view):
        raise RuntimeError("<b>no</b>")
"""


@contextmanager
def played_out(folder: Path, *players: str, **changes: Any) -> Iterator[tuple[Store, ReportData]]:
    """Play a small tournament, and yield its store and its report data."""
    bot = folder / "failing.py"
    bot.write_text(FAILING)
    store = Store(folder / "store.sqlite")
    try:
        chosen = settings(*(player.replace("failing", f"{bot}:Failing") for player in players), **changes)
        tournament = Tournament.start(store, chosen)
        tournament.play()
        yield store, gather(store, store.tournament(tournament.number))
    finally:
        store.close()


class Page(HTMLParser):
    """A page as a list of elements with their attributes and texts."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str]]] = []
        self.tables: list[list[list[str]]] = []
        self.texts: dict[str, list[str]] = {}
        """The text directly in elements, by tag."""
        self._open: list[str] = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))
        self._open.append(tag)
        if tag == "table":
            self.tables.append([])
        elif tag == "tr":
            self.tables[-1].append([])
        elif tag in ("td", "th"):
            self.tables[-1][-1].append("")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, {name: value or "" for name, value in attrs}))

    def handle_endtag(self, tag: str) -> None:
        while self._open and self._open.pop() != tag:
            pass

    def handle_data(self, data: str) -> None:
        if self._open:
            self.texts.setdefault(self._open[-1], []).append(data)
        if any(tag in ("td", "th") for tag in self._open) and "table" in self._open:
            self.tables[-1][-1][-1] += data

    def all(self, tag: str) -> list[dict[str, str]]:
        return [attributes for name, attributes in self.elements if name == tag]
