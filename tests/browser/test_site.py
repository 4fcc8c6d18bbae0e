"""The documentation site, which opens from a folder: it builds without warnings and needs nothing outside of it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Literal

import pytest
from playwright.sync_api import Browser, Page, expect

import wateringhole as wh
from tests.browser.conftest import TIMEOUT_MS
from tests.conftest import ROOT
from wateringhole.games import evolution, porrinha


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Build the site once.  A warning fails the build."""
    pytest.importorskip("mkdocs", reason="needs the extra docs: pip install '.[docs]'")
    folder = tmp_path_factory.mktemp("site")
    built = subprocess.run(
        [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet", "--site-dir", folder],
        cwd=ROOT,
        env=os.environ | {"NO_MKDOCS_2_WARNING": "1"},
        capture_output=True,
        text=True,
        timeout=300,
    )
    assert (built.returncode, built.stdout, built.stderr) == (0, "", "")
    return folder


@pytest.fixture
def scheme() -> str:
    """The colour scheme of the reader's system."""
    return "light"


@pytest.fixture
def reader(browser: Browser, site: Path, scheme: Literal["light", "dark"]) -> Iterator[Page]:
    """Open the site's first page from its folder.  Every request must stay in the folder."""
    context = browser.new_context(viewport={"width": 1440, "height": 900}, reduced_motion="reduce", color_scheme=scheme)
    page = context.new_page()
    page.set_default_timeout(TIMEOUT_MS)
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    page.goto((site / "index.html").as_uri())
    yield page
    context.close()
    assert [url for url in requested if not url.startswith((site.as_uri(), "data:", "blob:", "about:"))] == []


@pytest.mark.slow
def test_search_finds_a_member_of_a_board(reader: Page) -> None:
    reader.get_by_role("textbox", name="Search").press_sequentially("is_hungry")
    result = reader.locator(".md-search-result__item").first
    expect(result).to_contain_text("is_hungry")
    result.get_by_role("link").first.click()
    expect(reader.locator("article")).to_contain_text("is_hungry")


@pytest.mark.slow
def test_search_finds_an_option_of_a_command(reader: Page) -> None:
    reader.get_by_role("textbox", name="Search").press_sequentially("--deck")
    expect(reader.locator(".md-search-result__item", has_text="Options of the rules")).not_to_have_count(0)


def unlisted(documented: type, page: Path, prefix: str) -> set[str]:
    """Return the public members of a class that a page does not list."""
    text = page.read_text(encoding="utf-8")
    members = {name for name in (*vars(documented), *documented.__annotations__) if not name.startswith("_")}
    return {name for name in members if f'id="{prefix}.{documented.__name__}.{name}"' not in text}


ANSWERS = [
    each
    for each in (getattr(evolution, name) for name in evolution.__all__)
    if isinstance(each, type) and each.__module__.endswith(".answers")
]


@pytest.mark.parametrize(
    "documented", [evolution.View, evolution.SpeciesBoard, evolution.TraitCard, *ANSWERS, porrinha.View]
)
def test_every_member_of_views_boards_cards_and_answers_is_listed(site: Path, documented: type) -> None:
    assert unlisted(documented, site / "reference" / "views.html", documented.__module__) == set()


@pytest.mark.parametrize(
    "documented",
    [wh.PlayedGame, wh.TournamentResult, wh.ComparisonResult, wh.GameAnalysis, wh.Outcome, wh.Standing, wh.Forfeit],
)
def test_every_member_of_a_result_is_listed(site: Path, documented: type) -> None:
    assert unlisted(documented, site / "reference" / "python-api.html", "wateringhole") == set()


@pytest.mark.parametrize(("scheme", "palette"), [("light", "default"), ("dark", "slate")])
def test_the_site_follows_the_systems_mode(reader: Page, palette: str) -> None:
    expect(reader.locator("body")).to_have_attribute("data-md-color-scheme", palette)


def test_a_link_leads_to_a_page_of_the_folder(reader: Page) -> None:
    reader.get_by_role("link", name="Your first bot", exact=True).first.click()
    expect(reader.get_by_role("heading", level=1)).to_contain_text("Your first bot")
