"""What the expert answers, with probabilities, from what a seat knows: its view and its own hand.

Two players are exact.  With more players, the hidden hands have the chances that the strategy of `expert` gives them
after what was said.  Nothing here is compiled.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple

from wateringhole.facets import Estimate
from wateringhole.game import Seat
from wateringhole.games.porrinha.bots.expert import opponents as expert
from wateringhole.games.porrinha.bots.expert.beliefs import hand_chances
from wateringhole.games.porrinha.bots.expert.exact import two_player_solution
from wateringhole.games.porrinha.bots.expert.player import LARGEST_TABLE
from wateringhole.games.porrinha.bots.expert.strategy import plans
from wateringhole.games.porrinha.rules.options import Rules
from wateringhole.games.porrinha.rules.requests import GuessTotal, HideSticks
from wateringhole.games.porrinha.rules.view import View
from wateringhole.games.porrinha.solver.rounds import Right, Round, State, follow_up, positive
from wateringhole.games.porrinha.solver.solution import Solution

__all__ = ["Chances", "Request", "advise", "believed", "exact"]

Request = HideSticks | GuessTotal
Chances = Mapping[int, Estimate]
"""The chance after each legal answer."""


def advise(rules: Rules, request: Request) -> dict[int, float] | None:
    """Return the expert's probability of each answer, or None for a table that is too large for it."""
    if solved := exact(rules, request):
        return solved[0]
    return None if request.view.chopstick_count > LARGEST_TABLE else _expected(request)


def believed(rules: Rules, request: Request) -> dict[Seat, Sequence[float]] | None:
    """Return the chances of the hidden hands after what was said, or None before hands are hidden."""
    if isinstance(request, HideSticks):
        return None
    view = request.view
    if two := _table_of_two(rules, request):
        return {two.opponent: two.believed(view)}
    beliefs = zip(view.guessing_order(), _round_so_far(view).beliefs, strict=True)
    return {Seat(seat): belief for seat, belief in beliefs if seat != request.seat}


# ── more than two players ─────────────────────────────────────────────────────────────────


def _expected(request: Request) -> dict[int, float]:
    """Return the expert's probability of each answer."""
    view = request.view
    order = view.guessing_order()
    position = order.index(request.seat)
    if isinstance(request, HideSticks):
        sticks = [view.chopsticks[seat] for seat in order]
        chances = hand_chances(sticks[position], view.lowest_hand, plans(sticks)[position].spread)
    else:
        chances = tuple(_round_so_far(view).guess_chances(position)[view.own_hand])
    return dict(positive(chances))


def _round_so_far(view: View) -> expert.Round:
    """Return what the guesses of a round reveal if all players follow the expert's strategy."""
    order = view.guessing_order()
    played = expert.Round([view.chopsticks[seat] for seat in order], view.lowest_hand, [None] * len(order))
    for position, seat in enumerate(order):
        if view.guess[seat] >= 0:
            played.add_guess(position, view.guess[seat])
    return played


# ── two players ───────────────────────────────────────────────────────────────────────────


def exact(rules: Rules, request: Request) -> tuple[dict[int, float], Chances] | None:
    """Return the equilibrium's probabilities and the chance of each legal answer, or None for more than two players."""
    two = _table_of_two(rules, request)
    if two is None:
        return None
    view = request.view
    if isinstance(request, HideSticks):
        return dict(positive(two.mine.hands)), {hand: Estimate(two.hand_chance(hand)) for hand in request.options}
    weights = two.guess_weights(view)
    chances = {guess: Estimate(two.guess_chance(view, guess)) for guess in request.options}
    return weights, chances


def _table_of_two(rules: Rules, request: Request) -> _TableOfTwo | None:
    """Return the table if it is solved exactly: two players, few sticks, and nothing revealed before the end."""
    view = request.view
    solution = two_player_solution(rules, view.player_count)
    if view.active_player_count != 2 or max(view.chopsticks) > solution.sticks or rules.last_winner == "live":
        return None
    lead, follower = map(Seat, view.guessing_order())
    state = view.chopsticks[lead], view.chopsticks[follower]
    played = solution.round(state, opening=view.lowest_hand > 0)
    return _TableOfTwo(solution, state, played, lead, follower, request.seat)


class _TableOfTwo(NamedTuple):
    """One round of two players, as one of them sees it."""

    solution: Solution
    state: State
    played: Round
    lead: Seat
    follower: Seat
    seat: Seat

    @property
    def leads(self) -> bool:
        return self.seat == self.lead

    @property
    def opponent(self) -> Seat:
        return self.follower if self.leads else self.lead

    @property
    def mine(self) -> Any:
        return self.played.lead if self.leads else self.played.follower

    def heard(self, view: View) -> int | None:
        """Return the guess of the lead, or None if it was void."""
        said = view.guess[self.lead]
        return said if said >= 0 else None

    def believed(self, view: View) -> Sequence[float]:
        """Return the chances of the opponent's hands, after its guess."""
        if self.leads:
            return self.played.follower.hands
        said, hands = self.heard(view), self.played.lead.hands
        if said is None:
            return hands
        weights = [chance * self.played.lead.guesses[hand][said] for hand, chance in enumerate(hands)]
        # The equilibrium never says this: the guess reveals nothing.
        return [weight / sum(weights) for weight in weights] if any(weights) else hands

    def guess_weights(self, view: View) -> dict[int, float]:
        """Return the equilibrium's guesses with the hand of the view."""
        if self.leads:
            return dict(positive(self.played.lead.guesses[view.own_hand]))
        said = self.heard(view)
        by_guess = self.played.follower.guesses[view.own_hand]
        if said is not None:
            return dict(positive(by_guess[said]))
        # A void guess reveals nothing: average over those that the lead could have made.
        mixed: Counter[int] = Counter()
        for hand, chance in positive(self.played.lead.hands):
            for lead_guess, often in positive(self.played.lead.guesses[hand]):
                for guess, weight in positive(by_guess[lead_guess]):
                    mixed[guess] += chance * often * weight  # type: ignore[assignment]
        return dict(mixed)

    def hand_chance(self, hand: int) -> float:
        """Return the chance after hiding a hand."""
        total = 0.0
        for other, chance in positive(self.played.follower.hands if self.leads else self.played.lead.hands):
            lead_hand, follower_hand = (hand, other) if self.leads else (other, hand)
            for said, weight in positive(self.played.lead.guesses[lead_hand]):
                total += chance * weight * self._after_lead(lead_hand + follower_hand, said, follower_hand)
        return total

    def guess_chance(self, view: View, guess: int) -> float:
        """Return the chance after a guess."""
        total = 0.0
        for other, chance in positive(tuple(self.believed(view))):
            everything = view.own_hand + other
            if self.leads:
                total += chance * self._after_lead(everything, guess, other)
            else:
                total += chance * self._settled(everything, self.heard(view), guess)
        return total

    def _after_lead(self, everything: int, said: int, follower_hand: int) -> float:
        answers = positive(self.played.follower.guesses[follower_hand][said])
        return sum(weight * self._settled(everything, said, guess) for guess, weight in answers)

    def _settled(self, everything: int, said: int | None, answered: int) -> float:
        right: Right = "lead" if said == everything else "follower" if answered == everything else "neither"
        after = follow_up(self.state, right, self.solution.lead_after_win)
        if after is None:
            chance = float(right == "lead")
        else:
            state, same_leads = after
            value = self.solution.rounds[state].value
            chance = value if same_leads else 1 - value
        return chance if self.leads else 1 - chance
