"""The options of Porrinha and its two profiles.

The first value of every option is the rule of the rulebook (profile `seed`).  `original` is the
observed behaviour of the C++ program of 2015.
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
"""How many taken guesses in a row are refused under `taken_guess: again`; the next one is void."""

MOST_ROUNDS: Final = 1000
"""The default limit of drivers, because players who are never right would play forever.
Eight random players need about fifty rounds, and twenty fewer than two hundred."""

Sticks = Annotated[int, msgspec.Meta(ge=1, le=MOST_STICKS)]


class Rules(options.Rules, frozen=True):
    """The rules of a game of Porrinha."""

    sticks: Annotated[
        Sticks | tuple[Sticks, ...],
        option(
            "the sticks that each player starts with; a list gives each seat its own number, as a handicap",
            values="a whole number from 1 to 1000000, or one for each seat, e.g. 3,3,2",
        ),
    ] = 3
    opening_zero: Annotated[
        Literal["allowed", "forbidden"],
        option("whether a player may show an empty hand in the first round of a game"),
    ] = "allowed"
    lead_after_win: Annotated[
        Literal["winner", "rotate"],
        option("the player who leads after a right guess: the one who was right, or the next one after the old lead"),
    ] = "winner"
    finish: Annotated[
        Literal["last_loses", "first_out_wins"],
        option("when a game ends: one player is left and loses, or a player has no sticks left and wins"),
    ] = "last_loses"
    taken_guess: Annotated[
        Literal["void", "again"],
        option(
            "what happens to a guess that was already made in the round: it is void, "
            f"or it is refused and the player asked again (after {MOST_REFUSALS} refusals in a row it is void)"
        ),
    ] = "void"
    max_rounds: Annotated[
        Annotated[int, msgspec.Meta(ge=1)] | None,
        option(
            "rounds after which a game is stopped; then no player has lost, and players still in it are not ranked",
            values="none, or a whole number from 1",
        ),
    ] = None
    on_failure: Annotated[
        Literal["remove", "repair"],
        option(
            "what happens to a player that fails (an exception, a timeout, a crashed program): it is removed and "
            "ranks below all players who were not, or its answer counts as a bad one and it stays in the game"
        ),
    ] = "remove"
    closing_call: Annotated[
        Literal["end_game", "begin_game"],
        option("the last call to every player in a game; the original never calls end_game"),
    ] = "end_game"
    end_round_to: Annotated[
        Literal["all", "played"],
        option("the players that end_round is called for: all, or only players of the round"),
    ] = "all"
    end_round_from: Annotated[
        Literal["this", "next"],
        option("the player that end_round is called for first: the lead of this round or of the next round"),
    ] = "this"
    absent_hand: Annotated[
        Literal["none", "stale"],
        option("the hand that a query returns for a seat that sat the round out: -1, or its last two hands in turn"),
    ] = "none"
    last_winner: Annotated[
        Literal["settled", "live"],
        option("when last_winner changes: at settling, or as soon as the true sum is guessed, which leaks it"),
    ] = "settled"
    opening_guesses: Annotated[
        Literal["pending", "stale"],
        option(
            "the guesses that a query returns in begin_game: all pending, or zeros in the first game "
            "and the last guesses of the previous game afterwards"
        ),
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
    """Return the sticks of every seat at the start of a game.

    Raises ValueError with a message if the rules do not fit this number of players.
    """
    sticks = rules.sticks
    each = (sticks,) * players if isinstance(sticks, int) else sticks
    if len(each) != players:
        raise ValueError(
            f"sticks={options.value_to_text(sticks)} is for {len(each)} seats, but there are {players} players"
        )
    if min(each) < 1 or max(each) > MOST_STICKS:
        raise ValueError(f"sticks={options.value_to_text(sticks)}: each player starts with 1 to {MOST_STICKS} sticks")
    return each
