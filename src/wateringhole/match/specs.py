"""The syntax of players on a command line, and the factories that it stands for.

===================================  =====================================================
``random``                           an installed player (entry points `wateringhole.players`)
``bots/mine.py:Mine``                a class or factory in a Python file
``package.module:Mine``              a class or factory in a module
``cmd:./mine --fast``                a program, see `docs/reference/protocol.md`
``cmd*2:./pair``                     a program that plays two seats
``… ?option=value&…``                arguments for the factory
``LABEL=…``                          its name at the table, instead of the one that a program reports
``@players.txt``                     all players of a file, one per line (`expand_files`)
===================================  =====================================================

In Python, a player may also be a class, a factory, or an object that is ready to play.

An error in a bot is reported with the file and the line of that bot.
"""

from __future__ import annotations

import functools
import itertools
import re
import shlex
import sys
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from wateringhole import fallbacks, registry
from wateringhole.errors import UsageError
from wateringhole.formatting import is_encodable, short_repr
from wateringhole.match.loading import (
    PREFIX,
    blaming,
    entry_point,
    find_factory,
    find_package,
    installed_player,
    is_file,
    no_such_file,
    parse_options,
    player_maker,
)
from wateringhole.player import Player, PlayerContext
from wateringhole.process.limits import NO_ISOLATION, Isolation
from wateringhole.process.player import ProgramPlayer, command_files, split_command, start_program
from wateringhole.process.preloaded import Fork
from wateringhole.process.sandbox import NO_FILES, PlayerFiles, check_visible

__all__ = [
    "GivenPlayer",
    "PlayerFactory",
    "PlayerSpec",
    "expand_files",
    "is_untrusted",
    "own_files",
    "parse_specs",
    "runs_untrusted_code",
    "spec_of",
    "split_spec",
    "table_names",
    "with_file",
]

PlayerFactory = str | Callable[..., Player]
"""A player's name, its class, or a function that makes it."""
GivenPlayer = PlayerFactory | Player
"""The same, or an object that plays."""


@dataclass(frozen=True)
class PlayerSpec:
    """A parsed player: its label, and the factory that makes it."""

    spec: str
    label: str
    """Its name at the table."""
    factory: Callable[[int | None], Player]
    """Takes a seed, or None."""
    is_fast: bool = False
    """Whether it answers at once, so that a server does not need a thread for it."""
    is_named_by_program: bool = False
    """True for a program to which the user gave no label: its own name replaces the label."""

    def name_of(self, player: Player) -> str:
        """Return the name of a player that was made from this: the name that a program reports, or the label."""
        return self.reported_name(player) or self.label

    def reported_name(self, player: Player) -> str | None:
        """Return the name that replaces the label, or None if the label stays."""
        return player.name if self.is_named_by_program and isinstance(player, ProgramPlayer) else None

    def make(self, seed: int | None = None) -> Player:
        """Return a new player.  Raises UsageError with the line of its author's code if that fails.

        The seed is for a Python player whose factory takes a seed and whose spec gives none.  It
        makes games repeatable.
        """
        with blaming(self.spec):
            return self.factory(seed)


def parse_specs(game: str, given: Sequence[GivenPlayer], isolation: Isolation = NO_ISOLATION) -> list[PlayerSpec]:
    """Return the players that a command line, or a caller, gives for a game; equal labels get a number.

    Raises UsageError for a player that does not exist, and for an object given twice.
    """
    objects = [each for each in given if isinstance(each, fallbacks.player_base(registry.game_kind(game)))]
    if len(set(map(id, objects))) < len(objects):
        raise UsageError("one object cannot play two seats. Give its class, which makes a player for each.")
    if isolation.sandbox:
        isolation = _hiding_players(game, given, isolation)
    players = [player for each in given for player in _name_given(game, each, isolation)]
    return [
        PlayerSpec(
            player.spec, label, functools.partial(player.make, label), player.is_fast, player.is_named_by_program
        )
        for player, label in zip(players, _distinct([player.label for player in players]), strict=True)
    ]


