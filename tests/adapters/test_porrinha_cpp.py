"""Tests of C++ players of the original game with the replacement core of `adapters/porrinha-cpp`."""

from __future__ import annotations

import contextlib
import json
import os
import re
import shlex
import shutil
import subprocess
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.adapters.conftest import CORE
from tests.adapters.probe import Probe
from tests.cli.running import wateringhole
from tests.conftest import ROOT
from wateringhole import registry
from wateringhole.errors import UsageError
from wateringhole.game import Event, Outcome
from wateringhole.games.porrinha.rules.events import AnswerRepaired, PlayerForfeited, RoundSettled
from wateringhole.match.match import UNTIMED, LateFailure, RefereeSettings
from wateringhole.match.series import Entrant, Series
from wateringhole.match.specs import parse_specs
from wateringhole.player import Player, PlayerContext
from wateringhole.process.limits import NO_ISOLATION, Isolation, ProcessLimits

PORRINHA = registry.game_kind("porrinha")


def spec(program: Path, *words: str, players: int = 1, label: str = "") -> str:
    """Return the spec of the C++ program with these arguments."""
    return f"{label}cmd{'' if players == 1 else f'*{players}'}:{shlex.join([str(program), *words])}"


@dataclass(frozen=True)
class Game:
    outcome: Outcome
    events: list[Event]

    def of(self, kind: type[Any]) -> list[Any]:
        return [event for event in self.events if isinstance(event, kind)]

    @property
    def thrown_out(self) -> dict[int, str]:
        return {thrown.seat: thrown.forfeit.message for thrown in self.outcome.thrown_out}


@contextlib.contextmanager
def seated(players: Sequence[str | type[Player]], isolation: Isolation = NO_ISOLATION) -> Iterator[list[Entrant]]:
    """Create the players of a series from specs, or from classes without arguments."""
    entrants: list[Entrant] = []
    try:
        made: list[Any] = []
        for player in players:
            made += parse_specs("porrinha", [player], isolation) if isinstance(player, str) else [player]
        with PlayerContext(len(made)):
            for maker in made:
                is_class = isinstance(maker, type)
                entrants.append(Entrant(maker.__name__, maker()) if is_class else Entrant(maker.label, maker.make()))
        yield entrants
    finally:
        for entrant in entrants:
            entrant.player.close()


def games(
    *players: str | type[Player],
    number: int = 1,
    rotate: bool = False,
    referee: RefereeSettings = UNTIMED,
    profile: str = "seed",
    isolation: Isolation = NO_ISOLATION,
    **rules: Any,
) -> list[Game]:
    with seated(players, isolation) as entrants:
        return play(entrants, number, rotate, referee, profile, **rules)


def play(
    entrants: list[Entrant],
    number: int = 1,
    rotate: bool = False,
    referee: RefereeSettings = UNTIMED,
    profile: str = "seed",
    **rules: Any,
) -> list[Game]:
    series = Series(
        kind=PORRINHA,
        entrants=entrants,
        # Deterministic players may never finish a game.
        rules=msgspec.structs.replace(PORRINHA.profiles[profile].rules, **{"max_rounds": 1000} | rules),
        seeds=range(1, number + 1),
        rotate_seats=rotate,
        referee=referee,
    )
    events_by_game: list[list[Event]] = []

    def observers(names: Sequence[str]) -> list[Any]:
        events_by_game.append([])
        return [events_by_game[-1].append]

    return [Game(played.outcome, events_by_game[-1]) for played in series.play(observers)]


# ── good players ──────────────────────────────────────────────────────────────────────────


def test_play_accepts_cpp_players(program: Path) -> None:
    ran = wateringhole(
        "play",
        "porrinha",
        "random?seed=1",
        spec(program, "[lucky]", "--seed", "7", label="Lucky="),
        spec(program, "still", "[steady]", "--keep", "2", players=2),
        "--games",
        "20",
        "--json",
    )
    assert ran.returncode == 0, ran.stderr
    played = json.loads(ran.stdout)
    assert len(played) == 20
    for game in played:
        assert (game["reason"], game["thrown_out"], game["faults"]) == ("finished", [], [])
        assert {line["name"] for line in game["ranking"]} == {"random", "Lucky", "still", "steady"}


