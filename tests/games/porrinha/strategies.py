"""Hypothesis strategies: rules, setups, and games with arbitrary answers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Literal, get_args, get_type_hints

from hypothesis import strategies as st

from wateringhole.game import Event, Forfeit, Seat
from wateringhole.games.porrinha import Core, GuessTotal, NotANumber, Rules, SeriesPlayer, Setup, deal

forfeits = st.builds(
    Forfeit,
    reason=st.sampled_from(["exception", "late", "unreadable", "disconnected", "left"]),
    message=st.text(max_size=5),
)

NAMED_OPTIONS = {
    name: get_args(hint) for name, hint in get_type_hints(Rules).items() if getattr(hint, "__origin__", None) is Literal
}


@st.composite
def rules(draw: st.DrawFn, /, players: int, **fixed: Any) -> Rules:
    sticks = draw(st.integers(1, 4) | st.tuples(*[st.integers(1, 4)] * players))
    named = {name: draw(st.sampled_from(values)) for name, values in NAMED_OPTIONS.items()}
    chosen: dict[str, Any] = {"sticks": sticks, "max_rounds": draw(st.none() | st.integers(1, 30)), **named, **fixed}
    return Rules(**chosen)


@st.composite
def setups(draw: st.DrawFn, /, **fixed: Any) -> Setup:
    players = draw(st.integers(2, 5))
    guests = tuple(SeriesPlayer(number, draw(st.text(max_size=4))) for number in range(players))
    stale = st.tuples(*[st.integers(-3, 9)] * players)
    return deal(
        players,
        draw(rules(players, **fixed)),
        guests=draw(st.sampled_from([(), guests])),
        stale_guesses=draw(st.just(()) | stale),
    )


anything = st.integers(-4, 25) | st.just(NotANumber("2.5"))


def answer(data: st.DataObject, game: Core, seat: Seat, *, failing: bool) -> Any:
    """Draw an answer: usually a legal one, sometimes a bad one or a forfeit."""
    request = game.requests[seat]
    kind = data.draw(st.integers(0, 19))
    if kind == 0 and failing:
        return data.draw(forfeits)
    if kind == 1:
        return data.draw(anything)
    if isinstance(request, GuessTotal) and kind > 14:
        # The true sum, which random guesses would hit too seldom to finish a game.
        return sum(hand for hand in game._hands if hand > 0)
    return data.draw(st.sampled_from(request.options))


def play(data: st.DataObject, game: Core, *, failing: bool = True, most: int = 60) -> Iterator[list[Event]]:
    """Continue a game with drawn answers, to the end or for `most` steps.  Yield the events of each step."""
    for _ in range(most):
        if game.outcome is not None:
            return
        if failing and data.draw(st.integers(0, 29)) == 0:
            seats = data.draw(st.sets(st.integers(0, game.setup.players - 1), min_size=1))
            yield list(game.advance({Seat(seat): data.draw(forfeits) for seat in seats}))
        else:
            yield list(game.advance({seat: answer(data, game, seat, failing=failing) for seat in game.requests}))
