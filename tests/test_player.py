"""The hooks of a player, and the line of code that is blamed when it fails."""

from __future__ import annotations

import pickle
import sys
from pathlib import Path

import pytest

from tests.sample_game.installing import install_nim
from wateringhole import registry
from wateringhole.errors import PlayerNotMade, UsageError
from wateringhole.match.specs import parse_specs
from wateringhole.player import RENAMED_HOOKS, InProcess, author_line, blamed_line, forfeit_for

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


@pytest.mark.parametrize(("old", "new"), RENAMED_HOOKS.items())
def test_old_hook_name_is_rejected_naming_the_new_one(old: str, new: str, tmp_path: Path) -> None:
    with pytest.raises(TypeError, match=f"Mine.{old} is called {new} now; rename it"):
        type("Mine", (InProcess,), {old: None})
    bot = tmp_path / "mine.py"
    bot.write_text(f"from wateringhole.games.porrinha import Random\n\n\nclass Mine(Random):\n    {old} = None\n")
    with pytest.raises(UsageError, match=f"line 4: TypeError: Mine.{old} is called {new} now; rename it"):
        parse_specs("porrinha", [f"{bot}:Mine"])


def test_old_hook_name_of_a_mixin_is_rejected() -> None:
    mixin = type("Mixin", (), {"refused": None})
    with pytest.raises(TypeError, match=r"Mine\.refused is called on_violation now; rename it"):
        type("Mine", (mixin, InProcess), {})


def test_an_error_with_a_traceback_can_be_sent_to_another_process() -> None:
    error = pickle.loads(pickle.dumps(PlayerNotMade("it failed", "no file", "line 1\n")))
    assert (str(error), error.traceback) == ("it failed", "line 1\n")
