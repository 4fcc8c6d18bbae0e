"""Names of boards, cards, traits and players, for programs and for humans.

Texts for programs count from 0 and use "board".  Texts for humans count from 1, use "species", and
refer to cards, traits and players by name.  All results are plain text.
"""

from __future__ import annotations

from collections.abc import Iterable

from wateringhole.facets import Reader
from wateringhole.formatting import pluralize
from wateringhole.games.evolution.rules.cards import TraitCard
from wateringhole.games.evolution.rules.species import SpeciesBoard
from wateringhole.games.evolution.rules.traits import Trait
from wateringhole.games.evolution.rules.violations import Given, HandCard, Spot

__all__ = [
    "board_name",
    "boards",
    "card_name",
    "counted_boards",
    "describe_species",
    "hand_card",
    "is_human",
    "listed",
    "number",
    "ordinal",
    "player_name",
    "signed",
    "spot",
    "target",
    "trait_name",
    "word",
]

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")


def is_human(reader: Reader) -> bool:
    return reader.names is not None


def number(index: Given, reader: Reader) -> Given:
    """Return an index as its reader counts; a text in place of an index is returned unchanged.

    >>> number(0, Reader()), number(0, Reader(("Ada",)))
    (0, 1)
    """
    return index + 1 if is_human(reader) and isinstance(index, int) else index


# Boards and players


def boards(reader: Reader, *, plural: bool = False) -> str:
    return "species" if is_human(reader) else "boards" if plural else "board"


def counted_boards(count: int, reader: Reader) -> str:
    return f"{count} species" if is_human(reader) else pluralize(count, "board")


def board_name(index: Given, reader: Reader) -> str:
    """Return the name of a board in its owner's row."""
    return f"{boards(reader)} {number(index, reader)}"


def spot(location: Spot, reader: Reader) -> str:
    """Return the name of a board of any player.

    >>> spot(Spot(0, 1), Reader()), spot(Spot(0, 1), Reader(("Ada",))), spot(Spot(0, 1), Reader(("Ada",), 0))
    ('board 1 of seat 0', 'species 2 of Ada', 'your species 2')
    """
    name = board_name(location.board, reader)
    if is_human(reader) and location.seat == reader.seat:
        return f"your {name}"
    return f"{name} of {player_name(location.seat, reader)}"


def target(location: Spot, reader: Reader) -> str:
    """Return the same, with the owner first for a human reader.

    >>> target(Spot(0, 1), Reader(("Ada",)))
    "Ada's species 2"
    """
    if not is_human(reader) or location.seat == reader.seat:
        return spot(location, reader)
    return f"{player_name(location.seat, reader)}'s {board_name(location.board, reader)}"


def player_name(seat: Given, reader: Reader) -> str:
    if reader.names is not None and isinstance(seat, int) and 0 <= seat < len(reader.names):
        return reader.names[seat]
    return f"seat {number(seat, reader)}"


def describe_species(board: SpeciesBoard) -> str:
    """Return a short description of a species.

    >>> describe_species(SpeciesBoard(2, 3, 0, (Trait.HORNS, Trait.LONG_NECK), 0))
    'body 3, horns, long neck'
    """
    return ", ".join([f"body {board.body}", *(word(trait) for trait in board.traits)])


# Cards and traits


def hand_card(held: HandCard, reader: Reader) -> str:
    return card_name(held.card) if is_human(reader) else f"card {held.index}"


def card_name(card: TraitCard) -> str:
    """Return the name of a card for humans: "Long neck −2"."""
    return f"{word(card.trait).capitalize()} {signed(card.points)}"


def trait_name(trait: Trait, reader: Reader) -> str:
    return word(trait) if is_human(reader) else trait.value


def word(trait: Trait) -> str:
    """Return the name of a trait for humans, without hyphens."""
    return trait.replace("-", " ")


# Numbers and lists


def ordinal(index: int) -> str:
    """Return the ordinal for an index in a row, counted from 0."""
    if index < len(_ORDINALS):
        return _ORDINALS[index]
    number = index + 1
    is_teen = number % 100 in (11, 12, 13)
    return f"{number}{'th' if is_teen else {1: 'st', 2: 'nd', 3: 'rd'}.get(number % 10, 'th')}"


def signed(points: int) -> str:
    """Return the points of a card as they are printed on it.

    >>> signed(3), signed(-3), signed(0)
    ('+3', '−3', '0')
    """
    sign = "+" if points > 0 else "−" if points < 0 else ""
    return f"{sign}{abs(points)}"


def listed(words: Iterable[str]) -> str:
    """Return the words joined by commas and "and".

    >>> listed(["Ada", "Bea", "Cyd"])
    'Ada, Bea and Cyd'
    """
    *rest, last = words
    return f"{', '.join(rest)} and {last}" if rest else last
