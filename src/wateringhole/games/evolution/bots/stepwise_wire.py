"""The step requests of a stepwise player as messages, without input or output.

A declaration takes many step requests, each depending on the answers before it.  `proceed` replays them
from the first one with the answers so far, and stops at the first step request without an answer.  That
repeats a little work, but needs neither threads nor blocking, so programs and connections share it.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Sequence
from typing import Any, get_args

import msgspec

from wateringhole.facets import Question, RawAnswer
from wateringhole.games.evolution.bots.stepwise import Choice, Hunt, StepOrder, StepwisePlayer
from wateringhole.games.evolution.rules import codec
from wateringhole.games.evolution.rules.answers import EvolutionAnswer, FeedPlants, StoreFat
from wateringhole.games.evolution.rules.cards import TraitCard
from wateringhole.games.evolution.rules.custom_traits import CustomTraits
from wateringhole.games.evolution.rules.requests import ArrangeBoards, DeclareCards, EvolutionRequest
from wateringhole.protocol.messages import Unreadable

__all__ = ["proceed", "step_orders"]

step_orders: Sequence[str] = get_args(StepOrder)
"""The orders that a program may select in its hello."""


def proceed(
    request: EvolutionRequest,
    answers: Sequence[RawAnswer],
    earlier: tuple[EvolutionRequest, Sequence[RawAnswer]] | None = None,
    step_order: StepOrder | None = None,
) -> Question | EvolutionAnswer:
    """Return the next step request after these answers, or the complete answer.

    In the document's order, the answers to an earlier request to arrange the boards contain the declaration.
    Raises Unreadable for an answer of the wrong form, and IllegalAnswer for the first one that breaks a rule.
    """
    player = _ScriptedPlayer(answers)
    player.step_order = step_order
    if earlier and isinstance(earlier[0], ArrangeBoards) and isinstance(request, DeclareCards):
        player.replay(*earlier)
    try:
        return request.ask(player)
    except _Unanswered as unanswered:
        return unanswered.question


class _Unanswered(Exception):
    def __init__(self, question: Question) -> None:
        self.question = question


class _ScriptedPlayer(StepwisePlayer):
    """A player that returns the given answers; a pass means the default."""

    def __init__(self, answers: Sequence[RawAnswer]) -> None:
        self._answers = iter(answers)

    def replay(self, request: EvolutionRequest, answers: Sequence[RawAnswer]) -> None:
        """Take the answers to an earlier request, before those to the next."""
        following, self._answers = self._answers, iter(answers)
        request.ask(self)
        self._answers = following

    def next_answer(self, question: str, arguments: dict[str, Any]) -> RawAnswer:
        answer = next(self._answers, None)
        if answer is None:
            raise _Unanswered(Question(question, {name: _to_json(value) for name, value in arguments.items()}))
        return answer


def _index(value: Any, arguments: dict[str, Any]) -> int:
    return codec.natural_from_json(value, "an index")


def _indexes(value: Any, arguments: dict[str, Any]) -> list[int]:
    return codec.list_from_json(value, "index", lambda index: codec.natural_from_json(index, "an index"))


def _target(value: Any, arguments: dict[str, Any]) -> list[int] | None:
    return None if value is None else _indexes(value, arguments)


def _card(value: Any, arguments: dict[str, Any]) -> TraitCard:
    return codec.card_from_json(value, _custom_traits(arguments))


def _cards(value: Any, arguments: dict[str, Any]) -> list[TraitCard]:
    return codec.cards_from_json(value, _custom_traits(arguments))


def _custom_traits(arguments: dict[str, Any]) -> CustomTraits | None:
    return arguments["player"].view.rules.custom_traits or None


def _choice(value: Any, arguments: dict[str, Any]) -> Choice | None:
    """Read an index, an index with fewer tokens, or null."""
    if value is None:
        return None
    choices: Sequence[Choice] = arguments["choices"]
    index, *tokens = _indexes(value, arguments) if type(value) is list and value else [_index(value, arguments)]
    if index >= len(choices):
        raise ValueError(f"the choices are 0 to {len(choices) - 1}, not {index}")
    choice = choices[index]
    if not tokens:
        return choice
    if not isinstance(choice, StoreFat) or len(tokens) > 1:
        raise ValueError("[index, tokens] is for a choice that stores tokens")
    return StoreFat(choice.board, tokens[0])


_READERS: dict[str, Callable[[Any, dict[str, Any]], Any]] = {
    "select_species_order": _indexes,
    "select_food_card": _card,
    "trade_cards_for_boards": _cards,
    "place_cards_on_boards": _cards,
    "select_board_for_card": _index,
    "select_species_discarded_cards": _indexes,
    "trade_cards_for_body_size": _cards,
    "select_board_to_give_body_size": _index,
    "trade_cards_for_population": _cards,
    "select_board_to_give_population": _index,
    "select_feeding": _choice,
    "select_attack": _target,
}
"""The functions that read the answers, by step request."""


def _override(name: str, read: Callable[[Any, dict[str, Any]], Any]) -> None:
    """Override a method of `StepwisePlayer` with one that returns a given answer."""
    default: Callable[..., Any] = getattr(StepwisePlayer, name)
    _, *names = inspect.signature(default).parameters

    def ask(self: _ScriptedPlayer, *given: Any) -> Any:
        arguments = dict(zip(names, given, strict=True))
        answer = self.next_answer(name, arguments)
        if answer.is_pass:
            return default(self, *given)
        try:
            return read(answer.answer, arguments)
        except ValueError as wrong:
            raise Unreadable(f"the answer to {name} cannot be read: {wrong}") from None

    setattr(_ScriptedPlayer, name, ask)


for _name, _read in _READERS.items():
    _override(_name, _read)


def _to_json(argument: Any) -> Any:
    """Return an argument as JSON values, without the rules, which were sent at the start of the game."""
    if isinstance(argument, tuple) and argument and isinstance(argument[0], Choice):
        return [_choice_to_json(choice) for choice in argument]
    plain = msgspec.to_builtins(argument, enc_hook=codec.plain)
    if isinstance(plain, dict) and "view" in plain:
        del plain["view"]["rules"]
    return plain


def _choice_to_json(choice: Choice) -> dict[str, Any]:
    match choice:
        case FeedPlants(board):
            return {"choice": "feed", "board": board}
        case StoreFat(board, tokens):
            return {"choice": "store", "board": board, "tokens": tokens}
        case Hunt(board):
            return {"choice": "hunt", "board": board}
