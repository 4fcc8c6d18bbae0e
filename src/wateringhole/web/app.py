"""The server of the page: routes, sockets and error responses."""

from __future__ import annotations

import asyncio
import contextlib
import posixpath
import re
from collections.abc import Awaitable, Callable
from hashlib import sha256
from typing import Any, TypeVar
from weakref import WeakValueDictionary

import msgspec
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware
from starlette.requests import Request
from starlette.responses import FileResponse, HTMLResponse, Response
from starlette.routing import Mount, Route, WebSocketRoute
from starlette.staticfiles import NotModifiedResponse, StaticFiles
from starlette.websockets import WebSocket, WebSocketDisconnect

from wateringhole.errors import NotFound, OperationError, UsageError, WateringHoleError
from wateringhole.formatting import sentence
from wateringhole.house.from_page import PageHello, read_message
from wateringhole.house.limits import RateLimiter, RateLimiters
from wateringhole.house.lobby import Lobby, OpenedTable
from wateringhole.house.page_tables import PageTable
from wateringhole.house.plans import NewTable, SeatOccupant
from wateringhole.house.room import Room
from wateringhole.house.tournament_names import TOURNAMENT_GAME
from wateringhole.house.transports.http import client_of, join, refuse_websocket
from wateringhole.house.transports.page import PageTransport
from wateringhole.house.transports.port import Port
from wateringhole.match.record import Record, read_record
from wateringhole.protocol.messages import PROTOCOL
from wateringhole.web.files import MEDIA_TYPES, STATIC, html_page, read
from wateringhole.web.headers import SecurityHeaders
from wateringhole.web.languages import VARY, lang_tag, language_of, page_text, translate_html
from wateringhole.web.people import PeoplePage
from wateringhole.web.qr import qr_image
from wateringhole.web.replays import replay_of
from wateringhole.web.responses import json_response as _json
from wateringhole.web.standings import StandingsService
from wateringhole.web.tournaments import TournamentPage

__all__ = ["LONGEST_MESSAGE", "Page", "create_app"]

LONGEST_MESSAGE = 16 << 10
"""Bytes of one message from a page, over a socket or posted."""
LONGEST_RECORD = 8 << 20
"""Bytes of a record that is posted for a replay."""
HELLO_SECONDS = 10.0
BODY_SECONDS = 60.0
"""Longest time for the body of a request."""
MOST_WORKERS = 2
"""Replays and standings that are computed at the same time.  Others wait; tables never do."""
POSTS_AT_ONCE, POSTS_PER_SECOND = 60, 2.0
"""Limits of the posts from one address."""
READS_AT_ONCE, READS_PER_SECOND = 200, 20.0
"""Limits of the other requests from one address."""

THEME, BACKGROUND = "#1b211d", "#dccb86"
"""The colours of the header and of the ground, as in `tokens.css`."""

T = TypeVar("T")


class _TakeSeat(msgspec.Struct, frozen=True):
    name: str = ""
    invitation: str | None = None


class _Invitation(msgspec.Struct, frozen=True):
    invitation: str


class _AnswerSeatRequest(msgspec.Struct, frozen=True):
    token: str
    request: int
    accept: bool


class _RemovePlayer(msgspec.Struct, frozen=True):
    token: str
    seat: int
    ban: bool = False


class _ChangeSettings(msgspec.Struct, frozen=True):
    token: str
    settings: dict[str, Any]


class _Reorder(msgspec.Struct, frozen=True):
    token: str
    keys: list[int]


class _Occupy(msgspec.Struct, frozen=True):
    token: str
    key: int
    occupant: SeatOccupant


class _AddSeat(msgspec.Struct, frozen=True):
    token: str


class _RemoveSeat(msgspec.Struct, frozen=True):
    token: str
    key: int


class _Start(msgspec.Struct, frozen=True):
    token: str
    absent: list[int]
    bots: bool = False


class _QrCode(msgspec.Struct, frozen=True):
    text: str


class _Rematch(msgspec.Struct, frozen=True):
    token: str


