"""Humans at tables: whole games, invitations, drafts and previews."""

from __future__ import annotations

import asyncio
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from tests.house.serving import BOTS, Message, Seat, run, served
from wateringhole.match.record import read_record


@pytest.mark.parametrize(
    ("game", "profile"),
    [("evolution", "course"), ("evolution", "framework"), ("porrinha", "seed"), ("porrinha", "original")],
)
def test_human_plays_a_whole_game_against_bots(tmp_path: Path, game: str, profile: str) -> None:
    async def play() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table(game, "me", *BOTS[game], profile=profile)
            async with table.seat() as seat:
                over = await seat.play()
            assert over["type"] == "over"
            assert sorted(line["seat"] for line in over["standings"]) == [0, 1, 2, 3]
            assert [line["out"] for line in over["standings"]] == [None] * 4
            record = read_record(await server.finished(table.id))
            assert sum(1 for _ in record.replay().events())
            assert seat.of_type("refused") == []

    run(play())


def test_two_humans_play_at_one_table(tmp_path: Path) -> None:
    async def play() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "friend", "random")
            assert table.table["state"] == "waiting"
            ada, bea = await table.seat_all("Bea")
            async with ada, bea:
                overs = await asyncio.gather(ada.play(), bea.play())
            assert overs[0] == overs[1]
            assert {line["name"] for line in overs[0]["standings"]} == {"Ada", "Bea", "random"}

    run(play())


def test_invitation_works_for_one_friend(tmp_path: Path) -> None:
    async def invite() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "friend", "friend", public=False)
            first, second = table.invitations
            assert (await server.get("/api/lobby"))["open"] == []
            await table.take_seat(first, "Bea")
            secret = first.partition("#invite=")[2]
            address = f"/api/tables/{table.id}/seat"
            again = await server.post(address, {"invitation": secret, "name": "Eve"}, 409)
            uninvited = await server.post(address, {"name": "Eve"}, 409)
            assert "no free seat" in again["problem"]
            assert "no free seat" in uninvited["problem"]
            await table.take_seat(second, "Ada")
            names = [seat["name"] for seat in (await server.get(f"/api/tables/{table.id}"))["seats"]]
            assert names == ["Ada", "Bea", "Ada 2"]

    run(invite())


# Drafts and previews


def test_draft_is_built_step_by_step_and_names_what_is_missing(tmp_path: Path) -> None:
    async def build() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("evolution", "me", "silly", "silly")
            async with table.seat() as seat:
                request = await seat.until("request", request="declare")
                assert request["offers"]["missing"] == "Put one card into the watering hole first."
                assert request["offers"]["answer"] is None
                given = await seat.draft(request, [{"step": "food", "card": 0}])
                assert given["missing"] is None
                assert given["answer"] == [0, [], [], [], []]
                assert all(offer["card"] != 0 for offer in given["offers"])
                bought = await seat.draft(request, [*given["steps"], {"step": "buy", "card": 1}])
                assert len(bought["boards"]) == len(given["boards"]) + 1
                undone = await seat.draft(request, bought["steps"][:-1])
                assert undone == given

    run(build())


def test_illegal_step_is_explained_and_does_not_change_the_draft(tmp_path: Path) -> None:
    async def attempt() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("evolution", "me", "silly", "silly")
            async with table.seat() as seat:
                request = await seat.until("request", request="declare")
                one = await seat.draft(request, [{"step": "food", "card": 0}])
                refused = await seat.draft(request, [*one["steps"], {"step": "body", "card": 0, "board": 0}])
                assert refused["refused"]["rule"] == "card-used-twice"
                assert " is used twice: as food and to grow" in refused["refused"]["message"]
                assert {**refused, "refused": None} == one

    run(attempt())


def test_unreadable_draft_is_rejected_with_a_message(tmp_path: Path) -> None:
    wrong: list[Any] = [
        None,
        7,
        [7],
        [{}],
        [{"step": "fly", "card": 0}],
        [{"step": "food"}],
        [{"step": "food", "card": "0"}],
    ]

    async def attempt() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("evolution", "me", "silly", "silly")
            async with table.seat() as seat:
                request = await seat.until("request")
                for steps in wrong:
                    await seat.send({"type": "draft", "id": request["id"], "steps": steps})
                    refused = await seat.until("refused")
                    assert refused["rule"] == "unreadable", steps
                    assert refused["message"].endswith("."), steps

    run(attempt())


