// @ts-check
/**
 * The page of one table. It handles the server's messages in order, passes scenes and events to the game's view, and
 * sends the user's answers. Everything specific to a game is in the view and the guide that the game supplies.
 */

import { UserFacingError, forgetSeat, post, saveSeatToken, saveSecrets, seatToken } from "./api.js";
import { createClock } from "./clock.js";
import { byId, h, setText } from "./dom.js";
import { loadGame } from "./games.js";
import { createHeader } from "./header.js";
import { openHelp } from "./help.js";
import { createLog } from "./log.js";
import { removalSection } from "./moderation.js";
import { createAbsenceCountdown } from "./player-status.js";
import { offerRematch, openResult, openThrownOut } from "./result-dialog.js";
import { connect } from "./socket.js";
import { createSound } from "./sound.js";
import { applySavedTheme } from "./theme.js";
import { showClosed, showInvitation, showWaiting } from "./waiting.js";

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

/** A longer backlog is not animated, because the user has just reconnected. */
const MAX_ANIMATED = 40;

applySavedTheme();
const id = decodeURIComponent(location.pathname.split("/")[2] ?? "");
const main = byId("table");
const hint = byId("hint");
const announcer = byId("announcer");
const skipButton = byId("skip");
const header = createHeader();
const log = createLog();
const clock = createClock((text) => setText(announcer, text));
const sound = createSound();
const absenceCountdown = createAbsenceCountdown((seats) => view?.updateSeats(seats, waiting));

/** @type {TableInfo | null} */
let table = null;
/** @type {GameMessage | null} */
let game = null;
/** @type {BoardView | null} */
let view = null;
/** @type {Guide | null} */
let guide = null;
/** The open request. @type {RequestMessage | null} */
let openRequest = null;
/** The hint for the open request. */
let prompt = "";
/** The request answered last, in case the answer is refused. @type {RequestMessage | null} */
let lastRequest = null;
/** Whether my next action in the events is an answer of mine, not an automatic one. */
let hasAnswered = false;
/** @type {number[]} */
let waiting = [];
/** The number of the last event shown. */
let lastEventNumber = 0;
/** Whether the events continue where the connection broke. */
let isResumed = false;
/** My seat, or null for a spectator. @type {number | null} */
let mySeat = null;
/** @type {ServerMessage[]} */
const queue = [];
let isPlaying = false;
let isSkipping = false;
let scene = /** @type {any} */ (null);

const invitation = new URLSearchParams(location.hash.slice(1)).get("invite");
const token = seatToken(id);
const socket = invitation && !token ? null : connect(`/api/tables/${id}/socket`, { token, onMessage, onStatus: showConnection });
if (!socket) {
  setText(hint, "You’re invited. Enter your name and sit down.");
  showInvitation(main, id, invitation);
}

/** @param {ServerMessage | ConsultMessage} message */
function onMessage(message) {
  if (message.type === "table") updateTable(message.table);
  else if (isForTable(message)) {
    queue.push(message);
    playQueue();
  } else if (openRequest && message.id === openRequest.id) view?.onReply(message); // Replies do not wait for animations.
}

const TABLE_MESSAGES = ["hello", "game", "event", "scene", "request", "waiting", "refused", "thrown_out", "over", "rematch", "bye"];

/**
 * Returns whether a message is for the table; any other is a game's reply to its view.
 * @param {ServerMessage | ConsultMessage} message
 * @returns {message is ServerMessage}
 */
function isForTable(message) {
  return TABLE_MESSAGES.includes(message.type);
}

async function playQueue() {
  if (isPlaying) return;
  isPlaying = true;
  for (let message = queue.shift(); message; message = queue.shift()) {
    skipButton.hidden = isSkipping || queue.length < 2;
    try {
      await handle(message);
    } catch (error) {
      // A drawing error must not stop the game, because the next scene is complete again.
      console.error(error);
    }
  }
  isPlaying = isSkipping = false;
  skipButton.hidden = true;
}

