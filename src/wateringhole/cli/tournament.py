"""`wateringhole tournament`: plays many games, stores them, and shows the standings."""

from __future__ import annotations

import shlex
import signal
import sys
import time
import warnings
from contextlib import ExitStack, closing, contextmanager, suppress
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wateringhole.cli.common import (
    Json,
    LogFolder,
    Quiet,
    RuleWords,
    SeedText,
    check_seconds,
    chosen_seed,
    protect_stdout,
    rules_of,
)
from wateringhole.cli.completion import complete_games, complete_players
from wateringhole.cli.examples import example
from wateringhole.cli.exports import CsvFile, Exports, ReplayFolder, ReportFile
from wateringhole.cli.isolation import ReadOnly, Sandbox, Trust, choose_sandbox, report_no_sandbox
from wateringhole.cli.standings import StoreLocation, conclude, name_cell, open_store
from wateringhole.errors import OperationError, UsageError

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from contextlib import AbstractContextManager
    from pathlib import Path

    from rich.console import Console, RenderableType

    from wateringhole.tournaments.executors import WorkerPool
    from wateringhole.tournaments.results import GameResult
    from wateringhole.tournaments.settings import Settings
    from wateringhole.tournaments.tournament import Tournament

__all__ = ["tournament"]

LIVE_SECONDS = 2.0
"""The interval at which the live standings are redrawn."""
MOST_LIVE, LIVE_NAME = 12, 18
"""The most players in the live standings, and letters of their names, so that the progress bar stays visible."""


def tournament(
    game: Annotated[
        str | None,
        typer.Argument(metavar="GAME", help="Game: {games}.", show_default=False, autocompletion=complete_games),
    ] = None,
    player: Annotated[
        list[str] | None,
        typer.Argument(
            metavar="PLAYER…",
            help="Players: {bot}, bots/mine.py:Mine, Ada=cmd:./mine, @players.txt, …",
            autocompletion=complete_players,
        ),
    ] = None,
    format: Annotated[
        str | None,
        typer.Option(
            help="Format: round-robin, gauntlet (first player against all others), swiss, ladder.",
            show_default="round-robin",
        ),
    ] = None,
    games: Annotated[
        int | None,
        typer.Option(
            min=1, help="Number of games, rounded up to whole blocks.", show_default="400; a ladder is endless"
        ),
    ] = None,
    table_size: Annotated[
        int | None, typer.Option(min=2, help="Number of players per game.", show_default="usual number of the game")
    ] = None,
    life: Annotated[
        int | None,
        typer.Option(min=1, help="Games in a row by the same player objects.", show_default="table size"),
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="Number of processes that play simultaneously.")] = 1,
    cluster: Annotated[
        str | None,
        typer.Option(metavar="tcp://HOST:PORT", help="Address of the scheduler of a trusted Dask cluster to play on."),
    ] = None,
    store: StoreLocation = None,
    store_timeout: Annotated[
        float | None,
        typer.Option(help="Seconds to wait for a store that is unavailable or full.", show_default="600"),
    ] = None,
    seed: SeedText = None,
    rules: RuleWords = None,
    time_limit: Annotated[float | None, typer.Option(help="Seconds for one answer; a later answer forfeits.")] = None,
    memory_limit: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="MB", help="Megabytes of memory for all processes of a player.", show_default="1024"
        ),
    ] = None,
    sandbox: Sandbox = None,
    read_only: ReadOnly = None,
    trust: Trust = False,
    log: LogFolder = None,
    withdraw_after: Annotated[
        int | None,
        typer.Option(
            min=0, metavar="N", help="Forfeits in a row that withdraw a player; 0 for never.", show_default="20"
        ),
    ] = None,
    resume: Annotated[int | None, typer.Option(metavar="ID", help="Continue a tournament in the store.")] = None,
    quiet: Quiet = False,
    json: Json = False,
    csv: CsvFile = None,
    report: ReportFile = None,
    replays: ReplayFolder = None,
) -> None:
    """Play a tournament.  Each game is stored, and an interruption loses no finished game.

    Untrusted players run in their own processes, and in a sandbox if one works here.  In the sandbox, a player
    cannot stop the tournament, and sees only its own files.

    Example: wateringhole tournament {game} {bots} bots/mine.py:Mine --games 400 --workers 2
    """
    if resume is None and (game is None or not player):
        raise UsageError(example("expected a game and its players, e.g. wateringhole tournament {game} {bots}."))
    if resume is not None and game is not None:
        raise UsageError("--resume ID: omit the game and its players, which are in the store.")
    if resume is not None:
        _refuse(
            format=format,
            games=games,
            table_size=table_size,
            life=life,
            seed=seed,
            rules=rules,
            time_limit=time_limit,
            memory_limit=memory_limit,
            sandbox=sandbox,
            read_only=read_only,
            trust=trust or None,
            log=log,
            withdraw_after=withdraw_after,
        )
    check_seconds(store_timeout=store_timeout)
    exports = Exports(csv, report, replays)
    from wateringhole.tournaments.results import require_tournaments

    require_tournaments()
    exports.check()
    with ExitStack() as stack:
        pool = stack.enter_context(_pool(workers, cluster))
        settings = (
            _settings(
                game,
                player or [],
                format or "round-robin",
                games,
                table_size,
                life,
                seed,
                rules,
                time_limit,
                memory_limit,
                sandbox,
                read_only,
                trust,
                log,
                withdraw_after,
                pool,
            )
            if game
            else None
        )
        # The store comes last, so that an earlier error leaves no empty store behind.
        opened = stack.enter_context(closing(open_store(store, makes_file=resume is None)))
        from wateringhole.tournaments.store import without_password
        from wateringhole.tournaments.tournament import Tournament

        with _status("creating every player once and planning the games", quiet), _print_warnings():
            if settings is not None:
                played = Tournament.start(opened, settings, pool)
            else:
                assert resume is not None
                played = Tournament.resume(opened, resume, pool)
        _warn_of_changes(played)
        if resume is not None:
            _report_no_sandbox(played.settings, pool)
        location = store and without_password(store)
        options = [
            ("--resume", played.number),
            ("--workers", workers if workers > 1 else None),
            ("--cluster", cluster),
            ("--store", location),
            ("--store-timeout", store_timeout and f"{store_timeout:g}"),
            *exports.options(),
        ]
        words = [word for name, value in options if value for word in (name, str(value))]
        again = shlex.join(
            ["wateringhole", "tournament", *words, *(["--quiet"] if quiet else []), *(["--json"] if json else [])]
        )
        again += "" if location == store else "  (with the password instead of ***)"
        _play(played, again, json, exports, store_timeout, quiet=quiet)


