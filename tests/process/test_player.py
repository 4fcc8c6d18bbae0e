"""Programs as players: their folders, limits and failures, and the end of all their processes."""

from __future__ import annotations

import json
import math
import os
import shlex
import shutil
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import msgspec
import pytest

from tests.cli.running import called
from tests.process.programs import AMPLE_TIME, PORRINHA, play_series, started, write_program
from tests.waiting import eventually
from wateringhole.errors import PlayerNotMade, UsageError
from wateringhole.game import Forfeit, ReportedViolation
from wateringhole.match.series import PlayedGame
from wateringhole.player import PlayerFailed
from wateringhole.process.limits import Isolation, ProcessLimits, find_tagged
from wateringhole.process.player import ProgramPlayer, split_command, start_program
from wateringhole.process.sandbox import check_sandbox
from wateringhole.process.supervisor import descendants
from wateringhole.protocol.host import HostEnd

LIMITS = ProcessLimits(startup_seconds=AMPLE_TIME, answer_seconds=0.5)
ISOLATION = Isolation(limits=LIMITS)


def forfeits(games: list[PlayedGame]) -> list[Forfeit | None]:
    """Return the forfeit of the program in each game.  No other player may forfeit."""
    found: list[Forfeit | None] = []
    for game in games:
        assert [thrown.seat for thrown in game.outcome.thrown_out] in ([], [0])
        found.append(game.outcome.thrown_out[0].forfeit if game.outcome.thrown_out else None)
    return found


def report_of(command: list[str], isolation: Isolation = ISOLATION) -> str:
    """Play a game with a program, and return its output on standard error."""
    log = Path(command[-1]).parent / "logs"
    log.mkdir()
    with started(command, msgspec.structs.replace(isolation, log=log)) as player:
        play_series(player)
    return (log / "mine.log").read_text()


# Folder and descriptors


def test_it_runs_in_its_own_folder_which_is_removed(tmp_path: Path) -> None:
    command = write_program(
        tmp_path, at_start="open('notes', 'w').write('x'); print(os.getcwd(), os.listdir(), file=sys.stderr)"
    )
    folder, listed = report_of(command).split(maxsplit=1)
    assert listed.strip() == "['notes']"
    assert Path(folder).name == "scratch"
    assert not Path(folder).parent.exists()


def test_it_inherits_no_descriptors(tmp_path: Path) -> None:
    command = write_program(tmp_path, at_start="print(os.listdir('/proc/self/fd'), file=sys.stderr)")
    with (tmp_path / "secret").open("w") as secret:
        os.set_inheritable(secret.fileno(), True)
        listed = report_of(command)
    # The fourth is the listed folder itself.
    assert len(json.loads(listed.replace("'", '"'))) == 4


def test_standard_error_is_logged_per_player(tmp_path: Path) -> None:
    command = " ".join(write_program(tmp_path, at_start="print('good morning', os.getpid(), file=sys.stderr)"))
    ran = called(
        "play", "porrinha", f"cmd:{command}", f"a b=cmd:{command}", "random", "--log", "logs", "-q", folder=tmp_path
    )
    assert ran.returncode == 0, ran.stderr
    logs = {path.name: path.read_text() for path in (tmp_path / "logs").iterdir()}
    assert sorted(logs) == ["a b.log", f"{Path(sys.executable).name}.log"]
    assert len(set(logs.values())) == 2
    assert all(text.startswith("good morning") for text in logs.values())


def test_the_last_line_on_standard_error_is_in_the_forfeit(tmp_path: Path) -> None:
    command = write_program(tmp_path, at_request="raise RuntimeError('my own fault')")
    with started(command, ISOLATION) as player:
        (forfeit,) = forfeits(play_series(player))
    assert forfeit == Forfeit(
        "disconnected", "the program ended with status 1; last line on standard error: RuntimeError: my own fault"
    )


def test_startup_seconds_may_be_infinite(tmp_path: Path) -> None:
    with started(write_program(tmp_path), Isolation(limits=ProcessLimits(startup_seconds=math.inf))) as player:
        assert forfeits(play_series(player)) == [None]


