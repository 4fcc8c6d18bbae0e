"""`join` at servers that are not what they should be, that stop, that use TLS, and that reserve seats."""

from __future__ import annotations

import contextlib
import gc
import json
import os
import socket
import ssl
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest

from tests.cli.running import Ran, called
from tests.join.standins import Wire, standing_in
from wateringhole import registry
from wateringhole.game import Outcome, Seat, Standing
from wateringhole.protocol.host import HostEnd

PORRINHA = registry.game_kind("porrinha")
NAMES = ("Ada", "Bia")
OUTCOME = Outcome("finished", (Standing(Seat(0), 1), Standing(Seat(1), 2)), ())


def join_at(port: int, *words: str | Path, player: str = "silly") -> Ran:
    return called("join", f"127.0.0.1:{port}", player, "--attempts", "1", *words)


# Servers that do not reply as a host does


def silent(wire: Wire) -> None:
    """Never reply."""
    while wire.recv(4096):
        pass


def closing(wire: Wire) -> None:
    wire.recv(4096)


def welcoming(wire: Wire) -> None:
    """Reply to the sign-up, and send nothing more."""
    wire.recv(4096)
    wire.sendall(b'"ok" ')
    silent(wire)


def leaving(wire: Wire) -> None:
    wire.recv(4096)
    wire.sendall(b'"ok" ')


def shell(wire: Wire) -> None:
    wire.sendall(b"SSH-2.0-OpenSSH_9.2\r\n")
    silent(wire)


def encrypted(wire: Wire) -> None:
    """Reply to a message without encryption with an alert, as TLS servers do."""
    wire.recv(4096)
    wire.sendall(b"\x15\x03\x01\x00\x02\x02\x0a")


REPLIES: dict[str, tuple[Callable[[Wire], None], str]] = {
    "silent": (silent, "sent no reply within 0.3 s. Is it a host of games, and can it take more players?"),
    "closing": (closing, "closed the connection without a message. Is it a host of games"),
    "silent after the sign-up": (welcoming, "sent nothing for 0.5 s. Use --idle-timeout to wait longer."),
    "closing after the sign-up": (leaving, "closed the connection before the game began. Did enough players sign up?"),
    "another protocol": (shell, "does not speak a supported protocol: it sent 'SSH-2.0-OpenSSH_9.2"),
    "TLS": (encrypted, "expects TLS. Use https://127.0.0.1:"),
}


@pytest.mark.parametrize("how", [(), ("--protocol", "course"), ("--dialect", "lb")], ids=["detected", "course", "lb"])
@pytest.mark.parametrize("server", REPLIES)
def test_join_fails_in_time_and_reports_what_the_server_did(server: str, how: tuple[str, ...]) -> None:
    serve, sentence = REPLIES[server]
    # If a host refuses the knock with a name, join knocks again without one.
    with standing_in(serve, *([serve] if serve is closing and not how else [])) as port:
        joined = join_at(port, "--idle-timeout", "0.5", "--connect-timeout", "0.3" if serve is silent else "5", *how)
    assert joined.returncode == 1
    assert f"127.0.0.1 port {port} {sentence}" in joined.stderr
    assert "Traceback" not in joined.stderr


class Web(BaseHTTPRequestHandler):
    """A web server without pages."""

    protocol_version = "HTTP/1.1"

    def do_GET(self) -> None:
        self.send_error(404, "no such page")

    def log_message(self, *_: Any) -> None:
        """Log nothing."""


@contextlib.contextmanager
def web_server() -> Iterator[int]:
    with HTTPServer(("127.0.0.1", 0), Web) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


@contextlib.contextmanager
def page_server() -> Iterator[int]:
    """Run the kind of server that serves the page, and yield its port."""
    uvicorn = pytest.importorskip("uvicorn")

    async def app(scope: Any, receive: Any, send: Any) -> None:
        """Serve nothing."""

    server = uvicorn.Server(uvicorn.Config(app, lifespan="off", log_level="critical"))
    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listener]})
        thread.start()
        try:
            yield listener.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join()


@pytest.mark.parametrize("how", [(), ("--protocol", "json"), ("--protocol", "course")], ids=" ".join)
@pytest.mark.parametrize("server", [web_server, page_server])
def test_join_recognizes_a_web_server(server: Callable[[], Any], how: tuple[str, ...]) -> None:
    with server() as port:
        joined = join_at(port, *how, "--connect-timeout", "2")
    assert joined.returncode == 1
    assert f"is an HTTP server. To join a table there, use http://127.0.0.1:{port}." in joined.stderr


def test_join_recognizes_the_server_of_a_page_without_a_house() -> None:
    pytest.importorskip("websockets")
    with web_server() as port:
        joined = called("join", f"http://127.0.0.1:{port}", "silly")
    assert joined.returncode == 1
    assert f"is an HTTP server, but not a house: status 404 for ws://127.0.0.1:{port}/join." in joined.stderr


