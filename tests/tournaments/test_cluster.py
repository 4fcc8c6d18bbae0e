"""A Dask cluster plays the same games, even if workers crash."""

from __future__ import annotations

import json
import signal
import socket
import sys
import threading
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import distributed
import msgspec
import pytest

from tests.cli.running import called, wateringhole
from tests.tournaments.clusters import DaskCluster, dask_cluster, dask_worker
from tests.tournaments.long_tournaments import MANY, games_in, standings, started, wait_for_games
from tests.tournaments.tournaments import outcomes, settings
from tests.waiting import eventually
from wateringhole.cli import tournament as command
from wateringhole.errors import OperationError, UsageError
from wateringhole.tournaments import cluster as cluster_module
from wateringhole.tournaments.cluster import Cluster, connect
from wateringhole.tournaments.executors import Processes
from wateringhole.tournaments.jobs import play_job
from wateringhole.tournaments.results import GameResult
from wateringhole.tournaments.settings import Settings
from wateringhole.tournaments.store import Store
from wateringhole.tournaments.tournament import Tournament

BOT = """
import os, signal
from pathlib import Path
from helper import stick
from wateringhole.games.porrinha.bots.zero import Zero

class Bot(Zero):
    def hand(self, *args, **kwargs):
        stick()
        return super().hand(*args, **kwargs)
"""


READER = """
from pathlib import Path
from wateringhole.games import porrinha

NAME = (Path(__file__).parent / "data" / "name.txt").read_text()

class Mine(getattr(porrinha, NAME)):
    pass
"""


def worker_names(address: str) -> set[str]:
    """Return the names of the workers that have joined a cluster."""
    with distributed.Client(address, set_as_default=False) as client:
        return {str(worker["name"]) for worker in client.scheduler_info(n_workers=-1)["workers"].values()}


@pytest.fixture(scope="module")
def dask(tmp_path_factory: pytest.TempPathFactory) -> Iterator[DaskCluster]:
    """A cluster of two workers that are not killed."""
    with dask_cluster(tmp_path_factory.mktemp("dask"), 2) as cluster:
        yield cluster


@pytest.fixture
def doomed(tmp_path: Path) -> Iterator[DaskCluster]:
    """A cluster of two workers and a scheduler that may be killed."""
    with dask_cluster(tmp_path, 2) as cluster:
        yield cluster


def bot(folder: Path, helper: str = "pass") -> str:
    """Write a Porrinha player that imports a second file, whose code runs at each request for a hand."""
    bots = folder / "bots"
    bots.mkdir(exist_ok=True)
    (bots / "mine.py").write_text(BOT)
    (bots / "helper.py").write_text(f"import os, signal\nfrom pathlib import Path\ndef stick():\n    {helper}\n")
    return f"{bots / 'mine.py'}:Bot"


def played_on(dask: DaskCluster, chosen: Settings, folder: Path) -> list[GameResult]:
    with closing(Store(folder / "cluster.sqlite")) as store, connect(dask.address) as cluster:
        tournament = Tournament.start(store, chosen, cluster)
        tournament.play()
        return outcomes(store, tournament.number)


def uninterrupted(chosen: Settings, folder: Path) -> list[GameResult]:
    with closing(Store(folder / "uninterrupted.sqlite")) as store:
        tournament = Tournament.start(store, chosen, Processes(1))
        tournament.play()
        return outcomes(store, tournament.number)


def test_one_process_two_workers_and_a_cluster_give_the_same_standings(dask: DaskCluster, tmp_path: Path) -> None:
    bot(tmp_path)
    # The path is relative to the folder of the command, which is not that of a worker.
    words = (
        "tournament",
        "porrinha",
        "random",
        "zero",
        "counter",
        "./mine.py:Bot",
        "--games",
        "240",
        "--life",
        "4",
        "--seed",
        "5",
    )

    def printed(*where: str) -> Any:
        store = str(tmp_path / f"store {where}.sqlite")
        return standings(called(*words, "--json", "--store", store, *where, folder=tmp_path / "bots"))

    alone = printed()
    assert alone["games"] == 240
    assert printed("--workers", "2") == alone
    assert printed("--cluster", dask.address) == alone


