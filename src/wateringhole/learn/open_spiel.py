"""The games for OpenSpiel.  Importing this module registers one for each installed game that has an encoding.

They play by the rules of the referee.  An information state is everything that a seat was shown: the events that it
saw, and its own actions.  Chance is explicit: the setup is drawn outcome by outcome before the first decision.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from wateringhole import registry
from wateringhole.errors import OperationError, UsageError
from wateringhole.game import AnyKind, Event, Seat
from wateringhole.learn.encoded_game import EncodedGame, encoding_of, playable_rules
from wateringhole.learn.rewards import reward_of

if find_spec("pyspiel") is None:
    raise OperationError(
        "the games for OpenSpiel need open_spiel, which is not installed; "
        "install the extra with: pip install 'wateringhole[openspiel]'"
    )

import pyspiel

__all__ = ["TableGame", "TableObserver", "TableState", "game_name", "register_games"]

RECALLED = 4
"""The default number of own decisions in the tensor of an information state."""


def game_name(kind: AnyKind) -> str:
    """Return the name of a game in OpenSpiel."""
    return f"wateringhole_{kind.name.replace('-', '_')}"


def register_games() -> None:
    """Register the games that are not registered yet."""
    for kind in registry.kinds():
        if kind.encoding is not None and game_name(kind) not in pyspiel.registered_names():
            _register(kind)


def _register(kind: AnyKind) -> None:
    encoding = encoding_of(kind)
    encoded = [players for players in kind.seats if encoding.refuses(kind.default_rules, players) is None]
    modes = pyspiel.GameType.ChanceMode
    game_type = pyspiel.GameType(
        short_name=game_name(kind),
        long_name=kind.display_name,
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=modes.EXPLICIT_STOCHASTIC if encoding.chance else modes.DETERMINISTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=pyspiel.GameType.Utility.ZERO_SUM,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=encoded[-1],
        min_num_players=encoded[0],
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification={"players": encoded[0], "rules": "", "recalled": RECALLED},
    )

    class KindGame(TableGame):
        def __init__(self, params: dict[str, Any] | None = None) -> None:
            super().__init__(kind, game_type, params or {})

    pyspiel.register_game(game_type, KindGame)


class TableGame(pyspiel.Game):  # type: ignore[misc]  # pyspiel ships no types
    """A game with its parameters.

    | Parameter | Meaning |
    |---|---|
    | `players` | the number of players |
    | `rules` | rules as they are typed after `--rules`, but with ``:`` for ``=``, and ``;`` between them |
    | `recalled` | how many of its last decisions a player finds in the tensor of its information state |
    """

    def __init__(self, kind: AnyKind, game_type: Any, params: dict[str, Any]) -> None:
        """Raises UsageError for rules that cannot be encoded, and for a negative number of recalled decisions."""
        self.kind = kind
        self.encoding = encoding_of(kind)
        self.players = int(params.get("players", game_type.min_num_players))
        # OpenSpiel reads an equals sign in a value as the end of a parameter's name.
        typed = str(params.get("rules", "")).replace(":", "=").split(";")
        self.rules = playable_rules(kind, [word for word in typed if word], self.players)
        self.recalled = int(params.get("recalled", RECALLED))
        if self.recalled < 0:
            raise UsageError(f"recalled={self.recalled}: expected a number of decisions, 0 or more.")
        chance = self.encoding.chance
        info = pyspiel.GameInfo(
            num_distinct_actions=self.encoding.actions,
            max_chance_outcomes=chance.most if chance else 0,
            num_players=self.players,
            min_utility=-1.0,
            max_utility=1.0,
            utility_sum=0.0,
            max_game_length=self.encoding.most_actions(self.rules, self.players),
        )
        super().__init__(game_type, info, params)

    def __reduce__(self) -> tuple[object, ...]:
        return _load, (str(self),)

    def new_initial_state(self) -> TableState:
        return TableState(self)

    def make_py_observer(self, iig_obs_type: Any = None, params: Any = None) -> TableObserver:
        if params:
            raise ValueError(f"observers take no parameters, not {params}")
        return TableObserver(self, iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False))


def _load(game: str) -> TableGame:
    """Return a game from its string.  A process that reads a pickled game has imported this module."""
    loaded: TableGame = pyspiel.load_game(game)
    return loaded


class _Decision(msgspec.Struct, frozen=True):
    """An action, with what its seat observed."""

    seat: Seat
    action: int
    observation: npt.NDArray[Any]


class _Position:
    """The Python part of a state.  A copy shares nothing that changes."""

    def __init__(self, game: TableGame) -> None:
        self._game = game
        self.drawn: list[int] = []
        self.table: EncodedGame | None = None
        """The game, or None while its setup is drawn."""
        self.seen: list[Event | _Decision] = []
        """Everything that happened, in order."""
        self._deal_when_drawn()

    def outcomes(self) -> list[int]:
        """Return the outcomes of the next draw, or none if the setup is complete."""
        chance = self._game.encoding.chance
        return list(chance.outcomes(self.drawn)) if chance else []

    def apply(self, action: int) -> None:
        if self.table is None:
            self.drawn.append(action)
            self._deal_when_drawn()
            return
        seat = self.table.acting
        assert seat is not None, "no seat acts after the end of a game"
        self.seen.append(_Decision(seat, action, self.table.observe(seat)))
        self.table.step(action)

    def _deal_when_drawn(self) -> None:
        if not self.outcomes():
            game, chance = self._game, self._game.encoding.chance
            setup = (
                chance.setup(game.players, game.rules, self.drawn)
                if chance
                else game.kind.deal(game.players, game.rules, 0)
            )
            self.table = EncodedGame(game.kind, setup, self.seen.append)

    def __deepcopy__(self, memo: object) -> _Position:
        other: _Position = object.__new__(_Position)
        other._game = self._game
        other.drawn = self.drawn.copy()
        other.seen = self.seen.copy()
        other.table = self.table.copy(other.seen.append) if self.table else None
        return other

    def __reduce__(self) -> tuple[object, ...]:
        """Pickle the history, from which everything follows."""
        decided = [each.action for each in self.seen if isinstance(each, _Decision)]
        return _replay, (self._game, [*self.drawn, *decided])


def _replay(game: TableGame, actions: list[int]) -> _Position:
    position = _Position(game)
    for action in actions:
        position.apply(action)
    return position


class TableState(pyspiel.State):  # type: ignore[misc]  # pyspiel ships no types
    """A game in progress."""

    def __init__(self, game: TableGame) -> None:
        super().__init__(game)
        self.position = _Position(game)

    def current_player(self) -> int:
        table = self.position.table
        if table is None:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if table.acting is None else int(table.acting)

    def is_terminal(self) -> bool:
        table = self.position.table
        return table is not None and table.acting is None

    def _legal_actions(self, player: int) -> list[int]:
        table = self.position.table
        return [] if table is None or player != table.acting else [int(each) for each in np.flatnonzero(table.mask)]

    def chance_outcomes(self) -> list[tuple[int, float]]:
        outcomes = self.position.outcomes()
        return [(outcome, 1 / len(outcomes)) for outcome in outcomes]

    def _apply_action(self, action: int) -> None:
        self.position.apply(int(action))

    def _action_to_string(self, player: int, action: int) -> str:
        encoding, table = self.get_game().encoding, self.position.table
        if player == pyspiel.PlayerId.CHANCE:
            return str(encoding.chance.text(action))
        return f"{encoding.decision_types[table.decision_type] if table else 'action'} {action}"

    def returns(self) -> list[float]:
        table, players = self.position.table, self.get_game().players
        if table is None or table.outcome is None:
            return [0.0] * players
        rewards = reward_of("place")(table.outcome)
        return [rewards[Seat(seat)] for seat in range(players)]

    def __str__(self) -> str:
        """Return the course of the game, hidden information included."""
        lines = [f"drawn: {' '.join(map(str, self.position.drawn))}"] if self.position.drawn else []
        codec = self.get_game().kind.codec
        for each in self.position.seen:
            if isinstance(each, _Decision):
                lines.append(f"player {each.seat}: {each.action}")
            elif not each.is_notice:
                lines.append(_json(codec.event_to_json(each)))
        return "\n".join(lines)


class TableObserver:
    """Observations of a state: what a seat sees now, or with perfect recall, everything that it was shown."""

    def __init__(self, game: TableGame, kind: Any) -> None:
        self._game = game
        self._recalls = bool(kind.perfect_recall)
        self._is_public = kind.private_info == pyspiel.PrivateInfoType.NONE
        self._is_private = not kind.public_info
        words = game.encoding.observation
        recalled = game.recalled if self._recalls else 0
        self.tensor = np.zeros(words + recalled * (words + 1), np.float32)
        self.dict = {"observation": self.tensor[:words]}
        if recalled:
            self.dict["recalled"] = self.tensor[words:].reshape(recalled, words + 1)

    def set_from(self, state: TableState, player: int) -> None:
        """Write what a player observes; each recalled decision is its observation and 1 more than its action."""
        self.tensor.fill(0)
        table = state.position.table
        if table is None or self._is_public:
            return
        self.dict["observation"][:] = table.observe(Seat(player))
        if "recalled" in self.dict:
            own = [each for each in state.position.seen if isinstance(each, _Decision) and each.seat == player]
            for row, decision in zip(self.dict["recalled"], reversed(own), strict=False):
                row[:-1] = decision.observation
                row[-1] = 1 + decision.action

    def string_from(self, state: TableState, player: int) -> str | None:
        """Return what a player observes as text; None for the private part alone, which the rules do not separate."""
        if self._is_private:
            return None
        seat = None if self._is_public else Seat(player)
        return self._everything_shown(state, seat) if self._recalls else self._shown_now(state, seat)

    def _everything_shown(self, state: TableState, seat: Seat | None) -> str:
        codec = self._game.kind.codec
        lines = ["" if seat is None else f"player {seat}"]
        for each in state.position.seen:
            if isinstance(each, _Decision):
                if each.seat == seat:
                    lines.append(str(each.action))
            elif not each.is_notice and (shown := each.seen_by(seat)) is not None:
                lines.append(_json(codec.event_to_json(shown)))
        return "\n".join(lines)

    def _shown_now(self, state: TableState, seat: Seat | None) -> str:
        table = state.position.table
        if table is None:
            return ""
        lines = [_json(self._game.kind.codec.view_to_json(table.game.view(seat)))]
        if seat is not None and seat == table.acting:
            # A view does not contain the actions that a player has taken for its open request.
            lines += [f"{self._game.encoding.decision_types[table.decision_type]} {table.pending_actions}"]
        return "\n".join(lines)


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


register_games()
