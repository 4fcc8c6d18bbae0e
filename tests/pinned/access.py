"""All access of the pinned tests to the project's modules, by functions that take and return plain data.

When a module moves, only this file in `tests/pinned` changes.
"""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import re
from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.cli.running import called
from tests.games.evolution.conversations import HostedTable
from tests.house.hosting import run as run_hosted
from tests.house.serving import Seat as Page
from tests.house.serving import Served, run, served
from tests.pinned.failing import Unspeakable, fail
from wateringhole import fallbacks, registry
from wateringhole.errors import WateringHoleError
from wateringhole.facets import Question, RawAnswer, Reader
from wateringhole.formatting import sentence
from wateringhole.game import Forfeit, Notice, Seat, Violation, violation_of
from wateringhole.games.evolution.course import DIALECTS, ClientEnd
from wateringhole.games.evolution.rules import answers as evolution_answers
from wateringhole.games.evolution.rules.draft import Draft
from wateringhole.games.evolution.rules.requests import DeclareCards, FeedNext, feedings, offered
from wateringhole.games.evolution.text.narration import EventNarrator
from wateringhole.games.porrinha.rules import answers as porrinha_answers
from wateringhole.house.host import HouseServer, RecurringPlan
from wateringhole.match.loops import play
from wateringhole.match.match import Match, RefereeSettings
from wateringhole.match.record import Recorder, read_record
from wateringhole.match.series import Entrant, Series
from wateringhole.match.specs import parse_specs
from wateringhole.player import IllegalAnswer, PlayerContext, PlayerFailed, PlayerLeft, SeatAssignment, player_seed
from wateringhole.protocol.frames import StreamEnded, frame
from wateringhole.tournaments.executors import IN_PROCESS
from wateringhole.tournaments.ratings import standings
from wateringhole.tournaments.settings import Settings, new_settings
from wateringhole.tournaments.store import Store
from wateringhole.tournaments.tournament import Tournament
from wateringhole.web.replays import replay_of

Error = WateringHoleError


# Games and rules


def games() -> list[str]:
    return list(registry.game_names())


def profiles(game: str) -> list[str]:
    return list(registry.game_kind(game).profiles)


def rules_of(game: str, profile: str | None = None, options: dict[str, Any] | None = None) -> Any:
    kind = registry.game_kind(game)
    chosen = kind.profiles[profile or next(iter(kind.profiles))].rules
    return msgspec.convert({**msgspec.to_builtins(chosen), **(options or {})}, kind.rules)


def rules_json(game: str, profile: str | None = None, options: dict[str, Any] | None = None) -> dict[str, Any]:
    chosen: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(rules_of(game, profile, options)))
    return chosen


# Records


def outcome_of(record: bytes) -> dict[str, Any]:
    """Replay a record and return its outcome.  Raise Error if the record is invalid."""
    replay = read_record(record).replay()
    for _ in replay.events():
        pass
    outcome: dict[str, Any] = msgspec.json.decode(msgspec.json.encode(replay.game.outcome))
    return outcome


def events_of(record: bytes) -> list[dict[str, Any]]:
    """Return all events of a record as JSON values."""
    read = read_record(record)
    return [read.kind.codec.event_to_json(event) for event in read.replay().events()]


def record_again(record: bytes) -> bytes:
    """Give the recorded answers to a referee again, and return the record that it writes."""
    read = read_record(record)
    recorder = Recorder(read.kind, read.setup, read.header.names)
    match = Match(read.kind, read.setup, read.header.names, recorder=recorder)
    lines = list(read.answers)
    while calls := match.pending_calls:
        if calls[0].method != "answer":
            failed = bool(lines) and lines[0].request is None and lines[0].seat == calls[0].seat
            match.report(calls[0], lines.pop(0).forfeit if failed else None)
            continue
        for call in calls:
            line = lines.pop(0)
            assert (line.seat, line.request) == (call.seat, call.argument.name)  # type: ignore[union-attr]
            if line.forfeit is not msgspec.UNSET:
                answer: Any = line.forfeit
            else:
                answer = read.kind.codec.answer_from_json(call.argument, line.answer)
            match.report(call, answer, line.ms / 1e3)
    return recorder.text()


