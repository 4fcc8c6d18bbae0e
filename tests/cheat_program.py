"""A bad player of either built-in game as a program: `python cheat_program.py KIND`.

It adds legal and illegal answers of the two games to the misdeeds of `wateringhole.testing.bad_program`.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from typing import Any

from wateringhole.testing import bad_program
from wateringhole.testing.bad_program import Deed, Message, Write, answer, in_protocol

NEVER_RIGHT = "never right"
"""The kind whose answers are legal, but never win a round of Porrinha."""


def courses(message: Message, text: str) -> bytes:
    """Write an answer in the course's protocol: only its value."""
    return f"{text} ".encode("latin-1")


# Legal and illegal answers, as JSON values


def decent(message: Message) -> Any:
    """Return a legal answer.  In Evolution it sometimes buys a board, so that there are species to feed."""
    view = message["view"]
    match message["request"]:
        case "declare":
            hand = view["own"]["hand"]
            # The card with the most food, so that some species are full while other players are asked to feed.
            food, *others = sorted(range(len(hand)), key=lambda index: -hand[index][0])
            return [food, [], [], [others[-2:]] if len(hand) > 3 and len(own_boards(view)) < 3 else [], []]
        case "feed":
            return message["options"][0]
        case "arrange":
            return list(range(len(own_boards(view))))
        case "hand":
            return view["lowest_hand"]
        case _:
            return next(value for value in range(view["chopstick_count"] + 1) if value not in view["guess"])


def own_boards(view: Message) -> list[Message]:
    return next(player["boards"] for player in view["players"] if player["seat"] == view["seat"])


def _hand(message: Message) -> list[list[Any]]:
    hand: list[list[Any]] = message["view"]["own"]["hand"]
    return hand


def _grow_beyond(message: Message, part: int, field: str) -> Any:
    board = own_boards(message["view"])[0]
    needed = 8 - board[field]
    if len(_hand(message)) <= needed:
        return None
    declaration: list[Any] = [0, [], [], [], []]
    declaration[part] = [[0, card] for card in range(1, needed + 1)]
    return declaration


def _cards_by_trait(message: Message) -> dict[str, list[int]]:
    cards: dict[str, list[int]] = {}
    for index, (_, trait) in enumerate(_hand(message)):
        cards.setdefault(trait, []).append(index)
    return cards


def _pair_and_others(message: Message, others: int) -> tuple[list[int], list[int]] | None:
    """Return two cards of one trait, and a number of cards with other traits, all different."""
    cards = _cards_by_trait(message)
    pair = next((indexes[:2] for indexes in cards.values() if len(indexes) > 1), None)
    if pair is None:
        return None
    rest = [indexes[0] for indexes in cards.values() if pair[0] not in indexes]
    return (pair, rest[:others]) if len(rest) >= others else None


def _equal_traits_bought(message: Message) -> Any:
    if (found := _pair_and_others(message, 2)) is None:
        return None
    pair, (food, payment) = found
    return [food, [], [], [[payment, *pair]], []]


def _replacement_doubles(message: Message) -> Any:
    if (found := _pair_and_others(message, 3)) is None:
        return None
    (first, second), (food, payment, other) = found
    return [food, [], [], [[payment, first, other]], [[len(own_boards(message["view"])), 1, second]]]


def _replacements_together_double(message: Message) -> Any:
    if (found := _pair_and_others(message, 4)) is None:
        return None
    pair, (food, payment, *traits) = found
    new = len(own_boards(message["view"]))
    return [food, [], [], [[payment, *traits]], [[new, 0, pair[0]], [new, 1, pair[1]]]]


def _feeding(message: Message, wanted: Callable[[Message], bool], feeding: Callable[[int], Any]) -> Any:
    """Return a feeding of the player's first board for which `wanted` is true, or None."""
    for index, board in enumerate(own_boards(message["view"])):
        if wanted(board):
            return feeding(index)
    return None


def _hunts(board: Message) -> bool:
    return "carnivore" in board["traits"]


