"""The state table of programs is complete, and programs follow it."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from tests.process.programs import PORRINHA, play_series, started, write_program
from tests.waiting import eventually
from wateringhole.game import Seat
from wateringhole.player import PlayerFailed, SeatAssignment
from wateringhole.process.limits import Isolation, ProcessLimits
from wateringhole.process.player import RESTARTS, TRANSITIONS, Input, ProgramPlayer, State, start_program

AMPLE_TIME = 120.0
"""More seconds than anything takes on a busy machine."""
LIMITS = ProcessLimits(startup_seconds=AMPLE_TIME, answer_seconds=0.4)
COMMANDS = (Input.NEXT_GAME, Input.JOIN_GAME, Input.SEND, Input.NOTICE, Input.ASK, Input.STOP, Input.CLOSE)
"""The inputs that the referee may send while it is not waiting for the program."""
FAILURES = (Input.EXIT, Input.EARLIER_EXIT, Input.INPUT_FULL, Input.ENDLESS_LINE)
"""The failures of a program that a write or a read may find."""


def test_the_table_has_a_row_for_every_command() -> None:
    missing = [
        (state, command)
        for state in (State.READY, State.LATE, State.DEAD, State.CLOSED)
        for command in COMMANDS
        if (state, command) not in TRANSITIONS
    ]
    assert missing == []


@pytest.mark.parametrize("state", [State.READY, State.ASKED, State.LATE])
def test_every_failure_makes_a_running_program_dead(state: State) -> None:
    for failure in (*FAILURES, Input.STOP):
        assert TRANSITIONS[state, failure].state is State.DEAD


@pytest.mark.parametrize("restarts", [False, True])
def test_a_program_can_be_closed_in_every_state_and_stays_closed(restarts: bool) -> None:
    table = TRANSITIONS | RESTARTS if restarts else TRANSITIONS
    entered = {State.NEW, *(transition.state for transition in table.values())}
    assert entered == (set(State) if restarts else set(State) - {State.RESTARTING})
    for state in entered - {State.NEW}:
        assert table[state, Input.CLOSE].state is State.CLOSED
    assert {table[State.CLOSED, given].state for given in Input} == {State.CLOSED}


def test_a_dead_program_leaves_its_state_only_by_a_restart() -> None:
    after_failure = {given: table.state for (state, given), table in TRANSITIONS.items() if state is State.DEAD}
    assert set(after_failure.values()) == {State.DEAD, State.CLOSED}
    assert RESTARTS[State.DEAD, Input.NEXT_GAME].state is State.RESTARTING


@pytest.mark.parametrize("message", ["answer", "pass", "failed"])
def test_a_late_program_is_ready_again_after_its_old_answer(message: str, tmp_path: Path) -> None:
    late = f"if requests == 1: time.sleep(0.8); send(type='{message}', id=message['id'], answer=0); continue"
    command = write_program(tmp_path, at_request=late)
    with started(command, Isolation(limits=LIMITS)) as player:
        states = [player.state]
        play_series(player, time_limit=0.4)
        states.append(player.state)
        (game,) = play_series(player)
        states.append(player.state)
    assert game.outcome.thrown_out == ()
    assert [*states, player.state] == [State.READY, State.LATE, State.READY, State.CLOSED]


SEATED = SeatAssignment(seat=Seat(0), names=("a", "b"), rules=PORRINHA.profiles["seed"].rules)


def seat_both(players: list[ProgramPlayer]) -> None:
    for player in players:
        player.on_seated(SEATED)


def test_an_answer_of_its_other_player_makes_a_late_program_ready(tmp_path: Path) -> None:
    command = write_program(tmp_path, at_request="time.sleep(0.8 if requests == 1 else 0)")
    first, second = players = start_program(PORRINHA, command, 2, Isolation(limits=LIMITS))
    request = PORRINHA.new_game(PORRINHA.deal(2, SEATED.rules, 1)).requests[Seat(0)]
    try:
        seat_both(players)
        with pytest.raises(PlayerFailed, match=r"no answer came within 0.4 s"):
            first.answer(request)
        assert first.state is State.LATE
        assert second.answer(request, AMPLE_TIME) is not None
        assert second.state is State.READY
        # The old answer was read before that of the other player, so the referee does not wait for it.
        seat_both(players)
        assert first.answer(request, AMPLE_TIME) is not None
    finally:
        first.close()


def fails(act: Callable[[], object]) -> str:
    with pytest.raises(PlayerFailed) as failure:
        act()
    return failure.value.forfeit.message


def test_a_dead_program_fails_for_all_its_players(tmp_path: Path) -> None:
    first, second = players = start_program(PORRINHA, write_program(tmp_path, at_request="os._exit(3)"), 2)
    request = PORRINHA.new_game(PORRINHA.deal(2, SEATED.rules, 1)).requests[Seat(0)]
    try:
        seat_both(players)
        why = fails(lambda: first.answer(request))
        assert why == fails(lambda: second.answer(request)) == "the program ended with status 3"
        assert fails(lambda: first.on_seated(SEATED)) == f"not running any more: {why}"
        assert fails(lambda: second.on_seated(SEATED)) == f"not running any more: {why}"
        assert second.state is State.DEAD
    finally:
        first.close()
        second.close()
    assert fails(lambda: second.answer(request)) == why
    assert [first.state, second.state] == [State.CLOSED, State.CLOSED]


def test_closing_from_another_thread_stops_a_hanging_request(tmp_path: Path) -> None:
    (player,) = start_program(PORRINHA, write_program(tmp_path, at_request="time.sleep(60)"))
    request = PORRINHA.new_game(PORRINHA.deal(2, SEATED.rules, 1)).requests[Seat(0)]
    player.on_seated(SEATED)
    with ThreadPoolExecutor() as pool:
        asked = pool.submit(player.answer, request, 60.0)
        eventually(lambda: player.state is State.ASKED)
        player.close()
        with pytest.raises(PlayerFailed, match="the program was stopped"):
            asked.result(timeout=120)
    assert [player.state] == [State.CLOSED]
    assert not player.program.folder.exists()
