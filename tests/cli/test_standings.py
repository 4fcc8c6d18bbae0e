"""The text of `wateringhole standings`: readable tables for any names and widths of the terminal."""

from __future__ import annotations

import io
import json
import re
import unicodedata
from collections.abc import Iterator, Sequence
from contextlib import closing
from functools import partial
from pathlib import Path

import msgspec
import pytest
from rich.console import Console

from tests.cli.running import called
from tests.tournaments.made_up_results import by_strength
from tests.tournaments.tournaments import settings
from wateringhole.cli import standings
from wateringhole.cli.exports import Exports
from wateringhole.digests import digest
from wateringhole.tournaments import ratings
from wateringhole.tournaments.results import GameResult, PackedGame
from wateringhole.tournaments.schedule import plan
from wateringhole.tournaments.store import Store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(Store(tmp_path / "store.sqlite")) as opened:
        yield opened


def entered(store: Store, names: Sequence[str], *, games: int = 200, absent: Sequence[int] = ()) -> None:
    """Store a made-up tournament of players with these names; the absent ones have not played."""
    present = [number for number in range(len(names)) if number not in absent]
    planned = [
        msgspec.structs.replace(series, entrants=tuple(present[entrant] for entrant in series.entrants))
        for series in plan("round-robin", len(present), table_size=3, games=games, seed=1, life=1)
    ]
    number = store.create(settings(*["random"] * len(names), names=tuple(names)))
    store.plan(number, planned)
    results = by_strength(planned, [player / 10 for player in range(len(names))], 1)
    store.commit(
        number, [PackedGame.pack(with_reasons(result), b"a record", digest(b"a record")) for result in results]
    )


def with_reasons(result: GameResult) -> GameResult:
    """Return a result in which the last player was thrown out for one of several reasons, and all have scores."""
    reason = ("late", "exception", "illegal", "disconnected")[result.series % 4]
    return msgspec.structs.replace(
        result,
        thrown_out=tuple(reason if place == 3 else None for place in result.places),
        scores=tuple(40 - 10 * place for place in result.places),
    )


def shown(store: Store, width: int, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Return what a terminal of this width shows of the first tournament."""
    file = io.StringIO()
    monkeypatch.setattr("rich.console.Console", lambda **words: Console(file=file, width=width))
    # Fewer resamples than usual, because the second digit of the error does not matter here.
    monkeypatch.setattr(ratings, "standings", partial(ratings.standings, resamples=20))
    standings.conclude(store, 1, Exports(None, None, None), json=False)
    return file.getvalue().splitlines()


def rows_of(lines: Sequence[str], title: str) -> list[list[str]]:
    """Return the rows of a table, each of which starts with its number."""
    begin = next(number for number, line in enumerate(lines) if line.startswith(title))
    rows: list[list[str]] = []
    for line in lines[begin + 1 :]:
        number = re.match(r" {1,2}(\d+) ", line)
        if number and int(number[1]) == len(rows) + 1:
            rows.append(line.split())
        elif line[:1].isalpha():
            break
    return rows


@pytest.mark.parametrize("width", [80, 120])
@pytest.mark.parametrize("players", [4, 15, 42])
def test_every_row_has_all_its_figures(players: int, width: int, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    entered(store, [f"player-{number}" for number in range(players)], games=30 * players)
    lines = shown(store, width, monkeypatch)
    assert max(map(len, lines)) <= width
    rows = rows_of(lines, "Standings")
    assert len(rows) == players
    for row in rows:
        assert row[1].startswith("player-")
        assert int(row[2]) >= 1
        assert 500 < int(row[3]) < 2500
        assert row[4].startswith("±")
    effort = rows_of(lines, "Time and forfeits")
    assert [int(row[2]) > 0 for row in effort] == [True] * players
    crosses = rows_of(lines, "Ahead of the other") if players <= 15 else []
    if players > 15:
        assert sum("--report FILE.html" in line and "--json" in line for line in lines) == 1
    for row in crosses:
        assert [cell.isdecimal() for cell in row[2:]] == [True] * (players - 1)


@pytest.mark.parametrize("width", [40, 66, 80, 120])
def test_similar_names_are_complete_in_every_table(width: int, store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    names = [f"Bea-with-a-rather-long-{end}" for end in ("name", "nose", "note")]
    entered(store, names)
    lines = shown(store, width, monkeypatch)
    assert max(map(len, lines)) <= width
    words = " ".join(lines).split()
    assert [words.count(name) for name in names] == [3, 3, 3]
    assert "…" not in " ".join(words)


def test_long_names_and_markup_are_complete_and_printable(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    entered(store, ["N" * 75, "two\nlines", "a\ttab", "\u202ebackwards", "漢" * 40, "[bold]not markup"])
    text = "".join(shown(store, 80, monkeypatch))
    for name in ("N" * 75, "two lines", "a tab", " backwards", "漢" * 40, "[bold]not markup"):
        assert text.count(name) == 3
    assert not any(unicodedata.category(letter) in ("Cc", "Cf") for letter in text)


def test_a_narrow_terminal_lists_the_cross_table(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    entered(store, [f"player {number}" for number in range(14)])
    lines = shown(store, 50, monkeypatch)
    begin = lines.index("Ahead of the other, % of their games") + 1
    best, player, *cells = lines[begin : lines.index("", begin)]
    assert (best, player[:15]) == ("1", "player: player ")
    assert [cell.partition(": ")[0] for cell in cells] == [str(row) for row in range(2, 15)]


def test_a_player_without_games_has_empty_cells(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entered(store, ["Ada", "Bea", "Cid", "Dot"], absent=[3])
    row = next(row for row in rows_of(shown(store, 80, monkeypatch), "Standings") if row[1] == "Dot")
    _, name, _, rating, *rest = row
    assert (name, rating) == ("Dot", "1500")
    # It is not separated from any other player.
    assert all(word.strip(",").replace("–", "").isdecimal() for word in rest)
    table, report = tmp_path / "out.csv", tmp_path / "out.html"
    words = ("standings", "1", "--store", tmp_path / "store.sqlite", "--json", "--csv", table, "--report", report)
    printed = json.loads(called(*words).stdout)
    (absent,) = (line for line in printed["standings"]["players"] if line["name"] == "Dot")
    assert (absent["win_rate"], absent["mean_place"], absent["mean_score"]) == (None, None, None)
    (line,) = (line for line in table.read_text().splitlines() if ",Dot," in line)
    assert line.split(",")[3:14] == [""] * 11
    assert report.exists()


def test_the_list_names_only_a_few_of_many_players(store: Store, tmp_path: Path) -> None:
    entered(store, [f"player {number}\nof many" for number in range(42)], games=30)
    listed = called("standings", "--store", tmp_path / "store.sqlite").stdout
    assert "and 34 more" in " ".join(listed.split())