def test_a_missing_program_is_a_usage_error(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="cannot be started: No such file or directory"):
        start_program(PORRINHA, [str(tmp_path / "nothing")])


@pytest.mark.parametrize(
    ("at_start", "message"),
    [
        ("sys.exit(2)", "the program ended with status 2"),
        ("time.sleep(60)", "no answer came within "),
        ("print('hi', flush=True)", "'hi' is not a message"),
        ("send(type='answer', id=1, answer=1)", "the first message must be a hello"),
        ("send(type='hello', protocol=9)", "it speaks protocol 9; this table speaks 1"),
        (
            "send(type='hello', protocol=1, style='stepwise')",
            "it asks for the style stepwise, which porrinha does not support",
        ),
        (
            "send(type='hello', protocol=1, step_order='document')",
            "it asks for the step_order 'document', which is for the style stepwise only",
        ),
    ],
    ids=[
        "exits",
        "is silent",
        "prints text",
        "answers first",
        "speaks another version",
        "wants another style",
        "wants an order without steps",
    ],
)
def test_a_program_without_a_hello_is_a_usage_error(at_start: str, message: str, tmp_path: Path) -> None:
    # Only the silent program reaches the limit.
    seconds = 0.5 if message.startswith("no answer") else AMPLE_TIME
    isolation = Isolation(limits=ProcessLimits(startup_seconds=seconds))
    with pytest.raises(UsageError, match="did not introduce itself") as caught:
        start_program(PORRINHA, write_program(tmp_path, at_start=at_start), 1, isolation)
    assert message in str(caught.value)


def test_a_program_reports_why_it_cannot_play_in_place_of_its_hello(tmp_path: Path) -> None:
    failed = "send(type='failed', message='no model', traceback='line 1\\nline 2\\n')"
    command = write_program(tmp_path, at_start=failed)
    with pytest.raises(PlayerNotMade, match=r"^the program '.*' did not start: no model\.$") as caught:
        start_program(PORRINHA, command, 1, Isolation(limits=LIMITS))
    assert caught.value.traceback == "line 1\nline 2\n"


