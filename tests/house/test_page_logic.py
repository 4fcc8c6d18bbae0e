"""The logic of the page, tested by Node.js: `*.test.mjs` in the folders of the tests."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

TESTS = Path(__file__).parents[1]
NODE = shutil.which("node")


@pytest.mark.skipif(NODE is None, reason="needs Node.js: apt install nodejs")
def test_logic_of_the_page() -> None:
    files = sorted(str(path) for path in TESTS.rglob("*.test.mjs"))
    assert files
    ran = subprocess.run([str(NODE), "--test", *files], cwd=TESTS.parent, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert "\n# pass 0\n" not in ran.stdout
