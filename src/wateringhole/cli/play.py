"""`wateringhole play`: one game or a series, told in the terminal."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wateringhole.cli.common import GameName, Json, RuleWords, read_file, rules_of
from wateringhole.cli.tally import Tally
from wateringhole.errors import Failure, Misuse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from rich.console import Console

    from wateringhole.arena.match import Observer
    from wateringhole.arena.series import Played, Series
    from wateringhole.game import Kind, Seat, Summary
    from wateringhole.players.program import Housing

__all__ = ["play"]


def play(
    game: GameName,
    player: Annotated[
        list[str],
        typer.Argument(metavar="PLAYER…", help="Who plays: silly, random?seed=7, bots/mine.py:Mine, Ada=human, …"),
    ],
    games: Annotated[int, typer.Option(min=1, help="How many games in a row, with the same player objects.")] = 1,
    seed: Annotated[int | None, typer.Option(help="Decides all chance; shown and recorded when not given.")] = None,
    rules: RuleWords = None,
    deck: Annotated[
        str | None,
        typer.Option(
            metavar="FILE|ascending|shuffled", help="Evolution: the order of the deck.", show_default="shuffled"
        ),
    ] = None,
    rotate_seats: Annotated[bool, typer.Option(help="Everybody moves one seat on after each game.")] = False,
    patience: Annotated[float | None, typer.Option(help="Seconds for one answer; a later one costs the game.")] = None,
    bank: Annotated[float, typer.Option(min=0, help="Seconds a player may overdraw in a game, in all.")] = 0.0,
    sandbox: Annotated[
        str | None, typer.Option(metavar="bwrap", help="Lock programs in: no network, nothing to write to.")
    ] = None,
    record: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write a record of every game to this folder.")
    ] = None,
    quiet: Annotated[bool, typer.Option("--quiet", "-q", help="Tell the result only.")] = False,
    json: Json = False,
) -> None:
    """Play one game, or several.

    Example: wateringhole play evolution silly random greedy --seed 7 --record games
    """
    from rich.console import Console

    from wateringhole import catalogue
    from wateringhole.arena.match import Policy
    from wateringhole.arena.series import Series

    kind = catalogue.game(game)
    chosen = rules_of(kind, rules)
    if len(player) not in kind.seats:
        raise Misuse(f"{game} is for {kind.seats[0]} to {kind.seats[-1]} players; {len(player)} were named.")
    if patience is not None and patience <= 0:
        raise Misuse(f"--patience {patience:g}: the referee needs some; give a number of seconds above 0.")
    series = Series(
        kind=kind,
        entrants=_seat(game, player, _housing(patience, sandbox)),
        rules=chosen,
        seed=random.SystemRandom().randrange(2**32) if seed is None else seed,
        games=games,
        rotate_seats=rotate_seats,
        policy=Policy(patience_seconds=patience, bank_seconds=bank),
        choices=_choices(game, deck),
        keeps_records=record is not None,
    )
    if record:
        _make_folder(record)
    table = _Table(kind, series, Console(soft_wrap=True), Console(stderr=True, soft_wrap=True), quiet or json)
    try:
        table.play(record, json)
    finally:
        for entrant in series.entrants:
            entrant.player.close()


def _housing(patience: float | None, sandbox: str | None) -> Housing:
    """Where patience is asked for, a player must be one that can be stopped."""
    from wateringhole.players.program import Housing

    if sandbox not in (None, "bwrap"):
        raise Misuse(f"--sandbox {sandbox}: there is only bwrap.")
    return Housing(isolates=patience is not None or sandbox is not None, sandbox=sandbox is not None)


def _seat(game: str, specs: list[str], housing: Housing) -> list[Any]:
    """Make the players, once for each seat and before any game."""
    from wateringhole.arena.series import Entrant
    from wateringhole.players.naming import name_players
    from wateringhole.players.seating import seating

    named = name_players(game, specs, housing)
    with seating(len(named)):
        return [Entrant(player.label, player.make()) for player in named]


def _choices(game: str, deck: str | None) -> dict[str, Any]:
    if deck is None:
        return {}
    if game != "evolution":
        raise Misuse(f"--deck {deck}: there is no deck in {game}.")
    if deck in ("ascending", "shuffled"):
        return {"deck": deck}
    from wateringhole.evolution import wire
    from wateringhole.strictjson import parse

    path = Path(deck)
    try:
        return {"deck": wire.cards_from_json(parse(read_file(path)))}
    except ValueError as error:
        raise Misuse(f"--deck {path}: {error}. It is a JSON list of [points, trait].") from None


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Failure(f"the folder {folder} cannot be made: {error.strerror}.") from None


class _Table:
    """Shows the games of a series and sums them up."""

    def __init__(self, kind: Kind[Any, Any], series: Series, out: Console, err: Console, silent: bool) -> None:
        self._kind = kind
        self._series = series
        self._out = out
        self._err = err
        # A person at the table must not be told what its seat may not see.
        has_person = any(entrant.player.sees_events for entrant in series.entrants)
        self._narrates = not silent and series.games == 1 and not has_person
        self._summary: Summary = kind.summary()

    def play(self, folder: Path | None, as_json: bool) -> None:
        from rich.progress import BarColumn, MofNCompleteColumn, Progress, TimeRemainingColumn

        series = self._series
        if not as_json:
            self._out.print(f"[dim]{self._kind.name}, seed {series.seed}[/dim]")
        tally = Tally([entrant.name for entrant in series.entrants])
        reports: list[dict[str, Any]] = []
        path = None
        bar = Progress(
            "games",
            BarColumn(),
            MofNCompleteColumn(),
            TimeRemainingColumn(),
            console=self._err,
            transient=True,
            disable=series.games == 1 or not self._err.is_terminal,
        )
        try:
            with bar:
                task = bar.add_task("games", total=series.games)
                for played in series.play(self._observers):
                    tally.add(played)
                    if as_json:
                        reports.append(self._report(played))
                    if folder:
                        path = self._write(folder, played)
                    bar.advance(task)
        finally:
            # Also after Ctrl-C: finished games are not lost.
            if as_json:
                _print_json(reports if series.games > 1 else reports[0] if reports else None)
            elif tally.games:
                if not self._narrates:
                    self._out.print(tally.table())
                if path:
                    self._out.print(f"[dim]recorded; watch it again with: wateringhole replay {path}[/dim]")

    def _observers(self, names: Sequence[str]) -> list[Observer]:
        self._summary = self._kind.summary()
        narrator = self._kind.narrator(names)
        observers: list[Observer] = [self._summary.see]
        if self._narrates:
            observers.append(lambda event: _print_lines(self._out, narrator.tell(event)))
        observers.append(lambda event: _print_lines(self._err, narrator.faults(event)))
        return observers

    def _report(self, played: Played) -> dict[str, Any]:
        """A game for programs.  Seats are counted from 1, as on the command line, whatever the seating."""
        names = [entrant.name for entrant in self._series.entrants]

        def seated(seat: Seat) -> dict[str, Any]:
            number = played.number(seat)
            return {"seat": number, "name": names[number - 1]}

        outcome = played.outcome
        return {
            "game": self._kind.name,
            "seed": played.seed,
            "reason": outcome.reason,
            "ranking": [
                {
                    **seated(standing.seat),
                    "place": standing.place,
                    **({} if standing.score is None else {"score": standing.score, "parts": standing.parts}),
                }
                for standing in outcome.ranking
            ],
            "thrown_out": [
                {**seated(thrown.seat), "kind": thrown.forfeit.reason, "reason": thrown.forfeit.message}
                for thrown in outcome.thrown_out
            ],
            **self._summary.to_json(played.number),
        }

    def _write(self, folder: Path, played: Played) -> Path:
        """Write a record under a name that is free, whole or not at all."""
        assert played.record is not None, "records are kept when a folder is given"
        stem = f"{self._kind.name}-{played.seed}"
        path = folder / f"{stem}.jsonl"
        copies = 1
        while path.exists():
            copies += 1
            path = folder / f"{stem}-{copies}.jsonl"
        unfinished = path.with_suffix(".part")
        try:
            unfinished.write_bytes(played.record)
            unfinished.rename(path)
        except OSError as error:
            raise Failure(f"the record {path} cannot be written: {error.strerror}.") from None
        return path


def _print_lines(console: Console, lines: Sequence[str]) -> None:
    for line in lines:
        console.print(line, highlight=False, emoji=False)


def _print_json(value: Any) -> None:
    import msgspec

    print(msgspec.json.encode(value).decode())
