"""The functions of the front door: `import wateringhole as wh` offers all of them.

They do what the commands of the same names do, and return objects instead of printing.
"""

from __future__ import annotations

import contextlib
import tempfile
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

from wateringhole import fallbacks, options, registry
from wateringhole.errors import OperationError, UsageError
from wateringhole.formatting import short_repr
from wateringhole.game import AnyKind, Game, Seat, Violation
from wateringhole.match.hooks import author_warnings
from wateringhole.match.match import RefereeSettings
from wateringhole.match.record import Record, read_record
from wateringhole.match.series import PlayedGame, Series, make_entrants, make_folder, write_record
from wateringhole.match.specs import (
    GivenPlayer,
    PlayerFactory,
    expand_files,
    is_untrusted,
    parse_specs,
    runs_untrusted_code,
    spec_of,
)
from wateringhole.options import RulesChoice
from wateringhole.process.limits import NO_ISOLATION, isolation_for, needs_process
from wateringhole.process.machine import SandboxOptions, choose_sandbox
from wateringhole.seeds import Seed, check_seed, game_seed, new_seed

if TYPE_CHECKING:
    from wateringhole.analysis import GameAnalysis
    from wateringhole.player import Player
    from wateringhole.sim.simulation import SimulationResult
    from wateringhole.tournaments.check import CheckReport
    from wateringhole.tournaments.compare import ComparisonResult
    from wateringhole.tournaments.ratings import Standings
    from wateringhole.tournaments.results import GameResult

__all__ = [
    "RulesChoice",
    "TournamentResult",
    "analyse",
    "check",
    "compare",
    "explain",
    "new_game",
    "play",
    "replay",
    "serve",
    "simulate",
    "tournament",
]


@overload
def play(
    game: str,
    players: Sequence[GivenPlayer],
    *,
    games: None = None,
    seed: Seed | None = None,
    rules: RulesChoice = (),
    deal: Mapping[str, Any] | None = None,
    traits: str | Path | None = None,
    record: str | Path | None = None,
    rotate_seats: bool = False,
    time_limit: float | None = None,
    time_bank: float = 0.0,
    human_time_limit: float | None = None,
    memory_limit: int | None = None,
    sandbox: bool = False,
    read_only: Sequence[str | Path] = (),
) -> PlayedGame: ...


@overload
def play(
    game: str,
    players: Sequence[GivenPlayer],
    *,
    games: int,
    seed: Seed | None = None,
    rules: RulesChoice = (),
    deal: Mapping[str, Any] | None = None,
    traits: str | Path | None = None,
    record: str | Path | None = None,
    rotate_seats: bool = False,
    time_limit: float | None = None,
    time_bank: float = 0.0,
    human_time_limit: float | None = None,
    memory_limit: int | None = None,
    sandbox: bool = False,
    read_only: Sequence[str | Path] = (),
) -> list[PlayedGame]: ...


