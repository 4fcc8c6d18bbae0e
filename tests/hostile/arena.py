"""Plays a game with hostile players in a folder that holds everything they may want, and reports the damage."""

from __future__ import annotations

import contextlib
import ctypes
import json
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path
from typing import Any

from tests.hostile import player as hostile
from wateringhole.errors import WateringHoleError
from wateringhole.match.record import read_record

__all__ = ["Arena", "Game", "arena"]

MEMORY_MB = 128
SECONDS = 60.0
"""The time for one game, with room for a slow machine."""
LONGEST_OUTPUT = 3 << 20
"""More bytes than a log keeps, and than a command prints."""
OPTIONS = {
    "in process": (),
    "isolated": ("--memory-limit", str(MEMORY_MB), "--log", "logs"),
    "sandboxed": ("--memory-limit", str(MEMORY_MB), "--log", "logs", "--sandbox", "bwrap"),
}

FORKS_PLAYERS = """
import msgspec
from wateringhole.cli import main
from wateringhole.match import specs
from wateringhole.process import preloaded

name_isolated = specs._name_isolated
specs._name_isolated = lambda *given: name_isolated(*given[:-1], msgspec.structs.replace(given[-1], preloads=True))
try:
    main()
finally:
    assert preloaded._parents, "no player was forked"
"""
"""The command, with the players of `play` forked like those of a tournament."""

INNOCENT = """
import time
from wateringhole.games.evolution.bots.silly import Silly

class Innocent(Silly):
    turns = 0

    def choose(self, request):
        self.turns += 1
        until = time.process_time() + (TURN_SECONDS if self.turns <= 3 else 0)
        while time.process_time() < until:
            pass
        return super().choose(request)
"""
"""A player that needs a processor for a while in each of its first turns."""


class Game:
    """A game that was played, with the reports of its hostile players and the damage that they did."""

    def __init__(self, text: str, damage: Sequence[str] = (), thrown_out: Collection[str] = ()) -> None:
        self.text = text
        """All output, also for messages of failing tests."""
        reports = [json.loads(line.removeprefix(hostile.MARK)) for line in text.splitlines() if hostile.MARK in line]
        self.evidence: dict[str, str | None] = {
            each["attack"]: each["evidence"] for each in reports if "evidence" in each
        }
        """For each attack that raised no error, the evidence of its success, or None if only damage can show it."""
        self.attempted = {*thrown_out, *(each["attack"] for each in reports)}
        """The attacks that were reported, and those for which their player was thrown out."""
        self.damage = damage

    def succeeded(self, attack: str) -> bool:
        return bool(self.evidence.get(attack) or self.damage)


