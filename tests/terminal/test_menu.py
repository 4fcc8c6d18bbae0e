"""Numbered menus, and markup that shows names literally."""

from __future__ import annotations

import io

from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console
from rich.text import Text

from wateringhole.formatting import escape
from wateringhole.terminal.menu import Choice, Terminal

CHOICES = [Choice("eat", "EAT", "e"), Choice("fly", "FLY", "f", "it has no wings"), Choice("sleep", "SLEEP")]


def terminal(*lines: str) -> tuple[Terminal, io.StringIO]:
    waiting = iter(lines)
    screen = io.StringIO()
    return Terminal(Console(file=screen, width=80), lambda prompt: next(waiting)), screen


def test_a_choice_is_a_number_or_its_letter() -> None:
    human, _ = terminal("1", "E", "3", "0")
    assert [human.choose("What", CHOICES, back="back") for _ in range(4)] == ["EAT", "EAT", "SLEEP", None]


def test_an_impossible_choice_is_explained_and_asked_again() -> None:
    human, screen = terminal("f", "0", "7", "3")
    assert human.choose("What", CHOICES) == "SLEEP"
    assert screen.getvalue().count("Not possible: it has no wings.") == 1
    assert "'0' is not a number from 1 to 3 or one of the letters e f." in screen.getvalue()
    assert screen.getvalue().count("sleep") == 1


def test_a_huge_number_is_refused_with_a_message() -> None:
    endless = "9" * 5000
    human, screen = terminal(endless, "1")
    assert human.choose("What", CHOICES) == "EAT"
    assert "is not a number from 1 to 3" in screen.getvalue()


def test_words_typed_ahead_answer_the_next_menus() -> None:
    human, screen = terminal("1 3 2", "1")
    assert [human.choose("What", CHOICES) for _ in range(2)] == ["EAT", "SLEEP"]
    assert screen.getvalue().count("sleep") == 1
    # This menu was not shown yet, and the choice typed for it is not possible.
    assert human.choose("What", CHOICES) == "EAT"
    assert screen.getvalue().count("sleep") == 2


def test_a_refusal_drops_words_typed_ahead() -> None:
    human, _ = terminal("2 3", "1")
    assert human.choose("What", CHOICES) == "EAT"


@given(st.text(st.sampled_from("ab[]/\\ :#@=()") | st.characters()))
def test_escaped_text_is_shown_literally(text: str) -> None:
    shown = "".join(character if character.isprintable() else " " for character in text)
    markup = f"[bold]{escape(text)}[/bold] eats [red]{escape(text)}[/red], {escape(text)}."
    assert Text.from_markup(markup, emoji=False).plain == f"{shown} eats {shown}, {shown}."
