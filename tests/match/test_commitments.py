"""A deal is committed to before the game, and a record shows whether that was kept."""

from __future__ import annotations

import contextlib
import hashlib
import itertools
import json
import re
from collections.abc import Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import msgspec
import pytest

from tests.cli.running import called
from tests.sample_game import nim
from tests.tournaments.tournaments import settings
from wateringhole import registry
from wateringhole.digests import digest
from wateringhole.errors import OperationError
from wateringhole.match.commitments import commit, dealt_text
from wateringhole.match.record import Record, read_record
from wateringhole.match.series import Series, make_entrants
from wateringhole.match.specs import parse_specs
from wateringhole.tournaments.store import Store
from wateringhole.tournaments.tournament import Tournament

EVOLUTION = registry.game_kind("evolution")
NONCES = ["00" * 16, "11" * 16, "22" * 16]


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with closing(Store(tmp_path / "store.sqlite")) as opened:
        yield opened


def played(*, nonces: list[str] = NONCES, seeds: Sequence[int] = (7, 8, 9)) -> list[bytes]:
    """Return the records of a series of Evolution."""
    with contextlib.ExitStack() as stack:
        specs = parse_specs("evolution", ["silly", "greedy", "silly"])
        entrants = make_entrants(EVOLUTION, specs, 7, stack, lambda player: player.close())
        series = Series(
            kind=EVOLUTION,
            entrants=entrants,
            rules=EVOLUTION.default_rules,
            seeds=seeds,
            nonces=nonces,
            keeps_records=True,
        )
        return [game.record_bytes or b"" for game in series.play()]


def lines(record: bytes) -> list[dict[str, Any]]:
    return [json.loads(line) for line in record.splitlines()]


def check(record: bytes) -> None:
    for _ in read_record(record):
        pass


def test_anyone_can_check_a_commitment_with_the_record_alone() -> None:
    for record in played():
        header, *_, last = lines(record)
        dealt = {name: header["setup"][name] for name in ("deck", "order", "seed")}
        text = json.dumps(dealt, separators=(",", ":"), sort_keys=True, ensure_ascii=False)
        whole = f"{last['nonce']}\n{last['next_commitment']}\n{text}".encode()
        assert header["commitment"] == "sha256:" + hashlib.sha256(whole).hexdigest()


def test_the_first_commitment_covers_all_deals_of_a_series() -> None:
    parsed = [lines(record) for record in played()]
    for game, following in itertools.pairwise(parsed):
        assert game[-1]["next_commitment"] == following[0]["commitment"]
    assert parsed[-1][-1]["next_commitment"] == ""
    other_last = commit(
        [dealt_text(EVOLUTION, EVOLUTION.deal(3, EVOLUTION.default_rules, seed)) for seed in (7, 8, 10)], NONCES
    )
    assert other_last[0] is not None
    assert other_last[0].digest != parsed[0][0]["commitment"]


def test_a_revealed_game_does_not_reveal_the_next() -> None:
    records = played()
    for record in records[:-1]:
        for nonce in set(NONCES) - {lines(record)[-1]["nonce"]}:
            assert nonce not in record.decode()
    # Without its nonce, the digest of the right deal cannot be recognized.
    assert len({lines(record)[0]["commitment"] for record in (*records, *played(nonces=NONCES[::-1]))}) == 6


def with_digest(*parts: bytes) -> bytes:
    *before, last = parts
    text = b"".join(before)
    return text + re.sub(rb'"digest":"sha256:[0-9a-f]+"', b'"digest":"%b"' % digest(text).encode(), last)


def changed(record: bytes, what: str) -> bytes:
    """Return a record that does not keep its commitment; everything else fits together."""
    header, *answers, last = record.splitlines(keepends=True)
    match what:
        case "other deal":
            promised = re.findall(rb'"commitment":"[^"]*"', header)[0]
            header, *answers, last = played(seeds=[12], nonces=NONCES[:1])[0].splitlines(keepends=True)
            header = re.sub(rb'"commitment":"[^"]*"', promised, header)
        case "other nonce":
            last = last.replace(NONCES[0].encode(), NONCES[1].encode())
        case "no nonce":
            last = re.sub(rb',"nonce":.*}', b"}", last)
        case "other next":
            last = re.sub(rb'"next_commitment":"[^"]*"', b'"next_commitment":""', last)
    return with_digest(header, *answers, last)


