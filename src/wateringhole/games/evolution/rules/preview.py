"""The events that an answer would cause, computed by the rules themselves and not by a second copy of them."""

from __future__ import annotations

from wateringhole.game import Event
from wateringhole.games.evolution.rules.answers import Feeding
from wateringhole.games.evolution.rules.cards import full_deck
from wateringhole.games.evolution.rules.feeding import FeedingRounds
from wateringhole.games.evolution.rules.hooks import Hooks
from wateringhole.games.evolution.rules.state import GameState, PlayerState
from wateringhole.games.evolution.rules.view import View

__all__ = ["preview"]


def preview(view: View, feeding: Feeding, hooks: Hooks | None = None) -> list[Event]:
    """Return the events that a legal feeding by the owner of this view would cause at once.

    The cards that would be drawn are unknown, so the events are those that a spectator would see.  Without
    `hooks`, custom traits do nothing.
    """
    assert view.seat is not None
    me = PlayerState(view.seat, view.boards)
    others = [PlayerState(player.seat, player.boards) for player in view.opponents]
    deck = full_deck(view.rules.custom_traits)[: view.deck_size]
    state = GameState(view.rules, [me, *others], view.hole, deck, hooks=hooks)
    state.pile = list(view.pile)
    FeedingRounds(state, view.turn).take(feeding)
    seen = [event.seen_by(None) for event in state.events]
    return [event for event in seen if event is not None]
