"""Evolution's data for the page: scenes, drafts, feeding options and previews."""

from __future__ import annotations

import copy
from collections.abc import Mapping, Sequence
from importlib import resources
from typing import Any, Literal

import msgspec

from wateringhole.facets import Manifest, Reader, SceneBuilder
from wateringhole.formatting import sentence
from wateringhole.game import Answer, Event, Request, Seat, Violation, violation_of
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
from wateringhole.games.evolution.rules.custom_traits import rule_of
from wateringhole.games.evolution.rules.folded_view import FoldedView
from wateringhole.games.evolution.rules.preview import preview
from wateringhole.games.evolution.rules.requests import (
    ArrangeBoards,
    DeclareCards,
    EvolutionRequest,
    FeedNext,
    attack_on,
)
from wateringhole.games.evolution.rules.species import SpeciesBoard
from wateringhole.games.evolution.rules.traits import TRAIT_EFFECTS, TRAITS, Trait
from wateringhole.games.evolution.rules.violations import Protected, Spot
from wateringhole.games.evolution.text import LANGUAGES
from wateringhole.games.evolution.text.language import EvolutionLanguage
from wateringhole.markup import plain

__all__ = ["PAGE", "EvolutionPage"]

Phase = Literal["choose", "reveal", "feed", "end"]

_FEEDS = (events.FatStored, events.SpeciesAttacked, events.PlayerPassed)


class _Scenes:
    """Scenes for one seat or a spectator."""

    def __init__(self, text: EvolutionLanguage, names: Sequence[str], seat: Seat | None) -> None:
        self._seat = seat
        self.reader = Reader(tuple(names), seat)
        self._view = FoldedView(seat)
        self._narrator = text.new_narrator(names, seat)
        self._phase: Phase = "choose"
        self._acting: list[Seat] = []
        self._food_cards: dict[Seat, int | None] = {}
        """The points of the cards at the watering hole this turn, or None for a hidden card."""
        self._own_food_card: int | None = None
        self._declared_early: set[Seat] = set()
        """The seats that have declared before their turn.  If a player is thrown out, they declare again."""
        self._out: list[Seat] = []

    def see(self, event: Event) -> list[str]:
        self._view.see(event)
        seat = getattr(event, "seat", None)
        self._acting = [] if seat is None else [seat]
        match event:
            case events.TurnStarted():
                self._phase = "choose"
                self._food_cards = {}
                self._own_food_card = None
                self._declared_early.clear()
            case events.CardsDeclared():
                self._food_cards[event.seat] = self._face_down(event.seat)
                self._declared_early.discard(event.seat)
            case events.DeclarationApplied():
                self._phase = "reveal"
            case events.FoodRevealed():
                self._food_cards[event.seat] = event.card.points
            case events.FeedingEnded() | events.GameEnded():
                self._phase = "end"
            case events.PlayerForfeited():
                self._out.append(event.seat)
                self._declared_early.clear()
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
        self._declared_early.add(request.seat)
        return True

    def asked(self, requests: Mapping[Seat, str]) -> None:
        self._acting = list(requests)
        self._declared_early.difference_update(requests)
        if "feed" in requests.values():
            self._phase = "feed"

    def scene(self) -> dict[str, Any]:
        scene = codec.view_to_json(self._view.view())
        del scene["rules"]
        food_cards = self._food_cards | {seat: self._face_down(seat) for seat in self._declared_early}
        return {
            **scene,
            "phase": self._phase,
            "acting": list(self._acting),
            "food_cards": [{"seat": seat, "points": points} for seat, points in food_cards.items()],
            "out": list(self._out),
        }

    def _face_down(self, seat: Seat) -> int | None:
        return self._own_food_card if seat == self._seat else None

    def preview(self, request: FeedNext, feeding: Feeding) -> list[dict[str, Any]]:
        """Return the events that a feeding would cause, each with the scene after it."""
        future = copy.deepcopy(self)
        steps = []
        for event in preview(request.view, feeding, request.hooks):
            text = future.see(event)
            steps.append({"event": codec.event_to_json(event), "text": text, "scene": future.scene()})
        return steps


