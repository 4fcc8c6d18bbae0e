// @ts-check
/** HTTP requests to the server, and the seats, invitations and name stored in this browser. */

/** @typedef {{seat: number, code: string}} ProgramSeat a seat that is reserved for a program, and its code */

/** An error whose message is meant for the user. */
export class UserFacingError extends Error {
  /** @param {string} message @param {number | null} status of the response, or null without one */
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
async function fetchJson(path, request) {
  let response;
  try {
    response = await fetch(path, request);
  } catch {
    throw new UserFacingError("The server does not answer. Is it still running?");
  }
  const body = await response.json().catch(() => null);
  if (response.ok) return body;
  throw new UserFacingError(body?.problem ?? `The server returned status ${response.status} without a message.`, response.status);
}

/** @param {string} path */
export const get = (path) => fetchJson(path);

/** @param {string} path @param {any} content */
export const post = (path, content) =>
  fetchJson(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(content) });

/** @param {string} path @param {string} text */
export const postText = (path, text) => fetchJson(path, { method: "POST", headers: { "content-type": "text/plain" }, body: text });

/** @param {string} table @returns {string | null} the token of my seat */
export const seatToken = (table) => localStorage.getItem(`seat:${table}`);

/** @param {string} table @param {string} token */
export const saveSeatToken = (table, token) => localStorage.setItem(`seat:${table}`, token);

/** @param {string} table */
export const forgetSeat = (table) => localStorage.removeItem(`seat:${table}`);

/** Returns the invitation links of a table that was opened in this browser. @param {string} table @returns {string[]} */
export const invitations = (table) => JSON.parse(localStorage.getItem(`invitations:${table}`) ?? "[]");

/** Returns the codes of seats that are reserved for programs, of a table that was opened in this browser. @param {string} table @returns {ProgramSeat[]} */
export const programSeats = (table) => JSON.parse(localStorage.getItem(`programs:${table}`) ?? "[]");

/**
 * Saves the owner's token, the invitation links and the codes of a new table.
 * @param {{table: {id: string}, owner?: string, invitations?: string[], programs?: ProgramSeat[]}} created
 */
export function saveInvitations({ table, owner, invitations, programs }) {
  if (owner) localStorage.setItem(`owner:${table.id}`, owner);
  if (invitations?.length) localStorage.setItem(`invitations:${table.id}`, JSON.stringify(invitations));
  if (programs?.length) localStorage.setItem(`programs:${table.id}`, JSON.stringify(programs));
}

/**
 * Saves the new link or code of a seat whose player was removed, in place of the old one.
 * @param {{table: {id: string}, invitations: string[], programs: ProgramSeat[]}} removed
 * @param {number} position of the link among all links of the table
 */
export function replaceInvitations({ table, invitations: [link], programs }, position) {
  const links = invitations(table.id).map((old, index) => (link && index === position ? link : old));
  const others = programSeats(table.id).filter(({ seat }) => !programs.some((each) => each.seat === seat));
  saveInvitations({ table, invitations: links, programs: [...others, ...programs] });
}

/** Returns the token with which I remove players, if I opened the table in this browser. @param {string} table */
export const ownerToken = (table) => localStorage.getItem(`owner:${table}`);

/** Returns the user's name, or an empty string. */
export const myName = () => localStorage.getItem("name") ?? "";

/** @param {string} name */
export const saveMyName = (name) => localStorage.setItem("name", name);
