"""Sampled states of Porrinha are consistent with the view, and rollouts give the exactly known values."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import pytest

from tests.games.porrinha.compiled.agreement import Pair, random_answer, random_setup
from wateringhole.errors import UsageError
from wateringhole.game import Seat
from wateringhole.games.porrinha import NO_SEAT, Core, GuessTotal, HideSticks, Rules, deal
from wateringhole.games.porrinha.bots.zero import _nearest_free
from wateringhole.games.porrinha.compiled import RolloutResult, SampledState, layout, rollout, sample_state
from wateringhole.games.porrinha.solver import solution as solving

# Words that a view does not contain: the hidden hands, the number of decisions, the later hands of
# players who are out, the order in which they left, and the number of refused guesses.
UNSEEN = (
    layout.SUM,
    layout.DECISIONS,
    layout.REFUSED,
    *(start + seat for start in (layout.HAND, layout.ABSENT, layout.PLACE) for seat in range(layout.MOST_PLAYERS)),
)


def decisions(seed: int) -> Iterator[tuple[Pair, Seat]]:
    """Yield every first hand and every guess of some games with random rules and answers."""
    rng = random.Random(seed)
    for _ in range(40):
        pair = Pair(random_setup(rng))
        answer = random_answer(rng, bad=0.05)
        for _ in range(60):
            if pair.is_over:
                break
            if pair.row[layout.DECISION_TYPE] == layout.GUESS or pair.row[layout.TURN] == 0:
                yield pair, pair.asked()
            pair.answer(answer(pair))


def hands_of(sample: SampledState) -> list[int]:
    players = len(sample.seats)
    hands: list[int] = sample.state[layout.HAND : layout.HAND + players].tolist()
    return hands


def test_sampled_state_equals_the_row_except_for_hidden_words() -> None:
    rng = random.Random(1)
    for pair, seat in decisions(1):
        view = pair.core.view(seat)
        sample = sample_state(view, rng, rules=pair.setup.rules)
        assert sample.seat == seat
        state, row = sample.state.copy(), pair.row.copy()
        state[[*UNSEEN]] = row[[*UNSEEN]] = 0
        assert state.tolist() == row.tolist()


def test_sampled_hands_are_legal_and_consistent_with_the_known_sum() -> None:
    rng = random.Random(2)
    seen = set()
    for pair, seat in decisions(2):
        view = pair.core.view(seat)
        if pair.row[layout.DECISION_TYPE] != layout.GUESS:
            continue
        sample = sample_state(view, rng, rules=pair.setup.rules)
        hands = hands_of(sample)
        assert hands[seat] == view.own_hand
        for hand, sticks in zip(hands, view.chopsticks, strict=True):
            assert view.lowest_hand <= hand <= sticks or (hand, sticks) == (-1, 0)
        total = sum(hand for hand in hands if hand >= 0)
        assert sample.state[layout.SUM] == total
        if pair.setup.rules.last_winner == "live":
            seen.add(view.last_winner == NO_SEAT)
            assert (total in view.guess) == (view.last_winner != NO_SEAT)
            assert view.last_winner == NO_SEAT or view.guess[view.last_winner] == total
    assert seen == {True, False}


def shares(request: GuessTotal, rules: Rules, **how: Any) -> dict[tuple[int, ...], float]:
    rng = random.Random(3)
    samples = [sample_state(request.view, rng, rules=rules, **how) for _ in range(1500)]
    return {hands: times / 1500 for hands, times in Counter(tuple(hands_of(sample)) for sample in samples).items()}


def first_guess(rules: Rules, players: int, hands: Mapping[Seat, int], *guesses: int) -> GuessTotal:
    core = Core(deal(players, rules), emit=False)
    core.advance(dict(hands))
    for value in guesses:
        core.advance(dict.fromkeys(core.requests, value))
    (request,) = core.requests.values()
    assert isinstance(request, GuessTotal)
    return request


def test_all_consistent_hands_are_equally_likely() -> None:
    """A guess of three was wrong.  If the view reveals that, no hands with this sum are sampled."""
    rules = Rules(sticks=(2, 1, 2), last_winner="live")
    request = first_guess(rules, 3, {Seat(0): 0, Seat(1): 1, Seat(2): 1}, 3)
    expected = {(a, 1, b) for a in range(3) for b in range(3) if a + 1 + b != 3}
    found = shares(request, rules)
    assert set(found) == expected
    assert all(share == pytest.approx(1 / len(expected), abs=0.06) for share in found.values())


def test_hands_are_drawn_by_their_weights() -> None:
    rules = Rules(sticks=2)
    request = first_guess(rules, 2, {Seat(0): 2, Seat(1): 0})
    assert shares(request, rules, hands={Seat(1): [3, 0, 1]}) == {
        (2, 0): pytest.approx(0.75, abs=0.06),
        (2, 2): pytest.approx(0.25, abs=0.06),
    }


@pytest.mark.parametrize("size", [5e-324, 1e-200, 1, 1e200, 1.7e308], ids=str)
def test_weights_may_have_any_size(size: float) -> None:
    request = first_guess(Rules(), 3, dict.fromkeys(map(Seat, range(3)), 2))
    sure = {Seat(1): [size, 0, 0, 0], Seat(2): [0, 0, 0, size]}
    assert set(shares(request, Rules(), hands=sure)) == {(2, 0, 3)}
    spread = {Seat(1): [size] * 4, Seat(2): [size] * 4}
    assert rollout(request, games=20, me="zero", others="zero", hands=spread) == rollout(
        request, games=20, me="zero", others="zero"
    )


def test_weights_of_illegal_hands_do_not_count() -> None:
    rules = Rules(opening_zero="forbidden")
    request = first_guess(rules, 3, dict.fromkeys(map(Seat, range(3)), 2))
    believed = {Seat(1): [1e300, 1e-300, 0, 0], Seat(2): [1e300, 0, 1e-300, 0]}
    assert set(shares(request, rules, hands=believed)) == {(2, 1, 2)}
    with pytest.raises(UsageError, match="hands: seat 1 has no legal hand with a weight above 0"):
        sample_state(request.view, random.Random(0), rules=rules, hands={Seat(1): [1, 0, 0, 0]})


def test_candidates_may_be_integers_of_any_type() -> None:
    (result,) = rollout(GUESSING, games=5, me="zero", others="zero", candidates=[np.int8(2)])  # type: ignore[list-item]
    assert type(result.candidate) is int
    assert result == rollout(GUESSING, games=5, me="zero", others="zero")[2]


def near(result: RolloutResult[int]) -> Any:
    """Return the range of the true mean."""
    return pytest.approx(result.score, abs=5 * result.error + 1e-9)


@pytest.mark.parametrize("seat", [0, 1], ids=["lead", "follower"])
def test_hands_of_the_equilibrium_score_the_value_of_the_game_and_others_no_more(seat: int) -> None:
    solution = solving.load_or_solve(2)
    played, value = solution.round((2, 2)), solution.values[2, 2]
    worth, hands = (value, played.lead.hands) if seat == 0 else (1 - value, played.follower.hands)
    request = Core(deal(2, Rules(sticks=2))).requests[Seat(seat)]
    assert isinstance(request, HideSticks)
    for result in rollout(request, games=20_000, rules=Rules(sticks=2)):
        if hands[result.candidate] > 1e-9:
            assert near(result) == worth
        assert result.score <= worth + 5 * result.error


def test_guesses_of_the_equilibrium_score_the_value_of_the_game_on_average() -> None:
    rules = Rules(sticks=2)
    solution = solving.load_or_solve(2)
    played = solution.round((2, 2))
    worth, error = 0.0, 0.0
    for hand, chance in enumerate(played.lead.hands):
        request = first_guess(rules, 2, {Seat(0): hand, Seat(1): 0})
        # The hand of the follower has the weights of its strategy.
        for result in rollout(request, games=20_000, rules=rules, hands={Seat(1): played.follower.hands}):
            weight = chance * played.lead.guesses[hand][result.candidate]
            worth += weight * result.score
            error += weight * result.error
    assert worth == pytest.approx(solution.values[2, 2], abs=5 * error)


@pytest.mark.parametrize("guesses", [(), (2,)], ids=["the lead", "the second"])
def test_means_of_guesses_match_the_referee_over_all_hands(guesses: tuple[int, ...]) -> None:
    """One round in which `zero` guesses, which involves no chance."""
    rules = Rules(sticks=(1, 2, 1), max_rounds=1)
    me = Seat(len(guesses))
    request = first_guess(rules, 3, {Seat(0): 1, Seat(1): 1, Seat(2): 0}, *guesses)
    for result in rollout(request, games=4000, rules=rules, me="zero", others="zero"):
        scores = []
        for hands in itertools.product(range(2), range(3), range(2)):
            if hands[me] != request.view.own_hand:
                continue
            core = Core(deal(3, rules), emit=False)
            core.advance(dict(zip(core.requests, hands, strict=True)))
            answers = [*guesses, result.candidate]
            while core.outcome is None:
                ((seat, asked),) = core.requests.items()
                view = asked.view
                others = view.chopstick_count - view.chopsticks[seat]
                zero = _nearest_free(view.guess, view.chopstick_count, view.own_hand + others / 2)
                core.advance({seat: answers.pop(0) if answers else zero})
            places = core.outcome.places()
            scores.append(sum(place > places[me] for place in places.values()))
        assert near(result) == sum(scores) / len(scores)


def test_same_seed_gives_the_same_rollouts() -> None:
    request = first_guess(Rules(), 4, dict.fromkeys(map(Seat, range(4)), 2))
    one, other, third = (rollout(request, games=50, seed=seed, others="random", me="zero") for seed in (1, 1, 2))
    assert [result.candidate for result in one] == list(range(13))
    assert one == other
    assert one != third


def test_players_who_left_share_the_first_place() -> None:
    rules = Rules(sticks=1)
    core = Core(deal(4, rules), emit=False)
    for winner in (0, 1):
        core.advance(dict.fromkeys(core.requests, 0))
        while any(isinstance(request, GuessTotal) for request in core.requests.values()):
            ((seat, request),) = core.requests.items()
            core.advance({seat: 0 if seat == winner else request.options[-1]})
    request = next(iter(core.requests.values()))
    assert isinstance(request, HideSticks)
    for result in rollout(request, games=100, me="random", others="random", rules=rules):
        assert (result.scores[Seat(0)], result.scores[Seat(1)]) == (2, 2)
        assert result.wins == 0
        assert 3 <= result.place <= 4
        assert result.scores[Seat(2)] + result.scores[Seat(3)] == pytest.approx(1)


HIDING = next(iter(Core(deal(2, Rules())).requests.values()))
GUESSING = first_guess(Rules(), 2, {Seat(0): 1, Seat(1): 1})
LIVE = Rules(last_winner="live")
# A guess of three was wrong, so seat 0 does not hold two.
REVEALED = first_guess(LIVE, 2, {Seat(0): 3, Seat(1): 1}, 3)


@pytest.mark.parametrize(
    ("request_", "arguments", "message"),
    [
        (HIDING, {"candidates": [4]}, "4 is not a legal hand. Choose from: 0, 1, 2, 3"),
        (GUESSING, {"candidates": [7]}, "7 is not a legal guess"),
        (GUESSING, {"candidates": [True]}, "True is not a legal guess"),
        (GUESSING, {"candidates": [2.0]}, "2.0 is not a legal guess"),
        (GUESSING, {"candidates": ["2"]}, "'2' is not a legal guess"),
        (GUESSING, {"candidates": 3}, "candidates must be a list, not 3"),
        (HIDING, {"rules": Rules(sticks=2)}, "seat 0 owns 3 sticks, but starts with 2 by these rules"),
        (HIDING, {"rules": Rules(opening_zero="forbidden")}, "the smallest hand of this view is 0, .* it is 1"),
        (HIDING, {"hands": {Seat(1): [1] * 4}}, "hands: no player has hidden sticks yet"),
        (GUESSING, {"hands": {Seat(0): [1] * 4}}, "hands: there is no seat 0. Choose from: 1"),
        (GUESSING, {"hands": {Seat(1): [1] * 3}}, "hands: seat 1 needs 4 weights from 0"),
        (GUESSING, {"hands": {Seat(1): [1, 1, -1, 1]}}, "hands: seat 1 needs 4 weights from 0"),
        (GUESSING, {"hands": {Seat(1): [0, 0, 0, 0]}}, "hands: seat 1 has no legal hand with a weight above 0"),
        (REVEALED, {"hands": {Seat(0): [0, 0, 1, 0]}, "rules": LIVE}, "above 0 are consistent with the guesses"),
        (GUESSING, {"hands": np.ones((2, 4))}, "hands must be a mapping by seat, e.g. {0: …}, not"),
        (GUESSING, {"hands": {1.0: [1] * 4}}, "hands: there is no seat 1.0"),
        (GUESSING, {"me": "human"}, "'human' is not compiled"),
        (GUESSING, {"others": {Seat(2): "random"}}, "others: there is no seat 2. Choose from: 0, 1"),
        (GUESSING, {"others": {True: "random"}}, "others: there is no seat True. Choose from: 0, 1"),
        (
            GUESSING,
            {"others": None},
            "others must be one compiled player, or players by seat, e.g. {0: 'random'}, not None",
        ),
        (GUESSING, {"games": 0}, "games must be a whole number from 1"),
        (GUESSING, {"games": 2.5}, "games must be a whole number from 1 .* not 2.5"),
        (GUESSING, {"seed": -1}, "seed must be a whole number from 0"),
    ],
)
def test_invalid_arguments_are_refused(request_: Any, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(UsageError, match=message):
        rollout(request_, **{"me": "random", "others": "random", **arguments})


def test_views_of_spectators_and_of_other_seats_are_refused() -> None:
    core = Core(deal(2, Rules(max_rounds=1)))
    core.advance(dict.fromkeys(core.requests, 1))
    core.advance({Seat(0): 3})
    rng = random.Random(0)
    with pytest.raises(UsageError, match="the view of a spectator"):
        sample_state(core.view(None), rng)
    with pytest.raises(UsageError, match="seat: there is no seat 5"):
        sample_state(core.view(Seat(1)), rng, seat=Seat(5))
    assert sample_state(core.view(Seat(0)), rng, seat=Seat(0)).state[layout.HAND] == 1
    with pytest.raises(UsageError, match=r"seat: there is no seat 1\.0"):
        sample_state(core.view(Seat(1)), rng, seat=1.0)  # type: ignore[arg-type]
    core.advance({Seat(1): 4})
    with pytest.raises(UsageError, match="no player is asked in this view"):
        sample_state(core.view(Seat(1)), rng)


@pytest.mark.parametrize("rng", [None, 7, np.random.default_rng(7)], ids=["None", "a seed", "NumPy's"])
def test_rng_must_be_a_python_generator(rng: Any) -> None:
    with pytest.raises(UsageError, match=r"rng must be a random\.Random, not "):
        sample_state(GUESSING.view, rng)
