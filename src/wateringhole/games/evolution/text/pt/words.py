"""Names of species, cards, traits and players in Portuguese, for humans, who count from 1."""

from __future__ import annotations

from collections.abc import Iterable

from wateringhole.facets import Reader
from wateringhole.games.evolution.rules.cards import TraitCard
from wateringhole.games.evolution.rules.species import SpeciesBoard
from wateringhole.games.evolution.rules.traits import Trait
from wateringhole.games.evolution.rules.violations import Given, Spot
from wateringhole.games.evolution.text.en.words import signed

__all__ = [
    "animals",
    "card_name",
    "counted",
    "describe_species",
    "listed",
    "number",
    "player_name",
    "signed",
    "species_of",
    "tokens",
    "word",
]

_TRAITS = {
    Trait.AMBUSH: "emboscada",
    Trait.BURROWING: "toca",
    Trait.CARNIVORE: "carnívoro",
    Trait.CLIMBING: "escalada",
    Trait.COOPERATION: "cooperação",
    Trait.FAT_TISSUE: "tecido adiposo",
    Trait.FERTILE: "fertilidade",
    Trait.FORAGING: "forrageio",
    Trait.HARD_SHELL: "carapaça",
    Trait.HERDING: "manada",
    Trait.HORNS: "chifres",
    Trait.LONG_NECK: "pescoço longo",
    Trait.PACK_HUNTING: "caça em bando",
    Trait.SCAVENGER: "carniceiro",
    Trait.SYMBIOSIS: "simbiose",
    Trait.WARNING_CALL: "grito de alerta",
}


def word(trait: Trait) -> str:
    """Return the name of a trait; one that a user added keeps the name that the user gave it."""
    return _TRAITS.get(trait, trait.replace("-", " "))


def card_name(card: TraitCard) -> str:
    """Return the name of a card: "Pescoço longo −2"."""
    return f"{word(card.trait).capitalize()} {signed(card.points)}"


def number(index: Given) -> Given:
    """Return an index as a human counts; a text in place of an index is returned unchanged."""
    return index + 1 if isinstance(index, int) else index


def player_name(seat: Given, reader: Reader) -> str:
    if reader.names is not None and isinstance(seat, int) and 0 <= seat < len(reader.names):
        return reader.names[seat]
    return f"lugar {number(seat)}"


def species_of(location: Spot, reader: Reader) -> str:
    """Return a species of any player, with its article.

    >>> species_of(Spot(0, 1), Reader(("Ada",))), species_of(Spot(0, 1), Reader(("Ada",), 0))
    ('a espécie 2 de Ada', 'a sua espécie 2')
    """
    if location.seat == reader.seat:
        return f"a sua espécie {number(location.board)}"
    return f"a espécie {number(location.board)} de {player_name(location.seat, reader)}"


def describe_species(board: SpeciesBoard) -> str:
    """Return a short description of a species.

    >>> describe_species(SpeciesBoard(2, 3, 0, (Trait.HORNS, Trait.LONG_NECK), 0))
    'corpo 3, chifres, pescoço longo'
    """
    return ", ".join([f"corpo {board.body}", *(word(trait) for trait in board.traits)])


def counted(count: int, one: str, many: str) -> str:
    return f"{count} {one if count == 1 else many}"


def animals(count: int) -> str:
    return counted(count, "animal", "animais")


def tokens(count: int) -> str:
    return counted(count, "ficha", "fichas")


def listed(words: Iterable[str]) -> str:
    """Return the words joined by commas and "e".

    >>> listed(["Ada", "Bea", "Cyd"])
    'Ada, Bea e Cyd'
    """
    *rest, last = words
    return f"{', '.join(rest)} e {last}" if rest else last
