"""The violations: one record for each rule that an answer can break, with the cards and boards concerned.

The referee, the page and players share these records; `text` turns them into sentences.  Cards,
boards, slots and seats are counted from 0.  Values from outside are stored in a safe form: a
whole number unchanged, anything else as a short text (`given`).
"""

from __future__ import annotations

from typing import Any, Final, Literal

import msgspec

from wateringhole.formatting import short_repr, single_line
from wateringhole.game import Seat, Violation
from wateringhole.games.evolution.rules.answers import Step
from wateringhole.games.evolution.rules.cards import TraitCard
from wateringhole.games.evolution.rules.traits import Trait

__all__ = [
    "BodyLimit",
    "CardNamedTwice",
    "CardUsedTwice",
    "EqualTraits",
    "FatOverHole",
    "FatRoom",
    "FeedingPart",
    "FormProblem",
    "Given",
    "HandCard",
    "IllShaped",
    "IllShapedPart",
    "IllShapedReply",
    "LayOnOldBoard",
    "MostTraitsLaid",
    "NewBoardSide",
    "NoAnimals",
    "NoDeclining",
    "NoFatRoom",
    "NoFoodCard",
    "NoSuchBoard",
    "NoSuchCard",
    "NoSuchSlot",
    "NoSuchTarget",
    "NotACarnivore",
    "NotAStep",
    "NotAVegetarian",
    "NotAnOrder",
    "NotHungry",
    "NotInHand",
    "OwnBoard",
    "PopulationLimit",
    "Prevented",
    "Protected",
    "ReplyOutOfRange",
    "Spot",
    "TooManyTraits",
    "TraitHeldAlready",
    "TwoFoodCards",
    "UnknownDeclarationForm",
    "UnknownFeedingForm",
    "given",
    "given_step",
]

Given = int | str
"""An index or amount from outside: a whole number, or a text that represents any other value."""

LARGEST: Final = 10**50
"""Larger numbers are shortened, as in every other message."""


def given(value: object) -> Given:
    """Return a value from outside in its safe form."""
    return value if type(value) is int and -LARGEST <= value <= LARGEST else short_repr(value)


def given_step(step: Step) -> Step:
    """Return a step from outside with safe values."""
    parts: dict[str, Any] = {
        name: single_line(str(value))
        for name in step.__struct_fields__
        if (value := getattr(step, name)) is not None and given(value) is not value
    }
    return msgspec.structs.replace(step, **parts) if parts else step


class HandCard(msgspec.Struct, frozen=True):
    """A card of the hand."""

    index: int
    card: TraitCard


class Spot(msgspec.Struct, frozen=True):
    """A board of any player."""

    seat: Seat
    board: int


# The shape of answers


class IllShaped(Violation, frozen=True):
    """The answer is not a record of the expected type."""

    given: str
    wanted: Literal["declaration", "feeding"]


FeedingPart = Literal["answer", "species", "tokens", "player", "target"]
"""A part of a feeding in a plain form; `answer` is the whole value."""
FormProblem = Literal["type", "copy", "other-row", "twice"]
"""A value of the wrong type; an object that is not in the view; a board of another row; a board that is in its
row twice."""


class UnknownFeedingForm(Violation, frozen=True, tag="ill-shaped"):
    """A plain value of a Python player has none of the forms of a feeding."""

    given: str
    part: FeedingPart
    problem: FormProblem
    value: str
    """The part that is wrong."""
    forms: tuple[str, ...]
    """A legal answer of each form that the request allows."""


class UnknownDeclarationForm(Violation, frozen=True, tag="ill-shaped"):
    """A plain value of a Python player is not an Action4."""

    given: str
    problem: str | None
    """Why the list cannot be read, or None if the value is not a list."""
    example: str | None
    """A legal answer, or None if the hand is empty."""


class IllShapedPart(Violation, frozen=True, tag="ill-shaped"):
    """A part of a declaration is not a record, or not a tuple, of the expected type."""

    part: Literal["new_boards", "traits", "replacements", "growth"]
    wanted: Literal["tuple", "NewBoard", "Replacement", "Growth"]
    given: str


class IllShapedReply(Violation, frozen=True, tag="ill-shaped"):
    """A stepwise player's answer to a step request is not a value of the expected type."""

    question: str
    given: str
    wanted: Literal["choice", "target", "slot", "slots", "cards", "card", "indexes"]


