"""The dealer's requests: arrange boards, declare cards, feed next.

A request holds the view of its player and checks answers by itself: bots, pages and the
referee share its `accept`.  Only `ask`, which calls Python players, also reads plain values
(`plain_answers`).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar

from wateringhole.formatting import short_repr
from wateringhole.game import Seat, Violation, violation_of
from wateringhole.games.evolution.rules.answers import (
    AttackSpecies,
    BoardOrder,
    Declaration,
    Feeding,
    FeedPlants,
    Pass,
    StoreFat,
)
from wateringhole.games.evolution.rules.attacks import Attack, shield_against
from wateringhole.games.evolution.rules.draft import Draft
from wateringhole.games.evolution.rules.hooks import Hooks
from wateringhole.games.evolution.rules.options import Rules
from wateringhole.games.evolution.rules.plain_answers import PlainValue, declaration_from_plain, feeding_from_plain
from wateringhole.games.evolution.rules.species import Row, SpeciesBoard
from wateringhole.games.evolution.rules.traits import TRAIT_EFFECTS, Trait
from wateringhole.games.evolution.rules.view import View
from wateringhole.games.evolution.rules.violations import (
    FatOverHole,
    FatRoom,
    IllShaped,
    NoAnimals,
    NoDeclining,
    NoFatRoom,
    NoSuchBoard,
    NoSuchTarget,
    NotACarnivore,
    NotAnOrder,
    NotAVegetarian,
    NotHungry,
    OwnBoard,
    Prevented,
    Protected,
    Spot,
)
from wateringhole.games.evolution.rules.violations import (
    given as as_given,
)

__all__ = ["ArrangeBoards", "DeclareCards", "EvolutionRequest", "FeedNext", "attack_on", "feedings", "offered"]


_set = object.__setattr__

_FEEDINGS = frozenset({FeedPlants, StoreFat, AttackSpecies, Pass})


class _BaseRequest:
    """The common part of all requests."""

    __slots__ = ("seat", "view")

    seat: Seat
    """The seat that is asked."""
    view: View
    """The view of that seat."""

    def __init__(self, view: View) -> None:
        _set(self, "seat", view.seat)
        _set(self, "view", view)

    def __eq__(self, other: object) -> bool:
        """Compare the type and the view, from which everything else follows."""
        return type(other) is type(self) and self.view == other.view

    def __hash__(self) -> int:
        return hash(self.view)

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a request cannot be changed: the referee uses the same object")

    def __delattr__(self, name: str) -> None:
        raise AttributeError("a request cannot be changed: the referee uses the same object")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.view,)

    @property
    def rules(self) -> Rules:
        """The rules of the game."""
        return self.view.rules


class ArrangeBoards(_BaseRequest):
    """Request for a new order of the player's boards, only under `reorder_boards`."""

    __slots__ = ()
    name: ClassVar[str] = "arrange"

    def accept(self, given: object) -> BoardOrder | Violation:
        """Return the order that an untrusted object stands for, or the rule that it breaks."""
        owned = len(self.view.boards)
        if type(given) is BoardOrder and _is_order(given.boards, owned):
            return given
        return NotAnOrder(short_repr(given), owned)

    def default_answer(self) -> BoardOrder:
        """Return the present order."""
        return BoardOrder(tuple(range(len(self.view.boards))))

    def ask(self, player: Any) -> BoardOrder:
        """Call the player's method `arrange`."""
        order: BoardOrder = player.arrange(self)
        return order


