"""The client of remote hosts: the JSON and the course's protocol, and errors of hosts and players."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.house.hosting import EVOLUTION, PORRINHA, Breaking, forfeit_of, hosted, run
from tests.house.test_host import local_outcome
from tests.join.standins import Wire, standing_in
from wateringhole.errors import OperationError, UsageError
from wateringhole.game import Forfeit, Outcome, Seat, Standing, ThrownOut
from wateringhole.join.address import Address
from wateringhole.join.connection import TimeLimits
from wateringhole.join.plan import JoinPlan
from wateringhole.join.players import JoinOptions
from wateringhole.join.session import join
from wateringhole.protocol.host import HostEnd


def plan(port: int, report: Callable[[str], None], spec: str = "silly", **options: Any) -> JoinPlan:
    """Return a plan to join the server at a port, with short time limits."""
    limits = TimeLimits(attempts=2, pause=0.05, connect=options.pop("connect", 5), idle=20, reconnect=1)
    return JoinPlan(
        address=Address("127.0.0.1", port), options=JoinOptions(spec=spec, **options), limits=limits, report=report
    )


async def joined(port: int, spec: str = "silly", **options: Any) -> list[str]:
    """Join in a thread.  Return the reported lines."""
    reports: list[str] = []
    await asyncio.to_thread(join, plan(port, reports.append, spec, **options))
    return reports


@pytest.mark.parametrize("protocol", [None, "json", "course"])
def test_remote_players_play_the_same_game_as_local_ones(protocol: Any) -> None:
    async def test() -> tuple[Any, list[list[str]]]:
        async with hosted() as table:
            reports = await asyncio.gather(*(joined(table.port, protocol=protocol) for _ in range(3)))
            return await table.game(), reports

    game, reports = run(test())
    assert game.played.outcome == local_outcome(3)
    assert set(game.names) == {"silly#1", "silly#2", "silly#3"}
    last = "estimate: silly has at least" if protocol == "course" else "goodbye: the host has no more games"
    assert all(last in lines[-1] for lines in reports)


def test_join_plays_all_games_of_a_host_and_reports_each_result() -> None:
    async def test() -> tuple[list[Any], list[str]]:
        async with hosted(PORRINHA, 2, games=3, bots=["zero"]) as table:
            reports = await joined(table.port, "Eve=counter")
            return [await table.game() for _ in range(3)], reports

    games, reports = run(test())
    expected = ["signed up for porrinha"]
    for game in games:
        place = game.played.outcome.places()[Seat(0)]
        expected += ["a game begins: Eve is seat 1 of 2", f"the game is over: Eve took place {place} of 2"]
    expected.append("the host said goodbye: the host has no more games")
    assert [reports[0].partition(" at 127.0.0.1 port ")[0], *reports[1:]] == expected


def outcome(*ranking: Standing, out: str | None = None, unranked: tuple[Seat, ...] = ()) -> Outcome:
    thrown_out = (ThrownOut(Seat(0), Forfeit("illegal", out)),) if out else ()
    return Outcome("max_rounds" if unranked else "finished", ranking, thrown_out, unranked)


RESULTS = {
    # name: an outcome for three, and the lines reported for the first seat
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
    "omitted by the host": (outcome(Standing(Seat(1), 1)), ["the game is over (finished): Ada is not ranked"]),
}


@pytest.mark.parametrize("name", RESULTS)
def test_join_reports_place_score_and_reason_of_a_forfeit(name: str) -> None:
    ended, lines = RESULTS[name]

    def serve(wire: socket.socket) -> None:
        wire.recv(1 << 16)
        host_end = HostEnd(PORRINHA)
        game = host_end.game(0, ("Ada", "Bia", "Caio"), PORRINHA.profiles["seed"].rules)
        wire.sendall(host_end.hello() + game + host_end.result(ended) + host_end.bye("enough"))
        ignore(wire)

    reports: list[str] = []
    with standing_in(serve) as port:
        join(plan(port, reports.append, "random", protocol="json"))
    assert reports[1:] == ["a game begins: Ada is seat 1 of 3", *lines, "the host said goodbye: enough"]


def test_join_uses_the_given_name() -> None:
    async def test() -> Any:
        async with hosted(bots=["silly"]) as table:
            await joined(table.port, name="Ada Lovelace")
            return await table.game()

    assert run(test()).names[0] == "Ada Lovelace#1"


PROGRAM = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "hello", "protocol": 1, "name": "Smallest"}), flush=True)
    elif message["type"] == "request":
        print(json.dumps({"type": "pass", "id": message["id"]}), flush=True)
"""


