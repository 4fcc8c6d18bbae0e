"""Every hostile player of the catalogue in every mode, with the result that the catalogue states."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.hostile import player as hostile
from tests.hostile.arena import Game, arena
from tests.hostile.catalogue import ATTACKS, MODES, Attack, Result
from wateringhole.errors import UsageError
from wateringhole.process.cgroups import find_cgroups
from wateringhole.process.sandbox import check_sandbox

PROBES = [attack for attack in ATTACKS if attack.is_probe]
OTHERS = [attack for attack in ATTACKS if not attack.is_probe]
SLOWING = "slow down another player with fifty busy processes"
STARTS = [*((mode, False) for mode in MODES), ("isolated", True), ("sandboxed", True)]
"""The modes, and whether a preloaded parent forks the players."""
RUN = [
    pytest.param(attack, mode, is_forked, id=f"{attack.name}, {mode}{', forked' if is_forked else ''}")
    for mode, is_forked in STARTS
    for attack in OTHERS
    if attack.expected(mode) is not Result.NOTHING_PREVENTS_IT
]


def skip_without(mode: str, attack: Attack | None = None) -> None:
    """Skip a test, with the reason, where this machine lacks what the mode needs."""
    if mode == "sandboxed":
        try:
            check_sandbox()
        except UsageError as why:
            pytest.skip(str(why))
    if mode != "in process" and attack and attack.needs and attack.needs not in find_cgroups().controllers:
        pytest.skip(f"no control group can limit {attack.needs} here: {find_cgroups().kind}")


@pytest.fixture(scope="module", params=STARTS, ids=lambda start: f"{start[0]}{', forked' if start[1] else ''}")
def probed(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Game]]:
    """A mode, and a game in it with an accomplice and a player that attempts everything that only looks."""
    mode, is_forked = request.param
    skip_without(mode)
    with arena(tmp_path_factory.mktemp("arena")) as made:
        yield mode, made.play(mode, [[], [attack.name for attack in PROBES]], is_forked=is_forked)


def test_every_attack_has_code() -> None:
    assert [attack.name for attack in ATTACKS] == [*hostile.ATTACKS]


@pytest.mark.parametrize("attack", PROBES, ids=lambda attack: attack.name)
def test_looking_around_has_the_stated_result(attack: Attack, probed: tuple[str, Game]) -> None:
    mode, game = probed
    assert game.damage == [], game.text
    assert attack.name in game.attempted, game.text
    assert (attack.name in game.evidence) == (attack.expected(mode) is Result.SUCCEEDS), game.text


@pytest.mark.parametrize(
    "is_forked", [pytest.param(False, id="started", marks=pytest.mark.slow), pytest.param(True, id="forked")]
)
@pytest.mark.parametrize("mode", ["isolated", "sandboxed"])
def test_attacks_that_fail_do_no_damage_together(mode: str, is_forked: bool, tmp_path: Path) -> None:
    skip_without(mode)
    failing = [attack for attack in OTHERS if attack.expected(mode) is Result.FAILS and not attack.needs]
    harmless = [attack.name for attack in failing if not attack.is_fatal]
    fatal = [[attack.name] for attack in failing if attack.is_fatal]
    with arena(tmp_path) as made:
        game = made.play(mode, [harmless, *fatal], is_forked=is_forked)
    assert game.damage == [], game.text[-3000:]
    assert not any(game.evidence.values()), game.evidence
    assert game.attempted == {attack.name for attack in failing}
    assert hostile.UNSAFE not in game.text


@pytest.mark.slow
@pytest.mark.parametrize(("attack", "mode", "is_forked"), RUN)
def test_an_attack_has_the_stated_result(attack: Attack, mode: str, is_forked: bool, tmp_path: Path) -> None:
    skip_without(mode, attack)
    # With its fair share of the processors, the other player needs a fifth of a second; with as much as each of fifty
    # processes on two processors, five seconds.
    turn_seconds, options = (0.2, ("--time-limit", "4")) if attack.name == SLOWING else (0.0, ())
    with arena(tmp_path, turn_seconds) as made:
        game = made.play(mode, [[attack.name]], options, is_forked=is_forked)
    assert game.succeeded(attack.name) == (attack.expected(mode) is Result.SUCCEEDS), (game.damage, game.text[-3000:])
    assert game.damage or attack.name in game.attempted
    assert hostile.UNSAFE not in game.text
