"""The champion beats the other bots, and answers under all rules."""

from __future__ import annotations

import importlib
import sys
from collections.abc import Callable
from importlib import resources
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

import wateringhole as wh
from tests.conftest import ROOT
from tests.games.evolution.trait_files import EXAMPLE
from wateringhole.errors import OperationError
from wateringhole.game import Seat
from wateringhole.games.evolution import PROFILES, Declaration, Pass
from wateringhole.games.evolution.bots.champion import network
from wateringhole.games.evolution.bots.champion.decider import shipped_decider
from wateringhole.games.evolution.bots.champion.network import Network, shipped_network
from wateringhole.games.evolution.bots.champion.player import Champion
from wateringhole.games.evolution.bots.greedy import Greedy
from wateringhole.games.evolution.compiled import layout
from wateringhole.games.evolution.rules.requests import DeclareCards


@pytest.mark.parametrize(("players", "games", "least"), [(3, 9, 4), (4, 8, 6), (8, 8, 6)])
def test_it_beats_greedy(players: int, games: int, least: int) -> None:
    """In 2,000 games each, it won 86, 98 and 99 percent."""
    wins = 0
    for number in range(games):
        seated = ["greedy"] * players
        seated[number % players] = "champion"
        outcome = wh.play("evolution", seated, seed=number).outcome
        assert outcome.thrown_out == ()
        wins += outcome.places()[Seat(number % players)] == 1
    assert wins >= least


@pytest.mark.parametrize("profile", PROFILES)
def test_it_plays_under_every_profile_and_plays_the_same_game_again(profile: str) -> None:
    games = [wh.play("evolution", ["champion", "champion", "random"], seed=3, rules=profile) for _ in range(2)]
    assert games[0].outcome.thrown_out == ()
    assert games[0].outcome == games[1].outcome


def test_it_answers_like_greedy_where_cards_have_custom_traits() -> None:
    games = [wh.play("evolution", [bot, "silly", "random"], seed=3, traits=EXAMPLE) for bot in ("champion", "greedy")]
    assert games[0].outcome == games[1].outcome


def _with_network(asked: Callable[[int, npt.NDArray[np.bool_]], int]) -> type[Champion]:
    """Return a champion that takes the actions of a function from the type of the decision and the mask."""

    class Asking(Champion):
        def __init__(self) -> None:
            super().__init__()
            self._network: Any = self

        def best_action(self, seen: npt.NDArray[np.uint8], legal: npt.NDArray[np.bool_], seat: int) -> int:
            return asked(seen[0], legal)

    return Asking


def test_it_declares_like_greedy_if_its_steps_lead_to_nothing() -> None:
    class Declining(Greedy):
        def feed_next(self, request: Any) -> Any:
            return Pass()

    actions = {layout.STEP: layout.RESTART, layout.FEED: layout.DECLINE}
    stuck = _with_network(lambda decision, legal: actions.get(decision, int(legal.argmax())))
    games = [wh.play("evolution", [f, "silly", "random"], seed=3, rules="false_reply=skip") for f in (stuck, Declining)]
    assert games[0].outcome.ranking == games[1].outcome.ranking


def test_it_gives_the_food_card_first_if_its_steps_use_up_the_hand() -> None:
    def buy(decision: int, legal: npt.NDArray[np.bool_]) -> int:
        return layout.BUY_BOARD if decision == layout.STEP and legal[layout.BUY_BOARD] else int(legal.argmax())

    declared: list[tuple[int, Declaration]] = []

    class Buying(_with_network(buy)):  # type: ignore[misc]  # a class made at run time
        def choose(self, request: DeclareCards) -> Declaration:
            answer: Declaration = super().choose(request)
            declared.append((len(request.view.hand), answer))
            return answer

    assert wh.play("evolution", [Buying, "silly", "random"], seed=3).outcome.thrown_out == ()
    assert declared
    assert all(len(answer.new_boards) == cards - 1 for cards, answer in declared)


def test_missing_numpy_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    module = importlib.import_module("wateringhole.games.evolution.bots.champion.player")
    monkeypatch.setattr(module, "find_spec", lambda name: None)
    with pytest.raises(OperationError, match=r"the champion needs numpy, .* pip install 'wateringhole\[sim\]'"):
        Champion()


