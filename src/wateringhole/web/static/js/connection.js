// @ts-check
/**
 * What a page remembers about its connection: where the events continue after it breaks, and when to try again. All
 * functions are pure; `socket.js` owns the WebSocket.
 */

/** @typedef {import("./types.js").PageHello} PageHello */
/** @typedef {import("./types.js").ServerMessage} ServerMessage */

/**
 * @typedef {object} Connection
 * @property {number} heard the number of the last event, or 0 before the first
 * @property {number} retryDelay until the next attempt, in milliseconds
 * @property {boolean} isClosed whether the server has said a final goodbye
 */

export const MIN_RETRY_MS = 400;
export const MAX_RETRY_MS = 5000;

/** @type {Connection} */
export const NEW_CONNECTION = { heard: 0, retryDelay: MIN_RETRY_MS, isClosed: false };

/** @param {Connection} connection @param {ServerMessage} message @returns {Connection} */
export function afterMessage(connection, message) {
  // Only an answered hello counts: a server that is starting up accepts connections and drops them.
  if (message.type === "hello") return { ...connection, retryDelay: MIN_RETRY_MS };
  if (message.type === "event") return { ...connection, heard: message.number };
  if (message.type === "bye") return { ...connection, isClosed: message.final === true };
  return connection;
}

/** @param {Connection} connection @returns {Connection} */
export const afterFailure = (connection) => ({ ...connection, retryDelay: Math.min(connection.retryDelay * 2, MAX_RETRY_MS) });

/** Returns the first message on a new WebSocket. @param {Connection} connection @param {string | null} token @returns {PageHello} */
export const helloOf = ({ heard }, token) => ({ type: "hello", protocol: 1, paced: true, ...(token ? { token } : {}), ...(heard ? { heard } : {}) });
