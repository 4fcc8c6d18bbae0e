"""Many games at once, stepped from outside with one action for each game.

On the CPU all arrays are NumPy arrays.  On CUDA they are device arrays, which PyTorch, JAX and CuPy
use without copying (`__cuda_array_interface__`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Mapping, Sequence
from typing import Any, Final, NamedTuple, Protocol

import numpy as np
import numpy.typing as npt

from wateringhole.errors import OperationError, UsageError
from wateringhole.formatting import short_repr, single_line
from wateringhole.sim.arguments import LARGEST, MOST_SEED, as_integer, whole_number
from wateringhole.sim.cpu import Cpu, batch_loops
from wateringhole.sim.game import EXTERNAL, CompiledGame, compacted, compiled_game
from wateringhole.sim.kernel import require_device
from wateringhole.sim.rows import (
    ABSENT,
    BY_FIRST,
    BY_PLACE,
    BY_SCORE,
    DEAL,
    FACTS,
    REST,
    RESUME,
    TAKE,
    TURN_OVER,
    Loops,
)

__all__ = ["Batch"]

Array = Any
"""A NumPy array on the CPU, a device array on CUDA."""


REWARDS: Final = {"first": BY_FIRST, "place": BY_PLACE, "score": BY_SCORE}


class Batch:
    """Games of one kind that are stepped together, each at a decision or over.

    Arrays have one row per game, and change in place when the batch is stepped or reset; copy what
    you want to keep.  A game depends on the seed and its number alone.  Row `i` plays game `i` first;
    each reset adds `games` to the number.

    `policies` maps seats to compiled players.  They act within the batch, which stops only at
    decisions of the other seats.  `players` and `policies` may also be sequences with one entry for each
    game.  Then arrays by seat have a column for each seat of the largest game, with 0 in those that a
    game does not have.

    There are two ways to step.  `step` checks all actions, and finished games wait for `reset`.
    `step_unchecked` is for training: it checks nothing, starts the next game at once where one ends, and
    writes `action_masks`, `observations`, `rewards` and `ended` in the same launch.
    """

    def __init__(
        self,
        game: str,
        players: int | Sequence[int],
        *,
        games: int,
        seed: int = 0,
        rules: Any = None,
        policies: Mapping[int, str] | Sequence[Mapping[int, str]] | None = None,
        compact: bool = False,
        reward: str = "place",
        device: str = "cpu",
    ) -> None:
        """Deal the first games.

        With `compact`, observations are shorter and of a smaller type, as the `layout` of the game describes them.
        `reward` selects the rewards of `step_unchecked`: ``first``, ``place`` or ``score``, see `rewards`.
        Raises UsageError for what cannot be simulated, and OperationError if memory runs out.
        """
        compiled = compiled_game(game)
        games = whole_number("games", games, 1, LARGEST)
        seed = whole_number("seed", seed, 0, MOST_SEED)
        chosen = compiled.rules(rules)
        tables = _tables(compiled, games, players, {} if policies is None else policies)
        setups = np.stack([compiled.setup(chosen, table.players) for table in tables.lineups])
        most_players = max(table.players for table in tables.lineups)
        inside = tables.policies(compiled, most_players)
        if reward not in REWARDS:
            raise UsageError(f"there is no reward {short_repr(reward)}. Choose from: {', '.join(REWARDS)}.")
        if compact:
            compacted(compiled)  # refuses a game that has none
        require_device(device)
        self.game = game
        self.players = most_players
        """The players of the largest game."""
        self.games = games
        self.decision_type_names = compiled.decision_types
        """The names of the numbers in `decision_types`."""
        self._compiled = compacted(compiled) if compact else compiled
        self._rules = chosen
        self._seed = np.uint64(seed)
        self._reward = REWARDS[reward]
        self._known_policies = {name for table in tables.lineups for name in table.policies.values()}
        self._player_counts = sorted({table.players for table in tables.lineups})
        self._device: _Device = _on_device(device, compiled, self._known_policies, compact)
        zeros = self._device.zeros
        with _room_for(games):
            self.states: Array = self._device.zero_rows(games, compiled.state, compiled.dtype)
            """The rows of the games, as the `layout` of the game describes them."""
            self._masks: Array = self._device.empty((games, compiled.actions), np.bool_)
        self._masks_are_fresh = False
        self.numbers: Array = zeros((games,), np.int64)
        """The number of the game in each row."""
        self.acting_seats: Array = zeros((games,), np.int32)
        """The seat that decides, or -1 if the game is over."""
        self.decision_types: Array = zeros((games,), np.int32)
        """The type of the decision."""
        self.ended: Array = zeros((games,), np.bool_)
        """True where the last `step_unchecked` ended a game and started the next one."""
        self.rewards: Array = zeros((games, self.players), np.float32)
        """The rewards of the games that the last `step_unchecked` ended, by seat; 0 in all other rows.

        The reward ``first`` is 1, shared equally by all players with the first place, and 0 for the others.
        ``place`` is the share of the other players who did worse, less the share of players who did better: from
        1 for the only winner to -1 for the only last player.  ``score`` is the score.
        """
        self.final_places: Array = zeros((games, self.players), np.int32)
        """Places by seat of the game that `step_unchecked` ended last in each row; 0 before the first, and if it
        overflowed."""
        self.final_scores: Array = zeros((games, self.players), np.int32)
        """Scores by seat of the game that `step_unchecked` ended last in each row."""
        self._chosen: Array = zeros((games,), np.int32)
        self._no_observations: Array = self._device.empty(
            (0, self._compiled.observation), self._compiled.observation_dtype
        )
        self._observations: Array | None = None
        self._observations_are_fresh = False
        self._places: Array = zeros((games, self.players), np.int32)
        self._scores: Array = zeros((games, self.players), np.int32)
        self._facts: Array = zeros((games, FACTS), np.int32)
        self._lineups = self._device.to_device(np.resize(tables.numbers, games))
        self._setups = self._device.to_device(setups)
        self._policies = self._device.to_device(inside)
        self._strategy = self._device.to_device(self._tables_of(self._known_policies))
        self._steps: Array = self._device.to_device(np.full(games, TAKE, np.uint8))
        self._turns: Array = self._device.to_device(np.full(games, TURN_OVER, np.uint8))
        self._begin(np.ones(games, np.bool_), np.arange(games, dtype=np.int64))

    def reset(self, which: Array | None = None) -> None:
        """Start the next games: in all rows, or where `which` is true (e.g. `batch.done`).

        Raises UsageError, and changes nothing, unless `which` is a truth value for each game.
        """
        which = np.ones(self.games, np.bool_) if which is None else self._device.host(self._device.from_caller(which))
        if which.shape != (self.games,) or which.dtype != np.bool_:
            raise UsageError(
                f"which games to reset must be {self.games} truth values, one for each game, "
                f"not {which.dtype} of {which.shape}."
            )
        self._begin(which, self._device.host(self.numbers) + self.games * which)

    def load(self, states: Array) -> None:
        """Continue from other states: rows like those of `states`, from `sample_state` or copied from a batch.

        Compiled players act at once if it is their turn.  Raises UsageError, and changes nothing, for rows
        that are not games with this number of players and these rules.
        """
        given = self._device.from_caller(states)
        if given.shape != self.states.shape or given.dtype != self.states.dtype:
            raise UsageError(
                f"states to load must be {self.states.dtype} of {self.states.shape}, a row for each game, "
                f"not {given.dtype} of {given.shape}."
            )
        with _room_for(self.games):
            rows = self._device.like_rows(given)
        invalid = self._device.loops.first_invalid(rows, self._lineups, self._setups)
        if invalid >= 0:
            raise UsageError(
                f"state {invalid} cannot be loaded: its row is not a game of {self.players} players with the rules "
                "of this batch."
            )
        self._device.copy(self.states, rows)
        self._advance(self._device.to_device(np.full(self.games, RESUME, np.uint8)), self._chosen)

    def step(self, actions: Array) -> None:
        """Apply one action to each game that is not over, and advance it to its next decision.

        Raises UsageError, and changes nothing, if an action is not legal.
        """
        given = self._as_actions(actions)
        actions = self._device.narrow_actions(given)
        row = self._device.loops.first_illegal(self.states, actions)
        if row >= 0:
            name = self.decision_type_names[int(self._device.host(self.decision_types)[row])]
            raise UsageError(
                f"action {int(given[row])} for game {row} of the batch is not legal: "
                f"seat {int(self._device.host(self.acting_seats)[row])} is to {name}; "
                f"action_masks[{row}] marks the legal actions."
            )
        self._advance(self._steps, actions)

    def step_unchecked(self, actions: Array) -> None:
        """Apply one legal action to each game, and start the next game at once where one ends.

        Afterwards every row is at a decision, and `action_masks`, `observations` (of the acting seats), `rewards`,
        `ended`, `final_places` and `final_scores` are written, all in one launch and without waiting for the device.
        A game that was over before is replaced, and its results are written too; its action is ignored.

        Actions are not checked: an illegal one gives wrong games or crashes the process.  Raises UsageError only
        for a wrong shape or type.
        """
        actions = self._device.narrow_actions(self._as_actions(actions))
        self._room_for_observations()
        self._advance(self._turns, actions, self._observations)
        self._masks_are_fresh = self._observations_are_fresh = True

    def _as_actions(self, actions: Array) -> Array:
        given = self._device.from_caller(actions)
        if given.shape != (self.games,) or given.dtype.kind not in "iu":
            raise UsageError(
                f"actions must be {self.games} whole numbers, one for each game, not {given.dtype} of {given.shape}."
            )
        return given

    @property
    def action_masks(self) -> Array:
        """True for each legal action, a row for each game.  All are false if the game is over."""
        if not self._masks_are_fresh:
            self._device.loops.action_masks(self.states, self._masks)
            self._masks_are_fresh = True
        return self._masks

    @property
    def done(self) -> Array:
        """True for each game that is over."""
        return self._device.negative(self.acting_seats)

    def choose(self, player: str) -> Array:
        """Return the actions of a compiled player for all games that are not over, ready for `step`."""
        (policy,) = self._compiled.numbers([player])
        if player not in self._known_policies:
            self._known_policies.add(player)
            self._strategy = self._device.to_device(self._tables_of(self._known_policies))
        self._device.loops.choose(self.states, self.numbers, policy, self._strategy, self._seed, self._chosen)
        return self._chosen

    @property
    def observations(self) -> Array:
        """Observations of the acting seats, one row per game."""
        return self._observations if self._observations_are_fresh else self.observe(EXTERNAL)

    def observe(self, seat: int) -> Array:
        """Return the observations of one seat, or of the acting seats for -1, one row per game.

        Raises UsageError if there is no such seat, and OperationError if memory runs out.
        """
        number = as_integer(seat)
        fewest = self._player_counts[0]
        if number is None or not EXTERNAL <= number < fewest:
            raise UsageError(
                f"there is no seat {short_repr(seat)} in a game of {fewest} players; give 0 to {fewest - 1}, or -1."
            )
        self._room_for_observations()
        self._observations_are_fresh = False
        self._device.loops.observe(self.states, number, self._observations)
        return self._observations

    def _room_for_observations(self) -> None:
        if self._observations is None:
            # They take more memory than the games, and not every caller reads them.
            with _room_for(self.games):
                shape = (self.games, self._compiled.observation)
                self._observations = self._device.empty(shape, self._compiled.observation_dtype)

    @property
    def places(self) -> Array:
        """Places by game and seat, from 1.  They are 0 until a game is over, and if it overflowed."""
        self._read_results()
        return self._places

    @property
    def scores(self) -> Array:
        """Scores by game and seat.  They are 0 until a game is over, and if it overflowed."""
        self._read_results()
        return self._scores

    @property
    def lengths(self) -> Array:
        """Turns or rounds played so far."""
        self._read_results()
        return self._facts[:, 0]

    @property
    def decisions(self) -> Array:
        """Answers of all seats so far.  Two actions that are halves of one answer count once."""
        self._read_results()
        return self._facts[:, 1]

    @property
    def stopped(self) -> Array:
        """1 for a game that a limit of the rules ended before all places were decided, otherwise 0."""
        self._read_results()
        return self._facts[:, 2]

    @property
    def overflowed(self) -> Array:
        """1 for a game that reached a bound of its row, otherwise 0.  Such a game should not count."""
        self._read_results()
        return self._facts[:, 3]

    def _begin(self, which: npt.NDArray[np.bool_], numbers: npt.NDArray[np.int64]) -> None:
        self._device.copy(self.numbers, numbers)
        self._advance(self._device.to_device(np.where(which, DEAL, REST).astype(np.uint8)), self._chosen)

    def _advance(self, orders: Array, actions: Array, observations: Array | None = None) -> None:
        self._device.loops.advance(
            self.states,
            orders,
            actions,
            self.numbers,
            self._lineups,
            self._setups,
            self._policies,
            self._strategy,
            self._seed,
            self.acting_seats,
            self.decision_types,
            self._reward,
            self._masks,
            self._no_observations if observations is None else observations,
            self.final_places,
            self.final_scores,
            self.rewards,
            self.ended,
        )
        self._masks_are_fresh = self._observations_are_fresh = False

    def _read_results(self) -> None:
        self._device.loops.results(self.states, self._lineups, self._policies, self._places, self._scores, self._facts)

    def _tables_of(self, names: Collection[str]) -> npt.NDArray[np.uint32]:
        """Return the tables that these compiled players look up."""
        first, *others = (self._compiled.strategy(self._rules, players, names) for players in self._player_counts)
        if any(not np.array_equal(first, other) for other in others):
            raise UsageError(
                f"compiled players of {self.game} look up tables for one number of players; "
                "give all games of the batch the same number."
            )
        return first


class _Lineup(NamedTuple):
    """The players of a game."""

    players: int
    policies: Mapping[int, str]


class _Tables(NamedTuple):
    """The lineups of a batch."""

    lineups: list[_Lineup]
    numbers: npt.NDArray[np.int32]
    """The number of each game's lineup, or of the only one."""

    def policies(self, compiled: CompiledGame, seats: int) -> npt.NDArray[np.int32]:
        """Return the numbers of the compiled players by lineup and seat, or `EXTERNAL`, or `ABSENT`."""
        numbers = np.full((len(self.lineups), seats), ABSENT, np.int32)
        for row, lineup in zip(numbers, self.lineups, strict=True):
            row[: lineup.players] = EXTERNAL
            for seat, name in lineup.policies.items():
                (row[whole_number("a seat of policies", seat, 0, lineup.players - 1)],) = compiled.numbers([name])
        return numbers


