"""The human player in a terminal, driven by scripted input."""

from __future__ import annotations

import io
import itertools
import random
from collections.abc import Callable, Iterable, Iterator

import pytest
from hypothesis import given
from rich.console import Console

from tests.games.evolution.builders import COURSE, board, cards, player, rules
from tests.games.evolution.random_games import MOST_ADVANCES, RandomGame, games, random_answer
from tests.terminal.typists import Reader, interrupted, types
from wateringhole.game import Event, Forfeit, Notice, ReportedViolation, Seat, violation_of
from wateringhole.games.evolution import (
    PROFILES,
    ArrangeBoards,
    AttackSpecies,
    BoardOrder,
    Dealer,
    Declaration,
    DeclareCards,
    FeedNext,
    FeedPlants,
    GiveFood,
    GrowBody,
    Growth,
    NewBoard,
    Pass,
    Replacement,
    Rules,
    SpeciesBoard,
    StoreFat,
    deal,
)
from wateringhole.games.evolution.rules.feeding import FeedingRounds
from wateringhole.games.evolution.rules.state import GameState
from wateringhole.games.evolution.rules.violations import CardUsedTwice, HandCard
from wateringhole.games.evolution.terminal import Human
from wateringhole.games.evolution.terminal_drawing import describe_view
from wateringhole.player import PlayerLeft, SeatAssignment

ME = Seat(0)
ASSIGNMENT = SeatAssignment(ME, ("Ada", "Bea", "[red]Cyd[/red]", "Dan", "Eva", "Fay", "Gil", "Hal"), COURSE)
HAND = cards((3, "horns"), (-2, "ambush"), (0, "climbing"), (1, "horns"))


class ScriptedHuman:
    """A human player with scripted input and captured output."""

    def __init__(self, read: Reader, width: int = 200) -> None:
        self.output = io.StringIO()
        self.player = Human(console=Console(file=self.output, width=width), read=read)
        self.player.on_seated(ASSIGNMENT)

    @property
    def screen(self) -> str:
        return self.output.getvalue()


def plain_input() -> Reader:
    """Return input that gives a card, buys a species and takes the first feeding."""
    steps = itertools.cycle(["f 1", "n 2", "d"])

    def read(prompt: str) -> str:
        if prompt.startswith("What do you do"):
            return next(steps)
        return "" if prompt.startswith("Their order") else "1"

    return read


def seat_and_play(dealer: Dealer, human: Human, others: Callable[[object], object]) -> None:
    """Play a whole game with a human on the first seat."""

    def deliver(events: Iterable[Event]) -> None:
        for event in events:
            if isinstance(event, Notice):
                if event.seat == ME:
                    human.on_notice(event)
            elif seen := event.seen_by(ME):
                human.on_event(seen)

    human.on_seated(ASSIGNMENT)
    deliver(dealer.opening)
    for _ in range(MOST_ADVANCES):
        if dealer.outcome:
            return
        ((seat, request),) = dealer.requests.items()
        answer: object
        if seat == ME:
            try:
                answer = human.answer(request)
            except PlayerLeft as left:
                answer = Forfeit("left", str(left))
            else:
                assert violation_of(request, answer) is None
        else:
            answer = others(request)
        deliver(dealer.advance({seat: answer}))  # type: ignore[dict-item]


@pytest.mark.parametrize("profile", PROFILES)
def test_a_human_plays_a_whole_game(profile: str) -> None:
    human = ScriptedHuman(plain_input())
    dealer = Dealer(deal(3, PROFILES[profile], 5))
    rng = random.Random(5)
    seat_and_play(dealer, human.player, lambda request: random_answer(request, rng))  # type: ignore[arg-type]
    assert dealer.outcome is not None
    assert not dealer.outcome.thrown_out
    for text in ("Turn 1", "Your food card is worth", "[red]Cyd[/red] buys", f"after {dealer.turn} turns", "(you)"):
        assert text in human.screen


@given(games())
def test_answers_are_legal_for_any_input(game: RandomGame) -> None:
    rng = game.rng
    typed = 0

    def hits_keys(prompt: str) -> str:
        nonlocal typed
        typed += 1
        if typed > 120:
            raise KeyboardInterrupt
        return " ".join(rng.choice([*map(str, range(9)), *"fntrpbzdy?", "d", "[/]"]) for _ in range(rng.randint(0, 4)))

    seat_and_play(Dealer(game.setup), ScriptedHuman(hits_keys).player, lambda request: random_answer(request, rng))  # type: ignore[arg-type]


