"""A host and its tables: who sits down, who plays with whom, and that nobody can spoil it for the others."""

from __future__ import annotations

import asyncio
import contextlib
import math
import time
from typing import Any

import msgspec
import pytest

from tests.games.evolution.builders import rules
from tests.net.hosting import (
    EVOLUTION,
    LIMITS,
    PORRINHA,
    CourseClient,
    Hosted,
    TalkClient,
    WebSocketClient,
    forfeit_of,
    hosted,
    run,
)
from wateringhole.errors import OperationError
from wateringhole.game import Outcome
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.games.porrinha.bots.zero import Zero
from wateringhole.match.loops import play
from wateringhole.match.match import Match
from wateringhole.net.server import HostedGame, HouseServer, TablePlan
from wateringhole.protocol.frames import SETTLE_SECONDS
from wateringhole.protocol.host import HostEnd

pytest.importorskip("websockets")

ANY = (TalkClient, WebSocketClient)


def at_home(players: int) -> Outcome:
    """How silly players do at a table without a wire."""
    match = Match(EVOLUTION, EVOLUTION.deal(players, rules(), 0, deck="ascending"))
    play(match, [Silly() for _ in range(players)])
    assert match.outcome is not None
    return match.outcome


# Sitting down together


def test_players_of_every_protocol_play_evolution_at_one_table_as_they_would_at_home() -> None:
    async def test() -> HostedGame:
        async with hosted(players=5, bots=["silly"], signup_patience=0.2) as table:
            ada = await CourseClient.sign_up(table.port, "Ada")
            await table.signed_up("Ada")
            bob = await TalkClient.sign_up(table.port, "Bob", events=True)
            cy = await WebSocketClient.sign_up(table.port, "Cy")
            dee = await TalkClient.connect(table.port)
            await dee.say(type="knock")
            hello = await dee.message()
            await dee.say(type="hello", protocol=1, name="Dee", style="whole")
            dee.guest.hear(msgspec.json.encode(hello))
            await asyncio.gather(ada.play(), bob.play(), cy.play(), dee.play())
            assert {message["type"] for message in bob.heard} >= {"hello", "game", "notice", "request", "event", "bye"}
            return await table.game()

    game = run(test())
    assert game.names == ("Ada#1", "Bob#2", "Cy#3", "Dee#4", "silly#5")
    assert game.played.outcome == at_home(5)


def test_players_over_tcp_and_websocket_play_porrinha_with_a_bot_of_the_house() -> None:
    async def test() -> HostedGame:
        async with hosted(PORRINHA, 4, bots=["counter", "zero"]) as table:
            bob = await TalkClient.sign_up(table.port, "Bob", Zero)
            cy = await WebSocketClient.sign_up(table.port, "Bob", Zero)
            await asyncio.gather(bob.play(), cy.play())
            return await table.game()

    game = run(test())
    assert game.names == ("Bob 1", "Bob 2", "counter", "zero")
    assert sorted(game.played.outcome.places().values()) == [1, 2, 3, 4]
    assert game.played.outcome.thrown_out == ()


@pytest.mark.parametrize(("seating", "first"), [("given", "Ada"), ("reversed", "Cy")])
def test_the_order_of_play_is_that_of_sign_up_or_its_reverse(seating: str, first: str) -> None:
    async def test() -> HostedGame:
        async with hosted(rules=rules(seating=seating)) as table:
            clients = []
            for name in ("Ada", "Bob", "Cy"):
                clients.append(await CourseClient.sign_up(table.port, name))
                await table.signed_up(name)
            await asyncio.gather(*(client.play() for client in clients))
            return await table.game()

    assert f"{first}#1" in run(test()).names


def test_a_table_that_is_not_full_starts_when_nobody_new_comes() -> None:
    async def test() -> tuple[HostedGame, float]:
        async with hosted(players=range(3, 9), signup_patience=0.3) as table:
            clients = [await TalkClient.sign_up(table.port) for _ in range(3)]
            last = time.monotonic()
            begins = await clients[0].message()
            waited = time.monotonic() - last
            clients[0].guest.hear(msgspec.json.encode(begins))
            await asyncio.gather(*(client.play() for client in clients))
            return await table.game(), waited

    game, waited = run(test())
    assert len(game.names) == 3
    assert waited >= 0.29