class _ReplayScenes(_Scenes):
    """Scenes with all hands, bags and food cards visible."""

    def __init__(self, text: EvolutionLanguage, names: Sequence[str], game_events: Sequence[Event]) -> None:
        super().__init__(text, names, None)
        self._seat_views = {Seat(seat): FoldedView(Seat(seat)) for seat in range(len(names))}
        self._turn = 0
        self._given: dict[tuple[int, Seat], int] = {}
        """The points of the card given to the watering hole, by turn and seat."""
        turn = 0
        for event in game_events:
            if isinstance(event, events.TurnStarted):
                turn = event.turn
            elif isinstance(event, events.FoodRevealed):
                self._given[turn, event.seat] = event.card.points

    def see(self, event: Event) -> list[str]:
        if isinstance(event, events.TurnStarted):
            self._turn = event.turn
        for seat, view in self._seat_views.items():
            seen = event.seen_by(seat)
            if seen is not None:
                view.see(seen)
        return super().see(event)

    def scene(self) -> dict[str, Any]:
        scene = super().scene()
        for player in scene["players"]:
            own = self._seat_views[player["seat"]].view()
            player["hand"] = codec.cards_to_json(own.hand)
            player["bag"] = own.bag
        return scene

    def _face_down(self, seat: Seat) -> int | None:
        return self._given.get((self._turn, seat))


