"""The preview of a feeding matches the events that follow."""

from __future__ import annotations

from hypothesis import given

from tests.games.evolution.random_games import RandomGame, games
from wateringhole.games.evolution import Dealer, FeedNext
from wateringhole.games.evolution.rules.preview import preview


@given(games())
def test_preview_of_a_feeding_matches_the_events_that_follow(game: RandomGame) -> None:
    dealer = Dealer(game.setup)
    for _ in game.advances(dealer):
        for seat, request in dealer.requests.items():
            if isinstance(request, FeedNext):
                for option in request.options:
                    happened = [event.seen_by(None) for event in dealer.copy().advance({seat: option})]
                    expected = preview(request.view, option)
                    assert happened[: len(expected)] == expected
