"""Both ends of the course's protocol: messages, answers, and the peculiarities of known programs."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.games.evolution.builders import COURSE, board, cards, rules
from tests.games.evolution.conversations import HostedTable
from wateringhole.errors import OperationError
from wateringhole.facets import AnnouncedRanking
from wateringhole.game import Forfeit, Outcome, Seat, Standing
from wateringhole.games.evolution import (
    ArrangeBoards,
    AttackSpecies,
    BoardOrder,
    Declaration,
    DeclareCards,
    FeedNext,
    FeedPlants,
    Growth,
    NewBoard,
    Replacement,
    Rules,
    StoreFat,
    View,
    deal,
)
from wateringhole.games.evolution.bots.random import Random
from wateringhole.games.evolution.course import (
    DIALECTS,
    GAP_SECONDS,
    ClientEnd,
    CourseProtocol,
    ServerEnd,
    SignUp,
    identities,
    read_sign_up,
)
from wateringhole.games.evolution.rules import codec
from wateringhole.games.evolution.rules.events import ResultAnnounced, YouAreOut, YourTurnStarts
from wateringhole.games.evolution.rules.requests import EvolutionRequest, feedings
from wateringhole.games.evolution.rules.view import PrivateState, SeatedPlayer
from wateringhole.player import IllegalAnswer, PlayerFailed
from wateringhole.protocol.frames import BareWord, FrameReader, StreamEnded, frame

HAND = cards((1, "ambush"), (2, "horns"), (-1, "horns"), (0, "climbing"), (3, "fertile"), (-2, "ambush"))
MINE = (board("carnivore", population=3, body=2), board(population=2))
ROWS = ((board("horns"),), MINE, (board("climbing", population=2),), (board("fertile"), board("foraging")))
B = codec.species_to_json(board())


def view(me: int = 1, rules: Rules = COURSE, hole: int = 4) -> View:
    """Return a view of a game of four in the third turn; `me` is the seat and its position in the turn order."""
    seated = [SeatedPlayer(Seat(seat), row, 0) for seat, row in enumerate(ROWS)]
    return View(rules, Seat(me), 3, hole, 50, tuple(seated), PrivateState(ROWS[me], tuple(HAND), 7))


def feed_next(me: int = 1, rules: Rules = COURSE, hole: int = 4) -> FeedNext:
    seen = view(me, rules, hole)
    targets = [(player.seat, player.boards) for player in seen.opponents]
    return FeedNext(seen, feedings(seen.boards, targets, rules))


def server_end(name: str = "Ada", is_bare: bool = False) -> ServerEnd:
    return ServerEnd(FrameReader(), SignUp(name, is_bare))


def asked(request: EvolutionRequest, *chunks: bytes) -> Any:
    """Return how a server end reads these chunks as the answer to a request."""
    end = server_end()
    end.ask(request, 0.0)
    for chunk in chunks:
        assert end.answer() is None
        end.reader.feed(chunk)
    return end.answer()


# The server end: sign-up.

SIGN_UPS: list[tuple[str, Any, SignUp, bytes]] = [
    ("a name", "good guy", SignUp("good guy"), b'"ok" '),
    ("an empty name", "", SignUp(""), b'"ok" '),
    ("a bare word, as KD sends it", BareWord("ping"), SignUp("ping", is_bare=True), b"ok"),
]


@pytest.mark.parametrize(
    ("value", "sign_up", "welcome"), [row[1:] for row in SIGN_UPS], ids=[row[0] for row in SIGN_UPS]
)
def test_a_sign_up_is_answered_in_its_own_style(value: Any, sign_up: SignUp, welcome: bytes) -> None:
    assert read_sign_up(value) == sign_up
    assert server_end(sign_up.name, sign_up.is_bare).welcome(0.0) == welcome


@pytest.mark.parametrize(
    "value", [1, None, True, ["good guy"], {"name": "good guy"}, 1.5, BareWord("HELP"), BareWord("Ping")], ids=repr
)
def test_other_values_are_not_sign_ups(value: Any) -> None:
    with pytest.raises(ValueError, match="a sign-up is a JSON string"):
        read_sign_up(value)


def test_identities_number_players_by_the_first_turn_order() -> None:
    assert identities(["a", "b", "a"], [Seat(2), Seat(1), Seat(0)]) == ["a#3", "b#2", "a#1"]


# The server end: messages.


def test_start_contains_the_hole_and_the_private_state() -> None:
    message = server_end().notice(YourTurnStarts(Seat(1), view()), 0.0)
    assert message == frame([4, 7, codec.row_to_json(MINE), codec.cards_to_json(HAND)])


@pytest.mark.parametrize(("lists_self", "after"), [(False, ROWS[2:]), (True, ROWS[1:])])
def test_choose_lists_players_before_and_after_and_the_player_itself_if_the_rules_say_so(
    lists_self: bool, after: tuple[Any, ...]
) -> None:
    request = DeclareCards(view(rules=rules(choose_lists_self=lists_self)))
    assert server_end().ask(request, 0.0) == frame([_rows(ROWS[:1]), _rows(after)])


def test_feed_next_lists_the_opponents_from_the_next_player_on() -> None:
    mine = [7, codec.row_to_json(MINE), codec.cards_to_json(HAND), 4]
    assert server_end().ask(feed_next(), 0.0) == frame([*mine, _rows([*ROWS[2:], ROWS[0]])])


def _rows(rows: Any) -> list[Any]:
    return [codec.row_to_json(row) for row in rows]


OUTCOME = Outcome("over", (Standing(Seat(1), 1, 9), Standing(Seat(0), 1, 9), Standing(Seat(2), 3, 2)), ())


def test_result_is_sent_only_if_the_rules_announce_it() -> None:
    notice = ResultAnnounced(Seat(1), OUTCOME)
    for announces, message in ((False, b""), (True, frame({"result": [[1, "b#2", 9], [2, "a#1", 9], [3, "c#3", 2]]}))):
        end = server_end()
        end.take_seat(("a#1", "b#2", "c#3"), rules(announce_result=announces))
        assert end.notice(notice, 0.0) == message


def test_expulsion_sends_no_message() -> None:
    assert server_end().notice(YouAreOut(Seat(1), Forfeit("late", "too slow")), 0.0) == b""


def test_a_request_that_the_protocol_lacks_is_answered_for_the_player() -> None:
    end = server_end()
    assert end.ask(ArrangeBoards(view()), 0.0) == b""
    assert end.answer() == BoardOrder((0, 1))


def test_protocol_refuses_rules_that_it_cannot_express() -> None:
    assert CourseProtocol().refuses(COURSE) is None
    assert CourseProtocol().refuses(rules("reference")) is None
    assert "new_board_population=0" in (CourseProtocol().refuses(rules("framework")) or "")


def test_messages_without_an_answer_in_between_are_separated_by_a_gap() -> None:
    end = server_end()
    assert end.pause(10.0) == 0
    end.welcome(10.0)
    assert end.pause(10.0) == pytest.approx(GAP_SECONDS)
    end.notice(YourTurnStarts(Seat(1), view()), 20.0)
    assert end.pause(20.01) == pytest.approx(GAP_SECONDS - 0.01)
    assert end.pause(21.0) == 0
    end.ask(feed_next(), 21.0)
    assert end.pause(21.0) == pytest.approx(GAP_SECONDS)
    end.reader.feed(b"1 ")
    end.answer()
    assert end.pause(21.0) == 0, "a player that has answered has read everything"


def test_unsent_messages_need_no_gap() -> None:
    end = server_end()
    end.notice(YouAreOut(Seat(1), Forfeit("late", "too slow")), 20.0)
    end.ask(ArrangeBoards(view()), 20.0)
    assert end.pause(20.0) == 0


# The server end: answers in the styles of known programs.

WHOLE = Declaration(
    food_card=0,
    population=(Growth(1, 1),),
    body=(Growth(2, 2),),
    new_boards=(NewBoard(3, (4,)),),
    replacements=(Replacement(0, 0, 5),),
)
ACTION = [0, [[1, 1]], [[2, 2]], [[3, 4]], [[0, 0, 5]]]

DECLARATIONS: list[tuple[str, bytes]] = [
    ("the reference: one blank after it", frame(ACTION)),
    ("LB: growth with labels, nothing after it", b'[0,[["population",1,1]],[["body",2,2]],[[3,4]],[[0,0,5]]]'),
    ("CB: a newline after it", frame(ACTION, b"\n")),
    ("JC, KD: nothing after it", frame(ACTION, b"")),
    ("JF: over many lines", b"[\n 0,\n [\n  [\n   1,\n   1\n  ]\n ],\n [[2, 2]],\n [[3, 4]],\n [[0, 0, 5]]\n]"),
    ("CR LF", frame(ACTION, b"\r\n")),
    ("white space in front", b" \n\t" + frame(ACTION)),
]


@pytest.mark.parametrize("text", [row[1] for row in DECLARATIONS], ids=[row[0] for row in DECLARATIONS])
def test_declarations_of_every_style_are_read(text: bytes) -> None:
    request = DeclareCards(view())
    assert asked(request, text) == WHOLE
    assert asked(request, *[bytes([byte]) for byte in text.strip()]) == WHOLE


FEEDINGS: list[tuple[str, bytes, Any]] = [
    ("a vegetarian", b"1 ", FeedPlants(1)),
    ("a store of fat", b"[0,2] ", StoreFat(0, 2)),
    ("an attack on the next player", b"[0,0,0] ", AttackSpecies(0, Seat(2), 0)),
    ("an attack on the player before", b"[0,2,0]", AttackSpecies(0, Seat(0), 0)),
    ("an attack on an own board", b"[0,3,1]", AttackSpecies(0, Seat(1), 1)),
]


@pytest.mark.parametrize(("text", "feeding"), [row[1:] for row in FEEDINGS], ids=[row[0] for row in FEEDINGS])
def test_feedings_are_read(text: bytes, feeding: Any) -> None:
    assert asked(feed_next(), text) == feeding


def test_a_number_without_a_following_byte_is_read_when_the_connection_is_idle() -> None:
    """LB, JC, KD and JF clients send vegetarians like this."""
    end = server_end()
    end.ask(feed_next(), 0.0)
    end.reader.feed(b"1")
    assert end.answer() is None
    assert end.reader.is_unsettled
    end.reader.mark_idle()
    assert end.answer() == FeedPlants(1)


def test_a_blank_after_a_number_is_not_an_answer() -> None:
    end = server_end()
    end.ask(feed_next(), 0.0)
    end.reader.feed(b"1")
    end.reader.mark_idle()
    end.answer()
    end.reader.feed(b" ")
    end.ask(feed_next(), 0.0)
    assert end.answer() is None


UNREADABLE: list[tuple[str, EvolutionRequest, bytes, str]] = [
    ("no JSON", DeclareCards(view()), b"what?", "the answer to choose cannot be read: this is not JSON"),
    ("an empty list", DeclareCards(view()), b"[]", "a list of 0 is not an Action4"),
    ("a feeding", DeclareCards(view()), b"false", "false is not an Action4"),
    ("a label of the wrong kind", DeclareCards(view()), b'[0,[["body",1,2]],[],[],[]]', "population growth 0"),
    ("a float", feed_next(), b"0.0 ", "the answer to feedNext cannot be read: 0.0 is no feeding choice"),
    ("a negative board", feed_next(), b"-1 ", "a board is a whole number from 0, not -1"),
    ("a declaration", feed_next(), frame(ACTION), "a list of 5 is no feeding choice"),
    ("true", feed_next(), b"true", "true is no feeding choice"),
    ("a missing player", feed_next(), b"[0,4,0]", "there is no player 4: there are 3 others"),
    ("invalid UTF-8", feed_next(), b'"\xff"', "not encoded as UTF-8"),
    ("deep nesting", feed_next(), b"[" * 100, "nested more than 32 deep"),
    ("too many bytes", feed_next(), b'"' + b"x" * 70_000, "a value has more than 65536 bytes"),
]


@pytest.mark.parametrize(
    ("request_", "text", "message"), [row[1:] for row in UNREADABLE], ids=[row[0] for row in UNREADABLE]
)
def test_an_unreadable_answer_forfeits_with_a_message(request_: EvolutionRequest, text: bytes, message: str) -> None:
    with pytest.raises(PlayerFailed) as failed:
        asked(request_, text)
    assert failed.value.forfeit.reason == "unreadable"
    assert message in failed.value.forfeit.message


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (b"", "the connection has ended; the answer to feedNext is missing"),
        (b"[0,", "the connection has ended in the middle of a value; the answer to feedNext is missing"),
    ],
)
def test_a_closed_connection_forfeits_with_a_message(text: bytes, message: str) -> None:
    end = server_end()
    end.ask(feed_next(), 0.0)
    end.reader.feed(text)
    end.reader.close()
    with pytest.raises(PlayerFailed) as failed:
        end.answer()
    assert failed.value.forfeit == Forfeit("disconnected", message)


def test_an_answer_before_the_connection_closes_counts() -> None:
    end = server_end()
    end.ask(feed_next(), 0.0)
    end.reader.feed(b"1")
    end.reader.close()
    assert end.answer() == FeedPlants(1)


def test_an_answer_to_start_counts_as_the_answer_to_choose() -> None:
    end = server_end()
    end.notice(YourTurnStarts(Seat(1), view()), 0.0)
    end.reader.feed(b'"thanks" ' + frame(ACTION))
    end.ask(DeclareCards(view()), 1.0)
    with pytest.raises(PlayerFailed) as failed:
        end.answer()
    assert failed.value.forfeit.message.startswith(
        'the answer to choose cannot be read (it was sent before the question): "thanks" is not an Action4'
    )


def test_the_second_of_two_values_answers_the_next_request() -> None:
    end = server_end()
    end.ask(DeclareCards(view()), 0.0)
    end.reader.feed(frame(ACTION) + b"1 ")
    assert end.answer() == WHOLE
    end.ask(feed_next(), 1.0)
    assert end.answer() == FeedPlants(1)
    end.ask(feed_next(), 2.0)
    assert end.answer() is None


# The client end: the formats of known servers.

HUNT = (board("carnivore", population=3, body=2), board(population=2))
PREY = ((board(population=2),), (board(), board("long-neck")), (board("fertile"),))


def client(dialect: str, position: int = 1, **options: Any) -> ClientEnd:
    """Return a client that has been welcomed and started, and has got choose at `position` in the turn order."""
    end = ClientEnd("Ada", DIALECTS[dialect], **options)
    end.reader.feed(b"ok" if dialect == "kd" else b'"ok" ')
    end.reader.feed(frame([0, 5, codec.row_to_json(HUNT), codec.cards_to_json(HAND)]))
    assert isinstance(end.take(), YourTurnStarts)
    after = [*PREY[position:]]
    if end.dialect.lists_self:
        after.insert(0, HUNT)
    end.reader.feed(frame([_rows(PREY[:position]), _rows(after)]))
    return end


def feeding_message(dialect: str, position: int = 1) -> bytes:
    """Return a server's feedNext with its list of the four players of a turn."""
    match DIALECTS[dialect].feeding_lists:
        case "after-me":
            listed = [*PREY[position:], *PREY[:position]]
        case "turn-order":
            listed = [*PREY]
        case "all":
            listed = [*PREY[:position], HUNT, *PREY[position:]]
    return frame([5, codec.row_to_json(HUNT), codec.cards_to_json(HAND), 3, _rows(listed)])


