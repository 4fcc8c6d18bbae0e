"""A newcomer learns, wins, loses, sees where, invites a friend, and finds everything again the next day."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.browser.conftest import Visit
from tests.browser.house import House
from tests.browser.newcomer import (
    EVOLUTION,
    GAMES_FOR_A_RATING,
    IN_ENGLISH,
    IN_PORTUGUESE,
    PORRINHA,
    Lesson,
    Screen,
    live_through,
)

pytest.importorskip("numba", reason="the extra sim is not installed")


@pytest.fixture
def house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """Run a server for one story, because it stops for the night."""
    house = House(tmp_path_factory.mktemp("house"))
    yield house
    house.close()


STORIES = [
    pytest.param(PORRINHA, IN_ENGLISH, 1, id="porrinha-en"),
    pytest.param(PORRINHA, IN_PORTUGUESE, 1, id="porrinha-pt"),
    pytest.param(EVOLUTION, IN_ENGLISH, GAMES_FOR_A_RATING, id="evolution-en"),
    pytest.param(EVOLUTION, IN_PORTUGUESE, 1, id="evolution-pt"),
]


@pytest.mark.slow
@pytest.mark.parametrize(("lesson", "screens", "rated_games"), STORIES)
def test_newcomer_finds_everything_again_the_next_day(
    visit: Visit, house: House, lesson: Lesson, screens: list[Screen], rated_games: int
) -> None:
    def restart() -> None:
        house.close()
        house.open()

    live_through(lesson, screens, rated_games, visit, restart, lambda moment, page: None)
