"""The messages from the server to the page of a table.

The types of the page's JavaScript are generated from these structs: after a change, run ``python -m tools.page_types``.
A field that may be `UNSET` is left out of the message.
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import UNSET, UnsetType

from wateringhole.house.emotes import Emote
from wateringhole.house.settings import TableSettings

__all__ = [
    "AdvisedMove",
    "BotInfo",
    "ByeMessage",
    "CheckMessage",
    "CoachMessage",
    "CoachWarning",
    "EmoteMessage",
    "EventMessage",
    "FaceInfo",
    "GameMessage",
    "HelloMessage",
    "HintMessage",
    "LoggedEvent",
    "ManifestInfo",
    "OverMessage",
    "RefusedMessage",
    "RemarkInfo",
    "RematchMessage",
    "RequestMessage",
    "SceneMessage",
    "SeatInfo",
    "SeatMessage",
    "SeatRequestInfo",
    "SeatRequestMessage",
    "ServerMessage",
    "StandingInfo",
    "TableInfo",
    "TableMessage",
    "ThrownOutMessage",
    "TournamentLink",
    "WaitingMessage",
    "WeighedMove",
]


def _typed(name: str) -> msgspec.Meta:
    """Return the mark of a value whose type `types.js` or another module of the page defines."""
    return msgspec.Meta(extra={"type": name})


class FaceInfo(msgspec.Struct, frozen=True):
    """The parts of a portrait."""

    ears: str
    eyes: str
    mouth: str
    tint: str


class BotInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A bot that may sit at a table."""

    name: str
    text: str
    """Its description in English."""
    level: int | None
    """From 1 to 5, or null if it has no rating."""
    rating: float | None
    error: float | None
    """The error of the rating."""
    face: FaceInfo | None
    """Its portrait, or null for one that its name chooses."""


class SeatInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A seat, as every page sees it."""

    seat: int
    key: int
    """A name of the seat that stays the same when seats change places."""
    name: str
    """Empty while the seat is free."""
    kind: Literal["person", "program", "bot"]
    player: str | None
    """The name of a bot's player."""
    bot: BotInfo | None
    """The description of that player, if it is installed."""
    taken: bool
    here: bool
    remote: bool
    """True if the player joined with a program instead of the page."""
    away: int | None
    """Seconds left to reconnect, if the player is disconnected."""
    out: str | None
    """The reason why the player was thrown out."""
    wants_coach: bool


class SeatRequestInfo(msgspec.Struct, frozen=True):
    """A spectator who asks for a seat."""

    id: int
    name: str


class TournamentLink(msgspec.Struct, frozen=True):
    """The tournament of a table."""

    title: str
    link: str


class TableInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A table, as every page sees it."""

    id: str
    game: str
    title: str
    state: Literal["waiting", "playing", "over"]
    public: bool
    settings: TableSettings
    profile: str
    chosen: Annotated[dict[str, Any], _typed('import("./rules-text.js").ChosenRules')]
    text: str | None
    """The address of the game's texts."""
    pictures: str | None
    """The address of the pictures that explain the game."""
    seats: list[SeatInfo]
    turn: int
    asked: list[int]
    """The seats whom the game waits for."""
    watchers: int
    reconnect_seconds: float
    """Seconds for which the seat of a player without a page is reserved during the game."""
    seat_requests: list[SeatRequestInfo]
    """Spectators who ask for a seat, before the game."""
    link: str
    coach: bool
    first_game: bool
    tournament: TournamentLink | None
    """The tournament whose game is played here, or None."""


class HelloMessage(msgspec.Struct, frozen=True, tag_field="type", tag="hello"):
    """The answer to the page's hello."""

    protocol: int
    game: str
    seat: int | None
    """The page's seat, or null for a spectator."""
    resumed: int | None
    """The event after which the events continue, or null if they start from the beginning."""


class TableMessage(msgspec.Struct, frozen=True, tag_field="type", tag="table"):
    """The table has changed."""

    table: TableInfo


class SeatMessage(msgspec.Struct, frozen=True, tag_field="type", tag="seat"):
    """The page's seat has another number, because the host changed the order."""

    seat: int


class LoggedEvent(msgspec.Struct, frozen=True):
    """The sentences of an earlier event."""

    number: int
    turn: int
    text: list[str]
    translations: dict[str, list[str]]


class ManifestInfo(msgspec.Struct, frozen=True, kw_only=True):
    """The addresses and names of a game's own files."""

    name: str
    """The name of the game."""
    module: str
    """Exports `createBoardView` and `guide`."""
    styles: list[str]
    icons: str | None
    """Exports `ICONS`, which contains the next two."""
    picture: str | None
    """The game's icon."""
    faces: list[str]
    """The players' icons, one for each tint."""
    banner: str | None
    """Exports `banner`, which returns figures for the lobby."""
    pictures: str | None
    """Exports `pictures`, which returns five pictures that explain the game."""
    text: str | None
    """Exports `t`, the game's texts."""


