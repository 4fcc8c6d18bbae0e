"""A player that hangs or fails at its start costs little time, and only its own games."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from tests.cli.running import called
from tests.tournaments.tournaments import settings
from wateringhole.match.record import read_record
from wateringhole.process.limits import isolation_for
from wateringhole.tournaments import jobs
from wateringhole.tournaments.results import GameResult
from wateringhole.tournaments.store import Store
from wateringhole.tournaments.tournament import Tournament

HELLO = """read line; echo '{"type": "hello", "protocol": 1}'; read line"""
"""Introduces itself, and exits in its first game."""


@pytest.fixture(autouse=True)
def short_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(jobs, "isolation_for", functools.partial(isolation_for, startup_seconds=1.5))
    monkeypatch.setattr(jobs, "SHORT_START_SECONDS", 0.25)


@pytest.fixture
def file_store(tmp_path: Path) -> Iterator[Store]:
    with closing(Store(tmp_path / "store.sqlite")) as store:
        yield store


def program(folder: Path, text: str) -> str:
    path = folder / "program"
    path.write_text(f"#!/bin/sh\n{text}\n")
    path.chmod(0o755)
    return f"Program=cmd:{path}"


def forfeits(store: Store, tournament: int) -> list[str]:
    """Return the narrated forfeits of the program, the third player, one for each game."""
    found = []
    for result in store.results(tournament):
        assert [reason for reason in result.thrown_out if reason] == ["disconnected"]
        story = read_record(store.record(tournament, result.series, result.game)).narrate()
        found += [line for line in story.splitlines() if "disconnected" in line][:1]
    return found


def test_a_player_that_hangs_at_its_start_costs_the_time_limit_once(file_store: Store, tmp_path: Path) -> None:
    hanging = program(tmp_path, f"echo x >> {tmp_path}/starts; exec sleep 60")
    with pytest.warns(UserWarning, match="no answer came within 1.5 s. It forfeits its games"):
        tournament = Tournament.start(file_store, settings("random", "zero", hanging, games=3, life=1))
    tournament.play()
    found = forfeits(file_store, tournament.number)
    assert len(found) == len((tmp_path / "starts").read_text().split()) - 1 == 3
    assert all("no answer came within 0.25 s" in line for line in found)


def test_a_player_that_hangs_later_costs_the_time_limit_once(file_store: Store, tmp_path: Path) -> None:
    hanging = program(tmp_path, f"test -e {tmp_path}/first && exec sleep 60; touch {tmp_path}/first; {HELLO}")
    tournament = Tournament.start(file_store, settings("random", "zero", hanging, games=3, life=1))
    tournament.play()
    within = ["within 1.5 s" if "within 1.5 s" in line else "within 0.25 s" for line in forfeits(file_store, 1)]
    assert within == ["within 1.5 s"] + ["within 0.25 s"] * 2


def test_a_player_that_starts_again_has_the_whole_time_again(
    file_store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(jobs, "SHORT_START_SECONDS", 2.0)
    # It hangs when it is checked, starts at once in the next series, and needs more than the short time after that.
    recovering = program(
        tmp_path,
        f"echo x >> {tmp_path}/starts; case $(wc -l < {tmp_path}/starts) in 1) exec sleep 60;; 3) sleep 2.5;; esac; "
        f"{HELLO}",
    )
    with pytest.warns(UserWarning, match="It forfeits its games"):
        tournament = Tournament.start(file_store, settings("random", "zero", recovering, games=3, life=1))
    # Time to start even on a busy machine.
    monkeypatch.setattr(jobs, "isolation_for", functools.partial(isolation_for, startup_seconds=60.0))
    tournament.play()
    found = forfeits(file_store, tournament.number)
    assert len(found) == 3
    assert (tmp_path / "starts").read_text() == "x\n" * 4
    assert not [line for line in found if "did not introduce itself" in line]


def test_a_resumed_tournament_continues_without_a_player_that_exits_at_its_start(
    file_store: Store, tmp_path: Path
) -> None:
    players = ("random", "zero", program(tmp_path, HELLO))
    tournament = Tournament.start(file_store, settings(*players, games=12, life=1, withdraw_after=6))

    def stop(results: Sequence[GameResult]) -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        tournament.play(stop)
    program(tmp_path, "exit 3")
    ran = called("tournament", "--resume", "1", "--store", file_store.name, "--json")
    assert ran.returncode == 0, ran.stderr
    assert "player 'Program', the program" in ran.stderr
    assert "did not introduce itself: the program ended with status 3. It forfeits its games." in ran.stderr
    assert "Traceback" not in ran.stderr
    reasons = [reason for result in file_store.results(1) for reason in result.thrown_out if reason]
    assert reasons == ["disconnected"] * 6 + ["withdrawn"] * 6
