"""The referee and the compiled engine side by side: the same game, compared at every decision.

A disagreement contains a record: the setup and the actions so far.  `replay(record)` plays it in
both engines again.
"""

from __future__ import annotations

import functools
import json
import operator
import random
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from tests.games.evolution.compiled import calls
from wateringhole.game import Seat
from wateringhole.games.evolution import (
    CARDS,
    Dealer,
    DeclareCards,
    Draft,
    Feeding,
    FeedNext,
    Pass,
    Rules,
    Setup,
    SpeciesBoard,
    Step,
    StoreFat,
    Trait,
)
from wateringhole.games.evolution.bots.player import Player
from wateringhole.games.evolution.compiled import layout
from wateringhole.games.evolution.compiled.options import setup as compiled_setup
from wateringhole.games.evolution.compiled.translate import (
    State,
    board_to_word,
    cards_to_bits,
    feeding_to_actions,
    put_deck,
    seat_place,
    step_to_actions,
)
from wateringhole.games.evolution.rules import codec
from wateringhole.games.evolution.rules.state import PlayerState

Taken = Step | Feeding | Literal["done", "restart"]
"""What an action means to the referee."""

Chooser = Callable[["SideBySide", Sequence[int]], int]
"""A function that returns one of the legal actions of a decision."""

word_of = functools.lru_cache(maxsize=1 << 16)(board_to_word)


class Disagreement(AssertionError):
    """A difference between the two engines."""


