"""A tournament records which version of each player played, and notices a player that changed."""

from __future__ import annotations

import contextlib
import json
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import called
from tests.tournaments.tournaments import settings
from wateringhole import __version__
from wateringhole.match.record import read_record
from wateringhole.match.versions import player_versions
from wateringhole.tournaments import ratings
from wateringhole.tournaments.executors import IN_PROCESS, Processes
from wateringhole.tournaments.store import Store
from wateringhole.tournaments.tournament import Tournament
from wateringhole.tournaments.verify import verify

BUILT_IN = f"wateringhole {__version__}"
BOT = "from wateringhole.games.porrinha.bots.zero import Zero\n\nclass Mine(Zero): ...\n"


@pytest.fixture
def bot(tmp_path: Path) -> Path:
    folder = tmp_path / "ada"
    folder.mkdir()
    (folder / "mine.py").write_text(BOT)
    (folder / "weights.bin").write_bytes(b"first weights")
    return folder / "mine.py"


def recorded(store: Store) -> list[dict[str, str | None] | None]:
    """Return the versions by name in the record of each game, or None if it has none."""
    found = []
    for result in store.results(1):
        header = read_record(store.record(1, result.series, result.game)).header
        found.append(dict(zip(header.names, header.versions, strict=True)) if header.versions else None)
    return found


def test_records_name_the_version_of_each_player(store: Store, bot: Path) -> None:
    specs = (f"{bot}:Mine", "random", "counter")
    Tournament.start(store, settings(*specs, games=6), Processes(1)).play()
    (mine, *_) = versions = player_versions("porrinha", specs)
    assert (mine or "").startswith("sha256:")
    expected = {"player 0": mine, "player 1": BUILT_IN, "player 2": BUILT_IN}
    assert recorded(store) == [expected] * 6
    stored = store.tournament(1)
    assert stored.versions == tuple((version,) for version in versions)
    assert verify(store, stored).mismatch is None


def test_records_of_built_in_players_have_no_versions_but_the_store_has(store: Store) -> None:
    Tournament.start(store, settings(games=6), IN_PROCESS).play()
    assert recorded(store) == [None] * 6
    assert store.tournament(1).versions == ((BUILT_IN,),) * 4


def test_a_player_that_changed_is_noticed_and_plays_on(store: Store, bot: Path) -> None:
    def interrupt(results: Any) -> None:
        raise KeyboardInterrupt

    chosen = settings(f"{bot}:Mine", "random", "counter", games=30)
    first = Tournament.start(store, chosen, Processes(1))
    assert first.changed == {}
    with pytest.raises(KeyboardInterrupt):
        first.play(interrupt)
    assert Tournament.resume(store, 1, Processes(1)).changed == {}
    (bot.parent / "weights.bin").write_bytes(b"better weights")
    second = Tournament.resume(store, 1, Processes(1))
    assert second.changed == {0: first.versions[0]}
    second.play()
    old, new = first.versions[0], second.versions[0]
    assert store.tournament(1).versions == ((old, new), (BUILT_IN,), (BUILT_IN,))
    assert {(versions or {})["player 0"] for versions in recorded(store)} == {old, new}
    assert verify(store, store.tournament(1)).mismatch is None


def test_a_version_that_the_store_does_not_list_is_named(store: Store, bot: Path) -> None:
    Tournament.start(store, settings(f"{bot}:Mine", "random", "counter", games=6), Processes(1)).play()
    version = store.tournament(1).versions
    assert version is not None
    with store._writing() as connection:
        edited = json.dumps([["sha256:00"], [BUILT_IN], [BUILT_IN]])
        connection.exec_driver_sql(f"UPDATE tournaments SET versions = '{edited}'")
    expected = f"game 0 of series 0: the record has version {version[0][0]} of player 0, which the store does not list."
    assert str(verify(store, store.tournament(1)).mismatch) == expected


def test_the_commands_show_versions_and_changes(bot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ratings, "standings", partial(ratings.standings, resamples=20))
    path, report = tmp_path / "club.sqlite", tmp_path / "out.html"
    words = ("tournament", "porrinha", f"Ada={bot}:Mine", "random", "--games", "4", "--time-limit", "20")
    ran = called(*words, "--store", path)
    assert ran.returncode == 0
    assert "has changed" not in ran.stderr
    with contextlib.closing(Store(path)) as store:
        (old,) = {(versions or {})["Ada"] or "" for versions in recorded(store)}
    assert old[7:15] in ran.stdout
    (bot.parent / "weights.bin").write_bytes(b"better weights")
    ran = called("tournament", "--resume", "1", "--store", path, "--report", report, "--json")
    assert ran.returncode == 0
    listed = json.loads(ran.stdout)["versions"]
    (first, new), (built_in,) = listed
    assert (first, built_in) == (old, BUILT_IN)
    expected = (
        f"wateringhole: Ada has changed since its earlier games, from version {old[7:15]} to {new[7:15]}. "
        "The record of each game names the version."
    )
    assert expected in ran.stderr
    assert f"{old[7:15]}, {new[7:15]}" in report.read_text()