def table_names(specs: Sequence[PlayerSpec], players: Sequence[Player]) -> list[str]:
    """Return the name of each player at the table, all different.

    Labels stay as they are.  A name that a program reports gets a number if it equals a label or another
    reported name.
    """
    reported = [spec.reported_name(player) for spec, player in zip(specs, players, strict=True)]
    labels = [spec.label for spec, name in zip(specs, reported, strict=True) if name is None]
    names = iter(_distinct([name for name in reported if name is not None], labels))
    return [spec.label if name is None else next(names) for spec, name in zip(specs, reported, strict=True)]


def _distinct(names: Sequence[str], taken: Collection[str] = ()) -> list[str]:
    """Return names that differ from each other and from those taken; a name that is not unique gets a number."""
    used = {*taken, *(name for name in names if names.count(name) == 1)}
    distinct = []
    for name in names:
        if names.count(name) > 1 or name in taken:
            numbered = (f"{name} {number}" for number in itertools.count(2 if name in taken else 1))
            name = next(each for each in numbered if each not in used)
            used.add(name)
        distinct.append(name)
    return distinct


def spec_of(game: str, given: PlayerFactory, *, elsewhere: bool) -> str:
    """Return the spec by which this process finds a class or factory again; with `elsewhere`, another process.

    A string stays as it is.  Raises UsageError, with what to do, for an object that has no such name.
    """
    if isinstance(given, str):
        return given
    _, label = _factory(game, given)
    module, name = getattr(given, "__module__", None), getattr(given, "__qualname__", "")
    home = sys.modules.get(module or "")
    if home is None or getattr(home, name, None) is not given:
        raise UsageError(
            f"player {label}: it cannot be found by name, since it is not a class or function at the top level of a "
            "module. Define it there, or play single games, which need no name."
        )
    if home.__name__.startswith(PREFIX):
        return f"{home.__name__.removeprefix(PREFIX)}:{name}"
    if not elsewhere:
        return f"{module}:{name}"
    if module == "__main__":
        raise UsageError(
            f"player {label}: it is defined in the running program or notebook, which no other process can import. "
            f"Move it into a file, e.g. mine.py, and give 'mine.py:{name}', or import it from there."
        )
    # Other processes may have another search path, so name the file.
    file = getattr(home, "__file__", None) or ""
    return f"{Path(file).resolve()}:{name}" if "." not in str(module) and file.endswith(".py") else f"{module}:{name}"


def expand_files(specs: Sequence[str]) -> list[str]:
    """Return the players, with every ``@FILE`` replaced by the players in it.

    In a file, each line is a player, without the quotes that a shell would need.  Empty lines and
    lines that start with ``#`` are ignored.  Raises UsageError for a file that cannot be read.
    """
    return [player for spec in specs for player in (_lines(spec) if spec.startswith("@") else [spec])]


def _lines(spec: str) -> list[str]:
    path = Path(spec.removeprefix("@"))
    try:
        lines = [line.strip() for line in path.read_text(encoding="utf-8").splitlines()]
    except OSError as error:
        raise UsageError(f"players {spec!r}: {path} cannot be read: {error.strerror}.") from None
    except UnicodeDecodeError:
        raise UsageError(f"players {spec!r}: {path} is not a text in UTF-8.") from None
    players = [line for line in lines if line and not line.startswith("#")]
    if not players:
        raise UsageError(f"players {spec!r}: {path} names no player; write one player per line.")
    return players


def with_file(spec: str, elsewhere: Callable[[Path], Path]) -> str:
    """Return a spec with its Python file replaced; a spec without a file stays as it is."""
    before, program, rest = _parts(spec)
    target, question, query = rest.partition("?")
    where, colon, name = target.rpartition(":")
    if program or not colon or not is_file(where):
        return spec
    return f"{before}{elsewhere(Path(where))}:{name}{question}{query}"


class _Unnumbered(NamedTuple):
    """A player before equal labels get their numbers."""

    spec: str
    label: str
    make: Callable[[str, int | None], Player]
    """Takes its label, which also names its log, and a seed or None."""
    is_fast: bool = False
    is_named_by_program: bool = False


def _parts(spec: str) -> tuple[str, re.Match[str] | None, str]:
    """Return the label with its equals sign, the match of a program's syntax or None, and the rest."""
    # A label contains none of the characters that start an option, a class or a path, so that
    # `random?seed=7` and `mine.py:Mine?depth=2` have no label.
    label, rest = re.fullmatch(r"([^=?:/\\]+=)?(.*)", spec, re.DOTALL).groups()  # type: ignore[union-attr]
    return label or "", re.fullmatch(r"cmd(?:\*(\d+))?:(.*)", rest, re.DOTALL), rest


