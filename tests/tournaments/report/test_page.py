"""The page of a report, read as a browser would read it."""

from __future__ import annotations

import base64
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.tournaments.report.tournaments import NASTY_NAMES, Page, played_out
from tests.tournaments.tournaments import settings
from wateringhole.formatting import single_line
from wateringhole.match.record import read_record
from wateringhole.tournaments.ratings import Estimate, PlayerStanding, Standings
from wateringhole.tournaments.report.data import ReportData, gather
from wateringhole.tournaments.report.page import page, verdict
from wateringhole.tournaments.report.wording import format_estimate, share
from wateringhole.tournaments.store import Store

EVOLUTION = ("silly", "random", "failing", "greedy")


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ReportData]:
    """The data of an Evolution tournament in which one player always fails, and all names need escaping."""
    folder = tmp_path_factory.mktemp("evolution")
    with played_out(folder, *EVOLUTION, game="evolution", games=16, table_size=4, names=NASTY_NAMES) as (_, found):
        yield found


@pytest.fixture(scope="module")
def text(data: ReportData) -> str:
    return page(data).decode()


@pytest.fixture(scope="module")
def read(text: str) -> Page:
    return Page(text)


def test_the_page_fetches_nothing(text: str, read: Page) -> None:
    assert "http:" not in text
    assert "https:" not in text
    assert not {"script", "link", "img", "iframe", "object", "base"} & {tag for tag, _ in read.elements}
    assert not re.findall(r"@import|url\((?!#)", text)
    links = [attributes["href"] for _, attributes in read.elements if "href" in attributes]
    assert links
    assert all(link.startswith(("#", "data:application/jsonl;base64,")) for link in links)
    assert not [name for _, attributes in read.elements for name in attributes if name in ("src", "srcset", "action")]


def test_names_are_escaped_and_readable(text: str, read: Page) -> None:
    assert not [name for _, attributes in read.elements for name in attributes if name.startswith("on")]
    shown = {row[1] for row in read.tables[0][1:]}
    assert shown == {single_line(name) for name in NASTY_NAMES}
    assert not re.search(r"[\x00-\x08\x0b-\x1f\x7f\u202e]", text)
    # In the plots, too.
    assert any("<script>" in label for label in read.texts["text"])


def test_the_page_shows_the_standings_of_the_tournament(data: ReportData, read: Page) -> None:
    for number, (line, row) in enumerate(zip(data.standings.players, read.tables[0][1:], strict=True), 1):
        rows = {each.player: place for place, each in enumerate(data.standings.players, 1)}
        apart = re.findall(r"\d+", row[-1])
        assert row[:-1] == [
            str(number),
            single_line(line.name),
            str(line.rank),
            format_estimate(line.rating, ".0f"),
            share(line.win_rate),
            format_estimate(line.mean_place, ".2f"),
            format_estimate(line.mean_score, ".1f") if line.mean_score else "",
            str(line.games),
        ]
        assert {rows[player] for player in line.not_separated} >= {int(place) for place in apart}


def test_the_cross_table_shows_the_share_of_games_ahead(data: ReportData, read: Page) -> None:
    players = data.standings.players
    assert [row[1:] for row in read.tables[1][1:]] == [
        [
            "" if one is other else f"{100 * pair.ahead / pair.games:,.0f}"
            for other in players
            for pair in [data.standings.cross_table[one.player][other.player]]
        ]
        for one in players
    ]


def test_forfeits_are_counted_by_reason(data: ReportData, read: Page) -> None:
    header, *rows = read.tables[2]
    assert header[4:] == ["exception", "all forfeits", "Version"]
    by_row = {row[0].partition(" ")[2]: row[4:6] for row in rows}
    assert by_row[single_line(NASTY_NAMES[2])] == ["16", "16"]
    assert by_row[single_line(NASTY_NAMES[0])] == ["", ""]


def test_every_plot_has_a_title_and_a_description(data: ReportData, read: Page) -> None:
    plots = [attributes for attributes in read.all("svg") if attributes.get("role") == "img"]
    ids = {attributes["id"] for _, attributes in read.elements if "id" in attributes}
    names = ("ratings", "history", "places", "scores", "times", "lengths", "forfeits")
    assert {plot["aria-labelledby"] for plot in plots} == {f"plot-{name}-title plot-{name}-text" for name in names}
    assert {f"plot-{name}-{part}" for name in names for part in ("title", "text")} <= ids
    assert all(any(word in text for text in read.texts["desc"]) for word in ("exception", "first in", "turns"))
    best = data.standings.players[0]
    assert any(f"{single_line(best.name)} {best.rating.value:.0f}" in text for text in read.texts["desc"])


