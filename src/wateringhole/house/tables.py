"""One table: the players at its seats and their game.

Any kind of player can take any seat: a human on the page (`seats`), a remote player (`remote`), or a bot of the
house (`local`).  `page_tables` adds the pages that show a table.

A plan and the record of the game so far define a table.  A writer saves both as they change, so that another server
can restore the table and continue the game.  The saved lines are those of the record and, between them, notes about
what the record does not contain (yet).
"""

from __future__ import annotations

import asyncio
import contextlib
import functools
import secrets
import time
from collections.abc import AsyncIterator, Callable, Collection, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from typing import Any, NamedTuple, cast

import msgspec

from wateringhole.digests import digest
from wateringhole.errors import OperationError
from wateringhole.game import Answer, AnyKind, Event, Forfeit, Notice, Outcome, Request, Seat, Violation
from wateringhole.house.people import PlayedSeat
from wateringhole.house.plans import TablePlan
from wateringhole.house.remote import JsonPlayer, LostPlayer, RemotePlayer
from wateringhole.house.resume import Note, SavedGame, restore_match
from wateringhole.house.writer import FinishedGame, TableWriter
from wateringhole.match.commitments import Commitment, commit, dealt_text
from wateringhole.match.loops import AsyncPlayer, play_async
from wateringhole.match.match import Match, Observer, PlayerCall, RefereeSettings
from wateringhole.match.record import Recorder
from wateringhole.player import SeatAssignment

__all__ = ["ForwardingPlayer", "SeatedPlayer", "Table"]


class SeatedPlayer(NamedTuple):
    """A player at a seat, and what the referee must know about it."""

    player: AsyncPlayer
    wants_events: bool
    is_human: bool


