/** Taking back steps of a declaration. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { withoutStep } from "../../../../src/wateringhole/games/evolution/page/steps.js";

const OWNED = 2;
const body = (board) => ({ step: "body", board });
const buy = { step: "buy" };

test("a step is taken back alone", () => {
  assert.deepEqual(withoutStep([body(0), body(1)], 0, OWNED), [body(1)]);
});

test("a purchase is taken back with the steps on its board", () => {
  assert.deepEqual(withoutStep([buy, body(2), body(0)], 0, OWNED), [body(0)]);
});

test("boards bought later are renumbered", () => {
  const steps = [buy, buy, buy, body(2), body(3), body(4), body(1)];
  assert.deepEqual(withoutStep(steps, 1, OWNED), [buy, buy, body(2), body(3), body(1)]);
});

test("steps before the purchase stay", () => {
  assert.deepEqual(withoutStep([{ step: "food" }, body(1), buy], 2, OWNED), [{ step: "food" }, body(1)]);
});
