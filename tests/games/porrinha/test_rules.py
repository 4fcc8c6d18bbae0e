"""The options: their names, values and profiles."""

from __future__ import annotations

import msgspec
import pytest

from wateringhole.errors import UsageError
from wateringhole.formatting import sentence
from wateringhole.games.porrinha import KIND, MOST_ROUNDS, PROFILES, Rules
from wateringhole.options import describe, parse_rules

# The rulebook's table: every named option, its value in `seed`, its value in `original`.
OPTIONS = {
    "sticks": (3, 3),
    "opening_zero": ("allowed", "allowed"),
    "lead_after_win": ("winner", "winner"),
    "finish": ("last_loses", "last_loses"),
    "taken_guess": ("void", "void"),
    "max_rounds": (None, None),
    "on_failure": ("remove", "remove"),
    "closing_call": ("end_game", "begin_game"),
    "end_round_to": ("all", "played"),
    "end_round_from": ("this", "next"),
    "absent_hand": ("none", "stale"),
    "last_winner": ("settled", "live"),
    "opening_guesses": ("pending", "stale"),
}


def test_profiles_are_those_of_the_rulebook() -> None:
    assert list(PROFILES) == ["seed", "original"]
    for number, profile in enumerate(PROFILES.values()):
        assert {name: getattr(profile, name) for name in Rules.__struct_fields__} == {
            name: values[number] for name, values in OPTIONS.items()
        }


def test_only_the_game_kind_limits_rounds() -> None:
    assert list(KIND.profiles) == list(PROFILES)
    for name, profile in PROFILES.items():
        assert KIND.profiles[name].rules == msgspec.structs.replace(profile, max_rounds=MOST_ROUNDS)
    assert parse_rules(["sticks=2"], KIND.profiles).max_rounds == MOST_ROUNDS
    assert parse_rules(["original", "max_rounds=none"], KIND.profiles) == PROFILES["original"]


def test_every_option_is_explained() -> None:
    for option in describe(KIND.profiles):
        # The page makes a sentence of each phrase.
        assert sentence(option.text) not in (".", option.text), option.name
        assert option.values


def test_rules_are_parsed_from_text() -> None:
    chosen = parse_rules(["original", "sticks=3,2,1", "max_rounds=40", "taken_guess=again"], KIND.profiles)
    assert (chosen.sticks, chosen.max_rounds, chosen.taken_guess, chosen.absent_hand) == (
        (3, 2, 1),
        40,
        "again",
        "stale",
    )
    assert parse_rules(["max_rounds=none"], KIND.profiles).max_rounds is None


@pytest.mark.parametrize("word", ["sticks=0", "sticks=3,0", "max_rounds=0", "finish=never", "stick=3", "sticks=many"])
def test_bad_rules_are_usage_errors(word: str) -> None:
    with pytest.raises(UsageError):
        parse_rules([word], KIND.profiles)
