"""What the answers of a recorded game were worth: chances before and after, better answers, and costly decisions.

A game's `analysis` facet estimates; this module replays the record, keeps each seat to what it had seen, and chooses
the decisions that rollouts confirm.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple

from wateringhole import fallbacks, registry
from wateringhole.errors import OperationError
from wateringhole.facets import Analysis, Decision, Estimate, Evaluation, Reader
from wateringhole.game import Event, Forfeit, JsonObject, Notice, Outcome, Seat
from wateringhole.match.record import Record

__all__ = [
    "SIMULATIONS",
    "AnalysedAnswer",
    "GameAnalysis",
    "Method",
    "SeatSummary",
    "TurningPoint",
    "Work",
    "analyse",
    "analysis_steps",
    "recorded_decisions",
]

FIRST_GAMES: Final = 200
"""Rollouts for each answer, to find the decisions that seem to cost most."""

PART: Final = 4
"""The decisions that are first evaluated together."""

CONFIRMED: Final = 12
"""The number of decisions that are confirmed."""

SIMULATIONS: Final = 1000
"""The default number of rollouts for each answer of a decision that is confirmed."""

ERRORS: Final = 2
"""A loss counts if it is above this many standard errors."""

LEAST_LOSS: Final = 0.005
"""A smaller loss is not listed."""

TURNING_POINTS: Final = 3
"""The most turning points of a seat."""

LEAST_CHANGE: Final = 0.03
"""A decision that changed the chance by less is no turning point."""

COMPARED: Final = 3
"""The most answers that a turning point compares, with the one that was given."""


@dataclass(frozen=True)
class AnalysedAnswer:
    """One answer of a record."""

    number: int
    """Its place among the answers of the record, from 0."""
    seat: Seat
    turn: int
    """The turn or round, from 1."""
    frame: int
    """The number of events before the answer, notices not counted."""
    decision: Decision
    evaluation: Evaluation | None = None
    """None if it could not be estimated."""
    confirmed: bool = False
    """True if the evaluation is exact, or from new rollouts after the first ones found a loss."""

    @property
    def shown_frame(self) -> int:
        """The frame of the replay page that shows the table before the answer."""
        return max(0, self.frame - 1)

    @property
    def loss(self) -> float:
        return self.evaluation.loss.value if self.evaluation else 0.0

    @property
    def is_costly(self) -> bool:
        """True if the loss was confirmed, and is larger than chance explains."""
        if self.evaluation is None or not self.confirmed:
            return False
        return self.loss > max(LEAST_LOSS, ERRORS * self.evaluation.loss.error)


class TurningPoint(NamedTuple):
    """A decision that changed a seat's chance much, for better or worse."""

    answer: AnalysedAnswer
    is_good: bool
    before: float
    """The chance with the best player's answer."""
    after: float
    """The chance after the answer or, for a good one, when the seat decides again."""

    @property
    def change(self) -> float:
        return abs(self.after - self.before)


