"""The logs of players' standard error: what is kept, and how much of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from wateringhole.process import logs
from wateringhole.process.logs import KEPT_BYTES, StderrLog, log_file


def written(folder: Path, text: str) -> StderrLog:
    """Return the log of a process that has written a text."""
    log = StderrLog(folder, log_file(folder, "Ada"))
    log.path.write_text(text)
    return log


def kept(folder: Path) -> str:
    (file,) = folder.iterdir()
    assert file == log_file(folder, "Ada")
    return file.read_text()


def test_processes_of_a_player_share_a_log(tmp_path: Path) -> None:
    first, second = written(tmp_path, "one\n"), written(tmp_path, "two\n")
    assert (first.last_line(), second.last_line()) == ("one", "two")
    second.keep()
    first.keep()
    first.keep()
    assert kept(tmp_path) == "two\none\n"


def test_a_long_log_keeps_its_first_and_its_last_lines(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "KEPT_BYTES", 100)
    for process in range(20):
        written(tmp_path, f"process {process:02}\n" * 3).keep()
        assert len(kept(tmp_path)) < 200
    lines = kept(tmp_path).splitlines()
    assert lines[:3] == ["process 00"] * 3
    assert lines[-3:] == ["process 19"] * 3
    omitted = lines.index("… output left out here …")
    whole = {f"process {process:02}" for process in range(20)}
    assert whole >= {*lines[:omitted], *lines[omitted + 1 :]}


def test_a_log_of_exactly_the_limit_is_kept_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(logs, "KEPT_BYTES", 100)
    written(tmp_path, "x" * 59 + "\n").keep()
    written(tmp_path, "y" * 39 + "\n").keep()
    assert kept(tmp_path) == "x" * 59 + "\n" + "y" * 39 + "\n"
    written(tmp_path, "z").keep()
    assert "left out" in kept(tmp_path)


def test_a_process_that_floods_its_standard_error_leaves_an_excerpt(tmp_path: Path) -> None:
    written(tmp_path, "first\n" + "x" * 10 * KEPT_BYTES + "\nlast\n").keep()
    text = kept(tmp_path)
    assert text.startswith("first\n")
    assert text.endswith("last\n")
    assert len(text) < 2 * KEPT_BYTES


@pytest.mark.parametrize(
    ("output", "line"),
    [
        (b"", ""),
        (b"\n \n", ""),
        (b"one\n two \n\n", "two"),
        (b"caf\xc3\xa9 \xff\n", "café �"),
    ],
    ids=["nothing", "blanks", "blanks around a line", "bytes that are no text"],
)
def test_the_last_line_is_readable(output: bytes, line: str, tmp_path: Path) -> None:
    log = StderrLog(tmp_path, None)
    log.path.write_bytes(output)
    assert log.last_line() == line


def test_a_process_without_output_has_no_last_line(tmp_path: Path) -> None:
    assert StderrLog(tmp_path, None).last_line() == ""


def test_only_the_end_of_a_long_line_is_read(tmp_path: Path) -> None:
    assert written(tmp_path, "begin" + "x" * 5000 + "\n").last_line().startswith("xxx")


def test_without_a_folder_for_logs_nothing_is_kept(tmp_path: Path) -> None:
    log = StderrLog(tmp_path, None)
    log.path.write_text("one\ntwo")
    log.keep()
    assert log.last_line() == "two"
    assert list(tmp_path.iterdir()) == [log.path]


def test_names_of_logs_are_valid_and_different(tmp_path: Path) -> None:
    names = ["a b", "a/b", "../a", "É" * 100, "É" * 101, "x" * 300]
    files = [log_file(tmp_path, name) for name in names]
    for file in files:
        file.touch()
    assert sorted(tmp_path.iterdir()) == sorted(set(files))
    assert len(set(files)) == len(names)


def test_only_names_of_more_than_200_characters_are_shortened(tmp_path: Path) -> None:
    assert log_file(tmp_path, "x" * 200).name == "x" * 200 + ".log"
    for length in (201, 300):
        assert len(log_file(tmp_path, "x" * length).stem) == 200
