"""The two questions of Porrinha, what counts as an answer, and what the core makes of a bad one.

Players may say anything: a bad hand or guess is mended, never refused as illegal.
"""

from __future__ import annotations

import operator
from typing import Any, ClassVar, Final, Literal

import msgspec

from wateringhole.game import Answer, Seat
from wateringhole.games.porrinha.rules.options import MOST_REFUSALS, Rules
from wateringhole.games.porrinha.rules.view import INVALID_GUESS, View
from wateringhole.games.porrinha.rules.violations import AnswerShape

__all__ = ["Fault", "GuessTotal", "HideSticks", "NotANumber", "as_answer"]

Fault = Literal["hand_range", "guess_negative", "guess_high", "guess_taken", "not_a_number"]
"""What can be wrong with an answer that could be read."""

FARTHEST: Final = 2**63 - 1
"""Numbers farther from 0 are taken for this one: every such answer is bad, and records stay small."""

LONGEST_QUOTE: Final = 60


class NotANumber(msgspec.Struct, frozen=True):
    """An answer that could be read and is no whole number: a bad hand, or a void guess."""

    said: str
    """How it read, shortened."""


def as_answer(said: object) -> int | NotANumber:
    """What a player gave back, as the core takes it.

    >>> as_answer(2), as_answer(2.5)
    (2, NotANumber(said='2.5'))
    """
    try:
        # True and False pass for numbers in Python; as an answer they are a slip.
        if not isinstance(said, bool):
            return max(-FARTHEST, min(FARTHEST, operator.index(said)))  # type: ignore[arg-type]
    except TypeError:
        pass
    try:
        return NotANumber(repr(said)[:LONGEST_QUOTE])
    except Exception:  # a stranger's code; even a list with a number of many digits has no repr
        return NotANumber(f"a {type(said).__name__}")


class HideSticks(msgspec.Struct, frozen=True, gc=False):
    """Choose how many of your sticks to hide in your hand."""

    name: ClassVar[str] = "hand"

    seat: Seat
    view: View

    @property
    def options(self) -> range:
        """All legal hands."""
        return range(self.view.lowest_hand, self.view.chopsticks[self.seat] + 1)

    def judge(self, answer: Answer) -> tuple[int, Fault | None]:
        """The hand that an answer counts as, and what is wrong with the answer.

        Raises ValueError for one that does not pass `check`.
        """
        view = self.view
        if answer.__class__ is int:
            if view.lowest_hand <= answer <= view.chopsticks[self.seat]:
                return answer, None
            return view.lowest_hand, "hand_range"
        _refuse_unchecked(self, answer)
        return view.lowest_hand, "not_a_number"

    def accept(self, given: object) -> int | NotANumber | AnswerShape:
        return _accept(given)

    def default_answer(self) -> int:
        return self.view.lowest_hand

    def ask(self, player: Any) -> int | NotANumber:
        player.core.view = self.view
        said = player.hand()
        return said if said.__class__ is int and -FARTHEST <= said <= FARTHEST else as_answer(said)


class GuessTotal(msgspec.Struct, frozen=True, gc=False):
    """Say how many sticks all hands hold together."""

    name: ClassVar[str] = "guess"

    seat: Seat
    view: View
    """Its `own_hand` is the hand of the seat that is asked."""
    refused: int = 0
    """How often this seat was refused a taken value just now."""

    @property
    def options(self) -> tuple[int, ...]:
        """All legal guesses."""
        said = self.view.guess
        return tuple(value for value in range(self.view.chopstick_count + 1) if value not in said)

    def judge(self, answer: Answer) -> tuple[int, Fault | None]:
        """The guess that an answer counts as, and what is wrong with the answer.

        Raises ValueError for one that does not pass `check`.
        """
        view = self.view
        if answer.__class__ is int:
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
        """Whether the seat is asked again instead of losing its guess."""
        return fault == "guess_taken" and rules.taken_guess == "again" and self.refused < MOST_REFUSALS

    def accept(self, given: object) -> int | NotANumber | AnswerShape:
        return _accept(given)

    def default_answer(self) -> int:
        return self.options[0]

    def ask(self, player: Any) -> int | NotANumber:
        player.core.view = self.view
        said = player.guess()
        return said if said.__class__ is int and -FARTHEST <= said <= FARTHEST else as_answer(said)


PorrinhaRequest = HideSticks | GuessTotal
PorrinhaAnswer = int | NotANumber


def _accept(given: object) -> int | NotANumber | AnswerShape:
    # By exact type: an object can claim any class, and a subclass can compare as it likes.
    if type(given) is int:
        return given if -FARTHEST <= given <= FARTHEST else as_answer(given)
    return given if type(given) is NotANumber else _flaw(given)


def _flaw(answer: object) -> AnswerShape:
    return AnswerShape(f"{answer!r:.{LONGEST_QUOTE}}")


def _refuse_unchecked(request: HideSticks | GuessTotal, answer: Answer) -> None:
    if not isinstance(answer, NotANumber):
        flaw = _flaw(answer)
        raise ValueError(f"{request.name} of seat {request.seat}: {flaw.rule}: {flaw!r}")