def play(
    game: str,
    players: Sequence[GivenPlayer],
    *,
    games: int | None = None,
    seed: Seed | None = None,
    rules: RulesChoice = (),
    deal: Mapping[str, Any] | None = None,
    traits: str | Path | None = None,
    record: str | Path | None = None,
    rotate_seats: bool = False,
    time_limit: float | None = None,
    time_bank: float = 0.0,
    human_time_limit: float | None = None,
    memory_limit: int | None = None,
    sandbox: bool = False,
    read_only: Sequence[str | Path] = (),
) -> PlayedGame | list[PlayedGame]:
    """Play one game and return it; with `games`, play that many in a row and return a list.

    A player is a name as on the command line, a class, a function that makes one, or an object.
    Objects play in this process and are not closed.  The same players and the same seed give the
    same games as `wateringhole play` does.  A method that looks like a misspelled hook causes a `UserWarning`.

    `record` is a folder for the records, which the results hold in any case.  `deal` has further
    choices for the deal; `traits` is short for one of them.  With `rotate_seats` each player moves to
    the next seat after each game.

    With `time_limit` (seconds for an answer), `memory_limit` (MB) or `sandbox`, Python players that
    do not come with the game run in processes of their own.  `time_bank` is the time that a player
    may overdraw in a game, and `human_time_limit` is the limit for people.  Players in the sandbox
    can also read the paths in `read_only`.

    >>> import wateringhole as wh
    >>> game = wh.play("porrinha", ["Ada=random", "Bea=zero"], seed=7)
    >>> game.names[game.outcome.ranking[0].seat], game.turns
    ('Bea', 12)
    """
    kind = registry.game_kind(game)
    given = _list_of(players)
    chosen, choices = _rules(kind, rules), _deal_choices(kind, _with_traits(deal, traits))
    _check_seconds(time_limit=time_limit, human_time_limit=human_time_limit)
    if games is not None and games < 1:
        raise UsageError(f"games={short_repr(games)}: expected a number of games from 1.")
    folder = None if record is None else Path(record)
    if folder:
        make_folder(folder)
    isolation = isolation_for(
        answer_seconds=None if time_limit is None else time_limit + time_bank,
        memory_bytes=_megabytes(memory_limit),
        sandbox=sandbox,
        read_only=read_only,
    )

    def let_go(player: Player) -> None:
        # The caller may play on with its own objects.  Others have played, and a failure changes nothing.
        if not any(player is each for each in given):
            with contextlib.suppress(Exception):
                player.close()

    played = []
    with contextlib.ExitStack() as guests:
        seed = _seed(seed)
        entrants = make_entrants(kind, parse_specs(kind.name, given, isolation), seed, guests, let_go)
        for warning in dict.fromkeys(warning for entrant in entrants for warning in author_warnings(entrant.player)):
            warnings.warn(warning, stacklevel=2)
        series = Series(
            kind=kind,
            entrants=entrants,
            rules=chosen,
            seeds=[game_seed(seed, number) for number in range(games or 1)],
            rotate_seats=rotate_seats,
            referee=RefereeSettings(time_limit=time_limit, human_time_limit=human_time_limit, time_bank=time_bank),
            choices=choices,
            keeps_records=True,
        )
        for each in series.play():
            if folder:
                write_record(folder, kind, each)
            played.append(each)
    return played[0] if games is None else played


def replay(record: Record | str | Path | bytes, *, traits: str | Path | None = None) -> Record:
    """Verify a record and return it.  It comes as an object, as bytes, or as the path of a file.

    A game that was played with `traits` needs the same file again, unless the record is an object.

    The record shows itself in a notebook, iterates over all events, and `narrate()` returns it as text.
    Raises OperationError, naming the line, if the record is damaged or does not fit the rules.

    >>> import wateringhole as wh
    >>> game = wh.play("porrinha", ["Ada=random", "Bea=zero"], seed=7)
    >>> print(wh.replay(game.record).narrate().splitlines()[0])
    Round 1: 6 sticks on the table, Ada (seat 1) leads.
    """
    record, name = _read(record)
    try:
        if traits is not None:
            record = record.with_option("traits", str(traits))
        for _ in record:
            pass
    except OperationError as error:
        raise OperationError(f"{name}: {error}") from None
    return record


def analyse(
    record: Record | str | Path | bytes, *, seat: int | None = None, simulations: int = 1000, seed: int = 0
) -> GameAnalysis:
    """Estimate what each answer of a recorded game was worth, and return the estimates.

    The record comes as an object, as bytes, or as the path of a file.  `seat`, from 0, limits the analysis to one
    seat.  The decisions that seem to cost most are confirmed with `simulations` rollouts for each answer.  The same
    `seed` gives the same estimates.  Raises UsageError for a game without analysis, and OperationError for a record
    that is damaged or whose rules cannot be analysed.

    >>> import wateringhole as wh
    >>> found = wh.analyse(wh.play("porrinha", ["Ada=random", "Bea=zero"], seed=7).record)
    >>> found.best_player, round(found.summary(0).chances[0], 2)
    ('expert', 0.5)
    """
    from wateringhole import analysis

    record, name = _read(record)
    if simulations < 2:
        raise UsageError(f"simulations={short_repr(simulations)}: expected a number of rollouts from 2.")
    if seat is not None and seat not in range(record.setup.players):
        raise UsageError(f"seat={short_repr(seat)}: expected a seat from 0 to {record.setup.players - 1}, or None.")
    viewer = None if seat is None else Seat(seat)
    try:
        return analysis.analyse(record, seat=viewer, simulations=simulations, seed=seed)
    except OperationError as error:
        raise OperationError(f"{name}: {error}") from None