@pytest.mark.parametrize(("label", "name"), [("", "Smallest"), ("Eve=", "Eve")])
def test_a_program_joins_under_its_label_or_the_name_that_it_reports(label: str, name: str, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)

    async def test() -> Any:
        async with hosted(PORRINHA, 2, bots=["zero"]) as table:
            await joined(table.port, f"{label}cmd:{sys.executable} {tmp_path}/program.py")
            return await table.game()

    assert run(test()).names == (name, "zero")


REQUESTED = """
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "hello", "protocol": 1}), flush=True)
    elif message["type"] == "request":
        print(json.dumps({"type": "failed", "id": message["id"], "message": message["request"]}), flush=True)
"""
STOPPING = REQUESTED.replace('"request":\n', '"request":\n        sys.exit(3)\n')


@pytest.mark.parametrize(("program", "message"), [(REQUESTED, "declare"), (STOPPING, "status 3")])
def test_a_program_is_asked_where_the_protocol_was_detected(program: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(program)

    async def test() -> Any:
        async with hosted(EVOLUTION, 3, bots=["silly"]) as table:
            await joined(table.port, f"Eve=cmd:{sys.executable} {tmp_path}/program.py")
            return await table.game()

    forfeit = forfeit_of(run(test()), "Eve")
    assert forfeit is not None
    assert forfeit.reason == "exception"
    assert message in forfeit.message


@pytest.mark.parametrize("breaks", [1, 3])
def test_player_reconnects_and_is_not_asked_twice(breaks: int, monkeypatch: pytest.MonkeyPatch) -> None:
    async def test() -> tuple[Any, list[str]]:
        async with hosted(bots=["silly"]) as table:
            loop = asyncio.get_running_loop()

            async def cut() -> None:
                for connection in table.host._port._connections:
                    connection._transport.abort()

            monkeypatch.setattr(
                Breaking, "cut", lambda: asyncio.run_coroutine_threadsafe(cut(), loop).result(60), False
            )
            monkeypatch.setattr(Breaking, "breaks", breaks, False)
            monkeypatch.setattr(Breaking, "asked", [], False)
            reports = await joined(table.port, "tests.house.hosting:Breaking")
            return await table.game(), reports

    game, reports = run(test())
    assert game.played.outcome == local_outcome(3)
    assert reports.count("the connection is lost; trying to reconnect for 1 s") == breaks
    assert len(Breaking.asked) == len(set(Breaking.asked))


def test_join_reports_why_a_failing_player_was_thrown_out(tmp_path: Path) -> None:
    bad = tmp_path / "bad.py"
    bad.write_text(
        "from wateringhole.games.evolution import Player\n"
        "class Bad(Player):\n"
        "    def choose(self, request):\n"
        "        raise RuntimeError('out of ideas')\n"
    )

    async def test() -> tuple[Any, list[str]]:
        async with hosted(bots=["silly"]) as table:
            reports = await joined(table.port, f"{bad}:Bad")
            return await table.game(), reports

    game, reports = run(test())
    (thrown,) = game.played.outcome.thrown_out
    assert thrown.forfeit.reason == "exception"
    assert reports[2:4] == [
        "thrown out: RuntimeError in bad.py line 4: out of ideas",
        "the game is over: Bad#1 took place 3 of 3",
    ]


def test_join_fails_after_several_attempts_without_a_host() -> None:
    with socket.create_server(("127.0.0.1", 0)) as closed:
        port = closed.getsockname()[1]
    reports: list[str] = []
    with pytest.raises(OperationError, match=rf"no connection to 127.0.0.1 port {port} after 2 attempts: .*refused"):
        join(plan(port, reports.append))
    assert reports == [f"no connection to 127.0.0.1 port {port} yet: Connection refused; trying again"]


def test_player_for_two_seats_cannot_join() -> None:
    with pytest.raises(UsageError, match="is for 2 seats; only one player can join"):
        JoinOptions(spec="cmd*2:true").player("evolution")


# Servers of other software

Script = Callable[[Wire], None]


BOARD = [["food", 0], ["body", 0], ["population", 1], ["traits", []]]
HAND = [[-2, "burrowing"], [-3, "carnivore"], [-1, "burrowing"], [-2, "carnivore"]]


RESULT = b'{"result":[[1,"silly#2",9],[2,"silly#1",7]]} '


def ignore(wire: socket.socket) -> None:
    """Act as a server that waits for a JSON string and ignores everything else."""
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
    wire.sendall(RESULT)


def test_join_reports_the_announced_result() -> None:
    reports: list[str] = []
    with standing_in(course_game) as port:
        join(plan(port, reports.append, protocol="course"))
    assert reports[2:] == [
        "1 player id: silly#2 score: 9",
        "2 player id: silly#1 score: 7",
        "the server closed the connection: the game is over",
    ]


def test_error_for_a_player_of_another_game_names_what_the_host_did() -> None:
    with (
        standing_in(close) as port,
        pytest.raises(
            OperationError,
            match=r"closed the connection without a message\. .* The course's protocol is for evolution only\.",
        ),
    ):
        join(plan(port, lambda line: None, "counter"))


def test_dialect_selects_the_foreign_protocol_at_once() -> None:
    def labelled(wire: socket.socket) -> None:
        assert wire.recv(4096) == b'"Ada" '
        wire.sendall(b'"ok"')
        wire.sendall(msgspec.json.encode([0, 0, [BOARD], HAND]))
        wire.sendall(msgspec.json.encode([[], [[BOARD], [BOARD]]]))
        assert b'["population",' in wire.recv(4096)
        wire.sendall(RESULT)

    with standing_in(labelled) as port:
        join(plan(port, lambda line: None, name="Ada", dialect="lb"))


HELLO = b'{"type":"hello","protocol":1,"game":"evolution","software":"","players":1}\n'
GAME = b'{"type":"game","seat":0,"names":["a","b","c"],"rules":{}}\n'

SERVER_ERRORS: dict[str, tuple[Script, Any, str]] = {
    # name: what the server does, the protocol, a part of the error
    "silence": (ignore, "json", "sent no reply within 0.2 s"),
    "another protocol": (course_game, "json", "answered in another protocol"),
    "closing before the game": (close, "course", "closed the connection without a message"),
    "junk for the course": (lambda wire: wire.sendall(b'"ok" {"a":1} '), "course", "not in the course's protocol"),
    "junk in JSON": (lambda wire: wire.sendall(b'{"type":"hello"\n'), "json", "breaks the protocol"),
    "another version": (
        lambda wire: wire.sendall(b'{"type":"hello","protocol":99,"game":"evolution"}\n'),
        "json",
        "the host speaks protocol 99",
    ),
    "a bye": (
        lambda wire: wire.sendall(b'{"type":"bye","reason":"full"}\n'),
        "json",
        "did not let the player join: full",
    ),
    "a bye instead of a game": (
        lambda wire: wire.sendall(HELLO + b'{"type":"bye","reason":"no more games"}\n'),
        "json",
        "the host said goodbye before a game began: no more games",
    ),
    "a game that the player does not know": (
        lambda wire: wire.sendall(HELLO.replace(b"evolution", b"porrinha")),
        "json",
        "porrinha is played at 127.0.0.1 port .*: there is no installed player 'silly' for porrinha",
    ),
    "another game": (
        lambda wire: wire.sendall(b'{"type":"hello","protocol":1,"game":"chess"}\n'),
        "json",
        "'chess' is not an installed game",
    ),
    "a web server": (
        lambda wire: wire.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n"),
        None,
        "is an HTTP server. To join a table there, use http://127.0.0.1:",
    ),
    "a shell server": (
        lambda wire: wire.sendall(b"SSH-2.0-OpenSSH_9.2\r\n"),
        None,
        "does not speak a supported protocol",
    ),
    "a mail server": (lambda wire: wire.sendall(b"220 mail ESMTP\r\n"), "json", "does not speak a supported protocol"),
    "a request without a number": (
        lambda wire: wire.sendall(HELLO + b'{"type":"request","request":"sing"}\n'),
        "json",
        "the host sent a message that breaks the protocol: .*'id'",
    ),
    "a request with a number as text": (
        lambda wire: wire.sendall(HELLO + b'{"type":"request","request":"sing","id":"one"}\n'),
        "json",
        "the host sent a message that breaks the protocol: .*int",
    ),
    "a game without a seat for the player": (
        lambda wire: wire.sendall(HELLO + b'{"type":"game","seat":3,"names":["a","b"],"rules":{}}\n'),
        "json",
        "the host sent a message that breaks the protocol: .*2 names, and the seat is 3",
    ),
    "a game with other rules": (
        lambda wire: wire.sendall(HELLO + b'{"type":"game","seat":0,"names":["a","b"],"rules":{"luck":1}}\n'),
        "json",
        "the host sent a message that breaks the protocol: .*luck",
    ),
    "a bye in the middle of a game": (
        lambda wire: wire.sendall(HELLO + GAME + b'{"type":"bye","reason":"the host was stopped"}\n'),
        "json",
        "the host said goodbye in the middle of a game: the host was stopped",
    ),
    "an invalid result": (
        lambda wire: wire.sendall(HELLO + GAME + b'{"type":"result","outcome":{"ranking":"all"}}\n'),
        "json",
        "the host sent a message that breaks the protocol: .*outcome",
    ),
    "an invalid token": (
        lambda wire: wire.sendall(HELLO.replace(b"}", b',"token":7}')),
        "json",
        "the host sent a message that breaks the protocol: .*token",
    ),
    "a resumed number that is text": (
        lambda wire: wire.sendall(HELLO + HELLO.replace(b"}", b',"resumed":"x"}')),
        "json",
        "the host sent a message that breaks the protocol: .*resumed",
    ),
    "a negative resumed number": (
        lambda wire: wire.sendall(HELLO + HELLO.replace(b"}", b',"resumed":-1}')),
        "json",
        "the host sent a message that breaks the protocol: .*resumed",
    ),
}


@pytest.mark.parametrize("name", SERVER_ERRORS)
def test_server_errors_are_reported(name: str) -> None:
    script, protocol, message = SERVER_ERRORS[name]

    def served(wire: socket.socket) -> None:
        with contextlib.suppress(ConnectionError, AssertionError, msgspec.DecodeError):
            script(wire)

    with standing_in(served) as port, pytest.raises((OperationError, UsageError), match=message):
        join(plan(port, lambda line: None, protocol=protocol, connect=0.2))


def test_join_does_not_sign_up_for_an_unknown_protocol_version() -> None:
    reports: list[str] = []
    script, protocol, message = SERVER_ERRORS["another version"]
    with standing_in(script) as port, pytest.raises(OperationError, match=message):
        join(plan(port, reports.append, protocol=protocol))
    assert reports == []


# Errors of the player

PLAYER_ERRORS: dict[str, tuple[str, str]] = {
    # name: a method of the player, a part of the error
    "failing at the start": (
        "def start(self, view): raise RuntimeError('no ideas')",
        "failed: RuntimeError in .*no id",
    ),
    "leaving at the start": ("def start(self, view): raise SystemExit(0)", "the player failed: SystemExit"),
    "failing on_seated": (
        "def on_seated(self, assignment): raise RuntimeError('no ideas')",
        "failed: RuntimeError in",
    ),
    "failing when asked": ("def choose(self, request): raise RuntimeError('no ideas')", "failed: RuntimeError in"),
    "an illegal answer": ("def choose(self, request): return Declaration(99)", "the player broke a rule: .*99"),
    "a wrong type": ("def choose(self, request): return 'grass'", "the player broke a rule: 'grass' is not a"),
    "failing in close": ("def close(self): raise RuntimeError('no ideas')", "the player failed: RuntimeError in"),
}


def failing(folder: Path, method: str) -> str:
    source = folder / "failing.py"
    source.write_text(
        "from wateringhole.games.evolution import Declaration\n"
        "from wateringhole.games.evolution.bots.silly import Silly\n"
        f"class Failing(Silly):\n    {method}\n"
    )
    return f"{source}:Failing"


@pytest.mark.parametrize("name", PLAYER_ERRORS)
def test_player_errors_in_a_foreign_protocol_are_reported(name: str, tmp_path: Path) -> None:
    method, message = PLAYER_ERRORS[name]

    def served(wire: socket.socket) -> None:
        with contextlib.suppress(ConnectionError, msgspec.DecodeError):
            course_game(wire)

    with standing_in(served) as port, pytest.raises(OperationError, match=message):
        join(plan(port, lambda line: None, failing(tmp_path, method), protocol="course"))


def test_error_in_close_is_reported_in_the_json_protocol(tmp_path: Path) -> None:
    method, message = PLAYER_ERRORS["failing in close"]

    async def test() -> None:
        async with hosted(bots=["silly"]) as table:
            with pytest.raises(OperationError, match=message):
                await joined(table.port, failing(tmp_path, method))
            assert (await table.game()).played.outcome.thrown_out == ()

    run(test())


def test_error_in_close_does_not_hide_an_earlier_error(tmp_path: Path) -> None:
    method, _ = PLAYER_ERRORS["failing in close"]
    script, protocol, message = SERVER_ERRORS["a bye instead of a game"]
    with standing_in(script) as port, pytest.raises(OperationError, match=message):
        join(plan(port, lambda line: None, failing(tmp_path, method), protocol=protocol))


def test_join_gives_up_after_repeated_disconnections() -> None:
    def send_hello(wire: socket.socket) -> None:
        wire.recv(1 << 16)
        hello = {"type": "hello", "protocol": 1, "game": "porrinha", "software": "", "players": 1, "token": "secret"}
        wire.sendall(msgspec.json.encode(hello) + b"\n")

    def close_silently(wire: socket.socket) -> None:
        wire.recv(1 << 16)

    reports: list[str] = []
    # The attempts are 0.25, 0.75 and 1 s after the loss.
    with (
        standing_in(send_hello, close_silently, close_silently, close_silently) as port,
        pytest.raises(OperationError, match="did not come back within 1 s: it closes every connection"),
    ):
        join(plan(port, reports.append, "random", protocol="json"))
    assert reports.count("the connection is lost; trying to reconnect for 1 s") == 1


def test_refused_reconnection_reports_the_reason_of_the_host() -> None:
    def send_hello(wire: socket.socket) -> None:
        wire.recv(1 << 16)
        wire.sendall(HELLO.replace(b"}", b',"token":"secret"}'))
        wire.recv(1 << 16)

    def refuse(wire: socket.socket) -> None:
        wire.recv(1 << 16)
        wire.sendall(b'{"type":"bye","reason":"no seat has this token"}\n')

    with (
        standing_in(send_hello, refuse) as port,
        pytest.raises(OperationError, match="did not let the player reconnect: no seat has this token"),
    ):
        join(plan(port, lambda line: None, protocol="json"))


def test_interrupted_player_leaves_the_table(tmp_path: Path) -> None:
    received: list[Any] = []

    def serve(wire: socket.socket) -> None:
        wire.recv(1 << 16)
        with wire.makefile("rb") as lines:
            wire.sendall(HELLO)
            assert b'"hello"' in lines.readline()
            wire.sendall(GAME)
            received.extend(map(msgspec.json.decode, lines))

    reports: list[str] = []
    interrupted = failing(tmp_path, "def on_seated(self, assignment): raise KeyboardInterrupt")
    with standing_in(serve) as port, pytest.raises(KeyboardInterrupt):
        join(plan(port, reports.append, interrupted, protocol="json"))
    assert received == [{"type": "failed", "reason": "left", "message": "left the table"}]
    assert reports[-1] == "interrupted: leaving"


def test_failure_after_the_last_request_is_reported(tmp_path: Path) -> None:
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

    reports = run(test())
    assert "the player failed, too late to matter: RuntimeError in late.py line 4: out of ideas" in reports


def test_text_from_a_host_is_shown_on_one_line_without_control_characters() -> None:
    def disconnect(wire: socket.socket) -> None:
        wire.recv(1 << 16)
        hello = {"type": "hello", "protocol": 1, "game": "porrinha", "software": "", "players": 1}
        bye = {"type": "bye", "reason": "\x1b[31mred\n\x07"}
        wire.sendall(msgspec.json.encode(hello) + b"\n" + msgspec.json.encode(bye) + b"\n")

    with (
        standing_in(disconnect) as port,
        pytest.raises(OperationError, match=r"goodbye before a game began:  \[31mred  \.$"),
    ):
        join(plan(port, lambda line: None, "random", protocol="json"))
