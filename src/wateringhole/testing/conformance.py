"""The conformance kit: `check_game(kind)` plays random games of a kind and checks every rule of the interface.

It plays every profile with the fewest, the usual and the most players.  In these games it checks:

- The same seed produces the same setup, and the same answers produce the same game, with events and without.
- There are requests exactly while there is no outcome; every game ends; every seat has a place.
- `upcoming` requests follow unchanged.
- A rejected answer, and an answer that `advance` refuses, change nothing.
- Any seat can forfeit at any time, alone and with others.  An event reports it.  A seat that was thrown out is
  not asked again.
- A copy is independent of its original and continues in the same way; with `emit=False` it emits no events.
- `new_game_emitting` emits notices and the selected types of events; `counted_events` names all types that open a turn
  or are a highlight (both are optional).
- Setup, requests, answers, events, views and violations survive JSON; records replay and verify.

Hidden information:

- The part of an event that a seat sees depends only on the event, and does not change when it is filtered again.
- Folding the events that a seat received, and its answers, produces its view (`fold` is optional).
- A seat that received the same events and gave the same answers has the same view and the same request, in all
  games of a profile.  Among them are pairs of games in which another seat gives another answer.
- A spectator learns nothing that the players of other seats do not learn.
- No view, request or received event contains the seed.
- Two setups that look the same to a seat show it the same opening (`alike`, which the author of a game provides).

`wateringhole.testing.facet_checks` checks the facets that a game provides.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import math
import random
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, NamedTuple

from wateringhole.errors import UsageError, WateringHoleError
from wateringhole.formatting import short_repr
from wateringhole.game import Answer, AnyKind, Event, Forfeit, Game, Request, Seat, Selection, Violation
from wateringhole.match.record import Recorder, read_record
from wateringhole.seeds import derived_seed
from wateringhole.testing.facet_checks import check_facets, check_violation_text
from wateringhole.testing.games import FORFEIT, MOST_PLAYERS, Case, NonConforming, Pilots, plain, sizes, snapshot

__all__ = ["Alike", "NonConforming", "Report", "check_game"]

Alike = Callable[[Any, Seat, random.Random], Any]
"""`alike(setup, seat, chance)` returns another setup that looks the same to this seat until the first answer."""

SEED = 7_919_000_000
"""The first seed.  It is so large that a view cannot contain it by accident."""
FIRST_STEPS = 4
"""The number of first steps that are always inspected.  Later steps are inspected at random."""
INSPECTIONS = 12
"""The most inspections of one game."""
SHADOW_STEPS = 8
"""The number of steps for which a copy is compared with its original."""


class Report(NamedTuple):
    """The coverage of a check."""

    games: int
    skipped: tuple[str, ...]
    """A message for each check that does not apply to this game."""


def check_game(
    kind: AnyKind,
    *,
    games: int = 3,
    seed: int = SEED,
    most_steps: int = 20_000,
    most_players: int = MOST_PLAYERS,
    alike: Alike | None = None,
    leaky: Collection[str] = (),
) -> Report:
    """Check that a kind of game follows every rule of the interface.

    It plays each profile `games` times with each number of players: the fewest, the usual, and the most up to
    `most_players`.  A game that does not end within `most_steps` counts as endless.  Views of `leaky` profiles show
    more than the events on purpose, like the program that they imitate, so they are not compared.

    Raises NonConforming, which names the first rule that is broken.
    """
    skipped = []
    played = 0
    for profile in kind.profiles:
        for players in sizes(kind, most_players):
            case = Case(kind, profile, players, seed)
            try:
                kind.deal(players, case.rules, seed)
            except UsageError as error:
                skipped.append(f"{profile} with {players} players: {error}")
                continue
            known: dict[Any, str] = {}
            # The first game has no forfeits, the second one at a time, the third several at once.
            for number in range(games):
                case = Case(kind, profile, players, seed + number)
                _Run(case, None if profile in leaky else known, most_steps, alike).play(most_forfeits=number % 3)
                played += 1
    if kind.fold is None:
        skipped.append("fold: the game provides none, so its events are not compared with its views")
    if alike is None:
        skipped.append("alike: none is given, so openings are not compared between setups that look the same to a seat")
    skipped += check_facets(kind, seed)
    return Report(played, tuple(skipped))


class _Observer:
    """The events and answers of one seat, or of a spectator, so far."""

    def __init__(self, case: Case, seat: Seat | None) -> None:
        self.seat = seat
        self.fold = case.kind.fold(seat) if case.kind.fold else None
        self._digest = hashlib.sha256()

    def add(self, what: str) -> None:
        self._digest.update(f"{what}\n".encode())

    def history(self) -> str:
        return self._digest.hexdigest()


class _Pair(NamedTuple):
    """A copy in which one seat gave another answer, and the seats that have received the same events since."""

    game: Game[Any, Any, Any]
    blind: list[Seat | None]


class _Shadow(NamedTuple):
    """A copy that takes the same answers as its original."""

    game: Game[Any, Any, Any]
    emits: bool
    until: int


class _Run:
    """One random game with all its checks."""

    def __init__(self, case: Case, known: dict[Any, str] | None, most_steps: int, alike: Alike | None) -> None:
        self._case = case
        self._kind = case.kind
        self._codec = case.kind.codec
        self._known = known
        """The view of each seat after each history, in all games of this profile and number of players.

        It is None if views may show more than the events."""
        self._most_steps = most_steps
        self._alike = alike
        self._chance = random.Random(f"{case.profile} {case.players} {case.seed}")
        self._pilots = Pilots(case, self._chance)
        self._observers = {seat: _Observer(case, seat) for seat in (None, *case.seats)}
        self._shadows: list[_Shadow] = []
        self._still: tuple[Game[Any, Any, Any], Any] | None = None
        """A copy that does not advance, and its snapshot."""
        self._pair: _Pair | None = None
        self._thrown_out: list[Seat] = []
        self._unreported: dict[Seat, Forfeit] = {}
        self._types: Counter[type[Event]] = Counter()
        self._inspections = 0

    def play(self, most_forfeits: int) -> None:
        """Play to the end with at most this many forfeits at once, and check everything."""
        case, kind = self._case, self._kind
        setup = self._deal()
        with case.calling("new_game"):
            game = kind.new_game(setup)
            silent = kind.new_game(setup, emit=False)
        case.expect(not silent.opening, "new_game(emit=False) has events in its opening; expected none")
        selected = self._selected_game(setup, game.opening)
        if self._alike:
            self._compare_openings(setup, game)
        recorder = Recorder(kind, setup, [f"player {seat + 1}" for seat in case.seats])
        opening = game.opening
        moves: list[tuple[Mapping[Seat, Any], Sequence[Event]]] = []
        self._receive(opening)
        while self._is_running(game, self._thrown_out):
            if case.steps >= self._most_steps:
                case.fail("the game has not ended; expected every game to end, with any answers")
            self._inspect(game, silent)
            answers = self._choose(game, most_forfeits)
            if most_forfeits < 2:
                self._record(recorder, game, answers)
            events = self._advance(game, answers)
            with case.calling("advance of a game with emit=False"):
                case.expect(not silent.advance(answers), "a game with emit=False emits events")
            if selected:
                with case.calling("advance of a game of new_game_emitting"):
                    self._check_selection(events, selected.advance(answers))
            moves.append((answers, events))
            self._receive(events)
        self._inspect_views(game)
        self._check_end(game, silent)
        self._replay(setup, opening, moves, game)
        if most_forfeits < 2:
            self._verify(recorder, game, [*opening, *(event for _, events in moves for event in events)])

    # Selected events

    def _selected_game(self, setup: Any, opening: Sequence[Event]) -> Game[Any, Any, Any] | None:
        case, kind = self._case, self._kind
        if kind.new_game_emitting is None:
            return None
        with case.calling("new_game_emitting"):
            game = kind.new_game_emitting(setup, Selection(kind.counted_events or frozenset()))
        self._check_selection(opening, game.opening)
        return game

    def _check_selection(self, events: Sequence[Event], emitted: Sequence[Event]) -> None:
        case, kind = self._case, self._kind
        types = kind.counted_events or frozenset()
        expected = [event for event in events if event.is_notice or type(event) in types]
        case.expect(
            list(emitted) == expected,
            "new_game_emitting emits other events; expected notices and events of the selected types",
        )
        if kind.counted_events is not None:
            for event in events:
                counts = (
                    kind.turn_of(event) is not None
                    or (kind.highlight and kind.highlight.is_one(event))
                    or (event.incident and event.incident.is_repaired_answer)
                )
                name = type(event).__name__
                case.expect(
                    not counts or type(event) in types,
                    f"{name} opens a turn, is a highlight or reports a repaired answer; expected it in counted_events",
                )

    # Setup

    def _deal(self) -> Any:
        case, kind = self._case, self._kind
        with case.calling("deal"):
            setup = kind.deal(case.players, case.rules, case.seed)
            again = kind.deal(case.players, case.rules, case.seed)
        case.expect(setup == again, "deal makes another setup from the same seed; expected all chance to come from it")
        case.expect(setup.players == case.players, f"the setup has {setup.players} players; expected {case.players}")
        case.expect(setup.rules == case.rules, "the setup has other rules than deal was given")
        with case.calling("deal with a text as its seed"):
            from_text = kind.deal(case.players, case.rules, derived_seed(case.seed, "deal"))
        for what, dealt in (("the setup", setup), ("the setup from a text as its seed", from_text)):
            with case.calling(f"the JSON of {what}"):
                back = self._codec.setup_from_json(plain(case, what, self._codec.setup_to_json(dealt)))
            case.expect(back == dealt, f"{what} does not survive JSON")
        return setup

    def _compare_openings(self, setup: Any, game: Game[Any, Any, Any]) -> None:
        """Start games from setups that look the same to a seat, and compare its events, view and request."""
        case = self._case
        assert self._alike is not None
        for seat in case.seats:
            with case.calling("alike"):
                other = self._alike(setup, seat, self._chance)
                twin = self._kind.new_game(other)
            seen, expected = ([event.seen_by(seat) for event in each.opening] for each in (twin, game))
            for mine, theirs in zip(expected, seen, strict=False):
                if mine != theirs:
                    case.fail(
                        f"seat {seat} receives {short_repr(mine)} in one game and {short_repr(theirs)} in another that "
                        "differs only in what is hidden from it; expected the same"
                    )
            same = (
                len(seen) == len(expected)
                and twin.view(seat) == game.view(seat)
                and twin.requests.get(seat) == game.requests.get(seat)
            )
            case.expect(same, f"two setups that differ only in what is hidden from seat {seat} look different to it")

    # One step

    def _is_running(self, game: Game[Any, Any, Any], thrown_out: Collection[Seat]) -> bool:
        """Return whether the game continues.  Only then there are requests, and none to thrown-out seats."""
        case = self._case
        with case.calling("requests or outcome"):
            asked, outcome = game.requests, game.outcome
        if outcome is None:
            case.expect(bool(asked), "there are neither requests nor an outcome; expected one of them")
        else:
            case.expect(not asked, "there are requests although the game has an outcome; expected none")
        for seat, request in asked.items():
            case.expect(request.seat == seat, f"the request to seat {seat} is addressed to seat {request.seat}")
            case.expect(seat not in thrown_out, f"seat {seat} was thrown out and is asked to {request.name}")
        return outcome is None

    def _choose(self, game: Game[Any, Any, Any], most_forfeits: int) -> Mapping[Seat, Answer | Forfeit]:
        """Return answers to all requests, or a few forfeits."""
        chance = self._chance
        answers: dict[Seat, Answer | Forfeit] = {}
        if most_forfeits and chance.random() < 0.06:
            leaving = [seat for seat in self._case.seats if seat not in {*self._thrown_out, *self._unreported}]
            chosen = chance.sample(leaving, min(len(leaving), chance.randint(1, most_forfeits)))
            self._unreported.update(dict.fromkeys(chosen, FORFEIT))
            answers.update(dict.fromkeys(chosen, FORFEIT))
            # A seat that is asked together with others can fail while the others answer.
            mixed = answers.keys() < game.requests.keys() and chance.random() < 0.5
            if answers and not mixed:
                return answers
        for seat, request in game.requests.items():
            if seat not in answers:
                answers[seat] = self._pilots.answer(request)
                self._check_answer_json(request, answers[seat])
        return answers

    def _record(self, recorder: Recorder, game: Game[Any, Any, Any], answers: Mapping[Seat, Any]) -> None:
        with self._case.calling("writing the record"):
            if answers.keys() == game.requests.keys():
                for seat, request in game.requests.items():
                    recorder.add(request, answers[seat], 0.0)
            else:
                for seat, forfeit in answers.items():
                    recorder.add_forfeit(seat, forfeit)

    def _advance(self, game: Game[Any, Any, Any], answers: Mapping[Seat, Any]) -> Sequence[Event]:
        """Advance the game and the copies that are compared with it."""
        case = self._case
        before = snapshot(case, game) if self._shadows or self._pair else None
        upcoming = [self._codec.request_to_json(request) for request in game.upcoming]
        is_forfeit = any(isinstance(answer, Forfeit) for answer in answers.values())
        with case.calling("advance of a copy"):
            shadowed = [shadow.game.advance(answers) for shadow in self._shadows]
        paired = self._advance_pair(answers)
        if before is not None:
            case.expect(snapshot(case, game) == before, "advancing a copy changed its original")
        if answers.keys() == game.requests.keys():
            for seat, request in game.requests.items():
                fold = self._observers[seat].fold
                if fold:
                    with case.calling("fold of an answer"):
                        fold.answered(request, answers[seat])
        for seat, answer in answers.items():
            left = isinstance(answer, Forfeit)
            given = "forfeit" if left else json.dumps(self._codec.answer_to_json(game.requests[seat], answer))
            self._observers[seat].add(f"answer {given}")
        with case.calling("advance"):
            events = game.advance(answers)
        case.steps += 1
        after = snapshot(case, game) if self._shadows else None
        for shadow, emitted in zip(self._shadows, shadowed, strict=True):
            if shadow.emits:
                case.expect(list(emitted) == list(events), "a copy emits other events than its original")
            else:
                case.expect(not emitted, "a copy with emit=False emits events; expected none")
            case.expect(snapshot(case, shadow.game) == after, "a copy continues in another way than its original")
        self._shadows = [shadow for shadow in self._shadows if shadow.until > case.steps]
        if self._still:
            copy, looked = self._still
            case.expect(snapshot(case, copy) == looked, "advancing the original changed a copy of it")
            self._still = None
        if paired is not None:
            self._compare_pair(game, events, paired)
        if upcoming and not is_forfeit:
            asked = [self._codec.request_to_json(request) for request in game.requests.values()]
            case.expect(
                bool(asked) and all(request in upcoming[: len(asked)] for request in asked),
                "an upcoming request did not follow; expected the requests that upcoming lists, in their order",
            )
        return events

    def _receive(self, events: Sequence[Event]) -> None:
        """Deliver events to every seat, and record incidents and thrown-out seats."""
        case = self._case
        for event in events:
            self._types[type(event)] += 1
            if self._types[type(event)] <= 3:
                self._check_event(event)
            with case.calling(f"reading {type(event).__name__}"):
                out, incident = event.thrown_out, event.incident
            if out:
                self._thrown_out.append(out.seat)
                self._unreported.pop(out.seat, None)
            if incident:
                self._unreported.pop(incident.seat, None)
            whole = self._event_text(event)
            for seat, observer in self._observers.items():
                with case.calling(f"seen_by of {type(event).__name__}"):
                    seen = event.seen_by(seat)
                if seen is None:
                    continue
                text = whole if seen is event else self._event_text(seen)
                self._keep_secret(f"the event {type(event).__name__} that seat {seat} receives", text)
                observer.add(text)
                if observer.fold:
                    with case.calling(f"fold of {type(event).__name__}"):
                        observer.fold.see(seen)

    def _event_text(self, event: Event) -> str:
        with self._case.calling(f"the JSON of the event {type(event).__name__}"):
            return json.dumps(self._codec.event_to_json(event))

    # Inspections

    def _inspect(self, game: Game[Any, Any, Any], silent: Game[Any, Any, Any]) -> None:
        """Run all inspections of the game, at some of its steps."""
        case, chance = self._case, self._chance
        if case.steps >= FIRST_STEPS and (self._inspections >= INSPECTIONS or chance.random() > 0.1):
            return
        self._inspections += 1
        before = snapshot(case, game)
        case.expect(snapshot(case, silent) == before, "a game with emit=False differs from one that emits events")
        self._inspect_views(game)
        for request in game.requests.values():
            self._inspect_request(game, request)
        with case.calling("copy"):
            twin = game.copy()
            self._shadows += [
                _Shadow(game.copy(), True, case.steps + SHADOW_STEPS),
                _Shadow(game.copy(emit=False), False, case.steps + SHADOW_STEPS),
            ]
            self._still = game.copy(), before
        self._try_bad_answers(game)
        case.expect(snapshot(case, game) == before, "a rejected answer changed the game")
        self._try_refusals(game)
        self._try_forfeits(game)
        with case.calling("advance without answers"), contextlib.suppress(ValueError):
            case.expect(not game.advance({}), "advance without answers emits events; expected no change")
        case.expect(snapshot(case, game) == before, "advance without answers, or a copy, changed the game")
        # A hidden change may show later, so the unchanged twin continues along with the game.
        self._shadows.append(_Shadow(twin, True, case.steps + SHADOW_STEPS))
        if self._pair is None and self._known is not None:
            self._start_pair(game)

    def _inspect_views(self, game: Game[Any, Any, Any]) -> None:
        case, codec = self._case, self._codec
        for seat, observer in self._observers.items():
            with case.calling(f"view({seat})"):
                view = game.view(seat)
                value = plain(case, f"view({seat})", codec.view_to_json(view))
                back = codec.view_from_json(value)
            case.expect(back == view, f"view({seat}) does not survive JSON")
            self._keep_secret(f"view({seat})", json.dumps(value))
            if observer.fold:
                with case.calling("fold"):
                    folded = observer.fold.view()
                if folded != view:
                    difference = _difference(value, codec.view_to_json(folded))
                    case.fail(f"folding the events that seat {seat} received does not produce its view: {difference}")
            self._compare_history(seat, game, value)

    def _compare_history(self, seat: Seat | None, game: Game[Any, Any, Any], view: Any) -> None:
        """Compare the view and request of a seat with those in other games after the same history."""
        if self._known is None:
            return
        request = None if seat is None else game.requests.get(seat)
        asked = None if request is None else self._codec.request_to_json(request)
        seen = json.dumps([view, asked], sort_keys=True)
        before = self._known.setdefault((seat, self._observers[seat].history()), seen)
        if before != seen:
            difference = _difference(json.loads(before), json.loads(seen))
            self._case.fail(
                f"view({seat}) or the request to this seat shows something that no event showed it: after the same "
                f"events and answers it differs between two games, {difference}"
            )

    def _inspect_request(self, game: Game[Any, Any, Any], request: Request[Any]) -> None:
        case, codec, name = self._case, self._codec, request.name
        with case.calling(f"the JSON of the request {name}"):
            value = plain(case, f"the request {name}", codec.request_to_json(request))
            back = codec.request_from_json(value)
        case.expect(back == request, f"the request {name} does not survive JSON")
        case.expect(value.get("kind") == name, f"the JSON of the request {name} lacks its name as kind")
        self._keep_secret(f"the request {name}", json.dumps(value))
        view = getattr(request, "view", None)
        if view is not None:
            same = view == game.view(request.seat)
            case.expect(same, f"the view in the request {name} is not view({request.seat})")
        for option in list(getattr(request, "options", None) or ())[:40]:
            self._check_accepted(request, option, "one of its options,")
        default = request.default_answer()
        if default is not None:
            self._check_accepted(request, default, "its default answer,")

    def _check_accepted(self, request: Request[Any], given: Any, what: str) -> None:
        with self._case.calling(f"accept of {request.name}"):
            accepted = request.accept(given)
        if isinstance(accepted, Violation):
            self._case.fail(f"the request {request.name} rejects {what} {short_repr(given)}, as {accepted.rule}")
        self._check_answer_json(request, accepted)

    def _check_answer_json(self, request: Request[Any], answer: Answer) -> None:
        case, codec = self._case, self._codec
        what = f"the answer {short_repr(answer)} to {request.name}"
        with case.calling(f"the JSON of {what}"):
            value = plain(case, what, codec.answer_to_json(request, answer))
            back = request.accept(codec.answer_from_json(request, value))
        if isinstance(back, Violation):
            case.fail(f"{what} is rejected after a round trip through JSON, as {back.rule}")
        case.expect(plain(case, what, codec.answer_to_json(request, back)) == value, f"{what} does not survive JSON")

    def _check_event(self, event: Event) -> None:
        case, codec, name = self._case, self._codec, type(event).__name__
        for seat in (None, *case.seats):
            seen = event.seen_by(seat)
            if seen is not None:
                same = seen.seen_by(seat) == seen
                case.expect(same, f"the part of {name} that seat {seat} sees changes when it is filtered again")
        for seen in (event, *(event.seen_by(seat) for seat in (None, *case.seats))):
            if seen is None:
                continue
            with case.calling(f"the JSON of the event {name}"):
                back = codec.event_from_json(plain(case, f"the event {name}", codec.event_to_json(seen)))
            case.expect(back == seen, f"the event {name} does not survive JSON")

    def _keep_secret(self, what: str, text: str) -> None:
        leaks = str(self._case.seed) in text
        self._case.expect(not leaks, f"{what} contains the seed of the game, which decides all chance")

    # Bad answers and forfeits

    def _try_bad_answers(self, game: Game[Any, Any, Any]) -> None:
        case, codec = self._case, self._codec
        for request in game.requests.values():
            for junk in _JUNK:
                with case.calling(f"accept of {request.name}, given {short_repr(junk)},"):
                    found = request.accept(junk)
                if not isinstance(found, Violation):
                    self._check_accepted(request, found, "an answer that it accepted before,")
                    continue
                what = f"the violation {found.rule}"
                with case.calling(f"the JSON of {what}"):
                    value = plain(case, what, codec.violation_to_json(found))
                    back = codec.violation_from_json(value)
                case.expect(back == found and back.rule == found.rule, f"{what} does not survive JSON")
                check_violation_text(case, found)
            for hostile in _hostile_objects():
                try:
                    found = request.accept(hostile)
                except Exception:
                    continue  # the referee treats this as a violation
                if not isinstance(found, Violation):
                    self._check_accepted(request, found, "an answer that it accepted before,")

    def _try_refusals(self, game: Game[Any, Any, Any]) -> None:
        case = self._case
        for seat in game.requests:
            answers = {each: self._pilots.answer(request) for each, request in game.requests.items()}
            self._refuses(game, {**answers, seat: object()}, "an answer that its request rejects")
        absent = [seat for seat in case.seats if seat not in game.requests and seat not in self._thrown_out]
        if absent:
            first = next(iter(game.requests.values()))
            self._refuses(game, {absent[0]: self._pilots.answer(first)}, "an answer of a seat that is not asked")

    def _refuses(self, game: Game[Any, Any, Any], answers: Mapping[Seat, Any], what: str) -> None:
        """Check that `advance` raises ValueError and changes nothing."""
        case = self._case
        copy = game.copy()
        before = snapshot(case, copy)
        try:
            copy.advance(answers)
        except ValueError:
            case.expect(snapshot(case, copy) == before, f"advance refused {what}, but changed the game")
        except Exception as error:
            case.fail(f"advance raised {type(error).__name__} for {what}; expected ValueError")
        else:
            case.fail(f"advance accepted {what}; expected ValueError")

    def _try_forfeits(self, game: Game[Any, Any, Any]) -> None:
        """Let each seat forfeit in a copy, then all of them at once."""
        case = self._case
        playing = [seat for seat in case.seats if seat not in self._thrown_out]
        for leaving in [[seat] for seat in playing] + [playing]:
            copy = game.copy()
            leavers = f"seat{'s' if len(leaving) > 1 else ''} {', '.join(map(str, leaving))}"
            with case.calling(f"a forfeit of {leavers}"):
                events = copy.advance(dict.fromkeys(leaving, FORFEIT))
                left = {event.thrown_out.seat for event in events if event.thrown_out}
            self._is_running(copy, left)

    # Hidden answers

    def _start_pair(self, game: Game[Any, Any, Any]) -> None:
        """Make a copy in which a seat will give another answer."""
        with self._case.calling("copy"):
            self._pair = _Pair(game.copy(), [])

    def _advance_pair(self, answers: Mapping[Seat, Any]) -> Sequence[Event] | None:
        """Advance the copy with the same answers, the first time with another answer of one seat."""
        if self._pair is None:
            return None
        game, blind = self._pair
        given = dict(answers)
        if not blind:
            asked = [seat for seat, answer in answers.items() if not isinstance(answer, Forfeit)]
            if not asked or given.keys() != game.requests.keys():
                self._pair = None
                return None
            hider = self._chance.choice(asked)
            other = self._pilots.other_answer(game.requests[hider], answers[hider])
            if other is None:
                self._pair = None
                return None
            given[hider] = other
            blind.extend(seat for seat in (None, *self._case.seats) if seat != hider)
        elif given.keys() != game.requests.keys() or not self._fit(game, given):
            self._pair = None
            return None
        with self._case.calling("advance of a copy"):
            return game.advance(given)

    @staticmethod
    def _fit(game: Game[Any, Any, Any], answers: Mapping[Seat, Any]) -> bool:
        """Return whether the answers are also legal in the other game."""
        return not any(
            isinstance(answer, Forfeit) or isinstance(game.requests[seat].accept(answer), Violation)
            for seat, answer in answers.items()
        )

    def _compare_pair(self, game: Game[Any, Any, Any], events: Sequence[Event], others: Sequence[Event]) -> None:
        case = self._case
        assert self._pair is not None
        twin, blind = self._pair
        received = {seat: [_seen(each, seat) for each in (events, others)] for seat in blind}
        still_blind = [seat for seat in blind if received[seat][0] == received[seat][1]]
        for seat in still_blind:
            same = game.view(seat) == twin.view(seat)
            case.expect(same, f"view({seat}) shows an answer of another seat that no event has shown to seat {seat}")
            if seat is not None and seat in game.requests and seat in twin.requests:
                same = game.requests[seat] == twin.requests[seat]
                case.expect(same, f"the request to seat {seat} shows an answer of another seat that no event has shown")
        if None in blind and None not in still_blind and len(still_blind):
            case.fail(f"a spectator learns something from the events that seat {still_blind[0]} does not learn")
        blind[:] = still_blind
        if not still_blind:
            self._pair = None

    # The end

    def _check_end(self, game: Game[Any, Any, Any], silent: Game[Any, Any, Any]) -> None:
        case = self._case
        outcome = game.outcome
        assert outcome is not None
        case.expect(silent.outcome == outcome, "a game with emit=False has another outcome than one that emits events")
        places = outcome.places()
        missing = [seat for seat in case.seats if seat not in places]
        case.expect(not missing, f"the outcome has no place for seats {missing}; expected one for every seat")
        case.expect(places.keys() == set(case.seats), f"the outcome places {sorted(places)}; expected {case.seats}")
        inside = all(1 <= place <= case.players for place in places.values())
        case.expect(inside, f"the places are {places}; expected numbers from 1 to {case.players}")
        ranked = [standing.place for standing in outcome.ranking]
        case.expect(ranked == sorted(ranked), f"the ranking has the places {ranked}; expected the best first")
        out = [thrown.seat for thrown in outcome.thrown_out]
        case.expect(
            out == self._thrown_out,
            f"seats {out} were thrown out according to the outcome, seats {self._thrown_out} according to the events",
        )
        if self._unreported:
            case.fail(
                f"seat {min(self._unreported)} forfeited and no event reports it; expected one whose thrown_out or "
                "incident names the seat"
            )

    def _replay(
        self, setup: Any, opening: Sequence[Event], moves: Sequence[tuple[Any, Any]], game: Game[Any, Any, Any]
    ) -> None:
        case = self._case
        again = self._kind.new_game(setup)
        case.expect(list(again.opening) == list(opening), "the same setup produces another opening the second time")
        for number, (answers, events) in enumerate(moves, 1):
            with case.calling(f"step {number}, taken a second time,"):
                repeated = again.advance(answers)
            if list(repeated) != list(events):
                case.fail(f"the same answers produce other events the second time, at step {number}; expected the same")
        case.expect(again.outcome == game.outcome, "the same answers produce another outcome the second time")

    def _verify(self, recorder: Recorder, game: Game[Any, Any, Any], events: Sequence[Event]) -> None:
        case = self._case
        assert game.outcome is not None
        with case.calling("writing the record"):
            recorder.finish(game.outcome)
            text = recorder.text()
        try:
            replayed = list(read_record(text, kind=self._kind).replay().events())
        except WateringHoleError as error:
            case.fail(f"the record does not replay: {error}")
        case.expect(replayed == list(events), "the record replays with other events than the game had")


def _seen(events: Sequence[Event], seat: Seat | None) -> list[Event]:
    return [seen for event in events if (seen := event.seen_by(seat)) is not None]


def _difference(expected: Any, found: Any, path: str = "") -> str:
    """Return the first difference between two JSON values."""
    if isinstance(expected, dict) and isinstance(found, dict):
        for key in (*expected, *found):
            if expected.get(key) != found.get(key):
                return _difference(expected.get(key), found.get(key), f"{path}.{key}" if path else str(key))
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        for index, (left, right) in enumerate(zip(expected, found, strict=True)):
            if left != right:
                return _difference(left, right, f"{path}[{index}]")
    return f"{path or 'it'} is {short_repr(expected)} and {short_repr(found)}"


_JUNK: tuple[Any, ...] = (
    None,
    True,
    -1,
    0.5,
    math.nan,
    math.inf,
    10**400,
    "",
    "junk",
    "\ud800",
    b"bytes",
    [],
    [[[]]],
    (),
    {},
    {"answer": 1},
    {1, 2},
    object(),
    int,
    len,
    FORFEIT,
)


def _hostile_objects() -> list[Any]:
    """Return objects that fail, or lie, when they are examined."""

    def fail(*_: Any) -> Any:
        raise RuntimeError("this object does not want to be examined")

    methods = ("__eq__", "__hash__", "__repr__", "__str__", "__bool__", "__len__", "__iter__", "__index__", "__lt__")
    failing = type("Failing", (), dict.fromkeys(methods, fail))()
    nameless = type("Nameless", (), {"__class__": property(fail), "__getattribute__": fail})()
    pretender = type("Pretender", (), {"__class__": property(lambda self: int)})()
    number = type("Number", (int,), {"__eq__": fail, "__hash__": fail, "__lt__": fail, "__repr__": fail})(1)
    text = type("Text", (str,), {"__eq__": fail, "__hash__": fail, "__len__": fail, "__repr__": fail})("a")
    return [failing, nameless, pretender, number, text]
