"""Saved games: the lines that a table has saved, and the restoring of its match from them."""

from __future__ import annotations

import contextlib
from collections import defaultdict, deque
from collections.abc import Callable, Sequence
from typing import Any, cast

import msgspec

from wateringhole.errors import OperationError
from wateringhole.game import Answer, AnyKind, Forfeit, Request, Seat
from wateringhole.match.loops import AsyncPlayer
from wateringhole.match.match import Match, PlayerCall
from wateringhole.match.record import Header, RecordedAnswer

__all__ = ["Note", "SavedGame", "restore_match"]

_NOTE = b'{"note":'
"""How the line of a note begins."""
_RESULT = b'{"result":'
"""How the last line of a record begins."""


class Note(msgspec.Struct, frozen=True, omit_defaults=True):
    """A saved line about one seat that is not part of the record."""

    seat: Seat
    removed: str | None = None
    """The reason why the player was removed or has left, which the referee takes in later."""
    steps: int | None = None
    """The number of step requests before the next answer of the seat."""
    answer: Any = msgspec.UNSET
    """An answer that the record gets when all players who were asked have answered."""
    request: str | None = None
    """The digest of its request."""

    def line(self) -> bytes:
        return msgspec.json.encode({"note": self}) + b"\n"


class _NoteLine(msgspec.Struct, frozen=True):
    note: Note


class SavedGame:
    """A game as it was saved: the answers so far, and what the notes add."""

    def __init__(self, text: bytes) -> None:
        """Read saved lines.  An incomplete last line is ignored."""
        first, *lines = [line for line in text.splitlines(keepends=True) if line.endswith(b"\n")]
        self.header = msgspec.json.decode(first, type=Header)
        self.answers: list[RecordedAnswer] = []
        self.is_over = False
        """True if the record has its result."""
        self.removed: dict[Seat, str] = {}
        """The players who were removed or have left, and why."""
        self._steps: defaultdict[Seat, deque[int]] = defaultdict(deque)
        self._waiting: dict[Seat, Note] = {}
        for line in lines:
            if line.startswith(_NOTE):
                self._read_note(msgspec.json.decode(line, type=_NoteLine).note)
            elif line.startswith(_RESULT):
                self.is_over = True
            else:
                answer = msgspec.json.decode(line, type=RecordedAnswer)
                self.answers.append(answer)
                self._waiting.pop(answer.seat, None)

    def _read_note(self, note: Note) -> None:
        if note.removed is not None:
            self.removed[note.seat] = note.removed
        if note.steps is not None:
            self._steps[note.seat].append(note.steps)
        if note.answer is not msgspec.UNSET:
            self._waiting[note.seat] = note

    def take_steps(self, seat: Seat) -> int | None:
        """Return the number of step requests before the next answer of a seat, or None if it is not saved."""
        steps = self._steps[seat]
        return steps.popleft() if steps else None

    def take_answer(self, seat: Seat) -> Note | None:
        """Return the last answer that a seat gave before its turn, once, or None."""
        return self._waiting.pop(seat, None)


async def restore_match(
    match: Match,
    kind: AnyKind,
    players: Sequence[AsyncPlayer],
    recorded: Sequence[RecordedAnswer],
    repeat: Callable[[PlayerCall, Answer | Forfeit], None],
) -> None:
    """Advance a match to the request that is open where its record ends.

    Players get the same events and notices again but no requests: their recorded answers are used
    and passed to `repeat`.  Raises OperationError if the record does not fit the match.
    """
    answers = deque(recorded)
    while calls := match.pending_calls:
        call = calls[0]
        if call.method != "answer":
            result: Answer | Forfeit | None = None
            if answers and answers[0].request is None and answers[0].seat == call.seat:
                result = answers.popleft().forfeit
            else:
                # This call succeeded in the original game.  If the player fails now, its next request shows it.
                with contextlib.suppress(Exception):
                    await call.invoke(players[call.seat])
            match.report(call, result)
            continue
        if not answers:
            return
        for call in calls:
            line = answers.popleft() if answers else None
            if line is None or line.seat != call.seat:
                raise OperationError(f"the record does not fit the game: seat {call.seat} was asked here")
            request = cast(Request[Any], call.argument)
            answer = _read(kind, request, line)
            repeat(call, answer)
            match.report(call, answer, line.ms / 1000)


def _read(kind: AnyKind, request: Request[Any], line: RecordedAnswer) -> Answer | Forfeit:
    if line.forfeit is not msgspec.UNSET:
        return line.forfeit
    try:
        return kind.codec.answer_from_json(request, line.answer)
    except ValueError as error:
        raise OperationError(f"the record does not fit the game: {error}") from None
