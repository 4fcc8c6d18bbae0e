"""The coach of a seat: hints from what the seat knows, warnings before costly answers, and tables without a coach."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.house.serving import Message, Seat, run, served
from wateringhole import registry
from wateringhole.errors import OperationError
from wateringhole.facets import Decision, Estimate, Evaluation
from wateringhole.game import JsonObject, Notice
from wateringhole.game import Seat as SeatNumber
from wateringhole.games.evolution.rules.answers import Declaration
from wateringhole.house.coaching import COSTLY, SeatCoach
from wateringhole.house.from_page import AskForHint, AskForWarning
from wateringhole.house.imagination import Imagination

ME = SeatNumber(0)
GAMES = ["evolution", "porrinha"]


class Remembered(Imagination):
    """Returns a given loss for every answer, without imagined games."""

    def __init__(self, loss: float = 0.0, error: float = 0.0) -> None:
        super().__init__()
        self.loss = Estimate(loss, error)
        self.decisions: list[Decision] = []
        self.ready = True

    def is_ready(self, game: str) -> bool:
        return self.ready

    async def evaluate(
        self, game: str, rules: Any, players: int, decisions: Sequence[Decision], which: Any, games: int, seed: int
    ) -> Mapping[int, Evaluation]:
        (decision,) = decisions
        self.decisions.append(decision)
        before, after = Estimate(0.5, 0.01), Estimate(0.5 - self.loss.value, 0.01)
        other = msgspec.structs.replace(decision.answer, food_card=1)
        options = [(other, before), (decision.answer, after)]
        return {0: Evaluation(before, after, self.loss, [(other, 1.0)], False, games, options)}


def open_requests(game: str, players: int, setup: Any = None) -> Any:
    """Return a game at its first requests."""
    kind = registry.game_kind(game)
    return kind.new_game(setup or kind.deal(players, kind.default_rules, 5))


def coach_at(game: Any, name: str, players: int, imagination: Imagination) -> SeatCoach:
    kind = registry.game_kind(name)
    coach = SeatCoach(kind, kind.default_rules, [f"P{seat}" for seat in range(players)], ME, imagination)
    for event in game.opening:
        coach.see(event)
    return coach


async def replies(coach: SeatCoach, request: Any, message: AskForHint | AskForWarning) -> list[JsonObject]:
    return [msgspec.to_builtins(each) async for each in coach.replies(message, request)]


# ── hints ─────────────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("game", GAMES)
def test_hints_come_in_three_levels_at_a_real_table(tmp_path: Path, game: str) -> None:
    async def play() -> list[Message]:
        async with served(tmp_path / "store.db") as house:
            opened = await house.table(game, "me", *(["random", "random"] if game == "evolution" else ["zero"]))
            assert opened.table["coach"]
            async with opened.seat() as me:
                request = await me.until("request")
                hints = []
                for level in (1, 2, 3):
                    await me.send({"type": "hint", "id": request["id"], "level": level})
                    hints.append(await me.until("hint"))
                await me.send({"type": "hint", "id": request["id"] + 1, "level": 1})
                return hints

    look, why, move = run(play())
    assert look["remark"] == why["remark"] == move["remark"]
    assert look["remark"]["name"] in ("food", "danger", "no_prey", "hide")
    assert "move" not in why
    assert move["move"]["text"]
    assert move["move"]["player"] == registry.game_kind(game).coach().best_player  # type: ignore[misc]


def test_a_hint_of_an_unknown_level_is_refused(tmp_path: Path) -> None:
    async def play() -> Message:
        async with served(tmp_path / "store.db") as house:
            opened = await house.table("porrinha", "me", "zero")
            async with opened.seat() as me:
                request = await me.until("request")
                await me.send({"type": "hint", "id": request["id"], "level": 4})
                return await me.until("refused")

    assert run(play())["message"] == "The level of a hint is 1 to 3."


def test_hints_are_equal_for_deals_that_the_seat_cannot_distinguish() -> None:
    kind = registry.game_kind("evolution")
    setup = kind.deal(3, kind.default_rules, 5)
    first = open_requests("evolution", 3, setup)
    hand = set(first.requests[ME].view.hand)
    hidden = [index for index, card in enumerate(setup.deck) if card not in hand]
    deck = list(setup.deck)
    for here, there in zip(hidden, reversed(hidden), strict=True):
        deck[here] = setup.deck[there]
    second = open_requests("evolution", 3, msgspec.structs.replace(setup, deck=tuple(deck)))
    other = SeatNumber(1)
    assert first.requests[ME].view == second.requests[ME].view
    assert first.requests.get(other) != second.requests.get(other) or first.view(other) != second.view(other)
    pytest.importorskip("numba", reason="the extra sim is not installed")

    async def hints(game: Any) -> list[JsonObject]:
        imagination = Imagination()
        try:
            coach = coach_at(game, "evolution", 3, imagination)
            found = [
                each for level in (1, 2, 3) for each in await replies(coach, game.requests[ME], AskForHint(1, level))
            ]
        finally:
            await imagination.close()
        return [{name: value for name, value in each.items() if name != "is_ready"} for each in found]

    async def both() -> tuple[list[JsonObject], list[JsonObject]]:
        return await hints(first), await hints(second)

    one, two = run(both(), 500)
    assert one == two
    assert one[-1]["move"]["chance"] is not None


def test_the_best_players_of_coach_and_analysis_agree() -> None:
    for game in GAMES:
        kind = registry.game_kind(game)
        assert kind.coach is not None
        assert kind.analysis is not None
        assert kind.coach().best_player == kind.analysis().best_player


# ── warnings ──────────────────────────────────────────────────────────────────────────────


def check(imagination: Remembered, times: int = 1) -> list[JsonObject]:
    game = open_requests("evolution", 3)
    request = game.requests[ME]
    answer = registry.game_kind("evolution").codec.answer_to_json(request, Declaration(0))
    coach = coach_at(game, "evolution", 3, imagination)

    async def checks() -> list[JsonObject]:
        return [each for _ in range(times) for each in await replies(coach, request, AskForWarning(1, answer))]

    return run(checks())


def test_a_costly_declaration_gets_one_warning() -> None:
    first, second = check(Remembered(loss=0.12, error=0.01), times=2)
    assert [(option["chance"], option["mine"]) for option in first["warning"]["options"]] == [
        (0.5, False),
        (0.38, True),
    ]
    assert first["warning"]["games"] == 2000
    assert second["warning"] is None


@pytest.mark.parametrize(("loss", "error"), [(COSTLY - 0.01, 0.0), (0.12, 0.1)], ids=["too small", "within the error"])
def test_a_loss_that_is_small_or_uncertain_gets_no_warning(loss: float, error: float) -> None:
    assert [each["warning"] for each in check(Remembered(loss, error))] == [None]


def test_there_are_no_warnings_while_the_coach_gets_ready() -> None:
    imagination = Remembered(loss=0.5)
    imagination.ready = False
    assert [each["warning"] for each in check(imagination)] == [None]
    assert imagination.decisions == []


def test_the_coach_sees_only_what_its_seat_has_seen() -> None:
    imagination = Remembered(loss=0.2)
    check(imagination)
    (decision,) = imagination.decisions
    game = open_requests("evolution", 3)
    seen = [event.seen_by(ME) for event in game.opening if not isinstance(event, Notice)]
    assert list(decision.seen) == [event for event in seen if event is not None]


# ── tables ────────────────────────────────────────────────────────────────────────────────


def test_a_table_with_two_people_has_no_coach(tmp_path: Path) -> None:
    async def play() -> Message:
        async with served(tmp_path / "store.db") as house:
            opened = await house.table("porrinha", "me", "friend")
            me, friend = await opened.seat_all("Bea")
            async with me, friend:
                request = await me.until("request")
                await me.send({"type": "hint", "id": request["id"], "level": 1})
                await me.answer(request)
                await asyncio.gather(me.play(), friend.play())
                assert not me.of_type("hint")
            return opened.table

    assert run(play())["coach"] is False


@pytest.mark.parametrize("rated", [False, True])
def test_people_who_all_agreed_have_a_coach_unless_the_table_is_rated(tmp_path: Path, rated: bool) -> None:
    async def agreed() -> bool:
        async with served(tmp_path / "store.db") as house:
            opened = await house.table("porrinha", "me", "friend", rated=rated)
            async with opened.seat() as me:
                await me.send({"type": "agree", "coach": True})
                await me.until("table")
                table = await house.get(f"/api/tables/{opened.id}")
                assert [seat["wants_coach"] for seat in table["seats"]] == [True, False]
                assert not table["coach"]
                assert house.lobby
                house.lobby.table(opened.id).plan.seats[1].wants_coach = True
                return bool((await house.get(f"/api/tables/{opened.id}"))["coach"])

    assert run(agreed()) is not rated


def test_a_job_that_fails_reports_its_reason() -> None:
    async def play() -> None:
        imagination = Imagination()
        try:
            with pytest.raises(OperationError, match="chess"):
                await imagination.evaluate("chess", None, 2, [], [], 10, 0)
        finally:
            await imagination.close()

    run(play())


# ── the first game ────────────────────────────────────────────────────────────────────────


@pytest.mark.parametrize("game", GAMES)
def test_a_first_game_has_the_same_deal_for_everyone_and_a_rematch_another_one(tmp_path: Path, game: str) -> None:
    async def requests() -> tuple[list[Message], Message]:
        async with served(tmp_path / "store.db") as house:
            first = []
            for name in ("Ada", "Bea"):
                opened = await house.post("/api/tables", {"game": game, "name": name, "first_game": True})
                assert opened["table"]["first_game"]
                assert not opened["table"]["public"]
                me = Seat(house.url, opened["table"]["id"], opened["token"])
                async with me:
                    request = await me.until("request")
                    first.append({"offers": request["offers"], "own": request["scene"].get("own")})
                    if name == "Bea":
                        await me.answer(request)
                        await me.play()
            again = await house.post(f"/api/tables/{opened['table']['id']}/rematch", {"token": opened["token"]})
            return first, again

    (one, two), again = run(requests())
    assert one == two
    assert again["table"]["first_game"] is False
