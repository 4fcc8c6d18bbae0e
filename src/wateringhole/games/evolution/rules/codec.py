"""Conversion of Evolution's values to plain JSON values and back, for harnesses, records and protocols.

There are two families.  The course's formats (rulebook, section 10) name things by position:
species, players, cards, configurations and all answers.  All other formats belong to this package:
objects with the field names of its records.  The functions come in pairs.  Reading is strict:
a value that cannot be read raises ValueError, whose message names the position and the problem.
"""

from __future__ import annotations

import contextlib
import functools
import itertools
import operator
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import msgspec

from wateringhole.errors import UsageError
from wateringhole.formatting import short_repr
from wateringhole.game import Answer, Event, Outcome, Seat, Violation
from wateringhole.games.evolution.rules import events, violations
from wateringhole.games.evolution.rules.action4 import declaration_from_json, declaration_to_json
from wateringhole.games.evolution.rules.answers import (
    AttackSpecies,
    BoardOrder,
    Declaration,
    Feeding,
    FeedPlants,
    Pass,
    StoreFat,
)
from wateringhole.games.evolution.rules.cards import CARDS, TraitCard, card, custom_cards
from wateringhole.games.evolution.rules.custom_traits import CustomTraits
from wateringhole.games.evolution.rules.options import (
    LEAST_PLAYERS,
    MOST_BODY,
    MOST_PLAYERS,
    MOST_POPULATION,
    MOST_TRAITS,
    Rules,
)
from wateringhole.games.evolution.rules.requests import ArrangeBoards, DeclareCards, EvolutionRequest, FeedNext
from wateringhole.games.evolution.rules.setup import Setup
from wateringhole.games.evolution.rules.species import Row, SpeciesBoard
from wateringhole.games.evolution.rules.state import GameState, PlayerState
from wateringhole.games.evolution.rules.strict_json import (
    list_from_json,
    natural_from_json,
    parts_from_json,
    shown,
)
from wateringhole.games.evolution.rules.traits import Trait, declared_traits
from wateringhole.games.evolution.rules.view import FullPlayer, FullState, View
from wateringhole.seeds import check_seed

__all__ = [
    "answer_from_json",
    "answer_to_json",
    "card_from_json",
    "card_to_json",
    "cards_from_json",
    "cards_to_json",
    "configuration_from_json",
    "configuration_to_json",
    "event_from_json",
    "event_to_json",
    "list_from_json",
    "natural_from_json",
    "outcome_from_json",
    "outcome_to_json",
    "parts_from_json",
    "plain",
    "player_from_json",
    "player_to_json",
    "request_from_json",
    "request_to_json",
    "row_from_json",
    "row_to_json",
    "rules_from_json",
    "rules_to_json",
    "setup_from_json",
    "setup_to_json",
    "setup_to_text",
    "species_from_json",
    "species_to_json",
    "view_from_json",
    "view_to_json",
    "violation_from_json",
    "violation_to_json",
]

T = TypeVar("T")


# The course's formats: cards and species.


def card_to_json(card: TraitCard) -> list[Any]:
    return [card.points, card.name]


def card_from_json(value: Any, custom: CustomTraits | None = None) -> TraitCard:
    """Read a card; one of a custom trait only if it is declared."""
    points, trait = parts_from_json(value, "a card", "[food points, trait]", 2)
    if type(points) is not int:
        raise ValueError(f"food points are a whole number, not {shown(points)}")
    if custom and type(trait) is str and (found := custom_cards(custom).get((points, trait))):
        return found
    _trait(trait)
    return card(points, trait)


def cards_to_json(cards: Sequence[TraitCard]) -> list[Any]:
    return [[card.points, card.name] for card in cards]


def cards_from_json(value: Any, custom: CustomTraits | None = None) -> list[TraitCard]:
    return list_from_json(value, "card", functools.partial(card_from_json, custom=custom))


def species_to_json(board: SpeciesBoard) -> list[Any]:
    """Return a Species+.  Stored food is written only if the board has fat tissue."""
    fields: list[Any] = [
        ["food", board.food],
        ["body", board.body],
        ["population", board.population],
        ["traits", [trait.value for trait in board.traits]],
    ]
    if board.fat and Trait.FAT_TISSUE in board.traits:
        fields.append(["fat-food", board.fat])
    return fields