@pytest.mark.slow
def test_a_series_whose_worker_was_killed_is_played_by_another_worker(doomed: DaskCluster, tmp_path: Path) -> None:
    mark = tmp_path / "killed"
    killer = bot(tmp_path, f"Path({str(mark)!r}).exists() or (Path({str(mark)!r}).touch(), os.kill(os.getpid(), 9))")
    chosen = settings("random", "zero", killer, games=60)
    results = played_on(doomed, chosen, tmp_path)
    assert [worker.poll() for worker in doomed.workers].count(-signal.SIGKILL) == 1
    assert results == uninterrupted(chosen, tmp_path)


def test_a_worker_killed_from_outside_loses_no_game(
    doomed: DaskCluster, standings_of_many: Any, tmp_path: Path
) -> None:
    path = tmp_path / "store.sqlite"
    with started(*MANY, "--cluster", doomed.address, "--store", path) as process:
        wait_for_games(path, 0, process)
        doomed.workers[0].kill()
        out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    printed = json.loads(out)["standings"]
    for line in printed["players"]:
        del line["seconds"]
    assert printed == standings_of_many


@pytest.mark.slow
def test_workers_that_leave_and_join_during_the_run_lose_no_game(
    doomed: DaskCluster, standings_of_many: Any, tmp_path: Path
) -> None:
    path = tmp_path / "store.sqlite"
    # The same player as `random`, but from a file that reads another one beside it.
    (tmp_path / "bots").mkdir()
    (tmp_path / "bots" / "mine.py").write_text(READER)
    (tmp_path / "bots" / "data").mkdir()
    (tmp_path / "bots" / "data" / "name.txt").write_text("Random")
    words = [f"again={tmp_path}/bots/mine.py:Mine" if word == "again=random" else word for word in MANY]
    with started(*words, "--trust", "--cluster", doomed.address, "--store", path) as process:
        wait_for_games(path, 0, process)
        doomed.workers[0].kill()
        with dask_worker(doomed.home, doomed.address, "w2"):
            eventually(lambda: "w2" in worker_names(doomed.address), process=doomed.scheduler)
            doomed.workers[1].kill()
            wait_for_games(path, games_in(path) + 50, process)
            out, err = process.communicate(timeout=120)
    assert process.returncode == 0, err
    printed = json.loads(out)["standings"]
    for line in printed["players"]:
        del line["seconds"]
    assert printed == standings_of_many


@pytest.mark.slow
def test_a_series_that_always_kills_its_worker_is_named(tmp_path: Path) -> None:
    killer = bot(tmp_path, "os.kill(os.getpid(), 9)")
    chosen = settings("random", "zero", "counter", killer, names=("A", "B", "C", "Killer"), games=12)
    with (
        dask_cluster(tmp_path, 2, revives=True) as dask,
        closing(Store(tmp_path / "store.sqlite")) as store,
        connect(dask.address) as cluster,
    ):
        played = Tournament.start(store, chosen, cluster)
        with pytest.raises(OperationError, match=r"series \d+ with .*Killer.* crashed its worker twice"):
            played.play()
        # The leases were released.
        assert store.claim(played.number, 99)


@pytest.mark.slow
def test_killing_the_scheduler_loses_no_finished_game(
    doomed: DaskCluster, standings_of_many: Any, tmp_path: Path
) -> None:
    path = tmp_path / "store.sqlite"
    with started(*MANY, "--cluster", doomed.address, "--store", path) as process:
        wait_for_games(path, 0, process)
        doomed.scheduler.kill()
        out, err = process.communicate(timeout=300)
    assert (process.returncode, out) == (1, "")
    assert f"continue with: wateringhole tournament --resume 1 --cluster {doomed.address} --store {path} --json" in err
    assert f"wateringhole: the connection to the scheduler {doomed.address} was lost." in err
    assert "Traceback" not in err
    resumed = standings(wateringhole("tournament", "--resume", "1", "--store", path, "--json"))
    assert resumed == standings_of_many


