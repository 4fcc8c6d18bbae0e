/** The state of a table page: events, resuming, refused answers and the pace. Run with `node --test tests/page`. */

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  SPEEDS, behind, costOfLeaving, currentStep, initialState, isLive, isMyTurn, isPlaying, openDraft, reduce, seenToReport, showFor, shownRequest, shownResult, shownScene, sinceMyMove,
} from "../../src/wateringhole/web/static/js/table-state.js";

const game = { type: "game", seat: 1, names: ["Ada", "Bea"], rules: {}, texts: {}, page: {} };
const hello = { type: "hello", seat: 1, resumed: null };
const event = (number, fields = {}) => ({ type: "event", number, event: { event: "Moved", seat: 0 }, text: [`move ${number}`], scene: { at: number }, ...fields });
const request = (id) => ({ type: "request", id, request: "feed", seconds: 60, scene: { asked: id }, offers: [] });
const over = { type: "over", outcome: {}, standings: [], game_id: null };

/** Returns the state after some messages and actions; a pair is an action with what the game says about it. */
const after = (...actions) =>
  actions.reduce((state, action) => (Array.isArray(action) ? reduce(state, ...action) : reduce(state, action)), initialState());
const opened = [hello, game, event(1)];

test("the first event is shown at once, and later ones wait on the tape", () => {
  assert.equal(behind(after(...opened)), 0);
  const state = after(...opened, event(2), event(3));
  assert.deepEqual([state.position, behind(state), shownScene(state)], [1, 2, { at: 1 }]);
});

test("no event is skipped, however long the tape is", () => {
  let state = after(...opened, ...Array.from({ length: 500 }, (_, index) => event(index + 2)));
  const shown = [];
  while (isPlaying(state) && shown.length < 1000) {
    state = reduce(state, { type: "advance" });
    shown.push(currentStep(state).number);
  }
  assert.deepEqual(shown, Array.from({ length: 500 }, (_, index) => index + 2));
});

test("an event that arrives twice is on the tape once", () => {
  assert.equal(after(...opened, event(2), event(2), event(1)).tape.length, 2);
});

test("advancing stops at the end of the tape", () => {
  const state = after(...opened, { type: "advance" }, { type: "advance" });
  assert.equal(state.position, 1);
});

test("a request is shown when the moves before it have been seen", () => {
  const waiting = after(...opened, event(2), request(7));
  assert.equal(shownRequest(waiting), null);
  assert.ok(isMyTurn(waiting));
  assert.equal(shownRequest(reduce(waiting, { type: "advance" })).id, 7);
});

test("a request is put away while the user looks back, and comes back with the live position", () => {
  const back = after(...opened, event(2), { type: "advance" }, request(7), { type: "back" });
  assert.deepEqual([shownRequest(back), back.isPaused, shownScene(back)], [null, true, { at: 1 }]);
  const live = reduce(back, { type: "live" });
  assert.deepEqual([shownRequest(live).id, live.isPaused, shownScene(live)], [7, false, { asked: 7 }]);
});

test("looking back stops at the first event", () => {
  assert.equal(after(...opened, { type: "back" }, { type: "back" }).position, 1);
  assert.equal(after({ type: "back" }).position, 0);
});

test("the result is shown when the game has been seen to its end", () => {
  const state = after(...opened, event(2), over);
  assert.equal(shownResult(state), null);
  assert.equal(shownResult(reduce(state, { type: "live" })), over);
});

test("a paused page stays where it is while the game continues", () => {
  const state = after(...opened, { type: "pause" }, event(2), event(3));
  assert.deepEqual([isPlaying(state), behind(state)], [false, 2]);
  assert.ok(isPlaying(reduce(state, { type: "resume" })));
});

test("a page plays until it is live", () => {
  assert.ok(isLive(after(...opened)));
  assert.ok(!isPlaying(after(...opened)));
});