def species_from_json(value: Any, *, fat: bool = True, distinct: bool = True) -> SpeciesBoard:
    """Read a Species+, or a plain Species if `fat` is not allowed.

    Stored food on a board without fat tissue is read and ignored, because it is never written.
    Without `final_traits_distinct`, games have boards whose traits are not all `distinct`.
    """
    food, body, population, traits, *stored = _fields(
        value, "a species", ("food", "body", "population", "traits"), "fat-food" if fat else None
    )
    board = SpeciesBoard(
        _within(population, "population", 1, MOST_POPULATION),
        _within(body, "body", 0, MOST_BODY),
        _within(food, "food", 0, MOST_POPULATION),
        tuple(list_from_json(traits, "trait", _trait)),
        _within(stored[0], "fat-food", 0, MOST_BODY) if stored else 0,
    )
    if board.food > board.population:
        raise ValueError(f"food is {board.food}, more than the population of {board.population}")
    if board.fat > board.body:
        raise ValueError(f"fat-food is {board.fat}, more than the body of {board.body}")
    if len(board.traits) > MOST_TRAITS:
        raise ValueError(f"there are {len(board.traits)} traits; a species has at most {MOST_TRAITS}")
    if distinct and len(set(board.traits)) < len(board.traits):
        raise ValueError(f"the traits {', '.join(board.traits)} are not all different")
    return board if Trait.FAT_TISSUE in board.traits else board.with_fat(0)


def row_to_json(row: Sequence[SpeciesBoard]) -> list[Any]:
    return [species_to_json(board) for board in row]


def row_from_json(value: Any, *, distinct: bool = True) -> Row:
    return tuple(list_from_json(value, "board", functools.partial(species_from_json, distinct=distinct)))


# The course's formats: players and configurations.


def player_to_json(player: PlayerState | FullPlayer, identity: int) -> list[Any]:
    """Return a Player+.  Cards are written only if there are any."""
    fields: list[Any] = [["id", identity], ["species", row_to_json(player.boards)], ["bag", player.bag]]
    if player.hand:
        fields.append(["cards", cards_to_json(player.hand)])
    return fields


def player_from_json(value: Any, seat: Seat, *, cards: bool = True) -> tuple[PlayerState, int]:
    """Read a Player+, or a plain Player if `cards` are not allowed.  Return it with its identity."""
    identity, species, bag, *hand = _fields(value, "a player", ("id", "species", "bag"), "cards" if cards else None)
    return (
        PlayerState(
            seat, row_from_json(species), cards_from_json(hand[0]) if hand else (), natural_from_json(bag, "bag")
        ),
        natural_from_json(identity, "id", least=1),
    )


def configuration_to_json(state: FullState, identity: Callable[[Seat], int]) -> list[Any]:
    """Return the full state: players in turn order, hole, deck.  `identity` returns the number of a seat."""
    players = [player_to_json(player, identity(player.seat)) for player in state.players]
    return [players, state.hole, cards_to_json(state.deck)]


def configuration_from_json(value: Any, rules: Rules) -> tuple[GameState, list[int]]:
    """Return a state that emits no events and the players' identities; seats are positions in the list.

    Any number of players is accepted, and a card may occur several times.
    """
    players, hole, deck = parts_from_json(value, "a configuration", "[players, hole, deck]", 3)
    seats = itertools.count()
    known = list_from_json(players, "player", lambda player: player_from_json(player, Seat(next(seats))))
    state = GameState(
        rules,
        [player for player, _ in known],
        natural_from_json(hole, "the hole"),
        _at("deck", cards_from_json, deck),
        emit=False,
    )
    return state, [identity for _, identity in known]


# Answers: one format for records and for all protocols.


def answer_to_json(request: EvolutionRequest, answer: Answer) -> Any:
    """Return an Action4, a feeding choice, or an order of boards."""
    if type(answer) is Declaration:
        return declaration_to_json(answer, request.view.rules)
    if type(answer) is FeedPlants:
        return answer.board
    if type(answer) is AttackSpecies:
        return [answer.board, _number_of_player(request.view, answer.seat), answer.target]
    if type(answer) is StoreFat:
        return [answer.board, answer.tokens]
    if type(answer) is Pass:
        return False
    if type(answer) is BoardOrder:
        return list(answer.boards)
    raise TypeError(f"{answer!r} answers no request of Evolution")


def answer_from_json(request: EvolutionRequest, value: Any) -> Answer:
    """Return an answer that a request can check.  Raises ValueError if the shape is wrong."""
    if isinstance(request, FeedNext):
        return _feeding(request, value)
    if isinstance(request, DeclareCards):
        return declaration_from_json(value, request.rules)
    return BoardOrder(tuple(list_from_json(value, "place", functools.partial(natural_from_json, what="a board"))))


def _number_of_player(view: View, seat: Seat) -> int:
    """Number the opponents from 0 in turn order, starting after the player; the player itself comes last."""
    seats = [player.seat for player in view.players]
    return (seats.index(seat) - seats.index(view.seat) - 1) % len(seats)  # type: ignore[arg-type]