class Table:
    """A table and its game.  Call its methods from the event loop only."""

    def __init__(
        self,
        kind: AnyKind,
        plan: TablePlan,
        writer: TableWriter | None,
        *,
        referee: RefereeSettings,
        reconnect_seconds: float,
        choices: Mapping[str, Any],
        log: Callable[[str], None],
        keeps_record: bool = True,
        id: str | None = None,
        created: float | None = None,
        record: bytes = b"",
    ) -> None:
        """Restore the game from the saved lines `record`, if they are not empty.

        Without a writer, nothing is saved.  `choices` are further arguments of `deal`.
        """
        self.id = id or secrets.token_hex(8)
        self.created = time.time() if created is None else created
        self.plan = plan
        self.kind = kind
        self.rules = msgspec.convert(plan.rules, kind.rules)
        self.reconnect_seconds = reconnect_seconds
        self.remotes: dict[int, RemotePlayer] = {}
        """The remote players by seat."""
        self.commitment: Commitment | None = None
        self.recorder: Recorder | None = None
        self._keeps_record = keeps_record or writer is not None
        self._writer = writer
        self._referee = referee
        self._choices = choices
        self._log = log
        self._record = record
        self._setup: Any = None
        self._match: Match | None = None
        self._is_restored = asyncio.Event()
        """Set when the game can be shown: after the players are made and a saved game is restored."""
        self._notes: list[Note] = []
        """Notes that are not saved yet."""
        self._recorded = 0
        """The number of bytes of the record that are saved."""
        self._saved_lines = record.count(b"\n")
        self._save_done: asyncio.Future[None] | None = None
        """Done when all lines so far are in the store."""
        self._restore_remotes()

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(table_seat.name for table_seat in self.plan.seats)

    @property
    def has_begun(self) -> bool:
        """True if the game is dealt, perhaps before a restart."""
        return self._setup is not None or bool(self._record)

    @functools.cached_property
    def saved_game(self) -> SavedGame | None:
        """The game as it was saved, or None if this is a new one."""
        try:
            return SavedGame(self._record) if self._record else None
        except (msgspec.DecodeError, ValueError) as error:
            raise OperationError(f"the saved game is damaged: {error}") from None

    @property
    def was_over(self) -> bool:
        """True if the saved game had ended.  A damaged one is found out when it is played."""
        with contextlib.suppress(OperationError):
            return self.saved_game is not None and self.saved_game.is_over
        return False

    def _restore_remotes(self) -> None:
        """Keep the seats of a saved table for its remote players, who may return with their tokens."""
        for seat, table_seat in enumerate(self.plan.seats):
            if table_seat.hello is not None:
                self.remotes[seat] = JsonPlayer(self.kind, self.reconnect_seconds, table_seat)
            elif table_seat.protocol is not None and self._record:
                self.remotes[seat] = LostPlayer(table_seat)
            elif table_seat.protocol is not None:
                table_seat.free()

    async def wait_until_restored(self) -> None:
        """Wait until a saved game is restored, so that a client can resume instead of starting over."""
        if self._record:
            await self._is_restored.wait()

    # Playing

    def deal(
        self,
        identities: Callable[[Sequence[str], Any], Sequence[str]] | None = None,
        numbers: Sequence[int] | None = None,
    ) -> Any:
        """Deal the game, or read the deal of a saved one.  Return the setup.

        For a new game, `identities(names, setup)` returns what the players are called, and the `numbers` by which the
        game recognizes them are those of the seats unless they are given.
        """
        if self.saved_game:
            header = self.saved_game.header
            if header.rules_version != self.kind.rules_version:
                raise OperationError(f"it began under version {header.rules_version} of the rules, which have changed")
            setup = self.kind.attach(self.kind.codec.setup_from_json(header.setup), self._choices)
        else:
            seats = self.plan.seats
            setup = self.kind.deal(len(seats), self.rules, self.plan.seed, **self._choices)
            if identities:
                for table_seat, name in zip(seats, identities(self.names, setup), strict=True):
                    table_seat.name = name
            setup = self.kind.next_setup(setup, list(zip(numbers or range(len(seats)), self.names, strict=True)), None)
        if not self.saved_game or self.saved_game.header.commitment is not msgspec.UNSET:
            # A game of an earlier version continues without a commitment.
            (self.commitment,) = commit([dealt_text(self.kind, setup)], [self.plan.nonce])
        if self._keeps_record:
            self.recorder = Recorder(self.kind, setup, self.names, commitment=self.commitment)
        self._setup = setup
        return setup

    async def play(
        self,
        players: Sequence[SeatedPlayer],
        observers: Sequence[Observer],
        early: Collection[Seat] = (),
    ) -> Match:
        """Play the game after its deal, or continue it where it was saved, and return the match at its end."""
        match = self._match = Match(
            self.kind,
            self._setup,
            self.names,
            referee=self._referee,
            recorder=self.recorder,
            observers=observers,
            event_seats=[Seat(seat) for seat, player in enumerate(players) if player.wants_events],
            humans=[Seat(seat) for seat, player in enumerate(players) if player.is_human],
            commitment=self.commitment,
        )
        asked = [self._wrapped(seat, player.player) for seat, player in enumerate(players)]
        if self.saved_game:
            assert self.recorder is not None, "a saved game has a record"
            await restore_match(match, self.kind, asked, self.saved_game.answers, self._repeat)
            self._recorded = len(self.recorder.text())
        await self._open()
        await play_async(match, asked, early=early)
        assert match.outcome is not None, "a match without calls is over"
        await self.wait_until_saved()
        return match

    def _wrapped(self, seat: int, player: AsyncPlayer) -> AsyncPlayer:
        """Return the player as the referee sees it."""
        if self._writer is None or self.plan.seats[seat].kind == "bot":
            return player
        return _SavedPlayer(self, player, self.remotes.get(seat))

    async def _open(self) -> None:
        """Take in that the game begins, or continues."""
        self._is_restored.set()

    def _repeat(self, call: PlayerCall, answer: Answer | Forfeit) -> None:
        """Take in a recorded answer, when a saved game is restored."""
        if remote := self.remotes.get(call.seat):
            self.repeat_request(remote, cast(Request[Any], call.argument), call.seconds)

    def repeat_request(self, remote: RemotePlayer, request: Request[Any], seconds: float | None) -> None:
        """Let a remote player take in a request that it answered before a restart."""
        assert self.saved_game is not None, "only a saved game is repeated"
        remote.repeat_request(request, seconds, self.saved_game.take_steps(request.seat))

    # Saving

    def save_plan(self) -> None:
        """Save a new or changed table."""
        if self._writer:
            self._writer.save(self.id, self.created, self.plan)

    def save_start(self) -> None:
        """Save the table with the deal of its new game."""
        if self._writer and self.recorder:
            header = self.recorder.text()
            self._recorded = len(header)
            self._saved_lines = 1
            self._save_done = asyncio.wrap_future(self._writer.save(self.id, self.created, self.plan, header))

    def note(self, note: Note) -> None:
        """Save something that the record does not contain, with the next lines of the record."""
        if self._writer:
            self._notes.append(note)

    def note_answer(self, request: Request[Any], answer: Answer) -> None:
        """Save an answer that waits for those of other players."""
        assert self._match is not None, "players are asked by a match"
        if [call.seat for call in self._match.pending_calls] == [request.seat]:
            return
        accepted = request.accept(answer)
        if not isinstance(accepted, Violation):
            value = self.kind.codec.answer_to_json(request, accepted)
            self.note(Note(request.seat, answer=value, request=self._request_digest(request)))
            self.save()

    def saved_answer(self, request: Request[Any]) -> Answer | None:
        """Return the answer that a player had given to this request before a restart, or None."""
        note = self.saved_game.take_answer(request.seat) if self.saved_game else None
        if note is None or note.request != self._request_digest(request):
            return None
        return self.kind.codec.answer_from_json(request, note.answer)

    def _request_digest(self, request: Request[Any]) -> str:
        return digest(msgspec.json.encode(self.kind.codec.request_to_json(request)))

    def save(self) -> None:
        """Save all notes, and the lines that were added to the record since the last call."""
        if self._writer is None or self.recorder is None or not self._is_restored.is_set():
            return
        recorded = self.recorder.text()[self._recorded :]
        text = b"".join(note.line() for note in self._notes) + recorded
        if text:
            self._notes.clear()
            self._recorded += len(recorded)
            self._save_done = asyncio.wrap_future(self._writer.add_lines(self.id, self._saved_lines, text))
            self._saved_lines += text.count(b"\n")

    async def wait_until_saved(self) -> None:
        """Save all answers so far, so that nothing that follows from them is sent before they are in the store."""
        self.save()
        if self._save_done:
            await asyncio.shield(self._save_done)

    def forget(self) -> None:
        """Forget the saved table, because its game cannot continue."""
        if self._writer:
            self._writer.forget(self.id)

    def save_result(self, outcome: Outcome) -> None:
        """Replace the saved table with its finished game."""
        if self._writer is None or self.recorder is None:
            return
        places = outcome.places()
        scores = {standing.seat: standing.score for standing in outcome.ranking}
        seats = [Seat(seat) for seat in range(len(self.names))]
        game = FinishedGame(
            self.id,
            time.time(),
            self.kind.name,
            self.names,
            tuple(places[seat] for seat in seats),
            tuple(scores.get(seat) for seat in seats),
            self.plan.public,
        )
        # The deal of a guided game is chosen for the player, so that it beats no one on the ladder.
        is_guided = self.plan.first_game
        played = [PlayedSeat(seat.person, None if is_guided else seat.player) for seat in self.plan.seats]
        self._writer.finish(game, self.recorder.text(), played, self.plan.rated)


