"""A failing bot gets its traceback, and `wateringhole ask` repeats the request that caused the failure."""

from __future__ import annotations

import json
import shlex
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.running import Ran, called, wateringhole
from wateringhole import registry
from wateringhole.match import failures
from wateringhole.match.failures import Failure, Witness
from wateringhole.match.loops import play
from wateringhole.match.match import Match

MINE = """
from wateringhole.games.porrinha.bots.zero import Zero


class Mine(Zero):
    rounds = 0

    def hand(self):
        self.rounds += 1
        return 0

    def guess(self):
        return super().guess() if self.rounds < 3 else self.think()

    def think(self):
        return [][self.rounds]
"""
FIXED = MINE.replace("return [][self.rounds]", "return 0")
PLAYERS = ("porrinha", "mine.py:Mine", "random")


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "wateringhole" / "failures"


def failing(folder: Path, *options: str) -> Ran:
    (folder / "mine.py").write_text(MINE)
    return called("play", *PLAYERS, "--seed", "7", *options, folder=folder)


def command_in(ran: Ran) -> list[str]:
    """Return the words after `wateringhole` in the command that repeats the request."""
    *_, last = ran.stderr.splitlines()
    assert last.startswith("wateringhole: mine.py:Mine failed; to repeat the request that caused it: ")
    return shlex.split(last.partition(" it: ")[2])[1:]


@pytest.mark.parametrize("options", [(), ("--time-limit", "20"), ("--json",)], ids=["in process", "isolated", "json"])
def test_play_prints_the_lines_of_the_author_alone(options: tuple[str, ...], tmp_path: Path) -> None:
    ran = failing(tmp_path, *options)
    assert ran.returncode == 0
    trace = ran.stderr[ran.stderr.index("Traceback") :].splitlines()
    files = [line.split('"')[1] for line in trace if line.startswith("  File ")]
    assert files == [str(tmp_path / "mine.py")] * 2
    assert "    return [][self.rounds]" in trace
    assert "IndexError: list index out of range" in trace
    assert ran.stderr.count("Traceback") == 1


@pytest.mark.parametrize("options", [(), ("--time-limit", "20")], ids=["in process", "isolated"])
def test_ask_repeats_a_failure_that_needs_earlier_messages(options: tuple[str, ...], tmp_path: Path) -> None:
    words = command_in(failing(tmp_path, *options))
    ran = called(*words, folder=tmp_path)
    assert ran.returncode == 1
    assert ran.stdout.startswith("porrinha: guess, message ")
    assert 'mine.py", line 16, in think' in ran.stderr
    assert "wateringhole/" not in ran.stderr.replace(str(tmp_path), "")


HELPERS = """
class TooLate(Exception):
    pass

class Silent(Exception):
    def __str__(self):
        raise SystemExit(4)

def descend(level):
    try:
        descend(level + 1)
    except Exception:
        raise ValueError(f"level {level}")

def read():
    from wateringhole.errors import UsageError
    from wateringhole.match.specs import parse_specs
    try:
        parse_specs("porrinha", ["nobody"])
    except UsageError as error:
        raise ExceptionGroup("both", [error, ValueError("second")])
"""


@pytest.fixture
def usual_recursion_limit() -> Iterator[None]:
    """Set the limit of a new interpreter.  Libraries that other tests import raise it."""
    limit = sys.getrecursionlimit()
    sys.setrecursionlimit(1000)
    yield
    sys.setrecursionlimit(limit)


