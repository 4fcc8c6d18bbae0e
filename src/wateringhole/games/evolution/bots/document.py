"""The base class of Evolution players that are written from the request document alone.

All arguments and answers are plain lists, numbers and texts in the shapes of the document's data
definitions.  The step requests and their order are those of `StepwisePlayer`; this module only translates.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from wateringhole.game import Event, Notice, Seat, Standing
from wateringhole.games.evolution.bots.player import Player
from wateringhole.games.evolution.bots.stepwise import Choice, Hunt, OwnState, StepOrder, StepwisePlayer
from wateringhole.games.evolution.rules.answers import BoardOrder, Declaration, Feeding, FeedPlants, StoreFat
from wateringhole.games.evolution.rules.cards import TraitCard, full_deck
from wateringhole.games.evolution.rules.events import ResultAnnounced
from wateringhole.games.evolution.rules.folded_view import FoldedView
from wateringhole.games.evolution.rules.options import MOST_TRAITS
from wateringhole.games.evolution.rules.requests import ArrangeBoards, DeclareCards, FeedNext
from wateringhole.games.evolution.rules.species import Row, SpeciesBoard
from wateringhole.games.evolution.rules.traits import Trait
from wateringhole.games.evolution.rules.view import SeatedPlayer
from wateringhole.player import SeatAssignment

__all__ = ["DocumentPlayer"]

PlainCard = list[Any]
"""`[tokens, "Fat Tissue"]`."""
PlainSpecies = list[Any]
"""`[cards, body, population]`."""
PlainPlayer = list[Any]
"""`[species, cards, bag]`; cards and bag of other players are hidden: `[]` and 0."""


class DocumentPlayer(Player):
    """A player that answers the requests of the document with plain values.

    A card is `[tokens, "Fat Tissue"]`, a species `[cards, body, population]`, a player `[species, cards, bag]`.
    Hidden cards are an empty list and a hidden bag is 0.  The tokens of a card on a board are 0 under rules
    that do not keep such cards (`spent_cards=gone`).  In all methods, `cards` are the cards left in the hand.
    """

    # The final boards of all players are public, but only events show them.
    wants_events = True

    step_order: StepOrder | None = "document"
    """The order of the requests, as in `StepwisePlayer`."""

    _steps: _Translator | None = None
    _seen: FoldedView | None = None

    # The requests of the document

    def place_cards_on_boards(
        self, cards: list[PlainCard], boards: list[PlainSpecies], player: PlainPlayer, opponents: list[PlainPlayer]
    ) -> Sequence[PlainCard]:
        """Return the cards to place on boards; `select_board_for_card` follows for each."""
        return []

    def select_board_for_card(
        self, card: PlainCard, boards: list[PlainSpecies], player: PlainPlayer, opponents: list[PlainPlayer]
    ) -> int:
        """Return the index of the board to place the card on: by default the last."""
        return len(boards) - 1

    def trade_cards_for_boards(
        self, cards: list[PlainCard], boards: list[PlainSpecies], player: PlainPlayer, opponents: list[PlainPlayer]
    ) -> Sequence[PlainCard]:
        """Return the cards to trade for new boards, one each."""
        return []

    def trade_cards_for_body_size(
        self, cards: list[PlainCard], boards: list[PlainSpecies], player: PlainPlayer, opponents: list[PlainPlayer]
    ) -> Sequence[PlainCard]:
        """Return the cards to trade for body size; `select_board_to_give_body_size` follows for each."""
        return []

    def select_board_to_give_body_size(
        self, boards: list[PlainSpecies], player: PlainPlayer, opponents: list[PlainPlayer]
    ) -> int:
        """Return the index of the board whose body grows: by default the smallest."""
        return min(range(len(boards)), key=lambda board: boards[board][1])

    def trade_cards_for_population(
        self, cards: list[PlainCard], boards: list[PlainSpecies], player: PlainPlayer, opponents: list[PlainPlayer]
    ) -> Sequence[PlainCard]:
        """Return the cards to trade for population; `select_board_to_give_population` follows for each."""
        return []

    def select_board_to_give_population(
        self, boards: list[PlainSpecies], player: PlainPlayer, opponents: list[PlainPlayer]
    ) -> int:
        """Return the index of the board that gets an animal: by default the one with the fewest."""
        return min(range(len(boards)), key=lambda board: boards[board][2])

    def select_species_order(
        self, boards: list[PlainSpecies], player: PlainPlayer, opponents: list[PlainPlayer]
    ) -> Sequence[int]:
        """Return the indexes of the boards in their new order from left to right."""
        return range(len(boards))

    def select_species_discarded_cards(
        self,
        old_cards: list[PlainCard],
        new_cards: list[PlainCard],
        board: PlainSpecies,
        player: PlainPlayer,
        opponents: list[PlainPlayer],
    ) -> Sequence[int]:
        """Return the indexes of the old cards to discard: by default the first ones, so that three cards stay."""
        return range(min(len(old_cards), max(1, len(old_cards) + len(new_cards) - MOST_TRAITS)))

    def select_attack(
        self, board: PlainSpecies, player: PlainPlayer, opponents: list[PlainPlayer]
    ) -> Sequence[int] | None:
        """Return the index of an opponent and of its board to attack, or None for no more food this turn.

        By default the largest of the `targets`.
        """
        assert self._steps is not None, "a request creates it"
        return self._steps.default_attack()

    def game_over(self, players: list[PlainPlayer], me: int) -> None:  # type: ignore[override]
        """Note the final states of the players in order of rank; `players[me]` is this player."""

    # Additions to the document

    def select_food_card(
        self, cards: list[PlainCard], boards: list[PlainSpecies], player: PlainPlayer, opponents: list[PlainPlayer]
    ) -> PlainCard:
        """Return the card for the watering hole: by default the one with the most tokens."""
        return max(cards, key=lambda card: card[0])

    def select_feeding(
        self, choices: list[list[Any]], player: PlainPlayer, opponents: list[PlainPlayer]
    ) -> Sequence[Any] | None:
        """Return one of the choices, or None for no more food this turn: by default the hungriest board eats.

        A choice is `["feed", board]`, `["store", board, tokens]`, which may be returned with fewer tokens, or
        `["hunt", board]`, after which `select_attack` is called.
        """
        assert self._steps is not None, "a request creates it"
        return self._steps.default_feeding()

    # Help for subclasses

    def targets(self) -> list[list[int]]:
        """Return all legal targets in `select_attack`: the index of an opponent and of its board.

        The document's values do not contain the food of a species, on which the protection by burrowing depends.
        """
        assert self._steps is not None, "a request creates it"
        return self._steps.plain_targets()

    # Translation

    def arrange(self, request: ArrangeBoards) -> BoardOrder:
        return self._translator().arrange(request)

    def choose(self, request: DeclareCards) -> Declaration:
        return self._translator().choose(request)

    def feed_next(self, request: FeedNext) -> Feeding:
        return self._translator().feed_next(request)

    def _translator(self) -> _Translator:
        self._steps = self._steps or _Translator(self)
        self._steps.step_order = self.step_order
        return self._steps

    def on_seated(self, assignment: SeatAssignment) -> None:
        self._seen = FoldedView(assignment.seat)

    def on_event(self, event: Event) -> None:
        if self._seen is not None:
            self._seen.see(event)

    def on_notice(self, notice: Notice) -> None:
        if isinstance(notice, ResultAnnounced):
            ranking = notice.outcome.ranking
            states = [self._final_state(standing) for standing in ranking]
            self.game_over(states, [standing.seat for standing in ranking].index(notice.seat))
        else:
            super().on_notice(notice)

    def _final_state(self, standing: Standing) -> PlainPlayer:
        boards = self._seen.boards_of(Seat(standing.seat)) if self._seen else ()
        hand = self._seen.view().hand if self._seen and self._seen.seat == standing.seat else ()
        return [_plain_row(boards), _plain_cards(hand), dict(standing.parts).get("bag", 0)]


class _Translator(StepwisePlayer):
    """The stepwise player that asks a `DocumentPlayer`."""

    def __init__(self, player: DocumentPlayer) -> None:
        self._player = player
        self._asked: tuple[Any, ...] = ()
        """The arguments of the current step request about food, for its default answer."""

    def select_species_order(self, boards: Row, player: OwnState, opponents: Sequence[SeatedPlayer]) -> Sequence[int]:
        return self._player.select_species_order(_plain_row(boards), *_plain_players(player, opponents))

    def select_food_card(
        self, cards: Sequence[TraitCard], boards: Row, player: OwnState, opponents: Sequence[SeatedPlayer]
    ) -> Any:
        answer = self._player.select_food_card(*_plain_cards_and_all(cards, boards, player, opponents))
        return _card(answer, player)

    def trade_cards_for_boards(
        self, cards: Sequence[TraitCard], boards: Row, player: OwnState, opponents: Sequence[SeatedPlayer]
    ) -> Any:
        return _cards(
            self._player.trade_cards_for_boards(*_plain_cards_and_all(cards, boards, player, opponents)), player
        )

    def place_cards_on_boards(
        self, cards: Sequence[TraitCard], boards: Row, player: OwnState, opponents: Sequence[SeatedPlayer]
    ) -> Any:
        return _cards(
            self._player.place_cards_on_boards(*_plain_cards_and_all(cards, boards, player, opponents)), player
        )

    def select_board_for_card(
        self, card: TraitCard, boards: Row, player: OwnState, opponents: Sequence[SeatedPlayer]
    ) -> int:
        plain = _plain_players(player, opponents)
        return self._player.select_board_for_card(_plain_card(card), _plain_row(boards), *plain)

    def select_species_discarded_cards(
        self,
        old_cards: Sequence[Trait],
        new_cards: Sequence[TraitCard],
        board: SpeciesBoard,
        player: OwnState,
        opponents: Sequence[SeatedPlayer],
    ) -> Sequence[int]:
        return self._player.select_species_discarded_cards(
            _plain_traits(board), _plain_cards(new_cards), _plain_species(board), *_plain_players(player, opponents)
        )

    def trade_cards_for_body_size(
        self, cards: Sequence[TraitCard], boards: Row, player: OwnState, opponents: Sequence[SeatedPlayer]
    ) -> Any:
        return _cards(
            self._player.trade_cards_for_body_size(*_plain_cards_and_all(cards, boards, player, opponents)), player
        )

    def select_board_to_give_body_size(self, boards: Row, player: OwnState, opponents: Sequence[SeatedPlayer]) -> int:
        return self._player.select_board_to_give_body_size(_plain_row(boards), *_plain_players(player, opponents))

    def trade_cards_for_population(
        self, cards: Sequence[TraitCard], boards: Row, player: OwnState, opponents: Sequence[SeatedPlayer]
    ) -> Any:
        return _cards(
            self._player.trade_cards_for_population(*_plain_cards_and_all(cards, boards, player, opponents)), player
        )

    def select_board_to_give_population(self, boards: Row, player: OwnState, opponents: Sequence[SeatedPlayer]) -> int:
        return self._player.select_board_to_give_population(_plain_row(boards), *_plain_players(player, opponents))

    def select_feeding(self, choices: Sequence[Choice], player: OwnState, opponents: Sequence[SeatedPlayer]) -> Any:
        self._asked = choices, player, opponents
        plain = [_plain_choice(choice) for choice in choices]
        return _choice(self._player.select_feeding(plain, *_plain_players(player, opponents)))

    def select_attack(
        self, board: SpeciesBoard, player: OwnState, opponents: Sequence[SeatedPlayer]
    ) -> Sequence[int] | None:
        self._asked = board, player, opponents
        return self._player.select_attack(_plain_species(board), *_plain_players(player, opponents))

    def default_feeding(self) -> list[Any] | None:
        choice = super().select_feeding(*self._asked)
        return None if choice is None else _plain_choice(choice)

    def default_attack(self) -> Sequence[int] | None:
        return super().select_attack(*self._asked)

    def plain_targets(self) -> list[list[int]]:
        match self._asked:
            case (SpeciesBoard() as board, player, opponents):
                return [list(target) for target in self.targets(board, player, opponents)]
        raise RuntimeError("targets() is available only in select_attack")


def _name(trait: Trait) -> str:
    return trait.value.replace("-", " ").title()


def _plain_card(card: TraitCard) -> PlainCard:
    return [card.points, _name(card.trait)]


def _plain_cards(cards: Sequence[TraitCard]) -> list[PlainCard]:
    return [_plain_card(card) for card in cards]


def _plain_traits(board: SpeciesBoard) -> list[PlainCard]:
    """Return the cards of a board, with 0 tokens if only their traits are known."""
    if len(board.cards) == len(board.traits):
        return _plain_cards(board.cards)
    return [[0, _name(trait)] for trait in board.traits]


def _plain_species(board: SpeciesBoard) -> PlainSpecies:
    return [_plain_traits(board), board.body, board.population]


def _plain_row(boards: Row) -> list[PlainSpecies]:
    return [_plain_species(board) for board in boards]


def _plain_players(player: OwnState, opponents: Sequence[SeatedPlayer]) -> tuple[PlainPlayer, list[PlainPlayer]]:
    own = [_plain_row(player.boards), _plain_cards(player.hand), player.bag]
    return own, [[_plain_row(opponent.boards), [], 0] for opponent in opponents]


def _plain_cards_and_all(
    cards: Sequence[TraitCard], boards: Row, player: OwnState, opponents: Sequence[SeatedPlayer]
) -> tuple[list[PlainCard], list[PlainSpecies], PlainPlayer, list[PlainPlayer]]:
    return _plain_cards(cards), _plain_row(boards), *_plain_players(player, opponents)


def _plain_choice(choice: Choice) -> list[Any]:
    match choice:
        case FeedPlants(board):
            return ["feed", board]
        case StoreFat(board, tokens):
            return ["store", board, tokens]
        case Hunt(board):
            return ["hunt", board]


# An answer that cannot be translated stays as it is, and the stepwise player refuses it.


def _card(given: Any, player: OwnState) -> Any:
    match given:
        case [int(tokens), str()] if type(tokens) is int:
            known = (card for card in full_deck(player.view.rules.custom_traits) if _plain_card(card) == [*given])
            return next(known, given)
    return given


def _cards(given: Any, player: OwnState) -> Any:
    return [_card(each, player) for each in given] if isinstance(given, list | tuple) else given


def _choice(given: Any) -> Any:
    match given:
        case ["feed", board]:
            return FeedPlants(board)
        case ["store", board, tokens]:
            return StoreFat(board, tokens)
        case ["hunt", board]:
            return Hunt(board)
    return given
