"""Records: a header, the answers, the result.  They replay exactly, so games can be verified.

A record is a text of JSON Lines (`docs/reference/records.md`)::

    {"format": "wateringhole-record", "version": 1, "game": "…", "names": […], "setup": {…}, …}
    {"seat": 0, "request": "…", "answer": […], "ms": 3}
    …
    {"result": {…}, "digest": "sha256:…"}

The digest covers all lines before it.  Events are not recorded, because they follow from the rest.
"""

from __future__ import annotations

import importlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Annotated, Any, NamedTuple

import msgspec
from msgspec import UNSET

from wateringhole import fallbacks, registry
from wateringhole.digests import GrowingDigest, digest
from wateringhole.errors import OperationError, UsageError, WateringHoleError
from wateringhole.formatting import short_repr
from wateringhole.game import Answer, AnyKind, Event, Forfeit, Game, Outcome, Request, Seat, Violation
from wateringhole.match.commitments import Commitment, is_kept

__all__ = ["Advance", "Header", "Record", "RecordedAnswer", "Recorder", "Replay", "read_record"]

FORMAT = "wateringhole-record"
VERSION = 1
MOST_MS = 1e12
"""The longest time for an answer, 30 years: sums of longer times could not be computed exactly."""

_encoder = msgspec.json.Encoder()


class Header(msgspec.Struct, frozen=True, kw_only=True):
    """The first line.  Unknown fields belong to later versions and are ignored."""

    format: str
    version: int
    game: str
    rules_version: int
    names: tuple[str, ...]
    """By seat."""
    versions: tuple[str | None, ...] | msgspec.UnsetType = UNSET
    """The version of each player by seat (`match.versions`), in tournaments with players that are not built in."""
    commitment: str | msgspec.UnsetType = msgspec.UNSET
    """The digest of the deal that was published before the game (`match.commitments`)."""
    setup: dict[str, Any]
    """In the game's own format: rules, chance and seed."""


# Nothing in a line leads back to it, so Python's collector need not track thousands of lines.
class RecordedAnswer(msgspec.Struct, frozen=True, gc=False):
    """One line: the answer of a seat, or its forfeit."""

    seat: Seat
    request: str | None
    """The name of the request, or None if the seat failed without a request."""
    answer: Any = msgspec.UNSET
    forfeit: Forfeit | msgspec.UnsetType = msgspec.UNSET
    ms: Annotated[float, msgspec.Meta(ge=0, le=MOST_MS)] = 0
    """Milliseconds the answer took."""


