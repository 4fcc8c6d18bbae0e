"""`compare`: its text and its JSON."""

from __future__ import annotations

import json
import signal
import subprocess
from pathlib import Path

import pytest

from tests.cli.running import called, wateringhole
from tests.preloaded_command import preloaded_command
from tests.waiting import eventually

QUICK = ("porrinha", "counter?seed=1", "zero?seed=2", "--seed", "3", "--difference", "0.5")


def test_the_verdict_is_shown_with_its_error_rates() -> None:
    ran = wateringhole("compare", *QUICK, "--max-games", "400")
    assert (ran.returncode, ran.stderr) == (0, "")
    lines = ran.stdout.splitlines()
    assert lines[0].startswith(("counter is better than zero", "no difference of 0.5", "undecided between"))
    assert "equal players are called different in 5% of such tests" in lines[-1]
    assert "porrinha, seed 3" in lines[-1]


def test_the_result_can_be_printed_as_json() -> None:
    once, twice = (run("compare", *QUICK, "--json").stdout for run in (wateringhole, called))
    assert once == twice
    found = json.loads(once)
    assert found["verdict"] in ("better", "worse", "no difference", "undecided")
    assert found["ahead"] + found["level"] + found["behind"] == found["games"] == 2 * found["rounds"]
    assert found["difference"] == pytest.approx((found["ahead"] - found["behind"]) / found["games"])
    assert (found["new"], found["old"], found["at_table"], found["seed"]) == ("counter", "zero", [], 3)
    assert found["thrown_out"] == {"new": {}, "old": {}}


def test_it_stops_undecided_after_the_most_games() -> None:
    ran = called("compare", "porrinha", "random", "random", "--max-games", "20", "--json")
    found = json.loads(ran.stdout)
    assert (found["verdict"], found["games"]) == ("undecided", 20)


def test_other_players_can_be_given() -> None:
    words = ("evolution", "silly", "greedy", "--max-games", "1", "--json")
    assert json.loads(called("compare", *words).stdout)["at_table"] == ["random"]
    ran = called("compare", *words, "--with", "silly,random?seed=4", "--with", "Ada=greedy")
    found = json.loads(ran.stdout)
    assert (found["new"], found["old"]) == ("silly 1", "greedy")
    assert found["at_table"] == ["silly 2", "random", "Ada"]
    assert found["games"] == 10


CRASHES = """
from wateringhole.games.porrinha import Player

class Mine(Player):
    def hand(self):
        raise RuntimeError("no")

    def guess(self, hands):
        raise RuntimeError("no")
"""


def test_forfeits_are_shown(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(CRASHES)
    words = ("compare", "porrinha", "mine.py:Mine", "random", "--max-games", "100")
    ran = called(*words, folder=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert "Mine is worse than random" in ran.stdout
    found = json.loads(called(*words, "--json", folder=tmp_path).stdout)
    assert found["thrown_out"] == {"new": {"exception": found["games"]}, "old": {}}


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("evolution", "unknown", "silly"), "there is no installed player 'unknown'"),
        (("evolution", "silly", "greedy", "--alpha", "2"), "--alpha 2: expected an error rate between 0 and 0.5"),
        (("evolution", "silly", "greedy", "--difference", "0"), "--difference 0: expected a number above 0"),
        (
            ("evolution", "silly", "greedy", "--time-limit", "0"),
            "--time-limit 0: expected a positive number of seconds",
        ),
        (("porrinha", "cmd*2:./both", "random"), "a program that plays several seats cannot be compared"),
        (("evolution", "silly", "greedy", "--with", "a,b,c,d,e,f,g"), "there is no installed player 'a'"),
        (
            ("evolution", "silly", "greedy", "--with", ",".join(["silly"] * 7)),
            "evolution is for 3 to 8 players; with the given players there are 9.",
        ),
        (("evolution", "random?speed=3", "silly", "--json"), "could not be made"),
    ],
)
def test_usage_errors_have_no_traceback(words: tuple[str, ...], message: str) -> None:
    ran = called("compare", *words)
    assert ran.returncode == 2
    assert message in ran.stderr
    assert "Traceback" not in ran.stderr
    assert ran.stdout == ""


MARKS = """
from pathlib import Path
from wateringhole.games.porrinha.bots.random import Random

rounds = 0

class Mine(Random):
    def close(self):
        global rounds
        rounds += 1
        if rounds == 2:
            Path("the-first-round-counts").touch()
"""


def test_ctrl_c_shows_the_result_so_far(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MARKS)
    words = ["compare", "porrinha", "mine.py:Mine", "random", "--difference", "0.001", "--max-games", "100000000"]
    with subprocess.Popen(
        [preloaded_command(), *words],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        eventually((tmp_path / "the-first-round-counts").exists, process=process)
        process.send_signal(signal.SIGINT)
        out, err = process.communicate(timeout=300)
    assert process.returncode == 130
    assert out.startswith("undecided between Mine and random, after ")
    assert "Traceback" not in err


def test_two_players_that_always_crash_get_no_verdict(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(CRASHES)
    words = ("compare", "porrinha", "mine.py:Mine", "Old=mine.py:Mine", "--with", "zero")
    ran = called(*words, folder=tmp_path)
    assert ran.returncode == 1
    assert ran.stdout.startswith("neither Mine nor Old can play: thrown out of every game, after 96 games")
    assert "Mine was thrown out of 96 of 96 games: 96 exception" in ran.stdout
    found = json.loads(called(*words, "--json", folder=tmp_path).stdout)
    assert found["verdict"] == "neither can play"
