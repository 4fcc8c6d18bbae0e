"""The commands that sign a head, exactly as `docs/how-to/signing.md` shows them."""

from __future__ import annotations

import contextlib
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

PAGE = Path(__file__).parents[2] / "docs" / "how-to" / "signing.md"


def commands(*, with_word: str) -> list[str]:
    """Return the shell examples of the page that use a program."""
    page = PAGE.read_text(encoding="utf-8")
    return [block for block in re.findall(r"```sh\n(.*?)```", page, re.DOTALL) if with_word in block]


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder with a small tournament.  Its path is short, because GPG has a socket in it."""
    with tempfile.TemporaryDirectory(prefix="sign-") as name:
        ran = run(
            Path(name), "wateringhole tournament porrinha random zero counter --games 3 --seed 7 --store club.sqlite"
        )
        assert ran.returncode == 0, ran.stderr
        yield Path(name)


def run(folder: Path, script: str) -> subprocess.CompletedProcess[str]:
    """Run a script in a shell whose home is the folder, until its first command that fails."""
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    environment = {**os.environ, "PATH": path, "HOME": str(folder), "GNUPGHOME": str(folder / "gpg")}
    return subprocess.run(
        ["bash", "-ec", script], cwd=folder, env=environment, capture_output=True, text=True, timeout=120, check=False
    )


def edit(folder: Path) -> None:
    """Change a setting that only the head covers, and the head in the store with it."""
    with contextlib.closing(sqlite3.connect(folder / "club.sqlite")) as connection:
        connection.execute(
            "UPDATE tournaments SET head = NULL, settings = json_set(settings, '$.players[0]', 'counter')"
        )
        connection.commit()


@pytest.mark.skipif(shutil.which("ssh-keygen") is None, reason="needs ssh-keygen: apt install openssh-client")
def test_a_head_is_signed_and_verified_with_ssh(folder: Path) -> None:
    keys = folder / ".ssh"
    keys.mkdir()
    made = run(folder, f"ssh-keygen -q -t ed25519 -N '' -f {keys}/id_ed25519 && cp {keys}/id_ed25519.pub .")
    assert made.returncode == 0, made.stderr
    sign, verify = commands(with_word="ssh-keygen")
    assert run(folder, sign).returncode == 0
    checked = run(folder, verify)
    assert checked.returncode == 0, checked.stderr
    assert 'Good "wateringhole" signature for ada@example.org' in checked.stdout
    edit(folder)
    assert run(folder, verify).returncode != 0


@pytest.mark.slow
@pytest.mark.skipif(shutil.which("gpg") is None, reason="needs gpg: apt install gnupg")
def test_a_head_is_signed_and_verified_with_gpg(folder: Path) -> None:
    (folder / "gpg").mkdir(mode=0o700)
    try:
        made = run(folder, "gpg --batch --quiet --passphrase '' --quick-generate-key ada@example.org")
        assert made.returncode == 0, made.stderr
        sign, verify = commands(with_word="gpg")
        assert run(folder, "wateringhole standings 1 --store club.sqlite --head > head.txt").returncode == 0
        signed = run(folder, sign.replace("gpg ", "gpg --batch ", 1))
        assert signed.returncode == 0, signed.stderr
        checked = run(folder, verify)
        assert checked.returncode == 0, checked.stderr
        assert "Good signature" in checked.stderr
        edit(folder)
        assert run(folder, verify).returncode != 0
    finally:
        run(folder, "gpgconf --kill all")
