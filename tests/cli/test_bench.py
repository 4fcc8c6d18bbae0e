"""`wateringhole bench`: its figures, and the output while it measures."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Sequence
from dataclasses import replace

import pytest

from tests.cli.running import called
from tests.screens import on_screen
from wateringhole import fallbacks, registry
from wateringhole.cli import bench, bench_referee, bench_simulator, bench_tournaments
from wateringhole.cli.figures import Figure, Measurement
from wateringhole.errors import OperationError
from wateringhole.facets import Benchmarks
from wateringhole.game import AnyKind
from wateringhole.games.evolution.kind import KIND as EVOLUTION
from wateringhole.games.porrinha.benchmarks import BENCHMARKS as PORRINHA_BENCHMARKS
from wateringhole.games.porrinha.kind import KIND as PORRINHA
from wateringhole.tournaments.results import GameResult

THREE = [
    Measurement("the first", lambda: [Figure("games of one kind", 12345.6, "games/s")]),
    Measurement("two at once", lambda: [Figure("this to that", 1.234, "times"), Figure("waiting", 0.5, "s")]),
]


@pytest.fixture
def _porrinha_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Measure only Porrinha, whose games are short and compile faster."""
    simulated = PORRINHA_BENCHMARKS._replace(simulated=(("random", 2),))
    porrinha = replace(PORRINHA, benchmarks=lambda: simulated)
    monkeypatch.setattr(registry, "kinds", lambda: [porrinha])


@pytest.mark.usefixtures("_porrinha_alone")
def test_json_contains_all_figures_and_nothing_else() -> None:
    ran = called("bench", "--seconds", "0.05", "--json", "--only", "referee", "--only", "tournaments")
    assert (ran.returncode, ran.stderr) == (0, "")
    figures = json.loads(ran.stdout)
    assert all(figure["value"] > 0 for figure in figures)
    assert {figure["unit"] for figure in figures} == {"games/s", "decisions/s", "copies/s", "times"}
    compared = [figure["what"].partition(": ")[2] for figure in figures if figure["unit"] == "times"]
    assert compared == [
        "tournament compared with the same games without records",
        "tournament compared with the same games with records",
        "two workers compared with one",
    ]


def test_figures_have_stable_names() -> None:
    kinds: list[AnyKind] = [EVOLUTION, PORRINHA]
    refereed = {what.rpartition(", ")[0] for what, _ in bench_referee.measurements(kinds, 1)}
    assert refereed == {
        *(f"evolution, {seats} silly players" for seats in (3, 4, 8)),
        *(f"porrinha, {seats} random players" for seats in (2, 3, 5)),
    }
    assert [what for what, _ in bench_tournaments.measurements(kinds, 1)] == [
        f"{entered}: {cost}"
        for entered in (
            "evolution, silly, random, greedy, again=random",
            "porrinha, random, zero, counter, again=random",
        )
        for cost in ("cost of a tournament", "two workers")
    ]
    pytest.importorskip("numba", reason="the extra sim is not installed")
    simulated = [what for what, _ in bench_simulator.measurements(kinds, 1)]
    assert [what.partition(", simulated")[0] for what in simulated if what.endswith("on one core")] == [
        "evolution, 4 silly players",
        "evolution, 4 random players",
        "evolution, 4 greedy players",
        "porrinha, 2 random players",
        "porrinha, 5 random players",
    ]
    assert [what.partition(", batch")[0] for what in simulated if "NumPy" in what] == [
        "evolution, 4 players",
        "porrinha, 2 players",
    ]


def test_a_game_without_benchmarks_is_measured_with_its_usual_bots() -> None:
    plain = replace(PORRINHA, benchmarks=None, compiled=None)
    assert fallbacks.benchmarks(plain) == Benchmarks(
        "random", (2, 3, PORRINHA.seats[-1]), ("random", "zero", "counter")
    )
    assert bench_simulator.measurements([plain], 1) == []
    compiled = bench_simulator.measurements([replace(PORRINHA, benchmarks=None)], 1)
    assert {what.partition(" players")[0] for what, _ in compiled if "simulated" in what} == {
        "porrinha, 3 random",
        "porrinha, 3 zero",
    }


