"""The isolation that a machine offers, and the choice of the sandbox."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from wateringhole.errors import UsageError
from wateringhole.process import machine
from wateringhole.process.cgroups import CONTROLLERS, Cgroups
from wateringhole.process.machine import (
    MachineIsolation,
    Missing,
    SandboxOptions,
    choose_sandbox,
    machine_isolation,
)
from wateringhole.process.sandbox import check_sandbox

# Descriptions

TWO = ("memory", "processes")
NO_SANDBOX = Missing("bubblewrap is not installed here", "Install it.")
NO_GROUPS = Missing("no control group limits memory", "Delegate it.")


@pytest.mark.parametrize(
    ("offered", "sandboxed", "expected"),
    [
        (("bubblewrap 1.0", "cgroup v2", TWO), True, "sandbox (bubblewrap 1.0); cgroup v2 for memory, processes"),
        (("bubblewrap 1.0", "none", ()), True, "sandbox (bubblewrap 1.0); resource limits of each process"),
        (("bubblewrap 1.0", "none", ()), False, "own processes without a sandbox; resource limits of each process"),
        ((None, "systemd", ("memory",)), True, "own processes without a sandbox; systemd for memory"),
    ],
    ids=["sandbox and groups", "sandbox", "a sandbox that is not used", "groups"],
)  # fmt: skip
def test_isolation_is_described_in_a_few_words(
    offered: tuple[str | None, str, tuple[str, ...]], sandboxed: bool, expected: str
) -> None:
    assert MachineIsolation(*offered, missing=()).describe(sandboxed=sandboxed) == expected


def test_the_problem_of_the_sandbox_comes_with_its_remedy() -> None:
    without = MachineIsolation(None, "none", (), (NO_SANDBOX, NO_GROUPS))
    assert without.sandbox_problem == "bubblewrap is not installed here. Install it."
    assert MachineIsolation("bubblewrap 1.0", "none", (), (NO_GROUPS,)).sandbox_problem is None


# The choice

OPTIONS = SandboxOptions("--trust", "--sandbox", "--read-only")


class Choice(NamedTuple):
    """A choice, and whether it is the sandbox; None for an error."""

    wanted: bool | None
    is_needed: bool
    trust: bool
    problem: str | None
    expected: bool | None
    is_reported: bool = False


CHOICES = {
    "needed": Choice(None, True, False, None, True),
    "needed and missing": Choice(None, True, False, "there is none", False, is_reported=True),
    "not needed": Choice(None, False, False, "there is none", False),
    "wanted": Choice(True, False, False, None, True),
    "wanted and missing": Choice(True, True, False, "there is none", None),
    "not wanted": Choice(False, True, False, "there is none", False),
    "trusted": Choice(None, True, True, "there is none", False),
    "trusted and not wanted": Choice(False, True, True, None, False),
    "trusted and wanted": Choice(True, True, True, None, None),
}


@pytest.mark.parametrize("name", CHOICES)
def test_the_sandbox_is_used_where_it_is_needed_and_works(name: str) -> None:
    choice = CHOICES[name]
    reported: list[str] = []

    def choose() -> bool:
        return choose_sandbox(
            choice.wanted,
            None,
            trust=choice.trust,
            is_needed=choice.is_needed,
            options=OPTIONS,
            report=reported.append,
            find_problem=lambda: choice.problem,
        )

    if choice.expected is None:
        with pytest.raises(UsageError):
            choose()
    else:
        assert choose() is choice.expected
    assert reported == ([choice.problem] if choice.is_reported else [])


@pytest.mark.parametrize(
    ("wanted", "read_only", "trust", "message"),
    [
        (True, None, True, "--trust: trusted players run outside of the sandbox. Omit --trust or --sandbox."),
        (None, ["/opt"], True, "--trust: trusted players run outside of the sandbox. Omit --trust or --read-only."),
        (True, None, False, "--sandbox: there is none"),
    ],
    ids=["trusted and sandboxed", "trusted with files", "missing"],
)
def test_an_error_names_the_options(
    wanted: bool | None, read_only: list[str] | None, trust: bool, message: str
) -> None:
    with pytest.raises(UsageError) as caught:
        choose_sandbox(
            wanted,
            read_only,
            trust=trust,
            is_needed=True,
            options=OPTIONS,
            report=lambda _: None,
            find_problem=lambda: "there is none",
        )
    assert str(caught.value) == message


@pytest.mark.parametrize(("sandbox", "expected"), [("bubblewrap 1.0", True), (None, False)])
def test_without_another_check_this_machine_decides(
    sandbox: str | None, expected: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    offered = MachineIsolation(sandbox, "none", (), () if sandbox else (NO_SANDBOX,))
    monkeypatch.setattr(machine, "machine_isolation", lambda: offered)
    reported: list[str] = []
    chosen = choose_sandbox(None, None, trust=False, is_needed=True, options=OPTIONS, report=reported.append)
    assert chosen is expected
    assert reported == ([] if sandbox else ["bubblewrap is not installed here. Install it."])


# This machine


@pytest.fixture
def other_machine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Return the folder of a bubblewrap and of kernel settings that replace ours."""
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(machine, "_SETTINGS", tmp_path)
    monkeypatch.setattr(machine, "find_cgroups", lambda: Cgroups("cgroup v2", CONTROLLERS))
    for function in (machine_isolation, check_sandbox):
        function.cache_clear()
    yield tmp_path
    for function in (machine_isolation, check_sandbox):
        function.cache_clear()


