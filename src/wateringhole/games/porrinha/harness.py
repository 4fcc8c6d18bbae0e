"""Plays a scripted series of games and logs every event, so that cores can be compared with each other.

The public harness document defines the shapes.  Every value is plain JSON.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any, Final

from wateringhole.errors import OperationError, UsageError
from wateringhole.game import Event, Seat
from wateringhole.games.porrinha.kind import KIND
from wateringhole.games.porrinha.rules import codec
from wateringhole.games.porrinha.rules.events import (
    BeginGame,
    EndGame,
    EndRound,
    GameEnded,
    RoundSettled,
    RoundStarted,
)
from wateringhole.games.porrinha.rules.game import Core, next_setup
from wateringhole.games.porrinha.rules.options import PROFILES, Rules
from wateringhole.games.porrinha.rules.requests import GuessTotal, HideSticks
from wateringhole.games.porrinha.rules.setup import Setup, setup_problem
from wateringhole.games.porrinha.rules.view import View

__all__ = ["HARNESSES", "run_scenario"]

QUERIES: Final = (
    "player_count",
    "active_player_count",
    "chopstick_count",
    "chopsticks",
    "guess",
    "hand",
    "last_winner",
)
OWN_KEYS: Final = ("players", "hands", "guesses", "games", "profile")


def run_scenario(value: Any) -> list[dict[str, Any]]:
    """Play a scenario, and return its log.  It stops when a seat has no answer left.

    Raises OperationError if the scenario is malformed.
    """
    setup, games, hands, guesses = _read(value)
    log: list[dict[str, Any]] = []
    answers = {"hand": list(map(iter, hands)), "guess": list(map(iter, guesses))}
    game: Core | None = None
    for _ in range(games):
        game = Core(next_setup(setup, (), game))
        log += _log_entries(game.opening)
        while game.outcome is None:
            accepted: dict[Seat, int] = {}
            for seat, request in game.requests.items():
                call = _call(request.name, seat, request.view)
                log.append(call)
                answer = next(answers[request.name][seat], None)
                if answer is None:
                    return log
                call.update(_result(request, answer, setup.rules))
                accepted[seat] = answer
            log += _log_entries(game.advance(accepted))
    return log


def _log_entries(events: Iterable[Event]) -> list[dict[str, Any]]:
    """Return the log entries of events.  Guesses and bad answers belong to the entries of their calls."""
    log: list[dict[str, Any]] = []
    for event in events:
        match event:
            case BeginGame() | EndRound() | EndGame():
                log.append(_call(event.method, event.seat, event.view))
            case RoundStarted():
                log.append(
                    {
                        "ev": "round",
                        "number": event.number,
                        "first": event.lead,
                        "chopstick_count": event.chopstick_count,
                        "chopsticks": list(event.chopsticks),
                    }
                )
            case RoundSettled():
                log.append(
                    {
                        "ev": "settled",
                        "sum": event.sum,
                        "winner": event.winner,
                        "left": event.left,
                        "hands": list(event.hands),
                        "guesses": list(event.guesses),
                        "chopsticks": list(event.chopsticks),
                        "chopstick_count": event.chopstick_count,
                        "active_player_count": event.active_player_count,
                        "next_first": event.next_lead,
                    }
                )
            case GameEnded():
                log.append(
                    {
                        "ev": "result",
                        "reason": event.outcome.reason,
                        "rounds": event.outcome.rounds,
                        "ranking": [standing.seat for standing in event.outcome.ranking],
                        "loser": event.outcome.loser,
                        "chopsticks": list(event.chopsticks),
                    }
                )
    return log


def _call(method: str, seat: Seat, view: View) -> dict[str, Any]:
    answers = {query: getattr(view, query) for query in QUERIES}
    plain = {query: list(answer) if isinstance(answer, tuple) else answer for query, answer in answers.items()}
    return {"ev": "call", "method": method, "player": seat, "view": plain}


def _result(request: HideSticks | GuessTotal, answer: int, rules: Rules) -> dict[str, Any]:
    used: int | None
    used, fault = request.resolve(answer)
    if isinstance(request, GuessTotal) and fault is not None and request.is_refused(fault, rules):
        used = None
    return {"answer": answer, "used": used, "fault": fault}


def _read(value: Any) -> tuple[Setup, int, list[list[int]], list[list[int]]]:
    if not isinstance(value, dict):
        raise OperationError("the scenario is not a JSON object")
    missing = [key for key in ("players", "hands", "guesses") if key not in value]
    if missing:
        raise OperationError(f"the scenario lacks {' and '.join(missing)}")
    players = _count(value, "players", least=2)
    games = _count(value, "games", least=1, default=1)
    profile = value.get("profile", "seed")
    if not isinstance(profile, str) or profile not in PROFILES:
        raise OperationError(f"profile {profile!r} does not exist. Choose from: {', '.join(PROFILES)}")
    options = {key: chosen for key, chosen in value.items() if key not in OWN_KEYS}
    try:
        rules = codec.rules_from_json(codec.rules_to_json(PROFILES[profile]) | options)
    except ValueError as wrong:
        raise OperationError(f"the scenario has an unknown option or a bad value: {wrong}") from None
    setup = Setup(players, rules)
    wrong_setup = setup_problem(setup)
    if wrong_setup is not None:
        raise OperationError(f"the scenario cannot be played: {wrong_setup}")
    return setup, games, _answers(value, "hands", players), _answers(value, "guesses", players)


def _count(value: dict[str, Any], key: str, *, least: int, default: int | None = None) -> int:
    number = value.get(key, default)
    if type(number) is not int or number < least:
        raise OperationError(f"{key} is {number!r}; expected a whole number from {least}")
    return number


def _answers(value: dict[str, Any], key: str, players: int) -> list[list[int]]:
    lists = value[key]
    if not isinstance(lists, list) or not all(isinstance(answers, list) for answers in lists):
        raise OperationError(f"{key} is not a list with one list of answers for each seat")
    if len(lists) != players:
        raise OperationError(f"{key} holds {len(lists)} lists, but there are {players} seats")
    for answers in lists:
        for answer in answers:
            if type(answer) is not int:
                raise OperationError(f"{key} holds {answer!r}, which is not a whole number")
    return lists


def _porrinha(value: Any, rules: Rules) -> list[dict[str, Any]]:
    """Run a scripted series.  Its rules are part of the scenario."""
    if rules != KIND.profiles["seed"].rules:
        raise UsageError("--rules: a Porrinha scenario contains its rules. Set profile and options in the scenario.")
    return run_scenario(value)


HARNESSES: dict[str, Callable[[Any, Rules], Any]] = {"porrinha": _porrinha}
