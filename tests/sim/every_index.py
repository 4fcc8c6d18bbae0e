"""A program that raises if an index leaves its row, run with WATERINGHOLE_SIM_DEBUG=1.

All pairs of compiled players play games with every number of players: complete games, batches that are
stepped and loaded, and rollouts from positions of the referee's games.
"""

from __future__ import annotations

import itertools
import random
import sys
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tests.games.evolution.random_games import random_answer
from wateringhole.games import evolution, porrinha
from wateringhole.games.evolution import FeedNext, Trait
from wateringhole.games.evolution import compiled as compiled_evolution
from wateringhole.games.evolution.bots.greedy import Greedy
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.games.evolution.compiled import layout
from wateringhole.games.evolution.compiled.translate import seat_place
from wateringhole.games.porrinha import compiled as compiled_porrinha
from wateringhole.games.porrinha.solver import cfr
from wateringhole.sim import Batch, simulate
from wateringhole.sim.game import CompiledGame, compiled_game
from wateringhole.sim.kernel import DEBUG
from wateringhole.sim.rollouts import SampledState

COMPLETE_GAMES = 2000
"""For each pair of players and number of players."""
BATCHED_GAMES = 24
SAMPLES = 4
"""States sampled from one position."""
CONTINUATIONS = 10
"""For each candidate of a position."""
LATEST_LOAD = 40
"""The most steps of a batch before its rows are loaded again."""

TRAITS = list(Trait)

RULES: dict[str, list[Any]] = {
    "evolution": [
        evolution.Rules(),
        evolution.Rules(hard_shell_gap=1, new_board_body_limit=1),
        evolution.Rules(symbiosis=False, scoring="boards", tie_listing="late-first"),
    ],
    "porrinha": [
        porrinha.Rules(max_rounds=30),
        porrinha.Rules(max_rounds=30, sticks=7, opening_zero="forbidden", lead_after_win="rotate"),
        porrinha.Rules(max_rounds=30, taken_guess="again", finish="first_out_wins", last_winner="live"),
    ],
}


def main(name: str, positions: int, first_seed: int) -> None:
    assert DEBUG
    cfr.WORK = 2_000  # a poor strategy is enough
    compiled = compiled_game(name)
    pairs = list(itertools.product(compiled.policies, repeat=2))
    for players in compiled.seats:
        for number, (one, other) in enumerate(pairs):
            rules = RULES[name][number % len(RULES[name])]
            seated = [other if seat % 2 else one for seat in range(players)]
            seed = first_seed + number
            simulate(name, seated, COMPLETE_GAMES, seed=seed, rules=rules, threads=1)
            step_and_load(compiled, players, rules, one, other, seed)
    for number, (players, rules, request) in enumerate(itertools.islice(reached(compiled, first_seed), positions)):
        one, other = pairs[number % len(pairs)]
        continue_from(compiled, players, rules, request, one, other, seed=number)
    print("done")


def reached(compiled: CompiledGame, first_seed: int) -> Iterator[tuple[int, Any, Any]]:
    """Yield all requests of many games of the referee, with the number of players and the rules."""
    for seed in itertools.count(first_seed):
        rng = random.Random(seed)
        players, rules = rng.choice(compiled.seats), rng.choice(RULES[compiled.name])
        for request in REQUESTS[compiled.name](players, rules, rng):
            yield players, rules, request


def step_and_load(compiled: CompiledGame, players: int, rules: Any, one: str, other: str, seed: int) -> None:
    """Step a batch with one player in every other seat, and load its rows into another batch."""
    rng = np.random.default_rng(seed)
    inside = dict.fromkeys(range(0, players, 2), one)
    batch = Batch(compiled.name, players, games=BATCHED_GAMES, seed=seed, rules=rules, policies=inside)
    load_at = int(rng.integers(LATEST_LOAD))
    for step in itertools.count():
        if step == load_at:
            external = Batch(compiled.name, players, games=BATCHED_GAMES, seed=seed, rules=rules)
            for rows in (batch.states.copy(), ALTERED[compiled.name](batch.states.copy(), rng)):
                external.load(rows)
                play_out(external, other)
            batch.reset(batch.done)
        if batch.done.all():
            break
        legal = (batch.action_masks * rng.random(batch.action_masks.shape)).argmax(axis=1)
        batch.step(np.where(rng.random(BATCHED_GAMES) < 0.3, legal, batch.choose(other)))
        batch.observe(int(rng.integers(-1, players)))
    assert batch.places.shape == batch.scores.shape


