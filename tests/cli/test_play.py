"""`play` and `replay`: their text and their JSON."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import Ran, called, wateringhole
from tests.process.programs import write_program
from tests.waiting import eventually
from wateringhole.cli import commands
from wateringhole.errors import WateringHoleError

SILLY3 = ("evolution", "silly", "silly", "silly")


def played(*words: str | Path, folder: Path | None = None, run: Callable[..., Ran] = called) -> Any:
    """Return the JSON of `play` without the times, which vary."""
    ran = run("play", *words, "--json", folder=folder)
    assert ran.returncode == 0, ran.stderr
    printed = json.loads(ran.stdout)
    for game in printed if isinstance(printed, list) else [printed]:
        del game["seconds"]
    return printed


def test_json_contains_the_time_of_each_player() -> None:
    # A guess of Porrinha may take less than a microsecond.
    words = ("play", "evolution", "silly", "greedy", "Ada=random", "--games", "2", "--rotate-seats", "--json")
    for game in json.loads(called(*words).stdout):
        seats = sorted((row["seat"], row["name"]) for row in game["seconds"])
        assert seats == [(1, "silly"), (2, "greedy"), (3, "Ada")]
        assert all(row["seconds"] > 0 for row in game["seconds"])


def test_a_game_is_narrated_turn_by_turn_and_ends_with_a_ranking() -> None:
    ran = wateringhole("play", *SILLY3, "--deck", "ascending")
    assert ran.returncode == 0
    assert ran.stderr == ""
    for heading in ("Turn 1", "Turn 6", "The game is over after 6 turns"):
        assert heading in ran.stdout
    assert "Turn 7" not in ran.stdout


def test_json_contains_ranking_turns_and_boards() -> None:
    game = played(*SILLY3, "--deck", "ascending")
    assert [(row["seat"], row["name"], row["score"]) for row in game["ranking"]] == [
        (2, "silly 2", 7),
        (3, "silly 3", 7),
        (1, "silly 1", 5),
    ]
    assert game["turns"] == 6
    assert game["thrown_out"] == []
    assert len(game["tables"]) == 6
    players, hole, deck = game["tables"][0]
    # After the first turn the second player starts; all six species starved and were replaced.
    assert [player[0] for player in players] == [["id", 2], ["id", 3], ["id", 1]]
    assert (hole, len(deck)) == (0, 122 - 12 - 12)


def test_the_same_seed_gives_the_same_game() -> None:
    once, twice = (played(*SILLY3, "--seed", "7", run=run) for run in (wateringhole, called))
    assert once == twice
    assert once["seed"] == 7
    assert once != played(*SILLY3, "--seed", "8")


def test_a_drawn_seed_is_shown() -> None:
    game = played(*SILLY3)
    assert game == played(*SILLY3, "--seed", str(game["seed"]))


def test_seats_are_numbered_by_the_command_line_even_when_rotated() -> None:
    reverse = played(*SILLY3, "--deck", "ascending", "--rules", "seating=reversed")
    assert {row["seat"]: row["score"] for row in reverse["ranking"]} == {3: 5, 2: 7, 1: 7}
    assert [player[0][1] for player in reverse["tables"][0][0]] == [2, 1, 3]


def test_several_games_are_a_json_list(tmp_path: Path) -> None:
    games = played(*SILLY3, "--games", "3", "--seed", "5", "--rotate-seats")
    assert [game["seed"] for game in games] == [5, 6, 7]
    assert games[0] == played(*SILLY3, "--seed", "5")


def test_a_deck_can_be_given(tmp_path: Path) -> None:
    cards = [[points, trait] for trait in ("horns", "ambush") for points in range(-3, 4)]
    deck = tmp_path / "deck.json"
    deck.write_text(json.dumps(cards))
    game = played(*SILLY3, "--deck", deck)
    assert game["turns"] == 1


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("evolution", "silly", "silly"), "evolution is for 3 to 8 players; 2 were named."),
        (
            ("evolution", "silly", "silly", "unknown"),
            "there is no installed player 'unknown' for evolution. Choose from:",
        ),
        ((*SILLY3, "--rules", "house"), "there is no such profile. Choose from: course, reference, framework"),
        ((*SILLY3, "--rules", "false_reply=never"), "the values of false_reply are forfeit, cheat, skip"),
        (
            (*SILLY3, "--rules", "falsereply=skip"),
            "'falsereply' does not exist. Did you mean false_reply?",
        ),
        ((*SILLY3, "--deck", "no.json"), "no.json cannot be read: No such file or directory."),
        ((*SILLY3, "--deck", "shufled"), "No such file or directory. Did you mean shuffled?"),
        (
            ("porrinha", "random", "random", "--deck", "ascending"),
            "porrinha has no deal option 'deck'.",
        ),
        ((*SILLY3, "--time-limit", "0"), "--time-limit 0: expected a positive number of seconds"),
        (("evolution", "silly", "silly", "random?speed=3"), "could not be made"),
        (("evolution", "silly", "silly", "mine.py:Mine"), "there is no file mine.py"),
        (("evolution", "silly", "silly", ":Mine"), "expected a file or a module before the colon, as in mine.py:Mine."),
        (("evolution", "silly", "silly", "mine.py:Mine", "--time-limit", "5"), "there is no file mine.py"),
        (("evolution", "silly", "silly", "unknown", "--time-limit", "5"), "there is no installed player 'unknown'"),
        (("evolution", "silly", "silly", "mine.py"), "A player in a file is named as file.py:Class."),
        (("evolution", "silly", "silly", "nowhere.module:Mine"), "ModuleNotFoundError"),
        (("evolution", "silly", "silly", "json:JSONDecoder"), "is not a player of evolution"),
        (("porrinha", "zero", "Ada=cmd:./nope"), "player 'Ada', the program '"),
        (
            ("porrinha", "zero", "Ada=cmd:false"),
            "player 'Ada', the program 'false', did not introduce itself: the program",
        ),
    ],
)
def test_mistakes_raise_an_error_that_names_them(
    words: tuple[str, ...],
    message: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.chdir(tmp_path)
    with pytest.raises(WateringHoleError, match=re.escape(message)):
        commands()(("play", *words), standalone_mode=False)
    assert capsys.readouterr().out == ""


def test_a_mistake_prints_no_traceback() -> None:
    ran = wateringhole("play", *SILLY3, "unknown")
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr.startswith("wateringhole: there is no installed player 'unknown' for evolution. Choose from: ")
    assert ran.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("import nonsense\n", "mine.py, line 1: ModuleNotFoundError"),
        ("class Mine\n    pass\n", "mine.py, line 1: SyntaxError"),
        ("class Other: ...\n", "there is no class or function 'Mine' in mine.py; it defines Other."),
        ("class Mine: ...\n", "is not a player of evolution: derive it from wateringhole.games.evolution.Player."),
        ("def Mine():\n    return 1 / 0\n", "mine.py, line 2: ZeroDivisionError"),
    ],
    ids=["import error", "syntax error", "missing class", "wrong base", "failing factory"],
)
def test_a_broken_bot_is_reported_with_its_file_and_line(source: str, message: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(source)
    ran = called("play", "evolution", "silly", "silly", "mine.py:Mine", folder=tmp_path)
    assert ran.returncode == 2
    assert message in ran.stderr
    assert "wateringhole/" not in ran.stderr.replace(str(tmp_path), "")  # no line of this package


CHEAT = """
from wateringhole.games.evolution import Declaration
from wateringhole.games.evolution import Player

