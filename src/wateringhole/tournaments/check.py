"""What would get a player thrown out or ranked badly, found before the tournament.

The player lives in a process of its own and sits through a fixed set of tables: the default
rules, a full table, the rules that ask most of a player, and single questions out of games of
others, the largest there are.  Then a new process of it sits through the same tables again, and
the answers are compared.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Sequence
from typing import Any

import msgspec

from wateringhole import fallbacks, registry
from wateringhole.errors import UsageError
from wateringhole.facets import Narrator, Trial
from wateringhole.game import (
    Answer,
    AnyKind,
    Event,
    Forfeit,
    Notice,
    Outcome,
    Request,
    Seat,
    Violation,
    violation_of,
)
from wateringhole.match.loops import play
from wateringhole.match.match import Match, Mishap, RefereeSettings
from wateringhole.match.specs import PlayerSpec, parse_specs
from wateringhole.options import parse_rules
from wateringhole.player import IllegalAnswer, Player, SeatAssignment, forfeit_for, seating
from wateringhole.process.limits import Isolation, ProcessLimits, check_sandbox
from wateringhole.process.player import ProgramPlayer

__all__ = ["CheckReport", "Finding", "check"]


class Finding(msgspec.Struct, frozen=True):
    """Something to know about a player."""

    is_problem: bool
    """Whether it costs games; otherwise it is worth a thought."""
    kind: str
    """A short name, stable, for programs."""
    message: str
    """A sentence; it names tables and question."""
    tables: tuple[str, ...] = ()
    """Where it happened; empty: not at a table."""
    request: str | None = None
    """The question to which it gave no answer, or a bad one."""
    rule: str | None = None
    """The name of the rule that it broke."""


class CheckReport(msgspec.Struct, frozen=True, kw_only=True):
    """All that was found out."""

    game: str
    player: str
    tables: list[str]
    """What it was put through."""
    startup_seconds: float
    answers: int
    median_seconds: float
    worst_seconds: float
    peak_memory_bytes: int
    """Over all its processes."""
    places: list[int]
    """In the games of the first time."""
    findings: list[Finding]

    @property
    def is_fine(self) -> bool:
        return not any(finding.is_problem for finding in self.findings)


_SEED = 1
"""For a player that takes one, both times."""
_QUESTIONS_OF_A_KIND = 4
_MEASURING_SECONDS = 0.02
"""How long memory is not looked at again; it takes longer than many an answer, and the system remembers the most."""
_ENOUGH = 3
"""So many problems, and the rest is left out."""

_IN_WORDS = {
    "exception": "failed",
    "late": "was too late",
    "illegal": "broke a rule",
    "unreadable": "sent what cannot be read",
    "disconnected": "was gone",
    "left": "left",
}


def check(
    game: str, spec: str, time_limit: float = 5.0, limits: ProcessLimits | None = None, *, sandbox: bool = False
) -> CheckReport:
    """Put a player through its trial.  Raises UsageError when there is no such player, or no sandbox to lock it in."""
    kind = registry.game_kind(game)
    if sandbox:
        check_sandbox()
    bot = fallbacks.bots(kind).get(spec.rpartition("=")[2])
    if bot and bot.human:
        raise UsageError("human: people cannot be checked, they never do the same thing twice.")
    limits = msgspec.structs.replace(limits or ProcessLimits(), answer_seconds=time_limit)
    isolation = Isolation(isolates=True, isolates_builtin=True, restarts=True, limits=limits, sandbox=sandbox)
    named, *others = parse_specs(game, [spec], isolation)
    if others:
        raise UsageError(f"{spec}: one player is checked at a time; leave the * and its number out.")
    first = _CheckRun(kind, named, time_limit, limits)
    # Whoever has other problems need not be told that they vary.
    again = first if first.findings_cost_games else _CheckRun(kind, named, time_limit, limits)
    findings = [*_told(first.findings), *_differences(first, again), *_second_run_problems(first, again)]
    seconds = [said.seconds for said in first.said]
    return CheckReport(
        game=game,
        player=spec,
        tables=first.titles,
        startup_seconds=first.startup_seconds,
        answers=len(seconds),
        median_seconds=statistics.median(seconds) if seconds else 0.0,
        worst_seconds=max(seconds, default=0.0),
        peak_memory_bytes=first.peak_memory,
        places=first.places,
        findings=findings,
    )


class _Said(msgspec.Struct, frozen=True):
    table: str
    request: str
    seconds: float
    answer: Any
    """As it is written; None: it failed."""


class _AnswerLog:
    """Sits between the table and the player, and notes what is said."""

    is_human = False

    def __init__(self, kind: AnyKind, player: ProgramPlayer) -> None:
        self._kind = kind
        self.player = player
        self.table = ""
        self.said: list[_Said] = []
        self.violation: Violation | None = None
        """What is wrong with the last answer."""
        self.peak_memory = 0
        self._measured_at = 0.0

    @property
    def unanswered(self) -> str | None:
        """What it was asked last at this table, if it gave no answer or a bad one."""
        last = self.said[-1] if self.said else None
        return last.request if last and last.table == self.table and last.answer is None else None

    @property
    def wants_events(self) -> bool:
        return self.player.wants_events

    def on_seated(self, assignment: SeatAssignment) -> None:
        self.player.on_seated(assignment)

    def answer(self, request: Request[Any], seconds: float | None = None) -> Answer:
        began = time.perf_counter()
        given: Any = None
        self.violation = None
        try:
            answer = self.player.answer(request, seconds)
            self.violation = violation_of(request, answer)
            if self.violation is None:
                given = self._kind.codec.answer_to_json(request, answer)
            return answer
        except IllegalAnswer as illegal:
            self.violation = illegal.violation
            raise
        finally:
            now = time.perf_counter()
            self.said.append(_Said(self.table, request.name, now - began, given))
            if now > self._measured_at + _MEASURING_SECONDS:
                self.measure()

    def measure(self) -> None:
        """See how much memory it has."""
        self._measured_at = time.perf_counter()
        self.peak_memory = max(self.peak_memory, self.player.program.peak_memory())

    def on_notice(self, notice: Notice) -> None:
        self.player.on_notice(notice)

    def on_event(self, event: Event) -> None:
        self.player.on_event(event)

    def on_violation(self, violation: Violation) -> None:
        self.player.on_violation(violation)

    def close(self) -> None:
        self.player.close()


class _CheckRun:
    """One process of the player, or several if it dies, through all tables."""

    def __init__(self, kind: AnyKind, named: PlayerSpec, patience: float, limits: ProcessLimits) -> None:
        self._kind = kind
        self._patience = patience
        self._limits = limits
        self.findings: list[Finding] = []
        self.titles: list[str] = []
        self.places: list[int] = []
        self.said: list[_Said] = []
        self.startup_seconds = 0.0
        self.peak_memory = 0
        self.orphans_killed = 0
        began = time.perf_counter()
        try:
            with seating(len(fallbacks.trials(kind).games[0].others) + 1):
                player = named.make(_SEED)
        except UsageError as error:
            self._problem("startup", str(error))
            return
        self.startup_seconds = time.perf_counter() - began
        assert isinstance(player, ProgramPlayer), "everybody is isolated here"
        log = _AnswerLog(kind, player)
        try:
            self._sit_through(log)
            log.measure()
        finally:
            player.close()
        self.said, self.peak_memory = log.said, log.peak_memory
        self.orphans_killed = player.orphans_killed
        self.findings += self.leftovers()
        if player.stopped_supervisor:
            self._problem("meddling", "It stopped the process of ours that looks after it (SIGSTOP).")
        self._remark_on(player)

    def _sit_through(self, log: _AnswerLog) -> None:
        trials = fallbacks.trials(self._kind)
        for sit_through, tables in ((self._play, trials.games), (self._put_questions, trials.requests)):
            for table in tables:
                # One that fails everywhere need not do so for minutes.
                if self._problems < _ENOUGH:
                    known = self._problems
                    sit_through(table, log)
                    self._report_crash(table, log.player, known)

    @property
    def _problems(self) -> int:
        return sum(finding.is_problem for finding in self.findings)

    def _report_crash(self, table: Trial, player: ProgramPlayer, known: int) -> None:
        """Tell of a death that cost nothing here, where every game has a new process for whoever needs one.

        One death is explained by each problem that was known before the table.
        """
        unexplained = player.exits[known:]
        if unexplained and self._problems == known:
            message = f"Between two games it ended, before those with {table.title}: {unexplained[-1]}."
            self._problem("disconnected", message)

    def _play(self, table: Trial, log: _AnswerLog) -> None:
        log.table = table.title
        self.titles.append(table.title)
        players: list[Player] = [named.make() for named in parse_specs(self._kind.name, table.others)]
        players.insert(table.seat, log)
        me = Seat(table.seat)
        names = [f"player {number}" for number in range(1, len(players) + 1)]
        names[me] = "it"
        narrator = fallbacks.text(self._kind).narrator(names)
        slips: list[Finding] = []
        match = Match(
            self._kind,
            self._setup(table, len(players)),
            names,
            referee=RefereeSettings(time_limit=self._patience),
            observers=[lambda event: slips.extend(_slips(event, me, narrator, table.title))],
            spectators=[me] if log.wants_events else [],
        )
        play(match, players)
        assert match.outcome is not None, "a match without calls is over"
        outcome: Outcome = match.outcome
        self.places.append(outcome.places().get(me, len(players)))
        for thrown in outcome.thrown_out:
            if thrown.seat == me:
                self._out(thrown.forfeit, log)
                return
        # The first of each kind shows enough.
        self.findings += {slip.kind: slip for slip in reversed(slips)}.values()

    def _put_questions(self, table: Trial, log: _AnswerLog) -> None:
        """The largest questions of others, each as if a game had begun with it."""
        title = f"single questions under {table.title}"
        log.table = title
        self.titles.append(title)
        setup = self._setup(table, len(table.others))
        for request in self._largest_questions(table, setup):
            names = tuple(f"player {number}" for number in range(1, len(table.others) + 1))
            try:
                log.on_seated(SeatAssignment(request.seat, names, setup.rules))
                began = time.perf_counter()
                violation = violation_of(request, log.answer(request, self._patience))
                late = time.perf_counter() - began > self._patience
            except Exception as error:
                self._out(forfeit_for(error), log)
                return
            if violation:
                self._out(Forfeit("illegal", fallbacks.sentence_for(self._kind, violation)), log)
                return
            if late:
                self._out(Forfeit("late", "the answer came after the referee's patience"), log)
                return

    def _largest_questions(self, table: Trial, setup: Any) -> list[Request[Any]]:
        asked: dict[str, list[tuple[int, int, Request[Any]]]] = {}
        game = self._kind.new_game(setup, emit=False)
        players = [named.make() for named in parse_specs(self._kind.name, table.others)]
        while game.outcome is None:
            answers = {}
            for seat, request in game.requests.items():
                size = len(msgspec.json.encode(self._kind.codec.request_to_json(request)))
                of_kind = asked.setdefault(request.name, [])
                of_kind.append((size, len(of_kind), request))
                answers[seat] = players[seat].answer(request)
            game.advance(answers)
        return [
            request
            for of_kind in asked.values()
            for _, _, request in sorted(of_kind, key=lambda each: each[:2])[-_QUESTIONS_OF_A_KIND:]
        ]

    def _setup(self, table: Trial, players: int) -> Any:
        rules = parse_rules(table.rules, self._kind.profiles)
        return self._kind.deal(players, rules, table.seed)

    def _out(self, forfeit: Forfeit, log: _AnswerLog) -> None:
        """It was thrown out of the game at this table."""
        rule = log.violation.rule if log.violation and forfeit.reason == "illegal" else None
        named = f" ({rule})" if rule else ""
        message = f"it {_IN_WORDS[forfeit.reason]}{named}: {forfeit.message}."
        self.findings.append(Finding(True, forfeit.reason, message, (log.table,), log.unanswered, rule))
        if forfeit.reason == "late":
            # In a tournament it would be waited for once more; here that shows nothing new.
            log.player.fail_and_stop(forfeit.message)

    def _problem(self, kind: str, message: str) -> None:
        self.findings.append(Finding(True, kind, message))

    @property
    def findings_cost_games(self) -> bool:
        return any(finding.is_problem for finding in self.findings)

    def leftovers(self) -> list[Finding]:
        if not self.orphans_killed:
            return []
        message = f"When its games were over, {self.orphans_killed} of its processes did not end by themselves."
        return [Finding(True, "left-over", message)]

    def _remark_on(self, player: ProgramPlayer) -> None:
        def remark(kind: str, message: str) -> None:
            self.findings.append(Finding(False, kind, message))

        worst = max((said.seconds for said in self.said), default=0.0)
        if self._patience / 2 < worst <= self._patience:
            remark(
                "slow", f"Its slowest answer took {worst:.2f} s, more than half of the {self._patience:g} s there are."
            )
        if self.startup_seconds > self._limits.startup_seconds / 2:
            remark("slow-start", f"It took {self.startup_seconds:.1f} s to introduce itself.")
        if self.peak_memory > 0.8 * self._limits.memory_bytes:
            remark(
                "memory",
                f"Its processes had {self.peak_memory >> 20} MB together; "
                f"each may have {self._limits.memory_bytes >> 20} MB.",
            )
        if player.ignored:
            remark("unasked", f"{player.ignored} of its messages answered no open question and were ignored.")
        tables = fallbacks.trials(self._kind).games
        if self.places == [len(table.others) + 1 for table in tables]:
            remark("last", "It came last in every game.")


def _slips(event: Event, me: Seat, narrator: Narrator, table: str) -> list[Finding]:
    """What it did wrong and was not thrown out for."""
    if isinstance(event, Mishap) and event.seat == me:
        message = f"it failed when that could cost it nothing any more: {event.forfeit.message}."
        return [Finding(False, "mishap", message, (table,))]
    slip = event.incident
    if slip is None or slip.seat != me:
        return []
    from rich.text import Text

    said = "".join(Text.from_markup(line, emoji=False).plain for line in narrator.incidents(event))
    # The same slip at several tables is told once, wherever it sat.
    message = said.replace(f"it (seat {me + 1})", "it", 1)
    if slip.request is None:
        return [Finding(False, "mishap", message, (table,))]
    return [Finding(True, "bad-answer", message, (table,), slip.request, slip.rule)]


def _told(findings: Sequence[Finding]) -> list[Finding]:
    """In whole sentences; what is the same at several tables is told once."""
    tables: dict[Finding, list[str]] = {}
    for finding in findings:
        tables.setdefault(msgspec.structs.replace(finding, tables=()), []).extend(finding.tables)
    return [
        msgspec.structs.replace(finding, tables=tuple(where), message=_circumstances(finding, where) + finding.message)
        for finding, where in tables.items()
    ]


def _circumstances(finding: Finding, tables: Sequence[str]) -> str:
    if not tables:
        return ""
    *others, last = tables
    where = f"With {', '.join(others)} and {last}" if others else f"With {last}"
    return f"{where}, asked to {finding.request}, " if finding.request else f"{where} "


def _second_run_problems(first: _CheckRun, again: _CheckRun) -> Sequence[Finding]:
    """Problems that it had the second time only: something of the first time was left, or chance decides."""
    if again is first:
        return []
    return [
        msgspec.structs.replace(finding, message=f"The second time, in a new process: {finding.message}")
        for finding in _told(again.findings)
        if finding.is_problem
    ]


def _differences(first: _CheckRun, again: _CheckRun) -> Sequence[Finding]:
    """The first answer that was another one the second time."""
    for number, (once, then) in enumerate(zip(first.said, again.said, strict=False), 1):
        if (once.table, once.request, once.answer) != (then.table, then.request, then.answer):
            message = (
                f"The same games went differently the second time, from answer {number} on ({once.request}, "
                f"{once.table}): with a seed of its own, a player's games can be repeated."
            )
            return [Finding(False, "not-repeatable", message)]
    return []
