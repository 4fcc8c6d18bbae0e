"""What the page says about traits, drafts and feedings, in Portuguese."""

from __future__ import annotations

from wateringhole.facets import Reader
from wateringhole.formatting import sentence
from wateringhole.game import Violation
from wateringhole.games.evolution.rules.answers import Feeding
from wateringhole.games.evolution.rules.attacks import Attack, herd_size, hunting_size
from wateringhole.games.evolution.rules.custom_traits import rule_of
from wateringhole.games.evolution.rules.options import Rules
from wateringhole.games.evolution.rules.traits import Trait
from wateringhole.games.evolution.rules.violations import NoFoodCard, Spot
from wateringhole.games.evolution.text.pt.answers import declining, feeding
from wateringhole.games.evolution.text.pt.violations import violation_text
from wateringhole.games.evolution.text.pt.words import species_of, word

__all__ = ["decline_text", "loss_text", "missing_text", "option_text", "protection_text", "trait_name", "trait_text"]

_TRAIT_TEXTS = {
    Trait.AMBUSH: "Quando ataca, os gritos de alerta das vizinhas do alvo não valem.",
    Trait.BURROWING: "Não pode ser atacada enquanto está satisfeita.",
    Trait.CARNIVORE: "Na alimentação, só come atacando a espécie de outro jogador.",
    Trait.CLIMBING: "Só pode ser atacada por uma espécie que também tenha escalada.",
    Trait.COOPERATION: "Cada ficha que ela come dá uma refeição da poça à vizinha da direita.",
    Trait.FAT_TISSUE: "Pode guardar fichas até o tamanho do corpo; elas viram comida na próxima revelação.",
    Trait.FERTILE: "Ganha um animal quando a comida é revelada.",
    Trait.FORAGING: "A cada refeição pega uma segunda ficha, se a poça tiver e ela ainda estiver com fome.",
    Trait.HERDING: "Só pode ser atacada por uma espécie com população maior.",
    Trait.HORNS: "Quando é atacada, quem ataca perde um animal.",
    Trait.LONG_NECK: "Recebe uma refeição quando a comida é revelada, antes das outras espécies.",
    Trait.PACK_HUNTING: "Quando ataca uma carapaça, seu tamanho é o corpo mais a população.",
    Trait.SCAVENGER: "Recebe uma refeição cada vez que um atacante come, seja qual for a espécie atacada.",
    Trait.WARNING_CALL: "Protege as duas vizinhas, mas não a si mesma, de atacantes sem emboscada.",
}


def trait_name(trait: Trait) -> str:
    return word(trait).capitalize()


def trait_text(trait: Trait, rules: Rules) -> str:
    """Return what a trait does; the text of a trait that a user added is the user's own."""
    if trait is Trait.HARD_SHELL:
        gap = rules.hard_shell_gap
        return f"Só pode ser atacada se o tamanho de quem ataca passar do corpo dela em pelo menos {gap}."
    if trait is Trait.SYMBIOSIS:
        if rules.symbiosis:
            return "Não pode ser atacada enquanto a vizinha da direita tem um corpo maior."
        return "Não tem efeito com estas regras."
    return _TRAIT_TEXTS.get(trait) or rule_of(trait, rules).text(rules)


def missing_text(violation: Violation, reader: Reader) -> str:
    if isinstance(violation, NoFoodCard):
        return "Primeiro ponha uma carta na poça."
    return sentence(violation_text(violation, reader))


def option_text(option: Feeding, reader: Reader) -> str:
    return _capitalized(feeding(option, reader, is_offer=True))


def loss_text(before: int, after: int, strikes_back: bool) -> str:
    return f"{before} → {after}" + (", chifres" if strikes_back else "")


def decline_text(rules: Rules) -> str:
    return _capitalized(declining(rules))


def protection_text(attack: Attack, shield: Trait, victim: Spot, reader: Reader, rules: Rules) -> str:
    return f"{trait_name(shield)} protege {species_of(victim, reader)}. {_why_safe(attack, shield, rules)}"


def _why_safe(attack: Attack, shield: Trait, rules: Rules) -> str:
    """Return what a shield demands of the attacker, with the numbers that it compares."""
    attacker, defender = attack.attacker, attack.defender
    match shield:
        case Trait.HARD_SHELL:
            needed = defender.body + rules.hard_shell_gap
            return f"O tamanho de quem ataca precisa chegar a {needed}; é {hunting_size(attacker, rules)}."
        case Trait.HERDING:
            herd, hunters = herd_size(defender, rules), herd_size(attacker, rules)
            return f"Quem ataca precisa contar mais de {herd}; conta {hunters}."
    return trait_text(shield, rules)


def _capitalized(text: str) -> str:
    """Return a text with a capital first letter."""
    return text[:1].upper() + text[1:]
