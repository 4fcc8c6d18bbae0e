"""`wateringhole watch`: plays a game again whenever the file of a bot changes."""

from __future__ import annotations

import inspect
import logging
import shlex
import sys
from importlib.util import find_spec
from pathlib import Path
from typing import Any, get_type_hints

import typer

from wateringhole.cli.common import check_seconds, chosen_seed, rules_of
from wateringhole.cli.examples import given_words
from wateringhole.cli.isolation import parse_sandbox
from wateringhole.cli.play import play
from wateringhole.errors import OperationError, UsageError

__all__ = ["watch"]


def watch(context: typer.Context, **options: Any) -> None:
    """Play a game now, and again whenever a file of its bots changes.  Ctrl-C ends it.

    Each game is played by the command play, with the same arguments and options, in a new process.  A game that has
    not ended when a file changes is stopped.  All Python files in the folder of a bot are watched.

    Example: wateringhole watch {game} mine.py:Mine {bots} --seed 7
    """
    paths = _watched(options["game"], options["player"])
    _check(**options)
    if find_spec("watchfiles") is None:
        raise OperationError(
            "watch needs watchfiles, not installed here. Install the extra with: pip install 'wateringhole[watch]'"
        )
    import watchfiles

    folders = sorted({path if path.is_dir() else path.parent for path in paths})
    # It reports each process that has ended before it was stopped.
    logging.getLogger("watchfiles").setLevel(logging.ERROR)
    watchfiles.run_process(
        *folders,
        target=shlex.join([sys.executable, "-m", "wateringhole", "play", *given_words(context)]),
        target_type="command",
        watch_filter=lambda change, changed: changed.endswith(".py") or Path(changed) in paths,
        callback=_announce,
        recursive=False,
    )


def _watched(game: str, specs: list[str]) -> frozenset[Path]:
    """Return the files and folders of the players.  Raises UsageError if there are none."""
    from wateringhole import registry

    kind = registry.game_kind(game)
    paths = frozenset(path for spec in specs for path in _paths(kind.name, spec))
    if not paths:
        raise UsageError("no player has a file to watch. Name one, e.g. mine.py:Mine.")
    return paths


def _paths(game: str, spec: str) -> list[Path]:
    """Return the existing files and folders of a player."""
    from wateringhole.match.specs import own_files

    files = own_files(game, spec)
    return [path.resolve() for path in (*files.paths, *files.folders) if path.exists()]


def _check(
    game: str,
    player: list[str],
    rules: list[str] | None,
    seed: str | None,
    sandbox: str | None,
    time_limit: float | None,
    human_time_limit: float | None,
    startup_timeout: float,
    **_: Any,
) -> None:
    """Raise UsageError for a mistake in the command, which no change of a watched file repairs.

    The code of watched players does not run here, and neither does any program.
    """
    from wateringhole import registry
    from wateringhole.match.series import check_number
    from wateringhole.match.specs import parse_specs, split_spec

    kind = registry.game_kind(game)
    rules_of(kind, rules)
    check_seconds(time_limit=time_limit, human_time_limit=human_time_limit, startup_timeout=startup_timeout)
    chosen_seed(seed)
    parse_sandbox(sandbox)
    watched = [spec for spec in player if split_spec(spec)[0] is None and _paths(kind.name, spec)]
    others = parse_specs(kind.name, [spec for spec in player if spec not in watched])
    check_number(kind, len(watched) + len(others))


def _announce(changes: set[tuple[Any, str]]) -> None:
    names = ", ".join(sorted({Path(path).name for _, path in changes}))
    print(f"\nwateringhole: {names} changed, playing again", file=sys.stderr, flush=True)


def _take_parameters_of_play() -> None:
    """Give `watch` the arguments and options of `play`, which Typer reads from the signature."""
    hints = {"context": typer.Context, **get_type_hints(play, include_extras=True)}
    own = inspect.Parameter("context", inspect.Parameter.POSITIONAL_OR_KEYWORD)
    parameters = (own, *inspect.signature(play).parameters.values())
    watch.__signature__ = inspect.Signature(  # type: ignore[attr-defined]
        [parameter.replace(annotation=hints[parameter.name]) for parameter in parameters]
    )
    watch.__annotations__ = hints


_take_parameters_of_play()
