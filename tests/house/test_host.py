"""A host and its tables: sign-up, seating, reconnection, and protection from bad players."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from typing import Any

import msgspec
import pytest

from tests.games.evolution.builders import rules
from tests.house.hosting import (
    EVOLUTION,
    LIMITS,
    PORRINHA,
    CourseClient,
    Hosted,
    JsonClient,
    WebSocketClient,
    forfeit_of,
    hosted,
    run,
)
from tests.waiting import until
from wateringhole.errors import OperationError
from wateringhole.game import Outcome
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.games.porrinha.bots.zero import Zero
from wateringhole.house.host import HostedGame, HouseServer, RecurringPlan
from wateringhole.house.limits import RateLimiter
from wateringhole.house.names import LONGEST_NAME
from wateringhole.house.transports.connection import Connection
from wateringhole.match.loops import play
from wateringhole.match.match import Match
from wateringhole.protocol.frames import SETTLE_SECONDS
from wateringhole.protocol.host import HostEnd

pytest.importorskip("websockets")

CLIENTS = (JsonClient, WebSocketClient)
AMPLE_TIME = 200.0
"""More seconds than anything takes on a busy machine, and less than the limit of `run`."""


def local_outcome(players: int) -> Outcome:
    """Return the outcome of a game of silly players without connections."""
    match = Match(EVOLUTION, EVOLUTION.deal(players, rules(), 0, deck="ascending"))
    play(match, [Silly() for _ in range(players)])
    assert match.outcome is not None
    return match.outcome


# Playing together


def test_players_of_every_protocol_play_evolution_like_local_players() -> None:
    async def test() -> HostedGame:
        async with hosted(players=5, bots=["silly"], start_delay=math.inf) as table:
            ada = await CourseClient.sign_up(table.port, "Ada")
            await table.signed_up("Ada")
            bob = await JsonClient.sign_up(table.port, "Bob", events=True)
            cy = await WebSocketClient.sign_up(table.port, "Cy")
            dee = await JsonClient.connect(table.port)
            await dee.send_message(type="knock")
            hello = await dee.message()
            await dee.send_message(type="hello", protocol=1, name="Dee", style="whole")
            dee.player_end.receive(msgspec.json.encode(hello))
            await table.signed_up("Dee")
            table.end_start_delay()
            await asyncio.gather(ada.play(), bob.play(), cy.play(), dee.play())
            assert {message["type"] for message in bob.received} >= {
                "hello",
                "game",
                "notice",
                "request",
                "event",
                "bye",
            }
            return await table.game()

    game = run(test())
    assert game.names == ("Ada#1", "Bob#2", "Cy#3", "Dee#4", "silly#5")
    assert game.played.outcome == local_outcome(5)


def test_players_over_tcp_and_websocket_play_porrinha_with_bots() -> None:
    async def test() -> HostedGame:
        async with hosted(PORRINHA, 4, bots=["counter", "zero"], start_delay=math.inf) as table:
            bob = await JsonClient.sign_up(table.port, "Bob", Zero)
            cy = await WebSocketClient.sign_up(table.port, "Bob", Zero)
            table.end_start_delay()
            await asyncio.gather(bob.play(), cy.play())
            return await table.game()

    game = run(test())
    assert game.names == ("Bob", "Bob 2", "counter", "zero")
    assert sorted(game.played.outcome.places().values()) == [1, 2, 3, 4]
    assert game.played.outcome.thrown_out == ()


@pytest.mark.parametrize(("seating", "first"), [("given", "Ada"), ("reversed", "Cy")])
def test_order_of_play_follows_or_reverses_the_sign_up(seating: str, first: str) -> None:
    async def test() -> HostedGame:
        async with hosted(rules=rules(seating=seating)) as table:
            clients = []
            for name in ("Ada", "Bob", "Cy"):
                clients.append(await CourseClient.sign_up(table.port, name))
                await table.signed_up(name)
            await asyncio.gather(*(client.play() for client in clients))
            return await table.game()

    assert f"{first}#1" in run(test()).names


def test_table_that_is_not_full_starts_after_the_start_delay() -> None:
    async def test() -> tuple[HostedGame, float]:
        async with hosted(players=range(3, 9), start_delay=0.3) as table:
            clients = [await JsonClient.sign_up(table.port) for _ in range(2)]
            # The delay starts at some time during the last sign-up.
            last = time.monotonic()
            clients.append(await JsonClient.sign_up(table.port))
            begins = await clients[0].message()
            waited = time.monotonic() - last
            clients[0].player_end.receive(msgspec.json.encode(begins))
            await asyncio.gather(*(client.play() for client in clients))
            return await table.game(), waited

    game, waited = run(test())
    assert len(game.names) == 3
    assert waited >= 0.29


def test_infinite_start_delay_waits_for_a_full_table() -> None:
    async def test() -> HostedGame:
        async with hosted(players=range(3, 5), start_delay=math.inf) as table:
            clients = [await JsonClient.sign_up(table.port) for _ in range(3)]
            # No game may begin meanwhile, however long this takes.
            await asyncio.sleep(0.2)
            assert not any(" begins" in line for line in table.log)
            clients.append(await JsonClient.sign_up(table.port))
            await asyncio.gather(*(client.play() for client in clients))
            return await table.game()

    assert len(run(test()).names) == 4


def test_result_has_the_seconds_of_each_player() -> None:
    async def test() -> HostedGame:
        async with hosted(bots=["silly"]) as table:
            await (await JsonClient.sign_up(table.port)).play()
            return await table.game()

    seconds = run(test()).played.seconds
    assert len(seconds) == 3
    assert all(taken > 0 for taken in seconds)


def test_players_beyond_a_full_table_play_at_the_next_one() -> None:
    async def test() -> list[tuple[str, ...]]:
        async with hosted(games=2, tables=2) as table:
            clients = [await JsonClient.sign_up(table.port, f"P{number}") for number in range(6)]
            plays = [asyncio.create_task(client.play()) for client in clients]
            games = [await table.game(), await table.game()]
            await table.host.close()
            await asyncio.gather(*plays)
            return sorted(game.names for game in games)

    assert run(test()) == [("P0#1", "P1#2", "P2#3"), ("P3#1", "P4#2", "P5#3")]


def test_players_beyond_all_full_tables_wait_in_the_lobby() -> None:
    async def test() -> list[tuple[str, ...]]:
        async with hosted(games=2, tables=1) as table:
            clients = [await CourseClient.sign_up(table.port, "early") for _ in range(3)]
            await table.logged("game 1 begins")
            clients += [await CourseClient.sign_up(table.port, "late") for _ in range(3)]
            await asyncio.gather(*(client.play() for client in clients))
            return [(await table.game()).names, (await table.game()).names]

    assert run(test()) == [("early#1", "early#2", "early#3"), ("late#1", "late#2", "late#3")]


def test_lobby_is_cleared_when_the_last_game_has_begun() -> None:
    async def test() -> list[list[dict[str, Any]]]:
        async with hosted(PORRINHA, 2) as table:
            bob, cy, dee = [await JsonClient.sign_up(table.port, name, Zero) for name in ("Bob", "Cy", "Dee")]
            await bob.next_request()
            eve = await JsonClient.sign_up(table.port, "Eve", Zero)
            for waits in (dee, eve):
                await waits.play()
            assert not any("game 1 is over" in line for line in table.log)
            await bob.close()
            await cy.close()
            return [dee.received, eve.received]

    for received in run(test()):
        assert received[1:] == [{"type": "bye", "reason": "the host has no more games"}]


def test_only_json_players_stay_for_the_next_game() -> None:
    async def test() -> tuple[list[HostedGame], JsonClient, CourseClient]:
        async with hosted(games=3, bots=["silly"], start_delay=math.inf) as table:
            ada = await CourseClient.sign_up(table.port, "Ada")
            await table.signed_up("Ada")
            bob = await JsonClient.sign_up(table.port, "Bob")
            table.end_start_delay()
            await asyncio.gather(ada.play(), bob.play())
            return [await table.game() for _ in range(3)], bob, ada

    games, bob, _ = run(test())
    assert [game.names for game in games] == [("Ada#1", "Bob#2", "silly#3")] + [("Bob#1", "silly#2", "silly#3")] * 2
    assert [message["type"] for message in bob.received].count("game") == 3
    assert bob.received[-1] == {"type": "bye", "reason": "the host has no more games"}


def test_games_are_recorded_and_can_be_verified() -> None:
    async def test() -> tuple[HostedGame, JsonClient]:
        async with hosted(keeps_records=True, seed=7, choices={}, bots=["greedy", "random"]) as table:
            player = await JsonClient.sign_up(table.port)
            await player.play()
            return await table.game(), player

    game, player = run(test())
    record = game.played.record
    assert record.header.names == game.names
    assert list(record.replay().events())
    published = [message["commitment"] for message in player.received if message["type"] == "game"]
    assert published == [record.header.commitment]
    # The nonce is revealed with the result.
    assert record.commitment is not None
    revealed = [message["nonce"] for message in player.received if message["type"] == "result"]
    assert revealed == [record.commitment.nonce]
    assert not any("nonce" in message for message in player.received if message["type"] != "result")
    assert game.played.commitment == record.commitment


def test_remote_stepwise_player_gets_step_requests() -> None:
    async def test() -> tuple[HostedGame, set[str]]:
        async with hosted(bots=["silly"]) as table:
            bob = await JsonClient.sign_up(table.port, "Bob", style="stepwise")
            asked = set()
            while request := await bob.next_request():
                asked.add(request["request"])
                if request["request"] == "trade_cards_for_population":
                    await bob.send_message(type="answer", id=request["id"], answer=request["arguments"]["cards"][:1])
                else:
                    await bob.send_message(type="pass", id=request["id"])
            await bob.close()
            return await table.game(), asked

    game, asked = run(test())
    assert forfeit_of(game, "Bob") is None
    assert asked >= {"select_food_card", "trade_cards_for_boards", "select_board_to_give_population"}
    assert not asked & {"declare", "feed"}


def test_remote_stepwise_player_selects_the_order_of_its_step_requests() -> None:
    async def test() -> list[str]:
        async with hosted(bots=["silly"]) as table:
            bob = await JsonClient.sign_up(table.port, "Bob", style="stepwise", step_order="document")
            asked = []
            for _ in range(2):
                request = await bob.next_request()
                assert request is not None
                asked.append(request["request"])
                await bob.send_message(type="pass", id=request["id"])
            await bob.close()
            return asked

    assert run(test()) == ["select_food_card", "place_cards_on_boards"]


def test_names_are_made_printable_and_short() -> None:
    async def test() -> HostedGame:
        async with hosted(PORRINHA, 2) as table:
            clients = [await JsonClient.sign_up(table.port, name, Zero) for name in ("a\nb\x1b[31m", "x" * 500)]
            await asyncio.gather(*(client.play() for client in clients))
            return await table.game()

    assert run(test()).names == ("a b [31m", "x" * (LONGEST_NAME - 1) + "…")


def test_equal_names_get_distinct_numbers() -> None:
    async def test() -> HostedGame:
        async with hosted(PORRINHA, 4) as table:
            names = ("Ada", "Ada 1", "Ada", "Bob")
            clients = [await JsonClient.sign_up(table.port, name, Zero) for name in names]
            await asyncio.gather(*(client.play() for client in clients))
            return await table.game()

    assert run(test()).names == ("Ada", "Ada 2", "Ada 3", "Bob")


# Refused connections


REFUSED: dict[str, tuple[bytes, str]] = {
    # name: the first bytes of a connection, and a part of the line in the log
    "a number": (b"7 ", "a sign-up is a JSON string"),
    "a list": (b'["Ada"]', "a sign-up is a JSON string"),
    "junk": (b"\x00\x01\x02", "not JSON"),
    "invalid UTF-8": (b'"\xff"', "UTF-8"),
    "a name without end": (b'"' + b"x" * 100_000, "more than 65536 bytes"),
    "a nest without end": (b"[" * 1000, "nested more than"),
    "half a name, then nothing": (b'"Ad', "no sign-up within 0.3 s"),
    "nothing": (b"", "no sign-up within 0.3 s"),
    "a web page that posts": (b"POST / HTTP/1.1\r\nHost: x\r\n\r\n", "it sent an HTTP request"),
    "a web page that gets": (b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", "no WebSocket"),
    "half a request": (b"GET / HTTP/1.1\r\n", "no HTTP request within 0.3 s"),
    "no request": (b"GET \r\n\r\n\r\n", "it sent no valid HTTP request"),
    "too many headers": (b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 20_000, "it sent no valid HTTP request"),
    "a long header": (b"GET / HTTP/1.1\r\nX: " + b"y" * 100_000 + b"\r\n", "it sent no valid HTTP request"),
    "no request after the handshake": (b"GET / HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\n\r\n", "no WebSocket"),
    "another message": (b'{"type":"answer","id":1,"answer":0}\n', "the first message must be a hello"),
    "another protocol": (b'{"type":"hello","protocol":99}\n', "it speaks protocol 99"),
    "no such style": (b'{"type":"hello","protocol":1,"style":"wild"}\n', "is not a hello"),
    "no such token": (b'{"type":"hello","protocol":1,"token":"guess"}\n', "no seat is kept for this token"),
    "half a message": (b'{"type":"hel', "no sign-up within 0.3 s"),
    "a message without end": (b'{"type":"' + b"x" * 2_000_000, "a line of more than 1048576 bytes"),
    "a knock and no more": (b'{"type":"knock"}\n', "no sign-up within 0.3 s"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_connection_without_sign_up_is_closed_and_logged_in_one_line(name: str) -> None:
    text, part = REFUSED[name]

    async def test() -> list[str]:
        # A slow machine must not end the wait for a sign-up that is refused for another reason.
        seconds = 0.3 if part.endswith(" within 0.3 s") else AMPLE_TIME
        async with hosted(limits=msgspec.structs.replace(LIMITS, signup_timeout=seconds)) as table:
            reader, writer = await asyncio.open_connection("127.0.0.1", table.port)
            with contextlib.suppress(ConnectionError):
                writer.write(text)
                await reader.read()
            writer.close()
            await table.logged("refused")
            return table.log

    (line,) = run(test())
    assert line.startswith("refused 127.0.0.1:")
    assert part in line


def test_junk_takes_no_seat_and_uses_up_no_game() -> None:
    async def test() -> tuple[HostedGame, list[str]]:
        async with hosted(games=1) as table:
            for word in (b"HELP\r\n", b"QUIT\r\n", b"SSH-2.0-OpenSSH\r\n"):
                assert await first_reply(table.port, word) == b""
            clients = [await CourseClient.sign_up(table.port, name) for name in ("Ada", "Bob")]
            # One known client signs up with this word.
            clients.append(await CourseClient.connect(table.port))
            clients[-1].writer.write(b"ping")
            await asyncio.gather(*(client.play() for client in clients))
            return await table.game(), [line for line in table.log if line.startswith("refused")]

    game, refused = run(test())
    assert sorted(name.partition("#")[0] for name in game.names) == ["Ada", "Bob", "ping"]
    assert len(refused) == 3
    assert all("JSON" in line for line in refused)


def test_connection_that_ends_at_once_is_logged() -> None:
    async def test() -> str:
        async with hosted() as table:
            _, writer = await asyncio.open_connection("127.0.0.1", table.port)
            writer.close()
            return await table.logged("refused")

    assert "the connection has ended" in run(test())


def test_foreign_protocol_is_refused_for_unsupported_games_and_rules() -> None:
    async def refusal(*kind: Any, **options: Any) -> str:
        async with hosted(*kind, **options) as table:
            client = await CourseClient.sign_up(table.port)
            assert await client.next_message() is None
            await client.close()
            return await table.logged("refused")

    assert "the course's protocol is for evolution; porrinha is played here" in run(refusal(PORRINHA))
    assert "new_board_population=0" in run(refusal(EVOLUTION, rules=rules("framework")))


def test_stepwise_style_is_refused_for_porrinha() -> None:
    async def test() -> Any:
        async with hosted(PORRINHA) as table:
            client = await JsonClient.connect(table.port)
            await client.send_message(type="hello", protocol=1, style="stepwise")
            await client.message()
            bye = await client.message()
            await client.close()
            return bye

    assert run(test()) == {"type": "bye", "reason": "it asks for the style stepwise, which porrinha does not support"}


def test_connections_per_address_are_limited() -> None:
    async def test() -> str:
        async with hosted(limits=msgspec.structs.replace(LIMITS, connections_per_address=2)) as table:
            clients = [await CourseClient.sign_up(table.port, name) for name in ("Ada", "Bob")]
            await table.signed_up("Ada", "Bob")
            extra = await CourseClient.sign_up(table.port, "Cy")
            assert await extra.next_message() is None
            await extra.close()
            refused = await table.logged("refused")
            # A closed connection makes room for another.
            await clients[0].close()
            await table.logged("'Ada' has disconnected")
            clients.append(await CourseClient.sign_up(table.port, "Dee"))
            await table.signed_up("Dee")
            for client in clients:
                await client.close()
            return refused

    assert run(test()).endswith("127.0.0.1 has 2 connections already")


def test_sign_ups_per_second_are_limited(monkeypatch: pytest.MonkeyPatch) -> None:
    # On a busy machine, the seven sign-ups may take longer than a second.
    allows = RateLimiter.allows
    monkeypatch.setattr(RateLimiter, "allows", lambda limiter, now: allows(limiter, 0.0))

    async def test() -> list[str]:
        async with hosted(limits=msgspec.structs.replace(LIMITS, signups_per_second=5)) as table:
            clients = [await CourseClient.sign_up(table.port, "Ada") for _ in range(7)]
            for client in clients[5:]:
                assert await client.next_message() is None
            for client in clients:
                await client.close()
            return [line for line in table.log if "refused" in line]

    refused = run(test())
    assert len(refused) == 2
    assert refused[0].endswith("more than 5 sign-ups in a second from 127.0.0.1")


def test_connections_that_wait_for_their_sign_up_are_limited() -> None:
    limits = msgspec.structs.replace(LIMITS, waiting_connections=2, signup_timeout=120)

    async def test() -> None:
        async with hosted(limits=limits, start_delay=math.inf) as table:
            waiting = [await CourseClient.connect(table.port, name) for name in ("Ada", "Bob")]
            extra = await JsonClient.connect(table.port)
            await extra.send_message(type="hello", protocol=1, name="Cy")
            reason = "2 connections wait for their sign-up already"
            assert await extra.message() == {"type": "bye", "reason": reason}
            assert await extra.message() is None
            assert (await table.logged("refused")).endswith(f": {reason}")
            await extra.close()
            # A sign-up makes room for another connection, and so does a disconnection.
            waiting[0].writer.write(waiting[0].end.sign_up())
            await table.signed_up("Ada")
            silent = await CourseClient.connect(table.port)
            await waiting[1].close()
            await table.logged("the connection has ended")
            last = await JsonClient.sign_up(table.port, "Dee")
            for client in (waiting[0], silent, last):
                await client.close()

    run(test())


async def first_reply(port: int, text: bytes) -> bytes:
    """Return everything that a host sends after these first bytes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(text)
    try:
        return await reader.read()
    except ConnectionError:
        return b""
    finally:
        writer.close()


