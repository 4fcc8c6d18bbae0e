"""The referee throws out bad players, and the others play to the end."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from tests.cheats import CHEATS, Cheat
from wateringhole import registry
from wateringhole.game import Event, Outcome, Seat, Violation
from wateringhole.games.evolution import Declaration, DeclareCards, Feeding, FeedNext, Pass
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.games.evolution.rules.events import PlayerForfeited
from wateringhole.match.loops import AsyncPlayer, play, play_async
from wateringhole.match.match import Match, RefereeSettings
from wateringhole.match.record import Recorder, read_record
from wateringhole.match.threads import in_thread
from wateringhole.player import Player

EVOLUTION = registry.game_kind("evolution")
COURSE = EVOLUTION.profiles["course"].rules


class Ticking:
    """A clock that advances by one step each time it is read."""

    def __init__(self, steps: Iterator[float]) -> None:
        self._now = 0.0
        self._steps = steps

    def __call__(self) -> float:
        self._now += next(self._steps)
        return self._now


def match_of(players: Sequence[Player], **options: Any) -> Match:
    setup = EVOLUTION.deal(len(players), COURSE, 1, deck="ascending")
    return Match(EVOLUTION, setup, **options)


def outcome_of(players: Sequence[Player], **options: Any) -> Outcome:
    match = match_of(players, **options)
    play(match, players)
    assert match.outcome is not None
    return match.outcome


@pytest.mark.parametrize("method", ["start", "choose", "feed_next"])
@pytest.mark.parametrize("name", CHEATS)
def test_a_bad_player_is_thrown_out_with_its_reason_and_the_others_continue(name: str, method: str) -> None:
    misbehave, reason, message = CHEATS[name]
    outcome = outcome_of([Silly(), Cheat(method, misbehave, after=1), Silly(), Silly()])
    if method == "start" and reason == "illegal":
        assert outcome.thrown_out == (), "the value that `start` returns is ignored"
        return
    (thrown,) = outcome.thrown_out
    assert thrown.seat == 1
    assert thrown.forfeit.reason == reason
    assert message in thrown.forfeit.message
    assert {standing.seat for standing in outcome.ranking} == {0, 2, 3}
    assert outcome.reason == "the deck is too small for another turn"


def test_a_failure_at_the_start_of_a_turn_throws_out_before_any_declaration() -> None:
    seen: list[int] = []

    class Counting(Silly):
        def choose(self, request: DeclareCards) -> Declaration:
            seen.append(len(request.view.players))
            return super().choose(request)

    outcome_of([Counting(), Silly(), Cheat("start", CHEATS["crashing"][0])])
    assert set(seen) == {2}


def test_a_game_ends_even_if_all_players_fail() -> None:
    outcome = outcome_of([Cheat("choose", CHEATS["crashing"][0]) for _ in range(3)])
    assert outcome.ranking == ()
    assert [thrown.seat for thrown in outcome.thrown_out] == [0, 1, 2]
    assert outcome.places() == {2: 1, 1: 2, 0: 3}


def test_a_failure_after_the_end_costs_nothing() -> None:
    players = [Silly(), Cheat("game_over", CHEATS["crashing"][0]), Silly()]
    assert outcome_of(players) == outcome_of([Silly(), Silly(), Silly()])


def test_a_late_answer_forfeits() -> None:
    slow_at = 13
    reads = iter(range(10_000))
    clock = Ticking(2.0 if next(reads) == slow_at else 0.1 for _ in range(10_000))
    match = match_of([Silly(), Silly(), Silly()], referee=RefereeSettings(time_limit=1))
    play(match, [Silly(), Silly(), Silly()], clock)
    assert match.outcome is not None
    (thrown,) = match.outcome.thrown_out
    assert thrown.forfeit.reason == "late"
    assert thrown.forfeit.message == "the answer took 2.00 s; the referee's patience is 1 s"


def test_an_illegal_answer_gets_a_second_chance_if_the_settings_grant_one() -> None:
    violations: list[Violation] = []

    class Learning(Silly):
        def feed_next(self, request: FeedNext) -> Feeding:
            return super().feed_next(request) if violations else Pass  # type: ignore[return-value]

        def on_violation(self, violation: Violation) -> None:
            violations.append(violation)

    players = [Learning(), Silly(), Silly()]
    outcome = outcome_of(players, referee=RefereeSettings(second_chances=1))
    assert len(violations) == 1
    assert violations[0].rule == "ill-shaped"
    assert outcome == outcome_of([Silly(), Silly(), Silly()])


def test_second_chances_run_out() -> None:
    stubborn = Cheat("choose", CHEATS["answering nothing"][0])
    outcome = outcome_of([Silly(), stubborn, Silly()], referee=RefereeSettings(second_chances=3))
    assert [thrown.seat for thrown in outcome.thrown_out] == [1]


def test_observers_see_every_event_and_players_only_what_their_seat_may_see() -> None:
    class Watching(Silly):
        wants_events = True

        def __init__(self) -> None:
            self.seen: list[Event] = []

        def on_event(self, event: Event) -> None:
            self.seen.append(event)

    watching = Watching()
    everything: list[Event] = []
    players = [Silly(), watching, Cheat("choose", CHEATS["crashing"][0], after=2)]
    match = match_of(players, observers=[everything.append], event_seats=[Seat(1)])
    play(match, players)
    seen_by_seat = [event.seen_by(Seat(1)) for event in everything]
    notices = {"YourTurnStarts", "ResultAnnounced", "YouAreOut"}
    assert watching.seen == [event for event in seen_by_seat if event and type(event).__name__ not in notices]
    assert any(isinstance(event, PlayerForfeited) for event in watching.seen)


def test_a_player_that_fails_at_every_event_is_thrown_out_and_the_game_ends() -> None:
    class FailsAtEvents(Silly):
        wants_events = True

        def on_event(self, event: Event) -> None:
            raise RuntimeError("cannot take events")

    observed: list[Event] = []

    def observe(event: Event) -> None:
        observed.append(event)
        assert len(observed) < 10_000, "the game does not end"

    match = Match(EVOLUTION, EVOLUTION.deal(3, COURSE, 1), observers=[observe], event_seats=[Seat(1)])
    play(match, [Silly(), FailsAtEvents(), Silly()])
    assert match.outcome is not None
    assert [thrown.seat for thrown in match.outcome.thrown_out] == [1]


def test_the_asyncio_loop_plays_the_same_game_as_the_blocking_loop() -> None:
    def players() -> list[Player]:
        return [Silly(), Cheat("feed_next", CHEATS["crashing"][0], after=3), Silly(), Silly()]

    def record(loop: Any) -> bytes:
        setup = EVOLUTION.deal(4, COURSE, 5)
        recorder = Recorder(EVOLUTION, setup, ["a", "b", "c", "d"])
        loop(Match(EVOLUTION, setup, recorder=recorder))
        return recorder.text()

    frozen = lambda: 0.0  # noqa: E731
    blocking = record(lambda match: play(match, players(), frozen))
    waiting = record(lambda match: asyncio.run(play_async(match, [in_thread(p) for p in players()], frozen)))
    assert blocking == waiting
    assert read_record(blocking).header.names == ("a", "b", "c", "d")


def test_the_asyncio_loop_enforces_the_time_limit() -> None:
    class Waiting(AsyncPlayer):
        async def on_seated(self, assignment: Any) -> None: ...

        async def answer(self, request: Any, seconds: float | None = None) -> Any:
            await asyncio.Event().wait()

        async def on_notice(self, notice: Any) -> None: ...

        async def on_event(self, event: Any) -> None: ...

        async def on_violation(self, violation: Any) -> None: ...

    # Only the seat that waits has a time limit, because a busy machine can delay the others.
    referee = RefereeSettings(human_time_limit=0.01)
    match = Match(EVOLUTION, EVOLUTION.deal(3, COURSE, 1), referee=referee, humans=[Seat(1)])
    asyncio.run(play_async(match, [in_thread(Silly()), Waiting(), in_thread(Silly())]))
    assert match.outcome is not None
    assert [(thrown.seat, thrown.forfeit.reason) for thrown in match.outcome.thrown_out] == [(1, "late")]
