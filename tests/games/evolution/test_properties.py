"""Properties of every game, for any rules, deck and players."""

from __future__ import annotations

import gc
import random
import tracemalloc
from collections.abc import Iterator, Mapping
from typing import Any

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.games.evolution.random_games import _OPTIONS, RandomGame, games, random_answer
from tests.games.evolution.scenarios import changes, snapshot
from tests.strategies import any_steps, drafts, states
from wateringhole.game import Answer, Event, Forfeit, Seat, violation_of
from wateringhole.games.evolution import (
    CARDS,
    PROFILES,
    BuyBoard,
    Dealer,
    DeclareCards,
    Draft,
    FeedNext,
    GiveFood,
    Pass,
    Rules,
    Step,
    StoreFat,
    TraitCard,
    deal,
)
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.games.evolution.rules.events import (
    AnimalLost,
    DeclarationApplied,
    FatStored,
    FoodCut,
    FoodRevealed,
    SpeciesAttacked,
    SpeciesDied,
    SpeciesFed,
)
from wateringhole.games.evolution.rules.feeding import FeedingRounds
from wateringhole.games.evolution.rules.state import GameState, PlayerState

Answers = Mapping[Seat, Answer | Forfeit]

MANY = settings(max_examples=2 * settings.default.max_examples)  # type: ignore[union-attr]
"""Random games are short, and rare events should occur too."""


def _decisions(game: RandomGame, dealer: Dealer, most: int = 150) -> Iterator[Answers]:
    """Yield random answers, each for the dealer's current request."""
    for _ in range(most):
        if not dealer.requests:
            return
        ((seat, request),) = dealer.requests.items()
        if game.rng.random() < game.forfeits:
            leaving = game.rng.sample(dealer.state.players, game.rng.randint(1, len(dealer.state.players)))
            yield {player.seat: Forfeit("left", "has had enough") for player in leaving}
        else:
            yield {seat: random_answer(request, game.rng)}


def _under(game: RandomGame, **options: Any) -> RandomGame:
    """Return the same game under rules that differ in these options."""
    rules = msgspec.structs.replace(game.setup.rules, **options)
    return RandomGame(msgspec.structs.replace(game.setup, rules=rules), game.rng.randrange(2**32), game.forfeits)


# Cards.


def _cards_of(player: PlayerState) -> list[TraitCard]:
    return [*player.hand, *(card for board in player.boards for card in board.cards)]


def _all_cards(state: GameState) -> list[TraitCard]:
    held = [card for player in state.players for card in _cards_of(player)]
    return [*held, *state.pile, *state.deck[len(state.deck) - state.deck_size :]]


@MANY
@given(games(), st.sampled_from(["pile", "reshuffled"]))
def test_every_card_exists_exactly_once_until_its_owner_is_thrown_out(game: RandomGame, spent_cards: Any) -> None:
    game = _under(game, spent_cards=spent_cards)
    dealer = Dealer(game.setup)
    lost: list[TraitCard] = []
    for answers in _decisions(game, dealer):
        for seat, answer in answers.items():
            if isinstance(answer, Forfeit):
                lost += _cards_of(dealer.state.player(seat))
        dealer.advance(answers)
        assert sorted(_all_cards(dealer.state) + lost) == sorted(game.setup.deck)


@MANY
@given(games())
def test_cards_that_left_the_game_never_return(game: RandomGame) -> None:
    game = _under(game, spent_cards="gone")
    dealer = Dealer(game.setup)
    before = set(game.setup.deck)
    for answers in _decisions(game, dealer):
        dealer.advance(answers)
        left = _all_cards(dealer.state)
        assert len(set(left)) == len(left)
        assert set(left) <= before
        before = set(left)


# Tokens.


def _tokens(state: GameState) -> int:
    """Count the tokens at the hole, on boards, in stores and in bags."""
    held = sum(player.bag + sum(board.food + board.fat for board in player.boards) for player in state.players)
    return state.hole + held


