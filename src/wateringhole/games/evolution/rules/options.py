"""The options of Evolution and the profiles that collect them.

`course` is the rulebook; `reference` is the program that the course's staff published, with its
mistakes; `framework` is the game that the two framework documents describe.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from wateringhole import options
from wateringhole.games.evolution.rules.custom_traits import CustomTraits
from wateringhole.options import option

__all__ = [
    "CARDS_PER_TURN",
    "COMPENSATION",
    "LEAST_PLAYERS",
    "MOST_BODY",
    "MOST_PLAYERS",
    "MOST_POPULATION",
    "MOST_TRAITS",
    "PROFILES",
    "RULES_VERSION",
    "Rules",
]

RULES_VERSION = 1

LEAST_PLAYERS = 3
MOST_PLAYERS = 8
MOST_POPULATION = 7
MOST_BODY = 7
MOST_TRAITS = 3
CARDS_PER_TURN = 3
"""Cards dealt to each player every turn, in addition to one for each of its boards."""
COMPENSATION = 2
"""Cards drawn for a species that died out."""


class Rules(options.Rules, frozen=True, kw_only=True):
    """The options of a game.  The defaults are the profile `course`."""

    # Differences between the course's text and the reference program.
    symbiosis: Annotated[bool, option("symbiosis protects a board whose right-hand neighbour has a larger body")] = True
    hard_shell_gap: Annotated[
        int,
        option(
            "the least amount by which an attacker's size must exceed the body under a hard shell",
            values="a number from 0",
            least=0,
        ),
    ] = 4
    hard_shell_arms_attacker: Annotated[
        bool, option("a hard shell adds 4 to an attacker's size, and its pack hunting then has no effect")
    ] = False
    herding_counts_pack: Annotated[
        bool, option("pack hunting adds the body to the population when herding compares attacker and defender")
    ] = False
    new_board_body_limit: Annotated[
        int,
        option(
            "the largest body that a board can have in the turn in which it is bought",
            values="0 to 7",
            least=0,
            most=MOST_BODY,
        ),
    ] = MOST_BODY
    final_traits_distinct: Annotated[
        bool, option("a board may not have a trait twice after all replacements of a turn")
    ] = True
    scoring: Annotated[
        Literal["population", "boards"],
        option("the score of a living species in addition to its traits: its population, or 1"),
    ] = "population"
    game_end_counts_free_board: Annotated[
        bool, option("a player without boards counts as having one when the deck is checked before a turn")
    ] = True
    false_reply: Annotated[
        Literal["forfeit", "cheat", "skip"],
        option("what declining to feed means: no more feeding this turn, cheating, or skipping once"),
    ] = "forfeit"
    choose_lists_self: Annotated[
        bool, option("in the course's protocol, the second list of choose starts with the player who is asked")
    ] = False
    silly_target_tie: Annotated[
        Literal["first", "last"],
        option("the target that the silly player attacks if one player has several equal ones"),
    ] = "first"
    silly_caps_fat_request: Annotated[
        bool, option("the silly player never asks to store more tokens than the watering hole holds")
    ] = True
    tie_listing: Annotated[
        Literal["early-first", "late-first"],
        option("the order of players with equal scores: the final turn order, or its reverse"),
    ] = "early-first"

    # Rules on which the text and the program agree, but other implementations differ.
    hand_order: Annotated[
        Literal["front", "back"], option("whether drawn cards go to the front or the back of the hand")
    ] = "front"
    food_clamp: Annotated[
        Literal["per-card", "total"],
        option("when a negative watering hole is set to 0: after every food card, or after all of them"),
    ] = "per-card"
    idle_players: Annotated[
        Literal["stay", "leave"],
        option("whether a player without a possible feeding stays in the feeding rounds or leaves them"),
    ] = "stay"
    horns_full_attacker_scavengers: Annotated[
        bool, option("scavengers eat even if the attacker ate nothing because horns left it full")
    ] = True
    auto_feed: Annotated[bool, option("the dealer carries out the only possible feeding without asking the player")] = (
        True
    )
    new_board_population: Annotated[
        Literal[1, 0], option("the population of a new board; a board that starts with 0 must grow in its first turn")
    ] = 1
    fat_on_replace: Annotated[
        Literal["keep", "discard"], option("what happens to stored food when fat tissue is replaced")
    ] = "keep"

    # Further variants.
    seating: Annotated[
        Literal["given", "random_starter", "shuffled", "reversed"], option("how the seats are assigned at the start")
    ] = "given"
    own_attacks: Annotated[
        bool, option("a carnivore may attack other boards of its own player, but never automatically")
    ] = False
    reorder_boards: Annotated[bool, option("a player may rearrange its row before choosing cards")] = False
    traits_on_existing_boards: Annotated[
        Literal["replace_only", "fill"],
        option("whether a trait on an existing board must replace another or may also fill a free slot"),
    ] = "replace_only"
    most_traits_laid: Annotated[
        Annotated[int, msgspec.Meta(ge=0)] | None,
        option(
            "the most trait cards a player may lay or replace in a turn, including those of new boards",
            values="none or a number",
        ),
    ] = None
    new_board_side: Annotated[
        Literal["right", "left", "choice"],
        option("the side of the row where new boards are added; with choice, each purchase names its side"),
    ] = "right"
    compensation: Annotated[
        Literal["at_once", "end_of_turn"], option("when the owner of a species that died out draws two cards")
    ] = "at_once"
    fat_over_request: Annotated[
        Literal["cut", "illegal"],
        option("whether a request to store more than the watering hole holds is cut or illegal"),
    ] = "cut"
    spent_cards: Annotated[
        Literal["gone", "pile", "reshuffled"],
        option("spent cards leave the game, go to a visible pile, or are reshuffled when the deck runs out"),
    ] = "gone"
    announce_result: Annotated[bool, option("the final ranking is sent in the course's protocol")] = False
    most_turns: Annotated[
        int, option("the number of turns after which the game ends at the latest", values="a number from 1", least=1)
    ] = 1000
    """An addition of this package.  With `spent_cards=reshuffled` a game may never end; other games
    never reach this limit."""
    minimum_to_continue: Annotated[
        int, option("the game ends when fewer players than this remain", values="1 to 3", least=1, most=3)
    ] = 1

    # Not an option: the deal adds it.
    custom_traits: CustomTraits | msgspec.UnsetType = msgspec.UNSET
    """The traits that a user adds to the game; unset, and left out of JSON, in all other games."""


PROFILES = {
    "course": Rules(),
    "reference": Rules(
        symbiosis=False,
        hard_shell_gap=5,
        hard_shell_arms_attacker=True,
        herding_counts_pack=True,
        new_board_body_limit=6,
        final_traits_distinct=False,
        scoring="boards",
        game_end_counts_free_board=False,
        false_reply="cheat",
        choose_lists_self=True,
        silly_target_tie="last",
        silly_caps_fat_request=False,
        tie_listing="late-first",
    ),
    "framework": Rules(
        new_board_population=0,
        new_board_side="choice",
        traits_on_existing_boards="fill",
        most_traits_laid=3,
        reorder_boards=True,
        spent_cards="pile",
        seating="shuffled",
        announce_result=True,
    ),
}
