"""Tables as people wish for them: what can be chosen, and what becomes of a choice."""

from __future__ import annotations

import functools
import secrets
from collections.abc import Sequence
from typing import Any, Literal

import msgspec

from wateringhole import fallbacks, options, registry
from wateringhole.errors import UsageError
from wateringhole.formatting import sentence
from wateringhole.match.loading import describe_installed
from wateringhole.web.files import manifest_to_json
from wateringhole.web.plan import Chair, Plan, Secret, clean_name, distinct

__all__ = ["NewTable", "SeatWish", "describe", "plan_of", "random_seed"]

USUAL_SEATS = 4
"""At a table that a newcomer opens with one click."""
MOST_SEATS = 8
"""At one table of the page, whatever a game would allow."""


class SeatWish(msgspec.Struct, frozen=True):
    """Who shall sit on a chair."""

    kind: Literal["me", "friend", "bot"]
    player: str | None = None


class NewTable(msgspec.Struct, frozen=True, kw_only=True):
    """A table as somebody wants it."""

    game: str
    seats: tuple[SeatWish, ...]
    profile: str | None = None
    options: dict[str, Any] = {}
    name: str = ""
    public: bool = True
    seed: int | None = None


def plan_of(wanted: NewTable) -> tuple[Plan, str | None, list[str]]:
    """What a table is decided by, the token of whoever wants it, and the invitations."""
    kind = registry.game_kind(wanted.game)
    seats = len(wanted.seats)
    least, most = kind.seats[0], min(kind.seats[-1], MOST_SEATS)
    if not least <= seats <= most:
        raise UsageError(f"{kind.name} is played here by {least} to {most}, not by {seats}.")
    words = [wanted.profile] if wanted.profile else []
    words += [f"{name}={options.value_to_text(value)}" for name, value in wanted.options.items()]
    rules = options.choose_rules(words, kind.profiles)
    kind.deal(seats, rules, 0)  # raises UsageError where they do not fit
    if flaw := fallbacks.page(kind).unsupported_rules(rules, seats):
        raise UsageError(f"This table cannot be set up: {flaw}.")
    if wanted.seed is not None and any(wish.kind == "friend" for wish in wanted.seats):
        raise UsageError("Whoever knows the seed knows every hand: leave the seed out, or play with bots alone.")
    chairs, token, invitations = _chairs(wanted)
    plan = Plan(
        game=kind.name,
        profile=wanted.profile or next(iter(kind.profiles)),
        rules=msgspec.to_builtins(rules),
        seed=random_seed() if wanted.seed is None else wanted.seed,
        public=wanted.public,
        chairs=chairs,
    )
    return plan, token, invitations


def random_seed() -> int:
    """One that nobody finds by dealing with every seed there is, until it fits the own hand."""
    return secrets.randbits(64)


def _chairs(wanted: NewTable) -> tuple[list[Chair], str | None, list[str]]:
    players = [wish.player for wish in wanted.seats if wish.kind == "bot"]
    known = bots(wanted.game)
    for player in players:
        # Only what is installed: a name that could be a file or a program is never looked for.
        if player not in known:
            raise UsageError(f"There is no bot {player!r} for {wanted.game} here; there are {', '.join(known)}.")
    if sum(wish.kind == "me" for wish in wanted.seats) > 1:
        raise UsageError("You can sit on one chair only.")
    chairs: list[Chair] = []
    token: str | None = None
    invitations: list[str] = []
    for seat, wish in enumerate(wanted.seats):
        if wish.kind == "bot":
            chairs.append(Chair("bot", _bot_name(wish.player or "", players, chairs), wish.player))
        elif wish.kind == "me":
            token, kept = Secret.new()
            chairs.append(Chair("person", clean_name(wanted.name, seat), token=kept))
        else:
            word, kept = Secret.new()
            invitations.append(word)
            chairs.append(Chair("person", "", invitation=kept))
    for chair in chairs:
        if chair.token is not None:
            chair.name = distinct(chair.name, [other.name for other in chairs if other is not chair])
    return chairs, token, invitations


def _bot_name(player: str, players: Sequence[str | None], chairs: Sequence[Chair]) -> str:
    """What it is called; several of one kind are numbered."""
    if players.count(player) == 1:
        return player
    return f"{player} {1 + sum(chair.player == player for chair in chairs)}"


# What can be chosen


def describe(game: str) -> dict[str, Any]:
    """A game with its profiles, options and players, for whoever sets up a table."""
    kind = registry.game_kind(game)
    default = next(iter(kind.profiles))
    _, _, text = kind.title.partition(": ")
    most = min(kind.seats[-1], MOST_SEATS)
    return {
        "name": game,
        "title": kind.display_name,
        "text": sentence(text),
        "least": kind.seats[0],
        "most": most,
        "seats_default": max(kind.seats[0], min(most, USUAL_SEATS)),
        "profiles": [{"name": name, "text": profile.text} for name, profile in kind.profiles.items()],
        "options": [_option_to_json(option, default) for option in options.describe(kind.profiles)],
        "turn_name": kind.turn_name,
        "page": manifest_to_json(kind),
        "players": [{"name": name, "text": text} for name, text in bots(game).items()],
    }


@functools.cache
def bots(game: str) -> dict[str, str]:
    """The installed players of a game that may sit at a table here, with what they say about themselves."""
    own = fallbacks.bots(registry.game_kind(game))
    return {name: text for name, text in describe_installed(game).items() if not (name in own and own[name].human)}


def _option_to_json(option: options.Option, default: str) -> dict[str, Any]:
    flag = option.choices == ("true", "false")
    return {
        "name": option.name,
        "text": sentence(option.text),
        "values": option.values,
        "default": option.profiles[default],
        "profiles": option.profiles,
        "choices": None if option.choices is None else list(option.choices),
        "kind": "flag" if flag else "number" if option.choices is None else "choice",
    }