def test_a_player_that_cannot_start_is_named_with_its_worker(dask: DaskCluster, tmp_path: Path) -> None:
    program = tmp_path / "mine"
    program.write_text(f"#!{sys.executable}\n")
    program.chmod(0o755)
    for player, problem in [
        ("cmd:./mine", "player 'mine', the program"),
        (bot(tmp_path, "pass\n  oops"), rf"{tmp_path}/bots/helper.py, line 5"),
    ]:
        with (
            closing(Store(tmp_path / "store.sqlite")) as store,
            connect(dask.address) as cluster,
        ):
            with pytest.raises(OperationError, match=rf"^on the worker w\d \(tcp://127.*{problem}"):
                Tournament.start(store, settings("random", "zero", player), cluster)
            assert store.tournaments() == []


def test_a_changed_file_is_delivered_again(dask: DaskCluster, tmp_path: Path) -> None:
    for text in ("once", "twice"):
        mark = tmp_path / text
        (tmp_path / text).mkdir()
        played_on(dask, settings("random", "zero", bot(tmp_path, f"Path({str(mark / 'x')!r}).touch()")), mark)
        assert (mark / "x").exists()


LATE = """
from wateringhole.games.porrinha.bots.zero import Zero

class Bot(Zero):
    def hand(self, *args, **kwargs):
        import helper
        assert helper.FOLDER == {folder!r}, helper.FOLDER
        return super().hand(*args, **kwargs)

    def guess(self, *args, **kwargs):
        import helper2
        assert helper2.FOLDER == {folder!r}, helper2.FOLDER
        return super().guess(*args, **kwargs)
"""


@pytest.mark.slow
def test_simultaneous_tournaments_do_not_share_modules(tmp_path: Path) -> None:
    chosen = {}
    for folder in ("x", "y"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "mine.py").write_text(LATE.replace("{folder!r}", repr(folder)))
        for helper in ("helper", "helper2"):
            (tmp_path / folder / f"{helper}.py").write_text(f"FOLDER = {folder!r}\n")
        chosen[folder] = settings("random", "zero", f"{tmp_path / folder / 'mine.py'}:Bot", games=90)
    results: dict[str, list[GameResult]] = {}
    with dask_cluster(tmp_path, 1) as dask:
        # The second is delivered while the first is played, and then they alternate.
        def play_second() -> None:
            results["y"] = played_on(dask, chosen["y"], tmp_path / "y")

        second = threading.Thread(target=play_second)
        with closing(Store(tmp_path / "first.sqlite")) as store, connect(dask.address) as cluster:
            cluster.job_seconds = 0.02
            first = Tournament.start(store, chosen["x"], cluster)
            first.play(lambda _: None if second.ident else second.start())
            results["x"] = outcomes(store, first.number)
        second.join(60)
    for folder in ("x", "y"):
        assert results[folder] == uninterrupted(chosen[folder], tmp_path / folder)
        assert {reason for result in results[folder] for reason in result.thrown_out} == {None}


def test_modules_of_the_same_name_in_two_folders_are_refused(dask: DaskCluster, tmp_path: Path) -> None:
    players = []
    for name in ("x", "y"):
        (tmp_path / name).mkdir()
        players.append(bot(tmp_path / name))
    with (
        closing(Store(tmp_path / "store.sqlite")) as store,
        connect(dask.address) as cluster,
        pytest.raises(
            OperationError, match=rf"could play .*{tmp_path}/[xy]/bots/mine.py imports 'helper', .*{tmp_path}/[xy]"
        ),
    ):
        Tournament.start(store, settings("random", *players), cluster)


def test_a_player_that_raises_an_interrupt_forfeits(dask: DaskCluster, tmp_path: Path) -> None:
    results = played_on(dask, settings("random", "zero", bot(tmp_path, "raise KeyboardInterrupt"), games=3), tmp_path)
    assert [result.thrown_out[result.entrants.index(2)] for result in results] == ["exception"] * 3


