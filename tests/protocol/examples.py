"""The conversations of `docs/protocol.md`, as our own host and a scripted player have them.

`python -m tests.protocol.examples` prints them as they belong into the page.
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

__all__ = ["EXAMPLES"]

EVOLUTION = registry.game_kind("evolution")
PORRINHA = registry.game_kind("porrinha")
ADA = Seat(0)
NAMES = ("Ada", "Bob", "Eve")


class Conversation:
    """What the host (`>`) and Ada (`<`) say to each other."""

    def __init__(self, kind: AnyKind) -> None:
        self._kind = kind
        self.talk = HostEnd(kind)
        self.lines: list[str] = []
        self._serial = 0

    def host(self, line: bytes) -> None:
        self.lines.append(f"> {line.decode().strip()}")

    def ada(self, **message: Any) -> None:
        self.lines.append(f"< {json.dumps(message, separators=(',', ':'))}")

    def ask(self, request: Any, answer: Any) -> Any:
        """A question and Ada's legal answer, as a JSON value; the answer that it is."""
        meant = self._kind.codec.answer_from_json(request, answer)
        violation = violation_of(request, meant)
        assert violation is None, violation
        self.host(self.talk.request(request, seconds=5.0))
        self._serial += 1
        self.ada(type="answer", id=self._serial, answer=answer)
        return meant

    def happen(self, happened: Sequence[Event], seat: Seat, *, wants_events: bool) -> None:
        for event in happened:
            seen = event.seen_by(seat)
            if isinstance(seen, Notice):
                self.host(self.talk.notice(seen))
            elif seen is not None and wants_events:
                self.host(self.talk.event(seen))


def porrinha() -> list[str]:
    """A whole game with events; Ada, on the second seat, is right at once."""
    rules = msgspec.structs.replace(PORRINHA.profiles["seed"].rules, sticks=1)
    setup = PORRINHA.next_setup(PORRINHA.deal(2, rules, 1), [(0, "Bob"), (1, "Ada")], None)
    game = PORRINHA.new_game(setup)
    ada = Seat(1)
    said = Conversation(PORRINHA)
    said.host(said.talk.hello())
    said.ada(type="hello", protocol=1, name="Ada", events=True)
    said.host(said.talk.game(ada, ("Bob", "Ada"), rules))
    said.happen(game.opening, ada, wants_events=True)
    answers = {("hand", 0): 1, ("hand", 1): 0, ("guess", 0): 2, ("guess", 1): 1}
    while game.outcome is None:
        given = {seat: answers[request.name, seat] for seat, request in game.requests.items()}
        if ada in game.requests:
            said.ask(game.requests[ada], given[ada])
        said.happen(game.advance(given), ada, wants_events=True)
    said.host(said.talk.bye("the series is over"))
    return said.lines


def evolution() -> list[str]:
    """The beginning of a game, and its end."""
    rules = EVOLUTION.profiles["course"].rules
    game = EVOLUTION.new_game(EVOLUTION.deal(3, rules, 1))
    said = Conversation(EVOLUTION)
    said.host(said.talk.hello())
    said.ada(type="hello", protocol=1, name="Ada")
    said.host(said.talk.game(ADA, NAMES, rules))
    said.happen(game.opening, ADA, wants_events=False)
    players = [Silly() for _ in NAMES]
    answers = {"declare": [1, [], [], [[2, 0]], []], "feed": 1}
    happened: Sequence[Event] = ()
    while game.outcome is None:
        given = {seat: players[seat].answer(request) for seat, request in game.requests.items()}
        # The first question of each kind is shown.
        if ADA in given and (answer := answers.pop(game.requests[ADA].name, None)) is not None:
            given[ADA] = said.ask(game.requests[ADA], answer)
        happened = game.advance(given)
    said.happen(happened, ADA, wants_events=False)
    said.host(said.talk.bye("the series is over"))
    return said.lines


