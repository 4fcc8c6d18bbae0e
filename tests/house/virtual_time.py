"""An event loop whose clock jumps to the next timer instead of waiting for it."""

from __future__ import annotations

import asyncio
from collections.abc import Coroutine
from typing import Any, TypeVar

__all__ = ["run_in_virtual_time"]

T = TypeVar("T")


class _VirtualLoop(asyncio.SelectorEventLoop):
    def __init__(self) -> None:
        super().__init__()
        self._now = 0.0
        self._select = self._selector.select  # type: ignore[attr-defined]
        self._selector.select = self._jump  # type: ignore[attr-defined]

    def time(self) -> float:
        return self._now

    def _jump(self, timeout: float | None) -> Any:
        assert timeout is not None, "nothing will ever happen"
        self._now += timeout
        return self._select(0)


def run_in_virtual_time(test: Coroutine[Any, Any, T]) -> T:
    """Run a test that uses no connections.  Its time starts at 0."""
    with asyncio.Runner(loop_factory=_VirtualLoop) as runner:
        return runner.run(test)
