"""Every option of the rules has an entry in the compiled game, and refused values are refused with a reason."""

from __future__ import annotations

import re
from typing import Any

import msgspec
import pytest

from wateringhole import registry
from wateringhole.errors import UsageError
from wateringhole.options import describe, read_value
from wateringhole.sim.game import compiled_game
from wateringhole.sim.options import Encoded, NoEffect, Refused

COMPILED = [kind.name for kind in registry.kinds() if kind.compiled]


def test_both_games_are_compiled() -> None:
    assert {"evolution", "porrinha"} <= set(COMPILED)


@pytest.mark.parametrize("game", COMPILED)
def test_every_rules_option_has_exactly_one_entry(game: str) -> None:
    rules = registry.game_kind(game).default_rules
    assert list(compiled_game(game).options) == list(rules.__struct_fields__)


@pytest.mark.parametrize("game", COMPILED)
def test_every_entry_has_a_reason_or_a_place_of_its_own(game: str) -> None:
    compiled = compiled_game(game)
    places = [entry.place for entry in compiled.options.values() if isinstance(entry, Encoded)]
    assert len(set(places)) == len(places)
    assert all(0 <= place < compiled.state for place in places)
    for entry in compiled.options.values():
        if isinstance(entry, NoEffect | Refused):
            assert entry.reason


def refused(game: str) -> list[tuple[str, str, Any, str]]:
    """Return all values that are refused whatever the other options are."""
    kind = registry.game_kind(game)
    usual = kind.default_rules
    rows = []
    for option in describe(kind.profiles):
        entry = compiled_game(game).options[option.name]
        if isinstance(entry, Refused):
            values = [read_value(type(usual), option.name, word) for word in option.choices or ()]
            others = [value for value in values if value != getattr(usual, option.name)]
            rows += [(game, option.name, value, entry.reason) for value in others]
        elif isinstance(entry, Encoded):
            rows += [(game, option.name, value, reason) for value, reason in entry.refusals.items()]
    return rows


@pytest.mark.parametrize(("game", "option", "value", "reason"), [row for game in COMPILED for row in refused(game)])
def test_refused_values_are_refused_with_their_reason(game: str, option: str, value: Any, reason: str) -> None:
    rules = msgspec.structs.replace(registry.game_kind(game).default_rules, **{option: value})
    with pytest.raises(UsageError, match=f"{option}=.* cannot be simulated: {re.escape(reason)}"):
        compiled_game(game).setup(rules, 4)


@pytest.mark.parametrize("game", COMPILED)
def test_options_without_effect_do_not_change_the_row(game: str) -> None:
    kind, compiled = registry.game_kind(game), compiled_game(game)
    usual = kind.default_rules
    expected = compiled.setup(usual, 4).tolist()
    for option in describe(kind.profiles):
        if isinstance(compiled.options[option.name], NoEffect):
            for word in option.choices or ():
                value = read_value(type(usual), option.name, word)
                rules = msgspec.structs.replace(usual, **{option.name: value})
                assert compiled.setup(rules, 4).tolist() == expected, (option.name, value)
