"""Simulated games have the pinned sums, and batches the pinned arrays.  Compiling takes up to a minute."""

from __future__ import annotations

from typing import Any

import pytest

from tests.pinned import access, golden

pytestmark = pytest.mark.slow

SUMS = golden.read_json("simulations/sums.json")
BATCHES = golden.read_json("simulations/batches.json")


@pytest.mark.parametrize("row", SUMS, ids=lambda row: f"{row['game']}-{len(row['players'])}-{row['seed']}")
def test_simulation_has_the_pinned_sums(row: dict[str, Any]) -> None:
    pinned = dict(row)
    rules = pinned.pop("rules")
    pinned = golden.with_features_last(pinned)
    found = access.simulated(row["game"], row["players"], row["games"], row["seed"], rules)
    golden.assert_same(found, pinned)


@pytest.mark.parametrize("row", BATCHES, ids=lambda row: f"{row['game']}-{row['players']}")
def test_batch_has_the_pinned_arrays(row: dict[str, Any]) -> None:
    plan = dict(row)
    pinned = plan.pop("digests")
    found = access.batch_digests(**plan)
    # The layout of rows and observations of Evolution has changed since; their meaning has not.
    for arrays in (*found, *pinned) if row["game"] == "evolution" else ():
        del arrays["states"], arrays["observations"]
    assert found == pinned


def test_another_seed_changes_the_sums() -> None:
    row = SUMS[0]
    found = access.simulated(row["game"], row["players"], row["games"], row["seed"] + 1, row["rules"])
    assert found["checksum"] != row["checksum"]
