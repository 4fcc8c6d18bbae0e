"""Draw docs/images/game.svg: the last turn of a real game.

Run it with `make picture` after the narration has changed.
"""

from __future__ import annotations

import re
from pathlib import Path

from rich.console import Console

from wateringhole import fallbacks, registry
from wateringhole.game import Event
from wateringhole.match.series import Entrant, Series
from wateringhole.match.specs import parse_specs

PICTURE = Path(__file__).parent.parent / "docs" / "images" / "game.svg"
SEED = 44


def main() -> None:
    kind = registry.game_kind("evolution")
    specs = parse_specs("evolution", ["silly", "random?seed=4", "greedy"])
    entrants = [Entrant(spec.label, spec.make()) for spec in specs]
    series = Series(kind=kind, entrants=entrants, rules=kind.profiles["course"].rules, seeds=[SEED])
    lines: list[str] = []

    def observers(names: object) -> list[object]:
        narrator = fallbacks.text(kind).narrator(names)

        def narrate(event: Event) -> None:
            if kind.turn_of(event):
                lines.clear()
            lines.extend(narrator.narrate(event))

        return [narrate]

    list(series.play(observers))  # type: ignore[arg-type]
    with Path("/dev/null").open("w") as nowhere:
        console = Console(record=True, width=92, file=nowhere)
        for line in lines:
            console.print(line, highlight=False)
        svg = console.export_svg(title="wateringhole play evolution silly random greedy")
    # The picture must not fetch anything.  Without these rules, the reader's own monospaced font is used.
    PICTURE.write_text(re.sub(r"@font-face \{.*?\}\s*", "", svg, flags=re.DOTALL), encoding="utf-8")
    print(f"wrote {PICTURE.relative_to(Path.cwd())}")


if __name__ == "__main__":
    main()
