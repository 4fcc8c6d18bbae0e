"""`--traits FILE` in `play`, `replay`, `host`, `join` and `serve`, with players in other processes."""

from __future__ import annotations

import asyncio
import json
import re
import shlex
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import called
from tests.cli.test_host_join import hosting, joins
from tests.conftest import ROOT
from tests.games.evolution.trait_files import EXAMPLE, write_traits
from tests.house.hosting import CourseClient, JsonClient, hosted, run
from wateringhole.games.evolution import KIND
from wateringhole.games.evolution.traits import load_traits

BOT = """
from wateringhole.games.evolution import *


class Reader(Random):
    '''Plays at random, and leaves a game in which the traits have no texts.'''

    def choose(self, request):
        texts = {each.name: each.text for each in request.rules.custom_traits.traits}
        for card in request.view.hand:
            assert card.trait in TRAITS or texts[card.trait], card
        return super().choose(request)


class Steps(StepwisePlayer):
    def select_food_card(self, cards, boards, player, opponents):
        return max(cards, key=lambda card: (card.trait not in TRAITS, card.points))


class Plain(DocumentPlayer):
    def select_food_card(self, cards, boards, player, opponents):
        return max(cards, key=lambda card: (card[1] in ('Thorns', 'Seeds', 'Rain Dance'), card[0]))


class LayingSteps(Steps):
    def place_cards_on_boards(self, cards, boards, player, opponents):
        return [card for card in cards if card.trait not in TRAITS][:1]


class LayingPlain(Plain):
    def place_cards_on_boards(self, cards, boards, player, opponents):
        return [card for card in cards if card[1] in ('Thorns', 'Seeds', 'Rain Dance')][:1]
"""

PROGRAM = """
import json, random, sys

print(json.dumps({"type": "hello", "protocol": 1, "style": "whole"}), flush=True)
texts = {}
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "game":
        declared = message["rules"]["custom_traits"]
        texts = {each["name"]: each["text"] for each in declared["traits"]}
    if message["type"] != "request":
        continue
    if message["request"] == "feed":
        answer = random.choice(message["options"])
    else:
        hand = message["view"]["own"]["hand"]
        custom = [index for index, (points, trait) in enumerate(hand) if trait in texts]
        # Buy a board for a custom trait whenever possible.
        spare = [index for index in range(len(hand)) if index not in custom[:1]]
        bought = [[spare[1], custom[0]]] if custom and len(spare) > 2 else []
        answer = [spare[0], [], [], bought, []]
    print(json.dumps({"type": "answer", "id": message["id"], "answer": answer}), flush=True)
"""


@pytest.fixture
def players(tmp_path: Path) -> Path:
    (tmp_path / "reader.py").write_text(BOT)
    (tmp_path / "program.py").write_text(PROGRAM)
    return tmp_path


def test_play_uses_traits_with_builtin_isolated_and_program_players(players: Path) -> None:
    program = f"cmd:{sys.executable} {players / 'program.py'}"
    named = ["silly", "greedy", f"{players / 'reader.py'}:Reader", f"{players / 'reader.py'}:Steps"]
    named += [f"{players / 'reader.py'}:Plain", program]
    words: list[str | Path] = [
        "--traits",
        EXAMPLE,
        "--seed",
        "7",
        "--games",
        "3",
        "--time-limit",
        "20",
        "--record",
        players / "games",
    ]
    played = called("play", "evolution", *named, *words, "--json")
    assert played.returncode == 0, played.stderr
    assert [game["thrown_out"] for game in json.loads(played.stdout)] == [[], [], []]
    records = sorted((players / "games").iterdir())
    assert len(records) == 3
    for record in records:
        verified = called("replay", record, "--verify", "--traits", EXAMPLE)
        assert verified.returncode == 0, verified.stderr


def test_document_players_lay_custom_traits_under_framework_rules(players: Path) -> None:
    named = [f"{players / 'reader.py'}:{name}" for name in ("LayingPlain", "LayingSteps", "Reader")]
    played = called("play", "evolution", *named, "--traits", EXAMPLE, "--rules", "framework", "--seed", "7")
    assert played.returncode == 0, played.stderr
    assert "thrown out" not in played.stdout
    assert "rain dance" in played.stdout


