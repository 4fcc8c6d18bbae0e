"""Games of the compiled engine that continue from sampled states; all seats play like the champion.

A script is a sequence of actions.  It starts a game; then the network decides.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import Any, Final

import numpy as np
import numpy.typing as npt
from threadpoolctl import ThreadpoolController

from wateringhole.games.evolution.bots.champion.network import Network
from wateringhole.games.evolution.compiled import layout as at
from wateringhole.games.evolution.compiled.rollouts import deal_states
from wateringhole.sim.batch import Batch
from wateringhole.sim.rollouts import Known

__all__ = ["Continuations", "OutOfTime", "Script", "one_thread", "prepare_engine"]

Script = list[int]
States = npt.NDArray[np.uint32]
Flags = npt.NDArray[np.bool_]
Values = npt.NDArray[np.float64]

FEWER: Final = 0.6
"""A batch is replaced by a smaller one when this share of its games, or less, is still needed."""
DRAWS: Final = 2
"""The answers drawn for each candidate; many are equal."""
NO_ACTION: Final = -1


class OutOfTime(Exception):
    """Raised between two steps when the deadline has passed."""


@functools.cache
def prepare_engine() -> None:
    """Compile all that a search calls, or read it from the cache, because a decision has no time for it."""
    batch = Batch("evolution", 3, games=2, compact=True)
    known = Known(batch.states[0], None, (), 0)
    batch.load(deal_states(known, 0, 2))
    batch.step(np.where(batch.action_masks[:, at.DONE], at.DONE, batch.choose("greedy")))
    batch.observe(0)
    assert batch.scores.shape == (2, 3)
    _numeric_libraries()


@functools.cache
def _numeric_libraries() -> ThreadpoolController:
    return ThreadpoolController()


def one_thread() -> AbstractContextManager[object]:
    """Use one thread for products of matrices: on a busy machine, two threads take up to forty times as long."""
    limits: AbstractContextManager[object] = _numeric_libraries().limit(limits=1, user_api="blas")
    return limits


class Continuations:
    """Games that continue a turn from what one seat knows.

    They end with the turn.  If the game is over then, its value is the champion's reward: the share of the first
    place, and a quarter of tanh(lead / 10).  Otherwise the network estimates that from the next turn's first decision.
    """

    def __init__(self, network: Network, known: Known, is_late: Callable[[], bool]) -> None:
        self._network = network
        self._known = known
        self._turn = int(known.words[at.TURN])
        self._is_late = is_late

    def candidates(self, first: Script, most: int, seed: int) -> list[Script]:
        """Return different answers of the seat: a given one, then others drawn with the network's probabilities."""
        draws = DRAWS * most
        (state,) = deal_states(self._known, seed, 1)
        games = self._games(np.repeat(state[None], draws, axis=0))
        rng = np.random.default_rng(seed)
        scripts: list[Script] = [[] for _ in range(draws)]
        unfinished = np.ones(draws, np.bool_)
        stuck = np.zeros(draws, np.bool_)
        while unfinished.any():
            types = games.batch.decision_types.copy()
            actions = games.preferred(unfinished, rng)
            for row in np.flatnonzero(unfinished):
                scripts[row].append(int(actions[row]))
            stuck |= unfinished & (types == at.STEP) & (actions == at.RESTART)
            unfinished &= ~(stuck | _completes(types, actions))
            games.step(actions)
        different = {_effect(first, state): first}
        for script, is_stuck in zip(scripts, stuck, strict=True):
            if not is_stuck:
                different.setdefault(_effect(script, state), script)
        return list(different.values())[:most]

    def values(self, scripts: Sequence[Script], deals: int, seed: int) -> Values:
        """Return the values after each script, by script and deal of the unseen cards.  All scripts get equal deals."""
        states = deal_states(self._known, seed, deals)
        rest: Sequence[Script] = [[]] * deals
        if self._known.words[at.PHASE] == at.CHOOSING:
            rest = self._declarations_of_others(states, scripts[0])
        played = [[*script, *others] for script in scripts for others in rest]
        return self._play(np.tile(states, (len(scripts), 1)), _padded(played)).reshape(len(scripts), deals)

    def _declarations_of_others(self, states: States, own: Script) -> list[Script]:
        """Return what the other seats declare in each state.  They do not see the seat's own declaration."""
        games = self._games(states)
        for action in own:
            games.step(np.full(len(states), action))
        scripts: list[Script] = [[] for _ in states]
        while (declaring := games.are_declaring(self._turn)).any():
            actions = games.preferred(declaring)
            for row in np.flatnonzero(declaring):
                scripts[row].append(int(actions[row]))
            games.step(actions)
        return scripts

    def _play(self, states: States, scripts: npt.NDArray[np.int64]) -> Values:
        """Return the value of each state after its script."""
        values = np.zeros(len(states))
        places = np.arange(len(states))
        needed = np.ones(len(states), np.bool_)
        games = self._games(states)
        step = 0
        while True:
            over, later = games.batch.done, games.are_after(self._turn)
            if (ended := needed & over).any():
                values[places[ended]] = self._rewards(games.batch)[ended]
            if (paused := needed & later & ~over).any():
                values[places[paused]] = self._estimates(games.batch, paused)
            needed &= ~(over | later)
            if not needed.any():
                return values
            if needed.mean() <= FEWER:
                games = self._games(games.batch.states[needed])
                places, scripts = places[needed], scripts[needed]
                needed = np.ones(len(places), np.bool_)
            given = scripts[:, min(step, scripts.shape[1] - 1)]
            scripted = needed & (given != NO_ACTION)
            if scripted.all():
                games.step(given)
            else:
                games.step(np.where(scripted, given, games.preferred(needed & ~scripted)))
            step += 1

    def _games(self, states: States) -> _ChampionGames:
        batch = Batch("evolution", len(self._known.seats), games=len(states), rules=self._known.rules, compact=True)
        batch.load(states)
        return _ChampionGames(self._network, batch, self._is_late)

    def _rewards(self, batch: Batch) -> Values:
        """Return the rewards of the games that are over.  A game that overflowed counts as level."""
        me = self._known.seat
        first = batch.places == 1
        share = first[:, me] / np.maximum(first.sum(axis=1), 1)
        lead = batch.scores[:, me] - np.delete(batch.scores, me, axis=1).max(axis=1)
        rewards: Values = share + 0.25 * np.tanh(lead / 10)
        return rewards

    def _estimates(self, batch: Batch, rows: Flags) -> npt.NDArray[np.float32]:
        """Return the network's values at the start of a turn, as if the seat declared first."""
        me = self._known.seat
        seen = batch.observe(me)[rows]
        seen[:, 2] = 0
        # The draft of a seat that is about to declare is its row.
        row = at.COMPACT_PLAN, at.COMPACT_SEATS
        boards = at.PER_COMPACT_BOARD * at.COMPACT_BOARDS
        seen[:, row[0]] = seen[:, row[1]]
        seen[:, row[0] + 1 : row[0] + 1 + boards] = seen[:, row[1] + 2 : row[1] + 2 + boards]
        _, values = self._network(seen, np.full(len(seen), me))
        return values


