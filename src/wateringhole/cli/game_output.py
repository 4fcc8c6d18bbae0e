"""Finished games as JSON."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import msgspec

from wateringhole.game import Seat

if TYPE_CHECKING:
    from wateringhole.facets import Summary
    from wateringhole.game import AnyKind
    from wateringhole.match.series import PlayedGame

__all__ = ["JsonGames", "print_json", "report"]


def report(kind: AnyKind, names: Sequence[str], played: PlayedGame, summary: Summary) -> dict[str, Any]:
    """Return a game for `--json`; `names` are in the order of entrants, and seats are counted from 1.

    `seconds` is the total time of a player's answers.  `repaired_answers` is there only if there are some, and
    `commitment`, which reveals its nonce, only if one was published.
    """

    def seated(seat: Seat) -> dict[str, Any]:
        number = played.number(seat)
        return {"seat": number, "name": names[number - 1]}

    outcome = played.outcome
    repaired = {Seat(seat): number for seat, number in enumerate(played.repaired_answers) if number}
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
        **(
            {"repaired_answers": [{**seated(seat), "answers": number} for seat, number in repaired.items()]}
            if repaired
            else {}
        ),
        **({} if played.commitment is None else {"commitment": msgspec.to_builtins(played.commitment)}),
        **summary.to_json(played.number),
    }


def print_json(value: Any) -> None:
    print(_encoded(value))


class JsonGames:
    """Prints games as they end and keeps none: one object, or a list with one game per line.

    The whole is what `print_json` would print for all games together, except for the line breaks.
    """

    def __init__(self, *, is_list: bool) -> None:
        self._is_list = is_list
        self._printed = 0

    def add(self, report: dict[str, Any]) -> None:
        before = "" if not self._is_list else ",\n" if self._printed else "[\n"
        print(before + _encoded(report), end="" if self._is_list else "\n", flush=True)
        self._printed += 1

    def close(self) -> None:
        """Print the end of the list, also if there are no games."""
        if self._is_list:
            print("\n]" if self._printed else "[]")
        elif not self._printed:
            print("null")


def _encoded(value: Any) -> str:
    import msgspec

    return msgspec.json.encode(value).decode()
