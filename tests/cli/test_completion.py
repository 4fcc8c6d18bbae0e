"""The tab key completes commands, options, games, players and rules."""

from __future__ import annotations

import itertools
import os
import pty
import re
import select
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.cli.running import called

BESIDE_PYTHON = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"


def _split_like_bash(word: str) -> list[str]:
    return re.findall("[=:]|[^=:]+", word) or [""]


def completed_in_bash(*words: str, program: str = "wateringhole") -> set[str]:
    """Return what bash offers for the last word, which may be empty: what follows the last = or : in it."""
    pieces = itertools.chain.from_iterable(map(_split_like_bash, words))
    script = (
        f'eval "$({program} completion bash)"\n'
        'function="$(complete -p "$1" | sed -E "s/.*-F ([^ ]+) .*/\\1/")"\n'
        'COMP_LINE="$LINE" COMP_POINT=${#LINE} COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))\n'
        '"$function" "$1"\n'
        'printf "%s\\n" "${COMPREPLY[@]}"\n'
    )
    ran = subprocess.run(
        ["bash", "-c", script, "bash", program, *pieces],
        env=os.environ | {"PATH": BESIDE_PYTHON, "LINE": " ".join([program, *words])},
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
        (("play", "evolution", "greedy", "--rules", "fat"), {"fat_on_replace=", "fat_over_request="}),
        (("play", "evolution", "greedy", "--rules", "fr"), {"framework"}),
        (("play", "evolution", "greedy", "--rules", "food_"), {"food_clamp=per-card", "food_clamp=total"}),
        (("play", "evolution", "greedy", "--rules", "food_clamp="), {"per-card", "total"}),
        (("play", "evolution", "greedy", "--rules", "food_clamp=t"), {"total"}),
        (("play", "evolution", "greedy", "--rules=food_clamp=t"), {"total"}),
        (("play", "evolution", "greedy", "--rules", "most_tu"), {"most_turns="}),
        (("play", "evolution", "--rules", "food_clamp=total", "gr"), {"greedy"}),
        (("play", "evolution", "greedy", "--sandbox", ""), {"bwrap", "none"}),
        (("play", "evolution", "mine.p"), set()),
        (("watch", "porrinha", "zer"), {"zero"}),
        (("simulate", "porrinha", ""), {"equilibrium", "random", "zero"}),
        (("join", "localhost:45678", "cou"), {"counter"}),
        (("rules", "por"), {"porrinha"}),
        (("players", "por"), {"porrinha"}),
        (("harness", "ste"), {"step", "step4"}),
        (("completion", "z"), {"zsh"}),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_bash_completes(words: tuple[str, ...], offered: set[str]) -> None:
    assert completed_in_bash(*words) == offered


@pytest.mark.parametrize(
    ("typed", "line"),
    [
        ("play evolution --rules scor", "scoring=X"),
        ("play evolution --rules scoring=b", "scoring=boards X"),
        ("play evolution --rules most_tu", "most_turns=X"),
    ],
)
def test_bash_inserts_no_space_before_a_value(typed: str, line: str, tmp_path: Path) -> None:
    (tmp_path / "rc").write_text("eval \"$(wateringhole completion bash)\"\nPS1='ready> '\n")
    terminal, child_end = pty.openpty()
    bash = subprocess.Popen(
        ["bash", "--rcfile", tmp_path / "rc", "-i"],
        env=os.environ | {"PATH": BESIDE_PYTHON, "TERM": "dumb", "INPUTRC": os.devnull},
        stdin=child_end,
        stdout=child_end,
        stderr=child_end,
        start_new_session=True,
        cwd=tmp_path,
    )
    os.close(child_end)
    try:
        _read_until(terminal, b"ready> ")
        os.write(terminal, f"wateringhole {typed}\tX".encode())
        shown = _read_until(terminal, b"X").replace(b"\a", b"")
        assert shown.decode().endswith(line)
    finally:
        bash.kill()
        bash.wait(60)
        os.close(terminal)


def _read_until(terminal: int, ending: bytes) -> bytes:
    shown = b""
    while not shown.endswith(ending):
        assert select.select([terminal], [], [], 120)[0], shown
        shown += os.read(terminal, 1)
    return shown


def test_bash_completes_the_short_name_of_the_program() -> None:
    assert completed_in_bash("compa", program="wh") == {"compare"}


@pytest.mark.skipif(shutil.which("fish") is None, reason="fish is not installed")
@pytest.mark.parametrize(
    ("line", "offered"),
    [
        ("wateringhole play evolution gr", {"greedy"}),
        ("wh play evolution gr", {"greedy"}),
        ("wh play evolution --rules food_", {"food_clamp=per-card", "food_clamp=total"}),
        ("wh play evolution --rules food_clamp=t", {"food_clamp=total"}),
    ],
)
def test_fish_completes(line: str, offered: set[str], tmp_path: Path) -> None:
    scripts = tmp_path / "fish" / "conf.d"
    scripts.mkdir(parents=True)
    (scripts / "wateringhole.fish").write_text(called("completion", "fish").stdout)
    ran = subprocess.run(
        ["fish", "-c", f"complete -C '{line}'"],
        env=os.environ | {"PATH": BESIDE_PYTHON, "XDG_CONFIG_HOME": str(tmp_path), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert (ran.returncode, ran.stderr) == (0, "")
    assert set(ran.stdout.split()) == offered


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
