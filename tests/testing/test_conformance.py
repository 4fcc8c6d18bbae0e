"""The conformance kit reports each kind of mistake in a game."""

from __future__ import annotations

import dataclasses
import random
import re
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import msgspec
import pytest

from tests.sample_game import nim
from wateringhole import registry
from wateringhole.facets import Bot, Bots, Decision, Estimate, Evaluation
from wateringhole.game import AnyKind, Event, Forfeit, Outcome, Seat, Standing, Violation
from wateringhole.player import InProcess
from wateringhole.testing import NonConforming, check_game


def with_game(game: Any, **changes: Any) -> AnyKind:
    """Return Nim with another class for its games."""
    return dataclasses.replace(nim.KIND, new_game=game, **changes)


class SharedCopies(nim.Nim):
    def copy(self, *, emit: bool = True) -> Any:
        other = super().copy(emit=emit)
        other._heaps = self._heaps
        return other


class EmittingCopies(nim.Nim):
    def copy(self, *, emit: bool = True) -> Any:
        return super().copy(emit=True)


class AcceptsAnything(nim.Nim):
    def advance(self, answers: Mapping[Seat, Any]) -> Sequence[Event]:
        taken = {
            seat: answer if isinstance(answer, nim.Taking | Forfeit) else self.requests[seat].default_answer()
            for seat, answer in answers.items()
            if seat in self.requests or isinstance(answer, Forfeit)
        }
        return super().advance(taken)


class ForgetsForfeits(nim.Nim):
    def advance(self, answers: Mapping[Seat, Any]) -> Sequence[Event]:
        return super().advance({seat: each for seat, each in answers.items() if not isinstance(each, Forfeit)})


class RefusesForfeits(nim.Nim):
    """A game that accepts forfeits only from the seat that is asked."""

    def advance(self, answers: Mapping[Seat, Any]) -> Sequence[Event]:
        if not answers.keys() <= self.requests.keys():
            raise ValueError("this seat was not asked")
        return super().advance(answers)


class AsksThrownOut(nim.Nim):
    def _throw_out(self, forfeits: Mapping[Seat, Forfeit]) -> list[Event]:
        order = self._order
        events = super()._throw_out(forfeits)
        self._order = order
        return events


class Endless(nim.Nim):
    def _take(self, seat: Seat, taking: nim.Taking) -> list[Event]:
        events = super()._take(seat, taking)
        self.outcome = None
        self._heaps = [9 for _ in self._heaps]
        return events


class RandomOrder(nim.Nim):
    def _take(self, seat: Seat, taking: nim.Taking) -> list[Event]:
        events = super()._take(seat, taking)
        random.shuffle(self._order)
        return events


class AsksAfterTheEnd(nim.Nim):
    @property
    def requests(self) -> Any:
        seat = self._order[0] if self._order else Seat(0)
        return {seat: nim.Take(seat, self.view(seat))}


class ForgetsALoser(nim.Nim):
    def _end(self, reason: str, winners: Sequence[Seat], losers: Sequence[Seat]) -> None:
        super()._end(reason, winners, losers[1:])


class WorstFirst(nim.Nim):
    def _end(self, reason: str, winners: Sequence[Seat], losers: Sequence[Seat]) -> None:
        ranking = [Standing(seat, len(winners) + 1) for seat in losers] + [Standing(seat, 1) for seat in winners]
        self.outcome = Outcome(reason, tuple(ranking), tuple(self._thrown_out))


class WrongForecast(nim.Nim):
    @property
    def upcoming(self) -> Any:
        return [] if self.outcome else [nim.Take(self._order[-1], self.view(None))]


class MutableRequest(nim.Take, frozen=True):
    """A request that changes its game when it rejects an answer."""

    def accept(self, given: object) -> nim.Taking | Violation:
        accepted = super().accept(given)
        if isinstance(accepted, Violation):
            ChangedByBadAnswers.current._heaps[0] += 1
        return accepted


class ChangedByBadAnswers(nim.Nim):
    current: nim.Nim

    @property
    def requests(self) -> Any:
        type(self).current = self
        return {seat: MutableRequest(each.seat, each.view) for seat, each in super().requests.items()}


class MutableRequestCodec(nim.Codec):
    @staticmethod
    def request_from_json(value: Any) -> nim.Take:
        return msgspec.convert(value, MutableRequest)


