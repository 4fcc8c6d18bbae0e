"""What is typed at a real pseudo-terminal or comes through a pipe, while other things happen."""

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

from wateringhole.terminal.keyboard import InputTimeout, Keyboard, PromptCancelled

QUESTION = Text("How many > ")


@contextlib.contextmanager
def terminal() -> Iterator[tuple[int, int]]:
    """Both ends of a terminal: the person's and ours."""
    person, ours = pty.openpty()
    try:
        yield person, ours
    finally:
        os.close(person)
        os.close(ours)


@contextlib.contextmanager
def pipe() -> Iterator[tuple[int, int]]:
    ours, person = os.pipe()
    try:
        yield person, ours
    finally:
        os.close(ours)
        with contextlib.suppress(OSError):
            os.close(person)


def screen(width: int = 80) -> Console:
    return Console(file=io.StringIO(), force_terminal=True, width=width, color_system=None)


class Watched(io.StringIO):
    """A screen before which somebody acts when it first shows some words."""

    def __init__(self, words: str, act: Callable[[], object]) -> None:
        super().__init__()
        self._words = words
        self._act: Callable[[], object] | None = act

    def write(self, text: str) -> int:
        written = super().write(text)
        if self._act and self.getvalue().endswith(self._words):
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
    "Ctrl-D behind something": ("two\x04\n", "two"),
    "arrows": ("t\x1b[Aw\x1b[1;5Do\x1bOB\n", "two"),
    "a function key": ("\x1b[15~two\n", "two"),
    "escape alone": ("\x1btwo\n", "two"),
    "beyond ASCII": ("zwölf ┃ 三\n", "zwölf ┃ 三"),
    "control characters": ("t\x01w\x07o\n", "two"),
}


@pytest.mark.parametrize("name", KEYS)
def test_a_line_is_edited_key_by_key(name: str) -> None:
    keys, line = KEYS[name]
    console = screen()
    with terminal() as (person, ours):
        # Not before: until then the system itself edits the line.
        console.file = Watched("How many > ", lambda: os.write(person, keys.encode()))
        assert Keyboard(ours).line(console, QUESTION) == line


def test_the_terminal_is_afterwards_as_it_was_before() -> None:
    with terminal() as (_, ours):
        before = termios.tcgetattr(ours)
        with pytest.raises(InputTimeout):
            Keyboard(ours).line(screen(), QUESTION, time.monotonic())
        assert termios.tcgetattr(ours) == before


@pytest.mark.parametrize("typed_ahead", [True, False])
def test_the_end_of_the_input_is_an_empty_line_with_ctrl_d(typed_ahead: bool) -> None:
    console = screen()
    with terminal() as (person, ours):
        if typed_ahead:
            os.write(person, b"\x04")
        else:
            console.file = Watched("How many > ", lambda: os.write(person, b"\x04"))
        with pytest.raises(EOFError):
            Keyboard(ours).line(console, QUESTION)


def test_a_pipe_is_read_line_by_line_to_its_end() -> None:
    with pipe() as (person, ours):
        os.write(person, b"one\ntwo\n\nlast")
        os.close(person)
        keyboard = Keyboard(ours)
        console = Console(file=io.StringIO())
        assert [keyboard.line(console, QUESTION) for _ in range(4)] == ["one", "two", "", "last"]
        with pytest.raises(EOFError):
            keyboard.line(console, QUESTION)
        assert shown(console) == "How many > " * 5


def test_a_file_is_read_like_a_pipe(tmp_path: object) -> None:
    path = f"{tmp_path}/typed"
    with open(path, "w") as file:
        file.write("one\n")
    number = os.open(path, os.O_RDONLY)
    try:
        assert Keyboard(number).line(Console(file=io.StringIO()), QUESTION) == "one"
    finally:
        os.close(number)


@pytest.mark.parametrize("typed", [b"", b"half a line"])
def test_time_runs_out_whatever_has_been_typed(typed: bytes) -> None:
    with pipe() as (person, ours):
        os.write(person, typed)
        with pytest.raises(InputTimeout):
            Keyboard(ours).line(Console(file=io.StringIO()), QUESTION, time.monotonic() + 0.1)


@pytest.mark.parametrize(("width", "up"), [(80, ""), (10, "\x1b[1A"), (5, "\x1b[2A"), (14, ""), (13, "\x1b[1A")])
def test_news_wipe_the_question_and_it_stands_below_them_again(width: int, up: str) -> None:
    console = screen(width)
    with terminal() as (person, ours), pipe() as (far, near):
        keyboard = Keyboard(ours)

        def look() -> None:
            os.read(near, 1)
            with keyboard.suspend_prompt():
                console.file.write("NEWS\n")
            os.write(person, b"\n")

        console.file = Watched("How many > two", lambda: os.write(far, b"x"))
        os.write(person, b"two")
        with keyboard.watching(near, look):
            assert keyboard.line(console, QUESTION) == "two"
    assert f"\r{up}\x1b[JNEWS\nHow many > two" in shown(console)


def test_a_question_can_be_taken_back() -> None:
    def look() -> None:
        raise PromptCancelled

    with terminal() as (_, ours), pipe() as (far, near):
        keyboard = Keyboard(ours)
        os.write(far, b"x")
        with keyboard.watching(near, look), pytest.raises(PromptCancelled):
            keyboard.line(screen(), QUESTION)
        # Nothing is watched any more.
        with pytest.raises(InputTimeout):
            keyboard.line(screen(), QUESTION, time.monotonic())
