"""Files that are written completely or not at all."""

from __future__ import annotations

import os
import resource
from pathlib import Path

import pytest

from wateringhole.cli.files import check_writable, write_atomically
from wateringhole.errors import OperationError


def test_an_existing_file_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "out.html"
    for content in (b"old", b"new"):
        check_writable(path)
        write_atomically(path, content)
        assert path.read_bytes() == content
    assert os.listdir(tmp_path) == ["out.html"]


def test_a_file_being_read_keeps_its_content_when_it_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "out.html"
    path.write_bytes(b"old")
    with path.open("rb") as reader:
        write_atomically(path, b"new")
        assert reader.read() == b"old"
    assert path.read_bytes() == b"new"


def test_an_existing_file_stays_if_the_new_one_cannot_be_completed(tmp_path: Path) -> None:
    path = tmp_path / "out.html"
    path.write_bytes(b"old")
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (1000, hard))
    try:
        with pytest.raises(OperationError, match=r"out\.html cannot be written: File too large\."):
            write_atomically(path, b"x" * 100_000)
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert path.read_bytes() == b"old"
    assert os.listdir(tmp_path) == ["out.html"]


def test_checking_a_path_changes_nothing(tmp_path: Path) -> None:
    path = tmp_path / "out.html"
    check_writable(path)
    assert os.listdir(tmp_path) == []
    path.write_bytes(b"old")
    check_writable(path)
    assert path.read_bytes() == b"old"


def test_a_link_stays_a_link(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    link = tmp_path / "out.html"
    link.symlink_to(tmp_path / "there" / "real.html")
    check_writable(link)
    write_atomically(link, b"new")
    assert link.is_symlink()
    assert (tmp_path / "there" / "real.html").read_bytes() == b"new"


def test_a_link_into_a_missing_folder_is_an_operation_error(tmp_path: Path) -> None:
    link = tmp_path / "out.html"
    link.symlink_to(tmp_path / "nowhere" / "real.html")
    with pytest.raises(OperationError, match=r"out\.html cannot be written: No such file or directory\."):
        check_writable(link)


def test_a_pipe_is_written_to_and_not_replaced(tmp_path: Path) -> None:
    path = tmp_path / "pipe"
    os.mkfifo(path)
    reader = os.open(path, os.O_RDONLY | os.O_NONBLOCK)
    check_writable(path)
    write_atomically(path, b"new")
    assert os.read(reader, 9) == b"new"
    os.close(reader)
    assert path.is_fifo()


@pytest.mark.parametrize(
    ("path", "why"), [("nowhere/out.html", "there is no folder"), (".", "Is a directory"), ("x" * 300, "too long")]
)
def test_an_unwritable_path_is_an_operation_error(path: str, why: str, tmp_path: Path) -> None:
    for attempt in (check_writable, lambda path: write_atomically(path, b"new")):
        with pytest.raises(OperationError, match=rf"cannot be written: .*{why}"):
            attempt(tmp_path / path)
    assert os.listdir(tmp_path) == []
