"""Joining a host: connect, find out what it speaks, and play.

The first message decides.  `--protocol`, `--dialect`, a URL and a code say what the host speaks.  Otherwise,
`join` sends its name as a JSON string with a mark behind it, white space (`named_knock`).  Our own host
recognizes the mark and replies in the JSON protocol.  Other servers take the string for a sign-up and reply in
theirs, with the right name in their lists.  A host that closes the connection instead may know only the knock of
the JSON protocol, so `join` tries that one next.
"""

from __future__ import annotations

import contextlib

from wateringhole.errors import OperationError, UsageError
from wateringhole.formatting import single_line
from wateringhole.join.connection import Connection, connect
from wateringhole.join.foreign_session import ForeignSession
from wateringhole.join.json_session import JsonSession
from wateringhole.join.plan import JoinPlan
from wateringhole.join.players import JSON_PROTOCOL, JoiningPlayer, closing, closing_on_error
from wateringhole.protocol.foreign import GameProtocol, foreign_protocols, games_of
from wateringhole.protocol.frames import FrameError, FrameReader, Incomplete
from wateringhole.protocol.messages import named_knock, to_line

__all__ = ["join"]

_PROBE = b"\r\n\r\n"
"""The end of an HTTP request.  It makes a web server reply, and other servers skip it as white space."""
_PROBE_SECONDS = 2.0
_HTTP = (b"HTTP/", b"<!DOCTYPE HTML", b"<!doctype html", b"<html")
"""The first bytes of web servers.  The oldest form of HTTP has no status."""


class _ClosedAtOnce(OperationError):
    """The host closed the connection after the first message, without a reply."""


def join(plan: JoinPlan) -> None:
    """Play at a host until it has no more games.

    Raises OperationError if the host cannot be reached, breaks the protocol or ends a game early.
    """
    joining = _Joining(plan)
    if plan.options.protocol == JSON_PROTOCOL or plan.address.is_websocket or plan.address.code:
        joining.play_json()
    elif plan.options.protocol or plan.options.dialect:
        joining.play_foreign()
    else:
        joining.detect()


class _Joining:
    def __init__(self, plan: JoinPlan) -> None:
        self._plan = plan

    def play_json(self) -> None:
        """Play in the JSON protocol."""
        connection = self._connect()
        with closing_on_error(connection.close):
            start = self._knock(connection)
            if not start.startswith(b"{"):
                names = dict.fromkeys(each.name for each in foreign_protocols())
                hints = "".join(f" For a {name} server, use --protocol {name}." for name in names)
                raise OperationError(f"{self._plan.address} answered in another protocol.{hints}")
        self._play_json(connection, start)

    def play_foreign(self) -> None:
        """Play in a foreign protocol."""
        found, joining = self._plan.options.foreign_player(self._plan.report)
        end = found.protocol.client_end(joining.name, self._plan.options.dialect)
        with closing(joining.close), contextlib.closing(self._connect()) as connection:
            start = self._first_reply(connection, end.sign_up())
            ForeignSession(self._plan, connection, found, end, joining).play(start)

    def detect(self) -> None:
        """Play in the protocol of the host's first reply."""
        try:
            found, joining = self._plan.options.foreign_player(self._plan.report)
        except UsageError:
            # No foreign protocol is for a game of this player.
            self.play_json()
            return
        try:
            self._detect(found, joining)
        except _ClosedAtOnce:
            self.play_json()

    def _detect(self, found: GameProtocol, joining: JoiningPlayer) -> None:
        with closing_on_error(joining.close):
            connection = self._connect()
            with closing_on_error(connection.close):
                start = self._first_reply(connection, named_knock(joining.name))
        if start.startswith(b"{"):
            self._play_json(connection, start, joining)
            return
        with closing(joining.close), contextlib.closing(connection):
            self._plan.report(f"this host speaks {found.protocol.title}")
            end = found.protocol.client_end(joining.name, None)
            ForeignSession(self._plan, connection, found, end, joining).play(start)

    def _connect(self) -> Connection:
        connection = connect(self._plan.address, self._plan.limits, self._plan.report)
        self._plan.transcript.connected(self._plan.address)
        return connection

    def _knock(self, connection: Connection) -> bytes:
        code = {"code": self._plan.address.code} if self._plan.address.code else {}
        return self._first_reply(connection, to_line({"type": "knock", **code}))

    def _play_json(self, connection: Connection, start: bytes, joining: JoiningPlayer | None = None) -> None:
        session = JsonSession(self._plan, connection, joining)
        with closing(session.close):
            session.play(start)

    def _first_reply(self, connection: Connection, message: bytes) -> bytes:
        """Send the first message and return the first bytes of the reply.

        Raises OperationError if there is none, or if it is neither the JSON protocol nor a foreign one.
        """
        self._plan.transcript.sent(message)
        connection.send(message)
        is_silent = False
        try:
            start = connection.receive(self._plan.limits.connect)
        except TimeoutError:
            is_silent = True
            start = (
                b""
                if self._plan.address.is_websocket
                else _probe(connection, min(_PROBE_SECONDS, self._plan.limits.connect))
            )
        if start and (start.startswith(b"{") or _may_be_foreign(start)):
            return start
        if start:
            self._plan.transcript.received(start)
        error = OperationError if start or is_silent else _ClosedAtOnce
        raise error(f"{self._plan.address} {self._what_replied(start, is_silent=is_silent)}")

    def _what_replied(self, start: bytes, *, is_silent: bool) -> str:
        """Return what kind of server sends these bytes, and what to do, as text after its address."""
        where = f"{self._plan.address.host}:{self._plan.address.port}"
        if start.startswith(_HTTP):
            return f"is an HTTP server. To join a table there, use http://{where}."
        if start.startswith(b"\x15\x03"):
            return f"expects TLS. Use https://{where}."
        if start:
            shown = single_line(start[:40].decode(errors="replace"))
            return f"does not speak a supported protocol: it sent {shown!r}."
        if is_silent:
            return (
                f"sent no reply within {self._plan.limits.connect:g} s. Is it a host of games, and can it take more "
                "players? Use --connect-timeout to wait longer."
            )
        supported = "".join(
            f" {title[0].upper()}{title[1:]} is for {games} only."
            for title, games in games_of(foreign_protocols()).items()
        )
        return (
            f"closed the connection without a message. Is it a host of games, and can it take more players?{supported}"
        )


def _probe(connection: Connection, seconds: float) -> bytes:
    """Return the reply of a web server that waits for the rest of a request, or b"" if there is none."""
    connection.send(_PROBE)
    try:
        return connection.receive(seconds)
    except TimeoutError:
        return b""


def _may_be_foreign(start: bytes) -> bool:
    """Return whether these bytes may come from a server with a foreign protocol.  A web server sends no JSON."""
    reader = FrameReader(may_greet=True)
    reader.feed(start)
    try:
        # The bytes may hold several values, and the last may be incomplete.
        while not isinstance(reader.take(), Incomplete):
            pass
    except FrameError:
        return False
    return True
