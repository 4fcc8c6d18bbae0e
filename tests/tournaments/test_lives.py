"""A player object never sees a deal twice, and what it remembers ends with its life."""

from __future__ import annotations

import collections
import shutil
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.tournaments.tournaments import settings
from wateringhole import registry
from wateringhole.match.record import Record, read_record
from wateringhole.match.specs import parse_specs
from wateringhole.tournaments.compare import Comparison
from wateringhole.tournaments.executors import Processes
from wateringhole.tournaments.schedule import FORMATS
from wateringhole.tournaments.store import Store
from wateringhole.tournaments.tournament import Tournament

REMEMBERS_EVERYTHING = '''
import builtins
import tempfile
from pathlib import Path

from wateringhole.games.evolution.bots.silly import Silly

WHERE = {where!r}
NAME = "remembered-by-{name}.txt"
in_module = []


class {name}(Silly):
    """Fails if it has seen its first hand of a game before, in a place that it may have remembered."""

    in_class = []

    def __init__(self):
        super().__init__()
        self.in_object = []
        self.is_new_game = False

    def on_seated(self, assignment):
        self.is_new_game = True

    def choose(self, request):
        if self.is_new_game:
            self.is_new_game = False
            self.recall(" ".join(sorted(map(str, request.view.hand))))
        return super().choose(request)

    def recall(self, hand):
        if hand in self.in_object:
            raise RuntimeError("the object knows this deal")
        self.in_object.append(hand)
        # The first hand in a life meets what others have left behind.
        if len(self.in_object) == 1:
            for place, hands in self.places():
                if place in WHERE and hands:
                    raise RuntimeError(place + " survived")
        self.remember(hand)

    def files(self):
        folders = Path.cwd(), Path(tempfile.gettempdir()), Path("/tmp"), Path(__file__).parent
        return [folder / NAME for folder in folders]

    def places(self):
        yield "module", in_module
        yield "class", self.in_class
        yield "builtins", getattr(builtins, NAME, [])
        yield "scratch", [path for path in self.files()[:2] if path.exists()]
        yield "files", [path for path in self.files() if path.exists()]

    def remember(self, hand):
        in_module.append(hand)
        self.in_class.append(hand)
        setattr(builtins, NAME, [*getattr(builtins, NAME, []), hand])
        for path in self.files():
            try:
                path.write_text(hand)
            except OSError:
                pass  # read-only
'''


def remembering(folder: Path, *where: str) -> str:
    """Write a player that remembers every hand everywhere, and fails if a place in `where` outlives its life."""
    name = f"Elephant{abs(hash(folder)) % 10**9}"
    path = folder / "player" / "elephant.py"
    path.parent.mkdir()
    path.write_text(REMEMBERS_EVERYTHING.format(where=where, name=name))
    return f"{path}:{name}"


@pytest.fixture(autouse=True)
def own_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    (tmp_path / "cwd").mkdir()
    monkeypatch.chdir(tmp_path / "cwd")
    yield
    for path in Path("/tmp").glob("remembered-by-Elephant*.txt"):
        path.unlink(missing_ok=True)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(Store(tmp_path / "lives.sqlite")) as opened:
        yield opened


def play(store: Store, *players: str, workers: int = 1, **changes: Any) -> list[Record]:
    """Play a tournament of Evolution and return all records."""
    chosen = settings(*players, game="evolution", **changes)
    played = Tournament.start(store, chosen, Processes(workers)) if workers > 1 else Tournament.start(store, chosen)
    played.play()
    results = store.results(played.number)
    return [read_record(store.record(played.number, each.series, each.game)) for each in results]


def forfeits(records: list[Record]) -> set[str]:
    return {
        line.forfeit.message.rpartition(": ")[2]
        for record in records
        for line in record.answers
        if line.forfeit is not msgspec.UNSET
    }


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("life", [1, 2, 4])
def test_each_deal_is_played_from_every_seat_in_different_lives(format: str, life: int, store: Store) -> None:
    chosen = settings("silly", "greedy", "a=silly", "b=silly", game="evolution", format=format, games=20, life=life)
    played = Tournament.start(store, chosen)
    played.play()
    lives = collections.defaultdict(list)
    seatings = collections.defaultdict(list)
    for result in store.results(played.number):
        deck = tuple(map(str, read_record(store.record(played.number, result.series, result.game)).setup.deck))
        lives[result.series].append(deck)
        seatings[deck].append(result.entrants)
    for decks in lives.values():
        assert len(set(decks)) == len(decks) == life
    for entrants in seatings.values():
        first = entrants[0]
        assert sorted(entrants) == sorted(first[shift:] + first[:shift] for shift in range(3))


def test_an_object_that_remembers_everything_sees_no_deal_twice(store: Store, tmp_path: Path) -> None:
    records = play(store, remembering(tmp_path), "silly", "greedy", games=36, life=6)
    assert len(records) == 36
    assert forfeits(records) == set()


def test_a_player_in_this_process_meets_the_globals_of_earlier_lives(store: Store, tmp_path: Path) -> None:
    assert forfeits(play(store, remembering(tmp_path, "module"), "silly", "greedy", games=9, life=3)) == {
        "module survived"
    }


def test_nothing_in_the_memory_of_an_isolated_player_survives_its_life(store: Store, tmp_path: Path) -> None:
    spec = remembering(tmp_path, "module", "class", "builtins")
    records = play(store, spec, "silly", "greedy", games=9, life=3, time_limit=20.0, workers=2)
    assert len(records) == 9
    assert forfeits(records) == set()


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed")
def test_nothing_that_a_sandboxed_player_wrote_survives_its_life(store: Store, tmp_path: Path) -> None:
    spec = remembering(tmp_path, "module", "class", "builtins", "scratch", "files")
    records = play(store, spec, "silly", "greedy", games=9, life=3, sandbox=True)
    assert len(records) == 9
    assert forfeits(records) == set()


def test_files_of_an_isolated_player_without_a_sandbox_survive(store: Store, tmp_path: Path) -> None:
    spec = remembering(tmp_path, "files")
    assert forfeits(play(store, spec, "silly", "greedy", games=9, life=3, time_limit=20.0)) == {"files survived"}


@pytest.mark.parametrize("others", [(), ("silly", "random")])
def test_an_object_in_a_comparison_sees_no_deal_twice(others: tuple[str, ...], tmp_path: Path) -> None:
    specs = (remembering(tmp_path), "silly", *(others or ("silly",)))
    kind = registry.game_kind("evolution")
    comparison = Comparison(
        kind=kind, players=parse_specs("evolution", specs), rules=kind.default_rules, seed=3, life=5
    )
    for _, round in zip(range(3), comparison.rounds(), strict=False):
        assert not round.new_thrown_out
