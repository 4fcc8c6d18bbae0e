"""The state of a game: players with their boards, the watering hole, the deck, and the methods that change them.

Every change goes through a method here, and every such method emits an event.  The dealer decides
which player may do what, and when.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Literal, TypeVarTuple

from wateringhole.game import Emit, Event, Seat, emitted_types
from wateringhole.games.evolution.rules import events
from wateringhole.games.evolution.rules.answers import GrowBody, GrowPopulation
from wateringhole.games.evolution.rules.cards import TraitCard
from wateringhole.games.evolution.rules.draft import Draft
from wateringhole.games.evolution.rules.hooks import BoardIndex, Change, Hooks
from wateringhole.games.evolution.rules.options import COMPENSATION, MOST_BODY, MOST_POPULATION, Rules
from wateringhole.games.evolution.rules.species import SpeciesBoard, new_board
from wateringhole.games.evolution.rules.traits import REVEAL_ORDER, TRAIT_EFFECTS, TRAITS, Effect, Trait
from wateringhole.games.evolution.rules.view import FullPlayer, FullState, PrivateState, SeatedPlayer, View
from wateringhole.seeds import Seed

__all__ = ["GameState", "PlayerState"]

Parts = TypeVarTuple("Parts")


class PlayerState:
    """The boards, the hand and the bag of one player."""

    __slots__ = ("bag", "boards", "hand", "owed", "seat")

    seat: Seat
    boards: list[SpeciesBoard]
    hand: list[TraitCard]
    bag: int
    owed: int
    """Cards for extinct species still to be drawn (`compensation=end_of_turn`)."""

    def __init__(
        self,
        seat: Seat,
        boards: Sequence[SpeciesBoard] = (),
        hand: Sequence[TraitCard] = (),
        bag: int = 0,
        owed: int = 0,
    ) -> None:
        self.seat = seat
        self.boards = list(boards)
        self.hand = list(hand)
        self.bag = bag
        self.owed = owed

    def copy(self) -> PlayerState:
        return PlayerState(self.seat, self.boards, self.hand, self.bag, self.owed)


class GameState:
    """The full state of a game.  `players` are those still in the game, in turn order."""

    __slots__ = ("_next", "deck", "emits", "events", "hole", "hooks", "pile", "players", "reshuffles", "rules", "seed")

    rules: Rules
    players: list[PlayerState]
    hole: int
    """Tokens at the watering hole."""
    deck: Sequence[TraitCard]
    _next: int
    """Index in `deck` of the next card: dealing advances it instead of cutting the deck."""
    pile: list[TraitCard]
    """Spent cards, if the rules keep them."""
    emits: frozenset[type[Event]]
    """The types of the events that are emitted."""
    events: list[Event]
    """The events since the dealer last collected them."""
    hooks: Hooks | None
    """The code of custom traits, or None if they have no effect."""

    def __init__(
        self,
        rules: Rules,
        players: Sequence[PlayerState],
        hole: int = 0,
        deck: Sequence[TraitCard] = (),
        seed: Seed = 0,
        emit: Emit = True,
        hooks: Hooks | None = None,
    ) -> None:
        self.rules = rules
        self.hooks = hooks
        self.players = list(players)
        self.hole = hole
        self.deck = deck
        self._next = 0
        self.pile = []
        self.seed = seed
        self.reshuffles = 0
        self.emits = emitted_types(emit, events.EVENT_TYPES)
        self.events = []

    def copy(self, emit: bool) -> GameState:
        """Return an independent state.  With `emit`, it emits the same events, or all if this one emits none."""
        players = [player.copy() for player in self.players]
        other = GameState(self.rules, players, self.hole, self.deck, self.seed, emit, self.hooks)
        other._next = self._next
        other.pile = self.pile.copy()
        other.reshuffles = self.reshuffles
        if emit and self.emits:
            other.emits = self.emits
        return other

    def player(self, seat: Seat) -> PlayerState:
        for player in self.players:
            if player.seat == seat:
                return player
        raise ValueError(f"seat {seat} is not in the game")

    def others(self, player: PlayerState) -> list[PlayerState]:
        """Return the other players in turn order, starting after this one."""
        index = self.players.index(player)
        return self.players[index + 1 :] + self.players[:index]

    def view(self, seat: Seat | None, turn: int, players: tuple[SeatedPlayer, ...] = ()) -> View:
        """Return the view of a seat, or of a spectator if `seat` is None.

        `players` saves time if they have not changed since the last call of `seated_players`.
        """
        own = None
        for player in self.players:
            if player.seat == seat:
                own = PrivateState(tuple(player.boards), tuple(player.hand), player.bag)
        seated = players or self.seated_players()
        return View(self.rules, seat, turn, self.hole, self.deck_size, seated, own, tuple(self.pile))

    def seated_players(self) -> tuple[SeatedPlayer, ...]:
        """Return the players as all others see them."""
        return tuple([SeatedPlayer(each.seat, tuple(each.boards), len(each.hand)) for each in self.players])

    def full_state(self) -> FullState:
        """Return the full state as a record, for the host."""
        players = [
            FullPlayer(player.seat, tuple(player.boards), tuple(player.hand), player.bag) for player in self.players
        ]
        return FullState(tuple(players), self.hole, tuple(self.deck[self._next :]))

    def emit(self, event: Callable[[*Parts], Event], *args: *Parts) -> None:
        """Create and keep an event of this type, unless the type is not emitted."""
        if event in self.emits:
            self.events.append(event(*args))

    # The deck

    @property
    def deck_size(self) -> int:
        return len(self.deck) - self._next

    def cards_left(self) -> int:
        """Return the number of cards that can still be dealt."""
        reserve = len(self.pile) if self.rules.spent_cards == "reshuffled" else 0
        return self.deck_size + reserve

    def draw(self, player: PlayerState, count: int, reason: Literal["turn", "extinction"]) -> None:
        """Deal `count` cards to a player, or all that are left if there are fewer."""
        if self.rules.spent_cards == "reshuffled" and count > self.deck_size and self.pile:
            self._reshuffle()
        cards = tuple(self.deck[self._next : self._next + count])
        self._next += len(cards)
        if self.rules.hand_order == "front":
            player.hand[:0] = cards
        else:
            player.hand += cards
        self.emit(events.CardsDrawn, player.seat, reason, len(cards), cards)

    def _reshuffle(self) -> None:
        self.reshuffles += 1
        pile = sorted(self.pile)
        random.Random(f"{self.seed} reshuffle {self.reshuffles}").shuffle(pile)
        self.deck = (*self.deck[self._next :], *pile)
        self._next = 0
        self.pile.clear()
        self.emit(events.DeckReshuffled, len(pile))

    def spend(self, cards: Sequence[TraitCard]) -> tuple[TraitCard, ...]:
        """Discard cards.  Return those that lie open on the pile."""
        if self.rules.spent_cards == "gone":
            return ()
        self.pile += cards
        return tuple(cards)

    # Boards

    def give_board(self, player: PlayerState) -> None:
        board = new_board(self.rules.new_board_population)
        player.boards.append(board)
        self.emit(events.BoardGiven, player.seat, board)

    def arrange(self, player: PlayerState, order: Sequence[int]) -> None:
        player.boards = [player.boards[index] for index in order]
        self.emit(events.BoardsArranged, player.seat, tuple(order))

    def reveal(self, drafts: Mapping[Seat, Draft]) -> None:
        """Carry out step 4 up to the feeding rounds: declarations, food cards, traits that act at the reveal."""
        for player in self.players:
            draft = drafts[player.seat]
            self._apply(player, draft)
            self._reveal_food_card(player, draft.food_card())
        if self.hole < 0:
            self.hole = 0
            self.emit(events.FoodCut, 0)
        self._react_to_food()

    def _apply(self, player: PlayerState, draft: Draft) -> None:
        """Apply a declaration, except for its food card."""
        positions = draft.positions()
        boards = player.boards = draft.boards.copy()
        if "left" in draft.sides:
            for index, board in zip(positions, draft.boards, strict=True):
                boards[index] = board
        player.hand = draft.hand_left()
        pile = () if self.rules.spent_cards == "gone" else self.spend(draft.spent())
        if events.DeclarationApplied in self.emits:
            taken = draft.taken
            self.emit(
                events.DeclarationApplied,
                player.seat,
                tuple(boards),
                tuple(positions[len(draft.row) :]),
                draft.replaced(positions),
                tuple([positions[step.board] for step in taken if type(step) is GrowPopulation]),
                tuple([positions[step.board] for step in taken if type(step) is GrowBody]),
                len(player.hand),
                tuple(player.hand),
                pile,
            )

    def _reveal_food_card(self, player: PlayerState, card: TraitCard) -> None:
        self.hole += card.points
        if self.hole < 0 and self.rules.food_clamp == "per-card":
            self.hole = 0
        self.emit(events.FoodRevealed, player.seat, card, self.hole)

    def _react_to_food(self) -> None:
        """Apply the traits that act when the food is revealed, trait by trait over all players."""
        actions = {Effect.GROW: self._grow, Effect.FEED: self._feed_long_neck, Effect.BURN_FAT: self._burn_fat}
        acting = [
            (player, index, board.traits)
            for player in self.players
            for index, board in enumerate(player.boards)
            if TRAIT_EFFECTS[board.traits].acts_at_reveal
        ]
        for trait in REVEAL_ORDER if acting else ():
            act = actions[TRAITS[trait].at_reveal]  # type: ignore[index]
            for player, index, traits in acting:
                if trait in traits:
                    act(player, index)
        if self.hooks:
            self._run_reveal_hooks(self.hooks)

    def _grow(self, player: PlayerState, index: int) -> None:
        board = player.boards[index]
        if 0 < board.population < MOST_POPULATION:
            player.boards[index] = board.with_population(board.population + 1)
            self.emit(events.SpeciesGrew, player.seat, index, board.population + 1)

    def _feed_long_neck(self, player: PlayerState, index: int) -> None:
        self.feed(player, index, "long-neck")

    def _burn_fat(self, player: PlayerState, index: int) -> None:
        board = player.boards[index]
        tokens = min(board.fat, board.population - board.food)
        if tokens > 0:
            burned = board.with_food(board.food + tokens).with_fat(board.fat - tokens)
            player.boards[index] = burned
            self.emit(events.FatBurned, player.seat, index, tokens, burned.food, burned.fat)

    # Eating

    def feed(
        self,
        player: PlayerState,
        index: int,
        cause: Literal["plants", "meat", "long-neck", "cooperation", "scavenger"],
    ) -> None:
        """Feed a board once: foraging first, then cooperation.

        The recursion ends because cooperation only feeds boards further to the right.
        """
        board = player.boards[index]
        meals = min(TRAIT_EFFECTS[board.traits].bites, board.population - board.food, self.hole)
        if meals <= 0:
            return
        self.hole -= meals
        player.boards[index] = board.with_food(board.food + meals)
        self.emit(events.SpeciesFed, player.seat, index, cause, meals, board.food + meals, self.hole)
        if self.hooks and not TRAIT_EFFECTS[board.traits].hunts:
            self._run_meal_hooks(self.hooks, player, index)
        if index + 1 < len(player.boards) and TRAIT_EFFECTS[board.traits].feeds_right_neighbour:
            for _ in range(meals):
                self.feed(player, index + 1, "cooperation")

    def store_fat(self, player: PlayerState, index: int, tokens: int) -> None:
        """Store tokens, at most as many as the watering hole has.  Storing is not eating."""
        tokens = min(tokens, self.hole)
        self.hole -= tokens
        board = player.boards[index]
        player.boards[index] = board.with_fat(board.fat + tokens)
        self.emit(events.FatStored, player.seat, index, tokens, board.fat + tokens, self.hole)

    # Hunting

    def attack(self, hunter: PlayerState, index: int, prey: PlayerState, target: int) -> None:
        """Carry out a legal attack with all its consequences."""
        attacker, defender = hunter.boards[index], prey.boards[target]
        self.emit(events.SpeciesAttacked, hunter.seat, index, attacker, prey.seat, target, defender)
        if self.hooks:
            index, target = self._run_attack_hooks(self.hooks, hunter, index, prey, target)
        died_out = target >= 0 and self._lose_animal(prey, target, "attack")
        if index < 0:
            return
        if died_out and prey is hunter and target < index:
            index -= 1
        for _ in range(TRAIT_EFFECTS[defender.traits].wounds_attacker):
            if self._lose_animal(hunter, index, "horns"):
                return
        will_eat = hunter.boards[index].is_hungry
        self.feed(hunter, index, "meat")
        if will_eat or self.rules.horns_full_attacker_scavengers:
            self._feed_scavengers(hunter)

    def _feed_scavengers(self, hunter: PlayerState) -> None:
        for player in (hunter, *self.others(hunter)):
            for index, board in enumerate(player.boards):
                if TRAIT_EFFECTS[board.traits].eats_after_attack:
                    self.feed(player, index, "scavenger")

    def _lose_animal(self, player: PlayerState, index: int, cause: Literal["attack", "horns"]) -> bool:
        """Remove one animal.  Return whether the species died out."""
        board = player.boards[index]
        if board.population == 1:
            self._die_out(player, index, cause)
            self._compensate(player)
            return True
        smaller = player.boards[index] = board.with_population(board.population - 1)
        self.emit(events.AnimalLost, player.seat, index, cause, smaller.population, smaller.food)
        return False

    def _die_out(
        self, player: PlayerState, index: int, cause: Literal["attack", "horns", "starvation", "never grown", "trait"]
    ) -> None:
        board = player.boards.pop(index)
        self.emit(events.SpeciesDied, player.seat, index, cause, board, self.spend(board.cards))

    def _compensate(self, player: PlayerState) -> None:
        if self.rules.compensation == "at_once":
            self.draw(player, COMPENSATION, "extinction")
        else:
            player.owed += COMPENSATION

    # Custom traits.  `Hooks` returns what they want; these methods apply it within the rules.

    def _run_reveal_hooks(self, hooks: Hooks) -> None:
        killed: list[BoardIndex] = []
        for owner, trait in hooks.reveal_owners(_rows(self.players)):
            if owner not in killed:
                hole, changes = hooks.food_was_revealed(trait, self.hole, _rows(self.players), owner)
                self._set_hole(trait, hole)
                killed += self._alter(self.players, trait, changes)
        self._bury(self.players, killed)

    def _run_meal_hooks(self, hooks: Hooks, eater: PlayerState, index: int) -> None:
        players = (eater, *self.others(eater))
        for trait, hole in hooks.food_eaten(self.hole, _rows(players), BoardIndex(0, index)):
            self._set_hole(trait, hole)

    def _run_attack_hooks(
        self, hooks: Hooks, hunter: PlayerState, index: int, prey: PlayerState, target: int
    ) -> tuple[int, int]:
        """Return the new indexes of the attacker and the target, -1 for one that died out."""
        players = (hunter, *self.others(hunter))
        attacker, attacked = BoardIndex(0, index), BoardIndex(players.index(prey), target)
        killed: list[BoardIndex] = []
        for owner, trait in hooks.attack_owners(_rows(players)):
            if owner not in killed:
                changes = hooks.was_attacked(trait, _rows(players), attacker, attacked, owner)
                killed += self._alter(players, trait, changes)
        self._bury(players, killed)
        return _index_after(attacker, killed), _index_after(attacked, killed)

    def _set_hole(self, trait: Trait, hole: int) -> None:
        if hole != self.hole:
            self.hole = hole
            self.emit(events.WateringHoleChanged, trait, hole)

    def _alter(self, players: Sequence[PlayerState], trait: Trait, changes: Sequence[Change]) -> Iterator[BoardIndex]:
        """Apply the changes of a trait as far as the limits of a board allow.  Yield the species that it kills."""
        for spot, numbers in changes:
            player, index = players[spot.row], spot.board
            board = player.boards[index]
            population = _clamp(numbers.get("population", board.population), MOST_POPULATION)
            body = _clamp(numbers.get("body", board.body), MOST_BODY)
            food = _clamp(numbers.get("food", board.food), population)
            stored = numbers.get("fat", board.fat) if Trait.FAT_TISSUE in board.traits else board.fat
            changed = board.with_numbers(population, body, food, _clamp(stored, body))
            # A species that lost its last animal stays dead.
            if board.population and changed != board:
                player.boards[index] = changed
                self.emit(events.SpeciesChanged, player.seat, index, trait, population, body, food, changed.fat)
                if not population:
                    yield spot

    def _bury(self, players: Sequence[PlayerState], killed: Iterable[BoardIndex]) -> None:
        """Remove species without animals player by player, the last board first, so that indexes stay valid."""
        for row, index in sorted(killed, key=lambda spot: (spot.row, -spot.board)):
            self._die_out(players[row], index, "trait")
            self._compensate(players[row])

    # The end of a turn

    def end_turn(self) -> None:
        """Starve hungry animals, move food to the bags, and rotate the turn order."""
        for player in self.players:
            self._starve(player)
        for player in self.players:
            if player.owed:
                owed, player.owed = player.owed, 0
                self.draw(player, owed, "extinction")
        for player in self.players:
            player.bag += sum([board.food for board in player.boards])
            player.boards = [board.with_food(0) if board.food else board for board in player.boards]
            self.emit(events.FoodBagged, player.seat, player.bag)
        self.players.append(self.players.pop(0))

    def _starve(self, player: PlayerState) -> None:
        """Remove the animals that did not eat."""
        index = 0
        while index < len(player.boards):
            board = player.boards[index]
            if board.food == 0:
                grown = board.population > 0
                self._die_out(player, index, "starvation" if grown else "never grown")
                if grown:
                    self._compensate(player)
                continue
            if board.food < board.population:
                player.boards[index] = board.with_population(board.food)
                self.emit(events.SpeciesShrank, player.seat, index, board.food)
            index += 1


def _rows(players: Sequence[PlayerState]) -> list[list[SpeciesBoard]]:
    return [player.boards for player in players]


def _clamp(number: int, most: int) -> int:
    return max(0, min(number, most))


def _index_after(board: BoardIndex, killed: Sequence[BoardIndex]) -> int:
    """Return the index of a board after others were removed, or -1 if it was removed, too."""
    if board in killed:
        return -1
    return board.board - sum(each.row == board.row and each.board < board.board for each in killed)
