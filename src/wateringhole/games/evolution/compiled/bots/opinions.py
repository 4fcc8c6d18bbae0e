"""What the greedy player thinks, in tenths of a point: `players.evolution.greedy` explains each number.

Use them as `opinions.CARD`, for the layout has a `CARD` of its own.  A test holds them against the player's.
"""

from __future__ import annotations

from typing import Final

from wateringhole.games.evolution.rules.traits import Trait

__all__ = ["ANIMAL", "BOARD", "CARD", "DANGER", "FAT", "FOOD_OF_OTHERS", "HARM", "LOST_BOARD", "POINT", "TRAIT", "USE"]

POINT: Final = 10
HARM: Final = 5
DANGER: Final = 6
FOOD_OF_OTHERS: Final = 2
ANIMAL: Final = 6
TRAIT: Final = 8
BOARD: Final = 10
LOST_BOARD: Final = 6
CARD: Final = 2
FAT: Final = 6
USE: Final = {
    Trait.LONG_NECK: 6,
    Trait.COOPERATION: 5,
    Trait.BURROWING: 4,
    Trait.CLIMBING: 4,
    Trait.FERTILE: 4,
    Trait.FORAGING: 4,
    Trait.HARD_SHELL: 3,
    Trait.HERDING: 3,
    Trait.SCAVENGER: 3,
    Trait.HORNS: 2,
    Trait.FAT_TISSUE: 1,
    Trait.SYMBIOSIS: 1,
    Trait.WARNING_CALL: 1,
    Trait.AMBUSH: 0,
    Trait.CARNIVORE: 0,
    Trait.PACK_HUNTING: 0,
}