def untimed(record: bytes) -> bytes:
    """Return a record as if every answer had taken no time."""
    *lines, result = re.sub(rb'"ms":[0-9.e-]+', b'"ms":0.0', record).splitlines(keepends=True)
    digest = hashlib.sha256(b"".join(lines)).hexdigest().encode()
    return b"".join(lines) + re.sub(rb"sha256:[0-9a-f]+", b"sha256:" + digest, result, count=1)


class _Clock:
    """A clock that advances an eighth of a second at every call."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        self.now += 0.125
        return self.now


class _Misbehaving:
    """A player that commits planned misdeeds."""

    def __init__(self, game: str, player: Any, misdeeds: Sequence[dict[str, Any]], clock: _Clock) -> None:
        self._game = game
        self._player = player
        self._misdeeds = misdeeds
        self._clock = clock
        self._calls: dict[str, int] = {}

    def __getattr__(self, name: str) -> Any:
        return getattr(self._player, name)

    def on_seated(self, assignment: Any) -> None:
        self._misbehave("take_seat", None)
        self._player.on_seated(assignment)

    def on_notice(self, notice: Any) -> None:
        self._misbehave("notice", None)
        self._player.on_notice(notice)

    def answer(self, request: Any, seconds: float | None = None) -> Any:
        for call in ("answer", request.name):
            if (misdeed := self._due(call)) is not None:
                done, value = self._do(misdeed, request)
                if done:
                    return value
        return self._player.answer(request, seconds)

    def _misbehave(self, call: str, request: Any) -> None:
        if (misdeed := self._due(call)) is not None:
            self._do(misdeed, request)

    def _due(self, call: str) -> dict[str, Any] | None:
        number = self._calls[call] = self._calls.get(call, 0) + 1
        return next((deed for deed in self._misdeeds if deed["at"] == [call, number]), None)

    def _do(self, misdeed: dict[str, Any], request: Any) -> tuple[bool, Any]:
        """Return whether the misdeed is an answer, and that answer."""
        match misdeed:
            case {"say": value}:
                try:
                    return True, registry.game_kind(self._game).codec.answer_from_json(request, value)
                except ValueError as error:
                    raise PlayerFailed(Forfeit("unreadable", str(error))) from None
            case {"python": text}:
                return True, python_value(text)
            case {"raise": text}:
                fail(text)
            case {"leave": text}:
                raise PlayerLeft(text)
            case {"fail": reason, "text": text}:
                raise PlayerFailed(Forfeit(reason, text))
            case {"wait": seconds}:
                self._clock.now += seconds
        return False, None


def play_planned(plan: dict[str, Any]) -> list[bytes]:
    """Play the games of a plan on a simulated clock, and return their records."""
    with contextlib.ExitStack() as players:
        return _play_planned(plan, players)


_REFEREE_FIELDS = {
    "patience_seconds": "time_limit",
    "person_patience_seconds": "human_time_limit",
    "bank_seconds": "time_bank",
}
"""The settings whose names in the pinned plans are older than those in the code."""


def _referee_settings(planned: dict[str, Any]) -> RefereeSettings:
    return RefereeSettings(**{_REFEREE_FIELDS.get(name, name): value for name, value in planned.items()})


def _play_planned(plan: dict[str, Any], to_close: contextlib.ExitStack) -> list[bytes]:
    game, specs, seed = plan["game"], plan["players"], plan["seed"]
    kind = registry.game_kind(game)
    rules = rules_of(game, plan.get("profile"), plan.get("options"))
    clock = _Clock()
    named = parse_specs(game, specs)
    entrants = []
    with PlayerContext(len(named)):
        for seat, player in enumerate(named):
            misdeeds = [deed for deed in plan.get("misdeeds", ()) if deed["seat"] == seat]
            made: Any = player.make(player_seed(seed, seat))
            to_close.callback(made.close)
            entrants.append(Entrant(player.label, _Misbehaving(game, made, misdeeds, clock) if misdeeds else made))
    referee = _referee_settings(plan.get("policy", {}))
    if "games" in plan:
        series = Series(
            kind=kind,
            entrants=entrants,
            rules=rules,
            seeds=[seed + (0 if plan.get("same_seed") else number) for number in range(plan["games"])],
            rotate_seats=plan.get("rotate_seats", False),
            referee=referee,
            choices=plan.get("choices", {}),
            keeps_records=True,
        )
        return [untimed(played.record_bytes or b"") for played in series.play()]
    names = [entrant.name for entrant in entrants]
    setup = kind.deal(len(entrants), rules, seed, **plan.get("choices", {}))
    if plan.get("settles_in", True):
        setup = kind.next_setup(setup, list(enumerate(names)), None)
    recorder = Recorder(kind, setup, names)
    players = [entrant.player for entrant in entrants]
    event_seats = [Seat(seat) for seat, player in enumerate(players) if player.wants_events]
    play(Match(kind, setup, names, referee=referee, recorder=recorder, event_seats=event_seats), players, clock)
    return [recorder.text()]


# Violations

_PYTHON: dict[str, Any] = {
    **{name: getattr(evolution_answers, name) for name in evolution_answers.__all__},
    "NotANumber": porrinha_answers.NotANumber,
    "Unspeakable": Unspeakable,
}

_STEPS: dict[str, Callable[..., Any]] = {
    "food": evolution_answers.GiveFood,
    "buy": evolution_answers.BuyBoard,
    "lay": evolution_answers.LayTrait,
    "replace": evolution_answers.ReplaceTrait,
    "population": evolution_answers.GrowPopulation,
    "body": evolution_answers.GrowBody,
}


def python_value(text: str) -> Any:
    """Evaluate an expression with the names of the games' answers, for values that only a Python player returns."""
    return eval(text, {"__builtins__": {"object": object, "range": range}}, _PYTHON)


