// @ts-check
/** The ladder of a game: its rated bots from the easiest to the strongest, and those that I have beaten. No drawing. */

import { loadPreference, savePreference } from "./preferences.js";

/** @typedef {import("./types.js").BotInfo} BotInfo */

/** Returns the bots of the ladder, the easiest first. @param {BotInfo[]} players */
export const ladderOf = (players) =>
  players.filter(({ level }) => level !== null).sort((one, other) => (one.rating ?? 0) - (other.rating ?? 0));

/**
 * Returns the first bot of the ladder that I have not beaten, otherwise the strongest, or undefined without a ladder.
 * @param {BotInfo[]} players
 * @param {Set<string>} beaten
 */
export function nextOpponent(players, beaten) {
  const ladder = ladderOf(players);
  return ladder.find(({ name }) => !beaten.has(name)) ?? ladder[ladder.length - 1];
}

/**
 * Returns the bots that finished behind me with every seat.
 * @param {{seat: number, player?: string|null}[]} seats
 * @param {{seat: number, place: number}[]} standings
 * @param {number} mine my seat
 */
export function beatenIn(seats, standings, mine) {
  const places = new Map(standings.map(({ seat, place }) => [seat, place]));
  const own = places.get(mine) ?? Infinity;
  const bots = new Set(seats.flatMap(({ player }) => player ?? []));
  return [...bots].filter((bot) => seats.every(({ seat, player }) => player !== bot || (places.get(seat) ?? 0) > own));
}

/** Returns the bots that were beaten in this browser. @param {string} game @returns {string[]} */
export const beatenHere = (game) => JSON.parse(loadPreference(`beaten:${game}`) ?? "[]");

/** Remembers bots that were beaten in this browser. @param {string} game @param {string[]} bots */
export function saveBeaten(game, bots) {
  if (bots.length) savePreference(`beaten:${game}`, JSON.stringify([...new Set([...beatenHere(game), ...bots])]));
}
