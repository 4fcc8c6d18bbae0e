"""Misbehaviour (section 8): a player is thrown out at once, at any point of the game."""

from __future__ import annotations

from typing import Any

import pytest

from tests.games.evolution.builders import COURSE, rules
from tests.games.evolution.scenarios import A, B, C, before_feeding, changes, feeding_game, lay, show_cards
from wateringhole.game import Forfeit, Seat, ThrownOut, violation_of
from wateringhole.games.evolution import (
    CARDS,
    ArrangeBoards,
    AttackSpecies,
    BoardOrder,
    Dealer,
    Declaration,
    DeclareCards,
    FeedNext,
    FeedPlants,
    Growth,
    Pass,
    Rules,
    deal,
)
from wateringhole.games.evolution.rules.events import DeclarationApplied, FoodRevealed, PlayerForfeited, YouAreOut

OUT = Forfeit("illegal", "card 4 is used twice")
GONE = {"": None, " hand": None, " bag": None, " is owed": None}


def _start(players: int = 3, under: Rules = COURSE) -> Dealer:
    return Dealer(deal(players, under, 1, "ascending"))


def _asked(dealer: Dealer) -> Any:
    (request,) = dealer.requests.values()
    return request


def _order(dealer: Dealer) -> list[Seat]:
    return [player.seat for player in dealer.state.players]


@pytest.mark.parametrize("reason", ["exception", "late", "illegal", "unreadable", "disconnected", "left"])
def test_a_thrown_out_player_loses_everything(reason: Any) -> None:
    dealer = _start()
    forfeit = Forfeit(reason, "because")
    assert changes(dealer.state, lambda: dealer.advance({A: forfeit})) == {
        "order": "BC",
        **{f"A{part}": None for part in GONE},
    }
    assert dealer._thrown_out == [ThrownOut(A, forfeit)]


def test_forfeit_is_a_public_event_and_a_notice_to_its_player() -> None:
    news = _start().advance({A: OUT})
    assert news == [PlayerForfeited(A, OUT), YouAreOut(A, OUT)]
    assert [news[0].seen_by(seat) for seat in (A, B, None)] == [news[0]] * 3
    assert [news[1].seen_by(seat) for seat in (A, B, None)] == [news[1], None, None]


def test_later_requests_omit_a_player_thrown_out_while_choosing() -> None:
    dealer = _start(4)
    dealer.advance({A: Declaration(0)})
    dealer.advance({B: OUT})
    request = _asked(dealer)
    assert request.seat == C
    assert [player.seat for player in request.view.before] == [A]
    assert [player.seat for player in request.view.opponents] == [3, A]


def test_the_cards_of_a_player_thrown_out_while_choosing_are_not_applied() -> None:
    dealer = _start()
    dealer.advance({A: Declaration(3, (Growth(0, 1),))})
    dealer.advance({B: Declaration(0)})
    # A has chosen already and loses its connection while C is asked.
    assert dealer.advance({A: Forfeit("disconnected", "")}) == [
        PlayerForfeited(A, Forfeit("disconnected", "")),
        YouAreOut(A, Forfeit("disconnected", "")),
    ]
    assert _asked(dealer).seat == C
    news = dealer.advance({C: Declaration(0)})
    applied = [event.seat for event in news if isinstance(event, DeclarationApplied | FoodRevealed)]
    assert applied == [B, B, C, C]


def test_a_player_may_be_thrown_out_before_it_is_asked() -> None:
    dealer = _start()
    request = _asked(dealer)
    dealer.advance({C: OUT})
    # The others get new requests, without the player that left.
    assert _asked(dealer) is not request
    assert _asked(dealer).seat == A
    assert [player.seat for player in _asked(dealer).view.opponents] == [B]


def test_several_players_may_leave_at_once() -> None:
    dealer = _start(5)
    dealer.advance({Seat(4): OUT, A: OUT, C: OUT})
    assert _order(dealer) == [B, 3]
    assert [thrown.seat for thrown in dealer._thrown_out] == [4, A, C]
    assert _asked(dealer).seat == B


