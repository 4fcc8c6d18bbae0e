"""The options of the rules in the compiled game: each is encoded, has no effect, or is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

import numpy as np
import numpy.typing as npt

from wateringhole.games.evolution.compiled import layout
from wateringhole.games.evolution.compiled.rules.traits import ARMOURED, PACKS
from wateringhole.games.evolution.rules.options import MOST_BODY, Rules
from wateringhole.sim.options import Encoded, NoEffect, OptionEntry, Refused, encode_options, refuse_option

__all__ = ["OPTIONS", "setup"]


# Larger numbers make no difference, because attackers and decks are smaller.
_MOST_GAP: Final = 100
_MOST_TURNS: Final = 1000

_SILLY_LAYS: Final = "the silly player lays two trait cards a turn, and a compiled player cannot be thrown out"

OPTIONS: Final[Mapping[str, OptionEntry]] = {
    "symbiosis": Encoded(layout.SYMBIOSIS_COUNTS, lambda on: MOST_BODY if on else 0),
    "hard_shell_gap": Encoded(layout.HARD_SHELL_GAP, lambda gap: min(gap, _MOST_GAP)),
    "hard_shell_arms_attacker": Encoded(layout.ARMOUR_COUNTS, lambda on: ARMOURED if on else 0),
    "herding_counts_pack": Encoded(layout.PACKS_IN_HERDS, lambda on: PACKS if on else 0),
    "new_board_body_limit": Encoded(
        layout.NEW_BODY_LIMIT, int, {0: "a new body must be able to grow: the silly player lets it"}
    ),
    "final_traits_distinct": Encoded(layout.TRAITS_DIFFER, int),
    "scoring": Encoded(layout.SCORES_BOARDS, lambda scoring: scoring == "boards"),
    "game_end_counts_free_board": Encoded(layout.FREE_BOARDS, int),
    "false_reply": Encoded(layout.FALSE_REPLY, layout.FALSE_REPLIES.index),
    "choose_lists_self": NoEffect("no request goes over a wire"),
    "silly_target_tie": Encoded(layout.LAST_OF_EQUALS, lambda tie: tie == "last"),
    "silly_caps_fat_request": NoEffect("a request beyond the watering hole is cut, unless `setup` refuses the rules"),
    "tie_listing": Encoded(layout.LATE_FIRST, lambda listing: listing == "late-first"),
    "hand_order": NoEffect("hands are sets"),
    "food_clamp": Encoded(layout.FOOD_DEBTS, lambda clamp: clamp == "total"),
    "idle_players": Encoded(layout.IDLE_LEAVE, lambda idle: idle == "leave"),
    "horns_full_attacker_scavengers": Encoded(layout.FULL_ATTACKERS_COUNT, int),
    "auto_feed": Encoded(layout.UNASKED, int),
    "new_board_population": Refused("every board of a row has animals"),
    "fat_on_replace": Encoded(layout.FAT_IS_LOST, lambda fat: fat == "discard"),
    "seating": Refused("compiled players sit in the order given, and seat 0 starts"),
    "own_attacks": Refused("an attack leads to another player's row"),
    "reorder_boards": Refused("a row has no decision about the order of its boards"),
    "traits_on_existing_boards": Refused("a row knows which traits were bought only for new boards"),
    "most_traits_laid": Encoded(
        layout.MOST_LAID,
        lambda most: layout.CARDS if most is None else min(most, layout.CARDS),
        {0: _SILLY_LAYS, 1: _SILLY_LAYS},
    ),
    "new_board_side": Refused("bought boards join a row at its right end"),
    "compensation": Refused("a row does not hold cards that are owed"),
    "fat_over_request": NoEffect("only the silly player asks for more, and `setup` refuses those rules"),
    "spent_cards": Refused("a row does not hold spent cards"),
    "announce_result": NoEffect("no result is sent"),
    "most_turns": Encoded(layout.MOST_TURNS, lambda turns: min(turns, _MOST_TURNS)),
    "minimum_to_continue": NoEffect("compiled players cannot be thrown out"),
    "custom_traits": Refused("the code of their file is not compiled"),
}
"""One entry for every option of the rules."""


def setup(rules: Rules, seats: int) -> npt.NDArray[np.uint32]:
    """Return the number of players and the options that a row holds.  Raises UsageError for rules that are refused."""
    if rules.fat_over_request == "illegal" and not rules.silly_caps_fat_request:
        raise refuse_option(
            "fat_over_request",
            rules.fat_over_request,
            "with silly_caps_fat_request=false the silly player asks for more fat than there is, "
            "and a compiled player cannot be thrown out",
        )
    row = np.zeros(layout.SETUP, layout.DTYPE)
    row[0] = seats
    for place, word in encode_options(OPTIONS, rules).items():
        row[1 + place - layout.RULES] = word
    return row
