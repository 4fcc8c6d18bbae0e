"""My player of Evolution: many small answers.

Run it:  wateringhole play evolution mine.py:Mine silly greedy

Every method has a default, so this player defines only some.  The others are
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
    # In all methods, `cards` is the rest of my hand, `boards` my row after all my answers so far,
    # `player.view` my view of the game (`.hole`, `.turn`, …), and `opponents` the other players.

    def select_food_card(self, cards: Cards, boards: Boards, player: OwnState, opponents: Opponents) -> TraitCard:
        """Give the card with the most food to the watering hole."""
        return max(cards, key=lambda card: card.points)

    def trade_cards_for_boards(self, cards: Cards, boards: Boards, player: OwnState, opponents: Opponents) -> Cards:
        """Buy one or two new species with the cards I like least."""
        by_liking = sorted(cards, key=lambda card: card.trait in FAVOURITES)
        return by_liking[: min(2, len(cards) // 3)]

    def place_cards_on_boards(self, cards: Cards, boards: Boards, player: OwnState, opponents: Opponents) -> Cards:
        """Lay two different traits on each new species, but no carnivores, because they must find prey."""
        bought = len(boards) - len(player.view.boards)
        one_of_each = {card.trait: card for card in cards if card.trait != "carnivore"}
        by_liking = sorted(one_of_each.values(), key=lambda card: card.trait not in FAVOURITES)
        # Under some rules, new boards have no animals and need a card, too.  Some rules limit the traits.
        empty = sum(board.population == 0 for board in boards)
        allowed = player.view.rules.most_traits_laid
        most = min(2 * bought, len(cards) - empty, len(cards) if allowed is None else allowed)
        return by_liking[: max(most, 0)]

    def select_board_for_card(self, card: TraitCard, boards: Boards, player: OwnState, opponents: Opponents) -> int:
        """Choose the new species with the fewest traits; new boards come after those I had."""
        new_boards = range(len(player.view.boards), len(boards))
        return min(new_boards, key=lambda board: len(boards[board].traits))

    def trade_cards_for_population(self, cards: Cards, boards: Boards, player: OwnState, opponents: Opponents) -> Cards:
        """Buy animals for boards without any."""
        return cards[: sum(board.population == 0 for board in boards)]

    def select_board_to_give_population(self, boards: Boards, player: OwnState, opponents: Opponents) -> int:
        """Choose the board with the fewest animals."""
        return min(range(len(boards)), key=lambda board: boards[board].population)

    def select_feeding(self, choices: Sequence[Choice], player: OwnState, opponents: Opponents) -> Choice | None:
        """Feed the hungriest first and store fat last.  `None` would mean no more food this turn."""
        return min(choices, key=lambda choice: (isinstance(choice, StoreFat), player.boards[choice.board].food))

    def select_attack(self, board: SpeciesBoard, player: OwnState, opponents: Opponents) -> Sequence[int] | None:
        """Choose the target of my carnivore: the index of the opponent and of its board."""
        targets = self.targets(board, player, opponents)
        return min(targets, key=lambda target: opponents[target[0]].boards[target[1]].population)