@pytest.mark.parametrize("opponents", [1, 4])
def test_player_written_from_the_document_plays_complete_series(program: Path, opponents: int) -> None:
    players = ("document", "document")
    others = [f"random?seed={number}" for number in range(opponents)]
    played = games(*others, spec(program, *players, players=2), number=20, rotate=True)
    assert [game.outcome.reason for game in played] == ["finished"] * 20
    for game in played:
        assert game.thrown_out == {}
        assert game.of(AnswerRepaired) == game.of(LateFailure) == []


def test_a_program_can_play_all_seats(program: Path) -> None:
    words = ("[lucky]", "--seed", "1", "[lucky]", "--seed", "2")
    ran = wateringhole("play", "porrinha", spec(program, *words, players=2), "--json")
    assert ran.returncode == 0, ran.stderr
    assert {line["name"] for line in json.loads(ran.stdout)["ranking"]} == {"lucky 1", "lucky 2"}


def test_arguments_after_a_bracketed_name_reach_its_factory(program: Path) -> None:
    words = ("[steady]", "--keep", "2", "[steady]", "--keep", "9", "[still]")
    (game,) = games(spec(program, *words, players=3), sticks=3, max_rounds=1)
    assert game.of(RoundSettled)[0].hands == (2, 3, 0)


def test_the_same_seeds_play_the_same_games(program: Path) -> None:
    def events(seed: int) -> list[list[Event]]:
        return [game.events for game in games("random?seed=3", spec(program, "[lucky]", "--seed", str(seed)), number=3)]

    once = events(7)
    assert once == events(7)
    assert once != events(8)


@pytest.mark.parametrize("profile", ["seed", "original"])
@pytest.mark.parametrize("rotate", [False, True], ids=["fixed seats", "rotating seats"])
@pytest.mark.parametrize("seat", [0, 1, 2])
def test_every_query_returns_the_same_as_for_a_python_player(
    program: Path, tmp_path: Path, seat: int, rotate: bool, profile: str
) -> None:
    def table(probe: str | type[Player]) -> list[str | type[Player]]:
        players: list[str | type[Player]] = ["Zé 🎋=random?seed=1", "random?seed=2"]
        players.insert(seat, probe)
        return players

    log = tmp_path / "notes"
    cpp_games = games(*table(spec(program, "[probe]", "--log", str(log))), number=3, rotate=rotate, profile=profile)
    with seated(table(Probe)) as entrants:
        python_games = play(entrants, number=3, rotate=rotate, profile=profile)
        probe = entrants[seat].player
        assert isinstance(probe, Probe)
    made, *notes, ended = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert [game.of(RoundSettled) for game in cpp_games] == [game.of(RoundSettled) for game in python_games]
    assert notes == probe.notes
    assert {note["games"] for note in notes} >= {1, 2, 3}, "one object plays the whole series"
    assert (made["call"], ended["call"]) == ("factory", "destructor")


@pytest.mark.parametrize("lead_after_win", ["winner", "rotate"])
def test_end_round_knows_the_next_first_guesser(program: Path, tmp_path: Path, lead_after_win: str) -> None:
    log = tmp_path / "notes"
    probe = spec(program, "[probe]", "--log", str(log))
    (game,) = games("random?seed=1", probe, "random?seed=2", "random?seed=3", lead_after_win=lead_after_win)
    notes = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    settled = game.of(RoundSettled)
    assert len({event.next_lead for event in settled}) > 1
    in_end_round = [note["first_guesser"] for note in notes if note["call"] == "end_round"]
    assert in_end_round == [event.next_lead for event in settled]
    in_hand = [note["first_guesser"] for note in notes if note["call"] == "hand"]
    assert in_hand == [event.lead for event in settled][: len(in_hand)]


def test_a_factory_knows_only_the_number_of_players(program: Path, tmp_path: Path) -> None:
    log = tmp_path / "notes"
    games("random", "random", spec(program, "[probe]", "--log", str(log), "[still]", players=2))
    assert json.loads(log.read_text(encoding="utf-8").splitlines()[0]) == {
        "call": "factory",
        "games": 0,
        "global_player_count": 4,
        "player_count": 0,
        "active_player_count": 0,
        "chopstick_count": 0,
        "chopsticks": [],
        "guess": [],
        "hand": [],
        "last_winner": -1,
        "first_guesser": -1,
        "index": -1,
        "unknown_player": -1,
        "by_seat": [[], [], [], []],
        "valid_guess": [0, 1, 0],
        "names": [],
        "beyond": [0, -2, -1, 1],
    }


