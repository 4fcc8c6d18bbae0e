"""Replays of recorded games, from the server and as a self-contained file."""

from __future__ import annotations

import base64
import functools
import gzip
import hashlib
import html
import json
import re
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import msgspec
import pytest

from tests.cli.running import called
from tests.house.serving import run, served
from wateringhole import registry
from wateringhole.errors import OperationError
from wateringhole.game import Notice, Seat
from wateringhole.games.evolution.rules.events import TurnEnded
from wateringhole.match.record import Record, read_record
from wateringhole.match.series import Entrant, Series
from wateringhole.match.specs import parse_specs
from wateringhole.web.export import embedded, export
from wateringhole.web.files import read
from wateringhole.web.replays import replay_of

PLAYERS = {
    "evolution": ("greedy", "<b>=silly", "random?seed=3"),
    "porrinha": ("zero", "random?seed=4", "counter"),
}
GAMES = pytest.mark.parametrize("game", ["evolution", "porrinha"])


@functools.cache
def _text(game: str, profile: str | None = None) -> bytes:
    kind = registry.game_kind(game)
    entrants = [Entrant(named.label, named.make()) for named in parse_specs(game, PLAYERS[game])]
    rules = kind.profiles[profile].rules if profile else kind.default_rules
    (played,) = Series(kind=kind, entrants=entrants, rules=rules, seeds=[5], keeps_records=True).play()
    assert played.record_bytes is not None
    return played.record_bytes


def _record(game: str, profile: str | None = None) -> Record:
    return read_record(_text(game, profile) if profile else _text(game))


@pytest.mark.parametrize(
    ("game", "profile"),
    [("evolution", "course"), ("evolution", "framework"), ("porrinha", "seed"), ("porrinha", "original")],
)
def test_replay_has_a_frame_per_event_and_a_label_per_turn(game: str, profile: str) -> None:
    record = _record(game, profile)
    replay = replay_of(record)
    events = [event for event in record.replay().events() if not isinstance(event, Notice)]
    assert [frame["event"]["event"] for frame in replay["frames"]] == [type(event).__name__ for event in events]
    for turn in replay["turns"]:
        assert replay["frames"][turn["frame"]]["turn"] == turn["turn"]
    assert replay["frames"][-1]["turn"] == replay["turns"][-1]["turn"]
    for frame, event in zip(replay["frames"], events, strict=True):
        seen = [event.seen_by(Seat(seat)) is not None for seat in range(len(replay["names"]))]
        assert [texts is not None for texts in frame["texts"][1:]] == seen
    assert replay["standings"][0]["place"] == 1


def test_evolution_frames_show_every_hand_and_bag() -> None:
    record = _record("evolution")
    replay = replay_of(record)
    # Only the referee gets the full state of the dealer; the scene must agree with it.
    tables = iter([event.table for event in record.replay().events() if isinstance(event, TurnEnded)])
    compared = 0
    for frame in replay["frames"]:
        if frame["event"]["event"] == "TurnEnded":
            table = next(tables)
            assert table is not None
            assert frame["event"]["table"] is None
            shown = {player["seat"]: player for player in frame["scene"]["players"]}
            for player in table.players:
                assert shown[player.seat]["bag"] == player.bag
                assert shown[player.seat]["hand"] == [[card.points, card.trait.value] for card in player.hand]
                compared += 1
    assert compared > 3


def test_replay_shows_face_down_food_cards() -> None:
    replay = replay_of(_record("evolution"))
    for frame in replay["frames"]:
        if frame["event"]["event"] == "CardsDeclared":
            assert frame["scene"]["food_cards"][-1]["seat"] == frame["event"]["seat"]
            assert frame["scene"]["food_cards"][-1]["points"] is not None


def test_replay_knows_hidden_hands_from_the_start_of_a_round() -> None:
    replay = replay_of(_record("porrinha"))
    secret: Any = None
    for frame in replay["frames"]:
        if frame["event"]["event"] == "RoundStarted":
            secret = frame["scene"]["secret_hands"]
            assert frame["scene"]["hands"] == [None] * 3
        if frame["event"]["event"] == "RoundSettled":
            assert frame["scene"]["hands"] == secret


# From the server


@GAMES
def test_posted_record_is_returned_as_a_replay(tmp_path: Path, game: str) -> None:
    async def post() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            answer = await server.http.post("/api/replay", content=_text(game))
            assert answer.content == msgspec.json.encode(replay_of(_record(game)))

    run(post())


