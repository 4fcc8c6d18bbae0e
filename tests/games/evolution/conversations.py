"""The captured games of the original server, and a match whose seats are connected to server ends."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from tests.games.evolution.builders import rules
from wateringhole import registry
from wateringhole.game import Forfeit
from wateringhole.games.evolution import Setup, deal
from wateringhole.games.evolution.course import ServerEnd, identities, read_sign_up, result_rows
from wateringhole.games.evolution.rules import codec
from wateringhole.match.match import Match, PlayerCall
from wateringhole.player import PlayerFailed
from wateringhole.protocol.frames import INCOMPLETE, FrameReader, frame

REFERENCE = rules("reference", seating="reversed")


class Line(msgspec.Struct):
    """One line of a capture: a message or another event."""

    conn: int
    dir: str
    msg: Any = msgspec.UNSET
    event: str | None = None
    bytes: str | None = None

    @property
    def is_from_server(self) -> bool:
        return self.dir == "server->client"


class Capture(msgspec.Struct):
    """One captured game with its deck and result."""

    file: str
    deck: list[Any]
    results_rank_id_score: list[Any]
    lines: list[Line] = []

    @property
    def messages(self) -> list[Line]:
        return [line for line in self.lines if line.msg is not msgspec.UNSET]

    @property
    def signed_up(self) -> list[int]:
        """The connections that got an "ok", in order."""
        return [line.conn for line in self.lines if line.is_from_server and line.msg == "ok"]

    def setup(self) -> Setup:
        return deal(len(self.signed_up), REFERENCE, 0, deck=[codec.card_from_json(card) for card in self.deck])


class _Index(msgspec.Struct):
    games: list[Capture]


def read_captures(folder: Path) -> list[Capture]:
    found = msgspec.json.decode((folder / "index.json").read_bytes(), type=_Index).games
    for capture in found:
        text = (folder / capture.file).read_bytes()
        capture.lines = [msgspec.json.decode(line, type=Line) for line in text.splitlines()]
    return found


class HostedTable:
    """A match over server ends that records every sent message with its connection."""

    match: Match

    def __init__(self) -> None:
        self.sent: list[tuple[int, Any]] = []
        self.conns: list[int] = []
        self.ends: list[ServerEnd] = []

    def sign_up(self, conn: int, text: bytes) -> None:
        """Process the first bytes of a connection; only a readable sign-up is answered."""
        reader = FrameReader(may_greet=True)
        reader.feed(text)
        value = reader.take()
        if value is not INCOMPLETE:
            self.conns.append(conn)
            self.ends.append(ServerEnd(reader, read_sign_up(value)))
            self._keep(conn, self.ends[-1].welcome(0.0))

    def questions(self, setup: Setup) -> Iterator[tuple[int, ServerEnd, PlayerCall]]:
        """Start the match and yield its requests, each already sent; notices are sent in between."""
        names = identities([end.sign_up.name for end in self.ends], setup.order)
        self.match = Match(registry.game_kind("evolution"), setup, names)
        while calls := self.match.pending_calls:
            call = calls[0]
            conn, end = self.conns[call.seat], self.ends[call.seat]
            if call.method == "answer":
                self._keep(conn, end.ask(call.argument, 0.0))  # type: ignore[arg-type]
                yield conn, end, call
                continue
            if call.method == "on_seated":
                end.take_seat(self.match.names, setup.rules)
            else:
                self._keep(conn, end.notice(call.argument, 0.0))  # type: ignore[arg-type]
            self.match.report(call, None)

    def report(self, end: ServerEnd, call: PlayerCall) -> None:
        """Pass the answer of a connection to the referee, or a late forfeit if there is none."""
        try:
            answer: object = end.answer()
        except PlayerFailed as failed:
            answer = failed.forfeit
        self.match.report(call, Forfeit("late", "waited in vain") if answer is None else answer)

    def ranking(self) -> list[Any]:
        assert self.match.outcome is not None
        return result_rows(self.match.outcome, self.match.names)

    def forfeits(self) -> dict[int, Forfeit]:
        """Return the forfeits by connection."""
        assert self.match.outcome is not None
        return {self.conns[thrown.seat]: thrown.forfeit for thrown in self.match.outcome.thrown_out}

    def _keep(self, conn: int, message: bytes) -> None:
        if message:
            value = msgspec.json.decode(message)
            assert message == frame(value), "one value, no white space inside, one blank after it"
            self.sent.append((conn, value))