# Choosing cards

ROW = [board(population=7), board("climbing", "fertile", body=7)]


def declare(*lines: str, rules: Rules = COURSE) -> tuple[object, str]:
    human = ScriptedHuman(types(*lines))
    state = GameState(rules, [player(0, *ROW, hand=HAND), player(1), player(2)])
    return human.player.answer(DeclareCards(state.view(ME, 1))), human.screen


DECLARATIONS: dict[str, tuple[tuple[str, ...], Declaration]] = {
    "food alone": (("f", "3", "d"), Declaration(2)),
    "all on one line": (("f 3 d",), Declaration(2)),
    "numbers for letters": (("1 3 8",), Declaration(2)),
    "a new species": (("f 1 n 2 t 3 3 p 4 3 d",), Declaration(0, (Growth(2, 3),), (), (NewBoard(1, (2,)),))),
    "a replacement": (("f 1", "r 2 3", "d"), Declaration(0, replacements=(Replacement(1, 1, 1),))),
    "growth": (("f 1 p 2 2 b 3 1 d",), Declaration(0, (Growth(1, 1),), (Growth(0, 2),))),
    "undone": (("f 1 z f 2 d",), Declaration(1)),
    "back from a prompt": (("f", "0", "n", "2", "z", "p 1", "0", "f 4 d"), Declaration(3)),
}


@pytest.mark.parametrize(("lines", "declaration"), DECLARATIONS.values(), ids=DECLARATIONS)
def test_a_declaration_is_typed_step_by_step(lines: tuple[str, ...], declaration: Declaration) -> None:
    assert declare(*lines)[0] == declaration


BLOCKED: dict[str, tuple[str, str]] = {
    "no food card": ("d", "no card is given to the watering hole"),
    "two food cards": ("f 1 f", "Horns +3 and Ambush −2 are both given as food"),
    "a card twice": ("f 1 n 1", "Horns +3 is used twice: as food and to buy a species"),
    "a trait on an old species": ("t", "Horns +3 cannot be laid on species 1: species that were there before"),
    "a population of seven": ("p 1 1", "the population of species 1 would grow beyond 7"),
    "a body of seven": ("b 1 2", "the body of species 2 would grow beyond 7"),
    "no trait to replace": ("r 1 1", "species 1 has no slot 1: it has 0 traits"),
    "the same trait twice": ("r 3 3", "species 2 has climbing already, in slot 1"),
    "nothing to undo": ("z", "there is nothing to undo"),
    "no cards left": ("f 1 n 2 n 3 n 4 p", "all your cards are used"),
    "no such number": ("99", "'99' is not a number from 1 to 8 or one of the letters f n t r p b z d"),
    "no word at all": ("[bold]", "'[bold]' is not a number"),
}


@pytest.mark.parametrize(("line", "why"), BLOCKED.values(), ids=BLOCKED)
def test_blocked_choices_are_explained(line: str, why: str) -> None:
    # Return to the menu from any prompt, undo everything, then declare something legal.
    _, screen = declare(line, *["0"] * 2, *["z"] * 4, "f 1", "d")
    assert f"Not possible: {why}" in screen


def test_human_chooses_the_side_of_a_new_species_under_choice() -> None:
    answer, _ = declare("f 1 n 2 2 n 3 1 d", rules=rules(new_board_side="choice"))
    assert answer == Declaration(0, new_boards=(NewBoard(1, (), "left"), NewBoard(2, (), "right")))


def test_a_question_mark_explains_the_traits_in_play() -> None:
    _, screen = declare("?", "f 1 d")
    assert "When it is attacked, the attacker loses one animal." in screen
    assert "scavenger" not in screen


def test_trait_explanations_follow_the_rules_of_the_game() -> None:
    human = ScriptedHuman(types("?", "f 1 d"))
    shelled = player(1, board("hard-shell"))
    state = GameState(rules(hard_shell_gap=5), [player(0, *ROW, hand=HAND), shelled, player(2)])
    human.player.answer(DeclareCards(state.view(ME, 1)))
    assert "at least 5 more than its body" in human.screen


# Feeding

