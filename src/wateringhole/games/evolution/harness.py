"""The course's harnesses: one JSON value in, one JSON value out (rulebook, section 10.2).

They build a game state and run the rules and the silly player on it; this module contains no
rule of the game.  It is outside of `rules` because the silly player answers its requests.  Input
of a wrong shape raises ValueError.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from typing import Any

import msgspec

from wateringhole.game import Seat, violation_of
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.games.evolution.rules import codec
from wateringhole.games.evolution.rules.attacks import Attack, shield_against
from wateringhole.games.evolution.rules.draft import Draft
from wateringhole.games.evolution.rules.feeding import FeedingRounds
from wateringhole.games.evolution.rules.options import Rules
from wateringhole.games.evolution.rules.requests import DeclareCards, FeedNext
from wateringhole.games.evolution.rules.species import SpeciesBoard
from wateringhole.games.evolution.rules.state import GameState, PlayerState

__all__ = ["HARNESSES", "Harness", "attack", "choose", "feed", "step", "step4"]

Harness = Callable[[Any, Rules], Any]

FEWEST_CARDS_TO_CHOOSE = 4
TURN = 1
"""A harness covers a single turn, and the rules do not depend on its number."""


def attack(value: Any, rules: Rules) -> bool:
    """Return whether the attack test succeeds in a situation."""
    shape = "[defender, attacker, left, right]"
    defender, attacker, left, right = codec.parts_from_json(value, "a situation", shape, 4)
    situation = Attack(
        defender=_species(defender, "defender"),
        attacker=_species(attacker, "attacker"),
        left=None if left is False else _species(left, "left neighbour"),
        right=None if right is False else _species(right, "right neighbour"),
    )
    return shield_against(situation, rules) is None


def feed(value: Any, rules: Rules) -> Any:
    """Return what the silly player feeds next, even if the dealer would not ask."""
    silly, hole, others = codec.parts_from_json(value, "a feeding", "[player, hole, other players]", 3)
    seats = itertools.count()

    def seated(player: Any) -> PlayerState:
        return codec.player_from_json(player, Seat(next(seats)), cards=False)[0]

    players = [seated(silly), *codec.list_from_json(others, "other player", seated)]
    always_asking = msgspec.structs.replace(rules, auto_feed=False)
    state = GameState(always_asking, players, codec.natural_from_json(hole, "the hole", least=1), emit=False)
    request = FeedingRounds(state, TURN).step()
    return codec.answer_to_json(request, Silly().feed_next(request)) if request else False


def step(value: Any, rules: Rules) -> Any:
    """Return the configuration after one step of the feeding rounds."""
    state, identities = codec.configuration_from_json(value, rules)
    rounds = FeedingRounds(state, TURN)
    if not rounds.are_over:
        request = rounds.step()
        if request:
            _let_silly_answer(request, state, rounds)
    return codec.configuration_to_json(state.full_state(), identities.__getitem__)


def step4(value: Any, rules: Rules) -> Any:
    """Return the configuration after the reveal of all cards and all feeding rounds."""
    configuration, actions = codec.parts_from_json(value, "an input of step4", "[configuration, actions]", 2)
    state, identities = codec.configuration_from_json(configuration, rules)
    waiting = iter([DeclareCards(state.view(player.seat, TURN)) for player in state.players])
    if type(actions) is list and len(actions) != len(state.players):
        raise ValueError(f"there are {len(state.players)} players, but {len(actions)} actions")

    def finished(action: Any) -> Any:
        request = next(waiting)
        return request.finished(codec.answer_from_json(request, action))

    drafts = {
        player.seat: draft
        for player, draft in zip(state.players, codec.list_from_json(actions, "action", finished), strict=True)
        if isinstance(draft, Draft)
    }
    state.players = [player for player in state.players if player.seat in drafts]
    state.reveal(drafts)
    rounds = FeedingRounds(state, TURN)
    while request := rounds.next_request():
        _let_silly_answer(request, state, rounds)
    return codec.configuration_to_json(state.full_state(), identities.__getitem__)


def choose(value: Any, rules: Rules) -> Any:
    """Return the silly player's declaration."""
    silly, before, after = codec.parts_from_json(
        value, "a choice", "[player, rows of the players before, rows of the players after]", 3
    )
    rows_before = codec.list_from_json(before, "row", codec.row_from_json)
    rows_after = codec.list_from_json(after, "row", codec.row_from_json)
    player, _ = codec.player_from_json(silly, Seat(len(rows_before)))
    if len(player.hand) < FEWEST_CARDS_TO_CHOOSE:
        raise ValueError(f"the player has {len(player.hand)} cards; choosing takes {FEWEST_CARDS_TO_CHOOSE}")
    state = GameState(
        rules,
        [
            *(PlayerState(Seat(seat), row) for seat, row in enumerate(rows_before)),
            player,
            *(PlayerState(Seat(seat), row) for seat, row in enumerate(rows_after, player.seat + 1)),
        ],
        emit=False,
    )
    request = DeclareCards(state.view(player.seat, TURN))
    return codec.answer_to_json(request, Silly().choose(request))


HARNESSES: dict[str, Harness] = {"attack": attack, "feed": feed, "step": step, "step4": step4, "choose": choose}


def _species(value: Any, role: str) -> SpeciesBoard:
    try:
        return codec.species_from_json(value, fat=False)
    except ValueError as wrong:
        raise ValueError(f"{role}: {wrong}") from None


def _let_silly_answer(request: FeedNext, state: GameState, rounds: FeedingRounds) -> None:
    """Apply the silly player's answer.  Some options make it illegal; then the player is thrown out."""
    answer = Silly().feed_next(request)
    if violation_of(request, answer) is None:
        rounds.take(answer)
    else:
        player = state.player(request.seat)
        state.players.remove(player)
        rounds.throw_out(player)
