"""The base class of Evolution players that answer many small step requests instead of one large request.

The step requests, their arguments and their order are those of the request document::

    select_species_order                       if the rules allow rearranging rows
    select_food_card
    trade_cards_for_boards
    place_cards_on_boards                      for each card: select_board_for_card, and
                                               select_species_discarded_cards if no slot is free
    trade_cards_for_body_size                  for each card: select_board_to_give_body_size
    trade_cards_for_population                 for each card: select_board_to_give_population

    select_feeding                             and select_attack, if the answer is a Hunt

    game_over

Every step request has a default answer, so a player overrides only some methods.  The answers are added
to a draft; the first one that breaks a rule raises an `IllegalAnswer` that names the step request.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

import msgspec

from wateringhole.facets import PROGRAM
from wateringhole.formatting import single_line
from wateringhole.game import Notice, Standing, Violation
from wateringhole.games.evolution.bots.player import Player
from wateringhole.games.evolution.rules import events
from wateringhole.games.evolution.rules.answers import (
    AttackSpecies,
    BoardOrder,
    BuyBoard,
    Declaration,
    Feeding,
    FeedPlants,
    GiveFood,
    GrowBody,
    GrowPopulation,
    LayTrait,
    Pass,
    ReplaceTrait,
    Side,
    Step,
    StoreFat,
)
from wateringhole.games.evolution.rules.attacks import shield_against
from wateringhole.games.evolution.rules.cards import TraitCard
from wateringhole.games.evolution.rules.options import MOST_TRAITS
from wateringhole.games.evolution.rules.requests import ArrangeBoards, DeclareCards, FeedNext, attack_on
from wateringhole.games.evolution.rules.species import Row, SpeciesBoard
from wateringhole.games.evolution.rules.traits import Trait
from wateringhole.games.evolution.rules.view import SeatedPlayer, View
from wateringhole.games.evolution.rules.violations import (
    CardNamedTwice,
    IllShapedReply,
    NoFoodCard,
    NotInHand,
    ReplyOutOfRange,
)
from wateringhole.games.evolution.text import TEXT
from wateringhole.player import IllegalAnswer

__all__ = ["Choice", "Hunt", "OwnState", "StepwisePlayer"]


class OwnState(msgspec.Struct, frozen=True):
    """The boards and cards of the asked player at the time of a step request."""

    boards: Row
    """The boards after all answers so far: those owned, then those bought in this turn."""
    hand: tuple[TraitCard, ...]
    """The cards not used by the answers so far."""
    bag: int
    view: View
    """The view at the start of the declaration, or of this feeding: `view.hole`, `view.rules`, …"""


class Hunt(msgspec.Struct, frozen=True):
    """An attack of the carnivore `board`; `select_attack` then returns the target."""

    board: int


Choice = FeedPlants | StoreFat | Hunt
"""A feeding.  `board` is an index in the player's own row; a StoreFat offers the most tokens it can take."""


