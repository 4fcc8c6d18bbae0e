"""Fixtures that compile the C++ players of `porrinha_cpp/` against the replacement core, once per test run."""

from __future__ import annotations

import fcntl
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from tests.conftest import ROOT

GAME = Path(__file__).parent / "porrinha_cpp"
CORE = ROOT / "adapters" / "porrinha-cpp" / "core"


@pytest.fixture(scope="session")
def compiler() -> str:
    """Return the name of the C++ compiler, or skip the test if there is none."""
    for tool in ("g++", "make"):
        if shutil.which(tool) is None:
            pytest.skip(f"compiling C++ players needs {tool}, which is not installed")
    return "g++"


@pytest.fixture(scope="session")
def game_folder(compiler: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the game's folder with the replacement core and the built program `main`."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    folder = shared / "porrinha-cpp"
    # All processes of one test run share the program.
    with (shared / "porrinha-cpp.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            shutil.copytree(GAME, folder)
            shutil.copytree(CORE, folder / "core")
        made = subprocess.run(["make", "-j2", "main"], cwd=folder, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stdout + made.stderr
    return folder


@pytest.fixture(scope="session")
def program(game_folder: Path) -> Path:
    return game_folder / "main"
