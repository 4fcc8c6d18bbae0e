"""Run every Python example in the documentation, and every shell example marked ``sh run``.

The examples of a page run one after the other, as a reader would run them.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.conftest import ROOT
from tests.games.tables import play_out
from tests.markdown import tables
from tests.preloaded_command import preloaded_command
from wateringhole import fallbacks, registry
from wateringhole.cli import commands
from wateringhole.errors import UsageError
from wateringhole.games.evolution import PROFILES, deal
from wateringhole.games.evolution.bots.player import Player
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.games.porrinha.bots.random import Random
from wateringhole.match.loops import play
from wateringhole.match.match import Match
from wateringhole.process.sandbox import check_sandbox

PAGES = [page for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))] if page.exists()]


class Block(NamedTuple):
    language: str
    code: str
    line: int


def blocks(page: Path) -> list[Block]:
    text = page.read_text(encoding="utf-8")
    return [
        Block(found[1].strip(), found[2], text[: found.start()].count("\n") + 2)
        for found in re.finditer(r"^```(.*)\n((?:.*\n)*?)```$", text, re.MULTILINE)
    ]


def run_python(page: Path) -> tuple[dict[str, Any], str]:
    """Return the names that a page's examples define, and their output."""
    names: dict[str, Any] = {"__name__": page.stem}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        for block in blocks(page):
            if block.language == "python":
                # Start with blank lines, so that a traceback names the line of the page.
                exec(compile("\n" * (block.line - 1) + block.code, str(page), "exec"), names)
    return names, printed.getvalue()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_code_blocks_have_a_form_that_the_site_shows(page: Path) -> None:
    # After a language, `tools.site` understands one word for the tests, or the name of a file.
    for block in blocks(page):
        assert re.fullmatch(r"([a-z]+( [a-z]+| [\w-]+\.\w+)?)?", block.language), block


def shell_pages() -> list[Path]:
    return [page for page in PAGES if any(block.language == "sh run" for block in blocks(page))]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_examples_run(page: Path) -> None:
    run_python(page)


@pytest.mark.parametrize("page", shell_pages(), ids=lambda page: page.name)
def test_shell_examples_run(page: Path, tmp_path: Path) -> None:
    path = os.pathsep.join([str(preloaded_command().parent), str(Path(sys.executable).parent), os.environ["PATH"]])
    if any(block.language == "sh run" and "--sandbox" in block.code for block in blocks(page)):
        try:
            check_sandbox()
        except UsageError as error:
            pytest.skip(str(error))
    for block in blocks(page):
        if block.language == "sh run":
            done = subprocess.run(
                ["sh", "-e", "-c", block.code],
                cwd=tmp_path,
                env=os.environ | {"PATH": path},
                stdin=subprocess.DEVNULL,
                capture_output=True,
                text=True,
                timeout=300,
            )
            assert done.returncode == 0, f"{page.name}, line {block.line}: {done.stderr}"


def commands_only_shown(page: Path) -> list[list[str]]:
    """Return the words of the commands in shell examples that no test runs, such as servers."""
    lines = [
        line
        for block in blocks(page)
        if block.language == "sh"
        for line in block.code.replace("\\\n", " ").splitlines()
    ]
    commands = [shlex.split(line, comments=True) for line in lines]
    return [command for command in commands if command[:1] == ["wateringhole"]]


@pytest.mark.parametrize(
    "page", [page for page in PAGES if commands_only_shown(page)], ids=lambda page: f"{page.parent.name}/{page.name}"
)
def test_commands_that_are_only_shown_exist_with_their_options(page: Path) -> None:
    group: Any = commands()
    for _, name, *arguments in commands_only_shown(page):
        known = {each for param in group.commands[name].params for each in (*param.opts, *param.secondary_opts)}
        assert {each.partition("=")[0] for each in arguments if each.startswith("--")} <= known, (name, arguments)


FIRST_BOT = ROOT / "docs" / "tutorials" / "first-bot.md"
FIRST_PORRINHA_PLAYER = ROOT / "docs" / "tutorials" / "first-porrinha-player.md"
DEBUGGING = ROOT / "docs" / "how-to" / "debugging.md"
EVOLUTION_PLAYERS = ROOT / "docs" / "reference" / "evolution-players.md"


