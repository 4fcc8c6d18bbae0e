"""One table of Evolution for a human in a browser, a Node.js program, a Python bot, a course client and a bot."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, WebSocket, expect

__all__ = ["NAMES", "NODE", "FivePlayers"]

Message = dict[str, Any]

NODE = shutil.which("node")
NAMES = ("Ana", "Node program", "Python bot", "Course client", "greedy")
"""The players by seat."""

BOT = """\
from wateringhole.games.evolution.bots.silly import Silly


class Mine(Silly):
    wants_events = True
"""


class FivePlayers:
    """A table with five kinds of players.  The human plays on `page`; three processes play by themselves."""

    def __init__(self, page: Page, folder: Path) -> None:
        assert NODE is not None
        self.page_messages: list[Message] = []
        """The messages that the page received."""
        self._folder = folder
        self._processes: dict[str, subprocess.Popen[bytes]] = {}
        page.on("websocket", self._log_frames)
        _open_table(page)
        commands = page.get_by_label("Command")
        expect(commands).to_have_count(2)
        self.id = page.url.rpartition("/")[2]
        # The page shows: wateringhole join ADDRESS/CODE mine.py:Mine
        places = [field.input_value().split()[2] for field in commands.all()]
        self.codes = [place.partition("/")[2] for place in places]
        (folder / "mine.py").write_text(BOT)
        join = [sys.executable, "-m", "wateringhole", "join"]
        player = str(Path(__file__).with_name("websocket_player.js"))
        server = places[0].partition("/")[0]
        self._start("node", NODE, *_websocket_flag(NODE), player, f"ws://{server}", NAMES[1], self.codes[0])
        record = ("--record", f"{folder}/bot.jsonl")
        self._start("bot", *join, places[1], f"{folder}/mine.py:Mine", "--name", NAMES[2], *record)
        record = ("--record", f"{folder}/course.jsonl")
        self._start("course", *join, server, "silly", "--name", NAMES[3], "--protocol", "course", *record)

    def wait(self) -> None:
        """Wait until the three processes have ended, which they do after the game."""
        for name, process in self._processes.items():
            assert process.wait(60) == 0, (self._folder / f"{name}.err").read_text()

    def close(self) -> None:
        """End the processes."""
        for process in self._processes.values():
            process.kill()
            process.wait()

    def node_messages(self) -> list[Message]:
        """Return all messages that the Node.js program received."""
        return [json.loads(line) for line in (self._folder / "node.out").read_text().splitlines()]

    def joined_messages(self, name: str) -> list[Any]:
        """Return all messages that `join` received for the `bot` or the `course` client."""
        lines = map(json.loads, (self._folder / f"{name}.jsonl").read_text().splitlines())
        return [line["message"] for line in lines if line.get("sender") == "host"]

    def _start(self, name: str, *command: str) -> None:
        with (self._folder / f"{name}.out").open("wb") as out, (self._folder / f"{name}.err").open("wb") as err:
            self._processes[name] = subprocess.Popen(command, stdout=out, stderr=err)

    def _log_frames(self, socket: WebSocket) -> None:
        socket.on("framereceived", lambda frame: self.page_messages.append(json.loads(frame)))


def _open_table(page: Page) -> None:
    """Open the table in the lobby, with the seats of `NAMES`."""
    page.goto("/")
    page.get_by_role("button", name="Change name").click()
    page.get_by_label("Name shown to other players").fill(NAMES[0])
    page.get_by_role("button", name="Save").click()
    card = page.get_by_role("region", name="Evolution")
    card.get_by_role("button", name="+ seat").click()
    seats = card.get_by_role("combobox")
    expect(seats).to_have_count(5)
    for seat, occupant in enumerate(("Your program", "Your program", "A friend", "greedy (bot, level 3)"), 1):
        seats.nth(seat).select_option(label=occupant)
    card.get_by_label("Public table").check()
    card.get_by_role("button", name="Open table").click()


def _websocket_flag(node: str) -> list[str]:
    """Return the flag that old versions of Node.js need for WebSockets."""
    shown = subprocess.run([node, "-p", "typeof WebSocket"], capture_output=True, text=True, check=True)
    return ["--experimental-websocket"] if shown.stdout.strip() == "undefined" else []
