"""A sound player that looks one step ahead.

It simulates its row up to the end of the turn: the row eats from the expected food, one feeding a
round, while the others take theirs.  Then it counts the tokens, animals and traits of the surviving
species.  It takes the step, or the feeding, with the largest result; a step must gain more than its
card is worth in the hand.  All numbers are whole, in tenths of a point.  Of equal ones it takes the
first in the list, regardless of the order of the hand.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from wateringhole.games.evolution.bots.player import Player
from wateringhole.games.evolution.rules.answers import (
    AttackSpecies,
    BuyBoard,
    Declaration,
    Feeding,
    FeedPlants,
    GiveFood,
    GrowBody,
    GrowPopulation,
    LayTrait,
    Pass,
    Step,
    StoreFat,
)
from wateringhole.games.evolution.rules.attacks import Attack, shield_against
from wateringhole.games.evolution.rules.cards import TraitCard
from wateringhole.games.evolution.rules.draft import Draft
from wateringhole.games.evolution.rules.options import CARDS_PER_TURN, COMPENSATION, MOST_POPULATION, MOST_TRAITS
from wateringhole.games.evolution.rules.requests import DeclareCards, FeedNext, attack_on
from wateringhole.games.evolution.rules.species import SpeciesBoard, new_board
from wateringhole.games.evolution.rules.traits import REVEAL_ORDER, TRAIT_EFFECTS, TRAITS, Effect, Trait
from wateringhole.games.evolution.rules.view import View

__all__ = ["Greedy"]

POINT = 10
"""A point of the score: a token in the bag and, at the end, an animal or a trait."""
HARM = 5
"""The gain if another player loses an animal or a trait."""
DANGER = 6
"""The cost of a board that a carnivore of another player could attack."""
FOOD_OF_OTHERS = 2
"""The expected points of another player's food card."""

# Values that may turn into points, before the last turn.

ANIMAL = 6
"""An animal counts if it survives to the end, and it can eat again."""
TRAIT = 8
"""A trait counts if its species survives to the end."""
BOARD = 10
"""A living species earns a card every turn, and has room for traits."""
LOST_BOARD = 6
"""A species that died out has earned two cards."""
CARD = 2
"""A card in the hand, without the use of its trait."""
FAT = 6
"""A stored token."""

USE: Mapping[Trait, int] = defaultdict(
    int,
    {
        Trait.LONG_NECK: 6,
        Trait.COOPERATION: 5,
        Trait.BURROWING: 4,
        Trait.CLIMBING: 4,
        Trait.FERTILE: 4,
        Trait.FORAGING: 4,
        Trait.HARD_SHELL: 3,
        Trait.HERDING: 3,
        Trait.SCAVENGER: 3,
        Trait.HORNS: 2,
        Trait.FAT_TISSUE: 1,
        Trait.SYMBIOSIS: 1,
        Trait.WARNING_CALL: 1,
    },
)
"""The use of a trait in the coming turns; 0 for a trait that is not listed."""

NEVER = -1_000_000


class Greedy(Player):
    """Feeds its species well, buys only what it can feed, and avoids carnivores."""

    def choose(self, request: DeclareCards) -> Declaration:
        hand = request.view.hand
        if not hand:
            raise ValueError("the greedy player cannot choose from an empty hand")
        outlook = _Outlook(request.view)
        draft = request.draft()
        food_card = max(range(len(hand)), key=lambda card: _as_food(hand[card]))
        draft.add(GiveFood(food_card))
        hole = request.view.hole + hand[food_card].points + FOOD_OF_OTHERS * outlook.others
        while step := outlook.best_step(draft, hole):
            draft.add(step)
        return draft.declaration()

    def feed_next(self, request: FeedNext) -> Feeding:
        outlook = _Outlook(request.view)
        best: Feeding = Pass()
        most = NEVER if request.rules.false_reply == "cheat" else outlook.worth_of_passing()
        for option in request.options:
            worth = outlook.worth_of_feeding(option)
            if worth > most:
                best, most = option, worth
        if isinstance(best, StoreFat):
            return StoreFat(best.board, min(best.tokens, request.view.hole))
        return best


def _as_food(card: TraitCard) -> tuple[int, int, int]:
    """Return the key for the food card: most food, then the least useful trait, then the lowest rank."""
    return card.points, -USE[card.trait], -card.rank


