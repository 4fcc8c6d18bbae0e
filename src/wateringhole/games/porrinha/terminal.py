"""A human who plays Porrinha in this terminal."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from rich.console import Console
from rich.rule import Rule
from rich.table import Table
from rich.text import Text

from wateringhole.formatting import escape, pluralize
from wateringhole.game import Event, Seat
from wateringhole.games.porrinha.bots.player import Player
from wateringhole.games.porrinha.rules.events import GuessSaid, RoundSettled, RoundStarted
from wateringhole.games.porrinha.rules.view import INVALID_GUESS, NO_HAND, NO_SEAT, NOT_PLAYING, PENDING_GUESS
from wateringhole.games.porrinha.text.en import Narrator
from wateringhole.player import SeatAssignment
from wateringhole.terminal.human import TerminalHuman
from wateringhole.terminal.menu import Terminal

__all__ = ["Human"]

MOST_STICKS_DRAWN = 12
"""A larger number of sticks is only printed as a number."""


class Human(TerminalHuman, Player):
    """You, playing in this terminal.  Ctrl-C or the end of input leaves the game."""

    def __init__(self, *, console: Console | None = None, read: Callable[[str], str] | None = None) -> None:
        self._terminal = Terminal(console, read, {"?": self._explain})
        self._stick = "|" if self._terminal.console.options.ascii_only else "┃"
        self._seat = Seat(0)
        self._names: Sequence[str] = ()
        self._narrator = Narrator(())

    def name(self) -> str:
        return "human"

    # Events

    def on_seated(self, assignment: SeatAssignment) -> None:
        seat, names = assignment.seat, assignment.names
        self._seat = seat
        # Names may be equal; the seat distinguishes them.
        self._names = [
            name if names.count(name) == 1 else f"{name} (seat {number})" for number, name in enumerate(names, 1)
        ]
        self._narrator = Narrator(names, seat)
        self._has_left = False
        self._terminal.show(
            "",
            f"You are {escape(names[seat])}, seat {seat + 1} of {len(names)}. "
            "[dim]? explains and shows the table, Ctrl-C leaves.[/dim]",
        )

    def on_event(self, event: Event) -> None:
        if self._has_left:
            return
        match event:
            case RoundStarted():
                self._show_start(event)
            case GuessSaid():
                self._terminal.show(f"  {self._does(event.seat, 'say')} {_guess_text(event.guess)}.")
            case RoundSettled():
                self._show_settling(event)
            case _:
                self._terminal.show(*self._narrator.narrate(event))

    # Requests

    def hand(self) -> int:
        view = self.core.view
        own, lowest = view.chopsticks[self._seat], view.lowest_hand
        # A guess may be typed ahead together with the hand, but input from another round must not count here.
        self._terminal.forget()
        if lowest:
            self._terminal.show("[dim]An empty hand is not allowed in the first round.[/dim]")
        if lowest == own:
            self._terminal.show("  So you hide your only stick.")
            return own

        def why_blocked(number: int) -> str | None:
            if number < lowest:
                return "an empty hand is not allowed in the first round" if number == 0 else "a hand is at least 0"
            return f"you own {pluralize(own, 'stick')}" if number > own else None

        return self._ask_number(f"How many of your sticks do you hide, {lowest} to {own}", why_blocked)

    def guess(self) -> int:
        view = self.core.view
        table, own, said = view.chopstick_count, view.own_hand, view.guess
        others = table - view.chopsticks[self._seat]
        taken = [f"{value} by {self._escaped(seat)}" for seat, value in enumerate(said) if value >= 0]
        hidden = f"{self._drawn(own)} {own}".strip()
        self._terminal.show(f"You hide {hidden}, the others own {others}: the sum is {own} to {own + others}.")
        if taken:
            self._terminal.show(f"Taken: {', '.join(taken)}.")

        def why_blocked(number: int) -> str | None:
            if number < 0:
                return "a sum is at least 0"
            if number > table:
                return f"there are {pluralize(table, 'stick')} on the table"
            return f"{number} was said by {self._escaped(said.index(number))}" if number in said else None

        return self._ask_number(f"How many are in all hands together, 0 to {table}", why_blocked)

    def _ask_number(self, prompt: str, why_blocked: Callable[[int], str | None]) -> int:
        """Ask until `why_blocked` returns no reason, in markup, against the number.  Return the number."""
        while True:
            word = self._terminal.ask(prompt)
            try:
                number = int(word)
            except ValueError:
                self._terminal.refuse(f"{escape(repr(word[:20]))} is not a whole number")
                continue
            why = why_blocked(number)
            if why is None:
                return number
            self._terminal.refuse(why)

    # Showing

    def _explain(self) -> None:
        view = self.core.view
        end = {
            "last_loses": "A player without sticks is safe, and the last one holding any loses.",
            "first_out_wins": "The first player without sticks wins.",
        }[self.core.rules.finish]
        said = {seat: f"says {_guess_text(value)}" for seat, value in enumerate(view.guess) if value not in NO_GUESS}
        self._terminal.show(
            "Every player hides some sticks, or none, and then guesses in turn how many are in all hands together. "
            f"No guess may be repeated. A player who is right gives up a stick. {end} "
            "[dim]2 5 on one line hides two sticks and says five.[/dim]",
            self._table(view.lead, view.chopsticks, _out(view.chopsticks) | said),
        )

    def _show_start(self, event: RoundStarted) -> None:
        lead = "you lead" if event.lead == self._seat else f"{self._escaped(event.lead)} leads"
        heading = f"Round {event.number}: {pluralize(event.chopstick_count, 'stick')} on the table, {lead}"
        self._terminal.show("", Rule(Text.from_markup(heading, emoji=False), style="yellow"))
        # A player without sticks has nothing to decide.
        if event.chopsticks[self._seat]:
            self._terminal.show(self._table(event.lead, event.chopsticks, _out(event.chopsticks)), "")

    def _show_settling(self, event: RoundSettled) -> None:
        notes = {
            seat: f"said {_guess_text(value)}" for seat, value in enumerate(event.guesses) if value not in NO_GUESS
        }
        result = f"The sum is {event.sum}. "
        if event.winner == NO_SEAT:
            result += "Nobody was right."
        else:
            notes[event.winner] += ", [bold green]right[/bold green]"
            result += f"{self._does(event.winner, 'drop')} a stick"
            if not event.left:
                result += f", {event.chopsticks[event.winner]} left."
            else:
                result += " and are safe." if event.winner == self._seat else " and is safe."
        self._terminal.show("", "Hands are open:", self._table(event.lead, event.hands, notes), result)

    def _table(self, lead: int, sticks: Sequence[int], notes: Mapping[int, str]) -> Table:
        """Return a table of the players in guessing order, with the sticks that they own or show."""
        drawn = Table.grid(padding=(0, 2, 0, 0))
        drawn.add_column(width=1)
        # In a narrow terminal the names are shortened.
        drawn.add_column(max_width=30)
        drawn.add_column(no_wrap=True)
        drawn.add_column(no_wrap=True, justify="right")
        drawn.add_column(no_wrap=True)
        seats = range(len(sticks))
        for seat in (*seats[lead:], *seats[:lead]):
            if sticks[seat] != NO_HAND:
                name = Text("You", "bold") if seat == self._seat else Text(self._names[seat])
                name.no_wrap, name.overflow = True, "ellipsis"
                note = Text.from_markup(notes.get(seat, ""), emoji=False)
                drawn.add_row("", name, Text.from_markup(self._drawn(sticks[seat])), str(sticks[seat]), note)
        return drawn

    def _drawn(self, sticks: int) -> str:
        """Return a drawing of sticks, or an empty text if there are too many."""
        return f"[yellow]{self._stick * sticks}[/yellow]" if 0 < sticks <= MOST_STICKS_DRAWN else ""

    def _escaped(self, seat: int) -> str:
        return escape(self._names[seat])

    def _does(self, seat: int, verb: str) -> str:
        """Return a subject and its verb, in markup."""
        return f"You {verb}" if seat == self._seat else f"{self._escaped(seat)} {verb}s"


NO_GUESS = (PENDING_GUESS, NOT_PLAYING)
"""The values of a guess that was not made."""


def _out(chopsticks: Sequence[int]) -> dict[int, str]:
    """Return a note for each seat without sticks."""
    return {seat: "[dim]out[/dim]" for seat, own in enumerate(chopsticks) if not own}


def _guess_text(guess: int) -> str:
    return "nothing that counts" if guess == INVALID_GUESS else str(guess)
