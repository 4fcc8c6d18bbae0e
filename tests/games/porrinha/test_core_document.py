"""A Python player written from the document on the core alone, and the order of all its calls."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, ClassVar

import pytest

import wateringhole as wh
from tests.cli.running import called
from wateringhole.games.porrinha import Player

BOT = '''
from wateringhole.games.porrinha import Player


class Bot(Player):
    """Uses only the methods, the queries and the values that the document names or describes."""

    def __init__(self):
        self.games = self.rounds = 0
        self.players = self.core.global_player_count()

    def begin_game(self):
        self.me = self.core.index(self)
        assert all(self.core.guess(seat) == self.core.PENDING_GUESS for seat in range(self.core.player_count()))

    def hand(self):
        # Every player sees the same in this phase: no guess and no hand of this round.
        assert all(guess < 0 for guess in self.core.guess())
        self.mine = (self.rounds + self.me) % (self.core.chopsticks(self.me) + 1)
        return self.mine

    def guess(self):
        taken = set()
        for seat in range(self.core.player_count()):
            said = self.core.guess(seat)
            if said >= 0:
                taken.add(said)
            else:
                assert said in (self.core.PENDING_GUESS, self.core.NOT_PLAYING, self.core.INVALID_GUESS)
            assert said != self.core.NOT_PLAYING or self.core.chopsticks(seat) == 0
        likely = self.mine + (self.core.chopstick_count() - self.core.chopsticks(self.me)) // 2
        free = [value for value in range(self.core.chopstick_count() + 1) if value not in taken]
        assert free == [value for value in free if self.core.valid_guess(value)]
        return min(free, key=lambda value: abs(value - likely))

    def end_round(self):
        hands = [hand for hand in self.core.hand() if hand >= 0]
        winner = self.core.last_winner()
        assert winner < 0 or self.core.guess(winner) == sum(hands)
        self.rounds += 1

    def end_game(self):
        self.games += 1
'''


@pytest.mark.parametrize("opponents", [["random"], ["zero", "random"], ["counter", "random", "zero", "random"]])
def test_bot_written_from_the_document_plays_complete_series(opponents: list[str]) -> None:
    names: dict[str, Any] = {}
    exec(BOT, names)
    games = wh.play("porrinha", [names["Bot"], *opponents], games=20, rotate_seats=True, seed=7)
    for game in games:
        assert game.outcome.thrown_out == ()
        assert "Bot" in [game.names[standing.seat] for standing in game.outcome.ranking]


@pytest.mark.parametrize("options", [(), ("--time-limit", "10")], ids=["in this process", "isolated"])
def test_bot_in_a_file_plays_with_the_command(options: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(BOT)
    words = ("mine.py:Bot", "random", "zero", "--games", "5", "--seed", "3", "--json")
    ran = called("play", "porrinha", *words, *options, folder=tmp_path)
    assert ran.returncode == 0
    assert [(game["thrown_out"], game["faults"]) for game in json.loads(ran.stdout)] == [([], [])] * 5


class Logs(Player):
    """Logs the calls of all its objects."""

    calls: ClassVar[list[tuple[str, int]]] = []

    def __init__(self) -> None:
        self.number = sum(call == "made" for call, _ in self.calls)
        self.log("made")

    def log(self, call: str) -> None:
        self.calls.append((call, self.number))

    def begin_game(self) -> None:
        self.log("begin_game")

    def hand(self) -> int:
        self.log("hand")
        return 0

    def guess(self) -> int:
        self.log("guess")
        return next(value for value in range(9) if self.core.valid_guess(value))

    def end_round(self) -> None:
        self.log("end_round")

    def end_game(self) -> None:
        self.log("end_game")


def test_every_player_is_made_once_before_the_first_game_and_plays_all_games() -> None:
    Logs.calls.clear()
    # All hands are empty, so the first guesser is right; with one stick, two rounds finish a game.
    wh.play("porrinha", [Logs, Logs, Logs], games=2, rules=["sticks=1"])
    everyone, others = (0, 1, 2), (1, 2)
    a_game = [
        *(("begin_game", number) for number in everyone),
        *(("hand", number) for number in everyone),
        *(("guess", number) for number in everyone),
        *(("end_round", number) for number in everyone),
        *(("hand", number) for number in others),
        *(("guess", number) for number in others),
        *(("end_round", number) for number in (1, 2, 0)),
        *(("end_game", number) for number in everyone),
    ]
    assert Logs.calls == [*(("made", number) for number in everyone), *a_game, *a_game]


def test_the_values_in_place_of_a_guess_have_the_names_of_the_document() -> None:
    core = Logs().core
    assert [core.PENDING_GUESS, core.NOT_PLAYING, core.INVALID_GUESS] == [-1, -2, -3]
