"""The version of a player changes with its files, weights included, and with nothing else."""

from __future__ import annotations

import hashlib
import os
import sqlite3
from contextlib import chdir, closing
from pathlib import Path

import pytest

from wateringhole import __version__
from wateringhole.digests import digest
from wateringhole.match.versions import player_versions, short_version

BOT = "from helper import HELP\n\nclass Mine: ...\n"


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The folder of a player with a module, weights and a package."""
    home = tmp_path / "ada"
    (home / "nets").mkdir(parents=True)
    (home / "mine.py").write_text(BOT)
    (home / "helper.py").write_text("HELP = 1\n")
    (home / "weights.npz").write_bytes(bytes(range(256)))
    (home / "nets" / "table.json").write_text("{}")
    return home


def version(spec: str, *others: str) -> str | None:
    return player_versions("porrinha", [spec, *others])[0]


def test_built_in_players_have_the_version_of_this_package() -> None:
    assert player_versions("porrinha", ["zero", "Ada=random?seed=3"]) == [f"wateringhole {__version__}"] * 2


def test_the_version_of_a_file_is_that_of_a_sorted_list_of_its_files(folder: Path) -> None:
    lines = [
        f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {path.relative_to(folder)}\n"
        for path in folder.rglob("*")
        if path.is_file()
    ]
    assert len(lines) == 4
    found = version(f"Ada={folder}/mine.py:Mine?depth=2")
    assert found == digest("".join(sorted(lines)).encode())
    assert found is not None
    assert short_version(found) == found[7:15]


@pytest.mark.parametrize("file", ["mine.py", "helper.py", "weights.npz", "nets/table.json"])
def test_the_version_changes_with_every_file(file: str, folder: Path) -> None:
    before = version(f"{folder}/mine.py:Mine")
    with (folder / file).open("ab") as opened:
        opened.write(b" ")
    assert version(f"{folder}/mine.py:Mine") != before


def test_the_version_does_not_depend_on_the_current_folder(folder: Path) -> None:
    before = version(f"{folder}/mine.py:Mine")
    with chdir(folder):
        assert version("mine.py:Mine") == before
    moved = folder.rename(folder.with_name("bea"))
    assert version(f"{moved}/mine.py:Mine") == before


def write_what_is_left_out(folder: Path) -> None:
    (folder / ".git").mkdir()
    (folder / ".git" / "HEAD").write_text("main")
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "helper.pyc").write_bytes(b"compiled")
    (folder / "game.jsonl").write_text('{"format":"wateringhole-record","version":1}\n')
    (folder / "out.csv").write_text("rank,player,rating,rating_low\n")
    (folder / "out.html").write_text('<!doctype html>\n<meta name="generator" content="Watering Hole 0.1.0">\n')
    (folder / "club.sqlite-wal").write_bytes(b"new pages")
    with closing(sqlite3.connect(folder / "club.sqlite")) as store:
        store.execute("CREATE TABLE games (game INTEGER)")


def test_the_version_ignores_caches_and_what_tournaments_write(folder: Path) -> None:
    before = version(f"{folder}/mine.py:Mine")
    write_what_is_left_out(folder)
    assert version(f"{folder}/mine.py:Mine") == before


def test_players_in_one_folder_have_their_own_versions(folder: Path) -> None:
    (folder / "other.py").write_text(BOT + "\n")
    specs = [f"{folder}/mine.py:Mine", f"{folder}/other.py:Mine"]
    mine, other = player_versions("porrinha", specs)
    assert mine != other
    (folder / "other.py").write_text(BOT + "# better\n")
    again, better = player_versions("porrinha", specs)
    assert again == mine
    assert better != other


def test_the_log_folder_belongs_to_no_player(folder: Path) -> None:
    spec = f"{folder}/mine.py:Mine"
    before = version(spec)
    (folder / "logs").mkdir()
    (folder / "logs" / "Mine.log").write_text("hello")
    assert player_versions("porrinha", [spec], folder / "logs") == [before]


def test_a_file_in_a_shared_folder_is_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Path, "home", lambda: folder)
    before = version(f"{folder}/mine.py:Mine")
    (folder / "helper.py").unlink()
    assert version(f"{folder}/mine.py:Mine") == before


@pytest.mark.parametrize("command", ["cmd:./run.sh --fast", "Ada=cmd:sh run.sh"])
def test_a_program_has_the_version_of_its_folder(command: str, folder: Path) -> None:
    (folder / "run.sh").write_text("#!/bin/sh\n")
    (folder / "run.sh").chmod(0o755)
    with chdir(folder):
        before = version(command)
        assert before is not None
        (folder / "weights.npz").write_bytes(b"other weights")
        assert version(command) != before


def test_a_program_of_the_system_has_the_version_of_its_file(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "engine").write_text("#!/bin/sh\n")
    (folder / "engine").chmod(0o755)
    monkeypatch.setenv("PATH", str(folder), prepend=os.pathsep)
    line = f"{hashlib.sha256((folder / 'engine').read_bytes()).hexdigest()}  engine\n"
    assert version("cmd:engine") == digest(line.encode())


def test_a_module_has_the_version_of_its_package(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (folder / "club" / "bots").mkdir(parents=True)
    (folder / "club" / "__init__.py").write_text("raise RuntimeError('it is not imported')\n")
    (folder / "club" / "bots" / "ada.py").write_text(BOT)
    monkeypatch.syspath_prepend(folder)
    before = version("club.bots.ada:Mine")
    assert before is not None
    (folder / "weights.npz").write_bytes(b"not of the package")
    assert version("club.bots.ada:Mine") == before
    (folder / "club" / "bots" / "weights.bin").write_bytes(b"of the package")
    assert version("club.bots.ada:Mine") != before


def test_an_installed_one_has_the_version_of_its_distribution(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    metadata = tmp_path / "club_bots-1.2.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: club-bots\nVersion: 1.2\n")
    (metadata / "entry_points.txt").write_text("[wateringhole.players]\nporrinha.ada = club:Ada\n")
    monkeypatch.syspath_prepend(tmp_path)
    assert version("ada") == version("Bob=ada?depth=2") == "club-bots 1.2"


@pytest.mark.parametrize("spec", ["/nowhere/mine.py:Mine", "cmd:/nowhere/mine", "cmd:'", "no_such_module:Mine"])
def test_missing_files_have_no_version(spec: str) -> None:
    assert version(spec) is None
    assert short_version(None) == "unknown"
