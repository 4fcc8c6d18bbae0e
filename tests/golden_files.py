"""Golden files: readable dumps in `tests/golden`, compared on every run.

After a change that is meant, UPDATE_GOLDEN=1 writes them anew; the difference belongs to the commit.
"""

from __future__ import annotations

import os
from pathlib import Path

FOLDER = Path(__file__).parent / "golden"


def assert_golden(name: str, text: str) -> None:
    path = FOLDER / name
    if os.environ.get("UPDATE_GOLDEN"):
        path.write_text(text, encoding="utf-8")
    assert path.is_file(), f"there is no {path.name}; UPDATE_GOLDEN=1 writes it"
    assert text == path.read_text(encoding="utf-8"), f"{path.name} is told differently; if meant, set UPDATE_GOLDEN=1"
