"""The plots of a report, drawn with matplotlib and adapted for a page.

All are as wide as a phone and grow in height with the players, so that the text is readable on every
device.  Colours refer to those of the page by name, so that a plot follows the reader's theme.
"""

from __future__ import annotations

import io
import math
import re
import unicodedata
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple
from xml.etree import ElementTree

import matplotlib
import matplotlib.style
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, MaxNLocator

from wateringhole.formatting import single_line

if TYPE_CHECKING:
    from matplotlib.axes import Axes

    from wateringhole.tournaments.ratings import PlayerStanding
    from wateringhole.tournaments.report.data import ReportData

__all__ = ["Plot", "draw"]

WIDTH = 340
GUTTER = 114
"""For the players' names."""
TEXT = 12
LEADER = 1.06
"""The position of the labels of lines, in widths of the axes."""
MOST_BARS = 40
MOST_TIMES = 3
"""The most labels that fit below an axis without touching."""
MOST_ORDINALS = 6

SHADES, STRONG_SHADES = 8, 2
"""The shades of one colour on the page, and how many of them are strong."""

_PAINTS = (
    *(f"shade-{step}" for step in range(SHADES)),
    "on-strong-shade",
    "on-faint-shade",
    "ink",
    "ink-2",
    "line-soft",
    "paper",
    "mark",
    "blood",
    "blue-ink",
    "red-ink",
    "green-ink",
    "yellow-ink",
)
PAINT = {name: f"#0000{number:02x}" for number, name in enumerate(_PAINTS, 1)}
"""Placeholders for the page's colours in matplotlib, which are replaced by their names."""
LINES = tuple(PAINT[name] for name in ("blue-ink", "red-ink", "green-ink", "yellow-ink", "mark", "ink"))

_SVG = "{http://www.w3.org/2000/svg}"
_HREF = "{http://www.w3.org/1999/xlink}href"


class Plot(NamedTuple):
    name: str
    """A short name, for references within the page."""
    title: str
    caption: str
    """The caption."""
    svg: str
    """Safe to insert into a page without escaping."""


def draw(data: ReportData) -> list[Plot]:
    """Return all plots that have data."""
    plots = [
        _intervals(data),
        _history(data),
        _places(data),
        _scores(data),
        _lengths(data),
        _forfeits(data),
        _times(data),
    ]
    return [plot for plot in plots if plot is not None]


# The plots


def _intervals(data: ReportData) -> Plot:
    lines = data.standings.players
    confidence = f"{data.standings.confidence:.0%}".replace("%", " %")
    with _chart("ratings", _height(lines) + 34, left=GUTTER, right=76, bottom=24) as (axes, finish):
        _name_rows(axes, lines)
        for row, line in enumerate(lines):
            low, high = line.rating.low, line.rating.high
            error = ""
            if low is not None and high is not None:
                axes.hlines(row, low, high, color=PAINT["mark"], linewidth=9)
                error = f" ±{(high - low) / 2:.0f}"
            axes.vlines(line.rating.value, row - 0.32, row + 0.32, color=PAINT["ink"], linewidth=2)
            _note(axes, row, f"{line.rating.value:.0f}{error}")
        axes.xaxis.set_major_locator(MaxNLocator(4, integer=True, steps=[1, 2, 5, 10]))
        axes.grid(axis="x", color=PAINT["line-soft"], linewidth=0.8)
        axes.margins(x=0.08)
        return finish(
            "Ratings",
            f"The stroke is the rating, the bar its interval with {confidence} confidence.",
            _listed((line.name, f"{line.rating.value:.0f}") for line in lines),
        )


