"""Write the data under `tests/golden/v1`, which version 8e5f169 of the code produced.

Run `python -m tests.pinned.generate` only to add a case: it writes missing files and changes no
others.  If the code no longer agrees with a file, its behaviour has changed; do not generate the file
again.
"""

from __future__ import annotations

import contextlib
import functools
import json
import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

from tests.pinned import access, commands, conversations, golden, stores
from tests.pinned.scripted_program import Improvised

Json = dict[str, Any]


# Records


def _deed(seat: int, call: str, number: int, **deed: Any) -> Json:
    return {"seat": seat, "at": [call, number], **deed}


SILLY = ["silly", "random", "greedy", "silly", "random", "greedy", "silly", "random"]
HIDERS = ["random", "zero", "counter", "random", "zero", "counter", "random", "random"]
ILLEGAL_DECLARATIONS: list[Any] = [
    [99, [], [], [], []],
    [0, [[0, 0]], [], [], []],
    [0, [[99, 1]], [], [], []],
    [0, [], [], [], [[0, 9, 1]]],
    [0, [], [], [[1], [1]], []],
    [0, [], [[1, 1]], [], []],
]
ILLEGAL_FEEDINGS: list[Any] = [99, [0, 1], [0, 0, 0], [7, 1]]


def record_plans() -> Iterator[tuple[str, Json]]:
    """Yield a name and a plan for every record, or for every series of records."""
    for game, players in (("evolution", SILLY), ("porrinha", HIDERS)):
        for profile in access.profiles(game):
            for number in (3, 4, 8) if game == "evolution" else (2, 3, 8):
                plan = {"game": game, "profile": profile, "players": players[:number], "seed": 7 + number}
                yield f"{game}-{profile}-{number}", plan
    yield from _evolution_plans()
    yield from _porrinha_plans()


def _evolution_plans() -> Iterator[tuple[str, Json]]:
    plain: Json = {"game": "evolution", "players": SILLY[:3], "seed": 21}
    options: dict[str, Json] = {
        "last-turn": {"most_turns": 3},
        "reshuffled": {"spent_cards": "reshuffled", "most_turns": 9, "seating": "random_starter"},
        "own-attacks": {"own_attacks": True, "compensation": "end_of_turn", "hand_order": "back"},
        "asked-always": {"auto_feed": False, "idle_players": "leave", "false_reply": "skip", "food_clamp": "total"},
        "left-side": {"new_board_side": "left", "fat_on_replace": "discard", "fat_over_request": "illegal"},
    }
    for name, chosen in options.items():
        yield f"evolution-{name}", {**plain, "options": chosen}
    yield "evolution-ascending", {**plain, "choices": {"deck": "ascending"}}
    exits = [_deed(seat, "declare", 1 + seat, leave="had to go") for seat in range(3)]
    yield "evolution-nobody-is-left", {**plain, "misdeeds": exits}
    few = {"minimum_to_continue": 2}
    yield "evolution-too-few-are-left", {**plain, "options": few, "misdeeds": exits[:2]}
    forfeits = [
        _deed(0, "answer", 2, **{"raise": "out of ideas"}),
        _deed(1, "answer", 4, wait=3.0),
        _deed(2, "declare", 2, say="everything"),
        _deed(3, "answer", 3, fail="disconnected", text="the program ended with status 3"),
        _deed(4, "notice", 2, **{"raise": "cannot start"}),
        _deed(5, "answer", 5, leave=""),
        _deed(6, "take_seat", 1, fail="disconnected", text="did not come"),
    ]
    yield "evolution-forfeits", {**plain, "players": SILLY, "policy": {"patience_seconds": 2.0}, "misdeeds": forfeits}
    bank = {"patience_seconds": 0.25, "bank_seconds": 1.0}
    slow = [_deed(0, "answer", number, wait=0.5) for number in (1, 2, 3, 4)]
    yield "evolution-bank", {**plain, "policy": bank, "misdeeds": slow}
    illegal = [_deed(seat, "declare", 1 + seat % 2, say=answer) for seat, answer in enumerate(ILLEGAL_DECLARATIONS, 1)]
    yield "evolution-illegal-declarations", {**plain, "players": SILLY, "misdeeds": illegal}
    illegal = [_deed(seat, "feed", 1, say=answer) for seat, answer in enumerate(ILLEGAL_FEEDINGS, 2)]
    yield "evolution-illegal-feedings", {**plain, "players": SILLY, "misdeeds": illegal}
    strange = ["None", "Declaration(0, population=[])", "'grass'", "Declaration(True)", "FeedPlants(0)"]
    illegal = [_deed(seat, "declare", 2, python=text) for seat, text in enumerate(strange)]
    yield "evolution-strange-answers", {**plain, "players": SILLY, "misdeeds": illegal}
    orders = [_deed(seat, "arrange", 1, say=order) for seat, order in ((1, [0, 0]), (2, [5]), (3, [0, "x"]))]
    yield "evolution-illegal-orders", {**plain, "profile": "framework", "players": SILLY[:4], "misdeeds": orders}
    twice = [_deed(0, "declare", number, say=[99, [], [], [], []]) for number in (1, 3, 4)]
    chances = {"second_chances": 1}
    yield "evolution-second-chances", {**plain, "policy": chances, "misdeeds": twice}
    yield "evolution-series", {**plain, "games": 3, "rotate_seats": True}
    yield "evolution-duplicates", {**plain, "games": 2, "rotate_seats": True, "same_seed": True}


