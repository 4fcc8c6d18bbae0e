"""The two requests of Porrinha.  The core repairs a bad answer and never rejects it as illegal."""

from __future__ import annotations

from typing import Any, ClassVar, Literal

import msgspec

from wateringhole.game import Answer, Seat
from wateringhole.games.porrinha.rules.answers import HIGHEST, LONGEST_QUOTE, LOWEST, NotANumber, as_answer
from wateringhole.games.porrinha.rules.options import MOST_REFUSALS, Rules
from wateringhole.games.porrinha.rules.view import INVALID_GUESS, View
from wateringhole.games.porrinha.rules.violations import AnswerShape

__all__ = ["Fault", "GuessTotal", "HideSticks", "PorrinhaRequest"]

Fault = Literal["hand_range", "guess_negative", "guess_high", "guess_taken", "not_a_number"]
"""The faults of a readable answer."""


class HideSticks(msgspec.Struct, frozen=True, gc=False):
    """Choose how many of your sticks to hide in your hand."""

    name: ClassVar[str] = "hand"

    seat: Seat
    view: View

    @property
    def options(self) -> range:
        """The legal hands."""
        return range(self.view.lowest_hand, self.view.chopsticks[self.seat] + 1)

    def resolve(self, answer: Answer) -> tuple[int, Fault | None]:
        """Return the hand that an answer counts as, and the fault of the answer, if any.

        Raises ValueError for an answer that `accept` rejects.
        """
        view = self.view
        if type(answer) is int:
            if view.lowest_hand <= answer <= view.chopsticks[self.seat]:
                return answer, None
            return view.lowest_hand, "hand_range"
        _refuse_unchecked(self, answer)
        return view.lowest_hand, "not_a_number"

    def accept(self, given: object) -> int | NotANumber | AnswerShape:
        # By exact type: an object can claim any class, and a subclass can compare as it likes.
        if type(given) is int and LOWEST <= given <= HIGHEST:
            return given
        return _accept_other(given)

    def default_answer(self) -> int:
        return self.view.lowest_hand

    def ask(self, player: Any) -> int | NotANumber:
        player.core.view = self.view
        said = player.hand()
        return said if type(said) is int else as_answer(said)


class GuessTotal(msgspec.Struct, frozen=True, gc=False):
    """Say how many sticks all hands hold together."""

    name: ClassVar[str] = "guess"

    seat: Seat
    view: View
    """Its `own_hand` is the hand of the seat that is asked."""
    refused: int = 0
    """The number of taken values that this seat was refused just now."""

    @property
    def options(self) -> tuple[int, ...]:
        """The legal guesses."""
        said = self.view.guess
        return tuple(value for value in range(self.view.chopstick_count + 1) if value not in said)

    def resolve(self, answer: Answer) -> tuple[int, Fault | None]:
        """Return the guess that an answer counts as, and the fault of the answer, if any.

        Raises ValueError for an answer that `accept` rejects.
        """
        view = self.view
        if type(answer) is int:
            if answer < 0:
                return INVALID_GUESS, "guess_negative"
            if answer > view.chopstick_count:
                return INVALID_GUESS, "guess_high"
            if answer in view.guess:
                return INVALID_GUESS, "guess_taken"
            return answer, None
        _refuse_unchecked(self, answer)
        return INVALID_GUESS, "not_a_number"

    def is_refused(self, fault: Fault, rules: Rules) -> bool:
        """Return whether the seat is asked again instead of losing its guess."""
        return fault == "guess_taken" and rules.taken_guess == "again" and self.refused < MOST_REFUSALS

    def accept(self, given: object) -> int | NotANumber | AnswerShape:
        # By exact type: an object can claim any class, and a subclass can compare as it likes.
        if type(given) is int and LOWEST <= given <= HIGHEST:
            return given
        return _accept_other(given)

    def default_answer(self) -> int:
        return self.options[0]

    def ask(self, player: Any) -> int | NotANumber:
        player.core.view = self.view
        said = player.guess()
        return said if type(said) is int else as_answer(said)


PorrinhaRequest = HideSticks | GuessTotal


def _accept_other(given: object) -> int | NotANumber | AnswerShape:
    """Accept what is not a number within the limits."""
    if type(given) is int:
        return as_answer(given)
    return given if type(given) is NotANumber else _flaw(given)


def _flaw(answer: object) -> AnswerShape:
    return AnswerShape(f"{answer!r:.{LONGEST_QUOTE}}")


def _refuse_unchecked(request: HideSticks | GuessTotal, answer: Answer) -> None:
    if not isinstance(answer, NotANumber):
        flaw = _flaw(answer)
        raise ValueError(f"{request.name} of seat {request.seat}: {flaw.rule}: {flaw!r}")
