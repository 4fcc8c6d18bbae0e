"""The base class of Evolution players that answer many small step requests instead of one large request.

The step requests and their arguments are those of the request document, with two additions:
`select_food_card` and `select_feeding`.  There are two orders (`StepwisePlayer.step_order`).  This one lets
traits be laid on boards bought in the same turn::

    select_species_order                       if the rules allow rearranging rows
    select_food_card
    trade_cards_for_boards
    place_cards_on_boards                      for each card: select_board_for_card, and
                                               select_species_discarded_cards if no slot is free
    trade_cards_for_body_size                  for each card: select_board_to_give_body_size
    trade_cards_for_population                 for each card: select_board_to_give_population

This one is the document's::

    select_food_card
    place_cards_on_boards                      for each card: select_board_for_card
    trade_cards_for_boards
    trade_cards_for_body_size                  for each card: select_board_to_give_body_size
    trade_cards_for_population                 for each card: select_board_to_give_population
    select_species_order                       if the rules allow rearranging rows
    select_species_discarded_cards             for each board whose new cards find too few free slots

Both end with::

    select_feeding                             and select_attack, if the answer is a Hunt

    game_over

Every step request has a default answer, so a player overrides only some methods.  The answers are added
to a draft; the first one that breaks a rule raises an `IllegalAnswer` that names the step request.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, get_args

import msgspec
from msgspec import UNSET

from wateringhole.facets import PROGRAM
from wateringhole.formatting import single_line
from wateringhole.game import Notice, Seat, Standing, Violation
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
from wateringhole.games.evolution.rules.draft import Draft
from wateringhole.games.evolution.rules.options import MOST_TRAITS, Rules
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

__all__ = ["Choice", "Hunt", "OwnState", "StepOrder", "StepwisePlayer"]


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


StepOrder = Literal["document", "boards_first"]
"""An order of the step requests: the document's, or one that buys boards before it lays traits."""


class StepwisePlayer(Player):
    """A player for a seat that answers one small step request at a time.

    In all methods, `cards` is the rest of the hand, `boards` the row (the same as `player.hand` and
    `player.boards`), and `opponents` are the other players in turn order, starting after this one.
    Answers name cards as cards, and boards and players as indexes in the arguments.
    """

    new_board_side: Side = "right"
    """The end of the row for bought boards, if the rules leave the choice.  It may change at any time."""

    step_order: StepOrder | None = None
    """The order of the step requests.

    None means the document's order if traits may fill free slots of old boards, as in the profile `framework`,
    and otherwise the other one, in which boards are bought before traits are laid on them.
    """

    _planned: _PlannedTurn | None = None
    _options: Sequence[Feeding] | None = None
    """The options of the last request to feed."""

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
        """Return the indexes of the traits of `board` to replace: by default the first ones.

        Called only if `new_cards` find too few free slots.  At least the cards without a free slot replace a
        trait, and at most all of them.  In the order `boards_first`, there is one new card at a time; in the
        document's order, `new_cards` are all cards for this board.
        """
        fills = player.view.rules.traits_on_existing_boards == "fill"
        return range(len(old_cards) + len(new_cards) - MOST_TRAITS if fills else len(new_cards))

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
            if prey.population
            and shield_against(attack_on(board, opponent.boards, target), player.view.rules) is None
            and not self._is_prevented(board, player, opponent.seat, target)
        ]

    def _is_prevented(self, board: SpeciesBoard, player: OwnState, seat: Seat, target: int) -> bool:
        """Return whether a custom trait prevents an attack, which only the options of the request show."""
        if player.view.rules.custom_traits is UNSET or self._options is None:
            return False
        own = next((index for index, each in enumerate(player.boards) if each is board), 0)
        return AttackSpecies(own, seat, target) not in self._options

    # Conversion of requests to step requests

    def arrange(self, request: ArrangeBoards) -> BoardOrder:
        view = request.view
        if self._order_of_steps(view.rules) == "document":
            # The document asks for the order after the trades, so the whole turn is planned here.
            planned = _DocumentSteps(self, view).plan(request)
            self._planned = planned
            return planned.order
        answer = self.select_species_order(view.boards, _as_asked(view), view.opponents)
        return BoardOrder(_indexes("select_species_order", answer))

    def choose(self, request: DeclareCards) -> Declaration:
        view = request.view
        if self._order_of_steps(view.rules) == "boards_first":
            return _BoardsFirstSteps(self, view).declaration()
        planned, self._planned = self._planned, None
        if planned is None or not planned.fits(view):
            planned = _DocumentSteps(self, view).plan()
        return planned.declaration

    def _order_of_steps(self, rules: Rules) -> StepOrder:
        if self.step_order not in (None, *get_args(StepOrder)):
            raise ValueError(f"step_order is {self.step_order!r}. Choose from: document, boards_first, None.")
        return self.step_order or ("document" if rules.traits_on_existing_boards == "fill" else "boards_first")

    def feed_next(self, request: FeedNext) -> Feeding:
        view = request.view
        player = _as_asked(view)
        self._options = request.options
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


class _PlannedTurn(msgspec.Struct, frozen=True):
    """The answers to all step requests of a turn, given before the boards are arranged."""

    view: View
    """The view in which they were given."""
    order: BoardOrder
    declaration: Declaration
    """The declaration for the arranged row."""

    def fits(self, view: View) -> bool:
        """Return whether a view is that of the same turn after the boards were arranged."""
        arranged = tuple(self.view.boards[index] for index in self.order.boards)
        return (self.view.turn, self.view.hand, arranged) == (view.turn, view.hand, view.boards)


