"""A player that decides at random."""

from __future__ import annotations

import random

from wateringhole.games.evolution.bots.player import Player
from wateringhole.games.evolution.rules.answers import BoardOrder, Declaration, Feeding, GiveFood, Pass, StoreFat
from wateringhole.games.evolution.rules.draft import Draft
from wateringhole.games.evolution.rules.requests import ArrangeBoards, DeclareCards, FeedNext

__all__ = ["Random"]


class Random(Player):
    """Chooses uniformly among all legal steps and feedings, including declining if that is legal.

    Every legal answer is possible, so it also shows what the rules allow.  With a seed, the same requests
    get the same answers.
    """

    def __init__(self, seed: int | str | None = None) -> None:
        self._random = random.Random(seed)

    def arrange(self, request: ArrangeBoards) -> BoardOrder:
        order = list(range(len(request.view.boards)))
        self._random.shuffle(order)
        return BoardOrder(tuple(order))

    def choose(self, request: DeclareCards) -> Declaration:
        if not request.view.hand:
            raise ValueError("the random player cannot choose from an empty hand")
        # Replacements can leave two equal traits and no card to change them; then the draft restarts.
        # That terminates, because a draft without traits is always complete.
        while True:
            draft = request.draft()
            self._walk(draft)
            if draft.check_complete() is None:
                return draft.declaration()

    def _walk(self, draft: Draft) -> None:
        """Take random steps until a random stop, or until there are none."""
        while True:
            steps = draft.steps()
            if len(draft.uses) + 1 == len(draft.hand) and not any(type(step) is GiveFood for step in draft.taken):
                # The last card is kept for the watering hole.
                steps = [step for step in steps if type(step) is GiveFood]
            stops = 1 if draft.check_complete() is None else 0
            if not steps and not stops:
                return
            chance = self._random.randrange(len(steps) + stops)
            if chance == len(steps):
                return
            draft.add(steps[chance])

    def feed_next(self, request: FeedNext) -> Feeding:
        answers = list(request.options)
        if request.rules.false_reply != "cheat":
            answers.append(Pass())
        feeding = self._random.choice(answers)
        if isinstance(feeding, StoreFat):
            return StoreFat(feeding.board, self._random.randint(1, min(feeding.tokens, request.view.hole)))
        return feeding
