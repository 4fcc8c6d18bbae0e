"""Tools for authors of games: the conformance kit, and badly behaved players.

::

    from wateringhole.testing import check_game

    def test_game() -> None:
        check_game(KIND)

`bad_players` has players in Python, `bad_program` a program; both do one thing wrong, of the author's choice.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from wateringhole.testing.conformance import NonConforming, Report, check_game

__all__ = ["NonConforming", "Report", "check_game"]


def __getattr__(name: str) -> Any:
    # On first use: a program of `bad_program` starts often and needs none of it.
    if name in __all__:
        from wateringhole.testing import conformance

        return getattr(conformance, name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
