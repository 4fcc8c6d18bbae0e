"""The coach of one seat: hints about its open request, and warnings before an answer that costs much.

Everything is computed from the request and from the events that the seat has seen.
"""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any, Final

import msgspec

from wateringhole import fallbacks
from wateringhole.errors import WateringHoleError
from wateringhole.facets import Coach, Decision, Evaluation, Reader, Remark
from wateringhole.game import AnyKind, Event, Notice, Request, Seat, Violation
from wateringhole.house.from_page import AskForHint, AskForWarning, PrepareCoach
from wateringhole.house.imagination import Imagination
from wateringhole.house.page_messages import (
    AdvisedMove,
    CheckMessage,
    CoachMessage,
    CoachWarning,
    HintMessage,
    RemarkInfo,
    WeighedMove,
)

__all__ = ["COSTLY", "GAMES", "LEVELS", "SeatCoach"]

LEVELS: Final = 3
"""The levels of hints: what to look at, why, and what the best player would do."""
GAMES: Final = 2000
"""The games that are imagined after each answer."""
COSTLY: Final = 0.05
"""The loss of chance from which an answer is worth a warning."""
ERRORS: Final = 2
"""A loss counts if it is above this many standard errors."""
SEED: Final = 0
"""The same situation always gets the same figures."""


class SeatCoach:
    """The coach of one seat in one game."""

    def __init__(self, kind: AnyKind, rules: Any, names: Sequence[str], seat: Seat, imagination: Imagination) -> None:
        self._kind = kind
        self._rules = rules
        self._names = tuple(names)
        self._seat = seat
        self._imagination = imagination
        self._coach: Coach[Any, Any, Any] = fallbacks.require(kind.coach, f"{kind.name} has no coach.")
        self._seen: list[Event] = []
        self._is_busy = False
        """Only one message at a time is answered, which bounds the work that a page can ask for."""
        self._checked: set[int] = set()
        """The requests whose answer was checked."""
        self._evaluations: dict[tuple[int, bytes], Evaluation | None] = {}

    def see(self, event: Event) -> None:
        """Take in an event, as far as this seat may see it."""
        seen = event.seen_by(self._seat)
        if seen is not None and not isinstance(seen, Notice):
            self._seen.append(seen)

    async def replies(
        self, message: PrepareCoach | AskForHint | AskForWarning, request: Request[Any]
    ) -> AsyncIterator[CoachMessage]:
        """Yield the replies to a message about the open request: at once what needs no imagined games, then the rest.

        Raises ValueError if the message cannot be read.
        """
        if isinstance(message, PrepareCoach):
            await self._warm_up(message.id, request)
            return
        if self._is_busy:
            return
        self._is_busy = True
        try:
            if isinstance(message, AskForHint):
                async for reply in self._hint(message, request):
                    yield reply
            else:
                warning = await self._warning(message, request)
                yield CheckMessage(message.id, warning)
        finally:
            self._is_busy = False

    async def _hint(self, message: AskForHint, request: Request[Any]) -> AsyncIterator[HintMessage]:
        level = message.level
        if type(level) is not int or not 1 <= level <= LEVELS:
            raise ValueError(f"the level of a hint is 1 to {LEVELS}")
        hint = HintMessage(message.id, level, _remark_info(self._coach.remark(request)))
        if level < LEVELS:
            yield hint
            return
        advised = await asyncio.to_thread(self._advise, request)
        if advised is None:
            yield msgspec.structs.replace(hint, move=None)
            return
        text = self._text(request, advised, message.language)
        move = AdvisedMove(text, self._coach.best_player, None)
        is_ready = self._imagination.is_ready(self._kind.name)
        yield msgspec.structs.replace(hint, move=move, is_ready=is_ready)
        if found := await self._evaluate(message.id, request, advised):
            known = msgspec.structs.replace(move, chance=found.after.value)
            yield msgspec.structs.replace(hint, move=known, is_ready=True)

    async def _warning(self, message: AskForWarning, request: Request[Any]) -> CoachWarning | None:
        """Return a warning about an answer, or None.  Only the first answer to a request is checked."""
        answer = request.accept(self._kind.codec.answer_from_json(request, message.answer))
        if isinstance(answer, Violation) or message.id in self._checked:
            return None
        remark = self._coach.risk(request, answer)
        if remark is None or not self._imagination.is_ready(self._kind.name):
            return None
        self._checked.add(message.id)
        found = await self._evaluate(message.id, request, answer)
        if found is None or found.loss.value < max(COSTLY, ERRORS * found.loss.error):
            return None
        given = (answer, found.after)
        others = [option for option in found.options if option[0] != answer]
        options = [
            WeighedMove(self._text(request, option, message.language), chance.value, chance.error, option == answer)
            for option, chance in [*others[:2], given]
        ]
        return CoachWarning(_remark_info(remark), found.games, options)

    async def _warm_up(self, id: int, request: Request[Any]) -> None:
        """Let the game's code be compiled before the first hint needs it."""
        if not self._imagination.is_ready(self._kind.name):
            advised = await asyncio.to_thread(self._advise, request)
            if advised is not None:
                await self._evaluate(id, request, advised)

    def _advise(self, request: Request[Any]) -> Any:
        try:
            return self._coach.advise(self._rules, len(self._names), request)
        except WateringHoleError:
            return None

    async def _evaluate(self, id: int, request: Request[Any], answer: Any) -> Evaluation | None:
        """Return the evaluation of an answer, or None if this table cannot be imagined."""
        key = id, msgspec.json.encode(self._kind.codec.answer_to_json(request, answer))
        if key not in self._evaluations:
            decision = Decision(request, answer, list(self._seen))
            try:
                found = await self._imagination.evaluate(
                    self._kind.name, self._rules, len(self._names), [decision], [0], GAMES, SEED
                )
            except WateringHoleError:
                return None
            self._evaluations[key] = found.get(0)
        return self._evaluations[key]

    def _text(self, request: Request[Any], answer: Any, language: str) -> str:
        """Return a phrase for an answer, in English if the game has no texts in the language."""
        text, reader = fallbacks.text(self._kind), Reader(self._names, self._seat)
        try:
            return text.answer(request, answer, reader, language)
        except ValueError:
            return text.answer(request, answer, reader)


def _remark_info(remark: Remark) -> RemarkInfo:
    return RemarkInfo(remark.name, dict(remark.values), dict(remark.subject))
