"""Names of players: short, printable, and no imitation of another player."""

from __future__ import annotations

import pytest

from wateringhole.house.names import LONGEST_NAME, clean_name, distinct, distinct_names

CLEANED = {
    # what is wrong with a name: the name, and what it becomes
    "nothing": ("Zoë O'Neil", "Zoë O'Neil"),
    "several lines and blanks": (" a\n\tb\r\nc ", "a b c"),
    "control characters": ("a\x1b[31mb\x00", "a [31mb"),
    "text that runs backwards": ("\u202eadA", "adA"),
    "invisible characters": ("A\u200bd\u2060a", "A d a"),
    "wide characters": ("Ａｄａ", "Ada"),
    "lone surrogates": ("A\udcffda", "A?da"),
    "stacked marks": ("A" + "\u0301" * 30 + "da", "Á\u0301\u0301da"),
    "nothing but blanks": (" \u3000\n", "Player 1"),
    "too many characters": ("x" * 500, "x" * (LONGEST_NAME - 1) + "…"),
}


@pytest.mark.parametrize("wrong", CLEANED)
def test_names_are_one_short_printable_line(wrong: str) -> None:
    name, cleaned = CLEANED[wrong]
    assert clean_name(name, "Player 1") == cleaned
    assert len(cleaned) <= LONGEST_NAME


@pytest.mark.parametrize(
    "imitation",
    ["Ada", "ada", "ADA", "Ａｄａ", "A d a", "Ada\u00a0", "Ada.", "Àda", "Аda", "Adа", "Ada 2", "Ada 77"],
)
def test_imitation_of_another_player_gets_a_number(imitation: str) -> None:
    taken = ["Bea", "Ada"]
    shown = distinct(clean_name(imitation, "Player 3"), taken)
    assert shown.endswith(" 2")


def test_number_at_the_end_cannot_be_claimed() -> None:
    assert distinct_names(["Ada", "Ada", "Ada 2", "ada2", "Ada 3"]) == ("Ada", "Ada 2", "Ada 3", "ada2 2", "Ada 4")


def test_different_names_stay_as_they_are() -> None:
    names = ("Ada", "Bea", "P1", "P2", "Player 3", "Player 4", "🦒", "🐘", "日本", "日本語")
    assert distinct_names(names) == names