LABELLED = b'[0,[["population",1,1]],[["body",2,2]],[[3,4]],[[0,0,5]]]'

SERVERS: list[tuple[str, bytes, bytes, bytes, bytes]] = [
    # Sign-up, a declaration, a vegetarian, an attack on the first board of the first player of the turn.
    ("course", b'"Ada" ', frame(ACTION), b"1 ", b"[0,2,0] "),
    ("reference", b'"Ada" ', frame(ACTION), b"1 ", b"[0,2,0] "),
    ("lb", b'"Ada" ', LABELLED + b" ", b"1 ", b"[0,2,0] "),
    ("cb", b'"Ada" ', frame(ACTION), b"1 ", b"[0,2,0] "),
    ("jc", b'"Ada" ', frame(ACTION), b"1 ", b"[0,2,0] "),
    ("la", b'"Ada" ', frame(ACTION), b"1 ", b"[0,0,0] "),
    ("kd", b'"Ada" ', frame(ACTION), b"1 ", b"[0,0,0] "),
    ("jf", b'"Ada"', frame(ACTION, b""), b"1", b"[0,2,0]"),
]


def test_every_dialect_is_in_the_table() -> None:
    assert [row[0] for row in SERVERS] == list(DIALECTS)
    assert all(name == dialect.name and dialect.text for name, dialect in DIALECTS.items())


