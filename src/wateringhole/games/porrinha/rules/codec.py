"""Porrinha's values as plain JSON values and back, for records and wires."""

from __future__ import annotations

from typing import Any, TypeVar

import msgspec

from wateringhole.game import Answer, Event, Violation
from wateringhole.games.porrinha.rules.answers import NotANumber, as_answer
from wateringhole.games.porrinha.rules.events import PorrinhaEvent
from wateringhole.games.porrinha.rules.options import Rules
from wateringhole.games.porrinha.rules.requests import GuessTotal, HideSticks
from wateringhole.games.porrinha.rules.setup import Setup, setup_problem
from wateringhole.games.porrinha.rules.view import View
from wateringhole.games.porrinha.rules.violations import PorrinhaViolation

__all__ = [
    "answer_from_json",
    "answer_to_json",
    "event_from_json",
    "event_to_json",
    "request_from_json",
    "request_to_json",
    "rules_from_json",
    "rules_to_json",
    "setup_from_json",
    "setup_to_json",
    "setup_to_text",
    "view_from_json",
    "view_to_json",
    "violation_from_json",
    "violation_to_json",
]

T = TypeVar("T")


def rules_to_json(rules: Rules) -> dict[str, Any]:
    return _to_json(rules)


def rules_from_json(value: Any) -> Rules:
    """Raises ValueError for anything but rules."""
    return _from_json(value, Rules, "rules")


def setup_to_json(setup: Setup) -> dict[str, Any]:
    return _to_json(setup)


def setup_to_text(setup: Setup) -> bytes:
    """Return the JSON text of `setup_to_json`, which a record needs."""
    return msgspec.json.encode(setup)


def setup_from_json(value: Any) -> Setup:
    """Raises ValueError for anything but a playable setup."""
    setup = _from_json(value, Setup, "setup")
    wrong = setup_problem(setup)
    if wrong is not None:
        raise ValueError(f"a setup that cannot be played: {wrong}")
    return setup


def answer_to_json(request: HideSticks | GuessTotal, answer: Answer) -> Any:
    """Return a whole number as it is, and any other answer as ``{"said": "..."}``."""
    return {"said": answer.said} if type(answer) is NotANumber else answer


def answer_from_json(request: HideSticks | GuessTotal, value: Any) -> Answer:
    """Return the answer for any readable value.  It may be a bad one, so this raises nothing."""
    match value:
        case {"said": str(said), **rest} if not rest:
            return NotANumber(said)
    return as_answer(value)


def event_to_json(event: Event) -> dict[str, Any]:
    return _to_json(event)


def event_from_json(value: Any) -> PorrinhaEvent:
    """Raises ValueError for anything but an event of Porrinha."""
    return _from_json(value, PorrinhaEvent, "event")  # type: ignore[arg-type]


def request_to_json(request: HideSticks | GuessTotal) -> dict[str, Any]:
    return {"kind": request.name, **_to_json(request)}


def request_from_json(value: Any) -> HideSticks | GuessTotal:
    """Raises ValueError for anything but a request of Porrinha."""
    kinds: dict[Any, type[HideSticks | GuessTotal]] = {shape.name: shape for shape in (HideSticks, GuessTotal)}
    kind = value.get("kind") if isinstance(value, dict) else None
    if kind not in kinds:
        raise ValueError(f"there is no request of the kind {kind!r}; there are {', '.join(kinds)}")
    return _from_json(value, kinds[kind], "request")


def view_to_json(view: View) -> dict[str, Any]:
    return _to_json(view)


def view_from_json(value: Any) -> View:
    """Raises ValueError for anything but a view."""
    return _from_json(value, View, "view")


def violation_to_json(violation: Violation) -> dict[str, Any]:
    return _to_json(violation)


def violation_from_json(value: Any) -> PorrinhaViolation:
    """Raises ValueError for anything but a violation."""
    return _from_json(value, PorrinhaViolation, "violation")  # type: ignore[arg-type]


def _to_json(record: msgspec.Struct) -> dict[str, Any]:
    value = msgspec.json.decode(msgspec.json.encode(record))
    assert isinstance(value, dict), "a record becomes a JSON object"
    return value


def _from_json(value: Any, shape: type[T], what: str) -> T:
    try:
        return msgspec.convert(value, shape)
    except msgspec.ValidationError as wrong:
        raise ValueError(f"not a {what} of Porrinha: {wrong}") from None