def quoted(page: Path) -> str:
    """Return the messages that a page quotes."""
    return " ".join(re.findall(r"^> (.*)$", page.read_text(encoding="utf-8"), re.MULTILINE))


@pytest.mark.parametrize(
    ("page", "name"),
    [
        (FIRST_BOT, "Plain"),
        (FIRST_BOT, "Breeder"),
        (EVOLUTION_PLAYERS, "Grazer"),
        (EVOLUTION_PLAYERS, "FromTheDocument"),
    ],
    ids=lambda value: value if isinstance(value, str) else value.stem,
)
def test_the_bots_of_the_pages_play_legally(page: Path, name: str) -> None:
    bot: type[Player] = run_python(page)[0][name]
    for seed in range(20):
        _, failures = play_out([bot(), Silly(), bot()], deal(3, PROFILES["course"], seed))
        assert failures == {}


@pytest.mark.parametrize("page", [FIRST_BOT, FIRST_PORRINHA_PLAYER, DEBUGGING], ids=lambda page: page.name)
def test_the_first_guides_show_the_output_of_their_examples(page: Path) -> None:
    (expected,) = (block.code for block in blocks(page) if block.language == "text")
    assert run_python(page)[1] == expected


def test_the_illegal_bot_is_thrown_out_with_the_message_in_the_guide() -> None:
    illegal: type[Player] = run_python(FIRST_BOT)[0]["Hasty"]
    _, failures = play_out([illegal(), Silly(), Silly()], deal(3, PROFILES["course"], 7))
    assert list(failures.values()) == [quoted(FIRST_BOT)]


def test_the_bad_guess_is_reported_with_the_message_in_the_porrinha_guide() -> None:
    bold: Any = run_python(FIRST_PORRINHA_PLAYER)[0]["Bold"]()
    incidents: list[str] = []
    porrinha = registry.game_kind("porrinha")
    rules = porrinha.rules(max_rounds=1)
    match = Match(
        porrinha,
        porrinha.deal(2, rules, 0),
        observers=[
            lambda event: incidents.extend(fallbacks.text(porrinha).narrator(["Bold", "random"]).incidents(event))
        ],
    )
    play(match, [bold, Random(seed=1)])
    assert incidents == [quoted(FIRST_PORRINHA_PLAYER)]


LINKING_PAGES = [*PAGES, *ROOT.glob("C*.md"), *(ROOT / folder / "README.md" for folder in ("benchmarks", "examples"))]


@pytest.mark.parametrize("page", sorted(path.relative_to(ROOT).as_posix() for path in LINKING_PAGES))
def test_links_lead_to_existing_files(page: str) -> None:
    path = ROOT / page
    links = re.findall(r"\]\(([^)#:\s]+)(?:#[^)]*)?\)", path.read_text(encoding="utf-8"))
    assert [link for link in links if not (path.parent / link).exists()] == []


def test_the_readme_links_only_to_pages_that_are_complete_without_the_site() -> None:
    links = re.findall(r"\]\((docs/[^)#]+\.md)", (ROOT / "README.md").read_text(encoding="utf-8"))
    generated = re.compile(r"^(<!-- generated:|::: )", re.MULTILINE)
    assert [link for link in links if generated.search((ROOT / link).read_text(encoding="utf-8"))] == []


@pytest.mark.parametrize("folder", ["examples", "src", "tests", "tools"])
def test_code_names_pages_that_exist(folder: str) -> None:
    sources = [path for path in (ROOT / folder).rglob("*") if path.suffix in (".py", ".js", ".cpp")]
    named = {name for path in sources for name in re.findall(r"\bdocs/[\w/-]+\.md", path.read_text(encoding="utf-8"))}
    assert {name for name in named if not (ROOT / name).exists()} == set()


def test_the_page_about_installing_lists_every_extra() -> None:
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    (rows,) = (table for table in tables(ROOT / "docs" / "how-to" / "installing.md") if "extra" in table[0])
    assert sorted(name for row in rows for name in re.findall(r"`(\w+)`", row["extra"])) == sorted(extras)
