"""WebSocket as a layer of lines, against the client's end of the same library and against raw bytes."""

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


def shaken() -> tuple[WebSocket, ClientProtocol]:
    """Both ends after the handshake."""
    client = ClientProtocol(parse_uri("ws://host/"), max_size=None)
    client.send_request(client.connect())
    websocket = open_websocket("127.0.0.1")
    request = b"".join(client.data_to_send())
    # In two parts: a request need not come at once.
    assert websocket.shake_hands(request[:20]) is None
    response = websocket.shake_hands(request[20:])
    assert response is not None
    client.receive_data(response)
    client.events_received()
    return websocket, client


def sent(client: ClientProtocol, *frames: Frame) -> bytes:
    """Frames as the client puts them on the wire."""
    return b"".join(frame.serialize(mask=True) for frame in frames)


def test_a_text_message_is_a_line_and_a_line_a_text_message() -> None:
    websocket, client = shaken()
    client.send_text(b'{"type":\n"hello"}')
    assert websocket.receive(b"".join(client.data_to_send())) == b'{"type": "hello"}\n'
    client.receive_data(websocket.encode(b'{"type":"bye"}\n'))
    (frame,) = client.events_received()
    assert isinstance(frame, Frame)
    assert (frame.opcode, bytes(frame.data)) == (Opcode.TEXT, b'{"type":"bye"}')


def test_a_message_in_pieces_is_one_line_and_several_messages_are_several() -> None:
    websocket, client = shaken()
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


def test_what_comes_together_with_the_request_is_not_lost() -> None:
    client = ClientProtocol(parse_uri("ws://host/"))
    client.send_request(client.connect())
    websocket = open_websocket("127.0.0.1")
    early = sent(client, Frame(Opcode.TEXT, b"one"), Frame(Opcode.TEXT, b"tw", fin=False))
    assert websocket.shake_hands(b"".join(client.data_to_send()) + early)
    assert websocket.receive(b"") == b"one\n"
    assert websocket.receive(sent(client, Frame(Opcode.CONT, b"o"))) == b"two\n"


ORIGINS: list[tuple[str, str | None, tuple[str, ...], bool]] = [
    # our address, the page's origin, who is let in besides, whether it may come
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


@pytest.mark.parametrize(("address", "origin", "allowed", "may_come"), ORIGINS)
def test_pages_of_this_machine_and_those_allowed_may_come(
    address: str, origin: str | None, allowed: tuple[str, ...], may_come: bool
) -> None:
    client = ClientProtocol(parse_uri("ws://host/"), origin=origin)  # type: ignore[arg-type]
    client.send_request(client.connect())
    websocket = open_websocket(address, allowed)
    request = b"".join(client.data_to_send())
    if may_come:
        assert (websocket.shake_hands(request) or b"").startswith(b"HTTP/1.1 101 ")
    else:
        with pytest.raises(WebSocketRefused, match="may not connect") as refused:
            websocket.shake_hands(request)
        assert refused.value.response.startswith(b"HTTP/1.1 403 ")


def test_a_close_ends_it_and_is_answered() -> None:
    websocket, client = shaken()
    assert websocket.ending is None
    client.send_close(1000)
    assert websocket.receive(b"".join(client.data_to_send())) == b""
    assert str(websocket.ending) == "the connection has ended"
    assert websocket.pending()
    assert websocket.farewell() == b"", "it was said already"


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
def test_what_the_protocol_forbids_cuts_it_off(name: str) -> None:
    websocket, client = shaken()
    assert websocket.receive(sent(client, *BROKEN[name])) == b""
    assert isinstance(websocket.ending, ConnectionDropped)
    assert websocket.ending.reason == "unreadable"


def test_bytes_without_a_mask_cut_it_off() -> None:
    websocket, _ = shaken()
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
def test_another_request_is_refused(request_: bytes) -> None:
    with pytest.raises(WebSocketRefused, match="no WebSocket: "):
        open_websocket("127.0.0.1").shake_hands(request_)


def test_nothing_is_compressed() -> None:
    from websockets.extensions.permessage_deflate import ClientPerMessageDeflateFactory

    extensions: Any = [ClientPerMessageDeflateFactory()]
    client = ClientProtocol(parse_uri("ws://host/"), extensions=extensions)
    client.send_request(client.connect())
    response = open_websocket("127.0.0.1").shake_hands(b"".join(client.data_to_send()))
    assert response is not None
    assert b"permessage-deflate" not in response
