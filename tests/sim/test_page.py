"""The pages about the simulator say what is true, and their PyTorch example runs where that is installed."""

from __future__ import annotations

import contextlib
import dataclasses
import io
import re

import pytest

from tests.conftest import ROOT
from tests.markdown import tables
from tests.test_docs import blocks
from wateringhole import sim
from wateringhole.games.evolution.compiled import layout as evolution
from wateringhole.games.porrinha.compiled import layout as porrinha
from wateringhole.sim.game import compiled_game
from wateringhole.sim.rollouts import RolloutResult

GUIDE = ROOT / "docs" / "how-to" / "simulating.md"
REFERENCE = ROOT / "docs" / "reference" / "simulator.md"


def test_the_pytorch_example_runs() -> None:
    pytest.importorskip("torch", reason="PyTorch is not installed; the example for it was not run")
    (example,) = (block for block in blocks(GUIDE) if block.language == "python torch")
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile("\n" * (example.line - 1) + example.code, str(GUIDE), "exec"), {})
    assert "tensor" in printed.getvalue()


def test_the_reference_names_the_compiled_players_of_each_game() -> None:
    (row,) = (row for row in tables(REFERENCE)[0] if row[""] == "compiled players")
    for game in ("evolution", "porrinha"):
        assert re.findall(r"`(\w+)`", row[game.capitalize()]) == [*compiled_game(game).policies]


def test_the_guide_names_the_widths_of_its_example() -> None:
    text = GUIDE.read_text(encoding="utf-8")
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


def test_the_reference_names_every_field_of_a_result_and_everything_of_a_batch() -> None:
    text = REFERENCE.read_text(encoding="utf-8")
    batch = sim.Batch("porrinha", players=2, games=1)
    public = [name for name in (*vars(sim.Batch), *vars(batch)) if not name.startswith("_")]
    rollout = [field.name for field in dataclasses.fields(RolloutResult)]
    for name in (*sim.SimulationResult.__struct_fields__, *public, *rollout):
        assert re.search(rf"`{name}[`(]", text), name
