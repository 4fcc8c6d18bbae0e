"""Train the Evolution player `champion`: self-play with proximal policy optimization on the batch simulator.

    python training/evolution_champion.py train --seed 2 --seconds 545 --total 555 --checkpoint champion.pt
    python training/evolution_champion.py evaluate --checkpoint champion.pt --games 2000
    python training/evolution_champion.py export --checkpoint champion.pt --to weights.npz
    python training/evolution_champion.py speed --games 65536 --width 768

The first command trained the weights in the package, on one NVIDIA H200.  To measure how far a network that knows the
champion can exploit it, train one against it, which starts with its weights:

    python training/evolution_champion.py train --against champion.pt --seconds 600 --total 600 --checkpoint response.pt
    python training/evolution_champion.py evaluate --checkpoint response.pt --opponents champion.pt --sizes 4

One network plays at tables of 3 to 8 players.  It learns from games against `greedy` and `silly`, from mixed tables,
and from games against itself and its earlier versions.  `train` continues from the checkpoint if there is one; the
learning rate falls with the seconds trained so far out of `--total`.  The reward is the share of the first place, plus
a quarter of tanh(lead / 10), where the lead is over the best other score.

Needs PyTorch and the extra `cuda` (or `sim`, for a short trial with `--device cpu --games 512`).
"""

from __future__ import annotations

import argparse
import copy
import json
import os
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

try:
    import torch
    import torch.nn.functional as F
    from torch import Tensor, nn
except ModuleNotFoundError as error:
    raise SystemExit(f"{error.name} is not installed. This script needs PyTorch: pip install torch") from None

from wateringhole import sim
from wateringhole.games.evolution.bots.champion import network as spec
from wateringhole.games.evolution.compiled import layout as at

GREEDY_ROWS, MIXED_ROWS, SILLY_ROWS, SELF_ROWS = range(4)
SHARES = {GREEDY_ROWS: 0.55, MIXED_ROWS: 0.1, SILLY_ROWS: 0.1, SELF_ROWS: 0.25}
SIZES = {3: 0.28, 4: 0.24, 5: 0.22, 6: 0.12, 7: 0.05, 8: 0.09}
"""The shares of rows by opponents, and by number of players."""

LONGEST = 2000
"""Actions after which a game counts as lost in an evaluation: a player may restart its declaration again and again."""

RESTART_COST = 0.1
"""What a restart costs a network that is trained against another one.  If it were free, a network that expects to lose
could learn to use up its hand, restart, and so on, and never finish the game."""

K, BLOCKS, CODE = spec.K, spec.BLOCKS, spec.CODE
UNUSED = at.ACTIONS
"""A column of logits that belongs to no action."""


