"""The WebSocket layer, tested with the client of the same library and with raw bytes."""

from __future__ import annotations

from typing import Any

import pytest

pytest.importorskip("websockets")

from websockets.client import ClientProtocol
from websockets.frames import Frame, Opcode
from websockets.uri import parse_uri

from wateringhole.net.connection import ConnectionDropped
from wateringhole.net.websocket import WebSocket, WebSocketRefused, open_websocket
from wateringhole.protocol.messages import LONGEST_LINE


def connected_pair() -> tuple[WebSocket, ClientProtocol]:
    """Return both ends after the handshake."""
    client = ClientProtocol(parse_uri("ws://host/"), max_size=None)
    client.send_request(client.connect())
    websocket = open_websocket("127.0.0.1")
    request = b"".join(client.data_to_send())
    # In two parts, because a request may arrive in pieces.
    assert websocket.shake_hands(request[:20]) is None
    response = websocket.shake_hands(request[20:])
    assert response is not None
    client.receive_data(response)
    client.events_received()
    return websocket, client


def sent(client: ClientProtocol, *frames: Frame) -> bytes:
    """Return frames as the client sends them."""
    return b"".join(frame.serialize(mask=True) for frame in frames)


def test_text_messages_and_lines_correspond() -> None:
    websocket, client = connected_pair()
    client.send_text(b'{"type":\n"hello"}')
    assert websocket.receive(b"".join(client.data_to_send())) == b'{"type": "hello"}\n'
    client.receive_data(websocket.encode(b'{"type":"bye"}\n'))
    (frame,) = client.events_received()
    assert isinstance(frame, Frame)
    assert (frame.opcode, bytes(frame.data)) == (Opcode.TEXT, b'{"type":"bye"}')


def test_fragmented_message_is_one_line() -> None:
    websocket, client = connected_pair()
    wire = sent(
        client,
        Frame(Opcode.TEXT, b"on", fin=False),
        Frame(Opcode.CONT, b"", fin=False),
        Frame(Opcode.PING, b"still there?"),
        Frame(Opcode.CONT, b"e"),
        Frame(Opcode.TEXT, b"two"),
    )
    lines = b"".join(websocket.receive(wire[at : at + 1]) for at in range(len(wire)))
    assert lines == b"one\ntwo\n"
    client.receive_data(websocket.pending())
    (pong,) = client.events_received()
    assert isinstance(pong, Frame)
    assert pong.opcode is Opcode.PONG


def test_frames_sent_with_the_request_are_kept() -> None:
    client = ClientProtocol(parse_uri("ws://host/"))
    client.send_request(client.connect())
    websocket = open_websocket("127.0.0.1")
    early = sent(client, Frame(Opcode.TEXT, b"one"), Frame(Opcode.TEXT, b"tw", fin=False))
    assert websocket.shake_hands(b"".join(client.data_to_send()) + early)
    assert websocket.receive(b"") == b"one\n"
    assert websocket.receive(sent(client, Frame(Opcode.CONT, b"o"))) == b"two\n"


ORIGINS: list[tuple[str, str | None, tuple[str, ...], bool]] = [
    # the host's address, the page's origin, the allowed origins, whether the page may connect
    ("127.0.0.1", None, (), True),
    ("127.0.0.1", "http://localhost:8000", (), True),
    ("127.0.0.1", "http://127.0.0.1", (), True),
    ("::1", "http://[::1]:8000", (), True),
    ("192.168.1.7", "https://192.168.1.7:8000", (), True),
    ("192.168.1.7", None, (), True),
    ("127.0.0.1", "https://evil.example", (), False),
    ("127.0.0.1", "https://evil.example:45678", (), False),
    ("127.0.0.1", "http://localhost.evil.example", (), False),
    ("127.0.0.1", "http://127.0.0.1.evil.example", (), False),
    ("127.0.0.1", "http://127a0b0c1", (), False),
    ("127.0.0.1", "null", (), False),
    ("127.0.0.1", "null", ("null",), True),
    ("192.168.1.7", "http://localhost", (), False),
    ("127.0.0.1", "https://club.example", ("https://club.example",), True),
    ("127.0.0.1", "http://club.example", ("https://club.example",), False),
    ("127.0.0.1", "http://localhost", ("https://club.example",), True),
    ("127.0.0.1", "https://evil.example", ("*",), True),
]


