"""The champion's network for one decision at a time, in a fraction of the time that `network` takes.

A declaration is many decisions at the same table.  What depends only on a board, a row, the plan or the hand is kept
for the next decision.  Layers that nothing but a sum separates are multiplied with each other beforehand.
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
"""Tables, plans and hands that are kept."""
_REMEMBERED_BOARDS: Final = 1 << 13
"""Boards that are kept, about 5 MB."""
_CALL_BYTE, _CALL_BIT = 4 + spec.CALL // 8, 1 << spec.CALL % 8
"""Where a board has the trait that protects its neighbours."""


class _Rows(NamedTuple):
    """Some rows of boards, as the network reads them."""

    codes: Floats
    acts: Floats
    """The codes after `act1`."""
    places: npt.NDArray[np.intp]
    """`K` times row + board, for each code."""
    hunger: int
    """The food that the rows can still take."""

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
        self._board = functools.lru_cache(_REMEMBERED_BOARDS)(self._read_board)
        self._hand = functools.lru_cache(_REMEMBERED)(self._read_hand)
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
        state: Floats = table.state + plan_state
        state += self._hand(data[at.COMPACT_HAND : at.COMPACT_PLAN])
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

    def _read_board(self, board: bytes, role: int, slot: int, after_call: bool, before_call: bool) -> Floats:
        """Return the code of a board at a place in its row, and its code after `act1`.

        The last two arguments say whether its neighbours on the left and on the right protect it.
        """
        row = np.zeros((1, K, at.PER_COMPACT_BOARD), np.uint8)
        row[0, slot] = np.frombuffer(board, np.uint8)
        if after_call:
            row[0, slot - 1, _CALL_BYTE] = _CALL_BIT
        if before_call:
            row[0, slot + 1, _CALL_BYTE] = _CALL_BIT
        features, _ = spec.board_features(row, np.array([role]))
        code = features[0]
        for name in ("board1", "board2"):
            weight, bias = self._layer(name)
            code = np.maximum(code @ weight + bias, 0)
        weight, bias = self._layer("act1")
        return np.concatenate([code, code @ weight + bias])

    def _read_rows(self, rows: list[bytes], role: int) -> _Rows:
        """Read rows of `K` places for boards each."""
        width = at.PER_COMPACT_BOARD
        boards, places = [], []
        for number, row in enumerate(rows):
            calls = [False, *(bool(byte & _CALL_BIT) for byte in row[_CALL_BYTE::width]), False]
            for slot in range(K):
                board = row[width * slot : width * (slot + 1)]
                if board[0]:
                    boards.append(self._board(board, role, slot, calls[slot], calls[slot + 2]))
                    places.append(K * number + slot)
        read = np.array(boards, np.float32).reshape(-1, 2 * CODE)
        hunger = sum(sum(row[::width]) - sum(row[1::width]) for row in rows)
        return _Rows(read[:, :CODE], read[:, CODE:], np.array(places, np.intp), hunger)

    def _read_hand(self, data: bytes) -> Floats:
        """Return the share of the hand in the first wide layer."""
        cards = np.flatnonzero(np.unpackbits(np.frombuffer(data, np.uint8), bitorder="little"))
        share: Floats = self._hand_weight[cards].sum(0)
        return share

    def _read_plan(self, data: bytes) -> tuple[_Rows, Floats]:
        """Read the plan, and return its share in the first wide layer as well."""
        plan = self._read_rows([data], PLAN_ROLE)
        share: Floats = plan.codes.sum(0) / 4 @ self._plan_weight
        return plan, share

    def _read_table(self, data: bytes) -> _Table:
        """Read the number of players, then the seats."""
        players = data[0]
        seats = [
            data[start : start + at.COMPACT_SEAT] for start in range(1, 1 + at.COMPACT_SEAT * players, at.COMPACT_SEAT)
        ]
        own = self._read_rows([seats[0][2:]], OWN_ROLE)
        others = self._read_rows([seat[2:] for seat in seats[1:]], OTHER_ROLE)
        inputs = np.zeros((players - 1, CODE + spec.SEAT), np.float32)
        np.add.at(inputs[:, :CODE], others.places // K, others.codes / 4)
        inputs[:, CODE:] = [(seat[0] / 8, seat[1] / 10, 1, order / 8) for order, seat in enumerate(seats[1:], 1)]
        weight, bias = self._layer("seat")
        codes = np.maximum(inputs @ weight + bias, 0)
        state = np.concatenate([own.codes.sum(0) / 4, codes.ravel()]) @ self._table_weight[: CODE * players]
        numbers = seats[0][0] / 8, seats[0][1] / 10, own.hunger / 10, others.hunger / 20
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
        header += (own_hunger, plan.hunger / 10, others_hunger)
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
