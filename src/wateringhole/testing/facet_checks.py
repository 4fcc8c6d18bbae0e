"""Checks of the facets that a game provides.  `conformance` has the checks for every game.

- Each usual bot, and each other bot that is not human, plays every profile without a forfeit or an incident.
- The narrator accepts every event, for every seat and for a replay.  Each game has at least one line.
- Every violation and every answer has a text, for programs and for humans.
- Scenes and offers of the page, or of the plain page, are plain JSON; every `answer` that an offer names is legal.
- Templates are players of the game that finish every profile.
- Rulebook, summary and trials work.
- The analysis names bots of the game.  Its estimates of a played game are chances, depend on nothing but the seed, and
  its advice is legal.
- Random legal actions of the encoding play every profile that it accepts to the end; observations have its shape.

Other tests compare compiled kernels with the rules.
"""

from __future__ import annotations

import itertools
import random
import runpy
from collections.abc import Callable, Iterator, Sequence
from importlib import resources
from typing import Any, Final

from wateringhole import fallbacks
from wateringhole.analysis import recorded_decisions
from wateringhole.errors import OperationError, UsageError
from wateringhole.facets import PROGRAM, Evaluation, Reader
from wateringhole.formatting import short_repr
from wateringhole.game import AnyKind, Event, Request, Seat, Violation
from wateringhole.lazy import is_installed
from wateringhole.match.series import Entrant, Series
from wateringhole.options import parse_rules
from wateringhole.player import Player
from wateringhole.testing.games import Case, Pilots, make_bot, plain, sizes

__all__ = ["check_facets", "check_violation_text"]

ANALYSED_GAMES: Final = 4
"""Rollouts after each answer whose analysis is checked."""

TINY: Final = 1e-6
"""The error of a sum of probabilities."""


def check_facets(kind: AnyKind, seed: int) -> list[str]:
    """Check all facets of a kind.  Return a message for each that is missing or cannot be checked here."""
    case = Case(kind, next(iter(kind.profiles)), fallbacks.usual_seats(kind), seed)
    facets = {
        "rulebook": _check_rulebook,
        "text": _check_text,
        "summary": _check_summary,
        "bots": _check_bots,
        "trials": _check_trials,
    }
    skipped = _check_page(case)
    for name, check in facets.items():
        if getattr(kind, name) is None:
            skipped.append(f"{name}: the game provides none")
        else:
            skipped += check(case)
    if kind.encoding is not None:
        skipped += _check_encoding(case)
    if kind.analysis is not None:
        skipped += _check_analysis(case)
    return skipped


def check_violation_text(case: Case, violation: Violation) -> None:
    """Check that a violation has a text, for programs and for humans."""
    if case.kind.text is None:
        return
    names = tuple(f"player {seat + 1}" for seat in case.seats)
    for reader in (PROGRAM, Reader(names, Seat(0))):
        with case.calling(f"text.violation of {violation.rule}"):
            wording = case.kind.text().violation(violation, reader)
        _expect_text(case, wording, f"the violation {violation.rule}")
        case.expect(not wording.endswith("."), f"the text of {violation.rule} is {wording!r}; expected no full stop")


def _expect_text(case: Case, wording: object, what: str) -> None:
    case.expect(isinstance(wording, str) and bool(wording.strip()), f"{what} has no text; expected a clause")


def _cases(case: Case) -> Iterator[Case]:
    """Yield a case for each profile and number of players."""
    kind = case.kind
    for profile in kind.profiles:
        for players in sizes(kind):
            each = Case(kind, profile, players, case.seed)
            try:
                kind.deal(players, each.rules, each.seed)
            except UsageError:
                continue
            yield each


def _check_rulebook(case: Case) -> list[str]:
    with case.calling("rulebook"):
        _expect_text(case, fallbacks.rulebook(case.kind), "the rulebook")
    return []


def _check_trials(case: Case) -> list[str]:
    kind = case.kind
    with case.calling("trials"):
        trials = fallbacks.trials(kind)
    for trial in (*trials.games, *trials.requests):
        players = len(trial.others) + (trial not in trials.requests)
        with case.calling(f"the trial {trial.title!r}"):
            kind.deal(players, parse_rules(trial.rules, kind.profiles), trial.seed)
    return []


def _check_encoding(case: Case) -> list[str]:
    if not is_installed("numpy"):
        return ["encoding: NumPy is not installed"]
    from wateringhole.learn.encoded_game import EncodedGame, encoding_of

    encoding, chance = encoding_of(case.kind), random.Random(case.seed)
    for each in _cases(case):
        if encoding.refuses(each.rules, each.players):
            continue
        with each.calling("the encoding"):
            table = EncodedGame(each.kind, each.kind.deal(each.players, each.rules, each.seed))
            while table.acting is not None:
                seen, legal = table.observe(table.acting), table.mask.nonzero()[0].tolist()
                each.expect(
                    seen.shape == (encoding.observation,)
                    and seen.dtype == encoding.dtype
                    and encoding.low <= seen.min() <= seen.max() <= encoding.high,
                    "an observation of the encoding does not have its shape, its type or its bounds",
                )
                each.expect(bool(legal), "the encoding gives a seat no legal action")
                table.step(chance.choice(legal))
    return []


