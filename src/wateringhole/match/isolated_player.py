"""A Python player in its own process, which `match.specs` starts.

The referee can stop such a player at any time.  It speaks the same protocol as any other program.
The output of the player goes to standard error, never to the wire.  So do the tracebacks of its
exceptions, of which the referee gets one line.

Every series starts such a process for each player, so this module imports no more than it needs.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import traceback

from wateringhole import registry
from wateringhole.errors import PlayerNotMade, UsageError, WateringHoleError
from wateringhole.match.hooks import misspelled_hooks
from wateringhole.match.loading import load_player
from wateringhole.player import PlayerContext
from wateringhole.protocol.player import PlayerEnd, report_not_made

__all__ = ["main", "run"]


def main(game: str, spec: str, players: int, seed: int | None = None) -> None:
    """Play for a host on standard input and output until its bye."""
    # Ctrl-C is for the host, which stops this process.  A player that raises KeyboardInterrupt forfeits.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    wire_in, wire_out = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb", buffering=0)
    # From now on, a player that prints or reads cannot reach the wire.
    os.dup2(2, 1)
    os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
    kind = registry.game_kind(game)
    try:
        with PlayerContext(players):
            player = load_player(game, spec, seed)
    except UsageError as error:
        wire_out.write(report_not_made(_not_made(error, spec)))
        raise
    end = PlayerEnd(
        lambda game: player,
        acknowledges=True,
        warnings=misspelled_hooks(player),
        on_exception=_print_traceback,
        sends_tracebacks=True,
        find_kind=lambda name: kind,
    )
    for line in wire_in:
        reply = end.receive(line)
        if reply:
            wire_out.write(reply)
        if end.farewell is not None:
            break
    end.close()


def _not_made(error: UsageError, spec: str) -> PlayerNotMade:
    """Return an error with its reason apart from the name of the player, which the host adds."""
    if isinstance(error, PlayerNotMade):
        return error
    message = str(error)
    name = f"player {spec!r}"
    why = message.removeprefix(f"{name}: ").replace(name, "it", 1)
    return PlayerNotMade(message, why)


def _print_traceback(error: BaseException) -> None:
    with contextlib.suppress(Exception):  # the player may have closed standard error
        traceback.print_exception(error)


def run(game: str, spec: str, players: str, seed: str) -> None:
    """Play, with the words of a command line, and exit.  The seed may be empty."""
    try:
        main(game, spec, int(players), int(seed) if seed else None)
    except WateringHoleError as error:
        if error.__context__:
            _print_traceback(error.__context__)
        # The last line is the one that the referee quotes.
        sys.exit(str(error))
