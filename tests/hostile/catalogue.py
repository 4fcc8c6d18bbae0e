"""The catalogue of hostile players: what each attempts, and the expected result in each mode.

The code of the attacks is in `tests.hostile.player`.  `docs/explanation/trust.md` has the same table.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple

__all__ = ["ATTACKS", "MODES", "Attack", "Result"]


class Result(Enum):
    """The expected result of an attack in one mode."""

    FAILS = "fails"
    """It gets nothing, and harms no one but the attacker."""
    SUCCEEDS = "**succeeds**"
    """A test shows it."""
    NOTHING_PREVENTS_IT = "**nothing prevents it**"
    """It is not run in this mode, because it would harm the machine that runs the tests."""


MODES = ("in process", "isolated", "sandboxed")
"""Where a player runs: in the referee's process, in its own, and in its own in the sandbox."""


class Attack(NamedTuple):
    """One attack, and its expected result in each mode."""

    name: str
    in_process: Result
    isolated: Result
    sandboxed: Result
    is_probe: bool = False
    """True if it only looks, so that several can be attempted in one game."""
    is_fatal: bool = False
    """True if its player may be ended for it, and can then attempt nothing else."""
    needs: str = ""
    """The controller of control groups without which the result is another one."""

    def expected(self, mode: str) -> Result:
        return self[1 + MODES.index(mode)]  # type: ignore[return-value]


_FAILS, _SUCCEEDS, _FREE = Result

ATTACKS = (
    # Reading
    Attack("read the store", _SUCCEEDS, _SUCCEEDS, _FAILS, is_probe=True),
    Attack("read another submission", _SUCCEEDS, _SUCCEEDS, _FAILS, is_probe=True),
    Attack("read the users of the machine", _SUCCEEDS, _SUCCEEDS, _FAILS, is_probe=True),
    Attack("read a variable of the operator's environment", _SUCCEEDS, _SUCCEEDS, _FAILS, is_probe=True),
    Attack("read a file in the operator's home", _SUCCEEDS, _SUCCEEDS, _FAILS, is_probe=True),
    Attack("read a file in the machine's /tmp", _SUCCEEDS, _SUCCEEDS, _FAILS, is_probe=True),
    Attack("see the processes of the machine", _SUCCEEDS, _SUCCEEDS, _FAILS, is_probe=True),
    # The dealer
    Attack("find the hands of all players in memory", _SUCCEEDS, _FAILS, _FAILS, is_probe=True),
    Attack("add 1,000 points to its score", _SUCCEEDS, _FAILS, _FAILS),
    Attack("get an opponent thrown out", _SUCCEEDS, _FAILS, _FAILS),
    Attack("destroy the record of the game", _SUCCEEDS, _FAILS, _FAILS),
    # Collusion
    Attack("connect to a server on this machine", _SUCCEEDS, _SUCCEEDS, _FAILS, is_probe=True),
    Attack("pass a note in /tmp", _SUCCEEDS, _SUCCEEDS, _FAILS, is_probe=True),
    Attack("pass a note in its own folder", _SUCCEEDS, _SUCCEEDS, _FAILS, is_probe=True),
    Attack("pass a note in /dev/shm", _SUCCEEDS, _SUCCEEDS, _FAILS, is_probe=True),
    Attack("meet at a Unix socket", _SUCCEEDS, _SUCCEEDS, _FAILS, is_probe=True),
    Attack("meet at an abstract Unix socket", _SUCCEEDS, _SUCCEEDS, _FAILS, is_probe=True),
    Attack("meet at a TCP port", _SUCCEEDS, _SUCCEEDS, _FAILS, is_probe=True),
    Attack("meet in System V shared memory", _SUCCEEDS, _SUCCEEDS, _FAILS, is_probe=True),
    Attack("signal by locking a file of the system", _SUCCEEDS, _SUCCEEDS, _SUCCEEDS, is_probe=True),
    # Exhausting
    Attack("allocate more memory than its limit", _SUCCEEDS, _FAILS, _FAILS, is_fatal=True),
    Attack("share more memory than its limit", _SUCCEEDS, _FAILS, _FAILS, is_fatal=True, needs="memory"),
    Attack("fill /dev/shm beyond its limit", _SUCCEEDS, _FAILS, _FAILS, is_fatal=True, needs="memory"),
    Attack("fill /tmp beyond its limit", _SUCCEEDS, _SUCCEEDS, _FAILS),
    Attack("start more processes than its limit", _SUCCEEDS, _FAILS, _FAILS, is_fatal=True, needs="pids"),
    Attack("slow down another player with fifty busy processes", _FREE, _FAILS, _FAILS, is_fatal=True, needs="cpu"),
    Attack("flood standard output", _SUCCEEDS, _FAILS, _FAILS, is_fatal=True),
    Attack("flood standard error", _SUCCEEDS, _FAILS, _FAILS, is_fatal=True),
    # Signals
    Attack("kill its supervisor", _FAILS, _FAILS, _FAILS, is_fatal=True),
    Attack("stop its supervisor", _FAILS, _FAILS, _FAILS, is_fatal=True),
    Attack("kill the referee", _SUCCEEDS, _SUCCEEDS, _FAILS),
    Attack("stop the referee", _FREE, _FREE, _FAILS),
    Attack("kill every process it sees", _FREE, _FREE, _FAILS),
    # Deleting
    Attack("delete the store", _SUCCEEDS, _SUCCEEDS, _FAILS),
    Attack("delete another submission", _SUCCEEDS, _SUCCEEDS, _FAILS),
    Attack("delete its own folder", _SUCCEEDS, _SUCCEEDS, _FAILS),
    Attack("delete the records of earlier games", _SUCCEEDS, _SUCCEEDS, _FAILS),
)
