"""Settings for all tests: how hard Hypothesis tries, and where files outside the repository are."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from xdist.scheduler import LoadFileScheduling

ROOT = Path(__file__).resolve().parent.parent

# Requests that bots failed at, and solved games: those of the developer stay as they are.
os.environ["XDG_CACHE_HOME"] = str(ROOT / "build" / "test-cache")

# Tests start hundreds of processes.  Without bytecode, each of them would compile all modules again.
sys.dont_write_bytecode = False
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)

# A shell that runs the tests in the background disables Ctrl-C for them and for all processes that
# they start; some tests press it.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# No deadlines: the speed of a busy machine does not depend on the code under test.
settings.register_profile("quick", max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("ci", settings.get_profile("quick"), max_examples=100, derandomize=True, print_blob=True)
settings.register_profile("thorough", settings.get_profile("quick"), max_examples=2000)
# To choose another profile: pytest --hypothesis-profile=thorough
settings.load_profile("quick")


COMPILING = (
    "tests/sim/",
    "tests/games/evolution/compiled/",
    "tests/games/porrinha/compiled/",
    "tests/games/evolution/bots/test_search.py",
    "tests/learn/test_agreement.py",
    "tests/learn/test_vector_env.py",
    "tests/test_docs.py::test_python_examples_run[search.md]",
    "tests/test_docs.py::test_python_examples_run[beating-greedy.md]",
    "tests/cli/test_simulate.py",
)
"""Tests that compile whole games, in this order: the last ones start processes, which load what was compiled."""


class _Together(LoadFileScheduling):  # type: ignore[misc]  # ships no types
    """A scheduler that runs tests with an expensive resource in common in one worker process.

    Tests of a module share its servers, tests of the page a browser, and tests of the simulator its compiled code.
    """

    def _split_scope(self, nodeid: str) -> str:
        if nodeid.startswith("tests/browser/"):
            return "browser"
        if nodeid.startswith(COMPILING):
            return "sim"
        file: str = super()._split_scope(nodeid)
        return file


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run the tests that compile after the others, in the order of `COMPILING`."""
    items.sort(key=lambda item: next((i for i, path in enumerate(COMPILING, 1) if item.nodeid.startswith(path)), 0))


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> _Together | None:
    """Return this scheduler unless the command line chooses another."""
    return _Together(config, log) if config.getoption("dist") == "load" else None


@pytest.fixture(scope="session")
def conformance() -> Path:
    """Return the folder of the course's harness cases, one JSON Lines file for each harness."""
    return _outside("WATERINGHOLE_CONFORMANCE", "shared/conformance")


@pytest.fixture(scope="session")
def captures() -> Path:
    """Return the folder of captured conversations with the course's original server."""
    return _outside("WATERINGHOLE_CAPTURES", "shared/rules/captures")


def _outside(variable: str, beside_the_repository: str) -> Path:
    """Return a folder outside the repository, or skip the test if it does not exist."""
    named = os.environ.get(variable)
    if named is not None:
        folder = Path(named)
        # With the variable set, the tests are meant to run; skipping them would hide a mistake.
        assert folder.is_dir(), f"{variable} names {named}, which is not a folder"
        return folder
    folder = ROOT.parent / beside_the_repository
    if not folder.is_dir():
        pytest.skip(f"needs files from outside the repository: set {variable} to their folder")
    return folder
