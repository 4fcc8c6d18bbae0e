"""`new-game`: the game that it writes is complete, and invalid names are refused."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import called
from tests.conftest import ROOT
from wateringhole.cli.new_game import write_game

SRC = ROOT / "src"


def run(folder: Path, *words: str | Path) -> subprocess.CompletedProcess[str]:
    """Run a Python module in the folder of a game that is importable but not installed."""
    path = os.pathsep.join(map(str, (folder / "src", SRC)))
    return subprocess.run(
        [sys.executable, "-m", *map(str, words)],
        cwd=folder,
        env=os.environ | {"PYTHONPATH": path, "MYPYPATH": path},
        capture_output=True,
        text=True,
        timeout=300,
    )


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("games") / "pearls"
    write_game("pearls", folder)
    return folder


def test_the_tests_of_the_new_game_pass(written: Path) -> None:
    done = run(written, "pytest", "-q", "-p", "no:cacheprovider", "tests")
    assert done.returncode == 0, done.stdout
    assert "2 passed" in done.stdout


def test_the_new_game_is_typed(written: Path) -> None:
    done = run(written, "mypy", "--strict", "--python-version", "3.11", "--follow-imports", "silent", "src", "tests")
    assert done.returncode == 0, done.stdout


def test_the_new_game_is_formatted(written: Path) -> None:
    for words in (("check", "--select", "E,F,I,UP,B,SIM,RUF,C4,PT"), ("format", "--check")):
        done = run(written, "ruff", *words, "--no-cache", ".")
        assert done.returncode == 0, done.stdout


def test_no_placeholder_is_left(written: Path) -> None:
    files = [path for path in written.rglob("*") if path.is_file() and path.suffix in (".py", ".md", ".toml")]
    assert len(files) == 9
    assert not any(path.suffix == ".in" for path in written.rglob("*"))
    for path in files:
        text = path.read_text(encoding="utf-8")
        assert "GAME_" not in text
        assert "pearls" in text or "Pearls" in text or path.name in ("game.py", "test_game.py")


def test_the_next_commands_are_printed(tmp_path: Path) -> None:
    ran = called("new-game", "shells", "a/shells", folder=tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "pip install ./a/shells\n" in ran.stdout
    assert "wateringhole play shells careful careful careful" in ran.stdout
    assert (tmp_path / "a" / "shells" / "src" / "shells" / "kind.py").is_file()
    assert [path.name for path in (tmp_path / "a").iterdir()] == ["shells"]


def test_the_printed_folder_is_a_path_for_pip(tmp_path: Path) -> None:
    assert "pip install ./shells\n" in called("new-game", "shells", "shells", folder=tmp_path).stdout


def test_the_current_folder_is_filled(tmp_path: Path) -> None:
    assert called("new-game", "shells", ".", folder=tmp_path).returncode == 0
    assert (tmp_path / "pyproject.toml").is_file()


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "shells").mkdir()
    assert called("new-game", "shells", "shells", folder=tmp_path).returncode == 0
    assert (tmp_path / "shells" / "pyproject.toml").is_file()


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("Pearls", "'Pearls' is not a name for a game."),
        ("my-game", "'my-game' is not a name for a game."),
        ("2pearls", "'2pearls' is not a name for a game."),
        ("jóias", "'jóias' is not a name for a game."),
        ("class", "'class' is not a name for a game."),
        ("_pearls", "'_pearls' is not a name for a game."),
        ("wateringhole", "'wateringhole' is not a name for a game."),
        ("json", "'json' is a module of Python or of an installed package."),
        ("numpy", "'numpy' is a module of Python or of an installed package."),
        ("evolution", "'evolution' is an installed game. Choose another name."),
    ],
)
def test_invalid_names_are_usage_errors(name: str, message: str, tmp_path: Path) -> None:
    ran = called("new-game", name, "here", folder=tmp_path)
    assert ran.returncode == 2
    assert ran.stderr.startswith(f"wateringhole: {message}")
    assert list(tmp_path.iterdir()) == []


def test_nothing_is_overwritten(tmp_path: Path) -> None:
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("mine")
    (tmp_path / "file").write_text("mine")
    for target in ("full", "file"):
        ran = called("new-game", "pearls", target, folder=tmp_path)
        assert ran.returncode == 2
        assert ran.stderr == f"wateringhole: {target} exists and is not an empty folder. Choose another one.\n"
    assert sorted(path.name for path in tmp_path.rglob("*")) == ["file", "full", "mine.txt"]


def test_nothing_is_left_behind_when_writing_fails(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(Path, "write_text", full)
    ran = called("new-game", "pearls", "pearls", folder=tmp_path)
    assert ran.returncode == 1
    assert ran.stderr == "wateringhole: pearls cannot be written: No space left on device.\n"
    assert list(tmp_path.iterdir()) == []