def _history(data: ReportData) -> Plot | None:
    steps, lines = data.history, data.standings.players
    if len(steps) < 2:
        return None
    height = max(230, len(lines) * 20 + 50)
    with _chart("history", height, left=38, right=GUTTER + 8, bottom=38) as (axes, finish):
        games = [step.games for step in steps]
        for row, line in enumerate(lines):
            style = ("-", "--", ":")[row // len(LINES) % 3]
            values = [step.ratings[line.player] for step in steps]
            axes.plot(games, values, color=LINES[row % len(LINES)], linewidth=1.8, linestyle=style)
        axes.margins(x=0, y=0.05)
        axes.grid(axis="y", color=PAINT["line-soft"], linewidth=0.8)
        axes.yaxis.set_major_locator(MaxNLocator(6, integer=True, steps=[1, 2, 5, 10]))
        _count_games(axes, data)
        _name_ends(axes, [(line.name, steps[-1].ratings[line.player]) for line in lines], height - 50)
        return finish(
            "Ratings over time",
            "After each number of games, fitted to all games so far; the last values are the standings.",
            _listed(
                (line.name, f"from {steps[0].ratings[line.player]:.0f} to {steps[-1].ratings[line.player]:.0f}")
                for line in lines
            ),
        )


def _places(data: ReportData) -> Plot | None:
    lines = data.standings.players
    size = data.stored.settings.table_size
    if not data.standings.games:
        return None
    with _chart("places", _height(lines) + 60, left=GUTTER, right=12, bottom=24, top=32) as (axes, finish):
        _name_rows(axes, lines)
        left = [0.0] * len(lines)
        for place in range(1, size + 1):
            shares = [line.places.get(place, 0) / max(1, line.games) for line in lines]
            paint, text = _paint_of_place(place, size)
            axes.barh(
                range(len(lines)),
                shares,
                left=left,
                height=0.74,
                color=paint,
                edgecolor=PAINT["paper"],
                label=_ordinal(place, size),
            )
            for row, share in enumerate(shares):
                if share >= 0.14:
                    axes.text(left[row] + share / 2, row, f"{share:.0%}", color=text, ha="center", va="center_baseline")
            left = [before + share for before, share in zip(left, shares, strict=True)]
        axes.set_xlim(0, 1)
        axes.xaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{share:.0%}"))
        axes.set_xticks([0, 0.5, 1])
        _legend(axes)
        return finish(
            "Places",
            "Share of a player's games in which it got each place; a shared place counts for all who share it.",
            _listed((line.name, f"first in {line.places.get(1, 0) / max(1, line.games):.0%}") for line in lines),
        )


def _scores(data: ReportData) -> Plot | None:
    lines = data.standings.players
    every = {score for counter in data.scores for score in counter}
    if not every:
        return None
    edges = _edges(every)
    with _chart("scores", _height(lines) + 48, left=GUTTER, right=12, bottom=38) as (axes, finish):
        _name_rows(axes, lines)
        shares = [_shares_in(data.scores[line.player], edges) for line in lines]
        tallest = max(share for row in shares for share in row)
        for row, (line, heights) in enumerate(zip(lines, shares, strict=True)):
            ground = row + 0.42
            tops = [ground - 0.86 * height / tallest for height in heights]
            axes.stairs(tops, [edge - 0.5 for edge in edges], baseline=ground, fill=True, color=PAINT["mark"])
            if line.mean_score is not None:
                axes.vlines(line.mean_score.value, row - 0.44, ground, color=PAINT["ink"], linewidth=1.8)
        axes.set_xlim(edges[0] - 0.5, edges[-1] - 0.5)
        axes.xaxis.set_major_locator(MaxNLocator(6, integer=True))
        axes.set_xlabel("points", color=PAINT["ink-2"])
        return finish(
            "Scores",
            "Distribution of a player's final scores; the stroke is the mean. "
            "A player that was thrown out has no score.",
            _listed((line.name, f"mean {line.mean_score.value:.1f}") for line in lines if line.mean_score),
        )


def _lengths(data: ReportData) -> Plot | None:
    if not data.turns:
        return None
    turn = data.kind.turn_name
    edges = _edges(data.turns)
    width = edges[1] - edges[0]
    with _chart("lengths", 230, left=46, right=12, bottom=38) as (axes, finish):
        shares = _shares_in(data.turns, edges)
        middles = [edge + (width - 1) / 2 for edge in edges[:-1]]
        axes.bar(middles, shares, width=width * 0.86, color=PAINT["mark"])
        mean = data.standings.mean_turns
        axes.axvline(mean, color=PAINT["ink"], linewidth=1.8)
        axes.set_xlim(edges[0] - 0.7, edges[-1] - 0.3)
        axes.xaxis.set_major_locator(MaxNLocator(7, integer=True))
        axes.yaxis.set_major_formatter(FuncFormatter(lambda share, _: f"{share:.0%}"))
        axes.yaxis.set_major_locator(MaxNLocator(5, steps=[1, 2, 2.5, 5, 10]))
        axes.grid(axis="y", color=PAINT["line-soft"], linewidth=0.8)
        axes.set_xlabel(f"{turn}s", color=PAINT["ink-2"])
        return finish(
            "Length of games",
            f"Share of games by number of {turn}s; the stroke is the mean, {mean:.1f}.",
            f"From {min(data.turns)} to {max(data.turns)} {turn}s, {mean:.1f} on average.",
        )


def _forfeits(data: ReportData) -> Plot | None:
    lines = [line for line in data.standings.players if line.thrown_out]
    if not lines:
        return None
    reasons = sorted({reason for line in lines for reason in line.thrown_out})
    paints = [PAINT[name] for name in ("blood", "yellow-ink", "blue-ink", "mark", "green-ink", "ink-2")]
    with _chart("forfeits", _height(lines) + 76, left=GUTTER, right=44, bottom=24, top=48) as (axes, finish):
        _name_rows(axes, lines, {line.player: row for row, line in enumerate(data.standings.players, 1)})
        left = [0.0] * len(lines)
        for reason, paint in zip(reasons, paints, strict=False):
            times = [line.thrown_out.get(reason, 0) for line in lines]
            axes.barh(
                range(len(lines)), times, left=left, height=0.74, color=paint, edgecolor=PAINT["paper"], label=reason
            )
            left = [before + more for before, more in zip(left, times, strict=True)]
        for row, total in enumerate(left):
            _note(axes, row, f"{total:,.0f}")
        axes.set_xlim(0, max(left) * 1.02)
        axes.xaxis.set_major_locator(MaxNLocator(4, integer=True))
        _legend(axes, columns=3)
        return finish(
            "Forfeits",
            "Number of games in which a player was thrown out, by reason.",
            _listed(
                (line.name, ", ".join(f"{times} {reason}" for reason, times in line.thrown_out.items()))
                for line in lines
            ),
        )


def _times(data: ReportData) -> Plot | None:
    lines = data.standings.players
    if not data.standings.games:
        return None
    spent = [1000 * line.seconds / max(1, line.games) for line in lines]
    with _chart("times", _height(lines) + 50, left=GUTTER, right=70, bottom=38) as (axes, finish):
        _name_rows(axes, lines)
        positive = [ms for ms in spent if ms > 0]
        caption = "Mean time of a player's answers in a game"
        if positive and max(positive) > 50 * min(positive):
            first, last = math.floor(math.log10(min(positive)) - 0.01), math.log10(max(positive) * 1.2)
            step = math.ceil((last - first) / MOST_TIMES)
            axes.set_xscale("log")
            axes.set_xlim(10.0**first, 10.0**last)
            axes.set_xticks([10.0**decade for decade in range(first, math.floor(last) + 1, step)])
            caption += f"; each mark is {10**step:,} times the one before"
        else:
            axes.xaxis.set_major_locator(MaxNLocator(MOST_TIMES - 1))
        axes.barh(range(len(lines)), spent, height=0.74, color=PAINT["mark"])
        for row, ms in enumerate(spent):
            _note(axes, row, _format_milliseconds(ms))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda ms, _: _format_milliseconds(ms)))
        axes.xaxis.set_minor_formatter(FuncFormatter(lambda ms, _: ""))
        axes.tick_params(axis="x", which="minor", length=0)
        axes.set_xlabel("a game", color=PAINT["ink-2"])
        return finish(
            "Time",
            f"{caption}.",
            _listed((line.name, _format_milliseconds(ms)) for line, ms in zip(lines, spent, strict=True)),
        )