class SideBySide:
    """One game in both engines."""

    def __init__(self, setup: Setup, rows: Mapping[Seat, Sequence[SpeciesBoard]] | None = None) -> None:
        """Start a game; with `rows`, players have these boards before the first player is asked."""
        self.setup = setup
        self.actions: list[int] = []
        """The actions so far."""
        self.decisions = 0
        self.draft: Draft | None = None
        """The draft of the referee's player so far, or None if it is asked to feed."""
        self.dealer = Dealer(setup, emit=False)
        self.state: State = np.zeros(layout.STATE, layout.DTYPE)
        self._mask = np.zeros(layout.ACTIONS, np.uint8)
        self._options: dict[tuple[int, ...], Taken] = {}
        """The legal answers, by their actions: one, or two halves."""
        self._begun: tuple[int, ...] = ()
        """The first half of an answer."""
        self._compared: object = None
        """The request whose state was compared in full; `_before` is the compiled state at that time."""
        self._before = self.state
        put_deck(self.state, setup.deck)
        calls.open_game(self.state, compiled_setup(setup.rules, setup.players), setup.order[0])
        for seat, row in (rows or {}).items():
            self._lay_out(seat, row)
        self._look(-1)
        self._ask()

    def _lay_out(self, seat: Seat, row: Sequence[SpeciesBoard]) -> None:
        self.dealer.state.player(seat).boards = list(row)
        self.dealer._request = None
        self.dealer._continue()
        base = seat_place(seat)
        self.state[base : base + len(row)] = [word_of(board) for board in row]
        self.state[base + layout.COUNT] = len(row)

    @property
    def is_over(self) -> bool:
        return self.dealer.outcome is not None or self.ran_out_of_cards

    @property
    def ran_out_of_cards(self) -> bool:
        """True if a player must choose without cards: the referee would throw it out, and the kernels stop."""
        return isinstance(self.dealer._request, DeclareCards) and not all(
            player.hand for player in self.dealer.state.players
        )

    @property
    def request(self) -> DeclareCards | FeedNext:
        request = self.dealer._request
        assert isinstance(request, DeclareCards | FeedNext)
        return request

    @property
    def halfway(self) -> int | None:
        """The first half of the current answer."""
        return self._begun[0] if self._begun else None

    def take(self, action: int) -> None:
        """Apply the same action in both engines, then compare them."""
        self.actions.append(action)
        self._look(action)
        self._begun += (action,)
        if self._begun in self._options:
            self.decisions += 1
            taken, self._begun = self._options[self._begun], ()
            self._carry_out(taken)
            self._ask()
        else:
            self.compare()

    def take_as(self, policy: str, player: Player) -> None:
        """Apply the actions of a compiled player for a complete answer, which must equal the referee's player's."""
        request = self.request
        if isinstance(request, FeedNext):
            for action in feeding_to_actions(request.ask(player), request.view.hole):
                self._same(f"the feeding of {policy}", self._chosen_by(policy), action)
                self.take(action)
            return
        meant = request.finished(request.ask(player))
        assert isinstance(meant, Draft)
        assert self.draft is not None
        while (action := self._chosen_by(policy)) != layout.DONE or self._begun:
            self.take(action)
        found = [(*map(word_of, draft.boards), *draft.hand_left(), draft.food_card()) for draft in (self.draft, meant)]
        self._same(f"the declaration of {policy}", found[0], found[1])
        self.take(layout.DONE)

    def _chosen_by(self, policy: str) -> int:
        return calls.choose(self.state, layout.POLICIES[policy], 0, len(self.actions))

    def _look(self, action: int) -> None:
        """Apply an action in the compiled engine, and read its next decision."""
        self._acting, self._decision_type = calls.take(self.state, action, self._mask)
        self.legal: list[int] = np.flatnonzero(self._mask).tolist()
        """The legal actions of the compiled engine."""

    def _ask(self) -> None:
        if self.is_over:
            self._options = {}
        elif isinstance(request := self.request, DeclareCards):
            self.draft = self.draft or request.draft()
            self._options = steps_of(self.draft)
        else:
            self._options = feedings_of(request)
        self.compare()

    def _carry_out(self, taken: Taken) -> None:
        if self.draft is None:
            self.dealer.advance({self.request.seat: taken})  # type: ignore[dict-item]
        elif taken == "done":
            declaration, self.draft = self.draft.declaration(), None
            self.dealer.advance({self.request.seat: declaration})
        elif taken == "restart":
            self.draft = Draft(self.draft.hand, self.draft.row, self.draft.rules)
        else:
            assert self.draft.add(taken) is None  # type: ignore[arg-type]

    # Comparing

    def compare(self) -> None:
        """Compare the acting seat, the legal actions and the state."""
        if self.ran_out_of_cards:
            self._same("acting seat", self._acting, -1)
            self._same("overflow", int(self.state[layout.OVERFLOWED]), 1)
            return
        if self.is_over:
            self._same("acting seat", self._acting, -1)
            self._same("decision type", self._decision_type, layout.NOTHING)
            self._compare_outcome()
        else:
            self._same("acting seat", self._acting, self.request.seat)
            halves = (layout.STEP, layout.CARD) if self.draft else (layout.FEED, layout.TARGET)
            self._same("decision type", self._decision_type, halves[len(self._begun)])
        depth = len(self._begun)
        expected = {actions[depth] for actions in self._options if actions[:depth] == self._begun}
        self._same("legal actions", set(self.legal), expected)
        self._compare_state()

    def _compare_state(self) -> None:
        words = self.state.tolist()
        self._same("decisions", words[layout.DECISIONS], self.decisions)
        if self.draft and self._compared is self.request:
            # The referee's state has not changed since the last comparison, so of the compiled state only the
            # draft may have changed.
            self._compare_player(words, self.dealer.state.player(self.request.seat), self.draft)
            changed = np.flatnonzero(self._without_draft() != self._before).tolist()
            self._same("words that changed outside of the draft", changed, [])
            return
        table = self.dealer.state
        deck = self.state[layout.DECK : layout.SEATS].view(np.uint8)
        left = deck[words[layout.FRONT] : words[layout.END]].tolist()
        self._same("deck", left, [card.rank for card in table.deck[table._next :]])
        self._same("watering hole", words[layout.HOLE], table.hole)
        self._same("turn", words[layout.TURN], self.dealer.turn)
        self._same("starting player", words[layout.FIRST], table.players[0].seat)
        for player in table.players:
            asked = self.draft is not None and player.seat == self.request.seat
            self._compare_player(words, player, self.draft if asked else self.dealer._declared.get(player.seat))
        if self.draft:
            self._compared, self._before = self.request, self._without_draft()

    def _without_draft(self) -> State:
        """Return the compiled state without the draft of the player who is asked."""
        rest = self.state.copy()
        base = seat_place(self.request.seat)
        rest[base : base + layout.SEAT] = 0
        rest[layout.ASKED : layout.DECK] = 0
        rest[[layout.PENDING, layout.DECISIONS, layout.EQUALS, layout.TRAITS_LAID]] = 0
        return rest

    def _compare_player(self, words: list[int], player: PlayerState, draft: Draft | None) -> None:
        base = seat_place(player.seat)
        compiled = self._compiled_player(words[base : base + layout.SEAT], draft is not None)
        referee: tuple[object, ...] = [word_of(board) for board in player.boards], player.bag
        if draft is None:
            referee += (cards_to_bits(player.hand),)
        else:
            food = layout.NO_CARD if draft.food is None else draft.food_card().rank
            plan = [word_of(board) for board in draft.boards]
            referee += (cards_to_bits(draft.hand_left()), len(player.hand), food, plan)
        if compiled != referee:
            self._same(f"row, bag, hand and draft of seat {player.seat}", compiled, referee)

    def _compiled_player(self, block: list[int], drafted: bool) -> tuple[object, ...]:
        row = block[: block[layout.COUNT]]
        first, second, third, fourth = block[layout.HAND :]
        hand = first | second << 32 | third << 64 | fourth << 96
        if not drafted:
            return row, block[layout.BAG], hand
        kept = block[layout.KEPT]
        plan = row[:kept] + block[layout.PLAN + kept : layout.PLAN + block[layout.PLANNED]]
        return row, block[layout.BAG], hand, block[layout.SHOWN], block[layout.FOOD_CARD], plan

    def _compare_outcome(self) -> None:
        outcome = self.dealer.outcome
        assert outcome is not None
        results = [calls.result(self.state, seat) for seat in range(self.setup.players)]
        ranking = sorted(range(self.setup.players), key=lambda seat: results[seat][2])
        found = [(seat, results[seat][1], results[seat][0]) for seat in ranking]
        self._same("ranking", found, [(line.seat, line.place, line.score) for line in outcome.ranking])
        winner = self.dealer.state.player(outcome.ranking[0].seat)
        traits = functools.reduce(operator.or_, [word_of(board) for board in winner.boards], 0)
        self._same("traits of the winner", calls.winning(self.state), traits & layout.TRAIT_BITS)
        self._same("overflow", int(self.state[layout.OVERFLOWED]), 0)

    def _same(self, what: str, compiled: object, referee: object) -> None:
        if compiled != referee:
            raise Disagreement(
                f"{what}: {compiled} in the compiled engine, {referee} in the referee\n"
                f"after {len(self.actions)} actions of this record, which replays in both:\n{self.record()}"
            )

    def record(self) -> str:
        return json.dumps({"setup": codec.setup_to_json(self.setup), "actions": self.actions})


