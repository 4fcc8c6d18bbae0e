"""The plain values that a Python player may return in place of answer records.

The memos on feeding describe four answers, and the course describes a declaration as an Action4::

    False                         decline
    species  or  [species]        a vegetarian eats
    [species, number]             a species with fat tissue stores tokens
    [species, player, species]    a carnivore attacks a species of a player

A species is an index in its player's row, or a board of the request's view.  A player is a seat, or
a player of the view.  Objects are compared by identity, because two boards can be equal.

Only Python players use these forms: programs, records and the protocol have formats of their own.
Values are examined by their exact type, so that none of an untrusted object's own code runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wateringhole.formatting import short_repr, single_line
from wateringhole.game import Seat
from wateringhole.games.evolution.rules.action4 import declaration_from_json, declaration_to_json
from wateringhole.games.evolution.rules.answers import (
    AttackSpecies,
    BuyBoard,
    Declaration,
    Feeding,
    FeedPlants,
    GiveFood,
    GrowPopulation,
    LayTrait,
    Pass,
    StoreFat,
)
from wateringhole.games.evolution.rules.draft import Draft
from wateringhole.games.evolution.rules.species import Row, SpeciesBoard
from wateringhole.games.evolution.rules.view import PrivateState, SeatedPlayer, View
from wateringhole.games.evolution.rules.violations import (
    FeedingPart,
    FormProblem,
    UnknownDeclarationForm,
    UnknownFeedingForm,
)

__all__ = ["DeclarationForm", "FeedingForm", "PlainValue", "declaration_from_plain", "feeding_from_plain"]

FeedingForm = Feeding | bool | int | SpeciesBoard | list[Any] | tuple[Any, ...]
"""What `feed_next` may return, for type checkers.  Of the two booleans, only False is an answer."""
DeclarationForm = Declaration | list[Any] | tuple[Any, ...]
"""What `choose` may return, for type checkers."""

_ACTION4_DEPTH = 3
"""An Action4 is a list of lists of lists."""


class PlainValue:
    """A value of a Python player that is not an answer record and has none of the forms above.

    A request rejects it with a message that shows the forms.
    """

    __slots__ = ("value",)

    def __init__(self, value: object) -> None:
        self.value = value


# Feedings


def feeding_from_plain(value: object, view: View, options: Sequence[Feeding]) -> Feeding | UnknownFeedingForm:
    """Return the feeding that a plain value stands for; whether it is legal is for the request to check."""
    try:
        return _feeding(value, view)
    except _NoForm as wrong:
        forms = _forms(view, options)
        return UnknownFeedingForm(short_repr(value), wrong.part, wrong.problem, short_repr(wrong.value), forms)


class _NoForm(Exception):
    """Raised for a part of a value that has none of the forms."""

    def __init__(self, part: FeedingPart, problem: FormProblem, value: object) -> None:
        super().__init__(part)
        self.part = part
        self.problem = problem
        self.value = value


def _feeding(value: object, view: View) -> Feeding:
    if value is False:
        return Pass()
    if type(value) is int or type(value) is SpeciesBoard:
        return FeedPlants(_own_board(value, view))
    if (type(value) is list or type(value) is tuple) and 1 <= len(value) <= 3:
        match tuple(value):
            case (species,):
                return FeedPlants(_own_board(species, view))
            case (species, tokens):
                board = _own_board(species, view)
                if type(tokens) is not int:
                    raise _NoForm("tokens", "type", tokens)
                return StoreFat(board, tokens)
            case (species, player, target):
                board = _own_board(species, view)
                seat = _seat(player, view)
                return AttackSpecies(board, seat, _board(target, "target", _rows(seat, view), view))
    raise _NoForm("answer", "type", value)


def _own_board(species: object, view: View) -> int:
    assert view.seat is not None, "the view of a request belongs to a seat"
    return _board(species, "species", _rows(view.seat, view), view)


def _rows(seat: Seat, view: View) -> list[Row]:
    """Return the row of a seat.  In a view from another process, the asked player has two equal rows."""
    row = view.boards_of(seat)
    return [row, view.boards] if seat == view.seat and view.boards is not row else [row]


def _board(species: object, part: FeedingPart, rows: Sequence[Row], view: View) -> int:
    """Return the index of a species in one of the `rows`."""
    if type(species) is int:
        return species
    if type(species) is not SpeciesBoard:
        raise _NoForm(part, "type", species)
    for row in rows:
        indexes = [index for index, board in enumerate(row) if board is species]
        if len(indexes) == 1:
            return indexes[0]
        if indexes:
            raise _NoForm(part, "twice", species)
    elsewhere = any(board is species for player in view.players for board in player.boards)
    raise _NoForm(part, "other-row" if elsewhere else "copy", species)


def _seat(player: object, view: View) -> Seat:
    if type(player) is int:
        return Seat(player)
    if type(player) is SeatedPlayer:
        for seated in view.players:
            if seated is player:
                return seated.seat
        raise _NoForm("player", "copy", player)
    if type(player) is PrivateState and player is view.own:
        assert view.seat is not None, "the view of a request belongs to a seat"
        return view.seat
    raise _NoForm("player", "type", player)


def _forms(view: View, options: Sequence[Feeding]) -> tuple[str, ...]:
    """Return a legal answer of each form that the request allows."""
    forms: dict[type, str] = {} if view.rules.false_reply == "cheat" else {Pass: "False"}
    for option in options:
        match option:
            case FeedPlants(board):
                form = f"{board}"
            case StoreFat(board, tokens):
                form = f"[{board}, {tokens}]"
            case AttackSpecies(board, seat, target):
                form = f"[{board}, {seat}, {target}]"
            case Pass():
                form = "False"
        forms.setdefault(type(option), form)
    return tuple(forms.values())


# Declarations


def declaration_from_plain(value: object, view: View) -> Declaration | UnknownDeclarationForm:
    """Return the declaration that an Action4 stands for; whether it is legal is for the request to check."""
    problem = None
    if type(value) is list or type(value) is tuple:
        try:
            return declaration_from_json(_lists(value, _ACTION4_DEPTH), view.rules)
        except ValueError as wrong:
            problem = single_line(str(wrong))
    return UnknownDeclarationForm(short_repr(value), problem, _example(view))


def _lists(value: object, depth: int) -> Any:
    """Return a copy made of lists, whole numbers and texts alone, which is safe to read."""
    if type(value) is int or type(value) is str:
        return value
    if depth and (type(value) is list or type(value) is tuple):
        return [_lists(item, depth - 1) for item in value]
    raise ValueError(f"{short_repr(value)} is not a whole number{' or a list' if depth else ''}")


def _example(view: View) -> str | None:
    """Return a legal Action4 that shows the shape of growth and of a new board, or None if the hand is empty."""
    draft = Draft(view.hand, view.boards, view.rules)
    for step in (GiveFood(0), GrowPopulation(0, 1), BuyBoard(2), LayTrait(len(view.boards), 3)):
        draft.add(step)  # a step that the rules forbid changes nothing
    return None if draft.check_complete() else repr(declaration_to_json(draft.declaration(), view.rules))
