"""Write the commit into the wheel and the source distribution, so that a bug report can name it."""

from __future__ import annotations

import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

PATHS = {"sdist": "src/wateringhole/commit.txt", "wheel": "wateringhole/commit.txt"}
"""The path of the file in each kind of package.  A wheel from a source distribution gets the file that is there."""


class CommitHook(BuildHookInterface):  # type: ignore[type-arg]
    _folder: str | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        # An editable installation runs in the clone itself, whose commit changes.
        commit = None if version == "editable" else _commit(Path(self.root))
        if commit:
            self._folder = tempfile.mkdtemp()
            file = Path(self._folder, "commit.txt")
            file.write_text(f"{commit}\n")
            build_data["force_include"][str(file)] = PATHS[self.target_name]

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        if self._folder:
            shutil.rmtree(self._folder)


def _commit(root: Path) -> str | None:
    """Return the commit of a clone, or None outside of one and without git."""
    if not (root / ".git").exists():
        return None
    command = ["git", "-C", str(root), "describe", "--always", "--dirty", "--exclude=*"]
    try:
        return subprocess.run(command, capture_output=True, text=True, timeout=60, check=True).stdout.strip()
    except (OSError, subprocess.SubprocessError):
        return None
