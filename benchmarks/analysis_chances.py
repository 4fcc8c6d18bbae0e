"""Compare the chances that `wateringhole analyse` estimates with results, for games of the given Evolution players.

    python benchmarks/analysis_chances.py 12 greedy greedy greedy greedy

For each turn, and for each fifth of the chances, print the mean chance after an answer, the share of first places that
followed, and the mean squared error of the chances, beside that of the share alone.  The costliest decisions are left
out.  The players change seats from game to game.
"""

from __future__ import annotations

import sys
from collections import defaultdict

import wateringhole as wh
from wateringhole.analysis import analyse

Known = list[tuple[float, bool]]
"""Chances, and whether a first place followed."""


def main(games: int, players: list[str]) -> None:
    by_turn: dict[int, Known] = defaultdict(list)
    by_chance: dict[int, Known] = defaultdict(list)
    for seed in range(games):
        first = seed % len(players)
        record = wh.play("evolution", players[first:] + players[:first], seed=seed).record
        found = analyse(record, simulations=2)
        winners = {line.seat for line in found.outcome.ranking if line.place == 1}
        for answer in found.answers:
            if answer.evaluation and not answer.confirmed:
                chance = answer.evaluation.after.value
                by_turn[answer.turn].append((chance, answer.seat in winners))
                by_chance[min(4, int(5 * chance))].append((chance, answer.seat in winners))
    for turn, known in sorted(by_turn.items()):
        report(f"turn {turn}", known)
    for fifth, known in sorted(by_chance.items()):
        report(f"chances from {fifth / 5:.0%} to {(fifth + 1) / 5:.0%}", known)


def report(name: str, known: Known) -> None:
    share = sum(won for _, won in known) / len(known)
    mean = sum(chance for chance, _ in known) / len(known)
    error = sum((chance - won) ** 2 for chance, won in known) / len(known)
    print(
        f"{name}: {len(known)} answers, chance {mean:.2f}, first places {share:.2f}, "
        f"squared error {error:.3f} (of the share {share * (1 - share):.3f})",
        flush=True,
    )


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