class Mine(Player):
    def choose(self, request):
        return Declaration(99)
"""


def test_the_reason_of_an_illegal_answer_is_shown(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(CHEAT)
    ran = called("play", "evolution", "silly", "silly", "mine.py:Mine", folder=tmp_path)
    assert ran.returncode == 0
    assert "there is no card 99: the hand has 4 cards" in " ".join(ran.stdout.split())
    game = played("evolution", "silly", "silly", "Eve=mine.py:Mine", folder=tmp_path)
    assert game["thrown_out"] == [
        {"seat": 3, "name": "Eve", "kind": "illegal", "reason": "there is no card 99: the hand has 4 cards"}
    ]


def test_a_series_shows_the_reason_of_a_players_first_forfeit(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(CHEAT)
    words = ("silly", "silly", "mine.py:Mine", "--games", "3", "--seed", "5")
    ran = called("play", "evolution", *words, folder=tmp_path)
    assert "Mine was first thrown out with seed 5: there is no card 99: the hand has 4 cards\n" in ran.stdout


def test_a_crashed_program_is_reported_once(tmp_path: Path) -> None:
    command = " ".join(write_program(tmp_path, at_request="sys.exit('enough')"))
    words = ("silly", f"Ada=cmd:{command}", "silly", "--games", "2", "--seed", "5")
    ran = called("play", "evolution", *words)
    assert ran.stderr.count("\n") == ran.stderr.count("failed; to repeat the request that caused it") == 1
    assert (
        "Ada was first thrown out with seed 5: the program ended with status 1; last line on standard error: enough"
        in ran.stdout
    )


def test_a_record_is_replayed_and_verified(tmp_path: Path) -> None:
    ran = called("play", *SILLY3, "--seed", "11", "--record", "games", folder=tmp_path)
    (record,) = (tmp_path / "games").iterdir()
    assert record.name == "evolution-11.jsonl"
    assert "wateringhole replay games/evolution-11.jsonl" in " ".join(ran.stdout.split())

    verified = called("replay", record, "--verify")
    assert (verified.returncode, verified.stderr) == (0, "")
    replayed = called("replay", record)
    assert replayed.returncode == 0
    assert replayed.stdout.strip() in ran.stdout

    third = called("replay", record, "--turn", "3").stdout
    assert "Turn 3" in third
    assert "Turn 2" not in third
    assert "Turn 4" not in third
    assert called("replay", record, "--turn", "99").returncode == 2

    events = [json.loads(line) for line in called("replay", record, "--json").stdout.splitlines()]
    assert events[0]["event"] == "GameStarted"
    assert events[-1]["event"] == "ResultAnnounced"
    mine = [json.loads(line) for line in called("replay", record, "--json", "--seat", "2").stdout.splitlines()]
    assert {event["seat"] for event in mine if event.get("cards") is not None} == {1}


def test_replay_works_in_a_terminal_of_two_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    called("play", *SILLY3, "--seed", "11", "--record", tmp_path)
    expected = called("replay", tmp_path / "evolution-11.jsonl").stdout
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("LINES", "2")
    replayed = called("replay", tmp_path / "evolution-11.jsonl")
    assert (replayed.returncode, replayed.stdout) == (0, expected)


def test_an_edited_record_fails_verification(tmp_path: Path) -> None:
    called("play", *SILLY3, "--seed", "11", "--record", tmp_path)
    record = tmp_path / "evolution-11.jsonl"
    lines = record.read_text().splitlines(keepends=True)
    record.write_text("".join([*lines[:2], lines[2].replace('"seat":1', '"seat":2'), *lines[3:]]))
    ran = called("replay", record, "--verify")
    assert ran.returncode == 1
    assert ran.stderr == f"wateringhole: {record}: line 3: seat 2 was not asked anything here.\n"


def test_a_game_is_recorded_even_if_its_output_pipe_is_closed(tmp_path: Path) -> None:
    command = f"{sys.executable} -m wateringhole play {' '.join(SILLY3)} --seed 11 --record {tmp_path} | head -n 2"
    ran = subprocess.run(["bash", "-c", command], capture_output=True, text=True, timeout=300, check=False)
    assert ran.stderr == ""
    assert called("replay", tmp_path / "evolution-11.jsonl", "--verify").returncode == 0


def test_a_record_never_overwrites_another(tmp_path: Path) -> None:
    for _ in range(2):
        called("play", *SILLY3, "--seed", "11", "--record", tmp_path, "-q")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["evolution-11-2.jsonl", "evolution-11.jsonl"]


def test_porrinha_has_json() -> None:
    games = played("porrinha", "random?seed=1", "zero?seed=2", "counter?seed=3", "--games", "2", "--seed", "1")
    for game in games:
        assert sorted(row["seat"] for row in game["ranking"]) == [1, 2, 3]
        assert [row["place"] for row in game["ranking"]] == [1, 2, 3]
        assert game["loser"] == game["ranking"][-1]["seat"]
        assert game["rounds"] >= 6
        assert (game["faults"], game["thrown_out"]) == ([], [])


def test_a_series_ends_with_a_table_of_places() -> None:
    ran = called("play", "porrinha", "random?seed=1", "counter", "--games", "50", "--rotate-seats")
    assert ran.returncode == 0
    assert "50 games" in ran.stdout
    assert "mean place" in ran.stdout


HANGING = """
import pathlib

