"""The kind Porrinha: everything that drivers need to run it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from wateringhole.game import GameKind
from wateringhole.games.porrinha.rules import codec
from wateringhole.games.porrinha.rules.events import AnswerRepaired, RoundStarted
from wateringhole.games.porrinha.rules.folded_view import FoldedView
from wateringhole.games.porrinha.rules.game import Core, next_setup
from wateringhole.games.porrinha.rules.options import MOST_ROUNDS, PROFILES, RULES_VERSION
from wateringhole.games.porrinha.rules.setup import MOST_PLAYERS, deal
from wateringhole.options import Profile

if TYPE_CHECKING:
    from collections.abc import Mapping

    from wateringhole import facets
    from wateringhole.games.porrinha.rules.answers import PorrinhaAnswer
    from wateringhole.games.porrinha.rules.options import Rules
    from wateringhole.games.porrinha.rules.requests import PorrinhaRequest

__all__ = ["KIND"]


def _rulebook() -> str:
    from wateringhole.games.porrinha.rulebook import rulebook

    return rulebook()


def _text() -> facets.Text[PorrinhaRequest, PorrinhaAnswer]:
    from wateringhole.games.porrinha.text import TEXT

    return TEXT


def _summary() -> facets.Summary:
    from wateringhole.games.porrinha.summary import Summary

    return Summary()


def _bots() -> facets.Bots:
    from wateringhole.games.porrinha.bots import BOTS

    return BOTS


def _page() -> facets.Page[Rules, PorrinhaRequest, PorrinhaAnswer]:
    from wateringhole.games.porrinha.page.scene import PAGE

    return PAGE


def _compiled() -> facets.Compiled:
    from wateringhole.games.porrinha.compiled.game import GAME

    return GAME


def _encoding() -> facets.Encoding:
    from wateringhole.games.porrinha.encoding import ENCODING

    return ENCODING


def _analysis() -> facets.Analysis:
    from wateringhole.games.porrinha.analysis import ANALYSIS

    return ANALYSIS


def _coach() -> facets.Coach[PorrinhaRequest, PorrinhaAnswer, Rules]:
    from wateringhole.games.porrinha.coach import COACH

    return COACH


def _harnesses() -> Mapping[str, facets.Harness[Rules]]:
    from wateringhole.games.porrinha.harness import HARNESSES

    return HARNESSES


def _trials() -> facets.Trials:
    from wateringhole.games.porrinha.trials import TRIALS

    return TRIALS


def _solver() -> facets.Solver:
    from wateringhole.games.porrinha.solve import SOLVER

    return SOLVER


def _benchmarks() -> facets.Benchmarks:
    from wateringhole.games.porrinha.benchmarks import BENCHMARKS

    return BENCHMARKS


_TEXTS = {
    "seed": "The rules of the rulebook.",
    "original": "The observed behaviour of the C++ program of 2015.",
}

KIND = GameKind(
    name="porrinha",
    title="Porrinha: hide sticks in your hand, guess the sum of all hands, and get rid of your sticks first.",
    seats=range(2, MOST_PLAYERS + 1),
    rules_version=RULES_VERSION,
    # The core does not limit the rounds; a driver with untrusted players needs a limit.
    profiles={
        name: Profile(msgspec.structs.replace(rules, max_rounds=MOST_ROUNDS), _TEXTS[name])
        for name, rules in PROFILES.items()
    },
    deal=deal,
    new_game=Core,
    codec=codec,
    usual_seats=3,
    turn_name="round",
    turn_of=lambda event: event.number if isinstance(event, RoundStarted) else None,
    counted_events=frozenset({AnswerRepaired, RoundStarted}),
    new_game_emitting=lambda setup, selection: Core(setup, emit=selection),
    dealt=(),
    next_setup=next_setup,
    fold=FoldedView,
    rulebook=_rulebook,
    text=_text,
    summary=_summary,
    bots=_bots,
    page=_page,
    compiled=_compiled,
    encoding=_encoding,
    analysis=_analysis,
    coach=_coach,
    harnesses=_harnesses,
    trials=_trials,
    solver=_solver,
    benchmarks=_benchmarks,
)