def _name_given(game: str, given: GivenPlayer, isolation: Isolation) -> list[_Unnumbered]:
    if isinstance(given, str):
        return _name_player(game, given, isolation)
    if isinstance(given, fallbacks.player_base(registry.game_kind(game))):
        return [_name_object(given, isolation)]
    factory, label = _factory(game, given)
    if isolation.isolates:
        return _name_player(game, spec_of(game, factory, elsewhere=True), isolation)
    return [_name_factory(game, f"{factory.__module__}:{label}", label, factory, {})]


def _factory(game: str, given: object) -> tuple[Callable[..., Any], str]:
    """Return a class or factory with its label.  Raises UsageError for anything else."""
    base = fallbacks.player_base(registry.game_kind(game))
    if isinstance(given, base):
        raise UsageError(
            f"player {short_repr(given)}: an object plays single games in this process. "
            "Give its class or its name here."
        )
    if not callable(given):
        raise UsageError(
            f"{short_repr(given)} is not a player of {game}. "
            f"Give a name such as 'mine.py:Mine', a class derived from {fallbacks.public_name(base)}, or its object."
        )
    return given, str(getattr(given, "__name__", type(given).__name__))


def _name_object(player: Player, isolation: Isolation) -> _Unnumbered:
    """Return the spec of an existing player, which its owner may use again."""
    label = type(player).__name__
    if isolation.isolates:
        raise UsageError(
            f"player {label}: an object plays in this process, where it cannot be limited. Give its class or its name."
        )
    return _Unnumbered(label, label, lambda label, seed: player)


def _name_factory(
    game: str, spec: str, label: str, factory: Callable[..., Any], options: dict[str, Any], *, is_fast: bool = False
) -> _Unnumbered:
    make = player_maker(registry.game_kind(game), spec, factory, options)
    return _Unnumbered(spec, label, lambda label, seed: make(seed), is_fast)


def _name_player(game: str, spec: str, isolation: Isolation) -> list[_Unnumbered]:
    if not is_encodable(spec):
        raise UsageError(f"player {spec!r}: it is not a text in UTF-8. Rename it.")
    before, program, rest = _parts(spec)
    label = before.removesuffix("=") or None
    if program:
        seats = int(program[1] or 1) if len(program[1] or "") < 5 else 0
        return _name_program(game, spec, label, seats, program[2].strip(), isolation)
    target, question, query = rest.partition("?")
    if not target:
        raise UsageError(f"player {spec!r}: it names no player.")
    if isolation.isolates_builtin or (isolation.isolates and not _is_builtin(game, target)):
        return [_name_isolated(game, spec, label, target, question + query, isolation)]
    factory, name = find_factory(game, spec, target)
    options = parse_options(spec, query) if question else {}
    bot = fallbacks.bots(registry.game_kind(game)).get(target)
    return [_name_factory(game, spec, label or name, factory, options, is_fast=bot is not None and bot.fast)]


def _is_builtin(game: str, target: str) -> bool:
    """Return whether a name is that of a built-in player, which can be trusted to answer."""
    return target in fallbacks.bots(registry.game_kind(game))


def is_untrusted(game: str, spec: str) -> bool:
    """Return whether a player is not built-in."""
    _, program, rest = _parts(spec)
    return bool(program) or not _is_builtin(game, rest.partition("?")[0])


def runs_untrusted_code(game: str, spec: str, isolation: Isolation) -> bool:
    """Return whether untrusted code of this player would run in the process that makes it."""
    return not _parts(spec)[1] and not isolation.isolates and is_untrusted(game, spec)


def split_spec(spec: str) -> tuple[str | None, str]:
    """Return the command of a program, or None, and the target of a Python player, without label and options."""
    _, program, rest = _parts(spec)
    return (program[2].strip(), "") if program else (None, rest.partition("?")[0])


