"""Evolution for learners: answers and views as the numbers that `compiled.layout` describes.

A declaration is a sequence of actions: a step, its card, the next step, …, `DONE`.  Observations are the compact ones.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from copy import copy
from typing import Final

import numpy as np
import numpy.typing as npt
from msgspec import UNSET

from wateringhole.facets import Chance, Encoding
from wateringhole.game import Seat
from wateringhole.games.evolution.compiled import layout
from wateringhole.games.evolution.compiled.translate import board_to_word, cards_to_bits, sorted_slots
from wateringhole.games.evolution.rules.answers import (
    AttackSpecies,
    BuyBoard,
    Declaration,
    Feeding,
    FeedPlants,
    GiveFood,
    GrowBody,
    GrowPopulation,
    LayTrait,
    Pass,
    ReplaceTrait,
    Step,
    StoreFat,
)
from wateringhole.games.evolution.rules.cards import CARDS
from wateringhole.games.evolution.rules.draft import Draft
from wateringhole.games.evolution.rules.options import MOST_TRAITS, Rules
from wateringhole.games.evolution.rules.requests import DeclareCards, EvolutionRequest, FeedNext
from wateringhole.games.evolution.rules.setup import Setup, deal
from wateringhole.games.evolution.rules.species import SpeciesBoard
from wateringhole.games.evolution.rules.view import SeatedPlayer, View

__all__ = ["ENCODING", "SeatEncoder"]

HIGHEST: Final = 255
"""Larger numbers are cut."""

MOST_ACTIONS: Final = 100_000
"""Far more than a game takes, although a player may restart its declaration as often as it likes."""

_CHOOSING: Final = (layout.STEP, layout.CARD)


def _refuses(rules: Rules, players: int) -> str | None:
    """Return why such a game cannot be encoded, or None if it can."""
    if rules.custom_traits is not UNSET:
        return "there are no numbers for custom traits and their cards"
    if rules.seating != "given":
        return "observations list the seats in turn order. Choose seating=given"
    if rules.reorder_boards:
        return "there are no actions that arrange boards. Choose reorder_boards=false"
    if rules.traits_on_existing_boards != "replace_only":
        return "there are no actions that fill free slots. Choose traits_on_existing_boards=replace_only"
    if rules.new_board_side != "right":
        return "there are no actions that choose a side for a new board. Choose new_board_side=right"
    return None


def _next_cards(drawn: Sequence[int]) -> Sequence[int]:
    """Return the cards that can come next in the deck."""
    return sorted({*range(len(CARDS))}.difference(drawn))


def _setup(players: int, rules: Rules, drawn: Sequence[int]) -> Setup:
    """Return the setup of a game with this deck, dealt from the front."""
    return deal(players, rules, 0, deck=[CARDS[rank] for rank in drawn])


class SeatEncoder:
    """The decisions of one seat: a declaration takes many actions, an attack two, any other feeding one."""

    def __init__(self, seat: Seat, players: int) -> None:
        self._seat = seat
        self._players = players
        self._request: DeclareCards | FeedNext
        self._draft: Draft | None = None
        """The last declaration, finished or not."""
        self._draft_turn = 0
        self._pending = 0
        """The first half of an answer that takes two actions, or 0."""
        self._shown: tuple[View | None, bytes] = (None, b"")
        """The last view that was observed, and its seats as bytes: the same for all actions of a declaration."""

    @property
    def decision_type(self) -> int:
        whole, half = _CHOOSING if isinstance(self._request, DeclareCards) else (layout.FEED, layout.TARGET)
        return half if self._pending else whole

    def ask(self, request: EvolutionRequest) -> None:
        assert isinstance(request, DeclareCards | FeedNext), "rules with other requests are refused"
        self._request = request
        self._pending = 0
        if isinstance(request, DeclareCards):
            self._draft = request.draft()
            self._draft_turn = request.view.turn

    def copy(self) -> SeatEncoder:
        other = copy(self)
        if self._draft:
            other._draft = self._draft.copy()
        return other

    # Actions

    def mask(self) -> npt.NDArray[np.bool_]:
        legal = np.zeros(layout.ACTIONS, np.bool_)
        legal[self._legal()] = True
        return legal

    def _legal(self) -> list[int]:
        request = self._request
        if isinstance(request, FeedNext):
            return self._targets(request) if self._pending else self._feedings(request)
        assert self._draft is not None
        return self._cards(self._draft) if self._pending else self._steps(self._draft)

    def act(self, action: int) -> Declaration | Feeding | None:
        """Take a legal action.  Return the answer, or None if it is not complete."""
        if isinstance(self._request, FeedNext):
            return self._feed(action)
        draft = self._draft
        assert draft is not None
        if self._pending:
            (card,) = [index for index, card in enumerate(draft.hand) if card.rank == action]
            violation = draft.add(self._step(draft, self._pending, card))
            assert violation is None, violation
            self._pending = 0
        elif action == layout.DONE:
            return draft.declaration()
        elif action == layout.RESTART:
            self._draft = Draft(draft.hand, draft.row, draft.rules)
        else:
            self._pending = action
        return None

    def _feed(self, action: int) -> Feeding | None:
        if self._pending:
            hunter, self._pending = self._pending - layout.ATTACK, 0
            return AttackSpecies(hunter, Seat(action // layout.MOST_BOARDS), action % layout.MOST_BOARDS)
        if action == layout.DECLINE:
            return Pass()
        if action < layout.ATTACK:
            return FeedPlants(action - layout.EAT)
        if action < layout.STORE:
            self._pending = action
            return None
        board, fewer = divmod(action - layout.STORE, layout.MOST_FAT)
        return StoreFat(board, fewer + 1)

    def _steps(self, draft: Draft) -> list[int]:
        unused = [card for card in range(len(draft.hand)) if card not in draft.uses]
        legal = list(self._steps_with(draft, unused)) if unused else []
        if draft.check_complete() is None:
            legal.append(layout.DONE)
        return legal or [layout.RESTART]

    def _steps_with(self, draft: Draft, unused: Sequence[int]) -> Iterator[int]:
        """Yield the legal steps that take a card."""
        check, card = draft.check_step, unused[0]
        # Whether a step is legal depends on the trait of its card, and only if it lays the card.
        by_trait = list({draft.hand[card].trait: card for card in unused}.values())
        if check(GiveFood(card)) is None:
            yield layout.GIVE_FOOD
        if len(draft.boards) < layout.MOST_BOARDS:
            yield layout.BUY_BOARD
        for index, board in enumerate(draft.boards[: layout.MOST_BOARDS]):
            first = layout.ON_BOARD + layout.PER_BOARD * index
            if check(GrowPopulation(index, card)) is None:
                yield first + layout.GROW_POPULATION
            if check(GrowBody(index, card)) is None:
                yield first + layout.GROW_BODY
            # Rules that allow more than this are refused.
            can_lay = index >= len(draft.row) and len(board.traits) < MOST_TRAITS
            laying = [layout.LAY_TRAIT] if can_lay else []
            for operation in (*laying, *range(layout.REPLACE_TRAIT, layout.REPLACE_TRAIT + len(board.traits))):
                if any(check(self._step(draft, first + operation, card)) is None for card in by_trait):
                    yield first + operation

    def _cards(self, draft: Draft) -> list[int]:
        return [
            held.rank
            for card, held in enumerate(draft.hand)
            if card not in draft.uses and draft.check_step(self._step(draft, self._pending, card)) is None
        ]

    def _step(self, draft: Draft, action: int, card: int) -> Step:
        if action == layout.GIVE_FOOD:
            return GiveFood(card)
        if action == layout.BUY_BOARD:
            return BuyBoard(card)
        board, operation = divmod(action - layout.ON_BOARD, layout.PER_BOARD)
        if operation == layout.GROW_POPULATION:
            return GrowPopulation(board, card)
        if operation == layout.GROW_BODY:
            return GrowBody(board, card)
        if operation == layout.LAY_TRAIT:
            return LayTrait(board, card)
        slot = operation - layout.REPLACE_TRAIT
        return ReplaceTrait(
            board, sorted_slots(draft.row[board].traits)[slot] if board < len(draft.row) else slot, card
        )

    def _feedings(self, request: FeedNext) -> list[int]:
        legal = [] if request.rules.false_reply == "cheat" else [layout.DECLINE]
        for option in request.options:
            if option.board >= layout.MOST_BOARDS:  # type: ignore[union-attr]  # never a `Pass`
                continue
            if isinstance(option, FeedPlants):
                legal.append(layout.EAT + option.board)
            elif isinstance(option, StoreFat):
                first = layout.STORE + layout.MOST_FAT * option.board
                legal += range(first, first + min(option.tokens, request.view.hole))
            elif isinstance(option, AttackSpecies) and option.target < layout.MOST_BOARDS:
                legal.append(layout.ATTACK + option.board)
        return legal

    def _targets(self, request: FeedNext) -> list[int]:
        return [
            layout.MOST_BOARDS * option.seat + option.target
            for option in request.options
            if isinstance(option, AttackSpecies)
            and layout.ATTACK + option.board == self._pending
            and option.target < layout.MOST_BOARDS
        ]

    # Observations

    def observe(self, view: View, acting: Seat | None, decision_type: int) -> npt.NDArray[np.uint8]:
        players, seat = self._players, self._seat
        choosing = decision_type in _CHOOSING
        draft = self._draft if choosing and self._draft_turn == view.turn else None
        food = draft.hand[draft.food].rank if draft and draft.food is not None else layout.NO_CARD
        mine = acting == seat
        if not mine and acting is not None:
            # The first half of another player's answer is hidden.
            decision_type = layout.STEP if choosing else layout.FEED
        out = bytearray(layout.COMPACT)
        out[: layout.COMPACT_HAND] = (
            decision_type,
            0 if acting is None else (acting - seat) % players,
            self._pending if mine else 0,
            players,
            min(HIGHEST, view.turn),
            min(HIGHEST, view.hole),
            view.deck_size,
            (view.players[0].seat - seat) % players if view.players else 0,
            min(HIGHEST, view.bag),
            food,
        )
        hand = cards_to_bits(draft.hand_left() if draft else view.hand)
        out[layout.COMPACT_HAND : layout.COMPACT_PLAN] = hand.to_bytes(4 * layout.HAND_WORDS, "little")
        if draft:
            out[layout.COMPACT_PLAN] = len(draft.boards)
            self._show_boards(out, layout.COMPACT_PLAN + 1, draft.boards)
        if self._shown[0] is not view:
            self._shown = view, self._seats(view.players)
        out[layout.COMPACT_SEATS :] = self._shown[1]
        return np.frombuffer(out, np.uint8)

    def _seats(self, players: Sequence[SeatedPlayer]) -> bytes:
        """Return what an observation shows of the seats."""
        out = bytearray(layout.COMPACT - layout.COMPACT_SEATS)
        for player in players:
            place = layout.COMPACT_SEAT * ((player.seat - self._seat) % self._players)
            out[place], out[place + 1] = len(player.boards), player.hand_size
            self._show_boards(out, place + 2, player.boards)
        return bytes(out)

    def _show_boards(self, out: bytearray, place: int, boards: Sequence[SpeciesBoard]) -> None:
        shown = b"".join([_board_bytes(board) for board in boards[: layout.COMPACT_BOARDS]])
        out[place : place + len(shown)] = shown


@functools.lru_cache(maxsize=1 << 16)
def _board_bytes(board: SpeciesBoard) -> bytes:
    traits = board_to_word(board) & (layout.TRAIT_BITS | layout.TWIN_BITS)
    return bytes((board.population, board.food, board.body, board.fat)) + traits.to_bytes(3, "little")


ENCODING: Final = Encoding(
    actions=layout.ACTIONS,
    decision_types=layout.DECISION_TYPES,
    observation=layout.COMPACT,
    dtype=np.uint8,
    low=0,
    high=HIGHEST,
    encoder=SeatEncoder,
    refuses=_refuses,
    most_actions=lambda rules, players: MOST_ACTIONS,
    chance=Chance(len(CARDS), _next_cards, lambda rank: str(CARDS[rank]), _setup),
)
