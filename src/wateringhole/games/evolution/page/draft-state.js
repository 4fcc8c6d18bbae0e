// @ts-check
/**
 * The draft of a declaration while the server checks it. The user adds and removes steps faster than replies arrive, so
 * the steps that were sent and the steps that were accepted differ for a while. All functions are pure.
 */

/** @typedef {import("./types.js").Draft} Draft */
/** @typedef {import("./types.js").DraftStep} DraftStep */

/**
 * @typedef {object} DraftState
 * @property {Draft} draft the last one that the server accepted
 * @property {DraftStep[]} sent the steps sent last
 * @property {number} pending the number of replies that are still to come
 * @property {boolean} isUndoing whether the last change removed a step; steps that depended on it are then refused
 * @property {boolean} isRestored whether the draft was restored and has not been changed
 */

/** @typedef {"add" | "undo" | "start over" | "restore"} Change */

/** @param {Draft} draft @returns {DraftState} */
export const newDraft = (draft) => ({ draft, sent: draft.steps, pending: 0, isUndoing: false, isRestored: false });

/** Returns the state after steps were sent. @param {DraftState} state @param {DraftStep[]} steps @param {Change} change @returns {DraftState} */
export const afterSending = (state, steps, change) => ({
  ...state,
  sent: steps,
  pending: state.pending + 1,
  isUndoing: change === "undo",
  isRestored: change === "restore",
});

/**
 * Returns the state after a reply, and the steps to send next, if any. A step that depended on a removed one is
 * refused: it is removed, too, and the steps after it are sent again.
 * @param {DraftState} state
 * @param {Draft} reply
 * @returns {{state: DraftState, retry: DraftStep[] | null}}
 */
export function afterReply(state, reply) {
  const pending = state.pending - 1;
  if (reply.refused && state.isUndoing && reply.steps.length < state.sent.length)
    return { state: { ...state, pending }, retry: state.sent.filter((_, index) => index !== reply.steps.length) };
  return { state: { ...state, draft: reply, pending, sent: pending > 0 ? state.sent : reply.steps }, retry: null };
}

/** Returns the state after the connection broke: replies are lost, and so are the steps without one. @param {DraftState} state @returns {DraftState} */
export const afterDisconnect = (state) => ({ ...state, sent: state.draft.steps, pending: 0 });
