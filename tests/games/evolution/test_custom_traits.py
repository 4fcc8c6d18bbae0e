"""Traits that users add: their hooks, their limits, their file, and games and records with them."""

from __future__ import annotations

import io
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

import wateringhole as wh
from tests.games.evolution.builders import rules
from tests.games.evolution.random_games import random_answer
from tests.games.evolution.scenarios import changes, lay
from tests.games.evolution.trait_files import EXAMPLE, arbitrary_traits, write_traits
from wateringhole.errors import OperationError, UsageError
from wateringhole.game import Seat, violation_of
from wateringhole.games.evolution import CARDS, KIND, PROFILES, AttackSpecies, Dealer, FeedNext, Trait, deal
from wateringhole.games.evolution.page.scene import PAGE
from wateringhole.games.evolution.rules import codec
from wateringhole.games.evolution.rules.cards import full_deck
from wateringhole.games.evolution.rules.feeding import FeedingRounds
from wateringhole.games.evolution.rules.folded_view import FoldedView
from wateringhole.games.evolution.rules.hooks import Hooks
from wateringhole.games.evolution.rules.preview import preview
from wateringhole.games.evolution.rules.state import GameState
from wateringhole.games.evolution.rules.traits import TraitType, declared_traits
from wateringhole.games.evolution.rules.violations import Prevented, Protected, Spot
from wateringhole.games.evolution.terminal_drawing import describe_traits
from wateringhole.games.evolution.traits import load_traits


def _hooks(tmp_path: Path, **bodies: tuple[str, str]) -> Hooks:
    return load_traits(write_traits(tmp_path / "traits.py", **bodies))


def _lay(hooks: Hooks, *rows: str, **given: Any) -> GameState:
    """Return a state with these rows, under rules that declare the traits."""
    with declared_traits(each.name for each in hooks.custom.traits):
        state = lay(*rows, rules=rules(custom_traits=hooks.custom, **given.pop("options", {})), **given)
    state.hooks = hooks
    return state


# What hooks cause.  The trait is called odd; A attacks B, or A's first board eats.


def _attack(state: GameState) -> None:
    state.attack(state.players[0], 0, state.players[1], 0)


def _eat(state: GameState) -> None:
    state.feed(state.players[0], 0, "plants")


def _reveal(state: GameState) -> None:
    """React to food that lies at the watering hole already."""
    state._react_to_food()


Case = tuple[Callable[[GameState], None], str, tuple[str, ...], dict[str, Any]]

ATTACKED: dict[str, Case] = {
    "the attacker is altered, then the attack takes its toll": (
        _attack,
        "return attacker.replace(body=2), attacked, owner",
        ("0/2 carnivore", "0/3 odd"),
        {"A": "1/2 b2 carnivore", "B": "0/2 odd", "hole": 9},
    ),
    "the attacked species is altered before it loses an animal": (
        _attack,
        "return attacker, attacked.replace(population=5), owner",
        ("0/2 carnivore", "0/3 odd"),
        {"A": "1/2 carnivore", "B": "0/4 odd", "hole": 9},
    ),
    "an owner that takes no part in the attack is altered": (
        _attack,
        "return attacker, attacked, owner.replace(food=owner.food + 1)",
        ("0/2 carnivore", "0/3", "0/3 odd, 1/3 odd"),
        {"A": "1/2 carnivore", "B": "0/2", "C": "1/3 odd, 2/3 odd", "hole": 9},
    ),
    "an owner that is the attacker is altered once": (
        _attack,
        "return attacker.replace(food=0), attacked, owner",
        ("1/3 carnivore odd", "0/3"),
        {"B": "0/2", "hole": 9},
    ),
    "a killed attacker does not eat, but its attack counts": (
        _attack,
        "return attacker.replace(population=0), attacked, owner",
        ("0/1 carnivore", "0/3 odd"),
        {"A": "", "A hand": "horns+1 horns+2", "B": "0/2 odd", "deck": ""},
    ),
    "a killed target loses no further animal, and the attacker eats": (
        _attack,
        "return attacker, attacked.replace(population=-4), owner",
        ("0/2 carnivore", "0/3 odd, 0/1"),
        {"A": "1/2 carnivore", "B": "0/1", "B hand": "horns+1 horns+2", "deck": "", "hole": 9},
    ),
    "a killed neighbour moves the attacked board to the left": (
        lambda state: state.attack(state.players[0], 1, state.players[1], 1),
        "return attacker, attacked, owner.replace(population=0)",
        ("0/1 odd, 0/2 carnivore", "0/1 odd, 0/3"),
        {"A": "1/2 carnivore", "A hand": "horns+1 horns+2", "B": "0/2", "deck": "", "hole": 9},
    ),
    "numbers stop at the limits of a board": (
        _attack,
        "return attacker, attacked, owner.replace(population=99, body=99, food=99, fat=99)",
        ("0/2 carnivore", "0/3", "1/2 odd, 1/2 odd fat-tissue"),
        {"A": "1/2 carnivore", "B": "0/2", "C": "7/7 b7 odd, 7/7 b7 fat7 odd fat-tissue", "hole": 9},
    ),
    "a smaller body and population lose what they cannot hold": (
        _attack,
        "return attacker, attacked, owner.replace(population=1, body=-1)",
        ("0/2 carnivore", "0/3", "2/2 b3 fat3 odd fat-tissue"),
        {"A": "1/2 carnivore", "B": "0/2", "C": "1/1 odd fat-tissue", "hole": 9},
    ),
    "neighbors are distinguished": (
        _attack,
        "return attacker, attacked.replace(body=1) if owner.left_neighbor is attacked else attacked, owner",
        ("0/2 carnivore odd", "0/3, 0/1 odd, 0/1 odd"),
        {"A": "1/2 carnivore odd", "B": "0/2 b1, 0/1 odd, 0/1 odd", "hole": 9},
    ),
}