@pytest.mark.parametrize(
    ("dialect", "sign_up", "declaration", "vegetarian", "attack"), SERVERS, ids=[row[0] for row in SERVERS]
)
def test_client_end_uses_the_format_of_every_server(
    dialect: str, sign_up: bytes, declaration: bytes, vegetarian: bytes, attack: bytes
) -> None:
    end = client(dialect)
    assert end.sign_up() == sign_up
    choose = end.take()
    assert isinstance(choose, DeclareCards)
    assert [player.boards for player in choose.view.before] == [*PREY[:1]]
    assert [player.boards for player in choose.view.after] == [*PREY[1:]]
    assert choose.view.hand == tuple(HAND)
    assert end.reply(choose, WHOLE) == declaration
    end.reader.feed(feeding_message(dialect))
    feed = end.take()
    assert isinstance(feed, FeedNext)
    assert [player.boards for player in feed.view.players] == [PREY[0], HUNT, *PREY[1:]]
    assert end.reply(feed, FeedPlants(1)) == vegetarian
    first = feed.view.players[0].seat
    assert end.reply(feed, AttackSpecies(0, first, 0)) == attack


@pytest.mark.parametrize("dialect", DIALECTS)
@pytest.mark.parametrize("position", range(4))
def test_client_end_finds_its_position_in_every_list(dialect: str, position: int) -> None:
    end = client(dialect, position)
    choose = end.take()
    end.reader.feed(feeding_message(dialect, position))
    feed = end.take()
    order = [*PREY[:position], HUNT, *PREY[position:]]
    for request in (choose, feed):
        assert isinstance(request, DeclareCards | FeedNext)
        assert [player.boards for player in request.view.players] == order
        assert request.seat == 0
        assert [player.seat for player in request.view.opponents] == [1, 2, 3]


