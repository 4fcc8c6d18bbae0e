"""Porrinha's texts in Brazilian Portuguese."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from wateringhole.facets import Reader
from wateringhole.formatting import escape
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
    "hand_range": "escondeu {said} palitos, o que não podia",
    "guess_negative": "palpitou {said}, que é menos que 0",
    "guess_high": "palpitou {said}, que é mais do que há na mesa",
    "guess_taken": "palpitou {said}, que já tinha sido dito",
    "not_a_number": "respondeu {said}, que não é um número inteiro",
}
_WHY_OUT = {
    "exception": "falha do programa",
    "late": "resposta tarde demais",
    "illegal": "regra quebrada",
    "unreadable": "resposta ilegível",
    "disconnected": "conexão perdida",
    "left": "saiu da mesa",
    "withdrawn": "falhou em partidas demais",
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
                sticks = _sticks(event.chopstick_count)
                return ("", f"[bold]Rodada {event.number}[/bold]: {sticks} na mesa, {self._who(event.lead)} sai.")
            case RoundSettled():
                return self._settling(event)
            case GameEnded():
                return self._ending(event)
            case PlayerForfeited() if event.removed:
                return (f"[bold]{self._failure(event)} e sai da partida.[/bold]",)
        return ()

    def incidents(self, event: Event) -> Sequence[str]:
        """Return the lines for a bad answer, or for a failure without a penalty."""
        match event:
            case AnswerRepaired():
                said = escape(event.said.said) if isinstance(event.said, NotANumber) else event.said
                return (f"{self._who(event.seat)} {FAULTS[event.fault].format(said=said)}: {_consequence(event)}.",)
            case PlayerForfeited() if not event.removed:
                return (f"{self._failure(event)}, e isso não custa mais nada.",)
        return ()

    def _settling(self, event: RoundSettled) -> list[str]:
        if event.winner == NO_SEAT:
            lines = [f"Ninguém acertou: a soma é {event.sum}."]
        else:
            left = event.chopsticks[event.winner]
            lines = [f"{self._who(event.winner)} acertou com {event.sum} e larga um palito: {_left(left)}."]
        if event.left:
            lines.append(f"{self._who(event.winner)} ficou sem palitos e está salvo.")
        seats = len(event.hands)
        for seat in (*range(event.lead, seats), *range(event.lead)):
            if event.hands[seat] != NO_HAND:
                guess = event.guesses[seat]
                said = "não disse nada que valha" if guess == INVALID_GUESS else f"disse {guess}"
                lines.append(f"  {self._who(seat)} mostrou {event.hands[seat]} e {said}.")
        return lines

    def _ending(self, event: GameEnded) -> list[str]:
        outcome = event.outcome
        rounds = "1 rodada" if outcome.rounds == 1 else f"{outcome.rounds} rodadas"
        if outcome.loser is not None:
            removed = any(thrown.seat == outcome.loser for thrown in outcome.thrown_out)
            how = "eliminado" if removed else f"com {_sticks(event.chopsticks[outcome.loser])}"
            ending = f"{self._who(outcome.loser)} perde, {how}"
        elif outcome.reason == "max_rounds":
            ending = "A partida para aqui e ninguém perde"
        else:
            ending = f"{self._who(outcome.ranking[0].seat)} é o primeiro sem palitos e vence"
        return ["", f"[bold]{ending}[/bold], depois de {rounds}."]

    def _failure(self, event: PlayerForfeited) -> str:
        return f"{self._who(event.seat)} falhou ({_WHY_OUT[event.forfeit.reason]})"

    def _who(self, seat: int) -> str:
        """Return the name and the seat of a player.  Seats count from 1 on screen."""
        you = ", você" if seat == self._seat else ""
        return f"{self._names[seat]} (lugar {seat + 1}{you})"


def _consequence(event: AnswerRepaired) -> str:
    if event.used is None:
        return "precisa escolher outro"
    if event.used == INVALID_GUESS:
        return "o palpite não vale"
    return f"conta como {event.used}"


def _sticks(count: int) -> str:
    return "1 palito" if count == 1 else f"{count} palitos"


def _left(count: int) -> str:
    return "não resta nenhum" if count == 0 else "resta 1" if count == 1 else f"restam {count}"


def violation_text(violation: Violation, reader: Reader) -> str:
    """Return a clause without a capital letter or a full stop.  All readers get the same one."""
    match violation:
        case ReportedViolation():
            return violation.message
        case AnswerShape(given):
            return f"{given} não é um número inteiro"
        case HandRange(least, most):
            return f"você pode esconder de {least} a {most} dos seus palitos"
        case GuessTaken(guess):
            return f"{guess} já foi dito nesta rodada"
        case GuessRange(most):
            return f"a soma é um número de 0 a {most}"
    raise TypeError(f"no text for {violation!r}")


def answer_text(request: PorrinhaRequest, answer: PorrinhaAnswer, reader: Reader) -> str:
    """Return a short phrase for an answer, good or bad."""
    if isinstance(answer, NotANumber):
        return f"responde {answer.said}"
    return f"esconde {_sticks(answer)}" if isinstance(request, HideSticks) else f"diz {answer}"


# The page


class _PageNarrator(Narrator):
    """Narrates for readers who see the seats."""

    def _who(self, seat: int) -> str:
        return f"{self._names[seat]} (você)" if seat == self._seat else self._names[seat]


def guess_text(name: str | None, guess: int | None) -> str:
    said = "não diz nada que valha" if guess is None else f"diz {guess}"
    return f"{name or 'Você'} {said}."


def situation_text(own_hand: int, least: int, most: int, has_bluffs: bool) -> str:
    bluffs = " Números riscados são blefes." if has_bluffs else ""
    return f"Você tem {own_hand} na mão, então a soma vai de {least} a {most}.{bluffs}"


def taken_text(name: str, number: int) -> str:
    return f"{name} disse {number}."


def bluff_text(own_hand: int, least: int, most: int, number: int) -> str:
    return f"Você esconde {own_hand}: a soma vai de {least} a {most}. Dizer {number} só serve para enganar."


def say_text(number: int) -> str:
    return f"Dizer {number}."


new_narrator = Narrator
page_narrator = _PageNarrator
