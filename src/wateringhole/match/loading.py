"""Loading of Python players from entry points, modules and files.

A player may import modules in its folder, as if its file had been started as a program.  A process
has one module per name, so players from two folders must not import modules of the same name.
"""

from __future__ import annotations

import ast
import contextlib
import functools
import importlib
import importlib.util
import inspect
import os
import sys
from collections.abc import Callable, Collection, Iterator, Mapping
from importlib.machinery import PathFinder, SourceFileLoader
from importlib.metadata import EntryPoint, entry_points
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

from wateringhole import fallbacks, registry
from wateringhole.errors import PlayerNotMade, UsageError, WateringHoleError
from wateringhole.formatting import choose_from, did_you_mean, single_line
from wateringhole.game import AnyKind
from wateringhole.options import parse_value
from wateringhole.player import Player, author_traceback, blamed_line, is_interruption

__all__ = [
    "GROUP",
    "PREFIX",
    "blame",
    "blaming",
    "describe_installed",
    "entry_point",
    "find_factory",
    "find_package",
    "import_conflict",
    "installed",
    "installed_player",
    "is_file",
    "load_player",
    "module_name",
    "no_such_file",
    "parse_options",
    "player_maker",
    "python_files",
    "takes_seed",
]

GROUP = "wateringhole.players"
"""The entry-point group; names are GAME.PLAYER."""

PREFIX = "wateringhole_player_"
"""The prefix of the names of modules loaded from players' files."""


def installed(game: str) -> Mapping[str, Callable[[], Callable[..., Any]]]:
    """Return loaders of the installed players of a game by name: built-in ones and those of other packages."""
    return _installed(game, tuple(sys.path))


@functools.lru_cache(maxsize=16)
def _installed(game: str, path: tuple[str, ...]) -> Mapping[str, Callable[[], Callable[..., Any]]]:
    prefix = f"{game}."
    found: dict[str, Callable[[], Callable[..., Any]]] = {
        name.removeprefix(prefix): point.load for name, point in _points(path).items() if name.startswith(prefix)
    }
    found |= {name: bot.load for name, bot in fallbacks.bots(registry.game_kind(game)).items()}
    return dict(sorted(found.items()))


def entry_point(game: str, name: str) -> EntryPoint | None:
    """Return the entry point of an installed player of another package, or None if the player is built-in."""
    return _points(tuple(sys.path)).get(f"{game}.{name}")


@functools.lru_cache(maxsize=16)
def _points(path: tuple[str, ...]) -> Mapping[str, EntryPoint]:
    """Cached until `sys.path` changes, because reading all entry points takes longer than a game."""
    return {point.name: point for point in entry_points(group=GROUP)}


def find_package(module: str) -> tuple[Path, ...]:
    """Return the folders of the top-level package of a module, or its file.  None of its code runs.

    Nothing is returned if there is no such package.
    """
    found = PathFinder.find_spec(module.partition(".")[0], [os.getcwd(), *sys.path])
    if found is None:
        return ()
    places = found.submodule_search_locations or filter(None, [found.origin])
    return tuple(Path(place).resolve() for place in places)


def describe_installed(game: str) -> dict[str, str]:
    """Return the installed players of a game with the first line of their docstrings."""
    described = {}
    for name, load in installed(game).items():
        try:
            text = inspect.getdoc(load()) or ""
        except Exception as error:
            text = f"cannot be loaded: {blame(error)}"
        described[name] = text.partition("\n")[0]
    return described


