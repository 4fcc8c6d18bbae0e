"""Counts of reachable positions from tiny setups: any change of the rules changes some of them.

Chess programmers use this name: performance test, move path enumeration.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import Any

import pytest

from tests.games.evolution.builders import rules
from tests.games.evolution.scenarios import before_feeding, hand, lay, row, show, show_cards, snapshot
from wateringhole.game import violation_of
from wateringhole.games.evolution import (
    CARDS,
    BuyBoard,
    Dealer,
    Declaration,
    DeclareCards,
    Draft,
    FeedNext,
    Growth,
    LayTrait,
    NewBoard,
    Pass,
    Replacement,
    ReplaceTrait,
    Rules,
    StoreFat,
    deal,
)
from wateringhole.games.evolution.rules.requests import EvolutionRequest

Result = tuple[str, str, str]
"""A declaration by its effect: food card, row, remaining cards."""


def _result(draft: Draft) -> Result:
    placed = dict(zip(draft.positions(), draft.boards, strict=True))
    boards = ", ".join(show(placed[index]) for index in sorted(placed))
    return show_cards([draft.food_card()]), boards, show_cards(draft.hand_left())


def _by_steps(draft: Draft) -> set[Result]:
    """Return the effects of all declarations, found by taking every listed step in turn."""
    found: set[Result] = set()
    seen = set()

    def extend() -> None:
        if not draft.check_complete():
            found.add(_result(draft))
        for step in draft.steps():
            draft.add(step)
            # The order matters only among purchases and traits.
            ordered = [step for step in draft.taken if isinstance(step, BuyBoard | LayTrait | ReplaceTrait)]
            position = tuple(ordered), frozenset(draft.taken)
            if position not in seen:
                seen.add(position)
                extend()
            draft.undo()

    extend()
    return found


# name: hand, row, options, the number of different declarations.
DECLARATIONS: dict[str, tuple[str, str, dict[str, Any], int]] = {
    "one card": ("horns+0", "0/1", {}, 1),
    "two cards, a plain board": ("horns+0 ambush+0", "0/1", {}, 8),
    "two cards, no board": ("horns+0 ambush+0", "", {}, 4),
    "two cards, a trait": ("horns+0 ambush+0", "0/1 climbing", {}, 10),
    "two cards, a trait they have": ("horns+0 ambush+0", "0/1 climbing horns", {}, 11),
    "two cards, a board at its limits": ("horns+0 ambush+0", "0/7 b7", {}, 4),
    "three cards": ("horns+0 ambush+0 climbing+0", "0/1", {}, 51),
    "three cards, a trait": ("horns+0 ambush+0 climbing+0", "0/1 climbing", {}, 81),
    "three cards, two of a kind": ("horns+0 horns+1 climbing+0", "0/1 horns climbing", {}, 68),
    "four cards": ("horns+0 ambush+0 climbing+0 herding+0", "0/1", {}, 352),
    "fill": ("horns+0 horns+1 ambush+0", "0/1 climbing", {"traits_on_existing_boards": "fill"}, 110),
    "choice of side": ("horns+0 ambush+0 climbing+0", "0/1", {"new_board_side": "choice"}, 57),
    "at most one trait": ("horns+0 ambush+0 climbing+0", "0/1 herding", {"most_traits_laid": 1}, 75),
    "equal traits allowed": ("horns+0 ambush+0 ambush+1", "0/1 horns climbing", {"final_traits_distinct": False}, 93),
}


@pytest.mark.parametrize("name", DECLARATIONS)
def test_number_of_different_declarations(name: str) -> None:
    cards, boards, options, count = DECLARATIONS[name]
    assert len(_by_steps(Draft(hand(cards), row(boards), rules(**options)))) == count


@pytest.mark.parametrize("name", [name for name, (cards, _, _, _) in DECLARATIONS.items() if len(cards.split()) < 4])
def test_steps_lead_to_exactly_the_legal_declarations(name: str) -> None:
    cards, boards, options, _ = DECLARATIONS[name]
    under = rules(**options)
    whole = set()
    for declaration in _all_declarations(len(cards.split()), row(boards), under):
        draft = Draft.from_declaration(declaration, hand(cards), row(boards), under)
        if isinstance(draft, Draft):
            whole.add(_result(draft))
    assert _by_steps(Draft(hand(cards), row(boards), under)) == whole


def _all_declarations(cards: int, boards: list[Any], under: Rules) -> Iterator[Declaration]:
    """Yield declarations with every card in every part of an Action4, in every order, legal or not."""
    owned = len(boards)
    most = cards - 1
    # With few cards, at most that many boards can be bought and put to use.
    indexes = range(owned + max(1, most))
    sides = ("left", "right") if under.new_board_side == "choice" else (under.new_board_side,)
    uses: list[tuple[Any, ...]] = [("keep",), *(("buy", side) for side in sides)]
    uses += [(kind, board) for kind in ("population", "body") for board in indexes]
    uses += [("trait", board) for board in indexes if board >= owned]
    uses += [("replace", board, slot) for board in indexes for slot in range(3)]
    for order in itertools.permutations(range(cards)):
        food, *others = order
        for parts in itertools.product(uses, repeat=most):
            yield _declaration(food, list(zip(others, parts, strict=True)), owned)


def _declaration(food: int, parts: list[tuple[int, tuple[Any, ...]]], owned: int) -> Declaration:
    def used(kind: str) -> list[tuple[int, tuple[Any, ...]]]:
        return [(card, part) for card, part in parts if part[0] == kind]

    return Declaration(
        food,
        tuple(Growth(board, card) for card, (_, board) in used("population")),
        tuple(Growth(board, card) for card, (_, board) in used("body")),
        tuple(
            NewBoard(card, tuple(trait for trait, (_, board) in used("trait") if board == owned + index), side)
            for index, (card, (_, side)) in enumerate(used("buy"))
        ),
        tuple(Replacement(board, slot, card) for card, (_, board, slot) in used("replace")),
    )


# Feeding.


def _answers(request: EvolutionRequest) -> list[Any]:
    """Return all answers to a feeding, or the declarations that only give one card as food."""
    if isinstance(request, DeclareCards):
        return [Declaration(card) for card in range(len(request.view.hand))]
    assert isinstance(request, FeedNext)
    answers: list[Any] = [] if request.rules.false_reply == "cheat" else [Pass()]
    for option in request.options:
        if isinstance(option, StoreFat):
            answers += [StoreFat(option.board, tokens) for tokens in range(1, option.tokens + 1)]
        else:
            answers.append(option)
    return [answer for answer in answers if violation_of(request, answer) is None]


def _count(dealer: Dealer, turn: int) -> tuple[int, int]:
    """Return the number of possible games until a turn is over, and the number of positions at their end."""
    ends = set()
    courses = 0
    pending = [dealer]
    while pending:
        game = pending.pop()
        if game.turn > turn or game.outcome:
            courses += 1
            ends.add(str(snapshot(game.state)))
            continue
        ((seat, request),) = game.requests.items()
        for answer in _answers(request):
            branch = game.copy(emit=False)
            branch.advance({seat: answer})
            pending.append(branch)
    return courses, len(ends)


# name: rows, hole, options, (courses, positions at the end of the turn).
ROUNDS: dict[str, tuple[tuple[str, ...], int, dict[str, Any], tuple[int, int]]] = {
    "two grazers each": (("0/1, 0/1", "0/1, 0/1"), 4, {}, (9, 4)),
    "little food": (("0/2, 0/1", "0/1, 0/3"), 3, {}, (21, 12)),
    "stores": (("0/1 b3 fat-tissue, 0/1", "0/1 b2 fat-tissue"), 4, {}, (163, 31)),
    "hunters": (("0/2 carnivore, 0/1", "0/2 horns, 0/1", "0/1 carnivore climbing, 1/1"), 4, {}, (188, 103)),
    "chains": (
        ("0/2 cooperation foraging, 0/2 cooperation, 0/1 carnivore", "0/2 scavenger, 0/1 carnivore"),
        6,
        {},
        (64, 30),
    ),
    "skipping": (("0/1, 0/1", "0/1, 0/1"), 4, {"false_reply": "skip"}, (21, 4)),
    "no declining": (("0/2, 0/1", "0/1, 0/3"), 3, {"false_reply": "cheat"}, (6, 2)),
    "always asked": (("0/2, 0/1", "0/1, 0/3"), 3, {"auto_feed": False}, (34, 15)),
    "own attacks": (("0/2 carnivore, 0/1", "0/2, 0/1 carnivore"), 3, {"own_attacks": True}, (83, 34)),
    "idle players leave": (
        ("0/2 carnivore hard-shell", "0/3 carnivore herding, 0/1 climbing", "2/2 herding"),
        4,
        {"idle_players": "leave"},
        (5, 3),
    ),
    "idle players stay": (
        ("0/2 carnivore hard-shell", "0/3 carnivore herding, 0/1 climbing", "2/2 herding"),
        4,
        {},
        (3, 2),
    ),
}


@pytest.mark.parametrize("name", ROUNDS)
def test_number_of_possible_feeding_rounds(name: str) -> None:
    rows, hole, options, counts = ROUNDS[name]
    dealer = before_feeding(lay(*rows, hole=hole, deck="ambush+3 ambush+2 ambush+1", rules=rules(**options)))
    dealer.advance({})
    assert _count(dealer, 1) == counts


# Whole games in which players only choose what to give as food.
# name: cards, turns, options, (courses, positions at their end).
GAMES: dict[str, tuple[int, int, dict[str, Any], tuple[int, int]]] = {
    "one turn": (12, 1, {}, (64, 64)),
    "one turn, asked for everything": (12, 1, {"auto_feed": False}, (315, 315)),
    "two turns": (25, 2, {}, (8956, 6669)),
}


@pytest.mark.parametrize("name", GAMES)
def test_number_of_possible_small_games(name: str) -> None:
    cards, turns, options, counts = GAMES[name]
    # Low and high cards are mixed, so that there is sometimes something to eat.
    deck = [CARDS[index * 37 % len(CARDS)] for index in range(cards)]
    assert _count(Dealer(deal(3, rules(**options), 0, deck), emit=False), turns) == counts
