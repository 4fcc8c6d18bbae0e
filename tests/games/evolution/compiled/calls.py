"""Compiled entry points of the engine's functions for tests, one game at a time."""

from __future__ import annotations

from typing import Any

from wateringhole.games.evolution.compiled.bots.players import ALL_PLAYERS
from wateringhole.games.evolution.compiled.rules import engine
from wateringhole.sim.kernel import entry

__all__ = [
    "choose",
    "look",
    "observe",
    "open_game",
    "result",
    "take",
    "winning",
]

_choose = ALL_PLAYERS.choose


@entry
def open_game(state: Any, setup: Any, first: int) -> None:
    """Start the first turn with the deck in the state; no player is asked yet."""
    engine.open_game(state, setup, first)


@entry
def take(state: Any, action: int, mask: Any) -> Any:
    """Apply an action, or start (-1), and mark the legal actions.

    Return the acting seat and the type of its decision.
    """
    if action >= 0:
        engine.apply(state, action)
    else:
        engine.advance(state)
    return look(state, mask)


@entry
def look(state: Any, mask: Any) -> Any:
    """Mark the legal actions.  Return the acting seat and the type of its decision."""
    engine.legal(state, mask)
    return engine.acting_seat(state), engine.decision_type(state)


@entry
def choose(state: Any, policy: int, seed: int, game: int) -> int:
    action: int = _choose(state, policy, 0, seed, game)
    return action


@entry
def observe(state: Any, seat: int, out: Any) -> None:
    engine.observe(state, seat, out)


@entry
def result(state: Any, seat: int) -> tuple[int, int, int]:
    """Return score, place, and line of the final ranking."""
    return engine.score(state, seat), engine.place(state, seat), engine.ranking_line(state, seat)


@entry
def winning(state: Any) -> int:
    """Return the traits on the boards of the player listed first."""
    traits: int = engine.winning(state)
    return traits
