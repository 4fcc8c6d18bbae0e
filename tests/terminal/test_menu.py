"""Numbered questions, and markup that shows names as they are."""

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
    page = io.StringIO()
    return Terminal(Console(file=page, width=80), lambda question: next(waiting)), page


def test_a_choice_is_a_number_or_its_letter() -> None:
    person, _ = terminal("1", "E", "3", "0")
    assert [person.choose("What", CHOICES, back="back") for _ in range(4)] == ["EAT", "EAT", "SLEEP", None]


def test_an_obstacle_is_said_and_the_question_stays() -> None:
    person, page = terminal("f", "0", "7", "3")
    assert person.choose("What", CHOICES) == "SLEEP"
    assert page.getvalue().count("Not possible: it has no wings.") == 1
    assert "'0' is not a number from 1 to 3 or one of the letters e f." in page.getvalue()
    assert page.getvalue().count("sleep") == 1


def test_a_number_of_any_length_is_refused_with_a_sentence() -> None:
    endless = "9" * 5000
    person, page = terminal(endless, "1")
    assert person.choose("What", CHOICES) == "EAT"
    assert "is not a number from 1 to 3" in page.getvalue()


def test_words_typed_ahead_answer_the_next_questions() -> None:
    person, page = terminal("1 3 2", "1")
    assert [person.choose("What", CHOICES) for _ in range(2)] == ["EAT", "SLEEP"]
    assert page.getvalue().count("sleep") == 1
    # Nobody saw this menu yet, and what was typed for it is not possible.
    assert person.choose("What", CHOICES) == "EAT"
    assert page.getvalue().count("sleep") == 2


def test_a_refusal_forgets_what_was_typed_ahead() -> None:
    person, _ = terminal("2 3", "1")
    assert person.choose("What", CHOICES) == "EAT"


@given(st.text(st.sampled_from("ab[]/\\ :#@=()") | st.characters()))
def test_escaped_text_is_shown_as_it_is(text: str) -> None:
    shown = "".join(character if character.isprintable() else " " for character in text)
    markup = f"[bold]{escape(text)}[/bold] eats [red]{escape(text)}[/red], {escape(text)}."
    assert Text.from_markup(markup, emoji=False).plain == f"{shown} eats {shown}, {shown}."
