"""A bad player harms only itself: in this process, in its own process, and as a program.

`tests/house/test_host_cheats.py` tests the same bad players on every kind of connection to a host.
"""

from __future__ import annotations

import os
import shlex
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.cheat_program import DECLARATIONS, FAULTS, FEEDINGS, KINDS, NEVER_RIGHT
from tests.cheats import EvolutionCheat, PorrinhaCheat, verdict_in_python, verdict_on_wire
from wateringhole import fallbacks, registry
from wateringhole.game import Outcome, Seat
from wateringhole.match.loops import play
from wateringhole.match.match import Match, RefereeSettings
from wateringhole.match.record import Recorder, read_record
from wateringhole.match.specs import parse_specs
from wateringhole.options import parse_rules
from wateringhole.player import Player
from wateringhole.process.limits import Isolation, ProcessLimits, find_tagged
from wateringhole.process.player import ProgramPlayer
from wateringhole.testing.bad_players import ISOLATED, PYTHON, Verdict

TIME_LIMIT, AMPLE_TIME = 0.75, 120.0
"""The seconds for an answer in games with a player that is to be late, and in others on a busy machine."""
GAMES = ("evolution", "porrinha")
DECENT = {"evolution": "silly", "porrinha": "random?seed=1"}
CULPRIT = Seat(1)
# The memory limit covers all processes of a player, and a forking one leaves many behind.
LIMITS = ProcessLimits(memory_bytes=256 << 20, answer_seconds=TIME_LIMIT)
ISOLATION = Isolation(isolates=True, limits=LIMITS)
PROGRAM = Path(__file__).with_name("cheat_program.py")
# Named from the root of the project, so that the isolated process can import it.
CLASSES = {"evolution": "tests.cheats:EvolutionCheat", "porrinha": "tests.cheats:PorrinhaCheat"}
BAD_ANSWERS = [
    *(f"illegal {name}" for name in (*DECLARATIONS, *FEEDINGS)),
    *(f"fault {name}" for name in FAULTS),
    NEVER_RIGHT,
]


def cases(kinds: list[str] | tuple[str, ...], verdict: Any) -> list[Any]:
    return [
        pytest.param(game, kind, verdict(kind, game), id=f"{kind} in {game}")
        for kind in kinds
        for game in GAMES
        if verdict(kind, game) is not None
    ]


@contextmanager
def seated(game: str, culprit: str, isolation: Isolation) -> Iterator[list[Player]]:
    players: list[Player] = []
    try:
        for named in parse_specs(game, [DECENT[game], culprit, DECENT[game], DECENT[game]], isolation):
            players.append(named.make())
        yield players
    finally:
        for player in players:
            player.close()


def play_with(game: str, players: list[Player], time_limit: float | None) -> tuple[Outcome, list[str], bytes]:
    """Play a game, and return its outcome, the lines about incidents, and its record."""
    kind = registry.game_kind(game)
    setup = kind.deal(4, kind.default_rules, 0)
    names = ["a", "culprit", "c", "d"]
    narrator = fallbacks.text(kind).narrator(names)
    incidents: list[str] = []
    recorder = Recorder(kind, setup, names)
    match = Match(
        kind,
        setup,
        names,
        referee=RefereeSettings(time_limit=time_limit),
        recorder=recorder,
        observers=[lambda event: incidents.extend(narrator.incidents(event))],
    )
    play(match, players)
    assert match.outcome is not None
    return match.outcome, incidents, recorder.text()


def check(verdict: Verdict, outcome: Outcome, incidents: list[str], record: bytes) -> None:
    if verdict.reasons:
        (thrown,) = outcome.thrown_out
        assert thrown.seat == CULPRIT
        assert thrown.forfeit.reason in verdict.reasons
        assert verdict.message in thrown.forfeit.message
        assert " " in thrown.forfeit.message, "the message is a text"
    else:
        assert outcome.thrown_out == ()
        assert any("culprit" in line for line in incidents) == verdict.is_incident
    # The others played to the end, and the record verifies it.
    assert outcome.reason in ("the deck is too small for another turn", "finished")
    for _ in read_record(record).replay().events():
        pass


