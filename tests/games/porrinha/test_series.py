"""Series with players that fail in any call: they end, and their records replay."""

from __future__ import annotations

from typing import Any

import msgspec
from hypothesis import given
from hypothesis import strategies as st

from wateringhole import registry
from wateringhole.game import Event
from wateringhole.games.porrinha.bots.player import Player
from wateringhole.match.match import LateFailure
from wateringhole.match.series import Entrant, Series
from wateringhole.player import PlayerContext

PORRINHA = registry.game_kind("porrinha")
CALLS = ("begin_game", "hand", "guess", "end_round", "end_game")


class Failing(Player):
    """A player that answers legally, and fails in the n-th of some of its calls."""

    def __init__(self, failures: dict[str, int]) -> None:
        self._left = dict(failures)

    def _call(self, name: str) -> None:
        if name in self._left:
            self._left[name] -= 1
            if self._left[name] < 0:
                raise RuntimeError(f"no more {name}")

    def begin_game(self) -> None:
        self._call("begin_game")

    def hand(self) -> int:
        self._call("hand")
        return self.core.chopsticks(self.core.index(self)) // 2

    def guess(self) -> int:
        self._call("guess")
        return next(value for value in range(self.core.chopstick_count() + 1) if self.core.valid_guess(value))

    def end_round(self) -> None:
        self._call("end_round")

    def end_game(self) -> None:
        self._call("end_game")


failures = st.dictionaries(st.sampled_from(CALLS), st.integers(0, 6), max_size=3)


@given(
    st.lists(failures, min_size=2, max_size=4),
    st.sampled_from(["seed", "original"]),
    st.sampled_from(["remove", "repair"]),
    st.booleans(),
)
def test_a_series_with_failing_players_always_ends_and_replays(
    players: list[dict[str, int]], profile: str, on_failure: Any, rotate: bool
) -> None:
    rules = msgspec.structs.replace(PORRINHA.profiles[profile].rules, on_failure=on_failure, max_rounds=12)
    with PlayerContext(len(players)):
        entrants = [Entrant(f"player {number}", Failing(each)) for number, each in enumerate(players)]
    series = Series(
        kind=PORRINHA, entrants=entrants, rules=rules, seeds=[1, 2, 3], rotate_seats=rotate, keeps_records=True
    )
    events: list[Event] = []
    games = list(series.play(lambda names: [events.append]))
    assert len(games) == 3
    for played in games:
        assert set(played.outcome.places()) == set(range(len(players)))
        replayed = list(played.record.replay().events())
        assert [event for event in replayed if event not in events] == []


def test_a_failure_after_the_end_is_reported() -> None:
    with PlayerContext(2):
        entrants = [Entrant("a", Failing({"end_game": 0})), Entrant("b", Failing({}))]
    rules = msgspec.structs.replace(PORRINHA.profiles["seed"].rules, sticks=1, max_rounds=20)
    events: list[Event] = []
    (played,) = Series(kind=PORRINHA, entrants=entrants, rules=rules, seeds=[1]).play(lambda names: [events.append])
    assert played.outcome.thrown_out == ()
    assert [event.seat for event in events if isinstance(event, LateFailure)] == [0]
