"""Stand-ins for the servers that were written for the course: small, real servers on the loopback.

Each one reads, writes and lists players as its program does, and plays a whole game of Evolution: the connection
plays the seat in the middle, built-in players the others.  A bad answer costs the connection its seat without a
message, as on every such server.
"""

from __future__ import annotations

import contextlib
import json
import select
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from wateringhole.game import Notice, Outcome, Request
from wateringhole.games.evolution import DeclareCards, View, deal
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.games.evolution.kind import KIND
from wateringhole.games.evolution.rules import codec
from wateringhole.games.evolution.rules.events import YourTurnStarts
from wateringhole.games.evolution.rules.options import PROFILES
from wateringhole.match.loops import play
from wateringhole.match.match import Match

__all__ = ["SERVERS", "ServerStyle", "StandIn", "Wire", "standing_in"]

Wire = socket.socket
SEAT = 1


class ThrownOut(Exception):
    """The server removes the connection from the game."""


def recv(wire: Wire, most: int) -> bytes:
    data = wire.recv(most)
    if not data:
        raise ThrownOut
    return data


# How servers read an answer


def to_the_next_byte(wire: Wire) -> Any:
    """Read a value as the reference does: a number ends at the byte after it, within a second."""
    wire.settimeout(1)
    text = b""
    while True:
        text += recv(wire, 1)
        with contextlib.suppress(ValueError):
            value = json.loads(text)
            if not isinstance(value, int) or isinstance(value, bool) or text[-1:].isspace():
                return value


def byte_by_byte(wire: Wire) -> Any:
    """Read a value that is complete as soon as it can be parsed."""
    text = b""
    while True:
        text += recv(wire, 1)
        with contextlib.suppress(ValueError):
            return json.loads(text)


def with_one_more_byte(wire: Wire) -> Any:
    """Read a value and then one byte more, as CB does; it has no time limit there, and a short one here."""
    value = byte_by_byte(wire)
    wire.settimeout(0.5)
    if not recv(wire, 1).isspace():
        raise ThrownOut
    return value


def one_read(wire: Wire) -> Any:
    """Take one read for the whole answer."""
    return json.loads(recv(wire, 512))


def digit_by_digit(wire: Wire) -> Any:
    """Read a vegetarian index as JF does, which takes a blank for a digit."""
    first = wire.recv(1, socket.MSG_PEEK)
    if not first.isdigit():
        value = byte_by_byte(wire)
        # Its parser keeps what follows a list.
        while select.select([wire], [], [], 0.02)[0]:
            recv(wire, 1)
        return value
    number = int(recv(wire, 1))
    while select.select([wire], [], [], 0.02)[0]:
        byte = recv(wire, 1)
        number = 10 * number + (int(byte) if byte.isdigit() else -1)
    return number


class ServerStyle(NamedTuple):
    """What distinguishes a server from the others."""

    read: Callable[[Wire], Any]
    after: bytes = b""
    """Bytes after every value that it sends."""
    is_compact: bool = False
    """Whether it writes no blanks inside of a value."""
    welcome: bytes | None = None
    """Its reply to a sign-up, if that is not the JSON string "ok"."""
    parses_names: bool = True
    """Whether it reads a sign-up as JSON.  Otherwise, it lists all bytes of the first read."""
    lists_self: bool = False
    feeding_lists: str = "after-me"
    labels_growth: bool = False
    number_for_bag: bool = False
    keeps_open: bool = False
    """Whether the connection of a player that is thrown out stays open until the end of the game."""
    profile: str = "course"

    def write(self, value: Any) -> bytes:
        return json.dumps(value, separators=(",", ":") if self.is_compact else None).encode() + self.after


SERVERS = {
    "reference": ServerStyle(
        to_the_next_byte, b" ", is_compact=True, lists_self=True, keeps_open=True, profile="reference"
    ),
    "lb": ServerStyle(byte_by_byte, labels_growth=True),
    "cb": ServerStyle(with_one_more_byte, b"\n"),
    "jc": ServerStyle(byte_by_byte),
    "la": ServerStyle(one_read, parses_names=False, feeding_lists="turn-order"),
    "kd": ServerStyle(one_read, welcome=b"ok", parses_names=False, feeding_lists="all", number_for_bag=True),
    "jf": ServerStyle(digit_by_digit, is_compact=True),
}


