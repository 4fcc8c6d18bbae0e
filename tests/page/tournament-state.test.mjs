import assert from "node:assert/strict";
import test from "node:test";

import { inOrder, isLive, myAction, operatorActions, plannedGames, timeLeft, undecided } from "../../src/wateringhole/web/static/js/tournaments/state.js";

const row = (name, rating, error) => ({ name, rating, low: error === null ? null : rating - error, high: error === null ? null : rating + error });

test("the operator can do what fits the state", () => {
  assert.deepEqual(operatorActions("open"), ["start", "cancel"]);
  assert.deepEqual(operatorActions("running"), ["cancel"]);
  assert.deepEqual(operatorActions("interrupted"), ["continue", "cancel"]);
  assert.deepEqual([...operatorActions("over"), ...operatorActions("cancelled")], []);
});

test("only a tournament that has not ended is asked for again", () => {
  assert.deepEqual(["open", "running", "interrupted", "cancelled", "over"].map(isLive), [true, true, true, false, false]);
});

test("people enter and leave before the start, and need a name", () => {
  const me = { name: "Ada", entrant: null, table: null };
  assert.equal(myAction({ state: "open", people: true, me: null }), "name");
  assert.equal(myAction({ state: "open", people: true, me }), "enter");
  assert.equal(myAction({ state: "open", people: true, me: { ...me, entrant: 0 } }), "leave");
  assert.equal(myAction({ state: "open", people: false, me }), null);
  assert.equal(myAction({ state: "running", people: true, me }), null);
});

test("every deal is played from every seat, so games come in whole blocks", () => {
  assert.equal(plannedGames(3, 3, 6), 6);
  assert.equal(plannedGames(3, 3, 1), 3);
  assert.equal(plannedGames(5, 4, 12), 16);
  assert.equal(plannedGames(2, 3, 12), 0);
});

test("the time left is in the unit that suits it", () => {
  assert.deepEqual(timeLeft(0.2), { unit: "seconds", count: 1 });
  assert.deepEqual(timeLeft(59), { unit: "seconds", count: 59 });
  assert.deepEqual(timeLeft(600), { unit: "minutes", count: 10 });
  assert.deepEqual(timeLeft(7200), { unit: "hours", count: 2 });
});

test("players whose interval meets that of the first are undecided", () => {
  assert.deepEqual(undecided([row("a", 1600, 30), row("b", 1580, 30), row("c", 1400, 30)]), ["a", "b"]);
  assert.deepEqual(undecided([row("a", 1600, 30), row("c", 1400, 30)]), ["a"]);
  assert.deepEqual(undecided([row("a", 1600, null), row("b", 1400, null)]), ["a", "b"]);
  assert.deepEqual(undecided([]), []);
});

test("a finished game lists the winner first", () => {
  const game = { game_id: "1-0-0", names: ["a", "b"], places: [2, 1], scores: [3, null] };
  assert.deepEqual(inOrder(game), [{ name: "b", place: 1, score: null }, { name: "a", place: 2, score: 3 }]);
});
