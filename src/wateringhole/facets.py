"""The interfaces of the optional parts of a `GameKind`.

A game provides the facets it wants; `fallbacks` has what stands in for a missing one.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from importlib.resources.abc import Traversable
from typing import TYPE_CHECKING, Any, Literal, NamedTuple, Protocol, TypeVar, runtime_checkable

from wateringhole.game import Event, JsonObject, Loader, Notice, Request, Seat, Setup, Violation
from wateringhole.options import Rules

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

__all__ = [
    "PROGRAM",
    "Analysis",
    "AnnouncedRanking",
    "Benchmarks",
    "Bot",
    "Bots",
    "Chance",
    "ClientEnd",
    "Coach",
    "Compiled",
    "Decision",
    "Encoding",
    "Ending",
    "Estimate",
    "Evaluation",
    "Face",
    "FirstGame",
    "ForeignProtocol",
    "Harness",
    "Manifest",
    "Narrator",
    "Page",
    "Question",
    "RawAnswer",
    "Reader",
    "Remark",
    "SceneBuilder",
    "SeatEncoder",
    "ServerEnd",
    "Solution",
    "Solver",
    "Stepwise",
    "Summary",
    "Text",
    "TextTable",
    "TranslatedPage",
    "Trial",
    "Trials",
    "ValueReader",
    "ViewFold",
]

Q_contra = TypeVar("Q_contra", bound=Request[Any], contravariant=True)
A_contra = TypeVar("A_contra", contravariant=True)
A_co = TypeVar("A_co", covariant=True)
R_contra = TypeVar("R_contra", bound=Rules, contravariant=True)
R_co = TypeVar("R_co", bound=Rules, covariant=True)
R = TypeVar("R", bound=Rules)
S_contra = TypeVar("S_contra", bound=Setup, contravariant=True)
Q = TypeVar("Q", bound=Request[Any])
V_co = TypeVar("V_co", covariant=True)


class ViewFold(Protocol[V_co]):
    """Rebuilds the view of one seat, or of a spectator, from the events that it received and the answers it gave."""

    def see(self, event: Event) -> None: ...

    def answered(self, request: Any, answer: Any, /) -> None:
        """Take in an answer, or a forfeit, of this seat, before the events that follow from it.

        The game advanced with answers to all its requests.  Most folds ignore answers, because events show them.
        """
        ...

    def view(self) -> V_co: ...


# Text


class Reader(NamedTuple):
    """The reader of a text: a program, which counts from 0, or a human, who counts from 1 and knows players by name."""

    names: tuple[str, ...] | None = None
    """The names of all players, by seat; None for a program."""
    seat: Seat | None = None
    """The seat of a human who plays and is addressed as "you"."""


PROGRAM = Reader()


class Narrator(Protocol):
    """Turns the events of one game into sentences, as one seat, or a replay that sees all (None), knows them."""

    def narrate(self, event: Event) -> Sequence[str]:
        """Return the lines to print for an event, with Rich markup; often none."""
        ...

    def incidents(self, event: Event) -> Sequence[str]:
        """Return lines for the error stream: mistakes of players that they are not thrown out for."""
        ...


class Text(Protocol[Q_contra, A_contra]):
    """Turns a game's values into sentences; the only place with sentences, except for those that tables carry."""

    def violation(self, violation: Violation, reader: Reader, language: str = "en") -> str:
        """Return a clause without capital letter and full stop."""
        ...

    def answer(self, request: Q_contra, answer: A_contra, reader: Reader, language: str = "en") -> str:
        """Return a short phrase for an answer to a request."""
        ...

    def narrator(self, names: Sequence[str], seat: Seat | None = None, language: str = "en") -> Narrator: ...


class Summary(Protocol):
    """An observer that collects what a program may want to know of a game beside its ranking."""

    def see(self, event: Event) -> None: ...

    def to_json(self, number: Callable[[Seat], int]) -> JsonObject:
        """Return the fields to add to a result; `number` is what each seat is called outside of the game."""
        ...


# Players


class Face(NamedTuple):
    """The parts of a bot's portrait on the page (`portrait.js`)."""

    ears: Literal["round", "pointed", "long", "horned", "tufts"]
    eyes: Literal["round", "wide", "sleepy", "sharp"]
    mouth: Literal["smile", "teeth", "beak", "flat"]
    tint: Literal["yellow", "blue", "green", "red"]


class Bot(NamedTuple):
    """A built-in player of a game."""

    load: Loader[Callable[..., Any]]
    """Loads the factory: a class, or a function that returns a player.  Its docstring's first line describes it."""
    fast: bool = False
    """Whether it answers at once, so that a server need not give it a thread."""
    human: bool = False
    """Whether a human answers for it at a terminal."""
    face: Face | None = None
    """Its portrait, or None for one that its name chooses."""


