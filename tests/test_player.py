"""Whose code is blamed when a player fails."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from tests.sample_game.installing import install_nim
from wateringhole import registry
from wateringhole.match.specs import parse_specs
from wateringhole.player import author_line, blamed_line, forfeit_for

BOT = """\
from nim import Codec
from wateringhole.player import InProcess


class Mine(InProcess):
    def take(self, request):
        return Codec.setup_from_json("junk")
"""


def test_the_code_of_an_installed_game_is_not_blamed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "path", [*sys.path, str(install_nim(tmp_path / "packages"))])
    bot = tmp_path / "mine.py"
    bot.write_text(BOT)
    kind = registry.game_kind("nim")
    game = kind.new_game(kind.deal(2, kind.default_rules, 1))
    (request,) = game.requests.values()
    player = parse_specs("nim", [f"{bot}:Mine"])[0].make()
    with pytest.raises(ValueError, match="cannot be read") as raised:
        player.answer(request)
    for blamed in (author_line(raised.value), blamed_line(raised.value)):
        assert str(blamed) == f"{bot}, line 7"
    assert forfeit_for(raised.value).message.startswith("ValueError in mine.py line 7: 'junk' cannot be read")