def test_ids_are_unique_and_all_references_resolve(text: str, read: Page) -> None:
    ids = Counter(attributes["id"] for _, attributes in read.elements if "id" in attributes)
    assert [name for name, times in ids.items() if times > 1] == []
    referred = {attributes["href"][1:] for tag, attributes in read.elements if attributes.get("href", "")[:1] == "#"}
    referred |= set(re.findall(r"url\(#([^)]*)\)", text))
    for _, attributes in read.elements:
        referred |= set(attributes.get("aria-labelledby", "").split())
    assert referred <= set(ids)


def test_tables_have_captions_and_headings_with_scopes(read: Page) -> None:
    assert len(read.all("table")) == len(read.all("caption")) == 3
    assert all(heading.get("scope") in ("row", "col") for heading in read.all("th"))


def test_the_page_follows_the_theme(text: str) -> None:
    drawn = re.findall(r'<svg viewBox="0 0 340.*?</svg>', text, re.DOTALL)
    assert len(drawn) == 7
    assert not re.findall(r"#[0-9a-f]{6}\b", " ".join(re.findall(r'style="[^"]*"', " ".join(drawn))))
    named = set(re.findall(r"var\((--[\w-]+)\)", " ".join(drawn)))
    assert named
    assert all(f"{name}:" in text for name in named)


def test_the_records_of_games_worth_seeing_are_in_the_page(data: ReportData, read: Page) -> None:
    links = [attributes for attributes in read.all("a") if "download" in attributes]
    assert [link["download"] for link in links] == [recorded.file for recorded in data.notable]
    sorts = {recorded.game.sort for recorded in data.notable}
    assert sorts >= {"Forfeit"}
    for link, recorded in zip(links, data.notable, strict=True):
        record = read_record(base64.b64decode(link["href"].partition(",")[2]))
        events = list(record.replay().events())
        assert events
        assert f"wateringhole replay {recorded.file}" in read.texts["code"]


def test_the_same_tournament_gives_the_same_page(data: ReportData, text: str) -> None:
    assert page(data).decode() == text


def test_a_game_without_scores_is_described_by_its_length(tmp_path: Path) -> None:
    with played_out(tmp_path, "random", "zero", "counter") as (_, found):
        read = Page(page(found).decode())
    assert {recorded.game.sort for recorded in found.notable} == {"Longest", "Shortest"}
    assert "Mean score" not in read.tables[0][0]
    assert "rounds" in read.texts["text"]
    assert "plot-scores-title" not in {attributes.get("id") for _, attributes in read.elements}
    lengths = [recorded.game.result.turns for recorded in found.notable]
    assert (max(lengths), min(lengths)) == (max(found.turns), min(found.turns))


def test_a_tournament_without_a_game_has_a_page_too(tmp_path: Path) -> None:
    store = Store(tmp_path / "store.sqlite")
    number = store.create(settings())
    read = Page(page(gather(store, store.tournament(number))).decode())
    store.close()
    assert "No game has been finished yet." in read.texts["p"]
    assert read.tables == []


def line(player: int, rank: int, *not_separated: int) -> PlayerStanding:
    nothing = Estimate(0.0)
    return PlayerStanding(
        player, f"p{player}", rank, not_separated, nothing, nothing, nothing, None, 1, {1: 1}, {}, 0.0
    )


@pytest.mark.parametrize(
    ("lines", "expected"),
    [
        ([line(0, 1), line(1, 2)], "p0 is first, and better than all others by more than the error."),
        ([line(0, 1, 1), line(1, 1, 0), line(2, 3)], "p0 and p1 are first together: they are not separated."),
        (
            [line(0, 1, 1, 2), line(1, 1, 0, 2), line(2, 1, 0, 1), line(3, 4)],
            "p0, p1 and p2 are first together: they are not separated.",
        ),
        (
            [*(line(player, 1) for player in range(7)), line(7, 8)],
            "p0, p1, p2, p3, p4 and 2 others are first together: they are not separated.",
        ),
        ([line(0, 1, 2), line(1, 2), line(2, 3, 0)], "p0 is first, but not separated from p2."),
        ([line(0, 1, 1), line(1, 1, 0)], "Not separated: no player is better than another by more than the error."),
    ],
)
def test_the_verdict_names_the_winners(lines: list[PlayerStanding], expected: str) -> None:
    assert verdict(Standings(tuple(lines), (), 1, 1, 1.0, 0.95)) == expected
