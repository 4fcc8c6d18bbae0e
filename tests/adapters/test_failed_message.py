"""A program says of one of its players that it cannot go on (`docs/protocol.md`, message `failed`)."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from wateringhole import registry
from wateringhole.game import Forfeit
from wateringhole.protocol.host import HostEnd


def talk_with_an_open_request() -> tuple[HostEnd, int]:
    talk = HostEnd(registry.game_kind("porrinha"), players=2)
    asked = msgspec.json.decode(talk.question("hand", {}, player=1))
    return talk, asked["id"]


def failed(**fields: Any) -> bytes:
    return msgspec.json.encode({"type": "failed", "message": "out of ideas", **fields})


@pytest.mark.parametrize("names_request", [True, False], ids=["at a request", "at a notice"])
def test_a_failure_is_that_of_the_player_it_names_and_is_charged_once(names_request: bool) -> None:
    talk, open_id = talk_with_an_open_request()
    assert talk.read(failed(player=1, **{"id": open_id} if names_request else {})) is None
    assert talk.failure(0) is None
    assert talk.failure(1) == Forfeit("exception", "out of ideas")
    assert talk.failure(1) is None


def test_a_failure_at_a_request_that_is_closed_is_ignored() -> None:
    talk, open_id = talk_with_an_open_request()
    talk.question("hand", {}, player=0)
    assert talk.read(failed(player=1, id=open_id)) is None
    assert talk.failure(1) is None
