"""The events of Porrinha.

No event reveals a hand before it is opened.  A bad hand, and a player who failed to show one,
are reported when the round is settled, because both would give the hand away.
"""

from __future__ import annotations

from typing import Any, ClassVar, Literal, get_args

from wateringhole.game import Event, Forfeit, Incident, Notice, Outcome, Seat, ThrownOut
from wateringhole.games.porrinha.rules.answers import NotANumber
from wateringhole.games.porrinha.rules.options import Rules
from wateringhole.games.porrinha.rules.requests import Fault, GuessTotal, HideSticks
from wateringhole.games.porrinha.rules.view import INVALID_GUESS, SeriesPlayer, View

__all__ = [
    "EVENT_TYPES",
    "AnswerRepaired",
    "BeginGame",
    "EndGame",
    "EndRound",
    "GameEnded",
    "GuessSaid",
    "HandsHidden",
    "PlayerForfeited",
    "PorrinhaEvent",
    "PorrinhaOutcome",
    "RoundSettled",
    "RoundStarted",
]


class PorrinhaOutcome(Outcome, frozen=True):
    """The outcome of a game of Porrinha: `finished`, or stopped after `max_rounds`.

    The ranking omits players who were still in when the game was stopped or won.
    """

    loser: Seat | None = None
    """The loser, or None if no player lost."""
    rounds: int = 0
    """Rounds that were settled."""


class RoundStarted(Event, frozen=True, gc=False, omit_defaults=True):
    """Hands are about to be chosen.

    The same round starts a second time if a player failed before it.
    """

    number: int
    lead: Seat
    chopstick_count: int
    chopsticks: tuple[int, ...]
    lowest_hand: int = 0
    """The smallest legal hand in this round."""


class HandsHidden(Event, frozen=True, gc=False):
    """The hands are hidden, which clears the last winner.  Emitted only under `last_winner: live`."""


class GuessSaid(Event, frozen=True, gc=False, omit_defaults=True):
    """A seat said a sum aloud; a void one is INVALID_GUESS."""

    seat: Seat
    guess: int
    is_right: bool = False
    """True if this is the sum and all players learn it now, which happens only under `last_winner: live`."""


class AnswerRepaired(Event, frozen=True, tag="FaultReported"):
    """A bad answer was replaced.  Only its own seat and spectators see it."""

    seat: Seat
    fault: Fault
    said: int | NotANumber
    used: int | None
    """The value that counts instead, or None if the same seat is asked again."""

    @property
    def incident(self) -> Incident:
        # A bad guess is void or asked for again; a bad hand counts as another one.
        asked = GuessTotal if self.used in (None, INVALID_GUESS) else HideSticks
        return Incident(self.seat, asked.name, self.fault)

    def seen_by(self, seat: Seat | None) -> Event | None:
        return self if seat is None or seat == self.seat else None


class PlayerForfeited(Event, frozen=True):
    """A player failed."""

    seat: Seat
    forfeit: Forfeit
    removed: bool
    """True if this removes it from the game; false if it was out already, or if failures are repaired."""

    @property
    def incident(self) -> Incident | None:
        return None if self.removed else Incident(self.seat)

    @property
    def thrown_out(self) -> ThrownOut | None:
        return ThrownOut(self.seat, self.forfeit) if self.removed else None


class RoundSettled(Event, frozen=True, gc=False, omit_defaults=True):
    """Hands are open.  All numbers are those after settling."""

    number: int
    lead: Seat
    """First guesser of this round."""
    sum: int
    winner: int
    """The seat that was right, or NO_SEAT."""
    left: bool
    """True if the winner gave up its last stick and is out."""
    hands: tuple[int, ...]
    """NO_HAND for seats that sat the round out."""
    guesses: tuple[int, ...]
    chopsticks: tuple[int, ...]
    chopstick_count: int
    active_player_count: int
    next_lead: Seat
    shown_hands: tuple[int, ...] = ()
    """The hands as views show them, where `absent_hand: stale` makes them differ from `hands`."""


class GameEnded(Event, frozen=True, omit_defaults=True):
    """The game is over, and all players have had their closing calls."""

    outcome: PorrinhaOutcome
    chopsticks: tuple[int, ...]
    stale_guesses: tuple[int, ...] = ()
    """The guesses of the game before, which views show again if no round of this one was settled."""


class BeginGame(Notice, frozen=True):
    """The call of `begin_game` before the first round."""

    method: ClassVar[str] = "begin_game"

    view: View
    guests: tuple[SeriesPlayer, ...]
    """The players by seat."""
    rules: Rules

    def deliver(self, player: Any) -> None:
        player.core.enter_game(self.seat, self.guests, self.rules)
        player.core.view = self.view
        player.begin_game()


class EndRound(Notice, frozen=True, gc=False):
    """The call of `end_round` after settling."""

    method: ClassVar[str] = "end_round"

    view: View

    def deliver(self, player: Any) -> None:
        player.core.view = self.view
        player.end_round()


class EndGame(Notice, frozen=True):
    """The closing call, after which a player may ask nothing until the next game."""

    view: View
    method: Literal["end_game", "begin_game"] = "end_game"

    def deliver(self, player: Any) -> None:
        player.core.view = self.view
        try:
            player.end_game() if self.method == "end_game" else player.begin_game()
        finally:
            player.core.leave_game()


PorrinhaEvent = (
    RoundStarted
    | HandsHidden
    | GuessSaid
    | AnswerRepaired
    | PlayerForfeited
    | RoundSettled
    | GameEnded
    | BeginGame
    | EndRound
    | EndGame
)
"""Every kind of event; JSON is read back through this."""

EVENT_TYPES: frozenset[type[Event]] = frozenset(get_args(PorrinhaEvent))