test("the speed says how long an event is shown; events without a text do not wait", () => {
  const state = after(...opened);
  assert.equal(showFor(state), SPEEDS.normal);
  assert.equal(showFor(reduce(state, { type: "speed", speed: "calm" })), SPEEDS.calm);
  assert.equal(showFor(after(hello, game, event(1, { text: [] }))), 0);
  assert.equal(showFor(after(hello, game)), 0, "there is no event yet");
  assert.ok(SPEEDS.calm > SPEEDS.normal && SPEEDS.normal > SPEEDS.quick);
});

test("with reduced motion, events are listed without a pause", () => {
  const state = [...opened, event(2)].reduce((now, action) => reduce(now, action), initialState({ isStill: true }));
  assert.equal(showFor(state), 0);
  assert.ok(isPlaying(state));
});

test("a saved speed is used, and an unknown one is not", () => {
  assert.equal(initialState({ speed: "quick" }).speed, "quick");
  assert.equal(initialState({ speed: "toString" }).speed, "normal");
  assert.equal(initialState({ speed: null }).speed, "normal");
});

test("an answer closes the request and no longer waits for me", () => {
  const state = after(...opened, { type: "waiting", seats: [0, 1], seconds: 60, watching: [], clock_in: null }, request(7), { type: "answered" });
  assert.deepEqual([state.request, state.waiting, isMyTurn(state)], [null, [0], false]);
});

test("a refused answer opens its request again", () => {
  const refusal = { type: "refused", rule: "food", message: "There is no food." };
  const state = after(...opened, request(7), { type: "answered" }, refusal);
  assert.deepEqual([shownRequest(state).id, state.refusal, isMyTurn(state)], [7, refusal, true]);
});

test("a refusal leaves a newer request open", () => {
  const state = after(...opened, request(7), { type: "answered" }, request(8), { type: "refused", rule: "food", message: "" });
  assert.equal(state.request.id, 8);
});

test("a resumed game keeps its tape, and another game starts a new one", () => {
  const played = [...opened, event(2), { type: "advance" }, request(7)];
  const resumed = after(...played, { type: "hello", seat: 1, resumed: 2 }, game, event(3));
  assert.deepEqual([resumed.tape.length, resumed.position, resumed.request.id], [3, 2, 7]);
  const restarted = after(...played, hello, game, event(9));
  assert.deepEqual([restarted.tape.length, restarted.position, restarted.request], [1, 1, null]);
});

test("a repeated request replaces its time and nothing else", () => {
  const state = after(...opened, request(7), { ...request(7), seconds: 12 });
  assert.deepEqual([state.request.seconds, state.waiting], [12, [1]]);
});

test("the moves since my answer are those that were shown after it", () => {
  const state = after(...opened, request(7), { type: "answered" }, event(2), event(3, { text: [] }), event(4), { type: "advance" }, { type: "advance" });
  assert.deepEqual(sinceMyMove(state).map(({ number }) => number), [2]);
  assert.deepEqual(sinceMyMove(reduce(state, { type: "live" })).map(({ number }) => number), [2, 4]);
});

test("what was on the table when the page opened is no move", () => {
  assert.deepEqual(sinceMyMove(after(...opened)), []);
});

test("a choice of mine without an answer was automatic", () => {
  const mine = event(2, { event: { event: "Moved", seat: 1 } });
  const isAutomatic = (...before) => after(...opened, ...before, [mine, { isMyChoice: true }]).tape.at(-1).isAutomatic;
  assert.equal(isAutomatic(), true);
  assert.equal(isAutomatic(request(7), { type: "answered" }), false);
  assert.equal(isAutomatic([{ type: "scene", scene: {} }, { showsMyAnswer: true }]), false);
  assert.equal(isAutomatic([{ type: "scene", scene: {} }, { showsMyAnswer: false }]), true);
  const twice = after(...opened, request(7), { type: "answered" }, [mine, { isMyChoice: true }], [{ ...mine, number: 3 }, { isMyChoice: true }]);
  assert.equal(twice.tape.at(-1).isAutomatic, true);
});

test("a move of another player is not automatic, and does not use up my answer", () => {
  const state = after(...opened, request(7), { type: "answered" }, event(2), [event(3, { event: { event: "Moved", seat: 1 } }), { isMyChoice: true }]);
  assert.deepEqual(state.tape.map(({ isAutomatic }) => isAutomatic), [false, false, false]);
  assert.equal(after(...opened, event(2)).tape.at(-1).isAutomatic, false);
});

