"""Unfinished tournaments of the last version without lives end with the same games as they would have there.

That version planned one series for each table: all its games have the same deal, and the players move on by one seat.
`tests/golden/v2` has a store that it left unfinished in every format, and the games that it plays to the end.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.pinned import access, golden, stores

FOLDER = golden.FOLDER.parent / "v2" / "stores"
WHOLE = json.loads((FOLDER / "tournaments-whole.json").read_text())


@pytest.mark.parametrize("number", [1, 2, 3, 4], ids=[each["settings"]["format"] for each in WHOLE])
def test_an_unfinished_tournament_of_an_earlier_version_ends_as_it_would_have_there(
    number: int, tmp_path: Path
) -> None:
    store = stores.restore((FOLDER / "tournaments.sql").read_bytes(), tmp_path / "earlier.sqlite")
    before = access.tournament_of(store, number)
    assert not before["is_finished"]
    access.resume_tournament(store, number)
    found, expected = access.tournament_of(store, number), WHOLE[number - 1]
    assert found["is_finished"]
    assert 0 < len(before["results"]) < len(found["results"])
    golden.assert_same(found["settings"], expected["settings"])
    golden.assert_same(found["progress"], expected["progress"])
    golden.assert_same([_without_new_fields(each) for each in found["results"]], expected["results"])
    golden.assert_same(found["records"], expected["records"])


def _without_new_fields(result: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in result.items() if name in WHOLE[0]["results"][0]}