DECLARATIONS: dict[str, tuple[Callable[[Message], Any], str]] = {
    # Section 5.2 of the rulebook.  name: the declaration (or None with other hands), a part of the message
    "1 four parts": (lambda message: [0, [], [], []], "is not an Action4"),
    "1 a negative card": (lambda message: [-1, [], [], [], []], "the food card is a whole number"),
    "1 half a card": (lambda message: [0.5, [], [], [], []], "the food card is a whole number"),
    "1 a growth of one number": (lambda message: [0, [[0]], [], [], []], "is not a growth"),
    "1 a board with four traits": (lambda message: [0, [], [], [[1, 2, 3, 4, 5]], []], "is no purchase"),
    "2 no such card": (lambda message: [99, [], [], [], []], "there is no card 99"),
    "2 a card used twice": (lambda message: [0, [[0, 0]], [], [], []], "card 0 is used twice"),
    "3 no such board": (lambda message: [0, [[99, 1]], [], [], []], "there is no board 99"),
    "4 too many animals": (lambda message: _grow_beyond(message, 1, "population"), "would grow beyond 7"),
    "4 too large a body": (lambda message: _grow_beyond(message, 2, "body"), "would grow beyond 7"),
    "5 equal traits bought": (_equal_traits_bought, "twice"),
    "6 no such slot": (lambda message: [0, [], [], [], [[0, 9, 1]]], "has no slot 9"),
    "6 a doubled trait": (_replacement_doubles, "already"),
    "7 doubled together": (_replacements_together_double, "twice"),
}

FEEDINGS: dict[str, tuple[Callable[[Message], Any], str]] = {
    # Section 6.3 of the rulebook
    "no feeding at all": (lambda message: "grass", "is no feeding choice"),
    "four numbers": (lambda message: [0, 0, 0, 0], "is no feeding choice"),
    "true": (lambda message: True, "is no feeding choice"),
    "no such board": (lambda message: 99, "there is no board 99"),
    "fat without fat tissue": (
        lambda message: _feeding(message, lambda board: "fat-tissue" not in board["traits"], lambda i: [i, 1]),
        "has no fat tissue",
    ),
    "a grazing carnivore": (lambda message: _feeding(message, _hunts, lambda i: i), "eats only by attacking"),
    "a hunting vegetarian": (
        lambda message: _feeding(message, lambda board: not _hunts(board), lambda i: [i, 0, 0]),
        "cannot attack",
    ),
    "a full species": (
        lambda message: _feeding(
            message, lambda board: not _hunts(board) and board["food"] == board["population"], lambda i: i
        ),
        "is full",
    ),
    "a board of no player": (lambda message: [0, 99, 0], "there is no player 99"),
}

FAULTS: dict[str, tuple[str, Callable[[Message], Any]]] = {
    # Bad answers of Porrinha's rulebook.  name: the request, the answer
    "a negative hand": ("hand", lambda message: -1),
    "too many sticks": ("hand", lambda message: 10**9),
    "a negative guess": ("guess", lambda message: -1),
    "a guess above the table": ("guess", lambda message: 10**9),
    "a hand as text": ("hand", lambda message: "two"),
    "half a guess": ("guess", lambda message: 1.5),
    "nothing for a guess": ("guess", lambda message: None),
    "a list for a hand": ("hand", lambda message: [1]),
}


def bad_answer(kind: str, message: Message) -> Any:
    """Return the answer of a kind (`illegal …`, `fault …` or NEVER_RIGHT), or None if the request does not allow it."""
    if kind == NEVER_RIGHT:
        return _Given(_highest_free(message["view"])) if message["request"] == "guess" else None
    sort, _, name = kind.partition(" ")
    if sort == "fault":
        request, value = FAULTS[name]
        return _Given(value(message)) if message["request"] == request else None
    table = {"declare": DECLARATIONS, "feed": FEEDINGS}.get(message["request"], {})
    given = table[name][0](message) if name in table else None
    return None if given is None else _Given(given)


def _highest_free(view: Message) -> int:
    """Return the highest free guess, which is wrong after an empty hand."""
    return next(value for value in range(view["chopstick_count"], -1, -1) if value not in view["guess"])


class _Given:
    def __init__(self, value: Any) -> None:
        self.value = value


KINDS = (
    *bad_program.KINDS,
    *(f"illegal {name}" for name in (*DECLARATIONS, *FEEDINGS)),
    *(f"fault {name}" for name in FAULTS),
    NEVER_RIGHT,
)


def deeds(kind: str, message: Message, write: Write = in_protocol) -> Iterator[Deed] | None:
    """Return the deeds of a bad player at a request, or None if the request does not allow the misdeed."""
    if kind in bad_program.WIRE:
        return bad_program.deeds(kind, message, answer(message, decent(message), write), write)
    given = bad_answer(kind, message)
    return None if given is None else iter([answer(message, given.value, write)])


def _good(message: Message) -> bytes:
    return answer(message, decent(message))


def _bad(kind: str, message: Message) -> bytes | None:
    if kind == bad_program.NOTHING or kind in bad_program.KINDS:
        return None
    given = bad_answer(kind, message)
    return None if given is None else answer(message, given.value)


if __name__ == "__main__":
    bad_program.main(sys.argv[1], _good, _bad)