def request_of(game: str, request: Any) -> Any:
    """Return a request from its JSON form."""
    return registry.game_kind(game).codec.request_from_json(request)


def request_again(game: str, request: Any) -> dict[str, Any]:
    """Return a request read from JSON and written again."""
    return registry.game_kind(game).codec.request_to_json(request_of(game, request))


def with_options(request: dict[str, Any]) -> dict[str, Any]:
    """Return a request to feed with all options that its view allows."""
    view = request_of("evolution", {**request, "options": []}).view
    targets = [(player.seat, player.boards) for player in view.opponents]
    if view.rules.own_attacks:
        targets.append((view.seat, view.boards))
    options = offered(feedings(view.boards, targets, view.rules), view.hole, view.rules)
    return registry.game_kind("evolution").codec.request_to_json(FeedNext(view, options))


def verdict(game: str, request: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Return the verdict of the referee on a bad answer, and that of the page where it differs."""
    asked = request_of(game, request)
    if "steps" in case:
        return _verdict_on_steps(asked, case["steps"])
    if "replies" in case:
        return _verdict_on_replies(asked, case["replies"])
    if "python" in case:
        answer = python_value(case["python"])
    else:
        try:
            answer = registry.game_kind(game).codec.answer_from_json(asked, case["answer"])
        except ValueError as error:
            return {"unreadable": str(error)}
    found: dict[str, Any] = {}
    if violation := violation_of(asked, answer):
        found = _violation(game, violation)
    elif game == "porrinha":
        counts_as, fault = asked.resolve(answer)
        found = {"fault": fault, "counts_as": counts_as}
    kind = registry.game_kind(game)
    if "python" not in case and (advice := violation or fallbacks.page(kind).dissuade(asked, answer)):
        names = tuple(f"player {number}" for number in range(1, 1 + kind.seats[-1]))
        text = fallbacks.sentence_for(kind, advice, Reader(names, asked.seat))
        found["page"] = {"rule": advice.rule, "message": sentence(text)}
    return found


def _violation(game: str, violation: Violation) -> dict[str, Any]:
    message = fallbacks.sentence_for(registry.game_kind(game), violation)
    return {"rule": violation.rule, "message": message}


def _verdict_on_steps(request: Any, steps: list[Any]) -> dict[str, Any]:
    draft: Draft = request.draft()
    for name, *numbers in steps:
        if violation := draft.add(_STEPS[name](*numbers) if name in _STEPS else name):
            return {**_violation("evolution", violation), "after": len(draft.taken)}
    violation = draft.check_complete()
    return {"unfinished": violation and _violation("evolution", violation)}


def _verdict_on_replies(request: Any, replies: list[Any]) -> dict[str, Any]:
    """Return the verdict on the replies of a stepwise player; None passes."""
    from wateringhole.games.evolution.bots import stepwise_wire
    from wateringhole.protocol.messages import Unreadable

    given = [RawAnswer(is_pass=True) if reply is None else RawAnswer(reply["answer"]) for reply in replies]
    try:
        # The pinned replies are in the order that was once the only one.
        step = stepwise_wire.proceed(request, given, step_order="boards_first")
    except IllegalAnswer as error:
        return _violation("evolution", error.violation)
    except Unreadable as error:
        return {"unreadable": str(error)}
    if isinstance(step, Question):
        return {"question": step.name}
    if violation := violation_of(request, step):
        return {**_violation("evolution", violation), "whole": True}
    return {"answer": registry.game_kind("evolution").codec.answer_to_json(request, step)}


# Stores


class _Enough(Exception):
    """Raised to interrupt a tournament after enough games."""


def start_tournament(store: Path, settings: dict[str, Any], games: int | None = None) -> int:
    """Play a new tournament to its end or for a number of games.  Return the number of the tournament."""
    kind = registry.game_kind(settings["game"])
    rules = rules_json(settings["game"], settings.get("profile"))
    names = [player.label for player in parse_specs(settings["game"], settings["players"])]
    chosen = {**settings, "rules": rules, "rules_version": kind.rules_version, "names": names}
    chosen.pop("profile", None)
    return play_settings(store, chosen, games)


def play_settings(store: Path, settings: dict[str, Any], games: int | None = None) -> int:
    """Play a new tournament with all settings as a store keeps them.  Return its number."""
    seen = 0

    def listen(results: Sequence[Any]) -> None:
        nonlocal seen
        seen += len(results)
        if games is not None and seen >= games:
            raise _Enough

    opened = Store(store)
    try:
        # Jobs of one series each, so that the listener is called after every series.
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(IN_PROCESS, "job_seconds", 1e-6)
            tournament = Tournament.start(opened, msgspec.convert(settings, Settings))
            with contextlib.suppress(_Enough):
                tournament.play(listen)
    finally:
        opened.close()
    return tournament.number


def resume_tournament(store: Path, number: int) -> None:
    opened = Store(store)
    try:
        Tournament.resume(opened, number).play()
    finally:
        opened.close()


def tournament_of(store: Path, number: int) -> dict[str, Any]:
    """Return the data of a tournament in a store, without times: settings, progress, results, standings, records."""
    opened = Store(store)
    try:
        stored = opened.tournament(number)
        results = list(opened.results(number))
        records = {
            f"{each.series}.{each.game}": hashlib.sha256(
                untimed(opened.record(number, each.series, each.game))
            ).hexdigest()
            for each in results
        }
        table = standings(stored.settings.sums(results), stored.settings.names)
        found = msgspec.json.encode(
            {
                "settings": stored.settings,
                "progress": stored.progress,
                "is_finished": stored.finished is not None,
                "results": [msgspec.structs.replace(each, seconds=()) for each in results],
                "standings": table,
                "records": records,
            }
        )
    finally:
        opened.close()
    value: dict[str, Any] = msgspec.json.decode(found)
    for line in value["standings"]["players"]:
        line.pop("seconds")
    # Newer than the pinned data, like the next one.
    value["settings"].pop("withdraw_after")
    for result in value["results"]:
        result.pop("repaired_answers")
    return value


# The page's server

serve = served
"""`async with serve(store) as server`"""
PageSeat = Page
PageServer = Served
run_server = run


async def finish_table(server: Served, table: dict[str, Any]) -> dict[str, Any]:
    """Reconnect to a table and play its game to the end.  Return its result and its record."""
    async with Page(server.url, table["id"], table["token"], heard=table["heard"]) as seat:
        resumed = (await seat.next())["resumed"]
        asked = await seat.until("request")
        # Translations of the texts were added later.
        missed = [{name: event[name] for name in event if name != "translations"} for event in seat.of_type("event")]
        await seat.answer(asked)
        over = await seat.play()
    record = await server.finished(table["id"])
    before = await server.finished(table["over"])
    return {
        "resumed": resumed,
        "missed": missed,
        "asked": _renamed(
            {**asked, "offers": _pinned_offers(asked["offers"]), "scene": None, "seconds": None}, offers="aid"
        ),
        "standings": over["standings"],
        "record": untimed(record).decode().splitlines(),
        "record of the game before": untimed(before).decode().splitlines(),
    }


# Hosts

run_host = run_hosted


@contextlib.asynccontextmanager
async def hosted_table(plan: dict[str, Any]) -> AsyncIterator[int]:
    """Run a host for one game whose seats are taken by bots, except one.  Yield its port."""
    kind = registry.game_kind(plan["game"])
    seats = len(plan["bots"]) + 1
    table_plan = RecurringPlan(
        kind=kind,
        rules=rules_of(plan["game"], plan.get("profile"), plan.get("options")),
        seats=range(seats, seats + 1),
        games=plan.get("games", 1),
        seed=plan["seed"],
        referee=_referee_settings(plan.get("policy", {"patience_seconds": 20.0})),
        bots=parse_specs(plan["game"], plan["bots"]),
        start_delay=0.05,
    )
    host = HouseServer(table_plan, log=lambda line: None)
    _, port = await host.open("127.0.0.1", 0)

    async def play() -> None:
        async for _ in host.games():
            pass
        await host.close()

    playing = asyncio.create_task(play())
    try:
        yield port
        await playing
    finally:
        playing.cancel()
        await host.close()


def course_conversation(plan: dict[str, Any], scripts: list[list[Any]] | None = None) -> dict[str, Any]:
    """Play a game in the course's protocol without sockets.  Return all messages and the result.

    `scripts` has the messages to send by connection; without it, the players of the plan answer.
    """
    table = HostedTable()
    names = plan["names"]
    unsent = None if scripts is None else [list(each) for each in scripts]
    lines: list[list[Any]] = []
    clients = [ClientEnd(name, rules=rules_of("evolution", plan["profile"])) for name in names]
    players = [player.make(seat) for seat, player in enumerate(parse_specs("evolution", plan["players"]))]
    for conn in range(len(names)):
        first = clients[conn].sign_up() if unsent is None else unsent[conn].pop(0).encode()
        lines.append([conn, "<", first.decode()])
        table.sign_up(conn, first)
    setup = registry.game_kind("evolution").deal(
        len(names), rules_of("evolution", plan["profile"], plan["options"]), plan["seed"]
    )
    received = [0] * len(names)
    asked = [0] * len(names)
    for conn, end, call in table.questions(setup):
        asked[conn] += 1
        if unsent is not None:
            reply = unsent[conn].pop(0)
        elif f"{conn}.{asked[conn]}" in plan["bad"]:
            reply = plan["bad"][f"{conn}.{asked[conn]}"]
        else:
            client = clients[conn]
            mine = [frame(value) for other, value in table.sent if other == conn]
            for message in mine[received[conn] :]:
                client.reader.feed(message)
            received[conn] = len(mine)
            while not isinstance(news := client.take(), DeclareCards | FeedNext):
                pass
            reply = client.reply(news, players[conn].answer(news)).decode()
        lines.append([conn, "<", reply])
        if reply is None:
            end.reader.close()
        else:
            end.reader.feed(reply.encode())
        table.report(end, call)
    lines += [[conn, ">", value] for conn, value in table.sent]
    forfeits = {conn: msgspec.to_builtins(forfeit) for conn, forfeit in table.forfeits().items()}
    return {
        "lines": lines,
        "ranking": table.ranking(),
        "forfeits": {str(conn): forfeit for conn, forfeit in forfeits.items()},
    }


def course_client(dialect: str, messages: list[Any]) -> list[str]:
    """Return the replies of a built-in player to a server's messages in a dialect, and the error that ends them."""
    (named,) = parse_specs("evolution", ["silly"])
    player = named.make(1)
    client = ClientEnd("Ada", DIALECTS[dialect])
    player.on_seated(SeatAssignment(client.seat, client.names, client.rules))
    # In the pinned version, players signed up at a `kd` server without their name.
    replies = ["ping" if dialect == "kd" else client.sign_up().decode()]
    for value in messages:
        client.reader.feed(frame(value))
    client.reader.close()
    try:
        while True:
            news = client.take()
            if isinstance(news, DeclareCards | FeedNext):
                replies.append(client.reply(news, player.answer(news)).decode())
    except (WateringHoleError, StreamEnded, IllegalAnswer) as error:
        replies.append(f"it ends: {error}")
    return replies


def dialects() -> list[str]:
    return list(DIALECTS)


# Scenes of the page, and narration


def _plain_json(value: Any) -> Any:
    return msgspec.json.decode(msgspec.json.encode(value))


@contextlib.contextmanager
def _renumbering() -> Iterator[None]:
    """Narrate as the pinned version: when a species dies out, those to its right change their numbers at once."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(EventNarrator, "_position", lambda narrator, seat, board: board)
        yield


def replay_scenes(record: bytes) -> dict[str, Any]:
    """Return a recorded game as the page replays it."""
    with _renumbering():
        replay: dict[str, Any] = _plain_json(replay_of(read_record(record)))
    # In the pinned version, the page itself chose the files of a game.
    del replay["page"]
    # It follows from the rules.
    del replay["chosen"]
    # The kind of a forfeit was not part of the standings.
    for line in replay["standings"]:
        line.pop("reason", None)
    return _renamed(replay, texts="words")


def watched_scenes(record: bytes, seat: int | None) -> list[dict[str, Any]]:
    """Return the scenes and offers of the page during a recorded game, for a seat or for a spectator."""
    read = read_record(record)
    kind, names = read.kind, list(read.header.names)
    page = fallbacks.page(kind)
    viewer = None if seat is None else Seat(seat)
    builder = page.scenes(names, viewer)
    found: list[dict[str, Any]] = []

    def see(events: Sequence[Any]) -> None:
        for event in events:
            seen = event.seen_by(viewer)
            if seen is not None and not isinstance(seen, Notice):
                event_json = kind.codec.event_to_json(seen)
                with _renumbering():
                    text = builder.see(seen)
                found.append({"event": event_json, "text": text, "scene": builder.scene()})

    game = kind.new_game(read.setup)
    see(game.opening)
    lines = list(read.answers)
    while game.outcome is None:
        if lines[0].request is None:
            line = lines.pop(0)
            see(game.advance({line.seat: line.forfeit}))
            continue
        asked = {each: request.name for each, request in game.requests.items()}
        builder.asked(asked)
        answers = {}
        for each, request in game.requests.items():
            line = lines.pop(0)
            assert line.seat == each
            failed = line.forfeit is not msgspec.UNSET
            answers[each] = line.forfeit if failed else kind.codec.answer_from_json(request, line.answer)
            if each == viewer:
                found.append({"asked": asked, "scene": builder.scene(), **_offers(page, builder, names, request)})
            if not failed:
                builder.answered(request, answers[each] if each == viewer else None)
        found.append({"answered": list(asked), "scene": builder.scene()})
        see(game.advance(answers))
    scenes: list[dict[str, Any]] = _plain_json(found)
    return scenes


def _offers(page: Any, builder: Any, names: Sequence[str], request: Any) -> dict[str, Any]:
    """Return the offers that the page shows for a request, and its replies to drafts and previews."""
    offers = page.offers(builder, names, request)
    messages: list[dict[str, Any]] = []
    if request.name == "declare":
        food = next(offer for offer in offers["offers"] if offer["step"] == "food")
        others = [offer for offer in offers["offers"] if offer["card"] != food["card"]]
        messages = [{"type": "draft", "steps": steps} for steps in ([food], [food, *others[-1:]], [food, food])]
        messages.append({"type": "draft", "steps": [{"step": "lay", "board": 0, "card": 0}]})
    elif request.name == "feed":
        messages = [{"type": "preview", "answer": option["answer"]} for option in offers["options"][:2]]
        messages += [{"type": "preview", "answer": answer} for answer in (99, False)]
    consulted = [page.consult(builder, request, message) for message in messages]
    for reply in consulted:
        if reply and reply["type"] == "preview":
            reply["type"] = "foreseen"
    return {"aid": _pinned_offers(offers), "consulted": consulted}


def _pinned_offers(offers: dict[str, Any]) -> dict[str, Any]:
    """Return the offers for a request under the names that the pinned version used."""
    options = [_renamed(option, type="deed") for option in offers.get("options", [])]
    return {name: options if name == "options" else value for name, value in offers.items()}


def _renamed(value: dict[str, Any], **names: str) -> dict[str, Any]:
    """Return an object with some of its fields renamed, in the same order."""
    return {names.get(name, name): each for name, each in value.items()}


def page_words(game: str, profile: str) -> dict[str, Any]:
    words: dict[str, Any] = _plain_json(fallbacks.page(registry.game_kind(game)).texts(rules_of(game, profile)))
    return words


def narration(record: bytes, seat: int | None) -> list[str]:
    """Return a recorded game as the terminal prints it, with markup; lines for standard error begin with ``! ``."""
    read = read_record(record)
    viewer = None if seat is None else Seat(seat)
    narrator = fallbacks.text(read.kind).narrator(read.header.names, viewer)
    lines: list[str] = []
    for event in read.replay().events():
        seen = event if viewer is None else event.seen_by(viewer)
        if seen is not None:
            with _renumbering():
                lines += narrator.narrate(seen)
            lines += [f"! {line}" for line in narrator.incidents(seen)]
    return lines


def summary_of(record: bytes) -> dict[str, Any]:
    """Return the data of a game that `play --json` prints in addition to its ranking."""
    read = read_record(record)
    summary = fallbacks.summary(read.kind)
    for event in read.replay().events():
        summary.see(event)
    found: dict[str, Any] = _plain_json(summary.to_json(lambda seat: seat + 1))
    return found


# Commands


def command(*words: str, folder: Path) -> Any:
    """Run a command within this process.

    A new tournament gets the settings of the version that pinned it, and is planned accordingly.
    """

    def pinned_settings(*words: Any, **options: Any) -> Settings:
        return msgspec.structs.replace(new_settings(*words, **options), life=msgspec.UNSET)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("wateringhole.tournaments.settings.new_settings", pinned_settings)
        return called(*words, folder=folder)


# The simulator, which is slow to import and slower to compile


def simulated(game: str, players: list[str], games: int, seed: int, rules: dict[str, Any] | None) -> dict[str, Any]:
    """Return the result of simulated games, without times."""
    from wateringhole.sim import simulate

    chosen = None if rules is None else rules_of(game, rules.get("profile"), rules.get("options"))
    result: dict[str, Any] = _plain_json(simulate(game, players, games, seed=seed, rules=chosen, threads=1))
    for name in ("seconds", "compile_seconds", "games_per_second", "decisions_per_second"):
        del result[name]
    return result


def batch_digests(game: str, players: int, games: int, seed: int, steps: int, player: str) -> list[dict[str, str]]:
    """Return digests of all arrays of a batch every few steps, and at the end."""
    import numpy as np

    from wateringhole.sim import Batch

    batch = Batch(game, players, games=games, seed=seed)
    renamed = {"acting": "acting_seats", "kinds": "decision_types", "masks": "action_masks"}
    attributes = {name: name for name in ("states", "observations", "done", "places", "scores", "lengths")} | renamed

    def digests() -> dict[str, str]:
        return {
            name: hashlib.sha256(np.ascontiguousarray(getattr(batch, attribute)).tobytes()).hexdigest()[:16]
            for name, attribute in attributes.items()
        }

    found = [digests()]
    for number in range(1, steps + 1):
        batch.step(batch.choose(player))
        if number % 10 == 0:
            found.append(digests())
    while not batch.done.all():
        batch.step(batch.choose(player))
    found.append(digests())
    return found
