"""A human player of Porrinha, driven by scripts."""

from __future__ import annotations

import io
import random
from collections.abc import Iterator, Sequence
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.console import Console

from tests.games.porrinha.builders import only
from tests.games.porrinha.strategies import rules as any_rules
from tests.terminal.typists import Reader, interrupted, types
from wateringhole.game import Event, Seat
from wateringhole.games.porrinha import KIND, PROFILES, AnswerRepaired, GuessSaid, PorrinhaOutcome, Rules, deal
from wateringhole.games.porrinha.bots.player import Player
from wateringhole.games.porrinha.bots.random import Random
from wateringhole.games.porrinha.terminal import Human
from wateringhole.match.loops import play
from wateringhole.match.match import Match
from wateringhole.player import InProcess, SeatAssignment

ME = Seat(0)
NAMES = ("Ada", "[red]Bia", "Caio\\")


class Typist:
    """A human player with a scripted keyboard and a captured screen."""

    def __init__(self, read: Reader, width: int = 100, encoding: str = "utf-8") -> None:
        self.page = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
        self.player = Human(console=Console(file=self.page, width=width), read=read)

    @property
    def screen(self) -> str:
        self.page.flush()
        raw = self.page.buffer
        assert isinstance(raw, io.BytesIO)
        return raw.getvalue().decode(self.page.encoding)


class Steady(Player):
    """A player with the same hand and guess in every round."""

    def __init__(self, hand: int, guess: int) -> None:
        self._hand, self._guess = hand, guess

    def hand(self) -> int:
        return self._hand

    def guess(self) -> int:
        return self._guess


class Fails(Steady):
    def guess(self) -> int:
        raise RuntimeError("[no idea]")


BIA, CAIO = Steady(1, 4), Steady(2, 3)


def play_game(
    typist: Typist, *others: InProcess, rules: Rules = PROFILES["seed"], names: Sequence[str] = NAMES
) -> tuple[PorrinhaOutcome, list[Event]]:
    """Play a game with a human in the first seat.  Return its outcome and events."""
    players = [typist.player, *others]
    events: list[Event] = []
    match = Match(
        KIND,
        deal(len(players), rules),
        names[: len(players)],
        observers=[events.append],
        event_seats=[ME],
    )
    play(match, players)
    assert isinstance(match.outcome, PorrinhaOutcome)
    return match.outcome, events


def rounds(*lines: str, others: Sequence[InProcess] = (BIA, CAIO), **options: Any) -> tuple[str, list[int]]:
    """Play rounds (one by default).  Return the screen and all guesses of the human."""
    typist = Typist(types(*lines))
    _, events = play_game(typist, *others, rules=Rules(**({"max_rounds": 1} | options)))
    assert not [fault for fault in only(events, AnswerRepaired) if fault.seat == ME]
    return typist.screen, [event.guess for event in only(events, GuessSaid) if event.seat == ME]


# A round


def test_a_round_is_shown_from_the_table_to_the_open_hands() -> None:
    screen, _ = rounds("2", "5")
    assert [line.rstrip() for line in screen.splitlines()] == [
        "",
        "You are Ada, seat 1 of 3. ? explains and shows the table, Ctrl-C leaves.",
        "",
        "───────────────────────────── Round 1: 9 sticks on the table, you lead ─────────────────────────────",
        "   You       ┃┃┃  3",
        "   [red]Bia  ┃┃┃  3",
        "   Caio\\     ┃┃┃  3",
        "",
        "You hide ┃┃ 2, the others own 6: the sum is 2 to 8.",
        "  You say 5.",
        "  [red]Bia says 4.",
        "  Caio\\ says 3.",
        "",
        "Hands are open:",
        "   You       ┃┃  2  said 5, right",
        "   [red]Bia  ┃   1  said 4",
        "   Caio\\     ┃┃  2  said 3",
        "The sum is 5. You drop a stick, 2 left.",
        "",
        "The game is stopped and nobody loses, after 1 round.",
    ]


def test_prompts_contain_the_range() -> None:
    asked = []

    def read(prompt: str) -> str:
        asked.append(prompt)
        return "2"

    play_game(Typist(read), BIA, CAIO, rules=Rules(max_rounds=1, sticks=(2, 3, 3)))
    assert asked == ["How many of your sticks do you hide, 0 to 2 > ", "How many are in all hands together, 0 to 8 > "]


def test_the_lead_is_named_and_listed_first() -> None:
    second = rounds("3", "9", "0", "8", max_rounds=2)[0].partition("Round 2")[2]
    assert "9 sticks on the table, [red]Bia leads" in second
    assert second.index("   [red]Bia  ┃┃┃") < second.index("   Caio\\     ┃┃┃") < second.index("   You       ┃┃┃")


