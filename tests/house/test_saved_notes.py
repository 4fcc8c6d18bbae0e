"""What a table saves beside its record: removed players, and answers that wait for others."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.house.serving import Opened, process, run
from wateringhole.house.resume import Note, SavedGame
from wateringhole.match.record import read_record

REASON = "removed by the player who opened the table"


def test_removal_survives_a_kill_before_the_referee_acts(tmp_path: Path) -> None:
    async def remove() -> None:
        store = tmp_path / "s.sqlite"
        async with process(store) as (server, running):
            table = await server.table("evolution", "me", "friend", "silly")
            ada, bea = await table.seat_all("Bea")
            async with ada, bea:
                await asyncio.gather(ada.until("request"), bea.until("request"))
                await server.post(f"/api/tables/{table.id}/remove", {"token": table.owner, "seat": 1}, 200)
                # Ada has not answered, so it is not Bea's turn yet.
                thrown = await bea.until("thrown_out")
                assert (thrown["reason"], thrown["message"]) == ("left", f"{REASON.capitalize()}.")
                running.kill()
                await running.wait()
        async with process(store) as (server, _):
            again = Opened(server, {"table": table.table, "token": table.token, "invitations": []})
            async with again.seat() as ada:
                over = await ada.play()
            assert [(line["name"], line["out"]) for line in over["standings"] if line["out"]] == [
                ("Bea", f"{REASON.capitalize()}.")
            ]
            assert list(read_record(await server.finished(table.id)).replay().events())

    run(remove())


def test_recorded_answer_replaces_its_note() -> None:
    header = b'{"format":"wateringhole-record","version":1,"game":"x","rules_version":1,"names":[],"setup":{}}\n'
    note = Note(seat=0, answer=3, request="sha256:1").line()  # type: ignore[arg-type]
    answer = b'{"seat":0,"request":"hand","answer":3,"ms":1}\n'
    assert SavedGame(header + note).take_answer(0) is not None  # type: ignore[arg-type]
    assert SavedGame(header + note + answer).take_answer(0) is None  # type: ignore[arg-type]
    assert SavedGame(header + answer + note[:-1]).take_answer(0) is None, "an incomplete line counts"  # type: ignore[arg-type]