def _name_isolated(
    game: str, spec: str, label: str | None, target: str, options: str, isolation: Isolation
) -> _Unnumbered:
    """Return the spec of an isolated Python player; none of its code runs in this process."""
    where, colon, name = target.rpartition(":")
    file = Path(where).resolve() if colon and is_file(where) else None
    if file:
        target = f"{file}:{name}"
    elif not colon:
        installed_player(game, name)

    def make(label: str, seed: int | None) -> Player:
        if file and not file.is_file():
            # The file may have been removed meanwhile, which costs only this player.
            raise no_such_file(spec, where)
        words = game, target + options, str(PlayerContext.current_players() or 0), "" if seed is None else str(seed)
        files, search = NO_FILES, dict[str, None]()
        if isolation.sandbox:
            own, modules = own_files(game, target), _modules(game)
            # An installed player is found by its name in the metadata of its package.
            modules += _metadata(modules if colon else (*modules, *own.folders))
            files = PlayerFiles((*own.paths, *modules), own.folders)
            # Without the variable PYTHONPATH, which would show our own folders.
            search = dict.fromkeys(str(path.parent) for path in (*own.folders, *modules))
        python = sys.executable, "-P", "-c"
        command = [*python, _START_ISOLATED, *words, *search]
        parent = *python, _START_PRELOADED, game, "sandbox" if isolation.sandbox else "", *search
        fork = Fork(parent, words) if isolation.preloads else None
        kind = registry.game_kind(game)
        return start_program(kind, command, 1, isolation, label, f"player {spec!r}", files, fork)[0]

    return _Unnumbered(spec, label or name, make)


_START_ISOLATED = (
    "import sys; sys.path += sys.argv[5:]; from wateringhole.match.isolated_player import run; run(*sys.argv[1:5])"
)
_START_PRELOADED = (
    "import sys; sys.path += sys.argv[3:]; from wateringhole.match.preloaded_player import main; main(*sys.argv[1:3])"
)


# Files in the sandbox


def _hiding_players(game: str, given: Sequence[GivenPlayer], isolation: Isolation) -> Isolation:
    """Return conditions under which no player sees the files of another.

    Raises UsageError for a path that cannot be shown or hidden.
    """
    check_visible(isolation)
    hidden = [path.resolve() for each in given if isinstance(each, str) for path in own_files(game, each).paths]
    return msgspec.structs.replace(isolation, hidden=(*isolation.hidden, *hidden))


def own_files(game: str, spec: str) -> PlayerFiles:
    """Return the files that a spec names, and the folders of its player."""
    _, program, rest = _parts(spec)
    if program:
        return command_files(split_command(program[2])) if program[2].strip() else NO_FILES
    where, colon, name = rest.partition("?")[0].rpartition(":")
    if colon and is_file(where):
        file = Path(where).resolve()
        return PlayerFiles((file,), (file.parent,))
    point = None if colon else entry_point(game, name)
    module = point.module if point else where
    if not module:
        return NO_FILES
    package = find_package(module)
    inner = Path(*module.split(".")[1:])
    named = [path for folder in package for path in (folder / inner, folder / f"{inner}.py") if path.exists()]
    return PlayerFiles(tuple(named), package)


def _modules(game: str) -> list[Path]:
    """Return the packages of a game that are not in the Python installation."""
    packages = {*find_package("wateringhole"), *find_package(registry.module_of(game))}
    return sorted(package for package in packages if not package.is_relative_to(sys.prefix))


def _metadata(packages: Sequence[Path]) -> list[Path]:
    """Return the metadata beside packages that are not in the Python installation."""
    folders = dict.fromkeys(package.parent for package in packages if not package.is_relative_to(sys.prefix))
    return [metadata for folder in folders for metadata in folder.glob("*.dist-info")]


def _name_program(
    game: str, spec: str, label: str | None, seats: int, command: str, isolation: Isolation
) -> list[_Unnumbered]:
    """Return the specs of a program, which is started when its first player is made."""
    if not command or seats < 1:
        raise UsageError(f"player {spec!r}: a program is named as cmd:./mine, one for two seats as cmd*2:./mine.")
    started: list[Player] = []

    def make(label: str, seed: int | None) -> Player:
        if not started:
            words = split_command(command)
            title = f"player {label!r}, the program {shlex.join(words)!r},"
            started.extend(start_program(registry.game_kind(game), words, seats, isolation, label, title))
        return started.pop(0)

    name = label or Path(command.split()[0]).name
    return [_Unnumbered(spec, name, make, is_named_by_program=label is None) for _ in range(seats)]