def test_taken_guesses_are_listed_with_their_players() -> None:
    screen, guesses = rounds("3", "9", "0", "4", "3", "8", max_rounds=2)
    assert guesses == [9, 8]
    assert "Taken: 4 by [red]Bia, 3 by Caio\\." in screen
    assert "Not possible: 4 was said by [red]Bia.\n  Not possible: 3 was said by Caio\\.\n" in screen


REFUSALS: dict[str, tuple[tuple[str, ...], str]] = {
    "a hand too large": (("4", "2", "5"), "you own 3 sticks"),
    "a negative hand": (("-1", "2", "5"), "a hand is at least 0"),
    "no number": (("two", "2", "5"), "'two' is not a whole number"),
    "markup": (("[/]", "2", "5"), "'[/]' is not a whole number"),
    "more digits than Python reads": (("1" * 5000, "2", "5"), f"'{'1' * 20}' is not a whole number"),
    "half a stick": (("2.5", "2", "5"), "'2.5' is not a whole number"),
    "a guess too high": (("2", "10", "5"), "there are 9 sticks on the table"),
    "a negative guess": (("2", "-3", "5"), "a sum is at least 0"),
}


@pytest.mark.parametrize(("lines", "why"), REFUSALS.values(), ids=REFUSALS)
def test_a_mistake_is_explained_and_asked_again(lines: tuple[str, ...], why: str) -> None:
    screen, guesses = rounds(*lines)
    assert f"  Not possible: {why}.\n" in screen
    assert "You hide ┃┃ 2" in screen
    assert guesses == [5]


def test_hand_and_guess_can_be_typed_ahead_for_one_round() -> None:
    screen, guesses = rounds("2 5 1 1", "0 8", max_rounds=2)
    assert guesses == [5, 8]
    assert "You hide 0, the others own 6: the sum is 0 to 6." in screen


def test_a_guess_typed_ahead_that_is_taken_is_asked_again() -> None:
    _, guesses = rounds("3 9", "1 4 7", "8", max_rounds=2)
    assert guesses == [9, 8]


def test_a_forbidden_empty_hand_is_refused() -> None:
    screen, _ = rounds("0", "1", "5", opening_zero="forbidden")
    assert "An empty hand is not allowed in the first round." in screen
    assert "Not possible: an empty hand is not allowed in the first round." in screen
    assert "You hide ┃ 1" in screen


def test_a_request_with_one_answer_is_not_asked() -> None:
    screen, guesses = rounds("5", opening_zero="forbidden", sticks=(1, 3, 3))
    assert "So you hide your only stick." in screen
    assert guesses == [5]


def test_a_void_guess_and_a_failed_player_are_shown() -> None:
    screen, _ = rounds("0", "0", "1", "1", others=(Steady(1, 99), Fails(0, 0)), max_rounds=2)
    assert "  [red]Bia says nothing that counts.\n" in screen
    assert "[red]Bia  ┃  1  said nothing that counts" in screen
    assert "Caio\\ (seat 3) failed (exception: RuntimeError in " in screen
    assert "[no idea]) and is removed from the game." in " ".join(screen.split())
    assert "Caio\\          0  out" in screen.partition("Round 2")[2]


@pytest.mark.parametrize(
    ("sticks", "text"),
    [(1, "The sum is 3. You drop a stick and are safe."), (2, "The sum is 3. You drop a stick, 1 left.")],
)
def test_a_right_guess_shows_the_sticks_left(sticks: int, text: str) -> None:
    assert text in rounds("0 3", sticks=(sticks, 3, 3))[0]


def test_a_safe_player_sees_the_rest_of_the_game() -> None:
    typist = Typist(types("1 1"))
    outcome, _ = play_game(typist, Steady(0, 2), Steady(0, 0), rules=Rules(sticks=(1, 1, 2)))
    assert [standing.seat for standing in outcome.ranking] == [0, 2, 1]
    rest = typist.screen.partition("are safe.")[2]
    assert rest.count("Hands are open:") == 2
    assert "Caio\\ drops a stick, 1 left." in rest
    assert "Caio\\ drops a stick and is safe." in rest
    assert "[red]Bia (seat 2) loses, with 1 stick left" in rest


# Help


def test_a_question_mark_explains_and_shows_the_table_with_guesses() -> None:
    screen, _ = rounds("3 9", "1", "?", "8", max_rounds=2)
    help = screen.partition("Every player hides some sticks")[2].partition("You say 8")[0]
    assert "the last one holding any loses" in " ".join(help.split())
    assert "[red]Bia  ┃┃┃  3  says 4\n" in help
    assert "You       ┃┃┃  3" in help


def test_the_help_explains_the_finish_option() -> None:
    screen, _ = rounds("?", "0", "0", finish="first_out_wins")
    assert "The first player without sticks wins." in " ".join(screen.split())


