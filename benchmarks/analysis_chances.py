"""Compare the chances that `wateringhole analyse` estimates with results, for games of the given Evolution players.

    python benchmarks/analysis_chances.py 12 greedy greedy greedy greedy

For each turn, print the mean chance after an answer, the share of first places that followed, and the mean squared
error of the chances, beside that of the share alone.  The costliest decisions are left out.
"""

from __future__ import annotations

import sys
from collections import defaultdict

import wateringhole as wh
from wateringhole.analysis import analyse


def main(games: int, players: list[str]) -> None:
    pairs: dict[int, list[tuple[float, bool]]] = defaultdict(list)
    for seed in range(games):
        record = wh.play("evolution", players, seed=seed).record
        found = analyse(record, simulations=2)
        first = {line.seat for line in found.outcome.ranking if line.place == 1}
        for answer in found.answers:
            if answer.evaluation and not answer.confirmed:
                pairs[answer.turn].append((answer.evaluation.after.value, answer.seat in first))
    for turn, known in sorted(pairs.items()):
        share = sum(won for _, won in known) / len(known)
        mean = sum(chance for chance, _ in known) / len(known)
        error = sum((chance - won) ** 2 for chance, won in known) / len(known)
        print(
            f"turn {turn}: {len(known)} answers, chance {mean:.2f}, first places {share:.2f}, "
            f"squared error {error:.3f} (of the share {share * (1 - share):.3f})",
            flush=True,
        )


if __name__ == "__main__":
    main(int(sys.argv[1]), sys.argv[2:])