@pytest.mark.parametrize("what", ["other deal", "other nonce", "no nonce", "other next"])
def test_a_record_that_breaks_its_commitment_is_refused(what: str) -> None:
    with pytest.raises(OperationError, match="the game was dealt otherwise than the commitment in line 1 promised"):
        check(changed(played()[0], what))


def test_records_without_a_commitment_are_verified_as_before() -> None:
    for record in played(nonces=[]):
        assert b"commitment" not in record
        assert b"nonce" not in record
        check(record)


def test_a_game_that_chance_does_not_decide_has_no_commitment() -> None:
    porrinha = registry.game_kind("porrinha")
    assert commit([dealt_text(porrinha, porrinha.deal(2, porrinha.default_rules, 7))], ["00"]) == [None]


def test_a_game_that_names_no_dealt_fields_commits_to_its_whole_setup() -> None:
    one, other = (
        commit([dealt_text(nim.KIND, nim.KIND.deal(2, nim.KIND.default_rules, seed))], ["00"])[0] for seed in (1, 2)
    )
    assert one is not None
    assert other is not None
    assert one.digest != other.digest


# Tournaments


def records_of(store: Store, **changes: Any) -> list[Record]:
    chosen = settings("silly", "greedy", "a=silly", game="evolution", games=6, life=2, **changes)
    tournament = Tournament.start(store, chosen)
    tournament.play()
    results = store.results(tournament.number)
    return [read_record(store.record(tournament.number, each.series, each.game)) for each in results]


def test_tournaments_commit_to_their_deals_and_repeat_that(store: Store) -> None:
    records = records_of(store)
    for record in records:
        for _ in record:
            pass
    digests = [record.header.commitment for record in records]
    # The lives of a block have the same deals, which no digest reveals.
    assert len({msgspec.json.encode(record.header.setup) for record in records}) == 2
    assert len(set(digests)) == 6
    assert [record.header.commitment for record in records_of(store)] == digests
    assert [record.header.commitment for record in records_of(store, seed=8)] != digests


@pytest.mark.parametrize("time_limit", [None, 20.0])
def test_players_get_the_commitment_before_the_game(time_limit: float | None, store: Store, tmp_path: Path) -> None:
    bot = tmp_path / "listener.py"
    bot.write_text(
        "from pathlib import Path\n"
        "from wateringhole.games.evolution.bots.silly import Silly\n"
        "class Listener(Silly):\n"
        "    def on_seated(self, assignment):\n"
        "        with Path(__file__).with_suffix('.log').open('a') as file:\n"
        "            print(assignment.commitment, file=file)\n"
    )
    chosen = settings("silly", "greedy", f"{bot}:Listener", game="evolution", games=3, time_limit=time_limit)
    tournament = Tournament.start(store, chosen)
    tournament.play()
    recorded = [
        read_record(store.record(tournament.number, each.series, each.game)).header.commitment
        for each in store.results(tournament.number)
    ]
    assert bot.with_suffix(".log").read_text().split() == recorded


def test_replay_verify_checks_the_commitment(tmp_path: Path) -> None:
    words = ("tournament", "evolution", "silly", "greedy", "random", "--games", "3", "--life", "1", "--seed", "7")
    assert called(*words, "--store", "s.sqlite", "--replays", "replays", folder=tmp_path).returncode == 0
    record = next(tmp_path.glob("replays/*.jsonl"))
    assert called("replay", record, "--verify", folder=tmp_path).returncode == 0
    record.write_bytes(re.sub(rb'"nonce":"[0-9a-f]{4}', b'"nonce":"0000', record.read_bytes()))
    ran = called("replay", record, "--verify", folder=tmp_path)
    assert ran.returncode == 1
    assert "the game was dealt otherwise than the commitment in line 1 promised" in " ".join(ran.stderr.split())


def test_a_game_before_one_without_chance_commits_to_no_next_game() -> None:
    first, second = commit([b"dealt", b""], ["00", "01"])
    assert first is not None
    assert first.next == ""
    assert second is None


def test_every_game_needs_a_nonce() -> None:
    with pytest.raises(ValueError, match="shorter"):
        commit([b"dealt", b"dealt"], ["00"])
