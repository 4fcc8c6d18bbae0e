"""An unfinished declaration.

A draft starts with a hand and a row and grows by legal steps.  The page, stepwise players,
learning agents and random players build declarations with it.  A complete declaration is
checked by taking its steps one after the other.  Two rules are checked only at the end: there
is a food card, and the replacements together leave no board with equal traits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from wateringhole.formatting import short_repr
from wateringhole.game import Violation
from wateringhole.games.evolution.rules.answers import (
    BuyBoard,
    Declaration,
    GiveFood,
    GrowBody,
    GrowPopulation,
    Growth,
    LayTrait,
    NewBoard,
    Replacement,
    ReplaceTrait,
    Side,
    Step,
)
from wateringhole.games.evolution.rules.cards import TraitCard
from wateringhole.games.evolution.rules.events import ReplacedTrait
from wateringhole.games.evolution.rules.options import MOST_BODY, MOST_POPULATION, MOST_TRAITS, Rules
from wateringhole.games.evolution.rules.species import SpeciesBoard, new_board
from wateringhole.games.evolution.rules.traits import Trait
from wateringhole.games.evolution.rules.violations import (
    BodyLimit,
    CardUsedTwice,
    EqualTraits,
    HandCard,
    IllShaped,
    IllShapedPart,
    LayOnOldBoard,
    MostTraitsLaid,
    NewBoardSide,
    NoFoodCard,
    NoSuchBoard,
    NoSuchCard,
    NoSuchSlot,
    NotAStep,
    PopulationLimit,
    TooManyTraits,
    TraitHeldAlready,
    TwoFoodCards,
    given,
    given_step,
)

__all__ = ["Draft"]


class Draft:
    """The card choices of one player, complete or not.

    `add` takes a step, or returns the violation and changes nothing.
    """

    __slots__ = (
        "_as_bought",
        "_replaced_cards",
        "_trait_steps",
        "boards",
        "food",
        "hand",
        "row",
        "rules",
        "sides",
        "uses",
    )

    hand: Sequence[TraitCard]
    row: Sequence[SpeciesBoard]
    """The boards owned before the declaration."""
    boards: list[SpeciesBoard]
    """The boards after the steps so far: first the owned ones, then the bought ones, on either side."""
    sides: list[Side]
    """The end of the row that each bought board joins."""
    food: int | None
    """The card given to the watering hole."""
    uses: dict[int, Step]
    """The steps so far, by the card that each step uses."""

    def __init__(self, hand: Sequence[TraitCard], row: Sequence[SpeciesBoard], rules: Rules) -> None:
        self.hand = hand
        self.row = row
        self.rules = rules
        self._start_over()

    def _start_over(self) -> None:
        self.boards = list(self.row)
        # Replacements are checked against the traits before any replacement.
        self._as_bought = [board.traits for board in self.row]
        self._trait_steps: list[LayTrait | ReplaceTrait] = []
        self.sides = []
        self.food = None
        self.uses = {}
        self._replaced_cards: list[TraitCard] = []

    def copy(self) -> Draft:
        """Return an independent draft with the same steps."""
        other = Draft(self.hand, self.row, self.rules)
        for step in self.taken:
            other.add(step)
        return other

    @property
    def taken(self) -> list[Step]:
        """The steps so far, in order."""
        return list(self.uses.values())

    # Growing

    def add(self, step: Step) -> Violation | None:
        """Take a step, or return the rule that it breaks and change nothing."""
        return self._take(step, True)

    def check_step(self, step: Step) -> Violation | None:
        """Return the rule that a step would break, or None if it is legal."""
        return self._take(step, False)

    def _take(self, step: Step, for_good: bool) -> Violation | None:
        take, needs_board = _TAKE.get(type(step), (None, False))
        if take is None:
            return NotAStep(short_repr(step))
        card = step.card
        if type(card) is not int or not 0 <= card < len(self.hand):
            return NoSuchCard(given(card), len(self.hand))
        if card in self.uses:
            return CardUsedTwice(self._held(card), self.uses[card], given_step(step))
        if needs_board:
            board = step.board  # type: ignore[union-attr]
            if type(board) is not int or not 0 <= board < len(self.boards):
                owned = len(self.row)
                return NoSuchBoard(given(board), owned, len(self.boards) - owned)
        violation = take(self, step, for_good)
        if violation is None and for_good:
            self.uses[card] = step
        return violation

    def _held(self, card: int) -> HandCard:
        return HandCard(card, self.hand[card])

    def undo(self) -> Step:
        """Undo the last step and return it.  Raises IndexError if there is none."""
        taken = self.taken
        last = taken.pop()
        self._start_over()
        for step in taken:
            self.add(step)
        return last

    def steps(self) -> list[Step]:
        """Return all legal next steps."""
        return [step for step in self._candidates() if self.check_step(step) is None]

    # Finishing

    def check_complete(self) -> Violation | None:
        """Return the rule that the draft breaks as a complete declaration, or None if it is complete."""
        if self.food is None:
            return NoFoodCard()
        if self.rules.final_traits_distinct:
            for step in self._trait_steps:
                traits = self.boards[step.board].traits
                if len(traits) > 1 and len(set(traits)) < len(traits):
                    twice = next(trait for trait in traits if traits.count(trait) > 1)
                    return EqualTraits(step.board, twice, at_end=True)
        return None

    def declaration(self) -> Declaration:
        """Return the declaration.  Raises ValueError if the draft is not complete."""
        violation = self.check_complete()
        if violation:
            raise ValueError(f"{violation.rule}: {violation!r}")
        assert self.food is not None, "a finished draft has a food card"
        owned = len(self.row)
        population, body, bought, replacements = [], [], [], []
        sizes = [len(board.traits) for board in self.row]
        laid: list[list[int]] = []
        for step in self.taken:
            match step:
                case BuyBoard(card):
                    bought.append(card)
                    laid.append([])
                    sizes.append(0)
                case LayTrait(board, card):
                    if board >= owned and len(laid[board - owned]) == sizes[board]:
                        laid[board - owned].append(card)
                    else:
                        replacements.append(Replacement(board, sizes[board], card))
                    sizes[board] += 1
                case ReplaceTrait(board, slot, card):
                    replacements.append(Replacement(board, slot, card))
                    sizes[board] = max(sizes[board], slot + 1)
                case GrowPopulation(board, card):
                    population.append(Growth(board, card))
                case GrowBody(board, card):
                    body.append(Growth(board, card))
        return Declaration(
            self.food,
            tuple(population),
            tuple(body),
            tuple(map(NewBoard, bought, map(tuple, laid), self._chosen_sides())),
            tuple(replacements),
        )

    def _chosen_sides(self) -> Sequence[Side | None]:
        """Return the sides for the declaration, which names them only if the rules leave the choice."""
        return self.sides if self.rules.new_board_side == "choice" else [None] * len(self.sides)

    @classmethod
    def from_declaration(
        cls, declaration: object, hand: Sequence[TraitCard], row: Sequence[SpeciesBoard], rules: Rules
    ) -> Draft | Violation:
        """Return the complete draft of a declaration, or the violation."""
        if type(declaration) is not Declaration:
            return IllShaped(short_repr(declaration), "declaration")
        wrong_shape = _wrong_shape(declaration)
        if wrong_shape:
            return wrong_shape
        draft = cls(hand, row, rules)
        for step in declaration.steps(len(row)):
            violation = draft._take(step, True)
            if violation:
                return violation
        return draft.check_complete() or draft

    # Applying

    def hand_left(self) -> list[TraitCard]:
        """Return the unused cards, in their order."""
        uses = self.uses
        return [card for index, card in enumerate(self.hand) if index not in uses]

    def food_card(self) -> TraitCard:
        """Return the card that is given to the watering hole."""
        assert self.food is not None, "a finished draft has a food card"
        return self.hand[self.food]

    def spent(self) -> list[TraitCard]:
        """Return the cards that leave the game: given, traded, replaced."""
        traded = [self.hand[card] for card, step in self.uses.items() if type(step) not in (LayTrait, ReplaceTrait)]
        return traded + self._replaced_cards

    def positions(self) -> Sequence[int]:
        """Return the future index of each board in the row."""
        if "left" not in self.sides:
            return range(len(self.boards))
        owned, lefts = len(self.row), self.sides.count("left")
        positions = list(range(lefts, lefts + owned))
        next_left, next_right = lefts - 1, lefts + owned
        for side in self.sides:
            if side == "left":
                positions.append(next_left)
                next_left -= 1
            else:
                positions.append(next_right)
                next_right += 1
        return positions

    def replaced(self, positions: Sequence[int]) -> tuple[ReplacedTrait, ...]:
        """Return the slots that were replaced or filled, last change last."""
        traits = [list(bought) for bought in self._as_bought]
        changes = []
        for step in self.taken:
            if type(step) is ReplaceTrait or (type(step) is LayTrait and step.board < len(self.row)):
                board, new = traits[step.board], self.hand[step.card].trait
                slot = step.slot if type(step) is ReplaceTrait else len(board)
                old = board[slot] if slot < len(board) else None
                board[slot : slot + 1] = [new]
                changes.append(ReplacedTrait(positions[step.board], slot, old, new))
        return tuple(changes)

    # The rules of each kind of step and, if it is taken for good, its effect.  Its card and its board exist.

    def _give_food(self, step: GiveFood, for_good: bool) -> Violation | None:
        if self.food is not None:
            return TwoFoodCards(self._held(self.food), self._held(step.card))
        if for_good:
            self.food = step.card
        return None

    def _buy(self, step: BuyBoard, for_good: bool) -> Violation | None:
        allowed = self.rules.new_board_side
        side = step.side or ("right" if allowed == "choice" else allowed)
        if side != allowed and not (allowed == "choice" and side in ("left", "right")):
            return NewBoardSide(short_repr(side), allowed)
        if for_good:
            self.boards.append(new_board(self.rules.new_board_population))
            self.sides.append(side)
            self._as_bought.append(())
        return None

    def _lay(self, step: LayTrait, for_good: bool) -> Violation | None:
        index, card = step.board, self.hand[step.card]
        board, trait = self.boards[index], card.trait
        if index < len(self.row) and self.rules.traits_on_existing_boards == "replace_only":
            return LayOnOldBoard(self._held(step.card), index)
        if len(board.traits) == MOST_TRAITS:
            return TooManyTraits(index, MOST_TRAITS)
        if trait in self._as_bought[index]:
            return EqualTraits(index, trait)
        # A trait laid on a newly bought board belongs to the purchase; otherwise it fills a free slot.
        is_bought = index >= len(self.row) and len(self._as_bought[index]) == len(board.traits)
        if is_bought:
            for taken in self._trait_steps:
                # A replacement is checked against the board as bought, even if it was made earlier.
                if type(taken) is ReplaceTrait and taken.board == index and self.hand[taken.card].trait is trait:
                    return EqualTraits(index, trait)
        most = self.rules.most_traits_laid
        if most is not None and len(self._trait_steps) >= most:
            return MostTraitsLaid(most)
        if for_good:
            if is_bought:
                self._as_bought[index] += (trait,)
            self.boards[index] = board.with_card(len(board.traits), card, keep=self.rules.spent_cards != "gone")
            self._trait_steps.append(step)
        return None

    def _replace(self, step: ReplaceTrait, for_good: bool) -> Violation | None:
        index, slot, card = step.board, step.slot, self.hand[step.card]
        board, trait = self.boards[index], card.trait
        slots = len(board.traits)
        fills = slot == slots < MOST_TRAITS and self.rules.traits_on_existing_boards == "fill"
        if type(slot) is not int or not (0 <= slot < slots or fills):
            return NoSuchSlot(index, given(slot), slots)
        for other, held in enumerate(self._as_bought[index]):
            if other != slot and held is trait:
                return TraitHeldAlready(index, trait, other, slot)
        most = self.rules.most_traits_laid
        if most is not None and len(self._trait_steps) >= most:
            return MostTraitsLaid(most)
        if for_good:
            self._replaced_cards += board.cards[slot : slot + 1]
            changed = board.with_card(slot, card, keep=self.rules.spent_cards != "gone")
            if self.rules.fat_on_replace == "discard" and index < len(self.row):
                # The final traits decide: the last replacement of a slot wins.
                before = self.row[index]
                loses = Trait.FAT_TISSUE in before.traits and Trait.FAT_TISSUE not in changed.traits
                changed = changed.with_fat(0 if loses else before.fat)
            self.boards[index] = changed
            self._trait_steps.append(step)
        return None

    def _grow_population(self, step: GrowPopulation, for_good: bool) -> Violation | None:
        board = self.boards[step.board]
        if board.population >= MOST_POPULATION:
            return PopulationLimit(step.board, MOST_POPULATION)
        if for_good:
            self.boards[step.board] = board.with_population(board.population + 1)
        return None

    def _grow_body(self, step: GrowBody, for_good: bool) -> Violation | None:
        board = self.boards[step.board]
        most = MOST_BODY if step.board < len(self.row) else self.rules.new_board_body_limit
        if board.body >= most:
            return BodyLimit(step.board, most)
        if for_good:
            self.boards[step.board] = board.with_body(board.body + 1)
        return None

    def _candidates(self) -> Iterator[Step]:
        """Yield all steps whose indexes are in range, legal or not."""
        sides: tuple[Side | None, ...] = ("right", "left") if self.rules.new_board_side == "choice" else (None,)
        fills = self.rules.traits_on_existing_boards == "fill"
        for card in range(len(self.hand)):
            if card in self.uses:
                continue
            if self.food is None:
                yield GiveFood(card)
            for side in sides:
                yield BuyBoard(card, side)
            for index, board in enumerate(self.boards):
                if fills or index >= len(self.row):
                    yield LayTrait(index, card)
                for slot in range(len(board.traits)):
                    yield ReplaceTrait(index, slot, card)
                yield GrowPopulation(index, card)
                yield GrowBody(index, card)


_TAKE: dict[type, tuple[Callable[[Draft, Any, bool], Violation | None], bool]] = {
    GiveFood: (Draft._give_food, False),
    BuyBoard: (Draft._buy, False),
    LayTrait: (Draft._lay, True),
    ReplaceTrait: (Draft._replace, True),
    GrowPopulation: (Draft._grow_population, True),
    GrowBody: (Draft._grow_body, True),
}
"""The method for each type of step, and whether the step names a board."""


def _wrong_shape(declaration: Declaration) -> IllShapedPart | None:
    """Return the first part of a declaration that is not a frozen record, or None if all are.

    Any other object could change between the check and its use.
    """
    if type(declaration.new_boards) is not tuple:
        return IllShapedPart("new_boards", "tuple", short_repr(declaration.new_boards))
    for bought in declaration.new_boards:
        if type(bought) is not NewBoard:
            return IllShapedPart("new_boards", "NewBoard", short_repr(bought))
        if type(bought.traits) is not tuple:
            return IllShapedPart("traits", "tuple", short_repr(bought.traits))
    if type(declaration.replacements) is not tuple:
        return IllShapedPart("replacements", "tuple", short_repr(declaration.replacements))
    for replacement in declaration.replacements:
        if type(replacement) is not Replacement:
            return IllShapedPart("replacements", "Replacement", short_repr(replacement))
    for growths in (declaration.population, declaration.body):
        if type(growths) is not tuple:
            return IllShapedPart("growth", "tuple", short_repr(growths))
        for growth in growths:
            if type(growth) is not Growth:
                return IllShapedPart("growth", "Growth", short_repr(growth))
    return None
