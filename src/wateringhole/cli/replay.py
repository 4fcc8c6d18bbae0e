"""`wateringhole replay`: shows a recorded game, verifies it, or writes a page of it."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from wateringhole import fallbacks
from wateringhole.cli.common import Json, PageLanguage, page_language, read_file
from wateringhole.cli.files import write_atomically
from wateringhole.errors import UsageError

if TYPE_CHECKING:
    from wateringhole.game import Event
    from wateringhole.match.record import Record

__all__ = ["replay"]


def replay(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Record written by play --record.")],
    turn: Annotated[int | None, typer.Option(min=1, help="Show only this turn or round.")] = None,
    seat: Annotated[int | None, typer.Option(min=1, help="Show what this seat sees, counted from 1.")] = None,
    html: Annotated[
        Path | None, typer.Option(metavar="OUT", help="File to write a self-contained page of the game to.")
    ] = None,
    traits: Annotated[
        str | None, typer.Option(metavar="FILE", help="File that --traits was given when the game was played.")
    ] = None,
    verify: Annotated[bool, typer.Option("--verify", help="Only check the record against the rules.")] = False,
    language: PageLanguage = None,
    json: Json = False,
) -> None:
    """Watch a recorded game in the terminal, a page at a time.

    Example: wateringhole replay games/{game}-7.jsonl --turn 3
    """
    from wateringhole.match.record import read_record

    if html and (turn or seat or verify or json):
        raise UsageError("--html writes a page of the whole game and excludes --turn, --seat, --verify and --json.")
    of_page = page_language(language, html)
    record = read_record(read_file(file), str(file))
    if traits is not None:
        record = _with_option(file, record, "traits", traits)
    if seat is not None and seat > record.setup.players:
        raise UsageError(f"--seat {seat}: the game has {record.setup.players} seats.")
    if verify:
        events = sum(1 for _ in _events(file, record))
        print(f"{file}: fine; {len(record.answers)} answers lead to {events} events and the result written down.")
        return
    if html:
        _export(file, record, html, of_page)
        return
    shown = _turn(record, _events(file, record), turn)
    if json:
        _print_json(record, shown, seat)
    else:
        _print_text(record, shown, seat)


def _with_option(file: Path, record: Record, name: str, value: str) -> Record:
    from wateringhole.errors import OperationError

    try:
        return record.with_option(name, value)
    except OperationError as error:
        raise OperationError(f"{file}: {error}") from None


def _export(file: Path, record: Record, target: Path, language: str) -> None:
    from wateringhole.errors import OperationError
    from wateringhole.web.export import export

    try:
        page = export(record, language=language)
    except OperationError as error:
        raise OperationError(f"{file}: {error}") from None
    write_atomically(target, page)
    print(f"{target}: {len(page) / 1000:.0f} kB; open it in any browser.")


def _events(file: Path, record: Record) -> Iterator[Event]:
    """Yield the events of a record.  An error names the file."""
    from wateringhole.errors import OperationError

    try:
        yield from record.replay().events()
    except OperationError as error:
        raise OperationError(f"{file}: {error}") from None


def _turn(record: Record, events: Iterator[Event], turn: int | None) -> Iterator[tuple[Event, bool]]:
    """Yield each event, and whether it belongs to the turn."""
    now = 0
    for event in events:
        now = record.kind.turn_of(event) or now
        yield event, turn is None or turn == now
    if turn is not None and turn > now:
        raise UsageError(f"--turn {turn}: the game has only {now}.")


def _print_json(record: Record, events: Iterator[tuple[Event, bool]], seat: int | None) -> None:
    import msgspec

    for event, shown in events:
        seen: Any = event if seat is None else event.seen_by(record.seat(seat))
        if shown and seen is not None:
            print(msgspec.json.encode(record.kind.codec.event_to_json(seen)).decode())


def _print_text(record: Record, events: Iterator[tuple[Event, bool]], seat: int | None) -> None:
    from rich.console import Console

    console = Console(soft_wrap=True)
    viewer = None if seat is None else record.seat(seat)
    narrator = fallbacks.text(record.kind).narrator(record.header.names, viewer)
    page_lines = max(1, console.height - 2)
    printed = 0
    for event, shown in events:
        seen = event if viewer is None else event.seen_by(viewer)
        if seen is None:
            continue
        for line in [*narrator.narrate(seen), *narrator.incidents(seen)]:
            if not shown:
                continue
            console.print(line, highlight=False, emoji=False)
            printed += 1
            # A page at a time in a terminal; everything if no key can be pressed.
            if printed % page_lines == 0 and sys.stdin.isatty() and console.is_terminal:
                console.print("[dim]— Enter for more, Ctrl-C to stop —[/dim]", end="")
                input()
