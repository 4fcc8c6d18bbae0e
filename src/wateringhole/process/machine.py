"""The isolation that this machine offers for players, and the reasons why it offers no more."""

from __future__ import annotations

import functools
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

import msgspec

from wateringhole.errors import UsageError
from wateringhole.process.cgroups import CONTROLLERS, find_cgroups
from wateringhole.process.sandbox import bubblewrap, check_sandbox, supports

__all__ = ["MachineIsolation", "Missing", "SandboxOptions", "choose_sandbox", "machine_isolation"]

_LIMITED = {"memory": "memory", "pids": "processes", "cpu": "processors"}
"""What the controllers of control groups limit."""
_SETTINGS = Path("/proc/sys")
_KERNEL = {
    "kernel/unprivileged_userns_clone": ("0", "sysctl -w kernel.unprivileged_userns_clone=1"),
    "user/max_user_namespaces": ("0", "sysctl -w user.max_user_namespaces=10000"),
    "kernel/apparmor_restrict_unprivileged_userns": (
        "1",
        "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, or an AppArmor profile for bwrap that allows userns",
    ),
}
"""Settings of the kernel that forbid user namespaces: the value that does, and the command that allows them."""


class Missing(msgspec.Struct, frozen=True):
    """Something that this machine does not offer."""

    problem: str
    """What is missing, without a full stop."""
    remedy: str
    """What to install or to allow."""


class MachineIsolation(msgspec.Struct, frozen=True):
    """The isolation that this machine offers."""

    sandbox: str | None
    """The sandbox with its version, or None if there is none."""
    cgroups: str
    """The kind of control groups, or ``none``."""
    limited: tuple[str, ...]
    """What control groups limit."""
    missing: tuple[Missing, ...]

    def describe(self, *, sandboxed: bool) -> str:
        """Return in a few words how players are isolated, in the sandbox or in processes of their own."""
        where = f"sandbox ({self.sandbox})" if sandboxed and self.sandbox else "own processes without a sandbox"
        limits = f"{self.cgroups} for {', '.join(self.limited)}" if self.limited else "resource limits of each process"
        return f"{where}; {limits}"

    @property
    def sandbox_problem(self) -> str | None:
        """The reason why players cannot run in a sandbox and what to do, or None if they can."""
        if self.sandbox:
            return None
        # The sandbox comes first.
        return f"{self.missing[0].problem}. {self.missing[0].remedy}"


@functools.cache
def machine_isolation() -> MachineIsolation:
    """Return what this machine offers.  It takes a few milliseconds, and nothing is asked twice."""
    problem = _sandbox_problem()
    cgroups = find_cgroups()
    unlimited = [_LIMITED[name] for name in CONTROLLERS if name not in cgroups.controllers]
    missing = [problem] if problem else []
    if problem is None and not supports("--size"):
        missing.append(Missing("the size of writable folders is not limited", "Install bubblewrap 0.7 or newer."))
    if unlimited:
        what = f"no control group limits {', '.join(unlimited)}"
        missing.append(Missing(what, _cgroup_remedy(cgroups.kind)))
    return MachineIsolation(
        sandbox=None if problem else _version(),
        cgroups=cgroups.kind,
        limited=tuple(_LIMITED[name] for name in cgroups.controllers),
        missing=tuple(missing),
    )


class SandboxOptions(NamedTuple):
    """The names of the options that choose where players run, as their user writes them."""

    trust: str
    sandbox: str
    read_only: str


def choose_sandbox(
    wanted: bool | None,
    read_only: Sequence[object] | None,
    *,
    trust: bool,
    is_needed: bool,
    options: SandboxOptions,
    report: Callable[[str], None],
    find_problem: Callable[[], str | None] | None = None,
) -> bool:
    """Return whether players run in the sandbox: by default if one of them needs it and there is no problem.

    Report the problem.  Raises UsageError for options that exclude each other, and for a problem if the sandbox is
    wanted.
    """
    if trust:
        for option, given in ((options.sandbox, wanted), (options.read_only, read_only)):
            if given:
                raise UsageError(
                    f"{options.trust}: trusted players run outside of the sandbox. Omit {options.trust} or {option}."
                )
    if trust or wanted is False or not (is_needed or wanted):
        return False
    problem = find_problem() if find_problem else machine_isolation().sandbox_problem
    if problem and wanted:
        raise UsageError(f"{options.sandbox}: {problem}")
    if problem:
        report(problem)
    return not problem


def _sandbox_problem() -> Missing | None:
    try:
        check_sandbox()
    except UsageError as error:
        problem = str(error).removeprefix("--sandbox bwrap: ").removesuffix(".")
    else:
        return None
    if not sys.platform.startswith("linux"):
        remedy = "Run untrusted players on Linux, for example in a virtual machine."
    elif bubblewrap() is None:
        remedy = "Install it: apt install bubblewrap, or dnf install bubblewrap."
    else:
        remedy = f"Allow user namespaces: {_namespace_remedy()}."
    return Missing(problem.partition(";")[0], remedy)


def _namespace_remedy() -> str:
    for name, (forbids, command) in _KERNEL.items():
        try:
            if (_SETTINGS / name).read_text().strip() == forbids:
                return command
        except OSError:
            continue
    return "in a container, start it with permission to create them, e.g. docker run --privileged"


def _cgroup_remedy(kind: str) -> str:
    if not sys.platform.startswith("linux"):
        return "Run untrusted players on Linux."
    if kind == "systemd":
        return "Delegate all controllers to users: Delegate=cpu memory pids in user@.service.d."
    return (
        "Start the command in a delegated group: systemd-run --user --scope -p Delegate=yes wateringhole …, "
        "or set Delegate=yes for its service."
    )


def _version() -> str:
    ran = subprocess.run([bubblewrap() or "bwrap", "--version"], capture_output=True, text=True, check=False)
    found = re.search(r"[\d.]+", ran.stdout)
    return f"bubblewrap {found[0]}" if found else "bubblewrap"
