"""What a person may choose, in words: steps of a draft, feedings and what comes of them, why something is not possible.

Plain text, for terminals and pages alike; species and cards are counted from 1, as people do.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from wateringhole.formatting import counted
from wateringhole.game import Event, Violation
from wateringhole.games.evolution.rules import events
from wateringhole.games.evolution.rules.answers import (
    BuyBoard,
    Feeding,
    GiveFood,
    GrowBody,
    GrowPopulation,
    LayTrait,
    ReplaceTrait,
    Step,
)
from wateringhole.games.evolution.rules.cards import Trait
from wateringhole.games.evolution.rules.draft import Draft
from wateringhole.games.evolution.rules.foresight import foresee
from wateringhole.games.evolution.rules.options import Rules
from wateringhole.games.evolution.rules.traits import TRAITS, Attack, herd_size, hunting_size
from wateringhole.games.evolution.rules.view import View
from wateringhole.games.evolution.text.narrator import spoken, word

__all__ = [
    "STEP_KINDS",
    "candidates",
    "effect",
    "explanation",
    "for_people",
    "goal",
    "obstacle",
    "purpose",
    "said",
    "why_safe",
]

STEP_KINDS: tuple[type[Step], ...] = (GiveFood, BuyBoard, LayTrait, ReplaceTrait, GrowPopulation, GrowBody)
"""In the order in which they are offered."""


def explanation(trait: Trait, rules: Rules) -> str:
    """A trait's sentence, as it holds under these rules."""
    if trait is Trait.HARD_SHELL:
        gap = rules.hard_shell_gap
        return f"It cannot be attacked unless the attacker's size is at least {gap} more than its body."
    if trait is Trait.SYMBIOSIS and not rules.symbiosis:
        return "It protects nothing under the rules of this table."
    return TRAITS[trait].text


# A declaration


def candidates(draft: Draft, kind: type, card: int) -> list[Step]:
    """All places where a card could go in a step of a kind, legal or not."""
    boards = range(len(draft.boards))
    if kind is GiveFood:
        return [GiveFood(card)]
    if kind is BuyBoard:
        chooses = draft.rules.new_board_side == "choice"
        return [BuyBoard(card, "right"), BuyBoard(card, "left")] if chooses else [BuyBoard(card)]
    if kind is LayTrait:
        return [LayTrait(board, card) for board in boards]
    if kind is ReplaceTrait:
        # Of a board without traits at least the first slot, so that there is something to say no to.
        slots = [(board, slot) for board in boards for slot in range(max(1, len(draft.boards[board].traits)))]
        return [ReplaceTrait(board, slot, card) for board, slot in slots]
    if kind is GrowPopulation:
        return [GrowPopulation(board, card) for board in boards]
    return [GrowBody(board, card) for board in boards]


def obstacle(problems: Sequence[Violation | None]) -> str | None:
    """Why none of several steps is possible, told by the first; None: one of them is."""
    first, *_ = problems
    return None if first is None or None in problems else for_people(first)


def goal(step: Step, draft: Draft) -> str:
    """Where a step goes."""
    match step:
        case GiveFood():
            return "to the watering hole"
        case BuyBoard():
            return f"at the {step.side} end of your row"
        case ReplaceTrait():
            traits = draft.boards[step.board].traits
            old = word(traits[step.slot]) if step.slot < len(traits) else "nothing"
            return f"{_board(step.board, draft)}: in place of {old}"
        case LayTrait() | GrowPopulation() | GrowBody():
            return _board(step.board, draft)


def _board(index: int, draft: Draft) -> str:
    board = draft.boards[index]
    return f"species {index + 1} ({counted(board.population, 'animal')}, {spoken(board)})"


def purpose(step: Step) -> str:
    """What a used card is used for."""
    match step:
        case GiveFood():
            return "food"
        case BuyBoard():
            return "new species"
        case LayTrait() | ReplaceTrait():
            return f"trait of {step.board + 1}"
        case GrowPopulation():
            return f"animal for {step.board + 1}"
        case GrowBody():
            return f"body of {step.board + 1}"


def said(step: Step, draft: Draft) -> str:
    """A step that was taken."""
    return f"card {step.card + 1} ({draft.hand[step.card]}), {purpose(step)}"


# A feeding


def effect(view: View, option: Feeding) -> str:
    """What would come of it, as short as one can say it: losses, the meal, who eats along."""
    foreseen = foresee(view, option)
    told = [told for event in foreseen if (told := _consequence(event))]
    fed = [event for event in foreseen if isinstance(event, events.SpeciesFed)]
    for cause, who in (("cooperation", "cooperation feeds"), ("scavenger", "scavengers eat")):
        tokens = sum(event.tokens for event in fed if event.cause == cause)
        mine = sum(event.tokens for event in fed if event.cause == cause and event.seat == view.seat)
        if tokens:
            told.append(f"{who} {tokens}" + (f", {mine} of them yours" if cause == "scavenger" and mine else ""))
    return "; ".join(told)


def why_safe(attack: Attack, shield: Trait, rules: Rules) -> str:
    """What a shield asks of the attacker, in numbers where it compares some."""
    attacker, defender = attack.attacker, attack.defender
    match shield:
        case Trait.HARD_SHELL:
            needed = defender.body + rules.hard_shell_gap
            return f"The attacker's size must reach {needed}; it is {hunting_size(attacker, rules)}."
        case Trait.HERDING:
            herd, hunters = herd_size(defender, rules), herd_size(attacker, rules)
            return f"The attacker must count more than {herd}; it counts {hunters}."
    return explanation(shield, rules)


def _consequence(event: Event) -> str:
    """What an event means for the two species it is about; who eats along is summed up."""
    match event:
        case events.SpeciesFed(cause="plants"):
            return f"takes {counted(event.tokens, 'token')}"
        case events.SpeciesFed(cause="meat"):
            return f"yours eats {event.tokens}"
        case events.FatStored():
            return f"{event.fat} in store"
        case events.AnimalLost(cause="attack"):
            return f"it keeps {counted(event.population, 'animal')}"
        case events.AnimalLost():
            return f"its horns leave yours {counted(event.population, 'animal')}"
        case events.SpeciesDied(cause="attack"):
            return "it dies out"
        case events.SpeciesDied():
            return "its horns kill yours"
    return ""


# Violations

_NUMBERED = re.compile(r"\b(cards?|boards?|slots?) (\d+)(?: (and|to) (\d+))?")


def for_people(violation: Violation) -> str:
    """A violation counts from 0, as records and wires do; people count from 1."""

    def from_one(found: re.Match[str]) -> str:
        noun, first, join, second = found.groups()
        return f"{noun} {int(first) + 1}" + (f" {join} {int(second) + 1}" if join else "")

    counted_from_one = _NUMBERED.sub(from_one, violation.message)
    return re.sub(r"\bboards?\b", "species", counted_from_one)
