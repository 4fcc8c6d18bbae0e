"""The page of a game without its own view.

The page narrates, shows the view as a tree, and has a button for each listed option, or a text field for JSON.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping, Sequence
from importlib.resources.abc import Traversable
from typing import Any

from wateringhole.facets import Manifest, Narrator, Reader, SceneBuilder, Text
from wateringhole.formatting import sentence
from wateringhole.game import AnyKind, Event, JsonObject, Request, Seat, Violation
from wateringhole.markup import plain

__all__ = ["PlainPage"]

MOST_OPTIONS = 60
"""A request with more options is answered in JSON, because a longer row of buttons is hard to read."""
MOST_NEWS = 6
"""Lines of narration shown next to the view."""


class PlainPage:
    """The default facet `page`."""

    assets: Traversable | None = None
    manifest = Manifest()

    def __init__(self, kind: AnyKind, text: Text[Any, Any], language: str = "en") -> None:
        self._kind = kind
        self._text = text
        self._language = language

    def texts(self, rules: Any) -> JsonObject:
        return {"about": sentence(self._kind.title.partition(": ")[2])}

    def unsupported_rules(self, rules: Any, seats: int) -> str | None:
        return None

    def scenes(self, names: Sequence[str], seat: Seat | None) -> SceneBuilder:
        return _Scenes(self._kind, self._text.narrator(names, seat, self._language), seat)

    def replay_scenes(self, names: Sequence[str], events: Sequence[Event]) -> SceneBuilder:
        return _ReplayScenes(self._kind, self._text.narrator(names, language=self._language), len(names))

    def replay_event(self, event: Event) -> JsonObject:
        return self._kind.codec.event_to_json(event)

    def offers(self, builder: SceneBuilder, names: Sequence[str], request: Request[Any]) -> JsonObject:
        """Return the request's view, its other fields, its listed answers, and its default answer."""
        fields = dict(self._kind.codec.request_to_json(request))
        view = fields.pop("view", None)
        listed = _listed_answers(request)
        for name in ("kind", "seat", *(["options"] if listed else [])):
            fields.pop(name, None)
        reader = Reader(tuple(names), request.seat)
        default = request.default_answer()
        return {
            "view": view,
            "fields": fields,
            "options": [self._offer(request, answer, reader) for answer in listed],
            "pass": None if default is None else self._offer(request, default, reader),
        }

    def dissuade(self, request: Request[Any], answer: Any) -> Violation | None:
        return None

    def consult(self, builder: SceneBuilder, request: Request[Any], message: Mapping[str, Any]) -> JsonObject | None:
        return None

    def _offer(self, request: Request[Any], answer: Any, reader: Reader) -> JsonObject:
        value = self._kind.codec.answer_to_json(request, answer)
        return {"answer": value, "text": self._text.answer(request, answer, reader, self._language)}


def _listed_answers(request: Request[Any]) -> Sequence[Any]:
    """Return the `options` of a request, if all of them are legal answers."""
    options = getattr(request, "options", ())
    if not isinstance(options, Sequence) or len(options) > MOST_OPTIONS:
        return ()
    return () if any(isinstance(request.accept(option), Violation) for option in options) else options


class _Scenes:
    """Scenes for one seat or a spectator."""

    def __init__(self, kind: AnyKind, narrator: Narrator, seat: Seat | None) -> None:
        self._kind = kind
        self._narrator = narrator
        self._fold = kind.fold(seat) if kind.fold else None
        self._turn = ""
        self._news: deque[str] = deque(maxlen=MOST_NEWS)

    def see(self, event: Event) -> list[str]:
        self._follow(event)
        turn = self._kind.turn_of(event)
        if turn is not None:
            self._turn = f"{self._kind.turn_name.capitalize()} {turn}"
        lines = plain(self._narrator.narrate(event) or self._narrator.incidents(event))
        self._news.extend(lines)
        return lines

    def _follow(self, event: Event) -> None:
        if self._fold:
            self._fold.see(event)

    def answered(self, request: Request[Any], answer: Any | None) -> bool:
        if self._fold is None or answer is None:
            return False
        self._fold.answered(request, answer)
        return True

    def asked(self, requests: Mapping[Seat, str]) -> None:
        pass

    def scene(self) -> JsonObject:
        view = self._kind.codec.view_to_json(self._fold.view()) if self._fold else None
        return {"turn": self._turn, "view": view, "news": list(self._news)}


class _ReplayScenes(_Scenes):
    """Scenes of a finished game, with the views of a spectator and of every seat."""

    def __init__(self, kind: AnyKind, narrator: Narrator, seats: int) -> None:
        super().__init__(kind, narrator, None)
        self._folds = {Seat(seat): kind.fold(Seat(seat)) for seat in range(seats)} if kind.fold else {}

    def _follow(self, event: Event) -> None:
        for seat, fold in [(None, self._fold), *self._folds.items()]:
            seen = event.seen_by(seat)
            if fold and seen is not None:
                fold.see(seen)

    def scene(self) -> JsonObject:
        views = [self._kind.codec.view_to_json(fold.view()) for fold in self._folds.values()]
        return {**super().scene(), "news": [], "views": views}
