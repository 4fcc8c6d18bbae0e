"""The human player of Evolution in this terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

from rich.console import Console
from rich.rule import Rule

from wateringhole.facets import Reader
from wateringhole.formatting import escape
from wateringhole.game import Answer, Event, Request, Violation, violation_of
from wateringhole.games.evolution.bots.player import Player
from wateringhole.games.evolution.rules.answers import (
    AttackSpecies,
    BoardOrder,
    BuyBoard,
    Declaration,
    Feeding,
    FeedPlants,
    GiveFood,
    GrowBody,
    GrowPopulation,
    LayTrait,
    Pass,
    ReplaceTrait,
    Step,
    StoreFat,
)
from wateringhole.games.evolution.rules.custom_traits import rule_of
from wateringhole.games.evolution.rules.draft import Draft
from wateringhole.games.evolution.rules.options import MOST_PLAYERS
from wateringhole.games.evolution.rules.requests import (
    ArrangeBoards,
    DeclareCards,
    EvolutionRequest,
    FeedNext,
)
from wateringhole.games.evolution.rules.view import View
from wateringhole.games.evolution.rules.violations import Protected, Spot
from wateringhole.games.evolution.terminal_drawing import describe_hand, describe_row, describe_traits, describe_view
from wateringhole.games.evolution.text import TEXT
from wateringhole.games.evolution.text.en.answers import declining, describe_target, effect, feeding, short_use
from wateringhole.games.evolution.text.en.narrator import Narrator
from wateringhole.games.evolution.text.en.words import board_name, describe_species, number, target, word
from wateringhole.player import PlayerLeft, SeatAssignment
from wateringhole.terminal.human import TerminalHuman
from wateringhole.terminal.menu import Choice, Terminal

__all__ = ["Human"]


class Human(TerminalHuman, Player):
    """You, playing in this terminal.  Ctrl-C or the end of input leaves the game."""

    def __init__(self, *, console: Console | None = None, read: Callable[[str], str] | None = None) -> None:
        self._terminal = Terminal(console, read, {"?": self._explain})
        self._names: Sequence[str] = [f"Player {seat}" for seat in range(1, MOST_PLAYERS + 1)]
        self._reader = Reader(tuple(self._names))
        self._narrator = Narrator(self._names)
        self._view: View | None = None

    # Hooks

    def on_seated(self, assignment: SeatAssignment) -> None:
        self._names = assignment.names
        self._reader = Reader(assignment.names, assignment.seat)
        self._narrator = Narrator(assignment.names, assignment.seat)
        self._view = None
        self._has_left = False

    def on_event(self, event: Event) -> None:
        if not self._has_left:
            self._terminal.show(*self._narrator.narrate(event))

    def on_violation(self, violation: Violation) -> None:
        self._terminal.refuse(self._why(violation))

    def answer(self, request: Request[Any], seconds: float | None = None) -> Answer:
        assert isinstance(request, EvolutionRequest)
        self._view = request.view
        self._reader = Reader(tuple(self._names), request.seat)
        self._terminal.forget()
        return super().answer(request, seconds)

    def _explain(self) -> None:
        """Print the meaning of all traits on boards and in the hand."""
        if self._view is not None:
            boards = [board for player in self._view.players for board in player.boards]
            traits = {*(trait for board in boards for trait in board.traits), *(card.trait for card in self._view.hand)}
            self._terminal.show(describe_traits(sorted(traits), self._view.rules))

    # Arranging

    def arrange(self, request: ArrangeBoards) -> BoardOrder:
        boards = request.view.boards
        self._terminal.show("", Rule("Your turn: arrange your species", style="yellow"), describe_row(boards))
        question = "Their order from left to right, for example 2 1 3; Enter keeps it"
        while True:
            words = self._terminal.ask_line(question).split()
            if not words:
                return BoardOrder(tuple(range(len(boards))))
            order = BoardOrder(tuple(int(number) - 1 for number in words if number.isdecimal()))
            if len(order.boards) == len(words) and violation_of(request, order) is None:
                return order
            self._terminal.refuse(f"enter each of the numbers 1 to {len(boards)} once")

    # Choosing cards

    def choose(self, request: DeclareCards) -> Declaration:
        if not request.view.hand:
            # Some rules deal too few cards; without a card for the watering hole no answer is legal.
            self._terminal.show("", "You were dealt no card, but one must go to the watering hole. You forfeit.")
            raise PlayerLeft("had no card for the watering hole")
        draft = request.draft()
        self._terminal.show(
            "",
            describe_view(request.view, self._names),
            Rule("Your turn: choose your cards", style="yellow"),
            "[dim]Several answers fit on one line. ? explains the traits, Ctrl-C leaves the game.[/dim]",
        )
        while True:
            chosen = self._terminal.choose("What do you do", self._step_choices(draft))
            if chosen == "done":
                return draft.declaration()
            if chosen == "undo":
                self._terminal.show(f"  Undone: {self._taken(draft.undo(), draft)}.")
            else:
                assert isinstance(chosen, type)
                step = self._next_step(draft, chosen)
                if step is None:
                    continue
                draft.add(step)
            if not self._terminal.is_ahead:
                uses = {card: short_use(step, self._reader) for card, step in draft.uses.items()}
                self._terminal.show("", describe_row(draft.boards), describe_hand(draft.hand, uses))

    def _next_step(self, draft: Draft, kind: type) -> Step | None:
        """Ask for a legal step of a kind.  Return None if the player goes back."""
        cards = []
        for card, label in enumerate(map(str, draft.hand)):
            problems = [draft.check_step(step) for step in _candidates(draft, kind, card)]
            cards.append(Choice(label, card, why_blocked=self._why_blocked(problems)))
        chosen = self._terminal.choose("With which card", cards, back="back")
        if chosen is None:
            return None
        steps = [
            Choice(
                describe_target(step, draft, self._reader),
                step,
                why_blocked=self._why_blocked([draft.check_step(step)]),
            )
            for step in _candidates(draft, kind, chosen)
        ]
        return steps[0].value if len(steps) == 1 else self._terminal.choose("Where", steps, back="back")

    # Feeding

    def feed_next(self, request: FeedNext) -> Feeding:
        view = request.view
        self._terminal.show("", describe_view(view, self._names), Rule("Your turn: feed a species", style="yellow"))
        while True:
            feeding = self._terminal.choose("What do you feed", [*self._feedings(request)])
            if isinstance(feeding, StoreFat):
                most = feeding.tokens
                if view.rules.fat_over_request == "illegal":
                    most = min(most, view.hole)
                tokens = 1 if most == 1 else self._terminal.ask_number("How many tokens", range(1, most + 1))
                return StoreFat(feeding.board, tokens)
            if not isinstance(feeding, Pass) or view.rules.false_reply == "skip" or self._is_sure():
                assert feeding is not None
                return feeding

    def _is_sure(self) -> bool:
        """Ask for confirmation, because declining cannot be undone."""
        self._terminal.show("  You will not be asked again this turn.")
        return bool(self._terminal.choose("Sure", [Choice("yes", True, "y"), Choice("no", False, "n")]))

    def _feedings(self, request: FeedNext) -> Iterator[Choice[Feeding]]:
        """Yield the legal feedings with their effects, then the blocked ones with the reason, then declining."""
        view = request.view
        for option in request.options:
            yield Choice(f"{self._describe_feeding(view, option)}: {effect(request, option)}", option)
        for index, board in enumerate(view.boards):
            if board.is_carnivore and board.is_hungry:
                yield from self._safe_targets(request, index)
            elif not board.is_hungry and (violation := violation_of(request, FeedPlants(index))):
                full = f"{board_name(index, self._reader)} is full"
                yield Choice(full, FeedPlants(index), why_blocked=self._why(violation))
        refusal = violation_of(request, Pass())
        yield Choice(declining(view.rules), Pass(), "d", why_blocked=self._why(refusal) if refusal else None)

    def _safe_targets(self, request: FeedNext, own: int) -> Iterator[Choice[Feeding]]:
        for player in request.view.opponents:
            for index in range(len(player.boards)):
                attack = AttackSpecies(own, player.seat, index)
                violation = violation_of(request, attack)
                if isinstance(violation, Protected):
                    shield = violation.by
                    meaning = escape(rule_of(shield, request.rules).text(request.rules))
                    victim = escape(target(Spot(player.seat, index), self._reader))
                    yield Choice(
                        f"{victim} is safe from {board_name(own, self._reader)}: {word(shield)}",
                        attack,
                        why_blocked=f"{word(shield)} protects {victim}. {meaning}",
                    )

    def _describe_feeding(self, view: View, option: Feeding) -> str:
        """Return an option in markup, with a description of the attacked species."""
        reader = Reader(tuple(map(escape, self._names)), view.seat)
        phrase = feeding(option, reader, is_offer=True, verb=_coloured)
        if not isinstance(option, AttackSpecies):
            return phrase
        return f"{phrase} ({describe_species(view.boards_of(option.seat)[option.target])})"

    # Steps of a declaration

    def _step_choices(self, draft: Draft) -> list[Choice[type | str]]:
        """Return the kinds of steps, legal or blocked with a reason, and the choices to undo and to declare."""
        legal = {type(step) for step in draft.steps()}
        kinds: list[Choice[type | str]] = []
        for kind, (key, label) in _KINDS.items():
            problems: list[Violation | None] = [None]
            if kind not in legal:
                free = [card for card in range(len(draft.hand)) if card not in draft.uses]
                problems = [draft.check_step(step) for card in free for step in _candidates(draft, kind, card)]
            kinds.append(
                Choice(label, kind, key, self._why_blocked(problems) if problems else "all your cards are used")
            )
        last = f"undo: {self._taken(draft.taken[-1], draft)}" if draft.taken else "undo"
        unfinished = draft.check_complete()
        return [
            *kinds,
            Choice(last, "undo", "z", None if draft.taken else "there is nothing to undo"),
            Choice("declare these choices", "done", "d", self._why(unfinished) if unfinished else None),
        ]

    def _taken(self, step: Step, draft: Draft) -> str:
        """Return a description of a step of the draft, with the number of its card on the screen."""
        card = f"card {number(step.card, self._reader)} ({draft.hand[step.card]})"
        return f"{card}, {short_use(step, self._reader)}"

    def _why_blocked(self, problems: Sequence[Violation | None]) -> str | None:
        """Return in markup why none of several steps is legal, or None if one of them is."""
        first, *_ = problems
        return None if first is None or None in problems else self._why(first)

    def _why(self, violation: Violation) -> str:
        return escape(TEXT.violation(violation, self._reader))


def _coloured(verb: str) -> str:
    return f"[red]{verb}[/red]" if verb == "attacks" else f"[green]{verb}[/green]"


def _candidates(draft: Draft, kind: type, card: int) -> list[Step]:
    """Return all steps of a kind with a card, legal or not."""
    boards = range(len(draft.boards))
    if kind is GiveFood:
        return [GiveFood(card)]
    if kind is BuyBoard:
        chooses = draft.rules.new_board_side == "choice"
        return [BuyBoard(card, "right"), BuyBoard(card, "left")] if chooses else [BuyBoard(card)]
    if kind is LayTrait:
        return [LayTrait(board, card) for board in boards]
    if kind is ReplaceTrait:
        # A board without traits still gets a step for its first slot, so that there is a reason to show.
        slots = [(board, slot) for board in boards for slot in range(max(1, len(draft.boards[board].traits)))]
        return [ReplaceTrait(board, slot, card) for board, slot in slots]
    if kind is GrowPopulation:
        return [GrowPopulation(board, card) for board in boards]
    return [GrowBody(board, card) for board in boards]


_KINDS: dict[type, tuple[str, str]] = {
    GiveFood: ("f", "give a card to the watering hole"),
    BuyBoard: ("n", "buy a new species with a card"),
    LayTrait: ("t", "lay a trait card on a species"),
    ReplaceTrait: ("r", "replace a trait by a card"),
    GrowPopulation: ("p", "trade a card for an animal"),
    GrowBody: ("b", "trade a card for a larger body"),
}
