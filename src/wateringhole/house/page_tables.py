"""A table in the lobby, with the pages of its players and spectators.

::

    WAITING ──all seats are taken──► PLAYING ──► OVER
       └─────all pages stay closed──► (closed)
"""

from __future__ import annotations

import asyncio
import contextlib
import math
import traceback
from collections.abc import AsyncIterator, Collection, Iterable, Sequence
from typing import Any, Literal, cast

import msgspec

from wateringhole import registry
from wateringhole.errors import OperationError, WateringHoleError
from wateringhole.formatting import sentence
from wateringhole.game import Answer, Event, Forfeit, Outcome, Request, Seat
from wateringhole.house.coaching import SeatCoach
from wateringhole.house.emotes import Emote, EmoteLimits
from wateringhole.house.feeds import Feed
from wateringhole.house.from_page import (
    AgreeToCoach,
    AskForHint,
    AskForSeat,
    AskForWarning,
    ConsultGame,
    LeaveTable,
    PageMessage,
    PrepareCoach,
    ReportSeen,
    SendAnswer,
    SendEmote,
)
from wateringhole.house.imagination import Imagination
from wateringhole.house.local import BotGroup
from wateringhole.house.names import clean_name, distinct, skeleton
from wateringhole.house.page import bot_infos, chosen_rules, manifest_of, standings_of
from wateringhole.house.page_messages import (
    EmoteMessage,
    HelloMessage,
    OverMessage,
    RefusedMessage,
    RematchMessage,
    SeatInfo,
    SeatMessage,
    SeatRequestMessage,
    TableInfo,
    TableMessage,
    ThrownOutMessage,
    TournamentLink,
    WaitingMessage,
)
from wateringhole.house.people import Person
from wateringhole.house.plans import TableBan, TablePlan, TableSeat, TokenDigest
from wateringhole.house.remote import JsonPlayer, RemotePlayer
from wateringhole.house.resume import Note
from wateringhole.house.seat_requests import SeatRequest, SeatRequests
from wateringhole.house.seats import ConnectedPlayer
from wateringhole.house.settings import TableSettings
from wateringhole.house.tables import ForwardingPlayer, SeatedPlayer, Table
from wateringhole.house.transports.lines import Lines
from wateringhole.house.transports.page import PageTransport
from wateringhole.house.writer import TableWriter
from wateringhole.match.loops import AsyncPlayer
from wateringhole.match.match import PlayerCall
from wateringhole.match.specs import PlayerSpec, parse_specs
from wateringhole.match.threads import PlayerThread
from wateringhole.player import Player, PlayerContext, player_seed
from wateringhole.process.limits import Isolation

__all__ = ["PageTable"]

State = Literal["waiting", "playing", "over"]

ARRIVAL_SECONDS = 10.0
"""Seconds that a human who has taken a seat has to open the page of the table."""


