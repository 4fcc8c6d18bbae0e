"""The champion's network for one decision at a time, in a fraction of the time that `network` takes.

A declaration is many decisions at the same table.  What only depends on the rows of boards, or on the plan, is kept for
the next decision.  Layers that nothing but a sum separates are multiplied with each other beforehand.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from wateringhole.games.evolution.bots.champion import network as spec
from wateringhole.games.evolution.bots.champion.network import (
    CODE,
    OPPONENTS,
    OTHER_ROLE,
    OWN_ROLE,
    PLAIN,
    PLAN_ROLE,
    K,
)
from wateringhole.games.evolution.compiled import layout as at

__all__ = ["Decider", "shipped_decider"]

Floats = npt.NDArray[np.float32]

_HEADER: Final = spec.TABLE - at.CARDS - spec.HAND_FACTS
"""The inputs of `trunk1` about the table that are not about the hand: four choices of one, then numbers."""
_PLAYERS, _START, _PENDING, _NUMBERS = 5, 5 + 6, 5 + 6 + 8, 5 + 6 + 8 + 8
_REMEMBERED: Final = 64
"""Tables and plans that are kept."""


class _Rows(NamedTuple):
    """Some rows of boards, as the network reads them."""

    codes: Floats
    acts: Floats
    """The codes after `act1`."""
    places: npt.NDArray[np.intp]
    """`K` times row + board, for each code."""
    hunger: npt.NDArray[np.float64]
    """The food that each row can still take."""

    def code(self, place: int) -> Floats:
        found: Floats = self.codes[np.searchsorted(self.places, place)]
        return found


class _Table(NamedTuple):
    """The rows of all seats, as the network reads them."""

    own: _Rows
    others: _Rows
    state: Floats
    """The share of the table in the first wide layer."""
    numbers: tuple[float, float, float, float]
    """Boards and cards of the observer, the hunger of its row, and of the opponents' rows."""


