"""Porrinha's data for the page: fists, sticks and guesses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any, Literal

from wateringhole.facets import Manifest, SceneBuilder
from wateringhole.game import Answer, Event, Request, Seat, Violation
from wateringhole.games.porrinha.rules import codec
from wateringhole.games.porrinha.rules.answers import PorrinhaAnswer
from wateringhole.games.porrinha.rules.events import GameEnded, GuessSaid, PlayerForfeited, RoundSettled, RoundStarted
from wateringhole.games.porrinha.rules.options import starting_sticks
from wateringhole.games.porrinha.rules.requests import GuessTotal, HideSticks, PorrinhaRequest
from wateringhole.games.porrinha.rules.view import INVALID_GUESS, NO_HAND, NO_SEAT
from wateringhole.games.porrinha.rules.violations import GuessRange, GuessTaken, HandRange
from wateringhole.games.porrinha.text import LANGUAGES
from wateringhole.games.porrinha.text.language import PorrinhaLanguage
from wateringhole.markup import plain

__all__ = ["PAGE", "PorrinhaPage"]

MOST_STICKS = 100
"""The most sticks at one table.  The page draws every stick, and a button for every sum."""

Phase = Literal["hide", "guess", "open", "end"]


class _Scenes:
    """Scenes for one seat or a spectator."""

    def __init__(self, text: PorrinhaLanguage, names: Sequence[str], seat: Seat | None) -> None:
        self._text = text
        self._names = names
        self._seat = seat
        self._narrator = text.page_narrator(names, seat)
        seats = len(names)
        self._phase: Phase = "hide"
        self._round = 0
        self._lead = Seat(0)
        self._sticks: tuple[int, ...] = (0,) * seats
        self._most_sticks = 0
        self._order: list[Seat] = []
        self._guesses: list[int | None] = [None] * seats
        self._void: list[Seat] = []
        self._hands: list[int | None] = [None] * seats
        self._own_hand: int | None = None
        self._total: int | None = None
        self._winner: int | None = None
        self._acting: list[Seat] = []
        self._out: list[Seat] = []

    def see(self, event: Event) -> list[str]:
        match event:
            case RoundStarted():
                self._start_round(event)
            case GuessSaid():
                self._phase = "guess"
                self._acting = [event.seat]
                if event.guess == INVALID_GUESS:
                    self._void.append(event.seat)
                else:
                    self._guesses[event.seat] = event.guess
            case RoundSettled():
                self._phase = "open"
                self._acting = []
                self._hands = [None if hand == NO_HAND else hand for hand in event.hands]
                self._sticks = event.chopsticks
                self._total = event.sum
                self._winner = None if event.winner == NO_SEAT else event.winner
            case PlayerForfeited(removed=True):
                self._out.append(event.seat)
            case GameEnded():
                self._phase = "end"
                self._acting = []
        if isinstance(event, GuessSaid):
            return [self._guess_line(event)]
        lines = plain([*self._narrator.narrate(event), *self._narrator.incidents(event)])
        return _hands_first(event, lines) if isinstance(event, RoundSettled) else lines

    def _start_round(self, event: RoundStarted) -> None:
        seats = len(self._names)
        self._phase = "hide"
        self._round = event.number
        self._lead = event.lead
        self._sticks = event.chopsticks
        self._most_sticks = max(self._most_sticks, *event.chopsticks)
        turns = [*range(event.lead, seats), *range(event.lead)]
        self._order = [Seat(seat) for seat in turns if event.chopsticks[seat]]
        self._acting = list(self._order)
        self._guesses = [None] * seats
        self._void = []
        self._hands = [None] * seats
        self._own_hand = self._total = self._winner = None

    def _guess_line(self, event: GuessSaid) -> str:
        """Return the line about a guess; the narrator mentions guesses only after the hands open."""
        guess = None if event.guess == INVALID_GUESS else event.guess
        return self._text.guess_text(None if event.seat == self._seat else self._names[event.seat], guess)

    def answered(self, request: Request[Any], answer: Answer | None) -> bool:
        if not isinstance(request, HideSticks) or answer is None:
            return False
        self._own_hand, _ = request.resolve(answer)
        return True

    def asked(self, requests: Mapping[Seat, str]) -> None:
        self._acting = list(requests)
        if "guess" in requests.values():
            self._phase = "guess"

    def scene(self) -> dict[str, Any]:
        return {
            "round": self._round,
            "lead": self._lead,
            "sticks": list(self._sticks),
            "most_sticks": self._most_sticks,
            "table": sum(self._sticks),
            "guesses": list(self._guesses),
            "void": list(self._void),
            "hands": list(self._hands),
            "own_hand": self._own_hand,
            "total": self._total,
            "winner": self._winner,
            "active": [seat for seat, own in enumerate(self._sticks) if own],
            "acting": list(self._acting),
            "order": list(self._order),
            "phase": self._phase,
            "out": list(self._out),
        }


class _ReplayScenes(_Scenes):
    """Scenes with all hands visible from the start of their round."""

    def __init__(self, text: PorrinhaLanguage, names: Sequence[str], events: Sequence[Event]) -> None:
        super().__init__(text, names, None)
        # A restarted round is settled once, so the last event with its number counts.
        self._secrets = {
            event.number: [None if hand == NO_HAND else hand for hand in event.hands]
            for event in events
            if isinstance(event, RoundSettled)
        }

    def scene(self) -> dict[str, Any]:
        nothing = [None] * len(self._names)
        return {**super().scene(), "secret_hands": self._secrets.get(self._round, nothing)}


def _hands_first(event: RoundSettled, lines: list[str]) -> list[str]:
    """Return the lines about the hands first, as they open, and then the result."""
    shown = sum(hand != NO_HAND for hand in event.hands)
    return lines[-shown:] + lines[:-shown]


class PorrinhaPage:
    """The facet `page`, in one language."""

    assets = resources.files("wateringhole.games.porrinha.page")
    manifest = Manifest(
        module="view.js",
        styles=("style.css",),
        icons="icons.js",
        picture="fist",
        faces=("fist", "open-hand", "stick", "paw"),
        pictures="pictures.js",
        text="text.js",
    )

    def __init__(self, text: PorrinhaLanguage) -> None:
        self._text = text

    def in_language(self, language: str) -> PorrinhaPage:
        return PorrinhaPage(LANGUAGES[language]) if language in LANGUAGES else self

    def scenes(self, names: Sequence[str], seat: Seat | None) -> SceneBuilder:
        return _Scenes(self._text, names, seat)

    def replay_scenes(self, names: Sequence[str], events: Sequence[Event]) -> SceneBuilder:
        return _ReplayScenes(self._text, names, events)

    def unsupported_rules(self, rules: Any, seats: int) -> str | None:
        sticks = sum(starting_sticks(rules, seats))
        return f"the page draws {MOST_STICKS} sticks on one table, not {sticks}" if sticks > MOST_STICKS else None

    def texts(self, rules: Any) -> dict[str, Any]:
        return {}

    def replay_event(self, event: Event) -> dict[str, Any]:
        return codec.event_to_json(event)

    def dissuade(self, request: PorrinhaRequest, answer: PorrinhaAnswer) -> Violation | None:
        """Return why a human should answer again, because the game would repair or void this answer."""
        if type(answer) is int and answer in request.options:
            return None
        if isinstance(request, HideSticks):
            return HandRange(request.options[0], request.options[-1])
        if type(answer) is int and answer in request.view.guess:
            return GuessTaken(answer)
        return GuessRange(request.view.chopstick_count)

    def offers(self, builder: SceneBuilder, names: Sequence[str], request: PorrinhaRequest) -> dict[str, Any]:
        if isinstance(request, HideSticks):
            return {"least": request.options[0], "most": request.options[-1]}
        numbers = [self._number(request, names, number) for number in range(request.view.chopstick_count + 1)]
        has_bluffs = any(number["state"] == "bluff" for number in numbers)
        text = self._text.situation_text(request.view.own_hand, *_range(request), has_bluffs)
        return {"numbers": numbers, "text": text}

    def consult(
        self, builder: SceneBuilder, request: PorrinhaRequest, message: Mapping[str, Any]
    ) -> dict[str, Any] | None:
        return None

    def _number(self, request: GuessTotal, names: Sequence[str], number: int) -> dict[str, Any]:
        """Return a sum as free, taken, or a bluff, which the player knows to be wrong."""
        view = request.view
        if number in view.guess:
            by = view.guess.index(number)
            return {"number": number, "state": "taken", "by": by, "text": self._text.taken_text(names[by], number)}
        least, most = _range(request)
        if not least <= number <= most:
            text = self._text.bluff_text(view.own_hand, least, most, number)
            return {"number": number, "state": "bluff", "by": None, "text": text}
        return {"number": number, "state": "free", "by": None, "text": self._text.say_text(number)}


def _range(request: GuessTotal) -> tuple[int, int]:
    """Return the least and the largest sum that the player's own hand allows."""
    view = request.view
    return view.own_hand, view.own_hand + view.chopstick_count - view.chopsticks[request.seat]


PAGE = PorrinhaPage(LANGUAGES["en"])
