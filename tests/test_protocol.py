"""The protocol without a wire: what it says is what `docs/protocol.md` shows, and nothing breaks its reader."""

from __future__ import annotations

import contextlib
import json
import re
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.conftest import ROOT
from wateringhole import catalogue
from wateringhole.arena.record import read_record
from wateringhole.errors import Failure
from wateringhole.evolution import Pass
from wateringhole.game import Forfeit, Kind, Violation
from wateringhole.players.evolution.silly import Silly
from wateringhole.players.guest import Guest
from wateringhole.players.porrinha import Player as PorrinhaPlayer
from wateringhole.protocol import Hello, Reply, Talk, Unreadable

PAGE = (ROOT / "docs" / "protocol.md").read_text(encoding="utf-8")
PORRINHA = catalogue.game("porrinha")
EVOLUTION = catalogue.game("evolution")

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=20,
)


def first_requests(kind: Kind[Any, Any], players: int) -> dict[str, Any]:
    """One request of each kind, from a game among those who answer plainly."""
    game = kind.new_game(kind.deal(players, next(iter(kind.profiles.values())), 3))
    found: dict[str, Any] = {}
    for _ in range(100):
        if game.outcome:
            break
        answers = {}
        for seat, request in game.requests.items():
            found.setdefault(request.kind, request)
            answers[seat] = Silly().answer(request) if kind is EVOLUTION else request.plainest()
        game.advance(answers)
    return found


REQUESTS = [
    pytest.param(kind, request, id=f"{kind.name} {name}")
    for kind, players in ((EVOLUTION, 4), (PORRINHA, 3))
    for name, request in first_requests(kind, players).items()
]


# The page


def conversations() -> list[list[tuple[str, dict[str, Any]]]]:
    blocks = re.findall(r"^```\w*\n((?:[<>] .*\n)+)```$", PAGE, re.MULTILINE)
    return [[(line[0], json.loads(line[2:])) for line in block.splitlines()] for block in blocks]


def test_the_page_has_an_example_conversation() -> None:
    assert conversations()


class Ada(PorrinhaPlayer):
    """Answers what the page lets Ada answer."""

    def __init__(self) -> None:
        self.answers = [2, 3]

    def hand(self) -> int:
        return self.answers.pop(0)

    def guess(self) -> int:
        return self.answers.pop(0)


@pytest.mark.parametrize("conversation", conversations())
def test_our_host_says_what_stands_in_the_page_and_understands_the_answers(
    conversation: list[tuple[str, dict[str, Any]]],
) -> None:
    game = PORRINHA.new_game(PORRINHA.deal(2, PORRINHA.profiles["seed"], 1))
    talk = Talk(PORRINHA)

    def ours(message: dict[str, Any]) -> bytes:
        match message["type"]:
            case "hello":
                return talk.hello(**{field: message[field] for field in ("token", "resumed") if field in message})
            case "game":
                return talk.game(1, ("Bob", "Ada"), PORRINHA.profiles["seed"])
            case "notice":
                return talk.notice(game.opening[0])
            case "request" if "arguments" in message:
                return talk.question(message["request"], {"arguments": {}})
            case "request":
                return talk.request(next(iter(game.requests.values())))
            case "bye":
                return talk.bye(message["reason"])
        raise AssertionError(f"the host never says {message['type']}")

    for side, message in conversation:
        line = json.dumps(message).encode()
        if side == ">":
            said = json.loads(ours(message))
            while said.get("id", 0) < message.get("id", 0):
                said = json.loads(ours(message))
            assert message.keys() <= said.keys(), "the page shows a field that is not there"
            if message["type"] in ("hello", "bye"):
                assert said == message
        elif message["type"] == "hello":
            assert talk.read_hello(line).name == message.get("name")
        elif message["type"] == "knock":
            assert talk.is_knock(line)
        else:
            assert talk.read(line) == Reply(message["answer"])


def test_our_player_answers_as_the_player_of_the_page_does() -> None:
    guest = Guest(lambda game: Ada(), "Ada")
    game = PORRINHA.new_game(PORRINHA.deal(2, PORRINHA.profiles["seed"], 1))
    conversation = conversations()[0]
    view = PORRINHA.wire.view_to_json(game.view(None))
    for (side, message), (answering, reply) in zip(conversation, [*conversation[1:], ("", {})], strict=True):
        if side == ">" and message["type"] in ("hello", "request"):
            if "view" in message:
                message = {**message, "view": {**view, "chopsticks": [3, 3]}}
            answered = json.loads(guest.hear(json.dumps(message).encode()) or b"null")
            assert answering == "<"
            assert reply.items() <= answered.items()
        elif side == ">" and message["type"] == "game":
            rules = json.loads(Talk(PORRINHA).game(1, ("a", "b"), PORRINHA.profiles["seed"]))["rules"]
            guest.hear(json.dumps({**message, "rules": rules}).encode())