class Decider:
    """A network with weights in memory, and the parts of the last decisions that the next ones may share."""

    def __init__(self, weights: Mapping[str, npt.NDArray[np.generic]]) -> None:
        """Take the weights by name, in any precision."""
        self._weights = {name: np.ascontiguousarray(value.T, np.float32) for name, value in weights.items()}
        facts = spec.constants()
        first = self._weights["trunk1.weight"]
        ends = np.cumsum([CODE, CODE, CODE, CODE, CODE * OPPONENTS, _HEADER, at.CARDS])
        own, self._plan_weight, all_others, self._begun_weight, others, self._header_weight, hand, summary = np.split(
            first, ends
        )
        others = others + np.tile(all_others, (OPPONENTS, 1))
        self._table_weight: Floats = np.concatenate([own, others])
        self._hand_weight: Floats = hand + facts["hand_facts"].astype(np.float32) @ summary
        self._food_points: list[float] = facts["food_points"].tolist()
        self._heads = self._join_heads(facts["card_facts"].astype(np.float32))
        self._plan = functools.lru_cache(_REMEMBERED)(self._read_plan)
        self._table = functools.lru_cache(_REMEMBERED)(self._read_table)

    def _join_heads(self, card_facts: Floats) -> dict[int, tuple[Floats, Floats]]:
        """Return the last layer of each type of decision: `plain`, then what that type needs beside it."""
        weight, bias = self._layer("plain")
        card_weight, card_bias = self._layer("card")
        role_weight, role_bias = self._layer("role")
        beside = {at.CARD: (card_weight @ card_facts, card_bias @ card_facts)}
        for kind, role in ((at.STEP, PLAN_ROLE), (at.FEED, OWN_ROLE), (at.TARGET, OTHER_ROLE)):
            columns = slice(CODE * role, CODE * (role + 1))
            beside[kind] = role_weight[:, columns], role_bias[columns]
        return {
            kind: (np.concatenate([weight, more], 1), np.concatenate([bias, added]))
            for kind, (more, added) in beside.items()
        }

    def __call__(self, seen: npt.NDArray[np.uint8], seat: int) -> tuple[Floats, float]:
        """Return the logits of all actions, legal or not, and the value, for the compact observation of a seat."""
        data = seen.tobytes()
        kind, pending, players = data[0], data[2], data[3]
        table = self._table(data[3:4] + data[at.COMPACT_SEATS :])
        plan, plan_state = self._plan(data[at.COMPACT_PLAN + 1 : at.COMPACT_SEATS])
        hand = np.flatnonzero(np.unpackbits(seen[at.COMPACT_HAND : at.COMPACT_PLAN], bitorder="little"))
        state: Floats = table.state + plan_state
        state += self._hand_weight[hand].sum(0)
        state += self._header(data, table, plan) @ self._header_weight
        if kind == at.TARGET and pending < at.ATTACK + K:
            state += table.own.code(pending - at.ATTACK) @ self._begun_weight
        elif kind == at.CARD and at.ON_BOARD <= pending < at.ON_BOARD + at.PER_BOARD * K:
            state += plan.code((pending - at.ON_BOARD) // at.PER_BOARD) @ self._begun_weight
        np.maximum(state, 0, out=state)
        for name in ("trunk2", "trunk3"):
            weight, bias = self._layer(name)
            state += np.maximum(state @ weight + bias, 0)
        weight, bias = self._heads[kind]
        heads: Floats = state @ weight + bias
        plain, beside = heads[:PLAIN], heads[PLAIN:]
        logits = np.zeros(at.ACTIONS, np.float32)
        if kind == at.CARD:
            logits[: at.CARDS] = beside
        elif kind == at.STEP:
            logits[:4] = plain[:4]
            self._add_steps(logits, plan, beside)
        elif kind == at.FEED:
            logits[0] = plain[4]
            self._add_feedings(logits, table.own, beside)
        else:
            self._add_targets(logits, table.others, beside, seat, players)
        return logits, float(plain[5])

    def best_action(self, seen: npt.NDArray[np.uint8], legal: npt.NDArray[np.bool_], seat: int) -> int:
        """Return the legal action with the highest logit for the compact observation of a seat that decides."""
        actions = np.flatnonzero(legal)
        if len(actions) == 1:
            return int(actions[0])
        logits, _ = self(seen, seat)
        return int(actions[logits[actions].argmax()])

    def _layer(self, name: str) -> tuple[Floats, Floats]:
        return self._weights[f"{name}.weight"], self._weights[f"{name}.bias"]

    def _read_rows(self, boards: npt.NDArray[np.uint8], roles: list[int]) -> _Rows:
        features, places = spec.board_features(boards, np.array(roles))
        codes = features
        for name in ("board1", "board2"):
            weight, bias = self._layer(name)
            codes = np.maximum(codes @ weight + bias, 0)
        weight, bias = self._layer("act1")
        numbers = boards[..., :2].sum(1, dtype=np.float64)
        return _Rows(codes, codes @ weight + bias, places, numbers[:, 0] - numbers[:, 1])

    def _read_plan(self, data: bytes) -> tuple[_Rows, Floats]:
        boards = np.frombuffer(data, np.uint8).reshape(1, K, at.PER_COMPACT_BOARD)
        plan = self._read_rows(boards, [PLAN_ROLE])
        state: Floats = plan.codes.sum(0) / 4 @ self._plan_weight
        return plan, state

    def _read_table(self, data: bytes) -> _Table:
        """Read the number of players, then the seats."""
        players = data[0]
        seats = np.frombuffer(data, np.uint8, offset=1).reshape(at.MOST_PLAYERS, at.COMPACT_SEAT)[:players]
        boards = seats[:, 2:].reshape(players, K, at.PER_COMPACT_BOARD)
        own = self._read_rows(boards[:1], [OWN_ROLE])
        others = self._read_rows(boards[1:], [OTHER_ROLE] * (players - 1))
        inputs = np.zeros((players - 1, CODE + spec.SEAT), np.float32)
        np.add.at(inputs[:, :CODE], others.places // K, others.codes / 4)
        inputs[:, CODE] = seats[1:, 0] / 8
        inputs[:, CODE + 1] = seats[1:, 1] / 10
        inputs[:, CODE + 2] = 1
        inputs[:, CODE + 3] = np.arange(1, players) / 8
        weight, bias = self._layer("seat")
        codes = np.maximum(inputs @ weight + bias, 0)
        state = np.concatenate([own.codes.sum(0) / 4, codes.ravel()]) @ self._table_weight[: CODE * players]
        numbers = float(seats[0, 0]) / 8, float(seats[0, 1]) / 10, own.hunger[0] / 10, others.hunger.sum() / 20
        return _Table(own, others, state + self._weights["trunk1.bias"], numbers)

    def _header(self, data: bytes, table: _Table, plan: _Rows) -> Floats:
        kind, pending, players, food_card = data[0], data[2], data[3], data[9]
        header = [0.0] * _NUMBERS
        header[kind] = header[_PLAYERS + players - 3] = header[_START + data[7]] = 1.0
        if kind == at.CARD:
            on_board = pending >= at.ON_BOARD
            step = 2 + (pending - at.ON_BOARD) % at.PER_BOARD if on_board else pending - at.GIVE_FOOD
            header[_PENDING + step] = 1.0
        boards, cards, own_hunger, others_hunger = table.numbers
        header += (data[4] / 10, data[5] / 20, data[6] / 122, data[8] / 30)
        header += (food_card != at.NO_CARD, self._food_points[food_card], boards, cards, data[at.COMPACT_PLAN] / 8)
        header += (own_hunger, plan.hunger[0] / 10, others_hunger)
        return np.array(header, np.float32)

    def _acts(self, rows: _Rows, role: Floats) -> Floats:
        weight, bias = self._layer("act2")
        acts: Floats = np.maximum(rows.acts + role, 0) @ weight + bias
        return acts

    def _add_steps(self, logits: Floats, plan: _Rows, role: Floats) -> None:
        steps = logits[at.ON_BOARD : at.ON_BOARD + at.PER_BOARD * K].reshape(K, at.PER_BOARD)
        steps[plan.places] = self._acts(plan, role)[:, : at.PER_BOARD]

    def _add_feedings(self, logits: Floats, own: _Rows, role: Floats) -> None:
        acts = self._acts(own, role)[:, at.PER_BOARD :]
        logits[at.EAT + own.places] = acts[:, 0]
        logits[at.ATTACK + own.places] = acts[:, 1]
        logits[at.STORE :].reshape(-1, at.MOST_FAT)[own.places] = acts[:, 2 : 2 + at.MOST_FAT]

    def _add_targets(self, logits: Floats, others: _Rows, role: Floats, seat: int, players: int) -> None:
        attacked = (seat + 1 + others.places // K) % players
        logits[at.MOST_BOARDS * attacked + others.places % K] = self._acts(others, role)[:, -1]


@functools.cache
def shipped_decider() -> Decider:
    """Return the network with the weights that the package contains."""
    return Decider(spec.shipped_weights())
