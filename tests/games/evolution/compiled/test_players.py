"""Compiled players choose like the bots, also in states that no game may reach."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from numba import njit

from tests.games.evolution.compiled import calls
from tests.games.evolution.compiled.agreement import word_of
from tests.games.evolution.compiled.test_traits import some_board
from wateringhole.game import Seat
from wateringhole.games.evolution import CARDS, DeclareCards, Draft, FeedNext, Rules, Trait
from wateringhole.games.evolution.bots.greedy import Greedy
from wateringhole.games.evolution.bots.player import Player
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.games.evolution.compiled import layout
from wateringhole.games.evolution.compiled.game import GAME
from wateringhole.games.evolution.compiled.options import setup
from wateringhole.games.evolution.compiled.rollouts import sample_state
from wateringhole.games.evolution.compiled.translate import State, cards_to_bits, feeding_to_actions, seat_place
from wateringhole.games.evolution.rules.requests import feedings
from wateringhole.games.evolution.rules.state import GameState, PlayerState

PLAYERS: dict[str, type[Player]] = {"silly": Silly, "greedy": Greedy}


def some_state(rng: random.Random) -> GameState:
    """Return random boards, many of them hunters, and cards for all players."""
    deck = rng.sample(CARDS, len(CARDS))
    common = rng.choice((Trait.CARNIVORE, Trait.CARNIVORE, Trait.FAT_TISSUE, Trait.COOPERATION, Trait.FERTILE))
    players = []
    for seat in range(rng.randint(3, 6)):
        row = [some_board(rng, common) for _ in range(rng.randint(1, 4))]
        hand = [deck.pop() for _ in range(rng.randint(4, 8))]
        players.append(PlayerState(Seat(seat), row, hand, rng.randint(0, 9)))
    return GameState(Rules(), players, rng.randint(1, 15), deck[: rng.choice((0, 10, 25))], emit=False)


def sampled(request: DeclareCards | FeedNext) -> State:
    return sample_state(request.view, random.Random(0), feeding=isinstance(request, FeedNext)).state


@pytest.mark.parametrize("name", PLAYERS)
def test_compiled_players_feed_like_the_bots(name: str) -> None:
    rng = random.Random(1)
    kinds = set()
    for _ in range(1500):
        table = some_state(rng)
        me = table.players[0]
        options = feedings(me.boards, [(other.seat, other.boards) for other in table.others(me)], table.rules)
        if len(options) < 2:
            continue
        request = FeedNext(table.view(me.seat, turn=1), options)
        answer = request.ask(PLAYERS[name]())
        kinds.add(type(answer))
        state = sampled(request)
        actions = []
        for _ in feeding_to_actions(answer, table.hole):
            actions.append(calls.choose(state, layout.POLICIES[name], 0, 0))
            state[layout.PENDING] = actions[-1]
        assert tuple(actions) == feeding_to_actions(answer, table.hole), request.view
    assert len(kinds) >= 3, "they eat, store and attack"


@pytest.mark.parametrize("name", PLAYERS)
def test_compiled_players_declare_like_the_bots(name: str) -> None:
    rng = random.Random(2)
    mask = np.zeros(layout.ACTIONS, np.uint8)
    for _ in range(400):
        table = some_state(rng)
        for player in table.players:
            player.boards = [board.with_food(0) for board in player.boards]
        request = DeclareCards(table.view(table.players[0].seat, turn=1))
        draft = request.finished(PLAYERS[name]().choose(request))
        assert isinstance(draft, Draft)
        state = sampled(request)
        calls.take(state, -1, mask)
        while (action := calls.choose(state, layout.POLICIES[name], 0, 0)) != layout.DONE or state[layout.PENDING]:
            calls.take(state, action, mask)
        base = seat_place(0)
        plan = state[base + layout.PLAN : base + layout.PLAN + state[base + layout.PLANNED]].tolist()
        assert plan == [word_of(board) for board in draft.boards]
        hand = sum(int(state[base + layout.HAND + word]) << 32 * word for word in range(layout.HAND_WORDS))
        assert hand == cards_to_bits(draft.hand_left())
        assert state[base + layout.FOOD_CARD] == draft.food_card().rank


# Each is compiled separately, which takes ten seconds and more.
@pytest.mark.slow
@pytest.mark.parametrize("names", ["silly", "silly random", "silly greedy"])
def test_game_with_only_its_policies_is_the_same(names: str) -> None:
    players = (names.split() * 4)[:4]
    policies, rules = GAME.numbers(players), setup(Rules(), len(players))
    ended = []
    for game in (GAME, GAME.with_policies(frozenset(players))):
        assert set(players) <= set(game.policies)
        play: Any = njit(game.play.py_func)  # type: ignore[attr-defined]
        rows = np.zeros((200, game.state), game.dtype)
        for number, row in enumerate(rows):
            play(row, rules, policies, GAME.strategy(Rules(), 4, players), 5, number)
        ended.append(rows)
    whole, known = ended
    for asked in (GAME.place, GAME.score):
        assert [asked(row, seat) for row in whole for seat in range(4)] == [
            asked(row, seat) for row in known for seat in range(4)
        ]
    assert [GAME.decisions(row) for row in whole] == [GAME.decisions(row) for row in known]
