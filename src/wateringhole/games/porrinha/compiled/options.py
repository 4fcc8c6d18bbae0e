"""The options of the rules in the compiled game: each is encoded or has no effect."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from wateringhole.games.porrinha.compiled import layout
from wateringhole.games.porrinha.rules.options import Rules, starting_sticks
from wateringhole.games.porrinha.rules.setup import deal
from wateringhole.games.porrinha.rules.view import NO_HAND, NO_SEAT
from wateringhole.sim.options import Encoded, NoEffect, OptionEntry, encode_options, refuse_option

__all__ = ["OPTIONS", "setup"]

_NOT_CALLED: Final = "compiled players are not called after a round or a game"


def _round_limit(rounds: int | None) -> int:
    # A limit above that of the row has no effect.
    return rounds if rounds and rounds <= layout.MOST_ROUNDS else 0


OPTIONS: Final[Mapping[str, OptionEntry]] = {
    "sticks": Encoded(layout.STICKS, None),
    "opening_zero": Encoded(layout.LEAST, lambda zero: zero == "forbidden"),
    "lead_after_win": Encoded(layout.ROTATE, lambda lead: lead == "rotate"),
    "finish": Encoded(layout.FIRST_OUT, lambda finish: finish == "first_out_wins"),
    "taken_guess": Encoded(layout.AGAIN, lambda taken: taken == "again"),
    "max_rounds": Encoded(layout.MAX_ROUNDS, _round_limit),
    "on_failure": NoEffect("compiled players do not fail"),
    "closing_call": NoEffect(_NOT_CALLED),
    "end_round_to": NoEffect(_NOT_CALLED),
    "end_round_from": NoEffect(_NOT_CALLED),
    "absent_hand": Encoded(layout.STALE, lambda absent: absent == "stale"),
    "last_winner": Encoded(layout.LIVE, lambda changes: changes == "live"),
    "opening_guesses": NoEffect("compiled players are not called before a game"),
}
"""One entry for every option of the rules."""


def setup(rules: Rules, players: int) -> npt.NDArray[np.int32]:
    """Return a row before its first round.  Raises UsageError for more sticks than a row can hold."""
    deal(players, rules)
    sticks = starting_sticks(rules, players)
    if max(sticks) > layout.MOST_STICKS or sum(sticks) > layout.MOST_TABLE:
        raise refuse_option(
            "sticks",
            rules.sticks,
            f"a seat holds up to {layout.MOST_STICKS} sticks and a table up to {layout.MOST_TABLE}",
        )
    row = np.zeros(layout.STATE, layout.DTYPE)
    row[layout.PLAYERS] = row[layout.ACTIVE] = players
    row[layout.STICKS : layout.STICKS + players] = sticks
    row[layout.TABLE] = sum(sticks)
    row[layout.LAST_WINNER] = NO_SEAT
    row[layout.OPENED : layout.OPENED + layout.MOST_PLAYERS] = NO_HAND
    row[layout.ABSENT : layout.ABSENT + layout.MOST_PLAYERS] = NO_HAND
    for place, word in encode_options(OPTIONS, rules).items():
        row[place] = word
    return row