def _tables(compiled: CompiledGame, games: int, players: Any, policies: Any) -> _Tables:
    """Return the lineups of a batch, each of them once.  Raises UsageError for what is not one."""
    counts = _by_game("players", players, games) if isinstance(players, Sequence) else [players]
    inside = [policies] if isinstance(policies, Mapping) else policies
    if not isinstance(inside, Sequence) or not all(isinstance(each, Mapping) for each in inside):
        raise UsageError(
            f"policies must map seats to compiled players, e.g. {{0: 'random'}}, or be a list of such mappings with "
            f"one for each game, not {short_repr(policies)}."
        )
    inside = inside if isinstance(policies, Mapping) else _by_game("policies", inside, games)
    # One entry stands for all games.
    rows = max(len(counts), len(inside))
    known: dict[Any, int] = {}
    lineups: list[_Lineup] = []
    numbers = np.zeros(rows, np.int32)
    for row in range(rows):
        count, mapping = counts[row % len(counts)], inside[row % len(inside)]
        key = repr(count), repr(mapping)
        if key not in known:
            known[key] = len(lineups)
            lineups.append(_Lineup(compiled.check_player_count(count), mapping))
        numbers[row] = known[key]
    return _Tables(lineups, numbers)


def _by_game(name: str, given: Sequence[Any], games: int) -> Sequence[Any]:
    if len(given) != games:
        raise UsageError(f"{name} must have one entry for each of the {games} games, not {len(given)}.")
    return given