def _check_analysis(case: Case) -> list[str]:
    """Estimate an answer to each type of request in a game of the usual bots."""
    kind = case.kind
    assert kind.analysis is not None
    missing = [name for name in ("numba", "scipy") if not is_installed(name)]
    if missing:
        return [f"analysis: not installed: {', '.join(missing)}"]
    with case.calling("analysis"):
        analysis = kind.analysis()
        refusal = analysis.refuses(case.rules, case.players)
        subject = analysis.chance_of(case.rules)
    if refusal is not None:
        return [f"the analysis with {case.players} players under {case.profile}: {refusal}"]
    _expect_text(case, subject, "the chance of the analysis")
    for name in (analysis.best_player, analysis.rollout_player):
        case.expect(name in fallbacks.bots(kind), f"the analysis names {name!r}, which is not a bot of the game")
    makers = [fallbacks.bots(kind)[name].load() for name in fallbacks.usual_bots(kind, case.players)]
    entrants = [Entrant(f"player {seat + 1}", make_bot(maker, seat)) for seat, maker in enumerate(makers)]
    series = Series(kind=kind, entrants=entrants, rules=case.rules, seeds=[case.seed], keeps_records=True)
    with case.calling("the record of a game"):
        (played,) = series.play()
        decisions = recorded_decisions(played.record)
    which = {decision.request.name: index for index, decision in enumerate(decisions)}.values()
    with case.calling("the analysis"):
        found, again = (
            analysis.evaluate(played.record.setup, decisions, which, ANALYSED_GAMES, case.seed) for _ in range(2)
        )
    case.expect(found == again, "the analysis gives two results for the same seed")
    case.expect(set(found) <= set(which), "the analysis evaluates decisions that it was not asked for")
    for index, evaluation in found.items():
        _check_evaluation(case, decisions[index].request, evaluation)
    return []


def _check_evaluation(case: Case, request: Request[Any], found: Evaluation) -> None:
    what = f"the analysis of {request.name}"
    chances = found.before.value, found.after.value
    case.expect(all(-TINY <= each <= 1 + TINY for each in chances), f"{what} has {chances} for chances")
    case.expect(
        min(each.error for each in (found.before, found.after, found.loss)) >= 0, f"{what} has a negative error"
    )
    case.expect(
        abs(found.before.value - found.after.value - found.loss.value) <= TINY,
        f"{what} has a loss that is not the difference of its chances",
    )
    case.expect(found.games in (0, ANALYSED_GAMES), f"{what} counts {found.games} rollouts, not {ANALYSED_GAMES}")
    weights = [weight for _, weight in found.advice]
    case.expect(
        bool(weights) and abs(sum(weights) - 1) <= TINY and sorted(weights, reverse=True) == weights,
        f"{what} has advice with the probabilities {weights}; expected a sum of 1, the most likely first",
    )
    for answer, _ in found.advice:
        accepted = request.accept(answer)
        case.expect(not isinstance(accepted, Violation), f"{what} advises {short_repr(answer)}, which is illegal")


def _check_summary(case: Case) -> list[str]:
    kind = case.kind
    with case.calling("summary"):
        summary = fallbacks.summary(kind)
        for event in _events(case):
            summary.see(event)
        plain(case, "the summary", summary.to_json(lambda seat: seat + 1))
    return []


def _check_text(case: Case) -> list[str]:
    names = [f"player {seat + 1}" for seat in case.seats]
    text = fallbacks.text(case.kind)
    for each in _cases(case):
        names = [f"player {seat + 1}" for seat in each.seats]
        narrators = {seat: text.narrator(names, seat) for seat in (None, *each.seats)}
        lines = dict.fromkeys(narrators, 0)

        def answered(request: Request[Any], answer: Any, each: Case = each, names: list[str] = names) -> None:
            for reader in (PROGRAM, Reader(tuple(names), request.seat)):
                with each.calling(f"text.answer of {request.name}"):
                    wording = text.answer(request, answer, reader)
                _expect_text(each, wording, f"the answer {short_repr(answer)} to {request.name}")

        for event in _events(each, answered):
            for seat, narrator in narrators.items():
                # A replay gets every event, a seat its own part.
                seen = event if seat is None else event.seen_by(seat)
                if seen is None:
                    continue
                with each.calling(f"narrating {type(event).__name__}"):
                    texts = [*narrator.narrate(seen), *narrator.incidents(seen)]
                each.expect(all(isinstance(line, str) for line in texts), f"the lines for {event!r} are not all text")
                lines[seat] += len(texts)
        silent = [seat for seat, count in lines.items() if not count]
        each.expect(not silent, f"the narrator for seats {silent} has no line for a whole game")
    return []


def _events(case: Case, answered: Callable[[Request[Any], Any], None] = lambda *_: None) -> Iterator[Event]:
    """Play a random game without forfeits, and yield its events as they happen."""
    pilots = Pilots(case, random.Random(case.seed))
    game = case.kind.new_game(case.kind.deal(case.players, case.rules, case.seed))
    events: Sequence[Event] = game.opening
    while True:
        yield from events
        if game.outcome is not None:
            return
        answers = {seat: pilots.answer(request) for seat, request in game.requests.items()}
        for seat, answer in answers.items():
            answered(game.requests[seat], answer)
        events = game.advance(answers)
        case.steps += 1


