"""Deferred signals and repeated Ctrl-C."""

from __future__ import annotations

import signal
import sys
import threading
from types import SimpleNamespace
from typing import Any

import pytest

from wateringhole.tournaments import interrupts
from wateringhole.tournaments.interrupts import coalesce_ctrl_c, defer_signals


@pytest.fixture(autouse=True)
def _no_time_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    """Disable the time limits, so that slow machines pass."""
    for name in ("TOO_LONG_SECONDS", "REPEAT_SECONDS"):
        monkeypatch.setattr(interrupts, name, 1e9)


def press() -> None:
    signal.raise_signal(signal.SIGINT)


def work(done: list[str]) -> None:
    """Work during which Ctrl-C is pressed twice."""
    with defer_signals():
        press()
        done.append("some")
        press()
        done.append("all")


def test_deferred_signals_arrive_after_the_work() -> None:
    done: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        work(done)
    assert done == ["some", "all"]
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_work_that_takes_too_long_is_interrupted(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(interrupts, "TOO_LONG_SECONDS", -1)
    done: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        work(done)
    assert done == []


def test_a_signal_while_the_handlers_are_restored_leaves_none_deferred(monkeypatch: pytest.MonkeyPatch) -> None:
    ended: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: ended.append(number))
    restore = signal.signal

    def restore_and_press(number: int, handler: Any) -> None:
        restore(number, handler)
        if handler is signal.default_int_handler:
            press()

    try:
        with pytest.raises(KeyboardInterrupt), defer_signals():
            monkeypatch.setattr(signal, "signal", restore_and_press)
        signal.raise_signal(signal.SIGTERM)
        assert ended == [signal.SIGTERM]
    finally:
        restore(signal.SIGTERM, before)


def test_an_ignored_ctrl_c_stays_ignored() -> None:
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        with coalesce_ctrl_c(), defer_signals():
            press()
        assert signal.getsignal(signal.SIGINT) == signal.SIG_IGN
    finally:
        signal.signal(signal.SIGINT, before)


def test_other_threads_are_not_affected() -> None:
    handlers = []

    def listen() -> None:
        with defer_signals():
            handlers.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=listen)
    thread.start()
    thread.join()
    assert handlers == [signal.default_int_handler]


def test_held_keys_interrupt_once(monkeypatch: pytest.MonkeyPatch) -> None:
    with coalesce_ctrl_c():
        with pytest.raises(KeyboardInterrupt):
            press()
        press()
        monkeypatch.setattr(interrupts, "REPEAT_SECONDS", -1)
        with pytest.raises(KeyboardInterrupt):
            press()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_a_lost_interrupt_is_not_printed_and_the_next_one_counts(capsys: pytest.CaptureFixture[str]) -> None:
    class Closing:
        def __del__(self) -> None:
            press()

    with coalesce_ctrl_c():
        Closing()
        with pytest.raises(KeyboardInterrupt):
            press()
    assert capsys.readouterr().err == ""


def test_other_unraisable_errors_are_still_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    reported: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", reported.append)
    lost = SimpleNamespace(exc_value=ValueError())
    with coalesce_ctrl_c():
        sys.unraisablehook(lost)
    assert reported == [lost]
