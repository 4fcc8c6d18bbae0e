"""Every pinned bad answer breaks the same rule, with the same message."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tests.pinned import access, golden

REQUESTS = golden.read_json("requests.json")
CASES = [json.loads(line) for line in golden.read("violations.jsonl").splitlines()]

RULES = {
    "answer-shape",
    "body-limit",
    "card-used-twice",
    "equal-traits",
    "fat-over-hole",
    "fat-room",
    "guess_range",
    "guess_taken",
    "hand_range",
    "ill-shaped",
    "lay-on-old-board",
    "most-traits-laid",
    "new-board-side",
    "no-animals",
    "no-declining",
    "no-fat-room",
    "no-food-card",
    "no-such-board",
    "no-such-card",
    "no-such-opponent",
    "no-such-slot",
    "no-such-target",
    "no-such-trait",
    "not-a-carnivore",
    "not-a-step",
    "not-a-vegetarian",
    "not-an-order",
    "not-hungry",
    "own-board",
    "population-limit",
    "protected-by-burrowing",
    "protected-by-climbing",
    "protected-by-hard-shell",
    "protected-by-herding",
    "protected-by-symbiosis",
    "protected-by-warning-call",
    "too-many-traits",
    "two-food-cards",
}
"""All rules that a request, a draft, a stepwise player or the page names."""


def _verdict(case: dict[str, Any]) -> dict[str, Any]:
    return access.verdict(case.get("game", "evolution"), REQUESTS[case["request"]], case)


REWORDED = {"card-used-twice", "no-animals", "no-such-target", "not-an-order"}
"""The rules, beside `protected-by-…`, whose messages once counted seats from 0 and did not name cards."""


def _comparable(verdict: dict[str, Any]) -> dict[str, Any]:
    """Return a verdict without the modules of quoted classes, which have moved, and without reworded page texts."""
    found = dict(verdict)
    if "message" in found:
        found["message"] = re.sub(r"<class '[^']*\.(\w+)'>", r"<class '\1'>", found["message"])
    page = found.get("page") or {}
    if page.get("rule") in REWORDED or page.get("rule", "").startswith("protected-by-"):
        found["page"] = {"rule": page["rule"]}
    return found


@pytest.mark.parametrize("request_name", REQUESTS)
def test_pinned_bad_answers_get_the_same_rule_and_message(request_name: str) -> None:
    mine = [case for case in CASES if case["request"] == request_name]
    assert mine
    for case in mine:
        assert _comparable(_verdict(case)) == _comparable(case["verdict"]), case


@pytest.mark.parametrize("name", REQUESTS)
def test_pinned_requests_are_rewritten_unchanged(name: str) -> None:
    game = "porrinha" if name in ("hand", "guess") else "evolution"
    more = {"refused": 0} if name == "guess" else {}
    assert access.request_again(game, REQUESTS[name]) == {**REQUESTS[name], **more}


def test_pinned_bad_answers_break_every_rule() -> None:
    broken = set()
    for case in CASES:
        verdict = case["verdict"]
        for violation in (verdict, verdict.get("page") or {}, verdict.get("unfinished") or {}):
            broken.add(violation.get("rule"))
    assert broken - {None} == RULES
    faults = {case["verdict"].get("fault") for case in CASES}
    assert faults - {None} == {"hand_range", "guess_negative", "guess_high", "guess_taken", "not_a_number"}


def test_a_changed_answer_gets_another_message() -> None:
    case = next(case for case in CASES if case.get("answer") == [9, [], [], [], []])
    assert _verdict({**case, "answer": [10, [], [], [], []]}) != case["verdict"]
