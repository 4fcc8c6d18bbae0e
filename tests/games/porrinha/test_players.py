"""Players: the times at which queries are available, and the play of the built-in players."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import msgspec
import pytest

from tests.games.porrinha.builders import only
from wateringhole.game import Notice
from wateringhole.games.porrinha import (
    PROFILES,
    AnswerRepaired,
    Core,
    RoundSettled,
    Rules,
    SeriesPlayer,
    Setup,
    deal,
    next_setup,
)
from wateringhole.games.porrinha.bots.counter import Counter
from wateringhole.games.porrinha.bots.player import Player
from wateringhole.games.porrinha.bots.queries import QueryUnavailable
from wateringhole.games.porrinha.bots.random import Random
from wateringhole.games.porrinha.bots.zero import Zero
from wateringhole.player import PlayerContext


def play(players: Sequence[Player], setup: Setup) -> tuple[Core, list[Any]]:
    """Play a game without a referee.  Exceptions of players propagate."""
    game = Core(setup)
    happened: list[Any] = []
    events = game.opening
    while True:
        happened += events
        for notice in only(events, Notice):
            players[notice.seat].on_notice(notice)
        if game.outcome is not None:
            return game, happened
        answers = {seat: players[seat].answer(request) for seat, request in game.requests.items()}
        events = game.advance(answers)


QUERIES: dict[str, Callable[[Player], object]] = {
    "player_count": lambda player: player.core.player_count(),
    "active_player_count": lambda player: player.core.active_player_count(),
    "chopstick_count": lambda player: player.core.chopstick_count(),
    "chopsticks": lambda player: (player.core.chopsticks(), player.core.chopsticks(0)),
    "guess": lambda player: (player.core.guess(), player.core.guess(0)),
    "valid_guess": lambda player: player.core.valid_guess(0),
    "hand": lambda player: (player.core.hand(), player.core.hand(0)),
    "last_winner": lambda player: player.core.last_winner(),
    "first_guesser": lambda player: player.core.first_guesser(),
    "index": lambda player: player.core.index(player),
    "player": lambda player: player.core.player(0),
    "rules": lambda player: player.core.rules,
}


class Curious(Player):
    """A player that makes every query in every call and keeps the answers."""

    def __init__(self) -> None:
        self.in_factory = {name: self.message_of(query) for name, query in QUERIES.items()}
        self.global_player_count = self.core.global_player_count()
        self.calls: list[str] = []
        self.answers: list[dict[str, object]] = []

    def message_of(self, query: Callable[[Player], object]) -> str:
        with pytest.raises(QueryUnavailable) as raised:
            query(self)
        return str(raised.value)

    def query_everything(self, call: str) -> None:
        self.calls.append(call)
        self.answers.append({name: query(self) for name, query in QUERIES.items()})

    def begin_game(self) -> None:
        self.query_everything("begin_game")

    def hand(self) -> int:
        self.query_everything("hand")
        return 0

    def guess(self) -> int:
        self.query_everything("guess")
        return self.core.index(self)

    def end_round(self) -> None:
        self.query_everything("end_round")

    def end_game(self) -> None:
        self.query_everything("end_game")


@pytest.fixture
def curious() -> list[Curious]:
    with PlayerContext(2):
        return [Curious(), Curious()]


@pytest.mark.parametrize("query", QUERIES)
def test_in_a_factory_only_global_player_count_is_available(curious: list[Curious], query: str) -> None:
    assert query in curious[0].in_factory[query]
    assert "factory" in curious[0].in_factory[query]
    assert curious[0].global_player_count == 2


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("query", QUERIES)
def test_between_games_only_global_player_count_is_available(curious: list[Curious], profile: str, query: str) -> None:
    play(curious, deal(2, PROFILES[profile]))
    assert "between games" in curious[0].message_of(QUERIES[query])
    assert curious[0].core.global_player_count() == 2


def test_global_player_count_is_unavailable_outside_of_a_player_context() -> None:
    with pytest.raises(QueryUnavailable, match="PlayerContext"):
        Random().core.global_player_count()


def test_every_query_is_available_in_every_call(curious: list[Curious]) -> None:
    play(curious, deal(2, Rules(sticks=1)))  # seat 0 guesses 0, which is right, at once
    assert curious[1].calls == ["begin_game", "hand", "guess", "end_round", "end_game"]
    seen = curious[1].answers
    assert [answers["chopsticks"] for answers in seen] == [((1, 1), 1)] * 3 + [((0, 1), 0)] * 2
    assert [answers["guess"] for answers in seen] == [((-1, -1), -1)] * 2 + [((0, -1), 0)] + [((0, 1), 0)] * 2
    assert [answers["hand"] for answers in seen] == [((-1, -1), -1)] * 3 + [((0, 0), 0)] * 2
    assert [answers["last_winner"] for answers in seen] == [-1, -1, -1, 0, 0]
    assert [answers["valid_guess"] for answers in seen] == [True, True, False, False, False]
    assert [answers["active_player_count"] for answers in seen] == [2, 2, 2, 1, 1]
    assert [answers["chopstick_count"] for answers in seen] == [2, 2, 2, 1, 1]
    assert [answers["player_count"] for answers in seen] == [2] * 5
    assert [answers["index"] for answers in seen] == [1] * 5
    assert [answers["first_guesser"] for answers in seen] == [0, 0, 0, 1, 1]


def test_queries_are_available_again_in_the_next_game(curious: list[Curious]) -> None:
    game, _ = play(curious, deal(2, Rules(sticks=1)))
    play(curious, next_setup(game.setup, (), game))
    assert curious[0].calls.count("begin_game") == 2


def test_queries_are_unavailable_after_a_crash_in_end_game() -> None:
    class Sore(Zero):
        def end_game(self) -> None:
            raise RuntimeError("I lost")

    player = Sore(seed=1)
    with pytest.raises(RuntimeError, match="I lost"):
        play([player, Random(seed=1)], deal(2, Rules()))
    with pytest.raises(QueryUnavailable):
        player.core.player_count()


class Records(Random):
    """A player that records the first guesser in every call."""

    def __init__(self, seed: int) -> None:
        super().__init__(seed)
        self.in_round: list[int] = []
        self.next: list[int] = []

    def hand(self) -> int:
        self.in_round.append(self.core.first_guesser())
        return super().hand()

    def guess(self) -> int:
        assert self.core.first_guesser() == self.in_round[-1]
        return super().guess()

    def end_round(self) -> None:
        self.next.append(self.core.first_guesser())

    def end_game(self) -> None:
        assert self.core.first_guesser() == self.next[-1]


@pytest.mark.parametrize("lead_after_win", ["winner", "rotate"])
@pytest.mark.parametrize("seed", range(5))
def test_end_round_knows_the_next_first_guesser(seed: int, lead_after_win: Any) -> None:
    players = [Records(seed + seat) for seat in range(4)]
    _, events = play(players, deal(4, Rules(lead_after_win=lead_after_win)))
    settled = only(events, RoundSettled)
    for seat, player in enumerate(players):
        assert player.next == [event.next_lead for event in settled]
        assert player.in_round == [event.lead for event in settled if event.hands[seat] >= 0]


class Looks(Zero):
    """A player that looks up all players once."""

    def begin_game(self) -> None:
        core = self.core
        self.seats = [core.index(core.player(seat)) for seat in range(core.player_count())]
        self.names = [core.player(seat).name() for seat in range(core.player_count())]
        self.others = [core.index(Random()), core.index(None), core.index(SeriesPlayer(9, "x"))]
        for seat in (-1, core.player_count()):
            for query in (core.chopsticks, core.guess, core.hand, core.player):
                with pytest.raises(IndexError, match="there is no seat"):
                    query(seat)


def test_index_returns_minus_1_for_other_objects() -> None:
    player = Looks(seed=1)
    play([player, Random(seed=1)], deal(2, Rules(), guests=[SeriesPlayer(0, "Ada"), SeriesPlayer(1, "Bia")]))
    assert (player.seats, player.names, player.others) == ([0, 1], ["Ada", "Bia"], [-1, -1, -1])


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize(
    "options", [{}, {"opening_zero": "forbidden"}, {"sticks": 1}, {"taken_guess": "again"}], ids=str
)
@pytest.mark.parametrize("seats", [2, 3, 6])
def test_built_in_players_answer_legally_and_finish(profile: str, options: dict[str, Any], seats: int) -> None:
    makers: list[Callable[..., Player]] = [Random, Counter, Zero]
    players = [makers[seat % 3](seed=seat) for seat in range(seats)]
    setup = deal(seats, msgspec.structs.replace(PROFILES[profile], **options))
    game = None
    for shift in range(5):
        order = [(seat + shift) % seats for seat in range(seats)]
        guests = [(number, players[number].name()) for number in order]
        game, events = play([players[number] for number in order], next_setup(setup, guests, game))
        assert only(events, AnswerRepaired) == []
        assert game.outcome is not None
        assert len(game.outcome.ranking) == seats


@pytest.mark.parametrize("maker", [Random, Zero, Counter])
def test_a_seeded_player_repeats_itself(maker: Callable[..., Player]) -> None:
    first, second = (play([maker(seed=7), maker(seed=8)], deal(2, Rules()))[1] for _ in range(2))
    assert first == second


def test_three_zeros_finish_a_game() -> None:
    game, _ = play([Zero(seed=seat) for seat in range(3)], deal(3, Rules()))
    assert game.outcome is not None


class Shows(Player):
    """A player with the same hand in every round and void guesses."""

    def __init__(self, hand: int) -> None:
        self.shown = hand

    def hand(self) -> int:
        return min(self.shown, self.core.chopsticks(self.core.index(self)))

    def guess(self) -> int:
        return -1


def test_counter_recognizes_opponents_in_other_seats() -> None:
    counter, ones, twos = Counter(seed=3), Shows(1), Shows(2)
    rules = Rules(sticks=3, max_rounds=20)
    guests = [SeriesPlayer(0, "counter"), SeriesPlayer(1, "ones"), SeriesPlayer(2, "twos")]
    for _ in range(5):
        play([counter, ones, twos], deal(3, rules, guests=guests))
    # In another order of seats it is right in its first rounds, so it has no sticks after three.
    game, _ = play([twos, counter, ones], deal(3, rules, guests=[guests[2], guests[0], guests[1]]))
    assert game.outcome is not None
    assert game.outcome.ranking[0].seat == 1
    game, _ = play([twos, ones, counter], deal(3, Rules(max_rounds=3), guests=[guests[2], guests[1], guests[0]]))
    assert game.view(None).chopsticks == (3, 3, 0)


def test_counter_guesses_a_likely_free_sum() -> None:
    counter, twos = Counter(seed=3), Shows(2)
    play([twos, counter], deal(2, Rules(max_rounds=30)))
    game = Core(deal(2, Rules()))
    for notice in only(game.opening, Notice):
        [twos, counter][notice.seat].on_notice(notice)
    hands = {seat: [twos, counter][seat].answer(request) for seat, request in game.requests.items()}
    game.advance(hands)
    taken = sum(hands.values())
    (lead,) = game.requests
    game.advance({lead: taken})
    (request,) = game.requests.values()
    guess = counter.answer(request)
    assert guess != taken
    assert hands[request.seat] <= guess <= hands[request.seat] + 3


@pytest.mark.parametrize("method", ["hand", "guess"])
def test_a_missing_method_is_named(method: str) -> None:
    with pytest.raises(NotImplementedError, match=rf"define {method}\(\)"):
        getattr(Player(), method)()
