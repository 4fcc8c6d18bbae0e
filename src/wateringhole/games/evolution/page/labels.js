// @ts-check
/** Names and labels of boards and cards. The names and texts of traits come from the server. */

import { traitText } from "./trait-card.js";

/** @typedef {import("./types.js").Board} Board */
/** @typedef {import("./types.js").Card} Card */
/** @typedef {import("./types.js").EvolutionScene} EvolutionScene */
/** @typedef {import("./types.js").Texts} Texts */

const ADJECTIVES = /** @type {Record<string, string>} */ ({
  "pack-hunting": "Pack",
  ambush: "Lurking",
  "long-neck": "Long-necked",
  "hard-shell": "Shelled",
  horns: "Horned",
  climbing: "Climbing",
  burrowing: "Burrowing",
  herding: "Herding",
  "fat-tissue": "Fat",
  foraging: "Foraging",
  scavenger: "Scavenging",
  "warning-call": "Watchful",
  symbiosis: "Befriended",
  cooperation: "Generous",
  fertile: "Fertile",
});

/** Returns a name for a species, made from its traits. @param {Board} board */
export function speciesName(board) {
  const noun = board.traits.includes("carnivore") ? "hunter" : "grazer";
  const trait = board.traits.find((each) => each in ADJECTIVES);
  return `${trait ? ADJECTIVES[trait] : "Plain"} ${noun}`;
}

/** Returns whether a player's food card lies face down at the hole. @param {EvolutionScene} scene @param {number} seat */
export const hasDeclared = (scene, seat) => scene.phase === "choose" && scene.food_cards.some((card) => card.seat === seat);

/** @param {number} points */
export const signed = (points) => (points > 0 ? `+${points}` : points < 0 ? `−${-points}` : "0");

/**
 * Describes a board for screen readers.
 * @param {Texts} texts
 * @param {string} owner
 * @param {number} index from 0
 * @param {Board} board
 */
export function boardLabel(texts, owner, index, board) {
  const traits = board.traits.map((trait) => traitText(texts, trait).name).join(", ") || "No traits";
  const fat = board.fat ? ` ${board.fat} in its fat store.` : "";
  const fed = `${board.food} of ${board.population} fed, body ${board.body}.`;
  const which = owner === "You" ? `Your species ${index + 1}` : `${owner}, species ${index + 1}`;
  return `${which}: ${speciesName(board)}. ${fed}${fat} ${traits}.`;
}

/** @param {Texts} texts @param {Card} card */
export function cardLabel(texts, [points, trait]) {
  const { name, text } = traitText(texts, trait);
  return `${name}, food ${signed(points)}. ${text}`;
}

/** @param {string} name */
export const possessive = (name) => (name === "You" ? "Your" : `${name}’s`);
