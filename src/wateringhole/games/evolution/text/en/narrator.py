"""Narration of a game of Evolution in English, turn by turn and phase by phase, as events arrive."""

from __future__ import annotations

from typing import Any

from wateringhole.formatting import escape, pluralize
from wateringhole.game import Forfeit, Outcome, Seat
from wateringhole.games.evolution.rules import events
from wateringhole.games.evolution.rules.species import SpeciesBoard
from wateringhole.games.evolution.text.en.words import describe_species, listed, ordinal, signed, word
from wateringhole.games.evolution.text.narration import EventNarrator

__all__ = ["Narrator"]

_PARTS = {"bag": "in the bag", "population": "for animals", "boards": "for species", "traits": "for traits"}
_WHY_OUT = {
    "exception": "a failing program",
    "late": "answering too late",
    "illegal": "breaking a rule",
    "unreadable": "an unreadable answer",
    "disconnected": "losing the connection",
    "left": "leaving the table",
    "withdrawn": "failing in too many games",
}


class Narrator(EventNarrator):
    """The narrator of one game.  With a seat, it uses only what that seat may see and calls its player "you"."""

    # Cards and boards

    def _turn(self, event: events.TurnStarted) -> list[str]:
        first, *rest = event.order
        then = f", then {listed(self._who(seat) for seat in rest)}" if rest else ""
        self._phase = ""
        return ["", f"[bold]Turn {event.turn}[/bold]: {self._does(first, 'starts', 'start')}{then}."]

    def _board(self, event: events.BoardGiven) -> list[str]:
        # In the first turn every player gets one.
        if self._view.turn == 1:
            return []
        return [f"  {self._does(event.seat, 'has', 'have')} no species left and {self._verb(event, 'get')} a new one."]

    def _cards(self, event: events.CardsDrawn) -> list[str]:
        if event.reason == "turn":
            return []
        if not event.count:
            return ["    The deck has no cards left for that."]
        drawn = pluralize(event.count, "card")
        if event.seat == self._seat and event.cards:
            drawn += f": {listed(f'{word(card.trait)} {signed(card.points)}' for card in event.cards)}"
        return [f"    {self._does(event.seat, 'draws', 'draw')} {drawn}."]

    def _reshuffle(self, event: events.DeckReshuffled) -> list[str]:
        return [f"  {pluralize(event.count, 'spent card')} are shuffled and put under the deck."]

    def _arrange(self, event: events.BoardsArranged) -> list[str]:
        if list(event.order) == sorted(event.order):
            return []
        row = listed(describe_species(self._view.boards_of(event.seat)[index]) for index in event.order)
        return [f"  {self._does(event.seat, 'puts', 'put')} the species in another order: {row}."]

    def _declaration(self, event: events.DeclarationApplied) -> list[str]:
        actions = [self._purchase(event, index) for index in sorted(event.bought)]
        for index, board in enumerate(event.boards):
            if index not in event.bought:
                actions += self._improvements(event, index, board)
        summary = "; ".join(actions) if actions else f"{self._verb(event, 'keep')} the species as they are"
        return [*self._open("The cards are turned over"), f"  {self._who(event.seat, starts=True)} {summary}."]

    def _purchase(self, event: events.DeclarationApplied, index: int) -> str:
        board = event.boards[index]
        animals = f"{pluralize(board.population, 'animal')}, "
        which = ordinal(index)
        article = "an" if which.startswith(("e", "8", "11t", "18t")) else "a"
        return f"{self._verb(event, 'buy')} {article} {which} species ({animals}{describe_species(board)})"

    def _improvements(self, event: events.DeclarationApplied, index: int, board: SpeciesBoard) -> list[str]:
        """Return the changes to a board that was owned before."""
        grown = []
        if index in event.population:
            grown.append(pluralize(board.population, "animal"))
        if index in event.body:
            grown.append(f"body {board.body}")
        changes = [f"{self._verb(event, 'grow')} the {ordinal(index)} species to {listed(grown)}"] if grown else []
        for change in event.replaced:
            if change.board == index:
                instead = f" in place of {word(change.old)}" if change.old else ""
                on = f"on the {ordinal(index)} species"
                changes.append(f"{self._verb(event, 'lay')} {word(change.new)}{instead} {on}")
        return changes

    # The watering hole

    def _food_card(self, event: events.FoodRevealed) -> list[str]:
        worth = signed(event.card.points) if event.card.points else "nothing"
        return [f"    {self._whose(event.seat, starts=True)} food card is worth {worth}: {_hole(event.hole)}."]

    def _cut(self, event: events.FoodCut) -> list[str]:
        return ["  All food cards together are worth less than nothing: the watering hole is empty."]

    def _growth(self, event: events.SpeciesGrew) -> list[str]:
        return [f"  {self._species(event)} is fertile: {pluralize(event.population, 'animal')} now."]

    def _burning(self, event: events.FatBurned) -> list[str]:
        return [
            f"  {self._species(event)} [green]lives on its fat[/green]: {pluralize(event.tokens, 'token')} "
            f"({self._fed(event)}), {event.fat} left in store."
        ]

    def _feeding(self, event: events.SpeciesFed) -> list[str]:
        heading = self._open_feeding() if event.cause == "plants" else []
        indent = "  " if event.cause in ("plants", "long-neck") else "    "
        how = {"cooperation": " by cooperation", "scavenger": " as a scavenger", "long-neck": " with its long neck"}
        return [
            *heading,
            f"{indent}{self._species(event)} [green]eats {event.tokens}[/green]{how.get(event.cause, '')} "
            f"({self._fed(event)}); {_left(event.hole)}.",
        ]

    def _storing(self, event: events.FatStored) -> list[str]:
        return [
            *self._open_feeding(),
            f"  {self._species(event)} [green]stores {event.tokens}[/green] ({event.fat} in store); "
            f"{_left(event.hole)}.",
        ]

    def _passing(self, event: events.PlayerPassed) -> list[str]:
        when = "this time" if self._view.rules.false_reply == "skip" else "for the rest of the turn"
        return [*self._open_feeding(), f"  {self._does(event.seat, 'declines', 'decline')} to feed {when}."]

    # Hunting

    def _attack(self, event: events.SpeciesAttacked) -> list[str]:
        hunter = f"{self._whose(event.seat)} {ordinal(event.board)} species ({describe_species(event.attacker)})"
        victim = f"{self._whose(event.target_seat, starts=True)} {ordinal(event.target)} species"
        return [
            *self._open_feeding(),
            f"  {victim} ({describe_species(event.defender)}) is [red]attacked[/red] by {hunter}.",
        ]

    def _loss(self, event: events.AnimalLost) -> list[str]:
        left = f"{event.population} left"
        if event.cause == "horns":
            return [f"    Its horns [red]kill an animal[/red] of the attacker: {left}."]
        return [f"    It [red]loses an animal[/red]: {left}."]

    def _death(self, event: events.SpeciesDied) -> list[str]:
        match event.cause:
            case "attack":
                return ["    It loses its last animal and [red]dies out[/red]."]
            case "horns":
                return ["    Its horns kill the last animal of the attacker, which [red]dies out[/red]."]
            case "starvation":
                return [f"  {self._species(event)} has not eaten and [red]dies out[/red]."]
            case "never grown":
                return [f"  {self._species(event)} never got an animal and is taken away."]
            case "trait":
                return [f"    {self._species(event)} [red]dies out[/red]."]

    # Custom traits

    def _change(self, event: events.SpeciesChanged) -> list[str]:
        before = self._view.boards_of(event.seat)[event.board]
        changes = [
            f"{name} {getattr(before, name)} → {getattr(event, name)}"
            for name in ("population", "body", "food", "fat")
            if getattr(event, name) != getattr(before, name)
        ]
        return [f"    [yellow]{word(event.trait).capitalize()}[/yellow]: {self._species(event)}: {', '.join(changes)}."]

    def _new_hole(self, event: events.WateringHoleChanged) -> list[str]:
        return [f"    [yellow]{word(event.trait).capitalize()}[/yellow]: {_hole(event.hole)}."]

    # Endings

    def _end_of_feeding(self, event: events.FeedingEnded) -> list[str]:
        return self._open(f"End of turn {self._view.turn}, {_hole(event.hole)}")

    def _shrinking(self, event: events.SpeciesShrank) -> list[str]:
        before = self._view.boards_of(event.seat)[event.board].population
        return [
            f"  {self._species(event)} [red]shrinks[/red] from {before} to {pluralize(event.population, 'animal')}."
        ]

    def _bagging(self, event: events.FoodBagged) -> list[str]:
        food = sum(board.food for board in self._view.boards_of(event.seat))
        if not food:
            return []
        total = "" if event.bag is None else f", {event.bag} in all"
        return [f"  {self._does(event.seat, 'bags', 'bag')} {pluralize(food, 'token')}{total}."]

    def _forfeit(self, event: events.PlayerForfeited) -> list[str]:
        if event.forfeit.reason == "left":
            return [f"  {self._does(event.seat, 'leaves', 'leave')} the table."]
        thrown = f"{self._does(event.seat, 'is', 'are')} [red]thrown out[/red]"
        return [f"  {thrown} for {_why_out(event.forfeit)}."]

    def _end(self, event: events.GameEnded) -> list[str]:
        outcome = event.outcome
        after = f"after {pluralize(self._view.turn, 'turn')}"
        return [
            "",
            f"[bold]The game is over[/bold] {after}: {outcome.reason}.",
            *self._ranking(outcome),
            *(
                f"   -  {self._does(thrown.seat, 'is', 'are')} out for {_why_out(thrown.forfeit)}."
                for thrown in outcome.thrown_out
            ),
        ]

    def _ranking(self, outcome: Outcome) -> list[str]:
        width = max((len(self._names[standing.seat]) for standing in outcome.ranking), default=0)
        lines = []
        for standing in outcome.ranking:
            parts = " + ".join(f"{points} {_PARTS[part]}" for part, points in standing.parts)
            name = self._names[standing.seat]
            mine = " (you)" if standing.seat == self._seat else ""
            score = f"[bold]{standing.score:{3 + width - len(name)}}[/bold]"
            lines.append(f"  {standing.place:2}. [bold]{name}[/bold]{score} = {parts}{mine}")
        return lines

    # Words

    def _open_feeding(self) -> list[str]:
        if self._phase.startswith("Feeding"):
            return []
        return self._open(f"Feeding, {_hole(self._view.hole)}")

    def _who(self, seat: Seat, *, starts: bool = False) -> str:
        if seat == self._seat:
            return "[bold]You[/bold]" if starts else "[bold]you[/bold]"
        return f"[bold]{self._names[seat]}[/bold]"

    def _whose(self, seat: Seat, *, starts: bool = False) -> str:
        if seat == self._seat:
            return "[bold]Your[/bold]" if starts else "[bold]your[/bold]"
        return f"{self._who(seat)}'s"

    def _does(self, seat: Seat, it: str, you: str) -> str:
        """Return the subject and the verb, to start a line."""
        return f"{self._who(seat, starts=True)} {you if seat == self._seat else it}"

    def _verb(self, event: Any, verb: str) -> str:
        return verb if event.seat == self._seat else f"{verb}s"

    def _species(self, event: Any) -> str:
        """Return the species of an event, as it was before the event, to start a line."""
        board = self._view.boards_of(event.seat)[event.board]
        return f"{self._whose(event.seat, starts=True)} {self._ordinal(event)} species ({describe_species(board)})"

    def _ordinal(self, event: Any) -> str:
        return ordinal(self._position(event.seat, event.board))

    def _fed(self, event: events.SpeciesFed | events.FatBurned) -> str:
        return f"{event.food} of {self._view.boards_of(event.seat)[event.board].population} fed"


def _why_out(forfeit: Forfeit) -> str:
    """Return why a player was thrown out, with the message of its forfeit."""
    return f"{_WHY_OUT[forfeit.reason]}: {escape(forfeit.message.rstrip('.'))}"


def _hole(tokens: int) -> str:
    # Below 0 only until the last food card is counted (`food_clamp=total`).
    return "the watering hole is empty" if tokens <= 0 else f"{pluralize(tokens, 'token')} at the watering hole"


def _left(tokens: int) -> str:
    return f"[cyan]{tokens or 'none'}[/cyan] left"
