"""Properties of every game of Porrinha, under all rules and with arbitrary answers."""

from __future__ import annotations

import json
import random
from collections.abc import Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tests.games.porrinha.builders import only
from tests.games.porrinha.strategies import play, setups
from wateringhole.game import Event, Forfeit, Notice, Seat, violation_of
from wateringhole.games.porrinha import (
    NO_HAND,
    NO_SEAT,
    AnswerRepaired,
    Core,
    GuessSaid,
    GuessTotal,
    HideSticks,
    PlayerForfeited,
    RoundSettled,
    Setup,
    starting_sticks,
)
from wateringhole.games.porrinha.rules import codec


@given(st.data(), setups())
def test_sticks_are_conserved_and_the_table_shrinks_by_one_exactly_on_a_right_guess(
    data: st.DataObject, setup: Setup
) -> None:
    game = Core(setup)
    sticks = list(starting_sticks(setup.rules, setup.players))
    for events in play(data, game):
        for event in events:
            if isinstance(event, PlayerForfeited) and event.removed:
                # A removed seat takes its sticks from the table, after a right guess of its own.
                sticks[event.seat] = 0
            elif isinstance(event, RoundSettled):
                if event.winner != NO_SEAT and sticks[event.winner]:
                    sticks[event.winner] -= 1
                assert event.chopsticks == tuple(sticks)
                assert event.chopstick_count == sum(sticks)
                assert event.active_player_count == sum(own > 0 for own in sticks)
        assert game.view(None).chopsticks == tuple(sticks)


@given(st.data(), setups())
def test_at_most_one_guess_is_right_and_only_the_right_one_wins(data: st.DataObject, setup: Setup) -> None:
    for events in play(data, Core(setup)):
        for event in only(events, RoundSettled):
            assert event.sum == sum(hand for hand in event.hands if hand != NO_HAND)
            right = [seat for seat, guess in enumerate(event.guesses) if guess == event.sum]
            assert right == ([] if event.winner == NO_SEAT else [event.winner])


@given(st.data(), setups())
def test_valid_guesses_of_a_round_differ_and_lie_on_the_table(data: st.DataObject, setup: Setup) -> None:
    game = Core(setup)
    for table, events in before_each(data, game):
        for event in only(events, RoundSettled):
            valid = [guess for guess in event.guesses if guess >= 0]
            assert len(set(valid)) == len(valid)
            assert all(guess <= table for guess in valid)


def before_each(data: st.DataObject, game: Core) -> Any:
    table = game.view(None).chopstick_count
    for events in play(data, game):
        yield table, events
        table = game.view(None).chopstick_count


@given(st.data(), setups(max_rounds=None))
def test_the_ranking_of_a_decided_game_is_complete(data: st.DataObject, setup: Setup) -> None:
    game = Core(setup)
    for _ in play(data, game):
        pass
    outcome = game.outcome
    if outcome is None:
        return
    assert not game.requests
    places = [standing.place for standing in outcome.ranking]
    assert len({standing.seat for standing in outcome.ranking}) == len(places)
    assert places == sorted(places)
    thrown = [thrown.seat for thrown in outcome.thrown_out]
    assert [standing.seat for standing in outcome.ranking][len(places) - len(thrown) :] == thrown[::-1]
    if setup.rules.finish == "last_loses" or outcome.loser is not None:
        assert places == list(range(1, setup.players + 1))
        assert outcome.loser == outcome.ranking[-1].seat


@given(st.data(), setups())
def test_all_views_are_equal_while_hands_are_chosen(data: st.DataObject, setup: Setup) -> None:
    game = Core(setup)
    for _ in play(data, game):
        requests = list(game.requests.values())
        if requests and all(isinstance(request, HideSticks) for request in requests):
            views = {game.view(None), *map(game.view, map(Seat, range(setup.players)))}
            assert views == {request.view for request in requests}


@given(st.data(), setups(last_winner="settled"))
def test_no_hidden_hand_leaks(data: st.DataObject, setup: Setup) -> None:
    """Check that games which differ in one hidden hand look the same to all others until it is opened."""
    game = Core(setup)
    for _ in play(data, game, most=data.draw(st.integers(0, 12))):
        pass
    requests = game.requests
    if not requests or not all(isinstance(request, HideSticks) for request in requests.values()):
        return
    other = game.copy()
    hider = data.draw(st.sampled_from(sorted(requests)))
    hands: dict[Seat, Any] = {seat: data.draw(st.sampled_from(request.options)) for seat, request in requests.items()}
    another = data.draw(st.sampled_from(requests[hider].options) | st.integers(-2, 9) | st.just(Forfeit("late", "")))
    seen = (
        seen_by_others(game, game.advance(hands), hider),
        seen_by_others(other, other.advance(hands | {hider: another}), hider),
    )
    while True:
        # A seat that failed is skipped at its turn to guess.  All players see that, and it reveals
        # nothing about the hand.  The comparison ends there.
        if game.requests.keys() != other.requests.keys():
            return
        if any(isinstance(request, HideSticks) for request in game.requests.values()) or game.outcome:
            return
        assert seen[0] == seen[1]
        for seat in [None, *map(Seat, range(setup.players))]:
            if seat != hider:
                assert game.view(seat) == other.view(seat)
        (request,) = game.requests.values()
        assert isinstance(request, GuessTotal)
        if request.seat != hider:
            assert other.requests == game.requests
        guess = {request.seat: data.draw(st.sampled_from(request.options))}
        events, others = game.advance(guess), other.advance(guess)
        if only(events, RoundSettled):
            return
        seen = seen_by_others(game, events, hider), seen_by_others(other, others, hider)