class Result(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The last line."""

    result: msgspec.Raw
    digest: str
    nonce: str | msgspec.UnsetType = msgspec.UNSET
    """That of the commitment, and in the next field the digest of the next game of the series."""
    next_commitment: str | msgspec.UnsetType = msgspec.UNSET


class Recorder:
    """Writes a record while a game is played."""

    def __init__(
        self,
        kind: AnyKind,
        setup: Any,
        names: Sequence[str],
        versions: Sequence[str | None] | None = None,
        commitment: Commitment | None = None,
    ) -> None:
        """`names` and `versions` are by seat.  The last line reveals what the commitment hides."""
        self._answer_to_json = kind.codec.answer_to_json
        self._commitment = commitment
        header = Header(
            format=FORMAT,
            version=VERSION,
            game=kind.name,
            rules_version=kind.rules_version,
            names=tuple(names),
            versions=UNSET if versions is None else tuple(versions),
            commitment=UNSET if commitment is None else commitment.digest,
            setup=_setup_text(kind, setup),  # type: ignore[arg-type]
        )
        self._text = bytearray()
        self._digest = GrowingDigest()
        self._unwritten: list[Header | RecordedAnswer | Result] = [header]
        """Lines not yet encoded: encoding many at once takes less time."""

    def add(self, request: Request[Any], answer: Answer | Forfeit, microseconds: float) -> None:
        """Add an answer, which took a whole number of microseconds."""
        ms = microseconds / 1e3
        if type(answer) is Forfeit:
            line = RecordedAnswer(request.seat, request.name, UNSET, answer, ms)
        else:
            line = RecordedAnswer(request.seat, request.name, self._answer_to_json(request, answer), UNSET, ms)
        self._unwritten.append(line)

    def add_forfeit(self, seat: Seat, forfeit: Forfeit) -> None:
        """Add the failure of a seat that had no request."""
        self._unwritten.append(RecordedAnswer(seat, None, forfeit=forfeit))

    def finish(self, outcome: Outcome) -> None:
        self._write()
        reveal = self._commitment
        result = Result(
            msgspec.Raw(msgspec.json.encode(outcome)),
            str(self._digest),
            UNSET if reveal is None else reveal.nonce,
            UNSET if reveal is None else reveal.next,
        )
        self._unwritten.append(result)

    def text(self) -> bytes:
        """Return the record so far."""
        self._write()
        return bytes(self._text)

    def digest(self) -> str:
        """Return the digest of all lines so far."""
        self._write()
        return str(self._digest)

    def _write(self) -> None:
        if self._unwritten:
            lines = _encoder.encode_lines(self._unwritten)
            self._text += lines
            self._digest.add(lines)
            self._unwritten.clear()


class Record(msgspec.Struct, frozen=True):
    """A record that was read.  Every line has the right shape; a replay checks that the lines fit together."""

    header: Header
    answers: tuple[RecordedAnswer, ...]
    result: bytes
    """The recorded outcome as JSON."""
    digest_fits: bool
    kind: Any
    setup: Any
    commitment: Commitment | None = None
    """The commitment to its deal, or None if none was published."""

    def seat(self, number: int) -> Seat:
        """Return the seat for a number counted from 1."""
        return Seat(number - 1)

    def seconds(self) -> tuple[float, ...]:
        """Return the time of all answers by seat."""
        microseconds = [0] * len(self.header.names)
        for line in self.answers:
            microseconds[line.seat] += round(line.ms * 1e3)
        return tuple(each / 1e6 for each in microseconds)

    def with_choices(self, choices: Mapping[str, Any]) -> Record:
        """Return the record with choices of its deal that records do not contain, e.g. code.

        Raises OperationError if the game was dealt with other choices.
        """
        return msgspec.structs.replace(self, setup=self.kind.attach(self.setup, choices))

    def with_option(self, name: str, value: str) -> Record:
        """Return the record with one such choice as it is typed.  Raises OperationError if the game has none."""
        found = self.with_choices({name: self.kind.deal_option(name).parse(value)})
        if found.setup is self.setup:
            raise OperationError(f"the game was played without {name} of a file; omit {value}.")
        return found

    def replay(self) -> Replay:
        """Return a replay from the start of the game."""
        return Replay(self)

    def __iter__(self) -> Iterator[Event]:
        """Yield all events in order, hidden information included."""
        return self.replay().events()

    def narrate(self, seat: int | None = None) -> str:
        """Return the game as text, with a line for each event that has one.

        A `seat`, counted from 0, restricts it to what that seat saw.
        """
        from wateringhole.markup import plain

        if seat is not None and seat not in range(self.setup.players):
            raise UsageError(f"seat {short_repr(seat)}: the game has the seats 0 to {self.setup.players - 1}.")
        viewer = None if seat is None else Seat(seat)
        narrator = fallbacks.text(self.kind).narrator(self.header.names, viewer)
        seen = (event if viewer is None else event.seen_by(viewer) for event in self)
        lines = (line for event in seen if event for line in [*narrator.narrate(event), *narrator.incidents(event)])
        return "\n".join(plain(lines))

    def __repr__(self) -> str:
        return f"<Record of {self.kind.name}: {', '.join(self.header.names)}; {len(self.answers)} answers>"

    def _repr_html_(self) -> str:
        """Return the replay for notebooks.  The page belongs to a higher layer, so it is imported by name."""
        return str(importlib.import_module("wateringhole.web.export").embedded(self))


class Advance(NamedTuple):
    """One step of a replayed game."""

    answered: Mapping[Seat, tuple[Request[Any] | None, Answer | Forfeit]]
    """The requests with their answers by seat, in the order of the record; None for a failure without a request."""
    events: Sequence[Event]
    """The events that followed."""


class Replay:
    """Plays a record answer by answer.

    Raises OperationError with the line if an answer does not fit the game or the result differs.
    """

    def __init__(self, record: Record) -> None:
        self._record = record
        self.game: Game[Any, Any, Any] = record.kind.new_game(record.setup)

    def events(self) -> Iterator[Event]:
        """Yield all events in order.  The game advances as they are consumed."""
        yield from self.game.opening
        for step in self.advances():
            yield from step.events

    def advances(self) -> Iterator[Advance]:
        """Yield each step of the game after its opening, as the game takes it."""
        gathered: dict[Seat, tuple[Request[Any] | None, Answer | Forfeit]] = {}
        for number, line in enumerate(self._record.answers, 2):
            if self.game.outcome:
                raise OperationError(f"line {number}: the game was over before this answer.")
            if line.request is None:
                yield self._advance(number, {line.seat: (None, self._forfeit(number, line))})
                continue
            gathered[line.seat] = self._answer(number, line, gathered)
            if len(gathered) == len(self.game.requests):
                answered, gathered = gathered, {}
                yield self._advance(number, answered)
        self._compare_result(len(self._record.answers) + 2)

    def _compare_result(self, number: int) -> None:
        if self.game.outcome is None:
            raise OperationError(f"line {number}: the record has a result here, but the game is not over.")
        if msgspec.json.encode(self.game.outcome) != self._record.result:
            raise OperationError(f"line {number}: the result written down is not what the answers lead to.")
        if not self._record.digest_fits:
            raise OperationError(
                f"line {number}: the digest does not fit: something in the lines before it was changed."
            )
        commitment = self._record.commitment
        if commitment is not None and not is_kept(self._record.kind, self._record.setup, commitment):
            raise OperationError(f"line {number}: the game was dealt otherwise than the commitment in line 1 promised.")

    def _advance(self, number: int, answered: dict[Seat, tuple[Request[Any] | None, Answer | Forfeit]]) -> Advance:
        try:
            events = self.game.advance({seat: answer for seat, (_, answer) in answered.items()})
        except ValueError as error:
            raise OperationError(f"line {number}: {error}.") from None
        return Advance(answered, events)

    def _answer(
        self, number: int, line: RecordedAnswer, gathered: dict[Seat, Any]
    ) -> tuple[Request[Any], Answer | Forfeit]:
        request = self.game.requests.get(line.seat)
        if request is None or line.seat in gathered:
            raise OperationError(f"line {number}: seat {line.seat} was not asked anything here.")
        if request.name != line.request:
            raise OperationError(f"line {number}: seat {line.seat} was asked to {request.name}, not to {line.request}.")
        if line.answer is msgspec.UNSET:
            return request, self._forfeit(number, line)
        try:
            answer = self._record.kind.codec.answer_from_json(request, line.answer)
        except ValueError as error:
            raise OperationError(f"line {number}: {error}.") from None
        accepted = request.accept(answer)
        if isinstance(accepted, Violation):
            why = fallbacks.sentence_for(self._record.kind, accepted)
            raise OperationError(f"line {number}: the answer of seat {line.seat} is not legal here: {why}.")
        return request, accepted

    def _forfeit(self, number: int, line: RecordedAnswer) -> Forfeit:
        if line.forfeit is msgspec.UNSET:
            raise OperationError(f"line {number}: there is neither an answer nor a forfeit.")
        return line.forfeit


def read_record(text: bytes, name: str = "record", kind: AnyKind | None = None) -> Record:
    """Read a record, of an installed game unless its `kind` is given.

    Raises OperationError with file and line for anything but a complete record.
    """
    try:
        return _read(text, kind)
    except WateringHoleError as error:
        raise OperationError(f"{name}: {error}") from None


def _read(text: bytes, kind: AnyKind | None) -> Record:
    lines = text.splitlines(keepends=True)
    if not lines:
        raise OperationError("the file is empty.")
    header = _decode(lines[0], 1, Header, "the header of a record")
    if header.format != FORMAT:
        raise OperationError(f"line 1: this is a {header.format!r} file, not a {FORMAT!r}.")
    if header.version > VERSION:
        raise OperationError(
            f"line 1: the format version is {header.version}; this program knows {VERSION} and earlier."
        )
    if kind is None or kind.name != header.game:
        kind = registry.game_kind(header.game)
    if header.rules_version != kind.rules_version:
        raise OperationError(
            f"line 1: played under version {header.rules_version} of the rules of {kind.name}; "
            f"this program has version {kind.rules_version}."
        )
    try:
        setup = kind.codec.setup_from_json(header.setup)
    except (ValueError, WateringHoleError) as error:
        raise OperationError(f"line 1: the setup is wrong: {error}") from None
    if len(header.names) != setup.players:
        raise OperationError(f"line 1: {len(header.names)} names for {setup.players} players.")
    if header.versions is not UNSET and len(header.versions) != setup.players:
        raise OperationError(f"line 1: {len(header.versions)} versions for {setup.players} players.")
    if len(lines) == 1 or b'"digest"' not in lines[-1] or not lines[-1].endswith(b"\n"):
        raise OperationError(f"the record is cut off after line {len(lines)}: it has no result.")
    answers = tuple(_answer(line, number, setup.players) for number, line in enumerate(lines[1:-1], 2))
    result = _decode(lines[-1], len(lines), Result, "a result")
    digest_fits = result.digest == digest(b"".join(lines[:-1]))
    return Record(header, answers, bytes(result.result), digest_fits, kind, setup, _commitment(header, result))


def _commitment(header: Header, result: Result) -> Commitment | None:
    if header.commitment is UNSET:
        return None
    # Without its nonce, a commitment is not kept.
    return Commitment(header.commitment, result.nonce or "", result.next_commitment or "")


def _answer(line: bytes, number: int, players: int) -> RecordedAnswer:
    answer: RecordedAnswer = _decode(line, number, RecordedAnswer, "an answer")
    if not 0 <= answer.seat < players:
        raise OperationError(f"line {number}: the game has {players} seats, and {answer.seat} is none of them.")
    return answer


def _decode(line: bytes, number: int, shape: type[Any], what: str) -> Any:
    try:
        return msgspec.json.decode(line, type=shape)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as error:
        raise OperationError(f"line {number} is not {what}: {error}.") from None


def _setup_text(kind: AnyKind, setup: Any) -> msgspec.Raw:
    """Return a setup as JSON text, which a codec can write faster than by `setup_to_json`."""
    to_text = getattr(kind.codec, "setup_to_text", None)
    return msgspec.Raw(to_text(setup) if to_text else _encoder.encode(kind.codec.setup_to_json(setup)))
