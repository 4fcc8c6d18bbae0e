// @ts-check
/**
 * The WebSocket connection to a table. When it breaks, it reconnects by itself and sends the number of the last event,
 * so that the server repeats no event and leaves none out.
 */

/** @typedef {import("./types.js").ServerMessage} ServerMessage */

/**
 * @typedef {object} TableSocket
 * @property {(message: Record<string, any>) => boolean} send returns whether the connection was open
 * @property {() => void} close without reconnecting
 */

const MIN_RETRY_MS = 400;
const MAX_RETRY_MS = 5000;

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
  let heard = 0;
  let retryDelay = MIN_RETRY_MS;
  let isClosed = false;

  function open() {
    const opening = new WebSocket(url);
    socket = opening;
    opening.addEventListener("open", () => {
      const resume = heard ? { heard } : {};
      opening.send(JSON.stringify({ type: "hello", protocol: 1, ...(token ? { token } : {}), ...resume }));
    });
    opening.addEventListener("message", ({ data }) => {
      if (opening === socket) receive(JSON.parse(data));
    });
    opening.addEventListener("close", () => {
      if (opening !== socket || isClosed) return;
      onStatus(false);
      setTimeout(open, retryDelay);
      retryDelay = Math.min(retryDelay * 2, MAX_RETRY_MS);
    });
  }

  /** @param {ServerMessage} message */
  function receive(message) {
    if (message.type === "hello") {
      // Only an answered hello counts: a server that is starting up accepts connections and drops them.
      retryDelay = MIN_RETRY_MS;
      onStatus(true);
    } else if (message.type === "event") heard = message.number;
    else if (message.type === "bye") isClosed = message.final === true;
    onMessage(message);
  }

  open();
  return {
    send(message) {
      if (socket?.readyState !== WebSocket.OPEN) return false;
      socket.send(JSON.stringify(message));
      return true;
    },
    close() {
      isClosed = true;
      socket?.close();
    },
  };
}
