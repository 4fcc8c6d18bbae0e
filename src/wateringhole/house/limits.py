"""Limits of what clients may do to a house."""

from __future__ import annotations

from collections import Counter

import msgspec

from wateringhole.protocol.frames import MOST_BYTES
from wateringhole.protocol.messages import LONGEST_LINE

__all__ = ["ALONE_SECONDS", "AWAITED_SECONDS", "ConnectionCounter", "HouseLimits", "RateLimiter", "RateLimiters"]

ALONE_SECONDS = 1800.0
"""How long a player may be away while only bots wait."""
AWAITED_SECONDS = 300.0
"""How long a player may be away while other players wait."""
MOST_ADDRESSES = 10_000
"""Addresses whose rate is remembered."""
MOST_FAST_ADDRESSES = 10
"""How many addresses may reach their limit of new connections at the same time."""


class HouseLimits(msgspec.Struct, frozen=True, kw_only=True):
    """Limits of what clients may do to a house."""

    connections_per_address: int = 100
    """Players and spectators from one address."""
    signups_per_second: int = 100
    """New connections per second from one address, so that it cannot lock out the others."""
    waiting_connections: int = 2000
    """Connections that have not signed up yet."""
    signup_timeout: float = 5.0
    """Longest time from the connection to the sign-up."""
    value_bytes: int = MOST_BYTES
    """The longest value in a foreign protocol."""
    line_bytes: int = LONGEST_LINE
    """The longest message in the JSON protocol."""
    write_seconds: float = 5.0
    """Longest wait for a client that does not read."""
    reconnect_seconds: float | None = None
    """Time that a disconnected player has to reconnect, so that abandoned games end.

    None means `ALONE_SECONDS` if only bots wait, and `AWAITED_SECONDS` if other players do.
    """
    tournament_seconds: float = 300.0
    """Time that a person has to come to a game of a tournament, and for each decision, and a program to reconnect."""
    origins: tuple[str, ...] = ()
    """Origins of web pages that may connect, in addition to this machine's, e.g. https://club.example; `*` for all."""
    proxies: tuple[str, ...] = ()
    """Addresses and networks of proxies, which report the addresses of clients (`transports.forwarded`)."""
    raw_port: int | None = None
    """A port of its own for JSON lines and foreign protocols, or None to have one port for everything."""
    tables: int = 200
    tables_per_address: int = 20
    spectators: int = 100
    """Spectators of one table."""
    waiting_seconds: float = 1800.0
    """A table that waits for players is closed after this time without an open page or a connected player."""
    listed_seconds: float = 600.0
    """A public table is listed for this time after its last player has gone."""
    over_seconds: float = 600.0
    """Time that a table stays open after its game, so that its players can agree on a rematch."""
    kept_games: int = 10_000
    """Finished games that are kept for replays.  The oldest are deleted first."""
    people: int = 100_000
    """People who have a name and a key."""
    people_days: float = 400.0
    """Days after the last visit until a person is deleted."""
    new_people: int = 10
    """New people from one address at once, and in the next field per hour afterwards."""
    new_people_per_hour: int = 10
    human_time_limit: float = 1800.0
    """Time limit for one answer of a human, so that a page left open does not block a table."""


class RateLimiter:
    """A token bucket: a burst of `at_once` actions, refilled with `per_second`."""

    def __init__(self, at_once: int, per_second: float) -> None:
        self._at_once = at_once
        self._per_second = per_second
        self._left = float(at_once)
        self._since: float | None = None

    def allows(self, now: float) -> bool:
        """Count one more action.  Return whether it is allowed; `now` is in seconds, by any clock."""
        elapsed = 0.0 if self._since is None else now - self._since
        self._since = now
        self._left = min(self._at_once, self._left + elapsed * self._per_second)
        if self._left < 1:
            return False
        self._left -= 1
        return True


class RateLimiters:
    """A rate limiter for each address; all are forgotten when there are too many."""

    def __init__(self, at_once: int, per_second: float) -> None:
        self._at_once = at_once
        self._per_second = per_second
        self._limiters: dict[str, RateLimiter] = {}

    def allow(self, address: str, now: float) -> bool:
        """Count one more action of an address.  Return whether it is allowed."""
        if len(self._limiters) > MOST_ADDRESSES:
            self._limiters.clear()
        return self._limiters.setdefault(address, RateLimiter(self._at_once, self._per_second)).allows(now)


class ConnectionCounter:
    """The open connections of each address, and the rate of new ones."""

    def __init__(self, per_address: int, per_second: int) -> None:
        """`per_second` holds for one address; all together may start ten times as many."""
        self._per_address = per_address
        self._per_second = per_second
        self._open: Counter[str] = Counter()
        self._rates = RateLimiters(per_second, per_second)
        self._total_rate = RateLimiter(MOST_FAST_ADDRESSES * per_second, MOST_FAST_ADDRESSES * per_second)

    def start(self, address: str, now: float) -> str | None:
        """Count a new connection.  Return the reason if it is refused and not counted, or None."""
        if not self._rates.allow(address, now):
            return f"more than {self._per_second} sign-ups in a second from {address}"
        if not self._total_rate.allows(now):
            return f"more than {MOST_FAST_ADDRESSES * self._per_second} sign-ups in a second"
        return self.add(address)

    def add(self, address: str) -> str | None:
        """Count an open connection regardless of the rate.  Return the reason if it is refused, or None."""
        if self._open[address] >= self._per_address:
            return f"{address} has {self._per_address} connections already"
        self._open[address] += 1
        return None

    def remove(self, address: str) -> None:
        self._open[address] -= 1
        if not self._open[address]:
            del self._open[address]
