/** The logic of the ladder: its order, the next opponent, and which bots a game beats. */

import assert from "node:assert/strict";
import { test } from "node:test";

const { beatenIn, ladderOf, nextOpponent } = await import("../../src/wateringhole/web/static/js/ladder.js");

const bot = (name, level, rating) => ({ name, text: "", level, rating, error: 1, face: null });
const PLAYERS = [bot("strong", 5, 1900), bot("new", null, null), bot("weak", 1, 1100), bot("fair", 1, 1200)];

test("the ladder has the rated bots, the easiest first", () => {
  assert.deepEqual(ladderOf(PLAYERS).map(({ name }) => name), ["weak", "fair", "strong"]);
});

test("the next opponent is the easiest that is not beaten, and at the end the strongest", () => {
  const next = (...beaten) => nextOpponent(PLAYERS, new Set(beaten))?.name;
  assert.equal(next(), "weak");
  assert.equal(next("weak", "strong"), "fair");
  assert.equal(next("weak", "fair", "strong"), "strong");
  assert.equal(nextOpponent([bot("new", null, null)], new Set()), undefined);
});

test("a bot is beaten if I finished ahead of all its seats", () => {
  const seats = [{ seat: 0, player: null }, { seat: 1, player: "weak" }, { seat: 2, player: "weak" }, { seat: 3, player: "fair" }];
  const places = (...all) => all.map((place, seat) => ({ seat, place }));
  assert.deepEqual(beatenIn(seats, places(1, 2, 3, 4), 0), ["weak", "fair"]);
  assert.deepEqual(beatenIn(seats, places(2, 1, 3, 4), 0), ["fair"]);
  assert.deepEqual(beatenIn(seats, places(1, 2, 3, 1), 0), ["weak"], "a tie beats no one");
  assert.deepEqual(beatenIn(seats, places(4, 1, 2, 3), 0), []);
});
