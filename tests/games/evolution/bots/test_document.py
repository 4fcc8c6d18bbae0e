"""Players written from the request document alone, with plain values."""

from __future__ import annotations

from typing import Any

import pytest

from tests.cli.running import called
from tests.games.evolution.builders import board, cards
from tests.games.tables import declare, feed
from wateringhole.game import Seat
from wateringhole.games.evolution import (
    CARDS,
    PROFILES,
    ArrangeBoards,
    AttackSpecies,
    DocumentPlayer,
    FeedPlants,
    Pass,
    StoreFat,
    deal,
)
from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.games.evolution.kind import KIND
from wateringhole.match.loops import play
from wateringhole.match.match import Match
from wateringhole.player import IllegalAnswer

BOT = '''
from wateringhole.games.evolution import DocumentPlayer


class Bot(DocumentPlayer):
    """A bot with nothing but the values of the document."""

    def place_cards_on_boards(self, cards, boards, player, opponents):
        species, hand, bag = player
        assert species == boards and hand == cards and bag >= 0
        assert all(opponent[1:] == [[], 0] for opponent in opponents)
        # Two different traits that no board has yet, so that no board gets a trait twice.
        held = [name for traits, body, population in boards for tokens, name in traits]
        names = {name: [tokens, name] for tokens, name in cards if name not in held}
        return list(names.values())[:2]

    def select_board_for_card(self, card, boards, player, opponents):
        return max(range(len(boards)), key=lambda index: boards[index][2])

    def trade_cards_for_boards(self, cards, boards, player, opponents):
        return cards[:1] if len(cards) > 2 else []

    def trade_cards_for_body_size(self, cards, boards, player, opponents):
        return cards[:1] if min(body for traits, body, population in boards) < 7 and len(cards) > 1 else []

    def select_board_to_give_body_size(self, boards, player, opponents):
        return min(range(len(boards)), key=lambda index: boards[index][1])

    def trade_cards_for_population(self, cards, boards, player, opponents):
        return cards[:1] if min(population for traits, body, population in boards) < 7 else []

    def select_board_to_give_population(self, boards, player, opponents):
        return min(range(len(boards)), key=lambda index: boards[index][2])

    def select_species_order(self, boards, player, opponents):
        return sorted(range(len(boards)), key=lambda index: boards[index][1])

    def select_species_discarded_cards(self, old_cards, new_cards, board, player, opponents):
        traits, body, population = board
        assert traits == old_cards
        return list(range(len(old_cards) + len(new_cards) - 3))

    def select_attack(self, board, player, opponents):
        safe = {"Burrowing", "Climbing", "Hard Shell", "Herding", "Symbiosis"}
        for index, (species, cards, bag) in enumerate(opponents):
            names = [{name for tokens, name in traits} for traits, body, population in species]
            for target, (traits, body, population) in enumerate(species):
                neighbours = set().union(*names[max(target - 1, 0) : target], *names[target + 1 : target + 2])
                if population and not safe & names[target] and "Warning Call" not in neighbours:
                    self.attacks = getattr(self, "attacks", 0) + 1
                    return [index, target]
        # Only the dealer knows which protection does not hold.
        return super().select_attack(board, player, opponents)

    def game_over(self, players, me):
        self.result = players, me
'''


def bot() -> Any:
    names: dict[str, Any] = {}
    exec(BOT, names)
    return names["Bot"]()


@pytest.mark.parametrize("seed", range(10))
def test_bot_written_from_the_document_plays_complete_games_under_framework(seed: int) -> None:
    play_with_bots(seed)


def test_bot_written_from_the_document_attacks() -> None:
    assert sum(getattr(player, "attacks", 0) for seed in range(10) for player in play_with_bots(seed)) > 10


def play_with_bots(seed: int) -> list[Any]:
    players = [bot(), Silly(), bot()]
    setup = deal(3, PROFILES["framework"], seed)
    match = Match(KIND, setup, event_seats=[Seat(0), Seat(2)])
    play(match, players)
    assert match.outcome is not None
    assert match.outcome.thrown_out == ()
    ranking = match.outcome.ranking
    for seat in (0, 2):
        result, me = players[seat].result
        assert ranking[me].seat == seat
        assert len(result) == len(ranking)
        for (species, _, bag), standing in zip(result, ranking, strict=True):
            parts = dict(standing.parts)
            assert bag == parts["bag"]
            assert sum(population for _, _, population in species) == parts["population"]
            assert sum(len(traits) for traits, _, _ in species) == parts["traits"]
            assert all(-8 <= tokens <= 8 and name.istitle() for traits, _, _ in species for tokens, name in traits)
    return players


@pytest.mark.parametrize("options", [(), ("--time-limit", "10")], ids=["in this process", "isolated"])
def test_bot_in_a_file_plays_with_the_command(options: tuple[str, ...], tmp_path: Any) -> None:
    (tmp_path / "mine.py").write_text(BOT)
    words = ("mine.py:Bot", "silly", "greedy", "--rules", "framework", "--quiet", "--seed", "3")
    ran = called("play", "evolution", *words, *options, folder=tmp_path)
    assert ran.returncode == 0
    assert "thrown out" not in ran.stdout
    assert ran.stderr == ""


