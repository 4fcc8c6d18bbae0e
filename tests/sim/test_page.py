"""The page about the simulator says what is true, and its PyTorch example runs where that is installed."""

from __future__ import annotations

import contextlib
import io
import re

import pytest

from tests.conftest import ROOT
from tests.test_docs import blocks
from wateringhole import sim
from wateringhole.games.evolution.compiled import layout as evolution
from wateringhole.games.porrinha.compiled import layout as porrinha
from wateringhole.sim.game import compiled_game

PAGE = ROOT / "docs" / "explanation" / "simulator.md"


def test_the_pytorch_example_runs() -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed; the example for it was not run")
    (example,) = (block for block in blocks(PAGE) if block.language == "python torch")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile("\n" * (example.line - 1) + example.code, str(PAGE), "exec"), {})
    assert "tensor" in printed.getvalue()


def test_the_page_names_all_compiled_players_and_the_widths_of_its_example() -> None:
    text = PAGE.read_text(encoding="utf-8")
    for game in ("evolution", "porrinha"):
        assert all(f"`{name}`" in text for name in compiled_game(game).policies)
    assert f"(1000, {porrinha.OBSERVATION})" in text
    assert f"(1000, {porrinha.ACTIONS})" in text


LONGER_THAN_A_WORD = {
    "ASKED": evolution.HAND_WORDS,
    "SLOTS": evolution.MOST_BOARDS,
    "LAID": evolution.MOST_BOARDS,
    "REPLACED": evolution.MOST_BOARDS,
    "SCRATCH_ROW": evolution.MOST_BOARDS + 1,
    "DECK": evolution.DECK_BYTES // 4,
    "SEATS": evolution.MOST_PLAYERS * evolution.SEAT,
    "ROW": evolution.MOST_BOARDS,
    "PLAN": evolution.MOST_BOARDS,
    "HAND": evolution.HAND_WORDS,
}


@pytest.mark.parametrize(("heading", "words"), [("The state of", evolution.STATE), ("The block of", evolution.SEAT)])
def test_every_word_of_a_row_of_evolution_has_one_line_in_its_tables(heading: str, words: int) -> None:
    described = str(evolution.__doc__)
    table = described[described.index(heading) :].split("\n\n")[1]
    places: list[int] = []
    for cell in re.findall(r"^\| (`.*?) \|", table, re.MULTILINE):
        names = re.findall(r"`(\w+)`", cell)
        if "…" in cell:
            first, last = (getattr(evolution, name) for name in names)
            places += range(first, last + 1)
        else:
            for name in names:
                start = getattr(evolution, name)
                places += range(start, start + LONGER_THAN_A_WORD.get(name, 1))
    assert sorted(places) == [*range(words)]


def test_the_words_of_a_row_of_porrinha_are_where_its_table_says() -> None:
    named = re.findall(r"^\| (\d+).*? \| `(\w+)` \|", str(porrinha.__doc__), re.MULTILINE)
    assert {name: int(place) for place, name in named} == {name: getattr(porrinha, name) for _, name in named}
    assert len(named) == 28, "all but the last two words, which hold nothing"


def test_the_page_names_every_field_of_a_result_and_everything_of_a_batch() -> None:
    text = PAGE.read_text(encoding="utf-8")
    public = [name for name in vars(sim.Batch) if not name.startswith("_")]
    for name in (*sim.SimulationResult.__struct_fields__, *public):
        assert re.search(rf"`{name}[`(]", text), name