def _porrinha_plans() -> Iterator[tuple[str, Json]]:
    plain: Json = {"game": "porrinha", "players": HIDERS[:3], "seed": 21}
    options: dict[str, Json] = {
        "first-out-wins": {"finish": "first_out_wins"},
        "max-rounds": {"max_rounds": 2},
        "asked-again": {"taken_guess": "again"},
        "rotating": {"lead_after_win": "rotate", "opening_zero": "forbidden"},
        "handicap": {"sticks": [3, 1, 2]},
        "end-round-to-played": {"end_round_to": "played", "absent_hand": "stale"},
    }
    for name, chosen in options.items():
        yield f"porrinha-{name}", {**plain, "options": chosen}
    yield "porrinha-unsettled", {**plain, "settles_in": False}
    yield "porrinha-equilibrium", {**plain, "players": ["equilibrium", "equilibrium"], "options": {"sticks": 2}}
    many = {**plain, "players": ["zero"] * 1000, "options": {"sticks": 1, "max_rounds": 1}}
    yield "porrinha-1000", many
    forfeits = [
        _deed(0, "answer", 3, **{"raise": "out of ideas"}),
        _deed(1, "answer", 4, wait=3.0),
        _deed(2, "answer", 2, fail="unreadable", text="'grass' is not a message"),
        _deed(3, "answer", 5, fail="disconnected", text="the program ended with status 3"),
        _deed(4, "notice", 2, **{"raise": "cannot begin"}),
        _deed(5, "answer", 6, leave="had to go"),
        _deed(6, "answer", 1, python="'2'"),
    ]
    failing = {**plain, "players": HIDERS, "policy": {"patience_seconds": 2.0}, "misdeeds": forfeits}
    yield "porrinha-forfeits", failing
    yield "porrinha-repaired", {**failing, "options": {"on_failure": "repair"}}
    yield "porrinha-nobody-is-left", {**plain, "misdeeds": [_deed(seat, "answer", 1, leave="") for seat in range(3)]}
    strange = [_deed(0, "answer", 1, python="Unspeakable()"), _deed(1, "guess", 1, python="[1]")]
    yield "porrinha-strange-answers", {**plain, "misdeeds": strange}
    bad = [-1, 99, "two", 1.5, None, [1], {"said": "3"}, True, 10**30, 2]
    faults = [_deed(0, "answer", number, say=answer) for number, answer in enumerate(bad, 1)]
    faults += [_deed(1, "guess", number, say=0) for number in (1, 2, 3)]
    for name, chosen in (("faults", {}), ("faults-asked-again", {"taken_guess": "again"})):
        yield f"porrinha-{name}", {**plain, "options": chosen, "misdeeds": faults}
    for profile in access.profiles("porrinha"):
        series = {**plain, "profile": profile, "players": HIDERS[:4], "games": 3}
        yield f"porrinha-series-{profile}", series
        yield f"porrinha-rotated-{profile}", {**series, "games": 2, "rotate_seats": True}


def write_records() -> None:
    plans = dict(record_plans())
    for name, plan in plans.items():
        if golden.is_there(f"plans/{name}.json"):
            continue
        records = access.play_planned(plan)
        for number, record in enumerate(records, 1):
            golden.write(f"records/{name}-{number}.jsonl", record)
        golden.write_json(f"plans/{name}.json", plan)


# Violations


def _board(*traits: str, population: int = 1, body: int = 0, food: int = 0, fat: int = 0) -> Json:
    return {"population": population, "body": body, "food": food, "traits": list(traits), "fat": fat}


HAND = [
    [3, "burrowing"],
    [-1, "foraging"],
    [0, "herding"],
    [1, "burrowing"],
    [-2, "hard-shell"],
    [2, "warning-call"],
    [1, "foraging"],
    [0, "ambush"],
    [1, "climbing"],
]


def _request(
    kind: str, mine: list[Json], *others: list[Json], profile: str = "course", hole: int = 5, **options: Any
) -> Json:
    """Return a request to seat 0, which is first in turn order.  If the hole is 0, it has no cards."""
    hand = [] if kind == "feed" or not hole else HAND
    view = {
        "rules": access.rules_json("evolution", profile, options),
        "seat": 0,
        "turn": 2,
        "hole": hole,
        "deck_size": 74,
        "players": [
            {"seat": seat, "boards": row, "hand_size": 0 if seat else len(hand)}
            for seat, row in enumerate([mine, *others])
        ],
        "own": {"boards": mine, "hand": hand, "bag": 6},
        "pile": [],
    }
    asked: Json = {"kind": kind, "view": view}
    return access.with_options(asked) if kind == "feed" else asked