def install(folder: Path, name: str, script: str) -> None:
    (folder / name).write_text(f"#!/bin/sh\n{script}\n")
    (folder / name).chmod(0o755)


FORBIDDEN = "echo 'bwrap: No permissions to create new namespace' >&2; exit 1"


def test_a_missing_bubblewrap_is_to_be_installed(other_machine: Path) -> None:
    (missing,) = machine_isolation().missing
    assert missing == Missing(
        "bubblewrap is not installed here", "Install it: apt install bubblewrap, or dnf install bubblewrap."
    )


def test_other_systems_have_no_sandbox(other_machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(machine, "find_cgroups", lambda: Cgroups("none"))
    monkeypatch.setattr(sys, "platform", "darwin")
    sandbox, groups = machine_isolation().missing
    assert sandbox == Missing(
        "bubblewrap runs on Linux only", "Run untrusted players on Linux, for example in a virtual machine."
    )
    assert groups.remedy == "Run untrusted players on Linux."


@pytest.mark.parametrize(
    ("settings", "remedy"),
    [
        ({"unprivileged_userns_clone": "0"}, "sysctl -w kernel.unprivileged_userns_clone=1"),
        (
            {"unprivileged_userns_clone": "1", "apparmor_restrict_unprivileged_userns": "1"},
            "sysctl -w kernel.apparmor_restrict_unprivileged_userns=0, "
            "or an AppArmor profile for bwrap that allows userns",
        ),
        ({}, "in a container, start it with permission to create them, e.g. docker run --privileged"),
    ],
    ids=["Debian", "Ubuntu", "a container"],
)
def test_forbidden_namespaces_are_to_be_allowed(settings: dict[str, str], remedy: str, other_machine: Path) -> None:
    install(other_machine, "bwrap", FORBIDDEN)
    (other_machine / "kernel").mkdir()
    for name, value in settings.items():
        (other_machine / "kernel" / name).write_text(f"{value}\n")
    (missing,) = machine_isolation().missing
    assert missing == Missing(
        "bubblewrap is installed and cannot run here (bwrap: No permissions to create new namespace)",
        f"Allow user namespaces: {remedy}.",
    )


@pytest.mark.parametrize(
    ("reply", "expected"),
    [("echo bubblewrap 0.11.0", "bubblewrap 0.11.0"), ("exit 1", "bubblewrap")],
    ids=["known", "unknown"],
)
def test_the_version_of_bubblewrap_is_shown(reply: str, expected: str, other_machine: Path) -> None:
    install(other_machine, "bwrap", f"case $1 in --help) echo --size;; --version) {reply};; esac")
    offered = machine_isolation()
    assert (offered.sandbox, offered.missing) == (expected, ())


def test_a_group_that_systemd_does_not_delegate_is_named(other_machine: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install(other_machine, "bwrap", "echo --size")
    monkeypatch.setattr(machine, "find_cgroups", lambda: Cgroups("systemd", ("memory",)))
    offered = machine_isolation()
    assert (offered.cgroups, offered.limited) == ("systemd", ("memory",))
    assert offered.missing == (
        Missing(
            "no control group limits processes, processors",
            "Delegate all controllers to users: Delegate=cpu memory pids in user@.service.d.",
        ),
    )
    machine_isolation.cache_clear()
    monkeypatch.setattr(machine, "find_cgroups", lambda: Cgroups("none"))
    (missing,) = machine_isolation().missing
    assert missing.remedy == (
        "Start the command in a delegated group: systemd-run --user --scope -p Delegate=yes wateringhole …, "
        "or set Delegate=yes for its service."
    )