def find_factory(game: str, spec: str, target: str) -> tuple[Callable[..., Any], str]:
    """Return the factory of a player and its default label."""
    where, colon, name = target.rpartition(":")
    if not colon:
        return _find_installed(game, spec, target), target
    if not name.isidentifier():
        raise UsageError(f"player {spec!r}: expected the name of a class or function after the colon.")
    if not where:
        raise UsageError(f"player {spec!r}: expected a file or a module before the colon, as in mine.py:{name}.")
    module = _load_file(spec, Path(where)) if is_file(where) else _load_module(spec, where)
    factory = getattr(module, name, None)
    if not callable(factory):
        there = [
            key
            for key, value in vars(module).items()
            if isinstance(value, type) and value.__module__ == module.__name__
        ]
        hint = f"it defines {', '.join(there)}" if there else "it defines no class"
        similar = did_you_mean(name, there) if len(there) > 1 else ""
        raise UsageError(f"player {spec!r}: there is no class or function {name!r} in {where}; {hint}.{similar}")
    return factory, name


def is_file(where: str) -> bool:
    return where.endswith(".py") or "/" in where or "\\" in where


def installed_player(game: str, name: str) -> Callable[[], Callable[..., Any]]:
    players = installed(game)
    if name not in players:
        hint = " A player in a file is named as file.py:Class." if name.endswith(".py") else ""
        raise UsageError(f"there is no installed player {name!r} for {game}. {choose_from(name, players)}{hint}")
    return players[name]


def _find_installed(game: str, spec: str, name: str) -> Callable[..., Any]:
    load = installed_player(game, name)
    try:
        return load()
    except Exception as error:
        raise UsageError(f"the installed player {spec!r} cannot be loaded: {blame(error)}") from None


def no_such_file(spec: str, path: str | Path) -> UsageError:
    if Path(path).is_dir():
        return UsageError(f"player {spec!r}: {path} is a folder. Name a Python file in it, e.g. {path}/mine.py:Mine.")
    try:
        known = [str(file) for file in Path(path).parent.glob("*.py") if file.is_file()]
    except OSError:
        known = []
    return UsageError(f"player {spec!r}: there is no file {path}.{did_you_mean(str(path), known)}")


def _load_file(spec: str, path: Path) -> ModuleType:
    if not path.is_file():
        raise no_such_file(spec, path)
    name = module_name(path)
    if name in sys.modules:
        return sys.modules[name]
    # A player may import from its own folder, as if its file had been started as a program.
    _search_too(spec, path.resolve().parent)
    loader = _UncachedLoader(name, str(path.absolute())) if path.suffix == ".py" else None
    found = importlib.util.spec_from_file_location(name, path, loader=loader)
    if found is None or found.loader is None:
        raise UsageError(f"player {spec!r}: {path} is not a Python file.")
    module = importlib.util.module_from_spec(found)
    sys.modules[name] = module
    try:
        found.loader.exec_module(module)
    except BaseException as error:
        del sys.modules[name]
        if is_interruption(error):
            raise
        raise _not_made(f"player {spec!r} cannot be loaded", error) from None
    return module


class _UncachedLoader(SourceFileLoader):
    """A loader that ignores bytecode, which looks current for a file that was saved twice in one second."""

    def get_code(self, fullname: str) -> CodeType:
        return self.source_to_code(self.get_data(self.path), self.path)


def _search_too(spec: str, folder: Path) -> None:
    """Let a player import modules from a folder.  Raises UsageError if they could be mistaken for another player's."""
    if problem := import_conflict(folder):
        raise UsageError(
            f"player {spec!r} could play with another player's code: {problem}. Rename one of the modules, or give "
            "every player a process of its own, e.g. with --time-limit 10."
        )
    if str(folder) not in sys.path:
        sys.path.append(str(folder))


def _load_module(spec: str, name: str) -> ModuleType:
    # Like an isolated player, it may be in the current folder, which Python calls "".
    package = name.partition(".")[0]
    if PathFinder.find_spec(package, [""]) and not PathFinder.find_spec(package):
        _search_too(spec, Path.cwd())
    try:
        return importlib.import_module(name)
    except BaseException as error:
        if is_interruption(error):
            raise
        raise _not_made(f"player {spec!r} cannot be loaded", error) from None