@pytest.mark.parametrize("dialect", DIALECTS)
def test_client_end_reads_a_list_that_a_player_left_since_choose(dialect: str) -> None:
    end = client(dialect, position=3)
    end.take()
    listed = [PREY[1], HUNT] if dialect == "kd" else [PREY[1]]
    end.reader.feed(frame([5, codec.row_to_json(HUNT), [], 3, _rows(listed)]))
    feed = end.take()
    assert isinstance(feed, FeedNext)
    assert [player.boards for player in feed.view.opponents] == [PREY[1]]
    assert end.reply(feed, AttackSpecies(0, feed.view.opponents[0].seat, 1)).strip() == b"[0,0,1]"


def test_an_attack_on_an_own_board_uses_the_number_after_the_last() -> None:
    for dialect, number in (("course", 3), ("la", 3), ("kd", 1)):
        end = client(dialect, rules=rules(own_attacks=True))
        end.take()
        end.reader.feed(feeding_message(dialect))
        feed = end.take()
        assert isinstance(feed, FeedNext)
        assert end.reply(feed, AttackSpecies(0, Seat(0), 1)) == frame([0, number, 1])


def test_a_bare_ok_identifies_the_kd_server() -> None:
    end = ClientEnd("Ada")
    end.reader.feed(b"ok")
    end.reader.mark_idle()
    assert end.take() is None
    assert end.dialect is DIALECTS["kd"]
    end.reader.feed(frame([0, 2, [B], []]))
    start = end.take()
    assert isinstance(start, YourTurnStarts)
    assert start.view.bag == 0, "KD sends the player's number in place of the bag"


