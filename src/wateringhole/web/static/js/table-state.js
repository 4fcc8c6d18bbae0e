// @ts-check
/**
 * What a table page knows and shows, as one state. `reduce` is pure: it takes a message of the server or an action of
 * the user and returns the next state. Everything that the page draws follows from the state.
 *
 * Events wait on a tape. The page shows them one after the other at the user's own speed, so that none is skipped
 * without the user's wish. The position is the number of events shown; the game itself may be far ahead. What comes
 * after the events (a request, a result) is shown when the position has reached the end of the tape.
 */

/** @typedef {import("./types.js").ByeMessage} ByeMessage */
/** @typedef {import("./types.js").EmoteMessage} EmoteMessage */
/** @typedef {import("./types.js").EventMessage} EventMessage */
/** @typedef {import("./types.js").GameMessage} GameMessage */
/** @typedef {import("./types.js").OverMessage} OverMessage */
/** @typedef {import("./types.js").RefusedMessage} RefusedMessage */
/** @typedef {import("./types.js").RematchMessage} RematchMessage */
/** @typedef {import("./types.js").RequestMessage} RequestMessage */
/** @typedef {import("./types.js").SeatRequestMessage} SeatRequestMessage */
/** @typedef {import("./types.js").ServerMessage} ServerMessage */
/** @typedef {import("./types.js").TableInfo} TableInfo */
/** @typedef {import("./types.js").ThrownOutMessage} ThrownOutMessage */

/** @typedef {"calm" | "normal" | "quick"} Speed */

/** How long each event is shown, in milliseconds. @type {Record<Speed, number>} */
export const SPEEDS = { calm: 1600, normal: 800, quick: 300 };

/** @typedef {EventMessage & {isAutomatic: boolean}} Step an event; automatic if the referee answered for me, because I had one option */

/**
 * What the game's own module says about a message, because the state knows no game.
 * @typedef {object} Reading
 * @property {boolean} [isMyChoice] whether an event results from an answer of mine, or from my only option
 * @property {boolean} [showsMyAnswer] whether a scene shows an answer of mine that no event has shown yet
 */

/** @typedef {{seat: number | null, request: number, value: any}} SavedDraft the user's unfinished answer to one request */

/**
 * @typedef {{type: "answered"} | {type: "reported", number: number} | {type: "drafted", value: any} | {type: "advance"} | {type: "back"} | {type: "live"} | {type: "pause"} | {type: "resume"}
 *   | {type: "speed", speed: Speed} | {type: "mute", isMuted: boolean}} UserAction
 */

/**
 * @typedef {object} TableState
 * @property {TableInfo | null} table
 * @property {GameMessage | null} game
 * @property {number | null} seat mine, or null for a spectator
 * @property {boolean} isResumed whether the events continue where the connection broke
 * @property {Step[]} tape
 * @property {number} position the number of events shown
 * @property {number} myMove the length of the tape when I answered last
 * @property {any} scene the scene at the end of the tape, with the answers given since
 * @property {number[]} waiting the seats whom the game waits for
 * @property {number | null} seconds their time
 * @property {number[]} watching those of them whose clocks do not run yet, because they have not seen all moves
 * @property {number | null} clockIn the seconds until these clocks start at the latest
 * @property {number | null} reported the last event that I reported to have seen, on this connection
 * @property {RequestMessage | null} request the open request
 * @property {RequestMessage | null} lastRequest the request that I answered last, in case the answer is refused
 * @property {boolean} hasAnswered whether my next choice in the events is an answer of mine, not an automatic one
 * @property {SavedDraft | null} draft my unfinished answer; after a reload, it waits for its request to be repeated
 * @property {RefusedMessage | null} refusal the last refused answer
 * @property {ThrownOutMessage | null} thrownOut
 * @property {OverMessage | null} over
 * @property {RematchMessage | null} rematch
 * @property {ByeMessage | null} bye
 * @property {SeatRequestMessage | null} seatRequest the state of my request for a seat
 * @property {EmoteMessage | null} emote the last one that a player has sent
 * @property {boolean} isMuted whether emotes are not shown
 * @property {boolean} isPaused
 * @property {boolean} isStill whether events are listed instead of animated (reduced motion)
 * @property {Speed} speed
 */

