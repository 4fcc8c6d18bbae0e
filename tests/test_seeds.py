"""Drawn seeds are long and secret, and nothing that a player receives reveals a deal."""

from __future__ import annotations

import json
import re
from contextlib import closing
from pathlib import Path

import pytest

import wateringhole as wh
from tests.cli.running import called
from tests.tournaments.tournaments import settings
from wateringhole import registry
from wateringhole.errors import UsageError
from wateringhole.player import InProcess, player_seed
from wateringhole.seeds import check_seed, derived_seed, game_seed, new_seed, parse_seed
from wateringhole.tournaments.jobs import SeriesMaker, players_seed
from wateringhole.tournaments.schedule import PlannedSeries
from wateringhole.tournaments.settings import new_settings
from wateringhole.tournaments.store import Store
from wateringhole.tournaments.tournament import Tournament

DRAWN = "0123456789abcdef0123456789abcdef"


def bits(seed: int | str) -> int:
    assert isinstance(seed, str)
    return 4 * len(re.fullmatch("[0-9a-f]+", seed)[0])  # type: ignore[index]


def test_a_drawn_seed_has_128_bits() -> None:
    drawn = {new_seed() for _ in range(100)}
    assert len(drawn) == 100
    assert {bits(seed) for seed in drawn} == {128}


@pytest.mark.parametrize(
    ("text", "seed"),
    [
        ("7", 7),
        ("-7", -7),
        ("007", 7),
        ("9223372036854775807", 2**63 - 1),
        (DRAWN, DRAWN),
        (DRAWN.upper(), DRAWN),
        ("1" * 32, "1" * 32),
    ],
)
def test_a_seed_is_an_integer_or_was_drawn(text: str, seed: int | str) -> None:
    assert parse_seed(text) == seed


@pytest.mark.parametrize("text", ["", "x", "7.5", "9223372036854775808", DRAWN[1:], DRAWN + "0", f" {DRAWN}"])
def test_other_texts_are_usage_errors(text: str) -> None:
    with pytest.raises(UsageError, match="expected an integer of at most 64 bits, or the 32 hexadecimal digits"):
        parse_seed(text)


@pytest.mark.parametrize("seed", [2**63, "seven", 7.5, None])
def test_other_values_are_usage_errors(seed: object) -> None:
    with pytest.raises(UsageError, match=r"^seed=x: expected an integer"):
        check_seed(seed, "seed=x")  # type: ignore[arg-type]
    if seed is not None:
        with pytest.raises(UsageError, match=r"^seed=.*: expected an integer"):
            wh.play("porrinha", ["zero", "zero"], seed=seed)  # type: ignore[call-overload]


def test_derived_seeds_are_long_and_different() -> None:
    derived = {derived_seed(secret, purpose) for secret in (7, 8, DRAWN) for purpose in ("deal 0 1", "deal 0 2")}
    assert len(derived) == 6
    assert {bits(seed) for seed in derived} == {128}
    assert derived_seed(DRAWN, "deal 0 1") == derived_seed(DRAWN, "deal 0 1")


def test_later_games_of_a_drawn_seed_have_their_own_seeds() -> None:
    seeds = [game_seed(DRAWN, number) for number in range(4)]
    assert seeds[0] == DRAWN
    assert len(set(seeds)) == 4
    assert {bits(seed) for seed in seeds} == {128}


# Tournaments


def test_a_tournament_without_a_seed_deals_from_a_new_secret() -> None:
    kind = registry.game_kind("evolution")
    one, other = (new_settings(kind, ["silly", "greedy", "random"], rules=kind.default_rules) for _ in range(2))
    assert bits(one.seed) == bits(other.seed) == 128
    players = [InProcess() for _ in range(3)]
    deals = [SeriesMaker(chosen).make(PlannedSeries(4, (0, 1, 2), 3, 1), players).seeds for chosen in (one, other)]
    assert len({*deals[0], *deals[1]}) == 6
    assert {bits(seed) for seeds in deals for seed in seeds} == {128}


