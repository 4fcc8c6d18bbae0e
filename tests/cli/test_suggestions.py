"""A mistyped name gets an error that names the similar one."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.cli.running import called

EVOLUTION3 = ("play", "evolution", "greedy", "greedy", "greedy")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("plya",), "there is no command 'plya'. Did you mean play? To list all commands: wateringhole --help"),
        (("xyzzy",), "there is no command 'xyzzy'. To list all commands: wateringhole --help"),
        (("--versoin",), "wateringhole has no option --versoin. Did you mean --version?"),
        ((*EVOLUTION3, "--sed", "7"), "play has no option --sed. Did you mean --seed?"),
        ((*EVOLUTION3, "--Time_Limit=7"), "play has no option --Time_Limit. Did you mean --time-limit?"),
        ((*EVOLUTION3, "--xyzzy"), "play has no option --xyzzy. To list all options, add --help."),
        (("play", "evoluton", "greedy"), "'evoluton' is not an installed game. Did you mean evolution? Choose from: "),
        (
            ("play", "evolution", "gredy", "greedy", "greedy"),
            "there is no installed player 'gredy' for evolution. Did you mean greedy? Choose from: champion, greedy, ",
        ),
        (("play", "evolution", "random?sed=7", "greedy", "greedy"), "it has no option 'sed'. Did you mean seed?"),
        ((*EVOLUTION3, "--rules", "cours"), "there is no such profile. Did you mean course? Choose from: course, "),
        (
            (*EVOLUTION3, "--rules", "food-clmp=total"),
            "rules option 'food-clmp' does not exist. Did you mean food_clamp? Choose from: ",
        ),
        (
            (*EVOLUTION3, "--rules", "scoring=poplation"),
            "the values of scoring are population, boards. Did you mean population?",
        ),
        ((*EVOLUTION3, "--deal", "dck=shuffled"), "evolution has no deal option 'dck'. Did you mean deck? Choose from"),
        (("solve", "porrinha", "--stick=3"), "--stick is not an option of solve porrinha. Did you mean --sticks?"),
        (("harness", "atack"), "harness 'atack' does not exist. Did you mean attack?"),
        (
            ("tournament", "porrinha", "zero", "random", "--format", "swis", "--store", "never.sqlite"),
            "format 'swis' does not exist. Did you mean swiss?",
        ),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_a_mistyped_name_gets_the_similar_one(words: tuple[str, ...], message: str, tmp_path: Path) -> None:
    ran = called(*words, folder=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert message in ran.stderr


@pytest.mark.parametrize("options", [(), ("--time-limit", "20")], ids=["in process", "isolated"])
@pytest.mark.parametrize("folder", ["", "bots/"], ids=["here", "in a folder"])
def test_a_mistyped_file_gets_the_similar_one(folder: str, options: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / folder).mkdir(exist_ok=True)
    (tmp_path / folder / "careful.py").touch()
    ran = called("play", "evolution", f"{folder}carefull.py:Mine", "greedy", "greedy", *options, folder=tmp_path)
    assert ran.returncode == 2
    assert f"there is no file {folder}carefull.py. Did you mean {folder}careful.py?" in ran.stderr


def test_a_mistyped_class_gets_the_similar_one(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text("class Bold: ...\nclass Careful: ...\n")
    ran = called("play", "evolution", "mine.py:Carefull", "greedy", "greedy", folder=tmp_path)
    assert ran.returncode == 2
    assert "no class or function 'Carefull' in mine.py; it defines Bold, Careful. Did you mean Careful?" in ran.stderr


@pytest.mark.parametrize("command", ["play", "check"])
def test_a_method_that_looks_like_a_misspelled_hook_is_reported(command: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from wateringhole.games.porrinha.bots.zero import Zero\nclass Mine(Zero):\n    def geuss(self): return 0\n"
    )
    others = ("zero", "zero") if command == "play" else ()
    ran = called(command, "porrinha", "mine.py:Mine", *others, folder=tmp_path)
    assert "Mine.geuss (mine.py, line 3) is never called. Did you mean guess?" in ran.stdout + ran.stderr
