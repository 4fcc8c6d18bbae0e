"""The types of the messages between server and page, which are generated from the server's structs."""

from __future__ import annotations

from tools.page_types import TARGET, page_types


def test_types_of_the_messages_are_up_to_date() -> None:
    assert TARGET.read_text(encoding="utf-8") == page_types(), "run: make page-types"
