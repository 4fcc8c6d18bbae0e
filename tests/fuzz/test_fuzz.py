"""Nothing that reads untrusted bytes fails at the inputs of the corpus, or at mutations of them."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from tools.fuzz.__main__ import main
from tools.fuzz.corpus import CORPUS, inputs
from tools.fuzz.mutations import mutate
from tools.fuzz.samples import positions
from tools.fuzz.targets import FIRST_CHOICE, TARGETS, close

from wateringhole import registry

MUTATIONS = {"decoder": 200, "frames": 100, "answers": 400, "records": 200, "http": 30}
"""How many mutated inputs each target gets."""


@pytest.fixture(scope="module", autouse=True)
def closed() -> Iterator[None]:
    yield
    close()


@pytest.mark.parametrize("target", TARGETS)
def test_no_input_of_the_corpus_fails(target: str) -> None:
    for path in inputs(target):
        TARGETS[target](path.read_bytes())


@pytest.mark.parametrize("target", TARGETS)
def test_no_mutated_input_fails(target: str) -> None:
    chance = random.Random(target)
    corpus = [path.read_bytes() for path in inputs(target)]
    for _ in range(MUTATIONS[target]):
        data = mutate(chance.choice(corpus), chance)
        try:
            TARGETS[target](data)
        except Exception as error:
            error.add_note(f"the input of {target}: {data!r}")
            raise


def test_the_corpus_answers_every_request_of_every_game() -> None:
    assert {each.kind.name for each in positions()} == {kind.name for kind in registry.kinds()}
    answered = {(path.read_bytes()[0] - FIRST_CHOICE) // 2 for path in inputs("answers")}
    assert answered == {*range(len(positions()))}


def test_the_corpus_is_small() -> None:
    assert sum(path.stat().st_size for path in CORPUS.rglob("*") if path.is_file()) < 200_000


def test_an_input_is_run_by_the_target_that_its_folder_is_named_after(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    ran: list[bytes] = []
    monkeypatch.setitem(TARGETS, "records", ran.append)
    path = tmp_path / "records" / "crash-1"
    path.parent.mkdir()
    path.write_bytes(b"abc")
    assert main(["--input", str(path)]) == 0
    assert ran == [b"abc"]
    assert capsys.readouterr().out == f"{path}: fine\n"


def test_an_input_in_another_folder_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["--input", str(tmp_path / "crash-1")])
    assert "must be in a folder named like a target" in capsys.readouterr().err
