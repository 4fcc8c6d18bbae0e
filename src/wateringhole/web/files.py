"""The files of the page: its own at ``/static/``, and those of a game at ``/games/NAME/``."""

from __future__ import annotations

import functools
import posixpath
import re
from collections.abc import Iterable
from importlib.resources.abc import Traversable
from pathlib import Path

from wateringhole import fallbacks, registry
from wateringhole.errors import NotFound
from wateringhole.house.page import manifest_of
from wateringhole.texts import LANGUAGES

__all__ = ["IMPORT", "MEDIA_TYPES", "SCRIPT", "STATIC", "html_page", "imported", "modules", "read"]

STATIC = Path(__file__).parent / "static"

MEDIA_TYPES = {
    ".css": "text/css",
    ".js": "text/javascript",
    ".json": "application/json",
    ".png": "image/png",
    ".svg": "image/svg+xml",
    ".webp": "image/webp",
    ".woff2": "font/woff2",
}
"""Files that a game can serve, by suffix.  Its Python modules are in the same folder."""

SCRIPT = re.compile(r'<script type="module" src="([^"]+)"></script>')
IMPORT = re.compile(r'^((?:import|export)\b[^;"]*?\bfrom\s+|import\s+)"([./][^"]+)"', re.MULTILINE)

_CURRENT = "/text/current.js"
"""What a module imports to get the texts in the language of the page, whichever it is."""

_INSTALLING = (
    '<link rel="apple-touch-icon" href="/static/icons/180.png">',
    '<link rel="manifest" href="/manifest.webmanifest">',
)
"""What a phone needs to put the page on its home screen; an exported page has no server that could respond."""

_NAME = re.compile(r"\w[\w.-]*")
"""A folder or a file that is neither hidden nor a parent folder."""


def read(address: str, language: str = LANGUAGES[0]) -> bytes:
    """Return the content of a file of the page.  Raises NotFound if nothing is served at the address.

    At ``text/current.js`` are the texts in the language, so that a page loads no other language.
    """
    file = _find(address.replace(_CURRENT, f"/text/{language}.js"))
    if file is None or not file.is_file():
        raise NotFound(f"There is no file {address} here.")
    return file.read_bytes()


def _find(address: str) -> Traversable | None:
    _, root, *names = address.split("/")
    if not all(map(_NAME.fullmatch, names)):
        return None
    if root == "static":
        return STATIC.joinpath(*names)
    game, *names = names
    if root != "games" or game not in registry.game_names() or posixpath.splitext(address)[1] not in MEDIA_TYPES:
        return None
    assets = fallbacks.page(registry.game_kind(game)).assets
    return assets.joinpath(*names) if assets else None


def imported(module: str, address: str) -> str:
    """Return the address of the module that another one imports."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(module), address))


def modules(entries: Iterable[str], language: str = LANGUAGES[0]) -> dict[str, str]:
    """Return modules and everything that they import, by address, with the texts in a language."""
    found: dict[str, str] = {}
    missing = list(entries)
    while missing:
        address = missing.pop()
        if address not in found:
            found[address] = read(address, language).decode()
            missing += [imported(address, other) for _, other in IMPORT.findall(found[address])]
    return dict(sorted(found.items()))


@functools.cache
def html_page(name: str, game: str | None = None) -> str:
    """Return a page whose texts are keys, with the files of a game if the game is known.

    It lists every module that it runs, so that the browser requests all of them at once, instead of
    finding each one only after reading the one that imports it.
    """
    page = read(f"/static/html/{name}.html").decode()
    (entry,) = SCRIPT.findall(page)
    shown = manifest_of(registry.game_kind(game)) if game else None
    links = [*_INSTALLING, *(f'<link rel="stylesheet" href="{style}">' for style in (shown.styles if shown else []))]
    run = modules([entry, shown.module if shown else entry])
    links += [f'<link rel="modulepreload" href="{module}">' for module in run if module != entry]
    return page.replace("</head>", "\n".join([*links, "</head>"]))