EATEN: dict[str, Case] = {
    "the watering hole changes after a meal": (_eat, "return quantity + 2", ("0/2 odd",), {"A": "1/2 odd", "hole": 11}),
    "each owner acts, no matter which species eats": (
        _eat,
        "return quantity - (eater is not owner)",
        ("0/2, 0/1 odd", "0/1 odd"),
        {"A": "1/2, 0/1 odd", "hole": 7},
    ),
    "the watering hole is never negative": (_eat, "return -5", ("0/2 odd",), {"A": "1/2 odd", "hole": 0}),
    "a carnivore's meal is not one of a vegetarian": (
        _attack,
        "return 0",
        ("0/2 carnivore odd", "0/3"),
        {"A": "1/2 carnivore odd", "B": "0/2", "hole": 9},
    ),
    "cooperation feeds with what a hook leaves": (
        _eat,
        "return 0",
        ("0/2 cooperation odd, 0/1",),
        {"A": "1/2 cooperation odd, 0/1", "hole": 0},
    ),
}

REVEALED: dict[str, Case] = {
    "the watering hole and the owner change": (
        _reveal,
        "return quantity + 3, owner.replace(population=owner.population + 1)",
        ("0/2 odd", "0/1"),
        {"A": "0/3 odd", "hole": 13},
    ),
    "it acts after the built-in traits, player by player": (
        _reveal,
        "return quantity - 4, owner.replace(food=quantity)",
        ("0/7 odd long-neck", "0/7 odd"),
        {"A": "7/7 odd long-neck", "B": "5/7 odd", "hole": 1},
    ),
    "a species without animals does not act": (_reveal, "return 0, owner", ("0/0 odd",), {}),
    "a killed owner is removed": (
        _reveal,
        "return quantity, owner.replace(population=0)",
        ("0/2 odd, 0/3",),
        {"A": "0/3", "A hand": "horns+1 horns+2", "deck": ""},
    ),
}


@pytest.mark.parametrize(
    ("base", "case"),
    [
        pytest.param(base, case, id=name)
        for base, cases in (("WasAttacked", ATTACKED), ("FoodEaten", EATEN), ("FoodRevealed", REVEALED))
        for name, case in cases.items()
    ],
)
def test_a_hook_changes_the_table_within_the_rules(base: str, case: Case, tmp_path: Path) -> None:
    act, body, rows, expected = case
    state = _lay(_hooks(tmp_path, odd=(base, body)), *rows, hole=10, deck="horns+1 horns+2")
    assert changes(state, lambda: act(state)) == expected


