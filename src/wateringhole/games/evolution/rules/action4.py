"""The course's Action4, a declaration as plain JSON: reading and writing (rulebook, section 10)."""

from __future__ import annotations

import functools
from typing import Any

from wateringhole.games.evolution.rules.answers import Declaration, Growth, NewBoard, Replacement, Side
from wateringhole.games.evolution.rules.options import MOST_TRAITS, Rules
from wateringhole.games.evolution.rules.strict_json import list_from_json, natural_from_json, parts_from_json, shown

__all__ = ["declaration_from_json", "declaration_to_json"]


def declaration_to_json(declaration: Declaration, rules: Rules) -> list[Any]:
    """Return an Action4.  A new board names its side only if the rules leave the choice."""
    return [
        declaration.food_card,
        [[growth.board, growth.card] for growth in declaration.population],
        [[growth.board, growth.card] for growth in declaration.body],
        [[bought.payment, *bought.traits, bought.side or "right"] for bought in declaration.new_boards]
        if rules.new_board_side == "choice"
        else [[bought.payment, *bought.traits] for bought in declaration.new_boards],
        [[laid.board, laid.slot, laid.card] for laid in declaration.replacements],
    ]


def declaration_from_json(value: Any, rules: Rules) -> Declaration:
    """Return a declaration that a request can check.  Raises ValueError if the shape is wrong."""
    food, population, body, bought, replaced = parts_from_json(
        value, "an Action4", "[food card, population growth, body growth, new boards, replacements]", 5
    )
    return Declaration(
        natural_from_json(food, "the food card"),
        tuple(list_from_json(population, "population growth", functools.partial(_growth, label="population"))),
        tuple(list_from_json(body, "body growth", functools.partial(_growth, label="body"))),
        tuple(list_from_json(bought, "new board", functools.partial(_new_board, rules=rules))),
        tuple(list_from_json(replaced, "replacement", _replacement)),
    )


def _growth(value: Any, label: str) -> Growth:
    # Early clients of the course put a label in front.
    if type(value) is list and len(value) == 3 and value[0] == label:
        value = value[1:]
    board, card = parts_from_json(value, "a growth", "[board, card]", 2)
    return Growth(natural_from_json(board, "a board"), natural_from_json(card, "a card"))


def _new_board(value: Any, rules: Rules) -> NewBoard:
    side: Side | None = None
    if type(value) is list and value and value[-1] in ("left", "right") and rules.new_board_side == "choice":
        *value, side = value
    if type(value) is not list or not 1 <= len(value) <= 1 + MOST_TRAITS:
        raise ValueError(f"{shown(value)} is no purchase: it is [payment, up to {MOST_TRAITS} trait cards]")
    payment, *traits = [natural_from_json(card, "a card") for card in value]
    return NewBoard(payment, tuple(traits), side)


def _replacement(value: Any) -> Replacement:
    board, slot, card = parts_from_json(value, "a replacement", "[board, slot, card]", 3)
    return Replacement(
        natural_from_json(board, "a board"), natural_from_json(slot, "a slot"), natural_from_json(card, "a card")
    )