@dataclass(frozen=True)
class GameAnalysis:
    """The analysis of one recorded game."""

    record: Record
    chance_of: str
    """The subject of the chances, to follow "the chance"."""
    best_player: str
    rollout_player: str
    simulations: int
    seed: int
    answers: tuple[AnalysedAnswer, ...]
    """The answers of the analysed seats, without forfeits."""
    outcome: Outcome
    frames: int = 0
    """The number of events, notices not counted."""
    turns: tuple[tuple[int, int], ...] = ()
    """The turns: the number of each, and of the events before it."""

    @property
    def seats(self) -> tuple[Seat, ...]:
        """The seats that gave the answers."""
        return tuple(sorted({answer.seat for answer in self.answers}))

    def costliest(self) -> list[AnalysedAnswer]:
        """Return the decisions with a confirmed loss, the costliest first."""
        return sorted((answer for answer in self.answers if answer.is_costly), key=lambda answer: -answer.loss)

    def turning_points(self, seat: Seat) -> list[TurningPoint]:
        """Return the decisions of a seat that changed its chance most, in their order.

        A bad one has a confirmed loss.  After a good one, which the best player would take as well, the chance has
        risen until the seat decides again.
        """
        found = []
        estimated = [(each, each.evaluation) for each in self.answers if each.seat == seat and each.evaluation]
        for number, (answer, evaluation) in enumerate(estimated):
            later = estimated[number + 1][1].before if number + 1 < len(estimated) else evaluation.after
            before, after = evaluation.before.value, evaluation.after.value
            if answer.is_costly:
                found.append(TurningPoint(answer, False, before, after))
            elif evaluation.agrees and later.value > before:
                found.append(TurningPoint(answer, True, before, later.value))
        largest = sorted((point for point in found if point.change >= LEAST_CHANGE), key=lambda point: -point.change)
        bad, good = ([point for point in largest if point.is_good == is_good] for is_good in (False, True))
        # Luck adds to the rise after a good decision, so mistakes come first, but not alone.
        chosen = [*bad[:2], *good[:1], *bad[2:], *good[1:]][:TURNING_POINTS]
        return sorted(chosen, key=lambda point: point.answer.number)

    def summary(self, seat: Seat) -> SeatSummary:
        mine = [answer for answer in self.answers if answer.seat == seat]
        estimated = [answer.evaluation for answer in mine if answer.evaluation]
        place = next((each.place for each in self.outcome.ranking if each.seat == seat), None)
        return SeatSummary(
            place=place,
            answers=len(mine),
            estimated=len(estimated),
            agreed=sum(each.agrees for each in estimated),
            loss=Estimate(
                sum(each.loss.value for each in estimated), math.hypot(*(each.loss.error for each in estimated))
            ),
            chances=tuple(_by_turn(mine)),
        )

    def text(self, answer: AnalysedAnswer, given: Any, language: str = "en") -> str:
        """Return a phrase for an answer to the request of another one."""
        reader = Reader(self.record.header.names)
        return fallbacks.text(self.record.kind).answer(answer.decision.request, given, reader, language)

    def to_json(self) -> JsonObject:
        """Return the documented fields, with seats from 0."""
        return {
            "game": self.record.kind.name,
            "chance": f"chance {self.chance_of}",
            "best_player": self.best_player,
            "rollout_player": self.rollout_player,
            "simulations": self.simulations,
            "seed": self.seed,
            "seats": [self._seat_to_json(seat) for seat in self.seats],
            "answers": [self._answer_to_json(answer) for answer in self.answers],
            "costliest": [answer.number for answer in self.costliest()],
        }

    def to_page(self, language: str = "en") -> JsonObject:
        """Return the chances by frame of the replay page, and the costliest decisions."""
        lines = []
        for seat in self.seats:
            points: list[tuple[int, float]] = []
            for answer in self.answers:
                if answer.seat == seat and (found := answer.evaluation):
                    points += [(answer.shown_frame, found.before.value), (answer.frame, found.after.value)]
            lines.append({"seat": seat, "points": points})
        return {
            "chanceOf": self.chance_of,
            "bestPlayer": self.best_player,
            "lines": [line for line in lines if line["points"]],
            "costliest": [
                self._costly_to_page(answer, found, language)
                for answer in self.costliest()
                if (found := answer.evaluation)
            ],
            "simulations": self.simulations,
            "frames": self.frames,
            "turns": [{"turn": turn, "frame": frame} for turn, frame in self.turns],
            "turningPoints": [
                self._turning_point_to_page(point, language)
                for seat in self.seats
                for point in self.turning_points(seat)
            ],
        }

    def _turning_point_to_page(self, point: TurningPoint, language: str) -> JsonObject:
        answer, found = point.answer, point.answer.evaluation
        assert found is not None, "only an estimated answer is a turning point"
        given = answer.decision.answer
        others = [option for option in found.options if option[0] != given]
        return {
            "frame": answer.shown_frame,
            "seat": answer.seat,
            "turn": answer.turn,
            "good": point.is_good,
            "before": point.before,
            "after": point.after,
            "text": self.text(answer, given, language),
            "options": [
                {
                    "text": self.text(answer, option, language),
                    "chance": chance.value,
                    "error": chance.error,
                    "mine": option is given,
                }
                for option, chance in [*others[: COMPARED - 1], (given, found.after)]
            ],
        }

    def _costly_to_page(self, answer: AnalysedAnswer, found: Evaluation, language: str) -> JsonObject:
        return {
            "frame": answer.shown_frame,
            "seat": answer.seat,
            "before": found.before.value,
            "after": found.after.value,
            "loss": found.loss.value,
            "error": found.loss.error,
            "text": self.text(answer, answer.decision.answer, language),
            "best": self.text(answer, found.advice[0][0], language),
        }

    def _seat_to_json(self, seat: Seat) -> JsonObject:
        summary = self.summary(seat)
        return {
            "seat": seat,
            "name": self.record.header.names[seat],
            "place": summary.place,
            "answers": summary.answers,
            "estimated": summary.estimated,
            "agreed": summary.agreed,
            "loss": summary.loss.value,
            "loss_error": summary.loss.error,
        }

    def _answer_to_json(self, answer: AnalysedAnswer) -> JsonObject:
        decision, found = answer.decision, answer.evaluation

        def given(value: Any) -> JsonObject:
            written = self.record.kind.codec.answer_to_json(decision.request, value)
            return {"answer": written, "text": self.text(answer, value)}

        fields = {
            "number": answer.number,
            "seat": answer.seat,
            "turn": answer.turn,
            "request": decision.request.name,
            **given(decision.answer),
            "estimate": None,
        }
        if found:
            fields["estimate"] = {
                "before": found.before.value,
                "before_error": found.before.error,
                "after": found.after.value,
                "after_error": found.after.error,
                "loss": found.loss.value,
                "loss_error": found.loss.error,
                "games": found.games,
                "confirmed": answer.confirmed,
                "agrees": found.agrees,
                "best": [{**given(advised), "probability": chance} for advised, chance in found.advice],
            }
        return fields