class _Outlook:
    """A view of one player, with estimates of what rows are worth."""

    def __init__(self, view: View) -> None:
        self._view = view
        self.others = len(view.opponents)
        boards = [board for opponent in view.opponents for board in opponent.boards]
        self.appetite_of_others = sum(board.population - board.food for board in boards)
        self._hunters = [board for board in boards if board.is_carnivore]
        # Most steps do not change most boards, so results for a board are cached.
        self._dangers: dict[tuple[SpeciesBoard | None, SpeciesBoard, SpeciesBoard | None], bool] = {}
        self._hunts: dict[SpeciesBoard, bool] = {}
        needed = sum(CARDS_PER_TURN + max(1, len(player.boards)) for player in view.players)
        self._is_last_turn = view.deck_size < needed
        if not self._is_last_turn:
            self._animal, self._board, self._trait, self._lost_board = ANIMAL, BOARD, TRAIT, LOST_BOARD
        elif view.rules.scoring == "population":
            self._animal, self._board, self._trait, self._lost_board = POINT, 0, POINT, 0
        else:
            self._animal, self._board, self._trait, self._lost_board = 0, POINT, POINT, 0

    # Card choices

    def best_step(self, draft: Draft, hole: int) -> Step | None:
        """Return the step that gains most, or None if no step gains more than it costs."""
        now = self._worth_at_reveal(draft.boards, hole)
        best, most = None, 0
        for step in self._steps(draft):
            card = draft.hand[step.card]
            gain = self._worth_after(draft.boards, step, card, hole) - now - self._price(card)
            if gain > most and draft.check_step(step) is None:
                best, most = step, gain
        return best

    def _steps(self, draft: Draft) -> Iterator[Step]:
        """Yield the steps to compare: growth and boards for the cheapest card, a card of each trait for free slots."""
        hand, rules = draft.hand, draft.rules
        cards = [card for card in range(len(hand)) if card not in draft.uses]
        if not cards:
            return
        cards.sort(key=lambda card: (self._price(hand[card]), hand[card].points, hand[card].rank))
        cheapest = cards[0]
        for board in range(len(draft.boards)):
            yield GrowPopulation(board, cheapest)
        by_trait = {hand[card].trait: card for card in reversed(cards)}
        first = 0 if rules.traits_on_existing_boards == "fill" else len(draft.row)
        for board in range(first, len(draft.boards)):
            for trait, card in by_trait.items():
                if trait not in draft.boards[board].traits and len(draft.boards[board].traits) < MOST_TRAITS:
                    yield LayTrait(board, card)
        # A new board without animals needs a second card.
        if rules.new_board_population or len(cards) > 1:
            yield BuyBoard(cheapest)
        for board in range(len(draft.boards)):
            yield GrowBody(board, cheapest)

    def _price(self, card: TraitCard) -> int:
        return 0 if self._is_last_turn else CARD + USE[card.trait]

    def _worth_after(self, boards: Sequence[SpeciesBoard], step: Step, card: TraitCard, hole: int) -> int:
        row = list(boards)
        match step:
            case BuyBoard():
                row.append(new_board())
            case LayTrait(index):
                row[index] = row[index].with_card(len(row[index].traits), card, keep=False)
            case GrowPopulation(index):
                row[index] = row[index].with_population(row[index].population + 1)
            case GrowBody(index):
                row[index] = row[index].with_body(row[index].body + 1)
        return self._worth_at_reveal(row, hole)

    def _worth_at_reveal(self, boards: Sequence[SpeciesBoard], hole: int) -> int:
        row = _SimulatedRow(boards)
        hole = row.reveal(max(hole, 0))
        self._eat_rest(row, hole)
        return self._worth(row)

    # Feeding

    def worth_of_passing(self) -> int:
        return self._worth(_SimulatedRow(self._view.boards))

    def worth_of_feeding(self, option: Feeding) -> int:
        row, hole = _SimulatedRow(self._view.boards), self._view.hole
        extra = 0
        match option:
            case FeedPlants(board):
                hole = row.feed(board, hole)
            case StoreFat(_, tokens):
                stored = min(tokens, hole)
                hole -= stored
                extra = 0 if self._is_last_turn else stored * FAT
            case AttackSpecies(board, seat, target):
                if seat == self._view.seat:
                    return NEVER + 1
                prey = self._view.boards_of(seat)[target]
                hole = row.attack(board, prey, hole)
                extra = HARM
                if prey.population == 1:
                    extra += HARM * len(prey.traits) - COMPENSATION * CARD
        taken = min(self.others, self.appetite_of_others)
        self._eat_rest(row, hole - taken, taken)
        return self._worth(row) + extra

    # Both

    def _eat_rest(self, row: _SimulatedRow, hole: int, taken: int = 0) -> None:
        """Play the rest of the feeding rounds: the hungriest board eats, then the others take a token each."""
        eaters = [
            index
            for index, board in enumerate(row.boards)
            if not TRAIT_EFFECTS[board.traits].hunts or self._has_prey(board)
        ]
        while hole > 0:
            hungry = [index for index in eaters if row.food[index] < row.population[index]]
            if not hungry:
                return
            hole = row.feed(min(hungry, key=row.food.__getitem__), hole)
            takes = min(self.others, self.appetite_of_others - taken)
            taken += takes
            hole -= takes

    def _worth(self, row: _SimulatedRow) -> int:
        """Return the worth of a row if it eats no more this turn."""
        worth = 0
        for index, board in enumerate(row.boards):
            food = row.food[index]
            if food == 0:
                worth += self._lost_board if row.population[index] else 0
                continue
            worth += food * (POINT + self._animal) + self._board + len(board.traits) * self._trait
            if not self._is_last_turn:
                for trait in board.traits:
                    worth += USE[trait]
            if self._hunters and self._is_in_danger(row, index):
                worth -= DANGER
        return worth

    def _is_in_danger(self, row: _SimulatedRow, index: int) -> bool:
        boards = row.boards
        left = boards[index - 1] if index else None
        right = boards[index + 1] if index + 1 < len(boards) else None
        board = boards[index].with_population(row.population[index]).with_food(row.food[index])
        danger = self._dangers.get((left, board, right))
        if danger is None:
            danger = self._dangers[left, board, right] = any(
                shield_against(Attack(hunter, board, left, right), self._view.rules) is None for hunter in self._hunters
            )
        return danger

    def _has_prey(self, hunter: SpeciesBoard) -> bool:
        if hunter not in self._hunts:
            self._hunts[hunter] = any(
                prey.population and shield_against(attack_on(hunter, opponent.boards, index), self._view.rules) is None
                for opponent in self._view.opponents
                for index, prey in enumerate(opponent.boards)
            )
        return self._hunts[hunter]