class EvolutionPage:
    """The facet `page`, in one language."""

    assets = resources.files("wateringhole.games.evolution.page")
    manifest = Manifest(
        module="view.js",
        styles=("style.css",),
        icons="icons.js",
        picture="carnivore",
        faces=("pack-hunting", "foraging", "burrowing", "fertile"),
        banner="banner.js",
        pictures="pictures.js",
        text="text.js",
    )

    def __init__(self, text: EvolutionLanguage) -> None:
        self._text = text

    def in_language(self, language: str) -> EvolutionPage:
        return EvolutionPage(LANGUAGES[language]) if language in LANGUAGES else self

    def scenes(self, names: Sequence[str], seat: Seat | None) -> SceneBuilder:
        return _Scenes(self._text, names, seat)

    def replay_scenes(self, names: Sequence[str], events: Sequence[Event]) -> SceneBuilder:
        return _ReplayScenes(self._text, names, events)

    def unsupported_rules(self, rules: Any, seats: int) -> str | None:
        return None

    def texts(self, rules: Any) -> dict[str, Any]:
        custom = () if rules.custom_traits is msgspec.UNSET else rules.custom_traits.by_trait
        rows = {**TRAITS, **{trait: rule_of(trait, rules) for trait in custom}}
        name, text = self._text.trait_name, self._text.trait_text
        return {
            "traits": {
                trait.value: {"name": name(trait), "text": text(trait, rules), "family": row.family}
                for trait, row in rows.items()
            }
        }

    def replay_event(self, event: Event) -> dict[str, Any]:
        # The full state in this event is large, and only for the program that runs the game.
        return codec.event_to_json(event.seen_by(None) if isinstance(event, events.TurnEnded) else event)

    def dissuade(self, request: EvolutionRequest, answer: EvolutionAnswer) -> Violation | None:
        return None

    def offers(self, builder: SceneBuilder, names: Sequence[str], request: EvolutionRequest) -> dict[str, Any]:
        reader = Reader(tuple(names), request.seat)
        if isinstance(request, DeclareCards):
            return self._draft(request, [], reader)
        if isinstance(request, ArrangeBoards):
            return {"boards": len(request.view.boards)}
        return self._feedings(request, reader)

    def consult(
        self, builder: SceneBuilder, request: EvolutionRequest, message: Mapping[str, Any]
    ) -> dict[str, Any] | None:
        assert isinstance(builder, _Scenes)
        if message.get("type") == "draft" and isinstance(request, DeclareCards):
            return self._draft(request, message.get("steps"), builder.reader)
        if message.get("type") == "preview" and isinstance(request, FeedNext):
            feeding = codec.answer_from_json(request, message.get("answer"))
            reply: dict[str, Any] = {"type": "preview", "answer": message.get("answer"), "steps": []}
            violation = violation_of(request, feeding)
            if violation:
                reply["refused"] = self._refusal(violation, builder.reader)
            elif not isinstance(feeding, Pass):
                reply["steps"] = builder.preview(request, feeding)
            return reply
        return None

    def _refusal(self, violation: Violation, reader: Reader) -> dict[str, str]:
        return {"rule": violation.rule, "message": sentence(self._text.violation_text(violation, reader))}

    # Drafts

    def _draft(self, request: DeclareCards, steps: Any, reader: Reader) -> dict[str, Any]:
        """Return the draft after some steps.  An illegal step is refused, and the steps before it stay."""
        draft = request.draft()
        taken: list[dict[str, Any]] = []
        refused = None
        for value in codec.list_from_json(steps, "step", _step_from_json):
            violation = draft.check_step(value)
            if violation:
                refused = self._refusal(violation, reader)
                break
            taken.append({**_step_to_json(value), "text": self._text.step_text(value, draft, reader)})
            draft.add(value)
        offers = draft.steps()
        unfinished = draft.check_complete()
        return {
            "type": "draft",
            "steps": taken,
            "offers": [_step_to_json(step) for step in offers],
            "boards": [_board_to_json(board) for board in draft.boards],
            "places": list(draft.positions()),
            "missing": self._text.missing_text(unfinished, reader) if unfinished else None,
            "answer": None if unfinished else codec.answer_to_json(request, draft.declaration()),
            "refused": refused,
        }

    # Feeding

    def _feedings(self, request: FeedNext, reader: Reader) -> dict[str, Any]:
        view = request.view
        safe = [target for index in range(len(view.boards)) for target in self._safe_targets(request, reader, index)]
        full = [
            {"board": index, "text": sentence(self._text.violation_text(violation, reader))}
            for index, board in enumerate(view.boards)
            if not board.is_hungry and not board.fat_room and (violation := violation_of(request, FeedPlants(index)))
        ]
        return {
            "options": [self._option(request, reader, option) for option in request.options],
            "safe": safe,
            "full": full,
            "decline": None if violation_of(request, Pass()) else self._decline(request),
        }

    def _decline(self, request: FeedNext) -> dict[str, Any]:
        final = request.rules.false_reply != "skip"
        text = self._text.decline_text(request.rules)
        return {"answer": codec.answer_to_json(request, Pass()), "text": text, "final": final}

    def _option(self, request: FeedNext, reader: Reader, option: Feeding) -> dict[str, Any]:
        view = request.view
        caused = preview(view, option, request.hooks)
        fields: dict[str, Any] = {
            "answer": codec.answer_to_json(request, option),
            "effect": self._text.effect_text(request, option),
        }
        match option:
            case FeedPlants(board):
                fields |= {"type": "eat", "board": board}
            case StoreFat(board):
                most = sum(event.tokens for event in caused if isinstance(event, events.FatStored))
                fields |= {"type": "store", "board": board, "most": most, "room": view.boards[board].fat_room}
                option = StoreFat(board, most)
            case AttackSpecies(board, seat, target):
                loss = self._loss(view.boards_of(seat)[target].population, caused)
                fields |= {"type": "attack", "board": board, "seat": seat, "target": target, "loss": loss}
            case Pass():
                raise AssertionError("declining is not listed as an option")
        return {**fields, "text": self._text.option_text(option, reader)}

    def _loss(self, before: int, caused: Sequence[Event]) -> str:
        """Return what an attack does to its target, and whether the horns strike back."""
        kept = [event for event in caused if isinstance(event, events.AnimalLost)]
        after = next((event.population for event in kept if event.cause == "attack"), 0)
        strikes_back = any(
            isinstance(event, events.AnimalLost | events.SpeciesDied) and event.cause == "horns" for event in caused
        )
        return self._text.loss_text(before, after, strikes_back)

    def _safe_targets(self, request: FeedNext, reader: Reader, index: int) -> list[dict[str, Any]]:
        """Return every board that is protected from this one, with the reason."""
        targets = []
        for player in request.view.opponents:
            for target in range(len(player.boards)):
                violation = violation_of(request, AttackSpecies(index, player.seat, target))
                if isinstance(violation, Protected):
                    shield, victim = violation.by, Spot(player.seat, target)
                    attack = attack_on(request.view.boards[index], player.boards, target)
                    targets.append(
                        {
                            "board": index,
                            "seat": player.seat,
                            "target": target,
                            "trait": shield.value,
                            "protector": _protector(player.seat, player.boards, target, shield),
                            "text": self._text.protection_text(attack, shield, victim, reader, request.rules),
                        }
                    )
        return targets


PAGE = EvolutionPage(LANGUAGES["en"])

_STEP_NAMES: dict[type[Step], str] = {
    GiveFood: "food",
    BuyBoard: "buy",
    LayTrait: "lay",
    ReplaceTrait: "replace",
    GrowPopulation: "population",
    GrowBody: "body",
}
_STEP_TYPES = {name: kind for kind, name in _STEP_NAMES.items()}


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


def _board_to_json(board: SpeciesBoard) -> dict[str, Any]:
    return {
        "population": board.population,
        "body": board.body,
        "food": board.food,
        "traits": [trait.value for trait in board.traits],
        "fat": board.fat,
    }


def _protector(seat: Seat, row: Sequence[SpeciesBoard], target: int, shield: Trait) -> dict[str, int] | None:
    """Return the neighbour whose trait protects the target, or None if it is the target's own."""
    if shield not in TRAITS or not TRAITS[shield].shields_neighbours:
        return None
    sides = [side for side in (target - 1, target + 1) if 0 <= side < len(row)]
    return next({"seat": seat, "board": side} for side in sides if TRAIT_EFFECTS[row[side].traits].shields_neighbours)
