"""Every bad player of the catalogue connects to a host, over every kind of connection and in both games.

The game must end properly, and only the culprit may be thrown out, with a readable reason.
`tests.house.hosting.run` checks that every task, socket, descriptor and process is released.
"""

from __future__ import annotations

import asyncio
import math
import shlex
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests import cheat_program
from tests.cheat_program import KINDS
from tests.cheats import LINES, verdict_on_line
from tests.house.cheating import cheat, connect
from tests.house.hosting import EVOLUTION, LIMITS, PORRINHA, hosted, run
from wateringhole import fallbacks
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.games.porrinha.bots.counter import Counter
from wateringhole.house.host import HostedGame
from wateringhole.process.limits import Isolation, ProcessLimits
from wateringhole.testing.bad_players import Verdict
from wateringhole.testing.bad_program import NOTHING, TOO_LATE

pytest.importorskip("websockets")

GAMES: dict[str, Any] = {"evolution": EVOLUTION, "porrinha": PORRINHA}
BOTS = {"evolution": ["silly"], "porrinha": ["random?seed=1"]}
SEED = 4
"""A seed with which every bad player gets to misbehave."""
AT_ONCE = 8
TIME_LIMIT, AMPLE_TIME = 2.0, 60.0
"""The seconds for an answer at tables with a player that is to be late, and at others on a busy machine."""
assert TIME_LIMIT < TOO_LATE
ATTEMPTS = 3
"""On a very busy machine, a decent player may be late, too; a fault of the host shows in each attempt."""
COMBINATIONS = [
    # over TCP, over WebSocket, as a program among the bots
    ("silent", "junk", "aborting"),
    ("a gigabyte", "closing mid-answer", "silent"),
    ("deep nesting", "one byte a second", "a flood"),
    ("closing", "giving up", "allocating"),
    ("invalid UTF-8", "a gigabyte", "closing"),
]
SHORT_LIMITS = msgspec.structs.replace(LIMITS, reconnect_seconds=0.1)


async def culprit_and_others(game: str, line: str, kind: str, time_limit: float) -> list[HostedGame]:
    """Play a game with a culprit and a later one at another table of the same host.  Return them as they end."""
    async with hosted(
        GAMES[game],
        4,
        games=2,
        tables=2,
        seed=SEED,
        time_limit=time_limit,
        limits=SHORT_LIMITS,
        bots=BOTS[game],
        start_delay=0,
        keeps_records=True,
        choices={},
    ) as table:
        wires = []
        plays = []
        for name, does in (("culprit", kind), ("decent", NOTHING)):
            wires.append(await connect(line, table.port))
            await wires[-1].sign_up(name)
            await table.logged(f"begins: {name!r}" if game == "porrinha" else f"begins: '{name}#1'")
            plays.append(asyncio.create_task(cheat(wires[-1], does)))
        games = [await table.game(), await table.game()]
        # The decent player ends with the last game; the culprit may still misbehave.
        await plays[1]
        plays[0].cancel()
        await asyncio.gather(*plays, return_exceptions=True)
        for wire in wires:
            await wire.close()
        return games


def complaints(verdict: Verdict, game: str, games: list[HostedGame]) -> list[str]:
    """Return what the host did wrong with a bad player."""
    wrong = []
    played, other = sorted(games, key=lambda played: played.number)
    if verdict.reasons == {"late"} and games != [other, played]:
        wrong.append("the other table waited for the culprit as long as its own table")
    record = played.played.record
    narrator = fallbacks.text(GAMES[game]).narrator(played.names)
    incidents = [incident for event in record.replay().events() for incident in narrator.incidents(event)]
    outcome = played.played.outcome
    if verdict.reasons:
        thrown_out = {int(thrown.seat): thrown.forfeit for thrown in outcome.thrown_out}
        if thrown_out.keys() != {0}:
            wrong.append(f"thrown out: {thrown_out}")
        elif thrown_out[0].reason not in verdict.reasons or verdict.message not in thrown_out[0].message:
            wrong.append(f"wrong reason: {thrown_out[0]}")
        elif " " not in thrown_out[0].message:
            wrong.append(f"no readable reason: {thrown_out[0]}")
    else:
        if outcome.thrown_out:
            wrong.append(f"thrown out: {outcome.thrown_out}")
        if any("culprit" in incident for incident in incidents) != verdict.is_incident:
            wrong.append(f"incidents: {incidents}")
    if outcome.reason not in ("the deck is too small for another turn", "finished"):
        wrong.append(f"end: {outcome.reason}")
    if other.played.outcome.thrown_out:
        wrong.append(f"at another table: {other.played.outcome.thrown_out}")
    return wrong