def test_join_at_a_tcp_server_with_a_web_address_names_the_right_address() -> None:
    pytest.importorskip("websockets")

    def serve(wire: Wire) -> None:
        wire.recv(4096)
        wire.sendall(b'"ok" ')

    with standing_in(serve) as port:
        joined = called("join", f"http://127.0.0.1:{port}", "silly")
    assert joined.returncode == 1
    assert f"does not speak WebSocket. For a TCP server, use 127.0.0.1:{port}." in joined.stderr


# A host of the JSON protocol


class JsonHost:
    """A host that knows one player, in a game of Porrinha without requests."""

    def __init__(self) -> None:
        self.received: list[dict[str, Any]] = []

    def hello(self, **fields: Any) -> bytes:
        return HostEnd(PORRINHA).hello(token="t0ken", **fields)

    def game(self) -> bytes:
        return HostEnd(PORRINHA).game(0, NAMES, PORRINHA.profiles["seed"].rules)

    def rest(self) -> bytes:
        return HostEnd(PORRINHA).result(OUTCOME) + HostEnd(PORRINHA).bye("enough")

    def serve(self, wire: Wire) -> None:
        with wire.makefile("rb") as lines:
            self.received.append(json.loads(lines.readline()))
            wire.sendall(self.hello())
            self.received.append(json.loads(lines.readline()))
            wire.sendall(self.game() + self.rest())


@contextlib.contextmanager
def websocket_host(host: JsonHost, context: ssl.SSLContext | None = None, *, dies: bool = False) -> Iterator[int]:
    """Run the host as a WebSocket server, with or without TLS, and yield its port.

    A host that dies ends each connection without a closing handshake, the first one after the sign-up.
    """
    pytest.importorskip("websockets")
    from websockets.sync.server import ServerConnection, serve

    def handle(connection: ServerConnection) -> None:
        assert connection.request is not None
        if dies and host.received:
            connection.socket.shutdown(socket.SHUT_RDWR)
            return
        host.received.append({"path": connection.request.path})
        host.received.append(json.loads(connection.recv()))
        connection.send(host.hello().decode())
        host.received.append(json.loads(connection.recv()))
        connection.ping().wait(10)
        if dies:
            connection.socket.shutdown(socket.SHUT_RDWR)
            return
        for line in (host.game() + host.rest()).splitlines():
            connection.send(line.decode())

    with serve(handle, "127.0.0.1", 0, ssl=context) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.socket.getsockname()[1]
        finally:
            server.shutdown()
            thread.join()
    # The library leaves its selector, a file descriptor, to the garbage collector.
    del server
    gc.collect()


def test_a_code_is_sent_in_the_first_messages_over_tcp() -> None:
    host = JsonHost()
    with standing_in(host.serve) as port:
        joined = called("join", f"127.0.0.1:{port}/s3cret", "random", "--name", "Ada")
    assert joined.returncode == 0, joined.stderr
    knock, hello = host.received
    assert knock == {"type": "knock", "code": "s3cret"}
    assert (hello["type"], hello["name"], hello["code"]) == ("hello", "Ada", "s3cret")
    assert "s3cret" not in joined.stderr


def test_a_code_is_sent_in_the_first_messages_over_websocket() -> None:
    host = JsonHost()
    with websocket_host(host) as port:
        joined = called("join", f"http://127.0.0.1:{port}/s3cret", "random", "--name", "Ada")
    assert joined.returncode == 0, joined.stderr
    assert host.received[0] == {"path": "/join"}
    assert host.received[1] == {"type": "knock", "code": "s3cret"}
    assert host.received[2]["code"] == "s3cret"
    assert joined.stderr.splitlines()[-2:] == [
        "join: the game is over: Ada took place 1 of 2",
        "join: the host said goodbye: enough",
    ]


def test_the_record_of_a_json_session_hides_secrets(tmp_path: Path) -> None:
    host = JsonHost()
    with standing_in(host.serve) as port:
        called("join", f"127.0.0.1:{port}/s3cret", "random", "--record", tmp_path / "seen.jsonl")
    text = (tmp_path / "seen.jsonl").read_text()
    assert "s3cret" not in text
    assert "t0ken" not in text
    lines = [json.loads(line) for line in text.splitlines()]
    assert [(line["sender"], line["message"]["type"]) for line in lines if "message" in line] == [
        ("player", "knock"),
        ("host", "hello"),
        ("player", "hello"),
        ("host", "game"),
        ("host", "result"),
        ("host", "bye"),
    ]


def test_an_unwritable_record_is_reported_before_connecting(tmp_path: Path) -> None:
    joined = called("join", "127.0.0.1:1", "silly", "--record", tmp_path / "nowhere" / "seen.jsonl")
    assert joined.returncode == 1
    assert "seen.jsonl cannot be written: No such file or directory." in joined.stderr


