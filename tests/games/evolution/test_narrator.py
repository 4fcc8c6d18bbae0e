"""Narration in English: one whole game as a golden file, and single events."""

from __future__ import annotations

import random
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from rich.text import Text

from tests.games.evolution.builders import COURSE, board, player, rules
from tests.games.evolution.random_games import RandomGame, games, seats
from tests.golden_files import assert_golden
from wateringhole.game import Event, Forfeit, Outcome, Seat, Standing, ThrownOut
from wateringhole.games.evolution import CARDS, Dealer, Rules, Trait, card, deal
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.games.evolution.rules import events as happened
from wateringhole.games.evolution.rules.state import GameState
from wateringhole.games.evolution.text.en.narrator import Narrator

ADA, BEA, CYD = Seat(0), Seat(1), Seat(2)
NAMES = ("Ada", "Bea", "Cyd")


class Renumbering(Narrator):
    """The narrator of older versions: when a species dies out, those to its right change their numbers at once."""

    def _position(self, seat: Seat, board: int) -> int:
        return board


@pytest.mark.parametrize(
    ("narrator", "file"),
    [
        (Narrator(NAMES), "evolution-narration-kept-numbers.txt"),
        (Narrator(NAMES, BEA), "evolution-narration-kept-numbers-seat-2.txt"),
        (Renumbering(NAMES), "evolution-narration.txt"),
        (Renumbering(NAMES, BEA), "evolution-narration-seat-2.txt"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_narration_of_a_short_game(narrator: Narrator, file: str) -> None:
    # A deck with which games of silly players contain most kinds of events.
    dealer = Dealer(deal(3, COURSE, 1, random.Random(1019).sample(CARDS, 48)))
    assert_golden(file, "\n".join(story(dealer, narrator)) + "\n")


def test_species_keep_their_numbers_until_the_end_of_the_turn() -> None:
    narrator = Narrator(NAMES)
    state = GameState(COURSE, [player(0, board(), HORNED, board("ambush"))], hole=0, deck=CARDS)
    narrator.narrate(happened.GameStarted(COURSE, (ADA,), state.deck_size))
    narrator.narrate(happened.TurnStarted(2, (ADA,)))
    for species in state.players[0].boards:
        narrator.narrate(happened.BoardGiven(ADA, species))
    fed = happened.SpeciesFed(ADA, 1, "plants", 1, 1, 0)
    died = happened.SpeciesDied(ADA, 0, "starvation", board(), ())
    last = happened.SpeciesDied(ADA, 1, "starvation", board("ambush"), ())
    ending = [fed, happened.FeedingEnded(0), died, happened.SpeciesShrank(ADA, 0, 1), last]
    lines = [line for event in ending for line in plain(narrator.narrate(event))]
    assert [line.partition(" (")[0] for line in lines[-4:] if "species" in line] == [
        "  Ada's first species",
        "  Ada's second species",
        "  Ada's third species",
    ]
    narrator.narrate(happened.TurnStarted(3, (ADA,)))
    (line,) = [line for line in plain(narrator.narrate(happened.SpeciesGrew(ADA, 0, 3))) if "fertile" in line]
    assert line.startswith("  Ada's first species")


HUNTER = board("carnivore", population=2, body=2)
HORNED = board("horns", population=2, body=3)

CASES: dict[str, tuple[Event, str]] = {
    "an attack": (
        happened.SpeciesAttacked(ADA, 0, HUNTER, BEA, 1, HORNED),
        "Bea's second species (body 3, horns) is attacked by Ada's first species (body 2, carnivore).",
    ),
    "horns": (happened.AnimalLost(ADA, 0, "horns", 1, 0), "Its horns kill an animal of the attacker: 1 left."),
    "a meal": (
        happened.SpeciesFed(BEA, 1, "plants", 1, 1, 4),
        "Bea's second species (body 3, horns) eats 1 (1 of 2 fed); 4 left.",
    ),
    "the last token": (
        happened.SpeciesFed(BEA, 1, "scavenger", 1, 1, 0),
        "Bea's second species (body 3, horns) eats 1 as a scavenger (1 of 2 fed); none left.",
    ),
    "a death": (
        happened.SpeciesDied(BEA, 1, "starvation", HORNED, ()),
        "Bea's second species (body 3, horns) has not eaten and dies out.",
    ),
    "improvements": (
        happened.DeclarationApplied(
            BEA,
            (board(), board("long-neck", population=4, body=4)),
            (),
            (happened.ReplacedTrait(1, 0, Trait.HORNS, Trait.LONG_NECK),),
            (1, 1),
            (1,),
            3,
            None,
            (),
        ),
        "Bea grows the second species to 4 animals and body 4; lays long neck in place of horns on the second species.",
    ),
    "nothing but a food card": (
        happened.DeclarationApplied(BEA, (board(), HORNED), (), (), (), (), 3, None, ()),
        "Bea keeps the species as they are.",
    ),
    "a purchase on the left": (
        happened.DeclarationApplied(BEA, (board("ambush"), board(), HORNED), (0,), (), (), (), 3, None, ()),
        "Bea buys a first species (1 animal, body 0, ambush).",
    ),
    "a food card": (
        happened.FoodRevealed(ADA, card(-3, "horns"), 0),
        "Ada's food card is worth −3: the watering hole is empty.",
    ),
    "an illegal answer": (
        happened.PlayerForfeited(CYD, Forfeit("illegal", "card 4 is used twice: as food and to grow board 1")),
        "Cyd is thrown out for breaking a rule: card 4 is used twice: as food and to grow board 1.",
    ),
    "leaving": (happened.PlayerForfeited(CYD, Forfeit("left", "left the table")), "Cyd leaves the table."),
}


@pytest.mark.parametrize(("event", "line"), CASES.values(), ids=CASES)
def test_narration_of_one_event(event: Event, line: str) -> None:
    narrator = seated(Narrator(NAMES))
    assert plain(narrator.narrate(event))[-1].strip() == line


@pytest.mark.parametrize(
    ("points", "trait", "name"),
    [(-2, "hard-shell", "hard shell −2"), (0, "cooperation", "cooperation 0"), (3, "long-neck", "long neck +3")],
)
def test_cards_are_named_without_hyphens(points: int, trait: str, name: str) -> None:
    drawn = happened.CardsDrawn(BEA, "extinction", 1, (card(points, trait),))
    assert plain(seated(Narrator(NAMES, BEA)).narrate(drawn)) == [f"    You draw 1 card: {name}."]


@pytest.mark.parametrize(
    ("index", "name"),
    [
        (0, "a first"),
        (7, "an eighth"),
        (8, "a ninth"),
        (10, "an 11th"),
        (11, "a 12th"),
        (17, "an 18th"),
        (20, "a 21st"),
    ],
)
def test_a_new_species_has_an_ordinal_with_its_article(index: int, name: str) -> None:
    boards = (board(),) * (index + 1)
    bought = happened.DeclarationApplied(BEA, boards, (index,), (), (), (), 3, None, ())
    assert f"Bea buys {name} species (" in plain(seated(Narrator(NAMES)).narrate(bought))[-1]


def test_narration_for_a_seat_calls_its_player_you() -> None:
    narrator = seated(Narrator(NAMES, BEA))
    attack = happened.SpeciesAttacked(ADA, 0, HUNTER, BEA, 1, HORNED)
    assert plain(narrator.narrate(attack))[-1].strip() == (
        "Your second species (body 3, horns) is attacked by Ada's first species (body 2, carnivore)."
    )
    drawn = happened.CardsDrawn(BEA, "extinction", 2, (card(1, "horns"), card(-2, "ambush")))
    assert plain(narrator.narrate(drawn)) == ["    You draw 2 cards: horns +1 and ambush −2."]
    hidden = happened.CardsDrawn(ADA, "extinction", 1, (card(2, "horns"),))
    assert plain(narrator.narrate(hidden)) == ["    Ada draws 1 card."]


def test_narration_of_the_end_lists_score_parts_and_thrown_out_players() -> None:
    outcome = Outcome(
        "the deck is too small for another turn",
        (
            Standing(BEA, 1, 12, (("bag", 9), ("population", 2), ("traits", 1))),
            Standing(ADA, 2, 3, (("bag", 0), ("population", 2), ("traits", 1))),
        ),
        (ThrownOut(CYD, Forfeit("late", "no answer within 2 s")),),
    )
    assert plain(seated(Narrator(NAMES)).narrate(happened.GameEnded(outcome))) == [
        "",
        "The game is over after 1 turn: the deck is too small for another turn.",
        "   1. Bea 12 = 9 in the bag + 2 for animals + 1 for traits",
        "   2. Ada  3 = 0 in the bag + 2 for animals + 1 for traits",
        "   -  Cyd is out for answering too late: no answer within 2 s.",
    ]


@pytest.mark.parametrize(("false_reply", "when"), [("forfeit", "for the rest of the turn"), ("skip", "this time")])
def test_narration_of_declining_depends_on_the_rules(false_reply: str, when: str) -> None:
    narrator = seated(Narrator(NAMES), rules(false_reply=false_reply))
    assert plain(narrator.narrate(happened.PlayerPassed(ADA)))[-1] == f"  Ada declines to feed {when}."


@given(st.lists(st.text(), min_size=3, max_size=3))
def test_names_are_printed_without_markup(names: list[str]) -> None:
    narrator = seated(Narrator(names))
    (line,) = plain(narrator.narrate(happened.PlayerForfeited(CYD, Forfeit("exception", names[0]))))
    name, message = ("".join(c if c.isprintable() else " " for c in text) for text in (names[2], names[0]))
    assert line == f"  {name} is thrown out for a failing program: {message.rstrip('.')}."


@given(games())
def test_every_game_can_be_narrated_for_every_seat(game: RandomGame) -> None:
    dealer = Dealer(game.setup)
    names = [f"[player {seat}]" for seat in game.setup.order]
    narrators = [Narrator(names, seat) for seat in seats(game)]
    for events in game.advances(dealer):
        for narrator in narrators:
            for event in events:
                for line in narrator.narrate(event):
                    assert "\n" not in Text.from_markup(line).plain
                assert narrator.incidents(event) == []


def story(dealer: Dealer, narrator: Narrator) -> list[str]:
    """Return the narration of a whole game of silly players."""
    silly = Silly()
    events = [*dealer.opening]
    while dealer.requests:
        ((seat, request),) = dealer.requests.items()
        events += dealer.advance({seat: request.ask(silly)})
    return [line for event in events for line in plain(narrator.narrate(event))]


def seated(narrator: Narrator, rules: Rules = COURSE) -> Narrator:
    """Return the narrator in the first turn of a game: Ada has a hunter, Bea two boards, Cyd one."""
    state = GameState(
        rules, [player(0, HUNTER), player(1, board(), HORNED), player(2, board("scavenger"))], hole=5, deck=CARDS
    )
    narrator.narrate(happened.GameStarted(state.rules, (ADA, BEA, CYD), state.deck_size))
    narrator.narrate(happened.TurnStarted(1, (ADA, BEA, CYD)))
    for seat in state.players:
        for given_board in seat.boards:
            narrator.narrate(happened.BoardGiven(seat.seat, given_board))
    return narrator


def plain(lines: Sequence[str]) -> list[str]:
    """Return lines without markup."""
    return [Text.from_markup(line, emoji=False).plain for line in lines]
