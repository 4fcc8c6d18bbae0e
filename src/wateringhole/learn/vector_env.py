"""The vector environment for Gymnasium: many games in the compiled engine, one seat of each played from outside.

On the CPU all arrays are NumPy arrays.  On CUDA they are device arrays, which PyTorch, JAX and CuPy use without copying
(`__cuda_array_interface__`), and a step does not wait for the device.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.utils import seeding
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from wateringhole import fallbacks, registry
from wateringhole.errors import UsageError
from wateringhole.formatting import short_repr
from wateringhole.learn.encoded_game import encoding_of, playable_rules
from wateringhole.learn.opponents import listed
from wateringhole.learn.rewards import reward_of, rewards_of_rows
from wateringhole.learn.spaces import Observation, observation_space
from wateringhole.options import RulesChoice
from wateringhole.sim import Batch
from wateringhole.sim.arguments import LARGEST, whole_number
from wateringhole.sim.game import compiled_game
from wateringhole.sim.kernel import require_device

__all__ = ["BatchEnv"]

Array = Any
"""A NumPy array on the CPU, a device array on CUDA."""

ON_CUDA = AutoresetMode.SAME_STEP
"""The autoreset mode that needs no array on the host."""


class BatchEnv(VectorEnv):  # type: ignore[misc]  # not checked against Gymnasium's types
    """Games that are stepped together.  The learner plays one seat of each, and compiled players the others.

    Arrays change in place with each step; copy what you want to keep.
    """

    def __init__(
        self,
        game: str,
        opponents: Sequence[str] | None = None,
        *,
        num_envs: int = 1,
        seat: int | None = None,
        rules: RulesChoice = (),
        reward: str = "place",
        device: str = "cpu",
        autoreset_mode: AutoresetMode | str = AutoresetMode.SAME_STEP,
        render_mode: str | None = None,
    ) -> None:
        """`opponents` are compiled players, by default the first one of the game in all other seats.

        With `seat=None`, the learner's seat differs from game to game: game `i` of the batch has seat `i` modulo the
        number of players.  This, and the modes `NEXT_STEP` and `DISABLED`, are for the CPU only.
        """
        kind = registry.game_kind(game)
        encoding = encoding_of(kind)
        if render_mode is not None:
            raise UsageError(f"render_mode={short_repr(render_mode)}: many games at once cannot be rendered.")
        seats = fallbacks.usual_seats(kind) - 1
        compiled = compiled_game(game)
        given = [next(iter(compiled.policies))] * seats if opponents is None else listed(opponents)
        compiled.numbers(given)  # refuses players that are not compiled
        num_envs = whole_number("num_envs", num_envs, 1, LARGEST)
        self._game = game
        self._players = len(given) + 1
        self._rules = playable_rules(kind, rules, self._players)
        if seat is not None and seat not in range(self._players):
            raise UsageError(f"seat={short_repr(seat)}: expected a seat from 0 to {self._players - 1}, or None.")
        mode = _mode(autoreset_mode)
        if device == "cuda" and mode is not ON_CUDA:
            raise UsageError(f"autoreset_mode={mode.value}: on {device}, choose {ON_CUDA.value}.")
        if device == "cuda" and seat is None:
            raise UsageError(f"seat=None: on {device}, choose one seat for all games, e.g. seat=0.")
        require_device(device)
        self.num_envs = num_envs
        self.metadata = {"autoreset_mode": mode, "render_modes": []}
        self.render_mode = None
        self.single_observation_space = observation_space(encoding)
        self.single_action_space = spaces.Discrete(encoding.actions)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self._mode = mode
        self._device = device
        reward_of(reward)
        self._reward = reward
        self._lineups = [_lineup(given, at) for at in range(self._players)]
        self.seats = np.arange(num_envs) % self._players if seat is None else np.full(num_envs, seat)
        """The learner's seat in each game."""
        self._fixed_seat = seat
        self._first_actions = np.arange(num_envs) * encoding.actions
        """The index of the first action of each game in the masks of all games."""
        self._learners = np.arange(num_envs) * self._players + self.seats
        """The index of each learner among the seats of all games."""
        self._never = np.zeros(num_envs, np.bool_)
        self._over = self._never
        """The games that were over after the last step, unless the mode is `SAME_STEP`."""
        self._random, _ = seeding.np_random(None)
        self._batch: Batch | None = None

    @property
    def batch(self) -> Batch:
        """The batch of games.  Raises UsageError before the first reset."""
        if self._batch is None:
            raise UsageError("the environment has no games yet. Reset it.")
        return self._batch

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start new games.  `options={"reset_mask": …}` restarts only the games where the mask is true.

        A seed, or the first of a list of seeds, decides all games.
        """
        if isinstance(seed, list):
            seed = seed[0]
        which = (options or {}).get("reset_mask")
        if seed is not None:
            self._random, _ = seeding.np_random(seed)
        if seed is not None or self._batch is None:
            self._batch = Batch(
                self._game,
                self._players,
                games=self.num_envs,
                seed=int(self._random.integers(1 << 63)),
                rules=self._rules,
                policies=[self._lineups[at] for at in self.seats],
                compact=True,
                reward=self._reward,
                device=self._device,
            )
        else:
            self.batch.reset(which)
        self._over = self._never if self._mode is AutoresetMode.SAME_STEP else self.batch.done
        return self._observe(), {}

    def step(self, actions: Array) -> tuple[Observation, Array, Array, Array, dict[str, Any]]:
        """Take one action in each game.

        On the CPU, raises UsageError, and changes nothing, if one is not legal.  On CUDA, actions are not checked.
        """
        if self._mode is not AutoresetMode.SAME_STEP:
            return self._step_and_wait(actions)
        batch = self.batch
        if self._device != "cpu":
            batch.step_unchecked(actions)
            rewards = batch.rewards[:, self._fixed_seat]
        else:
            batch.step_unchecked(self._legal(actions))
            rewards = batch.rewards.take(self._learners)
        return self._observe(), rewards, batch.ended, self._never, {}

    def _step_and_wait(self, actions: Array) -> tuple[Observation, Array, Array, Array, dict[str, Any]]:
        """Take a step after which finished games wait: for the next step, or for `reset`."""
        batch, before = self.batch, self._over
        batch.step(actions)
        if self._mode is AutoresetMode.NEXT_STEP and before.any():
            batch.reset(before)
            before = self._never
        self._over = batch.done
        rewards = np.zeros(self.num_envs, np.float32)
        ended = np.flatnonzero(self._over & ~before)
        if len(ended):
            by_seat = rewards_of_rows(self._reward, batch.places[ended], batch.scores[ended])
            rewards[ended] = by_seat[np.arange(len(ended)), self.seats[ended]]
        return self._observe(), rewards, self._over, self._never, {}

    def _legal(self, actions: Array) -> npt.NDArray[Any]:
        """Return the actions as an array.  Raises UsageError if one is not legal."""
        given, masks = np.asarray(actions), self.batch.action_masks
        if given.shape != (self.num_envs,) or given.dtype.kind not in "iu":
            raise UsageError(f"actions must be {self.num_envs} whole numbers, not {given.dtype} of {given.shape}.")
        in_range = (given >= 0) & (given < masks.shape[1])
        legal = in_range & masks.take(self._first_actions + given, mode="clip")
        if not legal.all():
            row = int(legal.argmin())
            raise UsageError(
                f"action {given[row]} for game {row} is not legal. Choose from: "
                f"{', '.join(map(str, np.flatnonzero(masks[row])))}."
            )
        return given

    def sample_actions(self) -> Array:
        """Return a random legal action for each game, ready for `step`."""
        return self.batch.choose("random")

    def close_extras(self, **kwargs: Any) -> None:
        """Release the games."""
        self._batch = None

    def _observe(self) -> Observation:
        batch = self.batch
        seen = batch.observations
        if self._mode is not AutoresetMode.SAME_STEP and self._fixed_seat is not None:
            # After the end of a game there is no acting seat.
            seen = batch.observe(self._fixed_seat)
        masks = batch.action_masks.view(np.int8)
        if self._device == "cpu":
            # Steps trust the masks.
            masks.flags.writeable = False
        return {"observation": seen, "action_mask": masks}


def _mode(given: AutoresetMode | str) -> AutoresetMode:
    try:
        return AutoresetMode(given)
    except ValueError:
        modes = ", ".join(mode.value for mode in AutoresetMode)
        raise UsageError(f"autoreset_mode={short_repr(given)}: choose from: {modes}.") from None


def _lineup(opponents: Sequence[str], seat: int) -> dict[int, str]:
    """Return the compiled players by seat, if the learner has this seat."""
    others = iter(opponents)
    return {at: next(others) for at in range(len(opponents) + 1) if at != seat}