class StepwisePlayer(Player):
    """A player for a seat that answers one small step request at a time.

    In all methods, `cards` is the rest of the hand, `boards` the row (the same as `player.hand` and
    `player.boards`), and `opponents` are the other players in turn order, starting after this one.
    Answers name cards as cards, and boards and players as indexes in the arguments.
    """

    new_board_side: Side = "right"
    """The end of the row for bought boards, if the rules leave the choice.  It may change at any time."""

    # Step requests about cards

    def select_species_order(self, boards: Row, player: OwnState, opponents: Sequence[SeatedPlayer]) -> Sequence[int]:
        """Return the old indexes of the boards in their new order from left to right."""
        return range(len(boards))

    def select_food_card(
        self, cards: Sequence[TraitCard], boards: Row, player: OwnState, opponents: Sequence[SeatedPlayer]
    ) -> TraitCard:
        """Return the card for the watering hole; `cards` is never empty."""
        return max(cards, key=lambda card: card.points)

    def trade_cards_for_boards(
        self, cards: Sequence[TraitCard], boards: Row, player: OwnState, opponents: Sequence[SeatedPlayer]
    ) -> Sequence[TraitCard]:
        """Return the cards that pay for new boards, one each."""
        return ()

    def place_cards_on_boards(
        self, cards: Sequence[TraitCard], boards: Row, player: OwnState, opponents: Sequence[SeatedPlayer]
    ) -> Sequence[TraitCard]:
        """Return the cards to lay as traits; `select_board_for_card` follows for each."""
        return ()

    def select_board_for_card(
        self, card: TraitCard, boards: Row, player: OwnState, opponents: Sequence[SeatedPlayer]
    ) -> int:
        """Return the board that gets this card: by default the last one, where the boards just bought are."""
        return len(boards) - 1

    def select_species_discarded_cards(
        self,
        old_cards: Sequence[Trait],
        new_cards: Sequence[TraitCard],
        board: SpeciesBoard,
        player: OwnState,
        opponents: Sequence[SeatedPlayer],
    ) -> Sequence[int]:
        """Return the traits of `board` to replace, one for each of `new_cards`: by default the first ones.

        Called for one card at a time, and only if the board has no free slot for it.
        """
        return range(len(new_cards))

    def trade_cards_for_body_size(
        self, cards: Sequence[TraitCard], boards: Row, player: OwnState, opponents: Sequence[SeatedPlayer]
    ) -> Sequence[TraitCard]:
        """Return the cards to spend for larger bodies; `select_board_to_give_body_size` follows for each."""
        return ()

    def select_board_to_give_body_size(self, boards: Row, player: OwnState, opponents: Sequence[SeatedPlayer]) -> int:
        """Return the board whose body grows: by default the smallest."""
        return min(range(len(boards)), key=lambda board: boards[board].body)

    def trade_cards_for_population(
        self, cards: Sequence[TraitCard], boards: Row, player: OwnState, opponents: Sequence[SeatedPlayer]
    ) -> Sequence[TraitCard]:
        """Return the cards to spend for more animals; `select_board_to_give_population` follows for each."""
        return ()

    def select_board_to_give_population(self, boards: Row, player: OwnState, opponents: Sequence[SeatedPlayer]) -> int:
        """Return the board that gets an animal: by default the one with the fewest."""
        return min(range(len(boards)), key=lambda board: boards[board].population)

    # Step requests about food

    def select_feeding(
        self, choices: Sequence[Choice], player: OwnState, opponents: Sequence[SeatedPlayer]
    ) -> Choice | None:
        """Return one of the choices, or a StoreFat with fewer tokens, or None for no more food this turn.

        By default the board that has eaten least eats, and fat is stored if no board can eat.
        """
        return min(choices, key=lambda choice: (type(choice) is StoreFat, player.boards[choice.board].food))

    def select_attack(
        self, board: SpeciesBoard, player: OwnState, opponents: Sequence[SeatedPlayer]
    ) -> Sequence[int] | None:
        """Return the index in `opponents` and the board to attack, or None for no more food this turn.

        By default the largest of the `targets`.  If the rules allow attacks on the player's own boards, the
        index after the last opponent means the player itself.
        """
        return max(
            self.targets(board, player, opponents),
            key=lambda target: opponents[target[0]].boards[target[1]].size,
            default=None,
        )

    # The end

    # The request document uses the name of `Player.game_over` for a different call.
    def game_over(self, players: Sequence[Standing], me: int) -> None:  # type: ignore[override]
        """Note the final ranking, best first, with scores by parts; `players[me]` is this player.

        A player that was thrown out is not ranked, and gets only `thrown_out`.
        """

    # Help for subclasses

    def targets(
        self, board: SpeciesBoard, player: OwnState, opponents: Sequence[SeatedPlayer]
    ) -> list[tuple[int, int]]:
        """Return all legal targets of `board`: pairs of an index in `opponents` and of a board there."""
        return [
            (index, target)
            for index, opponent in enumerate(opponents)
            for target, prey in enumerate(opponent.boards)
            if prey.population and shield_against(attack_on(board, opponent.boards, target), player.view.rules) is None
        ]

    # Conversion of requests to step requests

    def arrange(self, request: ArrangeBoards) -> BoardOrder:
        view = request.view
        answer = self.select_species_order(view.boards, _as_asked(view), view.opponents)
        return BoardOrder(_indexes("select_species_order", answer))

    def choose(self, request: DeclareCards) -> Declaration:
        return _DeclarationSteps(self, request).declaration()

    def feed_next(self, request: FeedNext) -> Feeding:
        view = request.view
        player = _as_asked(view)
        choice = self.select_feeding(_choices(request), player, view.opponents)
        if choice is None:
            return Pass()
        if isinstance(choice, FeedPlants | StoreFat):
            return choice
        if not isinstance(choice, Hunt):
            raise _ill_shaped("select_feeding", choice, "choice")
        return self._attack(choice, player, view)

    def _attack(self, hunt: Hunt, player: OwnState, view: View) -> Feeding:
        board = player.boards[_index("select_feeding", hunt.board, player.boards, "board")]
        answer = self.select_attack(board, player, view.opponents)
        if answer is None:
            return Pass()
        pair = _indexes("select_attack", answer)
        if len(pair) != 2:
            raise _ill_shaped("select_attack", answer, "target")
        index, target = pair
        if view.rules.own_attacks and index == len(view.opponents):
            assert view.seat is not None
            return AttackSpecies(hunt.board, view.seat, target)
        prey = view.opponents[_index("select_attack", index, view.opponents, "opponent")]
        return AttackSpecies(hunt.board, prey.seat, target)

    def on_notice(self, notice: Notice) -> None:
        if isinstance(notice, events.ResultAnnounced):
            ranking = notice.outcome.ranking
            self.game_over(ranking, [standing.seat for standing in ranking].index(notice.seat))
        else:
            super().on_notice(notice)


