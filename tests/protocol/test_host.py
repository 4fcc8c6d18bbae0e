"""The protocol without a transport: messages match `docs/reference/protocol.md`, and no input crashes its reader."""

from __future__ import annotations

import inspect
import itertools
import json
import re
from typing import Any

import msgspec
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from tests.conftest import ROOT
from tests.protocol.examples import EXAMPLES
from wateringhole import registry
from wateringhole.errors import OperationError
from wateringhole.facets import RawAnswer
from wateringhole.game import AnyKind, Event, Forfeit, Notice, ReportedViolation, Seat, Violation, violation_of
from wateringhole.games.evolution import Pass
from wateringhole.games.evolution.bots import stepwise_wire
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.games.evolution.bots.stepwise import StepwisePlayer
from wateringhole.games.evolution.rules import events as evolution_events
from wateringhole.games.porrinha.bots.player import Player as PorrinhaPlayer
from wateringhole.games.porrinha.rules import events as porrinha_events
from wateringhole.match.loops import play
from wateringhole.match.match import Match
from wateringhole.match.record import read_record
from wateringhole.protocol.host import HostEnd
from wateringhole.protocol.messages import Hello, Unreadable, to_line
from wateringhole.protocol.player import PlayerEnd

PAGE = (ROOT / "docs" / "reference" / "protocol.md").read_text(encoding="utf-8")
PORRINHA = registry.game_kind("porrinha")
EVOLUTION = registry.game_kind("evolution")

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=6) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=20,
)


def first_requests(kind: AnyKind, players: int) -> dict[str, Any]:
    """Return one request of each kind, from a game of plain answers."""
    game = kind.new_game(kind.deal(players, kind.default_rules, 3))
    found: dict[str, Any] = {}
    for _ in range(100):
        if game.outcome:
            break
        answers = {}
        for seat, request in game.requests.items():
            found.setdefault(request.name, request)
            answers[seat] = Silly().answer(request) if kind is EVOLUTION else request.default_answer()
        game.advance(answers)
    return found


REQUESTS = [
    pytest.param(kind, request, id=f"{kind.name} {name}")
    for kind, players in ((EVOLUTION, 4), (PORRINHA, 3))
    for name, request in first_requests(kind, players).items()
]


# The page

Messages = list[tuple[str, dict[str, Any]]]


def conversations() -> dict[str, list[str]]:
    """Return the lines of each conversation of the page, by name."""
    blocks = re.findall(r"^```conversation ([a-z-]+)\n((?:[<>] .*\n)+)```$", PAGE, re.MULTILINE)
    return {name: lines.splitlines() for name, lines in blocks}


def messages(name: str) -> Messages:
    return [(line[0], json.loads(line[2:])) for line in conversations()[name]]


def all_messages() -> Messages:
    return [each for name in conversations() for each in messages(name)]


@pytest.mark.parametrize("name", EXAMPLES)
def test_the_host_sends_exactly_the_messages_on_the_page(name: str) -> None:
    # After an intended change, `python -m tests.protocol.examples` prints the new conversations.
    assert conversations()[name] == EXAMPLES[name]()


def test_every_conversation_on_the_page_is_tested() -> None:
    assert conversations().keys() == EXAMPLES.keys()
    assert PAGE.count("```conversation") == len(EXAMPLES)


def rows(heading: str, page: str = PAGE) -> list[list[str]]:
    """Return the cells of all tables whose first column has a heading."""
    found = []
    for table in re.findall(rf"^\| {heading} \|.*\n\|[-|]+\n((?:\|.*\n)+)", page, re.MULTILINE):
        found += [[cell.strip() for cell in row.strip("|").split(" | ")] for row in table.splitlines()]
    return found


def names_in(cell: str) -> list[str]:
    """Return the names in backquotes, except those in brackets."""
    return re.findall(r"`([\w-]+)`", re.sub(r"\([^()]*\)", "", cell))


FROM_THE_HOST = {"hello", "game", "notice", "request", "refused", "event", "result", "bye"}
FROM_THE_PLAYER = {"hello", "answer", "pass", "failed", "knock"}


