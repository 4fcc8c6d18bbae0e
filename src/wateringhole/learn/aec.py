"""The PettingZoo environment: every seat is an agent, and agents act in turn."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.utils import seeding
from pettingzoo import AECEnv

from wateringhole import fallbacks, registry
from wateringhole.errors import UsageError
from wateringhole.game import seats_of
from wateringhole.learn.encoded_game import EncodedGame, encoding_of, playable_rules
from wateringhole.learn.rendering import RENDER_MODES, Narration, check_render_mode
from wateringhole.learn.rewards import reward_of
from wateringhole.learn.spaces import Observation, observation_space
from wateringhole.options import RulesChoice

__all__ = ["TableEnv", "aec_env"]


def aec_env(
    game: str,
    players: int | None = None,
    *,
    rules: RulesChoice = (),
    reward: str = "place",
    render_mode: str | None = None,
) -> TableEnv:
    """Return a PettingZoo environment (AEC) in which every seat is an agent.

    `players` is the usual number by default.  `rules` are given as on the command line, or as a record of rules.
    `reward` is ``place``, ``first`` or ``score``; all other rewards before the end are 0.
    Raises UsageError for games that cannot be encoded, and for illegal actions.

    >>> from wateringhole.learn import aec_env
    >>> env = aec_env("porrinha", players=3, rules="sticks=2")
    >>> env.reset(seed=1)
    >>> observation, reward, termination, truncation, info = env.last()
    >>> env.agent_selection, observation["action_mask"].nonzero()[0].tolist()
    ('player_0', [0, 1, 2])
    """
    return TableEnv(game, players, rules, reward, render_mode)


class TableEnv(AECEnv):  # type: ignore[misc]  # not checked against PettingZoo's types
    """A table whose seats are all played from outside."""

    def __init__(
        self, game: str, players: int | None, rules: RulesChoice, reward: str, render_mode: str | None
    ) -> None:
        super().__init__()
        kind = registry.game_kind(game)
        encoding = encoding_of(kind)
        check_render_mode(render_mode)
        self._kind = kind
        self._players = fallbacks.usual_seats(kind) if players is None else players
        self._rules = playable_rules(kind, rules, self._players)
        self._reward = reward_of(reward)
        self.render_mode = render_mode
        self.metadata = {
            "name": f"{game}_v0",
            "render_modes": RENDER_MODES,
            "is_parallelizable": False,
            "render_fps": 2,
        }
        self.possible_agents = [f"player_{seat}" for seat in range(self._players)]
        self.agents: list[str] = []
        self._seats = dict(zip(self.possible_agents, seats_of(self._players), strict=True))
        self.observation_spaces = {agent: observation_space(encoding) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(encoding.actions) for agent in self.possible_agents}
        self._nothing = np.zeros(encoding.actions, np.int8)
        self._random, _ = seeding.np_random(None)
        self._table: EncodedGame
        self._narration: Narration | None = None

    def observation_space(self, agent: str) -> spaces.Dict:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game.  The seed decides it, and those after it."""
        if seed is not None:
            self._random, _ = seeding.np_random(seed)
        setup = self._kind.deal(self._players, self._rules, int(self._random.integers(1 << 63)))
        if self.render_mode is not None:
            self._narration = Narration(self._kind, self.possible_agents)
        self._table = EncodedGame(self._kind, setup, self._narration.see if self._narration else None)
        self.agents = self.possible_agents.copy()
        self.rewards: dict[str, float] = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards: dict[str, float] = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self._select()

    def observe(self, agent: str) -> Observation:
        seat = self._seats[agent]
        mask = self._table.mask.view(np.int8) if seat == self._table.acting else self._nothing
        return {"observation": self._table.observe(seat), "action_mask": mask}

    def last(self, observe: bool = True) -> Any:
        """Return observation, reward, termination, truncation and info of `agent_selection`."""
        self._require_game()
        return super().last(observe)

    def _require_game(self) -> None:
        if not self.agents:
            raise UsageError("there is no game to continue. Reset the environment.")

    def step(self, action: int | None) -> None:
        """Take an action of `agent_selection`; None removes an agent after the end of the game."""
        self._require_game()
        agent = self.agent_selection
        if self.terminations[agent]:
            self._was_dead_step(action)
            return
        if action is None:
            raise UsageError(f"{agent} is asked for an action. None is for agents whose game is over.")
        self._table.step(action)
        self._cumulative_rewards[agent] = 0.0
        outcome = self._table.outcome
        if outcome is not None:
            by_seat = self._reward(outcome)
            for other, seat in self._seats.items():
                self.rewards[other] = by_seat[seat]
                self.terminations[other] = True
            self._accumulate_rewards()
        self._select()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """Return the course of the game so far, or print what is new in it (`human`)."""
        return self._narration.render(self.render_mode) if self._narration else None

    def close(self) -> None:
        """Do nothing: there are no resources to release."""

    def _select(self) -> None:
        acting = self._table.acting
        self.agent_selection = self.agents[0] if acting is None else self.possible_agents[acting]

    def __str__(self) -> str:
        return str(self.metadata["name"])
