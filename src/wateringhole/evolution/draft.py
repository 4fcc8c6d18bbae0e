"""A declaration in the making.

A draft starts with a hand and a row and grows by small legal steps.  People clicking,
stepwise players, learning agents and random players build their declarations with it, and a
whole declaration is checked by taking its steps one after the other.  Two things can be
judged only on the finished whole: that there is a food card, and that replacements together
leave no board with equal traits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from wateringhole.evolution.answers import (
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
from wateringhole.evolution.cards import Trait, TraitCard
from wateringhole.evolution.events import ReplacedTrait
from wateringhole.evolution.rules import MOST_BODY, MOST_POPULATION, MOST_TRAITS, Rules
from wateringhole.evolution.species import SpeciesBoard, new_board
from wateringhole.game import Violation

__all__ = ["Draft"]


class Draft:
    """Card choices of one player, under way or finished.

    `add` takes a step, or says why not and changes nothing.
    """

    __slots__ = (
        "_as_bought",
        "_trait_steps",
        "boards",
        "food",
        "hand",
        "row",
        "rules",
        "sides",
        "spent",
        "taken",
        "uses",
    )

    hand: Sequence[TraitCard]
    row: Sequence[SpeciesBoard]
    """The boards owned before."""
    boards: list[SpeciesBoard]
    """As they would be: first those owned, then those bought, wherever they will stand."""
    sides: list[Side]
    """Where each board bought joins the row."""
    food: int | None
    """The card given to the watering hole."""
    taken: list[Step]
    """The steps so far."""
    uses: dict[int, Step]
    """What each card is used for."""
    spent: list[TraitCard]
    """Cards that leave the game: given, traded, replaced."""

    def __init__(self, hand: Sequence[TraitCard], row: Sequence[SpeciesBoard], rules: Rules) -> None:
        self.hand = hand
        self.row = row
        self.rules = rules
        self._start_over()

    def _start_over(self) -> None:
        self.boards = list(self.row)
        # The traits against which replacements are judged: those before any replacement.
        self._as_bought = [board.traits for board in self.row]
        self._trait_steps: list[LayTrait | ReplaceTrait] = []
        self.sides = []
        self.food = None
        self.taken = []
        self.uses = {}
        self.spent = []

    # Growing

    def add(self, step: Step) -> Violation | None:
        """Take a step, or say which rule it breaks and change nothing."""
        violation = self.problem(step)
        if violation is None:
            _TAKE[type(step)](self, step)
            self.uses[step.card] = step
            self.taken.append(step)
        return violation

    def problem(self, step: Step) -> Violation | None:
        """Which rule a step would break, if any."""
        ask = _PROBLEM.get(type(step))
        if ask is None:
            return Violation("not-a-step", f"{step!r} is not a step of a declaration")
        card = step.card
        if type(card) is not int or not 0 <= card < len(self.hand):
            held = _counted(len(self.hand), "card")
            return Violation("no-such-card", f"there is no card {card!r}: the hand has {held}")
        if card in self.uses:
            uses = f"{_purpose(self.uses[card])} and {_purpose(step)}"
            return Violation("card-used-twice", f"card {card} is used twice: {uses}")
        return ask(self, step)

    def undo(self) -> Step:
        """Take back the last step.  Raises IndexError if there is none."""
        kept, last = self.taken[:-1], self.taken[-1]
        self._start_over()
        for step in kept:
            self.add(step)
        return last

    def steps(self) -> list[Step]:
        """All steps that could be taken next."""
        return [step for step in self._candidates() if self.problem(step) is None]

    # Finishing

    def unfinished(self) -> Violation | None:
        """What is still wrong with it as a whole, if anything."""
        if self.food is None:
            return Violation("no-food-card", "no card is given to the watering hole")
        if self.rules.final_traits_distinct:
            for step in self._trait_steps:
                traits = self.boards[step.board].traits
                if len(traits) > 1 and len(set(traits)) < len(traits):
                    twice = next(trait for trait in traits if traits.count(trait) > 1)
                    return Violation("equal-traits", f"board {step.board} would end with {twice} twice")
        return None

    def declaration(self) -> Declaration:
        """The declaration made of the steps.  Raises ValueError while it is not finished."""
        violation = self.unfinished()
        if violation:
            raise ValueError(violation.message)
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
            tuple(map(NewBoard, bought, map(tuple, laid), self.sides)),
            tuple(replacements),
        )

    @classmethod
    def of(
        cls, declaration: Declaration, hand: Sequence[TraitCard], row: Sequence[SpeciesBoard], rules: Rules
    ) -> Draft | Violation:
        """The finished draft of a whole declaration, or what is wrong with it."""
        draft = cls(hand, row, rules)
        try:
            for step in declaration.steps(len(row)):
                violation = draft.add(step)
                if violation:
                    return violation
        except (AttributeError, TypeError, ValueError):
            return Violation("ill-shaped", f"{declaration!r} is not a declaration")
        return draft.unfinished() or draft

    # Applying

    def hand_left(self) -> list[TraitCard]:
        """The cards not used, in their order."""
        uses = self.uses
        return [card for index, card in enumerate(self.hand) if index not in uses]

    def food_card(self) -> TraitCard:
        assert self.food is not None, "a finished draft has a food card"
        return self.hand[self.food]

    def places(self) -> list[int]:
        """For each board, where it will stand in the row."""
        owned, lefts = len(self.row), self.sides.count("left")
        places = list(range(lefts, lefts + owned))
        next_left, next_right = lefts - 1, lefts + owned
        for side in self.sides:
            if side == "left":
                places.append(next_left)
                next_left -= 1
            else:
                places.append(next_right)
                next_right += 1
        return places

    def replaced(self, places: Sequence[int]) -> tuple[ReplacedTrait, ...]:
        """The slots of boards that were replaced or filled, last change last."""
        traits = [list(bought) for bought in self._as_bought]
        changes = []
        for step in self.taken:
            if type(step) is ReplaceTrait or (type(step) is LayTrait and step.board < len(self.row)):
                board, new = traits[step.board], self.hand[step.card].trait
                slot = step.slot if type(step) is ReplaceTrait else len(board)
                old = board[slot] if slot < len(board) else None
                board[slot : slot + 1] = [new]
                changes.append(ReplacedTrait(places[step.board], slot, old, new))
        return tuple(changes)

    # What each kind of step demands

    def _no_such_board(self, board: int) -> Violation | None:
        if type(board) is int and 0 <= board < len(self.boards):
            return None
        owned = len(self.row)
        there = f"{_counted(owned, 'board')} owned and {len(self.boards) - owned} bought"
        return Violation("no-such-board", f"there is no board {board!r}: {there}")

    def _problem_of_food(self, step: GiveFood) -> Violation | None:
        if self.food is None:
            return None
        return Violation("two-food-cards", f"cards {self.food} and {step.card} are both given as food")

    def _problem_of_buying(self, step: BuyBoard) -> Violation | None:
        allowed = self.rules.new_board_side
        if step.side == allowed or (allowed == "choice" and step.side in ("left", "right")):
            return None
        return Violation("new-board-side", f"a bought board cannot join on the {step.side!r}: it goes {allowed}")

    def _problem_of_laying(self, step: LayTrait) -> Violation | None:
        if violation := self._no_such_board(step.board):
            return violation
        index, trait = step.board, self.hand[step.card].trait
        if index < len(self.row) and self.rules.traits_on_existing_boards == "replace_only":
            return Violation(
                "lay-on-old-board",
                f"card {step.card} ({trait}) cannot be laid on board {index}: boards that were there before "
                "take a new trait only in place of another",
            )
        if len(self.boards[index].traits) == MOST_TRAITS:
            return Violation("too-many-traits", f"board {index} has {MOST_TRAITS} traits already")
        if trait in self._as_bought[index]:
            return Violation("equal-traits", f"board {index} would have {trait} twice")
        if self._belongs_to_purchase(index):
            for taken in self._trait_steps:
                # A replacement is judged against the board as bought, also where it was made earlier.
                if type(taken) is ReplaceTrait and taken.board == index and self.hand[taken.card].trait is trait:
                    return Violation("equal-traits", f"board {index} would have {trait} twice")
        return self._problem_of_one_more_trait()

    def _belongs_to_purchase(self, index: int) -> bool:
        """Whether a trait laid on a board now is bought with it; otherwise it fills a free slot."""
        return index >= len(self.row) and len(self._as_bought[index]) == len(self.boards[index].traits)

    def _problem_of_replacing(self, step: ReplaceTrait) -> Violation | None:
        if violation := self._no_such_board(step.board):
            return violation
        index, slot, trait = step.board, step.slot, self.hand[step.card].trait
        slots = len(self.boards[index].traits)
        fills = self.rules.traits_on_existing_boards == "fill" and slot == slots < MOST_TRAITS
        if type(slot) is not int or not (0 <= slot < slots or fills):
            return Violation("no-such-slot", f"board {index} has no slot {slot!r}: it has {_counted(slots, 'trait')}")
        for other, held in enumerate(self._as_bought[index]):
            if other != slot and held is trait:
                message = f"board {index} has {trait} already, in slot {other}; slot {slot} cannot become {trait} too"
                return Violation("equal-traits", message)
        return self._problem_of_one_more_trait()

    def _problem_of_one_more_trait(self) -> Violation | None:
        most = self.rules.most_traits_laid
        if most is not None and len(self._trait_steps) >= most:
            return Violation("most-traits-laid", f"no more than {_counted(most, 'trait card')} may be laid in a turn")
        return None

    def _problem_of_population(self, step: GrowPopulation) -> Violation | None:
        if violation := self._no_such_board(step.board):
            return violation
        if self.boards[step.board].population >= MOST_POPULATION:
            return Violation(
                "population-limit", f"the population of board {step.board} would grow beyond {MOST_POPULATION}"
            )
        return None

    def _problem_of_body(self, step: GrowBody) -> Violation | None:
        if violation := self._no_such_board(step.board):
            return violation
        most = MOST_BODY if step.board < len(self.row) else self.rules.new_board_body_limit
        if self.boards[step.board].body >= most:
            return Violation("body-limit", f"the body of board {step.board} would grow beyond {most}")
        return None

    # What each kind of step does

    def _give_food(self, step: GiveFood) -> None:
        self.food = step.card
        self.spent.append(self.hand[step.card])

    def _buy(self, step: BuyBoard) -> None:
        self.spent.append(self.hand[step.card])
        self.boards.append(new_board(self.rules.new_board_population))
        self.sides.append(step.side)
        self._as_bought.append(())

    def _lay(self, step: LayTrait) -> None:
        self._trait_steps.append(step)
        index, card = step.board, self.hand[step.card]
        board = self.boards[index]
        if self._belongs_to_purchase(index):
            self._as_bought[index] += (card.trait,)
        self.boards[index] = board.with_card(len(board.traits), card, keep=self.rules.spent_cards != "gone")

    def _replace(self, step: ReplaceTrait) -> None:
        self._trait_steps.append(step)
        index, slot, card = step.board, step.slot, self.hand[step.card]
        board = self.boards[index]
        if slot < len(board.traits):
            self.spent.extend(board.cards[slot : slot + 1])
            fat_goes = board.traits[slot] is Trait.FAT_TISSUE is not card.trait
            if fat_goes and self.rules.fat_on_replace == "discard":
                board = board.with_fat(0)
        self.boards[index] = board.with_card(slot, card, keep=self.rules.spent_cards != "gone")

    def _grow_population(self, step: GrowPopulation) -> None:
        self.spent.append(self.hand[step.card])
        board = self.boards[step.board]
        self.boards[step.board] = board.with_population(board.population + 1)

    def _grow_body(self, step: GrowBody) -> None:
        self.spent.append(self.hand[step.card])
        board = self.boards[step.board]
        self.boards[step.board] = board.with_body(board.body + 1)

    def _candidates(self) -> Iterator[Step]:
        """All steps that are worth a look: what is out of range is left out."""
        allowed = self.rules.new_board_side
        sides: tuple[Side, ...] = ("right", "left") if allowed == "choice" else (allowed,)
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


_PROBLEM: dict[type, Callable[[Draft, Any], Violation | None]] = {
    GiveFood: Draft._problem_of_food,
    BuyBoard: Draft._problem_of_buying,
    LayTrait: Draft._problem_of_laying,
    ReplaceTrait: Draft._problem_of_replacing,
    GrowPopulation: Draft._problem_of_population,
    GrowBody: Draft._problem_of_body,
}

_TAKE: dict[type, Callable[[Draft, Any], None]] = {
    GiveFood: Draft._give_food,
    BuyBoard: Draft._buy,
    LayTrait: Draft._lay,
    ReplaceTrait: Draft._replace,
    GrowPopulation: Draft._grow_population,
    GrowBody: Draft._grow_body,
}


def _purpose(step: Step) -> str:
    match step:
        case GiveFood():
            return "as food"
        case BuyBoard():
            return "to buy a board"
        case LayTrait(board=board):
            return f"as a trait of board {board}"
        case ReplaceTrait(board=board, slot=slot):
            return f"to replace slot {slot} of board {board}"
        case GrowPopulation(board=board):
            return f"to grow the population of board {board}"
        case GrowBody(board=board):
            return f"to grow the body of board {board}"


def _counted(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
