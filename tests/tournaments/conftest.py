"""Fixtures: stores in a file and on a real server, and the standings of a long tournament."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sql

from tests.cli.running import called
from tests.tournaments.long_tournaments import MANY, standings
from wateringhole.tournaments.store import Store


class PostgresqlServer:
    """A server of its own, which listens on a socket in its folder."""

    def __init__(self, programs: Path, folder: Path) -> None:
        self._programs = programs
        self.folder = folder
        self._log = folder.parent / f"{folder.name}.log"
        # The server refuses to run as root.
        self._become: list[str] = []
        if os.geteuid() == 0:
            self._become = ["runuser", "-u", "postgres", "--"]
            shutil.chown(folder, "postgres", "postgres")
        self._run("initdb", "--auth=trust", "--username=tester", "--no-sync")

    @property
    def url(self) -> str:
        return f"postgresql://tester@/postgres?host={self.folder}"

    def start(self) -> None:
        self._run("pg_ctl", "-w", "-o", f"-c listen_addresses='' -c fsync=off -k {self.folder}", "start")

    def stop(self) -> None:
        """Stop the server at once; transactions that are not committed are lost."""
        self._run("pg_ctl", "-w", "-m", "immediate", "stop")

    def remove_log(self) -> None:
        self._log.unlink(missing_ok=True)

    def _run(self, program: str, *words: str) -> None:
        # No pipes: the server would hold them open.
        with self._log.open("ab") as log:
            command = [*self._become, str(self._programs / program), "-D", str(self.folder / "data"), *words]
            subprocess.run(command, cwd="/", stdin=subprocess.DEVNULL, stdout=log, stderr=log, check=True)


@contextmanager
def _server() -> Iterator[PostgresqlServer]:
    """Start a PostgreSQL server, or skip the test if none is installed."""
    programs = _programs()
    if programs is None:
        pytest.skip("needs a PostgreSQL server: apt install postgresql")
    with tempfile.TemporaryDirectory(prefix="wateringhole-postgresql-") as name:
        server = PostgresqlServer(programs, Path(name))
        try:
            server.start()
            try:
                yield server
            finally:
                server.stop()
        finally:
            server.remove_log()


@pytest.fixture(scope="session")
def postgresql() -> Iterator[Path]:
    """The folder of the socket of a server for all tests."""
    with _server() as server:
        yield server.folder


@pytest.fixture
def own_server() -> Iterator[PostgresqlServer]:
    """A server that a test may stop, if it starts it again."""
    with _server() as server:
        yield server


def _programs() -> Path | None:
    """Return the folder of the server programs; Debian has one per version."""
    if os.geteuid() == 0 and (
        shutil.which("runuser") is None or "postgres" not in {user.pw_name for user in pwd.getpwall()}
    ):
        return None
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/pg_ctl"), key=lambda path: int(path.parts[-3]))
    named = shutil.which("pg_ctl")
    return found[-1].parent if found else Path(named).resolve().parent if named else None


@pytest.fixture(params=["sqlite", "postgresql"])
def location(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[str]:
    """The location of a new store, as given on a command line."""
    if request.param == "sqlite":
        yield str(tmp_path / "a store.sqlite")
        return
    folder = request.getfixturevalue("postgresql")
    name = f"test_{abs(hash(request.node.nodeid)):x}"
    admin = sql.create_engine(f"postgresql+psycopg://tester@/postgres?host={folder}", isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name}")
    yield f"postgresql://tester@/{name}?host={folder}"
    with admin.connect() as connection:
        connection.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")
    admin.dispose()


@pytest.fixture
def store(location: str) -> Iterator[Store]:
    opened = Store(location)
    yield opened
    opened.close()


@pytest.fixture
def other_store(store: Store, location: str) -> Iterator[Store]:
    """The same store, opened a second time."""
    opened = Store(location)
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def standings_of_many(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """The standings of `MANY` without any interruption."""
    return standings(called(*MANY, "--store", tmp_path_factory.mktemp("many") / "store.sqlite"))
