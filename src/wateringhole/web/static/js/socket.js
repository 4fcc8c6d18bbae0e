// @ts-check
/**
 * The WebSocket connection to a table. When it breaks, it reconnects by itself and sends the number of the last event,
 * so that the server repeats no event and leaves none out.
 */

import { NEW_CONNECTION, afterFailure, afterMessage, helloOf } from "./connection.js";
import { forfeitText, fromServer } from "./server-text.js";

/** @typedef {import("./types.js").ConsultMessage} ConsultMessage */
/** @typedef {import("./types.js").PageMessage} PageMessage */
/** @typedef {import("./types.js").ServerMessage} ServerMessage */

/**
 * @typedef {object} TableSocket
 * @property {(message: PageMessage) => boolean} send returns whether the connection was open, as does `consult`
 * @property {(message: ConsultMessage) => boolean} consult sends a message that only the game can read
 * @property {() => void} close without reconnecting
 */

/**
 * @param {string} path
 * @param {object} options
 * @param {string | null} options.token of my seat, or null for a spectator
 * @param {(message: ServerMessage) => void} options.onMessage
 * @param {(isOpen: boolean) => void} options.onStatus called when the connection breaks or is restored
 * @returns {TableSocket}
 */
export function connect(path, { token, onMessage, onStatus }) {
  const url = new URL(path, location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  /** @type {WebSocket | null} */
  let socket = null;
  let connection = NEW_CONNECTION;

  function open() {
    const opening = new WebSocket(url);
    socket = opening;
    opening.addEventListener("open", () => opening.send(JSON.stringify(helloOf(connection, token))));
    opening.addEventListener("message", ({ data }) => {
      if (opening === socket) receive(JSON.parse(data));
    });
    opening.addEventListener("close", () => {
      if (opening !== socket || connection.isClosed) return;
      onStatus(false);
      setTimeout(open, connection.retryDelay);
      connection = afterFailure(connection);
    });
  }

  /** @param {ServerMessage} message */
  function receive(message) {
    if (message.type === "bye") message.reason = fromServer(message.reason);
    else if (message.type === "refused") message.message = fromServer(message.message);
    else if (message.type === "thrown_out") message.message = forfeitText(message.message, message.reason);
    connection = afterMessage(connection, message);
    if (message.type === "hello") onStatus(true);
    onMessage(message);
  }

  /** @param {PageMessage | ConsultMessage} message */
  function send(message) {
    if (socket?.readyState !== WebSocket.OPEN) return false;
    socket.send(JSON.stringify(message));
    return true;
  }

  open();
  return {
    send,
    consult: send,
    close() {
      connection = { ...connection, isClosed: true };
      socket?.close();
    },
  };
}
