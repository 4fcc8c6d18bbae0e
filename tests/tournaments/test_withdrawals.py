"""A player that keeps failing is withdrawn at a point that depends on the schedule alone."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.running import called
from tests.tournaments.report.tournaments import Page
from tests.tournaments.tournaments import failing_bot, outcomes, settings
from wateringhole.digests import digest
from wateringhole.match.record import read_record
from wateringhole.tournaments.executors import IN_PROCESS, Processes, WorkerPool
from wateringhole.tournaments.results import GameResult, PackedGame
from wateringhole.tournaments.schedule import PlannedSeries
from wateringhole.tournaments.settings import Settings
from wateringhole.tournaments.store import Store
from wateringhole.tournaments.tournament import Tournament
from wateringhole.tournaments.withdrawals import ForfeitStreaks, absent_from


def test_only_forfeits_in_a_row_count() -> None:
    streaks = ForfeitStreaks(3)
    games = ["late", "late", None, "late", "illegal", "exception"]
    reached = [streaks.add((0, 1, 2), (None, reason, None)) for reason in games]
    assert reached == [set()] * 5 + [{1}]


def test_a_game_against_withdrawn_players_alone_does_not_count() -> None:
    streaks = ForfeitStreaks(2)
    assert streaks.add((0, 1), ("late", None)) == set()
    assert streaks.add((0, 2), (None, "withdrawn")) == set()
    assert streaks.add((0, 1), ("late", None)) == {0}


def test_a_player_misses_the_series_from_its_withdrawal_on() -> None:
    assert [absent_from(series, (3, 1, 2), {1: 5, 2: 6}) for series in (4, 5, 6)] == [(), (1,), (1, 2)]


# In the store


PLAN = [PlannedSeries(number, (number % 2, 2 + number % 3, 5), 2, 100 + number) for number in range(40)]


def fails(player: int, series: int) -> bool:
    """Return whether a made-up player fails in a series: some always do, others in a row at times."""
    return (player == 0 and series >= 6) or (player == 3 and series % 12 > 3) or (player == 5 and series % 9 > 6)


def made_up(planned: PlannedSeries) -> list[PackedGame]:
    games = []
    for game in range(planned.games):
        entrants = planned.entrants
        reasons = tuple(
            "withdrawn" if player in planned.absent else "late" if fails(player, planned.number) else None
            for player in entrants
        )
        result = GameResult(planned.number, game, entrants, (1, 2, 3), (None,) * 3, reasons, (0.0,) * 3, 4)
        games.append(PackedGame.pack(result, b"a record\n", digest(b"a record\n"), planned.absent))
    return games


def commit_all(stores: Sequence[Store], chance: random.Random | None) -> tuple[list[GameResult], dict[int, int]]:
    """Play a made-up tournament, in the order of the schedule or in a random one, and return what is stored."""
    tournament = stores[0].create(settings(withdraw_after=5))
    stores[0].plan(tournament, PLAN)
    workers = [(store, ForfeitStreaks(5)) for store in stores]
    waiting: list[tuple[Store, ForfeitStreaks, list[PlannedSeries]]] = []
    while stores[0].planned(tournament).has_open:
        if chance is None:
            store, streaks = workers[0]
            waiting.append((store, streaks, store.claim(tournament, 1)))
        else:
            for store, streaks in chance.sample(workers, len(workers)):
                waiting += [(store, streaks, store.claim(tournament, chance.randint(1, 4))) for _ in range(3)]
            chance.shuffle(waiting)
        for _ in range(1 if chance is None else chance.randint(1, len(waiting))):
            store, streaks, claimed = waiting.pop()
            store.commit(tournament, [game for series in claimed for game in made_up(series)], streaks)
    return list(stores[0].results(tournament)), stores[0].withdrawn(tournament)


def test_the_order_in_which_games_finish_does_not_matter(store: Store, other_store: Store) -> None:
    expected, withdrawn = commit_all([store], None)
    assert set(withdrawn) == {0, 3}
    assert len(expected) == 80
    for seed in range(6):
        assert commit_all([store, other_store], random.Random(seed)) == (expected, withdrawn)


def test_games_that_a_withdrawn_player_has_played_meanwhile_do_not_count(store: Store, other_store: Store) -> None:
    tournament = store.create(settings(withdraw_after=4))
    store.plan(tournament, [PlannedSeries(number, (0, 1, 5), 2, 100 + number) for number in range(10)])
    first, second = ForfeitStreaks(4), ForfeitStreaks(4)
    failing, in_flight, finished = (
        store.claim(tournament, 8),
        other_store.claim(tournament, 1),
        store.claim(tournament, 1),
    )
    assert store.commit(tournament, made_up(finished[0]), first)
    assert store.commit(tournament, [game for each in failing for game in made_up(each)], first)
    # Player 0 fails from series 6 on, so it misses the series from 8 on, of which 9 had been finished.
    assert store.withdrawn(tournament) == {0: 8}
    assert [result.series for result in store.results(tournament)][-1] == 7
    assert other_store.commit(tournament, made_up(in_flight[0]), second) == []
    again = other_store.claim(tournament, 10)
    assert [(each.number, each.absent) for each in again] == [(8, (0,)), (9, (0,))]
    assert len(other_store.commit(tournament, [game for each in again for game in made_up(each)], second)) == 4


# In tournaments


def played(chosen: Settings, location: str | Path, pool: WorkerPool = IN_PROCESS) -> list[GameResult]:
    with closing(Store(location)) as store:
        tournament = Tournament.start(store, chosen, pool)
        tournament.play()
        return outcomes(store, tournament.number)


@pytest.mark.parametrize("format", ["round-robin", "swiss", "ladder"])
def test_every_format_withdraws_at_the_same_game_with_several_workers(format: str, tmp_path: Path) -> None:
    players = ("random", failing_bot(tmp_path), "zero", "counter", "a=random")
    chosen = settings(*players, format=format, games=150, life=3, withdraw_after=12)
    alone = played(chosen, tmp_path / "alone.sqlite")
    reasons = [reason for result in alone for reason in result.thrown_out if reason is not None]
    assert reasons.count("exception") >= 12
    assert reasons.count("withdrawn") > 12
    assert played(chosen, tmp_path / "workers.sqlite", Processes(2)) == alone


def test_a_resumed_tournament_neither_starts_nor_checks_a_withdrawn_player(location: str, tmp_path: Path) -> None:
    starts, program = tmp_path / "starts", tmp_path / "program.py"
    program.write_text(f"open({str(starts)!r}, 'a').write('x')\nprint('{{\"type\": \"hello\", \"protocol\": 1}}')\n")
    players = ("random", f"Failing=cmd:python3 {program}", "zero", "counter")
    chosen = settings(*players, games=60, withdraw_after=4)
    with closing(Store(location)) as store:
        tournament = Tournament.start(store, chosen)

        def stop(results: Sequence[GameResult]) -> None:
            if any("withdrawn" in result.thrown_out for result in results):
                raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            tournament.play(stop)
        before = starts.read_text()
        program.write_text("this is not Python")
        Tournament.resume(store, tournament.number).play()
        results = list(store.results(tournament.number))
    assert len(results) == 60
    assert starts.read_text() == before
    assert sum(reason == "disconnected" for result in results for reason in result.thrown_out) in range(4, 7)


def test_an_endless_ladder_stops_when_one_player_is_left(tmp_path: Path) -> None:
    bot = failing_bot(tmp_path).removeprefix("Failing=")
    players = tuple(f"{name}={bot}?seed=1" for name in "abc")
    chosen = settings("zero", *players, format="ladder", games=None, table_size=2, withdraw_after=3)
    results = played(chosen, tmp_path / "store.sqlite")
    assert {reason for result in results for reason in result.thrown_out} == {None, "exception", "withdrawn"}


def test_standings_json_table_and_report_name_the_withdrawn_player(tmp_path: Path) -> None:
    bot = failing_bot(tmp_path)
    report, table, store = tmp_path / "out.html", tmp_path / "out.csv", tmp_path / "store.sqlite"
    words = ("tournament", "porrinha", "random", "zero", f"{bot}?seed=1", "--games", "30", "--withdraw-after", "6")
    ran = called(*words, "--life", "1", "--seed", "1", "--store", store, "--report", report, "--csv", table)
    assert ran.returncode == 0, ran.stderr
    assert "Withdrawn after 6 forfeits in a row: Failing" in ran.stdout
    assert "24 withdrawn" in ran.stdout
    printed = json.loads(called("standings", "1", "--store", store, "--json").stdout)
    assert printed["settings"]["withdraw_after"] == 6
    (line,) = [line for line in printed["standings"]["players"] if line["name"] == "Failing"]
    assert line["thrown_out"] == {"exception": 6, "withdrawn": 24}
    header, *rows = [row.split(",") for row in table.read_text().splitlines()]
    assert [row[header.index("thrown_out_withdrawn")] for row in rows if row[1] == "Failing"] == ["24"]
    texts = Page(report.read_text(encoding="utf-8")).texts
    assert any("Withdrawn after 6 forfeits in a row" in text for text in texts["p"])
    assert "Failing" in texts["bdi"]
    assert called("standings", "1", "--store", store, "--verify").returncode == 0
    with closing(Store(store)) as opened:
        record = read_record(opened.record(1, 9, 0))
    assert "withdrawn: it was withdrawn after 6 forfeits in a row" in record.narrate()


@pytest.mark.parametrize("limit", ["0", None])
def test_no_player_is_withdrawn_after_few_forfeits_or_without_the_rule(limit: str | None, tmp_path: Path) -> None:
    words = ["tournament", "porrinha", "random", "zero", f"{failing_bot(tmp_path)}?seed=1", "--seed", "1", "--json"]
    games = ["--games", "30", "--life", "1", "--withdraw-after", limit] if limit else ["--games", "18"]
    ran = called(*words, *games, "--store", tmp_path / "store.sqlite")
    assert ran.returncode == 0, ran.stderr
    (line,) = [line for line in json.loads(ran.stdout)["standings"]["players"] if line["name"] == "Failing"]
    assert line["thrown_out"] == {"exception": 30 if limit else 18}


def test_a_resumed_tournament_keeps_its_rule(tmp_path: Path) -> None:
    ran = called("tournament", "--resume", "1", "--withdraw-after", "3", "--store", tmp_path / "store.sqlite")
    assert ran.returncode == 2
    assert "--resume ID: omit --withdraw-after" in ran.stderr