@contextlib.contextmanager
def _room_for(games: int) -> Iterator[None]:
    try:
        yield
    except MemoryError as error:
        raise OperationError(f"there is not enough memory for {games} games: {single_line(str(error))}.") from None


class _Device(Protocol):
    """The device that holds the arrays of a batch."""

    loops: Loops

    def zeros(self, shape: tuple[int, ...], dtype: Any) -> Array: ...
    def empty(self, shape: tuple[int, ...], dtype: Any) -> Array:
        """Return an uninitialized array, for the caller to fill.  Raises MemoryError."""
        ...

    def zero_rows(self, games: int, words: int, dtype: Any) -> Array:
        """Return rows of zeros.  Raises MemoryError."""
        ...

    def to_device(self, array: npt.NDArray[Any]) -> Array:
        """Return an array of this package, copied to where the loops can read it."""
        ...

    def from_caller(self, given: Array) -> Array:
        """Return an array that a caller passed.  Raises UsageError for anything else."""
        ...

    def narrow_actions(self, actions: Array) -> Array:
        """Convert actions of any integer type to the type of the loops; actions out of its range stay illegal."""
        ...

    def like_rows(self, given: Array) -> Array:
        """Return rows that a caller passed, in the memory layout of `zero_rows`."""
        ...

    def copy(self, array: Array, values: Array) -> None:
        """Copy values that have the same memory layout."""
        ...

    def host(self, array: Array) -> npt.NDArray[Any]: ...
    def negative(self, array: Array) -> Array: ...


def _on_device(device: str, compiled: CompiledGame, inside: Collection[str], compact: bool) -> _Device:
    if device == "cuda":
        from wateringhole.sim.cuda import Cuda

        return Cuda(compiled, inside, compact)
    return Cpu(batch_loops(compiled.name, compact))
