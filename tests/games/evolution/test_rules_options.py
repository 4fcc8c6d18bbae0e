"""Every option of section 9 has an observable effect, and the profiles match the rulebook."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec
import pytest

from tests.games.evolution.scenarios import A, B, feeding_game, hand, lay, show_cards, show_row, species
from wateringhole.errors import UsageError
from wateringhole.game import Forfeit, Seat, Violation, violation_of
from wateringhole.games.evolution import (
    CARDS,
    KIND,
    PROFILES,
    AttackSpecies,
    Dealer,
    Declaration,
    Draft,
    Growth,
    NewBoard,
    Pass,
    Replacement,
    Rules,
    StoreFat,
    deal,
)
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.games.evolution.rules.attacks import Attack, shield_against
from wateringhole.games.evolution.rules.feeding import FeedingRounds
from wateringhole.options import describe, parse_rules

DECK = show_cards(CARDS)
HAND = "climbing+0 climbing+1 herding-3 herding-2 herding-1 herding+0 herding+1 herding+2 herding+3 horns+0"


def _shield(attacker: str, defender: str, right: str | None = None) -> Callable[[Rules], object]:
    attack = Attack(species(attacker), species(defender), None, species(right) if right else None)
    return lambda rules: shield_against(attack, rules)


def _declared(declaration: Declaration, before: str = "0/1 horns ambush, 0/1") -> Callable[[Rules], object]:
    """Observe the row after a declaration, or the rule that it breaks."""

    def observe(rules: Rules) -> object:
        state = lay(before, "", hands={"A": HAND, "B": "warning-call+0"}, rules=rules)
        drafts = {}
        for player, choices in zip(state.players, (declaration, Declaration(0)), strict=True):
            draft = Draft.from_declaration(choices, player.hand, player.boards, rules)
            if isinstance(draft, Violation):
                return draft.rule
            drafts[player.seat] = draft
        state.reveal(drafts)
        return show_row(state.players[0].boards)

    return observe


def _scored(rules: Rules) -> object:
    outcome = feeding_game(lay("3/3 horns", "", rules=rules)).outcome
    return outcome and outcome.ranking[0].score


def _tied(rules: Rules) -> object:
    outcome = feeding_game(lay("1/1", "1/1", "1/1", rules=rules)).outcome
    return outcome and "".join("ABC"[standing.seat] for standing in outcome.ranking)


def _dealt_short(rules: Rules) -> object:
    return feeding_game(lay("1/1", "", "1/1", deck=show_cards(CARDS[:11]), rules=rules)).outcome is None


def _declined(rules: Rules) -> object:
    """Return the seats that are asked after A has declined, while B feeds, or the rule that A has broken."""
    rounds = FeedingRounds(lay("0/1, 0/1", "0/2, 0/2, 0/2", hole=9, rules=rules), 1)
    request = rounds.next_request()
    assert request is not None
    violation = violation_of(request, Pass())
    if violation:
        return violation.rule
    rounds.take(Pass())
    asked = []
    for _ in range(2):
        request = rounds.next_request()
        assert request is not None
        asked.append(request.seat)
        rounds.take(request.options[0])
    return asked


def _fed(*rows: str, hole: int) -> Callable[[Rules], object]:
    """Observe the rows after feeding rounds in which no player is asked."""

    def observe(rules: Rules) -> object:
        state = lay(*rows, hole=hole, rules=rules)
        request = FeedingRounds(state, 1).next_request()
        return "asked" if request else [show_row(player.boards) for player in state.players]

    return observe


def _full_after_horns(rules: Rules) -> object:
    state = lay("2/3 carnivore", "1/4 horns", "0/2 scavenger", hole=5, rules=rules)
    state.attack(state.players[0], 0, state.players[1], 0)
    return show_row(state.players[2].boards)


def _food(rules: Rules) -> object:
    state = lay("", "", "", hole=1, hands={"A": "horns-3", "B": "horns+2", "C": "horns-1"}, rules=rules)
    drafts = {player.seat: Draft.from_declaration(Declaration(0), player.hand, (), rules) for player in state.players}
    state.reveal(drafts)  # type: ignore[arg-type]
    return state.hole


def _drawn(rules: Rules) -> object:
    state = lay("", hands={"A": "horns+1"}, deck="ambush+1", rules=rules)
    state.draw(state.players[0], 1, "turn")
    return show_cards(state.players[0].hand)


def _given(rules: Rules) -> object:
    return show_row(Dealer(deal(3, rules, 1)).state.players[0].boards)


def _seated(rules: Rules) -> object:
    return deal(5, rules, 8).order


def _own_targets(rules: Rules) -> object:
    state = lay("0/1 carnivore, 1/1", "0/1, 0/1", hole=5, rules=rules)
    request = FeedingRounds(state, 1).next_request()
    assert request is not None
    return AttackSpecies(0, A, 1) in request.options


def _first_question(rules: Rules) -> object:
    dealer = feeding_game(lay("1/1, 1/1", "1/1, 1/1", deck=DECK, rules=rules))
    return dealer.requests[B].name


def _compensated(rules: Rules) -> object:
    state = lay("0/1 carnivore", "0/1", hole=5, deck="horns+1 horns+2", rules=rules)
    state.attack(state.players[0], 0, state.players[1], 0)
    return show_cards(state.players[1].hand)


def _overstored(rules: Rules) -> object:
    request = FeedingRounds(lay("0/1 b5 fat-tissue", "0/1", hole=3, rules=rules), 1).next_request()
    assert request is not None
    violation = violation_of(request, StoreFat(0, 4))
    return violation and violation.rule


def _spent(rules: Rules) -> object:
    """Return the sizes of the pile, the hand and the deck after two cards have been spent and drawn."""
    state = lay("", deck="horns+1", rules=rules)
    state.spend(hand("ambush+1 ambush+2"))
    state.draw(state.players[0], 2, "turn")
    return len(state.pile), len(state.players[0].hand), state.deck_size


def _left_alone(rules: Rules) -> object:
    """Return how many of three players can leave before the game stops."""
    dealer = Dealer(deal(3, rules, 1))
    leaving = 0
    while not dealer.outcome:
        dealer.advance({Seat(leaving): Forfeit("left", "")})
        leaving += 1
    return leaving


def _turns_played(rules: Rules) -> object:
    dealer = Dealer(deal(3, rules, 1, "ascending"))
    while not dealer.outcome:
        dealer.advance({seat: request.ask(Silly()) for seat, request in dealer.requests.items()})
    return dealer.turn


def _silly(*rows: str, hole: int) -> Callable[[Rules], object]:
    def observe(rules: Rules) -> object:
        state = lay(*rows, hole=hole, rules=rules)
        request = FeedingRounds(state, 1).next_request()
        assert request is not None
        return Silly().feed_next(request)

    return observe


FIVE = tuple(range(5))
BOUGHT = "0/1 horns ambush, 0/1"
"""A row to which boards are added."""

# option: a function that observes its effect, the observation under each value.
OPTIONS: dict[str, tuple[Callable[[Rules], object], dict[Any, object]]] = {
    "symbiosis": (_shield("0/1 carnivore", "0/1 symbiosis", "0/1 b1"), {True: "symbiosis", False: None}),
    "hard_shell_gap": (
        _shield("0/1 b5 carnivore", "0/1 b1 hard-shell"),
        {4: None, 5: "hard-shell", 0: None, 9: "hard-shell"},
    ),
    "hard_shell_arms_attacker": (
        _shield("0/1 carnivore hard-shell", "0/1 hard-shell"),
        {False: "hard-shell", True: None},
    ),
    "herding_counts_pack": (_shield("0/1 b3 carnivore pack-hunting", "0/2 herding"), {False: "herding", True: None}),
    "new_board_body_limit": (
        _declared(Declaration(0, body=tuple(Growth(2, card) for card in range(2, 9)), new_boards=(NewBoard(1),))),
        {7: f"{BOUGHT}, 0/1 b7", 6: "body-limit", 0: "body-limit"},
    ),
    "final_traits_distinct": (
        _declared(Declaration(9, replacements=(Replacement(0, 0, 0), Replacement(0, 1, 1)))),
        {True: "equal-traits", False: "0/1 climbing climbing, 0/1"},
    ),
    "scoring": (_scored, {"population": 7, "boards": 5}),
    "game_end_counts_free_board": (_dealt_short, {True: False, False: True}),
    "false_reply": (_declined, {"forfeit": [B, B], "cheat": "no-declining", "skip": [B, A]}),
    "silly_target_tie": (
        _silly("0/2 carnivore", "0/1, 0/1", "0/1", hole=5),
        {"first": AttackSpecies(0, B, 0), "last": AttackSpecies(0, B, 1)},
    ),
    "silly_caps_fat_request": (
        _silly("0/1 b5 fat-tissue", "0/1", hole=3),
        {True: StoreFat(0, 3), False: StoreFat(0, 5)},
    ),
    "tie_listing": (_tied, {"early-first": "BCA", "late-first": "ACB"}),
    "hand_order": (_drawn, {"front": "ambush+1 horns+1", "back": "horns+1 ambush+1"}),
    "food_clamp": (_food, {"per-card": 1, "total": 0}),
    "idle_players": (
        _fed("0/2 carnivore hard-shell", "0/3 carnivore herding", "2/2 herding", hole=2),
        {
            "stay": ["1/2 carnivore hard-shell", "1/3 carnivore herding", ""],
            "leave": ["0/2 carnivore hard-shell", "2/3 carnivore herding", ""],
        },
    ),
    "horns_full_attacker_scavengers": (_full_after_horns, {True: "1/2 scavenger", False: "0/2 scavenger"}),
    "auto_feed": (_fed("0/1", "1/1", hole=2), {True: ["1/1", "1/1"], False: "asked"}),
    "new_board_population": (_given, {1: "0/1", 0: "0/0"}),
    "fat_on_replace": (
        _declared(Declaration(9, replacements=(Replacement(0, 0, 0),)), "0/1 b2 fat2 fat-tissue"),
        {"keep": "0/1 b2 fat2 climbing", "discard": "0/1 b2 climbing"},
    ),
    "seating": (
        _seated,
        {"given": FIVE, "random_starter": (1, 2, 3, 4, 0), "shuffled": (3, 2, 4, 0, 1), "reversed": FIVE[::-1]},
    ),
    "own_attacks": (_own_targets, {False: False, True: True}),
    "reorder_boards": (_first_question, {False: "declare", True: "arrange"}),
    "traits_on_existing_boards": (
        _declared(Declaration(9, replacements=(Replacement(1, 0, 0),))),
        {"replace_only": "no-such-slot", "fill": "0/1 horns ambush, 0/1 climbing"},
    ),
    "most_traits_laid": (
        _declared(Declaration(9, new_boards=(NewBoard(8, (0,)),), replacements=(Replacement(0, 0, 1),))),
        {
            None: "0/1 climbing ambush, 0/1, 0/1 climbing",
            2: "0/1 climbing ambush, 0/1, 0/1 climbing",
            1: "most-traits-laid",
            0: "most-traits-laid",
        },
    ),
    "new_board_side": (
        _declared(Declaration(9, new_boards=(NewBoard(8, (0,)),))),
        {"right": f"{BOUGHT}, 0/1 climbing", "left": f"0/1 climbing, {BOUGHT}", "choice": f"{BOUGHT}, 0/1 climbing"},
    ),
    "compensation": (_compensated, {"at_once": "horns+1 horns+2", "end_of_turn": ""}),
    "fat_over_request": (_overstored, {"cut": None, "illegal": "fat-over-hole"}),
    "spent_cards": (_spent, {"gone": (0, 1, 0), "pile": (2, 1, 0), "reshuffled": (0, 2, 1)}),
    "minimum_to_continue": (_left_alone, {1: 3, 2: 2, 3: 1}),
    "most_turns": (_turns_played, {1: 1, 2: 2, 1000: 6}),
}

ELSEWHERE = {
    "choose_lists_self": "only the course's protocol lists rows before and after the asked player",
    "announce_result": "only the course's protocol has no message at the end of the game",
}
"""Options without an effect on the game itself, and the reason."""


@pytest.mark.parametrize(
    ("name", "value"),
    [(name, value) for name, (_, values) in OPTIONS.items() for value in values],
    ids=lambda part: str(part),
)
def test_an_option_has_its_effect(name: str, value: Any) -> None:
    observe, values = OPTIONS[name]
    assert observe(msgspec.structs.replace(Rules(), **{name: value})) == values[value]


@pytest.mark.parametrize("name", OPTIONS)
def test_the_values_of_an_option_differ(name: str) -> None:
    seen = list(OPTIONS[name][1].values())
    listed = _listed_values(name)
    if listed is None:
        assert any(observation != seen[0] for observation in seen)
    elif name == "new_board_side":
        # `right` and `choice` allow different sides, see below.
        assert seen[0] != seen[1]
    else:
        assert set(OPTIONS[name][1]) == listed
        assert all(seen.count(observation) == 1 for observation in seen)


def test_a_choice_of_sides_allows_both_sides() -> None:
    left = _declared(Declaration(9, new_boards=(NewBoard(8, (0,), "left"),)))
    seen = {side: left(msgspec.structs.replace(Rules(), new_board_side=side)) for side in ("right", "left", "choice")}
    joined = f"0/1 climbing, {BOUGHT}"
    assert seen == {"right": "new-board-side", "left": joined, "choice": joined}


def test_every_option_is_observed() -> None:
    assert set(OPTIONS) | set(ELSEWHERE) == set(Rules.__struct_fields__) - {"custom_traits"}


def _listed_values(name: str) -> set[Any] | None:
    """Return all values of an option, or None if it has no list of them."""
    bare = get_args(get_type_hints(Rules, include_extras=True)[name])[0]
    if get_origin(bare) is Literal:
        return set(get_args(bare))
    return {True, False} if bare is bool else None


# The profiles.  Sections 9.1 to 9.4, option by option.

COURSE: dict[str, Any] = {
    "symbiosis": True,
    "hard_shell_gap": 4,
    "hard_shell_arms_attacker": False,
    "herding_counts_pack": False,
    "new_board_body_limit": 7,
    "final_traits_distinct": True,
    "scoring": "population",
    "game_end_counts_free_board": True,
    "false_reply": "forfeit",
    "choose_lists_self": False,
    "silly_target_tie": "first",
    "silly_caps_fat_request": True,
    "tie_listing": "early-first",
    "hand_order": "front",
    "food_clamp": "per-card",
    "idle_players": "stay",
    "horns_full_attacker_scavengers": True,
    "auto_feed": True,
    "new_board_population": 1,
    "fat_on_replace": "keep",
    "seating": "given",
    "own_attacks": False,
    "reorder_boards": False,
    "traits_on_existing_boards": "replace_only",
    "most_traits_laid": None,
    "new_board_side": "right",
    "compensation": "at_once",
    "fat_over_request": "cut",
    "spent_cards": "gone",
    "announce_result": False,
    "minimum_to_continue": 1,
    "most_turns": 1000,
}
REFERENCE = {
    "symbiosis": False,
    "hard_shell_gap": 5,
    "hard_shell_arms_attacker": True,
    "herding_counts_pack": True,
    "new_board_body_limit": 6,
    "final_traits_distinct": False,
    "scoring": "boards",
    "game_end_counts_free_board": False,
    "false_reply": "cheat",
    "choose_lists_self": True,
    "silly_target_tie": "last",
    "silly_caps_fat_request": False,
    "tie_listing": "late-first",
}
FRAMEWORK = {
    "new_board_population": 0,
    "new_board_side": "choice",
    "traits_on_existing_boards": "fill",
    "most_traits_laid": 3,
    "reorder_boards": True,
    "spent_cards": "pile",
    "seating": "shuffled",
    "announce_result": True,
}


@pytest.mark.parametrize(
    ("profile", "options"), [("course", COURSE), ("reference", COURSE | REFERENCE), ("framework", COURSE | FRAMEWORK)]
)
def test_profiles_match_the_rulebook(profile: str, options: dict[str, Any]) -> None:
    assert msgspec.to_builtins(PROFILES[profile]) == options


def test_there_are_three_profiles_and_the_first_is_the_default() -> None:
    assert list(PROFILES) == ["course", "reference", "framework"]
    assert PROFILES["course"] == Rules()


# Parsing.


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], Rules()),
        (["reference"], PROFILES["reference"]),
        (["false_reply=skip"], Rules(false_reply="skip")),
        (["course", "most_traits_laid=2", "most_traits_laid=none"], Rules()),
        (["framework", "seating=given"], msgspec.structs.replace(PROFILES["framework"], seating="given")),
        (["symbiosis=false", "reference", "course"], Rules()),
    ],
    ids=["nothing", "profile", "option", "the last word counts", "profile and option", "a profile sets everything"],
)
def test_rules_are_chosen_by_profile_and_options(words: list[str], expected: Rules) -> None:
    assert parse_rules(words, KIND.profiles) == expected


BAD_WORDS = {
    "house": "Choose from: course, reference, framework",
    "simbiosis=true": (
        "rules option 'simbiosis' does not exist. Did you mean symbiosis? Choose from: symbiosis, hard_shell_gap,"
    ),
    "symbiosis=yes": "the values of symbiosis are true, false",
    "false_reply=ignore": "the values of false_reply are forfeit, cheat, skip",
    "new_board_population=2": "the values of new_board_population are 1, 0",
    "new_board_body_limit=8": "the values of new_board_body_limit are 0 to 7",
    "minimum_to_continue=0": "the values of minimum_to_continue are 1 to 3",
    "most_traits_laid=many": "the values of most_traits_laid are none or a number",
    "most_traits_laid=-1": "the values of most_traits_laid are none or a number",
    "hard_shell_gap=4.5": "hard_shell_gap=4.5: the values of hard_shell_gap are",
    "seating=": "the values of seating are given, random_starter, shuffled, reversed",
}


@pytest.mark.parametrize("word", BAD_WORDS)
def test_a_bad_name_or_value_names_the_valid_ones(word: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_rules([word], KIND.profiles)
    assert BAD_WORDS[word] in str(caught.value)


def test_the_deal_sets_custom_traits_and_no_user_can_type_them() -> None:
    assert "custom_traits" not in [option.name for option in describe(KIND.profiles)]
    with pytest.raises(UsageError, match="rules option 'custom_traits' does not exist"):
        parse_rules(["custom_traits=thorns"], KIND.profiles)


@pytest.mark.parametrize("name", [name for name in Rules.__struct_fields__ if name != "custom_traits"])
def test_every_value_of_a_profile_can_be_typed(name: str) -> None:
    (option,) = (option for option in describe(KIND.profiles) if option.name == name)
    assert option.text
    assert option.values
    for profile, value in option.profiles.items():
        assert getattr(parse_rules([f"{name}={value}"], KIND.profiles), name) == getattr(PROFILES[profile], name)
