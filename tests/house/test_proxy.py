"""The recipe for nginx in `docs/how-to/deploying.md`: a real nginx passes pages, games and programs on to a server."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import httpx
import pytest

pytest.importorskip("websockets")

from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from tests.cli.running import called
from tests.cli.test_host_join import hosting
from tests.house.hosting import JsonClient
from tests.house.proxy import NAME, NEEDS_NGINX, PAGE, Site, documented, nginx, site, trusted
from tests.house.serving import Served, run
from tests.preloaded_command import preloaded_command
from tests.waiting import until
from wateringhole import registry
from wateringhole.games.porrinha.bots.zero import Zero
from wateringhole.match.series import Entrant, Series
from wateringhole.match.specs import parse_specs

pytestmark = NEEDS_NGINX

BANNED = "127.0.0.66"
TABLE = {"game": "porrinha", "name": "Ada", "seats": [{"kind": "me"}, {"kind": "friend"}]}


@pytest.fixture(scope="module")
def club(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """A server behind a proxy, for all tests that do not stop it."""
    folder = tmp_path_factory.mktemp("club")
    (folder / "bans.txt").write_text(f"{BANNED}\n")
    with site(folder, "--bans", str(folder / "bans.txt")) as started:
        yield started


@asynccontextmanager
async def visit(club: Site, address: str = "127.0.0.1") -> AsyncIterator[Served]:
    """Yield the server as pages in a browser use it, at an address of the loopback.  They send their origin."""
    page = Served(club.address)
    page.http = httpx.AsyncClient(
        base_url=club.address,
        timeout=120,
        headers={"Origin": club.address},
        transport=httpx.AsyncHTTPTransport(verify=club.context, local_address=address),
    )
    async with page.http:
        yield page


def socket_of(club: Site, path: str, **headers: str) -> connect:
    return connect(f"{club.address.replace('http', 'ws')}{path}", additional_headers=headers)


def test_page_loads_over_tls(club: Site) -> None:
    async def load() -> None:
        async with visit(club) as page:
            for path in ("/", "/static/favicon.svg", "/api/lobby"):
                answer = await page.http.get(path)
                assert answer.status_code == 200
                assert "connect-src 'self'" in answer.headers["Content-Security-Policy"]

    run(load())


@pytest.mark.parametrize("game", ["evolution", "porrinha"])
def test_game_is_played_over_a_websocket_and_replayed(club: Site, game: str) -> None:
    async def play() -> None:
        async with visit(club) as page:
            table = await page.table(game, "me", "random", "random")
            async with table.seat() as seat:
                assert (await seat.play())["type"] == "over"
            await page.finished(table.id)
            replay = await page.http.get(f"/api/games/{table.id}/replay")
            assert replay.status_code == 200
            assert replay.json()["names"][0] == "Ada"

    run(play())


def test_only_pages_of_the_site_itself_may_change_anything(club: Site) -> None:
    async def send() -> None:
        async with visit(club) as page:
            created = await page.post("/api/tables", TABLE)
            refused = await page.http.post("/api/tables", json=TABLE, headers={"Origin": "https://evil.example"})
            assert refused.status_code == 403
        path = f"/api/tables/{created['table']['id']}/socket"
        async with socket_of(club, path, Origin=club.address) as opened:
            await opened.send('{"type": "hello", "protocol": 1}')
            assert '"hello"' in str(await opened.recv())
        with pytest.raises(InvalidStatus, match="403"):
            await socket_of(club, path, Origin="https://evil.example")

    run(send())


def test_cookie_of_a_name_is_only_sent_encrypted(club: Site) -> None:
    async def choose_name() -> None:
        async with visit(club) as page:
            answer = await page.http.post("/api/me", json={"name": "Ada"})
            assert answer.status_code < 300, answer.text
            assert "Secure" in answer.headers["set-cookie"].split("; ")
            assert (await page.get("/api/me"))["name"] == "Ada"

    run(choose_name())


def test_requests_are_limited_by_the_address_of_the_client(club: Site) -> None:
    async def send_many() -> None:
        async with visit(club, "127.0.0.2") as fast, visit(club, "127.0.0.3") as other:
            while (await fast.http.post("/api/qr", json={"text": "x"})).status_code == 200:
                pass
            assert (await other.http.post("/api/qr", json={"text": "x"})).status_code == 200
            # The proxy replaces what a client claims about its address.
            while (answer := await fast.http.post("/api/qr", json={"text": "x"}, headers=CLAIMS)).status_code == 200:
                pass
            assert answer.status_code == 429

    run(send_many())


CLAIMS = {"X-Forwarded-For": "203.0.113.9", "Forwarded": "for=203.0.113.9"}


def test_log_has_the_address_of_the_client(club: Site) -> None:
    async def take_seat() -> str:
        async with visit(club, "127.0.0.4") as page:
            table = await page.table("porrinha", "me", "friend")
            await table.take_seat(table.invitations[0], "Bea")
            return table.id

    assert f"'Bea' has taken a seat at table {run(take_seat())} from 127.0.0.4 (page)" in club.log


def test_banned_address_takes_no_seat(club: Site) -> None:
    async def take_seat() -> None:
        async with visit(club) as page, visit(club, BANNED) as banned:
            created = await page.post("/api/tables", TABLE)
            _, _, invitation = created["invitations"][0].partition("#invite=")
            seat = f"/api/tables/{created['table']['id']}/seat"
            refused = await banned.http.post(seat, json={"name": "Eve", "invitation": invitation})
            assert refused.status_code == 409
            assert "banned" in refused.json()["problem"]

    run(take_seat())


def test_records_up_to_the_limit_are_replayed(club: Site) -> None:
    kind = registry.game_kind("porrinha")
    entrants = [Entrant(each.label, each.make()) for each in parse_specs(kind.name, ["zero", "random?seed=4"])]
    series = Series(kind=kind, entrants=entrants, rules=kind.default_rules, seeds=[5], keeps_records=True)
    record = next(series.play()).record_bytes
    assert record is not None
    # Spaces at the end of its last line mean nothing.
    largest = record.rstrip().ljust((8 << 20) - 1) + b"\n"

    async def post() -> None:
        async with visit(club) as page:
            answer = await page.http.post("/api/replay", content=largest)
            assert answer.status_code == 200, answer.text
            assert answer.json()["names"] == ["zero", "random"]
            assert (await page.http.post("/api/replay", content=b" " + largest)).status_code == 413

    run(post())


def test_program_joins_through_the_proxy(club: Site) -> None:
    async def set_up() -> str:
        async with visit(club) as page:
            table = await page.table("porrinha", "program", "zero")
            code: str = table.programs[0]["code"]
            return code

    joined = called("join", f"{club.address}/{run(set_up())}", "random", "--name", "Mine")
    assert joined.returncode == 0, joined.stderr
    assert "the game is over: Mine took place" in joined.stderr


def test_programs_join_a_host_without_a_page_through_the_proxy(tmp_path: Path) -> None:
    (command,) = re.findall(r"`wateringhole host (evolution .*?)`", PAGE.read_text(encoding="utf-8"))
    words = [word for word in command.split() if word not in ("--port", "8000")]
    with hosting(*words, "--bots", "silly,silly") as host, nginx(tmp_path, host.where) as port, trusted(tmp_path):
        joined = called("join", f"https://{NAME}:{port}", "silly", "--name", "Mine")
        host.end()
    assert joined.returncode == 0, joined.stderr
    assert "the game is over: Mine#1 " in joined.stderr


def test_programs_join_over_tcp_at_the_second_port(tmp_path: Path) -> None:
    async def play(club: Site, raw_port: int) -> None:
        async with visit(club) as page:
            table = await page.table("porrinha", "program", "zero")
        program = JsonClient(*await asyncio.open_connection("127.0.0.1", raw_port, local_addr=("127.0.0.5", 0)), Zero)
        await program.send_message(type="hello", protocol=1, name="Mine", code=table.programs[0]["code"])
        await program.play()
        assert "result" in [message["type"] for message in program.received]

    with site(tmp_path, command=documented("sh", "--raw-port 45678")) as club:
        (raw_port,) = re.findall(r"^serve: JSON lines and foreign protocols on .* port (\d+)$", club.log, re.MULTILINE)
        run(play(club, int(raw_port)))
        assert re.search(r"'Mine' has taken a seat at table \w+ from 127\.0\.0\.5:\d+ \(TCP\)", club.log)


@pytest.mark.slow
def test_players_return_to_their_seats_after_a_restart_of_the_server(tmp_path: Path) -> None:
    async def play(club: Site) -> None:
        async with visit(club) as page:
            table = await page.table("porrinha", "me", "program")
            address = f"https://127.0.0.1:{club.port}/{table.programs[0]['code']}"
            program = await asyncio.create_subprocess_exec(
                *(preloaded_command(), "join", address, "random", "--name", "Mine"),
                env={**os.environ},
                stderr=subprocess.PIPE,
            )
            try:
                assert program.stderr is not None
                async with table.seat() as seat:
                    await seat.until("request")
                    club.house.close()
                    await seat.closed()
                while b"trying to reconnect" not in (line := await program.stderr.readline()):
                    assert line, "join has exited"
                await until(lambda: "connect() failed (111: Connection refused)" in club.proxy_log)
                assert (await page.http.get("/api/lobby")).status_code == 502
                club.house.open()
                async with table.seat() as seat:
                    assert (await seat.play())["type"] == "over"
                _, reported = await program.communicate()
                assert b"the game is over: Mine took place" in reported
                assert program.returncode == 0
            finally:
                if program.returncode is None:
                    program.kill()
                    await program.wait()

    with site(tmp_path) as club:
        run(play(club))
