"""Games of Porrinha between Python players, without a referee."""

from __future__ import annotations

from collections.abc import Sequence

from wateringhole.game import Event, Notice
from wateringhole.games.porrinha import AnswerRepaired, Core, PorrinhaOutcome, Rules, deal
from wateringhole.games.porrinha.bots.player import Player


def play(players: Sequence[Player], rules: Rules) -> tuple[PorrinhaOutcome, list[AnswerRepaired]]:
    """Play a game to its end.  Return its outcome and the event of every bad answer."""
    game = Core(deal(len(players), rules))
    repairs: list[AnswerRepaired] = []

    def deliver(events: Sequence[Event]) -> None:
        for event in events:
            if isinstance(event, Notice):
                players[event.seat].on_notice(event)
            elif isinstance(event, AnswerRepaired):
                repairs.append(event)

    deliver(game.opening)
    while game.outcome is None:
        deliver(game.advance({seat: players[seat].answer(request) for seat, request in game.requests.items()}))
    return game.outcome, repairs


def losses(players: Sequence[Player], rules: Rules, games: int) -> list[int]:
    """Play games, and return how often each seat lost."""
    lost = [0] * len(players)
    for _ in range(games):
        loser = play(players, rules)[0].loser
        assert loser is not None
        lost[loser] += 1
    return lost
