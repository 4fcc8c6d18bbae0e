/** What a page remembers about its connection: resuming, and the time between two attempts. */

import assert from "node:assert/strict";
import { test } from "node:test";

import { MAX_RETRY_MS, MIN_RETRY_MS, NEW_CONNECTION, afterFailure, afterMessage, helloOf } from "../../src/wateringhole/web/static/js/connection.js";

const after = (...messages) => messages.reduce(afterMessage, NEW_CONNECTION);

test("the first hello asks for everything", () => {
  assert.deepEqual(helloOf(NEW_CONNECTION, null), { type: "hello", protocol: 1, paced: true });
  assert.deepEqual(helloOf(NEW_CONNECTION, "secret"), { type: "hello", protocol: 1, paced: true, token: "secret" });
});

test("a later hello continues after the last event", () => {
  const connection = after({ type: "event", number: 4 }, { type: "event", number: 5 }, { type: "scene", scene: {} });
  assert.deepEqual(helloOf(connection, null), { type: "hello", protocol: 1, paced: true, heard: 5 });
});

test("each failed attempt doubles the delay, up to a limit", () => {
  const delays = [NEW_CONNECTION];
  for (let attempt = 0; attempt < 6; attempt += 1) delays.push(afterFailure(delays.at(-1)));
  assert.deepEqual(delays.map(({ retryDelay }) => retryDelay), [400, 800, 1600, 3200, 5000, 5000, 5000]);
  assert.deepEqual([MIN_RETRY_MS, MAX_RETRY_MS], [400, 5000]);
});

test("an answered hello resets the delay", () => {
  const failed = afterFailure(afterFailure(NEW_CONNECTION));
  assert.equal(afterMessage(failed, { type: "table", table: {} }).retryDelay, 1600);
  assert.equal(afterMessage(failed, { type: "hello" }).retryDelay, MIN_RETRY_MS);
});

test("only a final goodbye closes the connection", () => {
  assert.equal(NEW_CONNECTION.isClosed, false);
  assert.equal(after({ type: "bye", reason: "a restart" }).isClosed, false);
  const closed = after({ type: "bye", reason: "the end", final: true });
  assert.equal(closed.isClosed, true);
  assert.equal(afterMessage(closed, { type: "table", table: {} }).isClosed, true);
});
