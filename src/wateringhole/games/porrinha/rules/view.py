"""The view of a seat, under the names of the original's queries.

While hands are chosen and guesses said, all players know the same, except for their own hands.
"""

from __future__ import annotations

from typing import Final

import msgspec

from wateringhole.game import Seat

__all__ = ["INVALID_GUESS", "NOT_PLAYING", "NO_HAND", "NO_SEAT", "PENDING_GUESS", "SeriesPlayer", "View"]

PENDING_GUESS: Final = -1
"""In place of a guess: this seat has not spoken yet."""
NOT_PLAYING: Final = -2
"""In place of a guess: this seat sits the round out."""
INVALID_GUESS: Final = -3
"""In place of a guess: this seat said something void."""

NO_HAND: Final = -1
"""In place of a hand: none has been opened."""
NO_SEAT: Final = -1
"""In place of a seat: no player was right."""


class SeriesPlayer(msgspec.Struct, frozen=True, gc=False):
    """A player as others know it: the same one in all games of a series, whatever its seat."""

    number: int
    """From 0, in the order in which the players of the series were made."""
    label: str

    def name(self) -> str:
        """Return its name, which need not be unique."""
        return self.label


class View(msgspec.Struct, frozen=True, gc=False):
    """The answers to all queries at one moment.  Sequences are by seat."""

    player_count: int
    """Players of this game, in or out."""
    active_player_count: int
    """Players still in."""
    chopstick_count: int
    """The table: sticks that all players still own, shown or not."""
    chopsticks: tuple[int, ...]
    """Sticks owned."""
    guess: tuple[int, ...]
    """Values said in the current round, or the last one; or a sentinel."""
    hand: tuple[int, ...]
    """Hands opened in the last settled round."""
    last_winner: int
    """The seat that was right in the last settled round."""
    lead: Seat
    """First guesser of the round that `round` numbers."""
    round: int
    """The current round, or the last one, from 1; 0 before the first."""
    lowest_hand: int = 0
    """The smallest legal hand in this round."""
    own_hand: int = NO_HAND
    """The hidden hand of the seat that this view belongs to; no other view contains it."""

    def valid_guess(self, value: int) -> bool:
        """Return whether a value can be said: not negative, not above the table, not yet said."""
        return 0 <= value <= self.chopstick_count and value not in self.guess

    def guessing_order(self) -> list[int]:
        """Return the seats of this round, starting with the lead.  Seats that sit it out are missing."""
        seats = range(self.player_count)
        return [seat for seat in (*seats[self.lead :], *seats[: self.lead]) if self.guess[seat] != NOT_PLAYING]