class ReplyOutOfRange(Violation, frozen=True):
    """A stepwise player's answer to a step request is not an index of an offered item."""

    question: str
    given: str
    noun: Literal["board", "opponent", "trait"]
    count: int

    @property
    def rule(self) -> str:
        return f"no-such-{self.noun}"


class NotAnOrder(Violation, frozen=True):
    """The order does not name each board once."""

    given: str
    boards: int


# Declarations


class NotAStep(Violation, frozen=True):
    """The value is not a step of a declaration."""

    given: str


class NoSuchCard(Violation, frozen=True):
    """The hand has no card with this index."""

    card: Given
    held: int


class NotInHand(Violation, frozen=True, tag="no-such-card"):
    """A stepwise player answered with a card that it does not hold."""

    question: str
    card: TraitCard


class CardUsedTwice(Violation, frozen=True):
    """Two steps use the same card."""

    card: HandCard
    first: Step
    second: Step


class CardNamedTwice(Violation, frozen=True, tag="card-used-twice"):
    """A stepwise player answered with a card twice, or with one that it used before."""

    question: str
    card: TraitCard
    used_before: bool


class NoSuchBoard(Violation, frozen=True):
    """No board has this index, neither an owned one nor, in a declaration, a bought one."""

    board: Given
    owned: int
    bought: int | None = None
    """None outside of a declaration."""


class NoFoodCard(Violation, frozen=True):
    """No card is given to the watering hole."""

    hand_is_empty: bool = False


class TwoFoodCards(Violation, frozen=True):
    """Two cards are given to the watering hole."""

    first: HandCard
    second: HandCard


class NewBoardSide(Violation, frozen=True):
    """A bought board cannot join the row at this end."""

    given: str
    allowed: Literal["left", "right", "choice"]


class LayOnOldBoard(Violation, frozen=True):
    """A board owned before the declaration takes a new trait only in place of another."""

    card: HandCard
    board: int


class TooManyTraits(Violation, frozen=True):
    """The board has no free slot."""

    board: int
    most: int


class EqualTraits(Violation, frozen=True):
    """A board would have a trait twice."""

    board: int
    trait: Trait
    at_end: bool = False
    """True if only the complete declaration breaks the rule."""


class TraitHeldAlready(Violation, frozen=True, tag="equal-traits"):
    """Another slot of the board already has the trait that a slot would get."""

    board: int
    trait: Trait
    held_in: int
    slot: int


class NoSuchSlot(Violation, frozen=True):
    """The board has no slot with this index."""

    board: int
    slot: Given
    traits: int


class MostTraitsLaid(Violation, frozen=True):
    """The rules limit the number of trait cards that a player lays in a turn."""

    most: int


class PopulationLimit(Violation, frozen=True):
    """The population of a board cannot grow further."""

    board: int
    most: int


class BodyLimit(Violation, frozen=True):
    """The body of a board cannot grow further."""

    board: int
    most: int


# Feedings


class NoDeclining(Violation, frozen=True):
    """The rules do not allow a player to decline."""


class NoFatRoom(Violation, frozen=True):
    """The board cannot store tokens."""

    board: int
    has_fat_tissue: bool


class FatRoom(Violation, frozen=True):
    """The board cannot store this number of tokens."""

    board: int
    room: int
    tokens: Given


class FatOverHole(Violation, frozen=True):
    """The answer stores more tokens than the watering hole has."""

    tokens: int
    hole: int


class NotACarnivore(Violation, frozen=True):
    """A vegetarian cannot attack."""

    board: int


class NotAVegetarian(Violation, frozen=True):
    """A carnivore cannot eat plants."""

    board: int


class NotHungry(Violation, frozen=True):
    """Every animal of the board has eaten."""

    board: int
    population: int


class OwnBoard(Violation, frozen=True):
    """A carnivore cannot attack its own player's boards."""


class NoSuchTarget(Violation, frozen=True):
    """The seat has no such board."""

    seat: Given
    board: Given


class NoAnimals(Violation, frozen=True):
    """The attacked board has no animals yet."""

    target: Spot


class Prevented(Violation, frozen=True):
    """A custom trait makes the attack impossible; only the referee knows which one."""

    target: Spot


class Protected(Violation, frozen=True):
    """A trait protects the attacked board."""

    target: Spot
    by: Trait

    @property
    def rule(self) -> str:
        return f"protected-by-{self.by}"