@pytest.mark.parametrize("reply", [b'"ok" ', b"true ", b"[1] ", b'"" '])
def test_any_answer_to_the_sign_up_is_accepted(reply: bytes) -> None:
    end = ClientEnd("Ada")
    end.reader.feed(reply + frame([0, 2, [B], []]))
    start = end.take()
    assert isinstance(start, YourTurnStarts)
    assert start.view.bag == 2


def test_a_dialect_is_picked_by_name() -> None:
    end = CourseProtocol().client_end("Ada", "lb")
    assert end.dialect.labels_growth
    assert list(CourseProtocol().dialects) == list(DIALECTS)


ROW_A, ROW_B = (board("horns", population=2),), (board("climbing"),)
FRESH = (board(),)
LISTS: list[tuple[str, list[tuple[Any, list[Any], int]]]] = [
    # For each turn: the player's row, the second list, the number of opponents in it.
    ("new boards prove nothing", [(FRESH, [FRESH, FRESH], 2)]),
    (
        "the player's row at the head is the player",
        [(FRESH, [FRESH, FRESH, FRESH], 3), (ROW_A, [ROW_A, ROW_B, ROW_B], 2)],
    ),
    ("another row at the head is not", [(ROW_A, [ROW_B, ROW_B], 2)]),
    ("nor is an equal one, if the player was missing before", [(ROW_A, [ROW_B], 1), (ROW_A, [ROW_A], 1)]),
    ("an empty list has no players", [(ROW_A, [], 0), (ROW_A, [ROW_A], 1)]),
]