# Common parts


@contextmanager
def _chart(
    name: str, height: int, *, left: int, right: int, bottom: int, top: int = 10
) -> Iterator[tuple[Axes, Callable[[str, str, str], Plot]]]:
    """Yield axes with margins in pixels, and a function from title, caption and description to the plot."""
    settings: dict[Any, Any] = {  # some versions of matplotlib declare a type for each name
        "axes.axisbelow": True,
        "axes.edgecolor": PAINT["ink-2"],
        "axes.facecolor": "none",
        "axes.spines.left": False,
        "axes.spines.right": False,
        "axes.spines.top": False,
        "figure.facecolor": "none",
        "font.family": "DejaVu Sans",  # comes with matplotlib; the page sets its own
        "font.size": TEXT,
        "svg.fonttype": "none",
        "svg.hashsalt": name,  # the same IDs each time, but different ones in each plot
        "text.color": PAINT["ink"],
        "text.parse_math": False,
        "xtick.color": PAINT["ink-2"],
        "ytick.color": PAINT["ink"],
        "ytick.left": False,
    }
    # Ignore the user's own configuration of matplotlib.
    with matplotlib.style.context("default"), matplotlib.rc_context(settings), warnings.catch_warnings():
        # Names may have letters that this font lacks but the page's fonts have.
        warnings.filterwarnings("ignore", message="Glyph", category=UserWarning)
        figure = Figure(figsize=(WIDTH / 72, height / 72))
        axes = figure.add_axes(
            (left / WIDTH, bottom / height, (WIDTH - left - right) / WIDTH, (height - bottom - top) / height)
        )

        def finish(title: str, caption: str, description: str) -> Plot:
            file = io.StringIO()
            figure.savefig(file, format="svg", metadata={"Date": None}, transparent=True)
            return Plot(name, title, caption, _inline(file.getvalue(), name, title, description))

        yield axes, finish


