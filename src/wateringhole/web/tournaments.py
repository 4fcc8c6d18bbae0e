"""The requests about tournaments of the house: those of its operator, of players who enter, and of all who follow."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any, Protocol, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from wateringhole.errors import OperationError
from wateringhole.house.lobby import Lobby
from wateringhole.house.page_tournaments import PageTournament
from wateringhole.house.people import Person
from wateringhole.house.tournament_plans import NewTournament
from wateringhole.house.transports.http import client_of
from wateringhole.web.people import PeoplePage
from wateringhole.web.responses import json_response

__all__ = ["TournamentPage"]

T = TypeVar("T")


class _New(NewTournament, frozen=True, kw_only=True):
    token: str


class _Token(msgspec.Struct, frozen=True):
    token: str


class _Reads(Protocol):
    """Reads the body of a posted request."""

    async def __call__(self, request: Request, shape: type[T]) -> T: ...


class TournamentPage:
    """The handlers of the routes for tournaments."""

    def __init__(
        self,
        lobby: Lobby,
        people: PeoplePage,
        read: _Reads,
        standings: Callable[[int], Awaitable[dict[str, Any]]],
    ) -> None:
        """`standings` returns the standings of a tournament in the store."""
        self._lobby = lobby
        self._people = people
        self._read = read
        self._standings = standings

    def routes(self, read_route: Callable[[str, Callable[[Request], Awaitable[Response]]], Route]) -> list[Route]:
        """Return the routes; `read_route` makes one for reading, with a rate limit."""
        one = "/api/tournaments/{id}"
        return [
            read_route("/api/tournaments", self.list),
            Route("/api/tournaments", self.create, methods=["POST"]),
            Route("/api/tournaments/operator", self.check_operator, methods=["POST"]),
            read_route(one, self.show),
            Route(f"{one}/enter", self.enter, methods=["POST"]),
            Route(f"{one}/leave", self.leave, methods=["POST"]),
            Route(f"{one}/start", self.start, methods=["POST"]),
            Route(f"{one}/continue", self.resume, methods=["POST"]),
            Route(f"{one}/cancel", self.cancel, methods=["POST"]),
        ]

    async def list(self, request: Request) -> Response:
        return json_response({"tournaments": self._lobby.tournaments.to_json()})

    async def show(self, request: Request) -> Response:
        return await self._show(self._tournament(request), await self._people.person(request))

    async def check_operator(self, request: Request) -> Response:
        await self._check(request)
        return json_response({})

    async def create(self, request: Request) -> Response:
        wanted = await self._read(request, _New)
        self._lobby.tournaments.check_operator(wanted.token)
        tournament = self._lobby.tournaments.create(wanted)
        return await self._show(tournament, await self._people.person(request), 201)

    async def enter(self, request: Request) -> Response:
        person = await self._player(request)
        tournament = self._tournament(request)
        self._lobby.check_house_admission(person.name, client_of(request.scope), tournament.names)
        tournament.enter_person(person)
        return await self._show(tournament, person)

    async def leave(self, request: Request) -> Response:
        person = await self._player(request)
        tournament = self._tournament(request)
        tournament.leave(person)
        return await self._show(tournament, person)

    async def start(self, request: Request) -> Response:
        await self._check(request)
        tournament = self._tournament(request)
        await tournament.start()
        return await self._show(tournament, await self._people.person(request))

    async def resume(self, request: Request) -> Response:
        await self._check(request)
        tournament = self._tournament(request)
        await tournament.resume()
        return await self._show(tournament, await self._people.person(request))

    async def cancel(self, request: Request) -> Response:
        await self._check(request)
        tournament = self._tournament(request)
        await tournament.cancel()
        return await self._show(tournament, await self._people.person(request))

    async def _check(self, request: Request) -> None:
        wanted = await self._read(request, _Token)
        self._lobby.tournaments.check_operator(wanted.token)

    async def _player(self, request: Request) -> Person:
        await self._read(request, dict)
        person = await self._people.person(request)
        if person is None:
            raise OperationError("Choose a name on the page about you first. Then the tournament can find you.")
        return person

    def _tournament(self, request: Request) -> PageTournament:
        return self._lobby.tournaments.get(request.path_params["id"])

    async def _show(self, tournament: PageTournament, person: Person | None, status: int = 200) -> Response:
        number = tournament.plan.number
        shown = tournament.to_json(person)
        shown["rows"] = [] if number is None or not tournament.played else (await self._standings(number))["rows"]
        return json_response(shown, status)