class Ledger:
    """The expected number of tokens.

    Food cards bring tokens or take them away, as far as the hole is not cut at 0.  Tokens are
    lost when food is trimmed, when a board dies out with its food and fat, when replaced fat
    tissue loses its store (`fat_on_replace`), and with a player who is thrown out.  Everything
    else moves them.
    """

    def __init__(self, state: GameState) -> None:
        self.tokens = _tokens(state)
        self.hole = state.hole
        self.fat = {player.seat: sum(board.fat for board in player.boards) for player in state.players}
        self.attack: SpeciesAttacked | None = None

    def enter(self, event: Event) -> None:
        match event:
            case FoodRevealed(hole=hole) | FoodCut(hole=hole):
                self.tokens += hole - self.hole
                self.hole = hole
            case SpeciesFed(hole=hole) | FatStored(hole=hole):
                self.hole = hole
            case DeclarationApplied(seat=seat, boards=boards):
                self.tokens -= self.fat[seat] - sum(board.fat for board in boards)
            case SpeciesAttacked():
                self.attack = event
            case AnimalLost(cause=cause, food=food):
                assert self.attack is not None
                wounded = self.attack.defender if cause == "attack" else self.attack.attacker
                self.tokens -= wounded.food - food
            case SpeciesDied(species=species):
                self.tokens -= species.food + species.fat


@MANY
@given(games())
def test_tokens_are_conserved(game: RandomGame) -> None:
    dealer = Dealer(game.setup)
    for answers in _decisions(game, dealer):
        leaving = [seat for seat, answer in answers.items() if isinstance(answer, Forfeit)]
        ledger = Ledger(dealer.state)
        gone = [player for player in dealer.state.players if player.seat in leaving]
        ledger.tokens -= sum(player.bag + sum(board.food + board.fat for board in player.boards) for player in gone)
        for event in dealer.advance(answers):
            ledger.enter(event)
        assert _tokens(dealer.state) == ledger.tokens
        assert dealer.state.hole >= 0


@MANY
@given(states(), st.randoms(use_true_random=False))
def test_feeding_rounds_lose_only_tokens_of_attacked_species(state: GameState, rng: random.Random) -> None:
    rounds = FeedingRounds(state, 1)
    ledger = Ledger(state)
    while request := rounds.next_request():
        rounds.take(rng.choice(request.options))
    for event in state.events or ():
        ledger.enter(event)
    assert _tokens(state) == ledger.tokens
    assert state.hole == ledger.hole


# Boards.


@MANY
@given(games())
def test_boards_keep_their_invariants(game: RandomGame) -> None:
    rules = game.setup.rules
    dealer = Dealer(game.setup)
    for answers in _decisions(game, dealer):
        dealer.advance(answers)
        for player in dealer.state.players:
            for board in player.boards:
                assert 0 <= board.food <= board.population <= 7
                assert 0 <= board.fat <= board.body <= 7
                assert board.population > 0 or rules.new_board_population == 0
                assert len(board.traits) <= 3
                assert len(set(board.traits)) == len(board.traits) or not rules.final_traits_distinct
                kept = () if rules.spent_cards == "gone" else board.traits
                assert tuple(card.trait for card in board.cards) == kept


# Copies, games without events, replays.


def _sees(dealer: Dealer) -> dict[str, Any]:
    """Return everything that is visible of a game from outside, for comparison."""
    asked: dict[str, Any] = {"asked": {}, "turn": dealer.turn, "outcome": dealer.outcome}
    for seat, request in dealer.requests.items():
        options = request.options if isinstance(request, FeedNext) else None
        asked["asked"][seat] = (request.name, request.view, options)
    return snapshot(dealer.state) | asked


