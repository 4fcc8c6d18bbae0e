"""A player as a program that uses only the standard library: `python scripted_program.py REPORT SCRIPT`.

It writes the whole conversation to the file REPORT.  SCRIPT is either such a conversation, whose
replies it repeats, or a JSON object with the arguments of `Improvised`.
"""

from __future__ import annotations

import json
import runpy
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

__all__ = ["Improvised", "Scripted", "replies_of"]

Replies = Callable[[str], list[str]]
"""A function that returns the replies to a line."""


class Improvised:
    """A player with legal answers and some bad ones.

    `hello` has the fields of its hello.  `bad` maps the number of a request, from 1, to messages.
    With `passes`, it passes all other requests.
    """

    def __init__(self, hello: dict[str, Any], bad: dict[str, Any], passes: bool = False) -> None:
        self._hello = hello
        self._bad = bad
        self._passes = passes
        self._asked = 0
        # Loaded by its path, because a program cannot import this package.
        self._decent = runpy.run_path(str(Path(__file__).resolve().parents[1] / "cheat_program.py"))["decent"]

    def __call__(self, line: str) -> list[str]:
        message = json.loads(line)
        if message["type"] == "hello":
            return [] if self._hello.get("silent") else [json.dumps(self.hello())]
        if message["type"] == "notice" and "id" in message:
            return [json.dumps({"type": "pass", "id": message["id"]})]
        if message["type"] != "request":
            return []
        self._asked += 1
        bad = self._bad.get(str(self._asked))
        if bad is not None:
            # Any messages, with the id of the request in place of ID.
            return [json.dumps(each).replace('"ID"', str(message["id"])) for each in bad]
        if self._passes:
            return [json.dumps({"type": "pass", "id": message["id"]})]
        return [json.dumps({"type": "answer", "id": message["id"], "answer": self._decent(message)})]

    def hello(self) -> dict[str, Any]:
        return {"type": "hello", "protocol": 1, **self._hello}


class Scripted:
    """A player that repeats the replies of a conversation, each after the same number of lines."""

    def __init__(self, conversation: list[str]) -> None:
        self._replies: dict[int, list[str]] = {}
        received = 0
        for line in conversation:
            if line.startswith("> "):
                received += 1
            else:
                self._replies.setdefault(received, []).append(line[2:])
        self._received = 0

    def first(self) -> list[str]:
        """Return the lines to send before any line is received."""
        return self._replies.get(0, [])

    def __call__(self, line: str) -> list[str]:
        self._received += 1
        replies = self._replies.get(self._received, [])
        if not replies and json.loads(line)["type"] == "request":
            raise ValueError(f"the script has no reply to line {self._received}")
        return replies


def replies_of(script: str) -> Replies:
    if script.startswith("{"):
        return Improvised(**json.loads(script))
    return Scripted(Path(script).read_text(encoding="utf-8").splitlines())


def main(report: Path, script: str) -> None:
    replies = replies_of(script)
    with report.open("w", encoding="utf-8") as log:
        for line in sys.stdin:
            print(">", line.rstrip("\n"), file=log, flush=True)
            for reply in replies(line):
                print("<", reply, file=log, flush=True)
                print(reply, flush=True)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
