"""Single requests and whole games for tests of players."""

from __future__ import annotations

from collections.abc import Sequence

from tests.games.evolution import builders
from wateringhole.facets import PROGRAM
from wateringhole.game import Forfeit, Notice, Seat, violation_of
from wateringhole.games.evolution import Dealer, DeclareCards, FeedNext, Rules, Setup, SpeciesBoard, TraitCard
from wateringhole.games.evolution.rules.requests import feedings
from wateringhole.games.evolution.rules.state import GameState, PlayerState
from wateringhole.games.evolution.text import TEXT
from wateringhole.player import IllegalAnswer, InProcess

ME = Seat(0)
COURSE = builders.COURSE


def declare(
    hand: Sequence[TraitCard], row: Sequence[SpeciesBoard] = (builders.board(),), rules: Rules = COURSE, bag: int = 0
) -> DeclareCards:
    """Return a request for a declaration; two opponents have one plain board each."""
    me = PlayerState(ME, row, hand, bag)
    others = [builders.player(seat, builders.board()) for seat in (1, 2)]
    return DeclareCards(GameState(rules, [me, *others], deck=()).view(ME, turn=1))


def feed(
    *rows: Sequence[SpeciesBoard], hole: int = 5, deck: Sequence[TraitCard] = (), rules: Rules = COURSE
) -> FeedNext:
    """Return a feeding request.  The first row belongs to the asked player; without a deck the turn is the last."""
    state = builders.state(*rows, hole=hole, deck=deck, rules=rules)
    targets = [(player.seat, player.boards) for player in state.players[1:]]
    if rules.own_attacks:
        targets.append((ME, state.players[0].boards))
    return FeedNext(state.view(ME, turn=1), feedings(state.players[0].boards, targets, rules))


def play_out(
    players: Sequence[InProcess], setup: Setup, most_questions: int = 10_000
) -> tuple[Dealer, dict[Seat, str]]:
    """Play to the end, or to a limit because of reshuffled cards, and return the violations by seat.

    A player without a card to give forfeits, but that is not counted: the dealer caused it.
    """
    dealer = Dealer(setup)
    news = list(dealer.opening)
    failures: dict[Seat, str] = {}
    for _ in range(most_questions):
        for notice in news:
            if isinstance(notice, Notice):
                players[notice.seat].on_notice(notice)
        if dealer.outcome:
            break
        ((seat, request),) = dealer.requests.items()
        if isinstance(request, DeclareCards) and not request.view.hand:
            news = list(dealer.advance({seat: Forfeit("illegal", "there is no card to give")}))
            continue
        try:
            answer = players[seat].answer(request)
            violation = violation_of(request, answer)
        except IllegalAnswer as illegal:
            violation = illegal.violation
        if violation:
            failures[seat] = TEXT.violation(violation, PROGRAM)
            answer = Forfeit("illegal", failures[seat])
        news = list(dealer.advance({seat: answer}))
    return dealer, failures
