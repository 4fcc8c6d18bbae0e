"""The feeding rounds (section 6): possibilities, one step, the four answers, the end of feeding."""

from __future__ import annotations

from typing import Any

import pytest

from tests.games.evolution.builders import rules
from tests.games.evolution.scenarios import A, B, C, changes, lay, row
from wateringhole.facets import PROGRAM
from wateringhole.game import Seat, Violation, violation_of
from wateringhole.games.evolution import AttackSpecies, Feeding, FeedNext, FeedPlants, Pass, StoreFat
from wateringhole.games.evolution.rules.feeding import FeedingRounds
from wateringhole.games.evolution.rules.requests import feedings
from wateringhole.games.evolution.rules.state import GameState
from wateringhole.games.evolution.rules.traits import Trait
from wateringhole.games.evolution.rules.violations import FatRoom, NoAnimals, NoFatRoom, Protected, Spot
from wateringhole.games.evolution.text import TEXT

# Possible feedings (6.1).  name: rows, the possibilities of A.
POSSIBILITIES: dict[str, tuple[tuple[str, ...], list[Feeding]]] = {
    "hungry vegetarians": (("0/1, 1/1, 1/3 foraging", "0/1"), [FeedPlants(0), FeedPlants(2)]),
    "room for fat, hungry or not": (
        ("2/2 b3 fat-tissue, 0/1 b2 fat1 fat-tissue, 0/1 b2 fat2 fat-tissue, 1/1 fat-tissue", "0/1"),
        [FeedPlants(1), FeedPlants(2), StoreFat(0, 3), StoreFat(1, 1)],
    ),
    "a carnivore stores without attacking": (("0/1 b1 carnivore fat-tissue", "0/1 climbing"), [StoreFat(0, 1)]),
    "tokens without fat tissue are no store": (("1/1 b3 fat1 horns", "0/1"), []),
    "hungry carnivores attack every board of others that is not safe": (
        ("0/1 carnivore, 0/2 carnivore climbing", "0/1, 0/1 climbing", "0/1 herding, 0/1"),
        [
            AttackSpecies(0, B, 0),
            AttackSpecies(0, C, 1),
            AttackSpecies(1, B, 0),
            AttackSpecies(1, B, 1),
            AttackSpecies(1, C, 0),
            AttackSpecies(1, C, 1),
        ],
    ),
    "a full carnivore does not attack": (("1/1 carnivore", "0/1"), []),
    "a carnivore eats no plants": (("0/1 carnivore", "0/1 climbing"), []),
    "full boards of others can be attacked": (("0/1 carnivore", "1/1"), [AttackSpecies(0, B, 0)]),
    "own boards cannot": (("0/1 carnivore, 1/1", "0/1 climbing"), []),
    "all three kinds together": (
        ("0/1, 0/1 carnivore, 1/1 b1 fat-tissue", "0/1"),
        [FeedPlants(0), StoreFat(2, 1), AttackSpecies(1, B, 0)],
    ),
}


@pytest.mark.parametrize("name", POSSIBILITIES)
def test_all_feedings_are_listed(name: str) -> None:
    rows, expected = POSSIBILITIES[name]
    boards, *others = map(row, rows)
    assert feedings(boards, [(Seat(seat), boards) for seat, boards in enumerate(others, 1)], rules()) == expected


def _rounds(*rows: str, hole: int = 5, deck: str = "", **options: Any) -> tuple[GameState, FeedingRounds]:
    state = lay(*rows, hole=hole, deck=deck, rules=rules(**options))
    return state, FeedingRounds(state, 1)


def _asked(rounds: FeedingRounds) -> FeedNext:
    request = rounds.next_request()
    assert request is not None
    return request


# One step (6.2) of a player that is not asked.  name: rows, hole, changes.
STEPS: dict[str, tuple[tuple[str, ...], int, dict[str, Any]]] = {
    "no possibility": (("1/1", "0/1"), 5, {}),
    "one vegetarian": (("0/2 foraging, 1/1", "0/1"), 5, {"A": "2/2 foraging, 1/1", "hole": 3}),
    "one attack": (("0/1 carnivore, 1/1", "0/2"), 5, {"A": "1/1 carnivore, 1/1", "B": "0/1", "hole": 4}),
    "one store, filled up": (("1/1 b3 fat1 fat-tissue", "0/1"), 5, {"A": "1/1 b3 fat3 fat-tissue", "hole": 3}),
    "one store, as far as the hole reaches": (
        ("1/1 b7 fat1 fat-tissue", "0/1"),
        2,
        {"A": "1/1 b7 fat3 fat-tissue", "hole": 0},
    ),
    "14.3 one possibility, so the dealer attacks": (
        ("0/1 b3 carnivore", "0/1 horns", ""),
        5,
        {"A": "", "B": "", "A hand": "ambush+1", "B hand": "ambush+3 ambush+2", "deck": ""},
    ),
}


