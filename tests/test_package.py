"""The wheel and the source distribution, built from a clean tree."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.conftest import ROOT

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def dist(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with both, as `make wheel` builds them from the last commit."""
    folder = tmp_path_factory.mktemp("package")
    run("git", "clone", "--quiet", "--no-local", "--depth", "1", ROOT, folder / "clone")
    run(sys.executable, "-m", "build", "--no-isolation", "--outdir", folder / "dist", folder / "clone")
    return folder / "dist"


def run(*words: str | Path) -> None:
    done = subprocess.run(list(map(str, words)), capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stdout + done.stderr


def test_both_have_a_description_that_a_package_index_accepts(dist: Path) -> None:
    run(sys.executable, "-m", "twine", "check", "--strict", *dist.iterdir())


def test_the_wheel_has_the_package_with_its_data_and_nothing_else(dist: Path) -> None:
    (wheel,) = dist.glob("*.whl")
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {name.partition("/")[0].removesuffix(".dist-info") for name in names} == {
        "wateringhole",
        wheel.name.removesuffix("-py3-none-any.whl"),
    }
    tracked = subprocess.run(["git", "ls-files", "src"], cwd=ROOT, capture_output=True, text=True, check=True)
    packed = {f"src/{name}" for name in names if name.startswith("wateringhole/")}
    assert packed == {*tracked.stdout.splitlines(), "src/wateringhole/commit.txt"}


def test_an_installed_wheel_prints_its_commit(dist: Path, tmp_path: Path) -> None:
    (wheel,) = dist.glob("*.whl")
    zipfile.ZipFile(wheel).extractall(tmp_path)
    command = "from wateringhole.cli.environment import describe_environment as d; print(d()['commit'])"
    words = [sys.executable, "-c", command]
    printed = subprocess.run(words, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    clone = dist.parent / "clone"
    head = subprocess.run(["git", "rev-parse", "HEAD"], cwd=clone, capture_output=True, text=True, check=True).stdout
    assert head.startswith(printed.strip())
    assert len(printed.strip()) >= 7


def test_the_source_distribution_has_what_the_tests_need(dist: Path) -> None:
    (sdist,) = dist.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert {"Makefile", "README.md", "tests/conftest.py", "docs/how-to/installing.md", "deploy/Dockerfile"} <= names
