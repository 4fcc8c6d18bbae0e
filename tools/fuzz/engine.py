"""The search for inputs that reach new code, by Atheris.

``python -m tools.fuzz.engine TARGET`` also takes the options of libFuzzer.
"""

from __future__ import annotations

import random
import sys

import atheris

__all__ = ["main"]


def main() -> None:
    """Fuzz a target until an option of libFuzzer ends it; exit with another status than 0 for a bug."""
    name = sys.argv.pop(1)
    with atheris.instrument_imports(include=["wateringhole"]):
        from tools.fuzz.corpus import inputs
        from tools.fuzz.mutations import mutate
        from tools.fuzz.targets import TARGETS

        target = TARGETS[name]
        # Games load many modules on first use, and only those that are loaded here report what they reach.
        for path in inputs(name):
            target(path.read_bytes())

    def mutate_somehow(data: bytes, most_bytes: int, seed: int) -> bytes:
        chance = random.Random(seed)
        changed = mutate(data, chance) if chance.random() < 0.5 else atheris.Mutate(data, most_bytes)
        return changed[:most_bytes]

    atheris.Setup(sys.argv, target, custom_mutator=mutate_somehow)
    atheris.Fuzz()


if __name__ == "__main__":
    main()