def _inline(drawn: str, name: str, title: str, description: str) -> str:
    """Return a drawing for a page: titled, described, without metadata, styles and IDs that could clash."""
    root = ElementTree.fromstring(drawn)
    referred = set(re.findall(r"#([\w.-]+)", " ".join(re.findall(r'url\(#[^)]*\)|href="#[^"]*"', drawn))))
    for child in [*root.findall(f"{_SVG}metadata"), root.find(f"{_SVG}defs")]:
        # The first definitions are a style for all elements, which would affect the whole page.
        if child is not None and (child.tag.endswith("metadata") or child.find(f"{_SVG}style") is not None):
            root.remove(child)
    for element in root.iter():
        element.tag = element.tag.removeprefix(_SVG)
        element.text = element.text.strip() if element.text else None
        element.tail = None
        if element.get("id") not in referred:
            element.attrib.pop("id", None)
        if (target := element.attrib.pop(_HREF, None)) is not None:
            element.set("href", target)
        for attribute in ("d", "x", "y", "style"):
            if attribute in element.attrib:
                element.set(attribute, _shortened(element.attrib[attribute]))
        if element.get("transform", "").startswith("rotate(-0 "):
            del element.attrib["transform"]
    for attribute in ("width", "height", "version"):
        root.attrib.pop(attribute, None)
    root.attrib.update({"role": "img", "aria-labelledby": f"plot-{name}-title plot-{name}-text"})
    for position, (tag, end, text) in enumerate((("title", "title", title), ("desc", "text", description))):
        element = ElementTree.Element(tag, id=f"plot-{name}-{end}")
        element.text = text
        root.insert(position, element)
    return ElementTree.tostring(root, encoding="unicode")


def _shortened(attribute: str) -> str:
    """Round coordinates to a tenth of a pixel, name colours as the page does, and remove the font."""
    attribute = re.sub(r"font-family: [^;]*;? ?", "", attribute)
    attribute = re.sub(r"#0000([0-9a-f]{2})", lambda found: f"var(--{_PAINTS[int(found[1], 16) - 1]})", attribute)
    attribute = re.sub(r"-?\d+\.\d+", lambda found: f"{float(found[0]):.1f}".removesuffix(".0"), attribute)
    return " ".join(attribute.split())


def _name_rows(axes: Axes, lines: Sequence[PlayerStanding], numbers: dict[int, int] | None = None) -> None:
    """Label a row for each player, the best on top, with its number in the table of standings."""
    labels = [f"{numbers[line.player] if numbers else row} {_short(line.name)}" for row, line in enumerate(lines, 1)]
    axes.set_yticks(range(len(lines)), labels)
    axes.set_ylim(len(lines) - 0.5, -0.5)


def _height(lines: Sequence[PlayerStanding]) -> int:
    """Return the height of the rows, larger for few players."""
    return len(lines) * (34 if len(lines) <= 6 else 28 if len(lines) <= 12 else 22)


def _note(axes: Axes, row: int, text: str) -> None:
    """Write a text at the right of a row."""
    axes.annotate(
        text, (1, row), (6, 0), xycoords=("axes fraction", "data"), textcoords="offset points", va="center_baseline"
    )


