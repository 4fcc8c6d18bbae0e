"""A real nginx in front of a real server, both started as `docs/how-to/deploying.md` describes."""

from __future__ import annotations

import contextlib
import os
import re
import shlex
import shutil
import signal
import socket
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.browser.house import House
from tests.conftest import ROOT

__all__ = ["NAME", "NEEDS_NGINX", "PAGE", "Site", "documented", "nginx", "site", "trusted"]

PAGE = ROOT / "docs" / "how-to" / "deploying.md"
NAME = "club.example"
"""The name of the site in the documentation.  The certificate is for this name, and for 127.0.0.1."""

# Debian installs it where only root's PATH leads.
NGINX = shutil.which("nginx", path=f"{os.environ.get('PATH', os.defpath)}:/usr/sbin")
NEEDS_NGINX = pytest.mark.skipif(
    NGINX is None or shutil.which("openssl") is None, reason="needs nginx and openssl: apt install nginx-light openssl"
)

AROUND = """
{user}
daemon off;
worker_processes 1;
pid nginx.pid;
error_log stderr;
events {{}}
http {{
    access_log off;
    client_body_temp_path body;
    proxy_temp_path proxy;
    fastcgi_temp_path fastcgi;
    uwsgi_temp_path uwsgi;
    scgi_temp_path scgi;
{recipe}
}}
"""
"""What the system's own configuration has around the recipe, with everything below one folder."""


class Site:
    """A server behind nginx.  `folder` has the logs of both."""

    def __init__(self, folder: Path, house: House, port: int) -> None:
        self.folder = folder
        self.house = house
        self.port = port
        self.address = f"https://{NAME}:{port}"
        self.context = ssl.create_default_context(cafile=folder / "cert.pem")

    @property
    def log(self) -> str:
        return (self.folder / "serve.log").read_text()

    @property
    def proxy_log(self) -> str:
        return (self.folder / "nginx.log").read_text()


def documented(language: str, *contained: str) -> str:
    """Return the only block of code on the page that is in a language and contains these texts."""
    blocks = re.findall(rf"^```{language}\n(.*?)^```$", PAGE.read_text(encoding="utf-8"), re.MULTILINE | re.DOTALL)
    (block,) = [block for block in blocks if all(text in block for text in contained)]
    return str(block)


def options(command: str) -> list[str]:
    """Return the options of a documented `wateringhole serve` without its store, for the loopback and free ports."""
    changes = {"0.0.0.0": "127.0.0.1", "45678": "0"}
    program, name, *given = shlex.split(command)
    assert (program, name) == ("wateringhole", "serve")
    store = given.index("--store")
    return [changes.get(word, word) for word in given[:store] + given[store + 2 :]]


def configuration(folder: Path, port: int, upstream: str) -> str:
    """Return the documented recipe with these ports and the certificate in a folder, and what nginx needs around it."""
    recipe = documented("nginx")
    changes = {
        "listen 443 ssl;": f"listen 127.0.0.1:{port} ssl;",
        "/etc/ssl/club.example.pem": str(folder / "cert.pem"),
        "/etc/ssl/club.example.key": str(folder / "key.pem"),
        "127.0.0.1:8000": upstream,
    }
    for old, new in changes.items():
        assert recipe.count(old) == 1, old
        recipe = recipe.replace(old, new)
    # If root starts nginx, it would change to a user who cannot read this folder.
    return AROUND.format(user="user root;" if os.geteuid() == 0 else "", recipe=recipe)


def make_certificate(folder: Path) -> None:
    """Write `cert.pem`, which only this test trusts, and `key.pem`."""
    words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    words += ["-keyout", "key.pem", "-out", "cert.pem", "-days", "2", "-subj", f"/CN={NAME}"]
    words += ["-addext", f"subjectAltName=DNS:{NAME},IP:127.0.0.1"]
    subprocess.run(words, cwd=folder, check=True, capture_output=True)


@contextlib.contextmanager
def nginx(folder: Path, upstream: str) -> Iterator[int]:
    """Run nginx in front of a server's HOST:PORT, and yield its port of the loopback."""
    assert NGINX is not None
    make_certificate(folder)
    log_path = folder / "nginx.log"
    with log_path.open("wb") as log, socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        (folder / "nginx.conf").write_text(configuration(folder, port, upstream))
        # nginx inherits the listening socket, as after an upgrade of its program.  So no other process can take the
        # port, and a connection waits until nginx is ready.
        process = subprocess.Popen(
            [NGINX, "-e", "stderr", "-p", folder, "-c", "nginx.conf"],
            env={**os.environ, "NGINX": f"{listener.fileno()};"},
            pass_fds=[listener.fileno()],
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
        )
    try:
        yield port
        assert process.poll() is None, log_path.read_text()
        process.terminate()
        assert process.wait(60) == 0, log_path.read_text()
    finally:
        # Its worker process, too, if the test has failed.
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


@contextlib.contextmanager
def trusted(folder: Path) -> Iterator[None]:
    """In this process, let the site's name lead to the loopback, and trust the certificate in a folder."""
    resolve = socket.getaddrinfo

    def resolve_here(host: str | bytes | None, *args: Any, **kwargs: Any) -> Any:
        return resolve("127.0.0.1" if host in (NAME, NAME.encode()) else host, *args, **kwargs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(socket, "getaddrinfo", resolve_here)
        patch.setenv("SSL_CERT_FILE", str(folder / "cert.pem"))
        patch.setenv("no_proxy", "*")
        yield


@contextlib.contextmanager
def site(folder: Path, *more: str, command: str | None = None) -> Iterator[Site]:
    """Run the documented server with the documented proxy and with more options of the server."""
    documented_options = options(command or documented("sh", "--proxy 127.0.0.1\n"))
    house = House(folder, options=[*documented_options, *more])
    try:
        with nginx(folder, house.address.removeprefix("http://")) as port, trusted(folder):
            yield Site(folder, house, port)
    finally:
        house.close()
