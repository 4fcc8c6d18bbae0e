"""When Ctrl-C is heard."""

from __future__ import annotations

import signal
import sys
import threading
from types import SimpleNamespace

import pytest

from wateringhole.tournaments import interrupts
from wateringhole.tournaments.interrupts import coalesce_ctrl_c, defer_signals


@pytest.fixture(autouse=True)
def _endless_patience(monkeypatch: pytest.MonkeyPatch) -> None:
    """However slow this machine is."""
    for name in ("TOO_LONG_SECONDS", "CALM_SECONDS"):
        monkeypatch.setattr(interrupts, name, 1e9)


def press() -> None:
    signal.raise_signal(signal.SIGINT)


def work(done: list[str]) -> None:
    """Somebody presses Ctrl-C twice meanwhile."""
    with defer_signals():
        press()
        done.append("some")
        press()
        done.append("all")


def test_work_that_must_not_be_torn_is_finished_first() -> None:
    done: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        work(done)
    assert done == ["some", "all"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_work_that_takes_too_long_is_torn(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupts, "TOO_LONG_SECONDS", -1)
    done: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        work(done)
    assert done == []


def test_whoever_ignores_ctrl_c_goes_on_ignoring_it() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with coalesce_ctrl_c(), defer_signals():
            press()
        assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_another_thread_works_as_usual() -> None:
    heard = []

    def listen() -> None:
        with defer_signals():
            heard.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=listen)
    thread.start()
    thread.join()
    assert heard == [signal.default_int_handler]


def test_keys_held_down_are_one_interruption(monkeypatch: pytest.MonkeyPatch) -> None:
    with coalesce_ctrl_c():
        with pytest.raises(KeyboardInterrupt):
            press()
        press()
        monkeypatch.setattr(interrupts, "CALM_SECONDS", -1)
        with pytest.raises(KeyboardInterrupt):
            press()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_one_that_got_lost_is_not_printed_and_the_next_is_heard(capsys: pytest.CaptureFixture[str]) -> None:
    class Closing:
        def __del__(self) -> None:
            press()

    with coalesce_ctrl_c():
        Closing()
        with pytest.raises(KeyboardInterrupt):
            press()
    assert capsys.readouterr().err == ""


def test_other_errors_that_get_lost_are_told_as_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", told.append)
    lost = SimpleNamespace(exc_value=ValueError())
    with coalesce_ctrl_c():
        sys.unraisablehook(lost)
    assert told == [lost]
