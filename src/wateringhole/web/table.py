"""One table of the page: who may sit where, and the game that is played there.

::

    WAITING ──all seats are taken──► PLAYING ──► OVER
       └────nobody comes any more──► (closed)

A table is its plan and the record of its game so far.  Both are told to a writer as they come,
so that the table can be set up again elsewhere and the game goes on where it was.
"""

from __future__ import annotations

import asyncio
import contextlib
import secrets
import time
from contextlib import AbstractAsyncContextManager
from typing import Any, Literal

import msgspec

from wateringhole import registry
from wateringhole.errors import OperationError, WateringHoleError
from wateringhole.formatting import sentence
from wateringhole.game import Answer, AnyKind, Event, Notice, Outcome, Request, Seat, Violation
from wateringhole.match.loops import AsyncPlayer, play_async
from wateringhole.match.match import Match, RefereeSettings
from wateringhole.match.record import Header, Recorder
from wateringhole.match.specs import parse_specs
from wateringhole.match.threads import PlayerThread, in_thread
from wateringhole.player import Player, PlayerContext, SeatAssignment, player_seed
from wateringhole.process.limits import Isolation
from wateringhole.tournaments.table_store import FinishedGame
from wateringhole.web.feeds import Feed
from wateringhole.web.outcomes import standings_of
from wateringhole.web.page_transport import PageTransport
from wateringhole.web.plans import TablePlan, TableSeat, TokenDigest, clean_name, distinct
from wateringhole.web.restore import restore_match
from wateringhole.web.seats import ConnectedPlayer
from wateringhole.web.table_writer import TableWriter

__all__ = ["Table"]

State = Literal["waiting", "playing", "over"]


