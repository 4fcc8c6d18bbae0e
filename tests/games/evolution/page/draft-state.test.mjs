/** The draft of a declaration while the server checks it: steps ahead of replies, and refused steps. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { afterDisconnect, afterReply, afterSending, newDraft } from "../../../../src/wateringhole/games/evolution/page/draft-state.js";

const step = (card) => ({ step: "body", card, board: 0 });
const reply = (steps, refused = null) => ({ steps, offers: [], boards: [], places: [], missing: null, answer: null, refused });
const REFUSAL = { rule: "slots", message: "There is no slot." };
const started = newDraft(reply([]));

test("steps can be added before the replies to earlier ones arrive", () => {
  const one = afterSending(started, [step(0)], "add");
  const two = afterSending(one, [...one.sent, step(1)], "add");
  const first = afterReply(two, reply([step(0)])).state;
  assert.deepEqual([first.draft.steps, first.sent, first.pending], [[step(0)], [step(0), step(1)], 1]);
  const second = afterReply(first, reply([step(0), step(1)])).state;
  assert.deepEqual([second.draft.steps, second.sent, second.pending], [[step(0), step(1)], [step(0), step(1)], 0]);
});

test("a refused step is forgotten", () => {
  const { state, retry } = afterReply(afterSending(started, [step(0), step(1)], "add"), reply([step(0)], REFUSAL));
  assert.deepEqual([state.sent, state.draft.steps, retry], [[step(0)], [step(0)], null]);
});

test("a step that depended on a removed one is removed, too, and later steps are sent again", () => {
  const undone = afterSending(started, [step(0), step(1), step(2)], "undo");
  const { state, retry } = afterReply(undone, reply([step(0)], REFUSAL));
  assert.deepEqual([retry, state.draft.steps, state.pending], [[step(0), step(2)], [], 0]);
  const retried = afterReply(afterSending(state, retry, "undo"), reply(retry));
  assert.deepEqual([retried.state.draft.steps, retried.retry], [retry, null]);
});

test("an accepted removal is not sent again", () => {
  assert.equal(afterReply(afterSending(started, [step(0)], "undo"), reply([step(0)])).retry, null);
});

test("a refusal that removed nothing is not sent again", () => {
  assert.equal(afterReply(afterSending(started, [step(0)], "undo"), reply([step(0)], REFUSAL)).retry, null);
});

test("only a restored draft counts as restored, until it changes", () => {
  const restored = afterSending(started, [step(0)], "restore");
  assert.deepEqual([started.isRestored, restored.isRestored], [false, true]);
  assert.equal(afterReply(restored, reply([step(0)])).state.isRestored, true);
  for (const change of ["add", "undo", "start over"]) assert.equal(afterSending(restored, [], change).isRestored, false);
});

test("a broken connection loses the steps without a reply", () => {
  const accepted = afterReply(afterSending(started, [step(0)], "add"), reply([step(0)])).state;
  const lost = afterDisconnect(afterSending(accepted, [step(0), step(1)], "add"));
  assert.deepEqual([lost.sent, lost.pending], [[step(0)], 0]);
});
