"""Random games: any rules, any number of players, any legal answers, forfeits at any time."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any, Literal, get_args, get_origin, get_type_hints

import msgspec
from hypothesis import strategies as st

from wateringhole.game import Event, Forfeit, Seat, violation_of
from wateringhole.games.evolution import (
    CARDS,
    PROFILES,
    ArrangeBoards,
    BoardOrder,
    Dealer,
    Declaration,
    DeclareCards,
    Feeding,
    FeedNext,
    GiveFood,
    Pass,
    Rules,
    Setup,
    StoreFat,
    deal,
)
from wateringhole.games.evolution.rules.requests import EvolutionRequest

NUMBERS = {
    "hard_shell_gap": range(0, 8),
    "new_board_body_limit": range(0, 8),
    "most_traits_laid": (None, 0, 1, 3),
    "minimum_to_continue": range(1, 4),
    "most_turns": (1, 3, 1000),
}
MOST_ADVANCES = 200
"""Reshuffled cards can keep a game going for a very long time."""


class RandomGame:
    """A game that plays itself; the same seed plays the same game."""

    def __init__(self, setup: Setup, seed: int, forfeits: float) -> None:
        self.setup = setup
        self.rng = random.Random(seed)
        self.forfeits = forfeits

    def __repr__(self) -> str:
        rules = {
            name: value
            for name, value in msgspec.structs.asdict(self.setup.rules).items()
            if value != getattr(Rules(), name)
        }
        return f"<{self.setup.players} players, {len(self.setup.deck)} cards, {rules}, forfeits {self.forfeits}>"

    def advances(self, dealer: Dealer) -> Iterator[list[Event]]:
        """Yield the events of the opening, then those of each advance; the dealer is just after them."""
        yield list(dealer.opening)
        for _ in range(MOST_ADVANCES):
            if dealer.outcome:
                return
            ((asked, request),) = dealer.requests.items()
            answer = random_answer(request, self.rng)
            if self.rng.random() < self.forfeits:
                asked = self.rng.choice(dealer.state.players).seat
                answer = Forfeit("left", "has had enough")
            yield list(dealer.advance({asked: answer}))


def random_answer(request: EvolutionRequest, rng: random.Random) -> Any:
    match request:
        case ArrangeBoards():
            boards = list(range(len(request.view.boards)))
            rng.shuffle(boards)
            return BoardOrder(tuple(boards))
        case DeclareCards():
            return random_declaration(request, rng)
        case FeedNext():
            answer: Feeding = Pass() if rng.random() < 0.05 else rng.choice(request.options)
            if isinstance(answer, StoreFat):
                answer = StoreFat(answer.board, rng.randint(1, min(answer.tokens, request.view.hole)))
            return answer if violation_of(request, answer) is None else request.options[0]


def random_declaration(request: DeclareCards, rng: random.Random) -> Declaration | Forfeit:
    hand = request.view.hand
    if not hand:
        return Forfeit("exception", "there is no card to give")
    draft = request.draft()
    # Mostly the best food: with an empty watering hole little happens.
    richest = max(range(len(hand)), key=lambda index: hand[index].points)
    draft.add(GiveFood(richest if rng.random() < 0.8 else rng.randrange(len(hand))))
    for _ in range(rng.randint(0, len(hand))):
        if steps := draft.steps():
            draft.add(rng.choice(steps))
    while draft.check_complete():
        draft.undo()
    return draft.declaration()


def _values(name: str, hint: Any) -> st.SearchStrategy[Any]:
    bare = get_args(hint)[0]
    if get_origin(bare) is Literal:
        return st.sampled_from(get_args(bare))
    return st.booleans() if bare is bool else st.sampled_from(NUMBERS[name])


_OPTIONS = {
    name: _values(name, hint)
    for name, hint in get_type_hints(Rules, include_extras=True).items()
    if name != "custom_traits"
}


@st.composite
def rules(draw: st.DrawFn) -> Rules:
    """Draw a profile with some options changed."""
    profile = PROFILES[draw(st.sampled_from(sorted(PROFILES)))]
    names = draw(st.lists(st.sampled_from(sorted(_OPTIONS)), max_size=8, unique=True))
    return msgspec.structs.replace(profile, **{name: draw(_OPTIONS[name]) for name in names})


@st.composite
def games(draw: st.DrawFn) -> RandomGame:
    seed = draw(st.integers(0, 2**32))
    size = draw(st.just(len(CARDS)) | st.integers(0, len(CARDS)))
    deck = random.Random(seed).sample(CARDS, size)
    setup = deal(draw(st.integers(3, 8)), draw(rules()), seed, deck)
    return RandomGame(setup, seed, draw(st.sampled_from([0.0, 0.0, 0.02, 0.2])))


def seats(game: RandomGame) -> list[Seat | None]:
    """Return every seat, and None for a spectator."""
    return [*sorted(game.setup.order), None]
