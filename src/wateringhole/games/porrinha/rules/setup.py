"""What is decided before a game of Porrinha: who plays and by which rules.  There is no chance in it."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from wateringhole.errors import UsageError
from wateringhole.games.porrinha.rules.options import Rules, starting_sticks
from wateringhole.games.porrinha.rules.view import SeriesPlayer

__all__ = ["MOST_PLAYERS", "Setup", "deal", "setup_problem"]

MOST_PLAYERS = 1000
"""More would be no game; and a file that asks for millions must not make us build them."""


class Setup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All that a game starts from."""

    players: int
    rules: Rules
    guests: tuple[SeriesPlayer, ...] = ()
    """Who sits where; empty: the guests are numbered and named by their seats."""
    stale_guesses: tuple[int, ...] = ()
    """The last guesses of the game before, which `opening_guesses: stale` shows; empty: there was none."""

    def seated(self) -> tuple[SeriesPlayer, ...]:
        """Who sits where, made up where nobody said."""
        return self.guests or tuple(SeriesPlayer(number, f"player {number + 1}") for number in range(self.players))


def deal(
    players: int,
    rules: Rules,
    seed: int | str | None = None,
    *,
    guests: Sequence[SeriesPlayer] = (),
    stale_guesses: Sequence[int] = (),
) -> Setup:
    """The setup of a game.  `seed` changes nothing: Porrinha leaves nothing to chance but its players.

    Raises UsageError when the rules do not fit that many players.
    """
    setup = Setup(players, rules, tuple(guests), tuple(stale_guesses))
    wrong = setup_problem(setup)
    if wrong is not None:
        raise UsageError(f"Porrinha cannot be dealt: {wrong}.")
    return setup


def setup_problem(setup: Setup) -> str | None:
    """What makes a setup unplayable, if anything does."""
    if setup.players < 2:
        return f"it takes at least 2 players, and there are {setup.players}"
    if setup.players > MOST_PLAYERS:
        return f"it is for at most {MOST_PLAYERS} players, and there are {setup.players}"
    try:
        starting_sticks(setup.rules, setup.players)
    except ValueError as wrong:
        return str(wrong)
    if setup.rules.max_rounds is not None and setup.rules.max_rounds < 1:
        return f"max_rounds={setup.rules.max_rounds}: a game has at least one round"
    for name, things in (("guests", setup.guests), ("stale guesses", setup.stale_guesses)):
        if things and len(things) != setup.players:
            return f"there are {setup.players} players but {len(things)} {name}"
    return None
