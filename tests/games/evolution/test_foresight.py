"""What is foreseen is what happens."""

from __future__ import annotations

from hypothesis import given

from tests.games.evolution.random_games import RandomGame, games
from wateringhole.games.evolution import Dealer, FeedNext
from wateringhole.games.evolution.rules.foresight import preview


@given(games())
def test_what_is_foreseen_of_a_feeding_is_what_happens(game: RandomGame) -> None:
    dealer = Dealer(game.setup)
    for _ in game.advances(dealer):
        for seat, request in dealer.requests.items():
            if isinstance(request, FeedNext):
                for option in request.options:
                    happened = [event.seen_by(None) for event in dealer.copy().advance({seat: option})]
                    foreseen = preview(request.view, option)
                    assert happened[: len(foreseen)] == foreseen