# TLS


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file with a key and a certificate for 127.0.0.1 that no one else trusts."""
    folder = tmp_path_factory.mktemp("tls")
    words = ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"]
    words += ["-keyout", "key.pem", "-out", "cert.pem", "-days", "2", "-subj", "/CN=house"]
    words += ["-addext", "subjectAltName=IP:127.0.0.1"]
    try:
        subprocess.run(words, cwd=folder, check=True, capture_output=True)
    except FileNotFoundError:
        pytest.skip("the command openssl is not installed")
    return folder


@pytest.fixture
def tls(certificate: Path) -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate / "cert.pem", certificate / "key.pem")
    return context


@pytest.mark.parametrize("scheme", ["https", "wss"])
def test_join_plays_over_tls(
    scheme: str, tls: ssl.SSLContext, certificate: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(certificate / "cert.pem"))
    host = JsonHost()
    with websocket_host(host, tls) as port:
        joined = called("join", f"{scheme}://127.0.0.1:{port}/s3cret", "random", "--name", "Ada")
    assert joined.returncode == 0, joined.stderr
    assert host.received[1]["code"] == "s3cret"
    assert "the game is over: Ada took place 1 of 2" in joined.stderr


def test_join_refuses_a_certificate_that_it_does_not_trust(tls: ssl.SSLContext) -> None:
    with websocket_host(JsonHost(), tls) as port:
        joined = called("join", f"https://127.0.0.1:{port}", "random")
    assert joined.returncode == 1
    assert f"the certificate of 127.0.0.1 port {port} is not valid: self-signed certificate" in joined.stderr
    assert "SSL_CERT_FILE" in joined.stderr


def test_join_refuses_a_server_without_tls_at_an_https_address() -> None:
    with web_server() as port:
        joined = called("join", f"https://127.0.0.1:{port}", "random")
    assert joined.returncode == 1
    assert f"does not speak TLS (wrong version number). Without TLS, use http://127.0.0.1:{port}." in joined.stderr


# Restarts


def test_join_returns_to_its_seat_after_a_restart_of_the_host() -> None:
    host = JsonHost()
    first = socket.create_server(("127.0.0.1", 0))
    port = first.getsockname()[1]
    again: list[dict[str, Any]] = []

    def serve() -> None:
        wire, _ = first.accept()
        with wire, wire.makefile("rb") as lines:
            lines.readline()
            wire.sendall(host.hello())
            lines.readline()
            wire.sendall(host.game())
            first.close()
        # No host listens here, until the client has seen a refusal.
        assert process.stderr is not None
        for line in process.stderr:
            reported.append(line)
            if "trying to reconnect" in line:
                break
        second = socket.create_server(("127.0.0.1", port))
        wire, _ = second.accept()
        with second, wire, wire.makefile("rb") as lines:
            again.append(json.loads(lines.readline()))
            wire.sendall(host.hello(resumed=1) + host.rest())
            lines.read()

    reported: list[str] = []
    words = [sys.executable, "-m", "wateringhole", "join", f"127.0.0.1:{port}", "random", "--name", "Ada"]
    with subprocess.Popen(words, stderr=subprocess.PIPE, text=True, env={**os.environ}) as process:
        try:
            serve()
            _, rest = process.communicate(timeout=300)
        finally:
            process.kill()
    assert process.returncode == 0, rest
    assert again == [{"type": "hello", "protocol": 1, "token": "t0ken", "heard": 1}]
    assert "join: the game is over: Ada took place 1 of 2" in rest


def test_join_gives_up_if_a_websocket_host_dies() -> None:
    host = JsonHost()
    with websocket_host(host, dies=True) as port:
        joined = called(
            "join", f"ws://127.0.0.1:{port}", "random", "--reconnect-timeout", "0.5", "--connect-timeout", "2"
        )
    assert joined.returncode == 1
    assert "the connection is lost; trying to reconnect for 0.5 s" in joined.stderr
    assert "did not come back within 0.5 s" in joined.stderr


def test_join_gives_up_if_the_host_does_not_come_back() -> None:
    def serve(wire: Wire) -> None:
        host = JsonHost()
        with wire.makefile("rb") as lines:
            lines.readline()
            wire.sendall(host.hello())
            lines.readline()
            wire.sendall(host.game())

    with standing_in(serve) as port:
        joined = called("join", f"127.0.0.1:{port}", "random", "--reconnect-timeout", "0.5", "--connect-timeout", "2")
    assert joined.returncode == 1
    assert "the connection is lost; trying to reconnect for 0.5 s" in joined.stderr
    assert f"the connection to 127.0.0.1 port {port} is lost, and it did not come back within 0.5 s" in joined.stderr
