// @ts-check
/**
 * The page of one table. It takes what the server says in order, lets the game's view draw and play it, and brings
 * back my answers. Everything about a particular game is in the view and guide that the game brings along.
 */

import { Problem, forgetSeat, keepInvitations, keepSeatToken, post, seatToken } from "./api.js";
import { createClock } from "./clock.js";
import { byId, h, setText } from "./dom.js";
import { loadGame } from "./games.js";
import { createHeader } from "./header.js";
import { openHelp } from "./help.js";
import { createLog } from "./log.js";
import { createPatience } from "./player-status.js";
import { offerRematch, openResult, openThrownOut } from "./result-dialog.js";
import { connect } from "./socket.js";
import { createSound } from "./sound.js";
import { followTheme } from "./theme.js";
import { showFarewell, showInvitation, showWaiting } from "./waiting.js";

/** @typedef {import("./types.js").BoardView} BoardView */
/** @typedef {import("./types.js").ByeMessage} ByeMessage */
/** @typedef {import("./types.js").EventMessage} EventMessage */
/** @typedef {import("./types.js").GameEvent} GameEvent */
/** @typedef {import("./types.js").ConsultMessage} ConsultMessage */
/** @typedef {import("./types.js").GameMessage} GameMessage */
/** @typedef {import("./types.js").Guide} Guide */
/** @typedef {import("./types.js").OverMessage} OverMessage */
/** @typedef {import("./types.js").RequestMessage} RequestMessage */
/** @typedef {import("./types.js").ServerMessage} ServerMessage */
/** @typedef {import("./types.js").TableInfo} TableInfo */

/** A backlog longer than this is not played but jumped over: somebody has come back. */
const PLAYED_MOST = 40;

followTheme();
const id = decodeURIComponent(location.pathname.split("/")[2] ?? "");
const main = byId("table");
const hint = byId("hint");
const call = byId("call");
const skip = byId("skip");
const header = createHeader();
const log = createLog();
const clock = createClock((text) => setText(call, text));
const sound = createSound();
const patience = createPatience((seats) => view?.people(seats, waiting));

/** @type {TableInfo | null} */
let table = null;
/** @type {GameMessage | null} */
let game = null;
/** @type {BoardView | null} */
let view = null;
/** @type {Guide | null} */
let guide = null;
/** The open request. @type {RequestMessage | null} */
let asked = null;
/** The line that says what I am asked. */
let prompted = "";
/** The request answered last, in case the answer is refused. @type {RequestMessage | null} */
let answered = null;
/** Whether what I do next in the story was my own answer. */
let hasAnswered = false;
/** @type {number[]} */
let waiting = [];
/** The number of the last event that was shown. */
let seen = 0;
/** Whether the story goes on where the connection broke. */
let isResumed = false;
/** @type {ServerMessage[]} */
const queue = [];
let isPlaying = false;
let isHurrying = false;
let scene = /** @type {any} */ (null);

const invitation = new URLSearchParams(location.hash.slice(1)).get("invite");
const token = seatToken(id);
const wire = invitation && !token ? null : connect(`/api/tables/${id}/socket`, { token, hear, change: veil });
if (!wire) {
  setText(hint, "You are invited. Say your name and sit down.");
  showInvitation(main, id, invitation);
}

/** @param {ServerMessage | ConsultMessage} message */
function hear(message) {
  if (message.type === "table") meet(message.table);
  else if (isKnown(message)) {
    queue.push(message);
    play();
  } else if (asked && message.id === asked.id) view?.hear(message); // what I do does not wait for what is being played
}

const KNOWN = ["hello", "game", "event", "scene", "request", "waiting", "refused", "thrown_out", "over", "rematch", "bye"];

/** Whether it is for the table; any other message is a game's reply to its view. @param {ServerMessage | ConsultMessage} message @returns {message is ServerMessage} */
function isKnown(message) {
  return KNOWN.includes(message.type);
}