@pytest.mark.usefixtures("usual_recursion_limit")
@pytest.mark.parametrize("options", [(), ("--time-limit", "20")], ids=["in process", "isolated"])
@pytest.mark.parametrize(
    ("failing_line", "shown"),
    [
        ("raise TooLate('it is late')", "\nTooLate: it is late\n"),
        ("raise ValueError('\\ud800 \\x1b[31m')", "\nValueError: ?  [31m\n"),
        ("raise ValueError('x' * 2_000_000)", "\nValueError: xxx"),
        ("raise ValueError('x\\n' * 600_000)", " more lines)\nx\n"),
        ("raise Silent", "\nSilent: <exception str() failed>\n"),
        ("descend(0)", "\nValueError: level 0\n"),
        ("read()", "ExceptionGroup: both (2 sub-exceptions)\n"),
    ],
    ids=["own type", "unprintable", "long line", "many lines", "no text", "long chain", "group"],
)
def test_every_exception_of_a_bot_is_shown_and_can_be_repeated(
    failing_line: str, shown: str, options: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text(MINE.replace("return [][self.rounds]", failing_line) + HELPERS)
    ran = called("play", *PLAYERS, "--seed", "7", *options, folder=tmp_path)
    again = called(*command_in(ran), folder=tmp_path)
    assert (ran.returncode, again.returncode) == (0, 1)
    for stderr in (ran.stderr, again.stderr):
        trace = stderr.partition("mine.py:Mine failed")[0]
        assert shown in trace
        assert "wateringhole/" not in trace.replace(str(tmp_path), "")
        assert "\x1b" not in trace
        assert len(trace) < 40_000


@pytest.mark.parametrize("options", [(), ("--time-limit", "20")], ids=["in process", "isolated"])
def test_a_bot_without_a_needed_method_gets_no_lines_of_this_package(options: tuple[str, ...], tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from wateringhole.games.porrinha import Player\n\nclass Mine(Player):\n    def hand(self):\n        return 0\n"
    )
    ran = called("play", *PLAYERS, "--seed", "7", *options, folder=tmp_path)
    again = called(*command_in(ran), folder=tmp_path)
    for stderr in (ran.stderr, again.stderr):
        assert "NotImplementedError: Mine does not guess: define guess()\n" in stderr
        assert "Traceback" not in stderr
    assert ": Mine does not guess: define guess()" in ran.stdout


@pytest.mark.parametrize("options", [(), ("--time-limit", "20")], ids=["in process", "isolated"])
@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("def guess(self, seat): return 0", "Mine.guess() missing 1 required positional argument: 'seat'"),
        ("def on_seated(self): pass", "Mine.on_seated() takes 1 positional argument but 2 were given"),
        ("def end_round(self, seat): pass", "Mine.end_round() missing 1 required positional argument: 'seat'"),
    ],
    ids=["request", "seat", "notice"],
)
def test_a_method_with_other_arguments_gets_the_line_of_its_definition(
    line: str, problem: str, options: tuple[str, ...], tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text(
        f"from wateringhole.games.porrinha.bots.zero import Zero\n\nclass Mine(Zero):\n    {line}\n"
    )
    ran = called("play", *PLAYERS, "--seed", "7", *options, folder=tmp_path)
    again = called(*command_in(ran), folder=tmp_path)
    name = line.split()[1].partition("(")[0]
    for stderr in (ran.stderr, again.stderr):
        trace = stderr[stderr.index("Traceback") :].partition("wateringhole: ")[0]
        assert trace == (
            f'Traceback (most recent call last):\n  File "{tmp_path / "mine.py"}", line 4, in {name}\n'
            f"    {line}\nTypeError: {problem}\n"
        )
    assert f"TypeError in mine.py line 4: {problem}" in ran.stdout + ran.stderr


def test_an_exception_without_a_line_of_the_author_gets_no_lines_of_this_package(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(
        "from wateringhole.games.porrinha.bots.zero import Zero\n\nclass Mine(Zero):\n    guess = 0\n"
    )
    ran = called("play", *PLAYERS, "--seed", "7", folder=tmp_path)
    again = called(*command_in(ran), folder=tmp_path)
    for stderr in (ran.stderr, again.stderr):
        assert "TypeError: 'int' object is not callable\n" in stderr
        assert "Traceback" not in stderr


def test_ask_shows_a_legal_answer_of_the_corrected_bot(tmp_path: Path) -> None:
    words = command_in(failing(tmp_path))
    (tmp_path / "mine.py").write_text(FIXED)
    ran = called(*words, folder=tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.splitlines()[1:] == ["answer: 0", "legal"]


def test_ask_names_the_rule_that_an_answer_breaks(tmp_path: Path) -> None:
    code = (
        "from wateringhole.games.evolution.bots.silly import Silly\n"
        "class Mine(Silly):\n"
        "    def choose(self, request): return 1 / 0\n"
    )
    (tmp_path / "mine.py").write_text(code)
    words = command_in(called("play", "evolution", "mine.py:Mine", "silly", "silly", folder=tmp_path))
    (tmp_path / "mine.py").write_text(code.replace("1 / 0", "'nothing'"))
    ran = called(*words, "--json", folder=tmp_path)
    found = json.loads(ran.stdout)
    assert (ran.returncode, found["is_legal"], found["reason"]) == (1, False, "illegal")
    assert found["rule"]
    assert found["message"] == found["messages"]


@pytest.mark.parametrize("options", [(), ("--time-limit", "20")], ids=["in process", "isolated"])
def test_ask_repeats_a_failure_after_an_illegal_answer(options: tuple[str, ...], tmp_path: Path) -> None:
    code = (
        "from wateringhole.games.evolution.bots.silly import Silly\n"
        "class Mine(Silly):\n"
        "    def choose(self, request): return 'nothing'\n"
        "    def thrown_out(self, forfeit): return 1 / 0\n"
    )
    (tmp_path / "mine.py").write_text(code)
    words = command_in(called("play", "evolution", "mine.py:Mine", "silly", "silly", *options, folder=tmp_path))
    ran = called(*words, folder=tmp_path)
    assert (ran.returncode, ran.stdout) == (1, "evolution: thrown_out, message 5 of 5\n")
    assert ran.stderr.endswith("ZeroDivisionError: division by zero\n")
    (tmp_path / "mine.py").write_text(code.replace("1 / 0", "0"))
    ran = called(*words, folder=tmp_path)
    assert ran.returncode == 1
    assert ran.stdout.startswith("evolution: declare, message 4 of 5\nfailed: illegal (ill-shaped): ")


def test_ask_stops_at_an_illegal_answer_that_was_legal(tmp_path: Path) -> None:
    code = (
        "from wateringhole.games.evolution.bots.silly import Silly\n"
        "class Mine(Silly):\n"
        "    def choose(self, request): return super().choose(request) if request.view.turn < 2 else 1 / 0\n"
    )
    (tmp_path / "mine.py").write_text(code)
    words = command_in(called("play", "evolution", "mine.py:Mine", "silly", "silly", folder=tmp_path))
    (tmp_path / "mine.py").write_text(code.replace("super().choose(request)", "'nothing'"))
    ran = called(*words, folder=tmp_path)
    assert ran.returncode == 1
    assert ran.stdout.startswith("evolution: declare, message 4 of ")
    assert "failed: illegal (ill-shaped): " in ran.stdout


def test_ask_gives_the_request_to_a_program(tmp_path: Path) -> None:
    words = command_in(failing(tmp_path))
    (tmp_path / "program.py").write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    message = json.loads(line)\n"
        "    if message['type'] == 'hello':\n"
        "        print(json.dumps({'type': 'hello', 'protocol': 1}), flush=True)\n"
        "    if 'id' in message:\n"
        "        print(json.dumps({'type': 'pass', 'id': message['id']}), flush=True)\n"
    )
    ran = called("ask", f"cmd:{sys.executable} program.py", words[-1], folder=tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert ran.stdout.splitlines()[-1] == "legal"


def test_ask_reports_a_program_that_never_answers(tmp_path: Path) -> None:
    *_, file = command_in(failing(tmp_path))
    saved = json.loads(Path(file).read_text())
    for message in saved["messages"]:
        if message["type"] == "request":
            message["seconds"] = 0.2
    Path(file).write_text(json.dumps(saved))
    ran = called("ask", "cmd:cat", file, folder=tmp_path)
    assert (ran.returncode, ran.stderr) == (1, "")
    assert ran.stdout.splitlines()[-1] == "failed: late: no answer came within 0.2 s"


def test_ask_starts_the_debugger_where_the_bot_failed(tmp_path: Path) -> None:
    words = command_in(failing(tmp_path))
    ran = wateringhole(*words, "--pdb", stdin="p self.rounds + 100\nup\nq\n", folder=tmp_path)
    assert ran.returncode == 1
    assert "IndexError: list index out of range" in ran.stderr
    assert f"> {tmp_path / 'mine.py'}(16)think()\n-> return [][self.rounds]\n(Pdb) 103\n" in ran.stdout
    assert f"> {tmp_path / 'mine.py'}(13)guess()" in ran.stdout


def test_the_debugger_is_refused_for_a_program(tmp_path: Path) -> None:
    *_, file = command_in(failing(tmp_path))
    ran = called("ask", "cmd:cat", file, "--pdb", folder=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert ran.stderr == (
        "wateringhole: --pdb: cmd:cat runs in its own process. Name a Python bot, e.g. mine.py:Mine, or omit --pdb.\n"
    )


def test_check_prints_the_traceback_and_the_command(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MINE)
    ran = called("check", "porrinha", "mine.py:Mine", folder=tmp_path)
    assert ran.returncode == 1
    assert ran.stderr.count("IndexError: list index out of range\n") == 1
    assert called(*command_in(ran), folder=tmp_path).returncode == 1


def test_a_quiet_game_prints_only_the_result_of_a_bot_that_fails_at_its_end(tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(FIXED + "\n    def end_game(self):\n        raise ValueError('too late')\n")
    ran = called("play", *PLAYERS, "--seed", "7", "--quiet", folder=tmp_path)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "failed, too late to matter" in called("play", *PLAYERS, "--seed", "7", folder=tmp_path).stderr


def test_a_quiet_game_saves_nothing(tmp_path: Path, cache: Path) -> None:
    assert failing(tmp_path, "--quiet").stderr == ""
    assert not cache.exists()


def test_old_failures_are_removed(tmp_path: Path, cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wateringhole.cli.failures.MOST_FILES", 2)
    for seed in "123":
        failing(tmp_path, "--seed", seed)
    assert len(list(cache.iterdir())) == 2


def test_a_folder_that_cannot_be_written_costs_only_the_file(tmp_path: Path, cache: Path) -> None:
    cache.parent.mkdir(parents=True)
    cache.touch()
    ran = failing(tmp_path)
    assert ran.returncode == 0
    assert ran.stderr.splitlines()[-1] == (
        f"wateringhole: the request that caused this cannot be saved: {cache}: File exists. "
        "Set XDG_CACHE_HOME to a folder that you can write to."
    )


@pytest.mark.parametrize(
    ("text", "problem"),
    [("oops", "is not a saved request: JSON is malformed"), ("{}", "is not a saved request: Object missing")],
)
def test_a_file_that_is_no_saved_request_is_an_error(text: str, problem: str, tmp_path: Path) -> None:
    (tmp_path / "request.json").write_text(text)
    ran = called("ask", "zero", "request.json", folder=tmp_path)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert problem in ran.stderr


def test_a_saved_request_that_was_changed_by_hand_is_an_error(tmp_path: Path) -> None:
    *_, file = command_in(failing(tmp_path))
    saved = json.loads(Path(file).read_text())
    saved["messages"][-1]["id"] = "last"
    Path(file).write_text(json.dumps(saved))
    ran = called("ask", "zero", file, folder=tmp_path)
    assert (ran.returncode, ran.stdout) == (1, "")
    problem = f"message {len(saved['messages'])} of the saved request breaks the protocol: '{{"
    assert ran.stderr.startswith(f"wateringhole: {file}: {problem}")
    assert ran.stderr.endswith("(Expected `int`, got `str`). Let play or check save the request again.\n")


def test_a_saved_request_of_an_unknown_game_is_named(tmp_path: Path) -> None:
    *_, file = command_in(failing(tmp_path))
    Path(file).write_text(Path(file).read_text().replace('"porrinha"', '"chess"'))
    ran = called("ask", "zero", file, folder=tmp_path)
    assert (ran.returncode, ran.stdout) == (1, "")
    assert ran.stderr.startswith(f"wateringhole: {file}: 'chess' is not an installed game. Choose from: ")


def test_an_interruption_in_ask_gets_no_advice_on_an_option_of_play(tmp_path: Path) -> None:
    words = command_in(failing(tmp_path))
    (tmp_path / "mine.py").write_text(MINE.replace("return [][self.rounds]", "raise KeyboardInterrupt"))
    ran = called(*words, folder=tmp_path)
    assert (ran.returncode, ran.stdout) == (130, "")
    assert ran.stderr.startswith(f"\nwateringhole: interrupted in {tmp_path / 'mine.py'}, line 16.\n")


@pytest.mark.parametrize("options", [(), ("--time-limit", "20")], ids=["in process", "isolated"])
def test_an_answer_that_is_a_coroutine_is_refused_before_the_game(options: tuple[str, ...], tmp_path: Path) -> None:
    file = tmp_path / "mine.py"
    file.write_text(MINE.replace("def guess", "async def guess"))
    ran = called("play", *PLAYERS, *options, folder=tmp_path)
    assert (ran.returncode, ran.stdout) == (2, "")
    assert f"guess ({file}, line 12) returns a coroutine, not an answer. Remove async before def guess." in ran.stderr
    assert ran.stderr.count("\n") == 1


@pytest.mark.parametrize("player", ["unknown_module:Mine", "wateringhole.unknown:Mine"])
def test_a_module_that_does_not_exist_gets_no_lines_of_this_package(player: str, tmp_path: Path) -> None:
    ran = called("play", "porrinha", player, "random", folder=tmp_path)
    assert ran.returncode == 2
    assert ran.stderr.startswith(f"wateringhole: player '{player}' cannot be loaded: ")
    assert ran.stderr.count("\n") == 1


def test_a_witness_forgets_the_oldest_games(monkeypatch: pytest.MonkeyPatch) -> None:
    from wateringhole.games.porrinha.bots.zero import Zero

    class Fails(Zero):
        games = 0

        def on_seated(self, assignment: object) -> None:
            self.games += 1
            if self.games == 4:
                raise ValueError("the fourth game")

    monkeypatch.setattr(failures, "MOST_CALLS", 1)
    kind = registry.game_kind("porrinha")
    found: list[Failure] = []
    witness = Witness(kind, Fails(), "mine.py:Fails", 2, None, found.append)
    rules = next(iter(kind.profiles.values())).rules
    for seed in range(5):
        play(Match(kind, kind.deal(2, rules, seed)), [witness, Zero()])
    (failure,) = found
    assert failure.forgotten_games == 3
    assert [message["type"] for message in failure.messages] == ["hello", "game"]


@pytest.mark.parametrize("command", ["play", "ask", "play isolated", "check"])
@pytest.mark.parametrize(
    ("code", "trace", "problem"),
    [
        (
            "def read():\n    raise ValueError('no file')\n\nclass Mine:\n    def __init__(self):\n        read()\n",
            'Traceback (most recent call last):\n  File "{file}", line 6, in __init__\n    read()\n'
            '  File "{file}", line 2, in read\n    raise ValueError(\'no file\')\nValueError: no file\n',
            "could not be made: {file}, line 2: ValueError: no file.",
        ),
        (
            "import unknown_module\n",
            'Traceback (most recent call last):\n  File "{file}", line 1, in <module>\n    import unknown_module\n'
            "ModuleNotFoundError: No module named 'unknown_module'\n",
            "cannot be loaded: {file}, line 1: ModuleNotFoundError: No module named 'unknown_module'.",
        ),
        (
            "class Mine\n    pass\n",
            '  File "{file}", line 1\n    class Mine\nSyntaxError: expected \':\'\n',
            "cannot be loaded: {file}, line 1: SyntaxError: expected ':'.",
        ),
    ],
    ids=["constructor", "import", "syntax"],
)
def test_a_player_that_cannot_be_made_gets_the_lines_of_its_author(
    code: str, trace: str, problem: str, command: str, tmp_path: Path
) -> None:
    words = {
        "play": ("play", *PLAYERS),
        "ask": command_in(failing(tmp_path)),
        "play isolated": ("play", *PLAYERS, "--time-limit", "20"),
        "check": ("check", "porrinha", "mine.py:Mine", "--sandbox", "none"),
    }[command]
    file = tmp_path / "mine.py"
    file.write_text(code)
    ran = called(*words, folder=tmp_path)
    # Versions of Python underline different parts of a line.
    shown = "".join(line for line in ran.stderr.splitlines(keepends=True) if line.strip(" ~^\n"))
    if command in ("play isolated", "check"):
        problem = f"did not start: {problem.partition(': ')[2]}"
    message = f"player 'mine.py:Mine' {problem}\n".format(file=file)
    trace = trace.format(file=file)
    if command == "check":
        assert (ran.returncode, shown) == (1, trace)
        assert ran.stdout == f"porrinha: mine.py:Mine\nproblem  {message}"
    else:
        assert (ran.returncode, ran.stdout, shown) == (2, "", f"{trace}wateringhole: {message}")
