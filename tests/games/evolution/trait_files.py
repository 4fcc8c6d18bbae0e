"""Trait files for tests: written from the bodies of hooks, or with random hooks."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping
from pathlib import Path

from wateringhole.games.evolution.rules.custom_traits import (
    TRAIT_BASES,
    CustomTrait,
    CustomTraits,
    Species,
    TraitBase,
)
from wateringhole.games.evolution.rules.hooks import Hooks
from wateringhole.games.evolution.rules.traits import TraitType

EXAMPLE = Path(__file__).parents[3] / "examples" / "evolution_traits.py"

_PARAMETERS = {
    "PreventsAttack": "prevent_attack(self, attacker, attacked, owner)",
    "WasAttacked": "was_attacked(self, attacker, attacked, owner)",
    "FoodRevealed": "food_was_revealed(self, quantity, owner)",
    "FoodEaten": "food_eaten(self, eater, quantity, owner)",
}


def write_traits(path: Path, **bodies: tuple[str, str]) -> Path:
    """Write a file with a trait for each name: its type, and the body of its hook."""
    lines = ["from wateringhole.games.evolution.traits import *", ""]
    for name, (base, body) in bodies.items():
        lines += [f"class {name.title()}({base}):", f"    trait_id = {name!r}", f"    text = 'It is {name}.'"]
        if base in _PARAMETERS:
            lines += [f"    def {_PARAMETERS[base]}:", textwrap.indent(textwrap.dedent(body), " " * 8)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


class _Arbitrary(TraitBase):
    """A trait whose hooks answer with numbers from a list, over and over, as far as the rules leave room or not."""

    def __init__(self, numbers: list[int]) -> None:
        self._numbers = numbers
        self._calls = 0

    def _next(self) -> int:
        self._calls += 1
        return self._numbers[self._calls % len(self._numbers)]

    def _altered(self, species: Species) -> Species:
        # Feeding rounds end only if no trait makes a species hungry again.
        food, population = species.food + max(0, self._next()), species.population + min(0, self._next())
        return species.replace(food=food, population=population, body=self._next(), fat=self._next())

    def prevent_attack(self, attacker: Species, attacked: Species, owner: Species) -> bool:
        # A pure function of its arguments: the rules ask more than once.
        return (attacker.body + attacked.population + owner.food) % 3 > 0

    def was_attacked(self, attacker: Species, attacked: Species, owner: Species) -> tuple[Species, Species, Species]:
        changed = {id(each): self._altered(each) for each in (attacker, attacked, owner)}
        return changed[id(attacker)], changed[id(attacked)], changed[id(owner)]

    def food_was_revealed(self, quantity: int, owner: Species) -> tuple[int, Species]:
        return quantity + self._next(), self._altered(owner)

    def food_eaten(self, eater: Species, quantity: int, owner: Species) -> int:
        return quantity + self._next()


def arbitrary_traits(types: Mapping[str, TraitType], numbers: list[int]) -> Hooks:
    """Return a trait for each name and type, whose hooks do anything at all."""
    custom = CustomTraits(
        "sha256:none",
        tuple(CustomTrait(name, type_, "Anything.", tuple(range(-3, 4))) for name, type_ in types.items()),
    )
    code: dict[str, TraitBase] = {}
    for name, type_ in types.items():
        code[name] = _Arbitrary(numbers)
        code[name].__dict__["hook"] = TRAIT_BASES[type_].hook
    return Hooks(custom, "arbitrary.py", code)
