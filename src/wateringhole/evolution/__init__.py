"""Evolution, the game of species around a watering hole: the rules, without any input or output.

`Dealer` runs a game; `Draft` builds a declaration of cards; the requests, answers, events and
views that cross the border are frozen records.
"""

from wateringhole.evolution.answers import (
    AttackSpecies,
    BoardOrder,
    BuyBoard,
    Declaration,
    Feeding,
    FeedPlants,
    GiveFood,
    GrowBody,
    GrowPopulation,
    Growth,
    LayTrait,
    NewBoard,
    Pass,
    Replacement,
    ReplaceTrait,
    Step,
    StoreFat,
)
from wateringhole.evolution.cards import CARDS, Trait, TraitCard, card
from wateringhole.evolution.dealer import Dealer
from wateringhole.evolution.draft import Draft
from wateringhole.evolution.requests import ArrangeBoards, DeclareCards, FeedNext
from wateringhole.evolution.rules import PROFILES, Rules
from wateringhole.evolution.setup import Setup, deal
from wateringhole.evolution.species import SpeciesBoard
from wateringhole.evolution.traits import TRAITS
from wateringhole.evolution.view import SeatedPlayer, View

__all__ = [
    "CARDS",
    "PROFILES",
    "TRAITS",
    "ArrangeBoards",
    "AttackSpecies",
    "BoardOrder",
    "BuyBoard",
    "Dealer",
    "Declaration",
    "DeclareCards",
    "Draft",
    "FeedNext",
    "FeedPlants",
    "Feeding",
    "GiveFood",
    "GrowBody",
    "GrowPopulation",
    "Growth",
    "LayTrait",
    "NewBoard",
    "Pass",
    "ReplaceTrait",
    "Replacement",
    "Rules",
    "SeatedPlayer",
    "Setup",
    "SpeciesBoard",
    "Step",
    "StoreFat",
    "Trait",
    "TraitCard",
    "View",
    "card",
    "deal",
]
