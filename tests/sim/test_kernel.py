"""Compilation of the simulator's functions, and their cache."""

from __future__ import annotations

import os
import re
import resource
import shutil
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numba
import pytest

import wateringhole
from wateringhole.games.evolution.compiled import game as evolution
from wateringhole.sim import kernel, on_compile
from wateringhole.sim.kernel import entry

PROGRAM = """
import numpy as np
from wateringhole.sim.kernel import entry, on_compile
from wateringhole.games.porrinha.compiled.rules.engine import least_hand

def make(game):
    def least(row):
        return least_hand(row)
    return entry(least, name=game)

with on_compile(lambda: print("compiles")):
    for game in ("porrinha", "evolution"):
        make(game)(np.zeros(80, np.int32))
"""


@pytest.mark.slow
def test_compiled_functions_are_cached_until_a_source_changes(tmp_path: Path) -> None:
    # A copy of the package, so that the test can change a source.
    shutil.copytree(
        Path(wateringhole.__file__).parent, tmp_path / "wateringhole", ignore=shutil.ignore_patterns("__pycache__")
    )
    program = tmp_path / "program.py"
    program.write_text(PROGRAM)

    def run() -> str:
        ran = subprocess.run([sys.executable, program], cwd=tmp_path, capture_output=True, text=True, timeout=300)
        assert ran.returncode == 0, ran.stderr
        return ran.stdout

    def change(source: str) -> None:
        file = tmp_path / "wateringhole" / "games" / source
        file.write_text(file.read_text() + "\n# Another line.\n")

    assert run() == "compiles\n"
    assert run() == ""
    for other in ("evolution/text/__init__.py", "evolution/bots/champion/player.py", "porrinha/kind.py"):
        change(other)
    assert run() == "", "no compiled function is made from these modules"
    change("porrinha/compiled/rules/engine.py")
    assert run() == "compiles\n"
    change("evolution/rules/cards.py")
    assert run() == "compiles\n"


def _compiles(name: str = "") -> bool:
    """Return whether a function is compiled, rather than read from the cache."""

    def double(number: int) -> int:
        return 2 * number

    calls: list[bool] = []
    with on_compile(lambda: calls.append(True)):
        assert entry(double, name=name)(21) == 42
    return bool(calls)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty folder for compiled functions."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))
    return tmp_path


@pytest.mark.parametrize(("damaged", "content"), [("*.nbc", b"junk"), ("*.nbi", b""), ("*.nbi", b"junk")])
def test_damaged_cache_is_rebuilt(damaged: str, content: bytes, cache: Path) -> None:
    assert _compiles()
    assert not _compiles()
    (file,) = cache.rglob(damaged)
    file.write_bytes(content)
    assert _compiles()
    assert not _compiles()


def test_unwritable_cache_is_ignored(cache: Path) -> None:
    # As on a full disk: no file may grow beyond 64 bytes.
    least, most = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (64, most))
    try:
        assert _compiles()
        assert _compiles()
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (least, most))
    assert not list(cache.rglob("*.nb?"))
    assert _compiles()
    assert not _compiles()


def test_change_of_a_table_in_memory_compiles_again(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for game in ("evolution", "porrinha"):
        assert _compiles(game)
        assert not _compiles(game)
    with monkeypatch.context() as patch:
        patch.setattr(evolution, "GAME", replace(evolution.GAME, table="with one more trait"))
        assert _compiles("evolution")
        assert not _compiles("evolution")
        assert not _compiles("porrinha")
    assert not _compiles("evolution"), "the functions for the other table are still cached"


def test_table_of_evolution_contains_traits_and_no_address() -> None:
    assert "'horns'" in evolution.GAME.table
    assert " at 0x" not in evolution.GAME.table


def test_debug_build_has_its_own_cache(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _compiles()
    monkeypatch.setattr(kernel, "DEBUG", not kernel.DEBUG)
    assert _compiles()
    assert not _compiles()


def test_cache_depends_on_the_sources(cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert _compiles("evolution")
    monkeypatch.setattr(kernel, "_stamp", lambda game, module: f"other sources of {game.name} and {module}")
    assert _compiles("evolution")
    assert not _compiles("evolution")


def test_folder_without_sources_raises(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evolution, "GAME", replace(evolution.GAME, sources=tmp_path))
    with pytest.raises(RuntimeError, match=f"no sources of compiled functions in {re.escape(str(tmp_path))}"):
        _compiles("evolution")


BEYOND = """
import sys
import numpy as np
from wateringhole.sim.kernel import entry, get, get_byte, put, put_byte, force_inline, ir_inline, jit
from wateringhole.games.evolution.compiled.rules.cards import card_facts

TABLE = np.zeros(4, np.int64)

@force_inline
def look(row, place):
    return get(row, place)

@jit
def write(row, place):
    put(row, place, 1)

@ir_inline
def look_at_byte(row, place):
    return get_byte(row, 4 * place)

def by_get(row, place): return look(row, place)
def by_put(row, place): write(row, place)
def by_get_byte(row, place): return look_at_byte(row, place)
def by_put_byte(row, place): put_byte(row, 4 * place, 1)
def by_brackets(row, place): return TABLE[np.uint64(place)] + row[np.uint64(place)]
def by_overload(row, place): return card_facts(place + 125)

for function in (by_get, by_put, by_get_byte, by_put_byte, by_brackets, by_overload):
    compiled = entry(function)
    for place in (0, 3, 4, -1 if function is not by_overload else 1000):
        try:
            compiled(np.zeros(4, np.uint32), place)
        except IndexError as error:
            print(function.__name__, place, error)
"""


def test_debug_build_raises_if_an_index_is_out_of_bounds(tmp_path: Path) -> None:
    program = tmp_path / "program.py"
    program.write_text(BEYOND)
    by_word = (
        "by_{0} 4 ('out of bounds, index and length:', 4, 4)\nby_{0} -1 ('out of bounds, index and length:', {1}, 4)\n"
    )
    by_index = "by_{0} 4 index is out of bounds\nby_{0} {1} index is out of bounds\n"
    expected = "".join(
        [
            by_word.format("get", -1),
            by_word.format("put", -1),
            by_word.format("get_byte", (2**64 - 4) // 4),
            by_word.format("put_byte", (2**64 - 4) // 4),
            by_index.format("brackets", -1),
            by_index.format("overload", 1000),
        ]
    )
    for _ in range(2):  # compiled, and from the cache
        ran = subprocess.run(
            [sys.executable, program],
            env=os.environ | {"WATERINGHOLE_SIM_DEBUG": "1"},
            capture_output=True,
            text=True,
            timeout=300,
        )
        assert (ran.stdout, ran.returncode) == (expected, 0), ran.stderr


def test_numpy_is_not_changed_without_a_device() -> None:
    program = "import numpy; had = set(dir(numpy)); import wateringhole.sim; assert not set(dir(numpy)) - had"
    ran = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stderr
