"""Player specs on the command line."""

from __future__ import annotations

import contextlib
import json
import os
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from wateringhole import registry
from wateringhole.errors import UsageError
from wateringhole.games.evolution.bots.random import Random
from wateringhole.match.loading import describe_installed, installed, module_name
from wateringhole.match.series import make_entrants
from wateringhole.match.specs import expand_files, parse_specs, with_file

SOURCE = """
from wateringhole.games.evolution.bots.silly import Silly

class Mine(Silly):
    def __init__(self, depth=1, label="none"):
        self.depth, self.label = depth, label

def factory(**options):
    return Mine(**options)

nothing = 3
"""


@pytest.fixture
def mine(tmp_path: Path) -> str:
    path = tmp_path / "mine.py"
    path.write_text(SOURCE)
    return str(path)


@pytest.mark.parametrize(
    ("specs", "labels"),
    [
        (["silly", "random"], ["silly", "random"]),
        (["silly", "silly", "random"], ["silly 1", "silly 2", "random"]),
        (["Ada=silly", "silly"], ["Ada", "silly"]),
        (["Ada=silly", "Ada=random"], ["Ada 1", "Ada 2"]),
        (["random?seed=7"], ["random"]),
        (["Ada Lovelace=random?seed=7"], ["Ada Lovelace"]),
        (["cmd:./bots/mine --fast=1"], ["mine"]),
        (["Ada=cmd:./mine a=b"], ["Ada"]),
        (["cmd*2:./pair"], ["pair 1", "pair 2"]),
        (["Pair=cmd*2:./pair", "silly"], ["Pair 1", "Pair 2", "silly"]),
        (["wateringhole.games.evolution.bots.silly:Silly"], ["Silly"]),
        (["silly 1=random", "silly", "silly"], ["silly 1", "silly 2", "silly 3"]),
    ],
)
def test_specs_give_each_player_a_label(specs: list[str], labels: list[str]) -> None:
    assert [named.label for named in parse_specs("evolution", specs)] == labels


PROGRAM = """
import json, sys

for line in sys.stdin:
    if json.loads(line)["type"] == "hello":
        print(json.dumps({"type": "hello", "protocol": 1, **json.loads(sys.argv[1])}), flush=True)
"""


@pytest.fixture
def program(tmp_path: Path) -> str:
    path = tmp_path / "program.py"
    path.write_text(PROGRAM)
    return f"{sys.executable} {path}"


def names_at_the_table(*specs: str) -> list[str]:
    """Make the players of a game of Porrinha, and return their names."""
    kind = registry.game_kind("porrinha")
    with contextlib.ExitStack() as cleanup:
        entrants = make_entrants(kind, parse_specs("porrinha", specs), 1, cleanup, lambda player: player.close())
        return [entrant.name for entrant in entrants]


def reporting(program: str, players: int = 1, **hello: Any) -> str:
    """Return the spec of a program that sends these fields in its hello."""
    return f"cmd{'' if players == 1 else f'*{players}'}:{program} {shlex.quote(json.dumps(hello))}"


def test_programs_have_the_names_that_they_report(program: str) -> None:
    assert names_at_the_table("random", reporting(program, name="Ada")) == ["random", "Ada"]
    assert names_at_the_table("random", reporting(program, names=["Ada"])) == ["random", "Ada"]
    assert names_at_the_table(reporting(program, 2, names=["Ada", "Bea"]), "zero") == ["Ada", "Bea", "zero"]
    assert names_at_the_table(reporting(program, 2, name="Pair"), "zero") == ["Pair 1", "Pair 2", "zero"]


def test_a_label_of_the_user_replaces_the_reported_name(program: str) -> None:
    assert names_at_the_table("random", f"Eve={reporting(program, name='Ada')}") == ["random", "Eve"]
    pair = reporting(program, 2, names=["Ada", "Bea"])
    assert names_at_the_table("random", f"Eve={pair}") == ["random", "Eve 1", "Eve 2"]


def test_a_program_that_reports_no_name_has_that_of_its_command(program: str) -> None:
    command = Path(sys.executable).name
    for hello in ({}, {"name": ""}, {"name": " \t\n"}, {"names": ["\x00"]}):
        assert names_at_the_table("random", reporting(program, **hello)) == ["random", command]


