"""The options of Porrinha and the two sets of them that have a name.

The first value of every option is the ruling of our rulebook (profile `seed`); `original` is
what the C++ program of 2015 was seen to do.
"""

from __future__ import annotations

from typing import Annotated, Final, Literal

import msgspec

from wateringhole import options
from wateringhole.options import option

__all__ = ["MOST_REFUSALS", "MOST_ROUNDS", "MOST_STICKS", "PROFILES", "RULES_VERSION", "Rules", "starting_sticks"]

RULES_VERSION: Final = 1
"""Grows when the same answers could lead to another result."""

MOST_STICKS: Final = 1_000_000
"""Far beyond any table, and small enough for every sum to fit the original's `int`."""

MOST_REFUSALS: Final = 16
"""So often in a row a taken guess is refused under `taken_guess: again`; the next one is void."""

MOST_ROUNDS: Final = 1000
"""The limit for a driver that gives no other: players who are never right would sit for ever.
Eight who play at random take some fifty rounds, twenty less than two hundred."""

Sticks = Annotated[int, msgspec.Meta(ge=1, le=MOST_STICKS)]


class Rules(options.Rules, frozen=True):
    """How Porrinha is played at this table."""

    sticks: Annotated[
        Sticks | tuple[Sticks, ...],
        option(
            "Sticks everyone starts with; a list gives each seat its own number, as a handicap.",
            values="a whole number from 1 to 1000000, or one for each seat, e.g. 3,3,2",
        ),
    ] = 3
    opening_zero: Annotated[
        Literal["allowed", "forbidden"],
        option("Whether an empty hand may be shown in the first round of a game."),
    ] = "allowed"
    lead_after_win: Annotated[
        Literal["winner", "rotate"],
        option("Who leads after a right guess: whoever was right, or the next seat after the old lead."),
    ] = "winner"
    finish: Annotated[
        Literal["last_loses", "first_out_wins"],
        option("When a game is over: one player is left, who loses; or somebody is out of sticks, who wins."),
    ] = "last_loses"
    taken_guess: Annotated[
        Literal["void", "again"],
        option(
            "What becomes of a guess that was said before in the round: it is void, "
            f"or refused and asked again (after {MOST_REFUSALS} refusals in a row it is void)."
        ),
    ] = "void"
    max_rounds: Annotated[
        Annotated[int, msgspec.Meta(ge=1)] | None,
        option(
            "Rounds after which a game is stopped: nobody lost then, and those still in are unranked.",
            values="none, or a whole number from 1",
        ),
    ] = None
    on_failure: Annotated[
        Literal["remove", "repair"],
        option(
            "What a player's failure costs (an exception, a time-out, a dead program): it is removed and ranks "
            "below everybody who was not; or its answer counts as a bad one, and it stays in."
        ),
    ] = "remove"
    closing_call: Annotated[
        Literal["end_game", "begin_game"],
        option("What every player is called with after a game; the original never calls end_game."),
    ] = "end_game"
    end_round_to: Annotated[
        Literal["all", "played"],
        option("Who is called with end_round: everyone, or only those who played the round."),
    ] = "all"
    end_round_from: Annotated[
        Literal["this", "next"],
        option("Whose lead comes first in the calls of end_round: this round's or the next one's."),
    ] = "this"
    absent_hand: Annotated[
        Literal["none", "stale"],
        option("What the hand of a seat that sat the round out reads: -1, or its last two hands in turn."),
    ] = "none"
    last_winner: Annotated[
        Literal["settled", "live"],
        option("When last_winner changes: at settling, or the moment the true sum is said, which leaks it."),
    ] = "settled"
    opening_guesses: Annotated[
        Literal["pending", "stale"],
        option("What guess reads in begin_game: all pending, or zeros and later the last guesses of the game before."),
    ] = "pending"


PROFILES: Final[dict[str, Rules]] = {
    "seed": Rules(),
    "original": Rules(
        closing_call="begin_game",
        end_round_to="played",
        end_round_from="next",
        absent_hand="stale",
        last_winner="live",
        opening_guesses="stale",
    ),
}


def starting_sticks(rules: Rules, players: int) -> tuple[int, ...]:
    """The sticks of every seat at the start of a game.

    Raises ValueError with a sentence when the rules do not fit that many players.
    """
    sticks = rules.sticks
    each = (sticks,) * players if isinstance(sticks, int) else sticks
    if len(each) != players:
        raise ValueError(
            f"sticks={options.value_to_text(sticks)} is for {len(each)} seats, but {players} players sit down"
        )
    if min(each) < 1 or max(each) > MOST_STICKS:
        raise ValueError(f"sticks={options.value_to_text(sticks)}: everyone starts with 1 to {MOST_STICKS} sticks")
    return each
