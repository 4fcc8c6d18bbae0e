"""The cache of solutions, intact or damaged."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from wateringhole.folders import cache_folder
from wateringhole.games.porrinha.solver import cache, cfr, solution


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    return tmp_path / "wateringhole"


@pytest.mark.usefixtures("home")
def test_a_cached_solution_is_not_solved_again(monkeypatch: pytest.MonkeyPatch) -> None:
    solved = solution.load_or_solve(2)
    monkeypatch.setattr(solution, "solve", None)
    assert solution.load_or_solve(2) == solved


def test_storing_leaves_no_temporary_file(home: Path) -> None:
    solution.load_or_solve(1, "rotate")
    assert [file.name for file in home.iterdir()] == ["porrinha-exact-1-rotate-allowed.json"]


@pytest.mark.parametrize(
    "content",
    [
        pytest.param(b"", id="empty"),
        pytest.param(b'{"format": 1, "game": "porr', id="half a file"),
        pytest.param(b"\xff\xfe", id="no text"),
        pytest.param(b"[]", id="something else"),
        pytest.param(b"[" * 100_000, id="too deep"),
        pytest.param(json.dumps({"format": 1, "game": "evolution"}).encode(), id="of another game"),
        pytest.param(json.dumps(solution.to_json(solution.solve(1, "rotate"))).encode(), id="of other rules"),
    ],
)
def test_an_invalid_cache_file_is_solved_again(home: Path, content: bytes) -> None:
    file = home / "porrinha-exact-1-winner-allowed.json"
    home.mkdir()
    file.write_bytes(content)
    solved = solution.load_or_solve(1)
    assert (solved.sticks, solved.lead_after_win) == (1, "winner")
    assert solution.from_json(json.loads(file.read_bytes())) == solved


def test_an_unwritable_cache_is_no_error(home: Path) -> None:
    home.write_text("a file where the folder should be")
    assert solution.load_or_solve(1).values == {(1, 1): pytest.approx(0.5)}


def test_a_failed_write_keeps_the_old_file(home: Path) -> None:
    cache.store("numbers", [1, 2])
    with pytest.raises(TypeError):
        cache.store("numbers", [1, object()])
    assert cache.load("numbers") == [1, 2]
    assert [file.name for file in home.iterdir()] == ["numbers.json"]


@pytest.mark.parametrize("value", ["", "relative/path"])
def test_a_relative_cache_home_is_ignored(value: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", value)
    monkeypatch.setenv("HOME", "/somewhere")
    assert cache_folder() == Path("/somewhere/.cache/wateringhole")


@pytest.mark.usefixtures("home")
def test_a_cached_strategy_is_not_trained_again(monkeypatch: pytest.MonkeyPatch) -> None:
    trained = cfr.load_or_train(3, 1)
    monkeypatch.setattr(cfr, "train", None)
    assert cfr.load_or_train(3, 1) == trained


@pytest.mark.parametrize(
    "damage",
    [
        pytest.param({"hands": {"0,1": [0.5, 0.5]}}, id="a number short"),
        pytest.param({"hands": {"0,1,2": [0.5]}}, id="a hand short"),
        pytest.param({"hands": {"0,1,2": [0.9, 0.9]}}, id="more than certain"),
        pytest.param({"guesses": {"a,b,c,d": []}}, id="no numbers"),
        pytest.param({"players": 4}, id="of another table"),
    ],
)
def test_an_invalid_cached_strategy_is_trained_again(home: Path, damage: dict[str, Any]) -> None:
    trained = cfr.load_or_train(3, 1)
    file = home / "porrinha-cfr-3-1-last_loses.json"
    file.write_text(json.dumps(cfr.to_json(trained) | damage))
    assert cfr.load_or_train(3, 1) == trained
    assert cfr.from_json(json.loads(file.read_bytes())) == trained
