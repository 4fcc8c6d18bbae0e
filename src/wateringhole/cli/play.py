"""`wateringhole play`: plays one game or a series in the terminal."""

from __future__ import annotations

import contextlib
import shlex
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wateringhole import fallbacks
from wateringhole.cli.common import (
    DealWords,
    Deck,
    GameName,
    Json,
    LogFolder,
    Quiet,
    RecordFolder,
    RuleWords,
    SeedText,
    Traits,
    check_seconds,
    chosen_seed,
    deal_choices,
    protect_stdout,
    rules_of,
)
from wateringhole.cli.completion import complete_players
from wateringhole.cli.game_output import print_json, report
from wateringhole.cli.isolation import OptionalSandbox, ReadOnly, parse_sandbox, report_in_process
from wateringhole.cli.tables import fitted
from wateringhole.cli.tally import Tally
from wateringhole.formatting import escape, single_line

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from wateringhole.facets import Narrator, Summary
    from wateringhole.game import AnyKind, Event
    from wateringhole.match.match import Observer
    from wateringhole.match.series import Entrant, Series
    from wateringhole.match.specs import PlayerSpec
    from wateringhole.player import Player
    from wateringhole.seeds import Seed

__all__ = ["play"]


def play(
    game: GameName,
    player: Annotated[
        list[str],
        typer.Argument(
            metavar="PLAYER…",
            help="Players by seat: {bot}, bots/mine.py:Mine, mine.py:Mine?depth=2, human, …",
            autocompletion=complete_players,
        ),
    ],
    games: Annotated[int, typer.Option(min=1, help="Number of games in a row by the same player objects.")] = 1,
    seed: SeedText = None,
    rules: RuleWords = None,
    deal: DealWords = None,
    deck: Deck = None,
    traits: Traits = None,
    rotate_seats: Annotated[
        bool, typer.Option("--rotate-seats", help="Move each player to the next seat after each game.")
    ] = False,
    time_limit: Annotated[float | None, typer.Option(help="Seconds for one answer; a later answer forfeits.")] = None,
    time_bank: Annotated[float, typer.Option(min=0, help="Spare seconds per game for slow answers.")] = 0.0,
    human_time_limit: Annotated[
        float | None, typer.Option(help="Seconds for a human's answer.", show_default="no limit")
    ] = None,
    startup_timeout: Annotated[float, typer.Option(help="Seconds for a program to introduce itself.")] = 10.0,
    restarts: Annotated[int, typer.Option(min=0, help="Restarts of a crashed or hanging program, per series.")] = 3,
    memory_limit: Annotated[
        int | None,
        typer.Option(
            min=1, metavar="MB", help="Megabytes of memory for all processes of a player.", show_default="1024"
        ),
    ] = None,
    sandbox: OptionalSandbox = None,
    read_only: ReadOnly = None,
    log: LogFolder = None,
    record: RecordFolder = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Play one game, or several.

    With --time-limit, --memory-limit, --sandbox or --log, untrusted Python players run in their own
    processes, as programs do.  Otherwise they run in this process, so play only with code that you trust.

    Example: wateringhole play {game} {bots} --seed 7 --record games
    """
    from rich.console import Console

    from wateringhole import registry
    from wateringhole.cli.console import PipeSafeConsole
    from wateringhole.match.hooks import author_warnings
    from wateringhole.match.match import RefereeSettings
    from wateringhole.match.series import Series, make_entrants, make_folder
    from wateringhole.match.specs import parse_specs, runs_untrusted_code
    from wateringhole.process.limits import isolation_for
    from wateringhole.seeds import game_seed

    kind = registry.game_kind(game)
    chosen = rules_of(kind, rules)
    check_seconds(time_limit=time_limit, human_time_limit=human_time_limit, startup_timeout=startup_timeout)
    for folder in filter(None, (record, log)):
        make_folder(folder)
    isolation = isolation_for(
        answer_seconds=None if time_limit is None else time_limit + time_bank,
        startup_seconds=startup_timeout,
        memory_bytes=None if memory_limit is None else memory_limit << 20,
        sandbox=bool(parse_sandbox(sandbox)),
        read_only=read_only or (),
        hidden=[record] if record else [],
        restarts=restarts,
        log=log,
    )
    root = chosen_seed(seed)
    with contextlib.ExitStack() as open_players:
        with protect_stdout(as_json=json):
            close = partial(_close, as_json=json)
            specs = parse_specs(game, player, isolation)
            entrants = make_entrants(kind, specs, root, open_players, close)
        if not (quiet or json):
            report_in_process([spec for spec in player if runs_untrusted_code(game, spec, isolation)])
        out, err = PipeSafeConsole(soft_wrap=True), Console(stderr=True, soft_wrap=True)
        warnings = [] if quiet else [warning for each in entrants for warning in author_warnings(each.player)]
        _print_lines(err, [f"[yellow]warning[/yellow]  {escape(warning)}" for warning in dict.fromkeys(warnings)])
        series = Series(
            kind=kind,
            entrants=entrants if quiet else _witnessed(kind, entrants, specs, root),
            rules=chosen,
            seeds=[game_seed(root, number) for number in range(games)],
            rotate_seats=rotate_seats,
            referee=RefereeSettings(time_limit=time_limit, human_time_limit=human_time_limit, time_bank=time_bank),
            choices=deal_choices(kind, deal, deck=deck, traits=traits),
            keeps_records=record is not None,
        )
        # A record contains every other choice of the deal.
        trait_file = traits or dict(each.split("=", 1) for each in deal or ()).get("traits")
        replay_options = ["--traits", trait_file] if trait_file else []
        _SeriesPrinter(kind, series, entrants, out, err, quiet, replay_options).play(record, json)


def _witnessed(
    kind: AnyKind, entrants: Sequence[Entrant], specs: Sequence[PlayerSpec], seed: Seed
) -> Sequence[Entrant]:
    """Return the entrants; a failure of one that is not built-in is reported to its author."""
    from dataclasses import replace

    from wateringhole.cli.failures import report_failure
    from wateringhole.match.failures import Witness
    from wateringhole.match.specs import is_untrusted
    from wateringhole.player import player_seed

    return [
        replace(
            entrant,
            player=Witness(kind, entrant.player, spec.spec, len(specs), player_seed(seed, seat), report_failure),
        )
        if is_untrusted(kind.name, spec.spec)
        else entrant
        for seat, (entrant, spec) in enumerate(zip(entrants, specs, strict=True))
    ]


def _close(player: Player, *, as_json: bool) -> None:
    """Close a player and ignore its exceptions, because its games are over."""
    with contextlib.suppress(Exception), protect_stdout(as_json=as_json):
        player.close()


class _SeriesPrinter:
    """Plays a series, and shows its games and their sums."""

    def __init__(
        self,
        kind: AnyKind,
        series: Series,
        entrants: Sequence[Entrant],
        out: Console,
        err: Console,
        quiet: bool,
        replay_options: Sequence[str],
    ) -> None:
        """`entrants` are those of the series, without witnesses.

        `replay_options` are those that `replay` needs for the records.
        """
        self._kind = kind
        self._series = series
        self._entrants = entrants
        self._out = out
        self._err = err
        # A human must not see what is hidden from its seat.
        self._has_human = any(entrant.player.is_human for entrant in series.entrants)
        self._quiet = quiet
        self._replay_options = replay_options
        self._summary: Summary = fallbacks.summary(kind)

    def play(self, folder: Path | None, as_json: bool) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

        from wateringhole.match.series import write_record

        series = self._series
        self._silent = self._quiet or as_json
        self._narrates = not self._silent and series.games == 1 and not self._has_human
        if not self._silent and not self._has_human:
            self._print_seed()
        names = [entrant.name for entrant in series.entrants]
        tally = Tally(names)
        reports: list[dict[str, Any]] = []
        path = None
        bar = Progress(
            "games",
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=self._err,
            transient=True,
            disable=self._quiet or series.games == 1 or not self._err.is_terminal,
        )
        try:
            with bar, protect_stdout(as_json=as_json):
                task = bar.add_task("games", total=series.games)
                for played in series.play(self._observers):
                    tally.add(played)
                    if as_json:
                        reports.append(report(self._kind, names, played, self._summary))
                    if folder:
                        path = write_record(folder, self._kind, played)
                    bar.advance(task)
        finally:
            # Also after Ctrl-C: finished games are shown.
            if as_json:
                print_json(reports if series.games > 1 else reports[0] if reports else None)
            elif tally.games:
                if self._has_human and not self._quiet:
                    self._print_seed()
                if not self._narrates:
                    self._out.print(fitted(self._out, tally.table()))
                    _print_lines(self._out, tally.reasons())
                if not self._quiet:
                    self._print_notes(path)

    def _print_notes(self, path: Path | None) -> None:
        """Print what users may want to know beside the result; `path` is that of the last record."""
        for entrant in self._entrants:
            if (own := _own_name(entrant.player)) and not entrant.name.startswith(own):
                self._out.print(f"[dim]{escape(entrant.name)} calls itself {escape(own)}[/dim]", emoji=False)
        if path:
            replay = shlex.join(["wateringhole", "replay", str(path), *self._replay_options])
            self._out.print(f"[dim]recorded; watch it again with: {escape(replay)}[/dim]", emoji=False)

    def _print_seed(self) -> None:
        """Print the seed, from which a human could see all hands before the end."""
        self._out.print(f"[dim]{self._kind.name}, seed {self._series.seeds[0]}[/dim]")

    def _observers(self, names: Sequence[str]) -> list[Observer]:
        self._summary = fallbacks.summary(self._kind)
        narrator = fallbacks.text(self._kind).narrator(names)
        observers: list[Observer] = [self._summary.see]
        if self._narrates:
            observers.append(lambda event: _print_lines(self._out, narrator.narrate(event)))
        observers.append(lambda event: _print_lines(self._err, self._incident_lines(event, narrator)))
        if not self._quiet:
            failures = _LateFailures(names)
            observers.append(lambda event: _print_lines(self._err, failures.describe(event)))
        return observers

    def _incident_lines(self, event: Event, narrator: Narrator) -> Sequence[str]:
        """Return the lines for an incident; if the output is silent, the result only counts repaired answers."""
        incident = event.incident
        if self._silent and incident is not None and incident.is_repaired_answer:
            return ()
        return narrator.incidents(event)


class _LateFailures:
    """Failures that cost a player nothing, shown so that its author can fix them."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._failed: set[Any] = set()
        """The seats that have failed in this game; a crashed program fails again at every message."""

    def describe(self, event: Event) -> list[str]:
        from wateringhole.match.match import LateFailure

        seat, forfeit = getattr(event, "seat", None), getattr(event, "forfeit", None)
        if forfeit is None or seat in self._failed:
            return []
        self._failed.add(seat)
        if not isinstance(event, LateFailure):
            return []
        return [f"{escape(self._names[event.seat])} failed, too late to matter: {escape(forfeit.message)}"]


def _own_name(player: Player) -> str | None:
    """Return the name that a player has chosen for itself, or None if it has not."""
    own = getattr(player, "name", None)
    try:
        name = own() if callable(own) else own
    except Exception:
        return None
    return single_line(name) if isinstance(name, str) and name != type(player).__name__ else None


def _print_lines(console: Console, lines: Sequence[str]) -> None:
    for line in lines:
        console.print(line, highlight=False, emoji=False)
