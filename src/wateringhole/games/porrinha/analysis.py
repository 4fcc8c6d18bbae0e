"""What answers in a game of Porrinha were worth, by the exact solution for two players and by rollouts for more.

The measure is the chance not to lose; under `finish=first_out_wins`, the chance to be first.  Everything starts from
what a seat knows: its view and its own hand.

- Two players are exact: the hidden hand has the chances that the equilibrium gives it after what the opponent said,
  and both continue with the equilibrium.
- With more players, the compiled `equilibrium` plays all seats to the end after each legal answer.  The hidden hands
  have the chances that the strategy of `expert` gives them after what was said.
"""

from __future__ import annotations

import math
from collections.abc import Collection, Sequence
from typing import Final

from wateringhole.errors import UsageError
from wateringhole.facets import Decision, Estimate, Evaluation
from wateringhole.games.porrinha.advice import Chances, Request, advise, believed, exact
from wateringhole.games.porrinha.compiled.game import GAME
from wateringhole.games.porrinha.compiled.rollouts import rollout
from wateringhole.games.porrinha.rules.options import Rules
from wateringhole.games.porrinha.rules.setup import Setup
from wateringhole.games.porrinha.rules.view import View
from wateringhole.sim.rollouts import RolloutResult

__all__ = ["ANALYSIS", "PorrinhaAnalysis"]


class PorrinhaAnalysis:
    """The analysis of Porrinha."""

    best_player = "expert"
    rollout_player = "equilibrium"

    def refuses(self, rules: Rules, players: int) -> str | None:
        try:
            GAME.setup(rules, players)
        except UsageError as error:
            return str(error).removesuffix(".")
        return None

    def chance_of(self, rules: Rules) -> str:
        return "not to lose" if rules.finish == "last_loses" else "to be first"

    def evaluate(
        self, setup: Setup, decisions: Sequence[Decision], which: Collection[int], games: int, seed: int
    ) -> dict[int, Evaluation]:
        found = {index: _evaluate(setup.rules, decisions[index], games, seed) for index in which}
        return {index: evaluation for index, evaluation in found.items() if evaluation}


ANALYSIS: Final = PorrinhaAnalysis()


def _evaluate(rules: Rules, decision: Decision, games: int, seed: int) -> Evaluation | None:
    """Evaluate a decision, or return None for a void answer, and at a table that is too large for the expert."""
    request = decision.request
    counted, _ = request.resolve(decision.answer)
    weights = advise(rules, request)
    if counted not in request.options or weights is None:
        return None
    solved = exact(rules, request)
    chances = solved[1] if solved else _rolled_out(rules, request, games, seed)
    before = sum(weight * chances[answer].value for answer, weight in weights.items())
    spread = math.hypot(*(weight * chances[answer].error for answer, weight in weights.items()))
    after = chances[counted]
    return Evaluation(
        before=Estimate(before, spread),
        after=after,
        loss=Estimate(before - after.value, math.hypot(spread, after.error)),
        advice=sorted(weights.items(), key=lambda each: -each[1]),
        agrees=counted in weights,
        games=0 if solved else games,
        options=sorted(chances.items(), key=lambda each: -each[1].value),
    )


def _rolled_out(rules: Rules, request: Request, games: int, seed: int) -> Chances:
    """Return the chance after each legal answer, by rollouts."""
    player = ANALYSIS.rollout_player
    results = rollout(
        request, games=games, seed=seed, me=player, others=player, rules=rules, hands=believed(rules, request)
    )
    return {result.candidate: _success(rules, request.view, result) for result in results}


def _success(rules: Rules, view: View, result: RolloutResult[int]) -> Estimate:
    """Return the share of games that the seat did not lose, or in which it was first."""
    good = view.player_count - 1
    if rules.finish == "first_out_wins":
        good = 1 + view.player_count - view.active_player_count
    share = sum(result.places[:good])
    return Estimate(share, math.sqrt(share * (1 - share) / result.games))
