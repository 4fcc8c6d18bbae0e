"""A bad player of either game as a program: `python cheat_program.py KIND`, with the standard library alone.

It speaks the protocol of `docs/protocol.md` decently until its `AFTER`-th question that allows the
misdeed `KIND`, and then commits it.  What a misdeed does to the wire is told by `deeds`, without any
input or output, so that other transports can use the same catalogue::

    for deed in deeds(kind, message, write):    # message: a request, decoded; write: `ours` or `courses`
        …                                       # bytes: send them as they are; a float: wait so many
                                                # seconds; CLOSE: close the wire

`deeds` returns None where the misdeed cannot be committed at this question; `decent` answers it then.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from typing import Any, Final

Message = dict[str, Any]
Deed = bytes | float | None
Write = Callable[[dict[str, Any], str], bytes]
"""How the JSON text of an answer goes over a wire."""

CLOSE: Final = None
AFTER = 2
"""Questions that are answered decently first."""
LONG = 30.0
"""Seconds that no referee of the tests waits."""
BEYOND_PATIENCE = 2.5
"""Seconds that are just too many."""
NOTHING = "nothing"
"""The kind that does nothing bad."""
NEVER_RIGHT = "never right"
"""The kind whose answers are legal, and at whose tables nobody need ever win a round of Porrinha."""


def ours(message: Message, text: str) -> bytes:
    """In the protocol of `docs/protocol.md`."""
    return f'{{"type":"answer","id":{message["id"]},"answer":{text}}}\n'.encode("latin-1")


def courses(message: Message, text: str) -> bytes:
    """In the course's protocol: nothing but the value."""
    return f"{text} ".encode("latin-1")


def line(**fields: Any) -> bytes:
    return json.dumps(fields).encode() + b"\n"


def answer(message: Message, value: Any, write: Write = ours) -> bytes:
    return write(message, json.dumps(value))


# Decent answers, and illegal ones.  All are JSON values.


def decent(message: Message) -> Any:
    """A legal answer; in Evolution one that buys a board now and then, so that there is something to feed."""
    view = message["view"]
    match message["request"]:
        case "declare":
            hand = view["own"]["hand"]
            # The most food that can be given, so that some are full while others are asked what to feed.
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
    """Two cards of one trait, and so many others of other traits, each different."""
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
    """A feeding of the first own board of some kind."""
    for index, board in enumerate(own_boards(message["view"])):
        if wanted(board):
            return feeding(index)
    return None


def _hunts(board: Message) -> bool:
    return "carnivore" in board["traits"]


DECLARATIONS: dict[str, tuple[Callable[[Message], Any], str]] = {
    # The rulebook's section 5.2.  name: the declaration (None: not with this hand), a part of the verdict
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
    # Section 6.3.
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
    "somebody who is full": (
        lambda message: _feeding(
            message, lambda board: not _hunts(board) and board["food"] == board["population"], lambda i: i
        ),
        "is full",
    ),
    "a board of nobody": (lambda message: [0, 99, 0], "there is no player 99"),
}

FAULTS: dict[str, tuple[str, Callable[[Message], Any]]] = {
    # What Porrinha's rulebook calls bad answers.  name: the question, the answer
    "a negative hand": ("hand", lambda message: -1),
    "too many sticks": ("hand", lambda message: 10**9),
    "a negative guess": ("guess", lambda message: -1),
    "a guess above the table": ("guess", lambda message: 10**9),
    "a hand in words": ("hand", lambda message: "two"),
    "half a guess": ("guess", lambda message: 1.5),
    "nothing for a guess": ("guess", lambda message: None),
    "a list for a hand": ("hand", lambda message: [1]),
}


def bad_answer(kind: str, message: Message) -> Any:
    """The bad answer `illegal …` or `fault …`, or the useless one, to a request; None where it cannot be given."""
    if kind == NEVER_RIGHT:
        return _Said(_highest_free(message["view"])) if message["request"] == "guess" else None
    sort, _, name = kind.partition(" ")
    if sort == "fault":
        question, say = FAULTS[name]
        return _Said(say(message)) if message["request"] == question else None
    table = {"declare": DECLARATIONS, "feed": FEEDINGS}.get(message["request"], {})
    given = table[name][0](message) if name in table else None
    return None if given is None else _Said(given)


def _highest_free(view: Message) -> int:
    """Whoever shows an empty hand knows that all the sticks cannot be in the hands."""
    return next(value for value in range(view["chopstick_count"], -1, -1) if value not in view["guess"])


class _Said:
    def __init__(self, value: Any) -> None:
        self.value = value


# What can be done to a wire.


def _silent(message: Message, write: Write) -> Iterator[Deed]:
    yield LONG


def _late(message: Message, write: Write) -> Iterator[Deed]:
    yield BEYOND_PATIENCE
    yield answer(message, decent(message), write)


def _dribble(message: Message, write: Write) -> Iterator[Deed]:
    for byte in answer(message, decent(message), write):
        yield bytes([byte])
        yield 1.0


def _repeat(message: Message, write: Write) -> Iterator[Deed]:
    """Always the answer to the first question."""
    yield answer({"id": 1}, decent(message))
    yield LONG


def _twice(message: Message, write: Write) -> Iterator[Deed]:
    yield answer(message, decent(message)) * 2


def _another_seat(message: Message, write: Write) -> Iterator[Deed]:
    """Answers the question that somebody else may have been asked."""
    yield line(type="answer", id=message["id"] + 1, player=1, answer=decent(message))
    yield line(type="request", id=message["id"], request="view", seat=1)
    yield LONG


