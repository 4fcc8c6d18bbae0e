"""The report of a tournament as a self-contained page: no network, no scripts, no other file but logs.

Names of players are untrusted text.  The template escapes everything except the plots, which
escape their own texts.
"""

from __future__ import annotations

import base64
from collections.abc import Mapping, Sequence

import msgspec
from markupsafe import Markup

from wateringhole.formatting import single_line
from wateringhole.tournaments.ratings import HeadToHead, Standings
from wateringhole.tournaments.report.data import Recorded, ReportData
from wateringhole.tournaments.report.plots import draw
from wateringhole.tournaments.report.templates import render
from wateringhole.tournaments.report.wording import format_ranges, version_cells

__all__ = ["page", "verdict"]

FEW_PLAYERS = 8
"""The most players for which the columns of the cross table have names, not numbers."""
MOST_WINNERS = 6
"""The most winners that are named."""
MANY_PLAYERS = 12
"""Above this number, both tables have the full width, and the cross table is small."""
FIRST_PLOTS = ("ratings", "history")
"""The plots beside the tables, if there is room."""
OTHER_PLOTS = ("places", "scores", "times", "lengths", "forfeits")
"""The plots below the tables, if they have data."""


def page(data: ReportData, logs: Mapping[int, str] | None = None) -> bytes:
    """Return the page.  Equal data give equal pages.

    `logs` has the relative links to the standard error of players, by number of player.
    """
    plots = {plot.name: (plot, Markup(plot.svg)) for plot in draw(data)}
    stored, standings = data.stored, data.standings
    rows = {line.player: row for row, line in enumerate(standings.players, 1)}
    many = len(standings.players) > MANY_PLAYERS
    return render(
        "page.html",
        stored=stored,
        settings=stored.settings,
        game=data.kind.name.capitalize(),
        rules=_rules(data),
        standings=standings,
        chain=data.chain,
        verdict=verdict(standings),
        plots=plots,
        rest=[name for name in (*(FIRST_PLOTS if many else ()), *OTHER_PLOTS) if name in plots],
        rows=rows,
        rows_of=lambda players: format_ranges(sorted(rows[player] for player in players)),
        has_scores=any(line.mean_score for line in standings.players),
        has_repairs=any(line.repaired_answers for line in standings.players),
        reasons=sorted({reason for line in standings.players for reason in line.thrown_out}),
        heat=_heat,
        replays=[_replay(recorded, stored.settings.names) for recorded in data.notable],
        many=many,
        names_columns=len(standings.players) <= FEW_PLAYERS,
        logs=logs or {},
        versions=version_cells(stored.versions),
    )


def verdict(standings: Standings) -> str:
    """Return who has won, as far as the error allows."""
    if not standings.games:
        return "No game has been finished yet."
    if not standings.separates:
        return "Not separated: no player is better than another by more than the error."
    first = [line for line in standings.players if line.rank == 1]
    if len(first) > 1:
        names = [single_line(line.name) for line in first]
        if len(names) > MOST_WINNERS:
            names[MOST_WINNERS - 1 :] = [f"{len(names) - MOST_WINNERS + 1} others"]
        return f"{', '.join(names[:-1])} and {names[-1]} are first together: they are not separated."
    (winner,) = first
    if not winner.not_separated:
        return f"{single_line(winner.name)} is first, and better than all others by more than the error."
    others = [single_line(line.name) for line in standings.players if line.player in winner.not_separated]
    return f"{single_line(winner.name)} is first, but not separated from {', '.join(others)}."


class _Replay(msgspec.Struct, frozen=True):
    """A notable game as the page shows it."""

    title: str
    remark: str
    seats: list[tuple[str, int, int | None, str | None]]
    """Name, place, score and reason of a forfeit; the best first."""
    turns: int
    file: str
    link: str


def _replay(recorded: Recorded, names: Sequence[str]) -> _Replay:
    result = recorded.game.result
    seats = zip(result.entrants, result.places, result.scores, result.thrown_out, strict=True)
    return _Replay(
        title=recorded.game.sort,
        remark=recorded.game.remark,
        seats=sorted(
            ((names[entrant], place, score, reason) for entrant, place, score, reason in seats),
            key=lambda seat: seat[1],
        ),
        turns=result.turns,
        file=recorded.file,
        link=f"data:application/jsonl;base64,{base64.b64encode(recorded.record).decode()}",
    )


def _rules(data: ReportData) -> str:
    """Return the profile, or the nearest one and the options that differ."""
    chosen = data.stored.settings.rules
    profiles = {name: msgspec.to_builtins(profile.rules) for name, profile in data.kind.profiles.items()}

    def changes(profile: str) -> list[str]:
        return [f"{name}={value}" for name, value in chosen.items() if profiles[profile].get(name) != value]

    nearest = min(profiles, key=lambda name: len(changes(name)))
    return " ".join([nearest, *changes(nearest)])


def _heat(pair: HeadToHead) -> str:
    """Return the style class of a cell of the cross table, from clearly won to clearly lost."""
    share = pair.ahead / pair.games
    steps = (("w3", 0.8), ("w2", 0.65), ("w1", 0.53), ("w0", 0.47), ("l1", 0.25))
    return next((name for name, least in steps if share >= least), "l2")