HUNTER = board("carnivore", population=3, body=3)
FAT = board("fat-tissue", body=3, food=1)
OTHERS = [board("hard-shell", population=2), board("horns", population=2)]


def feed(
    *lines: str, row: Iterable[SpeciesBoard] = (HUNTER, FAT, board()), rules: Rules = COURSE, hole: int = 2
) -> tuple[object, str]:
    human = ScriptedHuman(types(*lines))
    state = GameState(rules, [player(0, *row), player(1, *OTHERS), player(2)], hole)
    request = FeedingRounds(state, 1).step()
    assert isinstance(request, FeedNext)
    answer = human.player.answer(request)
    assert violation_of(request, answer) is None
    return answer, human.screen


def test_a_feeding_is_chosen_by_number() -> None:
    assert feed("1")[0] == FeedPlants(2)
    assert feed("2", "3")[0] == StoreFat(1, 3)
    assert feed("3")[0] == AttackSpecies(0, Seat(1), 1)


def test_menu_shows_the_effect_of_a_feeding() -> None:
    _, screen = feed("1")
    assert "species 3 eats: takes 1 token" in screen
    assert "species 2 stores up to 3 tokens: 2 in store" in screen
    assert (
        "species 1 attacks Bea's species 2 (body 0, horns): "
        "it keeps 1 animal; its horns leave yours 2 animals; yours eats 1"
    ) in screen


def test_menu_shows_the_other_species_that_would_eat() -> None:
    scavenger = board("scavenger", "foraging", "cooperation", population=2)
    _, screen = feed("1", row=(HUNTER, scavenger, board()), hole=9)
    assert "yours eats 1; cooperation feeds 1; scavengers eat 2, 2 of them yours" in screen


def test_a_protected_target_is_shown_with_the_trait_that_protects_it() -> None:
    _, screen = feed("4", "1")
    assert "Bea's species 1 is safe from species 1: hard shell" in screen
    assert "Not possible: hard shell protects Bea's species 1. It can be attacked only if" in screen


def test_a_full_species_is_reported_as_full() -> None:
    _, screen = feed("5", "1")
    assert "Not possible: species 2 is full: all its 1 animals have eaten." in screen


def test_declining_for_the_whole_turn_needs_confirmation() -> None:
    assert feed("d", "n", "1")[0] == FeedPlants(2)
    assert feed("d y")[0] == Pass()
    assert feed("d", rules=rules(false_reply="skip"))[0] == Pass()


def test_declining_is_blocked_under_cheat() -> None:
    answer, screen = feed("d", "1", rules=rules(false_reply="cheat"))
    assert answer == FeedPlants(2)
    assert "Not possible: declining is cheating" in screen


def test_human_cannot_store_more_fat_than_the_rules_allow() -> None:
    answer, screen = feed("2", "3", "x", "2", rules=rules(fat_over_request="illegal"))
    assert answer == StoreFat(1, 2)
    assert "Not possible: '3' is not a number from 1 to 2." in screen


def test_surplus_input_does_not_answer_the_next_request() -> None:
    human = ScriptedHuman(types("f 1 d d y", "1"))
    state = GameState(COURSE, [player(0, HUNTER, board(), hand=HAND), player(1, *OTHERS), player(2)], 2)
    human.player.answer(DeclareCards(state.view(ME, 1)))
    request = FeedingRounds(state, 1).step()
    assert request is not None
    assert human.player.answer(request) == FeedPlants(1)


# Arranging


@pytest.mark.parametrize(
    ("lines", "order"),
    [(("",), (0, 1)), (("2 1",), (1, 0)), (("2", "1 1", "a b", "0 1", "2 1 x", "1 2"), (0, 1))],
)
def test_boards_are_arranged_by_naming_each_once(lines: tuple[str, ...], order: tuple[int, ...]) -> None:
    human = ScriptedHuman(types(*lines))
    state = GameState(PROFILES["framework"], [player(0, *ROW, hand=HAND), player(1), player(2)])
    assert human.player.answer(ArrangeBoards(state.view(ME, 1))) == BoardOrder(order)
    assert human.screen.count("Not possible: enter each of the numbers 1 to 2 once.") == len(lines) - 1


# Leaving


