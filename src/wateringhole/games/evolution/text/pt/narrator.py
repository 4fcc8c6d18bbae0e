"""Narration of a game of Evolution in Portuguese, turn by turn and phase by phase, as events arrive."""

from __future__ import annotations

from typing import Any

from wateringhole.game import Outcome, Seat
from wateringhole.games.evolution.rules import events
from wateringhole.games.evolution.rules.species import SpeciesBoard
from wateringhole.games.evolution.text.narration import EventNarrator
from wateringhole.games.evolution.text.pt.words import animals, counted, describe_species, listed, signed, tokens, word

__all__ = ["Narrator"]

_PARTS = {"bag": "na bolsa", "population": "de animais", "boards": "de espécies", "traits": "de características"}
_WHY_OUT = {
    "exception": "falha do programa",
    "late": "resposta tarde demais",
    "illegal": "quebrar uma regra",
    "unreadable": "resposta ilegível",
    "disconnected": "perder a conexão",
    "left": "sair da mesa",
    "withdrawn": "falhar em partidas demais",
}
_ENDINGS = {
    "too few players are left": "restam poucos jogadores",
    "nobody is left": "não resta ninguém",
    "the deck is too small for another turn": "o baralho não dá para mais uma rodada",
}


class Narrator(EventNarrator):
    """The narrator of one game.  With a seat, it uses only what that seat may see and calls its player "você".

    "Você" takes the same verbs as a name, so a line needs no second form.
    """

    # Cards and species

    def _turn(self, event: events.TurnStarted) -> list[str]:
        first, *rest = event.order
        then = f", depois {listed(self._who(seat) for seat in rest)}" if rest else ""
        self._phase = ""
        return ["", f"[bold]Rodada {event.turn}[/bold]: {self._who(first)} começa{then}."]

    def _board(self, event: events.BoardGiven) -> list[str]:
        # In the first turn every player gets one.
        if self._view.turn == 1:
            return []
        return [f"  {self._subject(event.seat)} não tem mais espécies e recebe uma nova."]

    def _cards(self, event: events.CardsDrawn) -> list[str]:
        if event.reason == "turn":
            return []
        if not event.count:
            return ["    O baralho não tem mais cartas para isso."]
        drawn = counted(event.count, "carta", "cartas")
        if event.seat == self._seat and event.cards:
            drawn += f": {listed(f'{word(card.trait)} {signed(card.points)}' for card in event.cards)}"
        return [f"    {self._subject(event.seat)} compra {drawn}."]

    def _reshuffle(self, event: events.DeckReshuffled) -> list[str]:
        if event.count == 1:
            return ["  1 carta usada vai para baixo do baralho."]
        return [f"  {event.count} cartas usadas são embaralhadas e vão para baixo do baralho."]

    def _arrange(self, event: events.BoardsArranged) -> list[str]:
        if list(event.order) == sorted(event.order):
            return []
        row = listed(describe_species(self._view.boards_of(event.seat)[index]) for index in event.order)
        return [f"  {self._subject(event.seat)} muda a ordem das espécies: {row}."]

    def _declaration(self, event: events.DeclarationApplied) -> list[str]:
        actions = [_purchase(index, event.boards[index]) for index in sorted(event.bought)]
        for index, board in enumerate(event.boards):
            if index not in event.bought:
                actions += _improvements(event, index, board)
        summary = "; ".join(actions) if actions else "mantém as espécies como estão"
        return [*self._open("As cartas são viradas"), f"  {self._subject(event.seat)} {summary}."]

    # The watering hole

    def _food_card(self, event: events.FoodRevealed) -> list[str]:
        worth = f"vale {signed(event.card.points)}" if event.card.points else "não vale nada"
        card = "A [bold]sua[/bold] carta de comida"
        if event.seat != self._seat:
            card = f"A carta de comida de {self._who(event.seat)}"
        return [f"    {card} {worth}: {_hole(event.hole)}."]

    def _cut(self, event: events.FoodCut) -> list[str]:
        return ["  Somadas, as cartas de comida valem menos que nada: a poça está vazia."]

    def _growth(self, event: events.SpeciesGrew) -> list[str]:
        return [f"  {self._species(event)} é fértil: agora tem {animals(event.population)}."]

    def _burning(self, event: events.FatBurned) -> list[str]:
        return [
            f"  {self._species(event)} [green]vive da gordura[/green]: {tokens(event.tokens)} "
            f"({self._fed(event)}), {_stored(event.fat)}."
        ]

    def _feeding(self, event: events.SpeciesFed) -> list[str]:
        heading = self._open_feeding() if event.cause == "plants" else []
        indent = "  " if event.cause in ("plants", "long-neck") else "    "
        how = {"cooperation": " por cooperação", "scavenger": " como carniceira", "long-neck": " com o pescoço longo"}
        return [
            *heading,
            f"{indent}{self._species(event)} [green]come {event.tokens}[/green]{how.get(event.cause, '')} "
            f"({self._fed(event)}); {_left(event.hole)}.",
        ]

    def _storing(self, event: events.FatStored) -> list[str]:
        return [
            *self._open_feeding(),
            f"  {self._species(event)} [green]guarda {event.tokens}[/green] ({_stored(event.fat)}); "
            f"{_left(event.hole)}.",
        ]

    def _passing(self, event: events.PlayerPassed) -> list[str]:
        when = "desta vez" if self._view.rules.false_reply == "skip" else "até o fim da rodada"
        return [*self._open_feeding(), f"  {self._subject(event.seat)} recusa comida {when}."]

    # Hunting

    def _attack(self, event: events.SpeciesAttacked) -> list[str]:
        hunter = f"{self._nth_species(event.seat, event.board)} ({describe_species(event.attacker)})"
        victim = f"A {self._nth_species(event.target_seat, event.target)} ({describe_species(event.defender)})"
        return [*self._open_feeding(), f"  {victim} é [red]atacada[/red] pela {hunter}."]

    def _loss(self, event: events.AnimalLost) -> list[str]:
        left = f"restam {event.population}" if event.population != 1 else "resta 1"
        if event.cause == "horns":
            return [f"    Os chifres dela [red]matam um animal[/red] do atacante: {left}."]
        return [f"    Ela [red]perde um animal[/red]: {left}."]

    def _death(self, event: events.SpeciesDied) -> list[str]:
        match event.cause:
            case "attack":
                return ["    Ela perde o último animal e [red]se extingue[/red]."]
            case "horns":
                return ["    Os chifres dela matam o último animal do atacante, que [red]se extingue[/red]."]
            case "starvation":
                return [f"  {self._species(event)} não comeu e [red]se extingue[/red]."]
            case "never grown":
                return [f"  {self._species(event)} nunca teve um animal e sai do jogo."]
            case "trait":
                return [f"    {self._species(event)} [red]se extingue[/red]."]

    # Custom traits

    def _change(self, event: events.SpeciesChanged) -> list[str]:
        before = self._view.boards_of(event.seat)[event.board]
        labels = {"population": "população", "body": "corpo", "food": "comida", "fat": "gordura"}
        changes = [
            f"{text} {getattr(before, name)} → {getattr(event, name)}"
            for name, text in labels.items()
            if getattr(event, name) != getattr(before, name)
        ]
        return [f"    [yellow]{word(event.trait).capitalize()}[/yellow]: {self._species(event)}: {', '.join(changes)}."]

    def _new_hole(self, event: events.WateringHoleChanged) -> list[str]:
        return [f"    [yellow]{word(event.trait).capitalize()}[/yellow]: {_hole(event.hole)}."]

    # Endings

    def _end_of_feeding(self, event: events.FeedingEnded) -> list[str]:
        return self._open(f"Fim da rodada {self._view.turn}, {_hole(event.hole)}")

    def _shrinking(self, event: events.SpeciesShrank) -> list[str]:
        before = self._view.boards_of(event.seat)[event.board].population
        return [f"  {self._species(event)} [red]encolhe[/red] de {before} para {animals(event.population)}."]

    def _bagging(self, event: events.FoodBagged) -> list[str]:
        food = sum(board.food for board in self._view.boards_of(event.seat))
        if not food:
            return []
        total = "" if event.bag is None else f", {event.bag} no total"
        return [f"  {self._subject(event.seat)} põe {tokens(food)} na bolsa{total}."]

    def _forfeit(self, event: events.PlayerForfeited) -> list[str]:
        if event.forfeit.reason == "left":
            return [f"  {self._subject(event.seat)} sai da mesa."]
        return [f"  {self._subject(event.seat)} é [red]eliminado[/red] por {_WHY_OUT[event.forfeit.reason]}."]

    def _end(self, event: events.GameEnded) -> list[str]:
        outcome = event.outcome
        after = f"depois de {counted(self._view.turn, 'rodada', 'rodadas')}"
        reason = _ENDINGS.get(outcome.reason, "foi a última rodada permitida")
        return [
            "",
            f"[bold]A partida acabou[/bold] {after}: {reason}.",
            *self._ranking(outcome),
            *(
                f"   -  {self._subject(thrown.seat)} está fora por {_WHY_OUT[thrown.forfeit.reason]}."
                for thrown in outcome.thrown_out
            ),
        ]

    def _ranking(self, outcome: Outcome) -> list[str]:
        lines = []
        for standing in outcome.ranking:
            parts = " + ".join(f"{points} {_PARTS[part]}" for part, points in standing.parts)
            mine = " (você)" if standing.seat == self._seat else ""
            name = self._names[standing.seat]
            lines.append(f"  {standing.place:2}. [bold]{name}[/bold] [bold]{standing.score}[/bold] = {parts}{mine}")
        return lines

    # Words

    def _open_feeding(self) -> list[str]:
        if self._phase.startswith("Alimentação"):
            return []
        return self._open(f"Alimentação, {_hole(self._view.hole)}")

    def _who(self, seat: Seat) -> str:
        return f"[bold]{'você' if seat == self._seat else self._names[seat]}[/bold]"

    def _subject(self, seat: Seat) -> str:
        """Return a player, to start a line."""
        return "[bold]Você[/bold]" if seat == self._seat else self._who(seat)

    def _nth_species(self, seat: Seat, board: int) -> str:
        """Return a species without its article, which always is "a"."""
        if seat == self._seat:
            return f"[bold]sua[/bold] {board + 1}ª espécie"
        return f"{board + 1}ª espécie de {self._who(seat)}"

    def _species(self, event: Any) -> str:
        """Return the species of an event, as it was before the event, to start a line."""
        board = self._view.boards_of(event.seat)[event.board]
        return f"A {self._nth_species(event.seat, self._position(event.seat, event.board))} ({describe_species(board)})"

    def _fed(self, event: events.SpeciesFed | events.FatBurned) -> str:
        return f"{event.food} de {self._view.boards_of(event.seat)[event.board].population} com comida"


def _purchase(index: int, board: SpeciesBoard) -> str:
    return f"compra a {index + 1}ª espécie ({animals(board.population)}, {describe_species(board)})"


def _improvements(event: events.DeclarationApplied, index: int, board: SpeciesBoard) -> list[str]:
    """Return the changes to a species that was owned before."""
    grown = []
    if index in event.population:
        grown.append(animals(board.population))
    if index in event.body:
        grown.append(f"corpo {board.body}")
    changes = [f"aumenta a {index + 1}ª espécie para {listed(grown)}"] if grown else []
    for change in event.replaced:
        if change.board == index:
            instead = f" no lugar de {word(change.old)}" if change.old else ""
            changes.append(f"põe {word(change.new)}{instead} na {index + 1}ª espécie")
    return changes


def _hole(count: int) -> str:
    # Below 0 only until the last food card is counted (`food_clamp=total`).
    return "a poça está vazia" if count <= 0 else f"{tokens(count)} na poça"


def _left(count: int) -> str:
    if not count:
        return "não resta [cyan]nada[/cyan]"
    return f"{'resta' if count == 1 else 'restam'} [cyan]{count}[/cyan]"


def _stored(count: int) -> str:
    return counted(count, "guardada", "guardadas")
