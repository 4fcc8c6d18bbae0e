"""Evolution as a kind of game: what drivers need in order to run it without knowing it."""

from __future__ import annotations

from wateringhole import game
from wateringhole.games.evolution.rulebook import rulebook
from wateringhole.games.evolution.rules import codec
from wateringhole.games.evolution.rules.events import SpeciesAttacked, TurnStarted
from wateringhole.games.evolution.rules.game import Dealer
from wateringhole.games.evolution.rules.options import LEAST_PLAYERS, MOST_PLAYERS, PROFILES, RULES_VERSION, Rules
from wateringhole.games.evolution.rules.setup import deal
from wateringhole.games.evolution.summary import Summary
from wateringhole.games.evolution.text.narrator import Narrator

__all__ = ["KIND"]

KIND = game.Kind(
    name="evolution",
    title="Evolution: raise species around a watering hole, eat and do not be eaten.",
    seats=range(LEAST_PLAYERS, MOST_PLAYERS + 1),
    rules=Rules,
    profiles=PROFILES,
    rules_version=RULES_VERSION,
    deal=deal,
    new_game=Dealer,
    wire=codec,
    narrator=Narrator,
    summary=Summary,
    rulebook=rulebook,
    turn_of=lambda event: event.turn if isinstance(event, TurnStarted) else None,
    highlight=game.Highlight("attack", lambda event: isinstance(event, SpeciesAttacked)),
)
