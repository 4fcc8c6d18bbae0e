"""A game of Porrinha as one row of 32-bit integers.

| Words | Name | Holds |
|---|---|---|
| 0 | `PLAYERS` | players of this game, in or out |
| 1 | `DECISION_TYPE` | the type of the decision: `OVER`, `HIDE` or `GUESS` |
| 2 | `ACTING` | the seat that decides, or -1 if the game is over |
| 3 | `LEAD` | first guesser of the round |
| 4 | `ROUND` | the current or last round, from 1 |
| 5 | `TURN` | how many players have hidden, or guessed, in this round |
| 6 | `TABLE` | sticks that all players still own |
| 7 | `ACTIVE` | players still in |
| 8 | `SUM` | sticks hidden in this round |
| 9 | `LAST_WINNER` | the seat that was right in the last settled round, or -1 |
| 10 | `REFUSED` | how many taken values of the current guesser were refused |
| 11 | `LEFT` | how many players have left, and are safe |
| 12 | `DECISIONS` | actions since the game began |
| 13 | `STOPPED` | 1 if the game was stopped after `max_rounds`, without a loser |
| 14 | `OVERFLOWED` | 1 if the game was stopped at `MOST_ROUNDS` and does not count |
| 15 | `LEAST` | rules: the smallest legal hand of the first round |
| 16 | `ROTATE` | rules: the lead rotates after every round |
| 17 | `FIRST_OUT` | rules: the first player out of sticks wins and ends the game |
| 18 | `AGAIN` | rules: a taken guess is refused |
| 19 | `MAX_ROUNDS` | rules: rounds after which a game is stopped, or 0 |
| 20 | `STALE` | rules: absent hands show old values |
| 21 | `LIVE` | rules: `LAST_WINNER` changes while guesses are said |
| 22 … 29 | `STICKS` | sticks owned, by seat |
| 30 … 37 | `HAND` | sticks hidden in this round, by seat, or -1 if not yet, or not playing |
| 38 … 45 | `SAID` | guesses of this round, by seat, or a sentinel of the rulebook |
| 46 … 53 | `OPENED` | hands shown in the last settled round, by seat |
| 54 … 61 | `ABSENT` | the hands that the next settling shows for players who sit it out, under `STALE` |
| 62 … 69 | `PLACE` | the final place, by seat; 0 before the end |
| 70, 71 | | nothing: rows end at the border of a vector register |

The observation of a seat is another row.  Seats are counted clockwise from the observer, so a learner
need not know its seat.  Empty seats look like players who are out.

| Words | Holds |
|---|---|
| 0 | 1 to hide sticks, 2 to guess, 0 if the game is over |
| 1 | players of this game |
| 2 | players still in |
| 3 | sticks on the table |
| 4 | the round |
| 5 | the smallest legal hand |
| 6 | the observer's hand, or -1 before it is hidden |
| 7 | the lead, counted from the observer |
| 8 | the last winner, counted from the observer, or -1 |
| 9 … 16 | sticks |
| 17 … 24 | guesses said, or a sentinel: -1 pending, -2 not playing, -3 void |
| 25 … 32 | hands opened in the last round, or -1 |

The compact observation has the same numbers in bytes; a round above 127 is cut.

An action is the number of sticks to hide or the sum to guess.
"""

from __future__ import annotations

from typing import Final

import numpy as np

__all__ = [
    "ABSENT",
    "ACTING",
    "ACTIONS",
    "ACTIVE",
    "AGAIN",
    "DECISIONS",
    "DECISION_TYPE",
    "DECISION_TYPES",
    "DTYPE",
    "FIRST_OUT",
    "GUESS",
    "HAND",
    "HIDE",
    "LAST_WINNER",
    "LEAD",
    "LEAST",
    "LEFT",
    "LIVE",
    "MAX_ROUNDS",
    "MOST_PLAYERS",
    "MOST_ROUNDS",
    "MOST_STICKS",
    "MOST_TABLE",
    "OBSERVATION",
    "OPENED",
    "OVER",
    "OVERFLOWED",
    "PLACE",
    "PLAYERS",
    "REFUSED",
    "ROTATE",
    "ROUND",
    "SAID",
    "STALE",
    "STATE",
    "STICKS",
    "STOPPED",
    "SUM",
    "TABLE",
    "TURN",
]

MOST_PLAYERS: Final = 8
MOST_STICKS: Final = 15
"""The most sticks of a seat, which fit four bits."""
MOST_TABLE: Final = 63
"""The most sticks of all seats together, so that the guesses of a round fit the bits of one word."""
MOST_ROUNDS: Final = 1_000_000
"""Random players need tens of rounds; a game that reaches this limit is counted separately."""

OVER: Final = 0
HIDE: Final = 1
GUESS: Final = 2
DECISION_TYPES: Final = ("over", "hide", "guess")

PLAYERS: Final = 0
DECISION_TYPE: Final = 1
ACTING: Final = 2
LEAD: Final = 3
ROUND: Final = 4
TURN: Final = 5
TABLE: Final = 6
ACTIVE: Final = 7
SUM: Final = 8
LAST_WINNER: Final = 9
REFUSED: Final = 10
LEFT: Final = 11
DECISIONS: Final = 12
STOPPED: Final = 13
OVERFLOWED: Final = 14
LEAST: Final = 15
ROTATE: Final = 16
FIRST_OUT: Final = 17
AGAIN: Final = 18
MAX_ROUNDS: Final = 19
STALE: Final = 20
LIVE: Final = 21
STICKS: Final = 22
HAND: Final = STICKS + MOST_PLAYERS
SAID: Final = HAND + MOST_PLAYERS
OPENED: Final = SAID + MOST_PLAYERS
ABSENT: Final = OPENED + MOST_PLAYERS
PLACE: Final = ABSENT + MOST_PLAYERS

STATE: Final = PLACE + MOST_PLAYERS + 2
DTYPE: Final = np.int32
ACTIONS: Final = MOST_TABLE + 1
OBSERVATION: Final = 9 + 3 * MOST_PLAYERS
