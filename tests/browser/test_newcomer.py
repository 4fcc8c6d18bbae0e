"""A newcomer learns, wins, loses, sees where, invites a friend, and finds everything again the next day."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest

from tests.browser.conftest import SIZES, Visit
from tests.browser.house import House
from tests.browser.newcomer import EVOLUTION, PORRINHA, Lesson, live_through

pytest.importorskip("numba", reason="the extra sim is not installed")


@pytest.fixture
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """Run a server for one story, because it stops for the night."""
    house = House(tmp_path_factory.mktemp("house"))
    yield house
    house.close()


def screen(size: str, locale: str, colours: str) -> dict[str, Any]:
    width, height = SIZES[size]
    touch = {"has_touch": True, "is_mobile": True} if size == "phone" else {}
    return {"width": width, "height": height, "locale": locale, "color_scheme": colours, **touch}


ENGLISH = [screen("wide", "en-GB", "light"), screen("phone", "pt-BR", "dark"), screen("between", "en-GB", "dark")]
PORTUGUESE = [screen("between", "pt-BR", "dark"), screen("phone", "en-GB", "light"), screen("wide", "pt-BR", "light")]

STORIES = [
    pytest.param(PORRINHA, ENGLISH, id="porrinha-en"),
    pytest.param(PORRINHA, PORTUGUESE, id="porrinha-pt", marks=pytest.mark.slow),
    pytest.param(EVOLUTION, ENGLISH, id="evolution-en", marks=pytest.mark.slow),
    pytest.param(EVOLUTION, PORTUGUESE, id="evolution-pt", marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("lesson", "screens"), STORIES)
def test_newcomer_finds_everything_again_the_next_day(
    visit: Visit, house: House, lesson: Lesson, screens: list[dict[str, Any]]
) -> None:
    def restart() -> None:
        house.close()
        house.open()

    live_through(lesson, visit, restart, screens, lambda moment, page: None)
