"""The analyses of finished games: made in the background, with progress, and kept."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.house.serving import Message, run, served

pytest.importorskip("numba", reason="the extra sim is not installed")


def test_a_finished_game_is_analysed_once_with_progress(tmp_path: Path) -> None:
    async def play() -> tuple[list[Any], Message, Message]:
        async with served(tmp_path / "store.db") as house:
            opened = await house.table("porrinha", "me", "zero", seed=3)
            async with opened.seat() as me:
                await me.play()
            await house.finished(opened.id)
            states: list[Message] = []

            def is_done(state: Message) -> bool:
                states.append(state)
                return "progress" not in state

            done = await house.get_until(f"/api/games/{opened.id}/analysis", is_done)
            progress = [state["progress"] for state in states[:-1]]
            return progress, done, await house.get(f"/api/games/{opened.id}/analysis")

    progress, first, again = run(play())
    assert progress == sorted(progress)
    assert all(0 <= each < 1 for each in progress)
    assert first == again
    analysis = first["analysis"]
    assert [line["seat"] for line in analysis["lines"]] == [0, 1]
    assert analysis["frames"] > analysis["turns"][-1]["frame"]
    points = [point for point in analysis["turningPoints"] if point["seat"] == 0]
    assert len(points) <= 3
    for point in points:
        assert 2 <= len(point["options"]) <= 3
        assert [option["mine"] for option in point["options"]][-1]


def test_an_analysis_is_made_again_after_a_restart(tmp_path: Path) -> None:
    async def restart() -> list[Message]:
        answers = []
        async with served(tmp_path / "store.db") as house:
            opened = await house.table("porrinha", "me", "zero", seed=3)
            async with opened.seat() as me:
                await me.play()
            await house.finished(opened.id)
            answers.append(await house.get(f"/api/games/{opened.id}/analysis"))
        async with served(tmp_path / "store.db") as house:
            answers.append(await house.get(f"/api/games/{opened.id}/analysis"))
        return answers

    before, after = run(restart())
    assert before == after
    assert after["progress"] == 0


def test_a_game_that_does_not_exist_has_no_analysis(tmp_path: Path) -> None:
    async def ask() -> int:
        async with served(tmp_path / "store.db") as house:
            answer = await house.http.get("/api/games/nothing/analysis")
            return answer.status_code

    assert run(ask()) == 404
