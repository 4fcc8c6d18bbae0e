// @ts-check
/**
 * The page of one table. Messages and the user's actions change the state (`table-state.js`); this module draws it,
 * plays the events at the user's pace, and sends the answers. Everything specific to a game is in the view and the
 * guide that the game supplies.
 */

import { UserFacingError, forgetSeat, idInAddress, post, saveSeatToken, saveSecrets, seatToken } from "./api.js";
import { createClock } from "./clock.js";
import { createAgreement } from "./coach-agreement.js";
import { byId, h, prefersReducedMotion, setText } from "./dom.js";
import { loadDraft, saveDraft } from "./drafts.js";
import { createEmotes, emoteText } from "./emotes.js";
import { gameText, loadGame, loadText } from "./games.js";
import { createHeader } from "./header.js";
import { beatenIn, saveBeaten } from "./ladder.js";
import { createLeaving } from "./leaving.js";
import { createLog } from "./log.js";
import { createPlayback } from "./playback.js";
import { createAbsenceCountdown } from "./player-status.js";
import { loadPreference, savePreference } from "./preferences.js";
import { offerRematch, openResult, openThrownOut } from "./result-dialog.js";
import { rulesLines } from "./rules-text.js";
import { askingName, createSeatRequests, isInvitationOpen, showUsedInvitation, startAsking, stopAsking as stopAskingForSeat } from "./seat-request.js";
import { languageButton, languageChoice } from "./site-header.js";
import { connect } from "./socket.js";
import { createSound } from "./sound.js";
import { SPEEDS, currentStep, initialState, isLive, isMyTurn, isPlaying, isWatching, openDraft, reduce, seenToReport, showFor, shownRequest, shownResult, shownScene } from "./table-state.js";
import { language, t } from "./text.js";
import { applySavedTheme } from "./theme.js";

/** @typedef {import("./table-state.js").TableState} TableState */
/** @typedef {import("./table-state.js").UserAction} UserAction */
/** @typedef {import("./types.js").BoardView} BoardView */
/** @typedef {import("./types.js").ConsultMessage} ConsultMessage */
/** @typedef {import("./types.js").GameMessage} GameMessage */
/** @typedef {import("./types.js").Guide} Guide */
/** @typedef {import("./types.js").PageMessage} PageMessage */
/** @typedef {import("./types.js").RequestMessage} RequestMessage */
/** @typedef {import("./types.js").ServerMessage} ServerMessage */

const SPEED_PREFERENCE = "speed";
const MUTE_PREFERENCE = "mute-emotes";

applySavedTheme();
const id = idInAddress();
const main = byId("table");
const hint = byId("hint");
const announcer = byId("announcer");
const header = createHeader();
const log = createLog();
const clock = createClock((text) => setText(announcer, text));
const sound = createSound();
const playback = createPlayback(dispatch);
const askToLeave = createLeaving(() => state, leave);
const emotes = createEmotes(main, (emote) => send({ type: "emote", emote }), dispatch);
const seatRequests = createSeatRequests((name) => {
  startAsking(id, name);
  askForSeat();
});
const agreement = createAgreement((coach) => send({ type: "agree", coach }));
/** The choice of a language before the game. During the game, the dialog with the rules has it. */
const languageTool = languageButton();
const absenceCountdown = createAbsenceCountdown((seats) => view?.updateSeats(seats, shownWaiting()));

let state = initialState({ speed: loadPreference(SPEED_PREFERENCE), isStill: prefersReducedMotion(), draft: loadDraft(id), isMuted: loadPreference(MUTE_PREFERENCE) === "yes" });
/** The room, if the game had not begun when the page was opened. @type {ReturnType<typeof import("./room.js").createRoom> | null} */
let room = null;
/** The coach, if the game has one for me. @type {ReturnType<typeof import("./coach.js").createCoach> | null} */
let coach = null;
/** @type {BoardView | null} */
let view = null;
/** @type {Guide | null} */
let guide = null;
/** The request that the view shows. @type {RequestMessage | null} */
let asked = null;
/** The view's hint for that request. */
let prompt = "";
/** The number of the last event in the log. */
let logged = 0;
/** The scene that the view has drawn. */
let drawn = /** @type {any} */ (null);
/** When the last message of each type with a time limit arrived, by the page's clock. */
const arrived = { request: 0, waiting: 0 };
/** The result that was shown. @type {import("./types.js").OverMessage | null} */
let finished = null;
/** Whether playback is showing events one after the other. */
let isRunning = false;
/** Waits for the next event, each with the function that ends it. @type {Set<() => void>} */
const pauses = new Set();
/** Messages are handled in order, also while a game's files are loaded. */
let handled = Promise.resolve();

