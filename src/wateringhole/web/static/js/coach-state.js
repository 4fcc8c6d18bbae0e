// @ts-check
/**
 * What the coach shows for one open request, as one state. All functions are pure: `reduceCoach` takes a message of the
 * server or an action of the user and returns the next state.
 */

/** @typedef {import("./types.js").HintMessage} HintMessage */
/** @typedef {import("./types.js").CheckMessage} CheckMessage */
/** @typedef {import("./types.js").Warning} Warning */

/** The levels of a hint: what to look at, why, and what the best player would do. */
export const LEVELS = 3;

/**
 * @typedef {object} CoachState
 * @property {boolean} isOn whether the user wants hints and warnings
 * @property {number | null} id the open request
 * @property {number} level of the hint that is shown or asked for, or 0
 * @property {HintMessage | null} hint
 * @property {Warning | null} warning
 * @property {{answer: any} | null} held the answer that waits for the coach
 * @property {boolean} isChecked whether an answer to this request was checked; there is one warning per decision
 */

/**
 * @typedef {{type: "asked", id: number} | {type: "done"} | {type: "next"} | {type: "close"} | {type: "hold", answer: any}
 *   | {type: "release"} | {type: "toggle"} | HintMessage | CheckMessage} CoachAction
 */

const NOTHING = { id: null, level: 0, hint: null, warning: null, held: null, isChecked: false };

/** @param {boolean} isOn @returns {CoachState} */
export const initialCoach = (isOn) => ({ isOn, ...NOTHING });

/** @param {CoachState} state @param {CoachAction} action @returns {CoachState} */
export function reduceCoach(state, action) {
  switch (action.type) {
    case "asked":
      return action.id === state.id ? state : { ...state, ...NOTHING, id: action.id };
    case "done":
      return { ...state, ...NOTHING };
    case "next":
      // The hint of the level before would be shown as this one until its own arrives.
      return state.id === null || state.level === LEVELS ? state : { ...state, level: state.level + 1, hint: null };
    case "close":
      return { ...state, level: 0, hint: null, warning: null, held: null };
    case "hold":
      return { ...state, held: { answer: action.answer }, isChecked: true, level: 0, hint: null };
    case "release":
      return { ...state, held: null, warning: null };
    case "toggle":
      return { ...state, isOn: !state.isOn, level: 0, hint: null, warning: null, held: null };
    case "hint":
      return action.id === state.id && action.level === state.level ? { ...state, hint: action } : state;
    case "check":
      // A late warning about an answer that was changed or sent is of no use.
      return action.id === state.id && state.held ? { ...state, warning: action.warning } : state;
  }
}

/** Returns whether an answer should wait for the coach. @param {CoachState} state @returns {state is CoachState & {id: number}} */
export const wantsCheck = (state) => state.isOn && state.id !== null && !state.isChecked;
