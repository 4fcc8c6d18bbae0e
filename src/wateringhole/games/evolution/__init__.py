"""Evolution, the game of species around a watering hole: the names that authors of players import.

Derive a player from `Player` (whole answers), `StepwisePlayer` (step requests) or `DocumentPlayer`
(step requests with plain values).  `Dealer` runs a game; `Draft` builds a declaration; requests, answers,
events and views are frozen records.  The built-in players, and what searches by playing on (`rollout`),
are loaded when they are first used.
"""

from typing import TYPE_CHECKING

from wateringhole.game import Forfeit, Outcome, Seat, Violation
from wateringhole.games.evolution.bots.document import DocumentPlayer
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
    Side,
    Step,
    StoreFat,
)
from wateringhole.games.evolution.rules.cards import CARDS, TraitCard, card
from wateringhole.games.evolution.rules.draft import Draft
from wateringhole.games.evolution.rules.events import (
    AnimalLost,
    BoardGiven,
    BoardsArranged,
    CardsDeclared,
    CardsDrawn,
    DeckReshuffled,
    DeclarationApplied,
    FatBurned,
    FatStored,
    FeedingEnded,
    FoodBagged,
    FoodCut,
    FoodRevealed,
    GameEnded,
    GameStarted,
    PlayerForfeited,
    PlayerPassed,
    ReplacedTrait,
    ResultAnnounced,
    SpeciesAttacked,
    SpeciesDied,
    SpeciesFed,
    SpeciesGrew,
    SpeciesShrank,
    TurnEnded,
    TurnStarted,
    YouAreOut,
    YourTurnStarts,
)
from wateringhole.games.evolution.rules.game import Dealer
from wateringhole.games.evolution.rules.options import PROFILES, Rules
from wateringhole.games.evolution.rules.requests import ArrangeBoards, DeclareCards, FeedNext
from wateringhole.games.evolution.rules.setup import Setup, deal
from wateringhole.games.evolution.rules.species import SpeciesBoard
from wateringhole.games.evolution.rules.traits import TRAITS, Trait, TraitType
from wateringhole.games.evolution.rules.view import PrivateState, SeatedPlayer, View
from wateringhole.lazy import is_installed, lazy_names
from wateringhole.player import PlayerLeft, SeatAssignment

__all__ = [
    "CARDS",
    "KIND",
    "PROFILES",
    "TRAITS",
    "AnimalLost",
    "ArrangeBoards",
    "AttackSpecies",
    "BoardGiven",
    "BoardOrder",
    "BoardsArranged",
    "BuyBoard",
    "CardsDeclared",
    "CardsDrawn",
    "Choice",
    "Dealer",
    "DeckReshuffled",
    "Declaration",
    "DeclarationApplied",
    "DeclareCards",
    "DocumentPlayer",
    "Draft",
    "FatBurned",
    "FatStored",
    "FeedNext",
    "FeedPlants",
    "Feeding",
    "FeedingEnded",
    "FoodBagged",
    "FoodCut",
    "FoodRevealed",
    "Forfeit",
    "GameEnded",
    "GameStarted",
    "GiveFood",
    "Greedy",
    "GrowBody",
    "GrowPopulation",
    "Growth",
    "Hunt",
    "LayTrait",
    "NewBoard",
    "Outcome",
    "OwnState",
    "Pass",
    "Player",
    "PlayerForfeited",
    "PlayerLeft",
    "PlayerPassed",
    "PrivateState",
    "Random",
    "ReplaceTrait",
    "ReplacedTrait",
    "Replacement",
    "ResultAnnounced",
    "Rules",
    "Seat",
    "SeatAssignment",
    "SeatedPlayer",
    "Setup",
    "Side",
    "Silly",
    "SpeciesAttacked",
    "SpeciesBoard",
    "SpeciesDied",
    "SpeciesFed",
    "SpeciesGrew",
    "SpeciesShrank",
    "Step",
    "StepwisePlayer",
    "StoreFat",
    "Trait",
    "TraitCard",
    "TraitType",
    "TurnEnded",
    "TurnStarted",
    "View",
    "Violation",
    "YouAreOut",
    "YourTurnStarts",
    "card",
    "deal",
]
if is_installed("numba", "numpy"):  # without the extra `sim`, `import *` must not load these
    __all__ += ["RolloutResult", "SampledState", "rollout", "sample_state"]

if TYPE_CHECKING:
    from wateringhole.games.evolution.bots.greedy import Greedy
    from wateringhole.games.evolution.bots.random import Random
    from wateringhole.games.evolution.bots.silly import Silly
    from wateringhole.games.evolution.compiled import RolloutResult, SampledState, rollout, sample_state
else:
    __getattr__, __dir__ = lazy_names(
        __name__,
        {
            "wateringhole.games.evolution.bots.greedy": ["Greedy"],
            "wateringhole.games.evolution.bots.random": ["Random"],
            "wateringhole.games.evolution.bots.silly": ["Silly"],
            "wateringhole.games.evolution.compiled": ["SampledState", "RolloutResult", "sample_state", "rollout"],
        },
    )
