"""Folding the events that a seat saw gives the seat's view."""

from __future__ import annotations

from hypothesis import given

from tests.games.evolution.builders import COURSE
from tests.games.evolution.random_games import RandomGame, games, seats
from wateringhole.game import Seat
from wateringhole.games.evolution import CARDS, Dealer, deal
from wateringhole.games.evolution.rules.events import CardsDrawn
from wateringhole.games.evolution.rules.folded_view import FoldedView


@given(games())
def test_folding_the_events_of_a_seat_gives_its_view(game: RandomGame) -> None:
    dealer = Dealer(game.setup)
    folded_views = [FoldedView(seat) for seat in seats(game)]
    for events in game.advances(dealer):
        for folded in folded_views:
            for event in events:
                seen = event.seen_by(folded.seat)
                if seen is not None:
                    folded.see(seen)
            assert folded.view() == dealer.view(folded.seat)


@given(games())
def test_folding_unfiltered_events_gives_the_spectator_view(game: RandomGame) -> None:
    dealer = Dealer(game.setup)
    folded = FoldedView()
    for events in game.advances(dealer):
        for event in events:
            folded.see(event)
        assert folded.view() == dealer.view(None)


def test_folding_without_one_event_does_not_give_the_view() -> None:
    dealer = Dealer(deal(3, COURSE, 1, CARDS[:40]))
    folded = FoldedView(Seat(0))
    missed = next(event for event in dealer.opening if isinstance(event, CardsDrawn))
    for event in dealer.opening:
        if event is not missed:
            folded.see(event)
    assert folded.view() != dealer.view(Seat(0))