@pytest.mark.parametrize("name", STEPS)
def test_a_player_with_at_most_one_possibility_is_not_asked(name: str) -> None:
    rows, hole, expected = STEPS[name]
    state, rounds = _rounds(*rows, hole=hole, deck="ambush+3 ambush+2 ambush+1")
    requests: list[FeedNext | None] = []
    after = changes(state, lambda: requests.append(rounds.step()))
    assert requests == [None]
    assert {part: value for part, value in after.items() if part in expected or part == "hole"} == expected
    assert after.keys() <= expected.keys() | {"B hand", "deck"}


@pytest.mark.parametrize("rows", [(rows) for rows, _, after in STEPS.values() if after], ids=lambda rows: rows[0])
def test_a_player_with_one_possibility_is_asked_without_auto_feed(rows: tuple[str, ...]) -> None:
    state, rounds = _rounds(*rows, auto_feed=False)
    assert changes(state, lambda: _asked(rounds)) == {}
    assert len(_asked(rounds).options) == 1
    assert violation_of(_asked(rounds), Pass()) is None


def test_a_player_with_two_possibilities_is_asked_and_nothing_happens_before_the_answer() -> None:
    state, rounds = _rounds("0/1, 0/1", "0/1")
    assert changes(state, lambda: _asked(rounds)) == {}
    request = _asked(rounds)
    assert request.seat == A
    assert list(request.options) == [FeedPlants(0), FeedPlants(1)]
    assert request.view.hole == 5
    assert [player.seat for player in request.view.opponents] == [B]


def test_players_feed_one_board_at_a_time_in_turn() -> None:
    state, rounds = _rounds("0/2, 0/2", "0/2, 0/2", "0/2, 0/2", hole=7)
    asked = []
    while request := rounds.next_request():
        asked.append(request.seat)
        rounds.take(FeedPlants(0) if FeedPlants(0) in request.options else FeedPlants(1))
    # The last token but one empties the hole for A's second board; after two rounds each has one board left.
    assert asked == [A, B, C, A, B, C]
    assert [player.boards[1].food for player in state.players] == [1, 0, 0]


def test_the_starting_player_feeds_first() -> None:
    state = lay("0/2, 0/2", "0/2, 0/2", "0/2, 0/2", hole=9)
    state.players.append(state.players.pop(0))
    rounds = FeedingRounds(state, 1)
    asked = []
    for _ in range(4):
        asked.append(_asked(rounds).seat)
        rounds.take(FeedPlants(0) if FeedPlants(0) in _asked(rounds).options else FeedPlants(1))
    assert asked == [B, C, A, B]


# The four answers (6.3).  A's row has hungry species of every kind; B's second board is safe.
ROWS = ("0/2, 1/2 b3 fat1 fat-tissue, 0/2 carnivore, 1/1, 1/1 b1 carnivore", "0/2, 0/1 climbing", "0/1")

