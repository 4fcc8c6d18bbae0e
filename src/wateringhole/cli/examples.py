"""Help texts and examples that name the installed games and their players.

The docstring of a command has fields such as ``{game}`` and ``{bots}``.  They are filled in when the help is
shown: for the game that the command line names, otherwise for the first installed one.
"""

from __future__ import annotations

import contextlib
import copy
import functools
import itertools
import re
import shutil
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin, get_type_hints

from typer import BadParameter
from typer.core import TyperCommand, TyperGroup

from wateringhole.errors import UsageError
from wateringhole.formatting import did_you_mean

if TYPE_CHECKING:
    from wateringhole.game import AnyKind

__all__ = ["PLACEHOLDER", "Commands", "GameCommand", "example", "given_words"]

_WORDS = "wateringhole.words"
LEAST_COLUMNS = 80
"""The width of a terminal in which the help has frames."""

PLACEHOLDER = "VALUE"
"""The value of an option in the help, if the option names no other."""

RENAMED_OPTIONS = {
    "--address": "--bind",
    "--at-table": "--with",
    "--away": "--reconnect-timeout",
    "--bank": "--time-bank",
    "--grace": "--reconnect-timeout",
    "--host": "--bind",
    "--human-patience": "--human-time-limit",
    "--keep": "--keep-games",
    "--memory": "--memory-limit",
    "--patience": "--time-limit",
    "--per-address": "--connections-per-address",
    "--restart": "--restarts",
    "--server": "--dialect",
    "--signup-patience": "--start-delay",
    "--signup-seconds": "--signup-timeout",
    "--startup-patience": "--startup-timeout",
}
"""Options of older versions, with their new names."""


def example(text: str) -> str:
    """Return a text whose fields are filled in for the first installed game."""
    return text.format_map(_Fields(()))


def given_words(context: Any) -> tuple[str, ...]:
    """Return the arguments and options of a command as they were typed."""
    words: tuple[str, ...] = context.meta[_WORDS]
    return words


class GameCommand(TyperCommand):
    """A command whose help has fields, and which knows the old names of its options and those of other commands."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        ctx.meta[_WORDS] = tuple(args)
        if ctx.resilient_parsing:  # a shell completes an unfinished command
            return super().parse_args(ctx, args)
        options = _options(self.get_params(ctx))
        for word in itertools.takewhile(lambda word: word != "--", args):
            name = word.partition("=")[0]
            if name in options:
                continue
            if RENAMED_OPTIONS.get(name) in options:
                raise UsageError(f"{name} is called {RENAMED_OPTIONS[name]} now.")
            if name.startswith("--") and (others := _commands_with(name, ctx)):
                raise UsageError(f"{self.name} has no option {name}. These commands have it: {', '.join(others)}.")
        with _suggesting(f"{self.name} has no option", options), _expecting_numbers(self, ctx, [*args]):
            return super().parse_args(ctx, args)

    def get_params(self, ctx: Any) -> list[Any]:
        return _without_values(super().get_params(ctx))

    def format_help(self, ctx: Any, formatter: Any) -> None:
        command = _filled(self, ctx)
        if shutil.get_terminal_size().columns < LEAST_COLUMNS:
            command.rich_markup_mode = None  # without frames, which would cut the names of options
        TyperCommand.format_help(command, ctx, formatter)


class Commands(TyperGroup):
    """The group of all commands.  A mistyped command or option is reported with the one that it is similar to."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        with _suggesting("wateringhole has no option", _options(self.get_params(ctx))):
            return super().parse_args(ctx, args)

    def get_params(self, ctx: Any) -> list[Any]:
        return _without_values(super().get_params(ctx))

    def resolve_command(self, ctx: Any, args: list[str]) -> Any:
        name = args[0]
        if name not in self.commands and not ctx.resilient_parsing:
            raise UsageError(
                f"there is no command {name!r}.{did_you_mean(name, self.commands)} "
                "To list all commands: wateringhole --help"
            )
        return super().resolve_command(ctx, args)


@contextlib.contextmanager
def _suggesting(problem: str, options: Iterable[str]) -> Iterator[None]:
    """Turn Typer's error for an unknown option into a UsageError that names the similar one."""
    try:
        yield
    except Exception as error:
        # The exception is defined by Typer or by Click, which depends on the version of Typer.
        if not hasattr(error, "possibilities"):
            raise
        name = str(getattr(error, "option_name", ""))
        known = sorted(option for option in options if option.startswith("--"))
        hint = did_you_mean(name, known)
        raise UsageError(f"{problem} {name}.{hint or ' To list all options, add --help.'}") from None


@contextlib.contextmanager
def _expecting_numbers(command: Any, ctx: Any, words: list[str]) -> Iterator[None]:
    """Turn Typer's error for a value that is no number, or out of range, into a UsageError that names the value."""
    try:
        yield
    except BadParameter as error:
        param: Any = error.param
        given = param and command.make_parser(ctx).parse_args(words)[0].get(param.name)
        expected = given and _expected_number(get_type_hints(command.callback, include_extras=True).get(param.name))
        if not expected:
            raise
        name = param.opts[0] if param.param_type_name == "option" else param.metavar
        raise UsageError(f"{name} {given}: expected {expected}.") from None


