"""Records replay exactly, and an invalid record is reported with its first invalid line."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.cheats import CHEATS, Cheat
from wateringhole import registry
from wateringhole.errors import OperationError
from wateringhole.game import Event
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.match.loops import play
from wateringhole.match.match import Match
from wateringhole.match.record import Recorder, read_record

EVOLUTION = registry.game_kind("evolution")


def played(*players: Any, seed: int = 3, profile: str = "course") -> tuple[bytes, list[Event]]:
    setup = EVOLUTION.deal(len(players), EVOLUTION.profiles[profile].rules, seed)
    recorder = Recorder(EVOLUTION, setup, [f"player {seat}" for seat in range(len(players))])
    events: list[Event] = []
    play(Match(EVOLUTION, setup, recorder=recorder, observers=[events.append]), players)
    return recorder.text(), events


RECORD, EVENTS = played(Silly(), Silly(), Cheat("start", CHEATS["crashing"][0], after=1), Silly())
LINES = RECORD.splitlines(keepends=True)


@pytest.mark.parametrize("profile", EVOLUTION.profiles)
def test_a_record_replays_event_by_event(profile: str) -> None:
    cheats = [Cheat(method, CHEATS["crashing"][0], after=2) for method in ("choose", "feed_next")]
    text, events = played(Silly(), *cheats, Silly(), profile=profile)
    assert list(read_record(text).replay().events()) == events


def test_a_forfeit_without_a_request_replays_too() -> None:
    assert any(json.loads(line).get("request", "") is None for line in LINES)
    assert list(read_record(RECORD).replay().events()) == EVENTS


def test_a_record_has_a_header_answers_and_a_result() -> None:
    header, *answers, result = map(json.loads, LINES)
    assert header["format"] == "wateringhole-record"
    assert (header["version"], header["game"]) == (1, "evolution")
    assert header["names"] == ["player 0", "player 1", "player 2", "player 3"]
    assert set(header["setup"]) == {"players", "rules", "order", "deck", "seed"}
    assert len(header["setup"]["deck"]) == 122
    assert {"seat", "request", "ms"} <= set(answers[0])
    assert set(result) == {"result", "digest"}


def edited(line: int, old: str, new: str) -> bytes:
    """Return the record with one line, counted from 1, changed."""
    lines = list(LINES)
    text = lines[line - 1].decode()
    changed = re.sub(old, new, text, count=1)
    assert changed != text
    lines[line - 1] = changed.encode()
    return b"".join(lines)


def move(line: int, to: int) -> bytes:
    lines = list(LINES)
    lines.insert(to - 1, lines.pop(line - 1))
    return b"".join(lines)


LAST = len(LINES)
INVALID = [
    ("empty", b"", "the file is empty"),
    ("binary", bytes(range(128, 256)) + b"\n", "line 1 is not the header of a record"),
    ("foreign JSON", b'{"hello": 1}\n', "line 1 is not the header of a record"),
    ("foreign format", edited(1, "wateringhole-record", "chess"), "line 1: this is a 'chess' file"),
    ("newer version", edited(1, '"version":1', '"version":2'), "line 1: the format version is 2"),
    ("unknown game", edited(1, '"evolution"', '"chess"'), "'chess' is not an installed game"),
    ("other rules", edited(1, '"rules_version":1', '"rules_version":99'), "line 1: played under version 99"),
    ("bad setup", edited(1, '"players":4', '"players":9'), "line 1: the setup is wrong"),
    ("bad rule", edited(1, '"food_clamp":"per-card"', '"food_clamp":"never"'), "line 1: the setup is wrong"),
    ("names missing", edited(1, '"player 0",', ""), "line 1: 3 names for 4 players"),
    ("header alone", LINES[0], "the record is cut off after line 1"),
    ("cut between lines", b"".join(LINES[:7]), "the record is cut off after line 7"),
    ("cut within a line", RECORD[: len(RECORD) * 3 // 4], "the record is cut off after line"),
    ("cut in the last line", RECORD[:-9], "the record is cut off after line"),
    ("broken line", edited(5, '"seat"', '"seat'), "line 5 is not an answer"),
    ("wrong seat", edited(2, '"seat":0', '"seat":1'), "line 2: seat 1 was not asked anything here"),
    ("wrong request", edited(2, '"declare"', '"feed"'), "line 2: seat 0 was asked to declare, not to feed"),
    ("illegal answer", edited(2, r'"answer":\[\d+', '"answer":[99'), "line 2: the answer of seat 0 is not legal here"),
    ("ill-shaped answer", edited(2, r'"answer":\[\d+', '"answer":["x"'), "line 2: "),
    ("no answer", edited(2, '"answer"', '"question"'), "line 2: there is neither an answer nor a forfeit"),
    ("answer too early", move(3, 2), "line 2: seat 1 was not asked anything here"),
    ("answer missing", b"".join([*LINES[:-2], LINES[-1]]), f"line {LAST - 1}: the record has a result here"),
    ("extra answer", b"".join([*LINES[:-1], LINES[2], LINES[-1]]), f"line {LAST}: the game was over"),
    ("wrong score", edited(LAST, r'"score":\d+', '"score":99'), f"line {LAST}: the result written down"),
    ("wrong time", edited(2, r'"ms":[\d.]+', '"ms":77'), f"line {LAST}: the digest does not fit"),
    ("wrong digest", edited(LAST, r"sha256:\w", "sha256:x"), f"line {LAST}: the digest does not fit"),
]


@pytest.mark.parametrize(("text", "message"), [row[1:] for row in INVALID], ids=[row[0] for row in INVALID])
def test_an_invalid_record_is_reported_with_its_first_invalid_line(text: bytes, message: str) -> None:
    with pytest.raises(OperationError) as failure:
        list(read_record(text, "game.jsonl").replay().events())
    assert message in str(failure.value)


@pytest.mark.parametrize("seat", [-1, 4])
def test_a_seat_that_the_game_does_not_have_is_reported_when_the_record_is_read(seat: int) -> None:
    with pytest.raises(OperationError, match=f"line 2: the game has 4 seats, and {seat} is none of them"):
        read_record(edited(2, '"seat":0', f'"seat":{seat}'))


@pytest.mark.parametrize("ms", ["-1", "1e308"])
def test_an_impossible_time_is_reported_when_the_record_is_read(ms: str) -> None:
    with pytest.raises(OperationError, match=r"line 2 is not an answer: Expected `float` [<>]= "):
        read_record(edited(2, r'"ms":[\d.]+', f'"ms":{ms}'))


@given(st.data())
def test_a_damaged_record_never_causes_a_traceback(data: st.DataObject) -> None:
    start = data.draw(st.integers(0, len(RECORD) - 1))
    end = data.draw(st.integers(start, min(start + 40, len(RECORD))))
    damaged = RECORD[:start] + data.draw(st.binary(max_size=20)) + RECORD[end:]
    try:
        assert list(read_record(damaged).replay().events()) == EVENTS
    except OperationError:
        assert damaged != RECORD