def _view(rules: Rules, *hand: TraitCard) -> View:
    """Before anybody is fed (with a hand), or in the middle of it.

    Ada has a hunter, a species with a store and a plain one; Bob has two species, one of which climbs.
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
    """One declaration that has everything."""
    said = Conversation(EVOLUTION)
    request = DeclareCards(_view(EVOLUTION.profiles["course"].rules, *HAND))
    said.ask(request, [0, [[0, 1]], [[3, 2]], [[3, 4]], [[2, 0, 5]]])
    return said.lines


def feed() -> list[str]:
    """A choice between plants, a store and prey."""
    said = Conversation(EVOLUTION)
    rules = EVOLUTION.profiles["course"].rules
    view = _view(rules)
    targets = [(player.seat, player.boards) for player in view.opponents]
    said.ask(FeedNext(view, offered(feedings(view.boards, targets, rules), view.hole, rules)), [0, 1, 0])
    return said.lines


def arrange() -> list[str]:
    said = Conversation(EVOLUTION)
    said.ask(ArrangeBoards(_view(EVOLUTION.profiles["framework"].rules, *HAND)), [1, 0, 2])
    return said.lines


def stepwise() -> list[str]:
    """The first small question of a declaration."""
    said = Conversation(EVOLUTION)
    said.ada(type="hello", protocol=1, style="stepwise")
    request = DeclareCards(_view(EVOLUTION.profiles["course"].rules, *HAND[:3]))
    questions = ask(said.talk, EVOLUTION, "stepwise", request, seconds=5.0)
    line = next(questions)
    assert line is not None
    said.host(line)
    said.ada(type="answer", id=1, answer=[3, "burrowing"])
    # It is understood: another question follows.
    assert questions.send(said.lines[-1][2:].encode()) is not None
    return said.lines


def trouble() -> list[str]:
    """What is said when something goes wrong."""
    said = Conversation(EVOLUTION)
    said.host(said.talk.question("sing", {"song": "any"}))
    said.ada(type="pass", id=1)
    said.host(said.talk.refused(CardUsedTwice(HandCard(0, card(2, "horns")), GiveFood(0), GrowBody(1, 0))))
    why = "IndexError in mine.py line 7: list index out of range"
    said.ada(type="failed", id=2, reason="exception", message=why)
    said.host(said.talk.event(events.PlayerForfeited(ADA, Forfeit("exception", why))))
    said.host(said.talk.notice(events.YouAreOut(ADA, Forfeit("exception", why))))
    return said.lines


def acknowledged() -> list[str]:
    rules = PORRINHA.profiles["seed"].rules
    game = PORRINHA.new_game(PORRINHA.next_setup(PORRINHA.deal(2, rules, 1), [(0, "Ada"), (1, "Bob")], None))
    said = Conversation(PORRINHA)
    said.ada(type="hello", protocol=1, acknowledges=True)
    begin = game.opening[0]
    assert isinstance(begin, Notice)
    said.host(said.talk.notice(begin, acknowledged=True))
    said.ada(type="pass", id=1)
    return said.lines


TOKEN = "o2XqT5u1mJxRZkYc7vQpWn3aLdEhB8sF"


def signing_up() -> list[str]:
    said = Conversation(PORRINHA)
    said.ada(type="hello", protocol=1, name="Ada")
    said.host(said.talk.hello(token=TOKEN))
    return said.lines


def knocking() -> list[str]:
    said = Conversation(PORRINHA)
    said.ada(type="knock")
    said.host(said.talk.hello(token=TOKEN))
    said.ada(type="hello", protocol=1, name="Ada", events=True)
    return said.lines


def coming_back() -> list[str]:
    said = Conversation(PORRINHA)
    said.ada(type="hello", protocol=1, token=TOKEN, heard=17)
    said.host(said.talk.hello(token=TOKEN, resumed=17))
    return said.lines


def result() -> list[str]:
    """A game that ended without Ada."""
    said = Conversation(EVOLUTION)
    bob, eve = Seat(1), Seat(2)
    ranking = (
        Standing(eve, 1, 6, (("bag", 6), ("population", 0), ("traits", 0))),
        Standing(bob, 2, 5, (("bag", 5), ("population", 0), ("traits", 0))),
    )
    late = ThrownOut(ADA, Forfeit("late", "no answer within the referee's patience of 10 s"))
    said.host(said.talk.result(Outcome("the deck is too small for another turn", ranking, (late,))))
    return said.lines


EXAMPLES: Mapping[str, Callable[[], list[str]]] = {
    "porrinha": porrinha,
    "trouble": trouble,
    "acknowledged": acknowledged,
    "signing-up": signing_up,
    "knocking": knocking,
    "coming-back": coming_back,
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