class SeatSummary(NamedTuple):
    """The answers of one seat, taken together."""

    place: int | None
    """None for a seat that is not ranked."""
    answers: int
    estimated: int
    agreed: int
    """The number of answers that the best player may give, too."""
    loss: Estimate
    """The sum of all losses."""
    chances: tuple[float, ...]
    """The chance at the first estimated answer of each turn, and after the last answer."""


class Work(NamedTuple):
    """A part of an analysis: decisions to evaluate, with the number of rollouts for each answer."""

    decisions: Sequence[Decision]
    which: Collection[int]
    games: int
    seed: int
    done: float
    """The share of the whole analysis that is done before this part."""


class Method(NamedTuple):
    """The method of an analysis, for its reader."""

    best_player: str
    rollout_player: str
    chance_of: str


def _facet(record: Record) -> Analysis:
    analysed = ", ".join(kind.name for kind in registry.kinds() if kind.analysis)
    facet: Analysis = fallbacks.require(
        record.kind.analysis, f"{record.kind.name} has no analysis. Choose from: {analysed}."
    )
    if why := facet.refuses(record.setup.rules, record.setup.players):
        raise OperationError(f"the game cannot be analysed: {why}.")
    return facet


def analyse(record: Record, *, seat: Seat | None = None, simulations: int = SIMULATIONS, seed: int = 0) -> GameAnalysis:
    """Analyse a record: the answers of one seat, or of all seats.

    The decisions that seem to cost most are confirmed with `simulations` new rollouts for each answer.
    Raises OperationError, with the line, for a record that does not fit the rules, and for a game that cannot be
    analysed.  Raises UsageError for a game without analysis.
    """
    facet = _facet(record)
    method = Method(facet.best_player, facet.rollout_player, facet.chance_of(record.setup.rules))
    steps = analysis_steps(record, method, seat=seat, simulations=simulations, seed=seed)
    work = next(steps)
    while True:
        try:
            work = steps.send(facet.evaluate(record.setup, work.decisions, work.which, work.games, work.seed))
        except StopIteration as finished:
            analysis: GameAnalysis = finished.value
            return analysis


