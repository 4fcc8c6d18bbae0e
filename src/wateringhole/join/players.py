"""The player that joins: its factory for each game, the protocols that it may use, and its own errors."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from wateringhole.errors import OperationError, UsageError
from wateringhole.formatting import choose_from
from wateringhole.match.hooks import author_warnings
from wateringhole.match.specs import PlayerSpec, parse_specs
from wateringhole.player import Player, forfeit_for
from wateringhole.protocol.foreign import GameProtocol, foreign_protocols

__all__ = ["JSON_PROTOCOL", "JoinOptions", "JoiningPlayer", "blame_player", "closing", "closing_on_error"]

JSON_PROTOCOL: Final = "json"
"""The name of the JSON protocol; games name the foreign protocols."""


@dataclass(frozen=True, kw_only=True)
class JoinOptions:
    """The player that joins, and the protocol that it uses."""

    spec: str
    """The player as on the command line."""
    name: str | None = None
    """The name at the table, or None for the usual one."""
    protocol: str | None = None
    """The protocol, or None to detect it."""
    dialect: str | None = None
    """The dialect of a server that speaks a foreign protocol, or None to detect it."""

    def player(self, game: str) -> PlayerSpec:
        named = parse_specs(game, [self.spec])
        if len(named) != 1:
            raise UsageError(f"player {self.spec!r} is for {len(named)} seats; only one player can join.")
        return named[0]

    def make(self, game: str, report: Callable[[str], None]) -> JoiningPlayer:
        """Return a new player for a game, and report what its author should know before the first game."""
        spec = self.player(game)
        player = spec.make()
        for warning in author_warnings(player):
            report(f"warning: {warning}")
        return JoiningPlayer(game, player, self.name or spec.name_of(player))

    def foreign_protocols(self) -> list[GameProtocol]:
        """Return the foreign protocols that may be used.  Raises UsageError if no game has the chosen one."""
        known = foreign_protocols()
        found = [each for each in known if self.protocol in (None, each.name)]
        if not found and self.protocol is not None:
            names = dict.fromkeys([JSON_PROTOCOL, *(each.name for each in known)])
            raise UsageError(f"--protocol {self.protocol}: unknown protocol. {choose_from(self.protocol, names)}")
        if self.dialect is None:
            return found
        dialects = dict.fromkeys(dialect for each in found for dialect in each.protocol.dialects)
        if self.dialect not in dialects:
            raise UsageError(f"unknown server dialect {self.dialect!r}. {choose_from(self.dialect, dialects)}")
        return [each for each in found if self.dialect in each.protocol.dialects]

    def foreign_player(self, report: Callable[[str], None]) -> tuple[GameProtocol, JoiningPlayer]:
        """Return the first foreign protocol for a game that the player knows, with a new player.

        Raises UsageError if there is none.
        """
        errors = [UsageError("no installed game has a foreign protocol.")]
        for each in self.foreign_protocols():
            try:
                return each, self.make(each.kind.name, report)
            except UsageError as error:
                errors.append(error)
        raise errors[-1]


@dataclass(frozen=True)
class JoiningPlayer:
    """A player for one game, and its name at the table."""

    game: str
    player: Player
    name: str

    def close(self) -> None:
        self.player.close()


@contextlib.contextmanager
def blame_player() -> Iterator[None]:
    """Turn an exception of the player into an OperationError that names the player as the cause."""
    try:
        yield
    except OperationError:
        raise
    except (Exception, SystemExit) as error:
        forfeit = forfeit_for(error)
        did = "broke a rule" if forfeit.reason == "illegal" else "failed"
        raise OperationError(f"the player {did}: {forfeit.message}.") from None


@contextlib.contextmanager
def closing(close: Callable[[], None]) -> Iterator[None]:
    """Close a player at the end.  An error from closing is raised only if there was no earlier one."""
    with closing_on_error(close):
        yield
    with blame_player():
        close()


@contextlib.contextmanager
def closing_on_error(close: Callable[[], None]) -> Iterator[None]:
    """Close a player, or its connection, only after an error.  A further error from closing is ignored."""
    try:
        yield
    except BaseException:
        with contextlib.suppress(OperationError), blame_player():
            close()
        raise