@pytest.mark.parametrize("turns", [row[1] for row in LISTS], ids=[row[0] for row in LISTS])
def test_client_end_detects_whether_it_is_listed(turns: list[tuple[Any, list[Any], int]]) -> None:
    end = ClientEnd("Ada")
    end.reader.feed(b'"ok" ')
    for mine, after, others in turns:
        end.reader.feed(frame([0, 0, codec.row_to_json(mine), codec.cards_to_json(HAND)]) + frame([[], _rows(after)]))
        end.take()
        choose = end.take()
        assert isinstance(choose, DeclareCards)
        assert len(choose.view.after) == others


def test_client_end_estimates_what_the_messages_omit() -> None:
    end = client("reference")
    choose = end.take()
    assert isinstance(choose, DeclareCards)
    assert choose.view.turn == 1
    assert [player.hand_size for player in choose.view.players] == [4, len(HAND), 5, 4]
    assert choose.view.deck_size == 122 - (4 + 5 + 5 + 4)
    assert end.seat == 0
    assert end.names == ("Ada", *[f"opponent {n}" for n in range(1, 8)])
    assert end.rules == rules("reference")
    end.reader.feed(frame([0, 5, codec.row_to_json(HUNT), []]))
    start = end.take()
    assert isinstance(start, YourTurnStarts)
    assert start.view.turn == 2


def test_boards_with_equal_traits_are_read_because_the_reference_program_has_them() -> None:
    end = client("reference")
    end.take()
    twins = (board("horns", "horns"),)
    end.reader.feed(frame([5, codec.row_to_json(twins), [], 3, _rows([twins])]))
    feed = end.take()
    assert isinstance(feed, FeedNext)
    assert feed.view.boards == feed.view.opponents[0].boards == twins


def test_options_for_a_server_that_forbids_storing_more_than_the_hole_has() -> None:
    fat = (board("fat-tissue", body=5, population=2),)
    for dialect, tokens in (("course", 5), ("lb", 2)):
        end = client(dialect)
        end.take()
        end.reader.feed(frame([5, codec.row_to_json(fat), [], 2, _rows(PREY)]))
        feed = end.take()
        assert isinstance(feed, FeedNext)
        assert StoreFat(0, tokens) in feed.options


