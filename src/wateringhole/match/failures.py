"""Failures of players, with everything that reproduces them.

A `Witness` plays for another player and keeps the messages that it gets.  When the player fails, it reports a
`Failure`: the traceback, and the messages as a host sends them (`docs/reference/protocol.md`).  `ask_again` sends the
messages to another player.
"""

from __future__ import annotations

import contextlib
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

import msgspec

from wateringhole.errors import OperationError, WateringHoleError
from wateringhole.game import Answer, AnyKind, Event, Notice, Request, Violation
from wateringhole.player import (
    Player,
    PlayerFailed,
    SeatAssignment,
    author_traceback,
    forfeit_for,
    is_interruption,
)
from wateringhole.protocol.host import HostEnd
from wateringhole.protocol.player import BrokenMessage, PlayerEnd

__all__ = ["Failure", "Reaction", "Witness", "ask_again", "read_failure", "traceback_of"]

MOST_CALLS = 10_000
"""The most messages that a witness keeps; then it forgets the oldest whole games."""


class Failure(msgspec.Struct, frozen=True, kw_only=True):
    """A failure of a player, as it is saved in a file."""

    game: str
    player: str
    """The player as it was named on the command line."""
    players: int
    """The number of players in the game."""
    seed: int | None
    """The seed that the player was made with."""
    reason: str
    """The reason of its forfeit."""
    message: str
    traceback: str | None
    """The lines of its author, or None if there is no traceback."""
    forgotten_games: int
    """The number of earlier games whose messages are missing."""
    messages: list[dict[str, Any]]
    """The messages that it got, from the hello on.  It failed at the last one, or because of it."""


class _Call(NamedTuple):
    method: str
    argument: Any
    seconds: float | None = None


class Witness:
    """A player that passes everything on to another one, and reports the first failure of that player."""

    is_human = False

    def __init__(
        self,
        kind: AnyKind,
        player: Player,
        spec: str,
        players: int,
        seed: int | None,
        report: Callable[[Failure], object],
    ) -> None:
        """`spec`, `players` and `seed` are those that the player was made with."""
        self.player = player
        self._kind = kind
        self._spec = spec
        self._players = players
        self._seed = seed
        self._report = report
        self._games: deque[list[_Call]] = deque()
        """The calls of each game."""
        self._forgotten = 0
        self._has_failed = False

    @property
    def wants_events(self) -> bool:
        return self.player.wants_events

    def on_seated(self, assignment: SeatAssignment) -> None:
        self._games.append([])
        while len(self._games) > 1 and sum(map(len, self._games)) > MOST_CALLS:
            self._games.popleft()
            self._forgotten += 1
        with self._watching(_Call("on_seated", assignment)):
            self.player.on_seated(assignment)

    def answer(self, request: Request[Any], seconds: float | None = None) -> Answer:
        with self._watching(_Call("answer", request, seconds)):
            return self.player.answer(request, seconds)

    def on_notice(self, notice: Notice) -> None:
        with self._watching(_Call("on_notice", notice)):
            self.player.on_notice(notice)

    def on_event(self, event: Event) -> None:
        with self._watching(_Call("on_event", event)):
            self.player.on_event(event)

    def on_violation(self, violation: Violation) -> None:
        with self._watching(_Call("on_violation", violation)):
            self.player.on_violation(violation)

    def close(self) -> None:
        self.player.close()

    @contextlib.contextmanager
    def _watching(self, call: _Call) -> Any:
        if not self._has_failed:
            self._games[-1].append(call)
        try:
            yield
        except BaseException as error:
            if not is_interruption(error) and not self._has_failed:
                self._fail(error)
            raise

    def _fail(self, error: BaseException) -> None:
        forfeit = forfeit_for(error)
        # A player that leaves, is late or breaks a rule has answered as its author wrote it.
        if forfeit.reason not in ("exception", "disconnected"):
            return
        self._has_failed = True
        self._report(
            Failure(
                game=self._kind.name,
                player=self._spec,
                players=self._players,
                seed=self._seed,
                reason=forfeit.reason,
                message=forfeit.message,
                traceback=traceback_of(error),
                forgotten_games=self._forgotten,
                messages=self._messages(),
            )
        )

    def _messages(self) -> list[dict[str, Any]]:
        end = HostEnd(self._kind)
        lines = [end.hello(), *(_line(end, call) for game in self._games for call in game)]
        return [msgspec.json.decode(line) for line in lines]


def _line(end: HostEnd, call: _Call) -> bytes:
    match call:
        case _Call("on_seated", SeatAssignment() as assignment):
            return end.game(assignment.seat, assignment.names, assignment.rules, commitment=assignment.commitment)
        case _Call("answer", request, seconds):
            return end.request(request, seconds=seconds)
        case _Call("on_notice", notice):
            return end.notice(notice)
        case _Call("on_event", event):
            return end.event(event)
    return end.refused(call.argument)


def traceback_of(error: BaseException) -> str | None:
    """Return the traceback of a player's exception, or None if its process reported none."""
    return error.traceback if isinstance(error, PlayerFailed) else author_traceback(error)


def read_failure(text: bytes, name: str) -> Failure:
    """Return a failure that was saved in a file of this name.  Raises OperationError for anything else."""
    try:
        failure = msgspec.json.decode(text, type=Failure)
    except (msgspec.DecodeError, UnicodeError, RecursionError) as error:
        raise OperationError(f"{name} is not a saved request: {error}.") from None
    if not failure.messages:
        raise OperationError(f"{name} is not a saved request: it has no messages.")
    return failure


class Reaction(NamedTuple):
    """The reaction of a player to the messages of a saved failure."""

    number: int
    """The number of the message, counted from 1: the last one, or the first one that it failed at."""
    message: dict[str, Any]
    reply: dict[str, Any] | None
    """Its reply as a message of the protocol, or None if it sent none."""
    error: BaseException | None
    """The exception that it raised, also for a late answer, or None."""

    @property
    def has_failed(self) -> bool:
        """True also for an answer that breaks a rule."""
        return self.error is not None or (self.reply is not None and self.reply["type"] == "failed")


def ask_again(failure: Failure, player: Player, name: str) -> Reaction:
    """Send the messages of a failure, which was saved in a file of this name, to a player, until it fails.

    After an illegal answer it gets the messages that may follow one, because it may fail at them.  Raises
    OperationError for a message that breaks the protocol, because the file was changed by hand.
    """
    errors: list[BaseException] = []
    illegal: Reaction | None = None
    end = PlayerEnd(lambda game: player, on_exception=errors.append)
    for number, message in enumerate(failure.messages, 1):
        try:
            line = end.receive(msgspec.json.encode(message))
        except BrokenMessage as error:
            raise OperationError(
                f"{name}: message {number} of the saved request breaks the protocol: {error.problem}. Let play or "
                "check save the request again."
            ) from None
        except WateringHoleError as error:
            raise OperationError(f"{name}: message {number} of the saved request is not usable: {error}") from None
        reply = None if line is None else msgspec.json.decode(line)
        reaction = Reaction(number, message, reply, errors[0] if errors else None)
        if reaction.error is not None:
            return reaction
        if reaction.has_failed:
            illegal = illegal or reaction
            if not _may_follow_illegal(failure.messages[number:]):
                break
    return illegal or reaction


def _may_follow_illegal(messages: Sequence[dict[str, Any]]) -> bool:
    """Return whether these messages may follow an illegal answer: it is refused, or costs the rest of the game."""
    return next((each["type"] for each in messages if each["type"] in ("refused", "request", "game")), "") != "request"