class Page:
    """The handlers of all routes."""

    def __init__(self, lobby: Lobby, port: Port) -> None:
        self._lobby = lobby
        self._port = port
        self._standings = StandingsService(lobby.store)
        self._people = PeoplePage(lobby, self._read)
        self._tournaments = TournamentPage(lobby, self._people, self._read, self._compute_standings)
        self._posts = RateLimiters(POSTS_AT_ONCE, POSTS_PER_SECOND)
        self._reads = RateLimiters(READS_AT_ONCE, READS_PER_SECOND)
        self._workers = asyncio.Semaphore(MOST_WORKERS)
        self._standings_locks = WeakValueDictionary[int, asyncio.Lock]()
        """Locks by tournament, held while its standings are computed, so that all waiting requests share one result."""

    def routes(self) -> list[Any]:
        html = [
            Route("/", _page("lobby")),
            self._read_route("/table/{id}", self.show_table_page),
            Route("/replay", _page("replay")),
            self._read_route("/replay/{id}", self.show_replay_page),
            Route("/standings", _page("standings")),
            self._read_route("/standings/{id}", self.show_standings_page),
            Route("/me", _page("me")),
            Route("/tournaments", _page("tournaments")),
            Route("/tournaments/{id}", self.show_tournament_page),
        ]
        return [
            *html,
            Route("/manifest.webmanifest", _app_manifest),
            Route("/favicon.ico", lambda request: FileResponse(STATIC / "favicon.svg")),
            self._read_route("/api/lobby", self.show_lobby),
            Route("/api/tables", self.set_up_table, methods=["POST"]),
            self._read_route("/api/tables/{id}", self.show_table),
            Route("/api/tables/{id}/seat", self.take_seat, methods=["POST"]),
            Route("/api/tables/{id}/settings", self.change_settings, methods=["POST"]),
            Route("/api/tables/{id}/invitation", self.check_invitation, methods=["POST"]),
            Route("/api/tables/{id}/seat-request", self.answer_seat_request, methods=["POST"]),
            Route("/api/tables/{id}/order", self.reorder_seats, methods=["POST"]),
            Route("/api/tables/{id}/occupant", self.change_occupant, methods=["POST"]),
            Route("/api/tables/{id}/add-seat", self.add_seat, methods=["POST"]),
            Route("/api/tables/{id}/remove-seat", self.remove_seat, methods=["POST"]),
            Route("/api/tables/{id}/start", self.start_game, methods=["POST"]),
            Route("/api/tables/{id}/remove", self.remove_player, methods=["POST"]),
            Route("/api/tables/{id}/rematch", self.rematch, methods=["POST"]),
            WebSocketRoute("/api/tables/{id}/socket", self.serve_page),
            Route("/api/qr", self.draw_qr_code, methods=["POST"]),
            self._read_route("/api/games/{id}/record", self.show_record),
            self._read_route("/api/games/{id}/replay", self.show_replay),
            self._read_route("/api/games/{id}/analysis", self.show_analysis),
            Route("/api/replay", self.show_posted_replay, methods=["POST"]),
            self._read_route("/api/standings", self.show_tournaments),
            self._read_route("/api/standings/{id}", self.show_standings),
            *self._people.routes(self._read_route),
            *self._tournaments.routes(self._read_route),
            # The files that the pages load.
            Route("/static/text/current.js", _text_file),
            Mount("/static", _Static(directory=STATIC, check_dir=False)),
            Route("/games/{game}/text/current.js", _text_file),
            Route("/games/{path:path}", _game_file),
        ]

    def _read_route(self, path: str, show: Callable[[Request], Awaitable[Response]]) -> Route:
        """Return a route for reading, with a rate limit."""

        async def show_at_limited_rate(request: Request) -> Response:
            _check_rate(self._reads, request)
            return await show(request)

        return Route(path, show_at_limited_rate)

    # The lobby and its tables

    async def show_lobby(self, request: Request) -> Response:
        return _json(await self._lobby.to_json())

    async def show_table(self, request: Request) -> Response:
        return _json(self._table(request).to_json())

    async def set_up_table(self, request: Request) -> Response:
        wanted = await self._read(request, NewTable)
        person = await self._people.person(request)
        response = self._opened(self._lobby.set_up(wanted, _address(request), person), 201)
        if person is not None:
            self._people.renew_cookie(request, response)
        return response

    async def take_seat(self, request: Request) -> Response:
        wanted = await self._read(request, _TakeSeat)
        person = await self._people.person(request)
        table = self._table(request)
        if person is not None and (own := table.seat_of_person(person)) is not None:
            return _json({"seat": own, "token": table.reclaim_seat(own)})
        seat = table.free_seat(wanted.invitation)
        if seat is None:
            raise OperationError("This table has no free seat for you.")
        if table.plan.seats[seat].kind == "program":
            raise OperationError("This seat is reserved for a program, which joins with the command on the page.")
        name = wanted.name if person is None else person.name
        self._lobby.check_admission(name, _address(request), table, table.names)
        token = table.take_seat(seat, name, _address(request), person)
        self._port.log(f"{table.names[seat]!r} has taken a seat at table {table.id} from {_address(request)} (page)")
        table.start_if_full()
        return _json({"seat": seat, "token": token})

    async def change_settings(self, request: Request) -> Response:
        wanted = await self._read(request, _ChangeSettings)
        table = self._table(request)
        Room(table, wanted.token).change_settings(wanted.settings, self._lobby.limits.human_time_limit)
        return _json({"table": table.to_json()})

    async def reorder_seats(self, request: Request) -> Response:
        wanted = await self._read(request, _Reorder)
        table = self._table(request)
        Room(table, wanted.token).reorder(wanted.keys)
        return _json({"table": table.to_json()})

    async def change_occupant(self, request: Request) -> Response:
        wanted = await self._read(request, _Occupy)
        table = self._table(request)
        invitations = await Room(table, wanted.token).occupy(wanted.key, wanted.occupant)
        return self._opened(OpenedTable(table, None, None, invitations))

    async def add_seat(self, request: Request) -> Response:
        wanted = await self._read(request, _AddSeat)
        table = self._table(request)
        return self._opened(OpenedTable(table, None, None, Room(table, wanted.token).add_seat()))

    async def remove_seat(self, request: Request) -> Response:
        wanted = await self._read(request, _RemoveSeat)
        table = self._table(request)
        await Room(table, wanted.token).remove_seat(wanted.key)
        return _json({"table": table.to_json()})

    async def start_game(self, request: Request) -> Response:
        wanted = await self._read(request, _Start)
        table = self._table(request)
        await Room(table, wanted.token).start(wanted.absent, with_bots=wanted.bots)
        return _json({"table": table.to_json()})

    async def check_invitation(self, request: Request) -> Response:
        wanted = await self._read(request, _Invitation)
        return _json({"is_open": self._table(request).free_seat(wanted.invitation) is not None})

    async def answer_seat_request(self, request: Request) -> Response:
        wanted = await self._read(request, _AnswerSeatRequest)
        table = self._table(request)
        self._lobby.answer_seat_request(table, wanted.token, wanted.request, wanted.accept)
        return _json({"table": table.to_json()})

    async def remove_player(self, request: Request) -> Response:
        wanted = await self._read(request, _RemovePlayer)
        table = self._table(request)
        removed = await self._lobby.remove_player(table, wanted.token, wanted.seat, wanted.ban, _address(request))
        return self._opened(removed)

    async def rematch(self, request: Request) -> Response:
        wanted = await self._read(request, _Rematch)
        person = await self._people.person(request)
        table = self._table(request)
        seat = table.seat_of(wanted.token)
        if seat is None:
            raise OperationError("Only players of this table can ask for a rematch.")
        return self._opened(self._lobby.rematch(table, seat, _address(request), person), 201)

    async def draw_qr_code(self, request: Request) -> Response:
        """Draw the code of a link.  The link is posted, so that its secret is in no address."""
        wanted = await self._read(request, _QrCode)
        return _json({"image": qr_image(wanted.text)})

    def _opened(self, opened: OpenedTable, status: int = 200) -> Response:
        raw_port = self._port.raw_port
        return _json(_opened_to_json(opened) | ({} if raw_port is None else {"raw_port": raw_port}), status)

    def _table(self, request: Request) -> PageTable:
        return self._lobby.table(request.path_params["id"])

    # The pages of one thing: if it does not exist, the page says so, and the status is 404

    async def show_table_page(self, request: Request) -> Response:
        table = self._lobby.tables.get(request.path_params["id"])
        is_known = table is not None or await self._has_record(request)
        return _html(request, html_page("table", table.kind.name if table else None), is_known)

    async def show_replay_page(self, request: Request) -> Response:
        return _html(request, html_page("replay"), await self._has_record(request))

    async def show_standings_page(self, request: Request) -> Response:
        is_known = await _exists(lambda: self._standings.tournament(_tournament_number(request)))
        return _html(request, html_page("standings"), is_known)

    async def show_tournament_page(self, request: Request) -> Response:
        is_known = self._lobby.tournaments.find(request.path_params["id"]) is not None
        return _html(request, html_page("tournaments"), is_known)

    async def _has_record(self, request: Request) -> bool:
        return await _exists(lambda: self._record(request.path_params["id"]))

    # Playing and watching

    async def serve_page(self, socket: WebSocket) -> None:
        """Serve one page at one table."""
        address = client_of(socket.scope)
        why = self._port.count_client(address)
        if why is not None:
            await refuse_websocket(socket, 503, sentence(why))
            return
        try:
            await socket.accept()
            await self._serve(socket, PageTransport(address, language_of(socket.headers)))
        finally:
            self._port.uncount_client(address)

    async def _serve(self, socket: WebSocket, transport: PageTransport) -> None:
        writing = asyncio.ensure_future(_write(socket, transport))
        reading = asyncio.ensure_future(self._receive_messages(socket, transport))
        try:
            # Pending messages, such as a goodbye, are still sent after reading has ended.
            await asyncio.wait([writing, reading], return_when=asyncio.FIRST_COMPLETED)
            if transport.is_closed:
                await asyncio.wait([writing], timeout=HELLO_SECONDS)
        finally:
            for task in (writing, reading):
                task.cancel()
            for result in await asyncio.gather(writing, reading, return_exceptions=True):
                if isinstance(result, Exception) and not isinstance(result, WebSocketDisconnect):
                    raise result

    async def _receive_messages(self, socket: WebSocket, transport: PageTransport) -> None:
        id = socket.path_params["id"]
        try:
            async with asyncio.timeout(HELLO_SECONDS):
                hello = _hello(await _receive(socket))
        except TimeoutError:
            transport.bye("The page sent no hello.", final=False)
            return
        except ValueError as error:
            transport.bye(sentence(str(error)), final=True)
            return
        if hello.protocol != PROTOCOL:
            transport.bye(f"This server speaks protocol {PROTOCOL}, not {hello.protocol}.", final=True)
            return
        table = self._lobby.tables.get(id)
        if table is None:
            await self._close_unknown_table(transport, id)
            return
        seat = table.seat_of(hello.token)
        if self._lobby.admission.is_banned("" if seat is None else table.names[seat], transport.address):
            transport.bye("You are banned from this house.", final=True)
            return
        if hello.token is not None and seat is None:
            transport.bye("This seat is not yours, or it is no longer yours.", final=True)
            return
        if hello.token is None and table.spectators >= self._lobby.limits.spectators:
            transport.bye("This table has too many spectators.", final=True)
            return
        try:
            await table.wait_until_restored()
            transport.is_paced = hello.paced
            table.attach(transport, hello.token, hello.heard)
            limiter = RateLimiter(at_once=60, per_second=20)
            while True:
                message = read_message(await _receive(socket))
                if not limiter.allows(asyncio.get_running_loop().time()):
                    transport.bye("The page sent too many messages.", final=False)
                    return
                if message is not None:
                    table.receive(transport, message)
        except ValueError as error:
            transport.bye(sentence(str(error)), final=False)
        finally:
            table.detach(transport)

    async def _close_unknown_table(self, transport: PageTransport, id: str) -> None:
        try:
            await asyncio.to_thread(self._record, id)
        except NotFound:
            transport.bye("There is no such table, or it was closed.", final=True)
        else:
            transport.bye("This game is over.", final=True, game_id=id)

    # Finished games

    async def show_record(self, request: Request) -> Response:
        record = await asyncio.to_thread(self._record, request.path_params["id"])
        return Response(record, media_type="application/x-ndjson")

    async def show_replay(self, request: Request) -> Response:
        async with self._workers:
            record, language = request.path_params["id"], language_of(request.headers)
            return await asyncio.to_thread(lambda: _json(self._replay(self._record(record), language)))

    async def show_analysis(self, request: Request) -> Response:
        """Return the analysis of a game, or the progress of the one that this request has started."""
        id, reviews = request.path_params["id"], self._lobby.reviews
        language = language_of(request.headers)
        status = reviews.status(id, language)
        if status is None:
            record = await asyncio.to_thread(lambda: self._read_record(self._record(id)))
            status = reviews.status(id, language) or reviews.start(id, record)
        return _json(status)

    async def show_posted_replay(self, request: Request) -> Response:
        _check_rate(self._posts, request)
        record = await _body(request, LONGEST_RECORD)
        async with self._workers:
            try:
                return await asyncio.to_thread(lambda: _json(self._replay(record, language_of(request.headers))))
            except OperationError as error:
                raise UsageError(str(error)) from None

    def _replay(self, text: bytes, language: str) -> dict[str, Any]:
        return replay_of(self._read_record(text), language)

    def _read_record(self, text: bytes) -> Record:
        record = read_record(text, "The record")
        return record.with_choices(self._lobby.choices.get(record.kind.name, {}))

    def _record(self, id: str) -> bytes:
        """Return the record of a game of the page, or of a tournament if the id is TOURNAMENT-SERIES-GAME."""
        if found := TOURNAMENT_GAME.fullmatch(id):
            try:
                return self._lobby.store.record(int(found[1]), int(found[2]), int(found[3]))
            except UsageError:
                raise NotFound("There is no such game.") from None
        record = self._lobby.store.game_record(id)
        if record is None:
            raise NotFound("There is no such game.")
        return record

    # Standings

    async def show_tournaments(self, request: Request) -> Response:
        return _json(await asyncio.to_thread(self._standings.tournaments))

    async def show_standings(self, request: Request) -> Response:
        return _json(await self._compute_standings(_tournament_number(request)))

    async def _compute_standings(self, number: int) -> dict[str, Any]:
        async with self._standings_locks.setdefault(number, asyncio.Lock()), self._workers:
            return await asyncio.to_thread(self._standings.standings, number)

    # Posted requests

    async def _read(self, request: Request, shape: type[T]) -> T:
        _check_rate(self._posts, request)
        try:
            return msgspec.json.decode(await _body(request, LONGEST_MESSAGE), type=shape)
        except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as wrong:
            raise UsageError(f"The request is not valid: {wrong}.") from None