def slow_to_start(folder: Path) -> str:
    """Write a player that marks where it is being created, and waits there for a file."""
    path = folder / "slow.py"
    path.write_text(
        "import os, time\n"
        "from pathlib import Path\n"
        "from wateringhole.games.porrinha.bots.zero import Zero\n"
        "class Slow(Zero):\n"
        "    def __init__(self):\n"
        "        super().__init__()\n"
        f"        (Path({str(folder)!r}) / f'made by {{os.getpid()}}').touch()\n"
        f"        while not (Path({str(folder)!r}) / 'continue').exists():\n"
        "            time.sleep(0.01)\n"
    )
    return f"{path}:Slow"


@pytest.mark.slow
def test_a_worker_that_crashes_while_players_are_created_is_ignored(doomed: DaskCluster, tmp_path: Path) -> None:
    def kill_one() -> None:
        mark = tmp_path / f"made by {doomed.workers[0].pid}"
        eventually(mark.exists, process=doomed.workers[0])
        doomed.workers[0].kill()
        (tmp_path / "continue").touch()

    chosen = settings("random", "zero", slow_to_start(tmp_path), games=3)
    killer = threading.Thread(target=kill_one)
    with closing(Store(tmp_path / "store.sqlite")) as store, connect(doomed.address) as cluster:
        cluster._client.wait_for_workers(2, timeout=300)
        killer.start()
        Tournament.start(store, chosen, cluster).play()
        assert store.progress(1).finished == 3
    killer.join()


@pytest.mark.slow
def test_players_that_never_start_or_crash_every_worker_are_an_error(
    doomed: DaskCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exits = tmp_path / "exits.py"
    exits.write_text("import os\ndef leave():\n    os._exit(0)\n")
    for player, seconds, problem in ((slow_to_start(tmp_path), 1.0, "within 1 s"), (f"{exits}:leave", 60.0, "crashed")):
        monkeypatch.setattr(cluster_module, "CHECK_SECONDS", seconds)
        with (
            closing(Store(tmp_path / "store.sqlite")) as store,
            connect(doomed.address) as cluster,
            pytest.raises(OperationError, match=f"{doomed.address}: each worker must create .*{problem}"),
        ):
            Tournament.start(store, settings("random", "zero", player), cluster)
        (tmp_path / "continue").touch()


def test_nothing_delivered_is_left_on_the_workers(dask: DaskCluster, tmp_path: Path) -> None:
    played_on(dask, settings("random", "zero", bot(tmp_path)), tmp_path)
    assert list(dask.home.rglob("mine.py")) == []


@pytest.mark.slow
def test_delivered_files_of_a_killed_tournament_are_removed(dask: DaskCluster, tmp_path: Path) -> None:
    def delivered() -> list[Path]:
        return list(dask.home.rglob("mine.py"))

    words = ("tournament", "porrinha", "random", "zero", bot(tmp_path), "--games", "9999", "--cluster", dask.address)
    with started(*words, "--store", tmp_path / "store.sqlite") as process:
        wait_for_games(tmp_path / "store.sqlite", 0, process)
        assert delivered()
        process.kill()
        process.communicate()
    eventually(lambda: not delivered(), process=dask.scheduler)


def test_a_missing_file_stops_the_tournament_with_an_operation_error(tmp_path: Path) -> None:
    """Only after an operation error, finished games are kept and the resume command is printed."""
    named = bot(tmp_path)
    encoded = msgspec.json.encode(settings("random", named))
    Path(named.partition(":")[0]).unlink()
    with pytest.raises(OperationError, match="there is no file"):
        play_job(encoded, [], [])


def test_a_missing_scheduler_is_reported_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "CONNECT_SECONDS", 0.2)
    with socket.create_server(("127.0.0.1", 0)) as taken:
        address = f"tcp://127.0.0.1:{taken.getsockname()[1]}"
    with (
        pytest.raises(OperationError, match=f"there is no Dask scheduler at {address}: .*dask scheduler"),
        connect(address),
    ):
        pass


def test_a_cluster_without_workers_is_an_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "WORKERS_SECONDS", 0.2)
    with (
        dask_cluster(tmp_path, 0) as dask,
        pytest.raises(OperationError, match=rf"has no workers; .*dask worker {dask.address}"),
        connect(dask.address),
    ):
        pass