class Bots(NamedTuple):
    """The built-in players of a game."""

    base: type[Any]
    """The class that players of this game derive from."""
    players: Mapping[str, Bot]
    usual: tuple[str, ...] = ()
    """The players for examples, empty seats and benchmarks, the simplest first."""
    filler: str | None = None
    """Takes the seats that a comparison leaves empty; None for the first of the usual bots."""
    templates: Mapping[str, Traversable] = {}
    """The files that `new-bot` writes, by style; the first is the default."""
    levels: Traversable | None = None
    """The file with the levels of the players, see `levels`."""


class RawAnswer(NamedTuple):
    """A player's answer to a request before the game has parsed it."""

    answer: Any = None
    is_pass: bool = False


class Question(NamedTuple):
    """A step request: one small request to a stepwise player."""

    name: str
    arguments: Mapping[str, Any]
    """By name, as plain JSON values."""


class Stepwise(Protocol[Q_contra, A_co]):
    """Splits a request into small ones, for programs written in that style."""

    @property
    def step_orders(self) -> Sequence[str]:
        """The names of the orders of step requests, of which a program may select one."""
        ...

    def proceed(
        self,
        request: Q_contra,
        given: Sequence[RawAnswer],
        earlier: tuple[Any, Sequence[RawAnswer]] | None,
        step_order: Any,
        /,
    ) -> Question | A_co:
        """Return the next step request, or the whole answer.

        `given` answers the step requests so far.  `earlier` is the player's previous request with its answers,
        which may also decide this one, or None if it is unknown.  `step_order` is one of `step_orders`, or None
        for the order that suits the rules.  Raises IllegalAnswer or Unreadable for a bad answer.
        """
        ...


# The page


class SceneBuilder(Protocol):
    """Follows one game as one seat or spectator sees it, and returns what the page draws."""

    def see(self, event: Event) -> list[str]:
        """Take in an event as this seat may see it.  Return the sentences that narrate it."""
        ...

    def answered(self, request: Any, answer: Any | None) -> bool:
        """Take in that a player has answered before an event shows it; None hides the answer.

        Return whether the scene has changed.
        """
        ...

    def asked(self, requests: Mapping[Seat, str]) -> None:
        """Take in who is asked now, with the names of the requests."""
        ...

    def scene(self) -> JsonObject:
        """Return the table as it stands, ready for JSON."""
        ...


class Manifest(NamedTuple):
    """The files and pictures of a game on the page.  File names are relative to its assets."""

    module: str | None = None
    """A JavaScript module that exports `createBoardView` and `guide`; None for the plain view."""
    styles: tuple[str, ...] = ()
    """Style sheets of the module."""
    icons: str | None = None
    """A JavaScript module that exports `ICONS`, the game's pictures by name."""
    picture: str | None = None
    """The name of the picture that stands for the game."""
    faces: tuple[str, ...] = ()
    """The names of four pictures that stand for its players."""
    banner: str | None = None
    """A JavaScript module that exports `banner`, which returns figures for the top of the lobby."""
    pictures: str | None = None
    """A JavaScript module that exports `pictures`, which returns five pictures and their captions."""
    text: str | None = None
    """A JavaScript module that exports `t`, the game's texts: the names of its rules, players and turns."""


class Page(Protocol[R_contra, Q_contra, A_contra]):
    """A game's part of the page."""

    @property
    def assets(self) -> Traversable | None:
        """The folder of the game's own files, served at ``/games/NAME/``."""
        ...

    @property
    def manifest(self) -> Manifest: ...

    def texts(self, rules: R_contra, /) -> JsonObject:
        """Return what the page explains, as it holds under these rules."""
        ...

    def unsupported_rules(self, rules: R_contra, seats: int, /) -> str | None:
        """Return why the page cannot draw such a table, or None if it can."""
        ...

    def scenes(self, names: Sequence[str], seat: Seat | None, /) -> SceneBuilder:
        """Return a builder for a seat, or for a spectator."""
        ...

    def replay_scenes(self, names: Sequence[str], events: Sequence[Event], /) -> SceneBuilder:
        """Return a builder that sees everything, for a game that is known to its end."""
        ...

    def replay_event(self, event: Event, /) -> JsonObject:
        """Return an event of a finished game for the page, hidden parts included."""
        ...

    def offers(self, builder: SceneBuilder, names: Sequence[str], request: Q_contra, /) -> JsonObject:
        """Return all that can be answered to a request, with what it would cause."""
        ...

    def dissuade(self, request: Q_contra, answer: A_contra, /) -> Violation | None:
        """Return why a human had better not give this answer, although it is legal."""
        ...

    def consult(self, builder: SceneBuilder, request: Q_contra, message: Mapping[str, Any], /) -> JsonObject | None:
        """Answer a message of the page while a human decides, or return None if this game does not know it.

        Raises ValueError with the reason for a message that cannot be read.
        """
        ...