/** @param {{speed?: string | null, isStill?: boolean, draft?: SavedDraft | null, isMuted?: boolean}} [kept] what the browser has kept @returns {TableState} */
export function initialState({ speed = null, isStill = false, draft = null, isMuted = false } = {}) {
  return {
    table: null,
    game: null,
    seat: null,
    isResumed: false,
    tape: [],
    position: 0,
    myMove: 0,
    scene: null,
    waiting: [],
    seconds: null,
    watching: [],
    clockIn: null,
    reported: null,
    request: null,
    lastRequest: null,
    hasAnswered: false,
    draft,
    refusal: null,
    thrownOut: null,
    over: null,
    rematch: null,
    bye: null,
    seatRequest: null,
    emote: null,
    isMuted,
    isPaused: false,
    isStill,
    speed: speed !== null && Object.hasOwn(SPEEDS, speed) ? /** @type {Speed} */ (speed) : "normal",
  };
}

/**
 * @param {TableState} state
 * @param {ServerMessage | UserAction} action
 * @param {Reading} [reading]
 * @returns {TableState}
 */
export function reduce(state, action, reading = {}) {
  switch (action.type) {
    case "table":
      return { ...state, table: action.table };
    case "hello":
      return { ...state, seat: action.seat ?? null, isResumed: action.resumed != null, reported: null };
    case "seat":
      return { ...state, seat: action.seat };
    case "game":
      // After a reconnection the server sends the same game again, and the tape continues.
      if (state.game && state.isResumed) return state;
      return { ...state, game: action, tape: [], position: 0, myMove: 0, request: null, over: null, hasAnswered: false };
    case "event":
      return withEvent(state, action, reading);
    case "scene":
      return { ...state, scene: action.scene, hasAnswered: state.hasAnswered || Boolean(reading.showsMyAnswer) };
    case "request":
      return {
        ...state,
        request: action,
        scene: action.scene,
        waiting: withSeat(state.waiting, state.seat),
        draft: isDraftOf(state.draft, action, state.seat) ? state.draft : null,
      };
    case "waiting":
      return {
        ...state,
        // While the server waits until I have seen the moves, my last request is no longer open. It asks again afterwards.
        request: state.seat !== null && action.watching.includes(state.seat) ? null : state.request,
        waiting: action.seats,
        seconds: action.seconds,
        watching: action.watching,
        clockIn: action.clock_in,
      };
    case "reported":
      return { ...state, reported: action.number };
    case "refused":
      return { ...state, refusal: action, request: state.request ?? state.lastRequest };
    case "thrown_out":
      return { ...withoutRequest(state), thrownOut: action, draft: null };
    case "over":
      return { ...withoutRequest(state), over: action, watching: [], waiting: [], draft: null };
    case "rematch":
      return { ...state, rematch: action };
    case "bye":
      // The socket reconnects by itself unless it is final.
      return action.final ? { ...withoutRequest(state), bye: action } : state;
    case "seat_request":
      return { ...state, seatRequest: action };
    case "emote":
      return state.isMuted ? state : { ...state, emote: action };
    case "mute":
      return { ...state, isMuted: action.isMuted };
    case "answered":
      return { ...withoutRequest(state), lastRequest: state.request, hasAnswered: true, myMove: state.tape.length };
    case "drafted":
      return state.request ? { ...state, draft: { seat: state.seat, request: state.request.id, value: action.value } } : state;
    case "advance":
      return { ...state, position: Math.min(state.position + 1, state.tape.length) };
    case "back":
      return { ...state, position: Math.max(state.position - 1, Math.min(1, state.tape.length)), isPaused: true };
    case "live":
      return { ...state, position: state.tape.length, isPaused: false };
    case "pause":
      return { ...state, isPaused: true };
    case "resume":
      return { ...state, isPaused: false };
    case "speed":
      return { ...state, speed: action.speed };
  }
}