ROW = [
    _board("carnivore", population=4, body=3),
    _board("fat-tissue", "horns", "herding", population=7, body=7),
    _board("long-neck", "foraging", population=3),
]
OTHER = [_board("climbing", population=2)]
SHIELDED = [
    [_board("burrowing", population=2, food=2), _board("climbing", population=2)],
    [_board("hard-shell", population=2, body=1), _board("herding", population=6)],
    [_board("symbiosis", population=2, body=1), _board(population=2, body=4)],
    [_board(population=2), _board("warning-call"), _board("horns", population=2)],
]
FEEDING_ROW = [
    _board("carnivore", population=4, body=3),
    _board("fat-tissue", population=2, food=2, body=4, fat=1),
    _board("long-neck", population=3, food=1),
    _board(population=2, food=2),
    _board("fat-tissue", population=2, food=1, body=2, fat=2),
    _board("carnivore", "ambush", population=2, food=2),
]


def violation_requests() -> Json:
    asked = {
        "declare": _request("declare", ROW, OTHER, OTHER),
        "declare nothing": _request("declare", ROW, OTHER, hole=0),
        "declare one trait": _request("declare", ROW, OTHER, most_traits_laid=1),
        "declare no trait": _request("declare", ROW, OTHER, most_traits_laid=0),
        "declare reference": _request("declare", ROW, OTHER, OTHER, profile="reference"),
        "declare framework": _request("declare", ROW, OTHER, OTHER, profile="framework"),
        "declare left": _request("declare", ROW, OTHER, OTHER, new_board_side="left"),
        "declare equal allowed": _request("declare", ROW, OTHER, final_traits_distinct=False),
        "arrange": _request("arrange", ROW, OTHER, OTHER, profile="framework"),
        "feed": _request("feed", FEEDING_ROW, *SHIELDED),
        "feed reference": _request("feed", FEEDING_ROW, *SHIELDED, profile="reference"),
        "feed skipping": _request("feed", FEEDING_ROW, *SHIELDED, false_reply="skip"),
        "feed little": _request("feed", FEEDING_ROW, *SHIELDED, hole=1, fat_over_request="illegal"),
        "feed own": _request("feed", FEEDING_ROW, *SHIELDED, own_attacks=True),
        "feed new boards": _request("feed", FEEDING_ROW, [_board(population=0)], profile="framework"),
    }
    for seat, view in (("hand", {}), ("guess", {"guess": [-1, 2, 4], "own_hand": 1})):
        whole = {
            "player_count": 3,
            "active_player_count": 3,
            "chopstick_count": 7,
            "chopsticks": [2, 3, 2],
            "guess": [-1, -1, -1],
            "hand": [-1, -1, -1],
            "last_winner": -1,
            "lead": 1,
            "round": 1,
            "lowest_hand": 1,
            "own_hand": -1,
        }
        asked[seat] = {"kind": seat, "seat": 0, "view": {**whole, **view}}
    return asked


def violation_cases() -> Iterator[Json]:
    """Yield the name of a request with a bad answer to it."""
    yield from _bad_declarations()
    yield from _bad_steps()
    yield from _bad_feedings()
    yield from _bad_replies()
    orders: list[Any] = [[0, 1], [0, 1, 1], [0, 1, 3], [], [0, 1, 2, 3], "012", [0, -1, 2], [2, 1, 0], {}]
    for answer in orders:
        yield {"request": "arrange", "answer": answer}
    for text in ("None", "[0, 1, 2]", "BoardOrder([0, 1, 2])", "BoardOrder((0, True, 2))"):
        yield {"request": "arrange", "python": text}
    numbers = [-1, 0, 1, 2, 3, 4, 7, 8, 10**30, -(10**30), 1.0, 1.5, True, None, "two", [1], {}, {"said": "3"}]
    for request in ("hand", "guess"):
        for number in numbers:
            yield {"game": "porrinha", "request": request, "answer": number}
        for text in ("None", "'two'", "2.5", "NotANumber('x' * 99)", "[" * 30 + "]" * 30, "object"):
            yield {"game": "porrinha", "request": request, "python": text}


