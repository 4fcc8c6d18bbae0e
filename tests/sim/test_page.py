"""The page about the simulator says what is true, and its PyTorch example runs where that is installed."""

from __future__ import annotations

import contextlib
import io

import pytest

from tests.conftest import ROOT
from tests.test_docs import blocks
from wateringhole.sim.evolution import layout as evolution
from wateringhole.sim.game import compiled_game
from wateringhole.sim.porrinha import layout as porrinha

PAGE = ROOT / "docs" / "simulator.md"


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
    assert f"(1000, {porrinha.CHOICES})" in text


@pytest.mark.parametrize("layout", [evolution, porrinha])
def test_a_layout_documents_its_words(layout: object) -> None:
    described = str(layout.__doc__)
    named = [name for name in dir(layout) if name in ("ACTING", "DECISIONS", "PLAYERS", "OVERFLOWED")]
    assert len(named) == 4
    assert all(f"`{name}`" in described for name in named)


def test_the_words_of_a_row_of_porrinha_are_where_its_table_says() -> None:
    for line in str(porrinha.__doc__).splitlines():
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if len(cells) == 3 and cells[1].startswith("`") and cells[0][:1].isdigit():
            assert getattr(porrinha, cells[1].strip("`")) == int(cells[0].split()[0])
