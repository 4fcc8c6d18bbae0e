/** The steps of the first game of Porrinha: one thing to press at a time. */

import assert from "node:assert/strict";
import { test } from "node:test";

const { STEPS, guess, nextLesson } = await import("../../../../src/wateringhole/games/porrinha/page/first-game.js");

const hand = (round, most = 3) => ({ request: "hand", scene: { round }, offers: { least: 0, most } });
const numbers = (...taken) => [0, 1, 2, 3].map((number) => ({ number, state: taken.includes(number) ? "taken" : "free" }));
const say = (round, own, ...taken) => ({ request: "guess", scene: { round, own_hand: own }, offers: { numbers: numbers(...taken) } });
const next = (request, chosen = null) => nextLesson({ request, progress: { chosen } });

test("a number is lit, and once it is chosen the button", () => {
  assert.equal(next(hand(1)).light, '.ask [data-number="1"]');
  assert.equal(next(hand(1), 0).light, '.ask [data-number="1"]', "another number is chosen");
  assert.equal(next(hand(1), 1).light, ".ask .main");
});

test("a player without sticks hides none", () => {
  assert.equal(next(hand(3, 0)).light, '.ask [data-number="0"]');
});

test("the guess is my own hand, or the next number that is free", () => {
  assert.equal(guess(say(1, 1)), 1);
  assert.equal(guess(say(1, 1, 1)), 2);
  assert.equal(guess(say(1, 3, 3)), 2, "no higher number is free");
  assert.deepEqual(next(say(1, 2, 2)).values, { own: "2", guess: "3" });
});

test("each of the three rounds has two steps, and the last one stands for all later ones", () => {
  const requests = [hand(1), say(1, 1), hand(2), say(2, 1), hand(3), say(3, 1), hand(4), say(9, 0)];
  assert.deepEqual(requests.map((request) => next(request).step), [1, 2, 3, 4, 5, 6, STEPS, STEPS]);
  assert.deepEqual(requests.map((request) => next(request).name), ["hide", "say", "again", "trust", "rest", "rest", "rest", "rest"]);
});
