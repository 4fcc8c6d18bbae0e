"""`check GAME FOLDER`: all players in a folder, of which none stops the others."""

from __future__ import annotations

import json
import os
import re
import shutil
import stat
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest

from tests.cli.running import Ran, wateringhole
from wateringhole.tournaments.submissions import find_submissions

SOUND = """
from wateringhole.games.porrinha.bots.zero import Zero

class Mine(Zero):
    pass
"""
BROKEN = "class Mine: this was not finished in time\n"
HAND = SOUND.replace("pass", "def hand(self, *args):")
FAILING = HAND + "        return helper()\n\ndef helper():\n    return {}['hand']\n"
SLOW = HAND + "        import time; print('thinking'); time.sleep(1)\n        return 1\n"
FLOODING = HAND + "        print('x' * 1_000_000)\n        return super().hand(*args)\n"
# It kills the process that checks it, the parent of its own parent, and then fails.
KILLER = """
import os, sys
from pathlib import Path

parent = Path(f"/proc/{os.getppid()}/stat").read_text().rpartition(")")[2].split()[1]
os.kill(int(parent), 9)
sys.exit(1)
"""
HANGING = "#!/bin/sh\nexec sleep 100\n"
PROGRAM = """#!/usr/bin/env python3
import json, sys
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print(json.dumps({"type": "hello", "protocol": 1}), flush=True)
    elif message["type"] == "request":
        print(json.dumps({"type": "pass", "id": message["id"]}), flush=True)
"""


def write(folder: Path, **files: str) -> Path:
    """Write submissions; a name that ends in `_py` is a Python file, `__` is a slash, and any other is executable."""
    for name, content in files.items():
        path = folder / re.sub("_py$", ".py", name.replace("__", "/"))
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(content)
        if path.suffix != ".py":
            path.chmod(path.stat().st_mode | stat.S_IXUSR)
    return folder


def checked(folder: Path, *options: str) -> tuple[Ran, dict[str, Any]]:
    """Check the players in a folder.  Return the run and the results by name."""
    ran = wateringhole("check", "porrinha", folder.name, "--json", *options, folder=folder.parent)
    assert "Traceback" not in ran.stderr
    found = json.loads(ran.stdout)
    assert found["is_fine"] == (ran.returncode == 0)
    return ran, {each["name"]: each for each in found["submissions"]}


def problem_of(result: Any) -> str:
    return next(str(finding["message"]) for finding in result["findings"] if finding["is_problem"])


def test_every_player_is_checked_whatever_the_others_do(tmp_path: Path) -> None:
    folder = write(
        tmp_path / "submissions",
        ada_py=SOUND,
        bea=PROGRAM,
        cai_py=BROKEN,
        dee=HANGING,
        eve_py=KILLER,
        flo_py=FLOODING,
        gus__player_py=SOUND,
        hal__data=HANGING.replace("#!", ""),
    )
    (folder / "hal" / "data").chmod(0o600)
    (folder / "README").write_text("three of us were late")
    # One player hangs.  On a busy machine, the others may need more than a few seconds to start.
    for seconds in (4, 60):
        ran, results = checked(folder, "--workers", "3", "--startup-timeout", str(seconds), "--log", "logs")
        if [name for name, result in results.items() if "no answer came" in str(result["findings"])] == ["dee"]:
            break
    assert ran.returncode == 1
    assert list(results) == ["ada", "bea", "cai", "dee", "eve", "flo", "gus", "hal"]
    passed = [name for name, result in results.items() if result["is_fine"]]
    assert passed == ["ada", "bea", "gus"]
    assert "OSError in flo.py" in problem_of(results["flo"])
    assert "cai.py, line 1: SyntaxError" in problem_of(results["cai"])
    assert f"no answer came within {seconds} s" in problem_of(results["dee"])
    assert problem_of(results["hal"]).startswith("The folder has no player.py, no hal.py and no executable file")
    assert problem_of(results["eve"])
    assert all("\n" not in finding["message"] for result in results.values() for finding in result["findings"])
    assert json.loads(ran.stdout)["ignored"] == ["README"]
    assert (tmp_path / "logs" / "flo.log").stat().st_size < 2 << 20