@pytest.mark.parametrize(
    ("reported", "names"),
    [
        (["Ada", "Ada"], ["Ada 1", "Ada 2"]),
        (["random", "zero"], ["random 2", "zero"]),
        (["random", "random"], ["random 2", "random 3"]),
        (["Ada 1", "Ada"], ["Ada 1", "Ada"]),
        (["A\x1b[31mda\n", "\u202eBea"], ["A [31mda", "Bea"]),
        (["x" * 100, "y"], ["x" * 59 + "…", "y"]),
    ],
)
def test_reported_names_are_made_printable_short_and_different(
    program: str, reported: list[str], names: list[str]
) -> None:
    assert names_at_the_table("random", reporting(program, 2, names=reported)) == ["random", *names]


def test_equal_names_never_become_the_name_of_another_player(program: str) -> None:
    triple = reporting(program, 3, names=["Ada", "Ada", "Ada 1"])
    assert names_at_the_table(triple, "Ada 2=random") == ["Ada 3", "Ada 4", "Ada 1", "Ada 2"]


@pytest.mark.parametrize(
    ("names", "message"),
    [
        (
            ["Ada"],
            r"did not introduce itself: its hello has 1 name in `names`; expected 2, one for each of its players",
        ),
        (["Ada", "Bea", "Cid"], "its hello has 3 names in `names`; expected 2"),
        (["Ada", 7], r"is not a hello: Expected `str`, got `int` - at `\$.names\[1\]`"),
        ("AdaBea", "is not a hello: Expected `array"),
    ],
)
def test_a_wrong_list_of_names_is_a_usage_error(program: str, names: Any, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        names_at_the_table("random", reporting(program, 2, names=names))


def test_a_file_names_a_class_or_a_factory_with_options(mine: str) -> None:
    for name in ("Mine", "factory"):
        (named,) = parse_specs("evolution", [f"Eve={mine}:{name}?depth=3&label=x%20y"])
        player = named.make()
        assert (player.depth, player.label) == (3, "x y")  # type: ignore[attr-defined]
        assert named.label == "Eve"


def test_a_file_that_is_saved_twice_in_a_second_is_loaded_as_it_is(mine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    # Bytecode of the first version would have the time and size of the second one.
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    for depth in (1, 2):
        Path(mine).write_text(SOURCE.replace("depth=1", f"depth={depth}"))
        os.utime(mine, (1, 1))
        sys.modules.pop(module_name(Path(mine)), None)
        (named,) = parse_specs("evolution", [f"{mine}:Mine"])
        assert named.make().depth == depth  # type: ignore[attr-defined]


def test_an_installed_player_takes_options() -> None:
    (named,) = parse_specs("evolution", ["random?seed=7"])
    assert isinstance(named.make(), Random)


@pytest.mark.parametrize(
    ("spec", "message"),
    [
        ("", "it names no player"),
        ("Ada=", "it names no player"),
        ("\udcff=silly", r"^player '\\udcff=silly': it is not a text in UTF-8\. Rename it\.$"),
        (
            "unknown",
            "there is no installed player 'unknown' for evolution. "
            "Choose from: champion, greedy, human, random, search, silly",
        ),
        ("cmd:", "a program is named as cmd:./mine"),
        ("cmd*0:./mine", "a program is named as cmd:./mine"),
        ("random?seed", r"options are written as \?name=value"),
        ("nowhere/mine.py:Mine", "there is no file nowhere/mine.py"),
        ("/:Mine", "^player '/:Mine': / is a folder. Name a Python file in it"),
        ("mine.py:", "expected the name of a class or function after the colon"),
        ("{mine}:Yours", "there is no class or function 'Yours' in .*; it defines Mine"),
        ("{mine}:nothing", "there is no class or function 'nothing'"),
        (
            "{mine}:Mine?width=3",
            r"Mine\?width=3' could not be made: it has no option 'width'\. Choose from: depth, label",
        ),
        ("silly?deep=1", "^player 'silly\\?deep=1' could not be made: it has no option 'deep'. It takes no options.$"),
    ],
)
def test_an_unknown_player_is_a_usage_error(spec: str, message: str, mine: str) -> None:
    with pytest.raises(UsageError, match=message):
        parse_specs("evolution", [spec.replace("{mine}", mine)])[0].make()


@pytest.mark.parametrize("game", ["evolution", "porrinha"])
def test_every_installed_player_has_a_description(game: str) -> None:
    described = describe_installed(game)
    assert described.keys() == installed(game).keys()
    assert all(text and "cannot be loaded" not in text for text in described.values())


def test_a_file_of_players_is_expanded_to_its_lines(tmp_path: Path) -> None:
    path = tmp_path / "players.txt"
    path.write_text("# the course\n\nAda=ada.py:Mine\n  Bea=cmd:./bea --deep 'a b'  \nsilly\r\n", encoding="utf-8")
    assert expand_files(["greedy", f"@{path}", "random"]) == [
        "greedy",
        "Ada=ada.py:Mine",
        "Bea=cmd:./bea --deep 'a b'",
        "silly",
        "random",
    ]


@pytest.mark.parametrize(
    ("content", "message"),
    [(None, "cannot be read: No such file"), (b"# empty\n", "names no player"), (b"\xff\xfe", "not a text in UTF-8")],
)
def test_an_unreadable_file_of_players_is_a_usage_error(content: bytes | None, message: str, tmp_path: Path) -> None:
    path = tmp_path / "players.txt"
    if content is not None:
        path.write_bytes(content)
    with pytest.raises(UsageError, match=message):
        expand_files([f"@{path}"])


@pytest.mark.parametrize(
    ("spec", "moved"),
    [
        ("silly", "silly"),
        ("random?seed=7", "random?seed=7"),
        ("package.module:Mine", "package.module:Mine"),
        ("cmd:./mine.py:Mine", "cmd:./mine.py:Mine"),
        ("bots/mine.py:Mine", "/there/mine.py:Mine"),
        ("Ada=./mine.py:Mine?depth=2&label=a:b", "Ada=/there/mine.py:Mine?depth=2&label=a:b"),
    ],
)
def test_only_the_path_of_a_file_is_replaced(spec: str, moved: str) -> None:
    assert with_file(spec, lambda path: Path("/there") / path.name) == moved


BOT = """
from wateringhole.games.porrinha.bots.zero import Zero

class Bot(Zero):
    def who(self):
        {importing}
        return strategy.NAME
"""


@pytest.fixture
def restored_imports() -> Iterator[None]:
    """Remove the modules that a test imports from players' folders."""
    modules, paths = dict(sys.modules), list(sys.path)
    yield
    for name in sys.modules.keys() - modules.keys():
        del sys.modules[name]
    sys.path[:] = paths


def folder(path: Path, **files: str) -> str:
    """Write files to a new folder, and return the spec of the player in it."""
    path.mkdir(parents=True)
    for name, text in files.items():
        (path / f"{name}.py").write_text(text)
    return f"{path / 'bot.py'}:Bot"


@pytest.mark.parametrize(
    "importing",
    [
        "import strategy",
        "import strategy.deep as strategy",
        "from strategy import NAME",
        "import importlib; strategy = importlib.import_module('strategy')",
        "strategy = __import__('strategy')",
    ],
)
@pytest.mark.parametrize("owners", [("x", "y"), ("x",), ("y",)])
@pytest.mark.usefixtures("restored_imports")
def test_an_import_conflict_between_folders_is_a_usage_error(
    importing: str, owners: tuple[str, ...], tmp_path: Path
) -> None:
    players = [
        folder(
            tmp_path / name,
            bot=BOT.replace("{importing}", importing),
            **({"strategy": f"NAME = {name!r}"} if name in owners else {}),
        )
        for name in ("x", "y")
    ]
    with pytest.raises(
        UsageError, match=r"player '.*y/bot\.py:Bot' could play .*bot\.py imports 'strategy', .*--time-limit"
    ):
        parse_specs("porrinha", players)
    # The first player alone has no conflict.
    assert len(parse_specs("porrinha", players[:1])) == 1


@pytest.mark.usefixtures("restored_imports")
def test_unimported_files_with_equal_names_are_no_conflict(tmp_path: Path) -> None:
    text = "import json\n" + BOT.replace("{importing}", "from . import strategy")
    players = [folder(tmp_path / name, bot=text, notes="import os", json="") for name in ("x", "y")]
    assert len(parse_specs("porrinha", players)) == 2


@pytest.mark.usefixtures("restored_imports")
def test_players_of_one_folder_share_its_modules(tmp_path: Path) -> None:
    text = BOT.replace("{importing}", "import strategy")
    spec = folder(tmp_path / "x", bot=text, other=text, strategy="NAME = 'x'")
    players = [named.make() for named in parse_specs("porrinha", [spec, spec.replace("bot.py", "other.py")])]
    assert [player.who() for player in players] == ["x", "x"]  # type: ignore[attr-defined]


@pytest.mark.usefixtures("restored_imports")
def test_a_package_that_contains_another_players_folder_is_no_conflict(tmp_path: Path) -> None:
    inner = folder(tmp_path / "x" / "ada", __init__="", bot=BOT.replace("{importing}", "import strategy"), strategy="")
    (tmp_path / "x" / "bot.py").write_text(BOT.replace("{importing}", "strategy = None"))
    assert len(parse_specs("porrinha", [f"{tmp_path / 'x' / 'bot.py'}:Bot", inner])) == 2