const invitation = new URLSearchParams(location.hash.slice(1)).get("invite");
const token = seatToken(id);
const socket = invitation && !token ? null : connect(`/api/tables/${id}/socket`, { token, onMessage, onStatus: showConnection });
languageTool.hidden = true;
byId("help-button").before(languageTool);
if (!socket && invitation) openInvitation(invitation);

/** @param {string} secret */
async function openInvitation(secret) {
  languageTool.hidden = false;
  if (await isInvitationOpen(id, secret)) {
    setText(hint, t("table.invited"));
    await (await import("./waiting.js")).showInvitation(main, id, secret);
  } else {
    setText(hint, t("invitation.used"));
    await showUsedInvitation(main, id);
  }
}

/** @param {ServerMessage | ConsultMessage} message */
function onMessage(message) {
  handled = handled.then(() => receive(message)).catch((error) => console.error(error));
}

/** @param {ServerMessage | ConsultMessage} message */
async function receive(message) {
  if (message.type === "event") message.text = inLanguage(message);
  if (!isForTable(message)) {
    if (coach?.receive(message)) return;
    if (asked && message.id === asked.id) view?.onReply(message);
    return;
  }
  if (message.type === "table") await Promise.all([loadText(message.table.game, message.table.text), loadRoom(message.table)]);
  if (message.type === "table") for (const { bot } of message.table.seats) if (bot) bot.text = gameText(message.table.game, `bot.${bot.name}`) ?? bot.text;
  if (message.type === "game" && !(await openGame(message))) return;
  if (message.type === "seat_request") onSeatRequest(message);
  dispatch(message);
  if (message.type === "hello") askForSeat();
}

/** Loads the waiting room if a player waits there. @param {import("./types.js").TableInfo} table */
async function loadRoom(table) {
  if (table.state !== "waiting") return;
  languageTool.hidden = false;
  room ??= (await import("./room.js")).createRoom(main);
}

/** Asks for a seat, also after a reload or a lost connection. */
function askForSeat() {
  const name = askingName(id);
  if (name && !token) send({ type: "ask_seat", name });
}

/** @param {import("./types.js").SeatRequestMessage} message */
function onSeatRequest({ state: answer, token: seat }) {
  if (answer !== "waiting") stopAskingForSeat(id);
  if (!seat) return;
  saveSeatToken(id, seat);
  location.reload();
}

const TABLE_MESSAGES = ["hello", "table", "seat", "game", "event", "scene", "request", "waiting", "refused", "thrown_out", "over", "rematch", "emote", "seat_request", "bye"];

/**
 * Returns whether a message is for the table; any other is a game's reply to its view.
 * @param {ServerMessage | ConsultMessage} message
 * @returns {message is ServerMessage}
 */
function isForTable(message) {
  return TABLE_MESSAGES.includes(message.type);
}

/** Loads the game's files and creates its view, once. @param {GameMessage} message @returns {Promise<boolean>} whether it can be shown */
async function openGame(message) {
  if (!view) {
    try {
      const hasCoach = message.seat !== null && state.table?.coach;
      const [loaded, coaching] = await Promise.all([loadGame(message.page), hasCoach ? import("./coach.js") : null]);
      ({ guide } = loaded);
      for (const name of ["log-button", "help-button"]) byId(name).hidden = false;
      languageTool.hidden = true;
      room?.close();
      main.replaceChildren();
      const { names, seat, rules, texts } = message;
      coach = coaching?.createCoach({ send: (reply) => socket?.send(reply) ?? false, announce: (text) => setText(announcer, text), progress: () => view?.progress?.() ?? null }) ?? null;
      coach?.start(loaded.coach, names, seat);
      view = loaded.createBoardView(main, { names, seat, rules, texts, interactive: seat !== null });
    } catch (error) {
      if (!(error instanceof UserFacingError)) throw error;
      socket?.close();
      dispatch({ type: "bye", reason: error.message, final: true });
      return false;
    }
  }
  if (state.game && state.isResumed) return true;
  log.clear();
  logged = 0;
  for (const entry of message.log ?? []) log.add(inLanguage(entry), null, guide?.heading);
  return true;
}

/** Returns the sentences of an event in the language of the page. @param {any} event @returns {string[]} */
const inLanguage = ({ text, translations }) => translations?.[language] ?? text;

