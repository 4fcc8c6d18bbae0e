"""Codes, allowed names and bans."""

from __future__ import annotations

from pathlib import Path

import pytest

from wateringhole.errors import OperationError
from wateringhole.house.admission import Admission, BanList


@pytest.mark.parametrize(("code", "is_admitted"), [("open sesame", True), ("open", False), ("", False), (None, False)])
def test_code_must_be_right(code: str | None, is_admitted: bool) -> None:
    problem = Admission(code="open sesame").problem("Ada", "127.0.0.1", code, [])
    assert (problem is None) is is_admitted
    assert problem is None or "wateringhole join ADDRESS/CODE PLAYER" in problem


def test_only_allowed_names_sign_up_and_only_once() -> None:
    admission = Admission(names=("Ada", "Bea"))
    assert admission.problem(" Ada\n", "127.0.0.1", None, ["Bea"]) is None
    assert admission.problem("Eve", "127.0.0.1", None, []) == "the name 'Eve' is not on the list of this house"
    assert admission.problem("Ada", "127.0.0.1", None, ["Ada"]) == "'Ada' has signed up already"
    # A name that only looks like an allowed one is another name.
    assert admission.problem("ada", "127.0.0.1", None, []) is not None


@pytest.mark.parametrize(
    ("name", "address", "is_banned"),
    [
        ("Eve", "127.0.0.1", True),
        ("eve.", "127.0.0.1", True),
        ("Еvе", "127.0.0.1", True),
        ("Evelyn", "127.0.0.1", False),
        ("Ada", "10.1.2.3", True),
        ("Ada", "192.168.1.7", True),
        ("Ada", "192.168.1.8", False),
        ("Ada", "fe80::1%eth0", True),
        ("Ada", "?", False),
        ("spoiler", "127.0.0.1", False),
    ],
)
def test_bans_hold_for_names_addresses_and_networks(tmp_path: Path, name: str, address: str, is_banned: bool) -> None:
    path = tmp_path / "bans.txt"
    path.write_text("# spoiler\nEve  # left twice\n\n10.0.0.0/8\n192.168.1.7\nfe80::/16\n")
    assert BanList(path).bans(name, address) is is_banned


def test_list_of_bans_is_read_again_when_it_changes(tmp_path: Path) -> None:
    path = tmp_path / "bans.txt"
    path.write_text("Eve\n")
    bans = BanList(path)
    assert not bans.has_changed()
    path.write_text("Mallory\n")
    assert bans.has_changed()
    assert (bans.bans("Eve", "127.0.0.1"), bans.bans("Mallory", "127.0.0.1")) == (False, True)
    path.unlink()
    assert not bans.has_changed()
    assert bans.bans("Mallory", "127.0.0.1"), "a list that is being replaced stays in force"


def test_missing_list_of_bans_is_an_operation_error(tmp_path: Path) -> None:
    with pytest.raises(OperationError, match=r"--bans .*no\.txt: cannot read the file: No such file"):
        BanList(tmp_path / "no.txt")
