"""Hooks of MkDocs for the documentation site: files outside of docs/, code blocks, and generated references.

A page of docs/ may link to any file of the repository.  The site must not depend on anything outside of its folder, so
it contains every file that a page links to, under `repository/`.  A Markdown file becomes a page.
"""

from __future__ import annotations

import os
import re
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING

from mkdocs.structure.files import File, Files
from tools.references import fill_in

if TYPE_CHECKING:
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.pages import Page

ROOT = Path(__file__).resolve().parent.parent
DOCS = ROOT / "docs"
FAVICON = ROOT / "src" / "wateringhole" / "web" / "static" / "favicon.svg"
OUTSIDE = PurePosixPath("repository")
PROJECT_PAGES = ["CHANGELOG.md", "CONTRIBUTING.md", "benchmarks/README.md", "examples/README.md"]
LINK = re.compile(r"(?<=\]\()(?![a-z]+:|#)([^)#\s]+)")
"""The path of a relative Markdown link."""


def on_files(files: Files, *, config: MkDocsConfig) -> Files:
    """Add the files outside of docs/ to which pages link, directly or through each other."""
    pages = [DOCS / page.src_uri for page in files.documentation_pages()] + [ROOT / page for page in PROJECT_PAGES]
    files.append(File.generated(config, "images/favicon.svg", abs_src_path=str(FAVICON)))
    added: set[Path] = set()
    while pages:
        page = pages.pop()
        if not page.is_relative_to(DOCS) and page not in added:
            added.add(page)
            files.append(File.generated(config, str(_site_path(page)), abs_src_path=str(page)))
        for link in LINK.findall(page.read_text(encoding="utf-8")) if page.suffix == ".md" else []:
            target = _target(page, link)
            if target.is_file() and not target.is_relative_to(DOCS) and target not in added:
                pages.append(target)
    return files


def on_page_markdown(markdown: str, *, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Fill in what comes from the code, lead links to where the site has their files, and clean code blocks."""
    markdown = fill_in(markdown)
    source = Path(page.file.abs_src_path or DOCS / page.file.src_uri)
    folder = _site_path(source).parent
    markdown = LINK.sub(lambda found: os.path.relpath(_site_path(_target(source, found[1])), folder), markdown)
    # Tests read the words after a language: how to run the block, or the name of its file.
    markdown = re.sub(r"^(```[a-z]+) ([\w-]+\.\w+)$", r'\1 title="\2"', markdown, flags=re.MULTILINE)
    return re.sub(r"^(```[a-z]+) [a-z]+$", r"\1", markdown, flags=re.MULTILINE)


def _target(page: Path, link: str) -> Path:
    return Path(os.path.normpath(page.parent / link))


def _site_path(file: Path) -> PurePosixPath:
    """Return the path of a file in the site's sources."""
    if file.is_relative_to(DOCS):
        return PurePosixPath(file.relative_to(DOCS).as_posix())
    return OUTSIDE / file.relative_to(ROOT).as_posix()
