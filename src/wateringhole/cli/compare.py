"""`wateringhole compare`: tests whether a new player is better than an old one."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

import typer

from wateringhole.cli.common import (
    GameName,
    Json,
    Quiet,
    RuleWords,
    SeedText,
    check_seconds,
    chosen_seed,
    protect_stdout,
    rules_of,
    split_players,
)
from wateringhole.cli.completion import complete_players
from wateringhole.cli.game_output import print_json
from wateringhole.cli.isolation import report_in_process

if TYPE_CHECKING:
    from wateringhole.tournaments.compare import ComparisonResult, Contest

__all__ = ["compare"]


def compare(
    game: GameName,
    new: Annotated[str, typer.Argument(metavar="NEW", help="Player to test.", autocompletion=complete_players)],
    old: Annotated[
        str, typer.Argument(metavar="OLD", help="Player to compare it with.", autocompletion=complete_players)
    ],
    with_: Annotated[
        list[str] | None,
        typer.Option(
            "--with",
            metavar="PLAYER,…",
            help="Other players in the game, a program last; repeatable.",
            show_default="{filler}, as many as needed",
        ),
    ] = None,
    alpha: Annotated[float, typer.Option(help="Largest share of wrong verdicts for equal players.")] = 0.05,
    beta: Annotated[float, typer.Option(help="Largest share of missed differences of D.")] = 0.05,
    difference: Annotated[
        float, typer.Option(metavar="D", help="Smallest difference to find: share of games ahead less share behind.")
    ] = 0.1,
    max_games: Annotated[int, typer.Option(min=1, help="Stop without a verdict after about this many games.")] = 20_000,
    life: Annotated[int, typer.Option(min=1, help="Games in a row by the same player objects.")] = 1,
    seed: SeedText = None,
    rules: RuleWords = None,
    time_limit: Annotated[float | None, typer.Option(help="Seconds for one answer; a later answer forfeits.")] = None,
    quiet: Quiet = False,
    json: Json = False,
) -> None:
    """Test whether a player is better, worse, or not different by D.

    Both play in the same games, in the same seats with the same cards in turn. The test stops as soon as it can
    decide; its error rates are alpha and beta. With --time-limit, untrusted Python players run in their own processes.

    Example: wateringhole compare {game} mine.py:Mine {bot}
    """
    from wateringhole import registry
    from wateringhole.match.match import RefereeSettings
    from wateringhole.match.specs import runs_untrusted_code
    from wateringhole.process.limits import isolation_for
    from wateringhole.tournaments.compare import Comparison, Contest, SequentialTest, compared_players

    kind = registry.game_kind(game)
    chosen = rules_of(kind, rules)
    check_seconds(time_limit=time_limit)
    test = SequentialTest(alpha=alpha, beta=beta, difference=difference)
    others = split_players(with_) if with_ else None
    isolation = isolation_for(answer_seconds=time_limit)
    with protect_stdout(as_json=json):
        players = compared_players(kind, new, old, others, isolation)
    if not (quiet or json):
        specs = (new, old, *(others or ()))
        report_in_process([spec for spec in specs if runs_untrusted_code(game, spec, isolation)])
    comparison = Comparison(
        kind=kind,
        players=players,
        rules=chosen,
        life=life,
        seed=chosen_seed(seed),
        referee=RefereeSettings(time_limit=time_limit),
    )
    _Show(Contest(comparison, test, max_games), max_games, quiet=quiet).run(json)


class _Show:
    """Plays a contest and shows its progress and its result."""

    def __init__(self, contest: Contest, max_games: int, *, quiet: bool) -> None:
        from rich.console import Console

        self._contest = contest
        self._max_games = max_games
        self._quiet = quiet
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
            disable=self._quiet or not self._err.is_terminal,
        )
        try:
            with bar, protect_stdout(as_json=as_json):
                task = bar.add_task("", total=self._max_games)
                for _ in self._contest.rounds():
                    result = self._contest.result()
                    bar.update(task, completed=result.games, description=_state(result))
        finally:
            # Also after Ctrl-C: the result so far is shown.
            if self._contest.test.rounds:
                if as_json:
                    print_json(self._contest.result())
                else:
                    self._show(self._contest.result())
        if self._contest.verdict == "neither can play":
            raise typer.Exit(1)

    def _show(self, result: ComparisonResult) -> None:
        from rich.markup import escape

        new, old, *others = map(escape, (result.new, result.old, *result.at_table))
        least = result.least_difference
        verdict = {
            "better": f"[bold green]{new} is better than {old}[/bold green]",
            "worse": f"[bold red]{new} is worse than {old}[/bold red]",
            "no difference": f"[bold]no difference of {least:g} or more between {new} and {old}[/bold]",
            "undecided": f"[bold]undecided between {new} and {old}[/bold]",
            "neither can play": f"[bold red]neither {new} nor {old} can play: thrown out of every game[/bold red]",
        }[result.verdict]
        self._out.print(f"{verdict}, after {result.games} games")
        company = f", with {', '.join(others)}" if others else ""
        times = {"ahead": result.ahead, "level": result.level, "behind": result.behind}
        shares = ", ".join(f"{name} in {count / result.games:.1%}" for name, count in times.items())
        self._out.print(f"{new} is {shares} of the games{company}")
        low, high = result.interval
        self._out.print(
            f"difference {result.difference:+.3f}, {1 - result.alpha:.0%} interval {low:+.3f} to {high:+.3f}"
        )
        for name, reasons in zip((new, old), result.thrown_out.values(), strict=True):
            if reasons:
                counts = ", ".join(f"{times} {reason}" for reason, times in sorted(reasons.items()))
                self._out.print(
                    f"[red]{name} was thrown out of {sum(reasons.values())} of {result.games} games: {counts}[/red]"
                )
        if self._quiet:
            return
        self._out.print(
            f"[dim]equal players are called different in {result.alpha:.0%} of such tests, "
            f"a difference of {least:g} is missed in {result.beta:.0%}; "
            f"{result.game}, seed {result.seed}[/dim]"
        )


def _state(result: ComparisonResult) -> str:
    low, high = result.interval
    return f"{result.games} games, difference {result.difference:+.3f} ({low:+.3f} to {high:+.3f})"
