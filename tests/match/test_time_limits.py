"""Time limits: humans have their own, none by default, and the time that each player used is reported."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.running import called
from wateringhole import registry
from wateringhole.game import Seat
from wateringhole.games.evolution import terminal as evolution_human
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.games.evolution.rules.answers import Declaration, Step
from wateringhole.games.evolution.rules.requests import DeclareCards
from wateringhole.games.porrinha import terminal as porrinha_human
from wateringhole.match.loops import play
from wateringhole.match.match import Match, RefereeSettings
from wateringhole.match.series import Entrant, Series
from wateringhole.player import InProcess, Player

EVOLUTION = registry.game_kind("evolution")
COURSE = EVOLUTION.profiles["course"].rules


def every_call_takes(seconds: float) -> Iterator[float]:
    now = 0.0
    while True:
        yield now
        now += seconds


def thrown_out(referee: RefereeSettings, humans: list[Seat], seconds: float) -> list[int]:
    match = Match(EVOLUTION, EVOLUTION.deal(3, COURSE, 1, deck="ascending"), referee=referee, humans=humans)
    ticks = every_call_takes(seconds)
    play(match, [Silly(), Silly(), Silly()], lambda: next(ticks))
    assert match.outcome is not None
    return sorted(thrown.seat for thrown in match.outcome.thrown_out)


@pytest.mark.parametrize(
    ("referee", "humans", "out"),
    [
        (RefereeSettings(time_limit=1), [], [0, 1, 2]),
        (RefereeSettings(time_limit=1), [1], [0, 2]),
        (RefereeSettings(time_limit=3), [1], []),
        (RefereeSettings(human_time_limit=1), [1], [1]),
        (RefereeSettings(time_limit=3, human_time_limit=1), [1], [1]),
        (RefereeSettings(time_limit=1, human_time_limit=3), [1, 2], [0]),
        (RefereeSettings(human_time_limit=1, time_bank=1000), [1], []),
        (RefereeSettings(human_time_per_game=1), [1], [1]),
        (RefereeSettings(human_time_per_game=5), [1], [1]),
        (RefereeSettings(human_time_limit=3, human_time_per_game=5), [1], [1]),
        (RefereeSettings(human_time_limit=1, human_time_per_game=1000), [1], [1]),
        (RefereeSettings(human_time_limit=3, human_time_per_game=1000), [1], []),
    ],
)
def test_humans_have_their_own_time_limit(referee: RefereeSettings, humans: list[int], out: list[int]) -> None:
    assert thrown_out(referee, [Seat(seat) for seat in humans], seconds=2.0) == out


def test_time_per_game_runs_only_while_the_seat_answers() -> None:
    referee = RefereeSettings(human_time_limit=10, human_time_per_game=15)
    match = Match(EVOLUTION, EVOLUTION.deal(3, COURSE, 1, deck="ascending"), referee=referee, humans=[Seat(1)])
    players = [Silly(), Silly(), Silly()]
    allowed: list[float | None] = []
    while len(allowed) < 4:
        for call in match.pending_calls:
            if call.method == "answer" and call.seat == 1:
                allowed.append(call.seconds)
            match.report(call, call.invoke(players[call.seat]), 4.0)
    assert allowed == [10, 10, 7, 3]


def test_only_human_players_are_marked_human() -> None:
    assert not InProcess.is_human
    assert evolution_human.Human.is_human
    assert porrinha_human.Human.is_human


def test_a_series_sets_no_limit_for_humans_and_reports_the_time_of_all_players() -> None:
    class Human(Silly):
        is_human = True

        def answer(self, request: object, seconds: float | None = None) -> object:
            assert seconds is None
            return super().answer(request, seconds)  # type: ignore[arg-type]

    class Program(Silly):
        def answer(self, request: object, seconds: float | None = None) -> object:
            assert seconds == 60
            return super().answer(request, seconds)  # type: ignore[arg-type]

    players: list[Player] = [Program(), Human(), Silly()]
    entrants = [Entrant(name, player) for name, player in zip("abc", players, strict=True)]
    referee = RefereeSettings(time_limit=60)
    (played,) = Series(kind=EVOLUTION, entrants=entrants, rules=COURSE, seeds=[1], referee=referee).play()
    assert played.outcome.thrown_out == ()
    assert len(played.seconds) == 3
    assert all(seconds > 0 for seconds in played.seconds)


def test_an_answer_that_fails_when_examined_throws_out_only_its_player() -> None:
    class Failing(Declaration, frozen=True):
        def steps(self, owned: int) -> list[Step]:
            raise RuntimeError("not to be examined")

    class Culprit(Silly):
        def choose(self, request: DeclareCards) -> Failing:
            return Failing(0)

    match = Match(EVOLUTION, EVOLUTION.deal(3, COURSE, 1, deck="ascending"))
    play(match, [Silly(), Culprit(), Silly()])
    assert match.outcome is not None
    (thrown,) = match.outcome.thrown_out
    assert (thrown.seat, thrown.forfeit.reason) == (1, "illegal")
    assert thrown.forfeit.message


def test_the_table_of_several_games_shows_the_seconds_of_each_player(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "import time\nfrom wateringhole.games.porrinha.bots.random import Random\n"
        "class Mine(Random):\n    def hand(self):\n        time.sleep(0.02)\n        return super().hand()\n"
    )
    ran = called("play", "porrinha", "mine.py:Mine", "random", "--games", "5", "--seed", "1", folder=tmp_path)
    lines = {line.split("│")[1].strip(): line.split("│") for line in ran.stdout.splitlines() if "│" in line}
    column = next(line for line in ran.stdout.splitlines() if "seconds" in line).split("┃").index(" seconds ")
    assert float(lines["Mine"][column]) > 0.2
    assert float(lines["random"][column]) < float(lines["Mine"][column])


@pytest.mark.parametrize("option", ["--time-limit", "--human-time-limit", "--startup-timeout"])
def test_a_time_limit_of_zero_is_a_usage_error(option: str) -> None:
    ran = called("play", "porrinha", "random", "random", option, "0")
    assert ran.returncode == 2
    assert ran.stderr == f"wateringhole: {option} 0: expected a positive number of seconds.\n"
