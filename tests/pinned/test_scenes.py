"""The page draws, offers and explains the same along recorded games, and the terminal prints the same."""

from __future__ import annotations

import pytest

from tests.pinned import access, golden

PROSE = ["traits.*.text"]
"""The explanations of the page, whose wording is not pinned (see `without_wording`)."""


def _parts(folder: str, ending: str) -> list[tuple[str, str]]:
    """The record of each file of a folder, and through whose eyes it is seen."""
    found = []
    for name in golden.names_under(folder):
        stem = name.removeprefix(f"{folder}/").removesuffix(ending)
        record, _, eyes = stem.partition("-1-")
        if name.endswith(ending) and eyes:
            found.append((f"{record}-1", eyes))
    return found


def _record(name: str) -> bytes:
    return golden.read(f"records/{name}.jsonl")


def _seat(eyes: str) -> int | None:
    return None if eyes == "gallery" else int(eyes.removeprefix("seat-"))


@pytest.mark.parametrize(("record", "eyes"), _parts("scenes", ".jsonl"))
def test_pinned_scenes_are_drawn_the_same(record: str, eyes: str) -> None:
    prose = []
    if eyes == "replay":
        prose = [f"words.{path}" for path in PROSE]
        replay = access.replay_scenes(_record(record))
        frames = replay.pop("frames")
        produced = [replay, *frames]
    else:
        produced = access.watched_scenes(_record(record), _seat(eyes))
    golden.compare_lines(f"scenes/{record}-{eyes}.jsonl", golden.json_lines(produced), prose)


@pytest.mark.parametrize(("record", "eyes"), _parts("narrations", ".txt"))
def test_pinned_game_is_narrated_the_same(record: str, eyes: str) -> None:
    lines = access.narration(_record(record), _seat(eyes))
    golden.compare_lines(f"narrations/{record}-{eyes}.txt", "".join(f"{line}\n" for line in lines).encode())


@pytest.mark.parametrize("record", [record for record, eyes in _parts("scenes", ".json") if eyes == "summary"])
def test_pinned_game_is_summed_up_the_same(record: str) -> None:
    assert access.summary_of(_record(record)) == golden.read_json(f"scenes/{record}-summary.json")


@pytest.mark.parametrize("game", access.games())
def test_pinned_words_of_the_page(game: str) -> None:
    pinned = golden.read_json("scenes/words.json")[game]
    found = {profile: access.page_words(game, profile) for profile in access.profiles(game)}
    prose = [f"*.{path}" for path in PROSE]
    assert golden.without_wording(found, prose) == golden.without_wording(pinned, prose)


def test_another_seat_sees_other_scenes() -> None:
    other = access.watched_scenes(_record("porrinha-seed-3-1"), 1)
    with pytest.raises(AssertionError, match="differs"):
        golden.compare_lines("scenes/porrinha-seed-3-1-seat-0.jsonl", golden.json_lines(other))
