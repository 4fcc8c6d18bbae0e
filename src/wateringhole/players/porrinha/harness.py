"""Porrinha's harness, as the command line looks for it beside every game's players."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from wateringhole.errors import Misuse
from wateringhole.porrinha import KIND, Rules
from wateringhole.porrinha.harness import run_scenario

__all__ = ["HARNESSES"]


def _porrinha(value: Any, rules: Rules) -> list[dict[str, Any]]:
    """A scripted series; its rules are part of the scenario."""
    if rules != KIND.profiles["seed"]:
        raise Misuse("--rules: a Porrinha scenario names its rules itself, under profile and the options' names.")
    return run_scenario(value)


HARNESSES: dict[str, Callable[[Any, Rules], Any]] = {"porrinha": _porrinha}
