/** The steps of the first game of Evolution: one thing to press at a time, to the end of each declaration. */

import assert from "node:assert/strict";
import { test } from "node:test";

const { STEPS, nextLesson, nextStep } = await import("../../../../src/wateringhole/games/evolution/page/first-game.js");

const HAND = [[1, "scavenger"], [-3, "long-neck"], [8, "carnivore"], [0, "fat-tissue"]];
const board = (population, traits = []) => ({ population, traits });
const none = { chosen: null, steps: [], boards: [board(1)] };
const declare = (turn, progress, hand = HAND) =>
  nextLesson({ request: { request: "declare", scene: { turn, own: { hand, boards: [board(1)] } } }, progress, seat: 0 });

/** Follows the steps, and returns them, as a user who presses what is lit. */
function follow(turn, hand, boards) {
  const steps = [];
  const drawn = boards.map((each) => ({ ...each, traits: [...each.traits] }));
  for (let next = nextStep(turn, hand, boards.length, { steps, boards: drawn }); next; next = nextStep(turn, hand, boards.length, { steps, boards: drawn })) {
    steps.push(next);
    if (next.step === "buy") drawn.push(board(1));
    if (next.step === "lay") drawn[next.board].traits.push(hand[next.card][1]);
    if (next.step === "population") drawn[next.board].population += 1;
    assert.ok(steps.length <= hand.length, "every step uses a card");
  }
  return { steps, boards: drawn };
}

test("the card with the most food comes first, then its place", () => {
  assert.deepEqual(declare(1, none), { step: 1, name: "food", light: '.hand [data-card="2"]' });
  assert.deepEqual(declare(1, { ...none, chosen: 2 }), { step: 2, name: "hole", light: ".spot[data-zone=food]" });
  assert.equal(declare(1, { ...none, chosen: 0 }).light, '.hand [data-card="2"]', "another card is chosen");
});

test("the first turn buys a species with one trait that is no carnivore", () => {
  const { steps } = follow(1, HAND, [board(1)]);
  assert.deepEqual(steps.map(({ step }) => step), ["food", "buy", "lay"]);
  assert.notEqual(HAND[steps[2].card][1], "carnivore");
  const progress = { chosen: null, steps: steps.slice(0, 1), boards: [board(1)] };
  assert.equal(declare(1, progress).name, "species");
  assert.equal(declare(1, { ...progress, steps: steps.slice(0, 2), boards: [board(1), board(1)] }).name, "trait");
  assert.deepEqual(declare(1, { ...progress, steps, boards: [board(1), board(1, ["long-neck"])] }), { step: 4, name: "declare", light: ".confirm .main" });
});

test("the second turn adds two animals, each to the smallest species", () => {
  const { steps, boards } = follow(2, HAND, [board(3), board(1)]);
  assert.deepEqual(steps.map(({ step }) => step), ["food", "population", "population"]);
  assert.deepEqual(boards.map(({ population }) => population), [3, 3]);
});

test("the last turn uses all cards, and lays no trait twice on a species", () => {
  const hand = [...HAND, [2, "scavenger"], [1, "scavenger"]];
  const { steps, boards } = follow(3, hand, [board(1)]);
  assert.equal(steps.length, hand.length);
  assert.equal(new Set(boards[1].traits).size, boards[1].traits.length);
  assert.equal(new Set(steps.map(({ card }) => card)).size, hand.length, "no card twice");
});

test("full species take no more animals", () => {
  const { steps } = follow(2, HAND, [board(7)]);
  assert.deepEqual(steps.map(({ step }) => step), ["food"]);
});

test("feeding lights the first species that can eat", () => {
  const feed = (turn) => nextLesson({ request: { request: "feed", scene: { turn }, offers: { options: [{ board: 1 }] } }, progress: none, seat: 2 });
  assert.deepEqual(feed(1), { step: 5, name: "eat", light: '.board[data-seat="2"][data-board="1"]' });
  assert.deepEqual([feed(2).step, feed(3).step], [6, STEPS]);
});

test("there is no lesson for other requests", () => {
  assert.equal(nextLesson({ request: { request: "arrange", scene: { turn: 1 } }, progress: none, seat: 0 }), null);
});
