"""The analysis of recorded games: from a seat's information alone, with planted mistakes found."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import msgspec
import pytest

import wateringhole as wh
from tests.cli.running import called
from wateringhole import registry
from wateringhole.analysis import GameAnalysis, analyse
from wateringhole.errors import OperationError
from wateringhole.facets import Decision, Evaluation
from wateringhole.game import Seat
from wateringhole.games import evolution, porrinha
from wateringhole.games.evolution.analysis import ANALYSIS as EVOLUTION
from wateringhole.games.evolution.analysis import Memory
from wateringhole.games.evolution.bots.champion.player import Champion
from wateringhole.games.porrinha.advice import believed
from wateringhole.games.porrinha.analysis import ANALYSIS as PORRINHA
from wateringhole.games.porrinha.bots.equilibrium import Equilibrium

pytest.importorskip("numba", reason="the extra sim is not installed")


def record_of(game: str, players: list[Any], seed: int, **options: Any) -> Any:
    return wh.replay(wh.play(game, players, seed=seed, **options).record)


def evaluated(found: GameAnalysis) -> list[Evaluation]:
    return [answer.evaluation for answer in found.answers if answer.evaluation]


# ── Porrinha ──────────────────────────────────────────────────────────────────────────────


class Hopeless(Equilibrium):
    """Says a sum that is less than its own hand, once."""

    def __init__(self) -> None:
        super().__init__(seed=3)
        self.blundered = False

    def guess(self) -> int:
        view = self.core.view
        if not self.blundered and view.own_hand > 1 and view.valid_guess(0):
            self.blundered = True
            return 0
        return super().guess()


def test_answers_of_an_equilibrium_cost_nothing() -> None:
    found = analyse(record_of("porrinha", ["equilibrium", "equilibrium"], 5))
    assert len(evaluated(found)) == len(found.answers) > 10
    assert all(each.agrees and abs(each.loss.value) < 1e-6 and not each.games for each in evaluated(found))
    assert found.costliest() == []
    assert {answer.decision.request.name for answer in found.answers} == {"hand", "guess"}


def test_a_guess_that_cannot_be_right_is_the_costliest_decision_of_its_seat() -> None:
    found = analyse(record_of("porrinha", [Hopeless, "equilibrium"], 3))
    worst = next(answer for answer in found.costliest() if answer.seat == 0)
    assert (worst.decision.request.name, worst.decision.answer) == ("guess", 0)
    assert worst.decision.request.view.own_hand > 1
    assert worst.evaluation is not None
    assert not worst.evaluation.agrees


def test_a_record_in_a_file_is_analysed_like_the_object(tmp_path: Path) -> None:
    played = wh.play("porrinha", ["random", "counter"], seed=3, record=tmp_path)
    (file,) = tmp_path.iterdir()
    assert wh.analyse(file).to_json() == wh.analyse(played.record).to_json()
    only = wh.analyse(file.read_bytes(), seat=1)
    assert only.seats == (1,)
    with pytest.raises(OperationError, match=r"nowhere\.jsonl cannot be read"):
        wh.analyse(tmp_path / "nowhere.jsonl")


@pytest.mark.parametrize("name", ["hand", "guess"])
def test_exact_chances_agree_with_rollouts(name: str) -> None:
    record = record_of("porrinha", ["random", "counter"], 3)
    answers = [each for each in analyse(record).answers if each.decision.request.name == name]
    for answer in answers[:4]:
        assert answer.evaluation is not None
        request = answer.decision.request
        by_rollout = {
            result.candidate: result.wins
            for result in porrinha.rollout(
                request,
                games=4000,
                rules=record.setup.rules,
                hands=believed(record.setup.rules, request),
            )
        }
        assert by_rollout[answer.decision.answer] == pytest.approx(answer.evaluation.after.value, abs=0.04)


def test_more_than_two_players_are_rolled_out_and_reproducible() -> None:
    record = record_of("porrinha", ["random", "counter", "equilibrium"], 4)
    found = analyse(record, simulations=300, seed=7)
    assert found == analyse(record, simulations=300, seed=7)
    first = [answer for answer in found.answers if answer.decision.request.view.active_player_count == 3]
    assert all(each.games in (200, 300) and each.before.error > 0 for each in evaluated(found) if each.games)
    assert all(answer.evaluation and answer.evaluation.games for answer in first)


def test_void_answers_and_forfeits_are_not_estimated() -> None:
    class Careless(porrinha.Player):
        def hand(self) -> int:
            return 1

        def guess(self) -> int:
            if self.core.view.round == 2:
                raise RuntimeError("no idea")
            return 99

    found = analyse(record_of("porrinha", [Careless, "random", "zero"], 1))
    mine = [answer for answer in found.answers if answer.seat == 0]
    assert [answer.evaluation is None for answer in mine if answer.decision.request.name == "guess"] == [True]
    assert all(answer.evaluation for answer in mine if answer.decision.request.name == "hand")


def test_the_opponents_hand_does_not_change_an_estimate() -> None:
    def guess_after(hand: int) -> Evaluation:
        setup = porrinha.deal(2, porrinha.Rules())
        game = porrinha.Core(setup)
        game.advance({Seat(0): 1, Seat(1): hand})
        (request,) = game.requests.values()
        return PORRINHA.evaluate(setup, [Decision(request, 2, ())], [0], 100, 1)[0]

    assert guess_after(0) == guess_after(3)


# ── Evolution ─────────────────────────────────────────────────────────────────────────────


class Wasteful(Champion):
    """Spends one card only, in its second turn."""

    def choose(self, request: evolution.DeclareCards) -> evolution.Declaration:
        best = super().choose(request)
        return evolution.Declaration(best.food_card) if request.view.turn == 2 else best


@pytest.fixture(scope="module")
def wasteful() -> GameAnalysis:
    return analyse(record_of("evolution", ["champion", Wasteful, "champion"], 2), simulations=400)


def test_the_champion_agrees_with_itself(wasteful: GameAnalysis) -> None:
    others = [answer for answer in wasteful.answers if answer.seat != 1]
    assert all(answer.evaluation and answer.evaluation.agrees and not answer.loss for answer in others)


def test_a_wasted_turn_is_the_costliest_decision(wasteful: GameAnalysis) -> None:
    worst = wasteful.costliest()[0]
    assert (worst.seat, worst.turn, worst.decision.request.name) == (1, 2, "declare")
    assert worst.evaluation is not None
    assert worst.evaluation.games == 400
    assert worst.loss > 5 * worst.evaluation.loss.error
    assert worst.evaluation.advice[0][0].new_boards


def test_hidden_cards_do_not_change_an_estimate() -> None:
    def first_decision(swapped: tuple[int, int]) -> tuple[Any, Evaluation]:
        setup = evolution.deal(3, evolution.Rules(), 1)
        deck = list(setup.deck)
        one, other = swapped
        deck[one], deck[other] = deck[other], deck[one]
        setup = msgspec.structs.replace(setup, deck=tuple(deck))
        game = evolution.Dealer(setup)
        request = game.requests[Seat(0)]
        seen = [event for each in game.opening if (event := each.seen_by(Seat(0))) is not None]
        answer = evolution.Declaration(0)
        return request.view, EVOLUTION.evaluate(setup, [Decision(request, answer, seen)], [0], 60, 1)[0]

    (view, expected), (same_view, found) = first_decision((100, 101)), first_decision((6, 100))
    assert view == same_view
    assert found == expected


def test_a_seat_remembers_what_others_collected() -> None:
    record = record_of("evolution", ["greedy", "silly", "greedy"], 3)
    memory = Memory(Seat(1))
    scores: dict[int, int] = {}
    for event in record:
        seen = event.seen_by(Seat(1))
        if seen is not None:
            memory.see(seen)
        if type(event).__name__ == "FoodBagged":
            scores[event.seat] = event.bag
    assert memory.bags == scores
    assert max(scores.values()) > 0


@pytest.mark.parametrize("option", ["reorder_boards=true", "seating=shuffled"])
def test_rules_that_are_not_simulated_are_refused_with_the_reason(option: str) -> None:
    record = record_of("evolution", ["silly", "silly", "silly"], 1, rules=option)
    with pytest.raises(OperationError, match=r"^the game cannot be analysed: .* Choose"):
        analyse(record)


def test_answers_after_a_forfeit_are_estimated() -> None:
    class Leaves(evolution.Silly):
        def choose(self, request: evolution.DeclareCards) -> evolution.Declaration:
            if request.view.turn == 2:
                raise RuntimeError("enough")
            return super().choose(request)

    found = analyse(record_of("evolution", ["silly", Leaves, "silly", "silly"], 1), simulations=50)
    assert {answer.turn for answer in found.answers if answer.seat == 1} == {1}
    assert any(answer.turn == 3 for answer in found.answers)
    assert all(answer.evaluation for answer in found.answers)


# ── the command ───────────────────────────────────────────────────────────────────────────


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("records") / "porrinha-3.jsonl"
    called("play", "porrinha", "Ada=random", "Bea=counter", "--seed", "3", "--record", path.parent, "--quiet")
    return path


def test_the_command_prints_seats_and_costly_decisions(file: Path) -> None:
    ran = called("analyse", file)
    assert ran.returncode == 0
    assert "Seat 1  Ada" in ran.stdout
    assert "Seat 2  Bea" in ran.stdout
    assert "The costliest decisions:\n- Round" in ran.stdout
    assert "  expert: says" in ran.stdout


def test_json_has_every_answer_with_its_estimate(file: Path) -> None:
    found = json.loads(called("analyse", file, "--json", "--seat", "2").stdout)
    assert found["game"] == "porrinha"
    assert found["chance"] == "chance not to lose"
    assert [seat["seat"] for seat in found["seats"]] == [1]
    assert {answer["seat"] for answer in found["answers"]} == {1}
    answer = found["answers"][0]
    assert set(answer) == {"number", "seat", "turn", "request", "answer", "text", "estimate"}
    estimate = answer["estimate"]
    assert estimate["loss"] == pytest.approx(estimate["before"] - estimate["after"])
    assert sum(best["probability"] for best in estimate["best"]) == pytest.approx(1)
    assert set(found["costliest"]) <= {answer["number"] for answer in found["answers"]}


def test_a_seat_that_does_not_exist_is_a_usage_error(file: Path) -> None:
    ran = called("analyse", file, "--seat", "3")
    assert (ran.returncode, ran.stderr) == (2, "wateringhole: --seat 3: the game has 2 seats.\n")


def test_a_page_is_written_for_all_seats(file: Path, tmp_path: Path) -> None:
    page = tmp_path / "game.html"
    assert called("analyse", file, "--html", page).stdout.startswith(f"{page}: ")
    assert b"Content-Security-Policy" in page.read_bytes()
    refused = called("analyse", file, "--html", page, "--seat", "1")
    assert (refused.returncode, refused.stderr) == (
        2,
        "wateringhole: --html writes a page of all seats and excludes --seat and --json.\n",
    )


def test_a_language_without_a_page_is_a_usage_error(file: Path) -> None:
    for command in ("analyse", "replay"):
        ran = called(command, file, "--language", "pt")
        assert (ran.returncode, ran.stderr) == (
            2,
            "wateringhole: --language pt: only a page has a language. Write one with --html OUT.\n",
        )


def test_a_damaged_record_is_refused_with_the_line(file: Path, tmp_path: Path) -> None:
    damaged = tmp_path / "damaged.jsonl"
    lines = file.read_text().splitlines(keepends=True)
    damaged.write_text("".join([lines[0], *lines[2:]]))
    ran = called("analyse", damaged)
    assert ran.returncode == 1
    assert ran.stderr.startswith(f"wateringhole: {damaged}: line ")


def test_every_built_in_game_has_an_analysis() -> None:
    assert all(registry.game_kind(name).analysis for name in ("evolution", "porrinha"))


def test_turning_points_are_the_decisions_that_changed_a_chance_most() -> None:
    found = analyse(record_of("porrinha", [Hopeless, "equilibrium"], 3))
    points = found.turning_points(Seat(0))
    assert 1 <= len(points) <= 3
    assert [point.answer.number for point in points] == sorted(point.answer.number for point in points)
    bad = [point for point in points if not point.is_good]
    assert (bad[0].answer.decision.request.name, bad[0].answer.decision.answer) == ("guess", 0)
    assert all((point.after > point.before) == point.is_good for point in points)
    assert all(
        each["mine"] == (each is shown["options"][-1])
        for shown in found.to_page()["turningPoints"]
        for each in shown["options"]
    )
