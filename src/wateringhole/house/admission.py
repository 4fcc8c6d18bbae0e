"""Who may sign up: players with the code, players with an allowed name, and no banned ones."""

from __future__ import annotations

import asyncio
import hmac
import ipaddress
from collections.abc import AsyncIterator, Collection
from dataclasses import dataclass
from pathlib import Path

from wateringhole.errors import OperationError
from wateringhole.formatting import short_repr
from wateringhole.house.names import clean_name, skeleton

__all__ = ["Admission", "BanList"]

BAN_SECONDS = 1.0
"""How often a house reads its file of bans."""


class BanList:
    """Names and addresses in a file of the operator, one on each line.  `#` starts a comment.

    The operator may change the file at any time: `has_changed` reads it again.  A name bans all names
    that look like it, and a network such as 10.0.0.0/8 all its addresses.
    """

    def __init__(self, path: Path) -> None:
        """Raises OperationError if the file cannot be read."""
        self._path = path
        self._text = b""
        self._names: frozenset[str] = frozenset()
        self._networks: list[ipaddress.IPv4Network | ipaddress.IPv6Network] = []
        try:
            self._parse(path.read_bytes())
        except OSError as error:
            raise OperationError(f"--bans {path}: cannot read the file: {error.strerror}.") from None

    async def changes(self) -> AsyncIterator[None]:
        """Yield whenever the operator has changed the file."""
        while True:
            await asyncio.sleep(BAN_SECONDS)
            if self.has_changed():
                yield

    def has_changed(self) -> bool:
        """Read the file again.  Return whether its text is new; a file that cannot be read has not changed."""
        try:
            text = self._path.read_bytes()
        except OSError:
            return False
        if text == self._text:
            return False
        self._parse(text)
        return True

    def _parse(self, text: bytes) -> None:
        self._text = text
        names, self._networks = set(), []
        for line in text.decode(errors="replace").splitlines():
            entry = line.partition("#")[0].strip()
            if not entry:
                continue
            try:
                self._networks.append(ipaddress.ip_network(entry, strict=False))
            except ValueError:
                names.add(skeleton(entry))
        self._names = frozenset(names)

    def bans(self, name: str, address: str) -> bool:
        if skeleton(clean_name(name, "")) in self._names:
            return True
        try:
            ip = ipaddress.ip_address(address.partition("%")[0])
        except ValueError:
            return False
        return any(ip in network for network in self._networks)


@dataclass(frozen=True, kw_only=True)
class Admission:
    """The requirements of a sign-up.  By default there are none."""

    code: str | None = None
    """The code that every player must send, or None."""
    names: tuple[str, ...] = ()
    """The only names that may sign up, each of them once at a time; empty for all names."""
    bans: BanList | None = None

    @property
    def is_open(self) -> bool:
        """True if everyone may sign up."""
        return self.code is None and not self.names and self.bans is None

    def problem(self, name: str, address: str, code: str | None, present: Collection[str]) -> str | None:
        """Return why a player may not sign up, or None.  `present` are the names of the players who are here."""
        if self.is_banned(name, address):
            return "you are banned from this house"
        if self.code is not None and not _is_same(self.code, code):
            return "this house needs its code; join with: wateringhole join ADDRESS/CODE PLAYER"
        if self.names:
            wanted = clean_name(name, "")
            if wanted not in self.names:
                return f"the name {short_repr(wanted)} is not on the list of this house"
            if skeleton(wanted) in map(skeleton, present):
                return f"{short_repr(wanted)} has signed up already"
        return None

    def is_banned(self, name: str, address: str) -> bool:
        return self.bans is not None and self.bans.bans(name, address)


def _is_same(expected: str, given: str | None) -> bool:
    return given is not None and hmac.compare_digest(expected.encode(), given.encode(errors="replace"))
