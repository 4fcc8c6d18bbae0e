"""The requests of people: who they are, their games and ratings, and what the house stores about them.

A cookie holds a person's key.  Scripts cannot read it, and browsers send it only with requests of the page itself.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from typing import Any, Protocol, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wateringhole import registry
from wateringhole.house.lobby import Lobby
from wateringhole.house.page_tables import PageTable
from wateringhole.house.people import Person, PersonGame, beaten_bots
from wateringhole.house.person_ratings import PersonRating
from wateringhole.house.transports.http import client_of
from wateringhole.web.responses import json_response

__all__ = ["PeoplePage"]

COOKIE_SECONDS = 400 * 86_400
"""The longest time for which browsers keep a cookie.  Each new table of the person renews it."""
MOST_GAMES = 100
"""The newest games of a person that the page lists; an export has all of them."""

T = TypeVar("T")


class _Name(msgspec.Struct, frozen=True):
    name: str


class _Key(msgspec.Struct, frozen=True):
    key: str


class _Reads(Protocol):
    """Reads the body of a posted request."""

    async def __call__(self, request: Request, shape: type[T]) -> T: ...


class PeoplePage:
    """The handlers of the routes for people."""

    def __init__(self, lobby: Lobby, read: _Reads) -> None:
        self._lobby = lobby
        self._read = read

    def routes(self, read_route: Callable[[str, Callable[[Request], Awaitable[Response]]], Route]) -> list[Route]:
        """Return the routes; `read_route` makes one for reading, with a rate limit."""
        return [
            read_route("/api/me", self.show),
            read_route("/api/me/tables", self.show_tables),
            read_route("/api/me/export", self.export),
            Route("/api/me", self.save_name, methods=["POST"]),
            Route("/api/me/open", self.open, methods=["POST"]),
            Route("/api/me/link", self.show_link, methods=["POST"]),
            Route("/api/me/close", self.close, methods=["POST"]),
            Route("/api/me/delete", self.delete, methods=["POST"]),
        ]

    async def person(self, request: Request) -> Person | None:
        """Return the person who sends a request, or None for a player without one."""
        return await self._lobby.people.find(_key(request))

    def renew_cookie(self, request: Request, response: Response) -> None:
        """Let the browser keep the key for its full time again."""
        if key := _key(request):
            _set_cookie(request, response, key)

    async def show(self, request: Request) -> Response:
        person = await self.person(request)
        if person is None:
            response = json_response({"name": None, "tables": [], "games": [], "ratings": {}, "beaten": {}})
            if _key(request):
                response.delete_cookie(_cookie_name(request))
            return response
        games = await self._lobby.people.games(person)
        ratings = await self._lobby.people.ratings(person)
        return json_response(
            {
                "name": person.name,
                "tables": self._tables(person),
                "games": [_game_to_json(game) for game in games[:MOST_GAMES]],
                "games_total": len(games),
                "ratings": {game: _rating_to_json(rating) for game, rating in ratings.items()},
                "beaten": beaten_bots(games),
            }
        )

    async def show_tables(self, request: Request) -> Response:
        person = await self.person(request)
        return json_response({"tables": [] if person is None else self._tables(person)})

    def _tables(self, person: Person) -> list[dict[str, Any]]:
        """Return the tables of a person, those that wait for them first."""
        tables = sorted(self._lobby.tables_of(person), key=lambda each: not _waits_for(*each))
        return [{**table.to_json(), "my_seat": seat, "my_turn": _waits_for(table, seat)} for table, seat in tables]

    async def save_name(self, request: Request) -> Response:
        """Change the name of a person, or make a new one of a player without."""
        wanted = await self._read(request, _Name)
        person = await self.person(request)
        if person is not None:
            renamed = await self._lobby.people.rename(person, wanted.name)
            return json_response({"name": renamed.name})
        key, person = await self._lobby.people.create(wanted.name, client_of(request.scope))
        response = json_response({"name": person.name}, 201)
        _set_cookie(request, response, key)
        return response

    async def open(self, request: Request) -> Response:
        """Give this browser the key of a person, from the link of another one."""
        wanted = await self._read(request, _Key)
        person = await self._lobby.people.get(wanted.key)
        response = json_response({"name": person.name})
        _set_cookie(request, response, wanted.key)
        return response

    async def show_link(self, request: Request) -> Response:
        """Return the link that opens the same person on another device."""
        await self._read(request, dict)
        await self._lobby.people.get(_key(request))
        return json_response({"link": f"/me#key={_key(request)}"})

    async def close(self, request: Request) -> Response:
        """Remove the key from this browser."""
        await self._read(request, dict)
        return _without_cookie(request)

    async def delete(self, request: Request) -> Response:
        await self._read(request, dict)
        await self._lobby.delete_person(await self._lobby.people.get(_key(request)))
        return _without_cookie(request)

    async def export(self, request: Request) -> Response:
        """Return everything that the house stores about a person, as a file."""
        person = await self._lobby.people.get(_key(request))
        ratings = await self._lobby.people.ratings(person)
        response = json_response(
            {
                "format": "wateringhole-person",
                "version": 1,
                "name": person.name,
                "created": _time(person.created),
                "last_visit": _time(person.seen),
                "ratings": ratings,
                "tables": [table.id for table, _ in self._lobby.tables_of(person)],
                "games": [_exported(game) for game in await self._lobby.people.games(person)],
            }
        )
        response.headers["Content-Disposition"] = 'attachment; filename="watering-hole.json"'
        return response


def _waits_for(table: PageTable, seat: int) -> bool:
    return seat in table.open_requests


def _game_to_json(game: PersonGame) -> dict[str, Any]:
    return {**msgspec.to_builtins(game), "title": registry.display_name(game.game)}


def _exported(game: PersonGame) -> dict[str, Any]:
    fields: dict[str, Any] = msgspec.to_builtins(game)
    return fields | {"finished": _time(game.finished), "record": _record_address(game)}


def _record_address(game: PersonGame) -> str | None:
    return f"/api/games/{game.game_id}/record" if game.replay else None


def _rating_to_json(rating: PersonRating) -> dict[str, Any]:
    """Return a rating in whole points, or only the number of games if there are too few."""
    shown = rating.is_settled
    return {
        "rating": round(rating.rating) if shown else None,
        "error": round(rating.error) if shown else None,
        "games": rating.games,
    }


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")


# The cookie


def _cookie_name(request: Request) -> str:
    """Return the name of the cookie.  Browsers do not separate the ports of a host, so it contains the port."""
    port = request.headers.get("host", "").rpartition(":")[2]
    return f"person-{port}" if port.isascii() and port.isdigit() else "person"


def _key(request: Request) -> str | None:
    return request.cookies.get(_cookie_name(request))


def _set_cookie(request: Request, response: Response, key: str) -> None:
    # Behind a proxy that encrypts, the request itself is not encrypted, but the page that sent it is.
    is_encrypted = request.url.scheme == "https" or request.headers.get("origin", "").startswith("https:")
    response.set_cookie(
        _cookie_name(request), key, COOKIE_SECONDS, secure=is_encrypted, httponly=True, samesite="strict"
    )


def _without_cookie(request: Request) -> Response:
    response = json_response({})
    response.delete_cookie(_cookie_name(request), httponly=True, samesite="strict")
    return response