def _bad_declarations() -> Iterator[Json]:
    everywhere: list[Any] = [
        [9, [], [], [], []],
        [0, [[0, 99]], [], [], []],
        [0, [[0, 0]], [], [], []],
        [0, [], [[2, 0]], [], []],
        [0, [], [], [[0]], []],
        [0, [], [], [[1, 0]], []],
        [0, [], [], [[1], [1]], []],
        [0, [[2, 1], [2, 1]], [], [], []],
        [0, [], [[2, 1], [2, 1]], [], []],
        [0, [], [], [], [[2, 0, 1], [2, 1, 1]]],
        [0, [], [], [[1]], [[2, 0, 1]]],
        [0, [[9, 1]], [], [], []],
        [0, [], [[4, 1]], [[2]], []],
        [0, [], [], [], [[3, 0, 1]]],
        [0, [[1, 1]], [], [], []],
        [0, [], [[1, 1]], [], []],
        [0, [[2, 1], [2, 2], [2, 3], [2, 4], [2, 5]], [], [], []],
        [0, [], [[3, card] for card in range(2, 9)], [[1]], []],
        [0, [], [], [[1, 2, 4, 5, 7]], []],
        [2, [], [], [[1, 0, 3]], []],
        [2, [], [], [[1, 4, 0, 3]], []],
        [2, [], [], [], [[2, 2, 0]]],
        [2, [], [], [], [[2, 9, 0]]],
        [2, [], [], [], [[1, 0, 2]]],
        [0, [], [], [], [[2, 0, 6]]],
        [0, [], [], [], [[1, 1, 2]]],
        [4, [], [], [], [[1, 0, 0], [1, 1, 3]]],
        [4, [], [], [[2, 1]], [[3, 0, 6]]],
        [4, [], [], [[2, 1, 0]], [[3, 0, 3]]],
        [4, [], [], [[2, 1, 7]], [[3, 0, 0], [3, 1, 3]]],
        [4, [], [], [[2, 1, 7]], []],
        [0, [], [], [], [[1, 0, 4], [1, 1, 5]]],
        [0, [], [], [], [[1, 0, 4], [1, 1, 5], [1, 2, 7], [2, 0, 8]]],
        [0, [], [], [[1, "left"]], []],
        [0, [], [], [[1, "up"]], []],
        [0, [], [], [], []],
    ]
    for answer in everywhere:
        yield {"request": "declare", "answer": answer}
    for name in ("one trait", "no trait", "reference", "framework", "left", "equal allowed"):
        for answer in everywhere[17:]:
            yield {"request": f"declare {name}", "answer": answer}
    ill_shaped: list[Any] = [
        None,
        True,
        0,
        "grass",
        {},
        [],
        [0, [], [], []],
        [-1, [], [], [], []],
        [0.5, [], [], [], []],
        [True, [], [], [], []],
        [10**40, [], [], [], []],
        [[], [], [], [], []],
        [0, {}, [], [], []],
        [0, [[0]], [], [], []],
        [0, [[0, -1]], [], [], []],
        [0, [["body", 0, 1]], [], [], []],
        [0, [["population", 0, 1]], [], [], []],
        [0, [], [[0, "x"]], [], []],
        [0, [], [], [[]], []],
        [0, [], [], [[1, 2, 3, 4, 5]], []],
        [0, [], [], ["x" * 100], []],
        [0, [], [], [], [[0, 1]]],
        [0, [], [], [], [[0, 1, None]]],
        [0, [], [], [], [[0, 1, {"a": 1}]]],
    ]
    for answer in ill_shaped:
        yield {"request": "declare", "answer": answer}
    for text in (
        "None",
        "'grass'",
        "7",
        "[0, [], [], [], []]",
        "Declaration",
        "FeedPlants(0)",
        "Pass()",
        "object()",
        "Declaration(None)",
        "Declaration(True)",
        "Declaration(-1)",
        "Declaration('0')",
        "Declaration(0, population=[])",
        "Declaration(0, body=None)",
        "Declaration(0, new_boards=[])",
        "Declaration(0, replacements=[])",
        "Declaration(0, population=((0, 1),))",
        "Declaration(0, body=(7,))",
        "Declaration(0, new_boards=((1,),))",
        "Declaration(0, new_boards=(NewBoard(1, [2]),))",
        "Declaration(0, new_boards=(NewBoard(1, (2,), 'up'),))",
        "Declaration(0, new_boards=(NewBoard(1, (2,), 'left'),))",
        "Declaration(0, replacements=((0, 0, 1),))",
        "Declaration(0, replacements=(Replacement(0, True, 1),))",
        "Declaration(0, replacements=(Replacement(None, 0, 1),))",
        "Declaration(0, population=(Growth(1.0, 1),))",
    ):
        for name in ("declare", "declare framework"):
            yield {"request": name, "python": text}