/** @param {ServerMessage | UserAction} action */
function dispatch(action) {
  const before = state;
  state = reduce(state, action, readingOf(action));
  if (state === before) return;
  if (state.draft !== before.draft) saveDraft(id, state.draft);
  if (action.type === "speed") savePreference(SPEED_PREFERENCE, action.speed);
  if (action.type === "mute") savePreference(MUTE_PREFERENCE, action.isMuted ? "yes" : "no");
  if (action.type === "request" || action.type === "waiting") arrived[action.type] = performance.now();
  if (["live", "back", "pause", "resume", "speed"].includes(action.type)) endPauses();
  draw(before);
  play();
}

/** @param {ServerMessage | UserAction} action @returns {import("./table-state.js").Reading} */
function readingOf(action) {
  const seat = state.game?.seat ?? null;
  if (seat === null || !guide) return {};
  const showsMyAnswer = "scene" in action && (guide.hasAnswered?.(action.scene, seat) ?? false);
  const isMyChoice = action.type === "event" && action.event.seat === seat && (guide.isChoice?.(action.event) ?? false);
  return { showsMyAnswer, isMyChoice };
}

/* ---- playback ---- */

/** Shows event after event until the page is live or paused. */
async function play() {
  if (isRunning || !view || document.hidden || !isPlaying(state)) return;
  isRunning = true;
  while (isPlaying(state) && !document.hidden) {
    dispatch({ type: "advance" });
    const shown = drawScene(true);
    if (state.speed === "quick") pauseFor(SPEEDS.quick).then(() => view?.skip());
    await Promise.all([shown, pauseFor(showFor(state))]);
  }
  isRunning = false;
  draw(state);
}

/** Waits until the time is over or the user does something. @param {number} ms */
function pauseFor(ms) {
  return new Promise((/** @type {(value?: unknown) => void} */ resolve) => {
    const end = () => {
      clearTimeout(timer);
      pauses.delete(end);
      resolve();
    };
    const timer = setTimeout(end, ms);
    pauses.add(end);
  });
}

/** Ends what the page is showing, because the user has changed the playback. */
function endPauses() {
  view?.skip();
  for (const end of [...pauses]) end();
}

/** Draws the scene at the position. @param {boolean} animate */
async function drawScene(animate) {
  const scene = shownScene(state);
  if (!view || scene === null || scene === drawn) return;
  const event = scene === currentStep(state)?.scene ? currentStep(state)?.event : null;
  drawn = scene;
  try {
    await view.show(scene, event, { animate: animate && !document.hidden, isPast: !isRunning && !isLive(state) });
  } catch (error) {
    // A drawing error must not stop the game, because the next scene is complete again.
    console.error(error);
  }
}

/* ---- drawing the state ---- */

/** Draws what has changed. @param {TableState} before */
function draw(before) {
  const { table, game, bye } = state;
  if (table && table !== before.table) absenceCountdown.start(table.seats);
  if (state.thrownOut && state.thrownOut !== before.thrownOut) openThrownOut(state.thrownOut, () => location.assign("/"));
  if (!game || !view || !guide) {
    if (bye) {
      import("./waiting.js").then(({ showClosed }) => showClosed(main, bye, token ? id : null));
      setText(hint, bye.reason);
    } else if (table) drawRoom(table);
    return;
  }
  if (!isRunning) {
    const isNext = state.position === before.position + 1 && before.position > 0;
    const isAnswer = state.position === before.position && isLive(state);
    drawScene(isNext || isAnswer);
    drawRequest();
  }
  drawLog();
  const scene = shownScene(state);
  if (scene) header.show(guide, scene, game.seat === null);
  if (table) view.updateSeats(table.seats, shownWaiting());
  playback.show(state);
  drawEmotes(before);
  if (table) coach?.update(table);
  drawTurn(before);
  drawClock(before);
  drawResult(before);
  drawHint();
  reportSeen();
}

/** @param {import("./types.js").TableInfo} table */
function drawRoom(table) {
  setTitle(table.title);
  const isFree = table.seats.some(({ kind, taken }) => kind === "person" && !taken);
  const canSit = token === null && isFree && table.public;
  room?.show(table, { isSeated: token !== null, mySeat: state.seat, leave: () => askToLeave(), canSit });
  seatRequests.show(main, table, token === null && !canSit, state.seatRequest);
  agreement.show(main, table, state.seat);
  setText(hint, table.state === "waiting" ? t("table.waiting") : t("table.starting"));
}

