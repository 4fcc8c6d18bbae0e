"""Games of `wateringhole host` continue after the host was killed.  Uses real processes and one store."""

from __future__ import annotations

import asyncio
import contextlib
import re
import signal
import sqlite3
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, NamedTuple

import msgspec
import pytest

from tests.cli.running import called
from tests.house.hosting import CourseClient, JsonClient
from tests.house.serving import process, run
from tests.house.test_mixed_tables import PLAYERS
from tests.preloaded_command import preloaded_command
from tests.waiting import Log, until
from wateringhole.errors import UsageError
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.games.porrinha.bots.zero import Zero
from wateringhole.house.runs import RunOptions, open_run
from wateringhole.house.store import TableStore
from wateringhole.match.record import read_record

Message = dict[str, Any]


class Host(NamedTuple):
    """A running `wateringhole host`."""

    port: int
    process: asyncio.subprocess.Process
    log: Log

    async def logged(self, part: str) -> str:
        """Wait for a line of the log that contains a text, and return it."""
        return await self.log.line_with(part)

    async def kill(self) -> str:
        """Kill the host, and return its standard output, which closes when it has ended."""
        assert self.process.stdout is not None
        self.process.kill()
        output = (await self.process.stdout.read()).decode()
        await self.process.wait()
        return output

    async def output(self) -> str:
        """Wait for the end of a host that has played all games.  Return its standard output."""
        assert self.process.stdout is not None
        output = (await self.process.stdout.read()).decode()
        assert await self.process.wait() == 0, self.log
        return output


