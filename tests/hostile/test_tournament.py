"""Four known attacks on tournaments.  All fail in a tournament without options, and succeed without its protection."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.cli.running import Ran, wateringhole
from tests.tournaments.test_lives import remembering
from wateringhole.errors import UsageError
from wateringhole.process.sandbox import check_sandbox

HOSTILE = """
import contextlib, gc, json, sqlite3, sys
from pathlib import Path
from wateringhole.games.evolution.bots.silly import Silly

class Hostile(Silly):
    has_attacked = False

    def choose(self, request):
        if not self.has_attacked:
            self.has_attacked = True
            with contextlib.suppress(OSError, sqlite3.Error):
                self.attack(request)
        return super().choose(request)

    def attack(self, request):
"""

THIEF = """
        for path in Path(__file__).parents[2].rglob("*.sqlite"):
            with contextlib.closing(sqlite3.connect(f"file:{path}?mode=ro", uri=True)) as store:
                for text, in store.execute("SELECT settings FROM tournaments"):
                    raise RuntimeError(f"the seed is {json.loads(text)['seed']}")
"""
"""Reads the live store, finds the seed, and fails with it."""

FORGER = """
        frames = []
        frame = sys._getframe()
        while frame := frame.f_back:
            frames += frame.f_locals.values()
        for each in [*frames, *gc.get_objects()]:
            if type(each).__name__ == "PlayerState" and each.seat == request.seat:
                each.bag = 1002
"""
"""Looks through the frames below its own and all objects, and sets its score."""

DELETER = """
        for path in Path(__file__).parents[2].glob("club.sqlite*"):
            path.unlink()
"""
"""Deletes the store."""


ATTEMPTS = 3
"""On a very busy machine, a player may start too late; a fault of the tournament shows in each attempt."""


class Club(NamedTuple):
    """A tournament that was played."""

    folder: Path
    ran: Ran

    @property
    def players(self) -> dict[str, Any]:
        """The standings by name."""
        return {player["name"]: player for player in json.loads(self.ran.stdout)["standings"]["players"]}


def submit(folder: Path, name: str, attack: str) -> str:
    """Write a submission, and return its spec."""
    path = folder / "submissions" / name / "player.py"
    path.parent.mkdir(parents=True)
    path.write_text(HOSTILE + attack)
    return f"{name}=submissions/{name}/player.py:Hostile"


def play(folder: Path, *players: str) -> Club:
    """Play a tournament of a few games in a folder.  `players` may end with options."""
    words = ("tournament", "evolution", "greedy", *players, "--games", "1", "--store", "club.sqlite", "--json")
    for _ in range(ATTEMPTS):
        ran = wateringhole(*words, folder=folder)
        if "did not introduce itself" not in ran.stderr:
            break
        (folder / "club.sqlite").unlink()
    return Club(folder, ran)


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Club:
    """A tournament without options, with a player that attempts three attacks and one that remembers everything."""
    try:
        check_sandbox()
    except UsageError as why:
        pytest.skip(str(why))
    folder = tmp_path_factory.mktemp("club")
    elephant = remembering(folder, "module", "class", "builtins", "scratch", "files")
    return play(folder, submit(folder, "hostile", FORGER + THIEF + DELETER), f"elephant={elephant}", "--life", "2")


def test_the_tournament_is_complete(club: Club) -> None:
    assert club.ran.returncode == 0, club.ran.stderr
    assert {player["games"] for player in club.players.values()} == {6}
    assert club.players["greedy"]["thrown_out"] == {}
    verified = wateringhole("standings", "1", "--store", "club.sqlite", "--verify", folder=club.folder)
    assert verified.returncode == 0, verified.stderr


def test_no_player_finds_the_seed_in_the_store(club: Club) -> None:
    assert club.players["hostile"]["thrown_out"] == {}


def test_no_player_recognizes_a_deal(club: Club) -> None:
    assert club.players["elephant"]["thrown_out"] == {}


def test_no_player_changes_its_score(club: Club) -> None:
    assert club.players["hostile"]["mean_score"]["value"] < 200


def test_no_player_deletes_the_store(club: Club) -> None:
    assert (club.folder / "club.sqlite").exists()


# Without the protection


@pytest.mark.slow
def test_outside_of_the_sandbox_a_player_finds_the_seed(tmp_path: Path) -> None:
    club = play(tmp_path, submit(tmp_path, "thief", THIEF), "silly", "--sandbox", "none")
    assert sum(club.players["thief"]["thrown_out"].values()) > 0


@pytest.mark.slow
def test_a_trusted_player_recognizes_a_deal(tmp_path: Path) -> None:
    elephant = remembering(tmp_path, "module")
    club = play(tmp_path, f"elephant={elephant}", "silly", "--trust")
    Path(f"/tmp/remembered-by-{elephant.rpartition(':')[2]}.txt").unlink(missing_ok=True)
    assert sum(club.players["elephant"]["thrown_out"].values()) > 0


@pytest.mark.slow
def test_a_trusted_player_changes_its_score_and_verifying_names_the_game(tmp_path: Path) -> None:
    club = play(tmp_path, submit(tmp_path, "forger", FORGER), "silly", "--trust")
    # It attacks in one of three games.
    assert club.players["forger"]["mean_score"]["value"] > 1002 / 3
    verified = wateringhole("standings", "1", "--store", "club.sqlite", "--verify", folder=tmp_path)
    assert verified.returncode == 1
    assert "game 0 of series 0" in verified.stderr


@pytest.mark.slow
def test_a_store_that_a_trusted_player_deletes_ends_the_command(tmp_path: Path) -> None:
    club = play(tmp_path, submit(tmp_path, "deleter", DELETER), "silly", "--trust")
    assert club.ran.returncode == 1
    assert "was deleted or replaced while it was in use" in club.ran.stderr
