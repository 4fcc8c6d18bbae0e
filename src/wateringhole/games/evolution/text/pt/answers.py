"""Descriptions of answers in Portuguese: steps of a declaration, feedings with their effects, orders of species."""

from __future__ import annotations

from wateringhole.facets import Reader
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
from wateringhole.games.evolution.rules.draft import Draft
from wateringhole.games.evolution.rules.options import Rules
from wateringhole.games.evolution.rules.preview import preview
from wateringhole.games.evolution.rules.requests import DeclareCards, EvolutionRequest, FeedNext
from wateringhole.games.evolution.rules.violations import Spot
from wateringhole.games.evolution.text.pt.words import (
    animals,
    card_name,
    counted,
    listed,
    number,
    species_of,
    tokens,
    word,
)

__all__ = ["answer_text", "declining", "effect_text", "feeding", "step_text", "use"]

_SIDES = {"left": "à esquerda", "right": "à direita"}


def answer_text(request: EvolutionRequest, answer: EvolutionAnswer, reader: Reader) -> str:
    """Return a short phrase for a legal answer."""
    match answer:
        case Declaration():
            assert isinstance(request, DeclareCards)
            draft = request.draft()
            phrases = []
            for step in answer.steps(len(draft.row)):
                phrases.append(step_text(step, draft, reader))
                draft.add(step)
            return "; ".join(phrases)
        case BoardOrder():
            return f"espécies {listed(str(number(index)) for index in answer.boards)}, da esquerda para a direita"
        case Pass():
            return declining(request.rules)
        case _:
            return feeding(answer, reader)


# The steps of a declaration


def step_text(step: Step, draft: Draft, reader: Reader) -> str:
    """Return a description of a step that a draft can take, with the name of its card."""
    card = card_name(draft.hand[step.card])
    match step:
        case GiveFood():
            return f"{card} na poça"
        case BuyBoard():
            return f"{card} por uma espécie nova" + (f" {_SIDES[step.side]}" if step.side else "")
        case LayTrait():
            return f"{card} na espécie {number(step.board)}"
        case ReplaceTrait():
            traits = draft.boards[step.board].traits
            instead = f" no lugar de {word(traits[step.slot])}" if step.slot < len(traits) else ""
            return f"{card} na espécie {number(step.board)}{instead}"
        case GrowPopulation():
            return f"{card} por um animal da espécie {number(step.board)}"
        case GrowBody():
            return f"{card} por um corpo maior da espécie {number(step.board)}"


def use(step: Step) -> str:
    """Return the purpose for which a step uses its card."""
    match step:
        case GiveFood():
            return "como comida"
        case BuyBoard():
            return "para comprar uma espécie"
        case LayTrait():
            return f"como característica da espécie {number(step.board)}"
        case ReplaceTrait():
            return f"para trocar a característica {number(step.slot)} da espécie {number(step.board)}"
        case GrowPopulation():
            return f"para aumentar a população da espécie {number(step.board)}"
        case GrowBody():
            return f"para aumentar o corpo da espécie {number(step.board)}"


# Feedings


def feeding(option: Feeding, reader: Reader, *, is_offer: bool = False) -> str:
    """Return which species eats, stores or attacks.  An offer to store names the most that can be stored."""
    match option:
        case FeedPlants(board):
            return f"a espécie {number(board)} come"
        case StoreFat(board, count):
            most = " até" if is_offer else ""
            return f"a espécie {number(board)} guarda{most} {tokens(count)}"
        case AttackSpecies(board, seat, index):
            return f"a espécie {number(board)} ataca {species_of(Spot(seat, index), reader)}"
        case Pass():
            raise AssertionError("the text for declining depends on the rules: see `declining`")


def declining(rules: Rules) -> str:
    return "nada desta vez" if rules.false_reply == "skip" else "chega de comida nesta rodada"


def effect_text(request: FeedNext, option: Feeding) -> str:
    """Return what an option would cause, as briefly as possible: losses, the meal, other species that eat."""
    view = request.view
    caused = preview(view, option, request.hooks)
    phrases = [phrase for event in caused if (phrase := _consequence(event))]
    fed = [event for event in caused if isinstance(event, events.SpeciesFed)]
    shared = sum(event.tokens for event in fed if event.cause == "cooperation")
    if shared:
        phrases.append(f"a cooperação alimenta {shared}")
    scavenged = [event for event in fed if event.cause == "scavenger"]
    mine = sum(event.tokens for event in scavenged if event.seat == view.seat)
    if scavenged:
        total = sum(event.tokens for event in scavenged)
        phrases.append(f"carniceiros comem {total}" + (f", {counted(mine, 'seu', 'seus')}" if mine else ""))
    return "; ".join(phrases)


def _consequence(event: Event) -> str:
    """Return what an event means for the two species involved; `effect_text` adds up the other meals."""
    match event:
        case events.SpeciesFed(cause="plants"):
            return f"pega {tokens(event.tokens)}"
        case events.SpeciesFed(cause="meat"):
            return f"a sua come {event.tokens}"
        case events.FatStored():
            return counted(event.fat, "guardada", "guardadas")
        case events.AnimalLost(cause="attack"):
            return f"ela fica com {animals(event.population)}"
        case events.AnimalLost():
            return f"os chifres deixam a sua com {animals(event.population)}"
        case events.SpeciesDied(cause="attack"):
            return "ela se extingue"
        case events.SpeciesChanged() | events.WateringHoleChanged():
            return f"{word(event.trait)} age"
        case events.SpeciesDied(cause="trait"):
            return "uma espécie se extingue"
        case events.SpeciesDied():
            return "os chifres extinguem a sua"
    return ""
