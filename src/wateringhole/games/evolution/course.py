"""The course's TCP protocol, both ends, without any input or output.

A connection carries JSON values (`protocol.frames`).  Nothing says what a message is but its shape and
the state of the conversation::

     player                        server
       "name"        ──────►
                     ◄──────        "ok"
                     ◄──────        start     [hole, bag, boards, cards]               no answer
                     ◄──────        choose    [rows before me, rows after me]
       Action4       ──────►
                     ◄──────        feedNext  [bag, boards, cards, hole, rows of the others]
       feeding       ──────►                  … again start, choose, feedNext …
                     ◄──────        end of stream

`ServerEnd` serves every program that was written for the course and can be served at all.
`ClientEnd` plays at every server that lets one; what a server needs is its `Dialect`.  The loops
around them carry bytes and look at the clock::

    while (answer := end.answer()) is None:
        …feed, mark_idle or close end.reader…
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Literal

import msgspec

from wateringhole import fallbacks
from wateringhole.errors import OperationError
from wateringhole.facets import AnnouncedRanking, ValueReader
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
"""Kept between two messages on one connection: some clients take one read for one message."""


# What both ends share: the messages.


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
    """What players are called in results, by seat: ``name#k``, k being the place in the first turn's order."""
    places = {seat: place for place, seat in enumerate(order, 1)}
    return [f"{name}#{places[Seat(seat)]}" for seat, name in enumerate(names)]


def result_rows(outcome: Outcome, names: Sequence[str]) -> list[list[Any]]:
    """The final ranking as ``[rank, name, score]``, ranks simply counted as the reference does."""
    return [[rank, names[line.seat], line.score] for rank, line in enumerate(outcome.ranking, 1)]


# The server's end.


class SignUp(msgspec.Struct, frozen=True):
    """How a player signed up."""

    name: str
    is_bare: bool = False
    """It sent a word without quotes, and wants its "ok" without quotes and without a blank."""

    @property
    def welcome(self) -> bytes:
        return b"ok" if self.is_bare else frame("ok")


def read_sign_up(value: Any) -> SignUp:
    """The first value on a connection.  Raises ValueError with a sentence when it is no sign-up."""
    if isinstance(value, BareWord):
        return SignUp(value.text, is_bare=True)
    if type(value) is str:
        return SignUp(value)
    raise ValueError('a sign-up is a JSON string, e.g. "my name"')


