"""What a person types, while other things may happen: a clock that runs out, news from somewhere else.

On a screen a line is edited here, letter by letter, so that news can be shown in between and the
question with all that was typed so far stands below them again.  Where the input is no screen
(a pipe, a file) lines are merely read.

There is one keyboard, whoever reads from it: what was read too far belongs to the next.
"""

from __future__ import annotations

import codecs
import contextlib
import functools
import os
import select
import termios
import time
import tty
from collections.abc import Callable, Iterator

from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

__all__ = ["InputTimeout", "Keyboard", "PromptCancelled", "keyboard"]


class InputTimeout(Exception):
    """Nothing was typed in time."""


class PromptCancelled(BaseException):
    """Whoever asked does not want to know any more.  Not an error of whoever was asked, who should let it pass."""


class Keyboard:
    """Where lines are typed, one at a time."""

    def __init__(self, number: int = 0) -> None:
        """`number`: the descriptor to read from."""
        self._number = number
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._typed = ""
        """Whatever has been read and not been taken."""
        self._has_ended = False
        self._watched: tuple[int, Callable[[], None]] | None = None
        self._open: _OpenQuestion | None = None

    def line(self, console: Console, question: Text, deadline: float | None = None) -> str:
        """Ask, and wait for a line.  Raises EOFError where there is none any more, and InputTimeout at the deadline
        (as `time.monotonic` tells it)."""
        asked = _OpenQuestion(console, question, os.isatty(self._number) and console.is_terminal)
        self._open = asked
        try:
            with _letter_by_letter(self._number) if asked.is_screen else contextlib.nullcontext():
                asked.draw()
                while (line := self._take_line(asked)) is None:
                    self._wait(deadline)
                return line
        finally:
            self._open = None
            # Whatever follows begins on a line of its own.
            if asked.is_screen:
                console.print()

    @contextlib.contextmanager
    def watching(self, number: int, look: Callable[[], None]) -> Iterator[None]:
        """While a line is waited for in here, `look` is called whenever a descriptor can be read.

        It may show things, and raise PromptCancelled.
        """
        before, self._watched = self._watched, (number, look)
        try:
            yield
        finally:
            self._watched = before

    @contextlib.contextmanager
    def suspend_prompt(self) -> Iterator[None]:
        """Something is shown in here: an open question steps aside, and stands below it afterwards."""
        asked = self._open
        if asked is None or not asked.is_screen or asked.is_aside:
            yield
            return
        asked.erase()
        try:
            yield
        finally:
            asked.draw()

    def _wait(self, deadline: float | None) -> None:
        """Until something has been typed or has happened elsewhere."""
        numbers = [self._number]
        if self._watched:
            numbers.append(self._watched[0])
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        # Not `epoll`: that knows no files.
        ready = select.select(numbers, [], [], left)[0]
        if not ready:
            raise InputTimeout
        if self._watched and self._watched[0] in ready:
            self._watched[1]()
        if self._number in ready:
            chunk = os.read(self._number, 4096)
            self._has_ended = not chunk
            self._typed += self._decoder.decode(chunk, final=self._has_ended)

    def _take_line(self, asked: _OpenQuestion) -> str | None:
        """The next line, if it is whole."""
        if asked.is_screen:
            while self._typed:
                key, self._typed = self._typed[0], self._typed[1:]
                if asked.press(key):
                    return asked.typed
            if self._has_ended:
                raise EOFError
            return None
        line, end, rest = self._typed.partition("\n")
        if not end and not (self._has_ended and line):
            if self._has_ended:
                raise EOFError
            return None
        self._typed = rest
        return line


class _OpenQuestion:
    """A question on a screen, and what has been typed behind it."""

    def __init__(self, console: Console, question: Text, is_screen: bool) -> None:
        self._console = console
        self._question = question
        self.is_screen = is_screen
        self.is_aside = True
        self.typed = ""
        self._special = ""

    def draw(self) -> None:
        self.is_aside = False
        self._console.print(self._question, Text(self.typed), sep="", end="", soft_wrap=True, highlight=False)
        self._console.file.flush()

    def erase(self) -> None:
        self.is_aside = True
        # A full row has no next one yet.
        rows = max(0, cell_len(self._question.plain + self.typed) - 1) // max(1, self._console.width)
        up = f"\x1b[{rows}A" if rows else ""
        self._console.file.write(f"\r{up}\x1b[J")

    def press(self, key: str) -> bool:
        """One key; whether the line is whole.  Raises EOFError."""
        if self._is_of_a_special_key(key):
            return False
        if key in "\r\n":
            return True
        # Ctrl-D; one that was typed before the question has been made a zero by the system.
        if key in "\x04\0" and not self.typed:
            raise EOFError
        edited = self._edited(key)
        if edited != self.typed:
            self.erase()
            self.typed = edited
            self.draw()
        return False

    def _edited(self, key: str) -> str:
        match key:
            case "\x7f" | "\b":
                return self.typed[:-1]
            case "\x15":  # Ctrl-U
                return ""
            case "\x17":  # Ctrl-W
                return "".join(self.typed.rstrip().rpartition(" ")[:2])
        return self.typed + key if key.isprintable() else self.typed

    def _is_of_a_special_key(self, key: str) -> bool:
        """Arrows and the like come as several letters (`ESC [ 1 ~`, `ESC O A`); nothing is to be done with them."""
        begun, self._special = self._special, ""
        if key == "\x1b" or (begun == "\x1b" and key in "[O"):
            self._special = begun + key
        elif len(begun) > 1 and not "@" <= key <= "~":
            self._special = begun
        return bool(self._special) or len(begun) > 1


@contextlib.contextmanager
def _letter_by_letter(number: int) -> Iterator[None]:
    """The terminal hands over every key as it is pressed and shows nothing by itself; Ctrl-C still works."""
    before = termios.tcgetattr(number)
    tty.setcbreak(number, termios.TCSADRAIN)
    try:
        yield
    finally:
        termios.tcsetattr(number, termios.TCSADRAIN, before)


@functools.cache
def keyboard() -> Keyboard:
    """The keyboard of this process."""
    return Keyboard()
