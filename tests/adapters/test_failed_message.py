"""Tests of the message `failed` (`docs/reference/protocol.md`): one player of a program cannot continue."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from wateringhole import registry
from wateringhole.game import Forfeit
from wateringhole.protocol.host import HostEnd


def host_end_with_an_open_request() -> tuple[HostEnd, int]:
    host_end = HostEnd(registry.game_kind("porrinha"), players=2)
    request = msgspec.json.decode(host_end.question("hand", {}, player=1))
    return host_end, request["id"]


def failed(**fields: Any) -> bytes:
    return msgspec.json.encode({"type": "failed", "message": "out of ideas", **fields})


@pytest.mark.parametrize("names_request", [True, False], ids=["at a request", "at a notice"])
def test_a_failure_counts_once_for_the_named_player(names_request: bool) -> None:
    host_end, open_id = host_end_with_an_open_request()
    assert host_end.read(failed(player=1, **{"id": open_id} if names_request else {})) is None
    assert host_end.failure(0) is None
    assert host_end.failure(1) == Forfeit("exception", "out of ideas")
    assert host_end.failure(1) is None


def test_a_failure_at_a_closed_request_is_ignored() -> None:
    host_end, open_id = host_end_with_an_open_request()
    host_end.question("hand", {}, player=0)
    assert host_end.read(failed(player=1, id=open_id)) is None
    assert host_end.failure(1) is None
