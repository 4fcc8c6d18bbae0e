"""Checks that find, before a tournament, what would get a player thrown out or ranked badly.

The player runs in its own process and goes through a fixed set of trials.  These are games under the
default rules, with all seats taken and under the most demanding rules, and the largest single requests
from games of other players.  Then a new process goes through the same trials, and the answers are
compared.
"""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from wateringhole import fallbacks, registry
from wateringhole.errors import PlayerNotMade, UsageError
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
from wateringhole.match.failures import Failure, Witness
from wateringhole.match.hooks import author_warnings
from wateringhole.match.loops import play
from wateringhole.match.match import LateFailure, Match, RefereeSettings
from wateringhole.match.specs import PlayerSpec, parse_specs
from wateringhole.options import parse_rules
from wateringhole.player import IllegalAnswer, Player, PlayerContext, SeatAssignment, forfeit_for, is_interruption
from wateringhole.process.limits import Isolation, ProcessLimits
from wateringhole.process.player import ProgramPlayer
from wateringhole.process.sandbox import check_sandbox

__all__ = ["CheckReport", "Finding", "check"]

EXIT_SECONDS = 5.0
"""The time that a player has to exit.  It is generous, because other players may keep the machine busy."""


class Finding(msgspec.Struct, frozen=True):
    """A problem or a warning."""

    is_problem: bool
    """True if it costs games, False for a warning."""
    kind: str
    """A short name, stable, for programs."""
    message: str
    """For humans; it names the tables and the request."""
    tables: tuple[str, ...] = ()
    """The titles of the trials in which it happened, empty if it happened in none."""
    request: str | None = None
    """The request that got no answer, or a bad one."""
    rule: str | None = None
    """The name of the broken rule."""
    traceback: str | None = None
    """The lines of its author, if the player could not be made."""


class CheckReport(msgspec.Struct, frozen=True, kw_only=True):
    """The result of a check."""

    game: str
    player: str
    tables: list[str]
    """The titles of the trials."""
    startup_seconds: float
    answers: int
    median_seconds: float
    worst_seconds: float
    peak_memory_bytes: int
    """The sum over all its processes."""
    places: list[int]
    """The player's places in the games of the first run."""
    findings: list[Finding]

    @property
    def is_fine(self) -> bool:
        return not any(finding.is_problem for finding in self.findings)


_SEED = 1
"""For a player that takes one, in both runs."""
_REQUESTS_PER_NAME = 4
_MEASURING_SECONDS = 0.02
"""The time between two measurements of memory: one takes longer than many answers, and the system keeps the peak."""
_ENOUGH = 3
"""The number of problems after which the other trials are skipped."""

_REASONS = {
    "exception": "failed",
    "late": "was too late",
    "illegal": "broke a rule",
    "unreadable": "sent an unreadable message",
    "disconnected": "disconnected",
    "left": "left",
    "withdrawn": "was withdrawn",
}


def check(
    game: str,
    spec: str,
    time_limit: float = 5.0,
    limits: ProcessLimits | None = None,
    *,
    trust: bool = False,
    sandbox: bool = False,
    read_only: Sequence[str | Path] = (),
    hidden: Sequence[Path] = (),
    log: Path | None = None,
    on_failure: Callable[[Failure], object] | None = None,
) -> CheckReport:
    """Check a player, which does not see `hidden` files in the sandbox.  `on_failure` gets its failures.

    With `trust`, a Python player runs in this process.  Then its memory is not measured, and it cannot be stopped.
    Raises UsageError if there is no such player, or no sandbox although one is wanted.
    """
    kind = registry.game_kind(game)
    if sandbox:
        check_sandbox()
    bot = fallbacks.bots(kind).get(spec.rpartition("=")[2])
    if bot and bot.human:
        raise UsageError("human: humans cannot be checked, because they never do the same thing twice.")
    limits = msgspec.structs.replace(limits or ProcessLimits(), answer_seconds=time_limit, exit_seconds=EXIT_SECONDS)
    isolation = Isolation(
        isolates=not trust,
        isolates_builtin=not trust,
        restarts=None,
        limits=limits,
        sandbox=sandbox,
        log=log,
        read_only=tuple(Path(path).absolute() for path in read_only),
        hidden=tuple(path.resolve() for path in hidden),
    )
    named, *others = parse_specs(game, [spec], isolation)
    if others:
        raise UsageError(f"{spec}: only one player can be checked at a time. Omit the * and its number.")
    report = on_failure or (lambda failure: None)
    first = _CheckRun(kind, named, time_limit, limits, report)
    # A player with problems gets no warning about differences between the runs.
    again = first if first.findings_cost_games else _CheckRun(kind, named, time_limit, limits, report)
    findings = [*_merged(first.findings), *_differences(first, again), *_second_run_problems(first, again)]
    seconds = [answer.seconds for answer in first.answers]
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


