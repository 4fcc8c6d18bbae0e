"""The corpus: small real inputs for every target, made from games of our own bots.

``python -m tools.fuzz.corpus`` writes them to `tests/fuzz/corpus`, where inputs that once found a bug are kept too.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
from tools.fuzz.samples import Position, positions, sample_records
from tools.fuzz.server import OPERATOR
from tools.fuzz.targets import FIRST_CHOICE

from wateringhole import registry
from wateringhole.facets import Question, RawAnswer
from wateringhole.game import AnyKind, Forfeit, Notice, Seat
from wateringhole.match.record import read_record
from wateringhole.protocol.foreign import foreign_protocols
from wateringhole.protocol.frames import FrameReader, frame
from wateringhole.protocol.host import HostEnd
from wateringhole.protocol.messages import named_knock, to_line

__all__ = ["CORPUS", "inputs", "write"]

CORPUS = Path(__file__).parents[2] / "tests/fuzz/corpus"
NAMES = ("Ada", "Bob", "Eve")
_HELLO = {"type": "hello", "protocol": 1, "name": "Ada"}


def inputs(target: str) -> list[Path]:
    """Return the files of a target's corpus."""
    return sorted(path for path in (CORPUS / target).iterdir() if path.is_file())


def write() -> None:
    """Write the inputs of all targets; other inputs stay."""
    for target, make in MAKERS.items():
        folder = CORPUS / target
        folder.mkdir(parents=True, exist_ok=True)
        for old in folder.glob("made-*"):
            old.unlink()
        for data in dict.fromkeys(make()):
            (folder / f"made-{hashlib.sha256(data).hexdigest()[:12]}").write_bytes(data)


def _decoder() -> Iterator[bytes]:
    yield to_line({"type": "knock", "code": "abc"})
    yield to_line(_HELLO | {"style": "stepwise", "step_order": "cards", "events": True, "warnings": ["one"]})
    yield to_line(_HELLO | {"token": "secret", "heard": 3, "names": ["Ada"], "person": True, "acknowledges": True})
    yield to_line({"type": "answer", "id": 1, "answer": [0, [1, 2], None]})
    yield to_line({"type": "pass", "id": 1})
    yield to_line({"type": "failed", "id": 1, "reason": "illegal", "rule": "hand card", "message": "no"})
    yield to_line({"type": "failed", "reason": "exception", "traceback": "Traceback\n  line 1", "message": "no"})
    for text in sample_records():
        yield _conversation(text)
    for position in _with_different_requests():
        codec = position.kind.codec
        yield to_line(codec.request_to_json(position.request))
        yield to_line(codec.view_to_json(position.game.view(None)))


def _conversation(text: bytes) -> bytes:
    """Return the beginning of what a host sends the player of the first seat, and a violation of the game."""
    record = read_record(text)
    kind, end, seat = record.kind, HostEnd(record.kind), Seat(0)
    lines = [end.hello(), end.game(seat, record.header.names, record.setup.rules)]
    seen = [event.seen_by(seat) for event, _ in zip(record, range(20), strict=False)]
    for event in filter(None, seen):
        lines.append(end.notice(event) if isinstance(event, Notice) else end.event(event))
    request = next(each.request for each in positions() if each.kind is kind and each.request.seat == seat)
    lines.append(end.request(request, seconds=10.0))
    violation = request.accept(object())
    return b"".join([*lines, end.refused(violation), end.bye("the game is over")])


def _with_different_requests() -> list[Position]:
    found = {(each.kind.name, each.request.name): each for each in positions()}
    return [*found.values()]


def _frames() -> Iterator[bytes]:
    yield b'"Ada" "ok" [1,[2,[]],{"a":-1.5e3}] false true null 12 "\\u00e9\\"" [] '
    yield b"Ada\n"
    yield named_knock("Ada") + to_line(_HELLO)
    yield to_line({"type": "knock"}) + to_line(_HELLO) + b"\n" + to_line({"type": "pass", "id": 1})
    yield to_line(_HELLO | {"token": "secret", "heard": 3})
    yield b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n"
    yield _upgrade("/") + _text_message(msgspec.json.encode(_HELLO))
    yield _upgrade("/") + _text_message(b'{"type":"knock"}') + b"\x89\x80\x00\x00\x00\x00" + b"\x88\x80\x00\x00\x00\x00"
    for each in foreign_protocols():
        yield from _foreign_streams(each.kind, each.protocol)


def _foreign_streams(kind: AnyKind, protocol: Any) -> Iterator[bytes]:
    """Yield what a server sends, and what a player sends who answers all requests."""
    rules = next(profile.rules for profile in kind.profiles.values() if protocol.refuses(profile.rules) is None)
    for dialect in protocol.dialects:
        client = protocol.client_end("Ada", dialect)
        server = protocol.server_end(FrameReader(), "Ada")
        server.take_seat(NAMES, rules)
        to_player, to_server = [server.welcome(0.0)], [client.sign_up()]
        record = next(found for found in map(read_record, sample_records()) if found.setup.rules == rules)
        for step in record.replay().advances():
            for notice in (event for event in step.events if isinstance(event, Notice) and event.seat == 0):
                to_player.append(server.notice(notice, 0.0))
            for seat, (request, answer) in step.answered.items():
                if seat == 0 and request is not None and not isinstance(answer, Forfeit):
                    to_player.append(server.ask(request, 0.0))
                    to_server.append(client.reply(request, answer))
        yield b"".join(to_player)[:3000]
        yield b"".join(to_server)[:1000]


