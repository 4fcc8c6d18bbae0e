"""Replays in a browser: from the store, from a dropped file, and as a self-contained file."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import Visit
from tests.cli.running import wateringhole
from tests.conftest import ROOT
from tests.games.evolution.trait_files import write_traits

PLAYERS = {"evolution": ("silly", "greedy", "random"), "porrinha": ("random", "zero", "counter")}


@pytest.fixture(scope="module", params=PLAYERS)
def record(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("records")
    ran = wateringhole("play", request.param, *PLAYERS[request.param], "--seed", "5", "--quiet", "--record", folder)
    assert ran.returncode == 0, ran.stderr
    [record] = folder.iterdir()
    return record


@pytest.fixture(scope="module")
def exported(record: Path) -> str:
    """Return the URL of the record's self-contained replay."""
    page = record.with_suffix(".html")
    ran = wateringhole("replay", record, "--html", page)
    assert ran.returncode == 0, ran.stderr
    return page.as_uri()


@pytest.fixture(scope="module")
def crowd(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a record of a game with eight players."""
    folder = tmp_path_factory.mktemp("crowd")
    ran = wateringhole("play", "evolution", *["greedy"] * 8, "--seed", "5", "--quiet", "--record", folder)
    assert ran.returncode == 0, ran.stderr
    [record] = folder.iterdir()
    return record


def frame(page: Page) -> int:
    # Not `page.url`, which Playwright updates later.
    found = re.search(r"frame=(\d+)", page.evaluate("location.hash"))
    return int(found[1]) if found else 0


def check_the_timeline(page: Page) -> None:
    """Step, jump, play, and change the viewpoint."""
    page.keyboard.press("ArrowRight")
    page.keyboard.press("ArrowRight")
    assert frame(page) == 2
    page.get_by_role("button", name="Previous event").click()
    assert frame(page) == 1
    page.get_by_role("button", name="Go to the end").click()
    last = frame(page)
    assert last > 10
    page.get_by_role("button", name="Go to the start").click()
    page.keyboard.press("PageDown")
    page.keyboard.press("PageDown")
    assert 0 < frame(page) < last
    before = frame(page)
    page.get_by_label("Speed").select_option(label="×10")
    page.get_by_role("button", name="Play", exact=True).click()
    expect(page).not_to_have_url(re.compile(f"frame={before}$"))
    page.get_by_role("button", name="Pause").click()
    page.get_by_role("group", name="Viewpoint").get_by_role("button").nth(3).click()
    expect(page).to_have_url(re.compile("eyes=2"))
    expect(page.locator(".log li[aria-current]")).to_have_count(1)


def test_chosen_file_can_be_replayed(visit: Visit, record: Path) -> None:
    page = visit("/replay")
    page.get_by_label("Record file").set_input_files(record)
    expect(page.get_by_text("replays exactly")).to_be_visible()
    check_the_timeline(page)


def test_file_can_be_dropped_on_the_page(visit: Visit, record: Path) -> None:
    page = visit("/replay")
    dropped = page.evaluate_handle(
        """text => {
            const transfer = new DataTransfer();
            transfer.items.add(new File([text], "game.jsonl"));
            return transfer;
        }""",
        record.read_text(),
    )
    page.dispatch_event("main", "drop", {"dataTransfer": dropped})
    expect(page.get_by_text("replays exactly")).to_be_visible()
    # A local file has no URL to share.
    expect(page.get_by_role("button", name="Copy link")).to_have_count(0)


def test_open_replay_does_not_overflow_sideways(visit: Visit, crowd: Path) -> None:
    page = visit("/replay")
    page.get_by_label("Record file").set_input_files(crowd)
    expect(page.get_by_text("replays exactly")).to_be_visible()
    page.keyboard.press("End")
    seats = [seat.bounding_box() for seat in page.locator(".player").all()]
    table = page.locator("#table").bounding_box()
    assert len(seats) == 8
    assert table is not None
    assert all(seat and seat["x"] + seat["width"] <= table["x"] + table["width"] for seat in seats)
    for width in (1440, 360):
        page.set_viewport_size({"width": width, "height": 900})
        for place in ("html", "body", "#table"):
            over = page.locator(place).evaluate("element => element.scrollWidth - element.clientWidth")
            assert over <= 0, (place, width)
        expect(page.locator(".placed").filter(visible=True)).to_have_count(8)


def test_file_that_is_not_a_record_shows_an_error(visit: Visit, tmp_path: Path) -> None:
    page = visit("/replay")
    wrong = tmp_path / "shopping.txt"
    wrong.write_text("milk\nbread\n")
    page.get_by_label("Record file").set_input_files(wrong)
    expect(page.get_by_role("alert")).to_contain_text("record")


def test_exported_replay_is_self_contained(visit: Visit, exported: str) -> None:
    page = visit("about:blank")
    requested: list[str] = []
    page.on("request", lambda request: requested.append(request.url))
    page.goto(exported)
    expect(page.get_by_text("replays exactly")).to_be_visible()
    expect(page.get_by_role("banner")).to_contain_text("Watering Hole")
    expect(page.get_by_role("link")).to_have_count(0)
    check_the_timeline(page)
    assert [url for url in requested if not url.startswith(("file:", "data:", "blob:"))] == []


def test_replay_explains_traits_that_a_user_added(visit: Visit, tmp_path: Path) -> None:
    traits = ("--traits", ROOT / "examples" / "evolution_traits.py")
    words = ("--deck", "ascending", "--seed", "5", "--quiet", "--record", tmp_path)
    assert wateringhole("play", "evolution", "silly", "silly", "silly", *traits, *words).returncode == 0
    record, target = tmp_path / "evolution-5.jsonl", tmp_path / "game.html"
    assert wateringhole("replay", record, *traits, "--html", target).returncode == 0
    page = visit(target.as_uri())
    expect(page.get_by_text("replays exactly")).to_be_visible()
    page.keyboard.press("End")
    card = page.locator(".mini[data-card-trait]").filter(has=page.locator("use[href='#icon-custom-trait']")).first
    trait = card.get_attribute("data-card-trait")
    card.hover()
    expect(page.get_by_role("tooltip")).to_contain_text((trait or "?").replace("-", " ").capitalize())
    expect(page.locator(".tip .trait-card p")).not_to_be_empty()


def test_replay_shows_a_trait_named_like_a_property_of_every_object(visit: Visit, tmp_path: Path) -> None:
    file = write_traits(tmp_path / "traits.py", constructor=("NoReaction", ""))
    words = ("--deck", "ascending", "--seed", "5", "--quiet", "--record", tmp_path)
    assert wateringhole("play", "evolution", "silly", "silly", "silly", "--traits", file, *words).returncode == 0
    record, target = tmp_path / "evolution-5.jsonl", tmp_path / "game.html"
    assert wateringhole("replay", record, "--traits", file, "--html", target).returncode == 0
    page = visit(target.as_uri())
    expect(page.get_by_text("replays exactly")).to_be_visible()
    page.keyboard.press("End")
    card = page.locator(".mini[data-card-trait=constructor]").first
    expect(card.locator("use[href='#icon-custom-trait']")).to_be_attached()


def test_link_opens_a_frame_and_can_be_copied(visit: Visit, exported: str) -> None:
    page = visit(f"{exported}#frame=7&eyes=1", permissions=["clipboard-read", "clipboard-write"])
    expect(page.get_by_text(re.compile("event 8 of"))).to_be_visible()
    expect(page.get_by_role("group", name="Viewpoint").get_by_role("button").nth(2)).to_have_attribute(
        "aria-pressed", "true"
    )
    page.keyboard.press("ArrowRight")
    page.get_by_role("button", name="Copy link").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    copied = page.evaluate("navigator.clipboard.readText()")
    assert "frame=8" in copied
    assert "eyes=1" in copied


def test_replay_can_be_shared_from_a_phone(visit: Visit, exported: str) -> None:
    page = visit("about:blank", width=360, height=740, has_touch=True, is_mobile=True)
    # A browser without a window has no dialog for sharing.
    page.context.add_init_script("navigator.share = async shared => { window.shared = shared; }")
    page.goto(f"{exported}#frame=7")
    expect(page.get_by_role("button", name="Copy link")).to_be_in_viewport(ratio=1)
    page.get_by_role("button", name="Share").click()
    assert "frame=7" in page.evaluate("shared.url")
