"""A player of ours at a host somewhere else: over our protocol and the course's, and when things go wrong."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.net.hosting import PORRINHA, Breaking, hosted, run
from tests.net.test_server import at_home
from wateringhole.errors import OperationError, UsageError
from wateringhole.game import Forfeit, Outcome, Seat, Standing, ThrownOut
from wateringhole.net.client import ConnectOptions, JoinOptions, join
from wateringhole.protocol.host import HostEnd


def dial(port: int, **options: Any) -> ConnectOptions:
    return ConnectOptions(host="127.0.0.1", port=port, attempts=2, pause_seconds=0.05, **options)


async def joined(port: int, spec: str = "silly", **options: Any) -> list[str]:
    """Join in a thread; what was told."""
    told: list[str] = []
    await asyncio.to_thread(join, dial(port), JoinOptions(spec=spec, **options), told.append)
    return told


@pytest.mark.parametrize("protocol", [None, "ours", "course"])
def test_players_join_over_either_protocol_and_play_as_at_home(protocol: Any) -> None:
    async def test() -> tuple[Any, list[list[str]]]:
        async with hosted() as table:
            told = await asyncio.gather(*(joined(table.port, protocol=protocol) for _ in range(3)))
            return await table.game(), told

    game, told = run(test())
    assert game.played.outcome == at_home(3)
    assert set(game.names) == {"silly#1", "silly#2", "silly#3"}
    assert all("over" in lines[-1] or "goodbye: the host has no more games" in lines[-1] for lines in told)


def test_one_player_plays_all_games_of_a_host_and_its_owner_reads_how_each_ended() -> None:
    async def test() -> tuple[list[Any], list[str]]:
        async with hosted(PORRINHA, 2, games=3, bots=["zero"]) as table:
            told = await joined(table.port, "Eve=counter")
            return [await table.game() for _ in range(3)], told

    games, told = run(test())
    expected = ["signed up for porrinha"]
    for game in games:
        place = game.played.outcome.places()[Seat(0)]
        expected += ["a game begins: Eve is seat 1 of 2", f"the game is over: Eve took place {place} of 2"]
    expected.append("the host said goodbye: the host has no more games")
    assert [told[0].partition(" at 127.0.0.1 port ")[0], *told[1:]] == expected


def outcome(*ranking: Standing, out: str | None = None, unranked: tuple[Seat, ...] = ()) -> Outcome:
    thrown_out = (ThrownOut(Seat(0), Forfeit("illegal", out)),) if out else ()
    return Outcome("max_rounds" if unranked else "finished", ranking, thrown_out, unranked)


RESULTS = {
    # name: an outcome for three, and what the owner of the first seat reads
    "alone on its place": (
        outcome(Standing(Seat(1), 1, 9), Standing(Seat(0), 2, 7), Standing(Seat(2), 3, 4)),
        ["the game is over: Ada took place 2 of 3 with a score of 7"],
    ),
    "a shared place": (
        outcome(Standing(Seat(1), 1, 0), Standing(Seat(0), 1, 0), Standing(Seat(2), 1, 0)),
        ["the game is over: Ada shares place 1 of 3 with a score of 0"],
    ),
    "a game without scores": (
        outcome(Standing(Seat(0), 1), Standing(Seat(1), 2), Standing(Seat(2), 3)),
        ["the game is over: Ada took place 1 of 3"],
    ),
    "thrown out": (
        outcome(Standing(Seat(1), 1, 9), Standing(Seat(2), 2, 4), out="two\nlines"),
        ["thrown out: two lines", "the game is over: Ada took place 3 of 3"],
    ),
    "stopped": (
        outcome(Standing(Seat(1), 1), unranked=(Seat(0), Seat(2))),
        ["the game is over (max_rounds): Ada is not ranked"],
    ),
    "forgotten by the host": (outcome(Standing(Seat(1), 1)), ["the game is over (finished): Ada is not ranked"]),
}


@pytest.mark.parametrize("name", RESULTS)
def test_the_owner_of_a_player_reads_its_place_its_score_and_why_it_was_thrown_out(name: str) -> None:
    ended, lines = RESULTS[name]

    def serve(wire: socket.socket) -> None:
        wire.recv(1 << 16)
        talk = HostEnd(PORRINHA)
        game = talk.game(0, ("Ada", "Bia", "Caio"), PORRINHA.profiles["seed"].rules)
        wire.sendall(talk.hello() + game + talk.result(ended) + talk.bye("enough"))
        ignore(wire)

    told: list[str] = []
    with server(serve) as port:
        join(dial(port), JoinOptions(spec="random", protocol="ours"), told.append)
    assert told[1:] == ["a game begins: Ada is seat 1 of 3", *lines, "the host said goodbye: enough"]


def test_a_name_can_be_given() -> None:
    async def test() -> Any:
        async with hosted(bots=["silly"]) as table:
            await joined(table.port, name="Ada Lovelace")
            return await table.game()

    assert run(test()).names[0] == "Ada Lovelace#1"


@pytest.mark.parametrize("breaks", [1, 3])
def test_a_player_whose_connection_breaks_comes_back_and_is_not_asked_twice(
    breaks: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def test() -> tuple[Any, list[str]]:
        async with hosted(bots=["silly"]) as table:
            loop = asyncio.get_running_loop()

            async def cut() -> None:
                for connection in table.host._connections:
                    connection._transport.abort()

            monkeypatch.setattr(Breaking, "cut", lambda: asyncio.run_coroutine_threadsafe(cut(), loop).result(5), False)
            monkeypatch.setattr(Breaking, "breaks", breaks, False)
            monkeypatch.setattr(Breaking, "asked", [], False)
            told = await joined(table.port, "tests.net.hosting:Breaking")
            return await table.game(), told

    game, told = run(test())
    assert game.played.outcome == at_home(3)
    assert told.count("the connection is lost; trying to reconnect") == breaks
    assert len(Breaking.asked) == len(set(Breaking.asked))


def test_a_player_that_fails_is_out_and_its_owner_learns_why(tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text(
        "from wateringhole.games.evolution import Player\n"
        "class Bad(Player):\n"
        "    def choose(self, request):\n"
        "        raise RuntimeError('out of ideas')\n"
    )

    async def test() -> tuple[Any, list[str]]:
        async with hosted(bots=["silly"]) as table:
            told = await joined(table.port, f"{bad}:Bad")
            return await table.game(), told

    game, told = run(test())
    (thrown,) = game.played.outcome.thrown_out
    assert thrown.forfeit.reason == "exception"
    assert told[2:4] == [
        "thrown out: RuntimeError in bad.py line 4: out of ideas",
        "the game is over: Bad#1 took place 3 of 3",
    ]


def test_nobody_there_is_a_failure_after_some_attempts() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    told: list[str] = []
    with pytest.raises(OperationError, match=rf"no connection to 127.0.0.1 port {port} after 2 attempts: .*refused"):
        join(dial(port), JoinOptions(spec="silly"), told.append)
    assert told == [f"no connection to 127.0.0.1 port {port} yet: Connection refused; trying again"]


def test_a_player_for_two_seats_cannot_join() -> None:
    with pytest.raises(UsageError, match="is for 2 seats; only one player can join"):
        JoinOptions(spec="cmd*2:true").player("evolution")


# Servers that are not ours

Script = Callable[[socket.socket], None]


@contextlib.contextmanager
def server(*scripts: Script) -> Iterator[int]:
    """A server that treats one connection after the other as scripted."""
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(10)

    def serve() -> None:
        for script in scripts:
            wire, _ = listener.accept()
            wire.settimeout(10)
            with wire:
                script(wire)

    thread = threading.Thread(target=serve)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        thread.join(20)
        listener.close()
    assert not thread.is_alive()


BOARD = [["food", 0], ["body", 0], ["population", 1], ["traits", []]]
HAND = [[-2, "burrowing"], [-3, "carnivore"], [-1, "burrowing"], [-2, "carnivore"]]


def ignore(wire: socket.socket) -> None:
    """A server that waits for a JSON string and passes over anything else."""
    while wire.recv(4096):
        pass


def close(wire: socket.socket) -> None:
    wire.recv(4096)


def course_game(wire: socket.socket) -> None:
    wire.recv(4096)
    wire.sendall(b'"ok" ')
    wire.sendall(msgspec.json.encode([0, 0, [BOARD], HAND]) + b" ")
    wire.sendall(msgspec.json.encode([[], [[BOARD], [BOARD]]]) + b" ")
    answer = msgspec.json.decode(wire.recv(4096))
    assert len(answer) == 5


def test_a_server_that_does_not_know_our_protocol_is_spoken_to_in_the_courses() -> None:
    told: list[str] = []
    with server(ignore, course_game) as port:
        join(dial(port, hello_seconds=0.2), JoinOptions(spec="silly"), told.append)
    assert told == [
        "this host sent nothing; trying the course's protocol",
        f"signed up for evolution at 127.0.0.1 port {port}; waiting for a game",
        "a game begins",
        "the server closed the connection: the game is over; the course's protocol sends no result",
    ]


def test_a_result_that_a_server_of_the_course_announces_is_told() -> None:
    def announcing(wire: socket.socket) -> None:
        course_game(wire)
        wire.sendall(b'{"result":[[1,"silly#2",9],[2,"silly#1",7]]} ')

    told: list[str] = []
    with server(announcing) as port:
        join(dial(port), JoinOptions(spec="silly", protocol="course"), told.append)
    assert told[2:] == [
        "1 player id: silly#2 score: 9",
        "2 player id: silly#1 score: 7",
        "the server closed the connection: the game is over",
    ]


def strictly(refuse: Callable[[socket.socket], None]) -> Script:
    """A server that parses after every byte, wants a JSON string for a sign-up, and refuses anything else."""

    def value_from(wire: socket.socket) -> Any:
        text = b""
        while True:
            byte = wire.recv(1)
            assert byte, "whoever leaves in the middle of a value would keep it waiting for ever"
            text += byte
            with contextlib.suppress(msgspec.DecodeError):
                return msgspec.json.decode(text)

    def serve(wire: socket.socket) -> None:
        if not isinstance(value_from(wire), str):
            refuse(wire)
            return
        wire.sendall(b'"ok"')
        wire.sendall(msgspec.json.encode([0, 0, [BOARD], HAND]))
        wire.sendall(msgspec.json.encode([[], [[BOARD], [BOARD]]]))
        assert len(value_from(wire)) == 5

    return serve


@pytest.mark.parametrize(
    ("refuse", "what"),
    [(lambda wire: None, "closed the connection without a message"), (ignore, "sent nothing")],
    ids=["hangs up", "waits on"],
)
def test_a_strict_server_of_the_course_is_signed_up_with_over_a_second_connection(refuse: Script, what: str) -> None:
    told: list[str] = []
    served = strictly(refuse)
    with server(served, served) as port:
        join(dial(port, hello_seconds=0.2), JoinOptions(spec="silly", name="Ada"), told.append)
    assert told == [
        f"this host {what}; trying the course's protocol",
        f"signed up for evolution at 127.0.0.1 port {port}; waiting for a game",
        "a game begins",
        "the server closed the connection: the game is over; the course's protocol sends no result",
    ]


def test_who_cannot_play_the_courses_game_is_told_what_the_host_did_and_not_that_it_is_no_player_of_evolution() -> None:
    with (
        server(close) as port,
        pytest.raises(
            OperationError,
            match="closed the connection without a message; the course's protocol supports evolution only",
        ),
    ):
        join(dial(port), JoinOptions(spec="counter"), lambda line: None)


def test_a_server_that_takes_our_first_words_for_a_name_is_played_with() -> None:
    told: list[str] = []
    with server(course_game) as port:
        join(dial(port), JoinOptions(spec="silly"), told.append)
    assert told[0] == "this host speaks the course's protocol"


def test_a_dialect_means_the_courses_protocol_at_once() -> None:
    def labelled(wire: socket.socket) -> None:
        assert wire.recv(4096) == b'"Ada" '
        wire.sendall(b'"ok"')
        wire.sendall(msgspec.json.encode([0, 0, [BOARD], HAND]))
        wire.sendall(msgspec.json.encode([[], [[BOARD], [BOARD]]]))
        assert b'["population",' in wire.recv(4096)

    with server(labelled) as port:
        join(dial(port), JoinOptions(spec="silly", name="Ada", dialect="lb"), lambda line: None)


HELLO = b'{"type":"hello","protocol":1,"game":"evolution","software":"","players":1}\n'
GAME = b'{"type":"game","seat":0,"names":["a","b","c"],"rules":{}}\n'

FAILURES: dict[str, tuple[Script, Any, str]] = {
    # name: what the server does, the protocol, a part of the failure
    "silence": (ignore, "ours", "sent nothing; for a course server, use --protocol course"),
    "another protocol": (course_game, "ours", "answered in another protocol"),
    "closing before the game": (close, "course", "closed the connection before the game began"),
    "junk for the course": (lambda wire: wire.sendall(b'"ok" {"a":1} '), "course", "not in the course's protocol"),
    "junk for us": (lambda wire: wire.sendall(b'{"type":"hello"\n'), "ours", "breaks the protocol"),
    "another version": (
        lambda wire: wire.sendall(b'{"type":"hello","protocol":99,"game":"evolution"}\n'),
        "ours",
        "the host speaks protocol 99",
    ),
    "a farewell": (
        lambda wire: wire.sendall(b'{"type":"bye","reason":"full"}\n'),
        "ours",
        "did not let the player join: full",
    ),
    "a farewell in place of a game": (
        lambda wire: wire.sendall(HELLO + b'{"type":"bye","reason":"no more games"}\n'),
        "ours",
        "the host said goodbye before a game began: no more games",
    ),
    "a game that the player does not know": (
        lambda wire: wire.sendall(HELLO.replace(b"evolution", b"porrinha")),
        "ours",
        "porrinha is played at 127.0.0.1 port .*: there is no installed player 'silly' for porrinha",
    ),
    "another game": (
        lambda wire: wire.sendall(b'{"type":"hello","protocol":1,"game":"chess"}\n'),
        "ours",
        "'chess' is not an installed game",
    ),
    "a web server": (
        lambda wire: wire.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n"),
        None,
        "does not speak a supported protocol: it sent 'HTTP/1.1 400 Bad Request",
    ),
    "a shell server": (
        lambda wire: wire.sendall(b"SSH-2.0-OpenSSH_9.2\r\n"),
        None,
        "does not speak a supported protocol",
    ),
    "a mail server": (lambda wire: wire.sendall(b"220 mail ESMTP\r\n"), "ours", "does not speak a supported protocol"),
    "a request without a number": (
        lambda wire: wire.sendall(HELLO + b'{"type":"request","request":"sing"}\n'),
        "ours",
        "the host sent a message that breaks the protocol: .*'id'",
    ),
    "a request with a number in words": (
        lambda wire: wire.sendall(HELLO + b'{"type":"request","request":"sing","id":"one"}\n'),
        "ours",
        "the host sent a message that breaks the protocol: .*int",
    ),
    "a game without a seat for us": (
        lambda wire: wire.sendall(HELLO + b'{"type":"game","seat":3,"names":["a","b"],"rules":{}}\n'),
        "ours",
        "the host sent a message that breaks the protocol: .*2 names, and our seat is 3",
    ),
    "a game of other rules": (
        lambda wire: wire.sendall(HELLO + b'{"type":"game","seat":0,"names":["a","b"],"rules":{"luck":1}}\n'),
        "ours",
        "the host sent a message that breaks the protocol: .*luck",
    ),
    "a farewell in the middle of a game": (
        lambda wire: wire.sendall(HELLO + GAME + b'{"type":"bye","reason":"the host was stopped"}\n'),
        "ours",
        "the host said goodbye in the middle of a game: the host was stopped",
    ),
    "a result that is none": (
        lambda wire: wire.sendall(HELLO + GAME + b'{"type":"result","outcome":{"ranking":"all"}}\n'),
        "ours",
        "the host sent a message that breaks the protocol: .*outcome",
    ),
    "a token that is none": (
        lambda wire: wire.sendall(HELLO.replace(b"}", b',"token":7}')),
        "ours",
        "the host sent a message that breaks the protocol: .*token",
    ),
    "a return to nowhere": (
        lambda wire: wire.sendall(HELLO + HELLO.replace(b"}", b',"resumed":"x"}')),
        "ours",
        "the host sent a message that breaks the protocol: .*resumed",
    ),
    "a return to before the beginning": (
        lambda wire: wire.sendall(HELLO + HELLO.replace(b"}", b',"resumed":-1}')),
        "ours",
        "the host sent a message that breaks the protocol: .*resumed",
    ),
}


@pytest.mark.parametrize("name", FAILURES)
def test_what_a_server_does_wrong_is_said_in_a_sentence(name: str) -> None:
    script, protocol, message = FAILURES[name]

    def served(wire: socket.socket) -> None:
        with contextlib.suppress(ConnectionError, AssertionError, msgspec.DecodeError):
            script(wire)

    with server(served) as port, pytest.raises((OperationError, UsageError), match=message):
        join(dial(port, hello_seconds=0.2), JoinOptions(spec="silly", protocol=protocol), lambda line: None)


def test_who_does_not_understand_the_hosts_version_has_not_signed_up() -> None:
    told: list[str] = []
    script, protocol, message = FAILURES["another version"]
    with server(script) as port, pytest.raises(OperationError, match=message):
        join(dial(port), JoinOptions(spec="silly", protocol=protocol), told.append)
    assert told == []


# Players who fail, told to their owners

OWN_FAULTS: dict[str, tuple[str, str]] = {
    # name: a method of the player, a part of the failure
    "failing at the start": (
        "def start(self, view): raise RuntimeError('no ideas')",
        "gave up: RuntimeError in .*no id",
    ),
    "leaving at the start": ("def start(self, view): raise SystemExit(0)", "the player gave up: SystemExit"),
    "failing to sit down": (
        "def on_seated(self, assignment): raise RuntimeError('no ideas')",
        "gave up: RuntimeError in",
    ),
    "failing when asked": ("def choose(self, request): raise RuntimeError('no ideas')", "gave up: RuntimeError in"),
    "an illegal answer": ("def choose(self, request): return Declaration(99)", "the player broke a rule: .*99"),
    "a wrong type": ("def choose(self, request): return 'grass'", "the player broke a rule: 'grass' is not a"),
    "failing in the end": ("def close(self): raise RuntimeError('no ideas')", "the player gave up: RuntimeError in"),
}


def failing(folder: Path, method: str) -> str:
    source = folder / "failing.py"
    source.write_text(
        "from wateringhole.games.evolution import Declaration\n"
        "from wateringhole.games.evolution.bots.silly import Silly\n"
        f"class Failing(Silly):\n    {method}\n"
    )
    return f"{source}:Failing"


@pytest.mark.parametrize("name", OWN_FAULTS)
def test_what_a_player_does_wrong_in_the_courses_protocol_is_said_in_a_sentence(name: str, tmp_path: Path) -> None:
    method, message = OWN_FAULTS[name]

    def served(wire: socket.socket) -> None:
        with contextlib.suppress(ConnectionError, msgspec.DecodeError):
            course_game(wire)

    with server(served) as port, pytest.raises(OperationError, match=message):
        join(dial(port), JoinOptions(spec=failing(tmp_path, method), protocol="course"), lambda line: None)


def test_a_player_that_fails_in_the_end_is_told_over_our_protocol_too(tmp_path: Path) -> None:
    method, message = OWN_FAULTS["failing in the end"]

    async def test() -> None:
        async with hosted(bots=["silly"]) as table:
            with pytest.raises(OperationError, match=message):
                await joined(table.port, failing(tmp_path, method))
            assert (await table.game()).played.outcome.thrown_out == ()

    run(test())


def test_a_player_that_fails_in_the_end_does_not_hide_what_failed_before(tmp_path: Path) -> None:
    method, _ = OWN_FAULTS["failing in the end"]
    script, protocol, message = FAILURES["a farewell in place of a game"]
    with server(script) as port, pytest.raises(OperationError, match=message):
        join(dial(port), JoinOptions(spec=failing(tmp_path, method), protocol=protocol), lambda line: None)


def test_a_host_that_hangs_up_again_and_again_is_given_up() -> None:
    def say_hello(wire: socket.socket) -> None:
        wire.recv(1 << 16)
        hello = {"type": "hello", "protocol": 1, "game": "porrinha", "software": "", "players": 1, "token": "secret"}
        wire.sendall(msgspec.json.encode(hello) + b"\n")

    def hang_up(wire: socket.socket) -> None:
        wire.recv(1 << 16)

    told: list[str] = []
    # It comes back as often as it would try to connect, each time after a pause, and then no more.
    with (
        server(say_hello, hang_up, hang_up) as port,
        pytest.raises(OperationError, match="closed 3 connections in a row without a message"),
    ):
        join(dial(port), JoinOptions(spec="random", protocol="ours"), told.append)
    assert told.count("the connection is lost; trying to reconnect") == 2


def test_who_is_not_let_back_in_is_told_the_hosts_reason() -> None:
    def say_hello(wire: socket.socket) -> None:
        wire.recv(1 << 16)
        wire.sendall(HELLO.replace(b"}", b',"token":"secret"}'))
        wire.recv(1 << 16)

    def refuse(wire: socket.socket) -> None:
        wire.recv(1 << 16)
        wire.sendall(b'{"type":"bye","reason":"no seat has this token"}\n')

    with (
        server(say_hello, refuse) as port,
        pytest.raises(OperationError, match="did not let the player reconnect: no seat has this token"),
    ):
        join(dial(port), JoinOptions(spec="silly", protocol="ours"), lambda line: None)


def test_who_is_interrupted_leaves_the_table_so_that_nobody_waits_for_it(tmp_path: Path) -> None:
    heard: list[Any] = []

    def serve(wire: socket.socket) -> None:
        wire.recv(1 << 16)
        with wire.makefile("rb") as lines:
            wire.sendall(HELLO)
            assert b'"hello"' in lines.readline()
            wire.sendall(GAME)
            heard.extend(map(msgspec.json.decode, lines))

    told: list[str] = []
    interrupted = failing(tmp_path, "def on_seated(self, assignment): raise KeyboardInterrupt")
    with server(serve) as port, pytest.raises(KeyboardInterrupt):
        join(dial(port), JoinOptions(spec=interrupted, protocol="ours"), told.append)
    assert heard == [{"type": "failed", "reason": "left", "message": "left the table"}]
    assert told[-1] == "interrupted: leaving"


def test_a_player_that_fails_after_its_last_question_is_told_to_its_owner(tmp_path: Path) -> None:
    late = tmp_path / "late.py"
    late.write_text(
        "from wateringhole.games.evolution.bots.silly import Silly\n"
        "class Late(Silly):\n"
        "    def game_over(self, outcome):\n"
        "        raise RuntimeError('out of ideas')\n"
    )

    async def test() -> list[str]:
        async with hosted(bots=["silly"]) as table:
            return await joined(table.port, f"{late}:Late")

    told = run(test())
    assert "the player failed, too late to matter: RuntimeError in late.py line 4: out of ideas" in told


def test_what_a_host_says_is_shown_on_one_line_without_control_characters() -> None:
    def disconnect(wire: socket.socket) -> None:
        wire.recv(1 << 16)
        hello = {"type": "hello", "protocol": 1, "game": "porrinha", "software": "", "players": 1}
        bye = {"type": "bye", "reason": "\x1b[31mred\n\x07"}
        wire.sendall(msgspec.json.encode(hello) + b"\n" + msgspec.json.encode(bye) + b"\n")

    with (
        server(disconnect) as port,
        pytest.raises(OperationError, match=r"goodbye before a game began:  \[31mred  \.$"),
    ):
        join(dial(port), JoinOptions(spec="random", protocol="ours"), lambda line: None)
