"""A replay as one file that needs nothing else: it opens from a disk, or inside a notebook.

The page is the one that the server shows.  Its styles are put in as they are; its modules become
`data:` addresses, to which an import map leads; the game is packed into the document.  The same
strict policy holds as on the server: only what is known by its digest, or was imported by that,
may run.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import posixpath
import re
from importlib import resources
from urllib.parse import quote

import msgspec

from wateringhole.arena.record import Record
from wateringhole.web.replays import replay_of

__all__ = ["embedded", "export"]

_STYLESHEET = re.compile(r'\s*<link rel="stylesheet" href="/static/([^"]+)">')
_ICON = re.compile(r'(<link rel="icon" href=")/static/([^"]+)(")')
_SCRIPT = re.compile(r'<script type="module" src="/static/([^"]+)"></script>')
_TITLE = re.compile(r"<title>[^<]*</title>")
_IMPORT = re.compile(r'^((?:import|export)\b[^;"]*?\bfrom\s+|import\s+)"(\.[^"]+)"', re.MULTILINE)

_PLAIN = " !$&()*+,-./:;=?@[]^_`{|}~"
"""What needs no escape in a `data:` address, besides letters and digits."""

HEIGHT = 720
"""Of the frame in a notebook, in pixels."""


def export(record: Record) -> bytes:
    """The whole file.  Raises Failure where the record does not fit the game."""
    replay = replay_of(record)
    page = _static("html/replay.html")
    styles = "\n".join(_static(name) for name in _STYLESHEET.findall(page))
    (entry,) = _SCRIPT.findall(page)
    imports = msgspec.json.encode({"imports": {name: _data_url(text) for name, text in _modules(entry).items()}})
    start = f'import "{entry}";'
    policy = "; ".join(
        (
            "default-src 'none'",
            f"script-src data: {_hash(imports.decode())} {_hash(start)}",
            f"style-src {_hash(styles)}",
            "img-src data:",
            "base-uri 'none'",
            "form-action 'none'",
        )
    )
    head = (
        f'<meta http-equiv="Content-Security-Policy" content="{policy}">\n'
        f"  <style>{styles}</style>\n"
        f'  <script type="importmap">{imports.decode()}</script>\n'
        f'  <script type="module">{start}</script>'
    )
    title = html.escape(f"{', '.join(record.header.names)} · Watering Hole")
    page = _STYLESHEET.sub("", page)
    page = _ICON.sub(lambda icon: f"{icon[1]}{_data_url(_static(icon[2]), 'image/svg+xml')}{icon[3]}", page)
    page = _TITLE.sub(lambda _: f"<title>{title}</title>", page)
    page = _SCRIPT.sub(lambda _: head, page)
    # The same game gives the same file, whenever it is packed.
    packed = base64.b64encode(gzip.compress(msgspec.json.encode(replay), mtime=0)).decode()
    carried = f'<script type="application/octet-stream;base64" id="replay-data">{packed}</script>\n</body>'
    return page.replace("</body>", carried).encode()


def embedded(record: Record) -> str:
    """A frame that shows the replay, for notebooks.  It may run scripts and reach nothing of the page around it."""
    names = html.escape(", ".join(record.header.names))
    page = html.escape(export(record).decode())
    return (
        f'<iframe title="Replay: {names}" sandbox="allow-scripts" width="100%" height="{HEIGHT}" '
        f'style="border: 0" srcdoc="{page}"></iframe>'
    )


def _modules(entry: str) -> dict[str, str]:
    """A module and all that it imports, by their bare names; their imports name each other so."""
    found: dict[str, str] = {}
    missing = [entry]
    while missing:
        name = missing.pop()
        if name not in found:
            folder = posixpath.dirname(name)

            def rename(imported: re.Match[str], folder: str = folder) -> str:
                target = posixpath.normpath(posixpath.join(folder, imported[2]))
                missing.append(target)
                return f'{imported[1]}"{target}"'

            found[name] = _IMPORT.sub(rename, _static(name))
    return dict(sorted(found.items()))


def _static(name: str) -> str:
    return (resources.files("wateringhole.web") / "static" / name).read_text(encoding="utf-8")


def _data_url(text: str, type_: str = "text/javascript") -> str:
    """Most of a module can stand as it is, which is shorter than base64; nothing in it can end a script or a string."""
    return f"data:{type_};charset=utf-8,{quote(text, safe=_PLAIN)}"


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