def test_food_is_revealed_if_the_last_player_to_choose_leaves() -> None:
    dealer = _start()
    dealer.advance({A: Declaration(3)})
    dealer.advance({B: Declaration(3)})
    news = dealer.advance({C: OUT})
    assert [event.seat for event in news if isinstance(event, FoodRevealed)] == [A, B]
    assert dealer.turn == 2


def test_a_player_may_be_thrown_out_while_it_arranges_its_boards() -> None:
    state = lay("1/1, 2/2", "1/1, 2/2", "1/1, 2/2", deck=show_cards(CARDS), rules=rules(reorder_boards=True))
    dealer = feeding_game(state)
    assert isinstance(_asked(dealer), ArrangeBoards)
    dealer.advance({B: OUT})
    # The next player has not arranged its boards yet.
    request = _asked(dealer)
    assert isinstance(request, ArrangeBoards)
    assert request.seat == C


def test_next_player_still_arranges_its_boards_if_the_previous_one_leaves_after_arranging() -> None:
    state = lay("1/1, 2/2", "1/1, 2/2", "1/1, 2/2", deck=show_cards(CARDS), rules=rules(reorder_boards=True))
    dealer = feeding_game(state)
    dealer.advance({B: BoardOrder((1, 0))})
    dealer.advance({B: OUT})
    request = _asked(dealer)
    assert isinstance(request, ArrangeBoards)
    assert request.seat == C


def test_a_player_arranges_only_once_although_another_player_leaves() -> None:
    state = lay("1/1, 2/2", "1/1, 2/2", "1/1, 2/2", deck=show_cards(CARDS), rules=rules(reorder_boards=True))
    dealer = feeding_game(state)
    dealer.advance({B: BoardOrder((1, 0))})
    dealer.advance({A: OUT})
    request = _asked(dealer)
    assert isinstance(request, DeclareCards)
    assert request.seat == B


# Feeding.


def test_boards_of_a_player_thrown_out_while_feeding_are_removed() -> None:
    dealer = feeding_game(lay("0/1 carnivore, 0/1", "0/1, 0/1", "0/2, 0/2", hole=9, bags={"A": 3}))
    assert _asked(dealer).seat == A
    assert changes(dealer.state, lambda: dealer.advance({A: OUT})) == {
        "order": "BC",
        **{f"A{part}": None for part in GONE},
    }
    assert _asked(dealer).seat == B


def test_boards_of_a_thrown_out_player_cannot_be_attacked() -> None:
    dealer = feeding_game(lay("0/2 carnivore, 0/1", "0/1", "0/2", hole=9))
    assert AttackSpecies(0, C, 0) in _asked(dealer).options
    dealer.advance({C: Forfeit("disconnected", "")})
    request = _asked(dealer)
    assert isinstance(request, FeedNext)
    assert list(request.options) == [FeedPlants(1), AttackSpecies(0, B, 0)]
    violation = violation_of(request, AttackSpecies(0, C, 0))
    assert violation is not None
    assert violation.rule == "no-such-target"


def test_boards_of_a_thrown_out_player_do_not_scavenge() -> None:
    def play(*, without_b: bool) -> dict[str, Any]:
        dealer = feeding_game(lay("0/2 carnivore, 0/1", "0/2 scavenger", "0/2", hole=2, deck=show_cards(CARDS)))
        if without_b:
            dealer.advance({B: OUT})
        return changes(dealer.state, lambda: dealer.advance({A: AttackSpecies(0, C, 0)}))

    # Without B the second token is left for C.
    stays, leaves = play(without_b=False), play(without_b=True)
    assert (stays["A bag"], stays.get("B bag"), stays.get("C bag")) == (1, 1, None)
    assert (leaves["A bag"], leaves.get("B bag"), leaves.get("C bag")) == (1, None, 1)


def test_options_are_computed_again_after_an_expulsion() -> None:
    """A chose between two targets; with only one left, the dealer attacks without asking."""
    dealer = feeding_game(lay("0/1 carnivore", "2/2", "1/1", hole=1))
    assert _asked(dealer).seat == A
    news = dealer.advance({C: OUT})
    assert "SpeciesAttacked" in [type(event).__name__ for event in news]


