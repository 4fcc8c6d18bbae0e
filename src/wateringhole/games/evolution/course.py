"""The course's TCP protocol, both ends, without input and output.

A connection carries JSON values (`protocol.frames`).  Only the shape of a message and the state of the
conversation show its meaning::

     player                        server
       "name"        ──────►
                     ◄──────        "ok"
                     ◄──────        start     [hole, bag, boards, cards]               no answer
                     ◄──────        choose    [rows before me, rows after me]
       Action4       ──────►
                     ◄──────        feedNext  [bag, boards, cards, hole, rows of the others]
       feeding       ──────►                  … again start, choose, feedNext …
                     ◄──────        end of stream

`ServerEnd` supports every program that was written for the course, as far as possible.
`ClientEnd` plays on every known server; a `Dialect` describes the differences.  The loops
around them transport bytes and keep time::

    while (answer := end.answer()) is None:
        …feed, mark_idle or close end.reader…
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import msgspec

from wateringhole import fallbacks
from wateringhole.errors import OperationError
from wateringhole.facets import AnnouncedRanking, Ending, ValueReader
from wateringhole.formatting import pluralize
from wateringhole.game import Forfeit, Notice, Outcome, Seat, Violation
from wateringhole.games.evolution.kind import KIND
from wateringhole.games.evolution.rules import codec
from wateringhole.games.evolution.rules.answers import AttackSpecies, BoardOrder, EvolutionAnswer
from wateringhole.games.evolution.rules.cards import CARDS
from wateringhole.games.evolution.rules.events import ResultAnnounced, YourTurnStarts
from wateringhole.games.evolution.rules.options import CARDS_PER_TURN, MOST_PLAYERS, PROFILES, Rules
from wateringhole.games.evolution.rules.requests import (
    ArrangeBoards,
    DeclareCards,
    EvolutionRequest,
    FeedNext,
    feedings,
    offered,
)
from wateringhole.games.evolution.rules.setup import Setup
from wateringhole.games.evolution.rules.species import Row, new_board
from wateringhole.games.evolution.rules.view import PrivateState, SeatedPlayer, View
from wateringhole.player import IllegalAnswer, PlayerFailed
from wateringhole.protocol.frames import INCOMPLETE, BareWord, FrameError, FrameReader, StreamEnded, frame

__all__ = [
    "DIALECTS",
    "GAP_SECONDS",
    "ClientEnd",
    "CourseProtocol",
    "Dialect",
    "ServerEnd",
    "SignUp",
    "identities",
    "read_sign_up",
    "result_rows",
]

GAP_SECONDS = 0.05
"""The pause between two messages on one connection: some clients treat one read as one message."""


BARE_SIGN_UP = "ping"
"""The only word without quotes that signs up, because one known client sends it.  Every other word is junk."""


# Messages, shared by both ends.


def start_message(view: View) -> list[Any]:
    return [view.hole, view.bag, codec.row_to_json(view.boards), codec.cards_to_json(view.hand)]


def choose_message(view: View) -> list[Any]:
    after = [player.boards for player in view.after]
    if view.rules.choose_lists_self:
        after.insert(0, view.boards)
    return [[codec.row_to_json(player.boards) for player in view.before], [codec.row_to_json(row) for row in after]]


def feed_next_message(view: View) -> list[Any]:
    return [
        view.bag,
        codec.row_to_json(view.boards),
        codec.cards_to_json(view.hand),
        view.hole,
        [codec.row_to_json(player.boards) for player in view.opponents],
    ]


def identities(names: Sequence[str], order: Sequence[Seat]) -> list[str]:
    """Return the names in results, by seat: ``name#k``, where k is the position in the first turn order."""
    positions = {seat: position for position, seat in enumerate(order, 1)}
    return [f"{name}#{positions[Seat(seat)]}" for seat, name in enumerate(names)]


def result_rows(outcome: Outcome, names: Sequence[str]) -> list[list[Any]]:
    """Return the final ranking as ``[rank, name, score]``; ranks are counted, as by the reference program."""
    return [[rank, names[line.seat], line.score] for rank, line in enumerate(outcome.ranking, 1)]


# The server end.


class SignUp(msgspec.Struct, frozen=True):
    """The first message of a player."""

    name: str
    is_bare: bool = False
    """True if the player sent a word without quotes; it then expects "ok" without quotes and without a blank."""

    @property
    def welcome(self) -> bytes:
        return b"ok" if self.is_bare else frame("ok")


