"""Output, numbered menus and prompts for a human at a terminal, for any game.

It works on a screen and with piped input.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Generic, TypeVar

from rich.console import Console, RenderableType
from rich.table import Table
from rich.text import Text

from wateringhole.formatting import escape
from wateringhole.terminal.keyboard import keyboard

__all__ = ["Choice", "Terminal"]

T = TypeVar("T")


@dataclass(frozen=True)
class Choice(Generic[T]):
    """One line of a numbered menu."""

    label: str
    """With Rich markup."""
    value: T
    key: str = ""
    """A letter that selects it like its number."""
    why_blocked: str | None = None
    """Why it cannot be chosen now, in markup, or None.  The menu shows it, and prints the reason when it is chosen."""


class Terminal:
    """A terminal.  Reading raises EOFError or KeyboardInterrupt if the human leaves, or `keyboard.InputTimeout`."""

    def __init__(
        self,
        console: Console | None = None,
        read: Callable[[str], str] | None = None,
        help: Mapping[str, Callable[[], None]] | None = None,
    ) -> None:
        """`read` returns a line instead of the keyboard; `help` has functions to call for words typed at any
        prompt."""
        self.console = console or Console(highlight=False)
        self._deadline: float | None = None
        self._read = read or self._prompt
        self._help = help or {}
        self._words: list[str] = []

    @property
    def is_ahead(self) -> bool:
        """Whether the answer to the next prompt was typed ahead."""
        return bool(self._words)

    def show(self, *things: RenderableType) -> None:
        """Print strings of Rich markup, in which names of players must be escaped, or other renderables."""
        with keyboard().suspend_prompt():
            for thing in things:
                self.console.print(thing, highlight=False, emoji=False)

    @contextmanager
    def time_limit(self, seconds: float | None) -> Iterator[None]:
        """Limit the time for all prompts in the block together, or not at all if `seconds` is None."""
        self._deadline = None if seconds is None else time.monotonic() + seconds
        try:
            yield
        finally:
            self._deadline = None

    def forget(self) -> None:
        """Drop the words typed ahead, which were meant for another prompt."""
        self._words.clear()

    def refuse(self, why: str) -> None:
        """Print why something is not possible, in markup, and drop the words typed ahead."""
        self.forget()
        self.show(f"  Not possible: {why.rstrip('.')}.")

    def ask(self, prompt: str) -> str:
        """Return the next word; several words on a line answer several prompts."""
        while True:
            while not self._words:
                self._words = self._read(f"{prompt} > ").split()
            word = self._words.pop(0)
            if word not in self._help:
                return word
            self._help[word]()

    def ask_line(self, prompt: str) -> str:
        """Return a line, which may be empty."""
        while True:
            line = self._read(f"{prompt} > ").strip()
            if line not in self._help:
                return line
            self._help[line]()

    def ask_number(self, prompt: str, numbers: range) -> int:
        while True:
            word = self.ask(f"{prompt}, {numbers[0]} to {numbers[-1]}")
            if (number := _number(word)) in numbers:
                return number
            self.refuse(f"{escape(repr(word))} is not a number from {numbers[0]} to {numbers[-1]}")

    def choose(self, prompt: str, choices: Sequence[Choice[T]], *, back: str | None = None) -> T | None:
        """Return the value of the choice, or None if the human goes back."""
        menu = _menu(choices, back)
        is_shown = not self.is_ahead
        if is_shown:
            self.show(menu)
        keys = {choice.key: choice for choice in choices if choice.key}
        while True:
            word = self.ask(prompt).lower()
            if back and word == "0":
                return None
            if word in keys or 1 <= _number(word) <= len(choices):
                choice = keys[word] if word in keys else choices[_number(word) - 1]
                if choice.why_blocked is None:
                    return choice.value
                why_blocked = choice.why_blocked
            else:
                letters = f" or one of the letters {' '.join(keys)}" if keys else ""
                numbers = f"a number from {0 if back else 1} to {len(choices)}"
                why_blocked = f"{escape(repr(word))} is not {numbers}{letters}"
            self.refuse(why_blocked)
            if not is_shown:
                self.show(menu)
                is_shown = True

    def _prompt(self, prompt: str) -> str:
        return keyboard().line(self.console, Text(prompt, style="bold"), self._deadline)


def _menu(choices: Sequence[Choice[T]], back: str | None) -> Table:
    """Return the menu, with the keys in yellow and blocked choices dimmed."""
    menu = Table.grid(padding=(0, 1))
    menu.add_column(justify="right", width=4)
    if any(choice.key for choice in choices):
        menu.add_column(width=1)
    menu.add_column()
    for number, choice in enumerate(choices, 1):
        faded = choice.why_blocked is not None
        cells = [Text(str(number), style="dim" if faded else "bold yellow")]
        if len(menu.columns) == 3:
            cells.append(Text(choice.key, style="dim" if faded else "yellow"))
        menu.add_row(*cells, Text.from_markup(choice.label, emoji=False, style="dim" if faded else ""))
    if back:
        menu.add_row(Text("0", style="bold yellow"), *([""] * (len(menu.columns) - 2)), back)
    return menu


def _number(word: str) -> int:
    """Return a typed number of at most nine digits, or -1."""
    return int(word) if word.isdecimal() and len(word) < 10 else -1