def test_players_that_pass_are_listed_for_a_tournament(tmp_path: Path) -> None:
    folder = write(tmp_path / "submissions", ada_py=SOUND, cai_py=BROKEN, **{"b e a": PROGRAM})
    ran, _ = checked(folder, "--passed", "players.txt")
    assert ran.returncode == 1
    lines = (tmp_path / "players.txt").read_text().splitlines()
    assert lines == ["ada=submissions/ada.py:Mine", "b e a=cmd:'submissions/b e a'"]
    words = ("tournament", "porrinha", "@players.txt", "--games", "2", "--time-limit", "5", "--store", "store.sqlite")
    assert wateringhole(*words, folder=tmp_path).returncode == 0


def test_the_table_and_the_page_show_each_result(tmp_path: Path) -> None:
    write(tmp_path / "submissions", ada_py=SOUND, cai_py=FAILING)
    (tmp_path / "pages").mkdir()
    words = ("check", "porrinha", "submissions", "--report", "pages/check.html", "--log", "logs")
    ran = wateringhole(*words, folder=tmp_path)
    assert ran.returncode == 1
    rows = [re.sub(r"[│\s]+", " ", line) for line in ran.stdout.splitlines()]
    assert any(row.startswith(" ada passed ") for row in rows)
    assert any(row.startswith(" cai failed ") and "asked to hand, it failed: KeyError in cai.py" in row for row in rows)
    assert "2 players: 1 passed, 1 failed." in ran.stdout
    page = (tmp_path / "pages" / "check.html").read_text()
    assert "<script" not in page
    assert "2 players: 1 passed, 1 failed." in page
    assert page.count("it failed: KeyError in cai.py") == 2
    links = re.findall(r'<a href="([^"#]+)">log<', page)
    assert [(tmp_path / "pages" / unquote(link)).name for link in links] == ["cai.log"]
    assert "in helper" in (tmp_path / "pages" / unquote(links[0])).read_text()


def test_a_check_that_takes_too_long_is_stopped(tmp_path: Path) -> None:
    folder = write(tmp_path / "submissions", ada_py=SLOW)
    log = tmp_path / "logs" / "ada.log"
    # On a busy machine, the player may need more than a few seconds to start.
    for seconds in (2, 8, 40):
        ran, results = checked(folder, "--check-timeout", str(seconds), "--log", "logs")
        assert ran.returncode == 1
        assert problem_of(results["ada"]) == f"The check did not end within {seconds} s."
        assert results["ada"]["seconds"] < 4 * seconds
        assert list(log.parent.iterdir()) == [log]
        if has_started := "thinking" in log.read_text():
            break
    assert has_started


SPY = (
    SOUND
    + """
import os
from pathlib import Path

seen = sorted(each.name for each in Path(__file__).parent.iterdir() if each.name != "__pycache__")
assert seen == ["ada.txt", "spy.py"], seen
"""
)


@pytest.mark.skipif(shutil.which("bwrap") is None, reason="bubblewrap is not installed here")
def test_a_player_in_the_sandbox_does_not_see_the_others(tmp_path: Path) -> None:
    folder = write(tmp_path / "submissions", ada_py=SOUND, spy_py=SPY, bea=PROGRAM, gus__player_py=SOUND)
    (folder / "ada.txt").touch()
    ran, results = checked(folder, "--sandbox", "bwrap")
    assert [name for name, result in results.items() if not result["is_fine"]] == [], results["spy"]["findings"]
    assert ran.returncode == 0


