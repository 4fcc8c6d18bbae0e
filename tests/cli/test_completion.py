"""The tab key completes commands, options, games, players and rules."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import called

BESIDE_PYTHON = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def completed_in_bash(*words: str, program: str = "wateringhole") -> set[str]:
    """Return what bash offers for the last word, which may be empty."""
    script = (
        f'eval "$({program} completion bash)"\n'
        'function="$(complete -p "$1" | sed -E "s/.*-F ([^ ]+) .*/\\1/")"\n'
        'COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))\n'
        '"$function" "$1"\n'
        'printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    ran = subprocess.run(
        ["bash", "-c", script, "bash", program, *words],
        env=os.environ | {"PATH": BESIDE_PYTHON},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    return set(ran.stdout.split())


@pytest.mark.parametrize(
    ("words", "offered"),
    [
        (("pl",), {"play", "players"}),
        (("play", "ev"), {"evolution"}),
        (("play", "evolution", "gr"), {"greedy"}),
        (("play", "evolution", "greedy", "s"), {"search", "silly"}),
        (("play", "evolution", "greedy", "--see"), {"--seed"}),
        (("play", "evolution", "greedy", "--rules", "food_"), {"food_clamp="}),
        (("play", "evolution", "mine.p"), set()),
        (("watch", "porrinha", "zer"), {"zero"}),
        (("rules", "por"), {"porrinha"}),
        (("players", "por"), {"porrinha"}),
        (("harness", "ste"), {"step", "step4"}),
        (("completion", "z"), {"zsh"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_bash_completes(words: tuple[str, ...], offered: set[str]) -> None:
    assert completed_in_bash(*words) == offered


def test_bash_completes_the_short_name_of_the_program() -> None:
    assert completed_in_bash("compa", program="wh") == {"compare"}


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
@pytest.mark.parametrize("program", ["wateringhole", "wh"])
def test_fish_completes_both_names_of_the_program(program: str, tmp_path: Path) -> None:
    scripts = tmp_path / "fish" / "conf.d"
    scripts.mkdir(parents=True)
    (scripts / "wateringhole.fish").write_text(called("completion", "fish").stdout)
    ran = subprocess.run(
        ["fish", "-c", f"complete -C '{program} play evolution gr'"],
        env=os.environ | {"PATH": BESIDE_PYTHON, "XDG_CONFIG_HOME": str(tmp_path), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.split() == ["greedy"]


@pytest.mark.parametrize("shell", ["zsh", "fish"])
def test_other_shells_ask_the_program(shell: str) -> None:
    script = called("completion", shell).stdout
    for program in ("wateringhole", "wh"):
        assert f"_{program.upper()}_COMPLETE=complete_{shell}" in script
    ran = subprocess.run(
        ["wateringhole"],
        env=os.environ
        | {
            "PATH": BESIDE_PYTHON,
            "_WATERINGHOLE_COMPLETE": f"complete_{shell}",
            "_TYPER_COMPLETE_ARGS": "wateringhole play evolution gr",
            "_TYPER_COMPLETE_FISH_ACTION": "get-args",
        },
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert "greedy" in ran.stdout


def test_an_unknown_shell_is_refused() -> None:
    ran = called("completion", "bsh")
    assert ran.returncode == 2
    assert ran.stderr == (
        "wateringhole: there is no completion for 'bsh'. Did you mean bash? Choose from: bash, zsh, fish.\n"
    )