@runtime_checkable
class TranslatedPage(Protocol):
    """A game's part of the page in several languages."""

    def in_language(self, language: str, /) -> Page[Any, Any, Any]:
        """Return this page with texts in a language, or unchanged if it has none in it."""
        ...


# Tools


class Compiled(Protocol):
    """A compiled game: `sim.game.CompiledGame`, which this module must not import."""

    @property
    def name(self) -> str: ...

    @property
    def options(self) -> Mapping[str, Any]:
        """The support of each rules option, by its name."""
        ...


class SeatEncoder(Protocol):
    """The decisions of one seat in one game as numbers.  An answer takes one action or several."""

    @property
    def decision_type(self) -> int:
        """The type of the decision that the open request is at."""
        ...

    def ask(self, request: Any, /) -> None:
        """Begin the decisions of a request."""
        ...

    def mask(self) -> npt.NDArray[np.bool_]:
        """Return the legal actions; there is at least one."""
        ...

    def act(self, action: int, /) -> Any:
        """Take a legal action.  Return the answer to the request, or None if it needs more actions."""
        ...

    def observe(self, view: Any, acting: Seat | None, decision_type: int, /) -> npt.NDArray[Any]:
        """Return the observation of this seat from its view.

        `acting` is the seat that decides, or None if the game is over, and `decision_type` the type of its decision.
        """
        ...

    def copy(self) -> SeatEncoder:
        """Return an independent encoder in the same state."""
        ...


class Chance(NamedTuple):
    """The chance of a setup as a sequence of draws, each with equally likely outcomes."""

    most: int
    """The number of outcomes; each is a number below it."""
    outcomes: Callable[[Sequence[int]], Sequence[int]]
    """`outcomes(drawn)` returns the outcomes of the next draw, in order; none if the setup is complete."""
    text: Callable[[int], str]
    """`text(outcome)` describes an outcome."""
    setup: Callable[[int, Any, Sequence[int]], Any]
    """`setup(players, rules, drawn)` returns the setup."""


class Encoding(NamedTuple):
    """A game for learners: the same actions and observations as in its compiled game."""

    actions: int
    """The number of actions; each is a number below it."""
    decision_types: tuple[str, ...]
    """The names of the decision types, by number; 0 stands for a game that is over."""
    observation: int
    """The number of words in an observation."""
    dtype: Any
    """The type of the words, a small integer."""
    low: int
    high: int
    """The least and the greatest word."""
    encoder: Callable[[Seat, int], SeatEncoder]
    """`encoder(seat, players)` returns the encoder of a seat for one game."""
    refuses: Callable[[Any, int], str | None]
    """`refuses(rules, players)` returns why such a game cannot be encoded, or None if it can."""
    most_actions: Callable[[Any, int], int]
    """`most_actions(rules, players)` returns more actions than a game takes."""
    chance: Chance | None = None
    """The chance of the setup, or None if there is none."""


class Decision(NamedTuple):
    """An answer in a record, with everything that its seat had seen since its previous one."""

    request: Any
    answer: Any
    seen: Sequence[Event]
    """The events that the seat received after its previous decision and before this request."""


class Estimate(NamedTuple):
    """A number that was estimated, with its standard error; 0 if it is exact."""

    value: float
    error: float = 0.0


class Evaluation(NamedTuple):
    """The worth of an answer, estimated from what its seat had seen."""

    before: Estimate
    """The chance if the seat answers as the best player does."""
    after: Estimate
    """The chance after the answer."""
    loss: Estimate
    """The difference; negative if the answer looks better than the best player's."""
    advice: Sequence[tuple[Any, float]]
    """The answers of the best player with their probabilities, the most likely first."""
    agrees: bool
    """True if the best player gives this answer at times, or one with the same effect."""
    games: int
    """The number of rollouts after each answer, or 0 if the chances are exact."""
    options: Sequence[tuple[Any, Estimate]] = ()
    """The answers that were compared, with the chance after each, the best first."""


