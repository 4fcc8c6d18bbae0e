"""No view, event or request shows a seat what it may not know.

Objects are walked to the bottom, whatever they are made of.  Cards exist once, so a card
that is found is that very card; bags are made recognizable by their size.
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
"""Added to every bag once for each seat up to its own, so that a bag tells whose it is."""


@given(games())
def test_views_contain_no_hidden_information(game: RandomGame) -> None:
    dealer = rich_dealer(game)
    for _ in game.advances(dealer):
        for seat in seats(game):
            assert hidden_things(dealer.view(seat), seat, dealer.state) == []


@given(games())
def test_requests_contain_no_hidden_information(game: RandomGame) -> None:
    dealer = rich_dealer(game)
    for _ in game.advances(dealer):
        for seat, request in dealer.requests.items():
            assert hidden_things(request, seat, dealer.state) == []


@given(games())
def test_events_contain_no_hidden_information(game: RandomGame) -> None:
    # Judged at the moment it is told: what is hidden may be dealt or shown later in the same advance.
    tell = GameState.emit
    leaks = []

    def watched(table: GameState, kind: Any, *args: Any) -> None:
        tell(table, kind, *args)
        assert table.events is not None
        told = table.events[-1]
        for seat in seats(game):
            seen = told.seen_by(seat)
            leaks.extend(hidden_things(seen, seat, table))

    with mock.patch.object(GameState, "emit", watched):
        for _ in game.advances(rich_dealer(game)):
            assert leaks == []


@pytest.fixture
def dealer() -> Dealer:
    return Dealer(deal(3, COURSE, 1, CARDS[:60]))


def test_leak_check_finds_a_deck_card_on_the_pile(dealer: Dealer) -> None:
    undealt = dealer.state.full_state().deck[-1]
    leaking = msgspec.structs.replace(dealer.view(Seat(1)), pile=(undealt,))
    assert hidden_things(leaking, Seat(1), dealer.state) == [undealt]


def test_leak_check_finds_an_opponents_hand_in_a_request(dealer: Dealer) -> None:
    others = tuple(dealer.state.player(Seat(2)).hand)
    view = msgspec.structs.replace(dealer.view(Seat(1)), own=PrivateState((), others, 0))
    assert hidden_things(FeedNext(view, ()), Seat(1), dealer.state) == list(others)


def test_leak_check_finds_an_opponents_bag(dealer: Dealer) -> None:
    make_rich(dealer.state)
    assert hidden_things(FoodBagged(Seat(2), 3 * FORTUNE + 4), Seat(1), dealer.state) == [3 * FORTUNE + 4]
    assert hidden_things(FoodBagged(Seat(2), 3 * FORTUNE + 4), Seat(2), dealer.state) == []


def test_events_are_filtered_per_seat(dealer: Dealer) -> None:
    (drawn,) = [event for event in dealer.opening if isinstance(event, CardsDrawn) and event.seat == 2]
    assert hidden_things(drawn, Seat(1), dealer.state) == list(drawn.cards or ())
    assert drawn.seen_by(Seat(2)) == drawn
    assert drawn.seen_by(Seat(1)) == CardsDrawn(Seat(2), "turn", 4, None)
    applied = DeclarationApplied(Seat(2), (), (), (), (), (), 4, drawn.cards, ())
    assert hidden_things(applied, None, dealer.state) == list(drawn.cards or ())
    assert hidden_things(applied.seen_by(None), None, dealer.state) == []
    ended = TurnEnded(1, (Seat(0),), dealer.state.full_state())
    assert set(hidden_things(ended, None, dealer.state)) >= set(dealer.state.full_state().deck)
    assert hidden_things(ended.seen_by(Seat(0)), Seat(0), dealer.state) == []


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


def make_rich(table: GameState) -> None:
    for player in table.players:
        player.bag += (player.seat + 1) * FORTUNE


def hidden_things(shown: object, seat: Seat | None, table: GameState) -> list[object]:
    """The cards and bags in something shown to a seat that this seat may not know."""
    own = [player for player in table.players if player.seat == seat]
    known = {
        *(card for player in own for card in player.hand),
        *(card for player in table.players for board in player.boards for card in board.cards),
        *table.pile,
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
    """A thing and all that can be reached from it.  The final scores are for everybody."""
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
