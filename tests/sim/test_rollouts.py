"""What searching has in common in all games."""

from __future__ import annotations

import random
from typing import Any

import pytest

from wateringhole.errors import UsageError
from wateringhole.game import Seat
from wateringhole.games import evolution, porrinha
from wateringhole.games.evolution.compiled import rollout as roll_evolution_out
from wateringhole.games.evolution.compiled import sample_state as imagine_evolution
from wateringhole.games.porrinha.compiled import rollout as roll_porrinha_out
from wateringhole.games.porrinha.compiled import sample_state as imagine_porrinha
from wateringhole.sim import game_ranges


def _request_of_porrinha(**rules: Any) -> porrinha.HideSticks:
    request = porrinha.Core(porrinha.deal(3, porrinha.Rules(**rules))).requests[Seat(0)]
    assert isinstance(request, porrinha.HideSticks)
    return request


def _request_of_evolution(**rules: Any) -> evolution.DeclareCards:
    (request,) = evolution.Dealer(evolution.deal(3, evolution.Rules(**rules), 1)).requests.values()
    assert isinstance(request, evolution.DeclareCards)
    return request


def test_continuations_are_cut_into_stretches_that_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    whole = roll_porrinha_out(_request_of_porrinha(), games=300, me="random", others="zero")
    handed: list[tuple[int, int]] = []
    real = game_ranges.GameRanges.__iter__

    def noted(self: game_ranges.GameRanges) -> Any:
        for stretch in real(self):
            handed.append(stretch)
            yield stretch

    monkeypatch.setattr(game_ranges.GameRanges, "__iter__", noted)
    monkeypatch.setattr(game_ranges, "CALL_SECONDS", 1e-9)
    assert roll_porrinha_out(_request_of_porrinha(), games=300, me="random", others="zero") == whole
    assert handed == [(game, game + 1) for game in range(300)]


def test_continuations_that_a_limit_stopped_are_counted() -> None:
    request, rules = _request_of_porrinha(max_rounds=1), porrinha.Rules(max_rounds=1)
    results = roll_porrinha_out(request, games=20, me="zero", others="zero", rules=rules)
    assert [(result.games, result.stopped) for result in results] == [(20, 20)] * 4


@pytest.mark.parametrize("given", [None, "a request", 7])
def test_what_is_no_request_and_no_view_is_refused(given: Any) -> None:
    for rollout, kind in ((roll_evolution_out, "evolution.*DeclareCards"), (roll_porrinha_out, "HideSticks")):
        with pytest.raises(UsageError, match=f"request is a wateringhole.*{kind} or .*, not {given!r}"):
            rollout(given)
    for imagine, kind in ((imagine_evolution, "games.evolution.*View"), (imagine_porrinha, "games.porrinha.*View")):
        with pytest.raises(UsageError, match=f"view is a wateringhole.{kind}, not {given!r}"):
            imagine(given, random.Random(1))


def test_requests_and_views_of_the_other_game_are_refused() -> None:
    of_porrinha: Any = _request_of_porrinha()
    of_evolution: Any = _request_of_evolution()
    for rollout, wrong in ((roll_evolution_out, of_porrinha), (roll_porrinha_out, of_evolution)):
        for given in (wrong, wrong.view):
            with pytest.raises(UsageError, match="request is a wateringhole"):
                rollout(given)
    for imagine, wrong in ((imagine_evolution, of_porrinha), (imagine_porrinha, of_evolution)):
        for given in (wrong, wrong.view):
            with pytest.raises(UsageError, match="view is a wateringhole"):
                imagine(given, random.Random(1))


def test_rules_of_a_table_keep_to_the_values_of_their_options() -> None:
    refused = "rules option new_board_body_limit=9: the values of new_board_body_limit are 0 to 7"
    with pytest.raises(UsageError, match=refused):
        roll_evolution_out(_request_of_evolution(new_board_body_limit=9), games=1)
    with pytest.raises(UsageError, match="rules option max_rounds=0"):
        roll_porrinha_out(_request_of_porrinha(), games=1, rules=porrinha.Rules(max_rounds=0))
