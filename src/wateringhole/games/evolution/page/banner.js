// @ts-check
/** Animals on their way to the water, for the lobby. */

import { h } from "/static/js/dom.js";
import { creature } from "./creature.js";

/** @type {[left: number, {body: number, traits: string[]}][]} */
const HERD = [
  [38, { body: 1, traits: ["cooperation"] }],
  [50, { body: 5, traits: ["long-neck", "foraging"] }],
  [62, { body: 2, traits: ["horns", "symbiosis"] }],
  [74, { body: 3, traits: ["hard-shell"] }],
  [86, { body: 6, traits: ["carnivore", "ambush"] }],
];

/** @returns {HTMLElement[]} */
export const banner = () =>
  HERD.map(([left, board]) => h("div", { class: "figure", style: { left: `${left}%` } }, creature(board, false)));