@contextlib.asynccontextmanager
async def host(game: str, store: Path | str, *options: str) -> AsyncIterator[Host]:
    words = ["host", game, "--port", "0", "--store", store, *options]
    process = await asyncio.create_subprocess_exec(
        preloaded_command(), *words, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    log = Log()

    async def read_log() -> None:
        assert process.stderr is not None
        async for line in process.stderr:
            log.append(line.decode().rstrip())

    reading = asyncio.create_task(read_log())
    try:
        found = re.search(r" port (\d+)", await log.line_with(f"{game} on "))
        assert found
        yield Host(int(found[1]), process, log)
    finally:
        if process.returncode is None:
            process.kill()
        await process.wait()
        await reading
        await process.stdout.read()  # type: ignore[union-attr]


async def come_back(host: Host, client: JsonClient, heard: int | None) -> tuple[JsonClient, int]:
    """Reconnect with the token of a client.  Return the new client and the number of messages before its next one."""
    again = await JsonClient.connect(host.port)
    known = {} if heard is None else {"heard": heard}
    await again.send_message(type="hello", protocol=1, token=client.token, **known)
    hello = await again.message()
    assert hello is not None
    assert hello["type"] == "hello", hello
    again.token = client.token
    again.player_end = client.player_end
    again.received.clear()
    return again, hello["resumed"]


async def answer(client: JsonClient, requests: int) -> Message:
    """Answer some requests, and return the next one without answering it."""
    for _ in range(requests):
        request = await client.next_request()
        assert request is not None
        await client.send(client.reply(request))
    request = await client.next_request()
    assert request is not None
    return request


async def answer_until(client: JsonClient, type_: str) -> Message:
    """Play until a message of a type comes, and return it."""
    while message := await client.message():
        reply = client.player_end.receive(msgspec.json.encode(message))
        if message["type"] == "request":
            assert reply is not None
            await client.send(reply.rstrip())
        if message["type"] == type_:
            return message
    raise AssertionError(f"no {type_}")


def _untimed(messages: list[Message]) -> list[Message]:
    return [{**message, "seconds": None} for message in messages]


@pytest.mark.parametrize("game", PLAYERS)
def test_games_of_a_killed_host_continue(tmp_path: Path, game: str) -> None:
    options = ("--games", "2", "--players", "3", "--bots", "random", "--start-delay", "0.1", "--seed", "7")

    async def restart() -> str:
        store = tmp_path / "s.sqlite"
        async with host(game, store, *options) as first:
            ada = await JsonClient.sign_up(first.port, "Ada", PLAYERS[game], events=True)
            ada.received.clear()
            assert (await answer_until(ada, "result"))["type"] == "result"
            # The second game: its messages are numbered on.
            before = len(ada.received)
            request = await answer(ada, 3)
            assert "game 1, seed 7" in await first.kill()
            await ada.close()
        async with host(game, store, *options) as second:
            await second.logged("continuing after 1 game of 2")
            heard = len(ada.received)
            whole, number = await come_back(second, ada, None)
            assert number == before
            while len(whole.received) < heard - before:
                assert await whole.message()
            assert _untimed(whole.received) == _untimed(ada.received[before:])
            after, number = await come_back(second, ada, heard)
            assert number == heard - 1
            repeated = await after.next_request()
            assert repeated is not None
            assert _untimed([repeated]) == _untimed([request])
            await after.send(after.reply(repeated))
            await after.play()
            await whole.close()
            assert after.received[-1]["reason"] == "the host has no more games"
            return await second.output()

    output = run(restart())
    assert "game 2, seed 8" in output
    assert "game 1" not in output


def test_players_in_the_queue_keep_their_place(tmp_path: Path) -> None:
    options = ("--games", "2", "--players", "2")

    async def restart() -> str:
        store = tmp_path / "s.sqlite"
        async with host("porrinha", store, *options) as first:
            names = ("Ada", "Bea", "Cyd", "Dan")
            clients = [await JsonClient.sign_up(first.port, name, Zero) for name in names]
            for client in clients:
                client.received.clear()
            await asyncio.gather(*(client.next_request() for client in clients[:2]))
            await until(lambda: _waiting(store) == ["Cyd", "Dan"])
            await first.kill()
            await asyncio.gather(*(client.close() for client in clients))
        async with host("porrinha", store, *options) as second:
            back = [(await come_back(second, client, len(client.received)))[0] for client in clients]
            # A player who sends no message of the protocol is out, so the first one in the queue plays.
            await back[0].send(b"junk")
            await asyncio.gather(*(client.play() for client in back))
            return await second.output()

    games = run(restart()).split("game ")[1:]
    assert sorted(re.findall("[A-Z][a-z]{2}", games[1])) == ["Bea", "Cyd"]


def test_allowed_name_stays_taken_after_a_restart(tmp_path: Path) -> None:
    options = ("--players", "2", "--allow-name", "Ada", "--allow-name", "Bea")

    async def restart() -> None:
        store = tmp_path / "s.sqlite"
        async with host("porrinha", store, *options) as first:
            ada = await JsonClient.sign_up(first.port, "Ada", Zero)
            await until(lambda: _waiting(store) == ["Ada"])
            await first.kill()
            await ada.close()
        async with host("porrinha", store, *options) as second:
            other = await JsonClient.sign_up(second.port, "Ada", Zero)
            assert await other.message() == {"type": "bye", "reason": "'Ada' has signed up already"}
            await other.close()
            again, _ = await come_back(second, ada, None)
            await again.close()

    run(restart())


def test_damaged_game_does_not_stop_the_others(tmp_path: Path) -> None:
    options = ("--games", "2", "--players", "2", "--bots", "zero", "--start-delay", "0.1")

    async def restart() -> str:
        store = tmp_path / "s.sqlite"
        async with host("porrinha", store, *options) as first:
            ada = await JsonClient.sign_up(first.port, "Ada", Zero)
            await ada.next_request()
            await first.kill()
            await ada.close()
        with contextlib.closing(sqlite3.connect(store)) as connection, connection:
            connection.execute("UPDATE page_lines SET text = ?", (b"nonsense\n",))
        async with host("porrinha", store, *options) as second:
            await second.logged("game 1 failed: the saved game is damaged")
            bea = await JsonClient.sign_up(second.port, "Bea", Zero)
            await bea.play()
            return await second.output()

    assert re.findall(r"^game (\d)", run(restart()), re.MULTILINE) == ["2"]


def test_game_whose_bots_are_not_made_yet_is_not_lost(tmp_path: Path) -> None:
    block = tmp_path / "block"
    (tmp_path / "slow.py").write_text(SLOW_BOT.format(block=str(block)))
    options = (
        "--games",
        "2",
        "--players",
        "2",
        "--bots",
        f"{tmp_path}/slow.py:Slow",
        "--trust",
        "--start-delay",
        "0.1",
    )

    async def restart() -> str:
        store = tmp_path / "s.sqlite"
        async with host("porrinha", store, *options) as first:
            block.touch()
            ada = await JsonClient.sign_up(first.port, "Ada", Zero)
            await until((tmp_path / "block.seen").exists)
            bea = await JsonClient.sign_up(first.port, "Bea", Zero)
            await until(lambda: "Bea" in _waiting(store))
            await first.kill()
            await asyncio.gather(ada.close(), bea.close())
        block.unlink()
        async with host("porrinha", store, *options) as second:
            back = [(await come_back(second, client, None))[0] for client in (ada, bea)]
            await asyncio.gather(*(client.play() for client in back))
            return await second.output()

    output = run(restart())
    assert re.findall(r"^game (\d)", output, re.MULTILINE) == ["1", "2"]


SLOW_BOT = """
import pathlib, time
from wateringhole.games.porrinha.bots.zero import Zero

class Slow(Zero):
    def __init__(self):
        super().__init__()
        block = pathlib.Path({block!r})
        while block.exists():
            block.with_suffix(".seen").touch()
            time.sleep(0.02)
"""


def test_start_delay_begins_when_the_first_player_is_back(tmp_path: Path) -> None:
    options = ("--players", "3", "--bots", "zero", "--start-delay", "1.5")

    async def restart() -> str:
        store = tmp_path / "s.sqlite"
        async with host("porrinha", store, *options) as first:
            clients = [await JsonClient.sign_up(first.port, name, Zero) for name in ("Ada", "Bea")]
            await until(lambda: _waiting(store) == ["Ada", "Bea"])
            await first.kill()
            await asyncio.gather(*(client.close() for client in clients))
        async with host("porrinha", store, *options) as second:
            # The game must not begin meanwhile, however long this takes.
            await asyncio.sleep(1.6)
            assert not any("game 1 begins" in line for line in second.log)
            back = [each for each, _ in await asyncio.gather(*(come_back(second, client, None) for client in clients))]
            line: str = await second.logged("game 1 begins")
            await asyncio.gather(*(client.close() for client in back))
            return line

    assert "'Ada', 'Bea', 'zero'" in run(restart())


def test_course_player_forfeits_after_a_restart_of_the_host(tmp_path: Path) -> None:
    options = ("--players", "3", "--record", str(tmp_path / "records"))

    async def restart() -> None:
        store = tmp_path / "s.sqlite"
        async with host("evolution", store, *options) as first:
            json = [await JsonClient.sign_up(first.port, name) for name in ("Ada", "Bea")]
            course = await CourseClient.sign_up(first.port, "Course")
            clients: list[JsonClient | CourseClient] = [*json, course]
            asked = [asyncio.ensure_future(client.next_request()) for client in clients]
            await asyncio.wait(asked, return_when=asyncio.FIRST_COMPLETED)
            await first.kill()
            await asyncio.gather(*asked)
            await asyncio.gather(*(client.close() for client in clients))
        async with host("evolution", store, *options) as second:
            back = [(await come_back(second, client, None))[0] for client in json]
            await asyncio.gather(*(client.play() for client in back))
            await second.output()

    run(restart())
    (file,) = (tmp_path / "records").iterdir()
    record = read_record(file.read_bytes())
    replay = record.replay()
    assert list(replay.events())
    assert replay.game.outcome is not None
    (thrown,) = replay.game.outcome.thrown_out
    assert (thrown.seat, thrown.forfeit.reason) == (2, "disconnected")
    assert "the house was restarted" in thrown.forfeit.message


def test_answer_to_a_simultaneous_request_is_given_once(tmp_path: Path) -> None:
    options = ("--players", "2", "--record", str(tmp_path / "records"))

    async def restart() -> None:
        store = tmp_path / "s.sqlite"
        async with host("porrinha", store, *options) as first:
            ada, bea = [await JsonClient.sign_up(first.port, name, Zero) for name in ("Ada", "Bea")]
            request = await ada.next_request()
            assert request is not None
            assert request["request"] == "hand"
            await ada.send_message(type="answer", id=request["id"], answer=3)
            # Both are asked at the same time.  Only Ada answers before the end.
            assert (await bea.next_request())["request"] == "hand"  # type: ignore[index]
            await until(lambda: b"note" in _saved_lines(store))
            await first.kill()
            await asyncio.gather(ada.close(), bea.close())
        async with host("porrinha", store, *options) as second:
            back = [(await come_back(second, client, len(client.received) - 1))[0] for client in (ada, bea)]
            await asyncio.gather(*(client.play() for client in back))
            await second.output()
            hands = [message for message in back[0].received if message.get("request") == "hand"]
            assert request["id"] not in [message["id"] for message in hands], "Ada was asked again"

    run(restart())
    (file,) = (tmp_path / "records").iterdir()
    record = read_record(file.read_bytes())
    assert list(record.replay().events())
    assert (record.answers[0].seat, record.answers[0].answer) == (0, 3)


def _waiting(store: Path) -> list[str]:
    """Return the names of the players in the saved queue."""
    with contextlib.closing(sqlite3.connect(store)) as connection:
        plans = [msgspec.json.decode(plan) for (plan,) in connection.execute("SELECT plan FROM page_tables")]
    return [seat["name"] for plan in plans for seat in plan.get("waiting", ())]


def _saved_lines(store: Path) -> bytes:
    with contextlib.closing(sqlite3.connect(store)) as connection:
        return b"".join(bytes(text) for (text,) in connection.execute("SELECT text FROM page_lines ORDER BY number"))


def test_locked_store_costs_no_player_its_time(tmp_path: Path) -> None:
    options = ("--players", "2", "--bots", "zero", "--start-delay", "0.1", "--time-limit", "3")

    async def lock() -> str:
        store = tmp_path / "s.sqlite"
        async with host("porrinha", store, *options) as first:
            with contextlib.closing(sqlite3.connect(store, isolation_level=None)) as other:
                ada = await JsonClient.sign_up(first.port, "Ada", Zero)
                request = await ada.next_request()
                assert request is not None
                other.execute("BEGIN IMMEDIATE")
                await ada.send(ada.reply(request))
                # Nothing may be sent for longer than the time limit.
                with pytest.raises(TimeoutError):
                    await asyncio.wait_for(ada.message(), 3.5)
                other.execute("ROLLBACK")
            await ada.play()
            await first.output()
            return "\n".join(first.log)

    assert "thrown out" not in run(lock())


def test_stepwise_player_misses_no_message_after_a_restart(tmp_path: Path) -> None:
    options = ("--players", "3", "--bots", "silly", "--games", "2", "--start-delay", "0.1")
    hello = {"style": "stepwise", "events": True}

    async def restart() -> None:
        store = tmp_path / "s.sqlite"
        async with host("evolution", store, *options) as first:
            ada = await JsonClient.sign_up(first.port, "Ada", Silly, **hello)
            ada.received.clear()
            await answer(ada, 25)
            await first.kill()
            await ada.close()
        async with host("evolution", store, *options) as second:
            heard = len(ada.received)
            after, number = await come_back(second, ada, heard - 1)
            # The step request that is open comes again, or the first one of its request.
            assert 0 <= heard - 1 - number < 10
            repeated = await after.message()
            assert repeated == ada.received[number]
            assert repeated is not None
            await after.send(after.reply(repeated))
            await answer_until(after, "result")
            messages = [*ada.received[:number], repeated, *after.received[1:]]
            ids = [message["id"] for message in messages if "id" in message]
            assert ids == list(range(1, len(ids) + 1))
            await after.close()

    run(restart())


def test_interrupted_host_saves_its_games_and_says_no_goodbye(tmp_path: Path) -> None:
    async def interrupt() -> None:
        store = tmp_path / "s.sqlite"
        async with host("porrinha", store, "--players", "2", "--bots", "zero", "--start-delay", "0.1") as first:
            ada = await JsonClient.sign_up(first.port, "Ada", Zero)
            assert await ada.next_request()
            first.process.send_signal(signal.SIGINT)
            assert await ada.message() is None
            await first.logged(f"the games are saved in {store}; continue them with the same command")
            await ada.close()

    run(interrupt())


@pytest.mark.parametrize(
    ("changed", "named"), [({"games": 3}, "--games"), ({"seed": 8}, "--seed"), ({"bots": ()}, "--bots")]
)
def test_run_with_other_options_is_refused(tmp_path: Path, changed: dict[str, Any], named: str) -> None:
    options = RunOptions(game="porrinha", rules={}, players=(2, 2), games=2, bots=("zero",))
    with contextlib.closing(TableStore(tmp_path / "s.sqlite")) as store:
        run = open_run(store, options, 7).run
        store.keep(run.run, run.created, msgspec.to_builtins(run))
        store.release_tables()
        seed = changed.pop("seed", None)
        with pytest.raises(UsageError, match=f"has an interrupted run of porrinha with another {named}. Use the same"):
            open_run(store, msgspec.structs.replace(options, **changed), seed)
        assert open_run(store, options, None).run == run
        assert open_run(store, options, None).run != run, "a run that is played on is left alone"


def test_run_with_another_deck_is_refused_and_its_games_are_kept(tmp_path: Path) -> None:
    store = tmp_path / "s.sqlite"
    options = ("--players", "3", "--bots", "silly", "--start-delay", "0.1")

    async def restart() -> None:
        async with host("evolution", store, *options, "--deck", "ascending") as first:
            ada = await JsonClient.sign_up(first.port, "Ada")
            await ada.next_request()
            await first.kill()
            await ada.close()
        refused = called("host", "evolution", "--port", "0", "--store", store, *options)
        assert refused.returncode == 2
        assert "has an interrupted run of evolution with another --deal." in refused.stderr
        async with host("evolution", store, *options, "--deck", "ascending") as second:
            again, _ = await come_back(second, ada, None)
            await again.play()
            assert "Ada" in await second.output()

    run(restart())


def test_serve_and_host_leave_each_others_tables_alone(tmp_path: Path) -> None:
    async def restart() -> None:
        store = tmp_path / "s.sqlite"
        async with process(store) as (server, running):
            waiting = await server.table("porrinha", "me", "friend")
            running.send_signal(signal.SIGTERM)
            await running.wait()
        options = ("--players", "2", "--bots", "zero", "--start-delay", "0.1")
        async with host("porrinha", store, *options) as first:
            ada = await JsonClient.sign_up(first.port, "Ada", Zero)
            ada.received.clear()
            await answer(ada, 1)
            await first.kill()
            await ada.close()
        async with process(store) as (server, _):
            lobby = await server.get("/api/lobby")
            assert [table["id"] for table in lobby["open"]] == [waiting.id]
            assert lobby["running"] == []
            async with host("porrinha", store, *options) as second:
                after, _number = await come_back(second, ada, len(ada.received))
                await after.play()
                assert "player" in await second.output()
            lobby = await server.get("/api/lobby")
            assert [game["names"] for game in lobby["finished"]] == [["Ada", "zero"]]

    run(restart())


@pytest.mark.parametrize("code", [None, "s3cret"])
def test_finished_game_of_a_host_with_a_code_is_not_listed(tmp_path: Path, code: str | None) -> None:
    options = ("--players", "2", "--bots", "zero", "--start-delay", "0.1", *(["--code", code] if code else []))

    async def play() -> None:
        async with host("porrinha", tmp_path / "s.sqlite", *options) as first:
            ada = await JsonClient.sign_up(first.port, "Ada", Zero, code=code)
            await ada.play()
            await first.output()

    run(play())
    with contextlib.closing(TableStore(tmp_path / "s.sqlite")) as store:
        listed = [game.names for game in store.finished_games(10)]
    assert listed == ([] if code else [("Ada", "zero")])


def test_join_plays_through_a_kill_of_the_host(tmp_path: Path) -> None:
    options = ("--players", "3", "--bots", "silly", "--games", "3", "--start-delay", "0.1", "--time-limit", "60")
    restarted = tmp_path / "restarted"
    (tmp_path / "patient.py").write_text(
        f"""import os, time
from wateringhole.games.evolution.bots.greedy import Greedy

class Patient(Greedy):
    def choose(self, request):
        while not os.path.exists({str(restarted)!r}):
            time.sleep(0.01)
        return super().choose(request)
"""
    )

    async def restart() -> tuple[str, int | None, str]:
        store = tmp_path / "s.sqlite"
        async with host("evolution", store, *options) as first:
            words = ["join", f"127.0.0.1:{first.port}", f"{tmp_path}/patient.py:Patient", "--name", "Ada"]
            joined = await asyncio.create_subprocess_exec(preloaded_command(), *words, stderr=asyncio.subprocess.PIPE)
            await first.logged("game 1 begins")
            output = await first.kill()
        async with host("evolution", store, *options, "--port", str(first.port)) as second:
            restarted.touch()
            output += await second.output()
            _, log = await joined.communicate()
        return output, joined.returncode, log.decode()

    output, status, log = run(restart())
    assert status == 0, log
    assert "trying to reconnect" in log
    assert log.count("the game is over: Ada#1 ") == 3
    assert "thrown out" not in log
    assert output.count("player id: Ada#1 ") == 3
