"""`check`: problems and warnings about a player, reported before the tournament."""

from __future__ import annotations

import contextlib
import io
import json
import shlex
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import called
from tests.process.programs import write_program
from tests.process.spying import sandbox_or_skip
from wateringhole.cli import commands
from wateringhole.process import supervision
from wateringhole.tournaments import check

__all__ = ["sandbox_or_skip"]

PROGRAM = Path(__file__).parent.parent / "cheat_program.py"


def checked(*words: str, status: int, folder: Path | None = None) -> Any:
    """Return the JSON answer of `check` without the sandbox, where players can do more."""
    out = io.StringIO()
    with contextlib.chdir(folder or "."), contextlib.redirect_stdout(out):
        ended = commands()(("check", *words, "--sandbox", "none", "--json"), standalone_mode=False)
    assert ended == status, out.getvalue()
    report = json.loads(out.getvalue())
    assert report["is_fine"] == (status == 0)
    return report


def kinds(report: Any, *, problems: bool) -> set[str]:
    return {finding["kind"] for finding in report["findings"] if finding["is_problem"] == problems}


@pytest.mark.parametrize(("game", "player"), [("evolution", "silly"), ("porrinha", "counter?seed=1")])
def test_a_sound_player_passes(game: str, player: str) -> None:
    report = checked(game, player, status=0)
    assert kinds(report, problems=True) == set()
    assert report["answers"] > 30
    assert 0 < report["median_seconds"] <= report["worst_seconds"] < 5
    assert 1 << 20 < report["peak_memory_bytes"] < 1 << 30
    assert report["startup_seconds"] > 0
    assert len(report["places"]) == 4


def test_without_json_the_report_is_text() -> None:
    ran = called("check", "evolution", "silly")
    assert ran.returncode == 0
    assert ran.stderr == ""
    assert "Nothing here would get it thrown out." in ran.stdout
    assert "median" in ran.stdout


@pytest.mark.usefixtures("sandbox_or_skip")
@pytest.mark.parametrize(
    ("code", "problem"),
    [
        (
            "class Base: ...\nclass Other: ...\n",
            "there is no class or function 'Bas' in {file}; it defines Base, Other. Did you mean Base?",
        ),
        ("class Bas: ...\n", "it ({file}, line 1) is not a player of evolution: derive it from {base}."),
        ("class Bas\n    pass\n", "{file}, line 1: SyntaxError: expected ':'."),
        ("1 / 0\n", "{file}, line 1: ZeroDivisionError: division by zero."),
        (
            "open('weights')\n",
            "{file}, line 1: FileNotFoundError: [Errno 2] No such file or directory: 'weights'. "
            "It ran in the sandbox, where it sees only its own files; show more with --read-only.",
        ),
        (
            "import unknown_module\n",
            "{file}, line 1: ModuleNotFoundError: No module named 'unknown_module'. "
            "It ran in the sandbox, where it sees only its own files; show more with --read-only.",
        ),
    ],
    ids=["class", "base", "syntax", "bug", "file", "module"],
)
def test_only_a_player_that_may_miss_files_is_referred_to_the_sandbox(code: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "b.py").write_text(code)
    ran = called("check", "evolution", "b.py:Bas", "--sandbox", "bwrap", folder=tmp_path)
    problem = problem.format(file=tmp_path / "b.py", base="wateringhole.games.evolution.Player")
    assert (ran.returncode, ran.stdout) == (
        1,
        f"evolution: b.py:Bas\nproblem  player 'b.py:Bas' did not start: {problem}\n",
    )