test("an answer of another player changes the live scene and not the past", () => {
  const state = after(...opened, event(2), { type: "scene", scene: { answered: 1 } });
  assert.deepEqual(shownScene(state), { at: 1 });
  assert.deepEqual(shownScene(reduce(state, { type: "advance" })), { answered: 1 });
});

test("the end of the game waits for no player", () => {
  const state = after(...opened, { type: "waiting", seats: [0], seconds: 60, watching: [0], clock_in: null }, request(7), over);
  assert.deepEqual([state.request, state.waiting, state.watching, isMyTurn(state)], [null, [], [], false]);
});

test("no player is waited for before the game", () => {
  const state = after(hello);
  assert.deepEqual([state.waiting, state.watching, isMyTurn(state)], [[], [], false]);
});

test("a request stays open while the game waits for another player, too", () => {
  const state = after(...opened, request(7), { type: "waiting", seats: [0, 1], seconds: 60, watching: [0], clock_in: 20 });
  assert.equal(shownRequest(state).id, 7);
});

test("a forfeit is no result, and closes my request", () => {
  const forfeit = { type: "thrown_out", reason: "late", message: "" };
  const state = after(...opened, request(7), forfeit);
  assert.deepEqual([state.thrownOut, shownResult(state), state.request], [forfeit, null, null]);
});

test("wishes for a rematch and the reply to my request for a seat are kept", () => {
  const rematch = { type: "rematch", seats: [0] };
  const seatRequest = { type: "seat_request", state: "open" };
  const state = after(...opened, over, rematch, seatRequest);
  assert.deepEqual([state.rematch, state.seatRequest, shownResult(state)], [rematch, seatRequest, over]);
});

test("only a final goodbye ends the table", () => {
  assert.equal(after(...opened, request(7), { type: "bye", reason: "a restart" }).request.id, 7);
  const state = after(...opened, request(7), { type: "bye", reason: "the end", final: true });
  assert.deepEqual([state.request, state.bye.reason], [null, "the end"]);
});

test("a spectator is never asked", () => {
  const state = after({ type: "hello", seat: null }, { ...game, seat: null }, event(1), { type: "waiting", seats: [0], seconds: 5, watching: [], clock_in: null });
  assert.equal(isMyTurn(state), false);
  assert.deepEqual([state.waiting, state.seconds], [[0], 5]);
});

const drafted = { type: "drafted", value: [1, 2] };

test("a draft belongs to the open request", () => {
  assert.deepEqual(openDraft(after(...opened, request(7), drafted)), [1, 2]);
  assert.equal(openDraft(after(...opened, drafted)), null);
  assert.equal(openDraft(after(...opened, request(7))), null);
});

test("a draft is restored after a reload if its request is still open", () => {
  const { draft } = after(...opened, request(7), drafted);
  const reloaded = (seat, id) => [{ ...hello, seat }, game, event(3), request(id)].reduce((state, action) => reduce(state, action), initialState({ draft }));
  assert.deepEqual(openDraft(reloaded(1, 7)), [1, 2]);
  assert.equal(reloaded(1, 8).draft, null);
  assert.equal(reloaded(0, 7).draft, null);
});

test("a draft survives a broken connection and a restart of the server", () => {
  const drawn = [...opened, request(7), drafted];
  assert.deepEqual(openDraft(after(...drawn, { ...hello, resumed: 1 }, game, request(7))), [1, 2]);
  assert.deepEqual(openDraft(after(...drawn, hello, game, event(1), request(7))), [1, 2]);
});

test("a draft waits for its request to be repeated after others' moves", () => {
  const watching = { type: "waiting", seats: [0, 1], seconds: null, watching: [0, 1], clock_in: 20 };
  const behind = after(...opened, request(7), { type: "drafted", value: "half" }, event(2), watching, { type: "advance" });
  assert.deepEqual([shownRequest(behind), openDraft(behind)], [null, null]);
  assert.equal(openDraft(reduce(behind, request(7))), "half");
});

