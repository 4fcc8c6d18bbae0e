"""Tables of the reference pages that come from the code: commands, options, events, traits, layouts and rulings.

A page has a comment such as `<!-- generated: events evolution -->`, and the site has the table in its place.  So a
table cannot be out of date.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import re
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import typer.main

from wateringhole import fallbacks, registry
from wateringhole.cli import app
from wateringhole.cli.examples import PLACEHOLDER, example
from wateringhole.game import Event, Notice
from wateringhole.games.evolution import TRAITS, Rules
from wateringhole.options import describe

__all__ = ["GENERATED", "fill_in"]

SEEDS = Path(__file__).parents[1] / "docs" / "explanation" / "seeds.md"


def fill_in(markdown: str) -> str:
    """Return a page with the generated tables in place of their comments.  Raises KeyError for an unknown table."""

    def generate(found: re.Match[str]) -> str:
        name, *arguments = found[1].split()
        return GENERATED[name](*arguments)

    return re.sub(r"^<!-- generated: (.*) -->$", generate, markdown, flags=re.MULTILINE)


def commands() -> str:
    """Return a section for each command, with its arguments and options."""
    group: Any = typer.main.get_command(app)
    return "\n".join(_command(name, command) for name, command in sorted(group.commands.items()))


def _command(name: str, command: Any) -> str:
    description, _, shown = inspect.cleandoc(example(command.help or "")).partition("Example:")
    usage = " ".join(
        ["wateringhole", name, "[OPTIONS]", *(_argument(each) for each in command.params if not _is_option(each))]
    )
    parts = [f"## {name}\n", f"{_escaped(description.strip())}\n", f"```text\n{usage}\n```\n"]
    if shown:
        parts.append(f"Example: `{' '.join(shown.split())}`\n")
    arguments = [(f"`{_metavar(each)}`", _help(each)) for each in command.params if not _is_option(each)]
    options = [(_names(each), _help(each)) for each in command.params if _is_option(each)]
    if arguments:
        parts.append(_table(("argument", ""), arguments))
    if options:
        parts.append(_table(("option", ""), options))
    return "\n".join(parts)


def _is_option(param: Any) -> bool:
    return bool(param.param_type_name == "option")


def _metavar(param: Any) -> str:
    return str(param.metavar or PLACEHOLDER)


def _argument(param: Any) -> str:
    return _metavar(param) if param.required else f"[{_metavar(param)}]"


def _names(param: Any) -> str:
    """Return the names of an option, and the placeholder of its value."""
    names = ", ".join(f"`{name}`" for name in (*param.opts, *param.secondary_opts))
    return names if param.is_flag else f"{names} `{_metavar(param)}`"


def _help(param: Any) -> str:
    text = _escaped(example(param.help or ""))
    shown = param.show_default if isinstance(param.show_default, str) else param.default
    has_default = not (callable(shown) or shown is None or shown is False or shown in ((), [], ""))
    if not has_default or not _is_option(param) or param.is_flag:
        return text
    return f"{text} Default: {example(str(shown))}."


def options(game: str) -> str:
    """Return the profiles of a game, and its options with their value in each profile."""
    kind = registry.game_kind(game)
    profiles = _table(("profile", ""), [(f"`{name}`", profile.text) for name, profile in kind.profiles.items()])
    rows = [
        (f"`{each.name}`: {each.values}<br>{each.text}", *(f"`{each.profiles[profile]}`" for profile in kind.profiles))
        for each in describe(kind.profiles)
    ]
    return f"{profiles}\n{_table(('option', *kind.profiles), rows)}"


def events(game: str) -> str:
    """Return a section for each event of a game, in the order of its module."""
    module = importlib.import_module(f"wateringhole.games.{game}.rules.events")
    return "\n".join(_event(each) for each in _in_order(module.EVENT_TYPES))


def _in_order(types: Iterable[type[Event]]) -> list[type[Event]]:
    return sorted(types, key=lambda each: inspect.getsourcelines(each)[1])


def _event(event: type[Event]) -> str:
    tag = event.__struct_config__.tag
    heading = f"### `{tag}`" if tag == event.__name__ else f"### `{tag}` (in Python: `{event.__name__}`)"
    kind = "*A notice to one seat.* " if issubclass(event, Notice) else ""
    rows = [(f"`{name}`", f"`{annotation}`", text) for name, annotation, text in _fields(event)]
    table = _table(("field", "type", ""), rows) if rows else ""
    return f"{heading}\n\n{kind}{_escaped(inspect.cleandoc(event.__doc__ or ''))}\n\n{table}"


def _fields(struct: type[Event]) -> list[tuple[str, str, str]]:
    """Return name, type and docstring of every field of a struct."""
    found: dict[str, tuple[str, str]] = {}
    for base in reversed([each for each in struct.__mro__ if issubclass(each, Event)]):
        (definition,) = ast.parse(inspect.getsource(base)).body
        assert isinstance(definition, ast.ClassDef)
        for field, after in zip(definition.body, [*definition.body[1:], None], strict=True):
            if isinstance(field, ast.AnnAssign) and isinstance(field.target, ast.Name):
                text = ""
                if isinstance(after, ast.Expr) and isinstance(after.value, ast.Constant):
                    text = inspect.cleandoc(str(after.value.value))
                found[field.target.id] = (ast.unparse(field.annotation), text)
    return [(name, *found[name]) for name in struct.__struct_fields__]


def traits() -> str:
    """Return the traits of Evolution: their names, their effects and the food points of their cards."""
    rows = [
        (f"`{trait}`", f"`Trait.{trait.name}`", rule.text(Rules()), f"-{rule.points} to {rule.points}")
        for trait, rule in TRAITS.items()
    ]
    return _table(("trait", "in Python", "effect", "points of its cards"), rows)


def layout(game: str) -> str:
    """Return the layout of a game's states, observations and actions in the simulator."""
    module = importlib.import_module(f"wateringhole.games.{game}.compiled.layout")
    return f"{inspect.cleandoc(module.__doc__ or '')}\n"


