"""The built-in players of Porrinha, one row each."""

from __future__ import annotations

from importlib import resources

from wateringhole.facets import Bot, Bots
from wateringhole.games.porrinha.bots.player import Player

__all__ = ["BOTS"]


def _random() -> type[Player]:
    from wateringhole.games.porrinha.bots.random import Random

    return Random


def _zero() -> type[Player]:
    from wateringhole.games.porrinha.bots.zero import Zero

    return Zero


def _counter() -> type[Player]:
    from wateringhole.games.porrinha.bots.counter import Counter

    return Counter


def _equilibrium() -> type[Player]:
    from wateringhole.games.porrinha.bots.equilibrium import Equilibrium

    return Equilibrium


def _expert() -> type[Player]:
    from wateringhole.games.porrinha.bots.expert.player import Expert

    return Expert


def _human() -> type[Player]:
    from wateringhole.games.porrinha.terminal import Human

    return Human


BOTS = Bots(
    base=Player,
    players={
        "random": Bot(_random, fast=True),
        "zero": Bot(_zero, fast=True),
        "counter": Bot(_counter, fast=True),
        "equilibrium": Bot(_equilibrium),
        "expert": Bot(_expert),
        "human": Bot(_human, human=True),
    },
    usual=("random", "zero", "counter"),
    levels=resources.files("wateringhole.games.porrinha.bots") / "levels.json",
    templates={"whole": resources.files("wateringhole.games.porrinha.bots.templates") / "whole.py"},
)
