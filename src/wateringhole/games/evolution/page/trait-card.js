// @ts-check
/** A trait with its picture, its name and the rulebook's sentence. */

import { h, icon } from "/static/js/dom.js";

/** @typedef {import("./types.js").TraitWords} TraitWords */
/** @typedef {import("./types.js").Words} Words */
/** @typedef {import("./types.js").Family} Family */

/**
 * @param {Words} words
 * @param {string} trait
 * @returns {TraitWords}
 */
export const traitWords = (words, trait) => words.traits?.[trait] ?? { name: trait, text: "", family: "feeding" };

/** The shared tint of each family. @type {Record<Family, string>} */
const TINTS = { defence: "tint-blue", hunting: "tint-red", feeding: "tint-green", growth: "tint-yellow" };

/** The class that gives a trait the colour and the shape of its family. @param {Words} words @param {string} trait */
export const tintOf = (words, trait) => TINTS[traitWords(words, trait).family];

/** @param {Words} words @param {string} trait */
export function traitCard(words, trait) {
  const { name, text, family } = traitWords(words, trait);
  return h(
    "div",
    { class: `trait-card ${TINTS[family]}` },
    h("span", { class: "mark" }, icon(trait)),
    h("div", null, h("b", null, name), h("small", null, family), h("p", null, text)),
  );
}
