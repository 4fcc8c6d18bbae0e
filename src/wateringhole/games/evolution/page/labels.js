// @ts-check
/** Names and labels of boards and cards. The names and texts of traits come from the server. */

import { t } from "./text.js";
import { traitText } from "./trait-card.js";

/** @typedef {import("./types.js").Board} Board */
/** @typedef {import("./types.js").Card} Card */
/** @typedef {import("./types.js").EvolutionScene} EvolutionScene */
/** @typedef {import("./types.js").Texts} Texts */

/** The traits that name a species, the most striking first. */
const NAMING = /** @type {const} */ ([
  "pack-hunting",
  "ambush",
  "long-neck",
  "hard-shell",
  "horns",
  "climbing",
  "burrowing",
  "herding",
  "fat-tissue",
  "foraging",
  "scavenger",
  "warning-call",
  "symbiosis",
  "cooperation",
  "fertile",
]);

/** Returns a name for a species, made from its traits. @param {Board} board */
export function speciesName(board) {
  const noun = board.traits.includes("carnivore") ? "hunter" : "grazer";
  const trait = NAMING.find((each) => each === board.traits.find((other) => NAMING.some((name) => name === other)));
  return t(`species.${trait ?? "plain"}.${noun}`);
}

/** Returns a species with its owner, in running text. @param {string} owner @param {string} species */
export const speciesOf = (owner, species) =>
  owner === t("you") ? t("species.mine", { species: species.toLowerCase() }) : t("species.of", { name: owner, species: species.toLowerCase() });

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
  const species = speciesName(board);
  const which = owner === t("you") ? t("board.mine", { number: index + 1, species }) : t("board.of", { name: owner, number: index + 1, species });
  const fed = t("board.fed", { food: board.food, population: board.population, body: board.body });
  const fat = board.fat ? t("board.fat", { fat: board.fat }) : "";
  const traits = board.traits.length ? `${board.traits.map((trait) => traitText(texts, trait).name).join(", ")}.` : t("board.noTraitsSentence");
  return [which, fed, fat, traits].filter(Boolean).join(" ");
}

/** @param {Texts} texts @param {Card} card */
export function cardLabel(texts, [points, trait]) {
  const { name, text } = traitText(texts, trait);
  return t("card.label", { trait: name, points: signed(points), text });
}