def test_its_weights_take_less_than_8_megabytes() -> None:
    with resources.as_file(resources.files(network.__package__) / "weights.npz") as path:
        assert path.stat().st_size < 8_000_000


@pytest.mark.parametrize("players", [3, 4, 8])
def test_its_network_computes_many_decisions_like_one_at_a_time(players: int) -> None:
    seen, seats = _decisions(players)
    assert {*seen[:, 0]} == {layout.STEP, layout.CARD, layout.FEED, layout.TARGET}
    together, values = shipped_network()(seen, seats)
    for row, (observation, seat) in enumerate(zip(seen, seats, strict=True)):
        alone, value = shipped_decider()(observation, int(seat))
        assert alone == pytest.approx(together[row], abs=1e-3)
        assert value == pytest.approx(values[row], abs=1e-3)


def test_its_network_leaves_out_boards_that_the_observation_does_not_show() -> None:
    """An attacker or a board of the plan further right than the observation goes has no code."""
    seen, seats = _decisions(3)
    seen[::2, 0], seen[::2, 2] = layout.TARGET, layout.ATTACK + layout.COMPACT_BOARDS
    seen[1::2, 0], seen[1::2, 2] = layout.CARD, layout.ON_BOARD + layout.PER_BOARD * layout.COMPACT_BOARDS
    together, _ = shipped_network()(seen, seats)
    alone = [shipped_decider()(observation, int(seat))[0] for observation, seat in zip(seen, seats, strict=True)]
    assert np.stack(alone) == pytest.approx(together, abs=1e-3)


@pytest.fixture
def trainer(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The script that trains the network."""
    pytest.importorskip("torch", reason="needs PyTorch, which is not installed")
    monkeypatch.syspath_prepend(str(Path(ROOT) / "training"))
    script = importlib.import_module("evolution_champion")
    monkeypatch.delitem(sys.modules, "evolution_champion")
    return script


def test_only_restarts_of_declarations_cost_a_best_response_something(trainer: Any) -> None:
    torch = trainer.torch
    decisions = torch.tensor([[layout.STEP], [layout.STEP], [layout.CARD], [layout.FEED]])
    actions = torch.tensor([layout.RESTART, layout.DONE, layout.RESTART, layout.RESTART])
    costs = trainer.restart_costs(decisions, actions)
    assert costs.tolist() == pytest.approx([trainer.RESTART_COST, 0, 0, 0])


def test_its_network_equals_those_that_are_trained(trainer: Any) -> None:
    torch = trainer.torch
    torch.manual_seed(1)
    trained, fixed = trainer.Net(), trainer.FixedNet(players=4)
    for weights in trained.parameters():
        torch.nn.init.normal_(weights, std=0.05)
    fixed.load_state_dict(trained.state_dict())
    seen, seats = _decisions(4)
    logits, values = Network({name: weights.numpy() for name, weights in trained.state_dict().items()})(seen, seats)
    shown = logits != 0  # the logits of actions on boards that are not there do not matter
    with torch.no_grad():
        for network in (trained, fixed):
            found = network(torch.tensor(seen), torch.tensor(seats))
            assert found[0].numpy()[shown] == pytest.approx(logits[shown], abs=1e-4)
            assert found[1].numpy() == pytest.approx(values, abs=1e-4)


def _decisions(players: int) -> tuple[npt.NDArray[np.uint8], npt.NDArray[np.int64]]:
    """Return the compact observations of all decisions of three seats in two games, and the seats."""
    seen: list[npt.NDArray[np.uint8]] = []
    seats: list[int] = []

    class Noted(Champion):
        def __init__(self) -> None:
            super().__init__()
            self._network: Any = self
            self._asked = shipped_decider()

        def best_action(self, observation: npt.NDArray[np.uint8], legal: npt.NDArray[np.bool_], seat: int) -> int:
            seen.append(observation)
            seats.append(seat)
            return self._asked.best_action(observation, legal, seat)

    for seed in (5, 6):
        wh.play("evolution", [Noted, Noted, Noted, *["greedy"] * (players - 3)], seed=seed)
    return np.stack(seen), np.array(seats)
