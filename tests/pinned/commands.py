"""Commands that answer in JSON, and what of their answers is the same each time."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from tests.pinned import access

__all__ = ["ADDED", "COMMANDS", "OTHER_GAMES", "PROSE", "SLOW", "run"]

_TOURNAMENT = "tournament porrinha random zero counter again=random --games 12 --seed 3 --store store.sqlite --json"

COMMANDS: dict[str, list[str]] = {
    "play-evolution": ["play evolution silly random greedy --seed 7 --json"],
    "play-evolution-reference": ["play evolution silly silly greedy --seed 8 --rules reference --json"],
    "play-evolution-ascending": ["play evolution silly silly silly --seed 8 --deck ascending --json"],
    "play-porrinha": ["play porrinha random zero counter --seed 7 --json"],
    "play-porrinha-games": ["play porrinha random zero --seed 7 --games 3 --rotate-seats --json"],
    "play-porrinha-options": ["play porrinha zero zero --seed 7 --rules original --rules sticks=2 --json"],
    "play-and-replay": [
        "play porrinha random zero --seed 7 --record . --json",
        "replay porrinha-7.jsonl --json",
        "replay porrinha-7.jsonl --seat 1 --json",
        "replay porrinha-7.jsonl --verify --json",
    ],
    "tournament-porrinha": [
        _TOURNAMENT,
        "standings --store store.sqlite --json",
        "standings 1 --store store.sqlite --json",
    ],
    "tournament-evolution": [
        "tournament evolution silly random greedy --games 6 --table-size 3 --seed 4 --store store.sqlite --json",
        "standings 1 --store store.sqlite --json",
    ],
    "tournament-gauntlet": [f"{_TOURNAMENT} --format gauntlet"],
    "tournament-swiss": [f"{_TOURNAMENT} --format swiss --table-size 2"],
    "tournament-ladder": [f"{_TOURNAMENT} --format ladder --table-size 2"],
    "compare-porrinha": ["compare porrinha counter zero --seed 3 --max-games 60 --json"],
    "compare-evolution": ["compare evolution greedy silly --at-table random --seed 3 --max-games 24 --json"],
    "check-evolution": ["check evolution silly --json"],
    "check-porrinha": ["check porrinha zero --json"],
    "players": ["players --json", "players porrinha --json"],
    "rules": ["rules --json", "rules evolution --json", "rules porrinha --json"],
    "solve": ["solve porrinha --sticks 2 --json -"],
    "solve-options": ["solve porrinha --sticks 2 --lead-after-win rotate --opening-zero forbidden --json -"],
    "simulate-porrinha": ["simulate porrinha random zero --games 200 --seed 1 --threads 1 --json"],
    "simulate-evolution": ["simulate evolution silly greedy random --games 200 --seed 1 --threads 1 --json"],
}
"""By name: commands that are run in one folder, one after the other."""

SLOW = {"simulate-porrinha", "simulate-evolution"}
"""They compile for many seconds where nothing is cached."""

PROSE: dict[str, list[str]] = {
    "rules": ["*.title", "*.rulebook", "*.options.*.text"],
    "players": ["*.*"],
    "check-evolution": ["tables.*"],
    "check-porrinha": ["tables.*"],
}
"""By name: the explanations in the lines that commands print.  Their wording is not pinned (see `without_wording`)."""

ADDED = {"champion", "expert", "search"}
"""The players that were added since."""

OTHER_GAMES = {"compare-porrinha", "compare-evolution"}
"""They play other games now than those that were pinned, because a player object no longer sees a deal twice.  Of their
numbers, only the types are pinned.  Nothing that was stored depends on these games."""

_CHANGING = {
    "begun",
    "finished",
    "seconds",
    "startup_seconds",
    "median_seconds",
    "worst_seconds",
    "peak_memory_bytes",
    "compile_seconds",
    "games_per_second",
    "decisions_per_second",
    "exploitability",
}
"""Fields whose values are other ones each time, or nothing but rounding."""

_NEWER = {"chain", "levels", "versions", "withdraw_after"}
"""Fields that were added after the answers were pinned."""


def run(commands: list[str], folder: Path) -> dict[str, Any]:
    """What each command prints, line by line, its status, and what it says on the error stream where it fails."""
    ran = []
    for words in commands:
        # The pinned command lines are older than the name of this option.
        done = access.command(*words.replace("--at-table", "--with").split(), folder=folder)
        lines = [_unchanging(json.loads(line)) if line[:1] in "[{" else line for line in done.stdout.splitlines()]
        said = done.stderr.replace(str(folder.resolve()), "FOLDER") if done.returncode else ""
        ran.append({"status": done.returncode, "lines": lines, "errors": said.splitlines()})
    return {"ran": ran}


def _unchanging(value: Any) -> Any:
    """A value with the type in place of what changes."""
    if isinstance(value, dict):
        return {
            name: type(each).__name__ if name in _CHANGING and not isinstance(each, dict | list) else _unchanging(each)
            for name, each in value.items()
            if name not in _NEWER
        }
    return [_unchanging(each) for each in value] if isinstance(value, list) else value
