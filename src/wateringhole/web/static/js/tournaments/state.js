// @ts-check
/** What the page of a tournament derives from the server's answer, without drawing it. */

/** @typedef {import("../types.js").TableInfo} TableInfo */
/** @typedef {import("../standings/rating.js").Row} Row */
/** @typedef {"open" | "running" | "interrupted" | "cancelled" | "over"} State */
/** @typedef {{name: string, kind: "bot" | "person" | "program", player: string | null, here: boolean}} Entrant */
/** @typedef {{game_id: string, names: string[], places: number[], scores: (number | null)[]}} FinishedGame */
/**
 * @typedef {object} Summary
 * @property {string} id
 * @property {string} link
 * @property {string} title
 * @property {string} game
 * @property {string} game_title
 * @property {State} state
 * @property {string} format
 * @property {boolean} people whether people can enter
 * @property {boolean} programs whether programs can join
 * @property {number} players
 * @property {number} games for each player
 * @property {number} played
 * @property {number | null} planned null before the start
 */
/**
 * @typedef {Summary & {reason: string | null, number: number | null, table_size: number | null, arrival_seconds: number, seconds_left: number | null,
 *   entrants: Entrant[], running: TableInfo[], finished: FinishedGame[], rows: Row[],
 *   me: {name: string, entrant: number | null, table: import("../people.js").MyTable | null} | null}} Tournament
 */
/** @typedef {"start" | "continue" | "cancel"} OperatorAction */

/** What the operator can do in each state, the main action first. @type {Record<State, OperatorAction[]>} */
const ACTIONS = { open: ["start", "cancel"], running: ["cancel"], interrupted: ["continue", "cancel"], cancelled: [], over: [] };

/** @param {State} state */
export const operatorActions = (state) => ACTIONS[state];

/** Returns whether the tournament can still change, so that it is asked for again. @param {State} state */
export const isLive = (state) => state === "open" || state === "running" || state === "interrupted";

/**
 * Returns what I can do: enter or leave before the start, or nothing.
 * @param {Pick<Tournament, "state" | "people" | "me">} tournament
 * @returns {"enter" | "leave" | "name" | null} `name` if I must choose a name before I can enter
 */
export function myAction({ state, people, me }) {
  if (state !== "open" || !people) return null;
  if (me === null) return "name";
  return me.entrant === null ? "enter" : "leave";
}

/** Returns how many games are played: every deal from every seat, so whole blocks. @param {number} players @param {number} size of a table @param {number} each the games wanted for each player */
export function plannedGames(players, size, each) {
  if (players < size || size < 2) return 0;
  return Math.ceil(Math.ceil((each * players) / size) / size) * size;
}

/** Returns the time that is left in the unit that suits it. @param {number} seconds @returns {{unit: "seconds" | "minutes" | "hours", count: number}} */
export function timeLeft(seconds) {
  if (seconds < 60) return { unit: "seconds", count: Math.max(1, Math.round(seconds)) };
  if (seconds < 5400) return { unit: "minutes", count: Math.round(seconds / 60) };
  return { unit: "hours", count: Math.round(seconds / 3600) };
}

/** Returns the players who may still be the best: their intervals meet that of the first. @param {Row[]} rows best first */
export function undecided(rows) {
  const first = rows[0];
  if (!first || first.low === null) return rows.map(({ name }) => name);
  const low = first.low;
  return rows.filter((row, index) => index === 0 || row.high === null || row.high > low).map(({ name }) => name);
}

/** Returns the players of a finished game, the winner first. @param {FinishedGame} game */
export function inOrder({ names, places, scores }) {
  return names.map((name, seat) => ({ name, place: places[seat] ?? names.length, score: scores[seat] ?? null })).sort((one, other) => one.place - other.place);
}