@MANY
@given(games(), st.integers(0, 60), st.booleans())
def test_a_copy_never_touches_its_original_and_behaves_the_same(game: RandomGame, moves: int, quiet: bool) -> None:
    dealer = Dealer(game.setup)
    for answers in _decisions(game, dealer, moves):
        dealer.advance(answers)
    copy = dealer.copy(emit=not quiet)
    before = _sees(dealer)
    assert _sees(copy) == before
    future = []
    for answers in _decisions(game, copy, 60):
        future.append((answers, copy.advance(answers), _sees(copy)))
    assert _sees(dealer) == before
    for answers, events, seen in future:
        expected = dealer.advance(answers)
        assert events == (() if quiet else expected)
        assert _sees(dealer) == seen


@MANY
@given(games())
def test_answers_replay_a_game_exactly_with_and_without_events(game: RandomGame) -> None:
    dealer = Dealer(game.setup)
    course = [(answers, dealer.advance(answers), _sees(dealer)) for answers in _decisions(game, dealer)]
    again, quiet = Dealer(game.setup), Dealer(game.setup, emit=False)
    assert again.opening == dealer.opening
    for answers, events, seen in course:
        assert again.advance(answers) == events
        assert quiet.advance(answers) == ()
        assert _sees(again) == _sees(quiet) == seen


# Requests and answers.


@MANY
@given(games())
def test_outcome_is_set_exactly_when_there_is_no_request(game: RandomGame) -> None:
    dealer = Dealer(game.setup)
    assert (dealer.outcome is None) == bool(dealer.requests)
    for answers in _decisions(game, dealer):
        dealer.advance(answers)
        assert (dealer.outcome is None) == bool(dealer.requests)


@MANY
@given(games())
def test_listed_options_are_legal(game: RandomGame) -> None:
    dealer = Dealer(game.setup)
    for answers in _decisions(game, dealer):
        for request in dealer.requests.values():
            if isinstance(request, FeedNext):
                assert len(request.options) > 1 or not request.rules.auto_feed or request.rules.own_attacks
                assert [violation_of(request, option) for option in request.options] == [None] * len(request.options)
                assert (violation_of(request, Pass()) is None) == (request.rules.false_reply != "cheat")
                stores = [option for option in request.options if isinstance(option, StoreFat)]
                assert [violation_of(request, StoreFat(store.board, 1)) for store in stores] == [None] * len(stores)
            elif isinstance(request, DeclareCards):
                assert [request.draft().add(step) for step in request.draft().steps()] == [None] * len(
                    request.draft().steps()
                )
        dealer.advance(answers)


@MANY
@given(games())
def test_games_end(game: RandomGame) -> None:
    # With reshuffled cards a game may never end.
    if game.setup.rules.spent_cards == "reshuffled":
        game = _under(game, spent_cards="pile")
    dealer = Dealer(game.setup, emit=False)
    turns = len(game.setup.deck) // 3 + 1
    for answers in _decisions(game, dealer, most=10**6):
        dealer.advance(answers)
        assert dealer.turn <= turns
    assert dealer.outcome is not None
    ranked = [standing.seat for standing in dealer.outcome.ranking]
    out = [thrown.seat for thrown in dealer.outcome.thrown_out]
    assert sorted(ranked + out) == sorted(game.setup.order)


# Drafts.


def _seen(draft: Draft) -> tuple[object, ...]:
    return (
        list(draft.boards),
        list(draft.sides),
        list(draft.taken),
        dict(draft.uses),
        list(draft.spent()),
        draft.steps(),
        draft.check_complete(),
    )


@MANY
@given(drafts())
def test_every_listed_step_is_accepted_and_can_be_undone(draft: Draft) -> None:
    before = _seen(draft)
    for step in draft.steps():
        assert draft.check_step(step) is None
        assert draft.add(step) is None
        assert draft.undo() == step
        assert _seen(draft) == before


@MANY
@given(drafts(), any_steps())
def test_a_step_is_listed_or_refused_and_a_refused_step_changes_nothing(draft: Draft, step: Step) -> None:
    before = _seen(draft)
    listed = step in draft.steps()
    violation = draft.add(step)
    if violation:
        assert not listed
        assert _seen(draft) == before
    else:
        # A free slot can be filled in two ways, of which one is listed; a side can be named or omitted.
        assert listed or draft.rules.traits_on_existing_boards == "fill" or isinstance(step, BuyBoard)
        assert draft.taken[-1] == step