def test_players_of_one_program_can_change_seats(program: Path) -> None:
    pair = spec(program, "still", "[steady]", "--keep", "1", players=2)
    hands = [game.of(RoundSettled)[0].hands for game in games(pair, number=4, rotate=True, max_rounds=1)]
    assert hands == [(0, 1), (1, 0), (0, 1), (1, 0)]


# ── bad players ───────────────────────────────────────────────────────────────────────────

HARMLESS = [
    ("print", "factory"),
    ("print", "begin_game"),
    ("print", "hand"),
    ("print", "end_game"),
    ("read", "factory"),
    ("read", "guess"),
    ("read", "end_round"),
    ("throw", "end_game"),
]


@pytest.mark.parametrize(("how", "when"), HARMLESS)
def test_printing_reading_or_failing_in_end_game_is_harmless(program: Path, how: str, when: str) -> None:
    for game in games("random?seed=1", spec(program, "[rude]", "--how", how, "--when", when), number=2):
        assert game.thrown_out == {}
        assert game.of(AnswerRepaired) == []


FATAL = [
    # what it does, in which call, the message of the forfeit, in which of three games it is thrown out
    ("throw", "begin_game", 'begin_game threw: out of "ideas", n\N{REPLACEMENT CHARACTER}o sei', [0]),
    ("throw", "hand", 'hand threw: out of "ideas", n\N{REPLACEMENT CHARACTER}o sei', [0]),
    ("throw-text", "guess", "guess threw: just a text", [0]),
    ("throw-number", "end_round", "end_round threw something that is no std::exception", [0]),
    # A player whose process ended gets a new one for each game, and the new object does the same again.
    ("throw", "factory", "the factory threw: out of", [0, 1, 2]),
    ("none", "factory", "the factory made no player", [0, 1, 2]),
    ("crash", "factory", "the player crashed: Segmentation fault", [0, 1, 2]),
    ("crash", "hand", "the player crashed: Segmentation fault", [0, 1, 2]),
    ("abort", "guess", "the player crashed: Aborted", [0, 1, 2]),
    ("exit", "end_round", "the player ended its process with status 0", [0, 1, 2]),
    ("close", "hand", "the player ", [0, 1, 2]),
    ("scribble", "hand", "the player wrote to a file that is not its own", [0, 1, 2]),
]


@pytest.mark.parametrize(
    ("how", "when", "message", "missed"), FATAL, ids=[f"{how} in {when}" for how, when, *_ in FATAL]
)
def test_a_failing_player_affects_only_its_own_seat(
    program: Path, how: str, when: str, message: str, missed: list[int]
) -> None:
    words = ("[lucky]", "--seed", "5", "[rude]", "--how", how, "--when", when, "[lucky]", "--seed", "6")
    played = games("random?seed=1", spec(program, *words, players=3), number=3)
    rude = 2
    for number, game in enumerate(played):
        assert set(game.thrown_out) == ({rude} if number in missed else set())
        assert all(reason.startswith(message) for reason in game.thrown_out.values())
        assert sorted(line.seat for line in game.outcome.ranking) == [0, 1, 2, 3]
        assert game.of(AnswerRepaired) == []


@pytest.mark.parametrize("how", ["crash", "throw"])
def test_a_program_whose_only_player_fails_is_thrown_out(program: Path, how: str) -> None:
    (game,) = games("random", "random", spec(program, "[rude]", "--how", how, "--when", "guess"))
    assert list(game.thrown_out) == [2]


def test_a_throw_costs_one_answer_if_failures_are_repaired(program: Path) -> None:
    rude = spec(program, "[rude]", "--how", "throw", "--when", "end_round")
    (game,) = games("random?seed=1", rude, on_failure="repair")
    assert [event.seat for event in game.of(PlayerForfeited)] == [1]
    assert game.thrown_out == {}
    assert len(game.of(RoundSettled)) > 2


ONCE = [("throw", "hand"), ("throw", "factory"), ("crash", "guess"), ("exit", "end_round"), ("close", "hand")]


@pytest.mark.parametrize("others", [0, 2], ids=["alone", "with others"])
@pytest.mark.parametrize(("how", "when"), ONCE, ids=[f"{how} in {when}" for how, when in ONCE])
def test_a_player_that_fails_once_loses_one_game(
    program: Path, tmp_path: Path, how: str, when: str, others: int
) -> None:
    rude = ("[rude]", "--how", how, "--when", when, "--once", str(tmp_path / "done"))
    company = ("[lucky]", "--seed", "5", "[lucky]", "--seed", "6")[: 3 * others]
    played = games("random?seed=1", spec(program, *rude, *company, players=1 + others), number=4)
    assert [set(game.thrown_out) for game in played] == [{1}, set(), set(), set()]


