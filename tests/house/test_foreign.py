"""Foreign protocols come from the games.  A game without any uses only the JSON protocol."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path

import pytest

from tests.house.hosting import CourseClient, JsonClient, WebSocketClient, hosted, run
from wateringhole import registry
from wateringhole.errors import UsageError
from wateringhole.game import AnyKind
from wateringhole.join.players import JoinOptions
from wateringhole.player import InProcess
from wateringhole.protocol.foreign import foreign_protocols, games_of

REPOSITORY = Path(__file__).parents[2]


class Hider(InProcess):
    """Hides three coins."""

    def hide(self, request: object) -> int:
        return 3


class Miser(InProcess):
    """Hides no coin."""

    def hide(self, request: object) -> int:
        return 0


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    """A folder with an installed package that adds the game coins."""
    info = tmp_path / "packages" / "coins-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: coins\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[wateringhole.games]\ncoins = tests.house.coins:KIND\n")
    return info.parent


@pytest.fixture
def coins(packages: Path, monkeypatch: pytest.MonkeyPatch) -> AnyKind:
    monkeypatch.syspath_prepend(str(packages))
    return registry.game_kind("coins")


@pytest.mark.parametrize("client", [JsonClient, WebSocketClient])
def test_game_without_foreign_protocols_uses_the_json_protocol(coins: AnyKind, client: type[JsonClient]) -> None:
    if client is WebSocketClient:
        pytest.importorskip("websockets")

    async def test() -> None:
        async with hosted(coins, 2) as table:
            first = await client.sign_up(table.port, "Ada", Miser)
            second = await client.sign_up(table.port, "Ada", Hider)
            await asyncio.gather(first.play(), second.play())
            game = await table.game()
        assert game.names == ("Ada", "Ada 2")
        assert [(each.seat, each.place, each.score) for each in game.played.outcome.ranking] == [(1, 1, 3), (0, 2, 0)]
        assert game.played.outcome.thrown_out == ()

    run(test())


@pytest.mark.parametrize("first", [b'"Ada" ', b"ping ", b"5 "], ids=["a name", "a word", "a number"])
def test_game_without_foreign_protocols_refuses_them_and_names_the_games_that_have_one(
    coins: AnyKind, first: bytes
) -> None:
    async def test() -> str:
        async with hosted(coins, 2) as table:
            reader, writer = await asyncio.open_connection("127.0.0.1", table.port)
            writer.write(first)
            assert await reader.read() == b""
            writer.close()
            await writer.wait_closed()
            return await table.logged("refused")

    assert run(test()).endswith(": the course's protocol is for evolution; coins is played here")


def test_refused_connection_does_not_affect_the_table(coins: AnyKind) -> None:
    async def test() -> None:
        async with hosted(coins, 2) as table:
            first = await JsonClient.sign_up(table.port, "Ada", Miser)
            refused = await CourseClient.sign_up(table.port, "Eve")
            assert await refused.next_message() is None
            await refused.close()
            second = await JsonClient.sign_up(table.port, "Bob", Hider)
            await asyncio.gather(first.play(), second.play())
            assert (await table.game()).names == ("Ada", "Bob")

    run(test())


def test_foreign_protocols_are_gathered_from_the_games(coins: AnyKind) -> None:
    assert "coins" in registry.game_names()
    assert [(each.name, each.kind.name) for each in foreign_protocols()] == [("course", "evolution")]
    assert games_of(foreign_protocols()) == {"the course's protocol": "evolution"}


def test_game_that_cannot_be_loaded_hides_no_protocol(packages: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    entry_points = packages / "coins-1.0.dist-info" / "entry_points.txt"
    entry_points.write_text("[wateringhole.games]\nbroken = tests.house.no_such_module:KIND\n")
    monkeypatch.syspath_prepend(str(packages))
    with pytest.raises(UsageError, match="'broken' cannot be loaded"):
        registry.game_kind("broken")
    assert [each.name for each in foreign_protocols()] == ["course"]


@pytest.mark.parametrize(
    ("joined", "sentence"),
    [
        (JoinOptions(spec="silly", protocol="chess"), "--protocol chess: unknown protocol. Choose from: json, course"),
        (JoinOptions(spec="silly", dialect="xx"), "Choose from: course, reference, lb, cb, jc, la, kd, jf"),
    ],
    ids=["protocol", "dialect"],
)
def test_error_for_an_unknown_protocol_or_dialect_lists_the_valid_ones(joined: JoinOptions, sentence: str) -> None:
    with pytest.raises(UsageError, match=sentence):
        joined.foreign_protocols()


def test_commands_host_and_join_a_game_of_another_package(
    packages: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHONPATH", f"{packages}:{REPOSITORY}")
    command = [sys.executable, "-m", "wateringhole"]
    words = ["host", "coins", "--players", "2", "--bots", "default", "--port", "0", "--start-delay", "0.1"]
    with subprocess.Popen([*command, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as host:
        try:
            assert host.stderr is not None
            listening = host.stderr.readline()
            assert listening.startswith("host: coins on 127.0.0.1 port "), listening
            port = listening.partition(" port ")[2].partition(",")[0]
            joined = subprocess.run(
                [*command, "join", f"127.0.0.1:{port}", hider_in(tmp_path), "--name", "Ada"],
                capture_output=True,
                text=True,
                timeout=300,
                check=False,
            )
            out, log = host.communicate(timeout=300)
        finally:
            host.kill()
    assert joined.returncode == 0, joined.stderr
    assert f"join: signed up for coins at 127.0.0.1 port {port}; waiting for a game" in joined.stderr
    assert "the game is over: Ada took place 1 of 2 with a score of 3" in joined.stderr
    assert out == "1 player id: Ada score: 3\n2 player id: default score: 1\n", log


def hider_in(folder: Path) -> str:
    """Write a player to a file, and return its name for the command line."""
    (folder / "hider.py").write_text(
        "from wateringhole.player import InProcess\n\n\n"
        "class Hider(InProcess):\n    def hide(self, request):\n        return 3\n"
    )
    return f"{folder}/hider.py:Hider"
