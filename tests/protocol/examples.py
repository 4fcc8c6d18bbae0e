"""The conversations in `docs/reference/protocol.md`, between the real host and a scripted player.

`python -m tests.protocol.examples` prints them in the form of that page.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import msgspec

from tests.games.evolution.builders import board, cards
from wateringhole import registry
from wateringhole.game import (
    AnyKind,
    Event,
    Forfeit,
    Notice,
    Outcome,
    Seat,
    Standing,
    ThrownOut,
    violation_of,
)
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.games.evolution.rules import events
from wateringhole.games.evolution.rules.answers import GiveFood, GrowBody
from wateringhole.games.evolution.rules.cards import TraitCard, card
from wateringhole.games.evolution.rules.options import Rules
from wateringhole.games.evolution.rules.requests import ArrangeBoards, DeclareCards, FeedNext, feedings, offered
from wateringhole.games.evolution.rules.view import PrivateState, SeatedPlayer, View
from wateringhole.games.evolution.rules.violations import CardUsedTwice, HandCard
from wateringhole.protocol.host import HostEnd, ask
from wateringhole.protocol.messages import Hello

__all__ = ["EXAMPLES"]

EVOLUTION = registry.game_kind("evolution")
PORRINHA = registry.game_kind("porrinha")
ADA = Seat(0)
NAMES = ("Ada", "Bob", "Eve")


class Conversation:
    """The messages of the host (`>`) and of Ada (`<`)."""

    def __init__(self, kind: AnyKind) -> None:
        self._kind = kind
        self.host_end = HostEnd(kind)
        self.lines: list[str] = []
        self._serial = 0

    def host(self, line: bytes) -> None:
        self.lines.append(f"> {line.decode().strip()}")

    def ada(self, **message: Any) -> None:
        self.lines.append(f"< {json.dumps(message, separators=(',', ':'))}")

    def ask(self, request: Any, answer: Any) -> Any:
        """Add a request and Ada's legal answer, a JSON value.  Return the answer as an object."""
        parsed = self._kind.codec.answer_from_json(request, answer)
        violation = violation_of(request, parsed)
        assert violation is None, violation
        self.host(self.host_end.request(request, seconds=5.0))
        self._serial += 1
        self.ada(type="answer", id=self._serial, answer=answer)
        return parsed

    def deliver(self, events: Sequence[Event], seat: Seat, *, wants_events: bool) -> None:
        for event in events:
            seen = event.seen_by(seat)
            if isinstance(seen, Notice):
                self.host(self.host_end.notice(seen))
            elif seen is not None and wants_events:
                self.host(self.host_end.event(seen))


def porrinha() -> list[str]:
    """Return a whole game with events; Ada, in the second seat, guesses right in the first round."""
    rules = msgspec.structs.replace(PORRINHA.profiles["seed"].rules, sticks=1)
    setup = PORRINHA.next_setup(PORRINHA.deal(2, rules, 1), [(0, "Bob"), (1, "Ada")], None)
    game = PORRINHA.new_game(setup)
    ada = Seat(1)
    conversation = Conversation(PORRINHA)
    conversation.host(conversation.host_end.hello())
    conversation.ada(type="hello", protocol=1, name="Ada", events=True)
    conversation.host(conversation.host_end.game(ada, ("Bob", "Ada"), rules))
    conversation.deliver(game.opening, ada, wants_events=True)
    answers = {("hand", 0): 1, ("hand", 1): 0, ("guess", 0): 2, ("guess", 1): 1}
    while game.outcome is None:
        given = {seat: answers[request.name, seat] for seat, request in game.requests.items()}
        if ada in game.requests:
            conversation.ask(game.requests[ada], given[ada])
        conversation.deliver(game.advance(given), ada, wants_events=True)
    conversation.host(conversation.host_end.bye("the series is over"))
    return conversation.lines


def evolution() -> list[str]:
    """Return the beginning of a game, and its end."""
    rules = EVOLUTION.profiles["course"].rules
    game = EVOLUTION.new_game(EVOLUTION.deal(3, rules, 1))
    conversation = Conversation(EVOLUTION)
    conversation.host(conversation.host_end.hello())
    conversation.ada(type="hello", protocol=1, name="Ada")
    conversation.host(conversation.host_end.game(ADA, NAMES, rules))
    conversation.deliver(game.opening, ADA, wants_events=False)
    players = [Silly() for _ in NAMES]
    answers = {"declare": [1, [], [], [[2, 0]], []], "feed": 1}
    happened: Sequence[Event] = ()
    while game.outcome is None:
        given = {seat: players[seat].answer(request) for seat, request in game.requests.items()}
        # Only the first request of each kind is shown.
        if ADA in given and (answer := answers.pop(game.requests[ADA].name, None)) is not None:
            given[ADA] = conversation.ask(game.requests[ADA], answer)
        happened = game.advance(given)
    conversation.deliver(happened, ADA, wants_events=False)
    conversation.host(conversation.host_end.bye("the series is over"))
    return conversation.lines


def _view(rules: Rules, *hand: TraitCard) -> View:
    """Return a view before the feeding (if there is a hand), or during it.

    Ada has a carnivore, a species with fat tissue and a plain one; Bob has two species, one of which climbs.
    """
    is_fed = 0 if hand else 1
    mine = (
        board("carnivore", population=4, body=3),
        board("fat-tissue", population=2, food=2 * is_fed, body=2),
        board("long-neck", population=3, food=is_fed),
    )
    rows = {ADA: mine, Seat(1): (board("climbing", population=2), board(population=5, food=5 * is_fed, body=1))}
    rows[Seat(2)] = (board(body=4),)
    players = tuple(SeatedPlayer(seat, row, len(hand) if seat == ADA else 3) for seat, row in rows.items())
    return View(rules, ADA, 2, 5, 74, players, PrivateState(mine, hand, 6))