def test_different_answers_to_the_same_seed_are_a_warning(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    report = checked("evolution", "mine.py:Moody", status=0, folder=tmp_path)
    (message,) = [finding["message"] for finding in report["findings"] if finding["kind"] == "not-repeatable"]
    assert "from answer 1 on (declare, three players)" in message
    # A player that takes a seed gets the same one in both runs.
    assert "not-repeatable" not in kinds(checked("evolution", "random", status=0), problems=False)


@pytest.mark.parametrize(
    ("game", "kind", "problem", "words"),
    [
        ("evolution", "illegal 2 a card used twice", "illegal", "it broke a rule (card-used-twice): card 0 is used "),
        ("evolution", "illegal a hunting vegetarian", "illegal", "it broke a rule ("),
        ("porrinha", "allocating", "disconnected", "MemoryError"),
        ("evolution", "a string", "unreadable", 'it sent an unreadable message: "banana" is not an Action4'),
        ("evolution", "printing", "unreadable", "'hm, let me see ...' is not a message"),
        (
            "evolution",
            "exiting",
            "disconnected",
            "the program ended with status 3; last line on standard error: I have had enough",
        ),
        ("evolution", "silent", "late", "asked to declare, it was too late: no answer came within 0.5 s"),
        ("evolution", "forking", "left-over", "of its processes did not exit by themselves"),
        ("porrinha", "fault a negative hand", "bad-answer", "-1"),
        ("porrinha", "NaN", "unreadable", "is not a message"),
    ],
)
def test_bad_players_have_problems(
    game: str, kind: str, problem: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    command = shlex.join([sys.executable, str(PROGRAM), kind])
    memory = "128" if kind == "allocating" else "1024"
    # Only a player that hangs waits for a time limit; on a busy machine, others may take seconds.
    time_limit = "0.5" if problem == "late" else "30"
    if problem in ("late", "left-over"):
        monkeypatch.setattr(check, "EXIT_SECONDS", 0.3)
    options = ("--time-limit", time_limit, "--startup-timeout", "60", "--memory-limit", memory)
    report = checked(game, f"cmd:{command}", *options, status=1)
    assert kinds(report, problems=True) == {problem}
    assert any(words in finding["message"] for finding in report["findings"])


MINE = """
import pathlib
import time
from wateringhole.games.evolution import Declaration
from wateringhole.games.evolution.bots.silly import Silly

class Slow(Silly):
    def choose(self, request):
        marker = pathlib.Path(__file__).with_name("was here")
        marker.touch()
        return super().choose(request)

class Moody(Silly):
    def choose(self, request):
        # Another card each time, as if by chance.
        marker = pathlib.Path(__file__).with_name("was here")
        self.card = getattr(self, "card", 1 if marker.exists() else 0)
        marker.touch()
        return Declaration(self.card)

class Greedy(Silly):
    def choose(self, request):
        return Declaration(99)

class Weary(Silly):
    def game_over(self, outcome):
        raise RuntimeError("so tired")

class Nosy(Silly):
    wants_events = True

    def on_event(self, event):
        raise RuntimeError("did not want to see that")

class Forgetful(Silly):
    def start(self, view):
        marker = pathlib.Path(__file__).with_name("was here")
        if not marker.exists():
            self.first = True
            marker.touch()
        elif not hasattr(self, "first"):
            raise RuntimeError("an earlier process was here")

class Timid(Silly):
    def choose(self, request):
        if len(request.view.boards) > 4:
            raise RuntimeError("too many boards")
        return super().choose(request)
"""


def advance_when_exists(marker: Path, seconds: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """Advance the clock of the check as soon as the player has written a file."""

    class Clock:
        @staticmethod
        def perf_counter() -> float:
            return time.perf_counter() + (seconds if marker.exists() else 0.0)

    monkeypatch.setattr(check, "time", Clock)


def test_a_slow_answer_is_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    advance_when_exists(tmp_path / "was here", 61, monkeypatch)
    report = checked("evolution", "mine.py:Slow", "--time-limit", "120", status=0, folder=tmp_path)
    assert "slow" in kinds(report, problems=False)
    assert 61 < report["worst_seconds"] < 120


def test_large_requests_from_games_of_others_are_asked(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    report = checked("evolution", "mine.py:Timid", status=1, folder=tmp_path)
    (message, *_) = [finding["message"] for finding in report["findings"] if finding["is_problem"]]
    assert "it failed: RuntimeError in mine.py line" in message


def test_a_violation_in_several_trials_is_one_finding_that_names_the_rule(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    (finding,) = checked("evolution", "mine.py:Greedy", status=1, folder=tmp_path)["findings"]
    where = "With three players, eight players and the framework's rules, asked to declare, "
    assert finding["message"].startswith(f"{where}it broke a rule (no-such-card): there is no card 99")
    assert finding["tables"] == ["three players", "eight players", "the framework's rules"]
    assert (finding["kind"], finding["request"], finding["rule"]) == ("illegal", "declare", "no-such-card")


BAD_GUESSES = """
from wateringhole.games.porrinha.bots.random import Random

class Bad(Random):
    def guess(self):
        return -3

class Clumsy(Random):
    def hand(self):
        return 99

class Weary(Random):
    def end_round(self):
        if not self.core.chopsticks(self.core.index(self)):
            raise RuntimeError("so tired")
"""


def test_a_bad_answer_in_several_trials_is_one_finding_that_names_the_request(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(BAD_GUESSES)
    (finding,) = checked("porrinha", "bad.py:Bad", status=1, folder=tmp_path)["findings"]
    where = "With two players, eight players and the original program's rules, asked to guess, "
    assert finding["message"] == f"{where}it guessed -3, which is below 0: the guess is void."
    assert finding["tables"] == ["two players", "eight players", "the original program's rules"]
    assert (finding["kind"], finding["request"], finding["rule"]) == ("bad-answer", "guess", "guess_negative")


def test_a_bad_hand_is_found_although_it_is_opened_after_the_guess(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(BAD_GUESSES)
    first, *_ = checked("porrinha", "bad.py:Clumsy", status=1, folder=tmp_path)["findings"]
    assert (first["kind"], first["request"], first["rule"]) == ("bad-answer", "hand", "hand_range")


def test_a_failure_after_leaving_the_game_is_a_warning(tmp_path: Path) -> None:
    (tmp_path / "bad.py").write_text(BAD_GUESSES)
    report = checked("porrinha", "bad.py:Weary", status=0, folder=tmp_path)
    assert "mishap" in kinds(report, problems=False)


def test_a_player_that_does_not_start_is_a_problem(tmp_path: Path) -> None:
    command = " ".join(write_program(tmp_path, at_start="sys.exit('no licence')"))
    report = checked("porrinha", f"cmd:{command}", status=1)
    (finding,) = report["findings"]
    assert finding["kind"] == "startup"
    assert "last line on standard error: no licence" in finding["message"]


@pytest.mark.parametrize(
    ("player", "status", "kind", "words"),
    [
        ("Weary", 0, "mishap", "it failed after that could no longer cost it anything: RuntimeError in mine.py line"),
        ("Nosy", 1, "exception", "did not want to see that"),
        ("Forgetful", 1, "exception", "In the second run, in a new process: With three players"),
    ],
)
def test_failures_outside_of_requests_are_found(
    player: str, status: int, kind: str, words: str, tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    report = checked("evolution", f"mine.py:{player}", status=status, folder=tmp_path)
    assert any(finding["kind"] == kind and words in finding["message"] for finding in report["findings"])


ESCAPES = """
if os.fork() == 0:
    os.setsid()
    if os.fork() == 0:
        os.execve(sys.executable, [sys.executable, "-c", "import time; time.sleep(300)"], {})
    os._exit(0)
"""


@pytest.mark.parametrize("at_request", ["", "if requests == 2: os._exit(1)"], ids=["running", "crashing"])
def test_hidden_processes_are_left_over_even_after_a_crash(
    at_request: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Only for the hidden processes, which never exit by themselves.
    monkeypatch.setattr(supervision, "_ORPHAN_SECONDS", 0.2)
    command = " ".join(write_program(tmp_path, at_start=ESCAPES, at_request=at_request))
    report = checked("porrinha", f"cmd:{command}", status=1)
    (message,) = [finding["message"] for finding in report["findings"] if finding["kind"] == "left-over"]
    starts = 3 if at_request else 1
    assert message == f"After its games, {starts} of its processes did not exit by themselves."


def test_a_program_that_exits_slowly_has_no_problem(tmp_path: Path) -> None:
    command = write_program(tmp_path, at_start="import atexit, time; atexit.register(time.sleep, 1)")
    assert not checked("porrinha", f"cmd:{' '.join(command)}", status=0)["findings"]


def test_a_program_that_stops_its_supervisor_has_a_problem(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # A stopped supervisor cannot report the exit.
    monkeypatch.setattr(check, "EXIT_SECONDS", 0.3)
    command = write_program(tmp_path, at_start="os.kill(os.getppid(), signal.SIGSTOP)")
    report = checked("porrinha", f"cmd:{' '.join(command)}", status=1)
    assert [finding["message"] for finding in report["findings"] if finding["kind"] == "meddling"] == [
        "It stopped its supervisor process (SIGSTOP)."
    ]


def test_a_program_that_exits_after_one_game_has_a_problem(tmp_path: Path) -> None:
    command = write_program(tmp_path, at_request="")
    source = Path(command[-1])
    source.write_text(source.read_text() + "    if message.get('notice') == 'end_game': os._exit(4)\n")
    report = checked("porrinha", f"cmd:{' '.join(command)}", status=1)
    first, *_ = [finding["message"] for finding in report["findings"] if finding["kind"] == "disconnected"]
    assert first == "It exited between two games, before those with eight players: the program ended with status 4."


def test_high_memory_use_is_a_warning(tmp_path: Path) -> None:
    command = " ".join(write_program(tmp_path, at_start="hoard = bytearray(85 << 20); hoard[::4096] = b'x' * 21760"))
    report = checked("porrinha", f"cmd:{command}", "--memory-limit", "100", status=0)
    assert "memory" in kinds(report, problems=False)
    assert report["peak_memory_bytes"] > 85 << 20


def test_a_slow_start_is_a_warning(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    # It starts slowly only in the first run, which is enough.
    been = tmp_path / "been here"
    advance_when_exists(been, 61, monkeypatch)
    command = " ".join(write_program(tmp_path, at_start=f"open({str(been)!r}, 'w').close()"))
    report = checked("porrinha", f"cmd:{command}", "--startup-timeout", "120", status=0)
    assert "slow-start" in kinds(report, problems=False)
    assert report["startup_seconds"] > 61


def test_unasked_messages_are_a_warning(tmp_path: Path) -> None:
    command = " ".join(write_program(tmp_path, at_request="send(type='thinking')"))
    assert "unasked" in kinds(checked("porrinha", f"cmd:{command}", status=0), problems=False)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("evolution", "human"), "humans cannot be checked"),
        (("evolution", "Ada=human"), "humans cannot be checked"),
        (("evolution", "cmd*2:./mine"), "only one player can be checked at a time"),
        (("chess", "silly"), "'chess' is not an installed game"),
        (("evolution", "unknown"), "there is no installed player 'unknown' for evolution"),
        (("evolution", "silly", "--time-limit", "0"), "--time-limit 0: expected a positive number of seconds."),
    ],
)
def test_usage_errors_name_the_mistake(words: tuple[str, ...], message: str) -> None:
    ran = called("check", *words)
    assert ran.returncode == 2
    assert message in ran.stderr
    assert "Traceback" not in ran.stderr