def load_player(game: str, spec: str, seed: int | None = None) -> Player:
    """Return a new player of a spec without a label.  Raises UsageError with the line of its author's code."""
    # Loading a file changes where Python searches, and then the registry searches again for games.
    kind = registry.game_kind(game)
    target, question, query = spec.partition("?")
    factory, _ = find_factory(game, spec, target)
    options = parse_options(spec, query) if question else {}
    make = player_maker(kind, spec, factory, options)
    with blaming(spec):
        return make(seed)


def parse_options(spec: str, query: str) -> dict[str, Any]:
    """Return the arguments for a factory that a spec names after its question mark."""
    # Few players have options, and an isolated player waits for its imports.
    from urllib.parse import parse_qsl

    try:
        pairs = parse_qsl(query, keep_blank_values=True, strict_parsing=True)
    except ValueError:
        raise UsageError(f"player {spec!r}: options are written as ?name=value&name=value.") from None
    return {name: parse_value(value) for name, value in pairs}


@contextlib.contextmanager
def blaming(spec: str) -> Iterator[None]:
    """Turn any exception of a player's code into a UsageError with its line."""
    try:
        yield
    except WateringHoleError:
        raise
    except BaseException as error:  # also a SystemExit in the player's code
        if is_interruption(error):
            raise
        raise _not_made(f"player {spec!r} could not be made", error) from None


def player_maker(
    kind: AnyKind, spec: str, factory: Callable[..., Any], options: Mapping[str, Any]
) -> Callable[[int | None], Player]:
    """Return a function that makes a player from a seed, which may be None.

    The seed is for a factory that takes one and has none among its options.  The factory is inspected once, because
    that takes longer than making most players.
    """
    with blaming(spec):
        _check_options(spec, factory, options)
        gets_seed = "seed" not in options and takes_seed(factory)
    base = fallbacks.player_base(kind)
    checked: set[type] = set()

    def make(seed: int | None) -> Player:
        try:
            player: Any = factory(**options) if seed is None or not gets_seed else factory(**options, seed=seed)
        except TypeError as error:
            if error.__traceback__ and error.__traceback__.tb_next is None:  # raised by the call, not inside it
                raise UsageError(f"player {spec!r}{_source_line(factory)} could not be made: {error}.") from None
            raise
        if not isinstance(player, base):
            line = _source_line(factory)
            raise UsageError(
                f"player {spec!r}{line} is not a player of {kind.name}: derive it from {fallbacks.public_name(base)}."
            )
        if type(player) not in checked and (method := _async_hook(player, base)):
            raise UsageError(
                f"player {spec!r}: {method.__name__}{_source_line(method)} returns a coroutine, not an answer. "
                f"Remove async before def {method.__name__}."
            )
        checked.add(type(player))
        made: Player = player
        return made

    return make


def _async_hook(player: object, base: type) -> Callable[..., Any] | None:
    """Return a method of a game's players that an author wrote with async, or None."""
    methods = [getattr(type(player), name, None) for name in dir(base) if name[0] != "_"]
    return next(filter(inspect.iscoroutinefunction, methods), None)


def _check_options(spec: str, factory: Callable[..., Any], options: Mapping[str, Any]) -> None:
    """Raise UsageError for an option that a factory does not have, unless its options are not known."""
    try:
        parameters = inspect.signature(factory).parameters.values()
    except (TypeError, ValueError):
        return
    if any(parameter.kind is inspect.Parameter.VAR_KEYWORD for parameter in parameters):
        return
    by_name = (inspect.Parameter.POSITIONAL_OR_KEYWORD, inspect.Parameter.KEYWORD_ONLY)
    known = [parameter.name for parameter in parameters if parameter.kind in by_name]
    for name in options:
        if name not in known:
            choice = choose_from(name, known) if known else "It takes no options."
            raise UsageError(f"player {spec!r} could not be made: it has no option {name!r}. {choice}")


def takes_seed(factory: Callable[..., Any]) -> bool:
    """Return whether a factory has a parameter for a seed."""
    try:
        return "seed" in inspect.signature(factory).parameters
    except (TypeError, ValueError):
        return False