def read_sign_up(value: Any) -> SignUp:
    """Read the first value on a connection.  Raises ValueError if it is not a sign-up."""
    if isinstance(value, BareWord) and value.text == BARE_SIGN_UP:
        return SignUp(value.text, is_bare=True)
    if type(value) is str:
        return SignUp(value)
    raise ValueError('a sign-up is a JSON string, e.g. "my name"')


class ServerEnd:
    """The connection of a signed-up player, for one game.

    A value that arrived before a request answers it: a second value for one request, or an answer to
    `start`, counts as the answer to the next request, as in the reference program.
    """

    def __init__(self, reader: ValueReader, sign_up: SignUp, *, gap_seconds: float = GAP_SECONDS) -> None:
        self.reader = reader
        self.sign_up = sign_up
        self._gap = gap_seconds
        self._free_at = 0.0
        self._announces = False
        self._names: Sequence[str] = ()
        self._request: EvolutionRequest | None = None
        self._spoke_first = False
        """True if the answer, or its beginning, arrived before the request."""

    @property
    def name(self) -> str:
        return self.sign_up.name

    def take_seat(self, names: Sequence[str], rules: Rules) -> None:
        """Prepare for a game; its result uses these names."""
        self._announces = rules.announce_result
        self._names = names

    def pause(self, now: float) -> float:
        """Return the seconds to wait before sending, so that the last message arrives separately."""
        return max(0.0, self._free_at - now)

    def welcome(self, now: float) -> bytes:
        """Return the answer to the sign-up."""
        return self._send(self.sign_up.welcome, now)

    def notice(self, notice: Notice, now: float) -> bytes:
        """Return the message for a notice, or an empty one if the protocol has none."""
        if isinstance(notice, YourTurnStarts):
            return self._send(frame(start_message(notice.view)), now)
        if isinstance(notice, ResultAnnounced) and self._announces:
            return self._send(frame({"result": result_rows(notice.outcome, self._names)}), now)
        return b""

    def ask(self, request: EvolutionRequest, now: float) -> bytes:
        """Return the message for a request, or an empty one if `answer` needs no message."""
        self._request = request
        self._spoke_first = self.reader.buffered > 0
        match request:
            case DeclareCards():
                return self._send(frame(choose_message(request.view)), now)
            case FeedNext():
                return self._send(frame(feed_next_message(request.view)), now)
        return b""

    def answer(self) -> EvolutionAnswer | None:
        """Return the answer to the last request, legal or not, or None if it has not arrived yet.

        Raises PlayerFailed if it cannot be read or will not arrive.
        """
        request = self._request
        if request is None:
            raise ValueError("nothing was asked")
        if isinstance(request, ArrangeBoards):
            # The protocol has no such request: the row stays unchanged.
            return BoardOrder(tuple(range(len(request.view.boards))))
        question = "choose" if isinstance(request, DeclareCards) else "feedNext"
        try:
            value = self.reader.take()
            if value is INCOMPLETE:
                return None
            self._free_at = 0.0
            answer: EvolutionAnswer = codec.answer_from_json(request, value)
            return answer
        except StreamEnded as ended:
            raise PlayerFailed(Forfeit("disconnected", f"{ended}; the answer to {question} is missing")) from None
        except (FrameError, ValueError) as wrong:
            early = " (it was sent before the question)" if self._spoke_first else ""
            sentence = f"the answer to {question} cannot be read{early}: {wrong}"
            raise PlayerFailed(Forfeit("unreadable", sentence)) from None

    def _send(self, message: bytes, now: float) -> bytes:
        self._free_at = now + self._gap
        return message


# The client end.


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """The differences of a server from the course's text."""

    name: str
    text: str
    """The origin of the server, and its peculiarities."""
    rules: Rules = PROFILES["course"]
    """The rules that a player on such a server should assume."""
    after: bytes = b" "
    """The bytes after every value sent."""
    labels_growth: bool = False
    """True if growth of population and body is written with a label."""
    lists_self: bool | None = None
    """True if the second list of choose begins with the asked player, or None to find out during the game."""
    feeding_lists: Literal["after-me", "turn-order", "all"] = "after-me"
    """The players listed in feedNext: the opponents from the next player on, the opponents in turn
    order, or all players in turn order."""
    sends_bag: bool = True
    """False if the message has another value in place of the bag."""