class _DeclarationSteps:
    """The step requests of one declaration, whose answers are added to a draft."""

    def __init__(self, player: StepwisePlayer, request: DeclareCards) -> None:
        self._player = player
        self._view = request.view
        self._opponents = request.view.opponents
        self._draft = request.draft()

    def declaration(self) -> Declaration:
        self._give_food()
        self._buy_boards()
        self._lay_traits()
        self._grow_bodies()
        self._grow_populations()
        violation = self._draft.check_complete()
        if violation:
            raise _breaks(violation)
        return self._draft.declaration()

    def _give_food(self) -> None:
        state = self._state()
        if not state.hand:
            raise _breaks(NoFoodCard(hand_is_empty=True))
        card = self._player.select_food_card(state.hand, state.boards, state, self._opponents)
        self._add(GiveFood(self._held("select_food_card", card)))

    def _buy_boards(self) -> None:
        state = self._state()
        answer = self._player.trade_cards_for_boards(state.hand, state.boards, state, self._opponents)
        side = self._player.new_board_side if self._view.rules.new_board_side == "choice" else None
        for card in self._chosen("trade_cards_for_boards", answer):
            self._add(BuyBoard(card, side))

    def _lay_traits(self) -> None:
        state = self._state()
        answer = self._player.place_cards_on_boards(state.hand, state.boards, state, self._opponents)
        for index in self._chosen("place_cards_on_boards", answer):
            state = self._state()
            card = self._view.hand[index]
            answered = self._player.select_board_for_card(card, state.boards, state, self._opponents)
            board = _index("select_board_for_card", answered, state.boards, "board")
            replaces = state.boards[board].traits and not self._has_free_slot(board)
            self._add(
                ReplaceTrait(board, self._slot(card, board, state), index) if replaces else LayTrait(board, index)
            )

    def _has_free_slot(self, board: int) -> bool:
        draft = self._draft
        fills = board >= len(draft.row) or draft.rules.traits_on_existing_boards == "fill"
        return fills and len(draft.boards[board].traits) < MOST_TRAITS

    def _slot(self, card: TraitCard, board: int, state: OwnState) -> int:
        """Return the slot of a card that must replace another."""
        species = state.boards[board]
        question = "select_species_discarded_cards"
        answer = self._player.select_species_discarded_cards(species.traits, (card,), species, state, self._opponents)
        slots = _indexes(question, answer)
        if len(slots) != 1:
            raise _ill_shaped(question, answer, "slot")
        return _index(question, slots[0], species.traits, "trait")

    def _grow_bodies(self) -> None:
        state = self._state()
        answer = self._player.trade_cards_for_body_size(state.hand, state.boards, state, self._opponents)
        for card in self._chosen("trade_cards_for_body_size", answer):
            state = self._state()
            board = self._player.select_board_to_give_body_size(state.boards, state, self._opponents)
            self._add(GrowBody(_index("select_board_to_give_body_size", board, state.boards, "board"), card))

    def _grow_populations(self) -> None:
        state = self._state()
        answer = self._player.trade_cards_for_population(state.hand, state.boards, state, self._opponents)
        for card in self._chosen("trade_cards_for_population", answer):
            state = self._state()
            board = self._player.select_board_to_give_population(state.boards, state, self._opponents)
            self._add(GrowPopulation(_index("select_board_to_give_population", board, state.boards, "board"), card))

    def _state(self) -> OwnState:
        draft, view = self._draft, self._view
        return OwnState(tuple(draft.boards), tuple(draft.hand_left()), view.bag, view)

    def _add(self, step: Step) -> None:
        violation = self._draft.add(step)
        if violation:
            raise _breaks(violation)

    def _chosen(self, question: str, answer: object) -> list[int]:
        """Return the hand indexes of a list of cards."""
        if not isinstance(answer, list | tuple):
            raise _ill_shaped(question, answer, "cards")
        held = [self._held(question, card) for card in answer]
        for card, index in zip(answer, held, strict=True):
            if held.count(index) > 1:
                raise _breaks(CardNamedTwice(question, card, used_before=False))
        return held

    def _held(self, question: str, card: object) -> int:
        """Return the hand index of an unused card."""
        if not isinstance(card, TraitCard):
            raise _ill_shaped(question, card, "card")
        draft = self._draft
        for index, held in enumerate(draft.hand):
            if held is card and index not in draft.uses:
                return index
        if card in draft.hand:
            raise _breaks(CardNamedTwice(question, card, used_before=True))
        raise _breaks(NotInHand(question, card))