def test_the_reason_of_a_program_that_has_exited_before_the_hello_is_reported(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    closed = tmp_path / "closed"
    hello = HostEnd.hello

    def late_hello(end: HostEnd) -> bytes:
        eventually(closed.exists)
        return hello(end)

    monkeypatch.setattr(HostEnd, "hello", late_hello)
    at_start = f"send(type='failed', message='no model'); os.close(0); open({str(closed)!r}, 'w'); time.sleep(60)"
    with pytest.raises(PlayerNotMade, match="did not start: no model"):
        start_program(PORRINHA, write_program(tmp_path, at_start=at_start), 1, Isolation(limits=LIMITS))


@pytest.mark.parametrize(("command", "message"), [("a 'b", "cannot be read"), ("  ", "needs a command")])
def test_an_invalid_command_is_a_usage_error(command: str, message: str) -> None:
    with pytest.raises(UsageError, match=message):
        split_command(command)


# Limits

TOO_MUCH = {
    "memory": (
        ProcessLimits(memory_bytes=100 << 20, answer_seconds=AMPLE_TIME),
        "x = bytearray(200 << 20)",
        "last line on standard error: MemoryError",
    ),
    "CPU time": (
        ProcessLimits(cpu_seconds=1, answer_seconds=AMPLE_TIME),
        "while True: pass",
        "SIGXCPU (all its CPU time was used",
    ),
    "file size": (
        ProcessLimits(file_bytes=1 << 20, answer_seconds=AMPLE_TIME),
        "open('big', 'wb').write(b'x' * (2 << 20))",
        "File too large",
    ),
    "file size, by signal": (
        ProcessLimits(file_bytes=1 << 20, answer_seconds=AMPLE_TIME),
        "signal.signal(signal.SIGXFSZ, signal.SIG_DFL); open('big', 'wb').write(b'x' * (2 << 20))",
        "SIGXFSZ (a file it wrote became too large)",
    ),
    "open files": (
        ProcessLimits(open_files=32, answer_seconds=AMPLE_TIME),
        "kept = [open(os.devnull) for _ in range(64)]",
        "Too many open files",
    ),
}


@pytest.mark.parametrize("what", TOO_MUCH)
def test_exceeding_a_limit_forfeits(what: str, tmp_path: Path) -> None:
    limits, code, message = TOO_MUCH[what]
    with started(write_program(tmp_path, at_request=code), Isolation(limits=limits)) as player:
        (forfeit,) = forfeits(play_series(player))
    assert forfeit is not None
    assert forfeit.reason == "disconnected"
    assert message in forfeit.message


def test_the_process_limit_is_added_to_running_processes(tmp_path: Path) -> None:
    code = "import resource; print(resource.getrlimit(resource.RLIMIT_NPROC)[1], file=sys.stderr)"
    limits = ProcessLimits(processes=50, answer_seconds=AMPLE_TIME)
    most = int(report_of(write_program(tmp_path, at_start=code), Isolation(limits=limits)))
    assert most > 50


def test_javascript_starts_under_the_memory_limit(tmp_path: Path) -> None:
    node = shutil.which("node")
    if node is None:
        pytest.skip("node is not installed here")
    script = tmp_path / "hello.js"
    script.write_text('console.log(JSON.stringify({type: "hello", protocol: 1})); process.stdin.resume()')
    with started([node, str(script)], Isolation(limits=ProcessLimits())) as player:
        assert not player.program.has_exited


# Failures

FAILURES = {
    # name: code at a request, the reason of the forfeit, a part of the message
    "prints a huge line": (
        "sys.stdout.write('x' * (3 << 20)); sys.stdout.flush()",
        "unreadable",
        "a line of more than",
    ),
    "prints half a line and exits": ("print('{', end='', flush=True); os._exit(0)", "disconnected", "middle of a line"),
    "closes its output": ("os.close(1); time.sleep(60)", "disconnected", "the program closed its output"),
    "sends messages without end": ("while True: send(type='chatter')", "unreadable", "messages that answer nothing"),
    "kills itself": ("os.kill(os.getpid(), signal.SIGSEGV)", "disconnected", "SIGSEGV"),
    "ignores signals": (
        "[signal.signal(n, signal.SIG_IGN) for n in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP)]; time.sleep(60)",
        "late",
        "no answer came within ",
    ),
}


@pytest.mark.parametrize("what", FAILURES)
def test_a_failed_program_leaves_nothing_behind(what: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    code, reason, message = FAILURES[what]
    if what == "closes its output":
        # It does not exit, so no report of its exit comes.
        monkeypatch.setattr("wateringhole.process.child._REPORT_SECONDS", 0.3)
    with started(write_program(tmp_path, at_request=code), ISOLATION) as player:
        program = player.program
        (forfeit,) = forfeits(play_series(player, time_limit=0.5 if reason == "late" else AMPLE_TIME))
    assert forfeit is not None
    assert forfeit.reason == reason
    assert message in forfeit.message
    assert find_tagged(program.tag) == []
    assert not program.folder.exists()


def test_an_exit_is_reported_late_on_a_busy_machine(tmp_path: Path) -> None:
    """The end of the pipe arrives before the report of the supervisor, which is stopped meanwhile."""
    code = """
    subprocess.Popen(["sh", "-c", f"kill -STOP {os.getppid()}; sleep 0.5; kill -CONT {os.getppid()}"], stdout=2).poll()
    while open(f"/proc/{os.getppid()}/stat").read().rpartition(")")[2].split()[0] != "T": pass
    os._exit(3)
    """
    with started(write_program(tmp_path, at_request=code), ISOLATION) as player:
        (forfeit,) = forfeits(play_series(player))
    assert forfeit == Forfeit("disconnected", "the program ended with status 3")


def test_a_program_that_never_reads_is_waited_for_once(tmp_path: Path) -> None:
    command = write_program(tmp_path, at_start="send(type='hello', protocol=1); time.sleep(60)")
    limits = ProcessLimits(startup_seconds=AMPLE_TIME, answer_seconds=1.0)
    failures = []
    with started(command, Isolation(limits=limits)) as player:
        began = time.monotonic()
        for _ in range(100):
            try:
                player.on_violation(ReportedViolation("any", "x" * 10_000))
            except PlayerFailed as error:
                failures.append(error.forfeit)
    assert len(failures) > 80
    assert set(failures) == {Forfeit("late", "it did not read what it was sent within 1 s")}
    # The referee waited once, not for each of more than 80 messages.
    assert time.monotonic() - began < 80


def test_a_late_answer_does_not_answer_a_later_request(tmp_path: Path) -> None:
    code = "time.sleep(0.8 if requests == 1 else 0); send(type='answer', id=message['id'], answer=games)"
    command = write_program(tmp_path, at_request=code)
    with started(command, Isolation(limits=ProcessLimits(startup_seconds=AMPLE_TIME))) as player:
        first, second = forfeits(play_series(player, games=2, time_limit=0.4))
    assert first is not None
    assert first.reason == "late"
    # It has answered before the second game, which it plays.
    assert second is None


# A series


def test_a_crash_forfeits_all_later_games_at_once(tmp_path: Path) -> None:
    command = write_program(tmp_path, at_request="if requests > 3: sys.exit('out of order')")
    with started(command, ISOLATION) as player:
        began = time.monotonic()
        first, *others = forfeits(play_series(player, games=4, time_limit=AMPLE_TIME))
        seconds = time.monotonic() - began
    why = "the program ended with status 1; last line on standard error: out of order"
    assert first == Forfeit("disconnected", why)
    assert others == [Forfeit("disconnected", f"not running any more: {why}")] * 3
    assert seconds < AMPLE_TIME


def test_a_restart_starts_a_new_process_for_the_next_game(tmp_path: Path) -> None:
    command = write_program(tmp_path, at_request="if requests > 3: sys.exit('out of order')")
    with started(command, msgspec.structs.replace(ISOLATION, restarts=None)) as player:
        first_process = player.program
        every = forfeits(play_series(player, games=3))
        assert player.program is not first_process
    why = "the program ended with status 1; last line on standard error: out of order"
    assert every == [Forfeit("disconnected", why)] * 3


def test_a_program_that_hangs_once_loses_one_game(tmp_path: Path) -> None:
    hung = tmp_path / "hung"
    command = write_program(
        tmp_path, at_request=f"if not os.path.exists({str(hung)!r}): open({str(hung)!r}, 'w'); time.sleep(300)"
    )
    limits = ProcessLimits(startup_seconds=AMPLE_TIME, answer_seconds=1.0)
    with started(command, Isolation(limits=limits, restarts=3)) as player:
        (first,) = forfeits(play_series(player, time_limit=0.5))
        others = forfeits(play_series(player, games=2))
    assert first is not None
    assert first.reason == "late"
    assert others == [None, None]


def test_a_hanging_program_costs_its_time_limit_and_no_second_wait(tmp_path: Path) -> None:
    command = write_program(tmp_path, at_request="time.sleep(300)")
    limits = ProcessLimits(startup_seconds=AMPLE_TIME, answer_seconds=AMPLE_TIME)
    began = time.monotonic()
    with started(command, Isolation(limits=limits, restarts=None)) as player:
        every = forfeits(play_series(player, games=3, time_limit=0.3))
    # Less than one wait as long as for a start, on a slow machine, too.
    assert time.monotonic() - began < AMPLE_TIME
    assert every == [Forfeit("late", "no answer came within 0.3 s")] * 3


def test_a_program_that_hangs_when_it_is_restarted_is_not_restarted_again(tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    program = shlex.join(write_program(tmp_path, at_request="os._exit(1)"))
    script = f"echo x >> {starts}; test $(wc -l < {starts}) -gt 1 && exec sleep 300; exec {program}"
    command = ["sh", "-c", script]
    with started(command, Isolation(limits=LIMITS, restarts=None)) as player:
        # The second process must at least write, and the first one has all the time that it needs.
        player._session._limits = msgspec.structs.replace(LIMITS, startup_seconds=1.5)
        every = forfeits(play_series(player, games=4))
    assert starts.read_text() == "x\n" * 2
    assert [forfeit is not None and "did not introduce itself" in forfeit.message for forfeit in every] == [
        False,
        *([True] * 3),
    ]


def test_restarts_of_a_series_are_limited(tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    command = write_program(tmp_path, at_start=f"open({str(starts)!r}, 'a').write('x')", at_request="os._exit(1)")
    with started(command, msgspec.structs.replace(ISOLATION, restarts=2)) as player:
        every = forfeits(play_series(player, games=5))
    assert starts.read_text() == "xxx"
    assert None not in every
    assert [forfeit is not None and "not running any more" in forfeit.message for forfeit in every] == [
        *([False] * 3),
        *([True] * 2),
    ]


EXITS_AFTER_GAMES = """
    if message.get("notice") == "end_game":
        time.sleep(0.3)  # as long as it takes to save what it has learned; the next game may have begun
        os._exit(1)
"""


def add_to_loop(command: list[str], code: str) -> None:
    source = Path(command[-1])
    source.write_text(source.read_text() + code)


def test_a_program_that_exits_after_a_game_is_restarted_for_the_next(
    tmp_path: Path,
) -> None:
    command = write_program(tmp_path)
    add_to_loop(command, EXITS_AFTER_GAMES)
    limits = ProcessLimits(startup_seconds=AMPLE_TIME, answer_seconds=AMPLE_TIME)
    with started(command, Isolation(limits=limits, restarts=None)) as player:
        assert forfeits(play_series(player, games=3)) == [None, None, None]


def test_a_crash_at_the_first_request_of_a_process_forfeits(tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    command = write_program(tmp_path, at_start=f"open({str(starts)!r}, 'a').write('x')", at_request="os._exit(1)")
    with started(command, msgspec.structs.replace(ISOLATION, restarts=None)) as player:
        assert None not in forfeits(play_series(player, games=3))
    assert starts.read_text() == "xxx"


def test_a_failed_restart_forfeits_the_games_of_the_program(tmp_path: Path) -> None:
    command = write_program(tmp_path, at_game="os.remove(__file__)", at_request="if requests > 3: os._exit(1)")
    with started(command, msgspec.structs.replace(ISOLATION, restarts=None)) as player:
        first, *others = forfeits(play_series(player, games=3))
    assert first is not None
    assert all(other is not None and "did not introduce itself" in other.message for other in others)


def test_an_exit_is_detected_while_a_child_holds_the_pipes(tmp_path: Path) -> None:
    command = write_program(
        tmp_path,
        at_request="subprocess.Popen([sys.executable, '-c', 'import time; time.sleep(300)']); os._exit(7)",
    )
    with started(command, Isolation(limits=ProcessLimits(answer_seconds=AMPLE_TIME))) as player:
        began = time.monotonic()
        (forfeit,) = forfeits(play_series(player, time_limit=None))
    assert forfeit == Forfeit("disconnected", "the program ended with status 7")
    assert time.monotonic() - began < AMPLE_TIME


def test_an_exit_between_two_games_forfeits_the_second(tmp_path: Path) -> None:
    command = write_program(tmp_path)
    add_to_loop(command, EXITS_AFTER_GAMES)
    with started(command, ISOLATION) as player:
        first, second = forfeits(play_series(player, games=2))
    assert first is None
    assert second is not None
    assert second.reason == "disconnected"


def test_a_hanging_program_is_stopped_after_a_second_wait(tmp_path: Path) -> None:
    command = write_program(tmp_path, at_request="time.sleep(300)")
    with started(command, ISOLATION) as player:
        # The second wait is as long as for a start.
        player._session._limits = msgspec.structs.replace(LIMITS, startup_seconds=1.0)
        began = time.monotonic()
        first, second, third = forfeits(play_series(player, games=3, time_limit=0.3))
        seconds = time.monotonic() - began
    assert first is not None
    assert first.reason == "late"
    assert second == third
    assert second is not None
    assert "it was stuck" in second.message
    assert seconds < AMPLE_TIME


# Processes that it starts

FORKS = """
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"])
subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)"], start_new_session=True)
middle = os.fork()
if middle == 0:
    os.setsid()
    if os.fork() == 0:
        time.sleep(300)
    os._exit(0)
os.waitpid(middle, 0)
"""


def test_children_and_orphans_are_killed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # Its children never exit by themselves.
    monkeypatch.setattr("wateringhole.process.supervision._ORPHAN_SECONDS", 0.2)
    command = write_program(tmp_path, at_start=FORKS)
    # The program itself exits, which may take a while on a busy machine.
    with started(command, Isolation(limits=msgspec.structs.replace(LIMITS, exit_seconds=30.0))) as player:
        program = player.program
        play_series(player)
        assert len(find_tagged(program.tag)) == 4
    assert find_tagged(program.tag) == []
    assert player.orphans_killed == 3


def escapes(word: str) -> str:
    """Return code for a process that leaves parent, session and environment, with a word on its command line."""
    return f"""
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.chdir("/")
        os.execve(sys.executable, [sys.executable, "-c", "import time; time.sleep(300)", {word!r}], {{}})
    os._exit(0)
"""


def test_a_process_without_parent_session_and_environment_is_killed(tmp_path: Path) -> None:
    word = f"{tmp_path}-escaped"
    with started(write_program(tmp_path, at_start=escapes(word)), ISOLATION) as player:
        play_series(player)
        eventually(lambda: len(running_with(word)) == 1)
    assert running_with(word) == []
    assert player.orphans_killed == 1


def test_endlessly_forking_processes_are_killed(tmp_path: Path) -> None:
    starts = tmp_path / "starts"
    starts.touch()
    again = (
        f"import os, sys; print(end='x', file=open({str(starts)!r}, 'a'), flush=True); "
        "os.fork() and os._exit(0); os.setsid(); os.execve(sys.executable, sys.orig_argv, {})"
    )
    code = f"subprocess.Popen([sys.executable, '-I', '-S', '-c', {again!r}], start_new_session=True, env={{}})"
    with started(write_program(tmp_path, at_start=code), ISOLATION) as player:
        play_series(player)
        before = starts.stat().st_size
        eventually(lambda: starts.stat().st_size > before + 3)
    after = starts.stat().st_size
    # No process may be left to write.  A slow machine does not make one.
    time.sleep(0.5)
    assert starts.stat().st_size == after
    assert player.orphans_killed > 0


def test_a_process_with_an_odd_name_is_found(tmp_path: Path) -> None:
    odd = tmp_path / "a) S 1 ("
    shutil.copy(shutil.which("sleep") or "sleep", odd)
    with subprocess.Popen([odd, "300"]) as process:
        try:
            assert process.pid in descendants(os.getpid())
        finally:
            process.kill()


def test_a_program_started_in_a_thread_outlives_the_thread(tmp_path: Path) -> None:
    players: list[ProgramPlayer] = []
    command = write_program(tmp_path)
    thread = threading.Thread(target=lambda: players.extend(start_program(PORRINHA, command, 1, ISOLATION)))
    thread.start()
    thread.join()
    try:
        assert forfeits(play_series(players[0])) == [None]
    finally:
        players[0].close()


def test_killing_the_supervisor_forfeits_and_kills_all_tagged_processes(tmp_path: Path) -> None:
    command = write_program(
        tmp_path, at_start=FORKS, at_request="os.kill(os.getppid(), signal.SIGKILL); time.sleep(60)"
    )
    with started(command, ISOLATION) as player:
        program = player.program
        (forfeit,) = forfeits(play_series(player))
    assert forfeit == Forfeit("disconnected", "the program killed its caretaker, and was ended")
    eventually(lambda: find_tagged(program.tag) == [])


def test_a_process_without_environment_is_killed_after_the_supervisor_was(tmp_path: Path) -> None:
    command = write_program(
        tmp_path,
        at_start=f"""
        escaped = subprocess.Popen(["sleep", "301"], env={{}}, start_new_session=True)
        open({str(tmp_path / "escaped")!r}, "w").write(str(escaped.pid))
        """,
        at_request="os.kill(os.getppid(), signal.SIGKILL); time.sleep(60)",
    )
    with started(command, ISOLATION) as player:
        escaped = Path("/proc", (tmp_path / "escaped").read_text())
        assert escaped.exists()
        (forfeit,) = forfeits(play_series(player))
    assert forfeit == Forfeit("disconnected", "the program killed its caretaker, and was ended")
    # The process that inherits it may take a moment to reap it.
    eventually(lambda: not escaped.exists() or not (escaped / "cmdline").read_bytes())


def test_stopping_the_supervisor_does_not_save_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A wait for a supervisor that is not continued first would take this long.
    monkeypatch.setattr("wateringhole.process.supervision._KILL_SECONDS", 60.0)
    command = write_program(tmp_path, at_start=FORKS, at_game="os.kill(os.getppid(), signal.SIGSTOP)")
    began = time.monotonic()
    with started(command, ISOLATION) as player:
        program = player.program
        play_series(player)
    assert time.monotonic() - began < 60
    assert player.stopped_supervisor
    assert player.orphans_killed == 3
    assert find_tagged(program.tag) == []
    assert not program.folder.exists()


def test_a_repeatedly_stopped_supervisor_is_not_needed_to_kill(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wateringhole.process.supervision._KILL_SECONDS", 0.2)
    # Read before the fork, because a late child may already have another parent.
    stopping = """
    supervisor = os.getppid()
    if os.fork() == 0:
        while True:
            os.kill(supervisor, signal.SIGSTOP)
    """
    with started(write_program(tmp_path, at_start=stopping), ISOLATION) as player:
        program = player.program
        play_series(player)
    assert player.stopped_supervisor
    eventually(lambda: find_tagged(program.tag) == [])
    assert not program.folder.exists()


ENDING = """
import os, sys, time
from wateringhole.player import PlayerFailed
from wateringhole.process.child import ChildProcess
from wateringhole.process.limits import Isolation
program = ChildProcess(sys.argv[2:], Isolation())
print(program.tag, program.folder, flush=True)
sys.stdin.readline()
{end}
time.sleep(60)
"""


@pytest.mark.parametrize(
    "end",
    ["raise RuntimeError", "sys.exit(3)", "os.kill(os.getpid(), 2)", "os.kill(os.getpid(), 9)", "del program"],
)
def test_a_program_is_killed_when_our_process_ends(end: str, tmp_path: Path) -> None:
    word = f"{tmp_path}-escaped"
    command = write_program(tmp_path, at_start=FORKS + escapes(word))
    code = ENDING.format(end=end if end != "del program" else "del program; sys.exit()")
    with subprocess.Popen(
        [sys.executable, "-c", code, "-", *command],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdout is not None
        tag, _, folder = process.stdout.readline().strip().partition(" ")
        # The process ends when the program has started all the others.
        eventually(lambda: len(find_tagged(tag)) == 5 and len(running_with(word)) == 1, process=process)
        _, errors = process.communicate("now\n", timeout=300)
    assert len(tag) == 32, errors
    # A killed process cannot wait for the exit of others.
    eventually(lambda: find_tagged(tag) == [] and running_with(word) == [])
    eventually(lambda: not Path(folder).exists())


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM], ids=["interrupted", "terminated"])
def test_an_interrupted_series_leaves_no_program_behind(number: signal.Signals, tmp_path: Path) -> None:
    tag_file = tmp_path / "tag"
    at_request = f"open({str(tag_file)!r}, 'w').write(os.environ['WATERINGHOLE_PLAYER']); time.sleep(300)"
    command = write_program(tmp_path, at_start=FORKS, at_request=at_request)
    words = ["play", "porrinha", f"cmd:{' '.join(command)}", "random", "random", "--games", "1000", "-q"]
    words += ["--time-limit", "300"]
    with subprocess.Popen(
        [sys.executable, "-m", "wateringhole", *words],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as process:
        eventually(lambda: tag_file.exists() and tag_file.read_text() != "", process=process)
        process.send_signal(number)
        process.communicate(timeout=AMPLE_TIME)
    assert process.returncode == 130
    assert find_tagged(tag_file.read_text()) == []


# The sandbox

SPYING = """
import socket
def attempt(what, act):
    try:
        act()
        print(what, "worked", file=sys.stderr)
    except OSError as error:
        print(what, "failed", file=sys.stderr)
def write_outside():
    open(__file__ + ".spoiled", "w")
def connect():
    socket.create_connection(("127.0.0.1", {port}), timeout=2)
attempt("outside", write_outside)
attempt("inside", lambda: open("notes", "w"))
attempt("network", connect)
print("SECRET" in os.environ, file=sys.stderr)
"""


@pytest.fixture
def sandbox() -> None:
    try:
        check_sandbox()
    except UsageError as why:
        pytest.skip(str(why))


@pytest.mark.usefixtures("sandbox")
def test_the_sandbox_has_no_network_and_no_write_access(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import socket

    monkeypatch.setenv("SECRET", "1")
    with socket.create_server(("127.0.0.1", 0)) as listening:
        code = SPYING.replace("{port}", str(listening.getsockname()[1]))
        command = write_program(tmp_path, at_start=code)
        unrestricted = report_of(command).split("\n")
        shutil.rmtree(tmp_path / "logs")
        locked = report_of(command, msgspec.structs.replace(ISOLATION, sandbox=True)).split("\n")
    assert unrestricted[:4] == ["outside worked", "inside worked", "network worked", "True"]
    assert locked[:4] == ["outside failed", "inside worked", "network failed", "False"]


@pytest.mark.usefixtures("sandbox")
def test_an_untagged_process_in_the_sandbox_is_killed(tmp_path: Path) -> None:
    mark = f"orphan of {tmp_path}\0"
    code = f"""
    subprocess.Popen([sys.executable, "-c", "import time; time.sleep(300)", {mark[:-1]!r}],
                     start_new_session=True, env={{}})
    """
    command = write_program(tmp_path, at_start=code)
    with started(command, msgspec.structs.replace(ISOLATION, sandbox=True)) as player:
        play_series(player)
        eventually(lambda: len(running_with(mark)) == 1)
    eventually(lambda: running_with(mark) == [])


def running_with(word: str) -> list[str]:
    """Return the command lines that contain a word."""
    found = []
    for entry in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            text = os.fsdecode(entry.read_bytes())
        except OSError:
            continue
        if word in text:
            found.append(text)
    return found


def test_a_missing_sandbox_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    check_sandbox.cache_clear()
    with pytest.raises(
        UsageError, match="bubblewrap is not installed here; on Debian and Ubuntu: apt install bubblewrap"
    ):
        start_program(PORRINHA, ["true"], 1, Isolation(sandbox=True))


def test_an_unusable_sandbox_is_reported(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    broken = tmp_path / "bwrap"
    broken.write_text("#!/bin/sh\necho 'bwrap: No permissions to create new namespace' >&2\nexit 1\n")
    broken.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    check_sandbox.cache_clear()
    with pytest.raises(UsageError, match=r"cannot run here \(bwrap: No permissions to create new namespace\)"):
        start_program(PORRINHA, ["true"], 1, Isolation(sandbox=True))


def test_only_program_and_script_paths_become_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "fast").mkdir()
    (tmp_path / "mine.py").touch()
    (tmp_path / "python").symlink_to(sys.executable)
    command = split_command("./python -u mine.py fast --mode fast mine.py")
    assert command == [f"{tmp_path}/python", "-u", f"{tmp_path}/mine.py", "fast", "--mode", "fast", "mine.py"]
    assert split_command("python3 fast") == ["python3", "fast"]
