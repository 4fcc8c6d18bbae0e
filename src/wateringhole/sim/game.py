"""The promise every compiled game keeps, and where to find the games.

A game in progress is one row of integers.  Functions over a row, all compiled, say who decides
what, which choices are legal, take one choice and go on; players that are compiled too choose
in place.  Everything here that runs games (`simulation`, `batch`, the kernels) knows them by
this promise alone.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from wateringhole import fallbacks, registry
from wateringhole.errors import UsageError
from wateringhole.formatting import short_repr
from wateringhole.options import check_rules
from wateringhole.sim.arguments import whole_number
from wateringhole.sim.kernel import force_inline
from wateringhole.sim.options import OptionEntry

__all__ = ["EXTERNAL", "CompiledGame", "Features", "compiled_game"]

EXTERNAL = -1
"""In place of a compiled player: whoever steps the game chooses."""


@force_inline
def _none(state: Any) -> Any:
    """What a game does not have."""
    return 0


class Features(NamedTuple):
    """What a winner may have at the end of a game; a simulation counts how often."""

    name: str
    """The field of a result that holds the shares."""
    labels: tuple[str, ...]
    """At most `sums.MOST_FEATURES`, each a bit of `winning`."""
    text: str
    """Where they are found, e.g. ``in the winner's hand``."""


# By identity: there is one of each, and what is compiled for it is kept.
@dataclass(frozen=True, kw_only=True, eq=False)
class CompiledGame:
    """A kind of game that is simulated."""

    name: str
    seats: range
    dtype: type[np.generic]
    state: int
    """Words of a row."""
    actions: int
    """A choice is a number below this."""
    observation: int
    """Numbers of an observation."""
    decision_types: tuple[str, ...]
    """Types of decisions by number."""
    policies: Mapping[str, int]
    """Compiled players by name."""
    features: Features | None = None
    """What `winning` counts, or None if it counts nothing."""
    sources: Path
    """The folder of all modules that its compiled functions are made from: after a change they are compiled again."""
    table: str = ""
    """What the compiled functions read from tables in memory, as text: after a change of it they are compiled again.
    It is the same in every process, and so names no addresses."""

    options: Mapping[str, OptionEntry]
    """How each option of the rules is supported: exactly one entry for every option, in the order of the rules."""
    setup: Callable[[Any, int], npt.NDArray[Any]]
    """`setup(rules, players)`: the rules as numbers.  Raises UsageError for those that are not supported."""
    strategy: Callable[[Any, int, Collection[str]], npt.NDArray[np.uint32]]
    """`strategy(rules, players, names)`: what the compiled players of these names look up."""
    with_policies: Callable[[frozenset[str]], CompiledGame]
    """`with_policies(names)`: the same game, which need not know other compiled players than these."""

    # Compiled.  Everything is a whole number, and `state`, `setup`, `mask`, … are one row each.
    deal: Callable[..., Any]
    """`deal(state, setup, seed, game)` begins a game and goes on to the first decision."""
    acting_seat: Callable[..., Any]
    """`acting_seat(state)`: the seat that decides; -1: the game is over."""
    decision_type: Callable[..., Any]
    """`decision_type(state)`: what it decides."""
    legal: Callable[..., Any]
    """`legal(state, mask)` sets the legal choices to true and all others to false."""
    apply: Callable[..., Any]
    """`apply(state, action)` takes a legal choice and goes on to the next decision, or the end."""
    choose: Callable[..., Any]
    """`choose(state, policy, strategy, seed, game)`: what a compiled player would choose."""
    play: Callable[..., Any]
    """`play(state, setup, policies, strategy, seed, game)` deals and plays a whole game between compiled
    players, as dealing and choosing in turn would; of the row, what the following ask is filled in."""
    play_out: Callable[..., Any]
    """`play_out(state, known, seat, actions, policies, strategy, seed, game)` plays to the end a game of which
    a seat knows only a part (`known`, as the game's `rollouts` write it): what the seat does not see is dealt
    anew, its first choices are `actions`, up to a negative number, and then compiled players go on."""
    observe: Callable[..., Any]
    """`observe(state, seat, out)`: what a seat may see."""
    place: Callable[..., Any]
    """`place(state, seat)` of a finished game, from 1."""
    score: Callable[..., Any]
    """`score(state, seat)`."""
    length: Callable[..., Any]
    """`length(state)`: turns or rounds."""
    decisions: Callable[..., Any]
    """`decisions(state)` taken so far."""
    stopped: Callable[..., Any] = _none
    """`stopped(state)`: 1 for a game that a limit of the rules ended before all places were decided."""
    overflowed: Callable[..., Any]
    """`overflowed(state)`: 1 for a game that met a bound of its row and does not count."""
    winning: Callable[..., Any] = _none
    """`winning(state)`: the features of the winner, as bits."""
    is_valid: Callable[..., Any]
    """`is_valid(state, setup)`: whether a row can be a game that was set up so.  Of any row that fits, all of the
    above may be asked: they come to an end, and neither read nor write beyond it."""

    def numbers(self, names: Sequence[str]) -> npt.NDArray[np.int32]:
        """Compiled players by their numbers.  Raises UsageError for one that is not compiled."""
        known = list(self.policies)
        for name in names:
            if name not in known:  # a list, so that anything can be asked for
                raise UsageError(
                    f"the player {short_repr(name)} is not compiled, so it cannot be simulated; "
                    f"compiled players of {self.name} are {', '.join(self.policies)}."
                )
        return np.array([self.policies[name] for name in names], np.int32)

    def rules(self, given: Any) -> Any:
        """The rules to play by, the usual ones if none are given.

        Raises UsageError for those of another game, and for values that no option takes.
        """
        usual = registry.game_kind(self.name).default_rules
        if given is None:
            return usual
        if not isinstance(given, type(usual)):
            wanted = fallbacks.public_name(type(usual))
            raise UsageError(f"these are no rules of {self.name}: {given!r}; give `{wanted}`.")
        check_rules(given)
        return given

    def seated(self, players: int) -> int:
        """So many players.  Raises UsageError where they are too few or too many for the game."""
        return whole_number(f"the number of players of {self.name}", players, self.seats[0], self.seats[-1])


def compiled_game(name: str) -> CompiledGame:
    """A compiled game by name."""
    kind = registry.game_kind(name)
    fallbacks.check_compiled(kind)
    compiled = kind.compiled and kind.compiled()
    assert isinstance(compiled, CompiledGame), f"{name} offers a {type(compiled).__name__} as its compiled game"
    return compiled
