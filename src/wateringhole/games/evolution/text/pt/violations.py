"""Descriptions of violations in Portuguese, for humans.  What only a program can do wrong is described in English."""

from __future__ import annotations

from wateringhole.facets import Reader
from wateringhole.game import ReportedViolation, Violation
from wateringhole.games.evolution.rules import violations as broken
from wateringhole.games.evolution.text.en.violations import violation_text as english_text
from wateringhole.games.evolution.text.pt.answers import use
from wateringhole.games.evolution.text.pt.words import card_name, counted, number, player_name, species_of, word

__all__ = ["violation_text"]

_ENDS = {"left": "à esquerda", "right": "à direita", "choice": "à esquerda ou à direita"}


def violation_text(violation: Violation, reader: Reader) -> str:
    """Return a clause without a capital letter and a full stop."""
    if reader.names is None or isinstance(violation, ReportedViolation):
        return english_text(violation, reader)
    return _declaring(violation) or _feeding(violation, reader) or english_text(violation, reader)


def _declaring(violation: Violation) -> str | None:
    match violation:
        case broken.NotAnOrder(_, owned):
            return f"a ordem precisa citar cada uma das espécies de 1 a {owned} uma vez"
        case broken.NoSuchCard(card, held):
            return f"não existe a carta {number(card)}: a mão tem {counted(held, 'carta', 'cartas')}"
        case broken.CardUsedTwice(held, first, second):
            return f"{card_name(held.card)} é usada duas vezes: {use(first)} e {use(second)}"
        case broken.NoFoodCard(hand_is_empty):
            if hand_is_empty:
                return "a mão está vazia: não há carta para a poça"
            return "nenhuma carta vai para a poça"
        case broken.TwoFoodCards(first_card, second_card):
            return f"{card_name(first_card.card)} e {card_name(second_card.card)} vão as duas para a poça"
        case broken.NewBoardSide(_, allowed):
            return f"uma espécie comprada não pode entrar desse lado: ela entra {_ENDS[allowed]}"
        case broken.MostTraitsLaid(most):
            return f"não se põem mais de {counted(most, 'característica', 'características')} por rodada"
        case broken.NoSuchBoard(board, owned, None):
            return f"não existe a espécie {number(board)}: você tem {owned}"
        case broken.NoSuchBoard(board, owned, bought):
            return f"não existe a espécie {number(board)}: você tem {owned} e comprou {bought}"
        case broken.LayOnOldBoard(card, board):
            return (
                f"{card_name(card.card)} não pode ir para a espécie {number(board)}: "
                "uma espécie que já existia só recebe uma característica no lugar de outra"
            )
        case broken.TooManyTraits(board, most):
            return f"a espécie {number(board)} já tem {counted(most, 'característica', 'características')}"
        case broken.EqualTraits(board, trait, at_end):
            would = "acabaria com" if at_end else "teria"
            return f"a espécie {number(board)} {would} {word(trait)} duas vezes"
        case broken.TraitHeldAlready(board, trait):
            return f"a espécie {number(board)} já tem {word(trait)}"
        case broken.NoSuchSlot(board, slot, traits):
            there = counted(traits, "característica", "características")
            return f"a espécie {number(board)} não tem a característica {number(slot)}: ela tem {there}"
        case broken.PopulationLimit(board, most):
            return f"a população da espécie {number(board)} passaria de {most}"
        case broken.BodyLimit(board, most):
            return f"o corpo da espécie {number(board)} passaria de {most}"
    return None


def _feeding(violation: Violation, reader: Reader) -> str | None:
    match violation:
        case broken.NoDeclining():
            return "com estas regras, recusar comida é trapaça"
        case broken.FatOverHole(tokens, hole):
            return f"foram pedidas {tokens} fichas, e a poça tem {hole}"
        case broken.OwnBoard():
            return "um carnívoro não pode atacar as espécies do próprio dono"
        case broken.NoSuchTarget(seat, target):
            who = "você" if seat == reader.seat else player_name(seat, reader)
            return f"{who} não tem a espécie {number(target)}"
        case broken.NoAnimals(attacked):
            return f"{species_of(attacked, reader)} ainda não tem animais"
        case broken.Prevented(attacked):
            return f"uma característica desta partida protege {species_of(attacked, reader)}"
        case broken.Protected(attacked, by):
            return f"{word(by)} protege {species_of(attacked, reader)}"
        case broken.NoFatRoom(board, has_fat_tissue):
            why = "não tem espaço para mais" if has_fat_tissue else "não tem tecido adiposo"
            return f"a espécie {number(board)} {why}"
        case broken.FatRoom(board, room, tokens):
            return f"na espécie {number(board)} cabem de 1 a {room} fichas, não {tokens}"
        case broken.NotACarnivore(board):
            return f"a espécie {number(board)} é herbívora e não pode atacar"
        case broken.NotAVegetarian(board):
            return f"a espécie {number(board)} é carnívora e só come atacando"
        case broken.NotHungry(board, population):
            eaten = "o seu animal já comeu" if population == 1 else f"todos os {population} animais já comeram"
            return f"a espécie {number(board)} está satisfeita: {eaten}"
    return None
