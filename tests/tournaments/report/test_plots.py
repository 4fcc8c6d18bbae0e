"""The plots of a report."""

from __future__ import annotations

import itertools
from collections import Counter
from xml.etree import ElementTree

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tournaments.made_up_results import a_result
from tests.tournaments.tournaments import settings
from wateringhole import registry
from wateringhole.formatting import single_line
from wateringhole.tournaments.chain import Chain
from wateringhole.tournaments.ratings import standings
from wateringhole.tournaments.report import plots
from wateringhole.tournaments.report.data import ReportData
from wateringhole.tournaments.results import ResultSums
from wateringhole.tournaments.store import Progress, StoredTournament


@given(st.lists(st.floats(0, 300), min_size=1, max_size=30).map(sorted))
def test_labels_are_moved_apart_in_order_within_the_room(wanted: list[float]) -> None:
    gap, room = 10.0, 300.0
    spots = plots._moved_apart(wanted, gap, room)
    assert all(later - earlier >= gap - 1e-6 for earlier, later in itertools.pairwise(spots))
    assert all(-1e-6 <= spot <= room + 1e-6 for spot in spots)


def test_labels_that_have_room_stay_where_they_are() -> None:
    assert plots._moved_apart([10, 50, 100], 10, 300) == [10, 50, 100]
    assert plots._moved_apart([100, 100], 10, 300) == [95, 105]


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        ("Ada", "Ada"),
        ("a" * 12, "a" * 12),
        ("a" * 13, "a" * 11 + "…"),
        ("王小明的水塘机器人", "王小明的水…"),
        ("tab\there", "tab here"),
    ],
)
def test_a_name_is_cut_to_what_fits_beside_a_plot(name: str, shown: str) -> None:
    assert plots._short(name) == shown


@given(st.text(max_size=200))
def test_any_name_can_be_drawn(name: str) -> None:
    assert len(plots._short(name)) <= max(12, len(single_line(name)))


@given(st.dictionaries(st.integers(-50, 50), st.integers(1, 9), min_size=1))
def test_bars_contain_all_values(counted: dict[int, int]) -> None:
    edges = plots._edges(counted)
    assert len(edges) - 1 <= plots.MOST_BARS
    shares = plots._shares_in(counted, edges)
    assert sum(shares) == pytest.approx(1.0)


def test_an_inlined_drawing_has_no_style_and_no_metadata() -> None:
    drawn = """<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"
      xmlns:xlink="http://www.w3.org/1999/xlink" width="1pt" height="1pt" viewBox="0 0 1 1">
      <metadata>made by</metadata><defs><style>*{color: red}</style></defs>
      <g id="figure_1"><defs><path id="m1" d="M 0.123456 0 &#10; L 1 1"/></defs>
      <use xlink:href="#m1" style="fill: #000001; font-family: 'DejaVu Sans'; stroke: none"/></g></svg>"""
    root = ElementTree.fromstring(plots._inline(drawn, "mine", "A title", "A <text>"))
    assert root.tag == "svg"
    assert [child.tag for child in root] == ["title", "desc", "g"]
    assert (root[0].text, root[1].text) == ("A title", "A <text>")
    assert "id" not in root[2].attrib
    path, use = root[2][0][0], root[2][1]
    assert path.attrib == {"id": "m1", "d": "M 0.1 0 L 1 1"}
    assert use.attrib == {"href": "#m1", "style": f"fill: var(--{plots._PAINTS[0]}); stroke: none"}


def texts(plot: plots.Plot, letters: str) -> list[tuple[float, str]]:
    """Return the positions of texts in these letters at the bottom of a plot, from left to right."""
    found = []
    for element in ElementTree.fromstring(plot.svg).iter("text"):
        if element.text and set(element.text) <= set(letters) and "middle" in element.get("style", ""):
            found.append((float(element.get("x", "0")), element.text))
    return sorted(found)


@pytest.mark.parametrize(
    "seconds",
    [(0.00002, 0.4), (0.00001, 0.1, 120.0), (0.002, 0.003), (0.01, 0.012), (0.9, 1.7), (0.00012, 0.003), (0.0, 0.0)],
)
def test_the_times_below_an_axis_do_not_touch_each_other(seconds: tuple[float, ...]) -> None:
    results = [a_result(tuple(range(len(seconds))), series=series, seconds=0.0) for series in range(2)]
    timed = [msgspec.structs.replace(result, seconds=seconds) for result in results]
    chosen = settings(*["random"] * len(seconds))
    found = ReportData(
        stored=StoredTournament(1, 0.0, None, chosen, Progress(2, 2, 2, 0)),
        kind=registry.game_kind("porrinha"),
        standings=standings(ResultSums(len(seconds), timed), chosen.names, resamples=10),
        history=[],
        scores=[],
        turns=Counter(),
        notable=[],
        chain=Chain(""),
    )
    plot = plots._times(found)
    assert plot is not None
    ticks = texts(plot, "0123456789., ms")
    assert len(ticks) >= 1
    for (here, one), (there, other) in itertools.pairwise(ticks):
        # A letter is roughly half as wide as it is high, and labels are centred.
        assert there - here > (len(one) + len(other)) / 2 * plots.TEXT * 0.5
