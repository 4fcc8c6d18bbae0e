"""The exploitability of a solution, computed without the linear programs that produced it.

One player follows the solution in every state, and the other may do anything.  That is a decision
process for one player.  Policy iteration over single hands and guesses computes its best value directly
from the rules of a round.  Rounds without a winner lead back with the roles exchanged, so the two states of
a pair are solved together.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from wateringhole.errors import OperationError
from wateringhole.games.porrinha.solver.rounds import (
    Follower,
    Lead,
    LeadAfterWin,
    Right,
    Round,
    State,
    follow_up,
    positive,
)

__all__ = ["best_values_within", "exploitability"]


class _Line(NamedTuple):
    """One way to play a round: its value from rounds with a winner, and the chance of a round without one."""

    settled: float
    fruitless: float

    def value_with(self, continuation: float) -> float:
        return self.settled + self.fruitless * continuation


LeadLines = list[_Line]
"""One line for every hand and guess."""

FollowerLines = list[list[list[_Line]]]
"""By own hand and by the lead's guess, one line for every guess.

Each line includes the chance of the lead's guess."""


def exploitability(
    rounds: Mapping[State, Round], openings: Mapping[State, Round], lead_after_win: LeadAfterWin
) -> float:
    """Return the most that a player can gain over the stated values by deviating from its strategy.

    The maximum is over every state, both roles and every deviation in the whole game.
    `openings` are first rounds without empty hands.  Raises OperationError if a deviation could
    prolong the game without end.
    """
    reach = _Reach(lead_after_win)
    gains = []
    for state in sorted(rounds, key=sum):
        # The deviator leads here.  After a round without a winner it follows in the swapped state.
        swapped = state[1], state[0]
        lead_lines = reach.lead_lines(state, rounds[state].follower)
        follower_lines = reach.follower_lines(swapped, rounds[swapped].lead)
        if _most_fruitless(lead_lines, follower_lines) > 1 - 1e-9:
            raise OperationError(f"the strategies for {state} and {swapped} let the game continue without end")
        as_lead, as_follower = rounds[state].value, 1 - rounds[swapped].value
        best_as_lead, best_as_follower = _iterate_policies(lead_lines, follower_lines, as_lead, as_follower)
        gains += [best_as_lead - as_lead, best_as_follower - as_follower]
        reach.leading[state], reach.following[swapped] = best_as_lead, best_as_follower
    for state, opening in openings.items():
        swapped = state[1], state[0]
        lead_line = _choose(reach.lead_lines(state, opening.follower, least_hand=1), reach.following[swapped])
        follower_line = _follow(reach.follower_lines(state, opening.lead, least_hand=1), reach.leading[swapped])
        gains.append(lead_line.value_with(reach.following[swapped]) - opening.value)
        gains.append(follower_line.value_with(reach.leading[swapped]) - (1 - opening.value))
    return max(gains)


def best_values_within(
    rounds: Mapping[State, Round], lead_after_win: LeadAfterWin, most_rounds: int
) -> tuple[dict[State, float], dict[State, float]]:
    """Return the best values of a deviating lead and of a deviating follower, if a game is stopped after some rounds.

    The other player follows the solution of the game without such a limit.  A game that is stopped counts as half a
    game not lost.
    """
    leading, following = dict.fromkeys(rounds, 0.5), dict.fromkeys(rounds, 0.5)
    for _ in range(most_rounds):
        reach = _Reach(lead_after_win)
        reach.leading, reach.following = leading, following
        leading, following = {}, {}
        for state in rounds:
            swapped = state[1], state[0]
            as_follower, as_lead = reach.following[swapped], reach.leading[swapped]
            lead_line = _choose(reach.lead_lines(state, rounds[state].follower), as_follower)
            follower_line = _follow(reach.follower_lines(state, rounds[state].lead), as_lead)
            leading[state] = lead_line.value_with(as_follower)
            following[state] = follower_line.value_with(as_lead)
    return leading, following