def _bad_steps() -> Iterator[Json]:
    """Yield drafts as lists of steps: the name of a step and the numbers of its fields."""
    drafts: list[Any] = [
        [],
        [["buy", 1]],
        [["sing", 1]],
        [["food", 9]],
        [["food", None]],
        [["food", 0], ["food", 0]],
        [["food", 0], ["food", 1]],
        [["buy", 0, "left"]],
        [["buy", 0, "up"]],
        [["lay", 2, 0]],
        [["lay", 1, 0]],
        [["lay", 9, 0]],
        [["lay", 2, 1]],
        [["buy", 0], ["lay", 3, 1], ["lay", 3, 6]],
        [["buy", 0], ["lay", 3, 1], ["lay", 3, 2], ["lay", 3, 4], ["lay", 3, 5]],
        [["buy", 2], ["lay", 3, 1], ["replace", 3, 0, 3], ["lay", 3, 0]],
        [["buy", 2], ["lay", 3, 1], ["lay", 3, 7], ["replace", 3, 0, 0], ["replace", 3, 1, 3], ["food", 4]],
        [["replace", 2, 2, 0]],
        [["replace", 2, 0, 1]],
        [["replace", 2, True, 0]],
        [["replace", 2, 0, 0], ["replace", 2, 1, 3], ["food", 4]],
        [["population", 1, 0]],
        [["body", 1, 0]],
        [["body", -1, 0]],
        [["population", 2, 0], ["lay", 2, 0]],
        [["population", 2, 0], ["body", 2, 0]],
        [["replace", 2, 0, 0], ["buy", 0]],
        [["buy", 0], ["population", 2, 0]],
        [["food", 0], ["buy", 1], ["lay", 3, 2]],
    ]
    names = ("declare", "declare one trait", "declare framework", "declare left", "declare reference")
    for name in names:
        for steps in drafts:
            yield {"request": name, "steps": steps}


def _bad_feedings() -> Iterator[Json]:
    everywhere: list[Any] = [False, 0, 1, 2, 3, 5, 6, 99]
    everywhere += [[board, tokens] for board, tokens in ((0, 1), (1, 0), (1, 3), (1, 4), (1, 2), (4, 1), (9, 1))]
    # The opponents are numbered in turn order, and the asked player comes last.
    everywhere += [[0, player, target] for player, size in enumerate((2, 2, 2, 3)) for target in range(size)]
    everywhere += [[5, 0, 0], [2, 0, 0], [1, 0, 0], [9, 0, 0], [0, 0, 9], [0, 4, 0], [0, 4, 2], [0, 4, 9], [0, 5, 0]]
    for name in ("feed", "feed reference", "feed skipping", "feed little", "feed own"):
        for answer in everywhere:
            yield {"request": name, "answer": answer}
    for answer in ([0, 0, 0], [0, 1, 0], [0, 1, 1], False):
        yield {"request": "feed new boards", "answer": answer}
    ill_shaped: list[Any] = [None, True, "grass", 1.5, -1, {}, [], [0], [0, 0, 0, 0], [0, -1], [0, 0, -1], [0, "x"]]
    for answer in ill_shaped:
        yield {"request": "feed", "answer": answer}
    for text in (
        "None",
        "2",
        "'grass'",
        "Pass",
        "Declaration(0)",
        "FeedPlants(True)",
        "FeedPlants('a')",
        "FeedPlants(2.0)",
        "StoreFat(1, True)",
        "StoreFat(1, 1.0)",
        "StoreFat(True, 1)",
        "AttackSpecies(0, 9, 0)",
        "AttackSpecies(0, None, None)",
        "AttackSpecies(0, 1, 1.0)",
        "AttackSpecies(0, 0, 0)",
    ):
        yield {"request": "feed", "python": text}


def _bad_replies() -> Iterator[Json]:
    """Yield the replies of a stepwise player to its step requests; None passes."""

    def replies_of(*answers: Any) -> list[Any]:
        return [None if answer is None else {"answer": answer} for answer in answers]

    food = [3, "burrowing"]
    declarations: list[list[Any]] = [
        [],
        [5],
        [[9, "burrowing"]],
        [[1, "carnivore"]],
        [food, [food]],
        [food, [[0, "herding"], [0, "herding"]]],
        [food, 7],
        [food, [[0, "herding"]], [[1, "foraging"]], 9],
        [food, [[0, "herding"]], [[1, "foraging"]], 3],
        [food, [], [[1, "foraging"]], 2, [9]],
        [food, [], [[0, "ambush"]], 2, [0, 1]],
        [food, [], [[0, "ambush"]], 1, [0, 0]],
        [food, [], [[0, "ambush"]], 1, []],
        [food, [], [[0, "ambush"]], 1, "x"],
        [food, [], [], [[0, "ambush"]], 1],
        [food, [], [], [[0, "ambush"]], 9],
        [food, [], [], [], [[0, "ambush"]], 1],
        [food, [], [], [], [[0, "ambush"]], -1],
        [food, [], [], [], []],
        [None, None, None, None, None],
    ]
    for name in ("declare", "declare framework"):
        for replies in declarations:
            yield {"request": name, "replies": replies_of(*replies)}
    yield {"request": "declare nothing", "replies": []}
    yield {"request": "declare nothing", "answer": [0, [], [], [], []]}
    feedings: list[list[Any]] = [[], [99], [0], [1], [2], [3], [[1, 9]], [[0, 1]], [[]], ["x"], [None], [-1]]
    feedings += [[3, target] for target in ([0, 0], [0, 1], [9, 0], [0, 9], [], [0], "x", [3, 0], [1, 1])]
    for replies in feedings:
        yield {"request": "feed", "replies": replies_of(*replies)}
    for replies in ([[0, 0, 1]], [[0, 1]], ["x"], [[2, 1, 0]]):
        yield {"request": "arrange", "replies": replies_of(*replies)}


