"""The dealer: the state machine that runs a game of Evolution.

::

     BOARDS AND CARDS ──► CHOOSING ──► REVEAL ──► FEEDING ──► END OF TURN ─┐
        ▲                asks everyone          asks players               │
        │                in turn order          with a choice              │
        └──────────────────────────────── rotate ◄─────────────────────────┘

The dealer stops only when a player has a decision to make; it then holds one request.
Between requests everything follows from the rules.  A player that forfeits is thrown out at
once, at any point of the game.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from msgspec import UNSET

from wateringhole.errors import OperationError
from wateringhole.game import Emit, Event, Forfeit, Outcome, Seat, Standing, ThrownOut, Violation, violation_of
from wateringhole.games.evolution.rules import events
from wateringhole.games.evolution.rules.answers import BoardOrder, Declaration, Feeding
from wateringhole.games.evolution.rules.draft import Draft
from wateringhole.games.evolution.rules.feeding import FeedingRounds
from wateringhole.games.evolution.rules.options import CARDS_PER_TURN
from wateringhole.games.evolution.rules.requests import ArrangeBoards, DeclareCards, EvolutionRequest, FeedNext
from wateringhole.games.evolution.rules.setup import Setup
from wateringhole.games.evolution.rules.state import GameState, PlayerState
from wateringhole.games.evolution.rules.view import SeatedPlayer, View

__all__ = ["Dealer"]


class Dealer:
    """A game of Evolution (see `wateringhole.game.Game`)."""

    __slots__ = (
        "_arranged",
        "_declared",
        "_feeding",
        "_opening",
        "_request",
        "_seated",
        "_thrown_out",
        "outcome",
        "state",
        "turn",
    )

    state: GameState
    turn: int
    """Counted from 1."""
    outcome: Outcome | None
    _request: EvolutionRequest | None
    _arranged: bool
    """True if the player that is choosing cards has already arranged its boards."""
    _declared: dict[Seat, Draft]
    _seated: tuple[SeatedPlayer, ...]
    """The players as all others see them, the same for all who choose cards; empty if it is not known."""
    _feeding: FeedingRounds | None
    """None while players choose their cards."""
    _thrown_out: list[ThrownOut]

    def __init__(self, setup: Setup, *, emit: Emit = True) -> None:
        players = [PlayerState(seat) for seat in setup.order]
        if setup.rules.custom_traits is not UNSET and setup.hooks is None:
            raise OperationError(
                f"the game has custom traits, and their file, with the digest {setup.rules.custom_traits.digest}, "
                "was not given. Give it with --traits FILE."
            )
        self.state = GameState(setup.rules, players, deck=setup.deck, seed=setup.seed, emit=emit, hooks=setup.hooks)
        self.turn = 0
        self.outcome = None
        self._request = None
        self._arranged = False
        self._declared = {}
        self._seated = ()
        self._feeding = None
        self._thrown_out = []
        self.state.emit(events.GameStarted, setup.rules, setup.order, len(setup.deck))
        self._start_turn()
        self._continue()
        self._opening = self._take_events()

    # The interface of a game

    @property
    def opening(self) -> Sequence[Event]:
        return self._opening

    @property
    def requests(self) -> Mapping[Seat, EvolutionRequest]:
        return {self._request.seat: self._request} if self._request else {}

    @property
    def upcoming(self) -> Sequence[EvolutionRequest]:
        """Requests of the players that choose next, up to the first that arranges its row, which the others see."""
        asked = self._request
        if not isinstance(asked, DeclareCards):
            return ()
        upcoming: list[EvolutionRequest] = []
        for player in self.state.players:
            if player.seat not in self._declared and player.seat != asked.seat:
                upcoming.append(self._choice_of(player, arranged=False))
                if isinstance(upcoming[-1], ArrangeBoards):
                    break
        return upcoming

    def advance(self, answers: Mapping[Seat, BoardOrder | Declaration | Feeding | Forfeit]) -> Sequence[Event]:
        if len(answers) > 1:
            self._check_all_forfeit(answers)
        for seat, answer in answers.items():
            if type(answer) is Forfeit:
                self._throw_out(seat, answer)
            else:
                self._take(seat, answer)
        self._request = None
        self._continue()
        return self._take_events()

    def view(self, seat: Seat | None) -> View:
        return self.state.view(seat, self.turn)

    def copy(self, *, emit: bool = True) -> Dealer:
        other: Dealer = object.__new__(Dealer)
        other.state = self.state.copy(emit)
        other.turn = self.turn
        other.outcome = self.outcome
        other._request = self._request
        other._arranged = self._arranged
        other._declared = self._declared.copy()
        other._seated = self._seated
        other._feeding = self._feeding.copy(other.state) if self._feeding else None
        other._thrown_out = self._thrown_out.copy()
        other._opening = ()
        return other

    # A turn

    def _continue(self) -> None:
        """Run to the next request or to the end of the game."""
        while self._request is None and self.outcome is None:
            if len(self.state.players) < self.state.rules.minimum_to_continue:
                self._end("too few players are left" if self.state.players else "nobody is left")
            elif self._feeding is None:
                self._ask_next_to_choose()
            else:
                self._request = self._feeding.next_request()
                if self._request is None:
                    self._end_turn()

    def _start_turn(self) -> None:
        state = self.state
        if state.cards_left() < self._cards_needed():
            self._end("the deck is too small for another turn")
            return
        if self.turn == state.rules.most_turns:
            self._end(f"turn {self.turn} was the last one allowed")
            return
        self.turn += 1
        state.emit(events.TurnStarted, self.turn, self._order())
        for player in state.players:
            if not player.boards:
                state.give_board(player)
        for player in state.players:
            state.draw(player, CARDS_PER_TURN + len(player.boards), "turn")
        if events.YourTurnStarts in state.emits:
            self._seated = state.seated_players()
            for player in state.players:
                view = state.view(player.seat, self.turn, self._seated)
                state.emit(events.YourTurnStarts, player.seat, view)

    def _cards_needed(self) -> int:
        """Return the number of cards for the next deal; an empty row first gets a board, which earns a card too."""
        free = 1 if self.state.rules.game_end_counts_free_board else 0
        return sum([CARDS_PER_TURN + (len(player.boards) or free) for player in self.state.players])

    def _ask_next_to_choose(self) -> None:
        for player in self.state.players:
            if player.seat not in self._declared:
                self._request = self._choice_of(player, self._arranged)
                return
        self.state.reveal(self._declared)
        self._seated = ()
        self._declared = {}
        self._feeding = FeedingRounds(self.state, self.turn)

    def _choice_of(self, player: PlayerState, arranged: bool) -> ArrangeBoards | DeclareCards:
        if not self._seated:
            self._seated = self.state.seated_players()
        view = self.state.view(player.seat, self.turn, self._seated)
        arranges = self.state.rules.reorder_boards and not arranged and len(player.boards) > 1
        return ArrangeBoards(view) if arranges else DeclareCards(view)

    def _check_all_forfeit(self, answers: Mapping[Seat, object]) -> None:
        """Raise ValueError, before any change, unless all answers are forfeits of players in the game."""
        if not all(isinstance(answer, Forfeit) for answer in answers.values()):
            raise ValueError("only forfeits can come together: one player is asked at a time")
        for seat in answers:
            self._player_in_game(seat)

    def _take(self, seat: Seat, answer: BoardOrder | Declaration | Feeding) -> None:
        request = self._request
        if request is None or request.seat != seat:
            self._player_in_game(seat)
            raise ValueError(f"seat {seat} has no request")
        if type(request) is DeclareCards:
            finished = request.finished(answer)
            if type(finished) is not Draft:
                raise _illegal(finished)
            self._declared[seat] = finished
            self._arranged = False
            self.state.emit(events.CardsDeclared, seat)
        elif type(request) is FeedNext:
            if violation := request.violation_of(answer):
                raise _illegal(violation)
            assert self._feeding is not None
            self._feeding.take(answer)  # type: ignore[arg-type]
        else:
            if violation := violation_of(request, answer):
                raise _illegal(violation)
            assert type(answer) is BoardOrder
            self.state.arrange(self.state.player(seat), answer.boards)
            self._seated = ()
            self._arranged = True

    def _end_turn(self) -> None:
        self.state.emit(events.FeedingEnded, self.state.hole)
        self._feeding = None
        self.state.end_turn()
        if events.TurnEnded in self.state.emits:
            self.state.emit(events.TurnEnded, self.turn, self._order(), self.state.full_state())
        self._start_turn()

    # Leaving and ending

    def _throw_out(self, seat: Seat, forfeit: Forfeit) -> None:
        player = self._player_in_game(seat)
        self.state.players.remove(player)
        self._seated = ()
        if self._feeding:
            self._feeding.throw_out(player)
        if self._request and self._request.seat == seat:
            self._arranged = False
        self._declared.pop(seat, None)
        self._thrown_out.append(ThrownOut(seat, forfeit))
        self.state.emit(events.PlayerForfeited, seat, forfeit)
        self.state.emit(events.YouAreOut, seat, forfeit)

    def _end(self, reason: str) -> None:
        self.outcome = Outcome(reason, self._ranking(), tuple(self._thrown_out))
        self.state.emit(events.GameEnded, self.outcome)
        for player in self.state.players:
            self.state.emit(events.ResultAnnounced, player.seat, self.outcome)

    def _ranking(self) -> tuple[Standing, ...]:
        players = self.state.players
        listed = players if self.state.rules.tie_listing == "early-first" else players[::-1]
        parts = [(player.seat, self._score(player)) for player in listed]
        scores = [sum(points for _, points in part) for _, part in parts]
        standings = [
            Standing(seat, 1 + sum(other > score for other in scores), score, part)
            for (seat, part), score in zip(parts, scores, strict=True)
        ]
        return tuple(sorted(standings, key=lambda standing: standing.place))

    def _score(self, player: PlayerState) -> tuple[tuple[str, int], ...]:
        boards = player.boards
        if self.state.rules.scoring == "population":
            alive = "population", sum(board.population for board in boards)
        else:
            alive = "boards", len(boards)
        return ("bag", player.bag), alive, ("traits", sum(len(board.traits) for board in boards))

    def _player_in_game(self, seat: Seat) -> PlayerState:
        if self.outcome:
            raise ValueError(f"the game is over: seat {seat} has no request")
        return self.state.player(seat)

    def _order(self) -> tuple[Seat, ...]:
        return tuple([player.seat for player in self.state.players])

    def _take_events(self) -> Sequence[Event]:
        """Return the events since the last call."""
        emitted = self.state.events
        if not emitted:
            return ()
        self.state.events = []
        return emitted


def _illegal(violation: object) -> ValueError:
    assert isinstance(violation, Violation)
    return ValueError(f"{violation.rule}: {violation!r}")
