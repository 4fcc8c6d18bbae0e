"""The champion's network with NumPy: the logits of actions, from compact observations.

All boards share one encoder.  The sum over a row stands for the row.  Three wide layers read the sums, the hand and
the numbers of the table.  An action on a board gets its logit from that board and the last wide layer, so that boards
can change places.  A card gets its logit from its trait and its points.  `decider` computes the same faster for one
decision at a time, and `training/evolution_champion.py` has the network in PyTorch; tests compare them.

| Weights | Inputs | Outputs |
|---|---|---|
| `board1`, `board2` | a board, `BOARD` numbers | its code, `CODE` numbers |
| `seat` | the sum of an opponent's codes, and `SEAT` numbers | the code of the opponent |
| `trunk1`, `trunk2`, `trunk3` | codes and `TABLE` numbers | the state of the table |
| `plain` | the state | `PLAIN` logits, those of the actions without board and card, and the value |
| `card` | the state | two numbers for each trait: a logit, and what a point of food adds to it |
| `role` | the state | for boards of the plan, the player's row and the opponents, what is added to their codes |
| `act1`, `act2` | the code of a board | `ACT` logits: six steps, eat, attack, seven amounts of fat, target |
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from importlib import resources
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from wateringhole.games.evolution.compiled import layout as at
from wateringhole.games.evolution.rules.cards import CARDS
from wateringhole.games.evolution.rules.traits import Trait

__all__ = [
    "ACT",
    "BLOCKS",
    "BOARD",
    "CALL",
    "CODE",
    "HAND_FACTS",
    "OPPONENTS",
    "OTHER_ROLE",
    "OWN_ROLE",
    "PLAIN",
    "PLAN_ROLE",
    "SEAT",
    "TABLE",
    "K",
    "Network",
    "board_features",
    "constants",
    "shipped_network",
    "shipped_weights",
]

Floats = npt.NDArray[np.float32]
Bytes = npt.NDArray[np.uint8]

K: Final = at.COMPACT_BOARDS
BLOCKS: Final = 1 + at.MOST_PLAYERS
"""The rows of boards: the plan, then the seats."""
CODE: Final = 64
BOARD: Final = 32
SEAT: Final = 4
OPPONENTS: Final = at.MOST_PLAYERS - 1
HAND_FACTS: Final = at.TRAITS + 3
TABLE: Final = 5 + 6 + 8 + 8 + 12 + at.CARDS + HAND_FACTS
PLAIN: Final = 6
"""Done, restart, give food, buy a board; decline; the value."""
ACT: Final = 16
PLAN_ROLE, OWN_ROLE, OTHER_ROLE = range(3)

_TRAITS: Final = list(Trait)
CALL: Final = _TRAITS.index(Trait.WARNING_CALL)
"""The trait that protects the neighbours of a board."""
_TRAIT_OF: Final = np.array([_TRAITS.index(card.trait) for card in CARDS])
_POINTS: Final = np.array([card.points for card in CARDS], np.float32)


def _hand_facts() -> Floats:
    """Return a matrix from cards in hand to cards by trait, their positive and negative points, and their number."""
    facts = np.zeros((at.CARDS, HAND_FACTS), np.float32)
    facts[np.arange(at.CARDS), _TRAIT_OF] = 1
    facts[:, at.TRAITS] = np.maximum(_POINTS, 0) / 4
    facts[:, at.TRAITS + 1] = np.minimum(_POINTS, 0) / 4
    facts[:, at.TRAITS + 2] = 0.25
    return facts


def _card_facts() -> Floats:
    """Return a matrix from the two numbers for each trait to the logits of cards."""
    facts = np.zeros((2 * at.TRAITS, at.CARDS), np.float32)
    facts[_TRAIT_OF, np.arange(at.CARDS)] = 1
    facts[at.TRAITS + _TRAIT_OF, np.arange(at.CARDS)] = _POINTS / 4
    return facts


def _food_points() -> Floats:
    points = np.zeros(at.NO_CARD + 1, np.float32)
    points[: at.CARDS] = _POINTS / 4
    return points


def constants() -> Mapping[str, npt.NDArray[np.generic]]:
    """Return the arrays that are not learned.

    Column `c` of the logits of a board is action `act_base[c] + act_step[c] * board + act_seat[c] * seat attacked`, for
    boards with the role `act_role[c]`.  Boards with role `r` are acted on in decisions of type `deciding[r]`.
    """
    store = np.arange(at.MOST_FAT)
    steps = np.arange(at.PER_BOARD)
    return {
        "bits": np.arange(8, dtype=np.uint8),
        "hand_facts": _hand_facts(),
        "card_facts": _card_facts(),
        "food_points": _food_points(),
        "deciding": np.array([at.STEP, at.FEED, at.TARGET]),
        "act_role": np.array([PLAN_ROLE] * at.PER_BOARD + [OWN_ROLE] * (2 + at.MOST_FAT) + [OTHER_ROLE]),
        "act_base": np.concatenate([at.ON_BOARD + steps, [at.EAT, at.ATTACK], at.STORE + store, [0]]),
        "act_step": np.array([at.PER_BOARD] * at.PER_BOARD + [1, 1] + [at.MOST_FAT] * at.MOST_FAT + [1]),
        "act_seat": np.array([0] * (ACT - 1) + [at.MOST_BOARDS]),
    }


class Network:
    """A network with weights in memory."""

    def __init__(self, weights: Mapping[str, npt.NDArray[np.generic]]) -> None:
        """Take the weights by name, in any precision."""
        self._weights = {name: np.ascontiguousarray(value.T, np.float32) for name, value in weights.items()}
        self._constants: dict[str, npt.NDArray[Any]] = dict(constants())

    def __call__(self, seen: Bytes, acting: npt.NDArray[np.integer[Any]]) -> tuple[Floats, Floats]:
        """Return the logits of all actions, legal or not, and the values, for compact observations of acting seats."""
        n = len(seen)
        header = seen[:, : at.COMPACT_HAND].astype(np.int64)
        kind, pending, players = header[:, 0], header[:, 2], header[:, 3]
        seats = seen[:, at.COMPACT_SEATS :].reshape(n, at.MOST_PLAYERS, at.COMPACT_SEAT)
        plan = seen[:, at.COMPACT_PLAN + 1 : at.COMPACT_SEATS]
        rows = np.concatenate([plan, seats[:, :, 2:].reshape(n, -1)], 1)
        boards = rows.reshape(n, BLOCKS, K, at.PER_COMPACT_BOARD)
        codes, where = self._codes(boards)
        sums: Floats = np.zeros((n, BLOCKS, CODE), np.float32)
        np.add.at(sums.reshape(-1, CODE), where // K, codes)
        sums /= 4
        others = self._opponents(sums, seats, players)
        begun = _begun(codes, where, kind, pending)
        table = self._table(seen, header, seats, boards)
        parts = [sums[:, 1], sums[:, 0], others.sum(1), begun, others.reshape(n, -1), table]
        state = _relu(self._layer("trunk1", np.concatenate(parts, 1)))
        state = state + _relu(self._layer("trunk2", state))
        state = state + _relu(self._layer("trunk3", state))
        plain = self._layer("plain", state)
        logits = np.zeros((n, at.ACTIONS), np.float32)
        logits[:, :4] += plain[:, :4] * (kind == at.STEP)[:, None]
        logits[:, 0] += plain[:, 4] * (kind == at.FEED)
        cards = self._layer("card", state) @ self._constants["card_facts"]
        logits[:, : at.CARDS] += cards * (kind == at.CARD)[:, None]
        self._add_acts(logits, codes, where, state, kind, players, acting.astype(np.int64))
        return logits, plain[:, 5]

    def _layer(self, name: str, values: Floats) -> Floats:
        layer: Floats = values @ self._weights[f"{name}.weight"] + self._weights[f"{name}.bias"]
        return layer

    def _codes(self, boards: Bytes) -> tuple[Floats, npt.NDArray[np.intp]]:
        """Return the codes of all boards, and their places."""
        roles = np.tile(np.minimum(np.arange(BLOCKS), OTHER_ROLE), len(boards))
        features, where = board_features(boards.reshape(-1, K, at.PER_COMPACT_BOARD), roles)
        return _relu(self._layer("board2", _relu(self._layer("board1", features)))), where

    def _opponents(self, sums: Floats, seats: Bytes, players: npt.NDArray[np.int64]) -> Floats:
        order = np.arange(1, at.MOST_PLAYERS)
        extras = np.zeros((len(seats), OPPONENTS, SEAT), np.float32)
        extras[:, :, 0] = seats[:, 1:, 0] / 8
        extras[:, :, 1] = seats[:, 1:, 1] / 10
        extras[:, :, 2] = order < players[:, None]
        extras[:, :, 3] = order / 8
        return _relu(self._layer("seat", np.concatenate([sums[:, 2:], extras], 2))) * extras[:, :, 2:3]

    def _table(self, seen: Bytes, header: npt.NDArray[np.int64], seats: Bytes, boards: Bytes) -> Floats:
        kind, pending, food_card = header[:, 0], header[:, 2], header[:, 9]
        on_board = np.where(pending >= at.ON_BOARD, 2 + (pending - at.ON_BOARD) % at.PER_BOARD, pending - at.GIVE_FOOD)
        hunger = boards[..., 0].sum(2, dtype=np.float32) - boards[..., 1].sum(2, dtype=np.float32)
        hand = np.unpackbits(seen[:, at.COMPACT_HAND : at.COMPACT_PLAN], axis=1, bitorder="little")[:, : at.CARDS]
        numbers = [
            header[:, 4] / 10,
            header[:, 5] / 20,
            header[:, 6] / 122,
            header[:, 8] / 30,
            food_card != at.NO_CARD,
            self._constants["food_points"][food_card],
            seats[:, 0, 0] / 8,
            seats[:, 0, 1] / 10,
            seen[:, at.COMPACT_PLAN] / 8,
            hunger[:, 1] / 10,
            hunger[:, 0] / 10,
            hunger[:, 2:].sum(1) / 20,
        ]
        parts = [
            _one_hot(kind, 5),
            _one_hot(header[:, 3] - 3, 6),
            _one_hot(header[:, 7], 8),
            _one_hot(np.clip(on_board, 0, 7), 8) * (kind == at.CARD)[:, None],
            np.stack(numbers, 1),
            hand,
            hand @ self._constants["hand_facts"],
        ]
        return np.concatenate(parts, 1, dtype=np.float32)

    def _add_acts(
        self,
        logits: Floats,
        codes: Floats,
        where: npt.NDArray[np.intp],
        state: Floats,
        kind: npt.NDArray[np.int64],
        players: npt.NDArray[np.int64],
        acting: npt.NDArray[np.int64],
    ) -> None:
        """Add the logits of actions on boards."""
        known = self._constants
        role = np.minimum(where // K % BLOCKS, 2)
        deciding = np.flatnonzero(known["deciding"][role] == kind[where // (BLOCKS * K)])
        where, role = where[deciding], role[deciding]
        row, block, slot = where // (BLOCKS * K), where // K % BLOCKS, where % K
        roles = self._layer("role", state).reshape(len(state), 3, CODE)
        acts = self._layer("act2", _relu(self._layer("act1", codes[deciding]) + roles[row, role]))
        attacked = (acting[row] + block - 1) % players[row]
        actions = known["act_base"] + known["act_step"] * slot[:, None] + known["act_seat"] * attacked[:, None]
        board, column = np.nonzero(known["act_role"] == role[:, None])
        logits[row[board], actions[board, column]] += acts[board, column]


def board_features(rows: Bytes, roles: npt.NDArray[np.integer[Any]]) -> tuple[Floats, npt.NDArray[np.intp]]:
    """Return the inputs of `board1` for all boards in rows with these roles, and their places (`K` row + board)."""
    calls = rows[..., 4 + CALL // 8] >> CALL % 8 & 1
    neighbours = np.zeros((*calls.shape, 2), np.float32)
    neighbours[:, 1:, 0], neighbours[:, :-1, 1] = calls[:, :-1], calls[:, 1:]
    flat = rows.reshape(-1, at.PER_COMPACT_BOARD)
    where = np.flatnonzero(flat[:, 0])
    shown = flat[where]
    numbers = shown[:, :4].astype(np.float32)
    hunger = numbers[:, :1] - numbers[:, 1:2]
    features = np.zeros((len(where), BOARD), np.float32)
    features[:, :4] = numbers / 7
    features[:, 4:5] = hunger / 7
    features[:, 5:6] = hunger <= 0
    features[np.arange(len(where)), 6 + roles[where // K]] = 1
    features[:, 9 : 11 + at.TRAITS] = np.unpackbits(shown[:, 4:], axis=1, bitorder="little")[:, : at.TRAITS + 2]
    features[:, 11 + at.TRAITS : 13 + at.TRAITS] = neighbours.reshape(-1, 2)[where]
    features[:, 13 + at.TRAITS] = where % K / K
    return features, where


@functools.cache
def shipped_network() -> Network:
    """Return the network with the weights that the package contains."""
    return Network(shipped_weights())


def shipped_weights() -> Mapping[str, npt.NDArray[np.generic]]:
    """Return the weights that the package contains, by name."""
    with (
        resources.as_file(resources.files(__package__) / "weights.npz") as path,
        np.load(path, allow_pickle=False) as kept,
    ):
        return dict(kept)


def _begun(
    codes: Floats, where: npt.NDArray[np.intp], kind: npt.NDArray[np.int64], pending: npt.NDArray[np.int64]
) -> Floats:
    """Return the codes of the boards that the first half of an answer names, or zeros."""
    on_plan = (kind == at.CARD) & (pending >= at.ON_BOARD)
    index = np.where(on_plan, (pending - at.ON_BOARD) // at.PER_BOARD, pending - at.ATTACK)
    known = (on_plan | (kind == at.TARGET)) & (index < K)
    flat = np.arange(len(kind)) * (BLOCKS * K) + np.where(on_plan, 0, K) + index
    begun = np.zeros((len(kind), CODE), np.float32)
    found = np.searchsorted(where, flat[known])
    begun[known] = codes[found]
    return begun


def _relu(values: Floats) -> Floats:
    return np.maximum(values, 0)


def _one_hot(numbers: npt.NDArray[Any], size: int) -> Floats:
    rows: Floats = np.eye(size, dtype=np.float32)[numbers]
    return rows