def _expected_number(hint: Any) -> str | None:
    """Return which numbers a parameter of a command takes, or None if it takes other values."""
    if get_origin(hint) is not Annotated:
        return None
    kind, info = get_args(hint)
    kinds = get_args(kind) or (kind,)
    noun = "a whole number" if int in kinds else "a number" if float in kinds else None
    match noun, info.min, info.max:
        case (None, _, _) | (_, None, None):
            return noun
        case _, least, None:
            return f"{noun} of at least {least}"
        case _, None, most:
            return f"{noun} of at most {most}"
        case _, least, most:
            return f"{noun} from {least} to {most}"


def _without_values(params: Sequence[Any]) -> list[Any]:
    """Return parameters whose help shows no value for an option that has none, as Typer would with its type, <bool>."""
    for param in params:
        if getattr(param, "is_flag", False) and param.metavar is None:
            param.metavar = ""
    return [*params]


def _options(params: Sequence[Any]) -> set[str]:
    return {option for param in params for option in (*param.opts, *param.secondary_opts)}


def _commands_with(option: str, ctx: Any) -> list[str]:
    commands = ctx.parent.command.commands if ctx.parent else {}
    return sorted(name for name, command in commands.items() if option in _options(command.params))


def _filled(command: Any, ctx: Any) -> Any:
    """Return a copy of a command with the fields of all its texts filled in."""
    fields = _Fields(ctx.meta.get(_WORDS, ()))
    filled = copy.copy(command)
    filled.params = [copy.copy(param) for param in command.params]
    for part in (filled, *filled.params):
        for name in ("help", "show_default"):
            if isinstance(text := getattr(part, name, None), str):
                setattr(part, name, text.format_map(fields))
    for param in filled.params:
        # Typer's own placeholders, such as <int range>, leave too little space for the names of options.
        if param.param_type_name == "option" and not param.is_flag and param.metavar is None:
            param.metavar = PLACEHOLDER
    if filled.help:
        # Typer keeps the line breaks of a docstring, which do not fit the width of the terminal.
        filled.help = re.sub(r"(?<!\n)\n(?!\n)", " ", filled.help)
    return filled


class _Fields(dict[str, str]):
    """Values of fields, computed when they are needed, because some load a game."""

    def __init__(self, words: Sequence[str]) -> None:
        super().__init__()
        self._words = words

    def __missing__(self, name: str) -> str:
        value = getattr(self, name)
        assert isinstance(value, str)
        return value

    @functools.cached_property
    def _kind(self) -> AnyKind:
        from wateringhole import registry

        return registry.game_kind(self.game)

    def _with(self, facet: str) -> AnyKind | None:
        """Return the named game if it provides a facet, otherwise the first that does."""
        from wateringhole import registry

        return next((kind for kind in (self._kind, *registry.kinds()) if getattr(kind, facet)), None)

    @property
    def games(self) -> str:
        from wateringhole import registry

        return ", ".join(registry.game_names())

    @property
    def game(self) -> str:
        from wateringhole import registry

        names = [kind.name for kind in registry.kinds()]
        return next((word for word in self._words if word in names), names[0])

    @property
    def bot(self) -> str:
        from wateringhole import fallbacks

        return fallbacks.usual_bots(self._kind)[0]

    @property
    def filler(self) -> str:
        from wateringhole import fallbacks

        return fallbacks.filler(self._kind)

    @property
    def bots(self) -> str:
        """The usual bots, enough for a game."""
        from wateringhole import fallbacks

        usual = len(fallbacks.usual_bots(self._kind))
        seats = min(max(usual, self._kind.seats[0]), self._kind.seats[-1])
        return " ".join(fallbacks.usual_bots(self._kind, seats))

    @property
    def compiled_table(self) -> str:
        """A game and compiled players for it."""
        kind = self._with("compiled")
        if kind is None:
            return "GAME PLAYER…"
        from wateringhole import fallbacks

        simulated = fallbacks.benchmarks(kind).simulated
        players = dict.fromkeys(player for player, _ in simulated) or fallbacks.usual_bots(kind)
        seats = simulated[0][1] if simulated else fallbacks.usual_seats(kind)
        return " ".join((kind.name, *itertools.islice(itertools.cycle(players), seats)))

    @property
    def solvable(self) -> str:
        kind = self._with("solver")
        return kind.name if kind else "GAME"

    @property
    def harness(self) -> str:
        kind = self._with("harnesses")
        return next(iter(kind.harnesses()), "NAME") if kind and kind.harnesses else "NAME"

    @property
    def harnesses(self) -> str:
        from wateringhole import registry

        return ", ".join(name for kind in registry.kinds() if kind.harnesses for name in kind.harnesses())

    @property
    def deal_options(self) -> str:
        from wateringhole import registry

        return "; ".join(
            f"{kind.name}: {option.name}, {option.text} ({option.values})"
            for kind in registry.kinds()
            for option in kind.deal_options
        )