HAND = cards((3, "foraging"), (-1, "horns"), (0, "fat-tissue"), (1, "fertile"))


class Scripted(DocumentPlayer):
    """A player that answers with given values and notes the arguments."""

    def __init__(self, **answers: Any) -> None:
        self.asked: dict[str, tuple[Any, ...]] = {}
        for name, answer in answers.items():
            setattr(self, name, lambda *given, name=name, answer=answer: (self.asked.update({name: given}), answer)[1])


def test_arguments_are_plain_values() -> None:
    row = [board("herding", body=2, population=3), board("horns", "climbing", "ambush")]
    player = Scripted(
        place_cards_on_boards=[[0, "Fat Tissue"]], select_board_for_card=1, select_species_discarded_cards=(2,)
    )
    player.arrange(ArrangeBoards(declare(HAND, row, PROFILES["framework"], bag=4).view))
    given, boards, me, opponents = player.asked["place_cards_on_boards"]
    assert given == [[-1, "Horns"], [0, "Fat Tissue"], [1, "Fertile"]]
    # These boards were built without cards.
    second = [[[0, "Horns"], [0, "Climbing"], [0, "Ambush"]], 0, 1]
    assert boards == [[[[0, "Herding"]], 2, 3], second]
    assert me == [boards, given, 4]
    assert [opponent[1:] for opponent in opponents] == [[[], 0], [[], 0]]
    old, new, asked, _, _ = player.asked["select_species_discarded_cards"]
    assert (old, new, asked) == (second[0], [[0, "Fat Tissue"]], second)


NAMES = """
    Ambush, Burrowing, Carnivore, Climbing, Cooperation, Fat Tissue, Fertile, Foraging, Hard Shell, Herding, Horns,
    Long Neck, Pack Hunting, Scavenger, Symbiosis, Warning Call
"""


def test_cards_have_the_names_and_the_tokens_of_the_document() -> None:
    player = Scripted(place_cards_on_boards=[])
    player.choose(declare(CARDS))
    # The food card is the first one with the most tokens.
    held = [*player.asked["place_cards_on_boards"][0], [8, "Carnivore"]]
    tokens: dict[str, list[int]] = {}
    for number, name in held:
        tokens.setdefault(name, []).append(number)
    assert list(tokens) == [name.strip() for name in NAMES.split(",")]
    for name, numbers in tokens.items():
        most = 8 if name == "Carnivore" else 3
        assert sorted(numbers) == list(range(-most, most + 1))


@pytest.mark.parametrize(
    ("answers", "message"),
    [
        ({"trade_cards_for_boards": [[9, "Horns"]]}, "a card of the hand is wanted"),
        ({"trade_cards_for_boards": [[-1, "horns"]]}, "a card of the hand is wanted"),
        ({"trade_cards_for_boards": None}, "a list of cards is wanted"),
        ({"trade_cards_for_boards": [[2, "Horns"]]}, "which is not in the hand"),
        ({"select_food_card": [0]}, "a card of the hand is wanted"),
    ],
)
def test_bad_answer_is_illegal(answers: dict[str, Any], message: str) -> None:
    with pytest.raises(IllegalAnswer, match=message):
        Scripted(**answers).choose(declare(HAND))


def test_feedings_are_plain_values() -> None:
    row = [board(), board("carnivore"), board("fat-tissue", body=5, food=1)]
    request = feed(row, [board(population=2)], hole=3)
    player = Scripted(select_feeding=("store", 2, 2))
    assert player.feed_next(request) == StoreFat(2, 2)
    assert player.asked["select_feeding"][0] == [["feed", 0], ["store", 2, 3], ["hunt", 1]]
    assert Scripted(select_feeding=["hunt", 1]).feed_next(request) == AttackSpecies(1, Seat(1), 0)
    assert Scripted(select_feeding=["hunt", 1], select_attack=[0, 0]).feed_next(request) == AttackSpecies(1, Seat(1), 0)
    assert Scripted(select_feeding=None).feed_next(request) == Pass()
    assert DocumentPlayer().feed_next(request) == FeedPlants(0)
    with pytest.raises(IllegalAnswer, match="none of its choices"):
        Scripted(select_feeding=["eat", 1]).feed_next(request)


def test_targets_are_the_legal_ones() -> None:
    listed = []

    class Hunter(DocumentPlayer):
        def select_attack(self, board: Any, player: Any, opponents: Any) -> Any:
            listed.append(self.targets())
            return self.targets()[-1]

        def select_feeding(self, choices: Any, player: Any, opponents: Any) -> Any:
            with pytest.raises(RuntimeError, match="only in select_attack"):
                self.targets()
            return ["hunt", 0]

    prey = [board("burrowing", food=1), board("burrowing"), board("climbing")]
    request = feed([board("carnivore"), board()], prey, [board()])
    assert Hunter().feed_next(request) == AttackSpecies(0, Seat(2), 0)
    assert listed == [[[0, 1], [1, 0]]]
