"""Humans at a real terminal: prompts, time limits and messages meanwhile."""

from __future__ import annotations

import contextlib
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Self

import msgspec
import pytest

from tests.cli.test_host_join import hosting
from tests.join.standins import Wire, standing_in
from tests.process.programs import PORRINHA
from tests.screens import on_screen
from wateringhole.game import Notice, Outcome, Seat
from wateringhole.games.porrinha import GuessSaid
from wateringhole.protocol.host import HostEnd

HIDE = "How many of your sticks do you hide, 0 to 3 > "


def test_a_time_limit_ends_a_prompt() -> None:
    with on_screen("play", "porrinha", "human", "zero", "--human-time-limit", "2") as screen:
        screen.until("The referee waits 2 seconds for your answer.")
        screen.until(HIDE)
        screen.type("1")
        screen.until("Your time is over: the referee waits no longer.")
        assert screen.end() == 0
    assert "no answer within the 2 s there are for people" in " ".join(screen.shown.split())


def test_humans_have_no_time_limit_by_default() -> None:
    with on_screen("play", "porrinha", "human", "zero", "--time-limit", "0.1") as screen:
        assert "The referee waits" not in screen.until(HIDE)
        # The end of input is typed ahead.
        screen.type("1\n\x04")
        screen.until("You leave the table. Goodbye.")
        assert screen.end() == 0


def test_a_line_can_be_edited_while_it_is_typed() -> None:
    with on_screen("play", "porrinha", "human", "zero", "--rules", "max_rounds=1") as screen:
        screen.until(HIDE)
        # Three backspaces, an arrow, an extra word and an extra line leave a 2.
        screen.type("x19\x7f\x7f\x7f\x1b[A7 8\x17\x15" + "2\n")
        screen.until("You hide ┃┃ 2,")
        screen.until("0 to 6 > ")
        screen.type("\x03")
        screen.until("You leave the table. Goodbye.")


def test_a_remote_human_gets_a_message_when_the_time_is_over() -> None:
    limits = ("--time-limit", "0.5", "--human-time-limit", "2")
    with hosting("porrinha", "--players", "2", "--bots", "zero", *limits) as host:
        with on_screen("join", host.where, "human") as screen:
            screen.until("The referee waits 2 seconds for your answer.")
            screen.until(HIDE)
            screen.type("1")
            screen.end()
        _, err = host.end()
    # Either clock may be first, depending on the delay between them.
    assert "Your time is over" in screen.shown or "the host no longer waits for this answer" in screen.shown
    assert "'human' was thrown out: no answer within the referee's patience of 2 s" in err


Script = Callable[["Host"], None]


class Host:
    """The host's side of a game of two with one human, line by line."""

    def __init__(self, wire: socket.socket) -> None:
        self.wire = wire
        self.host_end = HostEnd(PORRINHA)
        self.game = PORRINHA.new_game(PORRINHA.deal(2, PORRINHA.profiles["seed"].rules, 1))
        self.lines = wire.makefile("rb")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *why: object) -> None:
        self.lines.close()

    def send(self, line: bytes) -> None:
        self.wire.sendall(line)

    def receive(self) -> dict[str, object]:
        message = msgspec.json.decode(self.lines.readline())
        assert isinstance(message, dict)
        return message

    def begin(self) -> None:
        """Play up to the first request."""
        assert self.receive()["type"] == "knock"
        self.send(self.host_end.hello(token="secret"))
        assert self.receive()["person"] is True
        self.send(self.host_end.game(0, ("Ada", "Bia"), PORRINHA.profiles["seed"].rules))
        (begin,) = [event for event in self.game.opening if isinstance(event, Notice) and event.seat == 0]
        self.send(self.host_end.notice(begin))
        self.ask()

    def ask(self) -> None:
        self.send(self.host_end.request(self.game.requests[Seat(0)]))

    def end(self) -> None:
        self.send(self.host_end.result(Outcome("finished", (), ())) + self.host_end.bye("enough"))


@contextlib.contextmanager
def host(*scripts: Script) -> Iterator[str]:
    """Run a host that handles each connection with a script, and yield its address."""

    def refuse(wire: Wire) -> None:
        # This host knows only the knock of the JSON protocol, so it refuses the one with a name.
        with wire.makefile("rb") as lines:
            assert lines.readline() == b'"human"\t\n'

    def following(script: Script) -> Callable[[Wire], None]:
        def serve(wire: Wire) -> None:
            with Host(wire) as end:
                script(end)

        return serve

    with standing_in(refuse, *map(following, scripts)) as port:
        yield f"127.0.0.1:{port}"


def test_events_are_shown_above_a_half_typed_line() -> None:
    is_typed = threading.Event()

    def serve(host: Host) -> None:
        host.begin()
        assert is_typed.wait(30)
        host.send(host.host_end.event(GuessSaid(Seat(1), 5)))
        assert host.receive() == {"type": "answer", "id": 1, "answer": 2}
        host.end()

    with host(serve) as where, on_screen("join", where, "human") as screen:
        screen.until(HIDE)
        screen.type("2")
        screen.until("2")
        is_typed.set()
        shown = screen.until("Bia says 5.")
        assert shown.startswith("\r\x1b[J"), "the line is wiped before something else is shown"
        screen.until(f"{HIDE}2")
        screen.type("\n")
        screen.until("the host said goodbye: enough")
        assert screen.end() == 0


@pytest.mark.parametrize("asks_again", [False, True], ids=["the end", "another request"])
def test_a_cancelled_request_ends_the_prompt_at_once(asks_again: bool) -> None:
    def serve(host: Host) -> None:
        host.begin()
        if asks_again:
            host.ask()
            assert host.receive() == {"type": "answer", "id": 2, "answer": 1}
        host.end()

    with host(serve) as where, on_screen("join", where, "human") as screen:
        screen.until("the host no longer waits for this answer")
        if asks_again:
            screen.until(HIDE)
            screen.type("1\n")
        screen.until("the host said goodbye")
        assert screen.end() == 0


def test_a_human_is_asked_again_after_reconnecting() -> None:
    def serve_again(host: Host) -> None:
        assert host.receive()["token"] == "secret"
        host.send(host.host_end.hello(token="secret", resumed=2))
        host.ask()
        assert host.receive() == {"type": "answer", "id": 1, "answer": 3}
        host.end()

    with host(Host.begin, serve_again) as where, on_screen("join", where, "human") as screen:
        screen.until(HIDE)
        screen.until("the connection is lost; trying to reconnect")
        screen.until(HIDE)
        screen.type("3\n")
        screen.until("the host said goodbye: enough")
        assert screen.end() == 0
