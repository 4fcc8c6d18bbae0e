"""The player's end of the protocol, without a transport."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.process.programs import PORRINHA
from wateringhole.errors import WateringHoleError
from wateringhole.game import Notice, ReportedViolation, Violation
from wateringhole.games.porrinha.bots.player import Player
from wateringhole.games.porrinha.rules.violations import GuessTaken
from wateringhole.player import IllegalAnswer, PlayerLeft, SeatAssignment
from wateringhole.protocol.host import HostEnd
from wateringhole.protocol.messages import to_line
from wateringhole.protocol.player import PlayerEnd


class Scripted(Player):
    """A player that fails in one given method."""

    def __init__(self, fails_in: str = "", error: Exception | None = None) -> None:
        self.fails_in = fails_in
        self.error = error or RuntimeError("out of ideas")

    def _fail_in(self, method: str) -> None:
        if method == self.fails_in:
            raise self.error

    def begin_game(self) -> None:
        self._fail_in("begin_game")

    def hand(self) -> int:
        self._fail_in("hand")
        return 1

    def end_game(self) -> None:
        self._fail_in("end_game")


class Table:
    """A host with one game, up to its first request."""

    def __init__(self, player: Player) -> None:
        self.player_end = PlayerEnd(lambda game: player, "Ada")
        self.host_end = HostEnd(PORRINHA)
        self.game = PORRINHA.new_game(PORRINHA.deal(2, PORRINHA.profiles["seed"].rules, 1))

    def send(self, line: bytes) -> Any:
        reply = self.player_end.receive(line)
        return None if reply is None else json.loads(reply)

    def open(self) -> Any:
        self.send(self.host_end.hello())
        self.send(self.host_end.game(0, ("a", "b"), PORRINHA.profiles["seed"].rules))
        notice = self.game.opening[0]
        assert isinstance(notice, Notice)
        return self.send(self.host_end.notice(notice))

    def ask(self) -> Any:
        return self.send(self.host_end.request(next(iter(self.game.requests.values()))))


def test_it_sends_a_hello_and_answers() -> None:
    table = Table(Scripted())
    assert table.send(table.host_end.hello()) == {"type": "hello", "protocol": 1, "events": False, "name": "Ada"}
    table.open()
    assert table.ask() == {"type": "answer", "id": 1, "answer": 1}
    assert table.ask() == {"type": "answer", "id": 2, "answer": 1}
    assert table.send(table.host_end.bye("enough")) is None
    assert table.player_end.farewell == "enough"


def test_control_characters_in_names_are_replaced() -> None:
    class Seated(Scripted):
        def on_seated(self, assignment: SeatAssignment) -> None:
            self.names = assignment.names

    player = Seated()
    table = Table(player)
    table.send(table.host_end.hello())
    table.send(table.host_end.game(0, ("a", "\x1b[2Jb\n"), PORRINHA.profiles["seed"].rules))
    assert player.names == ("a", " [2Jb ")


class Refused(Scripted):
    """A player that keeps the violations of its answers."""

    def __init__(self) -> None:
        super().__init__()
        self.violations: list[Violation] = []

    def on_violation(self, violation: Violation) -> None:
        self.violations.append(violation)


def test_a_refusal_is_read_as_the_games_violation() -> None:
    player = Refused()
    table = Table(player)
    table.open()
    table.send(table.host_end.refused(GuessTaken(4)))
    assert player.violations == [GuessTaken(4)]


@pytest.mark.parametrize(
    "fields",
    [
        {},
        {"parts": None},
        {"parts": [4]},
        {"parts": {"guess": 4, "since": "version 9"}, "rule": "guess_repeated"},
        {"parts": {"guess": "four"}},
    ],
    ids=["an older host", "null", "a list", "a rule of a later version", "wrong types"],
)
def test_a_refusal_without_known_parts_keeps_its_rule_and_message(fields: dict[str, Any]) -> None:
    player = Refused()
    table = Table(player)
    table.open()
    message = {"type": "refused", "rule": "guess_taken", "message": "4 was said before in this round", **fields}
    table.send(to_line(message))
    assert player.violations == [ReportedViolation(message["rule"], message["message"])]


def test_a_reported_violation_is_sent_without_parts() -> None:
    line = HostEnd(PORRINHA).refused(ReportedViolation("unexaminable", "the answer cannot be examined"))
    assert json.loads(line) == {
        "type": "refused",
        "rule": "unexaminable",
        "message": "the answer cannot be examined",
    }


def test_an_error_during_a_request_is_sent_at_once() -> None:
    table = Table(Scripted("hand"))
    table.open()
    message = table.ask()
    assert (message["type"], message["id"], message["reason"]) == ("failed", 1, "exception")
    assert "RuntimeError in test_player.py line" in message["message"]


def test_an_illegal_answer_is_sent_with_its_rule() -> None:
    violation = ReportedViolation("no-such-card", "there is no card 9")
    table = Table(Scripted("hand", IllegalAnswer(violation, violation.message)))
    table.open()
    message = table.ask()
    assert message == {
        "type": "failed",
        "id": 1,
        "reason": "illegal",
        "rule": violation.rule,
        "message": violation.message,
    }
    assert table.host_end.read(to_line(message)) is None
    assert table.host_end.failure() == violation


def test_an_error_during_a_notice_is_sent_with_the_next_request() -> None:
    table = Table(Scripted("begin_game"))
    assert table.open() is None
    message = table.ask()
    assert (message["type"], message["id"]) == ("failed", 1)
    assert "out of ideas" in message["message"]


def test_a_new_game_drops_failures_after_the_last_request() -> None:
    player = Scripted("begin_game")
    table = Table(player)
    table.open()
    player.fails_in = ""
    table.open()
    assert table.ask()["type"] == "answer"


def test_leaving_is_sent_at_once() -> None:
    table = Table(Scripted("begin_game", PlayerLeft("had to go")))
    message = table.open()
    assert (message["type"], message["reason"], message["message"]) == ("failed", "left", "had to go")
    assert table.player_end.has_left


def test_an_unknown_request_is_passed() -> None:
    table = Table(Scripted())
    table.open()
    assert table.send(table.host_end.question("sing", {"song": "any"})) == {"type": "pass", "id": 1}
    assert table.ask() == {"type": "answer", "id": 2, "answer": 1}


def test_an_acknowledging_player_confirms_a_notice_or_reports_its_failure() -> None:
    player = Scripted()
    table = Table(player)
    table.player_end = PlayerEnd(lambda game: player, acknowledges=True)
    assert table.send(table.host_end.hello())["acknowledges"] is True
    table.send(table.host_end.game(0, ("a", "b"), PORRINHA.profiles["seed"].rules))
    begin = table.game.opening[0]
    assert isinstance(begin, Notice)
    assert table.send(table.host_end.notice(begin, acknowledged=True)) == {"type": "pass", "id": 1}
    player.fails_in = "begin_game"
    message = table.send(table.host_end.notice(begin, acknowledged=True))
    assert (message["type"], message["id"], message["reason"]) == ("failed", 2, "exception")
    # The failure has been sent, and is not sent again.
    player.fails_in = ""
    assert table.ask()["type"] == "answer"
    assert table.player_end.incident is None


def test_a_failure_not_yet_sent_is_kept_as_an_incident() -> None:
    table = Table(Scripted("begin_game"))
    table.open()
    assert table.player_end.incident is not None
    assert "out of ideas" in table.player_end.incident.message
    table.ask()
    assert table.player_end.incident is None


@pytest.mark.parametrize("is_human", [False, True])
def test_the_hello_of_a_human_says_so(is_human: bool) -> None:
    player = Scripted()
    player.is_human = is_human  # type: ignore[misc]
    table = Table(player)
    assert table.send(table.host_end.hello()).get("person", False) == is_human


@pytest.mark.parametrize(
    "line",
    [
        b"",
        b"junk",
        b"[]",
        b"{}",
        b'{"type":"hello"}',
        b'{"type":"hello","protocol":1,"game":"chess"}',
        b'{"type":"hello","protocol":99,"game":"porrinha"}',
        b'{"type":"request","id":1,"request":"hand"}',
        b'\xff{"type":"bye"}',
        b"[" * 100_000,
    ],
)
def test_an_invalid_line_from_the_host_raises_an_error(line: bytes) -> None:
    with pytest.raises(WateringHoleError):
        PlayerEnd(lambda game: Scripted()).receive(line)
