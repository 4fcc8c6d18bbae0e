"""The course of a game (section 3): setup, turns, their end, the end of the game; the dealer's interface."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import msgspec
import pytest

from tests.games.evolution.builders import COURSE, rules
from tests.games.evolution.scenarios import (
    A,
    B,
    C,
    before_feeding,
    changes,
    feeding_game,
    hand,
    lay,
    show_cards,
    show_row,
    snapshot,
)
from wateringhole.errors import UsageError
from wateringhole.facets import PROGRAM
from wateringhole.game import Event, Forfeit, Seat, violation_of
from wateringhole.games.evolution import (
    CARDS,
    ArrangeBoards,
    BoardOrder,
    Dealer,
    Declaration,
    DeclareCards,
    FeedNext,
    FeedPlants,
    GrowBody,
    Growth,
    NewBoard,
    Pass,
    Rules,
    TraitCard,
    deal,
)
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.games.evolution.rules.events import (
    BoardGiven,
    CardsDeclared,
    CardsDrawn,
    FoodBagged,
    GameEnded,
    ResultAnnounced,
    SpeciesDied,
    TurnEnded,
    TurnStarted,
    YourTurnStarts,
)
from wateringhole.games.evolution.text import TEXT


def _start(deck: Sequence[TraitCard] = CARDS, players: int = 3, under: Rules = COURSE) -> Dealer:
    return Dealer(deal(players, under, 1, deck))


def _asked(dealer: Dealer) -> Any:
    (request,) = dealer.requests.values()
    return request


def _answer(dealer: Dealer, answer: Any) -> Sequence[Event]:
    return dealer.advance({_asked(dealer).seat: answer})


def _feed_only(dealer: Dealer) -> None:
    """Let every player give its first card and decline to feed until the turn is over."""
    turn = dealer.turn
    while dealer.requests and dealer.turn == turn:
        _answer(dealer, Declaration(0) if isinstance(_asked(dealer), DeclareCards) else Pass())


# Setup and step 1.


def test_game_starts_with_one_board_and_four_cards_per_player() -> None:
    dealer = _start()
    names = [show_cards(CARDS[4 * seat : 4 * seat + 4]) for seat in range(3)]
    assert snapshot(dealer.state) == {
        "hole": 0,
        "deck": show_cards(CARDS[12:]),
        "pile": "",
        "order": "ABC",
        **dict.fromkeys("ABC", "0/1"),
        **{f"{seat} hand": names[index] for index, seat in enumerate("ABC")},
        **{f"{seat} {what}": 0 for seat in "ABC" for what in ("bag", "is owed")},
    }
    assert dealer.turn == 1


def test_events_before_the_first_request() -> None:
    events = [(type(event), getattr(event, "seat", None)) for event in _start().opening]
    assert events[-10:] == [
        (TurnStarted, None),
        *((BoardGiven, seat) for seat in range(3)),
        *((CardsDrawn, seat) for seat in range(3)),
        *((YourTurnStarts, seat) for seat in range(3)),
    ]


def test_players_get_their_view_at_the_start_of_a_turn() -> None:
    notices = [event for event in _start().opening if isinstance(event, YourTurnStarts)]
    view = notices[1].view
    assert (view.seat, view.turn, view.hole, view.bag) == (B, 1, 0, 0)
    assert view.hand == CARDS[4:8]
    assert show_row(view.boards) == "0/1"


@pytest.mark.parametrize(("hand_order", "expected"), [("front", "new old"), ("back", "old new")])
def test_dealt_cards_join_the_hand_according_to_hand_order(hand_order: Any, expected: str) -> None:
    state = lay("0/1, 0/1", hands={"A": "horns+1"}, deck="ambush+1 ambush+0", rules=rules(hand_order=hand_order))
    after = changes(state, lambda: state.draw(state.players[0], 2, "turn"))
    words = {"new": "ambush+1 ambush+0", "old": "horns+1"}
    assert after == {"A hand": " ".join(words[word] for word in expected.split()), "deck": ""}


def test_a_player_gets_three_cards_and_one_for_each_board() -> None:
    news = before_feeding(lay("1/1, 1/1", "", "1/1", deck=show_cards(CARDS[:20]))).advance({})
    # The turn order has moved on by one; the empty row gets a board first, which counts.
    assert [event.seat for event in news if isinstance(event, BoardGiven)] == [B]
    drawn = [(event.seat, event.cards) for event in news if isinstance(event, CardsDrawn)]
    assert drawn == [(B, CARDS[:4]), (C, CARDS[4:8]), (A, CARDS[8:13])]


@pytest.mark.parametrize("players", [2, 9])
def test_evolution_is_for_3_to_8_players(players: int) -> None:
    with pytest.raises(UsageError, match="3 to 8 players"):
        deal(players, COURSE, 1)


def test_a_deck_has_no_card_twice() -> None:
    with pytest.raises(UsageError, match=r"the card horns \+1 twice"):
        deal(3, COURSE, 1, hand("horns+1 horns+2 horns+1"))


def test_unknown_deck_is_rejected() -> None:
    with pytest.raises(UsageError, match=r"'asc' is not a deck\. Choose from: ascending, shuffled"):
        deal(3, COURSE, 1, "asc")  # type: ignore[arg-type]


def test_decks_are_ascending_or_shuffled_by_the_seed() -> None:
    assert deal(3, COURSE, 1, "ascending").deck == CARDS
    shuffled = deal(3, COURSE, 1).deck
    assert shuffled != CARDS
    assert sorted(shuffled) == list(CARDS)
    assert deal(3, COURSE, 1, "shuffled").deck == shuffled
    assert deal(3, COURSE, 2).deck != shuffled


def test_setup_contains_all_chance() -> None:
    setup = deal(5, rules(seating="shuffled"), 7)
    assert setup == deal(5, rules(seating="shuffled"), 7)
    assert (setup.players, setup.seed) == (5, 7)
    # The deck has its own generator.
    assert deal(5, COURSE, 7).deck == setup.deck


# Steps 2 and 3.


def test_players_choose_in_turn_order_and_declarations_are_applied_together() -> None:
    dealer = _start()
    asked = []
    for _ in range(2):
        asked.append(_asked(dealer).seat)
        growth = Declaration(0, (Growth(0, 1),))
        news: list[Event] = []
        assert changes(dealer.state, lambda: news.extend(_answer(dealer, growth))) == {}  # noqa: B023
        assert news == [CardsDeclared(asked[-1])]
        assert show_row(_asked(dealer).view.boards_of(A)) == "0/1"
    assert [*asked, _asked(dealer).seat] == [A, B, C]
    _answer(dealer, Declaration(3))
    # The food is revealed and, with one possibility each, eaten: the turn is over.
    assert dealer.turn == 2


def test_changing_a_finished_draft_does_not_change_the_answer() -> None:
    dealer = _start()
    request, answer = _asked(dealer), Declaration(0)
    assert violation_of(request, answer) is None
    draft = request.finished(answer)
    assert draft.add(GrowBody(0, 1)) is None
    assert violation_of(request, answer) is None
    for choice in (answer, Declaration(0), Declaration(0)):
        _answer(dealer, choice)
    assert len(dealer.state.player(A).hand) == 3 + 2 + 4


def test_a_player_sees_the_rows_of_the_players_before_and_after_it() -> None:
    dealer = _start(players=4)
    _answer(dealer, Declaration(0))
    view = _asked(dealer).view
    assert [player.seat for player in view.before] == [0]
    assert [player.seat for player in view.after] == [2, 3]
    assert [player.seat for player in view.opponents] == [2, 3, 0]


def test_players_may_be_asked_to_arrange_their_row_before_they_choose() -> None:
    dealer = feeding_game(
        lay("1/1 b1, 2/2 b2, 3/3 b3", "1/1", "2/2, 1/1", deck=show_cards(CARDS), rules=rules(reorder_boards=True))
    )
    # B is the next starting player; with one board there is nothing to arrange.
    assert isinstance(_asked(dealer), DeclareCards)
    _answer(dealer, Declaration(0))
    assert isinstance(_asked(dealer), ArrangeBoards)
    _answer(dealer, BoardOrder((0, 1)))
    assert isinstance(_asked(dealer), DeclareCards)
    _answer(dealer, Declaration(0))
    request = _asked(dealer)
    assert isinstance(request, ArrangeBoards)
    assert request.seat == A
    order = BoardOrder((2, 0, 1))
    assert violation_of(request, order) is None
    assert changes(dealer.state, lambda: _answer(dealer, order)) == {"A": "0/3 b3, 0/1 b1, 0/2 b2"}
    assert isinstance(_asked(dealer), DeclareCards)
    assert show_row(_asked(dealer).view.boards) == "0/3 b3, 0/1 b1, 0/2 b2"


@pytest.mark.parametrize(
    "order", [(), (0, 1), (0, 1, 1), (0, 1, 3), (0, 1, 2, 3), (1.0, 0, 2), (True, 0, 2), (0, 1, "2"), None, 5, "012"]
)
def test_an_order_names_every_board_once(order: Any) -> None:
    state = lay("0/1, 0/2, 0/3", rules=rules(reorder_boards=True))
    violation = violation_of(ArrangeBoards(state.view(A, 1)), BoardOrder(order))
    assert violation is not None
    assert violation.rule == "not-an-order"
    assert "does not name each of the boards 0 to 2 once" in TEXT.violation(violation, PROGRAM)


def test_course_rules_never_ask_to_arrange_boards() -> None:
    dealer = feeding_game(lay("1/1, 1/1", "1/1, 1/1", "1/1", deck=show_cards(CARDS)))
    assert isinstance(_asked(dealer), DeclareCards)


# The end of a turn (3.6).

ENDS: dict[str, tuple[tuple[str, ...], dict[str, Any]]] = {
    "all animals have eaten": (
        ("2/2", "1/1, 3/3 b1 horns"),
        {"A": "0/2", "B": "0/1, 0/3 b1 horns", "A bag": 2, "B bag": 4, "order": "BA"},
    ),
    "animals without food die": (
        ("1/4 horns", "2/3"),
        {"A": "0/1 horns", "B": "0/2", "A bag": 1, "B bag": 2, "order": "BA"},
    ),
    "a board without food dies out, the owner draws two": (
        ("0/4 horns", "1/1"),
        {"A": "", "A hand": "ambush+3 ambush+2", "deck": "ambush+1", "B": "0/1", "B bag": 1, "order": "BA"},
    ),
    "... for each such board": (
        ("0/4, 1/1, 0/1", ""),
        {"A": "0/1", "A hand": "ambush+1 ambush+3 ambush+2", "deck": "", "A bag": 1, "order": "BA"},
    ),
    "fat stays": (("1/1 b2 fat2 fat-tissue", ""), {"A": "0/1 b2 fat2 fat-tissue", "A bag": 1, "order": "BA"}),
    "fat does not feed at the end of a turn": (
        ("0/1 b2 fat2 fat-tissue", ""),
        {"A": "", "A hand": "ambush+3 ambush+2", "deck": "ambush+1", "order": "BA"},
    ),
}


@pytest.mark.parametrize("name", ENDS)
def test_the_end_of_a_turn(name: str) -> None:
    rows, expected = ENDS[name]
    state = lay(*rows, hole=3, deck="ambush+3 ambush+2 ambush+1")
    assert changes(state, state.end_turn) == expected


def test_14_9_the_end_of_a_turn() -> None:
    state = lay("2/4 b1 horns, 0/1, 3/3", "0/2", "", hands={"A": "horns+1"}, deck="foraging+3 foraging+2 foraging+1")
    dealer = before_feeding(state)
    dealer.advance({})
    assert snapshot(state) == {
        "hole": 0,
        "deck": "",
        "pile": "",
        "order": "BCA",
        "A": "0/2 b1 horns, 0/3",
        "A hand": "foraging+3 foraging+2 horns+1",
        "B": "",
        "B hand": "foraging+1",
        "C": "",
        "C hand": "",
        "A bag": 5,
        **{f"{seat} bag": 0 for seat in "BC"},
        **{f"{seat} is owed": 0 for seat in "ABC"},
    }
    assert dealer.outcome is not None
    assert [(standing.seat, standing.score) for standing in dealer.outcome.ranking] == [(A, 11), (B, 0), (C, 0)]


def test_compensation_at_the_end_of_the_turn_comes_after_all_have_starved() -> None:
    deck, late = "ambush+3 ambush+2 ambush+1", rules(compensation="end_of_turn")
    state = lay("0/1, 0/1", "0/1", deck=deck, rules=late)
    assert changes(state, state.end_turn) == {
        "A": "",
        "B": "",
        "A hand": "ambush+3 ambush+2 ambush+1",
        "deck": "",
        "order": "BA",
    }
    events = [type(event) for event in state.events or ()]
    assert events[:4] == [SpeciesDied, SpeciesDied, SpeciesDied, CardsDrawn]


def test_a_board_that_was_never_grown_is_removed_without_compensation() -> None:
    state = lay("0/0 horns, 1/1", "0/1", deck="ambush+3 ambush+2", rules=rules(new_board_population=0))
    assert changes(state, state.end_turn) == {
        "A": "0/1",
        "A bag": 1,
        "B": "",
        "B hand": "ambush+3 ambush+2",
        "deck": "",
        "order": "BA",
    }
    assert [event.cause for event in state.events or () if isinstance(event, SpeciesDied)] == [
        "never grown",
        "starvation",
    ]


def test_all_species_starve_before_any_food_is_bagged() -> None:
    state = lay("1/1, 0/1", "1/1, 0/1")
    state.end_turn()
    kinds = [type(event) for event in state.events or () if isinstance(event, SpeciesDied | FoodBagged)]
    assert kinds == [SpeciesDied, SpeciesDied, FoodBagged, FoodBagged]


def test_the_first_player_moves_to_the_back_after_every_turn() -> None:
    dealer = _start()
    orders = []
    for _ in range(4):
        orders.append([player.seat for player in dealer.state.players])
        _feed_only(dealer)
    assert orders == [[A, B, C], [B, C, A], [C, A, B], [A, B, C]]


def test_a_player_that_declined_is_asked_again_in_the_next_turn() -> None:
    dealer = feeding_game(lay("0/2, 0/2", "1/1", "1/1", hole=9, deck=show_cards(CARDS)))
    asked: list[tuple[int, Seat]] = []
    while dealer.turn < 3:
        request = _asked(dealer)
        if isinstance(request, FeedNext):
            asked.append((dealer.turn, request.seat))
            _answer(dealer, Pass() if dealer.turn == 1 else request.options[0])
        else:
            # Each player buys a second board, so that it has several feedings.
            owned = len(request.view.boards)
            bought = Declaration(0, tuple(Growth(board, board + 2) for board in (0, owned)), (), (NewBoard(1),))
            _answer(dealer, bought)
    assert [seat for turn, seat in asked if turn == 1] == [A]
    assert A in [seat for turn, seat in asked if turn == 2]


def test_cards_for_an_extinct_species_can_be_used_in_the_next_turn() -> None:
    dealer = feeding_game(lay("0/1", "1/1", "1/1", deck=show_cards(CARDS)))
    while _asked(dealer).seat != A:
        _answer(dealer, Declaration(0))
    request = _asked(dealer)
    assert dealer.turn == 2
    # Two cards for the extinct species lie behind the four cards of this turn.
    assert request.view.hand[-2:] == CARDS[:2]
    assert violation_of(request, Declaration(4, (Growth(0, 5),))) is None


def test_leftover_food_stays_at_the_hole() -> None:
    dealer = feeding_game(lay("0/1", "0/2", "1/1", hole=5, deck=show_cards(CARDS)))
    # Three animals have eaten.
    assert dealer.turn == 2
    assert (dealer.state.hole, _asked(dealer).view.hole) == (2, 2)


# The end of the game (3.7).


@pytest.mark.parametrize(("deck", "turns"), [(11, 0), (12, 1), (13, 1)])
def test_a_turn_needs_a_deck_for_step_1(deck: int, turns: int) -> None:
    dealer = _start(CARDS[:deck])
    _feed_only(dealer)
    assert dealer.turn == turns
    assert dealer.outcome is not None
    assert dealer.outcome.reason == "the deck is too small for another turn"
    assert not dealer.requests


def test_a_game_that_cannot_start_is_over_before_the_first_request() -> None:
    dealer = _start(())
    assert isinstance(dealer.opening[-4], GameEnded)
    assert [type(event) for event in dealer.opening[-3:]] == [ResultAnnounced] * 3
    assert not any(isinstance(event, TurnStarted | BoardGiven) for event in dealer.opening)


@pytest.mark.parametrize(
    ("rows", "needed"), [(("1/1, 1/1", "1/1", "1/1"), 13), (("1/1, 1/1", "", "1/1"), 13), (("", "", ""), 12)]
)
@pytest.mark.parametrize("missing", [0, 1])
def test_next_deal_counts_boards_and_one_for_an_empty_row(rows: tuple[str, ...], needed: int, missing: int) -> None:
    dealer = feeding_game(lay(*rows, deck=show_cards(CARDS[: needed - missing])))
    assert (dealer.outcome is not None) == bool(missing)


def test_last_player_gets_fewer_cards_if_an_empty_row_does_not_count() -> None:
    short = rules(game_end_counts_free_board=False)
    dealer = feeding_game(lay("1/1", "1/1", "", deck=show_cards(CARDS[:11]), rules=short))
    assert dealer.outcome is None
    # B is dealt first, then C, whose row is empty, then A, for whom three of four cards are left.
    assert [(player.seat, len(player.hand)) for player in dealer.state.players] == [(B, 4), (C, 4), (A, 3)]
    dealer = feeding_game(lay("1/1", "1/1", "", deck=show_cards(CARDS[:10]), rules=short))
    assert dealer.outcome is not None


def test_a_started_turn_is_finished_although_the_deck_runs_out() -> None:
    dealer = _start(CARDS[:13])
    for _ in range(3):
        _answer(dealer, Declaration(0))
    assert dealer.outcome is not None
    assert [len(player.hand) for player in dealer.state.players] == [3, 3, 4]
    assert sum(len(player.boards) for player in dealer.state.players) == 0


def test_reshuffled_cards_keep_the_game_going() -> None:
    def play(spent_cards: Any) -> Dealer:
        dealer = _start(CARDS[:24], under=rules(spent_cards=spent_cards))
        for _ in range(3):
            _answer(dealer, Declaration(0, (Growth(0, 1), Growth(0, 2), Growth(0, 3))))
        return dealer

    gone = play("gone")
    assert gone.turn == 1
    assert gone.outcome is not None
    pile = play("pile")
    assert pile.turn == 1
    assert len(pile.state.pile) == 12
    reshuffled = play("reshuffled")
    assert reshuffled.turn == 2
    assert reshuffled.state.pile == []
    everything = [card for player in reshuffled.state.players for card in player.hand]
    everything += reshuffled.state.deck[len(reshuffled.state.deck) - reshuffled.state.deck_size :]
    assert sorted(everything) == list(CARDS[:24])


def test_the_order_of_a_reshuffle_is_fixed_by_the_seed_and_its_number() -> None:
    def reshuffled(seed: int, times: int) -> str:
        state = lay("", rules=rules(spent_cards="reshuffled"))
        state.seed = seed
        for _ in range(times):
            state.spend(CARDS[:20])
            state._reshuffle()
        return show_cards(state.deck[-20:])

    assert reshuffled(1, 1) == reshuffled(1, 1)
    assert len({reshuffled(1, 1), reshuffled(2, 1), reshuffled(1, 2)}) == 3


def test_a_reshuffled_pile_goes_under_the_deck() -> None:
    state = lay("", deck="horns+1", rules=rules(spent_cards="reshuffled"))
    state.spend(hand("ambush+1"))
    assert changes(state, lambda: state.draw(state.players[0], 1, "turn")) == {"A hand": "horns+1", "deck": ""}
    state.spend(hand("climbing+1"))
    after = changes(state, lambda: state.draw(state.players[0], 3, "turn"))
    assert (after["pile"], set(after["A hand"].split())) == ("", {"ambush+1", "climbing+1", "horns+1"})
    assert state.reshuffles == 1


# The interface of a game.


def test_a_dealer_asks_one_player_at_a_time_until_the_outcome_is_set() -> None:
    dealer = _start()
    while not dealer.outcome:
        assert len(dealer.requests) == 1
        assert list(dealer.requests) == [_asked(dealer).seat]
        _feed_only(dealer)
    assert dealer.requests == {}


@pytest.mark.parametrize(
    "answers",
    [
        {A: Declaration(9)},
        {A: Pass()},
        {A: None},
        {B: Declaration(0)},
        {Seat(7): Forfeit("left", "")},
        {A: Declaration(0), B: Forfeit("left", "")},
        {B: Forfeit("left", ""), A: Declaration(0)},
        {B: Forfeit("left", ""), Seat(7): Forfeit("left", "")},
    ],
    ids=["illegal", "not a declaration", "nothing", "not asked", "no such seat", "mixed", "mixed too", "half"],
)
def test_invalid_answers_raise_and_change_nothing(answers: dict[Seat, Any]) -> None:
    dealer = _start()
    request = _asked(dealer)

    def advance() -> None:
        with pytest.raises(ValueError, match=r"declaration|seat \d|no-such-card|one player is asked"):
            dealer.advance(answers)

    assert changes(dealer.state, advance) == {}
    assert _asked(dealer) is request
    assert len(_answer(dealer, Declaration(0))) == 1


def test_an_illegal_feeding_raises_and_changes_nothing() -> None:
    dealer = feeding_game(lay("0/1, 0/1", "0/1", hole=5))

    def advance() -> None:
        with pytest.raises(ValueError, match=r"no-such-board: NoSuchBoard\(board=2"):
            dealer.advance({A: FeedPlants(2)})

    assert changes(dealer.state, advance) == {}
    assert isinstance(_asked(dealer), FeedNext)


def test_answers_after_the_end_raise() -> None:
    dealer = _start(())
    for answer in (Forfeit("left", ""), Pass()):
        with pytest.raises(ValueError, match="the game is over"):
            dealer.advance({A: answer})
    assert len(dealer.state.players) == 3


def test_a_game_without_emit_returns_no_events() -> None:
    dealer = Dealer(deal(3, COURSE, 1, "ascending"), emit=False)
    assert dealer.opening == ()
    assert _answer(dealer, Declaration(0)) == ()


def test_a_copy_has_the_same_requests_and_is_independent() -> None:
    dealer = _start()
    copy = dealer.copy()
    before = snapshot(dealer.state)
    assert copy.requests == dealer.requests
    _feed_only(copy)
    assert copy.turn == 2
    assert (dealer.turn, snapshot(dealer.state)) == (1, before)
    _feed_only(dealer)
    assert snapshot(dealer.state) == snapshot(copy.state)


def test_the_turn_end_names_the_new_order() -> None:
    news = before_feeding(lay("1/1", "1/1", "1/1", deck=show_cards(CARDS))).advance({})
    (ended,) = (event for event in news if isinstance(event, TurnEnded))
    assert (ended.turn, ended.order) == (1, (B, C, A))


@pytest.mark.parametrize(
    ("seating", "order"),
    [("given", [0, 1, 2, 3, 4]), ("reversed", [4, 3, 2, 1, 0])],
)
def test_seating_without_chance(seating: Any, order: list[int]) -> None:
    assert list(deal(5, rules(seating=seating), 3).order) == order
    dealer = Dealer(deal(5, rules(seating=seating), 3))
    assert [player.seat for player in dealer.state.players] == order


def test_a_random_starter_does_not_change_the_neighbours() -> None:
    orders = {deal(5, rules(seating="random_starter"), seed).order for seed in range(60)}
    assert orders == {tuple((first + index) % 5 for index in range(5)) for first in range(5)}


def test_shuffled_seating_depends_on_the_seed() -> None:
    orders = {deal(3, rules(seating="shuffled"), seed).order for seed in range(60)}
    assert len(orders) == 6
    assert all(sorted(order) == [0, 1, 2] for order in orders)


def test_rules_are_frozen() -> None:
    with pytest.raises(AttributeError):
        COURSE.symbiosis = False  # type: ignore[misc]
    assert msgspec.structs.replace(COURSE, symbiosis=False) == rules(symbiosis=False)


def test_a_legal_answer_that_was_checked_does_not_admit_another_one() -> None:
    dealer, silly = Dealer(deal(3, COURSE, 1)), Silly()
    while not isinstance(request := next(iter(dealer.requests.values())), FeedNext):
        dealer.advance({request.seat: request.ask(silly)})
    legal = request.options[0]
    assert request.accept(legal) is legal
    with pytest.raises(ValueError, match="no-such-board"):
        dealer.advance({request.seat: FeedPlants(99)})
    assert dealer.requests == {request.seat: request}
    dealer.advance({request.seat: legal})
    assert dealer.requests.get(request.seat) != request
