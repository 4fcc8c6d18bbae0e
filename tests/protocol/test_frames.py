"""The frame codec: values arrive whole however the network splits them, and junk ends the stream."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterable
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from wateringhole.protocol import frames
from wateringhole.protocol.frames import INCOMPLETE, BareWord, FrameError, FrameReader, StreamEnded, frame


def read(chunks: Iterable[bytes], reader: FrameReader | None = None) -> tuple[list[Any], str | None]:
    """Return the values of a stream that is closed after some chunks, and the error that ended it."""
    reader = reader or FrameReader()
    values = []
    try:
        for chunk in chunks:
            reader.feed(chunk)
            while (value := reader.take()) is not INCOMPLETE:
                values.append(value)
        reader.close()
        while True:
            values.append(reader.take())
    except FrameError as error:
        return values, None if str(error) == "the connection has ended" else str(error)


def cut(stream: bytes, positions: Iterable[int]) -> list[bytes]:
    ends = [0, *sorted(position % (len(stream) + 1) for position in positions), len(stream)]
    return [stream[start:end] for start, end in itertools.pairwise(ends)]


def byte_by_byte(stream: bytes) -> list[bytes]:
    return [bytes([byte]) for byte in stream]


STREAMS: list[tuple[str, bytes, list[Any]]] = [
    ("a blank after each value", b'"ok" [0,[]] 1 ', ["ok", [0, []], 1]),
    ("no separator after self-delimiting values", b'[1]{"a":2}"b"true[]null', [[1], {"a": 2}, "b", True, [], None]),
    ("numbers ended by the next value", b'1[2]3"x"-4{}5', [1, [2], 3, "x", -4, {}, 5]),
    ("lines that end with CR LF", b"[0,\r\n 1]\r\n\t2\r\n", [[0, 1], 2]),
    ("pretty-printed", b'[\n  0,\n  [\n    [ 1, 2 ]\n  ]\n]\n', [[0, [[1, 2]]]]),
    ("white space alone", b" \t\r\n ", []),
    ("brackets and quotes in strings", b'["]","\\"]","\\\\"] "[{\\"" ', [["]", '"]', "\\"], '[{"']),
    ("an escaped backslash at the end of a string", b'"\\\\"1 ', ["\\", 1]),
    ("umlauts and escapes", '"Jo\u00e3o \\u00e9 \\ud83d\\ude00" '.encode(), ["João é 😀"]),
    ("a float, which the codec accepts", b"0.0 1e2 ", [0.0, 100.0]),
    ("a last number that only the end of the stream completes", b"1 23", [1, 23]),
]  # fmt: skip


@pytest.mark.parametrize(("stream", "values"), [row[1:] for row in STREAMS], ids=[row[0] for row in STREAMS])
def test_values_are_read_from_one_chunk_and_byte_by_byte(stream: bytes, values: list[Any]) -> None:
    assert read([stream]) == (values, None)
    assert read(byte_by_byte(stream)) == (values, None)


JUNK: list[tuple[str, bytes, list[Any], str]] = [
    ("a bare word", b"hello ", [], 'this is not JSON: no value begins with "h"'),
    ("a misspelt literal", b"nil ", [], 'this is not JSON: no value begins with "n"'),
    ("not a number", b"NaN ", [], 'this is not JSON: no value begins with "N"'),
    ("NaN in a list", b"[NaN]", [], 'this is not JSON: "N" is out of place'),
    ("infinity", b"-Infinity ", [], 'this is not JSON: "I" is out of place'),
    ("a number out of range", b"[1e999]", [], "this is not one JSON value: Number out of range"),
    ("a closing bracket first", b"]", [], 'this is not JSON: no value begins with "]"'),
    ("brackets that do not match", b"[1}", [], 'this is not JSON: "}" is out of place'),
    ("a control character", b"\x7f", [], "this is not JSON: no value begins with the byte 0x7f"),
    ("junk after a value", b"[1]x", [[1]], 'this is not JSON: no value begins with "x"'),
    ("junk after a number", b"1x", [], 'this is not JSON: "x" is out of place'),
    ("a bracket after a number", b"1] ", [], 'this is not JSON: "]" is out of place'),
    ("two numbers in one", b"1-2 ", [], "this is not one JSON value"),
    ("a leading zero", b"01 ", [], "this is not one JSON value"),
    ("invalid UTF-8 in a string", b'"\xff" ', [], "not encoded as UTF-8"),
    ("invalid UTF-8 outside of strings", b"\xff", [], "no value begins with the byte 0xff"),
    ("a byte order mark", b"\xef\xbb\xbf1 ", [], "no value begins with the byte 0xef"),
    ("half a surrogate pair", b'"\\ud800" ', [], "this is not one JSON value"),
    ("a line break in a string", b'"a\nb"', [], "this is not one JSON value"),
    ("a missing comma", b"[1 2]", [], "this is not one JSON value"),
    ("half a list", b"1 [0,", [1], "the connection has ended in the middle of a value"),
    ("half a string", b'"half', [], "the connection has ended in the middle of a value"),
    ("half a number", b"1 -", [1], "the connection has ended in the middle of a value"),
    ("half a literal", b"fals", [], "the connection has ended in the middle of a value"),
]


@pytest.mark.parametrize(("stream", "values", "error"), [row[1:] for row in JUNK], ids=[row[0] for row in JUNK])
def test_junk_ends_the_stream_with_a_message(stream: bytes, values: list[Any], error: str) -> None:
    for chunks in ([stream], byte_by_byte(stream)):
        got, why = read(chunks)
        assert got == values
        assert why is not None
        assert error in why


def test_an_ended_stream_stays_ended_and_buffers_nothing() -> None:
    reader = FrameReader()
    reader.feed(b"junk [1] [2]")
    for _ in range(2):
        with pytest.raises(FrameError, match="no value begins with"):
            reader.take()
        reader.feed(b"[3] ")
    assert reader.buffered == 0


@pytest.mark.parametrize("text", [b"7", b"-12", b"1.5e3"])
def test_an_idle_stream_completes_a_number(text: bytes) -> None:
    reader = FrameReader()
    reader.feed(text)
    assert reader.take() is INCOMPLETE
    assert reader.is_unsettled
    reader.mark_idle()
    assert reader.take() == json.loads(text)
    assert reader.take() is INCOMPLETE
    assert not reader.is_unsettled


def test_a_number_continues_if_more_digits_arrive_in_time() -> None:
    reader = FrameReader()
    reader.feed(b"1")
    assert reader.take() is INCOMPLETE
    reader.feed(b"2")
    assert reader.take() is INCOMPLETE
    reader.mark_idle()
    assert reader.take() == 12


@pytest.mark.parametrize("text", [b"-", b"1.", b"2e", b"[1", b'"7', b"tru"])
def test_an_idle_stream_completes_only_numbers(text: bytes) -> None:
    reader = FrameReader()
    reader.feed(text)
    assert reader.take() is INCOMPLETE
    reader.mark_idle()
    assert reader.take() is INCOMPLETE
    assert not reader.is_unsettled, "waiting longer would not help"


@pytest.mark.parametrize("value", [b"[1,2,[3]]", b'"a string"', b'{"a":[]}', b"false", b"null"])
def test_a_self_delimiting_value_is_read_at_once(value: bytes) -> None:
    reader = FrameReader()
    reader.feed(value)
    assert reader.take() == json.loads(value)


def test_a_bare_word_is_accepted_only_as_a_greeting() -> None:
    reader = FrameReader(may_greet=True)
    reader.feed(b"ping")
    assert reader.take() is INCOMPLETE
    assert reader.is_unsettled
    reader.mark_idle()
    assert reader.take() == BareWord("ping")
    reader.feed(b"ping ")
    with pytest.raises(FrameError, match="no value begins with"):
        reader.take()


GREETINGS: list[tuple[bytes, Any]] = [
    (b"ok [0]", BareWord("ok")),
    (b"ok[0]", BareWord("ok")),
    (b"ping\r\n", BareWord("ping")),
    (b'"ok" ', "ok"),
    (b"true ", True),
    (b"null ", None),
    (b"12 ", 12),
    (b"[1] ", [1]),
]


@pytest.mark.parametrize(("stream", "value"), GREETINGS, ids=[repr(row[0]) for row in GREETINGS])
def test_a_greeting_may_also_be_json(stream: bytes, value: Any) -> None:
    reader = FrameReader(may_greet=True)
    reader.feed(stream)
    assert reader.take() == value


def test_a_greeting_has_only_letters() -> None:
    assert read([b"hi! "], FrameReader(may_greet=True)) == ([], 'this is not JSON: "!" is out of place')
    assert read([b"!"], FrameReader(may_greet=True)) == ([], 'this is not JSON: "!" is out of place')


LONG = [b'"' + b"x" * 30 + b'"', b"[" + b"1," * 15 + b"1]", b"1" * 32, b'"' + b"\\\\" * 15 + b'"']


@pytest.mark.parametrize("text", LONG, ids=["a string", "a list", "a number", "backslashes"])
def test_the_size_limit_is_exact_and_named(text: bytes) -> None:
    stream = b"  " + text + b" [1]"
    for chunks in ([stream], byte_by_byte(stream)):
        fits = read(chunks, FrameReader(most_bytes=len(text)))
        assert fits == ([json.loads(text), [1]], None)
        limit = len(text) - 1
        assert read(chunks, FrameReader(most_bytes=limit)) == ([], f"a value has more than {limit} bytes")


def test_the_size_limit_applies_to_each_value() -> None:
    values, error = read([b"[1,2] " * 1000 + b" " * 1000], FrameReader(most_bytes=5))
    assert (len(values), error) == (1000, None)


def test_an_endless_value_buffers_no_more_than_the_limit() -> None:
    reader = FrameReader(most_bytes=1000)
    for _ in range(9):
        reader.feed(b"[" + b"1," * 50)
        assert reader.take() is INCOMPLETE
    assert reader.buffered == 909
    reader.feed(b"[" + b"1," * 50)
    with pytest.raises(FrameError, match="more than 1000 bytes"):
        reader.take()
    reader.feed(b"1" * 10**6)
    assert reader.buffered == 0


@pytest.mark.parametrize(("opening", "closing"), [(b"[", b"]"), (b'{"a":', b"}"), (b'[{"a":', b"}]")])
def test_the_depth_limit_is_exact_and_named(opening: bytes, closing: bytes) -> None:
    level = len(closing)
    text = opening * 6 + b"1" + closing * 6
    assert read([text], FrameReader(most_depth=6 * level)) == ([json.loads(text)], None)
    error = f"lists and objects are nested more than {6 * level - 1} deep"
    assert read([text], FrameReader(most_depth=6 * level - 1)) == ([], error)


def test_deep_nesting_is_refused() -> None:
    assert read([b"[" * 10**6]) == ([], "lists and objects are nested more than 32 deep")


def test_every_byte_is_scanned_once_for_any_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    scanned = 0

    class Counting:
        def __init__(self, pattern: Any) -> None:
            self._pattern = pattern

        def search(self, buffer: bytearray, start: int, stop: int) -> Any:
            nonlocal scanned
            found = self._pattern.search(buffer, start, stop)
            scanned += (found.end() if found else stop) - start
            return found

    for name in ("_MARK", "_MARK_IN_STRING", "_NOT_IN_NUMBER"):
        monkeypatch.setattr(frames, name, Counting(getattr(frames, name)))
    stream = frame([["food", 0], ["traits", ["horns"] * 200]]) + b'"' + b"\\n" * 500 + b'" ' + b"9" * 500 + b" "
    for size in (1, 2, 7, 100, len(stream)):
        scanned = 0
        values, error = read([stream[at : at + size] for at in range(0, len(stream), size)])
        assert (len(values), error) == (3, None)
        # A backslash at the end of a chunk is scanned again with the character that it escapes.
        assert scanned <= len(stream) + 500


def test_frames_have_no_inner_blanks_and_one_at_the_end() -> None:
    assert frame([0, [[1, 2]], "é"]) == '[0,[[1,2]],"é"] '.encode()
    assert frame(3, b"") == b"3"
    assert frame(False, b"\n") == b"false\n"


POSITIONS = st.lists(st.integers(0, 10**6), max_size=30)
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**63), 2**64 - 1)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=10,
)
BLANKS = st.text(" \t\r\n", min_size=1, max_size=4)


@given(st.lists(st.tuples(JSON, st.sampled_from([None, 1, 4]), st.booleans(), BLANKS), max_size=8), POSITIONS)
def test_values_are_read_for_any_layout_and_any_cut(written: list[Any], positions: list[int]) -> None:
    stream = "".join(
        json.dumps(value, indent=indent, ensure_ascii=ascii_only) + blanks
        for value, indent, ascii_only, blanks in written
    )
    assert read(cut(stream.encode(), positions)) == ([value for value, *_ in written], None)


@given(st.lists(JSON, max_size=8), POSITIONS)
def test_written_values_are_read_unchanged(values: list[Any], positions: list[int]) -> None:
    stream = b"".join(map(frame, values))
    got, error = read(cut(stream, positions))
    assert (got, error) == (values, None)
    assert b"".join(map(frame, got)) == stream


SCRAPS = rb"""[ ] { } " \ , : 1 - e . true fal se null x ping "a" [1,2] \u12""".split()
NOISE = st.lists(
    st.sampled_from([*SCRAPS, b" ", b"\n", b"\xff", b"\xc3\xa9"]) | st.binary(max_size=3), max_size=40
).map(b"".join)


