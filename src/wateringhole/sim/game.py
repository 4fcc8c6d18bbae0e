"""The interface of compiled games, and how to look them up.

A game in progress is one row of integers.  Compiled functions over a row return which seat decides
what, mark the legal actions, and apply an action up to the next decision.  Compiled players choose
from the row, too.  The modules that run games (`simulation`, `batch`, the kernels) use only this
interface.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
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

__all__ = ["EXTERNAL", "CompactObservation", "CompiledGame", "Features", "compacted", "compiled_game"]

EXTERNAL = -1
"""The policy of a seat whose actions come from outside."""


@force_inline
def _none(state: Any) -> Any:
    """Return 0, for a fact that a game does not have."""
    return 0


class Features(NamedTuple):
    """Features that a winner may have at the end of a game, which a simulation counts."""

    name: str
    """The field of a result with the shares of games."""
    labels: tuple[str, ...]
    """At most `sums.MOST_FEATURES`, each a bit of `winning`."""
    text: str
    """A phrase for where they are, e.g. ``in the winner's hand``."""


class CompactObservation(NamedTuple):
    """A shorter observation of a game, in small integers, for learning with many games at once."""

    width: int
    """The number of words."""
    dtype: type[np.generic]
    observe: Callable[..., Any]
    """`observe(state, seat, out)` writes the observation of a seat."""


# Compared by identity: there is one object for each game, and caches use it as their key.
@dataclass(frozen=True, kw_only=True, eq=False)
class CompiledGame:
    """A kind of game that can be simulated."""

    name: str
    seats: range
    dtype: type[np.generic]
    state: int
    """The number of words in a row."""
    actions: int
    """The number of actions; each is a number below it."""
    observation: int
    """The number of words in an observation."""
    observation_dtype: type[np.generic] = np.int32
    compact: CompactObservation | None = None
    """The compact observation, or None if there is none."""
    variant: str = ""
    """The name of a variant made by `compacted`."""
    decision_types: tuple[str, ...]
    """The names of the decision types, by number."""
    policies: Mapping[str, int]
    """Compiled players by name."""
    features: Features | None = None
    """The features that `winning` returns, or None if there are none."""
    sources: Path
    """The folder of the game.  Compiled functions are made from modules in it; after a change of one that they import,
    they are compiled again."""
    table: str = ""
    """The tables in memory that the compiled functions read, as text; after a change, they are compiled again.
    The text is the same in every process, so it contains no addresses."""

    options: Mapping[str, OptionEntry]
    """The support for the options of the rules: exactly one entry for every option, in the order of the rules."""
    setup: Callable[[Any, int], npt.NDArray[Any]]
    """`setup(rules, players)` returns the rules as numbers.  Raises UsageError for rules that are not supported."""
    strategy: Callable[[Any, int, Collection[str]], npt.NDArray[np.uint32]]
    """`strategy(rules, players, names)` returns the tables that the compiled players with these names look up."""
    with_policies: Callable[[frozenset[str]], CompiledGame]
    """`with_policies(names)` returns the same game, which needs to support only these compiled players."""

    # Compiled functions.  All values are whole numbers; `state`, `setup`, `mask`, … are one row each.
    deal: Callable[..., Any]
    """`deal(state, setup, seed, game)` starts a game and advances it to the first decision."""
    acting_seat: Callable[..., Any]
    """`acting_seat(state)` returns the seat that decides, or -1 if the game is over."""
    decision_type: Callable[..., Any]
    """`decision_type(state)` returns what that seat decides."""
    legal: Callable[..., Any]
    """`legal(state, mask)` sets the legal actions to true and all others to false."""
    apply: Callable[..., Any]
    """`apply(state, action)` applies a legal action and advances to the next decision, or the end."""
    choose: Callable[..., Any]
    """`choose(state, policy, strategy, seed, game)` returns the action of a compiled player."""
    act: Callable[..., Any]
    """`act(state, policy, strategy, seed, game)` takes all actions that a compiled player chooses for its answer, and
    advances to the next decision, or the end."""
    play: Callable[..., Any]
    """`play(state, setup, policies, strategy, seed, game)` deals and plays a complete game between compiled
    players, with the same result as stepping it.  It need not fill in more of the row than the functions
    for results read."""
    play_out: Callable[..., Any]
    """`play_out(state, known, seat, actions, policies, strategy, seed, game)` samples a state from what a seat
    knows (`known`, as the game's `rollouts` writes it) and plays the game to its end.  The first actions of the
    seat are `actions`, up to a negative number; compiled players play the rest."""
    observe: Callable[..., Any]
    """`observe(state, seat, out)` writes the observation of a seat."""
    place: Callable[..., Any]
    """`place(state, seat)` returns the place in a finished game, from 1."""
    score: Callable[..., Any]
    """`score(state, seat)` returns the score in a finished game."""
    length: Callable[..., Any]
    """`length(state)` returns the turns or rounds so far."""
    decisions: Callable[..., Any]
    """`decisions(state)` returns the number of decisions so far."""
    stopped: Callable[..., Any] = _none
    """`stopped(state)` returns 1 for a game that a limit of the rules ended before all places were decided."""
    overflowed: Callable[..., Any]
    """`overflowed(state)` returns 1 for a game that reached a bound of its row and does not count."""
    winning: Callable[..., Any] = _none
    """`winning(state)` returns the features of the winner, as bits."""
    is_valid: Callable[..., Any]
    """`is_valid(state, setup)` returns whether a row can be a game with this setup.  For a valid row, all functions
    above terminate, and neither read nor write outside of it."""

    def numbers(self, names: Sequence[str]) -> npt.NDArray[np.int32]:
        """Return the numbers of compiled players.  Raises UsageError for a player that is not compiled."""
        known = list(self.policies)
        for name in names:
            if name not in known:  # a list, because the name may not be hashable
                raise UsageError(
                    f"the player {short_repr(name)} is not compiled, so it cannot be simulated; "
                    f"compiled players of {self.name} are {', '.join(self.policies)}."
                )
        return np.array([self.policies[name] for name in names], np.int32)

    def rules(self, given: Any) -> Any:
        """Return the given rules, or the default rules for None.

        Raises UsageError for rules of another game, and for invalid values of options.
        """
        usual = registry.game_kind(self.name).default_rules
        if given is None:
            return usual
        if not isinstance(given, type(usual)):
            wanted = fallbacks.public_name(type(usual))
            raise UsageError(f"these are not rules of {self.name}: {given!r}; give `{wanted}`.")
        check_rules(given)
        return given

    def check_player_count(self, players: int) -> int:
        """Return the number of players.  Raises UsageError if the game takes fewer or more."""
        return whole_number(f"the number of players of {self.name}", players, self.seats[0], self.seats[-1])


@functools.cache
def compacted(game: CompiledGame) -> CompiledGame:
    """Return the same game with its compact observation.  Raises UsageError if it has none."""
    if game.compact is None:
        raise UsageError(f"{game.name} has no compact observations; leave `compact` out.")
    return replace(
        game,
        observation=game.compact.width,
        observation_dtype=game.compact.dtype,
        observe=game.compact.observe,
        variant="compact",
    )


def compiled_game(name: str) -> CompiledGame:
    """Return the compiled game of this name.  Raises UsageError if there is none."""
    kind = registry.game_kind(name)
    fallbacks.check_compiled(kind)
    compiled = kind.compiled and kind.compiled()
    assert isinstance(compiled, CompiledGame), f"{name} offers a {type(compiled).__name__} as its compiled game"
    return compiled
