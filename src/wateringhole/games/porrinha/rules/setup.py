"""The setup of a game of Porrinha: the players and the rules.  It contains no chance."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from wateringhole.errors import UsageError
from wateringhole.games.porrinha.rules.options import Rules, starting_sticks
from wateringhole.games.porrinha.rules.view import SeriesPlayer

__all__ = ["MOST_PLAYERS", "Setup", "deal", "setup_problem"]

MOST_PLAYERS = 1000
"""The limit keeps a file that names millions of players from using up the memory."""


class Setup(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Everything fixed before a game."""

    players: int
    rules: Rules
    guests: tuple[SeriesPlayer, ...] = ()
    """The players by seat; if empty, they are numbered and named by their seats."""
    stale_guesses: tuple[int, ...] = ()
    """The last guesses of the previous game, which `opening_guesses: stale` shows; empty without one."""

    def seated(self) -> tuple[SeriesPlayer, ...]:
        """Return the players by seat, with default names if the setup has none."""
        return self.guests or tuple(SeriesPlayer(number, f"player {number + 1}") for number in range(self.players))


def deal(
    players: int,
    rules: Rules,
    seed: int | str | None = None,
    *,
    guests: Sequence[SeriesPlayer] = (),
    stale_guesses: Sequence[int] = (),
) -> Setup:
    """Return the setup of a game.  `seed` changes nothing, because only the players of Porrinha use chance.

    Raises UsageError if the rules do not fit this number of players.
    """
    setup = Setup(players, rules, tuple(guests), tuple(stale_guesses))
    wrong = setup_problem(setup)
    if wrong is not None:
        raise UsageError(f"Porrinha cannot be dealt: {wrong}.")
    return setup


def setup_problem(setup: Setup) -> str | None:
    """Return what makes a setup unplayable, or None if it can be played."""
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
