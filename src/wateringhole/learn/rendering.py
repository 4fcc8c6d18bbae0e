"""The course of a game as text and as an image, with everything that players hide."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from wateringhole import fallbacks
from wateringhole.errors import OperationError, UsageError
from wateringhole.formatting import short_repr
from wateringhole.game import AnyKind, Event
from wateringhole.lazy import is_installed
from wateringhole.markup import plain

__all__ = ["RENDER_MODES", "Narration", "check_render_mode"]

RENDER_MODES = ["human", "ansi", "rgb_array"]

LINES = 30
"""The number of lines that are shown, the latest ones."""
COLUMNS = 120
CELL = 7, 14
"""The width and height of a character of an image, in pixels."""


def check_render_mode(mode: str | None) -> None:
    """Raise UsageError for an unknown mode, and OperationError if a package for it is not installed."""
    if mode is not None and mode not in RENDER_MODES:
        raise UsageError(
            f"render_mode={short_repr(mode)}: there is no such mode. Choose from: {', '.join(RENDER_MODES)}."
        )
    if mode == "rgb_array" and not is_installed("PIL"):
        raise OperationError(
            "the render mode rgb_array needs Pillow, which is not installed; "
            "install the extra with: pip install 'wateringhole[learn]'"
        )


class Narration:
    """The lines that narrate one game."""

    def __init__(self, kind: AnyKind, names: Sequence[str]) -> None:
        self._narrator = fallbacks.text(kind).narrator(names)
        self._lines: list[str] = []
        self._printed = 0

    def see(self, event: Event) -> None:
        self._lines += plain(self._narrator.narrate(event))

    def render(self, mode: str | None) -> str | npt.NDArray[np.uint8] | None:
        """Return the last lines as a text or an image, or print those since the last call (`human`)."""
        if mode == "human":
            for line in self._lines[self._printed :]:
                print(line)
            self._printed = len(self._lines)
            return None
        shown = self._lines[-LINES:]
        return "\n".join(shown) if mode == "ansi" else _image(shown)


def _image(lines: Sequence[str]) -> npt.NDArray[np.uint8]:
    """Return lines of text as an image of a fixed size."""
    from PIL import Image, ImageDraw

    width, height = CELL
    image = Image.new("RGB", (COLUMNS * width, LINES * height), "white")
    draw = ImageDraw.Draw(image)
    for number, line in enumerate(lines):
        # The font that comes with Pillow has Latin letters only.
        draw.text((width, number * height), line.encode("latin-1", "replace").decode("latin-1")[:COLUMNS], fill="black")
    return np.asarray(image)