def _feeding(request: FeedNext, value: Any) -> Feeding:
    if value is False:
        return Pass()
    if type(value) is int:
        return FeedPlants(natural_from_json(value, "a board"))
    if type(value) is not list or len(value) not in (2, 3):
        raise ValueError(
            f"{shown(value)} is no feeding choice: it is false, a board, [board, tokens] or [carnivore, player, board]"
        )
    board = natural_from_json(value[0], "a board")
    if len(value) == 2:
        return StoreFat(board, natural_from_json(value[1], "a number of tokens"))
    number = natural_from_json(value[1], "a player")
    target = natural_from_json(value[2], "the board attacked")
    seats = [*(player.seat for player in request.view.opponents), request.seat]
    if number >= len(seats):
        raise ValueError(f"there is no player {shown(number)}: there are {len(seats) - 1} others")
    return AttackSpecies(board, seats[number], target)


# This package's formats.


def rules_to_json(rules: Rules) -> dict[str, Any]:
    """Return every option with its value."""
    return _to_json(rules)


def rules_from_json(value: Any) -> Rules:
    return _from_json(value, Rules, "rules")


def setup_to_json(setup: Setup) -> dict[str, Any]:
    return {
        "players": setup.players,
        "rules": rules_to_json(setup.rules),
        "order": list(setup.order),
        "deck": cards_to_json(setup.deck),
        "seed": setup.seed,
    }


def setup_to_text(setup: Setup) -> bytes:
    """Return the JSON text of `setup_to_json`.  Each recorded game writes a deck, so this is made to be fast."""
    deck = b",".join([_CARD_TEXTS[card] for card in setup.deck])
    order, seed = msgspec.json.encode(setup.order), msgspec.json.encode(setup.seed)
    rules = _rules_text(setup.rules)
    return b'{"players":%d,"rules":%b,"order":%b,"deck":[%b],"seed":%b}' % (setup.players, rules, order, deck, seed)


@functools.lru_cache(maxsize=16)
def _rules_text(rules: Rules) -> bytes:
    return msgspec.json.encode(rules_to_json(rules))


class _CardTexts(dict[TraitCard, bytes]):
    """The JSON texts of cards.  Those of custom traits are not kept."""

    def __missing__(self, card: TraitCard) -> bytes:
        return msgspec.json.encode(card_to_json(card))


_CARD_TEXTS = _CardTexts({card: msgspec.json.encode(card_to_json(card)) for card in CARDS})


def setup_from_json(value: Any) -> Setup:
    """Read a setup.  Raises ValueError also if such a game cannot be played."""
    setup = _from_json(value, Setup, "a setup")
    if not LEAST_PLAYERS <= setup.players <= MOST_PLAYERS:
        raise ValueError(f"Evolution is for {LEAST_PLAYERS} to {MOST_PLAYERS} players, not {setup.players}")
    if sorted(setup.order) != list(range(setup.players)):
        raise ValueError(
            f"the turn order {list(setup.order)} does not name each seat from 0 to {setup.players - 1} once"
        )
    if len(set(setup.deck)) < len(setup.deck):
        twice = next(card for card in setup.deck if setup.deck.count(card) > 1)
        raise ValueError(f"the deck has the card {twice} twice; every card exists once")
    try:
        check_seed(setup.seed, f"the seed {short_repr(setup.seed)}")
    except UsageError as error:
        raise ValueError(str(error)) from None
    return setup


def event_to_json(event: Event) -> dict[str, Any]:
    return _to_json(event)


def event_from_json(value: Any) -> Event:
    event: Event = _from_json(value, _event_types(), "an event")
    return event


def view_to_json(view: View) -> dict[str, Any]:
    return _to_json(view)


def view_from_json(value: Any) -> View:
    return _from_json(value, View, "a view")


def outcome_to_json(outcome: Outcome) -> dict[str, Any]:
    return _to_json(outcome)


def outcome_from_json(value: Any) -> Outcome:
    return _from_json(value, Outcome, "an outcome")


def request_to_json(request: EvolutionRequest) -> dict[str, Any]:
    """Return the name and the view of a request, and its options in the format of answers if it lists them."""
    value: dict[str, Any] = {"kind": request.name, "view": view_to_json(request.view)}
    if isinstance(request, FeedNext):
        value["options"] = [answer_to_json(request, option) for option in request.options]
    return value


