"""Five kinds of players finish a game at one table, and none of them is sent hidden information.

The record contains everything.  The tests compute from it what each seat may know, and compare all messages with that.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from tests.browser.conftest import Visit
from tests.browser.five_players import NAMES, NODE, FivePlayers, Message
from tests.browser.house import House
from tests.browser.playing import play_evolution
from tests.house.leaks import evolution_leaks, scenes
from wateringhole.game import Event, Notice, Seat
from wateringhole.games.evolution import course
from wateringhole.games.evolution.rules import codec
from wateringhole.games.evolution.rules.events import ResultAnnounced, YourTurnStarts
from wateringhole.games.evolution.rules.folded_view import FoldedView
from wateringhole.games.evolution.rules.requests import DeclareCards, EvolutionRequest, FeedNext
from wateringhole.games.evolution.rules.view import View
from wateringhole.match.record import Record, read_record

HUMAN, NODE_PROGRAM, PYTHON_BOT, COURSE_CLIENT, BUILT_IN = map(Seat, range(5))


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("five")


@pytest.fixture(scope="module")
def house(folder: Path) -> Iterator[House]:
    """Run a server that logs the messages to its greedy bot."""
    house = House(folder, (str(Path(__file__).with_name("logged_serve.py")), f"{folder}/greedy.jsonl"))
    yield house
    house.close()


class _Known:
    """The knowledge of one seat in a recorded game: the events that it sees, and what follows from them alone."""

    def __init__(self, record: Record, seat: Seat) -> None:
        self.unfiltered: list[Event] = []
        """The events that the seat sees, with their hidden parts."""
        self.events: list[Event] = []
        """The same events as the seat sees them."""
        self.views: list[View] = []
        """The view after each event."""
        self.messages: list[tuple[Notice | EvolutionRequest, View]] = []
        """The notices and requests to the seat, each with the view at that time."""
        folded = FoldedView(seat)
        replay = record.replay()
        request: EvolutionRequest | None = None
        for event in replay.events():
            if replay.game.requests.get(seat) is not request:
                # The game has taken an answer and made this event and those after it.
                if request is not None:
                    self.messages.append((request, folded.view()))
                request = replay.game.requests.get(seat)
            seen = event.seen_by(seat)
            if isinstance(seen, Notice):
                self.messages.append((seen, folded.view()))
            elif seen is not None:
                folded.see(seen)
                self.unfiltered.append(event)
                self.events.append(seen)
                self.views.append(folded.view())


def _view_to_json(view: View) -> Message:
    """Return a view as the protocol sends it, without the rules."""
    value = codec.view_to_json(view)
    del value["rules"]
    return value


def _protocol_message(message: Notice | EvolutionRequest, view: View) -> Message:
    """Return a notice or a request in the JSON protocol; `view` replaces its own."""
    match message:
        case ResultAnnounced():
            outcome = codec.event_to_json(message)["outcome"]
            return {"type": "notice", "notice": "game_over", "event": "ResultAnnounced", "outcome": outcome}
        case YourTurnStarts():
            return {"type": "notice", "notice": "start", "event": "YourTurnStarts", "view": _view_to_json(view)}
        case DeclareCards():
            return {"type": "request", "request": "declare", "view": _view_to_json(view)}
        case FeedNext():
            options = [codec.answer_to_json(message, option) for option in message.options]
            return {"type": "request", "request": "feed", "view": _view_to_json(view), "options": options}
    raise AssertionError(message)


def _course_message(message: Notice | EvolutionRequest, view: View) -> list[Any] | None:
    """Return a notice or a request in the course's protocol, or None if it has no such message."""
    match message:
        case YourTurnStarts():
            return course.start_message(view)
        case DeclareCards():
            return course.choose_message(view)
        case FeedNext():
            return course.feed_next_message(view)
    return None


def _check_events_and_requests(known: _Known, seat: Seat, messages: Sequence[Message]) -> None:
    """Compare the messages of the JSON protocol that a game sends to a seat."""
    assert list(_leaks(known, seat, messages)) == []
    events = [message for message in messages if message["type"] == "event"]
    assert events == [{"type": "event", **codec.event_to_json(event)} for event in known.events]
    others = [message for message in messages if message["type"] != "event"]
    timeless = [{name: value for name, value in other.items() if name not in ("id", "seconds")} for other in others]
    assert timeless == [_protocol_message(*expected) for expected in known.messages]
    # No view is ahead of the events either.
    views = [None, *map(_view_to_json, known.views)]
    heard = 0
    for message in messages:
        heard += message["type"] == "event"
        assert message.get("view") in (None, views[heard])


