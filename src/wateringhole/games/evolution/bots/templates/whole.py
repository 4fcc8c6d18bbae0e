"""My player of Evolution: one complete answer for the cards, one for each feeding.

Run it:  wateringhole play evolution mine.py:Mine silly greedy
"""

from wateringhole.games.evolution import (
    BuyBoard,
    Declaration,
    DeclareCards,
    Feeding,
    FeedNext,
    FeedPlants,
    GiveFood,
    GrowPopulation,
    LayTrait,
    Player,
    StoreFat,
)

FAVOURITES = ["long-neck", "cooperation", "burrowing", "climbing", "fertile", "foraging"]


class Mine(Player):
    def choose(self, request: DeclareCards) -> Declaration:
        """Choose the cards to give, trade and lay.  `request.view` is everything I may know."""
        hand = request.view.hand

        # A draft grows by small steps.  An illegal step changes nothing, and `add` returns the
        # reason; print it to learn more.  `draft.steps()` lists all legal steps.
        draft = request.draft()

        # A card is given by its index in the hand.  The one with the most food goes to the
        # watering hole; every player must give one.
        cards = sorted(range(len(hand)), key=lambda card: hand[card].points)
        draft.add(GiveFood(cards.pop()))
        cards.sort(key=lambda card: hand[card].trait not in FAVOURITES)

        # Buy two new species, each for a card from the back, with traits from the front, but no
        # carnivores, because they must find prey.
        for _ in range(2):
            if len(cards) >= 3 and draft.add(BuyBoard(cards.pop())) is None:
                new_board = len(draft.boards) - 1
                for card in cards[:-1]:
                    if hand[card].trait != "carnivore" and draft.add(LayTrait(new_board, card)) is None:
                        cards.remove(card)

        # Under some rules, new boards have no animals.  The remaining cards stay in the hand.
        for index, board in enumerate(draft.boards):
            if board.population == 0 and cards:
                draft.add(GrowPopulation(index, cards.pop()))

        return draft.declaration()

    def feed_next(self, request: FeedNext) -> Feeding:
        """Choose one of `request.options`, or `Pass()` for no more food this turn."""
        boards = request.view.boards

        # A species that has eaten nothing by the end of the turn dies out, so the hungriest eats first.
        plants = [option for option in request.options if isinstance(option, FeedPlants)]
        if plants:
            return min(plants, key=lambda option: boards[option.board].food)

        # Attacks are listed last.  A StoreFat offers all the room of its board, which may be
        # more than there is at the watering hole.
        option = request.options[-1]
        if isinstance(option, StoreFat):
            return StoreFat(option.board, min(option.tokens, request.view.hole))
        return option