class _DeclarationSteps:
    """The step requests of one declaration, whose answers are added to a draft."""

    def __init__(self, player: StepwisePlayer, view: View) -> None:
        self._player = player
        self._view = view
        self._opponents = view.opponents
        self._draft = Draft(view.hand, view.boards, view.rules)
        self._reserved: set[int] = set()
        """The cards that are placed on a board, but not yet in the draft."""

    def _finished(self) -> Declaration:
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

    def _cards_to_place(self) -> list[int]:
        state = self._state()
        answer = self._player.place_cards_on_boards(state.hand, state.boards, state, self._opponents)
        return self._chosen("place_cards_on_boards", answer)

    def _board_for(self, card: int, state: OwnState) -> int:
        answer = self._player.select_board_for_card(self._view.hand[card], state.boards, state, self._opponents)
        return _index("select_board_for_card", answer, state.boards, "board")

    def _slots(self, cards: Sequence[int], board: int, least: int) -> list[int]:
        """Return the slots that cards replace: at least `least`, and at most one for each card."""
        state = self._state()
        species = state.boards[board]
        question = "select_species_discarded_cards"
        new_cards = tuple(self._view.hand[card] for card in cards)
        answer = self._player.select_species_discarded_cards(species.traits, new_cards, species, state, self._opponents)
        slots = _indexes(question, answer)
        if not least <= len(slots) <= len(cards) or len(set(slots)) < len(slots):
            raise _ill_shaped(question, answer, "slot" if len(cards) == 1 else "slots")
        return [_index(question, slot, species.traits, "trait") for slot in slots]

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
        hand = [card for index, card in enumerate(view.hand) if not self._is_used(index)]
        return OwnState(tuple(draft.boards), tuple(hand), view.bag, view)

    def _is_used(self, card: int) -> bool:
        return card in self._draft.uses or card in self._reserved

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
            if held is card and not self._is_used(index):
                return index
        if card in draft.hand:
            raise _breaks(CardNamedTwice(question, card, used_before=True))
        raise _breaks(NotInHand(question, card))


class _BoardsFirstSteps(_DeclarationSteps):
    """The order in which boards are bought first, so that traits can be laid on them."""

    def declaration(self) -> Declaration:
        self._give_food()
        self._buy_boards()
        self._lay_traits()
        self._grow_bodies()
        self._grow_populations()
        return self._finished()

    def _lay_traits(self) -> None:
        for card in self._cards_to_place():
            state = self._state()
            board = self._board_for(card, state)
            replaces = state.boards[board].traits and not self._has_free_slot(board)
            self._add(
                ReplaceTrait(board, self._slots([card], board, 1)[0], card) if replaces else LayTrait(board, card)
            )

    def _has_free_slot(self, board: int) -> bool:
        draft = self._draft
        fills = board >= len(draft.row) or draft.rules.traits_on_existing_boards == "fill"
        return fills and len(draft.boards[board].traits) < MOST_TRAITS


class _DocumentSteps(_DeclarationSteps):
    """The order of the document, in which placed cards are flipped at the end."""

    def __init__(self, player: StepwisePlayer, view: View) -> None:
        super().__init__(player, view)
        self._placed: dict[int, list[int]] = {}
        """The cards placed on each board."""

    def plan(self, request: ArrangeBoards | None = None) -> _PlannedTurn:
        """Return the answers to all step requests; the order is asked for only with a request for it."""
        self._give_food()
        self._place_cards()
        self._buy_boards()
        self._grow_bodies()
        self._grow_populations()
        order = BoardOrder(tuple(range(len(self._view.boards))))
        if request:
            order = self._arrange(request)
        for board in sorted(self._placed):
            self._flip(board, self._placed[board])
        return _PlannedTurn(self._view, order, self._finished())

    def _place_cards(self) -> None:
        cards = self._cards_to_place()
        self._reserved.update(cards)
        for card in cards:
            self._placed.setdefault(self._board_for(card, self._state()), []).append(card)

    def _arrange(self, request: ArrangeBoards) -> BoardOrder:
        """Return the order of the owned boards, and continue with a draft for the arranged row.

        Bought boards join at an end of the row, so they have no part in the order.
        """
        state, owned = self._state(), len(self._view.boards)
        answer = self._player.select_species_order(state.boards[:owned], state, self._opponents)
        order = request.accept(BoardOrder(_indexes("select_species_order", answer)))
        if isinstance(order, Violation):
            raise _breaks(order)
        position = {old: new for new, old in enumerate(order.boards)}
        taken = self._draft.taken
        self._draft = Draft(self._view.hand, [self._view.boards[old] for old in order.boards], self._view.rules)
        for step in taken:
            if isinstance(step, GrowBody | GrowPopulation):
                step = msgspec.structs.replace(step, board=position.get(step.board, step.board))
            self._add(step)
        self._placed = {position[board]: cards for board, cards in self._placed.items()}
        return order

    def _flip(self, board: int, cards: Sequence[int]) -> None:
        """Lay the cards placed on an owned board: first those that replace a trait, then those in free slots."""
        old = self._draft.boards[board].traits
        fills = self._draft.rules.traits_on_existing_boards == "fill"
        least = len(cards) - (MOST_TRAITS - len(old) if fills else 0)
        slots = self._slots(cards, board, least) if old and least > 0 else []
        rest = []
        for card in cards:
            trait = self._view.hand[card].trait
            # A card whose trait the board has can replace only that trait.
            slot = old.index(trait) if trait in old else None
            if slot in slots:
                slots.remove(slot)
                self._add(ReplaceTrait(board, slot, card))
            else:
                rest.append(card)
        for slot, card in zip(slots, rest, strict=False):
            self._add(ReplaceTrait(board, slot, card))
        for card in rest[len(slots) :]:
            self._add(LayTrait(board, card))


_Noun = Literal["board", "opponent", "trait"]
_Wanted = Literal["choice", "target", "slot", "slots", "cards", "card", "indexes"]


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