# Browsers check files each time, and the server sends them only if they have changed.
_REVALIDATE = {"Cache-Control": "no-cache"}


class _Static(StaticFiles):
    def file_response(self, *args: Any, **kwargs: Any) -> Response:
        response = super().file_response(*args, **kwargs)
        response.headers.update(_REVALIDATE)
        return response


def create_app(lobby: Lobby, port: Port, *, accepts_any_host: bool = False) -> SecurityHeaders:
    """Return the server of the page.  WebSockets at other paths carry the JSON protocol."""

    async def join_table(socket: WebSocket) -> None:
        await join(socket, port)

    app = Starlette(
        routes=[*Page(lobby, port).routes(), WebSocketRoute("/{path:path}", join_table)],
        middleware=[Middleware(GZipMiddleware, minimum_size=500)],
        exception_handlers={
            WateringHoleError: _error_response,
            HTTPException: _http_error_response,
            500: _bug_response,
        },
    )
    # Outermost, so that error responses also get the headers.
    return SecurityHeaders(app, accepts_any_host=accepts_any_host)


def _page(name: str) -> Any:
    async def show(request: Request) -> Response:
        return _html(request, html_page(name))

    return show


def _html(request: Request, page: str, is_known: bool = True) -> Response:
    """Return a page, with status 404 if what it shows does not exist."""
    translated = translate_html(page, language_of(request.headers))
    if not is_known:
        return HTMLResponse(translated, 404, headers={**VARY, **_REVALIDATE})
    return _file(request, HTMLResponse(translated, headers=VARY))


