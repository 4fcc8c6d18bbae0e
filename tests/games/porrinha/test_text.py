"""Texts of violations and answers, and violations as JSON."""

from __future__ import annotations

from typing import Any, get_args

import pytest

from tests.games.porrinha.builders import open_game
from wateringhole.facets import PROGRAM, Reader
from wateringhole.game import ReportedViolation, Seat, Violation
from wateringhole.games.porrinha import NotANumber
from wateringhole.games.porrinha.rules import codec
from wateringhole.games.porrinha.rules.violations import (
    AnswerShape,
    GuessRange,
    GuessTaken,
    HandRange,
    PorrinhaViolation,
)
from wateringhole.games.porrinha.text import TEXT

ADA = Reader(("Ada", "Bob"), Seat(0))

TEXTS: list[tuple[Violation, str, str]] = [
    (AnswerShape("'two'"), "answer-shape", "'two' is neither a whole number nor known not to be one"),
    (HandRange(1, 3), "hand_range", "you can hide 1 to 3 of your sticks"),
    (GuessTaken(4), "guess_taken", "4 was said before in this round"),
    (GuessRange(6), "guess_range", "the sum is a number from 0 to 6"),
]


@pytest.mark.parametrize(("violation", "rule", "text"), TEXTS, ids=[rule for _, rule, _ in TEXTS])
def test_every_violation_has_a_rule_and_a_text(violation: Violation, rule: str, text: str) -> None:
    assert violation.rule == rule
    assert [TEXT.violation(violation, reader) for reader in (PROGRAM, ADA)] == [text, text]
    value = codec.violation_to_json(violation)
    assert value["rule"] == rule
    assert codec.violation_from_json(value) == violation


def test_all_violations_are_tested() -> None:
    assert {type(violation) for violation, *_ in TEXTS} == set(get_args(PorrinhaViolation))


@pytest.mark.parametrize("value", [None, {}, {"rule": "guess_low"}, {"rule": "guess_taken"}])
def test_other_values_are_not_violations(value: Any) -> None:
    with pytest.raises(ValueError, match="not a violation of Porrinha"):
        codec.violation_from_json(value)


def test_a_reported_violation_keeps_its_message() -> None:
    assert TEXT.violation(ReportedViolation("house", "no bluffing"), ADA) == "no bluffing"


def test_texts_exist_only_in_known_languages() -> None:
    with pytest.raises(ValueError, match=r"'fr'\. Choose from: en, pt$"):
        TEXT.violation(GuessTaken(1), ADA, "fr")


def test_answer_texts() -> None:
    game = open_game(2)
    hiding = game.requests[Seat(0)]
    game.advance({Seat(0): 1, Seat(1): 2})
    guessing = game.requests[Seat(0)]
    assert [TEXT.answer(hiding, answer, ADA) for answer in (1, 2)] == ["hides 1 stick", "hides 2 sticks"]
    assert [TEXT.answer(guessing, answer, ADA) for answer in (3, NotANumber("2.5"))] == ["says 3", "answers 2.5"]
