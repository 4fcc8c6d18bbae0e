"""No page gets information that its seat may not see.

The tests compare every message of whole games with the replayed record, which shows everything.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.house.leaks import evolution_leaks, scenes
from tests.house.serving import Message, Opened, Spectator, run, served
from wateringhole.game import Event, Notice, Seat
from wateringhole.games.evolution.rules.view import View
from wateringhole.games.porrinha.rules.events import RoundSettled, RoundStarted
from wateringhole.match.record import read_record

SEATS = 3


class _Game:
    """A finished game of three humans and a spectator, with all messages that each of them got."""

    def __init__(self, record: bytes, pages: Sequence[Spectator], secrets: list[str]) -> None:
        self.events = [event for event in read_record(record).replay().events() if not isinstance(event, Notice)]
        self.sent: dict[int | None, list[Message]] = {
            seat: page.messages for seat, page in zip((0, 1, 2, None), pages, strict=True)
        }
        self.secrets = secrets
        """Tokens by seat."""

    def seen(self, seat: int | None) -> list[Event]:
        """Return the events that a seat may see, unfiltered; the first has the number 1."""
        return [event for event in self.events if event.seen_by(None if seat is None else Seat(seat)) is not None]


def _play(tmp_path: Path, game: str, profile: str) -> _Game:
    async def play() -> _Game:
        async with served(tmp_path / "s.sqlite") as server:
            table: Opened = await server.table(game, "me", "friend", "friend", profile=profile, public=False)
            seats = await table.seat_all("Bea", "Cyd", heard=0)
            spectator = table.spectator(heard=0)
            async with spectator, seats[0], seats[1], seats[2]:
                await asyncio.gather(spectator.until("over"), *(seat.play() for seat in seats))
            return _Game(await server.finished(table.id), [*seats, spectator], [str(seat.token) for seat in seats])

    return run(play())


# Porrinha: only its owner knows a hand until the round is settled.


def _porrinha_leaks(game: _Game, reader: int | None, sent: Sequence[Message]) -> Iterator[str]:
    events = game.seen(reader)
    settled = {event.number: event.hands for event in game.events if isinstance(event, RoundSettled)}
    number, round_, is_open = 0, 0, False
    for message in sent:
        if message["type"] == "event":
            while number < message["number"]:
                event = events[number]
                if isinstance(event, RoundStarted):
                    round_, is_open = event.number, False
                elif isinstance(event, RoundSettled):
                    is_open = True
                number += 1
        for scene in scenes(message):
            if not is_open and any(hand is not None for hand in scene["hands"]):
                yield f"{message['type']} after event {number} reveals hands of round {round_}"
            own = scene["own_hand"]
            if own is not None and (reader is None or own != settled[round_][reader]):
                yield f"{message['type']} after event {number} reveals a hand that is not its own"
            if "secret_hands" in scene:
                yield f"{message['type']} after event {number} reveals all hands"
        if not is_open and "hands" in message.get("event", {}):
            yield f"event {number} reveals the hands"


def _evolution_leaks(game: _Game, reader: int | None, sent: Sequence[Message]) -> Iterator[str]:
    return evolution_leaks(game.seen(reader), reader, sent)


LEAKS = {"evolution": _evolution_leaks, "porrinha": _porrinha_leaks}


@pytest.mark.parametrize(
    ("game", "profile"),
    [("evolution", "course"), ("evolution", "framework"), ("porrinha", "seed"), ("porrinha", "original")],
)
def test_no_message_reveals_hidden_information(tmp_path: Path, game: str, profile: str) -> None:
    played = _play(tmp_path, game, profile)
    leaks = LEAKS[game]
    for reader, sent in played.sent.items():
        assert sum(message["type"] == "event" for message in sent) == len(played.seen(reader))
        assert list(leaks(played, reader, sent)) == []
        for token in played.secrets:
            assert token not in json.dumps(sent)
    # The messages of one seat are leaks for another one, so the search must find some.
    assert list(leaks(played, 1, played.sent[0]))
    assert list(leaks(played, None, played.sent[0]))


def test_scene_of_a_request_contains_the_whole_view(tmp_path: Path) -> None:
    # Nothing is missing either: the scene of each request is the game's own view.
    played = _play(tmp_path, "evolution", "course")
    for reader in range(SEATS):
        requests = [message for message in played.sent[reader] if message["type"] == "request"]
        assert requests
        for request in requests:
            view = {name: request["scene"][name] for name in View.__struct_fields__ if name != "rules"}
            assert view["seat"] == reader
            mine = next(player for player in view["players"] if player["seat"] == reader)
            assert view["own"]["boards"] == mine["boards"]
            assert len(view["own"]["hand"]) == mine["hand_size"]
