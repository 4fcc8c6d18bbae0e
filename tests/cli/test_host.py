"""`host`: its time limits, its origins, and its end."""

from __future__ import annotations

import json
import signal
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import called
from tests.cli.test_host_join import hosting, joins
from wateringhole import registry
from wateringhole.cli.common import split_players
from wateringhole.cli.host import _invitation, host
from wateringhole.errors import UsageError
from wateringhole.house.host import RecurringPlan
from wateringhole.house.store import TableStore
from wateringhole.match.specs import parse_specs


@pytest.fixture(autouse=True)
def _no_host_here(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail instead of hosting, because a host that was not refused would wait forever."""
    monkeypatch.setattr("wateringhole.cli.host._serve", lambda *_: pytest.fail("it was not refused"))


NONSENSE = ("nan", "-1")
BAD_TIMES = {
    # option: invalid values, and a part of the message
    "--time-limit": ((*NONSENSE, "0", "inf"), "expected a positive, finite number of seconds"),
    "--signup-timeout": ((*NONSENSE, "0", "inf"), "expected a positive, finite number of seconds"),
    "--human-time-limit": ((*NONSENSE, "inf"), "expected a finite number of seconds from 0"),
    "--time-bank": ((*NONSENSE, "inf"), "expected a finite number of seconds from 0"),
    "--reconnect-timeout": ((*NONSENSE, "inf"), "expected a finite number of seconds from 0"),
    "--start-delay": (NONSENSE, "inf for full tables only"),
}


@pytest.mark.parametrize(
    ("option", "value", "message"),
    [(option, value, message) for option, (values, message) in BAD_TIMES.items() for value in values],
)
def test_invalid_times_are_usage_errors(option: str, value: str, message: str) -> None:
    argument = {option.removeprefix("--").replace("-", "_"): float(value)}
    with pytest.raises(UsageError, match=f"^{option} {value}: .*{message}"):
        host("evolution", port=0, **argument)  # type: ignore[arg-type]


@pytest.mark.parametrize("origin", ["club.example", "https://club.example/", "https://club.example/page", ""])
def test_invalid_origins_are_usage_errors(origin: str) -> None:
    with pytest.raises(UsageError, match=r"expected an origin without a path, e\.g\. https://club"):
        host("evolution", port=0, allow_origin=[origin])


def test_an_unknown_sandbox_is_refused() -> None:
    with pytest.raises(UsageError, match=r"--sandbox docker: unknown sandbox\. Choose from: bwrap, none"):
        host("evolution", port=0, bots=["cmd:true"], sandbox="docker")


@pytest.mark.parametrize(
    ("words", "players"),
    [
        (["silly,greedy", "zero"], ["silly", "greedy", "zero"]),
        (["zero,Ada=cmd:./x --n=1,2"], ["zero", "Ada=cmd:./x --n=1,2"]),
        (["zero,one,cmd*2:./x,silly", "two,three"], ["zero", "one", "cmd*2:./x,silly", "two", "three"]),
        (["cmd:./x 1,cmd:./y", "zero"], ["cmd:./x 1,cmd:./y", "zero"]),
    ],
)
def test_commas_after_a_program_belong_to_it(words: list[str], players: list[str]) -> None:
    assert split_players(words) == players


def test_bots_are_separated_by_commas_and_a_program_keeps_its_own() -> None:
    with pytest.raises(UsageError, match=r"player 'Ada', the program 'false --list a,b', did not introduce itself"):
        host("evolution", port=0, bots=["silly,greedy", "Ada=cmd:false --list a,b"])


@contextmanager
def connected(where: str, **hello: Any) -> Iterator[Iterator[dict[str, Any]]]:
    """Yield the messages to a player that sends its hello and nothing else."""
    address, _, port = where.rpartition(":")
    with socket.create_connection((address, int(port)), 60) as connection, connection.makefile("rb") as lines:
        connection.sendall(json.dumps({"type": "hello", "protocol": 1, **hello}).encode() + b"\n")
        yield map(json.loads, lines)


def first_request(messages: Iterator[dict[str, Any]]) -> dict[str, Any]:
    return next(message for message in messages if message["type"] == "request")


@pytest.mark.parametrize(
    ("words", "human", "seconds"),
    [
        ((), True, 300),
        ((), False, 7),
        (("--human-time-limit", "40"), True, 40),
        (("--human-time-limit", "40", "--time-bank", "5"), True, 45),
        (("--human-time-limit", "0"), True, 7),
    ],
)
def test_humans_have_their_own_time_limit(words: tuple[str, ...], human: bool, seconds: float) -> None:
    with (
        hosting("porrinha", "--players", "2", "--bots", "zero", "--time-limit", "7", *words) as host,
        connected(host.where, person=human) as messages,
    ):
        assert first_request(messages)["seconds"] == seconds


@pytest.mark.parametrize(
    ("seats", "bots", "address", "waiting", "where"),
    [
        (range(3, 9), [], "127.0.0.1", "3 to 8 players", "127.0.0.1"),
        (range(2, 3), [], "::1", "2 players", "[::1]"),
        (range(3, 9), ["silly"], "0.0.0.0", "1 to 8 players", socket.gethostname()),
    ],
)
def test_a_host_logs_how_many_players_it_waits_for_and_how_to_join(
    seats: range, bots: list[str], address: str, waiting: str, where: str
) -> None:
    kind = registry.game_kind("evolution")
    plan = RecurringPlan(
        kind=kind, rules=kind.profiles["course"].rules, seats=seats, bots=parse_specs("evolution", bots)
    )
    invitation = f"waiting for {waiting}; join with: wateringhole join {where}:7 PLAYER"
    assert _invitation(plan, address, 7) == invitation
    assert _invitation(plan, address, 7, is_raw=False, has_code=True).endswith(f" join ws://{where}:7/CODE PLAYER")


def test_after_ctrl_c_connected_players_get_the_reason() -> None:
    with (
        hosting("evolution", "--bots", "silly") as host,
        connected(host.where) as messages,
    ):
        first_request(messages)
        host.process.send_signal(signal.SIGINT)
        *_, last = messages
        host.process.wait(60)
    assert last == {"type": "bye", "reason": "the host was stopped"}


def test_all_players_of_a_stopped_game_are_printed() -> None:
    words = ("--players", "3", "--bots", "zero", "--rules", "max_rounds=1", "--rules", "sticks=3")
    with hosting("porrinha", *words) as host:
        joins(host.where, "zero", "--name", "Ada")
        out, _ = host.end()
    assert sorted(line.rpartition("player: ")[2] for line in out.splitlines()) == ["Ada", "zero", "zero 2"]
    assert "not ranked (max_rounds) player: Ada" in out.splitlines()


@pytest.mark.parametrize("proxy", ["", "club.example", "127.0.0.1/8", "1.2.3.4:80", "*"])
def test_invalid_proxies_are_usage_errors(proxy: str) -> None:
    with pytest.raises(UsageError, match=r"expected an IP address or a network, e\.g\. 127\.0\.0\.1"):
        host("evolution", port=0, proxy=[proxy])


def test_an_empty_code_is_refused() -> None:
    with pytest.raises(UsageError, match="--code is empty"):
        host("evolution", port=0, code="")


def test_refused_host_closes_its_store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    closed: list[TableStore] = []
    close = TableStore.close

    def close_counted(store: TableStore) -> None:
        closed.append(store)
        close(store)

    monkeypatch.setattr(TableStore, "close", close_counted)
    ran = called("host", "porrinha", "--store", tmp_path / "store.sqlite", "--bots", "nonsense")
    assert ran.returncode == 2
    assert len(closed) == 1
