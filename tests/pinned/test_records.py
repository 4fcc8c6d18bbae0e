"""Pinned records replay, are rewritten unchanged, and the same players produce them again."""

from __future__ import annotations

import json
from typing import Any

import pytest

from tests.pinned import access, golden

RECORDS = golden.names_under("records")
PLANS = golden.names_under("plans")


@pytest.mark.parametrize("name", RECORDS)
def test_pinned_record_replays(name: str) -> None:
    text = golden.read(name)
    assert access.outcome_of(text) == json.loads(text.splitlines()[-1])["result"]


@pytest.mark.parametrize("name", RECORDS)
def test_pinned_record_is_rewritten_unchanged(name: str) -> None:
    assert access.record_again(golden.read(name)) == golden.read(name)


def _marked(plan: str) -> Any:
    # Creating a thousand players takes seconds.
    return pytest.param(plan, marks=pytest.mark.slow) if "-1000" in plan else plan


@pytest.mark.parametrize("plan", [_marked(plan) for plan in PLANS])
def test_the_same_players_produce_the_pinned_record(plan: str) -> None:
    name = plan.removeprefix("plans/").removesuffix(".json")
    for number, record in enumerate(access.play_planned(golden.read_json(plan)), 1):
        golden.compare_lines(f"records/{name}-{number}.jsonl", record)


def test_pinned_records_match_the_plans() -> None:
    stems = {name.removeprefix("records/").rpartition("-")[0] for name in RECORDS}
    assert stems == {name.removeprefix("plans/").removesuffix(".json") for name in PLANS}


def _forfeits(name: str) -> list[dict[str, Any]]:
    lines = [json.loads(line) for line in golden.read(name).splitlines()]
    return [line["forfeit"] for line in lines if "forfeit" in line]


@pytest.mark.parametrize("game", ["evolution", "porrinha"])
def test_pinned_records_cover_every_forfeit_and_every_profile(game: str) -> None:
    mine = [name for name in RECORDS if name.startswith(f"records/{game}-")]
    reasons = {forfeit["reason"] for name in mine for forfeit in _forfeits(name)}
    assert reasons == {"exception", "late", "illegal", "unreadable", "disconnected", "left"}
    for profile in access.profiles(game):
        assert any(name.startswith(f"records/{game}-{profile}-") for name in mine)


def _changed(name: str, old: bytes, new: bytes) -> bytes:
    text = golden.read(name)
    assert old in text
    return text.replace(old, new, 1)


@pytest.mark.parametrize(
    ("name", "old", "new"),
    [
        ("records/evolution-course-3-1.jsonl", b'"score":', b'"score":1'),
        ("records/evolution-illegal-feedings-1.jsonl", b"has no fat tissue", b"has no fat"),
        ("records/evolution-course-3-1.jsonl", b'"declare","answer":[0,', b'"declare","answer":[1,'),
        ("records/porrinha-seed-2-1.jsonl", b'"request":"hand","answer":0', b'"request":"hand","answer":1'),
    ],
)
def test_a_changed_record_does_not_replay(name: str, old: bytes, new: bytes) -> None:
    with pytest.raises(access.Error):
        access.outcome_of(_changed(name, old, new))


def test_a_record_of_other_players_differs() -> None:
    plan = golden.read_json("plans/evolution-course-3.json")
    (other,) = access.play_planned({**plan, "seed": plan["seed"] + 1})
    with pytest.raises(AssertionError, match="line 1 differs"):
        golden.compare_lines("records/evolution-course-3-1.jsonl", other)