def test_a_table_can_wait_until_it_is_full_however_long_that_takes() -> None:
    async def test() -> HostedGame:
        async with hosted(players=range(3, 5), signup_patience=math.inf) as table:
            clients = [await TalkClient.sign_up(table.port) for _ in range(3)]
            await asyncio.sleep(0.2)
            clients.append(await TalkClient.sign_up(table.port))
            await asyncio.gather(*(client.play() for client in clients))
            return await table.game()

    assert len(run(test()).names) == 4


def test_the_time_that_each_took_is_told() -> None:
    async def test() -> HostedGame:
        async with hosted(bots=["silly"]) as table:
            await (await TalkClient.sign_up(table.port)).play()
            return await table.game()

    seconds = run(test()).played.seconds
    assert len(seconds) == 3
    assert all(taken > 0 for taken in seconds)


def test_whoever_finds_the_table_full_plays_at_the_next_one() -> None:
    async def test() -> list[tuple[str, ...]]:
        async with hosted(games=2, tables=2) as table:
            clients = [await TalkClient.sign_up(table.port, f"P{number}") for number in range(6)]
            plays = [asyncio.create_task(client.play()) for client in clients]
            games = [await table.game(), await table.game()]
            await table.host.close()
            await asyncio.gather(*plays)
            return sorted(game.names for game in games)

    assert run(test()) == [("P0#1", "P1#2", "P2#3"), ("P3#1", "P4#2", "P5#3")]


def test_whoever_finds_all_tables_full_waits_in_the_lobby() -> None:
    async def test() -> list[tuple[str, ...]]:
        async with hosted(games=2, tables=1) as table:
            clients = [await CourseClient.sign_up(table.port, "early") for _ in range(3)]
            await table.logged("game 1 begins")
            clients += [await CourseClient.sign_up(table.port, "late") for _ in range(3)]
            await asyncio.gather(*(client.play() for client in clients))
            return [(await table.game()).names, (await table.game()).names]

    assert run(test()) == [("early#1", "early#2", "early#3"), ("late#1", "late#2", "late#3")]


def test_nobody_waits_in_the_lobby_when_the_last_game_has_begun() -> None:
    async def test() -> list[list[dict[str, Any]]]:
        async with hosted(PORRINHA, 2) as table:
            bob, cy, dee = [await TalkClient.sign_up(table.port, name, Zero) for name in ("Bob", "Cy", "Dee")]
            await bob.question()
            eve = await TalkClient.sign_up(table.port, "Eve", Zero)
            for waits in (dee, eve):
                await waits.play()
            assert not any("game 1 is over" in line for line in table.log)
            await bob.close()
            await cy.close()
            return [dee.heard, eve.heard]

    for heard in run(test()):
        assert heard[1:] == [{"type": "bye", "reason": "the host has no more games"}]


def test_our_protocol_stays_for_the_next_game_and_the_courses_does_not() -> None:
    async def test() -> tuple[list[HostedGame], TalkClient, CourseClient]:
        async with hosted(games=3, bots=["silly"], signup_patience=0.2) as table:
            ada = await CourseClient.sign_up(table.port, "Ada")
            await table.signed_up("Ada")
            bob = await TalkClient.sign_up(table.port, "Bob")
            await asyncio.gather(ada.play(), bob.play())
            return [await table.game() for _ in range(3)], bob, ada

    games, bob, _ = run(test())
    assert [game.names for game in games] == [("Ada#1", "Bob#2", "silly#3")] + [("Bob#1", "silly#2", "silly#3")] * 2
    assert [message["type"] for message in bob.heard].count("game") == 3
    assert bob.heard[-1] == {"type": "bye", "reason": "the host has no more games"}


