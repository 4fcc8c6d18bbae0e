"""A name that is also a knock: the first message of a player that does not know what a server speaks."""

from __future__ import annotations

import pytest

from wateringhole import registry
from wateringhole.protocol.frames import FrameReader
from wateringhole.protocol.host import HostEnd
from wateringhole.protocol.messages import is_named_knock, named_knock, to_line


@pytest.mark.parametrize("name", ["Ada", "", 'a "quoted" name', "Zoë"])
def test_a_named_knock_is_a_json_string_for_other_servers(name: str) -> None:
    assert is_named_knock(named_knock(name))
    reader = FrameReader(may_greet=True)
    reader.feed(named_knock(name))
    assert reader.take() == name


@pytest.mark.parametrize("start", [b'"Ada" ', b'"Ada"\n', b'"Ada"', b"ping", b'{"type":"knock"}\n', b"5\t\n", b""])
def test_other_first_messages_are_no_named_knocks(start: bytes) -> None:
    assert not is_named_knock(start)


def test_a_hello_may_have_the_code_of_a_seat() -> None:
    host_end = HostEnd(registry.game_kind("porrinha"))
    line = to_line({"type": "hello", "protocol": 1, "code": "s3cret"})
    assert host_end.read_hello(line).code == "s3cret"
    assert host_end.read_hello(to_line({"type": "hello", "protocol": 1})).code is None
