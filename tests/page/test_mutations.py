"""Mistakes that the tests of the page's logic must notice.

Each row changes one line of the page's logic in a copy of the sources.  At least one test of Node.js must fail then.
"""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]
SOURCES = "src/wateringhole"
NODE = shutil.which("node")

STATE = "web/static/js/table-state.js"
CONNECTION = "web/static/js/connection.js"
STEPS = "games/evolution/page/steps.js"
DRAFT = "games/evolution/page/draft-state.js"


class Mutation(NamedTuple):
    """A mistake in the page's logic."""

    name: str
    file: str
    right: str
    """A text that occurs once in the file."""
    wrong: str


MUTATIONS = [
    # Taking back steps of a draft
    Mutation("undo keeps the step", STEPS, "index !== removed", "true"),
    Mutation("undo keeps the steps on a returned board", STEPS, ".filter((step) => step.board !== board)", ""),
    Mutation("undo does not renumber boards", STEPS, "board: step.board - 1", "board: step.board"),
    Mutation("undo renumbers one board too many", STEPS, "step.board > board", "step.board >= owned"),
    Mutation("undo counts later purchases", STEPS, "steps.slice(0, removed)", "steps"),
    Mutation("a refused step stays in the next one", DRAFT, "pending > 0 ? state.sent : reply.steps", "state.sent"),
    Mutation("a reply overtakes newer steps", DRAFT, "pending > 0 ? state.sent : reply.steps", "reply.steps"),
    Mutation("replies are counted twice", DRAFT, "state.pending - 1", "state.pending"),
    Mutation("a dependent step is not retried", DRAFT, "reply.refused && state.isUndoing", "false && state.isUndoing"),
    Mutation("a new step is retried like a removal", DRAFT, "state.isUndoing && reply", "reply"),
    Mutation("the wrong step is removed", DRAFT, "index !== reply.steps.length", "index !== reply.steps.length + 1"),
    Mutation("a removal is sent forever", DRAFT, "reply.steps.length < state.sent.length", "true"),
    Mutation("every change counts as a removal", DRAFT, 'change === "undo"', "true"),
    Mutation("a changed draft counts as restored", DRAFT, 'change === "restore"', "true"),
    Mutation("lost steps count as sent", DRAFT, "sent: state.draft.steps, pending: 0", "pending: 0"),
    Mutation("lost replies are awaited", DRAFT, "sent: state.draft.steps, pending: 0", "sent: state.draft.steps"),
    # Drafts after a reload
    Mutation("a draft of another request is kept", STATE, "draft.request === request.id && ", ""),
    Mutation("a draft of another seat is kept", STATE, " && draft.seat === seat", ""),
    Mutation("a repeated request drops its draft", STATE, "state.seat) ? state.draft", "state.seat) ? null"),
    Mutation("moves are reported before they are shown", STATE, "isWatching(state) && isLive(state)", "true"),
    Mutation("moves are reported again and again", STATE, " && state.reported !== last", ""),
    Mutation("the result keeps the draft", STATE, "waiting: [], draft: null", "waiting: []"),
    # Resuming
    Mutation("a reconnection starts the game again", STATE, "if (state.game && state.isResumed) return state;", ""),
    Mutation("every game counts as resumed", STATE, "state.game && state.isResumed", "state.game"),
    Mutation("the first game counts as resumed", STATE, "action.resumed != null", "true"),
    Mutation("a repeated event is shown twice", STATE, "message.number <= last.number", "message.number < last.number"),
    Mutation("another game keeps the open request", STATE, "myMove: 0, request: null,", "myMove: 0,"),
    Mutation("the hello forgets the last event", CONNECTION, "...(heard ? { heard } : {})", ""),
    Mutation("the hello counts one event too many", CONNECTION, "heard: message.number", "heard: message.number + 1"),
    Mutation("the delay is never reset", CONNECTION, "retryDelay: MIN_RETRY_MS };\n  if", "};\n  if"),
    Mutation("the delay grows without limit", CONNECTION, "* 2, MAX_RETRY_MS", "* 2"),
    Mutation("every goodbye is final", CONNECTION, "message.final === true", "true"),
    # Refused answers
    Mutation("a refused answer closes its request", STATE, "state.request ?? state.lastRequest", "state.request"),
    Mutation("a refusal replaces a newer request", STATE, "state.request ?? state.lastRequest", "state.lastRequest"),
    Mutation("an answer forgets its request", STATE, "lastRequest: state.request, ", ""),
    Mutation("a refusal is not shown", STATE, "refusal: action, ", ""),
    Mutation("an answered request stays open", STATE, "{ ...state, request: null, waiting", "{ ...state, waiting"),
    # Pace
    Mutation("an event skips the tape", STATE, "last ? state.position : tape.length", "tape.length"),
    Mutation("playback skips every second event", STATE, "state.position + 1", "state.position + 2"),
    Mutation("playback runs past the end", STATE, "position + 1, state.tape.length", "position + 1"),
    Mutation("playback starts while paused", STATE, "!state.isPaused && !isLive(state)", "!isLive(state)"),
    Mutation("playback never stops", STATE, "!state.isPaused && !isLive(state)", "!state.isPaused"),
    Mutation("the request comes before its moves", STATE, "isLive(state) ? state.request : null", "state.request"),
    Mutation("the result comes before its moves", STATE, "isLive(state) ? state.over : null", "state.over"),
    Mutation("looking back does not pause", STATE, "length)), isPaused: true", "length))"),
    Mutation("the live position stays paused", STATE, "tape.length, isPaused: false", "tape.length"),
    Mutation("events without a text take time", STATE, "currentStep(state)?.text.length && !", "!"),
    Mutation("reduced motion takes time", STATE, "text.length && !state.isStill", "text.length"),
    Mutation("the speed has no effect", STATE, "speed: action.speed", "speed: state.speed"),
]  # fmt: skip


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a copy of the page's logic and its tests."""
    root = tmp_path_factory.mktemp("page")
    for path in [*(ROOT / SOURCES).rglob("*.js"), *(ROOT / "tests").rglob("*.test.mjs")]:
        target = root / path.relative_to(ROOT)
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copy(path, target)
    return root


def passes(root: Path) -> bool:
    files = sorted(str(path) for path in (root / "tests").rglob("*.test.mjs"))
    command = [str(NODE), "--test", *files]
    return subprocess.run(command, cwd=root, capture_output=True, timeout=120).returncode == 0


@pytest.mark.slow
@pytest.mark.skipif(NODE is None, reason="needs Node.js: apt install nodejs")
@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_mistake_in_the_logic_of_the_page_fails_a_test(mutation: Mutation, copied: Path) -> None:
    path = copied / SOURCES / mutation.file
    source = path.read_text()
    assert source.count(mutation.right) == 1, f"{mutation.right!r} must occur once in {mutation.file}"
    path.write_text(source.replace(mutation.right, mutation.wrong))
    try:
        assert not passes(copied)
    finally:
        path.write_text(source)


@pytest.mark.parametrize("mutation", MUTATIONS, ids=lambda mutation: mutation.name)
def test_mutation_changes_the_logic_of_the_page(mutation: Mutation) -> None:
    """Without this, a mutation of a line that has changed would be noticed only by the slow tests."""
    assert (ROOT / SOURCES / mutation.file).read_text().count(mutation.right) == 1