class _LoggedAnswer(msgspec.Struct, frozen=True):
    trial: str
    request: str
    seconds: float
    answer: Any
    """As JSON, or None if the player failed."""


class _AnswerLog:
    """A player that passes everything on to the checked one and logs its answers."""

    is_human = False

    def __init__(self, kind: AnyKind, witness: Witness) -> None:
        self._kind = kind
        self.player: Player = witness
        self.program = witness.player if isinstance(witness.player, ProgramPlayer) else None
        """The player, or None if it is trusted and runs in this process."""
        self.trial = ""
        self.answers: list[_LoggedAnswer] = []
        self.violation: Violation | None = None
        """The violation of the last answer, or None."""
        self.peak_memory = 0
        self._measured_at = 0.0

    @property
    def unanswered(self) -> str | None:
        """The last request in this trial, if it got no answer or a bad one."""
        last = self.answers[-1] if self.answers else None
        return last.request if last and last.trial == self.trial and last.answer is None else None

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
            self.answers.append(_LoggedAnswer(self.trial, request.name, now - began, given))
            if now > self._measured_at + _MEASURING_SECONDS:
                self.measure()

    def measure(self) -> None:
        """Update the peak memory."""
        self._measured_at = time.perf_counter()
        if self.program:
            self.peak_memory = max(self.peak_memory, self.program.program.peak_memory())

    def on_notice(self, notice: Notice) -> None:
        self.player.on_notice(notice)

    def on_event(self, event: Event) -> None:
        self.player.on_event(event)

    def on_violation(self, violation: Violation) -> None:
        self.player.on_violation(violation)

    def close(self) -> None:
        self.player.close()