def test_every_message_type_is_in_the_table_and_in_an_example() -> None:
    table = {(sender, names_in(type_)[0]) for type_, sender, _ in rows("type")}
    types = {("host", type_) for type_ in FROM_THE_HOST} | {("player", type_) for type_ in FROM_THE_PLAYER}
    assert table == types
    assert {("host" if side == ">" else "player", message["type"]) for side, message in all_messages()} == types


def test_every_field_in_an_example_is_in_the_table() -> None:
    table = {(sender, names_in(type_)[0]): fields for type_, sender, fields in rows("type")}
    for side, message in all_messages():
        fields = table["host" if side == ">" else "player", message["type"]]
        # Other tables list the fields of each notice, request and event.
        for field in message.keys() - {"type"} if message["type"] not in ("notice", "request", "event") else ():
            assert f"`{field}`" in fields


def rules_of(name: str) -> tuple[AnyKind, Any]:
    """Return the game of a conversation, and its rules as the host sent them."""
    kind = PORRINHA if name in ("porrinha", "acknowledged") else EVOLUTION
    sent = [message["rules"] for _, message in messages(name) if message["type"] == "game"]
    profile = "framework" if name == "arrange" else next(iter(kind.profiles))
    return kind, sent[0] if sent else msgspec.to_builtins(kind.profiles[profile].rules)


@pytest.mark.parametrize("name", ["porrinha", "evolution", "declare", "feed", "arrange"])
def test_requests_on_the_page_are_readable_and_their_answers_legal(name: str) -> None:
    kind, rules = rules_of(name)
    seat = 1 if name == "porrinha" else 0
    conversation = messages(name)
    asked = 0
    for (_, message), (_, reply) in itertools.pairwise(conversation):
        if message["type"] == "request":
            asked += 1
            view = {**message["view"], "rules": rules}
            full = {"rules": rules, "seat": seat, **message, "kind": message["request"], "view": view}
            request = kind.codec.request_from_json(full)
            assert (reply["type"], reply["id"]) == ("answer", message["id"])
            assert violation_of(request, kind.codec.answer_from_json(request, reply["answer"])) is None
            assert json.loads(HostEnd(kind).request(request, seconds=5.0))["view"] == message["view"]
    assert asked


@pytest.mark.parametrize("name", ["porrinha", "evolution", "trouble", "acknowledged"])
def test_events_and_notices_on_the_page_are_readable(name: str) -> None:
    kind, rules = rules_of(name)
    seat = 1 if name == "porrinha" else 0
    delivered = [message for _, message in messages(name) if message["type"] in ("event", "notice")]
    for message in delivered:
        whole = {"rules": rules, "seat": seat, **message}
        if "view" in whole:
            whole["view"] = {**whole["view"], "rules": rules}
        event = kind.codec.event_from_json(whole)
        assert type(event).__name__ == message["event"]
        assert kind.codec.event_to_json(event).keys() <= whole.keys()
    assert delivered


class Ada(PorrinhaPlayer):
    """A player with the answers of Ada on the page."""

    wants_events = True

    def hand(self) -> int:
        return 0

    def guess(self) -> int:
        return 1


def test_the_player_end_sends_the_messages_on_the_page() -> None:
    player_end = PlayerEnd(lambda game: Ada(), "Ada")
    conversation = messages("porrinha")
    for (side, message), (answering, reply) in zip(conversation, [*conversation[1:], ("", {})], strict=True):
        if side == ">":
            answered = player_end.receive(json.dumps(message).encode())
            assert (json.loads(answered) if answered else None) == (reply if answering == "<" else None)
    assert player_end.farewell == "the series is over"


def test_the_host_reads_every_player_message_on_the_page() -> None:
    for side, message in all_messages():
        line = json.dumps(message).encode()
        if side == "<":
            host_end = HostEnd(EVOLUTION)
            for _ in range(message.get("id", 0)):
                host_end.question("any", {})
            match message["type"]:
                case "knock":
                    assert host_end.is_knock(line)
                case "hello":
                    given = {field: value for field, value in message.items() if field != "type"}
                    assert msgspec.to_builtins(host_end.read_hello(line)).items() >= given.items()
                case "failed":
                    assert host_end.read(line) is None
                    assert host_end.failure() == Forfeit(message["reason"], message["message"])
                case "pass":
                    assert host_end.read(line) == RawAnswer(is_pass=True)
                case _:
                    assert host_end.read(line) == RawAnswer(message["answer"])