def write_violations() -> None:
    if golden.is_there("violations.jsonl"):
        return
    requests = violation_requests()
    rows = []
    for case in violation_cases():
        game = case.get("game", "evolution")
        rows.append({**case, "verdict": access.verdict(game, requests[case["request"]], case)})
    golden.write_json("requests.json", requests)
    golden.write("violations.jsonl", golden.json_lines(rows))


# Stores

TOURNAMENTS: list[Json] = [
    {
        "game": "evolution",
        "players": ["silly", "random", "greedy", "second=silly?"],
        "format": "round-robin",
        "table_size": 3,
        "games": 24,
        "seed": 11,
    },
    {
        "game": "porrinha",
        "profile": "original",
        "players": ["random", "zero", "counter", "again=random"],
        "format": "swiss",
        "table_size": 2,
        "games": 24,
        "seed": 12,
    },
]


def write_tournaments() -> None:
    if golden.is_there("stores/tournaments.sql"):
        return
    with tempfile.TemporaryDirectory() as folder:
        store, whole = Path(folder) / "half.sqlite", Path(folder) / "whole.sqlite"
        for settings in TOURNAMENTS:
            access.start_tournament(store, settings, games=9)
            access.start_tournament(whole, settings)
        _claim_one_series_each(store)
        half = [access.tournament_of(store, number) for number in (1, 2)]
        golden.write("stores/tournaments.sql", stores.dump(store))
        golden.write_json("stores/tournaments-half.json", half)
        golden.write_json("stores/tournaments-whole.json", [access.tournament_of(whole, number) for number in (1, 2)])


def _claim_one_series_each(store: Path) -> None:
    """Claim one series of each tournament, as a killed process does."""
    with contextlib.closing(sqlite3.connect(store)) as connection:
        connection.execute(
            "UPDATE series SET claimed_by = ?, claimed_until = 1.0 WHERE (tournament, number) IN "
            "(SELECT tournament, min(number) FROM series WHERE finished IS NULL GROUP BY tournament)",
            [stores.ABSENT],
        )
        connection.commit()


BOTS = {"evolution": ["greedy", "silly", "random"], "porrinha": ["random", "zero", "counter"]}
LAST = {"evolution": "feed", "porrinha": "guess"}
"""The request at which the server stops."""


def write_tables() -> None:
    """Write a store of the page: for each game, a finished one and an interrupted table with a human."""
    if golden.is_there("stores/tables.sql"):
        return
    with tempfile.TemporaryDirectory() as folder:
        store = Path(folder) / "tables.sqlite"
        known: Json = {}

        async def play() -> None:
            async with access.serve(store) as server:
                for game, bots in BOTS.items():
                    over = await server.table(game, "me", *bots, seed=3)
                    async with over.seat() as seat:
                        await seat.play()
                    await server.finished(over.id)
                    table = await server.table(game, "me", *bots, seed=7)
                    async with table.seat(heard=0) as seat:
                        asked = await seat.play(functools.partial(_is_late, LAST[game]))
                    known[game] = {
                        "over": over.id,
                        "id": table.id,
                        "token": table.token,
                        "heard": seat.of_type("event")[-1]["number"] - 3,
                        "asked": {**asked, "scene": None, "seconds": None},
                    }

        access.run_server(play())
        golden.write("stores/tables.sql", stores.dump(store))

        async def finish() -> None:
            async with access.serve(store) as server:
                for each in known.values():
                    each.update(await access.finish_table(server, each))

        access.run_server(finish())
    golden.write_json("stores/tables.json", known)


def _is_late(last: str, message: Json) -> bool:
    return message.get("request") == last and message["id"] > 2


# Conversations


def _answer(value: Any) -> list[Json]:
    return [{"type": "answer", "id": "ID", "answer": value}]