ANSWERS: dict[str, tuple[Feeding, dict[str, Any]]] = {
    "a vegetarian eats": (FeedPlants(0), {"A": ROWS[0].replace("0/2,", "1/2,"), "hole": 4}),
    "one token is stored": (StoreFat(1, 1), {"A": ROWS[0].replace("fat1", "fat2"), "hole": 4}),
    "the store is filled": (StoreFat(1, 2), {"A": ROWS[0].replace("fat1", "fat3"), "hole": 3}),
    "an attack": (
        AttackSpecies(2, B, 0),
        {"A": ROWS[0].replace("0/2 carnivore", "1/2 carnivore"), "B": "0/1, 0/1 climbing", "hole": 4},
    ),
    "declining": (Pass(), {}),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_takes_effect_and_moves_the_player_to_the_back(name: str) -> None:
    answer, expected = ANSWERS[name]
    state, rounds = _rounds(*ROWS)
    assert violation_of(_asked(rounds), answer) is None
    assert changes(state, lambda: rounds.take(answer)) == expected
    asked = []
    while request := rounds.next_request():
        asked.append(request.seat)
        rounds.take(request.options[0])
    assert asked[0] == B
    assert (A in asked) == (answer != Pass())


@pytest.mark.parametrize(("asked", "stored"), [(1, 1), (3, 3), (5, 3)])
def test_a_store_gets_at_most_what_the_hole_has(asked: int, stored: int) -> None:
    state, rounds = _rounds("0/1 b5 fat-tissue", "0/1", hole=3)
    assert violation_of(_asked(rounds), StoreFat(0, asked)) is None
    after = changes(state, lambda: rounds.take(StoreFat(0, asked)))
    assert after == {"A": f"0/1 b5 fat{stored} fat-tissue", "hole": 3 - stored}


def test_foraging_and_fat_tissue_do_not_limit_each_other() -> None:
    row = "0/4 b5 fat-tissue foraging"
    state, rounds = _rounds(row, "0/1", hole=9)
    assert list(_asked(rounds).options) == [FeedPlants(0), StoreFat(0, 5)]
    assert changes(state, lambda: rounds.take(FeedPlants(0))) == {"A": "2/4 b5 fat-tissue foraging", "hole": 7}
    state, rounds = _rounds(row, "0/1", hole=9)
    _asked(rounds)
    assert changes(state, lambda: rounds.take(StoreFat(0, 5))) == {"A": "0/4 b5 fat5 fat-tissue foraging", "hole": 4}


WRONG: dict[str, tuple[Any, str, str]] = {
    "not an answer": (0, "ill-shaped", "0 is not a feeding"),
    "false": (False, "ill-shaped", "False is not a feeding"),
    "nothing": (None, "ill-shaped", "None is not a feeding"),
    "a list": ([1, 2], "ill-shaped", "[1, 2] is not a feeding"),
    "no such board": (FeedPlants(5), "no-such-board", "there is no board 5: you own 5"),
    "a negative board": (FeedPlants(-1), "no-such-board", "there is no board -1"),
    "true is no board": (FeedPlants(False), "no-such-board", "there is no board False"),
    "0.0 is no board": (FeedPlants(0.0), "no-such-board", "there is no board 0.0"),  # type: ignore[arg-type]
    "a full vegetarian": (FeedPlants(3), "not-hungry", "board 3 is full: all its 1 animals have eaten"),
    "a carnivore grazes": (FeedPlants(2), "not-a-vegetarian", "board 2 is a carnivore"),
    "no fat tissue": (StoreFat(0, 1), "no-fat-room", "board 0 has no fat tissue"),
    "no such store": (StoreFat(7, 1), "no-such-board", "there is no board 7"),
    "more than the room": (StoreFat(1, 3), "fat-room", "board 1 has room for 1 to 2, not 3"),
    "nothing to store": (StoreFat(1, 0), "fat-room", "board 1 has room for 1 to 2, not 0"),
    "less than nothing": (StoreFat(1, -1), "fat-room", "not -1"),
    "half a token": (StoreFat(1, 1.5), "fat-room", "not 1.5"),  # type: ignore[arg-type]
    "true is no token": (StoreFat(1, True), "fat-room", "not True"),
    "a vegetarian attacks": (AttackSpecies(0, B, 0), "not-a-carnivore", "board 0 is a vegetarian"),
    "a full carnivore attacks": (AttackSpecies(4, B, 0), "not-hungry", "board 4 is full"),
    "no such attacker": (AttackSpecies(9, B, 0), "no-such-board", "there is no board 9"),
    "no such target": (AttackSpecies(2, B, 2), "no-such-target", "seat 1 has no board 2"),
    "no such seat": (AttackSpecies(2, Seat(7), 0), "no-such-target", "seat 7 has no board 0"),
    "1.0 is no seat": (AttackSpecies(2, 1.0, 0), "no-such-target", "seat 1.0 has no board 0"),  # type: ignore[arg-type]
    "an own board": (AttackSpecies(2, A, 0), "own-board", "its own player's boards"),
    "itself": (AttackSpecies(2, A, 2), "own-board", "its own player's boards"),
    "a safe board": (AttackSpecies(2, B, 1), "protected-by-climbing", "climbing protects board 1 of seat 1"),
}


@pytest.mark.parametrize("name", WRONG)
def test_other_answers_are_violations(name: str) -> None:
    answer, rule, message = WRONG[name]
    state, rounds = _rounds(*ROWS)
    violations: list[Violation | None] = []
    assert changes(state, lambda: violations.append(violation_of(_asked(rounds), answer))) == {}
    (violation,) = violations
    assert violation is not None
    assert violation.rule == rule
    assert message in TEXT.violation(violation, PROGRAM)


def test_a_store_that_is_full_has_no_room() -> None:
    _, rounds = _rounds("0/1 b1 fat1 fat-tissue, 0/1", "0/1")
    assert violation_of(_asked(rounds), StoreFat(0, 1)) == NoFatRoom(0, has_fat_tissue=True)


def test_a_dead_neighbour_no_longer_warns() -> None:
    _, rounds = _rounds("0/2 carnivore, 0/3", "0/1 warning-call, 0/3")
    request = _asked(rounds)
    assert AttackSpecies(0, B, 1) not in request.options
    assert violation_of(request, AttackSpecies(0, B, 1)) == Protected(Spot(B, 1), Trait.WARNING_CALL)
    rounds.take(AttackSpecies(0, B, 0))
    assert AttackSpecies(0, B, 0) in _asked(rounds).options


# The queue.


def test_an_idle_player_keeps_its_place_until_an_attack_opens_a_possibility() -> None:
    """A's hunter cannot attack the herd of C until B's has thinned it out."""
    state, rounds = _rounds("0/2 carnivore hard-shell", "0/3 carnivore herding", "2/2 herding", hole=2)
    assert changes(state, lambda: rounds.next_request()) == {
        "A": "1/2 carnivore hard-shell",
        "B": "1/3 carnivore herding",
        "C": "",
        "hole": 0,
    }


def test_idle_players_leave_the_rounds_under_idle_players_leave() -> None:
    rows = ("0/2 carnivore hard-shell", "0/3 carnivore herding", "2/2 herding")
    state, rounds = _rounds(*rows, hole=2, idle_players="leave")
    assert changes(state, lambda: rounds.next_request()) == {"B": "2/3 carnivore herding", "C": "", "hole": 0}


def test_a_player_that_declines_is_not_asked_again_this_turn() -> None:
    state, rounds = _rounds("0/1, 0/1", "0/3, 0/3", hole=9)
    assert _asked(rounds).seat == A
    rounds.take(Pass())
    seats = []
    while request := rounds.next_request():
        seats.append(request.seat)
        rounds.take(request.options[0])
    assert set(seats) == {B}
    assert changes(state, lambda: rounds.next_request()) == {}
    assert [board.food for board in state.players[0].boards] == [0, 0]


def test_the_boards_of_a_player_that_declined_still_scavenge() -> None:
    state, rounds = _rounds("0/1 scavenger climbing, 0/1 climbing", "0/1 carnivore", "0/2", hole=9)
    _asked(rounds)
    rounds.take(Pass())
    assert changes(state, lambda: rounds.next_request()) == {
        "A": "1/1 scavenger climbing, 0/1 climbing",
        "B": "1/1 carnivore",
        "C": "1/1",
        "hole": 6,
    }


def test_declining_under_skip_counts_for_one_time_only() -> None:
    _, rounds = _rounds("0/1, 0/1", "0/1, 0/1", hole=9, false_reply="skip")
    assert _asked(rounds).seat == A
    rounds.take(Pass())
    assert _asked(rounds).seat == B
    rounds.take(FeedPlants(0))
    # A is asked again, because B fed in between; then both decline in direct succession.
    assert _asked(rounds).seat == A
    rounds.take(Pass())
    # B has one board left to feed, which the dealer does without asking.
    assert _asked(rounds).seat == A
    rounds.take(Pass())
    assert rounds.next_request() is None


def test_rounds_end_when_all_players_in_succession_skip_or_are_idle() -> None:
    state, rounds = _rounds("0/1, 0/1", "1/1", "0/1, 0/1", hole=9, false_reply="skip")
    for seat in (A, C):
        assert _asked(rounds).seat == seat
        rounds.take(Pass())
    assert rounds.next_request() is None
    assert state.hole == 9


def test_a_copy_of_the_rounds_remembers_skipped_players() -> None:
    state, rounds = _rounds("0/1, 0/1", "0/1, 0/1", hole=9, false_reply="skip")
    _asked(rounds)
    rounds.take(Pass())
    request = _asked(rounds)
    copy = rounds.copy(state.copy(emit=False))
    assert _asked(copy) == request
    copy.take(Pass())
    assert copy.next_request() is None
    assert _asked(rounds).seat == B


def test_declining_is_a_violation_under_cheat() -> None:
    _, rounds = _rounds("0/1, 0/1", "0/1", false_reply="cheat")
    violation = violation_of(_asked(rounds), Pass())
    assert violation is not None
    assert violation.rule == "no-declining"


# When feeding ends (6.4).
ENDS: dict[str, tuple[tuple[str, ...], int, dict[str, Any]]] = {
    "an empty hole: no attack takes place": (("0/2 carnivore", "0/2"), 0, {}),
    "the hole runs dry": (("0/2", "0/2"), 3, {"A": "2/2", "B": "1/2", "hole": 0}),
    "all species are full: food is left over": (("0/1", "0/1"), 5, {"A": "1/1", "B": "1/1", "hole": 3}),
    "a hungry carnivore without targets does not prolong it": (
        ("0/1 carnivore", "0/1 climbing"),
        5,
        {"B": "1/1 climbing", "hole": 4},
    ),
    "room for fat does": (("1/1 b2 fat-tissue", "1/1"), 5, {"A": "1/1 b2 fat2 fat-tissue", "hole": 3}),
    "no player has a board": (("", ""), 5, {}),
}


@pytest.mark.parametrize("name", ENDS)
def test_feeding_ends(name: str) -> None:
    rows, hole, expected = ENDS[name]
    state, rounds = _rounds(*rows, hole=hole)
    assert changes(state, lambda: rounds.next_request()) == expected
    assert rounds.are_over


def test_a_player_that_declined_does_not_keep_the_rounds_going() -> None:
    state, rounds = _rounds("0/1, 0/1", "1/1", hole=9)
    _asked(rounds)
    rounds.take(Pass())
    assert rounds.next_request() is None
    assert state.hole == 9


# Options of section 9.3.


@pytest.mark.parametrize(("fat_over_request", "rule"), [("cut", None), ("illegal", "fat-over-hole")])
def test_storing_more_than_the_hole_has_is_cut_or_illegal(fat_over_request: Any, rule: str | None) -> None:
    _, rounds = _rounds("0/1 b5 fat-tissue", "0/1", hole=3, fat_over_request=fat_over_request)
    violation = violation_of(_asked(rounds), StoreFat(0, 4))
    assert (violation and violation.rule) == rule
    assert violation_of(_asked(rounds), StoreFat(0, 3)) is None
    too_much = violation_of(_asked(rounds), StoreFat(0, 6))
    assert too_much == FatRoom(0, 5, 6)


def test_a_store_offers_at_most_a_legal_amount() -> None:
    _, rounds = _rounds("0/1 b5 fat-tissue", "0/1", hole=3)
    assert list(_asked(rounds).options) == [FeedPlants(0), StoreFat(0, 5)]
    _, rounds = _rounds("0/1 b5 fat-tissue", "0/1", hole=3, fat_over_request="illegal")
    assert list(_asked(rounds).options) == [FeedPlants(0), StoreFat(0, 3)]


def test_own_boards_other_than_the_attacker_may_be_attacked() -> None:
    _, rounds = _rounds("0/1 carnivore, 1/1, 1/1 climbing", "0/1", own_attacks=True)
    request = _asked(rounds)
    assert list(request.options) == [AttackSpecies(0, B, 0), AttackSpecies(0, A, 1)]
    itself = violation_of(request, AttackSpecies(0, A, 0))
    assert itself is not None
    assert itself.rule == "own-board"
    safe = violation_of(request, AttackSpecies(0, A, 2))
    assert safe is not None
    assert safe.rule == "protected-by-climbing"


def test_an_own_attack_is_never_carried_out_automatically() -> None:
    state, rounds = _rounds("0/1 carnivore, 1/1", "0/2 climbing", own_attacks=True)
    assert changes(state, lambda: _asked(rounds)) == {}
    assert list(_asked(rounds).options) == [AttackSpecies(0, A, 1)]
    assert changes(state, lambda: rounds.take(AttackSpecies(0, A, 1))) == {"A": "1/1 carnivore", "hole": 4}


def test_own_attacks_alone_do_not_keep_the_rounds_going() -> None:
    rows = ("0/1 carnivore climbing, 1/1 climbing", "1/1 burrowing", "0/1 b4 carnivore hard-shell, 1/1 hard-shell")
    state, rounds = _rounds(*rows, own_attacks=True)
    assert rounds.next_request() is None
    assert rounds.are_over
    assert state.hole == 5
    # As soon as another player has something else to feed, both are asked.
    _, rounds = _rounds(rows[0], "0/1 herding", rows[2], own_attacks=True)
    assert list(_asked(rounds).options) == [AttackSpecies(0, A, 1)]


def test_a_board_without_animals_can_be_neither_attacked_nor_fed_nor_stored_on() -> None:
    _, rounds = _rounds(
        "0/0, 0/0 b3 fat-tissue, 0/1 carnivore, 0/1", "0/0 b1, 0/0 warning-call, 0/1, 0/1", new_board_population=0
    )
    request = _asked(rounds)
    # It protects its neighbours as usual.
    assert list(request.options) == [FeedPlants(3), AttackSpecies(2, B, 3)]
    violation = violation_of(request, AttackSpecies(2, B, 0))
    assert violation == NoAnimals(Spot(B, 0))