/** @param {ServerMessage} message */
async function handle(message) {
  switch (message.type) {
    case "hello":
      isResumed = message.resumed != null;
      mySeat = message.seat ?? null;
      return undefined;
    case "game":
      return startGame(message);
    case "event":
      return playEvent(message);
    case "scene":
      updateScene(message.scene);
      await view?.show(scene, null, { animate: isLive() });
      return refresh();
    case "request":
      return ask(message);
    case "waiting":
      waiting = message.seats;
      if (!openRequest) clock.start(message.seconds, false);
      return refresh();
    case "refused":
      if (!openRequest && lastRequest) ask(lastRequest);
      return view?.onReply(message);
    case "thrown_out":
      clearRequest();
      return openThrownOut(message, () => location.assign("/"));
    case "over":
      return finish(message);
    case "rematch":
      return offerRematch(message, requestRematch);
    case "bye":
      return handleBye(message);
  }
}

/** @param {OverMessage} over */
function finish(over) {
  clearRequest();
  if (game) game.nonce = over.nonce;
  waiting = [];
  refresh();
  view?.showResult(over.standings);
  setText(hint, "The game is over.");
  const seat = game?.seat ?? null;
  openResult(over, seat, guide?.parts ?? {}, token && seat !== null ? requestRematch : null, byId("result-button"));
}

/** @param {ByeMessage} bye the socket reconnects by itself unless it is final */
function handleBye(bye) {
  if (!bye.final) return;
  clearRequest();
  setText(hint, bye.reason);
  if (!view) showClosed(main, bye, token ? id : null);
}

/** @param {TableInfo} info */
function updateTable(info) {
  table = info;
  if (!game) {
    setTitle(info.title);
    showWaiting(main, info, token !== null, mySeat, leave);
    setText(hint, info.state === "waiting" ? "Waiting for all players to take their seats." : "The game is starting.");
  } else refresh();
  absenceCountdown.start(info.seats);
}

