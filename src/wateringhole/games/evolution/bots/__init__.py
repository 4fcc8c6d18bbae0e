"""The table of the built-in players of Evolution.

There are two base classes: a `Player` gives complete answers, a `StepwisePlayer` small ones.
"""

from __future__ import annotations

from importlib import resources

from wateringhole.facets import Bot, Bots, Face
from wateringhole.games.evolution.bots.player import Player

__all__ = ["BOTS"]


def _silly() -> type[Player]:
    from wateringhole.games.evolution.bots.silly import Silly

    return Silly


def _random() -> type[Player]:
    from wateringhole.games.evolution.bots.random import Random

    return Random


def _greedy() -> type[Player]:
    from wateringhole.games.evolution.bots.greedy import Greedy

    return Greedy


def _champion() -> type[Player]:
    from wateringhole.games.evolution.bots.champion.player import Champion

    return Champion


def _search() -> type[Player]:
    from wateringhole.games.evolution.bots.search.player import Search

    return Search


def _human() -> type[Player]:
    from wateringhole.games.evolution.terminal import Human

    return Human


_TEMPLATES = resources.files("wateringhole.games.evolution.bots.templates")

BOTS = Bots(
    base=Player,
    players={
        "silly": Bot(_silly, fast=True, face=Face("round", "sleepy", "smile", "blue")),
        "random": Bot(_random, fast=True, face=Face("long", "wide", "smile", "yellow")),
        "greedy": Bot(_greedy, fast=True, face=Face("horned", "round", "flat", "green")),
        "champion": Bot(_champion, face=Face("pointed", "sharp", "teeth", "red")),
        "search": Bot(_search, face=Face("tufts", "wide", "beak", "blue")),
        "human": Bot(_human, human=True),
    },
    usual=("silly", "greedy", "random"),
    filler="random",
    levels=resources.files("wateringhole.games.evolution.bots") / "levels.json",
    templates={"whole": _TEMPLATES / "whole.py", "stepwise": _TEMPLATES / "stepwise.py"},
)