def _leaks(known: _Known, seat: Seat, messages: Sequence[Message]) -> Iterator[str]:
    """Yield the hidden information in messages of the JSON protocol, without relying on the filter of events."""
    numbers = itertools.count(1)
    return evolution_leaks(
        known.unfiltered,
        seat,
        [
            {"type": "event", "number": next(numbers), "event": message} if message["type"] == "event" else message
            for message in messages
        ],
    )


def _check_protocol(record: Record, known: _Known, seat: Seat, messages: Sequence[Message]) -> None:
    """Compare all messages to a remote player in the JSON protocol."""
    hello, game, *during, result, bye = messages
    assert hello.keys() == {"type", "protocol", "game", "software", "players", "token"}
    assert record.commitment is not None
    assert game == {
        "type": "game",
        "seat": seat,
        "names": list(NAMES),
        "rules": codec.event_to_json(known.events[0])["rules"],
        "commitment": record.commitment.digest,
    }
    _check_events_and_requests(known, seat, during)
    outcome = json.loads(record.result)
    assert result == {"type": "result", "outcome": outcome, "nonce": record.commitment.nonce}
    assert bye.keys() == {"type", "reason"}


def _check_page(record: Record, known: _Known, seat: Seat, messages: Sequence[Message]) -> None:
    """Compare all messages to a page."""
    expected_types = {"hello", "table", "game", "event", "scene", "waiting", "request", "draft", "preview", "over"}
    assert {message["type"] for message in messages} <= expected_types
    events = [message for message in messages if message["type"] == "event"]
    assert [event["number"] for event in events] == list(range(1, len(known.events) + 1))
    assert [event["event"] for event in events] == [codec.event_to_json(event) for event in known.events]
    assert [line for event in events for line in event["text"]] == record.narrate(seat).splitlines()
    requests = [message["request"] for message in messages if message["type"] == "request"]
    assert requests == [message.name for message, _ in known.messages if not isinstance(message, Notice)]
    views = [_view_to_json(FoldedView(seat).view()), *map(_view_to_json, known.views)]
    heard = 0
    for message in messages:
        heard += message["type"] == "event"
        for scene in scenes(message):
            assert {name: scene[name] for name in views[heard]} == views[heard]
    # What remains are drafts, offers and previews.
    assert list(evolution_leaks(known.unfiltered, seat, messages)) == []


@pytest.mark.slow
@pytest.mark.skipif(NODE is None, reason="needs Node.js: apt install nodejs")
def test_five_kinds_of_players_finish_a_game_and_no_message_contains_hidden_information(
    visit: Visit, folder: Path, tmp_path: Path
) -> None:
    page = visit("about:blank")
    players = FivePlayers(page, tmp_path)
    try:
        play_evolution(page)
        players.wait()
    finally:
        players.close()
    record = read_record(page.request.get(f"/api/games/{players.id}/record").body())
    assert record.header.names == NAMES
    assert json.loads(record.result)["thrown_out"] == []
    known = {seat: _Known(record, seat) for seat in map(Seat, range(5))}

    page_messages = players.page_messages
    node_messages = players.node_messages()
    bot_messages = players.joined_messages("bot")
    _check_page(record, known[HUMAN], HUMAN, page_messages)
    _check_protocol(record, known[NODE_PROGRAM], NODE_PROGRAM, node_messages)
    _check_protocol(record, known[PYTHON_BOT], PYTHON_BOT, bot_messages)
    course_messages = [_course_message(*message) for message in known[COURSE_CLIENT].messages]
    assert players.joined_messages("course") == ["ok", *filter(None, course_messages)]
    greedy_messages = [json.loads(line) for line in (folder / "greedy.jsonl").read_text().splitlines()]
    _check_events_and_requests(known[BUILT_IN], BUILT_IN, greedy_messages)

    # The messages of one seat are leaks for another one, so the search must find some.
    assert list(_leaks(known[HUMAN], HUMAN, greedy_messages))
    assert list(evolution_leaks(known[BUILT_IN].unfiltered, BUILT_IN, page_messages))
    # No player is sent a secret of another one either.
    page_token = page.evaluate("id => localStorage.getItem(`seat:${id}`)", players.id)
    for secret in (*players.codes, page_token, node_messages[0]["token"]):
        assert secret not in json.dumps([page_messages, node_messages[1:], bot_messages])