class _CheckRun:
    """One run of the player through all trials, in one process, or in several if it crashes."""

    def __init__(
        self,
        kind: AnyKind,
        named: PlayerSpec,
        time_limit: float,
        limits: ProcessLimits,
        on_failure: Callable[[Failure], object],
    ) -> None:
        self._kind = kind
        self._time_limit = time_limit
        self._limits = limits
        self.findings: list[Finding] = []
        self.titles: list[str] = []
        self.places: list[int] = []
        self.answers: list[_LoggedAnswer] = []
        self.startup_seconds = 0.0
        self.peak_memory = 0
        self.orphans_killed = 0
        began = time.perf_counter()
        players = len(fallbacks.trials(kind).games[0].others) + 1
        try:
            with PlayerContext(players):
                player = named.make(_SEED)
        except UsageError as error:
            lines = error.traceback if isinstance(error, PlayerNotMade) else None
            self.findings.append(Finding(True, "startup", str(error), traceback=lines or None))
            return
        self.startup_seconds = time.perf_counter() - began
        log = _AnswerLog(kind, Witness(kind, player, named.spec, players, _SEED, on_failure))
        try:
            self._run_trials(log)
            log.measure()
        finally:
            player.close()
        self.answers, self.peak_memory = log.answers, log.peak_memory
        if log.program:
            self.orphans_killed = log.program.orphans_killed
            self.findings += self.leftovers()
            if log.program.stopped_supervisor:
                self._problem("meddling", "It stopped its supervisor process (SIGSTOP).")
        self._add_warnings(player)

    def _run_trials(self, log: _AnswerLog) -> None:
        trials = fallbacks.trials(self._kind)
        for run, listed in ((self._play, trials.games), (self._ask_single_requests, trials.requests)):
            for trial in listed:
                # A player that fails in every trial does not have to do so for minutes.
                if self._problems < _ENOUGH:
                    known = self._problems
                    run(trial, log)
                    if log.program:
                        self._report_crash(trial, log.program, known)

    @property
    def _problems(self) -> int:
        return sum(finding.is_problem for finding in self.findings)

    def _report_crash(self, trial: Trial, player: ProgramPlayer, known: int) -> None:
        """Add a problem for a crash that cost nothing here, because a crashed player restarts for the next game.

        Each problem that was known before the trial explains one crash.
        """
        unexplained = player.exits[known:]
        if unexplained and self._problems == known:
            message = f"It exited between two games, before those with {trial.title}: {unexplained[-1]}."
            self._problem("disconnected", message)

    def _play(self, trial: Trial, log: _AnswerLog) -> None:
        log.trial = trial.title
        self.titles.append(trial.title)
        players: list[Player] = [named.make() for named in parse_specs(self._kind.name, trial.others)]
        players.insert(trial.seat, log)
        me = Seat(trial.seat)
        names = [f"player {number}" for number in range(1, len(players) + 1)]
        names[me] = "it"
        narrator = fallbacks.text(self._kind).narrator(names)
        incidents: list[Finding] = []
        match = Match(
            self._kind,
            self._setup(trial, len(players)),
            names,
            referee=RefereeSettings(time_limit=self._time_limit),
            observers=[lambda event: incidents.extend(_incidents(event, me, narrator, trial.title))],
            event_seats=[me] if log.wants_events else [],
        )
        play(match, players)
        assert match.outcome is not None, "a match without pending calls is over"
        outcome: Outcome = match.outcome
        self.places.append(outcome.places().get(me, len(players)))
        for thrown in outcome.thrown_out:
            if thrown.seat == me:
                self._add_forfeit(thrown.forfeit, log)
                return
        # One example of each kind is enough.
        self.findings += {incident.kind: incident for incident in reversed(incidents)}.values()

    def _ask_single_requests(self, trial: Trial, log: _AnswerLog) -> None:
        """Ask the largest requests from games of other players, each as if a game had started with it."""
        title = f"single questions under {trial.title}"
        log.trial = title
        self.titles.append(title)
        setup = self._setup(trial, len(trial.others))
        for request in self._largest_requests(trial, setup):
            names = tuple(f"player {number}" for number in range(1, len(trial.others) + 1))
            try:
                log.on_seated(SeatAssignment(request.seat, names, setup.rules))
                began = time.perf_counter()
                violation = violation_of(request, log.answer(request, self._time_limit))
                late = time.perf_counter() - began > self._time_limit
            except BaseException as error:  # also a SystemExit in the player's code
                if is_interruption(error):
                    raise
                self._add_forfeit(forfeit_for(error), log)
                return
            if violation:
                self._add_forfeit(Forfeit("illegal", fallbacks.sentence_for(self._kind, violation)), log)
                return
            if late:
                self._add_forfeit(Forfeit("late", "the answer came after the time limit"), log)
                return

    def _largest_requests(self, trial: Trial, setup: Any) -> list[Request[Any]]:
        asked: dict[str, list[tuple[int, int, Request[Any]]]] = {}
        game = self._kind.new_game(setup, emit=False)
        players = [named.make() for named in parse_specs(self._kind.name, trial.others)]
        while game.outcome is None:
            answers = {}
            for seat, request in game.requests.items():
                size = len(msgspec.json.encode(self._kind.codec.request_to_json(request)))
                of_name = asked.setdefault(request.name, [])
                of_name.append((size, len(of_name), request))
                answers[seat] = players[seat].answer(request)
            game.advance(answers)
        return [
            request
            for of_name in asked.values()
            for _, _, request in sorted(of_name, key=lambda each: each[:2])[-_REQUESTS_PER_NAME:]
        ]

    def _setup(self, trial: Trial, players: int) -> Any:
        rules = parse_rules(trial.rules, self._kind.profiles)
        return self._kind.deal(players, rules, trial.seed)

    def _add_forfeit(self, forfeit: Forfeit, log: _AnswerLog) -> None:
        """Add a problem for a forfeit in the current trial."""
        rule = log.violation.rule if log.violation and forfeit.reason == "illegal" else None
        named = f" ({rule})" if rule else ""
        message = f"it {_REASONS[forfeit.reason]}{named}: {forfeit.message}."
        self.findings.append(Finding(True, forfeit.reason, message, (log.trial,), log.unanswered, rule))
        if forfeit.reason == "late" and log.program:
            # A tournament would wait for it again in the next game; here that shows nothing new.
            log.program.fail_and_stop(forfeit.message)

    def _problem(self, kind: str, message: str) -> None:
        self.findings.append(Finding(True, kind, message))

    @property
    def findings_cost_games(self) -> bool:
        return any(finding.is_problem for finding in self.findings)

    def leftovers(self) -> list[Finding]:
        if not self.orphans_killed:
            return []
        message = f"After its games, {self.orphans_killed} of its processes did not exit by themselves."
        return [Finding(True, "left-over", message)]

    def _add_warnings(self, player: Player) -> None:
        def warn(kind: str, message: str) -> None:
            self.findings.append(Finding(False, kind, message))

        worst = max((answer.seconds for answer in self.answers), default=0.0)
        if self._time_limit / 2 < worst <= self._time_limit:
            warn(
                "slow",
                f"Its slowest answer took {worst:.2f} s, more than half of the time limit of {self._time_limit:g} s.",
            )
        if self.startup_seconds > self._limits.startup_seconds / 2:
            warn("slow-start", f"It took {self.startup_seconds:.1f} s to introduce itself.")
        if self.peak_memory > 0.8 * self._limits.memory_bytes:
            warn(
                "memory",
                f"Its processes used {self.peak_memory >> 20} MB together; "
                f"the limit for each is {self._limits.memory_bytes >> 20} MB.",
            )
        for warning in author_warnings(player):
            warn("never-called", warning)
        if isinstance(player, ProgramPlayer) and player.ignored:
            warn("unasked", f"{player.ignored} of its messages answered no open request and were ignored.")
        trials = fallbacks.trials(self._kind).games
        if self.places == [len(trial.others) + 1 for trial in trials]:
            warn("last", "It came last in every game.")


