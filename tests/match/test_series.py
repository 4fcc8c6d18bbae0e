"""A series can be replayed from its records alone, and a record of another game is refused."""

from __future__ import annotations

import contextlib
import json
from typing import Any

import msgspec
import pytest

from wateringhole import registry
from wateringhole.errors import OperationError
from wateringhole.match.series import Entrant, PlayedGame, Series, make_entrants
from wateringhole.match.specs import parse_specs
from wateringhole.player import InProcess

GAMES = pytest.mark.parametrize("game", ["evolution", "porrinha"])
BOTS = {"evolution": ["silly", "greedy", "silly"], "porrinha": ["random", "zero", "counter"]}


def a_series(game: str, entrants: Any, **changes: Any) -> Series:
    kind = registry.game_kind(game)
    chosen = {"kind": kind, "rules": kind.default_rules, "seeds": [7, 8, 9], "rotate_seats": True}
    return Series(entrants=entrants, keeps_records=True, **(chosen | changes))


def played(game: str) -> list[PlayedGame]:
    with contextlib.ExitStack() as stack:
        kind = registry.game_kind(game)
        entrants = make_entrants(kind, parse_specs(game, BOTS[game]), 7, stack, lambda player: player.close())
        return list(a_series(game, entrants).play())


def absent(game: str, *names: str) -> list[Entrant]:
    """Return entrants who cannot play any more."""
    labels = [spec.label for spec in parse_specs(game, BOTS[game])]
    return [Entrant(name, InProcess()) for name in names or labels]


@GAMES
def test_a_series_is_replayed_from_its_records_alone(game: str) -> None:
    games = played(game)
    records = [each.record_bytes or b"" for each in games]
    assert list(a_series(game, absent(game)).replay(records)) == games
    assert all(sum(each.seconds) > 0 for each in games)


@GAMES
def test_a_record_with_other_seats_is_refused(game: str) -> None:
    records = [each.record_bytes or b"" for each in played(game)]
    with pytest.raises(OperationError, match="the record names the players"):
        list(a_series(game, absent(game), rotate_seats=False).replay(records))


def test_a_record_of_another_deal_is_refused() -> None:
    records = [each.record_bytes or b"" for each in played("evolution")]
    with pytest.raises(OperationError, match="another deal"):
        list(a_series("evolution", absent("evolution"), seeds=[8, 9, 10]).replay(records))


def test_a_record_of_another_player_is_refused() -> None:
    records = [each.record_bytes or b"" for each in played("evolution")]
    with pytest.raises(OperationError, match="names the players silly 1, greedy, silly 2, not Ada, greedy, silly 2"):
        list(a_series("evolution", absent("evolution", "Ada", "greedy", "silly 2")).replay(records))


def test_a_record_of_another_game_is_refused() -> None:
    records = [each.record_bytes or b"" for each in played("porrinha")]
    with pytest.raises(OperationError, match="is of porrinha, not of evolution"):
        list(a_series("evolution", absent("evolution")).replay(records))


def test_a_record_out_of_order_is_refused() -> None:
    first, second, third = (each.record_bytes or b"" for each in played("porrinha"))
    with pytest.raises(OperationError):
        list(a_series("porrinha", absent("porrinha")).replay([second, first, third]))


@GAMES
def test_the_seconds_are_those_of_the_record(game: str) -> None:
    for each in played(game):
        spent = [0.0] * 3
        for line in (each.record_bytes or b"").splitlines()[1:-1]:
            answer = msgspec.json.decode(line)
            spent[answer["seat"]] += answer["ms"] / 1000
        assert each.seconds == pytest.approx(spent, abs=1e-9)
        assert json.dumps(each.seconds) == json.dumps(each.record.seconds())