DIALECTS = {
    dialect.name: dialect
    for dialect in (
        Dialect(name="course", text="this program's own host, and any server that keeps to the course's text"),
        Dialect(
            name="reference",
            text="mfelleisen/Evolution: the reference program and its rules",
            rules=PROFILES["reference"],
            lists_self=True,
        ),
        Dialect(
            name="lb",
            text="lukasberger/evolution-game: wants growth labelled, puts new cards behind the old ones",
            rules=msgspec.structs.replace(PROFILES["course"], hand_order="back", fat_over_request="illegal"),
            labels_growth=True,
            lists_self=False,
        ),
        Dialect(name="cb", text="ctbeiser/Evolution_full: waits for a byte after every value", lists_self=False),
        Dialect(name="jc", text="campoloj/SoftwareDevelopment2016: as the course's text", lists_self=False),
        Dialect(
            name="la",
            text="lydiaauch/software-dev-2016: lists the others from the first of the turn on",
            lists_self=False,
            feeding_lists="turn-order",
        ),
        Dialect(
            name="kd",
            text="kayliedehart/Evolution2: replies with a bare word, lists all players, sends a number for the bag",
            lists_self=False,
            feeding_lists="all",
            sends_bag=False,
        ),
        Dialect(
            name="jf",
            text="j-friedson/Evolution: takes a blank after a number for a digit",
            after=b"",
            lists_self=False,
        ),
    )
}
"""The known servers by name; the first is for all other servers."""


def detect(welcome: object, white_space: bytes, message: bytes) -> Dialect:
    """Return the likely dialect of a server from its reply to the sign-up, the white space after it and its next
    message.

    A `kd` server replies without quotes.  The reference writes a blank after each value, as our own host does, and
    `cb` a line end.  The others write nothing, and only `jf` writes no blanks inside of a message either.
    """
    if isinstance(welcome, BareWord):
        return DIALECTS["kd"]
    if white_space:
        return DIALECTS["cb" if b"\n" in white_space else "course"]
    return DIALECTS["jc" if b", " in message else "jf"]


SIMILAR = {"jc": ("lb", "la"), "course": ("reference",)}
"""For each dialect, those whose first messages look the same."""


ME = Seat(0)
"""The messages name no player: this player is seat 0, the opponents are 1, 2, … in turn order after it."""