PREVENTED = {
    "every attack on the owner": ("return attacked is not owner", ("0/1 carnivore", "0/1 odd, 0/1"), [(1, 1)]),
    "attacks that another trait of the owner allows": (
        "return attacked is not owner",
        ("0/1 carnivore", "0/1 burrowing odd, 0/1"),
        [(1, 1)],
    ),
    "attacks on neighbours": (
        "return attacked is not owner.right_neighbor",
        ("0/1 carnivore", "0/1 odd, 0/1, 0/1"),
        [(1, 0), (1, 2)],
    ),
    "attacks between others": (
        "return attacked.body < 3",
        ("0/1 carnivore", "0/1 b3, 0/1 b2", "0/1 odd"),
        [(1, 1), (2, 0)],
    ),
    "attacks of the owner": ("return attacker is not owner", ("0/1 carnivore odd", "0/1"), []),
    "nothing, if the owner has no animals": ("return False", ("0/1 carnivore", "0/1, 0/0 odd"), [(1, 0)]),
}


@pytest.mark.parametrize("name", PREVENTED)
def test_prevent_attack_can_make_impossible(name: str, tmp_path: Path) -> None:
    body, rows, targets = PREVENTED[name]
    state = _lay(_hooks(tmp_path, odd=("PreventsAttack", body)), *rows, hole=9, options={"auto_feed": False})
    request = FeedingRounds(state, 1).step()
    attacks = [option for option in request.options if isinstance(option, AttackSpecies)] if request else []
    assert [(attack.seat, attack.target) for attack in attacks] == targets


def test_an_attack_that_a_custom_trait_prevents_is_illegal_with_its_name(tmp_path: Path) -> None:
    hooks = _hooks(tmp_path, odd=("PreventsAttack", "return attacked is not owner"))
    state = _lay(hooks, "0/1 carnivore", "0/1 odd, 0/1", hole=9, options={"auto_feed": False})
    request = FeedingRounds(state, 1).next_request()
    assert request is not None
    forbidden = AttackSpecies(0, Seat(1), 0)
    protected = violation_of(request, forbidden)
    assert protected == Protected(Spot(Seat(1), 0), Trait.custom("odd"))
    assert wh.explain("evolution", protected) == "odd protects board 0 of seat 1"
    # A player in another process gets the options, but not the code.
    elsewhere = codec.request_from_json(codec.request_to_json(request))
    assert violation_of(elsewhere, forbidden) == Prevented(Spot(Seat(1), 0))
    assert violation_of(elsewhere, AttackSpecies(0, Seat(1), 1)) is None


def test_a_preview_in_the_referees_process_shows_what_a_hook_does(tmp_path: Path) -> None:
    hooks = _hooks(tmp_path, odd=("FoodEaten", "return quantity + 5"))
    state = _lay(hooks, "0/1 odd, 0/1", "0/1", hole=9)
    request = FeedingRounds(state, 1).next_request()
    assert request is not None
    caused = preview(request.view, request.options[0], request.hooks)
    assert [type(event).__name__ for event in caused] == ["SpeciesFed", "WateringHoleChanged"]
    offered = PAGE.offers(PAGE.scenes(["A", "B"], Seat(0)), ["A", "B"], request)
    assert offered["options"][0]["effect"] == "takes 1 token; odd acts"


# Hooks that fail.

BAD_HOOKS = {
    "an exception": (
        "FoodEaten",
        "return 1 // 0",
        _eat,
        "line 7: food_eaten of the trait 'odd' failed: Zero",
    ),
    "a changed species": (
        "WasAttacked",
        "attacker.food = 0",
        _attack,
        "a species cannot be changed: return",
    ),
    "no number": (
        "FoodEaten",
        "return 'many'",
        _eat,
        "food_eaten of the trait 'odd' returned 'many'; it must",
    ),
    "a truth value for a number": ("FoodEaten", "return True", _eat, "returned True"),
    "far too much food": ("FoodEaten", "return 10**400", _eat, "returned 1000"),
    "nothing": (
        "WasAttacked",
        "pass",
        _attack,
        "of the trait 'odd' returned None; it must return three species",
    ),
    "species in another order": ("WasAttacked", "return attacked, attacker, owner", _attack, "in the same order"),
    "half an animal": (
        "WasAttacked",
        "return attacker.replace(body=0.5), attacked, owner",
        _attack,
        "the body of a species",
    ),
    "two versions of a species": (
        "WasAttacked",
        "return attacker, attacked.replace(body=1), owner.replace(body=2)",
        _attack,
        "the same numbers wherever it returns one species twice",
    ),
    "only a number": ("FoodRevealed", "return quantity", _reveal, "must return a number and a species"),
}