def test_an_illegal_answer_is_not_sent() -> None:
    end = client("course")
    choose = end.take()
    assert isinstance(choose, DeclareCards)
    with pytest.raises(IllegalAnswer, match="card 0"):
        end.reply(choose, Declaration(0, population=(Growth(0, 0),)))
    with pytest.raises(IllegalAnswer, match="is not a declaration"):
        end.reply(choose, None)


def test_an_announced_result_is_read() -> None:
    end = client("course")
    end.take()
    end.reader.feed(frame({"result": [[1, "Ada#2", 9], [2, "Bob#1", 3]]}))
    assert end.take() == AnnouncedRanking(((1, "Ada#2", 9), (2, "Bob#1", 3)))


def test_end_of_stream_ends_the_game() -> None:
    end = client("course")
    end.take()
    end.reader.close()
    with pytest.raises(StreamEnded):
        end.take()


INVALID_MESSAGES: list[tuple[str, Any, str]] = [
    ("a start message from before version 1.3", [0, [B], []], "not a list of 3"),
    ("a word", "bye", "not something else"),
    ("nothing", None, "not something else"),
    ("a start without boards", [0, 0, 1, []], "of the right kinds"),
    ("a card that does not exist", [0, 0, [B], [[9, "ambush"]]], "card 0: there is no card"),
    ("a species without traits", [0, 0, [B[:3]], []], "board 0"),
    ("a hole that is no number", ["0", 0, [B], []], "the hole is a whole number"),
    ("a broken row of another player", [[], [[B], [1]]], "player 1: board 0"),
    ("a broken result", {"result": [[1, 2, 3]]}, "row 0: an identity is a string"),
]


@pytest.mark.parametrize(
    ("value", "message"), [row[1:] for row in INVALID_MESSAGES], ids=[row[0] for row in INVALID_MESSAGES]
)
def test_messages_outside_of_the_protocol_raise_an_operation_error(value: Any, message: str) -> None:
    end = client("course")
    end.take()
    end.reader.feed(frame(value))
    with pytest.raises(OperationError, match="the server sent what is not in the course's protocol") as error:
        end.take()
    assert message in str(error.value)


def test_choose_before_start_raises() -> None:
    end = ClientEnd("Ada")
    end.reader.feed(b'"ok" ' + frame([[], []]))
    with pytest.raises(OperationError, match="choose came before start"):
        end.take()


# Both ends together.


@given(st.integers(3, 8), st.integers(0, 10**6), st.sampled_from(["course", "reference"]), st.booleans())
def test_client_end_offers_the_options_of_the_server(players: int, seed: int, profile: str, lists_self: bool) -> None:
    table = HostedTable()
    chosen = rules(profile, choose_lists_self=lists_self, seating="reversed", announce_result=True)
    clients = [ClientEnd(f"p{number}", rules=chosen) for number in range(players)]
    bots = [Random(seed=seed + number) for number in range(players)]
    for conn, end in enumerate(clients):
        table.sign_up(conn, end.sign_up())
    delivered = 0
    for conn, server, call in table.questions(deal(players, chosen, seed)):
        for to, message in table.sent[delivered:]:
            clients[to].reader.feed(frame(message))
        delivered = len(table.sent)
        matter = clients[conn].take()
        while isinstance(matter, YourTurnStarts):
            matter = clients[conn].take()
        assert isinstance(matter, DeclareCards | FeedNext)
        asked = call.argument
        assert isinstance(asked, DeclareCards | FeedNext)
        assert matter.view.hand == asked.view.hand
        assert codec.row_to_json(matter.view.boards) == codec.row_to_json(asked.view.boards)
        assert (matter.view.hole, matter.view.bag, matter.view.turn) == (
            asked.view.hole,
            asked.view.bag,
            asked.view.turn,
        )
        assert matter.view.deck_size >= asked.view.deck_size
        if isinstance(asked, FeedNext):
            assert isinstance(matter, FeedNext)
            assert _rows_of(matter.view) == _rows_of(asked.view)
            assert [clients[conn].reply(matter, option) for option in matter.options] == [
                frame(codec.answer_to_json(asked, option)) for option in asked.options
            ]
        server.reader.feed(clients[conn].reply(matter, bots[conn].answer(matter)))
        table.report(server, call)
    assert table.forfeits() == {}
    for to, message in table.sent[delivered:]:
        clients[to].reader.feed(frame(message))
    assert clients[0].take() == AnnouncedRanking(tuple((rank, name, score) for rank, name, score in table.ranking()))


