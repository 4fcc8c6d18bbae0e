"""Everything that Evolution says in English."""

from __future__ import annotations

from collections.abc import Sequence

from wateringhole.facets import Narrator, Reader
from wateringhole.game import ReportedViolation, Seat, Violation
from wateringhole.games.evolution.rules.answers import EvolutionAnswer
from wateringhole.games.evolution.rules.requests import EvolutionRequest
from wateringhole.games.evolution.text import narrator as narrators
from wateringhole.games.evolution.text import phrases

__all__ = ["TEXT"]


class _Text:
    def violation(self, violation: Violation, reader: Reader, language: str = "en") -> str:
        assert isinstance(violation, ReportedViolation)
        return violation.message if reader.names is None else phrases.for_people(violation)

    def answer(
        self, request: EvolutionRequest, answer: EvolutionAnswer, reader: Reader, language: str = "en"
    ) -> str:
        return repr(answer)

    def narrator(self, names: Sequence[str], seat: Seat | None = None, language: str = "en") -> Narrator:
        return narrators.Narrator(names, seat)


TEXT = _Text()
