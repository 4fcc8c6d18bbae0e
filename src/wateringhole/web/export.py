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
import re
from urllib.parse import quote

import msgspec

from wateringhole.match.record import Record
from wateringhole.web.files import IMPORT, SCRIPT, imported, modules, static
from wateringhole.web.replays import replay_of

__all__ = ["embedded", "export"]

_STYLESHEET = re.compile(r'\s*<link rel="stylesheet" href="/static/([^"]+)">')
_ICON = re.compile(r'(<link rel="icon" href=")/static/([^"]+)(")')
_TITLE = re.compile(r"<title>[^<]*</title>")

_PLAIN = " !$&()*+,-./:;=?@[]^_`{|}~"
"""What needs no escape in a `data:` address, besides letters and digits."""

HEIGHT = 720
"""Of the frame in a notebook, in pixels."""


def export(record: Record) -> bytes:
    """The whole file.  Raises Failure where the record does not fit the game."""
    replay = replay_of(record)
    page = static("html/replay.html")
    styles = "\n".join(static(name) for name in _STYLESHEET.findall(page))
    (entry,) = SCRIPT.findall(page)
    imports = msgspec.json.encode(
        {"imports": {name: _data_url(_bare(name, text)) for name, text in modules(entry).items()}}
    )
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
    page = _ICON.sub(lambda icon: f"{icon[1]}{_data_url(static(icon[2]), 'image/svg+xml')}{icon[3]}", page)
    page = _TITLE.sub(lambda _: f"<title>{title}</title>", page)
    page = SCRIPT.sub(lambda _: head, page)
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


def _bare(name: str, text: str) -> str:
    """A module whose imports are bare names, as the import map knows them."""
    return IMPORT.sub(lambda found: f'{found[1]}"{imported(name, found[2])}"', text)


def _data_url(text: str, type_: str = "text/javascript") -> str:
    """Most of a module can stand as it is, which is shorter than base64; nothing in it can end a script or a string."""
    return f"data:{type_};charset=utf-8,{quote(text, safe=_PLAIN)}"


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
