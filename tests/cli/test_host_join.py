"""`host` and `join` together, in their own processes."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.cli.running import called, wateringhole
from tests.preloaded_command import preloaded_command
from wateringhole.cli import commands
from wateringhole.errors import UsageError


class Host:
    """A running `wateringhole host` and its address."""

    def __init__(self, process: subprocess.Popen[str], where: str) -> None:
        self.process = process
        self.where = where

    def end(self) -> tuple[str, str]:
        """Wait for the end of its games and return its output."""
        out, err = self.process.communicate(timeout=300)
        assert self.process.returncode == 0, err
        return out, err


@contextlib.contextmanager
def hosting(*words: str | Path) -> Iterator[Host]:
    process = subprocess.Popen(
        [preloaded_command(), "host", *words, "--port", "0", "--start-delay", "0.1"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert process.stderr is not None
    try:
        first = process.stderr.readline()
        found = re.search(r"on 127\.0\.0\.1 port (\d+), seed [0-9a-f]+", first)
        assert found, first
        yield Host(process, f"127.0.0.1:{found[1]}")
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()


def joins(where: str, *words: str) -> subprocess.CompletedProcess[str]:
    joined = wateringhole("join", where, *words)
    assert joined.returncode == 0, joined.stderr
    return joined


def test_a_hosted_game_prints_the_ranking_of_the_course_and_writes_a_record(tmp_path: Path) -> None:
    with hosting("evolution", "--deck", "ascending", "--bots", "silly", "--record", tmp_path, "--seed", "7") as host:
        joined = joins(host.where, "silly", "--name", "Ada")
        out, err = host.end()
    assert out == "1 player id: silly#2 score: 7\n2 player id: silly#3 score: 7\n3 player id: Ada#1 score: 5\n"
    assert "host: 'Ada' has signed up from 127.0.0.1:" in err
    assert joined.stderr.splitlines()[-2:] == [
        "join: the game is over: Ada#1 took place 3 of 3 with a score of 5",
        "join: the host said goodbye: the host has no more games",
    ]
    assert called("replay", "--verify", tmp_path / "evolution-7.jsonl").returncode == 0


def test_several_hosted_games_are_a_json_list() -> None:
    with hosting("porrinha", "--players", "3", "--games", "2", "--bots", "counter", "--json", "--quiet") as host:
        joins(host.where, "random", "--quiet")
        out, err = host.end()
    first, *lines, last = out.splitlines()
    assert (first, len(lines), last) == ("[", 2, "]")
    games = json.loads(out)
    assert [game["game"] for game in games] == ["porrinha"] * 2
    assert [row["name"] for row in sorted(games[0]["ranking"], key=lambda row: row["seat"])] == [
        "random",
        "counter",
        "counter 2",
    ]
    assert err == ""


def test_a_game_is_printed_as_json_before_the_next_one_ends() -> None:
    with hosting("evolution", "--games", "2", "--bots", "silly", "--json") as host:
        # A connection in this protocol ends with its game, so the second game does not begin.
        joins(host.where, "silly", "--protocol", "course")
        assert host.process.stdout is not None
        printed = b""
        while not printed.endswith(b"}"):
            printed += os.read(host.process.stdout.fileno(), 1 << 16)
        host.process.send_signal(signal.SIGINT)
        rest, err = host.process.communicate(timeout=300)
    (game,) = json.loads(printed.decode() + rest)
    assert len(game["ranking"]) == 3
    # The log has the commitment before the game and its nonce after it.
    assert f"game 1: the deal is committed to {game['commitment']['digest']}\n" in err
    assert err.index("is committed to") < err.index("game 1 is over") < err.index(game["commitment"]["nonce"])


@pytest.mark.parametrize(("games", "printed"), [("1", "null\n"), ("2", "[]\n")])
def test_a_host_without_games_prints_json_too(games: str, printed: str) -> None:
    with hosting("porrinha", "--games", games, "--json") as host:
        host.process.send_signal(signal.SIGINT)
        out, _ = host.process.communicate(timeout=300)
    assert out == printed


def test_a_human_plays_over_join_and_sees_the_other_players() -> None:
    with hosting(
        "porrinha", "--players", "2", "--bots", "zero", "--time-limit", "1", "--human-time-limit", "30"
    ) as host:
        # Any numbers will do, because an illegal answer is asked for again.
        joined = wateringhole("join", host.where, "human", stdin="1\n0\n2\n3\n4\n5\n6\n" * 300)
        host.end()
    assert joined.returncode == 0, joined.stderr
    assert "You are human" in joined.stdout
    assert "The referee waits 30 seconds" in joined.stdout
    assert "zero says" in joined.stdout


def test_a_human_who_leaves_ends_join_but_not_the_game() -> None:
    with hosting("evolution", "--bots", "silly") as host:
        joined = wateringhole("join", host.where, "human", stdin="")
        out, err = host.end()
    assert joined.returncode == 0, joined.stderr
    assert "You leave the table" in joined.stdout
    assert "'human#1' was thrown out: left the table" in err
    assert out.count("player id") == 2


def test_stopping_a_bot_with_ctrl_c_does_not_delay_the_game(tmp_path: Path) -> None:
    (tmp_path / "slow.py").write_text(
        "import time\n"
        "from wateringhole.games.evolution import Player\n"
        "class Slow(Player):\n"
        "    def choose(self, request):\n"
        "        print('thinking', flush=True)\n"
        "        time.sleep(600)\n"
    )
    with hosting("evolution", "--bots", "silly", "--time-limit", "600", "--reconnect-timeout", "600") as host:
        words = [sys.executable, "-m", "wateringhole", "join", host.where, f"{tmp_path}/slow.py:Slow"]
        with subprocess.Popen(
            words,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        ) as process:
            assert process.stdout is not None
            try:
                assert process.stdout.readline() == "thinking\n"
                process.send_signal(signal.SIGINT)
                _, err = process.communicate(timeout=300)
            finally:
                process.kill()
        _, log = host.end()
    assert process.returncode == 130
    assert err.endswith("join: interrupted: leaving\n")
    assert "'Slow#1' was thrown out: left the table" in log


def test_dialects_are_listed() -> None:
    listed = called("join", "nowhere", "silly", "--dialect", "-")
    assert listed.returncode == 0
    assert {line.split()[0] for line in listed.stdout.splitlines()} >= {"course", "reference", "lb", "kd", "jf"}


USAGE_ERRORS = {
    # words: a part of the message
    ("host", "chess"): "'chess' is not an installed game",
    ("host", "evolution", "--players", "2"): "evolution is for 3 to 8 players",
    ("host", "evolution", "--players", "8..3"): "evolution is for 3 to 8 players",
    ("host", "evolution", "--players", "many"): "expected a number or a range, e.g. 4 or 3..8",
    ("host", "evolution", "--time-limit", "0"): "expected a positive, finite number of seconds",
    ("host", "evolution", "--bind", ""): "or 0.0.0.0 for all",
    ("host", "evolution", "--bind", "a..b"): "--bind a..b: ",
    ("host", "evolution", "--bots", "sily"): "no installed player 'sily'",
    ("host", "evolution", "--rules", "wild"): "there is no such profile",
    ("host", "porrinha", "--deck", "ascending"): "porrinha has no deal option 'deck'",
    ("join", "localhost:0", "silly"): "is not an address",
    ("join", "localhost:port", "silly"): "is not an address",
    ("join", ":45678", "silly"): "is not an address",
    ("join", "::1", "silly"): "or [::1]:45678",
    ("join", "[::1", "silly"): "is not an address",
    ("join", "[::1]x:5", "silly"): "is not an address",
    ("join", " localhost:1", "silly"): "is not an address",
    ("join", "ftp://localhost:45678", "silly"): "unknown scheme 'ftp'. Choose from: tcp, http, ws, https, wss.",
    ("join", "localhost:45678/a/b", "silly"): "a code has no slash",
    ("join", "localhost:45678?code=1", "silly"): "is not an address",
    ("join", "https://localhost", "silly", "--dialect", "lb"): "Omit --protocol and --dialect",
    ("join", "localhost:1/secret", "silly", "--protocol", "course"): "Omit --protocol and --dialect",
    ("join", "ada@localhost:45678", "silly"): "is not an address",
    ("join", "a..b:45678", "silly"): "is not an address",
    ("join", "localhost:1", "sily"): "no installed player 'sily'",
    ("join", "localhost:1", "silly", "--name", "\udcff"): "--name '\\udcff': expected a text in UTF-8.",
    ("join", "localhost:1", "silly", "--dialect", "chess"): "unknown server dialect 'chess'",
    ("join", "localhost:1", "silly", "--protocol", "http"): "Choose from: json, course",
    ("join", "localhost:1", "silly", "--protocol", "ours"): "--protocol ours is called --protocol json now.",
    ("join", "localhost:1", "silly", "--protocol", "json", "--dialect", "lb"): "Omit it with --protocol json",
}


@pytest.mark.parametrize("words", USAGE_ERRORS, ids=" ".join)
def test_usage_errors_name_the_mistake(words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("wateringhole.cli.host._serve", _fail)
    monkeypatch.setattr("wateringhole.join.session.join", _fail)
    with pytest.raises(UsageError, match=re.escape(USAGE_ERRORS[words])):
        commands()(words, standalone_mode=False)


def _fail(*_: object) -> None:
    pytest.fail("it was not refused")


def test_a_port_in_use_and_a_missing_host_are_operation_errors() -> None:
    with hosting("evolution") as host:
        port = host.where.rpartition(":")[2]
        second = wateringhole("host", "evolution", "--port", port)
    assert second.returncode == 1
    assert f"cannot listen on 127.0.0.1 port {port}: " in second.stderr
    joined = wateringhole("join", host.where, "silly", "--attempts", "1")
    assert joined.returncode == 1
    assert "after one attempt" in joined.stderr
    assert "Traceback" not in second.stderr + joined.stderr