class ForwardingPlayer(AsyncPlayer):
    """A player that passes every call on to another."""

    def __init__(self, player: AsyncPlayer) -> None:
        self._player = player

    def turn(self, request: Request[Any]) -> AbstractAsyncContextManager[None]:
        return self._player.turn(request)

    async def on_seated(self, assignment: SeatAssignment) -> None:
        await self._player.on_seated(assignment)

    async def answer(self, request: Request[Any], seconds: float | None = None) -> Answer:
        return await self._player.answer(request, seconds)

    async def on_notice(self, notice: Notice) -> None:
        await self._player.on_notice(notice)

    async def on_event(self, event: Event) -> None:
        await self._player.on_event(event)

    async def on_violation(self, violation: Violation) -> None:
        await self._player.on_violation(violation)


class _SavedPlayer(ForwardingPlayer):
    """A player who gets only messages that a restart of the house cannot undo, and answers each request once."""

    def __init__(self, table: Table, player: AsyncPlayer, remote: RemotePlayer | None) -> None:
        super().__init__(player)
        self._table = table
        self._remote = remote

    @contextlib.asynccontextmanager
    async def turn(self, request: Request[Any]) -> AsyncIterator[None]:
        # The time of the store is not the player's.
        await self._table.wait_until_saved()
        async with super().turn(request):
            yield

    async def on_seated(self, assignment: SeatAssignment) -> None:
        await self._table.wait_until_saved()
        await super().on_seated(assignment)

    async def answer(self, request: Request[Any], seconds: float | None = None) -> Answer:
        if (answer := self._table.saved_answer(request)) is not None:
            if self._remote:
                self._table.repeat_request(self._remote, request, seconds)
            return answer
        try:
            answer = await super().answer(request, seconds)
        finally:
            if self._remote and self._remote.steps is not None:
                self._table.note(Note(request.seat, steps=self._remote.steps))
        self._table.note_answer(request, answer)
        return answer

    async def on_notice(self, notice: Notice) -> None:
        await self._table.wait_until_saved()
        await super().on_notice(notice)

    async def on_event(self, event: Event) -> None:
        await self._table.wait_until_saved()
        await super().on_event(event)