@MANY
@given(drafts())
def test_a_complete_draft_matches_its_declaration(draft: Draft) -> None:
    if draft.check_complete():
        with pytest.raises(ValueError, match=r"no-food-card|equal-traits"):
            draft.declaration()
        return
    declaration = draft.declaration()
    again = Draft.from_declaration(declaration, draft.hand, draft.row, draft.rules)
    assert isinstance(again, Draft), again
    assert again.boards == draft.boards
    assert list(again.positions()) == list(draft.positions())
    assert again.hand_left() == draft.hand_left()
    assert again.food_card() is draft.food_card()
    assert sorted(again.spent()) == sorted(draft.spent())
    assert again.declaration() == declaration


@MANY
@given(drafts())
def test_a_draft_uses_every_card_once(draft: Draft) -> None:
    used = [step.card for step in draft.taken]
    assert sorted(used) == sorted(set(used)) == sorted(draft.uses)
    assert len(draft.hand_left()) == len(draft.hand) - len(used)
    assert sum(isinstance(step, GiveFood) for step in draft.taken) <= 1


@MANY
@given(drafts())
def test_bought_boards_get_distinct_positions_on_their_side(draft: Draft) -> None:
    positions = list(draft.positions())
    assert sorted(positions) == list(range(len(draft.boards)))
    owned = positions[: len(draft.row)]
    assert owned == sorted(owned)
    for side, position in zip(draft.sides, positions[len(draft.row) :], strict=True):
        assert (position < min(owned)) == (side == "left") if owned else True


# Rounds.


@given(states())
def test_requesting_and_checking_change_nothing(state: GameState) -> None:
    rounds = FeedingRounds(state, 1)
    request = rounds.next_request()
    assert changes(state, lambda: rounds.next_request()) == {}
    if request:
        for board in range(-1, 5):
            for tokens in range(-1, 9):
                assert changes(state, lambda: violation_of(request, StoreFat(board, tokens))) == {}  # noqa: B023


# Memory.


def _play_silly_games(count: int, loud: bool) -> None:
    silly = Silly()
    rng = random.Random(count)
    for number in range(count):
        deck = rng.sample(CARDS, 30)
        dealer = Dealer(deal(3, PROFILES["course"], number, deck), emit=loud)
        while dealer.requests:
            dealer.advance({seat: request.ask(silly) for seat, request in dealer.requests.items()})


def test_memory_stays_flat_over_2000_games() -> None:
    # Trait effects are cached for each combination of traits; create them all before measuring.
    _play_silly_games(1000, loud=True)
    gc.collect()
    objects = len(gc.get_objects())
    tracemalloc.start()
    try:
        _play_silly_games(100, loud=True)
        gc.collect()
        early = tracemalloc.get_traced_memory()[0]
        _play_silly_games(1900, loud=True)
        gc.collect()
        late = tracemalloc.get_traced_memory()[0]
    finally:
        tracemalloc.stop()
    assert late - early < 200_000, "bytes that 1,900 games left behind"
    assert len(gc.get_objects()) - objects < 2_000


def test_random_games_are_played_under_every_option() -> None:
    assert set(_OPTIONS) == set(Rules.__struct_fields__) - {"custom_traits"}


@pytest.mark.slow
@pytest.mark.parametrize(
    "holds",
    [
        test_cards_that_left_the_game_never_return,
        test_tokens_are_conserved,
        test_boards_keep_their_invariants,
        test_answers_replay_a_game_exactly_with_and_without_events,
        test_listed_options_are_legal,
        test_games_end,
    ],
)
def test_properties_hold_in_thousands_of_games(holds: Any) -> None:
    settings(max_examples=2000)(given(games())(holds.hypothesis.inner_test))()
