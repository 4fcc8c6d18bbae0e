"""The smaller commands."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.cli.running import called, wateringhole
from wateringhole import registry
from wateringhole.options import describe

VEGETARIAN = [["food", 0], ["body", 0], ["population", 1], ["traits", []]]
ATTACK = json.dumps([VEGETARIAN, VEGETARIAN, False, False])


@pytest.mark.parametrize("game", registry.game_names())
def test_the_rules_of_a_game_are_shown_with_every_option(game: str) -> None:
    ran = called("rules", game)
    kind = registry.game_kind(game)
    assert ran.returncode == 0
    for option in describe(kind.profiles):
        assert option.name in ran.stdout


def test_the_rules_of_evolution_explain_every_trait() -> None:
    text = called("rules", "evolution").stdout
    for trait in ("ambush", "fat-tissue", "warning-call"):
        assert trait in text


def test_rules_json_lists_the_options() -> None:
    book = json.loads(called("rules", "evolution", "--json").stdout)
    options = {option["name"]: option for option in book["evolution"]["options"]}
    assert options["false_reply"]["profiles"] == {"course": "forfeit", "reference": "cheat", "framework": "forfeit"}
    assert options["false_reply"]["values"] == "forfeit, cheat, skip"


def test_installed_players_are_listed() -> None:
    listed = json.loads(called("players", "--json").stdout)
    assert set(listed["evolution"]) >= {"silly", "random", "greedy", "human"}
    assert set(listed["porrinha"]) >= {"random", "zero", "counter", "equilibrium", "human"}
    assert all(listed["evolution"].values())


def test_a_harness_answers_each_value_with_one_value() -> None:
    ran = wateringhole("harness", "attack", stdin=ATTACK)
    assert (ran.returncode, ran.stdout, ran.stderr) == (0, "true\n", "")


def test_a_harness_prints_nothing_to_standard_output_for_ill_shaped_input() -> None:
    ran = called("harness", "attack", stdin="[1,2]")
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.startswith("wateringhole: ill-shaped input: ")


def test_a_harness_answers_each_line_with_one_line() -> None:
    ran = called("harness", "attack", "--lines", stdin=f"{ATTACK}\n\n[1,2]\n{ATTACK}\n")
    assert (ran.returncode, ran.stdout) == (0, "true\nnull\ntrue\n")
    assert ran.stderr.startswith("line 3: ill-shaped input: ")


def test_a_harness_follows_the_rules_it_is_given() -> None:
    shelled = [["food", 0], ["body", 0], ["population", 1], ["traits", ["hard-shell"]]]
    hunter = [["food", 0], ["body", 4], ["population", 1], ["traits", ["carnivore"]]]
    situation = json.dumps([shelled, hunter, False, False])
    assert called("harness", "attack", stdin=situation).stdout == "true\n"
    assert called("harness", "attack", "--rules", "reference", stdin=situation).stdout == "false\n"
    assert called("harness", "attack", "--rules", "hard_shell_gap=5", stdin=situation).stdout == "false\n"


def test_the_porrinha_harness_plays_a_scenario() -> None:
    scenario = {"players": 2, "sticks": 1, "hands": [[1], [0]], "guesses": [[1], [0]]}
    ran = called("harness", "porrinha", stdin=json.dumps(scenario))
    events = json.loads(ran.stdout)
    assert events[-1] == {
        "ev": "result",
        "reason": "finished",
        "rounds": 1,
        "ranking": [0, 1],
        "loser": 1,
        "chopsticks": [0, 1],
    }
    assert called("harness", "porrinha", stdin="{}").returncode == 1


@pytest.mark.parametrize(
    ("words", "others"),
    [
        (("evolution",), ("silly", "greedy")),
        (("evolution", "--stepwise"), ("silly", "greedy")),
        (("porrinha",), ("random", "zero")),
    ],
    ids=["evolution", "stepwise", "porrinha"],
)
def test_a_new_bot_can_play_without_changes(words: tuple[str, ...], others: tuple[str, ...], tmp_path: Path) -> None:
    game, *style = words
    made = called("new-bot", game, "mine.py", *style, folder=tmp_path)
    assert made.returncode == 0
    assert f"wateringhole play {game} mine.py:Mine" in made.stdout
    ran = called("play", game, "mine.py:Mine", *others, "--seed", "1", "--json", folder=tmp_path)
    assert json.loads(ran.stdout)["thrown_out"] == []
    again = called("new-bot", game, "mine.py", *style, folder=tmp_path)
    assert (again.returncode, again.stdout) == (2, "")


def test_the_command_for_a_new_bot_is_quoted(tmp_path: Path) -> None:
    made = called("new-bot", "porrinha", "näme bot.py", folder=tmp_path)
    assert "\n  wateringhole play porrinha 'näme bot.py:Mine' " in made.stdout


def test_porrinha_is_solved_and_certified(tmp_path: Path) -> None:
    pytest.importorskip("scipy", reason="the extra solve is not installed")
    ran = called("solve", "porrinha", "--sticks", "2", "--json", "out.json", folder=tmp_path)
    assert ran.returncode == 0
    assert "certified" in ran.stdout
    solution = json.loads((tmp_path / "out.json").read_text())
    assert set(solution["values"]) == {"1,1", "1,2", "2,1", "2,2"}
    assert abs(solution["exploitability"]) < 1e-9
    assert (
        abs(json.loads(called("solve", "--sticks=1", "porrinha", "--json", "-").stdout)["values"]["1,1"] - 0.5) < 1e-9
    )


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("evolution",), "evolution has no solver. Choose from: porrinha."),
        (("chess", "--sticks", "3"), "'chess' is not an installed game. Choose from: evolution, porrinha."),
        (("porrinha", "--lead-after-win", "never"), "--lead-after-win never: the values are winner, rotate."),
        (("porrinha", "--sticks", "0"), "--sticks 0: the values are whole numbers from 1 to 20."),
        (("porrinha", "--sticks", "21"), "--sticks 21: the values are whole numbers from 1 to 20."),
        (("porrinha", "--sticks"), "Option '--sticks' requires an argument."),
        (
            ("porrinha", "--stick=3"),
            "--stick is not an option of solve porrinha. Did you mean --sticks? "
            "Choose from: --json, --help, --sticks, --lead-after-win, --opening-zero.",
        ),
        ((), "Missing argument 'GAME'."),
    ],
)
def test_unsolvable_games_and_options_are_usage_errors(
    words: tuple[str, ...], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    ran = called("solve", *words)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert message in ran.stderr


def test_solve_lists_the_options_of_the_named_game() -> None:
    options = {"--sticks", "--lead-after-win", "--opening-zero"}
    assert options <= set(called("solve", "porrinha", "--help").stdout.split())
    assert not options & set(called("solve", "--help").stdout.split())
    assert not options & set(called("solve", "evolution", "--help").stdout.split())


def test_help_wraps_a_paragraph_at_the_width_of_the_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    lines = [line.strip() for line in called("compare", "--help").stdout.splitlines()]
    assert "The test stops as soon as it can decide; its error rates are alpha and beta." in lines


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("play", "porrinha", "zero", "zero", "--games", "-3"), "--games -3: expected a whole number of at least 1."),
        (("play", "porrinha", "zero", "zero", "--games=x"), "--games x: expected a whole number of at least 1."),
        (("watch", "porrinha", "mine.py:Mine", "--games", "x"), "--games x: expected a whole number of at least 1."),
        (("standings", "x"), "ID x: expected a whole number."),
        (("check", "porrinha", "zero", "--time-limit", "x"), "--time-limit x: expected a number."),
        (("bench", "--seconds", "0"), "--seconds 0: expected a number from 0.05 to 3600."),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_refused_number_is_named_with_what_is_expected(words: tuple[str, ...], message: str) -> None:
    ran = called(*words)
    assert (ran.returncode, ran.stdout, ran.stderr) == (2, "", f"wateringhole: {message}\n")


@pytest.mark.parametrize(("command", "argument"), [("players", "GAME"), ("rules", "GAME"), ("standings", "ID")])
def test_an_optional_argument_has_one_pair_of_brackets(command: str, argument: str) -> None:
    assert f"Usage: wateringhole {command} [OPTIONS] [{argument}] " in called(command, "--help").stdout