from wateringhole.games.porrinha import Player


class Hanging(Player):
    def hand(self):
        pathlib.Path("asked").touch()
        while True:
            pass
"""


def test_sigterm_ends_a_background_command_that_ignores_ctrl_c(tmp_path: Path) -> None:
    (tmp_path / "hanging.py").write_text(HANGING)
    command = f"trap '' INT; exec {sys.executable} -m wateringhole play porrinha hanging.py:Hanging random"
    with subprocess.Popen(["sh", "-c", command], cwd=tmp_path, stdout=subprocess.PIPE, text=True) as process:
        try:
            eventually((tmp_path / "asked").exists, process=process)
            process.terminate()
            # The thinking player has not failed, and the game does not continue without it.
            assert "KeyboardInterrupt" not in process.communicate(timeout=300)[0]
        finally:
            process.kill()
    assert process.returncode == 130


REPAIRED = """
from wateringhole.games.porrinha import Player

class Shouts(Player):
    def hand(self):
        return 0

    def guess(self):
        return -1
"""


@pytest.mark.parametrize("games", [1, 3])
def test_quiet_play_counts_repaired_answers_in_the_result_alone(tmp_path: Path, games: int) -> None:
    (tmp_path / "shouts.py").write_text(REPAIRED)
    words = ("play", "porrinha", "random", "shouts.py:Shouts", "--seed", "1", "--games", str(games))
    as_json = called(*words, "--json", folder=tmp_path)
    printed = json.loads(as_json.stdout)
    reports = printed if games > 1 else [printed]
    rows = [row for game in reports for row in game["repaired_answers"]]
    assert {(row["seat"], row["name"]) for row in rows} == {(2, "Shouts")}
    repaired = sum(row["answers"] for row in rows)
    assert repaired == sum(len(game["faults"]) for game in reports) > 0

    quiet = called(*words, "--quiet", folder=tmp_path)
    assert "repaired answers" in quiet.stdout
    assert re.search(rf"Shouts .*\b{repaired}\b", quiet.stdout), quiet.stdout
    assert quiet.stderr == as_json.stderr == ""

    # Without --quiet, each repaired answer has its own line.
    assert called(*words, folder=tmp_path).stderr.count("guessed -1") == repaired


def test_a_game_without_repaired_answers_has_no_such_column_or_field() -> None:
    words = ("play", "porrinha", "random", "zero", "--seed", "1", "--quiet")
    ran = called(*words)
    assert ran.stderr == ""
    assert "repaired" not in ran.stdout
    assert "repaired_answers" not in json.loads(called(*words, "--json").stdout)


@pytest.mark.parametrize("limits", [(), ("--time-limit", "20")], ids=["in process", "isolated"])
def test_player_in_a_module_of_the_current_folder(limits: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "cellar").mkdir()
    (tmp_path / "cellar" / "modest.py").write_text("from wateringhole.games.porrinha.bots.zero import Zero as Modest\n")
    ran = called("play", "porrinha", "cellar.modest:Modest", "random", "--seed", "7", *limits, folder=tmp_path)
    assert ran.returncode == 0, ran.stderr
    assert "thrown out" not in ran.stdout


def test_player_in_a_module_of_the_current_folder_does_not_get_the_module_of_another(tmp_path: Path) -> None:
    (tmp_path / "ada").mkdir()
    for file in (tmp_path / "ada" / "ada_bot.py", tmp_path / "my_bot.py"):
        file.with_name("strategy.py").write_text("from wateringhole.games.porrinha.bots.zero import Zero as Mine\n")
        file.write_text("from strategy import Mine\n")
    ran = called("play", "porrinha", "ada/ada_bot.py:Mine", "my_bot:Mine", "--seed", "7", folder=tmp_path)
    assert ran.returncode == 2
    assert "player 'my_bot:Mine' could play with another player's code" in ran.stderr