/** Adds the events that have been shown to the log. */
function drawLog() {
  for (const step of state.tape.slice(0, state.position)) {
    if (step.number <= logged) continue;
    logged = step.number;
    log.add(step.text, guide?.icon(step.event) ?? null, guide?.heading);
  }
}

/** @param {TableState} before */
function drawEmotes(before) {
  const { emote, game } = state;
  emotes.update(state);
  if (!emote || emote === before.emote || !game) return;
  emotes.show(emote.seat, emote.emote, view?.seatElement?.(emote.seat) ?? null);
  log.add([`${game.names[emote.seat]}: ${emoteText(emote.emote)}`], "call");
}

/** Returns whom the game waits for, if the user has seen what led to it. */
const shownWaiting = () => (isLive(state) && !isRunning ? state.waiting : []);

/** Asks the open request once the user has seen what led to it, and puts it away while the user looks back. */
function drawRequest() {
  const request = shownRequest(state);
  const was = asked;
  asked = request;
  if (request && request.id === was?.id) {
    if (request !== was) clock.start(request.seconds, true, arrived.request);
    return;
  }
  if (was) stopAsking();
  if (request) ask(request);
}

/** @param {RequestMessage} request */
function ask(request) {
  clock.start(request.seconds, true, arrived.request);
  drawn = request.scene;
  const sendAnswer = (/** @type {any} */ answer) => {
    if (!send({ type: "answer", id: request.id, answer })) return false;
    dispatch({ type: "answered" });
    return true;
  };
  view?.ask(request, {
    answer: (answer) => !coach?.hold(answer) && sendAnswer(answer),
    consult: (message) => noteUnsent(socket?.consult({ ...message, id: request.id })),
    hint: (text) => setText(hint, (prompt = text)),
    draft: openDraft(state),
    saveDraft: (value) => dispatch({ type: "drafted", value }),
  });
  setText(announcer, t("table.yourTurnTo", { task: guide?.asks[request.request] ?? request.request }));
  document.body.classList.add("my-turn");
  coach?.ask(request, sendAnswer);
}

function stopAsking() {
  coach?.stop();
  clock.stop();
  setText(announcer, "");
  document.body.classList.remove("my-turn");
  view?.stopAsking();
}

/** Shows how long the others have, or when the clock starts for the players who are still watching the moves. @param {TableState} before */
function drawClock(before) {
  if (asked || (state.waiting === before.waiting && isLive(state) === isLive(before))) return;
  if (isWatching(state) || (isLive(state) && state.watching.length > 0)) clock.startSoon(state.clockIn, arrived.waiting);
  else if (isLive(state)) clock.start(state.seconds, false, arrived.waiting);
}

/** Lets the server start my clock once the page has shown all moves. */
function reportSeen() {
  const number = isRunning ? null : seenToReport(state);
  if (number !== null && socket?.send({ type: "seen", number })) dispatch({ type: "reported", number });
}

/** Signals by sound and title that the game waits for the user. @param {TableState} before */
function drawTurn(before) {
  const isMine = isMyTurn(state);
  if (isMine && !isMyTurn(before)) sound.play();
  if (isMine !== isMyTurn(before)) setTitle(state.table?.title ?? t("table.title"), isMine);
  if (state.refusal && state.refusal !== before.refusal) view?.onReply(state.refusal);
}

/** Shows the result once the user has seen the game to its end. @param {TableState} before */
function drawResult(before) {
  const over = isRunning ? null : shownResult(state);
  if (over && over !== finished) {
    finished = over;
    coach?.end();
    clock.stop();
    view?.showResult(over.standings);
    const seat = state.game?.seat ?? null;
    if (seat !== null && state.table && !state.table.first_game) saveBeaten(state.table.game, beatenIn(state.table.seats, over.standings, seat));
    const rules = state.table ? rulesLines(state.table.game, state.table.chosen) : [];
    const tournament = state.table?.tournament ?? null;
    openResult(over, seat, guide?.parts ?? {}, rules, state.table?.seats ?? [], token && seat !== null && !tournament ? requestRematch : null, byId("result-button"), tournament);
    if (over.game_id && state.game) showReview(over.game_id, state.table?.game ?? "", state.game.names, seat);
  }
  if (over && state.rematch && (state.rematch !== before.rematch || !shownResult(before))) offerRematch(state.rematch, requestRematch);
}