def _name_ends(axes: Axes, ends: Sequence[tuple[str, float]], height: float) -> None:
    """Label lines at their ends, with labels moved apart where they would overlap."""
    low, high = axes.get_ylim()
    right = axes.get_xlim()[1]
    rising = sorted(range(len(ends)), key=lambda row: ends[row][1])
    spots = _moved_apart([(ends[row][1] - low) / (high - low) * height for row in rising], TEXT + 1, height)
    for row, spot in zip(rising, spots, strict=True):
        name, value = ends[row]
        label = low + spot / height * (high - low)
        axes.annotate(
            "",
            (right, value),
            (LEADER, label),
            xycoords="data",
            textcoords=("axes fraction", "data"),
            annotation_clip=False,
            arrowprops={"arrowstyle": "-", "color": LINES[row % len(LINES)], "shrinkA": 0, "shrinkB": 0},
        )
        axes.text(
            LEADER,
            label,
            f" {row + 1} {_short(name)}",
            transform=axes.get_yaxis_transform(),
            va="center_baseline",
        )


def _moved_apart(wanted: Sequence[float], gap: float, room: float) -> list[float]:
    """Return ascending positions at least a gap apart, as close as possible to the wanted ones, and within the room.

    Positions that would overlap are grouped around the mean of their wanted positions.
    """
    blocks: list[tuple[float, int]] = []
    for number, place in enumerate(wanted):
        total, count = place - number * gap, 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / count:
            before, members = blocks.pop()
            total, count = total + before, count + members
        blocks.append((total, count))
    lowest = [total / count for total, count in blocks for _ in range(count)]
    most = max(0.0, room - (len(wanted) - 1) * gap)
    return [min(max(0.0, start), most) + number * gap for number, start in enumerate(lowest)]


def _count_games(axes: Axes, data: ReportData) -> None:
    axes.xaxis.set_major_locator(MaxNLocator(4, integer=True, steps=[1, 2, 5, 10]))
    axes.xaxis.set_major_formatter(FuncFormatter(lambda games, _: f"{games:,.0f}"))
    axes.set_xlabel("games", color=PAINT["ink-2"])


def _legend(axes: Axes, columns: int = 8) -> None:
    axes.legend(
        ncols=columns,
        loc="lower left",
        bbox_to_anchor=(-GUTTER / (WIDTH - GUTTER), 1),
        frameon=False,
        handlelength=0.9,
        handleheight=0.9,
        handletextpad=0.4,
        columnspacing=0.9,
        borderpad=0.2,
        borderaxespad=0.2,
    )


def _paint_of_place(place: int, size: int) -> tuple[str, str]:
    """Return the colour of a place, strongest for the first, and a colour for text on it."""
    shade = 0 if size == 1 else round((place - 1) * (SHADES - 1) / (size - 1))
    return PAINT[f"shade-{shade}"], PAINT["on-strong-shade" if shade < STRONG_SHADES else "on-faint-shade"]


def _edges(values: Collection[int]) -> list[int]:
    """Return the starts of at most `MOST_BARS` bars of integers, and the end of the last one."""
    low, high = min(values), max(values)
    width = math.ceil((high - low + 1) / MOST_BARS)
    return list(range(low, high + width + 1, width))


def _shares_in(counter: dict[int, int], edges: Sequence[int]) -> list[float]:
    """Return the share of values between each two edges."""
    total = max(1, sum(counter.values()))
    width = edges[1] - edges[0]
    shares = [0.0] * (len(edges) - 1)
    for value, times in counter.items():
        shares[(value - edges[0]) // width] += times / total
    return shares


def _short(name: str, longest: int = 12) -> str:
    """Return a name that fits beside a plot; letters of some scripts are two columns wide."""
    room, kept = longest, ""
    for letter in single_line(name):
        room -= 0 if unicodedata.combining(letter) else 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        if room < 0:
            return kept[:-1] + "…"
        kept += letter
    return kept


def _listed(values: Iterator[tuple[str, str]] | Sequence[tuple[str, str]]) -> str:
    """Return a text version of a plot for screen readers; the tables of the page have all numbers."""
    items = [f"{single_line(name)} {value}" for name, value in values]
    return "; ".join(items[:10]) + (f"; and {len(items) - 10} more" if len(items) > 10 else "") + "."


def _ordinal(place: int, size: int) -> str:
    """Return a place as an ordinal, or as a plain number if there are many places."""
    ends = {1: "st", 2: "nd", 3: "rd"}
    return f"{place}{ends.get(place, 'th')}" if size <= MOST_ORDINALS or place == 1 else str(place)


def _format_milliseconds(milliseconds: float) -> str:
    if milliseconds >= 1000:
        return f"{milliseconds / 1000:,.1f} s"
    return f"{milliseconds:.0f} ms" if milliseconds >= 10 else f"{milliseconds:.2g} ms"