def test_overloaded_host_sends_a_reason_if_the_protocol_allows_it() -> None:
    async def test() -> list[bytes]:
        async with hosted(limits=msgspec.structs.replace(LIMITS, connections_per_address=1)) as table:
            first = await JsonClient.sign_up(table.port)
            reply = [
                await first_reply(table.port, text)
                for text in (b'{"type":"knock"}\n', b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b'"Ada"')
            ]
            assert sum("has 1 connections already" in line for line in table.log) == 3
            await first.close()
            return reply

    json, http, course = run(test())
    assert msgspec.json.decode(json) == {"type": "bye", "reason": "127.0.0.1 has 1 connections already"}
    assert http.startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
    assert http.endswith(b"\r\n\r\n127.0.0.1 has 1 connections already\n")
    assert course == b""


def test_overloaded_host_sends_a_limited_number_of_reasons(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("wateringhole.house.transports.port.MOST_REASONS", 1)
    monkeypatch.setattr("wateringhole.house.transports.port.REASON_SECONDS", AMPLE_TIME)

    async def test() -> bytes:
        async with hosted(limits=msgspec.structs.replace(LIMITS, connections_per_address=1)) as table:
            first = await JsonClient.sign_up(table.port)
            _, silent = await asyncio.open_connection("127.0.0.1", table.port)
            await until(lambda: table.host._port._sending_reasons)
            reply = await first_reply(table.port, b'{"type":"knock"}\n')
            await table.logged("refused")
            silent.close()
            await first.close()
            return reply

    assert run(test()) == b"", "the limit of one reason is reached"


def test_silent_connections_do_not_delay_other_sign_ups() -> None:
    async def test() -> float:
        async with hosted(limits=msgspec.structs.replace(LIMITS, signup_timeout=AMPLE_TIME)) as table:
            silent = [await asyncio.open_connection("127.0.0.1", table.port) for _ in range(5)]
            started = time.monotonic()
            clients = [await CourseClient.sign_up(table.port) for _ in range(3)]
            await asyncio.gather(*(client.play() for client in clients))
            await table.game()
            for _, writer in silent:
                writer.close()
            return time.monotonic() - started

    assert run(test()) < AMPLE_TIME


def test_websocket_without_the_extra_is_refused_with_the_install_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("wateringhole.house.host.find_spec", lambda name: None)

    async def test() -> tuple[bytes, str]:
        async with hosted() as table:
            reader, writer = await asyncio.open_connection("127.0.0.1", table.port)
            writer.write(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
            answer = await reader.read()
            writer.close()
            return answer, await table.logged("refused")

    answer, line = run(test())
    assert answer.startswith(b"HTTP/1.1 501 ")
    assert b"pip install 'wateringhole[web]'" in answer
    assert "wateringhole[web]" in line


def handshake(**headers: str) -> bytes:
    lines = {
        "Host": "127.0.0.1",
        "Upgrade": "websocket",
        "Connection": "Upgrade",
        "Sec-WebSocket-Key": "c29tZXRoaW5nIHJhbmRvbQ==",
        "Sec-WebSocket-Version": "13",
        **headers,
    }
    return b"GET / HTTP/1.1\r\n" + "".join(f"{name}: {value}\r\n" for name, value in lines.items()).encode() + b"\r\n"


def test_websocket_request_may_arrive_in_pieces(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wateringhole.house.transports.port.METHOD_SECONDS", AMPLE_TIME)
    pieces: list[bytes] = []
    read = Connection.read

    async def noted(connection: Connection) -> bytes:
        pieces.append(await read(connection))
        return pieces[-1]

    monkeypatch.setattr(Connection, "read", noted)

    async def test() -> bytes:
        async with hosted() as table:
            reader, writer = await asyncio.open_connection("127.0.0.1", table.port)
            request = handshake()
            writer.write(request[:2])
            await until(lambda: pieces == [request[:2]])
            # The host must not give up meanwhile.  A longer pause makes no difference.
            await asyncio.sleep(5 * SETTLE_SECONDS)
            writer.write(request[2:])
            response = await reader.readline()
            writer.close()
            return response

    assert run(test()).startswith(b"HTTP/1.1 101 ")


def test_hello_may_arrive_together_with_the_websocket_request() -> None:
    from websockets.frames import Frame, Opcode

    hello = Frame(Opcode.TEXT, b'{"type":"hello","protocol":1,"name":"Hasty"}').serialize(mask=True)

    async def test() -> bytes:
        async with hosted() as table:
            reader, writer = await asyncio.open_connection("127.0.0.1", table.port)
            writer.write(handshake() + hello)
            await table.signed_up("Hasty")
            response = await reader.readuntil(b'"token"')
            writer.close()
            return response

    assert run(test()).startswith(b"HTTP/1.1 101 ")


def test_page_of_another_origin_is_refused_unless_allowed() -> None:
    async def test(*origins: str) -> tuple[bytes, list[str]]:
        async with hosted(limits=msgspec.structs.replace(LIMITS, origins=origins)) as table:
            reader, writer = await asyncio.open_connection("127.0.0.1", table.port)
            writer.write(handshake(Origin="https://evil.example"))
            reply = await reader.readline()
            writer.close()
            await table.logged("refused")
            return reply, table.log

    reply, log = run(test())
    assert reply.startswith(b"HTTP/1.1 403 Forbidden\r\n")
    assert len(log) == 1
    assert "a page from 'https://evil.example' may not connect; --allow-origin would allow it" in log[0]
    reply, _ = run(test("https://evil.example"))
    assert reply.startswith(b"HTTP/1.1 101 ")


def test_port_in_use_is_an_operation_error() -> None:
    async def test() -> None:
        async with hosted() as table:
            second = HouseServer(RecurringPlan(kind=EVOLUTION, rules=rules(), seats=range(3, 9)))
            sentence = f"cannot listen on 127.0.0.1 port {table.port}: Address already in use. .*--port 0"
            with pytest.raises(OperationError, match=sentence):
                await second.open("127.0.0.1", table.port)

    run(test())


def test_closing_a_host_during_games_releases_everything() -> None:
    async def test() -> None:
        async with hosted(games=2, tables=2) as table:
            clients = [await JsonClient.sign_up(table.port, str(number)) for number in range(4)]
            await table.logged("game 1 begins")
            await table.host.close("good night")
            for client in clients:
                while (message := await client.message()) and message["type"] != "bye":
                    pass
                assert message is not None
                assert message["reason"] == "good night"
                await client.close()
            with pytest.raises(ConnectionRefusedError):
                await asyncio.open_connection("127.0.0.1", table.port)

    run(test())


# Reconnecting


async def lose(client: JsonClient) -> None:
    """Break the connection without a message."""
    if isinstance(client, WebSocketClient):
        client.socket.transport.abort()
    else:
        client.writer.transport.abort()


async def reconnect(
    client: JsonClient, table: Hosted, reconnects_as: type[JsonClient] = JsonClient, **heard: int
) -> tuple[JsonClient, dict[str, Any]]:
    """Connect the same player again.  Return the new client and the host's hello."""
    again = await reconnects_as.connect(table.port)
    again.player_end = client.player_end
    await again.send_message(type="hello", protocol=1, token=client.token, **heard)
    hello = await again.message()
    assert hello is not None
    return again, hello


@pytest.mark.parametrize("reconnects_as", CLIENTS)
@pytest.mark.parametrize("connects_as", CLIENTS)
def test_player_reconnects_with_its_token_and_gets_the_open_request_again(
    connects_as: type[JsonClient], reconnects_as: type[JsonClient]
) -> None:
    async def test() -> tuple[HostedGame, list[str]]:
        async with hosted(bots=["silly"]) as table:
            bob = await connects_as.sign_up(table.port, "Bob")
            first = await bob.next_request()
            assert first is not None
            heard = len(bob.received) - 1
            await lose(bob)
            again, hello = await reconnect(bob, table, reconnects_as, heard=heard)
            # The player got the request too, but its answer may have been lost.
            assert (hello["type"], hello["token"], hello["resumed"]) == ("hello", bob.token, heard - 1)
            assert await again.message() == first
            await again.send(again.reply(first))
            await again.play()
            return await table.game(), table.log

    game, log = run(test())
    assert game.played.outcome == local_outcome(3)
    assert any(line.startswith("'Bob' has reconnected from 127.0.0.1:") for line in log)


def test_resumed_number_is_at_most_the_number_of_sent_messages() -> None:
    async def test() -> None:
        # The table is not full, so nothing but the hello has been sent.
        async with hosted() as table:
            bob = await JsonClient.sign_up(table.port, "Bob")
            await table.signed_up("Bob")
            await lose(bob)
            again, hello = await reconnect(bob, table, heard=10**6)
            assert hello["resumed"] == 0
            await lose(again)

    run(test())


def test_reconnection_without_a_number_resends_the_whole_game() -> None:
    async def test() -> None:
        async with hosted(bots=["silly"]) as table:
            bob = await JsonClient.sign_up(table.port, "Bob")
            for _ in range(3):
                request = await bob.next_request()
                assert request is not None
                await bob.send(bob.reply(request))
            last = await bob.next_request()
            await lose(bob)
            again, hello = await reconnect(bob, table)
            assert hello["resumed"] == 0
            while await again.message() and again.received[-1] != last:
                pass
            assert again.received[1:] == bob.received[1:]
            await again.send(again.reply(again.received[-1]))
            await again.play()
            assert (await table.game()).played.outcome == local_outcome(3)

    run(test())


def test_new_connection_with_the_token_replaces_the_old_one() -> None:
    async def test() -> None:
        async with hosted(bots=["silly"]) as table:
            bob = await JsonClient.sign_up(table.port, "Bob")
            assert await bob.next_request()
            again, _ = await reconnect(bob, table, heard=0)
            assert await bob.message() is None
            await again.play()
            await bob.close()
            assert (await table.game()).played.outcome == local_outcome(3)

    run(test())


def test_disconnected_player_gets_missed_messages_later() -> None:
    async def test() -> None:
        async with hosted(PORRINHA, 2, bots=["zero"]) as table:
            bob = await JsonClient.sign_up(table.port, "Bob", Zero)
            request = await bob.next_request()
            assert request is not None
            await bob.send(bob.reply(request))
            heard = len(bob.received) - 1
            await lose(bob)
            await table.logged("'Bob' has disconnected")
            again, _ = await reconnect(bob, table, heard=heard)
            await again.play()
            assert (await table.game()).played.outcome.thrown_out == ()

    run(test())


@pytest.mark.parametrize("client", CLIENTS)
def test_player_that_does_not_reconnect_in_time_is_thrown_out(client: type[JsonClient]) -> None:
    async def test() -> HostedGame:
        async with hosted(limits=msgspec.structs.replace(LIMITS, reconnect_seconds=0.2), bots=["silly"]) as table:
            bob = await client.sign_up(table.port, "Bob")
            await bob.next_request()
            await lose(bob)
            game = await table.game()
            late = await JsonClient.connect(table.port)
            await late.send_message(type="hello", protocol=1, token=bob.token)
            assert (await late.message() or {}).get("type") == "bye"
            await late.close()
            return game

    forfeit = forfeit_of(run(test()), "Bob")
    assert forfeit is not None
    assert forfeit.reason == "disconnected"
    assert "did not come back within 0.2 s" in forfeit.message


def test_tokens_are_long_and_distinct() -> None:
    async def test() -> set[str]:
        async with hosted() as table:
            clients = [await JsonClient.sign_up(table.port) for _ in range(3)]
            for client in clients:
                await client.close()
            return {client.token for client in clients}

    tokens = run(test())
    assert len(tokens) == 3
    assert all(len(token) >= 32 for token in tokens)


def test_players_who_leave_the_lobby_are_dropped() -> None:
    async def test() -> HostedGame:
        async with hosted(limits=msgspec.structs.replace(LIMITS, reconnect_seconds=0)) as table:
            course = await CourseClient.sign_up(table.port, "gone")
            json = await JsonClient.sign_up(table.port, "gone too")
            await table.signed_up("gone", "gone too")
            await asyncio.gather(course.close(), json.close())
            for name in ("gone", "gone too"):
                await table.logged(f"{name!r} has disconnected")
            clients = [await CourseClient.sign_up(table.port, "here") for _ in range(3)]
            await asyncio.gather(*(client.play() for client in clients))
            return await table.game()

    assert run(test()).names == ("here#1", "here#2", "here#3")


# Bad behaviour that takes more than one bad answer; `test_cheats` has the catalogue


def test_slow_answer_within_the_time_limit_counts() -> None:
    async def drip(client: CourseClient) -> None:
        while request := await client.next_request():
            for byte in client.reply(request).rstrip():
                client.writer.write(bytes([byte]))
                await asyncio.sleep(0.001)
        await client.close()

    async def test() -> HostedGame:
        async with hosted(bots=["silly"]) as table:
            await drip(await CourseClient.sign_up(table.port, "slow"))
            return await table.game()

    assert run(test()).played.outcome == local_outcome(3)


@pytest.mark.parametrize("client", CLIENTS)
def test_repeated_answer_is_ignored_in_the_json_protocol(client: type[JsonClient]) -> None:
    async def test() -> HostedGame:
        async with hosted(bots=["silly"]) as table:
            bob = await client.sign_up(table.port, "Bob")
            while request := await bob.next_request():
                reply = bob.reply(request)
                await bob.send(reply)
                await bob.send(reply)
            await bob.close()
            return await table.game()

    assert run(test()).played.outcome == local_outcome(3)


def test_second_answer_in_a_foreign_protocol_counts_for_the_next_request() -> None:
    async def test() -> HostedGame:
        async with hosted(bots=["silly"]) as table:
            bob = await CourseClient.sign_up(table.port, "Bob")
            request = await bob.next_request()
            assert request is not None
            bob.writer.write(bob.reply(request) + b'"and more" ')
            game = await table.game()
            await bob.close()
            return game

    forfeit = forfeit_of(run(test()), "Bob")
    assert forfeit is not None
    assert forfeit.reason == "unreadable"
    assert "it was sent before the question" in forfeit.message


def test_late_player_may_play_the_next_game() -> None:
    async def test() -> list[HostedGame]:
        async with hosted(games=2, bots=["silly"], time_limit=2) as table:
            bob = await JsonClient.sign_up(table.port, "Bob")
            await bob.next_request()
            first = await table.game()
            await bob.play()
            return [first, await table.game()]

    first, second = run(test())
    forfeit = forfeit_of(first, "Bob")
    assert forfeit is not None
    assert forfeit.reason == "late"
    assert forfeit_of(second, "Bob") is None


def test_player_silent_in_two_games_is_disconnected() -> None:
    async def test() -> tuple[list[HostedGame], JsonClient]:
        async with hosted(games=4, bots=["silly"], time_limit=0.2) as table:
            bob = await JsonClient.sign_up(table.port, "Bob")
            while (message := await bob.message()) and message["type"] != "bye":
                pass
            await bob.close()
            return [await table.game(), await table.game()], bob

    games, bob = run(test())
    assert [game.names[0] for game in games] == ["Bob#1"] * 2
    assert bob.received[-1] == {"type": "bye", "reason": "you sent no answer in 2 games in a row"}


def test_any_answer_resets_the_count_of_silent_games() -> None:
    async def test() -> list[HostedGame]:
        async with hosted(games=4, bots=["silly"], time_limit=1) as table:
            bob = await JsonClient.sign_up(table.port, "Bob")
            first = None
            games = []
            for number in range(4):
                first = await bob.next_request()
                if number == 1:
                    assert first is not None
                    await bob.send(bob.reply(first))
                games.append(await table.game())
            await bob.close()
            return games

    games = run(test())
    assert [game.names[0] for game in games] == ["Bob#1"] * 4
    assert all(forfeit_of(game, "Bob") is not None for game in games)


def test_excluded_player_gets_the_reason() -> None:
    async def test() -> dict[str, Any]:
        async with hosted(games=2, bots=["silly"]) as table:
            bob = await JsonClient.sign_up(table.port, "Bob")
            request = await bob.next_request()
            assert request is not None
            await bob.send(b'{"type":"answer","id":"one","answer":0}')
            while (message := await bob.message()) and message["type"] != "bye":
                pass
            await bob.close()
            assert message is not None
            return message

    reason = run(test())["reason"]
    assert reason.startswith("you are out: ")
    assert "is not an answer: " in reason


@pytest.mark.parametrize("client", CLIENTS)
def test_all_players_get_the_result_even_if_thrown_out(client: type[JsonClient]) -> None:
    async def test() -> tuple[HostedGame, list[JsonClient]]:
        async with hosted(PORRINHA, 3, bots=["zero"], start_delay=math.inf) as table:
            bob = await client.sign_up(table.port, "Bob", Zero)
            eve = await client.sign_up(table.port, "Eve", Zero)
            table.end_start_delay()
            await eve.next_request()
            await eve.send_message(type="failed", message="no ideas")
            await asyncio.gather(bob.play(), eve.play())
            return await table.game(), [bob, eve]

    game, clients = run(test())
    assert forfeit_of(game, "Eve") is not None
    for one in clients:
        *_, result, bye = one.received
        assert result == msgspec.json.decode(HostEnd(PORRINHA).result(game.played.outcome))
        assert bye["type"] == "bye"


# Human players


@pytest.mark.parametrize(("person", "seconds"), [(True, 77), (False, 10)])
def test_human_players_get_the_human_time_limit(person: bool, seconds: int) -> None:
    async def test() -> dict[str, Any] | None:
        async with hosted(bots=["silly"], time_limit=10, human_time_limit=77) as table:
            bob = await JsonClient.sign_up(table.port, "Bob", person=person)
            request = await bob.next_request()
            await bob.close()
            return request

    request = run(test())
    assert request is not None
    assert request["seconds"] == seconds


def test_silent_table_does_not_delay_other_tables() -> None:
    async def test() -> tuple[HostedGame, list[str]]:
        async with hosted(games=2, tables=2, time_limit=20) as table:
            stuck = [await JsonClient.sign_up(table.port, "stuck") for _ in range(3)]
            await table.logged("game 1 begins")
            quick = [await CourseClient.sign_up(table.port, "quick") for _ in range(3)]
            await asyncio.gather(*(client.play() for client in quick))
            game = await table.game()
            log = [*table.log]
            for client in stuck:
                await client.close()
            return game, log

    game, log = run(test())
    assert game.names == ("quick#1", "quick#2", "quick#3")
    assert game.played.outcome == local_outcome(3)
    assert not any("thrown out" in line for line in log)


def test_game_ends_if_all_players_are_thrown_out() -> None:
    async def test() -> HostedGame:
        async with hosted(time_limit=0.2) as table:
            clients = [await CourseClient.sign_up(table.port, "silent") for _ in range(3)]
            game = await table.game()
            for client in clients:
                await client.close()
            return game

    outcome = run(test()).played.outcome
    assert outcome.ranking == ()
    assert len(outcome.thrown_out) == 3


def test_server_error_ends_one_game_and_not_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> tuple[HostedGame, str]:
        async with hosted(games=2) as table:
            broken = [await CourseClient.sign_up(table.port, "unlucky") for _ in range(3)]
            with monkeypatch.context() as patch:
                patch.setattr("wateringhole.house.tables.play_async", lambda *_, **__: 1 / 0)
                await table.logged("game 1 failed")
            for client in broken:
                assert await client.next_request() is None
                await client.close()
            clients = [await CourseClient.sign_up(table.port, "lucky") for _ in range(3)]
            await asyncio.gather(*(client.play() for client in clients))
            return await table.game(), await table.logged("failed")

    game, line = run(test())
    assert game.names[0] == "lucky#1"
    assert "ZeroDivisionError" in line