/** Adds the review of the game to the result. @param {string} game @param {string} kind @param {string[]} names @param {number | null} seat */
async function showReview(game, kind, names, seat) {
  const jump = (/** @type {number} */ frame, /** @type {number} */ of) => location.assign(`/replay/${game}#frame=${frame}&eyes=${of}`);
  const [{ createReviewSection }, { isCoachOn }] = await Promise.all([import("./review-section.js"), import("./coach.js")]);
  const section = createReviewSection({ game, kind, names, seat, startsAtOnce: isCoachOn() && seat !== null, jump });
  byId("result").querySelector(".inside")?.append(section);
}

function drawHint() {
  const { game, table, bye } = state;
  const step = currentStep(state);
  if (bye) return setText(hint, bye.reason);
  if (finished && isLive(state)) return setText(hint, t("table.over"));
  if (asked) return setText(hint, prompt);
  if (game && guide && isLive(state) && !isRunning && state.scene && state.waiting.length) {
    // A player who has left gets a spectator's hint.
    const isOut = game.seat !== null && table?.seats[game.seat]?.out;
    return setText(hint, guide.hint(state.scene, game.names, isOut ? null : game.seat, state.waiting));
  }
  if (step?.text.length) setText(hint, step.isAutomatic ? t("table.onlyOption", { text: step.text.at(-1) ?? "" }) : (step.text.at(-1) ?? ""));
}

/** @param {string} title @param {boolean} [isMyTurn] */
function setTitle(title, isMyTurn = false) {
  setText(byId("title"), title);
  document.title = isMyTurn ? t("table.yourTurnTitle", { title }) : t("page.titled", { title });
}

/* ---- what the user does ---- */

/** @param {PageMessage} message @returns {boolean} whether it was sent */
function send(message) {
  return noteUnsent(socket?.send(message));
}

/** Shows why a message was not sent. @param {boolean} [isSent] @returns {boolean} whether it was sent */
function noteUnsent(isSent = false) {
  if (!isSent) setText(hint, t("table.notConnected"));
  return isSent;
}

/** @param {boolean} isOpen */
function showConnection(isOpen) {
  const overlay = document.getElementById("overlay");
  if (isOpen) return overlay?.remove();
  view?.onDisconnect();
  if (overlay) return;
  const notice = h("p", { class: "paper", role: "alert" }, t("table.connectionLost"));
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

/** @param {string} destination @param {boolean} givesUp whether I give up my seat; otherwise it is reserved for me */
function leave(destination, givesUp) {
  if (givesUp) {
    socket?.send({ type: "leave" });
    // Before the game the seat becomes free. During the game the token still lets me watch from my seat.
    if (!state.game) forgetSeat(id);
  }
  socket?.close();
  location.assign(destination);
}

async function help() {
  const { game, table, seat } = state;
  if (!game || !guide) return;
  const [{ openHelp }, { removalSection }, { picturesButtons }] = await Promise.all([import("./help.js"), import("./moderation.js"), import("./pictures.js")]);
  const own = token ? [sound.createButton(), h("button", { class: "btn ghost", type: "button", onclick: () => askToLeave() }, t("table.leave"))] : [];
  const actions = [...picturesButtons(game.page.pictures), ...(coach?.createButtons() ?? []), languageChoice(), ...own];
  openHelp(guide, { ...game, nonce: finished?.nonce }, table ? rulesLines(table.game, table.chosen) : [], actions, table && table.state === "playing" ? removalSection(id, table.seats, seat) : null);
}

// The room shows the new link or code of the seat.
document.addEventListener("removed", () => !state.game && room?.redraw());
document.addEventListener("visibilitychange", play);
byId("help-button").addEventListener("click", help);
addEventListener("keydown", (event) => {
  const target = /** @type {HTMLElement} */ (event.target);
  if (event.ctrlKey || event.metaKey || event.altKey || target.closest("input, textarea, select, dialog")) return;
  const isPressed = target.closest("button, summary, a") !== null && (event.key === " " || event.key === "Enter");
  if (event.key === "?") help();
  else if (event.key.toLowerCase() === "l" && state.game) log.toggle();
  else if (coach?.handleKey(event.key)) event.preventDefault();
  else if (isPressed || !playback.handleKey(event.key)) {
    // Shortcuts must not reach what the overlay covers.
    if (document.getElementById("overlay")) {
      if (event.key === "Tab" || !main.contains(target)) return;
    } else if (!view?.handleKey(event)) return;
  }
  event.preventDefault();
});
