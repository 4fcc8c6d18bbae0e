"""`join` at a stand-in for each of the course's servers: its dialect, the name in its list, result and exit status."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.cli.running import Ran, called
from tests.join.standins import SEAT, SERVERS, StandIn, standing_in


def join_at(port: int, *words: str | Path) -> Ran:
    return called("join", f"127.0.0.1:{port}", "silly", "--name", "Ada", "--attempts", "1", *words)


DETECTED = {
    # server: the dialect that its first messages show
    "reference": "course",
    "cb": "cb",
    "jc": "jc",
    "la": "jc",
    "kd": "kd",
    "jf": "jf",
}


@pytest.mark.parametrize("server", DETECTED)
def test_join_detects_the_dialect_and_plays_the_game_to_its_end(server: str) -> None:
    stand_in = StandIn(SERVERS[server])
    with standing_in(stand_in.serve) as port:
        joined = join_at(port)
    assert joined.returncode == 0, joined.stderr
    assert not stand_in.is_thrown_out
    assert f"join: a game begins, in the dialect {DETECTED[server]}\n" in joined.stderr


@pytest.mark.parametrize("server", SERVERS)
def test_join_plays_in_the_given_dialect_under_its_name(server: str) -> None:
    stand_in = StandIn(SERVERS[server])
    with standing_in(stand_in.serve) as port:
        joined = join_at(port, "--dialect", server)
    assert joined.returncode == 0, joined.stderr
    assert not stand_in.is_thrown_out
    assert stand_in.listed is not None
    assert stand_in.listed.strip().strip(b'"') == b"Ada"


@pytest.mark.parametrize("server", SERVERS)
def test_join_is_listed_under_its_name_without_a_dialect(server: str) -> None:
    stand_in = StandIn(SERVERS[server], answers=1)
    with standing_in(stand_in.serve) as port:
        join_at(port)
    assert stand_in.listed is not None
    assert stand_in.listed.strip().strip(b'"') == b"Ada"


WRONG = {
    # server: a dialect that gets the player thrown out, and what join suggests
    "lb": ("jc", "lb or la"),
    "jf": ("course", "reference"),
}


@pytest.mark.parametrize("server", WRONG)
def test_join_fails_when_its_first_answer_gets_it_thrown_out(server: str) -> None:
    dialect, others = WRONG[server]
    stand_in = StandIn(SERVERS[server])
    with standing_in(stand_in.serve) as port:
        joined = join_at(port, "--dialect", dialect)
    assert stand_in.is_thrown_out
    assert joined.returncode == 1
    assert "closed the connection in turn 1, when about 110 of 122 cards were left in the deck" in joined.stderr
    assert f"Try another dialect (--dialect {others}), or check the player with" in joined.stderr
    assert "the game is over" not in joined.stderr


def test_join_fails_when_it_was_thrown_out_long_before_the_server_closes_the_connection() -> None:
    # The reference removes a player that sends nothing after a number, and is silent until the game is over.
    stand_in = StandIn(SERVERS["reference"])
    with standing_in(stand_in.serve) as port:
        joined = join_at(port, "--dialect", "jf")
    assert stand_in.is_thrown_out
    assert stand_in.outcome is not None
    assert joined.returncode == 1
    assert "It has thrown the player out, or it has stopped." in joined.stderr


@pytest.mark.parametrize("answers", [1, 3])
@pytest.mark.parametrize("server", DETECTED)
def test_join_fails_when_the_server_stops_in_the_middle_of_a_game(server: str, answers: int) -> None:
    stand_in = StandIn(SERVERS[server], answers=answers)
    with standing_in(stand_in.serve) as port:
        joined = join_at(port)
    assert len(stand_in.answers) == answers
    assert joined.returncode == 1
    assert "It has thrown the player out, or it has stopped." in joined.stderr


@pytest.mark.parametrize("server", DETECTED)
def test_join_prints_an_announced_result(server: str) -> None:
    stand_in = StandIn(SERVERS[server], announces=True)
    with standing_in(stand_in.serve) as port:
        joined = join_at(port)
    assert joined.returncode == 0, joined.stderr
    assert stand_in.outcome is not None
    for line in stand_in.outcome.ranking:
        assert f"join: {line.place} player id: player#{line.seat} score: {line.score}\n" in joined.stderr
    assert "estimate" not in joined.stderr


@pytest.mark.parametrize("server", DETECTED)
def test_join_estimates_its_score_if_the_server_sends_no_result(server: str) -> None:
    stand_in = StandIn(SERVERS[server])
    with standing_in(stand_in.serve) as port:
        joined = join_at(port)
    assert "the game is over; the course's protocol sends no result" in joined.stderr
    estimate = re.search(r"join: estimate: Ada has at least (\d+) points?, by the last message", joined.stderr)
    if server == "kd":
        assert estimate is None, "it sends a number in place of the bag"
        return
    assert estimate, joined.stderr
    assert stand_in.outcome is not None
    score = next(line.score for line in stand_in.outcome.ranking if line.seat == SEAT)
    assert score is not None
    assert 0 < int(estimate[1]) <= score


@pytest.mark.parametrize("server", SERVERS)
def test_the_record_has_all_messages_of_both_sides(server: str, tmp_path: Path) -> None:
    stand_in = StandIn(SERVERS[server])
    with standing_in(stand_in.serve) as port:
        joined = join_at(port, "--dialect", server, "--record", tmp_path / "messages.jsonl")
    assert joined.returncode == 0, joined.stderr
    first, *lines, last = [json.loads(line) for line in (tmp_path / "messages.jsonl").read_text().splitlines()]
    assert (first["event"], last["event"]) == ("connected", "closed")
    assert first["address"] == f"tcp://127.0.0.1:{port}"
    seconds = [line["seconds"] for line in lines]
    assert seconds == sorted(seconds)
    sent = [line["message"] for line in lines if line["sender"] == "player"]
    assert sent[0] == "Ada"
    assert len(sent) == 1 + len(stand_in.answers)
    received = [line.get("message", line.get("text")) for line in lines if line["sender"] == "host"]
    assert received[0] == "ok"
    assert {len(message) for message in received[1:]} == {2, 4, 5}
