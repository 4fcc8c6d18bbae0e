"""Blocking players in their own threads."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from typing import Any

import pytest

from tests.waiting import until
from wateringhole import registry
from wateringhole.game import Answer, Request
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.games.porrinha.bots.random import Random
from wateringhole.games.porrinha.bots.zero import Zero
from wateringhole.match.loops import play_async
from wateringhole.match.match import Match
from wateringhole.match.threads import PlayerThread, in_thread
from wateringhole.player import PlayerFailed

PORRINHA = registry.game_kind("porrinha")


class Clock:
    """A clock that shows the time it was set to."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


class Slow(Zero):
    """A player that takes a hundred seconds per answer on a shared clock."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self.asked = 0

    def answer(self, request: Request[Any], seconds: float | None = None) -> Answer:
        self.asked += 1
        self._clock.now += 100
        return super().answer(request, seconds)


def test_a_call_returns_or_raises_what_the_function_does() -> None:
    async def test() -> None:
        thread = PlayerThread()
        assert await thread.call(divmod, 7, 2) == (3, 1)
        with pytest.raises(ZeroDivisionError):
            await thread.call(divmod, 7, 0)
        for error in (StopIteration, SystemExit, KeyboardInterrupt, asyncio.CancelledError, TimeoutError):
            player = in_thread(type("Raising", (Silly,), {"answer": _raising(error)})(), thread)
            with pytest.raises(PlayerFailed) as failed:
                await player.answer(None)  # type: ignore[arg-type]
            assert failed.value.forfeit.reason == "exception"
            assert error.__name__ in failed.value.forfeit.message
        thread.end()

    asyncio.run(test())


def _raising(error: type[BaseException]) -> Any:
    def answer(self: Any, request: Any, seconds: Any = None) -> Any:
        raise error

    return answer


def test_any_number_of_players_can_hang_at_the_same_time() -> None:
    release = threading.Event()

    async def test() -> int:
        hung = [asyncio.create_task(PlayerThread().call(release.wait)) for _ in range(50)]
        answer = await PlayerThread().call(lambda: 42)
        assert not any(task.done() for task in hung)
        release.set()
        await asyncio.gather(*hung)
        return answer

    assert asyncio.run(asyncio.wait_for(test(), 300)) == 42


def test_a_late_player_gets_events_again_once_it_has_returned() -> None:
    release = threading.Event()
    received = []

    class Absent(Silly):
        def answer(self, request: Any, seconds: float | None = None) -> Any:
            return release.wait(60)

        def on_event(self, event: Any) -> None:
            received.append(event)

    async def test() -> None:
        player: Any = in_thread(Absent())
        with pytest.raises(TimeoutError):
            await asyncio.wait_for(player.answer(None), 0.05)
        with pytest.raises(PlayerFailed, match="still busy with what it was asked before"):
            await player.on_event("first")
        with pytest.raises(PlayerFailed):
            await player.on_event("second")
        release.set()

        async def accepts_third() -> bool:
            try:
                await player.on_event("third")
            except PlayerFailed:
                return False
            return True

        await until(accepts_third)

    asyncio.run(test())
    assert received == ["third"]


def test_a_thread_ends_when_stopped_or_dropped() -> None:
    before = {*threading.enumerate()}

    async def test() -> None:
        stopped, dropped = PlayerThread(), PlayerThread()
        await asyncio.gather(stopped.call(int), dropped.call(int))
        stopped.end()

    asyncio.run(test())
    for _ in range(1000):
        if before >= {*threading.enumerate()}:
            return
        threading.Event().wait(0.01)
    raise AssertionError("threads were left behind")


def test_a_process_exits_while_a_player_hangs() -> None:
    script = """
import asyncio, threading
from wateringhole.match.threads import PlayerThread

async def impatient():
    try:
        await asyncio.wait_for(PlayerThread().call(threading.Event().wait), 0.05)
    except TimeoutError:
        print("gave up")

asyncio.run(impatient())
"""
    ran = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, timeout=300, check=True)
    assert ran.stdout == "gave up\n"


def test_players_in_one_thread_are_asked_in_turn_and_timed_separately() -> None:
    clock = Clock()
    players = [Slow(clock), Slow(clock), Random(seed=3)]
    match = Match(PORRINHA, PORRINHA.deal(3, PORRINHA.profiles["seed"].rules, 1))
    assert len(match.game.requests) == 3, "all players are asked at the same time"

    async def test() -> None:
        thread = PlayerThread()
        await play_async(match, [in_thread(player, thread) for player in players], clock)

    asyncio.run(test())
    slow, slower, fast = match.seconds
    # The time that a player waits for the thread is not charged to it.
    assert fast == 0
    assert (slow, slower) == (100 * players[0].asked, 100 * players[1].asked)  # type: ignore[attr-defined]
