"""Many games at once, stepped from outside: whoever steps gives one choice for each game.

On the CPU all arrays are NumPy's; on CUDA they are device arrays that PyTorch, JAX and CuPy
take over without copying (`__cuda_array_interface__`).
"""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterator, Mapping
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from wateringhole.errors import OperationError, UsageError
from wateringhole.formatting import short_repr, single_line
from wateringhole.sim.arguments import LARGEST, MOST_SEED, whole, whole_number
from wateringhole.sim.cpu import Cpu, batch_loops
from wateringhole.sim.game import EXTERNAL, CompiledGame, compiled_game
from wateringhole.sim.kernel import require_device
from wateringhole.sim.rows import DEAL, FACTS, REST, RESUME, TAKE, Loops

__all__ = ["Batch"]

Array = Any
"""NumPy's on the CPU, a device array on CUDA."""


class Batch:
    """So many games of one kind, each at a decision or at its end.

    Arrays are by game, and change in place when the batch is stepped or reset; copy what should
    stay.  A game depends on the seed and its number alone: row `i` plays game `i` first, and at
    each reset the one `games` further on.

    `policies` seats compiled players, by seat: they choose inside, and the batch stops only at
    decisions of the other seats.
    """

    def __init__(
        self,
        game: str,
        players: int,
        *,
        games: int,
        seed: int = 0,
        rules: Any = None,
        policies: Mapping[int, str] | None = None,
        device: str = "cpu",
    ) -> None:
        """Deal the first games.

        Raises UsageError for what cannot be simulated, and OperationError if there is no room.
        """
        compiled = compiled_game(game)
        players = compiled.seated(players)
        chosen = compiled.rules(rules)
        setup = compiled.setup(chosen, players)
        games = whole_number("games", games, 1, LARGEST)
        seed = whole_number("seed", seed, 0, MOST_SEED)
        policies = {} if policies is None else policies
        inside = _inside(compiled, players, policies)
        require_device(device)
        self.game = game
        self.players = players
        self.games = games
        self.decision_type_names = compiled.decision_types
        """What the numbers in `decision_types` mean."""
        self._compiled = compiled
        self._rules = chosen
        self._seed = np.uint64(seed)
        self._known_policies = set(policies.values())
        self._on: _Device = _on_device(device, compiled, self._known_policies)
        new = self._on.new
        with _room_for(games):
            self.states: Array = self._on.rows(games, compiled.state, compiled.dtype)
            """The games themselves, as the layout of the game says."""
            self._masks: Array = self._on.unset((games, compiled.actions), np.bool_)
        self._masks_are_fresh = False
        self.numbers: Array = new((games,), np.int64)
        """The number of the game in each row."""
        self.acting_seats: Array = new((games,), np.int32)
        """Whose decision it is; -1: the game is over."""
        self.decision_types: Array = new((games,), np.int32)
        """Which decision it is."""
        self._chosen: Array = new((games,), np.int32)
        self._observations: Array | None = None
        self._places: Array = new((games, players), np.int32)
        self._scores: Array = new((games, players), np.int32)
        self._facts: Array = new((games, FACTS), np.int32)
        self._setup = self._on.given(setup)
        self._policies = self._on.given(inside)
        self._strategy = self._on.given(compiled.strategy(chosen, players, self._known_policies))
        self._steps: Array = self._on.given(np.full(games, TAKE, np.uint8))
        self._begin(np.ones(games, np.bool_), np.arange(games, dtype=np.int64))

    def reset(self, which: Array | None = None) -> None:
        """Begin the next games: in all rows, or in those where `which` is true (e.g. `batch.done`).

        Raises UsageError, and changes nothing, unless `which` is true or false for each game.
        """
        which = np.ones(self.games, np.bool_) if which is None else self._on.host(self._on.taken(which))
        if which.shape != (self.games,) or which.dtype != np.bool_:
            raise UsageError(
                f"which games to reset is {self.games} times true or false, one for each game, "
                f"not {which.dtype} of {which.shape}."
            )
        self._begin(which, self._on.host(self.numbers) + self.games * which)

    def load(self, states: Array) -> None:
        """Go on from other tables: rows like those of `states`, from `sample_state` or kept from a batch.

        Players inside choose at once where it is their turn.  Raises UsageError, and changes nothing, for
        rows that are no games of so many players by these rules.
        """
        given = self._on.taken(states)
        if given.shape != self.states.shape or given.dtype != self.states.dtype:
            raise UsageError(
                f"the tables to go on from are {self.states.dtype} of {self.states.shape}, a row for each game, "
                f"not {given.dtype} of {given.shape}."
            )
        with _room_for(self.games):
            rows = self._on.like_rows(given)
        strange = self._on.loops.first_invalid(rows, self._setup)
        if strange >= 0:
            raise UsageError(
                f"table {strange} cannot be gone on from: its row is no game of {self.players} players by the rules "
                "of this batch."
            )
        self._on.set(self.states, rows)
        self._advance(self._on.given(np.full(self.games, RESUME, np.uint8)), self._chosen)

    def step(self, actions: Array) -> None:
        """Take one choice for each game that is not over, and go on to its next decision.

        Raises UsageError, and changes nothing, when one of them is not legal.
        """
        given = self._on.taken(actions)
        if given.shape != (self.games,) or given.dtype.kind not in "iu":
            raise UsageError(
                f"actions are {self.games} whole numbers, one for each game, not {given.dtype} of {given.shape}."
            )
        actions = self._on.narrowed(given)
        row = self._on.loops.first_illegal(self.states, actions)
        if row >= 0:
            name = self.decision_type_names[int(self._on.host(self.decision_types)[row])]
            raise UsageError(
                f"action {int(given[row])} for game {row} of the batch is not legal: "
                f"seat {int(self._on.host(self.acting_seats)[row])} is to {name}; "
                f"action_masks[{row}] marks the legal actions."
            )
        self._advance(self._steps, actions)

    @property
    def action_masks(self) -> Array:
        """True for each legal choice, a row for each game; none is once it is over."""
        if not self._masks_are_fresh:
            self._on.loops.action_masks(self.states, self._masks)
            self._masks_are_fresh = True
        return self._masks

    @property
    def done(self) -> Array:
        """Whether each game is over."""
        return self._on.negative(self.acting_seats)

    def choose(self, player: str) -> Array:
        """What a compiled player would choose wherever something is to be decided; ready for `step`."""
        (policy,) = self._compiled.numbers([player])
        if player not in self._known_policies:
            self._known_policies.add(player)
            self._strategy = self._on.given(self._compiled.strategy(self._rules, self.players, self._known_policies))
        self._on.loops.choose(self.states, self.numbers, policy, self._strategy, self._seed, self._chosen)
        return self._chosen

    @property
    def observations(self) -> Array:
        """What whoever decides may see, a row for each game."""
        return self.observe(EXTERNAL)

    def observe(self, seat: int) -> Array:
        """What one seat may see, a row for each game; -1: whoever decides.

        Raises UsageError where there is no such seat, and OperationError where there is no room.
        """
        number = whole(seat)
        if number is None or not EXTERNAL <= number < self.players:
            raise UsageError(
                f"there is no seat {short_repr(seat)} at a table of {self.players}; "
                f"give 0 to {self.players - 1}, or -1."
            )
        if self._observations is None:
            # They take more room than the games, and not everybody looks.
            with _room_for(self.games):
                self._observations = self._on.unset((self.games, self._compiled.observation), np.int32)
        self._on.loops.observe(self.states, number, self._observations)
        return self._observations

    @property
    def places(self) -> Array:
        """By game and seat, from 1; 0 while a game goes on, and where it overflowed."""
        self._read_results()
        return self._places

    @property
    def scores(self) -> Array:
        """By game and seat; 0 while a game goes on, and where it overflowed."""
        self._read_results()
        return self._scores

    @property
    def lengths(self) -> Array:
        """Turns or rounds so far."""
        self._read_results()
        return self._facts[:, 0]

    @property
    def decisions(self) -> Array:
        """Answers given so far, by all seats: a choice, or both halves of one that is made in two."""
        self._read_results()
        return self._facts[:, 1]

    @property
    def stopped(self) -> Array:
        """1 for a game that a limit of the rules ended before all places were decided."""
        self._read_results()
        return self._facts[:, 2]

    @property
    def overflowed(self) -> Array:
        """1 for a game that ended because it met a bound of its row: it should not count."""
        self._read_results()
        return self._facts[:, 3]

    def _begin(self, which: npt.NDArray[np.bool_], numbers: npt.NDArray[np.int64]) -> None:
        self._on.set(self.numbers, numbers)
        self._advance(self._on.given(np.where(which, DEAL, REST).astype(np.uint8)), self._chosen)

    def _advance(self, orders: Array, actions: Array) -> None:
        self._on.loops.advance(
            self.states,
            orders,
            actions,
            self.numbers,
            self._setup,
            self._policies,
            self._strategy,
            self._seed,
            self.acting_seats,
            self.decision_types,
        )
        self._masks_are_fresh = False

    def _read_results(self) -> None:
        self._on.loops.results(self.states, self._places, self._scores, self._facts)