def steps_of(draft: Draft) -> dict[tuple[int, ...], Taken]:
    options: dict[tuple[int, ...], Taken] = {
        step_to_actions(step, draft.hand, draft.row): step for step in draft.steps()
    }
    if draft.check_complete() is None:
        options[(layout.DONE,)] = "done"
    elif not options:
        options[(layout.RESTART,)] = "restart"
    return options


def feedings_of(request: FeedNext) -> dict[tuple[int, ...], Taken]:
    hole = request.view.hole
    options: dict[tuple[int, ...], Taken] = {}
    if request.rules.false_reply != "cheat":
        options[(layout.DECLINE,)] = Pass()
    for option in request.options:
        most = min(option.tokens, hole) if isinstance(option, StoreFat) else 1
        for tokens in range(1, most + 1):
            feeding = StoreFat(option.board, tokens) if isinstance(option, StoreFat) else option
            options[feeding_to_actions(feeding, hole)] = feeding
    return options


# Games


def random_setup(rng: random.Random, rules: Rules | None = None) -> Setup:
    """Return a setup with a random number of players, starting player and deck."""
    players = rng.randint(3, 8)
    first = rng.randrange(players)
    order = tuple(Seat((first + place) % players) for place in range(players))
    deck = rng.sample(CARDS, rng.choice((len(CARDS), rng.randint(4 * players, len(CARDS)))))
    return Setup(players, rules or Rules(), order, tuple(deck), 0)


def random_rows(rng: random.Random, players: int) -> dict[Seat, list[SpeciesBoard]]:
    """Return boards as late in a game, many of them carnivores."""
    rows = {}
    for seat in range(players):
        row = []
        for _ in range(rng.randint(1, 4)):
            traits = rng.sample(sorted(set(Trait) - {Trait.CARNIVORE}), rng.randint(0, 2))
            traits += [Trait.CARNIVORE] * (rng.random() < 0.5)
            body = rng.randint(0, 7)
            row.append(SpeciesBoard(rng.randint(1, 7), body, 0, tuple(traits), rng.randint(0, body)))
        rows[Seat(seat)] = row
    return rows


def chance(rng: random.Random) -> Chooser:
    """Return a chooser of random legal actions that gives enough food for feedings."""
    stops = rng.choice((0.02, 0.1, 0.3))
    declines = rng.choice((0.0, 0.1, 0.4))
    generous = rng.random()
    fierce = rng.choice((0.0, 0.3, 0.8))

    def choose(game: SideBySide, legal: Sequence[int]) -> int:
        if game.halfway == layout.GIVE_FOOD and rng.random() < generous:
            return max(legal, key=lambda card: CARDS[card].points)
        if game.draft and game.halfway is not None and rng.random() < fierce:
            hunters = [card for card in legal if CARDS[card].trait is Trait.CARNIVORE]
            lays = (game.halfway - layout.ON_BOARD) % layout.PER_BOARD >= layout.LAY_TRAIT
            return rng.choice(hunters if hunters and lays else legal)
        if game.halfway is None:
            last = layout.DONE if game.draft else layout.DECLINE
            if last in legal and rng.random() < (stops if game.draft else declines):
                return last
        return rng.choice([action for action in legal if action != 0] or [0])

    return choose


def play(game: SideBySide, choose: Chooser) -> SideBySide:
    while not game.is_over:
        game.take(choose(game, game.legal))
    return game


def replay(record: str) -> SideBySide:
    """Play a record in both engines."""
    fields: dict[str, Any] = json.loads(record)
    game = SideBySide(codec.setup_from_json(fields["setup"]))
    for action in fields["actions"]:
        game.take(action)
    return game
