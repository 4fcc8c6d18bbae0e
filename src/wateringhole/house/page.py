"""Games and their outcomes, as the page shows them."""

from __future__ import annotations

import functools
from collections.abc import Mapping, Sequence
from typing import Any

import msgspec

from wateringhole import fallbacks, options, registry
from wateringhole.facets import Bot, Manifest
from wateringhole.formatting import sentence
from wateringhole.game import AnyKind, Outcome
from wateringhole.house.page_messages import BotInfo, FaceInfo, ManifestInfo, StandingInfo
from wateringhole.house.plans import MOST_SEATS, bots
from wateringhole.levels import levels

__all__ = ["bot_infos", "chosen_rules", "describe", "manifest_of", "standings_of"]

USUAL_SEATS = 4
"""Default number of seats of a new table."""

_PLAIN_MODULE = "/static/js/plain-view.js"
_PLAIN_STYLE = "/static/css/plain.css"


def manifest_of(kind: AnyKind) -> ManifestInfo:
    """Return what the page needs to know about a game, with addresses instead of file names."""
    manifest: Manifest = fallbacks.page(kind).manifest

    folder = f"/games/{kind.name}/"

    def address(name: str | None) -> str | None:
        return None if name is None else folder + name

    return ManifestInfo(
        name=kind.name,
        module=_PLAIN_MODULE if manifest.module is None else folder + manifest.module,
        styles=[_PLAIN_STYLE] if manifest.module is None else [folder + style for style in manifest.styles],
        icons=address(manifest.icons),
        picture=manifest.picture,
        faces=list(manifest.faces),
        banner=address(manifest.banner),
        pictures=address(manifest.pictures),
        text=address(manifest.text),
    )


def describe(game: str) -> dict[str, Any]:
    """Return a game with its profiles, options and players, for setting up a table."""
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
        "page": msgspec.to_builtins(manifest_of(kind)),
        "players": msgspec.to_builtins([*bot_infos(game).values()]),
        "first_game": kind.coach is not None,
    }


@functools.cache
def bot_infos(game: str) -> dict[str, BotInfo]:
    """Return the bots of a game that may sit at a table, by name."""
    kind = registry.game_kind(game)
    rated, own = levels(kind).players, fallbacks.bots(kind)
    return {
        name: BotInfo(
            name=name,
            text=text,
            level=rated[name].level if name in rated else None,
            rating=rated[name].rating if name in rated else None,
            error=rated[name].error if name in rated else None,
            face=_face(own.get(name)),
        )
        for name, text in bots(game).items()
    }


def _face(bot: Bot | None) -> FaceInfo | None:
    return None if bot is None or bot.face is None else FaceInfo(*bot.face)


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


def chosen_rules(kind: AnyKind, rules: Mapping[str, Any]) -> dict[str, Any]:
    """Return rules as the profile that they differ least from, and the options that differ from it."""
    changed: dict[str, dict[str, str]] = {profile: {} for profile in kind.profiles}
    for option in options.describe(kind.profiles):
        if option.name in rules:
            value = options.value_to_text(rules[option.name])
            for profile, usual in option.profiles.items():
                if value != usual:
                    changed[profile][option.name] = value
    profile = min(changed, key=lambda name: len(changed[name]))
    return {"profile": profile, "options": changed[profile]}


def standings_of(outcome: Outcome, names: Sequence[str]) -> list[StandingInfo]:
    """Return all players with place and score, the best first."""
    ranked = {standing.seat: standing for standing in outcome.ranking}
    thrown = {each.seat: each.forfeit for each in outcome.thrown_out}
    lines = []
    for seat, place in sorted(outcome.places().items(), key=lambda each: each[1]):
        standing = ranked.get(seat)
        forfeit = thrown.get(seat)
        line = StandingInfo(
            place=place,
            seat=seat,
            name=names[seat],
            score=standing.score if standing else None,
            parts=[*standing.parts] if standing else [],
            out=sentence(forfeit.message) if forfeit else None,
            reason=forfeit.reason if forfeit else msgspec.UNSET,
        )
        lines.append(line)
    return lines
