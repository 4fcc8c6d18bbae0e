"""Folding the events and answers of a seat produces its view."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.games.porrinha.builders import open_game
from tests.games.porrinha.strategies import answer, forfeits, setups
from wateringhole.game import Forfeit, Notice, Seat
from wateringhole.games.porrinha import KIND, NO_SEAT, Core, Setup
from wateringhole.games.porrinha.rules.folded_view import FoldedView

LOST = Forfeit("disconnected", "")


class Folded:
    """A game with a folded view for each seat and for a spectator."""

    def __init__(self, game: Core) -> None:
        self.game = game
        seats = [None, *map(Seat, range(game.setup.players))]
        self.folds = {seat: FoldedView(seat) for seat in seats}
        self._see(game.opening)

    def advance(self, answers: Mapping[Any, Any]) -> None:
        if answers.keys() == self.game.requests.keys():
            for seat, request in self.game.requests.items():
                self.folds[seat].answered(request, answers[seat])
        self._see(self.game.advance(answers))

    def _see(self, events: Any) -> None:
        for event in events:
            for seat, fold in self.folds.items():
                seen = event.seen_by(seat)
                if seen is not None:
                    assert seat is not None or not isinstance(seen, Notice)
                    fold.see(seen)
        for seat, fold in self.folds.items():
            assert fold.view() == self.game.view(seat), seat


def _play(data: st.DataObject, setup: Setup) -> None:
    folded = Folded(Core(setup))
    for _ in range(60):
        game = folded.game
        if game.outcome is not None:
            return
        if data.draw(st.integers(0, 29)) == 0:
            seats = data.draw(st.sets(st.integers(0, setup.players - 1), min_size=1))
            folded.advance({Seat(seat): data.draw(forfeits) for seat in seats})
        else:
            folded.advance({seat: answer(data, game, seat, failing=True) for seat in game.requests})


@given(st.data(), setups())
def test_folded_views_match_under_all_rules(data: st.DataObject, setup: Setup) -> None:
    _play(data, setup)


@given(
    st.data(),
    setups(last_winner="live", absent_hand="stale", opening_guesses="stale", opening_zero="forbidden", max_rounds=None),
)
def test_folded_views_match_with_stale_views(data: st.DataObject, setup: Setup) -> None:
    _play(data, setup)


def test_a_seat_knows_only_its_own_hand() -> None:
    folded = Folded(open_game(2))
    folded.advance({Seat(0): 1, Seat(1): 2})
    assert [folded.folds[seat].view().own_hand for seat in (None, Seat(0), Seat(1))] == [-1, 1, 2]


@pytest.mark.parametrize("on_failure", ["remove", "repair"])
def test_a_seat_knows_the_hand_that_replaces_its_failed_one(on_failure: str) -> None:
    folded = Folded(open_game(2, on_failure=on_failure, opening_zero="forbidden"))
    folded.advance({Seat(0): 2, Seat(1): LOST})
    assert folded.folds[Seat(1)].view().own_hand == (1 if on_failure == "repair" else 0)


def test_a_live_winner_is_known_at_the_right_guess() -> None:
    folded = Folded(open_game(3, last_winner="live"))
    winners = []
    for answers in ({0: 1, 1: 1, 2: 1}, {0: 3}, {1: 0}, {2: 1}, {0: 0, 1: 0, 2: 0}):
        folded.advance({Seat(seat): answer for seat, answer in answers.items()})
        winners.append(folded.folds[None].view().last_winner)
    assert winners == [NO_SEAT, 0, 0, 0, NO_SEAT]


def test_a_game_that_ends_before_its_first_round_shows_stale_guesses() -> None:
    rules = KIND.profiles["original"].rules
    folded = Folded(Core(KIND.deal(3, rules, stale_guesses=(4, 5, -3))))
    folded.advance({Seat(1): LOST, Seat(2): LOST})
    assert folded.game.outcome is not None
    assert folded.folds[None].view().guess == (4, 5, -3)
