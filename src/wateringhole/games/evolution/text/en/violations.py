"""Descriptions of violations, for programs and for humans."""

from __future__ import annotations

from wateringhole.facets import Reader
from wateringhole.formatting import pluralize
from wateringhole.game import ReportedViolation, Violation
from wateringhole.games.evolution.rules import violations as broken
from wateringhole.games.evolution.rules.cards import TraitCard
from wateringhole.games.evolution.text.en.answers import use
from wateringhole.games.evolution.text.en.words import (
    board_name,
    boards,
    card_name,
    counted_boards,
    hand_card,
    is_human,
    number,
    player_name,
    spot,
    trait_name,
)

__all__ = ["violation_text"]

_PARTS = {
    "new_boards": "new_boards",
    "traits": "the traits of a new board",
    "replacements": "replacements",
    "growth": "population or body",
}
_MADE_OF = {
    "new_boards": "new_boards is",
    "replacements": "replacements is",
    "growth": "population and body are",
}
_WANTED_REPLIES = {
    "choice": ", which is none of its choices",
    "target": ": a player and a board are wanted",
    "slot": ": for one new card one old one goes",
    "slots": ": one old card goes for each new card without a free slot, at most one for each new card",
    "cards": ": a list of cards is wanted",
    "card": ": a card of the hand is wanted",
    "indexes": ": a list of indexes is wanted",
}
_FEEDING_PARTS = {
    "species": "the species",
    "tokens": "the number of tokens",
    "player": "the player",
    "target": "the attacked species",
}
_FEEDING_TYPES = {
    "species": "an index or a board of your row",
    "tokens": "a whole number",
    "player": "a seat or a player of the view",
    "target": "an index or a board of that player's row",
}


def violation_text(violation: Violation, reader: Reader) -> str:
    """Return a clause without a capital letter and a full stop."""
    match violation:
        case ReportedViolation():
            return violation.message
        case (
            broken.IllShaped()
            | broken.UnknownFeedingForm()
            | broken.UnknownDeclarationForm()
            | broken.IllShapedPart()
            | broken.IllShapedReply()
            | broken.ReplyOutOfRange()
            | broken.NotAnOrder()
            | broken.NotAStep()
        ):
            return _shape(violation, reader)
        case broken.NoSuchCard(card, held):
            return f"there is no card {number(card, reader)}: the hand has {pluralize(held, 'card')}"
        case broken.NotInHand(question, card):
            return f"{question} names the card {_card(card, reader)}, which is not in the hand"
        case broken.CardUsedTwice(held, first, second):
            return f"{hand_card(held, reader)} is used twice: {use(first, reader)} and {use(second, reader)}"
        case broken.CardNamedTwice(question, card, used_before):
            again = ", which is used already" if used_before else " twice"
            return f"{question} names the card {_card(card, reader)}{again}"
        case broken.NoFoodCard(hand_is_empty):
            if hand_is_empty:
                return "the hand is empty: there is no card for the watering hole"
            return "no card is given to the watering hole"
        case broken.TwoFoodCards(first_card, second_card):
            if is_human(reader):
                return f"{card_name(first_card.card)} and {card_name(second_card.card)} are both given as food"
            return f"cards {first_card.index} and {second_card.index} are both given as food"
        case broken.NewBoardSide(side, allowed):
            ends = "left or right" if allowed == "choice" else allowed
            end = side.strip("'") if is_human(reader) else side
            return f"a bought {boards(reader)} cannot join on the {end}: it goes {ends}"
        case broken.MostTraitsLaid(most):
            return f"no more than {pluralize(most, 'trait card')} may be laid in a turn"
        case broken.NoDeclining():
            return "declining is cheating under false_reply=cheat"
        case broken.FatOverHole(tokens, hole):
            return f"{tokens} tokens asked for, {hole} at the watering hole"
        case broken.OwnBoard():
            return f"a carnivore cannot attack its own player's {boards(reader, plural=True)}"
        case broken.NoSuchTarget(seat, target):
            if is_human(reader) and seat == reader.seat:
                return f"you have no {board_name(target, reader)}"
            return f"{player_name(seat, reader)} has no {board_name(target, reader)}"
        case broken.NoAnimals(attacked):
            return f"{spot(attacked, reader)} has no animals yet"
        case broken.Prevented(attacked):
            return f"a trait of this game protects {spot(attacked, reader)}"
        case broken.Protected(attacked, by):
            return f"{trait_name(by, reader)} protects {spot(attacked, reader)}"
    return _own_board(violation, reader)


