"""The feeding rounds: whose turn it is to feed, what the dealer does without asking, when they end."""

from __future__ import annotations

from collections.abc import Sequence

from wateringhole.errors import OperationError
from wateringhole.games.evolution.rules import events
from wateringhole.games.evolution.rules.answers import AttackSpecies, Feeding, FeedPlants, Pass, StoreFat
from wateringhole.games.evolution.rules.hooks import Hooks
from wateringhole.games.evolution.rules.requests import FeedNext, feedings, offered
from wateringhole.games.evolution.rules.state import GameState, PlayerState

__all__ = ["FeedingRounds"]

MOST_FEEDINGS = 10_000
"""The most feedings in a turn: far more than eight players can make unless custom traits undo them."""


class FeedingRounds:
    """A queue of players, each of whom makes one feeding at a time."""

    __slots__ = ("_carried_out", "_idle", "_queue", "_state", "_turn")

    _queue: list[PlayerState]
    """The players that still feed this turn, the next one first."""
    _idle: int
    """The number of players in direct succession that could feed nothing, or skipped."""
    _carried_out: int
    """The number of feedings so far, counted only with custom traits."""

    def __init__(self, state: GameState, turn: int) -> None:
        self._state = state
        self._turn = turn
        self._queue = state.players.copy()
        self._idle = 0
        self._carried_out = 0

    def copy(self, state: GameState) -> FeedingRounds:
        """Return the same rounds for a copy of the state."""
        other = FeedingRounds(state, self._turn)
        other._queue = [state.player(player.seat) for player in self._queue]
        other._idle = self._idle
        other._carried_out = self._carried_out
        return other

    @property
    def are_over(self) -> bool:
        """True if no food is left, or no player in the queue can use it."""
        return self._state.hole == 0 or self._idle >= len(self._queue)

    def next_request(self) -> FeedNext | None:
        """Continue until a player has a choice, and return its request, or None if the rounds are over."""
        while not self.are_over:
            request = self.step()
            if request:
                return request
        return None

    def step(self) -> FeedNext | None:
        """Serve the front player.  Return a request if it has a choice, otherwise feed it and return None.

        The caller checks that the rounds are not over (`are_over`).
        """
        player, rules = self._queue[0], self._state.rules
        options = self._feedings_of(player)
        if not options:
            self._queue.pop(0)
            if rules.idle_players == "stay":
                self._queue.append(player)
                self._idle += 1
            return None
        if rules.own_attacks and not self._keeps_rounds_going(player, options):
            self._queue.clear()
            return None
        if len(options) == 1 and rules.auto_feed and not _is_own_attack(player, options[0]):
            self._carry_out(player, options[0])
            return None
        view = self._state.view(player.seat, self._turn)
        return FeedNext(view, offered(options, self._state.hole, rules), self._state.hooks)

    def take(self, answer: Feeding) -> None:
        """Carry out the front player's answer, which its request has accepted."""
        player = self._queue[0]
        if type(answer) is not Pass:
            self._carry_out(player, answer)
            return
        self._state.emit(events.PlayerPassed, player.seat)
        self._queue.pop(0)
        if self._state.rules.false_reply == "skip":
            self._queue.append(player)
            self._idle += 1

    def throw_out(self, player: PlayerState) -> None:
        """Remove a player.  The others may have new options, so all of them count as not idle."""
        if player in self._queue:
            self._queue.remove(player)
        self._idle = 0

    def _carry_out(self, player: PlayerState, feeding: Feeding) -> None:
        state = self._state
        if state.hooks:
            self._count(state.hooks)
        if type(feeding) is FeedPlants:
            state.feed(player, feeding.board, "plants")
        elif type(feeding) is StoreFat:
            state.store_fat(player, feeding.board, feeding.tokens)
        elif type(feeding) is AttackSpecies:
            state.attack(player, feeding.board, state.player(feeding.seat), feeding.target)
        self._queue.append(self._queue.pop(0))
        self._idle = 0

    def _count(self, hooks: Hooks) -> None:
        """Count a feeding.  Without custom traits, every feeding adds food to a board that has room for it."""
        self._carried_out += 1
        if self._carried_out > MOST_FEEDINGS:
            raise OperationError(
                f"{hooks.file}: turn {self._turn} does not end: there were {MOST_FEEDINGS} feedings. "
                "A trait must not make species hungry again and again."
            )

    def _feedings_of(self, player: PlayerState) -> list[Feeding]:
        rules = self._state.rules
        targets = [(other.seat, other.boards) for other in self._state.others(player)]
        if rules.own_attacks:
            targets.append((player.seat, player.boards))
        return feedings(player.boards, targets, rules, self._state.hooks)

    def _keeps_rounds_going(self, player: PlayerState, options: Sequence[Feeding]) -> bool:
        """Return False if the only options are attacks on own boards and no other player can feed anything."""
        return not all(_is_own_attack(player, option) for option in options) or any(
            not _is_own_attack(other, option)
            for other in self._queue
            if other is not player
            for option in self._feedings_of(other)
        )


def _is_own_attack(player: PlayerState, option: Feeding) -> bool:
    return type(option) is AttackSpecies and option.seat == player.seat