class Table:
    """Lives in the loop: all its methods are called from there."""

    def __init__(
        self,
        plan: TablePlan,
        writer: TableWriter,
        *,
        referee: RefereeSettings,
        away_seconds: float,
        id: str | None = None,
        created: float | None = None,
        record: bytes = b"",
    ) -> None:
        """`record`: what was played before; the game goes on from there."""
        self.id = id or secrets.token_hex(8)
        self.created = time.time() if created is None else created
        self.plan = plan
        self.kind: AnyKind = registry.game_kind(plan.game)
        self.rules = msgspec.convert(plan.rules, self.kind.rules)
        self.state: State = "waiting"
        self.turn = 0
        self.idle_since: float | None = asyncio.get_running_loop().time()
        """Since when no page has been open here, by the loop's clock."""
        self.successor: str | None = None
        """The table where those who sit here play again."""
        self.heirs: dict[int, str] = {}
        """By seat: the token at that table of those who asked for it."""
        self._writer = writer
        self._referee = referee
        self._away_seconds = away_seconds
        self._record = record
        self._saved = len(record)
        self._kept_lines = record.count(b"\n")
        self._recorder: Recorder | None = None
        self._transports: dict[PageTransport, int | None] = {}
        """Every page that is open here, and its seat."""
        self._people: dict[int, ConnectedPlayer] = {}
        self._spectator_feed: Feed | None = None
        self._questions: dict[Seat, str] = {}
        self._asked: list[Seat] | None = None
        """Whom the pages know to be asked."""
        self._out: dict[int, str] = {}
        self._over: dict[str, Any] | None = None
        self._fault: str | None = None
        """Why the game broke off, if it did."""
        self._is_open = asyncio.Event()
        """Whether what happens can be watched: not while bots are made, and a game of before is put together again."""
        self._task: asyncio.Task[None] | None = None
        if record:
            self._begin()

    # Who sits here

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(table_seat.name for table_seat in self.plan.seats)

    @property
    def is_full(self) -> bool:
        return all(table_seat.is_taken for table_seat in self.plan.seats)

    @property
    def is_orphaned(self) -> bool:
        """Whether a seat is free that nobody can take: that of whoever set up a private table has no invitation."""
        seats = self.plan.seats
        return not self.plan.public and any(
            not table_seat.is_taken and table_seat.invitation is None for table_seat in seats
        )

    @property
    def has_people(self) -> bool:
        return any(table_seat.kind == "person" for table_seat in self.plan.seats)

    @property
    def spectators(self) -> int:
        return sum(seat is None for seat in self._transports.values())

    def seat_of(self, token: str | None) -> int | None:
        """Whose token this is; None: nobody's.  Every seat is looked at, so that the time tells nothing."""
        held = [table_seat.token is not None and table_seat.token.fits(token) for table_seat in self.plan.seats]
        return held.index(True) if any(held) else None

    def free_seat(self, invitation: str | None) -> int | None:
        """Where somebody may sit down: on the seat of the invitation or, at a public table, on any that is free."""
        seats = self.plan.seats
        invited = [table_seat.invitation is not None and table_seat.invitation.fits(invitation) for table_seat in seats]
        free = [not table_seat.is_taken for table_seat in seats]
        for seat, (is_invited, is_free) in enumerate(zip(invited, free, strict=True)):
            if is_invited:
                return seat if is_free else None
        return free.index(True) if self.plan.public and any(free) and invitation is None else None

    def sit_down(self, seat: int, name: str) -> str:
        """Take a free seat; the token that holds it."""
        token, kept = TokenDigest.new()
        table_seat = self.plan.seats[seat]
        table_seat.token = kept
        table_seat.name = ""
        table_seat.name = distinct(clean_name(name, seat), self.names)
        self._writer.keep(self.id, self.created, self.plan)
        self._changed()
        return token

    def start_if_full(self) -> None:
        """Begin when nobody is missing; a table of bots alone waits for somebody who watches."""
        if self.state == "waiting" and self.is_full and (self.has_people or self._transports):
            self._begin()

    # Pages

    async def wait_until_restored(self) -> None:
        """Wait until a game of before stands where it stood; a page that came sooner would have to start afresh."""
        if self._record:
            await self._is_open.wait()

    def attach(self, transport: PageTransport, token: str | None, heard: int | None) -> None:
        """A page is open: say hello and tell it all it may know."""
        seat = self.seat_of(token)
        feed = self._feed(seat)
        resumed = heard if feed and feed.can_resume(heard) else None
        self._transports[transport] = seat
        self.idle_since = None
        transport.send({"type": "hello", "protocol": 1, "game": self.kind.name, "seat": seat, "resumed": resumed})
        transport.send({"type": "table", "table": self.to_json()})
        if feed is not None:
            person = None if seat is None else self._people.get(seat)
            if person is None:
                feed.catch_up(transport, heard)
            else:
                person.attach(transport, heard)
            transport.send(self._waiting())
            if person is not None:
                person.repeat_question()
        if self._over:
            transport.send(self._over)
        if self._fault:
            transport.bye(self._fault, final=True)
        self._changed(but=transport)
        self.start_if_full()

    def detach(self, transport: PageTransport) -> None:
        """A page was closed."""
        seat = self._transports.pop(transport, None)
        if self._spectator_feed:
            self._spectator_feed.transports.discard(transport)
        if seat is not None and seat in self._people:
            self._people[seat].detach(transport)
        if not self._transports:
            self.idle_since = asyncio.get_running_loop().time()
        self._changed()

    def receive(self, transport: PageTransport, message: dict[str, Any]) -> None:
        """What a page says."""
        seat = self._transports.get(transport)
        if seat is None:
            return
        if message.get("type") == "leave":
            self._leave(seat)
        elif person := self._people.get(seat):
            reply = person.receive(message)
            if reply:
                transport.send(reply)

    def _leave(self, seat: int) -> None:
        if self.state == "waiting":
            table_seat = self.plan.seats[seat]
            table_seat.token, table_seat.name = None, ""
            self._writer.keep(self.id, self.created, self.plan)
            for transport in [transport for transport, its_seat in self._transports.items() if its_seat == seat]:
                transport.bye("You have left the table.", final=True)
                del self._transports[transport]
        elif self.state == "playing" and seat in self._people:
            self._out.setdefault(seat, "left the table")
            self._people[seat].leave()
        self._changed()

    def tell_others(self, seat: int, message: dict[str, Any]) -> None:
        """Tell everybody who plays here but one."""
        for transport, its_seat in self._transports.items():
            if its_seat is not None and its_seat != seat:
                transport.send(message)

    async def stop(self) -> None:
        """Stop playing; what is kept stays kept."""
        if self._task:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def close(self, reason: str) -> None:
        """Stop playing for good, and send everybody away."""
        await self.stop()
        for transport in self._transports:
            transport.bye(reason, final=True)
        self._transports.clear()

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "game": self.kind.name,
            "title": self.kind.display_name,
            "state": self.state,
            "public": self.plan.public,
            "profile": self.plan.profile,
            "seats": [self._seat_to_json(seat, table_seat) for seat, table_seat in enumerate(self.plan.seats)],
            "turn": self.turn,
            "watchers": self.spectators,
            "link": f"/table/{self.id}",
        }

    def _seat_to_json(self, seat: int, table_seat: TableSeat) -> dict[str, Any]:
        person = self._people.get(seat)
        here = table_seat.kind == "bot" or seat in self._transports.values()
        return {
            "seat": seat,
            "name": table_seat.name,
            "kind": table_seat.kind,
            "player": table_seat.player,
            "taken": table_seat.is_taken,
            "here": here,
            "away": None if here or person is None or seat in self._out else person.seconds_to_return,
            "out": self._out.get(seat),
        }

    def _feed(self, seat: int | None) -> Feed | None:
        if self._fault or not self._is_open.is_set():
            return None
        if seat is not None and seat in self._people:
            return self._people[seat].feed
        return self._spectator_feed

    def _feeds(self) -> list[Feed]:
        assert self._spectator_feed is not None, "there are feeds when the game has begun"
        return [self._spectator_feed, *(person.feed for person in self._people.values())]

    def _changed(self, but: PageTransport | None = None) -> None:
        """Somebody came or went, or a turn began."""
        message = {"type": "table", "table": self.to_json()}
        for transport in self._transports:
            if transport is not but:
                transport.send(message)

    # Playing

    def _begin(self) -> None:
        self.state = "playing"
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def _run(self) -> None:
        try:
            await self._play()
        except Exception as error:
            # A mistake of ours, or a record that cannot be gone on with, must not end the other tables.
            self._writer.broke_off(self.id, error)
            self.state = "over"
            known = isinstance(error, WateringHoleError)
            reason = sentence(str(error)) if known else "It was a fault of the server, not of yours."
            self._fault = f"This game broke off. {reason}"
            for transport in self._transports:
                transport.bye(self._fault, final=True)
        finally:
            self._is_open.set()

    async def _play(self) -> None:
        kind, names = self.kind, self.names
        setup = self._setup()
        recorder = self._recorder = Recorder(kind, setup, names)
        self._spectator_feed = Feed(kind, names, None, self.rules)
        for seat, table_seat in enumerate(self.plan.seats):
            if table_seat.kind == "person":
                feed = Feed(kind, names, Seat(seat), self.rules)
                self._people[seat] = ConnectedPlayer(kind, names, Seat(seat), feed, self._away_seconds)
        bots = await self._make_bots()
        try:
            seated: dict[int, AsyncPlayer] = {**self._people, **{seat: in_thread(bot) for seat, bot in bots.items()}}
            players = [_Asked(self, Seat(seat), seated[seat]) for seat in range(len(names))]
            match = Match(
                kind,
                setup,
                names,
                referee=self._referee,
                recorder=recorder,
                observers=[self._observe],
                event_seats=[Seat(seat) for seat, bot in bots.items() if bot.wants_events],
                humans=[Seat(seat) for seat in self._people],
            )
            if self._record:
                await restore_match(match, kind, players, self._record, self.answered)
                self._saved = len(recorder.text())
            self._let_in()
            # People choose at the same time where the game has them asked in turn; bots are quick.
            await play_async(match, players, early=[Seat(seat) for seat in self._people])
        finally:
            for bot in bots.values():
                with contextlib.suppress(Exception):
                    await PlayerThread().call(bot.close)
        assert match.outcome is not None, "a match without calls is over"
        self._finish(match.outcome)

    def _setup(self) -> Any:
        if not self._record:
            setup = self.kind.deal(len(self.names), self.rules, self.plan.seed)
            return self.kind.next_setup(setup, list(enumerate(self.names)), None)
        header = msgspec.json.decode(self._record.splitlines()[0], type=Header)
        if header.rules_version != self.kind.rules_version:
            raise OperationError(f"it was begun under version {header.rules_version} of the rules, which have changed")
        return self.kind.codec.setup_from_json(header.setup)

    async def _make_bots(self) -> dict[int, Player]:
        """By seat.  Some start a process, or learn a lot first; one that cannot be made breaks off the game."""

        def make() -> dict[int, Player]:
            made: dict[int, Player] = {}
            try:
                with PlayerContext(len(self.plan.seats)):
                    for seat, table_seat in enumerate(self.plan.seats):
                        if table_seat.player is not None:
                            (named,) = parse_specs(self.kind.name, [table_seat.player], Isolation(isolates=True))
                            made[seat] = named.make(player_seed(self.plan.seed, seat))
            except BaseException:
                for bot in made.values():
                    bot.close()
                raise
            return made

        return await PlayerThread().call(make)

    def _let_in(self) -> None:
        """The game begins, or goes on: whoever is here already hears it."""
        self._is_open.set()
        for transport, seat in self._transports.items():
            if seat is None:
                assert self._spectator_feed is not None
                self._spectator_feed.catch_up(transport, None)
            else:
                self._people[seat].attach(transport, None)
        self._changed()

    def _observe(self, event: Event) -> None:
        for feed in self._feeds():
            feed.see(event)
        turn = self.kind.turn_of(event)
        thrown = event.thrown_out
        if turn is not None:
            self.turn = turn
        if thrown is not None:
            self._out[thrown.seat] = thrown.forfeit.message
            if person := self._people.get(thrown.seat):
                forfeit = thrown.forfeit
                told = {"type": "thrown_out", "reason": forfeit.reason, "message": sentence(forfeit.message)}
                person.feed.say(told)
        if turn is not None or thrown is not None:
            self._changed()

    def answered(self, request: Request[Any], answer: Answer) -> None:
        """A player has answered; of a bot's answer, which may be illegal, the event tells enough."""
        if request.seat in self._people:
            self._people[request.seat].answers += 1
            for feed in self._feeds():
                feed.answered(request, answer)

    def begin_question(self, seat: Seat, request: Request[Any]) -> None:
        """A player is asked something; what was answered before is safe from now on."""
        self._save()
        self._questions[seat] = request.name
        for feed in self._feeds():
            feed.watch.asked(self._questions)
        asyncio.get_running_loop().call_soon(self._tell_who_is_asked)

    def end_question(self, seat: Seat) -> None:
        self._questions.pop(seat, None)
        asyncio.get_running_loop().call_soon(self._tell_who_is_asked)

    def _tell_who_is_asked(self) -> None:
        if list(self._questions) != self._asked:
            self._asked = list(self._questions)
            message = self._waiting()
            for transport in self._transports:
                transport.send(message)

    def _waiting(self) -> dict[str, Any]:
        """Who is asked; people are told how long they may think, and bots need not be."""
        left = [self._people[seat].seconds_to_think for seat in self._questions if seat in self._people]
        seconds = max((each for each in left if each is not None), default=None)
        return {"type": "waiting", "seats": list(self._questions), "seconds": seconds}

    def _save(self) -> None:
        """Keep the lines that were added to the record since the last time."""
        assert self._recorder is not None
        text = self._recorder.text()[self._saved :]
        if text:
            self._saved += len(text)
            self._writer.add_lines(self.id, self._kept_lines, text)
            self._kept_lines += text.count(b"\n")

    def _finish(self, outcome: Outcome) -> None:
        assert self._recorder is not None
        self.state = "over"
        standings = standings_of(outcome, self.names)
        self._over = {
            "type": "over",
            "outcome": msgspec.to_builtins(outcome),
            "standings": standings,
            "game_id": self.id,
        }
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
        self._writer.finish(game, self._recorder.text())
        for transport in self._transports:
            transport.send(self._over)
        self._changed()


class _Asked(AsyncPlayer):
    """A player of whom the table knows when it is asked."""

    def __init__(self, table: Table, seat: Seat, player: AsyncPlayer) -> None:
        self._table = table
        self._seat = seat
        self._player = player

    def turn(self) -> AbstractAsyncContextManager[None]:
        return self._player.turn()

    async def on_seated(self, assignment: SeatAssignment) -> None:
        await self._player.on_seated(assignment)

    async def answer(self, request: Request[Any], seconds: float | None = None) -> Answer:
        self._table.begin_question(self._seat, request)
        try:
            answer = await self._player.answer(request, seconds)
            self._table.answered(request, answer)
            return answer
        finally:
            self._table.end_question(self._seat)

    async def on_notice(self, notice: Notice) -> None:
        await self._player.on_notice(notice)

    async def on_event(self, event: Event) -> None:
        await self._player.on_event(event)

    async def on_violation(self, violation: Violation) -> None:
        await self._player.on_violation(violation)
