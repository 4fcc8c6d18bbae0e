"""A game under the rules as a sequence of numbered actions, one seat at a time.

It knows neither environments nor opponents.  Requests that are open at the same time are decided one after the other,
in the game's order; no seat sees the decisions of the others before all are made.
"""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from wateringhole import fallbacks
from wateringhole.errors import UsageError
from wateringhole.facets import Encoding
from wateringhole.formatting import short_repr
from wateringhole.game import AnyKind, Event, Outcome, Request, Seat, Violation, seats_of
from wateringhole.options import RulesChoice, as_rules

__all__ = ["EncodedGame", "encoding_of", "playable_rules", "whole_action"]


def encoding_of(kind: AnyKind) -> Encoding:
    """Return the encoding of a game.  Raises UsageError if it has none."""
    return fallbacks.require(
        kind.encoding, f"{kind.name} has no encoding as numbers, so there are no learning environments for it."
    )


def playable_rules(kind: AnyKind, chosen: RulesChoice, players: int) -> Any:
    """Return the chosen rules.  Raises UsageError if such a game cannot be played or encoded."""
    rules = as_rules(chosen, kind.profiles, kind.name)
    if type(players) is not int or players not in kind.seats:
        raise UsageError(
            f"players={short_repr(players)}: {kind.name} is for {kind.seats[0]} to {kind.seats[-1]} players."
        )
    why_not = encoding_of(kind).refuses(rules, players)
    if why_not:
        raise UsageError(f"these rules of {kind.name} cannot be encoded for {players} players: {why_not}.")
    return rules


def whole_action(given: object) -> int:
    """Return an action of any integer type as an int.  Raises UsageError for anything else."""
    try:
        return operator.index(given)  # type: ignore[arg-type]  # an object without such a method raises
    except TypeError:
        raise UsageError(f"action {short_repr(given)} is not a whole number.") from None


class EncodedGame:
    """A game in progress."""

    def __init__(self, kind: AnyKind, setup: Any, on_event: Callable[[Event], None] | None = None) -> None:
        """Open a game.  `on_event` gets all events, hidden information included."""
        encoding = encoding_of(kind)
        self.game = kind.new_game(setup, emit=on_event is not None)
        self.acting: Seat | None = None
        """The seat that decides, or None if the game is over."""
        self._on_event = on_event
        self._actions = encoding.actions
        self._encoders = [encoding.encoder(seat, setup.players) for seat in seats_of(setup.players)]
        self._open: list[Request[Any]] = []
        """The open requests that are not answered, the next one last."""
        self._answers: dict[Seat, Any] = {}
        self.pending_actions: tuple[int, ...] = ()
        """The actions of the acting seat for its open request."""
        self._mask: npt.NDArray[np.bool_] | None = None
        self._deliver(self.game.opening)
        self._ask()

    @property
    def outcome(self) -> Outcome | None:
        return self.game.outcome

    @property
    def decision_type(self) -> int:
        """The type of the decision, or 0 if the game is over."""
        return 0 if self.acting is None else self._encoders[self.acting].decision_type

    @property
    def mask(self) -> npt.NDArray[np.bool_]:
        """The legal actions of the acting seat; none if the game is over."""
        if self._mask is None:
            legal = np.zeros(self._actions, np.bool_) if self.acting is None else self._encoders[self.acting].mask()
            legal.flags.writeable = False
            self._mask = legal
        return self._mask

    def observe(self, seat: Seat) -> npt.NDArray[Any]:
        """Return the observation of a seat."""
        asked = self._open[-1] if seat == self.acting else None
        view = self.game.view(seat) if asked is None else asked.view  # type: ignore[attr-defined]
        return self._encoders[seat].observe(view, self.acting, self.decision_type)

    def step(self, action: int) -> None:
        """Take an action of the acting seat.  Raises UsageError, and changes nothing, if it is not legal."""
        seat = self.acting
        if seat is None:
            raise UsageError("the game is over. Reset the environment.")
        number = whole_action(action)
        if not 0 <= number < self._actions or not self.mask[number]:
            legal = ", ".join(map(str, np.flatnonzero(self.mask)))
            raise UsageError(f"action {number} of seat {seat} is not legal. Choose from: {legal}.")
        answer = self._encoders[seat].act(number)
        self._mask = None
        self.pending_actions += (number,)
        if answer is None:
            return
        self.pending_actions = ()
        accepted = self._open.pop().accept(answer)
        assert not isinstance(accepted, Violation), f"{answer!r} is in the mask but breaks {accepted!r}"
        self._answers[seat] = accepted
        if not self._open:
            answers, self._answers = self._answers, {}
            self._deliver(self.game.advance(answers))
        self._ask()

    def copy(self, on_event: Callable[[Event], None] | None = None) -> EncodedGame:
        """Return an independent game in the same state, whose events go to `on_event`."""
        other: EncodedGame = object.__new__(EncodedGame)
        other.game = self.game.copy(emit=on_event is not None)
        other.acting = self.acting
        other._on_event = on_event
        other._actions = self._actions
        other._encoders = [encoder.copy() for encoder in self._encoders]
        other._open = self._open.copy()
        other._answers = self._answers.copy()
        other.pending_actions = self.pending_actions
        other._mask = self._mask
        return other

    def _ask(self) -> None:
        if not self._open:
            self._open = list(self.game.requests.values())[::-1]
        self.acting = self._open[-1].seat if self._open else None
        if self.acting is not None:
            self._encoders[self.acting].ask(self._open[-1])

    def _deliver(self, events: Iterable[Event]) -> None:
        if self._on_event:
            for event in events:
                self._on_event(event)