def _source_line(factory: Callable[..., Any]) -> str:
    try:
        return f" ({inspect.getsourcefile(factory)}, line {inspect.getsourcelines(factory)[1]})"
    except (OSError, TypeError):
        return ""


def _not_made(problem: str, error: BaseException) -> PlayerNotMade:
    # Without a line of the author, none of its code ran: there is no such module, for example.
    has_lines = isinstance(error, SyntaxError) or blamed_line(error) is not None
    why = blame(error)
    return PlayerNotMade(f"{problem}: {why}", why, author_traceback(error) if has_lines else "")


def blame(error: BaseException) -> str:
    """Return an error with the innermost line of its author's code."""
    said = single_line(f"{type(error).__name__}: {error}").removesuffix(": ")
    if isinstance(error, SyntaxError) and error.filename:
        return f"{error.filename}, line {error.lineno}: {type(error).__name__}: {error.msg}."
    line = blamed_line(error)
    return f"{line}: {said}." if line else f"{said}."


# Files, and their imports from their own folders


def module_name(path: Path) -> str:
    """Return the name of the module of a player's file, which is unique to its path."""
    return PREFIX + path.resolve().as_posix()


def python_files(folder: Path) -> Iterator[Path]:
    """Yield the Python files that a file in this folder can import, without linked folders, which may form cycles."""
    for path in sorted(folder.iterdir()):
        if path.suffix == ".py" and path.is_file():
            yield path
        elif not path.is_symlink() and (path / "__init__.py").is_file():
            yield from python_files(path)


def import_conflict(folder: Path) -> str | None:
    """Return how a player from this folder would share a module with a loaded player from another, or None."""
    others = {Path(name.removeprefix(PREFIX)).parent for name in list(sys.modules) if name.startswith(PREFIX)}
    for other in sorted(others - {folder}):
        for here, there in ((folder, other), (other, folder)):
            names = _modules(there)
            for path in python_files(here):
                for name in sorted(names & _imports(path, names)) if not path.is_relative_to(there) else ():
                    if not _is_shared(name, {folder, *others}):
                        return f"{path} imports {name!r}, which could as well be that of {there}"
    return None


def _modules(folder: Path) -> set[str]:
    """Return the names that can be imported from a folder, including packages without an __init__.py."""
    try:
        paths = list(folder.iterdir())
    except OSError:
        return set()  # it was removed
    return {path.name if path.is_dir() else inspect.getmodulename(path.name) or "" for path in paths} - {""}


def _is_shared(name: str, folders: Collection[Path]) -> bool:
    """Return whether all players get the same module by this name, because their own folders are searched last."""
    if name in sys.stdlib_module_names:
        return True
    return PathFinder.find_spec(name, [place for place in sys.path if Path(place).resolve() not in folders]) is not None


def _imports(path: Path, names: Collection[str]) -> frozenset[str]:
    """Return what a Python file imports, or nothing if none of the names occurs in it, so that few files are parsed."""
    try:
        content = path.read_bytes()
    except OSError:
        return frozenset()  # importing it will fail with an error
    return _imported(content) if any(name.encode() in content for name in names) else frozenset()


@functools.lru_cache(maxsize=1000)
def _imported(content: bytes) -> frozenset[str]:
    """Return the top-level modules and packages that Python code imports."""
    try:
        tree = ast.parse(content)
    except (SyntaxError, ValueError):
        return frozenset()
    found: list[str] = []
    for node in ast.walk(tree):
        match node:
            case ast.Import():
                found += [alias.name for alias in node.names]
            case ast.ImportFrom(module=str(module), level=0):
                found.append(module)
            case ast.Call(
                func=ast.Name(id="__import__" | "import_module") | ast.Attribute(attr="import_module"),
                args=[ast.Constant(value=str(module)), *_],
            ):
                found.append(module)
    return frozenset(name.partition(".")[0] for name in found)
