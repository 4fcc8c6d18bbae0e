"""Every bad remote player of the catalogue at the tables of a house with its page, over every raw transport.

`test_host_cheats` has the same catalogue for a host, and `test_page_cheats` for the page's socket.
"""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from pathlib import Path

import httpx
import msgspec
import pytest

from tests.cheat_program import KINDS
from tests.cheats import LINES, verdict_on_line
from tests.house.cheating import cheat, connect
from tests.house.serving import Served, run, served
from wateringhole.game import Outcome
from wateringhole.house.limits import HouseLimits
from wateringhole.match.record import Record, read_record
from wateringhole.seeds import game_seed
from wateringhole.testing.bad_players import Verdict

LIMITS = HouseLimits(
    reconnect_seconds=0.3, tables_per_address=200, connections_per_address=1000, signups_per_second=1000
)
BOTS = {"evolution": ["silly"] * 3, "porrinha": ["random", "random", "random"]}
OPTIONS = {"evolution": {}, "porrinha": {"sticks": 2}}
SEED = game_seed(4, 0)
"""A seed with which every bad player gets to misbehave."""
AT_ONCE = 8
TIME_LIMIT, AMPLE_TIME = 2.0, 60.0
"""The seconds for an answer at tables with a player that is to be late, and at others on a busy machine."""
ATTEMPTS = 3
"""On a very busy machine, a decent player may be late, too; a fault of the house shows in each attempt."""


async def culprit_at_a_table(server: Served, game: str, line: str, kind: str, seating: asyncio.Lock) -> Record:
    """Play a game of a culprit with bots, and return its record."""
    # A player without a code takes the first open seat, so only one table may have one.
    async with seating:
        table = await server.table(game, "friend", *BOTS[game], options=OPTIONS[game])
        wire = await connect(line, httpx.URL(server.url).port or 0)
        await wire.sign_up("culprit")
        await server.log.line_with(f"at table {table.id} from")
    play = asyncio.create_task(cheat(wire, kind))
    record = await server.finished(table.id)
    play.cancel()
    await asyncio.gather(play, return_exceptions=True)
    await wire.close()
    return read_record(record, "The record")


def complaints(verdict: Verdict, record: Record) -> list[str]:
    """Return what the house did wrong with a bad player."""
    outcome = msgspec.json.decode(record.result, type=Outcome)
    thrown_out = {int(thrown.seat): thrown.forfeit for thrown in outcome.thrown_out}
    if thrown_out.keys() != ({0} if verdict.reasons else set()):
        return [f"thrown out: {thrown_out}"]
    if verdict.reasons and thrown_out[0].reason not in verdict.reasons:
        return [f"wrong reason: {thrown_out[0]}"]
    if verdict.reasons and (verdict.message not in thrown_out[0].message or " " not in thrown_out[0].message):
        return [f"wrong message: {thrown_out[0]}"]
    return []


@pytest.mark.parametrize(
    ("game", "line"),
    [("evolution", line) for line in LINES] + [("porrinha", line) for line in LINES if line != "course"],
)
def test_bad_remote_player_at_a_table_of_the_page_harms_only_itself(
    game: str, line: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("wateringhole.house.plans.new_seed", lambda: SEED)
    verdicts = {kind: verdict for kind in KINDS if (verdict := verdict_on_line(kind, game, line))}

    async def several_at_once(kinds: Sequence[str]) -> list[Record]:
        free, seating = asyncio.Semaphore(AT_ONCE), asyncio.Lock()
        async with served(tmp_path / "s.sqlite", LIMITS) as server:

            async def one(kind: str) -> Record:
                async with free:
                    return await culprit_at_a_table(server, game, line, kind, seating)

            return await asyncio.gather(*map(one, kinds))

    wrong: dict[str, list[str]] = {}
    for time_limit in (TIME_LIMIT, AMPLE_TIME):
        kinds = [kind for kind in verdicts if ("late" in verdicts[kind].reasons) == (time_limit == TIME_LIMIT)]
        monkeypatch.setattr("wateringhole.house.lobby.BOT_SECONDS", time_limit)
        for _ in range(ATTEMPTS):
            records = run(several_at_once(kinds), 240)
            wrong |= {kind: complaints(verdicts[kind], record) for kind, record in zip(kinds, records, strict=True)}
            kinds = [kind for kind in kinds if wrong[kind]]
            if not kinds:
                break
    assert {kind: found for kind, found in wrong.items() if found} == {}
