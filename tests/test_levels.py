"""Levels of the built-in bots."""

from __future__ import annotations

import pytest
from tools.rate_bots import rate

from wateringhole import fallbacks, registry
from wateringhole.house.page import describe
from wateringhole.levels import HIGHEST, POINTS_PER_LEVEL, Compared, level_of, levels, rating_after

GAMES = [kind.name for kind in registry.kinds() if kind.bots and kind.bots().levels]


def test_levels_begin_at_the_weakest_bot_and_end_at_the_highest() -> None:
    found = [level_of(1000 + points, 1000) for points in (0, POINTS_PER_LEVEL - 1, POINTS_PER_LEVEL, 100_000)]
    assert found == [1, 1, 2, HIGHEST]


@pytest.mark.parametrize("game", GAMES)
def test_every_builtin_bot_has_a_level_or_a_reason_why_not(game: str) -> None:
    kind = registry.game_kind(game)
    stored = levels(kind)
    bots = {name for name, bot in fallbacks.bots(kind).items() if not bot.human}
    assert stored.players.keys() <= bots
    assert bots <= stored.players.keys() | {name for name, reason in stored.unrated.items() if reason}
    assert not stored.players.keys() & stored.unrated.keys()


@pytest.mark.parametrize("game", GAMES)
def test_stored_levels_follow_from_the_stored_ratings(game: str) -> None:
    stored = levels(registry.game_kind(game))
    weakest = min(rated.rating for rated in stored.players.values())
    for name, rated in stored.players.items():
        assert rated.level == level_of(rated.rating, weakest)
        assert 0 < rated.error < POINTS_PER_LEVEL
        if name in stored.compared:
            compared = stored.compared[name]
            assert rated == rating_after(compared, stored.players[compared.against], weakest)
            continue
        ratings = [tables.ratings[name] for tables in stored.tables]
        assert rated.rating == pytest.approx(sum(ratings) / len(ratings), abs=0.1)


def test_a_tournament_rates_every_bot_that_is_not_left_out() -> None:
    found = rate(registry.game_kind("porrinha"), 16, 1, 1, {"expert": "slow", "equilibrium": "slow"})
    assert found.players.keys() == {"random", "zero", "counter"}
    assert found.unrated == {"expert": "slow", "equilibrium": "slow"}
    assert [tables.seats for tables in found.tables] == [2, 3, 8]


def test_a_comparison_rates_a_bot_that_is_too_slow_for_the_tournament() -> None:
    slow = {"expert": Compared("counter", -0.1, 0.3), "equilibrium": Compared("counter", 0.0, 0.0)}
    found = rate(registry.game_kind("porrinha"), 16, 1, 1, {}, compared=slow)
    assert found.compared == slow
    counter, expert, equal = (found.players[name] for name in ("counter", "expert", "equilibrium"))
    assert (equal.rating, equal.error) == (counter.rating, counter.error)
    assert expert.rating > counter.rating
    assert expert.error >= counter.error


def test_the_page_gets_the_level_of_each_bot() -> None:
    stored = levels(registry.game_kind("porrinha")).players
    shown = {player["name"]: player["level"] for player in describe("porrinha")["players"]}
    assert shown["random"] == stored["random"].level == 1


@pytest.mark.parametrize("game", GAMES)
def test_every_builtin_bot_has_its_own_portrait(game: str) -> None:
    rated = {player["name"]: player for player in describe(game)["players"]}
    faces = [rated[name]["face"] for name, bot in fallbacks.bots(registry.game_kind(game)).items() if not bot.human]
    assert None not in faces
    assert len({tuple(face.items()) for face in faces}) == len(faces)
