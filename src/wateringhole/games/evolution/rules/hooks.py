"""The code of custom traits: calls their hooks and checks what they return.

A trait file is the operator's own code.  It is trusted and runs in the referee's process.  A hook
that raises an exception, or returns anything but what its type of trait returns, stops the game
with an OperationError that names the file, the trait and the hook.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from wateringhole.errors import OperationError
from wateringhole.formatting import short_repr, single_line
from wateringhole.games.evolution.rules.custom_traits import TRAIT_BASES, CustomTraits, Species, TraitBase
from wateringhole.games.evolution.rules.species import SpeciesBoard
from wateringhole.games.evolution.rules.traits import TRAIT_EFFECTS, Trait, TraitType

__all__ = ["MOST_FOOD", "BoardIndex", "Change", "Hooks"]

MOST_FOOD = 1_000_000
"""The most tokens that a hook can leave at the watering hole."""

Rows = Sequence[Sequence[SpeciesBoard]]
"""The boards of all players, from left to right."""


class BoardIndex(NamedTuple):
    """A board on the table: the number of its row, and its index there."""

    row: int
    board: int


class Change(NamedTuple):
    """The numbers of a species that a hook alters, by their names."""

    spot: BoardIndex
    numbers: Mapping[str, int]


_NUMBERS = ("population", "body", "food", "fat")


class Hooks:
    """The custom traits of a game with their code."""

    def __init__(self, custom: CustomTraits, file: str, code: Mapping[str, TraitBase]) -> None:
        """`file` is named in messages; `code` has an object for each name of a trait."""
        self.custom = custom
        self.file = file
        self._code: dict[TraitType, dict[Trait, TraitBase]] = {each: {} for each in TraitType}
        for each in custom.traits:
            self._code[each.type][each.trait] = code[each.name]

    def preventing_trait(self, rows: Rows, attacker: SpeciesBoard, attacked: SpeciesBoard) -> Trait | None:
        """Return the first trait that makes an attack impossible, or None.

        The boards of the attack are found in the rows by identity.
        """
        if not self._code[TraitType.PREVENTS_ATTACK]:
            return None
        table = _species(rows)
        hunter, prey = _find(rows, table, attacker), _find(rows, table, attacked)
        for spot, trait in self._owners(rows, TraitType.PREVENTS_ATTACK):
            possible = self._call(trait, TraitType.PREVENTS_ATTACK, hunter, prey, _at(table, spot))
            if type(possible) is not bool:
                raise self._wrong(trait, TraitType.PREVENTS_ATTACK, possible, "True or False")
            if not possible:
                return trait
        return None

    def attack_owners(self, rows: Rows) -> list[tuple[BoardIndex, Trait]]:
        """Return the species that react to attacks, row by row."""
        return list(self._owners(rows, TraitType.WAS_ATTACKED))

    def was_attacked(
        self, trait: Trait, rows: Rows, attacker: BoardIndex, attacked: BoardIndex, owner: BoardIndex
    ) -> list[Change]:
        """Return what a trait changes when a species attacks another."""
        table = _species(rows)
        spots = (attacker, attacked, owner)
        given = [_at(table, spot) for spot in spots]
        returned = self._call(trait, TraitType.WAS_ATTACKED, *given)
        if not (type(returned) in (tuple, list) and len(returned) == 3):
            raise self._wrong(trait, TraitType.WAS_ATTACKED, returned, "three species")
        changed: dict[BoardIndex, dict[str, int]] = {}
        for spot, before, after in zip(spots, given, returned, strict=True):
            numbers = self._changes(trait, TraitType.WAS_ATTACKED, before, after)
            known = changed.setdefault(spot, {})
            if any(known.get(name, number) != number for name, number in numbers.items()):
                raise self._wrong(
                    trait, TraitType.WAS_ATTACKED, returned, "the same numbers wherever it returns one species twice"
                )
            known.update(numbers)
        return [Change(spot, numbers) for spot, numbers in changed.items() if numbers]

    def reveal_owners(self, rows: Rows) -> list[tuple[BoardIndex, Trait]]:
        """Return the species that act when the food is revealed, trait by trait, in the order of the file."""
        owners = list(self._owners(rows, TraitType.FOOD_REVEALED))
        return [each for trait in self._code[TraitType.FOOD_REVEALED] for each in owners if each[1] is trait]

    def food_was_revealed(self, trait: Trait, hole: int, rows: Rows, owner: BoardIndex) -> tuple[int, list[Change]]:
        """Return the tokens at the watering hole, and what a trait changes on its owner."""
        before = _at(_species(rows), owner)
        returned = self._call(trait, TraitType.FOOD_REVEALED, hole, before)
        if not (type(returned) in (tuple, list) and len(returned) == 2):
            raise self._wrong(trait, TraitType.FOOD_REVEALED, returned, "a number and a species")
        quantity, after = returned
        numbers = self._changes(trait, TraitType.FOOD_REVEALED, before, after)
        return self._food(trait, TraitType.FOOD_REVEALED, quantity), [Change(owner, numbers)] if numbers else []

    def food_eaten(self, hole: int, rows: Rows, eater: BoardIndex) -> Iterator[tuple[Trait, int]]:
        """Yield every trait that changes the tokens at the watering hole after a meal, with their number."""
        table = _species(rows) if self._code[TraitType.FOOD_EATEN] else ()
        for spot, trait in self._owners(rows, TraitType.FOOD_EATEN):
            returned = self._call(trait, TraitType.FOOD_EATEN, _at(table, eater), hole, _at(table, spot))
            quantity = self._food(trait, TraitType.FOOD_EATEN, returned)
            if quantity != hole:
                hole = quantity
                yield trait, hole

    def _owners(self, rows: Rows, type_: TraitType) -> Iterator[tuple[BoardIndex, Trait]]:
        """Yield the species with traits of a type; one without animals does not act."""
        code = self._code[type_]
        if not code:
            return
        for number, row in enumerate(rows):
            for index, board in enumerate(row):
                for trait in TRAIT_EFFECTS[board.traits].custom:
                    if trait in code and board.population:
                        yield BoardIndex(number, index), trait

    def _call(self, trait: Trait, type_: TraitType, *args: Any) -> Any:
        hook = _hook_name(type_)
        try:
            return getattr(self._code[type_][trait], hook)(*args)
        except (Exception, SystemExit) as error:
            line = self._line(error)
            where = self.file if line is None else f"{self.file}, line {line}"
            why = f"{type(error).__name__}: {single_line(str(error))}"
            raise OperationError(f"{where}: {hook} of the trait {trait.value!r} failed: {why}.") from None

    def _line(self, error: BaseException) -> int | None:
        """Return the innermost line of the file that led to an error."""
        found, traceback = None, error.__traceback__
        while traceback:
            if traceback.tb_frame.f_code.co_filename == self.file:
                found = traceback.tb_lineno
            traceback = traceback.tb_next
        return found

    def _changes(self, trait: Trait, type_: TraitType, before: Species, after: object) -> dict[str, int]:
        """Return the numbers that a returned species has and the given one has not."""
        if not (isinstance(after, Species) and after.is_copy_of(before)):
            raise self._wrong(trait, type_, after, "the species that it got, in the same order, or copies by replace()")
        numbers = {name: getattr(after, name) for name in _NUMBERS}
        for name, number in numbers.items():
            if type(number) is not int:
                raise self._wrong(trait, type_, number, f"whole numbers; this is the {name} of a species")
        return {name: number for name, number in numbers.items() if number != getattr(before, name)}

    def _food(self, trait: Trait, type_: TraitType, quantity: object) -> int:
        """Return a number of tokens; below 0 counts as 0."""
        if type(quantity) is not int or quantity > MOST_FOOD:
            raise self._wrong(trait, type_, quantity, f"tokens as a whole number up to {MOST_FOOD}")
        return max(0, quantity)

    def _wrong(self, trait: Trait, type_: TraitType, returned: object, wanted: str) -> OperationError:
        hook = f"{_hook_name(type_)} of the trait {trait.value!r}"
        return OperationError(f"{self.file}: {hook} returned {short_repr(returned)}; it must return {wanted}.")


def _hook_name(type_: TraitType) -> str:
    """Return the method of a type; a trait class cannot choose another one."""
    hook = TRAIT_BASES[type_].hook
    assert hook is not None, f"{type_} has no hook"
    return hook


def _species(rows: Rows) -> list[list[Species]]:
    table: list[list[Species]] = []
    for row in rows:
        laid: list[Species] = []
        laid += [
            Species(board.food, board.population, board.body, board.fat, [*map(str, board.traits)], laid, index)
            for index, board in enumerate(row)
        ]
        table.append(laid)
    return table


def _at(table: Sequence[Sequence[Species]], spot: BoardIndex) -> Species:
    return table[spot.row][spot.board]


def _find(rows: Rows, table: Sequence[Sequence[Species]], board: SpeciesBoard) -> Species:
    for row, laid in zip(rows, table, strict=True):
        for each, species in zip(row, laid, strict=True):
            if each is board:
                return species
    raise ValueError("a species of an attack is not on the table")