def test_games_are_recorded_and_can_be_verified() -> None:
    async def test() -> HostedGame:
        async with hosted(keeps_records=True, seed=7, choices={}, bots=["greedy", "random"]) as table:
            await (await TalkClient.sign_up(table.port)).play()
            return await table.game()

    game = run(test())
    record = game.played.record
    assert record.header.names == game.names
    assert list(record.replay().events())


def test_a_stepwise_player_is_asked_small_questions_over_the_network() -> None:
    async def test() -> tuple[HostedGame, set[str]]:
        async with hosted(bots=["silly"]) as table:
            bob = await TalkClient.sign_up(table.port, "Bob", style="stepwise")
            asked = set()
            while question := await bob.question():
                asked.add(question["request"])
                if question["request"] == "trade_cards_for_population":
                    await bob.say(type="answer", id=question["id"], answer=question["arguments"]["cards"][:1])
                else:
                    await bob.say(type="pass", id=question["id"])
            await bob.close()
            return await table.game(), asked

    game, asked = run(test())
    assert forfeit_of(game, "Bob") is None
    assert asked >= {"select_food_card", "trade_cards_for_boards", "select_board_to_give_population"}
    assert not asked & {"declare", "feed"}


def test_names_are_made_printable_and_short() -> None:
    async def test() -> HostedGame:
        async with hosted(PORRINHA, 2) as table:
            clients = [await TalkClient.sign_up(table.port, name, Zero) for name in ("a\nb\x1b[31m", "x" * 500)]
            await asyncio.gather(*(client.play() for client in clients))
            return await table.game()

    assert run(test()).names == ("a?b?[31m", "x" * 60)


def test_players_of_the_same_name_are_told_apart_also_from_those_who_chose_a_number() -> None:
    async def test() -> HostedGame:
        async with hosted(PORRINHA, 4) as table:
            names = ("Ada", "Ada 1", "Ada", "Bob")
            clients = [await TalkClient.sign_up(table.port, name, Zero) for name in names]
            await asyncio.gather(*(client.play() for client in clients))
            return await table.game()

    assert run(test()).names == ("Ada 2", "Ada 1", "Ada 3", "Bob")