async def _exists(read: Callable[[], object]) -> bool:
    """Return whether something can be found in the store.  The page itself reports any other error."""
    try:
        await asyncio.to_thread(read)
    except NotFound:
        return False
    except WateringHoleError:
        pass
    return True


def _tournament_number(request: Request) -> int:
    id: str = request.path_params["id"]
    if not re.fullmatch(r"[0-9]{1,9}", id):
        raise NotFound("There is no such tournament.")
    return int(id)


def _text_file(request: Request) -> Response:
    """Return the module with the texts in the language of the page."""
    content = read(request.url.path, language_of(request.headers))
    return _file(request, Response(content, headers=VARY, media_type=MEDIA_TYPES[".js"]))


def _game_file(request: Request) -> Response:
    """Return a file of a game.  It may be in an archive, so `StaticFiles` cannot serve it."""
    path = request.path_params["path"]
    content = read(f"/games/{path}")
    return _file(request, Response(content, media_type=MEDIA_TYPES[posixpath.splitext(path)[1]]))


def _file(request: Request, response: Response) -> Response:
    """Return the response, or status 304 if the browser already has it."""
    response.headers.update({"ETag": f'"{sha256(response.body).hexdigest()[:32]}"', **_REVALIDATE})
    is_known = response.headers["ETag"] in request.headers.get("If-None-Match", "")
    return NotModifiedResponse(response.headers) if is_known else response


