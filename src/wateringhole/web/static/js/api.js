// @ts-check
/** HTTP requests to the server, and the tokens, codes and name stored in this browser. */

import { fromServer } from "./server-text.js";
import { t } from "./text.js";

/** @typedef {import("./types.js").TableInfo} TableInfo */
/** @typedef {{seat: number, code: string}} ReservedSeat a seat and its code */
/** @typedef {{key: number, code: string}} SeatCode the key of a seat, which stays the same in any order, and its code */

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
    throw new UserFacingError(t("error.noServer"));
  }
  const body = await response.json().catch(() => null);
  if (response.ok) return body;
  const problem = body?.problem ? fromServer(body.problem) : t("error.status", { status: String(response.status) });
  throw new UserFacingError(problem, response.status);
}

/** @param {string} path */
export const get = (path) => fetchJson(path);

/** @param {string} path @param {any} content */
export const post = (path, content) =>
  fetchJson(path, { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(content) });

/** @param {string} path @param {string} text */
export const postText = (path, text) => fetchJson(path, { method: "POST", headers: { "content-type": "text/plain" }, body: text });

/** Returns the ID in the address of this page, as in `/table/ID`, or an empty string. */
export function idInAddress() {
  const id = location.pathname.split("/")[2] ?? "";
  try {
    return decodeURIComponent(id);
  } catch {
    return id; // The address is malformed, so nothing has this ID.
  }
}

/** @param {string} table @returns {string | null} the token of my seat */
export const seatToken = (table) => localStorage.getItem(`seat:${table}`);

/** Returns the tables at which this browser has a seat. @returns {string[]} */
export const seatedTables = () =>
  Object.keys(localStorage).flatMap((key) => (key.startsWith("seat:") ? key.slice("seat:".length) : []));

/** @param {string} table @param {string} token */
export const saveSeatToken = (table, token) => localStorage.setItem(`seat:${table}`, token);

/** @param {string} table */
export const forgetSeat = (table) => localStorage.removeItem(`seat:${table}`);

/** Returns the codes of the reserved seats, by the seats' keys, of a table that was opened in this browser. @param {string} table @returns {Record<number, string>} */
export const seatCodes = (table) => JSON.parse(localStorage.getItem(`codes:${table}`) ?? "{}");

/**
 * Saves the owner's token and the codes of a new table, and the port where they are used if it is not that of the page.
 * @param {{table: TableInfo, owner?: string, invitations?: string[], programs?: ReservedSeat[], raw_port?: number}} created
 */
export function saveSecrets({ table, owner, invitations = [], programs = [], raw_port }) {
  if (owner) localStorage.setItem(`owner:${table.id}`, owner);
  if (raw_port) localStorage.setItem(`port:${table.id}`, String(raw_port));
  // The links are those of the free seats for humans, in the order of the seats.
  const free = table.seats.filter(({ kind, taken }) => kind === "person" && !taken);
  const friends = invitations.map((link, index) => ({ key: free[index]?.key ?? index, code: codeOf(link) }));
  saveCodes(table.id, [...friends, ...programs.map(({ seat, code }) => ({ key: table.seats[seat]?.key ?? seat, code }))]);
}

/**
 * Saves the new code of a seat that has become free, in place of the old one.
 * @param {number} key of the seat
 * @param {{table: TableInfo, invitations: string[], programs: ReservedSeat[]}} changed
 */
export function replaceCode(key, { table, invitations, programs }) {
  saveCodes(table.id, [...programs.map(({ code }) => code), ...invitations.map(codeOf)].map((code) => ({ key, code })));
}

/** @param {string} table @param {SeatCode[]} codes */
function saveCodes(table, codes) {
  if (!codes.length) return;
  const added = Object.fromEntries(codes.map(({ key, code }) => [key, code]));
  localStorage.setItem(`codes:${table}`, JSON.stringify({ ...seatCodes(table), ...added }));
}

/** Returns where a program joins a table: the page's own address, or that of the port for programs. @param {string} table */
export function joinAddress(table) {
  if (location.protocol === "https:") return location.origin;
  const port = localStorage.getItem(`port:${table}`);
  return port ? `${location.hostname}:${port}` : location.host;
}

/** @param {string} link */
const codeOf = (link) => link.split("#invite=")[1] ?? "";

/** Returns the token with which I remove players, if I opened the table in this browser. @param {string} table */
export const ownerToken = (table) => localStorage.getItem(`owner:${table}`);

/** Returns the user's name, or an empty string. */
export const myName = () => localStorage.getItem("name") ?? "";

/** @param {string} name */
export const saveMyName = (name) => localStorage.setItem("name", name);