class ClientEnd:
    """The connection of one player to a server, for one game.

    It estimates what the messages do not contain: turns are counted, the deck has at most about
    `View.deck_size` cards, and an opponent's hand at least `SeatedPlayer.hand_size`.
    """

    def __init__(
        self,
        name: str,
        dialect: Dialect | None = DIALECTS["course"],
        *,
        rules: Rules | None = None,
    ) -> None:
        """Create the client end; without a dialect, it detects one.

        `rules` are those that the player assumes instead of the dialect's.
        """
        self.name = name
        self.dialect = dialect or DIALECTS["course"]
        self._detects = dialect is None
        self.reader = FrameReader(may_greet=True)
        self._own_rules = rules
        self.is_welcome = False
        """True after the server has answered the sign-up."""
        self._welcome: object = None
        """Its answer."""
        self._turn = 0
        self._deck = len(CARDS)
        self._hole = 0
        self._own = PrivateState((), (), 0)
        self._boards: Row | None = None
        """The player's row in the last message, or None before the first start."""
        self._rows: Sequence[Row] = ()
        """The rows of all players in the last message that had them."""
        self._boards_in_turn = 0
        """About how many boards there have been at once in this turn, those of all players."""
        self._lost = 0
        """About how many boards have died; each brought its player two cards."""
        self._position = 0
        """The number of players before this one in this turn."""
        self._never_lists_self = False
        self._listed: list[Seat] = []
        """The players in the order of the last feedNext."""

    @property
    def rules(self) -> Rules:
        return self._own_rules or self.dialect.rules

    @property
    def seat(self) -> Seat:
        return ME

    @property
    def names(self) -> tuple[str, ...]:
        """The player's name, and a numbered name for each opponent, because the messages name no player."""
        return (self.name, *[f"opponent {seat}" for seat in range(1, MOST_PLAYERS)])

    @property
    def server(self) -> str:
        return self.dialect.name

    @property
    def similar(self) -> tuple[str, ...]:
        return SIMILAR.get(self.dialect.name, ())

    def sign_up(self) -> bytes:
        """Return the first message to send."""
        return frame(self.name, self.dialect.after)

    def take(self) -> YourTurnStarts | DeclareCards | FeedNext | AnnouncedRanking | None:
        """Return the server's next message, or None if no complete message has arrived.

        Raises StreamEnded if it closed the connection, which is how games end, and OperationError if
        a message is not part of the protocol.
        """
        # Skips the white space after the last value.
        white_space = self.reader.white_space if self.reader.buffered else b""
        value = self.reader.take()
        if value is INCOMPLETE:
            return None
        if not self.is_welcome:
            # Any answer is accepted; one without quotes identifies a `kd` server.
            self.is_welcome = True
            self._welcome = value
            if isinstance(value, BareWord) and self.dialect.name == "course":
                self.dialect = DIALECTS["kd"]
            return self.take()
        if self._detects and not self._turn:
            self.dialect = detect(self._welcome, white_space, self.reader.text)
        try:
            return self._read(value)
        except ValueError as wrong:
            raise OperationError(f"the server sent what is not in the course's protocol: {wrong}") from None

    def ending(self) -> Ending:
        """Return what the end of the connection means.

        The game cannot be over if the deck has enough cards for another turn, even if all boards die and their
        players draw two cards for each.  The messages do not show all cards, so this is an estimate with a margin of
        one card per player.
        """
        cards = self._deck - 2 * self._lost
        needed = sum(CARDS_PER_TURN + 1 + max(1, len(row)) for row in self._rows)
        early = None
        if not self._rows or cards - 2 * self._boards_in_turn >= needed:
            early = f"in turn {max(1, self._turn)}, when about {cards} of {len(CARDS)} cards were left in the deck"
        return Ending(early, self._estimate())

    def _estimate(self) -> str | None:
        """Estimate the player's score from its bag and from the boards that had eaten, in the last message."""
        if not self.dialect.sends_bag:
            return None
        fed = [board for board in self._own.boards if board.food]
        alive = sum(board.food for board in fed) if self.rules.scoring == "population" else len(fed)
        points = self._own.bag + sum(board.food for board in fed) + alive + sum(len(board.traits) for board in fed)
        return f"{self.name} has at least {pluralize(points, 'point')}, by the last message to it"

    def reply(self, request: EvolutionRequest, answer: object) -> bytes:
        """Return an answer in this server's format.

        Raises IllegalAnswer if the rules forbid it, because the server would throw the player out
        without a message.
        """
        accepted = request.accept(answer)
        if isinstance(accepted, Violation):
            raise IllegalAnswer(accepted, fallbacks.sentence_for(KIND, accepted))
        if isinstance(accepted, AttackSpecies):
            # The player's own number follows the last one, unless the list contains the player.
            number = self._listed.index(accepted.seat) if accepted.seat in self._listed else len(self._listed)
            return frame([accepted.board, number, accepted.target], self.dialect.after)
        value = codec.answer_to_json(request, accepted)
        if self.dialect.labels_growth and isinstance(request, DeclareCards):
            for part, label in ((1, "population"), (2, "body")):
                value[part] = [[label, *grown] for grown in value[part]]
        return frame(value, self.dialect.after)

    # Reading messages

    def _read(self, value: Any) -> YourTurnStarts | DeclareCards | FeedNext | AnnouncedRanking:
        if type(value) is dict and "result" in value:
            return AnnouncedRanking(tuple(codec.list_from_json(value["result"], "row", _result_row)))
        match value:
            case [hole, bag, list(boards), list(cards)]:
                return self._start(hole, bag, boards, cards)
            case [list(before), list(after)]:
                return self._choose(before, after)
            case [bag, list(boards), list(cards), hole, list(others)]:
                return self._feed_next(bag, boards, cards, hole, others)
        length = f"a list of {len(value)}" if type(value) is list else "something else"
        raise ValueError(f"a message is a list of 4, 2 or 5 items of the right kinds, not {length}")

    def _start(self, hole: Any, bag: Any, boards: Any, cards: Any) -> YourTurnStarts:
        self._note(hole, bag, boards, cards)
        self._turn += 1
        return YourTurnStarts(ME, self._view((), (), 0))

    def _choose(self, before: Any, after: Any) -> DeclareCards:
        if self._boards is None:
            raise ValueError("choose came before start")
        rows_before, rows_after = _rows(before), _rows(after)
        if self._lists_self(rows_after):
            rows_after = rows_after[1:]
        self._position = len(rows_before)
        rows = [self._boards, *rows_before, *rows_after]
        boards = sum(map(len, rows))
        if len(rows) == len(self._rows):
            # A row with nothing but a new board belongs to a player whose boards all died.
            survived = boards - rows.count((new_board(),))
            self._lost += max(0, self._boards_in_turn - survived)
        self._rows = rows
        # Each player may buy one now.
        self._boards_in_turn = boards + len(rows)
        self._deck = max(0, self._deck - sum(CARDS_PER_TURN + len(row) for row in rows))
        return DeclareCards(self._view(rows_before, rows_after, CARDS_PER_TURN))

    def _feed_next(self, bag: Any, boards: Any, cards: Any, hole: Any, others: Any) -> FeedNext:
        self._note(hole, bag, boards, cards)
        view = self._view(*self._around_me(_rows(others)), 0)
        self._rows = [player.boards for player in view.players]
        self._boards_in_turn = sum(map(len, self._rows))
        match self.dialect.feeding_lists:
            case "after-me":
                self._listed = [player.seat for player in view.opponents]
            case "turn-order":
                self._listed = [player.seat for player in (*view.before, *view.after)]
            case "all":
                self._listed = [player.seat for player in view.players]
        targets = [(player.seat, player.boards) for player in view.opponents]
        if self.rules.own_attacks:
            targets.append((ME, view.boards))
        options = feedings(view.boards, targets, self.rules)
        return FeedNext(view, offered(options, view.hole, self.rules))

    def _note(self, hole: Any, bag: Any, boards: Any, cards: Any) -> None:
        """Store what a message contains about the hole and about the player."""
        hole, bag = codec.natural_from_json(hole, "the hole"), codec.natural_from_json(bag, "the bag")
        row, hand = _row(boards), tuple(codec.cards_from_json(cards))
        self._hole, self._boards = hole, row
        self._own = PrivateState(row, hand, bag if self.dialect.sends_bag else 0)

    def _lists_self(self, after: Sequence[Row]) -> bool:
        """Return whether the second list of a choose message begins with this player."""
        if self.dialect.lists_self is not None:
            return self.dialect.lists_self
        if not after or after[0] != self._boards:
            self._never_lists_self = True
        if self._never_lists_self:
            return False
        if self._boards != (new_board(),):
            if self._detects:
                self.dialect = DIALECTS["reference"]
            return True
        # New boards are all equal and prove nothing: then the rules decide what is likely.
        return self.rules.choose_lists_self

    def _around_me(self, rows: Sequence[Row]) -> tuple[Sequence[Row], Sequence[Row]]:
        """Return the rows before and after the player's.  Players that left since choose may have been before it."""
        position = self._position
        match self.dialect.feeding_lists:
            case "after-me":
                cut = max(0, len(rows) - position)
                return rows[cut:], rows[:cut]
            case "turn-order":
                return rows[:position], rows[position:]
        mine = [at for at, row in enumerate(rows[: position + 1]) if row == self._boards]
        at = mine[-1] if mine else min(position, len(rows))
        return rows[:at], rows[at + 1 :]

    def _view(self, before: Sequence[Row], after: Sequence[Row], dealt: int) -> View:
        """Return the player's view; `dealt` is the number of cards just dealt to each player, plus one per board."""
        assert self._boards is not None
        me = SeatedPlayer(ME, self._boards, len(self._own.hand))
        others = [
            SeatedPlayer(Seat(seat), row, dealt + len(row) if dealt else 0)
            for seat, row in enumerate([*after, *before], 1)
        ]
        players = (*others[len(after) :], me, *others[: len(after)])
        return View(self.rules, ME, self._turn, self._hole, self._deck, players, self._own)


