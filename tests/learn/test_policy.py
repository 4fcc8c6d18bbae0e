"""A policy plays under the referee."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import wateringhole as wh
from tests.conftest import ROOT
from wateringhole.games.evolution.compiled import layout
from wateringhole.learn import policy_player
from wateringhole.learn.encoded_game import encoding_of


@pytest.mark.parametrize(("game", "others"), [("porrinha", ["zero"]), ("evolution", ["silly", "random"])])
def test_a_policy_plays_legal_games(game: str, others: list[str]) -> None:
    rng = np.random.default_rng(1)
    Random = policy_player(game, lambda observation, mask: int(rng.choice(np.flatnonzero(mask))))
    for played in wh.play(game, [Random, *others], games=3, seed=1, rotate_seats=True):
        assert played.outcome.thrown_out == ()


def test_a_policy_gets_the_observations_of_the_environment() -> None:
    seen: list[Any] = []

    def lowest(observation: Any, mask: Any) -> int:
        seen.append(observation.tolist())
        return int(mask.argmax())

    wh.play("porrinha", [policy_player("porrinha", lowest), "zero"], seed=1, rules="sticks=1")
    assert seen[0][:4] == [1, 2, 2, 2]
    assert {tuple(each[17:19]) for each in seen if each[0] == 2} <= {(-1, value) for value in range(-3, 3)}


def test_an_illegal_action_of_a_policy_is_its_forfeit() -> None:
    played = wh.play("porrinha", [policy_player("porrinha", lambda observation, mask: 9), "zero"], seed=1)
    (thrown,) = played.outcome.thrown_out
    assert "the policy returned action 9, which is not legal" in thrown.forfeit.message


def test_a_policy_that_never_completes_a_declaration_forfeits() -> None:
    """It buys boards with all cards, so there is no card left for the watering hole, and restarts."""

    def buy(observation: Any, mask: Any) -> int:
        can_buy = observation[0] == layout.STEP and mask[layout.BUY_BOARD]
        return layout.BUY_BOARD if can_buy else int(mask.argmax())

    (thrown,) = wh.play("evolution", [policy_player("evolution", buy), "silly", "silly"], seed=1).outcome.thrown_out
    assert "the policy took 1000 actions and has not completed its answer" in thrown.forfeit.message


def test_rules_that_cannot_be_encoded_are_the_policys_forfeit() -> None:
    player = policy_player("evolution", lambda observation, mask: int(mask.argmax()))
    played = wh.play("evolution", [player, "silly", "silly"], seed=1, rules="framework")
    assert "a policy cannot play by these rules" in played.outcome.thrown_out[0].forfeit.message


@pytest.mark.parametrize("kind", wh.kinds(), ids=lambda kind: str(kind.name))
def test_the_page_has_the_sizes_of_every_encoding(kind: wh.GameKind[Any, Any, Any, Any, Any]) -> None:
    page = (ROOT / "docs" / "reference" / "observations.md").read_text(encoding="utf-8")
    encoding = encoding_of(kind)
    assert f"| {encoding.actions}: " in page
    assert f"| {encoding.observation} of `{np.dtype(encoding.dtype)}` |" in page
