"""Tournaments play and count the same games with any workers and after any interruption."""

from __future__ import annotations

import os
import signal
import sys
import threading
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path

import pytest

from tests.tournaments.tournaments import outcomes, settings
from wateringhole import registry
from wateringhole.errors import OperationError, UsageError
from wateringhole.match.record import read_record
from wateringhole.match.specs import parse_specs
from wateringhole.tournaments import tournament as tournament_module
from wateringhole.tournaments.executors import IN_PROCESS, Processes
from wateringhole.tournaments.jobs import player_seed
from wateringhole.tournaments.results import GameResult
from wateringhole.tournaments.schedule import FORMATS
from wateringhole.tournaments.settings import Settings, new_settings
from wateringhole.tournaments.store import Store
from wateringhole.tournaments.tournament import Tournament, games_in_all

TWO_WORKERS = Processes(2)


@pytest.fixture
def file_store(tmp_path: Path) -> Iterator[Store]:
    with closing(Store(tmp_path / "tournaments.sqlite")) as store:
        yield store


def uninterrupted(chosen: Settings, folder: Path) -> list[GameResult]:
    with closing(Store(folder / "uninterrupted.sqlite")) as store:
        played = Tournament.start(store, chosen)
        played.play()
        return outcomes(store, played.number)


def bot(folder: Path, code: str) -> str:
    """Write a Porrinha player that runs some code at each request for a hand."""
    path = folder / "bot.py"
    path.write_text(
        "import os, signal\n"
        "from pathlib import Path\n"
        "from wateringhole.games.porrinha.bots.zero import Zero\n"
        "class Bot(Zero):\n"
        "    def hand(self, *args, **kwargs):\n"
        f"        {code}\n"
        "        return super().hand(*args, **kwargs)\n"
    )
    return f"{path}:Bot"


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_is_played_to_its_end(format: str, location: str, tmp_path: Path) -> None:
    chosen = settings("random", "zero", "counter", "a=random", "b=zero", format=format, games=24)
    store = Store(location)
    played = Tournament.start(store, chosen)
    played.play()
    stored = store.tournament(played.number)
    assert stored.finished is not None
    assert stored.progress.open_series == 0
    assert stored.progress.finished == games_in_all(chosen) == len(outcomes(store, played.number))
    assert outcomes(store, played.number) == uninterrupted(chosen, tmp_path)
    store.close()


def test_two_workers_give_the_same_games_as_one_process(file_store: Store, tmp_path: Path) -> None:
    chosen = settings("silly", "random", "greedy", game="evolution", games=9)
    played = Tournament.start(file_store, chosen, TWO_WORKERS)
    played.play()
    assert outcomes(file_store, played.number) == uninterrupted(chosen, tmp_path)


def test_records_replay_to_the_results_that_count(file_store: Store) -> None:
    played = Tournament.start(file_store, settings(games=6))
    played.play()
    for result in file_store.results(played.number):
        record = read_record(file_store.record(played.number, result.series, result.game))
        replay = record.replay()
        for _ in replay.events():
            pass
        assert replay.game.outcome is not None
        assert tuple(place for _, place in sorted(replay.game.outcome.places().items())) == result.places
        assert record.header.names == tuple(played.settings.names[each] for each in result.entrants)


@pytest.mark.parametrize(
    ("game", "players"), [("evolution", ("silly", "random", "greedy")), ("porrinha", ("random", "zero", "counter"))]
)
def test_turns_and_highlights_are_those_that_a_replay_shows(
    game: str, players: tuple[str, ...], file_store: Store
) -> None:
    # Counting looks at the types of events only, which must agree with the events.
    kind = registry.game_kind(game)
    played = Tournament.start(file_store, settings(*players, game=game, games=3))
    played.play()
    for result in file_store.results(played.number):
        events = list(read_record(file_store.record(played.number, result.series, result.game)).replay().events())
        assert result.turns == sum(kind.turn_of(event) is not None for event in events) > 0
        counted = None if kind.highlight is None else sum(map(kind.highlight.is_one, events))
        assert result.highlights == counted