def request_from_json(value: Any) -> EvolutionRequest:
    if type(value) is not dict or "kind" not in value or "view" not in value:
        raise ValueError(f"{shown(value)} is no request: it is an object with kind and view")
    view = view_from_json(value["view"])
    if view.own is None or view.seat not in [player.seat for player in view.players]:
        raise ValueError("the view of a request belongs to a player in the game")
    match value["kind"]:
        case "arrange":
            return ArrangeBoards(view)
        case "declare":
            return DeclareCards(view)
        case "feed":
            options = list_from_json(value.get("options"), "option", functools.partial(_feeding, FeedNext(view, ())))
            return FeedNext(view, options)
    raise ValueError(f"there is no request of the kind {shown(value['kind'])}; there are arrange, declare, feed")


def violation_to_json(violation: Violation) -> dict[str, Any]:
    return {**_to_json(violation), "rule": violation.rule}


def violation_from_json(value: Any) -> Violation:
    """Return the violation of a rule that has exactly these parts."""
    if type(value) is not dict or type(value.get("rule")) is not str:
        raise ValueError(f"{shown(value)} is no violation: it is an object with a rule")
    parts = {name: part for name, part in value.items() if name != "rule"}
    for shape in _violation_types():
        if parts.keys() == set(shape.__struct_fields__):
            # Several violations can have fields of the same names; only one of them is for this rule.
            with contextlib.suppress(ValueError):
                violation: Violation = _from_json(parts, shape, "a violation")
                if violation.rule == value["rule"]:
                    return violation
    raise ValueError(f"there is no violation of the rule {shown(value['rule'])} with such parts")


def _to_json(record: msgspec.Struct) -> dict[str, Any]:
    # Through text: the result is plain JSON, with lists in place of tuples.
    value: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(record, enc_hook=plain))
    return value


def plain(value: Any) -> Any:
    """Convert a value that msgspec cannot write by itself; a hook for its encoders."""
    if type(value) is TraitCard:
        return [value.points, value.name]
    raise NotImplementedError(f"{value!r} has no place in JSON")


def _from_json(value: Any, shape: type[T], what: str) -> T:
    try:
        custom = _custom_traits(value)
        if custom is None:
            return msgspec.convert(value, shape, dec_hook=_rich)
        with declared_traits(each.name for each in custom.traits):
            return msgspec.convert(value, shape, dec_hook=functools.partial(_rich, custom=custom))
    except (msgspec.ValidationError, RecursionError) as wrong:
        raise ValueError(f"not {what} of Evolution: {wrong}") from None


def _custom_traits(value: Any) -> CustomTraits | None:
    """Return the custom traits that the rules in a JSON object declare, or None.

    A view contains its rules, and so does an event with a view.  The protocol adds the rules to other events.
    """
    if type(value) is not dict:
        return None
    rules = value.get("rules")
    if type(rules) is dict and "custom_traits" in rules:
        return msgspec.convert(rules["custom_traits"], CustomTraits)
    return _custom_traits(value.get("view"))


def _rich(shape: type, value: Any, custom: CustomTraits | None = None) -> Any:
    if shape is TraitCard:
        return card_from_json(value, custom)
    raise NotImplementedError(f"{shape!r} has no place in JSON")


@functools.cache
def _event_types() -> Any:
    """Return the union of all kinds of events."""
    return functools.reduce(operator.or_, sorted(events.EVENT_TYPES, key=operator.attrgetter("__name__")))


@functools.cache
def _violation_types() -> list[type[Violation]]:
    named = [getattr(violations, name) for name in violations.__all__]
    return [shape for shape in named if isinstance(shape, type) and issubclass(shape, Violation)]


# Strict reading of numbers in a range, traits and named fields.


def _within(value: Any, what: str, least: int, most: int) -> int:
    if type(value) is not int or not least <= value <= most:
        raise ValueError(f"{what} is a whole number from {least} to {most}, not {shown(value)}")
    return value


def _trait(value: Any) -> Trait:
    if type(value) is str:
        try:
            return Trait(value)
        except ValueError:
            pass
    raise ValueError(f"{shown(value)} is no trait; there are {', '.join(Trait)}")


def _fields(value: Any, what: str, names: tuple[str, ...], optional: str | None) -> list[Any]:
    """Return the values of named fields in their order; the optional one may be missing at the end."""
    known = (*names, optional) if optional else names
    if type(value) is not list or not len(names) <= len(value) <= len(known):
        fields = ", ".join(names) + (f" and perhaps {optional}" if optional else "")
        raise ValueError(f"{shown(value)} is not {what}: it is a list of the fields {fields}")
    for field, name in zip(value, known, strict=False):
        if type(field) is not list or len(field) != 2 or field[0] != name:
            raise ValueError(f'{what} has the field ["{name}", ...] here, not {shown(field)}')
    return [content for _, content in value]


def _at(where: str, read: Callable[[Any], T], value: Any) -> T:
    try:
        return read(value)
    except ValueError as wrong:
        raise ValueError(f"{where}: {wrong}") from None
