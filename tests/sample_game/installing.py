"""Nim as an installed package: a folder for `sys.path` or PYTHONPATH."""

from __future__ import annotations

from pathlib import Path

from tests.sample_game import nim

__all__ = ["BOT", "install_nim"]

BOT = """\
from nim import Taking
from wateringhole.player import InProcess


class Mine(InProcess):
    "Takes one stick."

    def __init__(self, count=1):
        self.count = count

    def take(self, request):
        heap = next(heap for heap, sticks in enumerate(request.view.heaps) if sticks)
        return Taking(heap, self.count)
"""
"""A player of Nim.  With another count it can break a rule."""


def install_nim(folder: Path) -> Path:
    """Write Nim to a folder as pip would, with its entry point, and return the folder."""
    metadata = folder / "nim-1.0.dist-info"
    metadata.mkdir(parents=True)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: nim\nVersion: 1.0\n")
    (metadata / "entry_points.txt").write_text("[wateringhole.games]\nnim = nim:KIND\n")
    (folder / "nim.py").write_text(Path(nim.__file__).read_text(encoding="utf-8"), encoding="utf-8")
    return folder
