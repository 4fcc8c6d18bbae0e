"""Views, events and requests contain nothing that their seat may not know.

The tests search objects of any type recursively.  Every card exists once, so a card identifies
itself; bags are made recognizable by their size.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from unittest import mock

import msgspec
import pytest
from hypothesis import given

from tests.games.evolution.builders import COURSE
from tests.games.evolution.random_games import RandomGame, games, seats
from wateringhole.game import Outcome, Seat
from wateringhole.games.evolution import CARDS, Dealer, TraitCard, View, deal
from wateringhole.games.evolution.rules.events import (
    CardsDrawn,
    DeclarationApplied,
    FoodBagged,
    FoodRevealed,
    TurnEnded,
)
from wateringhole.games.evolution.rules.requests import FeedNext
from wateringhole.games.evolution.rules.state import GameState
from wateringhole.games.evolution.rules.view import PrivateState

FORTUNE = 10**6
"""Added to every bag once for each seat up to its owner's, so that a bag identifies its owner."""


@given(games())
def test_views_contain_no_hidden_information(game: RandomGame) -> None:
    dealer = rich_dealer(game)
    for _ in game.advances(dealer):
        for seat in seats(game):
            assert leaked(dealer.view(seat), seat, dealer.state) == []


@given(games())
def test_requests_contain_no_hidden_information(game: RandomGame) -> None:
    dealer = rich_dealer(game)
    for _ in game.advances(dealer):
        for seat, request in dealer.requests.items():
            assert leaked(request, seat, dealer.state) == []


@given(games())
def test_events_contain_no_hidden_information(game: RandomGame) -> None:
    # Checked when the event is emitted: a hidden card may be dealt or revealed later in the same advance.
    emit = GameState.emit
    leaks = []

    def checked_emit(state: GameState, kind: Any, *args: Any) -> None:
        emit(state, kind, *args)
        assert state.events is not None
        for seat in seats(game):
            leaks.extend(leaked(state.events[-1].seen_by(seat), seat, state))

    with mock.patch.object(GameState, "emit", checked_emit):
        for _ in game.advances(rich_dealer(game)):
            assert leaks == []


@pytest.fixture
def dealer() -> Dealer:
    return Dealer(deal(3, COURSE, 1, CARDS[:60]))


def test_leak_check_finds_a_deck_card_on_the_pile(dealer: Dealer) -> None:
    undealt = dealer.state.full_state().deck[-1]
    leaking = msgspec.structs.replace(dealer.view(Seat(1)), pile=(undealt,))
    assert leaked(leaking, Seat(1), dealer.state) == [undealt]


def test_leak_check_finds_an_opponents_hand_in_a_request(dealer: Dealer) -> None:
    others = tuple(dealer.state.player(Seat(2)).hand)
    view = msgspec.structs.replace(dealer.view(Seat(1)), own=PrivateState((), others, 0))
    assert leaked(FeedNext(view, ()), Seat(1), dealer.state) == list(others)


def test_leak_check_finds_an_opponents_bag(dealer: Dealer) -> None:
    make_rich(dealer.state)
    assert leaked(FoodBagged(Seat(2), 3 * FORTUNE + 4), Seat(1), dealer.state) == [3 * FORTUNE + 4]
    assert leaked(FoodBagged(Seat(2), 3 * FORTUNE + 4), Seat(2), dealer.state) == []


def test_events_are_filtered_per_seat(dealer: Dealer) -> None:
    (drawn,) = [event for event in dealer.opening if isinstance(event, CardsDrawn) and event.seat == 2]
    assert leaked(drawn, Seat(1), dealer.state) == list(drawn.cards or ())
    assert drawn.seen_by(Seat(2)) == drawn
    assert drawn.seen_by(Seat(1)) == CardsDrawn(Seat(2), "turn", 4, None)
    applied = DeclarationApplied(Seat(2), (), (), (), (), (), 4, drawn.cards, ())
    assert leaked(applied, None, dealer.state) == list(drawn.cards or ())
    assert leaked(applied.seen_by(None), None, dealer.state) == []
    ended = TurnEnded(1, (Seat(0),), dealer.state.full_state())
    assert set(leaked(ended, None, dealer.state)) >= set(dealer.state.full_state().deck)
    assert leaked(ended.seen_by(Seat(0)), Seat(0), dealer.state) == []


def test_spectators_have_no_private_state(dealer: Dealer) -> None:
    assert dealer.view(None).own is None
    assert dealer.view(None).hand == ()
    with pytest.raises(LookupError):
        _ = dealer.view(None).opponents


def test_view_lists_players_before_and_after_the_seat(dealer: Dealer) -> None:
    view: View = dealer.view(Seat(1))
    assert [player.seat for player in view.before] == [0]
    assert [player.seat for player in view.after] == [2]
    assert [player.seat for player in view.opponents] == [2, 0]


def rich_dealer(game: RandomGame) -> Dealer:
    dealer = Dealer(game.setup)
    make_rich(dealer.state)
    return dealer


def make_rich(state: GameState) -> None:
    for player in state.players:
        player.bag += (player.seat + 1) * FORTUNE


def leaked(shown: object, seat: Seat | None, state: GameState) -> list[object]:
    """Return the cards and bags inside of an object shown to a seat that this seat may not know."""
    own = [player for player in state.players if player.seat == seat]
    known = {
        *(card for player in own for card in player.hand),
        *(card for player in state.players for board in player.boards for card in board.cards),
        *state.pile,
    }
    if isinstance(shown, FoodRevealed):
        known.add(shown.card)
    return [
        thing
        for thing in parts(shown)
        if (isinstance(thing, TraitCard) and thing not in known)
        or (isinstance(thing, int) and thing >= FORTUNE and (seat is None or thing // FORTUNE != seat + 1))
    ]


def parts(thing: object) -> Iterator[object]:
    """Yield an object and all objects inside of it, except for the final scores, which are public."""
    yield thing
    if isinstance(thing, TraitCard | str | Outcome):
        return
    if isinstance(thing, dict):
        inner = [*thing, *thing.values()]
    elif isinstance(thing, list | tuple | set | frozenset):
        inner = list(thing)
    else:
        slots = [name for kind in type(thing).__mro__ for name in getattr(kind, "__slots__", ())]
        names = [*getattr(thing, "__struct_fields__", ()), *slots, *getattr(thing, "__dict__", ())]
        inner = [getattr(thing, name) for name in dict.fromkeys(names)]
    for part in inner:
        yield from parts(part)
