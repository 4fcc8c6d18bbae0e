"""Games of Porrinha between Python players, without a referee."""

from __future__ import annotations

from collections.abc import Sequence

from wateringhole.game import Event, Notice
from wateringhole.games.porrinha import AnswerRepaired, Core, PorrinhaOutcome, Rules, deal
from wateringhole.games.porrinha.bots.player import Player


def play(players: Sequence[Player], rules: Rules) -> tuple[PorrinhaOutcome, list[AnswerRepaired]]:
    """Play a game to its end: how it ended, and every bad answer."""
    game = Core(deal(len(players), rules))
    faults: list[AnswerRepaired] = []

    def tell(events: Sequence[Event]) -> None:
        for event in events:
            if isinstance(event, Notice):
                players[event.seat].on_notice(event)
            elif isinstance(event, AnswerRepaired):
                faults.append(event)

    tell(game.opening)
    while game.outcome is None:
        tell(game.advance({seat: players[seat].answer(request) for seat, request in game.requests.items()}))
    return game.outcome, faults


def losses(players: Sequence[Player], rules: Rules, games: int) -> list[int]:
    """How often each seat loses, of so many games."""
    lost = [0] * len(players)
    for _ in range(games):
        loser = play(players, rules)[0].loser
        assert loser is not None
        lost[loser] += 1
    return lost