@pytest.mark.parametrize(
    ("game", "line"),
    [("evolution", line) for line in LINES] + [("porrinha", line) for line in LINES if line != "course"],
)
def test_bad_remote_player_harms_only_itself(game: str, line: str) -> None:
    verdicts = {kind: verdict for kind in KINDS if (verdict := verdict_on_line(kind, game, line))}

    async def several_at_once() -> list[list[str]]:
        # Not all: some send as fast as they can, and on a busy machine decent players would be late.
        free = asyncio.Semaphore(AT_ONCE)

        async def one(kind: str) -> list[str]:
            async with free:
                time_limit = TIME_LIMIT if "late" in verdicts[kind].reasons else AMPLE_TIME
                for _ in range(ATTEMPTS):
                    games = await culprit_and_others(game, line, kind, time_limit)
                    if not (wrong := complaints(verdicts[kind], game, games)):
                        break
                return wrong

        return await asyncio.gather(*map(one, verdicts))

    wrong = zip(verdicts, run(several_at_once()), strict=True)
    assert {kind: found for kind, found in wrong if found} == {}


# All kinds of players at one table

PROGRAM = "cmd:" + shlex.join([sys.executable, str(Path(cheat_program.__file__))])
DECENT_PROGRAM = f"Pia={PROGRAM} {NOTHING}"
DECENT_WORKER = {
    "evolution": "Wes=tests.house.test_host_cheats:Thinker",
    "porrinha": "Wes=tests.house.test_host_cheats:Counting",
}
ISOLATION = Isolation(isolates=True, limits=ProcessLimits(memory_bytes=128 << 20, answer_seconds=TIME_LIMIT))


class Thinker(Silly):
    """An untrusted player, so it is isolated in its own process."""


class Counting(Counter):
    """An untrusted player of Porrinha."""


async def one_table(
    game: str, players: Sequence[tuple[str, str]], bots: Sequence[str], time_limit: float
) -> HostedGame:
    """Play a game of remote players, by line and kind, with bots."""
    async with hosted(
        GAMES[game],
        len(players) + len(bots),
        time_limit=time_limit,
        limits=SHORT_LIMITS,
        bots=bots,
        isolation=ISOLATION,
        seed=SEED,
        start_delay=math.inf,
        keeps_records=True,
        choices={},
    ) as table:
        wires = []
        for line, kind in players:
            wires.append(await connect(line, table.port))
            await wires[-1].sign_up(f"{line} {kind}")
            await table.signed_up(f"{line} {kind}")
        table.end_start_delay()
        plays = [asyncio.create_task(cheat(wire, kind)) for wire, (_, kind) in zip(wires, players, strict=True)]
        played = await table.game()
        for play in plays:
            play.cancel()
        await asyncio.gather(*plays, return_exceptions=True)
        for wire in wires:
            await wire.close()
        assert list(played.played.record.replay().events())
        return played


def lines_of(game: str) -> list[str]:
    return [line for line in LINES if line != "course" or game == "evolution"]


@pytest.mark.parametrize("game", GAMES)
def test_players_of_every_kind_play_at_one_table(game: str) -> None:
    players = [(line, NOTHING) for line in lines_of(game)]
    in_process = ["greedy" if game == "evolution" else "counter"]
    played = run(one_table(game, players, [*in_process, DECENT_PROGRAM, DECENT_WORKER[game]], AMPLE_TIME))
    assert len(played.names) == len(players) + 3
    assert played.played.outcome.thrown_out == ()


@pytest.mark.parametrize("kinds", COMBINATIONS, ids=" and ".join)
@pytest.mark.parametrize("game", GAMES)
def test_bad_players_of_every_kind_do_not_spoil_the_game_of_the_others(game: str, kinds: tuple[str, str, str]) -> None:
    over_tcp, over_websocket, in_program = kinds
    lines = lines_of(game)
    players = [("TCP", over_tcp), (lines[-1], NOTHING), ("WebSocket", over_websocket)]
    in_process = ["silly" if game == "evolution" else "random?seed=1"]
    bots = [*in_process, f"Bad={PROGRAM} {shlex.quote(in_program)}", DECENT_PROGRAM]
    culprits = {f"TCP {over_tcp}", f"WebSocket {over_websocket}", "Bad"}
    for _ in range(ATTEMPTS):
        played = run(one_table(game, players, bots, TIME_LIMIT))
        outcome = played.played.outcome
        names = [name.partition("#")[0] for name in played.names]
        out = {names[thrown.seat]: thrown.forfeit for thrown in outcome.thrown_out}
        if out.keys() == culprits:
            break
    assert out.keys() == culprits
    assert all(" " in forfeit.message for forfeit in out.values())
    assert {names[standing.seat] for standing in outcome.ranking} >= {*names} - out.keys()