@pytest.mark.parametrize(
    ("game", "problem"),
    [
        (SharedCopies, "changed"),
        (EmittingCopies, "a copy with emit=False emits events"),
        (AcceptsAnything, "advance accepted an answer that its request rejects; expected ValueError"),
        (ForgetsForfeits, "forfeited and no event reports it"),
        (RefusesForfeits, "a forfeit of seat 1 raised ValueError: this seat was not asked"),
        (AsksThrownOut, "seat 0 was thrown out and is asked to take"),
        (Endless, "the game has not ended"),
        (RandomOrder, "differs from one that emits events|continues in another way than its original"),
        (AsksAfterTheEnd, "there are requests although the game has an outcome"),
        (ForgetsALoser, "the outcome has no place for seats"),
        (WorstFirst, "expected the best first"),
        (WrongForecast, "an upcoming request did not follow"),
    ],
)
def test_a_mistake_in_the_game_is_reported(game: Any, problem: str) -> None:
    with pytest.raises(NonConforming) as caught:
        check_game(with_game(game), games=20, most_steps=300)
    assert re.search(problem, str(caught.value))
    assert re.match(r"nim under standard with \d players and seed 79190000\d\d, a", str(caught.value))


def test_a_rejected_answer_that_changes_the_game_is_reported() -> None:
    with pytest.raises(NonConforming, match="a rejected answer changed the game"):
        check_game(with_game(ChangedByBadAnswers, codec=MutableRequestCodec()))


def test_too_many_selected_events_are_reported() -> None:
    loud = dataclasses.replace(nim.KIND, new_game_emitting=lambda setup, selection: nim.Nim(setup))
    with pytest.raises(NonConforming, match="new_game_emitting emits other events"):
        check_game(loud)


def test_an_uncounted_turn_is_reported() -> None:
    porrinha = registry.game_kind("porrinha")
    with pytest.raises(NonConforming, match="RoundStarted opens a turn, is a highlight or reports"):
        check_game(dataclasses.replace(porrinha, counted_events=frozenset()), games=1)


# JSON


class LosesViolations(nim.Codec):
    @staticmethod
    def violation_to_json(violation: Violation) -> Any:
        return {"rule": violation.rule, "violation": violation}


class LosesTheCount(nim.Codec):
    @staticmethod
    def answer_from_json(request: nim.Take, value: Any) -> nim.Taking:
        return nim.Taking(value[0], 1)


class LosesTheMost(nim.Codec):
    @staticmethod
    def view_from_json(value: Any) -> nim.View:
        return msgspec.structs.replace(nim.Codec.view_from_json(value), most=1)


class WritesTuples(nim.Codec):
    @staticmethod
    def event_to_json(event: Event) -> Any:
        return {**nim.Codec.event_to_json(event), "seats": {1, 2}}


@pytest.mark.parametrize(
    ("codec", "problem"),
    [
        (LosesViolations, "the JSON of the violation not-a-taking is not made of plain values"),
        (LosesTheCount, "to take does not survive JSON"),
        (LosesTheMost, "view(None) does not survive JSON"),
        (WritesTuples, "the JSON of the event GameStarted"),
    ],
)
def test_data_lost_in_json_is_reported(codec: Any, problem: str) -> None:
    with pytest.raises(NonConforming) as caught:
        check_game(dataclasses.replace(nim.KIND, codec=codec()))
    assert problem in str(caught.value)


def test_chance_outside_the_seed_is_reported() -> None:
    def deal(players: int, rules: nim.Rules, seed: int) -> nim.Setup:
        return nim.deal(players, rules, random.randrange(2**32))

    with pytest.raises(NonConforming, match="deal makes another setup from the same seed"):
        check_game(dataclasses.replace(nim.KIND, deal=deal))


def test_a_deal_that_takes_no_text_as_its_seed_is_reported() -> None:
    def deal(players: int, rules: nim.Rules, seed: int) -> nim.Setup:
        return nim.deal(players, rules, seed + 1)

    with pytest.raises(NonConforming, match="deal with a text as its seed raised TypeError"):
        check_game(dataclasses.replace(nim.KIND, deal=deal))


# Hidden information: each player of this Nim has a secret card without effect


class CardDealt(Event, frozen=True):
    seat: Seat
    card: int | None

    def seen_by(self, seat: Seat | None) -> Event:
        return self if seat == self.seat else CardDealt(self.seat, None)


class CardDealtOpenly(CardDealt, frozen=True, tag="CardDealt"):
    def seen_by(self, seat: Seat | None) -> Event:
        return self


