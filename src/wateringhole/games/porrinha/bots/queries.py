"""What a Porrinha player may ask its core, under the names of the original.

A question asked at the wrong time raises `QueryUnavailable` and says when it may be asked.
"""

from __future__ import annotations

from typing import Any, cast, overload

from wateringhole.game import Seat
from wateringhole.games.porrinha.rules.options import Rules
from wateringhole.games.porrinha.rules.view import SeriesPlayer, View
from wateringhole.player import PlayerContext

__all__ = ["Queries", "QueryUnavailable"]


class QueryUnavailable(RuntimeError):
    """A query was asked when it has no answer."""


class _Closed:
    """Stands in for a view while there is none."""

    def __init__(self, when: str) -> None:
        self._when = when

    def __getattr__(self, query: str) -> Any:
        raise QueryUnavailable(
            f"{query} cannot be asked {self._when}: it has an answer from begin_game to end_game only"
        )


_BEFORE_ANY_GAME = cast(View, _Closed("in a factory, before the first game"))
_BETWEEN_GAMES = cast(View, _Closed("between games"))


class Queries:
    """The questions of one player.  Every answer is that of the moment of the current call."""

    __slots__ = ("_global_player_count", "_guests", "_rules", "_seat", "view")

    view: View
    """The record behind the answers; it also knows the lead and the number of the round."""

    def __init__(self) -> None:
        self.view = _BEFORE_ANY_GAME
        self._global_player_count = PlayerContext.current_players()
        self._seat = Seat(-1)
        self._guests: tuple[SeriesPlayer, ...] = ()
        self._rules: Rules | None = None

    def global_player_count(self) -> int:
        """Players that exist in this run; may be asked at any time, in a factory too."""
        if self._global_player_count is None:
            raise QueryUnavailable("global_player_count is not known: this player was made outside of a PlayerContext")
        return self._global_player_count

    def player_count(self) -> int:
        """Players of this game, in or out."""
        return self.view.player_count

    def active_player_count(self) -> int:
        """Players still in."""
        return self.view.active_player_count

    def chopstick_count(self) -> int:
        """The table: sticks that all players still own, shown or not."""
        return self.view.chopstick_count

    @overload
    def chopsticks(self) -> tuple[int, ...]: ...
    @overload
    def chopsticks(self, seat: int) -> int: ...
    def chopsticks(self, seat: int | None = None) -> int | tuple[int, ...]:
        """Sticks owned by a seat, or by all (not the hand shown)."""
        return _at(seat, self.view.chopsticks)

    @overload
    def guess(self) -> tuple[int, ...]: ...
    @overload
    def guess(self, seat: int) -> int: ...
    def guess(self, seat: int | None = None) -> int | tuple[int, ...]:
        """What a seat, or each, said in this round, or PENDING_GUESS, NOT_PLAYING, INVALID_GUESS."""
        return _at(seat, self.view.guess)

    def valid_guess(self, value: int) -> bool:
        """Whether a value can be said: not negative, not above the table, not yet said."""
        return self.view.valid_guess(value)

    @overload
    def hand(self) -> tuple[int, ...]: ...
    @overload
    def hand(self, seat: int) -> int: ...
    def hand(self, seat: int | None = None) -> int | tuple[int, ...]:
        """What a seat, or each, showed in the last settled round; -1: nothing."""
        return _at(seat, self.view.hand)

    def last_winner(self) -> int:
        """The seat that was right in the last settled round; -1: nobody."""
        return self.view.last_winner

    def index(self, player: object) -> int:
        """The seat of a player, meant for `index(self)`; also of a guest.  -1 for a stranger."""
        guests = self._seated("index")
        if isinstance(player, SeriesPlayer):
            return next((seat for seat, guest in enumerate(guests) if guest == player), -1)
        return int(self._seat) if getattr(player, "core", None) is self else -1

    def player(self, seat: int) -> SeriesPlayer:
        """Who sits there: the same guest in every game of a series, wherever it sits.

        It has a name and a number, and nothing that could be played through.
        """
        guest: SeriesPlayer = _at(seat, self._seated("player"))
        return guest

    @property
    def rules(self) -> Rules:
        """The rules of this game."""
        self._seated("rules")
        assert self._rules is not None, "a seated player has been told the rules"
        return self._rules

    def sit_down(self, seat: Seat, guests: tuple[SeriesPlayer, ...], rules: Rules) -> None:
        """A game begins; the core's to call."""
        self._seat, self._guests, self._rules = seat, guests, rules

    def stand_up(self) -> None:
        """A game is over; the core's to call."""
        self.view = _BETWEEN_GAMES
        self._guests = ()

    def _seated(self, query: str) -> tuple[SeriesPlayer, ...]:
        if not self._guests:
            getattr(self.view, query)  # raises: without guests there is no view
        return self._guests


@overload
def _at(seat: None, things: tuple[Any, ...]) -> tuple[Any, ...]: ...
@overload
def _at(seat: int, things: tuple[Any, ...]) -> Any: ...
@overload
def _at(seat: int | None, things: tuple[Any, ...]) -> Any: ...
def _at(seat: int | None, things: tuple[Any, ...]) -> Any:
    """One of the things by seat, or all.  Python would count a negative seat from the end."""
    if seat is None:
        return things
    if not 0 <= seat < len(things):
        raise IndexError(f"there is no seat {seat}; seats are 0 to {len(things) - 1}")
    return things[seat]
