// @ts-check
/**
 * The wire to a table. It says hello, remembers the last event it heard, and comes back by itself with that number
 * when the connection breaks, so that nothing is missed and nothing is told twice.
 */

/** @typedef {import("./types.js").ServerMessage} ServerMessage */

/**
 * @typedef {object} Wire
 * @property {(message: Record<string, any>) => boolean} send whether the wire was open
 * @property {() => void} close for good
 */

const FIRST_PAUSE_MS = 400;
const LONGEST_PAUSE_MS = 5000;

/**
 * @param {string} path
 * @param {object} options
 * @param {string | null} options.token of my seat; null: a watcher
 * @param {(message: ServerMessage) => void} options.hear
 * @param {(isOpen: boolean) => void} options.change the connection broke, or is there (again)
 * @returns {Wire}
 */
export function connect(path, { token, hear, change }) {
  const url = new URL(path, location.href);
  url.protocol = url.protocol === "https:" ? "wss:" : "ws:";
  /** @type {WebSocket | null} */
  let socket = null;
  let heard = 0;
  let pause = FIRST_PAUSE_MS;
  let ended = false;

  function open() {
    const opened = new WebSocket(url);
    socket = opened;
    opened.addEventListener("open", () => {
      const back = heard ? { heard } : {};
      opened.send(JSON.stringify({ type: "hello", protocol: 1, ...(token ? { token } : {}), ...back }));
    });
    opened.addEventListener("message", ({ data }) => {
      if (opened === socket) take(JSON.parse(data));
    });
    opened.addEventListener("close", () => {
      if (opened !== socket || ended) return;
      change(false);
      setTimeout(open, pause);
      pause = Math.min(pause * 2, LONGEST_PAUSE_MS);
    });
  }

  /** @param {ServerMessage} message */
  function take(message) {
    if (message.type === "hello") {
      // Only an answered hello counts as a connection: a server that is starting up takes sockets and drops them.
      pause = FIRST_PAUSE_MS;
      change(true);
    } else if (message.type === "event") heard = message.number;
    else if (message.type === "bye") ended = message.final === true;
    hear(message);
  }

  open();
  return {
    send(message) {
      if (socket?.readyState !== WebSocket.OPEN) return false;
      socket.send(JSON.stringify(message));
      return true;
    },
    close() {
      ended = true;
      socket?.close();
    },
  };
}
