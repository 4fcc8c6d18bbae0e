"""QR codes of links, for people who join with their phone."""

from __future__ import annotations

from wateringhole.errors import UsageError

__all__ = ["LONGEST_TEXT", "qr_image"]

LONGEST_TEXT = 500
"""The longest text of a code that a phone still reads well from a screen."""


def qr_image(text: str) -> str:
    """Return the code of a text as an image, an address with the scheme `data`."""
    import segno  # only few pages need it

    if not 0 < len(text) <= LONGEST_TEXT:
        raise UsageError(f"A QR code has a text of 1 to {LONGEST_TEXT} characters, not {len(text)}.")
    image: str = segno.make(text, error="m", micro=False).svg_data_uri(scale=4, border=2, dark="#000", light="#fff")
    return image
