"""Run `wateringhole` with greedy bots that write every message they get to a file, in the format of the protocol.

python logged_serve.py FILE serve …
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

from wateringhole.cli import main
from wateringhole.game import Answer, Event, Notice, Request
from wateringhole.games.evolution.bots.greedy import Greedy
from wateringhole.games.evolution.kind import KIND
from wateringhole.player import InProcess
from wateringhole.protocol.host import HostEnd

_, path, *arguments = sys.argv
log = Path(path).open("ab", buffering=0)  # noqa: SIM115  # it stays open as long as the server runs


def answer(self: Greedy, request: Request[Any], seconds: float | None = None) -> Answer:
    log.write(HostEnd(KIND).request(request, seconds=seconds))
    return InProcess.answer(self, request, seconds)


def on_notice(self: Greedy, notice: Notice) -> None:
    log.write(HostEnd(KIND).notice(notice))
    InProcess.on_notice(self, notice)


def on_event(self: Greedy, event: Event) -> None:
    log.write(HostEnd(KIND).event(event))


for name, value in {"answer": answer, "on_notice": on_notice, "on_event": on_event, "wants_events": True}.items():
    setattr(Greedy, name, value)
sys.argv = ["wateringhole", *arguments]
main()
