"""What answers in a game of Evolution were worth: the champion's answers, and rollouts.

Every estimate starts from what a seat had seen: its view, the food that it saw the others collect, and the players
that it saw decline to feed.  The cards that it does not see are sampled.  After the seat's answer, and after the
champion's, `greedy` plays all seats to the end, from the same sampled states.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from wateringhole.errors import UsageError
from wateringhole.facets import Decision, Estimate, Evaluation
from wateringhole.game import Event, Seat
from wateringhole.games.evolution.bots.champion.player import Champion
from wateringhole.games.evolution.bots.greedy import Greedy
from wateringhole.games.evolution.compiled.game import GAME
from wateringhole.games.evolution.compiled.rollouts import rollout
from wateringhole.games.evolution.encoding import ENCODING
from wateringhole.games.evolution.rules import events
from wateringhole.games.evolution.rules.answers import StoreFat
from wateringhole.games.evolution.rules.draft import Draft
from wateringhole.games.evolution.rules.folded_view import FoldedView
from wateringhole.games.evolution.rules.requests import DeclareCards, FeedNext
from wateringhole.games.evolution.rules.setup import Setup
from wateringhole.player import SeatAssignment

__all__ = ["ANALYSIS", "EvolutionAnalysis", "Memory"]


ROLLOUT_PLAYER: Final = "greedy"

_PLAIN_PLAYER: Final = Greedy()
"""Gives another answer to compare with."""


# ── what a seat remembers ─────────────────────────────────────────────────────────────────


class Memory:
    """The knowledge of a seat beside its view: the food that others moved to their bags, and who declined this turn."""

    def __init__(self, seat: Seat) -> None:
        self._view = FoldedView(seat)
        self.bags: dict[Seat, int] = {}
        self.declined: set[Seat] = set()

    def see(self, event: Event) -> None:
        match event:
            case events.GameStarted(order=order):
                self.bags = dict.fromkeys(order, 0)
            case events.TurnStarted():
                self.declined = set()
            case events.PlayerPassed(seat=seat):
                self.declined.add(seat)
            case events.FoodBagged(seat=seat):
                self.bags[seat] += sum(board.food for board in self._view.boards_of(seat))
            case events.PlayerForfeited(seat=seat):
                self.bags.pop(seat, None)
                self.declined.discard(seat)
        self._view.see(event)


@dataclass(frozen=True)
class _Situation:
    """A decision, with the memory of its seat at that time."""

    request: DeclareCards | FeedNext
    answer: Any
    bags: Mapping[Seat, int]
    declined: frozenset[Seat]

    def has_effect_of(self, answer: Any) -> bool:
        return bool(_effect(self.request, self.answer) == _effect(self.request, answer))

    def rollout(self, answers: Sequence[Any], games: int, seed: int) -> list[Estimate]:
        """Return the share of first places after each answer.  Raises UsageError for a table that is not simulated."""
        results = rollout(
            self.request,
            games=games,
            seed=seed,
            me=ROLLOUT_PLAYER,
            others=ROLLOUT_PLAYER,
            candidates=answers,
            bags=self.bags,
            declined=self.declined,
        )
        return [Estimate(each.wins, math.sqrt(each.wins * (1 - each.wins) / each.games)) for each in results]


def _situations(decisions: Sequence[Decision]) -> Iterator[_Situation]:
    memories: dict[Seat, Memory] = {}
    for decision in decisions:
        seat = decision.request.seat
        memory = memories.setdefault(seat, Memory(seat))
        for event in decision.seen:
            memory.see(event)
        yield _Situation(decision.request, decision.answer, dict(memory.bags), frozenset(memory.declined))


# ── the facet ─────────────────────────────────────────────────────────────────────────────


class EvolutionAnalysis:
    """The analysis of Evolution."""

    best_player = "champion"
    rollout_player = ROLLOUT_PLAYER

    def refuses(self, rules: Any, players: int) -> str | None:
        if why := ENCODING.refuses(rules, players):
            return why
        try:
            GAME.setup(rules, players)
        except UsageError as error:
            return str(error).removesuffix(".")
        return None

    def chance_of(self, rules: Any) -> str:
        return "of the first place"

    def evaluate(
        self, setup: Setup, decisions: Sequence[Decision], which: Collection[int], games: int, seed: int
    ) -> dict[int, Evaluation]:
        champions = [_seated(setup, Seat(seat)) for seat in range(setup.players)]
        found = {}
        for index, situation in enumerate(_situations(decisions)):
            # The engine cannot hold every table, e.g. one with a very long row.
            with suppress(UsageError):
                if index in which:
                    found[index] = _evaluate(situation, champions[situation.request.seat], games, seed)
        return found


ANALYSIS: Final = EvolutionAnalysis()


def _evaluate(situation: _Situation, champion: Champion, games: int, seed: int) -> Evaluation:
    advised = situation.request.ask(champion)
    agrees = situation.has_effect_of(advised)
    answers = [advised] if agrees else [advised, situation.answer]
    if not agrees:
        third = situation.request.ask(_PLAIN_PLAYER)
        if not any(_effect(situation.request, third) == _effect(situation.request, each) for each in answers):
            answers.append(third)
    chances = situation.rollout(answers, games, seed)
    before, after = chances[0], chances[0 if agrees else 1]
    # An upper bound: both answers start from the same states, which makes their results alike.
    loss = Estimate(before.value - after.value, 0.0 if agrees else math.hypot(before.error, after.error))
    options = sorted(zip(answers, chances, strict=True), key=lambda each: -each[1].value)
    return Evaluation(before, after, loss, ((advised, 1.0),), agrees, games, options)


def _seated(setup: Setup, seat: Seat) -> Champion:
    champion = Champion()
    champion.on_seated(SeatAssignment(seat, ("",) * setup.players, setup.rules))
    return champion


def _effect(request: DeclareCards | FeedNext, answer: Any) -> Any:
    """Return a value that is equal for answers with the same effect."""
    if isinstance(request, FeedNext):
        if isinstance(answer, StoreFat):
            return StoreFat(answer.board, min(answer.tokens, request.view.hole))
        return answer
    draft = Draft.from_declaration(answer, request.view.hand, request.view.boards, request.view.rules)
    assert isinstance(draft, Draft)
    return draft.food_card(), tuple(draft.boards), frozenset(draft.hand_left())
