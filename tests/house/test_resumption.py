"""Kept messages and the time to reconnect, without a house."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from wateringhole import registry
from wateringhole.house.plans import TableSeat
from wateringhole.house.remote import JsonPlayer
from wateringhole.house.resumption import Backlog, Presence


def test_backlog_keeps_the_last_messages_with_their_numbers() -> None:
    backlog = Backlog(most_bytes=5, sent=10)
    for message in (b"aa", b"bb", b"cc"):
        backlog.add(message)
    assert (backlog.dropped, backlog.sent) == (11, 13)
    assert list(backlog.after(12)) == [b"cc"]
    assert list(backlog.after(0)) == [b"bb", b"cc"]
    assert [backlog.can_resume(heard) for heard in (None, 10, 11, 13, 14)] == [False, False, True, True, False]
    backlog.add(b"longer than five")
    assert list(backlog.after(0)) == [b"longer than five"]
    backlog.drop(2)
    assert (backlog.dropped, backlog.sent) == (16, 16)


def test_backlog_yields_messages_that_are_added_meanwhile() -> None:
    backlog = Backlog(most_bytes=5)
    backlog.add(b"aa")
    messages = backlog.after(0)
    assert next(messages) == b"aa"
    for message in (b"bb", b"cc", b"dd"):
        backlog.add(message)
    assert list(messages) == [b"cc", b"dd"]


def test_player_is_lost_when_the_time_to_reconnect_is_over() -> None:
    async def wait() -> None:
        away_since: float | None = asyncio.get_running_loop().time()
        presence = Presence(0.02, lambda: away_since)
        assert not presence.is_lost
        with pytest.raises(TimeoutError):
            await presence.wait_for_change()
        assert presence.is_lost
        away_since = None
        assert presence.seconds_left is None
        assert not presence.is_lost

    asyncio.run(wait())


def test_time_until_a_player_is_back_after_a_restart_is_not_its_own() -> None:
    async def wait() -> bool:
        player = JsonPlayer(registry.game_kind("porrinha"), 60, TableSeat("person", "Ada"))
        request: Any = None
        turn = player.turn(request)
        entering = asyncio.ensure_future(turn.__aenter__())
        await asyncio.sleep(0)
        has_waited = not entering.done()
        await player.disconnect("the game was stopped")
        await entering
        await turn.__aexit__(None, None, None)
        return has_waited

    assert asyncio.run(wait())
