"""A tournament with a seed is played again exactly: the same series, deals and games in every format."""

from __future__ import annotations

import json
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.pinned import golden
from tests.tournaments.tournaments import settings
from wateringhole.match.record import read_record
from wateringhole.tournaments.schedule import FORMATS
from wateringhole.tournaments.store import Store
from wateringhole.tournaments.tournament import Tournament

FILE = golden.FOLDER.parent / "v2" / "plans.json"
PLAYERS = ("silly", "random", "greedy", "second=silly")


def games_of(format: str, seed: int | str, folder: Path) -> list[Any]:
    """Return each game: its series, its number, its entrants, its scores, its first cards and its commitment."""
    chosen = settings(*PLAYERS, game="evolution", format=format, games=12, life=2, seed=seed)
    found = []
    with closing(Store(folder / f"{format}.sqlite")) as store:
        tournament = Tournament.start(store, chosen)
        tournament.play()
        for result in store.results(tournament.number):
            header = read_record(store.record(tournament.number, result.series, result.game)).header
            deal = [header.setup["deck"][:2], header.commitment]
            found.append([result.series, result.game, list(result.entrants), list(result.scores), *deal])
    return found


@pytest.mark.parametrize("format", FORMATS)
def test_a_pinned_seed_gives_the_pinned_games(format: str, tmp_path: Path) -> None:
    pinned = json.loads(FILE.read_text())
    assert games_of(format, pinned["seed"], tmp_path) == pinned["games"][format]
