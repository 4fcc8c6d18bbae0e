"""Ranges of games: in order, and growing up to a certain duration."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from wateringhole.sim import game_ranges
from wateringhole.sim.game_ranges import GameRanges


@pytest.mark.parametrize("games", [1, 7, 1000])
def test_every_game_is_in_one_range_in_order(games: int) -> None:
    ranges = list(GameRanges(games, 2))
    assert [game for start, stop in ranges for game in range(start, stop)] == [*range(games)]


def test_ranges_grow_until_they_take_long_enough(monkeypatch: pytest.MonkeyPatch) -> None:
    now = 0.0
    monkeypatch.setattr(game_ranges, "CALL_SECONDS", 1.0)
    monkeypatch.setattr(game_ranges, "time", SimpleNamespace(perf_counter=lambda: now))
    lengths = []
    for start, stop in GameRanges(1000, 2):
        lengths.append(stop - start)
        now += (stop - start) / 64
    assert lengths == [2, 8, 32, *[64] * 14, 62]


def test_two_iterators_share_the_games_until_they_are_stopped() -> None:
    shared = GameRanges(100, 1)
    one, two = iter(shared), iter(shared)
    assert [next(one), next(two)] == [(0, 1), (1, 2)]
    shared.stop()
    assert [*one, *two] == []
