"""The English narration of a round, and incidents apart from it."""

from __future__ import annotations

import pytest
from rich.text import Text

from tests.games.porrinha.builders import CRASH, open_game, play_round, win_a_round
from wateringhole.game import Event, Seat
from wateringhole.games.porrinha import KIND
from wateringhole.games.porrinha.text.en import Narrator

NAMES = ["Ada", "[Bia]", "Caio"]


def narrated(events: list[Event], seat: Seat | None = None) -> list[str]:
    narrator = Narrator(NAMES, seat)
    return [line for event in events for line in narrator.narrate(event)]


def incidents(events: list[Event]) -> list[str]:
    narrator = Narrator(NAMES)
    return [line for event in events for line in narrator.incidents(event)]


def test_a_round_is_narrated_before_the_next_one_starts() -> None:
    game = open_game(3, sticks=(1, 3, 3))
    assert narrated(list(game.opening)) == ["", "[bold]Round 1[/bold]: 7 sticks on the table, Ada (seat 1) leads."]
    assert narrated(play_round(game, [1, 2, 0], [3, 9, 0])) == [
        "Ada (seat 1) was right with 3 and gives up a stick: 0 left.",
        "Ada (seat 1) is out of sticks and safe.",
        "  Ada (seat 1) showed 1 and said 3.",
        "  \\[Bia] (seat 2) showed 2 and said nothing that counts.",
        "  Caio (seat 3) showed 0 and said 0.",
        "",
        "[bold]Round 2[/bold]: 6 sticks on the table, \\[Bia] (seat 2) leads.",
    ]


def test_a_round_without_a_winner_shows_the_sum_and_its_players() -> None:
    game = open_game(3, sticks=(1, 3, 3))
    win_a_round(game, 0)
    assert narrated(play_round(game, [0, 2, 1], [0, 1]))[:3] == [
        "Nobody was right: the sum is 3.",
        "  \\[Bia] (seat 2) showed 2 and said 0.",
        "  Caio (seat 3) showed 1 and said 1.",
    ]


def test_the_end_names_the_loser_and_its_sticks() -> None:
    game = open_game(2, sticks=(1, 2))
    assert (
        narrated(win_a_round(game, 0))[-1] == "[bold]\\[Bia] (seat 2) loses, with 2 sticks left[/bold], after 1 round."
    )


def test_the_end_of_games_without_a_loser() -> None:
    assert narrated(win_a_round(open_game(2, sticks=1, finish="first_out_wins"), 0))[-1] == (
        "[bold]Ada (seat 1) is the first without sticks and wins[/bold], after 1 round."
    )
    assert narrated(win_a_round(open_game(2, max_rounds=1), 0))[-1] == (
        "[bold]The game is stopped and nobody loses[/bold], after 1 round."
    )


def test_a_thrown_out_loser_is_shown_without_sticks() -> None:
    assert narrated(play_round(open_game(2), [0, CRASH], [0]))[-1] == (
        "[bold]\\[Bia] (seat 2) loses, thrown out[/bold], after 1 round."
    )


@pytest.mark.parametrize("name", ["Ada\\", "\\[bold]", "[/bold]", "a\nb"])
def test_any_name_is_shown_literally_on_one_line(name: str) -> None:
    (_, line) = Narrator([name, "Bia"]).narrate(open_game(2).opening[-1])
    assert Text.from_markup(line).plain == (
        f"Round 1: 6 sticks on the table, {name.replace(chr(10), ' ')} (seat 1) leads."
    )


def test_incidents_name_the_player_its_seat_and_the_value() -> None:
    game = open_game(3, taken_guess="again")
    request = game.requests[Seat(2)]
    hands = [7, KIND.codec.answer_from_json(request, "[2]"), CRASH]
    events = play_round(game, hands, [-1, 99])
    assert incidents(events) == [
        "Ada (seat 1) guessed -1, which is below 0: the guess is void.",
        "\\[Bia] (seat 2) guessed 99, which is more than there is on the table: the guess is void.",
        "Ada (seat 1) hid 7 sticks, which it cannot: it counts as 0.",
        "\\[Bia] (seat 2) answered '\\[2]', which is not a whole number: it counts as 0.",
    ]
    events = play_round(game, [0, 0, 0], [3, 3, 2])
    assert incidents(events) == ["Ada (seat 1) guessed 3, which had been said before: it must choose another."]


def test_a_removal_is_narrated_and_a_repaired_failure_is_an_incident() -> None:
    assert narrated(play_round(open_game(3), [0, 0, CRASH], [1, 2]))[0] == (
        "[bold]Caio (seat 3) failed (exception: it broke) and is removed from the game.[/bold]"
    )
    assert incidents(play_round(open_game(3, on_failure="repair"), [0, 0, CRASH], [1, 2, 3])) == [
        "Caio (seat 3) failed (exception: it broke), which costs it nothing more."
    ]


def test_incidents_are_not_narrated() -> None:
    events = play_round(open_game(2), [9, 0], [-1, 5])
    assert not any("9" in line for line in narrated(events))


def test_the_reader_is_marked_as_you() -> None:
    assert "Ada (seat 1, you) leads" in narrated(list(open_game(2).opening), Seat(0))[-1]