def _gigabyte(message: Message, write: Write) -> Iterator[Deed]:
    for _ in range(1 << 10):
        yield b"x" * (1 << 20)


def _flood(message: Message, write: Write) -> Iterator[Deed]:
    """Nothing wrong with any of them."""
    for _ in range(1 << 20):
        yield line(type="chatter")


def _half_and_close(message: Message, write: Write) -> Iterator[Deed]:
    yield from _half(message, write)
    yield CLOSE


def _half_and_wait(message: Message, write: Write) -> Iterator[Deed]:
    yield from _half(message, write)
    yield LONG


def _half(message: Message, write: Write) -> Iterator[Deed]:
    text = write(message, '"so I say"')
    yield text[: len(text) // 2]


def _close(message: Message, write: Write) -> Iterator[Deed]:
    yield CLOSE


def _raw(text: str) -> Callable[[Message, Write], Iterator[Deed]]:
    """A line with the id of the question in place of ID."""

    def deed(message: Message, write: Write) -> Iterator[Deed]:
        yield text.replace("ID", str(message["id"])).encode() + b"\n"

    return deed


def _answering(text: str) -> Callable[[Message, Write], Iterator[Deed]]:
    """An answer with such a text; each character is a byte."""

    def deed(message: Message, write: Write) -> Iterator[Deed]:
        yield write(message, text)

    return deed


WIRE: dict[str, Callable[[Message, Write], Iterator[Deed]]] = {
    "silent": _silent,
    "late": _late,
    "one byte a second": _dribble,
    "a gigabyte": _gigabyte,
    "closing": _close,
    "closing mid-answer": _half_and_close,
    "half an answer": _half_and_wait,
    "junk": _raw("hello? is anybody there?"),
    "no message": _raw("[1,2,3]"),
    "half a JSON value": _answering("[0,[]"),
    "invalid UTF-8": _answering('"\xff\xfe"'),
    "deep nesting": _answering("[" * 100_000 + "]" * 100_000),
    "NaN": _answering("NaN"),
    "a huge number": _answering("9" * 100_000),
    "a huge exponent": _answering("1e999999"),
    "a large number": _answering("99999999999999999999"),
    "a string": _answering('"banana"'),
    "an object": _answering('{"banana":1}'),
    "null": _answering("null"),
}
"""What can be done to any wire."""

OURS = {
    "repeating": _repeat,
    "answering twice": _twice,
    "another seat": _another_seat,
    "a flood": _flood,
    "no id": _raw('{"type":"answer","answer":0}'),
    "an id in words": _raw('{"type":"answer","id":"ID","answer":0}'),
    "no answer in it": _raw('{"type":"answer","id":ID}'),
    "giving up": _raw('{"type":"failed","id":ID,"message":"had to go","reason":"left"}'),
}
"""What the course's protocol has no messages for."""
WIRE |= OURS

PROCESS = ("dying", "exiting", "printing", "forking", "allocating", "deaf")
"""Misdeeds of a process; other transports have nothing to do with them."""

KINDS = (
    *WIRE,
    *PROCESS,
    *(f"illegal {name}" for name in (*DECLARATIONS, *FEEDINGS)),
    *(f"fault {name}" for name in FAULTS),
    NEVER_RIGHT,
)


def deeds(kind: str, message: Message, write: Write = ours) -> Iterator[Deed] | None:
    """What a bad player does at a request; None: this misdeed cannot be committed here."""
    if kind in WIRE:
        return WIRE[kind](message, write)
    said = bad_answer(kind, message)
    return None if said is None else iter([answer(message, said.value, write)])


# The program.


def main(kind: str) -> None:
    waited = 0
    print("ready", file=sys.stderr)
    for text in sys.stdin:
        message = json.loads(text)
        if message["type"] == "hello":
            send(line(type="hello", protocol=1))
            if kind == "deaf":
                time.sleep(1000)
        if message["type"] != "request":
            continue
        waited += 1
        if waited <= AFTER:
            send(answer(message, decent(message)))
        elif kind in PROCESS:
            misbehave(kind)
            send(answer(message, decent(message)))
        else:
            done = deeds(kind, message)
            if done is None:
                send(answer(message, decent(message)))
            else:
                commit(done)


def commit(done: Iterator[Deed]) -> None:
    for deed in done:
        if deed is CLOSE:
            os.close(1)
            time.sleep(LONG)
        elif isinstance(deed, bytes):
            send(deed)
        else:
            time.sleep(deed)


def send(text: bytes) -> None:
    rest = memoryview(text)
    try:
        while rest:
            rest = rest[os.write(1, rest) :]
    except BrokenPipeError:
        sys.exit(1)


def misbehave(kind: str) -> None:
    match kind:
        case "dying":
            os.abort()
        case "exiting":
            print("I have had enough", file=sys.stderr)
            sys.exit(3)
        case "printing":
            print("hm, let me see ...", flush=True)
        case "forking":
            fork()
        case "allocating":
            hoard = []
            while True:
                hoard.append(bytearray(16 << 20))


def fork() -> None:
    """Children of every sort that would stay: a plain one, one that leaves the session, one whose parent is gone."""
    sleep = [sys.executable, "-c", "import time; time.sleep(1000)"]
    subprocess.Popen(sleep)
    subprocess.Popen(sleep, start_new_session=True)
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            os.execv(sys.executable, sleep)
        os._exit(0)


if __name__ == "__main__":
    main(sys.argv[1])
