"""Evolution as the page draws it: scenes, drafts, feedings and what would come of them."""

from __future__ import annotations

import copy
import re
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any, Literal

import msgspec

from wateringhole.facets import Manifest, SceneBuilder
from wateringhole.formatting import counted, sentence
from wateringhole.game import Answer, Event, ReportedViolation, Request, Seat, Violation, violation_of
from wateringhole.games.evolution.rules import codec, events
from wateringhole.games.evolution.rules.answers import (
    AttackSpecies,
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
from wateringhole.games.evolution.rules.cards import Trait, TraitCard
from wateringhole.games.evolution.rules.draft import Draft
from wateringhole.games.evolution.rules.folded_view import Picture
from wateringhole.games.evolution.rules.foresight import foresee
from wateringhole.games.evolution.rules.requests import (
    ArrangeBoards,
    DeclareCards,
    EvolutionRequest,
    FeedNext,
    attack_on,
)
from wateringhole.games.evolution.rules.species import SpeciesBoard
from wateringhole.games.evolution.rules.traits import NATURES, TRAITS
from wateringhole.games.evolution.text.narrator import Narrator, signed, word
from wateringhole.games.evolution.text.phrases import STEP_KINDS, effect, explanation, for_people, why_safe
from wateringhole.markup import plain

__all__ = [
    "assets",
    "consult",
    "dissuade",
    "manifest",
    "offers",
    "replay_event",
    "replay_scenes",
    "scenes",
    "texts",
    "unsupported_rules",
]

assets = resources.files("wateringhole.games.evolution.page")
manifest = Manifest(
    module="view.js",
    styles=("style.css",),
    icons="icons.js",
    picture="carnivore",
    faces=("pack-hunting", "foraging", "burrowing", "fertile"),
    banner="banner.js",
)

Phase = Literal["choose", "reveal", "feed", "end"]

_FEEDS = (events.FatStored, events.SpeciesAttacked, events.PlayerPassed)


class Watch:
    """A table as a seat or the gallery sees it."""

    def __init__(self, names: Sequence[str], seat: Seat | None) -> None:
        self._seat = seat
        self._picture = Picture(seat)
        self._narrator = Narrator(names, seat)
        self._phase: Phase = "choose"
        self._acting: list[Seat] = []
        self._food_cards: dict[Seat, int | None] = {}
        """The cards at the watering hole this turn; None lies face down."""
        self._own_food_card: int | None = None
        self._early: set[Seat] = set()
        """Who has declared, before others in whose turn it is; if somebody is thrown out, they declare anew."""
        self._out: list[Seat] = []

    def see(self, event: Event) -> list[str]:
        self._picture.see(event)
        seat = getattr(event, "seat", None)
        self._acting = [] if seat is None else [seat]
        match event:
            case events.TurnStarted():
                self._phase = "choose"
                self._food_cards = {}
                self._own_food_card = None
                self._early.clear()
            case events.CardsDeclared():
                self._food_cards[event.seat] = self._face_down(event.seat)
                self._early.discard(event.seat)
            case events.DeclarationApplied():
                self._phase = "reveal"
            case events.FoodRevealed():
                self._food_cards[event.seat] = event.card.points
            case events.FeedingEnded() | events.GameEnded():
                self._phase = "end"
            case events.PlayerForfeited():
                self._out.append(event.seat)
                self._early.clear()
                if self._phase == "choose":
                    self._food_cards.pop(event.seat, None)
            case events.SpeciesFed(cause="plants"):
                self._phase = "feed"
            case _ if isinstance(event, _FEEDS):
                self._phase = "feed"
        return plain(self._narrator.narrate(event))

    def answered(self, request: Request[Any], answer: Answer | None) -> bool:
        if not isinstance(request, DeclareCards):
            return False
        if isinstance(answer, Declaration):
            self._own_food_card = request.view.hand[answer.food_card].points
        self._early.add(request.seat)
        return True

    def asked(self, questions: Mapping[Seat, str]) -> None:
        self._acting = list(questions)
        self._early.difference_update(questions)
        if "feed" in questions.values():
            self._phase = "feed"

    def scene(self) -> dict[str, Any]:
        scene = codec.view_to_json(self._picture.view())
        del scene["rules"]
        food_cards = self._food_cards | {seat: self._face_down(seat) for seat in self._early}
        return {
            **scene,
            "phase": self._phase,
            "acting": list(self._acting),
            "food_cards": [{"seat": seat, "points": points} for seat, points in food_cards.items()],
            "out": list(self._out),
        }

    def _face_down(self, seat: Seat) -> int | None:
        return self._own_food_card if seat == self._seat else None

    def foresee(self, request: FeedNext, feeding: Feeding) -> list[dict[str, Any]]:
        """The steps of what follows from a feeding, each with the table after it."""
        future = copy.deepcopy(self)
        steps = []
        for event in foresee(request.view, feeding):
            text = future.see(event)
            steps.append({"event": codec.event_to_json(event), "text": text, "scene": future.scene()})
        return steps


class _AllSeeing(Watch):
    """A table with all hands and bags, and the food cards seen through."""

    def __init__(self, names: Sequence[str], told: Sequence[Event]) -> None:
        super().__init__(names, None)
        self._pictures = {Seat(seat): Picture(Seat(seat)) for seat in range(len(names))}
        self._turn = 0
        self._given: dict[tuple[int, Seat], int] = {}
        """By turn and seat: the points of the card given to the watering hole."""
        turn = 0
        for event in told:
            if isinstance(event, events.TurnStarted):
                turn = event.turn
            elif isinstance(event, events.FoodRevealed):
                self._given[turn, event.seat] = event.card.points

    def see(self, event: Event) -> list[str]:
        if isinstance(event, events.TurnStarted):
            self._turn = event.turn
        for seat, picture in self._pictures.items():
            seen = event.seen_by(seat)
            if seen is not None:
                picture.see(seen)
        return super().see(event)

    def scene(self) -> dict[str, Any]:
        scene = super().scene()
        for player in scene["players"]:
            own = self._pictures[player["seat"]].view()
            player["hand"] = codec.cards_to_json(own.hand)
            player["bag"] = own.bag
        return scene

    def _face_down(self, seat: Seat) -> int | None:
        return self._given.get((self._turn, seat))


def scenes(names: Sequence[str], seat: Seat | None) -> SceneBuilder:
    return Watch(names, seat)


def replay_scenes(names: Sequence[str], events: Sequence[Event]) -> SceneBuilder:
    return _AllSeeing(names, events)


_FAMILIES = {
    "defence": (
        Trait.BURROWING,
        Trait.CLIMBING,
        Trait.HARD_SHELL,
        Trait.HERDING,
        Trait.HORNS,
        Trait.SYMBIOSIS,
        Trait.WARNING_CALL,
    ),
    "hunting": (Trait.AMBUSH, Trait.CARNIVORE, Trait.PACK_HUNTING),
    "feeding": (Trait.COOPERATION, Trait.FORAGING, Trait.LONG_NECK, Trait.SCAVENGER),
    "growth": (Trait.FAT_TISSUE, Trait.FERTILE),
}


def unsupported_rules(rules: Any, seats: int) -> str | None:
    return None


def texts(rules: Any) -> dict[str, Any]:
    families = {trait: family for family, traits in _FAMILIES.items() for trait in traits}
    return {
        "traits": {
            trait.value: {"name": _name(trait), "text": explanation(trait, rules), "family": families[trait]}
            for trait in Trait
        }
    }


def replay_event(event: Event) -> dict[str, Any]:
    # How a whole table stands is for whoever runs the game, and large.
    return codec.event_to_json(event.seen_by(None) if isinstance(event, events.TurnEnded) else event)


def dissuade(request: EvolutionRequest, answer: EvolutionAnswer) -> Violation | None:
    return None


def offers(watch: SceneBuilder, names: Sequence[str], request: EvolutionRequest) -> dict[str, Any]:
    if isinstance(request, DeclareCards):
        return _draft(request, [])
    if isinstance(request, ArrangeBoards):
        return {"boards": len(request.view.boards)}
    return _feedings(request, names)


def consult(watch: SceneBuilder, request: EvolutionRequest, message: Mapping[str, Any]) -> dict[str, Any] | None:
    assert isinstance(watch, Watch)
    if message.get("type") == "draft" and isinstance(request, DeclareCards):
        return _draft(request, message.get("steps"))
    if message.get("type") == "foresee" and isinstance(request, FeedNext):
        feeding = codec.answer_from_json(request, message.get("answer"))
        told: dict[str, Any] = {"type": "foreseen", "answer": message.get("answer"), "steps": []}
        violation = violation_of(request, feeding)
        if violation:
            told["refused"] = _refusal(violation, for_people(violation))
        elif not isinstance(feeding, Pass):
            told["steps"] = watch.foresee(request, feeding)
        return told
    return None


def _refusal(violation: Violation, message: str) -> dict[str, str]:
    return {"rule": violation.rule, "message": sentence(message)}


# Drafts

_STEP_NAMES: dict[type[Step], str] = dict(
    zip(STEP_KINDS, ("food", "buy", "lay", "replace", "population", "body"), strict=True)
)
_STEP_TYPES = {name: kind for kind, name in _STEP_NAMES.items()}


def _draft(request: DeclareCards, steps: Any) -> dict[str, Any]:
    """The draft that steps lead to; one that cannot be taken is refused, and those before it stay."""
    draft = request.draft()
    taken: list[dict[str, Any]] = []
    refused = None
    for value in codec.list_from_json(steps, "step", _step_from_json):
        text = _step_text(value, draft)
        violation = draft.add(value)
        if violation:
            refused = _refusal(violation, _with_names(violation, draft))
            break
        taken.append({**_step_to_json(value), "text": text})
    offers = draft.steps()
    unfinished = draft.unfinished()
    return {
        "type": "draft",
        "steps": taken,
        "offers": [_step_to_json(step) for step in offers],
        "boards": [_board_to_json(board) for board in draft.boards],
        "places": list(draft.places()),
        "missing": _missing(unfinished) if unfinished else None,
        "answer": None if unfinished else codec.answer_to_json(request, draft.declaration()),
        "refused": refused,
    }


def _missing(violation: Violation) -> str:
    if violation.rule == "no-food-card":
        return "Put one card into the watering hole first."
    return sentence(for_people(violation))


def _step_to_json(step: Step) -> dict[str, Any]:
    value = {"step": _STEP_NAMES[type(step)], **msgspec.structs.asdict(step)}
    return {name: each for name, each in value.items() if each is not None}


def _step_from_json(value: Any) -> Step:
    kind = _STEP_TYPES.get(str(value.get("step"))) if isinstance(value, dict) else None
    if kind is None:
        raise ValueError(f"a step is an object whose step is one of {', '.join(_STEP_TYPES)}")
    fields = {name: value[name] for name in kind.__struct_fields__ if name in value}
    try:
        step: Step = msgspec.convert({"type": kind.__name__, **fields}, kind)
    except msgspec.ValidationError as wrong:
        raise ValueError(f"this is no {value['step']}: {wrong}") from None
    return step


def _step_text(step: Step, draft: Draft) -> str:
    if not 0 <= step.card < len(draft.hand):
        return ""
    name = _card(draft.hand[step.card])
    match step:
        case GiveFood():
            return f"{name} to the watering hole"
        case BuyBoard():
            return f"{name} for a new species" + (f" on the {step.side}" if step.side else "")
        case LayTrait():
            return f"{name} on species {step.board + 1}"
        case ReplaceTrait():
            return f"{name} on species {step.board + 1}{_instead(step, draft)}"
        case GrowPopulation():
            return f"{name} for an animal of species {step.board + 1}"
        case GrowBody():
            return f"{name} for a larger body of species {step.board + 1}"


_CARDS = re.compile(r"\bcards? (\d+)(?: \([a-z -]+\))?(?: and (\d+))?")
_TRAIT = re.compile(rf"\b(?:{'|'.join(trait.value for trait in Trait)})\b")


def _with_names(violation: Violation, draft: Draft) -> str:
    """A violation of a draft in words: on the page cards have names and no numbers."""

    def named(found: re.Match[str]) -> str:
        cards = [int(number) for number in found.groups() if number is not None]
        known = all(card < len(draft.hand) for card in cards)
        return " and ".join(_card(draft.hand[card]) for card in cards) if known else found[0]

    message = _TRAIT.sub(lambda found: word(Trait(found[0])), violation.message)
    return for_people(ReportedViolation(violation.rule, _CARDS.sub(named, message)))


def _card(card: TraitCard) -> str:
    """A card as people call it: "Long neck −2"."""
    return f"{_name(card.trait)} {signed(card.points)}"


def _instead(step: ReplaceTrait, draft: Draft) -> str:
    if 0 <= step.board < len(draft.boards) and 0 <= step.slot < len(draft.boards[step.board].traits):
        return f" in place of {word(draft.boards[step.board].traits[step.slot])}"
    return ""


def _board_to_json(board: SpeciesBoard) -> dict[str, Any]:
    return {
        "population": board.population,
        "body": board.body,
        "food": board.food,
        "traits": [trait.value for trait in board.traits],
        "fat": board.fat,
    }


def _name(trait: Trait) -> str:
    return word(trait).capitalize()


# Feeding


def _feedings(request: FeedNext, names: Sequence[str]) -> dict[str, Any]:
    view = request.view
    safe = [target for index in range(len(view.boards)) for target in _safe_targets(request, names, index)]
    full = [
        {"board": index, "text": sentence(for_people(violation))}
        for index, board in enumerate(view.boards)
        if not board.is_hungry and not board.fat_room and (violation := violation_of(request, FeedPlants(index)))
    ]
    return {
        "options": [_option(request, names, option) for option in request.options],
        "safe": safe,
        "full": full,
        "decline": None if violation_of(request, Pass()) else _decline(request),
    }


def _decline(request: FeedNext) -> dict[str, Any]:
    final = request.rules.false_reply != "skip"
    text = "No more food this turn" if final else "Nothing this time"
    return {"answer": codec.answer_to_json(request, Pass()), "text": text, "final": final}


def _option(request: FeedNext, names: Sequence[str], option: Feeding) -> dict[str, Any]:
    view = request.view
    told: dict[str, Any] = {"answer": codec.answer_to_json(request, option), "effect": effect(view, option)}
    match option:
        case FeedPlants(board):
            return {**told, "deed": "eat", "board": board, "text": f"Species {board + 1} eats"}
        case StoreFat(board):
            most = sum(event.tokens for event in foresee(view, option) if isinstance(event, events.FatStored))
            stores = f"Species {board + 1} stores up to {counted(most, 'token')}"
            room = view.boards[board].fat_room
            return {**told, "deed": "store", "board": board, "most": most, "room": room, "text": stores}
        case AttackSpecies(board, seat, target):
            victim = _species(names, view.seat, seat, target)
            attack = {"deed": "attack", "board": board, "seat": seat, "target": target}
            return {
                **told,
                **attack,
                "text": f"Species {board + 1} attacks {victim}",
                "loss": _loss(view.boards_of(seat)[target].population, foresee(view, option)),
            }
        case Pass():
            raise AssertionError("declining is no option of its own")


def _loss(before: int, foreseen: Sequence[Event]) -> str:
    """What an attack does to its target, and whether it strikes back."""
    kept = [event for event in foreseen if isinstance(event, events.AnimalLost)]
    after = next((event.population for event in kept if event.cause == "attack"), 0)
    strikes = any(
        isinstance(event, events.AnimalLost | events.SpeciesDied) and event.cause == "horns" for event in foreseen
    )
    return f"{before} → {after}" + (", horns" if strikes else "")


_SHIELDED = "protected-by-"
"""How the rules begin that a request names for a target which a trait protects."""


def _safe_targets(request: FeedNext, names: Sequence[str], index: int) -> list[dict[str, Any]]:
    """Every board that is protected from this one, and how."""
    told = []
    for player in request.view.opponents:
        for target in range(len(player.boards)):
            violation = violation_of(request, AttackSpecies(index, player.seat, target))
            if violation and violation.rule.startswith(_SHIELDED):
                shield = Trait(violation.rule.removeprefix(_SHIELDED))
                attack = attack_on(request.view.boards[index], player.boards, target)
                victim = _species(names, request.seat, player.seat, target)
                told.append(
                    {
                        "board": index,
                        "seat": player.seat,
                        "target": target,
                        "trait": shield.value,
                        "protector": _protector(player.seat, player.boards, target, shield),
                        "text": f"{_name(shield)} protects {victim}. {why_safe(attack, shield, request.rules)}",
                    }
                )
    return told


def _protector(seat: Seat, row: Sequence[SpeciesBoard], target: int, shield: Trait) -> dict[str, int] | None:
    """The neighbour whose trait it is; None: its own."""
    if not TRAITS[shield].shields_neighbours:
        return None
    sides = [side for side in (target - 1, target + 1) if 0 <= side < len(row)]
    return next({"seat": seat, "board": side} for side in sides if NATURES[row[side].traits].shields_neighbours)


def _species(names: Sequence[str], me: Seat | None, seat: Seat, place: int) -> str:
    whose = "your" if seat == me else f"{names[seat]}'s"
    return f"{whose} species {place + 1}"
