"""Drawings of a game of Evolution for a terminal: the watering hole, all species, the player's hand.

Population and food share a track of seven positions, as on the page: a full dot is a fed animal,
a ring a hungry one, a point one that is not born yet.  Each family of traits has its own shape.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from rich.columns import Columns
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.panel import Panel
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from wateringhole.formatting import escape, pluralize
from wateringhole.game import Seat
from wateringhole.games.evolution.rules.cards import TraitCard
from wateringhole.games.evolution.rules.custom_traits import rule_of
from wateringhole.games.evolution.rules.options import MOST_BODY, MOST_POPULATION, Rules
from wateringhole.games.evolution.rules.species import SpeciesBoard
from wateringhole.games.evolution.rules.traits import TRAITS, Family, Trait
from wateringhole.games.evolution.rules.view import SeatedPlayer, View
from wateringhole.games.evolution.text.en.words import word

__all__ = ["describe_hand", "describe_row", "describe_traits", "describe_view"]

WIDE = 110
"""From this width on, the opponents are drawn in two columns."""
BOARD_WIDTH = 25
MOST_TOKENS_DRAWN = 40


@dataclass(frozen=True)
class FamilyLook:
    """The shape and the colour of a family of traits.  Red, green and yellow have other meanings."""

    style: str
    shape: str
    plain_shape: str


FAMILIES: Mapping[Family, FamilyLook] = {
    "defence": FamilyLook("blue", "◆", "#"),
    "hunting": FamilyLook("magenta", "▼", "v"),
    "feeding": FamilyLook("cyan", "■", "="),
    "growth": FamilyLook("bold", "▲", "^"),
}
CUSTOM_TRAIT = FamilyLook("yellow", "★", "*")
"""The look of traits that a user added."""


def describe_view(view: View, names: Sequence[str]) -> RenderableType:
    """Return a drawing of a view; `names` are the players' names by seat."""
    return _Drawing(lambda pen: pen.view(view, names))


def describe_row(boards: Sequence[SpeciesBoard]) -> RenderableType:
    """Return a large drawing of the player's own species."""
    return _Drawing(lambda pen: pen.row(boards))


def describe_hand(hand: Sequence[TraitCard], uses: Mapping[int, str] | None = None) -> RenderableType:
    """Return a drawing of the numbered cards of a hand; `uses` maps used cards to labels."""
    return _Drawing(lambda pen: pen.hand(hand, uses or {}))


def describe_traits(traits: Sequence[Trait], rules: Rules) -> RenderableType:
    """Return a list of traits with their meanings under these rules."""
    return _Drawing(lambda pen: pen.meanings(traits, rules))


class _Drawing:
    """A drawing that is made when it is printed, because only then the terminal's width and charset are known."""

    def __init__(self, draw: Callable[[_Pen], RenderableType]) -> None:
        self._draw = draw

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield self._draw(_Pen(options.max_width, options.ascii_only))


