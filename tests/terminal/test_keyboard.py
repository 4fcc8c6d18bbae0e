"""Input from a real pseudo-terminal or a pipe, also while output appears."""

from __future__ import annotations

import contextlib
import io
import os
import pty
import termios
import time
from collections.abc import Callable, Iterator

import pytest
from rich.console import Console
from rich.text import Text

from wateringhole.errors import PromptCancelled
from wateringhole.terminal.keyboard import InputTimeout, Keyboard

PROMPT = Text("How many > ")


@contextlib.contextmanager
def terminal() -> Iterator[tuple[int, int]]:
    """Open a terminal.  Yield the human's end and the program's end."""
    human_end, program_end = pty.openpty()
    try:
        yield human_end, program_end
    finally:
        os.close(human_end)
        os.close(program_end)


@contextlib.contextmanager
def pipe() -> Iterator[tuple[int, int]]:
    program_end, human_end = os.pipe()
    try:
        yield human_end, program_end
    finally:
        os.close(program_end)
        with contextlib.suppress(OSError):
            os.close(human_end)


def screen(width: int = 80) -> Console:
    return Console(file=io.StringIO(), force_terminal=True, width=width, color_system=None)


class Watched(io.StringIO):
    """A screen that calls a function when it first shows a text."""

    def __init__(self, text: str, act: Callable[[], object]) -> None:
        super().__init__()
        self._text = text
        self._act: Callable[[], object] | None = act

    def write(self, text: str) -> int:
        written = super().write(text)
        if self._act and self.getvalue().endswith(self._text):
            act, self._act = self._act, None
            act()
        return written


def shown(console: Console) -> str:
    assert isinstance(console.file, io.StringIO)
    return console.file.getvalue()


KEYS = {
    "letters": ("two\n", "two"),
    "carriage return": ("two\r", "two"),
    "nothing": ("\n", ""),
    "backspace": ("twx\x7fo\n", "two"),
    "backspace in an empty line": ("\x7f\btwo\n", "two"),
    "Ctrl-U": ("one\x15two\n", "two"),
    "Ctrl-W": ("one two \x17three\n", "one three"),
    "Ctrl-D after text": ("two\x04\n", "two"),
    "arrows": ("t\x1b[Aw\x1b[1;5Do\x1bOB\n", "two"),
    "a function key": ("\x1b[15~two\n", "two"),
    "escape alone": ("\x1btwo\n", "two"),
    "beyond ASCII": ("zwölf ┃ 三\n", "zwölf ┃ 三"),
    "control characters": ("t\x01w\x07o\n", "two"),
}


@pytest.mark.parametrize("name", KEYS)
def test_keys_edit_the_line(name: str) -> None:
    keys, line = KEYS[name]
    console = screen()
    with terminal() as (human_end, program_end):
        # Type only after the prompt appears: before that, the system edits the line.
        console.file = Watched("How many > ", lambda: os.write(human_end, keys.encode()))
        assert Keyboard(program_end).line(console, PROMPT) == line


def test_the_terminal_settings_are_restored() -> None:
    with terminal() as (_, program_end):
        before = termios.tcgetattr(program_end)
        with pytest.raises(InputTimeout):
            Keyboard(program_end).line(screen(), PROMPT, time.monotonic())
        assert termios.tcgetattr(program_end) == before


@pytest.mark.parametrize("typed_ahead", [True, False])
def test_ctrl_d_in_an_empty_line_ends_the_input(typed_ahead: bool) -> None:
    console = screen()
    with terminal() as (human_end, program_end):
        if typed_ahead:
            os.write(human_end, b"\x04")
        else:
            console.file = Watched("How many > ", lambda: os.write(human_end, b"\x04"))
        with pytest.raises(EOFError):
            Keyboard(program_end).line(console, PROMPT)


def test_a_pipe_is_read_line_by_line_to_its_end() -> None:
    with pipe() as (human_end, program_end):
        os.write(human_end, b"one\ntwo\n\nlast")
        os.close(human_end)
        keyboard = Keyboard(program_end)
        console = Console(file=io.StringIO())
        assert [keyboard.line(console, PROMPT) for _ in range(4)] == ["one", "two", "", "last"]
        with pytest.raises(EOFError):
            keyboard.line(console, PROMPT)
        assert shown(console) == "How many > " * 5


def test_a_file_is_read_like_a_pipe(tmp_path: object) -> None:
    path = f"{tmp_path}/typed"
    with open(path, "w") as file:
        file.write("one\n")
    number = os.open(path, os.O_RDONLY)
    try:
        assert Keyboard(number).line(Console(file=io.StringIO()), PROMPT) == "one"
    finally:
        os.close(number)


@pytest.mark.parametrize("typed", [b"", b"half a line"])
def test_an_unfinished_line_times_out(typed: bytes) -> None:
    with pipe() as (human_end, program_end):
        os.write(human_end, typed)
        with pytest.raises(InputTimeout):
            Keyboard(program_end).line(Console(file=io.StringIO()), PROMPT, time.monotonic() + 0.1)


@pytest.mark.parametrize(("width", "up"), [(80, ""), (10, "\x1b[1A"), (5, "\x1b[2A"), (14, ""), (13, "\x1b[1A")])
def test_output_replaces_the_prompt_and_the_prompt_reappears_below(width: int, up: str) -> None:
    console = screen(width)
    with terminal() as (human_end, program_end), pipe() as (far, near):
        keyboard = Keyboard(program_end)

        def look() -> None:
            os.read(near, 1)
            with keyboard.suspend_prompt():
                console.file.write("NEWS\n")
            os.write(human_end, b"\n")

        console.file = Watched("How many > two", lambda: os.write(far, b"x"))
        os.write(human_end, b"two")
        with keyboard.watching(near, look):
            assert keyboard.line(console, PROMPT) == "two"
    assert f"\r{up}\x1b[JNEWS\nHow many > two" in shown(console)


def test_a_prompt_can_be_cancelled() -> None:
    def look() -> None:
        raise PromptCancelled

    with terminal() as (_, program_end), pipe() as (far, near):
        keyboard = Keyboard(program_end)
        os.write(far, b"x")
        with keyboard.watching(near, look), pytest.raises(PromptCancelled):
            keyboard.line(screen(), PROMPT)
        # The pipe is no longer watched.
        with pytest.raises(InputTimeout):
            keyboard.line(screen(), PROMPT, time.monotonic())
