"""Visitors of a host, without a host."""

from __future__ import annotations

import asyncio
from typing import Any

from wateringhole.games.evolution.course import ServerEnd, SignUp
from wateringhole.net.seats import ForeignPlayer
from wateringhole.protocol.frames import FrameReader


class Paper:
    """A connection that keeps what is written on it."""

    def __init__(self) -> None:
        self.written: list[bytes] = []

    async def write(self, line: bytes) -> None:
        self.written.append(line)


def test_the_gap_between_two_messages_is_waited_for_before_the_clock_of_a_question_runs() -> None:
    async def test() -> None:
        paper: Any = Paper()
        end = ServerEnd(FrameReader(), SignUp("Ada"), gap_seconds=0.2)
        player = ForeignPlayer(paper, end, 0, "the course's protocol")
        await player.welcome()
        clock = asyncio.get_running_loop().time
        assert end.pause(clock()) > 0
        async with player.turn():
            assert end.pause(clock()) == 0
        assert paper.written == [b'"ok" ']

    asyncio.run(test())