@pytest.mark.parametrize("name", BAD_HOOKS)
def test_a_hook_that_fails_stops_the_game_with_its_name(name: str, tmp_path: Path) -> None:
    base, body, act, message = BAD_HOOKS[name]
    state = _lay(
        _hooks(tmp_path, odd=(base, body)), "0/2 carnivore" if act is _attack else "0/2 odd", "0/2 odd", hole=9
    )
    with pytest.raises(OperationError) as stopped:
        act(state)
    assert str(tmp_path / "traits.py") in str(stopped.value)
    assert message in str(stopped.value)


def test_prevent_attack_must_return_a_truth_value(tmp_path: Path) -> None:
    state = _lay(_hooks(tmp_path, odd=("PreventsAttack", "return 0")), "0/2 carnivore", "0/2 odd", hole=9)
    with pytest.raises(OperationError, match="prevent_attack of the trait 'odd' returned 0; it must return True"):
        FeedingRounds(state, 1).next_request()


def test_feeding_rounds_that_a_trait_keeps_going_stop_the_game(tmp_path: Path) -> None:
    body = "return attacker.replace(food=0), attacked.replace(population=7), owner"
    state = _lay(_hooks(tmp_path, odd=("WasAttacked", body)), "0/2 carnivore", "7/7 odd", hole=10**6)
    with pytest.raises(OperationError, match="turn 1 does not end: there were 10000 feedings"):
        FeedingRounds(state, 1).next_request()


# Files.

BAD_FILES = {
    "import nonsense_of_course": (OperationError, "line 1: ModuleNotFoundError: No module named 'nonsense_of_course'"),
    "class A(": (OperationError, "SyntaxError"),
    "x = 1": (UsageError, "has no traits. A trait is a class that derives from PreventsAttack, WasAttacked"),
    "class A(NoReaction):\n    text = 'x'": (
        UsageError,
        "class A is not a trait: trait_id = None; expected a name",
    ),
    "class A(NoReaction):\n    trait_id = 'A b'\n    text = 'x'": (UsageError, "expected a name of lower-case letters"),
    "class A(NoReaction):\n    trait_id = 'horns'\n    text = 'x'": (UsageError, "'horns' is a built-in trait"),
    "class A(NoReaction):\n    trait_id = 'a'": (UsageError, "text = None; expected a text"),
    "class A(NoReaction):\n    trait_id = 'a'\n    text = 'x\\ny'": (UsageError, "expected a text"),
    "class A(NoReaction):\n    trait_id = 'a'\n    text = 'x'\n    food_points = 9": (
        UsageError,
        "food_points = 9; expected",
    ),
    "class A(NoReaction):\n    trait_id = 'a'\n    text = 'x'\n    food_points = [1, 1]": (
        UsageError,
        "different whole",
    ),
    "class A(NoReaction):\n    trait_id = 'a'\n    text = 'x'\n    food_points = [4]": (UsageError, "from -3 to 3"),
    "class A(NoReaction):\n    trait_id = 'a'\n    text = 'x'\nclass B(A): pass": (UsageError, "also that of another"),
    "class A(FoodEaten):\n    trait_id = 'a'\n    text = 'x'": (
        UsageError,
        "it must define food_eaten(self, eater, quantity, owner)",
    ),
    "class A(NoReaction):\n    def food_eaten(self, eater, quantity, owner): pass": (
        UsageError,
        "it defines food_eaten, which is never called for NoReaction",
    ),
    "class A(NoReaction):\n    trait_id = '3d'\n    text = 'x'": (UsageError, "hyphens, a letter first"),
    "class A(NoReaction):\n    trait_id = 'a\\n'\n    text = 'x'": (UsageError, "trait_id = 'a\\n'; expected a name"),
    "class A(NoReaction):\n    trait_id = 'a'\n    text = 'x\\n'": (UsageError, "text = 'x\\n'; expected a text"),
    "class A(NoReaction):\n    trait_id = 'a'\n    text = '\\ud800'": (UsageError, "expected a text for the players"),
    "class A(NoReaction):\n    trait_id = 'a'\n    text = 'x'\n    def __init__(self): raise SystemExit(3)": (
        UsageError,
        "A() raises SystemExit: 3",
    ),
    "class A(FoodEaten, WasAttacked): pass": (UsageError, "it derives from WasAttacked and FoodEaten; choose one"),
}


