"""Humans at a table of Evolution decide at the same time, although the dealer asks them in turn."""

from __future__ import annotations

import asyncio
from pathlib import Path

from tests.house.serving import Message, Opened, Seat, Served, run, served
from wateringhole import fallbacks, registry
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.match.record import read_record


async def _seats(server: Served, *others: str, turns: int = 1) -> tuple[Opened, list[Seat]]:
    """Set up a table of Ada and friends, whom the dealer asks in the order of the seats."""
    table = await server.table("evolution", "me", *others, options={"most_turns": turns})
    return table, await table.seat_all(*["Bea", "Cyd"][: len(table.invitations)])


def _food_cards(message: Message) -> dict[int, int | None]:
    return {card["seat"]: card["points"] for card in message["scene"]["food_cards"]}


def test_early_declaration_is_visible_but_hidden_from_others(tmp_path: Path) -> None:
    async def play() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table, (ada, bea) = await _seats(server, "friend", "silly")
            async with ada, bea, table.spectator() as spectator:
                asked = await ada.until("request", request="declare")
                await bea.answer(await bea.until("request", request="declare"))
                own = _food_cards(await bea.until("scene"))
                assert set(own) == {1}
                assert type(own[1]) is int
                for other in (ada, spectator):
                    assert _food_cards(await other.until("scene")) == {1: None}
                    assert (await other.until("waiting", seats=[0]))["seconds"] > 0
                # A reopened page shows the same.
                async with Seat(server.url, table.id, bea.token) as again:
                    assert _food_cards(await again.until("event")) == own
                    assert (await again.until("waiting"))["seats"] == [0]
                    await ada.answer(asked)
                    await asyncio.gather(ada.play(), again.play())
                    assert {request["request"] for request in again.of_type("request")} <= {"feed"}
            record = read_record(await server.finished(table.id))
            assert [answer.seat for answer in record.answers if answer.request == "declare"] == [0, 1, 2]

    run(play())


def test_repeated_request_clears_the_early_declaration() -> None:
    kind = registry.game_kind("evolution")
    game = kind.new_game(kind.deal(3, kind.profiles["course"].rules, 5))
    (first,), request = game.requests.values(), game.upcoming[0]
    for seat in (None, first.seat, request.seat):
        builder = fallbacks.page(registry.game_kind("evolution")).scenes(["Ada", "Bea", "Cyd"], seat)
        builder.answered(request, request.ask(Silly()) if seat == request.seat else None)
        assert [card["seat"] for card in builder.scene()["food_cards"]] == [request.seat]
        builder.asked(dict.fromkeys((first.seat, request.seat), "declare"))
        assert builder.scene()["food_cards"] == []


def test_leaving_repeats_the_requests_of_the_others(tmp_path: Path) -> None:
    async def play() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            _, (ada, bea, cyd) = await _seats(server, "friend", "friend")
            async with ada, bea, cyd:
                requests = [await seat.until("request", request="declare") for seat in (ada, bea, cyd)]
                await bea.answer(requests[1])
                await cyd.until("scene")
                await ada.send({"type": "leave"})
                again = [await seat.until("request", request="declare") for seat in (bea, cyd)]
                # Cyd, who had not declared, gets the same request, so the page keeps the draft.
                assert again[1]["id"] == requests[2]["id"]
                assert again[0]["id"] != requests[1]["id"]
                for request in again:
                    assert _food_cards(request) == {}
                    assert [player["seat"] for player in request["scene"]["players"]] == [1, 2]
                await bea.answer(again[0])
                await cyd.answer(again[1])
                one, other = await asyncio.gather(bea.play(), cyd.play())
            assert one == other
            assert [line["seat"] for line in one["standings"]][-1] == 0

    run(play())


def test_leaving_after_an_early_declaration_forfeits(tmp_path: Path) -> None:
    async def play() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            # The referee notices a player who has left at the next notice, if not before.
            _, (ada, bea) = await _seats(server, "friend", "silly", "silly", turns=2)
            async with ada, bea:
                asked = await ada.until("request", request="declare")
                await bea.answer(await bea.until("request", request="declare"))
                await ada.until("scene")
                await bea.send({"type": "leave"})
                await ada.answer(asked)
                over = await ada.play()
            assert over["standings"][-1]["seat"] == 1
            assert over["standings"][-1]["out"] == "Left the table."

    run(play())


def test_early_declaration_is_kept_over_a_restart(tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"

    async def play() -> None:
        async with served(store) as server:
            table, (ada, bea) = await _seats(server, "friend", "silly", turns=2)
            async with ada, bea:
                asked = await ada.until("request", request="declare")
                request = await bea.until("request", request="declare")
                await bea.answer(request)
                await ada.until("scene")
        async with served(store) as server:
            back = [Seat(server.url, table.id, seat.token) for seat in (ada, bea)]
            async with back[0], back[1]:
                overs = await asyncio.gather(*(seat.play() for seat in back))
            assert overs[0] == overs[1]
            first, second = [seat.of_type("request")[0]["id"] for seat in back]
            assert (first, second) == (asked["id"], request["id"] + 1), "only Ada is asked again"

    run(play())
