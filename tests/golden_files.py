"""Golden files: readable dumps in `tests/golden`, compared on every run.

After an intended change, UPDATE_GOLDEN=1 rewrites them; commit the difference.
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
    assert text == path.read_text(encoding="utf-8"), f"{path.name} differs; if intended, set UPDATE_GOLDEN=1"
