"""A separate cache directory for the strategies that compiled players look up, and short trainings."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from wateringhole.games.porrinha.solver import cfr


@pytest.fixture(scope="package", autouse=True)
def _own_cache_and_short_trainings(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("XDG_CACHE_HOME", str(tmp_path_factory.mktemp("cache")))
        patch.setattr(cfr, "WORK", 5_000)
        yield