async function play() {
  if (isPlaying) return;
  isPlaying = true;
  for (let message = queue.shift(); message; message = queue.shift()) {
    skip.hidden = isHurrying || queue.length < 2;
    try {
      await take(message);
    } catch (failure) {
      // One thing that cannot be drawn must not stop the game: the next scene is whole again.
      console.error(failure);
    }
  }
  isPlaying = isHurrying = false;
  skip.hidden = true;
}

/** @param {ServerMessage} message */
async function take(message) {
  switch (message.type) {
    case "hello":
      isResumed = message.resumed != null;
      return undefined;
    case "game":
      return sitAt(message);
    case "event":
      return happen(message);
    case "scene":
      look(message.scene);
      await view?.show(scene, null, { animate: isLive() });
      return refresh();
    case "request":
      return ask(message);
    case "waiting":
      waiting = message.seats;
      if (!asked) clock.start(message.seconds, false);
      return refresh();
    case "refused":
      if (!asked && answered) ask(answered);
      return view?.hear(message);
    case "thrown_out":
      letGo();
      return openThrownOut(message, () => location.assign("/"));
    case "over":
      return finish(message);
    case "rematch":
      return offerRematch(message, requestRematch);
    case "bye":
      return part(message);
  }
}

/** @param {OverMessage} over */
function finish(over) {
  letGo();
  waiting = [];
  refresh();
  view?.end(over.standings);
  setText(hint, "The game is over.");
  const seat = game?.seat ?? null;
  openResult(over, seat, guide?.parts ?? {}, token && seat !== null ? requestRematch : null, byId("result-button"));
}

/** @param {ByeMessage} bye after any but a final one the wire comes back by itself */
function part(bye) {
  if (!bye.final) return;
  letGo();
  setText(hint, bye.reason);
  if (!view) showFarewell(main, bye, token ? id : null);
}

/** @param {TableInfo} news */
function meet(news) {
  table = news;
  if (!game) {
    rename(news.title);
    showWaiting(main, news, token !== null, leave);
    setText(hint, news.state === "waiting" ? "Waiting for everybody to sit down." : "The game starts.");
  } else refresh();
  patience.start(news.seats);
}

/** @param {GameMessage} message */
async function sitAt(message) {
  // After a broken connection the same game is told again: what I was doing survives.
  if (view && isResumed) return;
  log.clear();
  if (!view) {
    try {
      const loaded = await loadGame(message.page);
      ({ guide } = loaded);
      game = message;
      draw(message, loaded);
    } catch (failure) {
      if (!(failure instanceof Problem)) throw failure;
      wire?.close();
      queue.length = 0;
      return part({ type: "bye", reason: failure.message, final: true });
    }
  }
  for (const { text } of message.log ?? []) log.add(text, null, guide?.heading);
}

/** @param {GameMessage} message @param {import("./types.js").GameModule} loaded */
function draw(message, { createBoardView }) {
  for (const name of ["log-button", "help-button"]) byId(name).hidden = false;
  main.replaceChildren();
  const { names, seat, rules, texts } = message;
  view = createBoardView(main, { names, seat, rules, texts, interactive: seat !== null });
  refresh();
}

/** @param {any} next how the table is now */
function look(next) {
  scene = next;
  // Answered perhaps on another page, before this one was opened.
  if (game?.seat != null && guide?.hasAnswered?.(next, game.seat)) hasAnswered = true;
}

/** @param {EventMessage} message */
async function happen({ number, event, text, scene: next }) {
  const animate = number > seen && isLive();
  seen = number;
  look(next);
  log.add(text, guide?.icon(event) ?? null, guide?.heading);
  if (text.length && !asked) setText(hint, `${unasked(event) ? "Only one thing to do. " : ""}${text[text.length - 1]}`);
  if (guide) header.show(guide, next, game?.seat === null);
  await view?.show(next, event, { animate });
}

/** Whether what comes is played before somebody's eyes, and not jumped to. */
const isLive = () => seen > 0 && !isHurrying && !document.hidden && queue.length < PLAYED_MOST;

/** Whether the dealer did something for me because there was no other choice. @param {GameEvent} event */
function unasked(event) {
  if (game?.seat == null || event.seat !== game.seat || !guide?.isChoice?.(event)) return false;
  const wasAsked = hasAnswered;
  hasAnswered = false;
  return !wasAsked;
}

