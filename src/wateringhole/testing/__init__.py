"""Tools for authors of games: the conformance kit, and badly behaved players.

::

    from wateringhole.testing import check_game

    def test_game() -> None:
        check_game(KIND)
"""

from wateringhole.testing.conformance import NonConforming, Report, check_game

__all__ = ["NonConforming", "Report", "check_game"]
