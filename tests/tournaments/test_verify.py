"""A stored tournament that was edited is found out, and the first mismatch is named."""

from __future__ import annotations

import contextlib
import json
import re
import shutil
import sqlite3
import zlib
from functools import partial
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import called
from tests.pinned import golden, stores
from tests.tournaments.tournaments import settings
from wateringhole.digests import digest
from wateringhole.match.record import read_record
from wateringhole.tournaments import ratings
from wateringhole.tournaments import verify as verify_module
from wateringhole.tournaments.executors import IN_PROCESS, Processes
from wateringhole.tournaments.store import Store
from wateringhole.tournaments.tournament import Tournament
from wateringhole.tournaments.verify import Verification, verify

EVOLUTION = ("silly", "greedy", "silly", "random")
NAMES = ("Ada", "Bea", "Cid", "Dot")


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A finished tournament of 18 games in six series."""
    path = tmp_path_factory.mktemp("played") / "club.sqlite"
    with contextlib.closing(Store(path)) as store:
        chosen = settings(*EVOLUTION, game="evolution", games=18, life=3, names=NAMES)
        Tournament.start(store, chosen, IN_PROCESS).play()
    return path


@pytest.fixture
def path(played: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(played, tmp_path))


def verified(location: str | Path, number: int = 1) -> Verification:
    with contextlib.closing(Store(location)) as store:
        return verify(store, store.tournament(number))


def mismatch(location: str | Path) -> str:
    return str(verified(location).mismatch)


def edit(path: Path, statement: str, *values: Any) -> None:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        changed = connection.execute(statement, values).rowcount
        connection.commit()
    assert changed, "the attack changes something"


def value(path: Path, query: str, *values: Any) -> Any:
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return connection.execute(query, values).fetchone()[0]


def record_of(path: Path, series: int, game: int) -> bytes:
    return zlib.decompress(value(path, "SELECT record FROM games WHERE series = ? AND game = ?", series, game))


def test_a_tournament_that_nobody_edited_is_verified(path: Path) -> None:
    found = verified(path)
    assert found.mismatch is None
    assert found.sums.games == found.chain.games == 18
    with contextlib.closing(Store(path)) as store:
        assert found.chain.head == store.tournament(1).head


@pytest.mark.parametrize(
    ("game", "players", "format", "games"),
    [
        ("evolution", EVOLUTION, "gauntlet", 9),
        ("evolution", EVOLUTION, "swiss", 12),
        ("porrinha", ("random", "zero", "counter", "random"), "round-robin", 18),
        ("porrinha", ("random", "zero", "counter", "random"), "ladder", 18),
        ("porrinha", ("random", "zero", "counter"), "swiss", 12),
    ],
)
def test_every_format_is_verified(game: str, players: tuple[str, ...], format: str, games: int, tmp_path: Path) -> None:
    with contextlib.closing(Store(tmp_path / "club.sqlite")) as store:
        chosen = settings(*players, game=game, format=format, games=games)
        Tournament.start(store, chosen, IN_PROCESS).play()
    found = verified(tmp_path / "club.sqlite")
    assert found.mismatch is None
    assert found.sums.games >= games


@pytest.mark.parametrize("format", ["round-robin", "swiss", "ladder"])
def test_an_unfinished_tournament_is_verified_as_far_as_it_is_played(format: str, tmp_path: Path) -> None:
    def interrupt(results: Any) -> None:
        raise KeyboardInterrupt

    with contextlib.closing(Store(tmp_path / "club.sqlite")) as store:
        started = Tournament.start(store, settings(format=format, games=30), IN_PROCESS)
        assert verify(store, store.tournament(1)).mismatch is None
        for _ in range(2):
            with pytest.raises(KeyboardInterrupt):
                started.play(interrupt)
        found = verify(store, store.tournament(1))
    assert found.mismatch is None
    assert 0 < found.sums.games < 30


@pytest.mark.parametrize("number", [1, 2])
def test_a_store_of_an_earlier_version_is_verified(number: int, tmp_path: Path) -> None:
    path = stores.restore(golden.read("stores/tournaments.sql"), tmp_path / "old.sqlite")
    found = verified(path, number)
    assert found.mismatch is None
    assert found.sums.games > 0


def test_many_games_are_verified_on_all_cores(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with contextlib.closing(Store(tmp_path / "club.sqlite")) as store:
        Tournament.start(store, settings(games=60), IN_PROCESS).play()
        monkeypatch.setattr(verify_module, "GAMES_IN_PROCESS", 0)
        monkeypatch.setattr(verify_module, "GAMES_PER_JOB", 7)
        seen: list[int] = []
        found = verify(store, store.tournament(1), seen.append)
    assert found.mismatch is None
    assert sum(seen) == found.sums.games == 60
    edit(tmp_path / "club.sqlite", "UPDATE games SET turns = turns + 1 WHERE series > 3")
    assert mismatch(tmp_path / "club.sqlite").startswith("game 0 of series 4: the stored turns are ")


RESULTS = [
    (
        "scores",
        "scores = json_set(scores, '$[1]', 1002)",
        r"the stored scores are \d+, 1002, \d+, but the record ",
    ),
    ("places", "places = '[1, 1, 1]'", "the stored places are 1, 1, 1, but the record leads to "),
    ("time", "seconds = json_set(seconds, '$[2]', seconds ->> '$[2]' - 0.001)", "the stored seconds are "),
    ("turns", "turns = turns - 1", "the stored turns are "),
    ("highlights", "highlights = highlights + 1", "the stored highlights are "),
    ("forfeit", """thrown_out = '["late", null, null]'""", "the stored forfeits are late, none, none, but "),
    ("repaired", "repaired_answers = '[0, 3, 0]'", "the stored repaired answers are 0, 3, 0, but "),
]


@pytest.mark.parametrize(("change", "why"), [row[1:] for row in RESULTS], ids=[row[0] for row in RESULTS])
def test_an_edited_result_is_named(change: str, why: str, path: Path) -> None:
    edit(path, f"UPDATE games SET {change} WHERE series = 2 AND game = 1")
    assert re.match(f"game 1 of series 2: {why}", mismatch(path))


def test_a_swapped_name_in_a_result_is_named(path: Path) -> None:
    before = json.loads(value(path, "SELECT entrants FROM games WHERE series = 1 AND game = 0"))
    edit(path, "UPDATE games SET entrants = ? WHERE series = 1 AND game = 0", json.dumps(before[::-1]))
    names = [", ".join(NAMES[entrant] for entrant in order) for order in (before[::-1], before)]
    expected = f"the stored players are {names[0]}, but the record leads to {names[1]}."
    assert mismatch(path) == f"game 0 of series 1: {expected}"


def test_swapped_names_in_the_settings_are_named(path: Path) -> None:
    edit(
        path,
        """UPDATE tournaments SET settings = json_set(settings, '$.names', json('["Bea", "Ada", "Cid", "Dot"]'))""",
    )
    assert re.match(r"game 0 of series 0: the record names the players .*, not .*\.$", mismatch(path))


def test_a_missing_game_is_named(path: Path) -> None:
    edit(path, "DELETE FROM games WHERE series = 3 AND game = 2")
    assert mismatch(path) == "game 2 of series 3: the game is missing."


def test_an_additional_game_is_named(path: Path) -> None:
    columns = "tournament, series, {}, entrants, places, scores, thrown_out, seconds, turns, record"
    names, values = columns.format("game"), columns.format("3")
    edit(path, f"INSERT INTO games ({names}) SELECT {values} FROM games WHERE series = 1 AND game = 0")
    assert mismatch(path).startswith("game 3 of series 1: the game is additional")


def test_a_game_without_a_series_is_named(path: Path) -> None:
    columns = "tournament, {}, game, entrants, places, scores, thrown_out, seconds, turns, record"
    names, values = columns.format("series"), columns.format("7")
    edit(path, f"INSERT INTO games ({names}) SELECT {values} FROM games WHERE series = 1 AND game = 2")
    assert mismatch(path) == "game 2 of series 7: the game is additional: there is no such series."


def test_a_missing_series_is_named(path: Path) -> None:
    for table, column in (("games", "series"), ("series", "number")):
        edit(path, f"DELETE FROM {table} WHERE {column} = 3")
    assert mismatch(path) == "series 3: the series is missing."


def test_an_additional_series_is_named(path: Path) -> None:
    edit(path, "INSERT INTO series SELECT tournament, 6, entrants, games, seed, NULL, NULL, NULL FROM series LIMIT 1")
    assert mismatch(path) == "series 6: the series is additional: the settings do not lead to it."


@pytest.mark.parametrize(("change", "name"), [("seed = seed + 1", "deals"), ("entrants = '[3, 2, 1]'", "entrants")])
def test_an_edited_plan_is_named(change: str, name: str, path: Path) -> None:
    edit(path, f"UPDATE series SET {change} WHERE number = 2")
    assert mismatch(path).startswith(f"series 2: the stored plan has {name} ")


@pytest.mark.parametrize(
    ("change", "why"),
    [
        ("'$.seed', 8", "series 0: the stored plan has "),
        ("'$.games', 9", r"series \d: "),
        ("'$.table_size', 40", "the settings lead to no plan: "),
        ("'$.rules.foul', 1", "game 0 of series 0: "),
        ('\'$.players\', json(\'["silly", "silly", "silly", "random"]\')', "the stored head is "),
        ("'$.patience_seconds', 3.5", "the stored head is "),
    ],
)
def test_edited_settings_are_named(change: str, why: str, path: Path) -> None:
    edit(path, f"UPDATE tournaments SET settings = json_set(settings, {change})")
    assert re.match(why, mismatch(path))


def test_exchanged_records_are_named(path: Path) -> None:
    packed = [value(path, "SELECT record FROM games WHERE series = ? AND game = 0", series) for series in (0, 1)]
    for series, record in enumerate(reversed(packed)):
        edit(path, "UPDATE games SET record = ? WHERE series = ? AND game = 0", record, series)
    assert re.match(r"game 0 of series 0: the record (names the players|starts from another deal)", mismatch(path))


def slow_down(path: Path, *, hides_it: bool) -> None:
    """Change the time of an answer in a record and the digest in its last line.

    With `hides_it`, also change everything in the row of the game that follows from the record.
    """
    *lines, last = record_of(path, 2, 1).splitlines(keepends=True)
    lines[1] = re.sub(rb'"ms":[0-9.]+', b'"ms":900.0', lines[1])
    text = b"".join(lines)
    text += re.sub(rb"sha256:[0-9a-f]+", digest(text).encode(), last, count=1)
    edit(path, "UPDATE games SET record = ? WHERE series = 2 AND game = 1", zlib.compress(text))
    if hides_it:
        seconds = json.dumps(read_record(text).seconds())
        edit(path, "UPDATE games SET digest = ?, seconds = ? WHERE series = 2 AND game = 1", digest(text), seconds)


def test_an_edited_record_is_named(path: Path) -> None:
    edited = zlib.compress(record_of(path, 2, 1).replace(b'"ms":', b'"ms":1', 1))
    edit(path, "UPDATE games SET record = ? WHERE series = 2 AND game = 1", edited)
    assert re.match(r"game 1 of series 2: line \d+: the digest does not fit", mismatch(path))


def test_a_changed_time_in_a_record_with_a_new_digest_is_named(path: Path) -> None:
    slow_down(path, hides_it=False)
    assert mismatch(path).startswith("game 1 of series 2: the stored seconds are ")


def test_a_record_that_was_replaced_with_all_that_follows_changes_the_head(path: Path) -> None:
    before = value(path, "SELECT head FROM tournaments")
    slow_down(path, hides_it=True)
    found = verified(path)
    assert str(found.mismatch) == (
        f"the stored head is {before}, but the settings and the records lead to {found.chain.head}."
    )
    # If the head in the store is replaced as well, only the published head reveals it.
    edit(path, "UPDATE tournaments SET head = ?", found.chain.head)
    assert verified(path).mismatch is None
    assert found.chain.head != before


def test_a_record_that_cannot_be_unpacked_is_named(path: Path) -> None:
    edit(path, "UPDATE games SET record = substr(record, 5) WHERE series = 2 AND game = 1")
    assert mismatch(path).startswith("game 1 of series 2: the record cannot be unpacked")


FAILING = """
from wateringhole.games.porrinha.bots.zero import Zero

