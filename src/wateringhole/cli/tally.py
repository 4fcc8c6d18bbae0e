"""The result of a game or of a series, as a table for the terminal."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from rich.table import Table

    from wateringhole.game import Seat
    from wateringhole.match.series import PlayedGame
    from wateringhole.seeds import Seed

__all__ = ["Tally"]


class Tally:
    """The sums of a series by entrant.  Its size grows with the entrants, not with the games."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = names
        self._places = [Counter[int]() for _ in names]
        self._scores = [0] * len(names)
        self._thrown_out = [Counter[str]() for _ in names]
        self._first_out: dict[int, tuple[Seed, str]] = {}
        """By entrant: the seed and the reason of its first forfeit."""
        self._seconds = [0.0] * len(names)
        self._repaired = [0] * len(names)
        self._last: PlayedGame | None = None
        self.games = 0

    def add(self, played: PlayedGame) -> None:
        self.games += 1
        for entrant, number in zip(played.entrants, played.repaired_answers, strict=True):
            self._repaired[entrant] += number
        self._last = played
        for seat, place in played.outcome.places().items():
            self._places[played.entrants[seat]][place] += 1
        for entrant, seconds in zip(played.entrants, played.seconds, strict=False):
            self._seconds[entrant] += seconds
        for standing in played.outcome.ranking:
            self._scores[played.entrants[standing.seat]] += standing.score or 0
        for thrown in played.outcome.thrown_out:
            entrant = played.entrants[thrown.seat]
            self._thrown_out[entrant][thrown.forfeit.reason] += 1
            self._first_out.setdefault(entrant, (played.seed, thrown.forfeit.message))

    def table(self) -> Table:
        return self._one_game() if self.games == 1 else self._several_games()

    def reasons(self) -> list[str]:
        """Return the reason of each player's first forfeit, which the table of several games only counts."""
        from rich.markup import escape

        if self.games == 1:
            return []
        return [
            f"[red]{escape(self._names[entrant])} was first thrown out with seed {seed}: {escape(why)}[/red]"
            for entrant, (seed, why) in sorted(self._first_out.items())
        ]

    def _one_game(self) -> Table:
        from rich.markup import escape
        from rich.table import Table

        assert self._last is not None, "a game was added"
        outcome, names = self._last.outcome, [self._names[entrant] for entrant in self._last.entrants]
        table = Table(title="Result", title_justify="left", caption=outcome.reason, caption_justify="left")
        parts = [part for part, _ in outcome.ranking[0].parts] if outcome.ranking else []
        table.add_column("place", justify="right")
        table.add_column("player")
        scored = any(standing.score is not None for standing in outcome.ranking)
        for column in (["score"] if scored else []) + parts:
            table.add_column(column, justify="right")
        reasons = {thrown.seat: escape(thrown.forfeit.message) for thrown in outcome.thrown_out}
        repairs = any(self._repaired)
        if repairs:
            table.add_column("repaired answers", justify="right")
        if reasons:
            table.add_column("thrown out", style="red")
        for standing in outcome.ranking:
            cells = [str(standing.place), escape(names[standing.seat])]
            if scored:
                cells.append(f"[bold]{standing.score}[/bold]")
            cells += [str(points) for _, points in standing.parts]
            if repairs:
                cells.append(self._repairs(standing.seat))
            table.add_row(*cells, *([reasons.pop(standing.seat, "")] if outcome.thrown_out else []))
        for seat in outcome.unranked:
            blank = [""] * (len(parts) + scored)
            table.add_row("still in", escape(names[seat]), *blank, *([self._repairs(seat)] if repairs else []))
        for seat, reason in reasons.items():
            blank = [""] * (len(parts) + scored)
            cells = [*blank, *([self._repairs(seat)] if repairs else [])]
            table.add_row("out", escape(names[seat]), *cells, reason)
        return table

    def _repairs(self, seat: Seat) -> str:
        """Return the cell for the repaired answers of a seat in the last game, which is the only one."""
        assert self._last is not None, "a game was added"
        return str(self._repaired[self._last.entrants[seat]])

    def _several_games(self) -> Table:
        from rich.markup import escape
        from rich.table import Table

        table = Table(title=f"{self.games} games", title_justify="left")
        table.add_column("player")
        scored = any(self._scores)
        repairs = any(self._repaired)
        for column in (
            *("first", "mean place", *(("mean score",) if scored else ()), "seconds"),
            *(("repaired answers",) if repairs else ()),
            "thrown out",
        ):
            table.add_column(column, justify="right")
        means = [sum(place * times for place, times in places.items()) / self.games for places in self._places]
        for entrant in sorted(range(len(means)), key=means.__getitem__):
            out = ", ".join(f"{times} {reason}" for reason, times in self._thrown_out[entrant].items())
            table.add_row(
                escape(self._names[entrant]),
                f"{self._places[entrant][1] / self.games:.1%}",
                f"{means[entrant]:.2f}",
                *((f"{self._scores[entrant] / self.games:.2f}",) if scored else ()),
                f"{self._seconds[entrant]:.1f}",
                *((str(self._repaired[entrant]),) if repairs else ()),
                out,
            )
        return table
