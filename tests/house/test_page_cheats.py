"""Bad clients at the page's socket: the game of the others ends properly, and only the culprit may be thrown out.

`tests.house.test_host_cheats` has the catalogue for the other transports.
"""

from __future__ import annotations

import asyncio
import contextlib
import json
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any

import pytest
from websockets.exceptions import ConnectionClosed

from tests.house.serving import Message, Opened, Seat, Served, run, served
from wateringhole.house.limits import HouseLimits

LIMITS = HouseLimits(human_time_limit=20.0, reconnect_seconds=120.0)
Deeds = AsyncIterator[str | bytes | list[bytes]]
"""Messages in place of an answer: a text, bytes, or the fragments of a text."""


async def junk(request: Message) -> Deeds:
    yield "rubbish"


async def a_list(request: Message) -> Deeds:
    yield "[]"


async def binary(request: Message) -> Deeds:
    yield json.dumps({"type": "answer", "id": request["id"], "answer": 0}).encode()


async def too_long(request: Message) -> Deeds:
    yield json.dumps({"type": "answer", "id": request["id"], "answer": "x" * 20_000})


async def without_end(request: Message) -> Deeds:
    yield [b"x" * (1 << 20)] * 64


async def deep_nesting(request: Message) -> Deeds:
    yield "[" * 10_000


async def a_flood(request: Message) -> Deeds:
    for _ in range(1000):
        yield json.dumps({"type": "unknown", "id": request["id"]})


async def leaving(request: Message) -> Deeds:
    yield json.dumps({"type": "leave"})


async def illegal_answers(request: Message) -> Deeds:
    answers: list[Any] = [-1, 99, None, "one", 1.5, [], {}, True, 10**30]
    for answer in answers:
        yield json.dumps({"type": "answer", "id": request["id"], "answer": answer})


async def other_numbers(request: Message) -> Deeds:
    for id in (-1, 10**30, None, "1", request["id"] + 1):
        yield json.dumps({"type": "answer", "id": id, "answer": 0})


async def unknown_messages(request: Message) -> Deeds:
    types: list[Any] = ["hello", "game", "", None, 7, [], "consult"]
    for type_ in types:
        yield json.dumps({"type": type_, "id": request["id"]})


BAD: dict[str, tuple[Callable[[Message], Deeds], str | None, str]] = {
    # name: the deeds, the reason why the culprit is thrown out, if it is, and a part of the goodbye
    "junk": (junk, "disconnected", "A message must be a JSON object"),
    "a list": (a_list, "disconnected", "A message must be a JSON object"),
    "binary": (binary, "disconnected", "A message must be a text of at most"),
    "a long message": (too_long, "disconnected", "A message must be a text of at most"),
    "a message without end": (without_end, "disconnected", ""),
    "deep nesting": (deep_nesting, "disconnected", "A message must be a JSON object"),
    "a flood": (a_flood, "disconnected", "too many messages"),
    "leaving": (leaving, "left", ""),
    "illegal answers": (illegal_answers, None, ""),
    "answers to other requests": (other_numbers, None, ""),
    "unknown messages": (unknown_messages, None, ""),
}


async def misbehave(seat: Seat, deeds: Deeds) -> None:
    with contextlib.suppress(ConnectionClosed):
        async for deed in deeds:
            await seat.socket.send(deed, text=True if isinstance(deed, list) else None)


def shorten_reconnecting(server: Served, table: Opened) -> None:
    """Let the first player lose its seat soon after it leaves.

    With this limit from the start, it would lose the seat before it connects, on a busy machine.
    """
    assert server.lobby is not None
    server.lobby.tables[table.id]._humans[0]._presence.reconnect_seconds = 0.1


@pytest.mark.parametrize("name", BAD)
def test_bad_page_harms_only_itself(tmp_path: Path, name: str) -> None:
    deeds, reason, goodbye = BAD[name]

    async def play() -> tuple[Any, Seat]:
        async with served(tmp_path / "s.sqlite", LIMITS) as server:
            table = await server.table("porrinha", "me", "friend", "zero", options={"sticks": 1})
            culprit, decent = await table.seat_all("Bea")
            async with decent:
                async with culprit:
                    others = asyncio.create_task(decent.play())
                    request = await culprit.until("request")
                    shorten_reconnecting(server, table)
                    await misbehave(culprit, deeds(request))
                    if reason is None:
                        await culprit.answer(request)
                    if reason == "disconnected":
                        await culprit.closed()
                    else:
                        await culprit.play()
                over = await others
            assert over["type"] == "over"
            return over, culprit

    over, culprit = run(play())
    thrown_out = {thrown["seat"]: thrown["forfeit"] for thrown in over["outcome"]["thrown_out"]}
    assert {seat: forfeit["reason"] for seat, forfeit in thrown_out.items()} == ({} if reason is None else {0: reason})
    assert goodbye in " ".join(message["reason"] for message in culprit.of_type("bye"))


@pytest.mark.parametrize(
    ("closes", "limits", "reason"), [(False, HouseLimits(human_time_limit=1), "late"), (True, LIMITS, "disconnected")]
)
def test_silent_or_closed_page_is_thrown_out(tmp_path: Path, closes: bool, limits: HouseLimits, reason: str) -> None:
    async def play() -> Any:
        async with served(tmp_path / "s.sqlite", limits) as server:
            table = await server.table("porrinha", "me", "zero", "zero")
            culprit = table.seat()
            async with culprit, table.spectator() as spectator:
                if closes:
                    await culprit.until("request")
                    shorten_reconnecting(server, table)
                    await culprit.__aexit__()
                return await spectator.until("over")

    (thrown,) = run(play())["outcome"]["thrown_out"]
    assert (thrown["seat"], thrown["forfeit"]["reason"]) == (0, reason)
