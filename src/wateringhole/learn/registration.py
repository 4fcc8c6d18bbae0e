"""The ids of the environments in Gymnasium, one for each installed game that has an encoding."""

from __future__ import annotations

import re

import gymnasium

from wateringhole import registry

__all__ = ["register_environments"]

NAMESPACE = "wateringhole"
VERSION = 0
"""Grows when the same actions could lead to other observations or rewards."""


def register_environments() -> None:
    """Register the environments that are not registered yet."""
    for kind in registry.kinds():
        name = re.sub(r"\W", "", kind.display_name)
        if kind.encoding is not None and f"{NAMESPACE}/{name}-v{VERSION}" not in gymnasium.registry:
            gymnasium.register(
                id=f"{NAMESPACE}/{name}-v{VERSION}",
                entry_point="wateringhole.learn.seat_env:SeatEnv",
                vector_entry_point="wateringhole.learn.vector_env:BatchEnv",
                kwargs={"game": kind.name},
            )
