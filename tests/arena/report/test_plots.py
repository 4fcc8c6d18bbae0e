"""The plots of a report."""

from __future__ import annotations

import itertools
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from wateringhole.arena.report import plots
from wateringhole.words import one_line


@given(st.lists(st.floats(0, 300), min_size=1, max_size=30).map(sorted))
def test_labels_are_moved_apart_and_stay_in_order_and_in_the_room(wanted: list[float]) -> None:
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
    assert len(plots._short(name)) <= max(12, len(one_line(name)))


@given(st.dictionaries(st.integers(-50, 50), st.integers(1, 9), min_size=1))
def test_bars_hold_everything_that_was_counted(counted: dict[int, int]) -> None:
    edges = plots._edges(counted)
    assert len(edges) - 1 <= plots.MOST_BARS
    shares = plots._shares_in(counted, edges)
    assert sum(shares) == pytest.approx(1.0)


def test_a_drawing_inside_a_page_brings_no_style_and_no_words_of_its_own() -> None:
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
