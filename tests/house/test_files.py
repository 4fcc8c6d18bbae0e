"""The page's files: their size, their caching and their content."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.house.serving import Served, run, served
from wateringhole import registry
from wateringhole.web.files import STATIC

MOST_BYTES = 200_000
"""Of a first view, with the headers of all responses."""
PAGES = {
    "lobby": "/",
    "table": "/table/x",
    "replay": "/replay",
    "standings": "/standings",
    "tournaments": "/tournaments",
}
TABLES = {game: f"/table/{game}" for game in ("evolution", "porrinha")}
"""The page of a table for each game."""
VIEWS = PAGES | TABLES
FOLDERS = [STATIC, *(Path(str(kind.page().assets)) for kind in registry.kinds() if kind.page)]


def _id(path: Path) -> str:
    return "/".join(path.parts[-4:])


@dataclass(frozen=True)
class _File:
    size: int
    """Bytes of the response, headers included."""
    needs: list[str]
    """Files that a browser requests after reading this one."""
    text: str


async def _fetch(server: Served, path: str) -> _File:
    answer = await server.http.get(path)
    assert answer.status_code == (404 if path == PAGES["table"] else 200), path
    head = sum(len(name) + len(value) + 4 for name, value in answer.headers.raw)
    needs: list[str] = []
    if "html" in answer.headers["content-type"]:
        needs = re.findall(r'(?:src|href)="(/(?:static|games)/[^"]+)"', answer.text)
    elif "javascript" in answer.headers["content-type"]:
        imports = re.findall(
            r'^(?:(?:import|export)\b[^;"]*?\bfrom\s+|import\s+)"([./][^"]+)"', answer.text, re.MULTILINE
        )
        needs = [posixpath.normpath(posixpath.join(posixpath.dirname(path), each)) for each in imports]
    return _File(answer.num_bytes_downloaded + head, needs, answer.text)


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> dict[str, _File]:
    """Return all files that the pages need, as they are served."""

    async def fetch_all() -> dict[str, _File]:
        found: dict[str, _File] = {}
        async with served(tmp_path_factory.mktemp("files") / "s.sqlite") as server:
            for game, path in TABLES.items():
                table = await server.table(game, "me", "friend", "friend")
                found[path] = await _fetch(server, f"/table/{table.id}")
            missing = [*PAGES.values(), *(need for file in found.values() for need in file.needs)]
            while missing:
                path = missing.pop()
                if path not in found:
                    found[path] = await _fetch(server, path)
                    missing += found[path].needs
        return found

    return run(fetch_all())


def _view(files: dict[str, _File], path: str) -> dict[str, _File]:
    """Return a file and everything that it makes a browser load."""
    found: dict[str, _File] = {}
    missing = [path]
    while missing:
        path = missing.pop()
        if path not in found:
            found[path] = files[path]
            missing += files[path].needs
    return found


@pytest.mark.parametrize("page", VIEWS)
def test_first_view_is_small(files: dict[str, _File], page: str) -> None:
    sizes = {path: file.size for path, file in _view(files, VIEWS[page]).items()}
    assert len(sizes) > 3
    assert sum(sizes.values()) < MOST_BYTES, sizes


@pytest.mark.parametrize("page", PAGES)
def test_page_lists_exactly_the_modules_that_it_runs(files: dict[str, _File], page: str) -> None:
    head = files[PAGES[page]].text
    named = re.findall(r'<link rel="modulepreload" href="([^"]+)">', head)
    (entry,) = re.findall(r'<script type="module" src="([^"]+)">', head)
    assert sorted([entry, *named]) == sorted(_view(files, entry))


@pytest.mark.parametrize("game", TABLES)
def test_page_of_a_table_lists_only_the_files_of_its_game(files: dict[str, _File], game: str) -> None:
    links = re.findall(r'<link rel="(modulepreload|stylesheet)" href="([^"]+)">', files[TABLES[game]].text)
    modules = {path for kind, path in links if kind == "modulepreload"}
    run = _view(files, "/static/js/table.js").keys() | _view(files, f"/games/{game}/view.js").keys()
    assert modules == run - {"/static/js/table.js"}
    styles = [path for kind, path in links if kind == "stylesheet" and path.startswith("/games/")]
    assert styles == [f"/games/{game}/style.css"]


def test_files_are_compressed_and_resent_only_after_a_change(tmp_path: Path) -> None:
    async def look() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            for path in ("/", "/static/css/base.css", "/games/evolution/view.js", "/games/porrinha/style.css"):
                first = await server.http.get(path)
                assert first.headers["content-encoding"] == "gzip"
                assert first.headers["cache-control"] == "no-cache"
                again = await server.http.get(path, headers={"If-None-Match": first.headers["etag"]})
                assert (again.status_code, again.content) == (304, b"")

    run(look())


def test_api_responses_are_not_cached(tmp_path: Path) -> None:
    async def look() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            assert (await server.http.get("/api/lobby")).headers["cache-control"] == "no-store"

    run(look())


@pytest.mark.parametrize("page", sorted(path.name for path in (STATIC / "html").glob("*.html")))
def test_pages_have_no_inline_code(page: str) -> None:
    text = (STATIC / "html" / page).read_text()
    assert not re.search(r"<script(?![^>]*\bsrc=)", text)
    assert not re.search(r"<style|\sstyle=|\son\w+=|javascript:", text)
    assert not re.search(r"(?:src|href)=\"(?!/|#)", text)


@pytest.mark.parametrize("module", sorted(path for folder in FOLDERS for path in folder.rglob("*.js")), ids=_id)
def test_modules_use_no_html_strings_and_no_other_site(module: Path) -> None:
    text = module.read_text()
    assert text.startswith("// @ts-check")
    for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"):
        assert word not in text
    assert set(re.findall(r"https?://[\w./]+", text)) <= {"http://www.w3.org/2000/svg"}


@pytest.mark.parametrize("file", sorted(STATIC.rglob("*.[hjc][ts]*")), ids=_id)
def test_shared_page_files_name_no_game(file: Path) -> None:
    names = "|".join(registry.game_names())
    assert not re.search(rf"\b(?:{names})\b", file.read_text(), re.IGNORECASE)
