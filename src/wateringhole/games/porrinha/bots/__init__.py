"""The built-in players of Porrinha, one row each."""

from __future__ import annotations

from importlib import resources

from wateringhole.facets import Bot, Bots, Face
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
        "random": Bot(_random, fast=True, face=Face("long", "wide", "smile", "yellow")),
        "zero": Bot(_zero, fast=True, face=Face("round", "sleepy", "flat", "blue")),
        "counter": Bot(_counter, fast=True, face=Face("tufts", "wide", "beak", "green")),
        "equilibrium": Bot(_equilibrium, face=Face("horned", "round", "flat", "red")),
        "expert": Bot(_expert, face=Face("pointed", "sharp", "smile", "yellow")),
        "human": Bot(_human, human=True),
    },
    usual=("random", "zero", "counter"),
    levels=resources.files("wateringhole.games.porrinha.bots") / "levels.json",
    templates={"whole": resources.files("wateringhole.games.porrinha.bots.templates") / "whole.py"},
)