class DeclareCards(_BaseRequest):
    """Request for the cards that the player gives, trades and lays."""

    __slots__ = ("_checked",)
    name: ClassVar[str] = "declare"

    _checked: tuple[Declaration, Draft] | None

    def __init__(self, view: View) -> None:
        _set(self, "seat", view.seat)
        _set(self, "view", view)
        _set(self, "_checked", None)

    def draft(self) -> Draft:
        """Return an empty draft for building an answer."""
        return Draft(self.view.hand, self.view.boards, self.rules)

    def accept(self, given: object) -> Declaration | Violation:
        """Return the declaration that an untrusted object stands for, or the rule that it breaks."""
        if type(given) is PlainValue:
            read = declaration_from_plain(given.value, self.view)
            return read if isinstance(read, Violation) else self.accept(read)
        finished = self._complete_draft(given)
        if type(finished) is not Draft:
            assert isinstance(finished, Violation)
            return finished
        assert type(given) is Declaration
        _set(self, "_checked", (given, finished))
        return given

    def finished(self, answer: object) -> Draft | Violation:
        """Return the complete draft of an answer, or the violation.

        An answer that `accept` has just checked is not checked again.  Each draft is returned
        only once, so that a caller that extends it cannot change what the dealer applies.
        """
        checked = self._checked
        _set(self, "_checked", None)
        return checked[1] if checked and checked[0] is answer else self._complete_draft(answer)

    def _complete_draft(self, answer: object) -> Draft | Violation:
        return Draft.from_declaration(answer, self.view.hand, self.view.boards, self.rules)

    def default_answer(self) -> None:
        """Return None, because only the player can choose its food card."""

    def ask(self, player: Any) -> Declaration:
        """Call the player's method `choose`, whose answer may be a plain value."""
        given: Any = player.choose(self)
        if type(given) is not Declaration:
            read = declaration_from_plain(given, self.view)
            given = PlainValue(given) if isinstance(read, Violation) else read
        declaration: Declaration = given
        return declaration


class FeedNext(_BaseRequest):
    """Request for the player's next feeding."""

    __slots__ = ("_accepted", "hooks", "options")
    name: ClassVar[str] = "feed"

    _accepted: Feeding | None
    """The answer that `accept` found to be legal last."""
    options: Sequence[Feeding]
    """The legal feedings except declining; a StoreFat names the most that can be stored."""
    hooks: Hooks | None
    """The code of custom traits, in the referee's process only."""

    def __init__(self, view: View, options: Sequence[Feeding], hooks: Hooks | None = None) -> None:
        _set(self, "seat", view.seat)
        _set(self, "view", view)
        _set(self, "options", tuple(options))
        _set(self, "hooks", hooks)
        _set(self, "_accepted", None)

    def __reduce__(self) -> tuple[Any, ...]:
        # The code of custom traits stays in the referee's process.
        return type(self), (self.view, self.options)

    def accept(self, given: object) -> Feeding | Violation:
        """Return the feeding that an untrusted object stands for, or the rule that it breaks."""
        accepted = self._check(given)
        if accepted is given:
            _set(self, "_accepted", given)
        return accepted

    def violation_of(self, answer: object) -> Violation | None:
        """Return the violation of an answer, or None if it is legal.

        The answer that `accept` has just checked is not checked again.
        """
        return None if answer is self._accepted else violation_of(self, answer)

    def _check(self, given: object) -> Feeding | Violation:
        # By exact type: a subclass could return other values when it is read again.
        if type(given) is FeedPlants:
            return given if type(given.board) is int and given in self.options else self._why_not(given)
        if type(given) is AttackSpecies:
            whole = _are_whole(given.board, given.seat, given.target)
            return given if whole and given in self.options else self._why_not(given)
        if type(given) is StoreFat:
            return self._accept_storing(given)
        if type(given) is Pass:
            if self.rules.false_reply == "cheat":
                return NoDeclining()
            return given
        if type(given) is PlainValue:
            read = feeding_from_plain(given.value, self.view, self.options)
            return read if isinstance(read, Violation) else self.accept(read)
        return IllShaped(short_repr(given), "feeding")

    def _accept_storing(self, answer: StoreFat) -> StoreFat | Violation:
        hole = self.view.hole
        for option in self.options:
            if type(option) is StoreFat and option.board == answer.board and _are_whole(answer.board):
                room = self.view.boards[answer.board].fat_room
                if type(answer.tokens) is not int or not 1 <= answer.tokens <= room:
                    return FatRoom(answer.board, room, as_given(answer.tokens))
                if answer.tokens > hole and self.rules.fat_over_request == "illegal":
                    return FatOverHole(answer.tokens, hole)
                return answer
        return self._why_not(answer)

    def _why_not(self, answer: FeedPlants | StoreFat | AttackSpecies) -> Violation:
        """Return why a feeding of the right type is not among the options."""
        boards = self.view.boards
        index = answer.board
        if type(index) is not int or not 0 <= index < len(boards):
            return NoSuchBoard(as_given(index), len(boards))
        board = boards[index]
        if isinstance(answer, StoreFat):
            return NoFatRoom(index, Trait.FAT_TISSUE in board.traits)
        hunts = isinstance(answer, AttackSpecies)
        if hunts and not board.is_carnivore:
            return NotACarnivore(index)
        if not hunts and board.is_carnivore:
            return NotAVegetarian(index)
        if not board.is_hungry:
            return NotHungry(index, board.population)
        assert isinstance(answer, AttackSpecies)
        return self._why_safe(board, answer)

    def _why_safe(self, attacker: SpeciesBoard, answer: AttackSpecies) -> Violation:
        row = self.view.boards_of(answer.seat)
        if answer.seat == self.seat and (not self.rules.own_attacks or answer.target == answer.board):
            return OwnBoard()
        if not _are_whole(answer.seat, answer.target) or not 0 <= answer.target < len(row):
            return NoSuchTarget(as_given(answer.seat), as_given(answer.target))
        target = Spot(answer.seat, answer.target)
        if row[answer.target].population == 0:
            return NoAnimals(target)
        rows = (self.view.boards, *(player.boards for player in self.view.opponents))
        shield = shield_against(attack_on(attacker, row, answer.target, rows), self.rules, self.hooks)
        # Only the referee's process knows which custom trait prevents an attack.
        return Prevented(target) if shield is None else Protected(target, shield)

    def default_answer(self) -> Feeding:
        """Decline, or return the first option if the rules forbid declining."""
        return Pass() if self.rules.false_reply != "cheat" else self.options[0]

    def ask(self, player: Any) -> Feeding:
        """Call the player's method `feed_next`, whose answer may be a plain value."""
        given: Any = player.feed_next(self)
        if type(given) not in _FEEDINGS:
            read = feeding_from_plain(given, self.view, self.options)
            given = PlainValue(given) if isinstance(read, Violation) else read
        feeding: Feeding = given
        return feeding


