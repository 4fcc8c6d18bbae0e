"""Evolution as a kind of game: what drivers need in order to run it without knowing it."""

from __future__ import annotations

from wateringhole import game
from wateringhole.evolution import wire
from wateringhole.evolution.dealer import Dealer
from wateringhole.evolution.events import SpeciesAttacked, TurnStarted
from wateringhole.evolution.narrator import Narrator
from wateringhole.evolution.rulebook import rulebook
from wateringhole.evolution.rules import LEAST_PLAYERS, MOST_PLAYERS, PROFILES, RULES_VERSION, Rules
from wateringhole.evolution.setup import deal
from wateringhole.evolution.summary import Summary

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
    wire=wire,
    narrator=Narrator,
    summary=Summary,
    rulebook=rulebook,
    turn_of=lambda event: event.turn if isinstance(event, TurnStarted) else None,
    highlight=game.Highlight("attack", lambda event: isinstance(event, SpeciesAttacked)),
)
