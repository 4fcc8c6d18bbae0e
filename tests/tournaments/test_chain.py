"""The chain of a tournament covers its settings and every record, in the order of the schedule."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.cli.running import called
from tests.tournaments.tournaments import played, settings, small_plan
from wateringhole.tournaments.executors import IN_PROCESS
from wateringhole.tournaments.settings import Settings
from wateringhole.tournaments.store import Store
from wateringhole.tournaments.tournament import Tournament


def head(chosen: Settings, records: dict[tuple[int, int], bytes]) -> str:
    """Return a head, calculated with nothing but the standard library."""

    def sha256(text: bytes) -> str:
        return "sha256:" + hashlib.sha256(text).hexdigest()

    builtins = msgspec.to_builtins(chosen)
    link = sha256(json.dumps(builtins, sort_keys=True, separators=(",", ":"), ensure_ascii=False).encode())
    for (series, game), record in sorted(records.items()):
        link = sha256(f"{link} {series} {game} {sha256(record)}\n".encode())
    return link


def created(store: Store, chosen: Settings) -> int:
    number = store.create(chosen)
    store.plan(number, small_plan())
    return number


def test_the_chain_is_in_the_order_of_the_schedule(store: Store) -> None:
    chosen = settings(names=("Ada", "Béa", 'C"d', "\n"))
    number = created(store, chosen)
    records: dict[tuple[int, int], bytes] = {}
    for series in reversed(store.claim(number, 4)):
        text = f"series {series.number}\n".encode()
        store.commit(number, played(series, record=text))
        records |= {(series.number, game): text for game in range(series.games)}
    chain = store.chain(number)
    assert (chain.head, chain.games) == (head(chosen, records), 8)


def test_the_chain_of_an_unfinished_tournament_ends_before_the_first_open_series(store: Store) -> None:
    number = created(store, settings())
    assert store.chain(number).head == head(settings(), {})
    first, second, third, _ = store.claim(number, 4)
    store.commit(number, played(third))
    assert store.chain(number).games == 0
    store.commit(number, played(first))
    before = store.chain(number)
    assert (before.head, before.games) == (head(settings(), {(0, 0): b"a record\n", (0, 1): b"a record\n"}), 2)
    store.commit(number, played(second))
    assert store.chain(number).games == 6


@pytest.mark.parametrize("change", [{"seed": 8}, {"names": ("a", "b", "c", "d")}, {"time_limit": 1.0}], ids=str)
def test_the_chain_covers_the_settings(store: Store, change: dict[str, Any]) -> None:
    heads = {store.chain(created(store, chosen)).head for chosen in (settings(), settings(**change))}
    assert len(heads) == 2


def test_the_head_is_stored_when_the_tournament_finishes(store: Store) -> None:
    tournament = Tournament.start(store, settings(), IN_PROCESS)
    assert store.tournament(tournament.number).head is None
    tournament.play()
    results = list(store.results(tournament.number))
    records = {(each.series, each.game): store.record(tournament.number, each.series, each.game) for each in results}
    stored = store.tournament(tournament.number)
    assert stored.head == head(settings(), records) == store.chain(tournament.number).head


def test_standings_and_the_report_show_the_head(tmp_path: Path) -> None:
    store, report = tmp_path / "club.sqlite", tmp_path / "out.html"
    words = (
        "tournament",
        "porrinha",
        "random",
        "zero",
        "counter",
        "--games",
        "6",
        "--life",
        "2",
        "--seed",
        "7",
        "--store",
        store,
    )
    printed = called(*words).stdout
    line = called("standings", "1", "--store", store, "--head").stdout
    described = json.loads(called("standings", "1", "--store", store, "--json", "--report", report).stdout)
    assert line.startswith("sha256:")
    assert printed.endswith(f"Head of the chain of all 6 records:\n{line}")
    assert described["chain"] == {"head": line.strip(), "games": 6}
    assert line.strip() in report.read_text()


def test_a_head_needs_a_tournament(tmp_path: Path) -> None:
    ran = called("standings", "--store", tmp_path / "none.sqlite", "--head")
    assert ran.returncode == 2
    assert "--head: name a tournament, e.g. wateringhole standings 3 --head." in " ".join(ran.stderr.split())