# Who cannot sit down


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
    "half a request": (b"GET / HTTP/1.1\r\n", "no sign-up within 0.3 s"),
    "no request": (b"GET \r\n\r\n\r\n", "no WebSocket"),
    "another message": (b'{"type":"answer","id":1,"answer":0}\n', "the first message must be a hello"),
    "another protocol": (b'{"type":"hello","protocol":99}\n', "it speaks protocol 99"),
    "no such style": (b'{"type":"hello","protocol":1,"style":"wild"}\n', "is not a hello"),
    "no such token": (b'{"type":"hello","protocol":1,"token":"guess"}\n', "no seat is kept for this token"),
    "half a message": (b'{"type":"hel', "no sign-up within 0.3 s"),
    "a message without end": (b'{"type":"' + b"x" * 2_000_000, "a line of more than 1048576 bytes"),
    "a knock and no more": (b'{"type":"knock"}\n', "no sign-up within 0.3 s"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_connection_without_a_sign_up_is_closed_with_one_line_in_the_log(name: str) -> None:
    text, part = REFUSED[name]

    async def test() -> list[str]:
        async with hosted(limits=msgspec.structs.replace(LIMITS, signup_seconds=0.3)) as table:
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


def test_a_connection_that_leaves_at_once_is_logged_too() -> None:
    async def test() -> str:
        async with hosted() as table:
            _, writer = await asyncio.open_connection("127.0.0.1", table.port)
            writer.close()
            return await table.logged("refused")

    assert "the connection has ended" in run(test())


def test_the_courses_protocol_is_refused_where_it_cannot_carry_the_game() -> None:
    async def refusal(*kind: Any, **options: Any) -> str:
        async with hosted(*kind, **options) as table:
            client = await CourseClient.sign_up(table.port)
            assert await client.news() is None
            await client.close()
            return await table.logged("refused")

    assert "the course's protocol is for evolution; porrinha is played here" in run(refusal(PORRINHA))
    assert "new_board_population=0" in run(refusal(EVOLUTION, rules=rules("framework")))


def test_porrinha_has_no_stepwise_style_and_says_so_to_the_player() -> None:
    async def test() -> Any:
        async with hosted(PORRINHA) as table:
            client = await TalkClient.connect(table.port)
            await client.say(type="hello", protocol=1, style="stepwise")
            await client.message()
            bye = await client.message()
            await client.close()
            return bye

    assert run(test()) == {"type": "bye", "reason": "it asks for the style stepwise, which porrinha has not"}


def test_one_address_gets_so_many_connections_and_no_more() -> None:
    async def test() -> str:
        async with hosted(limits=msgspec.structs.replace(LIMITS, connections_per_address=2)) as table:
            clients = [await CourseClient.sign_up(table.port, name) for name in ("Ada", "Bob")]
            await table.signed_up("Ada", "Bob")
            extra = await CourseClient.sign_up(table.port, "Cy")
            assert await extra.news() is None
            await extra.close()
            refused = await table.logged("refused")
            # Whoever leaves makes room.
            await clients[0].close()
            while "'Dee' has signed up" not in str(table.log):
                clients.append(await CourseClient.sign_up(table.port, "Dee"))
                await asyncio.sleep(0.05)
            for client in clients:
                await client.close()
            return refused

    assert run(test()).endswith("127.0.0.1 has 2 connections already")


def test_so_many_sign_ups_in_a_second_and_no_more() -> None:
    async def test() -> list[str]:
        async with hosted(limits=msgspec.structs.replace(LIMITS, signups_per_second=5)) as table:
            clients = [await CourseClient.sign_up(table.port, "Ada") for _ in range(7)]
            for client in clients[5:]:
                assert await client.news() is None
            for client in clients:
                await client.close()
            return [line for line in table.log if "refused" in line]

    refused = run(test())
    assert len(refused) == 2
    assert refused[0].endswith("more than 5 sign-ups in a second from 127.0.0.1")


async def ask_at_the_door(port: int, text: bytes) -> bytes:
    """Everything that a host says to these first bytes."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(text)
    try:
        return await reader.read()
    except ConnectionError:
        return b""
    finally:
        writer.close()


def test_who_finds_the_host_full_hears_why_if_its_protocol_has_words_for_that() -> None:
    async def test() -> list[bytes]:
        async with hosted(limits=msgspec.structs.replace(LIMITS, connections_per_address=1)) as table:
            first = await TalkClient.sign_up(table.port)
            said = [
                await ask_at_the_door(table.port, text)
                for text in (b'{"type":"knock"}\n', b"GET / HTTP/1.1\r\nHost: x\r\n\r\n", b'"Ada"')
            ]
            assert sum("has 1 connections already" in line for line in table.log) == 3
            await first.close()
            return said

    ours, http, course = run(test())
    assert msgspec.json.decode(ours) == {"type": "bye", "reason": "127.0.0.1 has 1 connections already"}
    assert http.startswith(b"HTTP/1.1 503 Service Unavailable\r\n")
    assert http.endswith(b"\r\n\r\n127.0.0.1 has 1 connections already\n")
    assert course == b""


def test_the_silent_among_those_who_find_the_host_full_are_not_listened_to_for_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("wateringhole.net.server.MOST_REASONS", 1)

    async def test() -> bytes:
        async with hosted(limits=msgspec.structs.replace(LIMITS, connections_per_address=1)) as table:
            first = await TalkClient.sign_up(table.port)
            _, silent = await asyncio.open_connection("127.0.0.1", table.port)
            await asyncio.sleep(0.1)
            said = await ask_at_the_door(table.port, b'{"type":"knock"}\n')
            await table.logged("refused")
            silent.close()
            await first.close()
            return said

    assert run(test()) == b"", "one is listened to already"


def test_nobody_waits_for_a_silent_connection_to_sign_up() -> None:
    async def test() -> float:
        async with hosted() as table:
            silent = [await asyncio.open_connection("127.0.0.1", table.port) for _ in range(5)]
            started = time.monotonic()
            clients = [await CourseClient.sign_up(table.port) for _ in range(3)]
            await asyncio.gather(*(client.play() for client in clients))
            await table.game()
            for _, writer in silent:
                writer.close()
            return time.monotonic() - started

    assert run(test()) < LIMITS.signup_seconds


def test_without_the_extra_a_websocket_is_refused_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(__import__("sys").modules, "websockets.server", None)

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


def test_a_websockets_request_whose_first_letters_are_parted_on_the_way_is_one() -> None:
    async def test() -> bytes:
        async with hosted() as table:
            reader, writer = await asyncio.open_connection("127.0.0.1", table.port)
            request = handshake()
            writer.write(request[:2])
            await asyncio.sleep(5 * SETTLE_SECONDS)
            writer.write(request[2:])
            response = await reader.readline()
            writer.close()
            return response

    assert run(test()).startswith(b"HTTP/1.1 101 ")


def test_a_hello_that_comes_together_with_the_websockets_request_is_heard() -> None:
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


def test_a_page_from_elsewhere_is_refused_in_one_line_unless_it_is_let_in() -> None:
    async def test(*origins: str) -> tuple[bytes, list[str]]:
        async with hosted(limits=msgspec.structs.replace(LIMITS, origins=origins, signup_seconds=0.2)) as table:
            said = await ask_at_the_door(table.port, handshake(Origin="https://evil.example"))
            await table.logged("refused")
            return said, table.log

    said, log = run(test())
    assert said.startswith(b"HTTP/1.1 403 Forbidden\r\n")
    assert len(log) == 1
    assert "a page from 'https://evil.example' may not connect; --allow-origin would allow it" in log[0]
    said, _ = run(test("https://evil.example"))
    assert said.startswith(b"HTTP/1.1 101 ")


def test_an_address_that_cannot_be_had_is_a_failure() -> None:
    async def test() -> None:
        async with hosted() as table:
            second = HouseServer(TablePlan(kind=EVOLUTION, rules=rules(), seats=range(3, 9)))
            sentence = f"cannot listen on 127.0.0.1 port {table.port}: Address already in use. .*--port 0"
            with pytest.raises(OperationError, match=sentence):
                await second.open("127.0.0.1", table.port)

    run(test())


def test_closing_a_host_in_the_middle_of_games_leaves_nothing_behind() -> None:
    async def test() -> None:
        async with hosted(games=2, tables=2) as table:
            clients = [await TalkClient.sign_up(table.port, str(number)) for number in range(4)]
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


# Coming back


async def lose(client: TalkClient) -> None:
    """The connection breaks, without a word."""
    if isinstance(client, WebSocketClient):
        client.socket.transport.abort()
    else:
        client.writer.transport.abort()


async def reconnect(
    client: TalkClient, table: Hosted, returns_as: type[TalkClient] = TalkClient, **heard: int
) -> tuple[TalkClient, dict[str, Any]]:
    """The same player over another connection, and what the host said to that."""
    again = await returns_as.connect(table.port)
    again.guest = client.guest
    await again.say(type="hello", protocol=1, token=client.token, **heard)
    hello = await again.message()
    assert hello is not None
    return again, hello


@pytest.mark.parametrize("returns_as", ANY)
@pytest.mark.parametrize("comes_as", ANY)
def test_a_player_comes_back_with_its_token_and_the_open_question_is_put_again(
    comes_as: type[TalkClient], returns_as: type[TalkClient]
) -> None:
    async def test() -> tuple[HostedGame, list[str]]:
        async with hosted(bots=["silly"]) as table:
            bob = await comes_as.sign_up(table.port, "Bob")
            first = await bob.question()
            assert first is not None
            heard = len(bob.heard) - 1
            await lose(bob)
            again, hello = await reconnect(bob, table, returns_as, heard=heard)
            # It has heard the question too, but whether its answer arrived nobody knows.
            assert (hello["type"], hello["token"], hello["resumed"]) == ("hello", bob.token, heard - 1)
            assert await again.message() == first
            await again.send(again.reply(first))
            await again.play()
            return await table.game(), table.log

    game, log = run(test())
    assert game.played.outcome == at_home(3)
    assert any(line.startswith("'Bob' is back from 127.0.0.1:") for line in log)


def test_who_says_it_heard_more_than_was_sent_is_told_how_much_that_was() -> None:
    async def test() -> None:
        # The table is not full, so nothing but the hello has been sent.
        async with hosted() as table:
            bob = await TalkClient.sign_up(table.port, "Bob")
            await table.signed_up("Bob")
            await lose(bob)
            again, hello = await reconnect(bob, table, heard=10**6)
            assert hello["resumed"] == 0
            await lose(again)

    run(test())


def test_who_does_not_say_what_it_heard_gets_the_whole_game_again() -> None:
    async def test() -> None:
        async with hosted(bots=["silly"]) as table:
            bob = await TalkClient.sign_up(table.port, "Bob")
            for _ in range(3):
                question = await bob.question()
                assert question is not None
                await bob.send(bob.reply(question))
            last = await bob.question()
            await lose(bob)
            again, hello = await reconnect(bob, table)
            assert hello["resumed"] == 0
            while await again.message() and again.heard[-1] != last:
                pass
            assert again.heard[1:] == bob.heard[1:]
            await again.send(again.reply(again.heard[-1]))
            await again.play()
            assert (await table.game()).played.outcome == at_home(3)

    run(test())


def test_a_new_connection_with_the_token_takes_over_from_one_that_seems_alive() -> None:
    async def test() -> None:
        async with hosted(bots=["silly"]) as table:
            bob = await TalkClient.sign_up(table.port, "Bob")
            assert await bob.question()
            again, _ = await reconnect(bob, table, heard=0)
            assert await bob.message() is None
            await again.play()
            await bob.close()
            assert (await table.game()).played.outcome == at_home(3)

    run(test())


def test_who_is_away_when_it_is_told_something_hears_it_later() -> None:
    async def test() -> None:
        async with hosted(PORRINHA, 2, bots=["zero"]) as table:
            bob = await TalkClient.sign_up(table.port, "Bob", Zero)
            question = await bob.question()
            assert question is not None
            await bob.send(bob.reply(question))
            heard = len(bob.heard) - 1
            await lose(bob)
            await asyncio.sleep(0.1)
            again, _ = await reconnect(bob, table, heard=heard)
            await again.play()
            assert (await table.game()).played.outcome.thrown_out == ()

    run(test())


@pytest.mark.parametrize("client", ANY)
def test_who_does_not_come_back_within_the_grace_is_out(client: type[TalkClient]) -> None:
    async def test() -> HostedGame:
        async with hosted(limits=msgspec.structs.replace(LIMITS, reconnect_seconds=0.2), bots=["silly"]) as table:
            bob = await client.sign_up(table.port, "Bob")
            await bob.question()
            await lose(bob)
            game = await table.game()
            late = await TalkClient.connect(table.port)
            await late.say(type="hello", protocol=1, token=bob.token)
            assert (await late.message() or {}).get("type") == "bye"
            await late.close()
            return game

    forfeit = forfeit_of(run(test()), "Bob")
    assert forfeit is not None
    assert forfeit.reason == "disconnected"
    assert "did not come back within 0.2 s" in forfeit.message


def test_a_token_cannot_be_guessed_and_is_everybodys_own() -> None:
    async def test() -> set[str]:
        async with hosted() as table:
            clients = [await TalkClient.sign_up(table.port) for _ in range(3)]
            for client in clients:
                await client.close()
            return {client.token for client in clients}

    tokens = run(test())
    assert len(tokens) == 3
    assert all(len(token) >= 32 for token in tokens)


def test_who_leaves_the_lobby_is_not_waited_for() -> None:
    async def test() -> HostedGame:
        async with hosted(limits=msgspec.structs.replace(LIMITS, reconnect_seconds=0)) as table:
            for leaving in (
                await CourseClient.sign_up(table.port, "gone"),
                await TalkClient.sign_up(table.port, "gone"),
            ):
                await asyncio.sleep(0.05)
                await leaving.close()
            await asyncio.sleep(0.05)
            clients = [await CourseClient.sign_up(table.port, "here") for _ in range(3)]
            await asyncio.gather(*(client.play() for client in clients))
            return await table.game()

    assert run(test()).names == ("here#1", "here#2", "here#3")


# Nothing they do can hurt: `test_cheats` has the catalogue, here is what takes more than one bad answer


def test_one_byte_at_a_time_is_fine_within_patience() -> None:
    async def drip(client: CourseClient) -> None:
        while question := await client.question():
            for byte in client.reply(question).rstrip():
                client.writer.write(bytes([byte]))
                await asyncio.sleep(0.001)
        await client.close()

    async def test() -> HostedGame:
        async with hosted(bots=["silly"]) as table:
            await drip(await CourseClient.sign_up(table.port, "slow"))
            return await table.game()

    assert run(test()).played.outcome == at_home(3)


@pytest.mark.parametrize("client", ANY)
def test_answering_twice_changes_nothing_under_our_protocol(client: type[TalkClient]) -> None:
    async def test() -> HostedGame:
        async with hosted(bots=["silly"]) as table:
            bob = await client.sign_up(table.port, "Bob")
            while question := await bob.question():
                reply = bob.reply(question)
                await bob.send(reply)
                await bob.send(reply)
            await bob.close()
            return await table.game()

    assert run(test()).played.outcome == at_home(3)


def test_a_second_answer_under_the_courses_protocol_counts_for_the_next_question() -> None:
    async def test() -> HostedGame:
        async with hosted(bots=["silly"]) as table:
            bob = await CourseClient.sign_up(table.port, "Bob")
            question = await bob.question()
            assert question is not None
            bob.writer.write(bob.reply(question) + b'"and more" ')
            game = await table.game()
            await bob.close()
            return game

    forfeit = forfeit_of(run(test()), "Bob")
    assert forfeit is not None
    assert forfeit.reason == "unreadable"
    assert "it was sent before the question" in forfeit.message


def test_a_late_player_may_play_the_next_game() -> None:
    async def test() -> list[HostedGame]:
        async with hosted(games=2, bots=["silly"], patience=0.2) as table:
            bob = await TalkClient.sign_up(table.port, "Bob")
            await bob.question()
            first = await table.game()
            await bob.play()
            return [first, await table.game()]

    first, second = run(test())
    forfeit = forfeit_of(first, "Bob")
    assert forfeit is not None
    assert forfeit.reason == "late"
    assert forfeit_of(second, "Bob") is None


def test_who_is_silent_in_two_games_in_a_row_costs_nobody_a_third() -> None:
    async def test() -> tuple[list[HostedGame], TalkClient]:
        async with hosted(games=4, bots=["silly"], patience=0.2) as table:
            bob = await TalkClient.sign_up(table.port, "Bob")
            while (message := await bob.message()) and message["type"] != "bye":
                pass
            await bob.close()
            return [await table.game(), await table.game()], bob

    games, bob = run(test())
    assert [game.names[0] for game in games] == ["Bob#1"] * 2
    assert bob.heard[-1] == {"type": "bye", "reason": "you sent no answer in 2 games in a row"}


def test_who_answers_something_in_between_may_play_on() -> None:
    async def test() -> list[HostedGame]:
        async with hosted(games=4, bots=["silly"], patience=0.3) as table:
            bob = await TalkClient.sign_up(table.port, "Bob")
            first = None
            games = []
            for number in range(4):
                first = await bob.question()
                if number == 1:
                    assert first is not None
                    await bob.send(bob.reply(first))
                games.append(await table.game())
            await bob.close()
            return games

    games = run(test())
    assert [game.names[0] for game in games] == ["Bob#1"] * 4
    assert all(forfeit_of(game, "Bob") is not None for game in games)


def test_who_is_out_for_good_hears_why() -> None:
    async def test() -> dict[str, Any]:
        async with hosted(games=2, bots=["silly"]) as table:
            bob = await TalkClient.sign_up(table.port, "Bob")
            question = await bob.question()
            assert question is not None
            await bob.send(b'{"type":"answer","id":"one","answer":0}')
            while (message := await bob.message()) and message["type"] != "bye":
                pass
            await bob.close()
            assert message is not None
            return message

    reason = run(test())["reason"]
    assert reason.startswith("you are out: ")
    assert "is not an answer: " in reason


@pytest.mark.parametrize("client", ANY)
def test_everybody_at_the_table_hears_how_the_game_ended_whoever_is_out_included(client: type[TalkClient]) -> None:
    async def test() -> tuple[HostedGame, list[TalkClient]]:
        async with hosted(PORRINHA, 3, bots=["zero"]) as table:
            bob = await client.sign_up(table.port, "Bob", Zero)
            eve = await client.sign_up(table.port, "Eve", Zero)
            await eve.question()
            await eve.say(type="failed", message="no ideas")
            await asyncio.gather(bob.play(), eve.play())
            return await table.game(), [bob, eve]

    game, clients = run(test())
    assert forfeit_of(game, "Eve") is not None
    for one in clients:
        *_, result, bye = one.heard
        assert result == msgspec.json.decode(HostEnd(PORRINHA).result(game.played.outcome))
        assert bye["type"] == "bye"


# People


@pytest.mark.parametrize(("person", "seconds"), [(True, 77), (False, 10)])
def test_a_player_that_says_it_is_a_person_gets_the_patience_for_people(person: bool, seconds: int) -> None:
    async def test() -> dict[str, Any] | None:
        async with hosted(bots=["silly"], patience=10, person_patience=77) as table:
            bob = await TalkClient.sign_up(table.port, "Bob", person=person)
            question = await bob.question()
            await bob.close()
            return question

    question = run(test())
    assert question is not None
    assert question["seconds"] == seconds


def test_a_table_that_waits_for_somebody_silent_does_not_hold_up_the_other() -> None:
    async def test() -> tuple[HostedGame, list[str]]:
        async with hosted(games=2, tables=2, patience=20) as table:
            stuck = [await TalkClient.sign_up(table.port, "stuck") for _ in range(3)]
            await table.logged("game 1 begins")
            quick = [await CourseClient.sign_up(table.port, "quick") for _ in range(3)]
            await asyncio.gather(*(client.play() for client in quick))
            game = await table.game()
            log = [*table.log]
            for client in stuck:
                await client.close()
            return game, log

    game, log = run(test(), 15)
    assert game.names == ("quick#1", "quick#2", "quick#3")
    assert game.played.outcome == at_home(3)
    assert not any("thrown out" in line for line in log)


def test_everybody_at_a_table_may_be_bad_and_the_game_ends() -> None:
    async def test() -> HostedGame:
        async with hosted(patience=0.2) as table:
            clients = [await CourseClient.sign_up(table.port, "silent") for _ in range(3)]
            game = await table.game()
            for client in clients:
                await client.close()
            return game

    outcome = run(test()).played.outcome
    assert outcome.ranking == ()
    assert len(outcome.thrown_out) == 3


def test_a_mistake_of_ours_ends_one_game_and_not_the_host(monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> tuple[HostedGame, str]:
        async with hosted(games=2) as table:
            broken = [await CourseClient.sign_up(table.port, "unlucky") for _ in range(3)]
            with monkeypatch.context() as patch:
                patch.setattr("wateringhole.net.server.play_async", lambda match, players: 1 / 0)
                await table.logged("game 1 failed")
            for client in broken:
                assert await client.question() is None
                await client.close()
            clients = [await CourseClient.sign_up(table.port, "lucky") for _ in range(3)]
            await asyncio.gather(*(client.play() for client in clients))
            return await table.game(), await table.logged("failed")

    game, line = run(test())
    assert game.names[0] == "lucky#1"
    assert "ZeroDivisionError" in line
