"""What to look at before a declaration or a feeding, and what the champion would do.

Everything follows from a request, which contains only what its seat may know.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

from wateringhole.facets import FirstGame, Remark
from wateringhole.game import Seat
from wateringhole.games.evolution.bots.champion.player import Champion
from wateringhole.games.evolution.rules import events
from wateringhole.games.evolution.rules.answers import AttackSpecies, Declaration, FeedPlants, Pass
from wateringhole.games.evolution.rules.attacks import shield_against
from wateringhole.games.evolution.rules.draft import Draft
from wateringhole.games.evolution.rules.options import Rules
from wateringhole.games.evolution.rules.preview import preview
from wateringhole.games.evolution.rules.requests import DeclareCards, EvolutionRequest, FeedNext, attack_on
from wateringhole.games.evolution.rules.species import Row, SpeciesBoard
from wateringhole.games.evolution.rules.view import View
from wateringhole.player import SeatAssignment

__all__ = ["COACH", "EvolutionCoach"]

FOOD_OF_OTHERS: Final = 2
"""The expected points of another player's food card."""


class EvolutionCoach:
    """The coach of Evolution."""

    best_player = "champion"
    first_game = FirstGame(("random", "random"), seed=211, options={"most_turns": 3})

    def remark(self, request: EvolutionRequest) -> Remark:
        if isinstance(request, DeclareCards):
            return next(_before_declaring(request))
        if isinstance(request, FeedNext):
            return next(_before_feeding(request))
        return Remark("arrange")

    def advise(self, rules: Rules, players: int, request: EvolutionRequest) -> Any:
        champion = Champion()
        champion.on_seated(SeatAssignment(request.seat, ("",) * players, rules))
        return request.ask(champion)

    def risk(self, request: EvolutionRequest, answer: Any) -> Remark | None:
        if isinstance(request, DeclareCards) and isinstance(answer, Declaration):
            return next(_risks(request, answer))
        if isinstance(request, FeedNext) and isinstance(answer, AttackSpecies):
            caused = preview(request.view, answer, request.hooks)
            strikes = any(getattr(event, "cause", None) == "horns" for event in caused)
            return Remark("attack_horns" if strikes else "attack", subject=_own_board(request.view, answer.board))
        if isinstance(request, FeedNext) and isinstance(answer, Pass):
            return Remark("decline", {"hungry": _hunger(request.view.boards)})
        return None


COACH: Final = EvolutionCoach()


# ── declarations ──────────────────────────────────────────────────────────────────────────


def _before_declaring(request: DeclareCards) -> Iterator[Remark]:
    """Yield remarks, the most urgent first."""
    view = request.view
    for index, board in enumerate(view.boards):
        if board.is_carnivore and not _has_prey(view, board):
            yield Remark("no_prey", {"board": index + 1}, _own_board(view, index))
    for index in range(len(view.boards)):
        hunter = _hunter_of(view, view.boards, index)
        if hunter is not None:
            yield Remark("danger", {"board": index + 1, "player": hunter}, _own_board(view, index))
    animals = sum(board.population for board in view.boards)
    best = max(range(len(view.hand)), key=lambda card: view.hand[card].points)
    values = {"animals": animals, "hole": view.hole, "points": view.hand[best].points}
    yield Remark("food", values, {"card": best})


def _risks(request: DeclareCards, answer: Declaration) -> Iterator[Remark]:
    """Yield what could be wrong with a declaration, the most likely reason first."""
    view = request.view
    draft = Draft.from_declaration(answer, view.hand, view.boards, view.rules)
    assert isinstance(draft, Draft), "the declaration is legal"
    row = tuple(draft.boards)
    for index, board in enumerate(row):
        if board.is_carnivore and not _has_prey(view, board):
            yield Remark("no_prey", {"board": index + 1}, _own_board(view, index))
    points = view.hand[answer.food_card].points
    animals = sum(board.population for board in row if not board.is_carnivore)
    if animals > max(0, view.hole + points + FOOD_OF_OTHERS * len(view.opponents)) // len(view.players):
        yield Remark("little_food", {"animals": animals, "points": points}, {"card": answer.food_card})
    for index in range(len(row)):
        hunter = _hunter_of(view, row, index)
        if hunter is not None:
            yield Remark("danger", {"board": index + 1, "player": hunter}, _own_board(view, index))
    yield Remark("declaration")


def _has_prey(view: View, hunter: SpeciesBoard) -> bool:
    return any(
        shield_against(attack_on(hunter, player.boards, target), view.rules) is None
        for player in view.opponents
        for target in range(len(player.boards))
    )


def _hunter_of(view: View, row: Row, target: int) -> Seat | None:
    """Return the seat of another player whose carnivore could attack a board of a row, or None if there is none."""
    for player in view.opponents:
        for board in player.boards:
            if board.is_carnivore and shield_against(attack_on(board, row, target), view.rules) is None:
                return player.seat
    return None


# ── feedings ──────────────────────────────────────────────────────────────────────────────


def _before_feeding(request: FeedNext) -> Iterator[Remark]:
    """Yield remarks, the most urgent first."""
    view, options = request.view, request.options
    eaters = [option.board for option in options if isinstance(option, FeedPlants)]
    hunts = [option for option in options if isinstance(option, AttackSpecies)]
    hungry = _hunger(view.boards)
    if eaters and hungry > view.hole:
        board = max(eaters, key=lambda index: view.boards[index].population)
        yield Remark("scarce", {"hungry": hungry, "hole": view.hole}, _own_board(view, board))
    if hunts:
        hunt = min(hunts, key=lambda each: _own_losses(request, each))
        values = {"board": hunt.board + 1, "player": hunt.seat, "target": hunt.target + 1}
        horns = _own_losses(request, hunt) > 0
        yield Remark("hunt_horns" if horns else "hunt", values, {"seat": hunt.seat, "board": hunt.target})
    if eaters:
        yield Remark("eat", {"hole": view.hole}, _own_board(view, eaters[0]))
    yield Remark("store", {"hole": view.hole})


def _own_losses(request: FeedNext, hunt: AttackSpecies) -> int:
    caused = preview(request.view, hunt, request.hooks)
    return sum(isinstance(event, events.AnimalLost | events.SpeciesDied) and event.cause == "horns" for event in caused)


def _hunger(row: Row) -> int:
    return sum(board.population - board.food for board in row)


def _own_board(view: View, index: int) -> dict[str, int | str]:
    assert view.seat is not None, "a request belongs to a seat"
    return {"seat": view.seat, "board": index}
