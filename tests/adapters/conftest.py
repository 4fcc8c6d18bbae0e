"""The C++ players of `porrinha_cpp/`, compiled against our core once for a whole run of the tests."""

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
    """The name of the C++ compiler; skips the test where there is none."""
    for tool in ("g++", "make"):
        if shutil.which(tool) is None:
            pytest.skip(f"C++ players are compiled with g++ and make, and there is no {tool} here")
    return "g++"


@pytest.fixture(scope="session")
def game_folder(compiler: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The game's folder with our core in it, and the program built: `porrinha`."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent
    folder = shared / "porrinha-cpp"
    # Processes that share the work of one run of the tests share the program too.
    with (shared / "porrinha-cpp.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not folder.exists():
            shutil.copytree(GAME, folder)
            shutil.copytree(CORE, folder / "core")
        made = subprocess.run(["make", "-j2"], cwd=folder, capture_output=True, text=True, check=False)
    assert made.returncode == 0, made.stdout + made.stderr
    return folder


@pytest.fixture(scope="session")
def program(game_folder: Path) -> Path:
    return game_folder / "porrinha"