def pipe_plans() -> Iterator[tuple[str, Json, Json]]:
    """Yield a name, a plan, and the arguments of the program's `Improvised`."""
    illegal = _answer([99, [], [], [], []])
    evolution: Json = {"game": "evolution", "players": ["Ada=cmd:", "silly", "greedy"], "seed": 31}
    porrinha: Json = {"game": "porrinha", "players": ["Ada=cmd:", "zero", "counter"], "seed": 32}
    chance = {**evolution, "policy": {"second_chances": 1}}
    events = {"events": True, "name": "Ada"}
    yield "evolution-events", chance, {"hello": events, "bad": {"3": illegal}}
    yield "evolution-illegal", evolution, {"hello": {}, "bad": {"5": illegal}}
    yield "evolution-unreadable", evolution, {"hello": {}, "bad": {"2": _answer("grass")}}
    yield "evolution-gives-up", evolution, {"hello": {}, "bad": {"4": [{"type": "failed", "id": "ID", "message": "x"}]}}
    framework = {**evolution, "profile": "framework"}
    yield "evolution-framework", framework, {"hello": {"acknowledges": True}, "bad": {}}
    stepwise = {"hello": {"style": "stepwise"}, "bad": {}, "passes": True}
    yield "evolution-stepwise", evolution, stepwise
    yield "evolution-stepwise-illegal", evolution, {**stepwise, "bad": {"2": _answer([[9, "burrowing"]])}}
    faults = {str(number): _answer(value) for number, value in enumerate([-1, 99, "two", None, 1.5], 1)}
    faults["6"] = [{"type": "answer", "id": 1, "answer": 0}, {"type": "chatter"}, {"type": "pass", "id": "ID"}]
    yield "porrinha-events", porrinha, {"hello": events, "bad": faults}
    series = {**porrinha, "profile": "original", "games": 2, "rotate_seats": True}
    yield "porrinha-series", series, {"hello": {"acknowledges": True}, "bad": {}}
    yield "porrinha-two-seats", {**porrinha, "players": ["zero", "cmd*2:"]}, {"hello": {}, "bad": {}}
    yield (
        "porrinha-leaves",
        porrinha,
        {
            "hello": {},
            "bad": {"3": [{"type": "failed", "id": "ID", "reason": "left", "message": "had to go"}]},
        },
    )


def network_plans() -> Iterator[tuple[str, Json, Json]]:
    evolution: Json = {"game": "evolution", "bots": ["silly", "greedy"], "seed": 33}
    porrinha: Json = {"game": "porrinha", "bots": ["zero?seed=1", "counter?seed=2"], "seed": 34}
    illegal = _answer([99, [], [], [], []])
    chance = {"patience_seconds": 20.0, "second_chances": 1}
    yield "evolution", {**evolution, "policy": chance}, {"hello": {"name": "Ada"}, "bad": {"3": illegal}}
    yield "evolution-out", evolution, {"hello": {"events": True}, "bad": {"4": illegal}}
    improvised = {"hello": {"name": "Ada", "events": True}, "bad": {"2": _answer("two")}}
    yield "porrinha", {**porrinha, "games": 2}, improvised


COURSE_PLANS: dict[str, Json] = {
    "course": {
        "profile": "course",
        "options": {"announce_result": True},
        "names": ["Ada", "Bob", "Eve", "Dan"],
        "players": ["silly", "greedy", "silly", "random"],
        "seed": 41,
        "bad": {"3.2": "[99,[],[],[],[]] "},
    },
    "reference": {
        "profile": "reference",
        "options": {"seating": "reversed"},
        "names": ["Ada", "Bob", "Eve", "Dan", "Fay"],
        "players": ["silly", "greedy", "silly", "greedy", "silly"],
        "seed": 42,
        "bad": {"1.3": "[0,[],[]", "2.4": None, "4.2": '"grass" '},
    },
}


def write_conversations() -> None:
    for name, plan, improvised in pipe_plans():
        if not golden.is_there(f"pipes/{name}.json"):
            with tempfile.TemporaryDirectory() as folder:
                lines = conversations.over_pipes(plan, json.dumps(improvised), Path(folder))
            golden.write(f"pipes/{name}.txt", "".join(f"{line}\n" for line in lines).encode())
            golden.write_json(f"pipes/{name}.json", plan)
    for name, plan, improvised in network_plans():
        if not golden.is_there(f"networks/{name}.json"):
            lines = conversations.over_network(plan, "tcp", Improvised(**improvised))
            golden.write(f"networks/{name}.txt", "".join(f"{line}\n" for line in lines).encode())
            golden.write_json(f"networks/{name}.json", plan)
    for name, plan in COURSE_PLANS.items():
        if not golden.is_there(f"courses/{name}.json"):
            found = access.course_conversation(plan)
            golden.write(f"courses/{name}.jsonl", golden.json_lines(found.pop("lines")))
            golden.write_json(f"courses/{name}.json", {"plan": plan, **found})
            received = [
                value for conn, way, value in golden.lines_of(f"courses/{name}.jsonl") if (conn, way) == (0, ">")
            ]
            clients = {dialect: access.course_client(dialect, received) for dialect in access.dialects()}
            golden.write_json(f"courses/{name}-clients.json", clients)


# Scenes and narration

SCENES: dict[str, list[int | None]] = {
    "evolution-course-4-1": [2, None],
    "evolution-framework-3-1": [1],
    "evolution-forfeits-1": [7],
    "porrinha-seed-3-1": [0, None],
    "porrinha-forfeits-1": [7],
    "porrinha-faults-1": [0],
}
"""The seats from which each record is watched; None is a spectator."""