def continue_from(
    compiled: CompiledGame, players: int, rules: Any, request: Any, one: str, other: str, seed: int
) -> None:
    """Roll out all candidates of a request, and play batches from sampled states."""
    samples = SAMPLE[compiled.name](request, rules, random.Random(seed))
    inside = {seat: other for seat in range(players) if seat != samples[0].seat}
    batch = Batch(compiled.name, players, games=SAMPLES, seed=seed, rules=rules, policies=inside)
    rows = np.array([sample.state for sample in samples])
    for loaded in (rows, ALTERED[compiled.name](rows, np.random.default_rng(seed))):
        batch.load(loaded)
        play_out(batch, one)
    ROLLOUT[compiled.name](request, rules, games=CONTINUATIONS, seed=seed, me=one, others=other)


def play_out(batch: Batch, player: str) -> None:
    while not batch.done.all():
        batch.step(batch.choose(player))


# The games


def requests_of_evolution(players: int, rules: evolution.Rules, rng: random.Random) -> Iterator[Any]:
    """Yield all requests of a game of the referee between various players."""
    dealer = evolution.Dealer(evolution.deal(players, rules, rng.getrandbits(30)), emit=False)
    seated = [rng.choice((None, Greedy(), Silly())) for _ in range(players)]
    while not dealer.outcome:
        ((seat, request),) = dealer.requests.items()
        yield request
        player = seated[seat]
        answer: Any = random_answer(request, rng) if player is None else request.ask(player)
        dealer.advance({seat: answer})


def requests_of_porrinha(players: int, rules: porrinha.Rules, rng: random.Random) -> Iterator[Any]:
    core = porrinha.Core(porrinha.deal(players, rules), emit=False)
    while not core.outcome:
        asked = dict(core.requests)
        yield rng.choice(list(asked.values()))
        core.advance({seat: rng.choice(request.options) for seat, request in asked.items()})


def sample_evolution(request: Any, _rules: evolution.Rules, rng: random.Random) -> list[SampledState]:
    feeding = isinstance(request, FeedNext)
    return [compiled_evolution.sample_state(request.view, rng, feeding=feeding) for _ in range(SAMPLES)]


def other_boards(rows: Any, rng: np.random.Generator) -> Any:
    """Return the same games with random boards.  Few traits give rare situations, such as one without prey."""
    some = rng.choice(layout.TRAITS, size=int(rng.integers(0, 3)), replace=False).tolist()
    few = sorted({TRAITS.index(Trait.CARNIVORE), TRAITS.index(Trait.FAT_TISSUE), *some})
    for row in rows:
        if row[layout.PENDING]:
            continue  # the first half of an answer refers to the current boards
        for seat in range(row[layout.PLAYERS]):
            base = seat_place(seat)
            if row[layout.PHASE] == layout.FEEDING and rng.random() < 0.5:
                row[base + layout.COUNT] = rng.integers(0, int(row[base + layout.COUNT]) + 1)  # some died out
            for place in range(base, base + int(row[base + layout.COUNT])):
                population, body = int(rng.choice((1, 1, 2, 7))), int(rng.integers(0, 8))
                board = population << layout.POPULATION | int(rng.integers(0, population + 1)) << layout.FOOD
                board |= body << layout.BODY | int(rng.integers(0, body + 1)) << layout.FAT
                for trait in rng.choice(few, size=int(rng.integers(0, min(3, len(few)) + 1)), replace=False).tolist():
                    board |= 1 << trait
                row[place] = board
    return rows


def same_rows(rows: Any, _rng: np.random.Generator) -> Any:
    return rows


def sample_porrinha(request: Any, rules: porrinha.Rules, rng: random.Random) -> list[SampledState]:
    return [compiled_porrinha.sample_state(request.view, rng, seat=request.seat, rules=rules) for _ in range(SAMPLES)]


def rollout_evolution(request: Any, _rules: evolution.Rules, **how: Any) -> None:
    compiled_evolution.rollout(request, **how)


def rollout_porrinha(request: Any, rules: porrinha.Rules, **how: Any) -> None:
    compiled_porrinha.rollout(request, rules=rules, **how)


REQUESTS: dict[str, Callable[..., Iterator[Any]]] = {
    "evolution": requests_of_evolution,
    "porrinha": requests_of_porrinha,
}
SAMPLE: dict[str, Callable[..., list[SampledState]]] = {"evolution": sample_evolution, "porrinha": sample_porrinha}
ALTERED: dict[str, Callable[..., Any]] = {"evolution": other_boards, "porrinha": same_rows}
ROLLOUT: dict[str, Callable[..., None]] = {"evolution": rollout_evolution, "porrinha": rollout_porrinha}


if __name__ == "__main__":
    main(sys.argv[1], positions=int(sys.argv[2]), first_seed=int(sys.argv[3]))