def descriptors() -> int:
    return len(os.listdir("/proc/self/fd"))


@pytest.mark.parametrize(
    ("game", "kind", "verdict"),
    cases([*(kind for kind in PYTHON if kind not in ISOLATED), *BAD_ANSWERS], verdict_in_python),
)
def test_a_bad_player_in_this_process_harms_only_itself(game: str, kind: str, verdict: Verdict) -> None:
    decent = [named.make() for named in parse_specs(game, [DECENT[game]] * 3)]
    classes: dict[str, Callable[[str], Any]] = {"evolution": EvolutionCheat, "porrinha": PorrinhaCheat}
    culprit = classes[game](kind)
    check(verdict, *play_with(game, [decent[0], culprit, *decent[1:]], TIME_LIMIT))


def in_a_process(game: str, culprit: str, verdict: Verdict) -> None:
    before = descriptors()
    seconds = TIME_LIMIT if "late" in verdict.reasons else AMPLE_TIME
    limits = msgspec.structs.replace(LIMITS, answer_seconds=seconds)
    with seated(game, culprit, msgspec.structs.replace(ISOLATION, limits=limits)) as players:
        program = players[CULPRIT].program  # type: ignore[attr-defined]
        assert isinstance(players[CULPRIT], ProgramPlayer)
        check(verdict, *play_with(game, players, seconds))
    assert find_tagged(program.tag) == []
    assert not program.folder.exists()
    assert descriptors() == before


@pytest.mark.parametrize(("game", "kind", "verdict"), cases([*PYTHON], verdict_in_python))
def test_an_isolated_bad_player_harms_only_itself(game: str, kind: str, verdict: Verdict) -> None:
    in_a_process(game, f"{CLASSES[game]}?kind={kind}", verdict)


@pytest.mark.slow
@pytest.mark.parametrize(("game", "kind", "verdict"), cases(BAD_ANSWERS, verdict_in_python))
def test_a_bad_answer_of_an_isolated_player_harms_only_itself(game: str, kind: str, verdict: Verdict) -> None:
    in_a_process(game, f"{CLASSES[game]}?kind={kind}", verdict)


@pytest.mark.parametrize(("game", "kind", "verdict"), cases(KINDS, verdict_on_wire))
def test_a_bad_program_harms_only_itself(game: str, kind: str, verdict: Verdict) -> None:
    in_a_process(game, "cmd:" + shlex.join([sys.executable, str(PROGRAM), kind]), verdict)


def test_several_bad_players_at_one_table_harm_only_themselves() -> None:
    kinds = ("silent", "a gigabyte", "aborting", "junk", "illegal 2 no such card", "forking")
    specs = ["silly", *("cmd:" + shlex.join([sys.executable, str(PROGRAM), kind]) for kind in kinds), "greedy"]
    kind = registry.game_kind("evolution")
    setup = kind.deal(8, kind.profiles["course"].rules, 3)
    players = [named.make() for named in parse_specs("evolution", specs, ISOLATION)]
    try:
        match = Match(kind, setup, referee=RefereeSettings(time_limit=TIME_LIMIT))
        play(match, players)
    finally:
        for player in players:
            player.close()
    assert match.outcome is not None
    assert sorted(thrown.seat for thrown in match.outcome.thrown_out) == [1, 2, 3, 4, 5]
    assert sorted(standing.seat for standing in match.outcome.ranking) == [0, 6, 7]


def test_a_game_without_right_guesses_is_stopped() -> None:
    kind = registry.game_kind("porrinha")
    specs = ["cmd:" + shlex.join([sys.executable, str(PROGRAM), NEVER_RIGHT])] * 2
    players = [named.make() for named in parse_specs("porrinha", specs, ISOLATION)]
    try:
        match = Match(kind, kind.deal(2, parse_rules(["max_rounds=100"], kind.profiles)))
        play(match, players)
    finally:
        for player in players:
            player.close()
    assert match.outcome is not None
    assert match.outcome.reason == "max_rounds"
    assert match.outcome.unranked == (0, 1)