class Failing(Zero):
    def hand(self):
        raise RuntimeError("on purpose")
"""


def test_withdrawals_follow_from_earlier_forfeits(tmp_path: Path) -> None:
    (tmp_path / "failing.py").write_text(FAILING)
    specs = (f"{tmp_path}/failing.py:Failing", "random", "zero")
    path = tmp_path / "club.sqlite"
    with contextlib.closing(Store(path)) as store:
        Tournament.start(store, settings(*specs, games=12, withdraw_after=3), Processes(1)).play()
        reasons = [result.thrown_out for result in store.results(1)]
    assert sum("withdrawn" in each for each in reasons) == 9
    assert mismatch(path) == "None"
    edit(path, "UPDATE tournaments SET settings = json_set(settings, '$.withdraw_after', 4)")
    expected = r"game 0 of series \d: withdrawn are player 0, but the earlier forfeits lead to none\."
    assert re.fullmatch(expected, mismatch(path))


# The command


def test_the_command_shows_verified_standings(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ratings, "standings", partial(ratings.standings, resamples=20))
    plain = called("standings", "1", "--store", path)
    ran = called("standings", "1", "--store", path, "--verify")
    assert ran.returncode == 0
    assert ran.stdout == plain.stdout + "Verified by replaying 18 records, which lead to these standings.\n"
    described = json.loads(called("standings", "1", "--store", path, "--verify", "--json").stdout)
    assert described["verification"] == {"verified": True, "mismatch": None}
    assert described["standings"] == json.loads(called("standings", "1", "--store", path, "--json").stdout)["standings"]
    head = called("standings", "1", "--store", path, "--verify", "--head").stdout
    assert head == value(path, "SELECT head FROM tournaments") + "\n"


def test_standings_warn_if_the_head_is_not_the_stored_one(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ratings, "standings", partial(ratings.standings, resamples=20))
    assert called("standings", "1", "--store", path).stderr == ""
    slow_down(path, hides_it=True)
    ran = called("standings", "1", "--store", path)
    assert ran.returncode == 0
    assert "wateringhole: tournament 1 is not as it was when it finished with head sha256:" in ran.stderr
    assert ran.stderr.endswith(f"To see what was changed: wateringhole standings 1 --store {path} --verify\n")


def test_the_command_fails_with_the_first_mismatch(path: Path) -> None:
    edit(path, "UPDATE games SET turns = 99 WHERE series > 1")
    ran = called("standings", "1", "--store", path, "--verify")
    assert (ran.returncode, ran.stdout) == (1, "")
    message = " ".join(ran.stderr.split())
    assert "tournament 1 in " in message
    assert "is not as it was played: game 0 of series 2: the stored turns are 99, but the record leads to " in message
    ran = called("standings", "1", "--store", path, "--verify", "--json")
    found = json.loads(ran.stdout)["verification"]
    assert (ran.returncode, found["verified"]) == (1, False)
    assert (found["mismatch"]["series"], found["mismatch"]["game"]) == (2, 0)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--verify"], "--verify: name a tournament"),
        (["1", "--verify", "--csv", "out.csv"], "--csv out.csv: --verify writes no files"),
        (["1", "--head", "--json"], "--head prints one line"),
    ],
)
def test_options_that_do_not_fit_are_refused(words: list[str], why: str, path: Path) -> None:
    ran = called("standings", *words, "--store", path)
    assert ran.returncode == 2
    assert why in " ".join(ran.stderr.split())


DAMAGE = [
    ("UPDATE games SET places = '[1, 2' WHERE series = 1 AND game = 2", "game 2 of series 1"),
    ("UPDATE games SET scores = '7' WHERE series = 1 AND game = 2", "game 2 of series 1"),
    ("UPDATE games SET seconds = '[0.5]' WHERE series = 1 AND game = 2", "game 2 of series 1"),
    ("UPDATE tournaments SET settings = '{\"game\": ', head = NULL", "its settings"),
    ("UPDATE series SET entrants = 'none' WHERE number = 2", "series 2"),
]


@pytest.mark.parametrize(("damage", "where"), DAMAGE, ids=[row[0].split(" SET ")[1][:12] for row in DAMAGE])
def test_a_damaged_column_is_named_in_one_sentence(damage: str, where: str, path: Path) -> None:
    edit(path, damage)
    for option in ["--verify", "--json"] if not where.startswith("series") else ["--verify"]:
        ran = called("standings", "1", "--store", path, option)
        assert ran.returncode == 1
        assert f"is damaged: tournament 1, {where}: " in " ".join(ran.stderr.split())


@pytest.mark.parametrize("entrants", ["[0, 1, 99]", "[0, 0, 0]"])
def test_impossible_players_are_named_in_one_sentence(entrants: str, path: Path) -> None:
    edit(path, "UPDATE games SET entrants = ? WHERE series = 1 AND game = 2", entrants)
    ran = called("standings", "1", "--store", path)
    assert ran.returncode == 1
    assert ran.stderr.startswith("wateringhole: game 2 of series 1 cannot be of this tournament: ")


def test_a_store_on_a_server_is_verified_too(store: Store, location: str) -> None:
    Tournament.start(store, settings(games=12, life=2), IN_PROCESS).play()
    assert verify(store, store.tournament(1)).mismatch is None
    with store._writing() as connection:
        connection.exec_driver_sql("UPDATE games SET places = '[3, 2, 1]' WHERE series = 1 AND game = 1")
    assert re.match("game 1 of series 1: the stored places are 3, 2, 1, but the record", mismatch(location))