/** @param {TableState} state @param {EventMessage} message @param {Reading} reading @returns {TableState} */
function withEvent(state, message, { isMyChoice = false, showsMyAnswer = false }) {
  const last = state.tape.at(-1);
  if (last && message.number <= last.number) return state;
  const hasAnswered = state.hasAnswered || showsMyAnswer;
  const tape = [...state.tape, { ...message, isAutomatic: isMyChoice && !hasAnswered }];
  return {
    ...state,
    tape,
    scene: message.scene,
    // The first event shows the table as it is when the page opens.
    position: last ? state.position : tape.length,
    myMove: last ? state.myMove : tape.length,
    hasAnswered: hasAnswered && !isMyChoice,
  };
}

/** @param {TableState} state @returns {TableState} */
function withoutRequest(state) {
  return state.request ? { ...state, request: null, waiting: state.waiting.filter((seat) => seat !== state.seat) } : state;
}

/** @param {SavedDraft | null} draft @param {RequestMessage} request @param {number | null} seat */
const isDraftOf = (draft, request, seat) => draft !== null && draft.request === request.id && draft.seat === seat;

/** Returns the user's draft for the open request, or null. @param {TableState} state */
export const openDraft = ({ draft, request, seat }) => (request && draft && isDraftOf(draft, request, seat) ? draft.value : null);

/** @param {number[]} seats @param {number | null} seat */
const withSeat = (seats, seat) => (seat === null || seats.includes(seat) ? seats : [...seats, seat]);

/** Returns whether the page shows the newest event. @param {TableState} state */
export const isLive = (state) => state.position === state.tape.length;

/** Returns how many events are still to be shown. @param {TableState} state */
export const behind = (state) => state.tape.length - state.position;

/** Returns whether playback continues by itself. @param {TableState} state */
export const isPlaying = (state) => !state.isPaused && !isLive(state);

/** Returns the event shown now, or null before the first. @param {TableState} state */
export const currentStep = (state) => state.tape[state.position - 1] ?? null;

/** Returns the scene to draw. @param {TableState} state */
export const shownScene = (state) => (isLive(state) ? state.scene : (currentStep(state)?.scene ?? null));

/** Returns the request to show: none before the user has seen what led to it. @param {TableState} state */
export const shownRequest = (state) => (isLive(state) ? state.request : null);

/** Returns the result, once the user has seen the game to its end. @param {TableState} state */
export const shownResult = (state) => (isLive(state) ? state.over : null);

/** Returns whether the game waits for me, even if I have not seen all moves. @param {TableState} state */
export const isMyTurn = (state) => state.seat !== null && !state.over && (state.request !== null || state.waiting.includes(state.seat));

/** Returns what leaving the table costs me: my seat before the game, or the game. @param {TableState} state @returns {"seat" | "game" | null} */
export function costOfLeaving({ table, seat, over, bye }) {
  if (!table || seat === null || over || bye || table.seats[seat]?.out) return null;
  return table.state === "waiting" ? "seat" : table.state === "playing" ? "game" : null;
}

/** Returns whether my clock has not started yet, because I have not seen all moves. @param {TableState} state */
export const isWatching = (state) => state.seat !== null && state.watching.includes(state.seat);

/** Returns the event to report as seen, so that my clock starts, or null. @param {TableState} state */
export function seenToReport(state) {
  const last = state.tape.at(-1)?.number ?? 0;
  return isWatching(state) && isLive(state) && state.reported !== last ? last : null;
}

/** Returns the events since my last answer that have been shown and have a text. @param {TableState} state */
export const sinceMyMove = (state) => state.tape.slice(state.myMove, state.position).filter(({ text }) => text.length > 0);

/**
 * Returns how long to show the current event, in milliseconds. An event without a text is shown only as long as it moves,
 * and the strip replaces the pace for users who want no motion.
 * @param {TableState} state
 */
export const showFor = (state) => (currentStep(state)?.text.length && !state.isStill ? SPEEDS[state.speed] : 0);
