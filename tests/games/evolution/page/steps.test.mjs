/** The uses of a card, and taking back steps of a declaration. */

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { CARD_USES, withoutStep } from "../../../../src/wateringhole/games/evolution/page/steps.js";
import { messages } from "../../../../src/wateringhole/games/evolution/page/text/en.js";

const OWNED = 2;
const body = (board) => ({ step: "body", board });
const buy = { step: "buy" };

test("a key uses a card in each way that the rules allow", () => {
  const kinds = Object.fromEntries(CARD_USES.map(({ key, kinds }) => [key, kinds]));
  assert.deepEqual(kinds, { F: ["food"], P: ["population"], B: ["body"], T: ["lay", "replace"], N: ["buy"] });
});

test("every use of a card has a text and an icon", () => {
  const folder = "../../../../src/wateringhole";
  const icons = ["web/static/js/icons.js", "games/evolution/page/icons.js"].map((file) => readFileSync(new URL(`${folder}/${file}`, import.meta.url), "utf8")).join("\n");
  for (const { text, icon } of CARD_USES) {
    assert.ok(messages[`use.${text}`], text);
    assert.match(icons, new RegExp(`^  "?${icon}"?: `, "m"));
  }
});

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

test("a step on a board is taken back without the board", () => {
  assert.deepEqual(withoutStep([buy, body(2), buy, body(3)], 1, OWNED), [buy, buy, body(3)]);
});

test("other steps before a purchase do not change which board it is", () => {
  const grow = { step: "population", board: 2 };
  assert.deepEqual(withoutStep([{ step: "food" }, body(0), buy, buy, grow, body(3)], 3, OWNED), [{ step: "food" }, body(0), buy, grow]);
});
