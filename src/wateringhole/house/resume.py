"""Restoring of a game from its record so far."""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, cast

import msgspec

from wateringhole.errors import OperationError
from wateringhole.game import Answer, AnyKind, Forfeit, Request
from wateringhole.match.loops import AsyncPlayer
from wateringhole.match.match import Match, PlayerCall
from wateringhole.match.record import RecordedAnswer

__all__ = ["restore_match"]


async def restore_match(
    match: Match,
    kind: AnyKind,
    players: Sequence[AsyncPlayer],
    record: bytes,
    repeat: Callable[[PlayerCall, Answer | Forfeit], None],
) -> None:
    """Advance a match to the request that is open where its record ends.

    Players get the same events and notices again but no requests: their recorded answers are used
    and passed to `repeat`.  An incomplete last line is ignored.  Raises OperationError if the
    record does not fit the match.
    """
    lines = [line for line in record.splitlines(keepends=True)[1:] if line.endswith(b"\n")]
    answers = deque(msgspec.json.decode(line, type=RecordedAnswer) for line in lines)
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
