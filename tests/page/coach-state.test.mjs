import assert from "node:assert/strict";
import test from "node:test";
import { initialCoach, reduceCoach, wantsCheck } from "../../src/wateringhole/web/static/js/coach-state.js";

const asked = (id = 4) => reduceCoach(initialCoach(true), { type: "asked", id });
const after = (state, ...actions) => actions.reduce(reduceCoach, state);
const WARNING = { remark: { name: "food", values: {}, subject: {} }, games: 2000, options: [] };

test("hints go from level one to level three and no further", () => {
  const state = after(asked(), { type: "next" }, { type: "next" }, { type: "next" }, { type: "next" });
  assert.equal(state.level, 3);
});

test("the hint of one level is not shown as that of the next", () => {
  const hint = { type: "hint", id: 4, level: 1, remark: WARNING.remark };
  assert.equal(after(asked(), { type: "next" }, hint, { type: "next" }).hint, null);
});

test("asking beyond the last level keeps its hint", () => {
  const asking = after(asked(), { type: "next" }, { type: "next" }, { type: "next" });
  const hint = { type: "hint", id: 4, level: 3, remark: WARNING.remark };
  assert.equal(after(asking, hint, { type: "next" }).hint, hint);
});

test("there are no hints without a request", () => {
  assert.equal(reduceCoach(initialCoach(true), { type: "next" }).level, 0);
});

test("a hint for another request or another level is ignored", () => {
  const state = after(asked(), { type: "next" });
  for (const [id, level] of [[3, 1], [4, 2]]) assert.equal(reduceCoach(state, { type: "hint", id, level, remark: WARNING.remark }).hint, null);
  assert.notEqual(reduceCoach(state, { type: "hint", id: 4, level: 1, remark: WARNING.remark }).hint, null);
});

test("an answer is checked once per request", () => {
  const held = after(asked(), { type: "hold", answer: 1 });
  assert.ok(!wantsCheck(held));
  assert.ok(!wantsCheck(after(held, { type: "check", id: 4, warning: WARNING }, { type: "close" })));
  assert.ok(wantsCheck(after(held, { type: "asked", id: 5 })));
});

test("a repeated request keeps what was checked", () => {
  assert.ok(!wantsCheck(after(asked(), { type: "hold", answer: 1 }, { type: "asked", id: 4 })));
});

test("nothing is checked if the coach is off", () => {
  assert.ok(!wantsCheck(after(asked(), { type: "toggle" })));
});

test("a warning that comes after its answer was sent is not shown", () => {
  const sent = after(asked(), { type: "hold", answer: 1 }, { type: "release" });
  assert.equal(reduceCoach(sent, { type: "check", id: 4, warning: WARNING }).warning, null);
});

test("a warning keeps the answer until it is sent or changed", () => {
  const warned = after(asked(), { type: "hold", answer: 7 }, { type: "check", id: 4, warning: WARNING });
  assert.deepEqual([warned.held, warned.warning], [{ answer: 7 }, WARNING]);
  assert.equal(after(warned, { type: "close" }).held, null);
});
