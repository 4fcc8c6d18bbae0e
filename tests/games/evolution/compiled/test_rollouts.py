"""Sampled states of Evolution are consistent with the view, and rollouts distinguish answers."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from tests.games.evolution.builders import board, cards
from tests.games.evolution.compiled import calls
from tests.games.evolution.compiled.agreement import feedings_of, steps_of, word_of
from tests.games.evolution.random_games import random_answer
from tests.games.tables import declare, feed
from wateringhole.errors import UsageError
from wateringhole.game import Seat
from wateringhole.games.evolution import (
    CARDS,
    BuyBoard,
    Dealer,
    Declaration,
    DeclareCards,
    FeedNext,
    FeedPlants,
    GiveFood,
    GrowBody,
    Growth,
    Pass,
    Rules,
    View,
    deal,
)
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.games.evolution.compiled import SampledState, layout, rollout, sample_state
from wateringhole.games.evolution.compiled.translate import cards_to_bits, seat_place


@pytest.fixture(scope="module", autouse=True)
def compiled_rollouts() -> None:
    """Compile the loops before the tests."""
    rollout(next(requests(0, 3)), games=1)


def requests(seed: int, players: int) -> Iterator[DeclareCards | FeedNext]:
    """Yield all requests of a game with random answers."""
    rng = random.Random(seed)
    dealer = Dealer(deal(players, Rules(), seed), emit=False)
    while not dealer.outcome:
        ((seat, request),) = dealer.requests.items()
        assert isinstance(request, DeclareCards | FeedNext)
        yield request
        dealer.advance({seat: random_answer(request, rng)})


def hand_bits(sample: SampledState, place: int) -> int:
    base = seat_place(place) + layout.HAND
    return sum(int(sample.state[base + word]) << 32 * word for word in range(layout.HAND_WORDS))


def deck_bits(sample: SampledState) -> int:
    deck = sample.state[layout.DECK : layout.SEATS].view(np.uint8)
    return cards_to_bits(CARDS[rank] for rank in deck[sample.state[layout.FRONT] : sample.state[layout.END]])


def assert_matches(sample: SampledState, view: View) -> None:
    state = sample.state
    assert sample.seats == tuple(player.seat for player in view.players)
    assert (state[layout.HOLE], state[layout.TURN]) == (view.hole, view.turn)
    assert deck_bits(sample).bit_count() == view.deck_size
    assert hand_bits(sample, sample.seat) == cards_to_bits(view.hand)
    assert state[seat_place(sample.seat) + layout.BAG] == view.bag
    for place, player in enumerate(view.players):
        base = seat_place(place)
        row = state[base : base + state[base + layout.COUNT]].tolist()
        assert row == [word_of(board) for board in player.boards]
        assert hand_bits(sample, place).bit_count() == player.hand_size


@pytest.mark.parametrize("players", [3, 5, 8])
def test_state_can_be_sampled_at_every_request(players: int) -> None:
    rng = random.Random(players)
    for seed in range(4):
        for request in requests(seed, players):
            sample = sample_state(request.view, rng, feeding=isinstance(request, FeedNext))
            assert_matches(sample, request.view)
            sets = [deck_bits(sample), *(hand_bits(sample, place) for place in range(players))]
            everything = sum(sets)
            assert everything.bit_count() == sum(cards.bit_count() for cards in sets), "no card appears twice"
            assert everything < 1 << len(CARDS)


def test_sampled_state_has_the_options_of_the_request() -> None:
    mask = np.zeros(layout.ACTIONS, np.uint8)
    for request in requests(4, 4):
        feeding = isinstance(request, FeedNext)
        sample = sample_state(request.view, random.Random(0), feeding=feeding)
        options = feedings_of(request) if isinstance(request, FeedNext) else steps_of(request.draft())
        assert calls.look(sample.state, mask) == (sample.seat, layout.FEED if feeding else layout.STEP)
        # Only the first halves, because the second ones name seats, which differ in a sampled state.
        assert set(np.flatnonzero(mask).tolist()) == {actions[0] for actions in options}
        base = seat_place(sample.seat)
        assert sample.state[base + layout.FOOD_CARD] == layout.NO_CARD
        if not feeding:
            plan = sample.state[base + layout.PLAN : base + layout.PLAN + sample.state[base + layout.PLANNED]]
            assert plan.tolist() == [word_of(board) for board in request.view.boards]


def test_every_unseen_card_may_be_anywhere() -> None:
    view = next(requests(1, 3)).view
    rng = random.Random(1)
    samples = [sample_state(view, rng) for _ in range(300)]
    unseen = (1 << len(CARDS)) - 1 & ~cards_to_bits(view.hand)
    for where in (deck_bits, lambda sample: hand_bits(sample, 1), lambda sample: hand_bits(sample, 2)):
        union = 0
        for sample in samples:
            union |= where(sample)
        assert union == unseen


def test_same_seed_gives_the_same_sampled_state() -> None:
    view = next(requests(2, 4)).view
    one, other, third = (sample_state(view, random.Random(seed)) for seed in (5, 5, 6))
    assert np.array_equal(one.state, other.state)
    assert not np.array_equal(one.state, third.state)


def test_cards_on_boards_are_in_no_hand() -> None:
    """The seven cards of a trait are all on boards."""
    hand = cards((0, "ambush"), (1, "ambush"), (2, "ambush"), (3, "ambush"))
    request = declare(hand, [board("horns")] * 4)
    opponents = tuple(
        player if player.seat == request.seat else type(player)(player.seat, (board("horns"),) * 3, 4)
        for player in request.view.players
    )
    view = View(Rules(), request.seat, 1, 0, 20, opponents[:2], request.view.own)
    sample = sample_state(view, random.Random(0))
    horns = cards_to_bits(card for card in CARDS if card.trait == "horns")
    assert not (deck_bits(sample) | hand_bits(sample, 1 - sample.seat)) & horns


def test_given_bags_and_declined_seats_are_used() -> None:
    request = next(request for request in requests(3, 4) if isinstance(request, FeedNext))
    others = [player.seat for player in request.view.opponents]
    sample = sample_state(request.view, random.Random(0), feeding=True, bags={others[0]: 11}, declined=[others[1]])
    place = sample.seats.index(others[0])
    assert sample.state[seat_place(place) + layout.BAG] == 11
    assert not int(sample.state[layout.FEEDS]) >> sample.seats.index(others[1]) & 1
    assert int(sample.state[layout.FEEDS]).bit_count() == 3


def test_view_of_a_spectator_is_refused() -> None:
    view = next(requests(1, 3)).view
    spectator = View(view.rules, None, view.turn, view.hole, view.deck_size, view.players, None)
    with pytest.raises(UsageError, match="the view of a spectator"):
        sample_state(spectator, random.Random(0))


def test_players_without_cards_are_refused() -> None:
    with pytest.raises(UsageError, match="seat 1 has 0 cards"):
        sample_state(declare(cards((0, "ambush"), (1, "ambush"), (2, "ambush"), (3, "ambush"))).view, random.Random(0))


def test_feeding_scores_more_than_declining() -> None:
    request = feed([board("horns", "fertile", population=2), board()], [board()], hole=2)
    results = {result.candidate: result for result in rollout(request, games=200)}
    assert set(results) == {FeedPlants(0), FeedPlants(1), Pass()}
    assert results[Pass()].score < min(results[FeedPlants(0)].score, results[FeedPlants(1)].score)
    assert results[Pass()].games == 200


def test_same_seed_gives_the_same_rollouts() -> None:
    request = next(request for request in requests(5, 4) if isinstance(request, FeedNext))
    one, other, third = (rollout(request, games=50, seed=seed, others="random", me="silly") for seed in (1, 1, 2))
    assert one == other
    assert one != third


@pytest.mark.parametrize("number", [0, 2])
def test_steps_and_complete_declarations_are_played_out(number: int) -> None:
    """For the first and the last player of a turn, before and after others have declared."""
    request = [request for request in requests(6, 3) if isinstance(request, DeclareCards)][number]
    steps = rollout(request, games=5, me="silly", others="silly")
    assert [result.candidate for result in steps] == request.draft().steps()
    declared = Silly().choose(request)
    best = max(range(len(request.view.hand)), key=lambda index: request.view.hand[index].points)
    generous = Declaration(best)
    results = rollout(request, games=100, me="silly", others="silly", candidates=[declared, generous])
    assert [result.candidate for result in results] == [declared, generous]
    assert all(set(result.scores) == {Seat(0), Seat(1), Seat(2)} for result in results)
    assert all(1 <= result.place <= 3 and 0 <= result.wins <= 1 for result in results)


def test_silly_completes_its_first_step_to_its_declaration() -> None:
    """Its first step, completed by itself, is its declaration; the sampled states are the same."""
    request = next(requests(7, 4))
    assert isinstance(request, DeclareCards)
    declared = Silly().choose(request)
    first, whole = rollout(
        request, games=100, me="silly", others="silly", candidates=[GiveFood(declared.food_card), declared]
    )
    assert (first.scores, first.wins) == (whole.scores, whole.wins)


def test_candidates_must_be_legal() -> None:
    request = next(requests(7, 4))
    with pytest.raises(UsageError, match="there is no board 9"):
        rollout(request, candidates=[GrowBody(9, 0)])
    with pytest.raises(UsageError, match="card 0 is used twice"):
        rollout(request, candidates=[Declaration(0, body=(Growth(0, 0),))])
    with pytest.raises(UsageError, match="not compiled"):
        rollout(request, me="human")
    feeding = next(request for request in requests(5, 4) if isinstance(request, FeedNext))
    with pytest.raises(UsageError, match="this cannot be fed"):
        rollout(feeding, candidates=[FeedPlants(9)])
    with pytest.raises(UsageError, match="candidates must be a list, not 3"):
        rollout(request, candidates=3)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"others": None}, "others must be one compiled player, or players by seat, e.g. {0: 'random'}, not None"),
        ({"bags": [3, 3, 3]}, "bags must be a mapping by seat, e.g. {0: …}, not .3, 3, 3."),
        ({"bags": {1: -1}}, "the bag of seat 1 must be a whole number from 0 to [0-9]+, not -1"),
        ({"bags": {1: 2.5}}, "the bag of seat 1 must be a whole number from 0 to [0-9]+, not 2.5"),
        ({"declined": 1}, "declined: give the seats as a list, not 1"),
    ],
    ids=["others", "bags in a list", "negative bag", "half a token", "one seat"],
)
def test_beliefs_must_be_by_seat(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        rollout(next(requests(7, 4)), games=1, **wrong)


def test_rng_must_be_a_python_generator() -> None:
    with pytest.raises(UsageError, match=r"rng must be a random\.Random, not 7"):
        sample_state(next(requests(7, 4)).view, 7)  # type: ignore[arg-type]


@pytest.mark.parametrize("wrong", [{"games": 0}, {"games": 1.5}, {"seed": -1}, {"seed": 2**64}])
def test_invalid_numbers_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=f"{next(iter(wrong))} must be a whole number from"):
        rollout(next(requests(7, 4)), **wrong)


@pytest.mark.parametrize(
    "named",
    [{"bags": {Seat(7): 3}}, {"declined": [Seat(77)]}, {"others": {Seat(99): "silly"}}],
    ids=["bags", "declined", "others"],
)
def test_unknown_seats_are_refused(named: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match=f"{next(iter(named))}: there is no seat [79]+. Choose from: 0, 1, 2"):
        rollout(next(requests(1, 3)), games=1, **named)


def test_silly_continues_a_draft_with_a_bought_board() -> None:
    """In another order with the same cards, the result equals its own declaration."""
    request = next(requests(7, 4))
    assert isinstance(request, DeclareCards)
    order = sorted(range(len(request.view.hand)), key=lambda index: request.view.hand[index].rank)
    food, payment = order[0], order[1]
    assert Silly().choose(request).food_card == food
    begun, declared = rollout(
        request, games=100, me="silly", others="silly", candidates=[BuyBoard(payment), Silly().choose(request)]
    )
    assert begun.scores == declared.scores
