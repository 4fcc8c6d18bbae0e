// @ts-check
/** A trait with its icon, its name and its rule. */

import { h, icon } from "/static/js/dom.js";
import { ICONS } from "./icons.js";
import { t } from "./text.js";

/** @typedef {import("./types.js").TraitText} TraitText */
/** @typedef {import("./types.js").Texts} Texts */
/** @typedef {import("./types.js").Family} Family */

/**
 * @param {Texts} texts
 * @param {string} trait
 * @returns {TraitText}
 */
export const traitText = (texts, trait) => texts.traits?.[trait] ?? { name: trait, text: "", family: "feeding" };

/** Returns the icon of a trait; all traits that a user added share one. @param {string} trait */
export const traitIcon = (trait) => icon(Object.hasOwn(ICONS, trait) ? trait : "custom-trait");

/** The tint of each family. @type {Record<Family, string>} */
const TINTS = { defence: "tint-blue", hunting: "tint-red", feeding: "tint-green", growth: "tint-yellow" };

/** Returns the class for the colour and shape of a trait's family. @param {Texts} texts @param {string} trait */
export const tintOf = (texts, trait) => TINTS[traitText(texts, trait).family];

/** @param {Texts} texts @param {string} trait */
export function traitCard(texts, trait) {
  const { name, text, family } = traitText(texts, trait);
  return h(
    "div",
    { class: `trait-card ${TINTS[family]}` },
    h("span", { class: "mark" }, traitIcon(trait)),
    h("div", null, h("b", null, name), h("small", null, t(`family.${family}`)), h("p", null, text)),
  );
}