class SecretSetup(nim.Setup, frozen=True):
    cards: tuple[int, ...] = ()
    seed: int | str = 0


def deal_secretly(players: int, rules: nim.Rules, seed: int | str) -> SecretSetup:
    # Heaps are equal, so that seeds differ only in the hidden cards.
    cards = tuple(random.Random(seed).choices(range(3), k=players))
    return SecretSetup(players, rules, (4,) * rules.heaps, cards, seed)


class SecretView(nim.View, frozen=True):
    card: int | None = None
    others: tuple[int, ...] = ()
    seed: int | str | None = None


class SecretNim(nim.Nim):
    """A correct game with hidden cards."""

    event: type[CardDealt] = CardDealt

    def __init__(self, setup: SecretSetup, *, emit: bool = True) -> None:
        super().__init__(setup, emit=emit)
        self.setup = setup
        if emit:
            cards = [self.event(Seat(seat), card) for seat, card in enumerate(setup.cards)]
            self.opening = (*self.opening, *cards)

    def view(self, seat: Seat | None) -> SecretView:
        view = super().view(seat)
        return SecretView(view.heaps, view.order, view.most, None if seat is None else self.setup.cards[seat])


class ShowsEvents(SecretNim):
    event = CardDealtOpenly


class ShowsInViews(SecretNim):
    def view(self, seat: Seat | None) -> SecretView:
        return msgspec.structs.replace(super().view(seat), others=self.setup.cards)


class ShowsSeed(SecretNim):
    def view(self, seat: Seat | None) -> SecretView:
        return msgspec.structs.replace(super().view(seat), seed=self.setup.seed)


class HiddenTaking(Event, frozen=True):
    """A player took a hidden number of sticks."""

    seat: Seat


class ShowsHiddenAnswers(nim.Nim):
    """A game whose events hide the number of sticks taken, while its views show it."""

    def _take(self, seat: Seat, taking: nim.Taking) -> list[Event]:
        super()._take(seat, taking)
        return [HiddenTaking(seat)]


class HidingCodec(nim.Codec):
    @staticmethod
    def event_from_json(value: Any) -> Event:
        shapes = HiddenTaking | nim.GameStarted | nim.PlayerForfeited | nim.GameEnded
        return msgspec.convert(value, shapes)  # type: ignore[no-any-return]


class SecretTake(nim.Take, frozen=True):
    view: SecretView


class SecretCodec(nim.Codec):
    @staticmethod
    def setup_from_json(value: Any) -> nim.Setup:
        return msgspec.convert(value, SecretSetup)

    @staticmethod
    def view_from_json(value: Any) -> nim.View:
        return msgspec.convert(value, SecretView)

    @staticmethod
    def request_from_json(value: Any) -> nim.Take:
        read = msgspec.convert(value, SecretTake)
        return nim.Take(read.seat, read.view)

    @staticmethod
    def event_from_json(value: Any) -> Event:
        shapes = CardDealt | nim.GameStarted | nim.SticksTaken | nim.PlayerForfeited | nim.GameEnded
        return msgspec.convert(value, shapes)  # type: ignore[no-any-return]


def other_cards(setup: SecretSetup, seat: Seat, chance: random.Random) -> SecretSetup:
    """Deal other cards to all other seats."""
    cards = [card if owner == seat else (card + 1) % 3 for owner, card in enumerate(setup.cards)]
    return msgspec.structs.replace(setup, cards=tuple(cards))


def secretive(game: Any) -> AnyKind:
    return with_game(game, deal=deal_secretly, codec=SecretCodec())


def test_a_game_with_hidden_cards_conforms() -> None:
    check_game(secretive(SecretNim), games=9, alike=other_cards)


@pytest.mark.parametrize(
    ("kind", "problem"),
    [
        (secretive(ShowsEvents), "in another that differs only in what is hidden from it"),
        (secretive(ShowsInViews), "look different to it"),
        (secretive(ShowsSeed), "contains the seed of the game"),
    ],
)
def test_a_leak_in_the_opening_is_reported(kind: AnyKind, problem: str) -> None:
    with pytest.raises(NonConforming, match=problem):
        check_game(kind, alike=other_cards)


