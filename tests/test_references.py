"""The reference pages: their generated tables are complete, and the names that they give exist."""

from __future__ import annotations

import importlib
import re
from types import FunctionType
from typing import Any

import pytest
from tools.references import fill_in

import wateringhole as wh
from tests.cli.running import called
from tests.conftest import ROOT
from tests.markdown import tables
from wateringhole import registry
from wateringhole.cli import commands
from wateringhole.options import describe

REFERENCE = ROOT / "docs" / "reference"
GAMES = registry.game_names()


def page(name: str) -> str:
    return fill_in((REFERENCE / name).read_text(encoding="utf-8"))


def test_the_commands_have_all_their_options() -> None:
    text = page("commands.md")
    group: Any = commands()
    for name, command in group.commands.items():
        (section,) = re.findall(rf"^## {name}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
        for param in command.params:
            for option in param.opts if param.param_type_name == "option" else [param.metavar or param.name.upper()]:
                assert f"`{option}`" in section


def test_a_default_of_0_is_listed() -> None:
    assert "| `--seed` `VALUE` | Random seed of samples and rollouts. Default: 0. |" in page("commands.md")


@pytest.mark.parametrize("game", GAMES)
def test_the_options_have_their_value_in_each_profile(game: str) -> None:
    text = page("options.md")
    kind = registry.game_kind(game)
    for option in describe(kind.profiles):
        (row,) = re.findall(rf"^\| `{option.name}`: .*\|$", text, re.MULTILINE)
        assert row.endswith("".join(f" `{option.profiles[profile]}` |" for profile in kind.profiles))


@pytest.mark.parametrize("game", GAMES)
def test_the_deal_options_are_listed(game: str) -> None:
    text = page("options.md")
    for option in registry.game_kind(game).deal_options:
        assert f"| `{option.name}` | {game.capitalize()} |" in text


@pytest.mark.parametrize("game", GAMES)
def test_the_events_have_all_their_fields(game: str) -> None:
    (text,) = re.findall(rf"^## {game.capitalize()}\n(.*?)(?=^## |\Z)", page("events.md"), re.MULTILINE | re.DOTALL)
    for event in importlib.import_module(f"wateringhole.games.{game}.rules.events").EVENT_TYPES:
        (section,) = re.findall(
            rf"^### `{event.__struct_config__.tag}`.*?\n(.*?)(?=^### |\Z)", text, re.MULTILINE | re.DOTALL
        )
        assert re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE) == list(event.__struct_fields__)


def test_the_python_api_has_every_public_name() -> None:
    documented = re.findall(r"^::: wateringhole\.(\w+)$", page("python-api.md"), re.MULTILINE)
    assert sorted(documented) == sorted(set(wh.__all__) - {"__version__"})


def test_every_method_of_the_views_has_a_description() -> None:
    for module, name in re.findall(r"^::: (wateringhole\.[\w.]+)\.([A-Z]\w+)$", page("views.md"), re.MULTILINE):
        for base in getattr(importlib.import_module(module), name).__mro__:
            if base.__module__.startswith("wateringhole."):
                for member, value in vars(base).items():
                    if not member.startswith("_") and isinstance(value, FunctionType | property):
                        assert value.__doc__, f"{name}.{member}"


def test_an_option_has_the_placeholder_of_the_help() -> None:
    assert "| `--turn` `VALUE` |" in page("commands.md")
    assert "--turn VALUE" in " ".join(called("replay", "--help").stdout.split())


def test_the_glossary_names_things_that_exist_in_alphabetical_order() -> None:
    (rows,) = tables(REFERENCE / "glossary.md")
    terms = [row["term"] for row in rows]
    assert terms == sorted(terms)
    for row in rows:
        for name in re.findall(r"`([\w.]+)`", row["in the code"]):
            module, _, attribute = name.rpartition(".")
            assert hasattr(importlib.import_module(module), attribute), name


@pytest.mark.parametrize("name", sorted(path.name for path in REFERENCE.glob("*.md")))
def test_code_in_generated_tables_has_no_backslash_before_a_bar(name: str) -> None:
    # The site would show the backslash.
    assert re.findall(r"`[^`\n]*\\\|[^`\n]*`", page(name)) == []


def test_an_unknown_table_is_an_error() -> None:
    with pytest.raises(KeyError, match="weather"):
        fill_in("<!-- generated: weather -->")