def rulebook(game: str) -> str:
    """Return the rulebook of a game, as a part of a page."""
    text = fallbacks.rulebook(registry.game_kind(game))
    return re.sub(r"^#", "##", text, flags=re.MULTILINE)


def rulings() -> str:
    """Return the questions that the seed documents leave open, with their answers."""
    rows = [re.split(r"(?<!\\)\|", line)[1:-1] for line in SEEDS.read_text(encoding="utf-8").splitlines()]
    questions = [
        (_sentence(asked.strip().removeprefix("*Question*: ")), ruling.strip(), option.strip(), where.strip())
        for where, asked, ruling, option, _ in (row for row in rows if len(row) == 5)
        if asked.strip().startswith("*Question*")
    ]
    return _table(("question", "ruling", "option", "document"), questions, is_escaped=True)


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]


def _escaped(text: str) -> str:
    """Return a text in which nothing looks like HTML or a column."""
    return text.replace("<", "&lt;").replace("|", "\\|")


def _table(head: Iterable[str], rows: Iterable[Iterable[str]], *, is_escaped: bool = False) -> str:
    head = list(head)
    lines = [head, ["---"] * len(head), *([_cell(cell, is_escaped=is_escaped) for cell in row] for row in rows)]
    return "".join(f"| {' | '.join(line)} |\n" for line in lines)


def _cell(text: str, *, is_escaped: bool) -> str:
    line = " ".join(text.split())
    if is_escaped:
        return line
    # A bar in code separates no columns, and a backslash before it would be shown.
    parts = re.split(r"(`[^`]*`)", line)
    return "".join(part if part.startswith("`") else re.sub(r"(?<!\\)\|", "\\|", part) for part in parts)


GENERATED: dict[str, Callable[..., str]] = {
    each.__name__: each for each in (commands, events, layout, options, rulebook, rulings, traits)
}
"""What a page can ask for."""