@pytest.mark.parametrize("format", ["swiss", "ladder"])
def test_a_tournament_in_rounds_reads_no_result_that_it_knows(
    format: str, file_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    read: list[int] = []
    results = Store.results

    def counting(store: Store, *words: int, **more: int) -> Iterator[GameResult]:
        for result in results(store, *words, **more):
            read.append(result.series)
            yield result

    monkeypatch.setattr(Store, "results", counting)
    played = Tournament.start(file_store, settings(format=format, games=60))
    played.play()
    assert read == []
    # A process that resumes it reads everything once, and never again.
    half = Tournament.start(file_store, settings(format=format, games=60))
    with pytest.raises(Enough):
        half.play(stop_after(30, []))
    known = file_store.progress(half.number).finished
    Tournament.resume(file_store, half.number).play()
    assert known >= 30
    assert len(read) == known


@pytest.mark.parametrize("format", ["swiss", "ladder"])
def test_only_the_open_round_of_other_processes_is_read(
    format: str, file_store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds = 20
    read: list[int] = []
    first = Tournament.start(file_store, settings(format=format, games=3 * rounds))
    second = Tournament(file_store, first.number)
    results = Store.results

    def counting(store: Store, *words: int, **more: int) -> Iterator[GameResult]:
        for result in results(store, *words, **more):
            read.append(result.series)
            yield result

    monkeypatch.setattr(Store, "results", counting)
    # They alternate, a round each.
    for number in range(rounds):
        with pytest.raises(Enough):
            (first, second)[number % 2].play(stop_after(1, []))
    first.play()
    assert file_store.progress(first.number).finished == 3 * rounds
    assert len(read) <= 2 * 3 * rounds


class Enough(Exception):
    """The listener has seen enough games."""


def stop_after(games: int, seen: list[GameResult]) -> tournament_module.Listener:
    """Return a listener that raises Enough after a number of games."""

    def listen(results: Sequence[GameResult]) -> None:
        seen.extend(results)
        if len(seen) >= games:
            raise Enough

    return listen


def test_missing_games_are_played_after_an_interruption(
    location: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(IN_PROCESS, "job_seconds", 0.001)
    chosen = settings(games=60)
    store = Store(location)
    played = Tournament.start(store, chosen)
    seen: list[GameResult] = []

    for games in (9, 21, 40):
        with pytest.raises(Enough):
            Tournament.resume(store, played.number).play(stop_after(games, seen))
        assert store.progress(played.number).finished == len(seen)
    Tournament.resume(store, played.number).play(stop_after(999, seen))
    assert len(seen) == 60
    assert len({(result.series, result.game) for result in seen}) == 60
    assert outcomes(store, played.number) == uninterrupted(chosen, tmp_path)
    store.close()


PROGRAM = """
import json, pathlib, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "hello", "protocol": 1, "name": pathlib.Path(sys.argv[1]).read_text()}), flush=True)
    elif message["type"] == "request":
        print(json.dumps({"type": "pass", "id": message["id"]}), flush=True)
"""


def test_a_program_keeps_the_name_that_it_reports_at_the_start(file_store: Store, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(PROGRAM)
    name = tmp_path / "name"
    name.write_text("Ada")
    command = f"cmd:{sys.executable} {tmp_path}/program.py {name}"
    kind = registry.game_kind("porrinha")
    chosen = new_settings(kind, ["zero", command, f"Bea={command}"], rules=kind.default_rules, games=6, seed=1)
    number = Tournament.start(file_store, chosen).number
    # It reports another name to the process that plays its games.
    name.write_text("Eve")
    resumed = Tournament.resume(file_store, number)
    resumed.play()
    names = ("zero", "Ada", "Bea")
    assert resumed.settings.names == file_store.tournament(number).settings.names == names
    for result in outcomes(file_store, number):
        record = read_record(file_store.record(number, result.series, result.game))
        assert record.header.names == tuple(names[entrant] for entrant in result.entrants)


def test_a_tournament_without_a_plan_is_planned_on_resume(file_store: Store, tmp_path: Path) -> None:
    number = file_store.create(settings())
    Tournament.resume(file_store, number).play()
    assert outcomes(file_store, number) == uninterrupted(settings(), tmp_path)


def test_two_processes_on_one_store_play_every_game_once(
    location: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(IN_PROCESS, "job_seconds", 0.001)
    monkeypatch.setattr(tournament_module, "WAIT_SECONDS", 0.01)
    chosen = settings(format="swiss", games=60)
    stores = [Store(location), Store(location)]
    number = Tournament.start(stores[0], chosen).number
    seen: list[tuple[int, int]] = []

    def play(store: Store) -> None:
        Tournament(store, number).play(
            listener=lambda results: seen.extend((result.series, result.game) for result in results)
        )

    threads = [threading.Thread(target=play, args=(store,)) for store in stores]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(seen) == len(set(seen)) == 60
    assert outcomes(stores[1], number) == uninterrupted(chosen, tmp_path)
    for store in stores:
        store.close()


def test_a_series_whose_worker_was_killed_is_played_again(file_store: Store, tmp_path: Path) -> None:
    mark = tmp_path / "killed"
    code = f"Path({str(mark)!r}).exists() or (Path({str(mark)!r}).touch(), os.kill(os.getpid(), signal.SIGKILL))"
    chosen = settings("random", "zero", bot(tmp_path, code), games=30)
    played = Tournament.start(file_store, chosen, TWO_WORKERS)
    played.play()
    assert mark.exists()
    assert outcomes(file_store, played.number) == uninterrupted(chosen, tmp_path)


def test_a_series_that_always_kills_its_worker_is_named(file_store: Store, tmp_path: Path) -> None:
    killer = bot(tmp_path, "os.kill(os.getpid(), signal.SIGKILL)")
    chosen = settings("random", "zero", "counter", killer, names=("A", "B", "C", "Killer"), games=12)
    played = Tournament.start(file_store, chosen, TWO_WORKERS)
    with pytest.raises(OperationError, match=r"series \d+ with .*Killer.* crashed its worker twice"):
        played.play()
    # The leases were released.
    assert file_store.claim(played.number, 99)


def test_with_a_time_limit_a_crashing_player_crashes_only_itself(file_store: Store, tmp_path: Path) -> None:
    killer = bot(tmp_path, "os.kill(os.getpid(), signal.SIGKILL)")
    chosen = settings("random", "zero", killer, games=3, time_limit=20.0)
    played = Tournament.start(file_store, chosen)
    played.play()
    for result in file_store.results(played.number):
        assert result.thrown_out[result.entrants.index(2)] == "disconnected"
        assert result.places[result.entrants.index(2)] == 3


def test_a_player_that_cannot_be_created_forfeits(file_store: Store, tmp_path: Path) -> None:
    path = tmp_path / "shy.py"
    path.write_text(
        "from wateringhole.games.porrinha.bots.zero import Zero\n"
        "made = []\n"
        "class Shy(Zero):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        "        made.append(self)\n"
        "        if len(made) > 1:\n"
        "            raise RuntimeError('not today')\n"
    )
    played = Tournament.start(file_store, settings("random", "zero", f"{path}:Shy", games=3))
    played.play()
    reasons = [result.thrown_out[result.entrants.index(2)] for result in file_store.results(played.number)]
    assert reasons == ["disconnected"] * 3


@pytest.mark.parametrize(
    ("players", "message"),
    [
        (("random", "zero", "unknown"), "no installed player 'unknown'"),
        (("random", "zero", "human"), "humans cannot play"),
        (("random", "zero", "cmd:false"), "did not introduce itself"),
    ],
)
def test_players_that_cannot_play_are_found_before_the_first_game(
    players: tuple[str, ...], message: str, file_store: Store
) -> None:
    with pytest.raises(UsageError, match=message):
        Tournament.start(file_store, settings(*players))
    assert file_store.tournaments() == []


def test_a_different_rules_version_is_refused(file_store: Store) -> None:
    number = file_store.create(settings(rules_version=0))
    with pytest.raises(OperationError, match="started with version 0 of the rules of porrinha"):
        Tournament.resume(file_store, number)


def test_each_series_and_seat_has_its_own_player_seed() -> None:
    seeds = {player_seed(series, seat) for series in range(100) for seat in range(8)}
    assert len(seeds) == 800
    assert player_seed(7, 1) == player_seed(7, 1)


def test_players_that_take_a_seed_get_one_unless_given(tmp_path: Path) -> None:
    path = tmp_path / "seeded.py"
    path.write_text(
        "from wateringhole.games.porrinha.bots.zero import Zero\n"
        "class Seeded(Zero):\n"
        "    def __init__(self, seed=None):\n"
        "        super().__init__(seed)\n"
        "        self.seed = seed\n"
        "class Seedless(Zero):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
    )
    specs = [f"{path}:Seeded", f"{path}:Seeded?seed=5", f"{path}:Seedless"]
    players = [named.make(11) for named in parse_specs("porrinha", specs)]
    assert [getattr(player, "seed", None) for player in players] == [11, 5, None]


def test_workers_exit_with_their_parent_process(tmp_path: Path) -> None:
    with TWO_WORKERS.executor() as executor:
        pids = {executor.submit(os.getpid).result() for _ in range(4)}
        assert os.getpid() not in pids
    for pid in pids:
        with pytest.raises(ProcessLookupError):
            os.kill(pid, signal.SIGTERM)


def test_the_number_of_games_is_rounded_up_to_whole_series_and_rounds() -> None:
    table = [
        ("round-robin", 31, 33),
        ("gauntlet", 30, 30),
        ("swiss", 31, 33),
        ("ladder", 31, 31),
    ]
    assert [games_in_all(settings(format=format, games=games)) for format, games, _ in table] == [
        expected for _, _, expected in table
    ]
    assert games_in_all(settings(format="ladder", games=None)) is None