@pytest.mark.parametrize("text", BAD_FILES)
def test_a_file_without_usable_traits_is_refused(text: str, tmp_path: Path) -> None:
    error, message = BAD_FILES[text]
    file = tmp_path / "bad.py"
    imported = "from wateringhole.games.evolution.traits import *;" if "(" in text and error is UsageError else ""
    file.write_text(f"{imported}\n{text}" if imported else text)
    with pytest.raises(error) as refused:
        load_traits(file)
    assert message in str(refused.value)
    assert str(file) in str(refused.value)


@pytest.mark.parametrize("path", ["", "my\0traits.py", "my\ud800traits.py"])
def test_a_text_that_is_not_a_path_is_refused_as_a_trait_file(path: str) -> None:
    with pytest.raises(UsageError) as refused:
        wh.play("evolution", ["silly", "greedy", "random"], seed=3, traits=path)
    assert str(refused.value) == f"the trait file {path!r} is not a path: expected that of a Python file."


def test_the_folder_of_a_trait_file_is_not_searched_for_modules(tmp_path: Path) -> None:
    (tmp_path / "trait_helpers.py").touch()
    file = tmp_path / "traits.py"
    file.write_text("import trait_helpers\n")
    with pytest.raises(OperationError) as refused:
        load_traits(file)
    assert str(refused.value) == f"{file}, line 1: ModuleNotFoundError: No module named 'trait_helpers'."


def test_a_class_with_a_leading_underscore_is_help_for_others(tmp_path: Path) -> None:
    file = tmp_path / "traits.py"
    file.write_text(
        "from wateringhole.games.evolution.traits import NoReaction\n"
        "class _Odd(NoReaction):\n    text = 'Odd.'\n"
        "class Odd(_Odd):\n    trait_id = 'odd'\n"
    )
    assert [each.name for each in load_traits(file).custom.traits] == ["odd"]


def test_a_class_cannot_rename_its_hook(tmp_path: Path) -> None:
    file = tmp_path / "traits.py"
    file.write_text(
        "from wateringhole.games.evolution.traits import FoodEaten\n"
        "class Odd(FoodEaten):\n    trait_id = 'odd'\n    text = 'Odd.'\n    hook = 'eaten'\n"
        "    def food_eaten(self, eater, quantity, owner): return quantity + 5\n"
    )
    state = _lay(load_traits(file), "0/2 odd", "0/2", hole=9)
    _eat(state)
    assert state.hole == 13


def test_food_points_may_be_any_iterable(tmp_path: Path) -> None:
    file = tmp_path / "traits.py"
    file.write_text(
        "from wateringhole.games.evolution.traits import NoReaction\n"
        "class Odd(NoReaction):\n    trait_id = 'odd'\n    text = 'Odd.'\n    food_points = (n for n in (2, 1))\n"
    )
    assert load_traits(file).custom.traits[0].points == (2, 1)


def test_a_second_name_of_a_class_is_not_a_second_trait(tmp_path: Path) -> None:
    file = tmp_path / "traits.py"
    file.write_text(
        "from wateringhole.games.evolution.traits import NoReaction\n"
        "class Odd(NoReaction):\n    trait_id = 'odd'\n    text = 'Odd.'\nStrange = Odd\n"
    )
    assert [each.name for each in load_traits(file).custom.traits] == ["odd"]


# Deals.


def test_the_deal_shuffles_the_cards_of_custom_traits_into_the_deck() -> None:
    hooks = load_traits(EXAMPLE)
    setup = deal(3, PROFILES["course"], 7, traits=hooks)
    extra = [(card.name, card.points) for card in sorted(setup.deck)[len(CARDS) :]]
    assert extra == [(each.name, points) for each in hooks.custom.traits for points in sorted(each.points)]
    assert sorted(setup.deck)[: len(CARDS)] == list(CARDS)
    assert deal(3, PROFILES["course"], 7, traits=load_traits(EXAMPLE)) == setup
    assert deal(3, PROFILES["course"], 7, "ascending", traits=hooks).deck == full_deck(hooks.custom)