def test_series_of_a_block_are_dealt_once_with_nonces_of_their_own() -> None:
    kind = registry.game_kind("evolution")
    maker = SeriesMaker(new_settings(kind, ["silly"] * 3, rules=kind.default_rules))
    block, tables = (0, 0, 1), ((0, 1, 2), (1, 2, 0), (0, 1, 2))
    one, other, next_block = (
        maker.make(PlannedSeries(number, table, 3, deals), [InProcess() for _ in table])
        for number, (table, deals) in enumerate(zip(tables, block, strict=True))
    )
    assert one.shared_deals is other.shared_deals
    assert set(one.nonces).isdisjoint(other.nonces)
    assert set(one.seeds).isdisjoint(next_block.seeds)


LISTENER = """
import json
from pathlib import Path

from wateringhole.games.evolution.bots.silly import Silly
from wateringhole.registry import game_kind

LOG = Path(__file__).with_suffix(".log")


class Listener(Silly):
    \"\"\"Writes down everything that it receives.\"\"\"

    wants_events = True

    def __init__(self, seed):
        super().__init__()
        self.log("seed", seed)

    def log(self, *what):
        with LOG.open("a") as file:
            print(*what, file=file)

    def on_seated(self, assignment):
        self.log("seated", assignment)

    def answer(self, request, seconds=None):
        self.log("request", json.dumps(game_kind("evolution").codec.request_to_json(request)))
        return super().answer(request, seconds)

    def on_notice(self, notice):
        self.log("notice", notice)
        super().on_notice(notice)

    def on_event(self, event):
        self.log("event", event)
"""


@pytest.mark.parametrize("seed", [12345678987654321, DRAWN])
@pytest.mark.parametrize("time_limit", [None, 20.0])
def test_no_seed_reaches_a_player_and_no_secret_reaches_a_record(
    seed: int | str, time_limit: float | None, tmp_path: Path
) -> None:
    bot = tmp_path / "listener.py"
    bot.write_text(LISTENER)
    players = (f"{bot}:Listener", "silly", "greedy")
    chosen = settings(*players, game="evolution", games=6, life=2, seed=seed, time_limit=time_limit)
    with closing(Store(tmp_path / "store.sqlite")) as store:
        played = Tournament.start(store, chosen)
        played.play()
        results = list(store.results(played.number))
        records = [store.record(played.number, each.series, each.game).decode() for each in results]
    secrets = [str(seed), *(derived_seed(seed, f"deal 0 {game}") for game in range(2))]
    heard = bot.with_suffix(".log").read_text()
    assert len(records) == heard.count("seated") == 6
    assert heard.count("request") > 20
    assert heard.count("event") > 20
    for secret in secrets:
        assert secret not in heard
        assert all(secret not in record for record in records)
    # Each life has its own seed, which does not follow from the deals.
    given = [int(line.split()[1]) for line in heard.splitlines() if line.startswith("seed")]
    lives = [PlannedSeries(number, (), 2, 0) for number in range(3)]
    of_lives = {player_seed(players_seed(chosen, each), seat) for each in lives for seat in range(3)}
    assert len({*given} & of_lives) == 3


def test_a_given_seed_gives_the_same_tournament() -> None:
    def decks(seed: int | str | None) -> list[tuple[int, ...]]:
        result = wh.tournament("evolution", ["silly", "greedy", "random"], games=3, life=1, seed=seed)
        return [game.scores for game in result.games]  # type: ignore[misc]

    for seed in (7, DRAWN):
        assert decks(seed) == decks(seed)
    assert decks(None) != decks(None)


# Commands


def test_play_shows_a_drawn_seed_that_repeats_the_game() -> None:
    words = ("play", "evolution", "silly", "random", "greedy", "--json")
    first = json.loads(called(*words).stdout)
    assert bits(first["seed"]) == 128
    again = json.loads(called(*words, "--seed", first["seed"]).stdout)
    assert again["ranking"] == first["ranking"]
    assert again["seed"] == first["seed"]
    assert bits(json.loads(called(*words).stdout)["seed"]) == 128


def test_a_human_sees_the_seed_after_the_game() -> None:
    ran = called("play", "porrinha", "human", "zero", "--rules", "sticks=1", "--seed", DRAWN, stdin="0\n0\n" * 99)
    before, seed, after = ran.stdout.partition(DRAWN)
    assert seed
    assert "Round 1" in before
    assert "place" in after


def test_an_unknown_seed_exits_with_2() -> None:
    ran = called("play", "porrinha", "zero", "zero", "--seed", "seven")
    assert ran.returncode == 2
    assert "--seed 'seven': expected an integer of at most 64 bits, or the 32 hexadecimal digits" in ran.stderr