async def _app_manifest(request: Request) -> Response:
    """Return what a phone needs to put the page on its home screen."""
    language = language_of(request.headers)
    icons = [
        {"src": f"/static/icons/{size}.png", "sizes": f"{size}x{size}", "type": "image/png", "purpose": purpose}
        for size, purpose in ((192, "any"), (512, "any"), (512, "maskable"))
    ]
    manifest = {
        "name": page_text("brand", language),
        "short_name": page_text("brand", language),
        "description": page_text("app.description", language),
        "lang": lang_tag(language),
        "start_url": "/",
        "display": "standalone",
        "background_color": BACKGROUND,
        "theme_color": THEME,
        "icons": [{"src": "/static/favicon.svg", "sizes": "any", "type": "image/svg+xml"}, *icons],
    }
    return Response(msgspec.json.encode(manifest), headers=VARY, media_type="application/manifest+json")


def _not_found(request: Request) -> Response | None:
    """Return the page for an unknown address, or None for a request that wants no page."""
    if request.url.path.startswith("/api/") or "text/html" not in request.headers.get("Accept", ""):
        return None
    page = translate_html(html_page("not-found"), language_of(request.headers))
    return HTMLResponse(page, 404, headers=VARY)


async def _error_response(request: Request, error: Exception) -> Response:
    status = 400 if isinstance(error, UsageError) else 404 if isinstance(error, NotFound) else 409
    page = _not_found(request) if status == 404 else None
    return page or _json({"problem": sentence(str(error))}, status)


