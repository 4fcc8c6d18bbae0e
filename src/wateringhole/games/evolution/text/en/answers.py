"""Descriptions of answers: steps of a declaration, feedings with their effects, orders of boards.

Steps have four descriptions: `describe_step` returns a whole phrase, `use` the purpose of its card,
`short_use` a label for a used card, and `describe_target` a label for a place where a card can go.
All results are plain text.
"""

from __future__ import annotations

from collections.abc import Callable

from wateringhole.facets import Reader
from wateringhole.formatting import pluralize
from wateringhole.game import Event
from wateringhole.games.evolution.rules import events
from wateringhole.games.evolution.rules.answers import (
    AttackSpecies,
    BoardOrder,
    BuyBoard,
    Declaration,
    EvolutionAnswer,
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
from wateringhole.games.evolution.rules.attacks import Attack, herd_size, hunting_size
from wateringhole.games.evolution.rules.custom_traits import rule_of
from wateringhole.games.evolution.rules.draft import Draft
from wateringhole.games.evolution.rules.options import Rules
from wateringhole.games.evolution.rules.preview import preview
from wateringhole.games.evolution.rules.requests import DeclareCards, EvolutionRequest, FeedNext
from wateringhole.games.evolution.rules.traits import Trait
from wateringhole.games.evolution.rules.violations import HandCard, Spot
from wateringhole.games.evolution.text.en.words import (
    board_name,
    boards,
    describe_species,
    hand_card,
    is_human,
    listed,
    number,
    target,
    word,
)

__all__ = [
    "answer_text",
    "declining",
    "describe_step",
    "describe_target",
    "effect",
    "feeding",
    "short_use",
    "use",
    "why_safe",
]


def answer_text(request: EvolutionRequest, answer: EvolutionAnswer, reader: Reader) -> str:
    """Return a short phrase for a legal answer."""
    match answer:
        case Declaration():
            assert isinstance(request, DeclareCards)
            draft = request.draft()
            phrases = []
            for step in answer.steps(len(draft.row)):
                phrases.append(describe_step(step, draft, reader))
                draft.add(step)
            return "; ".join(phrases)
        case BoardOrder():
            order = listed(str(number(index, reader)) for index in answer.boards)
            return f"{boards(reader, plural=True)} {order}, from left to right"
        case Pass():
            return declining(request.rules)
        case _:
            return feeding(answer, reader)


# The steps of a declaration


def describe_step(step: Step, draft: Draft, reader: Reader) -> str:
    """Return a description of a step that a draft can take, with the name of its card."""
    card = hand_card(HandCard(step.card, draft.hand[step.card]), reader)
    if not is_human(reader):
        return f"{card} {use(step, reader)}"
    match step:
        case GiveFood():
            return f"{card} to the watering hole"
        case BuyBoard():
            return f"{card} for a new species" + (f" on the {step.side}" if step.side else "")
        case LayTrait():
            return f"{card} on {board_name(step.board, reader)}"
        case ReplaceTrait():
            return f"{card} on {board_name(step.board, reader)}{_instead(step, draft)}"
        case GrowPopulation():
            return f"{card} for an animal of {board_name(step.board, reader)}"
        case GrowBody():
            return f"{card} for a larger body of {board_name(step.board, reader)}"


def use(step: Step, reader: Reader) -> str:
    """Return the purpose for which a step uses its card."""
    match step:
        case GiveFood():
            return "as food"
        case BuyBoard():
            return f"to buy a {boards(reader)}"
        case LayTrait():
            return f"as a trait of {board_name(step.board, reader)}"
        case ReplaceTrait():
            return f"to replace slot {number(step.slot, reader)} of {board_name(step.board, reader)}"
        case GrowPopulation():
            return f"to grow the population of {board_name(step.board, reader)}"
        case GrowBody():
            return f"to grow the body of {board_name(step.board, reader)}"


def short_use(step: Step, reader: Reader) -> str:
    """Return the purpose as briefly as possible, to label a card in a list."""
    match step:
        case GiveFood():
            return "food"
        case BuyBoard():
            return f"new {boards(reader)}"
        case LayTrait() | ReplaceTrait():
            return f"trait of {number(step.board, reader)}"
        case GrowPopulation():
            return f"animal for {number(step.board, reader)}"
        case GrowBody():
            return f"body of {number(step.board, reader)}"


def describe_target(step: Step, draft: Draft, reader: Reader) -> str:
    """Return where a step puts its card, with the species there, for a list of choices."""
    match step:
        case GiveFood():
            return "to the watering hole"
        case BuyBoard():
            return f"at the {step.side} end of your row"
        case LayTrait() | ReplaceTrait() | GrowPopulation() | GrowBody():
            board = draft.boards[step.board]
            described = (
                f"{board_name(step.board, reader)} ({pluralize(board.population, 'animal')}, {describe_species(board)})"
            )
            if not isinstance(step, ReplaceTrait):
                return described
            return f"{described}:{_instead(step, draft) or ' in place of nothing'}"


def _instead(step: ReplaceTrait, draft: Draft) -> str:
    traits = draft.boards[step.board].traits
    return f" in place of {word(traits[step.slot])}" if step.slot < len(traits) else ""


# Feedings


def feeding(option: Feeding, reader: Reader, *, is_offer: bool = False, verb: Callable[[str], str] = str) -> str:
    """Return which species eats, stores or attacks.

    An offer to store names the most that can be stored.  `verb` can mark up the verb.
    """
    match option:
        case FeedPlants(board):
            return f"{board_name(board, reader)} {verb('eats')}"
        case StoreFat(board, tokens):
            most = " up to" if is_offer else ""
            return f"{board_name(board, reader)} {verb('stores')}{most} {pluralize(tokens, 'token')}"
        case AttackSpecies(board, seat, index):
            return f"{board_name(board, reader)} {verb('attacks')} {target(Spot(seat, index), reader)}"
        case Pass():
            raise AssertionError("the text for declining depends on the rules: see `declining`")


def declining(rules: Rules) -> str:
    return "nothing this time" if rules.false_reply == "skip" else "no more food this turn"


def effect(request: FeedNext, option: Feeding) -> str:
    """Return what an option would cause, as briefly as possible: losses, the meal, other species that eat."""
    view = request.view
    caused = preview(view, option, request.hooks)
    phrases = [phrase for event in caused if (phrase := _consequence(event))]
    fed = [event for event in caused if isinstance(event, events.SpeciesFed)]
    for cause, eaters in (("cooperation", "cooperation feeds"), ("scavenger", "scavengers eat")):
        tokens = sum(event.tokens for event in fed if event.cause == cause)
        mine = sum(event.tokens for event in fed if event.cause == cause and event.seat == view.seat)
        if tokens:
            phrases.append(f"{eaters} {tokens}" + (f", {mine} of them yours" if cause == "scavenger" and mine else ""))
    return "; ".join(phrases)


def why_safe(attack: Attack, shield: Trait, rules: Rules) -> str:
    """Return what a shield demands of the attacker, with the numbers that it compares."""
    attacker, defender = attack.attacker, attack.defender
    match shield:
        case Trait.HARD_SHELL:
            needed = defender.body + rules.hard_shell_gap
            return f"The attacker's size must reach {needed}; it is {hunting_size(attacker, rules)}."
        case Trait.HERDING:
            herd, hunters = herd_size(defender, rules), herd_size(attacker, rules)
            return f"The attacker must count more than {herd}; it counts {hunters}."
    return rule_of(shield, rules).text(rules)


def _consequence(event: Event) -> str:
    """Return what an event means for the two species involved; `effect` adds up the other meals."""
    match event:
        case events.SpeciesFed(cause="plants"):
            return f"takes {pluralize(event.tokens, 'token')}"
        case events.SpeciesFed(cause="meat"):
            return f"yours eats {event.tokens}"
        case events.FatStored():
            return f"{event.fat} in store"
        case events.AnimalLost(cause="attack"):
            return f"it keeps {pluralize(event.population, 'animal')}"
        case events.AnimalLost():
            return f"its horns leave yours {pluralize(event.population, 'animal')}"
        case events.SpeciesDied(cause="attack"):
            return "it dies out"
        case events.SpeciesChanged() | events.WateringHoleChanged():
            return f"{word(event.trait)} acts"
        case events.SpeciesDied(cause="trait"):
            return "a species dies out"
        case events.SpeciesDied():
            return "its horns kill yours"
    return ""