def test_replay_of_a_game_with_traits_needs_the_file(tmp_path: Path) -> None:
    called("play", "evolution", "silly", "greedy", "random", "--seed", "7", "--traits", EXAMPLE, "--record", tmp_path)
    record, other = tmp_path / "evolution-7.jsonl", write_traits(tmp_path / "other.py", odd=("NoReaction", ""))
    digest, other_digest = load_traits(EXAMPLE).custom.digest, load_traits(other).custom.digest
    missing = called("replay", record, "--verify")
    assert (missing.returncode, missing.stdout) == (1, "")
    assert missing.stderr == (
        f"wateringhole: {record}: the game has custom traits, and their file, with the digest {digest}, was not given. "
        "Give it with --traits FILE.\n"
    )
    wrong = called("replay", record, "--traits", other)
    assert wrong.returncode == 1
    assert wrong.stderr == (
        f"wateringhole: {record}: the game was played with another trait file: its digest is {digest}, "
        f"and that of {other} is {other_digest}.\n"
    )
    page = called("replay", record, "--traits", EXAMPLE, "--html", tmp_path / "game.html")
    assert page.returncode == 0, page.stderr
    assert (tmp_path / "game.html").stat().st_size > 100_000


@pytest.mark.parametrize("option", ["--traits", "--deal"])
def test_play_prints_the_command_that_replays_a_game_with_traits(option: str, tmp_path: Path) -> None:
    file = write_traits(tmp_path / "my traits.py", odd=("NoReaction", ""))
    given = str(file) if option == "--traits" else f"traits={file}"
    words = ("evolution", "silly", "silly", "silly", "--seed", "7", "--record", tmp_path, option, given)
    last_line = called("play", *words).stdout.splitlines()[-1]
    _, _, *replay = shlex.split(last_line.partition(": ")[2])
    assert replay == [str(tmp_path / "evolution-7.jsonl"), "--traits", str(file)]
    assert called("replay", *replay, "--verify").returncode == 0


def test_a_hook_that_fails_ends_the_command_with_a_sentence(tmp_path: Path) -> None:
    file = write_traits(tmp_path / "bad.py", odd=("FoodRevealed", "return 1 // 0"))
    played = called("play", "evolution", "random", "random", "random", "--seed", "7", "--games", "20", "--traits", file)
    assert played.returncode == 1
    assert f"{file}, line 7: food_was_revealed of the trait 'odd' failed: ZeroDivisionError" in played.stderr
    assert "Traceback" not in played.stderr


def test_traits_of_a_game_without_the_option_are_refused() -> None:
    refused = called("play", "porrinha", "random", "zero", "--traits", EXAMPLE)
    assert refused.returncode == 2
    assert "porrinha has no deal option 'traits'" in refused.stderr


def test_joined_players_play_with_the_traits_of_the_host(players: Path) -> None:
    words = ("--bots", "silly", "--record", players / "games", "--seed", "7")
    with hosting("evolution", "--traits", EXAMPLE, *words) as host:
        joined = joins(host.where, f"{players / 'reader.py'}:Reader", "--name", "Ada")
        out, err = host.end()
    assert "failed" not in err
    assert "join: the game is over: Ada#1 " in joined.stderr
    assert "Ada" in out
    verified = called("replay", players / "games" / "evolution-7.jsonl", "--verify", "--traits", EXAMPLE)
    assert verified.returncode == 0, verified.stderr


def test_the_courses_protocol_is_refused_at_a_table_with_custom_traits() -> None:
    async def test() -> str:
        async with hosted(KIND, choices={"traits": load_traits(EXAMPLE)}) as table:
            client = await CourseClient.sign_up(table.port)
            assert await client.next_message() is None
            await client.close()
            return await table.logged("refused")

    assert "the course's protocol has no cards for custom traits" in run(test())