class Arena:
    """A folder with a store, records, submissions and a home, and what a hostile player may know about it."""

    def __init__(self, folder: Path, turn_seconds: float = 0.0) -> None:
        self.folder = folder
        self.token = f"arena-{uuid.uuid4().hex}"
        self.shm_key = int(self.token[-7:], 16)
        self.server = socket.create_server(("127.0.0.1", 0))
        with socket.create_server(("127.0.0.1", 0)) as free:
            meeting_port = free.getsockname()[1]
        with tempfile.NamedTemporaryFile(prefix=self.token, delete=False, dir="/tmp") as temporary:
            temporary.write(b"a letter")
        self._temporary = Path(temporary.name)
        self._targets = {
            "store": folder / "club.sqlite",
            "diary": folder / "home" / "diary",
            "other": folder / "submissions" / "innocent" / "innocent.py",
            "records": folder / "records",
        }
        for name, target in self._targets.items():
            path = target / "old.jsonl" if name == "records" else target
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(INNOCENT.replace("TURN_SECONDS", str(turn_seconds)) if name == "other" else f"{name}\n")
        self._before = self._files()
        self.plan: dict[str, Any] = {
            **{name: str(path) for name, path in self._targets.items()},
            "token": self.token,
            "variable": "OPERATORS_SECRET",
            "temporary": temporary.name,
            "server_port": self.server.getsockname()[1],
            "meeting_port": meeting_port,
            "note_in_tmp": f"/tmp/{self.token}.note",
            "note_in_folder": str(folder / "submissions" / "accomplice" / "note"),
            "note_in_shm": f"/dev/shm/{self.token}.note",
            "socket": f"/tmp/{self.token}.socket",
            "shm_key": self.shm_key,
            # A file that every player sees, and that nothing else locks.
            "locked": contextlib.__file__,
            "memory_mb": MEMORY_MB,
            "processes": 256,
        }

    def play(
        self, mode: str, attacks: Sequence[Sequence[str]], options: Sequence[str] = (), *, is_forked: bool = False
    ) -> Game:
        """Play a game of a built-in player, an innocent one, and a hostile one for each list of attacks.

        A player without attacks is the accomplice.  If `is_forked`, preloaded parents start the players as in a
        tournament.
        """
        names = [f"hostile{number}" if wanted else "accomplice" for number, wanted in enumerate(attacks)]
        for seat, (name, wanted) in enumerate(zip(names, attacks, strict=True), start=2):
            own = self.folder / "submissions" / name
            own.mkdir()
            shutil.copy(hostile.__file__, own / "player.py")
            plan = {**self.plan, "attacks": wanted, "is_accomplice": not wanted, "seat": seat, "own": str(own)}
            (own / "plan.json").write_text(json.dumps(plan))
        specs = ["greedy", "innocent=submissions/innocent/innocent.py:Innocent"]
        specs += [f"{name}=submissions/{name}/player.py:Hostile" for name in names]
        start = ["-c", FORKS_PLAYERS] if is_forked else ["-m", "wateringhole"]
        words = [sys.executable, *start, "play", "evolution", *specs, "--seed", "7", "--json"]
        words += ["--record", f"games-{self.token}", *OPTIONS[mode], *options]
        variables = {**os.environ, "HOME": str(self.folder / "home"), "OPERATORS_SECRET": "hunter2"}
        with subprocess.Popen(
            words,
            cwd=self.folder,
            env=variables,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            start_new_session=True,
        ) as command:
            try:
                out, err = command.communicate(timeout=SECONDS)
            except subprocess.TimeoutExpired:
                os.killpg(command.pid, signal.SIGKILL)
                out, err = command.communicate()
                return Game(err.decode(errors="replace"), ["the command did not end"])
        text = err.decode(errors="replace")
        text += "".join(path.read_text(errors="replace") for path in self.folder.glob("logs/*"))
        damage = [*self._damage(names)]
        thrown_out = {}
        if command.returncode:
            damage.append(f"the command exited with status {command.returncode}")
        else:
            thrown_out = {each["name"]: each["reason"] for each in json.loads(out)["thrown_out"]}
            damage += [f"{name} was thrown out: {why}" for name, why in thrown_out.items() if name not in names]
        if len(text) + len(out) > LONGEST_OUTPUT:
            damage.append(f"{len(text) + len(out)} bytes of output")
        guilty = [wanted for name, wanted in zip(names, attacks, strict=True) if name in thrown_out]
        return Game(text, damage, [attack for wanted in guilty for attack in wanted])

    def _damage(self, names: Sequence[str]) -> Iterator[str]:
        """Yield what was done to the files and processes of anyone but the hostile players."""
        after = self._files()
        yield from (f"{path} was changed" for path, text in self._before.items() if after.get(path) != text)
        for name in names:
            if not (self.folder / "submissions" / name / "player.py").exists():
                yield f"the folder of {name} is gone"
        records = [*self.folder.glob("games-*/*.jsonl")]
        if not records:
            yield "there is no record"
        for record in records:
            try:
                for _ in read_record(record.read_bytes()).replay().events():
                    pass
            except WateringHoleError as error:
                yield f"the record is not valid: {error}"
        for pid in hostile.processes(self.token):
            yield f"process {pid} is left"
            os.kill(pid, signal.SIGKILL)

    def _files(self) -> dict[str, bytes]:
        return {
            str(path): path.read_bytes()
            for target in self._targets.values()
            for path in (target.rglob("*") if target.is_dir() else [target])
            if path.is_file()
        }

    def close(self) -> None:
        """Remove everything that a hostile player may have left on this machine."""
        self.server.close()
        for folder in ("/tmp", "/dev/shm"):
            for path in Path(folder).glob(f"{self.token}*"):
                path.unlink(missing_ok=True)
        self._temporary.unlink(missing_ok=True)
        libc = ctypes.CDLL(None)
        segment = libc.shmget(self.shm_key, 0, 0)
        if segment >= 0:
            libc.shmctl(segment, 0, None)


@contextlib.contextmanager
def arena(folder: Path, turn_seconds: float = 0.0) -> Iterator[Arena]:
    """An arena whose innocent player needs a processor for a number of seconds in each of its first turns."""
    made = Arena(folder, turn_seconds)
    try:
        yield made
    finally:
        made.close()