def test_a_game_without_custom_traits_has_none_in_its_rules() -> None:
    setup = deal(3, PROFILES["course"], 7)
    assert len(setup.deck) == 122
    assert "custom_traits" not in codec.setup_to_json(setup)["rules"]


def test_a_name_of_a_custom_trait_is_read_only_with_the_rules_that_declare_it() -> None:
    board = [["food", 0], ["body", 0], ["population", 1], ["traits", ["thorns"]]]
    assert Trait.custom("thorns") not in list(Trait)
    with pytest.raises(ValueError, match="no trait"):
        codec.species_from_json(board)
    with declared_traits(["thorns"]):
        assert codec.species_from_json(board).traits == (Trait.custom("thorns"),)


def test_setups_and_views_with_custom_traits_survive_json() -> None:
    setup = deal(3, PROFILES["framework"], 7, traits=load_traits(EXAMPLE))
    assert codec.setup_from_json(codec.setup_to_json(setup)) == setup
    assert msgspec.json.decode(codec.setup_to_text(setup)) == codec.setup_to_json(setup)
    dealer = Dealer(setup)
    for seat, request in dealer.requests.items():
        assert codec.request_from_json(codec.request_to_json(request)) == request
        assert codec.view_from_json(codec.view_to_json(dealer.view(seat))) == dealer.view(seat)


def test_a_game_is_refused_without_the_code_of_its_traits() -> None:
    setup = deal(3, PROFILES["course"], 7, traits=load_traits(EXAMPLE))
    read = codec.setup_from_json(codec.setup_to_json(setup))
    with pytest.raises(OperationError, match=r"custom traits, and their file, with the digest sha256:.*--traits FILE"):
        Dealer(read)


# Whole games.

TYPES = {"oda": TraitType.PREVENTS_ATTACK, "odb": TraitType.WAS_ATTACKED, "odc": TraitType.FOOD_REVEALED}
TYPES |= {"odd": TraitType.FOOD_EATEN, "ode": TraitType.NO_REACTION}


@given(
    st.integers(0, 2**32),
    st.sampled_from(sorted(PROFILES)),
    st.lists(st.integers(-9, 9), min_size=1),
    st.integers(3, 5),
)
def test_arbitrary_hooks_keep_the_invariants_of_every_game(
    seed: int, profile: str, numbers: list[int], size: int
) -> None:
    rng = random.Random(seed)
    under = msgspec.structs.replace(PROFILES[profile], spent_cards="pile")
    hooks = arbitrary_traits(TYPES, numbers)
    # Many custom cards at the front, so that a short game has them, too.
    deck = sorted(full_deck(hooks.custom), key=lambda card: rng.random() - (card.name in TYPES) / 2)
    setup = deal(rng.randint(3, 5), under, seed, deck, hooks)
    dealer = Dealer(setup)
    folds = {seat: FoldedView(seat) for seat in (*setup.order, None)}
    pending = list(dealer.opening)
    for _ in range(60):
        for event in pending:
            for seat, fold in folds.items():
                if seen := event.seen_by(seat):
                    fold.see(seen)
        for seat, fold in folds.items():
            assert fold.view() == dealer.view(seat)
        state = dealer.state
        held = [
            card for player in state.players for card in (*player.hand, *(c for b in player.boards for c in b.cards))
        ]
        assert sorted([*held, *state.pile, *state.deck[len(state.deck) - state.deck_size :]]) == sorted(setup.deck)
        assert state.hole >= 0
        for player in state.players:
            for board in player.boards:
                assert 0 <= board.food <= board.population <= 7
                assert 0 <= board.fat <= board.body <= 7
                assert board.population or under.new_board_population == 0
        if dealer.outcome:
            break
        ((asked, request),) = dealer.requests.items()
        if isinstance(request, FeedNext):
            assert [violation_of(request, option) for option in request.options] == [None] * len(request.options)
        pending = list(dealer.advance({asked: random_answer(request, rng)}))


