"""`wateringhole compare`: is a new player better than an old one?"""

from __future__ import annotations

import random
from collections import Counter
from typing import TYPE_CHECKING, Annotated, Any

import msgspec
import typer

from wateringhole.cli.common import GameName, Json, RuleWords, beside_players, rules_of, split_players
from wateringhole.cli.game_output import print_json
from wateringhole.errors import Misuse

if TYPE_CHECKING:
    from collections.abc import Sequence

    from wateringhole.game import AnyKind
    from wateringhole.match.specs import NamedPlayer
    from wateringhole.tournaments.compare import Comparison, Round, SequentialTest

__all__ = ["compare"]

STOPGAP = "random"
"""Fills the smallest table where nobody was named for it; every game has one."""


def compare(
    game: GameName,
    new: Annotated[str, typer.Argument(metavar="NEW", help="The player in question.")],
    old: Annotated[str, typer.Argument(metavar="OLD", help="The player it is compared with.")],
    at_table: Annotated[
        list[str] | None,
        typer.Option(
            metavar="PLAYER,…",
            help="Who else sits there; may be given several times. "
            "A program comes last among commas, or in an option of its own.",
            show_default="random, as far as needed",
        ),
    ] = None,
    alpha: Annotated[float, typer.Option(help="How often equal players may be called different.")] = 0.05,
    beta: Annotated[float, typer.Option(help="How often a difference of D may be missed.")] = 0.05,
    difference: Annotated[
        float, typer.Option(metavar="D", help="The least that matters: share of games ahead less share behind.")
    ] = 0.1,
    max_games: Annotated[int, typer.Option(min=1, help="Stop undecided after about so many games.")] = 20_000,
    seed: Annotated[int | None, typer.Option(help="Decides all chance; shown when not given.")] = None,
    rules: RuleWords = None,
    patience: Annotated[float | None, typer.Option(help="Seconds for one answer; a later one costs the game.")] = None,
    json: Json = False,
) -> None:
    """Play until it can be said whether a player is better, worse, or not different by D.

    Both sit at the same table, in the same seats with the same cards in turn. The test stops early; its error
    rates are alpha and beta.

    Example: wateringhole compare evolution mine.py:Mine greedy --at-table silly,random
    """
    from wateringhole import registry
    from wateringhole.match.match import Policy
    from wateringhole.tournaments.compare import Comparison, SequentialTest

    kind = registry.game_kind(game)
    chosen = rules_of(kind, rules)
    if patience is not None and not patience > 0:
        raise Misuse(f"--patience {patience:g}: the referee needs some; give a number of seconds above 0.")
    test = SequentialTest(alpha=alpha, beta=beta, difference=difference)
    with beside_players(as_json=json):
        players = _players(kind, new, old, at_table, patience)
    comparison = Comparison(
        kind=kind,
        players=players,
        rules=chosen,
        seed=random.SystemRandom().randrange(2**32) if seed is None else seed,
        policy=Policy(patience_seconds=patience),
    )
    _Contest(comparison, test, max_games).run(json)


def _players(
    kind: AnyKind, new: str, old: str, at_table: list[str] | None, patience: float | None
) -> list[NamedPlayer]:
    from wateringhole.match.specs import name_players
    from wateringhole.process.player import Housing, Limits

    others = split_players(at_table) if at_table else [STOPGAP] * max(0, kind.seats[0] - 2)
    housing = Housing()
    if patience is not None:
        # Only a process of its own can be stopped.
        housing = Housing(isolates=True, limits=msgspec.structs.replace(Limits(), answer_seconds=patience))
    for spec in (new, old):
        if len(name_players(kind.name, [spec], housing)) != 1:
            raise Misuse(f"player {spec!r}: one that plays several seats cannot be compared.")
    named = name_players(kind.name, [new, old, *others], housing)
    if len(named) not in kind.seats:
        raise Misuse(
            f"{kind.name} is for {kind.seats[0]} to {kind.seats[-1]} players; "
            f"with those at the table there are {len(named)}."
        )
    return named