# Bots and templates


def _check_bots(case: Case) -> list[str]:
    kind = case.kind
    assert kind.bots is not None
    with case.calling("bots"):
        bots = kind.bots()
    unknown = [name for name in bots.usual if name not in bots.players]
    case.expect(not unknown, f"the usual bots {unknown} are not among the players; expected names of players")
    skipped = []
    for each in _cases(case):
        for name in bots.usual:
            _play(each, name, bots.players[name].load(), bots.usual)
    for name, bot in bots.players.items():
        if bot.human or name in bots.usual:
            continue
        try:
            factory = bot.load()
            make_bot(factory, 0)
        except OperationError as error:
            skipped.append(f"the bot {name}: {error}")
            continue
        for profile in kind.profiles:
            _play(Case(kind, profile, kind.seats[0], case.seed), name, factory, bots.usual)
    for style, template in bots.templates.items():
        with case.calling(f"loading the template {style}"), resources.as_file(template) as path:
            mine = runpy.run_path(str(path)).get("Mine")
        if not (isinstance(mine, type) and issubclass(mine, bots.base)):
            case.fail(f"the template {style} defines no class Mine that derives from {bots.base.__name__}")
        for profile in kind.profiles:
            _play(Case(kind, profile, case.players, case.seed), f"template {style}", mine, bots.usual)
    return skipped


def _play(case: Case, name: str, factory: Any, usual: Sequence[str]) -> None:
    """Play two games of a series with a bot in the first seat and usual bots in the others."""
    kind = case.kind
    assert kind.bots is not None
    others = itertools.cycle(kind.bots().players[each].load() for each in usual or (name,))
    with case.calling(f"making the bot {name}"):
        makers = [factory, *itertools.islice(others, case.players - 1)]
        players: list[Player] = [make_bot(maker, number) for number, maker in enumerate(makers)]
    entrants = [Entrant(f"{name} {number}", player) for number, player in enumerate(players)]
    incidents: list[Event] = []

    def observe(event: Event) -> None:
        if event.incident or event.thrown_out:
            incidents.append(event)

    series = Series(kind=kind, entrants=entrants, rules=case.rules, seeds=[case.seed, case.seed + 1])
    with case.calling(f"a game of the bot {name}"):
        for played in series.play(lambda names: [observe]):
            if played.outcome.thrown_out:
                thrown = played.outcome.thrown_out[0]
                case.fail(f"a bot at the table of {name} was thrown out: {thrown.forfeit.message}")
    case.expect(not incidents, f"a bot at the table of {name} caused {short_repr(incidents[:1])}; expected no incident")


# The page


def _check_page(case: Case) -> list[str]:
    with case.calling("page"):
        page = fallbacks.page(case.kind)
    skipped = []
    for each in _cases(case):
        refusal = page.unsupported_rules(each.rules, each.players)
        if refusal is not None:
            skipped.append(f"the page with {each.players} players under {each.profile}: {refusal}")
            continue
        with each.calling("texts of the page"):
            plain(each, "the texts of the page", page.texts(each.rules))
        _check_scenes(each, page)
    return skipped


def _check_scenes(case: Case, page: Any) -> None:
    names = [f"player {seat + 1}" for seat in case.seats]
    scenes = {seat: page.scenes(names, seat) for seat in (None, *case.seats)}

    def check_offers(request: Request[Any], answer: Any) -> None:
        scenes[request.seat].asked({request.seat: request.name})
        with case.calling(f"offers for {request.name}"):
            offers = plain(case, f"the offers for {request.name}", page.offers(scenes[request.seat], names, request))
        for given in _named(offers, "answer"):
            if given is None:
                continue  # an answer that is not finished
            with case.calling(f"an offer for {request.name}"):
                accepted = request.accept(case.kind.codec.answer_from_json(request, given))
            if isinstance(accepted, Violation):
                case.fail(
                    f"the page offers {short_repr(given)} for {request.name}, which is rejected as {accepted.rule}"
                )

    happened = []
    for event in _events(case, check_offers):
        happened.append(event)
        for seat, builder in scenes.items():
            seen = event.seen_by(seat)
            if seen is not None:
                with case.calling(f"the scene for seat {seat}, given {type(event).__name__},"):
                    builder.see(seen)
                    plain(case, f"the scene for seat {seat}", builder.scene())
    with case.calling("the replay on the page"):
        replay = page.replay_scenes(names, happened)
        for event in happened:
            replay.see(event)
            plain(case, "a replayed event", page.replay_event(event))
        plain(case, "the scene of a replay", replay.scene())


def _named(value: Any, name: str) -> Iterator[Any]:
    """Yield all values with a name inside a JSON value."""
    if isinstance(value, dict):
        if name in value:
            yield value[name]
        for part in value.values():
            yield from _named(part, name)
    elif isinstance(value, list):
        for part in value:
            yield from _named(part, name)