@pytest.mark.parametrize("words", [("[rude]",), ("[rude]", "[lucky]", "[lucky]")], ids=["alone", "with others"])
def test_a_player_that_hangs_once_loses_one_game(program: Path, tmp_path: Path, words: tuple[str, ...]) -> None:
    rude, *company = words
    once = (rude, "--how", "hang", "--when", "guess", "--once", str(tmp_path / "done"))
    limits = ProcessLimits(startup_seconds=120, answer_seconds=2)
    played = games(
        "random?seed=1",
        spec(program, *once, *company, players=len(words)),
        number=4,
        referee=RefereeSettings(time_limit=2),
        isolation=Isolation(limits=limits, restarts=1),
    )
    assert [set(game.thrown_out) for game in played] == [{1}, set(), set(), set()]


def test_a_crash_in_end_game_costs_at_most_the_next_game(program: Path, tmp_path: Path) -> None:
    rude = spec(program, "[rude]", "--how", "crash", "--when", "end_game", "--once", str(tmp_path / "done"))
    played = games("random?seed=1", rude, number=4)
    # The next game may begin before the crash is noticed.
    assert [set(game.thrown_out) for game in played] in ([set()] * 4, [set(), {1}, set(), set()])


def test_a_player_that_always_crashes_gets_three_more_processes(program: Path, tmp_path: Path) -> None:
    rude = ("[rude]", "--how", "crash", "--when", "hand")
    log = tmp_path / "log"
    log.mkdir()
    played = games("random?seed=1", f"Rude={spec(program, *rude)}", number=6, isolation=Isolation(log=log))
    assert [set(game.thrown_out) for game in played] == [{1}] * 6
    logged = (log / "Rude.log").read_text()
    assert logged.count("rude gets a new process: the player crashed: Segmentation fault") == 3


def test_the_others_of_a_program_keep_their_objects_when_one_crashes(program: Path, tmp_path: Path) -> None:
    log = tmp_path / "notes"
    rude = ("[rude]", "--how", "crash", "--when", "hand", "--once", str(tmp_path / "done"))
    games("random?seed=1", spec(program, *rude, "[probe]", "--log", str(log), players=2), number=3)
    notes = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    assert max(note["games"] for note in notes) == 3
    assert sum(note["call"] == "factory" for note in notes) == 1


def test_a_hanging_player_is_late_and_the_others_of_its_program_continue(program: Path) -> None:
    words = ("[rude]", "--how", "hang", "--when", "hand", "[lucky]", "[lucky]", "--seed", "2")
    (game,) = games(spec(program, *words, players=3), referee=RefereeSettings(time_limit=2))
    assert list(game.thrown_out) == [0]
    assert {line.seat for line in game.outcome.ranking[:2]} == {1, 2}


# ── the program by itself ─────────────────────────────────────────────────────────────────

HELLO = '{"type":"hello","protocol":1,"game":"porrinha","software":"a test","players":1}'
GAME_STARTS = '{"type":"game","seat":0,"names":["a","b"]}'
VIEW = '{"player_count":2,"active_player_count":2,"chopstick_count":6,"chopsticks":[3,3],"guess":[-1,-1]}'


def run(program: Path, *words: str, lines: Sequence[str] = ()) -> subprocess.CompletedProcess[str]:
    """Run the program with these input lines.  It exits after the last one, and so do all its children."""
    return subprocess.run(
        [program, *words],
        input="".join(f"{line}\n" for line in lines),
        capture_output=True,
        encoding="utf-8",
        timeout=300,
        check=False,
    )


def messages_of(ran: subprocess.CompletedProcess[str]) -> list[Any]:
    return [json.loads(line) for line in ran.stdout.splitlines()]


COMMAND_LINES = [
    (("--list",), 0, "document\nlucky\nprobe\nrude\nsteady\nstill\n", ""),
    (("--chopsticks", "4", "--list"), 0, "document\nlucky\nprobe\nrude\nsteady\nstill\n", "--chopsticks 4 is ignored"),
    ((), 1, "", "no player was given"),
    (("",), 1, "", "an empty argument is ignored"),
    (("unknown",), 1, "", "unknown player or option: unknown"),
    (("still", "[unknown]"), 1, "", "unknown player or option: [unknown]"),
    (("[]",), 1, "", "unknown player or option: []"),
    (("--quick", "still"), 1, "", "unknown player or option: --quick"),
    (("--games",), 1, "", "--games needs a number after it"),
    (("--disable-game-output", "still"), 1, "", "--disable-game-output is ignored"),
    (("[still]", "--list", "--quick", "lucky"), 1, "", "no hello on standard input"),
]