def test_names_of_submissions(tmp_path: Path) -> None:
    write(
        tmp_path,
        ada_py="class Ada: ...",
        ada=PROGRAM,
        two_py="class A: ...\nclass B: ...",
        both__other_py=SOUND,
        both__player_py=SOUND,
        same__same_py=SOUND,
        same__helper_py="",
        only__it=PROGRAM,
        double__player_py=SOUND,
        double__player=PROGRAM,
        **{"a=b_py": SOUND, "__pycache__x": PROGRAM, ".git__config": PROGRAM},
    )
    found, ignored = find_submissions(tmp_path)
    assert ignored == []
    assert {each.name: each.spec and each.spec.replace(f"{tmp_path}/", "") for each in found} == {
        "a=b": None,
        "ada": "ada=cmd:ada",
        "ada.py": "ada.py=ada.py:Ada",
        "both": "both=both/player.py:Mine",
        "double": None,
        "only": "only=cmd:only/it",
        "same": "same=same/same.py:Mine",
        "two": "two=two.py:Mine",
    }
    (double,) = [each for each in found if each.name == "double"]
    problem = "The folder has two players, player.py and the executable file player. Remove one of them."
    assert double.problem == problem


@pytest.mark.parametrize(
    "name",
    ["ada/a\nX=cmd:true\n#.py", "random\u2028#.py", "esc\x9b31m.py", "ada\u202e/player.py", os.fsdecode(b"ad\xff.py")],
    ids=["line in a folder", "line", "control character", "direction", "no text"],
)
def test_a_file_name_cannot_add_players_to_the_list(name: str, tmp_path: Path) -> None:
    (tmp_path / name).parent.mkdir(exist_ok=True)
    (tmp_path / name).write_text(SOUND)
    ((found,), _) = find_submissions(tmp_path)
    assert found.spec is None
    assert found.name.isprintable()
    assert found.problem == "Its name has a character that the name of a player may not have: rename it."


@pytest.mark.parametrize(("link", "target"), [("eve/player.py", "../ada/player.py"), ("eve.py", "ada/player.py")])
def test_a_link_does_not_submit_the_player_of_another(link: str, target: str, tmp_path: Path) -> None:
    write(tmp_path, ada__player_py=SOUND)
    (tmp_path / link).parent.mkdir(exist_ok=True)
    (tmp_path / link).symlink_to(target)
    (ada, eve), _ = find_submissions(tmp_path)
    assert ada.spec is not None
    assert (eve.spec, eve.problem) == (None, f"Its file {Path(link).name} is a link to somewhere else: copy the file.")


def test_links_within_a_submission_and_linked_folders_are_allowed(tmp_path: Path) -> None:
    write(tmp_path, uploads__7__v2_py=SOUND)
    (tmp_path / "uploads" / "7" / "player.py").symlink_to("v2.py")
    (tmp_path / "submissions").mkdir()
    (tmp_path / "submissions" / "ada").symlink_to("../uploads/7")
    ((ada,), _) = find_submissions(tmp_path / "submissions")
    assert ada.problem == ""
    assert ada.spec == f"ada={tmp_path}/submissions/ada/player.py:Mine"


def test_a_long_file_is_not_searched_for_its_class(tmp_path: Path) -> None:
    (tmp_path / "ada.py").write_text("x = 1\n" * 200_000 + "class Ada: ...\n")
    ((ada,), _) = find_submissions(tmp_path)
    assert ada.spec == f"ada={tmp_path}/ada.py:Mine"


@pytest.mark.parametrize(
    ("words", "status", "message"),
    [
        (("empty",), 2, "there is no player in empty. Expected Python files, executable files"),
        (("zero", "--report", "x.html"), 2, "--report x.html: only for a folder of players, and 'zero' is none"),
        (("zero", "--workers", "2"), 2, "--workers 2: only for a folder of players"),
        (("one", "--report", "missing/x.html"), 1, "missing/x.html cannot be written: there is no folder missing"),
        (("one", "--check-timeout", "0"), 2, "--check-timeout 0: expected a positive number of seconds"),
    ],
)
def test_mistakes_are_reported_before_the_first_check(
    words: tuple[str, ...], status: int, message: str, tmp_path: Path
) -> None:
    (tmp_path / "empty").mkdir()
    write(tmp_path / "one", ada_py=SOUND)
    ran = wateringhole("check", "porrinha", *words, folder=tmp_path)
    assert (ran.returncode, ran.stdout) == (status, "")
    assert message in " ".join(ran.stderr.split())