class _Reach:
    """The values that the deviator can reach, by state and by its role there, from small tables to large."""

    def __init__(self, lead_after_win: LeadAfterWin) -> None:
        self.lead_after_win = lead_after_win
        self.leading: dict[State, float] = {}
        self.following: dict[State, float] = {}

    def lead_lines(self, state: State, follower: Follower, least_hand: int = 0) -> LeadLines:
        stakes = self._stakes(state, leads=True)
        guesses = range(sum(state) + 1)
        return [
            _line(
                stakes,
                (
                    (_right(shown + hand, guess, answer), chance * weight)
                    for shown, chance in positive(follower.hands)
                    for answer, weight in positive(follower.guesses[shown][guess])
                ),
            )
            for hand in range(least_hand, state[0] + 1)
            for guess in guesses
        ]

    def follower_lines(self, state: State, lead: Lead, least_hand: int = 0) -> FollowerLines:
        stakes = self._stakes(state, leads=False)
        guesses = range(sum(state) + 1)
        return [
            [
                [
                    _line(
                        stakes,
                        (
                            (_right(shown + hand, said, guess), chance * lead.guesses[shown][said])
                            for shown, chance in positive(lead.hands)
                        ),
                    )
                    for guess in guesses
                    if guess != said
                ]
                for said in guesses
            ]
            for hand in range(least_hand, state[1] + 1)
        ]

    def _stakes(self, state: State, leads: bool) -> dict[Right, float]:
        """Return the deviator's value after each right guess."""
        stakes: dict[Right, float] = {}
        rights: tuple[Right, Right] = ("lead", "follower")
        for right in rights:
            after = follow_up(state, right, self.lead_after_win)
            if after is None:
                stakes[right] = float((right == "lead") == leads)
            else:
                following_state, same_leads = after
                stakes[right] = (self.leading if same_leads == leads else self.following)[following_state]
        return stakes


def _right(total: int, lead_guess: int, follower_guess: int) -> Right:
    if total == lead_guess:
        return "lead"
    return "follower" if total == follower_guess else "neither"


def _line(stakes: dict[Right, float], endings: Iterable[tuple[Right, float]]) -> _Line:
    settled = fruitless = 0.0
    for right, chance in endings:
        if right == "neither":
            fruitless += chance
        else:
            settled += chance * stakes[right]
    return _Line(settled, fruitless)


def _choose(lines: Iterable[_Line], continuation: float) -> _Line:
    return max(lines, key=lambda line: line.value_with(continuation))


def _sum(lines: Iterable[_Line]) -> _Line:
    listed = list(lines)
    return _Line(sum(line.settled for line in listed), sum(line.fruitless for line in listed))


def _follow(lines: FollowerLines, continuation: float) -> _Line:
    """Return the line of the best hand, given the best answer to every guess of the lead."""
    return _choose((_sum(_choose(answers, continuation) for answers in by_lead) for by_lead in lines), continuation)


def _most_fruitless(lead_lines: LeadLines, follower_lines: FollowerLines) -> float:
    """Return the greatest chance of two rounds in a row without a right guess."""
    as_follower = max(sum(max(line.fruitless for line in answers) for answers in by_lead) for by_lead in follower_lines)
    return as_follower * max(line.fruitless for line in lead_lines)


def _iterate_policies(
    lead_lines: LeadLines, follower_lines: FollowerLines, as_lead: float, as_follower: float
) -> tuple[float, float]:
    """Return the deviator's best values in a pair of states, starting from the values of the solution.

    The loop ends because each policy is better than the last, and there are finitely many.
    """
    best = -1.0
    while True:
        lead_line = _choose(lead_lines, as_follower)
        follower_line = _follow(follower_lines, as_lead)
        # L = settled + fruitless * F and F = settled' + fruitless' * L, exactly.
        as_lead = lead_line.value_with(follower_line.settled) / (1 - lead_line.fruitless * follower_line.fruitless)
        as_follower = follower_line.value_with(as_lead)
        if as_lead + as_follower <= best + 1e-15:
            return as_lead, as_follower
        best = as_lead + as_follower