test("a draft comes back with its refused answer, and is dropped with the next request", () => {
  const refused = after(...opened, request(7), drafted, { type: "answered" }, { type: "refused", rule: "food", message: "" });
  assert.deepEqual(openDraft(refused), [1, 2]);
  assert.equal(reduce(refused, request(8)).draft, null);
});

test("the end of the game and a forfeit drop the draft", () => {
  assert.equal(after(...opened, request(7), drafted, over).draft, null);
  assert.equal(after(...opened, request(7), drafted, { type: "thrown_out", reason: "left", message: "" }).draft, null);
});

const seats = [{ seat: 0, out: null }, { seat: 1, out: null }];
const table = (state, fields = {}) => ({ type: "table", table: { state, seats, ...fields } });

test("leaving costs the seat before the game, and the game while it is played", () => {
  assert.equal(costOfLeaving(after(hello, table("waiting"))), "seat");
  assert.equal(costOfLeaving(after(...opened, table("playing"))), "game");
});

test("leaving costs nothing without a seat, after a forfeit, and when the game is over", () => {
  assert.equal(costOfLeaving(after(hello)), null);
  assert.equal(costOfLeaving(after({ ...hello, seat: null }, table("playing"))), null);
  assert.equal(costOfLeaving(after(...opened, table("playing", { seats: [seats[0], { seat: 1, out: "left the table" }] }))), null);
  assert.equal(costOfLeaving(after(...opened, table("playing"), over)), null);
  assert.equal(costOfLeaving(after(...opened, table("over"))), null);
  assert.equal(costOfLeaving(after(...opened, table("playing"), { type: "bye", reason: "", final: true })), null);
});

test("muted emotes are not shown", () => {
  const emote = { type: "emote", seat: 0, emote: "wow" };
  assert.equal(after(...opened, emote).emote, emote);
  assert.equal(after(...opened, { type: "mute", isMuted: true }, emote).emote, null);
  assert.equal(after(...opened, { type: "mute", isMuted: true }, { type: "mute", isMuted: false }, emote).emote, emote);
  assert.equal(reduce(initialState({ isMuted: true }), emote).emote, null);
});

const watching = { type: "waiting", seats: [1], seconds: null, watching: [1], clock_in: 20 };
const reported = (number) => ({ type: "reported", number });

test("the page reports what I have seen once it has shown all moves and the game waits for me", () => {
  assert.equal(seenToReport(after(...opened, event(2))), null);
  const behind = after(...opened, event(2), watching);
  assert.equal(seenToReport(behind), null);
  const live = reduce(behind, { type: "advance" });
  assert.equal(seenToReport(live), 2);
  assert.equal(seenToReport(reduce(live, reported(2))), null);
  assert.equal(seenToReport(reduce(reduce(live, reported(2)), { type: "back" })), null);
  assert.deepEqual([live.clockIn, live.seconds, isMyTurn(live)], [20, null, true]);
  assert.equal(seenToReport(after(hello, game, watching)), 0, "there is no move yet");
});

test("the page reports again on a new connection, and after more moves", () => {
  const done = after(...opened, watching, reported(1));
  assert.equal(seenToReport(done), null);
  assert.equal(seenToReport([{ ...hello, resumed: 1 }, watching].reduce((state, action) => reduce(state, action), done)), 1);
  assert.equal(seenToReport([event(2), watching, { type: "live" }].reduce((state, action) => reduce(state, action), done)), 2);
});

test("nothing is reported for others, and a spectator has no clock", () => {
  assert.equal(seenToReport(after(...opened, { ...watching, seats: [0], watching: [0] })), null);
  assert.equal(seenToReport(after({ type: "hello", seat: null }, { ...game, seat: null }, event(1), watching)), null);
  assert.equal(seenToReport(after(...opened, watching, over)), null);
});

test("the host can give me another seat before the game", () => {
  assert.equal(after(hello, table("waiting"), { type: "seat", seat: 0 }).seat, 0);
});