class _ChampionGames:
    """A batch in which the network decides for all seats."""

    def __init__(self, network: Network, batch: Batch, is_late: Callable[[], bool]) -> None:
        self.batch = batch
        self._network = network
        self._is_late = is_late
        self._restarted = np.zeros(batch.games, np.bool_)
        """The games whose last action restarted a declaration."""
        self._restarts = np.zeros(batch.games, np.int64)
        """The restarts of the declaration in progress."""

    def are_after(self, turn: int) -> Flags:
        flags: Flags = self.batch.states[:, at.TURN] > turn
        return flags

    def are_declaring(self, turn: int) -> Flags:
        flags: Flags = (self.batch.states[:, at.PHASE] == at.CHOOSING) & ~self.are_after(turn)
        return flags

    def preferred(self, rows: Flags, rng: np.random.Generator | None = None) -> npt.NDArray[np.int64]:
        """Return legal actions for all games: the network's in `rows`.  With `rng`, they are drawn by probability."""
        legal = self.batch.action_masks
        actions: npt.NDArray[np.int64] = legal.argmax(axis=1)
        if rows.any():
            self._ask(rows, legal, actions, rng)
        return actions

    def _ask(self, rows: Flags, legal: Flags, actions: npt.NDArray[np.int64], rng: np.random.Generator | None) -> None:
        """Write the network's actions in `rows`."""
        batch = self.batch
        asked = np.flatnonzero(rows)
        logits, _ = self._network(batch.observations[asked], batch.acting_seats[asked])
        if rng is not None:
            logits += rng.gumbel(size=logits.shape).astype(np.float32)
        actions[asked] = np.where(legal[asked], logits, -np.inf).argmax(axis=1)
        self._reopen(actions)

    def _reopen(self, actions: npt.NDArray[np.int64]) -> None:
        """Declare like the champion where the network's steps lead to a restart: it then begins with the food card."""
        batch = self.batch
        stepping = batch.decision_types == at.STEP
        actions[stepping & self._restarted] = at.GIVE_FOOD
        self._restarted = stepping & (actions == at.RESTART)
        self._restarts += self._restarted
        if (lost := self._restarts > 1).any():
            np.copyto(actions, batch.choose("greedy"), where=lost)

    def step(self, actions: npt.NDArray[Any]) -> None:
        """Apply an action to each game.  Raises OutOfTime if the deadline has passed."""
        if self._is_late():
            raise OutOfTime
        seats = self.batch.acting_seats.copy()
        self.batch.step(actions)
        declared = (self.batch.acting_seats != seats) | (self.batch.decision_types > at.CARD)
        self._restarted &= ~declared
        self._restarts[declared] = 0


def _completes(types: npt.NDArray[np.int32], actions: npt.NDArray[np.int64]) -> Flags:
    """Return where an action completes an answer."""
    declared = (types == at.STEP) & (actions == at.DONE)
    fed = (types == at.FEED) & ((actions < at.ATTACK) | (actions >= at.STORE))
    completed: Flags = declared | fed | (types == at.TARGET)
    return completed


def _effect(script: Script, state: States) -> tuple[Any, ...]:
    """Return a key that is equal for declarations with the same steps in another order, and for equal feedings."""
    if state[at.PHASE] == at.FEEDING:
        return tuple(script)
    return tuple(sorted(zip(script[:-1:2], script[1:-1:2], strict=True)))


def _padded(scripts: Sequence[Script]) -> npt.NDArray[np.int64]:
    """Return all scripts in one array, each followed by `NO_ACTION`."""
    padded = np.full((len(scripts), 1 + max(map(len, scripts))), NO_ACTION, np.int64)
    for row, script in zip(padded, scripts, strict=True):
        row[: len(script)] = script
    return padded