async def _http_error_response(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    page = _not_found(request) if error.status_code == 404 else None
    return page or _json({"problem": sentence(error.detail)}, error.status_code)


async def _bug_response(request: Request, error: Exception) -> Response:
    return _json({"problem": "Something went wrong on the server. It is not your fault."}, 500)


def _opened_to_json(opened: OpenedTable) -> dict[str, Any]:
    """Return a table with its tokens, a link for each friend and a code for each program."""
    table, token, owner, invitations = opened
    seats = table.plan.seats
    tokens = {"token": token, "owner": owner}
    return {
        "table": table.to_json(),
        **{name: secret for name, secret in tokens.items() if secret is not None},
        "invitations": [
            f"/table/{table.id}#invite={secret}" for seat, secret in invitations.items() if seats[seat].kind == "person"
        ],
        "programs": [
            {"seat": seat, "code": code} for seat, code in invitations.items() if seats[seat].kind == "program"
        ],
    }


def _check_rate(limiters: RateLimiters, request: Request) -> None:
    if not limiters.allow(_address(request), asyncio.get_running_loop().time()):
        raise HTTPException(429, "Too many requests from your address. Please wait a little.")


def _address(request: Request) -> str:
    return client_of(request.scope)


async def _body(request: Request, most: int) -> bytes:
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for chunk in request.stream():
                body += chunk
                if len(body) > most:
                    raise HTTPException(413, f"The request is too long. The limit is {most} bytes.")
    except TimeoutError:
        raise HTTPException(408, f"The request did not arrive within {BODY_SECONDS:g} seconds.") from None
    return bytes(body)


async def _write(socket: WebSocket, transport: PageTransport) -> None:
    # RuntimeError is raised if the other side has closed the connection.  A player may reconnect.
    with contextlib.suppress(RuntimeError):
        while (message := await transport.next()) is not None:
            await socket.send_text(message.decode())
        await socket.close()


async def _receive(socket: WebSocket) -> dict[str, Any]:
    """Return the next message.  Raises ValueError if it is not a valid message."""
    received = await socket.receive()
    if received["type"] == "websocket.disconnect":
        raise WebSocketDisconnect(received.get("code", 1006))
    text = received.get("text")
    if text is None or len(text) > LONGEST_MESSAGE:
        raise ValueError(f"a message must be a text of at most {LONGEST_MESSAGE} characters")
    try:
        message = msgspec.json.decode(text)
    except (msgspec.DecodeError, RecursionError):
        message = None
    if not isinstance(message, dict):
        raise ValueError("a message must be a JSON object")
    return message


def _hello(message: dict[str, Any]) -> PageHello:
    """Return the first message.  Raises ValueError if it is another one or not valid."""
    if message.get("type") != "hello":
        raise ValueError("the first message must be a hello")
    try:
        return msgspec.convert(message, PageHello)
    except msgspec.ValidationError as wrong:
        raise ValueError(f"this is not a valid hello: {wrong}") from None
