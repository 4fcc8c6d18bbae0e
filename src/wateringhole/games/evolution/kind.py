"""The `GameKind` of Evolution: everything that drivers need to run the game without knowing its rules."""

from __future__ import annotations

from typing import TYPE_CHECKING

from wateringhole.game import GameKind, Highlight
from wateringhole.games.evolution.deck import DECK
from wateringhole.games.evolution.rules import codec
from wateringhole.games.evolution.rules.events import SpeciesAttacked, TurnStarted
from wateringhole.games.evolution.rules.folded_view import FoldedView
from wateringhole.games.evolution.rules.game import Dealer
from wateringhole.games.evolution.rules.options import LEAST_PLAYERS, MOST_PLAYERS, PROFILES, RULES_VERSION
from wateringhole.games.evolution.rules.setup import Setup, deal
from wateringhole.games.evolution.traits import TRAITS_OPTION
from wateringhole.options import Profile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wateringhole import facets
    from wateringhole.games.evolution.rules.answers import EvolutionAnswer
    from wateringhole.games.evolution.rules.options import Rules
    from wateringhole.games.evolution.rules.requests import EvolutionRequest

__all__ = ["KIND"]


def _rulebook() -> str:
    from wateringhole.games.evolution.rulebook import rulebook

    return rulebook()


def _text() -> facets.Text[EvolutionRequest, EvolutionAnswer]:
    from wateringhole.games.evolution.text import TEXT

    return TEXT


def _summary() -> facets.Summary:
    from wateringhole.games.evolution.summary import Summary

    return Summary()


def _bots() -> facets.Bots:
    from wateringhole.games.evolution.bots import BOTS

    return BOTS


def _stepwise() -> facets.Stepwise[EvolutionRequest, EvolutionAnswer]:
    from wateringhole.games.evolution.bots import stepwise_wire

    return stepwise_wire


def _page() -> facets.Page[Rules, EvolutionRequest, EvolutionAnswer]:
    from wateringhole.games.evolution.page.scene import PAGE

    return PAGE


def _compiled() -> facets.Compiled:
    from wateringhole.games.evolution.compiled.game import GAME

    return GAME


def _encoding() -> facets.Encoding:
    from wateringhole.games.evolution.encoding import ENCODING

    return ENCODING


def _analysis() -> facets.Analysis:
    from wateringhole.games.evolution.analysis import ANALYSIS

    return ANALYSIS


def _coach() -> facets.Coach[EvolutionRequest, EvolutionAnswer, Rules]:
    from wateringhole.games.evolution.coach import COACH

    return COACH


def _harnesses() -> Mapping[str, facets.Harness[Rules]]:
    from wateringhole.games.evolution.harness import HARNESSES

    return HARNESSES


def _trials() -> facets.Trials:
    from wateringhole.games.evolution.trials import TRIALS

    return TRIALS


def _benchmarks() -> facets.Benchmarks:
    from wateringhole.games.evolution.benchmarks import BENCHMARKS

    return BENCHMARKS


def _protocols() -> Mapping[str, facets.ForeignProtocol[Rules, Setup, EvolutionRequest, EvolutionAnswer]]:
    from wateringhole.games.evolution.course import CourseProtocol

    return {"course": CourseProtocol()}


KIND = GameKind(
    name="evolution",
    title="Evolution: raise species around a watering hole; eat and avoid being eaten.",
    seats=range(LEAST_PLAYERS, MOST_PLAYERS + 1),
    rules_version=RULES_VERSION,
    profiles={
        "course": Profile(PROFILES["course"], "The rules of the rulebook."),
        "reference": Profile(
            PROFILES["reference"], "The rules of the program that the course published, including its mistakes."
        ),
        "framework": Profile(
            PROFILES["framework"],
            "The rules of the framework documents: traits can fill free slots, and rows can be rearranged.",
        ),
    },
    deal=deal,
    new_game=Dealer,
    codec=codec,
    usual_seats=4,
    turn_of=lambda event: event.turn if isinstance(event, TurnStarted) else None,
    fold=FoldedView,
    deal_options=(DECK, TRAITS_OPTION),
    dealt=("order", "deck", "seed"),
    highlight=Highlight("attack", lambda event: isinstance(event, SpeciesAttacked)),
    counted_events=frozenset({SpeciesAttacked, TurnStarted}),
    new_game_emitting=lambda setup, selection: Dealer(setup, emit=selection),
    rulebook=_rulebook,
    text=_text,
    summary=_summary,
    bots=_bots,
    stepwise=_stepwise,
    page=_page,
    compiled=_compiled,
    encoding=_encoding,
    analysis=_analysis,
    coach=_coach,
    harnesses=_harnesses,
    trials=_trials,
    benchmarks=_benchmarks,
    protocols=_protocols,
)
