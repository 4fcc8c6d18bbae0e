"""The player's end of the protocol, without any wire."""

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
    """Fails where it is told to."""

    def __init__(self, fails_in: str = "", error: Exception | None = None) -> None:
        self.fails_in = fails_in
        self.error = error or RuntimeError("out of ideas")

    def _maybe(self, where: str) -> None:
        if where == self.fails_in:
            raise self.error

    def begin_game(self) -> None:
        self._maybe("begin_game")

    def hand(self) -> int:
        self._maybe("hand")
        return 1

    def end_game(self) -> None:
        self._maybe("end_game")


class Table:
    """A host with one game, as far as its first question."""

    def __init__(self, player: Player) -> None:
        self.guest = PlayerEnd(lambda game: player, "Ada")
        self.talk = HostEnd(PORRINHA)
        self.game = PORRINHA.new_game(PORRINHA.deal(2, PORRINHA.profiles["seed"].rules, 1))

    def hear(self, line: bytes) -> Any:
        reply = self.guest.receive(line)
        return None if reply is None else json.loads(reply)

    def open(self) -> Any:
        self.hear(self.talk.hello())
        self.hear(self.talk.game(0, ("a", "b"), PORRINHA.profiles["seed"].rules))
        notice = self.game.opening[0]
        assert isinstance(notice, Notice)
        return self.hear(self.talk.notice(notice))

    def ask(self) -> Any:
        return self.hear(self.talk.request(next(iter(self.game.requests.values()))))


def test_it_introduces_itself_and_answers() -> None:
    table = Table(Scripted())
    assert table.hear(table.talk.hello()) == {"type": "hello", "protocol": 1, "events": False, "name": "Ada"}
    table.open()
    assert table.ask() == {"type": "answer", "id": 1, "answer": 1}
    assert table.ask() == {"type": "answer", "id": 2, "answer": 1}
    assert table.hear(table.talk.bye("enough")) is None
    assert table.guest.farewell == "enough"


def test_names_that_a_host_sends_cannot_write_on_the_screen() -> None:
    class Curious(Scripted):
        def on_seated(self, assignment: SeatAssignment) -> None:
            self.names = assignment.names

    curious = Curious()
    table = Table(curious)
    table.hear(table.talk.hello())
    table.hear(table.talk.game(0, ("a", "\x1b[2Jb\n"), PORRINHA.profiles["seed"].rules))
    assert curious.names == ("a", " [2Jb ")


class Refused(Scripted):
    """Keeps why its answers were refused."""

    def __init__(self) -> None:
        super().__init__()
        self.violations: list[Violation] = []

    def on_violation(self, violation: Violation) -> None:
        self.violations.append(violation)


def test_a_refused_answer_comes_back_as_the_games_own_violation() -> None:
    player = Refused()
    table = Table(player)
    table.open()
    table.hear(table.talk.refused(GuessTaken(4)))
    assert player.violations == [GuessTaken(4)]


@pytest.mark.parametrize(
    "more",
    [
        {},
        {"parts": None},
        {"parts": [4]},
        {"parts": {"guess": 4, "since": "version 9"}, "rule": "guess_repeated"},
        {"parts": {"guess": "four"}},
    ],
    ids=["an older host", "null", "a list", "a rule of a later version", "another shape"],
)
def test_a_refusal_without_known_parts_keeps_its_rule_and_message(more: dict[str, Any]) -> None:
    player = Refused()
    table = Table(player)
    table.open()
    message = {"type": "refused", "rule": "guess_taken", "message": "4 was said before in this round", **more}
    table.hear(to_line(message))
    assert player.violations == [ReportedViolation(message["rule"], message["message"])]


def test_a_refusal_that_came_with_its_message_has_no_parts() -> None:
    line = HostEnd(PORRINHA).refused(ReportedViolation("unexaminable", "the answer cannot be examined"))
    assert json.loads(line) == {
        "type": "refused",
        "rule": "unexaminable",
        "message": "the answer cannot be examined",
    }


def test_what_it_raises_when_asked_is_told_at_once() -> None:
    table = Table(Scripted("hand"))
    table.open()
    told = table.ask()
    assert (told["type"], told["id"], told["reason"]) == ("failed", 1, "exception")
    assert "RuntimeError in test_player.py line" in told["message"]


def test_a_rule_that_its_answer_would_break_is_told_by_name() -> None:
    violation = ReportedViolation("no-such-card", "there is no card 9")
    table = Table(Scripted("hand", IllegalAnswer(violation, violation.message)))
    table.open()
    told = table.ask()
    assert told == {
        "type": "failed",
        "id": 1,
        "reason": "illegal",
        "rule": violation.rule,
        "message": violation.message,
    }
    assert table.talk.read(to_line(told)) is None
    assert table.talk.failure() == violation


def test_what_it_raises_when_told_something_is_told_with_the_next_question() -> None:
    table = Table(Scripted("begin_game"))
    assert table.open() is None
    told = table.ask()
    assert (told["type"], told["id"]) == ("failed", 1)
    assert "out of ideas" in told["message"]


def test_a_new_game_forgives_what_went_wrong_after_the_last_question() -> None:
    player = Scripted("begin_game")
    table = Table(player)
    table.open()
    player.fails_in = ""
    table.open()
    assert table.ask()["type"] == "answer"


def test_leaving_is_told_at_once() -> None:
    table = Table(Scripted("begin_game", PlayerLeft("had to go")))
    told = table.open()
    assert (told["type"], told["reason"], told["message"]) == ("failed", "left", "had to go")
    assert table.guest.has_left


def test_a_request_that_it_does_not_know_is_passed() -> None:
    table = Table(Scripted())
    table.open()
    assert table.hear(table.talk.question("sing", {"song": "any"})) == {"type": "pass", "id": 1}
    assert table.ask() == {"type": "answer", "id": 2, "answer": 1}


def test_one_that_acknowledges_says_when_it_has_dealt_with_a_notice_or_failed() -> None:
    player = Scripted()
    table = Table(player)
    table.guest = PlayerEnd(lambda game: player, acknowledges=True)
    assert table.hear(table.talk.hello())["acknowledges"] is True
    table.hear(table.talk.game(0, ("a", "b"), PORRINHA.profiles["seed"].rules))
    begin = table.game.opening[0]
    assert isinstance(begin, Notice)
    assert table.hear(table.talk.notice(begin, acknowledged=True)) == {"type": "pass", "id": 1}
    player.fails_in = "begin_game"
    told = table.hear(table.talk.notice(begin, acknowledged=True))
    assert (told["type"], told["id"], told["reason"]) == ("failed", 2, "exception")
    # It has been told, and is not told again.
    player.fails_in = ""
    assert table.ask()["type"] == "answer"
    assert table.guest.incident is None


def test_what_the_host_never_heard_of_is_kept_for_the_players_owner() -> None:
    table = Table(Scripted("begin_game"))
    table.open()
    assert table.guest.incident is not None
    assert "out of ideas" in table.guest.incident.message
    table.ask()
    assert table.guest.incident is None


@pytest.mark.parametrize("is_human", [False, True])
def test_a_person_says_so_in_its_hello(is_human: bool) -> None:
    player = Scripted()
    player.is_human = is_human  # type: ignore[misc]
    table = Table(player)
    assert table.hear(table.talk.hello()).get("person", False) == is_human


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
def test_a_host_that_talks_nonsense_is_answered_with_a_sentence(line: bytes) -> None:
    with pytest.raises(WateringHoleError):
        PlayerEnd(lambda game: Scripted()).receive(line)
