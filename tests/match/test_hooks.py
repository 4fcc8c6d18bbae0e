"""Warnings about methods that look like misspelled hooks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import wateringhole as wh
from tests.cli.running import called
from tests.cli.test_check import checked
from tests.cli.test_host_join import hosting, joins
from wateringhole.games import evolution, porrinha
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.match.hooks import misspelled_hooks


def warning_of(base: type[Any], *methods: str, **more: Any) -> list[str]:
    """Return the warnings, without the lines, for a player that defines methods with these names."""
    mine = type("Mine", (base,), {**{name: lambda self, *_: None for name in methods}, **more, "__module__": "mine"})
    return [warning.partition(" (")[0] + warning.partition(")")[2] for warning in misspelled_hooks(mine())]


@pytest.mark.parametrize(
    ("base", "name", "hook"),
    [
        (evolution.StepwisePlayer, "select_atack", "select_attack"),
        (evolution.StepwisePlayer, "trade_cards_for_board", "trade_cards_for_boards"),
        (evolution.Player, "chose", "choose"),
        (evolution.Player, "feedNext", "feed_next"),
        (porrinha.Player, "gues", "guess"),
        (porrinha.Player, "endRound", "end_round"),
        (porrinha.Player, "on_events", "on_event"),
    ],
)
def test_method_with_a_name_similar_to_a_hook_is_reported(base: type[Any], name: str, hook: str) -> None:
    assert warning_of(base, name) == [f"Mine.{name} is never called. Did you mean {hook}?"]


@pytest.mark.parametrize("name", ["choose", "choose_food", "_chose", "evaluate", "best_board", "select_feed"])
def test_hooks_helpers_and_private_methods_are_not_reported(name: str) -> None:
    assert warning_of(evolution.Player, name) == []


def test_method_that_another_method_uses_is_a_helper() -> None:
    def hand(self: Any) -> Any:
        return max(self.hands() for _ in range(1))

    assert warning_of(porrinha.Player, "hands") == ["Mine.hands is never called. Did you mean hand?"]
    assert warning_of(porrinha.Player, "hands", hand=hand) == []


def test_inherited_method_is_reported_with_its_class() -> None:
    parent: Any = type("Parent", (porrinha.Player,), {"gues": lambda self: 1, "__module__": "mine"})
    child = type("Child", (parent,), {"__module__": "mine"})
    (warning,) = misspelled_hooks(child())
    assert warning.startswith("Parent.gues (test_hooks.py, line ")


def test_builtin_players_get_no_warning() -> None:
    assert misspelled_hooks(Silly()) == ()


MINE = """
from wateringhole.games.evolution import StepwisePlayer


class Mine(StepwisePlayer):
    def select_atack(self, board, player, opponents):
        return None
"""
WARNING = "Mine.select_atack (mine.py, line 6) is never called. Did you mean select_attack?"


@pytest.mark.parametrize("options", [(), ("--time-limit", "10")], ids=["in this process", "isolated"])
def test_play_prints_the_warning_once_on_standard_error(options: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    players = ("mine.py:Mine", "mine.py:Mine", "silly")
    ran = called("play", "evolution", *players, "--seed", "1", *options, folder=tmp_path)
    assert ran.returncode == 0
    assert ran.stderr.count(f"warning  {WARNING}\n") == 1
    assert "never called" not in ran.stdout


def test_check_reports_the_warning(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    report = checked("evolution", "mine.py:Mine", status=0, folder=tmp_path)
    findings = [finding for finding in report["findings"] if finding["kind"] == "never-called"]
    assert [(finding["is_problem"], finding["message"]) for finding in findings] == [(False, WARNING)]


@pytest.mark.parametrize("limits", [{}, {"time_limit": 10.0}], ids=["in this process", "isolated"])
def test_play_in_python_warns_once_where_it_was_called(limits: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    mine = f"{tmp_path}/mine.py:Mine"
    with pytest.warns(UserWarning, match="never called") as warned:
        wh.play("evolution", [mine, mine, "silly"], seed=1, **limits)
    assert [(str(each.message), each.filename) for each in warned] == [(WARNING, __file__)]


@pytest.mark.parametrize("protocol", ["json", "course"])
def test_join_reports_the_warning(protocol: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    with hosting("evolution", "--bots", "silly") as host:
        joined = joins(host.where, f"{tmp_path}/mine.py:Mine", "--protocol", protocol)
        host.end()
    assert joined.stderr.count(f"join: warning: {WARNING}\n") == 1
