"""A search for hidden information in the messages to a page at a table of Evolution.

Every card exists once, so a card in a message is a leak unless its reader may know it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tests.house.serving import Message
from wateringhole.game import Event
from wateringhole.games.evolution.rules import events as evolution
from wateringhole.games.evolution.rules.traits import Trait

__all__ = ["evolution_leaks", "scenes"]

TRAITS = {trait.value for trait in Trait}


def evolution_leaks(events: Sequence[Event], reader: int | None, sent: Sequence[Message]) -> Iterator[str]:
    """Yield the information in the messages to a page that its seat may not know.

    `events` are the recorded events that the seat may see, with their hidden parts.
    """
    number = 0
    known: set[tuple[int, str]] = set()
    revealed: set[int] = set()
    for message in sent:
        if message["type"] == "event":
            while number < message["number"]:
                _learn(events[number], reader, known, revealed)
                number += 1
        if message["type"] in ("over", "hello", "game"):
            continue
        for card in _cards(message):
            if card not in known:
                yield f"{message['type']} after event {number} reveals the card {card}"
        for scene in scenes(message):
            for player in scene["players"]:
                if player.keys() != {"seat", "boards", "hand_size"}:
                    yield f"{message['type']} after event {number} reveals {sorted(player)} of seat {player['seat']}"
            own = scene["own"]
            if own is not None and (reader is None or scene["seat"] != reader):
                yield f"{message['type']} after event {number} reveals what seat {scene['seat']} owns"
            for card in scene["food_cards"]:
                if card["points"] is not None and card["seat"] != reader and card["seat"] not in revealed:
                    yield f"{message['type']} after event {number} reveals the food card of seat {card['seat']}"
        event = message["event"] if message["type"] == "event" else {}
        for secret in ("bag", "hand", "cards", "table"):
            if event.get(secret) is not None and event.get("seat") != reader:
                yield f"the event {number} reveals the {secret} of seat {event.get('seat')}"


def _learn(event: Event, reader: int | None, known: set[tuple[int, str]], revealed: set[int]) -> None:
    match event:
        case evolution.TurnStarted():
            revealed.clear()
        case evolution.CardsDrawn() if event.seat == reader:
            known |= {(card.points, card.trait.value) for card in event.cards or ()}
        case evolution.FoodRevealed():
            known.add((event.card.points, event.card.trait.value))
            revealed.add(event.seat)
        case evolution.DeclarationApplied() | evolution.SpeciesDied():
            known |= {(card.points, card.trait.value) for card in event.pile}
            if isinstance(event, evolution.DeclarationApplied):
                known |= {(card.points, card.trait.value) for board in event.boards for card in board.cards}


def _cards(value: Any) -> Iterator[tuple[int, str]]:
    """Yield everything in a message that looks like a card."""
    if isinstance(value, dict):
        for each in value.values():
            yield from _cards(each)
    elif isinstance(value, list):
        if len(value) == 2 and type(value[0]) is int and value[1] in TRAITS:
            yield value[0], value[1]
        for each in value:
            yield from _cards(each)


def scenes(value: Any) -> Iterator[Message]:
    """Yield all scenes in a message."""
    if isinstance(value, dict):
        if "food_cards" in value or "own_hand" in value:
            yield value
        for each in value.values():
            yield from scenes(each)
    elif isinstance(value, list):
        for each in value:
            yield from scenes(each)
