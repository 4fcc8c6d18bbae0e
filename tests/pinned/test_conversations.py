"""A host sends exactly the pinned messages to a player that repeats its replies, over every transport."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

from tests.pinned import access, conversations, golden
from tests.pinned.scripted_program import Scripted


def _names(folder: str) -> list[str]:
    return [name.removesuffix(".txt") for name in golden.names_under(folder) if name.endswith(".txt")]


def _lines(name: str) -> list[str]:
    return golden.read(f"{name}.txt").decode().splitlines()


def _compare(name: str, lines: list[str]) -> None:
    golden.compare_lines(f"{name}.txt", "".join(f"{line}\n" for line in lines).encode())


@pytest.mark.parametrize("name", _names("pipes"))
def test_pinned_conversation_with_a_program(name: str, tmp_path: Path) -> None:
    script = conversations.script_of(_lines(name), tmp_path)
    _compare(name, conversations.over_pipes(golden.read_json(f"{name}.json"), script, tmp_path))


@pytest.mark.parametrize("transport", ["tcp", "websocket"])
@pytest.mark.parametrize("name", _names("networks"))
def test_pinned_conversation_over_a_network(name: str, transport: str) -> None:
    lines = conversations.over_network(golden.read_json(f"{name}.json"), transport, Scripted(_lines(name)))
    # Commitments and their nonces are newer than the pinned conversations.
    newer = re.compile(r', ?"(?:commitment": ?"sha256:[0-9a-f]{64}|nonce": ?"[0-9a-f]{32})"')
    _compare(name, [newer.sub("", line) for line in lines])


COURSES = ["course", "reference"]


def _course(name: str) -> tuple[list[list[Any]], list[list[Any]]]:
    """Return the lines of a conversation, and the lines that each connection sends."""
    lines = golden.lines_of(f"courses/{name}.jsonl")
    sent: list[list[Any]] = [[] for _ in range(1 + max(conn for conn, *_ in lines))]
    for conn, way, value in lines:
        if way == "<":
            sent[conn].append(value)
    return lines, sent


@pytest.mark.parametrize("name", COURSES)
def test_pinned_conversation_over_the_course_protocol(name: str) -> None:
    lines, sent = _course(name)
    pinned = golden.read_json(f"courses/{name}.json")
    found = access.course_conversation(pinned.pop("plan"), sent)
    assert found.pop("lines") == lines
    assert found == pinned


@pytest.mark.parametrize("name", COURSES)
def test_course_players_repeat_the_pinned_conversation(name: str) -> None:
    lines, _ = _course(name)
    assert access.course_conversation(golden.read_json(f"courses/{name}.json")["plan"])["lines"] == lines


@pytest.mark.parametrize("name", COURSES)
def test_pinned_replies_of_a_course_client_in_every_dialect(name: str) -> None:
    lines, _ = _course(name)
    received = [value for conn, way, value in lines if (conn, way) == (0, ">")]
    pinned = golden.read_json(f"courses/{name}-clients.json")
    assert {dialect: access.course_client(dialect, received) for dialect in access.dialects()} == pinned


def test_a_changed_reply_changes_the_conversation(tmp_path: Path) -> None:
    name = "pipes/porrinha-events"
    lines = _lines(name)
    last = max(number for number, line in enumerate(lines) if line.startswith("< ") and '"answer"' in line)
    lines[last] = lines[last].replace('"answer": ', '"answer": 9')
    script = conversations.script_of(lines, tmp_path)
    found = conversations.over_pipes(golden.read_json(f"{name}.json"), script, tmp_path)
    with pytest.raises(AssertionError, match="differs"):
        _compare(name, found)
