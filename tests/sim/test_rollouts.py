"""The parts of the search that all games share."""

from __future__ import annotations

import random
from typing import Any

import pytest

from wateringhole.errors import UsageError
from wateringhole.game import Seat
from wateringhole.games import evolution, porrinha
from wateringhole.games.evolution.compiled import rollout as rollout_evolution
from wateringhole.games.evolution.compiled import sample_state as sample_evolution
from wateringhole.games.porrinha.compiled import rollout as rollout_porrinha
from wateringhole.games.porrinha.compiled import sample_state as sample_porrinha
from wateringhole.sim import game_ranges


def _request_of_porrinha(**rules: Any) -> porrinha.HideSticks:
    request = porrinha.Core(porrinha.deal(3, porrinha.Rules(**rules))).requests[Seat(0)]
    assert isinstance(request, porrinha.HideSticks)
    return request


def _request_of_evolution(**rules: Any) -> evolution.DeclareCards:
    (request,) = evolution.Dealer(evolution.deal(3, evolution.Rules(**rules), 1)).requests.values()
    assert isinstance(request, evolution.DeclareCards)
    return request


def test_continuations_do_not_depend_on_the_ranges(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = rollout_porrinha(_request_of_porrinha(), games=300, me="random", others="zero")
    ranges: list[tuple[int, int]] = []
    real = game_ranges.GameRanges.__iter__

    def noted(self: game_ranges.GameRanges) -> Any:
        for each in real(self):
            ranges.append(each)
            yield each

    monkeypatch.setattr(game_ranges.GameRanges, "__iter__", noted)
    monkeypatch.setattr(game_ranges, "CALL_SECONDS", 1e-9)
    assert rollout_porrinha(_request_of_porrinha(), games=300, me="random", others="zero") == whole
    assert ranges == [(game, game + 1) for game in range(300)]


def test_continuations_stopped_by_a_limit_are_counted() -> None:
    request, rules = _request_of_porrinha(max_rounds=1), porrinha.Rules(max_rounds=1)
    results = rollout_porrinha(request, games=20, me="zero", others="zero", rules=rules)
    assert [(result.games, result.stopped) for result in results] == [(20, 20)] * 4


@pytest.mark.parametrize("given", [None, "a request", 7])
def test_other_objects_than_requests_and_views_are_refused(given: Any) -> None:
    for rollout, kind in ((rollout_evolution, "evolution.*DeclareCards"), (rollout_porrinha, "HideSticks")):
        with pytest.raises(UsageError, match=f"request must be a wateringhole.*{kind} or .*, not {given!r}"):
            rollout(given)
    for sample, kind in ((sample_evolution, "games.evolution.*View"), (sample_porrinha, "games.porrinha.*View")):
        with pytest.raises(UsageError, match=f"view must be a wateringhole.{kind}, not {given!r}"):
            sample(given, random.Random(1))


def test_requests_and_views_of_the_other_game_are_refused() -> None:
    of_porrinha: Any = _request_of_porrinha()
    of_evolution: Any = _request_of_evolution()
    for rollout, wrong in ((rollout_evolution, of_porrinha), (rollout_porrinha, of_evolution)):
        for given in (wrong, wrong.view):
            with pytest.raises(UsageError, match="request must be a wateringhole"):
                rollout(given)
    for sample, wrong in ((sample_evolution, of_porrinha), (sample_porrinha, of_evolution)):
        for given in (wrong, wrong.view):
            with pytest.raises(UsageError, match="view must be a wateringhole"):
                sample(given, random.Random(1))


def test_rules_are_checked() -> None:
    refused = "rules option new_board_body_limit=9: the values of new_board_body_limit are 0 to 7"
    with pytest.raises(UsageError, match=refused):
        rollout_evolution(_request_of_evolution(new_board_body_limit=9), games=1)
    with pytest.raises(UsageError, match="rules option max_rounds=0"):
        rollout_porrinha(_request_of_porrinha(), games=1, rules=porrinha.Rules(max_rounds=0))