def _read(record: object) -> tuple[Record, str]:
    """Return a record that was given as an object, as bytes or as a path, and its name for errors."""
    name = "record"
    if isinstance(record, (str, Path)):
        name = str(record)
        try:
            record = Path(record).read_bytes()
        except OSError as error:
            raise OperationError(f"{name} cannot be read: {error.strerror}.") from None
    if isinstance(record, bytes):
        record = read_record(record, name)
    if not isinstance(record, Record):
        raise UsageError(f"{short_repr(record)} is not a record. Give one, its bytes, or the path of its file.")
    return record, name


@dataclass(frozen=True)
class TournamentResult:
    """A tournament that was played to its end."""

    game: str
    format: str
    seed: Seed
    names: tuple[str, ...]
    """By number of player, in the order in which they were given."""
    standings: Standings
    """Ratings with their error; prints itself as a table."""
    games: tuple[GameResult, ...]
    """The result of every game, by series and game."""
    head: str
    """The head of the chain of its records, which `wateringhole standings --head` prints."""
    number: int
    """Its number in the store."""
    store: str | Path | None
    """Where it is kept, or None if it is not."""

    def record(self, game: GameResult) -> Record:
        """Return the record of one of the games.  Raises OperationError if the tournament is not kept."""
        from wateringhole.tournaments.store import Store

        if self.store is None:
            raise OperationError("the tournament left no records. Play it with a store, e.g. store='club.sqlite'.")
        with contextlib.closing(Store(self.store, makes_file=False)) as opened:
            return read_record(opened.record(self.number, game.series, game.game))

    def __str__(self) -> str:
        return str(self.standings)


