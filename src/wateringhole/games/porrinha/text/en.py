"""Porrinha's texts in English.

The narration of a round is complete before the next round starts.  Mistakes of players are separate
(`incidents`), so that a driver can print them to standard error.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from wateringhole.facets import Reader
from wateringhole.formatting import escape, pluralize
from wateringhole.game import Event, ReportedViolation, Seat, Violation
from wateringhole.games.porrinha.rules.answers import NotANumber, PorrinhaAnswer
from wateringhole.games.porrinha.rules.events import (
    AnswerRepaired,
    GameEnded,
    PlayerForfeited,
    RoundSettled,
    RoundStarted,
)
from wateringhole.games.porrinha.rules.requests import Fault, HideSticks, PorrinhaRequest
from wateringhole.games.porrinha.rules.view import INVALID_GUESS, NO_HAND, NO_SEAT
from wateringhole.games.porrinha.rules.violations import AnswerShape, GuessRange, GuessTaken, HandRange

__all__ = [
    "Narrator",
    "answer_text",
    "bluff_text",
    "guess_text",
    "new_narrator",
    "page_narrator",
    "say_text",
    "situation_text",
    "taken_text",
    "violation_text",
]

FAULTS: Final[dict[Fault, str]] = {
    "hand_range": "hid {said} sticks, which it cannot",
    "guess_negative": "guessed {said}, which is below 0",
    "guess_high": "guessed {said}, which is more than there is on the table",
    "guess_taken": "guessed {said}, which had been said before",
    "not_a_number": "answered {said}, which is not a whole number",
}


class Narrator:
    """A narrator of public information.  A seat learns no more from it than a spectator."""

    def __init__(self, names: Sequence[str], seat: Seat | None = None) -> None:
        self._names = [escape(name) for name in names]
        self._seat = seat

    def narrate(self, event: Event) -> Sequence[str]:
        """Return the lines for an event, in Rich markup, without those of `incidents`."""
        match event:
            case RoundStarted():
                return (
                    "",
                    f"[bold]Round {event.number}[/bold]: {pluralize(event.chopstick_count, 'stick')} on the table, "
                    f"{self._who(event.lead)} leads.",
                )
            case RoundSettled():
                return self._settling(event)
            case GameEnded():
                return self._ending(event)
            case PlayerForfeited() if event.removed:
                return (f"[bold]{self._failure(event)} and is removed from the game.[/bold]",)
        return ()

    def incidents(self, event: Event) -> Sequence[str]:
        """Return the lines for a bad answer, or for a failure without a penalty."""
        match event:
            case AnswerRepaired():
                said = escape(event.said.said) if isinstance(event.said, NotANumber) else event.said
                return (f"{self._who(event.seat)} {FAULTS[event.fault].format(said=said)}: {_consequence(event)}.",)
            case PlayerForfeited() if not event.removed:
                return (f"{self._failure(event)}, which costs it nothing more.",)
        return ()

    def _settling(self, event: RoundSettled) -> list[str]:
        if event.winner == NO_SEAT:
            lines = [f"Nobody was right: the sum is {event.sum}."]
        else:
            lines = [
                f"{self._who(event.winner)} was right with {event.sum} and gives up a stick: "
                f"{event.chopsticks[event.winner]} left."
            ]
        if event.left:
            lines.append(f"{self._who(event.winner)} is out of sticks and safe.")
        seats = len(event.hands)
        for seat in (*range(event.lead, seats), *range(event.lead)):
            if event.hands[seat] != NO_HAND:
                guess = event.guesses[seat]
                said = "said nothing that counts" if guess == INVALID_GUESS else f"said {guess}"
                lines.append(f"  {self._who(seat)} showed {event.hands[seat]} and {said}.")
        return lines

    def _ending(self, event: GameEnded) -> list[str]:
        outcome = event.outcome
        rounds = pluralize(outcome.rounds, "round")
        if outcome.loser is not None:
            loser = f"{self._who(outcome.loser)} loses"
            removed = any(thrown.seat == outcome.loser for thrown in outcome.thrown_out)
            how = "thrown out" if removed else f"with {pluralize(event.chopsticks[outcome.loser], 'stick')} left"
            ending = f"{loser}, {how}"
        elif outcome.reason == "max_rounds":
            ending = "The game is stopped and nobody loses"
        else:
            ending = f"{self._who(outcome.ranking[0].seat)} is the first without sticks and wins"
        return ["", f"[bold]{ending}[/bold], after {rounds}."]

    def _failure(self, event: PlayerForfeited) -> str:
        return f"{self._who(event.seat)} failed ({event.forfeit.reason}: {escape(event.forfeit.message)})"

    def _who(self, seat: int) -> str:
        """Return the name and the seat of a player.  Seats count from 1 on screen."""
        you = ", you" if seat == self._seat else ""
        return f"{self._names[seat]} (seat {seat + 1}{you})"


def _consequence(event: AnswerRepaired) -> str:
    if event.used is None:
        return "it must choose another"
    if event.used == INVALID_GUESS:
        return "the guess is void"
    return f"it counts as {event.used}"


def violation_text(violation: Violation, reader: Reader) -> str:
    """Return a clause without a capital letter or a full stop.  All readers get the same one."""
    match violation:
        case ReportedViolation():
            return violation.message
        case AnswerShape(given):
            return f"{given} is neither a whole number nor known not to be one"
        case HandRange(least, most):
            return f"you can hide {least} to {most} of your sticks"
        case GuessTaken(guess):
            return f"{guess} was said before in this round"
        case GuessRange(most):
            return f"the sum is a number from 0 to {most}"
    raise TypeError(f"no text for {violation!r}")


def answer_text(request: PorrinhaRequest, answer: PorrinhaAnswer, reader: Reader) -> str:
    """Return a short phrase for an answer, good or bad."""
    if isinstance(answer, NotANumber):
        return f"answers {answer.said}"
    return f"hides {pluralize(answer, 'stick')}" if isinstance(request, HideSticks) else f"says {answer}"


# The page


class _PageNarrator(Narrator):
    """Narrates for readers who see the seats."""

    def _who(self, seat: int) -> str:
        return f"{self._names[seat]} (you)" if seat == self._seat else self._names[seat]


def guess_text(name: str | None, guess: int | None) -> str:
    said = "nothing that counts" if guess is None else str(guess)
    return f"You say {said}." if name is None else f"{name} says {said}."


def situation_text(own_hand: int, least: int, most: int, has_bluffs: bool) -> str:
    bluffs = " Hatched numbers are bluffs." if has_bluffs else ""
    return f"You hold {own_hand}, so the sum is {least} to {most}.{bluffs}"


def taken_text(name: str, number: int) -> str:
    return f"{name} said {number}."


def bluff_text(own_hand: int, least: int, most: int, number: int) -> str:
    return f"You hide {own_hand}: the sum is {least} to {most}. Saying {number} can only mislead."


def say_text(number: int) -> str:
    return f"Say {number}."


new_narrator = Narrator
page_narrator = _PageNarrator
