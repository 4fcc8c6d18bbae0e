"""The targets: functions that read untrusted bytes as the package does, and raise an exception only for a bug."""

from __future__ import annotations

import asyncio
import atexit
import contextlib
import functools
from collections.abc import Callable, Mapping
from typing import Any

from tools.fuzz.memory_port import receive
from tools.fuzz.samples import positions
from tools.fuzz.server import Server

from wateringhole import fallbacks, registry
from wateringhole.errors import OperationError, WateringHoleError
from wateringhole.game import AnyKind, Game, Notice, Seat, Violation
from wateringhole.match.record import read_record
from wateringhole.player import IllegalAnswer, PlayerFailed
from wateringhole.protocol import json
from wateringhole.protocol.foreign import AnyProtocol, foreign_protocols
from wateringhole.protocol.frames import INCOMPLETE, FrameError, FrameReader
from wateringhole.protocol.host import HostEnd, ask, check_style
from wateringhole.protocol.messages import PROTOCOL, Hello, Style, Unreadable, to_line
from wateringhole.protocol.player import PlayerEnd
from wateringhole.testing.games import make_bot
from wateringhole.web.replays import replay_of

__all__ = ["FIRST_CHOICE", "TARGETS", "answers", "close", "decoder", "frames", "http", "records"]

FIRST_CHOICE = ord("!")
"""The first byte of an input for `answers` chooses the position and the style, from this printable character on."""


def decoder(data: bytes) -> None:
    """Read lines as the messages of a player, then as those of a host, and as the values of every game."""
    lines = data.splitlines()
    for kind in registry.kinds():
        for line in lines:
            _read_as_host(kind, line)
            _read_as_values(kind, line)
    _read_as_player(lines)


def _read_as_host(kind: AnyKind, line: bytes) -> None:
    with contextlib.suppress(Unreadable):
        HostEnd(kind).is_knock(line)
    with contextlib.suppress(Unreadable):
        hello = HostEnd(kind).read_hello(line)
        hello.name_of()
        check_style(kind, hello)
    end = HostEnd(kind)
    end.question("fuzz", {})
    with contextlib.suppress(Unreadable, IllegalAnswer, PlayerFailed):
        end.receive(line)


def _read_as_values(kind: AnyKind, line: bytes) -> None:
    try:
        value = json.parse(line)
    except ValueError:
        return
    codec = kind.codec
    for read, write in (
        (codec.setup_from_json, codec.setup_to_json),
        (codec.event_from_json, codec.event_to_json),
        (codec.request_from_json, codec.request_to_json),
        (codec.view_from_json, codec.view_to_json),
        (codec.violation_from_json, codec.violation_to_json),
    ):
        try:
            found: Any = read(value)
        except (ValueError, WateringHoleError):
            continue
        again = read(json.parse(to_line(write(found))))
        assert again == found, f"{found!r} is read back as {again!r}"


def _read_as_player(lines: list[bytes]) -> None:
    end = PlayerEnd(lambda game: make_bot(_usual_bot(registry.game_kind(game)), 0))
    for line in lines:
        with contextlib.suppress(WateringHoleError):
            end.receive(line)


def _usual_bot(kind: AnyKind) -> Any:
    assert kind.bots is not None
    bots = kind.bots()
    return bots.players[bots.usual[0]].load()


def frames(data: bytes) -> None:
    """Read a stream as JSON values, in chunks of any size alike; then as a port, and as both ends of every protocol."""
    for greets in (False, True):
        whole = _values(data, len(data), greets)
        for chunk in (1, 7):
            parts = _values(data, chunk, greets)
            assert parts == whole, f"in chunks of {chunk} bytes: {parts}; at once: {whole}"
    log = _loop().run_until_complete(receive(data))
    assert not any("unexpected error" in line for line in log), "\n".join(log)
    for each in foreign_protocols():
        _read_as_foreign_server(each.kind, each.protocol, data)
        for dialect in (None, *each.protocol.dialects):
            _read_as_foreign_player(each.kind, each.protocol, dialect, data)


@functools.cache
def _loop() -> asyncio.AbstractEventLoop:
    return asyncio.new_event_loop()