def tournament(
    game: str,
    players: Sequence[PlayerFactory],
    *,
    games: int | None = None,
    format: str = "round-robin",
    table_size: int | None = None,
    life: int | None = None,
    seed: Seed | None = None,
    rules: RulesChoice = (),
    workers: int = 1,
    store: str | Path | None = None,
    time_limit: float | None = None,
    memory_limit: int | None = None,
    sandbox: bool | None = None,
    read_only: Sequence[str | Path] = (),
    trust: bool | None = None,
    withdraw_after: int = 20,
) -> TournamentResult:
    """Play a tournament and return its standings.

    A player is a name as on the command line, a class, or a function that makes one.  One worker
    plays in this process.  More are processes of their own, so classes must be importable, and a
    script must call this below ``if __name__ == "__main__":``.

    `life` is the number of games in a row by the same player objects, by default the table size.  They
    never see a deal twice: it is played from every seat, each time by new objects.

    Without a `store`, a file or a URL, nothing is left behind.  In a store the tournament is kept
    with its records: ``wateringhole standings`` shows it, and ``tournament --resume`` continues it.
    A player that is given by name and is not built in runs in its own process, and in the sandbox if
    one works here; `sandbox=False` does without, and with `sandbox=True` its absence is an error.
    Classes and functions are code of your program and play in this process.  `trust` decides this for all
    players: with True, all play in this process, and with False, none but built-in ones do.

    The limits are those of `play`.  A player that forfeits `withdraw_after` games in a row is withdrawn
    and forfeits the rest; with 0, no player is.

    >>> import wateringhole as wh
    >>> result = wh.tournament("porrinha", ["random", "zero", "counter"], games=30, seed=1)
    >>> result.standings.players[-1].name
    'random'
    """
    from wateringhole.tournaments.results import require_tournaments
    from wateringhole.tournaments.schedule import FORMATS
    from wateringhole.tournaments.settings import new_settings

    require_tournaments()
    kind = registry.game_kind(game)
    _check_seconds(time_limit=time_limit)
    if workers < 1:
        raise UsageError(f"workers={short_repr(workers)}: expected a number of processes from 1.")
    if withdraw_after < 0:
        raise UsageError(f"withdraw_after={short_repr(withdraw_after)}: expected a number of forfeits, or 0 for never.")
    if games is None and format in FORMATS and FORMATS[format].is_endless:
        raise UsageError(f"format {format!r} has no end: give it a number of games, e.g. games=400.")
    given = _list_of(players)
    named = expand_files([each for each in given if isinstance(each, str)])
    is_isolated = (
        needs_process(bool(sandbox), time_limit, memory_limit)
        or any(runs_untrusted_code(kind.name, each, NO_ISOLATION) for each in named)
        if trust is None
        else not trust
    )
    has_classes = len(named) < len(given)
    is_needed = not trust and (any(is_untrusted(kind.name, each) for each in named) or (has_classes and is_isolated))
    # Whatever leaves this process names its players in a way that other processes understand.
    elsewhere = workers > 1 or store is not None or is_isolated
    settings = new_settings(
        kind,
        expand_files([spec_of(kind.name, each, elsewhere=elsewhere) for each in given]),
        rules=_rules(kind, rules),
        format=format,
        games=games,
        table_size=table_size,
        life=life,
        seed=_seed(seed),
        time_limit=time_limit,
        memory_bytes=_megabytes(memory_limit),
        isolated=is_isolated if is_needed or has_classes else None,
        sandbox=_choose_sandbox(sandbox, read_only, is_needed=is_needed, trust=bool(trust)),
        read_only=read_only,
        withdraw_after=withdraw_after,
    )
    from wateringhole.tournaments import ratings
    from wateringhole.tournaments.executors import IN_PROCESS, LocalPool
    from wateringhole.tournaments.store import Store
    from wateringhole.tournaments.tournament import Tournament

    with contextlib.ExitStack() as stack:
        place = store or Path(stack.enter_context(tempfile.TemporaryDirectory())) / "tournament.sqlite"
        opened = stack.enter_context(contextlib.closing(Store(place)))
        played = Tournament.start(opened, settings, IN_PROCESS if workers == 1 else LocalPool(workers))
        played.play()
        settings = played.settings
        results = tuple(opened.results(played.number))
        head = opened.chain(played.number).head
    return TournamentResult(
        game=kind.name,
        format=settings.format,
        seed=settings.seed,
        names=settings.names,
        standings=ratings.standings(settings.sums(results), settings.names),
        games=results,
        head=head,
        number=played.number,
        store=store,
    )


def compare(
    game: str,
    new: PlayerFactory,
    old: PlayerFactory,
    *,
    others: Sequence[PlayerFactory] | None = None,
    alpha: float = 0.05,
    beta: float = 0.05,
    difference: float = 0.1,
    max_games: int = 20_000,
    life: int = 1,
    seed: Seed | None = None,
    rules: RulesChoice = (),
    time_limit: float | None = None,
) -> ComparisonResult:
    """Play until it can be said whether a new player is better than an old one, and return the verdict.

    Both sit at one table with the `others`, in the same seats with the same cards in turn.  `alpha`
    is how often equal players may be called different, `beta` how often a `difference` may be
    missed.  Without a verdict the test stops after about `max_games` games.  `life` is the number of
    games in a row by the same player objects; give more to players that learn.

    >>> import wateringhole as wh
    >>> wh.compare("porrinha", "zero", "random", seed=1).verdict
    'better'
    """
    from wateringhole.tournaments.compare import Comparison, Contest, SequentialTest, compared_players

    kind = registry.game_kind(game)
    _check_seconds(time_limit=time_limit)
    if max_games < 1:
        raise UsageError(f"max_games={short_repr(max_games)}: expected a number of games from 1.")
    if life < 1:
        raise UsageError(f"life={short_repr(life)}: expected a number of games from 1.")
    company = None if others is None else _list_of(others)
    for player in (new, old, *(company or ())):
        if isinstance(player, fallbacks.player_base(kind)):
            raise UsageError(
                f"player {short_repr(player)}: every round makes new players. Give a class or a name here."
            )
    comparison = Comparison(
        kind=kind,
        players=compared_players(kind, new, old, company, isolation_for(answer_seconds=time_limit)),
        rules=_rules(kind, rules),
        life=life,
        seed=_seed(seed),
        referee=RefereeSettings(time_limit=time_limit),
    )
    contest = Contest(comparison, SequentialTest(alpha=alpha, beta=beta, difference=difference), max_games)
    for _ in contest.rounds():
        pass
    return contest.result()


