"""Porrinha as a kind of game: what drivers need in order to run it without knowing it."""

from __future__ import annotations

import msgspec

from wateringhole import game
from wateringhole.games.porrinha.rulebook import rulebook
from wateringhole.games.porrinha.rules import codec
from wateringhole.games.porrinha.rules.events import RoundStarted
from wateringhole.games.porrinha.rules.game import Core, settle_in
from wateringhole.games.porrinha.rules.options import MOST_ROUNDS, PROFILES, RULES_VERSION, Rules
from wateringhole.games.porrinha.rules.setup import MOST_PLAYERS, deal
from wateringhole.games.porrinha.summary import Summary
from wateringhole.games.porrinha.text import Narrator

__all__ = ["KIND"]

KIND = game.Kind(
    name="porrinha",
    title="Porrinha: hide sticks in your hand, guess the sum of all hands, and be rid of your sticks first.",
    seats=range(2, MOST_PLAYERS + 1),
    rules=Rules,
    # The core itself knows no limit; whoever drives it for strangers needs one.
    profiles={name: msgspec.structs.replace(rules, max_rounds=MOST_ROUNDS) for name, rules in PROFILES.items()},
    rules_version=RULES_VERSION,
    deal=deal,
    new_game=Core,
    wire=codec,
    narrator=Narrator,
    summary=Summary,
    rulebook=rulebook,
    turn_of=lambda event: event.number if isinstance(event, RoundStarted) else None,
    turn_name="round",
    settle_in=settle_in,
)
