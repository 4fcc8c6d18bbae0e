"""The clock of a player starts when the page has shown the moves so far, or 20 seconds later at the latest."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.house.hosting import JsonClient
from tests.house.serving import run, served
from tests.house.virtual_time import run_in_virtual_time
from wateringhole import registry
from wateringhole.game import Answer, Event, Notice, Request, Seat, Violation
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.house.feeds import Feed
from wateringhole.house.from_page import ReportSeen
from wateringhole.house.seats import LONGEST_PLAYBACK, ConnectedPlayer
from wateringhole.house.transports.page import PageTransport
from wateringhole.match.loops import AsyncPlayer, play_async
from wateringhole.match.match import Match, RefereeSettings
from wateringhole.player import SeatAssignment

KIND = registry.game_kind("evolution")
NAMES = ("Ada", "silly 1", "silly 2")


def _page(*, is_paced: bool = True) -> PageTransport:
    page = PageTransport()
    page.is_paced = is_paced
    return page


class _Bot(AsyncPlayer):
    """A bot that is called in the loop itself."""

    def __init__(self) -> None:
        self._bot = Silly()

    async def on_seated(self, assignment: SeatAssignment) -> None:
        self._bot.on_seated(assignment)

    async def answer(self, request: Request[Any], seconds: float | None = None) -> Answer:
        return self._bot.answer(request, seconds)

    async def on_notice(self, notice: Notice) -> None: ...

    async def on_event(self, event: Event) -> None: ...

    async def on_violation(self, violation: Violation) -> None: ...


class _Game:
    """A game of Ada on a page against two bots.  Ada is asked, and never answers."""

    def __init__(self) -> None:
        setup = KIND.deal(3, next(iter(KIND.profiles.values())).rules, 1)
        feed = Feed(KIND, NAMES, Seat(0), setup.rules)
        self.ada = ConnectedPlayer(KIND, NAMES, Seat(0), feed, reconnect_seconds=300)
        referee = RefereeSettings(human_time_limit=60)
        self.match = Match(KIND, setup, NAMES, referee=referee, observers=[feed.deliver], humans=[Seat(0)])
        while (call := self.match.pending_calls[0]).method != "answer":
            self.match.report(call, None)
        assert feed.sent > 0, "there is something to see"

    async def seconds_to_clock(self, *actions: tuple[float, Callable[[], None]]) -> float:
        """Play with actions at these times.  Return the time when Ada's clock has started."""
        loop = asyncio.get_running_loop()
        for seconds, action in actions:
            loop.call_at(seconds, action)
        request = self.match.game.requests[Seat(0)]
        async with self.ada.turn(request):
            return loop.time()

    def seen(self, number: int | None = None) -> Callable[[], None]:
        sent = self.ada.feed.sent if number is None else number
        return lambda: self._receive_seen(sent)

    def _receive_seen(self, number: int) -> None:
        assert self.ada.receive(ReportSeen(number)) is None

    def attach(self, page: PageTransport) -> Callable[[], None]:
        return lambda: self.ada.attach(page, None)


def _clock(
    test: Callable[[_Game], list[tuple[float, Callable[[], None]]]], first: PageTransport | None = None
) -> float:
    async def play() -> float:
        game = _Game()
        game.ada.attach(first or _page(), None)
        return await game.seconds_to_clock(*test(game))

    return run_in_virtual_time(play())


def test_clock_starts_as_soon_as_the_moves_are_seen() -> None:
    assert _clock(lambda game: [(4.0, game.seen())]) == 4
    assert _clock(lambda game: [(4.0, game.seen(0)), (7.0, game.seen())]) == 7


def test_clock_starts_at_the_latest_after_twenty_seconds() -> None:
    assert LONGEST_PLAYBACK == 20
    assert _clock(lambda game: []) == 20
    assert _clock(lambda game: [(4.0, game.seen(0)), (25.0, game.seen())]) == 20


@pytest.mark.parametrize("number", ["1", None, -1, 2.5])
def test_senseless_number_counts_as_not_seen(number: Any) -> None:
    assert _clock(lambda game: [(4.0, game.seen(number))]) == (4 if number is None else 20)


def test_page_without_a_pace_starts_the_clock_at_once() -> None:
    assert _clock(lambda game: [], _page(is_paced=False)) == 0