def test_builtin_players_play_with_custom_traits(tmp_path: Path) -> None:
    played = wh.play("evolution", ["silly", "greedy", "random"], games=5, seed=3, traits=EXAMPLE)
    assert [game.outcome.thrown_out for game in played] == [()] * 5
    assert "hooks" not in played[0].record_bytes.decode()  # type: ignore[union-attr]
    assert wh.replay(played[0].record).header.setup["rules"]["custom_traits"]["traits"][1]["name"] == "thorns"
    narration = "\n".join(game.record.narrate() for game in played)
    assert "Rain dance: " in narration
    assert [
        game.outcome for game in wh.play("evolution", ["silly", "greedy", "random"], games=5, seed=3, traits=EXAMPLE)
    ] == [game.outcome for game in played]


def test_a_recorded_game_needs_the_same_trait_file(tmp_path: Path) -> None:
    played = wh.play("evolution", ["silly", "greedy", "random"], seed=3, traits=EXAMPLE)
    record, other = played.record_bytes, tmp_path / "other.py"
    assert record is not None
    other.write_bytes(EXAMPLE.read_bytes() + b"\n")
    digest, other_digest = load_traits(EXAMPLE).custom.digest, load_traits(other).custom.digest
    assert wh.replay(record, traits=EXAMPLE).narrate()
    with pytest.raises(OperationError, match=f"with the digest {digest}, was not given"):
        wh.replay(record)
    with pytest.raises(OperationError, match=f"its digest is {digest}, and that of .*other.py is {other_digest}"):
        wh.replay(record, traits=other)
    plain = wh.play("evolution", ["silly", "greedy", "random"], seed=3).record_bytes
    assert plain is not None
    with pytest.raises(OperationError, match="the game was played without traits of a file; omit"):
        wh.replay(plain, traits=EXAMPLE)


def test_the_page_gets_the_texts_of_custom_traits() -> None:
    under = msgspec.structs.replace(PROFILES["course"], custom_traits=load_traits(EXAMPLE).custom)
    texts = PAGE.texts(under)["traits"]
    assert texts["rain-dance"] == {
        "name": "Rain dance",
        "text": "When the food is revealed, it adds one token to the watering hole.",
        "family": "growth",
    }
    assert set(texts) - set(PAGE.texts(PROFILES["course"])["traits"]) == {
        "camouflage",
        "thorns",
        "rain-dance",
        "seeds",
        "plumage",
    }


def test_the_terminal_shows_names_and_texts_of_custom_traits() -> None:
    under = msgspec.structs.replace(PROFILES["course"], custom_traits=load_traits(EXAMPLE).custom)
    console = Console(file=io.StringIO(), width=100)
    console.print(describe_traits([Trait.HORNS, Trait.custom("rain-dance")], under))
    shown = console.file.getvalue()  # type: ignore[attr-defined]
    assert "★ rain dance When the food is revealed, it adds one token to the watering hole." in shown


def test_the_terminal_shows_brackets_in_texts_of_custom_traits(tmp_path: Path) -> None:
    file = tmp_path / "traits.py"
    file.write_text(
        "from wateringhole.games.evolution.traits import NoReaction\n"
        "class Odd(NoReaction):\n    trait_id = 'odd'\n    text = 'It is [red]odd[/bold].'\n"
    )
    under = msgspec.structs.replace(PROFILES["course"], custom_traits=load_traits(file).custom)
    console = Console(file=io.StringIO(), width=100)
    console.print(describe_traits([Trait.custom("odd")], under))
    assert "It is [red]odd[/bold]." in console.file.getvalue()  # type: ignore[attr-defined]


def test_the_simulator_refuses_custom_traits() -> None:
    under = msgspec.structs.replace(PROFILES["course"], custom_traits=load_traits(EXAMPLE).custom)
    pytest.importorskip("numba", reason="the simulator needs the extra sim")
    with pytest.raises(UsageError, match="games with custom_traits cannot be simulated: the code of their file"):
        wh.simulate("evolution", ["silly"] * 3, games=1, rules=under)
    dealer = Dealer(deal(3, PROFILES["course"], 7, traits=load_traits(EXAMPLE)))
    from wateringhole.games.evolution import sample_state

    with pytest.raises(UsageError, match="games with custom_traits cannot be simulated"):
        sample_state(dealer.view(Seat(0)), random.Random(1))


def test_another_game_has_no_trait_files() -> None:
    with pytest.raises(UsageError, match="porrinha has no deal option 'traits'"):
        wh.play("porrinha", ["random", "zero"], traits=EXAMPLE)
    assert [option.name for option in KIND.deal_options] == ["deck", "traits"]