def _answers() -> Iterator[bytes]:
    for number, (kind, _, request, given) in enumerate(positions()):
        answer = kind.codec.answer_to_json(request, given[request.seat])
        yield bytes([FIRST_CHOICE + 2 * number]) + msgspec.json.encode(answer)
        if kind.stepwise is not None:
            steps = _steps(kind, request)
            yield bytes([FIRST_CHOICE + 2 * number + 1]) + b"\n".join(map(msgspec.json.encode, steps))


def _steps(kind: AnyKind, request: Any) -> list[Any]:
    """Return simple answers to the step requests, as far as they are accepted."""
    assert kind.stepwise is not None
    given: list[RawAnswer] = []
    for _ in range(8):
        value: Any
        for value in (0, [0, 0], True, [], [[]]):
            try:
                step = kind.stepwise().proceed(request, [*given, RawAnswer(value)], None, None)
            except Exception:
                continue
            given.append(RawAnswer(value))
            if not isinstance(step, Question):
                return [each.answer for each in given]
            break
        else:
            break
    return [each.answer for each in given] or [0]


def _records() -> Sequence[bytes]:
    return sample_records()


def _http() -> Iterator[bytes]:
    for path in (
        *("/", "/api/lobby", "/replay/1-2-3", "/standings/1", "/tournaments/1", "/me", "/manifest.webmanifest"),
        *("/api/games/abc/record", "/api/games/abc/replay", "/api/games/abc/analysis", "/api/standings/1"),
        *("/static/js/table-state.js", "/static/text/current.js", "/games/evolution/board.js", "/table/abc?invite=1"),
    ):
        yield _request(
            "GET", path, b"", "Accept-Language: pt-BR,en;q=0.5\r\nIf-None-Match: abc\r\nRange: bytes=0-9\r\n"
        )
    seats = [{"kind": "me"}, {"kind": "bot", "player": "random"}, {"kind": "friend"}]
    for kind in registry.kinds():
        yield _post("/api/tables", {"game": kind.name, "name": "Ada", "seats": seats})
        plan = {"game": kind.name, "name": "Cup", "games": 2, "players": ["random", "random"], "operator": OPERATOR}
        yield _post("/api/tournaments", plan)
    token = {"token": "secret"}
    for path, value in {
        "/api/me": {"name": "Ada", "key": "secret"},
        "/api/me/open": {"key": "secret"},
        "/api/qr": {"text": "http://127.0.0.1/table/abc"},
        "/api/tables/abc/seat": {"name": "Ada", "invitation": "secret"},
        "/api/tables/abc/settings": token | {"settings": {"public": True, "rules": {}}},
        "/api/tables/abc/occupant": token | {"key": 1, "occupant": {"kind": "bot", "player": "random"}},
        "/api/tables/abc/start": token | {"absent": [1], "bots": True},
        "/api/tables/abc/order": token | {"keys": [1, 0]},
        "/api/tables/abc/seat-request": token | {"request": 1, "accept": True},
        "/api/tables/abc/remove": token | {"seat": 1, "ban": True},
        "/api/tables/abc/invitation": {"invitation": "secret"},
        "/api/tournaments/operator": {"token": OPERATOR},
        "/api/tournaments/1/enter": {"name": "Ada"},
    }.items():
        yield _post(path, value)
    yield _request("POST", "/api/replay", sample_records()[-1])
    body = b"f\r\n" + b'{"name": "Ada"}' + b"\r\n0\r\n\r\n"
    yield b"POST /api/me HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\n" + body
    hello = msgspec.json.encode({"type": "hello", "protocol": 1, "token": "secret", "heard": 0})
    yield _upgrade("/api/tables/abc/socket") + _text_message(hello)
    yield _upgrade("/") + _text_message(msgspec.json.encode(_HELLO))
    yield to_line({"type": "knock"}) + to_line(_HELLO)
    yield frame("Ada")


def _post(path: str, value: Any) -> bytes:
    return _request("POST", path, msgspec.json.encode(value))


def _request(method: str, path: str, body: bytes, more: str = "") -> bytes:
    length = f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n" if body else ""
    return f"{method} {path} HTTP/1.1\r\nHost: 127.0.0.1\r\n{more}{length}\r\n".encode() + body


def _upgrade(path: str) -> bytes:
    key = "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n"
    return _request("GET", path, b"", f"Connection: Upgrade\r\nUpgrade: websocket\r\n{key}")


def _text_message(text: bytes) -> bytes:
    """Return a short WebSocket message of a client, whose mask changes nothing."""
    assert len(text) < 126
    return bytes([0x81, 0x80 | len(text)]) + bytes(4) + text


MAKERS: Mapping[str, Callable[[], Iterator[bytes] | Sequence[bytes]]] = {
    "decoder": _decoder,
    "frames": _frames,
    "answers": _answers,
    "records": _records,
    "http": _http,
}


if __name__ == "__main__":
    write()