def _rows_of(seen: View) -> list[Any]:
    """Return the rows as messages contain them: without fat that a replaced trait hides."""
    return _rows(player.boards for player in seen.players)


# Detection, and the end of a connection.

COMPACT = frame([0, 0, [B], codec.cards_to_json(HAND)], b"")
SPACED = COMPACT.replace(b",", b", ")

FIRST_MESSAGES: list[tuple[str, bytes, bytes]] = [
    # The dialect, the reply to the sign-up with what follows it, and the next message.
    ("kd", b"ok ", SPACED),
    ("course", b'"ok" ', COMPACT),
    ("cb", b'"ok"\n', SPACED),
    ("jc", b'"ok"', SPACED),
    ("jf", b'"ok"', COMPACT),
]


@pytest.mark.parametrize("size", [1, 5, 1000])
@pytest.mark.parametrize(("dialect", "welcome", "message"), FIRST_MESSAGES, ids=[row[0] for row in FIRST_MESSAGES])
def test_the_first_messages_show_the_dialect(dialect: str, welcome: bytes, message: bytes, size: int) -> None:
    end = CourseProtocol().client_end("Ada", None)
    stream = welcome + message
    taken = None
    for at in range(0, len(stream), size):
        end.reader.feed(stream[at : at + size])
        taken = end.take() or taken
    assert isinstance(taken, YourTurnStarts)
    assert end.server == dialect


def test_a_given_dialect_is_not_replaced_by_a_detected_one() -> None:
    end = CourseProtocol().client_end("Ada", "lb")
    end.reader.feed(b'"ok" ' + COMPACT)
    assert isinstance(end.take(), YourTurnStarts)
    assert end.server == "lb"


def test_a_server_that_lists_the_player_itself_is_the_reference() -> None:
    end = CourseProtocol().client_end("Ada", None)
    end.reader.feed(b'"ok" ' + frame([0, 0, codec.row_to_json(MINE), codec.cards_to_json(HAND)]))
    end.reader.feed(frame([[], _rows([MINE, *ROWS[2:]])]))
    end.take()
    choose = end.take()
    assert isinstance(choose, DeclareCards)
    assert end.server == "reference"
    assert choose.view.rules == DIALECTS["reference"].rules
    assert [player.boards for player in choose.view.after] == [*ROWS[2:]]


@pytest.mark.parametrize("profile", ["course", "reference"])
@pytest.mark.parametrize("players", [3, 5, 8])
def test_the_end_of_a_connection_is_early_until_the_last_turns(players: int, profile: str) -> None:
    table = HostedTable()
    chosen = rules(profile)
    dialect = DIALECTS["reference" if profile == "reference" else "jc"]
    clients = [ClientEnd(f"p{number}", dialect, rules=chosen) for number in range(players)]
    bots = [Random(seed=number) for number in range(players)]
    for conn, end in enumerate(clients):
        table.sign_up(conn, end.sign_up())
    delivered = 0
    early: list[tuple[int, bool]] = []
    for conn, server, call in table.questions(deal(players, chosen, 7)):
        for to, message in table.sent[delivered:]:
            clients[to].reader.feed(frame(message))
        delivered = len(table.sent)
        request = clients[conn].take()
        while isinstance(request, YourTurnStarts):
            request = clients[conn].take()
        assert isinstance(request, DeclareCards | FeedNext)
        early.append((request.view.turn, clients[conn].ending().early is not None))
        server.reader.feed(clients[conn].reply(request, bots[conn].answer(request)))
        table.report(server, call)
    last = max(turn for turn, _ in early)
    assert {is_early for turn, is_early in early if turn <= last - 2 or turn == 1} == {True}
    assert [end.ending().early for end in clients] == [None] * players
