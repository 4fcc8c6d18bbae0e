// @ts-check
/** Questions to the server, and what this browser remembers of its seats. */

/** The server said why not, in a sentence for people. */
export class Problem extends Error {
  /** @param {string} message @param {number | null} status of the answer; null: there was none */
  constructor(message, status = null) {
    super(message);
    this.status = status;
  }
}

/**
 * @param {string} path
 * @param {RequestInit} [request]
 * @returns {Promise<any>}
 */
async function ask(path, request) {
  let response;
  try {
    response = await fetch(path, request);
  } catch {
    throw new Problem("The server does not answer. Is it still running?");
  }
  const said = await response.json().catch(() => null);
  if (response.ok) return said;
  throw new Problem(said?.problem ?? `The server answered ${response.status} without a word.`, response.status);
}

/** @param {string} path */
export const get = (path) => ask(path);

/** @param {string} path @param {any} content */
export const post = (path, content) =>
  ask(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(content) });

/** @param {string} path @param {string} text */
export const postText = (path, text) => ask(path, { method: "POST", headers: { "content-type": "text/plain" }, body: text });

/** @param {string} table @returns {string | null} the token of my seat */
export const seatToken = (table) => localStorage.getItem(`seat:${table}`);

/** @param {string} table @param {string} token */
export const keepSeatToken = (table, token) => localStorage.setItem(`seat:${table}`, token);

/** @param {string} table */
export const forgetSeat = (table) => localStorage.removeItem(`seat:${table}`);

/** Links for the friends of a table that was opened here. @param {string} table @returns {string[]} */
export const invitations = (table) => JSON.parse(localStorage.getItem(`invitations:${table}`) ?? "[]");

/** @param {string} table @param {string[]} links */
export const keepInvitations = (table, links) => localStorage.setItem(`invitations:${table}`, JSON.stringify(links));

/** The name one plays under. */
export const myName = () => localStorage.getItem("name") ?? "";

/** @param {string} name */
export const keepMyName = (name) => localStorage.setItem("name", name);
