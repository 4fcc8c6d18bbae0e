"""Builders whose defaults give the simplest legal objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec

from wateringhole.game import Seat
from wateringhole.games.evolution import PROFILES, Rules, SpeciesBoard, Trait, TraitCard, card
from wateringhole.games.evolution.rules.state import GameState, PlayerState

COURSE = PROFILES["course"]


def rules(profile: str = "course", **options: Any) -> Rules:
    return msgspec.structs.replace(PROFILES[profile], **options)


def board(*traits: str, population: int = 1, body: int = 0, food: int = 0, fat: int = 0) -> SpeciesBoard:
    return SpeciesBoard(population, body, food, tuple(Trait(trait) for trait in traits), fat)


def cards(*names: tuple[int, str]) -> list[TraitCard]:
    return [card(points, trait) for points, trait in names]


def player(seat: int, *boards: SpeciesBoard, hand: Sequence[TraitCard] = (), bag: int = 0) -> PlayerState:
    return PlayerState(Seat(seat), boards, hand, bag)


def state(
    *rows: Sequence[SpeciesBoard], hole: int = 0, deck: Sequence[TraitCard] = (), rules: Rules = COURSE
) -> GameState:
    """Return a state whose players have only boards, seated in the given order."""
    return GameState(rules, [player(seat, *row) for seat, row in enumerate(rows)], hole, deck)