class Analysis(Protocol):
    """Estimates what the answers of a recorded game were worth."""

    @property
    def best_player(self) -> str:
        """The name of the built-in player whose answers are the measure."""
        ...

    @property
    def rollout_player(self) -> str:
        """The name of the built-in player that plays all seats of a rollout."""
        ...

    def refuses(self, rules: Any, players: int, /) -> str | None:
        """Return why such a game cannot be analysed, or None if it can."""
        ...

    def chance_of(self, rules: Any, /) -> str:
        """Return what the chances are about, to follow "the chance", e.g. "of the first place"."""
        ...

    def evaluate(
        self, setup: Any, decisions: Sequence[Decision], which: Collection[int], games: int, seed: int, /
    ) -> Mapping[int, Evaluation]:
        """Evaluate some of a game's decisions, which come in their order, with `games` rollouts after each answer.

        `which` are their indexes.  The result leaves out those that cannot be estimated.
        """
        ...


class Remark(NamedTuple):
    """One thing that a player should consider before an answer."""

    name: str
    """The key of its sentences in the game's texts for the page."""
    values: Mapping[str, int | str] = {}
    """The values in the sentences."""
    subject: Mapping[str, int | str] = {}
    """The part of the table that it is about, as the game's page names it; empty for the whole table."""


class FirstGame(NamedTuple):
    """A guided game for newcomers, with a fixed deal.  The newcomer has the first seat."""

    bots: tuple[str, ...]
    """The opponents."""
    seed: int
    options: Mapping[str, Any] = {}
    """Rules that differ from the default profile."""


class Coach(Protocol[Q_contra, A_contra, R_contra]):
    """Explains a decision to the player who makes it, from the request alone, and without compiled code."""

    @property
    def best_player(self) -> str:
        """The name of the built-in player whose answers are advised."""
        ...

    @property
    def first_game(self) -> FirstGame: ...

    def remark(self, request: Q_contra, /) -> Remark:
        """Return what to look at first."""
        ...

    def advise(self, rules: R_contra, players: int, request: Q_contra, /) -> Any:
        """Return what the best player would answer, or None if it has no answer here."""
        ...

    def risk(self, request: Q_contra, answer: A_contra, /) -> Remark | None:
        """Return what could be wrong with an answer, or None for an answer that needs no check."""
        ...


class Harness(Protocol[R_contra]):
    """A function from a JSON value to a JSON value, for comparing implementations of a game."""

    def __call__(self, value: Any, rules: R_contra, /) -> Any: ...


class Trial(NamedTuple):
    """A game that `check` has a player sit through; the seed decides its chance."""

    title: str
    rules: tuple[str, ...]
    """As they are typed after `--rules`."""
    others: tuple[str, ...]
    """The other players, as they are named on a command line."""
    seat: int
    seed: int


class Trials(NamedTuple):
    """The games and requests that `check` gives to a player."""

    games: tuple[Trial, ...]
    requests: tuple[Trial, ...] = ()
    """Games of others; the largest requests of each kind in them are put to the player one by one."""


class Benchmarks(NamedTuple):
    """The games that `bench` measures."""

    player: str
    """Plays all seats of the games with a referee, as it is named on a command line."""
    seats: tuple[int, ...]
    """Numbers of players in the games with a referee."""
    entrants: tuple[str, ...]
    """The players of the tournament, as they are named on a command line; all of them sit at each table."""
    choices: Mapping[str, Any] = {}
    """Further arguments of `deal`."""
    simulated: tuple[tuple[str, int], ...] = ()
    """Compiled players, each with the number of seats it plays at; the first number is also that of a batch."""


