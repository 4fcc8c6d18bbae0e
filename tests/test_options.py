"""Rules of any game as frozen records of named options."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
import pytest

from wateringhole import options, registry
from wateringhole.errors import UsageError
from wateringhole.options import Profile, describe, option, parse_rules, value_to_text


class Rules(options.Rules, frozen=True, kw_only=True):
    loud: Annotated[bool, option("whether players shout")] = False
    pace: Annotated[Literal["slow", "fast"], option("how fast it goes")] = "slow"
    sticks: Annotated[int, option("how many there are", values="1 to 9", least=1, most=9)] = 3
    limit: Annotated[Annotated[int, msgspec.Meta(ge=0)] | None, option("how many at most")] = None
    order: Annotated[tuple[int, ...], option("who goes when", values="numbers")] = ()


PROFILES = {
    "plain": Profile(Rules(), "As it comes."),
    "wild": Profile(Rules(loud=True, pace="fast", order=(3, 2)), "As it goes."),
}


def _parse(*words: str) -> Rules:
    return parse_rules(words, PROFILES)


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ([], Rules()),
        (["wild"], PROFILES["wild"].rules),
        (["loud=true"], Rules(loud=True)),
        (["pace=fast", "pace=slow"], Rules()),
        (["sticks=9"], Rules(sticks=9)),
        (["limit=4"], Rules(limit=4)),
        (["limit=4", "limit=none"], Rules()),
        (["order=4,1,2"], Rules(order=(4, 1, 2))),
        (["wild", "loud=false"], Rules(pace="fast", order=(3, 2))),
        (["loud=true", "plain"], Rules()),
    ],
    ids=lambda part: " ".join(part) if isinstance(part, list) else "",
)
def test_words_are_parsed_as_rules(words: list[str], expected: Rules) -> None:
    assert _parse(*words) == expected


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("tame", "rules 'tame': there is no such profile. Choose from: plain, wild. An option is given as name=value."),
        (
            "load=true",
            "rules option 'load' does not exist. Did you mean loud? Choose from: loud, pace, sticks, limit, order.",
        ),
        ("=true", "rules option '' does not exist. Choose from: loud, pace, sticks, limit, order."),
        ("loud=1", "rules option loud=1: the values of loud are true, false."),
        ("loud=True", "rules option loud=True: the values of loud are true, false. Did you mean true?"),
        ("pace=none", "rules option pace=none: the values of pace are slow, fast."),
        ("pace=", "rules option pace=: the values of pace are slow, fast."),
        ("sticks=10", "rules option sticks=10: the values of sticks are 1 to 9."),
        ("sticks=true", "rules option sticks=true: the values of sticks are 1 to 9."),
        ("sticks=NaN", "rules option sticks=NaN: the values of sticks are 1 to 9."),
        ("limit=-1", "rules option limit=-1: the values of limit are a whole number, none."),
        ("order=1,x", "rules option order=1,x: the values of order are numbers."),
    ],
)
def test_a_bad_word_is_refused_with_the_valid_ones(word: str, message: str) -> None:
    with pytest.raises(UsageError) as caught:
        _parse(word)
    assert str(caught.value) == message


def test_options_are_described_with_their_values_in_every_profile() -> None:
    described = {each.name: each for each in describe(PROFILES)}
    assert list(described) == ["loud", "pace", "sticks", "limit", "order"]
    assert described["pace"].text == "how fast it goes"
    assert {name: option.values for name, option in described.items()} == {
        "loud": "true, false",
        "pace": "slow, fast",
        "sticks": "1 to 9",
        "limit": "a whole number, none",
        "order": "numbers",
    }
    assert {name: each.profiles for name, each in described.items()} == {
        "loud": {"plain": "false", "wild": "true"},
        "pace": {"plain": "slow", "wild": "fast"},
        "sticks": {"plain": "3", "wild": "3"},
        "limit": {"plain": "none", "wild": "none"},
        "order": {"plain": "", "wild": "3,2"},
    }


@pytest.mark.parametrize(
    ("value", "typed"), [(None, "none"), (True, "true"), (False, "false"), (7, "7"), ("fast", "fast"), ((1, 2), "1,2")]
)
def test_a_value_is_written_as_it_is_typed(value: Any, typed: str) -> None:
    assert value_to_text(value) == typed


def test_rules_from_a_file_with_unknown_options_are_refused() -> None:
    with pytest.raises(msgspec.ValidationError, match="unknown field `fast`"):
        msgspec.convert({"fast": True}, Rules)


def test_rules_are_frozen_and_equal_when_their_options_are() -> None:
    assert Rules(limit=1) == Rules(limit=1) != Rules(limit=2)
    with pytest.raises(AttributeError):
        Rules().loud = True  # type: ignore[misc]


@pytest.mark.parametrize("game", registry.game_names())
def test_every_listed_value_of_every_option_can_be_parsed(game: str) -> None:
    kind = registry.game_kind(game)
    for each in describe(kind.profiles):
        for word in (*(each.choices or ()), *each.profiles.values()):
            rules = parse_rules([f"{each.name}={word}"], kind.profiles)
            assert value_to_text(getattr(rules, each.name)) == word