@pytest.mark.parametrize(("words", "status", "output", "message"), COMMAND_LINES)
def test_the_command_line_is_that_of_the_original(
    program: Path, words: tuple[str, ...], status: int, output: str, message: str
) -> None:
    ran = run(program, *words)
    assert (ran.returncode, ran.stdout) == (status, output)
    assert message in ran.stderr


def test_help_lists_all_arguments(program: Path) -> None:
    ran = run(program, "--help")
    assert ran.returncode == 0
    for word in ("[name]", "--list", "--help", "--chopsticks", "--games", "--disable-game-output", "wateringhole play"):
        assert word in ran.stdout


GREETINGS = [
    (HELLO.replace('"players":1', '"players":2'), "the table asks for 2 players, but the command line names 1"),
    (HELLO.replace("porrinha", "evolution"), "the game is evolution, but these are players of porrinha"),
    (HELLO.replace('"protocol":1', '"protocol":2'), "not a hello of protocol 1"),
    ('{"type":"bye"}', "not a hello of protocol 1"),
    ('{"type":"hello"', "not JSON at character 16: unexpected end"),
    ("hello", "not JSON at character 1: expected a value"),
]


@pytest.mark.parametrize(("greeting", "message"), GREETINGS)
def test_the_program_refuses_a_wrong_hello(program: Path, greeting: str, message: str) -> None:
    ran = run(program, "still", lines=[greeting])
    assert (ran.returncode, ran.stdout) == (1, "")
    assert message in ran.stderr


def test_play_reports_why_a_program_refused(program: Path) -> None:
    with pytest.raises(UsageError, match="asks for 1 player, but the command line names 2; use cmd"):
        games(spec(program, "still", "still"))
    with pytest.raises(UsageError, match="asks for 2 players, but the command line names 1"):
        games(spec(program, "still", players=2))


def test_its_hello_has_the_names_from_the_command_line(program: Path) -> None:
    assert messages_of(run(program, "[steady]", "--name", "Ada", lines=[HELLO])) == [
        {"type": "hello", "protocol": 1, "name": "steady"}
    ]
    two_seats = HELLO.replace('"players":1', '"players":2')
    assert messages_of(run(program, "still", "[steady]", "--name", "Ada", lines=[two_seats])) == [
        {"type": "hello", "protocol": 1, "names": ["still", "steady"]}
    ]


def test_messages_may_contain_any_json(program: Path, tmp_path: Path) -> None:
    log = tmp_path / "notes"
    strange = '{"deep":[[[{"a":[1,-2.5e+3,true,false,null,""]}]]],"\\u0022":"\\"}],"}'
    guests = '[{"number":0,"label":"Z\\u00e9 \\uD83C\\uDF8B \\ud83c!"},{"label":"x","number":1}]'
    view = VIEW.replace("{", f'{{ "news" : {strange} ,', 1).replace("]}", '], "hand":[-1,1.5]}')
    ran = run(
        program,
        "[probe]",
        "--log",
        str(log),
        lines=[
            HELLO.replace("}", f',"more":{strange}}}'),
            f'{{"names":["a","b"],"seat":1,"type":"game","rules":{strange}}}',
            '{"type":"weather","player":[]}',
            '{"type":"notice","notice":"applause"}',
            "this is not JSON",
            '{"type":"event","event":"GuessSaid"}',
            f'{{"type":"notice","notice":"begin_game","guests":{guests},"view":{view}}}\r',
            f'  {{"type":"request","id":9007199254740993,"request":"hand","view":{view}}}  ',
            '{"type":"request","id":1,"request":"hand","player":7}',
        ],
    )
    assert messages_of(ran)[1:] == [{"type": "answer", "id": 9007199254740993, "answer": 1}]
    assert "the table sent an unreadable line: not JSON at character 1" in ran.stderr
    notes = [json.loads(line) for line in log.read_text(encoding="utf-8").splitlines()]
    (begun,) = (note for note in notes if note["call"] == "begin_game")
    assert begun["names"] == ["Zé 🎋 \N{REPLACEMENT CHARACTER}!", "myself"]
    assert begun["chopsticks"] == [3, 3]
    assert begun["hand"] == [-1, -1], "a number that is not an integer counts as none"