class StandIn(Silly):
    """A server with one connection, which plays a seat of its game; the answers come over the wire."""

    def __init__(self, style: ServerStyle, *, answers: int | None = None, announces: bool = False) -> None:
        """After `answers` answers, the server stops; it sends the result at the end if it `announces` it."""
        super().__init__()
        self.style = style
        self._answers_left = answers
        self._announces = announces
        self.listed: bytes | None = None
        """The name of the connection in the server's list."""
        self.answers: list[Any] = []
        self.is_thrown_out = False
        self.outcome: Outcome | None = None
        self._wire: Wire

    def serve(self, wire: Wire) -> None:
        self._wire = wire
        wire.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.listed = str(byte_by_byte(wire)).encode() if self.style.parses_names else wire.recv(512)
        wire.sendall(self.style.welcome or self.style.write("ok"))
        match = Match(KIND, deal(3, PROFILES[self.style.profile], 3), ("first", "joined", "last"))
        with contextlib.suppress(ServerStopped):
            play(match, [Silly(), self, Silly()])
            self.outcome = match.outcome
            if self._announces and match.outcome and not self.is_thrown_out:
                rows = [[line.place, f"player#{line.seat}", line.score] for line in match.outcome.ranking]
                self._send({"result": rows})

    def on_notice(self, notice: Notice) -> None:
        if isinstance(notice, YourTurnStarts):
            view = notice.view
            bag = 7 if self.style.number_for_bag else view.bag
            self._send([view.hole, bag, codec.row_to_json(view.boards), codec.cards_to_json(view.hand)])

    def answer(self, request: Request[Any], seconds: float | None = None) -> Any:
        view: View = request.view  # type: ignore[attr-defined]
        is_choose = isinstance(request, DeclareCards)
        self._send(self._choose(view) if is_choose else self._feed_next(view))
        try:
            value = self.style.read(self._wire)
            self.answers.append(value)
            answer = self._answer(request, view, value)
            violation = request.accept(answer)
            if violation is not answer:
                raise ThrownOut(str(violation))
        except (ThrownOut, OSError, ValueError, TypeError, IndexError):
            self.is_thrown_out = True
            if not self.style.keeps_open:
                self._wire.close()
            raise
        if self._answers_left is not None and len(self.answers) >= self._answers_left:
            raise ServerStopped
        return answer

    def _choose(self, view: View) -> list[Any]:
        after = [player.boards for player in view.after]
        if self.style.lists_self:
            after.insert(0, view.boards)
        return [[codec.row_to_json(player.boards) for player in view.before], [codec.row_to_json(row) for row in after]]

    def _feed_next(self, view: View) -> list[Any]:
        bag = 7 if self.style.number_for_bag else view.bag
        listed = [codec.row_to_json(player.boards) for player in self._listed(view)]
        return [bag, codec.row_to_json(view.boards), codec.cards_to_json(view.hand), view.hole, listed]

    def _listed(self, view: View) -> list[Any]:
        match self.style.feeding_lists:
            case "all":
                return [*view.players]
            case "turn-order":
                return [*view.before, *view.after]
        return [*view.opponents]

    def _answer(self, request: Request[Any], view: View, value: Any) -> Any:
        if isinstance(request, DeclareCards):
            for part, label in ((1, "population"), (2, "body")):
                if any((grown[0] == label) != self.style.labels_growth for grown in value[part]):
                    raise ThrownOut("growth has a label where there should be none, or has none")
        elif isinstance(value, list) and len(value) == 3:
            target = self._listed(view)[value[1]].seat
            value[1] = [player.seat for player in view.opponents].index(target)
        return codec.answer_from_json(request, value)  # type: ignore[arg-type]

    def _send(self, value: Any) -> None:
        if not self.is_thrown_out:
            with contextlib.suppress(OSError):
                self._wire.sendall(self.style.write(value))


class ServerStopped(BaseException):
    """The server stops in the middle of a game."""


@contextlib.contextmanager
def standing_in(*scripts: Callable[[Wire], None]) -> Iterator[int]:
    """Run a server that handles each connection with its script, and yield its port."""
    listener = socket.create_server(("127.0.0.1", 0))
    listener.settimeout(30)

    def run() -> None:
        for script in scripts:
            wire, _ = listener.accept()
            with wire:
                wire.settimeout(30)
                script(wire)

    thread = threading.Thread(target=run)
    thread.start()
    try:
        yield listener.getsockname()[1]
    finally:
        thread.join(40)
        listener.close()
    assert not thread.is_alive()