@pytest.mark.parametrize(
    ("kind", "problem"),
    [
        (secretive(ShowsInViews), "shows something that no event showed it"),
        (with_game(ShowsHiddenAnswers, codec=HidingCodec()), "shows an answer of another seat that no event"),
    ],
)
def test_a_leaking_view_is_reported_without_alike(kind: AnyKind, problem: str) -> None:
    with pytest.raises(NonConforming, match=problem):
        check_game(kind, games=20)


class WrongFold:
    """A fold that ignores the sticks taken."""

    def __init__(self, seat: Seat | None) -> None:
        self._heaps: tuple[int, ...] = ()

    def answered(self, request: nim.Take, answer: Any) -> None:
        pass

    def see(self, event: Event) -> None:
        if isinstance(event, nim.GameStarted):
            self._heaps = event.heaps

    def view(self) -> nim.View:
        return nim.View(self._heaps, (Seat(0), Seat(1)), 3)


def test_an_incomplete_fold_is_reported() -> None:
    with pytest.raises(NonConforming, match=r"folding the events that seat None received .* (heaps|order)\[\d\] is"):
        check_game(dataclasses.replace(nim.KIND, fold=WrongFold))


# Facets


class Wild(InProcess):
    def take(self, request: nim.Take) -> Any:
        return nim.Taking(0, 99)


class WithoutTexts:
    def violation(self, violation: Violation, *_: Any) -> str:
        return ""

    def answer(self, *_: Any) -> str:
        return "takes sticks"

    def narrator(self, *_: Any) -> Any:
        raise LookupError("no narrator")


@pytest.mark.parametrize(
    ("changes", "problem"),
    [
        (
            {"bots": lambda: Bots(InProcess, {"wild": Bot(lambda: Wild)}, ("wild",))},
            "a bot at the table of wild was thrown out: wrong-count",
        ),
        ({"text": WithoutTexts}, "the violation not-a-taking has no text"),
        ({"rulebook": lambda: " "}, "the rulebook has no text"),
    ],
)
def test_a_broken_facet_is_reported(changes: dict[str, Any], problem: str) -> None:
    with pytest.raises(NonConforming) as caught:
        check_game(dataclasses.replace(nim.KIND, **changes))
    assert problem in str(caught.value)


def test_observations_outside_of_the_bounds_of_an_encoding_are_found() -> None:
    porrinha = registry.game_kind("porrinha")
    assert porrinha.encoding is not None
    narrow = porrinha.encoding()._replace(low=0)
    with pytest.raises(NonConforming, match="its shape, its type or its bounds"):
        check_game(dataclasses.replace(porrinha, encoding=lambda: narrow), games=1)


def test_an_encoding_that_offers_illegal_actions_is_found() -> None:
    porrinha = registry.game_kind("porrinha")
    assert porrinha.encoding is not None
    encoding = porrinha.encoding()

    def encoder(seat: Seat, players: int) -> Any:
        encoder: Any = encoding.encoder(seat, players)
        encoder.act = lambda action: "many"
        return encoder

    with pytest.raises(NonConforming, match="the encoding raised AssertionError: 'many' is in the mask but breaks"):
        check_game(dataclasses.replace(porrinha, encoding=lambda: encoding._replace(encoder=encoder)), games=1)


class _Boasting:
    """An analysis of Porrinha whose chances are above 1."""

    best_player = "expert"
    rollout_player = "equilibrium"

    def refuses(self, rules: Any, players: int) -> str | None:
        return None

    def chance_of(self, rules: Any) -> str:
        return "to win"

    def evaluate(
        self, setup: Any, decisions: Sequence[Decision], which: Collection[int], games: int, seed: int
    ) -> dict[int, Evaluation]:
        sure, nothing = Estimate(1.5), Estimate(0.0)
        return {index: Evaluation(sure, sure, nothing, [(0, 1.0)], True, games) for index in which}


class _Unknown(_Boasting):
    best_player = "the best"


@pytest.mark.parametrize(
    ("analysis", "problem"),
    [
        (_Boasting, r"the analysis of \w+ has \(1.5, 1.5\) for chances"),
        (_Unknown, "the analysis names 'the best', which is not a bot of the game"),
    ],
)
def test_a_wrong_analysis_is_found(analysis: type[_Boasting], problem: str) -> None:
    pytest.importorskip("numba", reason="the check of an analysis needs the extra sim")
    pytest.importorskip("scipy", reason="the check of an analysis needs the extra solve")
    with pytest.raises(NonConforming, match=problem):
        check_game(dataclasses.replace(registry.game_kind("porrinha"), analysis=analysis), games=1)
