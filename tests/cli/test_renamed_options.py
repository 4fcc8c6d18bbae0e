"""Old option names, and options of other commands, are refused; the error names the new one or the commands."""

from __future__ import annotations

import pytest

from tests.cli.running import called
from wateringhole.cli import commands
from wateringhole.cli.examples import RENAMED_OPTIONS

COMMANDS = commands().commands
RENAMED = [
    (name, old, new)
    for name, command in COMMANDS.items()
    for old, new in RENAMED_OPTIONS.items()
    if any(new in param.opts for param in command.params)
]


@pytest.mark.parametrize(("command", "old", "new"), RENAMED)
def test_old_option_is_refused_naming_the_new_one(command: str, old: str, new: str) -> None:
    for words in ((old, "1"), (f"{old}=1",)):
        ran = called(command, "porrinha", "random", "zero", *words)
        assert ran.returncode == 2
        assert ran.stderr == f"wateringhole: {old} is called {new} now.\n"


def test_every_new_name_is_an_option() -> None:
    assert {new for _, _, new in RENAMED} == set(RENAMED_OPTIONS.values())


def test_unknown_option_without_a_new_name_is_refused() -> None:
    ran = called("play", "porrinha", "random", "zero", "--away", "3")
    assert ran.returncode == 2
    assert "play has no option --away." in ran.stderr


@pytest.mark.parametrize("command", ["simulate", "tournament", "compare", "check"])
def test_option_of_other_commands_is_refused_naming_them(command: str) -> None:
    for words in (("--traits", "my_traits.py"), ("--traits=my_traits.py",)):
        ran = called(command, "evolution", "silly", "greedy", *words)
        assert ran.returncode == 2
        assert ran.stderr == (
            f"wateringhole: {command} has no option --traits. "
            "These commands have it: host, play, replay, serve, watch.\n"
        )