def _values(data: bytes, chunk: int, greets: bool) -> list[Any]:
    """Return all values in a stream, and the error that ends it."""
    reader = FrameReader(may_greet=greets)
    values: list[Any] = []
    try:
        for start in range(0, len(data), max(chunk, 1)):
            reader.feed(data[start : start + chunk])
            while (value := reader.take()) is not INCOMPLETE:
                values.append(value)
        reader.close()
        while True:
            values.append(reader.take())
    except FrameError as error:
        return [*values, str(error)]


def _read_as_foreign_server(kind: AnyKind, protocol: AnyProtocol, data: bytes) -> None:
    reader = FrameReader(may_greet=True)
    reader.feed(data)
    reader.close()
    asked = [position for position in positions() if position.kind.name == kind.name]
    try:
        end = protocol.server_end(reader, reader.take())
        end.welcome(0.0)
        end.take_seat([end.name, "Bob", "Eve"], asked[0].game.view(None).rules)
        for position in asked:
            end.ask(position.request, 0.0)
            if (answer := end.answer()) is None:
                return
            position.request.accept(answer)
    except (FrameError, ValueError, PlayerFailed):
        return


def _read_as_foreign_player(kind: AnyKind, protocol: AnyProtocol, dialect: str | None, data: bytes) -> None:
    end = protocol.client_end("Ada", dialect)
    end.sign_up()
    end.reader.feed(data)
    end.reader.close()
    bot = make_bot(_usual_bot(kind), 0)
    try:
        while (taken := end.take()) is not None:
            if isinstance(taken, Notice | tuple):
                continue
            end.reply(taken, bot.answer(taken))
    except (OperationError, IllegalAnswer):
        end.ending()


def answers(data: bytes) -> None:
    """Answer a request of a real game: with a legal answer, or with one that is refused."""
    if not data:
        return
    number, is_stepwise = divmod((data[0] - FIRST_CHOICE) % (2 * len(positions())), 2)
    kind, game, request, others = positions()[number]
    end = HostEnd(kind)
    style: Style = "stepwise" if is_stepwise and kind.stepwise else "whole"
    asking = ask(end, kind, Hello(protocol=PROTOCOL, style=style), request)
    next(asking)
    try:
        for line in data[1:].splitlines():
            asking.send(b'{"type":"answer","id":%d,"answer":%b}' % (end.serial, line))
        return
    except (Unreadable, IllegalAnswer, PlayerFailed):
        return
    except StopIteration as finished:
        accepted = request.accept(finished.value)
    if isinstance(accepted, Violation):
        assert fallbacks.sentence_for(kind, accepted)
        end.refused(accepted)
        return
    recorded = kind.codec.answer_to_json(request, accepted)
    again = request.accept(kind.codec.answer_from_json(request, json.parse(to_line({"answer": recorded}))["answer"]))
    ends = [_after(kind, game.copy(), {**others, request.seat: answer}) for answer in (accepted, again)]
    assert ends[0] == ends[1], f"{accepted!r} is recorded as {again!r}, which leads to another game"


def _after(kind: AnyKind, game: Game[Any, Any, Any], given: Mapping[Seat, Any]) -> Any:
    """Return what a spectator knows after answers."""
    for event in game.advance(given):
        kind.codec.event_to_json(event)
    return kind.codec.view_to_json(game.view(None)), game.outcome


def records(data: bytes) -> None:
    """Read a record, verify it, and show it as text and as a page: all of it, or none with a clear error."""
    try:
        record = read_record(data)
    except OperationError:
        return
    record.seconds()
    for show in (record.narrate, lambda: record.narrate(Seat(0)), lambda: replay_of(record)):
        with contextlib.suppress(OperationError):
            show()


def http(data: bytes) -> None:
    """Send bytes to a real server, which must stay alive, serve its lobby and report no unexpected error."""
    server = _server()
    server.send(data)
    problem = server.problem()
    assert problem is None, problem


@functools.cache
def _server() -> Server:
    return Server()


@atexit.register
def close() -> None:
    """Stop the server and the event loop, if there are any."""
    for started in (_server, _loop):
        if started.cache_info().currsize:
            started().close()
            started.cache_clear()


TARGETS: dict[str, Callable[[bytes], None]] = {
    each.__name__: each for each in (decoder, frames, answers, records, http)
}