@pytest.mark.parametrize("read", [types(), interrupted], ids=["end of input", "Ctrl-C"])
def test_leaving_forfeits_and_prints_goodbye(read: Reader) -> None:
    human = ScriptedHuman(read)
    dealer = Dealer(deal(3, COURSE, 5))
    rng = random.Random(5)
    seat_and_play(dealer, human.player, lambda request: random_answer(request, rng))  # type: ignore[arg-type]
    assert dealer.outcome is not None
    assert [(out.seat, out.forfeit.reason) for out in dealer.outcome.thrown_out] == [(ME, "left")]
    # The narration stops for a player that has left.
    assert human.screen.rstrip().endswith("You leave the table. Goodbye.")


def test_a_human_can_leave_one_game_and_play_the_next() -> None:
    readers: Iterator[Reader] = iter([interrupted])
    continuing = plain_input()
    human = ScriptedHuman(lambda prompt: next(readers, continuing)(prompt))
    rng = random.Random(5)
    for _ in range(2):
        dealer = Dealer(deal(3, COURSE, 5))
        seat_and_play(dealer, human.player, lambda request: random_answer(request, rng))  # type: ignore[arg-type]
    assert dealer.outcome is not None
    assert not dealer.outcome.thrown_out
    assert "The game is over" in human.screen.partition("Goodbye.")[2]


def test_a_game_that_ends_before_it_starts_is_narrated() -> None:
    human = ScriptedHuman(types())
    seat_and_play(Dealer(deal(3, COURSE, 5, HAND)), human.player, lambda request: None)
    assert "The game is over after 0 turns: the deck is too small for another turn." in human.screen


def test_a_reported_violation_is_printed_without_markup() -> None:
    human = ScriptedHuman(types())
    human.player.on_violation(ReportedViolation("house-rule", "card 3 is [red]lucky[/red]"))
    assert "Not possible: card 3 is [red]lucky[/red]." in human.screen


def test_violations_and_the_time_limit_are_printed() -> None:
    human = ScriptedHuman(types("f 1 d"))
    human.player.on_violation(CardUsedTwice(HandCard(3, HAND[3]), GiveFood(3), GrowBody(0, 3)))
    state = GameState(COURSE, [player(0, *ROW, hand=HAND), player(1), player(2)])
    human.player.answer(DeclareCards(state.view(ME, 1)), 30)
    assert "Not possible: Horns +1 is used twice: as food and to grow the body of species 1." in human.screen
    assert "The referee waits 30 seconds for your answer." in human.screen


# Drawings


def drawn(state: GameState, seat: Seat | None, width: int = 80, encoding: str = "utf-8") -> str:
    page = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    Console(file=page, width=width).print(describe_view(state.view(seat, 3), ASSIGNMENT.names))
    page.seek(0)
    return page.read()


FULL_STATE = GameState(
    COURSE,
    [
        player(
            seat,
            board("fat-tissue", "pack-hunting", "warning-call", population=7, body=7, food=3, fat=4),
            board("hard-shell", "cooperation", population=2, food=1),
            board(),
            board("long-neck"),
            hand=HAND,
            bag=60 + seat,
        )
        for seat in range(8)
    ],
    hole=45,
)


@pytest.mark.parametrize("width", [60, 80, 120, 200])
def test_a_full_view_fits_the_terminal(width: int) -> None:
    page = drawn(FULL_STATE, ME, width)
    assert max(map(len, page.splitlines())) <= width
    for shown in ("Turn 3", "45", "[red]Cyd[/red]", "You, Ada: 60 tokens in your bag", "●●●○○○○", "fat tissue 4/7"):
        assert shown in page


def test_only_the_players_hand_and_bag_are_drawn() -> None:
    page = drawn(FULL_STATE, ME)
    assert page.count("ambush -2") == 1
    assert not any(str(bag) in page for bag in range(61, 68))
    assert "ambush" not in drawn(FULL_STATE, None)
    assert "your bag" not in drawn(FULL_STATE, None)


def test_an_ascii_terminal_gets_ascii_characters() -> None:
    page = drawn(FULL_STATE, ME, encoding="ascii")
    assert page.isascii()
    assert "@@@oooo" in page


def test_a_human_without_a_card_forfeits_with_a_message() -> None:
    human = ScriptedHuman(types())
    request = DeclareCards(
        GameState(COURSE, [player(0, board()), player(1, board()), player(2, board())]).view(Seat(0), 1)
    )
    with pytest.raises(PlayerLeft, match="had no card"):
        human.player.answer(request)
    assert "You were dealt no card" in human.screen