def test_a_hook_that_fails_ends_a_hosted_game_with_a_line_in_the_log(tmp_path: Path) -> None:
    file = write_traits(tmp_path / "bad.py", odd=("NoReaction", ""), off=("FoodRevealed", "return 1 // 0"))
    traits = load_traits(file)

    async def test() -> str:
        # With this seed, a player lays the trait.
        async with hosted(KIND, choices={"traits": traits}, bots=["greedy"], seed=7) as table:
            client = await JsonClient.sign_up(table.port)
            await client.play()
            return await table.logged("failed")

    line = run(test())
    assert f"game 1 failed: {file}, line" in line
    assert "food_was_revealed of the trait 'off' failed: ZeroDivisionError" in line
    assert "Traceback" not in line


def test_the_page_plays_with_the_traits_of_the_house_and_refuses_without(tmp_path: Path) -> None:
    pytest.importorskip("uvicorn", reason="the page needs the extra web")
    from tests.house import serving

    async def test() -> tuple[dict[str, Any], Any, str]:
        async with serving.process(tmp_path / "club.sqlite", "--traits", str(EXAMPLE)) as (server, _):
            opened = await server.table("evolution", "me", "silly", "random", seed=7)
            async with opened.seat() as seat:
                await seat.play()
            (game,) = seat.of_type("game")
            await server.finished(opened.id)
            replay = await server.get(f"/api/games/{opened.id}/replay")
        async with serving.process(tmp_path / "club.sqlite") as (server, _):
            refused = await server.http.get(f"/api/games/{opened.id}/replay")
        return game, replay, refused.text

    game, replay, refused = asyncio.run(test())
    assert game["texts"]["traits"]["thorns"]["text"] == "When it is attacked, the attacker loses one food token."
    assert game["rules"]["custom_traits"]["traits"][0]["name"] == "camouflage"
    assert replay["texts"]["traits"]["seeds"]["name"] == "Seeds"
    assert "has custom traits, and their file, with the digest" in refused


def test_a_saved_table_continues_only_in_a_house_with_its_traits(tmp_path: Path) -> None:
    pytest.importorskip("uvicorn", reason="the page needs the extra web")
    from tests.house import serving

    async def test() -> tuple[dict[str, Any], dict[str, Any]]:
        with_traits = ("--traits", str(EXAMPLE))
        async with serving.process(tmp_path / "club.sqlite", *with_traits) as (server, _):
            opened = await server.table("evolution", "me", "silly", "random", seed=7)
            async with opened.seat() as seat:
                await seat.play(lambda message: message.get("turn") == 2)
        async with (
            serving.process(tmp_path / "club.sqlite", *with_traits) as (server, _),
            serving.Seat(server.url, opened.id, opened.token) as seat,
        ):
            again = await seat.play(lambda message: message.get("turn") == 3)
        async with (
            serving.process(tmp_path / "club.sqlite") as (server, _),
            serving.Seat(server.url, opened.id, opened.token) as seat,
        ):
            return again, await seat.closed()

    again, refused = asyncio.run(test())
    assert again["type"] == "event"
    assert refused["type"] == "bye"
    assert "The game has custom traits, and their file, with the digest sha256:" in refused["reason"]


def test_the_page_of_the_docs_shows_the_example_and_its_commands_run(tmp_path: Path) -> None:
    text = (ROOT / "docs" / "how-to" / "your-own-traits.md").read_text(encoding="utf-8")
    code, commands, *_ = re.findall(r"```(?:python|sh)\n(.*?)```", text, re.DOTALL)
    assert code == EXAMPLE.read_text()
    (tmp_path / "my_traits.py").write_text(code)
    for command in commands.splitlines():
        _, *words = shlex.split(command)
        ran = called(*words, folder=tmp_path)
        assert ran.returncode == 0, ran.stderr


def test_serve_refuses_a_file_without_traits(tmp_path: Path) -> None:
    (tmp_path / "empty.py").write_text("")
    refused = called("serve", "--traits", tmp_path / "empty.py", "--port", "0")
    assert refused.returncode == 2
    assert "has no traits" in refused.stderr