def _inside(compiled: CompiledGame, players: int, policies: Mapping[int, str]) -> npt.NDArray[np.int32]:
    """Players by number, by seat; `EXTERNAL` where nobody is seated."""
    if not isinstance(policies, Mapping):
        raise UsageError(
            f"policies name compiled players by seat, e.g. {{0: 'random'}}, and are not {short_repr(policies)}."
        )
    inside = np.full(players, EXTERNAL, np.int32)
    for seat, name in policies.items():
        (inside[whole_number("a seat of policies", seat, 0, players - 1)],) = compiled.numbers([name])
    return inside


@contextlib.contextmanager
def _room_for(games: int) -> Iterator[None]:
    try:
        yield
    except MemoryError as error:
        raise OperationError(f"there is no room for {games} games: {single_line(str(error))}.") from None


class _Device(Protocol):
    """Where the arrays of a batch live."""

    loops: Loops

    def new(self, shape: tuple[int, ...], dtype: Any) -> Array: ...
    def unset(self, shape: tuple[int, ...], dtype: Any) -> Array:
        """An array that is written before it is read.  Raises MemoryError."""
        ...

    def rows(self, games: int, words: int, dtype: Any) -> Array:
        """Rows of zeros.  Raises MemoryError."""
        ...

    def given(self, array: npt.NDArray[Any]) -> Array:
        """An array of ours, put where the loops can read it."""
        ...

    def taken(self, given: Array) -> Array:
        """An array of a caller's.  Raises UsageError for what is none."""
        ...

    def narrowed(self, actions: Array) -> Array:
        """Choices of any type of whole numbers as the loops take them; those that do not fit stay illegal."""
        ...

    def like_rows(self, given: Array) -> Array:
        """Rows of a caller's, laid out like those of `rows`."""
        ...

    def set(self, array: Array, values: Array) -> None:
        """Copy values that are laid out alike."""
        ...

    def host(self, array: Array) -> npt.NDArray[Any]: ...
    def negative(self, array: Array) -> Array: ...


def _on_device(device: str, compiled: CompiledGame, inside: Collection[str]) -> _Device:
    if device == "cuda":
        from wateringhole.sim.cuda import Cuda

        return Cuda(compiled, inside)
    return Cpu(batch_loops(compiled.name))
