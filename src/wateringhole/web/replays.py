"""A recorded game as a sequence of scenes, with the texts for every seat."""

from __future__ import annotations

from typing import Any

import msgspec

from wateringhole import fallbacks
from wateringhole.errors import OperationError
from wateringhole.game import Event, Notice, Seat
from wateringhole.house.page import chosen_rules, manifest_of, standings_of
from wateringhole.match.record import Record

__all__ = ["replay_of"]

MOST_TEXTS = 40_000
"""Events times players: a hundred times those of a long game, but few enough to fit into memory."""


def replay_of(record: Record, language: str = "en") -> dict[str, Any]:
    """Return all events of a finished game, hidden information included, with texts in a language.

    Raises OperationError, with the line, if the record does not fit the game.
    """
    kind, names = record.kind, list(record.header.names)
    page = fallbacks.page(kind, language)
    replay = record.replay()
    events: list[Event] = []
    for event in replay.events():
        if not isinstance(event, Notice):
            events.append(event)
            if len(events) * len(names) > MOST_TEXTS:
                raise OperationError(f"the game is too long to be shown: more than {MOST_TEXTS // len(names)} events")
    everything = page.replay_scenes(names, events)
    seat_scenes = [page.scenes(names, Seat(seat)) for seat in range(len(names))]
    frames: list[dict[str, Any]] = []
    turns: list[dict[str, Any]] = []
    turn = 0
    for event in events:
        began = kind.turn_of(event)
        if began is not None:
            turn = began
            turns.append({"turn": turn, "frame": len(frames), "label": f"{kind.turn_name.capitalize()} {turn}"})
        texts: list[list[str] | None] = [everything.see(event)]
        for seat, scenes in enumerate(seat_scenes):
            seen = event.seen_by(Seat(seat))
            texts.append(None if seen is None else scenes.see(seen))
        frames.append(
            {"event": page.replay_event(event), "turn": turn, "scene": everything.scene(), "texts": texts},
        )
    rules = msgspec.to_builtins(record.setup.rules)
    outcome = replay.game.outcome
    assert outcome is not None, "a record that was replayed to its end is over"
    return {
        "game": kind.name,
        "title": kind.display_name,
        "names": names,
        "rules": rules,
        "chosen": chosen_rules(kind, rules),
        "texts": page.texts(record.setup.rules),
        "page": msgspec.to_builtins(manifest_of(kind)),
        **({} if record.commitment is None else {"commitment": msgspec.to_builtins(record.commitment)}),
        "outcome": msgspec.to_builtins(outcome),
        "standings": msgspec.to_builtins(standings_of(outcome, names)),
        "frames": frames,
        "turns": turns,
    }