class GameMessage(msgspec.Struct, frozen=True, tag_field="type", tag="game", kw_only=True):
    """A game starts, or the page joins it."""

    seat: int | None
    names: list[str]
    rules: dict[str, Any]
    texts: Annotated[dict[str, Any], _typed('import("./types.js").Texts')]
    page: ManifestInfo
    commitment: str | UnsetType = UNSET
    """The digest of the deal."""
    log: list[LoggedEvent]


class EventMessage(msgspec.Struct, frozen=True, tag_field="type", tag="event"):
    """An event, as this seat may see it.  The sentences are in English, and in other languages."""

    number: int
    turn: int
    event: Annotated[dict[str, Any], _typed('import("./types.js").GameEvent')]
    text: list[str]
    translations: dict[str, list[str]]
    scene: Any
    """The scene after the event."""


class SceneMessage(msgspec.Struct, frozen=True, tag_field="type", tag="scene"):
    """A player has answered, and the scene shows it before any event."""

    scene: Any


class RequestMessage(msgspec.Struct, frozen=True, tag_field="type", tag="request"):
    """A request to this seat."""

    id: int
    request: str
    seconds: float | None
    scene: Any
    offers: Any
    """The possible answers with their effects."""


class WaitingMessage(msgspec.Struct, frozen=True, tag_field="type", tag="waiting"):
    """The seats whom the game waits for."""

    seats: list[int]
    seconds: float | None
    watching: list[int]
    """Players who still watch the moves, so that their clocks have not started."""
    clock_in: float | None
    """Seconds after which their clocks start at the latest."""


class RefusedMessage(msgspec.Struct, frozen=True, tag_field="type", tag="refused"):
    """The answer was illegal, and the request stays open."""

    rule: str
    message: str


class ThrownOutMessage(msgspec.Struct, frozen=True, tag_field="type", tag="thrown_out"):
    """The page's player was thrown out, and may watch."""

    reason: str
    message: str


class StandingInfo(msgspec.Struct, frozen=True, kw_only=True):
    """A player in the result of a game."""

    place: int
    seat: int
    name: str
    score: int | None
    """Null for a player who was thrown out."""
    parts: list[tuple[str, int]]
    """The parts of the score, each with its name and its points."""
    out: str | None
    """The reason why the player was thrown out."""
    reason: str | UnsetType = UNSET
    """The reason of the forfeit, as the record has it."""


class OverMessage(msgspec.Struct, frozen=True, tag_field="type", tag="over"):
    """The game is over."""

    outcome: Any
    standings: list[StandingInfo]
    game_id: str | None
    """The game's replay."""
    nonce: str | UnsetType = UNSET
    """The nonce of the commitment."""


class RematchMessage(msgspec.Struct, frozen=True, tag_field="type", tag="rematch"):
    """Another player has set up the same table again."""

    by: str
    link: str


class EmoteMessage(msgspec.Struct, frozen=True, tag_field="type", tag="emote"):
    """A player says something."""

    seat: int
    emote: Emote


class SeatRequestMessage(msgspec.Struct, frozen=True, tag_field="type", tag="seat_request"):
    """The state of this page's request for a seat."""

    state: Literal["waiting", "declined", "accepted"]
    token: str | UnsetType = UNSET
    """The token of the seat, if the request was accepted."""


class ByeMessage(msgspec.Struct, frozen=True, tag_field="type", tag="bye"):
    """The last message.  After a final one, the page does not reconnect by itself."""

    reason: str
    final: bool
    game_id: str | UnsetType = UNSET
    """The replay of the game, if it is over."""


ServerMessage = (
    HelloMessage
    | TableMessage
    | SeatMessage
    | GameMessage
    | EventMessage
    | SceneMessage
    | RequestMessage
    | WaitingMessage
    | RefusedMessage
    | ThrownOutMessage
    | OverMessage
    | RematchMessage
    | EmoteMessage
    | SeatRequestMessage
    | ByeMessage
)


class RemarkInfo(msgspec.Struct, frozen=True):
    """One thing to consider, as the game's texts name it."""

    name: str
    values: dict[str, int | str]
    subject: dict[str, int | str]
    """The part of the table that it is about."""


class AdvisedMove(msgspec.Struct, frozen=True):
    """The answer of the best player."""

    text: str
    player: str
    chance: float | None
    """The chance to win after that, or null until it is known."""


class HintMessage(msgspec.Struct, frozen=True, tag_field="type", tag="hint"):
    """A hint about the open request."""

    id: int
    level: int
    remark: RemarkInfo
    move: AdvisedMove | UnsetType | None = UNSET
    """The move at the highest level, or null if there is none."""
    is_ready: bool | UnsetType = UNSET
    """False while the game's code is compiled, which takes a while."""


class WeighedMove(msgspec.Struct, frozen=True):
    """A possible answer with the chance to win after it."""

    text: str
    chance: float
    error: float
    mine: bool


class CoachWarning(msgspec.Struct, frozen=True):
    """A warning before a costly answer."""

    remark: RemarkInfo
    games: int
    """The games that were imagined, or 0 if the chances are exact."""
    options: list[WeighedMove]


class CheckMessage(msgspec.Struct, frozen=True, tag_field="type", tag="check"):
    """The coach's view of an answer."""

    id: int
    warning: CoachWarning | None


CoachMessage = HintMessage | CheckMessage