def seen_by_others(game: Core, events: Sequence[Event], hider: Seat) -> list[Event | None]:
    others = [None, *(Seat(seat) for seat in range(game.setup.players) if seat != hider)]
    return [event.seen_by(seat) for event in events for seat in others]


@given(st.data(), setups())
def test_a_bad_hand_is_reported_after_all_guesses(data: st.DataObject, setup: Setup) -> None:
    game = Core(setup)
    for events in play(data, game):
        opened = next((index for index, event in enumerate(events) if isinstance(event, RoundSettled)), None)
        last_guess = max((index for index, event in enumerate(events) if isinstance(event, GuessSaid)), default=-1)
        for index, event in enumerate(events):
            if isinstance(event, AnswerRepaired) and event.fault == "hand_range":
                assert opened is not None
                assert last_guess < index < opened


@given(st.data(), setups(on_failure="remove"), st.integers())
def test_a_series_with_failing_players_always_ends(data: st.DataObject, setup: Setup, seed: int) -> None:
    """Let every player fail at some time, so that in the end no player is left."""
    game = Core(setup)
    rng = random.Random(seed)
    chance = data.draw(st.sampled_from([0.02, 0.2, 0.9]))
    steps = 0
    while game.outcome is None:
        steps += 1
        assert steps < 100_000
        crash = Forfeit("exception", "")
        game.advance({seat: crash if rng.random() < chance else rng.randint(-1, 12) for seat in game.requests})
    assert {thrown.seat for thrown in game.outcome.thrown_out} <= set(range(setup.players))


@given(st.data(), setups())
def test_a_copy_is_independent_and_without_emit_has_no_events(data: st.DataObject, setup: Setup) -> None:
    game = Core(setup)
    for _ in play(data, game, most=data.draw(st.integers(0, 20))):
        pass
    before = state(game)
    copy, silent = game.copy(), game.copy(emit=False)
    assert state(copy) == before
    for _ in play(data, copy, most=10):
        pass
    assert all(events == [] for events in play(data, silent, most=10))
    assert state(game) == before


@given(st.data(), setups())
def test_a_game_without_events_has_the_same_states(data: st.DataObject, setup: Setup) -> None:
    game, silent = Core(setup), Core(setup, emit=False)
    assert silent.opening == ()
    for _ in range(20):
        if game.outcome is not None:
            break
        answers = {seat: data.draw(st.integers(-1, 8)) for seat in game.requests}
        game.advance(answers)
        assert list(silent.advance(answers)) == []
        assert state(silent) == state(game)


def state(game: Core) -> dict[str, Any]:
    parts = {
        name: getattr(game, name) for name in Core.__slots__ if name not in ("_emits", "opening", "_repaired_hands")
    }
    return {name: part.copy() if isinstance(part, list | dict) else part for name, part in parts.items()}


@given(st.data(), setups())
def test_json_round_trips(data: st.DataObject, setup: Setup) -> None:
    def through_json(value: Any) -> Any:
        return json.loads(json.dumps(value))

    assert codec.setup_from_json(through_json(codec.setup_to_json(setup))) == setup
    assert codec.rules_from_json(through_json(codec.rules_to_json(setup.rules))) == setup.rules
    game = Core(setup)
    for events in [list(game.opening), *play(data, game, most=15)]:
        for event in events:
            assert codec.event_from_json(through_json(codec.event_to_json(event))) == event
        for seat in [None, *map(Seat, range(setup.players))]:
            view = game.view(seat)
            assert codec.view_from_json(through_json(codec.view_to_json(view))) == view


@given(st.data(), setups(on_failure="remove"))
def test_notices_reach_only_players_who_were_not_removed(data: st.DataObject, setup: Setup) -> None:
    removed: set[Seat] = set()
    for events in play(data, Core(setup)):
        removed |= {event.seat for event in only(events, PlayerForfeited) if event.removed}
        notices = only(events, Notice)
        assert removed.isdisjoint(notice.seat for notice in notices)
        for notice in notices:
            assert notice.seen_by(notice.seat) is notice
            assert notice.seen_by(None) is None


@given(st.data(), setups())
def test_every_listed_option_is_legal(data: st.DataObject, setup: Setup) -> None:
    game = Core(setup)
    for _ in play(data, game, most=10):
        for request in game.requests.values():
            options = list(request.options)
            assert options
            assert all(request.resolve(option) == (option, None) for option in options)
            assert all(violation_of(request, option) is None for option in options)
            if isinstance(request, GuessTotal):
                asked = range(-4, request.view.chopstick_count + 3)
                assert options == [value for value in asked if request.view.valid_guess(value)]