@pytest.mark.parametrize(("address", "origin", "allowed", "may_connect"), ORIGINS)
def test_only_pages_of_this_machine_and_allowed_origins_may_connect(
    address: str, origin: str | None, allowed: tuple[str, ...], may_connect: bool
) -> None:
    client = ClientProtocol(parse_uri("ws://host/"), origin=origin)  # type: ignore[arg-type]
    client.send_request(client.connect())
    websocket = open_websocket(address, allowed)
    request = b"".join(client.data_to_send())
    if may_connect:
        assert (websocket.shake_hands(request) or b"").startswith(b"HTTP/1.1 101 ")
    else:
        with pytest.raises(WebSocketRefused, match="may not connect") as refused:
            websocket.shake_hands(request)
        assert refused.value.response.startswith(b"HTTP/1.1 403 ")


def test_close_frame_ends_the_connection_and_is_answered() -> None:
    websocket, client = connected_pair()
    assert websocket.ending is None
    client.send_close(1000)
    assert websocket.receive(b"".join(client.data_to_send())) == b""
    assert str(websocket.ending) == "the connection has ended"
    assert websocket.pending()
    assert websocket.farewell() == b"", "the close frame was sent already"


BROKEN: dict[str, tuple[Frame, ...]] = {
    "a message that is too long": (Frame(Opcode.TEXT, b"x" * (LONGEST_LINE + 1)),),
    "pieces that are too long together": (
        Frame(Opcode.TEXT, b"x" * LONGEST_LINE, fin=False),
        Frame(Opcode.CONT, b"x"),
    ),
    "a piece of nothing": (Frame(Opcode.CONT, b"x"),),
    "a message within a message": (Frame(Opcode.TEXT, b"x", fin=False), Frame(Opcode.TEXT, b"y")),
}


@pytest.mark.parametrize("name", BROKEN)
def test_invalid_frames_drop_the_connection(name: str) -> None:
    websocket, client = connected_pair()
    assert websocket.receive(sent(client, *BROKEN[name])) == b""
    assert isinstance(websocket.ending, ConnectionDropped)
    assert websocket.ending.reason == "unreadable"


def test_unmasked_frames_drop_the_connection() -> None:
    websocket, _ = connected_pair()
    websocket.receive(Frame(Opcode.TEXT, b"x").serialize(mask=False))
    assert isinstance(websocket.ending, ConnectionDropped)


@pytest.mark.parametrize(
    "request_",
    [
        b"GET / HTTP/1.1\r\nHost: x\r\n\r\n",
        b"GET / HTTP/1.0\r\n\r\n",
        b"GET \r\n\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"X: y\r\n" * 1000,
        b"GET / HTTP/1.1\r\nX: " + b"y" * 100_000 + b"\r\n",
    ],
    ids=["no upgrade", "an old protocol", "no request", "too many headers", "a long header"],
)
def test_other_requests_are_refused(request_: bytes) -> None:
    with pytest.raises(WebSocketRefused, match="no WebSocket: "):
        open_websocket("127.0.0.1").shake_hands(request_)


def test_compression_is_disabled() -> None:
    from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory

    extensions: Any = [ClientPerMessageDeflateFactory()]
    client = ClientProtocol(parse_uri("ws://host/"), extensions=extensions)
    client.send_request(client.connect())
    response = open_websocket("127.0.0.1").shake_hands(b"".join(client.data_to_send()))
    assert response is not None
    assert b"permessage-deflate" not in response