/** @param {GameMessage} message */
async function startGame(message) {
  // After a reconnection the server sends the same game again; the view keeps unsent input.
  if (view && isResumed) return;
  log.clear();
  if (!view) {
    try {
      const loaded = await loadGame(message.page);
      ({ guide } = loaded);
      game = message;
      draw(message, loaded);
    } catch (error) {
      if (!(error instanceof UserFacingError)) throw error;
      socket?.close();
      queue.length = 0;
      return handleBye({ type: "bye", reason: error.message, final: true });
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

/** @param {any} next */
function updateScene(next) {
  scene = next;
  // The answer may have been given on another page before this one was opened.
  if (game?.seat != null && guide?.hasAnswered?.(next, game.seat)) hasAnswered = true;
}

/** @param {EventMessage} message */
async function playEvent({ number, event, text, scene: next }) {
  const animate = number > lastEventNumber && isLive();
  lastEventNumber = number;
  updateScene(next);
  log.add(text, guide?.icon(event) ?? null, guide?.heading);
  if (text.length && !openRequest) setText(hint, `${wasAutomatic(event) ? "Only one option. " : ""}${text[text.length - 1]}`);
  if (guide) header.show(guide, next, game?.seat === null);
  await view?.show(next, event, { animate });
}

/** Returns whether to animate the next event. */
const isLive = () => lastEventNumber > 0 && !isSkipping && !document.hidden && queue.length < MAX_ANIMATED;

/** Returns whether the referee answered for me because there was only one option. @param {GameEvent} event */
function wasAutomatic(event) {
  if (game?.seat == null || event.seat !== game.seat || !guide?.isChoice?.(event)) return false;
  const wasAsked = hasAnswered;
  hasAnswered = false;
  return !wasAsked;
}

/** @param {RequestMessage} request */
function ask(request) {
  if (openRequest?.id === request.id) {
    clock.start(request.seconds, true);
    return setText(hint, prompt);
  }
  openRequest = request;
  updateScene(request.scene);
  if (game?.seat != null && !waiting.includes(game.seat)) waiting = [...waiting, game.seat];
  refresh();
  clock.start(request.seconds, true);
  view?.ask(request, {
    answer(answer) {
      if (!send({ type: "answer", id: request.id, answer })) return false;
      lastRequest = request;
      hasAnswered = true;
      clearRequest();
      return true;
    },
    consult: (message) => send({ ...message, id: request.id }),
    hint: (text) => setText(hint, (prompt = text)),
  });
  setText(announcer, `Your turn: ${guide?.asks[request.request] ?? request.request}.`);
  document.title = `Your turn · ${table?.title ?? "Watering Hole"}`;
  document.body.classList.add("my-turn");
  sound.play();
}

/** @param {Record<string, any>} message @returns {boolean} whether it was sent */
function send(message) {
  const isSent = socket?.send(message) ?? false;
  if (!isSent) setText(hint, "Not connected yet.");
  return isSent;
}

function clearRequest() {
  if (!openRequest) return;
  openRequest = null;
  clock.stop();
  setText(announcer, "");
  setTitle(table?.title ?? "Table");
  document.body.classList.remove("my-turn");
  waiting = waiting.filter((seat) => seat !== game?.seat);
  view?.stopAsking();
  refresh();
}

/** Redraws everything that can change without an event: the seats, the header and the hint. */
function refresh() {
  if (!game || !table || !guide) return;
  view?.updateSeats(table.seats, waiting);
  if (scene) header.show(guide, scene, game.seat === null);
  if (openRequest || !scene || !waiting.length) return;
  // A player who has left gets a spectator's hint.
  const isOut = game.seat !== null && table.seats[game.seat]?.out;
  setText(hint, guide.hint(scene, game.names, isOut ? null : game.seat, waiting));
}

/** @param {string} title */
function setTitle(title) {
  setText(byId("title"), title);
  document.title = `${title} · Watering Hole`;
}

/** @param {boolean} isOpen */
function showConnection(isOpen) {
  const overlay = document.getElementById("overlay");
  if (isOpen) return overlay?.remove();
  view?.onDisconnect();
  if (overlay) return;
  const notice = h("p", { class: "paper", role: "alert" }, "Connection lost. Your seat is reserved. Reconnecting…");
  main.append(h("div", { id: "overlay", class: "overlay" }, notice));
}

async function requestRematch() {
  try {
    const next = await post(`/api/tables/${id}/rematch`, { token });
    if (next.token) saveSeatToken(next.table.id, next.token);
    saveSecrets(next);
    location.assign(next.table.link);
  } catch (error) {
    setText(hint, error instanceof Error ? error.message : String(error));
  }
}

function skipAnimation() {
  isSkipping = true;
  view?.skip();
}

function leave() {
  socket?.send({ type: "leave" });
  socket?.close();
  // Before the game the seat becomes free. During the game the token still lets me watch from my seat.
  if (!game) forgetSeat(id);
  location.assign("/");
}

function help() {
  if (!game || !guide) return;
  const actions = token ? [sound.createButton(), h("button", { class: "btn ghost", type: "button", onclick: leave }, "Leave the table")] : [];
  openHelp(guide, game, actions, table && table.state === "playing" ? removalSection(id, table.seats, mySeat) : null);
}

// The room shows the new link or code of the seat.
document.addEventListener("removed", () => table && updateTable(table));
byId("help-button").addEventListener("click", help);
skipButton.addEventListener("click", skipAnimation);
main.addEventListener("click", () => {
  if (isPlaying && !openRequest) skipAnimation();
});
addEventListener("keydown", (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, textarea, select, dialog")) return;
  if (event.key === "?") help();
  else if (event.key.toLowerCase() === "l" && game) log.toggle();
  else if (event.key === " " && isPlaying && !openRequest) skipAnimation();
  else if (document.getElementById("overlay")) {
    // Shortcuts must not reach what the overlay covers.
    if (event.key === "Tab" || !main.contains(target)) return;
  } else if (!view?.handleKey(event)) return;
  event.preventDefault();
});