class PageTable(Table):
    """A table that pages show.  Call its methods from the event loop only."""

    def __init__(
        self,
        plan: TablePlan,
        writer: TableWriter | None,
        *,
        isolation: Isolation,
        imagination: Imagination,
        **more: Any,
    ) -> None:
        """Restore the game if there is a record.

        `isolation` is for bots, `imagination` for the coaches, and `more` are arguments of `Table`.
        """
        super().__init__(registry.game_kind(plan.game), plan, writer, **more)
        self.state: State = "waiting"
        self.turn = 0
        self.idle_since: float | None = asyncio.get_running_loop().time()
        """When the last page or remote player has gone, by the loop's clock, or None while one is here."""
        self.absent_since: float | None = self.idle_since
        """When the last player has gone, or the last spectator of a table of bots; None while one is here."""
        self.successor: str | None = None
        """The table of the rematch."""
        self.successor_tokens: dict[int, str] = {}
        """Tokens for the table of the rematch, by seat."""
        self._isolation = isolation
        self._imagination = imagination
        self._coaches: dict[int, SeatCoach] = {}
        """The coaches of the humans, once the game has begun, if the table has coaches."""
        self._coaching: set[asyncio.Task[None]] = set()
        self._chosen = chosen_rules(self.kind, plan.rules)
        self._manifest = manifest_of(self.kind)
        self._transports: dict[PageTransport, int | None] = {}
        """Every open page, and its seat."""
        self._humans: dict[int, ConnectedPlayer] = {}
        """The humans on the page, once the game has begun."""
        self._addresses: dict[int, str] = {}
        """The addresses of the players, by seat, as far as they are known."""
        self._arrivals: dict[int, float] = {}
        """When humans on the page took their seats, by the key of the seat and the loop's clock."""
        self._here: list[bool] = []
        """Which players were at their seats when the pages were last informed."""
        self._spectator_feed: Feed | None = None
        self._open_requests: dict[Seat, str] = {}
        self._announced: tuple[list[Seat], ...] | None = None
        """The seats that the pages show as asked, as watching the moves, and as having a clock that runs."""
        self._thrown_out: dict[int, str] = {}
        self._informed: set[int] = set()
        """The seats whose pages were informed that the player was thrown out."""
        self._emote_limits = EmoteLimits()
        self.seat_requests = SeatRequests()
        """Spectators who have asked for a seat before the game."""
        self._over: OverMessage | None = None
        self._failure: str | None = None
        """Reason why the game failed, if it did."""
        self._task: asyncio.Task[None] | None = None
        self._is_stopped = False
        if len({table_seat.key for table_seat in plan.seats}) < len(plan.seats):
            for key, table_seat in enumerate(plan.seats):  # a table of an earlier version
                table_seat.key = key
        if self._record:
            self._begin()

    # Seats

    @property
    def is_full(self) -> bool:
        return all(table_seat.is_taken for table_seat in self.plan.seats)

    @property
    def cannot_fill(self) -> bool:
        """True if no one can take a free seat: the owner's seat at a private table has no invitation."""
        seats = self.plan.seats
        return not self.plan.public and any(not each.is_taken and each.invitation is None for each in seats)

    @property
    def has_guests(self) -> bool:
        """True if not all seats are for bots of the house."""
        return any(table_seat.kind != "bot" for table_seat in self.plan.seats)

    @property
    def open_requests(self) -> Collection[int]:
        """The seats that are asked."""
        return self._open_requests.keys()

    @property
    def spectators(self) -> int:
        return sum(seat is None for seat in self._transports.values())

    def seat_of(self, token: str | None) -> int | None:
        """Return the seat of a human on the page with this token, or None.  A remote player's token opens no page.

        Every seat is checked, so that the time reveals nothing.
        """
        held = [each.token is not None and each.token.matches(token) and each.is_on_page for each in self.plan.seats]
        return held.index(True) if any(held) else None

    def invited_seat(self, invitation: str) -> int | None:
        """Return the seat of an invitation, or None.  Every seat is checked, so that the time reveals nothing."""
        invited = [each.invitation is not None and each.invitation.matches(invitation) for each in self.plan.seats]
        return invited.index(True) if any(invited) else None

    def free_seat(self, invitation: str | None) -> int | None:
        """Return the seat of the invitation if it is free or, at a public table, any free seat.

        Only its code opens a seat that is reserved for a program.
        """
        if self.state != "waiting":
            return None
        if invitation is not None:
            seat = self.invited_seat(invitation)
            return None if seat is None or self.plan.seats[seat].is_taken else seat
        free = [not each.is_taken and each.kind == "person" for each in self.plan.seats]
        return free.index(True) if self.plan.public and any(free) else None

    def take_seat(self, seat: int, name: str, address: str, person: Person | None = None) -> str:
        """Take a free seat for a human on the page, and return its token.  A person has their own name."""
        token, digest = TokenDigest.new()
        self.plan.seats[seat].token = digest
        if person is not None:
            self.plan.seats[seat].person, name = person.id, person.name
        self._arrivals[self.plan.seats[seat].key] = asyncio.get_running_loop().time()
        self._take(seat, name, address)
        return token

    def seat_of_person(self, person: Person) -> int | None:
        """Return the seat of a person who sits here, or None."""
        held = [each.is_on_page and each.person == person.id for each in self.plan.seats]
        return held.index(True) if any(held) else None

    def reclaim_seat(self, seat: int) -> str:
        """Return a new token for the seat of a person, who continues on another device.  The old token ends."""
        token, digest = TokenDigest.new()
        table_seat = self.plan.seats[seat]
        if self.plan.owner == table_seat.token:
            self.plan.owner = digest
        table_seat.token = digest
        self.save_plan()
        return token

    def forget_person(self, person: Person) -> None:
        """Let a deleted person play on as a player without one."""
        for table_seat in self.plan.seats:
            if table_seat.person == person.id:
                table_seat.person = None
                self.save_plan()

    def seat_remote(self, seat: int, player: RemotePlayer, address: str) -> None:
        """Seat a remote player, who has signed up, at a free seat."""
        player.save_to(self.plan.seats[seat])
        self.remotes[seat] = player
        self._take(seat, player.name, address)

    def _take(self, seat: int, name: str, address: str) -> None:
        self._addresses[seat] = address
        table_seat = self.plan.seats[seat]
        table_seat.name = ""
        table_seat.name = distinct(clean_name(name, f"Player {seat + 1}"), self.names)
        self.save_and_show()

    def _free(self, seat: int) -> None:
        self.plan.seats[seat].free()
        self.remotes.pop(seat, None)
        self._addresses.pop(seat, None)
        self.save_and_show()

    def begin(self) -> None:
        """Begin the game of a table whose seats are all taken."""
        self._begin()

    def start_if_full(self) -> None:
        """Begin if all seats are taken.  A table of bots only also waits for a spectator."""
        if self.state == "waiting" and self.is_full and (self.has_guests or self._transports):
            self._begin()

    # The waiting room (`room`)

    def check_host(self, token: str, what: str) -> None:
        """Raise OperationError unless the game has not begun and the token is that of the table's host."""
        if not self.is_owner(token):
            raise OperationError(f"Only the player who opened this table can {what}.")
        if self.state != "waiting":
            raise OperationError("The game at this table has already begun.")

    def is_here(self, seat: int) -> bool:
        """Return whether a player is at a seat: a bot, or one who is connected or has just arrived."""
        table_seat = self.plan.seats[seat]
        if table_seat.kind == "bot":
            return True
        if remote := self.remotes.get(seat):
            return remote.is_connected
        arrived = self._arrivals.get(table_seat.key, -math.inf)
        is_arriving = asyncio.get_running_loop().time() - arrived < ARRIVAL_SECONDS
        return seat in self._transports.values() or (table_seat.is_taken and is_arriving)

    def _seats_here(self) -> list[bool]:
        return [self.is_here(seat) for seat in range(len(self.plan.seats))]

    def replace_seat(self, seat: int, new: TableSeat) -> list[RemotePlayer]:
        """Give a seat to another occupant.  Return the remote players who have lost it."""
        self.dismiss_pages(seat, "Your seat was given to another player.")
        self._addresses.pop(seat, None)
        new.key = self.plan.seats[seat].key
        self.plan.seats[seat] = new
        return [self.remotes.pop(seat)] if seat in self.remotes else []

    def arrange(self, order: Sequence[int]) -> list[RemotePlayer]:
        """Put the seats into the order of their old numbers, and remove the others.

        Return the remote players of the removed seats.
        """
        removed = [seat for seat in range(len(self.plan.seats)) if seat not in order]
        for seat in removed:
            self.dismiss_pages(seat, "Your seat was removed.")
        gone = [self.remotes[seat] for seat in removed if seat in self.remotes]
        moved = {old: new for new, old in enumerate(order)}
        self.plan.seats = [self.plan.seats[old] for old in order]
        self.remotes = {moved[old]: remote for old, remote in self.remotes.items() if old in moved}
        self._addresses = {moved[old]: address for old, address in self._addresses.items() if old in moved}
        for transport, old in self._transports.items():
            if old is not None and moved[old] != old:
                self._transports[transport] = moved[old]
                transport.send(SeatMessage(moved[old]))
        self.save_and_show()
        return gone

    def save_plan(self) -> None:
        """Save a new or changed table.  One whose game is over is no longer saved."""
        if self.state != "over":
            super().save_plan()

    def save_and_show(self) -> None:
        """Save the changed plan, and show it to the pages."""
        self.save_plan()
        self._changed()

    # Removed and banned players

    def is_owner(self, token: str | None) -> bool:
        """Return whether a token is that of the player who opened the table."""
        return self.plan.owner is not None and self.plan.owner.matches(token)

    def guests(self) -> dict[int, tuple[str, str]]:
        """Return the name and address of each player who is not a bot of the house and is not thrown out."""
        return {
            seat: (table_seat.name, self._addresses.get(seat, "?"))
            for seat, table_seat in enumerate(self.plan.seats)
            if table_seat.is_taken and table_seat.kind != "bot" and seat not in self._thrown_out
        }

    def bans(self, name: str, address: str) -> bool:
        """Return whether the owner has banned a player with this name, or with the name it would get here."""
        cleaned = clean_name(name, "")
        names = {skeleton(cleaned), skeleton(distinct(cleaned, self.names))}
        return any(ban.name in names or ban.address == address for ban in self.plan.bans)

    def ban(self, seat: int, owner_address: str) -> None:
        """Ban the player at a seat from this table, with its address unless another player has the same."""
        guests = self.guests()
        name, address = guests.pop(seat)
        shared = {owner_address, "?", *(other for _, other in guests.values())}
        self.plan.bans.append(TableBan(skeleton(name), None if address in shared else address))
        self.save_plan()

    async def remove(self, seat: int, reason: str) -> str | None:
        """Remove a player: free the seat before the game, or let the player forfeit.

        Return the new invitation of a free seat if it had one, because the removed player knows the old one.
        """
        invitation = None
        remote = self.remotes.get(seat)
        self._log(f"{self.names[seat]!r} was {reason} at table {self.id}")
        if self.state == "waiting":
            if self.plan.seats[seat].invitation is not None:
                invitation, self.plan.seats[seat].invitation = TokenDigest.new()
            self._free(seat)
            self.dismiss_pages(seat, f"You were {reason}.")
        elif self.state == "playing":
            self.note(Note(Seat(seat), removed=reason))
            await self.wait_until_saved()
            self._forfeit(seat, reason)
        if remote is not None:
            await remote.disconnect(reason)
        return invitation

    def _forfeit(self, seat: int, reason: str) -> None:
        """Show at once that a player has left the game.  The referee throws the player out at the next call."""
        if seat in self._thrown_out:
            return
        self._thrown_out[seat] = reason
        if human := self._humans.get(seat):
            human.leave(reason)
            self._send_thrown_out(seat, Forfeit("left", reason))
        self._changed()

    def _send_thrown_out(self, seat: int, forfeit: Forfeit) -> None:
        """Inform a human on the page, once."""
        human = self._humans.get(seat)
        if human is not None and human.feed.transports and seat not in self._informed:
            self._informed.add(seat)
            human.feed.send(ThrownOutMessage(forfeit.reason, sentence(forfeit.message)))

    def dismiss_pages(self, seat: int, reason: str) -> None:
        """Disconnect the pages of a seat."""
        for transport in [transport for transport, other_seat in self._transports.items() if other_seat == seat]:
            transport.bye(reason, final=True)
            self.detach(transport)

    # Remote players

    def remote_of(self, digest: TokenDigest) -> JsonPlayer | None:
        """Return the remote player with a token, or None if there is none who may reconnect."""
        for seat, table_seat in enumerate(self.plan.seats):
            remote = self.remotes.get(seat)
            if table_seat.token == digest and isinstance(remote, JsonPlayer):
                return None if remote.is_lost and self.state != "over" else remote
        return None

    async def reconnect(self, remote: JsonPlayer, lines: Lines, token: str, heard: int | None) -> None:
        """Let a remote player continue over another connection.  Raises ConnectionEnded if that one fails, too."""
        await self.wait_until_restored()
        await remote.reconnect(lines, token, heard)
        self._addresses.update((seat, lines.address) for seat, other in self.remotes.items() if other is remote)
        self._changed()

    def check_remotes(self) -> None:
        """Show which players are at their seats, and free seats whose remote players left before the game."""
        if self.state == "waiting":
            for seat in [seat for seat, remote in self.remotes.items() if remote.is_lost]:
                self._log(f"{self.names[seat]!r} has lost the seat at table {self.id}")
                self._free(seat)
        self._update_idle()
        if self._seats_here() != self._here:
            self._changed()

    # Pages

    def attach(self, transport: PageTransport, token: str | None, heard: int | None) -> None:
        """Attach a page: send a hello and everything that it may know."""
        seat = self.seat_of(token)
        feed = self._feed(seat)
        resumed = heard if feed and feed.can_resume(heard) else None
        self._transports[transport] = seat
        if seat is not None:
            self._addresses[seat] = transport.address
        self._update_idle()
        transport.send(HelloMessage(1, self.kind.name, seat, resumed))
        transport.send(TableMessage(self.info()))
        if feed is not None:
            human = None if seat is None else self._humans.get(seat)
            if human is None:
                feed.catch_up(transport, heard)
            else:
                human.attach(transport, heard)
            transport.send(self._waiting_message())
            if human is not None:
                human.repeat_request()
        if self._over:
            transport.send(self._over)
        if self._failure:
            transport.bye(self._failure, final=True)
        self._changed(except_for=transport)
        self.start_if_full()

    def detach(self, transport: PageTransport) -> None:
        """Detach a page that was closed."""
        seat = self._transports.pop(transport, None)
        self.seat_requests.discard(transport)
        if self._spectator_feed:
            self._spectator_feed.transports.discard(transport)
        human = None if seat is None else self._humans.get(seat)
        if human is not None:
            human.detach(transport)
        has_left = transport.is_closed or (human is not None and human.has_left)
        if seat is not None and not has_left and not self._is_stopped:
            self._log(f"{self.names[seat]!r} has disconnected from {transport.address}")
        self._update_idle()
        self._changed()

    def _update_idle(self) -> None:
        """Note when the last one has gone: pages, those of spectators too, and remote players."""
        has_remotes = any(remote.is_connected for remote in self.remotes.values())
        has_players = has_remotes or any(seat is not None for seat in self._transports.values())
        is_used = has_remotes or bool(self._transports)
        self.idle_since = _since(self.idle_since, is_used)
        self.absent_since = _since(self.absent_since, has_players if self.has_guests else is_used)

    def receive(self, transport: PageTransport, message: PageMessage | ConsultGame) -> None:
        """Handle a message from a page.  A spectator can only ask for a seat, and a player cannot."""
        seat = self._transports.get(transport)
        if seat is None:
            if isinstance(message, AskForSeat):
                self._ask_for_seat(transport, message.name)
            return
        match message:
            case LeaveTable():
                self._leave(seat)
            case AgreeToCoach(coach):
                self._agree(seat, coach)
            case SendEmote(emote):
                self._send_emote(seat, emote)
            case PrepareCoach() | AskForHint() | AskForWarning():
                self._ask_coach(transport, seat, message)
            case ReportSeen() | SendAnswer() | ConsultGame():
                human = self._humans.get(seat)
                reply = human.receive(message) if human else None
                if reply:
                    transport.send(reply)

    # The coach

    @property
    def has_coach(self) -> bool:
        """True if the humans at this table may ask a coach: one who plays alone, or several who all agreed."""
        guests = [each for each in self.plan.seats if each.kind != "bot"]
        agreed = len(guests) == 1 or all(each.wants_coach for each in guests)
        return self.kind.coach is not None and not self.plan.rated and agreed

    def _agree(self, seat: int, agrees: bool) -> None:
        """Take in whether a human wants a game with a coach for all, which is possible until the game starts."""
        if self.state == "waiting":
            self.plan.seats[seat].wants_coach = agrees
            self.save_and_show()

    def _ask_coach(
        self, transport: PageTransport, seat: int, message: PrepareCoach | AskForHint | AskForWarning
    ) -> None:
        coach, human = self._coaches.get(seat), self._humans.get(seat)
        request = human.open_request(message.id) if human else None
        if coach is None or request is None:
            return

        async def reply() -> None:
            try:
                async for each in coach.replies(message, request):
                    transport.send(each)
            except ValueError as error:
                transport.send(RefusedMessage("unreadable", sentence(str(error))))

        task = asyncio.get_running_loop().create_task(reply())
        self._coaching.add(task)
        task.add_done_callback(self._coaching.discard)

    async def _stop_coaching(self) -> None:
        for task in list(self._coaching):
            task.cancel()
        await asyncio.gather(*self._coaching, return_exceptions=True)

    def _leave(self, seat: int) -> None:
        if self.state == "waiting":
            self._log(f"{self.names[seat]!r} has left table {self.id}")
            self._free(seat)
            self.dismiss_pages(seat, "You have left the table.")
        elif self.state == "playing" and seat in self._humans:
            self._log(f"{self.names[seat]!r} has left table {self.id}")
            self.note(Note(Seat(seat), removed="left the table"))
            self.save()
            self._forfeit(seat, "left the table")

    def _ask_for_seat(self, transport: PageTransport, name: Any) -> None:
        """Show the host that a spectator asks for a seat."""
        is_banned = isinstance(name, str) and self.bans(name, transport.address)
        is_added = self.state == "waiting" and not is_banned and self.seat_requests.add(transport, name)
        transport.send(SeatRequestMessage("waiting" if is_added else "declined"))
        self._changed()

    def seat_to_give(self) -> int | None:
        """Return the seat for a spectator who has asked for one: a free one, or that of the last bot."""
        seats = self.plan.seats
        free = [seat for seat, each in enumerate(seats) if each.kind == "person" and not each.is_taken]
        bots = [seat for seat, each in enumerate(seats) if each.kind == "bot"]
        return next(iter([*free, *reversed(bots)]), None)

    def accept_seat_request(self, request: SeatRequest, seat: int) -> None:
        """Give a spectator a seat, in place of a bot if there is one."""
        if self.plan.seats[seat].kind == "bot":
            self.replace_seat(seat, TableSeat("person", ""))
        self.seat_requests.accept(request, self.take_seat(seat, request.name, request.transport.address))
        self._changed()

    def decline_seat_request(self, request: SeatRequest) -> None:
        self.seat_requests.decline(request)
        self._changed()

    def _send_emote(self, seat: int, emote: Emote) -> None:
        """Show an emote of a player on all pages, unless the player has left or sends too many."""
        now = asyncio.get_running_loop().time()
        is_allowed = self.state != "waiting" and seat not in self._thrown_out
        if is_allowed and self._emote_limits.allows(seat, now):
            for transport in self._transports:
                transport.send(EmoteMessage(seat, emote))

    def notify_others(self, seat: int, message: RematchMessage) -> None:
        """Send a message to all players except one."""
        for transport, other_seat in self._transports.items():
            if other_seat is not None and other_seat != seat:
                transport.send(message)

    async def stop(self) -> None:
        """Stop the game.  The table stays saved."""
        self._is_stopped = True
        await self._stop_coaching()
        if self._task:
            self._task.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._task

    async def close(self, reason: str) -> None:
        """Stop the game and disconnect all pages and remote players."""
        await self.stop()
        await self._disconnect_remotes(reason)
        for transport in self._transports:
            transport.bye(reason, final=True)
        self._transports.clear()

    async def _disconnect_remotes(self, reason: str) -> None:
        await asyncio.gather(*(remote.disconnect(reason) for remote in self.remotes.values()))

    def to_json(self) -> dict[str, Any]:
        info: dict[str, Any] = msgspec.to_builtins(self.info())
        return info

    def info(self) -> TableInfo:
        """Return the table as every page sees it."""
        game = self.plan.tournament
        return TableInfo(
            id=self.id,
            game=self.kind.name,
            title=self.kind.display_name,
            state=self.state,
            public=self.plan.public,
            settings=TableSettings.of(self.plan),
            profile=self.plan.profile,
            chosen=self._chosen,
            text=self._manifest.text,
            pictures=self._manifest.pictures,
            seats=[self._seat_info(seat, table_seat) for seat, table_seat in enumerate(self.plan.seats)],
            turn=self.turn,
            asked=[*self.open_requests],
            watchers=self.spectators,
            reconnect_seconds=self.reconnect_seconds,
            seat_requests=self.seat_requests.info(),
            link=f"/table/{self.id}",
            coach=self.has_coach,
            first_game=self.plan.first_game,
            tournament=None if game is None else TournamentLink(game.title, f"/tournaments/{game.tournament}"),
        )

    def _seat_info(self, seat: int, table_seat: TableSeat) -> SeatInfo:
        remote = self.remotes.get(seat)
        guest = remote or self._humans.get(seat)
        here = self.is_here(seat)
        return SeatInfo(
            seat=seat,
            key=table_seat.key,
            name=table_seat.name,
            kind=table_seat.kind,
            player=table_seat.player,
            bot=None if table_seat.player is None else bot_infos(self.kind.name).get(table_seat.player),
            taken=table_seat.is_taken,
            here=here,
            remote=remote is not None,
            away=None if here or guest is None or seat in self._thrown_out else guest.seconds_to_reconnect,
            out=self._thrown_out.get(seat),
            wants_coach=table_seat.wants_coach,
        )

    def _feed(self, seat: int | None) -> Feed | None:
        if self._failure or not self._is_restored.is_set():
            return None
        if seat is not None and seat in self._humans:
            return self._humans[seat].feed
        return self._spectator_feed

    def _feeds(self) -> list[Feed]:
        assert self._spectator_feed is not None, "feeds exist once the game has begun"
        return [self._spectator_feed, *(human.feed for human in self._humans.values())]

    def _changed(self, except_for: PageTransport | None = None) -> None:
        """Send the table to its pages after a change."""
        self._here = self._seats_here()
        message = TableMessage(self.info())
        for transport in self._transports:
            if transport is not except_for:
                transport.send(message)

    # Playing

    def _begin(self) -> None:
        self.state = "playing"
        self.seat_requests.decline_all()
        self._task = asyncio.get_running_loop().create_task(self._run())

    async def _run(self) -> None:
        try:
            await self._play()
        except Exception as error:
            # A bug of the server, or a record that cannot be continued, must not end the other tables.
            self._log(f"table {self.id} failed: {''.join(traceback.format_exception(error))}")
            self.forget()
            self.state = "over"
            known = isinstance(error, WateringHoleError)
            reason = sentence(str(error)) if known else "It was an error of the server, not yours."
            self._failure = f"This game was stopped by an error. {reason}"
            for transport in self._transports:
                transport.bye(self._failure, final=True)
            await self._disconnect_remotes("the game was stopped by an error")
        finally:
            self._is_restored.set()

    async def _play(self) -> None:
        plan = self.plan
        self._referee = msgspec.structs.replace(
            self._referee,
            human_time_limit=plan.time_limit or self._referee.human_time_limit,
            human_time_per_game=plan.time_per_game,
        )
        kind, setup = self.kind, self.deal()
        self._spectator_feed = Feed(kind, self.names, None, setup.rules, self.commitment)
        for seat, table_seat in enumerate(self.plan.seats):
            if table_seat.is_on_page:
                feed = Feed(kind, self.names, Seat(seat), setup.rules, self.commitment)
                self._humans[seat] = ConnectedPlayer(
                    kind, self.names, Seat(seat), feed, self.reconnect_seconds, self.update_waiting
                )
        if self.has_coach:
            self._coaches = {
                seat: SeatCoach(kind, setup.rules, self.names, Seat(seat), self._imagination) for seat in self._humans
            }
        bots = await self._make_bots()
        groups = {seat: BotGroup(spec, bot) for seat, (spec, bot) in bots.items()}
        seated = {
            **{seat: SeatedPlayer(human, False, True) for seat, human in self._humans.items()},
            **{seat: SeatedPlayer(each, each.wants_events, each.is_human) for seat, each in self.remotes.items()},
            **{
                seat: SeatedPlayer(bot.player, bot.wants_events, bot.is_human)
                for seat, group in groups.items()
                for bot in group.bots()
            },
            **self._absent_players(),
        }
        players = [seated[seat] for seat in range(len(seated))]
        try:
            # Humans decide at the same time even if the game asks in turn; bots are fast.
            match = await self.play(players, [self._observe], early=[Seat(seat) for seat in self._humans])
        finally:
            await asyncio.gather(*(group.close() for group in groups.values()))
        outcome = cast(Outcome, match.outcome)
        nonce = self.commitment.nonce if self.commitment else None
        self._finish(outcome, nonce)
        await asyncio.gather(*(remote.send_result(outcome, nonce) for remote in self.remotes.values()))
        await self._disconnect_remotes("the game is over")

    def _absent_players(self) -> dict[int, SeatedPlayer]:
        """Return the players, by seat, who stand in for others that do not play."""
        return {}

    def _wrapped(self, seat: int, player: AsyncPlayer) -> AsyncPlayer:
        return _WatchedPlayer(self, super()._wrapped(seat, player))

    async def _make_bots(self) -> dict[int, tuple[PlayerSpec, Player]]:
        """Return the bots by seat.  Some start a process or train first.  If one cannot be made, the game fails."""

        def make() -> dict[int, tuple[PlayerSpec, Player]]:
            made: dict[int, tuple[PlayerSpec, Player]] = {}
            try:
                with PlayerContext(len(self.plan.seats)):
                    for seat, table_seat in enumerate(self.plan.seats):
                        if table_seat.player is not None:
                            (named,) = parse_specs(self.kind.name, [table_seat.player], self._isolation)
                            made[seat] = named, named.make(player_seed(self.plan.players_seed, seat))
            except BaseException:
                for _, bot in made.values():
                    bot.close()
                raise
            return made

        return await PlayerThread().call(make)

    async def _open(self) -> None:
        """Attach the waiting pages when the game begins or continues."""
        await super()._open()
        for removed, reason in (self.saved_game.removed if self.saved_game else {}).items():
            self._forfeit(removed, reason)
            if removed in self.remotes:
                await self.remotes[removed].disconnect(reason)
        for transport, seat in self._transports.items():
            if seat is None:
                assert self._spectator_feed is not None
                self._spectator_feed.catch_up(transport, None)
            else:
                self._humans[seat].attach(transport, None)
        self._changed()

    def _observe(self, event: Event) -> None:
        for feed in self._feeds():
            feed.deliver(event)
        for coach in self._coaches.values():
            coach.see(event)
        turn = self.kind.turn_of(event)
        thrown = event.thrown_out
        if turn is not None:
            self.turn = turn
        if thrown is not None:
            if self._is_restored.is_set():
                self._log(f"{self.names[thrown.seat]!r} was thrown out at table {self.id}: {thrown.forfeit.message}")
            self._thrown_out[thrown.seat] = thrown.forfeit.message
            self._send_thrown_out(thrown.seat, thrown.forfeit)
        if turn is not None or thrown is not None:
            self._changed()

    def answered(self, request: Request[Any], answer: Answer) -> None:
        """Show that a human has answered.  A bot's answer may be illegal, so only its events are shown."""
        if request.seat in self._humans:
            self._humans[request.seat].answers += 1
            for feed in self._feeds():
                feed.answered(request, answer)

    def _repeat(self, call: PlayerCall, answer: Answer | Forfeit) -> None:
        """Take in a recorded answer, when a saved game is restored."""
        super()._repeat(call, answer)
        if not isinstance(answer, Forfeit):
            self.answered(cast(Request[Any], call.argument), answer)

    def begin_request(self, request: Request[Any]) -> None:
        """Save all earlier answers, and show which seat is asked."""
        self.save()
        self._open_requests[request.seat] = request.name
        for feed in self._feeds():
            feed.asked(self._open_requests)
        self.update_waiting()

    def end_request(self, request: Request[Any]) -> None:
        self._open_requests.pop(request.seat, None)
        self.update_waiting()

    def update_waiting(self) -> None:
        """Send the pages whom the game waits for, after all changes of this moment."""
        asyncio.get_running_loop().call_soon(self._send_waiting)

    def _send_waiting(self) -> None:
        timed = [seat for seat in self._asked_humans if self._humans[seat].seconds_to_answer is not None]
        shown = list(self._open_requests), self._watching, timed
        if shown != self._announced:
            self._announced = shown
            message = self._waiting_message()
            for transport in self._transports:
                transport.send(message)

    @property
    def _asked_humans(self) -> list[Seat]:
        return [seat for seat in self._open_requests if seat in self._humans]

    @property
    def _watching(self) -> list[Seat]:
        """The asked seats whose clocks do not run yet, because the players still watch the moves."""
        return [seat for seat in self._asked_humans if self._humans[seat].seconds_to_clock is not None]

    def _waiting_message(self) -> WaitingMessage:
        """Return the message with the asked seats, and the longest times of humans: to answer, and to their clocks."""
        humans = [self._humans[seat] for seat in self._asked_humans]
        return WaitingMessage(
            seats=[*self.open_requests],
            seconds=_longest(human.seconds_to_answer for human in humans),
            watching=[*self._watching],
            clock_in=_longest(human.seconds_to_clock for human in humans),
        )

    def _finish(self, outcome: Outcome, nonce: str | None) -> None:
        self.state = "over"
        self._over = OverMessage(
            outcome=msgspec.to_builtins(outcome),
            standings=standings_of(outcome, self.names),
            game_id=self.id,
            nonce=msgspec.UNSET if nonce is None else nonce,
        )
        self.save_result(outcome)
        for transport in self._transports:
            transport.send(self._over)
        self._changed()


class _WatchedPlayer(ForwardingPlayer):
    """A player that reports to the table when it is asked."""

    def __init__(self, table: PageTable, player: AsyncPlayer) -> None:
        super().__init__(player)
        self._table = table

    @contextlib.asynccontextmanager
    async def turn(self, request: Request[Any]) -> AsyncIterator[None]:
        self._table.begin_request(request)
        try:
            async with super().turn(request):
                yield
        finally:
            self._table.end_request(request)

    async def answer(self, request: Request[Any], seconds: float | None = None) -> Answer:
        self._table.update_waiting()
        answer = await super().answer(request, seconds)
        self._table.answered(request, answer)
        return answer


def _since(before: float | None, is_here: bool) -> float | None:
    """Return when the last one has gone, by the loop's clock, or None if one is here."""
    if is_here:
        return None
    return asyncio.get_running_loop().time() if before is None else before


def _longest(seconds: Iterable[float | None]) -> float | None:
    return max((each for each in seconds if each is not None), default=None)
