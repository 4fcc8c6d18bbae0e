"""Scenarios: a game state in the rulebook's notation, an action, and everything that it changed.

``2/4 b3 carnivore`` is food 2, population 4, body 3; `fat1` is a token in store.  Boards of a
row are separated by commas, cards are written ``horns+1``.  Players are called A, B, C, ... by
their seats.  `changes` returns all differences after the action, so a test that compares them
also checks that nothing else has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from tests.games.evolution.builders import COURSE
from wateringhole.game import Seat
from wateringhole.games.evolution import Dealer, Rules, Setup, SpeciesBoard, Trait, TraitCard, card
from wateringhole.games.evolution.rules import codec
from wateringhole.games.evolution.rules.feeding import FeedingRounds
from wateringhole.games.evolution.rules.state import GameState, PlayerState

A, B, C, D = Seat(0), Seat(1), Seat(2), Seat(3)


def species(text: str) -> SpeciesBoard:
    eaten, *parts = text.split()
    food, population = map(int, eaten.split("/"))
    body = fat = 0
    traits = []
    for part in parts:
        if part[0] == "b" and part[1:].isdigit():
            body = int(part[1:])
        elif part[:3] == "fat" and part[3:].isdigit():
            fat = int(part[3:])
        else:
            traits.append(Trait(part))
    return SpeciesBoard(population, body, food, tuple(traits), fat)


def row(text: str) -> list[SpeciesBoard]:
    return [species(board) for board in text.split(",")] if text else []


def hand(text: str) -> list[TraitCard]:
    """Return the cards of a text such as ``horns+1 fat-tissue-3``."""
    return [card(int(word[-2:]), word[:-2]) for word in text.split()]


def show_row(boards: Sequence[SpeciesBoard]) -> str:
    return ", ".join(map(show, boards))


def show(board: SpeciesBoard) -> str:
    words = [f"{board.food}/{board.population}"]
    if board.body:
        words.append(f"b{board.body}")
    if board.fat:
        words.append(f"fat{board.fat}")
    return " ".join([*words, *board.traits])


def show_cards(cards: Sequence[TraitCard]) -> str:
    return " ".join(f"{card.trait}{card.points:+d}" for card in cards)


def name(seat: Seat) -> str:
    return "ABCDEFGH"[seat]


def lay(
    *rows: str,
    hole: int = 0,
    deck: str = "",
    hands: Mapping[str, str] | None = None,
    bags: Mapping[str, int] | None = None,
    rules: Rules = COURSE,
) -> GameState:
    """Return a state with these rows, in turn order."""
    hands, bags = hands or {}, bags or {}
    players = [
        PlayerState(Seat(seat), row(boards), hand(hands.get(name(Seat(seat)), "")), bags.get(name(Seat(seat)), 0))
        for seat, boards in enumerate(rows)
    ]
    return GameState(rules, players, hole, tuple(hand(deck)))


def configuration(state: GameState) -> list[Any]:
    """Return a state as the harnesses read it, with identities from 1."""
    return codec.configuration_to_json(state.full_state(), number)


def number(seat: Seat) -> int:
    """Return the identity of a seat in the harnesses."""
    return seat + 1


def state_of(before: GameState, after: Any) -> GameState:
    """Return the state that a harness has written, with the seats of the state that it read."""
    state, identities = codec.configuration_from_json(after, before.rules)
    for player, identity in zip(state.players, identities, strict=True):
        player.seat = Seat(identity - 1)
    return state


def snapshot(state: GameState) -> dict[str, Any]:
    """Return the parts of a state by name."""
    parts: dict[str, Any] = {
        "hole": state.hole,
        "deck": show_cards(state.deck[len(state.deck) - state.deck_size :]),
        "pile": show_cards(state.pile),
        "order": "".join(name(player.seat) for player in state.players),
    }
    for player in state.players:
        seat = name(player.seat)
        parts |= {
            seat: show_row(player.boards),
            f"{seat} hand": show_cards(player.hand),
            f"{seat} bag": player.bag,
            f"{seat} is owed": player.owed,
        }
    return parts


def changes(state: GameState, act: Callable[[], object]) -> dict[str, Any]:
    """Return the parts of a state that an action changes, with their new values, or None for removed parts."""
    before = snapshot(state)
    act()
    after = snapshot(state)
    return {part: after.get(part) for part in before | after if before.get(part) != after.get(part)}


def before_feeding(state: GameState) -> Dealer:
    """Return a game with this state in its first turn, just before the feeding rounds; `advance({})` starts them."""
    dealer = Dealer(Setup(0, state.rules, (), (), 0))
    dealer.state = state
    dealer.outcome = None
    dealer.turn = 1
    dealer._feeding = FeedingRounds(state, 1)
    return dealer


def feeding_game(state: GameState) -> Dealer:
    """Return a game at the first request of its feeding rounds, or after them if no player is asked."""
    dealer = before_feeding(state)
    dealer.advance({})
    return dealer