@given(NOISE, POSITIONS, st.booleans(), st.integers(1, 60), st.integers(1, 4))
@example(b'"\\', [], False, 1, 1)
def test_noise_gives_values_or_a_frame_error_independent_of_cuts(
    noise: bytes, positions: list[int], may_greet: bool, most_bytes: int, most_depth: int
) -> None:
    def fresh() -> FrameReader:
        return FrameReader(most_bytes=most_bytes, most_depth=most_depth, may_greet=may_greet)

    whole = read([noise], fresh())
    assert read(cut(noise, positions), fresh()) == whole
    assert read(byte_by_byte(noise), fresh()) == whole


@given(NOISE, POSITIONS)
def test_pauses_anywhere_raise_only_frame_errors(noise: bytes, positions: list[int]) -> None:
    def receive() -> None:
        for chunk in cut(noise, positions):
            reader.feed(chunk)
            while reader.take() is not INCOMPLETE:
                pass
            reader.mark_idle()
            while reader.take() is not INCOMPLETE:
                pass
            assert not reader.is_unsettled
        reader.close()
        while True:
            reader.take()

    reader = FrameReader(may_greet=True)
    with pytest.raises(FrameError) as first:
        receive()
    with pytest.raises(FrameError) as second:
        reader.take()
    assert second.value is first.value


def test_a_closed_stream_raises_stream_ended() -> None:
    reader = FrameReader()
    reader.feed(b"[1] ")
    reader.close()
    assert reader.take() == [1]
    with pytest.raises(StreamEnded):
        reader.take()


def test_a_value_over_the_limit_is_refused_even_if_it_ends_with_a_backslash() -> None:
    reader = FrameReader(most_bytes=10)
    reader.feed(b'"' + b"x" * 9 + b"\\")
    with pytest.raises(FrameError, match="a value has more than 10 bytes"):
        reader.take()


def test_an_escaped_quote_may_arrive_after_several_looks() -> None:
    reader = FrameReader()
    reader.feed(b'"a\\')
    assert [reader.take(), reader.take()] == [INCOMPLETE, INCOMPLETE]
    reader.feed(b'""')
    assert reader.take() == 'a"'
