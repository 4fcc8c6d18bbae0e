"""The versions and paths that a bug report needs."""

from __future__ import annotations

import platform
import re
import shutil
import subprocess
from collections.abc import Iterator
from importlib import metadata
from pathlib import Path

from wateringhole import __version__
from wateringhole.folders import cache_folder, data_folder

__all__ = ["cuda", "describe_environment"]

_SECONDS = 10
"""The time limit of each program that prints its version."""


def describe_environment() -> dict[str, str]:
    """Return what is known about this installation, without importing the packages."""
    installed, missing = _packages()
    bubblewrap = shutil.which("bwrap")
    return {
        "wateringhole": __version__,
        "commit": _commit() or "unknown",
        "Python": f"{platform.python_version()} ({platform.python_implementation()})",
        "platform": f"{platform.platform()}, {platform.machine()}",
        "packages": ", ".join(f"{name} {version}" for name, version in installed.items()),
        "not installed": ", ".join(missing) or "nothing",
        "sandbox": (bubblewrap and _output([bubblewrap, "--version"])) or "bubblewrap is not installed",
        "store": _path(data_folder() / "tournaments.sqlite"),
        "cache": _path(cache_folder()),
    }


def cuda() -> str:
    """Return whether there is a GPU that the simulator can use.  This imports the simulator, which takes seconds."""
    try:
        from wateringhole.sim.kernel import require_cuda

        name = require_cuda().get_current_device().name
        return name.decode() if isinstance(name, bytes) else str(name)
    except ImportError:
        return "unknown, because the extra sim is not installed"
    except Exception as error:
        return f"{error}"


def _packages() -> tuple[dict[str, str], list[str]]:
    """Return the versions of the packages that this one and its extras require, and the names of the missing ones."""
    installed, missing = dict[str, str](), list[str]()
    for name in dict.fromkeys(_required()):
        try:
            installed[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            missing.append(name)
    return installed, missing


def _required() -> Iterator[str]:
    """Yield the names of the requirements, without those of developers."""
    for requirement in metadata.requires("wateringhole") or ():
        name, extra = re.match(r"[\w.-]+", requirement), re.search(r"extra == ['\"](.+?)['\"]", requirement)
        if name and name[0] != "wateringhole" and (extra is None or extra[1] not in ("dev", "docs")):
            yield name[0]


def _commit() -> str | None:
    """Return the commit of a checkout, or that of an installed wheel or repository, or None."""
    root = Path(__file__).parents[3]
    if (root / ".git").exists() and (git := shutil.which("git")):
        return _output([git, "-C", str(root), "describe", "--always", "--dirty", "--exclude=*"])
    packed = Path(__file__).parents[1] / "commit.txt"
    if packed.exists():
        return packed.read_text().strip()
    origin = metadata.distribution("wateringhole").read_text("direct_url.json") or ""
    commit = re.search(r'"commit_id": ?"(\w+)"', origin)
    return commit and commit[1]


def _output(command: list[str]) -> str | None:
    try:
        ran = subprocess.run(command, capture_output=True, text=True, timeout=_SECONDS, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return ran.stdout.strip() or None


def _path(path: Path) -> str:
    return f"{path}" if path.exists() else f"{path} (does not exist yet)"
