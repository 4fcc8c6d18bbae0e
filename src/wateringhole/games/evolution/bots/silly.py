"""The silly player of the rulebook: simple and deterministic."""

from __future__ import annotations

from wateringhole.games.evolution.bots.player import Player
from wateringhole.games.evolution.rules.answers import (
    AttackSpecies,
    Declaration,
    Feeding,
    FeedPlants,
    Growth,
    NewBoard,
    Pass,
    Replacement,
    StoreFat,
)
from wateringhole.games.evolution.rules.requests import DeclareCards, FeedNext

__all__ = ["Silly"]


class Silly(Player):
    """Buys one board each turn with its smallest cards; stores fat first, then feeds vegetarians, then attacks."""

    def choose(self, request: DeclareCards) -> Declaration:
        hand = request.view.hand
        if not hand:
            raise ValueError("the silly player cannot choose from an empty hand")
        order = sorted(range(len(hand)), key=[card.rank for card in hand].__getitem__)
        if len(order) < 4:
            return Declaration(order[0])
        food, payment, trait, animal, *more = order
        new = len(request.view.boards)
        return Declaration(
            food,
            population=(Growth(new, animal),),
            body=(Growth(new, more[0]),) if more else (),
            new_boards=(NewBoard(payment, (trait,)),),
            replacements=(Replacement(new, 0, more[1]),) if len(more) > 1 else (),
        )

    def feed_next(self, request: FeedNext) -> Feeding:
        """Apply the first matching rule of the rulebook's section 7.2."""
        return self._store(request) or self._graze(request) or self._hunt(request) or Pass()

    def _store(self, request: FeedNext) -> StoreFat | None:
        boards = request.view.boards
        stores = [option for option in request.options if type(option) is StoreFat]
        if not stores:
            return None
        # Compare the room, not the offer, which may be limited by the watering hole.
        most = max(stores, key=lambda store: (boards[store.board].fat_room, *boards[store.board].size))
        if not request.rules.silly_caps_fat_request:
            return StoreFat(most.board, boards[most.board].fat_room)
        return StoreFat(most.board, min(most.tokens, request.view.hole))

    def _graze(self, request: FeedNext) -> FeedPlants | None:
        boards = request.view.boards
        hungry = [option for option in request.options if type(option) is FeedPlants]
        return max(hungry, key=lambda option: boards[option.board].size) if hungry else None

    def _hunt(self, request: FeedNext) -> AttackSpecies | None:
        view = request.view
        attacks = [option for option in request.options if type(option) is AttackSpecies and option.seat != view.seat]
        if not attacks:
            return None
        boards = view.boards
        hunter = max(attacks, key=lambda attack: boards[attack.board].size).board
        rows = {player.seat: player.boards for player in view.opponents}
        targets = [attack for attack in attacks if attack.board == hunter]
        if request.rules.silly_target_tie == "last":
            targets = _each_row_backwards(targets)
        return max(targets, key=lambda attack: rows[attack.seat][attack.target].size)


def _each_row_backwards(targets: list[AttackSpecies]) -> list[AttackSpecies]:
    seats = list(dict.fromkeys(attack.seat for attack in targets))
    return [attack for seat in seats for attack in reversed(targets) if attack.seat == seat]