class _Contest:
    """Plays rounds until the test has a verdict, and tells how it stands."""

    def __init__(self, comparison: Comparison, test: SequentialTest, max_games: int) -> None:
        from rich.console import Console

        self._comparison = comparison
        self._test = test
        self._max_games = max_games
        self._games: Counter[str] = Counter()
        self._thrown_out: tuple[Counter[str], Counter[str]] = Counter(), Counter()
        self._somebody_played = False
        self._out = Console(soft_wrap=True, highlight=False)
        self._err = Console(stderr=True, soft_wrap=True)

    def run(self, as_json: bool) -> None:
        from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

        bar = Progress(
            BarColumn(),
            TextColumn("{task.description}", markup=False),
            TimeElapsedColumn(),
            console=self._err,
            transient=True,
            disable=not self._err.is_terminal,
        )
        try:
            with bar, beside_players(as_json=as_json):
                task = bar.add_task("", total=self._max_games)
                for round in self._comparison.rounds():
                    self._add(round)
                    bar.update(task, completed=self._games.total(), description=self._state())
                    if self._verdict != "undecided" or self._games.total() >= self._max_games:
                        break
        finally:
            # Also after Ctrl-C: what has been played is told.
            if self._test.rounds:
                if as_json:
                    print_json(self._report())
                else:
                    self._show()
        if self._verdict == "neither can play":
            raise typer.Exit(1)

    @property
    def _verdict(self) -> str:
        """The test's, unless there was nothing to test."""
        from wateringhole.tournaments.compare import FEWEST_ROUNDS

        if self._somebody_played:
            return self._test.verdict or "undecided"
        return "neither can play" if self._test.rounds >= FEWEST_ROUNDS else "undecided"

    def _add(self, round: Round) -> None:
        self._somebody_played |= not round.neither_played
        self._test.add(round.outcome)
        self._games.update(ahead=round.ahead, level=round.level, behind=round.behind)
        self._thrown_out[0].update(round.new_thrown_out)
        self._thrown_out[1].update(round.old_thrown_out)

    def _state(self) -> str:
        low, high = self._test.interval()
        return f"{self._games.total()} games, difference {self._test.mean:+.3f} ({low:+.3f} to {high:+.3f})"

    @property
    def _names(self) -> Sequence[str]:
        return [player.label for player in self._comparison.players]

    def _report(self) -> dict[str, Any]:
        new, old, *others = self._names
        low, high = self._test.interval()
        return {
            "game": self._comparison.kind.name,
            "new": new,
            "old": old,
            "at_table": others,
            "seed": self._comparison.seed,
            "verdict": self._verdict,
            "alpha": self._test.alpha,
            "beta": self._test.beta,
            "least_difference": self._test.difference,
            "difference": self._test.mean,
            "interval": [low, high],
            "rounds": self._test.rounds,
            "games": self._games.total(),
            "ahead": self._games["ahead"],
            "level": self._games["level"],
            "behind": self._games["behind"],
            "thrown_out": {"new": dict(self._thrown_out[0]), "old": dict(self._thrown_out[1])},
        }

    def _show(self) -> None:
        from rich.markup import escape

        test, games = self._test, self._games
        new, old, *others = map(escape, self._names)
        verdict = {
            "better": f"[bold green]{new} is better than {old}[/bold green]",
            "worse": f"[bold red]{new} is worse than {old}[/bold red]",
            "no difference": f"[bold]no difference of {test.difference:g} or more between {new} and {old}[/bold]",
            "undecided": f"[bold]undecided between {new} and {old}[/bold]",
            "neither can play": f"[bold red]neither {new} nor {old} can play: thrown out of every game[/bold red]",
        }[self._verdict]
        self._out.print(f"{verdict}, after {games.total()} games")
        company = f", with {', '.join(others)} at the table" if others else ""
        shares = ", ".join(f"{name} in {games[name] / games.total():.1%}" for name in ("ahead", "level", "behind"))
        self._out.print(f"{new} is {shares} of the games{company}")
        low, high = test.interval()
        self._out.print(f"difference {test.mean:+.3f}, {1 - test.alpha:.0%} interval {low:+.3f} to {high:+.3f}")
        for name, reasons in zip((new, old), self._thrown_out, strict=True):
            if reasons:
                told = ", ".join(f"{times} {reason}" for reason, times in sorted(reasons.items()))
                self._out.print(
                    f"[red]{name} was thrown out of {reasons.total()} of {games.total()} games: {told}[/red]"
                )
        self._out.print(
            f"[dim]equal players are called different in {test.alpha:.0%} of such tests, "
            f"a difference of {test.difference:g} is missed in {test.beta:.0%}; "
            f"{self._comparison.kind.name}, seed {self._comparison.seed}[/dim]"
        )
