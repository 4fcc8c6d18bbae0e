"""Evolution, the game of species around a watering hole: the rules, without any input or output.

`Dealer` runs a game; `Draft` builds a declaration of cards; the requests, answers, events and
views that cross the border are frozen records.
"""

from wateringhole.games.evolution.rules.answers import (
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
from wateringhole.games.evolution.rules.cards import CARDS, Trait, TraitCard, card
from wateringhole.games.evolution.rules.draft import Draft
from wateringhole.games.evolution.rules.game import Dealer
from wateringhole.games.evolution.rules.options import PROFILES, Rules
from wateringhole.games.evolution.rules.requests import ArrangeBoards, DeclareCards, FeedNext
from wateringhole.games.evolution.rules.setup import Setup, deal
from wateringhole.games.evolution.rules.species import SpeciesBoard
from wateringhole.games.evolution.rules.traits import TRAITS
from wateringhole.games.evolution.rules.view import SeatedPlayer, View

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