class ServerEnd:
    """One connection of a player who has signed up, for one game.

    Whatever has come when a question is asked answers it: a second value instead of one, or one
    sent in reply to `start`, is an answer to the next question, as it is for the reference.
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
        """Whether the answer, or its beginning, was there before the question."""

    @property
    def name(self) -> str:
        return self.sign_up.name

    def take_seat(self, names: Sequence[str], rules: Rules) -> None:
        """Take in that a game begins; its result uses these names."""
        self._announces = rules.announce_result
        self._names = names

    def pause(self, now: float) -> float:
        """Seconds to wait before anything is sent, so that the last message arrives on its own."""
        return max(0.0, self._free_at - now)

    def welcome(self, now: float) -> bytes:
        """The reply to the sign-up."""
        return self._send(self.sign_up.welcome, now)

    def notice(self, notice: Notice, now: float) -> bytes:
        """The message for a notice; empty: the protocol has none."""
        if isinstance(notice, YourTurnStarts):
            return self._send(frame(start_message(notice.view)), now)
        if isinstance(notice, ResultAnnounced) and self._announces:
            return self._send(frame({"result": result_rows(notice.outcome, self._names)}), now)
        return b""

    def ask(self, request: EvolutionRequest, now: float) -> bytes:
        """The message for a question; empty: `answer` knows already what to say."""
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
            # The protocol has no such question: the row stays as it is.
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


# The client's end.


class Dialect(msgspec.Struct, frozen=True, kw_only=True):
    """What a server expects and sends where servers differ."""

    name: str
    text: str
    """Whose server this is, and what is special about it."""
    rules: Rules = PROFILES["course"]
    """The rules by which a player at such a server should reckon."""
    greeting: bytes | None = None
    """What to sign up with instead of a name."""
    after: bytes = b" "
    """What follows every value sent."""
    labels_growth: bool = False
    """Growth of population and body is written with a label."""
    lists_self: bool | None = None
    """Whether the second list of choose begins with the player asked; None: found out on the way."""
    feeding_lists: Literal["after-me", "turn-order", "everybody"] = "after-me"
    """The players listed in feedNext: the others from the one after me on; the others in turn
    order; everybody in turn order."""
    sends_bag: bool = True
    """Something else than the bag stands in its place if not."""


_KD = Dialect(
    name="kd",
    text="kayliedehart/Evolution2: signs up with a bare word, lists everybody, sends a number for the bag",
    greeting=b"ping",
    lists_self=False,
    feeding_lists="everybody",
    sends_bag=False,
)

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
        _KD,
        Dialect(
            name="jf",
            text="j-friedson/Evolution: takes a blank after a number for a digit",
            after=b"",
            lists_self=False,
        ),
    )
}
"""The servers known, by name; the first is for all that are not listed."""


ME = Seat(0)
"""The wire names nobody: I am seat 0, the others are 1, 2, … in turn order after me, whoever starts."""


class ClientEnd:
    """The connection of one player to a server, for one game.

    What the wire does not tell is filled in: turns are counted, the deck holds at most about
    `View.deck_size` cards, and an opponent's hand at least `SeatedPlayer.hand_size`.
    """

    def __init__(
        self,
        name: str,
        dialect: Dialect = DIALECTS["course"],
        *,
        rules: Rules | None = None,
    ) -> None:
        """`rules`: those by which the player shall reckon, if not the dialect's."""
        self.name = name
        self.dialect = dialect
        self.reader = FrameReader(may_greet=True)
        self._own_rules = rules
        self.is_welcome = False
        """Whether the server has answered our sign-up."""
        self._turn = 0
        self._deck = len(CARDS)
        self._hole = 0
        self._own = PrivateState((), (), 0)
        self._boards: Row | None = None
        """My row as the last message showed it; None before the first start."""
        self._place = 0
        """How many came before me in this turn."""
        self._never_lists_self = False
        self._listed: list[Seat] = []
        """The players as the last feedNext listed them."""

    @property
    def rules(self) -> Rules:
        return self._own_rules or self.dialect.rules

    @property
    def seat(self) -> Seat:
        return ME

    @property
    def names(self) -> tuple[str, ...]:
        """The player's name, and a number for each of the others, because the messages name no player."""
        return (self.name, *[f"opponent {seat}" for seat in range(1, MOST_PLAYERS)])

    def sign_up(self) -> bytes:
        """The first thing to send."""
        return self.dialect.greeting or frame(self.name, self.dialect.after)

    def take(self) -> YourTurnStarts | DeclareCards | FeedNext | AnnouncedRanking | None:
        """Return what the server sent next, or None if no whole message has arrived.

        Raises StreamEnded when it closed the connection, which is how games end, and OperationError when
        it sent what is not in the protocol.
        """
        value = self.reader.take()
        if value is not INCOMPLETE and not self.is_welcome:
            # Any reply will do; one without quotes gives a server away that we took for another.
            self.is_welcome = True
            if isinstance(value, BareWord) and self.dialect.name == "course":
                self.dialect = _KD
            value = self.reader.take()
        if value is INCOMPLETE:
            return None
        try:
            return self._read(value)
        except ValueError as wrong:
            raise OperationError(f"the server sent what is not in the course's protocol: {wrong}") from None

    def reply(self, request: EvolutionRequest, answer: object) -> bytes:
        """An answer as this server wants it.

        Raises IllegalAnswer where the rules forbid it: the server would throw the player out
        without a word.
        """
        accepted = request.accept(answer)
        if isinstance(accepted, Violation):
            raise IllegalAnswer(accepted, fallbacks.sentence_for(KIND, accepted))
        if isinstance(accepted, AttackSpecies):
            # My own number is the one after the last, unless the list has me.
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
        self._place = len(rows_before)
        rows = [self._boards, *rows_before, *rows_after]
        self._deck = max(0, self._deck - sum(CARDS_PER_TURN + len(row) for row in rows))
        return DeclareCards(self._view(rows_before, rows_after, CARDS_PER_TURN))

    def _feed_next(self, bag: Any, boards: Any, cards: Any, hole: Any, others: Any) -> FeedNext:
        self._note(hole, bag, boards, cards)
        view = self._view(*self._around_me(_rows(others)), 0)
        match self.dialect.feeding_lists:
            case "after-me":
                self._listed = [player.seat for player in view.opponents]
            case "turn-order":
                self._listed = [player.seat for player in (*view.before, *view.after)]
            case "everybody":
                self._listed = [player.seat for player in view.players]
        targets = [(player.seat, player.boards) for player in view.opponents]
        if self.rules.own_attacks:
            targets.append((ME, view.boards))
        options = feedings(view.boards, targets, self.rules)
        return FeedNext(view, offered(options, view.hole, self.rules))

    def _note(self, hole: Any, bag: Any, boards: Any, cards: Any) -> None:
        """What a message says about the hole and about me."""
        hole, bag = codec.natural_from_json(hole, "the hole"), codec.natural_from_json(bag, "the bag")
        row, hand = _row(boards), tuple(codec.cards_from_json(cards))
        self._hole, self._boards = hole, row
        self._own = PrivateState(row, hand, bag if self.dialect.sends_bag else 0)

    def _lists_self(self, after: Sequence[Row]) -> bool:
        """Whether the second list of a choose message begins with me."""
        if self.dialect.lists_self is not None:
            return self.dialect.lists_self
        if not after or after[0] != self._boards:
            self._never_lists_self = True
        if self._never_lists_self:
            return False
        # Fresh boards are all alike and prove nothing: then the rules say what is likely.
        return self.rules.choose_lists_self or self._boards != (new_board(),)

    def _around_me(self, rows: Sequence[Row]) -> tuple[Sequence[Row], Sequence[Row]]:
        """The rows before and after mine.  Whoever left since choose may have been before me."""
        place = self._place
        match self.dialect.feeding_lists:
            case "after-me":
                cut = max(0, len(rows) - place)
                return rows[cut:], rows[:cut]
            case "turn-order":
                return rows[:place], rows[place:]
        mine = [at for at, row in enumerate(rows[: place + 1]) if row == self._boards]
        at = mine[-1] if mine else min(place, len(rows))
        return rows[:at], rows[at + 1 :]

    def _view(self, before: Sequence[Row], after: Sequence[Row], dealt: int) -> View:
        """What I know; `dealt`: cards that everybody was just dealt, besides one for each board."""
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
    # The reference lets replacements leave a board with equal traits, and then shows such boards.
    return codec.row_from_json(value, distinct=False)


def _result_row(value: Any) -> tuple[int, str, int]:
    rank, identity, score = codec.parts_from_json(value, "a row of the result", "[rank, identity, score]", 3)
    if type(identity) is not str:
        raise ValueError("an identity is a string")
    return codec.natural_from_json(rank, "a rank", least=1), identity, codec.natural_from_json(score, "a score")


# What drivers see of all this.


class CourseProtocol:
    """The facet that `KIND` offers as ``course``."""

    title: ClassVar[str] = "the course's protocol"
    dialects: ClassVar[Mapping[str, str]] = {dialect.name: dialect.text for dialect in DIALECTS.values()}

    def refuses(self, rules: Rules) -> str | None:
        """Return why the course's messages cannot carry a game with these rules, or None if they can."""
        if rules.new_board_population == 0:
            return "new_board_population=0: on the course's wire a board has at least one animal"
        return None

    def server_end(self, reader: ValueReader, sign_up: Any) -> ServerEnd:
        return ServerEnd(reader, read_sign_up(sign_up))

    def client_end(self, name: str, dialect: str) -> ClientEnd:
        return ClientEnd(name, DIALECTS[dialect])

    def identities(self, names: Sequence[str], setup: Setup) -> Sequence[str]:
        return identities(names, setup.order)
