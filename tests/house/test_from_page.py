"""The messages from the page, as the server reads them."""

from __future__ import annotations

from typing import Any

import pytest

from wateringhole.house.from_page import (
    AgreeToCoach,
    AskForHint,
    AskForSeat,
    AskForWarning,
    ConsultGame,
    LeaveTable,
    PrepareCoach,
    ReportSeen,
    SendAnswer,
    SendEmote,
    read_message,
)


@pytest.mark.parametrize(
    ("message", "read"),
    [
        ({"type": "ask_seat", "name": "Ada"}, AskForSeat("Ada")),
        ({"type": "leave"}, LeaveTable()),
        ({"type": "agree", "coach": True}, AgreeToCoach(True)),
        ({"type": "emote", "emote": "wow"}, SendEmote("wow")),
        ({"type": "seen", "number": 3}, ReportSeen(3)),
        ({"type": "answer", "id": 1, "answer": {"food": 0}}, SendAnswer(1, {"food": 0})),
        ({"type": "coach", "id": 1}, PrepareCoach(1)),
        ({"type": "hint", "id": 1, "level": 2, "language": "pt"}, AskForHint(1, 2, "pt")),
        ({"type": "check", "id": 1, "answer": 5}, AskForWarning(1, 5)),
        ({"type": "leave", "later": "field"}, LeaveTable()),
    ],
    ids=lambda value: value["type"] if isinstance(value, dict) else "",
)
def test_each_type_has_its_message(message: dict[str, Any], read: Any) -> None:
    assert read_message(message) == read


@pytest.mark.parametrize("type_", ["draft", "hello", "", None, 7, [], {}], ids=str)
def test_only_the_game_can_read_other_types(type_: Any) -> None:
    message = {"type": type_, "id": 4, "steps": []}
    assert read_message(message) == ConsultGame(4, message)


def test_message_without_a_type_is_for_the_game() -> None:
    assert read_message({}) == ConsultGame(None, {})


@pytest.mark.parametrize(
    "message",
    [
        {"type": "agree", "coach": "yes"},
        {"type": "emote", "emote": "Come to my site!"},
        {"type": "emote", "emote": {"a": 1}},
        {"type": "seen"},
        {"type": "seen", "number": "3"},
        {"type": "answer", "answer": 1},
        {"type": "answer", "id": "1", "answer": 1},
        {"type": "hint", "id": None, "level": 1},
    ],
    ids=str,
)
def test_message_whose_fields_do_not_fit_is_ignored(message: dict[str, Any]) -> None:
    assert read_message(message) is None


@pytest.mark.parametrize(
    ("message", "read"),
    [
        ({"type": "ask_seat", "name": {"name": "Ada"}}, AskForSeat({"name": "Ada"})),
        ({"type": "ask_seat"}, AskForSeat(None)),
        ({"type": "answer", "id": 1}, SendAnswer(1, None)),
        ({"type": "hint", "id": 1, "level": "all"}, AskForHint(1, "all")),
        ({"type": "check", "id": 1}, AskForWarning(1, None)),
    ],
    ids=str,
)
def test_value_that_gets_a_reply_if_it_is_wrong_reaches_its_receiver(message: dict[str, Any], read: Any) -> None:
    assert read_message(message) == read
