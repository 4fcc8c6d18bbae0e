"""A replay as one self-contained file, which opens from a disk or in a notebook.

The page is the same as on the server.  The file contains its styles and the game's, their modules as
`data:` addresses with an import map, and the packed game.  The same strict policy applies as on the
server: only scripts with a known digest, and the modules that they import, may run.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import html
import re
from urllib.parse import quote

import msgspec

from wateringhole.analysis import GameAnalysis
from wateringhole.match.record import Record
from wateringhole.web.files import SCRIPT, imported, modules, read
from wateringhole.web.languages import page_text, translate_html
from wateringhole.web.replays import replay_of

__all__ = ["embedded", "export"]

_STYLESHEET = re.compile(r'\s*<link rel="stylesheet" href="([^"]+)">')
_ICON = re.compile(r'(<link rel="icon" href=")([^"]+)(")')
_SPECIFIER = re.compile(r'(\bfrom\s+|\bimport\s*\(?)"([./][^"]+)"')
_TITLE = re.compile(r"<title>[^<]*</title>")

_PLAIN = " !$&()*+,-./:;=?@[]^_`{|}~"
"""Characters that need no escape in a `data:` address, in addition to letters and digits."""

HEIGHT = 720
"""Height of the frame in a notebook, in pixels."""


def export(record: Record, analysis: GameAnalysis | None = None, language: str = "en") -> bytes:
    """Return the whole file, with the chances of an analysis.  Raises OperationError if the record does not fit."""
    replay = replay_of(record, language)
    if analysis is not None:
        replay["analysis"] = analysis.to_page(language)
    shown = replay["page"]
    page = translate_html(_text("/static/html/replay.html"), language)
    styles = "\n".join(_text(style) for style in [*_STYLESHEET.findall(page), *shown["styles"]])
    (entry,) = SCRIPT.findall(page)
    run = modules([entry, shown["module"], *([shown["text"]] if shown["text"] else [])], language)
    imports = msgspec.json.encode(
        {"imports": {_name(module): _data_url(_bare(module, text)) for module, text in run.items()}}
    )
    replay["page"] = {
        **shown,
        "module": _name(shown["module"]),
        "styles": [],
        "text": shown["text"] and _name(shown["text"]),
    }
    start = f'import "{_name(entry)}";'
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
    title = html.escape(f"{', '.join(record.header.names)} · {page_text('brand', language)}")
    page = _STYLESHEET.sub("", page)
    page = _ICON.sub(lambda icon: f"{icon[1]}{_data_url(_text(icon[2]), 'image/svg+xml')}{icon[3]}", page)
    page = _TITLE.sub(lambda _: f"<title>{title}</title>", page)
    page = SCRIPT.sub(lambda _: head, page)
    # Without a time stamp, the same game always gives the same file.
    packed = base64.b64encode(gzip.compress(msgspec.json.encode(replay), mtime=0)).decode()
    data_script = f'<script type="application/octet-stream;base64" id="replay-data">{packed}</script>\n</body>'
    return page.replace("</body>", data_script).encode()


def embedded(record: Record, language: str = "en") -> str:
    """Return a frame with the replay, for notebooks.  It may run scripts but cannot access the page around it."""
    names = html.escape(", ".join(record.header.names))
    page = html.escape(export(record, language=language).decode())
    return (
        f'<iframe title="Replay: {names}" sandbox="allow-scripts" width="100%" height="{HEIGHT}" '
        f'style="border: 0" srcdoc="{page}"></iframe>'
    )


def _text(address: str) -> str:
    return read(address).decode()


def _name(address: str) -> str:
    """Return a module's bare name for the import map, because a `data:` address has no root."""
    return address.removeprefix("/")


def _bare(module: str, text: str) -> str:
    """Return a module with its imports replaced by the bare names of the import map."""
    return _SPECIFIER.sub(lambda found: f'{found[1]}"{_name(imported(module, found[2]))}"', text)


def _data_url(text: str, type_: str = "text/javascript") -> str:
    """Return text as a `data:` address.  It is shorter than base64, and cannot end a script or a string."""
    return f"data:{type_};charset=utf-8,{quote(text, safe=_PLAIN)}"


def _hash(text: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"