class _SimulatedRow:
    """A simulated row, whose population and food change."""

    def __init__(self, boards: Sequence[SpeciesBoard]) -> None:
        self.boards = boards
        self.population = [board.population for board in boards]
        self.food = [board.food for board in boards]

    def reveal(self, hole: int) -> int:
        """Apply the traits that act at the reveal.  Return the food left at the watering hole."""
        for trait in REVEAL_ORDER:
            effect = TRAITS[trait].at_reveal
            for index, board in enumerate(self.boards):
                if trait not in board.traits:
                    continue
                if effect is Effect.GROW:
                    self.population[index] += 0 < self.population[index] < MOST_POPULATION
                elif effect is Effect.FEED:
                    hole = self.feed(index, hole)
                else:
                    self.food[index] += min(board.fat, self.population[index] - self.food[index])
        return hole

    def feed(self, index: int, hole: int) -> int:
        """Feed a board, and its right neighbours through cooperation.  Return the food left at the watering hole."""
        feedings = 1
        while feedings and index < len(self.boards):
            eater = TRAIT_EFFECTS[self.boards[index].traits]
            meals = min(feedings * eater.bites, self.population[index] - self.food[index], hole)
            self.food[index] += meals
            hole -= meals
            feedings = meals if eater.feeds_right_neighbour else 0
            index += 1
        return hole

    def attack(self, index: int, prey: SpeciesBoard, hole: int) -> int:
        """Apply an attack of a board.  Return the food left at the watering hole."""
        self.population[index] -= TRAIT_EFFECTS[prey.traits].wounds_attacker
        self.food[index] = min(self.food[index], self.population[index])
        if self.population[index] == 0:
            return hole
        hole = self.feed(index, hole)
        for other, board in enumerate(self.boards):
            if TRAIT_EFFECTS[board.traits].eats_after_attack:
                hole = self.feed(other, hole)
        return hole
