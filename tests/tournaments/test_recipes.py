"""The recipes in `deploy/`: their commands run here, without containers and with a stand-in for Slurm."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
from contextlib import ExitStack
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sql

from tests.conftest import ROOT
from tests.tournaments.long_tournaments import MANY, games_in, wait_for_games
from tests.waiting import eventually

yaml: Any = pytest.importorskip("yaml", reason="needs PyYAML: pip install PyYAML")

COMPOSE = ROOT / "deploy" / "compose"
DOCKERFILE = ROOT / "deploy" / "Dockerfile"
SERVICE = ROOT / "deploy" / "systemd" / "wateringhole.service"
SLURM = ROOT / "deploy" / "slurm"

SBATCH = """#!/bin/sh
# Starts a copy of a job in the background, as its own session, without the limits that Slurm would set.
cp "$1" "$JOBS/job.$$"
setsid bash "$JOBS/job.$$" > "$JOBS/log.$$" 2>&1 &
echo $! >> "$JOBS/started"
echo "Submitted batch job $!"
"""
SCANCEL = """#!/bin/sh
kill -- -"$1"
"""


def compose() -> Any:
    """Return the Compose file with its variables replaced."""
    text = (COMPOSE / "compose.yaml").read_text()
    return yaml.safe_load(re.sub(r"\$\{POSTGRES_PASSWORD:\?[^}]*\}", "secret", text))


def test_the_compose_file_builds_its_image_from_the_repository() -> None:
    for service in compose()["services"].values():
        if build := service.get("build"):
            context = (COMPOSE / build["context"]).resolve()
            assert context == ROOT
            assert (context / build["dockerfile"]).is_file()


@pytest.mark.parametrize("recipe", [DOCKERFILE, SERVICE], ids=["image", "service"])
def test_a_recipe_installs_extras_that_exist(recipe: Path) -> None:
    (extras,) = re.findall(r"install .*\[(.*)\]'", recipe.read_text())
    declared = (ROOT / "pyproject.toml").read_text()
    assert all(re.search(rf"^{extra} = \[", declared, re.MULTILINE) for extra in extras.split(","))


def test_the_image_is_built_from_all_files_of_the_package() -> None:
    ignored = DOCKERFILE.with_name("Dockerfile.dockerignore").read_text().splitlines()
    files = {"LICENSE", "README.md", "hatch_build.py", "pyproject.toml", "src"}
    assert {line[1:] for line in ignored if line.startswith("!")} == files
    assert all((ROOT / name).exists() for name in files)


def test_the_image_serves_the_page_to_its_own_health_check(tmp_path: Path) -> None:
    # The words of the image's command and check run here, with another port and store.
    text = DOCKERFILE.read_text().replace("\\\n", "")
    command, check = (json.loads(words) for words in re.findall(r"CMD (\[.*\])$", text, re.MULTILINE)[::-1])
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    command[command.index("/games/store.sqlite")] = str(tmp_path / "store.sqlite")
    program = Path(sys.executable).with_name(command[0])
    with subprocess.Popen([program, *command[1:], "--port", port], stdout=subprocess.PIPE, text=True) as server:
        try:
            assert server.stdout is not None
            assert port in server.stdout.readline()
            words = [sys.executable, *(word.replace("8000", port) for word in check[1:])]
            assert subprocess.run(words, timeout=300, check=False).returncode == 0
        finally:
            server.terminate()
    assert subprocess.run(words, stderr=subprocess.DEVNULL, timeout=300, check=False).returncode != 0


def test_a_documented_command_of_the_image_keeps_its_address_and_store() -> None:
    (default,) = re.findall(r"^CMD (\[.*\])$", DOCKERFILE.read_text(), re.MULTILINE)
    text = (ROOT / "docs" / "how-to" / "running-a-server.md").read_text().replace("\\\n", " ")
    commands = re.findall(r"docker run .* wateringhole +(wateringhole .*)", text)
    assert commands
    for command in commands:
        words = command.split()
        assert words[: len(json.loads(default))] == json.loads(default)


@pytest.mark.skipif(shutil.which("systemd-analyze") is None, reason="needs systemd-analyze: apt install systemd")
def test_systemd_accepts_the_service(tmp_path: Path) -> None:
    copy = tmp_path / SERVICE.name
    # The program is not installed where the service expects it.
    copy.write_text(SERVICE.read_text().replace("/opt/wateringhole/bin/wateringhole", sys.executable))
    checked = subprocess.run(["systemd-analyze", "verify", copy], capture_output=True, text=True, check=False)
    assert (checked.returncode, checked.stderr) == (0, "")


def test_the_compose_file_has_a_service_for_each_part() -> None:
    recipe = compose()
    services = recipe["services"]
    assert list(services) == ["database", "scheduler", "worker", "tournament"]
    assert all(name in services for service in services.values() for name in service.get("depends_on", ()))
    assert not any("ports" in service for service in services.values())
    named = [volume.partition(":")[0] for service in services.values() for volume in service.get("volumes", ())]
    assert set(recipe["volumes"]) == {volume for volume in named if not volume.startswith(".")}


def test_no_service_of_the_compose_file_is_asked_for_the_page_that_it_does_not_serve() -> None:
    for name, service in compose()["services"].items():
        if "build" in service:
            assert service["healthcheck"] == {"disable": True}, name


@pytest.mark.slow
def test_the_commands_of_the_compose_file_play_a_tournament(postgresql: Path, tmp_path: Path) -> None:
    services = compose()["services"]
    database = services["database"]["environment"]
    admin = sql.create_engine(f"postgresql+psycopg://tester@/postgres?host={postgresql}", isolation_level="AUTOCOMMIT")
    with admin.connect() as connection:
        connection.exec_driver_sql(f"CREATE ROLE {database['POSTGRES_USER']} LOGIN")
        connection.exec_driver_sql(f"CREATE DATABASE {database['POSTGRES_DB']} OWNER {database['POSTGRES_USER']}")
    admin.dispose()
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    here = {
        "8786": port,
        "tcp://scheduler:8786": f"tcp://127.0.0.1:{port}",
        services["tournament"]["entrypoint"][-1]: f"postgresql://wateringhole@/wateringhole?host={postgresql}",
    }

    def command(words: list[str]) -> list[str]:
        program, *arguments = words
        return [str(Path(sys.executable).with_name(program)), *(here.get(word, word) for word in arguments)]

    (tmp_path / "players").mkdir()
    (tmp_path / "players" / "mine.py").write_text("from wateringhole.games.porrinha import Random as Mine\n")
    with ExitStack() as stack, (tmp_path / "log").open("wb") as log:
        for name in ("scheduler", "worker", "worker"):
            process = subprocess.Popen(command(services[name]["command"]), cwd=tmp_path, stdout=log, stderr=log)
            stack.callback(process.wait)
            stack.callback(process.terminate)
        words = [*command(services["tournament"]["entrypoint"]), "porrinha", "random", "mine.py:Mine", "--games", "20"]
        ran = subprocess.run(words, cwd=tmp_path / "players", capture_output=True, text=True, timeout=120, check=False)
    assert ran.returncode == 0, ran.stderr
    assert games_in(here[services["tournament"]["entrypoint"][-1]]) == 20


@pytest.mark.slow
@pytest.mark.skipif(find_spec("dask_jobqueue") is None, reason="needs dask-jobqueue: pip install dask-jobqueue")
def test_the_slurm_recipe_plays_a_tournament_and_replaces_a_job_that_ended(tmp_path: Path) -> None:
    jobs, store = tmp_path / "jobs", tmp_path / "store.sqlite"
    jobs.mkdir()
    for name, script in (("sbatch", SBATCH), ("scancel", SCANCEL)):
        (tmp_path / name).write_text(script)
        (tmp_path / name).chmod(0o700)
    shutil.copy(SLURM / "tournament.py", tmp_path)

    def started() -> list[int]:
        return [int(word) for word in (jobs / "started").read_text().split()]

    with subprocess.Popen(
        ["bash", str(SLURM / "tournament.sbatch"), *MANY[1:], "--games", "4000", "--store", str(store)],
        cwd=tmp_path,
        env={
            **os.environ,
            "PATH": os.pathsep.join([str(tmp_path), str(Path(sys.executable).parent), os.environ["PATH"]]),
            "JOBS": str(jobs),
            "SLURM_SUBMIT_DIR": str(tmp_path),
            "TMPDIR": str(tmp_path),
            "WORKER_JOBS": "2",
            "DASK_DISTRIBUTED__DEPLOY__LOST_WORKER_TIMEOUT": "500ms",
        },
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    ) as process:
        try:
            wait_for_games(store, 0, process)
            os.killpg(started()[0], signal.SIGKILL)
            eventually(lambda: len(started()) == 3, process=process)
            out, err = process.communicate(timeout=120)
        finally:
            process.terminate()
    assert process.returncode == 0, err
    games = json.loads(out)["games"]
    assert games["played"] == games["planned"] >= 4000
    # All jobs are cancelled at the end.
    for job in started():
        wait_until_gone(job)


def wait_until_gone(group: int) -> None:
    """Wait until a group has no process."""

    def is_gone() -> bool:
        try:
            os.killpg(group, 0)
        except ProcessLookupError:
            return True
        return False

    eventually(is_gone)