def _shape(violation: Violation, reader: Reader) -> str:
    """Return the clause for an answer of the wrong shape, which only programs can give."""
    match violation:
        case broken.IllShaped(given, wanted):
            return f"{given} is not a {wanted}"
        case broken.UnknownFeedingForm():
            return _feeding_form(violation)
        case broken.UnknownDeclarationForm(given, problem, example):
            expected = "expected a Declaration or an Action4" + (f", for example {example}" if example else "")
            return f"{given} is not a declaration: {f'{problem}; ' if problem else ''}{expected}"
        case broken.IllShapedPart(part, "tuple", given):
            return f"{_PARTS[part]}: a tuple is wanted, not {given}"
        case broken.IllShapedPart(part, wanted, given):
            return f"{_MADE_OF[part]} made of {wanted}, and {given} is none"
        case broken.IllShapedReply(question, given, wanted):
            return f"{question} returned {given}{_WANTED_REPLIES[wanted]}"
        case broken.ReplyOutOfRange(question, given, noun, count):
            return f"{question} returned {given}: the {noun}s are 0 to {count - 1}"
        case broken.NotAnOrder(given, owned):
            last = number(owned - 1, reader)
            if is_human(reader):
                return f"the order must name each of the species 1 to {last} once"
            return f"{given} does not name each of the boards 0 to {last} once"
        case broken.NotAStep(given):
            return f"{given} is not a step of a declaration"
    raise TypeError(f"{violation!r} has no text")


def _feeding_form(violation: broken.UnknownFeedingForm) -> str:
    """Return the clause for a plain value of a Python player, with the forms that it could have had."""
    details = []
    if violation.part != "answer":
        noun = _FEEDING_PARTS[violation.part]
        match violation.problem:
            case "type":
                details.append(f"{noun} is {_FEEDING_TYPES[violation.part]}, not {violation.value}")
            case "copy":
                details.append(f"{noun} is not an object of this request's view, which are compared by identity")
            case "other-row":
                details.append(f"{noun} is a board in the row of another player")
            case "twice":
                details.append(f"{noun} is in its row twice, so only its index is clear")
    if violation.forms:
        *most, last = violation.forms
        details.append(f"expected {', '.join(most)} or {last}" if most else f"expected {last}")
    return f"{violation.given} is not a feeding{': ' if details else ''}{'; '.join(details)}"


def _own_board(violation: Violation, reader: Reader) -> str:
    """Return the clause for a violation that concerns the player's own board."""
    match violation:
        case broken.NoSuchBoard(board, owned, None):
            return f"there is no {board_name(board, reader)}: you own {owned}"
        case broken.NoSuchBoard(board, owned, bought):
            there = f"{counted_boards(owned, reader)} owned and {bought} bought"
            return f"there is no {board_name(board, reader)}: {there}"
        case broken.LayOnOldBoard(card, board):
            held = hand_card(card, reader) if is_human(reader) else f"card {card.index} ({card.card.trait})"
            return (
                f"{held} cannot be laid on {board_name(board, reader)}: {boards(reader, plural=True)} "
                "that were there before take a new trait only in place of another"
            )
        case broken.TooManyTraits(board, most):
            return f"{board_name(board, reader)} has {most} traits already"
        case broken.EqualTraits(board, trait, at_end):
            would = "end with" if at_end else "have"
            return f"{board_name(board, reader)} would {would} {trait_name(trait, reader)} twice"
        case broken.TraitHeldAlready(board, trait, held_in, slot):
            name = trait_name(trait, reader)
            return (
                f"{board_name(board, reader)} has {name} already, in slot {number(held_in, reader)}; "
                f"slot {number(slot, reader)} cannot become {name} too"
            )
        case broken.NoSuchSlot(board, slot, traits):
            there = pluralize(traits, "trait")
            return f"{board_name(board, reader)} has no slot {number(slot, reader)}: it has {there}"
        case broken.PopulationLimit(board, most):
            return f"the population of {board_name(board, reader)} would grow beyond {most}"
        case broken.BodyLimit(board, most):
            return f"the body of {board_name(board, reader)} would grow beyond {most}"
        case broken.NoFatRoom(board, has_fat_tissue):
            why = "has no room for more" if has_fat_tissue else "has no fat tissue"
            return f"{board_name(board, reader)} {why}"
        case broken.FatRoom(board, room, tokens):
            return f"{board_name(board, reader)} has room for 1 to {room}, not {tokens}"
        case broken.NotACarnivore(board):
            return f"{board_name(board, reader)} is a vegetarian and cannot attack"
        case broken.NotAVegetarian(board):
            return f"{board_name(board, reader)} is a carnivore and eats only by attacking"
        case broken.NotHungry(board, population):
            return f"{board_name(board, reader)} is full: all its {population} animals have eaten"
    raise TypeError(f"{violation!r} has no text")


def _card(card: TraitCard, reader: Reader) -> str:
    return card_name(card) if is_human(reader) else str(card)
