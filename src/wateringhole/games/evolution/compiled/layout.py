"""A game of Evolution as a row of 32-bit words, and its actions as small numbers.

The state of a game, word by word (`STATE` of them):

| Words | Holds |
|---|---|
| `PLAYERS` | the number of players, 3 to 8 |
| `HOLE` | tokens at the watering hole |
| `FRONT`, `END` | the next card of the deck, and where the deck ends |
| `FIRST`, `TURN` | the starting player's seat, and the number of the turn, from 1 |
| `PHASE`, `ACTING` | `CHOOSING`, `FEEDING` or `OVER`, and the seat that decides |
| `DECLARED` | how many players have chosen their cards this turn |
| `PENDING` | the first half of an answer that takes two actions (see below), or 0 |
| `FEEDS`, `AWAKE` | sets of seats: those in the feeding rounds, and those of them that may have something to feed |
| `DECISIONS` | answers so far: steps of a declaration with their cards, its end, and feedings |
| `OVERFLOWED` | 1 if a player bought board number `MOST_BOARDS` + 1, which ended the game |
| `HARD_SHELL_GAP` … `LATE_FIRST` | the options of the rules, see `options` |
| `ASKED` | four words: the hand of the declaring player when it was asked |
| `EQUALS` | set of the boards whose equal traits keep the draft from ending now |
| `TRAITS_LAID` | how many trait cards the draft lays |
| `SLOTS` | a word for each board of the draft: the traits in its slots, see `declaring` |
| `LAID` | a word for each board of the draft: its traits as bought, as a set |
| `REPLACED` | a word for each board of the draft: all traits that took another one's slot, as a set |
| `SCRATCH_ROW` | a row on which the greedy player tries steps, with room for one more board |
| `DECK` | 128 bytes: card numbers in dealing order |
| `SEATS` | for each of eight seats a block of `SEAT` words |

The block of a seat:

| Words | Holds |
|---|---|
| `ROW` | `MOST_BOARDS` species boards from left to right, as all players see them |
| `PLAN` | the row as declared; it takes effect when all have declared |
| `COUNT`, `PLANNED` | how many boards are in row and plan |
| `KEPT` | how many boards at the left are equal in row and plan, and not written to the plan |
| `FOOD_CARD` | the card given to the watering hole, face down, or `NO_CARD` |
| `BAG` | tokens from past turns |
| `SCORE` | the score once the game is over |
| `SHOWN` | how many cards the hand had when choosing began: what the others see until the reveal |
| `HAND` | four words: the set of its cards, without those used in its draft |

A species board is one word, an empty place the word 0:

| Bits | Holds |
|---|---|
| `TRAITS` | its traits, in the order of their names |
| 2 from `TWINS` | the trait that it has more than once: 0 if none; if it has one trait, the number of repeats; |
| | if it has two, 1 for the first and 2 for the second |
| 3 from `FAT` | fat in store |
| 3 from `BODY` | body |
| 3 from `FOOD` | food |
| 3 from `POPULATION` | population |

so that, shifted right by `BODY`, words compare like boards in the rulebook's size order.

A card is its rank in the card order, 0 to 121.  An action is a number below `ACTIONS`; its meaning
depends on the type of the decision.  Answers that would need too wide a mask take two actions:

| Decision | Actions |
|---|---|
| `STEP` | `DONE`; `RESTART`, if no other step is legal; `GIVE_FOOD`; `BUY_BOARD` |
| | for board b, at `ON_BOARD` + 6 b: `GROW_POPULATION`, `GROW_BODY`, `LAY_TRAIT`, `REPLACE_TRAIT` + slot |
| `CARD` | the card for that step |
| `FEED` | `DECLINE`; `EAT` + board; `ATTACK` + carnivore; `STORE` + 7 board + tokens - 1 |
| `TARGET` | `MOST_BOARDS` seat + board attacked |

Slots are in the order of the traits' names for boards owned before, and in the order of laying
for boards just bought.

The observation of a seat (`observe`), `OBSERVATION` numbers:

| Numbers | Holds |
|---|---|
| 0 | the type of the decision |
| 1 | seats from the observer to the acting seat, in turn order |
| 2 | `PENDING`, if the observer decides |
| 3, 4 | players, turn |
| 5, 6 | tokens at the watering hole, cards in the deck |
| 7 | seats from the observer to the starting player, in turn order |
| 8, 9 | the observer's bag, and its food card or `NO_CARD` |
| `SEEN_HAND` | 122 numbers: 1 for each card of the observer |
| `SEEN_PLAN` | the observer's plan while it declares: `MOST_BOARDS` boards of five numbers |
| `SEEN_SEATS` | for each of eight seats, the observer first, then in turn order: number of boards, cards in hand, |
| | whether it still feeds, and `MOST_BOARDS` boards of five numbers |

The five numbers of a board are population, food, body, fat, and its traits as bits with its twins above them.

The compact observation, `COMPACT` bytes, holds what the view of a seat shows (and a draft, while the seat builds one).
It shows `COMPACT_BOARDS` boards of a row; those further right are left out.  Numbers above 255 are cut.

| Bytes | Holds |
|---|---|
| 0 … 9 | the same as numbers 0 to 9 of the full observation |
| `COMPACT_HAND` | 16 bytes: the cards of the observer as bits, the lowest first |
| `COMPACT_PLAN` | the observer's plan while it declares: the number of boards, then `COMPACT_BOARDS` boards |
| `COMPACT_SEATS` | for each of eight seats, the observer first, then in turn order: number of boards, cards in hand, |
| | and `COMPACT_BOARDS` boards |

The `PER_COMPACT_BOARD` bytes of a board are population, food, body, fat, and three bytes of its traits as bits with its
twins above them, the lowest first.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from wateringhole.games.evolution.rules.cards import CARDS as ALL_CARDS
from wateringhole.games.evolution.rules.options import MOST_BODY, MOST_TRAITS
from wateringhole.games.evolution.rules.options import MOST_PLAYERS as MOST_SEATS
from wateringhole.games.evolution.rules.traits import Trait

__all__ = [
    "ACTING",
    "ACTIONS",
    "ARMOUR_COUNTS",
    "ASKED",
    "AS_BOUGHT",
    "ATTACK",
    "AWAKE",
    "BAG",
    "BODY",
    "BUY_BOARD",
    "CARD",
    "CARDS",
    "CHEATS",
    "CHOOSING",
    "COMPACT",
    "COMPACT_BOARDS",
    "COMPACT_HAND",
    "COMPACT_PLAN",
    "COMPACT_SEAT",
    "COMPACT_SEATS",
    "COUNT",
    "DECISIONS",
    "DECISION_TYPES",
    "DECK",
    "DECK_BYTES",
    "DECLARED",
    "DECLINE",
    "DONE",
    "DTYPE",
    "EAT",
    "END",
    "EQUALS",
    "FALSE_REPLIES",
    "FALSE_REPLY",
    "FAT",
    "FAT_IS_LOST",
    "FEED",
    "FEEDING",
    "FEEDS",
    "FILLED",
    "FIRST",
    "FIRST_HALF",
    "FOOD",
    "FOOD_CARD",
    "FOOD_DEBTS",
    "FREE_BOARDS",
    "FRONT",
    "FULL_ATTACKERS_COUNT",
    "GIVE_FOOD",
    "GREEDY",
    "GROW_BODY",
    "GROW_POPULATION",
    "HALF",
    "HAND",
    "HAND_WORDS",
    "HARD_SHELL_GAP",
    "HOLE",
    "IDLE_LEAVE",
    "KEPT",
    "LAID",
    "LAST_OF_EQUALS",
    "LATE_FIRST",
    "LAY_TRAIT",
    "MOST_BOARDS",
    "MOST_FAT",
    "MOST_LAID",
    "MOST_PLAYERS",
    "MOST_TURNS",
    "NEW_BOARD",
    "NEW_BODY_LIMIT",
    "NOTHING",
    "NO_CARD",
    "OBSERVATION",
    "ONE_ANIMAL",
    "ONE_BODY",
    "ONE_FAT",
    "ONE_FOOD",
    "ON_BOARD",
    "OVER",
    "OVERFLOWED",
    "PACKS_IN_HERDS",
    "PENDING",
    "PER_BOARD",
    "PER_COMPACT_BOARD",
    "PER_SEEN_BOARD",
    "PHASE",
    "PLAN",
    "PLANNED",
    "PLAYERS",
    "POLICIES",
    "POPULATION",
    "RANDOM",
    "REPLACED",
    "REPLACE_TRAIT",
    "RESTART",
    "ROW",
    "RULES",
    "SCORE",
    "SCORES_BOARDS",
    "SCRATCH_ROW",
    "SEAT",
    "SEATS",
    "SEEN_HAND",
    "SEEN_PLAN",
    "SEEN_SEAT",
    "SEEN_SEATS",
    "SETUP",
    "SHOWN",
    "SILLY",
    "SKIPS",
    "SLOT",
    "SLOTS",
    "SLOT_BITS",
    "STATE",
    "STEP",
    "STORE",
    "SYMBIOSIS_COUNTS",
    "TARGET",
    "TRAITS",
    "TRAITS_DIFFER",
    "TRAITS_LAID",
    "TRAIT_BITS",
    "TURN",
    "TWINS",
    "TWIN_BITS",
    "UNASKED",
]

DTYPE: Final = np.uint32
"""The type of a row; `get` returns its words as 64-bit integers."""

CARDS: Final = len(ALL_CARDS)
NO_CARD: Final = 128
MOST_PLAYERS: Final = MOST_SEATS
MOST_BOARDS: Final = 32
"""The most boards of a player.  The greedy player, who buys most, rarely has twenty.  It is a power of two, and
sets of boards fit a word."""
HAND_WORDS: Final = 4

# The header.
(
    PLAYERS,
    HOLE,
    FRONT,
    END,
    FIRST,
    TURN,
    PHASE,
    ACTING,
    DECLARED,
    PENDING,
    FEEDS,
    AWAKE,
    DECISIONS,
    OVERFLOWED,
    HARD_SHELL_GAP,
    ARMOUR_COUNTS,
    PACKS_IN_HERDS,
    NEW_BODY_LIMIT,
    SYMBIOSIS_COUNTS,
    MOST_TURNS,
    SCORES_BOARDS,
    TRAITS_DIFFER,
    FREE_BOARDS,
    FALSE_REPLY,
    LAST_OF_EQUALS,
    FOOD_DEBTS,
    IDLE_LEAVE,
    FULL_ATTACKERS_COUNT,
    UNASKED,
    FAT_IS_LOST,
    MOST_LAID,
    LATE_FIRST,
    EQUALS,
    TRAITS_LAID,
    _HEADER,
) = range(35)
RULES: Final = HARD_SHELL_GAP
"""The first of the words for options of the rules; the last is `LATE_FIRST`."""
ASKED: Final = _HEADER
SLOTS: Final = ASKED + HAND_WORDS
LAID: Final = SLOTS + MOST_BOARDS
REPLACED: Final = LAID + MOST_BOARDS
SCRATCH_ROW: Final = REPLACED + MOST_BOARDS
DECK: Final = SCRATCH_ROW + MOST_BOARDS + 1
DECK_BYTES: Final = 128
SEATS: Final = DECK + DECK_BYTES // 4

# A setup: the number of players, then the options from `RULES` on.
SETUP: Final = 1 + LATE_FIRST + 1 - RULES

# The block of a seat.
ROW: Final = 0
PLAN: Final = MOST_BOARDS
COUNT, PLANNED, KEPT, FOOD_CARD, BAG, SCORE, SHOWN, HAND = range(2 * MOST_BOARDS, 2 * MOST_BOARDS + 8)
SEAT: Final = HAND + HAND_WORDS

STATE: Final = SEATS + MOST_PLAYERS * SEAT

# A species board.
TRAITS: Final = len(Trait)
TRAIT_BITS: Final = (1 << TRAITS) - 1
TWINS: Final = TRAITS
TWIN_BITS: Final = 3 << TWINS
FAT, BODY, FOOD, POPULATION = range(TWINS + 2, TWINS + 14, 3)
ONE_ANIMAL, ONE_FOOD, ONE_BODY, ONE_FAT = 1 << POPULATION, 1 << FOOD, 1 << BODY, 1 << FAT
NEW_BOARD: Final = ONE_ANIMAL

# The traits in the slots of a board of the draft: now, as bought, and their number.
SLOT: Final = (TRAITS - 1).bit_length()
SLOT_BITS: Final = (1 << SLOT) - 1
AS_BOUGHT: Final = MOST_TRAITS * SLOT
FILLED: Final = 2 * AS_BOUGHT

if CARDS > NO_CARD or max(POPULATION + 3, FILLED + 2) > 32:
    raise ValueError(
        f"there are {TRAITS} traits and {CARDS} cards; a row of the compiled game has room for 18 and {NO_CARD}"
    )

# The values of the option `false_reply`.
FALSE_REPLIES: Final = ("forfeit", "cheat", "skip")
CHEATS: Final = FALSE_REPLIES.index("cheat")
SKIPS: Final = FALSE_REPLIES.index("skip")

# Phases.
CHOOSING, FEEDING, OVER = range(3)

# Types of decisions.
NOTHING, STEP, CARD, FEED, TARGET = range(5)
DECISION_TYPES: Final = ("nothing", "step", "card", "feed", "target")

# Actions of a step of a declaration.
DONE, RESTART, GIVE_FOOD, BUY_BOARD, ON_BOARD = range(5)
GROW_POPULATION, GROW_BODY, LAY_TRAIT, REPLACE_TRAIT = range(4)
PER_BOARD: Final = 6

# Actions of a feeding.
DECLINE: Final = 0
EAT: Final = 1
ATTACK: Final = EAT + MOST_BOARDS
STORE: Final = ATTACK + MOST_BOARDS
MOST_FAT: Final = MOST_BODY

ACTIONS: Final = STORE + MOST_FAT * MOST_BOARDS

# Both actions of an answer in one number, as compiled players return them: the second is above the first.
HALF: Final = 10
FIRST_HALF: Final = (1 << HALF) - 1

# The observation of a seat.
SEEN_HAND: Final = 10
SEEN_PLAN: Final = SEEN_HAND + CARDS
PER_SEEN_BOARD: Final = 5
SEEN_SEATS: Final = SEEN_PLAN + PER_SEEN_BOARD * MOST_BOARDS
SEEN_SEAT: Final = 3 + PER_SEEN_BOARD * MOST_BOARDS
OBSERVATION: Final = SEEN_SEATS + MOST_PLAYERS * SEEN_SEAT

# The compact observation of a seat.
COMPACT_BOARDS: Final = 12
PER_COMPACT_BOARD: Final = 7
COMPACT_HAND: Final = 10
COMPACT_PLAN: Final = COMPACT_HAND + 4 * HAND_WORDS
COMPACT_SEATS: Final = COMPACT_PLAN + 1 + PER_COMPACT_BOARD * COMPACT_BOARDS
COMPACT_SEAT: Final = 2 + PER_COMPACT_BOARD * COMPACT_BOARDS
COMPACT: Final = COMPACT_SEATS + MOST_PLAYERS * COMPACT_SEAT

# Compiled players.
RANDOM, SILLY, GREEDY = range(3)
POLICIES: Final = {"random": RANDOM, "silly": SILLY, "greedy": GREEDY}
