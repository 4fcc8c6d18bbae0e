// @ts-check
/** The names of rules. A game that has none for them is shown with the names of its options. */

import { gameText } from "./games.js";
import { formatNumber, t } from "./text.js";

/** @typedef {{profile: string, options: Record<string, any>}} ChosenRules a profile, and the options that differ from it */

/** @param {string} name */
const plainWords = (name) => name.replaceAll(/[_-]/g, " ");

/** Returns the name of a set of rules. @param {string} game @param {string} profile */
export const profileName = (game, profile) => gameText(game, `profile.${profile}`) ?? plainWords(profile);

/** Returns the name of an option. @param {string} game @param {string} option */
export const optionName = (game, option) => gameText(game, `option.${option}`) ?? plainWords(option);

/** Returns the value of an option. @param {string} game @param {string} option @param {any} value as in JSON, or as it is typed */
export function optionValue(game, option, value) {
  const typed = value === null ? "none" : String(value);
  const known = gameText(game, `option.${option}.${typed}`);
  if (known !== null) return known;
  if (typed === "true") return t("rules.yes");
  if (typed === "false") return t("rules.no");
  if (typed === "none") return t("rules.none");
  return /^\d+$/.test(typed) ? formatNumber(Number(typed)) : plainWords(typed);
}

/** Returns the name of the rules, and a line for each option that was changed. @param {string} game @param {ChosenRules} chosen */
export function rulesLines(game, { profile, options }) {
  const changed = Object.entries(options).map(([name, value]) => t("rules.option", { name: optionName(game, name), value: optionValue(game, name, value) }));
  return [t("rules.of", { profile: profileName(game, profile) }), ...changed];
}