/** @param {RequestMessage} request */
function ask(request) {
  if (asked?.id === request.id) {
    clock.start(request.seconds, true);
    return setText(hint, prompted);
  }
  asked = request;
  look(request.scene);
  if (game?.seat != null && !waiting.includes(game.seat)) waiting = [...waiting, game.seat];
  refresh();
  clock.start(request.seconds, true);
  view?.ask(request, {
    answer(answer) {
      if (!say({ type: "answer", id: request.id, answer })) return false;
      answered = request;
      hasAnswered = true;
      letGo();
      return true;
    },
    consult: (message) => say({ ...message, id: request.id }),
    hint: (text) => setText(hint, (prompted = text)),
  });
  setText(call, `Your turn: ${guide?.asks[request.request] ?? request.request}.`);
  document.title = `Your turn · ${table?.title ?? "Watering Hole"}`;
  document.body.classList.add("my-turn");
  sound.ring();
}

/** @param {Record<string, any>} message @returns {boolean} whether it is on its way */
function say(message) {
  const isSent = wire?.send(message) ?? false;
  if (!isSent) setText(hint, "No connection yet.");
  return isSent;
}

function letGo() {
  if (!asked) return;
  asked = null;
  clock.stop();
  setText(call, "");
  rename(table?.title ?? "Table");
  document.body.classList.remove("my-turn");
  waiting = waiting.filter((seat) => seat !== game?.seat);
  view?.stopAsking();
  refresh();
}

/** Who sits, who is asked, what goes on: all that can change without an event. */
function refresh() {
  if (!game || !table || !guide) return;
  view?.people(table.seats, waiting);
  if (scene) header.show(guide, scene, game.seat === null);
  if (asked || !scene || !waiting.length) return;
  // Whoever has left looks on.
  const isOut = game.seat !== null && table.seats[game.seat]?.out;
  setText(hint, guide.hint(scene, game.names, isOut ? null : game.seat, waiting));
}

/** @param {string} title */
function rename(title) {
  setText(byId("title"), title);
  document.title = `${title} · Watering Hole`;
}

/** @param {boolean} isOpen */
function veil(isOpen) {
  const old = document.getElementById("veil");
  if (isOpen) return old?.remove();
  view?.lose();
  if (old) return;
  const said = h("p", { class: "paper", role: "alert" }, "Connection lost. Your seat is kept. Trying again…");
  main.append(h("div", { id: "veil", class: "veil" }, said));
}

async function requestRematch() {
  try {
    const next = await post(`/api/tables/${id}/rematch`, { token });
    if (next.token) keepSeatToken(next.table.id, next.token);
    if (next.invitations?.length) keepInvitations(next.table.id, next.invitations);
    location.assign(next.table.link);
  } catch (failure) {
    setText(hint, failure instanceof Error ? failure.message : String(failure));
  }
}

function hurry() {
  isHurrying = true;
  view?.skip();
}

function leave() {
  wire?.send({ type: "leave" });
  wire?.close();
  // Before the game the chair is free again; of a game that runs I may see more.
  if (!game) forgetSeat(id);
  location.assign("/");
}

function help() {
  if (!game || !guide) return;
  const actions = token ? [sound.button(), h("button", { class: "btn ghost", type: "button", onclick: leave }, "Leave the table")] : [];
  openHelp(guide, game.texts, game.rules, actions);
}

byId("help-button").addEventListener("click", help);
skip.addEventListener("click", hurry);
main.addEventListener("click", () => {
  if (isPlaying && !asked) hurry();
});
addEventListener("keydown", (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, textarea, select, dialog")) return;
  if (event.key === "?") help();
  else if (event.key.toLowerCase() === "l" && game) log.toggle();
  else if (event.key === " " && isPlaying && !asked) hurry();
  else if (document.getElementById("veil")) {
    // What the veil covers can be pressed no more by key than by hand.
    if (event.key === "Tab" || !main.contains(target)) return;
  } else if (!view?.press(event)) return;
  event.preventDefault();
});
