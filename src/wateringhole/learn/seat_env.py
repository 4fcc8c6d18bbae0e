"""The Gymnasium environment: one seat at a table under the referee, against any players."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from typing import Any, ClassVar

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from wateringhole import fallbacks, registry
from wateringhole.errors import UsageError
from wateringhole.facets import SeatEncoder
from wateringhole.formatting import short_repr
from wateringhole.game import Forfeit, Game, Seat
from wateringhole.learn.encoded_game import encoding_of, playable_rules, whole_action
from wateringhole.learn.opponents import listed
from wateringhole.learn.rendering import RENDER_MODES, Narration, check_render_mode
from wateringhole.learn.rewards import reward_of
from wateringhole.learn.spaces import Observation, observation_space
from wateringhole.match.match import Match, PlayerCall
from wateringhole.match.specs import GivenPlayer, parse_specs, table_names
from wateringhole.options import RulesChoice
from wateringhole.player import Player, PlayerContext, forfeit_for, is_interruption, player_seed

__all__ = ["LEARNER", "SeatEnv"]

LEARNER = "learner"
"""The name of the seat that is played from outside."""


class SeatEnv(gymnasium.Env):  # type: ignore[misc]  # not checked against Gymnasium's types
    """One seat against other players.

    An episode is a game.  The reward comes at its end, and is 0 before.  An illegal action is a forfeit, as it is under
    the referee: the learner is thrown out, and the others finish the game.
    """

    metadata: ClassVar[dict[str, Any]] = {"render_modes": RENDER_MODES, "render_fps": 2}

    def __init__(
        self,
        game: str,
        opponents: Sequence[GivenPlayer] | None = None,
        *,
        seat: int | None = None,
        rules: RulesChoice = (),
        reward: str = "place",
        render_mode: str | None = None,
    ) -> None:
        """`opponents` are players as on the command line, classes or objects; by default the usual bots of the game.

        With `seat=None`, every reset draws the learner's seat.  The other arguments are those of `aec_env`.
        """
        kind = registry.game_kind(game)
        encoding = encoding_of(kind)
        check_render_mode(render_mode)
        usual = fallbacks.usual_bots(kind, fallbacks.usual_seats(kind) - 1)
        given = usual if opponents is None else listed(opponents)
        self._kind = kind
        self._encoding = encoding
        self._specs = parse_specs(game, given)
        self._own_objects = [each for each in given if not isinstance(each, str | type)]
        self._players = len(self._specs) + 1
        self._rules = playable_rules(kind, rules, self._players)
        if seat is not None and seat not in range(self._players):
            raise UsageError(f"seat={short_repr(seat)}: expected a seat from 0 to {self._players - 1}, or None.")
        self._fixed_seat = seat
        self._reward = reward_of(reward)
        self.render_mode = render_mode
        self.observation_space = observation_space(encoding)
        self.action_space = spaces.Discrete(encoding.actions)
        self._nothing = np.zeros(encoding.actions, np.int8)
        self._opponents: list[Player] = []
        self._previous: Game[Any, Any, Any] | None = None
        self._match: Match
        self._encoder: SeatEncoder
        self._call: PlayerCall | None = None
        """The open request to the learner, or None if the game is over."""
        self._narration: Narration | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Start a new game.  With a seed, new players are made, and all chance follows from it."""
        super().reset(seed=seed)
        if seed is not None or not self._opponents:
            self._make_opponents(int(self.np_random.integers(1 << 62)))
        drawn = int(self.np_random.integers(self._players))
        self.seat = Seat(drawn if self._fixed_seat is None else self._fixed_seat)
        names = list(table_names(self._specs, self._opponents))
        names.insert(self.seat, LEARNER)
        dealt = self._kind.deal(self._players, self._rules, int(self.np_random.integers(1 << 62)))
        setup = self._kind.next_setup(dealt, list(enumerate(names)), self._previous)
        self._by_seat: list[Player | None] = [*self._opponents]
        self._by_seat.insert(self.seat, None)
        self._encoder = self._encoding.encoder(self.seat, self._players)
        self._narration = Narration(self._kind, names) if self.render_mode else None
        self._match = Match(
            self._kind,
            setup,
            names,
            observers=[self._narration.see] if self._narration else [],
            event_seats=[Seat(at) for at, player in enumerate(self._by_seat) if player and player.wants_events],
        )
        self._advance()
        return self._observe(), self._info()

    def step(self, action: int) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Take an action.  Raises UsageError if there is no game to continue."""
        call = self._call
        if call is None:
            raise UsageError("the game is over, or the environment was closed. Reset it.")
        number = whole_action(action)
        illegal = not 0 <= number < self._encoding.actions or not self._encoder.mask()[number]
        answer = Forfeit("illegal", f"action {number} is not legal") if illegal else self._encoder.act(number)
        if answer is not None:
            self._match.report(call, answer)
            self._advance()
        outcome = self._match.outcome
        reward = self._reward(outcome)[self.seat] if outcome else 0.0
        return self._observe(), reward, outcome is not None, False, self._info()

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """Return the course of the game so far, or print what is new in it (`human`)."""
        return self._narration.render(self.render_mode) if self._narration else None

    def close(self) -> None:
        """Close the opponents, except for objects that the caller made.  The game cannot be continued."""
        self._call = None
        for player in self._opponents:
            if not any(player is each for each in self._own_objects):
                with contextlib.suppress(Exception):
                    player.close()
        self._opponents = []

    def _make_opponents(self, seed: int) -> None:
        self.close()
        self._previous = None
        with PlayerContext(self._players):
            for number, spec in enumerate(self._specs):
                self._opponents.append(spec.make(player_seed(seed, number)))

    def _advance(self) -> None:
        """Make the calls on the opponents up to the next request to the learner, or to the end."""
        match, self._call = self._match, None
        while calls := match.pending_calls:
            for call in calls:
                player = self._by_seat[call.seat]
                if player is not None:
                    match.report(call, _result(call, player))
                elif call.method != "answer":
                    match.report(call, None)
                else:
                    self._call = call
            if self._call:
                self._encoder.ask(self._call.argument)
                break
        else:
            self._previous = match.game
        if self.render_mode == "human":
            self.render()

    def _observe(self) -> Observation:
        if self._call:
            view: Any = self._call.argument.view  # type: ignore[union-attr]
            seen = self._encoder.observe(view, self.seat, self._encoder.decision_type)
            return {"observation": seen, "action_mask": self._encoder.mask().view(np.int8)}
        return {"observation": self._final_observation(), "action_mask": self._nothing}

    def _final_observation(self) -> npt.NDArray[Any]:
        return self._encoder.observe(self._match.game.view(self.seat), None, 0)

    def _info(self) -> dict[str, Any]:
        outcome = self._match.outcome
        if outcome is None:
            return {"seat": int(self.seat)}
        thrown_out = {self._match.names[each.seat]: each.forfeit.message for each in outcome.thrown_out}
        return {"seat": int(self.seat), "place": outcome.places()[self.seat], "thrown_out": thrown_out}


def _result(call: PlayerCall, player: Player) -> Any:
    """Return the result of a call, or the forfeit of a player that fails."""
    try:
        result = call.invoke(player)
    except BaseException as error:
        if is_interruption(error):
            raise
        return forfeit_for(error)
    return Forfeit("illegal", f"{short_repr(result)} is not an answer") if isinstance(result, Forfeit) else result