def write_scenes() -> None:
    for record, seats in SCENES.items():
        text = golden.read(f"records/{record}.jsonl")
        if not golden.is_there(f"scenes/{record}-replay.jsonl"):
            replay = access.replay_scenes(text)
            frames = replay.pop("frames")
            golden.write(f"scenes/{record}-replay.jsonl", golden.json_lines([replay, *frames]))
            golden.write(f"scenes/{record}-summary.json", golden.json_lines([access.summary_of(text)]))
        for seat in seats:
            viewer = "gallery" if seat is None else f"seat-{seat}"
            if not golden.is_there(f"scenes/{record}-{viewer}.jsonl"):
                golden.write(f"scenes/{record}-{viewer}.jsonl", golden.json_lines(access.watched_scenes(text, seat)))
            if not golden.is_there(f"narrations/{record}-{viewer}.txt"):
                lines = access.narration(text, seat)
                golden.write(f"narrations/{record}-{viewer}.txt", "".join(f"{line}\n" for line in lines).encode())
    if not golden.is_there("scenes/words.json"):
        words = {game: {name: access.page_words(game, name) for name in access.profiles(game)} for game in BOTS}
        golden.write_json("scenes/words.json", words)


# Commands


def write_commands() -> None:
    for name, words in commands.COMMANDS.items():
        if not golden.is_there(f"commands/{name}.json"):
            with tempfile.TemporaryDirectory() as folder:
                found = commands.run(words, Path(folder))
            golden.write(f"commands/{name}.json", golden.json_lines([{"commands": words, **found}]))


# Simulations

SIMULATIONS: list[Json] = [
    {"game": "porrinha", "players": ["random", "random"], "games": 5000, "seed": 1},
    {"game": "porrinha", "players": ["zero", "random", "random"], "games": 3000, "seed": 2},
    {"game": "porrinha", "players": ["random", "zero"] * 4, "games": 1000, "seed": 3},
    {"game": "porrinha", "players": ["equilibrium", "random"], "games": 3000, "seed": 4, "options": {"sticks": 2}},
    {"game": "porrinha", "players": ["zero", "zero"], "games": 500, "seed": 5, "options": {"max_rounds": 3}},
    {
        "game": "porrinha",
        "players": ["random"] * 3,
        "games": 2000,
        "seed": 6,
        "options": {"lead_after_win": "rotate", "opening_zero": "forbidden", "finish": "first_out_wins"},
    },
    {"game": "evolution", "players": ["silly"] * 3, "games": 1000, "seed": 1},
    {"game": "evolution", "players": ["silly", "greedy", "random", "silly"], "games": 1000, "seed": 2},
    {"game": "evolution", "players": ["random"] * 8, "games": 500, "seed": 3},
    {"game": "evolution", "players": ["greedy", "silly"] * 4, "games": 200, "seed": 2**64 - 1},
    {
        "game": "evolution",
        "players": ["silly", "greedy", "random"],
        "games": 500,
        "seed": 4,
        "options": {"hard_shell_gap": 5, "new_board_body_limit": 6, "symbiosis": False, "scoring": "boards"},
    },
    {
        "game": "evolution",
        "players": ["silly", "greedy", "random"],
        "games": 300,
        "seed": 5,
        "options": {"most_turns": 2, "tie_listing": "late-first"},
    },
]

BATCHES: list[Json] = [
    {"game": "porrinha", "players": 2, "games": 64, "seed": 5, "steps": 30, "player": "random"},
    {"game": "porrinha", "players": 8, "games": 32, "seed": 6, "steps": 60, "player": "zero"},
    {"game": "evolution", "players": 3, "games": 64, "seed": 7, "steps": 100, "player": "random"},
    {"game": "evolution", "players": 8, "games": 16, "seed": 8, "steps": 100, "player": "greedy"},
]


def write_simulations() -> None:
    if not golden.is_there("simulations/sums.json"):
        rows = []
        for plan in SIMULATIONS:
            rules: Json | None = {"options": plan["options"]} if "options" in plan else None
            found = access.simulated(plan["game"], plan["players"], plan["games"], plan["seed"], rules)
            rows.append({"rules": rules, **found})
        golden.write_json("simulations/sums.json", rows)
    if not golden.is_there("simulations/batches.json"):
        rows = [{**plan, "digests": access.batch_digests(**plan)} for plan in BATCHES]
        golden.write_json("simulations/batches.json", rows)


PARTS: dict[str, Callable[[], None]] = {
    "records": write_records,
    "violations": write_violations,
    "tournaments": write_tournaments,
    "tables": write_tables,
    "conversations": write_conversations,
    "scenes": write_scenes,
    "commands": write_commands,
    "simulations": write_simulations,
}


def main(names: list[str]) -> None:
    for name in names or PARTS:
        PARTS[name]()
        print(name, "written")


if __name__ == "__main__":
    main(sys.argv[1:])