@pytest.mark.parametrize(("kind", "request_"), REQUESTS)
def test_requests_and_views_have_the_fields_that_the_page_names(kind: AnyKind, request_: Any) -> None:
    message = json.loads(HostEnd(kind).request(request_))
    assert message["request"] in {names_in(row[0])[0] for row in rows("request")}
    assert "rules" not in message["view"]
    for field in (message.keys() | message["view"].keys()) - {"type", "request"}:
        assert f"`{field}`" in PAGE, f"the page does not say what {field} is"


# The tables of events

EVENTS = {
    kind.name: [
        each
        for each in vars(module).values()
        if isinstance(each, type) and issubclass(each, Event) and each not in (Event, Notice)
    ]
    for kind, module in ((PORRINHA, porrinha_events), (EVOLUTION, evolution_events))
}


def tag(event: type[Event]) -> str:
    """Return the name under which an event is sent; a rename of its class does not change it."""
    return str(event.__struct_config__.tag)


def section(game: str) -> str:
    return PAGE.partition(f"\n## {game.capitalize()}\n")[2].partition("\n## ")[0]


@pytest.mark.parametrize("game", EVENTS)
def test_the_page_lists_every_event_and_notice_with_all_its_fields(game: str) -> None:
    tables = [(event, fields) for _, event, fields in rows("notice", section(game))]
    tables += [(event, fields) for event, fields, _ in rows("event", section(game))]
    listed = {names_in(event)[0]: names_in(fields) for event, fields in tables}
    assert listed == {
        tag(event): [
            field.name
            for field in msgspec.structs.fields(event)
            # A notice has the seat and the rules of the current game.
            if not issubclass(event, Notice) or field.name not in ("seat", "rules")
        ]
        for event in EVENTS[game]
    }


def test_the_page_names_notices_after_their_hooks() -> None:
    for game in EVENTS:
        for name, event, _ in rows("notice", section(game)):
            (found,) = [each for each in EVENTS[game] if each.__name__ == names_in(event)[0]]
            method = found.__dict__["method"]
            assert names_in(name) == [method if isinstance(method, str) else "end_game"]


class Rash(PorrinhaPlayer):
    """A player that makes every reported mistake."""

    def hand(self) -> int:
        return -1

    def guess(self) -> int:
        return -1


def events_of(kind: AnyKind) -> list[Event]:
    """Return all events of a game."""
    emitted: list[Event] = []
    setup = kind.deal(3, kind.default_rules, 3)
    if kind is PORRINHA:
        setup = kind.deal(3, kind.rules(max_rounds=3), 3)
    match = Match(kind, setup, observers=[emitted.append])
    play(match, [Silly() for _ in range(3)] if kind is EVOLUTION else [Rash() for _ in range(3)])
    return emitted


def who_sees(event: Event) -> str:
    """Return who sees an event, in the words of the page."""
    if type(event).seen_by is Event.seen_by:
        return "all"
    owner = getattr(event, "seat", Seat(0))
    own, others = event.seen_by(owner), event.seen_by(Seat(owner + 1))
    if others is None:
        return "only `seat`"
    for field, value in msgspec.structs.asdict(event).items():
        if value is not None and getattr(others, field) is None:
            whose = "to none" if getattr(own, field) is None else "only to `seat`"
            return f"all; `{field}` {whose}"
    return "all"


@pytest.mark.parametrize("game", EVENTS)
def test_the_page_states_who_sees_an_event(game: str) -> None:
    listed = {names_in(event)[0]: seen for event, _, seen in rows("event", section(game))}
    known = {
        tag(type(event)): who_sees(event)
        for event in events_of(registry.game_kind(game))
        if not isinstance(event, Notice)
    }
    for event in EVENTS[game]:
        if event.seen_by is Event.seen_by:
            known.setdefault(tag(event), "all")
    assert listed == known


def test_the_page_lists_the_step_requests_with_their_arguments() -> None:
    listed = {names_in(question)[0]: names_in(arguments) for question, arguments, _ in rows("step request")}
    questions = {
        name: list(inspect.signature(getattr(StepwisePlayer, name)).parameters)[1:] for name in stepwise_wire._READERS
    }
    assert {name: [*arguments, "player", "opponents"] for name, arguments in listed.items()} == questions
    assert list(listed) == list(questions), "in the order in which they are asked"