class Net(nn.Module):
    """The network of `wateringhole.games.evolution.bots.champion.network`, in PyTorch."""

    def __init__(self, width: int = 512) -> None:
        super().__init__()
        self.board1, self.board2 = nn.Linear(spec.BOARD, CODE), nn.Linear(CODE, CODE)
        self.seat = nn.Linear(CODE + spec.SEAT, CODE)
        self.trunk1 = nn.Linear(CODE * (4 + spec.OPPONENTS) + spec.TABLE, width)
        self.trunk2, self.trunk3 = nn.Linear(width, width), nn.Linear(width, width)
        self.plain, self.card = nn.Linear(width, spec.PLAIN), nn.Linear(width, 2 * at.TRAITS)
        self.role = nn.Linear(width, 3 * CODE)
        self.act1, self.act2 = nn.Linear(CODE, CODE), nn.Linear(CODE, spec.ACT)
        for head in (self.plain, self.card, self.act2):
            nn.init.normal_(head.weight, std=0.005)
            nn.init.zeros_(head.bias)
        constants = {
            **spec.constants(),
            "roles": np.arange(3),
            "plain_kind": np.array([at.STEP] * 4 + [at.FEED]),
            "plain_action": np.array([0, 1, 2, 3, 0]),
        }
        for name, value in constants.items():
            self.register_buffer(name, torch.from_numpy(np.array(value)), persistent=False)

    def forward(self, seen: Tensor, acting: Tensor) -> tuple[Tensor, Tensor]:
        """Return the logits of all actions, legal or not, and the values."""
        n = len(seen)
        kind, pending, players = seen[:, 0].long(), seen[:, 2].long(), seen[:, 3].long()
        plan = seen[:, at.COMPACT_PLAN + 1 : at.COMPACT_SEATS]
        seats = seen[:, at.COMPACT_SEATS :].reshape(n, at.MOST_PLAYERS, at.COMPACT_SEAT)
        boards = torch.cat([plan, seats[:, :, 2:].reshape(n, -1)], 1).view(n, BLOCKS, K, at.PER_COMPACT_BOARD)
        codes, where = self._codes(boards)
        sums = torch.zeros(n * BLOCKS, CODE, device=seen.device).index_add(0, where // K, codes)
        sums = sums.view(n, BLOCKS, CODE) / 4
        others = self._opponents(sums, seats, players)
        begun = _begun(codes, where, kind, pending)
        table = self._table(seen, kind, pending, players, seats, boards)
        state = torch.cat([sums[:, 1], sums[:, 0], others.sum(1), begun, others.flatten(1), table], 1)
        state, plain = self._state(state)
        logits = self._logits(codes, where, state, plain, kind, players, acting.long())
        return logits, plain[:, 5]

    def _state(self, state: Tensor) -> tuple[Tensor, Tensor]:
        """Return the last wide layer, and the outputs that belong to no board and card."""
        state = F.relu(self.trunk1(state))
        state = state + F.relu(self.trunk2(state))
        state = state + F.relu(self.trunk3(state))
        with torch.autocast("cuda", enabled=False):  # values need more digits than bfloat16 has
            plain = self.plain(state.float())
        return state, plain

    def _codes(self, boards: Tensor) -> tuple[Tensor, Tensor]:
        """Return the codes of all boards, and their places."""
        flat = boards.view(-1, at.PER_COMPACT_BOARD)
        where = torch.nonzero(flat[:, 0])[:, 0]
        shown = flat.index_select(0, where)
        numbers = shown[:, :4].float()
        hunger = numbers[:, :1] - numbers[:, 1:2]
        bits = ((shown[:, 4:, None] >> self.bits) & 1).flatten(1)[:, : at.TRAITS + 2]
        slot, role = where % K, (where // K % BLOCKS).clamp(max=2)
        calls = F.pad(flat[:, 4 + spec.CALL // 8] >> spec.CALL % 8 & 1, (1, 1))
        left, right = calls[where] * (slot > 0), calls[where + 2] * (slot < K - 1)
        kind = torch.bfloat16 if torch.is_autocast_enabled("cuda") else torch.float32
        parts = [numbers / 7, hunger / 7, hunger <= 0, role[:, None] == self.roles, bits]
        parts += [left[:, None], right[:, None], (slot / K)[:, None]]
        features = torch.cat([part.to(kind) for part in parts], 1)
        features = F.pad(features, (0, spec.BOARD - features.shape[1]))
        return F.relu(self.board2(F.relu(self.board1(features)))).float(), where

    def _opponents(self, sums: Tensor, seats: Tensor, players: Tensor) -> Tensor:
        order = torch.arange(1, seats.shape[1], device=seats.device)
        there = (order < players[:, None]).float()
        extras = [seats[:, 1:, 0] / 8, seats[:, 1:, 1] / 10, there, (order / 8).expand(len(seats), -1)]
        return F.relu(self.seat(torch.cat([sums[:, 2:], torch.stack(extras, 2)], 2))) * there[:, :, None]

    def _logits(
        self, codes: Tensor, where: Tensor, state: Tensor, plain: Tensor, kind: Tensor, players: Tensor, acting: Tensor
    ) -> Tensor:
        n, device = len(state), state.device
        first = torch.arange(n, device=device) * (UNUSED + 1)
        # Actions without board and card: four while a player declares, one while it feeds.
        columns = torch.where(kind[:, None] == self.plain_kind, self.plain_action, UNUSED)
        places, values = [(first[:, None] + columns).flatten()], [plain[:, :5].flatten()]
        giving = torch.nonzero(kind == at.CARD)[:, 0]
        cards = self.card(state.index_select(0, giving)).float() @ self.card_facts
        places.append((first[giving, None] + torch.arange(at.CARDS, device=device)).flatten())
        values.append(cards.flatten())
        # Actions on boards
        row, role = where // (BLOCKS * K), (where // K % BLOCKS).clamp(max=2)
        deciding = torch.nonzero(self.deciding[role] == kind[row])[:, 0]
        where, row, role = where[deciding], row[deciding], role[deciding]
        block, slot = where // K % BLOCKS, where % K
        roles = self.role(state).float().view(n * 3, CODE)
        acts = F.relu(self.act1(codes.index_select(0, deciding)) + roles.index_select(0, row * 3 + role))
        attacked = (acting[row] + block - 1) % players[row]
        actions = self.act_base + self.act_step * slot[:, None] + self.act_seat * attacked[:, None]
        actions = torch.where(self.act_role == role[:, None], actions, UNUSED)
        places.append((first[row, None] + actions).flatten())
        values.append(self.act2(acts).float().flatten())
        logits = torch.zeros(n * (UNUSED + 1), device=device).scatter(0, torch.cat(places), torch.cat(values))
        return logits.view(n, -1)[:, :UNUSED]

    def _table(
        self, seen: Tensor, kind: Tensor, pending: Tensor, players: Tensor, seats: Tensor, boards: Tensor
    ) -> Tensor:
        number = seen[:, :10].float()
        on_board = torch.where(
            pending >= at.ON_BOARD, 2 + (pending - at.ON_BOARD) % at.PER_BOARD, pending - at.GIVE_FOOD
        )
        begun = F.one_hot(on_board.clamp(0, 7), 8).float() * (kind == at.CARD)[:, None]
        hunger = boards[..., 0].float().sum(2) - boards[..., 1].float().sum(2)
        numbers = torch.stack(
            [
                number[:, 4] / 10,
                number[:, 5] / 20,
                number[:, 6] / 122,
                number[:, 8] / 30,
                (seen[:, 9] != at.NO_CARD).float(),
                self.food_points[seen[:, 9].long()],
                seats[:, 0, 0].float() / 8,
                seats[:, 0, 1].float() / 10,
                seen[:, at.COMPACT_PLAN].float() / 8,
                hunger[:, 1] / 10,
                hunger[:, 0] / 10,
                hunger[:, 2:].sum(1) / 20,
            ],
            1,
        )
        hand = ((seen[:, at.COMPACT_HAND : at.COMPACT_PLAN, None] >> self.bits) & 1).flatten(1)[:, : at.CARDS].float()
        return torch.cat(
            [
                F.one_hot(kind, 5).float(),
                F.one_hot(players - 3, 6).float(),
                F.one_hot(seen[:, 7].long(), 8).float(),
                begun,
                numbers,
                hand,
                hand @ self.hand_facts,
            ],
            1,
        )


def _begun(codes: Tensor, where: Tensor, kind: Tensor, pending: Tensor) -> Tensor:
    """Return the codes of the boards that the first half of an answer names, or zeros."""
    n, device = len(kind), kind.device
    on_plan = (kind == at.CARD) & (pending >= at.ON_BOARD)
    index = torch.where(on_plan, (pending - at.ON_BOARD) // at.PER_BOARD, pending - at.ATTACK)
    known = (on_plan | (kind == at.TARGET)) & (index < K)
    place = torch.arange(n, device=device) * (BLOCKS * K) + torch.where(on_plan, 0, K) + index
    # Rows without such a board read some other board, each its own, because gradients for one board add up slowly.
    found = torch.searchsorted(where, torch.where(known, place, 0))
    found = torch.where(known, found, torch.arange(n, device=device) % max(1, len(where)))
    return codes.index_select(0, found) * known[:, None]


class FixedNet(Net):
    """The same network with shapes that depend on the number of rows alone.

    It computes every place for a board, with or without one, so that the host need not wait for the GPU, and the
    network can be compiled and recorded as one graph.  `Net` is faster in training, with gradients and tables of eight.
    Actions on boards that are not there get logits too; they are not legal.
    """

    def __init__(self, width: int = 512, players: int = at.MOST_PLAYERS) -> None:
        """Create the layers for tables with at most this many players; the weights do not depend on the number."""
        super().__init__(width)
        self.players = players
        roles = torch.arange(1 + players).clamp(max=spec.OTHER_ROLE)
        self.register_buffer("role_of", F.one_hot(roles, 3).float()[:, None].expand(-1, K, -1), persistent=False)
        self.register_buffer("slot_of", (torch.arange(K) / K)[:, None].expand(1 + players, -1, 1), persistent=False)

    def forward(self, seen: Tensor, acting: Tensor) -> tuple[Tensor, Tensor]:
        """Return the logits of all actions, legal or not, and the values."""
        n = len(seen)
        kind, pending, players = seen[:, 0].long(), seen[:, 2].long(), seen[:, 3].long()
        plan = seen[:, at.COMPACT_PLAN + 1 : at.COMPACT_SEATS].view(n, 1, -1)
        seats = seen[:, at.COMPACT_SEATS :].view(n, at.MOST_PLAYERS, at.COMPACT_SEAT)[:, : self.players]
        boards = torch.cat([plan, seats[:, :, 2:]], 1).view(n, 1 + self.players, K, at.PER_COMPACT_BOARD)
        codes = self._codes_of_all(boards)
        sums = codes.sum(2, dtype=torch.float32) / 4
        others = self._opponents(sums, seats, players)
        begun = _begun_of_all(codes, kind, pending)
        table = self._table(seen, kind, pending, players, seats, boards)
        others_of_eight = F.pad(others.flatten(1), (0, CODE * (at.MOST_PLAYERS - self.players)))
        state = torch.cat([sums[:, 1], sums[:, 0], others.sum(1), begun, others_of_eight, table], 1)
        state, plain = self._state(state)
        return self._logits_of_all(codes, state, plain, kind, players, acting.long()), plain[:, 5]

    def _codes_of_all(self, boards: Tensor) -> Tensor:
        """Return the codes of all boards by row, block and place; zeros where there is none."""
        numbers = boards[..., :4].float()
        hunger = numbers[..., :1] - numbers[..., 1:2]
        bits = ((boards[..., 4:, None] >> self.bits) & 1).flatten(3)[..., : at.TRAITS + 2]
        calls = boards[..., 4 + spec.CALL // 8] >> spec.CALL % 8 & 1
        around = F.pad(calls, (1, 1))
        kind = torch.bfloat16 if torch.is_autocast_enabled("cuda") else torch.float32
        roles, slots = (constant.expand(len(boards), -1, -1, -1) for constant in (self.role_of, self.slot_of))
        parts = [
            numbers / 7,
            hunger / 7,
            hunger <= 0,
            roles,
            bits,
            around[..., :-2, None],
            around[..., 2:, None],
            slots,
        ]
        features = torch.cat([part.to(kind) for part in parts], 3)
        features = F.pad(features, (0, spec.BOARD - features.shape[3]))
        codes = F.relu(self.board2(F.relu(self.board1(features))))
        return codes * (boards[..., :1] > 0)

    def _logits_of_all(
        self, codes: Tensor, state: Tensor, plain: Tensor, kind: Tensor, players: Tensor, acting: Tensor
    ) -> Tensor:
        n = len(state)
        roles = self.role(state).view(n, 3, 1, CODE)
        acts = self.act1(codes)
        on_plan, on_own, on_others = self.act2.weight.split([at.PER_BOARD, 2 + at.MOST_FAT, 1])
        of_plan, of_own, of_others = self.act2.bias.split([at.PER_BOARD, 2 + at.MOST_FAT, 1])
        plan = F.linear(F.relu(acts[:, 0] + roles[:, 0]), on_plan, of_plan).float()
        own = F.linear(F.relu(acts[:, 1] + roles[:, 1]), on_own, of_own).float()
        others = F.linear(F.relu(acts[:, 2:] + roles[:, 2:]), on_others, of_others).float()[..., 0]
        # An attacked seat is an opponent of the acting one, counted in turn order.
        seat = torch.arange(self.players, device=state.device)
        opponent = ((seat - acting[:, None]) % players[:, None] - 1).clamp(0, self.players - 2)
        others = others.gather(1, opponent[:, :, None].expand(-1, -1, K))
        beyond = at.MOST_BOARDS - K
        step = [plain[:, :4], plan.flatten(1)]
        card = [self.card(state).float() @ self.card_facts]
        feed = [
            plain[:, 4:5],
            F.pad(own[:, :, 0], (0, beyond)),
            F.pad(own[:, :, 1], (0, beyond)),
            own[:, :, 2:].flatten(1),
        ]
        target = [F.pad(others, (0, beyond)).flatten(1)]
        logits = torch.zeros(n, at.ACTIONS, device=state.device)
        for number, parts in ((at.STEP, step), (at.CARD, card), (at.FEED, feed), (at.TARGET, target)):
            some = torch.cat(parts, 1)
            logits = torch.where((kind == number)[:, None], F.pad(some, (0, at.ACTIONS - some.shape[1])), logits)
        return logits


def _begun_of_all(codes: Tensor, kind: Tensor, pending: Tensor) -> Tensor:
    """Return the codes of the boards that the first half of an answer names, or zeros."""
    on_plan = (kind == at.CARD) & (pending >= at.ON_BOARD)
    index = torch.where(on_plan, (pending - at.ON_BOARD) // at.PER_BOARD, pending - at.ATTACK)
    known = (on_plan | (kind == at.TARGET)) & (index < K)
    place = torch.where(known, torch.where(on_plan, 0, K) + index, 0)
    return codes.flatten(1, 2).gather(1, place[:, None, None].expand(-1, -1, CODE))[:, 0].float() * known[:, None]


def draw(logits: Tensor, masks: Tensor, best: bool = False) -> tuple[Tensor, Tensor]:
    """Return legal actions, drawn by their probabilities or the best, and the logarithms of those."""
    logits = logits.masked_fill(~masks, -1e9)
    noisy = logits if best else logits - torch.log(-torch.log(torch.rand_like(logits).clamp_(1e-9, 1 - 1e-7)))
    actions = noisy.argmax(1)
    return actions, torch.log_softmax(logits, 1).gather(1, actions[:, None])[:, 0]


def committed(masks: Tensor, seen: Tensor) -> Tensor:
    """Return the legal actions without restarts of declarations, except where nothing else is legal.

    A network that may take back its steps for nothing can learn never to finish.
    """
    restarts = torch.zeros_like(masks)
    restarts[:, at.RESTART] = (seen[:, 0] == at.STEP) & (masks.sum(1) > 1)
    return masks & ~restarts


def restart_costs(seen: Tensor, actions: Tensor) -> Tensor:
    """Return what each action costs: nothing, unless it restarts a declaration."""
    return RESTART_COST * ((seen[:, 0] == at.STEP) & (actions == at.RESTART))


class Rows:
    """The lineups of all rows: contiguous, because threads of a GPU should do the same."""

    def __init__(self, games: int, seed: int, shares: dict[int, float], sizes: dict[int, float]) -> None:
        rng = np.random.default_rng(seed)
        self.players: list[int] = []
        self.policies: list[dict[int, str]] = []
        self.kinds: list[int] = []
        self.seats: list[int] = []
        for kind, share in shares.items():
            for size, part in sizes.items():
                count = max(size, round(games * share * part))
                for number in range(count):
                    me = number * size // count
                    others = [seat for seat in range(size) if seat != me]
                    if kind in (GREEDY_ROWS, SILLY_ROWS):
                        policies = dict.fromkeys(others, "greedy" if kind == GREEDY_ROWS else "silly")
                    elif kind == MIXED_ROWS:
                        drawn = rng.choice(["greedy", "silly", ""], size - 1, p=[0.4, 0.2, 0.4])
                        policies = {seat: str(name) for seat, name in zip(others, drawn, strict=True) if name}
                    else:
                        policies = {}
                    self.players.append(size)
                    self.policies.append(policies)
                    self.kinds.append(kind)
                    self.seats.append(me)
        self.games = len(self.players)


def tensor(array: Any, device: str) -> Tensor:
    return torch.as_tensor(array, device=device)


def game_rewards(places: Tensor, scores: Tensor) -> tuple[Tensor, Tensor]:
    """Return the rewards by seat of games that are over, and the shares of the first place."""
    there = places > 0
    first = (places == 1).float()
    win = first / first.sum(1, keepdim=True).clamp(min=1)
    points = scores.float().masked_fill(~there, -1e6)
    top = points.topk(2, 1).values
    best_other = torch.where(points >= top[:, :1], top[:, 1:2], top[:, :1])
    return (win + 0.25 * torch.tanh((points - best_other) / 10)) * there, win


class Trainer:
    def __init__(self, options: argparse.Namespace) -> None:
        self.options = options
        self.device = options.device
        torch.manual_seed(options.seed)
        torch.backends.cuda.matmul.allow_tf32 = True
        torch.backends.cudnn.allow_tf32 = True
        self.net = Net(options.width).to(self.device)
        self.optimizer = torch.optim.Adam(self.net.parameters(), lr=options.rate, eps=1e-5, fused=self.device == "cuda")
        self.pool: list[dict[str, Tensor]] = []
        self.trained, self.iterations, self.samples = 0.0, 0, 0
        if Path(options.checkpoint).exists():
            self.load()
        elif options.against:
            self.net.load_state_dict(_weights(options.against, self.device))
        self.old = copy.deepcopy(self.net)
        if options.against:
            self.pool = [_weights(options.against, self.device)]
            self.rows = Rows(options.games, options.seed, {SELF_ROWS: 1.0}, {4: 1.0})
        else:
            self.rows = Rows(options.games, options.seed, SHARES, SIZES)
        started = time.time()
        self.batch = sim.Batch(
            "evolution",
            self.rows.players,
            games=self.rows.games,
            seed=options.seed + 1000 * self.iterations,
            policies=self.rows.policies,
            compact=True,
            device=self.device,
        )
        self.kinds = torch.tensor(self.rows.kinds, device=self.device)
        self.sizes = torch.tensor(self.rows.players, device=self.device)
        self.seats = torch.tensor(self.rows.seats, device=self.device)
        self.tail = slice(int((self.kinds < SELF_ROWS).sum()), None, 1 if options.against else 2)
        """The rows in which earlier versions play, or the network that is trained against."""
        self.by_old = torch.zeros(self.rows.games, 8, dtype=torch.bool, device=self.device)
        actions = tensor(self.batch.choose("random"), self.device)
        self.batch.step_unchecked(actions)
        self.seen = tensor(self.batch.observations, self.device)
        self.masks = tensor(self.batch.action_masks, self.device)
        self.acting = tensor(self.batch.acting_seats, self.device)
        self.ended = tensor(self.batch.ended, self.device)
        self.places = tensor(self.batch.final_places, self.device)
        self.scores = tensor(self.batch.final_scores, self.device)
        print(
            f"{sum(p.numel() for p in self.net.parameters())} weights, {self.rows.games} games, "
            f"compiled in {time.time() - started:.1f} s; trained {self.trained:.0f} s so far",
            flush=True,
        )

    def load(self) -> None:
        kept = torch.load(self.options.checkpoint, map_location=self.device, weights_only=True)
        self.net.load_state_dict(kept["net"])
        if "optimizer" in kept:
            self.optimizer.load_state_dict(kept["optimizer"])
        self.pool = kept["pool"]
        self.trained, self.iterations, self.samples = kept["trained"], kept["iterations"], kept["samples"]

    def save(self) -> None:
        kept = {
            "net": self.net.state_dict(),
            "optimizer": self.optimizer.state_dict(),
            "pool": self.pool,
            "trained": self.trained,
            "iterations": self.iterations,
            "samples": self.samples,
        }
        temporary = f"{self.options.checkpoint}.new"
        torch.save(kept, temporary)
        os.replace(temporary, self.options.checkpoint)

    def autocast(self) -> Any:
        return torch.autocast("cuda", torch.bfloat16, enabled=self.device == "cuda")

    @torch.no_grad()
    def play(self) -> dict[str, Tensor]:
        """Step all games and return what happened, by step and row."""
        steps, games = self.options.steps, self.rows.games
        new = lambda shape, dtype: torch.empty((steps, games, *shape), dtype=dtype, device=self.device)  # noqa: E731
        kept = {
            "seen": new((at.COMPACT,), torch.uint8),
            "masks": new((at.ACTIONS,), torch.bool),
            "acting": new((), torch.int8),
            "actions": new((), torch.int16),
            "logs": new((), torch.float32),
            "values": new((), torch.float32),
            "learns": new((), torch.bool),
            "ended": new((), torch.bool),
        }
        results: list[tuple[Tensor, Tensor]] = []
        tail = self.tail
        for step in range(steps):
            masks = committed(self.masks, self.seen) if self.options.against else self.masks
            with self.autocast():
                logits, values = self.net(self.seen, self.acting)
            actions, logs = draw(logits, masks)
            learns = torch.ones(games, dtype=torch.bool, device=self.device)
            if self.pool:
                with self.autocast():
                    old_logits, _ = self.old(self.seen[tail], self.acting[tail])
                old_actions, _ = draw(old_logits, masks[tail])
                by_old = self.by_old[tail].gather(1, self.acting[tail, None].long())[:, 0]
                actions[tail] = torch.where(by_old, old_actions, actions[tail])
                learns[tail] = ~by_old
            for name, value in (("seen", self.seen), ("masks", masks), ("acting", self.acting)):
                kept[name][step] = value
            kept["actions"][step], kept["logs"][step], kept["values"][step] = actions, logs, values
            kept["learns"][step] = learns
            self.batch.step_unchecked(actions.int())
            kept["ended"][step] = self.ended
            results.append((self.places.to(torch.int8), self.scores.to(torch.int16)))
        with self.autocast():
            _, last = self.net(self.seen, self.acting)
        kept["places"] = torch.stack([places for places, _ in results])
        kept["scores"] = torch.stack([scores for _, scores in results])
        kept["last"] = last
        return kept

    @torch.no_grad()
    def advantages(self, kept: dict[str, Tensor]) -> tuple[Tensor, Tensor, Tensor]:
        """Return advantages and returns by step and row, and which are known."""
        steps, games = kept["actions"].shape
        zeros = lambda: torch.zeros(games, 8, device=self.device)  # noqa: E731
        following, gained, reward, known = zeros(), zeros(), zeros(), zeros().bool()
        rows = torch.arange(games, device=self.device)
        now = self.acting.long()
        following[rows, now], known[rows, now] = kept["last"], True
        advantages = torch.zeros(steps, games, device=self.device)
        complete = torch.zeros(steps, games, dtype=torch.bool, device=self.device)
        width = kept["places"].shape[2]
        for step in reversed(range(steps)):
            ended = kept["ended"][step][:, None]
            rewards, _ = game_rewards(kept["places"][step], kept["scores"][step])
            reward = torch.where(ended, F.pad(rewards, (0, 8 - width)), reward)
            following, gained = following.masked_fill(ended, 0), gained.masked_fill(ended, 0)
            known = known | ended
            seat = kept["acting"][step].long()[:, None]
            value = kept["values"][step][:, None]
            error = reward.gather(1, seat) + following.gather(1, seat) - value
            if self.options.against:
                error = error - restart_costs(kept["seen"][step], kept["actions"][step])[:, None]
            total = (error + self.options.trace * gained.gather(1, seat)) * known.gather(1, seat)
            advantages[step], complete[step] = total[:, 0], known.gather(1, seat)[:, 0]
            following, gained = following.scatter(1, seat, value), gained.scatter(1, seat, total)
            reward, known = reward.scatter(1, seat, 0.0), known.scatter(1, seat, True)
        return advantages, advantages + kept["values"], complete & kept["learns"]

    def learn(self, kept: dict[str, Tensor]) -> dict[str, float]:
        options = self.options
        done = min(1.0, self.trained / options.total)
        for group in self.optimizer.param_groups:
            group["lr"] = options.rate * (1 - 0.95 * done)
        bonus = options.entropy * (1 - done) + 0.0005
        advantages, returns, usable = (array.flatten() for array in self.advantages(kept))
        chosen = torch.nonzero(usable)[:, 0]
        known = returns[chosen]
        explained = 1 - (advantages[chosen].var() / known.var()).item()
        mean, deviation = advantages[chosen].mean(), advantages[chosen].std() + 1e-6
        flat = {name: kept[name].flatten(0, 1) for name in ("seen", "masks", "acting", "actions", "logs")}
        size = min(options.minibatch, len(chosen))
        sums = torch.zeros(3, device=self.device)
        updates = 0
        for _ in range(options.epochs):
            shuffled = chosen[torch.randperm(len(chosen), device=self.device)]
            for start in range(0, len(shuffled) - size + 1, size):
                part = shuffled[start : start + size]
                with self.autocast():
                    logits, values = self.net(flat["seen"][part], flat["acting"][part])
                logits = torch.log_softmax(logits.masked_fill(~flat["masks"][part], -1e9), 1)
                logs = logits.gather(1, flat["actions"][part].long()[:, None])[:, 0]
                ratio = (logs - flat["logs"][part]).exp()
                better = (advantages[part] - mean) / deviation
                gain = torch.min(ratio * better, ratio.clamp(1 - options.clip, 1 + options.clip) * better).mean()
                entropy = -(logits.exp() * logits.clamp(min=-30)).sum(1).mean()
                loss = -gain + 0.5 * F.mse_loss(values, returns[part]) - bonus * entropy
                self.optimizer.zero_grad(set_to_none=True)
                loss.backward()
                nn.utils.clip_grad_norm_(self.net.parameters(), 0.5)
                self.optimizer.step()
                sums += torch.stack([(flat["logs"][part] - logs).mean(), entropy, loss]).detach()
                updates += 1
        self.samples += len(chosen)
        drift, entropy, _ = (sums / max(1, updates)).tolist()
        return {"explained": explained, "drift": drift, "entropy": entropy, "samples": len(chosen)}

    def wins(self, kept: dict[str, Tensor]) -> dict[str, Any]:
        """Return the shares of first places of the games that ended, by opponents and number of players."""
        found: dict[str, Any] = {}
        _, shares = game_rewards(kept["places"].flatten(0, 1), kept["scores"].flatten(0, 1))
        shares = shares.view(*kept["ended"].shape, -1)
        mine = shares.gather(2, self.seats.expand(len(shares), -1)[:, :, None])[:, :, 0]
        for kind, name in ((GREEDY_ROWS, "greedy"), (SILLY_ROWS, "silly"), (SELF_ROWS, "self")):
            for size in SIZES:
                rows = (self.kinds == kind) & (self.sizes == size)
                if not bool(rows.any()):
                    continue
                ended = kept["ended"][:, rows]
                found[f"{name}{size}"] = round((mine[:, rows] * ended).sum().item() / max(1, ended.sum().item()), 3)
        return found

    def refresh_pool(self) -> None:
        """Choose an earlier version for this iteration, and the seats that it plays."""
        if not self.pool:
            return
        number = int(torch.randint(len(self.pool), (1,)))
        self.old.load_state_dict({name: value.float() for name, value in self.pool[number].items()})

    def set_old_seats(self) -> None:
        share = 1.0 if self.options.against else 0.5
        by_old = torch.rand(self.rows.games, 8, device=self.device) < share
        rows = torch.arange(self.rows.games, device=self.device)
        by_old[rows, self.seats] = False
        self.by_old = by_old & (self.kinds == SELF_ROWS)[:, None]

    def train(self) -> None:
        options, log = self.options, []
        self.set_old_seats()
        begun = last_save = time.time()
        last_kept = self.trained
        while time.time() - begun < options.seconds:
            started = time.time()
            self.refresh_pool()
            kept = self.play()
            self.sync()
            played = time.time()
            facts = self.learn(kept)
            self.sync()
            self.iterations += 1
            now = time.time()
            self.trained += now - started
            if self.iterations <= 3 or self.iterations % options.report == 0:
                line = {
                    "iteration": self.iterations,
                    "trained": round(self.trained, 1),
                    "play": round(played - started, 3),
                    "learn": round(now - played, 3),
                    "total_samples_M": round(self.samples / 1e6, 1),
                    **{name: round(value, 4) for name, value in facts.items()},
                    **self.wins(kept),
                }
                log.append(line)
                print(json.dumps(line), flush=True)
            del kept
            if self.trained - last_kept > options.snapshot and not options.against:
                last_kept = self.trained
                self.pool.append({name: value.half() for name, value in self.net.state_dict().items()})
                if len(self.pool) > 6:
                    del self.pool[int(torch.randint(len(self.pool) - 1, (1,)))]
            if time.time() - last_save > 60:
                self.save()
                last_save = time.time()
        self.save()

    def sync(self) -> None:
        if self.device == "cuda":
            torch.cuda.synchronize()


def _weights(checkpoint: str, device: str) -> dict[str, Tensor]:
    kept: dict[str, Tensor] = torch.load(checkpoint, map_location=device, weights_only=True)["net"]
    return kept


def _network(checkpoint: str, options: argparse.Namespace) -> Net:
    net = Net(options.width).to(options.device)
    net.load_state_dict(_weights(checkpoint, options.device))
    return net


@torch.no_grad()
def evaluate(options: argparse.Namespace) -> None:
    """Print the shares of first places against compiled players or other networks, over each row's first game."""
    net = _network(options.checkpoint, options)
    for opponent in options.opponents:
        other = _network(opponent, options) if Path(opponent).exists() else None
        for size in options.sizes:
            seats = [row * size // options.games for row in range(options.games)]
            policies = [{seat: opponent for seat in range(size) if seat != me and other is None} for me in seats]
            batch = sim.Batch(
                "evolution", size, games=options.games, seed=options.seed + size, policies=policies, compact=True,
                device=options.device,
            )  # fmt: skip
            seen, masks = (tensor(array, options.device) for array in (batch.observations, batch.action_masks))
            acting, ended = (tensor(array, options.device) for array in (batch.acting_seats, batch.ended))
            places, scores = (tensor(array, options.device) for array in (batch.final_places, batch.final_scores))
            fresh = torch.ones(options.games, dtype=torch.bool, device=options.device)
            won = torch.zeros(options.games, device=options.device)
            me = torch.tensor(seats, device=options.device)
            for step in range(LONGEST):
                with torch.autocast("cuda", torch.bfloat16, enabled=options.device == "cuda"):
                    logits, _ = net(seen, acting)
                    if other:
                        logits = torch.where((acting == me)[:, None], logits, other(seen, acting)[0])
                actions, _ = draw(logits, committed(masks, seen) if other else masks, options.best)
                batch.step_unchecked(actions.int())
                _, shares = game_rewards(places, scores)
                won = torch.where(ended & fresh, shares.gather(1, me[:, None])[:, 0], won)
                fresh = fresh & ~ended
                if step % 16 == 15 and not bool(fresh.any()):
                    break
            share, unfinished = won.mean().item(), int(fresh.sum())
            error = (share * (1 - share) / options.games) ** 0.5
            print(
                f"{size} players, others {opponent}: {share:.1%} ± {error:.1%} first places, {options.games} games"
                + (f", {unfinished} of them not finished after {LONGEST} actions" if unfinished else ""),
                flush=True,
            )


@torch.no_grad()
def measure_speed(options: argparse.Namespace) -> None:
    """Print how many actions per second the network takes in self-play at tables of four."""
    net = FixedNet(options.width, players=4).to(options.device)
    batch = sim.Batch("evolution", 4, games=options.games, seed=options.seed, compact=True, device=options.device)
    batch.step_unchecked(batch.choose("random"))  # from now on, all arrays stay where they are
    seen, masks = (tensor(array, options.device) for array in (batch.observations, batch.action_masks))
    acting = tensor(batch.acting_seats, options.device)

    def decide() -> Tensor:
        with torch.autocast("cuda", torch.bfloat16, enabled=options.device == "cuda", cache_enabled=False):
            logits, _ = net(seen, acting)
        return draw(logits, masks)[0].int()

    if options.device == "cuda":
        decide = _recorded(torch.compile(decide))

    def play(steps: int) -> None:
        for _ in range(steps):
            batch.step_unchecked(decide())
        if options.device == "cuda":
            torch.cuda.synchronize()

    play(20)
    started = time.time()
    play(options.steps)
    speed = options.games * options.steps / (time.time() - started)
    weights = sum(p.numel() for p in net.parameters())
    print(f"{speed:,.0f} actions per second, {options.games} games, {weights:,} weights")


def _recorded(decide: Callable[[], Tensor]) -> Callable[[], Tensor]:
    """Record the operations on the GPU as a graph, and return a function that replays it with one launch."""
    stream = torch.cuda.Stream()
    stream.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(stream):  # compiles, and allocates what the operations need
        for _ in range(3):
            decide()
    torch.cuda.current_stream().wait_stream(stream)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        actions = decide()

    def replay() -> Tensor:
        graph.replay()
        return actions

    return replay


def export(options: argparse.Namespace) -> None:
    """Write the weights in half precision."""
    kept = torch.load(options.checkpoint, map_location="cpu", weights_only=True)["net"]
    np.savez_compressed(options.to, **{name: value.half().numpy() for name, value in kept.items()})


def main() -> None:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    commands = parser.add_subparsers(required=True)
    common = argparse.ArgumentParser(add_help=False)
    common.add_argument("--checkpoint", default="champion.pt")
    common.add_argument("--device", default="cuda" if torch.cuda.is_available() else "cpu")
    common.add_argument("--width", type=int, default=512)
    common.add_argument("--seed", type=int, default=1)
    train = commands.add_parser("train", parents=[common])
    train.add_argument("--against", help="checkpoint of a network that plays all other seats, at tables of four")
    train.add_argument("--seconds", type=float, default=540, help="of this run")
    train.add_argument("--total", type=float, default=1500, help="seconds of all runs, for the learning rate")
    train.add_argument("--games", type=int, default=131072)
    train.add_argument("--steps", type=int, default=32)
    train.add_argument("--epochs", type=int, default=2)
    train.add_argument("--minibatch", type=int, default=131072)
    train.add_argument("--rate", type=float, default=1e-3)
    train.add_argument("--clip", type=float, default=0.2)
    train.add_argument("--entropy", type=float, default=0.01)
    train.add_argument("--trace", type=float, default=0.97)
    train.add_argument("--snapshot", type=float, default=60, help="seconds between versions for the pool")
    train.add_argument("--report", type=int, default=10, help="iterations between lines of the log")
    train.set_defaults(run=lambda options: Trainer(options).train())
    test = commands.add_parser("evaluate", parents=[common])
    test.add_argument("--games", type=int, default=2000)
    test.add_argument("--opponents", nargs="*", default=["greedy"], help="compiled players, or checkpoints")
    test.add_argument("--sizes", nargs="*", type=int, default=[3, 4, 5, 8])
    test.add_argument("--best", action="store_true", help="take the best action instead of drawing one")
    test.set_defaults(run=evaluate)
    speed = commands.add_parser("speed", parents=[common])
    speed.add_argument("--games", type=int, default=65536)
    speed.add_argument("--steps", type=int, default=60)
    speed.set_defaults(run=measure_speed)
    write = commands.add_parser("export", parents=[common])
    write.add_argument("--to", required=True)
    write.set_defaults(run=export)
    options = parser.parse_args()
    options.run(options)


if __name__ == "__main__":
    main()
