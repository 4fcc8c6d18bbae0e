"""Evolution, the game of species around a watering hole: everything that authors of players import.

Derive a player from `Player` (whole answers) or `StepwisePlayer` (small ones).  `Dealer` runs a
game; `Draft` builds a declaration; requests, answers, events and views are frozen records.
"""

from wateringhole.games.evolution.bots.player import Player
from wateringhole.games.evolution.bots.stepwise import Choice, Hunt, OwnState, StepwisePlayer
from wateringhole.games.evolution.kind import KIND
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
    "KIND",
    "PROFILES",
    "TRAITS",
    "ArrangeBoards",
    "AttackSpecies",
    "BoardOrder",
    "BuyBoard",
    "Choice",
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
    "Hunt",
    "LayTrait",
    "NewBoard",
    "OwnState",
    "Pass",
    "Player",
    "ReplaceTrait",
    "Replacement",
    "Rules",
    "SeatedPlayer",
    "Setup",
    "SpeciesBoard",
    "Step",
    "StepwisePlayer",
    "StoreFat",
    "Trait",
    "TraitCard",
    "View",
    "card",
    "deal",
]
