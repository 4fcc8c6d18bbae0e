"""The captured games of the original server: through the codec, and through this package's dealer."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from tests.games.evolution.conversations import REFERENCE, Capture, HostedTable, read_captures
from wateringhole.games.evolution import DeclareCards, FeedNext
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.games.evolution.course import DIALECTS, ClientEnd
from wateringhole.games.evolution.rules.events import YourTurnStarts
from wateringhole.protocol.frames import INCOMPLETE, FrameReader, frame

PLAYED_BY_SILLY = ("racket-3p-sorted", "racket-8p-sorted", "racket-3p-seed32", "racket-3p-short")
MISBEHAVING = "racket-8conn-misbehaving"


@pytest.fixture(scope="module")
def games(captures: Path) -> dict[str, Capture]:
    return {Path(capture.file).stem: capture for capture in read_captures(captures)}


def from_server(capture: Capture) -> list[tuple[int, object]]:
    return [(line.conn, line.msg) for line in capture.messages if line.is_from_server]


def test_captures_are_the_expected_ones(games: dict[str, Capture]) -> None:
    assert set(games) == {*PLAYED_BY_SILLY, MISBEHAVING}


@pytest.mark.parametrize("size", [1, 2, 3, 7, 64, 1000, 10**6])
@pytest.mark.parametrize("name", [*PLAYED_BY_SILLY, MISBEHAVING])
def test_captured_messages_are_read_from_chunks_of_any_size(games: dict[str, Capture], name: str, size: int) -> None:
    messages = [line.msg for line in games[name].messages]
    stream = b"".join(map(frame, messages))
    reader = FrameReader()
    taken = []
    for at in range(0, len(stream), size):
        reader.feed(stream[at : at + size])
        while (value := reader.take()) is not INCOMPLETE:
            taken.append(value)
    assert taken == messages
    assert b"".join(map(frame, taken)) == stream


@pytest.mark.parametrize("name", [*PLAYED_BY_SILLY, MISBEHAVING])
def test_captured_messages_are_written_as_the_original_wrote_them(
    captures: Path, games: dict[str, Capture], name: str
) -> None:
    texts = [
        msgspec.json.decode(line, type=dict[str, msgspec.Raw])
        for line in (captures / f"{name}.jsonl").read_bytes().splitlines()
    ]
    assert [bytes(line["msg"]) + b" " for line in texts if "msg" in line] == [
        frame(line.msg) for line in games[name].messages
    ]


@pytest.mark.parametrize("name", [*PLAYED_BY_SILLY, MISBEHAVING])
def test_server_end_sends_the_captured_messages_for_the_captured_answers(games: dict[str, Capture], name: str) -> None:
    """Use the captured answers; a client without an answer in the capture is late."""
    capture = games[name]
    table = HostedTable()
    sign_ups(table, capture)
    for conn, end, call in table.questions(capture.setup()):
        end.reader.feed(captured_answer(capture, conn, len(table.sent)))
        table.report(end, call)
    assert table.sent == from_server(capture)
    assert table.ranking() == capture.results_rank_id_score


def sign_ups(table: HostedTable, capture: Capture) -> None:
    """Send the first message of every connection, in the order of the connections."""
    first = {line.conn: line for line in reversed(capture.lines) if not line.is_from_server and line.event != "eof"}
    for conn, line in sorted(first.items()):
        table.sign_up(conn, frame(line.msg) if line.bytes is None else line.bytes.encode())


def captured_answer(capture: Capture, conn: int, sent: int) -> bytes:
    """Return a connection's immediate answer to the server's n-th message, or nothing if there was none."""
    lines = capture.messages
    seen = 0
    for at, line in enumerate(lines):
        seen += line.is_from_server
        if seen == sent:
            follows = lines[at + 1]
            return frame(follows.msg) if not follows.is_from_server and follows.conn == conn else b""
    raise AssertionError("the original server sent fewer messages")


def test_bad_clients_are_thrown_out_at_the_same_point_as_in_the_original(games: dict[str, Capture]) -> None:
    capture = games[MISBEHAVING]
    table = HostedTable()
    sign_ups(table, capture)
    assert table.conns == [1, 2, 3, 4, 5, 6, 8], "7 signs up with broken JSON"
    asked_last = {}
    for conn, end, call in table.questions(capture.setup()):
        assert isinstance(call.argument, DeclareCards | FeedNext)
        asked_last[conn] = (call.argument.view.turn, call.argument.name)
        end.reader.feed(captured_answer(capture, conn, len(table.sent)))
        table.report(end, call)
    forfeits = table.forfeits()
    assert [(conn, forfeit.reason, *asked_last[conn]) for conn, forfeit in forfeits.items()] == [
        (5, "unreadable", 1, "declare"),
        (6, "late", 1, "feed"),
        (4, "illegal", 2, "declare"),
        (8, "late", 2, "declare"),
    ]
    assert forfeits[5].message == (
        "the answer to choose cannot be read: a list of 0 is not an Action4: "
        "it is [food card, population growth, body growth, new boards, replacements]"
    )
    assert "there is no board 3" in forfeits[4].message


@pytest.mark.parametrize("dialect", ["reference", "course"])
@pytest.mark.parametrize("name", PLAYED_BY_SILLY)
def test_both_ends_play_the_captured_games(games: dict[str, Capture], name: str, dialect: str) -> None:
    """Play with silly players on client ends: every message and every answer equals the captured one."""
    capture = games[name]
    table = HostedTable()
    clients: dict[int, ClientEnd] = {}
    answered: list[tuple[int, object]] = []
    for conn in capture.signed_up:
        clients[conn] = ClientEnd("good guy", DIALECTS[dialect], rules=REFERENCE)
        table.sign_up(conn, clients[conn].sign_up())
    delivered = 0
    for conn, end, call in table.questions(capture.setup()):
        for to, message in table.sent[delivered:]:
            clients[to].reader.feed(frame(message))
        delivered = len(table.sent)
        reply = answer_of_silly(clients[conn])
        answered.append((conn, msgspec.json.decode(reply)))
        end.reader.feed(reply)
        table.report(end, call)
    assert table.sent == from_server(capture)
    assert answered == [
        (line.conn, line.msg) for line in capture.messages if not line.is_from_server and line.msg != "good guy"
    ]
    assert table.ranking() == capture.results_rank_id_score


def answer_of_silly(client: ClientEnd) -> bytes:
    """Return the answer to the first request that has arrived."""
    request = client.take()
    while isinstance(request, YourTurnStarts):
        request = client.take()
    assert isinstance(request, DeclareCards | FeedNext)
    return client.reply(request, Silly().answer(request))
