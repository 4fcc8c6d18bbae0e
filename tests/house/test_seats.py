"""Connected players of a host, without a host."""

from __future__ import annotations

import asyncio
from typing import Any

from wateringhole.games.evolution.course import ServerEnd, SignUp
from wateringhole.house.remote import ForeignPlayer
from wateringhole.protocol.frames import FrameReader


class FakeConnection:
    """A connection that keeps what is written to it."""

    def __init__(self) -> None:
        self.written: list[bytes] = []

    async def send(self, line: bytes) -> None:
        self.written.append(line)


def test_pause_between_messages_does_not_count_as_the_players_time() -> None:
    async def test() -> None:
        connection: Any = FakeConnection()
        end = ServerEnd(FrameReader(), SignUp("Ada"), gap_seconds=0.2)
        player = ForeignPlayer(connection, end, "the course's protocol")
        await player.welcome()
        request: Any = None
        clock = asyncio.get_running_loop().time
        assert end.pause(clock()) > 0
        async with player.turn(request):
            assert end.pause(clock()) == 0
        assert connection.written == [b'"ok" ']

    asyncio.run(test())