class TextTable(NamedTuple):
    """A table of text, for the terminal."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str]]


class Solution(Protocol):
    """An exact solution of a game."""

    def to_json(self) -> JsonObject: ...

    def lines(self) -> Iterable[str]:
        """Return what to print below the tables."""
        ...

    def tables(self) -> Iterable[TextTable]: ...


class Solver(Protocol):
    """Solves a game exactly."""

    @property
    def options(self) -> type[Rules]:
        """The options of `solve`, with their defaults."""
        ...

    def solve(self, options: Any, progress: Callable[[int, int], None], /) -> Solution:
        """Solve the game; `progress(done, total)` is called now and then."""
        ...


# Foreign protocols: those of other hosts and programs, whose messages are JSON values (`protocol.frames`)


class ValueReader(Protocol):
    """Bytes in, JSON values out: `protocol.frames.FrameReader`, which this module must not import."""

    @property
    def buffered(self) -> int:
        """The number of bytes that wait to be taken."""
        ...

    @property
    def is_unsettled(self) -> bool:
        """Whether only silence shows that the value at the end is whole; the driver then calls `mark_idle`."""
        ...

    def feed(self, chunk: bytes, /) -> None: ...

    def mark_idle(self) -> None: ...

    def close(self) -> None:
        """Take in that no more bytes will arrive."""
        ...

    def take(self) -> Any:
        """Return the next value, or `INCOMPLETE`.  Raises FrameError, after the last value StreamEnded."""
        ...


class ServerEnd(Protocol[R_contra, Q_contra, A_co]):
    """The host's end of the connection to one player, for one game; without input or output.

    The driver waits for `pause` before it calls a method that takes the time, and sends what that returns.
    """

    @property
    def reader(self) -> ValueReader:
        """Takes what arrives."""
        ...

    @property
    def name(self) -> str:
        """The name that the player signed up with."""
        ...

    def pause(self, now: float, /) -> float:
        """Return the seconds to wait until the next message may be sent."""
        ...

    def welcome(self, now: float, /) -> bytes:
        """Return the reply to the sign-up."""
        ...

    def take_seat(self, names: Sequence[str], rules: R_contra, /) -> None:
        """Take in that a game begins, and how `identities` named its players."""
        ...

    def notice(self, notice: Notice, now: float, /) -> bytes:
        """Return the message for a notice; empty if the protocol has none."""
        ...

    def ask(self, request: Q_contra, now: float, /) -> bytes:
        """Return the message for a request; empty if the protocol has none, and `answer` needs none."""
        ...

    def answer(self) -> A_co | None:
        """Return the answer to the last request, or None if it has not arrived yet.

        Raises PlayerFailed if it cannot be read or will not arrive.
        """
        ...


class AnnouncedRanking(NamedTuple):
    """The final ranking, from a server that announces it."""

    rows: tuple[tuple[int, str, int], ...]
    """Rank, identity and score of each player."""


class Ending(NamedTuple):
    """The conclusions that a player can draw from the end of a connection on which no result was announced."""

    early: str | None
    """The reason why the game cannot be over, e.g. ``in turn 1, …``, or None if it can be."""
    estimate: str | None
    """An estimate of the player's result, or None if there is no basis for one."""


class ClientEnd(Protocol[R_co, Q]):
    """A player's end of the connection to a server, for one game; without input or output."""

    @property
    def reader(self) -> ValueReader:
        """Takes what arrives."""
        ...

    @property
    def is_welcome(self) -> bool:
        """Whether the server has replied to the sign-up."""
        ...

    @property
    def seat(self) -> Seat: ...

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all players, by seat, as far as the protocol reveals them."""
        ...

    @property
    def rules(self) -> R_co:
        """The rules that such a server plays by."""
        ...

    @property
    def server(self) -> str:
        """The dialect in use; detection may change it during the first messages."""
        ...

    @property
    def similar(self) -> Sequence[str]:
        """The dialects that these messages do not distinguish from the one in use."""
        ...

    def sign_up(self) -> bytes:
        """Return the first message to send."""
        ...

    def take(self) -> Notice | Q | AnnouncedRanking | None:
        """Return what the server sent next, or None if no whole message has arrived.

        Raises StreamEnded when the server closed the connection, and OperationError for a message that is
        not in the protocol.
        """
        ...

    def reply(self, request: Q, answer: object, /) -> bytes:
        """Return an answer as this server wants it.  Raises IllegalAnswer if it breaks a rule."""
        ...

    def ending(self) -> Ending:
        """Return what the end of the connection means after the messages so far."""
        ...


class ForeignProtocol(Protocol[R, S_contra, Q, A_co]):
    """A protocol of other hosts and programs that a game can be played over."""

    @property
    def title(self) -> str:
        """The name of the protocol in running text, e.g. ``the course's protocol``."""
        ...

    @property
    def dialects(self) -> Mapping[str, str]:
        """The known servers by name, each with a description; the first is for all others."""
        ...

    def refuses(self, rules: R, /) -> str | None:
        """Return why a game with these rules cannot be played over it, or None if it can."""
        ...

    def server_end(self, reader: ValueReader, sign_up: Any, /) -> ServerEnd[R, Q, A_co]:
        """Return the host's end for a player whose first value is `sign_up`.

        Raises ValueError with the reason if that is not how players sign up.
        """
        ...

    def client_end(self, name: str, dialect: str | None, /) -> ClientEnd[R, Q]:
        """Return the end of a player with this name at one of the `dialects`, or None to detect the dialect."""
        ...

    def identities(self, names: Sequence[str], setup: S_contra, /) -> Sequence[str]:
        """Return what the players are called in results, by seat; each differently."""
        ...
