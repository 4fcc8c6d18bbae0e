"""How a request is put to a player on a wire: in one question, or in the many small ones of a stepwise player.

What to send comes out of a generator and the messages that come back go into it, so that whoever
waits for them may block or not::

    questions = ask(talk, kind, "whole", request)
    line = next(questions)
    …  line = questions.send(message)  …                # StopIteration.value is the answer

None instead of a line: the last message answered nothing, and another one is waited for.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Any, Literal

from wateringhole.facets import Question, RawAnswer
from wateringhole.game import Answer, AnyKind, Forfeit, Notice, ReportedViolation, Request
from wateringhole.player import IllegalAnswer, PlayerFailed
from wateringhole.protocol.host import Talk, Unreadable

__all__ = ["Chatter", "acknowledge", "ask", "check_style"]

Style = Literal["whole", "stepwise"]

MOST_IGNORED = 100
"""Messages that answer nothing, after one question; whoever sends more is out of its mind."""


class Chatter(Unreadable):
    """So many messages came that answer nothing that there is no sense in reading on."""


def check_style(kind: AnyKind, style: Style) -> None:
    """Raises Unreadable where a game has no such style."""
    if style == "stepwise" and kind.stepwise is None:
        raise Unreadable(f"it asks for the style stepwise, which {kind.name} has not")


def ask(
    talk: Talk, kind: AnyKind, style: Style, request: Request[Any], player: int = 0, seconds: float | None = None
) -> Generator[bytes | None, bytes, Answer]:
    """The lines to send, the next after each message that answers the last; returns the answer.

    Raises Unreadable for a message that is none and a reply that is no answer, IllegalAnswer for
    one that breaks a rule before the whole answer is there or that the player takes back itself,
    and PlayerFailed where the player says that it cannot go on.
    """
    if style == "whole":
        reply = yield from _reply(talk, talk.request(request, player, seconds), player)
        return talk.understand(request, reply)
    assert kind.stepwise is not None, "the style was checked when the player introduced itself"
    stepwise = kind.stepwise()
    replies: list[RawAnswer] = []
    while isinstance(step := stepwise.proceed(request, replies), Question):
        question = talk.question(step.name, {"arguments": step.arguments}, player, seconds)
        reply = yield from _reply(talk, question, player)
        replies.append(reply)
    return step


def acknowledge(talk: Talk, notice: Notice, player: int = 0) -> Generator[bytes | None, bytes, None]:
    """The same for a notice to a player that acknowledges them.  Raises as `ask` does."""
    yield from _reply(talk, talk.notice(notice, player, acknowledged=True), player)


def _reply(talk: Talk, question: bytes, player: int) -> Generator[bytes | None, bytes, RawAnswer]:
    line: bytes | None = question
    for _ in range(MOST_IGNORED):
        reply = talk.read((yield line))
        match talk.failure(player):
            case ReportedViolation() as violation:
                raise IllegalAnswer(violation, violation.message)
            case Forfeit() as forfeit:
                raise PlayerFailed(forfeit)
        if reply is not None:
            return reply
        line = None
    raise Chatter(f"it sent {MOST_IGNORED} messages that answer nothing")