def test_clock_starts_at_once_if_everything_was_seen_before() -> None:
    async def play() -> float:
        game = _Game()
        game.ada.attach(_page(), None)
        game.seen()()
        return await game.seconds_to_clock()

    assert run_in_virtual_time(play()) == 0


def test_reload_and_a_lost_connection_do_not_restart_or_stop_the_wait() -> None:
    first, second = _page(), _page()

    def reload(game: _Game) -> list[tuple[float, Callable[[], None]]]:
        return [(3.0, lambda: game.ada.detach(first)), (6.0, game.attach(second))]

    assert _clock(lambda game: [*reload(game), (8.0, game.seen())], first) == 8
    assert _clock(reload, first) == 20
    assert _clock(lambda game: [(3.0, lambda: game.ada.detach(first))], first) == 20
    assert _clock(lambda game: [(5.0, game.attach(_page(is_paced=False)))], first) == 5


def test_leaving_ends_the_wait() -> None:
    assert _clock(lambda game: [(5.0, lambda: game.ada.leave("left the table"))]) == 5


@pytest.mark.parametrize(("seen_at", "late_at"), [(5.0, 65.0), (30.0, 80.0)])
def test_time_limit_counts_from_the_start_of_the_clock(seen_at: float, late_at: float) -> None:
    async def play() -> tuple[str, float]:
        game = _Game()
        loop = asyncio.get_running_loop()
        game.ada.attach(_page(), None)
        loop.call_at(seen_at, game.seen())
        await play_async(game.match, [game.ada, _Bot(), _Bot()], loop.time)
        assert game.match.outcome is not None
        (thrown,) = game.match.outcome.thrown_out
        return thrown.forfeit.reason, loop.time()

    assert run_in_virtual_time(play()) == ("late", late_at)


# With a server


def test_everyone_sees_whom_the_game_waits_for_before_the_clock_starts(tmp_path: Path) -> None:
    async def play() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("evolution", "me", "friend", "silly")
            async with table.spectator() as spectator, table.seat(paced=True) as ada:
                await ada.until("table")
                await table.take_seat(None, "Bea")
                for page in (spectator, ada):
                    waiting = await page.until("waiting", watching=[0])
                    assert 0 in waiting["seats"]
                    assert 5 < waiting["clock_in"] <= 20
                assert ada.of_type("request") == []
                await ada.send({"type": "seen", "number": ada.of_type("event")[-1]["number"]})
                assert (await ada.until("request"))["seconds"] > 1700
                waiting = await spectator.until("waiting", watching=[])
                assert 0 in waiting["seats"]
                assert waiting["clock_in"] is None

    run(play())


def test_reloaded_page_still_gets_its_request_after_it_has_seen_the_moves(tmp_path: Path) -> None:
    async def play() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("evolution", "me", "friend", "silly")
            async with table.seat(paced=True) as ada:
                await ada.until("table")
                await table.take_seat(None, "Bea")
                await ada.until("waiting", watching=[0])
            async with table.seat(paced=True) as ada:
                await ada.until("waiting", watching=[0])
                await ada.send({"type": "seen", "number": ada.of_type("event")[-1]["number"]})
                await ada.until("request")

    run(play())


def test_player_who_leaves_while_watching_is_not_waited_for(tmp_path: Path) -> None:
    async def play() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("evolution", "me", "friend", "silly")
            async with table.spectator() as spectator, table.seat(paced=True) as ada:
                await ada.until("table")
                token = await table.take_seat(None, "Bea")
                await spectator.until("waiting", watching=[0])
                await ada.send({"type": "leave"})
                await spectator.until("waiting", watching=[])
                async with table.seat(token) as bea:
                    over = await bea.play()
            assert {line["name"]: line["out"] for line in over["standings"]}["Ada"] == "Left the table."

    run(play(), seconds=5 * LONGEST_PLAYBACK)


def test_no_game_waits_for_a_spectator_or_for_programs_to_see_moves(tmp_path: Path) -> None:
    async def play() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("evolution", "program", "silly", "silly")
            port = int(server.url.rpartition(":")[2])
            async with table.spectator(paced=True) as spectator:
                program = await JsonClient.sign_up(port, "Mine", Silly, code=table.programs[0]["code"])
                await asyncio.gather(program.play(), spectator.until("over"))
                await program.close()
            assert all(message["watching"] == [] for message in spectator.of_type("waiting"))

    run(play(), seconds=5 * LONGEST_PLAYBACK)
