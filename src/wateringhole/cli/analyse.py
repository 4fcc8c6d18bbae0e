"""`wateringhole analyse`: what the answers of a recorded game were worth."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from wateringhole.cli.common import Json, PageLanguage, page_language, read_file
from wateringhole.cli.files import check_writable, write_atomically
from wateringhole.errors import OperationError, UsageError
from wateringhole.formatting import pluralize

if TYPE_CHECKING:
    from wateringhole.analysis import AnalysedAnswer, GameAnalysis
    from wateringhole.facets import Estimate

__all__ = ["analyse"]

_BARS = "▁▂▃▄▅▆▇█"


def analyse(
    file: Annotated[Path, typer.Argument(metavar="FILE", help="Record written by play --record.")],
    seat: Annotated[int | None, typer.Option(min=1, help="Analyse only this seat, counted from 1.")] = None,
    simulations: Annotated[
        int, typer.Option(min=2, max=100_000, help="Rollouts for each of two answers of a costly decision.")
    ] = 1000,
    seed: Annotated[int, typer.Option(min=0, help="Random seed of samples and rollouts.")] = 0,
    html: Annotated[
        Path | None, typer.Option(metavar="OUT", help="File to write a self-contained page with the chances to.")
    ] = None,
    language: PageLanguage = None,
    json: Json = False,
) -> None:
    """Estimate what each answer of a recorded game was worth.

    Example: wateringhole analyse games/{game}-7.jsonl
    """
    from wateringhole import analysis
    from wateringhole.match.record import read_record
    from wateringhole.sim import on_compile

    if html and (seat or json):
        raise UsageError("--html writes a page of all seats and excludes --seat and --json.")
    of_page = page_language(language, html)
    if html:
        check_writable(html)
    record = read_record(read_file(file), str(file))
    if seat is not None and seat > record.setup.players:
        raise UsageError(f"--seat {seat}: the game has {record.setup.players} seats.")
    viewer = None if seat is None else record.seat(seat)
    try:
        with on_compile(lambda: print("compiling, which makes the first run slower …", file=sys.stderr)):
            found = analysis.analyse(record, seat=viewer, simulations=simulations, seed=seed)
    except OperationError as error:
        raise OperationError(f"{file}: {error}") from None
    if html:
        _export(found, html, of_page)
    elif json:
        import msgspec

        print(msgspec.json.encode(found.to_json()).decode())
    else:
        _print(found)


def _export(found: GameAnalysis, target: Path, language: str) -> None:
    from wateringhole.web.export import export

    page = export(found.record, found, language)
    write_atomically(target, page)
    print(f"{target}: {len(page) / 1000:.0f} kB; open it in any browser.")


def _print(found: GameAnalysis) -> None:
    names = found.record.header.names
    width = max(len(names[seat]) for seat in found.seats)
    print(
        f"Chances {found.chance_of}, from what each seat had seen, if all players continue like "
        f"{found.rollout_player}.\nAnswers are compared with those of {found.best_player}.\n"
    )
    for seat in found.seats:
        summary = found.summary(seat)
        curve = "".join(_BARS[min(7, int(8 * chance))] for chance in summary.chances)
        place = "not ranked" if summary.place is None else f"place {summary.place}"
        print(
            f"Seat {seat + 1}  {names[seat]:{width}}  {curve}  {place}; "
            f"{summary.agreed} of {pluralize(summary.answers, 'answer')} the same, lost {_points(summary.loss)} in all"
        )
    if unknown := sum(answer.evaluation is None for answer in found.answers):
        print(f"{pluralize(unknown, 'answer')} could not be estimated.")
    costly = found.costliest()
    print("\nThe costliest decisions:" if costly else "\nNo decision had a loss that could be confirmed.")
    for answer in costly:
        _print_decision(found, answer)


def _print_decision(found: GameAnalysis, answer: AnalysedAnswer) -> None:
    evaluation = answer.evaluation
    assert evaluation
    turn = f"{found.record.kind.turn_name} {answer.turn}".capitalize()
    print(
        f"- {turn}, {found.record.header.names[answer.seat]} (seat {answer.seat + 1}): "
        f"{evaluation.before.value:.0%} → {evaluation.after.value:.0%}, lost {_points(evaluation.loss)}"
    )
    print(f"  {found.text(answer, answer.decision.answer)}")
    advised, chance = evaluation.advice[0]
    often = f" ({chance:.0%})" if chance < 1 else ""
    print(f"  {found.best_player}: {found.text(answer, advised)}{often}")


def _points(loss: Estimate) -> str:
    """Return a loss in hundredths of the chance, with its error unless it is exact."""
    error = f" ± {100 * loss.error:.1f}" if loss.error else ""
    return f"{100 * loss.value:.1f}{error} points"
