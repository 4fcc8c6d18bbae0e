"""Tools for authors of games: the conformance kit, and badly behaved players.

::

    from wateringhole.testing import check_game

    def test_game() -> None:
        check_game(KIND)

`bad_players` has players in Python, and `bad_program` is a program.  Each commits one misdeed that the author
of the game chooses.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from wateringhole.lazy import lazy_names

if TYPE_CHECKING:
    from wateringhole.testing.conformance import NonConforming, Report, check_game
else:
    # A program of `bad_program` starts often and does not need them.
    __getattr__, __dir__ = lazy_names(
        __name__, {"wateringhole.testing.conformance": ["NonConforming", "Report", "check_game"]}
    )

__all__ = ["NonConforming", "Report", "check_game"]
