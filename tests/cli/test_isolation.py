"""Where the code of players runs in each command, by default and with `--trust`."""

from __future__ import annotations

import json
import os
import warnings
from collections.abc import Iterator
from pathlib import Path

import pytest

import wateringhole as wh
from tests.cli.running import called
from wateringhole.errors import UsageError
from wateringhole.house.plans import has_untrusted_bots
from wateringhole.process.machine import machine_isolation
from wateringhole.process.sandbox import check_sandbox
from wateringhole.tournaments.store import Store

SPY = """
import os, sys
from wateringhole.games.porrinha.bots.random import Random

class Spy(Random):
    def guess(self):
        with_referee = "wateringhole.tournaments" in sys.modules
        raise ValueError(f"with the referee: {with_referee}; in {os.getcwd()}")
"""
TOURNAMENT = ("tournament", "porrinha", "zero", "spy.py:Spy", "--games", "2", "--store", "s.sqlite", "--json")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "spy.py").write_text(SPY)
    return tmp_path


@pytest.fixture
def without_bubblewrap(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("PATH", "")
    for function in (machine_isolation, check_sandbox):
        function.cache_clear()
    yield
    for function in (machine_isolation, check_sandbox):
        function.cache_clear()


def spied(folder: Path) -> str:
    """Return what the spy reported in the first game of a tournament."""
    opened = Store(folder / "s.sqlite")
    try:
        return opened.record(1, 0, 0).decode()
    finally:
        opened.close()


def test_a_tournament_isolates_untrusted_players_in_the_sandbox_if_there_is_one(folder: Path) -> None:
    ran = called(*TOURNAMENT, folder=folder)
    assert ran.returncode == 0, ran.stderr
    settings = json.loads(ran.stdout)["settings"]
    assert (settings["isolated"], settings["sandbox"]) == (True, machine_isolation().sandbox is not None)
    assert "with the referee: False" in spied(folder)
    assert ("in /scratch" in spied(folder)) == settings["sandbox"]


def test_a_tournament_can_do_without_the_sandbox(folder: Path) -> None:
    ran = called(*TOURNAMENT, "--sandbox", "none", folder=folder)
    assert (ran.returncode, ran.stderr) == (0, "")
    settings = json.loads(ran.stdout)["settings"]
    assert (settings["isolated"], settings["sandbox"]) == (True, False)
    assert "with the referee: False" in spied(folder)
    assert "in /scratch" not in spied(folder)


@pytest.mark.parametrize("more", [(), ("--time-limit", "9", "--memory-limit", "900")], ids=["alone", "with limits"])
def test_trusted_players_of_a_tournament_play_beside_the_referee(folder: Path, more: tuple[str, ...]) -> None:
    ran = called(*TOURNAMENT, "--trust", *more, folder=folder)
    assert ran.returncode == 0, ran.stderr
    settings = json.loads(ran.stdout)["settings"]
    assert (settings["isolated"], settings["sandbox"]) == (False, False)
    assert "with the referee: True" in spied(folder)


def test_a_tournament_of_built_in_players_stores_no_isolation(tmp_path: Path) -> None:
    words = ("tournament", "porrinha", "zero", "random", "--games", "2", "--store", "s.sqlite", "--json")
    settings = json.loads(called(*words, folder=tmp_path).stdout)["settings"]
    assert "isolated" not in settings
    assert settings["sandbox"] is False


@pytest.mark.usefixtures("without_bubblewrap")
@pytest.mark.parametrize(
    "words",
    [TOURNAMENT, ("check", "porrinha", "spy.py:Spy"), ("check", "porrinha", ".")],
    ids=["tournament", "check", "check of a folder"],
)
def test_a_missing_sandbox_is_named_once_before_the_first_game(folder: Path, words: tuple[str, ...]) -> None:
    ran = called(*words, folder=folder)
    assert ran.returncode == (words[0] == "check"), ran.stderr
    missing = (
        "wateringhole: untrusted players run without a sandbox: bubblewrap is not installed here. "
        "Install it: apt install bubblewrap, or dnf install bubblewrap."
    )
    first, *rest = ran.stderr.splitlines()
    assert first == missing
    assert missing not in rest


@pytest.mark.usefixtures("without_bubblewrap")
def test_a_required_sandbox_that_is_missing_is_refused(folder: Path) -> None:
    ran = called(*TOURNAMENT, "--sandbox", "bwrap", folder=folder)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("wateringhole: --sandbox bwrap: bubblewrap is not installed here")
    assert not (folder / "s.sqlite").exists()


@pytest.mark.parametrize("more", [("--sandbox", "bwrap"), ("--read-only", "/opt")])
def test_trusted_players_cannot_be_in_the_sandbox(folder: Path, more: tuple[str, ...]) -> None:
    ran = called(*TOURNAMENT, "--trust", *more, folder=folder)
    assert ran.returncode == 2
    assert ran.stderr.startswith(
        "wateringhole: --trust: trusted players run outside of the sandbox. Omit --trust or --"
    )


def test_check_runs_a_player_isolated_unless_it_is_trusted(folder: Path) -> None:
    isolated = json.loads(called("check", "porrinha", "spy.py:Spy", "--json", folder=folder).stdout)
    assert "with the referee: False" in isolated["findings"][0]["message"]
    trusted = json.loads(called("check", "porrinha", "spy.py:Spy", "--trust", "--json", folder=folder).stdout)
    assert "with the referee: True" in trusted["findings"][0]["message"]
    assert {finding["kind"] for finding in trusted["findings"]} >= {"exception"}
    assert isolated["peak_memory_bytes"] > 0 == trusted["peak_memory_bytes"]


@pytest.mark.parametrize("words", [("play", "porrinha"), ("compare", "porrinha", "--max-games", "2")])
def test_play_and_compare_say_once_that_a_player_runs_in_their_process(folder: Path, words: tuple[str, ...]) -> None:
    ran = called(*words, "spy.py:Spy", "zero", folder=folder)
    notice = "wateringhole: spy.py:Spy runs in this process"
    assert ran.stderr.count(notice) == 1, ran.stderr
    assert notice not in called(*words, "random", "zero", folder=folder).stderr
    assert notice not in called(*words, "spy.py:Spy", "zero", "--time-limit", "9", folder=folder).stderr
    assert notice not in called(*words, "spy.py:Spy", "zero", "--json", folder=folder).stderr


def test_quiet_play_does_not_say_where_a_player_runs(folder: Path) -> None:
    assert "in this process" not in called("play", "porrinha", "spy.py:Spy", "zero", "--quiet", folder=folder).stderr


def test_in_python_names_are_isolated_and_classes_are_not(
    folder: Path, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    from wateringhole.games.porrinha.bots.random import Random

    makers: list[int] = []

    class Mine(Random):
        def __init__(self) -> None:
            super().__init__()
            makers.append(os.getpid())

    monkeypatch.setitem(globals(), "Mine", Mine)
    Mine.__qualname__ = "Mine"
    wh.tournament("porrinha", ["zero", Mine], games=2)
    assert set(makers) == {os.getpid()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # there may be no sandbox
        wh.tournament("porrinha", ["zero", f"{folder}/spy.py:Spy"], games=2, store=folder / "s.sqlite")
    assert "with the referee: False" in spied(folder)
    with pytest.raises(UsageError, match=r"outside of the sandbox\. Omit trust=True or sandbox=True"):
        wh.tournament("porrinha", ["zero", Mine], games=2, trust=True, sandbox=True)
    with pytest.raises(UsageError, match=r"outside of the sandbox\. Omit trust=True or read_only"):
        wh.check("porrinha", Mine, trust=True, read_only=[folder])


@pytest.mark.usefixtures("without_bubblewrap")
def test_in_python_a_missing_sandbox_is_a_warning(folder: Path) -> None:
    with pytest.warns(
        UserWarning, match="untrusted players run without a sandbox: bubblewrap is not installed here"
    ) as warned:
        wh.check("porrinha", f"{folder}/spy.py:Spy")
    assert warned[0].filename == __file__
    with pytest.raises(UsageError, match="sandbox=True: bubblewrap is not installed here"):
        wh.check("porrinha", f"{folder}/spy.py:Spy", sandbox=True)


def test_only_bots_of_other_packages_are_untrusted_on_the_page() -> None:
    assert not has_untrusted_bots()
