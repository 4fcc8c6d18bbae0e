"""The page's own files, and which modules a page runs."""

from __future__ import annotations

import functools
import posixpath
import re
from pathlib import Path

__all__ = ["IMPORT", "SCRIPT", "STATIC", "html_page", "imported", "modules", "static"]

STATIC = Path(__file__).parent / "static"

SCRIPT = re.compile(r'<script type="module" src="/static/([^"]+)"></script>')
IMPORT = re.compile(r'^((?:import|export)\b[^;"]*?\bfrom\s+|import\s+)"(\.[^"]+)"', re.MULTILINE)


def static(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


def imported(module: str, address: str) -> str:
    """The module that another one means by a relative address."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(module), address))


def modules(entry: str) -> dict[str, str]:
    """A module and all that it imports, by their names."""
    found: dict[str, str] = {}
    missing = [entry]
    while missing:
        name = missing.pop()
        if name not in found:
            found[name] = static(name)
            missing += [imported(name, address) for _, address in IMPORT.findall(found[name])]
    return dict(sorted(found.items()))


@functools.cache
def html_page(name: str) -> bytes:
    """A page as it is sent.

    It names every module that it runs: the browser asks for all of them at once, instead of
    finding each only when it has read the one that imports it.
    """
    page = static(f"html/{name}.html")
    (entry,) = SCRIPT.findall(page)
    ahead = [f'<link rel="modulepreload" href="/static/{module}">' for module in modules(entry) if module != entry]
    return page.replace("</head>", "\n".join([*ahead, "</head>"])).encode()
