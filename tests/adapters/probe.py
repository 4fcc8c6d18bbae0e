"""The Python twin of `porrinha_cpp/ai/probe`: plays the same way and logs the same notes."""

from __future__ import annotations

from typing import Any

from wateringhole.games.porrinha.bots.player import Player

__all__ = ["Probe"]


class Probe(Player):
    def __init__(self) -> None:
        self.notes: list[dict[str, Any]] = []
        self._games = 0
        self._rounds = 0

    def begin_game(self) -> None:
        self._games += 1
        self._note("begin_game")

    def hand(self) -> int:
        self._rounds += 1
        self._note("hand")
        return self._rounds % (self.core.chopsticks(self.core.index(self)) + 1)

    def guess(self) -> int:
        self._note("guess")
        sums = self.core.chopstick_count() + 1
        guess = self._rounds * 5 % sums
        while not self.core.valid_guess(guess):
            guess = (guess + 1) % sums
        return guess

    def end_round(self) -> None:
        self._note("end_round")

    def end_game(self) -> None:
        self._note("end_game")

    def _note(self, call: str) -> None:
        core = self.core
        seats = range(core.player_count())
        me = core.index(self)
        self.notes.append(
            {
                "call": call,
                "games": self._games,
                "global_player_count": core.global_player_count(),
                "player_count": core.player_count(),
                "active_player_count": core.active_player_count(),
                "chopstick_count": core.chopstick_count(),
                "chopsticks": list(core.chopsticks()),
                "guess": list(core.guess()),
                "hand": list(core.hand()),
                "last_winner": core.last_winner(),
                "first_guesser": core.first_guesser(),
                "index": me,
                "unknown_player": core.index(None),
                "by_seat": [
                    [core.chopsticks(seat) for seat in seats],
                    [core.guess(seat) for seat in seats],
                    [core.hand(seat) for seat in seats],
                    [core.index(core.player(seat)) for seat in seats],
                ],
                "valid_guess": [int(core.valid_guess(value)) for value in range(-1, core.chopstick_count() + 2)],
                "names": ["myself" if seat == me else core.player(seat).name() for seat in seats],
                # For seats that do not exist, Python raises and the C++ core returns these values.
                "beyond": [0, -2, -1, 1],
            }
        )