@pytest.mark.slow
@pytest.mark.usefixtures("_porrinha_alone")
def test_the_simulator_is_measured() -> None:
    figures = [figure for _, measure in bench_simulator.measurements(registry.kinds(), 0.05) for figure in measure()]
    assert all(figure.value > 0 for figure in figures)
    assert [figure.unit for figure in figures].count("games/s") == min(os.cpu_count() or 1, 2)
    assert {figure.unit for figure in figures} >= {"games/s", "answers/s", "actions/s", "bytes"}
    assert sum("NumPy from the masks" in figure.what for figure in figures) == 1


def test_every_figure_has_a_line_below_the_title_of_its_part(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(bench, "_measurements", lambda part, seconds: THREE)
    bench.bench(only=["tournaments"])
    printed = capsys.readouterr()
    title, *lines = printed.out.splitlines()
    assert title.startswith("tournaments: ")
    assert [line.split(maxsplit=2) for line in lines] == [
        ["12,346", "games/s", "games of one kind"],
        ["1.23", "times", "this to that"],
        ["0.50", "s", "waiting"],
    ]
    assert printed.err == ""


def test_a_terminal_shows_the_current_measurement_and_ctrl_c_keeps_the_figures() -> None:
    with on_screen("bench", "--only", "referee", "--seconds", "0.5") as screen:
        screen.until("measuring 1 of ")
        screen.until("measuring 2 of ")
        screen.type("\x03")
        screen.until("wateringhole: interrupted after ")
        assert screen.end() == 130
        assert re.fullmatch(r"[1-9]\d* figures?\s*", screen.shown)


def test_figures_measured_before_ctrl_c_are_in_the_json(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def interrupt() -> list[Figure]:
        raise KeyboardInterrupt

    measurements = [*THREE, Measurement("too long", interrupt)]
    monkeypatch.setattr(bench, "_measurements", lambda part, seconds: measurements)
    ran = called("bench", "--json")
    assert ran.returncode == 130
    assert [figure["what"] for figure in json.loads(ran.stdout)] == ["games of one kind", "this to that", "waiting"]
    assert ran.stderr.splitlines()[-1] == "wateringhole: interrupted after 3 figures"


def test_a_tournament_is_not_measured_longer_than_requested(monkeypatch: pytest.MonkeyPatch) -> None:
    jobs = []
    see = bench_tournaments._Costs.see

    def count(costs: bench_tournaments._Costs, results: Sequence[GameResult]) -> None:
        jobs.append(len(results))
        see(costs, results)

    monkeypatch.setattr(bench_tournaments._Costs, "see", count)
    # Far more games are planned than can be played in that time.
    monkeypatch.setattr(bench_tournaments, "GAMES_A_SECOND", 400_000)
    _, measure = bench_tournaments.measurements([PORRINHA], 0.01)[0]
    assert [figure.unit for figure in measure()] == ["times", "times"]
    # The first job precedes the measurement, and the second takes all of the time.
    assert len(jobs) == 2


def test_a_part_whose_packages_are_missing_is_skipped_unless_requested(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def find(part: str, seconds: float) -> list[Measurement]:
        if part == "referee":
            return THREE
        raise OperationError("something is not installed here")

    monkeypatch.setattr(bench, "_measurements", find)
    bench.bench()
    printed = capsys.readouterr()
    assert "games of one kind" in printed.out
    assert printed.err.splitlines() == [
        f"wateringhole: {part} skipped: something is not installed here" for part in ("tournaments", "simulator")
    ]
    with pytest.raises(OperationError, match="something is not installed here"):
        bench.bench(only=["simulator"])


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["--only", "everything"], "unknown part. Choose from: referee, tournaments, simulator"),
        (["--seconds", "0"], "0.05"),
        (["--seconds", "inf"], "3600"),
    ],
)
def test_invalid_options_are_usage_errors(words: list[str], message: str) -> None:
    ran = called("bench", *words)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert message in ran.stderr