@pytest.mark.slow
def test_a_cluster_that_has_lost_all_workers_fails(
    doomed: DaskCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster_module, "EMPTY_SECONDS", 0.2)
    killer = bot(tmp_path, "os.kill(os.getpid(), 9)")
    with closing(Store(tmp_path / "store.sqlite")) as store, connect(doomed.address) as cluster:
        played = Tournament.start(store, settings("random", "zero", killer), cluster)
        with pytest.raises(OperationError, match=f"the cluster {doomed.address} has no workers left"):
            played.play()


@pytest.mark.parametrize("address", ["", "there", "127.0.0.1:8786", "http://127.0.0.1:8786", "tcp://there"])
def test_a_malformed_address_is_a_usage_error(address: str) -> None:
    with pytest.raises(UsageError, match=rf"--cluster {address}: expected the address"), connect(address):
        pass


def test_a_missing_extra_is_reported_with_the_install_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(command, "find_spec", lambda name: None)
    with pytest.raises(OperationError, match=r"pip install 'wateringhole\[cluster\]'"):
        command._pool(1, "tcp://127.0.0.1:1")


def test_workers_and_cluster_exclude_each_other() -> None:
    with pytest.raises(UsageError, match="--workers 2: a cluster has its own workers"):
        command._pool(2, "tcp://127.0.0.1:1")


def test_files_that_are_too_large_are_refused_with_the_largest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    chosen = settings("random", bot(tmp_path))
    weights = tmp_path / "bots" / "weights.bin"
    weights.write_bytes(b"x" * (2 << 20))
    monkeypatch.setattr(cluster_module, "MOST_BYTES", 1 << 20)
    expected = rf"have 2 MB, and at most 1 MB can be sent to workers\. The largest is {weights} \(2 MB\)\. Put each"
    with pytest.raises(UsageError, match=expected):
        cluster_module._pack(chosen)


def test_too_many_files_are_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster_module, "MOST_FILES", 1)
    with pytest.raises(UsageError, match="have more than 1 files, too many to send to workers"):
        cluster_module._pack(settings("random", bot(tmp_path)))


def test_all_files_in_the_folder_of_a_player_are_delivered_but_for_the_ignored(tmp_path: Path) -> None:
    named = bot(tmp_path)
    folder = tmp_path / "bots"
    for name in (
        *("brain/__init__.py", "brain/memory.py", "data/weights.bin", "data/venv.txt"),
        *("venv/pyvenv.cfg", "venv/lib/module.py", ".git/config", "__pycache__/mine.pyc", "node_modules/left.js"),
    ):
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    Store(folder / "club.sqlite").close()
    (folder / "club.sqlite-wal").touch()
    (folder / "self").symlink_to(folder, target_is_directory=True)
    places, files = cluster_module._pack(settings("random", named, f"Ada={named}?depth=3"))
    assert list(places.values()) == ["0/mine.py"]
    assert sorted(files) == [
        *("0/brain/__init__.py", "0/brain/memory.py", "0/data/venv.txt", "0/data/weights.bin"),
        *("0/helper.py", "0/mine.py"),
    ]


def test_a_link_in_the_folder_of_a_player_sends_no_file_of_the_operator(tmp_path: Path) -> None:
    named = bot(tmp_path)
    (tmp_path / "secret").write_text("hunter2")
    (tmp_path / "bots" / "stolen").symlink_to(tmp_path / "secret")
    (tmp_path / "bots" / "same.py").symlink_to("helper.py")
    _, files = cluster_module._pack(settings("random", named))
    assert sorted(files) == ["0/helper.py", "0/mine.py", "0/same.py"]


def test_the_capacity_of_a_cluster_is_two_jobs_per_worker(dask: DaskCluster) -> None:
    with connect(dask.address) as cluster:
        assert isinstance(cluster, Cluster)
        cluster._client.wait_for_workers(2, timeout=300)
        cluster._counted = 0.0
        assert cluster.capacity() == 4
