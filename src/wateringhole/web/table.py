"""One table of the page: who may sit where, and the game that is played there.

::

    WAITING ──all chairs are taken──► PLAYING ──► OVER
       └────nobody comes any more──► (closed)

A table is its plan and the record of its game so far.  Both are told to a keeper as they come,
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
from wateringhole.match.match import Match, Policy
from wateringhole.match.record import Header, Recorder
from wateringhole.match.specs import name_players
from wateringhole.match.threads import OwnThread, in_thread
from wateringhole.player import Place, Player, player_seed, seating
from wateringhole.process.limits import Isolation
from wateringhole.tournaments.table_store import FinishedGame
from wateringhole.web.channel import Channel
from wateringhole.web.keeper import Keeper
from wateringhole.web.line import Line
from wateringhole.web.outcomes import standings_of
from wateringhole.web.person import Person
from wateringhole.web.plan import Chair, Plan, Secret, clean_name, distinct
from wateringhole.web.resuming import catch_up

__all__ = ["Table"]

State = Literal["waiting", "playing", "over"]


class Table:
    """Lives in the loop: all its methods are called from there."""

    def __init__(
        self,
        plan: Plan,
        keeper: Keeper,
        *,
        policy: Policy,
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
        self._keeper = keeper
        self._policy = policy
        self._away_seconds = away_seconds
        self._record = record
        self._saved = len(record)
        self._kept_lines = record.count(b"\n")
        self._recorder: Recorder | None = None
        self._lines: dict[Line, int | None] = {}
        """Every page that is open here, and its seat."""
        self._people: dict[int, Person] = {}
        self._gallery: Channel | None = None
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
        return tuple(chair.name for chair in self.plan.chairs)

    @property
    def is_full(self) -> bool:
        return all(chair.is_taken for chair in self.plan.chairs)

    @property
    def is_orphaned(self) -> bool:
        """Whether a chair is free that nobody can take: that of whoever set up a private table has no invitation."""
        chairs = self.plan.chairs
        return not self.plan.public and any(not chair.is_taken and chair.invitation is None for chair in chairs)

    @property
    def has_people(self) -> bool:
        return any(chair.kind == "person" for chair in self.plan.chairs)

    @property
    def watchers(self) -> int:
        return sum(seat is None for seat in self._lines.values())

    def seat_of(self, token: str | None) -> int | None:
        """Whose token this is; None: nobody's.  Every chair is looked at, so that the time tells nothing."""
        held = [chair.token is not None and chair.token.fits(token) for chair in self.plan.chairs]
        return held.index(True) if any(held) else None

    def free_seat(self, invitation: str | None) -> int | None:
        """Where somebody may sit down: on the chair of the invitation or, at a public table, on any that is free."""
        chairs = self.plan.chairs
        invited = [chair.invitation is not None and chair.invitation.fits(invitation) for chair in chairs]
        free = [not chair.is_taken for chair in chairs]
        for seat, (is_invited, is_free) in enumerate(zip(invited, free, strict=True)):
            if is_invited:
                return seat if is_free else None
        return free.index(True) if self.plan.public and any(free) and invitation is None else None

    def sit_down(self, seat: int, name: str) -> str:
        """Take a free chair; the token that holds it."""
        token, kept = Secret.new()
        chair = self.plan.chairs[seat]
        chair.token = kept
        chair.name = ""
        chair.name = distinct(clean_name(name, seat), self.names)
        self._keeper.keep(self.id, self.created, self.plan)
        self._changed()
        return token

    def start_if_full(self) -> None:
        """Begin when nobody is missing; a table of bots alone waits for somebody who watches."""
        if self.state == "waiting" and self.is_full and (self.has_people or self._lines):
            self._begin()

    # Pages

    async def put_together(self) -> None:
        """Wait until a game of before stands where it stood; a page that came sooner would have to start afresh."""
        if self._record:
            await self._is_open.wait()

    def come(self, line: Line, token: str | None, heard: int | None) -> None:
        """A page is open: say hello and tell it all it may know."""
        seat = self.seat_of(token)
        channel = self._channel(seat)
        resumed = heard if channel and channel.can_resume(heard) else None
        self._lines[line] = seat
        self.idle_since = None
        line.send({"type": "hello", "protocol": 1, "game": self.kind.name, "seat": seat, "resumed": resumed})
        line.send({"type": "table", "table": self.to_json()})
        if channel is not None:
            person = None if seat is None else self._people.get(seat)
            if person is None:
                channel.catch_up(line, heard)
            else:
                person.come(line, heard)
            line.send(self._waiting())
            if person is not None:
                person.repeat_question()
        if self._over:
            line.send(self._over)
        if self._fault:
            line.bye(self._fault, final=True)
        self._changed(but=line)
        self.start_if_full()

    def go(self, line: Line) -> None:
        """A page was closed."""
        seat = self._lines.pop(line, None)
        if self._gallery:
            self._gallery.lines.discard(line)
        if seat is not None and seat in self._people:
            self._people[seat].go(line)
        if not self._lines:
            self.idle_since = asyncio.get_running_loop().time()
        self._changed()

    def hear(self, line: Line, message: dict[str, Any]) -> None:
        """What a page says."""
        seat = self._lines.get(line)
        if seat is None:
            return
        if message.get("type") == "leave":
            self._leave(seat)
        elif person := self._people.get(seat):
            reply = person.hear(message)
            if reply:
                line.send(reply)

    def _leave(self, seat: int) -> None:
        if self.state == "waiting":
            chair = self.plan.chairs[seat]
            chair.token, chair.name = None, ""
            self._keeper.keep(self.id, self.created, self.plan)
            for line in [line for line, its_seat in self._lines.items() if its_seat == seat]:
                line.bye("You have left the table.", final=True)
                del self._lines[line]
        elif self.state == "playing" and seat in self._people:
            self._out.setdefault(seat, "left the table")
            self._people[seat].leave()
        self._changed()

    def tell_others(self, seat: int, message: dict[str, Any]) -> None:
        """Tell everybody who plays here but one."""
        for line, its_seat in self._lines.items():
            if its_seat is not None and its_seat != seat:
                line.send(message)

    async def stop(self) -> None:
        """Stop playing; what is kept stays kept."""
        if self._task:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def close(self, reason: str) -> None:
        """Stop playing for good, and send everybody away."""
        await self.stop()
        for line in self._lines:
            line.bye(reason, final=True)
        self._lines.clear()

    def to_json(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "game": self.kind.name,
            "title": self.kind.display_name,
            "state": self.state,
            "public": self.plan.public,
            "profile": self.plan.profile,
            "seats": [self._chair_to_json(seat, chair) for seat, chair in enumerate(self.plan.chairs)],
            "turn": self.turn,
            "watchers": self.watchers,
            "link": f"/table/{self.id}",
        }

    def _chair_to_json(self, seat: int, chair: Chair) -> dict[str, Any]:
        person = self._people.get(seat)
        here = chair.kind == "bot" or seat in self._lines.values()
        return {
            "seat": seat,
            "name": chair.name,
            "kind": chair.kind,
            "player": chair.player,
            "taken": chair.is_taken,
            "here": here,
            "away": None if here or person is None or seat in self._out else person.seconds_to_return,
            "out": self._out.get(seat),
        }

    def _channel(self, seat: int | None) -> Channel | None:
        if self._fault or not self._is_open.is_set():
            return None
        if seat is not None and seat in self._people:
            return self._people[seat].channel
        return self._gallery

    def _channels(self) -> list[Channel]:
        assert self._gallery is not None, "there are channels when the game has begun"
        return [self._gallery, *(person.channel for person in self._people.values())]

    def _changed(self, but: Line | None = None) -> None:
        """Somebody came or went, or a turn began."""
        message = {"type": "table", "table": self.to_json()}
        for line in self._lines:
            if line is not but:
                line.send(message)

    # Playing

    def _begin(self) -> None:
        self.state = "playing"
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def _run(self) -> None:
        try:
            await self._play()
        except Exception as error:
            # A mistake of ours, or a record that cannot be gone on with, must not end the other tables.
            self._keeper.broke_off(self.id, error)
            self.state = "over"
            known = isinstance(error, WateringHoleError)
            reason = sentence(str(error)) if known else "It was a fault of the server, not of yours."
            self._fault = f"This game broke off. {reason}"
            for line in self._lines:
                line.bye(self._fault, final=True)
        finally:
            self._is_open.set()

    async def _play(self) -> None:
        kind, names = self.kind, self.names
        setup = self._setup()
        recorder = self._recorder = Recorder(kind, setup, names)
        self._gallery = Channel(kind, names, None, self.rules)
        for seat, chair in enumerate(self.plan.chairs):
            if chair.kind == "person":
                channel = Channel(kind, names, Seat(seat), self.rules)
                self._people[seat] = Person(kind, names, Seat(seat), channel, self._away_seconds)
        bots = await self._make_bots()
        try:
            seated: dict[int, AsyncPlayer] = {**self._people, **{seat: in_thread(bot) for seat, bot in bots.items()}}
            players = [_Asked(self, Seat(seat), seated[seat]) for seat in range(len(names))]
            match = Match(
                kind,
                setup,
                names,
                policy=self._policy,
                recorder=recorder,
                observers=[self._observe],
                spectators=[Seat(seat) for seat, bot in bots.items() if bot.sees_events],
                people=[Seat(seat) for seat in self._people],
            )
            if self._record:
                await catch_up(match, kind, players, self._record, self.answered)
                self._saved = len(recorder.text())
            self._let_in()
            # People choose at the same time where the game has them asked in turn; bots are quick.
            await play_async(match, players, early=[Seat(seat) for seat in self._people])
        finally:
            for bot in bots.values():
                with contextlib.suppress(Exception):
                    await OwnThread().call(bot.close)
        assert match.outcome is not None, "a match without errands is over"
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
                with seating(len(self.plan.chairs)):
                    for seat, chair in enumerate(self.plan.chairs):
                        if chair.player is not None:
                            (named,) = name_players(self.kind.name, [chair.player], Isolation(isolates=True))
                            made[seat] = named.make(player_seed(self.plan.seed, seat))
            except BaseException:
                for bot in made.values():
                    bot.close()
                raise
            return made

        return await OwnThread().call(make)

    def _let_in(self) -> None:
        """The game begins, or goes on: whoever is here already hears it."""
        self._is_open.set()
        for line, seat in self._lines.items():
            if seat is None:
                assert self._gallery is not None
                self._gallery.catch_up(line, None)
            else:
                self._people[seat].come(line, None)
        self._changed()

    def _observe(self, event: Event) -> None:
        for channel in self._channels():
            channel.see(event)
        turn = self.kind.turn_of(event)
        thrown = event.thrown_out
        if turn is not None:
            self.turn = turn
        if thrown is not None:
            self._out[thrown.seat] = thrown.forfeit.message
            if person := self._people.get(thrown.seat):
                forfeit = thrown.forfeit
                told = {"type": "thrown_out", "reason": forfeit.reason, "message": sentence(forfeit.message)}
                person.channel.say(told)
        if turn is not None or thrown is not None:
            self._changed()

    def answered(self, request: Request[Any], answer: Answer) -> None:
        """A player has answered; of a bot's answer, which may be illegal, the event tells enough."""
        if request.seat in self._people:
            self._people[request.seat].answers += 1
            for channel in self._channels():
                channel.answered(request, answer)

    def begin_question(self, seat: Seat, request: Request[Any]) -> None:
        """A player is asked something; what was answered before is safe from now on."""
        self._save()
        self._questions[seat] = request.name
        for channel in self._channels():
            channel.watch.asked(self._questions)
        asyncio.get_running_loop().call_soon(self._tell_who_is_asked)

    def end_question(self, seat: Seat) -> None:
        self._questions.pop(seat, None)
        asyncio.get_running_loop().call_soon(self._tell_who_is_asked)

    def _tell_who_is_asked(self) -> None:
        if list(self._questions) != self._asked:
            self._asked = list(self._questions)
            message = self._waiting()
            for line in self._lines:
                line.send(message)

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
            self._keeper.add_lines(self.id, self._kept_lines, text)
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
        self._keeper.finish(game, self._recorder.text())
        for line in self._lines:
            line.send(self._over)
        self._changed()


class _Asked(AsyncPlayer):
    """A player of whom the table knows when it is asked."""

    def __init__(self, table: Table, seat: Seat, player: AsyncPlayer) -> None:
        self._table = table
        self._seat = seat
        self._player = player

    def turn(self) -> AbstractAsyncContextManager[None]:
        return self._player.turn()

    async def take_seat(self, place: Place) -> None:
        await self._player.take_seat(place)

    async def answer(self, request: Request[Any], seconds: float | None = None) -> Answer:
        self._table.begin_question(self._seat, request)
        try:
            answer = await self._player.answer(request, seconds)
            self._table.answered(request, answer)
            return answer
        finally:
            self._table.end_question(self._seat)

    async def notice(self, notice: Notice) -> None:
        await self._player.notice(notice)

    async def see(self, event: Event) -> None:
        await self._player.see(event)

    async def refused(self, violation: Violation) -> None:
        await self._player.refused(violation)