HAND = cards(
    (3, "burrowing"), (-1, "foraging"), (0, "herding"), (1, "symbiosis"), (-2, "hard-shell"), (2, "warning-call")
)


def declare() -> list[str]:
    """Return a declaration that uses every part."""
    conversation = Conversation(EVOLUTION)
    request = DeclareCards(_view(EVOLUTION.profiles["course"].rules, *HAND))
    conversation.ask(request, [0, [[0, 1]], [[3, 2]], [[3, 4]], [[2, 0, 5]]])
    return conversation.lines


def feed() -> list[str]:
    """Return a choice between plants, fat and prey."""
    conversation = Conversation(EVOLUTION)
    rules = EVOLUTION.profiles["course"].rules
    view = _view(rules)
    targets = [(player.seat, player.boards) for player in view.opponents]
    conversation.ask(FeedNext(view, offered(feedings(view.boards, targets, rules), view.hole, rules)), [0, 1, 0])
    return conversation.lines


def arrange() -> list[str]:
    conversation = Conversation(EVOLUTION)
    conversation.ask(ArrangeBoards(_view(EVOLUTION.profiles["framework"].rules, *HAND)), [1, 0, 2])
    return conversation.lines


def stepwise() -> list[str]:
    """Return the first step request of a declaration."""
    conversation = Conversation(EVOLUTION)
    conversation.ada(type="hello", protocol=1, style="stepwise")
    request = DeclareCards(_view(EVOLUTION.profiles["course"].rules, *HAND[:3]))
    requests = ask(conversation.host_end, EVOLUTION, Hello(1, style="stepwise"), request, seconds=5.0)
    line = next(requests)
    assert line is not None
    conversation.host(line)
    conversation.ada(type="answer", id=1, answer=[3, "burrowing"])
    # The host can read the answer, so another step request follows.
    assert requests.send(conversation.lines[-1][2:].encode()) is not None
    return conversation.lines


def trouble() -> list[str]:
    """Return the messages after mistakes."""
    conversation = Conversation(EVOLUTION)
    conversation.host(conversation.host_end.question("sing", {"song": "any"}))
    conversation.ada(type="pass", id=1)
    conversation.host(
        conversation.host_end.refused(CardUsedTwice(HandCard(0, card(2, "horns")), GiveFood(0), GrowBody(1, 0)))
    )
    why = "IndexError in mine.py line 7: list index out of range"
    conversation.ada(type="failed", id=2, reason="exception", message=why)
    conversation.host(conversation.host_end.event(events.PlayerForfeited(ADA, Forfeit("exception", why))))
    conversation.host(conversation.host_end.notice(events.YouAreOut(ADA, Forfeit("exception", why))))
    return conversation.lines


def acknowledged() -> list[str]:
    rules = PORRINHA.profiles["seed"].rules
    game = PORRINHA.new_game(PORRINHA.next_setup(PORRINHA.deal(2, rules, 1), [(0, "Ada"), (1, "Bob")], None))
    conversation = Conversation(PORRINHA)
    conversation.ada(type="hello", protocol=1, acknowledges=True)
    begin = game.opening[0]
    assert isinstance(begin, Notice)
    conversation.host(conversation.host_end.notice(begin, acknowledged=True))
    conversation.ada(type="pass", id=1)
    return conversation.lines


TOKEN = "o2XqT5u1mJxRZkYc7vQpWn3aLdEhB8sF"


def signing_up() -> list[str]:
    conversation = Conversation(PORRINHA)
    conversation.ada(type="hello", protocol=1, name="Ada")
    conversation.host(conversation.host_end.hello(token=TOKEN))
    return conversation.lines


def knocking() -> list[str]:
    conversation = Conversation(PORRINHA)
    conversation.ada(type="knock")
    conversation.host(conversation.host_end.hello(token=TOKEN))
    conversation.ada(type="hello", protocol=1, name="Ada", events=True)
    return conversation.lines


def reconnecting() -> list[str]:
    conversation = Conversation(PORRINHA)
    conversation.ada(type="hello", protocol=1, token=TOKEN, heard=17)
    conversation.host(conversation.host_end.hello(token=TOKEN, resumed=17))
    return conversation.lines


def result() -> list[str]:
    """Return the result of a game from which Ada was thrown out."""
    conversation = Conversation(EVOLUTION)
    bob, eve = Seat(1), Seat(2)
    ranking = (
        Standing(eve, 1, 6, (("bag", 6), ("population", 0), ("traits", 0))),
        Standing(bob, 2, 5, (("bag", 5), ("population", 0), ("traits", 0))),
    )
    late = ThrownOut(ADA, Forfeit("late", "no answer within the referee's patience of 10 s"))
    conversation.host(conversation.host_end.result(Outcome("the deck is too small for another turn", ranking, (late,))))
    return conversation.lines


EXAMPLES: Mapping[str, Callable[[], list[str]]] = {
    "porrinha": porrinha,
    "trouble": trouble,
    "acknowledged": acknowledged,
    "signup": signing_up,
    "knocking": knocking,
    "reconnecting": reconnecting,
    "result": result,
    "evolution": evolution,
    "declare": declare,
    "feed": feed,
    "arrange": arrange,
    "stepwise": stepwise,
}


if __name__ == "__main__":
    for name, example in EXAMPLES.items():
        print(f"```conversation {name}", *example(), "```", sep="\n")
