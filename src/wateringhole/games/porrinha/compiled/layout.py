"""A game of Porrinha as one row of 32-bit integers.

| Words | Name | Holds |
|---|---|---|
| 0 | `PLAYERS` | players of this game, in or out |
| 1 | `DECISION_TYPE` | what is to be decided: `OVER`, `HIDE` or `GUESS` |
| 2 | `ACTING` | the seat that decides; -1: the game is over |
| 3 | `LEAD` | first guesser of the round |
| 4 | `ROUND` | the current round, or the last one, from 1 |
| 5 | `TURN` | how many have hidden, or guessed, in this round |
| 6 | `TABLE` | sticks that all players still own |
| 7 | `ACTIVE` | players still in |
| 8 | `SUM` | sticks hidden in this round |
| 9 | `LAST_WINNER` | the seat that was right in the last settled round; -1: nobody |
| 10 | `REFUSED` | how often the guesser was refused a taken value just now |
| 11 | `LEFT` | how many have left, and are safe |
| 12 | `DECISIONS` | choices taken since the game began |
| 13 | `STOPPED` | 1: stopped after `max_rounds`, with nobody a loser |
| 14 | `OVERFLOWED` | 1: stopped at `MOST_ROUNDS`; the game does not count |
| 15 | `LEAST` | rules: the smallest legal hand of the first round |
| 16 | `ROTATE` | rules: the lead passes on whoever was right |
| 17 | `FIRST_OUT` | rules: the first one out wins and ends the game |
| 18 | `AGAIN` | rules: a taken guess is refused |
| 19 | `MAX_ROUNDS` | rules: rounds after which a game is stopped; 0: none |
| 20 | `STALE` | rules: absent hands go stale |
| 21 | `LIVE` | rules: `LAST_WINNER` changes while guesses are said |
| 22 … 29 | `STICKS` | sticks owned, by seat |
| 30 … 37 | `HAND` | hidden in this round, by seat; -1: not yet, or not playing |
| 38 … 45 | `SAID` | guesses of this round, by seat, or a sentinel of the rulebook |
| 46 … 53 | `OPENED` | hands shown in the last settled round, by seat |
| 54 … 61 | `ABSENT` | what the next settling shows for those who sit it out, where hands go stale |
| 62 … 69 | `PLACE` | the place at the end, by seat; 0 before |
| 70, 71 | | nothing: rows end where a vector register does |

What a seat observes, another row.  Seats are counted clockwise from the one that looks, so a
learner need not know where it sits; places at the table that nobody took read like players
who are out.

| Words | Holds |
|---|---|
| 0 | 1: it is to hide sticks, 2: it is to guess, 0: the game is over |
| 1 | players of this game |
| 2 | players still in |
| 3 | sticks on the table |
| 4 | the round |
| 5 | the smallest legal hand |
| 6 | its own hand, -1 before it is hidden |
| 7 | the lead, counted from the one that looks |
| 8 | the last winner, counted from the one that looks; -1: nobody |
| 9 … 16 | sticks |
| 17 … 24 | guesses said, or a sentinel: -1 pending, -2 not playing, -3 void |
| 25 … 32 | hands opened in the last round, -1: none |

A choice is the number of sticks to hide or the sum to say.
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
"""Of one seat: four bits."""
MOST_TABLE: Final = 63
"""Sticks on a table, so that the guesses said fit the bits of one word."""
MOST_ROUNDS: Final = 1_000_000
"""Random players need tens; a game that gets here is counted apart."""

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