# Reading


@pytest.mark.parametrize("line", [b'{"type":"hello","protocol":1}', b' {"type":"hello","protocol":1,"new":[1]}\r\n'])
def test_unknown_fields_in_a_hello_are_ignored(line: bytes) -> None:
    assert HostEnd(PORRINHA).read_hello(line) == Hello(1)


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
def test_an_invalid_hello_is_refused_with_the_reason(line: bytes, message: str) -> None:
    with pytest.raises(Unreadable, match=message):
        HostEnd(PORRINHA).read_hello(line)


def asked(kind: AnyKind = PORRINHA) -> HostEnd:
    host_end = HostEnd(kind)
    host_end.question("hand", {})
    return host_end


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
def test_messages_that_do_not_belong_to_the_open_request_are_ignored(line: bytes) -> None:
    host_end = asked()
    assert host_end.read(line) is None
    assert host_end.failure() is None
    assert host_end.read(b'{"type":"answer","id":1,"answer":2}') == RawAnswer(2)


def test_an_answer_counts_once() -> None:
    host_end = asked()
    assert host_end.read(b'{"type":"pass","id":1}') == RawAnswer(is_pass=True)
    assert host_end.read(b'{"type":"pass","id":1}') is None


def test_the_reason_for_an_unreadable_message_is_one_short_printable_line() -> None:
    with pytest.raises(Unreadable) as refused:
        HostEnd(EVOLUTION).read_hello(to_line({"type": "hello", "protocol": 1, "style": "\x1b[2J\n" * 10_000}))
    assert str(refused.value).isprintable()
    assert len(str(refused.value)) <= 300


def test_a_failure_is_returned_once_and_for_its_player_only() -> None:
    host_end = HostEnd(PORRINHA, 2)
    assert host_end.read(b'{"type":"failed","player":1,"reason":"left","message":"bye"}') is None
    assert host_end.failure(0) is None
    assert host_end.failure(1) == Forfeit("left", "bye")
    assert host_end.failure(1) is None


def test_a_reported_failure_becomes_short_and_printable() -> None:
    host_end = HostEnd(PORRINHA)
    message = {"type": "failed", "message": "so\nhost: all is well \x1b[2J" + "!" * 100_000}
    for fields in ({"reason": "left"}, {"reason": "illegal", "rule": "any\nother"}):
        host_end.read(to_line(message | fields))
        failure = host_end.failure()
        assert isinstance(failure, Forfeit | ReportedViolation)
        assert failure.message.isprintable()
        assert len(failure.message) <= 300
        assert isinstance(failure, Forfeit) or failure.rule == "any other"


def test_a_pass_is_the_default_answer_if_there_is_one() -> None:
    requests = first_requests(EVOLUTION, 4)
    host_end = HostEnd(EVOLUTION)
    assert host_end.parse_answer(requests["feed"], RawAnswer(is_pass=True)) == Pass()
    with pytest.raises(Unreadable, match="a request to declare cannot be passed"):
        host_end.parse_answer(requests["declare"], RawAnswer(is_pass=True))


@given(st.binary(max_size=60) | json_values.map(lambda value: json.dumps(value).encode()))
def test_no_line_crashes_the_reader(line: bytes) -> None:
    for read in (asked().read, HostEnd(EVOLUTION).read_hello):
        why = ""
        try:
            read(line)
        except Unreadable as error:
            why = str(error)
        assert why.isprintable()


@pytest.mark.parametrize(("kind", "request_"), REQUESTS)
@given(value=json_values)
@example(value="\x1b[2J\n" * 100)
def test_any_value_is_an_answer_or_unreadable(kind: AnyKind, request_: Any, value: Any) -> None:
    why = ""
    try:
        answer = HostEnd(kind).parse_answer(request_, RawAnswer(value))
    except Unreadable as error:
        why = str(error)
    # The text is printed on terminals and in logs with one line per entry.
    assert why.isprintable()
    assert len(why) < 300
    if why:
        return
    violation = violation_of(request_, answer)
    if violation is None:
        assert (
            kind.codec.answer_from_json(request_, json.loads(json.dumps(kind.codec.answer_to_json(request_, answer))))
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
def test_records_that_once_crashed_the_reader_are_refused(text: bytes) -> None:
    with pytest.raises(OperationError):
        read_record(text)