def test_a_player_that_had_declined_can_still_be_thrown_out() -> None:
    dealer = feeding_game(lay("0/1, 0/1", "0/2, 0/2", "0/2, 0/2", hole=9))
    dealer.advance({A: Pass()})
    dealer.advance({A: OUT})
    assert _asked(dealer).seat == B
    assert _order(dealer) == [B, C]


def test_waiting_players_are_still_asked_when_an_idle_player_leaves() -> None:
    dealer = feeding_game(lay("1/1", "0/1, 0/1", "0/1, 0/1", hole=9))
    assert _asked(dealer).seat == B
    dealer.advance({A: OUT})
    dealer.advance({B: Pass()})
    assert _asked(dealer).seat == C


def test_all_players_in_the_queue_may_leave() -> None:
    dealer = feeding_game(lay("0/1, 0/1", "0/2, 0/2", "1/1", hole=9, deck=show_cards(CARDS)))
    dealer.advance({A: Pass()})
    dealer.advance({B: OUT, C: OUT})
    assert dealer.turn == 2
    assert _order(dealer) == [A]


# The rest of the game.


def test_next_player_loses_its_turn_as_starter_if_the_starting_player_is_thrown_out() -> None:
    dealer = before_feeding(lay("1/1, 1/1", "1/1", "1/1", "1/1", deck=show_cards(CARDS)))
    dealer.advance({A: OUT})
    assert dealer.turn == 2
    assert _order(dealer) == [C, 3, B]


def test_cards_and_food_of_a_thrown_out_player_leave_the_game() -> None:
    state = lay("0/1, 0/1", "0/2, 1/2", "1/1", hole=5, hands={"B": "horns+1"}, rules=rules(spent_cards="pile"))
    dealer = feeding_game(state)
    after = changes(state, lambda: dealer.advance({B: OUT}))
    assert after == {"order": "AC", **{f"B{part}": None for part in GONE}}


def test_game_continues_with_a_single_player() -> None:
    dealer = _start()
    dealer.advance({A: OUT, B: OUT})
    assert dealer.outcome is None
    while not dealer.outcome:
        request = _asked(dealer)
        dealer.advance({C: Declaration(0) if isinstance(request, DeclareCards) else Pass()})
    assert [standing.seat for standing in dealer.outcome.ranking] == [C]
    assert dealer.outcome.reason == "the deck is too small for another turn"
    assert [thrown.seat for thrown in dealer.outcome.thrown_out] == [A, B]


def test_game_without_players_ends_with_an_empty_ranking() -> None:
    dealer = _start()
    for seat in (A, B, C):
        assert dealer.outcome is None
        dealer.advance({seat: OUT})
    assert dealer.outcome is not None
    assert dealer.outcome.reason == "nobody is left"
    assert dealer.outcome.ranking == ()
    assert dealer.outcome.thrown_out == tuple(ThrownOut(seat, OUT) for seat in (A, B, C))
    assert dealer.requests == {}


@pytest.mark.parametrize(("minimum", "leave"), [(1, 3), (2, 2), (3, 1)])
def test_the_game_stops_when_fewer_than_the_minimum_remain(minimum: int, leave: int) -> None:
    dealer = _start(3, rules(minimum_to_continue=minimum))
    for seat in (A, B, C)[:leave]:
        assert dealer.outcome is None
        dealer.advance({seat: OUT})
    assert dealer.outcome is not None
    assert len(dealer.outcome.ranking) == 3 - leave
    assert dealer.outcome.reason == ("too few players are left" if leave < 3 else "nobody is left")


def test_a_seat_that_has_left_cannot_leave_again() -> None:
    dealer = _start()
    dealer.advance({A: OUT})
    with pytest.raises(ValueError, match="seat 0 is not in the game"):
        dealer.advance({A: OUT})


def test_a_seat_that_has_left_sees_what_a_spectator_sees() -> None:
    dealer = _start()
    dealer.advance({A: OUT})
    view = dealer.view(A)
    assert (view.own, view.hand, view.bag, view.boards) == (None, (), 0, ())
    assert view.players == dealer.view(None).players