def _rows(value: Any) -> list[Row]:
    return codec.list_from_json(value, "player", _row)


def _row(value: Any) -> Row:
    # The reference program allows replacements that leave a board with equal traits, and then sends such boards.
    return codec.row_from_json(value, distinct=False)


def _result_row(value: Any) -> tuple[int, str, int]:
    rank, identity, score = codec.parts_from_json(value, "a row of the result", "[rank, identity, score]", 3)
    if type(identity) is not str:
        raise ValueError("an identity is a string")
    return codec.natural_from_json(rank, "a rank", least=1), identity, codec.natural_from_json(score, "a score")


# The interface for drivers.


class CourseProtocol:
    """The facet that `KIND` offers as ``course``."""

    title: ClassVar[str] = "the course's protocol"
    dialects: ClassVar[Mapping[str, str]] = {dialect.name: dialect.text for dialect in DIALECTS.values()}

    def refuses(self, rules: Rules) -> str | None:
        """Return why the course's messages cannot carry a game with these rules, or None if they can."""
        if rules.new_board_population == 0:
            return "new_board_population=0: in the course's protocol a board has at least one animal"
        if rules.custom_traits is not msgspec.UNSET:
            return "the course's protocol has no cards for custom traits"
        return None

    def server_end(self, reader: ValueReader, sign_up: Any) -> ServerEnd:
        return ServerEnd(reader, read_sign_up(sign_up))

    def client_end(self, name: str, dialect: str | None) -> ClientEnd:
        return ClientEnd(name, DIALECTS[dialect] if dialect else None)

    def identities(self, names: Sequence[str], setup: Setup) -> Sequence[str]:
        return identities(names, setup.order)
