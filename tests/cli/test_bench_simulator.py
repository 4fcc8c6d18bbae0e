"""The simulator's part of `wateringhole bench`."""

from __future__ import annotations

import os

import pytest

from tests.cli.running import wateringhole
from wateringhole.cli import bench_simulator


@pytest.mark.slow
def test_the_figures_of_the_simulator_are_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    # Porrinha alone, which is compiled sooner.
    monkeypatch.setattr(bench_simulator, "TABLES", (("porrinha", "random", 2),))
    monkeypatch.setattr(bench_simulator, "STEPPED", (("porrinha", 2),))
    rows = [row for measure in bench_simulator.figures(0.05) for row in measure()]
    assert all((row["per_second"] if "per_second" in row else row["value"]) > 0 for row in rows)
    assert [row["unit"] for row in rows if "per_second" in row].count("games") == min(os.cpu_count() or 1, 2)
    assert {row["unit"] for row in rows} >= {"games", "decisions", "bytes"}
    by_numpy = [row for row in rows if "NumPy from the masks" in row["what"]]
    assert [row["unit"] for row in by_numpy] == ["decisions"]


def test_a_part_that_does_not_exist_is_refused() -> None:
    ran = wateringhole("bench", "--only", "everything")
    assert ran.returncode == 2
    assert "the parts are referee, tournaments, simulator" in ran.stderr