def check(
    game: str,
    player: PlayerFactory,
    *,
    time_limit: float = 5.0,
    startup_timeout: float = 10.0,
    memory_limit: int = 1024,
    sandbox: bool | None = None,
    read_only: Sequence[str | Path] = (),
    trust: bool = False,
) -> CheckReport:
    """Return what would get a player thrown out or ranked badly.

    The player plays a fixed set of games, twice, in its own process, so a class must be importable.
    It runs in the sandbox if one works here; `sandbox=False` does without, and with `sandbox=True` its absence
    is an error.  With `trust`, a Python player runs in this process.  Times are in seconds, memory is in MB.

    >>> import wateringhole as wh
    >>> wh.check("porrinha", "zero").is_fine
    True
    """
    from wateringhole.process.limits import ProcessLimits
    from wateringhole.tournaments import check

    _check_seconds(time_limit=time_limit, startup_timeout=startup_timeout)
    limits = ProcessLimits(memory_bytes=_megabytes(memory_limit) or 0, startup_seconds=startup_timeout)
    kind = registry.game_kind(game)
    spec = spec_of(kind.name, player, elsewhere=not trust)
    return check.check(
        game,
        spec,
        time_limit,
        limits,
        trust=trust,
        sandbox=_choose_sandbox(sandbox, read_only, is_needed=is_untrusted(kind.name, spec), trust=trust),
        read_only=read_only,
    )


def serve(
    *,
    bind: str = "127.0.0.1",
    port: int = 8000,
    store: str | Path | None = None,
    time_limit: float = 1800.0,
    reconnect_timeout: float | None = None,
    keep_games: int = 10_000,
    traits: str | Path | None = None,
    sandbox: bool | None = None,
    read_only: Sequence[str | Path] = (),
    trust: bool = False,
    open: bool = False,
) -> None:
    """Serve the page on which humans play, watch, replay and read standings, until Ctrl-C.

    `time_limit` is the seconds for one answer of a human, `reconnect_timeout` those to reopen a closed page.
    `sandbox`, `read_only` and `trust` are those of `check`, for bots from other packages.
    `traits` is a file for the deal option of this name, for all tables.

    >>> import wateringhole as wh
    >>> wh.serve(open=True)  # doctest: +SKIP
    """
    from wateringhole.house.plans import has_untrusted_bots
    from wateringhole.web import serving

    _check_seconds(time_limit=time_limit, reconnect_timeout=reconnect_timeout)
    if keep_games < 1:
        raise UsageError(f"keep_games={short_repr(keep_games)}: expected a number of games from 1.")
    serving.serve(
        bind=bind,
        port=port,
        store=None if store is None else str(store),
        time_limit=time_limit,
        reconnect_seconds=reconnect_timeout,
        kept_games=keep_games,
        deal=_with_traits(None, traits),
        isolation=isolation_for(
            isolates=not trust,
            sandbox=_choose_sandbox(sandbox, read_only, is_needed=has_untrusted_bots(), trust=trust),
            read_only=read_only,
        ),
        opens=open,
    )


