"""Hypothesis strategies for the pieces of Evolution; whole games are in `tests.games.evolution.random_games`."""

from __future__ import annotations

from typing import Any, get_args

import msgspec
from hypothesis import strategies as st

from tests.games.evolution.random_games import rules
from wateringhole.game import Seat
from wateringhole.games.evolution import CARDS, Draft, Rules, SpeciesBoard, Step, Trait, TraitCard
from wateringhole.games.evolution.rules.options import MOST_BODY, MOST_POPULATION, MOST_TRAITS
from wateringhole.games.evolution.rules.state import GameState, PlayerState


@st.composite
def boards(draw: st.DrawFn) -> SpeciesBoard:
    """Draw a board that keeps its invariants; about half of its traits can cause chains of feedings."""
    population = draw(st.integers(1, MOST_POPULATION))
    body = draw(st.integers(0, MOST_BODY))
    common = st.sampled_from([Trait.CARNIVORE, Trait.COOPERATION, Trait.FORAGING, Trait.SCAVENGER, Trait.FAT_TISSUE])
    traits = draw(st.lists(common | st.sampled_from(Trait), max_size=MOST_TRAITS, unique=True))
    return SpeciesBoard(
        population,
        body,
        draw(st.integers(0, population)),
        tuple(traits),
        draw(st.integers(0, body)),
    )


def rows(most: int = 4) -> st.SearchStrategy[list[SpeciesBoard]]:
    return st.lists(boards(), max_size=most)


def hands(most: int = 7) -> st.SearchStrategy[list[TraitCard]]:
    return st.lists(st.sampled_from(CARDS), max_size=most, unique=True)


@st.composite
def states(draw: st.DrawFn) -> GameState:
    """Draw a state under the course rules during the feeding rounds."""
    players = [PlayerState(Seat(seat), row) for seat, row in enumerate(draw(st.lists(rows(), min_size=2, max_size=4)))]
    return GameState(Rules(), players, draw(st.integers(1, 12)), draw(hands(4)))


@st.composite
def drafts(draw: st.DrawFn) -> Draft:
    """Draw a draft after some of its listed steps, complete or not."""
    under = draw(rules())
    row = draw(rows(3))
    if under.spent_cards != "gone":
        # The cards of the traits are kept; any card with the trait is suitable.
        by_trait = {card.trait: card for card in CARDS}
        row = [msgspec.structs.replace(board, cards=tuple(by_trait[trait] for trait in board.traits)) for board in row]
    draft = Draft(draw(hands()), row, under)
    for _ in range(draw(st.integers(0, len(draft.hand)))):
        if listed := draft.steps():
            draft.add(draw(st.sampled_from(listed)))
    return draft


@st.composite
def any_steps(draw: st.DrawFn) -> Step:
    """Draw a step with small numbers, legal or not."""
    kind = draw(st.sampled_from(get_args(Step)))
    names = kind.__struct_fields__
    parts = {name: draw(_SIDES if name == "side" else _NUMBERS) for name in names}
    step: Step = kind(**parts)
    return step


_SIDES: st.SearchStrategy[Any] = st.sampled_from(["left", "right"])
_NUMBERS: st.SearchStrategy[Any] = st.integers(-1, 8)
