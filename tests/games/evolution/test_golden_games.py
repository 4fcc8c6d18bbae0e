"""Complete games of silly players on the ascending deck (section 13)."""

from __future__ import annotations

import pytest

from wateringhole.games.evolution import PROFILES, Dealer, deal
from wateringhole.games.evolution.bots.silly import Silly

# players: turns, scores by seat.
COURSE = {
    3: (6, [5, 7, 7]),
    4: (4, [2, 2, 0, 1]),
    5: (3, [4, 5, 5, 3, 1]),
    6: (3, [1, 4, 5, 4, 5, 2]),
    7: (3, [3, 3, 2, 3, 3, 2, 2]),
    8: (2, [1, 1, 1, 1, 1, 1, 1, 1]),
}
REFERENCE = COURSE | {5: (3, [4, 5, 4, 3, 1])}


@pytest.mark.parametrize("players", COURSE)
@pytest.mark.parametrize(("profile", "golden"), [("course", COURSE), ("reference", REFERENCE)])
def test_golden_games(profile: str, golden: dict[int, tuple[int, list[int]]], players: int) -> None:
    dealer = _play(profile, players)
    assert dealer.outcome is not None
    scores = {standing.seat: standing.score for standing in dealer.outcome.ranking}
    assert (dealer.turn, [scores[seat] for seat in sorted(scores)]) == golden[players]
    assert dealer.outcome.thrown_out == ()


def test_equal_scores_of_the_three_player_game_are_listed_as_printed_in_the_rulebook() -> None:
    outcome = _play("course", 3).outcome
    assert outcome is not None
    assert [(standing.seat + 1, standing.score) for standing in outcome.ranking] == [(2, 7), (3, 7), (1, 5)]


def _play(profile: str, players: int) -> Dealer:
    silly = Silly()
    dealer = Dealer(deal(players, PROFILES[profile], 0, "ascending"))
    while dealer.requests:
        dealer.advance({seat: request.ask(silly) for seat, request in dealer.requests.items()})
    return dealer
