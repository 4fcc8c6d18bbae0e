"""`wateringhole simulate`: its text and its JSON."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import called, wateringhole

PORRINHA = ("simulate", "porrinha", "random", "zero")


def test_a_simulation_prints_json() -> None:
    ran = wateringhole(*PORRINHA, "--games", "2000", "--seed", "3", "--json")
    assert ran.returncode == 0, ran.stderr
    result = json.loads(ran.stdout)
    assert result["games"] == 2000
    assert result["players"] == ["random", "zero"]
    assert sum(result["wins"]) == 2000
    assert sum(result["mean_scores"]) == pytest.approx(1)
    assert result["places"] == [[wins, 2000 - wins] for wins in result["wins"]]
    assert (result["stopped"], result["overflowed"]) == (0, 0)
    assert all(result[name] > 0 for name in ("seconds", "games_per_second", "decisions_per_second", "decisions"))
    assert len(result["errors"]["mean_scores"]) == 2
    assert result["length"]["mean"] > 1


def test_a_simulation_prints_a_table() -> None:
    ran = called(*PORRINHA, "--games", "2000", "--threads", "1")
    assert ran.returncode == 0, ran.stderr
    assert "mean score" in ran.stdout
    assert "2,000 games of" in ran.stdout
    assert "1 thread," in ran.stdout


def test_eight_players_fit_a_narrow_terminal() -> None:
    ran = called("simulate", "porrinha", *["random"] * 8, "--games", "500", "--threads", "1")
    assert ran.returncode == 0, ran.stderr
    tables = [line for line in ran.stdout.splitlines() if "│" in line]
    seats = [line.split()[1] for line in tables]
    assert seats == 2 * [str(seat) for seat in range(1, 9)], "a line for each seat, in both tables"
    assert max(map(len, tables)) <= 80
    assert "…" not in ran.stdout


def test_rules_are_given_as_for_play() -> None:
    words = ("--games", "500", "--json", "--rules", "sticks=1", "--rules", "max_rounds=1")
    result = json.loads(called(*PORRINHA, *words).stdout)
    assert result["length"]["mean"] == 1


def test_games_that_a_limit_stopped_are_counted() -> None:
    words = ("simulate", "porrinha", *["zero"] * 3, "--games", "200", "--seed", "1", "--rules", "max_rounds=60")
    stopped = json.loads(called(*words, "--json").stdout)["stopped"]
    assert 0 < stopped < 200
    text = " ".join(called(*words).stdout.split())
    assert f"; {stopped} of them ({stopped / 200:.1%}) stopped by the rules: the remaining players share" in text


def test_one_game_has_no_errors() -> None:
    assert json.loads(called(*PORRINHA, "--games", "1", "--json").stdout)["errors"]["mean_scores"] == [None, None]
    text = called(*PORRINHA, "--games", "1").stdout
    assert text.count("± –") == 5
    assert "nan" not in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("evolution", "gredy", "silly", "random"), "no installed player 'gredy' for evolution. Did you mean greedy?"),
        (("porrinha", "random", "counter"), "'counter' is not compiled"),
        (("porrinha", "random", "bots/mine.py:Mine"), "compiled players of porrinha are random, zero, equilibrium"),
        (("porrinha", "random", "random?seed=1"), "neither options nor labels"),
        (("porrinha", "random"), "the number of players of porrinha must be a whole number from 2 to 8, not 1"),
        (("porrinha", "random", "random", "--device", "tpu"), "there is no device 'tpu'. Choose from: cpu, cuda."),
        (("porrinha", "random", "random", "--rules", "sticks=30"), "rules option sticks=30 cannot be simulated"),
        (("porrinha", "random", "random", "--rules", "sticks=many"), "rules option sticks=many"),
        (("chess", "random", "random"), "'chess' is not an installed game"),
    ],
    ids=[
        "no such player",
        "not compiled",
        "a file",
        "options",
        "too few",
        "device",
        "unsupported rule",
        "wrong rule",
        "game",
    ],
)
def test_usage_errors_name_the_mistake(words: tuple[str, ...], message: str) -> None:
    ran = called("simulate", *words)
    assert ran.returncode == 2
    assert message in ran.stderr
    assert "Traceback" not in ran.stderr


def test_a_missing_extra_is_reported_with_the_install_command(tmp_path: Path) -> None:
    # A finder, first in the list, that hides the packages.
    (tmp_path / "sitecustomize.py").write_text(
        "import importlib.util as util\n"
        "real = util.find_spec\n"
        "util.find_spec = lambda name, package=None: None if name in ('numba', 'numpy') else real(name, package)\n"
    )
    ran = subprocess.run(
        [sys.executable, "-m", "wateringhole", *PORRINHA],
        env=os.environ | {"PYTHONPATH": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ran.returncode == 1
    assert ran.stderr == (
        "wateringhole: the simulator needs numba and numpy, not installed here. "
        "Install the extra with: pip install 'wateringhole[sim]'\n"
    )


def test_disabled_compilation_is_an_operation_error() -> None:
    ran = subprocess.run(
        [sys.executable, "-m", "wateringhole", *PORRINHA],
        env=os.environ | {"NUMBA_DISABLE_JIT": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert ran.returncode == 1
    assert "NUMBA_DISABLE_JIT forbids" in ran.stderr
    assert "Traceback" not in ran.stderr


# Presses Ctrl-C as soon as some games are finished, so that the compile time does not matter.
PRESSING = """
import sys
from wateringhole import cli, sim

real = sim.simulate

def simulate(*arguments, progress, **rest):
    def press(done):
        progress(done)
        if done:
            raise KeyboardInterrupt
    return real(*arguments, progress=press, **rest)

sim.simulate = simulate
sys.argv = ["wateringhole", "simulate", "porrinha", "random", "zero", "--games", "100000000000", "--json"]
cli.main()
"""


def test_ctrl_c_prints_the_finished_games() -> None:
    ran = subprocess.run([sys.executable, "-c", PRESSING], capture_output=True, text=True, timeout=120)
    assert ran.returncode == 130
    assert 0 < json.loads(ran.stdout)["games"] < 10**11