def _incidents(event: Event, me: Seat, narrator: Narrator, trial: str) -> list[Finding]:
    """Return the mistakes for which the player was not thrown out."""
    if isinstance(event, LateFailure) and event.seat == me:
        message = f"it failed after that could no longer cost it anything: {event.forfeit.message}."
        return [Finding(False, "mishap", message, (trial,))]
    incident = event.incident
    if incident is None or incident.seat != me:
        return []
    from rich.text import Text

    sentences = "".join(Text.from_markup(line, emoji=False).plain for line in narrator.incidents(event))
    # Without the seat, because equal incidents in several trials are merged.
    message = sentences.replace(f"it (seat {me + 1})", "it", 1)
    if incident.request is None:
        return [Finding(False, "mishap", message, (trial,))]
    return [Finding(True, "bad-answer", message, (trial,), incident.request, incident.rule)]


def _merged(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings in full sentences, with equal findings of several trials merged."""
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
    """Return the problems of the second run only, caused by leftovers of the first run or by chance."""
    if again is first:
        return []
    return [
        msgspec.structs.replace(finding, message=f"In the second run, in a new process: {finding.message}")
        for finding in _merged(again.findings)
        if finding.is_problem
    ]


def _differences(first: _CheckRun, again: _CheckRun) -> Sequence[Finding]:
    """Return a warning for the first answer that differed in the second run."""
    for number, (once, then) in enumerate(zip(first.answers, again.answers, strict=False), 1):
        if (once.trial, once.request, once.answer) != (then.trial, then.request, then.answer):
            message = (
                f"The same games went differently in the second run, from answer {number} on ({once.request}, "
                f"{once.trial}). A player that takes a seed can repeat its games."
            )
            return [Finding(False, "not-repeatable", message)]
    return []
