"""The queries that a Porrinha player may send to its core, under the names of the original.

A query at the wrong time raises `QueryUnavailable`, whose message says when it is available.
"""

from __future__ import annotations

from typing import Any, ClassVar, cast, overload

from wateringhole.game import Seat
from wateringhole.games.porrinha.rules.options import Rules
from wateringhole.games.porrinha.rules.view import (
    INVALID_GUESS,
    NO_SEAT,
    NOT_PLAYING,
    PENDING_GUESS,
    SeriesPlayer,
    View,
)
from wateringhole.player import PlayerContext

__all__ = ["Queries", "QueryUnavailable"]


class QueryUnavailable(RuntimeError):
    """A query at a time when it has no answer."""


class _Closed:
    """A stand-in for a view while there is none."""

    def __init__(self, when: str) -> None:
        self._when = when

    def __getattr__(self, query: str) -> Any:
        raise QueryUnavailable(f"{query} is not available {self._when}, only from begin_game to end_game")


_BEFORE_ANY_GAME = cast(View, _Closed("in a factory, before the first game"))
_BETWEEN_GAMES = cast(View, _Closed("between games"))


class Queries:
    """The queries of one player.  Every answer holds at the time of the current call."""

    __slots__ = ("_global_player_count", "_players", "_rules", "_seat", "view")

    PENDING_GUESS: ClassVar[int] = PENDING_GUESS
    """In place of a guess: the player has not guessed yet."""
    NOT_PLAYING: ClassVar[int] = NOT_PLAYING
    """In place of a guess: the player is not in the game any more."""
    INVALID_GUESS: ClassVar[int] = INVALID_GUESS
    """In place of a guess: the guess was void."""

    view: View
    """The record behind the answers.  It also holds the lead and the number of the round."""

    def __init__(self) -> None:
        self.view = _BEFORE_ANY_GAME
        self._global_player_count = PlayerContext.current_players()
        self._seat = Seat(-1)
        self._players: tuple[SeriesPlayer, ...] = ()
        self._rules: Rules | None = None

    def global_player_count(self) -> int:
        """Return the number of players in this run.  It is available at any time, even in a factory."""
        if self._global_player_count is None:
            raise QueryUnavailable("global_player_count is not known: this player was made outside of a PlayerContext")
        return self._global_player_count

    def player_count(self) -> int:
        """Return the number of players in this game, including those who are safe or removed."""
        return self.view.player_count

    def active_player_count(self) -> int:
        """Return the number of players still in."""
        return self.view.active_player_count

    def chopstick_count(self) -> int:
        """Return the size of the table: the sticks that all players still own, shown or not."""
        return self.view.chopstick_count

    @overload
    def chopsticks(self) -> tuple[int, ...]: ...
    @overload
    def chopsticks(self, seat: int) -> int: ...
    def chopsticks(self, seat: int | None = None) -> int | tuple[int, ...]:
        """Return the sticks that a seat owns, or a tuple for all seats.  This is not the hand shown."""
        return _at(seat, self.view.chopsticks)

    @overload
    def guess(self) -> tuple[int, ...]: ...
    @overload
    def guess(self, seat: int) -> int: ...
    def guess(self, seat: int | None = None) -> int | tuple[int, ...]:
        """Return the guess of a seat in this round, or a tuple for all seats.

        It may be PENDING_GUESS, NOT_PLAYING or INVALID_GUESS.
        """
        return _at(seat, self.view.guess)

    def valid_guess(self, value: int) -> bool:
        """Return whether a value can be guessed: not negative, not above the table, not taken yet."""
        return self.view.valid_guess(value)

    @overload
    def hand(self) -> tuple[int, ...]: ...
    @overload
    def hand(self, seat: int) -> int: ...
    def hand(self, seat: int | None = None) -> int | tuple[int, ...]:
        """Return the hand that a seat showed in the last settled round, or a tuple for all seats.

        It is -1 for a seat that showed none.
        """
        return _at(seat, self.view.hand)

    def last_winner(self) -> int:
        """Return the seat that was right in the last settled round, or -1 if none was."""
        return self.view.last_winner

    def first_guesser(self) -> int:
        """Return the seat that guesses first in this round; in `end_round`, the one that does in the next round.

        If the game is over, the seat is the one that would have guessed first.
        """
        self._seated("first_guesser")
        view = self.view
        if view.round == 0 or PENDING_GUESS in view.guess:
            return int(view.lead)
        # The round is settled, and `view.lead` is still its own lead.
        rotates = view.last_winner == NO_SEAT or self.rules.lead_after_win == "rotate"
        start = view.lead + 1 if rotates else view.last_winner
        seats = [(start + step) % view.player_count for step in range(view.player_count)]
        return next((seat for seat in seats if view.chopsticks[seat]), seats[0])

    def index(self, player: object) -> int:
        """Return the seat of a player, or -1 if it does not play here.

        The argument is usually `self`.  It may also be a `SeriesPlayer`.
        """
        players = self._seated("index")
        if isinstance(player, SeriesPlayer):
            return next((seat for seat, each in enumerate(players) if each == player), -1)
        return int(self._seat) if getattr(player, "core", None) is self else -1

    def player(self, seat: int) -> SeriesPlayer:
        """Return the player in a seat: the same value in every game of a series, also in another seat.

        It has a name and a number only, and gives no access to the player object.
        """
        found: SeriesPlayer = _at(seat, self._seated("player"))
        return found

    @property
    def rules(self) -> Rules:
        """The rules of this game."""
        self._seated("rules")
        assert self._rules is not None, "a seated player knows the rules"
        return self._rules

    def enter_game(self, seat: Seat, players: tuple[SeriesPlayer, ...], rules: Rules) -> None:
        """Begin a game.  Only the core calls this."""
        self._seat, self._players, self._rules = seat, players, rules

    def leave_game(self) -> None:
        """End a game.  Only the core calls this."""
        self.view = _BETWEEN_GAMES
        self._players = ()

    def _seated(self, query: str) -> tuple[SeriesPlayer, ...]:
        if not self._players:
            getattr(self.view, query)  # raises, because there is no view without players
        return self._players


@overload
def _at(seat: None, values: tuple[Any, ...]) -> tuple[Any, ...]: ...
@overload
def _at(seat: int, values: tuple[Any, ...]) -> Any: ...
@overload
def _at(seat: int | None, values: tuple[Any, ...]) -> Any: ...
def _at(seat: int | None, values: tuple[Any, ...]) -> Any:
    """Return the value of a seat, or all values.  Python would count a negative seat from the end."""
    if seat is None:
        return values
    if not 0 <= seat < len(values):
        raise IndexError(f"there is no seat {seat}; seats are 0 to {len(values) - 1}")
    return values[seat]
