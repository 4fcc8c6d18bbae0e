"""Restoring of a match from its record, including failures of players."""

from __future__ import annotations

import asyncio
import contextlib
from contextlib import AbstractAsyncContextManager
from typing import Any

import pytest

from wateringhole import registry
from wateringhole.errors import OperationError
from wateringhole.game import Answer, Event, Notice, Request, Violation
from wateringhole.games import evolution, porrinha
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.games.evolution.rules.view import View
from wateringhole.games.porrinha.bots.random import Random
from wateringhole.house.resume import SavedGame, restore_match
from wateringhole.match.loops import AsyncPlayer, play
from wateringhole.match.match import Match
from wateringhole.match.record import Recorder, read_record
from wateringhole.player import SeatAssignment


class _FailsToStart(Silly):
    def start(self, view: View) -> None:
        if view.turn == 2:
            raise RuntimeError("cannot start")


class _FailsToEndARound(Random):
    def end_round(self) -> None:
        if self.core.view.round == 2:
            raise RuntimeError("cannot end")


class _Unasked(AsyncPlayer):
    """A player that gets events and notices but must get no request."""

    def turn(self, request: Request[Any]) -> AbstractAsyncContextManager[None]:
        return contextlib.nullcontext()

    async def on_seated(self, assignment: SeatAssignment) -> None: ...

    async def answer(self, request: Request[Any], seconds: float | None = None) -> Answer:
        raise AssertionError("a recorded request must not be asked again")

    async def on_notice(self, notice: Notice) -> None: ...

    async def on_event(self, event: Event) -> None: ...

    async def on_violation(self, violation: Violation) -> None: ...


PLAYERS: dict[str, list[evolution.Player | porrinha.Player]] = {
    "evolution": [Silly(), _FailsToStart(), Silly()],
    "porrinha": [Random(seed=1), _FailsToEndARound(seed=2), Random(seed=3)],
}


def _record(game: str) -> bytes:
    kind = registry.game_kind(game)
    setup = kind.deal(3, kind.default_rules, 7)
    recorder = Recorder(kind, setup, ["Ada", "Bea", "Cyd"])
    play(Match(kind, setup, ["Ada", "Bea", "Cyd"], recorder=recorder), PLAYERS[game])
    return recorder.text()


def _restore(game: str, lines: bytes) -> tuple[Match, list[Event], bytes]:
    kind = registry.game_kind(game)
    setup = kind.deal(3, kind.default_rules, 7)
    events: list[Event] = []
    recorder = Recorder(kind, setup, ["Ada", "Bea", "Cyd"])
    match = Match(kind, setup, ["Ada", "Bea", "Cyd"], recorder=recorder, observers=[events.append])
    asyncio.run(restore_match(match, kind, [_Unasked()] * 3, SavedGame(lines).answers, lambda request, answer: None))
    return match, events, recorder.text()


@pytest.mark.parametrize("game", registry.game_names())
def test_whole_record_restores_its_outcome_with_failures_outside_requests(game: str) -> None:
    text = _record(game)
    assert b'"request":null' in text
    *lines, _ = text.splitlines(keepends=True)
    match, events, restored = _restore(game, b"".join(lines))
    record = read_record(text)
    replay = record.replay()
    replayed = list(replay.events())
    assert match.outcome == replay.game.outcome
    assert events == replayed[: len(events)]
    assert len(restored.splitlines()) == len(text.splitlines())


@pytest.mark.parametrize("game", registry.game_names())
def test_partial_record_restores_the_open_request(game: str) -> None:
    *lines, _ = _record(game).splitlines(keepends=True)
    for length in (1, 4, 7, 10):
        match, _, restored = _restore(game, b"".join(lines[:length]))
        assert len(restored.splitlines()) == length
        while match.pending_calls and match.pending_calls[0].method != "answer":
            match.report(match.pending_calls[0], None)
        assert [call.seat for call in match.pending_calls] == list(match.game.requests)


def test_record_of_another_game_does_not_fit() -> None:
    *lines, _ = _record("porrinha").splitlines(keepends=True)
    with pytest.raises(OperationError, match="does not fit"):
        _restore("porrinha", b"".join([lines[0], *reversed(lines[1:])]))


def test_unreadable_recorded_answer_does_not_fit() -> None:
    *lines, _ = _record("evolution").splitlines(keepends=True)
    wrong = b'{"seat":0,"request":"declare","answer":"everything","ms":1}\n'
    with pytest.raises(OperationError, match="does not fit"):
        _restore("evolution", b"".join([lines[0], wrong]))
