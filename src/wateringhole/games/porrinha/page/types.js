// @ts-check
/** Porrinha's data on the page. This module contains only types. Seats count from 0. */

export {};

/**
 * @typedef {object} PorrinhaScene
 * @property {number} round
 * @property {number} lead
 * @property {number[]} sticks by seat
 * @property {number} most_sticks
 * @property {number} table sticks of all players together: the largest possible sum
 * @property {(number|null)[]} guesses by seat
 * @property {number[]} void
 * @property {(number|null)[]} hands by seat, of a settled round
 * @property {number|null} own_hand
 * @property {number|null} total
 * @property {number|null} winner
 * @property {number[]} active
 * @property {number[]} acting
 * @property {number[]} order
 * @property {"hide"|"guess"|"open"|"end"} phase
 * @property {number[]} out
 * @property {(number|null)[]} [secret_hands] in a replay
 */

/** @typedef {{least: number, most: number}} HandOffers */
/** @typedef {{numbers: {number: number, state: "free"|"taken"|"bluff", by: number|null, text: string}[], text: string}} GuessOffers */