def simulate(
    game: str,
    players: Iterable[str],
    games: int,
    *,
    seed: int = 0,
    rules: RulesChoice = (),
    device: str = "cpu",
    threads: int | None = None,
) -> SimulationResult:
    """Play many games between compiled players (the extra ``sim``).

    The same games are played on every device and with any number of threads.

    >>> import wateringhole as wh
    >>> sum(wh.simulate("porrinha", ["random", "zero"], games=1000, seed=1).wins)
    1000
    """
    kind = registry.game_kind(game)
    fallbacks.check_compiled(kind)
    from wateringhole import sim

    chosen = _rules(kind, rules)
    return sim.simulate(game, players, games, seed=seed, rules=chosen, device=device, threads=threads)


def new_game(
    game: str,
    players: int,
    seed: Seed | None = None,
    *,
    rules: RulesChoice = (),
    deal: Mapping[str, Any] | None = None,
    traits: str | Path | None = None,
) -> Game[Any, Any, Any]:
    """Deal a game and return it, ready for its first answers; nothing runs it but you.

    >>> import wateringhole as wh
    >>> game = wh.new_game("porrinha", players=2, seed=7)
    >>> while game.outcome is None:
    ...     events = game.advance({seat: request.default_answer() for seat, request in game.requests.items()})
    >>> game.outcome.reason
    'finished'
    """
    kind = registry.game_kind(game)
    if players not in kind.seats:
        raise UsageError(
            f"{kind.name} is for {kind.seats[0]} to {kind.seats[-1]} players, not for {short_repr(players)}."
        )
    setup = kind.deal(players, _rules(kind, rules), _seed(seed), **_deal_choices(kind, _with_traits(deal, traits)))
    new: Game[Any, Any, Any] = kind.new_game(setup)
    return new


def explain(game: str, violation: Violation) -> str:
    """Return the text of a violation, as players and records get it.

    >>> import wateringhole as wh
    >>> (request,) = wh.new_game("evolution", players=3, seed=7).requests.values()
    >>> wh.explain("evolution", request.accept("no cards"))
    "'no cards' is not a declaration"
    """
    return fallbacks.sentence_for(registry.game_kind(game), violation)


def _list_of(players: Sequence[GivenPlayer]) -> list[Any]:
    if isinstance(players, str) or not isinstance(players, Iterable):
        raise UsageError(f"players are a list, e.g. ['random', 'random'], not {short_repr(players)}.")
    return list(players)


def _rules(kind: AnyKind, chosen: RulesChoice) -> Any:
    return options.as_rules(chosen, kind.profiles, kind.name)


def _with_traits(deal: Mapping[str, Any] | None, traits: str | Path | None) -> dict[str, Any]:
    return {**(deal or {}), **({} if traits is None else {"traits": str(traits)})}


def _deal_choices(kind: AnyKind, chosen: Mapping[str, Any]) -> dict[str, Any]:
    """Return further arguments for `deal`.  A text is read as on the command line."""
    options = {name: kind.deal_option(name) for name in chosen}
    return {name: options[name].parse(value) if isinstance(value, str) else value for name, value in chosen.items()}


def _choose_sandbox(wanted: bool | None, read_only: Sequence[str | Path], *, is_needed: bool, trust: bool) -> bool:
    """Return whether untrusted players run in the sandbox.  Warn if they should, but it does not work here."""

    def warn(problem: str) -> None:
        warnings.warn(f"untrusted players run without a sandbox: {problem}", stacklevel=5)

    options = SandboxOptions("trust=True", "sandbox=True", "read_only")
    return choose_sandbox(wanted, read_only, trust=trust, is_needed=is_needed, options=options, report=warn)


def _check_seconds(**limits: float | None) -> None:
    for name, seconds in limits.items():
        if seconds is not None and not seconds > 0:
            raise UsageError(f"{name}={short_repr(seconds)}: expected a positive number of seconds.")


def _megabytes(limit: int | None) -> int | None:
    if limit is not None and limit < 1:
        raise UsageError(f"memory_limit={short_repr(limit)}: expected a number of MB from 1.")
    return None if limit is None else limit << 20


def _seed(seed: Seed | None) -> Seed:
    return new_seed() if seed is None else check_seed(seed, f"seed={short_repr(seed)}")