def test_illegal_answer_is_rejected_and_the_request_stays_open(tmp_path: Path) -> None:
    async def attempt() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("evolution", "me", "silly", "silly")
            async with table.seat() as seat:
                request = await seat.until("request", request="declare")
                answers = {"no-such-card": [99, [], [], [], []], "card-used-twice": [0, [[0, 0]], [], [], []]}
                for rule, answer in answers.items():
                    await seat.send({"type": "answer", "id": request["id"], "answer": answer})
                    assert (await seat.until("refused"))["rule"] == rule
                await seat.answer(request)
                await seat.until("event", number=seat.of_type("event")[-1]["number"] + 1)

    run(attempt())


def test_invalid_number_is_rejected_and_asked_again(tmp_path: Path) -> None:
    async def attempt() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "zero")
            async with table.seat() as seat:
                hand = await seat.until("request", request="hand")
                for wrong in (-1, 4, "2", None, 1.5):
                    await seat.send({"type": "answer", "id": hand["id"], "answer": wrong})
                    assert (await seat.until("refused"))["message"] == "You can hide 0 to 3 of your sticks."
                await seat.answer(hand)
                guess = await seat.until("request", request="guess")
                assert guess["scene"]["own_hand"] is not None
                await seat.send({"type": "answer", "id": guess["id"], "answer": 7})
                assert (await seat.until("refused"))["message"] == "The sum is a number from 0 to 6."

    run(attempt())


def test_message_about_another_request_is_ignored(tmp_path: Path) -> None:
    async def attempt() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "zero")
            async with table.seat() as seat:
                hand = await seat.until("request", request="hand")
                for id in (hand["id"] - 1, hand["id"] + 1, str(hand["id"]), None):
                    for answer in (3, 99):
                        await seat.send({"type": "answer", "id": id, "answer": answer})
                await seat.send({"type": "answer", "id": hand["id"], "answer": 2})
                guess = await seat.until("request", request="guess")
                assert guess["scene"]["own_hand"] == 2
                assert guess["id"] != hand["id"]
                await seat.send({"type": "answer", "id": hand["id"], "answer": 99})
                await seat.answer(guess)
                await seat.until("request")
                assert seat.of_type("refused") == []

    run(attempt())


class _Hunter(Seat):
    """Fills the watering hole and raises carnivores, so that there is something to preview."""

    async def _declare(self, request: Message) -> Any:
        hand = request["scene"]["own"]["hand"]
        cards = sorted(range(len(hand)), key=lambda card: (hand[card][1] == "carnivore", -hand[card][0]))
        food, *others = cards
        wanted: list[Message] = [{"step": "food", "card": food}]
        if hand[others[-1]][1] == "carnivore":
            new = len(request["scene"]["own"]["boards"])
            wanted.append({"step": "buy", "card": others.pop(0)})
            wanted.append({"step": "lay", "card": others.pop(), "board": new})
        wanted += [{"step": "population", "card": card, "board": 0} for card in others]
        return (await self.draft(request, wanted))["answer"]


def test_preview_matches_the_events_that_follow(tmp_path: Path) -> None:
    async def compare() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("evolution", "me", "greedy", "random", seed=25, options={"auto_feed": False})
            types = Counter[str]()
            async with _Hunter(server.url, table.id, table.token) as seat:
                while (message := await seat.play(lambda message: message.get("request") == "feed"))["type"] != "over":
                    chosen = message["offers"]["options"][-1]
                    await seat.send({"type": "preview", "id": message["id"], "answer": chosen["answer"]})
                    steps = (await seat.until("preview"))["steps"]
                    await seat.send({"type": "answer", "id": message["id"], "answer": chosen["answer"]})
                    events: list[Message] = []
                    while len(events) < len(steps):
                        events.append(await seat.until("event"))
                    assert [_public_part(step) for step in steps] == [_public_part(event) for event in events]
                    types[chosen["type"]] += 1
                    if chosen["type"] == "attack":
                        assert len(steps) > 2
            assert types["eat"] > 2
            assert types["attack"] > 2

    run(compare())


def _public_part(step: Message) -> tuple[Any, ...]:
    """Return an event without the fields that only its owner knows."""
    event = {name: value for name, value in step["event"].items() if name != "cards"}
    return event, step["scene"]["hole"], [player["boards"] for player in step["scene"]["players"]]
