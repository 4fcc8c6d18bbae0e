"""What to look at before hiding sticks or guessing the sum, and what the expert would do.

Everything follows from a request, which contains only what its seat may know.
"""

from __future__ import annotations

from typing import Any, Final

from wateringhole.facets import FirstGame, Remark
from wateringhole.games.porrinha.advice import advise
from wateringhole.games.porrinha.bots.expert.beliefs import normalized, sum_chances
from wateringhole.games.porrinha.rules.options import Rules
from wateringhole.games.porrinha.rules.requests import GuessTotal, HideSticks, PorrinhaRequest

__all__ = ["COACH", "PorrinhaCoach"]


class PorrinhaCoach:
    """The coach of Porrinha."""

    best_player = "expert"
    first_game = FirstGame(("zero",), seed=1)

    def remark(self, request: PorrinhaRequest) -> Remark:
        view = request.view
        mine, others = view.chopsticks[request.seat], view.chopstick_count - view.chopsticks[request.seat]
        if isinstance(request, HideSticks):
            return Remark("hide", {"mine": mine, "table": view.chopstick_count}, {"part": "numbers"})
        values = {"own": view.own_hand, "others": others, "least": view.own_hand, "most": view.own_hand + others}
        taken = sum(guess >= 0 for guess in view.guess)
        values["middle"] = _likeliest(request)
        return Remark("guess_after" if taken else "guess_first", values, {"part": "numbers"})

    def advise(self, rules: Rules, players: int, request: PorrinhaRequest) -> Any:
        weights = advise(rules, request)
        # Of equally likely answers, the lowest: the same request always gets the same advice.
        return max(weights, key=lambda answer: (weights[answer], -answer)) if weights else None

    def risk(self, request: PorrinhaRequest, answer: Any) -> Remark | None:
        if not isinstance(request, GuessTotal) or type(answer) is not int:
            return None
        view = request.view
        most = view.own_hand + view.chopstick_count - view.chopsticks[request.seat]
        possible = view.own_hand <= answer <= most
        values = {"own": view.own_hand, "least": view.own_hand, "most": most, "guess": answer}
        return Remark("unlikely" if possible else "impossible", values, {"part": "numbers"})


COACH: Final = PorrinhaCoach()


def _likeliest(request: GuessTotal) -> int:
    """Return the likeliest free sum if the others hide any number of sticks equally often."""
    view = request.view
    others = [normalized([1.0] * (view.chopsticks[seat] + 1)) for seat in view.guessing_order() if seat != request.seat]
    chances = sum_chances(others)
    by_sum = {view.own_hand + more: chance for more, chance in enumerate(chances)}
    return max(request.options, key=lambda value: by_sum.get(value, 0.0))
