"""Protection from other sites, wrong tokens, excessive requests and malicious names."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path
from typing import Any

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from tests.house.serving import Served, run, served
from tests.waiting import until
from wateringhole.house.limits import HouseLimits, RateLimiter
from wateringhole.web.headers import CONTENT_POLICY

TABLE = {"game": "porrinha", "seats": [{"kind": "me"}, {"kind": "bot", "player": "zero"}]}


ADDRESSES = [
    ("GET", "/"),
    ("GET", "/table/x"),
    ("GET", "/api/lobby"),
    ("GET", "/api/tables/unknown"),
    ("GET", "/api/games/nothing/replay"),
    ("GET", "/api/games/1-2-3/record"),
    ("GET", "/nowhere"),
    ("GET", "/static/css/tokens.css"),
    ("GET", "/static/nowhere.js"),
    ("GET", "/static/../app.py"),
    ("GET", "/static/%2e%2e/app.py"),
    ("GET", "/games/porrinha/view.js"),
    ("GET", "/games/nowhere/view.js"),
    ("POST", "/api/tables"),
    ("POST", "/api/replay"),
    ("PUT", "/api/lobby"),
]


def test_every_response_has_the_security_headers(tmp_path: Path) -> None:
    async def request() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            for method, path in ADDRESSES:
                answer = await server.http.request(method, path)
                assert answer.headers["content-security-policy"] == CONTENT_POLICY, path
                assert answer.headers["x-content-type-options"] == "nosniff", path
                assert answer.headers["referrer-policy"] == "no-referrer", path
                assert answer.headers["cross-origin-opener-policy"] == "same-origin", path
                if answer.status_code >= 400 and path != "/table/x":
                    assert answer.json()["problem"].endswith("."), path
                assert "def create_app" not in answer.text

    run(request())


@pytest.mark.parametrize(
    "path",
    [
        "",
        "porrinha",
        "porrinha/",
        "porrinha/nowhere.js",
        "porrinha/scene.py",
        "porrinha/__init__.py",
        "porrinha/../rulebook.md",
        "porrinha/%2e%2e/%2e%2e/%2e%2e/web/static/js/dom.js",
        "%2e%2e/web/static/js/dom.js",
        "porrinha/..%2f..%2f..%2fweb/static/js/dom.js",
        "porrinha/..%5c..%5cview.js",
        "porrinha/%2e/view.js",
        "porrinha//view.js",
        "porrinha/view.js%00.js",
        "porrinha/.view.js",
    ],
)
def test_only_page_files_of_a_game_are_served(tmp_path: Path, path: str) -> None:
    async def request() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            # Sent unchanged, because a standard client would remove the dots.
            reader, writer = await asyncio.open_connection("127.0.0.1", httpx.URL(server.url).port)
            writer.write(f"GET /games/{path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
            answer = await reader.read()
            writer.close()
            assert answer.startswith(b"HTTP/1.1 404 "), answer

    run(request())


def test_policy_allows_no_inline_script_and_no_other_site() -> None:
    assert "unsafe" not in CONTENT_POLICY
    assert "default-src 'none'" in CONTENT_POLICY
    assert "http" not in CONTENT_POLICY


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "http://127.0.0.1:1", "https://127.0.0.1.evil.example"]
)
def test_pages_of_other_sites_can_neither_post_nor_open_a_socket(tmp_path: Path, origin: str) -> None:
    async def attempt() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            answer = await server.http.post("/api/tables", json=TABLE, headers={"Origin": origin})
            assert (answer.status_code, answer.json()["problem"]) == (403, "This was sent by a page of another site.")
            table = await server.table("porrinha", "me", "zero")
            address = f"{server.url.replace('http', 'ws')}/api/tables/{table.id}/socket"
            with pytest.raises(InvalidStatus) as refused:
                await connect(address, additional_headers={"Origin": origin})
            assert refused.value.response.status_code == 403

    run(attempt())


def test_own_pages_can_post_and_open_a_socket(tmp_path: Path) -> None:
    async def attempt() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            answer = await server.http.post("/api/tables", json=TABLE, headers={"Origin": server.url})
            assert answer.status_code == 201
            address = f"{server.url.replace('http', 'ws')}/api/tables/{answer.json()['table']['id']}/socket"
            async with connect(address, additional_headers={"Origin": server.url}):
                pass

    run(attempt())


def test_foreign_host_name_is_refused(tmp_path: Path) -> None:
    # A site can point its own name to 127.0.0.1, so that its pages would have the same origin.
    async def attempt() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            headers = {"Host": "evil.example", "Origin": "http://evil.example"}
            assert (await server.http.get("/api/lobby", headers=headers)).status_code == 403
            assert (await server.http.get("/api/lobby", headers={"Host": "localhost:1"})).status_code == 200

    run(attempt())


@pytest.mark.parametrize(
    ("headers", "problem"),
    [
        ({"Host": "[::1"}, "This server accepts only the names of this machine."),
        ({"Host": "a]b"}, "This server accepts only the names of this machine."),
        ({"Host": "[localhost]"}, "This server accepts only the names of this machine."),
        ({"Origin": "http://["}, "This was sent by a page of another site."),
        ({"Origin": "http://a]b"}, "This was sent by a page of another site."),
    ],
)
def test_invalid_host_and_origin_headers_are_refused(tmp_path: Path, headers: dict[str, str], problem: str) -> None:
    async def attempt() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            answer = await server.http.post("/api/tables", json=TABLE, headers=headers)
            assert (answer.status_code, answer.json()["problem"]) == (403, problem)
            assert answer.headers["content-security-policy"] == CONTENT_POLICY

    run(attempt())


@pytest.mark.parametrize("token", ["", "x", "x" * 32, "é\udcff".encode("utf-8", "replace").decode()])
def test_wrong_token_opens_no_seat(tmp_path: Path, token: str) -> None:
    async def attempt() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "zero")
            seat = table.seat()
            seat.token = token
            async with seat:
                assert "not yours" in (await seat.closed())["reason"]
            assert seat.of_type("hello") == []

    run(attempt())


def test_tokens_and_invitations_are_saved_as_digests_only(tmp_path: Path) -> None:
    async def keep() -> tuple[str, str]:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "friend")
            return str(table.token), table.invitations[0].partition("=")[2]

    secrets = run(keep())
    written = b"".join(path.read_bytes() for path in tmp_path.iterdir())
    assert len(set(secrets)) == 2
    for secret in secrets:
        assert len(secret) >= 32
        assert secret.encode() not in written


NONSENSE: list[tuple[Any, str]] = [
    ({"game": "chess", "seats": []}, "'chess' is not an installed game"),
    ({"game": "porrinha", "seats": []}, "2 to 8"),
    ({"game": "evolution", "seats": [{"kind": "me"}] + [{"kind": "bot", "player": "silly"}] * 8}, "3 to 8"),
    ({"game": "porrinha", "seats": [{"kind": "me"}, {"kind": "me"}]}, "only one seat"),
    ({"game": "porrinha", "seats": [{"kind": "me"}, {"kind": "bot"}]}, "no bot None"),
    ({**TABLE, "profile": "course"}, "no such profile"),
    ({**TABLE, "options": {"stickz": 3}}, "does not exist"),
    ({**TABLE, "options": {"sticks": "many"}}, "the values of sticks"),
    ({**TABLE, "options": {"sticks": 1000000}}, "the page draws 100 sticks"),
    ({**TABLE, "options": {"sticks": [3, 3, 3]}}, "3 seats"),
    ({**TABLE, "seats": "all"}, "is not valid"),
    ({**TABLE, "seed": "x"}, "expected an integer of at most 64 bits"),
    ({"game": "porrinha", "seats": [{"kind": "me"}, {"kind": "friend"}], "seed": 7}, "reveals every hand"),
    ({"game": "porrinha", "seats": [{"kind": "friend"}, {"kind": "friend"}], "seed": 7}, "reveals every hand"),
    ([], "is not valid"),
]


def test_invalid_table_is_refused_with_a_message(tmp_path: Path) -> None:
    async def attempt() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            for wrong, problem in NONSENSE:
                assert problem in (await server.post("/api/tables", wrong, 400))["problem"]
            assert (await server.get("/api/lobby"))["running"] == []

    run(attempt())


def test_only_installed_bots_can_sit_at_a_table(tmp_path: Path) -> None:
    async def attempt() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            for player in ("human", "cmd:touch pwned", "mine.py:Mine", "os:system", "random?seed=1", "X=random", ""):
                wanted = {"game": "porrinha", "seats": [{"kind": "me"}, {"kind": "bot", "player": player}]}
                assert "There is no bot" in (await server.post("/api/tables", wanted, 400))["problem"], player

    run(attempt())


NAMES = {
    "<script>alert(1)</script>": "<script>alert(1)</script>",
    "[red]Ada[/red]": "[red]Ada[/red]",
    "A\u202eda\n\x1b[31m": "A da [31m",
    "  ": "Player 1",
    "x" * 500: "x" * 29 + "…",
    "zero": "zero 2",
}
"""Requested names, and the names that the server uses."""


def test_names_are_one_short_line_of_plain_text(tmp_path: Path) -> None:
    async def play() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            for name, shown in NAMES.items():
                table = await server.table("porrinha", "me", "zero", name=name, options={"sticks": 1})
                assert table.table["seats"][0]["name"] == shown
                async with table.seat(heard=0) as seat:
                    await seat.play()
                texts = " ".join(line for event in seat.of_type("event") for line in event["text"])
                assert f"{shown} (you) showed" in texts
                assert seat.of_type("game")[0]["names"] == [shown, "zero"]

    run(play())


# Limits


def test_invalid_hello_gets_a_bye(tmp_path: Path) -> None:
    async def attempt() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "zero")
            for text in ("", "{", "[]", "7", "[" * 10_000, '{"type":"hello"}', '{"type":"answer","id":1}'):
                async with connect(f"{server.url.replace('http', 'ws')}/api/tables/{table.id}/socket") as socket:
                    await socket.send(text)
                    assert '"bye"' in str(await socket.recv()), text

    run(attempt())


def test_overlong_message_ends_the_connection_but_keeps_the_seat(tmp_path: Path) -> None:
    async def attempt() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "zero")
            async with table.seat() as seat:
                await seat.until("request")
                await seat.send({"type": "answer", "id": 1, "answer": "x" * 100_000})
                await seat.closed()
            async with table.seat() as seat:
                await seat.until("request")

    run(attempt())


def test_too_many_messages_end_the_connection_but_keep_the_seat(tmp_path: Path) -> None:
    async def attempt() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            table = await server.table("porrinha", "me", "zero")
            async with table.seat() as seat:
                await seat.until("request")
                for _ in range(200):
                    await seat.send({"type": "draft", "id": 0})
                assert "too many messages" in (await seat.closed())["reason"]
            async with table.seat() as seat:
                await seat.until("request")

    run(attempt())


def test_rate_limiter_allows_a_burst_and_then_a_rate() -> None:
    limiter = RateLimiter(at_once=3, per_second=2)
    assert [limiter.allows(0.0) for _ in range(4)] == [True, True, True, False]
    assert [limiter.allows(1.0) for _ in range(3)] == [True, True, False]
    assert [limiter.allows(100.0) for _ in range(4)] == [True, True, True, False]


@pytest.mark.parametrize(
    "path",
    [
        "/api/lobby",
        "/api/tables/x",
        "/api/games/x/record",
        "/api/games/x/replay",
        "/api/standings",
        "/api/standings/1",
    ],
)
def test_reads_per_address_are_limited(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, path: str) -> None:
    monkeypatch.setattr("wateringhole.web.app.READS_AT_ONCE", 3)
    monkeypatch.setattr("wateringhole.web.app.READS_PER_SECOND", 0.001)

    async def read() -> None:
        async with served(tmp_path / "s.sqlite") as server:
            for _ in range(3):
                assert (await server.http.get(path)).status_code in (200, 404)
            answer = await server.http.get(path)
            assert (answer.status_code, answer.json()["problem"]) == (
                429,
                "Too many requests from your address. Please wait a little.",
            )
            # The limit of reads does not prevent playing.
            await server.post("/api/tables", TABLE)

    run(read())


def test_tables_are_limited_per_address_and_in_total(tmp_path: Path) -> None:
    async def fill(limits: HouseLimits) -> str:
        async with served(tmp_path / f"{limits.tables}.sqlite", limits) as server:
            for _ in range(2):
                await server.post("/api/tables", TABLE)
            problem: str = (await server.post("/api/tables", TABLE, 409))["problem"]
            return problem

    assert "address already has 2 tables" in run(fill(HouseLimits(tables_per_address=2)))
    assert "reached its limit of tables" in run(fill(HouseLimits(tables=2)))


def test_spectators_of_a_table_are_limited(tmp_path: Path) -> None:
    async def fill() -> None:
        async with served(tmp_path / "s.sqlite", HouseLimits(spectators=1)) as server:
            table = await server.table("porrinha", "me", "zero")
            async with table.spectator() as first:
                await first.until("waiting")
                async with table.spectator() as second:
                    assert "too many spectators" in (await second.closed())["reason"]
                async with table.seat() as seat:
                    await seat.until("request")

    run(fill())


def test_sockets_per_address_are_limited(tmp_path: Path) -> None:
    async def fill() -> None:
        async with served(tmp_path / "s.sqlite", HouseLimits(connections_per_address=2)) as server:
            table = await server.table("porrinha", "me", "zero")
            async with table.spectator() as spectator, table.seat() as seat:
                await asyncio.gather(spectator.until("waiting"), seat.until("request"))
                with pytest.raises(InvalidStatus) as refused:
                    await connect(f"{server.url.replace('http', 'ws')}/api/tables/{table.id}/socket")
                assert refused.value.response.status_code == 503

    run(fill())


@pytest.mark.parametrize(("proxies", "sockets"), [((), 1), (("127.0.0.1",), 2)], ids=["no proxy", "a named proxy"])
def test_address_in_a_header_counts_only_from_a_named_proxy(
    tmp_path: Path, proxies: tuple[str, ...], sockets: int
) -> None:
    async def fill() -> int:
        limits = HouseLimits(connections_per_address=1, tables_per_address=1, proxies=proxies)
        async with served(tmp_path / "s.sqlite", limits) as server:
            table = await server.table("porrinha", "me", "zero")
            second = await server.http.post("/api/tables", json=TABLE, headers={"X-Forwarded-For": "203.0.113.2"})
            assert second.status_code == (201 if proxies else 409)
            opened = []
            for client in ("203.0.113.1", "203.0.113.2"):
                with contextlib.suppress(InvalidStatus):
                    url = f"{server.url.replace('http', 'ws')}/api/tables/{table.id}/socket"
                    opened.append(await connect(url, additional_headers={"X-Forwarded-For": client}))
            for socket in opened:
                await socket.close()
            return len(opened)

    assert run(fill()) == sockets


def test_house_behind_a_proxy_answers_to_the_name_that_the_proxy_passes_on(tmp_path: Path) -> None:
    async def attempt(proxies: tuple[str, ...]) -> list[int]:
        async with served(tmp_path / "s.sqlite", HouseLimits(proxies=proxies)) as server:
            origins = ("https://club.example", "https://evil.example")
            headers = [{"Host": "club.example", "Origin": origin} for origin in origins]
            return [(await server.http.post("/api/tables", json=TABLE, headers=each)).status_code for each in headers]

    assert run(attempt(("127.0.0.1",))) == [201, 403]
    assert run(attempt(())) == [403, 403]


def test_request_whose_body_never_arrives_is_answered(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wateringhole.web.app.BODY_SECONDS", 0.1)

    async def wait() -> bytes:
        async with served(tmp_path / "s.sqlite") as server:
            reader, writer = await asyncio.open_connection("127.0.0.1", httpx.URL(server.url).port)
            writer.write(b"POST /api/tables HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 10\r\n\r\n{")
            answer = await reader.readline()
            writer.close()
            return answer

    assert run(wait()).startswith(b"HTTP/1.1 408 ")


def test_abandoned_tables_are_closed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wateringhole.house.lobby.CLEAN_UP_SECONDS", 0.02)

    async def wait() -> None:
        async with served(tmp_path / "s.sqlite", HouseLimits(waiting_seconds=0.1, over_seconds=3)) as server:
            waiting = await server.table("porrinha", "me", "friend")
            over = await server.table("porrinha", "zero", "zero")
            async with over.spectator() as spectator:
                await spectator.until("over")
            await asyncio.gather(_wait_until_closed(server, waiting.id), _wait_until_closed(server, over.id))
            async with waiting.seat() as seat:
                assert "no such table" in (await seat.closed())["reason"]
            await server.finished(over.id)
            async with over.spectator() as spectator:
                assert (await spectator.closed())["game_id"] == over.id

    run(wait())


async def _wait_until_closed(server: Served, id: str) -> None:
    async def is_closed() -> bool:
        return (await server.http.get(f"/api/tables/{id}")).status_code != 200

    await until(is_closed)


def test_connection_stays_open_during_a_request_that_follows_another_at_once(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def request() -> None:
        async with served(tmp_path / "s.sqlite", HouseLimits(signup_timeout=0.3)) as server:
            assert server.lobby is not None
            problems: list[dict[str, Any]] = []
            asyncio.get_running_loop().set_exception_handler(lambda _, context: problems.append(context))
            quick = server.lobby.to_json

            async def slow() -> Any:
                # Longer than the time for a request; a slow machine makes no difference.
                await asyncio.sleep(0.5)
                return await quick()

            monkeypatch.setattr(server.lobby, "to_json", slow)
            host = server.url.removeprefix("http://")
            reader, writer = await asyncio.open_connection(*host.split(":"))
            for path in ("/static/favicon.svg", "/api/lobby"):
                writer.write(f"GET {path} HTTP/1.1\r\nHost: {host}\r\n\r\n".encode())
            # The connection is closed later, when no third request comes.
            answers = await reader.read()
            writer.close()
            assert answers.count(b"HTTP/1.1 200") == 2
            assert answers.endswith(b"}")
            assert problems == []

    run(request())
