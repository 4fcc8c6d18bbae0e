// @ts-check
/** The words and pictures for the strength of players. */

import { h, icon } from "./dom.js";
import { t } from "./text.js";

const HIGHEST_LEVEL = 5;

/** @param {number} rating @param {number} error */
export const formatRating = (rating, error) => `${Math.round(rating)} ± ${Math.round(error)}`;

/** Returns the word for a level. @param {number} level */
export function levelName(level) {
  const names = [t("level.1"), t("level.2"), t("level.3"), t("level.4"), t("level.5")];
  return names[Math.max(0, Math.min(level, HIGHEST_LEVEL) - 1)] ?? "";
}

/** Creates a row of paws, as many of them dark as the level says. @param {number} level */
export const paws = (level) =>
  h(
    "span",
    { class: "paws", role: "img", "aria-label": t("level.of", { level, highest: HIGHEST_LEVEL }) },
    ...Array.from({ length: HIGHEST_LEVEL }, (_, index) => h("i", { class: index < level ? "on" : "" }, icon("paw"))),
  );