_Noun = Literal["board", "opponent", "trait"]
_Wanted = Literal["choice", "target", "slot", "cards", "card", "indexes"]


def _as_asked(view: View) -> OwnState:
    return OwnState(view.boards, view.hand, view.bag, view)


def _choices(request: FeedNext) -> tuple[Choice, ...]:
    """Return the options with one Hunt for each hunter, and with stores limited by the watering hole."""
    choices: dict[Choice, None] = {}
    for option in request.options:
        match option:
            case FeedPlants():
                choices[option] = None
            case StoreFat(board, tokens):
                choices[StoreFat(board, min(tokens, request.view.hole))] = None
            case AttackSpecies(board):
                choices[Hunt(board)] = None
            case Pass():
                pass
    return tuple(choices)


def _indexes(question: str, answer: object) -> tuple[int, ...]:
    if isinstance(answer, list | tuple | range) and all(type(index) is int for index in answer):
        return tuple(answer)
    raise _ill_shaped(question, answer, "indexes")


def _index(question: str, answer: object, things: Sequence[object], noun: _Noun) -> int:
    if type(answer) is int and 0 <= answer < len(things):
        return answer
    raise _breaks(ReplyOutOfRange(question, single_line(repr(answer)), noun, len(things)))


def _ill_shaped(question: str, answer: object, wanted: _Wanted) -> IllegalAnswer:
    return _breaks(IllShapedReply(question, single_line(repr(answer)), wanted))


def _breaks(violation: Violation) -> IllegalAnswer:
    return IllegalAnswer(violation, TEXT.violation(violation, PROGRAM))
