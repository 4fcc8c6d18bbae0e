"""The options of Evolution and the profiles that collect them.

`course` is the rulebook; `reference` is the program that the course's staff published, with its
mistakes; `framework` is the game that the two framework documents describe.
"""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec

from wateringhole import options
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
    symbiosis: Annotated[bool, option("symbiosis protects a board whose right neighbour has a larger body")] = True
    hard_shell_gap: Annotated[
        int,
        option(
            "how much larger than the body an attacker's size must be to break a hard shell",
            values="a number from 0",
            least=0,
        ),
    ] = 4
    hard_shell_arms_attacker: Annotated[
        bool, option("an attacker with a hard shell counts 4 larger, and then ignores its pack hunting")
    ] = False
    herding_counts_pack: Annotated[
        bool, option("pack hunting adds the body to the population on either side of the herding comparison")
    ] = False
    new_board_body_limit: Annotated[
        int, option("how far a body can grow in the turn its board is bought", values="0 to 7", least=0, most=MOST_BODY)
    ] = MOST_BODY
    final_traits_distinct: Annotated[bool, option("replacements together may not leave a board with equal traits")] = (
        True
    )
    scoring: Annotated[
        Literal["population", "boards"], option("what a living species is worth besides its traits: its animals, or 1")
    ] = "population"
    game_end_counts_free_board: Annotated[
        bool, option("an empty row counts as one board when the deck is tested for another turn")
    ] = True
    false_reply: Annotated[
        Literal["forfeit", "cheat", "skip"],
        option("declining to feed ends one's feeding for the turn, is cheating, or skips this one time"),
    ] = "forfeit"
    choose_lists_self: Annotated[
        bool, option("on the course's wire, the asked player heads the second list of choose")
    ] = False
    silly_target_tie: Annotated[
        Literal["first", "last"], option("which of several equal targets of one player the silly player attacks")
    ] = "first"
    silly_caps_fat_request: Annotated[
        bool, option("the silly player asks for no more fat than the watering hole holds")
    ] = True
    tie_listing: Annotated[
        Literal["early-first", "late-first"], option("equal scores are listed in the final turn order, or against it")
    ] = "early-first"

    # Rules on which these two agree and other implementations differ.
    hand_order: Annotated[Literal["front", "back"], option("where drawn cards join the hand")] = "front"
    food_clamp: Annotated[
        Literal["per-card", "total"],
        option("the watering hole is cut at 0 after every food card, or after all of them"),
    ] = "per-card"
    idle_players: Annotated[
        Literal["stay", "leave"],
        option("a player who can feed nothing now stays in the feeding rounds, or leaves them"),
    ] = "stay"
    horns_full_attacker_scavengers: Annotated[
        bool, option("scavengers eat although horns left the attacker full and it ate nothing")
    ] = True
    auto_feed: Annotated[bool, option("the dealer carries out a single possible feeding without asking")] = True
    new_board_population: Annotated[
        Literal[1, 0], option("animals on a new board; one that starts with none must be grown in its first turn")
    ] = 1
    fat_on_replace: Annotated[
        Literal["keep", "discard"], option("what becomes of stored food when fat tissue is replaced")
    ] = "keep"

    # Further variants.
    seating: Annotated[
        Literal["given", "random_starter", "shuffled", "reversed"], option("who sits where when the game starts")
    ] = "given"
    own_attacks: Annotated[
        bool, option("a carnivore may attack other boards of its own player, never automatically")
    ] = False
    reorder_boards: Annotated[bool, option("before choosing cards a player may put its row in another order")] = False
    traits_on_existing_boards: Annotated[
        Literal["replace_only", "fill"],
        option("traits on old boards replace others only, or may also fill a free slot"),
    ] = "replace_only"
    most_traits_laid: Annotated[
        Annotated[int, msgspec.Meta(ge=0)] | None,
        option(
            "most trait cards one may lay or replace a turn, those of new boards included", values="none or a number"
        ),
    ] = None
    new_board_side: Annotated[
        Literal["right", "left", "choice"], option("where bought boards join the row; with choice each purchase says")
    ] = "right"
    compensation: Annotated[
        Literal["at_once", "end_of_turn"], option("when the two cards for a species that died out are drawn")
    ] = "at_once"
    fat_over_request: Annotated[
        Literal["cut", "illegal"], option("asking to store more than the watering hole holds")
    ] = "cut"
    spent_cards: Annotated[
        Literal["gone", "pile", "reshuffled"],
        option("spent cards leave the game, lie on a visible pile, or are shuffled in again when the deck runs out"),
    ] = "gone"
    announce_result: Annotated[bool, option("the final ranking is sent over the course's wire")] = False
    most_turns: Annotated[
        int, option("the game is over after so many turns at the latest", values="a number from 1", least=1)
    ] = 1000
    """An addition of this package: with `spent_cards=reshuffled` a game may never end; no other game
    comes near this limit."""
    minimum_to_continue: Annotated[
        int, option("the game stops when fewer players remain", values="1 to 3", least=1, most=3)
    ] = 1


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
