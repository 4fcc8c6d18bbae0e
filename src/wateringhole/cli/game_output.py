"""What becomes of a finished game: a report for programs, and its record in a folder."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from wateringhole.errors import Failure
from wateringhole.game import Seat

if TYPE_CHECKING:
    from wateringhole.facets import Summary
    from wateringhole.game import AnyKind
    from wateringhole.match.series import Played

__all__ = ["make_folder", "print_json", "report", "write_record"]


def report(kind: AnyKind, names: Sequence[str], played: Played, summary: Summary) -> dict[str, Any]:
    """A game for programs; `names` go by entrant.  Seats are counted from 1, as on the command line.

    `seconds` is the time that all answers of each took.
    """

    def seated(seat: Seat) -> dict[str, Any]:
        number = played.number(seat)
        return {"seat": number, "name": names[number - 1]}

    outcome = played.outcome
    return {
        "game": kind.name,
        "seed": played.seed,
        "reason": outcome.reason,
        "ranking": [
            {
                **seated(standing.seat),
                "place": standing.place,
                **({} if standing.score is None else {"score": standing.score, "parts": dict(standing.parts)}),
            }
            for standing in outcome.ranking
        ],
        "thrown_out": [
            {**seated(thrown.seat), "kind": thrown.forfeit.reason, "reason": thrown.forfeit.message}
            for thrown in outcome.thrown_out
        ],
        "seconds": [{**seated(Seat(seat)), "seconds": seconds} for seat, seconds in enumerate(played.seconds)],
        **summary.to_json(played.number),
    }


def make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Failure(f"the folder {folder} cannot be made: {error.strerror}.") from None


def write_record(folder: Path, kind: AnyKind, played: Played) -> Path:
    """Write a record under a name that is free, whole or not at all."""
    assert played.record is not None, "records are kept when a folder is given"
    stem = f"{kind.name}-{played.seed}"
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


def print_json(value: Any) -> None:
    import msgspec

    print(msgspec.json.encode(value).decode())
