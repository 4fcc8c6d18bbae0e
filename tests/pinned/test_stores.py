"""Pinned stores can be continued: interrupted tournaments, and tables with a human player."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.pinned import access, golden, stores

HALF = golden.read_json("stores/tournaments-half.json")
WHOLE = golden.read_json("stores/tournaments-whole.json")
TABLES = golden.read_json("stores/tables.json")
NUMBERS = pytest.mark.parametrize("number", [1, 2])


def restored(name: str, folder: Path) -> Path:
    return stores.restore(golden.read(f"stores/{name}.sql"), folder / f"{name}.sqlite")


def test_a_dumped_store_is_restored_unchanged(tmp_path: Path) -> None:
    for name in ("tournaments", "tables"):
        assert stores.dump(restored(name, tmp_path)) == golden.read(f"stores/{name}.sql")


@NUMBERS
def test_pinned_unfinished_tournament_is_read(number: int, tmp_path: Path) -> None:
    found = access.tournament_of(restored("tournaments", tmp_path), number)
    assert not found["is_finished"]
    golden.assert_same(found, HALF[number - 1])


@NUMBERS
def test_pinned_unfinished_tournament_ends_like_an_uninterrupted_one(number: int, tmp_path: Path) -> None:
    store = restored("tournaments", tmp_path)
    access.resume_tournament(store, number)
    found = access.tournament_of(store, number)
    assert found["is_finished"]
    golden.assert_same(found, WHOLE[number - 1])


@NUMBERS
def test_pinned_settings_give_the_pinned_tournament(number: int, tmp_path: Path) -> None:
    settings = dict(WHOLE[number - 1]["settings"])
    started = access.play_settings(tmp_path / "new.sqlite", settings)
    golden.assert_same(access.tournament_of(tmp_path / "new.sqlite", started), WHOLE[number - 1])


def test_pinned_running_tables_are_adopted_and_finished(tmp_path: Path) -> None:
    store = restored("tables", tmp_path)
    found: dict[str, Any] = {}

    async def finish() -> None:
        async with access.serve(store) as server:
            for game, table in TABLES.items():
                found[game] = await access.finish_table(server, table)

    access.run_server(finish())
    for game, table in TABLES.items():
        for name, value in found[game].items():
            assert value == table[name], f"{game}: {name}"


def test_pinned_tables_store_only_the_digest_of_their_token(tmp_path: Path) -> None:
    text = golden.read("stores/tables.sql").decode()
    for table in TABLES.values():
        assert table["token"] not in text
    store = restored("tables", tmp_path)

    async def connect_with_each_token() -> None:
        async with access.serve(store) as server:
            for table in TABLES.values():
                for token, seat in ((None, None), (table["token"], 0)):
                    async with access.PageSeat(server.url, table["id"], token) as page:
                        assert (await page.next())["seat"] == seat
                async with access.PageSeat(server.url, table["id"], "unknown") as page:
                    assert (await page.next())["type"] == "bye"

    access.run_server(connect_with_each_token())


def test_a_changed_store_ends_differently(tmp_path: Path) -> None:
    text = golden.read("stores/tournaments.sql")
    seed = json.dumps(HALF[0]["settings"]["seed"]).encode()
    changed = text.replace(b"'[1,3,0]',3,2588421924", b"'[1,3,0]',3,2588421925")
    assert seed in text
    assert changed != text
    store = stores.restore(changed, tmp_path / "changed.sqlite")
    access.resume_tournament(store, 1)
    with pytest.raises(AssertionError):
        golden.assert_same(access.tournament_of(store, 1), WHOLE[0])