def test_every_type_of_message_stands_in_the_table() -> None:
    listed = set(re.findall(r"^\| `(\w+)` \| (?:host|player) \|", PAGE, re.MULTILINE))
    from_the_host = {"hello", "game", "notice", "request", "refused", "event", "bye"}
    from_the_player = {"hello", "answer", "pass", "failed", "knock"}
    assert listed == from_the_host | from_the_player


@pytest.mark.parametrize(("kind", "request_"), REQUESTS)
def test_requests_and_views_have_the_fields_that_the_page_names(kind: Kind[Any, Any], request_: Any) -> None:
    message = json.loads(Talk(kind).request(request_))
    assert f"`{message['request']}`" in PAGE
    assert "rules" not in message["view"]
    for field in message["view"]:
        assert f"`{field}`" in PAGE, f"the page does not say what {field} is"


# Reading


@pytest.mark.parametrize("line", [b'{"type":"hello","protocol":1}', b' {"type":"hello","protocol":1,"new":[1]}\r\n'])
def test_a_hello_may_have_fields_that_nobody_knows(line: bytes) -> None:
    assert Talk(PORRINHA).read_hello(line) == Hello(1)


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (b"hi", "is not a message"),
        (b"[]", "is not a message"),
        (b'{"protocol":1}', "is not a message"),
        (b'{"type":7}', "is not a message"),
        (b'{"type":"answer","id":1,"answer":1}', "must be a hello"),
        (b'{"type":"hello"}', "missing required field"),
        (b'{"type":"hello","protocol":2}', "it speaks protocol 2"),
        (b'{"type":"hello","protocol":1,"style":"wild"}', "Invalid enum value"),
    ],
)
def test_what_is_no_hello_is_said(line: bytes, message: str) -> None:
    with pytest.raises(Unreadable, match=message):
        Talk(PORRINHA).read_hello(line)


def asked(kind: Kind[Any, Any] = PORRINHA) -> Talk:
    talk = Talk(kind)
    talk.question("hand", {})
    return talk


@pytest.mark.parametrize(
    "line",
    [
        b'{"type":"answer","id":0,"answer":1}',
        b'{"type":"answer","id":2,"answer":1}',
        b'{"type":"pass","id":7}',
        b'{"type":"failed","id":9}',
        b'{"type":"news","of":"later versions"}',
        b'{"type":"hello","protocol":1}',
    ],
)
def test_what_does_not_belong_to_the_open_question_is_ignored(line: bytes) -> None:
    talk = asked()
    assert talk.read(line) is None
    assert talk.failure() is None
    assert talk.read(b'{"type":"answer","id":1,"answer":2}') == Reply(2)


def test_an_answer_counts_once() -> None:
    talk = asked()
    assert talk.read(b'{"type":"pass","id":1}') == Reply(is_pass=True)
    assert talk.read(b'{"type":"pass","id":1}') is None


def test_a_failure_is_told_once_to_the_player_it_belongs_to() -> None:
    talk = Talk(PORRINHA, 2)
    assert talk.read(b'{"type":"failed","player":1,"reason":"left","message":"bye"}') is None
    assert talk.failure(0) is None
    assert talk.failure(1) == Forfeit("left", "bye")
    assert talk.failure(1) is None


def test_passing_is_the_plainest_answer_where_there_is_one() -> None:
    requests = first_requests(EVOLUTION, 4)
    talk = Talk(EVOLUTION)
    assert talk.understand(requests["feed"], Reply(is_pass=True)) == Pass()
    with pytest.raises(Unreadable, match="a request to declare cannot be passed"):
        talk.understand(requests["declare"], Reply(is_pass=True))


@given(st.binary(max_size=60) | json_values.map(lambda value: json.dumps(value).encode()))
def test_nothing_that_comes_breaks_the_reader(line: bytes) -> None:
    for read in (asked().read, Talk(EVOLUTION).read_hello):
        with contextlib.suppress(Unreadable):
            read(line)


@pytest.mark.parametrize(("kind", "request_"), REQUESTS)
@given(value=json_values)
def test_any_value_is_an_answer_that_can_be_judged_or_unreadable(
    kind: Kind[Any, Any], request_: Any, value: Any
) -> None:
    try:
        answer = Talk(kind).understand(request_, Reply(value))
    except Unreadable:
        return
    violation = request_.check(answer)
    if violation is None:
        assert (
            kind.wire.answer_from_json(request_, json.loads(json.dumps(kind.wire.answer_to_json(request_, answer))))
            == answer
        )
    else:
        assert isinstance(violation, Violation)


# Found by fuzzing.

CRASHERS = {
    "a setup for more players than fit into memory": (
        b'{"format":"wateringhole-record","version":1,"game":"porrinha","rules_version":1,"names":["a","b"],'
        b'"setup":{"players":999999999999999999992,"rules":{}}}\n'
    ),
}


@pytest.mark.parametrize("text", CRASHERS.values(), ids=CRASHERS.keys())
def test_what_once_broke_the_reader_of_records_is_refused_now(text: bytes) -> None:
    with pytest.raises(Failure):
        read_record(text)
