"""My player of Evolution: many small answers.

Run it:  wateringhole play evolution mine.py:Mine silly greedy

Every question has a default, so this player answers only some.  The others are
`select_species_order`, `select_species_discarded_cards`, `trade_cards_for_body_size`,
`select_board_to_give_body_size` and `game_over`.
"""

from collections.abc import Sequence

from wateringhole.games.evolution import (
    Choice,
    OwnState,
    SeatedPlayer,
    SpeciesBoard,
    StepwisePlayer,
    StoreFat,
    TraitCard,
)

Cards = Sequence[TraitCard]
Boards = Sequence[SpeciesBoard]
Opponents = Sequence[SeatedPlayer]

FAVOURITES = ["long-neck", "cooperation", "burrowing", "climbing", "fertile", "foraging"]


class Mine(StepwisePlayer):
    # In all questions `cards` is what is left of my hand, `boards` my row with all that I have
    # answered so far, `player.view` the table (`.hole`, `.turn`, …), and `opponents` the others.

    def select_food_card(self, cards: Cards, boards: Boards, player: OwnState, opponents: Opponents) -> TraitCard:
        """The card for the watering hole: the one with the most food."""
        return max(cards, key=lambda card: card.points)

    def trade_cards_for_boards(self, cards: Cards, boards: Boards, player: OwnState, opponents: Opponents) -> Cards:
        """One or two new species, paid with the cards I like least."""
        by_liking = sorted(cards, key=lambda card: card.trait in FAVOURITES)
        return by_liking[: min(2, len(cards) // 3)]

    def place_cards_on_boards(self, cards: Cards, boards: Boards, player: OwnState, opponents: Opponents) -> Cards:
        """Two traits for each new species, all different.  Carnivores must find prey: leave those to the others."""
        bought = len(boards) - len(player.view.boards)
        one_of_each = {card.trait: card for card in cards if card.trait != "carnivore"}
        by_liking = sorted(one_of_each.values(), key=lambda card: card.trait not in FAVOURITES)
        # Some rules give boards without animals; those need a card too.  And some count the traits.
        empty = sum(board.population == 0 for board in boards)
        allowed = player.view.rules.most_traits_laid
        most = min(2 * bought, len(cards) - empty, len(cards) if allowed is None else allowed)
        return by_liking[: max(most, 0)]

    def select_board_for_card(self, card: TraitCard, boards: Boards, player: OwnState, opponents: Opponents) -> int:
        """The new species with the fewest traits; boards just bought come after those I had."""
        new_boards = range(len(player.view.boards), len(boards))
        return min(new_boards, key=lambda board: len(boards[board].traits))

    def trade_cards_for_population(self, cards: Cards, boards: Boards, player: OwnState, opponents: Opponents) -> Cards:
        """Animals for boards that came without."""
        return cards[: sum(board.population == 0 for board in boards)]

    def select_board_to_give_population(self, boards: Boards, player: OwnState, opponents: Opponents) -> int:
        """The one with the fewest animals."""
        return min(range(len(boards)), key=lambda board: boards[board].population)

    def select_feeding(self, choices: Sequence[Choice], player: OwnState, opponents: Opponents) -> Choice | None:
        """The hungriest eats first, fat is stored last.  `None` would mean no more food this turn."""
        return min(choices, key=lambda choice: (isinstance(choice, StoreFat), player.boards[choice.board].food))

    def select_attack(self, board: SpeciesBoard, player: OwnState, opponents: Opponents) -> Sequence[int] | None:
        """Whom a carnivore of mine attacks: index of the opponent, index of its board."""
        targets = self.targets(board, player, opponents)
        return min(targets, key=lambda target: opponents[target[0]].boards[target[1]].population)