def _warn_of_changes(played: Tournament) -> None:
    """Print which players have other files than in earlier games of a resumed tournament."""
    from wateringhole.formatting import single_line
    from wateringhole.match.versions import short_version

    for player, old in played.changed.items():
        name, new = single_line(played.settings.names[player]), played.versions[player]
        print(
            f"wateringhole: {name} has changed since its earlier games, from version {short_version(old)} to "
            f"{short_version(new)}. The record of each game names the version.",
            file=sys.stderr,
        )


@contextmanager
def _print_warnings() -> Iterator[None]:
    """Print each warning as one line."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", UserWarning)
        yield
    for warning in caught:
        print(f"wateringhole: {warning.message}", file=sys.stderr)


def _report_no_sandbox(settings: Settings, pool: WorkerPool) -> None:
    """Report that the players of a resumed tournament must do without the sandbox."""
    from wateringhole.match.specs import is_untrusted

    is_untrusted_here = any(is_untrusted(settings.game, player) for player in settings.players)
    if is_untrusted_here and not settings.sandbox and (problem := pool.sandbox_problem()):
        report_no_sandbox(problem)


def _refuse(**options: object) -> None:
    """Raise UsageError for options of a new tournament, which a resumed one would ignore."""
    given = [f"--{name.replace('_', '-')}" for name, value in options.items() if value not in (None, [])]
    if given:
        raise UsageError(f"--resume ID: omit {' and '.join(given)}, because a tournament keeps its settings.")


def _status(what: str, quiet: bool) -> AbstractContextManager[Any]:
    """Show a status line in a terminal: with hundreds of players, the start takes seconds."""
    from rich.console import Console

    return Console(stderr=True, quiet=quiet).status(f"{what} …")


def _pool(workers: int, cluster: str | None) -> AbstractContextManager[WorkerPool]:
    """Return the workers.  Raises OperationError if a cluster is unreachable or its package is not installed."""
    from contextlib import nullcontext

    from wateringhole.tournaments.executors import LocalPool

    if cluster is None:
        return nullcontext(LocalPool(workers))
    if workers > 1:
        raise UsageError(f"--workers {workers}: a cluster has its own workers. Omit --workers or --cluster.")
    if find_spec("distributed") is None:
        raise OperationError(
            "a cluster needs distributed, not installed here. "
            "Install the extra with: pip install 'wateringhole[cluster]'"
        )
    from wateringhole.tournaments.cluster import connect

    return connect(cluster)


def _play(
    played: Tournament,
    again: str,
    json: bool,
    exports: Exports,
    store_timeout: float | None = None,
    *,
    quiet: bool = False,
) -> None:
    """Play and show the standings; `again` is the command that resumes after an interruption."""
    from rich.console import Console

    from wateringhole.tournaments.interrupts import coalesce_ctrl_c
    from wateringhole.tournaments.retries import STORE_SECONDS, Retries
    from wateringhole.tournaments.store import StoreLost

    out, err = Console(), Console(stderr=True, soft_wrap=True)
    if not (quiet or json):
        _announce(out, played)
    display = _LiveDisplay(played, err, is_live=err.is_terminal and not quiet)
    retries = Retries(STORE_SECONDS if store_timeout is None else store_timeout, display.inform)
    ended = ""
    with coalesce_ctrl_c():
        try:
            try:
                with display.shown():
                    played.play(display.see, retries)
            except KeyboardInterrupt:
                ended = "interrupted"
            except StoreLost:
                raise  # there is nothing to continue
            except Exception:
                ended = "stopped"
                raise
            try:
                conclude(played.store, played.number, exports, json)
            except KeyboardInterrupt:
                ended = "interrupted while the games were summed, all of which are stored"
            except Exception:
                ended = ended or "all games are stored"
                raise
        finally:
            # Always the last line, even after repeated Ctrl-C.
            if ended:
                signal.signal(signal.SIGINT, signal.SIG_IGN)
                err.print(f"{ended}; continue with: {again}", markup=False, highlight=False)
    if ended:
        raise typer.Exit(130)


def _settings(
    game: str,
    specs: list[str],
    format: str,
    games: int | None,
    table_size: int | None,
    life: int | None,
    seed: str | None,
    rules: list[str] | None,
    time_limit: float | None,
    memory_limit: int | None,
    sandbox: str | None,
    read_only: list[Path] | None,
    trust: bool,
    log: Path | None,
    withdraw_after: int | None,
    pool: WorkerPool,
) -> Settings:
    from wateringhole import registry
    from wateringhole.match.series import make_folder
    from wateringhole.match.specs import expand_files, is_untrusted
    from wateringhole.tournaments.settings import WITHDRAW_AFTER, new_settings

    kind = registry.game_kind(game)
    check_seconds(time_limit=time_limit)
    if log:
        make_folder(log)
    players = expand_files(specs)
    untrusted = any(is_untrusted(kind.name, player) for player in players)
    sandboxed = choose_sandbox(sandbox, read_only, trust=trust, is_needed=untrusted, problem=pool.sandbox_problem)
    with protect_stdout(as_json=True):
        return new_settings(
            kind,
            players,
            rules=rules_of(kind, rules),
            format=format,
            games=games,
            table_size=table_size,
            life=life,
            seed=chosen_seed(seed),
            time_limit=time_limit,
            memory_bytes=None if memory_limit is None else memory_limit << 20,
            isolated=not trust if untrusted else None,
            sandbox=sandboxed,
            read_only=read_only or (),
            log=log,
            withdraw_after=WITHDRAW_AFTER if withdraw_after is None else withdraw_after,
        )


def _announce(out: Console, played: Tournament) -> None:
    from wateringhole.tournaments.tournament import games_in_all

    settings, total = played.settings, games_in_all(played.settings)
    rounded = f" ({settings.games} rounded up to whole blocks)" if total != settings.games else ""
    games = "games until you stop it" if total is None else f"{total} games{rounded}"
    what = f"{settings.game}, {settings.format}, {games}, seed {settings.seed}"
    lines = [f"tournament {played.number}: {what}; stored in {played.store.name}"]
    if settings.isolation:
        lines.append(f"isolation: {settings.isolation}")
    for line in lines:
        out.print(line, style="dim", markup=False, highlight=False, soft_wrap=True)


class _LiveDisplay:
    """Shows live standings in a terminal.  Its size depends on the number of players alone."""

    def __init__(self, played: Tournament, err: Console, *, is_live: bool) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeRemainingColumn

        from wateringhole.tournaments.tournament import games_in_all

        self._played = played
        self._err = err
        self._is_live = is_live
        self._bar = Progress(
            TextColumn("games"),
            BarColumn(),
            MofNCompleteColumn(),
            TextColumn("{task.fields[rate]}"),
            TimeRemainingColumn(),
            console=err,
        )
        done = played.store.progress(played.number).finished
        self._task = self._bar.add_task("games", total=games_in_all(played.settings), completed=done, rate="")
        self._started = time.monotonic()
        self._drawn = 0.0
        self._seen = 0
        self._live: Any = None

    def shown(self) -> Any:
        """Return a context in which the display is shown, if it is live."""
        from contextlib import nullcontext

        from rich.live import Live

        if not self._is_live:
            return nullcontext()
        self._sums = _LiveSums(self._played.settings.names)
        for result in self._played.store.results(self._played.number):
            self._sums.add(result)
        self._live = Live(self._render(), console=self._err, transient=True, refresh_per_second=4)
        return self._live

    def see(self, results: Sequence[GameResult]) -> None:
        if self._live is None:
            return
        for result in results:
            self._sums.add(result)
        self._seen += len(results)
        now = time.monotonic()
        self._bar.update(
            self._task, advance=len(results), rate=f"{self._seen / max(1e-3, now - self._started):.0f} games/s"
        )
        if now - self._drawn > LIVE_SECONDS:
            self._drawn = now
            # Other processes may play, too.  If the store is unavailable, the next commit reports it.
            with suppress(OperationError):
                self._bar.update(self._task, completed=self._played.store.progress(self._played.number).finished)
            self._live.update(self._render())

    def inform(self, message: str) -> None:
        self._err.print(f"wateringhole: {message}", markup=False, highlight=False)

    def _render(self) -> RenderableType:
        from rich.console import Group

        return Group(self._sums.table(), self._bar)


class _LiveSums:
    """Live standings, with live ratings."""

    def __init__(self, names: Sequence[str]) -> None:
        from wateringhole.tournaments.ratings import LiveRatings
        from wateringhole.tournaments.results import PlayerSums

        self._names = names
        self._ratings = LiveRatings(len(names))
        self._players = [PlayerSums() for _ in names]

    def add(self, result: GameResult) -> None:
        self._ratings.add(result)
        for entrant, place, reason in zip(result.entrants, result.places, result.thrown_out, strict=True):
            self._players[entrant].places[place] += 1
            if reason is not None:
                self._players[entrant].thrown_out[reason] += 1

    def table(self) -> RenderableType:
        from rich.table import Table

        players = sorted(range(len(self._names)), key=lambda player: -self._ratings[player].mu)
        more = f"and {len(players) - MOST_LIVE} more" if len(players) > MOST_LIVE else None
        table = Table(title="so far", title_justify="left", caption=more, caption_justify="left")
        table.add_column("player", no_wrap=True, max_width=LIVE_NAME)
        for column in ("live rating", "first", "mean place", "games", "thrown out"):
            table.add_column(column, justify="right")
        for player in players[:MOST_LIVE]:
            sums, rating = self._players[player], self._ratings[player]
            games = max(1, sums.games)
            table.add_row(
                name_cell(self._names[player]),
                f"{rating.mu:.1f} ±{2 * rating.sigma:.1f}",
                f"{sums.places[1] / games:.1%}",
                f"{sum(place * times for place, times in sums.places.items()) / games:.2f}",
                str(sums.games),
                str(sums.thrown_out.total() or ""),
            )
        return table
