"""Play Evolution with a seventeenth trait: `python -m tests.games.evolution.new_trait referee`, or `kernels`.

The trait's name and row are inserted into the source of the trait table while it is loaded, so no file changes.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import random
import sys
from collections.abc import Sequence
from types import CodeType, ModuleType

MODULE = "wateringhole.games.evolution.rules.traits"
NAME = "webbed-feet"
TEXT = "It can be attacked only from the water."
EDITS = {
    '    WARNING_CALL = "warning-call"\n': f'    WEBBED_FEET = "{NAME}"\n',
    """        shields_neighbours=True,
    ),
""": f"""    Trait.WEBBED_FEET: TraitRule(
        family="defence",
        points=2,
        text=_always("{TEXT}"),
        shields=_climbing,
        cancels=frozenset({{Trait.WEBBED_FEET}}),
        wounds_attacker=1,
        extra_bites=1,
        at_reveal=Effect.FEED,
    ),
""",
}
"""The lines to add, by the line after which they are added."""


class Loader(importlib.machinery.SourceFileLoader):
    """A loader that adds a row to the trait table."""

    def get_code(self, fullname: str) -> CodeType:
        source = self.get_data(self.path).decode()
        for line, addition in EDITS.items():
            assert source.count(line) == 1, f"the trait table has no position for {addition!r}"
            source = source.replace(line, line + addition)
        code: CodeType = self.source_to_code(source.encode(), self.path)
        return code


class Finder(importlib.abc.MetaPathFinder):
    """A finder for the module of the trait table; the usual finders load all other modules."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != MODULE:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path)
        assert spec is not None
        assert spec.origin is not None
        spec.loader = Loader(fullname, spec.origin)
        return spec


def play_with_the_referee() -> None:
    from wateringhole.game import Seat
    from wateringhole.games.evolution import CARDS, PROFILES, Dealer, Rules, SpeciesBoard, Trait, deal
    from wateringhole.games.evolution.bots.greedy import Greedy
    from wateringhole.games.evolution.bots.silly import Silly
    from wateringhole.games.evolution.page.scene import PAGE
    from wateringhole.games.evolution.rulebook import rulebook
    from wateringhole.games.evolution.rules.attacks import Attack, shield_against
    from wateringhole.games.evolution.rules.state import GameState, PlayerState

    trait = Trait(NAME)
    assert [card.points for card in CARDS if card.trait is trait] == [-2, -1, 0, 1, 2]
    assert TEXT in rulebook()
    assert PAGE.texts(Rules())["traits"][NAME]["family"] == "defence"
    feet, hunter = SpeciesBoard(3, 0, 0, (trait,), 0), SpeciesBoard(7, 7, 0, (Trait.CARNIVORE,), 0)
    assert shield_against(Attack(hunter, feet, None, None), Rules()) is trait
    swimmer = SpeciesBoard(7, 7, 0, (Trait.CARNIVORE, trait), 0)
    assert shield_against(Attack(swimmer, feet, None, None), Rules()) is None
    state = GameState(Rules(), [PlayerState(Seat(0), [feet])], 5)
    state.feed(state.players[0], 0, "plants")
    assert (state.players[0].boards[0].food, state.hole) == (2, 3)
    seen = False
    for seed, rules in enumerate(PROFILES.values()):
        game = Dealer(deal(4, rules, seed))
        seats = [Greedy(), Silly(), Greedy(), Silly()]
        while game.outcome is None:
            seat, request = next(iter(game.requests.items()))
            game.advance({seat: request.accept(request.ask(seats[seat]))})  # type: ignore[dict-item]
            seen |= any(trait in board.traits for player in game.state.players for board in player.boards)
    assert seen


def play_with_the_kernels() -> None:
    from tests.games.evolution.compiled.agreement import SideBySide, chance, play, random_setup
    from tests.games.evolution.compiled.test_agreement import play_mixed_game
    from wateringhole.games.evolution import Trait
    from wateringhole.games.evolution.compiled import layout
    from wateringhole.games.evolution.compiled.game import GAME
    from wateringhole.sim import simulate

    assert (layout.TRAITS, layout.CARDS) == (17, 127)
    assert NAME in GAME.table
    assert list(Trait)[16] == NAME
    for seed in range(40):
        rng = random.Random(seed)
        play(SideBySide(random_setup(rng)), chance(rng))
    for name in ("silly", "greedy"):
        for seed in range(10):
            play_mixed_game(seed, name)
    result = simulate("evolution", ["silly", "greedy", "random", "greedy"], games=200, seed=1)
    assert result.traits[NAME] > 0


if __name__ == "__main__":
    sys.meta_path.insert(0, Finder())
    {"referee": play_with_the_referee, "kernels": play_with_the_kernels}[sys.argv[1]]()