UNREADABLE = [
    '{"type":"bye"',
    '{"type":"b\\x"}',
    "[" * 200,
    '{"type" "bye"}',
    '{"a":1}}',
    '"\x01"',
    '"\\u12g4"',
    "tru",
    "",
]


@pytest.mark.parametrize("line", UNREADABLE)
def test_an_unreadable_line_is_reported_and_skipped(program: Path, line: str) -> None:
    asked = f'{{"type":"request","id":1,"request":"hand","view":{VIEW}}}'
    ran = run(program, "still", lines=[HELLO, GAME_STARTS, line, asked])
    assert messages_of(ran)[1:] == [{"type": "answer", "id": 1, "answer": 0}]
    assert "the table sent an unreadable line: not JSON" in ran.stderr


def test_an_unknown_request_is_passed(program: Path) -> None:
    ran = run(program, "still", lines=[HELLO, GAME_STARTS, '{"type":"request","id":8,"request":"dance"}'])
    assert messages_of(ran)[1:] == [{"type": "pass", "id": 8}]


def test_a_hanging_player_exits_with_its_program(program: Path) -> None:
    # `run` waits until standard error is closed, which the player holds open while it runs.
    ran = run(program, "[rude]", "--how", "hang", "--when", "factory", lines=[HELLO, GAME_STARTS])
    assert ran.returncode == 0


def test_output_of_players_goes_to_standard_error_even_before_main(program: Path) -> None:
    ran = run(program, "[rude]", "--how", "print", "--when", "factory", lines=[HELLO, GAME_STARTS])
    assert messages_of(ran) == [{"type": "hello", "protocol": 1, "name": "rude"}]
    assert ran.stderr.count("rude was loaded") == 1
    assert ran.stderr.count("answer 1 99") == 2
    assert "a program of a player prints" in ran.stderr


# ── the sources ────────────────────────────────────────────────────────────────────────────


def test_the_core_compiles_cleanly_under_a_newer_standard(compiler: str, game_folder: Path) -> None:
    everything = "".join(f'#include "core/{source.name}"\n' for source in sorted(CORE.glob("*.cpp")))
    flags = ["-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-I."]
    checked = subprocess.run(
        [compiler, *flags, "-x", "c++", "-"],
        input=everything,
        cwd=game_folder,
        capture_output=True,
        text=True,
        check=False,
    )
    assert checked.returncode == 0, checked.stderr


def test_the_commands_of_the_guide_work(game_folder: Path, tmp_path: Path) -> None:
    """Run the commands one after the other, in a folder laid out as the guide describes."""
    page = (ROOT / "docs" / "how-to" / "porrinha-cpp.md").read_text(encoding="utf-8")
    commands = "".join(re.findall(r"^```sh\n((?:.*\n)*?)```$", page, re.MULTILINE))
    assert "cp -r ../wateringhole/adapters/porrinha-cpp/core" in commands
    (tmp_path / "wateringhole").symlink_to(ROOT)
    game = tmp_path / "porrinha"
    # Keep what was built, except the core, which the guide replaces.
    shutil.copytree(game_folder, game)
    shutil.rmtree(game / "build" / "core")
    (game / "core" / "game.cpp").write_text("#error the old core is still here\n")
    (game / "main").unlink()
    # The players of the original that the guide names.
    for name, space, factory in (("zero2", "steady", "still_factory"), ("gaussian", "lucky", "factory")):
        old_player = game / "ai" / name
        old_player.mkdir()
        (old_player / "ai.h").write_text(f"namespace {name} {{ Player* factory(cmdline::args&&); }}\n")
        (old_player / f"{name}.cpp").write_text(
            '#include "player.h"\n'
            f"namespace {space} {{ Player* {factory}(cmdline::args&&); }}\n"
            f"namespace {name} {{\n"
            f"Player* factory(cmdline::args&& args) {{ return {space}::{factory}(std::move(args)); }}\n"
            "}\n"
        )
        (old_player / "ai.conf").write_text(f'{{ "{name}", {name}::factory }},\n')
    path_with_python = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    ran = subprocess.run(
        ["sh", "-e", "-c", commands],
        cwd=game,
        env=os.environ | {"PATH": path_with_python, "CXXFLAGS": "-std=c++11 -O0", "MAKEFLAGS": "-j2"},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert ran.returncode == 0, ran.stdout + ran.stderr
    assert (tmp_path / "old-core").is_dir()
    assert ran.stdout.count("20 games") == 3