def analysis_steps(
    record: Record, method: Method, *, seat: Seat | None = None, simulations: int = SIMULATIONS, seed: int = 0
) -> Generator[Work, Mapping[int, Evaluation], GameAnalysis]:
    """Yield the parts of an analysis, each of which the caller evaluates.  Return the analysis."""
    found, outcome, follower = _read(record)
    asked = [answer for answer in found if seat is None or answer.seat == seat]
    decisions = [answer.decision for answer in asked]
    first: dict[int, Evaluation] = {}
    total = FIRST_GAMES * len(asked) + simulations * min(CONFIRMED, len(asked)) or 1
    for start in range(0, len(asked), PART):
        which = range(start, min(start + PART, len(asked)))
        first |= yield Work(decisions, which, FIRST_GAMES, seed, FIRST_GAMES * start / total)
    losing = [index for index, each in first.items() if each.games and each.loss.value > 0]
    costliest = sorted(losing, key=lambda index: -first[index].loss.value)[:CONFIRMED]
    # New samples: the first ones overestimate the losses that they found to be the largest.
    second: dict[int, Evaluation] = {}
    for count, index in enumerate(costliest):
        done = (FIRST_GAMES * len(asked) + simulations * count) / total
        second |= yield Work(decisions, [index], simulations, seed + 1, done)
    evaluations = {**first, **second}
    answers = [
        replace(answer, evaluation=each, confirmed=each is not None and (index in second or not each.games))
        for index, answer in enumerate(asked)
        for each in (evaluations.get(index),)
    ]
    return GameAnalysis(
        record,
        method.chance_of,
        method.best_player,
        method.rollout_player,
        simulations,
        seed,
        tuple(answers),
        outcome,
        follower.events,
        tuple(follower.turns),
    )


def _by_turn(answers: Sequence[AnalysedAnswer]) -> Iterator[float]:
    """Yield the chance at the first answer of each turn, and after the last one."""
    turn = 0
    for answer in answers:
        if answer.evaluation and answer.turn > turn:
            turn = answer.turn
            yield answer.evaluation.before.value
    estimated = [answer.evaluation for answer in answers if answer.evaluation]
    if estimated:
        yield estimated[-1].after.value


def recorded_decisions(record: Record) -> list[Decision]:
    """Return the answers of a record in their order, without forfeits, as an analysis gets them."""
    return [answer.decision for answer in _read(record)[0]]


def _read(record: Record) -> tuple[list[AnalysedAnswer], Outcome, _Follower]:
    """Replay a record.  Return its answers in order, without forfeits, the outcome, and what followed the game."""
    replay = record.replay()
    follower = _Follower(record)
    follower.see(replay.game.opening)
    for step in replay.advances():
        follower.answer(step.answered)
        follower.see(step.events)
    assert replay.game.outcome is not None, "a record that was replayed to its end is over"
    return follower.answers, replay.game.outcome, follower


class _Follower:
    """Follows a replayed game, and keeps what each seat has seen since its last answer."""

    def __init__(self, record: Record) -> None:
        self._turn_of = record.kind.turn_of
        self._unread: dict[Seat, list[Event]] = {Seat(seat): [] for seat in range(record.setup.players)}
        self._turn = 0
        self.events = 0
        self.turns: list[tuple[int, int]] = []
        self._taken = 0
        self.answers: list[AnalysedAnswer] = []

    def see(self, events: Sequence[Event]) -> None:
        for event in events:
            if isinstance(event, Notice):
                continue
            if (turn := self._turn_of(event)) is not None:
                self._turn = turn
                self.turns.append((turn, self.events))
            self.events += 1
            for seat, unread in self._unread.items():
                if (seen := event.seen_by(seat)) is not None:
                    unread.append(seen)

    def answer(self, answered: Mapping[Seat, tuple[Any, Any]]) -> None:
        for seat, (request, answer) in answered.items():
            if not isinstance(answer, Forfeit):
                decision = Decision(request, answer, self._unread[seat])
                self.answers.append(AnalysedAnswer(self._taken, seat, self._turn, self.events, decision))
                self._unread[seat] = []
            self._taken += 1
