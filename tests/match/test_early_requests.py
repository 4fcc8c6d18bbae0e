"""Requests sent before a player's turn: the upcoming requests of a game, and early answers to them."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from tests.waiting import until
from wateringhole import registry
from wateringhole.game import Forfeit, Request, Seat
from wateringhole.games.evolution.bots.random import Random
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.games.evolution.rules.requests import ArrangeBoards, DeclareCards
from wateringhole.match.loops import AsyncPlayer, play, play_async
from wateringhole.match.match import Match
from wateringhole.match.record import Recorder
from wateringhole.player import PlayerFailed, PlayerLeft

EVOLUTION = registry.game_kind("evolution")
LEFT = Forfeit("left", "left the table")


# Upcoming requests


@pytest.mark.parametrize("profile", EVOLUTION.profiles)
def test_upcoming_requests_follow_unchanged_after_any_answer(profile: str) -> None:
    game = EVOLUTION.new_game(EVOLUTION.deal(4, EVOLUTION.profiles[profile].rules, 5))
    players = [Random(seed) for seed in range(4)]
    upcoming: list[Request[Any]] = []
    confirmed = arranged = 0
    while game.requests:
        ((seat, request),) = game.requests.items()
        if upcoming:
            expected = upcoming.pop(0)
            assert request == expected
            confirmed += 1
            arranged += isinstance(request, ArrangeBoards)
        else:
            upcoming = list(game.upcoming)
        game.advance({seat: request.ask(players[seat])})
    assert upcoming == []
    assert confirmed
    # All later players see an order of boards, so requests after one cannot be predicted.
    assert (arranged > 0) is EVOLUTION.profiles[profile].rules.reorder_boards


def test_declarations_are_upcoming_and_feedings_are_not() -> None:
    game = EVOLUTION.new_game(EVOLUTION.deal(4, EVOLUTION.profiles["course"].rules, 5))
    assert [request.seat for request in game.upcoming] == [1, 2, 3]
    game.advance({Seat(0): game.requests[Seat(0)].ask(Silly())})
    assert [request.seat for request in game.upcoming] == [2, 3]
    while all(isinstance(request, DeclareCards) for request in game.requests.values()):
        ((seat, request),) = game.requests.items()
        game.advance({seat: request.ask(Silly())})
    assert game.requests
    assert game.upcoming == ()


def test_a_forfeit_changes_upcoming_requests() -> None:
    game = EVOLUTION.new_game(EVOLUTION.deal(4, EVOLUTION.profiles["course"].rules, 5))
    before = list(game.upcoming)
    game.advance({Seat(3): LEFT})
    assert [request.seat for request in game.upcoming] == [1, 2]
    assert not any(request in before for request in game.upcoming)


# Early answers


class Early(AsyncPlayer):
    """A silly player that declares once an event is set, and appends its seat to a list for each request."""

    def __init__(self, seat: int, asked: list[int], may_declare: asyncio.Event | None = None) -> None:
        self._seat = seat
        self._asked = asked
        self._may_declare = may_declare
        self.has_left = False
        self.cancelled = 0

    async def on_seated(self, assignment: Any) -> None: ...

    async def answer(self, request: Any, seconds: float | None = None) -> Any:
        self._asked.append(self._seat)
        if self.has_left:
            raise PlayerLeft(LEFT.message)
        if self._may_declare and isinstance(request, DeclareCards):
            try:
                await self._may_declare.wait()
            except asyncio.CancelledError:
                self.cancelled += 1
                raise
        if self.has_left:
            raise PlayerLeft(LEFT.message)
        return request.ask(Silly())

    async def on_notice(self, notice: Any) -> None: ...

    async def on_event(self, event: Any) -> None: ...

    async def on_violation(self, violation: Any) -> None: ...


def _match(seats: int = 3, **options: Any) -> Match:
    return Match(EVOLUTION, EVOLUTION.deal(seats, EVOLUTION.profiles["course"].rules, 5), **options)


def test_early_requests_are_sent_at_once_and_leave_the_record_unchanged() -> None:
    frozen = lambda: 0.0  # noqa: E731

    def recorder() -> Recorder:
        setup = EVOLUTION.deal(3, EVOLUTION.profiles["course"].rules, 5)
        return Recorder(EVOLUTION, setup, ["a", "b", "c"])

    async def play_early() -> bytes:
        asked: list[int] = []
        first = asyncio.Event()
        players = [Early(0, asked, first), Early(1, asked), Early(2, asked)]
        written = recorder()
        playing = asyncio.ensure_future(
            play_async(_match(recorder=written), players, frozen, early=[Seat(0), Seat(1), Seat(2)])
        )
        await until(lambda: len(asked) == 3)
        assert sorted(asked) == [0, 1, 2], "the first player has not answered"
        first.set()
        await playing
        return written.text()

    in_turn = recorder()
    play(_match(recorder=in_turn), [Silly(), Silly(), Silly()], frozen)
    assert asyncio.run(asyncio.wait_for(play_early(), 300)) == in_turn.text()


def test_other_players_are_asked_in_turn() -> None:
    async def begin() -> None:
        asked: list[int] = []
        others = asyncio.all_tasks()
        playing = asyncio.ensure_future(
            play_async(_match(), [Early(0, asked, asyncio.Event()), Early(1, asked), Early(2, asked)], early=[Seat(2)])
        )
        await until(lambda: len(asked) == 2)
        for _ in range(20):
            await asyncio.sleep(0)
        assert sorted(asked) == [0, 2]
        playing.cancel()
        await asyncio.wait([playing])
        assert asyncio.all_tasks() == others, "early requests are cancelled, too"

    asyncio.run(asyncio.wait_for(begin(), 300))


def test_early_requests_are_repeated_after_a_forfeit() -> None:
    async def leave() -> None:
        asked: list[int] = []
        first, last = asyncio.Event(), asyncio.Event()
        players = [Early(0, asked, first), Early(1, asked), Early(2, asked, last), Early(3, asked)]
        match = _match(4)
        playing = asyncio.ensure_future(play_async(match, players, early=[Seat(1), Seat(2), Seat(3)]))
        await until(lambda: len(asked) == 4)
        players[0].has_left = True
        first.set()
        await until(lambda: len(asked) == 7)
        # Some players had answered and one had not; the forfeit makes all early requests invalid.
        assert sorted(asked) == [0, 1, 1, 2, 2, 3, 3]
        assert players[2].cancelled == 1
        last.set()
        await playing
        assert match.outcome is not None
        assert [thrown.seat for thrown in match.outcome.thrown_out] == [0]

    asyncio.run(asyncio.wait_for(leave(), 300))


def test_a_failed_early_request_is_repeated_in_turn() -> None:
    class Away(Early):
        is_away = True

        async def answer(self, request: Any, seconds: float | None = None) -> Any:
            answer = await super().answer(request, seconds)
            if self.is_away:
                raise PlayerFailed(Forfeit("disconnected", "was away"))
            return answer

    async def reconnect() -> None:
        asked: list[int] = []
        first = asyncio.Event()
        away = Away(1, asked)
        match = _match()
        playing = asyncio.ensure_future(
            play_async(match, [Early(0, asked, first), away, Early(2, asked)], early=[Seat(1)])
        )
        await until(lambda: len(asked) == 2)
        for _ in range(20):
            await asyncio.sleep(0)
        away.is_away = False
        first.set()
        await playing
        assert match.outcome is not None
        assert match.outcome.thrown_out == ()

    asyncio.run(asyncio.wait_for(reconnect(), 300))
