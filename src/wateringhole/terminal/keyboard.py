"""Lines typed by a human, while a clock may run out or messages may arrive.

On a screen, a line is edited here, key by key, so that messages can be printed above the prompt and
the text typed so far.  From a pipe or a file, lines are just read.

All readers share one keyboard: input that was read too far belongs to the next reader.
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

__all__ = ["InputTimeout", "Keyboard", "keyboard"]


class InputTimeout(Exception):
    """No line was typed before the deadline."""


class Keyboard:
    """The source of typed lines, one at a time."""

    def __init__(self, number: int = 0) -> None:
        """`number`: the descriptor to read from."""
        self._number = number
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._typed = ""
        """Input that has been read and not been taken."""
        self._has_ended = False
        self._watched: tuple[int, Callable[[], None]] | None = None
        self._open: _Prompt | None = None

    def line(self, console: Console, text: Text, deadline: float | None = None) -> str:
        """Print a prompt and wait for a line.  Raises EOFError at the end of the input, and InputTimeout at the
        deadline on the clock of `time.monotonic`."""
        prompt = _Prompt(console, text, os.isatty(self._number) and console.is_terminal)
        self._open = prompt
        try:
            with _unbuffered(self._number) if prompt.is_screen else contextlib.nullcontext():
                prompt.draw()
                while (line := self._take_line(prompt)) is None:
                    self._wait(deadline)
                return line
        finally:
            self._open = None
            # The next output begins on a new line.
            if prompt.is_screen:
                console.print()

    @contextlib.contextmanager
    def watching(self, number: int, look: Callable[[], None]) -> Iterator[None]:
        """Call `look` whenever a descriptor becomes readable while a prompt in this block waits.

        `look` may print, and raise PromptCancelled.
        """
        before, self._watched = self._watched, (number, look)
        try:
            yield
        finally:
            self._watched = before

    @contextlib.contextmanager
    def suspend_prompt(self) -> Iterator[None]:
        """Erase an open prompt for the block, which prints something, and draw it again below."""
        prompt = self._open
        if prompt is None or not prompt.is_screen or prompt.is_aside:
            yield
            return
        prompt.erase()
        try:
            yield
        finally:
            prompt.draw()

    def _wait(self, deadline: float | None) -> None:
        """Wait until something has been typed or the watched descriptor is readable."""
        numbers = [self._number]
        if self._watched:
            numbers.append(self._watched[0])
        left = None if deadline is None else max(0.0, deadline - time.monotonic())
        # Not `epoll`, which does not support files.
        ready = select.select(numbers, [], [], left)[0]
        if not ready:
            raise InputTimeout
        if self._watched and self._watched[0] in ready:
            self._watched[1]()
        if self._number in ready:
            chunk = os.read(self._number, 4096)
            self._has_ended = not chunk
            self._typed += self._decoder.decode(chunk, final=self._has_ended)

    def _take_line(self, prompt: _Prompt) -> str | None:
        """Return the next line, or None if it is not complete."""
        if prompt.is_screen:
            while self._typed:
                key, self._typed = self._typed[0], self._typed[1:]
                if prompt.press(key):
                    return prompt.typed
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


class _Prompt:
    """A prompt on a screen, with the text typed so far."""

    def __init__(self, console: Console, text: Text, is_screen: bool) -> None:
        self._console = console
        self._text = text
        self.is_screen = is_screen
        self.is_aside = True
        self.typed = ""
        self._special = ""

    def draw(self) -> None:
        self.is_aside = False
        self._console.print(self._text, Text(self.typed), sep="", end="", soft_wrap=True, highlight=False)
        self._console.file.flush()

    def erase(self) -> None:
        self.is_aside = True
        # A full row has no next one yet.
        rows = max(0, cell_len(self._text.plain + self.typed) - 1) // max(1, self._console.width)
        up = f"\x1b[{rows}A" if rows else ""
        self._console.file.write(f"\r{up}\x1b[J")

    def press(self, key: str) -> bool:
        """Handle a key.  Return whether the line is complete.  Raises EOFError."""
        if self._is_escape_sequence(key):
            return False
        if key in "\r\n":
            return True
        # Ctrl-D; the terminal turns one typed before the prompt into a zero byte.
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

    def _is_escape_sequence(self, key: str) -> bool:
        """Return whether a key is part of an escape sequence (`ESC [ 1 ~`, `ESC O A`), which is ignored."""
        begun, self._special = self._special, ""
        if key == "\x1b" or (begun == "\x1b" and key in "[O"):
            self._special = begun + key
        elif len(begun) > 1 and not "@" <= key <= "~":
            self._special = begun
        return bool(self._special) or len(begun) > 1


@contextlib.contextmanager
def _unbuffered(number: int) -> Iterator[None]:
    """Switch the terminal to unbuffered input without echo; Ctrl-C still works."""
    before = termios.tcgetattr(number)
    tty.setcbreak(number, termios.TCSADRAIN)
    try:
        yield
    finally:
        termios.tcsetattr(number, termios.TCSADRAIN, before)


@functools.cache
def keyboard() -> Keyboard:
    """Return the keyboard of this process."""
    return Keyboard()
