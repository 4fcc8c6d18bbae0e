"""Builders of simple legal games, and functions that play them step by step."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeVar

import msgspec

from wateringhole.game import Event, Forfeit, Seat
from wateringhole.games.porrinha import PROFILES, Core, RoundSettled, deal
from wateringhole.games.porrinha.rules.requests import GuessTotal, HideSticks

E = TypeVar("E", bound=Event)

CRASH = Forfeit("exception", "it broke")


def open_game(players: int = 2, profile: str = "seed", **options: Any) -> Core:
    rules = msgspec.structs.replace(PROFILES[profile], **options)
    return Core(deal(players, rules))


def play_round(game: Core, hands: Sequence[Any], guesses: Sequence[Any]) -> list[Event]:
    """Play a round with hands by seat, and guesses in guessing order.  Return its events."""
    events = list(game.advance({seat: hands[seat] for seat in game.requests}))
    for guess in guesses:
        (seat,) = game.requests
        events += game.advance({seat: guess})
    return events


def lose_a_round(game: Core) -> list[Event]:
    """Play a round without a right guess: all hands are empty, and no player guesses 0."""
    view = game.view(None)
    return play_round(game, [0] * view.player_count, range(1, view.active_player_count + 1))


def win_a_round(game: Core, winner: int) -> list[Event]:
    """Play a round in which one seat is right: all hands are empty, and only it guesses 0."""
    order = list(game.requests)
    guesses = [0 if seat == winner else number for number, seat in enumerate(order, 1)]
    return play_round(game, [0] * game.view(None).player_count, guesses)


def only(events: Sequence[Event], kind: type[E]) -> list[E]:
    return [event for event in events if isinstance(event, kind)]


def settled(events: Sequence[Event]) -> RoundSettled:
    (event,) = only(events, RoundSettled)
    return event


def asked(game: Core) -> dict[Seat, str]:
    return {seat: request.name for seat, request in game.requests.items()}


def guess_asked(game: Core) -> GuessTotal:
    (request,) = game.requests.values()
    assert isinstance(request, GuessTotal)
    return request


def hands_asked(game: Core) -> Mapping[Seat, HideSticks]:
    requests = {seat: request for seat, request in game.requests.items() if isinstance(request, HideSticks)}
    assert requests.keys() == game.requests.keys()
    return requests


def ranking(game: Core) -> list[int]:
    assert game.outcome is not None
    return [standing.seat for standing in game.outcome.ranking]
