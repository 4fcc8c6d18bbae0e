"""Check that the prose stays plain: count words and phrases that an earlier version overused.

Run `python -m tools.plain_words` in a git checkout.  It prints every match of a pattern that has too
many, and exits with status 1.  The patterns and limits are in `plain_words.toml`.
"""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

SETTINGS = Path(__file__).with_suffix(".toml")


def main() -> int:
    settings = tomllib.loads(SETTINGS.read_text(encoding="utf-8"))
    excess = 0
    for row in settings["words"]:
        for (area, paths), most in zip(settings["paths"].items(), row["most"], strict=True):
            matches = _matches(row["pattern"], paths, ignores_case=not row.get("case", False))
            if len(matches) > most:
                excess += 1
                print(*matches, sep="\n")
                print(f"{area}: {len(matches)} matches of {row['pattern']}, at most {most} are allowed.\n")
    return 1 if excess else 0


def _matches(pattern: str, paths: list[str], *, ignores_case: bool) -> list[str]:
    """Return file, line and text of every match."""
    command = ["git", "grep", "-Eno", *(["-i"] if ignores_case else []), "-e", pattern, "--", *paths]
    ran = subprocess.run(command, capture_output=True, text=True, check=False)
    if ran.returncode > 1:
        sys.exit(ran.stderr.strip())
    return ran.stdout.splitlines()


if __name__ == "__main__":
    sys.exit(main())