@pytest.mark.parametrize(
    ("wrong", "problem"),
    [
        (b"", "The record: the file is empty."),
        (b"\xff\xfe", "line 1 is not the header"),
        (b'{"format":"x"}\n', "line 1 is not the header"),
        (_text("porrinha")[:-40], "cut off"),
        (_text("porrinha").replace(b'"answer":1', b'"answer":2', 1), "Line "),
        (b"[" * 100_000, "line 1 is not the header"),
    ],
)
def test_posted_file_that_is_no_record_is_an_error(tmp_path: Path, wrong: bytes, problem: str) -> None:
    async def post() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            answer = await server.http.post("/api/replay", content=wrong)
            assert answer.status_code == 400
            assert problem in answer.json()["problem"]

    run(post())


def test_overlong_file_is_not_read_to_its_end(tmp_path: Path) -> None:
    async def post() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            answer = await server.http.post("/api/replay", content=b"x" * (9 << 20))
            assert answer.status_code == 413
            assert "too long" in answer.json()["problem"]

    run(post())


def test_overlong_game_is_not_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wateringhole.web.replays.MOST_TEXTS", 30)
    with pytest.raises(OperationError, match="more than 10 events"):
        replay_of(_record("porrinha"))


# As a file


@GAMES
def test_exported_page_is_self_contained(game: str) -> None:
    page = export(_record(game)).decode()
    (packed,) = re.findall(r'id="replay-data">([^<]+)<', page)
    data = json.loads(gzip.decompress(base64.b64decode(packed)))
    shown = data.pop("page")
    replay = replay_of(_record(game))
    styles = replay.pop("page")["styles"]
    assert data == msgspec.json.decode(msgspec.json.encode(replay))
    assert shown["styles"] == []
    assert all(read(style).decode() in page for style in styles)
    assert "/static/" not in page
    assert 'src="' not in page
    (imports,) = re.findall(r'<script type="importmap">(.*?)</script>', page)
    modules = {
        name: unquote(address.removeprefix("data:text/javascript;charset=utf-8,"))
        for name, address in json.loads(imports)["imports"].items()
    }
    assert shown["module"] in modules
    for name, text in modules.items():
        assert _without_imports(text) == _without_imports(read(f"/{name}").decode())
        for imported in re.findall(r'^(?:import|export)\b[^;"]*?\bfrom\s+"([^"]+)"', text, re.MULTILINE):
            assert imported in modules
        # Only the module of the game is imported by a computed address.
        assert not re.search(r"\bimport\((?!\")", text) or name == "static/js/games.js"


def _without_imports(text: str) -> str:
    return re.sub(r'"[./\w-]+\.js"', "", text)


@GAMES
def test_exported_page_runs_only_what_its_policy_allows(game: str) -> None:
    page = export(_record(game)).decode()
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]+)"', page)
    assert "unsafe" not in policy
    for inline in re.findall(
        r'<(?:script type="(?:importmap|module)"|style)>(.*?)</(?:script|style)>', page, re.DOTALL
    ):
        digest = base64.b64encode(hashlib.sha256(inline.encode()).digest()).decode()
        assert f"'sha256-{digest}'" in policy


def test_names_are_escaped_in_an_exported_page() -> None:
    page = export(_record("evolution")).decode()
    assert "<title>greedy, <b>" not in page
    assert "<title>greedy, &lt;b&gt;, random" in page


def test_record_is_displayed_in_a_notebook() -> None:
    record = _record("porrinha")
    shown = record._repr_html_()
    assert shown == embedded(record)
    (inside,) = re.findall(r'srcdoc="([^"]*)"', shown)
    assert html.unescape(inside) == export(record).decode()
    assert 'sandbox="allow-scripts"' in shown


def test_replay_writes_the_page(tmp_path: Path) -> None:
    record, page = tmp_path / "game.jsonl", tmp_path / "game.html"
    record.write_bytes(_text("porrinha"))
    ran = called("replay", str(record), "--html", str(page))
    assert ran.returncode == 0, ran.stderr
    assert "kB" in ran.stdout
    assert page.read_bytes() == export(_record("porrinha"))
    wrong = called("replay", str(record), "--html", str(tmp_path / "nowhere" / "game.html"))
    assert wrong.returncode == 1
    assert "cannot be written" in wrong.stderr
    both = called("replay", str(record), "--html", str(page), "--turn", "1")
    assert both.returncode == 2
    assert "excludes --turn, --seat, --verify and --json" in both.stderr