EvolutionRequest = ArrangeBoards | DeclareCards | FeedNext


def _is_order(boards: object, owned: int) -> bool:
    return type(boards) is tuple and _are_whole(*boards) and sorted(boards) == list(range(owned))


def _are_whole(*numbers: object) -> bool:
    """Reject True and 1.0: they equal 1, but an answer with them could not be read back from a record."""
    return {int}.issuperset(map(type, numbers))


def attack_on(attacker: SpeciesBoard, row: Sequence[SpeciesBoard], target: int, rows: tuple[Row, ...] = ()) -> Attack:
    """Return an attack on a board of a row, with its current neighbours."""
    left = row[target - 1] if target else None
    right = row[target + 1] if target + 1 < len(row) else None
    return Attack(attacker, row[target], left, right, rows)


def offered(options: Sequence[Feeding], hole: int, rules: Rules) -> Sequence[Feeding]:
    """Return the options for a request, in which every amount is legal as an answer."""
    if rules.fat_over_request == "cut":
        return options
    return [
        StoreFat(option.board, min(option.tokens, hole)) if type(option) is StoreFat else option for option in options
    ]


def feedings(
    boards: Sequence[SpeciesBoard],
    targets: Iterable[tuple[Seat, Sequence[SpeciesBoard]]],
    rules: Rules,
    hooks: Hooks | None = None,
) -> list[Feeding]:
    """Return all feedings of the owner of a row; `targets` are the rows it may attack, in order.

    Vegetarians come first, then stores, then attacks, each from left to right.  Without `hooks`, custom
    traits prevent no attack.
    """
    found: list[Feeding] = []
    stores: list[Feeding] = []
    hunters: list[int] = []
    for index, board in enumerate(boards):
        if board.food < board.population:
            if TRAIT_EFFECTS[board.traits].hunts:
                hunters.append(index)
            else:
                found.append(FeedPlants(index))
        if room := board.fat_room:
            stores.append(StoreFat(index, room))
    found += stores
    if hunters:
        rows = list(targets)
        table = _table(boards, rows) if hooks else ()
        for index in hunters:
            for seat, row in rows:
                for target, defender in enumerate(row):
                    if (
                        defender.population
                        and not (row is boards and target == index)
                        and shield_against(attack_on(boards[index], row, target, table), rules, hooks) is None
                    ):
                        found.append(AttackSpecies(index, seat, target))
    return found


def _table(boards: Sequence[SpeciesBoard], rows: Iterable[tuple[Seat, Sequence[SpeciesBoard]]]) -> tuple[Row, ...]:
    """Return all rows, the attacker's first, even if it may not attack its own."""
    return (tuple(boards), *(tuple(row) for _, row in rows if row is not boards))