# Hidden information


def test_the_screen_before_settling_is_independent_of_other_hands() -> None:
    def screens(*hands: int) -> list[str]:
        """Return the screen at each prompt.  In round 2 both others have guessed before the human."""
        seen: list[str] = []
        keys = iter(["0", "9", "?", "0", "?", "8"])

        def read(prompt: str) -> str:
            seen.append(typist.screen.rpartition("Round")[2] + prompt)
            return next(keys)

        typist = Typist(read)
        # Only the hands of the second round differ, because those of the first are open.
        others = [Changing(hand, guess) for hand, guess in zip(hands, (4, 3), strict=True)]
        play_game(typist, *others, rules=Rules(max_rounds=2, last_winner="live"))
        return seen

    class Changing(Steady):
        def hand(self) -> int:
            return 0 if self.core.view.round == 1 else self._hand

    assert screens(1, 2) == screens(3, 0) == screens(2, 2)


@given(any_rules(3), st.randoms(use_true_random=False))
def test_any_input_leads_to_legal_answers(rules: Rules, rng: random.Random) -> None:
    typed = 0

    def hits_keys(prompt: str) -> str:
        nonlocal typed
        typed += 1
        if typed > 60:
            raise EOFError
        return " ".join(rng.choice([*map(str, range(-1, 9)), "?", "[/]", "x"]) for _ in range(rng.randint(0, 4)))

    _, events = play_game(Typist(hits_keys), Random(seed=1), Random(seed=2), rules=rules)
    assert only(events, AnswerRepaired) == []


# Leaving


@pytest.mark.parametrize("lines", [(), ("1",)], ids=["at the hand", "at the guess"])
@pytest.mark.parametrize("end", [types(), interrupted], ids=["end of input", "Ctrl-C"])
def test_leaving_is_confirmed_and_forfeits(lines: tuple[str, ...], end: Reader) -> None:
    waiting = iter(lines)
    typist = Typist(lambda prompt: next(waiting, None) or end(prompt))
    outcome, _ = play_game(typist, Random(seed=1), Random(seed=2))
    assert [(out.seat, out.forfeit.reason) for out in outcome.thrown_out] == [(ME, "left")]
    # After leaving, nothing more is printed.
    assert typist.screen.rstrip().endswith("You leave the table. Goodbye.")


def test_a_human_who_left_is_not_asked_again_with_repair() -> None:
    typist = Typist(types("1"))
    outcome, _ = play_game(typist, Random(seed=1), Random(seed=2), rules=Rules(on_failure="repair"))
    assert outcome.loser == ME
    assert typist.screen.count("Goodbye.") == 1


def test_a_human_can_leave_one_game_and_play_the_next() -> None:
    readers: Iterator[Reader] = iter([interrupted])
    plays_on = types("0 5")
    typist = Typist(lambda prompt: next(readers, plays_on)(prompt))
    for _ in range(2):
        outcome, _ = play_game(typist, BIA, CAIO, rules=Rules(max_rounds=1))
    assert not outcome.thrown_out
    assert "Hands are open" in typist.screen.partition("Goodbye.")[2]


def test_the_time_limit_is_shown() -> None:
    typist = Typist(types("0"))
    typist.player.on_seated(SeatAssignment(ME, NAMES[:2], Rules()))
    (request, *_) = KIND.new_game(deal(2, Rules())).requests.values()
    assert typist.player.answer(request, 30) == 0
    assert "The referee waits 30 seconds for your answer." in typist.screen


def test_equal_names_are_shown_with_seats() -> None:
    typist = Typist(types("2 5"))
    play_game(typist, BIA, CAIO, rules=Rules(max_rounds=1), names=("Ada", "random", "random"))
    assert "random (seat 2) says 4." in typist.screen
    assert "random (seat 3)  ┃┃  2" in typist.screen


# The terminal


@pytest.mark.parametrize("width", [40, 80])
def test_long_names_and_many_sticks_fit_the_terminal(width: int) -> None:
    typist = Typist(types("12 41"), width)
    play_game(typist, BIA, CAIO, rules=Rules(max_rounds=1, sticks=(12, 40, 400)), names=("Ada" * 30, "Bia" * 30, "C"))
    lines = typist.screen.splitlines()
    assert max(map(len, lines)) <= width
    assert any("┃" * 12 + "   12" in line for line in lines)
    assert any(line.endswith(" 400") and "┃" not in line for line in map(str.rstrip, lines))


def test_an_ascii_terminal_gets_ascii_characters() -> None:
    typist = Typist(types("2 5"), encoding="ascii")
    play_game(typist, BIA, CAIO, rules=Rules(max_rounds=1))
    assert typist.screen.isascii()
    assert "You       |||  3" in typist.screen