@dataclass(frozen=True)
class _Pen:
    width: int
    plain: bool
    """True to use only ASCII characters."""

    # The whole view

    def view(self, view: View, names: Sequence[str]) -> RenderableType:
        seen_by_player = view.own is not None
        others = view.opponents if seen_by_player else view.players
        parts = [self._hole(view), self._players(view, others, names)]
        if seen_by_player:
            assert view.seat is not None
            mine = Text.assemble(("You", "bold"), f", {names[view.seat]}: {pluralize(view.bag, 'token')} in your bag")
            if view.players[0].seat == view.seat:
                mine.append(" (starts this turn)", "dim")
            parts += [Rule(mine, align="left", style="dim"), self.row(view.boards), self.hand(view.hand, {})]
        return Group(*parts)

    def _hole(self, view: View) -> RenderableType:
        drawn = min(view.hole, MOST_TOKENS_DRAWN)
        tokens = f"{self._token * drawn} " if drawn else ""
        cards = f"{pluralize(view.deck_size, 'card')} in the deck"
        if view.pile:
            cards += f", {len(view.pile)} on the pile"
        water = Table.grid(expand=True)
        water.add_column(ratio=1)
        water.add_column(justify="right")
        water.add_row(Text.assemble("Watering hole  ", (tokens, "bold"), (str(view.hole), "bold")), cards)
        return Panel(water, title=f"Turn {view.turn}", title_align="left", border_style="cyan")

    def _players(self, view: View, players: Sequence[SeatedPlayer], names: Sequence[str]) -> RenderableType:
        starter = view.players[0].seat if view.players else None
        drawn = [self._player(player, names[player.seat], starter) for player in players]
        if self.width < WIDE or len(drawn) < 2:
            return Group(*drawn)
        pairs = Table.grid(expand=True, padding=(0, 2, 0, 0))
        pairs.add_column(ratio=1)
        pairs.add_column(ratio=1)
        for number in range(0, len(drawn), 2):
            pairs.add_row(*drawn[number : number + 2])
        return pairs

    def _player(self, player: SeatedPlayer, name: str, starter: Seat | None) -> RenderableType:
        heading = Text.assemble((name, "bold"), (f"  {pluralize(player.hand_size, 'card')}", "dim"))
        if player.seat == starter:
            heading.append(" (starts this turn)", "dim")
        boards = Table.grid(padding=(0, 1))
        boards.add_column(justify="right", width=3)
        boards.add_column(width=MOST_POPULATION)
        boards.add_column(width=3)
        boards.add_column(width=6)
        boards.add_column()
        for number, board in enumerate(player.boards, 1):
            fed = f"{board.food}/{board.population}"
            traits = Text(", ").join(self._traits(board))
            boards.add_row(str(number), self._track(board), fed, f"body {board.body}", traits)
        if not player.boards:
            return Group(heading, Text("    no species", "dim"))
        return Group(heading, boards)

    # The player's own boards and cards

    def row(self, boards: Sequence[SpeciesBoard]) -> RenderableType:
        most_traits = max((len(board.traits) for board in boards), default=0)
        height = 4 + max(1, most_traits)
        return Columns([self._board(board, number, height) for number, board in enumerate(boards, 1)], padding=(0, 1))

    def _board(self, board: SpeciesBoard, number: int, height: int) -> Panel:
        lines = [
            Text.assemble(self._track(board), f" {board.food} of {board.population} fed"),
            Text.assemble(self._ruler(board), f" body {board.body}"),
        ]
        lines += self._traits(board)
        return Panel(
            Group(*lines),
            title=f"species {number}",
            title_align="left",
            width=BOARD_WIDTH,
            height=height,
            padding=(0, 1),
        )

    def hand(self, hand: Sequence[TraitCard], uses: Mapping[int, str]) -> RenderableType:
        if not hand:
            return Text("You have no cards.", "dim")
        cards = [self._card(index, card, uses.get(index)) for index, card in enumerate(hand)]
        return Group(Text("Your cards"), Columns(cards, padding=(0, 3), equal=True))

    def _card(self, index: int, card: TraitCard, use: str | None) -> Text:
        if use is not None:
            return Text(f"{index + 1:3} {word(card.trait)} {card.points:+d}: {use}", "dim")
        return Text.assemble((f"{index + 1:3}", "bold"), " ", self._trait(card.trait), f" {card.points:+d}")

    def meanings(self, traits: Sequence[Trait], rules: Rules) -> RenderableType:
        texts = Table.grid(padding=(0, 1))
        texts.add_column(no_wrap=True)
        texts.add_column()
        for trait in traits:
            texts.add_row(self._trait(trait), escape(rule_of(trait, rules).text(rules)))
        return texts

    # Small parts

    @property
    def _token(self) -> str:
        return "o" if self.plain else "●"

    def _trait(self, trait: Trait) -> Text:
        family = FAMILIES[TRAITS[trait].family] if trait in TRAITS else CUSTOM_TRAIT
        return Text(f"{family.plain_shape if self.plain else family.shape} {word(trait)}", family.style)

    def _traits(self, board: SpeciesBoard) -> list[Text]:
        """Return the traits of a board; stored fat is shown beside fat tissue."""
        if not board.traits:
            return [Text("no traits", "dim")]
        traits = [self._trait(trait) for trait in board.traits]
        if Trait.FAT_TISSUE in board.traits:
            traits[board.traits.index(Trait.FAT_TISSUE)].append(f" {board.fat}/{board.body}")
        return traits

    def _track(self, board: SpeciesBoard) -> Text:
        hungry = board.population - board.food
        fed_animal, hungry_animal, unborn = ("@", "o", ".") if self.plain else ("●", "○", "·")
        return Text.assemble(
            (fed_animal * board.food, "green"),
            hungry_animal * hungry,
            (unborn * (MOST_POPULATION - board.population), "dim"),
        )

    def _ruler(self, board: SpeciesBoard) -> Text:
        notch, free = ("=", ".") if self.plain else ("▬", "·")
        return Text.assemble(notch * board.body, (free * (MOST_BODY - board.body), "dim"))
