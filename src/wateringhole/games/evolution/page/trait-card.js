// @ts-check
/** A trait with its picture, its name and the rulebook's sentence. */

import { h, icon } from "/static/js/dom.js";

/** @typedef {import("/static/js/types.js").TraitWords} TraitWords */
/** @typedef {import("/static/js/types.js").Words} Words */

/**
 * @param {Words} words
 * @param {string} trait
 * @returns {TraitWords}
 */
export const traitWords = (words, trait) => words.traits?.[trait] ?? { name: trait, text: "", family: "feeding" };

/** @param {Words} words @param {string} trait */
export function traitCard(words, trait) {
  const { name, text, family } = traitWords(words, trait);
  return h(
    "div",
    { class: `trait-card fam-${family}` },
    h("span", { class: "mark" }, icon(trait)),
    h("div", null, h("b", null, name), h("small", null, family), h("p", null, text)),
  );
}
